//! A value as the rows of a tree: which nodes are visible when some are open.
//!
//! Invariant: a closed node costs nothing however large it is, and an open one shows at most so many children at a time;
//! numbers are the texts of the tape.

use std::collections::BTreeMap;

use tapedeck_core::model::protocol::ValueTree;

/// Children that an opened node shows at first, and that "more" adds.
pub const CHUNK: usize = 200;

/// Numbers of a buffer in a row.
pub const BUFFER_ROW: usize = 8;

/// The way to a node: the index of a child at each level. `[]` is the root.
pub type Path = Vec<u32>;

/// Which nodes are open, and how many children each shows.
pub type Opened = BTreeMap<Path, usize>;

/// What a row of the tree is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A value without children.
    Leaf(Leaf),
    /// A list, a dict or a buffer, and how many children it has.
    Branch(&'static str, usize),
    /// A row of a buffer: the numbers.
    Numbers(Vec<String>),
    /// How many further children the node above has.
    More(usize),
}

/// A value without children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// `null`.
    Null,
    /// A number, as its text.
    Number(String),
    /// A string, its escapes undone.
    Text(String),
}

/// A visible node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The way to it; for [`Part::More`] the way to the node whose children follow.
    pub path: Path,
    /// Its key or index; empty for the root.
    pub label: String,
    /// What it is.
    pub part: Part,
    /// Whether it is open; `None` for what cannot be opened.
    pub is_open: Option<bool>,
    /// Its place among its siblings, from 1.
    pub place: usize,
    /// How many siblings there are, itself included.
    pub siblings: usize,
}

impl Node {
    /// Its level, from 1.
    pub fn level(&self) -> usize {
        self.path.len() + usize::from(matches!(self.part, Part::More(_))) + 1
    }
}

/// The visible nodes of a value, from top to bottom.
pub fn visible(root: &ValueTree, opened: &Opened) -> Vec<Node> {
    let mut nodes = Vec::new();
    walk(root, String::new(), (1, 1), &mut Path::new(), opened, &mut nodes);
    nodes
}

fn walk(
    tree: &ValueTree,
    label: String,
    (place, siblings): (usize, usize),
    path: &mut Path,
    opened: &Opened,
    nodes: &mut Vec<Node>,
) {
    let (part, children) = match tree {
        ValueTree::Null => (Part::Leaf(Leaf::Null), 0),
        ValueTree::Number(text) => (Part::Leaf(Leaf::Number(text.clone())), 0),
        ValueTree::Str(text) => (Part::Leaf(Leaf::Text(text.text.clone())), 0),
        ValueTree::List(items) => (Part::Branch("list", items.len()), items.len()),
        ValueTree::Dict(entries) => (Part::Branch("dict", entries.len()), entries.len()),
        ValueTree::Buffer(numbers) => (Part::Branch("buffer", numbers.len()), numbers.len().div_ceil(BUFFER_ROW)),
    };
    let shown = opened.get(path).copied();
    let is_open = (children > 0).then_some(shown.is_some());
    nodes.push(Node { path: path.clone(), label, part, is_open, place, siblings });
    let Some(shown) = shown.map(|shown| shown.min(children)).filter(|shown| *shown > 0) else { return };
    for at in 0..shown {
        path.push(at as u32);
        let set = (at + 1, children);
        match tree {
            ValueTree::List(items) => {
                if let Some(item) = items.get(at) {
                    walk(item, at.to_string(), set, path, opened, nodes);
                }
            }
            ValueTree::Dict(entries) => {
                if let Some((key, value)) = entries.get(at) {
                    walk(value, key.text.clone(), set, path, opened, nodes);
                }
            }
            ValueTree::Buffer(numbers) => {
                if let Some(row) = numbers.chunks(BUFFER_ROW).nth(at) {
                    nodes.push(Node {
                        path: path.clone(),
                        label: (at * BUFFER_ROW).to_string(),
                        part: Part::Numbers(row.to_vec()),
                        is_open: None,
                        place: set.0,
                        siblings: set.1,
                    });
                }
            }
            _ => {}
        }
        path.pop();
    }
    if shown < children {
        nodes.push(Node {
            path: path.clone(),
            label: String::new(),
            part: Part::More(children - shown),
            is_open: None,
            place: shown + 1,
            siblings: children,
        });
    }
}

/// A number of a buffer in hexadecimal: a byte as two digits, a larger integer with `0x`, any other number as the 16 digits of
/// its IEEE 754 double. `None` when the text is no number.
pub fn hex(number: &str) -> Option<String> {
    if let Ok(byte) = number.parse::<u8>() {
        return Some(format!("{byte:02x}"));
    }
    let value: f64 = number.parse().ok()?;
    // Integers up to 2^53 are exact in a double; beyond that its bits say more than a wrong integer.
    if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 {
        let sign = if value < 0.0 { "-" } else { "" };
        return Some(format!("{sign}0x{:x}", value.abs() as u64));
    }
    Some(format!("{:016x}", value.to_bits()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use tapedeck_core::model::protocol::Text;

    use super::*;

    fn number(text: &str) -> ValueTree {
        ValueTree::Number(text.to_owned())
    }

    fn text(text: &str) -> Text {
        Text { text: text.to_owned(), lossy: false }
    }

    fn sample() -> ValueTree {
        ValueTree::Dict(vec![
            (text("a"), ValueTree::List(vec![number("0.10000000000000001"), ValueTree::Null])),
            (text("b"), ValueTree::Str(text("x\ny"))),
        ])
    }

    #[test]
    fn closed_nodes_show_only_themselves() {
        let nodes = visible(&sample(), &Opened::new());
        assert_eq!(nodes.len(), 1);
        assert_eq!((nodes[0].part.clone(), nodes[0].is_open), (Part::Branch("dict", 2), Some(false)));
    }

    #[test]
    fn opened_nodes_show_their_children_in_order() {
        let opened = Opened::from([(vec![], CHUNK), (vec![0], CHUNK)]);
        let nodes = visible(&sample(), &opened);
        let labels: Vec<_> = nodes.iter().map(|node| (node.label.as_str(), node.level())).collect();
        assert_eq!(labels, [("", 1), ("a", 2), ("0", 3), ("1", 3), ("b", 2)]);
        assert_eq!(nodes[2].part, Part::Leaf(Leaf::Number("0.10000000000000001".to_owned())));
        assert_eq!((nodes[3].place, nodes[3].siblings), (2, 2));
    }

    #[test]
    fn long_lists_come_in_parts() {
        let list = ValueTree::List((0..450).map(|at| number(&at.to_string())).collect());
        let nodes = visible(&list, &Opened::from([(vec![], CHUNK)]));
        assert_eq!(nodes.len(), 1 + CHUNK + 1);
        assert_eq!(nodes.last().unwrap().part, Part::More(250));
        let nodes = visible(&list, &Opened::from([(vec![], 3 * CHUNK)]));
        assert_eq!(nodes.len(), 451);
    }

    #[test]
    fn buffers_come_in_rows() {
        let buffer = ValueTree::Buffer((0..20).map(|at| at.to_string()).collect());
        let nodes = visible(&buffer, &Opened::from([(vec![], CHUNK)]));
        assert_eq!(nodes.len(), 4);
        assert_eq!(nodes[3].label, "16");
        assert_eq!(nodes[3].part, Part::Numbers(vec!["16".into(), "17".into(), "18".into(), "19".into()]));
    }

    #[test]
    fn hex_is_exact() {
        assert_eq!(hex("255").as_deref(), Some("ff"));
        assert_eq!(hex("7").as_deref(), Some("07"));
        assert_eq!(hex("256").as_deref(), Some("0x100"));
        assert_eq!(hex("-1").as_deref(), Some("-0x1"));
        assert_eq!(hex("0.5").as_deref(), Some("3fe0000000000000"));
        assert_eq!(hex("1e300").as_deref(), Some("7e37e43c8800759c"));
        assert_eq!(hex("zz"), None);
    }
}

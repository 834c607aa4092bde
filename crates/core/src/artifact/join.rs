//! Which file belongs to which: by path, then by base name; when several fit equally well, that is said.

use super::tree::{Join, Node, NodeId, Role, Tree};

/// The part of a path behind its last `/` or `\`.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A base name without the endings that tapes and their wrappings carry: `run` for `run.tape.gz`, `run.eigs` and `run`.
fn stem(name: &str) -> &str {
    let mut stem = name;
    for ending in [".gz", ".tape", ".eigs"] {
        stem = stem.strip_suffix(ending).filter(|rest| !rest.is_empty()).unwrap_or(stem);
    }
    stem
}

/// The folders of a path, without its last part.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// `stated` as a path of the tree: relative, with `/`, without `.` parts.
fn normal(stated: &str) -> String {
    let parts: Vec<_> = stated.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").collect();
    parts.join("/")
}

/// The file that `stated` names, as said in the file `from`.
///
/// By path: relative to the folder of `from`, then as a whole path, then as the end of one. By base name: among the files of
/// `role`. Of several that fit, those nearest to `from` (in the same container, then in the same folder) win.
pub(super) fn by_stated_path(tree: &Tree, from: NodeId, stated: &str, role: Role) -> Join {
    let Some(from) = tree.node(from) else { return Join::None };
    let wanted = normal(stated);
    if wanted.is_empty() {
        return Join::None;
    }
    // A run that was opened by itself lies beside nothing: its path is empty, and so is its folder.
    let here = folder(&from.path);
    let beside = if here.is_empty() { wanted.clone() } else { format!("{here}/{wanted}") };
    let ending = format!("/{wanted}");
    let files = || tree.nodes.iter().filter(|node| node.role != Role::Container && node.id != from.id);
    let path = |node: &Node| if node.path.is_empty() { node.name.clone() } else { node.path.clone() };
    let stages: [&dyn Fn(&Node) -> bool; 4] =
        [&|node| path(node) == beside, &|node| path(node) == wanted, &|node| path(node).ends_with(&ending), &|node| {
            node.role == role && stem(node.base_name()) == stem(base_name(&wanted))
        }];
    for stage in stages {
        let candidates: Vec<&Node> = files().filter(|node| stage(node)).collect();
        if !candidates.is_empty() {
            return nearest(candidates, from);
        }
    }
    Join::None
}

/// The sources that have the name of `tape`, nearest first.
pub(super) fn source_by_name(tree: &Tree, tape: &Node) -> Join {
    let wanted = stem(tape.base_name());
    let candidates: Vec<&Node> = tree.of_role(Role::Source).filter(|node| stem(node.base_name()) == wanted).collect();
    nearest(candidates, tape)
}

/// Of `candidates` those in the container of `from`, and of these those in its folder, as long as any are left.
fn nearest(candidates: Vec<&Node>, from: &Node) -> Join {
    let narrow = |candidates: Vec<&Node>, near: &dyn Fn(&Node) -> bool| -> Vec<NodeId> {
        let close: Vec<NodeId> = candidates.iter().filter(|node| near(node)).map(|node| node.id).collect();
        if close.is_empty() { candidates.iter().map(|node| node.id).collect() } else { close }
    };
    let same_container: Vec<NodeId> = narrow(candidates.clone(), &|node| node.parent == from.parent);
    let left: Vec<&Node> = candidates.into_iter().filter(|node| same_container.contains(&node.id)).collect();
    Join::from_candidates(narrow(left, &|node| folder(&node.path) == folder(&from.path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems() {
        for (name, expected) in [
            ("run.tape.gz", "run"),
            ("run.tape", "run"),
            ("run.eigs", "run"),
            ("run", "run"),
            (".tape", ".tape"),
            ("a.b.tape", "a.b"),
        ] {
            assert_eq!(stem(name), expected);
        }
    }
}

//! A link that holds a tape, made from the tape, its source, the view and the plan of what to take out.

use super::redact::{Plan, Report, inventory, redact_link};
use super::{Source, write};
use crate::model::protocol_artifact::{ShareAnswer, ShareQuery};

/// The largest tape with its source that is put into a link: 16 MiB. Packing more takes seconds, and Chrome opens addresses of up
/// to 2 MB, which few tapes of this size stay below.
pub const MAX_INLINE_BYTES: usize = 16 << 20;

/// The link that `query` asks for, of a tape of this name and its source.
pub fn share(query: &ShareQuery, name: &str, tape: &[u8], source: Option<(&str, &[u8])>) -> ShareAnswer {
    let bytes = tape.len() + source.map_or(0, |(_, code)| code.len());
    let mut answer = ShareAnswer {
        fragment: None,
        bytes: bytes as u64,
        inventory: inventory(tape),
        source: source.map(|(name, _)| name.to_owned()),
        report: Report::default(),
    };
    if bytes > MAX_INLINE_BYTES {
        return answer;
    }
    let mut link = query.view.clone();
    link.file = None;
    link.source = Source::Inline {
        name: name.to_owned(),
        data: tape.to_vec(),
        code: source.map(|(name, code)| (name.to_owned(), code.to_vec())),
    };
    if query.plan != Plan::default() {
        (link, answer.report) = redact_link(&link, &query.plan);
    }
    answer.fragment = Some(write(&link));
    answer
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::bytes::Limits;
    use crate::link::{Link, parse};

    const TAPE: &[u8] = b"V 2 0.40.0\nL 1\nN env_get=\"hunter2hunter2\"\nA token=\"hunter2hunter2\"\n";

    fn query(plan: Plan) -> ShareQuery {
        ShareQuery { view: Link { position: Some(1), file: Some("a/b.tape".to_owned()), ..Link::default() }, plan }
    }

    #[test]
    fn the_link_holds_the_tape_its_source_and_the_view() {
        let answer = share(&query(Plan::default()), "a.tape", TAPE, Some(("a.eigs", b"print of 1")));
        let link = parse(&answer.fragment.unwrap(), &Limits::default()).unwrap().link;
        assert_eq!(link.position, Some(1));
        assert_eq!(link.file, None, "the recording is no file in an artifact any more");
        let code = Some(("a.eigs".to_owned(), b"print of 1".to_vec()));
        assert_eq!(link.source, Source::Inline { name: "a.tape".to_owned(), data: TAPE.to_vec(), code });
        assert_eq!(answer.inventory.kinds(), [crate::link::redact::Kind::Environment]);
    }

    #[test]
    fn what_the_plan_names_is_not_in_the_link() {
        let plan = Plan { kinds: vec![crate::link::redact::Kind::Environment], texts: Vec::new() };
        let answer = share(&query(plan), "a.tape", TAPE, None);
        let link = parse(&answer.fragment.unwrap(), &Limits::default()).unwrap().link;
        let Source::Inline { data, .. } = link.source else { panic!("the link holds no tape") };
        assert!(!String::from_utf8_lossy(&data).contains("hunter2"));
        assert_eq!((answer.report.inputs, answer.report.assigns), (1, 1));
    }

    #[test]
    fn a_tape_that_no_link_can_hold_is_only_listed() {
        let tape = vec![b'#'; MAX_INLINE_BYTES + 1];
        let answer = share(&query(Plan::default()), "a.tape", &tape, None);
        assert_eq!((answer.fragment, answer.bytes), (None, tape.len() as u64));
    }
}

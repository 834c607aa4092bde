//! What a recording holds that its sender may not want to share, and a copy of it without that.
//!
//! A tape keeps what its run was given: environment values, the contents of files, headers. They stand in `N` records in
//! full, and again in `A` records, of which each keeps the first 60 escaped bytes of a string. [`inventory`] lists them;
//! [`redact_link`] and [`redact_tape`] take them out.
//!
//! What is taken out is replaced whole: an `N` or `A` value becomes `<redacted>`, which EigenScript's readers take for a value
//! that is not on the tape, so that the tape stays a tape, with every position where it was, and such an `N` is not
//! replayable. In sources and notes `[redacted]` stands in its place, line by line.
//!
//! Invariant: it rather takes out too much than too little. A value goes when it holds a secret, is a part of one, or shares
//! eight bytes with one, in any form of [`secrets::forms`]. What a program *computed* from a secret cannot be known; the
//! report says so.

mod inventory;
mod secrets;
mod values;

use serde::{Deserialize, Serialize};

pub use inventory::{Count, Holding, Inventory, Kind, inventory};
pub use secrets::forms;

use self::secrets::Secrets;
use super::{Link, Source};
use crate::bytes;

/// What stands in a tape in place of a value that was taken out.
pub const TAPE_MARK: &[u8] = b"<redacted>";

/// What stands in a text in place of what was taken out.
pub const TEXT_MARK: &str = "[redacted]";

/// What to take out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Every value of these kinds.
    pub kinds: Vec<Kind>,
    /// And these texts, wherever they occur.
    pub texts: Vec<String>,
}

/// What was taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// `N` records whose value was taken out: they cannot be replayed any more.
    pub inputs: u32,
    /// `A` records whose value was taken out.
    pub assigns: u32,
    /// Lines that are no record and were taken out.
    pub lines: u32,
    /// Places in sources, notes and the other texts of a link, and in traces.
    pub places: u32,
    /// What must be said about it, in sentences.
    pub warnings: Vec<String>,
}

impl Report {
    fn is_empty(&self) -> bool {
        self.inputs == 0 && self.assigns == 0 && self.lines == 0 && self.places == 0
    }

    fn warn(&mut self, secrets: &Secrets) {
        if self.inputs > 0 {
            self.warnings.push(format!(
                "{} recorded {} no longer on this tape, so a replay with it runs the live source in their place.",
                self.inputs,
                if self.inputs == 1 { "input is" } else { "inputs are" }
            ));
        }
        if !self.is_empty() {
            self.warnings.push(
                "What the program computed from what was taken out (numbers, lengths, parts of fewer than four bytes, decisions) may still be there, and tell something about it."
                    .to_owned(),
            );
        }
        if secrets.too_short() > 0 {
            self.warnings.push(format!(
                "{} of the values taken out {} shorter than four bytes; only values equal to them were taken out elsewhere.",
                secrets.too_short(),
                if secrets.too_short() == 1 { "is" } else { "are" }
            ));
        }
    }
}

/// A copy of a tape without what `plan` names.
///
/// It has as many lines as the tape, records of the same kinds and names, and so the same positions. Names of variables and
/// functions stay: they are the source's, not an input's.
pub fn redact_tape(tape: &[u8], plan: &Plan) -> (Vec<u8>, Report) {
    let secrets = Secrets::gather(plan, &[tape], &[]);
    let mut report = Report::default();
    let out = without(tape, plan, &secrets, &mut report);
    report.warn(&secrets);
    (out, report)
}

/// A copy of a link without what `plan` names: in both recordings, their sources, and every text of the view.
pub fn redact_link(link: &Link, plan: &Plan) -> (Link, Report) {
    let mut tapes: Vec<&[u8]> = Vec::new();
    let mut texts: Vec<&[u8]> = Vec::new();
    for source in [&link.source, &link.second] {
        if let Source::Inline { data, code, .. } = source {
            if is_tape(data) {
                tapes.push(data);
            } else {
                texts.push(data);
            }
            texts.extend(code.as_ref().map(|(_, code)| code.as_slice()));
        }
    }
    for text in [&link.notes, &link.question, &link.search, &link.file].into_iter().flatten() {
        texts.push(text.as_bytes());
    }
    let secrets = Secrets::gather(plan, &tapes, &texts);
    let mut report = Report::default();
    let mut out = link.clone();
    for text in [&mut out.notes, &mut out.question, &mut out.search, &mut out.file].into_iter().flatten() {
        clean(text, &secrets, &mut report);
    }
    for pin in out.selected.iter_mut().chain(&mut out.pins) {
        clean(&mut pin.name, &secrets, &mut report);
        if let Some(function) = &mut pin.function {
            clean(function, &secrets, &mut report);
        }
    }
    for source in [&mut out.source, &mut out.second] {
        match source {
            Source::None => {}
            Source::Url { url, .. } if secrets.found_in(url.as_bytes()) => report.warnings.push(format!(
                "The address {url:?} holds some of it, and cannot be changed: put the recording into the link instead."
            )),
            Source::Url { .. } => {}
            Source::Inline { name, data, code } => {
                clean(name, &secrets, &mut report);
                if is_tape(data) {
                    *data = without(data, plan, &secrets, &mut report);
                } else {
                    let (text, places) = secrets.cleaned(data);
                    (*data, report.places) = (text, report.places + places);
                }
                if let Some((name, code)) = code {
                    clean(name, &secrets, &mut report);
                    let (text, places) = secrets.cleaned(code);
                    (*code, report.places) = (text, report.places + places);
                }
            }
        }
    }
    report.warn(&secrets);
    (out, report)
}

/// Takes every secret out of a text of the view.
fn clean(text: &mut String, secrets: &Secrets, report: &mut Report) {
    let (cleaned, places) = secrets.cleaned(text.as_bytes());
    if places > 0 {
        *text = String::from_utf8_lossy(&cleaned).into_owned();
        report.places += places;
    }
}

fn is_tape(data: &[u8]) -> bool {
    bytes::sniff(data) == bytes::Kind::Tape
}

fn without(tape: &[u8], plan: &Plan, secrets: &Secrets, report: &mut Report) -> Vec<u8> {
    let mut out = Vec::with_capacity(tape.len());
    let mut names = 0;
    for line in tape.split_inclusive(|byte| *byte == b'\n') {
        let (body, end) = match line.strip_suffix(b"\n") {
            Some(body) => (body, &b"\n"[..]),
            None => (line, &b""[..]),
        };
        let record = values::record(body);
        let name = record.map_or_else(|| values::function(body), |record| record.name);
        names += u32::from(secrets.found_in(name));
        match record {
            Some(record) => {
                let wanted = record.is_input() && Kind::of(&record).is_some_and(|kind| plan.kinds.contains(&kind));
                if wanted || secrets.in_value(record.value) {
                    if record.is_input() {
                        report.inputs += 1;
                    } else {
                        report.assigns += 1;
                    }
                    out.extend_from_slice(body.get(..body.len() - record.value.len()).unwrap_or_default());
                    out.extend_from_slice(TAPE_MARK);
                } else {
                    out.extend_from_slice(body);
                }
            }
            // Headers, positions and frames carry the tape; any other line is read by nobody.
            None if matches!(body.first(), Some(b'V' | b'L' | b'S')) || !secrets.in_value(body) => {
                out.extend_from_slice(body);
            }
            None => {
                report.lines += 1;
                out.extend_from_slice(b"# redacted");
            }
        }
        out.extend_from_slice(end);
    }
    if names > 0 {
        report.warnings.push(format!(
            "{names} {} part of what was taken out as a name of a variable or a function; names stay, as the source has them.",
            if names == 1 { "record holds" } else { "records hold" }
        ));
    }
    out
}

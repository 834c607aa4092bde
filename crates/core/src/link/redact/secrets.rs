//! Secrets, and whether something holds one: whole, in part, cut, or in another form.
//!
//! Finding all of many secrets in a large tape must not cost their product. So what is kept of them is every run of eight
//! bytes, sorted: whatever shares one is found in one pass. Shorter secrets are kept whole.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::inventory::Kind;
use super::values::{pieces, record};
use super::{Plan, TEXT_MARK};

/// The length of the runs.
const RUN: usize = 8;

/// The shortest secret that is looked for inside other values.
const SHORTEST: usize = 4;

/// Secrets longer than this are looked for as they stand, and not in other forms.
const FORMS_UP_TO: usize = 64 << 10;

/// All secrets of one redaction.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    /// Every run of eight bytes of every secret and its forms, sorted.
    runs: Vec<[u8; RUN]>,
    /// Secrets and forms of four to seven bytes, sorted.
    short: Vec<Vec<u8>>,
    /// Secrets of one to three bytes, sorted.
    tiny: Vec<Vec<u8>>,
    /// The first four to seven bytes of every secret, sorted: for strings that were cut inside one.
    starts: Vec<Vec<u8>>,
    /// Every run of four bytes of every secret, sorted: for short strings that are a part of one.
    parts: Vec<[u8; SHORTEST]>,
    /// All secrets, for making sure of what `parts` suspects.
    all: Vec<u8>,
}

impl Secrets {
    /// What `plan` names in these tapes and texts.
    pub(super) fn gather(plan: &Plan, tapes: &[&[u8]], texts: &[&[u8]]) -> Self {
        let mut list: Vec<Vec<u8>> = plan.texts.iter().map(|text| text.trim().as_bytes().to_vec()).collect();
        let homes = plan.kinds.contains(&Kind::HomePath);
        for line in tapes.iter().flat_map(|tape| tape.split(|byte| *byte == b'\n')) {
            let Some(record) = record(line) else { continue };
            if homes {
                list.extend(home_paths(record.value));
            }
            if record.is_input() && Kind::of(&record).is_some_and(|kind| plan.kinds.contains(&kind)) {
                list.extend(pieces(record.value).into_iter().filter(|piece| !piece.is_key).map(|piece| piece.bytes));
            }
        }
        if homes {
            list.extend(texts.iter().flat_map(|text| home_paths(text)));
        }
        list.retain(|secret| !secret.is_empty());
        list.sort_unstable();
        list.dedup();
        Self::new(&list)
    }

    fn new(list: &[Vec<u8>]) -> Self {
        let mut secrets = Self::default();
        for secret in list {
            secrets.all.extend_from_slice(secret);
            // No string of a tape holds a raw line feed, so this joins no two secrets to a third.
            secrets.all.push(b'\n');
            secrets.parts.extend(secret.array_windows().filter(|part| !is_monotone(part)));
            for len in SHORTEST..RUN.min(secret.len()) {
                secrets.starts.extend(secret.get(..len).map(<[u8]>::to_vec));
            }
            for form in forms(secret) {
                match form.len() {
                    0 => {}
                    1..SHORTEST => secrets.tiny.push(form),
                    SHORTEST..RUN => secrets.short.push(form),
                    _ => secrets.runs.extend(form.array_windows().filter(|run| !is_monotone(run))),
                }
            }
        }
        secrets.runs.sort_unstable();
        secrets.runs.dedup();
        secrets.parts.sort_unstable();
        secrets.parts.dedup();
        for list in [&mut secrets.short, &mut secrets.tiny, &mut secrets.starts] {
            list.sort_unstable();
            list.dedup();
        }
        secrets
    }

    /// How many secrets are too short to be looked for inside other values.
    pub(super) fn too_short(&self) -> usize {
        self.tiny.len()
    }

    /// Whether the text of a value of a tape holds a secret: in its strings, in its buffers, or as it stands.
    pub(super) fn in_value(&self, value: &[u8]) -> bool {
        self.in_text(value)
            || pieces(value)
                .iter()
                .any(|piece| self.in_text(&piece.bytes) || (piece.may_be_cut && self.ends_inside_one(&piece.bytes)))
    }

    /// Whether a text holds a secret, is one, or is a part of one.
    pub(super) fn in_text(&self, text: &[u8]) -> bool {
        if text.is_empty() {
            return false;
        }
        let is = |list: &[Vec<u8>]| list.binary_search_by(|one| one.as_slice().cmp(text)).is_ok();
        if is(&self.tiny) || is(&self.short) || self.found_in(text) {
            return true;
        }
        // A part of one: of eight bytes and more it was found by its runs.
        (SHORTEST..RUN).contains(&text.len())
            && text.first_chunk().is_some_and(|part| self.parts.binary_search(part).is_ok())
            && memchr::memmem::find(&self.all, text).is_some()
    }

    /// Whether a text holds a secret of four bytes or more, or eight bytes of one.
    pub(super) fn found_in(&self, text: &[u8]) -> bool {
        (0..text.len()).any(|at| self.found_at(text, at).is_some())
    }

    /// How much of a secret stands at this place of a text.
    fn found_at(&self, text: &[u8], at: usize) -> Option<usize> {
        let rest = text.get(at..)?;
        if rest.first_chunk().is_some_and(|run| self.runs.binary_search(run).is_ok()) {
            return Some(RUN);
        }
        let is = |start: &[u8]| self.short.binary_search_by(|one| one.as_slice().cmp(start)).is_ok();
        (SHORTEST..RUN).rev().find(|len| rest.get(..*len).is_some_and(is))
    }

    /// Whether a string that may be cut ends with the beginning of a secret.
    fn ends_inside_one(&self, text: &[u8]) -> bool {
        (SHORTEST..RUN).any(|len| {
            let end = text.len().checked_sub(len).and_then(|at| text.get(at..));
            end.is_some_and(|end| self.starts.binary_search_by(|one| one.as_slice().cmp(end)).is_ok())
        })
    }

    /// A text with a mark in place of every secret, and how many marks there are. Line feeds stay, so that lines keep their
    /// numbers.
    pub(super) fn cleaned(&self, text: &[u8]) -> (Vec<u8>, u32) {
        // Runs overlap: what is to go is marked first, and then taken out in one piece.
        let mut marked = vec![false; text.len()];
        for at in 0..text.len() {
            if let Some(found) = self.found_at(text, at).and_then(|len| marked.get_mut(at..at + len)) {
                found.fill(true);
            }
        }
        let mut out = Vec::with_capacity(text.len());
        let (mut places, mut inside) = (0, false);
        for (byte, marked) in text.iter().zip(marked) {
            if !marked {
                out.push(*byte);
            } else if *byte == b'\n' {
                out.push(b'\n');
            } else if !inside {
                places += 1;
                out.extend_from_slice(TEXT_MARK.as_bytes());
            }
            inside = marked && *byte != b'\n';
        }
        (out, places)
    }
}

/// One byte over and over: found everywhere, and telling nothing.
fn is_monotone<const LEN: usize>(run: &[u8; LEN]) -> bool {
    run.iter().all(|byte| run.first() == Some(byte))
}

/// The forms in which bytes can stand in a tape, a source or a link: as they are, with the escapes of `A` and `N` records and
/// of JSON, percent-encoded, in hex, and in base64 at each of the three places where it can begin.
pub fn forms(secret: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = vec![secret.to_vec()];
    if secret.len() > FORMS_UP_TO {
        return forms;
    }
    let escape = |escape: &dyn Fn(u8, &mut Vec<u8>)| {
        let mut out = Vec::with_capacity(secret.len());
        for byte in secret {
            escape(*byte, &mut out);
        }
        out
    };
    let short = |byte: u8, out: &mut Vec<u8>| match byte {
        b'"' | b'\\' => out.extend([b'\\', byte]),
        b'\n' => out.extend(b"\\n"),
        b'\r' => out.extend(b"\\r"),
        _ => out.push(byte),
    };
    forms.push(escape(&short));
    forms.push(escape(&|byte, out| match byte {
        0..0x20 if !matches!(byte, b'\n' | b'\r') => out.extend(format!("\\x{byte:02x}").bytes()),
        _ => short(byte, out),
    }));
    for ascii in [false, true] {
        forms.push(json_escaped(secret, ascii));
    }
    forms.push(escape(&|byte, out| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(byte);
        } else {
            out.extend(format!("%{byte:02X}").bytes());
        }
    }));
    forms.push(escape(&|byte, out| out.extend(format!("{byte:02x}").bytes())));
    forms.push(escape(&|byte, out| out.extend(format!("{byte:02X}").bytes())));
    for before in 0..3 {
        let shifted = [vec![0; before], secret.to_vec()].concat();
        let text = STANDARD_NO_PAD.encode(&shifted);
        // The characters that also depend on what stands before or behind the secret are left out.
        let start = [0, 2, 3].get(before).copied().unwrap_or(0);
        let end = text.len() - usize::from(shifted.len() % 3 != 0);
        let core = text.get(start..end).unwrap_or_default();
        forms.push(core.as_bytes().to_vec());
        forms.push(core.replace('+', "-").replace('/', "_").into_bytes());
    }
    forms.sort_unstable();
    forms.dedup();
    forms
}

fn json_escaped(secret: &[u8], ascii: bool) -> Vec<u8> {
    let mut out = String::with_capacity(secret.len());
    for character in String::from_utf8_lossy(secret).chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            _ if character < ' ' || (ascii && !(' '..='~').contains(&character)) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            _ => out.push(character),
        }
    }
    out.into_bytes()
}

/// The home folders that a text names: `/home/name`, `/Users/name`, `C:\Users\name` (also with doubled backslashes).
pub(super) fn home_paths(text: &[u8]) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    for root in [&b"/home/"[..], b"/Users/", b":\\Users\\", b":\\\\Users\\\\"] {
        for at in memchr::memmem::find_iter(text, root) {
            let name = text.get(at + root.len()..).unwrap_or_default();
            let len = name
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_.@".contains(byte) || **byte >= 0x80)
                .count();
            if len > 0 {
                paths.extend(text.get(at..at + root.len() + len).map(<[u8]>::to_vec));
            }
        }
    }
    paths.sort_unstable();
    paths.dedup();
    paths
}

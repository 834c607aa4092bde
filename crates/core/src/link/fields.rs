//! From fragment to fields to [`Link`], and back.

use super::data::{is_trailing_punctuation, pack, unpack};
use super::version::{CURRENT, UPGRADES, upgrade};
use super::{Link, LinkError, LinkNote, Parsed, Source, Theme};
use crate::bytes::{Limits, crc32};
use crate::model::protocol::Pin;

/// The keys of this format, in the order in which they are written: data last, so that what is in front survives a cut.
const KEYS: [&str; 25] = [
    "u", "h", "u2", "h2", "f", "p", "r", "m", "b", "k", "q", "/", "t", "v", "s", "n", "cn", "n2", "cn2", "d", "c",
    "d2", "c2", "e", "z",
];

/// The fields of a link in their order, values still percent-encoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    pub(super) fn push(&mut self, key: &str, value: &str) {
        self.0.push((key.to_owned(), value.to_owned()));
    }

    #[cfg(test)]
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    fn text(&self, key: &str) -> Option<String> {
        self.get(key).map(decode)
    }
}

/// Writes a link's fragment, `#` included.
pub fn write(link: &Link) -> String {
    let mut fields: Vec<(&str, String)> = Vec::new();
    let mut put = |key: &'static str, value: Option<String>| fields.extend(value.map(|value| (key, value)));
    for (source, [u, h, n, cn, d, c]) in
        [(&link.source, ["u", "h", "n", "cn", "d", "c"]), (&link.second, ["u2", "h2", "n2", "cn2", "d2", "c2"])]
    {
        match source {
            Source::None => {}
            Source::Url { url, sha256 } => {
                put(u, Some(encode(url, "")));
                put(h, sha256.map(|sum| sum.iter().map(|byte| format!("{byte:02x}")).collect()));
            }
            Source::Inline { name, data, code } => {
                put(n, Some(encode(name, "")));
                put(d, Some(pack(data)));
                if let Some((name, code)) = code {
                    put(cn, Some(encode(name, "")));
                    put(c, Some(pack(code)));
                }
            }
        }
    }
    put("f", link.file.as_deref().map(|text| encode(text, "")));
    put("p", link.position.map(|position| position.to_string()));
    put("r", link.range.map(|(first, last)| format!("{first}-{last}")));
    put("m", link.selected.as_ref().map(write_name));
    let lines: Vec<_> = link.breakpoints.iter().map(i32::to_string).collect();
    put("b", (!lines.is_empty()).then(|| lines.join(",")));
    let pins: Vec<_> = link.pins.iter().map(write_name).collect();
    put("k", (!pins.is_empty()).then(|| pins.join(",")));
    put("q", link.question.as_deref().map(|text| encode(text, "")));
    put("/", link.search.as_deref().map(|text| encode(text, "")));
    let theme = link.theme.map(|theme| match theme {
        Theme::Light => "light",
        Theme::Dark => "dark",
    });
    put("t", theme.map(str::to_owned));
    put("s", link.notes.as_deref().map(|text| encode(text, "")));
    put("v", link.replay_version.as_deref().map(|text| encode(text, "")));
    fields.sort_by_key(|(key, _)| KEYS.iter().position(|known| known == key));
    let mut rest = fields.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("&");
    if rest.chars().next_back().is_some_and(|last| !last.is_ascii_alphanumeric()) {
        rest.push_str("&e=1");
    }
    if rest.is_empty() {
        // A link that says nothing; its check sum still tells it from the start of one that was cut.
        return format!("#{CURRENT}&{}", check_of(""));
    }
    format!("#{CURRENT}&{}&{rest}", check_of(&rest))
}

/// Reads a link's fragment, with or without `#`.
///
/// `limits` are for what the link holds packed.
///
/// # Errors
/// When the fragment is no link, is of a newer format, was cut, or when the data in it is damaged.
pub fn parse(fragment: &str, limits: &Limits) -> Result<Parsed, LinkError> {
    let text = fragment.trim();
    let text = text.strip_prefix('#').unwrap_or(text);
    let mut notes = Vec::new();
    let unescaped;
    let text = if text.contains("&amp;") {
        notes.push(LinkNote::HtmlEscaped);
        unescaped = text.replace("&amp;", "&");
        &unescaped
    } else {
        text
    };
    let (version, rest) = split_version(text)?;
    let whole = check(text, rest, &mut notes)?;
    let mut fields = Fields::default();
    for field in whole.split('&').filter(|field| !field.is_empty()) {
        let (key, value) = field.split_once('=').unwrap_or((field, ""));
        let key = decode(key);
        if fields.get(&key).is_some() {
            notes.push(LinkNote::Repeated { key });
        } else {
            fields.push(&key, value);
        }
    }
    let fields = upgrade(version, fields, &UPGRADES);
    let link = read(&fields, &mut notes, limits, text.chars().count())?;
    Ok(Parsed { link, notes })
}

/// The format's number and what follows it. A link that somebody wrote by hand may begin with its first key.
fn split_version(text: &str) -> Result<(u32, &str), LinkError> {
    let (first, rest) = text.split_once('&').unwrap_or((text.trim_end_matches(is_trailing_punctuation), ""));
    if !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit()) {
        return match first.parse() {
            Ok(version @ 1..=CURRENT) => Ok((version, rest)),
            Ok(0) => Err(LinkError::Damaged { what: "it says that it is of format 0, which never was".to_owned() }),
            Ok(_) | Err(_) => Err(LinkError::Newer { version: first.to_owned() }),
        };
    }
    match first.split_once('=') {
        Some((key, _)) if KEYS.contains(&key) => Ok((1, text)),
        _ => Err(LinkError::NotALink { start: text.chars().take(20).collect() }),
    }
}

/// `z=<length>.<CRC-32>` of what follows it.
fn check_of(rest: &str) -> String {
    format!("z={}.{:08x}", rest.len(), crc32(rest.as_bytes()))
}

/// Compares a link with the length and check sum that it carries, and gives the part that is covered by them.
///
/// A link without them was written by hand: it is taken as it is.
fn check<'a>(text: &str, rest: &'a str, notes: &mut Vec<LinkNote>) -> Result<&'a str, LinkError> {
    let have = text.len();
    let cut = |want: Option<usize>, body: &str| {
        // The address is whole when another field follows it.
        let url = body.split_inclusive('&').find_map(|field| field.strip_prefix("u=")?.strip_suffix('&').map(decode));
        Err(LinkError::Cut { have, want, url })
    };
    // "#1", "#1&" and "#1&z" are what is left of a link when almost nothing is.
    if matches!(rest.trim_end_matches(is_trailing_punctuation), "" | "z") {
        return cut(None, "");
    }
    let Some(checked) = rest.strip_prefix("z=") else { return Ok(rest) };
    let (check, body) = checked.split_once('&').unwrap_or((checked, ""));
    let ends_here = checked.len() == check.len();
    let (length, sum) = check.split_once('.').unwrap_or((check, ""));
    let (digits, after_sum) = sum.split_at_checked(8).unwrap_or((sum, ""));
    let sum = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 8);
    let (Ok(length), Some(sum)) = (length.parse::<usize>(), sum) else {
        if ends_here {
            return cut(None, "");
        }
        notes.push(LinkNote::Changed);
        return Ok(body);
    };
    if !ends_here && !after_sum.is_empty() {
        notes.push(LinkNote::Changed);
        return Ok(body);
    }
    let fits = |part: &str| crc32(part.as_bytes()) == sum;
    if let Some(part) = body.get(..length).filter(|part| fits(part)) {
        // When nothing follows the check sum, what was put behind the link stands behind the check sum.
        let trailing = if ends_here { after_sum } else { body.get(length..).unwrap_or_default() };
        if !trailing.chars().all(is_trailing_punctuation) {
            notes.push(LinkNote::Trailing { text: trailing.to_owned() });
        }
        return Ok(part);
    }
    if fits(body) {
        // Only the stated length was changed.
        notes.push(LinkNote::Changed);
        return Ok(body);
    }
    // A link ends in a letter or digit, so punctuation at its end was put there.
    let left = body.trim_end_matches(is_trailing_punctuation).trim_end_matches("%E2%80%A6");
    if left.len() < length {
        let before = text.len() - body.len();
        return cut(Some(before + length), body);
    }
    notes.push(LinkNote::Changed);
    Ok(left)
}

/// Makes a [`Link`] of the fields of the current format.
fn read(fields: &Fields, notes: &mut Vec<LinkNote>, limits: &Limits, len: usize) -> Result<Link, LinkError> {
    let mut bad =
        |what: &str, value: &str| notes.push(LinkNote::BadValue { what: what.to_owned(), value: value.to_owned() });
    let mut link =
        Link { file: fields.text("f"), question: fields.text("q"), search: fields.text("/"), ..Link::default() };
    link.notes = fields.text("s");
    link.replay_version = fields.text("v");
    // By hand, and out of chat programs, numbers come with punctuation behind them.
    let trimmed = |key: &str| fields.text(key).map(|value| value.trim_end_matches(is_trailing_punctuation).to_owned());
    if let Some(value) = trimmed("p") {
        link.position = value.parse().ok().filter(|position| *position >= 1);
        if link.position.is_none() {
            bad("position (a number from 1 on)", &value);
        }
    }
    if let Some(value) = trimmed("r") {
        let range = value.split_once('-').and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
        link.range = range.filter(|(first, last): &(u64, u64)| *first >= 1 && first <= last);
        if link.range.is_none() {
            bad("range (two numbers from 1 on, such as 10-200)", &value);
        }
    }
    if let Some(value) = trimmed("b") {
        for line in value.split(',').filter(|line| !line.is_empty()) {
            match line.parse() {
                Ok(line) => link.breakpoints.push(line),
                Err(_) => bad("line for a breakpoint", line),
            }
        }
    }
    link.selected = fields.get("m").map(read_name);
    if let Some(value) = fields.get("k") {
        link.pins = value.split(',').map(read_name).collect();
    }
    if let Some(value) = trimmed("t") {
        link.theme = match value.as_str() {
            "light" => Some(Theme::Light),
            "dark" => Some(Theme::Dark),
            _ => {
                bad("theme (light or dark)", &value);
                None
            }
        };
    }
    for (source, [u, h, n, cn, d, c]) in
        [(&mut link.source, ["u", "h", "n", "cn", "d", "c"]), (&mut link.second, ["u2", "h2", "n2", "cn2", "d2", "c2"])]
    {
        if let Some(data) = fields.get(d) {
            let data = unpack(&decode(data), limits, len)?;
            let code = match fields.get(c) {
                Some(code) => Some((fields.text(cn).unwrap_or_default(), unpack(&decode(code), limits, len)?)),
                None => None,
            };
            *source = Source::Inline { name: fields.text(n).unwrap_or_default(), data, code };
        } else if let Some(url) = fields.text(u) {
            let sum = trimmed(h);
            let sha256 = sum.as_deref().and_then(read_sha256);
            if let Some(sum) = sum.filter(|_| sha256.is_none()) {
                // Without the hash nothing says that the bytes are the sender's, so this is no small matter.
                return Err(LinkError::Damaged {
                    what: format!(
                        "{sum:?} is no SHA-256, and without it nothing tells whether the recording is the sender's"
                    ),
                });
            }
            *source = Source::Url { url, sha256 };
        }
    }
    let unknown: Vec<String> =
        fields.0.iter().map(|(key, _)| key.clone()).filter(|key| !KEYS.contains(&key.as_str())).collect();
    notes.extend(open_address(fields));
    if !unknown.is_empty() {
        notes.push(LinkNote::UnknownKeys { keys: unknown });
    }
    Ok(link)
}

/// Notices an address whose own `&` were not encoded: it holds a bare `?`, which [`write`] never leaves, and other fields
/// follow it.
fn open_address(fields: &Fields) -> Option<LinkNote> {
    let at = fields.0.iter().position(|(key, value)| (key == "u" || key == "u2") && value.contains('?'))?;
    let (_, url) = fields.0.get(at)?;
    let keys: Vec<String> = fields.0.iter().skip(at + 1).map(|(key, _)| key.clone()).collect();
    (!keys.is_empty()).then(|| LinkNote::UnencodedAmpersand { url: decode(url), keys })
}

fn read_sha256(text: &str) -> Option<[u8; 32]> {
    let mut sum = [0; 32];
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != sum.len() || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in sum.iter_mut().zip(pairs) {
        let digits =
            std::str::from_utf8(pair).ok().filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(sum)
}

/// `name`, or `function:name`; `:` and `,` inside either are encoded.
fn write_name(name: &Pin) -> String {
    match &name.function {
        Some(function) => format!("{}:{}", encode(function, ":,"), encode(&name.name, ":,")),
        None => encode(&name.name, ":,"),
    }
}

fn read_name(text: &str) -> Pin {
    match text.split_once(':') {
        Some((function, name)) => Pin { function: Some(decode(function)), name: decode(name) },
        None => Pin { function: None, name: decode(text) },
    }
}

/// Percent-encodes everything but letters, digits, `- _ .`, and of `/ : , @` those that are not in `also`.
///
/// Blanks, quotes, brackets, `*`, `~` and the like are legal in a fragment or not, but mean something to chat programs.
fn encode(text: &str, also: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let plain = character.is_ascii_alphanumeric()
            || "-_.".contains(character)
            || ("/:,@".contains(character) && !also.contains(character));
        if plain {
            out.push(character);
        } else {
            for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    // What ends in punctuation would lose it on its way, when the link ends there.
    match out.chars().next_back() {
        Some(last) if is_trailing_punctuation(last) => {
            out.pop();
            out.push_str(&format!("%{:02X}", last as u32));
            out
        }
        _ => out,
    }
}

/// Undoes percent-encoding. A `%` that begins none stands for itself; bytes that are no UTF-8 become U+FFFD.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let value = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match value.filter(|_| *byte == b'%') {
            Some(value) => {
                out.push(value);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

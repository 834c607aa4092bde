//! The writer: `json.dumps(value, sort_keys=True)` and its relatives.

use super::MAX_INT_DIGITS;
use crate::trace::error::PyError;
use crate::trace::text::Text;
use crate::trace::value::{Array, Float, Int, Key, Object, Value};

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `json.dumps(value, sort_keys=True)`: separators `", "` and `": "`, NaN and the infinities by name.
    Dumps,
    /// Sorted, separators `","` and `":"`, NaN and the infinities by name.
    Compact,
    /// The text that mixle's `diff` compares: as [`Layout::Compact`], but a NaN or an infinity is refused.
    Canonical,
    /// To show: keys in the order of the document and floats as the document spelled them; two blanks of indent a level.
    Verbatim,
}

/// A float as Python's `repr` writes it.
///
/// Shortest digits that read back as the same double; the exponent form below 1e-4 and from 1e16 up, with a sign and at least two
/// digits. `NaN`, `Infinity` and `-Infinity` as `json` spells them.
pub fn python_float(value: f64) -> String {
    let mut out = String::new();
    push_float(&mut out, value);
    out
}

/// Appends what [`python_float`] gives, without an allocation of its own.
pub(crate) fn push_float(out: &mut String, value: f64) {
    use std::fmt::Write as _;
    if value.is_nan() {
        return out.push_str("NaN");
    }
    if value.is_sign_negative() {
        out.push('-');
    }
    if value.is_infinite() {
        return out.push_str("Infinity");
    }
    // Rust writes the shortest digits too: `1.2345e-7`. Writing to a String cannot fail.
    let start = out.len();
    let _ = write!(out, "{:e}", value.abs());
    let shortest = out.get(start..).unwrap_or_default();
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mut buf = [0_u8; 20];
    let mut len = 0;
    for (slot, digit) in buf.iter_mut().zip(mantissa.bytes().filter(|b| *b != b'.')) {
        *slot = digit;
        len += 1;
    }
    out.truncate(start);
    let digits = std::str::from_utf8(buf.get(..len).unwrap_or_default()).unwrap_or("0");
    let even = tie_to_even(value.abs(), digits, exponent);
    let digits = even.as_deref().unwrap_or(digits);
    if !(-4..16).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        let mark = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "e{mark}{:02}", exponent.unsigned_abs());
    } else if exponent < 0 {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', exponent.unsigned_abs() as usize - 1));
        out.push_str(digits);
    } else {
        let whole = exponent as usize + 1;
        let (left, right) = digits.split_at(whole.min(digits.len()));
        out.push_str(left);
        out.extend(std::iter::repeat_n('0', whole.saturating_sub(digits.len())));
        out.push('.');
        out.push_str(if right.is_empty() { "0" } else { right });
    }
}

/// Where two shortest spellings are equally near, Python takes the one with an even last digit and Rust does not always: the
/// digits to use instead, if there are any.
///
/// The last digit stands for 10^p. With value = m * 2^e, m odd, the value lies half-way between two multiples of 10^p exactly when
/// value * 2 / 10^p is an odd integer, that is when e = p - 1 and 5^p divides m (or p is not above 0).
fn tie_to_even(value: f64, digits: &str, exponent: i32) -> Option<String> {
    let bits = value.to_bits();
    let biased = (bits >> 52) as i32;
    let (fraction, base) =
        if biased == 0 { (bits, -1074) } else { ((bits & ((1 << 52) - 1)) | (1 << 52), biased - 1075) };
    let zeros = fraction.trailing_zeros();
    let (m, e) = (fraction.checked_shr(zeros)?, base + i32::try_from(zeros).ok()?);
    let p = exponent - (i32::try_from(digits.len()).ok()? - 1);
    if e != p - 1 {
        return None;
    }
    let five = 5_u128.checked_pow(p.unsigned_abs())?;
    let doubled = if p <= 0 {
        u128::from(m).checked_mul(five)?
    } else {
        (u128::from(m) % five == 0).then(|| u128::from(m) / five)?
    };
    // The even one of the two neighbours of doubled / 2.
    let low = doubled / 2;
    let even = (low + (low & 1)).to_string();
    let reads_back = format!("{even}e{p}").parse() == Ok(value);
    (even.len() == digits.len() && reads_back).then_some(even)
}

/// Writes a value as JSON. The result is ASCII.
///
/// # Errors
/// What Python raises: `ValueError` for an integer of more than 4300 digits and, with [`Layout::Canonical`], for NaN and the
/// infinities; `TypeError` when the keys of an object do not compare. Mixle turns each of these into its own sentence for
/// the canonical text; see [`crate::trace::canonical`].
pub fn to_json(value: &Value, layout: Layout) -> Result<String, PyError> {
    let mut out = String::new();
    write_value(&mut out, value, layout)?;
    Ok(out)
}

/// Appends a value; see [`to_json`].
pub(crate) fn write_value(out: &mut String, value: &Value, layout: Layout) -> Result<(), PyError> {
    Writer { out, layout }.write(Some(value), &mut Vec::new())
}

/// Appends an object; see [`to_json`].
pub(crate) fn write_object(out: &mut String, object: &Object, layout: Layout) -> Result<(), PyError> {
    let mut writer = Writer { out, layout };
    let mut open = Vec::new();
    writer.open_object(object, &mut open)?;
    writer.write(None, &mut open)
}

struct Writer<'o> {
    out: &'o mut String,
    layout: Layout,
}

/// A list or an object that is being written: the open levels are kept here, not on the stack.
enum Open<'a> {
    Values(std::slice::Iter<'a, Value>, bool),
    Entries(std::vec::IntoIter<(&'a Key, &'a Value)>, bool),
}

impl Writer<'_> {
    /// Writes `next`, and then what is open, to its end.
    fn write<'a>(&mut self, mut next: Option<&'a Value>, open: &mut Vec<Open<'a>>) -> Result<(), PyError> {
        loop {
            if let Some(value) = next.take() {
                match value {
                    Value::Array(array) => self.open_array(array, open),
                    Value::Object(object) => self.open_object(object, open)?,
                    scalar => self.scalar(scalar)?,
                }
            }
            let depth = open.len();
            let Some(top) = open.last_mut() else { return Ok(()) };
            match top {
                Open::Values(items, started) => match items.next() {
                    Some(item) => {
                        self.separate(*started, depth);
                        *started = true;
                        next = Some(item);
                    }
                    None => {
                        self.newline(depth - 1, *started);
                        self.out.push(']');
                        open.pop();
                    }
                },
                Open::Entries(entries, started) => match entries.next() {
                    Some((key, item)) => {
                        self.separate(*started, depth);
                        *started = true;
                        self.key(key)?;
                        self.out.push_str(match self.layout {
                            Layout::Dumps | Layout::Verbatim => ": ",
                            Layout::Compact | Layout::Canonical => ":",
                        });
                        next = Some(item);
                    }
                    None => {
                        self.newline(depth - 1, *started);
                        self.out.push('}');
                        open.pop();
                    }
                },
            }
        }
    }

    fn separate(&mut self, started: bool, depth: usize) {
        if started {
            self.out.push_str(if self.layout == Layout::Dumps { ", " } else { "," });
        }
        self.newline(depth, true);
    }

    fn newline(&mut self, depth: usize, wanted: bool) {
        if wanted && self.layout == Layout::Verbatim {
            self.out.push('\n');
            for _ in 0..depth {
                self.out.push_str("  ");
            }
        }
    }

    fn open_array<'a>(&mut self, array: &'a Array, open: &mut Vec<Open<'a>>) {
        self.out.push('[');
        if let Some(values) = array.as_values() {
            open.push(Open::Values(values.iter(), false));
            return;
        }
        // Words stay on one line in every layout: 624 lines would hide the rest.
        let comma = if matches!(self.layout, Layout::Dumps | Layout::Verbatim) { ", " } else { "," };
        for (i, word) in array.as_words().map(|w| w.iter()).into_iter().flatten().enumerate() {
            if i > 0 {
                self.out.push_str(comma);
            }
            push_word(self.out, *word);
        }
        self.out.push(']');
    }

    fn open_object<'a>(&mut self, object: &'a Object, open: &mut Vec<Open<'a>>) -> Result<(), PyError> {
        self.out.push('{');
        let mut entries: Vec<(&Key, &Value)> = object.iter().collect();
        if self.layout != Layout::Verbatim {
            sort_keys(&mut entries)?;
        }
        open.push(Open::Entries(entries.into_iter(), false));
        Ok(())
    }

    fn scalar(&mut self, value: &Value) -> Result<(), PyError> {
        match value {
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Int(int) => self.int(int)?,
            Value::Float(float) => self.float(float)?,
            Value::Text(text) => push_text(self.out, text),
            Value::Null | Value::Array(_) | Value::Object(_) => self.out.push_str("null"),
        }
        Ok(())
    }

    fn int(&mut self, int: &Int) -> Result<(), PyError> {
        use std::fmt::Write as _;
        if self.layout != Layout::Verbatim && int.digit_count() > MAX_INT_DIGITS {
            return Err(PyError::new(
                "ValueError",
                "Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit",
            ));
        }
        // Writing to a String cannot fail.
        let _ = write!(self.out, "{int}");
        Ok(())
    }

    fn float(&mut self, float: &Float) -> Result<(), PyError> {
        if self.layout == Layout::Canonical && !float.get().is_finite() {
            return Err(PyError::new("ValueError", "Out of range float values are not JSON compliant"));
        }
        match float.spelled() {
            Some(spelled) if self.layout == Layout::Verbatim => self.out.push_str(spelled),
            _ => push_float(self.out, float.get()),
        }
        Ok(())
    }

    fn key(&mut self, key: &Key) -> Result<(), PyError> {
        match key {
            Key::Text(text) => push_text(self.out, text),
            other => {
                self.out.push('"');
                self.scalar(&other.to_value())?;
                self.out.push('"');
            }
        }
        Ok(())
    }
}

/// Sorts as `sort_keys=True` does: by code point among text, by value among numbers.
pub(crate) fn sort_keys(entries: &mut [(&Key, &Value)]) -> Result<(), PyError> {
    if let Some(pair) = entries.windows(2).find(|p| matches!(p, [a, b] if a.0.python_cmp(b.0).is_none()))
        && let [earlier, later] = pair
    {
        return Err(PyError::new(
            "TypeError",
            format!(
                "'<' not supported between instances of '{}' and '{}'",
                later.0.to_value().type_name(),
                earlier.0.to_value().type_name()
            ),
        ));
    }
    entries.sort_by(|a, b| a.0.python_cmp(b.0).unwrap_or(std::cmp::Ordering::Equal));
    Ok(())
}

/// Appends a number below 2^32 in decimal.
fn push_word(out: &mut String, word: u32) {
    let mut digits = [0_u8; 10];
    let mut at = digits.len();
    let mut rest = word;
    loop {
        at -= 1;
        if let Some(slot) = digits.get_mut(at) {
            *slot = b'0' + (rest % 10) as u8;
        }
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend(digits.get(at..).unwrap_or_default().iter().map(|d| char::from(*d)));
}

/// Appends text in quotes, everything outside U+0020..U+007E escaped as Python's `ensure_ascii` does.
fn push_text(out: &mut String, text: &Text) {
    use std::fmt::Write as _;
    out.push('"');
    for c in text.code_points() {
        match c {
            0x22 => out.push_str("\\\""),
            0x5C => out.push_str("\\\\"),
            0x0A => out.push_str("\\n"),
            0x0D => out.push_str("\\r"),
            0x09 => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            0x20..=0x7E => out.push(char::from(c as u8)),
            0..=0xFFFF => {
                let _ = write!(out, "\\u{c:04x}");
            }
            _ => {
                let c = c - 0x10000;
                let _ = write!(out, "\\u{:04x}\\u{:04x}", 0xD800 + (c >> 10), 0xDC00 + (c & 0x3FF));
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    #![allow(clippy::excessive_precision)]
    use super::*;

    #[test]
    fn half_way_digits_go_to_even_as_in_python() {
        // Exactly 900719925474099.25 and …8.75: both neighbours read back, Python writes the even one.
        assert_eq!(python_float(900719925474099.25), "900719925474099.2");
        assert_eq!(python_float(900719925474098.75), "900719925474098.8");
        assert_eq!(python_float(-900719925474099.25), "-900719925474099.2");
        assert_eq!(python_float(5e-324), "5e-324");
        assert_eq!(python_float(0.0), "0.0");
        assert_eq!(python_float(9007199254740993.0), "9007199254740992.0");
        assert_eq!(python_float(1e16), "1e+16");
        assert_eq!(python_float(1.5e-5), "1.5e-05");
    }
}

//! The text tools.
//!
//! Invariant: case and whitespace are those of Unicode 14, whatever the compiler knows.

use sha2::Digest as _;
use tapedeck_core::trace::json::{Layout, to_json};
use tapedeck_core::trace::{Int, Key, Object, Text, TextBuf, Value, unicode14};

use crate::error::ToolError;
use crate::registry::Call;

/// Cells of the edit-distance table: about ten seconds of work.
const MAX_CELLS: usize = 4_000_000_000;

/// The text argument, or the `AttributeError` of calling a method of `str` on something else.
fn text_for<'a>(value: &'a Value, method: &str) -> Result<&'a Text, ToolError> {
    value.as_text().ok_or_else(|| {
        ToolError::raised("AttributeError", format!("'{}' object has no attribute '{method}'", value.type_name()))
    })
}

pub(crate) fn uppercase(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let text = text_for(call.arg(0), "upper")?;
    Ok(Value::Text(text.code_points().flat_map(unicode14::to_uppercase).collect()))
}

pub(crate) fn slugify(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let text = text_for(call.arg(0), "lower")?;
    let mut slug = String::new();
    let mut gap = false;
    for c in text.code_points().flat_map(unicode14::to_lowercase) {
        match char::from_u32(c) {
            Some(c @ ('a'..='z' | '0'..='9')) => {
                if gap && !slug.is_empty() {
                    slug.push('-');
                }
                gap = false;
                slug.push(c);
            }
            _ => gap = true,
        }
    }
    Ok(Value::text(slug))
}

/// Maximal runs of what is no whitespace.
fn words(text: &Text) -> Vec<Text> {
    let mut words = Vec::new();
    let mut word = TextBuf::default();
    let mut open = false;
    for c in text.code_points() {
        if unicode14::is_whitespace(c) {
            if open {
                words.push(std::mem::take(&mut word).finish());
            }
            open = false;
        } else {
            word.push(c);
            open = true;
        }
    }
    if open {
        words.push(word.finish());
    }
    words
}

fn count(n: usize) -> Value {
    Value::int(i64::try_from(n).unwrap_or(i64::MAX))
}

pub(crate) fn word_count(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let text = text_for(call.arg(0), "split")?;
    let words = words(text);
    let unique: std::collections::BTreeSet<&Text> = words.iter().collect();
    Ok(Value::object([
        ("words", count(words.len())),
        ("chars", count(text.code_point_count())),
        ("unique", count(unique.len())),
    ]))
}

pub(crate) fn length_histogram(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let mut lengths: Vec<usize> = words(text_for(call.arg(0), "split")?).iter().map(Text::code_point_count).collect();
    lengths.sort_unstable();
    let mut histogram = Object::new();
    for run in lengths.chunk_by(|a, b| a == b) {
        let length = run.first().copied().unwrap_or(0) as i64;
        histogram.insert(Key::Int(Int::from(length)), count(run.len()));
    }
    Ok(Value::from(histogram))
}

/// The UTF-8 of a text.
///
/// # Errors
/// Python's `UnicodeEncodeError` for its first run of surrogates.
pub(crate) fn utf8(text: &Text) -> Result<&[u8], ToolError> {
    if text.as_str().is_some() {
        return Ok(text.as_bytes());
    }
    let is_surrogate = |c: &u32| (0xD800..0xE000).contains(c);
    let points: Vec<u32> = text.code_points().collect();
    let start = points.iter().position(is_surrogate).unwrap_or(0);
    let run = points.iter().skip(start).take_while(|c| is_surrogate(c)).count();
    let first = points.get(start).copied().unwrap_or(0);
    let what = if run > 1 {
        format!("characters in position {start}-{}", start + run - 1)
    } else {
        format!("character '\\u{first:04x}' in position {start}")
    };
    Err(ToolError::raised("UnicodeEncodeError", format!("'utf-8' codec can't encode {what}: surrogates not allowed")))
}

pub(crate) fn sha256_hex(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let bytes = utf8(text_for(call.arg(0), "encode")?)?;
    let hex: String = sha2::Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
    Ok(Value::text(hex))
}

/// The items of a sequence as Python iterates them.
fn sequence(value: &Value) -> Result<Vec<Value>, ToolError> {
    match value {
        Value::Text(text) => Ok(text.code_points().map(|c| Value::Text([c].into_iter().collect())).collect()),
        Value::Array(array) => Ok(array.to_vec()),
        other => {
            let message = format!("object of type '{}' has no len()", other.type_name());
            Err(ToolError::raised("TypeError", message))
        }
    }
}

pub(crate) fn levenshtein(call: &mut Call<'_>) -> Result<Value, ToolError> {
    if let (Some(a), Some(b)) = (call.arg(0).as_text(), call.arg(1).as_text()) {
        let (a, b): (Vec<u32>, Vec<u32>) = (a.code_points().collect(), b.code_points().collect());
        return distance(&a, &b, |a, b| a == b);
    }
    let (a, b) = (sequence(call.arg(0))?, sequence(call.arg(1))?);
    distance(&a, &b, Value::python_eq)
}

fn distance<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> Result<Value, ToolError> {
    if a.len().saturating_mul(b.len()) > MAX_CELLS {
        return Err(ToolError::Refused(format!(
            "the edit distance of {} and {} characters takes longer than is allowed here",
            a.len(),
            b.len()
        )));
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (slot, y) in row.iter_mut().skip(1).zip(b) {
            let cost = diagonal + usize::from(!same(x, y));
            diagonal = *slot;
            left = cost.min(left + 1).min(diagonal + 1);
            *slot = left;
        }
    }
    Ok(count(row.last().copied().unwrap_or(0)))
}

pub(crate) fn json_sort(call: &mut Call<'_>) -> Result<Value, ToolError> {
    Ok(Value::text(to_json(call.arg(0), Layout::Compact)?))
}

pub(crate) fn echo(call: &mut Call<'_>) -> Result<Value, ToolError> {
    Ok(Value::from(call.all()))
}

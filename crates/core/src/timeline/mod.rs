//! The timeline without a browser: scale, slices, layout, hit test, gestures, painting through a trait.
//!
//! Distances are CSS pixels (`f64`) everywhere but in [`paint`], which works in device pixels so that edges are sharp.
//! Horizontal places are positions (`f64`, 0-based; position `p` covers `p..p+1`).
//!
//! Invariant: what is done for one animation frame depends on the pixels and the lanes, never on the number of records.
//! Invariant: nothing here names a browser; a [`paint::Painter`] draws, a [`gesture::Gestures`] is told what the pointer does.

pub mod bitmap;
pub mod gesture;
pub mod hit;
pub mod layout;
pub mod paint;
pub mod pyramid;
pub mod scale;
pub mod slice;

pub use gesture::{Gestures, Input, Outcome};
pub use hit::{Spot, spot_at};
pub use layout::{Lane, Layout, LayoutSpec};
pub use scale::{Range, Scale};
pub use slice::Slicer;

use crate::model::Pos;

/// A number with thousands separators, as the page writes it: `1,083`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// What assistive technology reads for the timeline: `870 of 1,083, line 10, in read_sensor`.
///
/// `line` and `function` must belong to `pos`; pass `None` while they are not known, so that no mixture is ever said.
pub fn value_text(pos: Pos, positions: u32, line: Option<i32>, function: Option<&str>) -> String {
    if positions == 0 {
        return "no positions".to_owned();
    }
    let mut out = format!("{} of {}", grouped(pos.one_based()), grouped(u64::from(positions)));
    if let Some(line) = line {
        out.push_str(&format!(", line {line}"));
    }
    if let Some(function) = function {
        out.push_str(&format!(", in {function}"));
    }
    out
}

/// A number for people, all of its digits: the shortest text that reads back as the same number.
pub fn number_text(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || !number.is_finite() || (1e-5..1e17).contains(&size) {
        format!("{number}")
    } else {
        format!("{number:e}")
    }
}

/// [`number_text`] in at most `max_chars` characters (at least 4): digits that do not fit are cut, never rounded, and `…`
/// says so. The part before the point and the exponent are always kept.
pub fn short_number_text(number: f64, max_chars: usize) -> String {
    let text = number_text(number);
    if text.chars().count() <= max_chars {
        return text;
    }
    let (mantissa, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    let whole = mantissa.find('.').unwrap_or(mantissa.len());
    let keep = max_chars.saturating_sub(1 + exponent.len()).max(whole).min(mantissa.len());
    let (kept, cut) = mantissa.split_at(keep);
    if cut.is_empty() {
        return text;
    }
    format!("{}…{exponent}", kept.strip_suffix('.').unwrap_or(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        let cases = [
            (0, "0"),
            (7, "7"),
            (999, "999"),
            (1000, "1,000"),
            (1083, "1,083"),
            (123_456, "123,456"),
            (10_000_000, "10,000,000"),
        ];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn value_text_says_only_what_is_known() {
        assert_eq!(value_text(Pos(869), 1083, Some(10), Some("read_sensor")), "870 of 1,083, line 10, in read_sensor");
        assert_eq!(value_text(Pos(0), 1083, Some(3), None), "1 of 1,083, line 3");
        assert_eq!(value_text(Pos(1082), 1083, None, None), "1,083 of 1,083");
        assert_eq!(value_text(Pos(0), 0, Some(1), Some("f")), "no positions");
    }

    #[test]
    fn numbers_keep_every_digit() {
        let cases = [
            (23.706_786_830_607_637, "23.706786830607637"),
            (-0.0, "-0"),
            (1e300, "1e300"),
            (-2.5e-7, "-2.5e-7"),
            (1e16, "10000000000000000"),
        ];
        for (number, text) in cases {
            assert_eq!(number_text(number), text);
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(number.to_bits()));
        }
    }

    #[test]
    fn a_short_number_is_cut_not_rounded() {
        assert_eq!(short_number_text(25.949_99, 6), "25.94…");
        assert_eq!(short_number_text(10.0, 6), "10");
        assert_eq!(short_number_text(123_456_789.5, 6), "123456789…");
        assert_eq!(short_number_text(1.234_567e300, 8), "1.2…e300");
        assert_eq!(short_number_text(-3.150_000_000_000_000_4, 7), "-3.150…");
        assert_eq!(short_number_text(123_456_789.0, 6), "123456789");
    }
}

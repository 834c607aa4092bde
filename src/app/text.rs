//! The words of the page: numbers as people read them, and every sentence that more than one place says.
//!
//! Invariant: nothing here rounds a recorded value; only counts and sizes are formatted.

use tapedeck_core::model::Pos;
use tapedeck_core::model::protocol::{InputCategory, Label};

/// A count with a comma every three digits: `1,083`.
pub use tapedeck_core::timeline::grouped as count;

/// A count with its noun: `1 issue`, `2 issues`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// A size in bytes, KB, MB or GB (powers of 1,000, one decimal below 10): `22 KB`.
pub fn size(bytes: f64) -> String {
    let mut value = bytes;
    for unit in ["bytes", "KB", "MB"] {
        if value < 999.5 {
            return match unit {
                "bytes" if bytes == 1.0 => "1 byte".to_owned(),
                "bytes" => format!("{value:.0} bytes"),
                _ if value < 9.95 => format!("{value:.1} {unit}"),
                _ => format!("{value:.0} {unit}"),
            };
        }
        value /= 1000.0;
    }
    if value < 9.95 { format!("{value:.1} GB") } else { format!("{value:.0} GB") }
}

/// Where a position is: `870 of 1,083`.
pub fn place(pos: Pos, positions: u32) -> String {
    format!("{} of {}", count(pos.one_based()), count(u64::from(positions)))
}

/// The class that colours a label's chip.
pub fn label_class(label: Label) -> &'static str {
    match label {
        Label::Oscillating => "lab lab-oscillating",
        Label::Diverging => "lab lab-diverging",
        Label::Improving => "lab lab-improving",
        Label::Converged => "lab lab-converged",
        Label::Equilibrium => "lab lab-equilibrium",
        Label::Stable => "lab lab-stable",
        Label::Moving => "lab lab-moving",
    }
}

/// What a label says about a binding, for a tooltip.
pub fn label_meaning(label: Label) -> &'static str {
    match label {
        Label::Oscillating => "goes back and forth",
        Label::Diverging => "moves away by steps that do not shrink",
        Label::Improving => "moves by shrinking steps in one direction",
        Label::Converged => "has all but stopped changing",
        Label::Equilibrium => "varies around a fixed point",
        Label::Stable => "changes by less than 1 % a step",
        Label::Moving => "changes, without a pattern",
    }
}

/// The class that colours an input category's mark.
pub fn category_class(category: InputCategory) -> &'static str {
    match category {
        InputCategory::Random => "cat cat-random",
        InputCategory::Time => "cat cat-time",
        InputCategory::Files => "cat cat-env",
        InputCategory::Process => "cat cat-proc",
        InputCategory::Http | InputCategory::Network => "cat cat-net",
        InputCategory::Media | InputCategory::Model | InputCategory::Unknown => "cat cat-other",
    }
}

/// Whether a name ends as that of an EigenScript source.
pub fn is_source_name(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".eigs")
}

/// Said under the door and in the footer.
pub const PRIVATE: &str = "Everything stays in this browser. Nothing is uploaded.";

/// Said where calls are shown (a call that assigns nothing leaves no record).
pub const FRAMES_NOTE: &str = "Calls that assign nothing are not on the tape.";

/// Said where visits are shown (hot functions are compiled after about 49 calls and then leave no records).
pub const VISITS_NOTE: &str =
    "Visits on the tape, at least: functions that EigenScript compiles while running leave no records.";

/// Said beside the line of an assignment (a right-hand side that calls carries the callee's last line).
pub const RECORDED_AT_NOTE: &str = "The line at which the record was written; when the right-hand side calls a function, that is the callee's last line.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_commas() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1083), "1,083");
        assert_eq!(count(10_000_000), "10,000,000");
        assert_eq!(counted(1, "issue"), "1 issue");
        assert_eq!(counted(2, "issue"), "2 issues");
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(size(1.0), "1 byte");
        assert_eq!(size(999.0), "999 bytes");
        assert_eq!(size(22_131.0), "22 KB");
        assert_eq!(size(1_500_000.0), "1.5 MB");
        assert_eq!(size(999_999.0), "1.0 MB");
        assert_eq!(size(4_294_967_296.0), "4.3 GB");
    }

    #[test]
    fn positions_are_counted_from_one() {
        assert_eq!(place(Pos(869), 1083), "870 of 1,083");
    }

    #[test]
    fn sources_are_known_by_name() {
        assert!(is_source_name("Thermostat.EIGS"));
        assert!(!is_source_name("thermostat.tape"));
    }
}

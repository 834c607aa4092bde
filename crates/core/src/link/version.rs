//! The format's number, and how links of older formats become links of this one.

use super::fields::Fields;

/// The format that this Tapedeck writes. Links in tests/links/ keep every format that ever was readable.
pub const CURRENT: u32 = 1;

/// One step: from the format of its place in [`UPGRADES`] plus one to the next.
pub(super) type Upgrade = fn(Fields) -> Fields;

/// `UPGRADES[n]` turns the fields of format `n + 1` into those of format `n + 2`. When [`CURRENT`] grows, a step is added
/// here and none is ever changed; the array's length makes sure of the first.
pub(super) const UPGRADES: [Upgrade; CURRENT as usize - 1] = [];

/// Takes the fields of format `version` through every step up to the format behind the last of `steps`.
pub(super) fn upgrade(version: u32, fields: Fields, steps: &[Upgrade]) -> Fields {
    let done = (version as usize).saturating_sub(1);
    steps.iter().skip(done).fold(fields, |fields, step| step(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_from_the_links_format_on_is_taken_in_order() {
        let steps: [Upgrade; 3] = [
            |mut fields| {
                fields.push("a", "1");
                fields
            },
            |mut fields| {
                fields.push("b", "2");
                fields
            },
            |mut fields| {
                fields.push("c", "3");
                fields
            },
        ];
        let keys = |version| upgrade(version, Fields::default(), &steps).keys().collect::<Vec<_>>().join("");
        assert_eq!([keys(1), keys(2), keys(3), keys(4)], ["abc", "bc", "c", ""]);
    }
}

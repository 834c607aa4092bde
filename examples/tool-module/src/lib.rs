//! An example of a tool module: four tools, each a plain function.
//!
//! `cargo build --release -p tool-module --target wasm32-unknown-unknown`, then drop `tool_module.wasm` on the page.

use tapedeck_tool::{Failure, Rng, tools};

tools! {
    name: "example", version: env!("CARGO_PKG_VERSION");

    /// Degrees Fahrenheit of degrees Celsius.
    fn fahrenheit(celsius: f64) -> f64 {
        celsius * 9.0 / 5.0 + 32.0
    }

    /// The first letter of each word; fails when there is no word.
    fn initials(text: String, separator: Option<String>) -> Result<String, Failure> {
        let initials: Vec<String> =
            text.split_whitespace().filter_map(|word| word.chars().next()).map(String::from).collect();
        if initials.is_empty() {
            return Err(Failure::new("ValueError", "the text has no words"));
        }
        Ok(initials.join(&separator.unwrap_or_default()))
    }

    /// Throws n dice of a generator that is seeded for this call.
    fn dice(n: u32, seed: u32) -> Vec<u64> {
        let rng = Rng::seeded(seed);
        (0..n.min(1_000_000)).map(|_| 1 + rng.below(6)).collect()
    }

    /// Draws n numbers of the step's own Python generator, which moves on.
    fn draw(n: u32, rng: Rng) -> Vec<f64> {
        (0..n.min(1_000_000)).map(|_| rng.random()).collect()
    }
}

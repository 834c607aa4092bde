//! Standard output and standard error: colours only on a terminal, and a closed pipe is no failure.

use std::io::{IsTerminal, Write};

/// What is printed, collected and then written at once.
#[derive(Debug, Default)]
pub(crate) struct Out {
    text: Vec<u8>,
    colours: bool,
}

impl Out {
    pub(crate) fn new() -> Self {
        // NO_COLOR is what people set who want none (no-color.org).
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { text: Vec::new(), colours: wanted && std::io::stdout().is_terminal() }
    }

    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        self.text.extend_from_slice(text.as_ref().as_bytes());
        self.text.push(b'\n');
    }

    /// A line that stands out.
    pub(crate) fn heading(&mut self, text: impl AsRef<str>) {
        if self.colours {
            self.line(format!("\u{1b}[1m{}\u{1b}[0m", text.as_ref()));
        } else {
            self.line(text);
        }
    }

    /// A line about something that is wrong.
    pub(crate) fn bad(&mut self, text: impl AsRef<str>) {
        if self.colours {
            self.line(format!("\u{1b}[31m{}\u{1b}[0m", text.as_ref()));
        } else {
            self.line(text);
        }
    }

    pub(crate) fn json(&mut self, value: &serde_json::Value) {
        self.line(value.to_string());
    }

    /// Writes it. Whoever reads may have gone (`| head`); then there is nobody to tell.
    pub(crate) fn print(self) {
        let _ = std::io::stdout().write_all(&self.text);
    }
}

/// Tells a failure on standard error.
pub(crate) fn error(text: &str) {
    let _ = writeln!(std::io::stderr(), "tapedeck: {text}");
}

/// A remark on standard error, beside what is printed.
pub(crate) fn remark(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A number with commas between its thousands, as the page shows it.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(super::grouped(number), text);
        }
    }
}

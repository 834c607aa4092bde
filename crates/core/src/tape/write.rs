//! Writing tapes with the discipline of the real recorder: `L` is not repeated without an event between, `S` is written just
//! before an assignment and only when the frame changes, values are cut as the recorder cuts them.

use super::value::SHORT_STRING_BYTES;

/// The budget of one `N` value in bytes.
pub const INPUT_BUDGET: usize = 65_536;
/// The real recorder's buffer for an `S` record: what goes past it is cut, line feed included.
const SCOPE_RECORD_BYTES: usize = 127;

/// A value to be written.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// A number, written as C's `%.17g`.
    Number(f64),
    /// A string.
    Str(Vec<u8>),
    /// A list.
    List(Vec<Value>),
    /// A buffer of numbers.
    Buffer(Vec<f64>),
    /// A dict.
    Dict(Vec<(Vec<u8>, Value)>),
    /// A function.
    Function,
}

/// Writes a tape into memory.
#[derive(Debug, Default)]
pub struct TapeWriter {
    out: Vec<u8>,
    last_line: Option<i32>,
    last_serial: Option<u32>,
}

impl TapeWriter {
    /// A tape that begins with a session header of format 2.
    pub fn new(runtime: &str) -> Self {
        let mut writer = Self::default();
        writer.session(runtime);
        writer
    }

    /// Begins another session: what was deduplicated before is forgotten.
    pub fn session(&mut self, runtime: &str) {
        self.out.extend_from_slice(format!("V {} {runtime}\n", super::header::FORMAT).as_bytes());
        self.last_line = None;
        self.last_serial = None;
    }

    /// The program reaches a line.
    pub fn line(&mut self, line: i32) {
        if self.last_line != Some(line) {
            self.last_line = Some(line);
            self.out.extend_from_slice(format!("L {line}\n").as_bytes());
        }
    }

    /// A frame assigns a value to a name.
    pub fn assign(&mut self, frame: (&[u8], i32, u32), name: &[u8], value: &Value) {
        let mut text = Vec::new();
        short(value, &mut text);
        self.assign_text(frame, name, &text);
    }

    /// A frame (function, depth, serial) assigns a value that is spelled already.
    pub fn assign_text(&mut self, frame: (&[u8], i32, u32), name: &[u8], text: &[u8]) {
        let (function, depth, serial) = frame;
        if self.last_serial != Some(serial) {
            self.last_serial = Some(serial);
            let mut record = b"S ".to_vec();
            record.extend_from_slice(function);
            record.extend_from_slice(format!(" {depth} {serial}\n").as_bytes());
            record.truncate(SCOPE_RECORD_BYTES);
            self.out.extend_from_slice(&record);
        }
        self.record(b'A', name, text);
    }

    /// A builtin returns a nondeterministic value.
    pub fn input(&mut self, builtin: &[u8], value: &Value) {
        let mut text = Vec::new();
        full(value, &mut text);
        if text.len() >= INPUT_BUDGET {
            text.truncate(INPUT_BUDGET);
            text.extend_from_slice("…<truncated>".as_bytes());
        }
        self.input_text(builtin, &text);
    }

    /// A builtin returns a value that is spelled already.
    pub fn input_text(&mut self, builtin: &[u8], text: &[u8]) {
        self.record(b'N', builtin, text);
    }

    fn record(&mut self, kind: u8, name: &[u8], text: &[u8]) {
        self.out.extend_from_slice(&[kind, b' ']);
        self.out.extend_from_slice(name);
        self.out.push(b'=');
        self.out.extend_from_slice(text);
        self.out.push(b'\n');
        self.last_line = None;
    }

    /// Bytes written so far.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// The tape.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// Takes what was written so far, for a tape that is too large to hold; writing goes on behind it.
    pub fn take(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.out)
    }
}

/// The short form of an `A` record.
fn short(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Number(number) => out.extend_from_slice(percent_17g(*number).as_bytes()),
        Value::Str(string) => short_string(string, out),
        Value::List(items) => out.extend_from_slice(format!("<list:{}>", items.len()).as_bytes()),
        Value::Buffer(items) => out.extend_from_slice(format!("<buffer:{}>", items.len()).as_bytes()),
        Value::Dict(items) => out.extend_from_slice(format!("<dict:{}>", items.len()).as_bytes()),
        Value::Function => out.extend_from_slice(b"<fn>"),
    }
}

fn short_string(string: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let mut written = 0;
    for &byte in string {
        if written >= SHORT_STRING_BYTES {
            break;
        }
        let (escaped, width) = match byte {
            b'"' | b'\\' => ([b'\\', byte], 2),
            b'\n' => (*b"\\n", 2),
            b'\r' => (*b"\\r", 2),
            _ => ([byte, 0], 1),
        };
        out.extend_from_slice(escaped.get(..width).unwrap_or_default());
        written += width;
    }
    if string.len() > SHORT_STRING_BYTES {
        out.extend_from_slice("…".as_bytes());
    }
    out.push(b'"');
}

/// The full form of an `N` record. Once the budget is used up nothing more is written; the caller marks the cut.
fn full(value: &Value, out: &mut Vec<u8>) {
    if out.len() >= INPUT_BUDGET {
        return;
    }
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Number(number) => out.extend_from_slice(percent_17g(*number).as_bytes()),
        Value::Str(string) => full_string(string, out),
        Value::Function => out.extend_from_slice(b"<fn>"),
        Value::List(items) => listed(b"[", items, out, full),
        Value::Buffer(items) => listed(b"b[", items, out, |number, out| {
            out.extend_from_slice(percent_17g(*number).as_bytes());
        }),
        Value::Dict(items) => {
            out.push(b'{');
            for (i, (key, value)) in items.iter().enumerate() {
                if i > 0 {
                    out.extend_from_slice(b", ");
                }
                full_string(key, out);
                out.extend_from_slice(b": ");
                full(value, out);
            }
            out.push(b'}');
        }
    }
}

fn listed<T>(open: &[u8], items: &[T], out: &mut Vec<u8>, write: impl Fn(&T, &mut Vec<u8>)) {
    out.extend_from_slice(open);
    for (i, item) in items.iter().enumerate() {
        if out.len() >= INPUT_BUDGET {
            break;
        }
        if i > 0 {
            out.extend_from_slice(b", ");
        }
        write(item, out);
    }
    out.push(b']');
}

fn full_string(string: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in string {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            0..0x20 => out.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// A double as C's `%.17g` prints it.
pub fn percent_17g(number: f64) -> String {
    if number.is_nan() {
        return if number.is_sign_negative() { "-nan" } else { "nan" }.to_owned();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    let scientific = format!("{number:.16e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..17).contains(&exponent) {
        let plain = format!("{number:.*}", (16 - exponent).max(0) as usize);
        return without_trailing_zeros(&plain).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_trailing_zeros(mantissa), exponent.abs())
}

fn without_trailing_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_c_writes_them() {
        for (number, text) in [
            (0.1, "0.10000000000000001"),
            (-0.0, "-0"),
            (16.0, "16"),
            (1e16, "10000000000000000"),
            (1e17, "1e+17"),
            (1e-5, "1.0000000000000001e-05"),
            (0.0001, "0.0001"),
            (1e300, "1.0000000000000001e+300"),
            (5e-324, "4.9406564584124654e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (123_456.789, "123456.789"),
        ] {
            assert_eq!(percent_17g(number), text);
        }
    }

    #[test]
    fn the_recorder_s_discipline_is_kept() {
        let mut writer = TapeWriter::new("0.40.0");
        let module: (&[u8], i32, u32) = (b"<module>", 0, 1);
        writer.line(3);
        writer.line(3);
        writer.assign(module, b"x", &Value::Number(1.0));
        writer.line(3);
        writer.input(b"random", &Value::Number(0.5));
        writer.assign(module, b"s", &Value::Str("é".repeat(40).into_bytes()));
        let text = writer.into_bytes();
        let expected =
            format!("V 2 0.40.0\nL 3\nS <module> 0 1\nA x=1\nL 3\nN random=0.5\nA s=\"{}…\"\n", "é".repeat(30));
        assert_eq!(text, expected.into_bytes());
    }

    #[test]
    fn an_input_past_its_budget_is_marked() {
        let mut writer = TapeWriter::new("0.40.0");
        writer.input(b"read_text", &Value::Str(vec![b'a'; 100_000]));
        let text = writer.into_bytes();
        assert!(text.ends_with("…<truncated>\n".as_bytes()));
        assert!(text.len() < INPUT_BUDGET + 64);
    }
}

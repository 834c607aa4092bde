//! How a saved log of `eigenscript --test` is known: by its `PASS` and `FAIL` lines, or by the JSON it printed among others.

use memchr::memmem;

/// Whether a text holds lines of a test run. CI puts times and colours before them, so they may stand anywhere in a line.
pub(crate) fn is_log(bytes: &[u8]) -> bool {
    [&b"  FAIL  "[..], b"  PASS  "].iter().any(|mark| {
        memmem::find_iter(bytes, mark).any(|at| {
            let rest = bytes.get(at + mark.len()..).unwrap_or_default();
            let line = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len())).unwrap_or_default();
            memmem::find(line, b".eigs").is_some()
        })
    }) || json_line(bytes).is_some()
}

/// Where the JSON of `--test --json` starts in a text that holds other lines too.
pub(crate) fn json_line(bytes: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, b"{\"files\":").find(|at| {
        let rest = bytes.get(at + 9..).unwrap_or_default();
        rest.first().is_some_and(u8::is_ascii_digit)
    })
}

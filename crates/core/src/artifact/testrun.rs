//! Results of `eigenscript --test --trace-on-fail`: the JSON form, and the human form in a saved log.
//!
//! The human form, line by line: `  FAIL  path  (exit 1)` or `  PASS  path  (3 pass, 0 fail)`; under a failing test its output,
//! eight columns in and without empty lines, and `replay: EIGS_REPLAY=<tape> <interpreter> <path>`; at the end
//! `Files: 5 | Passed: 3 | Failed: 2`. CI puts times and colours around these lines; they are taken off.

use serde::{Deserialize, Serialize};

use super::json::Value;
use super::tree::{Join, NodeId};

/// One test run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestRun {
    /// The JSON results, when they were found.
    pub results: Option<NodeId>,
    /// The saved log, when one was found.
    pub log: Option<NodeId>,
    /// Test files in all, as stated.
    pub files: Option<i64>,
    /// Test files that passed, as stated.
    pub passed: Option<i64>,
    /// Test files that failed, as stated.
    pub failed: Option<i64>,
    /// Assertions that passed in all, as stated.
    pub asserts_pass: Option<i64>,
    /// Assertions that failed in all, as stated.
    pub asserts_fail: Option<i64>,
    /// The tests: failing ones first, otherwise in the order of the run.
    pub tests: Vec<Test>,
    /// What is odd about the results, in sentences.
    pub notes: Vec<String>,
}

/// One test file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Test {
    /// Its path as the run names it.
    pub file: String,
    /// `pass`, `fail`, or whatever else the run says.
    pub status: String,
    /// Its exit status.
    pub exit_code: Option<i64>,
    /// Assertions that passed; `None` when they were not counted.
    pub asserts_pass: Option<i64>,
    /// Assertions that failed; `None` when they were not counted.
    pub asserts_fail: Option<i64>,
    /// The path of its tape as the run states it; `None` when it kept none.
    pub tape_path: Option<String>,
    /// Which of the files here that tape is. [`Join::None`] with a `tape_path` means: missing.
    pub tape: Join,
    /// Which of the files here is its source.
    pub source: Join,
    /// What it printed, line by line: only a log has this.
    pub output: Vec<String>,
    /// The line that replays it: `EIGS_REPLAY=… eigenscript …`; `None` without a tape.
    pub replay: Option<String>,
}

impl Test {
    /// Whether it failed. A status that Tapedeck does not know counts as a failure unless the exit status is 0.
    pub fn is_failure(&self) -> bool {
        match self.status.as_str() {
            "pass" | "skip" | "skipped" => false,
            "fail" => true,
            _ => self.exit_code != Some(0),
        }
    }

    /// What to say about its tape when it cannot be opened from here.
    pub fn tape_remark(&self) -> Option<String> {
        match (&self.tape_path, &self.tape) {
            (Some(path), Join::None) => Some(format!(
                "The tape {path:?} is not among these files. Archive it with the results: its path is in their \"tape\" field."
            )),
            (Some(path), Join::Several(ids)) => {
                Some(format!("{} files here could be the tape {path:?}; choose one.", ids.len()))
            }
            (None, _) if self.is_failure() => {
                Some("This test kept no tape: run the tests with --trace-on-fail to get one.".to_owned())
            }
            _ => None,
        }
    }
}

impl TestRun {
    /// Failing tests first, otherwise in the order of the run.
    pub(super) fn sort(&mut self) {
        self.tests.sort_by_key(|test| !test.is_failure());
    }

    /// Notes where the stated counts and the listed tests disagree.
    pub(super) fn check_counts(&mut self) {
        let failed = self.tests.iter().filter(|test| test.is_failure()).count();
        for (what, stated, found) in [
            ("test files", self.files, self.tests.len()),
            ("failures", self.failed, failed),
            ("passes", self.passed, self.tests.len() - failed),
        ] {
            if let Some(stated) = stated.filter(|stated| usize::try_from(*stated) != Ok(found)) {
                self.notes.push(format!("The results say {stated} {what} and list {found}."));
            }
        }
    }

    /// Takes over from a log what the JSON form has not: each test's output.
    pub(super) fn absorb_log(&mut self, log: TestRun) {
        self.log = log.log;
        for from in log.tests {
            match self.tests.iter_mut().find(|test| test.file == from.file) {
                Some(test) => {
                    test.output = from.output;
                    test.tape_path = test.tape_path.take().or(from.tape_path);
                }
                None => self.notes.push(format!("The log has a test {:?} that the results do not have.", from.file)),
            }
        }
    }
}

/// Reads the JSON of a test run.
///
/// # Errors
/// A sentence that says why it is none.
pub(super) fn from_json(bytes: &[u8]) -> Result<TestRun, String> {
    let root = Value::parse(bytes).map_err(|error| error.to_string())?;
    let Some(results) = root.get("results") else {
        return Err("The test results have no \"results\".".to_owned());
    };
    let Value::List(results) = results else {
        return Err("\"results\" of the test results is not a list.".to_owned());
    };
    let mut run = TestRun {
        files: root.get("files").and_then(Value::as_i64),
        passed: root.get("passed").and_then(Value::as_i64),
        failed: root.get("failed").and_then(Value::as_i64),
        asserts_pass: root.get("asserts_pass").and_then(Value::as_i64),
        asserts_fail: root.get("asserts_fail").and_then(Value::as_i64),
        ..TestRun::default()
    };
    for (number, result) in results.iter().enumerate() {
        let Some(file) = result.get("file").and_then(Value::as_str) else {
            run.notes.push(format!("Result {} names no file and was left out.", number + 1));
            continue;
        };
        let count = |key: &str| result.get(key).and_then(Value::as_i64);
        run.tests.push(Test {
            file: file.to_owned(),
            status: result.get("status").and_then(Value::as_str).unwrap_or_default().to_owned(),
            exit_code: count("exit_code"),
            // -1 says: this test printed no summary line.
            asserts_pass: count("asserts_pass").filter(|count| *count >= 0),
            asserts_fail: count("asserts_fail").filter(|count| *count >= 0),
            tape_path: result.get("tape").and_then(Value::as_str).filter(|path| !path.is_empty()).map(str::to_owned),
            ..Test::default()
        });
    }
    Ok(run)
}

/// How far the output of a failing test is indented.
const INDENT: &str = "        ";

/// Reads the human form out of a log. `None` when the log has no test in it.
pub(super) fn from_log(text: &str) -> Option<TestRun> {
    let mut run = TestRun::default();
    // Whether output lines belong to the last test.
    let mut open = false;
    for raw in text.lines() {
        let plain = without_colours(raw);
        let line = without_time(&plain).trim_end_matches('\r');
        if let Some(test) = test_line(line) {
            open = test.is_failure();
            run.tests.push(test);
        } else if let Some(output) = line.strip_prefix(INDENT).filter(|_| open) {
            let Some(test) = run.tests.last_mut() else { continue };
            match output.strip_prefix("replay: EIGS_REPLAY=").and_then(|rest| replay_line(rest, &test.file)) {
                Some(tape) => test.tape_path = Some(tape.to_owned()),
                None => test.output.push(output.to_owned()),
            }
        } else {
            // The runner leaves empty lines out, so one ends the output, as every other line does.
            open = false;
            if let Some([files, passed, failed]) = summary(line, ["Files: ", "Passed: ", "Failed: "]) {
                (run.files, run.passed, run.failed) = (Some(files), Some(passed), Some(failed));
            }
        }
    }
    (!run.tests.is_empty()).then_some(run)
}

/// `  FAIL  path  (exit 1)`
fn test_line(line: &str) -> Option<Test> {
    let (status, rest) = [("fail", "  FAIL  "), ("pass", "  PASS  ")]
        .into_iter()
        .find_map(|(status, mark)| Some((status, line.strip_prefix(mark)?)))?;
    let mut test = Test { status: status.to_owned(), ..Test::default() };
    let mut file = rest.trim_end();
    if let Some((before, detail)) = file.strip_suffix(')').and_then(|rest| rest.rsplit_once("  (")) {
        let exit = detail.strip_prefix("exit ").and_then(|code| code.parse().ok());
        let counts = detail.strip_suffix(" fail").and_then(|rest| rest.split_once(" pass, "));
        let counts = counts.and_then(|(pass, fail)| Some((pass.parse().ok()?, fail.parse().ok()?)));
        if exit.is_some() || counts.is_some() {
            file = before;
            test.exit_code = exit;
            test.asserts_pass = counts.map(|counts| counts.0);
            test.asserts_fail = counts.map(|counts| counts.1);
        }
    }
    // The example in EigenScript's documentation has one blank before the bracket, not two.
    if let Some((before, code)) = file.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (exit "))
        && let Ok(code) = code.parse()
    {
        (file, test.exit_code) = (before.trim_end(), Some(code));
    }
    if !file.ends_with(".eigs") {
        return None;
    }
    if test.exit_code.is_none() && status == "pass" {
        test.exit_code = Some(0);
    }
    test.file = file.to_owned();
    Some(test)
}

/// The tape in `<tape> <interpreter> <file>`.
fn replay_line<'a>(rest: &'a str, file: &str) -> Option<&'a str> {
    let commands = rest.trim_end().strip_suffix(file).unwrap_or(rest);
    let tape = commands.split(' ').next().unwrap_or_default();
    (!tape.is_empty()).then_some(tape)
}

/// `Files: 5 | Passed: 3 | Failed: 2`
fn summary(line: &str, labels: [&str; 3]) -> Option<[i64; 3]> {
    let mut numbers = [0; 3];
    let mut parts = line.trim().split(" | ");
    for (number, label) in numbers.iter_mut().zip(labels) {
        *number = parts.next()?.strip_prefix(label)?.trim().parse().ok()?;
    }
    Some(numbers)
}

/// A line without terminal colours (`ESC [ … letter`).
fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        let end = after.find(|c: char| ('@'..='~').contains(&c)).map_or(after.len(), |at| at + 1);
        rest = after.get(end..).unwrap_or_default();
    }
    plain.push_str(rest);
    plain
}

/// A line without what CI puts before it: `2026-01-02T03:04:05.6789012Z ` (GitHub Actions, with `job<TAB>step<TAB>` before it
/// when `gh run view --log` wrote it), `2026-01-02T03:04:05.678901Z 00O ` (GitLab), `[2026-01-02T03:04:05.678Z] ` (Jenkins).
fn without_time(line: &str) -> &str {
    let candidate = match line.rfind('\t') {
        Some(tab) => line.get(tab + 1..).unwrap_or_default(),
        None => line,
    };
    let candidate = candidate.trim_start_matches('\u{feff}');
    let (bracketed, inner) = match candidate.strip_prefix('[') {
        Some(inner) => (true, inner),
        None => (false, candidate),
    };
    let Some(len) = time_len(inner) else { return line };
    let rest = inner.get(len..).unwrap_or_default();
    let rest = if bracketed { rest.strip_prefix(']').unwrap_or(rest) } else { rest };
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    match rest.as_bytes() {
        [a, b, b'O' | b'E', b' ' | b'+', ..] if a.is_ascii_digit() && b.is_ascii_digit() => {
            rest.get(4..).unwrap_or_default()
        }
        _ => rest,
    }
}

/// The length of an ISO 8601 time in UTC at the start of `text`.
fn time_len(text: &str) -> Option<usize> {
    let pattern = b"dddd-dd-ddTdd:dd:dd";
    let bytes = text.as_bytes();
    let fits = bytes.get(..pattern.len())?.iter().zip(pattern).all(|(byte, want)| match want {
        b'd' => byte.is_ascii_digit(),
        want => byte == want,
    });
    let mut len = pattern.len();
    if !fits {
        return None;
    }
    if bytes.get(len) == Some(&b'.') {
        len += 1 + bytes.get(len + 1..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    (bytes.get(len) == Some(&b'Z')).then_some(len + 1)
}

//! The command as scripts use it: exit statuses, JSON, standard input, and the same answers as the real programs'.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

fn corpus(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/eigs").join(path)
}

struct Run {
    status: i32,
    out: String,
    err: String,
}

impl Run {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

fn run_with(args: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tapedeck"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that ends before it has read everything closes the pipe, and may.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Run {
        status: output.status.code().unwrap(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn run(args: &[&str]) -> Run {
    run_with(args, b"")
}

fn path(name: &str) -> String {
    corpus(name).to_string_lossy().into_owned()
}

/// `--step` of the corpus and `show --json` say the same at every position.
#[test]
fn show_says_what_step_says() {
    for name in ["test_dice", "test_parse"] {
        let expected: Value =
            serde_json::from_slice(&std::fs::read(corpus(&format!("testrun/tapes/{name}.expected.json"))).unwrap())
                .unwrap();
        let tape = path(&format!("testrun/tapes/{name}.tape"));
        let positions = expected["positions"].as_array().unwrap();
        assert_eq!(positions.len() as u64, expected["counts"]["steps"].as_u64().unwrap());
        for position in positions {
            let at = (position["pos"].as_u64().unwrap() + 1).to_string();
            let shown = run(&["show", &tape, "--at", &at, "--json"]);
            assert_eq!(shown.status, 0, "{}", shown.err);
            let shown = shown.json();
            assert_eq!((&shown["pos"], &shown["line"]), (&position["pos"], &position["line"]));
            let events: Vec<String> = shown["events"]
                .as_array()
                .unwrap()
                .iter()
                .map(|event| {
                    format!(
                        "{} {}={}",
                        event["kind"].as_str().unwrap(),
                        event["name"].as_str().unwrap(),
                        event["value"].as_str().unwrap()
                    )
                })
                .collect();
            assert_eq!(serde_json::to_value(events).unwrap(), position["events"], "{name} {at}");
            let bindings: Vec<Value> = shown["bindings"].as_array().unwrap().iter()
                .map(|row| serde_json::json!({ "name": row["name"], "value": row["value"], "label": row["label"], "assigns": row["assigns"], "scope": row["scope"] }))
                .collect();
            assert_eq!(&Value::from(bindings.clone()), &position["bindings"], "{name} {at}");
            let state = run(&["state", &tape, "--at", &at, "--json"]).json();
            assert_eq!(state["bindings"], shown["bindings"]);
        }
        for trajectory in expected["trajectories"].as_array().unwrap().iter().filter(|one| one["found"] == true) {
            let at = (trajectory["pos"].as_u64().unwrap() + 1).to_string();
            let history = run(&["history", &tape, trajectory["name"].as_str().unwrap(), "--at", &at, "--json"]).json();
            assert_eq!(history["so_far"], trajectory["total"], "{name} {trajectory}");
            // The stepper names the frame of inner scopes only.
            assert_eq!(history["scope"], trajectory["scope"], "{name} {trajectory}");
            if !trajectory["frame"].is_null() {
                assert_eq!(history["frame"], trajectory["frame"], "{name} {trajectory}");
            }
            for row in trajectory["rows"].as_array().unwrap() {
                let index = row["ordinal"].as_u64().unwrap() as usize - 1;
                for key in ["ordinal", "line", "value", "label"] {
                    assert_eq!(history["rows"][index][key], row[key], "{name} {key} {row}");
                }
            }
        }
    }
}

/// `check` ends as EigenScript's stepper does (3 refused, 1 nothing to step), and with `--runtime` as its replay does.
#[test]
fn check_ends_as_the_real_programs_do() {
    let rows: Value = serde_json::from_slice(&std::fs::read(corpus("refusals/refusals.json")).unwrap()).unwrap();
    let mut checked = 0;
    for row in rows.as_array().unwrap() {
        let name = row["tape"].as_str().unwrap();
        let file = path(&format!("refusals/{name}"));
        let replay = run(&["check", &file, "--runtime", "0.40.0"]);
        // A streaming replay meets a bad header in the middle only when it gets there; the gate reads them all.
        let expected = if matches!(name, "mid_torn_end.tape" | "mid_good_before_bad.tape") {
            3
        } else {
            row["replay"]["exit"].as_i64().unwrap() as i32
        };
        assert_eq!(replay.status, expected, "{name} (replay): {}{}", replay.out, replay.err);
        let step = run(&["check", &file]);
        let real = row["step"]["exit"].as_i64().unwrap() as i32;
        // The stepper knows one runtime; Tapedeck opens others to read. Doors unwrap gzip and take off a byte order mark.
        let opens = [
            "runtime_old.tape",
            "runtime_new.tape",
            "runtime_dev.tape",
            "runtime_prefix.tape",
            "runtime_longer.tape",
            "runtime_two_spaces.tape",
            "trailing_space.tape",
            "trailing_tab.tape",
            "invalid_utf8_header.tape",
            "bom.tape",
        ];
        if opens.contains(&name) {
            assert!(step.status == 0 && real == 3, "{name}: {} {}{}", step.status, step.out, step.err);
        } else {
            assert_eq!(step.status, real, "{name} (step): {}{}", step.out, step.err);
        }
        checked += 1;
    }
    assert_eq!(checked, rows.as_array().unwrap().len());
    assert!(checked > 40);
}

#[test]
fn an_artifact_is_checked_with_its_test_run() {
    let checked = run(&["check", &path("testrun/results.zip")]);
    assert_eq!(checked.status, 0, "{}", checked.err);
    for said in [
        "test run: 5 tests, 2 failed",
        "FAIL  tests/test_dice.eigs (exit 1)",
        "replay: EIGS_REPLAY=tapes/test_dice.tape eigenscript tests/test_dice.eigs",
        "23 positions",
    ] {
        assert!(checked.out.contains(said), "{said}: {}", checked.out);
    }
    let json = run(&["check", &path("testrun/results.tar.gz"), "--json"]).json();
    assert_eq!(json["files"][0]["recordings"][0]["positions"], 23);
    assert_eq!(json["files"][0]["runs"][0]["tests"][0]["file"], "tests/test_dice.eigs");
}

#[test]
fn one_of_several_recordings_must_be_chosen() {
    let zip = path("testrun/results.zip");
    let open = run(&["show", &zip]);
    assert_eq!(open.status, 2);
    assert!(open.err.contains("--member") && open.err.contains("tapes/test_parse.tape"), "{}", open.err);
    assert_eq!(run(&["show", &zip, "--member", "nothing"]).status, 2);
    let chosen = run(&["show", &zip, "--member", "tapes/test_dice.tape", "--at", "last"]);
    assert!(chosen.status == 0 && chosen.out.contains("23 of 23, line 10"), "{}", chosen.out);
    let alone = run(&["show", &path("testrun/test_dice.tape.gz"), "--at", "last", "--json"]).json();
    assert_eq!(alone["line"], 10);
    assert_eq!(run(&["show", &path("bundle/thermostat.bundle"), "--at", "870", "--json"]).json()["line"], 10);
}

#[test]
fn standard_input_is_a_file_named_dash() {
    let tape = std::fs::read(corpus("testrun/tapes/test_dice.tape")).unwrap();
    assert_eq!(run_with(&["show", "-", "--json"], &tape).json()["positions"], 23);
    assert_eq!(run_with(&["check", "-"], &std::fs::read(corpus("testrun/results.zip")).unwrap()).status, 0);
}

#[test]
fn failures_have_their_status_and_a_sentence() {
    let tape = path("testrun/tapes/test_dice.tape");
    for (args, status, said) in [
        (vec!["check", "/no/such/file"], 1, "cannot be read"),
        (vec!["check", "/no/such/file", "--runtime", "0.40.0"], 3, "cannot be read"),
        (vec!["show", &tape, "--at", "24"], 2, "there is no position 24: there are 23"),
        (vec!["show", &tape, "--at", "0"], 2, "from 1 on"),
        (vec!["history", &tape, "nobody"], 2, "no binding \"nobody\""),
        (vec!["dumps", &tape], 2, "is a tape"),
        (vec!["nonsense"], 2, "Usage"),
        (vec!["check"], 2, "Usage"),
    ] {
        let failed = run(&args);
        assert_eq!(failed.status, status, "{args:?}: {}", failed.err);
        assert!(failed.err.contains(said) && failed.out.is_empty(), "{args:?}: {}", failed.err);
    }
}

fn trace(result: &str) -> Vec<u8> {
    format!("{{\"request\": \"r\", \"steps\": [{{\"tool\": \"t\", \"args\": {{\"x\": 12345678901234567890123}}, \"result\": {result}}}]}}").into_bytes()
}

#[test]
fn traces_are_shown_written_and_compared() {
    let folder = std::env::temp_dir().join(format!("tapedeck-cli-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let put = |name: &str, bytes: &[u8]| {
        let file = folder.join(name);
        std::fs::write(&file, bytes).unwrap();
        file.to_string_lossy().into_owned()
    };
    let (a, b, nan, empty) = (
        put("a.json", &trace("0.1")),
        put("b.json", &trace("0.10000000000000002")),
        put("nan.json", &trace("NaN")),
        put("empty.json", b"{\"request\": 1, \"steps\": []}"),
    );
    let shown = run(&["show", &a, "--json"]);
    assert!(shown.out.contains("12345678901234567890123"), "digits stay: {}", shown.out);
    assert_eq!(shown.json()["steps"], 1);
    assert!(run(&["show", &a]).out.contains("Step 1 of 1: t"));
    assert!(run(&["dumps", &a]).out.starts_with("{\"request\": \"r\", \"steps\": [{\"action\": null, \"args\""));
    let same = run(&["diff", &a, &a]);
    assert_eq!((same.status, same.out.as_str()), (0, "identical: 1 steps\n"));
    let different = run(&["diff", &a, &b]);
    assert_eq!(different.status, 4);
    assert!(
        different.out.contains("(0, \"t\")") && different.out.contains("result, 1 ULP: 0.1 / 0.10000000000000002"),
        "{}",
        different.out
    );
    assert_eq!(run(&["diff", &a, &b, "--json"]).json()["rows"][0]["why"][0]["ulps"], 1);
    assert_eq!(run(&["diff", &a, &nan]).status, 5);
    assert_eq!(run(&["diff", &empty, &empty]).status, 5);
    assert_eq!(run(&["diff", &a, &empty]).status, 4);
    assert_eq!(run(&["check", &a, &put("broken.json", b"{\"request\": ")]).status, 1);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn links_hold_what_was_asked_for() {
    use tapedeck_core::bytes::Limits;
    use tapedeck_core::link::{Source, parse};
    let read = |run: &Run| parse(run.out.trim().split_once('#').unwrap().1, &Limits::default()).unwrap().link;
    let tape = path("testrun/tapes/test_dice.tape");
    let linked = run(&["link", &tape, "--at", "last", "--base", "https://tapedeck.example/"]);
    assert!(linked.status == 0 && linked.out.starts_with("https://tapedeck.example/#1&"), "{}", linked.err);
    let link = read(&linked);
    assert_eq!(link.position, Some(23));
    assert!(matches!(&link.source, Source::Inline { data, code: None, .. } if *data == std::fs::read(&tape).unwrap()));
    let zip = path("testrun/results.zip");
    let inside = read(&run(&["link", &zip, "--member", "tapes/test_dice.tape"]));
    assert!(matches!(&inside.source, Source::Inline { code: Some((name, _)), .. } if name == "test_dice.eigs"));
    let by_url =
        read(&run(&["link", &zip, "--member", "tapes/test_dice.tape", "--url", "https://ci.example/results.zip"]));
    assert_eq!(by_url.file.as_deref(), Some("tapes/test_dice.tape"));
    let sum = Command::new("sha256sum").arg(&zip).output().unwrap();
    let Source::Url { sha256: Some(hash), .. } = by_url.source else { panic!() };
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(String::from_utf8_lossy(&sum.stdout).starts_with(&hash));
}

#[test]
fn a_secret_is_named_before_it_goes_and_gone_when_that_is_asked() {
    let tape = b"V 2 0.40.0\nL 1\nN env_get=\"hunter2-hunter2\"\nS <module> 0 1\nA pw=\"hunter2-hunter2\"\n";
    let open = run_with(&["link", "-"], tape);
    assert!(open.status == 0 && open.err.contains("environment values: 1 records, 15 bytes"), "{}", open.err);
    let redacted = run_with(&["link", "-", "--redact"], tape);
    assert!(redacted.err.contains("taken out: 1 inputs, 1 assignments, 0 other places"), "{}", redacted.err);
    let link = tapedeck_core::link::parse(redacted.out.trim(), &tapedeck_core::bytes::Limits::default()).unwrap().link;
    let tapedeck_core::link::Source::Inline { data, .. } = link.source else { panic!() };
    assert_eq!(data, b"V 2 0.40.0\nL 1\nN env_get=<redacted>\nS <module> 0 1\nA pw=<redacted>\n");
}

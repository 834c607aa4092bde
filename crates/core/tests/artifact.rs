//! Artifacts: what CI hands out, by every wrapping, gives the same tree, the same joins and the same bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use support::{ZipFile, ZipShape, bundle, corpus, deflate_repeated, gzip, tar, zip, zip_shaped};
use tapedeck_core::artifact::*;
use tapedeck_core::bytes::{Container, Encoding, Kind, Known, Limits, Note, TAPE_ENTRY, UnpackError, Unwatched};

const TAPE: &[u8] = b"V 2 0.40.0\nL 1\nA x=1\n";
const TRACE: &[u8] = br#"{"request": "x", "steps": []}"#;

fn open(name: &str, bytes: &[u8]) -> Artifact {
    Artifact::open(name, bytes.to_vec(), &Limits::default(), &mut Unwatched).unwrap()
}

fn folder(files: &[(&str, &[u8])]) -> Artifact {
    let files = files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
    Artifact::open_all(files, &Limits::default(), &mut Unwatched).unwrap()
}

fn content(artifact: &Artifact, path: &str) -> Vec<u8> {
    let node = artifact.tree().find(path).unwrap_or_else(|| panic!("{path} in {:#?}", artifact.tree()));
    artifact.bytes_of(node.id, &mut Unwatched).unwrap().bytes.into_owned()
}

fn path(artifact: &Artifact, id: NodeId) -> &str {
    &artifact.tree().node(id).unwrap().path
}

/// `path: role` for every node, in order.
fn outline(artifact: &Artifact) -> Vec<String> {
    artifact.tree().nodes.iter().map(|node| format!("{}: {:?}", node.path, node.role)).collect()
}

fn the_run_of_the_corpus(artifact: &Artifact, what: &str) {
    let [run] = artifact.tree().runs.as_slice() else { panic!("{what}: {:?}", artifact.tree().runs) };
    assert_eq!(run.notes, Vec::<String>::new(), "{what}");
    assert_eq!(
        (run.files, run.passed, run.failed, run.asserts_pass, run.asserts_fail),
        (Some(5), Some(3), Some(2), Some(3), Some(0))
    );
    let names: Vec<_> =
        run.tests.iter().map(|test| (test.file.as_str(), test.status.as_str(), test.exit_code)).collect();
    assert_eq!(
        names,
        [
            ("tests/test_dice.eigs", "fail", Some(1)),
            ("tests/test_parse.eigs", "fail", Some(1)),
            ("tests/test_arith.eigs", "pass", Some(0)),
            ("tests/test_summary.eigs", "pass", Some(0)),
            ("tests/test_words.eigs", "pass", Some(0)),
        ],
        "failing tests first ({what})"
    );
    assert_eq!((run.tests[3].asserts_pass, run.tests[3].asserts_fail), (Some(3), Some(0)));
    assert_eq!((run.tests[0].asserts_pass, run.tests[0].asserts_fail), (None, None), "-1 is: not counted");
    for test in &run.tests {
        let source = test.source.one().unwrap_or_else(|| panic!("{what}: {test:?}"));
        assert!(path(artifact, source).ends_with(&test.file), "{what}");
    }
    for (test, name) in run.tests.iter().zip(["test_dice", "test_parse"]) {
        let tape = test.tape.one().unwrap();
        let tape_path = path(artifact, tape);
        assert!(tape_path.ends_with(&format!("tapes/{name}.tape")), "{what}: {tape_path}");
        let bytes = artifact.bytes_of(tape, &mut Unwatched).unwrap().bytes;
        assert_eq!(bytes, corpus(&format!("testrun/tapes/{name}.tape")), "{what}");
        assert_eq!(
            test.replay.as_deref(),
            Some(&*format!("EIGS_REPLAY={tape_path} eigenscript tests/{name}.eigs")),
            "{what}"
        );
        assert_eq!(test.tape_remark(), None);
        assert_eq!(artifact.tree().node(tape).unwrap().source, test.source, "{what}");
        let command = format!("EIGS_REPLAY={tape_path} eigenscript {}", path(artifact, test.source.one().unwrap()));
        assert_eq!(artifact.replay_command(tape), Some(command));
    }
    let order: Vec<_> = artifact.tree().recordings().into_iter().map(|id| path(artifact, id)).collect();
    assert_eq!(order.len(), 2, "{what}: {order:?}");
    assert!(order[0].ends_with("test_dice.tape") && order[1].ends_with("test_parse.tape"), "{what}: {order:?}");
    assert_eq!(artifact.tree().nothing_to_open(), None);
}

#[test]
fn the_test_run_of_the_corpus_by_every_door() {
    let zipped = corpus("testrun/results.zip");
    let tarred = corpus("testrun/results.tar.gz");
    the_run_of_the_corpus(&open("results.zip", &zipped), "zip");
    the_run_of_the_corpus(&open("whatever", &tarred), "tar.gz");
    the_run_of_the_corpus(&open("x", &gzip(&zipped)), "zip in gzip");
    the_run_of_the_corpus(&open("x", &zip(&[ZipFile::deflated("job/results.zip", &zipped)])), "zip in zip");
    the_run_of_the_corpus(&open("x", &zip(&[ZipFile::stored("results.tar.gz", &tarred)])), "tar.gz in zip");
    the_run_of_the_corpus(&open("x", &tar(&[("a/b/results.zip", &zipped)])), "zip in tar");
    let names = [
        "results.json",
        "tests/test_arith.eigs",
        "tests/test_dice.eigs",
        "tests/test_parse.eigs",
        "tests/test_summary.eigs",
        "tests/test_words.eigs",
        "tapes/test_dice.tape",
        "tapes/test_parse.tape",
    ];
    let files: Vec<_> = names.iter().map(|name| (*name, corpus(&format!("testrun/{name}")))).collect();
    let files: Vec<_> = files.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    the_run_of_the_corpus(&folder(&files), "folder");
    let deeper: Vec<_> = files.iter().map(|(name, bytes)| (format!("run/{name}"), *bytes)).collect();
    let deeper: Vec<_> = deeper.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    the_run_of_the_corpus(&folder(&deeper), "folder in a folder");
}

#[test]
fn one_file_is_a_tree_of_one_node() {
    let mut artifact = open("run.tape", TAPE);
    let [node] = artifact.tree().nodes.as_slice() else { panic!("{:?}", artifact.tree()) };
    assert_eq!(
        (node.name.as_str(), node.path.as_str(), node.kind, node.role),
        ("run.tape", "", Kind::Tape, Role::Tape)
    );
    let id = node.id;
    assert!(matches!(artifact.bytes_of(id, &mut Unwatched).unwrap().bytes, Cow::Borrowed(_)), "nothing is copied");
    assert_eq!(artifact.take_bytes(id, &mut Unwatched).unwrap(), (TAPE.to_vec(), vec![]));
}

#[test]
fn wrappings_around_one_file_are_layers() {
    let utf16: Vec<u8> = std::iter::once(0xfeff)
        .chain(std::str::from_utf8(TAPE).unwrap().encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    for (what, bytes, layers) in [
        ("gz", gzip(TAPE), vec![Layer::Gzip]),
        ("gz in gz", gzip(&gzip(TAPE)), vec![Layer::Gzip; 2]),
        ("UTF-16", utf16.clone(), vec![Layer::Encoded(Encoding::Utf16Le)]),
        ("UTF-16 in gz", gzip(&utf16), vec![Layer::Gzip, Layer::Encoded(Encoding::Utf16Le)]),
        ("BOM in gz", gzip(&[b"\xef\xbb\xbf", TAPE].concat()), vec![Layer::Gzip, Layer::Encoded(Encoding::Utf8Bom)]),
    ] {
        for (how, artifact, at) in [
            ("alone", open("x", &bytes), ""),
            ("deflated", open("x", &zip(&[ZipFile::deflated("a/x", &bytes)])), "a/x"),
            ("stored", open("x", &zip(&[ZipFile::stored("a/x", &bytes)])), "a/x"),
            (
                "twice zipped",
                open("x", &zip(&[ZipFile::deflated("b.zip", &zip(&[ZipFile::deflated("a/x", &bytes)]))])),
                "b.zip/a/x",
            ),
        ] {
            let node = artifact.tree().find(at).unwrap();
            let node = if at.is_empty() { artifact.tree().nodes.last().unwrap() } else { node };
            assert_eq!((node.role, &node.layers), (Role::Tape, &layers), "{what} {how}");
            let content = artifact.bytes_of(node.id, &mut Unwatched).unwrap();
            assert_eq!(content.bytes, TAPE, "{what} {how}");
            let reencoded = layers.iter().any(|layer| matches!(layer, Layer::Encoded(_)));
            assert_eq!(!content.notes.is_empty(), reencoded, "{what} {how}: {:?}", content.notes);
        }
    }
}

#[test]
fn everything_gets_its_role() {
    let module = b"\0asm\x01\0\0\0";
    let script = bundle(b"\x7fELF...", &[("main", b"x is 1\n"), ("lib/m.eigs", b"y is 2\n"), (TAPE_ENTRY, TAPE)]);
    let artifact = folder(&[
        ("a.tape", TAPE),
        ("t.json", TRACE),
        ("a.eigs", b"x is 1\n"),
        ("tool.wasm", module),
        ("README", b"hello"),
        ("package.json", b"{\"name\": \"x\"}"),
        ("empty", b""),
        ("app", &script),
        ("page.html", b"<html></html>"),
    ]);
    assert_eq!(
        outline(&artifact),
        [
            "a.tape: Tape",
            "t.json: Trace",
            "a.eigs: Source",
            "tool.wasm: ToolModule",
            "README: Other",
            "package.json: Other",
            "empty: Other",
            "app: Container",
            "app/main: Source",
            "app/lib/m.eigs: Source",
            "app/.eigs_bundle.tape: Tape",
            "page.html: Other",
        ]
    );
    assert_eq!(artifact.tree().find("page.html").unwrap().kind, Kind::Known(Known::Html));
    let source = |path: &str| artifact.tree().find(path).unwrap().source.clone();
    assert_eq!(source("a.tape"), Join::One(artifact.tree().find("a.eigs").unwrap().id), "by name");
    assert_eq!(
        source("app/.eigs_bundle.tape"),
        Join::One(artifact.tree().find("app/main").unwrap().id),
        "the bundle's script"
    );
    let order: Vec<_> = artifact.tree().recordings().into_iter().map(|id| path(&artifact, id)).collect();
    assert_eq!(order, ["a.tape", "app/.eigs_bundle.tape", "t.json"]);
}

#[test]
fn bundles_of_the_corpus() {
    let artifact = open("thermostat", &corpus("bundle/thermostat.bundle"));
    assert_eq!(
        outline(&artifact),
        [": Container", "thermostat.eigs: Source", "lib/notes.eigs: Source", ".eigs_bundle.tape: Tape"]
    );
    let tape = artifact.tree().find(TAPE_ENTRY).unwrap();
    assert_eq!(tape.source, Join::One(artifact.tree().find("thermostat.eigs").unwrap().id));
    for (name, code) in [("cut", "cut"), ("format_1", "format"), ("lying_length", "damaged")] {
        let artifact = open(name, &corpus(&format!("bundle/{name}.bundle")));
        let problem = artifact.tree().nodes[0].problem.clone().unwrap();
        assert_eq!(problem.code, code);
        assert!(artifact.tree().nothing_to_open().unwrap().contains(&problem.what));
        // The same inside a zip, beside a good tape, which stays.
        let zipped = zip(&[
            ZipFile::deflated("app", &corpus(&format!("bundle/{name}.bundle"))),
            ZipFile::deflated("a.tape", TAPE),
        ]);
        let artifact = open("x.zip", &zipped);
        assert_eq!(artifact.tree().find("app").unwrap().problem.as_ref().unwrap().code, code, "{name}");
        assert_eq!(content(&artifact, "a.tape"), TAPE);
    }
}

const LOG: &str = "Running 3 test file(s)...

  PASS  tests/test_arith.eigs
  FAIL  tests/test_dice.eigs  (exit 1)
        [5, 5, 1, 2, 5]
        Error line 10: ASSERT FAIL: mean of the rolls is 3.6
            10 | assert of [mean > 6, \"x\"]
        replay: EIGS_REPLAY=/tmp/eigen_bNGhgd /usr/bin/eigenscript tests/test_dice.eigs
  FAIL  tests/my test.eigs  (1 pass, 2 fail)
        Tests: 3 | Pass: 1 | Fail: 2
        replay: EIGS_REPLAY=/tmp/eigen_Qq /usr/bin/eigenscript tests/my test.eigs

Files: 3 | Passed: 1 | Failed: 2
Asserts: 1 passed, 2 failed
Error line 177: ASSERT FAIL: 2 test file(s) failed
";

fn check_log(artifact: &Artifact, what: &str) {
    let [run] = artifact.tree().runs.as_slice() else { panic!("{what}: {:#?}", artifact.tree()) };
    assert_eq!((run.files, run.passed, run.failed), (Some(3), Some(1), Some(2)), "{what}");
    assert_eq!(run.notes, Vec::<String>::new(), "{what}");
    let tests: Vec<_> =
        run.tests.iter().map(|test| (test.file.as_str(), test.is_failure(), test.tape_path.as_deref())).collect();
    assert_eq!(
        tests,
        [
            ("tests/test_dice.eigs", true, Some("/tmp/eigen_bNGhgd")),
            ("tests/my test.eigs", true, Some("/tmp/eigen_Qq")),
            ("tests/test_arith.eigs", false, None),
        ],
        "{what}"
    );
    let [dice, my, arith] = run.tests.as_slice() else { panic!() };
    assert_eq!(
        dice.output,
        [
            "[5, 5, 1, 2, 5]",
            "Error line 10: ASSERT FAIL: mean of the rolls is 3.6",
            "    10 | assert of [mean > 6, \"x\"]"
        ],
        "{what}"
    );
    assert_eq!((dice.exit_code, my.exit_code, arith.exit_code), (Some(1), None, Some(0)), "{what}");
    assert_eq!((my.asserts_pass, my.asserts_fail), (Some(1), Some(2)), "{what}");
    assert_eq!(my.output, ["Tests: 3 | Pass: 1 | Fail: 2"], "{what}");
    assert_eq!(my.replay.as_deref(), Some("EIGS_REPLAY=/tmp/eigen_Qq eigenscript 'tests/my test.eigs'"), "{what}");
}

#[test]
fn saved_logs_are_read_with_all_that_ci_puts_around_them() {
    check_log(&open("log.txt", LOG.as_bytes()), "plain");
    let decorate = |line: fn(&str) -> String| LOG.lines().map(line).collect::<Vec<_>>().join("\n").into_bytes();
    check_log(&open("x", &decorate(|line| format!("2026-01-02T03:04:05.1234567Z {line}"))), "GitHub Actions");
    check_log(
        &open("x", &decorate(|line| format!("test\tRun tests\t2026-01-02T03:04:05.1234567Z {line}"))),
        "gh run view --log",
    );
    check_log(&open("x", &decorate(|line| format!("2026-01-02T03:04:05.123456Z 01O {line}"))), "GitLab");
    check_log(&open("x", &decorate(|line| format!("[2026-01-02T03:04:05.123Z] {line}"))), "Jenkins");
    check_log(
        &open("x", &decorate(|line| format!("{}\r", line.replace("FAIL  ", "\u{1b}[31mFAIL\u{1b}[0m  ")))),
        "colours and CRLF",
    );
    check_log(&open("x", &gzip(LOG.as_bytes())), "gzip");
    let utf16: Vec<u8> = LOG.encode_utf16().flat_map(u16::to_le_bytes).collect();
    check_log(&open("x", &[b"\xff\xfe", utf16.as_slice()].concat()), "UTF-16 by PowerShell");
    let late = format!("{}{LOG}", "building\n".repeat(5000));
    check_log(&open("x", &zip(&[ZipFile::deflated("1_build.txt", late.as_bytes())])), "late in a log inside a zip");
}

#[test]
fn a_log_beside_the_results_adds_the_output_and_tapes_are_found_by_base_name() {
    let results = br#"{"files":2,"passed":0,"failed":2,"asserts_pass":0,"asserts_fail":0,"results":[
        {"file":"tests/test_dice.eigs","status":"fail","exit_code":1,"asserts_pass":-1,"asserts_fail":-1,"tape":"/tmp/eigen_bNGhgd"},
        {"file":"tests/my test.eigs","status":"fail","exit_code":2,"asserts_pass":1,"asserts_fail":2,"tape":"/tmp/eigen_Qq"}]}"#;
    let artifact = folder(&[
        ("results.json", results),
        ("log.txt", LOG.as_bytes()),
        ("tapes/eigen_bNGhgd", TAPE),
        ("other/eigen_Qq.tape", TAPE),
        ("more/eigen_Qq.tape.gz", &gzip(TAPE)),
        ("my test.eigs", b"x is 1\n"),
    ]);
    let [run] = artifact.tree().runs.as_slice() else { panic!("{:#?}", artifact.tree().runs) };
    assert_eq!(run.log, Some(artifact.tree().find("log.txt").unwrap().id));
    let [dice, my] = run.tests.as_slice() else { panic!() };
    assert_eq!((dice.output.len(), my.output.len()), (3, 1));
    assert_eq!(path(&artifact, dice.tape.one().unwrap()), "tapes/eigen_bNGhgd");
    assert!(matches!(&my.tape, Join::Several(ids) if ids.len() == 2), "{my:?}");
    assert!(my.tape_remark().unwrap().contains("2 files here"));
    assert_eq!(path(&artifact, my.source.one().unwrap()), "my test.eigs");
    assert_eq!(run.notes, ["The log has a test \"tests/test_arith.eigs\" that the results do not have."]);
}

#[test]
fn a_tape_that_is_missing_is_said_to_be() {
    let artifact = folder(&[("results.json", &corpus("testrun/results.json")), ("x", b"x")]);
    let run = &artifact.tree().runs[0];
    assert_eq!(run.tests[0].tape, Join::None);
    assert!(run.tests[0].tape_remark().unwrap().contains("\"tapes/test_dice.tape\" is not among these files"));
    assert!(artifact.tree().nothing_to_open().is_some());
}

#[test]
fn results_whose_counts_disagree_are_noted_and_broken_ones_are_a_problem() {
    let results = br#"{"files":3,"passed":1,"failed":1,"results":[{"file":"a.eigs","status":"odd","exit_code":7},{"status":"pass"}]}"#;
    let artifact = open("r.json", results);
    let run = &artifact.tree().runs[0];
    assert_eq!(
        run.notes,
        [
            "Result 2 names no file and was left out.",
            "The results say 3 test files and list 1.",
            "The results say 1 passes and list 0."
        ]
    );
    assert!(run.tests[0].is_failure(), "an unknown status with exit 7");
    assert!(run.tests[0].tape_remark().unwrap().contains("--trace-on-fail"));
    let whole = corpus("testrun/results.json");
    let mut broken = 0;
    for len in 60..whole.len() - 1 {
        let artifact = open("r.json", &whole[..len]);
        if artifact.tree().nodes[0].role == Role::TestResults {
            broken += 1;
            assert!(artifact.tree().nodes[0].problem.as_ref().unwrap().what.contains("byte"), "{len}");
            assert_eq!(artifact.tree().runs, []);
        }
    }
    assert!(broken > 400, "{broken}");
}

#[test]
fn results_printed_among_other_lines_are_found() {
    let mixed = [b"Error line 10: ASSERT FAIL\n".as_slice(), &corpus("testrun/results.json"), b"\nError line 177: x\n"]
        .concat();
    let artifact = open("out.txt", &mixed);
    assert_eq!(artifact.tree().runs[0].tests.len(), 5);
}

#[test]
fn nothing_to_open_says_what_was_seen() {
    let said = |artifact: &Artifact| artifact.tree().nothing_to_open().unwrap();
    assert_eq!(said(&open("x", b"")), "This is an empty file, and no recording.");
    assert!(said(&open("x", b"<html>sign in</html>")).contains("login page"));
    assert_eq!(said(&open("x.zip", &zip(&[]))), "There is no file in it.".to_owned());
    let two = zip(&[ZipFile::stored("a.txt", b"hello"), ZipFile { flags: 1, ..ZipFile::stored("b", TAPE) }]);
    let text = said(&open("x.zip", &two));
    assert_eq!(
        text,
        "There is no tape and no trace among its 2 files: a.txt is plain text; b is binary data of an unknown form that cannot be opened."
    );
    let many: Vec<_> = (0..20).map(|number| ZipFile::stored(format!("{number}"), b"x")).collect();
    assert!(said(&open("x.zip", &zip(&many))).ends_with("; and 12 more."));
}

#[test]
fn one_broken_file_hides_no_other() {
    let artifact = open(
        "x.zip",
        &zip(&[
            ZipFile { crc: 1, ..ZipFile::deflated("bad.tape", TAPE) },
            ZipFile { method: 12, ..ZipFile::deflated("bz.tape", TAPE) },
            ZipFile::stored("cut.zip", &zip(&[ZipFile::stored("a", TAPE)])[..60]),
            ZipFile::stored("cut.tape.gz", &gzip(&TAPE.repeat(300))[..40]),
            ZipFile::deflated("good.tape", TAPE),
        ]),
    );
    let node = |path: &str| artifact.tree().find(path).unwrap();
    assert_eq!(node("bz.tape").problem.as_ref().unwrap().code, "method");
    assert_eq!(node("cut.zip").problem.as_ref().unwrap().code, "damaged");
    assert!(matches!(artifact.bytes_of(node("bad.tape").id, &mut Unwatched), Err(UnpackError::ZipChecksum { .. })));
    let cut = artifact.bytes_of(node("cut.tape.gz").id, &mut Unwatched).unwrap();
    assert!(TAPE.repeat(300).starts_with(&cut.bytes) && matches!(cut.notes[..], [Note::GzipCut { .. }]));
    assert_eq!(content(&artifact, "good.tape"), TAPE);
}

/// 200 archives inside one another, of every kind.
#[test]
fn nesting_stops_at_the_limit() {
    type Wrap = fn(&[u8]) -> Vec<u8>;
    let kinds: [(&str, Wrap); 5] = [
        ("stored zip", |inner| zip(&[ZipFile::stored("a.zip", inner)])),
        ("deflated zip", |inner| zip(&[ZipFile::deflated("a.zip", inner)])),
        ("gzip", gzip),
        ("tar", |inner| tar(&[("a.tar", inner)])),
        ("bundle", |inner| bundle(b"\x7fELF", &[("a", inner)])),
    ];
    for (what, wrap) in kinds {
        let (mut bytes, mut deepest) = (TAPE.to_vec(), Vec::new());
        for number in 1..=200 {
            bytes = wrap(&bytes);
            if number == 8 {
                deepest = bytes.clone();
            }
        }
        let start = Instant::now();
        let artifact = open("x", &bytes);
        assert!(start.elapsed() < Duration::from_secs(2), "{what}: {:?}", start.elapsed());
        let problems: Vec<_> = artifact.tree().nodes.iter().filter_map(|node| node.problem.as_ref()).collect();
        assert!(problems.len() == 1 && problems[0].code == "too-deep", "{what}: {problems:?}");
        assert_eq!(artifact.tree().recordings(), [], "{what}");
        // What is not too deep opens.
        assert_eq!(open("x", &deepest).tree().recordings().len(), 1, "{what}");
    }
}

#[test]
fn containers_share_one_limit_on_memory() {
    let inner = |fill: u8| tar(&[("a.tape", TAPE), ("fill", &vec![fill; 1 << 20])]);
    let outer = zip(&[
        ZipFile::deflated("a.tar", &inner(1)),
        ZipFile::deflated("b.tar", &inner(2)),
        ZipFile::deflated("c.tape", TAPE),
    ]);
    let limits = Limits { total_bytes: 3 << 19, ..Limits::default() };
    let artifact = Artifact::open("x", outer, &limits, &mut Unwatched).unwrap();
    assert_eq!(artifact.tree().find("a.tar").unwrap().problem, None);
    let problem = artifact.tree().find("b.tar").unwrap().problem.clone().unwrap();
    assert!(problem.what.contains("1.5 MB together"), "{problem:?}");
    assert_eq!(content(&artifact, "c.tape"), TAPE);
}

#[test]
fn bombs_inside_archives_are_stopped_in_time() {
    let zeros = deflate_repeated(&vec![0; 1 << 20], 10_000);
    // An inner zip bomb with an honest size of 10 GB cannot be stated in 32 bits; one of 3 GB can.
    let mut file = ZipFile::deflated("a.tar", b"");
    file.data = deflate_repeated(&vec![0; 1 << 20], 3000);
    file.size = 3000 << 20;
    let mut first = tar(&[("a", b"")]);
    first.truncate(512);
    let tarred = deflate_repeated(&[first.as_slice(), &vec![0; 1 << 20]].concat(), 3000);
    for (what, bytes) in [
        ("gzip of 10 GB", support::gzip_around(&zeros)),
        ("tar of 3 GB in gzip", support::gzip_around(&tarred)),
        ("zip entry of 3 GB", zip(&[ZipFile { data: tarred.clone(), ..file.clone() }])),
    ] {
        let start = Instant::now();
        let artifact = open("x", &bytes);
        let problem = artifact.tree().nodes.iter().find_map(|node| node.problem.clone());
        // A gzip of zeros is no recording: it is listed after a look at its start, and nothing more of it is unpacked.
        if what == "gzip of 10 GB" {
            assert!(start.elapsed() < Duration::from_secs(2), "{what}: {:?}", start.elapsed());
            assert_eq!(problem, None);
            let opened = artifact.bytes_of(NodeId(0), &mut Unwatched);
            assert!(matches!(opened, Err(UnpackError::Ratio { .. })), "{opened:?}");
        } else {
            assert_eq!(problem.unwrap().code, "bomb", "{what}");
        }
    }
}

#[test]
fn hundred_thousand_entries_stop_at_the_limit() {
    let files: Vec<_> = (0..100_000).map(|number| ZipFile::deflated(format!("{number}"), b"x")).collect();
    let bytes = zip_shaped(&files, &ZipShape { zip64: true, ..Default::default() });
    let start = Instant::now();
    let artifact = open("x.zip", &bytes);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(artifact.tree().nodes.len(), 20_000);
    assert!(matches!(artifact.tree().nodes[0].notes[..], [Note::TooManyEntries { .. }]));
    // The same spread over many small archives.
    let inner = zip(&(0..1000).map(|number| ZipFile::stored(format!("{number}"), b"x")).collect::<Vec<_>>());
    let files: Vec<_> = (0..100).map(|number| ZipFile::deflated(format!("{number}.zip"), &inner)).collect();
    let start = Instant::now();
    let artifact = open("x.zip", &zip(&files));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert!(artifact.tree().nodes.len() <= 20_000, "{}", artifact.tree().nodes.len());
    assert_eq!(artifact.tree().notes, [Note::TooManyEntries { limit: 20_000 }]);
}

#[test]
fn looking_through_can_be_stopped() {
    let files: Vec<_> = (0..2000).map(|number| ZipFile::stored(format!("{number}"), b"x")).collect();
    let mut calls = 0;
    let stopped = Artifact::open("x.zip", zip(&files), &Limits::default(), &mut |_: u64, _: u64| {
        calls += 1;
        if calls > 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(stopped.unwrap_err(), UnpackError::Cancelled);
}

#[test]
fn the_tree_travels_by_postcard() {
    let artifact = open("results.zip", &corpus("testrun/results.zip"));
    let bytes = postcard::to_allocvec(artifact.tree()).unwrap();
    assert_eq!(&postcard::from_bytes::<Tree>(&bytes).unwrap(), artifact.tree());
}

#[test]
fn paths_name_one_file_each() {
    let artifact =
        open("x.zip", &zip(&[ZipFile::stored("a", TAPE), ZipFile::stored("a", TRACE), ZipFile::stored("../a", b"x")]));
    assert_eq!(outline(&artifact), [": Container", "a: Tape", "a (2): Trace", "a (3): Other"]);
    assert_eq!(artifact.tree().nodes[0].kind, Kind::Container(Container::Zip));
    assert_eq!(artifact.tree().nodes[0].notes.len(), 2, "{:?}", artifact.tree().nodes[0].notes);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spoilt_artifacts_never_panic(
        which in 0..5usize,
        spoils in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = match which {
            0 => corpus("testrun/results.zip"),
            1 => corpus("testrun/results.tar.gz"),
            2 => zip(&[ZipFile::stored("a.zip", &corpus("testrun/results.zip")), ZipFile::stored("log", LOG.as_bytes())]),
            3 => LOG.as_bytes().to_vec(),
            _ => corpus("testrun/results.json"),
        };
        for (at, byte) in spoils {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let limits = Limits { unpacked_bytes: 4 << 20, ..Limits::default() };
        let artifact = Artifact::open("x", bytes, &limits, &mut Unwatched).unwrap();
        for node in &artifact.tree().nodes {
            let _ = artifact.bytes_of(node.id, &mut Unwatched);
        }
        artifact.tree().nothing_to_open();
    }
}

#[test]
fn a_shell_reads_back_what_was_quoted() {
    for word in
        ["plain", "", "sp ace", "q'uo\"te", "$HOME `id` \\ * ? [a] {b} ! # ~ & ; | < >", "new\nline", "-dash", "é😀"]
    {
        let line = format!("printf %s {}", shell::quote(word));
        let output = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
        assert_eq!(output.stdout, word.as_bytes());
    }
}

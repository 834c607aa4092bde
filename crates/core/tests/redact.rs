//! Redaction: a secret put into any place of a recording is listed before it is shared, and is nowhere afterwards, in any of
//! its forms; and what is left is still a tape with every position where it was.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::{Duration, Instant};

use base64::Engine;
use proptest::prelude::*;
use tapedeck_core::bytes::Limits;
use tapedeck_core::link::redact::*;
use tapedeck_core::link::{Link, Source, parse, write};
use tapedeck_core::model::protocol::Pin;
use tapedeck_core::tape::write::{TapeWriter, Value};
use tapedeck_core::tape::{Tape, TapeBuilder, value};

const MODULE: (&[u8], i32, u32) = (b"<module>", 0, 1);

fn text(text: impl AsRef<[u8]>) -> Value {
    Value::Str(text.as_ref().to_vec())
}

fn open(tape: &[u8]) -> Tape {
    let mut builder = TapeBuilder::from_vec(tape.to_vec()).unwrap();
    builder.push(&[]).unwrap();
    builder.finish("x".to_owned(), vec![]).unwrap()
}

fn everything() -> Plan {
    Plan { kinds: Kind::ALL.to_vec(), texts: vec![] }
}

/// Every form in which a search finds a secret, written here anew and not taken from the code under test.
fn spellings(secret: &[u8]) -> Vec<Vec<u8>> {
    let map = |spell: &dyn Fn(u8) -> String| secret.iter().map(|byte| spell(*byte)).collect::<String>().into_bytes();
    let lossy = String::from_utf8_lossy(secret).into_owned();
    let json = serde_json::to_string(&lossy).unwrap();
    let ascii: String = json
        .chars()
        .map(|c| {
            if c.is_ascii() {
                c.to_string()
            } else {
                c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
            }
        })
        .collect();
    let mut list = vec![
        secret.to_vec(),
        json.as_bytes()[1..json.len() - 1].to_vec(),
        ascii.as_bytes()[1..ascii.len() - 1].to_vec(),
        map(&|byte| format!("{byte:02x}")),
        map(&|byte| format!("\\x{byte:02x}")),
        base64::engine::general_purpose::STANDARD_NO_PAD.encode(secret).into_bytes(),
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(secret).into_bytes(),
        // Cut as an A record cuts it.
        secret.iter().take(60).copied().collect(),
    ];
    // The last base64 character also depends on what follows.
    for form in &mut list[5..7] {
        form.pop();
    }
    let mut n_form = Vec::new();
    for byte in secret {
        match byte {
            b'"' | b'\\' => n_form.extend([b'\\', *byte]),
            b'\n' => n_form.extend(b"\\n"),
            b'\r' => n_form.extend(b"\\r"),
            0..0x20 => n_form.extend(format!("\\x{byte:02x}").bytes()),
            _ => n_form.push(*byte),
        }
    }
    list.push(n_form);
    list
}

fn holds(output: &[u8], secret: &[u8]) -> bool {
    spellings(secret).iter().any(|form| form.len() >= 4 && memchr::memmem::find(output, form).is_some())
}

/// Bytes as the buffer that `read_bytes_buf` gives.
fn buffer(bytes: &[u8]) -> Value {
    Value::Buffer(bytes.iter().map(|byte| f64::from(*byte)).collect())
}

/// A tape whose program handles a secret in every way that leaves it on the tape.
fn tape_with(secret: &[u8]) -> Vec<u8> {
    let mut tape = TapeWriter::new("0.40.0");
    let around = |before: &str, after: &str| text([before.as_bytes(), secret, after.as_bytes()].concat());
    tape.line(1);
    tape.input(b"random", &Value::Number(0.25));
    tape.assign(MODULE, b"x", &Value::Number(0.25));
    tape.line(2);
    tape.input(b"env_get", &text(secret));
    tape.assign(MODULE, b"env", &text(secret));
    tape.line(3);
    tape.input(b"read_text", &around("user=me\npassword=", "\nport=80\n"));
    tape.assign(MODULE, b"content", &around("user=me\npassword=", "\nport=80\n"));
    tape.assign((b"line_of", 1, 2), b"line", &around("password=", ""));
    tape.assign((b"line_of", 1, 2), b"value", &text(secret));
    tape.line(4);
    tape.input(b"read_bytes_buf", &buffer(secret));
    tape.input(b"http_request_headers", &Value::Dict(vec![(b"Authorization".to_vec(), around("Bearer ", ""))]));
    tape.input(
        b"some_new_builtin",
        &Value::List(vec![Value::Dict(vec![(secret.to_vec(), Value::Null)]), around("x", "y")]),
    );
    tape.assign(MODULE, b"hex", &text(secret.iter().map(|byte| format!("{byte:02x}")).collect::<String>()));
    tape.assign(MODULE, b"b64", &text(base64::engine::general_purpose::STANDARD.encode(secret)));
    tape.assign(MODULE, b"json", &text(serde_json::to_string(&String::from_utf8_lossy(secret)).unwrap()));
    tape.line(5);
    tape.assign(MODULE, b"state", &text("too hot"));
    tape.assign(MODULE, b"y", &Value::Number(22.5));
    let mut tape = tape.into_bytes();
    // A torn record, an unknown one, and a last line without an end.
    tape.extend(b"X ");
    tape.extend(secret.iter().filter(|byte| **byte != b'\n'));
    tape.extend(b"\nL 6\nN env_get=\"");
    tape.extend(secret.iter().filter(|byte| !matches!(byte, b'\n' | b'"' | b'\\')));
    tape
}

#[test]
fn a_secret_is_listed_before_and_nowhere_after() {
    let secret = b"s3cr3t-T0ken/with+odd \"quotes\" \\ and \t tab \x01 \xc3\xa9, longer than sixty bytes by far";
    let tape = tape_with(secret);
    assert!(holds(&tape, secret));
    let list = inventory(&tape);
    assert_eq!(list.kinds(), [Kind::Environment, Kind::FileContent, Kind::Header, Kind::Unknown]);
    let counted: Vec<_> = list.counts.iter().map(|count| count.records).collect();
    assert_eq!(counted, [2, 2, 1, 1]);
    assert!(
        list.examples.iter().any(|holding| holding.name == "env_get" && holding.preview.starts_with("s3cr3t-T0ken"))
    );
    assert!(list.examples.iter().all(|holding| tape[holding.byte as usize..].starts_with(b"N ")));

    let (clean, report) = redact_tape(&tape, &everything());
    assert!(!holds(&clean, secret), "{}", String::from_utf8_lossy(&clean));
    assert_eq!((report.inputs, report.assigns, report.lines), (6, 7, 1), "{}", String::from_utf8_lossy(&clean));
    assert!(
        report.warnings.iter().any(|text| text.contains("6 recorded inputs are no longer on this tape")),
        "{:?}",
        report.warnings
    );
    assert!(report.warnings.iter().any(|text| text.contains("computed from what was taken out")));
    // What has nothing to do with it stays.
    let clean_text = String::from_utf8_lossy(&clean);
    for kept in [
        "N random=0.25\n",
        "A x=0.25\n",
        "A state=\"too hot\"\n",
        "A y=22.5\n",
        "A env=<redacted>\n",
        "N env_get=<redacted>\n",
    ] {
        assert!(clean_text.contains(kept), "{kept}: {clean_text}");
    }
}

#[test]
fn what_is_left_is_a_tape_with_the_same_positions() {
    let tape = tape_with(b"a-secret-of-some-length");
    let (clean, _) = redact_tape(&tape, &everything());
    let (before, after) = (open(&tape), open(&clean));
    assert_eq!(
        (before.positions(), before.summary().nondet, before.summary().assigns),
        (after.positions(), after.summary().nondet, after.summary().assigns)
    );
    for position in 0..before.positions() {
        let position = tapedeck_core::model::Pos(position);
        assert_eq!(before.line_at(position), after.line_at(position));
    }
    assert_eq!(before.summary().bindings, after.summary().bindings);
    assert_eq!(tape.iter().filter(|byte| **byte == b'\n').count(), clean.iter().filter(|byte| **byte == b'\n').count());
    // A redacted input cannot be served on replay.
    assert!(value::read(TAPE_MARK).is_err());
}

#[test]
fn only_the_kinds_that_were_chosen_go() {
    let mut tape = TapeWriter::new("0.40.0");
    tape.line(1);
    tape.input(b"env_get", &text("the environment"));
    tape.input(b"read_text", &text("file content here"));
    tape.assign(MODULE, b"a", &text("the environment"));
    tape.assign(MODULE, b"b", &text("file content here"));
    let (clean, report) = redact_tape(&tape.into_bytes(), &Plan { kinds: vec![Kind::FileContent], texts: vec![] });
    assert_eq!(
        String::from_utf8(clean).unwrap(),
        "V 2 0.40.0\nL 1\nN env_get=\"the environment\"\nN read_text=<redacted>\nS <module> 0 1\nA a=\"the environment\"\nA b=<redacted>\n"
    );
    assert_eq!((report.inputs, report.assigns), (1, 1));
}

#[test]
fn parts_and_short_secrets_go_and_numbers_that_spell_one() {
    let mut tape = TapeWriter::new("0.40.0");
    tape.line(1);
    tape.input(b"env_get", &text("4711"));
    tape.input(b"env_get", &text("ok"));
    tape.input(b"read_text", &text("alpha=red42\nbeta=green\n"));
    tape.assign(MODULE, b"pin", &Value::Number(4711.0));
    tape.assign(MODULE, b"other", &Value::Number(4712.0));
    tape.assign(MODULE, b"said", &text("pin is 4711!"));
    tape.assign(MODULE, b"ok", &text("ok"));
    tape.assign(MODULE, b"book", &text("book"));
    tape.assign(MODULE, b"key", &text("red42"));
    tape.assign(MODULE, b"word", &text("greenish"));
    let (clean, report) = redact_tape(&tape.into_bytes(), &everything());
    let clean = String::from_utf8(clean).unwrap();
    for (kept, line) in [
        (false, "A pin=4711\n"),
        (true, "A other=4712\n"),
        (false, "A said=\"pin is 4711!\"\n"),
        (false, "A ok=\"ok\"\n"),
        (true, "A book=\"book\"\n"),
        (false, "A key=\"red42\"\n"),
        (true, "A word=\"greenish\"\n"),
    ] {
        assert_eq!(clean.contains(line), kept, "{line}: {clean}");
    }
    assert!(report.warnings.iter().any(|text| text.contains("shorter than four bytes")), "{:?}", report.warnings);
}

/// A string of an `A` record that is cut inside the secret holds only its beginning.
#[test]
fn a_secret_cut_at_sixty_bytes_goes_at_whatever_byte_it_is_cut() {
    let secret = "Sup3rS3cretValue";
    for before in 30..60 {
        let long = format!("{}{secret}", "-+".repeat(30)[..before].to_owned());
        let mut tape = TapeWriter::new("0.40.0");
        tape.line(1);
        tape.input(b"env_get", &text(secret));
        tape.assign(MODULE, b"x", &text(format!("{long} and more text behind it")));
        let (clean, _) = redact_tape(&tape.into_bytes(), &everything());
        let gone = String::from_utf8(clean).unwrap().contains("A x=<redacted>");
        // Fewer than four bytes of it tell little, and are found everywhere.
        assert_eq!(gone, before <= 56, "{before}");
    }
}

#[test]
fn home_paths_go_wherever_they_stand() {
    let mut tape = TapeWriter::new("0.40.0");
    tape.line(1);
    tape.input(b"getcwd", &text("/home/maria/work"));
    tape.input(b"some_builtin", &text(r"C:\Users\Maria K\x"));
    tape.assign(MODULE, b"log", &text("wrote /Users/maria/out.txt"));
    tape.assign(MODULE, b"tmp", &text("/tmp/out.txt"));
    let tape = tape.into_bytes();
    let list = inventory(&tape);
    let paths: Vec<_> =
        list.examples.iter().filter(|one| one.kind == Kind::HomePath).map(|one| one.preview.as_str()).collect();
    assert_eq!(paths, ["/home/maria", r":\\Users\\Maria", "/Users/maria"]);
    let plan = Plan { kinds: vec![Kind::HomePath], texts: vec![] };
    let (clean, _) = redact_tape(&tape, &plan);
    let clean = String::from_utf8(clean).unwrap();
    assert!(!clean.to_lowercase().contains("maria"), "{clean}");
    assert!(clean.contains("/tmp/out.txt"));
    let link = Link {
        source: Source::Inline {
            name: "x.tape".to_owned(),
            data: tape,
            code: Some(("/home/maria/x.eigs".to_owned(), b"p is \"/home/maria/x\"\nq is 1\n".to_vec())),
        },
        notes: Some("see /home/maria/work".to_owned()),
        ..Link::default()
    };
    let (clean, report) = redact_link(&link, &plan);
    let Source::Inline { code: Some((name, code)), .. } = &clean.source else { panic!() };
    assert_eq!(
        (name.as_str(), std::str::from_utf8(code).unwrap()),
        ("[redacted]/x.eigs", "p is \"[redacted]/x\"\nq is 1\n")
    );
    assert_eq!(clean.notes.as_deref(), Some("see [redacted]/work"));
    assert_eq!(report.places, 3);
}

#[test]
fn a_whole_link_holds_no_secret_afterwards() {
    let secret = "tok_9fK2\u{e9}\"x\\y\u{1f600}zzz";
    let line_spanning = "first line of it\nsecond line of it";
    let mut other = TapeWriter::new("0.40.0");
    other.line(1);
    other.assign(MODULE, b"copied", &text(secret));
    let trace = format!(
        "{{\"request\": \"x\", \"steps\": [{{\"tool\": \"t\", \"args\": {{\"key\": {}}}}}]}}",
        serde_json::to_string(secret).unwrap()
    );
    for second in [other.into_bytes(), trace.into_bytes()] {
        let link = Link {
            source: Source::Inline {
                name: format!("{secret}.tape"),
                data: tape_with(secret.as_bytes()),
                code: Some((
                    format!("{secret}.eigs"),
                    format!("token is \"{secret}\"\nprint of 1\n# {line_spanning}\n").into_bytes(),
                )),
            },
            second: Source::Inline { name: "b".to_owned(), data: second, code: None },
            file: Some(format!("a/{secret}")),
            selected: Some(Pin { function: Some(secret.to_owned()), name: "x".to_owned() }),
            pins: vec![Pin { function: None, name: format!("token == \"{secret}\"") }],
            question: Some(format!("when is token = {secret}")),
            search: Some(secret.to_owned()),
            notes: Some(format!("it is {secret}, and\n{line_spanning}.")),
            ..Link::default()
        };
        let unredacted = write(&link);
        assert!(holds(
            format!("{:?}", parse(&unredacted, &Limits::default()).unwrap()).as_bytes(),
            "first line of it".as_bytes()
        ));
        let plan = Plan { kinds: Kind::ALL.to_vec(), texts: vec![line_spanning.to_owned()] };
        let (clean, report) = redact_link(&link, &plan);
        let text = write(&clean);
        assert!(!holds(text.as_bytes(), secret.as_bytes()), "{text}");
        // What the receiver sees: everything in it, unpacked.
        let back = parse(&text, &Limits::default()).unwrap().link;
        assert_eq!(back, clean);
        let mut all = Vec::new();
        for source in [&back.source, &back.second] {
            let Source::Inline { name, data, code } = source else { panic!() };
            all.extend(name.bytes());
            all.extend(data);
            if let Some((name, code)) = code {
                all.extend(name.bytes());
                all.extend(code);
            }
        }
        all.extend(
            serde_json::to_vec(&(&back.file, &back.selected, &back.pins, &back.question, &back.search, &back.notes))
                .unwrap(),
        );
        assert!(!holds(&all, secret.as_bytes()), "{}", String::from_utf8_lossy(&all));
        assert!(!holds(&all, b"second line of it") && !holds(&all, b"first line of it"));
        assert!(report.places >= 8, "{report:?}");
        let Source::Inline { code: Some((_, code)), .. } = &back.source else { panic!() };
        assert_eq!(code.iter().filter(|byte| **byte == b'\n').count(), 4, "lines keep their numbers");
        // Recordings stay what they were.
        let Source::Inline { data, .. } = &back.second else { panic!() };
        let Source::Inline { data: original, .. } = &link.second else { panic!() };
        assert_eq!(tapedeck_core::bytes::sniff(data), tapedeck_core::bytes::sniff(original));
    }
}

#[test]
fn an_address_that_holds_a_secret_is_warned_of() {
    let link = Link {
        source: Source::Url { url: "https://ci.example/x?token=abcdef123".to_owned(), sha256: None },
        ..Link::default()
    };
    let (clean, report) = redact_link(&link, &Plan { kinds: vec![], texts: vec!["abcdef123".to_owned()] });
    assert_eq!(clean, link);
    assert!(report.warnings[0].contains("cannot be changed"), "{report:?}");
}

#[test]
fn nothing_chosen_changes_nothing() {
    let tape = tape_with(b"a-secret-of-some-length");
    assert_eq!(redact_tape(&tape, &Plan::default()), (tape.clone(), Report::default()));
}

#[test]
fn an_unset_variable_and_plain_numbers_are_no_holdings() {
    let mut tape = TapeWriter::new("0.40.0");
    tape.line(1);
    tape.input(b"env_get", &Value::Null);
    tape.input(b"random_int", &Value::Number(4.0));
    tape.input(b"monotonic_ms", &Value::Number(17.5));
    tape.input(b"file_exists", &Value::Number(1.0));
    assert_eq!(inventory(&tape.into_bytes()), Inventory::default());
}

#[test]
fn a_large_tape_is_redacted_in_reasonable_time() {
    let mut tape = TapeWriter::new("0.40.0");
    let secret: String = (0..20_000).map(|number| format!("line {number} of the file\n")).collect();
    for part in secret.as_bytes().chunks(60_000) {
        tape.line(1);
        tape.input(b"read_text", &text(part));
    }
    for number in 0..200_000 {
        tape.line(number % 50);
        tape.assign(MODULE, b"a", &text(format!("value {number} of something else")));
    }
    let tape = tape.into_bytes();
    let start = Instant::now();
    let (clean, report) = redact_tape(&tape, &everything());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert!(report.inputs > 5 && clean.len() < tape.len(), "{report:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_secret_is_nowhere_after(secret in prop_oneof![
        proptest::collection::vec(any::<u8>(), 8..200),
        "[ -~]{8,100}".prop_map(String::into_bytes),
        "[\\x00-\\x1f\"\\\\é😀a-z]{8,80}".prop_map(String::into_bytes),
    ]) {
        // One byte over and over is found everywhere, and is no secret.
        prop_assume!(secret.windows(2).any(|pair| pair[0] != pair[1]));
        let tape = tape_with(&secret);
        let (clean, _) = redact_tape(&tape, &everything());
        prop_assert!(!holds(&clean, &secret), "{:?}\n{}", String::from_utf8_lossy(&secret), String::from_utf8_lossy(&clean));
        let link = Link {
            source: Source::Inline { name: "x".to_owned(), data: tape, code: Some(("y".to_owned(), [b"# ", secret.as_slice(), b"\n"].concat())) },
            notes: Some(String::from_utf8_lossy(&secret).into_owned()),
            ..Link::default()
        };
        let (clean, _) = redact_link(&link, &everything());
        let Source::Inline { data, code: Some((_, code)), .. } = &parse(&write(&clean), &Limits::default()).unwrap().link.source else { panic!() };
        prop_assert!(!holds(data, &secret) && !holds(code, &secret));
        if std::str::from_utf8(&secret).is_ok() {
            prop_assert!(!holds(clean.notes.unwrap().as_bytes(), &secret));
        }
    }

    #[test]
    fn any_bytes_are_redacted_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..500), more in "([ANSLVX] [a-z_]{0,8}=?[\"\\\\xb\\[\\]{}:0-9a-f…]{0,20}\n){0,8}") {
        let tape = [b"V 2 0.40.0\n", more.as_bytes(), &bytes].concat();
        let (clean, _) = redact_tape(&tape, &everything());
        prop_assert_eq!(clean.iter().filter(|byte| **byte == b'\n').count(), tape.iter().filter(|byte| **byte == b'\n').count());
        inventory(&tape);
    }
}

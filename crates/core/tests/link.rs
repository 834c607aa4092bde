//! Links: what is written is read back field by field; what was cut, damaged, decorated or is too new is said to be.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::path::PathBuf;

use proptest::prelude::*;
use support::corpus;
use tapedeck_core::bytes::Limits;
use tapedeck_core::link::*;
use tapedeck_core::model::protocol::Pin;

const TAPE: &[u8] = b"V 2 0.40.0\nL 1\nA x=1\n";

fn limits() -> Limits {
    Limits::default()
}

fn read(text: &str) -> Parsed {
    parse(text, &limits()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn name(name: &str) -> Pin {
    Pin { function: None, name: name.to_owned() }
}

fn inline(data: &[u8]) -> Source {
    Source::Inline { name: "run.tape".to_owned(), data: data.to_vec(), code: None }
}

fn url(url: &str) -> Source {
    Source::Url { url: url.to_owned(), sha256: None }
}

/// A link with everything in it.
fn full() -> Link {
    Link {
        source: Source::Inline {
            name: "temp & co.tape".to_owned(),
            data: corpus("testrun/tapes/test_dice.tape"),
            code: Some(("test_dice.eigs".to_owned(), corpus("testrun/tests/test_dice.eigs"))),
        },
        second: Source::Url { url: "https://ci.example/a b/run.zip?job=7&x=ü#y".to_owned(), sha256: Some([0xa5; 32]) },
        file: Some("job.zip/tapes/test_dice.tape".to_owned()),
        position: Some(870),
        range: Some((1, u64::MAX)),
        selected: Some(Pin { function: Some("read:sensor".to_owned()), name: "a,b".to_owned() }),
        breakpoints: vec![3, -1, 17],
        pins: vec![name("temp"), name("x + y"), Pin { function: Some("<module>".to_owned()), name: "é".to_owned() }],
        question: Some("what is temp at 17?".to_owned()),
        search: Some("100%25 & more = \"less\"".to_owned()),
        theme: Some(Theme::Dark),
        notes: Some("look here:\n- it goes wrong (I think).".to_owned()),
        replay_version: Some("0.40.0".to_owned()),
    }
}

#[test]
fn everything_comes_back() {
    for link in [
        full(),
        Link::default(),
        Link { source: inline(TAPE), ..Link::default() },
        Link { source: inline(b""), ..Link::default() },
    ] {
        let text = write(&link);
        assert!(text.is_ascii() && !text.contains(' '), "{text}");
        assert!(text.ends_with(|last: char| last.is_ascii_alphanumeric()), "{text}");
        assert_eq!(read(&text), Parsed { link: link.clone(), notes: vec![] });
        assert_eq!(read(text.trim_start_matches('#')).link, link, "without #");
    }
}

#[test]
fn data_stays_small() {
    let text = write(&Link { source: inline(&corpus("testrun/tapes/test_dice.tape")), ..Link::default() });
    assert!(text.len() < 300, "{}", text.len());
}

/// Every link of tests/links, and what it says. These files are never changed: a link that was once sent must open for ever.
#[test]
fn frozen_links_read_as_they_always_did() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/links");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "link"));
    files.sort();
    let mut kinds = Vec::new();
    for file in files {
        let parsed = read(&std::fs::read_to_string(&file).unwrap());
        let expected = std::fs::read_to_string(file.with_extension("json")).unwrap();
        let expected: Link = serde_json::from_str(&expected).unwrap();
        assert_eq!(parsed.link, expected, "{}", file.display());
        assert_eq!(parsed.notes, [], "{}", file.display());
        kinds.push(file.file_stem().unwrap().to_string_lossy().into_owned());
    }
    assert_eq!(
        kinds,
        [
            "v1_compare",
            "v1_empty",
            "v1_everything",
            "v1_file_in_artifact",
            "v1_hand_written",
            "v1_inline_tape",
            "v1_inline_trace",
            "v1_url"
        ]
    );
}

#[test]
fn a_link_cut_anywhere_says_that_it_was_cut() {
    for link in [full(), Link { source: url("https://ci.example/run.zip"), position: Some(8_700), ..Link::default() }] {
        let text = write(&link);
        for len in 2..text.len() {
            for decorated in [
                text[..len].to_owned(),
                format!("{}.", &text[..len]),
                format!("{}…", &text[..len]),
                format!("{}...", &text[..len]),
            ] {
                match parse(&decorated, &limits()) {
                    Err(error @ LinkError::Cut { .. }) => assert!(error.to_string().starts_with("This link was cut")),
                    other => panic!("{len}, {decorated}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn a_cut_link_still_gives_its_address_when_that_is_whole() {
    let text = write(&Link { source: url("https://ci.example/run.zip"), position: Some(8_700), ..Link::default() });
    let error = parse(&text[..text.len() - 2], &limits()).unwrap_err();
    assert_eq!(
        error,
        LinkError::Cut {
            have: text.len() - 3,
            want: Some(text.len() - 1),
            url: Some("https://ci.example/run.zip".to_owned())
        }
    );
    let error = parse(&text[..text.len() - 12], &limits()).unwrap_err();
    assert!(matches!(error, LinkError::Cut { url: None, .. }), "{error:?}");
}

#[test]
fn a_link_with_a_changed_character_is_never_taken_for_a_whole_one() {
    let link = full();
    let text = write(&link);
    let (mut refused, mut noted) = (0, 0);
    for at in 1..text.len() {
        for other in ['x', '7', '&', '='] {
            if text[at..].starts_with(other) {
                continue;
            }
            let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            match parse(&changed, &limits()) {
                Err(error) => {
                    assert!(matches!(error.code(), "damaged" | "newer" | "not-a-link" | "cut"), "{at}: {error}");
                    refused += 1;
                }
                Ok(parsed) => {
                    assert!(!parsed.notes.is_empty(), "{at} {other}: {changed}");
                    noted += 1;
                }
            }
        }
    }
    assert!(refused > 100 && noted > 100, "{refused} {noted}");
}

#[test]
fn changed_data_is_damaged_even_when_the_check_of_the_whole_is_taken_away() {
    let text = write(&Link { source: inline(&TAPE.repeat(20)), ..Link::default() });
    let (head, data) = text.rsplit_once('.').unwrap();
    let (_, field) = head.split_once("&n=").unwrap();
    let unchecked = |data: &str| format!("#1&n={field}.{data}");
    assert_eq!(read(&unchecked(data)).link.source, inline(&TAPE.repeat(20)));
    for at in 0..data.len() - 4 {
        let flipped = if data[at..].starts_with('A') { 'B' } else { 'A' };
        let changed = format!("{}{flipped}{}", &data[..at], &data[at + 1..]);
        if let Err(error) = parse(&unchecked(&changed), &limits()) {
            assert_eq!(error.code(), "damaged", "{at}");
        } else {
            // Bits behind the last byte of base64 mean nothing.
            assert_eq!(read(&unchecked(&changed)).link.source, inline(&TAPE.repeat(20)), "{at}");
        }
        let cut = parse(&unchecked(&data[..at]), &limits()).unwrap_err();
        assert_eq!(cut.code(), "cut", "{at}");
    }
}

#[test]
fn what_chat_programs_put_behind_a_link_is_left_out() {
    let link = full();
    let text = write(&link);
    for behind in [".", ")", ">", ").", "\n", " ", "**", "”", "…"] {
        assert_eq!(read(&format!("{text}{behind}")), Parsed { link: link.clone(), notes: vec![] }, "{behind}");
    }
    let tracked = read(&format!("{text}&utm_source=mail"));
    assert_eq!(tracked.link, link);
    assert_eq!(tracked.notes, [LinkNote::Trailing { text: "&utm_source=mail".to_owned() }]);
    let escaped = read(&text.replace('&', "&amp;"));
    assert_eq!((escaped.link, escaped.notes), (link, vec![LinkNote::HtmlEscaped]));
}

#[test]
fn base64_padding_does_not_matter() {
    for data in [&b"a"[..], b"ab", b"abc", b"abcd"] {
        let text = write(&Link { source: inline(data), ..Link::default() });
        let unchecked = format!("#1&{}", text.split_once("&n=").map(|(_, rest)| format!("n={rest}")).unwrap());
        for padding in ["", "=", "==", "%3D"] {
            assert_eq!(read(&format!("{unchecked}{padding}")).link.source, inline(data));
        }
    }
}

#[test]
fn newer_and_strange_fragments_are_told_apart() {
    let error = |text: &str| parse(text, &limits()).unwrap_err();
    assert_eq!(error("#2&u=https://x/"), LinkError::Newer { version: "2".to_owned() });
    assert_eq!(error("#99999999999999999999&u=x").code(), "newer");
    assert!(error("#2&u=x").to_string().contains("needs a newer Tapedeck"));
    assert_eq!(error("#0&u=x").code(), "damaged");
    assert_eq!(error("#section-2").code(), "not-a-link");
    assert_eq!(error("").code(), "not-a-link");
    for text in ["#2&u=x", "#0", "#x", "#1"] {
        assert!(error(text).advice().ends_with('.') && error(text).to_string().ends_with('.'), "{text}");
    }
}

#[test]
fn links_written_by_hand_need_no_check_sum() {
    let parsed = read("#u=https://ci.example/run.zip&p=5");
    assert_eq!(parsed, read("#1&u=https://ci.example/run.zip&p=5."));
    assert_eq!(parsed.link, Link { source: url("https://ci.example/run.zip"), position: Some(5), ..Link::default() });
    assert_eq!(parsed.notes, []);
    let odd = read("#1&u=x&p=0&r=9-3&t=blue&b=1,x,2&zz=1&p=7&yy");
    assert_eq!(odd.link, Link { source: url("x"), breakpoints: vec![1, 2], ..Link::default() });
    let said: Vec<_> = odd.notes.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 6, "{said:#?}");
    assert!(said.iter().any(|text| text.contains("`zz` and `yy`")), "{said:#?}");
    assert!(said.iter().any(|text| text.contains("\"9-3\" is no range")), "{said:#?}");
}

#[test]
fn an_address_with_bare_ampersands_is_noticed() {
    let parsed = read("#1&u=https://ci.example/run?job=7&token=abc&p=5");
    assert_eq!(parsed.link.source, url("https://ci.example/run?job=7"));
    let expected = LinkNote::UnencodedAmpersand {
        url: "https://ci.example/run?job=7".to_owned(),
        keys: vec!["token".to_owned(), "p".to_owned()],
    };
    assert!(parsed.notes.contains(&expected), "{:?}", parsed.notes);
    assert!(expected.to_string().contains("%26"));
    let encoded =
        write(&Link { source: url("https://ci.example/run?job=7&token=abc"), position: Some(5), ..Link::default() });
    assert_eq!(read(&encoded).notes, []);
}

#[test]
fn addresses_that_may_hold_a_token_must_be_confirmed() {
    for (address, confirm) in [
        ("https://ci.example/run.zip", false),
        ("https://ci.example/run.zip?x=1", true),
        ("https://me:secret@ci.example/run.zip", true),
        ("https://ci.example/@me/run.zip", false),
        ("run.zip", false),
    ] {
        assert_eq!(url(address).must_confirm(), confirm, "{address}");
    }
    assert!(!inline(b"").must_confirm());
}

#[test]
fn a_broken_hash_is_damage() {
    for hash in ["12", "zz", &"+1".repeat(32), &"a".repeat(65)] {
        let error = parse(&format!("#1&u=https://x/&h={hash}"), &limits()).unwrap_err();
        assert_eq!(error.code(), "damaged", "{hash}");
    }
}

#[test]
fn a_bomb_in_a_link_is_stopped() {
    let lowered = Limits { unpacked_bytes: 1 << 20, ..limits() };
    let text = write(&Link { source: inline(&vec![0; 4 << 20]), ..Link::default() });
    assert_eq!(parse(&text, &lowered).unwrap_err().code(), "unpack");
    assert_eq!(read(&text).link.source, inline(&vec![0; 4 << 20]));
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,20}",
        "[ -~]{0,20}",
        "[&=%#,:.+]{1,6}",
        proptest::collection::vec(any::<char>(), 0..8).prop_map(String::from_iter)
    ]
}

fn any_pin() -> impl Strategy<Value = Pin> {
    (proptest::option::of(any_text()), any_text()).prop_map(|(function, name)| Pin { function, name })
}

fn any_source() -> impl Strategy<Value = Source> {
    let data = || proptest::collection::vec(any::<u8>(), 0..200);
    prop_oneof![
        Just(Source::None),
        (any_text(), proptest::option::of(any::<[u8; 32]>())).prop_map(|(url, sha256)| Source::Url { url, sha256 }),
        (any_text(), data(), proptest::option::of((any_text(), data())))
            .prop_map(|(name, data, code)| Source::Inline { name, data, code }),
    ]
}

fn any_link() -> impl Strategy<Value = Link> {
    let text = || proptest::option::of(any_text());
    let range = proptest::option::of((1..u64::MAX, 1..u64::MAX).prop_map(|(a, b)| (a.min(b), a.max(b))));
    (
        (any_source(), any_source(), text(), proptest::option::of(1..u64::MAX), range),
        (
            proptest::option::of(any_pin()),
            proptest::collection::vec(any::<i32>(), 0..4),
            proptest::collection::vec(any_pin(), 0..4),
        ),
        (text(), text(), proptest::option::of(prop_oneof![Just(Theme::Light), Just(Theme::Dark)]), text(), text()),
    )
        .prop_map(
            |(
                (source, second, file, position, range),
                (selected, breakpoints, pins),
                (question, search, theme, notes, replay_version),
            )| Link {
                source,
                second,
                file,
                position,
                range,
                selected,
                breakpoints,
                pins,
                question,
                search,
                theme,
                notes,
                replay_version,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_link_comes_back(link in any_link()) {
        let text = write(&link);
        prop_assert_eq!(read(&text), Parsed { link, notes: vec![] });
    }

    #[test]
    fn any_link_cut_anywhere_is_cut(link in any_link(), at in any::<prop::sample::Index>()) {
        let text = write(&link);
        let len = 2 + at.index(text.len() - 2);
        prop_assert_eq!(parse(&text[..len], &limits()).unwrap_err().code(), "cut");
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in any_text(), more in "(#1)?(&[a-z/2]{1,3}=[-%0-9a-z.,:]{0,12}){0,5}") {
        let _ = parse(&text, &limits());
        let _ = parse(&format!("{more}{text}"), &limits());
        let _ = parse(&format!("#1&z={text}"), &limits());
        let _ = parse(&format!("#1&d={text}"), &limits());
    }
}

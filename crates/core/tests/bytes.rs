//! Unpacking: every container in every shape that CI and people produce, the dishonest ones, and every limit.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use support::{ZipFile, ZipShape, bundle, corpus, deflate_repeated, gzip, gzip_around, noise, tar, zip, zip_shaped};
use tapedeck_core::bytes::*;

const TAPE: &[u8] = b"V 2 0.40.0\nL 1\nA x=1\n";

fn limits() -> Limits {
    Limits::default()
}

fn unzip(bytes: &[u8]) -> Vec<(String, Result<Vec<u8>, UnpackError>)> {
    let listing = list(bytes, Container::Zip, &limits()).unwrap();
    contents(bytes, &listing)
}

fn contents(bytes: &[u8], listing: &Listing) -> Vec<(String, Result<Vec<u8>, UnpackError>)> {
    listing
        .entries
        .iter()
        .map(|entry| (entry.name.clone(), read(bytes, entry, &limits(), &mut Unwatched).map(Cow::into_owned)))
        .collect()
}

fn named(name: &str, content: &[u8]) -> (String, Result<Vec<u8>, UnpackError>) {
    (name.to_owned(), Ok(content.to_vec()))
}

#[test]
fn sniffing_goes_by_content() {
    let utf16: Vec<u8> = "V 2 0.40.0\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf16_be: Vec<u8> = "V 2 0.40.0\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let utf32: Vec<u8> = "V 2 0.40.0\n".chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
    let with_mark = |mark: &[u8], rest: &[u8]| [mark, rest].concat();
    let cases: Vec<(&str, Vec<u8>, Kind)> = vec![
        ("nothing", vec![], Kind::Empty),
        ("a tape", TAPE.to_vec(), Kind::Tape),
        ("a tape with NULs", b"V 2 0.40.0\0\nL 1\nA x=\0\0\n".to_vec(), Kind::Tape),
        ("another format", b"V 1 0.40.0\nL 1\n".to_vec(), Kind::Tape),
        ("format +2", b"V +2 0.40.0\n".to_vec(), Kind::Tape),
        ("torn after V", b"V".to_vec(), Kind::Tape),
        ("torn after V and a space", b"V ".to_vec(), Kind::Tape),
        ("torn after V 2", b"V 2\n".to_vec(), Kind::Tape),
        ("a tab", b"V\t2 0.40.0\nL 1\n".to_vec(), Kind::Tape),
        ("no header", b"L 1\nA x=1\n".to_vec(), Kind::Tape),
        ("a blank line first", b"\nV 2 0.40.0\nL 1\n".to_vec(), Kind::Text),
        ("a small v", b"v 2 0.40.0\nL 1\nA x=1\n".to_vec(), Kind::Tape),
        ("a tape that holds a zip's end", [TAPE, b"N read_bytes=\"PK\x05\x06\"\n"].concat(), Kind::Tape),
        ("prose with V", b"Very well, this is prose.\n".to_vec(), Kind::Text),
        ("prose with L", b"L 5 is a station.\nA line=of text\nand more\nand more\n".to_vec(), Kind::Text),
        ("a trace", br#" {"request": "x", "steps": []}"#.to_vec(), Kind::Trace),
        ("a trace record", br#"{"prompt":"p","steps":[],"outcome":1,"provenance":{}}"#.to_vec(), Kind::Trace),
        ("steps alone", br#"{"steps": [{"request": 1}]}"#.to_vec(), Kind::Trace),
        ("steps inside", br#"{"a": {"steps": 1, "request": 2}}"#.to_vec(), Kind::Json),
        ("a value that says steps", br#"{"a": "steps", "b": "request"}"#.to_vec(), Kind::Json),
        ("results", br#"{"files":1,"passed":1,"failed":0,"results":[]}"#.to_vec(), Kind::TestResults),
        ("a list", b"[1, 2]".to_vec(), Kind::Json),
        ("a list of NaN", b"[NaN, -Infinity]".to_vec(), Kind::Json),
        ("a log with brackets", b"[info] started\n".to_vec(), Kind::Text),
        ("a log with times in brackets", b"[2026-01-02T03:04:05.000Z] started\n".to_vec(), Kind::Text),
        ("braces that are no JSON", b"{ not json }".to_vec(), Kind::Text),
        ("gzip", gzip(TAPE), Kind::Container(Container::Gzip)),
        ("zip", zip(&[ZipFile::stored("a", TAPE)]), Kind::Container(Container::Zip)),
        ("empty zip", zip(&[]), Kind::Container(Container::Zip)),
        (
            "self-extracting zip",
            zip_shaped(
                &[ZipFile::stored("a", TAPE)],
                &ZipShape { leading: [b"MZ".as_slice(), &[0; 300]].concat(), ..Default::default() },
            ),
            Kind::Container(Container::Zip),
        ),
        (
            "zip behind a script",
            zip_shaped(
                &[ZipFile::stored("a", TAPE)],
                &ZipShape { leading: b"#!/bin/sh\n".to_vec(), ..Default::default() },
            ),
            Kind::Container(Container::Zip),
        ),
        ("tar", tar(&[("a.tape", TAPE)]), Kind::Container(Container::Tar)),
        ("bundle", bundle(b"\x7fELF...", &[("a.eigs", b"x is 1\n")]), Kind::Container(Container::Bundle)),
        ("bundle of the corpus", corpus("bundle/thermostat.bundle"), Kind::Container(Container::Bundle)),
        ("cut bundle", corpus("bundle/cut.bundle"), Kind::Container(Container::Bundle)),
        ("program", b"\x7fELF and more".to_vec(), Kind::Known(Known::Executable)),
        ("BOM", with_mark(&[0xef, 0xbb, 0xbf], TAPE), Kind::Encoded(Encoding::Utf8Bom)),
        ("UTF-16 with a mark", with_mark(&[0xff, 0xfe], &utf16), Kind::Encoded(Encoding::Utf16Le)),
        ("UTF-16 BE with a mark", with_mark(&[0xfe, 0xff], &utf16_be), Kind::Encoded(Encoding::Utf16Be)),
        ("UTF-16", utf16, Kind::Encoded(Encoding::Utf16Le)),
        ("UTF-16 BE", utf16_be, Kind::Encoded(Encoding::Utf16Be)),
        ("UTF-32", utf32.clone(), Kind::Encoded(Encoding::Utf32Le)),
        ("UTF-32 with a mark", with_mark(&[0xff, 0xfe, 0, 0], &utf32), Kind::Encoded(Encoding::Utf32Le)),
        ("wasm", b"\0asm\x01\0\0\0".to_vec(), Kind::Wasm),
        ("HTML", b"\n<!DOCTYPE html><title>Sign in</title>".to_vec(), Kind::Known(Known::Html)),
        (
            "LFS",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n".to_vec(),
            Kind::Known(Known::GitLfsPointer),
        ),
        ("zstd", vec![0x28, 0xb5, 0x2f, 0xfd, 0], Kind::Known(Known::Zstd)),
        ("a source", b"x is 1\nprint of x\n".to_vec(), Kind::Text),
        ("a log", b"2026-01-02T03:04:05.0000000Z   FAIL  tests/test_a.eigs  (exit 1)\n".to_vec(), Kind::TestLog),
        (
            "a log with JSON in it",
            b"Error line 1: x\n{\"files\":2,\"passed\":1,\"failed\":1,\"results\":[]}\n".to_vec(),
            Kind::TestLog,
        ),
        ("random bytes", noise(1000), Kind::Other),
        ("zeros", vec![0; 2000], Kind::Other),
    ];
    for (what, bytes, kind) in cases {
        assert_eq!(sniff(&bytes), kind, "{what}");
    }
}

#[test]
fn a_log_whose_test_lines_come_late_is_known_whole() {
    let mut log = "compiling, compiling\n".repeat(100_000).into_bytes();
    assert_eq!(sniff(&log), Kind::Text);
    log.extend(b"  FAIL  tests/test_a.eigs  (exit 1)\n");
    assert_eq!(sniff(&log), Kind::TestLog);
}

#[test]
fn gzip_of_one_and_of_many_members() {
    let one = gunzip(&gzip(TAPE), &limits(), &mut Unwatched).unwrap();
    assert_eq!((one.bytes.as_slice(), one.members, one.notes), (TAPE, 1, vec![]));
    let many = [gzip(b"V 2 0.40.0\n"), gzip(b""), gzip(b"L 1\n")].concat();
    let many = gunzip(&many, &limits(), &mut Unwatched).unwrap();
    assert_eq!(many.bytes, b"V 2 0.40.0\nL 1\n");
    assert_eq!((many.members, many.notes), (3, vec![Note::GzipMembers { members: 3 }]));
}

#[test]
fn gzip_of_the_corpus() {
    let unpacked = gunzip(&corpus("testrun/test_dice.tape.gz"), &limits(), &mut Unwatched).unwrap();
    assert_eq!(unpacked.bytes, corpus("testrun/tapes/test_dice.tape"));
}

#[test]
fn gzip_headers_with_every_field() {
    let plain = gzip(TAPE);
    let body = &plain[10..];
    let mut full = vec![0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3, 3, 0, 1, 2, 3];
    full.extend(b"run.tape\0a comment\0\x12\x34");
    full.extend(body);
    let unpacked = gunzip(&full, &limits(), &mut Unwatched).unwrap();
    assert_eq!((unpacked.bytes.as_slice(), unpacked.name.as_deref()), (TAPE, Some(&b"run.tape"[..])));
}

#[test]
fn gzip_with_something_behind_it() {
    let zeros = gunzip(&[gzip(TAPE), vec![0; 30]].concat(), &limits(), &mut Unwatched).unwrap();
    assert_eq!(zeros.bytes, TAPE);
    assert!(matches!(zeros.notes[..], [Note::GzipTrailing { bytes: 30, zeros: true, .. }]), "{:?}", zeros.notes);
    let rubbish = gunzip(&[gzip(TAPE), b"rubbish".to_vec()].concat(), &limits(), &mut Unwatched).unwrap();
    assert_eq!(rubbish.bytes, TAPE);
    assert!(matches!(rubbish.notes[..], [Note::GzipTrailing { bytes: 7, zeros: false, .. }]), "{:?}", rubbish.notes);
}

#[test]
fn gzip_cut_at_every_byte_says_so() {
    let tape = corpus("testrun/tapes/test_dice.tape");
    let whole = [gzip(&tape), gzip(b"L 11\n")].concat();
    let first = gzip(&tape).len();
    for len in 2..whole.len() {
        let cut = gunzip(&whole[..len], &limits(), &mut Unwatched);
        if len == first {
            assert_eq!(cut.unwrap().bytes, tape, "what is left is a whole gzip file");
            continue;
        }
        match cut {
            Err(UnpackError::GzipCut { byte }) => assert_eq!(byte, len as u64),
            Ok(unpacked) => {
                assert!(
                    unpacked.notes.iter().any(|note| matches!(note, Note::GzipCut { .. })),
                    "{len}: {:?}",
                    unpacked.notes
                );
                let all = [tape.as_slice(), b"L 11\n"].concat();
                assert!(all.starts_with(&unpacked.bytes), "{len}");
            }
            Err(other) => panic!("{len}: {other}"),
        }
    }
}

#[test]
fn gzip_with_a_changed_byte_never_gives_other_bytes() {
    let tape = corpus("testrun/tapes/test_dice.tape");
    let whole = gzip(&tape);
    let (mut refused, mut same) = (0, 0);
    for at in 2..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x21;
        match gunzip(&changed, &limits(), &mut Unwatched) {
            Err(error) => {
                refused += 1;
                assert!(matches!(error.code(), "damaged" | "cut"), "{at}: {error}");
            }
            Ok(unpacked) => {
                let cut = unpacked.notes.iter().any(|note| matches!(note, Note::GzipCut { .. }));
                assert!(unpacked.bytes == tape || cut, "{at}");
                same += 1;
            }
        }
    }
    assert!(refused > whole.len() / 2 && same > 0, "{refused} refused, {same} not");
}

#[test]
fn gzip_stops_when_it_is_told_to() {
    let packed = gzip(&noise(4 << 20));
    let mut calls = Vec::new();
    let stopped = gunzip(&packed, &limits(), &mut |done: u64, total: u64| {
        calls.push((done, total));
        if calls.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(stopped.unwrap_err(), UnpackError::Cancelled);
    assert_eq!(calls.len(), 3);
    assert!(
        calls.windows(2).all(|pair| pair[0].0 < pair[1].0) && calls.iter().all(|call| call.1 == packed.len() as u64),
        "{calls:?}"
    );
}

/// 10 GB of zeros in 10 MB: stopped at the stated limit, and within two seconds of meeting it.
#[test]
fn a_gzip_bomb_is_stopped_by_the_ratio() {
    let bomb = gzip_around(&deflate_repeated(&vec![0; 1 << 20], 10_000));
    assert!(bomb.len() < 12 << 20, "{}", bomb.len());
    let mut met = None;
    let start = Instant::now();
    let error = gunzip(&bomb, &limits(), &mut |_: u64, _: u64| {
        met = Some(Instant::now());
        ControlFlow::Continue(())
    });
    let took = met.map_or(start.elapsed(), |met| met.elapsed());
    assert!(matches!(error, Err(UnpackError::Ratio { unpacked, .. }) if unpacked < (513 << 20)), "{error:?}");
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn a_tight_loop_that_packs_400_to_1_opens_below_and_above_the_free_size() {
    // 400 to 1: a real tape's lines, repeated. Limits lowered in proportion, so that the test needs no gigabyte.
    let block = "L 3\nA x=1\n".repeat(100_000);
    let packed = gzip(block.as_bytes());
    let ratio = block.len() / packed.len();
    assert!((300..600).contains(&ratio), "{ratio}");
    let lowered = Limits { ratio_free_bytes: 100_000, ..limits() };
    assert_eq!(gunzip(&packed, &lowered, &mut Unwatched).unwrap().bytes.len(), block.len());
}

#[test]
fn a_stream_larger_than_the_limit_is_stopped_at_it() {
    let packed = gzip(&noise(3 << 20));
    let lowered = Limits { unpacked_bytes: 2 << 20, ..limits() };
    assert_eq!(gunzip(&packed, &lowered, &mut Unwatched).unwrap_err(), UnpackError::TooLarge { limit: 2 << 20 });
    // With the real limit: 1 GiB of a block that packs badly enough to pass the ratio.
    let block = [noise(8192), vec![7; 1 << 20]].concat();
    let bomb = gzip_around(&deflate_repeated(&block, 1100));
    let error = gunzip(&bomb, &limits(), &mut Unwatched).unwrap_err();
    assert_eq!(error, UnpackError::TooLarge { limit: 1 << 30 });
}

#[test]
fn zips_of_every_shape_give_the_same_files() {
    let files = [
        ZipFile::deflated("results.json", b"{}"),
        ZipFile::stored("tapes/a.tape", TAPE),
        ZipFile::deflated("tapes/b.tape", &TAPE.repeat(1000)),
        ZipFile::stored("tests/", b""),
        ZipFile::stored("empty", b""),
    ];
    let expected = [
        named("results.json", b"{}"),
        named("tapes/a.tape", TAPE),
        named("tapes/b.tape", &TAPE.repeat(1000)),
        named("empty", b""),
    ];
    let leading = || noise(5000);
    let shapes = [
        ("plain", ZipShape::default()),
        ("descriptors", ZipShape { descriptors: true, ..Default::default() }),
        ("Zip64", ZipShape { zip64: true, ..Default::default() }),
        ("Zip64, descriptors", ZipShape { zip64: true, descriptors: true, ..Default::default() }),
        ("comment", ZipShape { comment: b"build 17".to_vec(), ..Default::default() }),
        ("leading", ZipShape { leading: leading(), ..Default::default() }),
        ("leading, counted", ZipShape { leading: leading(), offsets_count_leading: true, ..Default::default() }),
        ("leading, Zip64", ZipShape { leading: leading(), zip64: true, ..Default::default() }),
        (
            "leading, Zip64, counted",
            ZipShape { leading: leading(), zip64: true, offsets_count_leading: true, ..Default::default() },
        ),
        ("trailing", ZipShape { trailing: b"\nsignature".to_vec(), ..Default::default() }),
        ("wrong count", ZipShape { count_lie: 3, ..Default::default() }),
    ];
    for (what, shape) in shapes {
        let bytes = zip_shaped(&files, &shape);
        assert_eq!(sniff(&bytes), Kind::Container(Container::Zip), "{what}");
        assert_eq!(unzip(&bytes), expected, "{what}");
        let notes = list(&bytes, Container::Zip, &limits()).unwrap().notes;
        assert_eq!(
            notes.iter().any(|note| matches!(note, Note::ZipLeading { bytes: 5000 })),
            !shape.leading.is_empty(),
            "{what}: {notes:?}"
        );
        assert_eq!(
            notes.iter().any(|note| matches!(note, Note::ZipTrailing { bytes: 10 })),
            !shape.trailing.is_empty(),
            "{what}: {notes:?}"
        );
        assert_eq!(
            notes.iter().any(|note| matches!(note, Note::ZipComment { .. })),
            !shape.comment.is_empty(),
            "{what}: {notes:?}"
        );
        assert_eq!(
            notes.iter().any(|note| matches!(note, Note::ZipCount { .. })),
            shape.count_lie > 0,
            "{what}: {notes:?}"
        );
    }
}

#[test]
fn zip_of_the_corpus() {
    let bytes = corpus("testrun/results.zip");
    let listing = list(&bytes, Container::Zip, &limits()).unwrap();
    assert_eq!(listing.notes, []);
    assert_eq!(listing.entries.len(), 8);
    for (name, content) in contents(&bytes, &listing) {
        assert_eq!(content.unwrap(), corpus(&format!("testrun/{name}")), "{name}");
    }
}

#[test]
fn zip_entries_that_cannot_be_read_say_why_and_leave_the_others_alone() {
    let good = || ZipFile::deflated("good", TAPE);
    let bad = |change: fn(&mut ZipFile)| {
        let mut file = ZipFile::deflated("bad", &TAPE.repeat(50));
        change(&mut file);
        file
    };
    type Check = fn(&UnpackError) -> bool;
    let cases: [(&str, ZipFile, Check); 7] = [
        (
            "bzip2",
            bad(|file| file.method = 12),
            |error| matches!(error, UnpackError::ZipMethod { method } if method.contains("bzip2")),
        ),
        (
            "unknown method",
            bad(|file| file.method = 777),
            |error| matches!(error, UnpackError::ZipMethod { method } if method.contains("777")),
        ),
        ("encrypted", bad(|file| file.flags = 1), |error| *error == UnpackError::ZipEncrypted),
        ("wrong CRC", bad(|file| file.crc ^= 1), |error| matches!(error, UnpackError::ZipChecksum { .. })),
        ("says less", bad(|file| file.size = 5), |error| *error == UnpackError::ZipSize { found: 6, stated: 5 }),
        ("says more", bad(|file| file.size = u32::MAX - 1), |error| {
            matches!(error, UnpackError::ZipSize { found: 1050, .. })
        }),
        ("no deflate", bad(|file| file.data = vec![0xff; 60]), |error| matches!(error, UnpackError::ZipDamaged { .. })),
    ];
    for (what, file, check) in cases {
        let unpacked = unzip(&zip(&[good(), file, good()]));
        assert_eq!(unpacked[0].1, Ok(TAPE.to_vec()), "{what}");
        assert!(unpacked[1].1.as_ref().is_err_and(check), "{what}: {:?}", unpacked[1]);
        assert_eq!(unpacked[2].1, Ok(TAPE.to_vec()), "{what}");
    }
}

#[test]
fn zip_entry_that_lies_about_its_size_costs_no_memory() {
    let mut lie = ZipFile::deflated("lie", b"");
    lie.data = deflate_repeated(&vec![0; 1 << 20], 5000);
    lie.size = 10;
    let start = Instant::now();
    assert_eq!(unzip(&zip(&[lie]))[0].1, Err(UnpackError::ZipSize { found: 11, stated: 10 }));
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn zip_bomb_with_an_honest_size_is_stopped_by_the_ratio() {
    let mut bomb = ZipFile::deflated("bomb", b"");
    bomb.data = deflate_repeated(&vec![0; 1 << 20], 3000);
    bomb.size = 3000 << 20;
    assert!(matches!(unzip(&zip(&[bomb]))[0].1, Err(UnpackError::Ratio { .. })));
}

#[test]
fn symbolic_links_in_a_zip_are_not_files() {
    let mut link = ZipFile::stored("link", b"/etc/passwd");
    link.mode = 0o120_777;
    let bytes = zip(&[link, ZipFile::stored("a", TAPE)]);
    let listing = list(&bytes, Container::Zip, &limits()).unwrap();
    assert_eq!(contents(&bytes, &listing), [named("a", TAPE)]);
    assert_eq!(listing.notes, [Note::NotAFile { name: "link".to_owned(), what: "a symbolic link".to_owned() }]);
}

#[test]
fn zip_cut_at_every_byte_is_an_error_that_says_so() {
    let whole = corpus("testrun/results.zip");
    for len in 0..whole.len() {
        let error = list(&whole[..len], Container::Zip, &limits()).unwrap_err();
        assert!(matches!(error, UnpackError::ZipDirectory { .. }), "{len}: {error:?}");
    }
}

#[test]
fn hundred_thousand_entries_stop_at_the_limit() {
    let files: Vec<_> = (0..100_000).map(|number| ZipFile::stored(format!("{number}"), b"")).collect();
    let bytes = zip_shaped(&files, &ZipShape { zip64: true, ..Default::default() });
    let start = Instant::now();
    let listing = list(&bytes, Container::Zip, &limits()).unwrap();
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(listing.entries.len(), limits::MAX_ENTRIES);
    assert_eq!(listing.notes, [Note::TooManyEntries { limit: limits::MAX_ENTRIES as u64 }]);
}

#[test]
fn a_flood_of_odd_names_is_counted_not_listed() {
    let files: Vec<_> = (0..5000).map(|number| ZipFile::stored(format!("../{number}"), b"")).collect();
    let listing = list(&zip(&files), Container::Zip, &limits()).unwrap();
    assert_eq!(listing.notes.len(), limits::MAX_NOTES + 1);
    assert_eq!(listing.notes.last(), Some(&Note::MoreNotes { more: 4900 }));
}

#[test]
fn tar_of_the_corpus() {
    let bytes = gunzip(&corpus("testrun/results.tar.gz"), &limits(), &mut Unwatched).unwrap().bytes;
    assert_eq!(sniff(&bytes), Kind::Container(Container::Tar));
    let listing = list(&bytes, Container::Tar, &limits()).unwrap();
    assert_eq!((listing.entries.len(), listing.notes.len()), (8, 0), "{:?}", listing.notes);
    for (name, content) in contents(&bytes, &listing) {
        assert_eq!(content.unwrap(), corpus(&format!("testrun/{name}")), "{name}");
    }
}

#[test]
fn tar_long_names_of_gnu_and_pax() {
    let long = format!("{}/b.tape", "a".repeat(300));
    let gnu = tar(&[(&long, TAPE), ("short", b"x")]);
    let listing = list(&gnu, Container::Tar, &limits()).unwrap();
    assert_eq!(contents(&gnu, &listing), [named(&long, TAPE), named("short", b"x")]);

    let mut builder = ::tar::Builder::new(Vec::new());
    builder.append_pax_extensions([("path", long.as_bytes()), ("comment", b"x")]).unwrap();
    let mut header = ::tar::Header::new_ustar();
    header.set_path("short").unwrap();
    header.set_size(TAPE.len() as u64);
    header.set_cksum();
    builder.append(&header, TAPE).unwrap();
    let pax = builder.into_inner().unwrap();
    let listing = list(&pax, Container::Tar, &limits()).unwrap();
    assert_eq!(contents(&pax, &listing), [named(&long, TAPE)]);
}

#[test]
fn tar_folders_links_and_sparse_files() {
    let mut builder = ::tar::Builder::new(Vec::new());
    let mut add = |kind: ::tar::EntryType, name: &str, link: &str, content: &[u8]| {
        let mut header = ::tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_path(name).unwrap();
        if !link.is_empty() {
            header.set_link_name(link).unwrap();
        }
        header.set_size(content.len() as u64);
        header.set_cksum();
        builder.append(&header, content).unwrap();
    };
    add(::tar::EntryType::Directory, "tapes/", "", b"");
    add(::tar::EntryType::Symlink, "latest", "tapes/a.tape", b"");
    add(::tar::EntryType::Regular, "tapes/a.tape", "", TAPE);
    let bytes = builder.into_inner().unwrap();
    let listing = list(&bytes, Container::Tar, &limits()).unwrap();
    assert_eq!(contents(&bytes, &listing), [named("tapes/a.tape", TAPE)]);
    assert_eq!(
        listing.notes,
        [Note::NotAFile { name: "latest".to_owned(), what: "a symbolic link to \"tapes/a.tape\"".to_owned() }]
    );
}

#[test]
fn tar_cut_at_every_byte_is_noted_or_refused() {
    let whole = tar(&[("a.tape", TAPE), ("b.tape", &TAPE.repeat(30)), ("c", b"c")]);
    for len in 512..whole.len() {
        match list(&whole[..len], Container::Tar, &limits()) {
            Err(error) => assert!(matches!(error, UnpackError::TarDamaged { .. }), "{len}: {error}"),
            Ok(listing) => {
                let cut =
                    listing.entries.iter().any(|entry| matches!(entry.body, Body::Closed(UnpackError::TarCut { .. })));
                let noted =
                    listing.notes.iter().any(|note| matches!(note, Note::TarNoEnd { .. } | Note::ListDamaged { .. }));
                assert!(cut || noted, "{len}: {listing:?}");
            }
        }
    }
    assert_eq!(list(&whole, Container::Tar, &limits()).unwrap().notes, []);
}

#[test]
fn tar_that_lies_about_a_size() {
    let mut whole = tar(&[("a.tape", TAPE)]);
    let size = &mut whole[124..136];
    size.copy_from_slice(b"77777777777\0");
    let sum: u32 = whole[..512]
        .iter()
        .enumerate()
        .map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u32::from(*byte) })
        .sum();
    whole[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let listing = list(&whole, Container::Tar, &limits()).unwrap();
    assert!(
        matches!(listing.entries[0].body, Body::Closed(UnpackError::TarCut { stated: 0o77777777777, .. })),
        "{listing:?}"
    );
}

#[test]
fn bundles_of_the_corpus() {
    let good = corpus("bundle/thermostat.bundle");
    let listing = list(&good, Container::Bundle, &limits()).unwrap();
    let names: Vec<_> = listing.entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["thermostat.eigs", "lib/notes.eigs", TAPE_ENTRY]);
    assert_eq!(listing.notes, []);
    let tape = read(&good, &listing.entries[2], &limits(), &mut Unwatched).unwrap();
    assert!(matches!(tape, Cow::Borrowed(_)), "nothing is copied");
    assert_eq!(sniff(&tape), Kind::Tape);

    let without = list(&corpus("bundle/no_tape.bundle"), Container::Bundle, &limits()).unwrap();
    assert_eq!(without.entries.len(), 1);
    let error = |name: &str| list(&corpus(&format!("bundle/{name}.bundle")), Container::Bundle, &limits()).unwrap_err();
    assert_eq!(error("cut"), UnpackError::BundleCut { archive: 3054 });
    assert_eq!(error("format_1"), UnpackError::BundleFormat { format: 3 - 2 });
    assert!(
        matches!(error("lying_length"), UnpackError::BundleDamaged { byte: 3078, .. }),
        "{}",
        error("lying_length")
    );
}

#[test]
fn bundle_cut_at_every_byte_says_so() {
    let whole = bundle(b"\x7fELF", &[("a.eigs", b"x is 1\n"), (TAPE_ENTRY, TAPE)]);
    for len in 28..whole.len() {
        assert_eq!(
            list(&whole[..len], Container::Bundle, &limits()).unwrap_err(),
            UnpackError::BundleCut { archive: 4 },
            "{len}"
        );
    }
}

#[test]
fn text_of_other_encodings_becomes_utf8() {
    let tape = "V 2 0.40.0\nL 1\nA x=\"é😀\"\n";
    let marked = format!("\u{feff}{tape}");
    let le16: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let be16: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let le32: Vec<u8> = marked.chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
    let be32: Vec<u8> = marked.chars().flat_map(|c| (c as u32).to_be_bytes()).collect();
    for bytes in [marked.clone().into_bytes(), le16.clone(), be16, le32, be32] {
        let Kind::Encoded(encoding) = sniff(&bytes) else { panic!("{bytes:?}") };
        let decoded = decode(&bytes, encoding).unwrap();
        assert_eq!(decoded.bytes, tape.as_bytes(), "{encoding:?}");
        assert_eq!(sniff(&decoded.bytes), Kind::Tape);
        assert_eq!(matches!(decoded.note, Note::Reencoded { replaced: 0, .. }), encoding != Encoding::Utf8Bom);
    }
    assert!(matches!(decode(&le16[..9], Encoding::Utf16Le), Err(UnpackError::TextCut { bytes: 9, unit: 2, .. })));
    let lone = decode(&[0x00, 0xd8, 0x41, 0x00], Encoding::Utf16Le).unwrap();
    assert_eq!(lone.bytes.as_ref(), "\u{fffd}A".as_bytes());
    assert!(matches!(lone.note, Note::Reencoded { replaced: 1, .. }));
}

#[test]
fn every_error_says_what_to_do_next_and_ends_its_sentence() {
    let errors = [
        UnpackError::Cancelled,
        UnpackError::TooLarge { limit: 1 << 30 },
        UnpackError::Ratio { packed: 1, unpacked: 2, ratio: 3, free: 4 },
        UnpackError::TotalTooLarge { limit: 1 },
        UnpackError::OutOfMemory { bytes: 1 },
        UnpackError::TooDeep { limit: 8 },
        UnpackError::GzipCut { byte: 1 },
        UnpackError::ZipDirectory { why: "x".to_owned() },
        UnpackError::ZipMethod { method: "x".to_owned() },
        UnpackError::ZipEncrypted,
        UnpackError::TarSparse,
        UnpackError::BundleFormat { format: 1 },
        UnpackError::NotThat { expected: Container::Zip },
    ];
    for error in errors {
        assert!(error.to_string().ends_with('.'), "{error}");
        assert!(error.advice().ends_with('.') && !error.code().is_empty(), "{error}");
    }
}

/// Everything that reads bytes, on any bytes.
fn read_everything(bytes: &[u8]) {
    let small = Limits { unpacked_bytes: 1 << 20, ..limits() };
    sniff(bytes);
    sniff_start(bytes);
    let _ = gunzip(bytes, &small, &mut Unwatched);
    let _ = gunzip_start(bytes, 100, &small);
    for container in [Container::Zip, Container::Tar, Container::Bundle, Container::Gzip] {
        let Ok(listing) = list(bytes, container, &small) else { continue };
        for entry in &listing.entries {
            let _ = read(bytes, entry, &small, &mut Unwatched);
            let _ = read_start(bytes, entry, 10, &small);
        }
        for note in &listing.notes {
            assert!(!note.to_string().is_empty());
        }
    }
    for encoding in [Encoding::Utf8Bom, Encoding::Utf16Le, Encoding::Utf16Be, Encoding::Utf32Le, Encoding::Utf32Be] {
        let _ = decode(bytes, encoding);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        read_everything(&bytes);
    }

    #[test]
    fn spoilt_archives_never_panic(
        which in 0..7usize,
        spoils in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = match which {
            0 => corpus("testrun/results.zip"),
            1 => tar(&[("a", TAPE), ("b", b"b")]),
            2 => bundle(b"\x7fELF", &[("a", b"a"), ("b", TAPE)]),
            3 => gzip(&TAPE.repeat(10)),
            4 => zip_shaped(&[ZipFile::deflated("a", TAPE)], &ZipShape { zip64: true, descriptors: true, ..Default::default() }),
            5 => zip_shaped(&[ZipFile::stored("a", TAPE)], &ZipShape { leading: vec![1; 40], comment: vec![b'c'; 9], ..Default::default() }),
            _ => gunzip(&corpus("testrun/results.tar.gz"), &limits(), &mut Unwatched).unwrap().bytes,
        };
        for (at, byte) in spoils {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        read_everything(&bytes);
    }
}

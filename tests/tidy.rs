//! What the compiler does not hold: the layers of the sources, and rules that keep the page's promises.
//!
//! Invariant: each rule reads the code alone; comments and documentation may name anything.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

/// A folder or file, and words that its code must not name, with the reason.
const RULES: [(&str, &[&str], &str); 12] = [
    (
        "crates/core/",
        &["yew", "gloo", "web_sys", "js_sys", "wasm_bindgen"],
        "the core is native code and knows no browser",
    ),
    (
        "crates/core/src/",
        &["SystemTime", "Instant", "std::fs", "std::net", "std::env", "std::process"],
        "the core reads no clock, file or network",
    ),
    ("crates/tools/", &["yew", "gloo", "web_sys", "js_sys", "wasm_bindgen"], "the tools run natively too"),
    (
        "crates/tools/",
        &["SystemTime", "Instant", "std::fs", "std::net", "std::env", "std::process"],
        "a pure tool reads nothing but its arguments",
    ),
    ("crates/cli/", &["yew", "gloo", "web_sys", "js_sys", "wasm_bindgen"], "the command line is native"),
    (
        "crates/core/src/bytes/",
        &["crate::tape", "crate::trace", "crate::timeline", "crate::link"],
        "bytes stand below every format",
    ),
    (
        "crates/core/src/tape/",
        &["crate::trace", "crate::timeline", "crate::link"],
        "tapes stand below timelines and links, beside traces",
    ),
    (
        "crates/core/src/trace/",
        &["crate::tape", "crate::timeline", "crate::link"],
        "traces stand below timelines and links, beside tapes",
    ),
    ("src/web/", &["yew", "crate::app"], "the browser layer knows no component"),
    ("src/reader", &["yew", "crate::app"], "the worker knows no component"),
    (
        "src/",
        &["set_inner_html", "inner_html", "from_html_unchecked"],
        "recorded text is shown as text, never as markup",
    ),
    ("src/app/", &["web_sys::Worker"], "components reach the worker through src/web"),
];

/// The folders whose sources are read.
const FOLDERS: [&str; 5] = ["crates", "src", "xtask", "tests", "benches"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every source file, by its path from the root with forward slashes, and its text.
fn sources() -> Vec<(String, String)> {
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| root().join(folder)).collect();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if path.file_name().is_none_or(|name| name != "target") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
                sources.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    sources.sort();
    sources
}

/// The code of a line: what stands before `//`. A string that holds `//` loses its end, which hides no path of a module.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Whether a line names a word as a whole: "yew" in `use yew::…` but not in `yewish`.
fn names(line: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

#[test]
fn layers_name_only_what_stands_below_them() {
    let sources = sources();
    let mut breaches = Vec::new();
    for (place, words, reason) in RULES {
        let concerned: Vec<_> = sources.iter().filter(|(path, _)| path.starts_with(place)).collect();
        assert!(!concerned.is_empty(), "the rule for {place} concerns no file; was the folder renamed?");
        for (path, text) in concerned {
            for (number, line) in text.lines().enumerate() {
                for word in words.iter().filter(|word| names(code(line), word)) {
                    breaches.push(format!("{path}:{}: names {word}; {reason}", number + 1));
                }
            }
        }
    }
    assert!(breaches.is_empty(), "\n{}", breaches.join("\n"));
}

#[test]
fn native_crates_depend_on_nothing_of_the_browser() {
    for package in ["core", "tools", "cli"] {
        let manifest = fs::read_to_string(root().join("crates").join(package).join("Cargo.toml")).unwrap();
        for dependency in ["yew", "gloo", "web-sys", "js-sys", "wasm-bindgen"] {
            let found = manifest.lines().any(|line| line.split(['=', '.', ' ']).next() == Some(dependency));
            assert!(!found, "crates/{package} depends on {dependency}");
        }
    }
}

#[test]
fn every_module_says_what_it_is_for() {
    let silent: Vec<_> =
        sources().into_iter().filter(|(_, text)| !text.starts_with("//!")).map(|(path, _)| path).collect();
    assert!(silent.is_empty(), "these start without `//!`: {silent:#?}");
}

#[test]
fn no_test_is_switched_off_and_nothing_is_left_for_later() {
    // Put together here, so that this file does not find itself.
    let marks = [
        ["#[ig", "nore"].concat(),
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
        ["todo", "!("].concat(),
        ["unimplemented", "!("].concat(),
    ];
    let mut found = Vec::new();
    for (path, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            if marks.iter().any(|mark| line.contains(mark.as_str())) {
                found.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn the_page_carries_nothing_that_its_policy_refuses() {
    let html = fs::read_to_string(root().join("index.html")).unwrap();
    assert!(
        html.contains("Content-Security-Policy") && !html.contains("unsafe-inline"),
        "the policy allows inline code"
    );
    assert!(!html.contains("<style") && !html.contains(" style="), "inline styles are refused");
    for tag in html.split("<script").skip(1) {
        assert!(
            tag.contains("src="),
            "an inline script is refused: <script{}",
            tag.split('>').next().unwrap_or_default()
        );
    }
    for (path, text) in sources().iter().filter(|(path, _)| path.starts_with("src/app/")) {
        for (number, line) in text.lines().enumerate() {
            let written = code(line);
            assert!(
                !written.contains(" style=") && !written.contains("<style"),
                "{path}:{}: style-src refuses inline styles; use a class",
                number + 1
            );
        }
    }
}

#[test]
fn a_word_is_found_as_a_whole() {
    assert!(names("use yew::prelude::*;", "yew"));
    assert!(names("yew", "yew"));
    assert!(!names("let yewish = 1;", "yew"));
    assert!(!names("new_yew", "yew"));
    assert!(names(code("use crate::tape::Tape; // crate::trace"), "crate::tape"));
    assert!(!names(code("use crate::tape::Tape; // crate::trace"), "crate::trace"));
}

//! The mixle corpus, answered in a browser: the WebAssembly build gives the same bits as the native one.

use include_dir::{Dir, include_dir};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

#[path = "../corpus_support/mixle_answers.rs"]
mod mixle_answers;

use mixle_answers::{Files, Tally, check};

static CORPUS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/corpus/mixle");

struct Embedded;

impl Files for Embedded {
    fn names(&self, folder: &str) -> Vec<String> {
        let files = CORPUS.get_dir(folder).into_iter().flat_map(Dir::files);
        let names = files.filter_map(|file| file.path().file_name()).map(|name| name.to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".json")).collect();
        names.sort();
        names
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        CORPUS.get_file(path).map(|file| file.contents().to_vec())
    }
}

#[derive(Default)]
struct Counted {
    kinds: std::collections::BTreeMap<String, (u32, u32)>,
    differences: Vec<String>,
}

impl Tally for Counted {
    fn count(&mut self, kind: &str, agrees: bool, difference: &dyn Fn() -> String) {
        let (agreed, total) = self.kinds.entry(kind.to_owned()).or_default();
        *total += 1;
        *agreed += u32::from(agrees);
        if !agrees {
            self.differences.push(format!("{kind}: {}", difference()));
        }
    }

    fn remark(&mut self, line: String, is_met: bool) {
        console_log!("{line}");
        if !is_met {
            self.differences.push(line);
        }
    }
}

#[wasm_bindgen_test]
fn every_answer_of_the_corpus_agrees_in_a_browser_too() {
    let mut counted = Counted::default();
    check(&Embedded, &mut counted);
    for (kind, (agreed, total)) in &counted.kinds {
        console_log!("{kind}: {agreed} of {total}");
    }
    assert!(counted.kinds.len() >= 10, "kinds are missing: {:?}", counted.kinds.keys());
    assert!(counted.differences.is_empty(), "{:#?}", counted.differences);
}

//! The traces: the files of a folder laid out like `tests/corpus/mixle`, given to the checks.

use std::path::{Path, PathBuf};

use super::mixle_answers::{Files, Tally, check};
use super::{Report, files};

/// Checks what lies in `folder`.
pub fn run(folder: &Path, report: &mut Report) {
    check(&Folder(folder.to_path_buf()), report);
}

struct Folder(PathBuf);

impl Files for Folder {
    fn names(&self, folder: &str) -> Vec<String> {
        let paths = files(&self.0.join(folder), ".json");
        paths.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned()).collect()
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        std::fs::read(self.0.join(path)).ok()
    }
}

impl Tally for Report {
    fn count(&mut self, kind: &str, agrees: bool, difference: &dyn Fn() -> String) {
        Report::count(self, kind, agrees, difference);
    }

    fn remark(&mut self, line: String, is_met: bool) {
        Report::remark(self, line, is_met);
    }
}

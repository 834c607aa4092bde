//! The files that are measured: tapes and a profile made for it, the built page, the wasm module, and speedscope.
//!
//! Invariant: the tapes are the same bytes on every machine and in every run.

use std::env;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use anyhow::{Context as _, Result, ensure};
use tapedeck_core::tape::synth::{Shape, write_tape};
use xtask::files::Server;

use crate::stats::draws;

/// The largest tape.
pub(crate) const RECORDS_MOST: u64 = 10_000_000;
/// What speedscope is compared with.
const MILLION: u64 = 1_000_000;
/// The version of speedscope that the promise names.
const SPEEDSCOPE: &str = "1.25.0";
/// Names in the profile, as many as in the tapes.
const PROFILE_NAMES: u64 = 30;
/// How deep the profile's stack gets.
const PROFILE_DEPTH: usize = 12;

/// A tape on disk.
#[derive(Clone, Debug)]
pub(crate) struct TapeFile {
    /// What it is, for people: "1 million records".
    pub(crate) about: &'static str,
    /// A word for JSON.
    pub(crate) key: &'static str,
    pub(crate) path: PathBuf,
    /// Its address below the site's.
    pub(crate) address: String,
    pub(crate) positions: u64,
}

/// Everything that is served, and where.
#[derive(Debug)]
pub(crate) struct Site {
    /// A host without settings, as the page has: ends with a slash.
    pub(crate) plain: String,
    /// A host whose pages are isolated from all others, which is what browsers want before they show a clock finer than 0.1 ms.
    pub(crate) isolated: String,
    pub(crate) tapes: Vec<TapeFile>,
    /// speedscope's profile; `None` when speedscope is not there.
    pub(crate) profile: Option<PathBuf>,
}

impl Site {
    /// Makes what is missing below `folder` and serves `folder/site`.
    pub(crate) fn prepare(folder: &Path, most: u64, with_speedscope: bool) -> Result<Self> {
        let root = folder.join("site");
        for (name, text) in [
            ("index.html", include_str!("js/inside.html")),
            ("inside.js", include_str!("js/inside.js")),
            ("inside-worker.js", include_str!("js/inside-worker.js")),
        ] {
            fs::create_dir_all(root.join("wasm"))?;
            fs::write(root.join("wasm").join(name), text)?;
        }
        let wanted = [
            ("10 thousand records", "loop_10k", 10_000, Shape::Loop),
            ("1 million records", "loop_1m", MILLION, Shape::Loop),
            ("100 thousand frames", "calls_100k", 1_200_000, Shape::Calls),
            ("10 million records", "loop_10m", RECORDS_MOST, Shape::Loop),
        ];
        let mut tapes = Vec::new();
        for (about, key, records, shape) in wanted.into_iter().filter(|(.., records, _)| *records <= most) {
            tapes.push(tape(&root, about, key, records, shape)?);
        }
        let profile = if with_speedscope { speedscope(folder, &root) } else { None };
        let plain = Server::bind(0, &root, "/")?;
        let isolated = Server::bind(0, &root, "/")?
            .with_header("Cross-Origin-Opener-Policy", "same-origin")
            .with_header("Cross-Origin-Embedder-Policy", "require-corp");
        let site = Self { plain: plain.url()?, isolated: isolated.url()?, tapes, profile };
        plain.spawn();
        isolated.spawn();
        Ok(site)
    }

    /// The tape with this key, unless it is larger than what was asked for.
    pub(crate) fn tape(&self, key: &str) -> Option<&TapeFile> {
        self.tapes.iter().find(|tape| tape.key == key)
    }

    /// The address of the built page.
    pub(crate) fn page(&self) -> String {
        format!("{}page/", self.plain)
    }
}

/// Whether a file was written by this very program, so that it need not be written again.
fn is_fresh(path: &Path) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    env::current_exe().is_ok_and(|program| modified(path) > modified(&program))
}

fn tape(root: &Path, about: &'static str, key: &'static str, records: u64, shape: Shape) -> Result<TapeFile> {
    let address = format!("tapes/{key}.tape");
    let path = root.join(&address);
    fs::create_dir_all(root.join("tapes"))?;
    if !is_fresh(&path) {
        println!("Writing a tape of {about} …");
        // Renamed at its end: a run that is broken off leaves no half tape that looks whole.
        let unfinished = path.with_extension("unfinished");
        let mut file = File::create(&unfinished)?;
        let mut outcome = Ok(());
        write_tape(records, shape, |piece| {
            if outcome.is_ok() {
                outcome = file.write_all(&piece);
            }
        });
        outcome.with_context(|| format!("{} cannot be written", unfinished.display()))?;
        fs::rename(&unfinished, &path)?;
    }
    let bytes = fs::read(&path)?;
    let mut counts = [0_u64; 256];
    for line in bytes.split(|byte| *byte == b'\n').filter_map(|line| line.first()) {
        counts[usize::from(*line)] += 1;
    }
    let [positions, all] = [counts[usize::from(b'L')], counts.iter().sum()];
    ensure!(all >= records, "{} has {all} records only", path.display());
    Ok(TapeFile { about, key, path, address, positions })
}

/// Gets speedscope and writes its profile. Without it the rest can still be measured.
fn speedscope(folder: &Path, root: &Path) -> Option<PathBuf> {
    match get_speedscope(folder, root).and_then(|()| profile(folder)) {
        Ok(profile) => Some(profile),
        Err(error) => {
            println!("speedscope {SPEEDSCOPE} is not there, so nothing is compared with it: {error:#}");
            None
        }
    }
}

fn get_speedscope(folder: &Path, root: &Path) -> Result<()> {
    let to = root.join("speedscope");
    if to.join("index.html").is_file() {
        return Ok(());
    }
    let package = folder.join(format!("speedscope-{SPEEDSCOPE}.tgz"));
    if !package.is_file() {
        println!("Fetching speedscope {SPEEDSCOPE} (npm pack) …");
        let mut npm = Command::new("npm");
        npm.args(["pack", "--silent", &format!("speedscope@{SPEEDSCOPE}"), "--pack-destination"]).arg(folder);
        let status = npm.stdin(Stdio::null()).stdout(Stdio::null()).status().context("npm does not start")?;
        ensure!(status.success(), "npm pack failed ({status})");
    }
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(File::open(&package)?));
    let unfinished = root.join("speedscope-unfinished");
    let _ = fs::remove_dir_all(&unfinished);
    fs::create_dir_all(&unfinished)?;
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        if let Ok(name) = path.strip_prefix("package/dist/release") {
            // The release is one flat folder.
            if let Some(name) = name.file_name() {
                entry.unpack(unfinished.join(name))?;
            }
        }
    }
    ensure!(unfinished.join("index.html").is_file(), "the package holds no dist/release/index.html");
    fs::rename(&unfinished, &to)?;
    Ok(())
}

/// A profile of a million events in speedscope's own "evented" form, the nearest that it has to a tape: calls that begin and end.
fn profile(folder: &Path) -> Result<PathBuf> {
    let path = folder.join("million.speedscope.json");
    if is_fresh(&path) {
        return Ok(path);
    }
    println!("Writing a profile of 1 million events …");
    let unfinished = path.with_extension("unfinished");
    let mut file = BufWriter::new(File::create(&unfinished)?);
    let names: Vec<String> = (0..PROFILE_NAMES).map(|i| format!("{{\"name\":\"value_{i}\"}}")).collect();
    write!(
        file,
        "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{{\"frames\":[{}]}},\"profiles\":[{{\"type\":\"evented\",\
         \"name\":\"bench\",\"unit\":\"microseconds\",\"startValue\":0,\"endValue\":{MILLION},\"events\":[",
        names.join(",")
    )?;
    let mut draws = draws(1);
    let mut draw = || draws.next().unwrap_or_default();
    let mut stack: Vec<u64> = Vec::new();
    for at in 0..MILLION {
        let left = (MILLION - at) as usize;
        let opens = stack.is_empty() || (stack.len() < PROFILE_DEPTH && stack.len() < left && draw().is_multiple_of(2));
        let (kind, frame) = if opens {
            let frame = draw() % PROFILE_NAMES;
            stack.push(frame);
            ('O', frame)
        } else {
            ('C', stack.pop().unwrap_or_default())
        };
        let comma = if at == 0 { "" } else { "," };
        write!(file, "{comma}{{\"type\":\"{kind}\",\"frame\":{frame},\"at\":{at}}}")?;
    }
    write!(file, "]}}]}}")?;
    file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
    fs::rename(&unfinished, &path)?;
    Ok(path)
}

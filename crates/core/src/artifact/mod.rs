//! Artifacts: one file or many, with everything that is packed into them, as a tree of what can be opened.
//!
//! [`Artifact`] keeps the bytes and stays where they are (in the reader worker, in the command line); [`Tree`] is plain data
//! and travels to the page. Files are looked at, not unpacked: an entry's bytes come from [`Artifact::bytes_of`] when
//! somebody opens it.
//!
//! Invariant: bytes that were given are never copied, only what is compressed takes memory of its own; what containers inside
//! containers take together is limited. One file that cannot be opened never hides the others.

mod join;
mod json;
pub mod shell;
mod testrun;
mod tree;

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

pub use shell::replay_command;
pub use testrun::{Test, TestRun};
pub use tree::{Join, Layer, Node, NodeId, Problem, Role, Tree};

use crate::bytes::limits::{MAX_LOG_SEARCH_BYTES, MAX_TEST_RESULTS_BYTES, SNIFF_BYTES};
use crate::bytes::{
    self, Body, Container, Entry, Kind, Known, Limits, Note, TAPE_ENTRY, UnpackError, Unwatched, Watch, decode,
    decode_start, gunzip, gunzip_start, json_line, sniff, sniff_start,
};

/// Files with all that is packed into them.
#[derive(Debug, Default)]
pub struct Artifact {
    tree: Tree,
    /// Where each node's bytes are, before its layers are taken off.
    places: Vec<Place>,
    /// What was opened, and what containers inside of it unpacked to.
    blobs: Vec<Vec<u8>>,
    limits: Limits,
    /// Bytes that containers inside containers take, for the limit on them together.
    unpacked: u64,
    /// Bytes of text that may still be searched for the lines of a test log.
    search_left: u64,
}

/// Where the bytes of a node are.
#[derive(Clone, Debug)]
struct Place {
    /// In which blob its container is (or it itself, when it was opened itself).
    blob: usize,
    /// Where in the blob the container is.
    within: Range<usize>,
    /// Which entry of the container it is; `None` when it is the whole range.
    entry: Option<Entry>,
}

/// The content of a node, and what was done to get at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content<'a> {
    /// The bytes, without layers: what a tape's or a trace's own reader takes.
    pub bytes: Cow<'a, [u8]>,
    /// What is odd about the layers.
    pub notes: Vec<Note>,
}

impl Artifact {
    /// Looks through one file.
    ///
    /// # Errors
    /// Only [`UnpackError::Cancelled`], when `watch` asks to stop. Everything else is said in the tree: at the node that it
    /// concerns.
    pub fn open(name: &str, bytes: Vec<u8>, limits: &Limits, watch: &mut dyn Watch) -> Result<Self, UnpackError> {
        Self::open_all(vec![(name.to_owned(), bytes)], limits, watch)
    }

    /// Looks through several files, as from a folder; their names are paths relative to it.
    ///
    /// # Errors
    /// As [`Artifact::open`].
    pub fn open_all(
        files: Vec<(String, Vec<u8>)>,
        limits: &Limits,
        watch: &mut dyn Watch,
    ) -> Result<Self, UnpackError> {
        let mut artifact = Self { limits: *limits, search_left: MAX_LOG_SEARCH_BYTES, ..Self::default() };
        let alone = files.len() == 1;
        let total = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let mut done = 0;
        for (name, bytes) in files {
            if artifact.is_full() {
                break;
            }
            let len = bytes.len();
            artifact.blobs.push(bytes);
            let place = Place { blob: artifact.blobs.len() - 1, within: 0..len, entry: None };
            let path = if alone { String::new() } else { name.clone() };
            let mut progress = |part: u64, _: u64| watch.advance(done + part.min(len as u64), total);
            artifact.add(Found { name, path, parent: None, depth: 0, place, stated: len as u64 }, &mut progress)?;
            done += len as u64;
            if watch.advance(done, total) == ControlFlow::Break(()) {
                return Err(UnpackError::Cancelled);
            }
        }
        artifact.join_sources();
        artifact.read_runs(watch)?;
        Ok(artifact)
    }

    /// What was found.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The limits that this artifact was opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The content of a node. It is borrowed unless something of it was compressed or re-encoded.
    ///
    /// # Errors
    /// Damage, a limit, no memory, or a stop asked for by `watch`.
    ///
    /// For a node of another artifact the content is empty.
    pub fn bytes_of(&self, id: NodeId, watch: &mut dyn Watch) -> Result<Content<'_>, UnpackError> {
        let (Some(node), Some(place)) = (self.tree.node(id), self.places.get(id.0 as usize)) else {
            return Ok(Content { bytes: Cow::Borrowed(&[]), notes: Vec::new() });
        };
        let mut content = Content { bytes: self.raw(place, watch)?, notes: Vec::new() };
        for layer in &node.layers {
            content = peel(content, *layer, &self.limits, watch)?;
        }
        Ok(content)
    }

    /// The bytes of a node with its layers still on, as they were packed: what a replay gate judges, because it unwraps nothing.
    ///
    /// # Errors
    /// As [`Artifact::bytes_of`].
    pub fn packed_bytes_of(&self, id: NodeId, watch: &mut dyn Watch) -> Result<Cow<'_, [u8]>, UnpackError> {
        match self.places.get(id.0 as usize) {
            Some(place) => self.raw(place, watch),
            None => Ok(Cow::Borrowed(&[])),
        }
    }

    /// As [`Artifact::bytes_of`], but gives the bytes away: those of a file that was opened itself are moved, not copied,
    /// and the artifact is without them afterwards.
    ///
    /// # Errors
    /// As [`Artifact::bytes_of`].
    pub fn take_bytes(&mut self, id: NodeId, watch: &mut dyn Watch) -> Result<(Vec<u8>, Vec<Note>), UnpackError> {
        let place = self.places.get(id.0 as usize);
        let whole = place.filter(|place| place.entry.is_none()).map(|place| place.blob);
        if let (Some(blob), Some(node)) = (whole, self.tree.node(id))
            && node.layers.is_empty()
            && !node.is_container()
        {
            return Ok((self.blobs.get_mut(blob).map(std::mem::take).unwrap_or_default(), Vec::new()));
        }
        let content = self.bytes_of(id, watch)?;
        Ok((content.bytes.into_owned(), content.notes))
    }

    /// The line that replays a tape with its source, when the source is known: paths as they are in this artifact.
    pub fn replay_command(&self, tape: NodeId) -> Option<String> {
        let tape = self.tree.node(tape)?;
        let source = self.tree.node(tape.source.one()?)?;
        let path = |node: &Node| if node.path.is_empty() { node.name.clone() } else { node.path.clone() };
        Some(replay_command(&path(tape), &path(source)))
    }

    fn is_full(&mut self) -> bool {
        let full = self.tree.nodes.len() >= self.limits.entries;
        let note = Note::TooManyEntries { limit: self.limits.entries as u64 };
        if full && !self.tree.notes.contains(&note) {
            self.tree.notes.push(note);
        }
        full
    }

    /// The bytes of a node with its layers still on.
    fn raw(&self, place: &Place, watch: &mut dyn Watch) -> Result<Cow<'_, [u8]>, UnpackError> {
        let around = self.around(place);
        match &place.entry {
            None => Ok(Cow::Borrowed(around)),
            Some(entry) => bytes::read(around, entry, &self.limits, watch),
        }
    }

    fn around(&self, place: &Place) -> &[u8] {
        self.blobs.get(place.blob).and_then(|blob| blob.get(place.within.clone())).unwrap_or_default()
    }

    /// The bytes of a node, if they lie there as they are.
    fn lying_there(&self, place: &Place) -> Option<&[u8]> {
        match &place.entry {
            None => Some(self.around(place)),
            Some(Entry { body: Body::Stored { at, .. }, .. }) => self.around(place).get(at.clone()),
            Some(_) => None,
        }
    }

    /// Adds what was found as a node, and what is inside of it.
    fn add(&mut self, found: Found, watch: &mut dyn Watch) -> Result<(), UnpackError> {
        let id = NodeId(u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX));
        let looked = self.look(&found);
        let (kind, layers, problem) = match looked {
            Ok((kind, layers)) => (kind, layers, None),
            Err(error) => (Kind::Other, Vec::new(), Some(Problem::from(&error))),
        };
        let role = role_of(kind, &found, self.tree.nodes.get(found.parent.map_or(usize::MAX, |id| id.0 as usize)));
        self.tree.nodes.push(Node {
            id,
            parent: found.parent,
            name: found.name,
            path: found.path.clone(),
            kind,
            role,
            layers: layers.clone(),
            stated_bytes: found.stated,
            notes: Vec::new(),
            problem,
            source: Join::None,
        });
        self.places.push(found.place.clone());
        let Kind::Container(container) = kind else { return Ok(()) };
        let depth = found.depth + layers.len() as u32;
        match self.unpack(&found.place, &layers, container, depth, watch) {
            Err(UnpackError::Cancelled) => Err(UnpackError::Cancelled),
            Err(error) => {
                if let Some(node) = self.tree.nodes.get_mut(id.0 as usize) {
                    node.problem = Some(Problem::from(&error));
                }
                Ok(())
            }
            Ok(Unpacked { blob, within, listing, notes }) => {
                if let Some(node) = self.tree.nodes.get_mut(id.0 as usize) {
                    node.notes.extend(notes);
                    node.notes.extend(listing.notes);
                }
                let count = listing.entries.len() as u64;
                for (number, entry) in listing.entries.into_iter().enumerate() {
                    if self.is_full() {
                        break;
                    }
                    if number % 256 == 0 && watch.advance(number as u64, count) == ControlFlow::Break(()) {
                        return Err(UnpackError::Cancelled);
                    }
                    let path = join_path(&found.path, &entry.name);
                    let place = Place { blob, within: within.clone(), entry: None };
                    self.add(
                        Found {
                            name: entry.name.clone(),
                            path,
                            parent: Some(id),
                            depth: depth + 1,
                            stated: entry.stated,
                            place: Place { entry: Some(entry), ..place },
                        },
                        watch,
                    )?;
                }
                Ok(())
            }
        }
    }

    /// What a file is, looking through its layers at its first bytes only, as far as these tell.
    fn look(&mut self, found: &Found) -> Result<(Kind, Vec<Layer>), UnpackError> {
        let mut layers = Vec::new();
        let place = &found.place;
        let mut whole = self.lying_there(place).map(Cow::Borrowed);
        let mut start: Cow<'_, [u8]> = match (&whole, &place.entry) {
            (Some(bytes), _) => Cow::Borrowed(bytes.get(..SNIFF_BYTES).unwrap_or(bytes)).into_owned().into(),
            (None, Some(entry)) => bytes::read_start(self.around(place), entry, SNIFF_BYTES, &self.limits)?,
            (None, None) => Cow::Borrowed(&[]),
        };
        let mut kind = match &whole {
            Some(bytes) => sniff(bytes),
            None => sniff_start(&start),
        };
        loop {
            let layer = match kind {
                Kind::Container(Container::Gzip) => Layer::Gzip,
                Kind::Encoded(encoding) => Layer::Encoded(encoding),
                _ => break,
            };
            if found.depth as usize + layers.len() >= self.limits.nesting as usize {
                return Err(UnpackError::TooDeep { limit: self.limits.nesting });
            }
            layers.push(layer);
            let all = whole.take();
            let inner = match (layer, all.as_deref()) {
                (Layer::Gzip, Some(all)) => gunzip_start(all, SNIFF_BYTES, &self.limits)?,
                (Layer::Gzip, None) => gunzip_start(&start, SNIFF_BYTES, &self.limits)?,
                (Layer::Encoded(encoding), _) => decode_start(&start, encoding),
            };
            start = Cow::Owned(inner);
            kind = sniff_start(&start);
        }
        // What shows only in the whole: a bundle, a zip behind a program, a log with its test lines late. Only worth the
        // unpacking while it is cheap.
        let worth = matches!(kind, Kind::Text | Kind::Known(Known::Executable));
        if worth && whole.is_none() && !is_source_name(&found.name) {
            let cost = found.stated.max(found.place.entry.as_ref().map_or(0, |entry| entry.packed));
            let (start, limits) = (start.into_owned(), Limits { unpacked_bytes: self.search_left, ..self.limits });
            if cost <= self.search_left && start.len() >= SNIFF_BYTES {
                let mut content =
                    Content { bytes: raw_limited(self.around(place), place, &limits)?, notes: Vec::new() };
                for layer in &layers {
                    match peel(content, *layer, &limits, &mut Unwatched) {
                        Ok(peeled) => content = peeled,
                        // It is too large for a second look, or damaged further on: what its start says must do.
                        Err(_) => return Ok((kind, layers)),
                    }
                }
                kind = sniff(&content.bytes);
                let searched = content.bytes.len() as u64;
                self.search_left = self.search_left.saturating_sub(searched);
            }
        }
        Ok((kind, layers))
    }

    /// Brings a container's bytes into a blob (its own range, when they lie there as they are) and lists it.
    fn unpack(
        &mut self,
        place: &Place,
        layers: &[Layer],
        container: Container,
        depth: u32,
        watch: &mut dyn Watch,
    ) -> Result<Unpacked, UnpackError> {
        if depth >= self.limits.nesting {
            return Err(UnpackError::TooDeep { limit: self.limits.nesting });
        }
        let mut notes = Vec::new();
        let (blob, within) = match &place.entry {
            None if layers.is_empty() => (place.blob, place.within.clone()),
            Some(Entry { body: Body::Stored { at, .. }, .. }) if layers.is_empty() => {
                // Reading checks the check sum; the range is used as it is.
                self.raw(place, watch)?;
                let start = place.within.start;
                (place.blob, start + at.start..start + at.end)
            }
            _ => {
                let left = self.limits.total_bytes.saturating_sub(self.unpacked);
                let limits = Limits { unpacked_bytes: self.limits.unpacked_bytes.min(left), ..self.limits };
                let too_large = |error| match error {
                    UnpackError::TooLarge { .. } if left < self.limits.unpacked_bytes => {
                        UnpackError::TotalTooLarge { limit: self.limits.total_bytes }
                    }
                    error => error,
                };
                let raw = match &place.entry {
                    None => Cow::Borrowed(self.around(place)),
                    Some(entry) => bytes::read(self.around(place), entry, &limits, watch).map_err(too_large)?,
                };
                let mut content = Content { bytes: raw, notes: Vec::new() };
                for layer in layers {
                    content = peel(content, *layer, &limits, watch).map_err(too_large)?;
                }
                notes = content.notes;
                let owned = content.bytes.into_owned();
                let len = owned.len();
                self.unpacked += len as u64;
                self.blobs.push(owned);
                (self.blobs.len() - 1, 0..len)
            }
        };
        let bytes = self.blobs.get(blob).and_then(|blob| blob.get(within.clone())).unwrap_or_default();
        let left = self.limits.entries.saturating_sub(self.tree.nodes.len()).max(1);
        let listing = bytes::list(bytes, container, &Limits { entries: left, ..self.limits })?;
        Ok(Unpacked { blob, within, listing, notes })
    }

    /// Joins sources to tapes by name; in a bundle the script is the source, whatever its name.
    fn join_sources(&mut self) {
        let joins: Vec<(NodeId, Join)> = self
            .tree
            .of_role(Role::Tape)
            .map(|tape| {
                let bundle = tape.parent.and_then(|id| self.tree.node(id));
                let script = bundle
                    .filter(|bundle| bundle.kind == Kind::Container(Container::Bundle) && tape.name == TAPE_ENTRY)
                    .and_then(|bundle| self.tree.children(Some(bundle.id)).next());
                let join = match script {
                    Some(script) => Join::One(script.id),
                    None => join::source_by_name(&self.tree, tape),
                };
                (tape.id, join)
            })
            .collect();
        for (tape, join) in joins {
            if let Some(node) = self.tree.nodes.get_mut(tape.0 as usize) {
                node.source = join;
            }
        }
    }

    /// Reads the test results and logs, and joins their tests to tapes and sources.
    fn read_runs(&mut self, watch: &mut dyn Watch) -> Result<(), UnpackError> {
        let files: Vec<(NodeId, Role)> = self
            .tree
            .nodes
            .iter()
            .filter(|node| matches!(node.role, Role::TestResults | Role::TestLog))
            .map(|node| (node.id, node.role))
            .collect();
        let mut runs: Vec<TestRun> = Vec::new();
        let mut logs: Vec<TestRun> = Vec::new();
        for (id, role) in files {
            match self.read_run(id, role, watch) {
                Ok((results, log)) => {
                    runs.extend(results);
                    logs.extend(log);
                }
                Err(UnpackError::Cancelled) => return Err(UnpackError::Cancelled),
                Err(error) => self.set_problem(id, Problem::from(&error)),
            }
        }
        for log in logs {
            // The log of the run that has most of its tests in common with it; a run of its own when there is none.
            let shared = |run: &TestRun| {
                log.tests.iter().filter(|test| run.tests.iter().any(|one| one.file == test.file)).count()
            };
            match runs.iter_mut().filter(|run| run.log.is_none() && shared(run) > 0).max_by_key(|run| shared(run)) {
                Some(run) => run.absorb_log(log),
                None => runs.push(log),
            }
        }
        for run in &mut runs {
            run.check_counts();
            run.sort();
            let Some(from) = run.results.or(run.log) else { continue };
            for test in &mut run.tests {
                test.source = join::by_stated_path(&self.tree, from, &test.file, Role::Source);
                if let Some(path) = &test.tape_path {
                    test.tape = join::by_stated_path(&self.tree, from, path, Role::Tape);
                    // The path here is the one that exists for whoever has the artifact.
                    let here = test.tape.one().and_then(|id| self.tree.node(id)).map(|node| node.path.as_str());
                    let here = here.filter(|path| !path.is_empty());
                    test.replay = Some(replay_command(here.unwrap_or(path), &test.file));
                }
            }
        }
        for test in runs.iter().flat_map(|run| &run.tests) {
            if let (Some(tape), Join::One(_)) = (test.tape.one(), &test.source)
                && let Some(node) = self.tree.nodes.get_mut(tape.0 as usize)
            {
                node.source = test.source.clone();
            }
        }
        self.tree.runs = runs;
        Ok(())
    }

    /// The results and the log that one file holds.
    fn read_run(
        &mut self,
        id: NodeId,
        role: Role,
        watch: &mut dyn Watch,
    ) -> Result<(Option<TestRun>, Option<TestRun>), UnpackError> {
        let limits = Limits { unpacked_bytes: MAX_TEST_RESULTS_BYTES, ..self.limits };
        let (Some(node), Some(place)) = (self.tree.node(id), self.places.get(id.0 as usize)) else {
            return Ok((None, None));
        };
        let raw = match &place.entry {
            None => Cow::Borrowed(self.around(place)),
            Some(entry) => bytes::read(self.around(place), entry, &limits, watch)?,
        };
        if raw.len() as u64 > MAX_TEST_RESULTS_BYTES {
            return Err(UnpackError::TooLarge { limit: MAX_TEST_RESULTS_BYTES });
        }
        let mut content = Content { bytes: raw, notes: Vec::new() };
        for layer in &node.layers {
            content = peel(content, *layer, &limits, watch)?;
        }
        let json = match role {
            Role::TestResults => Some(content.bytes.as_ref()),
            _ => json_line(&content.bytes).and_then(|at| content.bytes.get(at..)),
        };
        let log = match role {
            Role::TestResults => None,
            _ => testrun::from_log(&String::from_utf8_lossy(&content.bytes)),
        };
        let results = json.map(testrun::from_json).transpose();
        let log = log.map(|log| TestRun { log: Some(id), ..log });
        match results {
            Ok(results) => Ok((results.map(|results| TestRun { results: Some(id), ..results }), log)),
            Err(_) if log.is_some() => Ok((None, log)),
            Err(what) => {
                let advice = "Run the tests again with --json and keep the whole output.".to_owned();
                self.set_problem(id, Problem { code: "damaged".to_owned(), what, advice });
                Ok((None, None))
            }
        }
    }

    fn set_problem(&mut self, id: NodeId, problem: Problem) {
        if let Some(node) = self.tree.nodes.get_mut(id.0 as usize) {
            node.problem = Some(problem);
        }
    }
}

/// A file that is about to become a node.
struct Found {
    name: String,
    path: String,
    parent: Option<NodeId>,
    depth: u32,
    place: Place,
    stated: u64,
}

/// A container that was listed.
struct Unpacked {
    blob: usize,
    within: Range<usize>,
    listing: bytes::Listing,
    notes: Vec<Note>,
}

/// Takes one layer off.
fn peel<'a>(
    content: Content<'a>,
    layer: Layer,
    limits: &Limits,
    watch: &mut dyn Watch,
) -> Result<Content<'a>, UnpackError> {
    let Content { bytes, mut notes } = content;
    let bytes = match layer {
        Layer::Gzip => {
            let unpacked = gunzip(&bytes, limits, watch)?;
            notes.extend(unpacked.notes);
            Cow::Owned(unpacked.bytes)
        }
        Layer::Encoded(encoding) => match bytes {
            Cow::Borrowed(bytes) => {
                let decoded = decode(bytes, encoding)?;
                notes.push(decoded.note);
                decoded.bytes
            }
            Cow::Owned(bytes) => {
                let decoded = decode(&bytes, encoding)?;
                notes.push(decoded.note);
                Cow::Owned(decoded.bytes.into_owned())
            }
        },
    };
    Ok(Content { bytes, notes })
}

fn raw_limited<'a>(around: &'a [u8], place: &Place, limits: &Limits) -> Result<Cow<'a, [u8]>, UnpackError> {
    match &place.entry {
        None => Ok(Cow::Borrowed(around)),
        Some(entry) => bytes::read(around, entry, limits, &mut Unwatched),
    }
}

/// What a file serves for. Only source text goes by its name, because EigenScript has no mark of its own.
fn role_of(kind: Kind, found: &Found, parent: Option<&Node>) -> Role {
    match kind {
        Kind::Text | Kind::TestLog | Kind::Json | Kind::Empty if is_source_name(&found.name) => Role::Source,
        // The first entry of a bundle is its script, however it is named.
        Kind::Text if parent.is_some_and(|parent| parent.kind == Kind::Container(Container::Bundle)) => Role::Source,
        Kind::Container(_) => Role::Container,
        Kind::Tape => Role::Tape,
        Kind::Trace => Role::Trace,
        Kind::TestResults => Role::TestResults,
        Kind::TestLog => Role::TestLog,
        Kind::Wasm => Role::ToolModule,
        Kind::Empty | Kind::Json | Kind::Encoded(_) | Kind::Text | Kind::Known(_) | Kind::Other => Role::Other,
    }
}

fn is_source_name(name: &str) -> bool {
    let base = join::base_name(name);
    let base = base.strip_suffix(".gz").unwrap_or(base);
    base.len() > ".eigs".len() && base.ends_with(".eigs")
}

fn join_path(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}/{name}") }
}

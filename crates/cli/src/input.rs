//! Files in, through the same decoder as the page: by content, unpacked, the right recording of an archive chosen.

use std::io::Read;
use std::path::Path;

use tapedeck_core::artifact::{Artifact, Node, NodeId, Role};
use tapedeck_core::bytes::{Limits, Unwatched};

use crate::{Failure, Recording, Status};

/// What a recording is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tape,
    Trace,
}

/// A recording that was chosen and unpacked.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) name: String,
    /// Its path in the archive; `None` when the file is the recording itself.
    pub(crate) path: Option<String>,
    pub(crate) kind: Kind,
    pub(crate) bytes: Vec<u8>,
    pub(crate) notes: Vec<String>,
    /// Its source, when the archive holds it: name and text.
    pub(crate) source: Option<(String, Vec<u8>)>,
}

/// The bytes of a file, or of standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let fail =
        |error: std::io::Error| Failure::new(Status::Unreadable, format!("{}: cannot be read: {error}", shown(path)));
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map_err(fail)?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(fail)
}

/// A path for people.
pub(crate) fn shown(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() }
}

/// Everything that is in a file.
pub(crate) fn artifact(path: &Path) -> Result<Artifact, Failure> {
    let name = path.file_name().map_or_else(|| shown(path), |name| name.to_string_lossy().into_owned());
    let opened = Artifact::open(&name, read(path)?, &Limits::default(), &mut Unwatched);
    opened.map_err(|error| Failure::new(Status::Unreadable, format!("{}: {error}", shown(path))))
}

/// Opens the recording that the command line names.
pub(crate) fn open(recording: &Recording) -> Result<Opened, Failure> {
    let mut artifact = artifact(&recording.file)?;
    let id = choose(&artifact, recording)?;
    take(&mut artifact, id, &recording.file)
}

fn choose(artifact: &Artifact, recording: &Recording) -> Result<NodeId, Failure> {
    let tree = artifact.tree();
    let file = shown(&recording.file);
    if let Some(member) = &recording.member {
        let node = tree.nodes.iter().find(|node| node.path == *member && !member.is_empty());
        return node
            .map(|node| node.id)
            .ok_or_else(|| Failure::new(Status::Usage, format!("{file}: there is no {member:?} in it")));
    }
    match tree.recordings().as_slice() {
        [one] => Ok(*one),
        [] => match tree.nodes.as_slice() {
            // A text or JSON alone is refused by the gate of its format, which knows why better than "no recording".
            [only] if only.role != Role::Container && only.problem.is_none() => Ok(only.id),
            _ => {
                Err(Failure::new(Status::Unreadable, format!("{file}: {}", tree.nothing_to_open().unwrap_or_default())))
            }
        },
        several => {
            let paths: Vec<_> =
                several.iter().filter_map(|id| tree.node(*id)).map(|node| node.path.as_str()).take(20).collect();
            let text = format!(
                "{file}: there are {} recordings in it; choose one with --member:\n  {}",
                several.len(),
                paths.join("\n  ")
            );
            Err(Failure::new(Status::Usage, text))
        }
    }
}

/// Unpacks a node of an artifact as a recording.
pub(crate) fn take(artifact: &mut Artifact, id: NodeId, file: &Path) -> Result<Opened, Failure> {
    let Some(node) = artifact.tree().node(id).cloned() else {
        return Err(Failure::new(Status::Unreadable, "nothing is there"));
    };
    let fail = |error: tapedeck_core::bytes::UnpackError| {
        Failure::new(Status::Unreadable, format!("{}: {error} {}", place(&node, file), error.advice()))
    };
    if let Some(problem) = &node.problem {
        return Err(Failure::new(
            Status::Unreadable,
            format!("{}: {} {}", place(&node, file), problem.what, problem.advice),
        ));
    }
    let source = match node.source.one().and_then(|id| artifact.tree().node(id)) {
        Some(source) => {
            let content = artifact.bytes_of(source.id, &mut Unwatched).map_err(fail)?;
            Some((source.base_name().to_owned(), content.bytes.into_owned()))
        }
        None => None,
    };
    let (bytes, notes) = artifact.take_bytes(id, &mut Unwatched).map_err(fail)?;
    let kind = match node.kind {
        tapedeck_core::bytes::Kind::Trace | tapedeck_core::bytes::Kind::Json => Kind::Trace,
        _ => Kind::Tape,
    };
    Ok(Opened {
        name: node.base_name().to_owned(),
        path: (!node.path.is_empty()).then(|| node.path.clone()),
        kind,
        bytes,
        notes: notes.iter().map(ToString::to_string).collect(),
        source,
    })
}

/// Where a node is, for messages: `results.zip: tapes/a.tape`.
pub(crate) fn place(node: &Node, file: &Path) -> String {
    if node.path.is_empty() { shown(file) } else { format!("{}: {}", shown(file), node.path) }
}

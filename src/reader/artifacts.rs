//! Files inside files: what the page is told of them, and opening one.
//!
//! Invariant: the artifact's bytes stay here; a recording of it is opened beside it, so that another can be chosen.

use tapedeck_core::artifact::{Artifact, NodeId, Role};
use tapedeck_core::bytes::Unwatched;
use tapedeck_core::model::protocol::{Progress, Refusal};
use tapedeck_core::model::protocol_artifact::ArtifactSummary;

use super::open::{self, Opened};

/// A source file: its name and its bytes.
pub(super) type SourceFile = (String, Vec<u8>);

/// What the page is told.
///
/// # Errors
/// When there is nothing to open in it: what was seen.
pub(super) fn summary(name: String, artifact: &Artifact) -> Result<ArtifactSummary, Refusal> {
    let tree = artifact.tree();
    if let Some(what) = tree.nothing_to_open() {
        return Err(Refusal {
            kind: "nothing-to-open".to_owned(),
            what,
            place: String::new(),
            advice: "Open a tape, or an archive or folder that holds one.".to_owned(),
        });
    }
    let replays =
        tree.of_role(Role::Tape).filter_map(|tape| Some((tape.id, artifact.replay_command(tape.id)?))).collect();
    Ok(ArtifactSummary { name, tree: tree.clone(), replays })
}

/// Opens a recording of the artifact; with it comes its source, when it is known.
///
/// # Errors
/// Damage, a limit, or what the recording's own gate says.
pub(super) fn open_file(
    artifact: &Artifact,
    id: NodeId,
    progress: &dyn Fn(Progress),
) -> Result<(Opened, Option<SourceFile>), Refusal> {
    let Some(node) = artifact.tree().node(id) else {
        return Err(Refusal {
            kind: "unreadable".to_owned(),
            what: "There is no such file in the artifact.".to_owned(),
            place: String::new(),
            advice: "Open the artifact again.".to_owned(),
        });
    };
    let read = |id| artifact.bytes_of(id, &mut Unwatched).map_err(|error| open::unpack_refusal(&error));
    let content = read(id)?;
    let notes = content.notes.iter().map(ToString::to_string).collect();
    let opened = open::open_bytes(node.base_name().to_owned(), content.bytes.into_owned(), notes, progress)?;
    // A source that cannot be read costs the source, not the tape; the list of files says what is wrong with it.
    let source = node.source.one().and_then(|id| {
        let name = artifact.tree().node(id)?.base_name().to_owned();
        Some((name, read(id).ok()?.bytes.into_owned()))
    });
    Ok((opened, source))
}

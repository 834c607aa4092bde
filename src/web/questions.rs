//! The bookkeeping of one worker: which questions are under way, which wait, and whether the worker still lives.
//!
//! Invariant: of each kind at most one question is under way and at most one waits, the newest.

use std::collections::BTreeMap;

use tapedeck_core::model::protocol::{Question, QuestionKind};

/// The questions put to one worker.
#[derive(Debug, Default)]
pub struct Questions {
    last_id: u32,
    under_way: BTreeMap<QuestionKind, (u32, Question)>,
    waiting: BTreeMap<QuestionKind, Question>,
}

impl Questions {
    /// A fresh id for a message; 0 is never given (it is what the worker sends unasked).
    pub fn next_id(&mut self) -> u32 {
        self.last_id = self.last_id.wrapping_add(1).max(1);
        self.last_id
    }

    /// Takes a question. Gives it back with an id when it is to be sent now; otherwise it waits and replaces one that waited.
    pub fn ask(&mut self, question: Question) -> Option<(u32, Question)> {
        let kind = question.kind();
        if self.under_way.contains_key(&kind) {
            self.waiting.insert(kind, question);
            return None;
        }
        let id = self.next_id();
        self.under_way.insert(kind, (id, question.clone()));
        Some((id, question))
    }

    /// An answer arrived: the question it answers, or `None` for an id that is not under way.
    pub fn answered(&mut self, id: u32) -> Option<Question> {
        let kind = self.under_way.iter().find(|(_, (other, _))| *other == id).map(|(kind, _)| *kind)?;
        self.under_way.remove(&kind).map(|(_, question)| question)
    }

    /// The question of this kind that waited, to be sent now.
    pub fn release(&mut self, kind: QuestionKind) -> Option<(u32, Question)> {
        let question = self.waiting.remove(&kind)?;
        self.ask(question)
    }

    /// Whether anything is under way.
    pub fn is_busy(&self) -> bool {
        !self.under_way.is_empty()
    }
}

/// How often the page asks "are you there?", in milliseconds.
pub const BEAT_MILLIS: u32 = 2000;

/// Beats without any sign of life after which a worker counts as dead: 8 seconds. A beat, not a clock: a page that was
/// suspended does not beat, so waking up kills nothing.
const MISSES_ALLOWED: u32 = 4;

/// Bytes that are indexed between two beats on a slow machine: a tenth of what was measured on two cores. While a worker indexes
/// it can say nothing, so it is given the time that its tape may take.
const INDEXED_BYTES_A_BEAT: f64 = 50_000_000.0;

/// Whether a worker still lives, judged by what is heard of it.
#[derive(Debug, Default)]
pub struct Pulse {
    heard: bool,
    misses: u32,
    more_allowed: u32,
}

impl Pulse {
    /// A message of any kind arrived.
    pub fn heard(&mut self) {
        self.heard = true;
        self.more_allowed = 0;
    }

    /// The worker said that it now works on so many bytes without a word.
    pub fn silence_announced(&mut self, bytes: f64) {
        self.more_allowed = (bytes / INDEXED_BYTES_A_BEAT).clamp(0.0, 600.0) as u32;
    }

    /// A beat passed; `true` when the worker must be given up.
    pub fn beat(&mut self) -> bool {
        if std::mem::take(&mut self.heard) {
            self.misses = 0;
        } else {
            self.misses += 1;
        }
        self.misses >= MISSES_ALLOWED + self.more_allowed
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use tapedeck_core::model::Pos;
    use tapedeck_core::model::protocol::StateQuery;

    use super::*;

    fn state(pos: u32) -> Question {
        Question::State(StateQuery { pos: Pos(pos), ..StateQuery::default() })
    }

    #[test]
    fn the_newest_waiting_question_wins() {
        let mut questions = Questions::default();
        let (id, _) = questions.ask(state(1)).unwrap();
        assert!(questions.ask(state(2)).is_none());
        assert!(questions.ask(state(3)).is_none());
        assert_eq!(questions.answered(id), Some(state(1)));
        let (id, next) = questions.release(QuestionKind::State).unwrap();
        assert_eq!(next, state(3));
        assert!(questions.release(QuestionKind::State).is_none());
        assert_eq!(questions.answered(id), Some(state(3)));
        assert!(!questions.is_busy());
    }

    #[test]
    fn kinds_do_not_wait_for_one_another() {
        let mut questions = Questions::default();
        assert!(questions.ask(state(1)).is_some());
        assert!(questions.ask(Question::Minimap { buckets: 10 }).is_some());
    }

    #[test]
    fn an_unknown_id_answers_nothing() {
        let mut questions = Questions::default();
        questions.ask(state(1)).unwrap();
        assert_eq!(questions.answered(77), None);
        assert!(questions.is_busy());
    }

    #[test]
    fn four_silent_beats_are_a_death() {
        let mut pulse = Pulse::default();
        assert!(![pulse.beat(), pulse.beat(), pulse.beat()].contains(&true));
        pulse.heard();
        assert!(![pulse.beat(), pulse.beat(), pulse.beat(), pulse.beat()].contains(&true));
        assert!(pulse.beat());
    }

    #[test]
    fn a_large_tape_may_be_indexed_in_silence() {
        let mut pulse = Pulse::default();
        pulse.heard();
        pulse.silence_announced(500_000_000.0);
        assert!((0..14).all(|_| !pulse.beat()));
        assert!(pulse.beat());
    }
}

//! Putting to the reader the questions that follow from the state.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tapedeck_core::model::protocol::{Question, QuestionKind};
use yew::prelude::*;

use crate::app::state::{State, wanted};
use crate::web::deck::Deck;
use crate::web::page::{AnimationFrame, on_animation_frame};

/// What was asked, and what waits for the next animation frame.
#[derive(Default)]
struct Asker {
    /// Serial and epoch of the tape that was asked.
    of: Option<(u32, u32)>,
    asked: BTreeMap<QuestionKind, Question>,
    /// Set while an animation frame is awaited; a state was asked for in the frame before it.
    frame: Option<AnimationFrame>,
    waiting: Option<Question>,
}

/// Asks the reader whatever the page lacks: each question once, and about the state at a position at most once an animation frame.
#[hook]
pub fn use_asks(state: &State, deck: &Deck) {
    let asker = use_mut_ref(Asker::default);
    let of = match &state.trace {
        Some(trace) => Some((trace.serial, trace.epoch)),
        None => state.tape.as_ref().map(|open| (open.serial, open.epoch)),
    };
    let questions = wanted(state);
    let deck = deck.clone();
    use_effect(move || {
        let changed: Vec<Question> = {
            let mut asker = asker.borrow_mut();
            if asker.of != of {
                *asker = Asker { of, ..Asker::default() };
            }
            let kinds: Vec<QuestionKind> = questions.iter().map(Question::kind).collect();
            asker.asked.retain(|kind, _| kinds.contains(kind));
            questions.into_iter().filter(|question| asker.asked.get(&question.kind()) != Some(question)).collect()
        };
        for question in changed {
            asker.borrow_mut().asked.insert(question.kind(), question.clone());
            if question.kind() == QuestionKind::State {
                ask_state(&asker, &deck, question);
            } else {
                deck.ask(question);
            }
        }
    });
}

fn ask_state(asker: &Rc<RefCell<Asker>>, deck: &Deck, question: Question) {
    if asker.borrow().frame.is_some() {
        asker.borrow_mut().waiting = Some(question);
        return;
    }
    deck.ask(question);
    let frame = {
        let (asker, deck) = (Rc::clone(asker), deck.clone());
        on_animation_frame(move |_| {
            let waiting = {
                let mut asker = asker.borrow_mut();
                asker.frame = None;
                asker.waiting.take()
            };
            if let Some(question) = waiting {
                ask_state(&asker, &deck, question);
            }
        })
    };
    asker.borrow_mut().frame = frame;
}

//! What the components ask of the workshop, and what it tells the reducer.

use yew::prelude::*;

use crate::app::context::Work;
use crate::app::state::{Action, Alert};
use crate::app::trace_state::TraceAction;
use crate::web::workshop::{ShopEvent, Workshop};

/// Does a piece of work.
pub fn do_work(work: Work, workshop: &Workshop, send: &Callback<Action>) {
    let tell = |action| send.emit(Action::Trace(action));
    match work {
        Work::Replay { only, total } => {
            tell(TraceAction::ReplayStarted);
            workshop.replay(only, total);
        }
        Work::CancelReplay => workshop.cancel(),
        Work::Choose(item) => workshop.choose(item),
        Work::Export(export) => workshop.export(export),
        Work::CompareWith(document) => workshop.compare_with(document),
        Work::ToggleTools => {
            tell(TraceAction::ToolsToggled);
            workshop.list_tools();
        }
        Work::ReplaceWith(sha256) => workshop.replace_with(&sha256),
        Work::DropModule(sha256) => {
            tell(TraceAction::ModuleDropped(sha256.clone()));
            workshop.drop_module(sha256);
        }
        Work::BeginSession { request, seed } => workshop.begin_session(request, seed),
        Work::NameRequest(request) => workshop.name_request(request),
        Work::Try { tool, args, seed } => {
            tell(TraceAction::TryStarted);
            workshop.try_tool(tool, args, seed);
        }
        Work::AddTried => workshop.add_tried(),
    }
}

/// What the workshop says, as an action.
pub fn shop_action(event: ShopEvent) -> Action {
    Action::Trace(match event {
        ShopEvent::Replay(state) => TraceAction::Replayed(state),
        ShopEvent::ReplayEnded => TraceAction::ReplayEnded,
        ShopEvent::Tools(rows) => TraceAction::ToolsListed(rows),
        ShopEvent::Module(report) => TraceAction::ModuleTaken(report),
        ShopEvent::ModuleRefused(file, refusal) => TraceAction::ModuleRefused(file, refusal),
        ShopEvent::Tried(tried) => TraceAction::Tried(tried),
        ShopEvent::BadInput(why) => TraceAction::BadInput(why),
        ShopEvent::Added => TraceAction::Added,
        ShopEvent::Other(name, sentence) => TraceAction::Compared(name, sentence),
        ShopEvent::Saved(name) => return Action::Noticed(format!("{name} was handed to the browser's downloads.")),
        ShopEvent::NoFile(why) => {
            return Action::Alerted(Alert {
                title: "Nothing was saved".to_owned(),
                what: why,
                place: String::new(),
                advice: String::new(),
                can_retry: false,
            });
        }
    })
}

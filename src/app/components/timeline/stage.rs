//! The timeline's drawing and pointer: glue between the core's timeline, two canvases and the page.
//!
//! Everything happens in an animation frame: events and props only note what is to be done. There are two layers, so that
//! scrubbing draws the cursor and not the lanes.
//!
//! Invariant: nothing is called back while the inside is borrowed: what the page does in answer may come right back here.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use gloo::events::{EventListener, EventListenerOptions};
use tapedeck_core::model::Pos;
use tapedeck_core::model::protocol::{Minimap, Pin, Question, TapeSummary, TimelineQuery, TimelineSlice};
use tapedeck_core::timeline::hit::{self, Hover, Spot};
use tapedeck_core::timeline::paint::{Cursor, Scene, Scratch, paint_cursor, paint_lanes};
use tapedeck_core::timeline::{Gestures, Input, Layout, LayoutSpec, Outcome, Range, gesture, grouped};
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlCanvasElement, HtmlElement, MouseEvent, PointerEvent, WheelEvent};
use yew::Callback;

use crate::app::shared::Shared;
use crate::web::canvas::{CanvasPainter, ScreenBox, Style, set_css};
use crate::web::frames::Frames;
use crate::web::watch::{MediaWatch, SizeWatch};

/// How fast the cursor glides: each so many milliseconds, two thirds of the way are done. It arrives within a fifth of a second.
const GLIDE_MILLIS: f64 = 45.0;

/// How much more than the visible range is asked for on either side, as a part of it: what panning shows at once.
const MARGIN: f64 = 0.25;

/// Frame rows asked for above and below the visible ones.
const MARGIN_ROWS: u32 = 4;

/// A line of wheel, for browsers that count in lines, in CSS pixels.
const WHEEL_LINE: f64 = 16.0;

/// The elements of the timeline.
pub(super) struct Parts {
    /// What the pointer works on.
    pub(super) area: HtmlElement,
    /// The column of the lanes' names, one child a lane.
    pub(super) names: HtmlElement,
    /// The button that scrolls to deeper frame rows.
    pub(super) deeper: HtmlElement,
    /// What is under the pointer, in words.
    pub(super) readout: HtmlElement,
    /// The layer of the lanes.
    pub(super) lanes: Option<HtmlCanvasElement>,
    /// The layer of the cursor.
    pub(super) overlay: Option<HtmlCanvasElement>,
}

/// What the page wants to be seen.
#[derive(Clone, PartialEq)]
pub(super) struct Shown {
    /// Positions of the tape.
    pub(super) positions: u32,
    /// Frame rows of the tape.
    pub(super) frame_rows: u32,
    /// Whether it has nondet records.
    pub(super) has_inputs: bool,
    /// Whether it has issues.
    pub(super) has_marks: bool,
    /// Where the page is.
    pub(super) pos: Pos,
    /// The visible range.
    pub(super) range: Range,
    /// What is drawn.
    pub(super) slice: Option<Shared<TimelineSlice>>,
    /// The density of the tape.
    pub(super) minimap: Option<Shared<Minimap>>,
    /// The tracks.
    pub(super) pins: Rc<Vec<Pin>>,
    /// Changes with the page's colours.
    pub(super) colours: u32,
    /// Frames on the call stack at `pos`, when that is known.
    pub(super) depth: Option<u32>,
    /// The tape: another one begins anew.
    pub(super) tape: Shared<TapeSummary>,
}

/// Whom the timeline tells.
#[derive(Clone)]
pub(super) struct Wishes {
    /// Go there.
    pub(super) seek: Callback<Pos>,
    /// Show that.
    pub(super) range: Callback<Range>,
    /// Answer that.
    pub(super) ask: Callback<Question>,
}

/// The timeline's drawing and pointer. Dropping it ends everything.
pub(super) struct Stage {
    inside: Rc<RefCell<Inside>>,
    frames: Rc<Frames>,
    _listeners: Vec<EventListener>,
    _size: Option<SizeWatch>,
    _media: Vec<MediaWatch>,
}

/// What is to be done in the next animation frame.
#[derive(Clone, Copy, Default)]
struct Due {
    /// Measure the elements and lay the lanes out.
    layout: bool,
    /// Read the colours.
    style: bool,
    /// Draw the lanes.
    lanes: bool,
    /// Draw the cursor.
    cursor: bool,
    /// Say what is under the pointer.
    readout: bool,
}

impl Due {
    const ALL: Self = Self { layout: true, style: true, lanes: true, cursor: true, readout: true };
}

struct Inside {
    parts: Parts,
    lanes: Option<CanvasPainter>,
    overlay: Option<CanvasPainter>,
    scratch: Scratch,
    shown: Option<Shown>,
    wishes: Option<Wishes>,
    due: Due,
    screen: ScreenBox,
    layout: Layout,
    first_row: u32,
    gestures: Gestures,
    /// The range as it is drawn: ahead of the page's while a pointer drags it.
    range: Range,
    /// The position as it is drawn: ahead of the page's while a pointer scrubs.
    pos: Pos,
    /// Where the cursor is drawn: behind the position while it glides.
    cursor_at: f64,
    drawn_at: Option<f64>,
    seek: Option<Pos>,
    new_range: Option<Range>,
    hover: Option<(f64, f64)>,
    asked: Option<TimelineQuery>,
    asked_parts: u32,
    reduced_motion: bool,
}

impl Stage {
    /// Begins to listen and to draw.
    pub(super) fn new(parts: Parts) -> Self {
        let area = parts.area.clone();
        let painter = |canvas: &Option<HtmlCanvasElement>| canvas.clone().and_then(CanvasPainter::new);
        let inside = Rc::new(RefCell::new(Inside {
            lanes: painter(&parts.lanes),
            overlay: painter(&parts.overlay),
            parts,
            scratch: Scratch::default(),
            shown: None,
            wishes: None,
            due: Due::ALL,
            screen: ScreenBox::default(),
            layout: Layout::default(),
            first_row: 0,
            gestures: Gestures::default(),
            range: Range::whole(0),
            pos: Pos(0),
            cursor_at: 0.0,
            drawn_at: None,
            seek: None,
            new_range: None,
            hover: None,
            asked: None,
            asked_parts: 0,
            reduced_motion: false,
        }));
        let frames = Rc::new_cyclic(|frames: &Weak<Frames>| {
            let (inside, frames) = (Rc::downgrade(&inside), frames.clone());
            Frames::new(move |time| {
                if let Some(inside) = inside.upgrade() {
                    draw(&inside, time, &frames);
                }
            })
        });
        let note = |due: Due| {
            let (inside, frames) = (Rc::downgrade(&inside), Rc::downgrade(&frames));
            move || {
                if let (Some(inside), Some(frames)) = (inside.upgrade(), frames.upgrade()) {
                    inside.borrow_mut().note(due);
                    frames.request();
                }
            }
        };
        let size = SizeWatch::new(&area, note(Due { layout: true, ..Due::default() }));
        let motion = {
            let inside = Rc::downgrade(&inside);
            let query = "(prefers-reduced-motion: reduce)";
            MediaWatch::new(query, move || {
                if let (Some(inside), Some(window)) = (inside.upgrade(), web_sys::window()) {
                    let list = window.match_media(query).ok().flatten();
                    inside.borrow_mut().reduced_motion = list.is_some_and(|list| list.matches());
                }
            })
        };
        inside.borrow_mut().reduced_motion = motion.as_ref().is_some_and(MediaWatch::holds);
        let dark = MediaWatch::new("(prefers-color-scheme: dark)", note(Due { style: true, ..Due::default() }));
        let listeners = listeners(&area, &inside, &frames, note(Due { layout: true, ..Due::default() }));
        frames.request();
        Self {
            inside,
            frames,
            _listeners: listeners,
            _size: size,
            _media: [motion, dark].into_iter().flatten().collect(),
        }
    }

    /// Shows what the page wants, from the next animation frame on.
    pub(super) fn show(&self, shown: Shown, wishes: Wishes) {
        self.inside.borrow_mut().show(shown, wishes);
        self.frames.request();
    }

    /// Scrolls to deeper frame rows: to the innermost frame at the cursor when that is deeper than what is shown, else by as
    /// many as are shown; and from the deepest ones back to the outermost.
    pub(super) fn turn_frame_page(&self) {
        {
            let mut inside = self.inside.borrow_mut();
            let layout = &inside.layout;
            let shown_to = layout.first_row + layout.rows;
            let depth = inside.shown.as_ref().and_then(|shown| shown.depth).filter(|depth| *depth > shown_to);
            inside.first_row = match depth {
                _ if layout.deeper_rows() == 0 => 0,
                Some(depth) => depth - layout.rows,
                None => shown_to,
            };
            inside.note(Due { layout: true, ..Due::default() });
        }
        self.frames.request();
    }
}

impl Inside {
    fn note(&mut self, due: Due) {
        self.due.layout |= due.layout;
        self.due.style |= due.style;
        // New measures empty the canvases, and new colours concern both.
        self.due.lanes |= due.lanes || due.layout || due.style;
        self.due.cursor |= due.cursor || due.lanes || due.layout || due.style;
        self.due.readout |= due.readout || due.lanes || due.layout;
    }

    fn show(&mut self, shown: Shown, wishes: Wishes) {
        self.wishes = Some(wishes);
        let Some(before) = self.shown.replace(shown) else {
            self.begin();
            return;
        };
        let Some(shown) = &self.shown else { return };
        if before == *shown {
            return;
        }
        if before.tape != shown.tape {
            self.begin();
            return;
        }
        let mut due = Due::default();
        if before.pos != shown.pos {
            self.pos = shown.pos;
            due.cursor = true;
        }
        // Only a range that the page changed counts: one that it merely repeats may be older than what is drawn.
        if before.range != shown.range {
            self.range = shown.range;
            due.lanes = true;
        }
        due.style = before.colours != shown.colours;
        due.layout = before.pins != shown.pins || before.has_marks != shown.has_marks;
        due.lanes |= before.slice != shown.slice || before.minimap != shown.minimap;
        self.note(due);
    }

    /// Another tape.
    fn begin(&mut self) {
        let Some(shown) = &self.shown else { return };
        self.pos = shown.pos;
        self.cursor_at = f64::from(shown.pos.0);
        self.range = shown.range;
        self.first_row = 0;
        self.gestures = Gestures::default();
        (self.seek, self.new_range, self.hover) = (None, None, None);
        (self.asked, self.asked_parts) = (None, 0);
        self.note(Due::ALL);
    }

    fn take(&mut self, input: Input) {
        let Some(shown) = &self.shown else { return };
        let scene = gesture::Shown {
            layout: &self.layout,
            range: self.range,
            positions: shown.positions,
            slice: shown.slice.as_deref(),
        };
        let Outcome { seek, range, first_row } = self.gestures.take(&scene, input);
        let mut due = Due { readout: true, cursor: true, ..Due::default() };
        if let Some(pos) = seek {
            self.seek = Some(pos);
            self.pos = pos;
        }
        if let Some(range) = range {
            self.new_range = Some(range);
            self.range = range;
            due.lanes = true;
        }
        if let Some(row) = first_row {
            self.first_row = row;
            due.layout = true;
        }
        self.note(due);
    }

    fn measure(&mut self) {
        let Some(shown) = &self.shown else { return };
        let spec = |width: f64| LayoutSpec {
            width,
            frame_rows: shown.frame_rows,
            first_frame_row: self.first_row,
            has_inputs: shown.has_inputs,
            tracks: shown.pins.len(),
            has_marks: shown.has_marks,
        };
        let area = &self.parts.area;
        let layout = Layout::new(spec(area.get_bounding_client_rect().width()));
        if layout.height != self.layout.height {
            set_css(area, "height", &format!("{}px", layout.height));
        }
        self.screen = ScreenBox::of(area);
        self.layout = Layout::new(spec(self.screen.width));
        self.first_row = self.layout.first_row;
        for painter in [&mut self.lanes, &mut self.overlay].into_iter().flatten() {
            painter.resize(self.screen.device_width, self.screen.device_height);
        }
        self.place_names();
    }

    /// Puts each lane's name beside its lane.
    fn place_names(&self) {
        let layout = &self.layout;
        let mut lanes = vec![layout.minimap, layout.ruler, layout.frames];
        lanes.extend(layout.inputs);
        lanes.extend(&layout.tracks);
        lanes.extend(layout.marks);
        let children = self.parts.names.children();
        for (idx, lane) in (0..children.length()).zip(lanes) {
            if let Some(name) = children.item(idx).and_then(|name| name.dyn_into::<HtmlElement>().ok()) {
                set_css(&name, "top", &format!("{}px", lane.top));
                set_css(&name, "height", &format!("{}px", lane.height));
                name.set_hidden(lane.height == 0.0);
            }
        }
        let deeper = &self.parts.deeper;
        let (below, above) = (layout.deeper_rows(), layout.first_row);
        let text = if below > 0 { format!("{} deeper", grouped(u64::from(below))) } else { "to the top".to_owned() };
        if deeper.text_content().as_deref() != Some(&text) {
            deeper.set_text_content(Some(&text));
        }
        deeper.set_hidden(below == 0 && above == 0);
    }

    fn restyle(&mut self) {
        if let Some(style) = Style::read(&self.parts.area) {
            for painter in [&mut self.lanes, &mut self.overlay].into_iter().flatten() {
                painter.set_style(&style);
            }
        }
    }

    /// Moves the cursor towards its position; whether it is still on its way.
    fn glide(&mut self, time: f64) -> bool {
        let goal = f64::from(self.pos.0);
        let millis = self.drawn_at.replace(time).map_or(16.0, |before| (time - before).clamp(0.0, 100.0));
        let scale = hit::plot_scale(&self.layout, self.range);
        let pixels = ((goal - self.cursor_at) * scale.px_per_pos()).abs();
        // What lies out of sight is not worth a way of many screens.
        let is_far = pixels > 2.0 * self.layout.width.max(1.0);
        if self.reduced_motion || self.gestures.is_scrubbing() || pixels < 0.5 || is_far {
            if self.cursor_at != goal {
                self.cursor_at = goal;
                self.due.cursor = true;
            }
            self.drawn_at = None;
            return false;
        }
        self.cursor_at += (goal - self.cursor_at) * (1.0 - (-millis / GLIDE_MILLIS).exp());
        self.due.cursor = true;
        true
    }

    fn paint(&mut self) {
        let Some(shown) = &self.shown else { return };
        let scene = Scene {
            layout: &self.layout,
            range: self.range,
            positions: shown.positions,
            dpr: self.screen.dpr,
            slice: shown.slice.as_deref(),
            minimap: shown.minimap.as_deref(),
        };
        if core::mem::take(&mut self.due.lanes)
            && let Some(painter) = &mut self.lanes
        {
            paint_lanes(painter, &scene, &mut self.scratch);
        }
        if core::mem::take(&mut self.due.cursor)
            && let Some(painter) = &mut self.overlay
        {
            let hover_x = self.hover.filter(|_| !self.gestures.is_dragging()).map(|(x, _)| x);
            paint_cursor(painter, &scene, &Cursor { pos: self.pos, shown_at: self.cursor_at, hover_x });
        }
    }

    /// Says what is under the pointer, and shows by the pointer's form what it would do.
    fn read_out(&self) {
        let Parts { area, readout, .. } = &self.parts;
        let (Some(shown), Some((x, y))) = (&self.shown, self.hover) else {
            readout.set_hidden(true);
            return;
        };
        let spot = hit::spot_at(&self.layout, self.range, shown.positions, x, y);
        let form = match spot {
            Spot::MinimapFirst | Spot::MinimapLast => "ew-resize",
            Spot::MinimapRange if self.gestures.is_panning() => "grabbing",
            Spot::MinimapRange => "grab",
            Spot::Minimap => "crosshair",
            Spot::Ruler => "col-resize",
            _ if self.gestures.is_panning() => "grabbing",
            _ => "default",
        };
        set_css(area, "cursor", form);
        let hover = Hover {
            layout: &self.layout,
            range: self.range,
            positions: shown.positions,
            slice: shown.slice.as_deref(),
            minimap: shown.minimap.as_deref(),
            pins: &shown.pins,
        };
        let lines = if self.gestures.is_dragging() { Vec::new() } else { hit::readout(&hover, x, y) };
        if lines.is_empty() {
            readout.set_hidden(true);
            return;
        }
        readout.set_text_content(Some(&lines.join("\n")));
        readout.set_hidden(false);
        // Beside the pointer, on the side where there is room; never under it.
        let (left, top) = (f64::from(area.offset_left()) + x, f64::from(area.offset_top()) + y);
        let (right, bottom) =
            (f64::from(area.offset_left() + area.offset_width()), f64::from(area.offset_top() + area.offset_height()));
        let (width, height) = (f64::from(readout.offset_width()), f64::from(readout.offset_height()));
        let left = if left + 14.0 + width <= right { left + 14.0 } else { (left - 14.0 - width).max(4.0) };
        let top = if top + 16.0 + height <= bottom { top + 16.0 } else { (top - 8.0 - height).max(0.0) };
        set_css(readout, "transform", &format!("translate({}px, {}px)", left.round(), top.round()));
    }

    /// The question whose answer is missing for what is visible now.
    fn question(&mut self) -> Option<Question> {
        let shown = self.shown.as_ref().filter(|shown| shown.positions > 0)?;
        if self.layout.width <= 0.0 {
            return None;
        }
        let rows_first = self.layout.first_row.saturating_sub(MARGIN_ROWS);
        let rows_end = (self.layout.first_row + self.layout.rows + MARGIN_ROWS).min(shown.frame_rows);
        let visible_px = (self.layout.plot_width * self.screen.dpr).max(1.0);
        let margin = self.range.span() * MARGIN;
        let whole = Range::whole(shown.positions);
        let first = (self.range.first - margin).max(0.0);
        let last = (self.range.last + margin).min(whole.last);
        let query = TimelineQuery {
            first,
            last,
            px: (visible_px * (last - first) / self.range.span()).round() as u32,
            frame_rows: rows_end - rows_first,
            first_frame_row: rows_first,
            pins: shown.pins.to_vec(),
        };
        if self.asked.as_ref().is_some_and(|asked| serves(asked, &query, self.range)) {
            return None;
        }
        self.asked = Some(query.clone());
        Some(Question::Timeline(query))
    }

    fn minimap_question(&mut self) -> Option<Question> {
        self.shown.as_ref().filter(|shown| shown.positions > 0)?;
        // A part every few pixels; asked anew only when the width has changed for good.
        let parts = (self.layout.plot_width / 3.0).round() as u32;
        let is_near = parts.abs_diff(self.asked_parts) * 4 <= self.asked_parts;
        if parts == 0 || is_near {
            return None;
        }
        self.asked_parts = parts;
        Some(Question::Minimap { buckets: parts })
    }
}

/// Whether the answer to one query shows what another one asks for: the same lanes, as fine, and all that is visible.
fn serves(asked: &TimelineQuery, wanted: &TimelineQuery, visible: Range) -> bool {
    let fineness = |query: &TimelineQuery| f64::from(query.px) / (query.last - query.first);
    let ratio = fineness(asked) / fineness(wanted);
    asked.first <= visible.first
        && asked.last >= visible.last
        && (0.98..1.02).contains(&ratio)
        && (asked.first_frame_row, asked.frame_rows) == (wanted.first_frame_row, wanted.frame_rows)
        && asked.pins == wanted.pins
}

/// One animation frame.
fn draw(inside: &Rc<RefCell<Inside>>, time: f64, frames: &Weak<Frames>) {
    let (is_gliding, wishes, seek, range, questions) = {
        let mut inside = inside.borrow_mut();
        if web_sys::window().is_some_and(|window| window.device_pixel_ratio() != inside.screen.dpr) {
            inside.note(Due { layout: true, ..Due::default() });
        }
        if core::mem::take(&mut inside.due.style) {
            inside.restyle();
        }
        if core::mem::take(&mut inside.due.layout) {
            inside.measure();
        }
        let is_gliding = inside.glide(time);
        inside.paint();
        if core::mem::take(&mut inside.due.readout) {
            inside.read_out();
        }
        let questions = [inside.minimap_question(), inside.question()];
        (is_gliding, inside.wishes.clone(), inside.seek.take(), inside.new_range.take(), questions)
    };
    if let Some(wishes) = wishes {
        if let Some(range) = range {
            wishes.range.emit(range);
        }
        if let Some(pos) = seek {
            wishes.seek.emit(pos);
        }
        for question in questions.into_iter().flatten() {
            wishes.ask.emit(question);
        }
    }
    if is_gliding && let Some(frames) = frames.upgrade() {
        frames.request();
    }
}

/// Listens to the pointer. Directly, and not through Yew: the wheel must be kept from scrolling the page, which only a
/// listener that is not passive can do.
fn listeners(
    area: &HtmlElement,
    inside: &Rc<RefCell<Inside>>,
    frames: &Rc<Frames>,
    on_window: impl Fn() + 'static,
) -> Vec<EventListener> {
    let on = |name: &'static str, handle: fn(&mut Inside, &Event)| {
        let (inside, frames) = (Rc::downgrade(inside), Rc::downgrade(frames));
        let options = EventListenerOptions::enable_prevent_default();
        EventListener::new_with_options(area, name, options, move |event| {
            if let (Some(inside), Some(frames)) = (inside.upgrade(), frames.upgrade()) {
                handle(&mut inside.borrow_mut(), event);
                frames.request();
            }
        })
    };
    let mut listeners = vec![
        on("pointerdown", |inside, event| {
            if let Some(event) = event.dyn_ref::<PointerEvent>().filter(|event| event.button() == 0) {
                let (x, y) = inside.place(event);
                // Without the capture a drag ends at the timeline's edge: a pity, and nothing more.
                let _ = inside.parts.area.set_pointer_capture(event.pointer_id());
                inside.hover = is_hovering(event).then_some((x, y));
                inside.take(Input::Down { id: event.pointer_id(), x, y });
            }
        }),
        on("pointermove", |inside, event| {
            if let Some(event) = event.dyn_ref::<PointerEvent>() {
                let (x, y) = inside.place(event);
                inside.hover = is_hovering(event).then_some((x, y));
                inside.take(Input::Move { id: event.pointer_id(), x, y });
            }
        }),
        on("pointerup", |inside, event| {
            if let Some(event) = event.dyn_ref::<PointerEvent>() {
                let (x, y) = inside.place(event);
                inside.take(Input::Up { id: event.pointer_id(), x, y });
            }
        }),
        on("pointercancel", |inside, event| {
            if let Some(event) = event.dyn_ref::<PointerEvent>() {
                inside.take(Input::Cancel { id: event.pointer_id() });
            }
        }),
        on("pointerleave", |inside, _| {
            inside.hover = None;
            inside.note(Due { cursor: true, readout: true, ..Due::default() });
        }),
        on("dblclick", |inside, event| {
            event.prevent_default();
            inside.take(Input::DoubleClick);
        }),
        on("wheel", |inside, event| {
            if let Some(event) = event.dyn_ref::<WheelEvent>() {
                event.prevent_default();
                let (x, y) = inside.place(event);
                let unit = match event.delta_mode() {
                    WheelEvent::DOM_DELTA_LINE => WHEEL_LINE,
                    WheelEvent::DOM_DELTA_PAGE => inside.layout.height,
                    _ => 1.0,
                };
                let (dx, dy) = (event.delta_x() * unit, event.delta_y() * unit);
                inside.take(Input::Wheel { x, y, dx, dy, shift: event.shift_key(), alt: event.alt_key() });
            }
        }),
    ];
    if let Some(window) = web_sys::window() {
        // Zooming the page changes the ratio of pixels, and not always the size.
        listeners.push(EventListener::new(&window, "resize", move |_| on_window()));
    }
    listeners
}

/// Whether a pointer can rest on something without pressing it.
fn is_hovering(event: &PointerEvent) -> bool {
    event.pointer_type() != "touch"
}

impl Inside {
    /// Where an event is, from the upper left corner of the area.
    fn place(&self, event: &MouseEvent) -> (f64, f64) {
        let rect = self.parts.area.get_bounding_client_rect();
        (f64::from(event.client_x()) - rect.left(), f64::from(event.client_y()) - rect.top())
    }
}

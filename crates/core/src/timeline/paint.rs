//! Draws the timeline through a [`Painter`], in device pixels.
//!
//! There are two layers: the lanes, drawn when the range, the slice or the theme changes, and above them the cursor, drawn
//! alone while scrubbing.
//!
//! Invariant: the work is bounded by the pixels: a slice has at most a few entries a pixel and lane, and only those of the
//! visible range are visited. Rectangles are collected by ink and filled together; their vectors are kept for the next time.
//! Invariant: edges lie on whole device pixels, so that nothing is blurred at any device pixel ratio.

use crate::model::protocol::{InputCategory, IssueMark, Label, Minimap, Span, TimelineSlice, Track, TrackPoint};
use crate::model::{IssueKind, Pos};

use super::bitmap::{Bitmap, Stamp};
use super::grouped;
use super::hit::{TrackReading, minimap_scale, plot_scale, track_reading};
use super::layout::{BAR_HEIGHT, Lane, Layout};
use super::scale::{Range, Scale};

/// A colour by its meaning. The page's style sheet says what it looks like: see [`Ink::property`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Ink {
    Panel,
    /// The ground of the minimap.
    PanelSoft,
    Line,
    Text,
    Muted,
    Faint,
    /// The cursor and the visible range: time, and nothing else.
    Head,
    HeadSoft,
    /// One of five colours of frames, 0 for the outermost row.
    Frame(u8),
    /// Several frames that share a pixel.
    FrameMany,
    FrameText,
    Input(InputCategory),
    /// A track's line while the trajectory has this label.
    Label(Label),
    /// A track's line without labels.
    Track,
    Issue,
    Seam,
}

impl Ink {
    /// How many inks there are.
    pub const COUNT: usize = 18 + InputCategory::ALL.len() + LABELS.len();

    /// The CSS custom property that holds the colour.
    pub fn property(self) -> &'static str {
        match self {
            Self::Panel => "--panel",
            Self::PanelSoft => "--panel-2",
            Self::Line => "--line",
            Self::Text => "--text",
            Self::Muted => "--muted",
            Self::Faint => "--faint",
            Self::Head => "--head",
            Self::HeadSoft => "--head-soft",
            Self::Frame(0) => "--f0",
            Self::Frame(1) => "--f1",
            Self::Frame(2) => "--f2",
            Self::Frame(3) => "--f3",
            Self::Frame(_) => "--f4",
            Self::FrameMany => "--f-many",
            Self::FrameText => "--f-text",
            Self::Input(category) => match category {
                InputCategory::Random => "--random",
                InputCategory::Time => "--time",
                InputCategory::Files => "--env",
                InputCategory::Process => "--proc",
                InputCategory::Http => "--http",
                InputCategory::Network => "--net",
                InputCategory::Media => "--media",
                InputCategory::Model => "--model",
                InputCategory::Unknown => "--muted",
            },
            Self::Label(label) => match label {
                Label::Oscillating => "--oscillating",
                Label::Diverging => "--diverging",
                Label::Improving => "--improving",
                Label::Converged => "--converged",
                Label::Equilibrium => "--equilibrium",
                Label::Stable => "--stable",
                Label::Moving => "--moving",
            },
            Self::Track => "--time",
            Self::Issue => "--issue",
            Self::Seam => "--seam",
        }
    }

    /// A number of its own for each ink, below [`Ink::COUNT`].
    pub fn index(self) -> usize {
        match self {
            Self::Panel => 0,
            Self::PanelSoft => 1,
            Self::Line => 2,
            Self::Text => 3,
            Self::Muted => 4,
            Self::Faint => 5,
            Self::Head => 6,
            Self::HeadSoft => 7,
            Self::Frame(number) => 8 + usize::from(number.min(4)),
            Self::FrameMany => 13,
            Self::FrameText => 14,
            Self::Track => 15,
            Self::Issue => 16,
            Self::Seam => 17,
            Self::Input(category) => 18 + category.index(),
            Self::Label(label) => 18 + InputCategory::ALL.len() + label as usize,
        }
    }

    /// Every ink, in the order of [`Ink::index`].
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Panel, Self::PanelSoft, Self::Line, Self::Text, Self::Muted, Self::Faint, Self::Head, Self::HeadSoft]
            .into_iter()
            .chain((0..5).map(Self::Frame))
            .chain([Self::FrameMany, Self::FrameText, Self::Track, Self::Issue, Self::Seam])
            .chain(InputCategory::ALL.map(Self::Input))
            .chain(LABELS.map(Self::Label))
    }
}

const LABELS: [Label; 7] = [
    Label::Oscillating,
    Label::Diverging,
    Label::Improving,
    Label::Converged,
    Label::Equilibrium,
    Label::Stable,
    Label::Moving,
];

/// A rectangle in device pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// A point in device pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// A family and size of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Font {
    /// Whether it is the monospaced one.
    pub mono: bool,
    /// Size in device pixels.
    pub size: f64,
}

/// Something that can be drawn on, in device pixels.
pub trait Painter {
    /// Makes everything transparent.
    fn clear(&mut self);
    /// Fills rectangles; `opacity` is from 0 to 1.
    fn rects(&mut self, ink: Ink, opacity: f64, rects: &[Rect]);
    /// Fills rectangles with round corners.
    fn round_rects(&mut self, ink: Ink, radius: f64, rects: &[Rect]);
    /// Fills polygons.
    fn polygons(&mut self, ink: Ink, polygons: &[Vec<Point>]);
    /// Puts a picture over what is there, stretched to `at` where that is higher than the picture.
    fn bitmap(&mut self, at: Rect, bitmap: &Bitmap);
    /// Writes a line of text; `at` is the left end of its base line.
    fn text(&mut self, ink: Ink, font: Font, at: Point, text: &str);
    /// How wide a text is.
    fn text_width(&mut self, font: Font, text: &str) -> f64;
}

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The lanes.
    pub layout: &'a Layout,
    /// The visible range.
    pub range: Range,
    /// Positions of the recording.
    pub positions: u32,
    /// Device pixels a CSS pixel.
    pub dpr: f64,
    /// What the worker answered last; it may be of another range, and is then drawn where it belongs.
    pub slice: Option<&'a TimelineSlice>,
    /// The density of the recording.
    pub minimap: Option<&'a Minimap>,
}

impl Scene<'_> {
    fn px(&self, css: f64) -> f64 {
        (css * self.dpr).round()
    }

    fn scale(&self) -> Scale {
        plot_scale(self.layout, self.range).times(self.dpr)
    }

    fn font(&self, mono: bool, css_size: f64) -> Font {
        Font { mono, size: css_size * self.dpr }
    }
}

/// With more rectangles than this, a lane (or a row of frames) is drawn as a picture.
const FEW_RECTS: usize = 96;

/// With more marks than this, their lane is drawn as a picture.
const FEW_MARKS: usize = 48;

/// Memory kept from one drawing to the next.
#[derive(Debug)]
pub struct Scratch {
    plain: Batches,
    bands: Batches,
    round: Batches,
    colours: Vec<u8>,
    bitmap: Bitmap,
    stamps: Vec<(InputCategory, u64, Stamp)>,
    few_rects: usize,
    few_marks: usize,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            plain: Batches::default(),
            bands: Batches::default(),
            round: Batches::default(),
            colours: Vec::new(),
            bitmap: Bitmap::default(),
            stamps: Vec::new(),
            few_rects: FEW_RECTS,
            few_marks: FEW_MARKS,
        }
    }
}

impl Scratch {
    /// Fills what was collected for a lane: the bands half transparent, above them the plain rectangles. `is_flat` when all of
    /// them are as high as the lane.
    fn fill_lane(&mut self, painter: &mut impl Painter, lane: Rect, opacity: f64, is_flat: bool) {
        let Self { plain, bands, bitmap, few_rects, .. } = self;
        if plain.count() + bands.count() <= *few_rects {
            bands.flush(|ink, rects| painter.rects(ink, BAND_OPACITY, rects));
            plain.flush(|ink, rects| painter.rects(ink, opacity, rects));
            return;
        }
        bitmap.reset(lane.width as usize, if is_flat { 1 } else { lane.height as usize });
        for (batches, opacity) in [(bands, BAND_OPACITY), (plain, opacity)] {
            batches.flush(|ink, rects| {
                for rect in rects {
                    let y = if is_flat { 0.0 } else { rect.y - lane.y };
                    bitmap.fill(ink, opacity, Rect { x: rect.x - lane.x, y, ..*rect });
                }
            });
        }
        painter.bitmap(lane, bitmap);
    }
}

/// How opaque the band from minimum to maximum of a track is.
const BAND_OPACITY: f64 = 0.5;

/// Rectangles collected by ink.
#[derive(Debug, Default)]
struct Batches {
    by_ink: Vec<Vec<Rect>>,
}

impl Batches {
    fn add(&mut self, ink: Ink, rect: Rect) {
        if self.by_ink.len() < Ink::COUNT {
            self.by_ink.resize_with(Ink::COUNT, Vec::new);
        }
        if let Some(rects) = self.by_ink.get_mut(ink.index()) {
            rects.push(rect);
        }
    }

    fn count(&self) -> usize {
        self.by_ink.iter().map(Vec::len).sum()
    }

    fn flush(&mut self, mut fill: impl FnMut(Ink, &[Rect])) {
        for (ink, rects) in Ink::all().zip(&mut self.by_ink) {
            if !rects.is_empty() {
                fill(ink, rects);
                rects.clear();
            }
        }
    }
}

/// Draws all that stays while the cursor moves.
pub fn paint_lanes(painter: &mut impl Painter, scene: &Scene<'_>, scratch: &mut Scratch) {
    painter.clear();
    paint_minimap(painter, scene, scratch);
    paint_ruler(painter, scene, &mut scratch.plain);
    if let Some(slice) = scene.slice {
        paint_seams(painter, scene, slice, &mut scratch.plain);
        paint_frames(painter, scene, slice, scratch);
        paint_inputs(painter, scene, slice, scratch);
        for (lane, track) in scene.layout.tracks.iter().zip(&slice.tracks) {
            paint_track(painter, scene, *lane, (track, slice.last), scratch);
        }
        paint_marks(painter, scene, slice);
    }
}

fn paint_minimap(painter: &mut impl Painter, scene: &Scene<'_>, scratch: &mut Scratch) {
    let lane = scene.layout.minimap;
    let scale = minimap_scale(scene.layout, scene.positions).times(scene.dpr);
    let (left, right) = (scale.left.round(), scale.right().round());
    let (top, bottom) = (scene.px(lane.top), scene.px(lane.bottom()));
    let ground = Rect { x: left, y: top, width: right - left, height: bottom - top };
    painter.rects(Ink::PanelSoft, 1.0, &[ground]);
    if let Some(minimap) = scene.minimap {
        let most = minimap.counts.iter().copied().max().unwrap_or(0).max(1);
        let room = bottom - top - scene.px(3.0);
        let width = f64::from(minimap.positions_per_part.max(1));
        let gap = if scale.px_per_pos() * width >= 4.0 { scene.px(1.0).max(1.0) } else { 0.0 };
        for (idx, &count) in minimap.counts.iter().enumerate() {
            if count == 0 {
                continue;
            }
            let x = scale.x_from_pos(idx as f64 * width).round();
            let end = scale.x_from_pos((idx + 1) as f64 * width).round().min(right);
            // By the root, so that quiet parts can be told from empty ones beside a very busy one.
            let height = (room * (f64::from(count) / f64::from(most)).sqrt()).round().max(1.0);
            scratch.plain.add(Ink::Faint, Rect { x, y: bottom - height, width: (end - x - gap).max(1.0), height });
        }
        scratch.fill_lane(painter, ground, 0.55, false);
        let (tick, tick_top) = (scene.px(2.0).max(1.0), scene.px(lane.top - 6.0));
        for mark in &minimap.marks {
            let x = (scale.x_mid(mark.pos) - tick / 2.0).round();
            let ink = if mark.kind == IssueKind::Seam { Ink::Seam } else { Ink::Issue };
            scratch.plain.add(ink, Rect { x, y: tick_top, width: tick, height: scene.px(5.0) });
        }
        let above = Rect { x: 0.0, y: tick_top, width: scene.px(scene.layout.width), height: scene.px(5.0) };
        scratch.fill_lane(painter, above, 1.0, true);
    }
    if scene.positions == 0 {
        return;
    }
    // A range of less than a pixel is still seen.
    let first = scale.x_from_pos(scene.range.first).round().min(right - 2.0);
    let last = scale.x_from_pos(scene.range.last).round().max(first + 2.0);
    let line = scene.px(1.0).max(1.0);
    if !scene.range.is_whole(scene.positions) {
        painter.rects(Ink::HeadSoft, 1.0, &[Rect { x: first, y: top, width: last - first, height: bottom - top }]);
        let edges = [
            Rect { x: first, y: top, width: last - first, height: line },
            Rect { x: first, y: bottom - line, width: last - first, height: line },
        ];
        painter.rects(Ink::Head, 1.0, &edges);
    }
    let grip = scene.px(12.0);
    let grip_top = ((top + bottom - grip) / 2.0).round();
    let handles = [
        Rect { x: first, y: top, width: line, height: bottom - top },
        Rect { x: last - line, y: top, width: line, height: bottom - top },
        Rect { x: first - line, y: grip_top, width: 3.0 * line, height: grip },
        Rect { x: last - 2.0 * line, y: grip_top, width: 3.0 * line, height: grip },
    ];
    painter.rects(Ink::Head, 1.0, &handles);
}

fn paint_ruler(painter: &mut impl Painter, scene: &Scene<'_>, batches: &mut Batches) {
    let lane = scene.layout.ruler;
    let ticks = scene.scale().ticks(scene.positions, 84.0 * scene.dpr);
    let line = scene.px(1.0).max(1.0);
    let (top, bottom) = (scene.px(lane.top + 4.0), scene.px(scene.layout.bottom()));
    for tick in &ticks {
        batches.add(Ink::Line, Rect { x: tick.x.floor(), y: top, width: line, height: bottom - top });
    }
    batches.flush(|ink, rects| painter.rects(ink, 1.0, rects));
    let font = scene.font(false, 10.0);
    let end = scene.scale().right() + scene.px(super::layout::PLOT_INSET_RIGHT);
    for tick in &ticks {
        let text = grouped(tick.number);
        let x = tick.x.floor() + scene.px(4.0);
        if x + painter.text_width(font, &text) <= end {
            painter.text(Ink::Muted, font, Point { x, y: scene.px(lane.top + 13.0) }, &text);
        }
    }
}

/// The entries of a sorted list that touch the visible range.
fn visible<T>(list: &[T], range: Range, first_of: impl Fn(&T) -> u32, last_of: impl Fn(&T) -> u32) -> &[T] {
    let from = list.partition_point(|entry| f64::from(last_of(entry)) + 1.0 <= range.first);
    let rest = list.get(from..).unwrap_or_default();
    rest.get(..rest.partition_point(|entry| f64::from(first_of(entry)) < range.last)).unwrap_or_default()
}

/// Which of the frame colours a function has: always the same one, on every tape.
fn colour_of(function: &str) -> u8 {
    // FNV-1a.
    let hash = function.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash % 4) as u8 + 1
}

fn paint_frames(painter: &mut impl Painter, scene: &Scene<'_>, slice: &TimelineSlice, scratch: &mut Scratch) {
    let scale = scene.scale();
    let font = scene.font(true, 11.0);
    let cell = painter.text_width(font, "0").max(1.0);
    let height = scene.px(BAR_HEIGHT);
    scratch.colours.clear();
    scratch.colours.extend(slice.names.iter().map(|name| colour_of(name)));
    let (left, right) = (scale.left.round(), scale.right().round());
    // Wide bars get round corners, their names, and a gap between them; narrow ones are plain.
    let (roomy, named) = (scene.px(6.0), scene.px(28.0));
    let mut texts: Vec<(Point, &str, usize)> = Vec::new();
    for (row, spans) in (slice.first_frame_row..).zip(&slice.rows) {
        let Some(y) = scene.layout.row_top(row).map(|top| scene.px(top)) else { continue };
        let mut many = Run::default();
        let Scratch { plain, round, colours, .. } = scratch;
        for span in visible(spans, scene.range, |span| span.first, |span| span.last) {
            let (x, end) = span_edges(span, scale);
            let width = end - x;
            if span.count > 1 {
                if let Some((x, end)) = many.join(x, end) {
                    plain.add(Ink::FrameMany, Rect { x, y, width: end - x, height });
                }
                continue;
            }
            let ink = Ink::Frame(if row == 0 { 0 } else { colours.get(span.name as usize).copied().unwrap_or(0) });
            if width < roomy {
                plain.add(ink, Rect { x, y, width, height });
                continue;
            }
            round.add(ink, Rect { x, y, width: width - 1.0, height });
            if width >= named
                && let Some(name) = slice.names.get(span.name as usize)
            {
                let cells = ((width - scene.px(8.0)) / cell) as usize;
                texts.push((Point { x: x + scene.px(5.0), y: y + scene.px(13.0) }, name, cells));
            }
        }
        if let Some((x, end)) = many.take() {
            plain.add(Ink::FrameMany, Rect { x, y, width: end - x, height });
        }
        scratch.fill_lane(painter, Rect { x: left, y, width: right - left, height }, 1.0, true);
    }
    scratch.round.flush(|ink, rects| painter.round_rects(ink, 3.0 * scene.dpr, rects));
    for (at, name, cells) in texts {
        fit_text(name, cells, |text| painter.text(Ink::FrameText, font, at, text));
    }
}

/// Bars that touch one another, as one.
#[derive(Default)]
struct Run(Option<(f64, f64)>);

impl Run {
    /// Adds a bar; what lies before a gap is returned.
    fn join(&mut self, x: f64, end: f64) -> Option<(f64, f64)> {
        match &mut self.0 {
            Some((_, run_end)) if x <= *run_end => {
                *run_end = run_end.max(end);
                None
            }
            run => run.replace((x, end)),
        }
    }

    fn take(&mut self) -> Option<(f64, f64)> {
        self.0.take()
    }
}

/// A span's edges on whole pixels, inside the plot and at least one pixel apart.
fn span_edges(span: &Span, scale: Scale) -> (f64, f64) {
    let (left, right) = (scale.left.round(), scale.right().round());
    let x = scale.x_from_pos(f64::from(span.first)).round().clamp(left, right - 1.0);
    let end = scale.x_from_pos(f64::from(span.last) + 1.0).round().clamp(x + 1.0, right.max(x + 1.0));
    (x, end)
}

/// Gives as much of a text as fits into `cells` to `write`, with `…` where it is cut; nothing when that would be too little
/// to recognise.
fn fit_text(text: &str, cells: usize, write: impl FnOnce(&str)) {
    // ASCII takes one cell of the monospaced font; others may take two.
    let cells_of = |char: char| if char.is_ascii() { 1 } else { 2 };
    let mut used = 0;
    let mut cut_at = 0;
    for (idx, char) in text.char_indices() {
        if used < cells {
            cut_at = idx;
        }
        used += cells_of(char);
        if used > cells {
            if cells >= 4 {
                write(&format!("{}…", text.get(..cut_at).unwrap_or_default()));
            }
            return;
        }
    }
    if !text.is_empty() {
        write(text);
    }
}

/// The outline of a category's mark about `x`, `y`, within `r` of it: each category has a shape of its own, so that it reads
/// without colour.
pub fn input_shape(category: InputCategory, x: f64, y: f64, r: f64) -> Vec<Point> {
    let regular = |corners: u32, turn: f64, radius: f64| {
        (0..corners)
            .map(|corner| {
                let angle = core::f64::consts::TAU * (f64::from(corner) / f64::from(corners) + turn);
                Point { x: x + radius * angle.cos(), y: y + radius * angle.sin() }
            })
            .collect::<Vec<_>>()
    };
    let outline = |points: &[(f64, f64)]| {
        points.iter().map(|(dx, dy)| Point { x: x + dx * r, y: y + dy * r }).collect::<Vec<_>>()
    };
    match category {
        // A disc.
        InputCategory::Random => regular(16, 0.0, r),
        // A triangle, up.
        InputCategory::Time => outline(&[(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)]),
        // A square.
        InputCategory::Files => outline(&[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)]),
        // A diamond.
        InputCategory::Process => regular(4, 0.0, r * 1.25),
        // A hexagon.
        InputCategory::Http => regular(6, 0.0, r * 1.1),
        // A triangle, down.
        InputCategory::Network => outline(&[(0.0, 1.1), (1.1, -0.9), (-1.1, -0.9)]),
        // A triangle to the right.
        InputCategory::Media => outline(&[(1.2, 0.0), (-0.8, 1.1), (-0.8, -1.1)]),
        // A star of four rays.
        InputCategory::Model => outline(&[
            (0.0, -1.3),
            (0.35, -0.35),
            (1.3, 0.0),
            (0.35, 0.35),
            (0.0, 1.3),
            (-0.35, 0.35),
            (-1.3, 0.0),
            (-0.35, -0.35),
        ]),
        // A cross.
        InputCategory::Unknown => outline(&[
            (-0.35, -1.1),
            (0.35, -1.1),
            (0.35, -0.35),
            (1.1, -0.35),
            (1.1, 0.35),
            (0.35, 0.35),
            (0.35, 1.1),
            (-0.35, 1.1),
            (-0.35, 0.35),
            (-1.1, 0.35),
            (-1.1, -0.35),
            (-0.35, -0.35),
        ]),
    }
}

/// Marks in one line; where marks of several categories crowd, each category has a line of its own.
fn paint_inputs(painter: &mut impl Painter, scene: &Scene<'_>, slice: &TimelineSlice, scratch: &mut Scratch) {
    let Some(lane) = scene.layout.inputs else { return };
    let scale = scene.scale();
    let radius = 3.6 * scene.dpr;
    let marks = visible(&slice.inputs, scene.range, |mark| mark.pos, |mark| mark.pos);
    let has = |category: InputCategory| marks.iter().any(|mark| mark.category == category);
    let categories: Vec<_> = InputCategory::ALL.into_iter().filter(|&category| has(category)).collect();
    let is_crowded = marks.windows(2).any(|pair| {
        pair.first()
            .zip(pair.last())
            .is_some_and(|(a, b)| a.category != b.category && scale.x_mid(b.pos) - scale.x_mid(a.pos) < 2.0 * radius)
    });
    let middle = f64::midpoint(lane.top, lane.bottom());
    let lines = categories.len().saturating_sub(1).max(1) as f64;
    let y_of = |line: usize| {
        let shift = if is_crowded { (line as f64 / lines - 0.5) * (lane.height - 8.0) } else { 0.0 };
        scene.px(middle + shift)
    };
    if marks.len() <= scratch.few_marks {
        for (line, &category) in categories.iter().enumerate() {
            let own = marks.iter().filter(|mark| mark.category == category);
            let shapes: Vec<_> =
                own.map(|mark| input_shape(category, scale.x_mid(mark.pos), y_of(line), radius)).collect();
            painter.polygons(Ink::Input(category), &shapes);
        }
        return;
    }
    let at = Rect {
        x: 0.0,
        y: scene.px(lane.top - 2.0),
        width: scene.px(scene.layout.width),
        height: scene.px(lane.bottom() + 2.0) - scene.px(lane.top - 2.0),
    };
    scratch.bitmap.reset(at.width as usize, at.height as usize);
    for (line, &category) in categories.iter().enumerate() {
        let key = (category, radius.to_bits());
        let known = scratch.stamps.iter().position(|stamp| (stamp.0, stamp.1) == key);
        let idx = known.unwrap_or_else(|| {
            // Of another ratio of pixels: none of them is of use any more.
            scratch.stamps.retain(|stamp| stamp.1 == key.1);
            scratch.stamps.push((category, key.1, Stamp::new(&input_shape(category, 0.0, 0.0, radius))));
            scratch.stamps.len() - 1
        });
        let Some((_, _, stamp)) = scratch.stamps.get(idx) else { continue };
        for mark in marks.iter().filter(|mark| mark.category == category) {
            scratch.bitmap.stamp(Ink::Input(category), stamp, scale.x_mid(mark.pos), y_of(line) - at.y);
        }
    }
    painter.bitmap(at, &scratch.bitmap);
}

fn is_seam(mark: &&IssueMark) -> bool {
    mark.kind == IssueKind::Seam
}

/// Seams are dashed lines through all lanes: time does not simply go on there.
fn paint_seams(painter: &mut impl Painter, scene: &Scene<'_>, slice: &TimelineSlice, batches: &mut Batches) {
    let scale = scene.scale();
    let line = scene.px(1.0).max(1.0);
    let (top, bottom) = (scene.layout.frames.top, scene.layout.bottom());
    let marks = visible(&slice.marks, scene.range, |mark| mark.pos, |mark| mark.pos);
    // So many seams that dashes would be a grey wall are told by the marks in their lane alone.
    if marks.iter().filter(is_seam).count() <= 64 {
        for mark in marks.iter().filter(is_seam) {
            let x = scale.x_from_pos(f64::from(mark.pos)).round();
            let mut y = top;
            while y < bottom {
                let end = (y + 4.0).min(bottom);
                batches.add(Ink::Seam, Rect { x, y: scene.px(y), width: line, height: scene.px(end) - scene.px(y) });
                y += 8.0;
            }
        }
    }
    batches.flush(|ink, rects| painter.rects(ink, 1.0, rects));
}

fn paint_marks(painter: &mut impl Painter, scene: &Scene<'_>, slice: &TimelineSlice) {
    let Some(lane) = scene.layout.marks else { return };
    let scale = scene.scale();
    let marks = visible(&slice.marks, scene.range, |mark| mark.pos, |mark| mark.pos);
    let (top, bottom) = (scene.px(lane.top + 1.0), scene.px(lane.bottom() - 1.0));
    let half = 4.0 * scene.dpr;
    let middle = f64::midpoint(top, bottom);
    // An issue is an arrow head up, a seam a flag.
    let issue = |mark: &IssueMark| {
        let x = scale.x_mid(mark.pos);
        vec![Point { x, y: top }, Point { x: x + half, y: bottom }, Point { x: x - half, y: bottom }]
    };
    let seam = |mark: &IssueMark| {
        let x = scale.x_from_pos(f64::from(mark.pos)).round();
        vec![Point { x, y: top }, Point { x: x + 2.0 * half, y: middle }, Point { x, y: bottom }]
    };
    let issues: Vec<_> = marks.iter().filter(|mark| !is_seam(mark)).map(issue).collect();
    let seams: Vec<_> = marks.iter().filter(is_seam).map(seam).collect();
    for (ink, shapes) in [(Ink::Issue, issues), (Ink::Seam, seams)] {
        if !shapes.is_empty() {
            painter.polygons(ink, &shapes);
        }
    }
}

/// The height of a number in a track's lane.
fn track_y(lane: Lane, bounds: (f64, f64), number: f64) -> f64 {
    let (low, high) = bounds;
    // Halved first: the difference of two large numbers may not be finite.
    let span = high / 2.0 - low / 2.0;
    let part = if span > 0.0 { ((number / 2.0 - low / 2.0) / span).clamp(0.0, 1.0) } else { 0.5 };
    lane.bottom() - 3.0 - part * (lane.height - 6.0)
}

/// A step line, with a band from minimum to maximum where several assignments share a pixel. A value that is no finite number
/// interrupts the line and is a small square on the lane's floor.
fn paint_track(
    painter: &mut impl Painter,
    scene: &Scene<'_>,
    lane: Lane,
    (track, known_to): (&Track, f64),
    scratch: &mut Scratch,
) {
    let scale = scene.scale();
    // Past the slice's end nothing is known: the last value is not drawn on into it.
    let (left, right) = (scale.left.round(), scale.x_from_pos(known_to).min(scale.right()).round());
    let thick = scene.px(1.5).max(1.0);
    let y_of = |number: f64| {
        let bounds = track.bounds.filter(|_| number.is_finite())?;
        Some(scene.px(track_y(lane, bounds, number)) - (thick / 2.0).floor())
    };
    // One point more than is visible: the value that holds where the range begins.
    let from = track.points.partition_point(|point| f64::from(point.last_pos) < scene.range.first).saturating_sub(1);
    let points = track.points.get(from..).unwrap_or_default();
    let points = points.get(..points.partition_point(|point| f64::from(point.pos) < scene.range.last));
    let points = points.unwrap_or_default();
    let ink_of = |point: &TrackPoint| point.label.map_or(Ink::Track, Ink::Label);
    let x_of = |pos: u32| scale.x_from_pos(f64::from(pos)).round();

    for point in points.iter().filter(|point| point.count > 1) {
        if let (Some(top), Some(bottom)) = (y_of(point.max), y_of(point.min)) {
            let x = x_of(point.pos).max(left);
            let width = (x_of(point.last_pos).min(right) - x).max(1.0);
            if x < right {
                scratch.bands.add(ink_of(point), Rect { x, y: top, width, height: bottom - top + thick });
            }
        }
    }

    let (floor, dot) = (scene.px(lane.bottom() - 4.0), scene.px(2.0).max(1.0));
    let mut before: Option<f64> = None;
    for (idx, point) in points.iter().enumerate() {
        let ink = ink_of(point);
        let x = x_of(point.pos);
        let is_inside = x >= left && x < right;
        let y = y_of(point.value);
        if let Some(before) = before.filter(|_| is_inside) {
            // From the value before to the nearest of those that are assigned here.
            let near = match (y_of(point.max), y_of(point.min)) {
                (Some(top), Some(bottom)) => Some(before.clamp(top, bottom)),
                _ => y,
            };
            let (top, bottom) = near.map_or((before, before), |near| (before.min(near), before.max(near)));
            if bottom > top {
                scratch.plain.add(ink, Rect { x, y: top, width: thick.min(right - x), height: bottom - top + thick });
            }
        }
        match y {
            Some(y) => {
                let next_x = points.get(idx + 1).map_or(right, |next| x_of(next.pos));
                let from = x_of(point.last_pos).max(left);
                // At least a pixel: where every pixel has assignments of its own, their last values make the line.
                let to = next_x.max(from + 1.0).min(right);
                if to > from {
                    scratch.plain.add(ink, Rect { x: from, y, width: to - from, height: thick });
                }
            }
            None if is_inside => scratch.plain.add(ink, Rect { x, y: floor, width: dot.min(right - x), height: dot }),
            None => {}
        }
        before = y;
    }
    let (x, y) = (scale.left.round(), scene.px(lane.top));
    let at = Rect { x, y, width: scale.right().round() - x, height: scene.px(lane.bottom()) - y };
    scratch.fill_lane(painter, at, 1.0, false);
}

/// What is drawn above the lanes.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    /// The position that the page is at.
    pub pos: Pos,
    /// Where the cursor is drawn, in positions: on its way while it glides.
    pub shown_at: f64,
    /// Where the pointer is, in CSS pixels, while it rests on the lanes.
    pub hover_x: Option<f64>,
}

/// Draws the layer above the lanes: the cursor, the words at it, the line under the pointer.
pub fn paint_cursor(painter: &mut impl Painter, scene: &Scene<'_>, cursor: &Cursor) {
    painter.clear();
    if scene.positions == 0 {
        return;
    }
    let scale = scene.scale();
    let (left, right) = (scale.left.round(), scale.right().round());
    let thin = scene.px(1.0).max(1.0);
    let (top, bottom) = (scene.px(scene.layout.ruler.bottom() - 2.0), scene.px(scene.layout.bottom()));
    if let Some(x) = cursor.hover_x.map(|x| (x * scene.dpr).floor()).filter(|&x| x >= left && x < right) {
        painter.rects(Ink::Faint, 0.6, &[Rect { x, y: top, width: thin, height: bottom - top }]);
    }
    let minimap = scene.layout.minimap;
    let minimap_x = minimap_scale(scene.layout, scene.positions).times(scene.dpr).x_from_pos(cursor.shown_at + 0.5);
    let (minimap_top, minimap_bottom) = (scene.px(minimap.top), scene.px(minimap.bottom()));
    let in_minimap = Rect { x: minimap_x.floor(), y: minimap_top, width: thin, height: minimap_bottom - minimap_top };
    painter.rects(Ink::Head, 1.0, &[in_minimap]);

    let x = scale.x_from_pos(cursor.shown_at + 0.5);
    if x < left - 0.5 || x > right + 0.5 {
        return;
    }
    let thick = scene.px(1.5).max(1.0);
    let line_x = (x - thick / 2.0).round();
    painter.rects(Ink::Head, 1.0, &[Rect { x: line_x, y: top, width: thick, height: bottom - top }]);
    let (half, middle) = (6.0 * scene.dpr, line_x + thick / 2.0);
    let head = vec![
        Point { x: middle - half, y: top - scene.px(4.0) },
        Point { x: middle + half, y: top - scene.px(4.0) },
        Point { x: middle, y: top + scene.px(5.0) },
    ];
    painter.polygons(Ink::Head, &[head]);
    paint_words(painter, scene, cursor, line_x + thick);
}

/// The label of each pin at the cursor, as a word.
fn paint_words(painter: &mut impl Painter, scene: &Scene<'_>, cursor: &Cursor, line_end: f64) {
    let Some(slice) = scene.slice else { return };
    let slice_range = Range { first: slice.first, last: slice.last };
    let font = scene.font(false, 10.5);
    let right = scene.scale().right();
    for (lane, track) in scene.layout.tracks.iter().zip(&slice.tracks) {
        let TrackReading::Holds(point) = track_reading(slice_range, track, cursor.pos) else { continue };
        let Some(label) = point.label else { continue };
        let width = painter.text_width(font, label.word()).ceil();
        let pad = scene.px(4.0);
        let full = width + 2.0 * pad;
        // To the right of the cursor, or to the left where there is no room.
        let gap = scene.px(3.0);
        let x = if line_end + gap + full <= right { line_end + gap } else { line_end - gap - full };
        // Where the line is not: above it when it is low, else below.
        let is_low = track
            .bounds
            .is_none_or(|bounds| track_y(*lane, bounds, point.value) > f64::midpoint(lane.top, lane.bottom()));
        let y = scene.px(if is_low { lane.top } else { lane.bottom() - 15.0 });
        painter.rects(Ink::Panel, 0.88, &[Rect { x, y, width: full, height: scene.px(15.0) }]);
        painter.text(Ink::Label(label), font, Point { x: x + pad, y: y + scene.px(11.0) }, label.word());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::protocol::InputMark;
    use crate::timeline::LayoutSpec;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Remembers what is drawn. Every character is 6 tenths of its font's size wide.
    #[derive(Default)]
    struct Recorder {
        rects: Vec<(Ink, Rect)>,
        polygons: Vec<(Ink, Vec<Point>)>,
        bitmaps: Vec<(Rect, Bitmap)>,
        texts: Vec<(Ink, Point, String)>,
        calls: usize,
    }

    impl Painter for Recorder {
        fn clear(&mut self) {
            *self = Self::default();
        }
        fn rects(&mut self, ink: Ink, opacity: f64, rects: &[Rect]) {
            assert!(opacity > 0.0 && opacity <= 1.0);
            self.calls += 1;
            self.rects.extend(rects.iter().map(|rect| (ink, *rect)));
        }
        fn round_rects(&mut self, ink: Ink, _radius: f64, rects: &[Rect]) {
            self.rects(ink, 1.0, rects);
        }
        fn polygons(&mut self, ink: Ink, polygons: &[Vec<Point>]) {
            self.calls += 1;
            self.polygons.extend(polygons.iter().map(|polygon| (ink, polygon.clone())));
        }
        fn bitmap(&mut self, at: Rect, bitmap: &Bitmap) {
            assert_eq!(bitmap.width() as f64, at.width);
            assert!(bitmap.height() == 1 || bitmap.height() as f64 == at.height);
            self.calls += 1;
            self.bitmaps.push((at, bitmap.clone()));
        }
        fn text(&mut self, ink: Ink, _font: Font, at: Point, text: &str) {
            self.calls += 1;
            self.texts.push((ink, at, text.to_owned()));
        }
        fn text_width(&mut self, font: Font, text: &str) -> f64 {
            font.size * 0.6 * text.chars().count() as f64
        }
    }

    impl Recorder {
        fn texts(&self, ink: Ink) -> Vec<&str> {
            self.texts.iter().filter(|text| text.0 == ink).map(|text| text.2.as_str()).collect()
        }

        fn rects_of(&self, ink: Ink, lane: Lane) -> Vec<Rect> {
            let inside = |rect: &Rect| rect.y >= lane.top - 1.0 && rect.y < lane.bottom();
            self.rects.iter().filter(|(found, rect)| *found == ink && inside(rect)).map(|(_, rect)| *rect).collect()
        }
    }

    fn layout(width: f64) -> Layout {
        Layout::new(LayoutSpec {
            width,
            frame_rows: 2,
            first_frame_row: 0,
            has_inputs: true,
            tracks: 1,
            has_marks: true,
        })
    }

    fn point(pos: u32, value: f64, label: Option<Label>) -> TrackPoint {
        TrackPoint { pos, last_pos: pos, count: 1, min: value, max: value, value, label }
    }

    /// A plot of 1,000 pixels at ratio 1 over 1,000 positions: a position is a pixel, and position 0 is at x = 8.
    fn slice() -> TimelineSlice {
        TimelineSlice {
            first: 0.0,
            last: 1000.0,
            names: vec!["<module>".into(), "read_sensor".into()],
            first_frame_row: 0,
            rows: vec![
                vec![Span { first: 0, last: 999, name: 0, count: 1 }],
                vec![
                    Span { first: 100, last: 299, name: 1, count: 1 },
                    Span { first: 300, last: 349, name: 1, count: 1 },
                    Span { first: 400, last: 400, name: 0, count: 3 },
                    Span { first: 401, last: 401, name: 0, count: 2 },
                    Span { first: 405, last: 405, name: 0, count: 2 },
                    Span { first: 500, last: 501, name: 1, count: 1 },
                ],
            ],
            inputs: InputCategory::ALL
                .into_iter()
                .zip(10..)
                .map(|(category, pos)| InputMark { pos, category, count: 1 })
                .collect(),
            marks: vec![
                IssueMark { pos: 600, kind: IssueKind::Torn, count: 1 },
                IssueMark { pos: 700, kind: IssueKind::Seam, count: 1 },
            ],
            tracks: vec![Track {
                total: 4,
                bounds: Some((0.0, 10.0)),
                points: vec![
                    point(50, 0.0, Some(Label::Equilibrium)),
                    point(200, 10.0, Some(Label::Diverging)),
                    point(600, f64::NAN, None),
                    TrackPoint {
                        pos: 800,
                        last_pos: 810,
                        count: 5,
                        min: 2.0,
                        max: 8.0,
                        value: 5.0,
                        label: Some(Label::Oscillating),
                    },
                ],
            }],
        }
    }

    fn lanes(layout: &Layout, range: Range, dpr: f64, slice: &TimelineSlice) -> Recorder {
        let minimap = Minimap {
            positions_per_part: 10,
            counts: (0..100).map(|part| part % 7).collect(),
            marks: slice.marks.clone(),
        };
        let scene = Scene { layout, range, positions: 1000, dpr, slice: Some(slice), minimap: Some(&minimap) };
        let mut recorder = Recorder::default();
        let mut scratch = Scratch::default();
        paint_lanes(&mut recorder, &scene, &mut scratch);
        let first = (recorder.rects.clone(), recorder.texts.clone());
        // Nothing is left over from one drawing for the next.
        paint_lanes(&mut recorder, &scene, &mut scratch);
        assert_eq!((recorder.rects.clone(), recorder.texts.clone()), first);
        recorder
    }

    fn cursor(layout: &Layout, range: Range, slice: &TimelineSlice, pos: u32) -> Recorder {
        let scene = Scene { layout, range, positions: 1000, dpr: 1.0, slice: Some(slice), minimap: None };
        let mut recorder = Recorder::default();
        paint_cursor(&mut recorder, &scene, &Cursor { pos: Pos(pos), shown_at: f64::from(pos), hover_x: Some(50.0) });
        recorder
    }

    #[test]
    fn every_ink_has_its_number_and_property() {
        let inks: Vec<_> = Ink::all().collect();
        assert_eq!(inks.len(), Ink::COUNT);
        for (idx, ink) in inks.iter().enumerate() {
            assert_eq!(ink.index(), idx);
            assert!(ink.property().starts_with("--"));
        }
    }

    #[test]
    fn frames_are_bars_with_their_names() {
        let layout = layout(1020.0);
        let recorder = lanes(&layout, Range::whole(1000), 1.0, &slice());
        let bars = recorder.rects_of(Ink::Frame(0), layout.frames);
        assert_eq!(bars, [Rect { x: 8.0, y: layout.frames.top, width: 999.0, height: BAR_HEIGHT }]);
        let many = recorder.rects_of(Ink::FrameMany, layout.frames);
        // Two that touch are one rectangle.
        assert_eq!(many.iter().map(|rect| (rect.x, rect.width)).collect::<Vec<_>>(), [(408.0, 2.0), (413.0, 1.0)]);
        // 50 pixels hold 6 cells of 6.6 pixels beside the margins: the name is cut, and that is shown.
        assert_eq!(recorder.texts(Ink::FrameText), ["<module>", "read_sensor", "read_…"]);
    }

    #[test]
    fn a_bar_that_begins_outside_still_shows_its_name() {
        let layout = layout(1020.0);
        let recorder = lanes(&layout, Range { first: 200.0, last: 280.0 }, 1.0, &slice());
        let names: Vec<_> = recorder.texts.iter().filter(|text| text.0 == Ink::FrameText).collect();
        assert_eq!(names.len(), 2);
        assert!(names.iter().all(|text| text.1.x == 13.0));
    }

    #[test]
    fn text_is_cut_to_its_cells() {
        let fit = |text: &str, cells: usize| {
            let mut out = None;
            fit_text(text, cells, |text| out = Some(text.to_owned()));
            out
        };
        assert_eq!(fit("abcdef", 6).as_deref(), Some("abcdef"));
        assert_eq!(fit("abcdef", 5).as_deref(), Some("abcd…"));
        assert_eq!(fit("abcdef", 3), None);
        assert_eq!(fit("日本語です", 10).as_deref(), Some("日本語です"));
        assert_eq!(fit("日本語です", 9).as_deref(), Some("日本語で…"));
        assert_eq!(fit("", 9), None);
    }

    #[test]
    fn categories_differ_in_shape_and_not_in_colour_alone() {
        let shapes: BTreeSet<String> = InputCategory::ALL
            .into_iter()
            .map(|category| format!("{:?}", input_shape(category, 0.0, 0.0, 4.0)))
            .collect();
        assert_eq!(shapes.len(), InputCategory::ALL.len());
        let recorder = lanes(&layout(1020.0), Range::whole(1000), 1.0, &slice());
        for category in InputCategory::ALL {
            assert_eq!(recorder.polygons.iter().filter(|(ink, _)| *ink == Ink::Input(category)).count(), 1);
        }
    }

    #[test]
    fn crowded_categories_have_lines_of_their_own() {
        let lines = |gap: u32| {
            let mut slice = slice();
            slice.inputs = vec![
                InputMark { pos: 100, category: InputCategory::Random, count: 1 },
                InputMark { pos: 100 + gap, category: InputCategory::Time, count: 1 },
            ];
            let recorder = lanes(&layout(1020.0), Range::whole(1000), 1.0, &slice);
            let of = |category: InputCategory| {
                let outline = recorder.polygons.iter().find(|polygon| polygon.0 == Ink::Input(category)).unwrap();
                let high = outline.1.iter().map(|point| point.y).fold(f64::INFINITY, f64::min);
                let low = outline.1.iter().map(|point| point.y).fold(f64::NEG_INFINITY, f64::max);
                f64::midpoint(high, low)
            };
            of(InputCategory::Time) - of(InputCategory::Random)
        };
        assert!(lines(20).abs() < 1.0);
        assert!(lines(2) > 8.0);
    }

    #[test]
    fn a_track_is_a_step_line_with_a_band_and_a_gap() {
        let layout = layout(1020.0);
        let lane = layout.tracks[0];
        let recorder = lanes(&layout, Range::whole(1000), 1.0, &slice());
        let floor = lane.bottom() - 3.0 - 1.0;
        let (top, thick) = (lane.top + 3.0 - 1.0, 2.0);
        assert_eq!(
            recorder.rects_of(Ink::Label(Label::Equilibrium), lane),
            [Rect { x: 58.0, y: floor, width: 150.0, height: thick }]
        );
        assert_eq!(
            recorder.rects_of(Ink::Label(Label::Diverging), lane),
            [
                Rect { x: 208.0, y: top, width: thick, height: floor - top + thick },
                Rect { x: 208.0, y: top, width: 400.0, height: thick },
            ]
        );
        // From 600 to 800 there is no number: a square, and no line.
        assert_eq!(
            recorder.rects_of(Ink::Track, lane),
            [Rect { x: 608.0, y: lane.bottom() - 4.0, width: 2.0, height: 2.0 }]
        );
        let last = recorder.rects_of(Ink::Label(Label::Oscillating), lane);
        assert_eq!(last.len(), 2);
        assert_eq!((last[0].x, last[0].width), (808.0, 10.0));
        assert_eq!((last[1].x, last[1].width), (818.0, 190.0));
    }

    #[test]
    fn the_value_from_before_the_range_is_drawn_and_nothing_past_the_slice() {
        let layout = layout(1020.0);
        let lane = layout.tracks[0];
        let mut old = slice();
        old.last = 500.0;
        old.tracks[0].points.truncate(2);
        let recorder = lanes(&layout, Range { first: 400.0, last: 600.0 }, 1.0, &old);
        let line = recorder.rects_of(Ink::Label(Label::Diverging), lane);
        assert_eq!(line.iter().map(|rect| (rect.x, rect.width)).collect::<Vec<_>>(), [(8.0, 500.0)]);
    }

    #[test]
    fn seams_run_through_all_lanes_and_issues_do_not() {
        let layout = layout(1020.0);
        let recorder = lanes(&layout, Range::whole(1000), 1.0, &slice());
        let dashes = recorder.rects.iter().filter(|(ink, rect)| *ink == Ink::Seam && rect.y >= layout.frames.top);
        assert!(dashes.clone().count() > 10);
        assert!(dashes.clone().all(|(_, rect)| rect.x == 708.0));
        let polygons = |ink: Ink| recorder.polygons.iter().filter(|(found, _)| *found == ink).count();
        assert_eq!((polygons(Ink::Seam), polygons(Ink::Issue)), (1, 1));
        // Both stand above the minimap.
        let above = recorder.rects.iter().filter(|(_, rect)| rect.y < layout.minimap.top);
        assert_eq!(above.map(|(ink, _)| *ink).collect::<Vec<_>>(), [Ink::Issue, Ink::Seam]);
    }

    #[test]
    fn the_cursor_marks_its_position_with_its_labels() {
        let (layout, slice) = (layout(1020.0), slice());
        let recorder = cursor(&layout, Range::whole(1000), &slice, 300);
        let lines: Vec<_> = recorder.rects_of(Ink::Head, Lane { top: layout.ruler.top, height: layout.height });
        assert_eq!(lines.iter().map(|rect| (rect.x, rect.width)).collect::<Vec<_>>(), [(308.0, 2.0)]);
        assert_eq!(recorder.texts(Ink::Label(Label::Diverging)), ["diverging"]);
        // Among several assignments of a pixel no label is certain; where the value is no number there is none.
        for pos in [20, 650, 803] {
            assert!(cursor(&layout, Range::whole(1000), &slice, pos).texts.is_empty(), "{pos}");
        }
        // At the right end the word is on the other side.
        let recorder = cursor(&layout, Range::whole(1000), &slice, 999);
        assert!(recorder.texts.iter().all(|text| text.1.x < 1000.0) && !recorder.texts.is_empty());
        // Out of sight, it is in the minimap only.
        let recorder = cursor(&layout, Range { first: 0.0, last: 100.0 }, &slice, 300);
        assert_eq!(recorder.rects.iter().filter(|(ink, _)| *ink == Ink::Head).count(), 1);
        assert!(recorder.polygons.is_empty());
    }

    #[test]
    fn without_positions_there_is_a_ground_and_no_cursor() {
        let layout = Layout::new(LayoutSpec { width: 600.0, ..LayoutSpec::default() });
        let scene =
            Scene { layout: &layout, range: Range::whole(0), positions: 0, dpr: 1.0, slice: None, minimap: None };
        let mut recorder = Recorder::default();
        paint_lanes(&mut recorder, &scene, &mut Scratch::default());
        assert_eq!(recorder.rects.iter().map(|rect| rect.0).collect::<Vec<_>>(), [Ink::PanelSoft]);
        paint_cursor(&mut recorder, &scene, &Cursor { pos: Pos(0), shown_at: 0.0, hover_x: None });
        assert!(recorder.rects.is_empty() && recorder.polygons.is_empty());
    }

    proptest! {
        #[test]
        fn edges_are_sharp_and_inside_at_any_ratio(
            dpr in prop_oneof![Just(1.0), Just(1.25), Just(1.5), Just(2.0), Just(2.625), 0.5_f64..4.0],
            width in 60.0_f64..2000.0, first in 0.0_f64..996.0, span in 4.0_f64..1000.0, pos in 0_u32..1000,
        ) {
            let (layout, slice) = (layout(width), slice());
            let range = Range { first, last: first + span }.clamped(1000);
            let lanes = lanes(&layout, range, dpr, &slice);
            let (right, bottom) = ((width * dpr).ceil() + 3.0, (layout.height * dpr).ceil() + 2.0);
            let mut recorder = Recorder::default();
            let scene = Scene { layout: &layout, range, positions: 1000, dpr, slice: Some(&slice), minimap: None };
            paint_cursor(&mut recorder, &scene, &Cursor { pos: Pos(pos), shown_at: f64::from(pos), hover_x: Some(30.0) });
            // A word beside the cursor is placed by the cursor's line: whole pixels too.
            for (ink, rect) in lanes.rects.iter().chain(&recorder.rects) {
                for edge in [rect.x, rect.y, rect.width, rect.height] {
                    prop_assert!(edge.fract() == 0.0, "{:?} {:?}", ink, rect);
                }
                prop_assert!(rect.width >= 1.0 && rect.height >= 1.0, "{:?} {:?}", ink, rect);
                if *ink != Ink::Panel {
                    prop_assert!(rect.x >= 0.0 && rect.x + rect.width <= right, "{:?} {:?} {}", ink, rect, right);
                }
                prop_assert!(rect.y >= 0.0 && rect.y + rect.height <= bottom, "{:?} {:?} {}", ink, rect, bottom);
            }
        }

        #[test]
        fn the_densest_slice_takes_few_calls(px in 400_u32..1000, seed in any::<u32>()) {
            let (layout, dense) = (layout(f64::from(px) + 20.0), dense(px, seed));
            let scene =
                Scene { layout: &layout, range: Range::whole(px), positions: px, dpr: 1.0, slice: Some(&dense), minimap: None };
            let mut recorder = Recorder::default();
            paint_lanes(&mut recorder, &scene, &mut Scratch::default());
            prop_assert!(recorder.rects.len() <= 64 && recorder.polygons.is_empty());
            // Two rows of frames, the inputs, the track; beside them the ruler's numbers, one each 84 pixels.
            prop_assert_eq!(recorder.bitmaps.len(), 4);
            prop_assert!(recorder.calls <= 24 + px as usize / 84, "{}", recorder.calls);
        }

        #[test]
        fn a_picture_shows_what_rectangles_show(
            px in 20_u32..150, seed in any::<u32>(), dpr in prop_oneof![Just(1.0), Just(1.5), Just(2.0)],
        ) {
            let (layout, dense) = (layout(f64::from(px) + 20.0), dense(px, seed));
            let minimap = Minimap { positions_per_part: 2, counts: (0..px / 2).map(|part| part ^ seed & 7).collect(), marks: vec![] };
            let scene = Scene {
                layout: &layout, range: Range::whole(px), positions: px, dpr, slice: Some(&dense), minimap: Some(&minimap),
            };
            let painted = |few_rects: usize| {
                let size = ((layout.width * dpr) as usize + 2, (layout.height * dpr) as usize + 2);
                let mut screen = Screen { width: size.0, pixels: vec![None; size.0 * size.1] };
                let mut scratch = Scratch { few_rects, few_marks: usize::MAX, ..Scratch::default() };
                paint_lanes(&mut screen, &scene, &mut scratch);
                screen.pixels
            };
            prop_assert!(painted(0) == painted(usize::MAX));
        }
    }

    /// As dense as a slice can be: a bar, a mark and a point at every pixel.
    fn dense(px: u32, seed: u32) -> TimelineSlice {
        let spans =
            (0..px).map(|pos| Span { first: pos, last: pos, name: (pos ^ seed) % 2, count: 1 + (pos ^ seed) % 3 / 2 });
        let points = (0..px).map(|pos| {
            let label = [None, Some(Label::Stable), Some(Label::Moving)][(pos ^ seed) as usize % 3];
            let (min, value) = (f64::from(pos % 7), f64::from((pos ^ seed) % 10 + 7));
            TrackPoint { count: 1 + pos % 4, min, max: value, value, ..point(pos, value, label) }
        });
        let inputs =
            (0..px).map(|pos| InputMark { pos, category: InputCategory::ALL[(pos ^ seed) as usize % 9], count: 1 });
        TimelineSlice {
            first: 0.0,
            last: f64::from(px),
            names: vec!["a".into(), "b".into()],
            first_frame_row: 0,
            rows: vec![spans.clone().collect(), spans.collect()],
            inputs: inputs.collect(),
            marks: Vec::new(),
            tracks: vec![Track { total: px, bounds: Some((0.0, 17.0)), points: points.collect() }],
        }
    }

    /// Pixels, each with what was drawn on it last.
    struct Screen {
        width: usize,
        pixels: Vec<Option<(usize, u8)>>,
    }

    impl Screen {
        fn set(&mut self, x: usize, y: usize, pixel: (usize, u8)) {
            self.pixels[y * self.width + x] = Some(pixel);
        }
    }

    impl Painter for Screen {
        fn clear(&mut self) {
            self.pixels.fill(None);
        }
        fn rects(&mut self, ink: Ink, opacity: f64, rects: &[Rect]) {
            for rect in rects {
                for y in rect.y as usize..(rect.y + rect.height) as usize {
                    for x in rect.x as usize..(rect.x + rect.width) as usize {
                        self.set(x, y, (ink.index(), (opacity * 255.0).round() as u8));
                    }
                }
            }
        }
        fn round_rects(&mut self, ink: Ink, _radius: f64, rects: &[Rect]) {
            self.rects(ink, 1.0, rects);
        }
        fn polygons(&mut self, _ink: Ink, _polygons: &[Vec<Point>]) {}
        fn bitmap(&mut self, at: Rect, bitmap: &Bitmap) {
            let pixels: Vec<_> = bitmap.pixels().collect();
            for row in 0..at.height as usize {
                let from = if bitmap.height() == 1 { 0 } else { row };
                for column in 0..bitmap.width() {
                    if let Some(pixel) = pixels[from * bitmap.width() + column] {
                        self.set(at.x as usize + column, at.y as usize + row, pixel);
                    }
                }
            }
        }
        fn text(&mut self, _ink: Ink, _font: Font, _at: Point, _text: &str) {}
        fn text_width(&mut self, font: Font, text: &str) -> f64 {
            font.size * 0.6 * text.chars().count() as f64
        }
    }
}

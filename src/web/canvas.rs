//! Draws the core's timeline on a 2D canvas.
//!
//! Invariant: the canvas has exactly as many pixels as the screen gives it, so that nothing is scaled and blurred; everything
//! handed in is in those pixels.

use std::collections::HashMap;

use tapedeck_core::timeline::bitmap::Bitmap;
use tapedeck_core::timeline::paint::{Font, Ink, Painter, Point, Rect};
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, HtmlElement, ImageData};

/// How many widths of texts are remembered. Names and numbers of one view are far fewer.
const KEPT_WIDTHS: usize = 2048;

/// The colours and families that a page's style sheet gives the timeline.
#[derive(Clone, Debug, Default)]
pub struct Style {
    /// A CSS colour an ink, by [`Ink::index`].
    colours: Vec<String>,
    /// The same colours as red, green, blue, opacity.
    pixels: Vec<[u8; 4]>,
    sans: String,
    mono: String,
}

impl Style {
    /// Reads the custom properties as they are inherited by `element`. The browser resolves them (`var()`, `light-dark()`),
    /// on an element that is added for it and removed again; without a property the text's colour is taken.
    pub fn read(element: &Element) -> Option<Self> {
        let window = web_sys::window()?;
        let probe: HtmlElement = window.document()?.create_element("span").ok()?.unchecked_into();
        probe.set_hidden(true);
        element.append_child(&probe).ok()?;
        let resolved = |property: &str, value: &str| {
            probe.style().set_property(property, value).ok()?;
            window.get_computed_style(&probe).ok()??.get_property_value(property).ok()
        };
        let colours =
            Ink::all().map(|ink| resolved("color", &format!("var({})", ink.property()))).collect::<Option<_>>();
        let family = |property: &str, fallback: &str| resolved("font-family", &format!("var({property}, {fallback})"));
        let style = colours.map(|colours: Vec<String>| Self {
            pixels: pixels_of(&colours).unwrap_or_else(|| vec![[0, 0, 0, 255]; Ink::COUNT]),
            colours,
            sans: family("--sans", "sans-serif").unwrap_or_else(|| "sans-serif".to_owned()),
            mono: family("--mono", "monospace").unwrap_or_else(|| "monospace".to_owned()),
        });
        probe.remove();
        style
    }
}

/// What the browser makes of colours, whatever notation they are in: a pixel of each is drawn and read.
fn pixels_of(colours: &[String]) -> Option<Vec<[u8; 4]>> {
    let canvas = Picture::new()?;
    canvas.element.set_width(colours.len() as u32);
    canvas.element.set_height(1);
    for (x, colour) in (0..).zip(colours) {
        canvas.context.set_fill_style_str(colour);
        canvas.context.fill_rect(f64::from(x), 0.0, 1.0, 1.0);
    }
    let data = canvas.context.get_image_data(0.0, 0.0, colours.len() as f64, 1.0).ok()?.data();
    Some(data.0.chunks_exact(4).map(|pixel| <[u8; 4]>::try_from(pixel).unwrap_or_default()).collect())
}

/// A canvas that is not on the page.
struct Picture {
    element: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
}

impl Picture {
    fn new() -> Option<Self> {
        let element: HtmlCanvasElement =
            web_sys::window()?.document()?.create_element("canvas").ok()?.dyn_into().ok()?;
        let context = element.get_context("2d").ok()??.dyn_into().ok()?;
        Some(Self { element, context })
    }
}

/// A [`Painter`] on a canvas.
pub struct CanvasPainter {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    style: Style,
    /// What the context was last told, so that it is not told again.
    font: Option<Font>,
    widths: HashMap<(bool, u64), HashMap<String, f64>>,
    /// One for each bitmap of a drawing: one that was drawn from and is then changed would be copied by the browser.
    pictures: Vec<Picture>,
    next_picture: usize,
    bytes: Vec<u8>,
}

impl CanvasPainter {
    /// Takes a canvas over; `None` where the browser gives no 2D context.
    pub fn new(canvas: HtmlCanvasElement) -> Option<Self> {
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        Some(Self {
            canvas,
            context,
            style: Style::default(),
            font: None,
            widths: HashMap::new(),
            pictures: Vec::new(),
            next_picture: 0,
            bytes: Vec::new(),
        })
    }

    /// Uses other colours and families.
    pub fn set_style(&mut self, style: &Style) {
        self.style = style.clone();
        self.font = None;
        self.widths.clear();
    }

    /// Gives the canvas so many pixels. Changing them makes it empty.
    pub fn resize(&mut self, width: u32, height: u32) {
        if (self.canvas.width(), self.canvas.height()) != (width, height) {
            self.canvas.set_width(width);
            self.canvas.set_height(height);
            // The context begins anew.
            self.font = None;
        }
    }

    fn use_ink(&self, ink: Ink) {
        if let Some(colour) = self.style.colours.get(ink.index()) {
            self.context.set_fill_style_str(colour);
        }
    }

    /// Puts a bitmap onto a picture; `None` where the browser gives no second canvas.
    fn picture_of(&mut self, bitmap: &Bitmap) -> Option<&Picture> {
        self.bytes.clear();
        for pixel in bitmap.pixels() {
            let rgba = pixel.and_then(|(ink, opacity)| {
                let [red, green, blue, own] = *self.style.pixels.get(ink)?;
                Some([red, green, blue, (u16::from(own) * u16::from(opacity) / 255) as u8])
            });
            self.bytes.extend_from_slice(&rgba.unwrap_or_default());
        }
        let (width, height) = (bitmap.width() as u32, bitmap.height() as u32);
        let data = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&self.bytes), width, height).ok()?;
        if self.next_picture == self.pictures.len() {
            self.pictures.push(Picture::new()?);
        }
        let picture = self.pictures.get(self.next_picture)?;
        self.next_picture += 1;
        if (picture.element.width(), picture.element.height()) != (width, height) {
            picture.element.set_width(width);
            picture.element.set_height(height);
        }
        picture.context.put_image_data(&data, 0.0, 0.0).ok()?;
        Some(picture)
    }

    fn use_font(&mut self, font: Font) {
        if self.font != Some(font) {
            let family = if font.mono { &self.style.mono } else { &self.style.sans };
            self.context.set_font(&format!("{}px {family}", font.size));
            self.font = Some(font);
        }
    }
}

impl Painter for CanvasPainter {
    fn clear(&mut self) {
        self.next_picture = 0;
        self.context.clear_rect(0.0, 0.0, f64::from(self.canvas.width()), f64::from(self.canvas.height()));
    }

    fn rects(&mut self, ink: Ink, opacity: f64, rects: &[Rect]) {
        self.use_ink(ink);
        self.context.set_global_alpha(opacity);
        for rect in rects {
            // Not as one path: the edges lie on pixels, and thousands of rectangles in a path are slow to fill.
            self.context.fill_rect(rect.x, rect.y, rect.width, rect.height);
        }
        self.context.set_global_alpha(1.0);
    }

    fn round_rects(&mut self, ink: Ink, radius: f64, rects: &[Rect]) {
        /// More than this, and round corners cost more than they give.
        const MOST: usize = 300;
        if rects.len() > MOST {
            self.rects(ink, 1.0, rects);
            return;
        }
        self.use_ink(ink);
        self.context.begin_path();
        for rect in rects {
            if self.context.round_rect_with_f64(rect.x, rect.y, rect.width, rect.height, radius).is_err() {
                self.context.rect(rect.x, rect.y, rect.width, rect.height);
            }
        }
        self.context.fill();
    }

    fn polygons(&mut self, ink: Ink, polygons: &[Vec<Point>]) {
        self.use_ink(ink);
        self.context.begin_path();
        for polygon in polygons {
            let Some((first, rest)) = polygon.split_first() else { continue };
            self.context.move_to(first.x, first.y);
            for point in rest {
                self.context.line_to(point.x, point.y);
            }
            self.context.close_path();
        }
        self.context.fill();
    }

    fn bitmap(&mut self, at: Rect, bitmap: &Bitmap) {
        if bitmap.width() == 0 || bitmap.height() == 0 {
            return;
        }
        let (width, height) = (bitmap.width() as f64, bitmap.height() as f64);
        let context = self.context.clone();
        if let Some(picture) = self.picture_of(bitmap) {
            context.set_image_smoothing_enabled(false);
            // It fails for an empty picture only, and this one is not.
            let _ = context.draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
                &picture.element,
                0.0,
                0.0,
                width,
                height,
                at.x,
                at.y,
                at.width,
                at.height,
            );
        }
    }

    fn text(&mut self, ink: Ink, font: Font, at: Point, text: &str) {
        self.use_font(font);
        self.use_ink(ink);
        // It fails for numbers that are not finite only: there is nothing to be seen then.
        let _ = self.context.fill_text(text, at.x, at.y);
    }

    fn text_width(&mut self, font: Font, text: &str) -> f64 {
        let key = (font.mono, font.size.to_bits());
        if let Some(width) = self.widths.get(&key).and_then(|widths| widths.get(text)) {
            return *width;
        }
        self.use_font(font);
        let width = self.context.measure_text(text).map_or(0.0, |metrics| metrics.width());
        if self.widths.values().map(HashMap::len).sum::<usize>() >= KEPT_WIDTHS {
            self.widths.clear();
        }
        self.widths.entry(key).or_default().insert(text.to_owned(), width);
        width
    }
}

/// Where an element lies on the screen's pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScreenBox {
    /// Width in CSS pixels.
    pub width: f64,
    /// Width in device pixels.
    pub device_width: u32,
    /// Height in device pixels.
    pub device_height: u32,
    /// Device pixels a CSS pixel.
    pub dpr: f64,
}

impl ScreenBox {
    /// Measures an element. Browsers put the edges of a box on whole device pixels: the width there is the distance of the
    /// rounded edges, not the rounded width.
    pub fn of(element: &Element) -> Self {
        let dpr = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
        let rect = element.get_bounding_client_rect();
        let between = |low: f64, high: f64| ((high * dpr).round() - (low * dpr).round()).max(0.0) as u32;
        Self {
            width: rect.width(),
            device_width: between(rect.left(), rect.right()),
            device_height: between(rect.top(), rect.bottom()),
            dpr,
        }
    }
}

/// Sets a CSS property of an element by script, which the page's content security policy allows, unlike `style` attributes.
pub fn set_css(element: &HtmlElement, property: &str, value: &str) {
    // It fails only where the style is read-only, as a computed one.
    let _: Result<(), JsValue> = element.style().set_property(property, value);
}

//! The page as a person meets it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};
use thirtyfour::WebDriver;
use tokio::time::sleep;

use crate::element::{Area, Element};
use crate::{Result, root};

/// How long anything a person waits for may take. Long, since the machine may be doing something else; a passing test waits only as long
/// as needed.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often a wait looks again.
const PAUSE: Duration = Duration::from_millis(25);

/// The page in one browser.
#[derive(Debug)]
pub struct Page {
    driver: WebDriver,
    url: String,
    files: PathBuf,
}

/// What the timeline's slider says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// 0-based.
    pub now: u64,
    /// The last one there is, 0-based.
    pub last: u64,
    /// In words: "870 of 1,083, line 10, in read_sensor".
    pub text: String,
}

/// Which colours the system asks for.
#[derive(Clone, Copy, Debug)]
pub enum Theme {
    /// A light surface.
    Light,
    /// A dark surface.
    Dark,
}

impl Page {
    pub(crate) fn new(driver: WebDriver, url: String, files: PathBuf) -> Self {
        Self { driver, url, files }
    }

    /// Writes a file for this test, which is gone when the test ends; the page shows its name.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<PathBuf> {
        fs::create_dir_all(&self.files)?;
        let path = self.files.join(name);
        fs::write(&path, bytes)?;
        Ok(path)
    }

    /// Sends a command of the DevTools protocol to the page.
    ///
    /// # Errors
    /// When the browser refuses it.
    pub async fn cdp(&self, method: &str, parameters: Value) -> Result<Value> {
        self.driver.cdp().send_raw(method, parameters).await.with_context(|| format!("{method} was refused"))
    }

    /// Evaluates JavaScript in the page; a promise is waited for.
    ///
    /// # Errors
    /// When it throws.
    pub async fn evaluate(&self, expression: &str) -> Result<Value> {
        let answer = self
            .cdp(
                "Runtime.evaluate",
                json!({ "expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true }),
            )
            .await?;
        if let Some(thrown) = answer.get("exceptionDetails") {
            bail!("{expression} threw {thrown}");
        }
        Ok(answer["result"]["value"].clone())
    }

    /// Opens the page anew, with a fragment ("" or "#1&…"), and waits until it stands.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn load(&self, fragment: &str) -> Result {
        // Only another fragment would not load anything: leave first.
        self.driver.goto("about:blank").await?;
        self.driver.goto(format!("{}{fragment}", self.url)).await?;
        self.stands().await
    }

    /// Reloads the page and waits until it stands.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn reload(&self) -> Result {
        self.driver.refresh().await?;
        self.stands().await
    }

    async fn stands(&self) -> Result {
        self.wait("the page starts", async || {
            Ok((self.evaluate("!!document.querySelector('main, [role=main]')").await? == json!(true)).then_some(()))
        })
        .await
    }

    /// Waits until a question has an answer.
    ///
    /// # Errors
    /// When it has none for 20 seconds, with `what` and the last error met on the way.
    pub async fn wait<T>(&self, what: &str, mut question: impl AsyncFnMut() -> Result<Option<T>>) -> Result<T> {
        let start = Instant::now();
        let mut last_error = None;
        while start.elapsed() < PATIENCE {
            match question().await {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => last_error = None,
                // What is looked at may be replaced in the very moment.
                Err(error) => last_error = Some(error),
            }
            sleep(PAUSE).await;
        }
        match last_error {
            Some(error) => Err(error.context(format!("waited {} s in vain: {what}", PATIENCE.as_secs()))),
            None => bail!("waited {} s in vain: {what}", PATIENCE.as_secs()),
        }
    }

    /// The elements of a role whose accessible name is `name`, or all of the role when `name` is empty.
    ///
    /// # Errors
    /// When the browser does not answer.
    pub async fn all(&self, role: &str, name: &str) -> Result<Vec<Element<'_>>> {
        let document = self.cdp("Runtime.evaluate", json!({ "expression": "document" })).await?;
        let mut query = json!({ "objectId": document["result"]["objectId"], "role": role });
        if !name.is_empty() {
            query["accessibleName"] = json!(name);
        }
        let answer = self.cdp("Accessibility.queryAXTree", query).await?;
        let mut elements = Vec::new();
        for node in answer["nodes"].as_array().into_iter().flatten().filter(|node| node["ignored"] != json!(true)) {
            let resolved = self.cdp("DOM.resolveNode", json!({ "backendNodeId": node["backendDOMNodeId"] })).await?;
            let object = resolved["object"]["objectId"].as_str().context("a node without an object")?;
            elements.push(Element::new(self, object.to_owned()));
        }
        Ok(elements)
    }

    /// Waits for the one element of a role and name.
    ///
    /// # Errors
    /// When there is none for 20 seconds, or more than one.
    pub async fn find(&self, role: &str, name: &str) -> Result<Element<'_>> {
        self.wait(&format!("a {role} named {name:?}"), async || {
            let mut found = self.all(role, name).await?;
            ensure!(found.len() <= 1, "{} elements are a {role} named {name:?}", found.len());
            Ok(found.pop())
        })
        .await
    }

    /// Whether there is no element of a role and name.
    ///
    /// # Errors
    /// When the browser does not answer.
    pub async fn lacks(&self, role: &str, name: &str) -> Result<bool> {
        Ok(self.all(role, name).await?.is_empty())
    }

    /// Waits until the page's alerts say something that contains all of `words`, and returns the alert's text.
    ///
    /// # Errors
    /// When none does for 20 seconds.
    pub async fn alert(&self, words: &[&str]) -> Result<String> {
        self.wait(&format!("an alert that says {words:?}"), async || {
            for alert in self.all("alert", "").await? {
                let text = alert.text().await?;
                if words.iter().all(|word| text.contains(word)) {
                    return Ok(Some(text));
                }
            }
            Ok(None)
        })
        .await
    }

    /// The text that is seen on the page.
    ///
    /// # Errors
    /// When the browser does not answer.
    pub async fn text(&self) -> Result<String> {
        Ok(self.evaluate("document.body.innerText").await?.as_str().unwrap_or_default().to_owned())
    }

    /// Waits until the page shows a text.
    ///
    /// # Errors
    /// When it does not for 20 seconds.
    pub async fn shows(&self, text: &str) -> Result {
        self.wait(&format!("the page shows {text:?}"), async || Ok(self.text().await?.contains(text).then_some(())))
            .await
    }

    /// The rows of the table or grid in a region, each as the texts of its cells; header rows included.
    ///
    /// # Errors
    /// When there is no such region now.
    pub async fn rows(&self, region: &str) -> Result<Vec<Vec<String>>> {
        let script = format!("({ROWS})({})", json!(region));
        serde_json::from_value(self.evaluate(&script).await?).with_context(|| format!("there is no region {region:?}"))
    }

    /// What the timeline's slider says now.
    ///
    /// # Errors
    /// When there is no timeline now, or it does not say where it is.
    pub async fn position(&self) -> Result<Position> {
        let said: Vec<Option<String>> =
            serde_json::from_value(self.evaluate(SLIDER).await?).context("there is no slider named \"Timeline\"")?;
        let part = |index: usize, name: &str| {
            said.get(index).cloned().flatten().with_context(|| format!("the timeline has no {name}"))
        };
        Ok(Position {
            now: part(0, "aria-valuenow")?.parse()?,
            last: part(1, "aria-valuemax")?.parse()?,
            text: part(2, "aria-valuetext")?,
        })
    }

    /// Waits until the slider stands at a position (0-based), and returns what it says.
    ///
    /// # Errors
    /// When it does not within 20 seconds.
    pub async fn at(&self, now: u64) -> Result<Position> {
        let mut last = None;
        let outcome = self
            .wait(&format!("the timeline stands at {now} (0-based)"), async || {
                let position = self.position().await?;
                last = Some(position.clone());
                Ok((position.now == now).then_some(position))
            })
            .await;
        outcome.with_context(|| format!("the timeline says {last:?}"))
    }

    /// Chooses files in the picker behind "Open a recording".
    ///
    /// # Errors
    /// When there is no such input.
    pub async fn pick(&self, paths: &[&Path]) -> Result {
        // A file input is a button to accessibility, and may be hidden behind one of the page's own.
        let input = self.cdp("Runtime.evaluate", json!({ "expression": FILE_INPUT })).await?;
        let object =
            input["result"]["objectId"].as_str().context("there is no file input labelled \"Open a recording\"")?;
        Element::new(self, object.to_owned()).choose(paths).await
    }

    /// Drops files and folders on a point of the page, as a drag from the file manager does.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn drop_at(&self, paths: &[&Path], (x, y): (f64, f64)) -> Result {
        let files: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
        for kind in ["dragEnter", "dragOver", "drop"] {
            self.cdp("Input.dispatchDragEvent", json!({ "type": kind, "x": x, "y": y, "data": data })).await?;
        }
        Ok(())
    }

    /// Drops files and folders on the middle of the page.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn drop(&self, paths: &[&Path]) -> Result {
        let middle = self.viewport().await?.at(0.5, 0.5);
        self.drop_at(paths, middle).await
    }

    /// Puts a text on the clipboard and pastes it where the focus is.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn paste(&self, text: &str) -> Result {
        let origin = self.evaluate("location.origin").await?;
        self.cdp(
            "Browser.grantPermissions",
            json!({ "origin": origin, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] }),
        )
        .await?;
        self.cdp("Page.bringToFront", json!({})).await?;
        self.evaluate(&format!("navigator.clipboard.writeText({})", json!(text))).await?;
        for (kind, commands) in [("rawKeyDown", json!(["paste"])), ("keyUp", json!([]))] {
            let key = json!({ "type": kind, "key": "v", "code": "KeyV", "windowsVirtualKeyCode": 86, "modifiers": 2, "commands": commands });
            self.cdp("Input.dispatchKeyEvent", key).await?;
        }
        Ok(())
    }

    /// Presses keys one after the other: "ArrowRight", "Shift+ArrowLeft", "Control+o", "/", "c".
    ///
    /// # Errors
    /// When a key is not known here.
    pub async fn press(&self, keys: &[&str]) -> Result {
        for key in keys {
            self.press_one(key).await?;
        }
        Ok(())
    }

    async fn press_one(&self, chord: &str) -> Result {
        let mut modifiers = 0;
        let mut name = chord;
        while let Some((modifier, rest)) = name.split_once('+').filter(|(_, rest)| !rest.is_empty()) {
            modifiers |= match modifier {
                "Alt" => 1,
                "Control" => 2,
                "Meta" => 4,
                "Shift" => 8,
                _ => bail!("{modifier} is no modifier"),
            };
            name = rest;
        }
        let (code, number, text) = key_facts(name)?;
        // A key that is held with Control or Alt writes nothing.
        let text = if modifiers & 7 == 0 { text } else { String::new() };
        let mut down = json!({ "type": if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "key": name, "code": code,
                               "windowsVirtualKeyCode": number, "modifiers": modifiers });
        if !text.is_empty() {
            down["text"] = json!(text);
        }
        self.cdp("Input.dispatchKeyEvent", down).await?;
        let up = json!({ "type": "keyUp", "key": name, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers });
        self.cdp("Input.dispatchKeyEvent", up).await?;
        Ok(())
    }

    /// Types a text where the focus is, key by key.
    ///
    /// # Errors
    /// When a character has no key here.
    pub async fn type_text(&self, text: &str) -> Result {
        for character in text.chars() {
            self.press_one(&character.to_string()).await?;
        }
        Ok(())
    }

    /// Clicks a point.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn click_at(&self, x: f64, y: f64) -> Result {
        self.mouse("mouseMoved", x, y, 0).await?;
        self.mouse("mousePressed", x, y, 1).await?;
        self.mouse("mouseReleased", x, y, 0).await
    }

    /// Presses the mouse at a point, moves it to another in `steps` and lets go.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn drag(&self, from: (f64, f64), to: (f64, f64), steps: u32) -> Result {
        self.mouse("mouseMoved", from.0, from.1, 0).await?;
        self.mouse("mousePressed", from.0, from.1, 1).await?;
        for step in 1..=steps {
            let part = f64::from(step) / f64::from(steps);
            self.mouse("mouseMoved", from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part, 1).await?;
        }
        self.mouse("mouseReleased", to.0, to.1, 0).await
    }

    async fn mouse(&self, kind: &str, x: f64, y: f64, buttons: u8) -> Result {
        let button = if kind == "mouseMoved" && buttons == 0 { "none" } else { "left" };
        let event = json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": i32::from(kind != "mouseMoved") });
        self.cdp("Input.dispatchMouseEvent", event).await.map(|_| ())
    }

    /// Turns the wheel over a point by a number of CSS pixels (below 0: away from the person).
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn wheel(&self, (x, y): (f64, f64), down: f64) -> Result {
        let event = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": down });
        self.cdp("Input.dispatchMouseEvent", event).await.map(|_| ())
    }

    /// Puts a finger down, moves it in steps and lifts it.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn swipe(&self, from: (f64, f64), to: (f64, f64), steps: u32) -> Result {
        let point = |(x, y): (f64, f64)| json!([{ "x": x, "y": y }]);
        self.cdp("Input.dispatchTouchEvent", json!({ "type": "touchStart", "touchPoints": point(from) })).await?;
        for step in 1..=steps {
            let part = f64::from(step) / f64::from(steps);
            let at = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            self.cdp("Input.dispatchTouchEvent", json!({ "type": "touchMove", "touchPoints": point(at) })).await?;
        }
        self.cdp("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] })).await.map(|_| ())
    }

    /// What is seen of the page.
    ///
    /// # Errors
    /// When the browser does not answer.
    pub async fn viewport(&self) -> Result<Area> {
        let size = self.evaluate("[innerWidth, innerHeight]").await?;
        let side = |index: usize| size[index].as_f64().context("a window without a size");
        Ok(Area { x: 0.0, y: 0.0, width: side(0)?, height: side(1)? })
    }

    /// Gives the page a size in CSS pixels, and says which colours the system asks for.
    ///
    /// # Errors
    /// When the browser refuses.
    pub async fn resize(&self, width: u32, height: u32, theme: Theme) -> Result {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.cdp("Emulation.setDeviceMetricsOverride", metrics).await?;
        let value = match theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.cdp("Emulation.setEmulatedMedia", features).await.map(|_| ())
    }

    /// Saves what is seen as `target/screenshots/NAME.png`.
    ///
    /// # Errors
    /// When it cannot be taken or written.
    pub async fn screenshot(&self, name: &str) -> Result {
        // Two animation frames later, what the last message changed is painted.
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))").await?;
        let target =
            env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder));
        let folder = target.join("screenshots");
        fs::create_dir_all(&folder)?;
        self.driver.screenshot(&folder.join(format!("{name}.png"))).await?;
        Ok(())
    }

    /// What went wrong so far without anybody asking: errors in the console and breaches of the page's policy. Reading takes the
    /// console's lines away.
    ///
    /// # Errors
    /// When the browser does not answer.
    pub async fn trouble(&self) -> Result<Vec<String>> {
        let watched = self.evaluate("self.tapedeckTrouble ?? ['the page was not watched']").await?;
        let mut trouble: Vec<String> = serde_json::from_value(watched)?;
        for entry in self.driver.browser_log().await? {
            let level = format!("{:?}", entry.level).to_uppercase();
            if level.contains("SEVERE") || level.contains("WARN") {
                trouble.push(format!("console: {}", entry.message));
            }
        }
        Ok(trouble)
    }
}

const FILE_INPUT: &str = "[...document.querySelectorAll('input[type=file]')].find(input => \
    (input.ariaLabel ?? input.labels[0]?.innerText ?? '').trim() === 'Open a recording')";

/// What is asked again and again goes by the attributes that the accessible names are given with: a walk of the whole accessibility
/// tree for each look would slow the page down that is looked at. [`Page::find`] takes the walk, and tests use it for both.
const SLIDER: &str = "(() => { const e = document.querySelector('[role=slider][aria-label=Timeline]'); \
    return e && ['aria-valuenow', 'aria-valuemax', 'aria-valuetext'].map(name => e.getAttribute(name)) })()";

const ROWS: &str = "region => { const e = document.querySelector(`section[aria-label=\"${region}\"], [role=region][aria-label=\"${region}\"]`); \
    return e && [...e.querySelectorAll('tr, [role=row]')].map(row => \
    [...row.querySelectorAll('td, th, [role=cell], [role=gridcell], [role=rowheader], [role=columnheader]')].map(c => c.innerText.trim())) }";

/// A key's code, its number for old scripts, and what it writes.
fn key_facts(name: &str) -> Result<(String, u32, String)> {
    let named = |code: &str, number: u32| Ok((code.to_owned(), number, String::new()));
    match name {
        "ArrowLeft" => named(name, 37),
        "ArrowUp" => named(name, 38),
        "ArrowRight" => named(name, 39),
        "ArrowDown" => named(name, 40),
        "Home" => named(name, 36),
        "End" => named(name, 35),
        "PageUp" => named(name, 33),
        "PageDown" => named(name, 34),
        "Escape" => named(name, 27),
        "Tab" => named(name, 9),
        "Backspace" => named(name, 8),
        "Delete" => named(name, 46),
        "F8" => named(name, 119),
        "F11" => named(name, 122),
        "Enter" => Ok((name.to_owned(), 13, "\r".to_owned())),
        " " => Ok(("Space".to_owned(), 32, name.to_owned())),
        _ => {
            let mut characters = name.chars();
            let (Some(character), None) = (characters.next(), characters.next()) else {
                bail!("{name} is no key that is known here")
            };
            let upper = character.to_ascii_uppercase();
            let code = match upper {
                'A'..='Z' => format!("Key{upper}"),
                '0'..='9' => format!("Digit{upper}"),
                '[' => "BracketLeft".to_owned(),
                ']' => "BracketRight".to_owned(),
                '/' | '?' => "Slash".to_owned(),
                '-' => "Minus".to_owned(),
                '+' => "Equal".to_owned(),
                _ => String::new(),
            };
            Ok((code, u32::from(upper), character.to_string()))
        }
    }
}

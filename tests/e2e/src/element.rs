//! One element of the page, found by its role and accessible name.

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::Result;
use crate::page::Page;

/// An element; it stays the same one while the page keeps it.
#[derive(Debug)]
pub struct Element<'a> {
    page: &'a Page,
    object: String,
}

/// A rectangle of the page, in CSS pixels from the top left corner of what is seen.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Area {
    /// The point at a fraction of the width and of the height.
    pub fn at(self, across: f64, down: f64) -> (f64, f64) {
        (self.x + self.width * across, self.y + self.height * down)
    }
}

impl<'a> Element<'a> {
    pub(crate) fn new(page: &'a Page, object: String) -> Self {
        Self { page, object }
    }

    /// Calls a function of JavaScript with the element as `this`, and returns its answer.
    ///
    /// # Errors
    /// When the function throws, or the element is no longer there.
    pub async fn call(&self, function: &str, arguments: &[Value]) -> Result<Value> {
        let arguments: Vec<Value> = arguments.iter().map(|value| json!({ "value": value })).collect();
        let answer = self
            .page
            .cdp(
                "Runtime.callFunctionOn",
                json!({ "objectId": self.object, "functionDeclaration": function, "arguments": arguments,
                        "returnByValue": true, "awaitPromise": true, "userGesture": true }),
            )
            .await?;
        if let Some(thrown) = answer.get("exceptionDetails") {
            anyhow::bail!("{function} threw {thrown}");
        }
        Ok(answer["result"]["value"].clone())
    }

    /// An attribute, or `None` when the element does not have it.
    ///
    /// # Errors
    /// As [`Element::call`].
    pub async fn attribute(&self, name: &str) -> Result<Option<String>> {
        let value = self.call("function (name) { return this.getAttribute(name) }", &[json!(name)]).await?;
        Ok(value.as_str().map(str::to_owned))
    }

    /// The text that is seen in it.
    ///
    /// # Errors
    /// As [`Element::call`].
    pub async fn text(&self) -> Result<String> {
        let value = self.call("function () { return this.innerText ?? this.textContent }", &[]).await?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    /// What is written in a field.
    ///
    /// # Errors
    /// As [`Element::call`].
    pub async fn value(&self) -> Result<String> {
        let value = self.call("function () { return this.value }", &[]).await?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    /// Where it is, after it was scrolled into view.
    ///
    /// # Errors
    /// As [`Element::call`].
    pub async fn area(&self) -> Result<Area> {
        let area = self
            .call(
                "function () { this.scrollIntoViewIfNeeded?.(); const r = this.getBoundingClientRect(); return [r.x, r.y, r.width, r.height] }",
                &[],
            )
            .await?;
        let side = |index: usize| area[index].as_f64().context("an element without an area");
        Ok(Area { x: side(0)?, y: side(1)?, width: side(2)?, height: side(3)? })
    }

    /// Clicks its middle with the mouse.
    ///
    /// # Errors
    /// When it is not there, has no size, or something else lies over it.
    pub async fn click(&self) -> Result {
        let area = self.area().await?;
        anyhow::ensure!(area.width > 0.0 && area.height > 0.0, "an element without a size cannot be clicked");
        let (x, y) = area.at(0.5, 0.5);
        let hit = self
            .call("function (x, y) { const e = document.elementFromPoint(x, y); return this === e || this.contains(e) || !!e?.contains(this) || [...(this.labels ?? [])].some(l => l.contains(e)) }", &[json!(x), json!(y)])
            .await?;
        anyhow::ensure!(hit == json!(true), "something else lies over the element");
        self.page.click_at(x, y).await
    }

    /// Puts the keyboard's focus on it.
    ///
    /// # Errors
    /// As [`Element::call`].
    pub async fn focus(&self) -> Result {
        self.call("function () { this.focus() }", &[]).await.map(|_| ())
    }

    /// Whether the keyboard's focus is on it or in it.
    ///
    /// # Errors
    /// As [`Element::call`].
    pub async fn has_focus(&self) -> Result<bool> {
        Ok(self.call("function () { return this.contains(document.activeElement) }", &[]).await? == json!(true))
    }

    /// Gives files to a file input, as a person's choice in the picker does.
    ///
    /// # Errors
    /// When it is not a file input, or a file does not exist.
    pub async fn choose(&self, paths: &[&std::path::Path]) -> Result {
        let files: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        self.page.cdp("DOM.setFileInputFiles", json!({ "files": files, "objectId": self.object })).await.map(|_| ())
    }
}

//! The whole page without a mouse.
#![allow(missing_docs)]

use anyhow::{bail, ensure};
use e2e::{Page, Plain, Result, run, sample};
use serde_json::json;

/// The name of what has the focus, when it also shows that it has it.
async fn focused(page: &Page) -> Result<String> {
    let facts = page
        .evaluate(
            "(() => { const e = document.activeElement; if (!e || e === document.body) return ['', true]; const s = getComputedStyle(e); \
             return [e.ariaLabel || e.labels?.[0]?.innerText || e.innerText || e.tagName, \
             (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== 'none'] })()",
        )
        .await?;
    let name = facts[0].as_str().unwrap_or_default().trim().to_owned();
    ensure!(facts[1] == json!(true), "{name:?} has the focus and does not show it");
    Ok(name)
}

/// Presses Tab until the focus is on something whose name starts so.
async fn tab_to(page: &Page, name: &str) -> Result {
    let mut passed = Vec::new();
    for _ in 0..150 {
        page.press(&["Tab"]).await?;
        let now = focused(page).await?;
        if now.starts_with(name) {
            return Ok(());
        }
        passed.push(now);
    }
    bail!("Tab never comes to {name:?}, only to {passed:?}")
}

#[tokio::test]
async fn everything_can_be_done_by_key() -> Result {
    run("keyboard", async |page| {
        let plain = Plain::read(&sample("thermostat.tape"))?;
        tab_to(page, "Try the sample tape").await?;
        page.press(&["Enter"]).await?;
        page.at(0).await?;
        page.press(&["Shift+ArrowRight", "Shift+ArrowRight", "ArrowRight", "F11", "F8", "ArrowLeft"]).await?;
        page.at(20).await?;

        // A filter, by Tab and typing.
        tab_to(page, "Filter bindings by name").await?;
        page.press(&["End"]).await?;
        page.at(20).await?;
        page.type_text("temp").await?;
        page.wait("only temp is left", async || {
            let rows = page.rows("Bindings").await?;
            Ok((rows.len() == 2 && rows[1].first().is_some_and(|name| name.starts_with("temp"))).then_some(()))
        })
        .await?;

        // Choose it, see its history, go from change to change.
        tab_to(page, "temp").await?;
        page.press(&["Enter"]).await?;
        page.wait("the history is temp's", async || {
            Ok(page.find("region", "History").await?.text().await?.contains("temp").then_some(()))
        })
        .await?;
        let changes = plain.changes("temp");
        let next: Vec<u64> = changes.iter().copied().filter(|change| *change > 20).collect();
        page.press(&["]"]).await?;
        page.at(next[0]).await?;
        page.press(&["]"]).await?;
        page.at(next[1]).await?;
        page.press(&["["]).await?;
        page.at(next[0]).await?;

        // The list of keys opens, keeps the focus, and closes.
        page.press(&["?"]).await?;
        let sheet = page.find("dialog", "Keys").await?;
        page.press(&["Tab", "Tab", "Tab"]).await?;
        ensure!(sheet.has_focus().await? || focused(page).await?.is_empty(), "the focus left the dialog");
        page.press(&["Escape"]).await?;
        page.wait("the sheet is closed", async || Ok(page.lacks("dialog", "Keys").await?.then_some(()))).await?;
        page.press(&["Home"]).await?;
        page.at(0).await?;

        // The slider takes the keys that sliders take.
        tab_to(page, "Timeline").await?;
        page.press(&["ArrowRight", "ArrowRight"]).await?;
        page.at(2).await?;
        page.press(&["End"]).await?;
        page.at(1082).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn ctrl_o_opens_the_picker_from_anywhere() -> Result {
    run("ctrl-o", async |page| {
        page.evaluate(
            "void document.addEventListener('click', e => { if (e.target.type === 'file') self.picked = true }, true)",
        )
        .await?;
        // The picker itself is the system's; without this it would stay open.
        page.cdp("Page.setInterceptFileChooserDialog", json!({ "enabled": true })).await?;
        page.press(&["Control+o"]).await?;
        page.wait("the picker is asked for", async || {
            Ok((page.evaluate("self.picked === true").await? == json!(true)).then_some(()))
        })
        .await
    })
    .await
}

//! Pictures of the page for people to look at (`target/screenshots/`), and what can be checked of its looks without eyes.
#![allow(missing_docs)]

use anyhow::ensure;
use e2e::{Page, Result, Theme, run, sample};
use serde_json::json;

const SIZES: [(u32, u32); 2] = [(1280, 800), (400, 800)];
const THEMES: [(Theme, &str); 2] = [(Theme::Light, "light"), (Theme::Dark, "dark")];

/// Takes the picture, and checks that nothing sticks out at the side and that the colours are those asked for.
async fn look(page: &Page, name: &str) -> Result {
    for (width, height) in SIZES {
        for (theme, word) in THEMES {
            page.resize(width, height, theme).await?;
            page.screenshot(&format!("{name}-{width}-{word}")).await?;
            let over = page.evaluate("document.documentElement.scrollWidth - innerWidth").await?;
            ensure!(over.as_f64().unwrap_or(1.0) <= 0.0, "{name} at {width}: {over} px stick out at the side");
            let dark = page
                .evaluate("(() => { const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number); return r + g + b < 384 })()")
                .await?;
            ensure!(dark == json!(word == "dark"), "{name} in {word} has the other theme's background");
        }
    }
    Ok(())
}

#[tokio::test]
async fn the_first_screen() -> Result {
    run("look-first", async |page| look(page, "first-screen").await).await
}

#[tokio::test]
async fn an_open_tape() -> Result {
    run("look-tape", async |page| {
        page.resize(1280, 800, Theme::Light).await?;
        page.drop(&[&sample("thermostat.tape"), &sample("thermostat.eigs")]).await?;
        page.at(0).await?;
        let area = page.find("slider", "Timeline").await?.area().await?;
        page.click_at(area.at(0.8, 0.2).0, area.at(0.8, 0.2).1).await?;
        page.find("button", "temp").await?.click().await?;
        look(page, "tape").await
    })
    .await
}

#[tokio::test]
async fn an_error() -> Result {
    run("look-error", async |page| {
        page.drop(&[&page.file("newer.tape", "V 3 0.40.0\nL 1\n")?]).await?;
        page.alert(&["newer.tape"]).await?;
        look(page, "error").await
    })
    .await
}

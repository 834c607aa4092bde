//! The page before anything is opened.
#![allow(missing_docs)]

use anyhow::ensure;
use e2e::{Result, run};
use serde_json::json;

#[tokio::test]
async fn the_page_starts_below_a_folder_and_keeps_its_policy() -> Result {
    run("starts", async |page| {
        ensure!(page.text().await?.contains("Tapedeck"), "the page does not say its name");
        // The policy is there at all: a script from elsewhere is refused, and the refusal is noticed by the harness.
        let policy =
            page.evaluate("document.querySelector('meta[http-equiv=Content-Security-Policy]').content").await?;
        let policy = policy.as_str().unwrap_or_default();
        ensure!(policy.contains("default-src 'none'") && !policy.contains("unsafe-inline"), "the policy is {policy}");
        ensure!(page.trouble().await?.is_empty(), "the page starts with trouble: {:?}", page.trouble().await?);
        page.evaluate(
            "document.body.append(Object.assign(document.createElement('script'), { textContent: 'self.ran = 1' }))",
        )
        .await?;
        let trouble = page
            .wait("the breach is noticed", async || Ok(Some(page.trouble().await?).filter(|list| !list.is_empty())))
            .await?;
        ensure!(trouble.iter().any(|line| line.contains("script-src")), "the breach was noticed as {trouble:?}");
        ensure!(page.evaluate("self.ran === undefined").await? == json!(true), "an inline script ran");
        page.evaluate("void (self.tapedeckTrouble = [])").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn every_file_of_the_page_is_used_by_its_own_name() -> Result {
    run("files", async |page| {
        // What a host serves under a name that does not change may be kept by a cache beside a newer page.
        let loaded =
            page.evaluate("performance.getEntriesByType('resource').map(e => new URL(e.name).pathname)").await?;
        let loaded: Vec<String> = serde_json::from_value(loaded)?;
        for file in loaded.iter().filter(|file| !file.ends_with("/boot.js")) {
            let stem = file.rsplit('/').next().unwrap_or_default();
            ensure!(stem.contains('-') || file.contains("/samples/"), "{file} carries no hash in its name");
            ensure!(file.starts_with("/some/sub/path/"), "{file} lies outside the page's folder");
        }
        Ok(())
    })
    .await
}

//! Starting and ending a browser.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use std::{env, fs, process};

use anyhow::{Context as _, bail, ensure};
use serde_json::json;
use thirtyfour::{Capabilities, DesiredCapabilities, WebDriver};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;
use xtask::files::Server;

use crate::page::{Page, Theme};
use crate::{Result, root};

/// Where the page lies on its host: deep enough that an address which starts at the root fails.
const FOLDER: &str = "/some/sub/path/";

/// How long the driver and the browser may take to start.
const START_LIMIT: Duration = Duration::from_secs(60);

/// The page's errors and breaches of its policy are collected from its first moment on, before any script of its own runs.
const WATCH: &str = r"
    self.tapedeckTrouble = [];
    addEventListener('securitypolicyviolation', e =>
        tapedeckTrouble.push(`policy: ${e.violatedDirective} refused ${e.blockedURI} (${e.sourceFile}:${e.lineNumber})`));
    addEventListener('unhandledrejection', e => tapedeckTrouble.push(`unhandled rejection: ${e.reason}`));
";

/// Opens the page in a browser of its own, runs a test on it, and ends the browser.
///
/// When the test fails, a picture of the page is left in `target/screenshots/failed-NAME.png`.
///
/// # Errors
/// What the test returned, or what the browser complained about meanwhile.
pub async fn run(name: &str, test: impl AsyncFnOnce(&Page) -> Result) -> Result {
    let dist = env::var_os("TAPEDECK_DIST").map_or_else(|| root().join("dist"), PathBuf::from);
    ensure!(
        dist.join("index.html").is_file(),
        "the built page is not in {}; `cargo xtask test e2e` runs the tests on the page, `cargo xtask test build` makes it",
        dist.display()
    );
    let server = Server::bind(0, dist, FOLDER)?;
    let url = server.url()?;
    server.spawn();
    let (mut driver_process, driver_url) = start_driver().await?;
    let driver = timeout(START_LIMIT, WebDriver::new(driver_url, capabilities()?))
        .await
        .context("the browser did not start")??;
    let files = env::temp_dir().join(format!("tapedeck-e2e-{}-{name}", process::id()));
    let page = Page::new(driver.clone(), url, files.clone());
    let outcome = drive(&page, test).await;
    if outcome.is_err() {
        // The picture is a help, not the result: without one the test's own error still counts.
        let _ = page.screenshot(&format!("failed-{name}")).await;
        eprintln!("the page said:\n{}", page.text().await.unwrap_or_default());
    }
    let quit = driver.quit().await;
    let _ = driver_process.kill().await;
    // Most tests write none.
    let _ = fs::remove_dir_all(&files);
    outcome?;
    quit.context("the browser did not end")
}

async fn drive(page: &Page, test: impl AsyncFnOnce(&Page) -> Result) -> Result {
    page.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH })).await?;
    // Tall enough for every panel to show some rows: lists hold no row that is not seen.
    page.resize(1400, 1000, Theme::Light).await?;
    page.load("").await?;
    test(page).await?;
    let trouble = page.trouble().await?;
    ensure!(trouble.is_empty(), "the browser complained:\n{}", trouble.join("\n"));
    Ok(())
}

/// Starts chromedriver on a port that it picks itself, and returns it with its address.
async fn start_driver() -> Result<(Child, String)> {
    let program = env::var_os("CHROMEDRIVER").unwrap_or_else(|| "chromedriver".into());
    let mut child = Command::new(&program)
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("{} does not start; `cargo xtask setup` gets it", program.display()))?;
    let mut lines = BufReader::new(child.stdout.take().context("chromedriver has no output")?).lines();
    let port = timeout(START_LIMIT, async {
        while let Some(line) = lines.next_line().await? {
            if let Some((_, rest)) = line.split_once("started successfully on port ") {
                return Ok(rest.trim_end_matches('.').to_owned());
            }
        }
        bail!("chromedriver ended without naming its port")
    })
    .await
    .context("chromedriver did not start")??;
    // A pipe that nobody reads fills up and stops the driver.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Ok((child, format!("http://127.0.0.1:{port}")))
}

/// The browser's settings, shared with the tests that run inside it: webdriver.json in the root of the workspace.
fn capabilities() -> Result<Capabilities> {
    let path = root().join("webdriver.json");
    let settings: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(&fs::read(&path)?).with_context(|| format!("{} is not understood", path.display()))?;
    let mut capabilities: Capabilities = DesiredCapabilities::chrome().into();
    for (name, value) in settings {
        capabilities.set(name, value)?;
    }
    capabilities.set("goog:loggingPrefs", json!({ "browser": "ALL" }))?;
    Ok(capabilities)
}

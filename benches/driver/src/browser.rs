//! A headless Chromium and its DevTools protocol.
//!
//! One connection to the whole browser, its messages marked with the session of the page that they concern. The protocol is used
//! directly, not through WebDriver: input must be sent in time without waiting for what it causes, and tracing needs events.
//!
//! Invariant: the browser ends when this ends, and its profile is thrown away at the next start.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, ErrorKind};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

/// How long the browser may take to start.
const START_LIMIT: Duration = Duration::from_secs(60);
/// How long one command may take; the longest are openings of ten million records on a busy machine.
const LIMIT: Duration = Duration::from_secs(180);
/// How long reading waits before it looks whether a limit has passed.
const POLL: Duration = Duration::from_millis(50);

/// What the browser is called, by preference.
const PROGRAMS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// A running browser.
pub(crate) struct Browser {
    process: Child,
    socket: WebSocket<TcpStream>,
    last_id: u64,
    answers: HashMap<u64, Value>,
    events: Vec<Value>,
}

/// One page in it.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    target: String,
    session: String,
}

impl Browser {
    /// Starts a browser with the arguments that all tests use (webdriver.json).
    pub(crate) fn start(folder: &Path, settings: &Path) -> Result<Self> {
        let profile = folder.join("profile");
        let _ = fs::remove_dir_all(&profile);
        fs::create_dir_all(&profile)?;
        let settings: Value = serde_json::from_slice(&fs::read(settings)?).context("the browser's settings")?;
        let arguments = settings["goog:chromeOptions"]["args"].as_array().context("the settings name no arguments")?;
        let program = program().context("Chromium or Chrome is not on PATH; `cargo xtask setup` gets it")?;
        let mut command = Command::new(&program);
        command.args(arguments.iter().filter_map(Value::as_str));
        command.arg("--remote-debugging-port=0").arg(format!("--user-data-dir={}", profile.display()));
        // speedscope draws with WebGL only, which without a graphics card is software that must be asked for.
        command.args(["--enable-unsafe-swiftshader", "--window-size=1280,900", "--no-default-browser-check"]);
        command.arg("about:blank").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().with_context(|| format!("{} does not start", program.display()))?;
        let stderr = process.stderr.take().context("the browser has no error output")?;
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            // Read to its end: a pipe that nobody reads fills up and stops the browser.
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if let Some(address) = line.strip_prefix("DevTools listening on ") {
                    let _ = tell.send(address.to_owned());
                }
            }
        });
        let address = told.recv_timeout(START_LIMIT).context("the browser did not start")?;
        let host = address.trim_start_matches("ws://").split('/').next().unwrap_or_default();
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        let unlimited = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let (socket, _) = tungstenite::client::client_with_config(address.as_str(), stream, Some(unlimited))
            .map_err(|error| anyhow::anyhow!("the browser does not talk: {error}"))?;
        socket.get_ref().set_read_timeout(Some(POLL))?;
        Ok(Self { process, socket, last_id: 0, answers: HashMap::new(), events: Vec::new() })
    }

    /// The browser's name and version.
    pub(crate) fn version(&mut self) -> Result<String> {
        let answer = self.call(None, "Browser.getVersion", &json!({}))?;
        Ok(answer["product"].as_str().unwrap_or_default().to_owned())
    }

    /// Sends a command and does not wait for its answer.
    pub(crate) fn send(&mut self, page: Option<&Page>, method: &str, parameters: &Value) -> Result<u64> {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": parameters });
        if let Some(page) = page {
            message["sessionId"] = json!(page.session);
        }
        self.socket.send(Message::text(message.to_string()))?;
        Ok(self.last_id)
    }

    /// Sends a command and waits for its answer.
    pub(crate) fn call(&mut self, page: Option<&Page>, method: &str, parameters: &Value) -> Result<Value> {
        let id = self.send(page, method, parameters)?;
        self.answer(id).with_context(|| method.to_owned())
    }

    /// Waits for the answer to a command.
    pub(crate) fn answer(&mut self, id: u64) -> Result<Value> {
        let start = Instant::now();
        loop {
            if let Some(mut answer) = self.answers.remove(&id) {
                if let Some(error) = answer.get("error") {
                    bail!("the browser refused: {error}");
                }
                return Ok(answer["result"].take());
            }
            if start.elapsed() > LIMIT {
                bail!("the browser did not answer for {} s", LIMIT.as_secs());
            }
            self.hear()?;
        }
    }

    /// Waits for an event of this name and returns it; earlier ones of other names are kept.
    pub(crate) fn event(&mut self, method: &str) -> Result<Value> {
        let start = Instant::now();
        loop {
            if let Some(at) = self.events.iter().position(|event| event["method"] == method) {
                return Ok(self.events.remove(at));
            }
            if start.elapsed() > LIMIT {
                bail!("{method} did not come for {} s", LIMIT.as_secs());
            }
            self.hear()?;
        }
    }

    /// The events that came since this was last asked.
    pub(crate) fn take_events(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.events)
    }

    fn hear(&mut self) -> Result<()> {
        let message = match self.socket.read() {
            Ok(Message::Text(text)) => text,
            Ok(_) => return Ok(()),
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
            {
                return Ok(());
            }
            Err(error) => bail!("the browser is gone: {error}"),
        };
        let message: Value = serde_json::from_str(message.as_str())?;
        match message["id"].as_u64() {
            Some(id) => {
                self.answers.insert(id, message);
            }
            None => self.events.push(message),
        }
        Ok(())
    }

    /// Opens a page and waits until it is loaded.
    pub(crate) fn open(&mut self, url: &str) -> Result<Page> {
        let target = self.call(None, "Target.createTarget", &json!({ "url": "about:blank" }))?;
        let target = target["targetId"].as_str().context("a page without an id")?.to_owned();
        let answer = self.call(None, "Target.attachToTarget", &json!({ "targetId": target, "flatten": true }))?;
        let session = answer["sessionId"].as_str().context("a page without a session")?.to_owned();
        let page = Page { target, session };
        self.call(Some(&page), "Page.enable", &json!({}))?;
        self.call(
            Some(&page),
            "Page.addScriptToEvaluateOnNewDocument",
            &json!({ "source": include_str!("js/watch.js") }),
        )?;
        self.call(Some(&page), "Page.navigate", &json!({ "url": url }))?;
        loop {
            let event = self.event("Page.loadEventFired")?;
            if event["sessionId"] == json!(page.session)
                && self.evaluate(&page, "location.href")?.as_str().is_some_and(|href| href.starts_with(url))
            {
                return Ok(page);
            }
        }
    }

    /// Closes a page and everything of it.
    pub(crate) fn close(&mut self, page: &Page) -> Result<()> {
        self.call(None, "Target.closeTarget", &json!({ "targetId": page.target }))?;
        self.events.clear();
        Ok(())
    }

    /// Evaluates JavaScript in a page; a promise is waited for.
    pub(crate) fn evaluate(&mut self, page: &Page, expression: &str) -> Result<Value> {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call(Some(page), "Runtime.evaluate", &parameters)?;
        if let Some(thrown) = answer.get("exceptionDetails") {
            let said = thrown["exception"]["description"].as_str().unwrap_or_default();
            bail!("{} threw {said}", expression.chars().take(100).collect::<String>());
        }
        Ok(answer["result"]["value"].clone())
    }

    /// Waits until an expression is true.
    pub(crate) fn wait_until(&mut self, page: &Page, expression: &str) -> Result<()> {
        let start = Instant::now();
        while self.evaluate(page, expression)? != json!(true) {
            if start.elapsed() > LIMIT {
                bail!("waited {} s in vain for {expression}", LIMIT.as_secs());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Gives a file to the file input that an expression names, as its picker does.
    pub(crate) fn choose_file(&mut self, page: &Page, input: &str, file: &Path) -> Result<()> {
        let input = self.call(Some(page), "Runtime.evaluate", &json!({ "expression": input }))?;
        let object = input["result"]["objectId"].as_str().context("the page has no such file input")?;
        let file = fs::canonicalize(file)?;
        self.call(Some(page), "DOM.setFileInputFiles", &json!({ "objectId": object, "files": [file] }))?;
        Ok(())
    }

    /// Ends the browser.
    pub(crate) fn end(mut self) {
        // Asked politely it cleans up after itself; Drop sees to the rest.
        let _ = self.call(None, "Browser.close", &json!({}));
        for _ in 0..100 {
            if !matches!(self.process.try_wait(), Ok(None)) {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

fn program() -> Option<PathBuf> {
    let mac = Path::new("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    PROGRAMS
        .iter()
        .find_map(|program| folders.iter().map(|folder| folder.join(program)).find(|path| path.is_file()))
        .or_else(|| mac.exists().then(|| mac.to_path_buf()))
}

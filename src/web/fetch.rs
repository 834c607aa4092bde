//! Fetching a recording from an address that the user, or a link, named.
//!
//! Invariant: nothing is sent but the request itself: no cookies, no login, no referrer. What cannot be had is told apart, as
//! far as the browser lets a page know.

use js_sys::{Array, Reflect, Uint8Array};
use sha2::{Digest as _, Sha256};
use tapedeck_core::bytes::{Kind, Known, sniff_start};
use tapedeck_core::model::protocol::Refusal;
use tapedeck_core::tape;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, ReadableStreamDefaultReader, ReferrerPolicy, RequestCredentials, RequestInit, RequestMode, Response, Url,
};

use super::bridge::error_text;
use super::deck::Document;

/// How many bytes come between two reports of progress.
const TELL_BYTES: f64 = 262_144.0;

/// What was fetched.
#[derive(Debug)]
pub struct Fetched {
    /// The bytes, under the last part of the address.
    pub document: Document,
    /// Their SHA-256.
    pub sha256: [u8; 32],
}

fn refusal(kind: &str, what: String, advice: &str) -> Refusal {
    Refusal { kind: kind.to_owned(), what, place: String::new(), advice: advice.to_owned() }
}

const DOWNLOAD: &str = "Download it in your browser, then drop the file here.";

/// What a recording at an address is called.
pub fn name_of(address: &str) -> String {
    let path = Url::new(address).map(|url| url.pathname()).unwrap_or_default();
    let last = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
    let name = js_sys::decode_uri_component(last).map(String::from).unwrap_or_else(|_| last.to_owned());
    if name.is_empty() { "recording".to_owned() } else { name }
}

/// Fetches an address. `None` when `is_wanted` says that nobody waits for it any more.
///
/// # Errors
/// Why it could not be had, and what to do.
pub async fn fetch(
    address: &str,
    progress: impl Fn(f64, f64),
    is_wanted: impl Fn() -> bool,
) -> Result<Option<Fetched>, Refusal> {
    let url = checked(address)?;
    let Some(window) = web_sys::window() else {
        return Err(refusal("unavailable", "There is no window.".to_owned(), "Reload the page."));
    };
    let response = match JsFuture::from(window.fetch_with_str_and_init(&url.href(), &request(RequestMode::Cors))).await
    {
        Ok(response) => response.unchecked_into::<Response>(),
        Err(error) => return Err(unreachable(&url, &error).await),
    };
    if let Some(refusal) = refused(&url, &response) {
        return Err(refusal);
    }
    let length = response.headers().get("content-length").ok().flatten();
    let total = length.and_then(|length| length.parse().ok()).unwrap_or(0.0);
    if let Some(refusal) = tape::refuse_size(total as u64) {
        return Err(refusal);
    }
    let broken = |error: JsValue| {
        refusal(
            "network",
            format!("The recording arrived only in part: {}.", error_text(&error)),
            "Check the connection and try again.",
        )
    };
    let chunks = Array::new();
    let mut hash = Sha256::new();
    let (mut done, mut told) = (0.0, 0.0);
    if let Some(body) = response.body() {
        let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
        loop {
            let part = JsFuture::from(reader.read()).await.map_err(broken)?;
            if !is_wanted() {
                // What is still on its way is not wanted; whether the server hears of it does not matter.
                let _ = reader.cancel();
                return Ok(None);
            }
            let field = |name: &str| Reflect::get(&part, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED);
            if field("done").is_truthy() {
                break;
            }
            let chunk: Uint8Array = field("value").unchecked_into();
            let bytes = chunk.to_vec();
            if done == 0.0 && sniff_start(&bytes) == Kind::Known(Known::Html) {
                let _ = reader.cancel();
                return Err(html(&url, &response));
            }
            hash.update(&bytes);
            done += bytes.len() as f64;
            chunks.push(&chunk);
            if done - told >= TELL_BYTES {
                told = done;
                // A server that packs on the way states the packed length.
                progress(done, if total >= done { total } else { 0.0 });
                if let Some(refusal) = tape::refuse_size(done as u64) {
                    let _ = reader.cancel();
                    return Err(refusal);
                }
            }
        }
    }
    let blob = Blob::new_with_u8_array_sequence(&chunks).map_err(broken)?;
    Ok(Some(Fetched { document: Document::new(name_of(address), blob), sha256: hash.finalize().into() }))
}

fn request(mode: RequestMode) -> RequestInit {
    let init = RequestInit::new();
    init.set_mode(mode);
    init.set_credentials(RequestCredentials::Omit);
    init.set_referrer_policy(ReferrerPolicy::NoReferrer);
    init
}

/// The address, unless it is known beforehand that nothing comes of it.
fn checked(address: &str) -> Result<Url, Refusal> {
    let Ok(url) = Url::new(address) else {
        return Err(refusal(
            "no-address",
            format!("{address:?} is no address."),
            "An address begins with https:// or http://.",
        ));
    };
    if !matches!(url.protocol().as_str(), "http:" | "https:") {
        return Err(refusal(
            "no-address",
            format!("Addresses that begin with {} are not fetched.", url.protocol()),
            "Use one that begins with https:// or http://, or open the file itself.",
        ));
    }
    let (host, path) = (url.hostname(), url.pathname());
    let is_web = host == "github.com" && path.contains("/actions/runs/") && path.contains("/artifacts/");
    let is_api = host == "api.github.com" && path.contains("/actions/artifacts/");
    if is_web || is_api {
        return Err(refusal(
            "login",
            "This is an artifact of GitHub Actions. GitHub hands it out to people who are logged in, and not to other pages."
                .to_owned(),
            "Download it in your browser, then drop the zip here: it need not be unpacked.",
        ));
    }
    let is_local = matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]");
    let is_secure =
        web_sys::window().is_some_and(|window| window.location().protocol().is_ok_and(|own| own == "https:"));
    if is_secure && url.protocol() == "http:" && !is_local {
        return Err(refusal(
            "mixed-content",
            format!("This page was loaded over https, and browsers then block what comes over http, as from {host}."),
            "Use the https:// address of the recording if it has one, or download it and drop the file here.",
        ));
    }
    Ok(url)
}

/// What a status other than success means.
fn refused(url: &Url, response: &Response) -> Option<Refusal> {
    let (host, status) = (url.host(), response.status());
    match status {
        200..=299 => None,
        404 | 410 => Some(refusal(
            "not-found",
            format!("{host} says that there is nothing at this address (status {status})."),
            "Check the address; artifacts of CI are often deleted after some days.",
        )),
        401 | 403 | 407 => Some(refusal(
            "login",
            format!("{host} wants a login for this address (status {status}), and Tapedeck sends none."),
            DOWNLOAD,
        )),
        _ => Some(refusal(
            "status",
            format!("{host} answers with status {status} {}.", response.status_text().trim()),
            "Try again later, or download the file in your browser and drop it here.",
        )),
    }
}

fn html(url: &Url, response: &Response) -> Refusal {
    let from = if response.redirected() {
        format!(" It came from {}, to which the address leads.", response.url())
    } else {
        String::new()
    };
    refusal(
        "html",
        format!(
            "{} sent a web page (HTML) instead of a recording: a login, an error, or a page about the file.{from}",
            url.host()
        ),
        "Open the address in your browser, download the file itself, and drop it here.",
    )
}

/// Why nothing came at all. Browsers tell a page no more than that; but a server that answers a request whose answer the page
/// may not read is there, and lacks a header.
async fn unreachable(url: &Url, error: &JsValue) -> Refusal {
    let Some(window) = web_sys::window() else {
        return refusal("network", error_text(error), "Reload the page.");
    };
    let host = url.host();
    if !window.navigator().on_line() {
        return refusal("offline", "This browser is offline.".to_owned(), "Connect it, then try again.");
    }
    let origin = window.location().origin().unwrap_or_default();
    if url.origin() != origin {
        let probe = window.fetch_with_str_and_init(&url.href(), &request(RequestMode::NoCors));
        if JsFuture::from(probe).await.is_ok() {
            return Refusal {
                advice: format!(
                    "The server must send the header `Access-Control-Allow-Origin: {origin}` (or `*`) with the file. Or download it in your browser, and drop it here."
                ),
                ..refusal(
                    "cors",
                    format!("{host} answers, but does not allow other pages to read this file (CORS)."),
                    "",
                )
            };
        }
    }
    refusal(
        "network",
        format!("{host} could not be reached: {}.", error_text(error)),
        "Check the address and the connection, then try again.",
    )
}

//! One HTML file that holds the viewer and a recording, and opens from disk without a server.
//!
//! Every part of the built page (`dist/`) goes in as gzip in base64, inside script elements of a type that no browser runs; one
//! small inline script unpacks them. Its hash is in the file's Content-Security-Policy, so no other inline script can run, and
//! `connect-src 'none'` keeps the saved page from making any request.
//!
//! Invariant: nothing of the recording stands in the file as markup or script: it is base64 text, its name an escaped attribute.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// The names of the built page's files, as its `index.html` has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileNames {
    /// The page's wasm-bindgen glue, an ES module.
    pub page_script: String,
    /// The page's wasm.
    pub page_wasm: String,
    /// The workers: the name that the page knows (`worker`, `tools`) and the script. The wasm stands beside it, see [`wasm_of`].
    pub workers: Vec<(String, String)>,
    /// Style sheets, in order.
    pub styles: Vec<String>,
}

/// The wasm file that belongs to a worker's script.
pub fn wasm_of(worker_script: &str) -> String {
    format!("{}_bg.wasm", worker_script.strip_suffix(".js").unwrap_or(worker_script))
}

impl FileNames {
    /// Reads the names from the built `index.html`; `None` when it is not one that Tapedeck's build made.
    pub fn of_index(html: &str) -> Option<Self> {
        let boot = html.split("<script").find(|tag| tag.contains("id=\"boot\""))?;
        let boot = boot.split('>').next()?;
        let mut names = Self {
            page_script: attribute(boot, "data-js")?,
            page_wasm: attribute(boot, "data-wasm")?,
            ..Self::default()
        };
        let mut rest = boot;
        while let Some((_, after)) = rest.split_once(" data-") {
            let (name, _) = after.split_once('=')?;
            if name != "js" && name != "wasm" {
                names.workers.push((name.to_owned(), attribute(boot, &format!("data-{name}"))?));
            }
            rest = after;
        }
        names.styles = html
            .split("<link")
            .skip(1)
            .filter_map(|tag| tag.split('>').next())
            .filter(|tag| tag.contains("rel=\"stylesheet\""))
            .filter_map(|tag| attribute(tag, "href"))
            .collect();
        Some(names)
    }
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    let (value, _) = rest.split_once('"')?;
    Some(value.trim_start_matches("./").to_owned())
}

/// The contents of the built page's files.
#[derive(Clone, Debug, Default)]
pub struct Viewer {
    /// The page's glue.
    pub page_script: Vec<u8>,
    /// The page's wasm.
    pub page_wasm: Vec<u8>,
    /// The workers: name, script, wasm.
    pub workers: Vec<(String, Vec<u8>, Vec<u8>)>,
    /// Style sheets, in order.
    pub styles: Vec<String>,
}

/// What is saved with the viewer.
#[derive(Clone, Debug, Default)]
pub struct Saved<'a> {
    /// The recording's file name.
    pub name: &'a str,
    /// The recording.
    pub bytes: &'a [u8],
    /// The source beside it: name and text.
    pub source: Option<(&'a str, &'a [u8])>,
    /// The view, as a link's fragment without `#`.
    pub view: &'a str,
}

/// The only script that runs from the file itself. It unpacks the parts, makes the workers' addresses, and starts the page.
const BOOT: &str = r#"
const part = (id) => document.getElementById(id);
const unpacked = (id) => {
  const packed = Uint8Array.from(atob(part(id).textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
};
const address = (pieces) => URL.createObjectURL(new Blob(pieces, { type: "text/javascript" }));
const boot = part("boot");
try {
  for (const name of boot.dataset.workers.split(" ").filter(Boolean)) {
    const wasm = JSON.stringify(part(`${name}-wasm`).textContent);
    const unpack = `self.__wasm=(async()=>new Response(new Blob([Uint8Array.from(atob(${wasm}),c=>c.charCodeAt(0))]).stream()` +
      `.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer())();`;
    boot.dataset[name] = address([unpack, await unpacked(`${name}-js`).blob()]);
  }
  for (const id of ["recording", "source"]) if (part(id)) part(id).blob = await unpacked(id).blob();
  const page = await import(address([await unpacked("page-js").blob()]));
  await page.default({ module_or_path: await unpacked("page-wasm").arrayBuffer() });
} catch (error) {
  const alert = document.createElement("p");
  alert.setAttribute("role", "alert");
  alert.textContent = `This saved page could not start: ${error}. It needs a browser from 2023 or later; if yours is, the file may be cut.`;
  document.body.replaceChildren(alert);
  throw error;
}
"#;

/// Writes the file.
pub fn write(viewer: &Viewer, saved: &Saved<'_>) -> String {
    let boot_hash = STANDARD.encode(Sha256::digest(BOOT.as_bytes()));
    let names: Vec<&str> = viewer.workers.iter().map(|(name, _, _)| name.as_str()).collect();
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>{title} · Tapedeck</title>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-{boot_hash}' blob: \
         'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'none'; base-uri 'none'; \
         form-action 'none'\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n",
        title = escaped(saved.name),
    );
    for style in &viewer.styles {
        // A style sheet of ours holds no end tag; one that did would end the element early, so it is made harmless.
        html.push_str(&format!("<style>{}</style>\n", style.replace("</", "<\\/")));
    }
    let mut part = |id: &str, attributes: &str, bytes: &[u8]| {
        html.push_str(&format!(
            "<script type=\"application/octet-stream\" id=\"{}\"{attributes}>{}</script>\n",
            escaped(id),
            STANDARD.encode(gzip(bytes))
        ));
    };
    part("page-js", "", &viewer.page_script);
    part("page-wasm", "", &viewer.page_wasm);
    for (name, script, wasm) in &viewer.workers {
        part(&format!("{name}-js"), "", script);
        part(&format!("{name}-wasm"), "", wasm);
    }
    part("recording", &format!(" data-name=\"{}\"", escaped(saved.name)), saved.bytes);
    if let Some((name, source)) = saved.source {
        part("source", &format!(" data-name=\"{}\"", escaped(name)), source);
    }
    html.push_str(&format!(
        "</head>\n<body>\n<noscript>This file holds a recording and its viewer; it needs JavaScript and WebAssembly.</noscript>\n\
         <script type=\"module\" id=\"boot\" data-workers=\"{}\" data-view=\"{}\">{BOOT}</script>\n</body>\n</html>\n",
        escaped(&names.join(" ")),
        escaped(saved.view),
    ));
    html
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing into memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Read;

    use super::*;

    const INDEX: &str = "<html><head><link rel=\"stylesheet\" href=\"./a-1.css\"/><link rel=\"stylesheet\" href=\"./b-2.css\" integrity=\"x\"/>\
        <script type=\"module\" id=\"boot\" src=\"./boot.js\" data-js=\"./page-1.js\" data-wasm=\"./page-1_bg.wasm\" \
        data-worker=\"./worker-2.js\" data-tools=\"./tools-3.js\"></script></head></html>";

    #[test]
    fn the_built_page_names_its_files() {
        let names = FileNames::of_index(INDEX).unwrap();
        assert_eq!((names.page_script.as_str(), names.page_wasm.as_str()), ("page-1.js", "page-1_bg.wasm"));
        let workers = [("worker".to_owned(), "worker-2.js".to_owned()), ("tools".to_owned(), "tools-3.js".to_owned())];
        assert_eq!(names.workers, workers);
        assert_eq!(names.styles, ["a-1.css", "b-2.css"]);
        assert_eq!(wasm_of("worker-2.js"), "worker-2_bg.wasm");
        assert_eq!(FileNames::of_index("<html></html>"), None);
    }

    #[test]
    fn the_recording_is_in_the_file_and_its_name_is_no_markup() {
        let viewer = Viewer {
            styles: vec!["a{}</style>".into()],
            workers: vec![("worker".into(), b"w".to_vec(), b"m".to_vec())],
            ..Viewer::default()
        };
        let saved =
            Saved { name: "\"><script>alert(1)</script>", bytes: b"V 2 0.40.0\n", view: "1&p=3", ..Saved::default() };
        let html = write(&viewer, &saved);
        assert!(!html.contains("<script>alert") && !html.contains("a{}</style>"));
        let (_, rest) = html.split_once("id=\"recording\"").unwrap();
        let packed = rest.split_once('>').unwrap().1.split_once('<').unwrap().0;
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(STANDARD.decode(packed).unwrap().as_slice()).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, b"V 2 0.40.0\n");
        // The hash in the policy is that of the script as it stands in the file.
        let script = html.rsplit_once("data-view=\"1&amp;p=3\">").unwrap().1.split_once("</script>").unwrap().0;
        assert!(html.contains(&format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script.as_bytes())))));
    }
}

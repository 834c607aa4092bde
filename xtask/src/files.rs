//! A small static file server for a built page: what a web host with no settings does, on this machine only.
//!
//! Invariant: it listens on the loopback address alone, answers GET and HEAD, and never leaves its folder.
//! Deliberately absent: headers that help the page (no Content-Security-Policy, no compression, no caching). What the page
//! needs it must bring in its own files, since many hosts let nobody set a header.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;
use std::{fs, thread};

/// Longest request line or header line that is read, in bytes; browsers stay far below.
const LINE_LIMIT_BYTES: u64 = 16 * 1024;

/// How long a connection may stay silent. Browsers open spare connections and send nothing on them.
const SILENCE_LIMIT: Duration = Duration::from_secs(30);

/// A server that listens but does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    folder: PathBuf,
    prefix: String,
    headers: String,
}

impl Server {
    /// Listens on 127.0.0.1 at `port` (0: any free one) for the files of `folder`, which appear under `prefix`
    /// ("/" or "/some/path/").
    ///
    /// # Errors
    /// When the port is taken or may not be used.
    pub fn bind(port: u16, folder: impl Into<PathBuf>, prefix: &str) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let prefix = format!("/{}/", prefix.trim_matches('/')).replace("//", "/");
        Ok(Self { listener, folder: folder.into(), prefix, headers: String::new() })
    }

    /// Sends this header with every answer. The page itself must do without; measurements want a page that is isolated.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    /// The address where it listens.
    ///
    /// # Errors
    /// When the system cannot tell, which has not been seen.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The URL of the folder, with a slash at its end.
    ///
    /// # Errors
    /// As [`Server::address`].
    pub fn url(&self) -> io::Result<String> {
        Ok(format!("http://{}{}", self.address()?, self.prefix))
    }

    /// Answers requests until the process ends, each connection on a thread of its own.
    pub fn run(self) {
        for stream in self.listener.incoming() {
            // A connection that fails is the client's affair: a closed tab must not stop the server.
            let Ok(stream) = stream else { continue };
            let (folder, prefix, headers) = (self.folder.clone(), self.prefix.clone(), self.headers.clone());
            thread::spawn(move || {
                let _ = answer(stream, &folder, &prefix, &headers);
            });
        }
    }

    /// Answers requests in the background until the process ends.
    pub fn spawn(self) {
        thread::spawn(move || self.run());
    }
}

fn answer(mut stream: TcpStream, folder: &Path, prefix: &str, headers: &str) -> io::Result<()> {
    stream.set_read_timeout(Some(SILENCE_LIMIT))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    (&mut reader).take(LINE_LIMIT_BYTES).read_line(&mut first)?;
    if first.is_empty() {
        return Ok(());
    }
    // The headers decide nothing here, but a socket closed with unread bytes is reset before the answer arrives.
    loop {
        let mut line = String::new();
        (&mut reader).take(LINE_LIMIT_BYTES).read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
    }
    let mut words = first.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if method != "GET" && method != "HEAD" {
        return respond(&mut stream, "405 Method Not Allowed", "text/plain", headers, b"only GET and HEAD\n", true);
    }
    let wants_body = method == "GET";
    let path = target.split(['?', '#']).next().unwrap_or_default();
    match file_for(path, prefix).map(|relative| folder.join(relative)) {
        Some(file) => match fs::read(&file) {
            Ok(bytes) => respond(&mut stream, "200 OK", content_type(&file), headers, &bytes, wants_body),
            Err(_) => respond(&mut stream, "404 Not Found", "text/plain", headers, b"no such file\n", wants_body),
        },
        None => respond(&mut stream, "404 Not Found", "text/plain", headers, b"no such file\n", wants_body),
    }
}

fn respond(
    stream: &mut TcpStream,
    status: &str,
    kind: &str,
    headers: &str,
    body: &[u8],
    wants_body: bool,
) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\nConnection: close\r\n{headers}\r\n",
        body.len()
    )?;
    if wants_body {
        stream.write_all(body)?;
    }
    stream.flush()
}

/// The file below the folder that a request path names, or `None` for a path outside `prefix` or one that climbs.
fn file_for(path: &str, prefix: &str) -> Option<PathBuf> {
    let decoded = percent_decoded(path)?;
    let relative = decoded.strip_prefix(prefix)?;
    let mut file = PathBuf::new();
    for part in Path::new(relative).components() {
        match part {
            Component::Normal(name) => file.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    if relative.is_empty() || relative.ends_with('/') {
        file.push("index.html");
    }
    Some(file)
}

fn percent_decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = tail.get(2..)?;
        } else {
            bytes.push(byte);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

/// The media type of a file by its ending. A module script and streaming WebAssembly are refused under a wrong one.
fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        Some("eigs" | "txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_path_stays_in_the_folder() {
        assert_eq!(file_for("/", "/"), Some(PathBuf::from("index.html")));
        assert_eq!(file_for("/a/b/", "/a/b/"), Some(PathBuf::from("index.html")));
        assert_eq!(file_for("/a/b/samples/x%20y.tape", "/a/b/"), Some(PathBuf::from("samples/x y.tape")));
        assert_eq!(file_for("/other/x", "/a/b/"), None);
        assert_eq!(file_for("/../x", "/"), None);
        assert_eq!(file_for("/s/%2e%2e/x", "/"), None);
        assert_eq!(file_for("//etc/passwd", "/"), None);
        assert_eq!(file_for("/%zz", "/"), None);
        assert_eq!(file_for("/%f", "/"), None);
    }

    #[test]
    fn files_are_served_below_the_prefix_only() {
        let folder = std::env::temp_dir().join(format!("tapedeck-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("index.html"), "hello").unwrap();
        let server = Server::bind(0, &folder, "some/path").unwrap().with_header("X-Of-Ours", "yes");
        let address = server.address().unwrap();
        assert!(server.url().unwrap().ends_with("/some/path/"));
        server.spawn();
        let get = |request: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(format!("{request} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        };
        let whole = get("GET /some/path/?q#f");
        assert!(whole.starts_with("HTTP/1.1 200") && whole.ends_with("\r\n\r\nhello"), "{whole}");
        let head = get("HEAD /some/path/");
        assert!(head.contains("Content-Length: 5") && head.ends_with("\r\n\r\n"), "{head}");
        assert!(head.contains("\r\nX-Of-Ours: yes\r\n"), "{head}");
        assert!(get("GET /").starts_with("HTTP/1.1 404"));
        assert!(get("POST /some/path/").starts_with("HTTP/1.1 405"));
        fs::remove_dir_all(&folder).unwrap();
    }
}

//! `dist`: finishes a trunk build. trunk runs it as a hook (Trunk.toml), so that `trunk build` alone makes a whole page.
//!
//! trunk names the page's files by their content but not those of a worker, and knows no way to tell the page a worker's name. A
//! cached old worker would then meet a new page. So here each worker gets a hash, and the names go into index.html.
//!
//! Invariant: after this no file that carries code has a name that two builds share, except boot.js, which names nothing.
//! Invariant: no inline script is left, in a release build as in a watched one; the page's policy would refuse it.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};

/// The chore.
pub(crate) fn run() -> Result<()> {
    let folder = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .with_context(|| format!("{name} is not set; trunk calls this, people run `cargo xtask serve`"))
    };
    let staging = folder("TRUNK_STAGING_DIR")?;
    let source_path = folder("TRUNK_HTML_FILE")?;
    let source =
        fs::read_to_string(&source_path).with_context(|| format!("{} cannot be read", source_path.display()))?;
    let built_path = staging.join("index.html");
    let mut built = fs::read_to_string(&built_path)?;
    for worker in workers(&source) {
        let place = format!("{{{worker}.js}}");
        if !built.contains(&place) {
            bail!(
                "index.html links the worker {worker}, but pattern_script in Trunk.toml has no {place}: the page would not find it"
            );
        }
        built = built.replace(&place, &name_by_content(&staging, &worker)?);
    }
    if let Some(rest) = built.split_once("{base}").or_else(|| built.split_once(".js}")).map(|(_, rest)| rest) {
        let near: String = rest.chars().take(40).collect();
        bail!("pattern_script in Trunk.toml has a place that no worker of index.html fills, before {near:?}");
    }
    if let Some((html, script)) = without_reload_script(&built) {
        fs::write(staging.join("dev-reload.js"), script)?;
        built = html;
    }
    fs::write(&built_path, built)?;
    Ok(())
}

/// The workers that index.html links, by the name of their binary.
fn workers(html: &str) -> Vec<String> {
    html.split("<link ")
        .skip(1)
        .filter_map(|rest| rest.split('>').next())
        .filter(|tag| tag.contains("data-type=\"worker\""))
        .filter_map(|tag| tag.split("data-bin=\"").nth(1)?.split('"').next())
        .map(str::to_owned)
        .collect()
}

/// Gives a worker's two files a name with a hash of both, makes the script start by itself, and returns the script's name.
fn name_by_content(folder: &Path, worker: &str) -> Result<String> {
    let (script_path, wasm_path) = (folder.join(format!("{worker}.js")), folder.join(format!("{worker}_bg.wasm")));
    let script =
        fs::read_to_string(&script_path).with_context(|| format!("{} was not built", script_path.display()))?;
    let wasm = fs::read(&wasm_path).with_context(|| format!("{} was not built", wasm_path.display()))?;
    let digest = Sha256::new().chain_update(&script).chain_update(&wasm).finalize();
    let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let wasm_name = format!("{worker}-{hash}_bg.wasm");
    // The page starts a worker from a blob that sets `__base` (so that the worker stands under the page's policy), and a saved
    // single file hands over the bytes in `__wasm`. A failure is thrown again outside the promise: only then does the page hear it.
    let start = format!(
        "\nwasm_bindgen({{module_or_path:self.__wasm||new URL('{wasm_name}',self.__base||self.location.href)}})\
         .catch(e=>setTimeout(()=>{{throw e}}));\n"
    );
    let script_name = format!("{worker}-{hash}.js");
    fs::write(folder.join(&script_name), script + &start)?;
    fs::remove_file(&script_path)?;
    fs::rename(&wasm_path, folder.join(&wasm_name))?;
    Ok(script_name)
}

/// Takes trunk's live-reload script, which a watched build carries inline, out of the page; returns the page and the script.
fn without_reload_script(html: &str) -> Option<(String, String)> {
    let marker = html.find("{{__TRUNK_ADDRESS__}}")?;
    let start = html.get(..marker)?.rfind("<script")?;
    let body = start + html.get(start..)?.find('>')? + 1;
    let end = body + html.get(body..)?.find("</script>")?;
    // trunk fills these two in index.html only, when it serves it.
    let script =
        html.get(body..end)?.replace("'{{__TRUNK_ADDRESS__}}'", "location.host").replace("{{__TRUNK_WS_BASE__}}", "/");
    let page = format!("{}<script src=\"./dev-reload.js\">{}", html.get(..start)?, html.get(end..)?);
    Some((page, script))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn workers_are_read_from_the_links() {
        let html = "<link data-trunk rel=\"rust\" data-bin=\"page\" data-type=\"main\"/>\n\
                    <link data-trunk rel=\"rust\" data-bin=\"worker\" data-type=\"worker\"/>\n\
                    <link data-trunk rel=\"rust\" data-type=\"worker\" data-bin=\"tools\"/>";
        assert_eq!(workers(html), ["worker", "tools"]);
    }

    #[test]
    fn the_reload_script_leaves_the_page() {
        let html = "<body><script>let a = '{{__TRUNK_ADDRESS__}}' + '{{__TRUNK_WS_BASE__}}';</script></body>";
        let (page, script) = without_reload_script(html).unwrap();
        assert_eq!(page, "<body><script src=\"./dev-reload.js\"></script></body>");
        assert_eq!(script, "let a = location.host + '/';");
        assert_eq!(without_reload_script("<body></body>"), None);
    }

    #[test]
    fn a_worker_is_named_by_its_content() {
        let folder = std::env::temp_dir().join(format!("tapedeck-dist-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut names = Vec::new();
        for wasm in ["one", "two", "one"] {
            fs::write(folder.join("worker.js"), "glue").unwrap();
            fs::write(folder.join("worker_bg.wasm"), wasm).unwrap();
            names.push(name_by_content(&folder, "worker").unwrap());
        }
        assert_eq!(names[0], names[2]);
        assert_ne!(names[0], names[1]);
        assert!(!folder.join("worker.js").exists());
        let script = fs::read_to_string(folder.join(&names[0])).unwrap();
        assert!(script.starts_with("glue\n") && script.contains(&names[0].replace(".js", "_bg.wasm")), "{script}");
        fs::remove_dir_all(&folder).unwrap();
    }
}

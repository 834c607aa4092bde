//! `setup`: finds what building and testing need, and gets what is missing.
//!
//! Needed are: the standard library for wasm32, trunk and wasm-bindgen in fixed versions, and for tests Chromium with its
//! driver, clippy and rustfmt. Each is got the ordinary way first (rustup, `cargo install`). Where rustup can fetch nothing but a Debian
//! package archive is reached, Debian's own recent toolchain compiles for wasm32 and its library is built from source.
//!
//! Invariant: what is there is proven by use, not by a note left earlier: "ready" means that a program was linked for wasm32 just
//! now. So a toolchain that was updated behind our back is noticed and its library built anew.
//! Invariant: nothing of the person's is replaced: another version of a tool stays, and ours goes into a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, io};

use anyhow::{Context as _, Result, bail};

use crate::child;

/// Must equal the version of the crate `wasm-bindgen` in Cargo.toml: the tool refuses any other.
const WASM_BINDGEN_VERSION: &str = "0.2.130";
/// The last trunk that the compiler named in Cargo.toml builds.
const TRUNK_VERSION: &str = "0.21.14";

const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// What has to be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Enough to build the page.
    Page,
    /// Enough to run every test.
    Tests,
}

/// Which compiler makes WebAssembly on this machine.
#[derive(Debug)]
enum Compiler {
    /// The one that compiles everything else.
    Default,
    /// The distribution's, under /usr; it brings no linker for wasm32.
    Debian { linker: PathBuf },
}

/// What was found, and how to start programs with it.
#[derive(Debug)]
pub(crate) struct Tools {
    compiler: Compiler,
    driver: Option<PathBuf>,
}

impl Tools {
    /// A command that may compile for wasm32.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = child::command(program);
        self.compiler.apply(&mut command);
        command.env("PATH", path_with_own_tools());
        command
    }

    /// chromedriver, when it was asked for.
    pub(crate) fn driver(&self) -> Result<&Path> {
        self.driver.as_deref().context("the tests' browser was not set up")
    }
}

impl Compiler {
    fn apply(&self, command: &mut Command) {
        if let Self::Debian { linker } = self {
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
            if child::found("rustup").is_some() {
                // rustup takes a path for a toolchain's name, so nothing has to be registered.
                command.env("RUSTUP_TOOLCHAIN", "/usr");
            } else {
                command.env("RUSTC", "/usr/bin/rustc");
            }
        }
    }

    /// Whether a program can be compiled and linked for wasm32 right now.
    fn links(&self) -> bool {
        let out = child::target_dir().join("xtask-probe");
        if fs::create_dir_all(&out).is_err() {
            return false;
        }
        let source = out.join("probe.rs");
        if fs::write(&source, "#[unsafe(no_mangle)] pub extern \"C\" fn probe() -> usize { vec![1; 2].len() }").is_err()
        {
            return false;
        }
        let mut command = match self {
            Self::Default => child::command("rustc"),
            Self::Debian { linker } => {
                let mut command = child::command("/usr/bin/rustc");
                command.arg(format!("-Clinker={}", linker.display()));
                command
            }
        };
        command.args(["--edition=2024", "--crate-type=cdylib", "--target", WASM_TARGET, "-o"]);
        command.arg(out.join("probe.wasm")).arg(&source);
        child::output(&mut command).is_some()
    }
}

/// The chore.
pub(crate) fn run() -> Result<()> {
    let start = Instant::now();
    setup(Need::Tests)?;
    println!("Everything that building and testing need is here ({}).", seconds(start.elapsed()));
    Ok(())
}

/// Finds or gets what is needed.
///
/// # Errors
/// With the command to run when something must be installed that this process may not install.
pub(crate) fn setup(need: Need) -> Result<Tools> {
    let compiler = wasm_compiler()?;
    // Without `--locked`: the lock file that this version ships names a crate version that was withdrawn.
    cargo_tool("wasm-bindgen", "wasm-bindgen-cli", WASM_BINDGEN_VERSION, &[], "2 to 4 minutes")?;
    cargo_tool("trunk", "trunk", TRUNK_VERSION, &["--locked"], "10 minutes")?;
    if need == Need::Page {
        return Ok(Tools { compiler, driver: None });
    }
    lint_tools(&compiler)?;
    let driver = browser()?;
    Ok(Tools { compiler, driver: Some(driver) })
}

/// Only what compiles for WebAssembly: enough for a tool module.
pub(crate) fn wasm_tools() -> Result<Tools> {
    Ok(Tools { compiler: wasm_compiler()?, driver: None })
}

fn wasm_compiler() -> Result<Compiler> {
    if Compiler::Default.links() {
        return Ok(Compiler::Default);
    }
    if let Some(compiler) = debian_compiler().filter(Compiler::links) {
        return Ok(compiler);
    }
    if child::found("rustup").is_some() {
        let got = step("the standard library for wasm32 (rustup target add)", "a few seconds", || {
            child::run(child::command("rustup").args(["target", "add", WASM_TARGET]))
        });
        match got {
            Ok(()) if Compiler::Default.links() => return Ok(Compiler::Default),
            Ok(()) => println!("  it was added, but a program for wasm32 still does not link"),
            Err(error) => println!("  {error:#}"),
        }
    }
    if child::found("apt-get").is_none() {
        bail!(
            "this Rust cannot compile for {WASM_TARGET}, and its library could not be fetched. Install it with `rustup target add \
             {WASM_TARGET}` (see https://rustup.rs), then run this again."
        );
    }
    println!("Going on with Debian's own compiler for wasm32; everything else is still built by yours.");
    install_debian_compiler()
}

/// Debian's compiler for the web, when it is installed: recognised by its linker, whose number is that of the compiler's LLVM.
fn debian_compiler() -> Option<Compiler> {
    let libraries = child::output(child::command("ldd").arg("/usr/bin/rustc"))?;
    let llvm = libraries.split("libLLVM.so.").nth(1).or_else(|| libraries.split("libLLVM-").nth(1))?;
    let number: String = llvm.chars().take_while(char::is_ascii_digit).collect();
    let linker = child::found(&format!("wasm-ld-{number}"))?;
    Some(Compiler::Debian { linker })
}

fn install_debian_compiler() -> Result<Compiler> {
    if debian_compiler().is_none() {
        apt_install(&["rustc-web", "cargo-web", "rust-web-src", "rust-web-clippy"], "20 seconds")?;
        let libraries = child::output(child::command("ldd").arg("/usr/bin/rustc")).unwrap_or_default();
        let llvm = libraries.split("libLLVM.so.").nth(1).context(
            "the compiler of the package rustc-web names no libLLVM.so, so the linker that fits it is not known. Install lld by hand.",
        )?;
        let number: String = llvm.chars().take_while(char::is_ascii_digit).collect();
        apt_install(&[&format!("lld-{number}")], "10 seconds")?;
    }
    let compiler = debian_compiler().context("Debian's compiler was installed, but not found under /usr/bin")?;
    if !compiler.links() {
        if !Path::new("/usr/lib/rustlib/src/rust/library").is_dir() {
            apt_install(&["rust-web-src"], "10 seconds")?;
        }
        step("the standard library for wasm32 (compiled from Debian's source)", "1 minute", build_std)?;
    }
    if !compiler.links() {
        bail!(
            "the standard library for {WASM_TARGET} was built, but a program does not link with it; see the messages above"
        );
    }
    Ok(compiler)
}

/// Compiles the standard library for wasm32 once and puts it where the compiler looks.
fn build_std() -> Result<()> {
    let folder = child::target_dir().join("xtask-std");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("Cargo.toml"), "[package]\nname = \"std-for-wasm\"\nedition = \"2021\"\n[workspace]\n")?;
    fs::write(folder.join("src/lib.rs"), "")?;
    let mut cargo = child::command("/usr/bin/cargo");
    cargo.current_dir(&folder).env_remove("CARGO_TARGET_DIR").env_remove("RUSTUP_TOOLCHAIN");
    // Bitcode, so that link-time optimisation reaches the library; `test`, so that tests link.
    cargo.env("RUSTC", "/usr/bin/rustc").env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Cembed-bitcode=yes");
    cargo.args(["build", "--release", "--target", WASM_TARGET, "-Zbuild-std=std,panic_abort,test", "--target-dir"]);
    cargo.arg(folder.join("target"));
    child::run(&mut cargo)?;
    let to = Path::new("/usr/lib/rustlib").join(WASM_TARGET).join("lib");
    let not_ours = || format!("{} cannot be written; run `cargo xtask setup` once as root", to.display());
    fs::create_dir_all(&to).with_context(not_ours)?;
    // An older compiler's files would make every name ambiguous.
    for old in rlibs(&to)? {
        fs::remove_file(&old).with_context(not_ours)?;
    }
    for new in rlibs(&folder.join("target").join(WASM_TARGET).join("release/deps"))? {
        let name = new.file_name().context("a library without a name")?;
        if !name.to_string_lossy().starts_with("libstd_for_wasm") {
            fs::copy(&new, to.join(name)).with_context(not_ours)?;
        }
    }
    let _ = fs::remove_dir_all(&folder);
    Ok(())
}

fn rlibs(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "rlib") {
            files.push(path);
        }
    }
    Ok(files)
}

/// Where tools go when another version of them is already on PATH.
fn own_tools() -> PathBuf {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    home.unwrap_or_else(child::target_dir).join("tapedeck-tools")
}

fn path_with_own_tools() -> std::ffi::OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(own_tools().join("bin")).chain(env::split_paths(&path));
    env::join_paths(folders).unwrap_or(path)
}

fn cargo_tool(program: &str, package: &str, version: &str, flags: &[&str], about: &str) -> Result<()> {
    let version_of = |program: &Path| child::output(child::command(program).arg("--version").env_remove("NO_COLOR"));
    let fits = |said: Option<String>| said.is_some_and(|said| said.split_whitespace().nth(1) == Some(version));
    let own = own_tools().join("bin").join(format!("{program}{}", env::consts::EXE_SUFFIX));
    let on_path = child::found(program);
    if on_path.as_deref().is_some_and(|path| fits(version_of(path))) || fits(version_of(&own)) {
        return Ok(());
    }
    step(&format!("{package} {version} (cargo install)"), about, || {
        let mut cargo = child::command("cargo");
        cargo.args(["install", package, "--version", version]).args(flags);
        if let Some(path) = &on_path {
            println!("  {} is another version and stays as it is", path.display());
            cargo.arg("--force").arg("--root").arg(own_tools());
        }
        // Tools belong to no build of this workspace, which may go to another place or be cleaned.
        cargo.current_dir(env::temp_dir()).env_remove("CARGO_TARGET_DIR");
        child::run(&mut cargo)
    })?;
    let now = child::found(program).map(|path| fits(version_of(&path))).unwrap_or(false) || fits(version_of(&own));
    if !now {
        bail!("{package} {version} was installed, but `{program}` is not found; is cargo's bin folder on your PATH?");
    }
    Ok(())
}

/// clippy and rustfmt for this workspace's compiler, and clippy for the one that makes WebAssembly.
fn lint_tools(compiler: &Compiler) -> Result<()> {
    for (program, component) in [("clippy", "clippy"), ("fmt", "rustfmt")] {
        if child::output(child::command("cargo").args([program, "--version"])).is_none() {
            step(&format!("{component} (rustup component add)"), "a few seconds", || {
                child::run(child::command("rustup").args(["component", "add", component]))
            })?;
        }
    }
    if matches!(compiler, Compiler::Debian { .. }) && !Path::new("/usr/bin/clippy-driver").exists() {
        apt_install(&["rust-web-clippy"], "10 seconds")?;
    }
    Ok(())
}

/// Finds Chromium or Chrome and its driver, and returns the driver.
fn browser() -> Result<PathBuf> {
    let browsers = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let found_browser = || {
        let mac = Path::new("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
        browsers.iter().find_map(|program| child::found(program)).or_else(|| mac.exists().then(|| mac.to_path_buf()))
    };
    let given = env::var_os("CHROMEDRIVER").map(PathBuf::from).filter(|path| path.is_file());
    let found_driver = || given.clone().or_else(|| child::found("chromedriver"));
    if found_browser().is_none() || found_driver().is_none() {
        if child::found("apt-get").is_none() {
            bail!(
                "the tests need Chrome or Chromium and the chromedriver of the same version on PATH. Install both (for example \
                 from https://googlechromelabs.github.io/chrome-for-testing/), then run this again."
            );
        }
        apt_install(&["chromium", "chromium-driver"], "30 seconds")?;
    }
    found_browser().context("Chromium was installed, but is not found on PATH")?;
    found_driver().context("chromedriver was installed, but is not found on PATH")
}

fn apt_install(packages: &[&str], about: &str) -> Result<()> {
    let list = packages.join(" ");
    let by_hand = format!("apt-get update && apt-get install -y --no-install-recommends {list}");
    let is_root = child::output(child::command("id").arg("-u")).as_deref() == Some("0");
    if !is_root {
        bail!(
            "{list} must be installed, and this process may not do it. Run `sudo sh -c '{by_hand}'`, then run this again."
        );
    }
    step(&format!("{list} (apt-get install)"), about, || {
        let apt = |arguments: &[&str]| {
            child::run(
                child::command("apt-get")
                    .args(["-q", "-y"])
                    .args(arguments)
                    .env("DEBIAN_FRONTEND", "noninteractive")
                    .stdout(Stdio::null()),
            )
        };
        // A list that cannot be renewed may still be good enough; the installation tells.
        if let Err(error) = apt(&["update"]) {
            println!("  {error:#}; going on with the old package lists");
        }
        apt(&[&["install", "--no-install-recommends"], packages].concat())
            .with_context(|| format!("{list} could not be installed. By hand: `{by_hand}`"))
    })
}

/// Says what is being got, gets it, and says how long it took.
fn step(what: &str, about: &str, get: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("Getting {what}, about {about} …");
    let start = Instant::now();
    get()?;
    println!("  done in {}", seconds(start.elapsed()));
    Ok(())
}

/// A duration for people: "12 s" or "2 min 5 s".
pub(crate) fn seconds(duration: Duration) -> String {
    match duration.as_secs() {
        0 => format!("{} ms", duration.as_millis()),
        seconds @ 1..60 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

//! `serve`: builds the page and serves it on this machine.

use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::Args;
use xtask::files::Server;

use crate::setup::{Need, seconds, setup};
use crate::{build, child};

/// The port that is tried first.
const PORT: u16 = 8080;

/// How to build and where to serve.
#[derive(Args)]
pub(crate) struct Options {
    /// Build without link-time optimisation: quicker to build, slower to run
    #[arg(long)]
    quick: bool,
    /// Rebuild and reload when a source file is saved
    #[arg(long)]
    watch: bool,
    /// The port; when it is taken, any free one
    #[arg(long, default_value_t = PORT)]
    port: u16,
}

/// The chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let tools = setup(Need::Page)?;
    if options.watch {
        let mut trunk = tools.command("trunk");
        trunk.args(["serve", "--port", &options.port.to_string()]).env("TRUNK_SKIP_VERSION_CHECK", "true");
        return child::run(&mut trunk);
    }
    println!("Building the page (1 to 3 minutes the first time) …");
    let start = Instant::now();
    let dist = build::page(&tools, options.quick)?;
    println!("Built in {}.", seconds(start.elapsed()));
    let server = Server::bind(options.port, &dist, "/")
        .or_else(|_| Server::bind(0, &dist, "/"))
        .context("no port of this machine can be listened on")?;
    println!("\nTapedeck is at {}   (Ctrl+C ends it)", server.url()?);
    server.run();
    Ok(())
}

//! The tools worker: runs tools, its own and those of modules that the user brought, and nothing else.
fn main() {
    #[cfg(target_arch = "wasm32")]
    tapedeck::tools::main();
}

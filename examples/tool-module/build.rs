//! Gives the module's memory the maximum that Tapedeck asks for: 64 MiB here.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("wasm32") {
        println!("cargo::rustc-link-arg-cdylib=--max-memory=67108864");
    }
}

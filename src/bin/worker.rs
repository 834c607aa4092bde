//! The reader worker: owns the bytes of a recording and its index.
fn main() {
    #[cfg(target_arch = "wasm32")]
    tapedeck::reader::main();
}

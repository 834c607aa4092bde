//! What needs web-sys and knows no Yew: files, canvas, clipboard, the bridge to the worker.

//! The pure tools that ship with Tapedeck, and their registry.

//! mixle execution traces.

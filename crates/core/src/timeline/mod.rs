//! The timeline without a browser: scale, slices, layout, hit test, painting through a trait.

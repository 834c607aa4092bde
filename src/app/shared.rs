//! [`Shared`]: a value that components pass on by reference count.
//!
//! Invariant: two handles are equal only when they are the same allocation, so comparing props costs a pointer comparison
//! however large the answer is. A new answer is a new allocation, hence never taken for the old one.

use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

/// A reference-counted value that is compared by identity.
pub struct Shared<T: ?Sized>(Rc<T>);

impl<T> Shared<T> {
    /// Takes a value over.
    pub fn new(value: T) -> Self {
        Self(Rc::new(value))
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T: ?Sized> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: fmt::Debug + ?Sized> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

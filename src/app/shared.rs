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

/// One row of a shared answer. Two are equal when their rows are, whichever answers they are of: a row that is the same in the
/// next answer need not be drawn again.
pub struct Row<T: 'static, R: 'static> {
    of: Shared<T>,
    at: usize,
    rows: fn(&T) -> &[R],
}

impl<T, R> Row<T, R> {
    /// Row `at` of what `rows` finds in an answer.
    pub fn new(of: Shared<T>, at: usize, rows: fn(&T) -> &[R]) -> Self {
        Self { of, at, rows }
    }

    /// The row.
    pub fn get(&self) -> Option<&R> {
        (self.rows)(&self.of).get(self.at)
    }
}

impl<T, R> Clone for Row<T, R> {
    fn clone(&self) -> Self {
        Self { of: self.of.clone(), at: self.at, rows: self.rows }
    }
}

impl<T, R: PartialEq> PartialEq for Row<T, R> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_compared_by_identity_and_rows_by_content() {
        let (one, other) = (Shared::new(vec![1, 2]), Shared::new(vec![1, 3]));
        assert!(one == one.clone() && one != Shared::new(vec![1, 2]));
        let row = |of: &Shared<Vec<i32>>, at| Row::new(of.clone(), at, |rows| rows.as_slice());
        assert!(row(&one, 0) == row(&other, 0));
        assert!(row(&one, 1) != row(&other, 1));
    }
}

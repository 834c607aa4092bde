//! How requests and answers pass through the module's memory, without a raw pointer being read.
//!
//! Invariant: a request is read only out of a buffer that `alloc` made and still holds; an answer stays until the next one.

use std::cell::RefCell;

thread_local! {
    /// Buffers that the host was given and has not handed back yet.
    static GIVEN: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
    /// The last answer.
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The address of a buffer in the memory of 32 bits.
fn address(buffer: &[u8]) -> i32 {
    buffer.as_ptr().addr() as u32 as i32
}

/// `tapedeck_alloc`: room for a request of `len` bytes.
pub fn alloc(len: i32) -> i32 {
    let buffer = vec![0; len.cast_unsigned() as usize];
    let at = address(&buffer);
    GIVEN.with_borrow_mut(|given| given.push(buffer));
    at
}

/// The request that the host wrote at `ptr`; empty when no buffer of that address and size was given.
pub fn take(ptr: i32, len: i32) -> Vec<u8> {
    GIVEN.with_borrow_mut(|given| {
        let len = len.cast_unsigned() as usize;
        let at = given.iter().position(|buffer| address(buffer) == ptr && buffer.len() >= len);
        let mut buffer = at.map(|at| given.swap_remove(at)).unwrap_or_default();
        buffer.truncate(len);
        // The host wrote into the buffer behind the compiler's back.
        std::hint::black_box(&mut buffer);
        buffer
    })
}

/// Keeps an answer and says where it lies: address in the high half, length in the low half.
pub fn give(answer: String) -> i64 {
    ANSWER.with_borrow_mut(|kept| {
        *kept = answer.into_bytes();
        let (at, len) = (address(kept).cast_unsigned(), kept.len() as u32);
        ((u64::from(at) << 32) | u64::from(len)).cast_signed()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_given_buffers_are_taken() {
        let at = alloc(8);
        assert_eq!(take(at.wrapping_add(1), 8), [0; 0]);
        assert_eq!(take(at, 9), [0; 0]);
        assert_eq!(take(at, 5), [0; 5]);
        assert_eq!(take(at, 5), [0; 0]);
    }

    #[test]
    fn an_answer_says_where_it_lies() {
        assert_eq!(give("twelve bytes".to_owned()) & 0xFFFF_FFFF, 12);
    }
}

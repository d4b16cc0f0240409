//! The arguments of the caller, checked.

use std::ffi::c_char;
use std::marker::PhantomData;
use std::slice;

use robotsieve::{Answer, AsUrl};

use crate::failure::{Failure, Status};

/// Bytes that lie elsewhere.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Slice {
    /// The first byte. May be NULL if there are none. No NUL is needed at the end.
    pub data: *const c_char,
    /// The number of bytes.
    pub len: usize,
}

impl Slice {
    pub fn of(bytes: &[u8]) -> Slice {
        Slice { data: bytes.as_ptr().cast(), len: bytes.len() }
    }
}

pub fn null(what: &str) -> Failure {
    Failure::new(Status::NullPointer, format!("{what} is NULL"))
}

pub fn wrong(message: String) -> Failure {
    Failure::new(Status::Argument, message)
}

/// Checks that there can be memory for so many elements.
#[inline]
fn check<T>(data: *const T, count: usize, what: &str) -> Result<(), Failure> {
    if data.is_null() {
        return Err(null(what));
    }
    let end = count
        .checked_mul(size_of::<T>())
        .filter(|bytes| *bytes <= isize::MAX as usize)
        .and_then(|bytes| data.addr().checked_add(bytes));
    let is_there = end.is_some_and(|end| end <= memory_end());
    if !is_there {
        return Err(wrong(format!("{what} ends beyond the memory: its length is {count}")));
    }
    if !data.is_aligned() {
        return Err(wrong(format!("{what} must have an address that {} divides", align_of::<T>())));
    }
    Ok(())
}

/// The address behind the last one that there may be.
#[inline(always)]
fn memory_end() -> usize {
    #[cfg(target_family = "wasm")]
    return core::arch::wasm32::memory_size::<0>().saturating_mul(1 << 16);
    #[cfg(not(target_family = "wasm"))]
    usize::MAX
}

/// Bytes of the caller.
///
/// # Safety
/// `data` is NULL or leads to `len` bytes, which stay as they are for `'a`.
#[inline(always)]
pub unsafe fn bytes<'a>(data: *const c_char, len: usize, what: &str) -> Result<&'a [u8], Failure> {
    if len == 0 {
        return Ok(&[]);
    }
    let data = data.cast::<u8>();
    check(data, len, what)?;
    // SAFETY: it is not NULL, the length is one that memory can have, and the caller promises that the
    // bytes are there.
    Ok(unsafe { slice::from_raw_parts(data, len) })
}

/// An array of the caller.
///
/// # Safety
/// `data` is NULL or leads to `count` elements, which stay as they are for `'a`.
pub unsafe fn array<'a, T: Copy>(
    data: *const T,
    count: usize,
    what: &str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check(data, count, what)?;
    // SAFETY: as for `bytes`, and it is aligned.
    Ok(unsafe { slice::from_raw_parts(data, count) })
}

/// A handle of the caller.
///
/// # Safety
/// `handle` is NULL or leads to a `T` that is not freed within `'a`.
#[inline(always)]
pub unsafe fn handle<'a, T>(handle: *const T, what: &str) -> Result<&'a T, Failure> {
    check(handle, 1, what)?;
    // SAFETY: it is neither NULL nor badly aligned, and the caller promises the rest.
    Ok(unsafe { &*handle })
}

/// Writes to memory of the caller, unless it is NULL.
///
/// # Safety
/// `to` is NULL or leads to memory for a `T`.
pub unsafe fn put<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: the caller's promise; nothing is asked of the alignment.
        unsafe { to.write_unaligned(value) };
    }
}

/// Frees a handle.
///
/// # Safety
/// `handle` is NULL, or comes from `Box::into_raw` and is used no more.
pub unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// A URL in an array of the caller: it was checked.
#[repr(transparent)]
pub struct Url<'u>(Slice, PhantomData<&'u [u8]>);

impl AsUrl for Url<'_> {
    #[inline]
    fn as_url(&self) -> &[u8] {
        if self.0.len == 0 {
            return &[];
        }
        // SAFETY: only `urls` makes them, and has checked each.
        unsafe { slice::from_raw_parts(self.0.data.cast(), self.0.len) }
    }
}

/// URLs of the caller.
///
/// # Safety
/// `urls` is NULL or leads to `count` slices, each of which is empty or leads to its bytes. All stay as
/// they are for `'a`.
pub unsafe fn urls<'a>(urls: *const Slice, count: usize) -> Result<&'a [Url<'a>], Failure> {
    // SAFETY: the caller's promise.
    let slices = unsafe { array(urls, count, "urls") }?;
    for (number, slice) in slices.iter().enumerate() {
        if slice.len > 0 && check(slice.data.cast::<u8>(), slice.len, "").is_err() {
            let fault = if slice.data.is_null() { "is NULL" } else { "ends beyond the memory" };
            return Err(wrong(format!("URL {number} {fault}: its length is {}", slice.len)));
        }
    }
    // SAFETY: `Url` is a `Slice` and nothing else, and each was checked.
    Ok(unsafe { slice::from_raw_parts(slices.as_ptr().cast(), slices.len()) })
}

/// The place for the answers on these URLs and so many crawlers, all unknown at first.
///
/// # Safety
/// `answers` is NULL or leads to `len` bytes that no other thread uses within `'a`.
pub unsafe fn answers<'a>(
    answers: *mut u8,
    len: usize,
    urls: &[Url<'_>],
    crawlers: usize,
) -> Result<&'a mut [Answer], Failure> {
    let count = urls.len();
    if count.checked_mul(crawlers) != Some(len) {
        return Err(wrong(format!(
            "{count} URLs and {crawlers} crawlers have {} answers, but there is room for {len}",
            count as u128 * crawlers as u128
        )));
    }
    if len == 0 {
        return Ok(&mut []);
    }
    check(answers, len, "answers")?;
    let (from, end) = (answers.addr(), answers.addr() + len);
    let is_within = |at: usize, len: usize| at < end && from < at + len;
    if is_within(urls.as_ptr().addr(), size_of_val(urls)) {
        return Err(wrong("the answers lie in the array of the URLs".to_owned()));
    }
    if let Some(number) = urls.iter().position(|url| is_within(url.0.data.addr(), url.0.len)) {
        return Err(wrong(format!("the answers lie in the bytes of URL {number}")));
    }
    // SAFETY: the caller's promise, and they are apart from what is read. Each byte is an `Answer` once
    // it is written.
    unsafe {
        answers.write_bytes(Answer::Unknown as u8, len);
        Ok(slice::from_raw_parts_mut(answers.cast(), len))
    }
}

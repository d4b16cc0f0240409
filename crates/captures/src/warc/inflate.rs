//! Whole gzip members at once, with libdeflate, which takes half the time of an inflater that can stop
//! anywhere.
//!
//! The crate `libdeflater` would do without unsafe code, but does not tell where a member ends.

#![expect(unsafe_code, reason = "calls libdeflate, a C library: see each block")]

use std::io;
use std::ptr::NonNull;

use libdeflate_sys::{
    libdeflate_alloc_decompressor, libdeflate_decompressor, libdeflate_free_decompressor,
    libdeflate_gzip_decompress_ex, libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE as NO_ROOM,
    libdeflate_result_LIBDEFLATE_SUCCESS as SUCCESS,
};

/// An inflater of whole gzip members.
pub struct Inflater(NonNull<libdeflate_decompressor>);

/// What became of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inflated {
    /// It has so many bytes, and became so many.
    Whole(usize, usize),
    /// It becomes more than there is room for.
    NoRoom,
    /// It is not all there, or damaged.
    No,
}

// SAFETY: libdeflate keeps nothing of a decompressor elsewhere, in no thread either.
unsafe impl Send for Inflater {}

impl Inflater {
    /// # Errors
    /// Returns an error if memory is short.
    pub fn new() -> io::Result<Inflater> {
        // SAFETY: it has no preconditions.
        let made = unsafe { libdeflate_alloc_decompressor() };
        NonNull::new(made).map(Inflater).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Inflates the member with which `input` begins, and compares it with its checksum. Of `room` no
    /// bytes beyond the result are of any use afterwards.
    pub fn inflate(&mut self, input: &[u8], room: &mut [u8]) -> Inflated {
        let (mut taken, mut given) = (0, 0);
        // SAFETY: the decompressor is alive, and only this call uses it, as `&mut self` says. The
        // slices are valid for their lengths, `room` for writing and initialised; they do not overlap.
        let result = unsafe {
            libdeflate_gzip_decompress_ex(
                self.0.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                room.as_mut_ptr().cast(),
                room.len(),
                &raw mut taken,
                &raw mut given,
            )
        };
        match result {
            SUCCESS => Inflated::Whole(taken, given),
            NO_ROOM => Inflated::NoRoom,
            _ => Inflated::No,
        }
    }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: it was allocated by libdeflate, and is freed once.
        unsafe { libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn members_are_inflated_one_by_one() {
        let member = |text: &[u8]| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        };
        let text = b"User-agent: *\nDisallow: /x\n".repeat(9);
        let one = member(&text);
        let two = [&one[..], &member(b"")].concat();
        let mut inflater = Inflater::new().unwrap();
        let mut room = vec![7; text.len()];
        let mut inflate = |input: &[u8], len: usize| inflater.inflate(input, &mut room[..len]);
        let len = text.len();
        assert_eq!(inflate(&two, len), Inflated::Whole(one.len(), len));
        assert_eq!(inflate(&two[one.len()..], 0), Inflated::Whole(two.len() - one.len(), 0));
        assert_eq!(inflate(&two, len - 1), Inflated::NoRoom);
        for cut in 0..one.len() {
            assert_eq!(inflate(&one[..cut], len), Inflated::No, "{cut}");
        }
        let mut wrong = one.clone();
        for at in wrong.len() - 8..wrong.len() {
            wrong[at] ^= 1;
            assert_eq!(inflate(&wrong, len), Inflated::No);
            wrong[at] ^= 1;
        }
        assert_eq!(inflate(&wrong, len), Inflated::Whole(one.len(), len));
        assert_eq!(room, text);
    }
}

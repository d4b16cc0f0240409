//! Numbers and texts in the bodies of records.

use super::format::u32_at;

/// The rest of some bytes, which are taken from the front.
pub struct Take<'o>(pub &'o [u8]);

impl<'o> Take<'o> {
    pub fn take(&mut self, len: usize) -> Option<&'o [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    pub fn number(&mut self) -> Option<u32> {
        u32_at(self.take(4)?, 0)
    }

    /// A length, and as many bytes.
    pub fn text(&mut self) -> Option<&'o [u8]> {
        let len = self.number()?;
        self.take(len as usize)
    }
}

/// A length of something that follows, or a number of things that follow. If it does not fit, the
/// body does not either, and [`Writer::put`](super::Writer::put) refuses it.
pub fn put_len(body: &mut Vec<u8>, len: usize) {
    body.extend(u32::try_from(len).unwrap_or(u32::MAX).to_le_bytes());
}

//! A place in a stream of bytes, with what comes next in one piece.

use std::io;

use memchr::memmem::Finder;

use super::source::WarcInput;

/// Where bytes come from.
pub trait Feed {
    /// Appends some bytes. Returns false at the end.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read or decoded.
    fn more(&mut self, bytes: &mut Buffer) -> io::Result<bool>;

    /// Goes on without bytes, if they need not be read for that. Returns how many.
    fn jump(&mut self, _len: u64) -> u64 {
        0
    }
}

/// Bytes with room behind them. The room is filled with zeros once, not each time it is used.
#[derive(Default)]
pub struct Buffer {
    memory: Vec<u8>,
    /// Where the room begins.
    len: usize,
}

impl Buffer {
    pub fn bytes(&self) -> &[u8] {
        &self.memory[..self.len]
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// The bytes that it takes, with its room.
    pub fn memory_bytes(&self) -> usize {
        self.memory.capacity()
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// All room, at least for so many bytes. What is written to its beginning counts once
    /// [`Buffer::add`] is called.
    pub fn room(&mut self, len: usize) -> &mut [u8] {
        let needed = self.len + len;
        if self.memory.len() < needed {
            self.memory.reserve_exact(needed - self.memory.len());
            self.memory.resize(needed, 0);
        }
        &mut self.memory[self.len..]
    }

    /// Takes the first bytes of the room.
    pub fn add(&mut self, len: usize) {
        self.len += len;
        debug_assert!(self.len <= self.memory.len());
    }

    /// Drops the first bytes.
    fn drop_first(&mut self, len: usize) {
        self.memory.copy_within(len..self.len, 0);
        self.len -= len;
    }
}

/// A place in a stream of bytes.
pub struct Cursor<F> {
    pub feed: F,
    bytes: Buffer,
    /// What comes before it was read.
    start: usize,
}

impl<F: Feed> Cursor<F> {
    /// A cursor at the beginning of these bytes, behind which come those of the feed.
    pub fn new(feed: F, bytes: Buffer) -> Cursor<F> {
        Cursor { feed, bytes, start: 0 }
    }

    pub fn into_buffer(self) -> Buffer {
        self.bytes
    }

    /// The bytes in memory of what comes next.
    pub fn rest(&self) -> &[u8] {
        &self.bytes.bytes()[self.start..]
    }

    /// Reads more. Returns false at the end.
    pub fn more(&mut self) -> io::Result<bool> {
        // What was read is dropped once it is not less than what is moved for that.
        if self.start >= self.rest().len() {
            self.bytes.drop_first(self.start);
            self.start = 0;
        }
        self.feed.more(&mut self.bytes)
    }

    /// Reads until there are so many bytes in [`Cursor::rest`]. Returns false if there are fewer.
    pub fn ensure(&mut self, len: usize) -> io::Result<bool> {
        while self.rest().len() < len {
            if !self.more()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub fn is_over(&mut self) -> io::Result<bool> {
        Ok(!self.ensure(1)?)
    }

    /// Goes beyond bytes of [`Cursor::rest`].
    pub fn advance(&mut self, len: usize) {
        self.start += len;
        debug_assert!(self.start <= self.bytes.len());
    }

    /// Goes on without keeping what it reads. Returns false if there are fewer bytes.
    pub fn skip(&mut self, mut len: u64) -> io::Result<bool> {
        loop {
            let held = usize::try_from(len).unwrap_or(usize::MAX).min(self.rest().len());
            self.advance(held);
            len -= held as u64;
            if len == 0 {
                return Ok(true);
            }
            len -= self.feed.jump(len);
            if len > 0 && !self.more()? {
                return Ok(false);
            }
        }
    }
}

/// Reads a source from some place on.
pub struct InputFeed<'s> {
    source: &'s WarcInput,
    at: u64,
    /// Others still need what comes before this place, and nothing beyond the second is read.
    bounds: Bounds,
}

/// The most of a stream that may be held in memory for one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// Nothing is read beyond this place: it is not certain that anybody wants it.
    Until(u64),
    /// What lies far behind is released. Nobody else needs it.
    Release,
}

/// The most bytes back in a stream in which damage can be searched.
pub const KEPT_BYTES: u64 = 16 << 20;
const READ_BYTES: usize = 1 << 16;

impl<'s> InputFeed<'s> {
    pub fn new(source: &'s WarcInput, at: u64, bounds: Bounds) -> InputFeed<'s> {
        InputFeed { source, at, bounds }
    }
}

impl Feed for InputFeed<'_> {
    fn more(&mut self, bytes: &mut Buffer) -> io::Result<bool> {
        match self.bounds {
            Bounds::Until(end) if end <= self.at => {
                return Err(io::Error::new(io::ErrorKind::Interrupted, "nobody may want it"));
            }
            Bounds::Release => self.source.release(self.at.saturating_sub(KEPT_BYTES)),
            Bounds::Until(_) => {}
        }
        let read = self.source.read_at(self.at, &mut bytes.room(READ_BYTES)[..READ_BYTES])?;
        bytes.add(read);
        self.at += read as u64;
        Ok(read > 0)
    }

    fn jump(&mut self, len: u64) -> u64 {
        // The last byte is read, so that a file that is too short is found out.
        let left = self.source.len().map_or(0, |end| end.saturating_sub(self.at));
        let jumped = len.min(left).saturating_sub(1);
        self.at += jumped;
        jumped
    }
}

impl Cursor<InputFeed<'_>> {
    /// The place of the next byte in the source.
    pub fn place(&self) -> u64 {
        self.feed.at - self.rest().len() as u64
    }

    /// Goes to the next place before `until` where these bytes stand. Returns whether there is
    /// one; if not, it is at `until` or at the end.
    pub fn find(&mut self, finder: &Finder<'_>, until: u64) -> io::Result<bool> {
        loop {
            if let Some(at) = finder.find(self.rest()) {
                self.advance(at);
                return Ok(self.place() < until);
            }
            // They may stand at the edge.
            let len = self.rest().len();
            self.advance(len.saturating_sub(finder.needle().len() - 1));
            if self.place() >= until {
                return Ok(false);
            }
            if !self.more()? {
                self.advance(self.rest().len());
                return Ok(false);
            }
        }
    }

    /// Goes to another place.
    pub fn go_to(&mut self, place: u64) {
        let held = self.feed.at - self.bytes.len() as u64;
        match place.checked_sub(held).map(usize::try_from) {
            Some(Ok(start)) if start <= self.bytes.len() => self.start = start,
            _ => {
                self.bytes.clear();
                self.start = 0;
                self.feed.at = place;
            }
        }
    }
}

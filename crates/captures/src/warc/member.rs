//! Compressed files: gzip members and zstd frames, each of which stands for itself.
//!
//! Nearly all are small and lie in memory as a whole. Such a gzip member is inflated at once, by
//! libdeflate; zstd does so by itself if there is room for what a frame says it becomes. All others,
//! and those that libdeflate refuses, are decoded as a stream, which also tells what is wrong.

use std::io;

use flate2::{Crc, Decompress, FlushDecompress, Status};
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use super::codec::{Codec, GZIP, SKIPPED, ZSTD};
use super::cursor::{Buffer, Cursor, Feed, InputFeed};
use super::form::damage;
use super::inflate::{Inflated, Inflater};

/// How many bytes the head of a gzip member may have.
const MAX_HEAD_BYTES: usize = 1 << 16;
/// How much is decoded at a time, at least: of nearly all captures all.
const DECODED_BYTES: usize = 1 << 16;
/// What becomes more is decoded as a stream.
const MAX_WHOLE_BYTES: usize = 1 << 20;
/// How much is decoded to see whether a member begins like a record.
const BEGINNING_BYTES: usize = 1 << 10;

/// The decoders, kept from member to member.
pub struct Decode {
    with: With,
    /// Memory for [`find`].
    beginning: Buffer,
}

enum With {
    Gzip(Inflater, Box<Decompress>),
    Zstd(Box<Decoder<'static>>),
}

impl Decode {
    /// # Errors
    /// Returns an error if the dictionary is invalid or memory is short.
    pub fn new(codec: &Codec) -> io::Result<Decode> {
        let with = match codec {
            Codec::Gzip => With::Gzip(Inflater::new()?, Box::new(Decompress::new(false))),
            Codec::Zstd(dictionary) => {
                let dictionary = dictionary.as_deref().unwrap_or_default();
                With::Zstd(Box::new(Decoder::with_dictionary(dictionary)?))
            }
        };
        Ok(Decode { with, beginning: Buffer::default() })
    }
}

/// One member. What was decoded is compared with the checksum at its end.
pub struct Member<'m, 's> {
    input: &'m mut Cursor<InputFeed<'s>>,
    with: &'m mut With,
    /// How much is decoded at a time, at least.
    least: usize,
    crc: Crc,
    is_over: bool,
}

impl<'m, 's> Member<'m, 's> {
    /// The member that begins here. Returns `None` for what has no content. `text` has what of it is
    /// already decoded.
    ///
    /// # Errors
    /// Returns an error if none begins here, or the input cannot be read.
    pub fn begin(
        input: &'m mut Cursor<InputFeed<'s>>,
        decode: &'m mut Decode,
        text: &mut Buffer,
    ) -> io::Result<Option<Member<'m, 's>>> {
        text.clear();
        let Some(len) = head(input, &decode.with)? else { return Ok(None) };
        if let With::Gzip(inflater, _) = &mut decode.with
            && let Some(len) = inflate(inflater, input.rest(), text)
        {
            input.advance(len);
            let with = &mut decode.with;
            let member =
                Member { input, with, least: DECODED_BYTES, crc: Crc::new(), is_over: true };
            return Ok(Some(member));
        }
        input.advance(len);
        Member::stream(input, &mut decode.with, DECODED_BYTES).map(Some)
    }

    /// The member whose head was read, to be decoded bit by bit.
    fn stream(
        input: &'m mut Cursor<InputFeed<'s>>,
        with: &'m mut With,
        least: usize,
    ) -> io::Result<Member<'m, 's>> {
        match with {
            With::Gzip(_, decoder) => decoder.reset(false),
            With::Zstd(decoder) => decoder.reinit()?,
        }
        Ok(Member { input, with, least, crc: Crc::new(), is_over: false })
    }
}

/// Inflates a whole member. Returns its length; `None` if it has to be decoded as a stream.
fn inflate(inflater: &mut Inflater, input: &[u8], text: &mut Buffer) -> Option<usize> {
    let mut least = DECODED_BYTES;
    loop {
        let room = text.room(least);
        match inflater.inflate(input, room) {
            Inflated::Whole(taken, given) => {
                text.add(given);
                return Some(taken);
            }
            // The room stays as large, so this is not repeated for each member.
            Inflated::NoRoom if room.len() < MAX_WHOLE_BYTES => least = room.len() * 4,
            Inflated::NoRoom | Inflated::No => return None,
        }
    }
}

/// The length of the head of the member that begins here, as far as it comes before what the decoder
/// takes. Returns `None` for what has no content, and goes beyond it.
fn head(input: &mut Cursor<InputFeed<'_>>, with: &With) -> io::Result<Option<usize>> {
    let none = || damage("no member begins here");
    if let With::Gzip(..) = with {
        return gzip_head(input)?.ok_or_else(none).map(Some);
    }
    input.ensure(8)?;
    let rest = input.rest();
    if rest.len() >= 8 && rest[0] >> 4 == 5 && rest[1..4] == SKIPPED {
        let len = u32::from_le_bytes([rest[4], rest[5], rest[6], rest[7]]);
        input.advance(8);
        return match input.skip(len.into())? {
            true => Ok(None),
            false => Err(damage("the frame has no end")),
        };
    }
    match rest.starts_with(ZSTD) {
        true => Ok(Some(0)),
        false => Err(none()),
    }
}

impl Feed for Member<'_, '_> {
    fn more(&mut self, bytes: &mut Buffer) -> io::Result<bool> {
        if self.is_over {
            return Ok(false);
        }
        let before = bytes.len();
        // Half as much again each time, so that a long record is not copied again and again.
        let least = self.least.max(before / 2);
        while bytes.len() == before && !self.is_over {
            if self.input.is_over()? {
                return Err(damage("the file ends within a member"));
            }
            let input = self.input.rest();
            let room = &mut bytes.room(least)[..least];
            let (read, written, is_over) = match &mut *self.with {
                With::Gzip(_, decoder) => {
                    let start = [decoder.total_in(), decoder.total_out()];
                    let status = decoder
                        .decompress(input, room, FlushDecompress::None)
                        .map_err(|_| damage("the member is damaged"))?;
                    let read = (decoder.total_in() - start[0]) as usize;
                    let written = (decoder.total_out() - start[1]) as usize;
                    if status == Status::BufError && read == 0 && written == 0 {
                        return Err(damage("the member is damaged"));
                    }
                    (read, written, status == Status::StreamEnd)
                }
                With::Zstd(decoder) => {
                    let mut from = InBuffer::around(input);
                    let mut to = OutBuffer::around(room);
                    let left = decoder
                        .run(&mut from, &mut to)
                        .map_err(|_| damage("the frame is damaged"))?;
                    (from.pos(), to.pos(), left == 0)
                }
            };
            bytes.add(written);
            self.input.advance(read);
            self.is_over = is_over;
        }
        if let With::Gzip(..) = self.with {
            self.crc.update(&bytes.bytes()[before..]);
            if self.is_over {
                if !self.input.ensure(8)? {
                    return Err(damage("the file ends within a member"));
                }
                let (sum, len) = (self.crc.sum().to_le_bytes(), self.crc.amount().to_le_bytes());
                let is_whole = self.input.rest()[..4] == sum && self.input.rest()[4..8] == len;
                self.input.advance(8);
                if !is_whole {
                    return Err(damage("the member does not agree with its checksum"));
                }
            }
        }
        Ok(bytes.len() > before)
    }
}

/// The length of the head of a gzip member (RFC 1952), if one stands here.
fn gzip_head(input: &mut Cursor<InputFeed<'_>>) -> io::Result<Option<usize>> {
    let mut wanted = 10;
    loop {
        let is_all = !input.ensure(wanted)?;
        match gzip_head_of(input.rest()) {
            Some(len) => return Ok(len),
            None if is_all || wanted > MAX_HEAD_BYTES => return Ok(None),
            None => wanted = input.rest().len() + 1,
        }
    }
}

/// The length of the head that stands here; `Some(None)` if there is none, and `None` if more bytes
/// are needed.
fn gzip_head_of(bytes: &[u8]) -> Option<Option<usize>> {
    let len = bytes.len().min(GZIP.len());
    if bytes[..len] != GZIP[..len] {
        return Some(None);
    }
    let flags = *bytes.get(3)?;
    if flags & 0xe0 != 0 {
        return Some(None);
    }
    let mut at = 10;
    if flags & 4 != 0 {
        let len = u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]);
        at += 2 + usize::from(len);
    }
    for text in [8, 16] {
        if flags & text != 0 {
            at += memchr::memchr(0, bytes.get(at..)?)? + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    (at <= bytes.len()).then_some(Some(at))
}

/// Goes to the next member before `until` whose text begins with `begins`, like a record. Returns whether there is
/// one; if not, it is at `until` or at the end.
///
/// # Errors
/// Returns an error if the input cannot be read.
pub fn find(
    input: &mut Cursor<InputFeed<'_>>,
    codec: &Codec,
    begins: &[u8],
    decode: &mut Decode,
    until: u64,
) -> io::Result<bool> {
    let finder = memchr::memmem::Finder::new(codec.magic());
    while input.find(&finder, until)? {
        let place = input.place();
        if begins_like_a_record(input, begins, decode)? {
            input.go_to(place);
            return Ok(true);
        }
        input.go_to(place + 1);
    }
    Ok(false)
}

fn begins_like_a_record(
    input: &mut Cursor<InputFeed<'_>>,
    with_what: &[u8],
    decode: &mut Decode,
) -> io::Result<bool> {
    let Decode { with, beginning } = decode;
    let member = match head(input, with) {
        Ok(Some(len)) => {
            input.advance(len);
            Member::stream(input, with, BEGINNING_BYTES).map(Some)
        }
        Ok(None) => Ok(None),
        Err(cause) => Err(cause),
    };
    let begins = match member {
        Ok(Some(member)) => {
            beginning.clear();
            let mut text = Cursor::new(member, std::mem::take(beginning));
            let begins = text.ensure(with_what.len()).map(|_| text.rest().starts_with(with_what));
            *beginning = text.into_buffer();
            begins
        }
        Ok(None) => Ok(false),
        Err(cause) => Err(cause),
    };
    match begins {
        Err(cause) if cause.kind() == io::ErrorKind::InvalidData => Ok(false),
        begins => begins,
    }
}

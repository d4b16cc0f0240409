//! Compressed files: gzip members and zstd frames, each of which stands for itself.

use std::io;

use flate2::{Crc, Decompress, FlushDecompress, Status};
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use super::codec::{Codec, GZIP, SKIPPED, ZSTD};
use super::cursor::{Cursor, Feed, InputFeed};
use super::record::{VERSION, damage};

/// How many bytes the head of a gzip member may have.
const MAX_HEAD_BYTES: usize = 1 << 16;
/// How much is decoded at a time, at least: of most captures all.
const DECODED_BYTES: usize = 1 << 13;

/// The decoders, kept from member to member.
pub enum Decode {
    Gzip(Box<Decompress>),
    Zstd(Box<Decoder<'static>>),
}

impl Decode {
    /// # Errors
    /// Returns an error if the dictionary is invalid or memory is short.
    pub fn new(codec: &Codec) -> io::Result<Decode> {
        Ok(match codec {
            Codec::Gzip => Decode::Gzip(Box::new(Decompress::new(false))),
            Codec::Zstd(dictionary) => {
                let dictionary = dictionary.as_deref().unwrap_or_default();
                Decode::Zstd(Box::new(Decoder::with_dictionary(dictionary)?))
            }
        })
    }
}

/// One member. What was decoded is compared with the checksum at its end.
pub struct Member<'m, 's> {
    input: &'m mut Cursor<InputFeed<'s>>,
    decode: &'m mut Decode,
    crc: Crc,
    is_over: bool,
}

impl<'m, 's> Member<'m, 's> {
    /// The member that begins here. Returns `None` for what has no content.
    ///
    /// # Errors
    /// Returns an error if none begins here, or the input cannot be read.
    pub fn begin(
        input: &'m mut Cursor<InputFeed<'s>>,
        decode: &'m mut Decode,
    ) -> io::Result<Option<Member<'m, 's>>> {
        let none = || damage("no member begins here");
        match decode {
            Decode::Gzip(decoder) => {
                let len = gzip_head(input)?.ok_or_else(none)?;
                input.advance(len);
                decoder.reset(false);
            }
            Decode::Zstd(decoder) => {
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
                if !rest.starts_with(ZSTD) {
                    return Err(none());
                }
                decoder.reinit()?;
            }
        }
        Ok(Some(Member { input, decode, crc: Crc::new(), is_over: false }))
    }
}

impl Feed for Member<'_, '_> {
    fn more(&mut self, bytes: &mut Vec<u8>) -> io::Result<bool> {
        if self.is_over {
            return Ok(false);
        }
        let before = bytes.len();
        // Half as much again each time, so that a long record is not copied again and again.
        let room = DECODED_BYTES.max(before / 2);
        while bytes.len() == before && !self.is_over {
            if self.input.is_over()? {
                return Err(damage("the file ends within a member"));
            }
            let input = self.input.rest();
            let (read, is_over) = match &mut *self.decode {
                Decode::Gzip(decoder) => {
                    let start = [decoder.total_in(), decoder.total_out()];
                    // Not `decompress_vec`: it fills all that a vector has room for with zeros, each
                    // time, and this one has had room for the longest record.
                    bytes.resize(before + room, 0);
                    let status =
                        decoder.decompress(input, &mut bytes[before..], FlushDecompress::None);
                    let [read, written] =
                        [decoder.total_in() - start[0], decoder.total_out() - start[1]];
                    bytes.truncate(before + written as usize);
                    let status = status.map_err(|_| damage("the member is damaged"))?;
                    if status == Status::BufError && read == 0 && bytes.len() == before {
                        return Err(damage("the member is damaged"));
                    }
                    (read as usize, status == Status::StreamEnd)
                }
                Decode::Zstd(decoder) => {
                    bytes.reserve_exact(room);
                    let mut from = InBuffer::around(input);
                    let mut to = OutBuffer::around_pos(bytes, before);
                    let left = decoder
                        .run(&mut from, &mut to)
                        .map_err(|_| damage("the frame is damaged"))?;
                    (from.pos(), left == 0)
                }
            };
            self.input.advance(read);
            self.is_over = is_over;
        }
        if let Decode::Gzip(_) = self.decode {
            self.crc.update(&bytes[before..]);
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

/// Goes to the next member before `until` whose text begins like a record. Returns whether there is
/// one; if not, it is at `until` or at the end.
///
/// # Errors
/// Returns an error if the input cannot be read.
pub fn find(
    input: &mut Cursor<InputFeed<'_>>,
    codec: &Codec,
    decode: &mut Decode,
    until: u64,
) -> io::Result<bool> {
    let finder = memchr::memmem::Finder::new(codec.magic());
    while input.find(&finder, until)? {
        let place = input.place();
        if begins_like_a_record(input, decode)? {
            input.go_to(place);
            return Ok(true);
        }
        input.go_to(place + 1);
    }
    Ok(false)
}

fn begins_like_a_record(
    input: &mut Cursor<InputFeed<'_>>,
    decode: &mut Decode,
) -> io::Result<bool> {
    let begins = match Member::begin(input, decode) {
        Ok(Some(member)) => {
            let mut text = Cursor::new(member, Vec::new());
            text.ensure(VERSION.len()).map(|_| text.rest().starts_with(VERSION))
        }
        Ok(None) => Ok(false),
        Err(cause) => Err(cause),
    };
    match begins {
        Err(cause) if cause.kind() == io::ErrorKind::InvalidData => Ok(false),
        begins => begins,
    }
}

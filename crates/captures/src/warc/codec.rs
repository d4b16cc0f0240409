//! How a file is compressed.

use std::io::{self, Read as _};
use std::sync::Arc;

use flate2::read::GzDecoder;

/// The compression of a file.
#[derive(Clone)]
pub enum Codec {
    Gzip,
    /// Each frame for itself, perhaps with a dictionary that stands in the first frame.
    Zstd(Option<Arc<[u8]>>),
}

pub const GZIP: &[u8] = &[0x1f, 0x8b, 8];
pub const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// A frame that is skipped: its magic number, least byte first, but for the low half of the first.
pub const SKIPPED: [u8; 3] = [0x2a, 0x4d, 0x18];
/// The skipped frame that has the dictionary of a file, by the proposal
/// <https://iipc.github.io/warc-specifications/specifications/warc-zstd/>.
const DICTIONARY: &[u8] = &[0x5d, 0x2a, 0x4d, 0x18];
const MAX_DICTIONARY_BYTES: usize = 64 << 20;

impl Codec {
    /// With what each member begins.
    pub fn magic(&self) -> &'static [u8] {
        match self {
            Codec::Gzip => GZIP,
            Codec::Zstd(_) => ZSTD,
        }
    }
}

/// The compression of an input, as its first bytes say, which `read_at` reads.
///
/// # Errors
/// Returns an error if it cannot be read, or its dictionary is damaged.
pub fn codec(
    mut read_at: impl FnMut(u64, &mut [u8]) -> io::Result<usize>,
) -> io::Result<Option<Codec>> {
    let mut head = [0; 8];
    let mut len = 0;
    while len < head.len() {
        match read_at(len as u64, &mut head[len..])? {
            0 => break,
            read => len += read,
        }
    }
    Ok(match &head[..len] {
        [0x1f, 0x8b, ..] => Some(Codec::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Codec::Zstd(None)),
        [magic @ .., a, b, c, d] if magic == DICTIONARY => {
            let len = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
            Some(Codec::Zstd(Some(dictionary(read_at, len)?)))
        }
        [first, rest @ ..] if first >> 4 == 5 && rest.starts_with(&SKIPPED) => {
            Some(Codec::Zstd(None))
        }
        _ => None,
    })
}

/// The first bytes of what an input becomes: `len` of them, or fewer. Of zstd nothing is decoded.
///
/// # Errors
/// Returns an error if it cannot be read.
pub fn beginning(
    codec: Option<&Codec>,
    mut read_at: impl FnMut(u64, &mut [u8]) -> io::Result<usize>,
    len: usize,
) -> io::Result<Vec<u8>> {
    let mut at = 0;
    let read = |out: &mut [u8]| {
        let read = read_at(at, out)?;
        at += read as u64;
        Ok(read)
    };
    let (input, mut bytes) = (Reader(read), Vec::new());
    match codec {
        None => io::Read::take(input, len as u64).read_to_end(&mut bytes)?,
        // What is no gzip is told when it is read.
        Some(Codec::Gzip) => io::Read::take(GzDecoder::new(input), len as u64)
            .read_to_end(&mut bytes)
            .unwrap_or_default(),
        Some(Codec::Zstd(_)) => 0,
    };
    Ok(bytes)
}

struct Reader<R>(R);

impl<R: FnMut(&mut [u8]) -> io::Result<usize>> io::Read for Reader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0(out)
    }
}

fn dictionary(
    mut read_at: impl FnMut(u64, &mut [u8]) -> io::Result<usize>,
    len: usize,
) -> io::Result<Arc<[u8]>> {
    let invalid = || io::Error::new(io::ErrorKind::InvalidData, "its dictionary is damaged");
    if len > MAX_DICTIONARY_BYTES {
        return Err(invalid());
    }
    let mut bytes = vec![0; len];
    let mut filled = 0;
    while filled < len {
        match read_at(8 + filled as u64, &mut bytes[filled..])? {
            0 => return Err(invalid()),
            read => filled += read,
        }
    }
    if bytes.starts_with(ZSTD) {
        let decoder = zstd::Decoder::with_buffer(&bytes[..])?;
        let mut decoded = Vec::new();
        let limited = io::Read::take(decoder, MAX_DICTIONARY_BYTES as u64);
        io::Read::read_to_end(&mut { limited }, &mut decoded).map_err(|_| invalid())?;
        bytes = decoded;
    }
    Ok(bytes.into())
}

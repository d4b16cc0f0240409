//! The rows of bodies: hash, length, and the body compressed with a dictionary.

use std::cell::RefCell;

use zstd::zstd_safe::{CCtx, CParameter, DCtx, DDict, get_error_name};

use super::error::Fault;
use super::format::MAX_BODY_BYTES;
use crate::outcome::ContentHash;

/// The dictionary of new stores, made by `tools/src/dictionary.rs`. A store keeps the one that it
/// was created with, so a change here does not affect existing stores.
pub(super) const DICTIONARY: &[u8] = include_bytes!("dictionary");

/// The zstd level. Compared with level 3, level 9 makes bodies a tenth smaller and takes 50 µs
/// for each instead of 8. Level 19 would save another tenth of generated bodies, and 3 % of real
/// ones, for 400 µs.
const LEVEL: i32 = 9;

/// A row of the table of bodies: a checksum of the number and the head, the head (hash and
/// length), and the compressed body. A body that compression does not shorten is stored as it
/// is, which shows in its length.
pub(super) struct Row<'r> {
    pub(super) hash: ContentHash,
    pub(super) len: u32,
    pub(super) stored: &'r [u8],
}

const HASH_AT: usize = 4;
const LEN_AT: usize = HASH_AT + 32;
const STORED_AT: usize = LEN_AT + 4;

impl<'r> Row<'r> {
    /// The row of a body's number; the body itself is checked by [`Decompression::body`].
    pub(super) fn decode(number: u64, row: &'r [u8]) -> Result<Row<'r>, Fault> {
        let damaged = || Fault::damaged(format!("the row of body {number} is corrupt"));
        let (head, stored) = row.split_at_checked(STORED_AT).ok_or_else(damaged)?;
        let len = u32::from_le_bytes(head[LEN_AT..].try_into().expect("four bytes"));
        if head[..HASH_AT] != checksum(number, &head[HASH_AT..]) || len as usize > MAX_BODY_BYTES {
            return Err(damaged());
        }
        let hash = ContentHash(head[HASH_AT..LEN_AT].try_into().expect("32 bytes"));
        Ok(Row { hash, len, stored })
    }
}

fn checksum(number: u64, head: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&number.to_le_bytes());
    hasher.update(head);
    hasher.finalize().to_le_bytes()
}

/// Compresses bodies into rows.
pub(super) struct Compression {
    context: CCtx<'static>,
    row: Vec<u8>,
}

impl Compression {
    pub(super) fn new(dictionary: &[u8]) -> Result<Compression, Fault> {
        let mut context = CCtx::create();
        // The file has one dictionary, the row has the length, and the hash checks the rest.
        for parameter in [
            CParameter::CompressionLevel(LEVEL),
            CParameter::DictIdFlag(false),
            CParameter::ContentSizeFlag(false),
            CParameter::ChecksumFlag(false),
        ] {
            context.set_parameter(parameter).map_err(failed)?;
        }
        context.load_dictionary(dictionary).map_err(failed)?;
        Ok(Compression { context, row: Vec::new() })
    }

    /// The row of a body of at most [`MAX_BODY_BYTES`].
    pub(super) fn row(
        &mut self,
        number: u64,
        hash: ContentHash,
        body: &[u8],
    ) -> Result<&[u8], Fault> {
        let len = u32::try_from(body.len()).map_err(|_| Fault::TooLarge(body.len()))?;
        self.row.clear();
        self.row.resize(HASH_AT, 0);
        self.row.extend_from_slice(&hash.0);
        self.row.extend_from_slice(&len.to_le_bytes());
        let checksum = checksum(number, &self.row[HASH_AT..]);
        self.row[..HASH_AT].copy_from_slice(&checksum);

        self.row.resize(STORED_AT + zstd::zstd_safe::compress_bound(body.len()), 0);
        let stored = self.context.compress2(&mut self.row[STORED_AT..], body).map_err(failed)?;
        if stored < body.len() {
            self.row.truncate(STORED_AT + stored);
        } else {
            self.row.truncate(STORED_AT);
            self.row.extend_from_slice(body);
        }
        Ok(&self.row)
    }
}

/// Decompresses bodies from rows, on any number of threads at a time.
pub(super) struct Decompression(DDict<'static>);

thread_local! {
    /// Kept for each thread, because it takes 160 KB.
    static CONTEXT: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

impl Decompression {
    pub(super) fn new(dictionary: &[u8]) -> Result<Decompression, Fault> {
        DDict::try_create(dictionary).map(Decompression).ok_or_else(no_dictionary)
    }

    /// The id of the dictionary.
    pub(super) fn dictionary_id(&self) -> u32 {
        self.0.get_dict_id().map_or(0, u32::from)
    }

    /// The body of a row. It is compared with its hash, so the result is what was stored or an
    /// error.
    pub(super) fn body(&self, row: &Row<'_>) -> Result<Vec<u8>, Fault> {
        let len = row.len as usize;
        let mut body = Vec::with_capacity(len);
        if row.stored.len() == len {
            body.extend_from_slice(row.stored);
        } else {
            CONTEXT
                .with_borrow_mut(|context| {
                    context.decompress_using_ddict(&mut body, row.stored, &self.0)
                })
                .map_err(|_| damaged_body(row))?;
        }
        if ContentHash::of(&body) != row.hash {
            return Err(damaged_body(row));
        }
        Ok(body)
    }
}

fn damaged_body(row: &Row<'_>) -> Fault {
    Fault::damaged(format!("the body {} is corrupt", row.hash))
}

fn no_dictionary() -> Fault {
    Fault::damaged("its dictionary is invalid")
}

fn failed(code: usize) -> Fault {
    std::io::Error::other(get_error_name(code)).into()
}

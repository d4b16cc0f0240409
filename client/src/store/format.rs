//! The tables of the file.

use redb::TableDefinition;

use crate::outcome::ContentHash;

/// The first bytes of a store. Any other redb database begins with them too.
pub const MAGIC: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";

/// The version of the tables and their rows that this library reads and writes.
pub const SCHEMA_VERSION: u32 = 1;

/// The largest body that a store accepts: 64 MiB.
pub const MAX_BODY_BYTES: usize = crate::MAX_BODY_BYTES;

/// Properties of the whole file, by name.
pub(super) const HEADER: TableDefinition<&str, &[u8]> = TableDefinition::new("header");
/// The row of [`HEADER`] with the version of all other tables: four bytes, little-endian.
pub(super) const SCHEMA: &str = "schema";
/// The row of [`HEADER`] with the CRC-32 of the bodies' dictionary, and then the dictionary.
pub(super) const COMPRESSION_DICTIONARY: &str = "dictionary";

/// An origin's record, by its key. The key is bytes, because redb panics on a damaged `str`.
pub(super) const ORIGINS: TableDefinition<&[u8], &[u8]> = TableDefinition::new("origins");
/// The record of another file of a site, by its URL: the hash of its body, then a row as of an origin.
/// Stores that never kept one lack the table, and programs that do not know it may remove the bodies.
pub(super) const FILES: TableDefinition<&[u8], &[u8]> = TableDefinition::new("files");
/// A body's row, by its number.
pub(super) const BODIES: TableDefinition<u64, &[u8]> = TableDefinition::new("bodies");
/// A body's number, by the first half of its hash. Two bodies with the same half do not occur in
/// practice; if they did, both would be stored.
pub(super) const NUMBERS: TableDefinition<u128, u64> = TableDefinition::new("numbers");

/// The key of a body in [`NUMBERS`].
pub(super) fn half_hash(content: &ContentHash) -> u128 {
    u128::from_be_bytes(*content.0.first_chunk().expect("a hash has 32 bytes"))
}

//! Rows that wait in a temporary file, partitioned by their keys, so that all rows of a key can be
//! brought together in little memory.
//!
//! Nothing needs a total order, so this is a partition and no sort: crates for external sorting
//! (`extsort`, `ext-sort`) write a file for each run and merge them, which costs a comparison for
//! each row and run, and a descriptor for each run.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The number of partitions there are. One is in memory at a time, so memory is the 256th part of the
/// file, if the keys are many.
pub const PARTITIONS: usize = 256;

/// The number of bytes of a partition that are written at once.
const BLOCK_BYTES: usize = 64 << 10;

/// A key without its scheme: what follows `://`. The origins of a host lie together, since a pack
/// keeps equal answers of http and https once.
pub fn without_scheme(key: &str) -> &str {
    key.find("://").map_or(key, |at| &key[at + 3..])
}

/// The partition of a key: that of all schemes.
pub fn partition_of(key: &str) -> usize {
    let mut hasher = DefaultHasher::new();
    hasher.write(without_scheme(key).as_bytes());
    hasher.finish() as usize % PARTITIONS
}

/// Rows on disk. The file has no name where the system can do that, so nothing is left of it
/// however the program ends.
pub struct Spill {
    file: File,
    end: u64,
    partitions: Vec<Partition>,
}

#[derive(Default)]
struct Partition {
    /// Where the rows are in the file: blocks in the order in which they were written.
    blocks: Vec<(u64, u32)>,
    /// Rows that are not in the file yet.
    rows: Vec<u8>,
}

impl Spill {
    /// An empty one. Its file lies in `folder`, which has room for what is made: `/tmp` may be in
    /// memory.
    ///
    /// # Errors
    /// Returns an error if there can be no file.
    pub fn new(folder: &Path) -> io::Result<Spill> {
        let partitions = (0..PARTITIONS).map(|_| Partition::default()).collect();
        Ok(Spill { file: tempfile::tempfile_in(folder)?, end: 0, partitions })
    }

    /// Adds a row to a partition.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn put(&mut self, partition: usize, row: &impl Serialize) -> io::Result<()> {
        let into = &mut self.partitions[partition];
        let rows = std::mem::take(&mut into.rows);
        into.rows = postcard::to_extend(row, rows).map_err(io::Error::other)?;
        if into.rows.len() >= BLOCK_BYTES {
            self.file.write_all(&into.rows)?;
            into.blocks.push((self.end, u32::try_from(into.rows.len()).map_err(io::Error::other)?));
            self.end += into.rows.len() as u64;
            into.rows.clear();
        }
        Ok(())
    }

    /// All rows of a partition, in the order in which they were put.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn rows(&mut self, partition: usize) -> io::Result<Rows> {
        let Partition { blocks, rows } = &self.partitions[partition];
        let total: usize = blocks.iter().map(|(_, len)| *len as usize).sum();
        let mut bytes = Vec::with_capacity(total + rows.len());
        for (at, len) in blocks {
            self.file.seek(SeekFrom::Start(*at))?;
            (&self.file).take(u64::from(*len)).read_to_end(&mut bytes)?;
        }
        self.file.seek(SeekFrom::Start(self.end))?;
        if bytes.len() != total {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "a temporary file was cut"));
        }
        bytes.extend_from_slice(rows);
        Ok(Rows(bytes))
    }

    /// Returns true if a partition has no rows.
    pub fn is_empty(&self, partition: usize) -> bool {
        self.partitions[partition].blocks.is_empty() && self.partitions[partition].rows.is_empty()
    }
}

/// The rows of a partition.
pub struct Rows(Vec<u8>);

impl Rows {
    /// The rows, in order.
    ///
    /// # Errors
    /// An item is an error if the file was damaged meanwhile.
    pub fn iter<'r, R: Deserialize<'r>>(&'r self) -> impl Iterator<Item = io::Result<R>> {
        let mut left = &self.0[..];
        std::iter::from_fn(move || {
            if left.is_empty() {
                return None;
            }
            match postcard::take_from_bytes(left) {
                Ok((row, rest)) => {
                    left = rest;
                    Some(Ok(row))
                }
                Err(error) => {
                    left = &[];
                    Some(Err(io::Error::other(format!("a temporary file is damaged: {error}"))))
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_in_order() {
        let mut spill = Spill::new(Path::new(".")).unwrap();
        let key = |n: u32| format!("https://a-host-with-a-long-name-{}.example", n % 300_000);
        // Over several blocks. Reading in between changes nothing.
        for n in 0..600_000 {
            spill.put(partition_of(&key(n)), &(key(n), n)).unwrap();
            if n % 100_000 == 0 {
                spill.rows(partition_of(&key(n))).unwrap();
            }
        }
        let mut count = 0;
        for partition in 0..PARTITIONS {
            assert!(!spill.is_empty(partition));
            let rows = spill.rows(partition).unwrap();
            let mut last = None;
            for row in rows.iter::<(&str, u32)>() {
                let (name, n) = row.unwrap();
                assert_eq!((name, partition_of(name)), (&key(n)[..], partition));
                assert!(last < Some(n));
                last = Some(n);
                count += 1;
            }
        }
        assert_eq!(count, 600_000);
        assert!(spill.end > 8 << 20);
    }
}

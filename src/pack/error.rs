//! The ways in which bytes can be no pack.

use std::fmt;

use super::format::VERSION;

/// The reason why bytes cannot be used as a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackError {
    /// They do not begin like a pack, or are too short for one.
    NotAPack,
    /// The pack has a version that this library does not read.
    Version(u32),
    /// The file is one of several of a pack, or not the one that is expected in its place:
    /// [`Pack::open_shards`](super::Pack::open_shards) opens all of them together.
    OneOf {
        /// Which of the files it is, from 0 on.
        shard: u32,
        /// The number of them.
        shards: u32,
    },
    /// The file is for other crawlers, or of another profile, than the others of the pack.
    OtherShards,
    /// The pack is damaged.
    Damaged {
        /// Which of the files that were given to [`Pack::open_shards`](super::Pack::open_shards); 0 if there is one.
        file: usize,
        /// Where, in bytes from the beginning of the file.
        offset: u64,
        /// What is wrong there.
        what: &'static str,
    },
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackError::NotAPack => f.write_str("not a pack, or one that was cut short"),
            PackError::Version(version) => write!(
                f,
                "a pack of version {version}, but this program reads version {VERSION}; write the \
                 pack again"
            ),
            PackError::OneOf { shard, shards } => write!(
                f,
                "file {} of a pack of {shards}: open all of them together, each once",
                u64::from(*shard) + 1
            ),
            PackError::OtherShards => f.write_str(
                "for other crawlers or of another profile than the other files of the pack",
            ),
            PackError::Damaged { file: _, offset, what } => {
                write!(f, "damaged pack: {what}, at byte {offset}")
            }
        }
    }
}

impl std::error::Error for PackError {}

/// The file of several that cannot be used, and the reason: the error of
/// [`Pack::open_shards`](super::Pack::open_shards).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The index of the file in the order given.
    pub file: usize,
    /// The fault.
    pub error: PackError,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "file {} of those given: {}", self.file + 1, self.error)
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

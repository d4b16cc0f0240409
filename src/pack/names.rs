//! What the files of a pack in several files are called, so that a folder has all of them.

use std::fmt;

/// The name of a shard's file in its folder.
///
/// ```
/// use robotsieve::pack::{shard_name, shard_of_name};
///
/// assert_eq!(shard_name(3, 64), "shard-0003-of-0064.pack");
/// assert_eq!(shard_of_name("shard-0003-of-0064.pack"), Some((3, 64)));
/// assert_eq!(shard_of_name("shard-3-of-64.pack"), None);
/// ```
#[must_use]
pub fn shard_name(shard: u32, shards: u32) -> String {
    format!("shard-{shard:04}-of-{shards:04}.pack")
}

/// The shard that a file name states, and the number of shards.
#[must_use]
pub fn shard_of_name(name: &str) -> Option<(u32, u32)> {
    let parts = name.strip_prefix("shard-")?.strip_suffix(".pack")?;
    let (shard, shards) = parts.split_once("-of-")?;
    let (shard, shards) = (shard.parse().ok()?, shards.parse().ok()?);
    (shard_name(shard, shards) == name).then_some((shard, shards))
}

/// Checks that shards are all those of one pack. They are given as [`shard_of_name`] gives them, in
/// ascending order.
///
/// # Errors
/// Returns an error if there are none, if one is missing, or if they are of several packs.
pub fn check_shards(shards: &[(u32, u32)]) -> Result<(), ShardsError> {
    let &(_, count) = shards.first().ok_or(ShardsError::None)?;
    for (expected, &(shard, of)) in (0..).zip(shards) {
        if of != count {
            return Err(ShardsError::OtherSet(shard_name(shard, of)));
        }
        if shard != expected {
            return Err(ShardsError::Missing(shard_name(expected, count)));
        }
    }
    let given = u32::try_from(shards.len()).unwrap_or(u32::MAX);
    if given != count {
        return Err(ShardsError::Missing(shard_name(given, count)));
    }
    Ok(())
}

/// Why the files of a folder are not one pack.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShardsError {
    /// None of them is called like a shard.
    None,
    /// The shard with this name is missing.
    Missing(String),
    /// The shard with this name is one of another number of shards than the first.
    OtherSet(String),
}

impl fmt::Display for ShardsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShardsError::None => {
                f.write_str("the folder has no files named shard-NNNN-of-NNNN.pack")
            }
            ShardsError::Missing(name) => write!(f, "{name} is missing"),
            ShardsError::OtherSet(name) => {
                write!(f, "'{name}' is of another set than its first shard")
            }
        }
    }
}

impl std::error::Error for ShardsError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_shards() {
        assert_eq!(shard_of_name("shard-10000-of-10001.pack"), Some((10_000, 10_001)));
        for wrong in ["shard-0003-of-0064.pack.tmp", "x", "shard--of-.pack"] {
            assert_eq!(shard_of_name(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn one_set() {
        let wrong = |shards: &[(u32, u32)]| check_shards(shards).unwrap_err().to_string();
        assert_eq!(check_shards(&[(0, 2), (1, 2)]), Ok(()));
        assert_eq!(wrong(&[]), "the folder has no files named shard-NNNN-of-NNNN.pack");
        assert_eq!(wrong(&[(0, 3), (2, 3)]), "shard-0001-of-0003.pack is missing");
        assert_eq!(wrong(&[(0, 3), (1, 3)]), "shard-0002-of-0003.pack is missing");
        let other = "'shard-0000-of-0003.pack' is of another set than its first shard";
        assert_eq!(wrong(&[(0, 2), (0, 3)]), other);
    }
}

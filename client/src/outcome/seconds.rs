//! Durations as whole seconds, for settings in files.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer};

/// The largest number that every format can hold. It stands for [`Duration::MAX`].
const MAX: u64 = i64::MAX as u64;

pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(time.as_secs().min(MAX))
}

pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Duration, D::Error> {
    let seconds = u64::deserialize(from)?;
    Ok(if seconds >= MAX { Duration::MAX } else { Duration::from_secs(seconds) })
}

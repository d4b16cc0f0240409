//! Bytes in serde's formats: a string if they are UTF-8, otherwise an array of numbers. In formats
//! that are not for people to read, always bytes.
//!
//! For `#[serde(with = "crate::bytes_as_text")]` and its relatives.

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// Bytes that serialise this way.
pub struct BytesAsText<'b>(pub &'b [u8]);

impl Serialize for BytesAsText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match str::from_utf8(self.0) {
            _ if !serializer.is_human_readable() => serializer.serialize_bytes(self.0),
            Ok(text) => serializer.serialize_str(text),
            Err(_) => self.0.serialize(serializer),
        }
    }
}

pub fn serialize<S: Serializer>(bytes: impl AsRef<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
    BytesAsText(bytes.as_ref()).serialize(serializer)
}

pub fn serialize_option<S: Serializer>(
    bytes: &Option<&[u8]>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    bytes.map(BytesAsText).serialize(serializer)
}

pub fn serialize_all<S: Serializer>(
    all: &[impl AsRef<[u8]>],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(all.iter().map(|bytes| BytesAsText(bytes.as_ref())))
}

pub fn deserialize_all<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Vec<u8>>, D::Error> {
    #[derive(serde::Deserialize)]
    struct One(#[serde(deserialize_with = "deserialize")] Vec<u8>);

    let all: Vec<One> = serde::Deserialize::deserialize(deserializer)?;
    Ok(all.into_iter().map(|One(bytes)| bytes).collect())
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    struct Bytes;

    impl<'de> Visitor<'de> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string or an array of bytes")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Vec<u8>, E> {
            Ok(text.as_bytes().to_vec())
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Vec<u8>, A::Error> {
            serde::Deserialize::deserialize(SeqAccessDeserializer::new(seq))
        }
    }

    if deserializer.is_human_readable() {
        deserializer.deserialize_any(Bytes)
    } else {
        deserializer.deserialize_byte_buf(Bytes)
    }
}

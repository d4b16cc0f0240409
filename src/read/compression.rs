//! How a file is compressed, as its first bytes show.

/// What a file is compressed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// With nothing that is known here.
    None,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// The .xz file format.
    Xz,
    /// bzip2.
    Bzip2,
}

/// The .xz file format §2.1.1.1.
const XZ: &[u8] = b"\xfd7zXZ\0";
/// After `BZh` and a digit: of a first block, and of none.
const BZIP2: [&[u8]; 2] = [b"1AY&SY", b"\x17rE8P\x90"];

impl Compression {
    /// Returns true if these bytes begin like a compressed file, and the next one is needed to know.
    #[must_use]
    pub fn may_follow(first: &[u8]) -> bool {
        match first {
            [] | [0x1f] => true,
            [0x28, rest @ ..] => rest.len() < 3 && [0xb5, 0x2f, 0xfd].starts_with(rest),
            [0xfd, ..] => first.len() < XZ.len() && XZ.starts_with(first),
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] => {
                rest.len() < 6 && BZIP2.iter().any(|mark| mark.starts_with(rest))
            }
            [b'B', rest @ ..] => b"Zh".starts_with(rest),
            [0x50..=0x5f, rest @ ..] => rest.len() < 3 && [0x2a, 0x4d, 0x18].starts_with(rest),
            _ => false,
        }
    }

    /// The compression of what begins with these bytes.
    #[must_use]
    pub fn of(first: &[u8]) -> Compression {
        match first {
            // RFC 1952 §2.3.1.
            [0x1f, 0x8b, ..] => Compression::Gzip,
            // RFC 8878 §3.1.1, and §3.1.2: a skippable frame, which pzstd starts with.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..]
                if BZIP2.iter().any(|mark| rest.starts_with(mark)) =>
            {
                Compression::Bzip2
            }
            _ if first.starts_with(XZ) => Compression::Xz,
            _ => Compression::None,
        }
    }

    /// Its name, and the command that undoes it.
    #[must_use]
    pub fn unpacked_by(self) -> (&'static str, &'static str) {
        match self {
            Compression::None => ("nothing", "cat"),
            Compression::Gzip => ("gzip", "gzip -dc"),
            Compression::Zstd => ("zstd", "zstd -dc"),
            Compression::Xz => ("xz", "xz -dc"),
            Compression::Bzip2 => ("bzip2", "bzip2 -dc"),
        }
    }
}

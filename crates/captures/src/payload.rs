//! What records say of the bytes that they have: is a revisit one of the record that it names?

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

/// What a record says of its payload, or a revisit of the one that it repeats.
///
/// ```
/// use robotsieve_captures::{PayloadClaim, RecordNames};
///
/// let claim = |digest| RecordNames::of("", digest).claim();
/// let one = claim("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
/// assert!(one.is_of(claim("sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709")));
/// assert!(!one.is_of(claim("sha1:ea39a3ee5e6b4b0d3255bfef95601890afd80709")));
/// // Nothing shows that it is the same payload.
/// assert!(!one.is_of(claim("md5:d41d8cd98f00b204e9800998ecf8427e")));
/// assert!(!one.is_of(PayloadClaim::Nothing));
/// assert!(PayloadClaim::Nothing.is_of(one));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum PayloadClaim {
    /// Nothing that can be compared.
    #[default]
    Nothing,
    /// It is a part of a file, by the header of a revisit. No record has that.
    Part,
    /// Its digest: hashes of the name of the algorithm and of the value.
    Digest(u64, u64),
}

impl PayloadClaim {
    /// Of a digest in [`normal`] form.
    pub(super) fn of(digest: &str) -> PayloadClaim {
        let hash = |text: &str| {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            hasher.finish()
        };
        let (algorithm, value) = digest.split_once(':').unwrap_or(("", digest));
        PayloadClaim::Digest(hash(algorithm), hash(value))
    }

    /// Returns true if a revisit that says this may repeat a record that says the other: a digest has to be that of the
    /// record.
    #[must_use]
    pub fn is_of(self, record: PayloadClaim) -> bool {
        match self {
            PayloadClaim::Nothing => true,
            PayloadClaim::Part => false,
            PayloadClaim::Digest(..) => self == record,
        }
    }
}

/// A digest as it is compared: in lower case, and in hexadecimal if it is in base 32, which others write.
pub(super) fn normal(digest: &str) -> String {
    let digest = digest.trim_ascii().to_ascii_lowercase();
    let Some((algorithm, value)) = digest.split_once(':') else { return digest };
    let algorithm = algorithm.trim().replace('-', "");
    let value = value.trim().trim_end_matches('=');
    let bytes = match &*algorithm {
        "md5" => 16,
        "sha1" => 20,
        "sha256" => 32,
        "sha512" => 64,
        _ => 0,
    };
    let is_base32 = value.len() == (bytes * 8usize).div_ceil(5);
    match is_base32.then(|| hex_of_base32(value, bytes)).flatten() {
        Some(hex) => format!("{algorithm}:{hex}"),
        None => format!("{algorithm}:{value}"),
    }
}

/// The first bytes of a text in base 32, in hexadecimal. `None` if it is in another form.
fn hex_of_base32(text: &str, bytes: usize) -> Option<String> {
    let (mut hex, mut bits, mut count) = (String::new(), 0u32, 0);
    for byte in text.bytes() {
        let digit = match byte {
            b'a'..=b'z' => byte - b'a',
            b'2'..=b'7' => byte - b'2' + 26,
            _ => return None,
        };
        (bits, count) = (bits << 5 | u32::from(digit), count + 5);
        while count >= 4 {
            count -= 4;
            hex.push(char::from_digit(bits >> count & 0xf, 16)?);
        }
    }
    hex.truncate(2 * bytes);
    Some(hex)
}

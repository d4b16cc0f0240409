//! Files in UTF-16, which some editors of Windows write.

use std::borrow::Cow;

use crate::profile::{ByteOrderMark, Profile};

/// The order of the two bytes of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    LowFirst,
    HighFirst,
}

impl ByteOrder {
    /// The byte order by the mark at the beginning of a file, and what follows the mark. `None` if
    /// the file is not in UTF-16. The mark of UTF-32 begins with that of UTF-16.
    pub fn of(file: &[u8]) -> Option<(ByteOrder, &[u8])> {
        match file {
            [0xff, 0xfe, 0, 0, ..] => None,
            [0xff, 0xfe, text @ ..] => Some((ByteOrder::LowFirst, text)),
            [0xfe, 0xff, text @ ..] => Some((ByteOrder::HighFirst, text)),
            _ => None,
        }
    }

    /// A unit of the text.
    pub fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            ByteOrder::LowFirst => u16::from_le_bytes(bytes),
            ByteOrder::HighFirst => u16::from_be_bytes(bytes),
        }
    }
}

/// A file in UTF-16 with a byte order mark, as UTF-8 without one; `None` if it is not in UTF-16.
/// Half a character becomes U+FFFD, and half a unit at the end is dropped. `O(n)`.
pub fn to_utf8(file: &[u8]) -> Option<Vec<u8>> {
    let (order, text) = ByteOrder::of(file)?;
    let units = text.as_chunks().0.iter().map(|bytes| order.unit(*bytes));
    let mut utf8 = String::with_capacity(text.len() / 2);
    utf8.extend(char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)));
    Some(utf8.into_bytes())
}

/// The text of a file: in UTF-8 if it begins with a byte order mark of UTF-16, else as it is. One file has
/// one text, wherever it comes from: an answer, an archive, a file, a folder.
///
/// In the profile `google`, and others with [`ByteOrderMark::SkipPartial`], it is as it is: google/robotstxt finds
/// no rule in UTF-16. Fetched and stored files are decoded before a profile is asked. Half a character becomes
/// U+FFFD. `O(n)`, and copies nothing that is not UTF-16.
///
/// ```
/// use robotsieve::{Profile, text_of};
///
/// let file = b"\xff\xfeA\0l\0l\0o\0w\0:\0/\0";
/// assert_eq!(&text_of(file, &Profile::RFC9309)[..], b"Allow:/");
/// assert_eq!(&text_of(file, &Profile::GOOGLE)[..], file);
/// assert_eq!(&text_of(b"Allow:/", &Profile::RFC9309)[..], b"Allow:/");
/// ```
#[must_use]
pub fn text_of<'f>(file: &'f [u8], profile: &Profile) -> Cow<'f, [u8]> {
    let as_it_is = profile.byte_order_mark == ByteOrderMark::SkipPartial;
    let utf8 = if as_it_is { None } else { to_utf8(file) };
    utf8.map_or(Cow::Borrowed(file), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_byte_orders() {
        let text = "User-agent: *\r\nDisallow: /é€😀\n";
        for swap in [false, true] {
            let bytes = |unit: u16| if swap { unit.to_be_bytes() } else { unit.to_le_bytes() };
            let units = std::iter::once(0xfeff).chain(text.encode_utf16());
            let mut file: Vec<u8> = units.flat_map(bytes).collect();
            assert_eq!(to_utf8(&file).as_deref(), Some(text.as_bytes()));
            file.push(b'x');
            assert_eq!(to_utf8(&file).as_deref(), Some(text.as_bytes()));
            file.truncate(2);
            assert_eq!(to_utf8(&file).as_deref(), Some(&b""[..]));
            file.extend(bytes(0xd800));
            file.extend(bytes(0x61));
            assert_eq!(to_utf8(&file).as_deref(), Some("\u{fffd}a".as_bytes()));
        }
        for file in
            [&b""[..], b"\xff", b"\xef\xbb\xbfUser-agent: *", b"a\xff\xfe", b"\xff\xfe\0\0a\0\0\0"]
        {
            assert_eq!(to_utf8(file), None);
        }
    }
}

//! Fields as servers write them, with escapes.
//!
//! | who | escapes |
//! |---|---|
//! | nginx | `\xHH` for `"`, `\`, control characters and all bytes beyond ASCII |
//! | Apache | `\"`, `\\`, `\n`, `\r`, `\t`, `\b`, `\v`, `\f`, and `\xHH` for other such bytes |
//! | JSON | `\"`, `\\`, `\/`, `\n`, `\r`, `\t`, `\b`, `\f`, `\uHHHH` |
//!
//! Each of them escapes the backslash itself, so one reader undoes all three.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// The text up to the quote that ends a field, and what follows that quote.
#[inline]
pub fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some((&text[..at], &text[at + 1..]));
        }
        at += 2;
    }
}

/// A field without its escapes. What is no escape stays as it is.
pub fn undone(field: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr(b'\\', field) else { return Cow::Borrowed(field) };
    let mut out = field[..first].to_vec();
    let mut left = &field[first..];
    while let Some((&byte, after)) = left.split_first() {
        left = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some((&kind, after)) = left.split_first() else {
            out.push(b'\\');
            break;
        };
        left = after;
        match kind {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'b' => out.push(8),
            b'v' => out.push(11),
            b'f' => out.push(12),
            b'"' | b'\\' | b'/' => out.push(kind),
            b'x' => match hex::<2>(left) {
                Some((code, after)) => {
                    out.extend(u8::try_from(code));
                    left = after;
                }
                None => out.extend_from_slice(br"\x"),
            },
            b'u' => {
                let Some((mut code, after)) = hex::<4>(left) else {
                    out.extend_from_slice(br"\u");
                    continue;
                };
                left = after;
                // A second half of a pair.
                if (0xD800..0xDC00).contains(&code)
                    && let Some((low, after)) = left.strip_prefix(b"\\u").and_then(hex::<4>)
                    && (0xDC00..0xE000).contains(&low)
                {
                    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                    left = after;
                }
                let decoded = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend_from_slice(decoded.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => out.extend_from_slice(&[b'\\', kind]),
        }
    }
    Cow::Owned(out)
}

/// The number in the first `N` hexadecimal digits, and what follows them.
fn hex<const N: usize>(text: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, after) = text.split_at_checked(N)?;
    let mut number = 0;
    for digit in digits {
        number = number * 16 + char::from(*digit).to_digit(16)?;
    }
    Some((number, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_all_servers() {
        let cases: [(&[u8], &[u8]); 12] = [
            (b"plain", b"plain"),
            (br"a\x22b\x5Cc\xC3\xA9", "a\"b\\cé".as_bytes()),
            (br#"a\"b\\x22"#, br#"a"b\x22"#),
            (br"\n\r\t\b\v\f\/", b"\n\r\t\x08\x0b\x0c/"),
            (br"\u00e9\ud83d\ude00", "é😀".as_bytes()),
            (br"\ud83d", "\u{fffd}".as_bytes()),
            (br"\ud83d\u0041", "\u{fffd}A".as_bytes()),
            (br"\x4", br"\x4"),
            (br"\xzz", br"\xzz"),
            (br"\u12", br"\u12"),
            (br"\q\", br"\q\"),
            (b"", b""),
        ];
        for (field, wanted) in cases {
            assert_eq!(*undone(field), *wanted, "{}", field.escape_ascii());
        }
    }

    #[test]
    fn ends_of_quoted_fields() {
        assert_eq!(quoted(br#"a\"b" c"#), Some((&br#"a\"b"#[..], &b" c"[..])));
        assert_eq!(quoted(br#"a\\" c"#), Some((&br"a\\"[..], &b" c"[..])));
        assert_eq!(quoted(br#"""#), Some((&b""[..], &b""[..])));
        for open in [&br#"a\""#[..], br"a\", b"a", b""] {
            assert_eq!(quoted(open), None);
        }
    }
}

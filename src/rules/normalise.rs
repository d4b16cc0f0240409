//! Normalising, with the same code for rules and targets.
//!
//! An [`Encoding`] says which bytes change on one side of the comparison. Most bytes of most
//! targets never change: [`Encoding::changes`] is one table look-up, and while it says `false`
//! an engine may compare the target as it was given. [`Normalised`] yields the normalised bytes
//! one by one, without a copy.
//!
//! ```text
//! byte                             becomes           switch
//! %XX, XX an unreserved character   that character    unreserved_decoded
//! %xX                               %XX               hex_upper_case
//! % without two hex digits after it %25               stray_percent_encoded
//! %x, not followed by a hex digit   %X                hex_upper_case on both sides
//! 0x80..=0xFF                       %XX               high_bytes_encoded
//! ASCII that no URI may hold        %XX               forbidden_bytes_encoded
//! * and $ (not as wildcard, anchor) %2A, %24          special_bytes_encoded
//! ```
//!
//! A `%` that begins no escape is plain unless the switch says otherwise. So a rule that ends in `%`, or in `%`
//! and one digit, matches escapes too: `/%E` is the beginning of `/%E3%83%84`, and so is `/%e`, since the digit
//! becomes upper case as it does in escapes.
//!
//! Normalising twice changes nothing: every byte written is plain, or is part of a `%XX` with
//! upper-case digits that does not stand for an unreserved character. So an escaped hex digit stays
//! escaped where it would complete an escape: `%4%31` does not become `%41`, which is `A`. Nor does `%%34`
//! become `%4`, whatever follows: what a byte becomes does not depend on bytes that a rule may leave out.

use crate::profile::{Profile, Sides, TargetForm};

const HIGH: u8 = 1;
const FORBIDDEN: u8 = 2;
const SPECIAL: u8 = 4;
const PERCENT: u8 = 8;
const UNRESERVED: u8 = 16;
const HASH: u8 = 32;
const NUL: u8 = 64;
/// The classes of bytes that may change.
const CHANGING: u8 = HIGH | FORBIDDEN | SPECIAL | PERCENT;

/// The class of each byte.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut o = 0;
    while o < 256 {
        class[o] = match o as u8 {
            0x80.. => HIGH,
            b'%' => PERCENT,
            b'*' | b'$' => SPECIAL,
            b'#' => HASH,
            0 => FORBIDDEN | NUL,
            1..=0x20 | 0x7F | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => {
                FORBIDDEN
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => UNRESERVED,
            _ => 0,
        };
        o += 1;
    }
    class
};

/// For each value of [`Encoding::classes`] the tables of [`Encoding::special_nibbles`].
static SPECIAL_NIBBLES: [[[u8; 16]; 2]; 128] = {
    let mut all = [[[0; 16]; 2]; 128];
    let mut classes = 0;
    while classes < all.len() {
        let mut byte = 0;
        while byte < 256 {
            if CLASS[byte] as usize & classes & !(UNRESERVED as usize) != 0 {
                // Bytes share a bit only if every pair of their low and high halves is special.
                let bit = match byte {
                    0x80.. => 0,
                    // Either all control characters or NUL alone.
                    0x00..=0x1F => 1,
                    0x20..=0x2F => 2,
                    // `<`, `>`, `\` and `^`.
                    0x30..=0x5F => 3,
                    0x60..=0x6F => 4,
                    _ => 5,
                };
                all[classes][0][byte & 15] |= 1 << bit;
                all[classes][1][byte >> 4] |= 1 << bit;
            }
            byte += 1;
        }
        classes += 1;
    }
    all
};

/// What is normalised on one side of the comparison, and which bytes end a target. Two bytes: each question copies them
/// twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encoding {
    /// The classes of bytes that change or end a target.
    classes: u8,
    /// What happens to a `%` and the digits after it: [`DECODE_UNRESERVED`] and those below it.
    switches: u8,
}

const DECODE_UNRESERVED: u8 = 1;
const UPPER_CASE: u8 = 2;
const ENCODE_STRAY: u8 = 4;
/// The one digit after a stray `%` becomes upper case too.
const UPPER_CASE_STRAY: u8 = 8;

impl Encoding {
    /// The encoding of targets. A `#` ends a target, and with [`TargetForm::Google`] a NUL too:
    /// so profiles whose encodings are equal have the same target form.
    pub fn of_target(profile: &Profile) -> Encoding {
        let nul = if profile.target_form == TargetForm::Google { NUL } else { 0 };
        let mut encoding = Encoding::on_side(profile, |sides| sides == Sides::Both);
        encoding.classes |= HASH | nul;
        encoding
    }

    /// The encoding of rules, except for their wildcards and end anchors.
    pub fn of_rule(profile: &Profile) -> Encoding {
        Encoding::on_side(profile, |sides| sides != Sides::Neither)
    }

    /// As two bytes, for [`Encoding::from_bytes`].
    #[cfg(feature = "pack")]
    pub fn to_bytes(self) -> [u8; 2] {
        [self.classes, self.switches & !UPPER_CASE_STRAY]
    }

    /// The target's encoding that [`Encoding::to_bytes`] wrote; `None` if it never writes these
    /// bytes.
    #[cfg(feature = "pack")]
    pub fn from_bytes([classes, bits]: [u8; 2]) -> Option<Encoding> {
        if classes & !(CHANGING | HASH | NUL) != 0 || classes & HASH == 0 || bits > 7 {
            return None;
        }
        // A target's digits become upper case only where those of rules do.
        let has_upper_case_stray = bits & (UPPER_CASE | ENCODE_STRAY) == UPPER_CASE;
        let switches = bits | switch(UPPER_CASE_STRAY, has_upper_case_stray);
        Some(Encoding { classes, switches })
    }

    fn on_side(profile: &Profile, side: impl Fn(Sides) -> bool) -> Encoding {
        let decode_unreserved = profile.unreserved_decoded;
        let upper_case = side(profile.hex_upper_case);
        let encode_stray = profile.stray_percent_encoded;
        let has_upper_case_stray = profile.hex_upper_case == Sides::Both && !encode_stray;
        Encoding {
            classes: switch(HIGH, side(profile.high_bytes_encoded))
                | switch(FORBIDDEN, profile.forbidden_bytes_encoded)
                | switch(SPECIAL, profile.special_bytes_encoded)
                | switch(PERCENT, decode_unreserved || upper_case || encode_stray),
            switches: switch(DECODE_UNRESERVED, decode_unreserved)
                | switch(UPPER_CASE, upper_case)
                | switch(ENCODE_STRAY, encode_stray)
                | switch(UPPER_CASE_STRAY, has_upper_case_stray),
        }
    }

    #[inline(always)]
    fn has(self, switch: u8) -> bool {
        self.switches & switch != 0
    }

    /// Returns true if this byte of a target as given may stand for something other than itself: it may
    /// change, begin an escape that changes, or end the target.
    #[inline(always)]
    pub fn is_special(self, byte: u8) -> bool {
        CLASS[usize::from(byte)] & self.classes != 0
    }

    /// The special bytes as two tables, one for the low and one for the high four bits of a
    /// byte: it is special if both entries have a bit in common.
    #[inline(always)]
    pub fn special_nibbles(self) -> &'static [[u8; 16]; 2] {
        &SPECIAL_NIBBLES[usize::from(self.classes)]
    }

    /// Returns true if this byte ends a target.
    #[inline(always)]
    pub fn ends(self, byte: u8) -> bool {
        CLASS[usize::from(byte)] & self.classes & (HASH | NUL) != 0
    }

    /// Returns true if this byte may change or begin an escape that changes.
    #[inline(always)]
    pub fn changes(self, byte: u8) -> bool {
        CLASS[usize::from(byte)] & self.classes & CHANGING != 0
    }

    /// `text` up to the byte that ends it as a target.
    pub fn up_to_end(self, text: &[u8]) -> &[u8] {
        let end = if self.classes & NUL != 0 {
            memchr::memchr2(b'#', 0, text)
        } else {
            memchr::memchr(b'#', text)
        };
        &text[..end.unwrap_or(text.len())]
    }

    /// Returns true if every byte of a rule's text stands for itself: none may change, and none is `*`
    /// or `$`.
    pub fn is_plain(self, text: &[u8]) -> bool {
        // No branch per byte: most texts are read to their end anyway.
        let classes = text.iter().fold(0, |classes, o| classes | CLASS[usize::from(*o)]);
        classes & (self.classes & CHANGING | SPECIAL) == 0
    }

    /// What happens to a `%` and the digits after it; `None`: nothing.
    pub fn escapes(self) -> Option<Escapes> {
        (self.classes & PERCENT != 0).then_some(Escapes {
            decode_unreserved: self.has(DECODE_UNRESERVED),
            upper_case: self.has(UPPER_CASE),
            encode_stray: self.has(ENCODE_STRAY),
        })
    }

    /// The same for one byte.
    #[inline(always)]
    pub fn is_plain_byte(self, byte: u8) -> bool {
        CLASS[usize::from(byte)] & (self.classes & CHANGING | SPECIAL) == 0
    }

    /// Returns true if any byte of a pattern may change. Its stars are wildcards, which never do.
    pub fn changes_besides_stars(self, pattern: &[u8]) -> bool {
        let classes = self.classes & CHANGING;
        pattern.iter().any(|o| CLASS[usize::from(*o)] & classes != 0 && *o != b'*')
    }

    /// Returns true if any byte of `text` may change.
    pub fn changes_in(self, text: &[u8]) -> bool {
        self.classes & CHANGING != 0 && text.iter().any(|&o| self.changes(o))
    }

    /// Normalises the byte or escape at the start of `text`: returns how many bytes it takes of
    /// `text` and what they become.
    ///
    /// # Panics
    /// Panics if `text` is empty.
    #[inline]
    pub fn step(self, text: &[u8]) -> (usize, Bytes) {
        let byte = text[0];
        let class = CLASS[usize::from(byte)] & self.classes;
        if class & PERCENT != 0 {
            let digits = match text {
                [_, high, low, ..] => hex_value(*high).zip(hex_value(*low)),
                _ => None,
            };
            match digits {
                Some((high, low)) => {
                    let value = high << 4 | low;
                    if self.has(DECODE_UNRESERVED) && CLASS[usize::from(value)] & UNRESERVED != 0 {
                        (3, Bytes::one(value))
                    } else if self.has(UPPER_CASE) {
                        (3, Bytes::escape(value))
                    } else {
                        (1, Bytes::one(byte))
                    }
                }
                None if self.has(ENCODE_STRAY) => (1, Bytes::escape(byte)),
                None => self.stray(text),
            }
        } else if class & (HIGH | FORBIDDEN | SPECIAL) != 0 {
            (1, Bytes::escape(byte))
        } else {
            (1, Bytes::one(byte))
        }
    }

    /// The same for a `%` that begins no escape and stays plain, with the digit after it, and with the
    /// escape after both if that must stay one.
    #[cold]
    fn stray(self, text: &[u8]) -> (usize, Bytes) {
        let digit = text.get(1).copied().filter(u8::is_ascii_hexdigit);
        let len = 1 + usize::from(digit.is_some());
        let mut bytes = [b'%'; 5];
        if let Some(digit) = digit {
            bytes[4] = if self.has(UPPER_CASE_STRAY) { digit.to_ascii_uppercase() } else { digit };
        }
        let escape = match text[len..] {
            [b'%', high, low, ..] => hex_value(high).zip(hex_value(low)),
            _ => None,
        };
        // Of an escaped hex digit both digits are decimal, so their case is no matter.
        if let Some((high, low)) = escape.filter(|_| self.has(DECODE_UNRESERVED))
            && (high << 4 | low).is_ascii_hexdigit()
        {
            bytes.rotate_left(3);
            bytes[2..].copy_from_slice(&text[len..len + 3]);
            return (len + 3, Bytes { bytes, from: (2 - len) as u8 });
        }
        (len, Bytes { bytes, from: (5 - len) as u8 })
    }

    /// The normalised bytes of `text`, one by one.
    pub fn normalised(self, text: &[u8]) -> Normalised<'_> {
        Normalised { encoding: self, text, ready: Bytes { bytes: [0; 5], from: 5 } }
    }
}

/// These bits, if they are on.
fn switch(bits: u8, is_on: bool) -> u8 {
    if is_on { bits } else { 0 }
}

/// What normalising does to a `%` and the digits after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escapes {
    pub decode_unreserved: bool,
    pub upper_case: bool,
    pub encode_stray: bool,
}

/// Returns true if no encoding changes this byte, and it is no wildcard, no anchor, and no end of a target or of a line.
#[inline(always)]
pub fn never_changes(byte: u8) -> bool {
    CLASS[usize::from(byte)] & !UNRESERVED == 0
}

/// Returns true if this is one of the unreserved characters of RFC 3986 §2.3.
pub fn is_unreserved(byte: u8) -> bool {
    CLASS[usize::from(byte)] & UNRESERVED != 0
}

pub fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// One to five bytes, `bytes[from..]`.
#[derive(Clone, Debug)]
pub struct Bytes {
    bytes: [u8; 5],
    from: u8,
}

impl Bytes {
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[usize::from(self.from)..]
    }

    fn one(byte: u8) -> Bytes {
        Bytes { bytes: [0, 0, 0, 0, byte], from: 4 }
    }

    fn escape(byte: u8) -> Bytes {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
        Bytes { bytes: [0, 0, b'%', DIGITS[high], DIGITS[low]], from: 2 }
    }
}

/// The normalised bytes of a text. Invariant: `ready` holds what was normalised and not yet
/// yielded.
#[derive(Clone, Debug)]
pub struct Normalised<'a> {
    encoding: Encoding,
    text: &'a [u8],
    ready: Bytes,
}

impl Iterator for Normalised<'_> {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.ready.from == 5 {
            if self.text.is_empty() {
                return None;
            }
            let (read, bytes) = self.encoding.step(self.text);
            self.text = &self.text[read..];
            self.ready = bytes;
        }
        let byte = self.ready.bytes[usize::from(self.ready.from)];
        self.ready.from += 1;
        Some(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(profile: &Profile, text: &[u8]) -> Vec<u8> {
        Encoding::of_target(profile).normalised(text).collect()
    }

    #[test]
    fn rfc9309_table() {
        let cases: [(&[u8], &[u8]); 23] = [
            (b"/%62%61%7A", b"/baz"),
            (b"/%e3%83%84", b"/%E3%83%84"),
            ("/ツ".as_bytes(), b"/%E3%83%84"),
            (b"/%2f%3A", b"/%2F%3A"),
            (b"/a b", b"/a%20b"),
            (b"/\x7F\x00", b"/%7F%00"),
            (b"/\"<>\\^`{|}", b"/%22%3C%3E%5C%5E%60%7B%7C%7D"),
            (b"/*$", b"/%2A%24"),
            (b"/100%", b"/100%"),
            (b"/%4", b"/%4"),
            (b"/%e", b"/%E"),
            (b"/%eg", b"/%Eg"),
            (b"/%zz", b"/%zz"),
            (b"/%%41", b"/%%41"),
            (b"/%%7a", b"/%z"),
            (b"/%4%31", b"/%4%31"),
            (b"/%a%62%63", b"/%A%62c"),
            (b"/%%34%31", b"/%%341"),
            (b"/%%%e%3a", b"/%%%E%3A"),
            (b"/%4%%31", b"/%4%%31"),
            (b"/%\xC3", b"/%%C3"),
            (b"/[!&'()+,;=:@~]", b"/[!&'()+,;=:@~]"),
            (b"", b""),
        ];
        for (given, wanted) in cases {
            assert_eq!(target(&Profile::RFC9309, given), wanted);
            assert_eq!(target(&Profile::RFC9309, wanted), wanted, "twice");
        }
    }

    #[test]
    fn special_nibbles() {
        for classes in 0..128 {
            let encoding = Encoding { classes, ..Encoding::of_target(&Profile::RFC9309) };
            let [low, high] = encoding.special_nibbles();
            for byte in 0..=255u8 {
                let special = low[usize::from(byte & 15)] & high[usize::from(byte >> 4)] != 0;
                // No encoding has the unreserved characters among its classes.
                let without = Encoding { classes: classes & !UNRESERVED, ..encoding };
                assert_eq!(special, without.is_special(byte), "{classes} {byte}");
            }
        }
    }

    #[test]
    fn unchanged_text_is_what_changes_in_says() {
        for &(_, profile) in Profile::NAMED {
            let encoding = Encoding::of_target(&profile);
            for byte in 0..=255u8 {
                let text = [b'/', byte, b'4', b'1'];
                if !encoding.changes_in(&text) {
                    assert_eq!(target(&profile, &text), text);
                }
            }
        }
    }
}

//! From bytes to UTF-16 code units, in which JavaScript counts.
//!
//! JavaScript sees a text as `TextDecoder` decodes it: a maximal part of what is not UTF-8 becomes
//! one U+FFFD. That is what `utf8_chunks` calls one invalid chunk.

use std::ops::Range;

use crate::json::Json;

/// A mark every so many bytes: a look-up reads about as many at most.
const STEP: usize = 64;

/// Where the characters of a text are. Empty for ASCII, where bytes are units.
pub struct Positions {
    /// Some characters, ascending: the byte and the unit in which they begin. The first is the
    /// first of the text.
    marks: Vec<[u32; 2]>,
}

/// A text with its positions.
#[derive(Clone, Copy)]
pub struct Text<'t> {
    pub bytes: &'t [u8],
    pub positions: &'t Positions,
}

/// The characters of bytes: how many bytes and how many units each has.
fn characters(bytes: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().chars().map(|char| (char.len_utf8(), char.len_utf16()));
        let invalid = chunk.invalid().len();
        valid.chain((invalid > 0).then_some((invalid, 1)))
    })
}

impl Positions {
    pub fn of(bytes: &[u8]) -> Positions {
        let mut marks = Vec::new();
        if bytes.is_ascii() {
            return Positions { marks };
        }
        let (mut at, mut unit, mut next) = (0, 0, 0);
        for (bytes, units) in characters(bytes) {
            if at >= next {
                marks.push([at as u32, unit as u32]);
                next = at + STEP;
            }
            at += bytes;
            unit += units;
        }
        Positions { marks }
    }
}

impl Text<'_> {
    /// The unit in which the character begins that the byte at a place belongs to. With `up`, the
    /// next one's if the place is inside that character.
    fn unit(self, place: usize, up: bool) -> usize {
        let place = place.min(self.bytes.len());
        let after = self.positions.marks.partition_point(|mark| mark[0] as usize <= place);
        let Some(mark) = after.checked_sub(1).map(|last| self.positions.marks[last]) else {
            return place;
        };
        let [mut at, mut unit] = mark.map(|number| number as usize);
        // Up to the next mark: `utf8_chunks` looks at all that it is given before it returns.
        let end = self.positions.marks.get(after).map_or(self.bytes.len(), |next| next[0] as usize);
        for (bytes, units) in characters(&self.bytes[at..end]) {
            if at + bytes > place {
                return if up && at < place { unit + units } else { unit };
            }
            at += bytes;
            unit += units;
        }
        unit
    }

    /// A span of it: whole characters, in units, and bytes.
    pub fn write(self, json: &mut Json, span: &Range<usize>) {
        json.object(|json| {
            json.key("start").number(self.unit(span.start, false));
            json.key("end").number(self.unit(span.end, span.start < span.end));
            json.key("startByte").number(span.start);
            json.key("endByte").number(span.end);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the definition: the units of what is before, decoded.
    #[test]
    fn places() {
        let long = "aé€😀".repeat(60);
        let texts: [&[u8]; 7] = [
            b"",
            b"plain",
            "é".as_bytes(),
            long.as_bytes(),
            b"\xFFab\xC3\xC3\xA9\xE2\x82x\xF0\x9F\x98",
            &[0x80; 200],
            &[b"\xEF\xBB\xBF".as_slice(), &[b'x'; 100], b"\xE2\x82\xAC"].concat(),
        ];
        for bytes in texts {
            let positions = Positions::of(bytes);
            let text = Text { bytes, positions: &positions };
            let (mut at, mut unit) = (0, 0);
            for (len, units) in characters(bytes) {
                assert_eq!(text.unit(at, false), unit);
                assert_eq!(text.unit(at, true), unit);
                for inside in 1..len {
                    assert_eq!(text.unit(at + inside, false), unit);
                    assert_eq!(text.unit(at + inside, true), unit + units);
                }
                at += len;
                unit += units;
            }
            assert_eq!(text.unit(at, true), unit);
            assert_eq!(String::from_utf8_lossy(bytes).encode_utf16().count(), unit);
        }
    }
}

//! From bytes to UTF-16 code units, in which JavaScript counts.
//!
//! JavaScript sees a text as `TextDecoder` decodes it: a maximal part of what is not UTF-8 becomes
//! one U+FFFD. That is what `utf8_chunks` calls one invalid chunk.

use std::rc::Rc;

/// A mark every so many bytes: a look-up reads about as many at most.
const STEP: usize = 64;

/// A text, and where its characters are.
#[derive(Clone, Default)]
pub struct Text<'t> {
    bytes: &'t [u8],
    /// Some characters, ascending: the byte and the unit in which they begin. The first is the
    /// first of the text. Empty for ASCII, where bytes are units.
    pub marks: Rc<[[u32; 2]]>,
}

/// The characters of bytes: how many bytes and how many units each has.
fn characters(bytes: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().chars().map(|char| (char.len_utf8(), char.len_utf16()));
        let invalid = chunk.invalid().len();
        valid.chain((invalid > 0).then_some((invalid, 1)))
    })
}

impl<'t> Text<'t> {
    pub fn of(bytes: &'t [u8]) -> Text<'t> {
        let mut marks = Vec::new();
        if !bytes.is_ascii() {
            let (mut at, mut unit, mut next) = (0, 0, 0);
            for (bytes, units) in characters(bytes) {
                if at >= next {
                    marks.push([at as u32, unit as u32]);
                    next = at + STEP;
                }
                at += bytes;
                unit += units;
            }
        }
        Text { bytes, marks: marks.into() }
    }

    /// A text of which that is known already.
    pub fn marked(bytes: &'t [u8], marks: Rc<[[u32; 2]]>) -> Text<'t> {
        Text { bytes, marks }
    }

    /// The unit in which the character begins that the byte at a place belongs to. With `up`, the
    /// next one's if the place is inside that character.
    pub fn unit(&self, place: usize, up: bool) -> usize {
        let place = place.min(self.bytes.len());
        let after = self.marks.partition_point(|mark| mark[0] as usize <= place);
        let Some(mark) = after.checked_sub(1).map(|last| self.marks[last]) else {
            return place;
        };
        let [mut at, mut unit] = mark.map(|number| number as usize);
        // Up to the next mark: `utf8_chunks` looks at all that it is given before it returns.
        let end = self.marks.get(after).map_or(self.bytes.len(), |next| next[0] as usize);
        for (bytes, units) in characters(&self.bytes[at..end]) {
            if at + bytes > place {
                return if up && at < place { unit + units } else { unit };
            }
            at += bytes;
            unit += units;
        }
        unit
    }
}

/// The texts that the spans of a document are about.
#[derive(Default)]
pub struct Texts<'t> {
    pub file: Text<'t>,
    pub url: Text<'t>,
    pub agent: Text<'t>,
    /// The target of each explanation, in their order. An explanation may have none.
    pub targets: Vec<Text<'t>>,
    /// The number of them that have begun.
    pub begun: usize,
}

impl<'t> Texts<'t> {
    /// The text that the value of a key is a span of.
    pub fn of(&mut self, key: &str) -> Option<Text<'t>> {
        let text = match key {
            "target" => {
                self.begun += 1;
                return None;
            }
            "target_span" => self.targets.get(self.begun.checked_sub(1)?)?,
            "url_span" => &self.url,
            "agent_span" => &self.agent,
            _ if key.ends_with("_span") => &self.file,
            _ => return None,
        };
        Some(text.clone())
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
            let text = Text::of(bytes);
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

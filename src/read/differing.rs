//! Rules that cannot match the target of a verdict, told by the first bytes of their lines.

use crate::rules::normalise::never_changes;
use crate::sixteen::Sixteen;

/// How lines begin that disallow what begins as the target of a verdict.
#[derive(Clone, Copy, Debug)]
pub struct Differing {
    /// The name in lower case, a colon, a space, and the first bytes of the target. Zeros fill it up.
    line: [u8; LEN],
    /// Bit `i` is set if a rule does not match in which byte `i` is the first one that differs.
    places: u32,
}

/// The bytes of a line that are looked at.
const LEN: usize = 16;

const NAME: [u8; 8] = *b"disallow";

/// Before the path, without its slash.
const HEAD: usize = NAME.len() + 2;

/// The lowest byte that is no wildcard, no anchor, no escape, no white space, no comment and no line end.
const LOWEST: u8 = b'+';

impl Differing {
    /// `target` is normalised and begins with `/`.
    ///
    /// The first byte in which a rule differs decides if the bytes before it, which are those of the target, never
    /// change, and if this one is at least [`LOWEST`]. Then it stays or becomes a `%XX`. The target's byte is neither if it
    /// never changes too, and if the target has ended, the rule goes on.
    pub fn of(target: &[u8]) -> Differing {
        let mut line = [0; LEN];
        line[..HEAD].copy_from_slice(b"disallow: ");
        line[HEAD..].iter_mut().zip(target).for_each(|(to, byte)| *to = *byte);
        let same = target.iter().take_while(|byte| never_changes(**byte)).count();
        let decides = |at: &usize| at - HEAD < same || at - HEAD == target.len();
        let places = (HEAD + 1..LEN).take_while(decides).fold(0, |places, at| places | 1 << at);
        Differing { line, places }
    }

    /// Whether a line with these first bytes is a rule that disallows a path, spelt `Disallow: /…`. The number is above 0
    /// if it is one that cannot match the target.
    #[inline(always)]
    pub fn compare(&self, head: &[u8; LEN]) -> (bool, u32) {
        let [equal, high] = self.equal_and_high(head);
        let first = !equal & equal.wrapping_add(1);
        (first > 1 << HEAD, first & high & self.places)
    }

    /// The bytes that are as in the line, and those that are [`LOWEST`] or above.
    #[inline(always)]
    fn equal_and_high(&self, head: &[u8; LEN]) -> [u32; 2] {
        if !Sixteen::IS_FAST {
            return portable(&self.line, head);
        }
        // Sets the bit of small letters in the name.
        const LOWER: [u8; LEN] = *b"        \0\0\0\0\0\0\0\0";
        let [head, line, lower] = [head, &self.line, &LOWER].map(Sixteen::load);
        let (equal, high) = (head.or(lower).equal(line), head.is_within(LOWEST, 0xFF));
        Sixteen::bits_of_each([equal, high])
    }
}

#[inline]
fn portable(line: &[u8; LEN], head: &[u8; LEN]) -> [u32; 2] {
    let bits =
        |is: &dyn Fn(usize) -> bool| (0..LEN).fold(0, |bits, at| bits | u32::from(is(at)) << at);
    let lower = |at| if at < NAME.len() { 0x20 } else { 0 };
    [bits(&|at| head[at] | lower(at) == line[at]), bits(&|at| head[at] >= LOWEST)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_differ() {
        let (rule, differs, other) = ((true, false), (true, true), (false, false));
        for (target, line, wanted) in [
            ("/search", "Disallow: /admin", differs),
            ("/search", "disALLOW: /search", rule),
            ("/search", "Disallow: /sear\nx", rule),
            ("/search", "Disallow: /sear{", differs),
            ("/search", "Disallow: /s*\n...", rule),
            ("/search", "Disallow: /%73e", rule),
            ("/search", "Disallow: /\nDis", rule),
            ("/search", "Disallow: *admi", other),
            ("/search", "Disallow:/admin", other),
            ("/search", "Disallows: /adm", other),
            ("/search", "Allow: /admin/x", other),
            ("/", "Disallow: /admin", differs),
            ("/", "Disallow: /$\nUse", rule),
            ("/%7B", "Disallow: /{bcde", rule),
            ("/a%7B", "Disallow: /{bcde", differs),
        ] {
            let head = *line.as_bytes().first_chunk().unwrap_or(&[b' '; LEN]);
            let mut head: [u8; LEN] = head;
            head.iter_mut().zip(line.bytes()).for_each(|(to, byte)| *to = byte);
            let differing = Differing::of(target.as_bytes());
            let (is_rule, differs) = differing.compare(&head);
            assert_eq!((is_rule, differs > 0), wanted, "{target} {line}");
        }
    }

    #[test]
    fn every_byte_at_every_place() {
        let differing = Differing::of(b"/search");
        for at in 0..LEN {
            for byte in 0..=255 {
                let mut head = differing.line;
                head[at] = byte;
                let wanted = portable(&differing.line, &head);
                assert_eq!(differing.equal_and_high(&head), wanted, "{byte} at {at}");
            }
        }
    }
}

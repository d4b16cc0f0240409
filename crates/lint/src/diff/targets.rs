//! The automaton of all targets that a URL can have once normalised.
//!
//! Differences that no real URL can reach are ignored. So the search for differences walks this
//! automaton together with the two tables.

use robotsieve::internals::{ByteSet, Encoding, Escapes, Reading, hex_value, is_unreserved};

/// What follows the first `/` of `/robots.txt`.
const ROBOTS_TXT: &[u8; 10] = b"robots.txt";
/// The bytes read so far do not begin `/robots.txt`.
const ELSEWHERE: u8 = u8::MAX;

/// The automaton of all possible targets in a reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct Targets {
    encoding: Encoding,
    escapes: Option<Escapes>,
    robots_txt_allowed: bool,
    /// True if a `%` is possible that begins no escape: no valid URL has one, but what is asked about
    /// may.
    stray: bool,
}

/// A state of [`Targets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Spot {
    escape: Escape,
    /// The number of bytes of [`ROBOTS_TXT`] that have been read, if that is always allowed.
    robots_txt: u8,
}

/// Where in a `%XX` the bytes read so far end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Escape {
    Outside,
    /// After the `%`. Directly before it may be a `%` that begins no escape, or one and a digit.
    Percent {
        after_stray: bool,
    },
    /// After the `%` and this first digit.
    Digit {
        first: u8,
        after_stray: bool,
    },
}

impl Targets {
    pub(super) fn of(reading: Reading) -> Targets {
        let encoding = reading.encoding;
        let escapes = encoding.escapes();
        Targets {
            encoding,
            escapes,
            robots_txt_allowed: reading.robots_txt_allowed,
            stray: escapes.is_none_or(|escapes| !escapes.encode_stray),
        }
    }

    /// The targets without a `%` that begins no escape. `None` if there are no others.
    pub(super) fn of_valid_urls(self) -> Option<Targets> {
        self.stray.then_some(Targets { stray: false, ..self })
    }

    /// The state after a target's first `/`.
    pub(super) fn first(&self) -> Spot {
        let robots_txt = if self.robots_txt_allowed { 0 } else { ELSEWHERE };
        Spot { escape: Escape::Outside, robots_txt }
    }

    /// Returns true if a target can end here, and the rules decide about it.
    pub(super) fn may_end(&self, spot: Spot) -> bool {
        let escape_ends = spot.escape == Escape::Outside || self.stray;
        escape_ends && usize::from(spot.robots_txt) != ROBOTS_TXT.len()
    }

    /// Adds the bytes that may lead elsewhere than the others, which all lead to one state.
    pub(super) fn add_bytes(&self, spot: Spot, set: &mut ByteSet) {
        if self.has_escapes() {
            set.add(b'%');
            if spot.escape != Escape::Outside {
                b"0123456789abcdefABCDEF".iter().for_each(|digit| set.add(*digit));
            }
        }
        if let Some(byte) = ROBOTS_TXT.get(usize::from(spot.robots_txt)) {
            set.add(*byte);
        }
    }

    /// Where a byte leads. `None` if no target can continue with it.
    pub(super) fn step(&self, spot: Spot, byte: u8) -> Option<Spot> {
        let is_percent = byte == b'%' && self.has_escapes();
        if self.encoding.ends(byte) || byte != b'%' && self.encoding.changes(byte) {
            return None;
        }
        let robots_txt = match ROBOTS_TXT.get(usize::from(spot.robots_txt)) {
            Some(wanted) if *wanted == byte => spot.robots_txt + 1,
            _ => ELSEWHERE,
        };
        let upper_case = self.escapes.is_some_and(|escapes| escapes.upper_case);
        let decodes = self.escapes.is_some_and(|escapes| escapes.decode_unreserved);
        let escape = match (spot.escape, hex_value(byte)) {
            (Escape::Percent { .. } | Escape::Digit { .. }, None) if !self.stray => return None,
            (Escape::Outside, _) | (_, None) if is_percent => {
                Escape::Percent { after_stray: decodes && spot.escape != Escape::Outside }
            }
            (Escape::Outside, _) | (_, None) => Escape::Outside,
            _ if upper_case && is_lower(byte) => return None,
            (Escape::Percent { after_stray }, Some(_)) => {
                Escape::Digit { first: byte, after_stray }
            }
            (Escape::Digit { first, after_stray }, Some(low)) => {
                let value = hex_value(first).map(|high| high << 4 | low);
                // Where decoding would complete an escape, it stays away.
                let stays = |value: u8| after_stray && value.is_ascii_hexdigit();
                if decodes && value.is_some_and(|value| is_unreserved(value) && !stays(value)) {
                    return None;
                }
                Escape::Outside
            }
        };
        Some(Spot { escape, robots_txt })
    }

    /// Returns true if bytes after a `%` are told from others.
    fn has_escapes(&self) -> bool {
        self.escapes.is_some() || !self.stray
    }
}

/// Returns true if a path has a `%` that begins no escape.
pub(super) fn has_stray(path: &[u8]) -> bool {
    let is_hex = |at: usize| path.get(at).is_some_and(u8::is_ascii_hexdigit);
    memchr::memchr_iter(b'%', path).any(|at| !(is_hex(at + 1) && is_hex(at + 2)))
}

fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use robotsieve::Profile;

    use super::*;

    /// A text is possible exactly if it is the normal form of some target.
    #[test]
    fn possible_targets_are_the_normal_forms() {
        let alphabet = b"%0246aAf*\xE9 -#\0";
        let mut profiles: Vec<Profile> =
            Profile::NAMED.iter().map(|(_, profile)| *profile).collect();
        for bits in 0..8u8 {
            let on = |bit: u8| bits >> bit & 1 != 0;
            let sides = if on(1) { robotsieve::Sides::Both } else { robotsieve::Sides::Neither };
            let profile =
                Profile::RFC9309.with_unreserved_decoded(on(0)).with_hex_upper_case(sides);
            profiles.push(profile.with_stray_percent_encoded(on(2)));
        }
        for profile in profiles {
            let reading = Reading::of(&profile);
            let targets = Targets::of(reading);
            let is_possible = |text: &[u8]| {
                let steps = text.iter().try_fold(targets.first(), |s, o| targets.step(s, *o));
                steps.is_some_and(|spot| targets.may_end(spot))
            };
            for number in 0..alphabet.len().pow(4) {
                let text: Vec<u8> = (0..4)
                    .map(|digit| alphabet[number / alphabet.len().pow(digit) % alphabet.len()])
                    .collect();
                let ended = reading.encoding.up_to_end(&text);
                let normal: Vec<u8> = reading.encoding.normalised(ended).collect();
                assert!(is_possible(&normal), "{profile:?} {}", text.escape_ascii());
                if is_possible(&text) {
                    assert_eq!(normal, text, "{profile:?}");
                }
            }
        }
        let targets = Targets::of(Reading::of(&Profile::RFC9309));
        for (text, wanted) in [
            ("%4%31", true),
            ("%%341", true),
            ("%A%62c", true),
            ("%%34%31", false),
            ("%4%7A", false),
            ("%2F%31", false),
        ] {
            let steps = text.bytes().try_fold(targets.first(), |s, o| targets.step(s, o));
            assert_eq!(steps.is_some(), wanted, "{text}");
        }
        for (name, profile) in Profile::NAMED {
            let targets = Targets::of(Reading::of(profile)).of_valid_urls().unwrap();
            let is_possible = |text: &[u8]| {
                let steps = text.iter().try_fold(targets.first(), |s, o| targets.step(s, *o));
                steps.is_some_and(|spot| targets.may_end(spot))
            };
            for text in ["%", "a%4", "%zz", "%4%41", "%2F%"] {
                assert!(!is_possible(text.as_bytes()), "{name} {text}");
            }
            assert!(is_possible(b"%2Fa%C3") && is_possible(b"a"), "{name}");
        }
        let encodes = Profile::RFC9309.with_stray_percent_encoded(true);
        assert!(Targets::of(Reading::of(&encodes)).of_valid_urls().is_none());
        let targets = Targets::of(Reading::of(&Profile::RFC9309));
        let robots_txt = ROBOTS_TXT.iter().try_fold(targets.first(), |s, o| targets.step(s, *o));
        assert!(!targets.may_end(robots_txt.unwrap()));
    }
}

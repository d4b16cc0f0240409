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
    /// After the `%`.
    Percent,
    /// After the `%` and this first digit.
    Digit(u8),
}

impl Targets {
    pub(super) fn of(reading: Reading) -> Targets {
        let encoding = reading.encoding;
        // If a stray `%` is kept, and a digit after it can be the result of decoding, anything
        // may follow a `%`.
        let anything = |e: &Escapes| e.decode_unreserved && !e.encode_stray;
        let escapes = encoding.escapes();
        Targets {
            encoding,
            escapes: escapes.filter(|escapes| !anything(escapes)),
            robots_txt_allowed: reading.robots_txt_allowed,
            stray: escapes.is_none_or(|escapes| !escapes.encode_stray),
        }
    }

    /// The targets without a `%` that begins no escape. `None` if there are no others, or if decoding
    /// can make such ones of paths that have one.
    pub(super) fn of_valid_urls(self) -> Option<Targets> {
        let decodes = self.encoding.escapes().is_some_and(|escapes| escapes.decode_unreserved);
        (self.stray && !decodes).then_some(Targets { stray: false, ..self })
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
        let outside = if is_percent { Escape::Percent } else { Escape::Outside };
        let escape = match (spot.escape, self.escapes) {
            (Escape::Outside, _) => outside,
            (Escape::Percent, escapes) => match hex_value(byte) {
                Some(_)
                    if !self.stray && escapes.is_some_and(|e| e.upper_case) && is_lower(byte) =>
                {
                    return None;
                }
                Some(_) => Escape::Digit(byte),
                None if !self.stray => return None,
                None => outside,
            },
            // All others were led away at the first digit.
            (Escape::Digit(_), None) => {
                hex_value(byte)?;
                Escape::Outside
            }
            (Escape::Digit(first), Some(escapes)) => match hex_value(first).zip(hex_value(byte)) {
                Some((high, low)) => {
                    let lower = is_lower(first) || is_lower(byte);
                    let decoded = escapes.decode_unreserved && is_unreserved(high << 4 | low);
                    if decoded || escapes.upper_case && lower {
                        return None;
                    }
                    Escape::Outside
                }
                None if !self.stray => return None,
                None => outside,
            },
        };
        Some(Spot { escape, robots_txt })
    }

    /// Returns true if bytes after a `%` are told from others.
    fn has_escapes(&self) -> bool {
        self.escapes.is_some() || !self.stray
    }

    /// A path that has this target: the target itself or, if normalising would change that, the
    /// target with the digits after each `%` escaped.
    pub(super) fn path(&self, target: Vec<u8>) -> Vec<u8> {
        if self.encoding.normalised(&target).eq(target.iter().copied()) {
            return target;
        }
        let mut path = Vec::with_capacity(target.len());
        for (at, &byte) in target.iter().enumerate() {
            let after_percent = target[at.saturating_sub(2)..at].contains(&b'%');
            if after_percent && hex_value(byte).is_some() {
                path.extend(format!("%{byte:02X}").bytes());
            } else {
                path.push(byte);
            }
        }
        path
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
                    let path = targets.path(text.clone());
                    let normal: Vec<u8> = reading.encoding.normalised(&path).collect();
                    assert_eq!(normal, text, "{profile:?}");
                }
            }
        }
        for (name, profile) in Profile::NAMED {
            let targets = Targets::of(Reading::of(profile)).of_valid_urls();
            assert_eq!(targets.is_none(), *name == "rfc9309");
            let Some(targets) = targets else { continue };
            let is_possible = |text: &[u8]| {
                let steps = text.iter().try_fold(targets.first(), |s, o| targets.step(s, *o));
                steps.is_some_and(|spot| targets.may_end(spot))
            };
            for (text, wanted) in
                [("%", false), ("a%4", false), ("%zz", false), ("%4%41", false), ("%41%", false)]
            {
                assert_eq!(is_possible(text.as_bytes()), wanted, "{name} {text}");
            }
            assert!(is_possible(b"%41a%2F") && is_possible(b"a"), "{name}");
        }
        let targets = Targets::of(Reading::of(&Profile::RFC9309));
        let robots_txt = ROBOTS_TXT.iter().try_fold(targets.first(), |s, o| targets.step(s, *o));
        assert!(!targets.may_end(robots_txt.unwrap()));
    }
}

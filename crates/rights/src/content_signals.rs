//! `Content-Signal`: pieces `label=value` between commas.

use crate::limits::UseCeiling;
use crate::note::{Note, Notes};
use crate::purpose::{Purposes, Ruling};
use crate::tables::{SIGNAL_USE, SIGNALS};

/// The signals of a Content-Signal line, of a header or of robots.txt after the path.
///
/// No text defines their syntax. It is read as Cloudflare's own reader does it: pieces between
/// commas, each split at its first `=`, trimmed, without regard to case. A piece that is none of
/// `search`, `ai-input`, `ai-train` with `yes` or `no`, or `use` with `immediate`, `reference` or
/// `full`, is dropped alone. Of contradicting pieces `no` and the lowest `use` win.
///
/// ```
/// use robotsieve_rights::{ContentSignals, Note, Purpose, Purposes, UseCeiling};
///
/// let signals = ContentSignals::parse(b"search=yes, ai-train = NO, ai-input=maybe, use=reference");
/// assert_eq!(signals.allows(), Purposes::SEARCH);
/// assert_eq!(signals.disallows(), Purposes::of(&[Purpose::AiTrain]));
/// assert_eq!(signals.use_ceiling(), Some(UseCeiling::Reference));
/// assert!(signals.notes().contains(Note::UnknownValue));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentSignals {
    /// By label, as `SIGNALS` numbers them.
    said: [Ruling; SIGNALS.len()],
    ceiling: Option<UseCeiling>,
    notes: Notes,
}

impl ContentSignals {
    /// Reads signals. `O(n)`, allocates nothing; any bytes are signals, maybe none.
    #[must_use]
    pub fn parse(value: &[u8]) -> ContentSignals {
        let mut signals = ContentSignals::default();
        signals.read(value);
        signals
    }

    /// Adds the signals of another line of the same header.
    pub(super) fn read(&mut self, value: &[u8]) {
        for piece in pieces(value) {
            match piece.said {
                Ok(Signal::Ruling(number, Ruling::Disallow)) => {
                    self.said[number] = Ruling::Disallow;
                }
                Ok(Signal::Ruling(number, ruling)) if self.said[number] == Ruling::Unknown => {
                    self.said[number] = ruling;
                }
                Ok(Signal::Ruling(..)) => {}
                Ok(Signal::Ceiling(ceiling)) => {
                    self.ceiling = Some(self.ceiling.map_or(ceiling, |own| own.min(ceiling)));
                }
                Err(note) => self.notes.add(note),
            }
        }
    }

    /// The purposes that it grants.
    pub fn allows(&self) -> Purposes {
        self.purposes(Ruling::Allow)
    }

    /// The purposes that it refuses.
    pub fn disallows(&self) -> Purposes {
        self.purposes(Ruling::Disallow)
    }

    fn purposes(&self, ruling: Ruling) -> Purposes {
        let about = SIGNALS.iter().zip(self.said).filter(|(_, said)| *said == ruling);
        about.fold(Purposes::NONE, |all, ((_, purposes), _)| all | *purposes)
    }

    /// The ceiling that `use` sets.
    pub fn use_ceiling(&self) -> Option<UseCeiling> {
        self.ceiling
    }

    /// What is odd about it.
    pub fn notes(&self) -> Notes {
        self.notes
    }

    /// The ruling of a label, by its number in `SIGNALS`.
    pub(super) fn said(&self, label: usize) -> Ruling {
        self.said[label]
    }
}

/// A piece between commas.
#[derive(Clone, Copy, Debug)]
pub struct SignalPiece<'v> {
    /// The label. Without a `=`, the whole piece.
    pub label: &'v [u8],
    /// Its value, if it is one.
    pub value: Option<&'v [u8]>,
    /// The signal, or why it is none.
    pub said: Result<Signal, Note>,
}

/// A signal that is defined.
#[derive(Clone, Copy, Debug)]
pub enum Signal {
    /// About the label of this number in `SIGNALS`.
    Ruling(usize, Ruling),
    /// A value of `use`.
    Ceiling(UseCeiling),
}

/// The pieces of a value, in their order. There is at least one.
pub fn pieces(value: &[u8]) -> impl Iterator<Item = SignalPiece<'_>> {
    value.split(|byte| *byte == b',').map(|piece| {
        let piece = piece.trim_ascii();
        let Some(equals) = memchr::memchr(b'=', piece) else {
            return SignalPiece { label: piece, value: None, said: Err(Note::Malformed) };
        };
        let (label, value) = (piece[..equals].trim_ascii(), piece[equals + 1..].trim_ascii());
        SignalPiece { label, value: Some(value), said: signal(label, value) }
    })
}

fn signal(label: &[u8], value: &[u8]) -> Result<Signal, Note> {
    let is = |text: &[u8], word: &str| text.eq_ignore_ascii_case(word.as_bytes());
    if let Some(number) = SIGNALS.iter().position(|(name, _)| is(label, name)) {
        return match () {
            () if is(value, "yes") => Ok(Signal::Ruling(number, Ruling::Allow)),
            () if is(value, "no") => Ok(Signal::Ruling(number, Ruling::Disallow)),
            () => Err(Note::UnknownValue),
        };
    }
    if is(label, SIGNAL_USE) {
        let ceiling = UseCeiling::ALL.iter().find(|ceiling| is(value, ceiling.as_str()));
        return ceiling.map(|ceiling| Signal::Ceiling(*ceiling)).ok_or(Note::UnknownValue);
    }
    Err(if label.is_empty() { Note::Malformed } else { Note::UnknownLabel })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Search, input, training as `+`, `-` or `?`, the ceiling and the notes.
    fn shown(value: &str) -> String {
        let signals = ContentSignals::parse(value.as_bytes());
        let sign = |said: &Ruling| match said {
            Ruling::Allow => '+',
            Ruling::Disallow => '-',
            Ruling::Unknown => '?',
        };
        let mut text: String = signals.said.iter().map(sign).collect();
        for word in signals.ceiling.iter().map(|ceiling| ceiling.as_str()) {
            text.extend([" ", word]);
        }
        for note in signals.notes().iter() {
            text.extend([" ", note.as_str()]);
        }
        text
    }

    #[test]
    fn signals() {
        for (value, wanted) in [
            ("", "??? malformed"),
            ("search=yes,ai-train=no", "+?-"),
            ("Search = YES ,\tAI-Input=No , ai-train =yes", "+-+"),
            // The other draft's words.
            ("train-ai=no", "??? unknown-label"),
            ("ai-train=n", "??? unknown-value"),
            ("ai-train=disallow, search=true", "??? unknown-value"),
            ("ai-train=\"no\"", "??? unknown-value"),
            // A bad piece is dropped alone.
            ("search=yes, ai-train=no,", "+?- malformed"),
            (",,search=yes", "+?? malformed"),
            ("ai-train:no, search=yes", "+?? malformed"),
            ("=no, search=yes", "+?? malformed"),
            ("search=yes ai-train=no", "??? unknown-value"),
            ("search=yes; ai-train=no", "??? unknown-value"),
            ("search==yes", "??? unknown-value"),
            // In a line no wins, wherever it stands.
            ("ai-train=no, ai-train=yes", "??-"),
            ("ai-train=yes, ai-train=no", "??-"),
            ("ai-train=yes, ai-train=maybe", "??+ unknown-value"),
            ("search=yes,ai-train=no,use=reference", "+?- reference"),
            ("use=full, use=IMMEDIATE, use=reference", "??? immediate"),
            ("use=some", "??? unknown-value"),
        ] {
            assert_eq!(shown(value), wanted, "{value}");
        }
    }
}

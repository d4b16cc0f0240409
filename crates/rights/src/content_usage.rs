//! `Content-Usage`: a dictionary of preferences (draft-ietf-aipref-vocab §6, RFC 9651).

use std::fmt;

use robotsieve::records::Preferences;
use sfv::visitor::{
    DictionaryVisitor, EntryVisitor, Ignored, InnerListVisitor, ItemVisitor, ParameterVisitor,
};
use sfv::{BareItemFromInput, KeyRef, Parser};

use crate::note::{Note, Notes};
use crate::purpose::{Purposes, Ruling};
use crate::tables::{USAGE_NAMES, usage_labels};
use crate::version::Vocabulary;

/// A statement of Content-Usage, of a header or of a line in robots.txt after its path.
///
/// It is a dictionary of RFC 9651: a label such as `train-ai`, and `y` or `n`. Any other value
/// leaves the label unknown, and of equal labels the last counts. Parameters are ignored, and so
/// are labels that the vocabulary does not have.
///
/// `search=y` covers what a search engine itself needs, training of its own models included.
///
/// ```
/// use robotsieve_rights::{ContentUsage, Purpose, Purposes, Vocabulary};
///
/// let usage = ContentUsage::parse(b"train-ai=n, search=y;x=1")?;
/// assert_eq!(usage.disallows(Vocabulary::V08), Purposes::of(&[Purpose::AiTrain]));
/// assert_eq!(usage.allows(Vocabulary::V08), Purposes::SEARCH);
/// // One mistake spoils all of it.
/// assert!(ContentUsage::parse(b"train-ai=n, search = y").is_err());
/// # Ok::<(), robotsieve_rights::InvalidContentUsage>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentUsage {
    /// By label, as [`USAGE_NAMES`] numbers them. `None` if it is not there.
    said: [Option<Ruling>; USAGE_NAMES.len()],
    /// True if a label is in no vocabulary.
    has_unknown_label: bool,
}

impl ContentUsage {
    /// Reads a statement. Several field lines of a header are joined with `, ` first.
    ///
    /// `O(n)`; allocates nothing for values of labels and tokens.
    ///
    /// # Errors
    /// Returns an error if it is not a dictionary of RFC 9651. Then all of it is unknown.
    pub fn parse(value: &[u8]) -> Result<ContentUsage, InvalidContentUsage> {
        let mut usage = ContentUsage { said: [None; USAGE_NAMES.len()], has_unknown_label: false };
        read_members(value, |member| match number_of(member.label) {
            // The last of equal labels counts, whatever its value.
            Some(number) => usage.said[number] = Some(member.ruling()),
            None => usage.has_unknown_label = true,
        })?;
        Ok(usage)
    }

    /// Reads a line of robots.txt. Other than in a header, a path without a statement is malformed.
    pub fn of_record(said: &Preferences<'_>) -> Result<ContentUsage, InvalidContentUsage> {
        if said.path.is_some() && said.statement.is_empty() {
            return Err(InvalidContentUsage(
                "expected preferences after the path, such as / train-ai=n",
            ));
        }
        ContentUsage::parse(said.statement)
    }

    /// The preference stated for a label: [`Ruling::Unknown`] if its value is not defined. `None` if
    /// the label is not there, or in no vocabulary.
    pub fn label(&self, name: &str) -> Option<Ruling> {
        self.said[number_of(name)?]
    }

    /// The purposes that it allows.
    pub fn allows(&self, vocabulary: Vocabulary) -> Purposes {
        self.purposes(vocabulary).0
    }

    /// The purposes that it disallows.
    pub fn disallows(&self, vocabulary: Vocabulary) -> Purposes {
        self.purposes(vocabulary).1
    }

    /// What is odd about it: labels that the vocabulary does not have, values that it does not define.
    pub fn notes(&self, vocabulary: Vocabulary) -> Notes {
        let labels = usage_labels(vocabulary);
        let mut notes = Notes::NONE;
        notes.add_if(self.has_unknown_label, Note::UnknownLabel);
        for (name, said) in USAGE_NAMES.iter().zip(self.said) {
            let is_known = labels.iter().any(|label| label.name == *name);
            notes.add_if(said.is_some() && !is_known, Note::UnknownLabel);
            notes.add_if(said == Some(Ruling::Unknown) && is_known, Note::UnknownValue);
        }
        let trains = self.label("train-ai") == Some(Ruling::Allow);
        notes.add_if(trains && vocabulary >= Vocabulary::V05, Note::FoundationModels);
        notes
    }

    /// The purposes that it allows, and those that it disallows. A purpose can be among both, where a
    /// label that covers a part of it says no.
    fn purposes(&self, vocabulary: Vocabulary) -> (Purposes, Purposes) {
        let (mut allows, mut disallows) = (Purposes::NONE, Purposes::NONE);
        for label in usage_labels(vocabulary) {
            match self.effective(label.name, label.parent, vocabulary) {
                Ruling::Allow => allows |= label.about,
                Ruling::Disallow => disallows |= label.about | label.restricts,
                Ruling::Unknown => {}
            }
        }
        (allows, disallows)
    }

    /// The preference for a label, or else that of the nearest label above it that has one.
    fn effective(
        &self,
        mut name: &'static str,
        mut parent: Option<&'static str>,
        vocabulary: Vocabulary,
    ) -> Ruling {
        loop {
            match (self.label(name), parent) {
                (Some(said @ (Ruling::Allow | Ruling::Disallow)), _) => return said,
                (_, None) => return Ruling::Unknown,
                (_, Some(above)) => {
                    let labels = usage_labels(vocabulary).iter();
                    name = above;
                    parent = labels.filter(|label| label.name == above).find_map(|l| l.parent);
                }
            }
        }
    }
}

fn number_of(name: &str) -> Option<usize> {
    USAGE_NAMES.iter().position(|known| *known == name)
}

/// The error of [`ContentUsage::parse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidContentUsage(pub &'static str);

impl fmt::Display for InvalidContentUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for InvalidContentUsage {}

/// A member of the dictionary: a label and its value.
#[derive(Clone, Copy, Debug)]
pub struct UsageMember<'v> {
    /// The key.
    pub label: &'v str,
    /// The value, if it is a token. Parameters are left out.
    pub token: Option<&'v str>,
}

impl UsageMember<'_> {
    /// What it says by a vocabulary, or why it says nothing.
    pub fn said(&self, vocabulary: Vocabulary) -> Result<Ruling, Note> {
        match self.ruling() {
            _ if !usage_labels(vocabulary).iter().any(|label| label.name == self.label) => {
                Err(Note::UnknownLabel)
            }
            Ruling::Unknown => Err(Note::UnknownValue),
            ruling => Ok(ruling),
        }
    }

    /// The preference about the label.
    fn ruling(&self) -> Ruling {
        match self.token {
            Some("y") => Ruling::Allow,
            Some("n") => Ruling::Disallow,
            _ => Ruling::Unknown,
        }
    }
}

/// Calls `read` with each member of a statement in turn.
///
/// # Errors
/// Returns an error if it is not a dictionary of RFC 9651. Members may have been read before that.
pub fn read_members<'v>(
    value: &'v [u8],
    read: impl FnMut(UsageMember<'v>),
) -> Result<(), InvalidContentUsage> {
    let parser = Parser::new(value);
    parser.parse_dictionary_with_visitor(Members(read)).map_err(|_| {
        InvalidContentUsage("expected a dictionary of RFC 9651, such as train-ai=n, search=y")
    })
}

struct Members<F>(F);

impl<'v, F: FnMut(UsageMember<'v>)> DictionaryVisitor<'v> for Members<F> {
    type Out = ();
    type Error = std::convert::Infallible;

    fn entry(&mut self, key: &'v KeyRef) -> Result<impl EntryVisitor<'v>, Self::Error> {
        Ok(Member { label: key.as_str(), read: &mut self.0 })
    }

    fn finish(self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Reads the value of a member.
struct Member<'v, 'f, F> {
    label: &'v str,
    read: &'f mut F,
}

impl<'v, F: FnMut(UsageMember<'v>)> EntryVisitor<'v> for Member<'v, '_, F> {
    type Error = std::convert::Infallible;

    fn item(self) -> Result<impl ItemVisitor<'v>, Self::Error> {
        Ok(self)
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'v>, Self::Error> {
        (self.read)(UsageMember { label: self.label, token: None });
        Ok(Ignored)
    }
}

impl<'v, F: FnMut(UsageMember<'v>)> ItemVisitor<'v> for Member<'v, '_, F> {
    type Out = ();
    type Error = std::convert::Infallible;

    fn bare_item(
        self,
        item: BareItemFromInput<'v>,
    ) -> Result<impl ParameterVisitor<'v, Out = Self::Out>, Self::Error> {
        let token = match item {
            BareItemFromInput::Token(token) => Some(token.as_str()),
            _ => None,
        };
        (self.read)(UsageMember { label: self.label, token });
        Ok(Ignored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::purpose::Purpose;

    /// Of the labels of version 08: training, use, search, as `+`, `-`, `?` or a space.
    fn shown(value: &str) -> Option<String> {
        let usage = ContentUsage::parse(value.as_bytes()).ok()?;
        let sign = |label: &&str| match usage.label(label) {
            Some(Ruling::Allow) => '+',
            Some(Ruling::Disallow) => '-',
            Some(Ruling::Unknown) => '?',
            None => ' ',
        };
        Some(["train-ai", "ai-use", "search"].iter().map(sign).collect())
    }

    #[test]
    fn dictionaries() {
        for (value, wanted) in [
            ("", "   "),
            ("train-ai=n", "-  "),
            ("train-ai=y, search=n,ai-use=y", "++-"),
            ("  train-ai=y\t,\tsearch=n ", "+ -"),
            // Only the tokens y and n are preferences.
            ("train-ai=Y, ai-use=\"n\", search=?0", "???"),
            ("train-ai, ai-use=1, search=(y n)", "???"),
            ("train-ai=yes, search=*", "? ?"),
            // The last of equal keys counts, even if it says nothing.
            ("train-ai=n, train-ai=y", "+  "),
            ("train-ai=n, train-ai", "?  "),
            ("train-ai=(n), train-ai=n", "-  "),
            // Parameters are ignored.
            ("train-ai=n;y;x=\"a,b\", search;a=n", "- ?"),
            // Every type parses.
            ("a=1, b=-1.5, c=:aGk=:, d=@1, e=%\"%c3%a9\", f=\"\\\"\", train-ai=n", "-  "),
            ("*=y, _-.*=n", "!"),
        ] {
            let wanted = (wanted != "!").then(|| wanted.to_string());
            assert_eq!(shown(value), wanted, "{value}");
        }
    }

    #[test]
    fn one_mistake_spoils_all() {
        for value in [
            "Train-AI=n",
            "train-ai =n",
            "train-ai= n",
            ",train-ai=n",
            "train-ai=n,",
            "train-ai=n,,search=n",
            "train-ai=n;",
            "train-ai=n search=n",
            "train-ai=n, gr\u{f6}\u{df}e=y",
            "/ train-ai=n",
            "train-ai=n, a=%\"%ff\"",
            "train-ai=n, a=%\"%C3%A9\"",
            "train-ai=n\u{c}",
            "train-ai=n, a=1.2345",
            "train-ai=n, a=:a:b:",
        ] {
            assert_eq!(shown(value), None, "{value}");
        }
    }

    #[test]
    fn at_least_1024_members() {
        let many: Vec<String> = (0..50_000).map(|n| format!("a{n}=y")).collect();
        assert_eq!(shown(&format!("{}, train-ai=n", many.join(", "))), Some("-  ".into()));
    }

    #[test]
    fn vocabularies() {
        let usage = |value: &str, version: &str| {
            let usage = ContentUsage::parse(value.as_bytes()).unwrap();
            let version = version.parse().unwrap();
            let (allows, disallows) = (usage.allows(version), usage.disallows(version));
            let sign = |purpose: &Purpose| match purpose {
                _ if disallows.contains(*purpose) => '-',
                _ if allows.contains(*purpose) => '+',
                _ => '?',
            };
            let uses = [Purpose::Index, Purpose::Snippet, Purpose::AiInput, Purpose::AiTrain];
            uses.iter().map(sign).collect::<String>()
        };
        assert_eq!(usage("train-ai=n, ai-use=n, search=y", "08"), "++--");
        assert_eq!(usage("train-ai=n, ai-use=n, search=y", "07"), "++?-");
        assert_eq!(usage("train-ai=y", "05"), "???+");
        // Labels of other versions.
        assert_eq!(usage("bots=n, all=n, tdm=n", "08"), "????");
        // In 04 search falls back to ai-output, and that to bots.
        assert_eq!(usage("bots=n", "04"), "----");
        assert_eq!(usage("bots=y", "04"), "++++");
        assert_eq!(usage("bots=n, ai-output=y", "04"), "+++-");
        assert_eq!(usage("bots=n, search=y", "04"), "++--");
        // A value that is not defined is none.
        assert_eq!(usage("bots=n, search=maybe", "04"), "----");
        // No label of 03 is for input: bots may restrict it, never permit it.
        assert_eq!(usage("bots=n, train-ai=y", "03"), "---+");
        assert_eq!(usage("bots=y", "03"), "++?+");
        // A label for a part of training may restrict training, never permit it.
        assert_eq!(usage("train-genai=n", "03"), "???-");
        assert_eq!(usage("train-genai=y", "03"), "????");
        assert_eq!(usage("train-ai=n, train-genai=y", "03"), "???-");
        assert_eq!(usage("all=n, ai-use=y", "02"), "--+-");
        assert_eq!(usage("tdm=n, inference=y, search=y", "01"), "+++-");
        assert_eq!(usage("tdm=n, ai=y", "01"), "---+");
        assert_eq!(usage("genai=n", "01"), "???-");
    }

    #[test]
    fn oddities() {
        let notes = |value: &str, vocabulary| {
            let notes = ContentUsage::parse(value.as_bytes()).unwrap().notes(vocabulary);
            notes.iter().collect::<Vec<_>>()
        };
        assert_eq!(notes("train-ai=n", Vocabulary::V08), []);
        assert_eq!(notes("bots=n", Vocabulary::V08), [Note::UnknownLabel]);
        assert_eq!(notes("bots=n", Vocabulary::V04), []);
        assert_eq!(notes("x=y", Vocabulary::V08), [Note::UnknownLabel]);
        assert_eq!(notes("train-ai=no", Vocabulary::V08), [Note::UnknownValue]);
    }
}

//! TDM Reservation Protocol: a file of the site, two header fields and two meta tags.

use std::fmt;

use robotsieve::Profile;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::note::{Note, Notes};
use crate::paths::Paths;
use crate::place::{HeaderField, Place};
use crate::quotation::{around, in_one_line};

/// Whether rights are reserved, and under which policy: what one source says of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TdmRep {
    /// `tdm-reservation`: true if it is 1, false if it is 0. `None` if it is not set, or not validly.
    pub reserved: Option<(bool, Place)>,
    /// `tdm-policy`: the address of the terms, which must be absolute.
    pub policy: Option<(Box<str>, Place)>,
    notes: Notes,
}

impl TdmRep {
    /// Adds a `tdm-reservation` of this source. Of two that disagree the one that reserves counts.
    pub fn add_reservation(&mut self, value: &[u8], place: Place) {
        // Whoever joins lines of a header puts a comma between them (RFC 9110 §5.3).
        for value in value.split(|byte| *byte == b',') {
            match value.trim_ascii() {
                b"1" => self.reserve(true, place.clone()),
                b"0" => self.reserve(false, place.clone()),
                _ => self.notes.add(Note::TdmValue),
            }
        }
    }

    /// Adds a `tdm-policy` of this source. The first that is an absolute URL counts.
    pub fn add_policy(&mut self, value: &[u8], place: Place) {
        // An address has no white space: what follows it was joined to it.
        let end = memchr::memmem::find(value, b", ").unwrap_or(value.len());
        match absolute(value[..end].trim_ascii()) {
            Some(url) if self.policy.is_none() => self.policy = Some((url.into(), place)),
            Some(_) => {}
            None => self.notes.add(Note::TdmPolicy),
        }
    }

    /// What is odd about it.
    pub fn notes(&self) -> Notes {
        self.notes
    }

    /// What both sources say: each property alone, this source before the other.
    pub(super) fn or(self, other: TdmRep) -> TdmRep {
        let mut notes = self.notes;
        notes.add_all(other.notes);
        TdmRep {
            reserved: self.reserved.or(other.reserved),
            policy: self.policy.or(other.policy),
            notes,
        }
    }

    fn reserve(&mut self, is_reserved: bool, place: Place) {
        match self.reserved {
            Some((own, _)) if own >= is_reserved => {}
            _ => self.reserved = Some((is_reserved, place)),
        }
    }
}

/// The text, if it is an absolute URL.
fn absolute(text: &[u8]) -> Option<&str> {
    let text = str::from_utf8(text).ok()?;
    url::Url::parse(text).is_ok().then_some(text)
}

/// `/.well-known/tdmrep.json`: rules by path, of which the first that matches counts.
///
/// ```
/// use robotsieve_rights::TdmFile;
///
/// let file = br#"[
///     {"location": "/open/", "tdm-reservation": 0},
///     {"location": "/", "tdm-reservation": 1, "tdm-policy": "https://e.com/policy.json"}
/// ]"#;
/// let file = TdmFile::parse(file)?;
/// let (reserved, place) = file.rule_for(b"/a").reserved.unwrap();
/// assert!(reserved);
/// assert_eq!(place.to_string(), "file:/.well-known/tdmrep.json:2");
/// # Ok::<(), robotsieve_rights::InvalidTdmFile>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TdmFile {
    /// Those with a location. The number of a rule is its place in the file.
    paths: Paths,
    /// What the rules say, by their place in the file.
    rules: Vec<TdmRule>,
    /// The first rule that reserves, or does not say clearly that it does not, and whose location is missing or no
    /// path.
    unread: Option<u32>,
}

/// The most characters of a rule that are kept, to quote it.
const MOST_QUOTED: usize = 200;

#[derive(Clone, Debug, Default)]
struct TdmRule {
    location: Option<Box<str>>,
    /// `None` if it is missing, or neither 0 nor 1.
    reserved: Option<bool>,
    /// True once it was there.
    has_reservation: bool,
    /// Empty if it is not a string.
    policy: Box<str>,
    /// Its text, if it has a location.
    quote: Box<str>,
}

impl TdmFile {
    /// Reads a file. `O(n)`; nesting is limited to 128.
    ///
    /// A rule without a location is passed over and keeps its number, and so is what is no object. One that reserves
    /// may be for any path: [`Note::TdmFile`] says so of the paths for which no rule before it is.
    ///
    /// # Errors
    /// Returns an error if it is not an array in JSON. Then the protocol is not implemented.
    pub fn parse(file: &[u8]) -> Result<TdmFile, InvalidTdmFile> {
        // RFC 8259 §8.1: a reader may ignore a byte order mark.
        let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
        let mut json = serde_json::Deserializer::from_slice(file);
        let rules = json.deserialize_seq(Rules).and_then(|rules| json.end().map(|()| rules));
        let mut rules = rules.map_err(|_| InvalidTdmFile(()))?;
        let words = [HeaderField::TdmReservation.as_str().to_owned()];
        for (rule, text) in rules.iter_mut().zip(elements(file)) {
            if rule.location.is_some() {
                let text = in_one_line(&String::from_utf8_lossy(text));
                rule.quote = around(&text, MOST_QUOTED, &words).into();
            }
        }
        let is_unread = |rule: &TdmRule| {
            let is_path = |location: &str| location.starts_with(['/', '*']);
            rule.has_reservation
                && rule.reserved != Some(false)
                && !rule.location.as_deref().is_some_and(is_path)
        };
        let unread = (0..).zip(&rules).find(|(_, rule)| is_unread(rule)).map(|(number, _)| number);
        let locations = rules.iter_mut().map(|rule| rule.location.take()).collect::<Vec<_>>();
        let paths = locations.iter().zip(0..).filter_map(|(location, number)| {
            let location = location.as_deref()?;
            (!location.is_empty()).then_some((Some(location.as_bytes()), number))
        });
        Ok(TdmFile { paths: Paths::new(paths, &Profile::RFC9309), rules, unread })
    }

    /// Returns true if a rule before the one for a path reserves, and it is not known where.
    pub(crate) fn may_reserve(&self, target: &[u8]) -> bool {
        self.unread.is_some_and(|unread| self.paths.first(target).is_none_or(|own| unread < own))
    }

    /// The text of a rule, shortened around what it reserves.
    pub(crate) fn quote(&self, rule: u32) -> Option<String> {
        let rule = self.rules.get(rule.checked_sub(1)? as usize)?;
        (!rule.quote.is_empty()).then(|| rule.quote.clone().into())
    }

    /// What the file says of a path: what its first rule that matches says, be it nothing.
    ///
    /// `target` is the path with its query, normalised as [`Target::to_vec`](robotsieve::Target::to_vec)
    /// does it in [`Profile::RFC9309`].
    pub fn rule_for(&self, target: &[u8]) -> TdmRep {
        let mut said = TdmRep::default();
        let Some(number) = self.paths.first(target) else { return said };
        let Some(rule) = self.rules.get(number as usize) else { return said };
        let place = Place::TdmFile { rule: number.saturating_add(1) };
        match rule.reserved {
            Some(is_reserved) => said.reserve(is_reserved, place.clone()),
            None => said.notes.add(Note::TdmValue),
        }
        if !rule.policy.is_empty() {
            said.add_policy(rule.policy.as_bytes(), place);
        }
        said
    }
}

/// The elements of an array in JSON, which must be valid, without the white space around them.
fn elements(array: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut depth, mut is_text, mut is_escaped, mut begin) = (0_u32, false, false, 0);
    let ends = array.iter().enumerate().filter_map(move |(at, byte)| {
        let is_first = std::mem::take(&mut is_escaped);
        match byte {
            _ if is_first => return None,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            _ if is_text => return None,
            b'[' | b'{' => {
                depth += 1;
                if depth == 1 {
                    begin = at + 1;
                }
            }
            b']' | b'}' if depth > 1 => depth -= 1,
            b',' | b']' if depth == 1 => {
                let element = &array[begin..at];
                begin = at + 1;
                return Some(element.trim_ascii());
            }
            _ => {}
        }
        None
    });
    ends.take_while(|element| !element.is_empty())
}

/// The error of [`TdmFile::parse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidTdmFile(());

impl fmt::Display for InvalidTdmFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected an array of rules in JSON")
    }
}

impl std::error::Error for InvalidTdmFile {}

/// Reads an array of rules.
struct Rules;

impl<'de> Visitor<'de> for Rules {
    type Value = Vec<TdmRule>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of rules")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<TdmRule>, A::Error> {
        let mut rules = Vec::new();
        while let Some(rule) = seq.next_element_seed(Member(TdmRule::default()))? {
            rules.push(rule);
        }
        Ok(rules)
    }
}

/// Reads one thing of any type into what is given: an object into a rule, a number into a reservation.
/// What is of another type leaves it as it is.
struct Member<T>(T);

/// The methods of a visitor that take values of simple types and do nothing with them.
macro_rules! ignore_simple_values {
    () => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything")
        }

        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(self.0)
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(self.0)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok(self.0)
        }
    };
}

/// As [`ignore_simple_values`], for objects.
macro_rules! ignore_objects {
    () => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(self.0)
        }
    };
}

/// As [`ignore_simple_values`], for numbers.
macro_rules! ignore_numbers {
    () => {
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(self.0)
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(self.0)
        }

        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(self.0)
        }
    };
}

/// As [`ignore_simple_values`], for strings.
macro_rules! ignore_strings {
    () => {
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok(self.0)
        }
    };
}

impl<'de> Visitor<'de> for Member<TdmRule> {
    type Value = TdmRule;

    ignore_simple_values!();
    ignore_numbers!();
    ignore_strings!();

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<TdmRule, A::Error> {
        while let Some(key) = map.next_key::<Key>()? {
            match key {
                Key::Location => self.0.location = map.next_value_seed(Member(None))?,
                Key::Reservation => {
                    let next: Option<bool> = map.next_value_seed(Member(None))?;
                    // Of equal keys the one that reserves counts, as of lines of the header.
                    self.0.reserved = match (self.0.has_reservation, self.0.reserved, next) {
                        (false, _, next) => next,
                        (true, Some(true), _) | (true, _, Some(true)) => Some(true),
                        (true, Some(false), Some(false)) => Some(false),
                        (true, _, _) => None,
                    };
                    self.0.has_reservation = true;
                }
                Key::Policy => {
                    let policy: Option<Box<str>> = map.next_value_seed(Member(None))?;
                    self.0.policy = policy.unwrap_or_default();
                }
                Key::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(self.0)
    }
}

impl<'de> Visitor<'de> for Member<Option<Box<str>>> {
    type Value = Option<Box<str>>;

    ignore_simple_values!();
    ignore_numbers!();
    ignore_objects!();

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.into()))
    }
}

impl<'de> Visitor<'de> for Member<Option<bool>> {
    type Value = Option<bool>;

    ignore_simple_values!();
    ignore_objects!();
    ignore_strings!();

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(self.0)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(match number {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        })
    }

    /// JSON has no integers: `1.0` is 1. What became 0 may have been a little more.
    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok((number == 1.0).then_some(true))
    }
}

impl<'de, T> DeserializeSeed<'de> for Member<T>
where
    Member<T>: Visitor<'de, Value = T>,
{
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// The keys of a rule.
#[derive(Deserialize)]
enum Key {
    #[serde(rename = "location")]
    Location,
    #[serde(rename = "tdm-reservation")]
    Reservation,
    #[serde(rename = "tdm-policy")]
    Policy,
    #[serde(other)]
    Other,
}

#[cfg(test)]
mod tests {
    use robotsieve::Target;

    use super::*;
    use crate::place::HeaderField;

    /// What the file says of a path: rule, reservation and policy.
    fn shown(file: &str, path: &str) -> Option<String> {
        let file = TdmFile::parse(file.as_bytes()).ok()?;
        let target = Target::from_path(path, &Profile::RFC9309).unwrap().to_vec();
        let said = file.rule_for(&target);
        let mut text = String::new();
        if let Some((is_reserved, place)) = said.reserved {
            text += &format!("{is_reserved} {place}");
        }
        if let Some((policy, _)) = &said.policy {
            text += &format!(" {policy}");
        }
        for note in said.notes.iter() {
            text += &format!(" {note}");
        }
        Some(text.replace("file:/.well-known/tdmrep.json:", ""))
    }

    #[test]
    fn files() {
        let rule = |location: &str, rest: &str| format!(r#"{{"location": {location}{rest}}}"#);
        let one = |reservation: &str| {
            format!("[{}]", rule("\"/\"", &format!(r#", "tdm-reservation": {reservation}"#)))
        };
        for (reservation, wanted) in [
            ("1", "true 1"),
            ("0", "false 1"),
            ("1.0", "true 1"),
            ("2", " tdm-value"),
            ("-1", " tdm-value"),
            ("0.5", " tdm-value"),
            ("99999999999999999999", " tdm-value"),
            ("\"1\"", " tdm-value"),
            ("true", " tdm-value"),
            ("null", " tdm-value"),
            ("1, \"tdm-reservation\": 0", "true 1"),
            ("0, \"tdm-reservation\": 1", "true 1"),
            ("1, \"tdm-reservation\": null", "true 1"),
            ("0, \"tdm-reservation\": null", " tdm-value"),
            ("[1]", " tdm-value"),
            ("{\"tdm-reservation\": 1}", " tdm-value"),
        ] {
            assert_eq!(shown(&one(reservation), "/a").as_deref(), Some(wanted), "{reservation}");
        }
        assert_eq!(shown(&format!("\u{feff}{}", one("1")), "/").as_deref(), Some("true 1"));
        for file in
            ["", "{}", "1", "[1", "[1,]", "[] []", "[{\"location\": \"/\",}]", "\"x\"", "null"]
        {
            assert_eq!(shown(file, "/"), None, "{file}");
        }
        let many = format!(
            r#"["x", 7, null, {}, {{"tdm-reservation": 1}}, {}, {}]"#,
            rule("7", ", \"tdm-reservation\": 1"),
            rule(
                "\"/a/*.pdf$\"",
                ", \"tdm-reservation\": 1, \"tdm-policy\": \"https://e.com/p\", \"x\": [{}]"
            ),
            rule("\"/a\"", ", \"tdm-reservation\": 0, \"tdm-policy\": 5")
        );
        assert_eq!(shown(&many, "/a/x.pdf").as_deref(), Some("true 6 https://e.com/p"));
        assert_eq!(shown(&many, "/a/x.pdf?").as_deref(), Some("false 7"));
        assert_eq!(shown(&many, "/x").as_deref(), Some(""));
        // Case counts, and escapes are compared as in robots.txt.
        assert_eq!(shown(&many, "/A").as_deref(), Some(""));
        assert_eq!(shown(&many, "/%61").as_deref(), Some("false 7"));
        // The first match decides, even if it says nothing.
        let bad =
            format!("[{}, {}]", rule("\"/a\"", ""), rule("\"/\"", ", \"tdm-reservation\": 1"));
        assert_eq!(shown(&bad, "/a").as_deref(), Some(" tdm-value"));
        assert_eq!(shown(&bad, "/b").as_deref(), Some("true 2"));
        let relative = one("1, \"tdm-policy\": \"/p\"");
        assert_eq!(shown(&relative, "/").as_deref(), Some("true 1 tdm-policy"));
    }

    /// A reservation whose location is no path may be for any.
    #[test]
    fn locations() {
        let permits = "{\"location\": \"/\", \"tdm-reservation\": 0}";
        let note = |file: &str, headers: &[(&str, &str)]| {
            let documents =
                crate::Documents::new().with("/.well-known/tdmrep.json", file.as_bytes());
            let response = crate::Response::new()
                .with_headers([("Content-Usage", "train-ai=y")])
                .with_headers(headers.iter().copied());
            let reader = crate::RightsReader::new(&"x".into());
            let rights = reader.rights("https://e.com/a", None, &response, &documents).unwrap();
            let ruling = rights.ruling(crate::Purpose::AiTrain);
            (rights.notes().contains(Note::TdmFile), ruling)
        };
        use crate::Ruling::{Allow, Disallow, Unknown};
        for (location, wanted) in [
            ("\" /\"", true),
            ("[\"/\"]", true),
            ("\"\"", true),
            ("\"https://e.com/\"", true),
            ("\"/x\"", false),
            ("\"*.pdf\"", false),
        ] {
            let rule =
                |number| format!("{{\"location\": {location}, \"tdm-reservation\": {number}}}");
            let of = |rules: &[&str]| note(&format!("[{}]", rules.join(",")), &[]);
            let ruling = if wanted { Unknown } else { Allow };
            assert_eq!(of(&[&rule(1)]), (wanted, ruling), "{location}");
            assert_eq!(of(&[&rule(1), permits]), (wanted, ruling), "{location}");
            assert_eq!(of(&[permits, &rule(1)]), (false, Allow), "{location}");
            assert_eq!(of(&[&rule(0)]), (false, Allow), "{location}");
        }
        for (rule, wanted) in [
            ("{\"tdm-reservation\": 1}", true),
            ("{\"path\": \"/\", \"tdm-reservation\": 1}", true),
            ("{\"Location\": \"/\", \"tdm-reservation\": 1}", true),
            ("{\"Location\": \"/\", \"tdm-reservation\": \"1\"}", true),
            ("{\"location\": null, \"tdm-reservation\": 1}", true),
            ("{\"tdm-reservation\": 0}", false),
            ("{\"tdm-policy\": \"https://e.com/p\"}", false),
            ("{}", false),
            ("7", false),
        ] {
            let ruling = if wanted { Unknown } else { Allow };
            assert_eq!(note(&format!("[{rule}]"), &[]), (wanted, ruling), "{rule}");
            assert_eq!(note(&format!("[{rule},{permits}]"), &[]), (wanted, ruling), "{rule}");
            assert_eq!(note(&format!("[{permits},{rule}]"), &[]), (false, Allow), "{rule}");
        }
        let file = "[{\"location\": 1, \"tdm-reservation\": 1}]";
        assert_eq!(note(file, &[("tdm-reservation", "0")]), (true, Allow));
        assert_eq!(note(file, &[("tdm-reservation", "1")]), (true, Disallow));
    }

    #[test]
    fn sources() {
        let place = || Place::header(HeaderField::TdmReservation);
        let said = |values: &[&str]| {
            let mut said = TdmRep::default();
            values.iter().for_each(|value| said.add_reservation(value.as_bytes(), place()));
            (said.reserved.map(|(is_reserved, _)| is_reserved), said.notes.is_empty())
        };
        assert_eq!(said(&["1"]), (Some(true), true));
        assert_eq!(said(&[" 0\t"]), (Some(false), true));
        assert_eq!(said(&["0", "1"]), (Some(true), true));
        assert_eq!(said(&["1", "0"]), (Some(true), true));
        assert_eq!(said(&["1, 1"]), (Some(true), true));
        assert_eq!(said(&["0 ,1"]), (Some(true), true));
        assert_eq!(said(&["0, 0"]), (Some(false), true));
        assert_eq!(said(&["x, 1"]), (Some(true), false));
        for value in ["", "2", "no", "true", "01", "+1", "1 1", "\"1\""] {
            assert_eq!(said(&[value]), (None, false), "{value}");
        }
        let mut page = TdmRep::default();
        page.add_policy(b"p.json", place());
        page.add_policy(b" https://e.com/p ", place());
        page.add_policy(b"https://e.com/q", place());
        assert_eq!(page.notes.iter().collect::<Vec<_>>(), [Note::TdmPolicy]);
        let mut header = TdmRep::default();
        header.add_reservation(b"1", place());
        header.add_policy(b"https://e.com/r", place());
        let both = page.or(header);
        assert_eq!(both.reserved.map(|(is_reserved, _)| is_reserved), Some(true));
        assert_eq!(both.policy.map(|(url, _)| url), Some("https://e.com/p".into()));
    }
}

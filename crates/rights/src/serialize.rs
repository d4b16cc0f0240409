//! `Serialize` for rights: the document that reports of rights are.

use std::collections::HashSet;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::licence::Licence;
use crate::note::{Note, Notes};
use crate::place::Place;
use crate::purpose::{Purpose, Purposes};
use crate::result::Rights;

/// The most bytes of the places of a purpose, of its conditions, and of all licences, as JSON has them. Whatever a
/// site says, its rights take less than 64 KiB.
const MOST_PLACES: usize = 3 << 10;
const MOST_CONDITIONS: usize = 2 << 10;
const MOST_LICENCES: usize = 12 << 10;

impl Serialize for Rights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut is_cut = false;
        let by = by_purpose(self, |purpose| {
            let mut seen = HashSet::new();
            let places = self.by(purpose).map(|statement| &statement.place);
            let places = places.filter(|place| seen.insert(*place)).map(Place::to_string);
            cut(places, String::len_in_json, MOST_PLACES, &mut is_cut)
        });
        let conditions = by_purpose(self, |purpose| {
            let conditions = self.conditions(purpose).map(str::to_owned);
            cut(conditions, String::len_in_json, MOST_CONDITIONS, &mut is_cut)
        });
        let licences =
            cut(self.licences().iter(), LenInJson::len_in_json, MOST_LICENCES, &mut is_cut);
        let mut notes = self.notes();
        notes.add_if(is_cut, Note::Cut);

        let mut map = serializer.serialize_map(None)?;
        for purpose in self.purposes() {
            map.serialize_entry(&purpose, &self.ruling(purpose))?;
        }
        map.serialize_entry("by", &by)?;
        if !licences.is_empty() {
            map.serialize_entry("licences", &licences)?;
        }
        if !self.licensable().is_empty() {
            map.serialize_entry("licensable", &self.licensable())?;
        }
        if !conditions.0.is_empty() {
            map.serialize_entry("conditions", &conditions)?;
        }
        if !self.limits().is_empty() {
            map.serialize_entry("limits", &self.limits())?;
        }
        if let Some(ceiling) = self.use_ceiling() {
            map.serialize_entry("use", &ceiling)?;
        }
        if !notes.is_empty() {
            map.serialize_entry("notes", &notes)?;
        }
        map.end()
    }
}

/// A list for each purpose that has one.
struct ByPurpose<T>(Vec<(Purpose, Vec<T>)>);

fn by_purpose<T>(rights: &Rights, mut list: impl FnMut(Purpose) -> Vec<T>) -> ByPurpose<T> {
    let lists = rights.purposes().map(|purpose| (purpose, list(purpose)));
    ByPurpose(lists.filter(|(_, list)| !list.is_empty()).collect())
}

impl<T: Serialize> Serialize for ByPurpose<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(purpose, list)| (purpose, list)))
    }
}

/// The first of these that take no more than so many bytes; `is_cut` tells whether there are others.
fn cut<T>(
    all: impl Iterator<Item = T>,
    len: impl Fn(&T) -> usize,
    most: usize,
    is_cut: &mut bool,
) -> Vec<T> {
    let mut kept = Vec::new();
    let mut bytes = 0;
    for one in all {
        bytes += len(&one) + ",".len();
        // The first place is listed in any case.
        if bytes > most && !(kept.is_empty() && bytes <= 2 * most) {
            *is_cut = true;
            break;
        }
        kept.push(one);
    }
    kept
}

/// The bytes that a value takes in JSON, or some more.
trait LenInJson {
    fn len_in_json(&self) -> usize;
}

impl LenInJson for str {
    fn len_in_json(&self) -> usize {
        let len = |byte: u8| match byte {
            b'"' | b'\\' => 2,
            byte if byte.is_ascii_control() => 6,
            _ => 1,
        };
        "\"\"".len() + self.bytes().map(len).sum::<usize>()
    }
}

impl LenInJson for String {
    fn len_in_json(&self) -> usize {
        self.as_str().len_in_json()
    }
}

impl LenInJson for &Licence {
    fn len_in_json(&self) -> usize {
        /// The names of the members, and the values besides.
        const REST: usize = 80;
        REST + self.url.as_deref().map_or(0, str::len_in_json) + self.via.to_string().len()
    }
}

impl Serialize for Purposes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl Serialize for Notes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use robotsieve::{Crawler, Profile, Robots};

    use crate::{Documents, Response, RightsReader};

    /// Whatever a site says, the rights of a page are short, and a note says what is not listed.
    #[test]
    fn hostile_sites() {
        let rsl = |contents: &str| {
            format!("<rsl xmlns=\"https://rslstandard.org/rsl\">{contents}</rsl>").into_bytes()
        };
        let content = |terms: &str, count: usize| {
            rsl(&format!("<content url=\"/\">{}</content>", terms.repeat(count)))
        };
        let geo: String = (0..500).map(|n| format!("{n:0100} ")).collect();
        let geo = format!("<license><permits type=\"geo\">{geo}</permits></license>");
        let url = format!("https://e.com/{}", "\"x".repeat(400));
        let license = |url: &str| format!("License: {url}\n");
        let robots =
            |licences: &str, more: &str| format!("{licences}User-agent: *\n{more}Allow: /\n");
        let prohibits = "<content url=\"/\"><license><prohibits type=\"usage\">all</prohibits></license></content>";
        let links: String = (0..5_000).map(|n| format!("</{n}>; rel=license, ")).collect();
        let policy = format!("https://e.com/{}", "x".repeat(100_000));
        for (robots, document, headers) in [
            (robots(&license(&url), ""), content("<license/>", 40_000), vec![]),
            (robots(&license(&url), ""), rsl(&prohibits.repeat(5_000)), vec![]),
            (robots(&license(&url), ""), content(&geo, 1), vec![]),
            (robots(&license("a:b").repeat(40_000), ""), Vec::new(), vec![]),
            (
                robots("", &"Content-Signal: ai-train=no, search=no, ai-input=no\n".repeat(9_000)),
                Vec::new(),
                vec![],
            ),
            (robots("", ""), Vec::new(), vec![("Link", links)]),
            (robots("", ""), Vec::new(), vec![("X-Robots-Tag", "noai,".into()); 9_000]),
            (
                robots("", ""),
                Vec::new(),
                vec![("tdm-reservation", "1".into()), ("tdm-policy", policy)],
            ),
        ] {
            let reader = RightsReader::new(&Crawler::name("a"));
            let file = Robots::parse(robots.as_bytes(), &Profile::RFC9309);
            let robots = reader.robots(&file);
            let documents = Documents::new().with(&url, &document);
            let response = Response::new().with_headers(headers);
            let rights =
                reader.rights("https://e.com/a", Some(&robots), &response, &documents).unwrap();
            let json = serde_json::to_string(&rights).unwrap();
            assert!(json.len() <= 64 << 10, "{} {}", json.len(), &json[..1000]);
            let is_noted = json.contains("\"cut\"") || json.contains("\"licences-left-out\"");
            assert!(is_noted, "{}", &json[..json.len().min(1000)]);
        }
    }
}

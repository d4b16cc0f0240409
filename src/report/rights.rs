//! The rights of a URL in words: each purpose with what decided it, and what else is known.

use crate::policy::robots::Robots;
use crate::read::parse::Content;
use crate::rights::{
    Element, HeaderField, Licence, LicenceKind, LicenceState, Note, Place, Purpose, Purposes,
    Rights, Ruling, Statement, UseCeiling, html,
};

use super::shown;

/// What rights were read from, to quote it.
#[derive(Clone, Copy, Debug, Default)]
pub struct RightsSources<'s> {
    /// The robots.txt. `None` if none was at hand.
    pub robots: Option<&'s Robots<'s>>,
    /// The header of the response: names and values.
    pub headers: &'s [(Vec<u8>, Vec<u8>)],
    /// The page.
    pub html: Option<&'s [u8]>,
}

/// The rights of a URL in words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RightsReport {
    /// The purposes, each with the ruling and why it is so.
    pub purposes: Vec<PurposeReport>,
    /// Sentences about licences, conditions and limits, and what is odd. Without a full stop, and with
    /// a small letter first unless a name begins it.
    pub sentences: Vec<String>,
}

/// The ruling on a purpose, with its reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PurposeReport {
    /// The purpose.
    pub purpose: Purpose,
    /// The ruling.
    pub ruling: Ruling,
    /// The places that decided, each with what it says and by which text: `robots.txt:2: Disallow: /
    /// [rfc9309]`. If there is none, why.
    pub reasons: Vec<String>,
}

impl RightsReport {
    /// The rights in words, with quotations from what they were read from.
    ///
    /// Reads robots.txt and the page again: `O(n)`.
    #[must_use]
    pub fn new(rights: &Rights, sources: &RightsSources<'_>) -> RightsReport {
        let quotes = Quotes::new(rights, sources);
        let purposes = rights.purposes().map(|purpose| {
            let reasons = rights.by(purpose).map(|statement| quotes.reason(statement)).collect();
            let mut report = PurposeReport { purpose, ruling: rights.ruling(purpose), reasons };
            report.reasons.dedup();
            if report.reasons.is_empty() {
                report.reasons.push(without_reason(&report, sources).to_owned());
            }
            report
        });
        RightsReport { purposes: purposes.collect(), sentences: sentences(rights) }
    }
}

/// Why there is a ruling, or none, that no statement decided.
fn without_reason(report: &PurposeReport, sources: &RightsSources<'_>) -> &'static str {
    match (report.purpose, report.ruling) {
        (Purpose::Crawl, Ruling::Unknown) if sources.robots.is_none() => "no robots.txt was given",
        (Purpose::Crawl, _) => "no rule of robots.txt is about it",
        _ => "nothing says so",
    }
}

/// The lines, fields and elements that statements stand in.
struct Quotes<'q, 's> {
    sources: &'q RightsSources<'s>,
    /// The lines of robots.txt, by number.
    lines: Vec<(u32, String)>,
    /// The meta tags, by number.
    metas: Vec<(u32, String)>,
}

impl<'q, 's> Quotes<'q, 's> {
    fn new(rights: &Rights, sources: &'q RightsSources<'s>) -> Quotes<'q, 's> {
        let places = || rights.statements().iter().map(|statement| &statement.place);
        let wanted_lines: Vec<u32> = places()
            .filter_map(|place| match place {
                Place::Robots { line } => Some(*line),
                _ => None,
            })
            .collect();
        let wanted_metas: Vec<u32> = places()
            .filter_map(|place| match place {
                Place::Html { element: Element::Meta, number } => Some(*number),
                _ => None,
            })
            .collect();
        let mut lines = Vec::new();
        if let Some(robots) = sources.robots.filter(|_| !wanted_lines.is_empty()) {
            for line in robots.groups().lines() {
                let Content::Record(record) = line.content else { continue };
                if wanted_lines.contains(&record.line) {
                    let (name, value) = (shown(record.name), shown(record.value));
                    lines.push((record.line, format!("{name}: {value}").trim_end().to_owned()));
                }
            }
        }
        let mut metas = Vec::new();
        if let Some(page) = sources.html.filter(|_| !wanted_metas.is_empty()) {
            html::read_page(page, |element| {
                if let html::PageElement::Meta { number, name, content } = element
                    && wanted_metas.contains(&number)
                {
                    let (name, content) = (shown(name), shown(content));
                    metas.push((number, format!("<meta name=\"{name}\" content=\"{content}\">")));
                }
            });
        }
        Quotes { sources, lines, metas }
    }

    /// What a statement says: its place, the words there, and the text that they follow.
    fn reason(&self, statement: &Statement) -> String {
        let (place, version) = (&statement.place, statement.version);
        let attached = version.attachment().map(|draft| format!("{draft}, "));
        let attached = attached.unwrap_or_default();
        match self.quote(place) {
            Some(quote) => format!("{place}: {quote} [{attached}{version}]"),
            None => format!("{place} [{attached}{version}]"),
        }
    }

    fn quote(&self, place: &Place) -> Option<String> {
        let of = |all: &[(u32, String)], wanted: u32| {
            all.iter().find(|(number, _)| *number == wanted).map(|(_, quote)| quote.clone())
        };
        match place {
            Place::Robots { line } => of(&self.lines, *line),
            Place::Html { element: Element::Meta, number } => of(&self.metas, *number),
            Place::Header { field, line } => self.header(*field, *line),
            _ => None,
        }
    }

    /// A line of a field, or all of them, which are one value.
    fn header(&self, field: HeaderField, line: Option<u32>) -> Option<String> {
        let of_field = self
            .sources
            .headers
            .iter()
            .filter(|(name, _)| HeaderField::of_name(name) == Some(field));
        let values = of_field.map(|(_, value)| shown(value.trim_ascii()));
        match line {
            Some(number) => {
                values.skip(number.checked_sub(1)? as usize).map(|v| v.to_string()).next()
            }
            None => {
                let values: Vec<String> = values.map(|value| value.to_string()).collect();
                (!values.is_empty()).then(|| values.join(", "))
            }
        }
    }
}

fn sentences(rights: &Rights) -> Vec<String> {
    let mut all: Vec<String> = rights.licences().iter().map(licence).collect();
    if !rights.licensable().is_empty() {
        all.push(format!("a licence can be had for {}", list(rights.licensable())));
    }
    for purpose in rights.purposes() {
        let conditions: Vec<&str> = rights.conditions(purpose).collect();
        if !conditions.is_empty() {
            let conditions = shown(conditions.join(", ").as_bytes()).to_string();
            all.push(match rights.ruling(purpose) {
                Ruling::Allow => format!("{purpose} is allowed on conditions: {conditions}"),
                _ => format!("{purpose} depends on: {conditions}"),
            });
        }
    }
    let limits = rights.limits();
    if let Some(most) = limits.max_snippet {
        all.push(format!("a snippet may have {most} characters at most"));
    }
    if limits.index_if_embedded {
        all.push("the page may be indexed only where another page embeds it".to_owned());
    }
    if limits.url_title_snippet {
        all.push(
            "of the page only address, title and snippet are for ai-input and ai-train".to_owned(),
        );
    }
    if let Some(ceiling) = rights.use_ceiling() {
        let meaning = match ceiling {
            UseCeiling::Immediate => "interact, and keep nothing",
            UseCeiling::Reference => "index, excerpt and link",
            UseCeiling::Full => "summarise and reproduce",
        };
        all.push(format!(
            "Content-Signal asks for use={ceiling} at most: {meaning}; this changes no ruling"
        ));
    }
    all.extend(rights.notes().iter().filter_map(note_sentence).map(str::to_owned));
    all
}

fn list(purposes: Purposes) -> String {
    let names: Vec<&str> = purposes.iter().map(Purpose::as_str).collect();
    names.join(", ")
}

fn licence(licence: &Licence) -> String {
    let kind = match licence.kind {
        LicenceKind::Rsl => "RSL licence",
        LicenceKind::TdmPolicy => "TDM policy",
        LicenceKind::Other => "licence",
    };
    let url = match &licence.url {
        Some(url) => format!(" {}", shown(url.as_bytes())),
        None => " in the page".to_owned(),
    };
    let state = match licence.state {
        Some(LicenceState::NotGiven) => ", whose text was not given",
        Some(LicenceState::Invalid) => ", which is no valid document",
        Some(LicenceState::NoMatch) => ", which does not cover the URL",
        Some(LicenceState::ElementScoped) => ", which covers an element of the page only",
        Some(LicenceState::Read) => ", which was read",
        None => "",
    };
    format!("{kind}{url}{state}; named by {}", licence.via)
}

/// `None` for what the sentence about a licence says.
fn note_sentence(note: Note) -> Option<&'static str> {
    Some(match note {
        Note::Cancelled => "Yandex: 'index' or 'all' in the page cancels a 'noindex' in it",
        Note::EqualLength => {
            "different paths of equal length match the URL: all of them count, and disallow wins"
        }
        Note::GroupsDiffer => {
            "Content-Usage ends a run of user-agent lines, and RFC 9309 does not know that: a group \
             that seems to be for one crawler may forbid all of them"
        }
        Note::ImagesOnly => "'noimageai' is about the images of the page only",
        Note::ElementScoped | Note::LicenceInvalid | Note::LicenceNotGiven => return None,
        Note::LicenceNotHttps => "a licence is not at an address of https, as RSL demands",
        Note::LicenceRelative => "a licence has no absolute address, so it is ignored",
        Note::LooksLikeXRobotsTag => {
            "a Robots-Tag looks like an X-Robots-Tag: a rule alone is the name of a crawler there"
        }
        Note::Malformed => {
            "a value does not follow its grammar, so all of it or a piece is ignored"
        }
        Note::MisspeltField => {
            "a field of robots.txt is spelt as no definition spells it, so it is ignored"
        }
        Note::NotCrawlable => {
            "Content-Usage of robots.txt does not count, because the URL may not be crawled"
        }
        Note::NowNotGiven => "'unavailable_after' was not judged, because the time was not given",
        Note::OnlyForOthers => {
            "groups of other crawlers have statements that do not count for this one, which has a \
             group of its own"
        }
        Note::OutsideGroup => "a statement of robots.txt is in no group",
        Note::TdmFile => "/.well-known/tdmrep.json is not an array of JSON, so it is ignored",
        Note::TdmPolicy => "a TDM policy has no absolute address, so it is ignored",
        Note::TdmValue => "a 'tdm-reservation' is neither 0 nor 1, so it sets nothing",
        Note::UnknownLabel => "a label is not in the vocabulary that is read, so it is ignored",
        Note::UnknownValue => "a label has a value that is not defined, so it says nothing",
    })
}

//! The rights of a URL in words: each purpose with what decided it, and what else is known.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use robotsieve::Robots;
use robotsieve::internals::{Content, RobotsInternals as _};
use robotsieve_rights::internals::{html, quotation};
use robotsieve_rights::{
    Documents, Element, HeaderField, Licence, LicenceKind, LicenceState, Note, Place, Purpose,
    Purposes, Response, Rights, Ruling, Statement, UseCeiling,
};
use robotsieve_shown::{grouped, shortened, shown};
use serde::Serialize;

/// The most characters of a quotation.
const MOST_QUOTED: usize = 200;

/// The most reasons that are named for a purpose.
const MOST_REASONS: usize = 20;

/// What rights were read from, to quote it.
#[derive(Clone, Copy, Debug, Default)]
pub struct RightsSources<'s> {
    /// The robots.txt. `None` if none was at hand.
    pub robots: Option<&'s Robots<'s>>,
    /// The header of the response: names and values.
    pub headers: &'s [(Vec<u8>, Vec<u8>)],
    /// The page.
    pub html: Option<&'s [u8]>,
    /// The response as it was read: the packets of XMP, and the licences in the page.
    pub response: Option<&'s Response>,
    /// The files of the site, and the URL that they were asked about.
    pub documents: Option<(&'s Documents, &'s [u8])>,
}

/// The rights of a URL in words.
///
/// Its `Display` has a line for each purpose and reason, and one for each sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RightsReport {
    /// The purposes, each with the ruling and why it is so.
    pub purposes: Vec<PurposeReport>,
    /// Sentences about licences, conditions and limits, and what is odd. Without a full stop, and with
    /// a small letter first unless a name begins it.
    pub sentences: Vec<String>,
}

/// The ruling on a purpose, with its reasons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
            let mut by = rights.by(purpose);
            let reasons = by.by_ref().take(MOST_REASONS).map(|by| quotes.reason(by)).collect();
            let mut report = PurposeReport { purpose, ruling: rights.ruling(purpose), reasons };
            report.reasons.dedup();
            match by.count() {
                0 if report.reasons.is_empty() => {
                    report.reasons.push(without_reason(rights, purpose, sources).to_owned());
                }
                0 => {}
                more => report.reasons.push(format!("and {} more", grouped(more as u64))),
            }
            report
        });
        RightsReport { purposes: purposes.collect(), sentences: sentences(rights) }
    }
}

impl fmt::Display for RightsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for purpose in &self.purposes {
            let mut reasons = purpose.reasons.iter();
            let first = reasons.next().map_or("", |reason| reason);
            writeln!(f, "  {:8}  {:8}  {first}", purpose.purpose, purpose.ruling)?;
            reasons.try_for_each(|reason| writeln!(f, "  {:8}  {:8}  {reason}", "", ""))?;
        }
        self.sentences.iter().try_for_each(|sentence| writeln!(f, "{sentence}"))
    }
}

/// Why there is a ruling, or none, that no statement decided.
fn without_reason(rights: &Rights, purpose: Purpose, sources: &RightsSources<'_>) -> &'static str {
    match purpose {
        Purpose::Crawl if sources.robots.is_none() => "no robots.txt was given",
        Purpose::Crawl => "no rule of robots.txt matches",
        _ if rights.withheld().contains(purpose) => match is_limited(rights, purpose) {
            true => "only a part may be used for it: see below",
            false => "what could disallow it was not read: see below",
        },
        _ if rights.conditions(purpose).next().is_some() => "it depends: see below",
        _ => "no statement settles it",
    }
}

/// Returns true if all that withholds a purpose was read, and leaves less of the page for it.
fn is_limited(rights: &Rights, purpose: Purpose) -> bool {
    let notes = rights.notes();
    let mut withholding = notes.iter().filter(|note| note.withholds().contains(purpose));
    withholding.all(|note| note == Note::NoCache)
}

/// The lines, fields and elements that statements stand in, by number, and the words of other places.
#[derive(Default)]
pub(crate) struct Quotes {
    lines: BTreeMap<u32, String>,
    metas: BTreeMap<u32, String>,
    fields: BTreeMap<HeaderField, Vec<String>>,
    others: HashMap<Place, String>,
}

impl Quotes {
    pub(crate) fn new(rights: &Rights, sources: &RightsSources<'_>) -> Quotes {
        let mut quotes = Quotes::default();
        for statement in rights.statements() {
            match statement.place.clone() {
                Place::Robots { line } => {
                    quotes.lines.insert(line, String::new());
                }
                Place::Html { element: Element::Meta, number } => {
                    quotes.metas.insert(number, String::new());
                }
                Place::Header { field, .. } => {
                    quotes.fields.insert(field, Vec::new());
                }
                place if !quotes.others.contains_key(&place) => {
                    let of_response = sources.response.and_then(|response| response.quote(&place));
                    let of_file =
                        || sources.documents.and_then(|(files, url)| files.quote(&place, url));
                    if let Some(quote) = of_response.or_else(of_file) {
                        quotes.others.insert(place, shown(quote.as_bytes()).to_string());
                    }
                }
                _ => {}
            }
        }
        let Quotes { lines, metas, fields, .. } = &mut quotes;
        for (name, value) in sources.headers {
            let field = HeaderField::of_name(name).and_then(|field| fields.get_mut(&field));
            field.into_iter().for_each(|values| values.push(shown(value.trim_ascii()).to_string()));
        }
        if let Some(robots) = sources.robots.filter(|_| !lines.is_empty()) {
            for line in robots.groups().lines() {
                if let Content::Record(record) = line.content
                    && let Some(quote) = lines.get_mut(&record.line)
                {
                    let (name, value) = (shown(record.name), shown(record.value));
                    *quote = format!("{name}: {value}").trim_end().to_owned();
                }
            }
        }
        if let Some(page) = sources.html.filter(|_| !metas.is_empty()) {
            let unread = Response::new();
            html::read_page_of(sources.response.unwrap_or(&unread), page, &mut |element| {
                if let html::PageElement::Meta { number, name, content } = element
                    && let Some(quote) = metas.get_mut(&number)
                {
                    let (name, content) = (shown(name), shown(content));
                    *quote = format!("<meta name=\"{name}\" content=\"{content}\">");
                }
            });
        }
        quotes
    }

    /// What a statement says: its place, the words there, and the text that they follow.
    fn reason(&self, statement: &Statement) -> String {
        let (place, version) = (&statement.place, statement.version);
        let attached = version.attachment().map(|draft| format!("{draft}, "));
        let attached = attached.unwrap_or_default();
        match self.quote(place).filter(|quote| !quote.is_empty()) {
            Some(quote) => {
                let quote = quotation(&quote, MOST_QUOTED, &[statement]);
                format!("{place}: {quote} [{attached}{version}]")
            }
            None => format!("{place} [{attached}{version}]"),
        }
    }

    pub(crate) fn quote(&self, place: &Place) -> Option<Cow<'_, str>> {
        match place {
            Place::Robots { line } => self.lines.get(line).map(|quote| quote.into()),
            Place::Html { element: Element::Meta, number } => {
                self.metas.get(number).map(|quote| quote.into())
            }
            // A line of a field, or all of them, which are one value.
            Place::Header { field, line } => {
                let values = self.fields.get(field)?;
                match line {
                    Some(number) => {
                        values.get(number.checked_sub(1)? as usize).map(|quote| quote.into())
                    }
                    None => Some(values.join(", ").into()),
                }
            }
            place => self.others.get(place).map(|quote| quote.into()),
        }
    }
}

fn sentences(rights: &Rights) -> Vec<String> {
    let licences = rights.licences();
    let mut all: Vec<String> = licences.iter().take(MOST_REASONS).map(licence).collect();
    if let Some(more @ 1..) = licences.len().checked_sub(MOST_REASONS) {
        all.push(format!("and {} more licences", grouped(more as u64)));
    }
    if !rights.licensable().is_empty() {
        all.push(format!("a licence is available for {}", list(rights.licensable())));
    }
    for purpose in rights.purposes() {
        let conditions: Vec<&str> = rights.conditions(purpose).collect();
        if !conditions.is_empty() {
            let (listed, more) = conditions.split_at(conditions.len().min(MOST_REASONS));
            let mut conditions = shown(listed.join(", ").as_bytes()).to_string();
            if !more.is_empty() {
                conditions += &format!(" and {} more", grouped(more.len() as u64));
            }
            all.push(match rights.ruling(purpose) {
                Ruling::Allow => format!("{purpose} is allowed on conditions: {conditions}"),
                _ => format!("{purpose} depends on conditions: {conditions}"),
            });
        }
    }
    let limits = rights.limits();
    if let Some(most) = limits.max_snippet {
        all.push(format!("a snippet may have at most {most} characters"));
    }
    if limits.index_if_embedded {
        all.push("the page may be indexed only where another page embeds it".to_owned());
    }
    if limits.url_title_snippet {
        all.push("ai-input may use only the page's address, title and snippet".to_owned());
    }
    if let Some(ceiling) = rights.use_ceiling() {
        let meaning = match ceiling {
            UseCeiling::Immediate => "interact, keep nothing",
            UseCeiling::Reference => "index, excerpt, link",
            UseCeiling::Full => "summarise, reproduce",
        };
        all.push(format!(
            "Content-Signal limits use to '{ceiling}' ({meaning}); this changes no verdict"
        ));
    }
    // The sentence about a licence says these.
    let is_said = |note: &Note| {
        matches!(note, Note::ElementScoped | Note::LicenceInvalid | Note::LicenceNotGiven)
    };
    let notes = rights.notes().iter().filter(|note| !is_said(note));
    all.extend(notes.map(|note| note.sentence().to_owned()));
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
        Some(url) => format!(" {}", shown(shortened(url, MOST_QUOTED).as_bytes())),
        None => " in the page".to_owned(),
    };
    let state = match licence.state {
        Some(LicenceState::NotGiven) => ": its text was not given",
        Some(LicenceState::Invalid) => ": not a valid RSL document",
        Some(LicenceState::NoMatch) => ": it does not cover this URL",
        Some(LicenceState::ElementScoped) => ": it covers only an element of the page",
        Some(LicenceState::Read) => ": read",
        None => "",
    };
    format!("{kind}{url} (named by {}){state}", licence.via)
}

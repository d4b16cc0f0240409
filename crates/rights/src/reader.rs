//! From everything that is known of a URL to its rights.

use std::collections::BTreeMap;

use robotsieve::{AsUrl, Crawler, InvalidUrl, Origin, Profile, Robots, Target};

use crate::documents::Documents;
use crate::licence::{Licence, LicenceKind, LicenceState, MOST_LICENCES, is_read};
use crate::link::LicenceLink;
use crate::note::Note;
use crate::place::{HeaderField, Place};
use crate::purpose::{Purpose, Ruling};
use crate::response::{PageLicence, Response};
use crate::result::Rights;
use crate::robots::compiled::RobotsRights;
use crate::robots::lines::speaks_of_rights;
use crate::rsl::settle::Page;
use crate::statement::Statement;
use crate::tables::{PolicyToken, TDM_FREE, TDM_RESERVED};
use crate::tags::settle::TagReader;
use crate::version::{TagReading, Version, Vocabulary};

/// Reads rights as one crawler has to: its names, and which version or vendor's reading of a text is
/// followed where there are several.
///
/// ```
/// use robotsieve_rights::{Documents, Purpose, Response, RightsReader, Ruling};
/// use robotsieve::{Crawler, Profile, Robots};
///
/// let reader = RightsReader::new(&Crawler::name("ExampleBot"));
/// let file = b"User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y\n";
/// let robots = reader.robots(&Robots::parse(file, &Profile::RFC9309));
/// let response = Response::new().with_headers([("X-Robots-Tag", "noindex")]);
///
/// let url = "https://example.com/open/1";
/// let rights = reader.rights(url, Some(&robots), &response, &Documents::new())?;
/// assert_eq!(rights.ruling(Purpose::AiTrain), Ruling::Allow);
/// assert_eq!(rights.ruling(Purpose::Index), Ruling::Disallow);
/// // Nobody says anything of it.
/// assert_eq!(rights.ruling(Purpose::AiInput), Ruling::Unknown);
/// let by: Vec<String> = rights.by(Purpose::AiTrain).map(|by| by.place.to_string()).collect();
/// assert_eq!(by, ["robots.txt:3"]);
/// # Ok::<(), robotsieve::InvalidUrl>(())
/// ```
#[derive(Clone, Debug)]
pub struct RightsReader {
    crawler: Crawler,
    vocabulary: Vocabulary,
    reading: TagReading,
    now: Option<i64>,
    tags: TagReader,
    tokens: Vec<PolicyToken>,
}

impl RightsReader {
    /// A reader for a crawler, of the current versions, with no vendor's reading and without a time.
    #[must_use]
    pub fn new(crawler: &Crawler) -> RightsReader {
        let (reading, now) = (TagReading::default(), None);
        let tags = TagReader::new(crawler.iter(), reading, now);
        let vocabulary = Vocabulary::default();
        let tokens = Vec::new();
        RightsReader { crawler: crawler.clone(), vocabulary, reading, now, tags, tokens }
    }

    /// The same with another vocabulary of Content-Usage.
    #[must_use]
    pub fn with_vocabulary(self, vocabulary: Vocabulary) -> RightsReader {
        RightsReader { vocabulary, ..self }
    }

    /// The same with a vendor's reading of robots tags. It brings the names that the vendor's crawlers
    /// heed.
    #[must_use]
    pub fn with_reading(self, reading: TagReading) -> RightsReader {
        let tags = TagReader::new(self.crawler.iter(), reading, self.now);
        RightsReader { reading, tags, ..self }
    }

    /// The same with the time now, in seconds since 1970, by which `unavailable_after` is judged.
    /// Without one it is noted and left out.
    #[must_use]
    pub fn with_now(self, now: i64) -> RightsReader {
        let tags = TagReader::new(self.crawler.iter(), self.reading, Some(now));
        RightsReader { now: Some(now), tags, ..self }
    }

    /// The same for a crawler whose operator heeds these tokens: what a group that names one disallows
    /// may be fetched, but not be used for the purposes of the token.
    ///
    /// ```
    /// use robotsieve_rights::{PolicyToken, Purpose, RightsReader, Ruling};
    /// use robotsieve::{Crawler, Profile, Robots};
    ///
    /// let reader = RightsReader::new(&Crawler::name("Googlebot"));
    /// let reader = reader.with_policy_tokens(PolicyToken::of_name("Google-Extended"));
    /// let file = b"User-agent: Google-Extended\nDisallow: /\n";
    /// let robots = reader.robots(&Robots::parse(file, &Profile::RFC9309));
    /// assert_eq!(robots.ruling(Purpose::Crawl, "/a")?, Ruling::Allow);
    /// assert_eq!(robots.ruling(Purpose::AiTrain, "/a")?, Ruling::Disallow);
    /// # Ok::<(), robotsieve::InvalidUrl>(())
    /// ```
    #[must_use]
    pub fn with_policy_tokens(self, tokens: impl IntoIterator<Item = PolicyToken>) -> RightsReader {
        RightsReader { tokens: tokens.into_iter().collect(), ..self }
    }

    /// What a robots.txt says of the crawler's rights. Reads the file again, `O(n)`; the result is for
    /// any number of URLs.
    #[must_use]
    pub fn robots(&self, robots: &Robots<'_>) -> RobotsRights<'static> {
        RobotsRights::of(robots, &self.crawler, self.vocabulary, &self.tokens)
    }

    /// [`RightsReader::robots`], or `None` if the file says nothing of rights beside Allow and Disallow:
    /// most say nothing, and need no memory for it. [`Rights::with_crawl`] then has the whole answer.
    #[must_use]
    pub fn robots_if_any(&self, robots: &Robots<'_>) -> Option<RobotsRights<'static>> {
        let is_token = !PolicyToken::of_names(self.crawler.iter()).is_empty();
        (is_token || speaks_of_rights(robots, &self.tokens)).then(|| self.robots(robots))
    }

    /// The rights of a URL, from all that is at hand: its robots.txt, its response, files of its site.
    /// `robots` must come from this reader. Without it crawling is unknown.
    ///
    /// A statement of the response counts whatever robots.txt says of crawling; a crawler that obeys a
    /// Disallow never sees it.
    ///
    /// # Errors
    /// Returns an error if the URL is neither absolute nor a path that begins with `/`.
    pub fn rights<U: AsUrl + ?Sized>(
        &self,
        url: &U,
        robots: Option<&RobotsRights<'_>>,
        response: &Response,
        documents: &Documents,
    ) -> Result<Rights, InvalidUrl> {
        let url = url.as_url();
        let target = Target::from_url(url, &Profile::RFC9309)?;
        let mut rights = Rights::default();
        if let Some(robots) = robots {
            robots.settle(url, &mut rights)?;
        }
        self.settle_response(response, &mut rights);
        note_hidden(&mut rights);
        if documents.is_empty() && !response.has_sites_terms() {
            // What is left needs neither the origin nor the path.
            if let Some(robots) = robots {
                robots.refer(&mut rights);
            }
            return Ok(rights);
        }
        let origin = Origin::of(url).ok();
        let target = target.to_vec();
        settle_tdm(response, documents, origin.as_ref(), &target, &mut rights);
        let page = Page { target: &target, origin: origin.as_ref(), has_document: false };
        settle_licences(robots, response, documents, url, page, &mut rights);
        Ok(rights)
    }

    /// Adds what the header and the page say of the page itself.
    fn settle_response(&self, response: &Response, rights: &mut Rights) {
        if let Some(usage) = response.usage {
            match usage {
                Ok(usage) => {
                    let place = Place::header(HeaderField::ContentUsage);
                    let statement = Statement::new(place, Version::Aipref(self.vocabulary))
                        .allowing(usage.allows(self.vocabulary))
                        .disallowing(usage.disallows(self.vocabulary));
                    rights.add(statement);
                    rights.add_notes(usage.notes(self.vocabulary));
                }
                Err(_) => rights.add_note(Note::Malformed),
            }
        }
        if let Some(signals) = response.signals {
            let place = Place::header(HeaderField::ContentSignal);
            let statement = Statement::new(place, Version::ContentSignals)
                .allowing(signals.allows())
                .disallowing(signals.disallows());
            rights.add(statement);
            rights.lower_ceiling(signals.use_ceiling());
            rights.add_notes(signals.notes());
        }
        match &response.robots_tag {
            Some(Ok(header)) => {
                let is_for_crawler =
                    |name: &str| name == "*" || self.tags.has_name(name.as_bytes());
                for (_, purposes) in header.iter().filter(|(name, _)| is_for_crawler(name)) {
                    let place = Place::header(HeaderField::RobotsTag);
                    rights.add(Statement::new(place, Version::Repext).disallowing(purposes));
                }
                if header.looks_like_x_robots_tag() {
                    rights.add_note(Note::LooksLikeXRobotsTag);
                }
            }
            Some(Err(_)) => rights.add_note(Note::Malformed),
            None => {}
        }
        self.tags.settle(&response.tags, rights);
        response.xmp.mining.iter().for_each(|statement| rights.add(statement.clone()));
        rights.add_notes(response.xmp.notes());
        if response.has_unread_metadata() {
            rights.add_note(Note::XmpNotRead);
        }
        if response.is_part {
            rights.add_note(Note::PageCut);
        }
        if response.has_unread_page() {
            rights.add_note(Note::PageNotRead);
        }
    }
}

/// Adds what TDMRep says: of each property what the file itself says, else the page, the header, the site's file.
fn settle_tdm(
    response: &Response,
    documents: &Documents,
    origin: Option<&Origin<'_>>,
    target: &[u8],
    rights: &mut Rights,
) {
    let of_page = response.page_tdm.clone().or(response.tdm.clone());
    let mut said = response.xmp.tdm.clone().or(of_page);
    let file = documents.tdm(origin);
    let unread = match file {
        Some(Err(_)) => Some(Note::TdmFile),
        Some(Ok(file)) if file.may_reserve(target) => Some(Note::TdmFile),
        _ => documents.is_tdm_not_read(origin).then_some(Note::TdmNotRead),
    };
    // What the page or the header says comes first, whatever is in the file.
    match unread {
        Some(note) if said.reserved.is_some() => rights.mention(note),
        Some(note) => rights.add_note(note),
        None => {}
    }
    if let Some(Ok(file)) = file {
        said = said.or(file.rule_for(target));
    }
    rights.add_notes(said.notes());
    let Some((is_reserved, place)) = said.reserved else { return };
    let mut statement = Statement::new(place, Version::TdmRep);
    if !is_reserved {
        rights.add(statement.allowing(TDM_FREE));
        return;
    }
    statement = statement.disallowing(TDM_RESERVED);
    if let Some((url, via)) = said.policy {
        statement.licensable = TDM_RESERVED;
        rights.add_licence(Licence {
            kind: LicenceKind::TdmPolicy,
            url: Some(url),
            via,
            state: None,
        });
    }
    rights.add(statement);
}

/// Notes that a `noindex` is never seen, because the URL may not be crawled.
fn note_hidden(rights: &mut Rights) {
    let is_tag = |version| {
        matches!(
            version,
            Version::Google | Version::Bing | Version::Yandex | Version::Amazon | Version::Repext
        )
    };
    let disallowed = |purpose| rights.ruling(purpose) == Ruling::Disallow;
    if disallowed(Purpose::Crawl)
        && disallowed(Purpose::Index)
        && rights.by(Purpose::Index).any(|statement| is_tag(statement.version))
    {
        rights.add_note(Note::NoIndexHidden);
    }
}

/// Adds the licences, and what those that can be read say of the page.
fn settle_licences(
    robots: Option<&RobotsRights<'_>>,
    response: &Response,
    documents: &Documents,
    url: &[u8],
    page: Page<'_>,
    rights: &mut Rights,
) {
    // Named twice, a document still speaks once, and is compared with the page once.
    let mut covers: BTreeMap<&str, bool> = BTreeMap::new();
    let mut settle = |url, via, rights: &mut Rights| {
        if documents.is_rsl_not_read(url) {
            rights.add_note(Note::FileNotRead);
        }
        let state = documents.rsl(url).map(|document| match document {
            Ok(document) => {
                let settle = || document.settle(page, rights);
                match *covers.entry(document.name()).or_insert_with(settle) {
                    true => LicenceState::Read,
                    false => LicenceState::NoMatch,
                }
            }
            Err(_) => LicenceState::Invalid,
        });
        rights.add_document(url, via, state);
    };
    for (line, url) in robots.iter().flat_map(|robots| robots.licences()) {
        settle(url, Place::Robots { line }, rights);
    }
    let links: Vec<&LicenceLink> = response.links.iter().filter(|link| link.is_of(url)).collect();
    let scripts = &response.page_licences;
    let is_left_out = |link: &LicenceLink| link.kind == LicenceKind::Rsl && !is_read(&link.url);
    if links.len().max(scripts.len()) > MOST_LICENCES || links.iter().copied().any(is_left_out) {
        rights.add_note(Note::LicencesLeftOut);
    }
    for link in links.into_iter().take(MOST_LICENCES).filter(|link| !is_left_out(link)) {
        let via = link.place.clone();
        if link.kind != LicenceKind::Rsl {
            let url = Some(link.url.clone());
            rights.add_licence(Licence { kind: link.kind, url, via, state: None });
        } else if url::Url::parse(&link.url).is_ok() {
            settle(&link.url, via, rights);
        } else {
            rights.add_note(Note::LicenceRelative);
        }
    }
    for PageLicence { place, in_element, document } in scripts.iter().take(MOST_LICENCES) {
        let page = Page { has_document: true, ..page };
        let state = match document {
            _ if *in_element => {
                rights.add_note(Note::ElementScoped);
                LicenceState::ElementScoped
            }
            Err(_) => {
                rights.add_note(Note::LicenceInvalid);
                LicenceState::Invalid
            }
            Ok(document) if document.settle(page, rights) => LicenceState::Read,
            Ok(_) => LicenceState::NoMatch,
        };
        rights.add_licence(Licence {
            kind: LicenceKind::Rsl,
            url: None,
            via: place.clone(),
            state: Some(state),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each serves all threads.
    #[test]
    fn shared_by_threads() {
        fn is_shared<T: Send + Sync + Clone>() {}
        is_shared::<RightsReader>();
        is_shared::<RobotsRights<'_>>();
        is_shared::<Response>();
        is_shared::<Documents>();
        is_shared::<Rights>();
    }

    #[test]
    fn a_noindex_that_nobody_sees() {
        let reader = RightsReader::new(&Crawler::name("a"));
        let file = b"User-agent: *\nDisallow: /x\nContent-Signal: search=no\n";
        let robots = reader.robots(&Robots::parse(file, &Profile::RFC9309));
        let is_noted = |url: &str, headers: &[(&str, &str)], html: &str| {
            let response = Response::new().with_headers(headers.iter().copied());
            let response = response.with_html(html.as_bytes());
            let rights = reader.rights(url, Some(&robots), &response, &Documents::new()).unwrap();
            rights.notes().contains(Note::NoIndexHidden)
        };
        let tag = [("X-Robots-Tag", "noindex")];
        assert!(is_noted("/x", &tag, ""));
        assert!(is_noted("/x", &[("Robots-Tag", "*;noindex")], ""));
        assert!(is_noted("/x", &[], "<meta name=robots content=noindex>"));
        assert!(!is_noted("/y", &tag, ""));
        // The refusal in robots.txt itself is seen.
        assert!(!is_noted("/x", &[("X-Robots-Tag", "nosnippet")], ""));
    }

    #[test]
    fn urls_and_paths() {
        let reader = RightsReader::new(&Crawler::name("a"));
        let file = b"User-agent: *\nDisallow: /x\n";
        let robots = reader.robots(&Robots::parse(file, &Profile::RFC9309));
        let (response, documents) = (Response::new(), Documents::new());
        let crawl = |url: &str| {
            let rights = reader.rights(url, Some(&robots), &response, &documents);
            rights.map(|rights| rights.ruling(crate::purpose::Purpose::Crawl).as_str())
        };
        assert_eq!(crawl("/x"), Ok("disallow"));
        assert_eq!(crawl("https://e.com/y"), Ok("allow"));
        assert!(crawl("x").is_err());
    }
}

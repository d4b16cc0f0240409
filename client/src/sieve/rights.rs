//! The rights of URLs: before the fetch from robots.txt, after it from the response too.

use std::fmt;
use std::sync::Arc;

use http::HeaderMap;
use robotsieve::{AsUrl, Reason, SiteKind};
use robotsieve_rights::{Documents, LicenceKind, Note, Response, Rights};

use super::attempt::Shared;
use super::decide::Sieve;
use super::decision::{Grounds, SieveDecision};
use super::error::SieveError;
use super::site_files::{SiteDocuments, SiteFile};
use crate::outcome::attempt::has_none;
use crate::outcome::{Cause, Outcome, Why};

/// What a site says of the rights of a URL, for the first crawler, before the URL is fetched; and what
/// is needed to say it again with the response.
///
/// Crawling is ruled by the sieve's own [decision](SieveRights::decision), whatever it rests on. Where
/// that is no robots.txt (it is unreachable, the site does not show it, or an
/// [override](super::Overrides) decides), nothing is known of what it says of other purposes: they are
/// unknown, with the note `robots-not-read`. A site without a robots.txt, which answers 404 or 410, says nothing there.
///
/// It keeps the site as it was, and the sieve.
#[derive(Clone)]
pub struct SieveRights<U> {
    shared: Arc<Shared>,
    decision: SieveDecision<U>,
    files: SiteDocuments,
    rights: Rights,
}

impl<U: fmt::Debug> fmt::Debug for SieveRights<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SieveRights")
            .field("decision", &self.decision)
            .field("rights", &self.rights)
            .finish_non_exhaustive()
    }
}

impl Sieve {
    /// The rights of a URL for the first crawler, as far as they are known before it is fetched. The
    /// site is found in the same way as in [`Sieve::decide`]. Needs
    /// [`SieveBuilder::rights`](super::SieveBuilder::rights).
    ///
    /// ```
    /// # use std::future::Future;
    /// # use std::pin::Pin;
    /// # use robotsieve::{Crawler, Origin};
    /// use http::{HeaderMap, HeaderValue};
    /// use robotsieve_rights::{Purpose, Ruling};
    /// # use robotsieve_client::sieve::{Override, Overrides};
    /// use robotsieve_client::sieve::{RightsOptions, Sieve};
    ///
    /// # let mut overrides = Overrides::new();
    /// # let file = b"User-agent: *\nContent-Usage: train-ai=n\n";
    /// # overrides.insert("news.example", Override::Body(file.to_vec()))?;
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let builder = Sieve::builder(Crawler::name("MyCrawler")).rights(RightsOptions::new());
    /// # let builder = builder.overrides(overrides);
    /// let sieve = builder.build();
    /// // Its robots.txt says `Content-Usage: train-ai=n` to everybody.
    /// let rights = sieve.rights("https://news.example/1").await?;
    /// assert!(rights.decision().is_allowed());
    /// assert_eq!(rights.rights().ruling(Purpose::AiTrain), Ruling::Disallow);
    /// assert_eq!(rights.rights().ruling(Purpose::Index), Ruling::Unknown);
    ///
    /// // Fetch the page, and ask again with what came.
    /// let mut headers = HeaderMap::new();
    /// headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    /// let rights = rights.with_response(&headers, b"<title>News</title>");
    /// assert_eq!(rights.ruling(Purpose::AiTrain), Ruling::Disallow);
    /// assert_eq!(rights.ruling(Purpose::Index), Ruling::Disallow);
    /// # Ok::<(), robotsieve_client::sieve::SieveError>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Sieve::decide`], and [`SieveError::NoRights`]. Then
    /// nothing is known, and nothing is allowed.
    pub async fn rights<U: AsUrl + Send>(&self, url: U) -> Result<SieveRights<U>, SieveError> {
        if self.shared.sites.policies.rights().is_none() {
            return Err(SieveError::NoRights);
        }
        let SieveDecision { verdict, url, site } = self.decide(url).await?;
        // It may be kept for as long as the fetch takes.
        let decision = SieveDecision { verdict, url, site: site.clone() };
        let mut files = SiteDocuments::default();
        if self.shared.files.is_some() {
            let entry = decision.site.entry();
            let robots =
                entry.file.rights.as_deref().filter(|_| entry.ruling.holds == SiteKind::Rules);
            let licences = robots.iter().flat_map(|robots| robots.licences());
            let site = entry.key().to_owned();
            files.name_tdm(&site);
            files.name(licences.map(|(_, url)| url));
            self.shared.read_named(&site, &mut files).await;
        }
        let shared = Arc::clone(&self.shared);
        let mut rights = SieveRights { shared, decision, files, rights: Rights::default() };
        rights.rights = rights.read(&Response::new());
        Ok(rights)
    }
}

impl<U: AsUrl> SieveRights<U> {
    /// The decision on whether it may be fetched.
    #[must_use]
    pub fn decision(&self) -> &SieveDecision<U> {
        &self.decision
    }

    /// The rights as far as they are known before the fetch.
    #[must_use]
    pub fn rights(&self) -> &Rights {
        &self.rights
    }

    /// The rights with what the response says: all its header fields, and its body if it is HTML,
    /// else nothing. Waits for nothing.
    ///
    /// What the response says counts whatever the decision was. A date in `unavailable_after` is
    /// compared with the sieve's clock now.
    #[must_use]
    pub fn with_response(&self, headers: &HeaderMap, html: &[u8]) -> Rights {
        self.read(&response(headers, html))
    }

    /// [`SieveRights::with_response`] with the RSL documents that the response names, if [site
    /// files](super::RightsOptions::with_site_files) are read: those that are not known are fetched first.
    ///
    /// Of robots.txt and response together, the first eight documents are read, and of all pages of a
    /// site, 64 different ones are asked for in a day. For a [blocking](super::blocking) sieve, run this in
    /// [`blocking::Sieve::block_on`](super::blocking::Sieve::block_on).
    pub async fn with_response_and_files(&mut self, headers: &HeaderMap, html: &[u8]) -> Rights {
        let response = response(headers, html);
        if self.shared.files.is_some() {
            let links = response.links.iter().filter(|link| link.kind == LicenceKind::Rsl);
            self.files.name(links.map(|link| &*link.url));
            let site = self.decision.site.origin().to_owned();
            let shared = Arc::clone(&self.shared);
            shared.read_named(&site, &mut self.files).await;
        }
        self.read(&response)
    }

    /// The other files of the site that were looked for, and what became of each. None unless [site
    /// files](super::RightsOptions::with_site_files) are read.
    #[must_use]
    pub fn files(&self) -> &[SiteFile] {
        self.files.files()
    }

    fn read(&self, response: &Response) -> Rights {
        let sites = &self.shared.sites;
        let Some(mut reader) = sites.policies.rights() else { return Rights::default() };
        let dated;
        if !response.tags.is_empty() {
            let now = i64::try_from(sites.clock.now().0).unwrap_or(i64::MAX);
            dated = reader.clone().with_now(now);
            reader = &dated;
        }
        let SieveDecision { verdict, url, site } = &self.decision;
        let ruling = site.ruling();
        let holds_rules = ruling.holds == SiteKind::Rules;
        let robots = site.entry().file.rights.as_deref().filter(|_| holds_rules);
        let rights = match (reader.rights(url, robots, response, self.files.documents()), robots) {
            (Ok(rights), Some(_)) => rights,
            (Ok(rights), None) => rights.with_crawl(*verdict, self.line()),
            // Some profiles take URLs that have no path to others: what is about the whole response stays, and
            // what files say of this URL is not known.
            (Err(_), _) => {
                let rights = reader.rights("/", None, response, &Documents::new());
                let rights = rights.unwrap_or_default().with_crawl(*verdict, self.line());
                let has_files = !self.files.documents().is_empty();
                let of_files = has_files.then_some(Note::FileNotRead);
                let of_robots = holds_rules.then_some(Note::RobotsNotRead);
                of_files.into_iter().chain(of_robots).fold(rights, Rights::with_note)
            }
        };
        let is_cut = || site.state().copy.as_ref().is_some_and(|copy| copy.is_truncated);
        let is_none = || {
            let last = &site.state().last;
            ruling.why == Why::Absent
                && matches!(last, Outcome::Absent(Cause::Status(status)) if has_none(*status))
        };
        let is_unread = if holds_rules { is_cut() } else { !is_none() };
        let unread = is_unread.then_some(Note::RobotsNotRead);
        unread.into_iter().chain(self.files.notes()).fold(rights, Rights::with_note)
    }

    /// The line of the rule that decided, if one did.
    fn line(&self) -> Option<u32> {
        match self.decision.grounds() {
            Grounds::Rules(Reason::Rule(rule)) => Some(rule.line),
            _ => None,
        }
    }
}

/// What a response says.
fn response(headers: &HeaderMap, html: &[u8]) -> Response {
    let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
    Response::new().with_headers(headers).with_html(html)
}

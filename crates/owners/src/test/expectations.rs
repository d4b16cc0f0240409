//! Expectations, and whether they hold.

use std::collections::HashMap;
use std::ops::Range;

use robotsieve::{Policy, Verdict};
use robotsieve_known::KnownCrawlers;
use robotsieve_report::tally::Tally;

use super::line::{self, short};
use super::subject::Subject;
use super::who::{Who, Whos, nobody};
use crate::reach::SitemapUrls;

/// What stands for all URLs of the sitemaps.
pub(super) const SITEMAP: &[u8] = b"@sitemap";

/// What is expected of one URL.
#[derive(Debug)]
pub(super) struct Expectation {
    /// The number of the file that it is in, and its line.
    file: usize,
    pub(super) line: u64,
    pub(super) verdict: Verdict,
    /// The number of the crawlers.
    who: usize,
    /// Where the whole line is in the text of all, and parts of it.
    text: Range<usize>,
    who_text: Range<usize>,
    url: Range<usize>,
    /// True if it is about the URLs of the sitemaps.
    is_sitemap: bool,
}

/// Expectations of a robots.txt, collected line by line.
///
/// ```
/// use robotsieve::Profile;
/// use robotsieve_owners::test::{Expectations, Subject};
/// use robotsieve_known::KnownCrawlers;
///
/// let file = b"User-agent: GPTBot\nDisallow: /\n";
/// let subject = Subject::new("robots.txt", file, &[Profile::RFC9309]);
/// let mut expectations = Expectations::new(subject, KnownCrawlers::built_in());
/// expectations.begin_file("robots.expect");
/// expectations.add_line(1, b"disallow GPTBot /")?;
/// expectations.add_line(2, b"disallow CCBot /   # but nothing forbids it")?;
/// let report = expectations.test().report();
/// assert_eq!((report.expectations, report.failed), (2, 1));
/// assert_eq!(
///     report.results[1].message.as_deref(),
///     Some("expected disallow, got allow: CCBot, / (profile rfc9309); no group applies")
/// );
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Expectations<'a> {
    pub(super) subject: Subject<'a>,
    /// One for each profile: which URLs are valid depends on that alone.
    readers: Vec<Policy>,
    /// The names of the files, as shown next to their lines.
    files: Vec<String>,
    text: Vec<u8>,
    pub(super) all: Vec<Expectation>,
    whos: Whos<'a>,
    takes_sitemap: bool,
    sitemap: Option<OfSitemap>,
}

/// What was found out about the URLs of the sitemaps.
#[derive(Debug)]
pub(super) struct OfSitemap {
    pub(super) urls: SitemapUrls,
    tallies: Vec<Tally>,
}

/// A policy that gives the other verdict.
#[derive(Clone, Copy, Debug)]
pub(super) struct Miss {
    /// The number of the profile, and that of the policy among those asked in it.
    pub(super) profile: usize,
    pub(super) asked: usize,
}

/// An expectation that does not hold.
#[derive(Debug)]
pub(super) struct Failed {
    /// Its number among all.
    pub(super) number: usize,
    /// Never empty, in the order of the profiles.
    pub(super) misses: Box<[Miss]>,
}

/// Expectations that were tested.
#[derive(Debug)]
pub struct Tested<'a> {
    pub(super) expectations: Expectations<'a>,
    /// The places of tallies.
    places: HashMap<Place, usize>,
    pub(super) failed: Vec<Failed>,
}

/// The number of the crawlers, the profile, the policy in it, and whether it is expected to allow.
type Place = (usize, usize, usize, bool);

/// An expectation about a sitemap, the profile, and the policy in it.
type OfProfile<'e> = (&'e Expectation, usize, usize);

impl<'a> Expectations<'a> {
    /// None yet.
    #[must_use]
    pub fn new(subject: Subject<'a>, known: &'a KnownCrawlers) -> Expectations<'a> {
        Expectations {
            readers: subject
                .robots
                .iter()
                .chain(subject.operators.iter())
                .map(|robots| robots.policy(&nobody()))
                .collect(),
            subject,
            files: Vec::new(),
            text: Vec::new(),
            all: Vec::new(),
            whos: Whos::new(known),
            takes_sitemap: false,
            sitemap: None,
        }
    }

    /// Takes expectations about `@sitemap`, which are refused otherwise.
    #[must_use]
    pub fn with_sitemap(mut self) -> Expectations<'a> {
        self.takes_sitemap = true;
        self
    }

    /// Asks no crawler in a profile that cannot name it: `google` reads no digits in names, so the groups of
    /// such crawlers say nothing to it.
    #[must_use]
    pub fn where_nameable(mut self) -> Expectations<'a> {
        self.whos.nameable_only = true;
        self
    }

    /// Begins a file of expectations, with its name for reports.
    pub fn begin_file(&mut self, name: impl Into<String>) {
        self.files.push(name.into());
    }

    /// Adds the expectation of a line of the file, if it has one: `allow WHO URL`, or `disallow WHO
    /// URL`, or the word `@sitemap` in the place of the URL. Lines are numbered from 1.
    ///
    /// # Errors
    /// Returns what is wrong with the line, and the way out.
    pub fn add_line(&mut self, number: u64, line: &[u8]) -> Result<(), String> {
        // The mark that some editors begin a file with.
        let line =
            if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        let Some(fields) = line::parse(line)? else { return Ok(()) };
        let who = self.whos.find(&line[fields.who.clone()], &self.subject)?;
        let url = &line[fields.url.clone()];
        let is_sitemap = url == SITEMAP;
        if is_sitemap && !self.takes_sitemap {
            return Err("'@sitemap' stands for the URLs of a sitemap, and there is none: \
                        'robotsieve test' takes one with --sitemap FILE|URL"
                .to_owned());
        }
        if !is_sitemap && !self.is_url(url) {
            return Err(format!(
                "'{}' is no URL: write scheme://host/path, or a path that starts with '/'",
                short(url)
            ));
        }
        if self.files.is_empty() {
            self.begin_file("");
        }
        let start = self.text.len();
        self.text.extend_from_slice(line);
        let within = |part: Range<usize>| start + part.start..start + part.end;
        self.all.push(Expectation {
            file: self.files.len() - 1,
            line: number,
            verdict: fields.verdict,
            who,
            text: start..self.text.len(),
            who_text: within(fields.who),
            url: within(fields.url),
            is_sitemap,
        });
        Ok(())
    }

    fn is_url(&self, url: &[u8]) -> bool {
        self.readers.iter().all(|reader| reader.target(url).is_ok())
    }

    /// The robots.txt that is tested.
    pub fn subject(&self) -> &Subject<'a> {
        &self.subject
    }

    /// Notes on names that no group can match in some profile, and on product tokens of known crawlers
    /// to which the file says something else.
    pub fn notes(&self) -> &[String] {
        &self.whos.notes
    }

    /// The crawlers that have other rules as their operators read the file, in a sentence.
    pub(super) fn operators(&self) -> Option<String> {
        self.subject.operators.note(self.whos.readers(), &self.subject.robots[0])
    }

    /// The number of expectations there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns true if there is no expectation.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The policies that are expected to give one verdict on all URLs of the sitemaps, each with an
    /// empty tally. None if no expectation is about `@sitemap`.
    ///
    /// Add the URLs to the tallies, and pass these to [`Expectations::add_sitemap`] in this order.
    #[must_use]
    pub fn sitemap_policies(&self) -> Vec<(Policy, Tally)> {
        let policy = |(expectation, profile, asked): (&Expectation, usize, usize)| {
            let policy = self.who(expectation).asked[profile][asked].policy.clone();
            (policy, self.subject.tally(expectation.verdict))
        };
        self.places().0.into_iter().map(policy).collect()
    }

    /// Adds the tallies of all URLs of the sitemaps.
    pub fn add_sitemap(&mut self, urls: SitemapUrls, tallies: Vec<Tally>) {
        self.sitemap = Some(OfSitemap { urls, tallies });
    }

    /// The different policies that expectations about sitemaps ask, and the place of each.
    fn places(&self) -> (Vec<OfProfile<'_>>, HashMap<Place, usize>) {
        let (mut all, mut places) = (Vec::new(), HashMap::new());
        for expectation in self.all.iter().filter(|expectation| expectation.is_sitemap) {
            for (profile, policies) in self.who(expectation).asked.iter().enumerate() {
                for asked in 0..policies.len() {
                    let place = (expectation.who, profile, asked, expectation.verdict.is_allow());
                    places.entry(place).or_insert_with(|| {
                        all.push((expectation, profile, asked));
                        all.len() - 1
                    });
                }
            }
        }
        (all, places)
    }

    /// Tests them.
    #[must_use]
    pub fn test(self) -> Tested<'a> {
        let (_, places) = self.places();
        let mut tested = Tested { expectations: self, places, failed: Vec::new() };
        tested.failed = tested.judged();
        tested
    }

    pub(super) fn file(&self, expectation: &Expectation) -> &str {
        &self.files[expectation.file]
    }

    pub(super) fn line(&self, expectation: &Expectation) -> &[u8] {
        &self.text[expectation.text.clone()]
    }

    pub(super) fn who(&self, expectation: &Expectation) -> &Who<'a> {
        self.whos.get(expectation.who)
    }

    /// The crawlers as the line names them.
    pub(super) fn who_text(&self, expectation: &Expectation) -> &[u8] {
        &self.text[expectation.who_text.clone()]
    }

    pub(super) fn url(&self, expectation: &Expectation) -> &[u8] {
        &self.text[expectation.url.clone()]
    }
}

impl Tested<'_> {
    /// The number of expectations there are.
    pub fn expectations(&self) -> usize {
        self.expectations.len()
    }

    /// The number that do not hold.
    pub fn failed(&self) -> usize {
        self.failed.len()
    }

    /// The expectations that do not hold, in order.
    fn judged(&self) -> Vec<Failed> {
        let expectations = &self.expectations;
        let mut failed = Vec::new();
        let mut misses: Vec<Miss> = Vec::new();
        for (number, expectation) in expectations.all.iter().enumerate() {
            let who = expectations.who(expectation);
            for (profile, policies) in who.asked.iter().enumerate() {
                for (asked, one) in policies.iter().enumerate() {
                    let miss = Miss { profile, asked };
                    if expectation.is_sitemap {
                        let tally = self.tally(expectation, miss);
                        misses.extend(tally.filter(|tally| tally.count() > 0).map(|_| miss));
                        continue;
                    }
                    // It was checked that the URL is valid.
                    let url = expectations.url(expectation);
                    let Ok(target) = one.policy.target(url) else { continue };
                    if one.policy.verdict(&target) != expectation.verdict {
                        misses.push(miss);
                    }
                }
            }
            if !misses.is_empty() {
                let misses = std::mem::take(&mut misses).into_boxed_slice();
                failed.push(Failed { number, misses });
            }
        }
        failed
    }

    /// What the policy of a miss says of the sitemap, if the expectation is about it.
    pub(super) fn tally(&self, expectation: &Expectation, miss: Miss) -> Option<&Tally> {
        let is_allow = expectation.verdict.is_allow();
        let place = (expectation.who, miss.profile, miss.asked, is_allow);
        let sitemap = self.sitemap().filter(|_| expectation.is_sitemap)?;
        sitemap.tallies.get(*self.places.get(&place)?)
    }

    pub(super) fn sitemap(&self) -> Option<&OfSitemap> {
        self.expectations.sitemap.as_ref()
    }
}

//! What requests are judged by.

use robotsieve::{Profile, Robots};
use robotsieve_known::{KnownCrawlers, Operators, Purpose};

use crate::block::{NoToken, check_token};

use super::crawlers::{Crawlers, Name};
use super::requested::without_port;
use crate::ranges::Ranges;

/// A robots.txt, and from when on it was the site's.
#[derive(Debug)]
pub struct Version<'f> {
    name: String,
    robots: Robots<'f>,
    operators: Operators<'f>,
    from: Option<u64>,
}

impl<'f> Version<'f> {
    /// A file that was there from the beginning, with its name for the report.
    #[must_use]
    pub fn new(name: impl Into<String>, robots: Robots<'f>) -> Version<'f> {
        Version { name: name.into(), robots, operators: Operators::default(), from: None }
    }

    /// Says when the file became the site's, in seconds since 1970.
    #[must_use]
    pub fn from(mut self, seconds: u64) -> Version<'f> {
        self.from = Some(seconds);
        self
    }

    /// Judges each known crawler by the file as its operator reads it, where that is known.
    #[must_use]
    pub fn by_operators(mut self, operators: Operators<'f>) -> Version<'f> {
        self.operators = operators;
        self
    }

    /// Asks whether another crawler was meant by a name that looks like a misspelt one, and that the file does
    /// not have.
    #[must_use]
    pub fn did_you_mean(&self, name: &str, known: &KnownCrawlers) -> Option<String> {
        known.did_you_mean(name, &self.robots)
    }
}

/// A version without its file, which [`Crawlers`] has.
#[derive(Debug)]
pub(super) struct Dated {
    pub(super) name: String,
    pub(super) from: Option<u64>,
}

/// Says whether a status in the place of a robots.txt means, in a profile, that there is none, so that all may be fetched:
/// `robotsieve_client::outcome::Protocol` decides that.
pub type MeansNone = fn(&Profile, u16) -> bool;

/// The addresses of a crawler.
#[derive(Debug)]
pub(super) struct Verified {
    /// Its product token.
    token: String,
    /// The name for which the addresses were given: the token, or an operator's.
    pub(super) given: String,
    pub(super) ranges: Ranges,
}

/// What requests are judged by: the versions of the robots.txt, and whose requests count.
///
/// A [`Judge`](super::Judge) judges by it the blocks of lines that a [`Log`](super::Log) is read in, and
/// [`Counts`](super::Counts) adds up what the blocks have. Each thread may have a judge of its own: the
/// [report](super::Counts::report) is the same, however many there are and however long the blocks.
#[derive(Debug)]
pub struct Audit<'a> {
    pub(super) profile: Profile,
    pub(super) means_none: MeansNone,
    /// In the order of time.
    pub(super) versions: Vec<Dated>,
    pub(super) crawlers: Crawlers<'a>,
    /// The queries that are tried where a log lacks them. `None` if they are too many.
    pub(super) queries: Option<Vec<Vec<u8>>>,
    /// In lower case.
    pub(super) hosts: Vec<String>,
    /// Each token once.
    pub(super) verified: Vec<Verified>,
    purposes: Vec<Purpose>,
    chosen: Vec<String>,
    /// Whether addresses are kept, of all clients.
    pub(super) keeps_addresses: bool,
}

impl<'a> Audit<'a> {
    /// Judges requests by the version of the file that was in force. The versions may come in any
    /// order; what was requested before the first one is judged by it. `means_none` says which answers to a request for
    /// /robots.txt let a crawler fetch everything.
    ///
    /// # Panics
    /// Panics if there is no version.
    #[must_use]
    pub fn new(
        mut versions: Vec<Version<'a>>,
        known: &'a KnownCrawlers,
        means_none: MeansNone,
    ) -> Audit<'a> {
        assert!(!versions.is_empty(), "requests are judged by at least one file");
        versions.sort_by_key(|version| version.from);
        let (versions, files): (Vec<Dated>, Vec<_>) = versions
            .into_iter()
            .map(|Version { name, robots, operators, from }| {
                (Dated { name, from }, (robots, operators))
            })
            .unzip();
        let (files, operators): (Vec<Robots<'a>>, Vec<Operators<'a>>) = files.into_iter().unzip();
        let profile = *files[0].profile();
        let crawlers = Crawlers::new(known, files, operators);
        Audit {
            profile,
            means_none,
            versions,
            queries: crawlers.queries(),
            crawlers,
            hosts: Vec::new(),
            verified: Vec::new(),
            purposes: Vec::new(),
            chosen: Vec::new(),
            keeps_addresses: false,
        }
    }

    /// Judges only requests of the known crawlers of this purpose, and of others that are chosen.
    pub fn choose_purpose(&mut self, purpose: Purpose) {
        self.purposes.push(purpose);
    }

    /// Judges only requests of the crawler with this token, known or not, and of others that are chosen.
    ///
    /// # Errors
    /// Returns an error if no robots.txt can name it.
    pub fn choose_crawler(&mut self, token: &str) -> Result<(), NoToken> {
        check_token(token)?;
        self.chosen.push(token.to_owned());
        Ok(())
    }

    /// Whether requests of this crawler are judged.
    pub(super) fn is_chosen(&self, name: &Name<'_>) -> bool {
        let is_all = self.purposes.is_empty() && self.chosen.is_empty();
        is_all
            || name.known().is_some_and(|known| self.purposes.contains(&known.purpose))
            || self.chosen.iter().any(|token| token.eq_ignore_ascii_case(name.token()))
    }

    /// Keeps the addresses of all clients, for [`Counts::addresses`](super::Counts::addresses): memory grows
    /// with their number, to some hundred megabytes at most.
    pub fn keep_addresses(&mut self) {
        self.keeps_addresses = true;
    }

    /// Judges only requests for this host and the others that are added; requests for nobody knows
    /// which host, too.
    pub fn add_host(&mut self, host: &str) {
        self.hosts.push(without_port(host.as_bytes()));
    }

    /// Adds addresses from which the crawler with this token reads.
    pub fn add_ranges(&mut self, token: &str, ranges: &Ranges) {
        self.add_ranges_of(token, token, ranges);
    }

    /// Adds the addresses of a published file for the crawlers that it is for. `name` is that under
    /// which it was given, for the report.
    pub fn add_published(&mut self, name: &str, crawlers: &[(String, Ranges)]) {
        for (token, ranges) in crawlers {
            self.add_ranges_of(name, token, ranges);
        }
    }

    fn add_ranges_of(&mut self, given: &str, token: &str, ranges: &Ranges) {
        match self.verified_at(token) {
            Some(at) => self.verified[at].ranges.add(ranges),
            None => self.verified.push(Verified {
                token: token.to_owned(),
                given: given.to_owned(),
                ranges: ranges.clone(),
            }),
        }
    }

    /// The place in `verified` of the addresses of the crawler with this token.
    pub(super) fn verified_at(&self, token: &str) -> Option<usize> {
        self.verified.iter().position(|there| there.token.eq_ignore_ascii_case(token))
    }

    /// The numbers of earlier files of which a crawler may still have had a copy: RFC 9309 §2.4 lets it use one for
    /// 24 hours.
    pub(super) fn copies(&self, file: usize, time: u64) -> impl Iterator<Item = usize> {
        const COPY_SECONDS: u64 = 24 * 60 * 60;
        let is_recent = move |next: &usize| {
            self.versions[*next].from.is_some_and(|from| from <= time && time - from < COPY_SECONDS)
        };
        (1..=file).rev().take_while(is_recent).map(|next| next - 1)
    }

    /// The number of the file that was in force: the first one before it began, too.
    pub(super) fn in_force(&self, time: u64) -> usize {
        if self.versions.len() == 1 {
            return 0;
        }
        self.versions.partition_point(|version| version.from <= Some(time)).saturating_sub(1)
    }
}

//! What a robots.txt lets the known crawlers read: the report `crawlers`.
//!
//! "Everything" and "nothing" are proven, by the automata of the rules. Of everything in between,
//! the rules that decide are found, each with a path that shows it.
//!
//! ```
//! use robotsieve::Profile;
//! use robotsieve_known::{KnownCrawlers, Purpose};
//! use robotsieve_owners::reach::Reach;
//!
//! let file = b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\n";
//! let training = KnownCrawlers::built_in().of_purpose(Purpose::AiTraining);
//! let report = Reach::of(file, &Profile::RFC9309).crawlers(training).report()?;
//! assert_eq!(report.purposes[0].shut_out, 1);
//! assert_eq!(report.purposes[0].rows[0].who, ["GPTBot (line 1)"]);
//! assert_eq!(report.policies[report.purposes[0].rows[1].policy].text, "all but /private/ (line 5)");
//! # Ok::<(), robotsieve_owners::reach::InvalidPage>(())
//! ```

mod document;
mod judge;
mod words;

pub use document::{
    KnownReport, OtherSite, ReachAnswer, ReachBy, ReachCrawler, ReachPath, ReachPolicy,
    ReachPurpose, ReachReport, ReachRow, Reads, SitemapCounts, SitemapUrls,
};
pub use judge::InvalidPage;
use judge::own_profile;
use robotsieve::{Profile, Robots};
use robotsieve_known::{KnownCrawler, KnownCrawlers, Operators};
use robotsieve_report::tally::Tally;
use robotsieve_report::{SCHEMA, TOOL_VERSION, shown_text, text, texts};

/// A question: what a file lets known crawlers read. Without more, all that are built in.
#[derive(Clone, Debug)]
pub struct Reach<'a> {
    file: &'a [u8],
    profile: &'a Profile,
    crawlers: Vec<&'a KnownCrawler>,
    pages: Vec<Vec<u8>>,
    name: Option<Vec<u8>>,
    answer: Option<String>,
    by_operators: bool,
}

impl<'a> Reach<'a> {
    /// Asks about a file, read as this profile does.
    #[must_use]
    pub fn of(file: &'a [u8], profile: &'a Profile) -> Reach<'a> {
        let crawlers = KnownCrawlers::built_in().iter().collect();
        Reach {
            file,
            profile,
            crawlers,
            pages: Vec::new(),
            name: None,
            answer: None,
            by_operators: false,
        }
    }

    /// Asks for these crawlers only.
    #[must_use]
    pub fn crawlers(mut self, crawlers: impl IntoIterator<Item = &'a KnownCrawler>) -> Reach<'a> {
        self.crawlers = crawlers.into_iter().collect();
        self
    }

    /// Asks for the verdicts on these pages: URLs, or paths that begin with `/`. Without any, the
    /// report has `/` and up to four short paths on which the crawlers differ.
    #[must_use]
    pub fn pages<P: AsRef<[u8]>>(mut self, pages: impl IntoIterator<Item = P>) -> Reach<'a> {
        self.pages = pages.into_iter().map(|page| page.as_ref().to_vec()).collect();
        self
    }

    /// Names the file in the report.
    #[must_use]
    pub fn named(mut self, name: impl AsRef<[u8]>) -> Reach<'a> {
        self.name = Some(name.as_ref().to_vec());
        self
    }

    /// Reads the file for each crawler as its operator does, where that is known, and as the profile does for the
    /// others.
    #[must_use]
    pub fn by_operators(mut self) -> Reach<'a> {
        self.by_operators = true;
        self
    }

    /// Says that the file stands for what its URL answered instead, such as `HTTP 503`: the report
    /// names the answer in the place of lines.
    #[must_use]
    pub fn answered(mut self, answer: impl Into<String>) -> Reach<'a> {
        self.answer = Some(answer.into());
        self
    }

    /// Judges the crawlers.
    ///
    /// # Errors
    /// Returns an error if a page is an invalid URL.
    pub fn report(&self) -> Result<ReachReport, InvalidPage> {
        // An answer in the place of the file says the same to all.
        let by_operators = self.by_operators && self.answer.is_none();
        let judged = judge::judge(
            self.file,
            self.profile,
            by_operators,
            self.answer.is_some(),
            &self.crawlers,
            &self.pages,
        )?;
        let mut notes = robotsieve_known::notes(self.crawlers.iter().copied());
        if by_operators {
            let asked = Robots::parse(self.file, self.profile);
            let operators = Operators::of(self.file, self.profile, self.crawlers.iter().copied());
            notes.extend(operators.note(self.crawlers.iter().copied(), &asked));
        }
        let name = self.name.as_deref().map(text);
        let (robots, robots_base64) =
            name.map_or((None, None), |(name, bytes)| (Some(name), bytes));
        let (pages, pages_base64) = texts(&judged.pages);
        let crawlers = self.crawlers.iter().zip(judged.crawlers);
        let mut report = ReachReport {
            schema: SCHEMA,
            report: "crawlers",
            tool_version: TOOL_VERSION,
            robots,
            robots_base64,
            profile: self.profile.name().map(str::to_owned),
            answer: self.answer.clone(),
            pages,
            pages_base64,
            purposes: Vec::new(),
            policies: judged.classes.into_iter().map(|class| class.report()).collect(),
            crawlers: crawlers
                .map(|(known, (policy, by, lines))| ReachCrawler {
                    name: known.name.clone(),
                    token: known.token.clone(),
                    operator: known.operator.clone(),
                    purpose: known.purpose,
                    obeys: known.obeys,
                    profile: own_profile(known, self.profile, by_operators).name(),
                    policy,
                    by,
                    lines,
                })
                .collect(),
            sitemap: None,
            notes,
            sentences: Vec::new(),
        };
        report.put_into_words();
        Ok(report)
    }
}

impl ReachReport {
    /// The crawlers of the different policies, by their indexes in `crawlers`: the first one of
    /// each, in the order of `policies`.
    pub fn first_crawlers(&self) -> impl Iterator<Item = usize> {
        (0..self.policies.len())
            .filter_map(|policy| self.crawlers.iter().position(|one| one.policy == policy))
    }

    /// The pages as text for people.
    #[must_use]
    pub fn shown_pages(&self) -> Vec<String> {
        let base64 = self.pages_base64.iter().flatten().map(|base64| Some(base64.as_str()));
        let base64 = base64.chain(std::iter::repeat(None));
        self.pages.iter().zip(base64).map(|(page, base64)| shown_text(page, base64)).collect()
    }

    /// Adds the verdicts of each policy on the URLs of sitemaps, in the order of `policies`.
    pub fn add_sitemap(&mut self, urls: SitemapUrls, tallies: &[Tally]) {
        for (policy, tally) in self.policies.iter_mut().zip(tallies) {
            policy.sitemap = Some(tally.report());
        }
        self.sitemap = Some(urls);
        self.put_into_words();
    }
}

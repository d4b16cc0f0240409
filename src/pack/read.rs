//! The look-up in an open pack.

use crate::as_url::AsUrl;
use crate::origin::{Origin, Scheme};
use crate::policy::Reading;
use crate::policy::answers::{Answer, Answers, CrawlerId};
use crate::read_ahead;
use crate::sites::layout::{self, Always, Key, LINE_LEN, NO_RECORD, Policies, RECORD_UNIT};
use crate::sites::look_up::{self, SiteTable, UrlRun};
use crate::sites::policy::SitePolicy;
use crate::verdict::Verdict;

use super::error::PackError;
use super::open::Pack;
use super::shard::Shard;
use super::site::{PackEntry, Site};

impl<'p> Pack<'p> {
    /// What the pack has for an origin.
    ///
    /// Reads a line of the index, which has the entry; with updates, a line of each.
    ///
    /// # Errors
    /// Returns an error if a part of the index that is read is damaged.
    #[inline]
    pub fn get(&self, origin: &Origin<'_>) -> Result<Option<Site<'_>>, PackError> {
        self.look_up(&self.key(origin.authority().as_bytes(), origin.scheme()))
    }

    #[inline]
    pub(super) fn look_up(&self, key: &Key<'_>) -> Result<Option<Site<'_>>, PackError> {
        let shard = self.shard_of(key);
        let entry = shard.look_up(key)?;
        Ok(entry.map(|entry| Site { pack: self, shard, entry }))
    }

    #[inline]
    fn shard_number(&self, authority: &[u8]) -> usize {
        match self.shards.len() {
            1 => 0,
            shards => crate::origin::shard_of(authority, shards as u32) as usize,
        }
    }

    #[inline]
    fn shard_of(&self, key: &Key<'_>) -> &Shard<'p> {
        &self.shards[key.shard as usize]
    }

    /// The answer for one URL and one crawler, as [`Pack::answers`] has it.
    ///
    /// # Errors
    /// Returns an error if a part that is read is damaged.
    ///
    /// # Panics
    /// Panics if the pack has no such crawler.
    pub fn answer<U: AsUrl + ?Sized>(
        &self,
        url: &U,
        crawler: CrawlerId,
    ) -> Result<Answer, PackError> {
        Ok(self.answers(&[url.as_url()], &[crawler])?[0])
    }

    /// Answers for many URLs: a row for each, with an answer for each of these crawlers
    /// ([`Pack::crawler`], or all: [`Pack::crawler_ids`]).
    ///
    /// [`Answer::Invalid`] for what is not a URL of http, https or ftp, and [`Answer::Unknown`] for
    /// one whose origin is not in the pack, or of which nothing is known. The waits of
    /// many origins for memory overlap: for origins in random order that is nearly twice as fast as one
    /// by one.
    ///
    /// ```
    /// # use robotsieve::pack::{Pack, Writer};
    /// # use robotsieve::{Answer, Config, Crawler, Origin, Profile, SiteRules};
    /// # let crawlers = ["GPTBot", "Googlebot"].map(Crawler::name);
    /// # let mut writer = Writer::new(Vec::new(), &Profile::RFC9309, crawlers, &Config::default())?;
    /// # let file = writer.recipe().pack(b"User-agent: GPTBot\nDisallow: /");
    /// # let rules = SiteRules::Rules(writer.put(&file)?);
    /// # writer.add(&Origin::of("https://example.com")?, rules, None)?;
    /// # let bytes = writer.finish()?;
    /// # let pack = Pack::open(&bytes)?;
    /// let urls = ["https://example.com/x", "https://example.org/", "example.com"];
    /// let answers = pack.answers(&urls, pack.crawler_ids())?;
    /// assert_eq!(answers.row(0), [Answer::Disallow, Answer::Allow]);
    /// assert_eq!(answers.row(1), [Answer::Unknown; 2]);
    /// assert_eq!(answers.row(2), [Answer::Invalid; 2]);
    /// let gptbot = pack.crawler(&"GPTBot".into()).expect("it was given");
    /// assert_eq!(pack.answer(urls[0], gptbot)?, Answer::Disallow);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a part that is read is damaged.
    ///
    /// # Panics
    /// Panics if the pack has no such crawler.
    pub fn answers<U: AsUrl>(
        &self,
        urls: &[U],
        crawlers: &[CrawlerId],
    ) -> Result<Answers, PackError> {
        let mut answers = Answers::unknown(urls.len(), crawlers.len());
        self.answers_into(urls, crawlers, &mut answers)?;
        Ok(answers)
    }

    /// As [`Pack::answers`], written into a place that is there already. Allocates nothing for crawlers
    /// that share a few policies.
    ///
    /// # Errors
    /// Returns an error if a part that is read is damaged. The answers that need it are
    /// [`Answer::Unknown`] then.
    ///
    /// # Panics
    /// Panics if the pack has no such crawler, or unless there is room for as many answers.
    pub fn answers_into<U: AsUrl>(
        &self,
        urls: &[U],
        crawlers: &[CrawlerId],
        answers: &mut [Answer],
    ) -> Result<(), PackError> {
        CrawlerId::check(crawlers, self.crawlers().len());
        let mut first = Ok(());
        look_up::answers(self, urls, crawlers, answers, |error| {
            if first.is_ok() {
                first = Err(error);
            }
        });
        first
    }

    /// As [`Pack::answers_into`], of URLs whose origins are known already, in runs: each origin is
    /// given, and so is the answer where nothing is known of it.
    ///
    /// Where a part is damaged, the answers are [`Answer::Unknown`], and `damaged` is called with
    /// the error.
    ///
    /// # Panics
    /// As [`Pack::answers_into`], or if the runs do not cover the URLs.
    pub fn answers_for<U: AsUrl>(
        &self,
        runs: &[UrlRun<'_>],
        urls: &[U],
        crawlers: &[CrawlerId],
        answers: &mut [Answer],
        damaged: impl FnMut(PackError),
    ) {
        CrawlerId::check(crawlers, self.crawlers().len());
        look_up::answers_for(self, runs, urls, crawlers, answers, damaged);
    }

    /// All sites, in no particular order. A site stands for all origins with the same host and
    /// port, and the same answers: [`Site::origins`].
    ///
    /// Yields an error for each part that is damaged.
    pub fn sites(&self) -> impl Iterator<Item = Result<Site<'_>, PackError>> {
        self.shards.iter().flat_map(move |shard| {
            shard.entries().map(move |entry| Ok(Site { pack: self, shard, entry: entry?.0 }))
        })
    }
}

impl SiteTable for Pack<'_> {
    type Site<'g>
        = PackEntry<'g>
    where
        Self: 'g;
    type Error = PackError;

    #[inline]
    fn key<'k>(&self, authority: &'k [u8], scheme: Scheme) -> Key<'k> {
        let number = self.shard_number(authority);
        Key { shard: number as u32, ..Key::of(authority, scheme, self.shards[number].seed) }
    }

    #[inline]
    fn reading(&self) -> Reading {
        self.reading
    }

    #[inline]
    fn read_line_ahead(&self, key: &Key<'_>) {
        let shard = self.shard_of(key);
        for layer in &shard.layers {
            let line = layout::home(key.hash, layer.trailer.lines) as usize;
            read_ahead::at(&shard.bytes, layer.index + line * LINE_LEN);
        }
    }

    #[inline]
    fn site<'g>(&'g self, key: &Key<'_>) -> Result<Option<PackEntry<'g>>, PackError> {
        let shard = self.shard_of(key);
        Ok(shard.look_up(key)?.map(|entry| PackEntry::of(shard, &entry)))
    }

    #[inline]
    fn always(&self, site: PackEntry<'_>) -> Option<Verdict> {
        site.always.verdict()
    }

    #[inline]
    fn read_site_ahead(&self, site: PackEntry<'_>) {
        if site.policies != NO_RECORD && site.always == Always::Neither {
            self.read_policy_ahead(site, site.policies);
        }
    }

    #[inline]
    fn policies<'g>(&'g self, site: PackEntry<'g>) -> Result<Option<Policies<'g>>, PackError> {
        match site.policies {
            NO_RECORD => Ok(None),
            record => site.shard.policies(record, self.crawlers().len()).map(Some),
        }
    }

    #[inline]
    fn read_policy_ahead(&self, PackEntry { shard, .. }: PackEntry<'_>, record: u32) {
        shard.valid.read_ahead(record);
        read_ahead::lines(&shard.bytes, record as usize * RECORD_UNIT, 2);
    }

    #[inline]
    fn policy<'g>(&'g self, site: PackEntry<'g>, record: u32) -> Result<SitePolicy<'g>, PackError> {
        site.shard.site_policy(record)
    }
}

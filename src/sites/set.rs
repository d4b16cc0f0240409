//! The policies of many origins in memory.
//!
//! The layout is that of a pack (`pack::shard`), made for origins that come and go in random order: records of names,
//! policies and rules in one text, an index of entries by hash, and the tables that entries lead to. The two share what
//! answers questions, `sites::look_up`, through the trait [`SiteTable`]: so a set and a pack cannot differ.
//!
//! What an insertion does: hash the file; if no origin has had an equal one, parse it, make a policy for each crawler,
//! compile it, and store what is new of tables and rules. Policies are found by their contents, so two files that differ
//! in comments share all. Each file counts its origins; the last one to go takes the file's records with it, and once half
//! of the text is not in use, what is in use is moved together.
//!
//! Hashes of origins and files have random keys: nobody outside can choose hosts that fall into one place, or a file
//! that passes for another.

use std::collections::HashMap;
use std::collections::hash_map::Entry as MapEntry;
use std::convert::Infallible;
use std::fmt;
use std::hash::{BuildHasher, RandomState};

use smallvec::SmallVec;

use crate::as_url::AsUrl;
use crate::automaton::Table;
use crate::origin::{Origin, Scheme};
use crate::policy::answers::{Answer, Answers, CrawlerId};
use crate::policy::config::Config;
use crate::policy::content::ContentKeys;
use crate::policy::crawlers::CrawlerPolicies;
use crate::policy::robots::Robots;
use crate::policy::sitemaps::Sitemaps;
use crate::policy::{Policy, Reading};
use crate::profile::Profile;
use crate::read::crawler::Crawler;
use crate::read::fields::Pace;
use crate::read::utf16::text_of;
use crate::read_ahead;
use crate::rules::target::Target;
use crate::verdict::Verdict;

use super::compiled::{self, table_body};
use super::kind::{SiteKind, SiteRules};
use super::layout::{
    self, Always, Entry, KIND_NAME, KIND_PANEL, KIND_RULES, Key, NO_RECORD, Name, Panel, Policies,
    RECORD_HEAD, RECORD_UNIT,
};
use super::lines::{Lines, Place};
use super::look_up::{self, SiteTable, UrlRun};
use super::pace;
use super::policy::SitePolicy;

/// The policies of some crawlers for many origins.
///
/// A large part of the web serves one of a few files that come with content management systems,
/// so origins with equal files share their policies, and so do files that differ only in what does
/// not matter. Files are not kept: equal ones are recognised by hashes with keys that are random for
/// each set.
///
/// Memory has the layout of a pack, made for origins in random order: some 60 to 90 bytes for an origin and
/// its name, and a table for each distinct policy, compiled when it is inserted. Rules, which only
/// explanations need, lie apart; without [`Config::keep_rules`] they are not kept at all.
///
/// A set is `Send` and `Sync`, and changing it needs `&mut`. Use a pack (feature `pack`) to write
/// policies to a file or to share them between processes.
///
/// ```
/// use robotsieve::{Answer, Config, Crawler, Origin, PolicySet, Profile};
///
/// let crawlers = ["GPTBot", "Googlebot"].map(Crawler::name);
/// let mut set = PolicySet::new(&Profile::RFC9309, &Config::default(), crawlers);
/// let file = b"User-agent: GPTBot\nDisallow: /";
/// set.insert(&Origin::of("https://example.com")?, file);
/// set.insert(&Origin::of("https://example.org")?, file);
/// assert_eq!((set.len(), set.file_count()), (2, 1));
///
/// // Many URLs of any origins: a row for each, with an answer for each crawler.
/// let urls = ["https://example.org/x", "https://example.net/", "x"];
/// let answers = set.answers(&urls, set.crawler_ids());
/// assert_eq!(answers.row(0), [Answer::Disallow, Answer::Allow]);
/// assert_eq!(answers.row(1), [Answer::Unknown; 2]);
/// assert_eq!(answers.row(2), [Answer::Invalid; 2]);
///
/// // One origin.
/// let site = set.get(&Origin::of("https://example.org/x")?).expect("is there");
/// assert_eq!(*site.ask("https://example.org/y"), [Answer::Disallow, Answer::Allow]);
/// // http is another origin.
/// assert!(set.get(&Origin::of("http://example.org")?).is_none());
/// # Ok::<(), robotsieve::InvalidOrigin>(())
/// ```
#[derive(Clone)]
pub struct PolicySet {
    profile: Profile,
    config: Config,
    reading: Reading,
    crawlers: Vec<Crawler>,
    ids: Vec<CrawlerId>,
    contents: ContentKeys,
    seed: u64,
    lines: Lines,
    records: Vec<u8>,
    /// The policies that have no table.
    over_limits: Vec<Policy>,
    /// By the number that an entry has for explanations.
    files: Vec<Option<File>>,
    free_files: Vec<u32>,
    by_content: HashMap<u128, u32>,
    by_body: HashMap<u128, Shared>,
    origins: usize,
    /// Bytes of records that are no longer in use.
    dead_bytes: usize,
}

/// In the place of a file's number: there is none.
const NO_FILE: u32 = u32::MAX;

/// A distinct file.
#[derive(Clone)]
struct File {
    content: u128,
    /// The number of origins that have it.
    origins: u32,
    /// The record that their entries lead to.
    policies: u32,
    /// The verdict on every URL.
    always: Always,
    /// The contents of the records it needs.
    bodies: SmallVec<[u128; 2]>,
    /// The policies with their rules, if they are kept.
    with_rules: Option<CrawlerPolicies>,
    sitemaps: Sitemaps,
}

/// A record that files share.
#[derive(Clone, Copy)]
struct Shared {
    record: u32,
    files: u32,
}

impl PolicySet {
    /// An empty set for these crawlers.
    pub fn new(
        profile: &Profile,
        config: &Config,
        crawlers: impl IntoIterator<Item = Crawler>,
    ) -> PolicySet {
        let crawlers: Vec<Crawler> = crawlers.into_iter().collect();
        PolicySet {
            profile: *profile,
            config: *config,
            reading: Reading::of(profile),
            ids: (0..crawlers.len()).map(CrawlerId::at).collect(),
            crawlers,
            contents: ContentKeys::default(),
            seed: RandomState::new().hash_one(0),
            lines: Lines::default(),
            // So that no record has the number of none.
            records: vec![0; RECORD_UNIT],
            over_limits: Vec::new(),
            files: Vec::new(),
            free_files: Vec::new(),
            by_content: HashMap::new(),
            by_body: HashMap::new(),
            origins: 0,
            dead_bytes: 0,
        }
    }

    /// Sets what is known of an origin: its robots.txt, or one of the other [`SiteRules`]. Replaces
    /// what was known. Parses and compiles the file unless another origin has an equal one.
    ///
    /// ```
    /// use robotsieve::{Answer, Config, Crawler, Origin, PolicySet, Profile, SiteRules};
    ///
    /// let crawlers = [Crawler::name("bot")];
    /// let mut set = PolicySet::new(&Profile::RFC9309, &Config::default(), crawlers);
    /// set.insert(&Origin::of("https://a.example")?, b"User-agent: *\nDisallow: /x");
    /// set.insert(&Origin::of("https://b.example")?, SiteRules::DisallowAll);
    /// let urls = ["https://a.example/", "https://b.example/"];
    /// assert_eq!(*set.answers(&urls, set.crawler_ids()), [Answer::Allow, Answer::Disallow]);
    /// # Ok::<(), robotsieve::InvalidOrigin>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the policies or the names need more than 64 GiB.
    pub fn insert<'f>(&mut self, origin: &Origin<'_>, rules: impl Into<SiteRules<&'f [u8]>>) {
        let rules = rules.into();
        let kind = rules.kind() as u8;
        let entry = match rules.file() {
            Some(file) => {
                let content = self.contents.of(file);
                let number = match self.by_content.get(&content) {
                    Some(number) => *number,
                    None => self.add_file(file, content),
                };
                let new = self.files[number as usize].as_mut().expect("is known");
                new.origins += 1;
                let (policies, always) = (new.policies, new.always);
                Entry { kind, policies, always, about: number, ..Entry::NOTHING }
            }
            None => Entry { kind, about: NO_FILE, ..Entry::NOTHING },
        };
        let key = self.key(origin);
        match self.place(&key) {
            Some((place, old)) => {
                let old_file = old.about;
                let name = match old.name {
                    Name::Here(_) => Name::Here(key.authority),
                    Name::Long { hash, record } => Name::Long { hash, record },
                };
                self.lines.replace(place, &Entry { name, schemes: key.scheme, ..entry });
                self.release(old_file);
            }
            None => {
                let records = &mut self.records;
                let name = Name::of(key.authority, key.hash, [0; 2], true, || {
                    Ok::<_, Infallible>(append_record(
                        records,
                        &[&[KIND_NAME], key.authority].concat(),
                    ))
                });
                let Ok(name) = name;
                let entry = Entry { name, schemes: key.scheme, ..entry };
                let PolicySet { lines, seed, records, .. } = self;
                lines
                    .insert(key.hash, &entry, |other| layout::hash(name_of(other, records), *seed));
                self.origins += 1;
            }
        }
        self.compact_if_worth_it();
    }

    /// Compiles a file, and returns its number.
    fn add_file(&mut self, file: &[u8], content: u128) -> u32 {
        let config = Config { build_after: Some(u32::MAX), keep_rules: true, ..self.config };
        let file = &*text_of(file, &self.profile);
        let robots = Robots::parse_with(file, &self.profile, &config);
        let of_groups = compiled::Policies::of(&robots, &self.crawlers);
        let mut bodies = SmallVec::new();
        let records: Vec<u32> =
            of_groups.policies.iter().map(|policy| self.put(policy, &mut bodies)).collect();
        let mut distinct = records.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let policies = match distinct[..] {
            [] => NO_RECORD,
            [one] => one,
            _ => {
                let columns = of_groups
                    .columns
                    .iter()
                    .map(|group| distinct.binary_search(&records[*group]).expect("is one of them"));
                let mut body = vec![KIND_PANEL];
                Panel::write(&distinct, &columns.collect::<Vec<_>>(), &mut body);
                self.put_record(&body, &mut bodies)
            }
        };
        let alike = distinct
            .iter()
            .map(|record| compiled::always(body_at(&self.records, *record), self.reading.encoding));
        let always = alike.reduce(Always::and).unwrap_or(Always::Neither);
        let with_rules = self.config.keep_rules.then(|| {
            let robots = Robots::parse_with(file, &self.profile, &self.config);
            CrawlerPolicies::of(&robots, &self.crawlers)
        });
        let sitemaps =
            if with_rules.is_some() { Sitemaps::default() } else { Sitemaps::kept(&robots) };
        let new =
            Some(File { content, origins: 0, policies, always, bodies, with_rules, sitemaps });
        let number = match self.free_files.pop() {
            Some(number) => {
                self.files[number as usize] = new;
                number
            }
            None => {
                self.files.push(new);
                u32::try_from(self.files.len() - 1).expect("fewer than 4 billion files")
            }
        };
        self.by_content.insert(content, number);
        number
    }

    /// The record of a policy.
    fn put(&mut self, policy: &Policy, bodies: &mut SmallVec<[u128; 2]>) -> u32 {
        match table_body(policy) {
            Some(body) => self.put_record(&body, bodies),
            None => {
                let number = self.over_limits.len() as u32;
                self.over_limits.push(policy.clone());
                let mut body = vec![KIND_RULES];
                body.extend(number.to_le_bytes());
                self.put_record(&body, bodies)
            }
        }
    }

    fn put_record(&mut self, body: &[u8], bodies: &mut SmallVec<[u128; 2]>) -> u32 {
        let content = self.contents.of(body);
        bodies.push(content);
        match self.by_body.entry(content) {
            MapEntry::Occupied(mut known) => {
                known.get_mut().files += 1;
                known.get().record
            }
            MapEntry::Vacant(vacant) => {
                let record = append_record(&mut self.records, body);
                vacant.insert(Shared { record, files: 1 });
                record
            }
        }
    }

    /// The policy that [`PolicySet::put`] wrote this number of.
    fn over_limit(&self, number: &[u8]) -> &Policy {
        let number = u32::from_le_bytes(number.try_into().expect("four bytes"));
        &self.over_limits[number as usize]
    }

    /// An origin does not have this file any more.
    fn release(&mut self, number: u32) {
        if number == NO_FILE {
            return;
        }
        let file = self.files[number as usize].as_mut().expect("an entry has it");
        file.origins -= 1;
        if file.origins > 0 {
            return;
        }
        let file = self.files[number as usize].take().expect("an entry had it");
        self.free_files.push(number);
        self.by_content.remove(&file.content);
        for content in file.bodies {
            let shared = self.by_body.get_mut(&content).expect("the file has it");
            shared.files -= 1;
            if shared.files == 0 {
                self.dead_bytes += record_len(body_at(&self.records, shared.record).len());
                self.by_body.remove(&content);
            }
        }
    }

    /// The entry of an origin.
    #[inline]
    pub fn get(&self, origin: &Origin<'_>) -> Option<SetSite<'_>> {
        let (_, entry) = self.place(&self.key(origin))?;
        Some(SetSite { set: self, entry })
    }

    #[inline]
    fn key<'k>(&self, origin: &'k Origin<'_>) -> Key<'k> {
        Key::of(origin.authority().as_bytes(), origin.scheme(), self.seed)
    }

    /// The entry of an origin, and its place.
    #[inline(always)]
    fn place(&self, key: &Key<'_>) -> Option<(Place, Entry<'_>)> {
        self.lines.find(key, |record| name_at(&self.records, record))
    }

    /// Removes an origin. Returns `false` if it is not in the set.
    pub fn remove(&mut self, origin: &Origin<'_>) -> bool {
        let Some((place, entry)) = self.place(&self.key(origin)) else { return false };
        let (file, name) = (entry.about, entry.name.record());
        self.lines.remove(place);
        if let Some(record) = name {
            self.dead_bytes += record_len(body_at(&self.records, record).len());
        }
        self.origins -= 1;
        self.release(file);
        self.compact_if_worth_it();
        true
    }

    /// Moves what is in use together, once half of the memory is not.
    fn compact_if_worth_it(&mut self) {
        const LEAST: usize = 1 << 16;
        if self.dead_bytes < LEAST || self.dead_bytes < self.records.len() / 2 {
            return;
        }
        let old_records = std::mem::replace(&mut self.records, vec![0; RECORD_UNIT]);
        let old_policies = std::mem::take(&mut self.over_limits);
        let mut moved: HashMap<u32, u32> = HashMap::with_capacity(self.by_body.len());
        // Panels last, since they lead to the others.
        let mut panels = Vec::new();
        for shared in self.by_body.values_mut() {
            let body = body_at(&old_records, shared.record);
            let new = match body {
                [KIND_PANEL, ..] => {
                    panels.push(shared);
                    continue;
                }
                [KIND_RULES, number @ ..] => {
                    let number = u32::from_le_bytes(number.try_into().expect("four bytes"));
                    let mut body = vec![KIND_RULES];
                    body.extend((self.over_limits.len() as u32).to_le_bytes());
                    self.over_limits.push(old_policies[number as usize].clone());
                    append_record(&mut self.records, &body)
                }
                table => append_record(&mut self.records, table),
            };
            moved.insert(shared.record, new);
            shared.record = new;
        }
        for shared in panels {
            let body = body_at(&old_records, shared.record);
            let panel = Panel::read_again(&body[1..]);
            let records: Vec<u32> = panel.records().map(|record| moved[&record]).collect();
            let columns: Vec<usize> =
                self.ids.iter().map(|crawler| panel.index(crawler.place())).collect();
            let mut body = vec![KIND_PANEL];
            Panel::write(&records, &columns, &mut body);
            let new = append_record(&mut self.records, &body);
            moved.insert(shared.record, new);
            shared.record = new;
        }
        for record in self.lines.entries().filter_map(|entry| entry.name.record()) {
            let new = append_record(&mut self.records, body_at(&old_records, record));
            moved.insert(record, new);
        }
        let new = |record: u32| moved.get(&record).copied().unwrap_or(NO_RECORD);
        for file in self.files.iter_mut().flatten() {
            file.policies = new(file.policies);
        }
        self.lines.move_records(new);
        self.dead_bytes = 0;
    }

    /// The answer for one URL and one crawler: [`Answer::Invalid`] for what is not a URL of http, https
    /// or ftp, and [`Answer::Unknown`] if its origin is not in the set, or nothing is known of it.
    ///
    /// ```
    /// use robotsieve::{Answer, Config, Crawler, Origin, PolicySet, Profile};
    ///
    /// let crawlers = ["GPTBot", "Googlebot"].map(Crawler::name);
    /// let mut set = PolicySet::new(&Profile::RFC9309, &Config::default(), crawlers);
    /// set.insert(&Origin::of("https://example.com")?, b"User-agent: GPTBot\nDisallow: /");
    /// let gptbot = set.crawler(&"GPTBot".into()).expect("given above");
    /// assert_eq!(set.answer("https://example.com/x", gptbot), Answer::Disallow);
    /// assert_eq!(set.answer("http://example.com/x", gptbot), Answer::Unknown);
    /// assert_eq!(set.crawler(&"Bingbot".into()), None);
    /// # Ok::<(), robotsieve::InvalidOrigin>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the set has no such crawler.
    #[must_use]
    pub fn answer<U: AsUrl + ?Sized>(&self, url: &U, crawler: CrawlerId) -> Answer {
        self.answers(&[url.as_url()], &[crawler])[0]
    }

    /// Answers for many URLs: a row for each, with an answer for each of these crawlers
    /// ([`PolicySet::crawler`], or all: [`PolicySet::crawler_ids`]).
    ///
    /// [`Answer::Invalid`] for what is not a URL of http, https or ftp, and [`Answer::Unknown`] for
    /// one whose origin is not in the set, or of which nothing is known. The waits of many origins for
    /// memory overlap: for origins in random order that is nearly twice as fast as one by one.
    ///
    /// # Panics
    /// Panics if the set has no such crawler.
    #[must_use]
    pub fn answers<U: AsUrl>(&self, urls: &[U], crawlers: &[CrawlerId]) -> Answers {
        let mut answers = Answers::unknown(urls.len(), crawlers.len());
        self.answers_into(urls, crawlers, &mut answers);
        answers
    }

    /// As [`PolicySet::answers`], written into a place that is there already. Allocates nothing for
    /// crawlers that share a few policies.
    ///
    /// # Panics
    /// Panics if the set has no such crawler, or unless there is room for as many answers.
    pub fn answers_into<U: AsUrl>(
        &self,
        urls: &[U],
        crawlers: &[CrawlerId],
        answers: &mut [Answer],
    ) {
        CrawlerId::check(crawlers, self.crawlers.len());
        look_up::answers(self, urls, crawlers, answers, |never| match never {});
    }

    /// As [`PolicySet::answers_into`], of URLs whose origins are known already, in runs: each origin is
    /// given, and so is the answer where nothing is known of it.
    ///
    /// # Panics
    /// As [`PolicySet::answers_into`], or if the runs do not cover the URLs.
    pub fn answers_for<U: AsUrl>(
        &self,
        runs: &[UrlRun<'_>],
        urls: &[U],
        crawlers: &[CrawlerId],
        answers: &mut [Answer],
    ) {
        CrawlerId::check(crawlers, self.crawlers.len());
        look_up::answers_for(self, runs, urls, crawlers, answers, |never| match never {});
    }

    /// All origins, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = SetSite<'_>> {
        self.lines.entries().map(|entry| SetSite { set: self, entry })
    }

    /// The profile in which files are read.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The configuration of its policies.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The crawlers that the set is for.
    pub fn crawlers(&self) -> &[Crawler] {
        &self.crawlers
    }

    /// One of them, by its names. `None` if it is not among them.
    #[must_use]
    pub fn crawler(&self, crawler: &Crawler) -> Option<CrawlerId> {
        CrawlerId::of(crawler, &self.crawlers)
    }

    /// All of them, in their order.
    pub fn crawler_ids(&self) -> &[CrawlerId] {
        &self.ids
    }

    /// The number of origins there are.
    pub fn len(&self) -> usize {
        self.origins
    }

    /// Returns true if there is no origin.
    pub fn is_empty(&self) -> bool {
        self.origins == 0
    }

    /// The number of different files the origins have.
    pub fn file_count(&self) -> usize {
        self.by_content.len()
    }

    /// The number of different policies they have, for any of the crawlers.
    pub fn policy_count(&self) -> usize {
        let is_policy =
            |shared: &&Shared| !matches!(body_at(&self.records, shared.record), [KIND_PANEL, ..]);
        self.by_body.values().filter(is_policy).count()
    }

    /// The bytes that the set occupies: index, entries, tables and, if they are kept, rules, shared
    /// ones counted once. `O(files)`.
    ///
    /// A map counts as its entries and one byte for each at its capacity; what else the allocator or
    /// the standard library's map adds is not counted.
    pub fn memory_usage(&self) -> usize {
        let files = self.files.iter().flatten().map(|file| {
            let rules = file.with_rules.as_ref().map_or(0, CrawlerPolicies::memory_usage);
            rules + file.sitemaps.memory_usage()
        });
        let over_limits = self.over_limits.iter().map(|policy| policy.memory_usage().total_bytes());
        files.sum::<usize>()
            + over_limits.sum::<usize>()
            + self.lines.memory_usage()
            + self.records.capacity()
            + self.files.capacity() * size_of::<Option<File>>()
            + self.free_files.capacity() * size_of::<u32>()
            + self.by_content.capacity() * (size_of::<(u128, u32)>() + 1)
            + self.by_body.capacity() * (size_of::<(u128, Shared)>() + 1)
    }
}

/// The name that a record has.
#[inline]
fn name_at(records: &[u8], record: u32) -> &[u8] {
    &body_at(records, record)[1..]
}

/// The authority of an entry.
#[inline]
fn name_of<'e>(entry: &Entry<'e>, records: &'e [u8]) -> &'e [u8] {
    match entry.name {
        Name::Here(name) => name,
        Name::Long { record, .. } => name_at(records, record),
    }
}

/// The body of a record.
#[inline]
fn body_at(records: &[u8], record: u32) -> &[u8] {
    let record = &records[record as usize * RECORD_UNIT..];
    let len = u32::from_le_bytes(*record.first_chunk().expect("as written"));
    &record[RECORD_HEAD..][..len as usize]
}

/// The bytes of a record with a body of this length.
fn record_len(body: usize) -> usize {
    (RECORD_HEAD + body).next_multiple_of(RECORD_UNIT)
}

/// Appends a record, and returns its number.
fn append_record(records: &mut Vec<u8>, body: &[u8]) -> u32 {
    let record = u32::try_from(records.len() / RECORD_UNIT).expect("64 GiB of policies at most");
    let end = records.len() + record_len(body.len());
    records.extend(u32::try_from(body.len()).expect("limits are lower").to_le_bytes());
    records.extend([0; RECORD_HEAD - 4]);
    records.extend_from_slice(body);
    records.resize(end, 0);
    record
}

/// What a look-up finds in a set.
#[derive(Clone, Copy)]
pub(crate) struct SetEntry {
    /// The record that the entry leads to. `None` if nothing is known.
    policies: Option<u32>,
    always: Always,
}

impl SetEntry {
    #[inline]
    fn of(entry: &Entry<'_>) -> SetEntry {
        let policies = (entry.about != NO_FILE).then_some(entry.policies);
        SetEntry { policies, always: entry.always }
    }
}

impl SiteTable for PolicySet {
    type Site<'g> = SetEntry;
    type Error = Infallible;

    #[inline]
    fn key<'k>(&self, authority: &'k [u8], scheme: Scheme) -> Key<'k> {
        Key::of(authority, scheme, self.seed)
    }

    #[inline]
    fn reading(&self) -> Reading {
        self.reading
    }

    #[inline]
    fn read_line_ahead(&self, key: &Key<'_>) {
        self.lines.read_ahead(key.hash);
    }

    #[inline(always)]
    fn site(&self, key: &Key<'_>) -> Result<Option<SetEntry>, Infallible> {
        Ok(self.place(key).map(|(_, entry)| SetEntry::of(&entry)))
    }

    #[inline]
    fn always(&self, site: SetEntry) -> Option<Verdict> {
        site.always.verdict()
    }

    #[inline]
    fn read_site_ahead(&self, site: SetEntry) {
        if let (Some(record), Always::Neither) = (site.policies, site.always) {
            self.read_policy_ahead(site, record);
        }
    }

    #[inline(always)]
    fn policies(&self, site: SetEntry) -> Result<Option<Policies<'_>>, Infallible> {
        let Some(record) = site.policies else { return Ok(None) };
        Ok(Some(match body_at(&self.records, record) {
            [KIND_PANEL, panel @ ..] => Policies::Panel(Panel::read_again(panel)),
            _ => Policies::One(record),
        }))
    }

    #[inline]
    fn read_policy_ahead(&self, _: SetEntry, record: u32) {
        read_ahead::lines(&self.records, record as usize * RECORD_UNIT, 2);
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "tables are not validated for each verdict")]
    fn policy(&self, _: SetEntry, record: u32) -> Result<SitePolicy<'_>, Infallible> {
        let table = match pace::without(body_at(&self.records, record)) {
            [KIND_RULES, number @ ..] => return Ok(self.over_limit(number).clone().into()),
            [_, table @ ..] => table,
            [] => unreachable!("each record has a kind"),
        };
        // SAFETY: all other records that an entry or a panel leads to hold the table of a policy that
        // was compiled for the set's profile: `put` writes them, and nobody changes them.
        let table = unsafe { Table::from_bytes_unchecked(table, self.reading.encoding) };
        Ok(SitePolicy::of_table(table, self.reading))
    }
}

/// The entry of a [`PolicySet`] for an origin.
#[derive(Clone, Copy, Debug)]
pub struct SetSite<'s> {
    set: &'s PolicySet,
    entry: Entry<'s>,
}

impl<'s> SetSite<'s> {
    /// The answers for a URL, or for a path that begins with `/`: one for each crawler, in the order
    /// given to [`PolicySet::new`]. All are [`Answer::Unknown`] if nothing is known of the site;
    /// otherwise [`Answer::Invalid`] if the URL is. Crawlers that share a policy cost one walk.
    #[must_use]
    pub fn ask<U: AsUrl + ?Sized>(&self, url: &U) -> Answers {
        let mut answers = Answers::unknown(1, self.set.crawlers.len());
        self.ask_into(url, &mut answers);
        answers
    }

    /// The same, written into a place that is there already.
    ///
    /// # Panics
    /// Panics if the length of `answers` is not the number of crawlers.
    pub fn ask_into<U: AsUrl + ?Sized>(&self, url: &U, answers: &mut [Answer]) {
        assert_eq!(answers.len(), self.set.crawlers.len(), "one answer for each crawler");
        let Reading { form, encoding, .. } = self.set.reading;
        let target = Target::of(url.as_url(), form, encoding);
        let crawlers = self.set.ids.iter().copied();
        let Ok(()) = look_up::ask(self.set, SetEntry::of(&self.entry), target, crawlers, answers);
    }

    /// Host and, where it is not the scheme's default, port: [`Origin::authority`].
    pub fn authority(&self) -> &'s str {
        str::from_utf8(name_of(&self.entry, &self.set.records)).expect("that of an origin")
    }

    /// The scheme of the origin.
    pub fn scheme(&self) -> Scheme {
        self.entry.schemes.iter().next().expect("that of an origin")
    }

    /// The kind of what is known of it.
    pub fn kind(&self) -> SiteKind {
        SiteKind::of(self.entry.kind).expect("as written")
    }

    /// The origin.
    pub fn origin(&self) -> Origin<'static> {
        let origin = format!("{}://{}", self.scheme(), self.authority());
        Origin::of(&origin).expect("that of an origin").into_owned()
    }

    /// The policies with their rules, for explanations. `None` unless the set keeps rules, and the
    /// site has a file.
    pub fn policies(&self) -> Option<&'s CrawlerPolicies> {
        self.file()?.with_rules.as_ref()
    }

    /// The pace that the site asks of a crawler.
    ///
    /// # Panics
    /// Panics if the set has no such crawler.
    pub fn pace(&self, crawler: CrawlerId) -> Pace {
        match self.body(crawler.among(self.set.crawlers.len())) {
            Ok(body) => pace::split(body).map_or(Pace::NONE, |(_, pace)| pace),
            Err(policy) => policy.pace(),
        }
    }

    /// The values of the file's `Sitemap` records, as written and in its order. None unless
    /// [`Config::keep_sitemaps`] is set.
    pub fn sitemaps(&self) -> impl Iterator<Item = &'s [u8]> + use<'s> {
        let file = self.file();
        let with_rules = file.and_then(|file| file.with_rules.as_ref());
        let kept = file.filter(|file| file.with_rules.is_none());
        let kept = kept.into_iter().flat_map(|file| file.sitemaps.iter());
        with_rules.into_iter().flat_map(CrawlerPolicies::sitemaps).chain(kept)
    }

    fn file(&self) -> Option<&'s File> {
        if self.kind() != SiteKind::Rules {
            return None;
        }
        self.set.files[self.entry.about as usize].as_ref()
    }

    /// The number that only sites with the same file and the same kind share.
    #[cfg(feature = "pack")]
    pub(crate) fn file_number(&self) -> u32 {
        self.entry.about
    }

    /// The body of a crawler's record: its table, or the policy that has none.
    pub(crate) fn body(&self, crawler: usize) -> Result<&'s [u8], &'s Policy> {
        let Ok(policies) = SiteTable::policies(self.set, SetEntry::of(&self.entry));
        let record = policies.map_or(NO_RECORD, |policies| policies.record(crawler));
        match body_at(&self.set.records, record) {
            [KIND_RULES, number @ ..] => Err(self.set.over_limit(number)),
            body => Ok(body),
        }
    }
}

impl fmt::Debug for PolicySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicySet")
            .field("origins", &self.len())
            .field("files", &self.file_count())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(name: &str) -> Origin<'_> {
        Origin::of(name).expect("an origin")
    }

    fn answer(set: &PolicySet, name: &str) -> Option<Answer> {
        let mut answers = [Answer::Unknown];
        set.get(&origin(name))?.ask_into("/x", &mut answers);
        let mut together = [Answer::Unknown; 1];
        set.answers_into(&[format!("{name}/x")], set.crawler_ids(), &mut together);
        assert_eq!(together, answers);
        Some(answers[0])
    }

    #[test]
    fn equal_files_share_policies() {
        let crawler = [Crawler::name("bot")];
        let mut set = PolicySet::new(&Profile::RFC9309, &Config::default(), crawler);
        let (closed, open) = (&b"User-agent: *\nDisallow: /"[..], &b""[..]);
        let [a, b, c] = ["http://a", "http://b", "http://c"];
        for (name, file) in [(a, closed), (b, open), (c, closed)] {
            set.insert(&origin(name), file);
        }
        assert_eq!((set.len(), set.file_count(), set.policy_count()), (3, 2, 2));
        let site = |set: &PolicySet, name| set.get(&origin(name)).unwrap().policies().cloned();
        let policy = |name| site(&set, name).unwrap().policy(0).clone();
        assert!(policy(a).is_same(&policy(c)) && !policy(a).is_same(&policy(b)));
        let of = |set: &PolicySet, name| answer(set, name);
        assert_eq!(of(&set, a), Some(Answer::Disallow));
        assert_eq!(of(&set, b), Some(Answer::Allow));
        assert_eq!(of(&set, "http://d"), None);
        assert_eq!(of(&set, "https://a"), None);
        // A file goes with the last origin that has it.
        set.insert(&origin(b), closed);
        assert_eq!((set.len(), set.file_count()), (3, 1));
        assert_eq!(of(&set, b), Some(Answer::Disallow));
        // Setting the same file again changes nothing.
        set.insert(&origin(b), closed);
        assert!(set.remove(&origin(a)) && !set.remove(&origin(a)));
        assert_eq!((set.len(), set.file_count()), (2, 1));
        assert!(set.remove(&origin(b)) && set.remove(&origin(c)));
        assert_eq!((set.len(), set.file_count(), set.policy_count()), (0, 0, 0));
    }

    /// URLs in batches have the answers that they have one by one: in runs of any length, of more
    /// origins than take a step together, in usual and unusual spellings.
    #[test]
    fn batches() {
        let file = |n: usize| format!("User-agent: *\nDisallow: /{}\nDisallow: /*;x\n", n % 7);
        let mut urls = Vec::new();
        for (place, len) in
            [1, 1, 700, 2, 40, 1, 511, 513, 3].into_iter().cycle().take(90).enumerate()
        {
            let host = ["https://a", "http://B", "http://c.example:81", "https://d;e", "ftp://f"];
            let host = format!("{}{}", host[place % 5], place % 50);
            urls.extend((0..len).map(|n| match n % 9 {
                0 => format!("{host}?{n};x"),
                1 => format!("{}/{n}", host.to_uppercase()),
                2 => format!("{host}#{n}"),
                3 => format!("{host};x/{n}"),
                4 => host.clone(),
                _ => format!("{host}/{n};x"),
            }));
            urls.extend(["e.com/x", "http://", "gopher://g/"].map(String::from));
        }
        for (_, profile) in Profile::NAMED {
            for crawlers in [&["a"][..], &["a", "b"]] {
                let crawlers = crawlers.iter().map(Crawler::name);
                let mut set = PolicySet::new(profile, &Config::default(), crawlers);
                for (number, url) in urls.iter().enumerate().filter(|(_, url)| url.len() < 25) {
                    if let Ok(origin) = Origin::of(url)
                        && number % 3 > 0
                    {
                        let of_a =
                            if number % 2 == 0 { "User-agent: a\nDisallow: /3\n" } else { "" };
                        set.insert(&origin, (file(number) + of_a).as_bytes());
                    }
                }
                let columns = set.crawlers().len();
                let mut answers = vec![Answer::Unknown; urls.len() * columns];
                set.answers_into(&urls, set.crawler_ids(), &mut answers);
                let mut counts = std::collections::HashMap::new();
                for (url, row) in urls.iter().zip(answers.chunks(columns)) {
                    let mut wanted = vec![Answer::Invalid; columns];
                    if let Ok(origin) = Origin::of(url) {
                        wanted.fill(Answer::Unknown);
                        if let Some(site) = set.get(&origin) {
                            site.ask_into(url, &mut wanted);
                        }
                    }
                    assert_eq!(row, wanted, "{url}");
                    *counts.entry(row[0]).or_insert(0) += 1;
                }
                assert!(
                    counts.len() == 4 && counts.values().all(|count| *count > 20),
                    "{counts:?}"
                );
            }
        }
    }

    /// However many URLs without a usual origin come one after another, those behind them are
    /// answered.
    #[test]
    fn many_unusual_origins() {
        let crawler = [Crawler::name("bot")];
        let mut set = PolicySet::new(&Profile::RFC9309, &Config::default(), crawler);
        set.insert(&origin("https://e.com"), b"User-agent: *\nDisallow: /x");
        set.insert(&origin("https://xn--e-5ga.com"), b"User-agent: *\nDisallow: /");
        for unusual in ["", "x", "gopher://e.com/", "https://XN--E-5GA.com/", "https://n.com.:80"] {
            for count in [1, 511, 512, 513, 5_000] {
                let mut urls = vec![unusual; count];
                urls.extend(["https://e.com/x", "https://e.com/", unusual]);
                let mut answers = vec![Answer::Unknown; urls.len()];
                let wanted = match Origin::of(unusual) {
                    Err(_) => Answer::Invalid,
                    Ok(origin) if set.get(&origin).is_some() => Answer::Disallow,
                    Ok(_) => Answer::Unknown,
                };
                // Whatever stood there before.
                for before in [Answer::Allow, Answer::Invalid] {
                    answers.fill(before);
                    set.answers_into(&urls, set.crawler_ids(), &mut answers);
                    assert!(answers[..count].iter().all(|answer| *answer == wanted));
                    assert_eq!(answers[count..], [Answer::Disallow, Answer::Allow, wanted]);
                }
            }
        }
    }

    /// URLs that a browser would repair: the site is found, and nobody may say what the path is. Where
    /// nothing is known of the site, that is said first.
    #[test]
    fn urls_that_have_a_site_and_are_no_urls() {
        let mut set = PolicySet::new(&Profile::RFC9309, &Config::default(), [Crawler::name("bot")]);
        let known = [
            SiteRules::Rules(&b"User-agent: *\nDisallow: /x"[..]),
            SiteRules::Rules(&b""[..]),
            SiteRules::AllowAll,
            SiteRules::DisallowAll,
            SiteRules::Unknown,
        ];
        let hosts: Vec<String> = (0..=known.len()).map(|number| format!("e{number}.com")).collect();
        for (host, rules) in hosts.iter().zip(known) {
            set.insert(&origin(&format!("https://{host}")), rules);
        }
        for (number, host) in hosts.iter().enumerate() {
            let wanted = if number < 4 { Answer::Invalid } else { Answer::Unknown };
            for url in [
                format!(" https://{host}/x\n"),
                format!("https:{host}/x"),
                format!("htt\tps://{host}/x"),
                format!("https:\\\\{host}\\x"),
            ] {
                let mut answers = [Answer::Allow];
                set.answers_into(&[&url], set.crawler_ids(), &mut answers);
                assert_eq!(answers, [wanted], "{url:?}");
                if let Some(site) = set.get(&Origin::of(&url).unwrap()) {
                    site.ask_into(&url, &mut answers);
                    assert_eq!(answers, [wanted], "{url:?}");
                }
            }
        }
    }

    /// A set that changes is always like one that was made at once.
    #[test]
    fn many_changes() {
        let crawlers = ["a", "b", "c"].map(Crawler::name);
        let config = Config { keep_rules: false, keep_sitemaps: true, ..Config::default() };
        let mut set = PolicySet::new(&Profile::RFC9309, &config, crawlers.clone());
        let file = |number: u64| match number % 40 {
            0 => {
                // Over the limits of a DFA.
                let letters = 'a'..'u';
                let rules = letters.map(|l| format!("Disallow: /*{l}x*A{l}y{number}\n"));
                format!("User-agent: *\n{}", rules.collect::<String>())
            }
            _ => format!(
                "User-agent: a\nDisallow: /{}\nUser-agent: b\nDisallow: /{}\nUser-agent: *\n\
                 Crawl-delay: {}\nDisallow: /long/name/{number}\nSitemap: https://e.com/{number}",
                number % 7,
                number % 3,
                number % 5,
            ),
        };
        let mut wanted: HashMap<String, u64> = HashMap::new();
        let mut number = 1u64;
        let mut sizes = Vec::new();
        for step in 0..6000 {
            number = number.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let name = format!("http://host-{}.example", (number >> 33) % 700);
            if step % 3 == 2 {
                assert_eq!(set.remove(&origin(&name)), wanted.remove(&name).is_some());
            } else {
                let content = number >> 50;
                set.insert(&origin(&name), file(content).as_bytes());
                wanted.insert(name, content);
            }
            sizes.push(set.records.len());
        }
        assert!(!sizes.is_sorted(), "compacted at some time");
        assert_eq!(set.len(), wanted.len());
        assert_eq!(set.iter().count(), wanted.len());
        for (name, content) in &wanted {
            let text = file(*content);
            let robots = Robots::parse_with(text.as_bytes(), &Profile::RFC9309, &config);
            let policies = CrawlerPolicies::of(&robots, &crawlers);
            let site = set.get(&origin(name)).expect("is there");
            assert_eq!(
                site.sitemaps().collect::<Vec<_>>(),
                policies.sitemaps().collect::<Vec<_>>()
            );
            for crawler in 0..3 {
                assert_eq!(site.pace(CrawlerId::at(crawler)), policies.pace(crawler));
            }
            let paths = ["/", "/1", "/2x", "/ax/Aay0", &format!("/long/name/{content}")];
            let urls = paths.map(|path| format!("{name}{path}"));
            let mut got = [Answer::Unknown; 15];
            set.answers_into(&urls, set.crawler_ids(), &mut got);
            for (url, got) in urls.iter().zip(got.chunks(3)) {
                let mut wanted = [Answer::Unknown; 3];
                policies.ask_into(url, &mut wanted);
                assert_eq!(got, wanted, "{url}");
            }
        }
    }
}

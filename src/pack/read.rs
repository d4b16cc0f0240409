//! An open pack: its files, their layers, and the look-up.

use crate::origin::Origin;
use crate::policy::Reading;
use crate::policy::crawlers::Answer;
use crate::profile::{Profile, TargetForm};
use crate::read::crawler::Crawler;
use crate::read_ahead;
use crate::rules::target::{InvalidUrl, Target};
use crate::sites::layout::{
    self, Key, LINE_LEN, NO_RECORD, PLACE_UNIT, Policies, RECORD_HEAD, RECORD_UNIT,
};
use crate::sites::look_up::{self, Grounds, How};

use super::format::{Trailer, reading_from_bytes};
use super::outcome::FORGOTTEN;
use super::shard::{Shard, Take};
use super::{PackError, Site};

/// An open pack. It is `Send` and `Sync`, so all threads can use the same one.
///
/// Opening reads only the beginning and a small part at the end. Everything else is read, and
/// checked, when it is first used.
#[derive(Debug)]
pub struct Pack<'p> {
    pub(super) shards: Vec<Shard<'p>>,
    pub(super) reading: Reading,
    profile_name: String,
    tool: String,
    crawlers: Vec<Crawler>,
}

impl<'p> Pack<'p> {
    /// Opens a pack.
    ///
    /// `O(crawlers)`, plus the checksums of the blocks: 4 bytes for each 4096 of the index.
    ///
    /// # Errors
    /// Returns an error if the beginning or the end is not that of a pack of this version, or is
    /// damaged, or if an update was cut short; see [`PackError`].
    pub fn open(bytes: &'p [u8]) -> Result<Pack<'p>, PackError> {
        let pack = Pack::open_shard(bytes)?;
        match pack.shard() {
            (0, 1) => Ok(pack),
            (shard, shards) => Err(PackError::OneOf { shard, shards }),
        }
    }

    /// Opens one file of a pack whose origins are shared out, alone, to
    /// [append](crate::pack::Writer::append) to it. It has only its own origins. A pack that is one
    /// file is opened too.
    ///
    /// # Errors
    /// As for [`Pack::open`], except that the file may be one of several.
    pub fn open_shard(bytes: &'p [u8]) -> Result<Pack<'p>, PackError> {
        Pack::of_shards(vec![Shard::open(bytes, 0)?])
    }

    /// Opens the files of a pack whose origins are shared out, in any order.
    ///
    /// # Errors
    /// As for [`Pack::open`], for any of the files; also if one is missing, is there twice, or is of
    /// another pack. The error has the index of the file in `files`.
    pub fn open_shards(files: &[&'p [u8]]) -> Result<Pack<'p>, (usize, PackError)> {
        let mut shards = Vec::with_capacity(files.len());
        for (file, bytes) in files.iter().enumerate() {
            shards.push((file, Shard::open(bytes, file as u32).map_err(|error| (file, error))?));
        }
        shards.sort_by_key(|(_, shard)| shard.trailer().shard[0]);
        let count = shards.len() as u32;
        for (number, (file, shard)) in (0..).zip(&shards) {
            let [this, of] = shard.trailer().shard;
            if (this, of) != (number, count) {
                return Err((*file, PackError::OneOf { shard: this, shards: of }));
            }
            if !shard.agrees_with(&shards[0].1) {
                return Err((*file, PackError::OtherShards));
            }
        }
        let last = shards.last().map_or(0, |(file, _)| *file);
        let shards = shards.into_iter().map(|(_, shard)| shard).collect();
        Pack::of_shards(shards).map_err(|error| (last, error))
    }

    fn of_shards(shards: Vec<Shard<'p>>) -> Result<Pack<'p>, PackError> {
        let first = shards.first().ok_or(PackError::NotAPack)?;
        let trailer = first.trailer();
        let (reading, _) = reading_from_bytes(trailer.reading).ok_or_else(|| {
            first.damaged(first.bytes.len(), "the profile's switches are invalid")
        })?;
        let mut pack = Pack {
            reading,
            profile_name: String::new(),
            tool: String::new(),
            crawlers: Vec::new(),
            shards,
        };
        match pack.read_about() {
            Some(()) => Ok(pack),
            None => {
                let first = &pack.shards[0];
                let at = first.trailer().about_at as usize;
                Err(first.damaged(at, "the description cannot be read"))
            }
        }
    }

    /// Reads the description: profile, program and crawlers.
    fn read_about(&mut self) -> Option<()> {
        let shard = &self.shards[0];
        let (trailer, wildcards) = (shard.trailer(), shard.wildcards);
        let mut about = Take(shard.description()?);
        let text = |text: &[u8]| String::from_utf8(text.to_vec()).ok();
        self.profile_name = text(about.text()?)?;
        self.tool = text(about.text()?)?;
        let mut crawlers = Vec::new();
        for _ in 0..trailer.crawlers {
            let names = about.number()?;
            let mut crawler: Vec<&[u8]> = Vec::new();
            for _ in 0..names {
                crawler.push(about.text()?);
            }
            crawlers.push(Crawler::names(crawler));
        }
        let is_named = match Profile::named(&self.profile_name) {
            Some(profile) => {
                (Reading::of(&profile), profile.wildcards) == (self.reading, wildcards)
            }
            None => self.profile_name == "custom",
        };
        let is_whole = about.0.is_empty();
        self.crawlers = crawlers;
        (is_whole && is_named).then_some(())
    }

    /// The name of the profile: one of [`Profile::NAMED`], or `custom`.
    pub fn profile_name(&self) -> &str {
        &self.profile_name
    }

    /// How the pack's profile finds the target of a URL.
    pub fn target_form(&self) -> TargetForm {
        self.reading.form
    }

    /// The program that wrote the pack, and its version.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The crawlers that the pack has policies for.
    pub fn crawlers(&self) -> &[Crawler] {
        &self.crawlers
    }

    /// Whether it keeps rules, so that it can tell which one decides.
    pub fn keeps_rules(&self) -> bool {
        self.trailer().keeps_rules
    }

    /// Whether it keeps the sitemaps of each file.
    pub fn keeps_sitemaps(&self) -> bool {
        self.trailer().keeps_sitemaps
    }

    /// How many origins it has.
    pub fn len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.trailer().origins).sum()
    }

    /// Whether it has no origins.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many files it has: more than one if its origins are shared out.
    pub fn shard_count(&self) -> usize {
        self.shards.len()
    }

    /// Which of the files of its pack the first one is, from 0 on, and how many there are.
    pub fn shard(&self) -> (u32, u32) {
        let [shard, shards] = self.trailer().shard;
        (shard, shards)
    }

    /// The seed of the hash that finds the origins of its first file. [`Writer::with_seed`] makes the
    /// same bytes again.
    ///
    /// [`Writer::with_seed`]: crate::pack::Writer::with_seed
    pub fn seed(&self) -> u64 {
        self.shards[0].seed
    }

    /// The layers of its files, the most that one has: 1, and 1 for each update.
    pub fn layer_count(&self) -> usize {
        self.shards.iter().map(|shard| shard.layers.len()).max().unwrap_or(0)
    }

    fn trailer(&self) -> &Trailer {
        self.shards[0].trailer()
    }

    /// The trailer of a pack that is one file.
    pub(super) fn only_trailer(&self) -> Result<&Trailer, &'static str> {
        if self.shards.len() > 1 {
            return Err("a pack of several files is updated file by file");
        }
        if self.shards[0].layers.len() >= super::format::MAX_LAYERS {
            return Err("the pack has been updated too often: merge it");
        }
        Ok(self.trailer())
    }

    /// Whether another pack holds policies of the same kind.
    pub(super) fn agrees_with(&self, other: &Trailer, crawlers: &[Crawler]) -> bool {
        let of = |trailer: &Trailer| (trailer.reading, trailer.keeps_rules, trailer.keeps_sitemaps);
        of(self.trailer()) == of(other) && self.crawlers == crawlers
    }

    /// The target of a URL, or of a path that begins with `/`, in the pack's profile.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid; never in the profile `google`.
    #[inline]
    pub fn target<'u, U>(&self, url: &'u U) -> Result<Target<'u>, InvalidUrl>
    where
        U: AsRef<[u8]> + ?Sized,
    {
        Target::of(url.as_ref(), self.reading.form, self.reading.encoding)
    }

    /// What the pack has for an origin.
    ///
    /// Reads a line of the index and the entry; with updates, a line for each.
    ///
    /// # Errors
    /// Returns an error if a part of the index that is read is damaged.
    #[inline]
    pub fn get(&self, origin: &Origin<'_>) -> Result<Option<Site<'_>>, PackError> {
        self.look_up(&self.key(origin))
    }

    #[inline]
    pub(super) fn look_up(&self, key: &Key<'_>) -> Result<Option<Site<'_>>, PackError> {
        let shard = self.shard_of(key);
        let entry = shard.look_up(key)?;
        Ok(entry.map(|(_, entry)| Site { pack: self, shard, entry }))
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
        &self.shards[self.shard_number(key.authority)]
    }

    /// Answers for many URLs: a row for each, with an answer for each of these crawlers, which are
    /// indexes in [`Pack::crawlers`].
    ///
    /// [`Answer::Invalid`] for what is not a URL of http, https or ftp, and [`Answer::Unknown`] for
    /// one whose origin is not in the pack, or of which nothing is known. Takes URLs of 32
    /// origins at a time, so that their waits for memory overlap: for origins in random order that is
    /// twice as fast as one by one. Allocates nothing for crawlers that share a few policies.
    ///
    /// ```
    /// # use robotsieve::pack::{Outcome, Pack, Writer};
    /// # use robotsieve::{Answer, Config, Crawler, Origin, Profile};
    /// # let crawlers = ["GPTBot", "Googlebot"].map(Crawler::name);
    /// # let mut writer = Writer::new(Vec::new(), &Profile::RFC9309, crawlers, &Config::default())?;
    /// # let file = writer.recipe().pack(b"User-agent: GPTBot\nDisallow: /");
    /// # let rules = Outcome::Rules(writer.put(&file)?);
    /// # writer.add(&Origin::of("https://example.com")?, rules, None)?;
    /// # let bytes = writer.finish()?;
    /// # let pack = Pack::open(&bytes)?;
    /// let urls = ["https://example.com/x", "https://example.org/", "example.com"];
    /// let mut answers = [Answer::Unknown; 6];
    /// pack.answers(&urls, &[0, 1], &mut answers)?;
    /// assert_eq!(answers[..2], [Answer::Disallow, Answer::Allow]);
    /// assert_eq!(answers[2..4], [Answer::Unknown; 2]);
    /// assert_eq!(answers[4..], [Answer::Invalid; 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a part that is read is damaged. The answers mean nothing then.
    ///
    /// # Panics
    /// Panics if there is no such crawler, or unless there is room for as many answers.
    pub fn answers<U: AsRef<[u8]>>(
        &self,
        urls: &[U],
        crawlers: &[usize],
        answers: &mut [Answer],
    ) -> Result<(), PackError> {
        assert!(crawlers.iter().all(|crawler| *crawler < self.crawlers.len()), "no such crawler");
        look_up::answers(self, urls, crawlers, answers)
    }

    /// All sites, in no particular order. A site stands for all origins with the same host and
    /// port, and the same answers: [`Site::origins`].
    ///
    /// Yields an error for each part that is damaged.
    pub fn sites(&self) -> impl Iterator<Item = Result<Site<'_>, PackError>> {
        self.shards.iter().flat_map(move |shard| {
            shard.entries().map(move |entry| Ok(Site { pack: self, shard, entry: entry? }))
        })
    }
}

impl Grounds for Pack<'_> {
    type Place = (u32, u64);
    type Site<'g>
        = Site<'g>
    where
        Self: 'g;
    type Error = PackError;

    #[inline]
    fn key<'k>(&self, origin: &'k Origin<'_>) -> Key<'k> {
        let number = self.shard_number(origin.authority().as_bytes());
        Key::of(origin, self.shards[number].seed)
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
            read_ahead::at(shard.bytes, layer.index + line * LINE_LEN);
        }
    }

    #[inline]
    fn first_place(&self, key: &Key<'_>) -> Result<Option<(u32, u64)>, PackError> {
        let number = self.shard_number(key.authority);
        let place = self.shards[number].first_place(key)?;
        Ok(place.map(|place| (number as u32, place)))
    }

    #[inline]
    fn read_entry_ahead(&self, (number, place): (u32, u64)) {
        let at = place as usize * PLACE_UNIT;
        read_ahead::at(self.shards[number as usize].bytes, at);
        // Most entries have fewer bytes than a cache line; where it begins is not known.
        read_ahead::at(self.shards[number as usize].bytes, at + 31);
    }

    #[inline]
    fn site<'g>(
        &'g self,
        key: &Key<'_>,
        (number, place): (u32, u64),
    ) -> Result<Option<Site<'g>>, PackError> {
        let shard = &self.shards[number as usize];
        let entry = shard.entry(place)?;
        if entry.is_of(key) && entry.kind != FORGOTTEN {
            return Ok(Some(Site { pack: self, shard, entry }));
        }
        self.look_up(key)
    }

    #[inline]
    fn read_site_ahead(&self, site: Site<'_>) {
        if site.entry.policies != NO_RECORD {
            self.read_policy_ahead(site, site.entry.policies);
        }
    }

    #[inline]
    fn policies<'g>(&'g self, site: Site<'g>) -> Result<Option<Policies<'g>>, PackError> {
        match site.entry.policies {
            NO_RECORD => Ok(None),
            record => site.shard.policies(record, self.crawlers.len()).map(Some),
        }
    }

    #[inline]
    fn read_policy_ahead(&self, Site { shard, .. }: Site<'_>, record: u32) {
        shard.valid.read_ahead(record);
        read_ahead::lines(shard.bytes, record as usize * RECORD_UNIT, 3);
    }

    #[inline]
    fn how<'g>(&'g self, site: Site<'g>, record: u32) -> Result<How<'g>, PackError> {
        site.shard.how(record)
    }
}

/// Where a record begins, in bytes from the beginning of its file.
pub(super) fn record_offset(record: u32) -> u64 {
    u64::from(record) * RECORD_UNIT as u64
}

/// Where the body of a record begins.
pub(super) fn body_offset(record: u32) -> u64 {
    record_offset(record) + RECORD_HEAD as u64
}

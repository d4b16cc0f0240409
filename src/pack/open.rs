//! An open pack: its files, and what holds for all of it.

use crate::as_url::AsUrl;
use crate::policy::Reading;
use crate::policy::answers::CrawlerId;
use crate::profile::{Profile, TargetForm};
use crate::read::crawler::Crawler;
use crate::rules::target::{InvalidUrl, Target};

use super::bytes::Bytes;
use super::error::{FileError, PackError};
use super::format::{MAX_LAYERS, Trailer};
use super::shard::Shard;
use super::take::Take;

/// An open pack. It is `Send` and `Sync`, so all threads can use the same one.
///
/// Opening reads only the beginning and a small part at the end. Everything else is read, and
/// checked, when it is first used.
///
/// It keeps what it is given: a memory map, a `Vec`, or a borrow of either. A `Pack<'static>` borrows
/// nothing, so a struct can have one:
///
/// ```
/// use robotsieve::pack::{Pack, Writer};
/// use robotsieve::{Config, Crawler, Origin, Profile, SiteRules};
///
/// struct Rulings {
///     pack: Pack<'static>,
/// }
///
/// impl Rulings {
///     fn open(path: &std::path::Path) -> Result<Rulings, Box<dyn std::error::Error>> {
///         let file = std::fs::File::open(path)?;
///         // SAFETY: packs are replaced by renaming and updated by appending. Nobody changes or cuts
///         // the bytes that are there.
///         let map = unsafe { memmap2::Mmap::map(&file)? };
///         Ok(Rulings { pack: Pack::open(map)? })
///     }
/// }
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("sites.pack");
/// # let origin = Origin::of("https://example.com")?;
/// # let crawlers = [Crawler::name("bot")];
/// # let out = std::fs::File::create(&path)?;
/// # let mut writer = Writer::new(out, &Profile::RFC9309, crawlers, &Config::default())?;
/// # writer.add(&origin, SiteRules::DisallowAll, None)?;
/// # writer.finish()?;
/// let rulings = Rulings::open(&path)?;
/// let site = rulings.pack.get(&origin)?.expect("was added");
/// let bot = rulings.pack.crawler(&Crawler::name("bot")).expect("is one of its crawlers");
/// assert!(!site.policy(bot)?.expect("is known").is_path_allowed("/x")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Pack<'p> {
    pub(super) shards: Vec<Shard<'p>>,
    pub(super) reading: Reading,
    profile_name: String,
    tool: String,
    crawlers: Vec<Crawler>,
    ids: Vec<CrawlerId>,
}

/// What stands behind the pack in one of its files: [`Pack::unfinished`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unfinished {
    /// Which of the files that were given to [`Pack::open_shards`]; 0 if there is one.
    pub file: usize,
    /// The number of bytes that the pack has in this file. It ends there.
    pub complete: u64,
    /// The number of bytes behind them.
    pub bytes: u64,
}

impl<'p> Pack<'p> {
    /// Opens a pack.
    ///
    /// What an update has not completed is left out: see [`Pack::unfinished`].
    ///
    /// `O(crawlers)`, plus the checksums of the blocks: 4 bytes for each 4096 of the index.
    ///
    /// # Errors
    /// Returns an error if the beginning or the end is not that of a pack of this version, or is
    /// damaged; see [`PackError`].
    pub fn open(bytes: impl AsRef<[u8]> + Send + Sync + 'p) -> Result<Pack<'p>, PackError> {
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
    pub fn open_shard(bytes: impl AsRef<[u8]> + Send + Sync + 'p) -> Result<Pack<'p>, PackError> {
        Pack::of_shards(vec![Shard::open(Bytes::of(bytes), 0)?])
    }

    /// Opens the files of a pack whose origins are shared out, in any order.
    ///
    /// # Errors
    /// As for [`Pack::open`], for any of the files; also if one is missing, is there twice, or is of
    /// another pack. The error says which of the files it is.
    pub fn open_shards<B: AsRef<[u8]> + Send + Sync + 'p>(
        files: impl IntoIterator<Item = B>,
    ) -> Result<Pack<'p>, FileError> {
        let of = |file, error| FileError { file, error };
        let mut shards = Vec::new();
        for (file, bytes) in files.into_iter().enumerate() {
            let shard = Shard::open(Bytes::of(bytes), file as u32);
            shards.push((file, shard.map_err(|error| of(file, error))?));
        }
        shards.sort_by_key(|(_, shard)| shard.trailer().shard[0]);
        let count = shards.len() as u32;
        for (number, (file, shard)) in (0..).zip(&shards) {
            let [this, all] = shard.trailer().shard;
            if (this, all) != (number, count) {
                return Err(of(*file, PackError::OneOf { shard: this, shards: all }));
            }
            if !shard.agrees_with(&shards[0].1) {
                return Err(of(*file, PackError::OtherShards));
            }
        }
        let last = shards.last().map_or(0, |(file, _)| *file);
        let shards = shards.into_iter().map(|(_, shard)| shard).collect();
        Pack::of_shards(shards).map_err(|error| of(last, error))
    }

    fn of_shards(shards: Vec<Shard<'p>>) -> Result<Pack<'p>, PackError> {
        let first = shards.first().ok_or(PackError::NotAPack)?;
        let mut pack = Pack {
            reading: first.reading,
            profile_name: String::new(),
            tool: String::new(),
            crawlers: Vec::new(),
            ids: Vec::new(),
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
        self.ids = (0..crawlers.len()).map(CrawlerId::at).collect();
        self.crawlers = crawlers;
        (is_whole && is_named).then_some(())
    }

    /// The name of the profile: one of [`Profile::NAMED`], or `custom`.
    pub fn profile_name(&self) -> &str {
        &self.profile_name
    }

    /// The way in which the pack's profile finds the target of a URL.
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

    /// One of them, by its names. `None` if it is not among them.
    #[must_use]
    pub fn crawler(&self, crawler: &Crawler) -> Option<CrawlerId> {
        CrawlerId::of(crawler, &self.crawlers)
    }

    /// All of them, in their order.
    pub fn crawler_ids(&self) -> &[CrawlerId] {
        &self.ids
    }

    /// Returns true if it keeps rules, so that it can tell which one decides.
    pub fn keeps_rules(&self) -> bool {
        self.trailer().keeps_rules
    }

    /// Returns true if it keeps the sitemaps of each file.
    pub fn keeps_sitemaps(&self) -> bool {
        self.trailer().keeps_sitemaps
    }

    /// Returns true if it keeps what each file says of rights: the lines that are for its crawlers.
    pub fn keeps_rights(&self) -> bool {
        self.trailer().keeps_rights
    }

    /// The number of origins it has.
    pub fn len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.trailer().origins).sum()
    }

    /// Returns true if it has no origins.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The files behind which something stands that is no part of the pack: an update is under way,
    /// or was cut short, or another program wrote there. The pack is as before that update.
    ///
    /// [Append](crate::pack::Writer::append) nothing to such a file. Write the pack's bytes
    /// ([`Pack::files`]) to a new file, and rename it: whoever has mapped this one still needs it.
    pub fn unfinished(&self) -> impl Iterator<Item = Unfinished> {
        let files = self.shards.iter().filter(|shard| shard.unfinished > 0);
        files.map(|shard| Unfinished {
            file: shard.file,
            complete: shard.bytes.len() as u64,
            bytes: shard.unfinished as u64,
        })
    }

    /// The bytes of its files, in the order of their shards, without what is [unfinished](Pack::unfinished).
    pub fn files(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.shards.iter().map(|shard| &*shard.bytes)
    }

    /// The number of files it has: more than one if its origins are shared out.
    pub fn shard_count(&self) -> usize {
        self.shards.len()
    }

    /// The number of the first file among those of its pack, from 0 on, and the number of all.
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
        if self.shards[0].layers.len() >= MAX_LAYERS {
            return Err("the pack has been updated too often: merge it");
        }
        Ok(self.trailer())
    }

    /// Returns true if another pack holds policies of the same kind.
    pub(super) fn agrees_with(&self, other: &Trailer, crawlers: &[Crawler]) -> bool {
        let of = |trailer: &Trailer| (trailer.reading, trailer.keeps());
        of(self.trailer()) == of(other) && self.crawlers == crawlers
    }

    /// The target of a URL, or of a path that begins with `/`, in the pack's profile.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid; never in the profile `google`.
    #[inline]
    pub fn target<'u, U>(&self, url: &'u U) -> Result<Target<'u>, InvalidUrl>
    where
        U: AsUrl + ?Sized,
    {
        Target::of(url.as_url(), self.reading.form, self.reading.encoding)
    }
}

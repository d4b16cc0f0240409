//! Writes packs from robots.txt files.
//!
//! Files become records in two steps, so that threads can share the work: [`Recipe::pack`] turns a file into bytes
//! without a writer, and [`Writer::put`] writes them, once for equal files. [`Writer::add`] then says which origins have
//! them. Records are written as they come; the index is sorted and written at the end by [`Writer::finish`], from 60
//! bytes for each origin, which wait in a scratch file beyond four million.
//!
//! An update is a layer behind the end of a pack ([`Writer::append`]). It never writes elsewhere, because others may
//! have the pack mapped, and the trailer comes last: until it is there, the file is what it was. [`FORGOTTEN`] in a layer
//! hides an origin of older ones.
//!
//! The bytes depend on nothing but what is put and added, in its order, and the seed. So a pack that is made twice is
//! the same twice.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash, RandomState};
use std::io::{self, Write};

use crate::origin::Origin;
use crate::policy::Reading;
use crate::policy::config::Config;
use crate::profile::Profile;
use crate::read::crawler::Crawler;
use crate::sites::compiled;
use crate::sites::kind::{SiteKind, SiteRules};
use crate::sites::layout::{
    self, Always, Entry, KIND_NAME, KIND_PANEL, LINE_LEN, Line, MAX_AUTHORITY, NO_RECORD, Name,
    Panel, RECORD_HEAD, RECORD_UNIT, Schemes,
};
use crate::sites::look_up::SiteTable;

use super::error::PackError;
use super::format::{
    BLOCK_LEN, HEADER_LEN, KIND_ABOUT, KIND_RIGHTS, MAX_CRAWLERS, TRAILER_LEN, TRAILER_UNIT,
    Trailer, header, reading_to_bytes,
};
use super::index::Placing;
use super::open::Pack;
use super::outcome::{CaptureTimes, FORGOTTEN, Written};
use super::pending::Pending;
use super::recipe::{Packed, Recipe, body_of};
use super::site::{Body, Site};

/// Writes a pack, or a layer that updates one.
///
/// Records are written as they come. Until the end, memory holds some 60 bytes for each
/// origin (see [`Writer::with_scratch`]), and some 300 MiB at most to recognise files and policies
/// that were written before: once so many are known, those that came up only once are forgotten.
#[must_use = "the pack is incomplete until `finish` is called"]
#[derive(Debug)]
pub struct Writer<'p, W> {
    out: W,
    recipe: Recipe,
    /// Where the next bytes are written.
    at: u64,
    /// False until the header is written, which a layer does not have.
    has_header: bool,
    trailer: Trailer,
    /// The pack that is updated, and the answers for its origins that are new.
    updated: Option<Updated<'p>>,
    /// The files that were put, by their content.
    files: Seen<u128, Written>,
    /// The records that were written, by their content.
    records: Seen<u128, u32>,
    /// The records that were copied, by their file and number there.
    copied: Seen<(u64, u32), u32>,
    /// The records of outcomes that need no file, by their kind.
    outcomes: [Option<Written>; 4],
    /// The entry of the last origin. The next one may differ only in its scheme.
    last: Option<(Vec<u8>, Schemes, EntryValue)>,
    pending: Pending,
    /// The records of policies that have the same verdict on every URL.
    constant: HashMap<u32, Always>,
    /// Tells authorities apart whose hashes are equal.
    keys: RandomState,
}

/// Returns an error if rights are to be kept but cannot be.
fn can_keep(rights: bool, profile: &Profile) -> io::Result<()> {
    // So that a reader has the whole profile.
    if rights && Profile::NAMED.iter().all(|(_, named)| named != profile) {
        return Err(io::Error::other("rights are kept for the profiles that have a name only"));
    }
    Ok(())
}

/// A pack that is updated, and the answers for its origins that are new, by authority and schemes.
type Updated<'p> = (&'p Pack<'p>, BTreeMap<(Vec<u8>, u8), EntryValue>);

/// What an entry says of an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EntryValue {
    /// A [`SiteKind`], or [`FORGOTTEN`].
    kind: u8,
    captured: u32,
    is_later: bool,
    other: u32,
    written: Written,
}

/// What was written before, as far as that is kept in mind.
#[derive(Debug)]
struct Seen<K, T>(HashMap<K, (T, bool)>);

impl<K: Eq + Hash, T: Copy> Seen<K, T> {
    /// The most that are known.
    const MOST: usize = 7 << 19;

    fn get(&mut self, key: K) -> Option<T> {
        let (known, again) = self.0.get_mut(&key)?;
        *again = true;
        Some(*known)
    }

    fn insert(&mut self, key: K, new: T) {
        if self.0.len() >= Self::MOST {
            self.0.retain(|_, (_, again)| std::mem::take(again));
            if self.0.len() > Self::MOST / 2 {
                self.0.clear();
            }
        }
        self.0.insert(key, (new, false));
    }
}

impl<W: Write> Writer<'static, W> {
    /// Begins a pack for these crawlers. Each pack has a [seed](Writer::with_seed) of its own.
    ///
    /// The configuration says what the pack holds: with [`Config::keep_rules`] it is about twice
    /// as large and can tell which rule decides, with [`Config::keep_sitemaps`] it has the
    /// sitemaps of each file. It also limits the automata, and says how paces are read.
    /// [`Config::build_after`] means nothing here, and policies that an engine other than
    /// [`Engine::Dfa`](crate::Engine::Dfa) is given for are stored as rules.
    ///
    /// # Errors
    /// Returns an error if `out` does, if there are more than 4096 crawlers, or if rights are to be kept
    /// ([`Config::keep_rights`]) for a profile that has no name.
    pub fn new(
        out: W,
        profile: &Profile,
        crawlers: impl IntoIterator<Item = Crawler>,
        config: &Config,
    ) -> io::Result<Writer<'static, W>> {
        Writer::shard(out, profile, crawlers, config, 0, 1)
    }

    /// Begins one of `shards` packs, whose origins are shared out by [`Origin::shard`]. They are
    /// opened together, by [`Pack::open_shards`].
    ///
    /// # Errors
    /// The same as for [`Writer::new`].
    ///
    /// # Panics
    /// Panics unless `shard` is less than `shards`.
    pub fn shard(
        out: W,
        profile: &Profile,
        crawlers: impl IntoIterator<Item = Crawler>,
        config: &Config,
        shard: u32,
        shards: u32,
    ) -> io::Result<Writer<'static, W>> {
        assert!(shard < shards, "no shard {shard} of {shards}");
        let crawlers: Vec<Crawler> = crawlers.into_iter().collect();
        if crawlers.len() > MAX_CRAWLERS as usize {
            return Err(too_large("crawlers"));
        }
        can_keep(config.keep_rights, profile)?;
        let trailer = Trailer {
            reading: reading_to_bytes(Reading::of(profile), profile.wildcards),
            keeps_rules: config.keep_rules,
            keeps_sitemaps: config.keep_sitemaps,
            keeps_rights: config.keep_rights,
            crawlers: number(crawlers.len(), "crawlers")?,
            shard: [shard, shards],
            begin: HEADER_LEN as u64,
            // The keys are random.
            seed: RandomState::new().hash_one(0),
            ..Trailer::default()
        };
        Ok(Writer::begin(out, *profile, crawlers, *config, trailer, None))
    }
}

impl<'p, W: Write> Writer<'p, W> {
    /// Begins a layer that updates a pack. `out` continues the file that the pack was opened from,
    /// at its end: what is there already is not changed, so the pack stays open meanwhile. Until the
    /// last bytes of the layer are there, the file is what it was: see
    /// [`Writer::finish_but_trailer`]. Only one layer may be appended at a time, and nothing else may
    /// be behind the pack ([`Pack::unfinished`]). The profile must be the pack's. Of the configuration,
    /// what says what a pack keeps is the pack's too.
    ///
    /// ```
    /// use robotsieve::pack::{Pack, Writer};
    /// use robotsieve::{Config, Crawler, Origin, Profile, SiteRules};
    ///
    /// let (profile, config) = (Profile::RFC9309, Config::default());
    /// let mut file = Writer::new(Vec::new(), &profile, [Crawler::name("bot")], &config)?.finish()?;
    /// let layer = {
    ///     let pack = Pack::open(&file)?;
    ///     let mut writer = Writer::append(&pack, Vec::new(), &profile, &config)?;
    ///     writer.add(&Origin::of("https://example.com")?, SiteRules::DisallowAll, None)?;
    ///     writer.finish()?
    /// };
    /// file.extend(layer);
    /// assert_eq!(Pack::open(&file)?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the pack has several files, if it has 64 layers, or if the profile is
    /// another one.
    pub fn append(
        pack: &'p Pack<'p>,
        out: W,
        profile: &Profile,
        config: &Config,
    ) -> io::Result<Writer<'p, W>> {
        let base = pack.only_trailer().map_err(io::Error::other)?;
        if reading_to_bytes(Reading::of(profile), profile.wildcards) != base.reading {
            return Err(io::Error::other("the pack was made with another profile"));
        }
        can_keep(base.keeps_rights, profile)?;
        let config = Config {
            keep_rules: base.keeps_rules,
            keep_sitemaps: base.keeps_sitemaps,
            keep_rights: base.keeps_rights,
            ..*config
        };
        let trailer = Trailer {
            begin: base.end,
            previous: base.end,
            reach: 0,
            records: 0,
            files: 0,
            entries: 0,
            ..base.clone()
        };
        let updated = Some((pack, BTreeMap::new()));
        Ok(Writer::begin(out, *profile, pack.crawlers().to_vec(), config, trailer, updated))
    }

    fn begin(
        out: W,
        profile: Profile,
        crawlers: Vec<Crawler>,
        config: Config,
        trailer: Trailer,
        updated: Option<Updated<'p>>,
    ) -> Writer<'p, W> {
        Writer {
            out,
            recipe: Recipe::new(profile, crawlers, config),
            at: trailer.begin,
            has_header: updated.is_some(),
            trailer,
            updated,
            files: Seen(HashMap::new()),
            records: Seen(HashMap::new()),
            copied: Seen(HashMap::new()),
            outcomes: [None; 4],
            last: None,
            pending: Pending::new(),
            constant: HashMap::new(),
            keys: RandomState::new(),
        }
    }

    /// Has a file, which must be empty, for what memory would otherwise hold of the origins: beyond
    /// 4 million, which take 256 MiB, they wait there. So a pack of any size is written in
    /// less than 1 GiB of memory.
    ///
    /// Not needed for smaller packs, and without use for the origins of an update, which are all in
    /// memory.
    pub fn with_scratch(
        mut self,
        scratch: impl io::Read + Write + io::Seek + Send + Sync + 'static,
    ) -> Writer<'p, W> {
        self.pending.set_scratch(scratch);
        self
    }

    /// Sets the seed of the hash that finds the origins. So a pack of the same origins in the same order
    /// has the same bytes. Otherwise the seed is random, so that nobody can choose hosts whose hashes
    /// are equal, which makes look-ups slow and [`Writer::finish`] fail: take a seed that those who
    /// choose the hosts do not know.
    ///
    /// # Panics
    /// Panics if a file or an origin was added before, or if the writer [appends](Writer::append) to a pack,
    /// whose seed it has.
    pub fn with_seed(mut self, seed: u64) -> Writer<'p, W> {
        assert!(self.updated.is_none(), "the seed is that of the pack that is updated");
        let is_new = self.last.is_none() && !self.has_header;
        assert!(is_new, "a file or an origin was added before the seed was set");
        self.trailer.seed = seed;
        self
    }

    /// The way to pack files for this writer.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The number of files that were put, equal ones once as far as they were recognised.
    pub fn file_count(&self) -> u64 {
        self.trailer.files
    }

    /// The record of a file with this [`Recipe::content`] that was written before, if it is still in mind.
    pub fn known(&mut self, content: u128) -> Option<Written> {
        self.files.get(content)
    }

    /// Writes the policies of a file, unless that has been done. [`Writer::add`] then takes them as
    /// the [`SiteRules::Rules`] of any number of origins.
    ///
    /// # Errors
    /// Returns an error if the output does, or if the pack has more policies than the format allows:
    /// 64 GiB.
    pub fn put(&mut self, packed: &Packed) -> io::Result<Written> {
        if let Some(known) = self.files.get(packed.content()) {
            return Ok(known);
        }
        let parts = packed.policies.iter().map(|parts| (&parts.policy[..], &parts.rules[..]));
        let rights = match &packed.rights {
            None if self.trailer.keeps_rights => {
                return Err(io::Error::other(
                    "the pack keeps rights: pack its files with Recipe::pack_with_rights",
                ));
            }
            Some(rights) if self.trailer.keeps_rights => body_of(KIND_RIGHTS, rights),
            _ => Vec::new(),
        };
        let written = self.put_all(parts, &packed.columns, [&packed.sitemaps, &rights])?;
        self.trailer.files += 1;
        self.files.insert(packed.content(), written);
        Ok(written)
    }

    /// Writes what another pack has for a site. That pack must be for the same crawlers and
    /// profile, and keep what this one keeps. What the pack has that is updated is not written again.
    ///
    /// # Errors
    /// As for [`Writer::put`]; also if the packs do not agree, or the other one is damaged.
    pub fn put_site(&mut self, site: &Site<'_>) -> io::Result<SiteRules<Written>> {
        let damaged = |error: PackError| io::Error::new(io::ErrorKind::InvalidData, error);
        if !site.pack().agrees_with(&self.trailer, self.recipe.crawlers()) {
            return Err(io::Error::other(
                "the packs differ in profile, crawlers or what they keep",
            ));
        }
        site.kind().try_with(|| {
            // The records of all layers are in the same file.
            let written = match &self.updated {
                Some((own, _)) if site.is_of(own) => site.written(),
                _ => {
                    let bodies = site.bodies().map_err(damaged)?;
                    let file = site.shard.id;
                    let sitemaps = self.copy_record(file, bodies.sitemaps)?;
                    let rights = self.copy_record(file, bodies.rights)?;
                    let mut records = Vec::with_capacity(bodies.policies.len());
                    for (policy, rules) in bodies.policies {
                        let policy = self.copy_record(file, policy)?;
                        records.push((policy, self.copy_record(file, rules)?));
                    }
                    self.lead_to(&records, &bodies.columns, [sitemaps, rights])?
                }
            };
            self.note_constant(written.policies, site.always().map_err(damaged)?);
            Ok(written)
        })
    }

    /// Writes a record of another file, unless that has been done.
    fn copy_record(&mut self, file: u64, Body { record, bytes }: Body<'_>) -> io::Result<u32> {
        if let Some(known) = self.copied.get((file, record)) {
            return Ok(known);
        }
        let copy = self.put_record(bytes)?;
        self.copied.insert((file, record), copy);
        Ok(copy)
    }

    /// Writes the records of policies, sitemaps and rights, and those that lead to them.
    fn put_all<'b>(
        &mut self,
        parts: impl ExactSizeIterator<Item = (&'b [u8], &'b [u8])>,
        columns: &[usize],
        [sitemaps, rights]: [&[u8]; 2],
    ) -> io::Result<Written> {
        let of_file = [self.put_record(sitemaps)?, self.put_record(rights)?];
        let mut records = Vec::with_capacity(parts.len());
        let mut always = None;
        let encoding = Reading::of(self.recipe.profile()).encoding;
        for (policy, rules) in parts {
            let own = compiled::always(policy, encoding);
            always = Some(always.map_or(own, |always: Always| always.and(own)));
            records.push((self.put_record(policy)?, self.put_record(rules)?));
        }
        let written = self.lead_to(&records, columns, of_file)?;
        self.note_constant(written.policies, always.unwrap_or(Always::Neither));
        Ok(written)
    }

    /// Keeps in mind that the policies of a record have the same verdict on every URL.
    fn note_constant(&mut self, policies: u32, always: Always) {
        /// Most have no pace, and are the same two. Of more than so many, verdicts take longer.
        const MOST: usize = 1 << 20;
        if always != Always::Neither && self.constant.len() < MOST {
            self.constant.insert(policies, always);
        }
    }

    /// Writes the records that lead to policies, each with its rules, and to sitemaps and rights.
    fn lead_to(
        &mut self,
        records: &[(u32, u32)],
        columns: &[usize],
        [sitemaps, rights]: [u32; 2],
    ) -> io::Result<Written> {
        let mut about = vec![KIND_ABOUT];
        about.extend(sitemaps.to_le_bytes());
        if self.trailer.keeps_rights {
            about.extend(rights.to_le_bytes());
        }
        about.extend(records.iter().flat_map(|(_, rules)| rules.to_le_bytes()));
        let rules = records.iter().map(|(_, rules)| *rules);
        let has_about = rules.chain([sitemaps, rights]).any(|record| record != NO_RECORD);
        let policies = match records {
            [] => NO_RECORD,
            [(one, _)] => *one,
            several => {
                let policies: Vec<u32> = several.iter().map(|(policy, _)| *policy).collect();
                let mut body = vec![KIND_PANEL];
                Panel::write(&policies, columns, &mut body);
                self.put_record(&body)?
            }
        };
        let about = if has_about { self.put_record(&about)? } else { NO_RECORD };
        Ok(Written { policies, about })
    }

    /// Writes a record, unless an equal one has been written, and returns its number. An empty body
    /// has none.
    fn put_record(&mut self, body: &[u8]) -> io::Result<u32> {
        if body.is_empty() {
            return Ok(NO_RECORD);
        }
        let content = self.recipe.content(body);
        if let Some(known) = self.records.get(content) {
            return Ok(known);
        }
        let record = number(self.at / RECORD_UNIT as u64, "bytes of policies")?;
        self.write_record(body)?;
        self.records.insert(content, record);
        self.trailer.records += 1;
        Ok(record)
    }

    fn write_record(&mut self, body: &[u8]) -> io::Result<()> {
        let len = number(body.len(), "bytes of a policy")?;
        self.write_header()?;
        self.out.write_all(&len.to_le_bytes())?;
        self.out.write_all(&crc32fast::hash(body).to_le_bytes())?;
        self.out.write_all(body)?;
        let len = RECORD_HEAD + body.len();
        let padding = len.next_multiple_of(RECORD_UNIT) - len;
        self.out.write_all(&[0; RECORD_UNIT][..padding])?;
        self.at += (len + padding) as u64;
        Ok(())
    }

    /// Sets what is known of an origin, and when that was captured, in seconds since the UNIX epoch.
    /// Replaces what was added for it before.
    ///
    /// Origins may come in any order. Those that differ only in their scheme take the least room if
    /// they follow one another.
    ///
    /// # Errors
    /// Returns an error if the output does, if the host is longer than 2048 bytes, if the time is
    /// after the year 2106, or if the origin belongs into another [shard](Writer::shard).
    pub fn add(
        &mut self,
        origin: &Origin<'_>,
        outcome: SiteRules<Written>,
        captured: Option<u64>,
    ) -> io::Result<()> {
        self.add_at(origin, outcome, CaptureTimes::at(captured.unwrap_or(0)))
    }

    /// The same with all that is known of when it was captured.
    ///
    /// # Errors
    /// The same as for [`Writer::add`].
    pub fn add_at(
        &mut self,
        origin: &Origin<'_>,
        outcome: SiteRules<Written>,
        times: CaptureTimes,
    ) -> io::Result<()> {
        let kind = outcome.kind() as u8;
        let written = match outcome {
            SiteRules::Rules(written) => written,
            SiteRules::Unknown => Written::NOTHING,
            SiteRules::AllowAll => self.put_outcome(SiteRules::AllowAll)?,
            SiteRules::DisallowAll => self.put_outcome(SiteRules::DisallowAll)?,
        };
        let seconds = |at: u64| {
            u32::try_from(at)
                .map_err(|_| io::Error::other(format!("{origin} was captured too late: {at}")))
        };
        let captured = seconds(times.captured)?;
        let is_later = times.is_later && captured > 0;
        // Where nothing is known there is nothing that it rests on.
        let other = if outcome.kind() == SiteKind::Unknown { 0 } else { seconds(times.other)? };
        self.set(origin, EntryValue { kind, captured, is_later, other, written })
    }

    /// Removes an origin from the pack that is updated.
    ///
    /// # Errors
    /// The same as for [`Writer::add`].
    ///
    /// # Panics
    /// Panics unless the writer [appends](Writer::append) to a pack.
    pub fn forget(&mut self, origin: &Origin<'_>) -> io::Result<()> {
        assert!(self.updated.is_some(), "only what a pack has can be forgotten");
        let written = Written::NOTHING;
        let answer =
            EntryValue { kind: FORGOTTEN, captured: 0, is_later: false, other: 0, written };
        self.set(origin, answer)
    }

    fn put_outcome(&mut self, outcome: SiteRules<&[u8]>) -> io::Result<Written> {
        let kind = outcome.kind() as usize;
        if let Some(written) = self.outcomes[kind] {
            return Ok(written);
        }
        let packed = self.recipe.pack(outcome.file().unwrap_or_default());
        let parts = packed.policies.iter().map(|parts| (&parts.policy[..], &[][..]));
        let written = self.put_all(parts, &packed.columns, [&[], &[]])?;
        self.outcomes[kind] = Some(written);
        Ok(written)
    }

    fn set(&mut self, origin: &Origin<'_>, answer: EntryValue) -> io::Result<()> {
        let (authority, scheme) = (origin.authority().as_bytes(), Schemes::of(origin.scheme()));
        if authority.len() > MAX_AUTHORITY {
            return Err(io::Error::other(format!(
                "a host has {} bytes, but a pack takes {MAX_AUTHORITY} at most",
                authority.len()
            )));
        }
        let [shard, shards] = self.trailer.shard;
        if shards > 1 && origin.shard(shards) != shard {
            return Err(io::Error::other(format!(
                "{origin} belongs into file {} of {shards}, and this is file {}",
                u64::from(origin.shard(shards)) + 1,
                u64::from(shard) + 1
            )));
        }
        if let Some((_, new)) = &mut self.updated {
            new.insert((authority.to_vec(), scheme.0), answer);
            return Ok(());
        }
        self.add_entry(authority, scheme, answer)
    }

    fn add_entry(
        &mut self,
        authority: &[u8],
        scheme: Schemes,
        answer: EntryValue,
    ) -> io::Result<()> {
        if let Some((last, schemes, same)) = &mut self.last
            && last == authority
            && *same == answer
        {
            schemes.0 |= scheme.0;
            return Ok(());
        }
        self.end_entry()?;
        let (mut name, ..) = self.last.take().unwrap_or((Vec::new(), scheme, answer));
        name.clear();
        name.extend_from_slice(authority);
        self.last = Some((name, scheme, answer));
        Ok(())
    }

    /// Adds the last entry to the index.
    fn end_entry(&mut self) -> io::Result<()> {
        let Some((authority, schemes, answer)) = self.last.take() else { return Ok(()) };
        let has_about = self.trailer.has_about();
        let hash = layout::hash(&authority, self.trailer.seed);
        let times = [answer.captured, answer.other];
        let name = Name::of(&authority, hash, times, has_about, || {
            self.put_record(&[&[KIND_NAME], &authority[..]].concat())
        })?;
        let always = self.constant.get(&answer.written.policies);
        let entry = Entry {
            name,
            schemes,
            kind: answer.kind,
            captured: answer.captured,
            is_later: answer.is_later,
            other: answer.other,
            always: always.copied().unwrap_or(Always::Neither),
            policies: answer.written.policies,
            about: answer.written.about,
        };
        let bytes = entry.bytes(has_about);
        let check = self.keys.hash_one(&authority);
        self.pending.push(hash, check, schemes, &bytes)?;
        self.last = Some((authority, schemes, answer));
        Ok(())
    }

    /// Writes the rest of the pack, or of the layer, and returns the output.
    ///
    /// Sorting the index takes most of the time: 0.1 s for a million origins.
    ///
    /// # Errors
    /// Returns an error if the output does, if the pack is larger than the format allows, if the
    /// pack that is updated is damaged, or if the hashes of too many names are nearly equal, as they
    /// can be by intent only, where the seed is known.
    pub fn finish(self) -> io::Result<W> {
        let (mut out, trailer) = self.finish_but_trailer()?;
        out.write_all(&trailer)?;
        out.flush()?;
        Ok(out)
    }

    /// As [`Writer::finish`], without the last bytes, which it returns: with them the layer, or the
    /// pack, is complete.
    ///
    /// So a layer can be appended to a file that others read, and that the power may fail for: write
    /// what is here, `sync_data`, append these bytes, `sync_data`.
    ///
    /// # Errors
    /// The same as for [`Writer::finish`].
    pub fn finish_but_trailer(mut self) -> io::Result<(W, [u8; TRAILER_LEN])> {
        if let Some((pack, new)) = self.updated.take() {
            for ((authority, scheme), answer) in new {
                let scheme = Schemes(scheme);
                let known = scheme.iter().next().map(|scheme| pack.key(&authority, scheme));
                let was = match known {
                    Some(key) => pack.look_up(&key).map_err(io::Error::other)?.is_some(),
                    None => false,
                };
                let is = answer.kind != FORGOTTEN;
                let origins = (self.trailer.origins + u64::from(is)).checked_sub(u64::from(was));
                self.trailer.origins = origins.ok_or_else(|| {
                    io::Error::other(pack.shards[0].damaged(
                        self.trailer.begin as usize - TRAILER_LEN,
                        "the number of origins is wrong",
                    ))
                })?;
                if is || was {
                    self.add_entry(&authority, scheme, answer)?;
                }
            }
        }
        let is_update = self.trailer.previous != 0;
        self.end_entry()?;
        let end = self.at.next_multiple_of(BLOCK_LEN as u64);
        self.pad_to(end)?;
        self.trailer.index_at = self.at;
        self.pending.sort();
        let (mut entries, mut bytes, mut origins) = (0, 0, 0);
        self.pending.each(|_, entry, of_entry| {
            entries += 1;
            bytes += entry.len() as u64;
            origins += u64::from(of_entry);
            Ok(())
        })?;
        if !is_update {
            self.trailer.origins = origins;
        }
        self.trailer.entries = entries;
        let blocks = self.write_index(layout::lines_for(bytes))?;
        self.trailer.blocks_at = self.at;
        self.trailer.checksums[0] = crc32fast::hash(&blocks);
        self.write(&blocks)?;
        if !is_update {
            let about = self.about()?;
            self.trailer.about_at = self.at;
            self.trailer.about_len = about.len() as u64;
            self.trailer.checksums[1] = crc32fast::hash(&about);
            self.write(&about)?;
        }
        self.trailer.end = (self.at + TRAILER_LEN as u64).next_multiple_of(TRAILER_UNIT as u64);
        self.pad_to(self.trailer.end - TRAILER_LEN as u64)?;
        self.out.flush()?;
        Ok((self.out, self.trailer.to_bytes()))
    }

    /// Writes the header before anything else. Not earlier, because it depends on the seed.
    fn write_header(&mut self) -> io::Result<()> {
        if !self.has_header {
            self.out.write_all(&header(self.trailer.seed))?;
            self.has_header = true;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_header()?;
        self.out.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn pad_to(&mut self, end: u64) -> io::Result<()> {
        let zeros = vec![0; (end - self.at) as usize];
        self.write(&zeros)
    }

    /// Writes the index with so many lines that hashes name, and returns the checksums of its blocks.
    fn write_index(&mut self, lines: u64) -> io::Result<Vec<u8>> {
        let mut pending = std::mem::replace(&mut self.pending, Pending::new());
        let (mut block, mut blocks) = (Vec::with_capacity(BLOCK_LEN), Vec::new());
        let mut placing = Placing::new(lines);
        let mut put = |line: &Line| -> io::Result<()> {
            block.extend_from_slice(line);
            if block.len() == BLOCK_LEN {
                blocks.extend(crc32fast::hash(&block).to_le_bytes());
                self.out.write_all(&block)?;
                self.at += BLOCK_LEN as u64;
                block.clear();
            }
            Ok(())
        };
        let is_update = self.trailer.previous != 0;
        let too_far = || {
            io::Error::other(if is_update {
                "too many new origins have nearly equal hashes: merge the pack, which gives it \
                 another seed, and update it then"
            } else {
                "too many origins have nearly equal hashes: write the pack with another seed"
            })
        };
        pending.each(|hash, entry, _| {
            placing.push(hash, entry, &mut put)?;
            if placing.is_too_far() { Err(too_far()) } else { Ok(()) }
        })?;
        let reach = placing.finish(&mut put)?;
        if placing.is_too_far() {
            return Err(too_far());
        }
        if !block.is_empty() {
            blocks.extend(crc32fast::hash(&block).to_le_bytes());
            self.write(&block)?;
        }
        (self.trailer.lines, self.trailer.reach) = (lines, reach as u32);
        debug_assert_eq!(self.at - self.trailer.index_at, (lines + reach) * LINE_LEN as u64);
        Ok(blocks)
    }

    /// The description of the pack: profile, program and crawlers.
    fn about(&self) -> io::Result<Vec<u8>> {
        let profile = self.recipe.profile();
        let named = Profile::NAMED.iter().find(|(_, named)| named == profile);
        let mut about = Vec::new();
        put_text(&mut about, named.map_or("custom", |(name, _)| name).as_bytes())?;
        put_text(&mut about, concat!("robotsieve ", env!("CARGO_PKG_VERSION")).as_bytes())?;
        for crawler in self.recipe.crawlers() {
            about.extend(number(crawler.iter().count(), "names of a crawler")?.to_le_bytes());
            for name in crawler.iter() {
                put_text(&mut about, name)?;
            }
        }
        Ok(about)
    }
}

/// The length of a text in bytes, and the text.
fn put_text(to: &mut Vec<u8>, text: &[u8]) -> io::Result<()> {
    to.extend(number(text.len(), "bytes of a name")?.to_le_bytes());
    to.extend_from_slice(text);
    Ok(())
}

fn number(number: impl TryInto<u32>, of: &'static str) -> io::Result<u32> {
    number.try_into().map_err(|_| too_large(of))
}

fn too_large(what: &'static str) -> io::Error {
    io::Error::other(format!("the pack has too many {what}; write several smaller packs"))
}

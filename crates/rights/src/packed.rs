//! The record of what a file says of rights in a pack: its lines for each crawler, as written.
//!
//! The pack keeps these bytes without reading them: [`record`] makes them when a file is packed, and
//! [`PackRights`] reads them.
//!
//! ```text
//! for each crawler of the pack the number of its lines: 2 bytes
//! the number of different lines, and for each: 1 if its signals stand outside any group, else 0: 4 bytes
//!     Content-Usage, Content-Signal, License, notes: the number of each, and for each of them
//!         its line in the file (0 for a note), its length, and its bytes
//! ```

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use robotsieve::SiteKind;
use robotsieve::internals::{Take, put_len};
use robotsieve::pack::{Pack, PackError, Packed, Recipe, Site};
use robotsieve::{Crawler, CrawlerId, Profile, Robots, SitePolicy};

use crate::robots::compiled::CompiledLines;
use crate::robots::selection::Selection;
use crate::{Note, Notes, PolicyToken, Purposes, RobotsRights, Vocabulary};

/// The bytes of a record that is kept once it is read: reading fewer lines takes some microseconds.
const LONG: usize = 1024;

/// The bytes of all records that are kept.
const KEPT: u64 = 256 << 20;

/// Makes the record of a file, for [`Recipe::pack_with_rights`](robotsieve::pack::Recipe::pack_with_rights).
/// Empty if the file says nothing of rights to any of the crawlers.
///
/// ```
/// use robotsieve::pack::{Pack, Writer};
/// use robotsieve::{Config, Crawler, Origin, Profile, SiteRules};
/// use robotsieve_rights::packed::{PackRights, record};
/// use robotsieve_rights::{Purpose, Ruling, Vocabulary};
///
/// let config = Config::default().with_keep_rights(true);
/// let crawlers = [Crawler::name("GPTBot")];
/// let mut writer = Writer::new(Vec::new(), &Profile::RFC9309, crawlers, &config)?;
/// let file = b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /";
/// let rules = SiteRules::Rules(writer.put(&writer.recipe().pack_with_rights(file, record))?);
/// writer.add(&Origin::of("https://example.com")?, rules, None)?;
/// let bytes = writer.finish()?;
///
/// let pack = Pack::open(&bytes)?;
/// let rights = PackRights::new(&pack);
/// let site = pack.get(&Origin::of("https://example.com/a")?)?.expect("was added");
/// let rights = rights.of(&site, pack.crawler_ids()[0], Vocabulary::default())?.expect("its rules are known");
/// assert_eq!(rights.ruling(Purpose::AiTrain, "https://example.com/a")?, Ruling::Disallow);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn record(robots: &Robots<'_>, crawlers: &[Crawler]) -> Vec<u8> {
    record_of(robots, crawlers, false)
}

fn record_of(robots: &Robots<'_>, crawlers: &[Crawler], is_cut: bool) -> Vec<u8> {
    let mut selections = Selection::each(robots, crawlers);
    selections.iter_mut().for_each(|one| one.notes.add_if(is_cut, Note::RobotsNotRead));
    let lines = selections.iter().map(RightsLines::from);
    body(&lines.collect::<Vec<_>>())
}

/// Packs a file as its pack wants it: with the record of its rights if the pack keeps them. The rest of a file that was
/// cut could have said no, so its record has a note.
#[must_use]
pub fn pack(recipe: &Recipe, file: &[u8], is_cut: bool) -> Packed {
    if !recipe.keeps_rights() {
        return recipe.pack(file);
    }
    let record = |robots: &Robots<'_>, crawlers: &[Crawler]| record_of(robots, crawlers, is_cut);
    let packed = recipe.pack_with_rights(file, record);
    if is_cut { packed.with_content(content(recipe, file, true)) } else { packed }
}

/// A hash that tells apart what [`pack`] makes: see [`Recipe::content`].
#[must_use]
pub fn content(recipe: &Recipe, file: &[u8], is_cut: bool) -> u128 {
    recipe.content(file) ^ u128::from(is_cut && recipe.keeps_rights())
}

/// What the files of a pack say of rights. `Send` and `Sync`; long records are kept once they are read.
#[derive(Debug)]
pub struct PackRights<'p> {
    pack: &'p Pack<'p>,
    profile: Option<Profile>,
    /// By the place of the record, crawler and vocabulary.
    kept: RwLock<HashMap<(usize, usize, Vocabulary), Arc<CompiledLines>>>,
    kept_bytes: AtomicU64,
}

impl<'p> PackRights<'p> {
    /// Reads nothing yet.
    #[must_use]
    pub fn new(pack: &'p Pack<'p>) -> PackRights<'p> {
        // A writer keeps rights for the profiles that have a name only.
        let profile = Profile::named(pack.profile_name()).filter(|_| pack.keeps_rights());
        PackRights { pack, profile, kept: RwLock::default(), kept_bytes: AtomicU64::new(0) }
    }

    /// What the file of a site says of a crawler's rights, as [`Pack::crawler`] finds it.
    /// `None` if nothing is known of the site ([`SiteKind::Unknown`]), or if the pack does not keep rights
    /// ([`Pack::keeps_rights`]).
    ///
    /// Policy tokens are not kept: make a pack for a crawler of their name. Reads the lines each time,
    /// `O(n)`, unless they are many: those are kept in memory.
    ///
    /// # Errors
    /// Returns an error if the policy, the lines, or what leads to them are damaged.
    ///
    /// # Panics
    /// Panics if there is no such crawler.
    pub fn of(
        &self,
        site: &Site<'p>,
        crawler: CrawlerId,
        vocabulary: Vocabulary,
    ) -> Result<Option<RobotsRights<'p>>, PackError> {
        let Some(policy) = site.policy(crawler)? else { return Ok(None) };
        self.beside(site, policy.policy().clone(), crawler, vocabulary)
    }

    /// The same, with the rules of the policy if the pack keeps them, so that the one that decided on
    /// crawling is named. The pack keeps the policy in memory from then on.
    ///
    /// # Errors
    /// As for [`PackRights::of`], also if the rules are damaged.
    ///
    /// # Panics
    /// Panics if there is no such crawler.
    pub fn with_rules(
        &self,
        site: &Site<'p>,
        crawler: CrawlerId,
        vocabulary: Vocabulary,
    ) -> Result<Option<RobotsRights<'p>>, PackError> {
        let Some(policy) = site.policy(crawler)? else { return Ok(None) };
        let with_rules = policy.with_rules()?.map(SitePolicy::from);
        let policy = with_rules.unwrap_or_else(|| policy.policy().clone());
        self.beside(site, policy, crawler, vocabulary)
    }

    fn beside(
        &self,
        site: &Site<'p>,
        policy: SitePolicy<'p>,
        crawler: CrawlerId,
        vocabulary: Vocabulary,
    ) -> Result<Option<RobotsRights<'p>>, PackError> {
        let Some(profile) = &self.profile else { return Ok(None) };
        let lines = self.lines(site, crawler, vocabulary, profile)?;
        Ok(Some(RobotsRights::new(policy, lines)))
    }

    fn lines(
        &self,
        site: &Site<'p>,
        crawler: CrawlerId,
        vocabulary: Vocabulary,
        profile: &Profile,
    ) -> Result<Arc<CompiledLines>, PackError> {
        let record = site.rights()?;
        // The pack lends its bytes for as long as this lives, so no other record is at this address.
        let key = (record.as_ptr().addr(), crawler.place(), vocabulary);
        if record.len() >= LONG {
            let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(lines) = kept.get(&key) {
                return Ok(Arc::clone(lines));
            }
        }
        let selection = match record {
            [] => Selection::default(),
            record => lines_for(record, self.pack.crawlers().len(), crawler.place())
                .and_then(|lines| Selection::try_from(lines).ok())
                .ok_or_else(|| site.unreadable_rights())?,
        };
        // A site that could not be reached disallows nothing but crawling.
        let own =
            self.pack.crawlers().get(crawler.place()).filter(|_| site.kind() == SiteKind::Rules);
        let own_token = own.map_or(Purposes::NONE, |own| PolicyToken::of_names(own.iter()));
        let lines = Arc::new(CompiledLines::new(&selection, own_token, vocabulary, profile));
        let len = record.len() as u64;
        if record.len() >= LONG && self.kept_bytes.fetch_add(len, Ordering::Relaxed) + len <= KEPT {
            let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
            kept.entry(key).or_insert_with(|| Arc::clone(&lines));
        }
        Ok(lines)
    }

    /// Reads all records: what [`Pack::verify`] leaves to the reader of these bytes.
    ///
    /// # Errors
    /// Returns an error if a record, or what leads to it, is damaged.
    pub fn verify(&self) -> Result<(), PackError> {
        let mut seen = HashSet::new();
        for site in self.pack.sites() {
            let site = site?;
            let record = site.rights()?;
            if record.is_empty() || !seen.insert(record.as_ptr().addr()) {
                continue;
            }
            // Reads all, whichever crawler is asked about.
            if lines_for(record, self.pack.crawlers().len(), 0).is_none() {
                return Err(site.unreadable_rights());
            }
        }
        Ok(())
    }
}

/// Lines with their numbers, as written.
type Lines<'a> = Vec<(u32, &'a [u8])>;

/// The lines for a crawler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RightsLines<'a> {
    signals_are_outside: bool,
    /// Content-Usage, Content-Signal, License, and the codes of notes.
    lines: [Lines<'a>; 4],
}

/// The bytes of a record. Empty if nothing is said to any crawler.
fn body(of_crawlers: &[RightsLines<'_>]) -> Vec<u8> {
    if of_crawlers.iter().all(|lines| *lines == RightsLines::default()) {
        return Vec::new();
    }
    let mut different: Vec<&RightsLines<'_>> = Vec::new();
    let mut body = Vec::new();
    for lines in of_crawlers {
        let number = different.iter().position(|known| *known == lines);
        let number = number.unwrap_or_else(|| {
            different.push(lines);
            different.len() - 1
        });
        // There are 4096 crawlers at most.
        body.extend((number as u16).to_le_bytes());
    }
    put_len(&mut body, different.len());
    for RightsLines { signals_are_outside, lines } in different {
        body.extend(u32::from(*signals_are_outside).to_le_bytes());
        for lines in lines {
            put_len(&mut body, lines.len());
            for (line, value) in lines {
                body.extend(line.to_le_bytes());
                put_len(&mut body, value.len());
                body.extend_from_slice(value);
            }
        }
    }
    body
}

/// Reads the lines for a crawler. `None` if any part of the record is not
/// as a writer writes it. `O(n)`.
fn lines_for(record: &[u8], crawlers: usize, crawler: usize) -> Option<RightsLines<'_>> {
    let (columns, rest) = record.split_at_checked(2 * crawlers)?;
    let columns = columns.as_chunks().0;
    let wanted = u16::from_le_bytes(*columns.get(crawler)?);
    let mut rest = Take(rest);
    let count = rest.number()?;
    let mut found = None;
    for number in 0..count {
        let lines = read(&mut rest)?;
        if number == u32::from(wanted) {
            found = Some(lines);
        }
    }
    let are_there = columns.iter().all(|column| u32::from(u16::from_le_bytes(*column)) < count);
    found.filter(|_| are_there && rest.0.is_empty())
}

fn read<'a>(rest: &mut Take<'a>) -> Option<RightsLines<'a>> {
    let mut read = RightsLines {
        signals_are_outside: match rest.number()? {
            0 => false,
            1 => true,
            _ => return None,
        },
        ..RightsLines::default()
    };
    for lines in &mut read.lines {
        for _ in 0..rest.number()? {
            lines.push((rest.number()?, rest.text()?));
        }
    }
    Some(read)
}

impl<'a> From<&Selection<'a>> for RightsLines<'a> {
    fn from(selection: &Selection<'a>) -> RightsLines<'a> {
        let Selection { usage, signals, signals_are_outside, licences, notes } = selection;
        let licences = licences.iter().map(|(line, url)| (*line, url.as_bytes()));
        let notes = notes.iter().map(|note| (0, note.as_str().as_bytes()));
        RightsLines {
            signals_are_outside: *signals_are_outside,
            lines: [usage.clone(), signals.clone(), licences.collect(), notes.collect()],
        }
    }
}

/// Fails for what no writer writes.
impl<'a> TryFrom<RightsLines<'a>> for Selection<'a> {
    type Error = ();

    fn try_from(read: RightsLines<'a>) -> Result<Selection<'a>, ()> {
        let RightsLines { signals_are_outside, lines: [usage, signals, licences, notes] } = read;
        let licences =
            licences.into_iter().map(|(line, url)| Some((line, str::from_utf8(url).ok()?)));
        let note_of = |(_, code): (u32, &[u8])| Note::with_code(str::from_utf8(code).ok()?);
        let notes = notes.into_iter().map(note_of);
        Ok(Selection {
            usage,
            signals,
            signals_are_outside,
            licences: licences.collect::<Option<_>>().ok_or(())?,
            notes: notes.collect::<Option<Notes>>().ok_or(())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_and_read() {
        let nothing = RightsLines::default();
        assert!(body(&[nothing.clone(), nothing.clone()]).is_empty());
        let one: Lines<'_> = vec![(3, b"train-ai=n"), (4, b"")];
        let some = RightsLines {
            signals_are_outside: true,
            lines: [one, Vec::new(), vec![(9, b"https://e.com/")], vec![(0, b"groups-differ")]],
        };
        let record = body(&[nothing.clone(), some.clone(), some.clone()]);
        for (crawler, wanted) in [&nothing, &some, &some].into_iter().enumerate() {
            assert_eq!(lines_for(&record, 3, crawler).as_ref(), Some(wanted));
        }
        assert_eq!(lines_for(&record, 3, 3), None);
        for len in 0..record.len() {
            assert_eq!(lines_for(&record[..len], 3, 0), None, "{len}");
        }
        assert_eq!(lines_for(&[&record[..], b"x"].concat(), 3, 0), None);
    }
}

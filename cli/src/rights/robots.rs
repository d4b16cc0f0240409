//! The robots.txt files of archives: what was in force for a site at a time.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::{Arc, Mutex};

use robotsieve::pack::{Pack, PackError};
use robotsieve::{Config, Crawler, CrawlerId, Origin, Profile, SiteKind, SiteRules};
use robotsieve_captures::packs::{Gather, Judging, Making, PackedAt};
use robotsieve_captures::{Answered, Fit, Key, Versions};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::Protocol;
use robotsieve_rights::packed::PackRights;
use robotsieve_rights::{RobotsRights, Vocabulary};

use super::args::RightsArgs;
use super::payloads::{Noting, References};
use crate::error::Failure;
use crate::pack::args::Seed;
use crate::pack::make::{opened, pool, stream, tell_left_out};
use crate::pack::sources::Warc;

/// The outcomes that are no file, each with the number under which it is in the pack.
const OUTCOMES: [SiteKind; 3] = [SiteKind::AllowAll, SiteKind::DisallowAll, SiteKind::Unknown];

/// The robots.txt files of archives, with the times at which they were captured.
pub struct RobotsFiles {
    pack: &'static Pack<'static>,
    packed: PackRights<'static>,
    vocabulary: Vocabulary,
    protocol: Protocol,
    /// By the key of an origin.
    origins: HashMap<Box<str>, Versions<Of>>,
    /// What redirects lead to beside the robots.txt files of origins, by the times of the captures.
    targets: HashMap<Timestamp, HashSet<Box<str>>>,
    /// What could not be read.
    pub faults: u64,
}

/// The key and the time of a capture.
pub type CaptureAt = (Box<str>, Timestamp);

/// What an answer comes from.
#[derive(Clone)]
struct Of {
    /// The number of its file.
    number: Option<u32>,
    /// When the origin was captured.
    at: Timestamp,
    /// The captures to which redirects led.
    hops: Option<Arc<[CaptureAt]>>,
}

impl Of {
    /// The captures on which the answer rests that holds since a time, the one with the file as the last.
    fn captures(&self, origin: &Origin<'_>, captured: Timestamp) -> Vec<CaptureAt> {
        // What was found unchanged then.
        let again = (captured != self.at).then_some(captured);
        let own = again.into_iter().chain([self.at]).map(|at| (origin.key().into(), at));
        own.chain(self.hops.iter().flat_map(|hops| hops.iter().cloned())).collect()
    }
}

/// A file that a site had.
pub struct RobotsAt {
    pub at: Timestamp,
    pub captures: Vec<CaptureAt>,
    pub rights: RobotsRights<'static>,
}

/// What was in force for a site.
pub struct RobotsInForce {
    pub holds: SiteKind,
    /// When it was captured.
    pub captured: Timestamp,
    pub fit: Fit,
    /// The captures on which it rests, the one with the file as the last.
    pub captures: Vec<CaptureAt>,
    /// True if there may have been a file, or another one, that the archives do not have.
    pub is_doubtful: bool,
    /// True if a newer answer is not known.
    pub is_lost: bool,
    /// True if it is of the page's own second, and something else was in force before.
    pub differs: bool,
    pub rights: Option<RobotsRights<'static>>,
}

impl RobotsFiles {
    /// Reads all archives. Each file is kept once in a pack, under the origin of its number.
    pub fn read(
        args: &RightsArgs,
        crawler: &Crawler,
        profile: &Profile,
        folder: &Path,
        references: &Arc<Mutex<References>>,
    ) -> Result<RobotsFiles, Failure> {
        let config = Config::default().with_keep_rights(true);
        let crawlers = vec![crawler.clone()];
        let making = Making { profile: *profile, crawlers, config, seed: Seed::default().get() };
        let source = Warc::open(args.warc.clone(), args.threads.get())?;
        let source = Noting { source, references: Arc::clone(references) };
        let judging = Judging::of(profile, None);
        let mut origins: HashMap<Box<str>, Versions<Of>> = HashMap::new();
        let mut targets: HashMap<Timestamp, HashSet<Box<str>>> = HashMap::new();
        let made = || {
            let out = BufWriter::with_capacity(1 << 20, tempfile::tempfile_in(folder)?);
            let mut gather = Gather::new(making.writer(out, folder)?, None, &judging, folder)?;
            let threads = pool(args.threads)?;
            let progress = args.progress.progress;
            let faults = stream(&mut gather, vec![Box::new(source)], &threads, progress)?;
            let mut numbers: HashMap<PackedAt, u32> = HashMap::new();
            let (mut writer, counts) = gather.histories(|writer, origin, answers| {
                let mut versions = Versions::default();
                for Answered { at, answer, hops, .. } in answers {
                    let number = match answer {
                        Some((_, _, Some(place))) => match numbers.get(place) {
                            Some(number) => Some(*number),
                            None => {
                                let number =
                                    u32::try_from(numbers.len()).map_err(io::Error::other)?;
                                let number = number + OUTCOMES.len() as u32;
                                let rules = SiteRules::Rules(place.written()?);
                                writer.add(&numbered(number), rules, None)?;
                                numbers.insert(place.clone(), number);
                                Some(number)
                            }
                        },
                        _ => None,
                    };
                    let answer = answer.as_ref().map(|(hops, said, _)| (*hops, *said));
                    for (key, at) in hops.iter().filter(|(key, _)| !is_of_origin(key)) {
                        targets.entry(*at).or_default().insert((*key).into());
                    }
                    let hops = hops.iter().map(|(key, at)| ((*key).into(), *at));
                    let hops: Arc<[CaptureAt]> = hops.collect();
                    let hops = (!hops.is_empty()).then_some(hops);
                    versions.push(*at, answer, Of { number, at: *at, hops });
                }
                origins.insert(origin.key().into(), versions);
                Ok(())
            })?;
            for (number, outcome) in
                (0..).zip([SiteRules::AllowAll, SiteRules::DisallowAll, SiteRules::Unknown])
            {
                writer.add(&numbered(number), outcome, None)?;
            }
            tell_left_out(counts);
            io::Result::Ok((opened(writer.finish()?)?, faults, counts.captures))
        };
        let (pack, faults, captures) =
            made().map_err(|cause| Failure::io("cannot read what robots.txt files say", cause))?;
        if faults > 0 && captures == 0 {
            let what = "nothing could be read: see the errors above".to_owned();
            return Err(Failure::Incomplete(what));
        }
        let (packed, protocol) = (PackRights::new(pack), Protocol::of(profile));
        let vocabulary = args.vocabulary();
        Ok(RobotsFiles { pack, packed, vocabulary, protocol, origins, targets, faults })
    }

    /// What was in force for a site when something of it was fetched; without a time, its newest state. `None` if no capture says anything of it.
    pub fn in_force(
        &self,
        origin: &Origin<'_>,
        at: Option<Timestamp>,
    ) -> Result<Option<RobotsInForce>, PackError> {
        let versions = self.origins.get(origin.key());
        let found = versions.and_then(|versions| versions.in_force(&self.protocol, at));
        let Some((settled, fit)) = found else { return Ok(None) };
        let (holds, captured) = (settled.holds, settled.captured.at);
        let number = OUTCOMES.iter().zip(0..).find(|(kind, _)| **kind == holds);
        let rights = match number.map(|(_, number)| number).or(settled.of.number) {
            Some(number) => self.rights(number)?,
            None => None,
        };
        let is_lost = versions.is_some_and(|versions| versions.is_doubtful(captured, fit, at));
        let is_doubtful = versions.is_some_and(|versions| versions.may_say_more(&settled, fit, at));
        let before =
            versions.and_then(|versions| versions.before_second(&self.protocol, captured, at));
        let differs = before
            .is_some_and(|before| (before.holds, before.of.number) != (holds, settled.of.number));
        let captures = settled.of.captures(origin, captured);
        Ok(Some(RobotsInForce {
            holds,
            captured,
            fit,
            captures,
            is_doubtful,
            is_lost,
            differs,
            rights,
        }))
    }

    /// Whether what a site said after a time is partly unknown.
    pub fn is_lost_after(&self, origin: &Origin<'_>, at: Timestamp) -> bool {
        let versions = self.origins.get(origin.key());
        versions.is_some_and(|versions| {
            versions.is_lost_between(at, None) || versions.is_unread_after(at)
        })
    }

    /// The different files that a site had after a time, each as it was first captured, the newest first:
    /// so many at most.
    pub fn after(
        &self,
        origin: &Origin<'_>,
        at: Timestamp,
        most: usize,
    ) -> Result<Vec<RobotsAt>, PackError> {
        let mut different: Vec<(u32, &Of)> = Vec::new();
        let versions = self.origins.get(origin.key());
        for (_, of) in versions.into_iter().flat_map(|versions| versions.files_after(at)) {
            let Some(number) = of.number else { continue };
            match different.iter().position(|(known, _)| *known == number) {
                Some(known) => different[known].1 = of,
                None if different.len() < most => different.push((number, of)),
                None => break,
            }
        }
        let rights = |(number, of): (u32, &Of)| {
            let file =
                |rights| RobotsAt { at: of.at, captures: of.captures(origin, of.at), rights };
            Ok(self.rights(number)?.map(file))
        };
        different.into_iter().filter_map(|one| rights(one).transpose()).collect()
    }

    /// The key of a capture if it is one of a robots.txt, or one to which a redirect of one leads.
    pub fn key(&self, url: &str, at: Timestamp) -> Option<Box<str>> {
        let keys = self.targets.get(&at);
        if keys.is_none() && memchr::memmem::find(url.as_bytes(), b"robots.txt").is_none() {
            return None;
        }
        match Key::of(url)? {
            Key::Origin(origin) => Some(origin.key().into()),
            Key::Other(_, key) => keys?.get(&key).cloned(),
        }
    }

    fn rights(&self, number: u32) -> Result<Option<RobotsRights<'static>>, PackError> {
        match self.pack.get(&numbered(number))? {
            Some(site) => self.packed.with_rules(&site, CrawlerId::at(0), self.vocabulary),
            None => Ok(None),
        }
    }
}

/// Returns true if a key is that of an origin: its robots.txt.
fn is_of_origin(key: &str) -> bool {
    Origin::of(key).is_ok_and(|origin| origin.key() == key)
}

/// The origin under which a file is in the pack: packs have one file for each.
fn numbered(number: u32) -> Origin<'static> {
    let url = format!("https://{number}.invalid");
    Origin::of(&url).expect("is a URL").into_owned()
}

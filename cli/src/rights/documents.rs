//! The documents of archives beside robots.txt: tdmrep.json and licences.
//!
//! A document is known by where it is named, whatever its type: by its path (tdmrep.json), by a `License`
//! line of a robots.txt, or by a `Link` field. What pages name is found by its type, as long as that may be
//! the type of such a document. Redirects are followed to what was captured nearest to them. So the archives are read
//! once for what is known by itself, and once more for each step to addresses that were named only then.
//!
//! Of the captures of an address that say something (a document, a redirect, or that there is none) the one
//! counts that was in force when the page was fetched ([`Versions::in_force`]). A failure says nothing; if it
//! is the newest capture before the page, the address counts as not read besides, which takes permissions away
//! and erases no reservation.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use robotsieve::internals::{Content, RobotsInternals as _};
use robotsieve::{Origin, Profile, Robots};
use robotsieve_captures::warc::{self, Answers, Body, ResponseItem, ResponseRecord};
use robotsieve_captures::{At, Fit, MAX_HOPS, RecordPlace, SiteAnswer, Versions};
use robotsieve_client::Timestamp;
use robotsieve_client::internals::{has_file, has_none};
use robotsieve_client::outcome::{ContentHash, Protocol, Said as Answer};
use robotsieve_client::report::rfc3339;
use robotsieve_rights::internals::{RightsField, RightsLines, TDM_PATH, normal, origin_of_tdm};
use robotsieve_rights::{Documents, LicenceKind, Note, Response};
use url::Url;

use super::args::RightsArgs;
use super::page::{is_part, media_type, names_rsl};
use super::payloads::Payloads;
use super::robots::{CaptureAt, RobotsFiles};
use super::row::Document;
use crate::error::Failure;
use crate::read::warc_files;
use crate::write::bytes::shown;

/// The most documents that are kept, and their bytes.
const MOST_DOCUMENTS: usize = 1 << 20;
const MOST_DOCUMENT_BYTES: usize = 1 << 30;

/// The most bytes of addresses of records that could not be read.
const MOST_DAMAGED_BYTES: usize = 256 << 20;

/// About the most bytes of lines of robots.txt files that are kept to be quoted.
const MOST_LINE_BYTES: usize = 256 << 20;

/// The most captures that lead to what could not be read, behind which an older document is looked for.
const MOST_LOST: usize = 256;

/// The most addresses that are looked at for later documents: that of a document, and those to which it ever redirects.
const MOST_LED: usize = 16;

/// The most bytes of a document. RSL documents that are longer are rejected anyway.
const MOST_BYTES_OF_ONE: usize = (4 << 20) + 1;

/// The documents that archives have, with the times at which they were captured.
pub(super) struct Known {
    by_address: HashMap<String, History>,
    /// By the address that redirects, and the place of the document in memory, where it stays.
    redirected: Mutex<HashMap<(String, usize), Documents>>,
    /// The captures of robots.txt files by their keys, in the order of their times.
    robots: HashMap<Box<str>, Vec<(Timestamp, Robotstxt)>>,
    /// How many different ones there are.
    pub(super) count: usize,
    /// How many were left out, because there are too many.
    pub(super) left_out: u64,
    /// True if there was no room for a site's tdmrep.json: one that is not here may have been there.
    has_lost_tdm: bool,
    /// Addresses of which the archives have a record that could not be read.
    damaged: HashSet<String>,
    /// True if the archives have a part that could not be read: any document may be in it.
    pub(super) is_damaged: bool,
}

/// What an address had, and when.
struct History {
    /// A failure counts as what leads to something that is not known.
    versions: Versions<(ContentHash, Step)>,
    /// The digests of the answers that it is unchanged.
    again: HashMap<Timestamp, ContentHash>,
    /// When two captures of one time differ.
    differ: HashSet<Timestamp>,
}

/// What an address had.
#[derive(Clone)]
enum Step {
    Document(Arc<File>),
    Redirect(Arc<str>),
    /// Something that is no licence, and is not kept.
    SomethingElse,
    Absent,
}

impl Step {
    /// Returns true if they are not the same.
    fn differs(&self, other: &Step) -> bool {
        match (self, other) {
            (Step::Document(own), Step::Document(other)) => own.bytes != other.bytes,
            (Step::Redirect(own), Step::Redirect(other)) => own != other,
            (Step::SomethingElse | Step::Absent, Step::SomethingElse | Step::Absent) => false,
            _ => true,
        }
    }
}

/// A document, read when a page first needs it.
struct File {
    bytes: Vec<u8>,
    /// Where it was first captured.
    place: RecordPlace,
    read: OnceLock<Documents>,
    sha256: OnceLock<String>,
}

/// A document that was in force for a page, or that the owner changed later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dated {
    pub(super) address: String,
    pub(super) captured: Timestamp,
    pub(super) fit: Fit,
    /// The record with its bytes.
    pub(super) place: Option<RecordPlace>,
    /// The digest of the document, if its bytes are at hand.
    pub(super) sha256: Option<String>,
    /// The digests of the records of all answers: redirects, and the last one.
    pub(super) answers: Vec<ContentHash>,
    /// What keeps it from being taken for what was in force: [`Note::RobotsNotRead`], [`Note::DocumentsDiffer`].
    pub(super) doubt: Option<Note>,
}

/// A capture of a robots.txt.
struct Robotstxt {
    place: RecordPlace,
    body: Option<(ContentHash, Arc<Lines>)>,
    /// The digest of its record.
    answer: ContentHash,
    /// True if there was no file.
    says_none: bool,
}

/// The records of a robots.txt, in the order of their lines, to quote them.
#[derive(Default)]
pub(super) struct Lines(Vec<(u32, Box<str>)>);

impl Lines {
    fn of(file: &[u8]) -> Lines {
        let robots = Robots::parse(file, &Profile::RFC9309);
        let lines = robots.groups().lines();
        let records = lines.filter_map(|line| match line.content {
            Content::Record(record) => {
                let words = format!("{}: {}", shown(record.name), shown(record.value));
                Some((record.line, words.trim_end().into()))
            }
            _ => None,
        });
        Lines(records.collect())
    }

    /// What stands in a line.
    pub(super) fn get(&self, line: u32) -> Option<&str> {
        let at = self.0.binary_search_by_key(&line, |(number, _)| *number).ok()?;
        Some(&self.0[at].1)
    }

    fn weight(&self) -> usize {
        self.0.iter().map(|(_, words)| 24 + words.len()).sum()
    }
}

impl Dated {
    fn new(address: String, captured: Timestamp, fit: Fit) -> Dated {
        let (place, sha256, answers, doubt) = (None, None, Vec::new(), None);
        Dated { address, captured, fit, place, sha256, answers, doubt }
    }

    /// As it is printed.
    pub(super) fn row(&self) -> Document {
        let Dated { address, captured, fit, place, sha256, answers, .. } = self;
        Document {
            url: address.clone(),
            captured: rfc3339(*captured),
            fit: fit.as_str(),
            file: place.as_ref().map(|place| place.file.display().to_string()),
            offset: place.as_ref().and_then(|place| match place.at {
                At::Byte(offset) => Some(offset),
                At::Whole | At::Line(_) => None,
            }),
            sha256: sha256.clone(),
            answers: answers.iter().map(ContentHash::to_string).collect(),
        }
    }

    /// The bytes that its address, its file and its digests take.
    pub(super) fn weight(&self) -> usize {
        let file = self.place.as_ref().map_or(0, |place| place.file.as_os_str().len());
        self.address.len() + file + 67 * self.answers.len()
    }

    /// The seconds from its capture to that of a page.
    pub(super) fn age(&self, page: Timestamp) -> i64 {
        page.0.cast_signed().saturating_sub(self.captured.0.cast_signed())
    }
}

impl Known {
    /// The robots.txt that these captures lead to, the one with the answer as the last, and its lines.
    pub(super) fn robots(
        &self,
        url: String,
        captured: Timestamp,
        fit: Fit,
        captures: &[CaptureAt],
        has_file: bool,
    ) -> (Dated, Option<Arc<Lines>>) {
        let mut dated = Dated::new(url, captured, fit);
        let mut lines = None;
        for (number, (key, at)) in captures.iter().enumerate() {
            let known = self.robots.get(key).map_or(&[][..], Vec::as_slice);
            let first = known.partition_point(|(time, _)| time < at);
            let of_time = known[first..].iter().take_while(|(time, _)| time == at);
            let says = |capture: &Robotstxt| {
                let digest = capture.body.as_ref().map(|(hash, _)| *hash);
                (digest, capture.says_none)
            };
            let is_file = has_file && number + 1 == captures.len();
            // Of two of the same time the later one in the archives counts.
            let is_wanted = |(_, one): &&(_, Robotstxt)| one.body.is_some() == is_file;
            let found = of_time.clone().filter(is_wanted).last().or(of_time.clone().last());
            let Some((_, found)) = found else { continue };
            let mut others = of_time.map(|(_, other)| says(other));
            if others.any(|other| other != says(found) && other != (None, false)) {
                dated.doubt = Some(Note::DocumentsDiffer);
            }
            dated.answers.push(found.answer);
            dated.place = Some(found.place.clone());
            dated.sha256 = found.body.as_ref().map(|(hash, _)| hash.to_string());
            lines = found.body.as_ref().map(|(_, lines)| Arc::clone(lines));
            if is_file && *key != captures[0].0 {
                // A redirect led there.
                dated.captured = *at;
            }
        }
        (dated, lines)
    }

    /// Whether the archives have a record of a URL that could not be read.
    pub(super) fn has_damaged(&self, url: &str) -> bool {
        !self.damaged.is_empty() && address(url).is_some_and(|url| self.damaged.contains(&url))
    }

    /// Adds the document to `documents` that was in force at an address when a page was fetched. A redirect leads to
    /// the answer that is nearest to it in time, or to what was in force at the time `target_at`. One to what could not
    /// be read is a failure, and so is a tdmrep.json that is none; what was in force before a failure goes on to reserve.
    pub(super) fn add(
        &self,
        documents: &mut Documents,
        address: &str,
        at: Option<Timestamp>,
        target_at: Option<Timestamp>,
    ) -> Option<Dated> {
        let (mut found, mut lost) = self.follow(documents, address, at, target_at, false);
        for _ in 0..MOST_LOST {
            let Some(before) = lost.and_then(|lost| lost.0.checked_sub(1)) else { break };
            let earlier = self.follow(documents, address, Some(Timestamp(before)), target_at, true);
            if earlier.0.is_none() {
                break;
            }
            documents.add_not_read(address);
            (found, lost) = earlier;
        }
        found
    }

    /// Follows redirects from an address to the document that was in force there, and adds it: to the
    /// last one until then, if it `is_older` than what was in force for the page. Returns what was found on the way,
    /// and the time of the first capture if what it, or the last redirect, led to could not be read.
    fn follow(
        &self,
        documents: &mut Documents,
        address: &str,
        source_at: Option<Timestamp>,
        target_at: Option<Timestamp>,
        is_older: bool,
    ) -> (Option<Dated>, Option<Timestamp>) {
        let (mut next, mut redirects) = (address.to_owned(), 0);
        let (mut found, mut first): (Option<Dated>, Option<Timestamp>) = (None, None);
        loop {
            if self.damaged.contains(&next) {
                documents.add_not_read(address);
            }
            let Some(known) = self.by_address.get(&next).filter(|_| redirects <= MAX_HOPS) else {
                // What a redirect leads to and the archives do not have may be there.
                if redirects > 0 || self.has_lost_tdm && is_tdm(address) {
                    documents.add_not_read(address);
                }
                return (found, first);
            };
            let versions = &known.versions;
            let at = match &found {
                // As for robots.txt.
                Some(first) => target_at.or_else(|| versions.nearest(first.captured)),
                None => source_at,
            };
            let in_force = match at.filter(|_| is_older && redirects == 0) {
                Some(until) => versions.last(&Protocol::RFC9309, until).zip(Some(Fit::Older)),
                None => versions.in_force(&Protocol::RFC9309, at),
            };
            let in_force = in_force.filter(|(settled, _)| match settled.said {
                Some(Answer::File(_)) => true,
                Some(Answer::Status(status)) => has_none(status),
                _ => false,
            });
            if in_force
                .as_ref()
                .is_none_or(|(settled, fit)| versions.is_doubtful(settled.captured.at, *fit, at))
            {
                documents.add_not_read(address);
            }
            let Some((settled, fit)) = in_force else { return (found, first) };
            let captured = settled.captured.at;
            let began = *first.get_or_insert(captured);
            let page = at.filter(|_| found.is_none() && target_at.is_none() && !is_older);
            let before = versions.before_second(&Protocol::RFC9309, captured, page);
            let is_unclear = before.is_some_and(|before| before.of.1.differs(&settled.of.1));
            let doubt =
                (is_unclear || known.differ.contains(&captured)).then_some(Note::DocumentsDiffer);
            let mut dated = found.unwrap_or_else(|| Dated::new(address.to_owned(), captured, fit));
            dated.doubt = dated.doubt.or(doubt);
            let (answer, step) = settled.of;
            dated.answers.extend(known.again.get(&captured));
            dated.answers.push(answer);
            if let Step::Document(document) = &step {
                dated.place = Some(document.place.clone());
                let digest = || ContentHash::of(&document.bytes).to_string();
                dated.sha256 = Some(document.sha256.get_or_init(digest).clone());
                dated.captured = captured;
            }
            found = Some(dated);
            match step {
                Step::Document(document) => {
                    let read = || Documents::new().with(address, &document.bytes);
                    let own;
                    let read = if redirects == 0 {
                        document.read.get_or_init(read)
                    } else {
                        own = self.redirected(address, &document, read);
                        &own
                    };
                    documents.add_all(read);
                    return (found, read.has_invalid().then_some(began));
                }
                Step::Redirect(to) => (next, redirects) = (to.to_string(), redirects + 1),
                Step::SomethingElse => {
                    documents.add(address, b"");
                    return (found, None);
                }
                Step::Absent => return (found, None),
            }
        }
    }

    /// A document as that of an address that redirects to it: its address is its name.
    fn redirected(
        &self,
        address: &str,
        document: &Arc<File>,
        read: impl FnOnce() -> Documents,
    ) -> Documents {
        let key = (address.to_owned(), Arc::as_ptr(document).addr());
        let mut redirected = self.redirected.lock().unwrap_or_else(PoisonError::into_inner);
        redirected.entry(key).or_insert_with(read).clone()
    }

    /// The times after that of a page at which an address, or one to which it redirects, had another document, the newest
    /// first; and whether something that it had since is not known.
    pub(super) fn after(&self, address: &str, at: Timestamp) -> (Vec<Timestamp>, bool) {
        let (mut times, mut is_lost) = (Vec::new(), false);
        let mut addresses = vec![Arc::from(address)];
        let mut next = 0;
        while let Some(address) = addresses.get(next).cloned() {
            next += 1;
            let Some(History { versions, .. }) = self.by_address.get(&*address) else {
                is_lost |= next > 1;
                continue;
            };
            is_lost |= versions.is_lost_between(at, None);
            let before = versions.in_force(&Protocol::RFC9309, Some(at));
            let before = before.as_ref().map(|(settled, _)| &settled.of);
            let mut newer: Option<*const File> = None;
            let since = versions.files_after(at).map(|(at, of)| (Some(at), of));
            for (at, (_, step)) in since.chain(before.map(|of| (None, of))) {
                match step {
                    Step::Document(document) => {
                        let document = Arc::as_ptr(document);
                        // Of one that stays, the first time counts.
                        if newer.replace(document) == Some(document) && at.is_some() {
                            times.pop();
                        }
                    }
                    Step::Redirect(to) => {
                        newer = None;
                        match addresses.contains(to) {
                            false if addresses.len() < MOST_LED => addresses.push(Arc::clone(to)),
                            is_known => is_lost |= !is_known,
                        }
                    }
                    Step::SomethingElse | Step::Absent => continue,
                }
                times.extend(at);
            }
        }
        times.sort_unstable_by_key(|at| std::cmp::Reverse(*at));
        times.dedup();
        (times, is_lost)
    }
}

/// What a capture of an address says of the document there.
#[derive(Debug)]
enum Said {
    Document(Answer, Vec<u8>),
    /// An absolute address.
    Redirect(String),
    /// Something that is no licence.
    SomethingElse,
    /// There is none, or it is as before.
    Other(Answer),
    /// Nothing: an error, a part of an answer, a body that cannot be read.
    Failure,
}

/// A record, and the digest of the answer in it ([`Payloads::digest`]).
#[derive(Debug)]
struct Place {
    record: RecordPlace,
    digest: ContentHash,
}

/// The captures of an address.
#[derive(Debug, Default)]
struct Captured(Vec<(Timestamp, Place, Said)>);

impl Captured {
    /// The bytes of its documents.
    fn len(&self) -> usize {
        self.0.iter().map(|(.., said)| said.len()).sum()
    }

    fn dated(mut self, count: &mut usize) -> History {
        // Of two of the same time the later one in the archives counts, as for robots.txt.
        self.0.sort_by_key(|(at, ..)| *at);
        let (mut versions, mut again) = (Versions::default(), HashMap::new());
        let mut differ = HashSet::new();
        let mut before = None;
        for (at, _, said) in self.0.iter().filter(|(.., said)| said.is_of_file()) {
            if before
                .replace((at, said))
                .is_some_and(|(of, before)| of == at && said.differs(before))
            {
                differ.insert(*at);
            }
        }
        let mut last: Option<Arc<File>> = None;
        for (at, Place { record: place, digest }, said) in self.0 {
            let (said, step) = match said {
                Said::Document(answer, body) => {
                    let document = match last.take().filter(|last| last.bytes == body) {
                        Some(last) => last,
                        None => {
                            *count += 1;
                            Arc::new(File {
                                bytes: body,
                                place,
                                read: OnceLock::new(),
                                sha256: OnceLock::new(),
                            })
                        }
                    };
                    last = Some(Arc::clone(&document));
                    (Some(answer), Step::Document(document))
                }
                // For what it leads to.
                Said::Redirect(to) => (Some(Answer::File(None)), Step::Redirect(to.into())),
                Said::SomethingElse => (Some(Answer::Status(404)), Step::SomethingElse),
                Said::Other(answer) => (Some(answer), Step::Absent),
                Said::Failure => (None, Step::Absent),
            };
            if let Some(Answer::Unchanged(_)) = said {
                again.insert(at, digest);
            }
            versions.push(at, said.map(|said| (0, said)), (digest, step));
        }
        History { versions, again, differ }
    }
}

impl Place {
    fn of(response: &ResponseRecord<'_>, payloads: &Payloads) -> Place {
        Place { record: response.place.clone(), digest: payloads.digest(response) }
    }
}

impl Said {
    fn len(&self) -> usize {
        match self {
            Said::Document(_, body) => body.len(),
            Said::Redirect(to) => to.len(),
            Said::SomethingElse | Said::Other(_) | Said::Failure => 0,
        }
    }

    /// Returns true if it says what file there is, or that there is none.
    fn is_of_file(&self) -> bool {
        !matches!(self, Said::Other(Answer::Unchanged(_)) | Said::Failure)
    }

    /// Returns true if it says something else of the file. A redirect says nothing of its own.
    fn differs(&self, other: &Said) -> bool {
        match (self, other) {
            (Said::Document(_, own), Said::Document(_, other)) => own != other,
            (Said::Document(..), Said::SomethingElse | Said::Other(_))
            | (Said::SomethingElse | Said::Other(_), Said::Document(..)) => true,
            _ => false,
        }
    }
}

/// What is found in the archives.
#[derive(Default)]
struct Found {
    by_address: HashMap<String, Captured>,
    /// Addresses of licences.
    named: HashSet<String>,
    /// Captures.
    count: usize,
    bytes: usize,
    left_out: u64,
    has_lost_tdm: bool,
    damaged: HashSet<String>,
    damaged_bytes: usize,
    is_damaged: bool,
    robots: HashMap<Box<str>, Vec<(Timestamp, Robotstxt)>>,
    /// The lines of robots.txt files, each file once, and about the bytes that they take.
    lines: HashMap<ContentHash, Arc<Lines>>,
    line_bytes: usize,
}

/// What a response says of documents: of its own address, and which addresses it names.
#[derive(Default)]
struct Look {
    capture: Option<(String, Timestamp, Place, Said)>,
    names: Vec<String>,
    robots: Option<(Box<str>, Timestamp, Robotstxt)>,
    /// Its own address, if it repeats what it does not name.
    lost: Option<String>,
}

/// The documents that the archives have, each at the address that names it.
pub(super) fn documents(
    args: &RightsArgs,
    robots: &RobotsFiles,
    payloads: &Payloads,
) -> Result<Known, Failure> {
    let mut found = Found::default();
    found.read(args, |response| first_look(response, robots, payloads))?;
    // The addresses that stand for a document, and those that lead to one.
    let mut wanted: HashSet<String> =
        found.named.iter().filter(|name| !is_always_kept(name)).cloned().collect();
    let mut read: HashSet<String> = HashSet::new();
    for _ in 0..=MAX_HOPS {
        wanted.extend(found.redirects(&read));
        wanted.retain(|address| !read.contains(address) && !is_always_kept(address));
        if wanted.is_empty() {
            break;
        }
        for address in &wanted {
            let before = found.by_address.remove(address).unwrap_or_default();
            found.bytes -= before.len();
            found.count -= before.0.len();
        }
        found.read(args, |response| second_look(response, &wanted, payloads))?;
        read.extend(std::mem::take(&mut wanted));
    }
    Ok(found.known())
}

impl Found {
    /// Reads the archives. What is damaged in them is told when the responses are judged, and noted for each: what was
    /// not read may have been a document.
    fn read(
        &mut self,
        args: &RightsArgs,
        look: impl Fn(&ResponseRecord<'_>) -> Look + Sync,
    ) -> Result<(), Failure> {
        let files = warc_files::opened(&args.warc);
        let weigh = |look: &Look| {
            let of_capture = look.capture.as_ref().map_or(0, |(.., said)| match said {
                Said::Document(_, body) => body.len(),
                _ => 0,
            });
            let body = look.robots.as_ref().and_then(|(.., robots)| robots.body.as_ref());
            let lines = body.map_or(0, |(_, lines)| lines.weight());
            128 + of_capture + lines + look.names.iter().map(String::len).sum::<usize>()
        };
        let look = |response: &ResponseRecord<'_>| Ok(look(response));
        let take = |item| {
            match item {
                ResponseItem::Made(Look { capture, names, robots, lost }) => {
                    lost.into_iter().for_each(|address| self.add_damaged(address));
                    if let Some((key, at, robots)) = robots {
                        self.add_robots(key, at, robots);
                    }
                    let room = MOST_DOCUMENTS.saturating_sub(self.named.len());
                    self.named.extend(names.into_iter().take(room));
                    if let Some((address, at, place, said)) = capture {
                        self.add(address, at, place, said);
                    }
                }
                // What has no address is no document.
                ResponseItem::Damaged { url: Some(url), .. } => {
                    address(&url).into_iter().for_each(|address| self.add_damaged(address));
                }
                ResponseItem::Damaged { .. } | ResponseItem::Unreadable(_) => {
                    self.is_damaged = true;
                }
            }
            Ok::<(), Failure>(())
        };
        let threads = args.threads.get();
        warc::read_responses(Answers::AndResources, files, threads, look, weigh, take, |_| ())?;
        Ok(())
    }

    /// Notes a record that could not be read. If there are too many, any document may be one of them.
    fn add_damaged(&mut self, address: String) {
        let bytes = address.len();
        if self.damaged_bytes + bytes > MOST_DAMAGED_BYTES {
            self.is_damaged = true;
        } else if self.damaged.insert(address) {
            self.damaged_bytes += bytes;
        }
    }

    fn add_robots(&mut self, key: Box<str>, at: Timestamp, mut robots: Robotstxt) {
        if let Some((hash, lines)) = &mut robots.body {
            *lines = match self.lines.get(hash) {
                Some(known) => Arc::clone(known),
                // What there is no room for is not quoted.
                None if self.line_bytes > MOST_LINE_BYTES => Arc::default(),
                None => {
                    self.line_bytes += lines.weight();
                    self.lines.insert(*hash, Arc::clone(lines));
                    Arc::clone(lines)
                }
            };
        }
        self.robots.entry(key).or_default().push((at, robots));
    }

    fn add(&mut self, address: String, at: Timestamp, place: Place, said: Said) {
        let is_known = self.by_address.contains_key(&address);
        let is_full = self.count >= MOST_DOCUMENTS || self.bytes + said.len() > MOST_DOCUMENT_BYTES;
        // What there is no room for counts as not read.
        let said = match said {
            Said::Document(..) if is_full => {
                self.left_out += 1;
                Said::Failure
            }
            said => said,
        };
        if is_full && !is_known {
            self.has_lost_tdm |= is_tdm(&address);
            return;
        }
        self.count += 1;
        self.bytes += said.len();
        self.by_address.entry(address).or_default().0.push((at, place, said));
    }

    /// Where the captures lead of those addresses that may stand for a document.
    fn redirects(&self, read: &HashSet<String>) -> Vec<String> {
        let leads = |address: &String| {
            self.named.contains(address) || read.contains(address) || is_tdm(address)
        };
        let captures = self.by_address.iter().filter(|(address, _)| leads(address));
        let said = captures.flat_map(|(_, captured)| &captured.0);
        let redirects = said.filter_map(|(.., said)| match said {
            Said::Redirect(to) => Some(to.clone()),
            _ => None,
        });
        redirects.collect()
    }

    fn known(self) -> Known {
        let mut count = 0;
        let dated = self.by_address.into_iter();
        let dated = dated.map(|(address, captured)| (address, captured.dated(&mut count)));
        let by_address = dated.collect();
        let redirected = Mutex::default();
        let mut robots = self.robots;
        robots.values_mut().for_each(|captures| captures.sort_by_key(|(at, _)| *at));
        let Found { left_out, has_lost_tdm, damaged, is_damaged, .. } = self;
        Known { by_address, redirected, robots, count, left_out, has_lost_tdm, damaged, is_damaged }
    }
}

/// Looks for documents that are known by their path or their type, and for names of others.
fn first_look(response: &ResponseRecord<'_>, robots: &RobotsFiles, payloads: &Payloads) -> Look {
    let mut look = Look::default();
    let fields = || response.headers().filter(|(name, _)| name.eq_ignore_ascii_case("link"));
    if fields().next().is_some() {
        let links = Response::new().with_headers(fields()).links;
        let of_rsl = links.iter().filter(|link| link.kind == LicenceKind::Rsl);
        look.names.extend(of_rsl.filter_map(|link| address(&link.url)));
    }
    let Some(own) = address(response.url) else { return look };
    if let Some(key) = robots.key(response.url, response.at) {
        look.lost = Some(own).filter(|_| response.repeats_nothing());
        let body = body_of(response, payloads, true);
        // What a revisit repeats is looked at where it stands.
        if let Some(body) = body.as_ref().filter(|_| response.repeats.is_none()) {
            look.names.extend(licences(body));
        }
        let body = body.map(|body| (ContentHash::of(&body), Arc::new(Lines::of(&body))));
        let answer = payloads.digest(response);
        let place = response.place.clone();
        let says_none = has_none(payloads.status(response));
        look.robots = Some((key, response.at, Robotstxt { place, body, answer, says_none }));
        return look;
    }
    let media_type = media_type(response.headers());
    let is = |wanted: &str| media_type.eq_ignore_ascii_case(wanted.as_bytes());
    let is_named = is_always_kept(&own) || is("application/rsl+xml");
    let may_be_rsl = is("application/xml")
        || is("text/xml")
        || is("text/plain")
        || is("application/octet-stream")
        || media_type.is_empty();
    if !is_named && !may_be_rsl {
        return look;
    }
    let is_tdm = is_tdm(&own);
    let mut said = said(response, payloads);
    if let Said::Document(_, body) = &said
        && !is_tdm
        && !is("application/rsl+xml")
        && !names_rsl(body)
    {
        if !is_named {
            return look;
        }
        // Anything else took its place.
        said = Said::SomethingElse;
    }
    if is_named || matches!(said, Said::Document(..)) {
        look.capture = Some((own, response.at, Place::of(response, payloads), said));
    }
    look
}

/// Looks for the documents at these addresses.
fn second_look(
    response: &ResponseRecord<'_>,
    wanted: &HashSet<String>,
    payloads: &Payloads,
) -> Look {
    let own = address(response.url).filter(|own| wanted.contains(own));
    let capture = own.map(|own| {
        let said = said(response, payloads);
        (own, response.at, Place::of(response, payloads), said)
    });
    Look { capture, ..Look::default() }
}

/// What a response says of the document at its address.
fn said(response: &ResponseRecord<'_>, payloads: &Payloads) -> Said {
    let answer = response.answer();
    if let SiteAnswer::Redirect(redirect) = &answer {
        return address(&redirect.to).map_or(Said::Failure, Said::Redirect);
    }
    match payloads.said(response, &answer) {
        Some(answer @ Answer::File(_)) => match body_of(response, payloads, false) {
            Some(body) => Said::Document(answer, body),
            None => Said::Failure,
        },
        Some(answer @ Answer::Unchanged(_)) => Said::Other(answer),
        Some(answer @ Answer::Status(status)) if has_none(status) => Said::Other(answer),
        _ => Said::Failure,
    }
}

/// The file that a response has, or that the record has which it repeats. What is cut counts only if it
/// `may_be_cut`.
fn body_of(
    response: &ResponseRecord<'_>,
    payloads: &Payloads,
    may_be_cut: bool,
) -> Option<Vec<u8>> {
    let status = payloads.status(response);
    if !has_file(status) && status != 304 {
        return None;
    }
    let is_part = is_part(response.headers(), status);
    let own = response.body().ok();
    let is_enough = |body: &Body| !body.is_broken && (may_be_cut || !body.is_cut && !is_part);
    let own = own.filter(|body| status != 304 && is_enough(body));
    let repeated = || {
        let payload = payloads.of(response)?;
        payload.document.clone().filter(|_| payload.may_be_of(response.status))
    };
    // What is longer is no JSON, and no XML, and is found to be none.
    own.map(|body| body.bytes).or_else(repeated).map(|mut bytes| {
        bytes.truncate(MOST_BYTES_OF_ONE);
        bytes
    })
}

/// An address in the form by which captures are compared. `None` if it is no absolute URL. The file of TDMRep is
/// that of an origin, however its host is written.
pub(super) fn address(url: &str) -> Option<String> {
    let own = String::from(normal(url)?);
    Some(if is_tdm(&own) { tdm_of(&own).unwrap_or(own) } else { own })
}

/// Returns true if this is the address of a file of TDMRep.
fn is_tdm(address: &str) -> bool {
    address.ends_with(TDM_PATH) && origin_of_tdm(address).is_some()
}

/// The address of the file of TDMRep for a page.
pub(super) fn tdm_of(page: &str) -> Option<String> {
    Some(format!("{}{TDM_PATH}", Origin::of(page).ok()?.key()))
}

/// Returns true if all captures of an address are kept in the first look.
fn is_always_kept(address: &str) -> bool {
    is_tdm(address) || Url::parse(address).is_ok_and(|url| url.path().ends_with(".xml"))
}

/// The licences that a robots.txt names, to whomever.
fn licences(file: &[u8]) -> Vec<String> {
    let lines = RightsLines::of(&Robots::parse(file, &Profile::RFC9309)).lines;
    let licences = lines.into_iter().filter(|line| line.field == RightsField::License);
    licences.filter_map(|line| str::from_utf8(line.value).ok().and_then(address)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use robotsieve_rights::{Purpose, RightsReader, Ruling};

    use super::*;

    /// A file of TDMRep that there was no room for may have reserved rights.
    #[test]
    fn what_there_is_no_room_for_is_not_read() {
        let place = || {
            let record = RecordPlace { file: Arc::from(Path::new("a.warc")), at: At::Whole };
            Place { record, digest: ContentHash::of(b"") }
        };
        let ruling = |address: &str, count| {
            let mut found = Found { count, ..Found::default() };
            found.add(address.to_owned(), Timestamp(1), place(), Said::Failure);
            let mut documents = Documents::new();
            let tdm = tdm_of("https://e.com/a").unwrap();
            found.known().add(&mut documents, &tdm, Some(Timestamp(2)), None);
            let yes = Response::new().with_headers([("Content-Signal", "ai-train=yes")]);
            let reader = RightsReader::new(&"a".into());
            let rights = reader.rights("https://e.com/a", None, &yes, &documents).unwrap();
            rights.ruling(Purpose::AiTrain)
        };
        let (tdm, other) =
            ("https://f.com/.well-known/tdmrep.json", "https://f.com/a/.well-known/tdmrep.json");
        assert_eq!(ruling(tdm, 0), Ruling::Allow);
        assert_eq!(ruling(tdm, MOST_DOCUMENTS), Ruling::Unknown);
        assert_eq!(ruling(other, MOST_DOCUMENTS), Ruling::Allow);
    }
}

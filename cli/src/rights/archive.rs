//! `robotsieve rights --warc`: the rights of each response in archives.
//!
//! The files are read three times: for what their robots.txt files say, which becomes a pack; for the
//! documents that say more (tdmrep.json, RSL), once more for those whose address alone names them; and for the responses themselves, each judged by the
//! thread that reads it.

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
#[cfg(feature = "parquet")]
use std::io::IsTerminal;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use robotsieve::{Crawler, Origin, Profile, SiteKind};
use robotsieve_captures::warc::{self, Answers, ResponseItem, ResponseRecord};
use robotsieve_captures::{At, Fit};
use robotsieve_client::Timestamp;
use robotsieve_client::report::rfc3339;
use robotsieve_report::{
    RightsBasis, RightsSettings, RightsSources, decides, notes_of_capture, quotes, versions,
};
use robotsieve_rights::{
    Documents, LicenceKind, LicenceLink, Note, Place, Purpose, Response, Rights, RightsReader,
    RobotsRights, RobotsTag, TagRule,
};
use serde_json::Value;

use super::args::{AsOfDocuments, RightsArgs, RightsFormat};
use super::documents::{Dated, Known, Lines, address, documents, tdm_of};
use super::page::{is_of_page, is_part, media_type, page_of};
use super::payloads::{Payload, Payloads};
use super::robots::{RobotsAt, RobotsFiles, RobotsInForce};
use super::row::{Page, Printed, Record, Row, is_of};
use super::verify::Verification;
use crate::error::{Failure, Status};
use crate::options::Agent;
use crate::read::stdin;
use crate::read::warc_files::{self, Damage, tell_unreadable};
use crate::write::bytes::shown;
use crate::write::progress::{Bar, Measure};
use crate::write::stderr;
use crate::write::stdout::{self, Stdout};

/// Prints the rights of all responses.
pub fn run(
    args: &RightsArgs,
    agent: &Agent,
    crawler: &Crawler,
    reader: &RightsReader,
    profile: &Profile,
    verification: Option<Verification>,
) -> Result<Status, Failure> {
    let start = Instant::now();
    match args.format {
        Some(RightsFormat::Text | RightsFormat::Json) => {
            return Err(Failure::Usage(
                "--warc prints one row for each response: give --format jsonl or parquet, or leave it out".to_owned(),
            ));
        }
        #[cfg(not(feature = "parquet"))]
        Some(RightsFormat::Parquet) => {
            return Err(Failure::Usage(
                "cannot write Parquet: this robotsieve was built without it; 'cargo install \
                 robotsieve-cli --features parquet' builds one with it"
                    .to_owned(),
            ));
        }
        #[cfg(feature = "parquet")]
        Some(RightsFormat::Parquet) if io::stdout().is_terminal() => {
            return Err(Failure::Usage(
                "Parquet is not for a terminal: write it to a file with '> FILE'".to_owned(),
            ));
        }
        _ => {}
    }
    let names = &args.warc;
    stdin::at_most_once(names)?;
    let is_pipe = |name: &&OsString| {
        stdin::is_meant(name) || std::fs::metadata(name).is_ok_and(|found| !found.is_file())
    };
    if let Some(pipe) = names.iter().find(is_pipe) {
        return Err(Failure::Usage(format!(
            "WARC files are read several times, and '{}' is not a regular file: save it as one first",
            shown(pipe.as_encoded_bytes())
        )));
    }
    let folder = tempfile::tempdir();
    let folder = folder.map_err(|cause| Failure::io("cannot make a temporary folder", cause))?;
    let mut faults = Faults::default();
    let references = Arc::new(Mutex::default());
    let robots = RobotsFiles::read(args, crawler, profile, folder.path(), &references)?;
    faults.0 |= robots.faults > 0;
    let references =
        std::mem::take(&mut *references.lock().unwrap_or_else(PoisonError::into_inner));
    let payloads = Payloads::read(args, references)?;
    let documents = documents(args, &robots, &payloads)?;
    let Known { count, left_out, .. } = documents;
    if left_out > 0 {
        faults.0 = true;
        stderr::error(&format_args!(
            "left out {left_out} licences and tdmrep.json files, because there are too many: they count as \
             not read"
        ));
    }
    let agent = shown(agent.text.as_encoded_bytes());
    let is_of_newest = args.as_of_documents == AsOfDocuments::Newest;
    let mut settings = RightsSettings::new(
        agent,
        profile.name().unwrap_or_default(),
        args.reading.as_str(),
        args.vocabulary().version(),
    );
    settings.as_of = is_of_newest.then_some("newest");
    settings.and_later_refusals = args.and_later_refusals;
    let judge = Judge {
        settings: settings.into(),
        now: args.now.map_or_else(Timestamp::now, |now| now.0),
        reader,
        robots,
        documents,
        payloads,
        with_later_refusals: args.and_later_refusals,
        is_of_newest,
    };
    if let Some(mut verification) = verification {
        let value = |row: Row| row.merged();
        let weigh = |_: &Value| 2048;
        let look = |row: Value| {
            verification.compare(&row);
            Ok(())
        };
        judge.each(args, &mut faults, value, weigh, look)?;
        return verification.tell(faults.0);
    }
    let written = match args.format {
        #[cfg(feature = "parquet")]
        Some(RightsFormat::Parquet) => {
            super::parquet::write(|act| judge.each(args, &mut faults, Ok, super::row::weight, act))
        }
        _ => {
            let mut out = io::BufWriter::with_capacity(1 << 16, Stdout::new());
            let line = |row: Row| {
                let mut line =
                    serde_json::to_vec(&row.record).map_err(|cause| cause.to_string())?;
                line.push(b'\n');
                Ok((row.record.basis, row.line, line))
            };
            let weigh = |(_, basis, line): &(String, String, Vec<u8>)| basis.len() + line.len();
            // Each basis once, before the records that name it.
            let mut written: HashSet<String> = HashSet::new();
            let print = |(digest, basis, line): (String, String, Vec<u8>)| {
                if written.insert(digest) {
                    out.write_all(basis.as_bytes()).map_err(stdout::failed)?;
                }
                out.write_all(&line).map_err(stdout::failed)
            };
            judge
                .each(args, &mut faults, line, weigh, print)
                .and_then(|count| out.flush().map(|()| count).map_err(stdout::failed))
        }
    };
    let Printed { responses, rows, without_body } = written?;
    if without_body > 0 {
        let are = if without_body == 1 { "revisit" } else { "revisits" };
        stderr::note(&format_args!(
            "{without_body} {are}: the records with their bodies are not here, are not 2xx, or state another digest or none, so their pages count as unreadable"
        ));
    }
    if responses == 0 && !faults.0 {
        faults.0 = true;
        stderr::error(
            &"the files have no responses, so nothing is judged: give WARC files with the answers of sites, \
             not WET files, which have only text",
        );
    }
    let printed = args.only.map_or_else(String::new, |_| format!(" printed {rows}"));
    stderr::note(&format_args!(
        "responses {responses}{printed} documents {count} seconds {:.3}",
        start.elapsed().as_secs_f64()
    ));
    Ok(if faults.0 { Status::Failed } else { Status::Done })
}

/// True if something was left out. What that is was told.
#[derive(Default)]
struct Faults(bool);

/// The most later files of robots.txt, and the most later times of other documents, that are asked for later
/// refusals: the newest.
const MOST_LATER: usize = 64;

/// The most documents that a basis names, and the bytes of their addresses and files.
const MOST_RECORDED: usize = 64;
const MOST_RECORDED_BYTES: usize = 16 << 10;

/// Judges responses.
struct Judge<'j> {
    settings: Arc<RightsSettings>,
    now: Timestamp,
    reader: &'j RightsReader,
    robots: RobotsFiles,
    documents: Known,
    payloads: Payloads,
    with_later_refusals: bool,
    /// True if the newest captures count, whenever the page was fetched.
    is_of_newest: bool,
}

impl Judge<'_> {
    /// Calls `act` with what `make` makes of each response, in the order of the archives.
    fn each<T: Send>(
        &self,
        args: &RightsArgs,
        faults: &mut Faults,
        make: impl Fn(Row) -> Result<T, String> + Sync,
        weigh: impl Fn(&T) -> usize + Sync,
        mut act: impl FnMut(T) -> Result<(), Failure>,
    ) -> Result<Printed, Failure> {
        let known: Option<u64> =
            args.warc.iter().map(|name| Some(std::fs::metadata(name).ok()?.len())).sum();
        let bar = Bar::new(args.progress.progress, Measure::Bytes(known));
        let (mut printed, mut damage) = (Printed::default(), Damage::default());
        let is_asked_for = |row: &Record| {
            let (only, purpose) = (args.only, args.purpose.unwrap_or(Purpose::Crawl));
            only.is_none_or(|only| is_of(row, only, purpose))
        };
        let look = |response: &ResponseRecord<'_>| {
            let row = self.row(response)?;
            let has_no_body = response.repeats.is_some() && row.record.page == Page::Unreadable;
            let made = if is_asked_for(&row.record) { Some(make(row)?) } else { None };
            Ok((made, has_no_body))
        };
        let weigh = |(made, _): &(Option<T>, bool)| made.as_ref().map_or(0, &weigh);
        let take = |item: ResponseItem<(Option<T>, bool)>| {
            match item {
                ResponseItem::Made(made) => {
                    printed.responses += 1;
                    let (made, has_no_body) = made;
                    printed.without_body += u64::from(has_no_body);
                    printed.rows += u64::from(made.is_some());
                    made.map_or(Ok(()), &mut act)?;
                }
                ResponseItem::Damaged { place, what, .. } => damage.tell(&place, &what),
                ResponseItem::Unreadable(unreadable) => tell_unreadable(unreadable),
            }
            Ok::<(), Failure>(())
        };
        let files = warc_files::opened(&args.warc);
        let (with, threads) = (Answers::Responses, args.threads.get());
        let counts =
            warc::read_responses(with, files, threads, look, weigh, take, |bytes| bar.add(bytes))?;
        bar.end();
        faults.0 |= counts.damaged + counts.unreadable > 0;
        Ok(printed)
    }

    fn row(&self, record: &ResponseRecord<'_>) -> Result<Row, String> {
        let payload = self.payloads.of(record);
        let status = self.payloads.status(record);
        let (page, response) = self.response(record, payload, status);
        let origin = Origin::of(record.url).map_err(|error| error.to_string())?;
        let at = (!self.is_of_newest).then_some(record.at);
        let in_force = self.in_force(record, &origin, &response, at)?;
        let InForce { robots, documents, mut dated, lines } = in_force;
        let rules = robots.as_ref().and_then(|robots| robots.rights.as_ref());
        let rights = self.reader.rights(record.url, rules, &response, &documents);
        let mut rights = rights.map_err(|error| error.to_string())?;
        let holds = robots.as_ref().map(|robots| robots.holds);
        let fits = dated.iter().filter(|_| !self.is_of_newest).map(|one| one.fit.as_str());
        let of_capture = notes_of_capture(holds.map(SiteKind::as_str), page, fits);
        let doubts = dated.iter().filter_map(|one| one.doubt);
        let of_archives = self.documents.is_damaged.then_some(Note::ArchiveDamaged);
        for note in of_capture.iter().chain(doubts).chain(of_archives) {
            rights = rights.with_note(note);
        }
        let is_lost = robots.as_ref().is_some_and(|robots| robots.is_lost || robots.differs)
            || self.documents.has_damaged(&origin.robots_url());
        if self.documents.is_damaged || is_lost {
            rights = rights.with_crawl_unknown();
        }
        let mut quotes = quoted(record, &rights, lines.as_deref(), &response, &documents);
        if self.with_later_refusals && !self.is_of_newest {
            let later = self.later(record, &origin, &response, rules, rights, &mut dated)?;
            let later_quotes;
            (rights, later_quotes) = later;
            for (place, quote) in later_quotes {
                quotes.entry(place).or_insert(quote);
            }
            quotes.retain(|place, _| decides(&rights, |by| by.to_string() == *place));
        }
        let compares_now = |tag: &RobotsTag| matches!(tag.rule, TagRule::UnavailableAfter(_));
        let mut bytes = 0;
        let is_kept = |one: &&Dated| {
            bytes += one.weight();
            bytes <= MOST_RECORDED_BYTES
        };
        let kept = dated.iter().take(MOST_RECORDED).take_while(is_kept).count().max(1);
        if dated.len() > kept {
            dated.truncate(kept);
            rights = rights.with_note(Note::Cut);
        }
        let basis = RightsBasis {
            settings: Arc::clone(&self.settings),
            versions: versions(&rights),
            quotes,
            documents: dated.iter().map(Dated::row).collect(),
        };
        let record = Record {
            now: response.tags.iter().any(compares_now).then(|| rfc3339(self.now)),
            basis: String::new(),
            sha256: self.payloads.digest(record).to_string(),
            url: record.url.to_owned(),
            captured: rfc3339(record.at),
            status,
            file: record.place.file.display().to_string(),
            offset: match record.place.at {
                At::Byte(offset) => Some(offset),
                At::Whole | At::Line(_) => None,
            },
            robots: holds.map(SiteKind::as_str),
            page,
            age_seconds: dated.iter().map(|one| one.age(record.at)).collect(),
            rights,
        };
        Row::new(record, basis)
    }

    /// What was read of the page, and what it says with its header. Status and header of a revisit are its
    /// own; only what it lacks, and the body, are those of the record that it repeats.
    fn response(
        &self,
        record: &ResponseRecord<'_>,
        payload: Option<&Payload>,
        status: u16,
    ) -> (Page, Response) {
        let own = |name: &str| record.headers().any(|(known, _)| known.eq_ignore_ascii_case(name));
        // RFC 9111, section 4.3.4: what a 304 does not say holds as before.
        let inherited = payload.filter(|_| matches!(record.status, 0 | 304)).map(|payload| {
            let fields = payload.headers.iter().filter(|(name, _)| !own(name));
            fields.map(|(name, value)| (&**name, &**value))
        });
        let headers: Vec<(&str, &[u8])> =
            record.headers().chain(inherited.into_iter().flatten()).collect();
        let fields = || headers.iter().copied();
        let with_header = Response::new().with_headers(fields());
        let (page, response) = page_of(fields(), status, with_header, || record.body());
        match payload {
            Some(_) if page == Page::Unreadable && is_part(fields(), record.status) => {
                (Page::Cut, response)
            }
            Some(repeated @ Payload { page: (of_payload, html), .. })
                if page == Page::Unreadable
                    && (*of_payload != Page::NotHtml || !is_of_page(media_type(fields())))
                    && repeated.may_be_of(record.status) =>
            {
                let response = html.clone().with_headers(fields());
                match response.has_unread_page() {
                    true => (Page::Unreadable, response),
                    false => (*of_payload, response),
                }
            }
            _ => (page, response),
        }
    }

    /// The robots.txt and the documents that were in force for a response at a time.
    fn in_force(
        &self,
        record: &ResponseRecord<'_>,
        origin: &Origin<'_>,
        response: &Response,
        at: Option<Timestamp>,
    ) -> Result<InForce, String> {
        let robots = self.robots.in_force(origin, at).map_err(|error| error.to_string())?;
        let mut dated = Vec::new();
        let mut lines = None;
        if let Some(robots) = &robots {
            let RobotsInForce { holds, captured, fit, captures, is_doubtful, differs, .. } = robots;
            let (url, has_file) = (origin.robots_url(), *holds == SiteKind::Rules);
            let is_doubtful = *is_doubtful || self.documents.has_damaged(&url);
            let mut found = self.documents.robots(url, *captured, *fit, captures, has_file);
            let doubts = [
                differs.then_some(Note::DocumentsDiffer),
                is_doubtful.then_some(Note::RobotsNotRead),
            ];
            found.0.doubt = doubts.into_iter().fold(found.0.doubt, Option::or);
            dated.push(found.0);
            lines = found.1;
        }
        let rules = robots.as_ref().and_then(|robots| robots.rights.as_ref());
        let mut documents = Documents::new();
        for address in addresses(record, rules, response) {
            dated.extend(self.documents.add(&mut documents, &address, at, None));
        }
        // A redirect may lead to a capture from after the page, and the newest capture may be one.
        for one in dated.iter_mut().filter(|one| one.captured > record.at) {
            one.fit = Fit::Later;
        }
        Ok(InForce { robots, documents, dated, lines })
    }

    /// Adds what the owner refused after the page was fetched: in a later robots.txt, or in a later document. With
    /// the words of the refusals.
    fn later(
        &self,
        record: &ResponseRecord<'_>,
        origin: &Origin<'_>,
        response: &Response,
        rules: Option<&RobotsRights<'_>>,
        mut rights: Rights,
        dated: &mut Vec<Dated>,
    ) -> Result<(Rights, BTreeMap<String, String>), String> {
        let mut words = BTreeMap::new();
        let later = self.robots.after(origin, record.at, MOST_LATER + 1);
        let later = later.map_err(|error| error.to_string())?;
        if later.len() > MOST_LATER || self.robots.is_lost_after(origin, record.at) {
            rights = rights.with_note(Note::RobotsNotRead);
        }
        let later = later.into_iter().take(MOST_LATER);
        let mut versions: Vec<(Timestamp, Option<RobotsAt>)> =
            later.map(|robots| (robots.at, Some(robots))).collect();
        let mut times = Vec::new();
        for address in addresses(record, rules, response) {
            let (of_address, is_lost) = self.documents.after(&address, record.at);
            times.extend(of_address);
            if is_lost {
                rights = rights.with_note(Note::FileNotRead);
            }
        }
        times.sort_unstable_by_key(|at| std::cmp::Reverse(*at));
        times.dedup();
        if times.len() > MOST_LATER {
            rights = rights.with_note(Note::FileNotRead);
        }
        versions.extend(times.into_iter().take(MOST_LATER).map(|at| (at, None)));
        for (at, robots) in versions {
            let rules = robots.as_ref().map(|robots| &robots.rights).or(rules);
            let mut documents = Documents::new();
            let mut named = Vec::new();
            for address in addresses(record, rules, response) {
                named.extend(self.documents.add(&mut documents, &address, Some(at), Some(at)));
            }
            let then = self.reader.rights(record.url, rules, response, &documents);
            let then = then.map_err(|error| error.to_string())?;
            let before = rights.clone();
            let of_robots = LazyCell::new(|| {
                let RobotsAt { captures, .. } = robots.as_ref()?;
                let url = origin.robots_url();
                let (mut document, lines) =
                    self.documents.robots(url, at, Fit::Later, captures, true);
                // A later redirect may lead to what was captured before the page.
                if document.captured <= record.at {
                    document.captured = at;
                }
                Some((document, lines))
            });
            let captured = |place: &Place| {
                let address = match place {
                    Place::Robots { .. } => {
                        let (document, _) = of_robots.as_ref()?;
                        return Some(time(document.captured));
                    }
                    Place::TdmFile { .. } => tdm_of(record.url),
                    Place::Rsl { document, .. } => address(document),
                    _ => None,
                }?;
                let document = named.iter().find(|one: &&Dated| one.address == address)?;
                (document.captured > record.at).then(|| time(document.captured))
            };
            rights = rights.with_refusals(&then, captured);
            let is_refused = rights != before;
            // What is said later and cannot be read may be a refusal.
            for note in then.notes().iter().filter(|note| !note.withholds().is_empty()) {
                rights = rights.with_note(note);
            }
            if is_refused {
                rights = rights.with_note(Note::LaterRefusal);
                let lines = of_robots.as_ref().and_then(|(_, lines)| lines.clone());
                dated.extend(of_robots.as_ref().map(|(document, _)| document.clone()));
                let quotes = quoted(record, &then, lines.as_deref(), response, &documents);
                for statement in then.purposes().flat_map(|purpose| then.by(purpose)) {
                    let place = statement.place.to_string();
                    if let Some(quote) = quotes.get(&place) {
                        let place = statement.place.clone().later(captured).to_string();
                        words.entry(place).or_insert_with(|| quote.clone());
                    }
                }
                for mut one in named.into_iter().filter(|one| one.captured > record.at) {
                    one.fit = Fit::Later;
                    if !dated.contains(&one) {
                        dated.push(one);
                    }
                }
            }
        }
        Ok((rights, words))
    }
}

/// A time as the places of later documents have it.
fn time(at: Timestamp) -> Arc<str> {
    rfc3339(at).into()
}

/// What was in force for a response.
struct InForce {
    robots: Option<RobotsInForce>,
    documents: Documents,
    /// What of it the archives have, and of when.
    dated: Vec<Dated>,
    /// The lines of the robots.txt.
    lines: Option<Arc<Lines>>,
}

/// The words that decided.
fn quoted(
    record: &ResponseRecord<'_>,
    rights: &Rights,
    lines: Option<&Lines>,
    response: &Response,
    documents: &Documents,
) -> BTreeMap<String, String> {
    let of_header = decides(rights, |place| matches!(place, Place::Header { .. }));
    let fields = record.headers().filter(|_| of_header);
    let headers: Vec<_> = fields.map(|(name, value)| (name.into(), value.to_owned())).collect();
    let of_page = decides(rights, |place| matches!(place, Place::Html { .. }));
    let body = if of_page { record.body().ok() } else { None };
    let html = body.as_ref().map(|body| &body.bytes[..]);
    let line = |number| lines?.get(number).map(str::to_owned);
    let sources = RightsSources {
        headers: &headers,
        html,
        response: Some(response),
        documents: Some((documents, record.url.as_bytes())),
        ..RightsSources::default()
    };
    quotes(rights, line, &sources)
}

/// The addresses of the documents that may speak of a response beside robots.txt.
fn addresses(
    record: &ResponseRecord<'_>,
    rules: Option<&RobotsRights<'_>>,
    response: &Response,
) -> Vec<String> {
    let of_robots = rules.into_iter().flat_map(|rules| rules.licences().map(|(_, url)| url));
    let is_wanted =
        |link: &&LicenceLink| link.kind == LicenceKind::Rsl && link.is_of(record.url.as_bytes());
    let of_links = response.links.iter().filter(is_wanted);
    let named = of_robots.chain(of_links.map(|link| &*link.url)).filter_map(address);
    let mut all: Vec<String> = tdm_of(record.url).into_iter().chain(named).collect();
    let mut seen = HashSet::new();
    all.retain(|address| seen.insert(address.clone()));
    all
}

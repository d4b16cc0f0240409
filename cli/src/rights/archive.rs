//! `robotsieve rights --warc`: the rights of each response in archives.
//!
//! The files are read three times: for what their robots.txt files say, which becomes a pack; for the
//! documents that say more (tdmrep.json, RSL); and for the responses themselves, each judged by the
//! thread that reads it.

use std::collections::HashMap;
use std::ffi::OsString;
#[cfg(feature = "parquet")]
use std::io::IsTerminal;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use robotsieve::pack::Pack;
use robotsieve::{Config, Crawler, Origin, Profile};
use robotsieve_captures::At;
use robotsieve_captures::packs::{Judging, Making};
use robotsieve_captures::warc::{self, ResponseItem, ResponseRecord};
use robotsieve_client::Timestamp;
use robotsieve_client::report::rfc3339;
use robotsieve_rights::packed::PackRights;
use robotsieve_rights::{Documents, Response, RightsReader};
use url::Url;

use super::args::{RightsArgs, RightsFormat};
use super::row::{Page, Printed, Row};
use crate::error::{Failure, Status};
use crate::options::Agent;
use crate::pack::args::Seed;
use crate::pack::make::{make, tell_left_out};
use crate::pack::sources::Warc;
use crate::read::warc_files::{self, Damage, tell_unreadable};
use crate::read::{packs, stdin};
use crate::write::bytes::shown;
use crate::write::progress::{Bar, Measure};
use crate::write::stderr;
use crate::write::stdout::{self, Stdout};

/// The most documents that are kept, and their bytes.
const MOST_DOCUMENTS: usize = 1 << 20;
const MOST_DOCUMENT_BYTES: usize = 1 << 30;

/// The most bytes of a document. RSL documents that are longer are rejected anyway.
const MOST_BYTES_OF_ONE: usize = (4 << 20) + 1;

/// Prints the rights of all responses.
pub fn run(
    args: &RightsArgs,
    agent: &Agent,
    crawler: &Crawler,
    reader: &RightsReader,
    profile: &Profile,
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
    let pack = pack_of(args, crawler, profile, folder.path(), &mut faults)?;
    let documents = documents(args, &mut faults)?;
    let (agent, vocabulary) = (shown(agent.text.as_encoded_bytes()), args.vocabulary());
    let packed = PackRights::new(pack);
    let judge = Judge { agent, reader, pack, packed, documents: &documents, vocabulary };
    let written = match args.format {
        #[cfg(feature = "parquet")]
        Some(RightsFormat::Parquet) => {
            super::parquet::write(|act| judge.each(args, &mut faults, Ok, Row::weight, act))
        }
        _ => {
            let mut out = io::BufWriter::with_capacity(1 << 16, Stdout::new());
            let line = |row: Row| {
                let mut line = serde_json::to_vec(&row).map_err(|cause| cause.to_string())?;
                line.push(b'\n');
                Ok(line)
            };
            let print = |line: Vec<u8>| out.write_all(&line).map_err(stdout::failed);
            judge
                .each(args, &mut faults, line, Vec::len, print)
                .and_then(|count| out.flush().map(|()| count).map_err(stdout::failed))
        }
    };
    let Printed { responses, revisits } = written?;
    if revisits > 0 {
        let are = if revisits == 1 { "revisit" } else { "revisits" };
        stderr::note(&format_args!(
            "left out {revisits} {are}: what is repeated has a line of its own if it is here"
        ));
    }
    stderr::note(&format_args!(
        "responses {responses} documents {} seconds {:.3}",
        documents.len(),
        start.elapsed().as_secs_f64()
    ));
    Ok(if faults.0 { Status::Failed } else { Status::Done })
}

/// True if something was left out. What that is was told.
#[derive(Default)]
struct Faults(bool);

/// The policies and the lines about rights of all robots.txt files in the archives.
fn pack_of(
    args: &RightsArgs,
    crawler: &Crawler,
    profile: &Profile,
    folder: &Path,
    faults: &mut Faults,
) -> Result<&'static Pack<'static>, Failure> {
    let config = Config::default().with_keep_rights(true);
    let crawlers = vec![crawler.clone()];
    let making = Making { profile: *profile, crawlers, config, seed: Seed::default().get() };
    let source = Warc::open(args.warc.clone(), args.threads.get())?;
    let path = folder.join("robots.pack");
    let judging = Judging::of(profile, None);
    let how = (None, args.threads, args.progress.progress);
    let summary = make(&making, vec![Box::new(source)], &judging, &path, how);
    let summary = summary.map_err(|failure| match failure {
        Failure::Incomplete(_) => {
            Failure::Incomplete("nothing could be read: see the errors above".to_owned())
        }
        other => other,
    })?;
    tell_left_out(summary.counts());
    faults.0 |= summary.status() == Status::Failed;
    packs::open(&path)
}

/// Documents by their address.
struct Known {
    documents: Documents,
    count: usize,
}

impl Known {
    fn len(&self) -> usize {
        self.count
    }
}

/// The documents that the archives have: of several at one address the newest.
fn documents(args: &RightsArgs, faults: &mut Faults) -> Result<Known, Failure> {
    #[derive(Default)]
    struct Found {
        /// The newest capture; `None` for one that is no such document, which ends what an older one says.
        by_address: HashMap<String, (Timestamp, Option<Vec<u8>>)>,
        bytes: usize,
        left_out: u64,
    }
    let mut found = Found::default();
    let take = |item| {
        let ResponseItem::Made(Some((address, at, body))) = item else { return Ok(()) };
        let body: Option<Vec<u8>> = body;
        // Of two of the same time the later one in the archives counts, as for robots.txt.
        if found.by_address.get(&address).is_some_and(|(known, _)| *known > at) {
            return Ok(());
        }
        let bytes = body.as_ref().map_or(0, Vec::len);
        let is_full =
            found.by_address.len() >= MOST_DOCUMENTS || found.bytes + bytes > MOST_DOCUMENT_BYTES;
        // What is known of the address does not hold any more in any case.
        found.left_out += u64::from(is_full && body.is_some());
        let kept = if is_full { None } else { body };
        if !is_full || found.by_address.contains_key(&address) {
            found.bytes += kept.as_ref().map_or(0, Vec::len);
            let older = found.by_address.insert(address, (at, kept));
            found.bytes -= older.and_then(|(_, body)| body).map_or(0, |body| body.len());
        }
        Ok::<(), Failure>(())
    };
    // What is damaged is told when the responses are judged.
    let files = warc_files::opened(&args.warc);
    let look = |response: &ResponseRecord<'_>| Ok(document(response));
    let weigh = |made: &Option<Document>| {
        let body = made.as_ref().and_then(|(_, _, body)| body.as_ref());
        128 + body.map_or(0, Vec::len)
    };
    warc::read_responses(files, args.threads.get(), look, weigh, take, |_| ())?;
    if found.left_out > 0 {
        faults.0 = true;
        stderr::error(&format_args!(
            "left out {} licences and tdmrep.json files, because there are too many: they count as not \
             given",
            found.left_out
        ));
    }
    let mut known = Known { documents: Documents::new(), count: 0 };
    for (address, (_, body)) in found.by_address {
        if let Some(body) = body {
            known.documents.add(&address, &body);
            known.count += 1;
        }
    }
    Ok(known)
}

/// An address, the time of its capture, and the document that was captured. `None` for anything else
/// where one may have been before.
type Document = (String, Timestamp, Option<Vec<u8>>);

/// What a response says of tdmrep.json or of an RSL document. `None` if it is about neither.
fn document(response: &ResponseRecord<'_>) -> Option<Document> {
    let url = Url::parse(response.url).ok()?;
    let media_type = media_type(response);
    let is = |wanted: &str| media_type.eq_ignore_ascii_case(wanted.as_bytes());
    let is_tdm = url.path() == "/.well-known/tdmrep.json" && url.query().is_none();
    let is_rsl = is("application/rsl+xml");
    let may_be_rsl = is("application/xml") || is("text/xml") || url.path().ends_with(".xml");
    if !is_tdm && !is_rsl && !may_be_rsl {
        return None;
    }
    // What is cut is no JSON, and no XML, and is found to be none. A 206 is a part.
    let is_whole = (200..300).contains(&response.status) && response.status != 206;
    let body = if is_whole { response.body().ok() } else { None };
    let names_rsl = |body: &[u8]| memchr::memmem::find(body, b"rslstandard.org/rsl").is_some();
    let body = body.filter(|body| is_tdm || is_rsl || names_rsl(&body.bytes)).map(|body| {
        let mut bytes = body.bytes;
        bytes.truncate(MOST_BYTES_OF_ONE);
        bytes
    });
    Some((url.into(), response.at, body))
}

/// The media type of a response without its parameters; empty if it has none.
fn media_type<'r>(response: &'r ResponseRecord<'_>) -> &'r [u8] {
    let value = response.header("content-type").unwrap_or_default();
    value.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii()
}

/// Judges responses.
struct Judge<'j> {
    /// The crawler, as it was given.
    agent: String,
    reader: &'j RightsReader,
    pack: &'static Pack<'static>,
    packed: PackRights<'static>,
    documents: &'j Known,
    vocabulary: robotsieve_rights::Vocabulary,
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
        let look = |response: &ResponseRecord<'_>| make(self.row(response)?);
        let take = |item| {
            match item {
                ResponseItem::Made(made) => {
                    printed.responses += 1;
                    act(made)?;
                }
                ResponseItem::Damaged { place, what } => damage.tell(&place, &what),
                ResponseItem::Unreadable(unreadable) => tell_unreadable(unreadable),
            }
            Ok::<(), Failure>(())
        };
        let files = warc_files::opened(&args.warc);
        let counts = warc::read_responses(files, args.threads.get(), look, weigh, take, |bytes| {
            bar.add(bytes)
        })?;
        bar.end();
        faults.0 |= counts.damaged + counts.unreadable > 0;
        Ok(printed)
    }

    fn row(&self, record: &ResponseRecord<'_>) -> Result<Row, String> {
        let mut response = Response::new().with_headers(record.headers());
        let media_type = media_type(record);
        let is = |wanted: &str| media_type.eq_ignore_ascii_case(wanted.as_bytes());
        let says_html = is("text/html") || is("application/xhtml+xml");
        let page = if says_html || media_type.is_empty() {
            match record.body() {
                Ok(body) if !says_html && !begins_as_html(&body.bytes) => Page::NotHtml,
                Ok(body) => {
                    response = response.with_html(&body.bytes);
                    // A 206 is a part of the page.
                    if body.is_cut || record.status == 206 { Page::Cut } else { Page::Read }
                }
                Err(_) => Page::Unreadable,
            }
        } else {
            Page::NotHtml
        };
        let damaged = |error: robotsieve::pack::PackError| error.to_string();
        let origin = Origin::of(record.url).map_err(|error| error.to_string())?;
        let site = self.pack.get(&origin).map_err(damaged)?;
        let robots = match &site {
            Some(site) => self.packed.with_rules(site, 0, self.vocabulary).map_err(damaged)?,
            None => None,
        };
        let documents = &self.documents.documents;
        let rights = self.reader.rights(record.url, robots.as_ref(), &response, documents);
        Ok(Row {
            url: record.url.to_owned(),
            agent: self.agent.clone(),
            captured: rfc3339(record.at),
            status: record.status,
            file: record.place.file.display().to_string(),
            offset: match record.place.at {
                At::Byte(offset) => Some(offset),
                At::Whole | At::Line(_) => None,
            },
            robots: site.map(|site| site.kind().as_str()),
            page,
            rights: rights.map_err(|error| error.to_string())?,
        })
    }
}

/// Returns true if a body of no type may be HTML.
fn begins_as_html(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    body.trim_ascii_start().first() == Some(&b'<')
}

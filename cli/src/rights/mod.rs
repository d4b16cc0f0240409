//! `robotsieve rights`: prints what a URL may be used for, and who says so.

mod archive;
pub mod args;
mod documents;
mod page;
#[cfg(feature = "parquet")]
mod parquet;
mod payloads;
mod robots;
mod row;
mod verify;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::slice;

use robotsieve::Robots;
use robotsieve_client::Timestamp;
use robotsieve_report::{RightsReport, RightsSources};
use robotsieve_rights::{Documents, Note, Response, Rights, RightsReader, header_fields};
use url::Url;

use crate::error::{Failure, Status};
use crate::options::Agent;
use crate::read::policy::OperatorsNote;
use crate::read::{robots_file, small_input, stdin, urls};
use crate::write::bytes::shown;
use crate::write::stderr;
use crate::write::stdout::{self, Stdout};
use args::{RightsArgs, RightsFormat};
use documents::{address as address_of, tdm_of};
use verify::Verification;

/// Prints the rights of a URL.
pub fn run(mut args: RightsArgs) -> Result<Status, Failure> {
    let mut verification =
        args.verify.take().map(|name| Verification::read(&name, &mut args)).transpose()?;
    if let Some(done) = verification.take_if(|verification| verification.is_done()) {
        return done.tell(false);
    }
    let args = &args;
    let files: Vec<(&str, PathBuf)> =
        args.file.iter().map(|one| address_and_file(one)).collect::<Result<_, _>>()?;
    let named = [&args.robots, &args.headers, &args.html, &args.xmp].into_iter().flatten();
    stdin::at_most_once(named.chain(files.iter().map(|(_, file)| file)))?;
    let profile = args.profile.get();
    let agent = trimmed(args.agent.required()?);
    let crawler = agent.crawler(&profile)?;
    let mut reader =
        RightsReader::new(&crawler).with_reading(args.reading).with_vocabulary(args.vocabulary());
    let now = args.now.map_or_else(Timestamp::now, |now| now.0);
    if let Ok(now) = i64::try_from(now.0) {
        reader = reader.with_now(now);
    }
    if !args.warc.is_empty() {
        return archive::run(args, &agent, &crawler, &reader, &profile, verification);
    }
    if args.only.is_some() {
        return Err(Failure::Usage(
            "--only is for --warc: the rights of one URL are printed whatever they are".to_owned(),
        ));
    }
    // clap requires it.
    let url = args.url.as_deref().unwrap_or_default().as_encoded_bytes();
    if let Some(RightsFormat::Jsonl | RightsFormat::Parquet) = args.format {
        return Err(Failure::Usage(
            "--format jsonl and parquet are for --warc: give --format json for one URL".to_owned(),
        ));
    }

    let file = args.robots.as_deref().map(robots_file::rules).transpose()?;
    let robots = file.as_deref().map(|file| Robots::parse(file, &profile));
    if let (Some(name), Some(file), Some(robots)) = (&args.robots, &file, &robots) {
        robots_file::note_cut(name, file, robots);
        let name = robots_file::shown(name);
        OperatorsNote::of(slice::from_ref(&crawler), &profile)
            .look(file, &format_args!("'{name}'"));
    }
    let header = match &args.headers {
        Some(name) => header_fields(&read("header file", name)?).map_err(|invalid| {
            let (name, line) = (robots_file::shown(name), invalid.line);
            Failure::Usage(format!("{name}:{line}: {invalid}"))
        })?,
        None => Vec::new(),
    };
    let html = args.html.as_deref().map(|name| read("HTML file", name)).transpose()?;
    let mut documents = Documents::new();
    let mut given: HashMap<String, &str> = HashMap::new();
    for (address, name) in &files {
        let own = in_full(address, url);
        let known = given.insert(address_of(&own).unwrap_or_else(|| own.to_string()), address);
        if let Some(before) = known {
            return Err(Failure::Usage(format!(
                "--file '{}' and --file '{}' are for one address: give one of the two",
                shown(before.as_bytes()),
                shown(address.as_bytes())
            )));
        }
        documents.add(&own, &read("file", name)?);
    }
    let fields = header.iter().map(|(name, value)| (&name[..], &value[..]));
    let mut response = Response::new().with_headers(fields);
    if let Some(html) = &html {
        response = response.with_html(html);
    }
    if let Some(name) = &args.xmp {
        response = response.with_xmp(&read("file", name)?);
    }
    let compiled = robots.as_ref().map(|robots| reader.robots(robots));
    let rights = reader
        .rights(url, compiled.as_ref(), &response, &documents)
        .map_err(|_| urls::invalid("", url))?;

    note_unnamed(given, url, &rights);
    let mut out = io::BufWriter::new(Stdout::new());
    let printed = match args.format {
        Some(RightsFormat::Json) => serde_json::to_writer(&mut out, &rights)
            .map_err(io::Error::from)
            .and_then(|()| writeln!(out)),
        _ => {
            let sources = RightsSources {
                robots: robots.as_ref(),
                headers: &header,
                html: html.as_deref(),
                response: Some(&response),
                documents: Some((&documents, url)),
            };
            let agent = shown(agent.text.as_encoded_bytes());
            let report = RightsReport::new(&rights, &sources);
            write!(out, "{} for {agent}:\n{report}", shown(url))
        }
    };
    printed.and_then(|()| out.flush()).map_err(stdout::failed)?;
    Ok(Status::Done)
}

/// The crawler without white space around its names: tables of names have `a, b`.
fn trimmed(agent: &Agent) -> Agent {
    match agent.text.to_str() {
        Some(text) if !agent.is_header => {
            let names: Vec<&str> = text.split(',').map(str::trim).collect();
            Agent { text: names.join(",").into(), is_header: false }
        }
        _ => agent.clone(),
    }
}

/// The parts of `ADDRESS=FILE`. Both may contain `=`: the last one counts that leaves a file that is
/// there.
fn address_and_file(given: &OsString) -> Result<(&str, PathBuf), Failure> {
    let text = given
        .to_str()
        .ok_or("it is not UTF-8")
        .and_then(|text| if text.contains('=') { Ok(text) } else { Err("it has no '='") });
    let text = text.map_err(|why| {
        Failure::Usage(format!(
            "--file '{}': expected ADDRESS=FILE, but {why}",
            shown(given.as_encoded_bytes())
        ))
    })?;
    let parts = |at: usize| (&text[..at], Path::new(&text[at + 1..]));
    let all = || text.rmatch_indices('=').map(|(at, _)| parts(at));
    let is_there = |(_, file): &(&str, &Path)| stdin::is_meant(file) || file.exists();
    let (address, file) = all().find(is_there).or_else(|| all().next()).expect("it has a '='");
    if address.is_empty() || !(address.starts_with('/') || address.contains("://")) {
        return Err(Failure::Usage(format!(
            "--file '{}': give the address in full, as in https://example.com/license.xml=FILE, or \
             /.well-known/tdmrep.json=FILE",
            shown(text.as_bytes())
        )));
    }
    Ok((address, file.to_owned()))
}

/// The URL of a path of the site, which `/.well-known/tdmrep.json` need not be.
fn in_full<'a>(address: &'a str, url: &[u8]) -> Cow<'a, str> {
    let base = str::from_utf8(url).ok().and_then(|url| Url::parse(url).ok());
    match base.filter(|_| address.starts_with('/')).and_then(|base| base.join(address).ok()) {
        Some(url) => String::from(url).into(),
        None => address.into(),
    }
}

/// Notes files that nothing asks for: an address with a typing error would go unnoticed.
fn note_unnamed(mut given: HashMap<String, &str>, url: &[u8], rights: &Rights) {
    if rights.notes().iter().any(|note| matches!(note, Note::Cut | Note::LicencesLeftOut)) {
        return;
    }
    let page = str::from_utf8(url).ok();
    let base = page.and_then(|page| Url::parse(page).ok());
    let in_full = |url: &str| base.as_ref().and_then(|base| base.join(url).ok());
    let licences = rights.licences().iter().filter_map(|licence| licence.url.as_deref());
    let licences =
        licences.filter_map(|url| address_of(in_full(url).as_ref().map_or(url, Url::as_str)));
    for address in licences.chain(page.and_then(tdm_of)) {
        given.remove(&address);
    }
    let mut unnamed: Vec<&str> = given.into_values().collect();
    unnamed.sort_unstable();
    for address in unnamed {
        stderr::note(&format_args!(
            "--file '{}' is not read: nothing that counts for this crawler and URL names this address, and it \
             is not that of the site's /.well-known/tdmrep.json",
            shown(address.as_bytes())
        ));
    }
}

/// The bytes of a file, or of standard input.
fn read(what: &str, name: &Path) -> Result<Vec<u8>, Failure> {
    small_input(name, "it is longer than 64 MiB, which is the most that is read").map_err(|cause| {
        Failure::io(format!("cannot read {what} '{}'", robots_file::shown(name)), cause)
    })
}

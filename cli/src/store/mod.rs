//! `robotsieve store`: inspects and converts stores.

pub mod args;

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use robotsieve::{Config, Origin, Robots, Scheme, SiteKind};
use robotsieve_captures::exchange::{
    self, ExchangeError, HostText, HostTexts, Import, Imported, InForce,
};
use robotsieve_captures::packs::Making;
use robotsieve_captures::warc::{self, WarcItem};
use robotsieve_client::Timestamp;
use robotsieve_client::folders::file_name;
use robotsieve_client::outcome::{OriginState, Protocol};
use robotsieve_client::report::rfc3339;
use robotsieve_client::store::{Fault, Pruned, Reader, Store, StoreError};

use crate::error::{Failure, Status};
use crate::pack;
use crate::pack::args::Seed;
use crate::read::output::Output;
use crate::read::robots_dir::{self, COUNTS_AS_UNKNOWN};
use crate::read::warc_files::{self, Damage, tell_unreadable};
use crate::read::{robots_file, stdin, stores};
use crate::write::file::{folder_of, temporary, temporary_beside_links};
use crate::write::progress::{self, Bar, Measure};
use crate::write::stderr;
use crate::write::stdout::print;
use args::{CompactArgs, ExportArgs, GetArgs, ImportArgs, PruneArgs, StoreArgs, StoreCommand};

/// Does what the command asks for.
pub fn run(command: &StoreCommand) -> Result<Status, Failure> {
    match command {
        StoreCommand::Stat(args) => stat(args),
        StoreCommand::Get(args) => get(args),
        StoreCommand::Export(args) => export(args),
        StoreCommand::Import(args) => import(args),
        StoreCommand::Prune(args) => prune(args),
        StoreCommand::Compact(CompactArgs { to, progress, store }) => {
            stores::exists(store)?;
            let compact = || match &to.to {
                Some(to) => copy(store, to, Timestamp(0)).map(|(_, bytes)| bytes),
                None => Ok(Store::compact(store)?),
            };
            let bytes = progress::with_spinner(progress.progress, "compacting", compact)?;
            print(format!("bytes\t{bytes}\n"))
        }
        StoreCommand::Verify(StoreArgs { progress, store }) => {
            stores::exists(store)?;
            progress::with_spinner(progress.progress, "checking", || Store::verify(store))?;
            print(format!("{}: no damage\n", store.display()))
        }
    }
}

fn stat(args: &StoreArgs) -> Result<Status, Failure> {
    let store = stores::read_only(&args.store)?;
    let stat = progress::with_spinner(args.progress.progress, "reading", || store.stat())?;
    let ratio = |of: u64, to: u64| format!("{:.1}", of as f64 / to.max(1) as f64);
    let lines = [
        ("origins", stat.origins.to_string()),
        ("present", stat.present.to_string()),
        ("absent", stat.absent.to_string()),
        ("unreachable", stat.unreachable.to_string()),
        ("unknown", stat.unknown.to_string()),
        ("bodies", stat.bodies.to_string()),
        ("bytes_of_bodies", stat.body_bytes.to_string()),
        ("bytes_of_bodies_compressed", stat.stored_bytes.to_string()),
        ("bytes", stat.file_bytes.to_string()),
        ("bytes_per_origin", ratio(stat.file_bytes, stat.origins)),
    ];
    print(lines.map(|(name, value)| format!("{name}\t{value}\n")).concat())
}

fn time(time: Timestamp) -> String {
    if time == Timestamp(u64::MAX) {
        return "never".into();
    }
    rfc3339(time)
}

fn get(args: &GetArgs) -> Result<Status, Failure> {
    let store = stores::read_only(&args.store)?;
    let origin = Origin::of(args.url.as_encoded_bytes())
        .map_err(|cause| Failure::Usage(format!("'{}': {cause}", args.url.display())))?;
    let Some((known, body)) = store.get_with_body(origin.key())? else {
        stderr::note(&format_args!("{origin} is not in the store"));
        return Ok(Status::No);
    };
    let now = Timestamp::now();
    let profile = args.profile.get();
    let ruling = args.answers.protocol(&profile).ruling(&known, now);
    if args.body {
        let Some(body) = body else {
            // Nothing would be a file that allows everything.
            let holds = ruling.holds.as_str();
            stderr::note(&format_args!("the store has no robots.txt of {origin}: {holds}"));
            return Ok(Status::No);
        };
        return print(body);
    }
    let holds = ruling.holds.as_str();
    let mut lines = vec![
        ("origin", origin.key().to_owned()),
        ("condition", known.condition().as_str().to_owned()),
        ("attempted", time(known.attempted)),
        ("outcome", known.last.why()),
        ("holds", holds.to_owned()),
        ("why", ruling.why.as_str().to_owned()),
        ("expired", if ruling.is_expired { "yes" } else { "no" }.to_owned()),
        ("until", time(ruling.until)),
        ("next_attempt", time(ruling.next_attempt)),
    ];
    if let Some(what) = &known.invalid_certificate {
        lines.push(("invalid_certificate", crate::write::bytes::shown(what.as_bytes())));
    }
    if let Some(since) = known.unreachable_since {
        lines.push(("unreachable_since", time(since)));
        lines.push(("failures", known.failures.to_string()));
    }
    if let Some(copy) = &known.copy {
        let text = |bytes: &Option<Vec<u8>>| {
            bytes.as_deref().map(crate::write::bytes::shown).unwrap_or_default()
        };
        lines.extend([
            ("copy_from", time(copy.at)),
            ("copy_age", humantime::format_duration(now.since(copy.at)).to_string()),
            ("bytes", copy.len.to_string()),
            ("cut", if copy.is_truncated { "yes" } else { "no" }.to_owned()),
            ("sha256", copy.content.to_string()),
            ("final_url", copy.final_url.clone().unwrap_or_default()),
            ("etag", text(&copy.etag)),
            ("last_modified", text(&copy.last_modified)),
        ]);
    }
    if let Some(agent) = &args.agent.0 {
        let crawler = agent.crawler(&profile)?;
        let file = body.as_deref().filter(|_| ruling.holds == SiteKind::Rules).unwrap_or_default();
        let pace = Robots::parse(file, &profile).pace(&crawler);
        let delay = pace.crawl_delay.map(|delay| humantime::format_duration(delay).to_string());
        let rate = pace
            .request_rate
            .map(|rate| format!("{}/{}", rate.requests, humantime::format_duration(rate.period)));
        lines.push(("crawl_delay", delay.unwrap_or_default()));
        lines.push(("request_rate", rate.unwrap_or_default()));
    }
    lines.retain(|(_, value)| !value.is_empty());
    let lines = lines.iter().map(|(name, value)| format!("{name}\t{value}\n"));
    print(lines.collect::<String>())
}

fn export(args: &ExportArgs) -> Result<Status, Failure> {
    // clap does not ask for what conflicts with something that was given.
    if args.pack.is_none() && (args.keep_rules || !args.agents.0.is_empty()) {
        return Err(Failure::Usage(
            "--agent, --user-agent and --keep-rules are for --pack: a folder has the robots.txt \
             files as they are, for all crawlers"
                .into(),
        ));
    }
    if let Some(option) = args.answers.given().filter(|_| args.warc.is_some()) {
        return Err(Failure::Usage(format!(
            "{option} is for --robots-dir and --pack: a WARC file has what sites answered, whatever \
             it means"
        )));
    }
    let store = stores::read_only(&args.store)?;
    let reader = store.reader();
    if let Some(path) = &args.warc {
        return to_warc(path, args, &store, &reader);
    }
    let protocol = args.answers.protocol(&args.profile.get());
    if let Some(path) = &args.pack {
        return to_pack(path, args, protocol);
    }
    let Some(folder) = &args.robots_dir else {
        unreachable!("clap requires one of the options");
    };
    let hosts = InForce::new(&reader, protocol, Timestamp::now())?;
    let bar = Bar::new(args.progress.progress, Measure::Count(hosts.len() as u64, "hosts"));
    let exported = to_folder(folder, hosts.inspect(|_| bar.add(1)), &args.store)?;
    bar.end();
    if exported.removed > 0 {
        stderr::note(&format_args!(
            "removed {} files in '{}' that the store no longer confirms",
            exported.removed,
            folder.display()
        ));
    }
    if exported.others > 0 {
        stderr::note(&format_args!(
            "{} origins have a file of their own in the folders http and ftp in '{}': another scheme of \
             their host says something else, or is unknown; https is preferred, then http, then ftp",
            exported.others,
            folder.display()
        ));
    }
    exported.not_text.tell("whose bytes are no text");
    stderr::note(&format_args!("exported {} of {}", exported.hosts, exported.of));
    Ok(if exported.hosts == exported.of { Status::Done } else { Status::Failed })
}

/// The number of hosts that were exported, of how many of which something is known, and how many origins that were not
/// their first.
#[derive(Default)]
struct Exported {
    hosts: u64,
    of: u64,
    others: u64,
    /// Files of earlier exports.
    removed: u64,
    /// Left out of a folder: whoever reads it would refuse their bytes.
    not_text: LeftOut,
}

/// The number of names of what that was left out are shown.
const SHOWN: usize = 3;

/// What was left out, and the first names of it.
#[derive(Default)]
struct LeftOut {
    count: u64,
    names: Vec<String>,
}

impl LeftOut {
    fn add(&mut self, name: String) {
        self.count += 1;
        if self.names.len() < SHOWN {
            self.names.push(name);
        }
    }

    /// Says so, if there is any.
    fn tell(&self, why: &str) {
        if self.count > 0 {
            let more = if self.count > SHOWN as u64 { ", ..." } else { "" };
            let names = self.names.join(", ");
            stderr::error(&format_args!("left out: {}, {why}: {names}{more}", self.count));
        }
    }
}

fn to_warc(
    path: &Path,
    args: &ExportArgs,
    store: &Store,
    reader: &Reader,
) -> Result<Status, Failure> {
    Output::named_by(path, "name another file with --warc FILE").refuse_input(&args.store)?;
    let cannot = |cause| Failure::io(format!("cannot write WARC file '{}'", path.display()), cause);
    let origins = store.stat()?.origins;
    let bar = Bar::new(args.progress.progress, Measure::Count(origins, "origins"));
    let mut out = BufWriter::with_capacity(1 << 20, temporary(path).map_err(cannot)?);
    let is_gzip = path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("gz"));
    let exported = exchange::export(reader, &mut out, is_gzip, || bar.add(1));
    let exported = exported.map_err(|cause| match cause {
        ExchangeError::Io(cause) => cannot(cause),
        other => other.into(),
    })?;
    let file = out.into_inner().map_err(|error| cannot(error.into_error()))?;
    let bytes = file.persist().map_err(cannot)?;
    bar.end();
    stderr::note(&format_args!("exported {exported} origins bytes {bytes}"));
    Ok(Status::Done)
}

fn to_folder(
    folder: &Path,
    hosts: impl Iterator<Item = Result<HostTexts, StoreError>>,
    store: &Path,
) -> Result<Exported, Failure> {
    // It may have the name of a host. Its own place is meant, not a link to it, for links are replaced.
    let store = fs::canonicalize(store).unwrap_or_else(|_| store.to_owned());
    let kept = Output::named_by(&store, "name another folder with --robots-dir DIR");
    let cannot = |path: &Path| format!("cannot write '{}'", path.display());
    let make = |folder: &Path| {
        fs::create_dir_all(folder).map_err(|cause| Failure::io(cannot(folder), cause))
    };
    let make_within = |folder: &Path| match fs::symlink_metadata(folder) {
        Ok(found) if found.is_symlink() => {
            Err(Failure::io(cannot(folder), io::Error::other("it is a link")))
        }
        _ => make(folder),
    };
    make(folder)?;
    let mut exported = Exported::default();
    let folders = [Scheme::Https, Scheme::Http, Scheme::Ftp].map(|scheme| {
        let is_of_host = scheme == Scheme::Https;
        (
            is_of_host,
            scheme,
            if is_of_host { folder.to_owned() } else { folder.join(scheme.as_str()) },
        )
    });
    for host in hosts {
        let HostTexts { authority, texts } = host?;
        exported.of += u64::from(!texts.is_empty());
        let Some(name) = file_name(&authority) else {
            stderr::error(&format_args!("left out '{authority}': it is not a valid file name"));
            continue;
        };
        let mut is_whole = !texts.is_empty();
        for (is_of_host, scheme, folder) in &folders {
            let of_folder = |text: &&HostText| {
                text.is_of_host == *is_of_host && (*is_of_host || text.scheme == *scheme)
            };
            let mut text = texts.iter().find(of_folder);
            if let Some(text) = text.take_if(|text| !robots_file::is_text(&text.text)) {
                exported.not_text.add(format!("{}://{authority}", text.scheme.as_str()));
                is_whole = false;
            }
            let path = folder.join(&name);
            if store.ends_with(&name) {
                kept.refuse_input(&path)?;
            }
            let Some(text) = text else {
                // What an earlier export said here no longer holds.
                let is_link = || fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink());
                if fs::symlink_metadata(&path).is_ok_and(|found| found.is_file())
                    && (*is_of_host || !is_link())
                {
                    fs::remove_file(&path).map_err(|cause| Failure::io(cannot(&path), cause))?;
                    exported.removed += 1;
                }
                continue;
            };
            if !is_of_host {
                exported.others += 1;
                make_within(folder)?;
            }
            // Whoever put links into the folder is not asked to choose other files.
            let written = temporary_beside_links(&path).and_then(|mut file| {
                file.write_all(&text.text)?;
                file.place()
            });
            written.map_err(|cause| Failure::io(cannot(&path), cause))?;
        }
        exported.hosts += u64::from(is_whole);
    }
    Ok(exported)
}

fn to_pack(path: &Path, args: &ExportArgs, protocol: Protocol) -> Result<Status, Failure> {
    args.agents.required()?;
    let profile = args.profile.get();
    let mut config = Config::default();
    config.keep_rules = args.keep_rules;
    let crawlers = args.agents.crawlers(&profile)?;
    let making = Making { profile, crawlers, config, seed: Seed::default().get() };
    Output::named_by(path, "name another file with --pack FILE").refuse_input(&args.store)?;
    pack::of_store(&making, &args.store, protocol, path, args.progress.progress)
}

fn import(args: &ImportArgs) -> Result<Status, Failure> {
    match &args.robots_dir {
        Some(folder) => from_folder(folder, args),
        None => from_warc(&args.warc, args),
    }
}

/// Writes what is not older to a new store. Returns what was left out, and its size.
fn copy(store: &Path, to: &Path, older_than: Timestamp) -> Result<(Pruned, u64), Failure> {
    let pruned = stores::read_only(store)?.copy_to(to, older_than)?;
    Ok((pruned, size(to)?))
}

fn size(store: &Path) -> Result<u64, Failure> {
    let found = fs::metadata(store).map(|found| found.len());
    found.map_err(|cause| Failure::io(format!("cannot read store '{}'", store.display()), cause))
}

/// Returns unused space, if nobody reads the store and there is room to move what is in it.
fn compact(store: Store) -> Result<u64, Failure> {
    let path = store.path().to_owned();
    drop(store);
    let why = match Store::compact(&path) {
        Err(error) if matches!(error.fault(), Fault::InUse) => "others read it",
        Err(error) if error.is_full() => "the disk is full",
        bytes => return Ok(bytes?),
    };
    stderr::note(&format_args!(
        "the unused space in '{}' stays for later sites, because {why}: 'robotsieve store compact' \
         returns it",
        path.display()
    ));
    size(&path)
}

fn from_warc(names: &[OsString], args: &ImportArgs) -> Result<Status, Failure> {
    stdin::at_most_once(names)?;
    let known: Option<u64> = names.iter().map(|name| Some(fs::metadata(name).ok()?.len())).sum();
    let bar = Bar::new(args.progress.progress, Measure::Bytes(known));
    // One that is there and is none, or is in use, is found out before anything is read.
    let store = if args.store.exists() { Some(stores::open(&args.store)?) } else { None };
    let mut import = Import::new(store, folder_of(&args.store))?;
    let (mut damage, mut incomplete) = (Damage::default(), 0);
    let act = |item| {
        match item {
            WarcItem::Capture(capture) => import.capture(capture)?,
            WarcItem::Known(known) => {
                let place = known.place.clone();
                if let Some(lack) = import.known(*known)? {
                    incomplete += 1;
                    stderr::error(&format_args!("{place}: {lack}"));
                }
            }
            WarcItem::Damaged { place, what } => damage.tell(&place, &what),
            WarcItem::Unreadable(unreadable) => tell_unreadable(unreadable),
        }
        Ok::<(), Failure>(())
    };
    let files = warc_files::opened(names);
    let counts = warc::read(files, args.threads.get(), act, |bytes| bar.add(bytes))?;
    let (imported, store) = import.finish(|| stores::open(&args.store))?;
    let Some(store) = store else {
        bar.end();
        return Err(Failure::Incomplete(format!(
            "no store was made at '{}': there was nothing to put into it",
            args.store.display()
        )));
    };
    let bytes = compact(store)?;
    bar.end();
    let Imported { origins, older, unknown_targets } = imported;
    if older > 0 {
        stderr::note(&format_args!("the store knows {older} answers from a later time"));
    }
    if unknown_targets > 0 {
        stderr::note(&format_args!(
            "{unknown_targets} redirects and revisits lead to what the sources do not have: what they say is \
             unknown"
        ));
    }
    let damaged = counts.damaged + incomplete;
    if damaged > 0 {
        let are = if damaged == 1 { "record is" } else { "records are" };
        stderr::error(&format_args!("{damaged} {are} damaged and left out"));
    }
    stderr::note(&format_args!("origins {origins} bytes {bytes}"));
    let is_whole = damaged == 0 && counts.unreadable == 0;
    Ok(if is_whole { Status::Done } else { Status::Failed })
}

fn from_folder(path: &Path, args: &ImportArgs) -> Result<Status, Failure> {
    robots_dir::refuse_output_beneath(path, &args.store)?;
    let folder = robots_dir::walk(path)?;
    let count = folder.files().len();
    if count > 0 && !args.store.exists() {
        // Up to the first that can be read.
        let read = folder.files().map(|file| robots_dir::read(&file.path()));
        let failures: Vec<Failure> = read.map_while(Result::err).collect();
        if failures.len() == count {
            failures.iter().for_each(|failure| stderr::error(failure));
            return Err(Failure::Incomplete(format!(
                "no store was made at '{}': no file of '{}' could be read",
                args.store.display(),
                path.display()
            )));
        }
    }
    let store = stores::open(&args.store)?;
    let mut unreadable = 0;
    let bar = Bar::new(args.progress.progress, Measure::Count(count as u64, "hosts"));
    let rows = folder.files().flat_map(|file| {
        bar.add(1);
        let (state, body) = fetched(&file.path()).unwrap_or_else(|failure| {
            stderr::error(&format_args!("{failure}; {COUNTS_AS_UNKNOWN}"));
            unreadable += 1;
            (OriginState::unknown(Timestamp::now()), None)
        });
        file.keys().into_iter().map(move |key| (key, state.clone(), body.clone()))
    });
    let origins = store.put_many(rows)?;
    let bytes = compact(store)?;
    bar.end();
    stderr::note(&format_args!("hosts {count} origins {origins} bytes {bytes}"));
    Ok(if unreadable == 0 { Status::Done } else { Status::Failed })
}

/// A file as if it had been fetched when it was last modified.
fn fetched(path: &Path) -> Result<(OriginState, Option<Vec<u8>>), Failure> {
    let body = robots_dir::read(path)?;
    let modified = fs::metadata(path).and_then(|found| found.modified());
    let at = modified.map_or_else(|_| Timestamp::now(), Timestamp::from);
    let (state, body) = exchange::fetched(body, at);
    Ok((state, Some(body)))
}

fn prune(args: &PruneArgs) -> Result<Status, Failure> {
    stores::exists(&args.store)?;
    let age: Duration = args.older_than.into();
    let prune = || -> Result<_, Failure> {
        if let Some(to) = &args.to.to {
            return copy(&args.store, to, Timestamp::now() - age);
        }
        let store = stores::open(&args.store)?;
        let pruned = store.prune(Timestamp::now() - age)?;
        Ok((pruned, compact(store)?))
    };
    let (pruned, bytes) = progress::with_spinner(args.progress.progress, "pruning", prune)?;
    print(format!(
        "origins_forgotten\t{}\nbodies_forgotten\t{}\nbytes\t{bytes}\n",
        pruned.origins, pruned.bodies
    ))
}

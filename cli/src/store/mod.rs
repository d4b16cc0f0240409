//! `robotsieve store`: inspects and converts stores.

pub mod args;

use std::collections::BTreeMap;
use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Duration;

use robotsieve::pack::Writer;
use robotsieve::{Config, Origin, Profile};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{Attempt, Holds, OriginState, Protocol, Response};
use robotsieve_client::store::{MAX_BODY_BYTES, Store};

use crate::error::{Failure, Status};
use crate::fetch::cause;
use crate::read::{robots_dir, robots_file, stores};
use crate::write::file::temporary;
use crate::write::progress::{self, Bar, Measure};
use crate::write::stderr;
use crate::write::stdout::print;
use args::{ExportArgs, GetArgs, ImportArgs, PruneArgs, StoreArgs, StoreCommand};

/// Does what the command asks for.
pub fn run(command: &StoreCommand) -> Result<Status, Failure> {
    match command {
        StoreCommand::Stat(args) => stat(args),
        StoreCommand::Get(args) => get(args),
        StoreCommand::Export(args) => export(args),
        StoreCommand::Import(args) => import(args),
        StoreCommand::Prune(args) => prune(args),
        StoreCommand::Compact(StoreArgs { progress, store }) => {
            stores::exists(store)?;
            let compact = || Store::compact(store);
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
    humantime::format_rfc3339_seconds(time.into()).to_string()
}

fn get(args: &GetArgs) -> Result<Status, Failure> {
    let store = stores::read_only(&args.store)?;
    let origin = Origin::of(args.url.as_encoded_bytes())
        .map_err(|cause| Failure::Usage(format!("'{}': {cause}", args.url.display())))?;
    let Some((known, body)) = store.get_with_body(origin.key())? else {
        stderr::note(&format_args!("{origin} is not in the store"));
        return Ok(Status::No);
    };
    if args.body {
        return print(body.unwrap_or_default());
    }
    let now = Timestamp::now();
    let ruling = Protocol::of(&args.profile.get()).ruling(&known, now);
    let holds = ruling.holds.as_str();
    let mut lines = vec![
        ("origin", origin.key().to_owned()),
        ("condition", known.condition().as_str().to_owned()),
        ("attempted", time(known.attempted)),
        ("outcome", cause(&known.last)),
        ("holds", holds.to_owned()),
        ("why", ruling.why.as_str().to_owned()),
        ("expired", if ruling.is_expired { "yes" } else { "no" }.to_owned()),
        ("until", time(ruling.until)),
        ("next_attempt", time(ruling.next_attempt)),
    ];
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
            ("sha256", copy.content.to_string()),
            ("final_url", copy.final_url.clone().unwrap_or_default()),
            ("etag", text(&copy.etag)),
            ("last_modified", text(&copy.last_modified)),
        ]);
    }
    lines.retain(|(_, value)| !value.is_empty());
    let lines = lines.iter().map(|(name, value)| format!("{name}\t{value}\n"));
    print(lines.collect::<String>())
}

/// What is in force for an origin, as a robots.txt.
fn text(
    known: &OriginState,
    body: Option<Vec<u8>>,
    protocol: &Protocol,
    now: Timestamp,
) -> Vec<u8> {
    match protocol.ruling(known, now).holds {
        Holds::Rules => body.unwrap_or_default(),
        Holds::AllowAll => Vec::new(),
        _ => b"# robotsieve: could not be fetched\nUser-agent: *\nDisallow: /\n".to_vec(),
    }
}

/// The origins of a store by host and port, and how many others share them. Of several schemes the
/// last in order is used: https, or else http, or else ftp.
fn by_authority(store: &Store) -> Result<(BTreeMap<String, String>, u64), Failure> {
    let (mut origins, mut displaced) = (BTreeMap::new(), 0);
    for row in store.iter()? {
        let (key, _) = row?;
        let Ok(origin) = Origin::of(&key) else { continue };
        let authority = origin.authority().to_owned();
        displaced += u64::from(origins.insert(authority, key.clone()).is_some());
    }
    Ok((origins, displaced))
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
    let store = stores::read_only(&args.store)?;
    let (origins, displaced) = by_authority(&store)?;
    let protocol = Protocol::of(&args.profile.get());
    let now = Timestamp::now();
    let reader = store.reader();
    let bar = Bar::new(args.progress.progress, Measure::Count(origins.len() as u64, "origins"));
    let texts = origins.iter().filter_map(|(authority, key)| {
        let row = reader.get_with_body(key).map_err(Failure::from).transpose()?;
        bar.add(1);
        Some(row.map(|(known, body)| (authority, text(&known, body, &protocol, now))))
    });
    let exported = match (&args.robots_dir, &args.pack) {
        (Some(folder), _) => to_folder(folder, texts)?,
        (None, Some(pack)) => to_pack(pack, args, texts)?,
        (None, None) => unreachable!("clap requires one of the options"),
    };
    bar.end();
    if displaced > 0 {
        stderr::note(&format_args!(
            "left out {displaced} origins with the host and port of another scheme: https is \
             preferred, then http, then ftp"
        ));
    }
    stderr::note(&format_args!("exported {exported} of {}", origins.len()));
    Ok(if exported == origins.len() as u64 { Status::Done } else { Status::Failed })
}

/// The longest file name in bytes on common file systems.
const LONGEST_FILE_NAME: usize = 255;

fn to_folder<'t>(
    folder: &Path,
    texts: impl Iterator<Item = Result<(&'t String, Vec<u8>), Failure>>,
) -> Result<u64, Failure> {
    let cannot = |path: &Path| format!("cannot write '{}'", path.display());
    fs::create_dir_all(folder).map_err(|cause| Failure::io(cannot(folder), cause))?;
    let mut exported = 0;
    for row in texts {
        let (authority, text) = row?;
        // Such a host is a valid file name everywhere, and not a path. A longer host is not in DNS
        // either, but it may be in a list of URLs, and then in the store as unreachable.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:[]".contains(&byte);
        let is_short = authority.len() <= LONGEST_FILE_NAME;
        if authority.starts_with('.') || !is_short || !authority.bytes().all(is_plain) {
            stderr::error(&format_args!("left out '{authority}': it is not a valid file name"));
            continue;
        }
        // As `filter --robots-dir` reads it: without the suffix it would be for another host.
        let suffix = if authority.ends_with(".txt") { ".txt" } else { "" };
        let path = folder.join(format!("{authority}{suffix}"));
        fs::write(&path, text).map_err(|cause| Failure::io(cannot(&path), cause))?;
        exported += 1;
    }
    Ok(exported)
}

fn to_pack<'t>(
    path: &Path,
    args: &ExportArgs,
    texts: impl Iterator<Item = Result<(&'t String, Vec<u8>), Failure>>,
) -> Result<u64, Failure> {
    args.agents.required()?;
    let crawlers = args.agents.crawlers(&args.profile.get())?;
    let cannot = |cause| Failure::io(format!("cannot write pack '{}'", path.display()), cause);
    let out = BufWriter::with_capacity(1 << 20, temporary(path).map_err(cannot)?);
    let mut config = Config::default();
    config.keep_rules = args.keep_rules;
    let mut writer = Writer::new(out, &args.profile.get(), crawlers, &config).map_err(cannot)?;
    let recipe = writer.recipe().clone();
    for row in texts {
        let (authority, text) = row?;
        let content = recipe.content(&text);
        if !writer.add_known(authority.as_bytes(), content).map_err(cannot)? {
            writer.add(authority.as_bytes(), &recipe.pack(&text)).map_err(cannot)?;
        }
    }
    let exported = writer.origin_count() as u64;
    let out = writer.finish().map_err(cannot)?;
    let file = out.into_inner().map_err(|error| cannot(error.into_error()))?;
    file.persist().map_err(cannot)?;
    Ok(exported)
}

fn import(args: &ImportArgs) -> Result<Status, Failure> {
    robots_dir::refuse_output(&args.robots_dir, &args.store)?;
    let listing = robots_dir::list(&args.robots_dir)?;
    listing.warnings.iter().for_each(|warning| stderr::note(warning));
    let store = stores::open(&args.store)?;
    let mut hosts = listing.hosts;
    hosts.sort_unstable();
    let mut unreadable = 0;
    let bar = Bar::new(args.progress.progress, Measure::Count(hosts.len() as u64, "hosts"));
    let rows = hosts.iter().flat_map(|(host, place)| {
        bar.add(1);
        let path = args.robots_dir.join(&listing.names[*place as usize]);
        let row = imported(&path).unwrap_or_else(|failure| {
            stderr::error(&format_args!("{failure}; its host is not imported"));
            unreadable += 1;
            None
        });
        let keys = row.iter().flat_map(|_| keys_of(host)).collect::<Vec<_>>();
        keys.into_iter().filter_map(move |key| {
            let (known, body) = row.clone()?;
            Some((key, known, Some(body)))
        })
    });
    let count = store.put_many(rows)?;
    drop(store);
    let bytes = Store::compact(&args.store)?;
    bar.end();
    stderr::note(&format_args!("hosts {} origins {count} bytes {bytes}", hosts.len()));
    Ok(if unreadable == 0 { Status::Done } else { Status::Failed })
}

/// The origins that a file of such a folder is for: http and https, as in `filter`.
fn keys_of(host: &[u8]) -> Vec<String> {
    let keys = ["http", "https"].into_iter().filter_map(|scheme| {
        let url = [scheme.as_bytes(), b"://", host].concat();
        let origin = Origin::of(&url).ok()?;
        // `HOST:80` is for https only: for http the file is `HOST`.
        (origin.authority().as_bytes() == host).then(|| origin.key().to_owned())
    });
    keys.collect()
}

/// A file as if it had been fetched when it was last modified.
fn imported(path: &PathBuf) -> Result<Option<(OriginState, Vec<u8>)>, Failure> {
    let mut body = robots_file::read(path)?;
    let is_truncated = body.len() > MAX_BODY_BYTES;
    body.truncate(MAX_BODY_BYTES);
    let modified = fs::metadata(path).and_then(|found| found.modified());
    let at = modified.map_or_else(|_| Timestamp::now(), Timestamp::from);
    let mut response = Response::new(200, body);
    response.is_truncated = is_truncated;
    let attempt = Attempt::new(at, Ok(response));
    let known = Protocol::of(&Profile::RFC9309)
        .after(None, &attempt)
        .map_err(|fault| Failure::Incomplete(fault.to_string()))?;
    Ok(attempt.result.ok().map(|response| (known, response.body)))
}

fn prune(args: &PruneArgs) -> Result<Status, Failure> {
    stores::exists(&args.store)?;
    let age: Duration = args.older_than.into();
    let prune = || -> Result<_, Failure> {
        let store = stores::open(&args.store)?;
        let pruned = store.prune(Timestamp::now() - age)?;
        drop(store);
        Ok((pruned, Store::compact(&args.store)?))
    };
    let (pruned, bytes) = progress::with_spinner(args.progress.progress, "pruning", prune)?;
    print(format!(
        "origins_forgotten\t{}\nbodies_forgotten\t{}\nbytes\t{bytes}\n",
        pruned.origins, pruned.bodies
    ))
}

//! `robotsieve store`: what is in a store, and its ways in and out.

use std::collections::BTreeMap;
use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use robotsieve::pack::Writer;
use robotsieve::{Crawler, Origin, Profile};
use robotsieve_client::Timestamp;
use robotsieve_client::outcome::{Attempt, Holds, Known, Protocol, Response};
use robotsieve_client::store::{Fault, MAX_BODY_BYTES, Store, StoreError};

use crate::args::{Agent, ExportArgs, GetArgs, ImportArgs, PruneArgs, StoreCommand};
use crate::error::{Failure, Status, say};
use crate::fetch::cause;
use crate::pack::{persist, temporary};
use crate::read::robots_dir;
use crate::read::robots_file;
use crate::write::stdout::print;

pub fn run(command: &StoreCommand) -> Result<Status, Failure> {
    match command {
        StoreCommand::Stat { store } => stat(&read_only(store)?),
        StoreCommand::Get(args) => get(args),
        StoreCommand::Export(args) => export(args),
        StoreCommand::Import(args) => import(args),
        StoreCommand::Prune(args) => prune(args),
        StoreCommand::Compact { store } => {
            present(store)?;
            let bytes = Store::compact(store).map_err(failed)?;
            print(format!("bytes\t{bytes}\n"))
        }
        StoreCommand::Verify { store } => {
            present(store)?;
            Store::verify(store).map_err(failed)?;
            print(format!("{}: no damage\n", store.display()))
        }
    }
}

fn failed(cause: StoreError) -> Failure {
    Failure::Store(Arc::new(cause))
}

/// Opens a store to read it. One that its writer did not close is closed first.
pub fn read_only(path: &Path) -> Result<Store, Failure> {
    present(path)?;
    let opened = Store::open_read_only(path);
    if opened.as_ref().is_err_and(|cause| matches!(cause.fault(), Fault::NotClosed)) {
        drop(Store::open(path).map_err(failed)?);
        return Store::open_read_only(path).map_err(failed);
    }
    opened.map_err(failed)
}

/// A store that is not there is told of, not made.
fn present(path: &Path) -> Result<(), Failure> {
    fs::metadata(path)
        .map(drop)
        .map_err(|cause| Failure::io(format!("cannot open store '{}'", path.display()), cause))
}

fn stat(store: &Store) -> Result<Status, Failure> {
    let stat = store.stat().map_err(failed)?;
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
    let store = read_only(&args.store)?;
    let origin = Origin::of(args.url.as_encoded_bytes())
        .map_err(|cause| Failure::Usage(format!("'{}': {cause}", args.url.display())))?;
    let Some((known, body)) = store.get_with_body(origin.key()).map_err(failed)? else {
        say(&format_args!("{origin} is not in the store"));
        return Ok(Status::Disallowed);
    };
    if args.body {
        return print(body.unwrap_or_default());
    }
    let now = Timestamp::now();
    let ruling = Protocol::of(&args.profile).ruling(&known, now);
    let holds = match ruling.holds {
        Holds::Rules => "rules",
        Holds::AllowAll => "allow all",
        Holds::DisallowAll => "disallow all",
    };
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

/// What holds for an origin, as a robots.txt.
fn text(known: &Known, body: Option<Vec<u8>>, protocol: &Protocol, now: Timestamp) -> Vec<u8> {
    match protocol.ruling(known, now).holds {
        Holds::Rules => body.unwrap_or_default(),
        Holds::AllowAll => Vec::new(),
        Holds::DisallowAll => {
            b"# robotsieve: could not be fetched\nUser-agent: *\nDisallow: /\n".to_vec()
        }
    }
}

/// The origins of a store by host and port: of several schemes the one that sorts last, so
/// https goes before http, and that before ftp.
fn by_authority(store: &Store) -> Result<(BTreeMap<String, String>, u64), Failure> {
    let (mut origins, mut displaced) = (BTreeMap::new(), 0);
    for row in store.iter().map_err(failed)? {
        let (key, _) = row.map_err(failed)?;
        let Ok(origin) = Origin::of(&key) else { continue };
        let authority = origin.authority().to_owned();
        displaced += u64::from(origins.insert(authority, key.clone()).is_some());
    }
    Ok((origins, displaced))
}

fn export(args: &ExportArgs) -> Result<Status, Failure> {
    let store = read_only(&args.store)?;
    let (origins, displaced) = by_authority(&store)?;
    let protocol = Protocol::of(&args.profile);
    let now = Timestamp::now();
    let reader = store.reader();
    let texts = origins.iter().filter_map(|(authority, key)| {
        let row = reader.get_with_body(key).map_err(failed).transpose()?;
        Some(row.map(|(known, body)| (authority, text(&known, body, &protocol, now))))
    });
    let exported = match (&args.robots_dir, &args.pack) {
        (Some(folder), _) => to_folder(folder, texts)?,
        (None, Some(pack)) => to_pack(pack, args, texts)?,
        (None, None) => unreachable!("the parser demands one of the options"),
    };
    if displaced > 0 {
        say(&format_args!(
            "{displaced} origins share host and port with another scheme's and are left out: of \
             https, http and ftp the first counts"
        ));
    }
    say(&format_args!("exported {exported} of {}", origins.len()));
    Ok(if exported == origins.len() as u64 { Status::Done } else { Status::Io })
}

/// The bytes that a file's name has at most on the file systems in use.
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
        // Such a host is a file's name wherever files have names, and no path. A longer one is in
        // no DNS either, but may stand in a list of URLs, and then in the store as unreachable.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:[]".contains(&byte);
        let is_short = authority.len() <= LONGEST_FILE_NAME;
        if authority.starts_with('.') || !is_short || !authority.bytes().all(is_plain) {
            say(&format_args!("'{authority}' is no name for a file: left out"));
            continue;
        }
        let path = folder.join(authority);
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
    let crawlers: Vec<Crawler> = args.agents.required()?.iter().map(Agent::crawler).collect();
    let cannot = |cause| Failure::io(format!("cannot write pack '{}'", path.display()), cause);
    let out = BufWriter::with_capacity(1 << 20, temporary(path).map_err(cannot)?);
    let mut writer = Writer::new(out, &args.profile, crawlers, args.keep_rules).map_err(cannot)?;
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
    persist(file, path).map_err(cannot)?;
    Ok(exported)
}

fn import(args: &ImportArgs) -> Result<Status, Failure> {
    let listing = robots_dir::list(&args.robots_dir)?;
    listing.warnings.iter().for_each(|warning| say(warning));
    let store = crate::fetch::open(&args.store)?;
    let mut hosts = listing.hosts;
    hosts.sort_unstable();
    let mut unreadable = 0;
    let rows = hosts.iter().flat_map(|(host, place)| {
        let path = args.robots_dir.join(&listing.names[*place as usize]);
        let row = imported(&path).unwrap_or_else(|failure| {
            say(&format_args!("{failure}; its host is not imported"));
            unreadable += 1;
            None
        });
        let keys = row.iter().flat_map(|_| keys_of(host)).collect::<Vec<_>>();
        keys.into_iter().filter_map(move |key| {
            let (known, body) = row.clone()?;
            Some((key, known, Some(body)))
        })
    });
    let count = store.put_many(rows).map_err(failed)?;
    drop(store);
    let bytes = Store::compact(&args.store).map_err(failed)?;
    say(&format_args!("hosts {} origins {count} bytes {bytes}", hosts.len()));
    Ok(if unreadable == 0 { Status::Done } else { Status::Io })
}

/// The origins that a file of such a folder is for: of http and of https, as in `filter`.
fn keys_of(host: &[u8]) -> Vec<String> {
    let keys = ["http", "https"].into_iter().filter_map(|scheme| {
        let url = [scheme.as_bytes(), b"://", host].concat();
        let origin = Origin::of(&url).ok()?;
        // `HOST:80` is for https alone: http has `HOST`.
        (origin.authority().as_bytes() == host).then(|| origin.key().to_owned())
    });
    keys.collect()
}

/// A file as if it had been fetched when it was last written to.
fn imported(path: &PathBuf) -> Result<Option<(Known, Vec<u8>)>, Failure> {
    let mut body = robots_file::read(path)?;
    let is_truncated = body.len() > MAX_BODY_BYTES;
    body.truncate(MAX_BODY_BYTES);
    let modified = fs::metadata(path).and_then(|found| found.modified());
    let at = modified.map_or_else(|_| Timestamp::now(), Timestamp::from);
    let response = Response { status: 200, headers: HeaderMap::new(), body, is_truncated };
    let attempt = Attempt { at, redirects: Vec::new(), result: Ok(response) };
    let known = Protocol::of(&Profile::RFC9309).after(None, &attempt);
    Ok(attempt.result.ok().map(|response| (known, response.body)))
}

fn prune(args: &PruneArgs) -> Result<Status, Failure> {
    present(&args.store)?;
    let store = crate::fetch::open(&args.store)?;
    let age: Duration = args.older_than.into();
    let pruned = store.prune(Timestamp::now() - age).map_err(failed)?;
    drop(store);
    let bytes = Store::compact(&args.store).map_err(failed)?;
    print(format!(
        "origins_forgotten\t{}\nbodies_forgotten\t{}\nbytes\t{bytes}\n",
        pruned.origins, pruned.bodies
    ))
}

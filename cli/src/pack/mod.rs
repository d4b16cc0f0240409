//! `robotsieve pack`: compiles the robots.txt files of many hosts into one file.

pub mod args;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use robotsieve::pack::{Outcome, Packed, Writer, Written};
use robotsieve::{Config, Origin};

use crate::error::{Failure, Status};
use crate::options::{When, crawler_names};
use crate::read::hosts::host_and_port;
use crate::read::{packs, robots_dir, robots_file, stdin};
use crate::write::file::{is_same, temporary};
use crate::write::progress::{self, Bar, Measure};
use crate::write::stderr;
use crate::write::stdout::print;
use args::{PackArgs, PackCommand};

/// How many hosts are read and compiled at a time: enough to keep all threads busy, and few enough
/// to hold their files in memory.
const AT_A_TIME: usize = 1024;

/// Makes a pack, or inspects one.
pub fn run(args: &PackArgs) -> Result<Status, Failure> {
    let progress = args.progress.progress;
    match (&args.command, &args.verify, &args.stat) {
        (Some(PackCommand::Stat(args)), ..) => stat(&args.pack, args.progress.progress),
        (Some(PackCommand::Verify(args)), ..) => verify(&args.pack, args.progress.progress),
        (None, Some(path), _) => verify(path, progress),
        (None, None, Some(path)) => stat(path, progress),
        (None, None, None) => build(args),
    }
}

fn verify(path: &Path, progress: When) -> Result<Status, Failure> {
    let pack = packs::open(path)?;
    let verified = progress::with_spinner(progress, "checking", || pack.verify());
    verified.map_err(|error| packs::damaged(path, &error))?;
    print(format!("{}: no damage, {} origins\n", path.display(), pack.len()))
}

fn stat(path: &Path, progress: When) -> Result<Status, Failure> {
    let pack = packs::open(path)?;
    let stat = progress::with_spinner(progress, "reading", || pack.stat());
    let stat = stat.map_err(|error| packs::damaged(path, &error))?;
    let crawlers: Vec<String> = pack.crawlers().iter().map(crawler_names).collect();
    let yes = |kept| if kept { "yes" } else { "no" }.to_string();
    let ratio = |of: u64, to: u64| format!("{:.1}", of as f64 / to.max(1) as f64);
    let lines = [
        ("written_by", pack.tool().to_string()),
        ("profile", pack.profile_name().to_string()),
        ("crawlers", crawlers.join("; ")),
        ("rules_kept", yes(pack.keeps_rules())),
        ("sitemaps_kept", yes(pack.keeps_sitemaps())),
        ("origins", stat.origins.to_string()),
        ("files", stat.files.to_string()),
        ("origins_per_file", ratio(stat.origins, stat.files)),
        ("sites", stat.sites.to_string()),
        ("policies", stat.policies.to_string()),
        ("policies_as_tables", stat.tables.to_string()),
        ("policies_as_rules", (stat.policies - stat.tables).to_string()),
        ("policies_with_pace", stat.paces.to_string()),
        ("sitemap_lists", stat.sitemap_lists.to_string()),
        ("bytes_of_policies", stat.policy_bytes.to_string()),
        ("bytes_of_sitemaps", stat.sitemap_bytes.to_string()),
        ("bytes_of_panels", stat.panel_bytes.to_string()),
        ("bytes_of_rules", stat.rule_bytes.to_string()),
        ("bytes_of_entries", stat.entry_bytes.to_string()),
        ("bytes_of_index", stat.index_bytes.to_string()),
        ("bytes", stat.total_bytes.to_string()),
        ("bytes_per_origin", ratio(stat.total_bytes, stat.origins)),
    ];
    let lines = lines.iter().map(|(name, value)| format!("{name}\t{value}\n"));
    print(lines.collect::<String>())
}

/// A host and the path of its robots.txt.
type Host = (Box<[u8]>, PathBuf);

fn build(args: &PackArgs) -> Result<Status, Failure> {
    let start = Instant::now();
    let Some(output) = &args.output else {
        return Err(Failure::Usage("there is no file to write: name one with -o PATH".into()));
    };
    args.agents.required()?;
    let crawlers = args.agents.crawlers(&args.profile.get())?;
    let mut hosts = match (&args.robots_dir, &args.list) {
        (Some(path), _) => of_folder(path)?,
        (None, Some(path)) => of_list(path)?,
        (None, None) => unreachable!("clap requires one of the options"),
    };
    let inputs = hosts.iter().map(|(_, path)| path).chain(&args.list);
    if let Some(input) = inputs.into_iter().find(|input| is_same(input, output)) {
        return Err(Failure::Usage(format!(
            "'{}' is one of the files to read: name another file with -o PATH",
            input.display()
        )));
    }
    if let Some(folder) = &args.robots_dir {
        robots_dir::refuse_output(folder, output)?;
    }
    // So that the same input makes the same pack.
    hosts.sort_unstable();
    let failed = |cause| Failure::io(format!("cannot write pack '{}'", output.display()), cause);
    let out = BufWriter::with_capacity(1 << 20, temporary(output).map_err(failed)?);
    let mut config = Config::default();
    config.keep_rules = args.keep_rules;
    config.keep_sitemaps = args.keep_sitemaps;
    let writer = Writer::new(out, &args.profile.get(), crawlers, &config).map_err(failed)?;
    let threads = rayon::ThreadPoolBuilder::new().num_threads(args.threads.get()).build();
    let threads = threads.map_err(|cause| failed(io::Error::other(cause)))?;
    let bar = Bar::new(args.progress.progress, Measure::Count(hosts.len() as u64, "hosts"));
    let mut build = Build { writer, origins: 0, failures: 0 };
    for hosts in hosts.chunks(AT_A_TIME) {
        threads.install(|| build.add(hosts)).map_err(failed)?;
        bar.add(hosts.len() as u64);
    }
    bar.end();
    let Build { writer, origins, failures } = build;
    let files = writer.file_count();
    let out = writer.finish().map_err(failed)?;
    let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
    let bytes = file.persist().map_err(failed)?;
    stderr::note(&format_args!(
        "origins {origins} files {files} bytes {bytes} seconds {:.3}",
        start.elapsed().as_secs_f64()
    ));
    Ok(if failures == 0 { Status::Done } else { Status::Failed })
}

fn of_folder(path: &Path) -> Result<Vec<Host>, Failure> {
    let listing = robots_dir::list(path)?;
    listing.warnings.iter().for_each(|warning| stderr::note(warning));
    let hosts = listing.hosts.into_iter();
    Ok(hosts.map(|(host, place)| (host, path.join(&listing.names[place as usize]))).collect())
}

fn of_list(path: &Path) -> Result<Vec<Host>, Failure> {
    let cannot = format!("cannot read list '{}'", path.display());
    let list = if stdin::is_meant(path) {
        let mut list = Vec::new();
        stdin::open().and_then(|input| input.lock().read_to_end(&mut list)).map(|_| list)
    } else {
        fs::read(path)
    };
    let list = list.map_err(|cause| Failure::io(&cannot, cause))?;
    let mut hosts = Vec::new();
    let mut seen = HashSet::new();
    for (number, line) in list.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        let wrong = |what: &str| {
            Failure::Usage(format!("list '{}', line {}: {what}", path.display(), number + 1))
        };
        let tab = line.iter().position(|byte| *byte == b'\t');
        let tab = tab.ok_or_else(|| wrong("there is no tab between the host and the path"))?;
        let (host, file) = (&line[..tab], &line[tab + 1..]);
        let host = host_and_port(host, None)
            .ok_or_else(|| wrong("the text before the tab is not a host"))?;
        let host: Box<[u8]> = Box::from(&*host);
        if !seen.insert(host.clone()) {
            return Err(wrong("the host is in the list twice"));
        }
        let file = path_of(file).ok_or_else(|| wrong("the text after the tab is not a path"))?;
        hosts.push((host, file));
    }
    Ok(hosts)
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(PathBuf::from(OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(|path| PathBuf::from(OsStr::new(path)))
}

struct Build<W> {
    writer: Writer<'static, W>,
    origins: u64,
    /// How many files could not be read.
    failures: usize,
}

impl<W: Write + Send> Build<W> {
    /// Reads these hosts' files with all threads, compiles those that are new, and writes them in
    /// order.
    fn add(&mut self, hosts: &[Host]) -> io::Result<()> {
        let recipe = self.writer.recipe().clone();
        let read =
            |(_, path): &Host| robots_file::read(path).map(|file| (recipe.content(&file), file));
        let files: Vec<_> = hosts.par_iter().map(read).collect();
        let mut met = HashSet::new();
        let is_new: Vec<bool> = files
            .iter()
            .map(|file| {
                let content = file.as_ref().map(|(content, _)| *content);
                content.is_ok_and(|content| {
                    self.writer.known(content).is_none() && met.insert(content)
                })
            })
            .collect();
        let pack = |(file, is_new): (&Result<(u128, Vec<u8>), Failure>, &bool)| match file {
            Ok((_, file)) if *is_new => Some(recipe.pack(file)),
            _ => None,
        };
        let packed: Vec<Option<Packed>> = files.par_iter().zip(&is_new).map(pack).collect();
        for (((host, _), file), packed) in hosts.iter().zip(files).zip(packed) {
            match (file, packed) {
                (Err(failure), _) => {
                    self.failures += 1;
                    stderr::error(&format_args!("{failure}; its host is not in the pack"));
                }
                (Ok(_), Some(packed)) => {
                    let written = self.writer.put(&packed)?;
                    self.add_host(host, written)?;
                }
                (Ok((content, file)), None) => {
                    let written = match self.writer.known(content) {
                        Some(written) => written,
                        None => self.writer.put(&recipe.pack(&file))?,
                    };
                    self.add_host(host, written)?;
                }
            }
        }
        Ok(())
    }

    /// A file named after a host is for http and https.
    fn add_host(&mut self, host: &[u8], written: Written) -> io::Result<()> {
        for scheme in ["http", "https"] {
            let url = [scheme.as_bytes(), b"://", host].concat();
            if let Ok(origin) = Origin::of(&url) {
                self.writer.add(&origin, Outcome::Rules(written), None)?;
                self.origins += 1;
            }
        }
        Ok(())
    }
}

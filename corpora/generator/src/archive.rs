//! Archives of captures as files in a folder, and what a reader must find in them.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread;

use crate::warc::{self, Expected, Site};
use crate::{host_name, url};

/// Writes the files of an archive, `robotstxt-00000.warc` and so on, or `.warc.gz` with `compress`.
/// Returns the number of captures.
///
/// # Errors
///
/// Returns the path that could not be written, and why.
pub fn write(
    folder: &Path,
    seed: u64,
    hosts: u64,
    files: u64,
    threads: u64,
    compress: bool,
) -> Result<u64, (PathBuf, io::Error)> {
    fs::create_dir_all(folder).map_err(|error| (folder.to_owned(), error))?;
    let threads = threads.min(files);
    thread::scope(|scope| {
        let part = |thread: u64| {
            let numbers = (thread..files).step_by(threads as usize);
            scope.spawn(move || write_files(folder, numbers, seed, hosts, files, compress))
        };
        let parts: Vec<_> = (0..threads).map(part).collect();
        parts.into_iter().map(|part| part.join().expect("does not panic")).sum()
    })
}

fn write_files(
    folder: &Path,
    numbers: impl Iterator<Item = u64>,
    seed: u64,
    hosts: u64,
    files: u64,
    compress: bool,
) -> Result<u64, (PathBuf, io::Error)> {
    let end = if compress { ".gz" } else { "" };
    let path = |file: u64| folder.join(format!("robotstxt-{file:05}.warc{end}"));
    let create = |file: u64| {
        let created = File::create(path(file)).map_err(|error| (path(file), error))?;
        Ok((file, BufWriter::with_capacity(1 << 18, created)))
    };
    let mut outs = numbers.map(create).collect::<Result<Vec<_>, _>>()?;
    let written = warc::write(&mut outs, seed, hosts, files, compress);
    let captures = written.map_err(|(file, error)| (path(file), error))?;
    for (file, out) in &mut outs {
        out.flush().map_err(|error| (path(*file), error))?;
    }
    Ok(captures)
}

/// Writes what a reader must find as of the captures: `origins.tsv` has a line for each origin that was
/// asked, and `robots/HOST` a file of the same meaning; only of every `every`-th host. One host is in
/// memory at a time.
///
/// # Errors
///
/// Returns the path that could not be written, and why.
pub fn expect(
    folder: &Path,
    seed: u64,
    hosts: u64,
    every: u64,
) -> Result<(), (PathBuf, io::Error)> {
    let robots = folder.join("robots");
    fs::create_dir_all(&robots).map_err(|error| (robots.clone(), error))?;
    let path = folder.join("origins.tsv");
    let at_path = |error| (path.clone(), error);
    let mut list = BufWriter::new(File::create(&path).map_err(at_path)?);
    for host in (0..hosts).step_by(every as usize) {
        for (origin, expected) in &Site::new(seed, host).expected {
            let (word, file) = match *expected {
                Expected::Rules(text) => ("rules", Some(text.bytes(seed))),
                Expected::AllowAll => ("allow", Some(Vec::new())),
                Expected::DisallowAll => {
                    ("disallow", Some(b"User-agent: *\nDisallow: /\n".to_vec()))
                }
                Expected::Unknown => ("unknown", None),
            };
            writeln!(list, "{origin}\t{word}").map_err(at_path)?;
            if let Some(file) = file {
                let authority = origin.split_once("://").map_or(&origin[..], |(_, rest)| rest);
                let path = robots.join(authority);
                fs::write(&path, file).map_err(|error| (path, error))?;
            }
        }
    }
    list.flush().map_err(at_path)
}

/// Writes URLs of the origins that were asked, hosts at random.
///
/// # Errors
///
/// Returns the path if it could not be written, and why.
pub fn urls(
    path: &Path,
    seed: u64,
    hosts: u64,
    every: u64,
    count: u64,
) -> Result<(), (PathBuf, io::Error)> {
    let write = || {
        let mut file = BufWriter::new(File::create(path)?);
        for number in 0..count {
            file.write_all(&some_url(seed, hosts, every, number).1)?;
            file.write_all(b"\n")?;
        }
        file.flush()
    };
    write().map_err(|error| (path.to_owned(), error))
}

/// Writes an index of pages at [`urls`] in the form of Common Crawl's, CDXJ: lines with the host's
/// labels in reverse and the path, a time, and JSON with the URL, in the order of their bytes.
/// Memory: the lines.
///
/// # Errors
///
/// Returns the path if it could not be written, and why.
pub fn index(
    path: &Path,
    seed: u64,
    hosts: u64,
    every: u64,
    count: u64,
) -> Result<(), (PathBuf, io::Error)> {
    let mut lines: Vec<String> = (0..count)
        .map(|number| {
            let (authority, url) = some_url(seed, hosts, every, number);
            let url = String::from_utf8_lossy(&url).replace('\\', "\\\\").replace('"', "\\\"");
            let path = &url[url.find("://").map_or(0, |at| at + 3) + authority.len()..];
            let (host, port) = authority.split_once(':').unwrap_or((&authority, ""));
            let labels: Vec<&str> = host.rsplit('.').collect();
            let port = if port.is_empty() { String::new() } else { format!(":{port}") };
            format!(
                "{}{port}){} 202311{:02}120000 {{\"url\": \"{url}\", \"mime\": \"text/html\", \
                 \"status\": \"200\"}}\n",
                labels.join(","),
                path.to_lowercase(),
                14 + number % 14,
            )
        })
        .collect();
    lines.sort_unstable();
    fs::write(path, lines.concat()).map_err(|error| (path.to_owned(), error))
}

/// A URL of an origin that was asked, and its host with the port.
fn some_url(seed: u64, hosts: u64, every: u64, number: u64) -> (String, Vec<u8>) {
    // An odd multiplier scatters neighbours; the remainder keeps it in range.
    let scattered = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11;
    let host = scattered % hosts.div_ceil(every) * every;
    let expected = Site::new(seed, host).expected;
    let (origin, _) = &expected[number as usize % expected.len()];
    let url = url(seed, host, number);
    let path = &url["https://".len() + host_name(host).len()..];
    let authority = origin.split_once("://").map_or(&origin[..], |(_, rest)| rest);
    (authority.to_owned(), [origin.as_bytes(), path].concat())
}

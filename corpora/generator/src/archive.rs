//! The subcommand `warc`: writes an archive, or what a reader must find in it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread;

use robotsieve_corpora::warc::{self, Expected, Site};
use robotsieve_corpora::{host_name, url};

use crate::number;

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
pub struct Task {
    captures: u64,
    seed: u64,
    output: Output,
}

#[derive(Debug, PartialEq, Eq)]
enum Output {
    Stdout { compress: bool },
    Files { folder: PathBuf, files: u64, threads: u64, compress: bool },
    Expected { folder: PathBuf, every: u64, urls: u64 },
}

/// Reads the arguments after `warc`. An error is a message for the user.
pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<crate::Task, String> {
    let (mut captures, mut seed, mut plain) = (None, 1, false);
    let (mut out, mut files, mut threads) = (None, None, None);
    let (mut expect, mut every, mut urls) = (None, None, None);
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{name} needs a value"));
        match name.as_str() {
            "--help" | "-h" => return Ok(crate::Task::Help),
            "--captures" => captures = Some(number(&name, &value()?)?),
            "--seed" => seed = number(&name, &value()?)?,
            "--out" => out = Some(value()?),
            "--files" => files = Some(number(&name, &value()?)?),
            "--threads" => threads = Some(number(&name, &value()?)?),
            "--plain" => plain = true,
            "--expect" => expect = Some(value()?),
            "--every" => every = Some(number(&name, &value()?)?),
            "--urls" => urls = Some(number(&name, &value()?)?),
            _ => return Err(format!("{name:?} is not an option of warc")),
        }
    }
    let captures = captures.ok_or("--captures is missing")?;
    let output = match (out, expect) {
        (Some(_), Some(_)) => return Err("--out and --expect exclude each other".into()),
        (None, None) => return Err("--out or --expect is missing".into()),
        (None, Some(folder)) => {
            if files.is_some() || threads.is_some() || plain {
                return Err("--files, --threads and --plain go with --out".into());
            }
            let every = every.unwrap_or(1);
            if every == 0 {
                return Err("--every needs a number from 1".into());
            }
            Output::Expected { folder: folder.into(), every, urls: urls.unwrap_or(0) }
        }
        (Some(out), None) => {
            if every.is_some() || urls.is_some() {
                return Err("--every and --urls go with --expect".into());
            }
            let (files, threads) = (files.unwrap_or(1), threads.unwrap_or(1));
            if files == 0 || threads == 0 {
                return Err("--files and --threads need a number from 1".into());
            }
            match out.as_str() {
                "-" if files > 1 => return Err("several files need a folder".into()),
                "-" => Output::Stdout { compress: !plain },
                _ => Output::Files { folder: out.into(), files, threads, compress: !plain },
            }
        }
    };
    Ok(crate::Task::Archive(Task { captures, seed, output }))
}

/// Does the task. An error is the path, and what happened there.
pub fn write(task: &Task) -> Result<(), (PathBuf, io::Error)> {
    let Task { captures, seed, output } = task;
    let hosts = warc::hosts_of(*seed, *captures);
    match output {
        Output::Stdout { compress } => {
            let stdout = BufWriter::with_capacity(1 << 20, io::stdout().lock());
            let mut outs = [(0, stdout)];
            let written = warc::write(&mut outs, *seed, hosts, 1, *compress);
            let written = written.map_err(|(_, error)| error);
            let flushed = written.and_then(|captures| outs[0].1.flush().map(|()| captures));
            let captures = flushed.map_err(|error| (PathBuf::from("standard output"), error))?;
            eprintln!("{captures} captures of {hosts} hosts");
        }
        Output::Files { folder, files, threads, compress } => {
            fs::create_dir_all(folder).map_err(|error| (folder.clone(), error))?;
            let threads = *threads.min(files);
            let captures = thread::scope(|scope| {
                let part = |thread: u64| {
                    let numbers = (thread..*files).step_by(threads as usize);
                    scope.spawn(move || {
                        write_files(folder, numbers, *seed, hosts, *files, *compress)
                    })
                };
                let parts: Vec<_> = (0..threads).map(part).collect();
                let parts = parts.into_iter().map(|part| part.join().expect("does not panic"));
                parts.sum::<Result<u64, _>>()
            })?;
            eprintln!("{captures} captures of {hosts} hosts in {files} files");
        }
        Output::Expected { folder, every, urls } => {
            write_expected(folder, *seed, hosts, *every, *urls)?;
        }
    }
    Ok(())
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

/// One host is in memory at a time.
fn write_expected(
    folder: &Path,
    seed: u64,
    hosts: u64,
    every: u64,
    urls: u64,
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
    list.flush().map_err(at_path)?;
    if urls == 0 {
        return Ok(());
    }
    let path = folder.join("urls.txt");
    write_urls(&path, seed, hosts, every, urls).map_err(|error| (path, error))
}

/// URLs of the expected origins, hosts at random.
fn write_urls(path: &Path, seed: u64, hosts: u64, every: u64, urls: u64) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let chosen = hosts.div_ceil(every);
    for number in 0..urls {
        // An odd multiplier scatters neighbours; the remainder keeps it in range.
        let scattered = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11;
        let host = scattered % chosen * every;
        let expected = Site::new(seed, host).expected;
        let (origin, _) = &expected[number as usize % expected.len()];
        let url = url(seed, host, number);
        let path = &url["https://".len() + host_name(host).len()..];
        file.write_all(origin.as_bytes())?;
        file.write_all(path)?;
        file.write_all(b"\n")?;
    }
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(words: &str) -> Result<crate::Task, String> {
        parse(words.split_whitespace().map(String::from))
    }

    #[test]
    fn arguments() {
        let output = Output::Files { folder: "d".into(), files: 4, threads: 2, compress: false };
        let task = Task { captures: 9, seed: 3, output };
        assert_eq!(
            parse_words("--captures 9 --seed 3 --files 4 --threads 2 --plain --out d"),
            Ok(crate::Task::Archive(task))
        );
        let output = Output::Expected { folder: "d".into(), every: 7, urls: 5 };
        assert_eq!(
            parse_words("--captures 9 --expect d --every 7 --urls 5"),
            Ok(crate::Task::Archive(Task { captures: 9, seed: 1, output }))
        );
        let output = Output::Stdout { compress: true };
        assert_eq!(
            parse_words("--captures 9 --out -"),
            Ok(crate::Task::Archive(Task { captures: 9, seed: 1, output }))
        );
        for wrong in [
            "",
            "--captures 9",
            "--captures 9 --out",
            "--captures 9 --out - --files 2",
            "--captures 9 --out d --files 0",
            "--captures 9 --out d --urls 5",
            "--captures 9 --expect d --plain",
            "--captures 9 --expect d --every 0",
            "--captures 9 --expect d --out e",
            "--captures 9 --hosts 5 --out d",
        ] {
            assert!(parse_words(wrong).is_err(), "{wrong}");
        }
    }
}

//! The subcommand `warc`: writes an archive, or what a reader must find in it.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use robotsieve_corpora::{archive, warc};

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
    Expected { folder: PathBuf, every: u64, urls: u64, index: u64 },
}

/// Reads the arguments after `warc`. An error is a message for the user.
pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<crate::Task, String> {
    let (mut captures, mut seed, mut plain) = (None, 1, false);
    let (mut out, mut files, mut threads) = (None, None, None);
    let (mut expect, mut every, mut urls, mut index) = (None, None, None, None);
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
            "--index" => index = Some(number(&name, &value()?)?),
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
            let (urls, index) = (urls.unwrap_or(0), index.unwrap_or(0));
            Output::Expected { folder: folder.into(), every, urls, index }
        }
        (Some(out), None) => {
            if every.is_some() || urls.is_some() || index.is_some() {
                return Err("--every, --urls and --index go with --expect".into());
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
            let captures = archive::write(folder, *seed, hosts, *files, *threads, *compress)?;
            eprintln!("{captures} captures of {hosts} hosts in {files} files");
        }
        Output::Expected { folder, every, urls, index } => {
            archive::expect(folder, *seed, hosts, *every)?;
            if *urls > 0 {
                archive::urls(&folder.join("urls.txt"), *seed, hosts, *every, *urls)?;
            }
            if *index > 0 {
                archive::index(&folder.join("index.cdxj"), *seed, hosts, *every, *index)?;
            }
        }
    }
    Ok(())
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
        let output = Output::Expected { folder: "d".into(), every: 7, urls: 5, index: 3 };
        assert_eq!(
            parse_words("--captures 9 --expect d --every 7 --urls 5 --index 3"),
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
            "--captures 9 --out d --index 5",
            "--captures 9 --expect d --plain",
            "--captures 9 --expect d --every 0",
            "--captures 9 --expect d --out e",
            "--captures 9 --hosts 5 --out d",
        ] {
            assert!(parse_words(wrong).is_err(), "{wrong}");
        }
    }
}

//! Every verdict by way of an archive is that of the same files in a folder.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use robotsieve_corpora::shared::corpus;
use robotsieve_corpora::{archive, effort, warc};
use robotsieve_corpus_test::corpus_test;

use crate::command::{Folder, gzip, run, run_with};

const AGENTS: [&str; 4] = ["--agent", "GPTBot", "--agent", "MyArchiver"];

/// What `filter` says to these URLs.
fn filter(source: impl IntoIterator<Item = OsString>, urls: &Path) -> Vec<u8> {
    let args = args!["filter", "--format", "tsv", urls].into_iter().chain(source);
    let ran = run(args);
    assert_eq!(ran.status, 0, "{ran:?}");
    ran.out
}

/// Asserts that a pack made of these sources says the same as these verdicts.
#[track_caller]
fn same(folder: &Folder, pack: &[OsString], input: &[u8], urls: &Path, wanted: &[u8]) {
    let out = folder.path("out.pack");
    let first = args!["pack", "-o", &out];
    let args = first.into_iter().chain(AGENTS.map(OsString::from)).chain(pack.iter().cloned());
    let ran = run_with(args, input);
    ran.gives(0, "");
    let found = filter(args!["--pack", &out], urls);
    let lines = |text: &[u8]| text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (found, wanted): (Vec<_>, Vec<_>) = (lines(&found), lines(wanted));
    assert_eq!(found.len(), wanted.len(), "{pack:?}");
    let differ = found.iter().zip(&wanted).filter(|(found, wanted)| found != wanted);
    let differ: Vec<String> =
        differ.map(|(found, _)| String::from_utf8_lossy(found).into_owned()).collect();
    assert!(differ.is_empty(), "{pack:?}: {} differ: {:#?}", differ.len(), &differ[..1]);
    let removed = if out.is_dir() { fs::remove_dir_all(&out) } else { fs::remove_file(&out) };
    removed.unwrap();
}

/// Generated archives, with all that happens in them: redirects, loops, revisits, failures, several
/// captures of a site, in one file and in several.
#[test]
fn generated() {
    const HOSTS: u64 = 2_000;
    let folder = Folder::new();
    for seed in [1, 77].into_iter().take(effort::cases(2)) {
        let expected = folder.path(&format!("expected-{seed}"));
        archive::expect(&expected, seed, HOSTS, 1).unwrap();
        let (robots, urls) = (expected.join("robots"), expected.join("urls.txt"));
        archive::urls(&urls, seed, HOSTS, 1, 10 * HOSTS).unwrap();
        let source = args!["--robots-dir", &robots].into_iter().chain(AGENTS.map(OsString::from));
        let wanted = filter(source, &urls);
        assert!(wanted.split(|byte| *byte == b'\n').count() > 10 * HOSTS as usize);
        assert!(["allow", "disallow", "unknown"].iter().all(|verdict| {
            memchr::memmem::find(&wanted, format!("\n{verdict}\t").as_bytes()).is_some()
        }));

        let mut whole = [(0, Vec::new())];
        warc::write(&mut whole, seed, HOSTS, 1, false).unwrap();
        same(&folder, &args!["--warc", "-"], &whole[0].1, &urls, &wanted);
        let mut parts: Vec<(u64, Vec<u8>)> = (0..3).map(|file| (file, Vec::new())).collect();
        warc::write(&mut parts, seed, HOSTS, 3, true).unwrap();
        let parts = parts.into_iter().rev();
        let parts = parts.map(|(file, bytes)| folder.file(&format!("{file}.warc.gz"), bytes));
        let mut sources = args!["--shards", "3"].to_vec();
        sources.extend(parts.flat_map(|path| args!["--from", path]));
        same(&folder, &sources, b"", &urls, &wanted);

        // A store has one answer for each site, and judges it likewise.
        let path = folder.file("whole.warc", &whole[0].1);
        let store = folder.path(&format!("{seed}.store"));
        assert_eq!(run(args!["store", "import", &store, "--warc", &path]).status, 0);
        let source = args!["--store", &store, "--as-of", "capture"].into_iter();
        let found = filter(source.chain(AGENTS.map(OsString::from)), &urls);
        assert!(found == wanted, "store of seed {seed}");
    }
}

/// Files of real sites, as an archive in which they are encoded in every way.
#[corpus_test]
fn corpus_as_an_archive() {
    let folder = Folder::new();
    let robots = corpus().join("robots");
    let mut hosts: Vec<String> = fs::read_dir(&robots)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    hosts.sort();
    let mut archive = Vec::new();
    for (number, host) in hosts.iter().enumerate() {
        let mut body = fs::read(robots.join(host)).unwrap();
        let mut head = "HTTP/1.1 200 OK\r\n".to_owned();
        if number % 2 == 1 {
            head += "Content-Encoding: gzip\r\n";
            body = gzip(&body);
        }
        if number % 4 > 1 {
            head += "Transfer-Encoding: chunked\r\n";
            let chunks = body.chunks(5_000);
            let chunk = |chunk: &[u8]| {
                [format!("{:X}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat()
            };
            let mut chunked: Vec<u8> = chunks.flat_map(chunk).collect();
            chunked.extend_from_slice(b"0\r\n\r\n");
            body = chunked;
        }
        for scheme in ["https", "http"] {
            let mut record = format!(
                "WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-01-10T12:00:00Z\r\n\
                 WARC-Target-URI: {scheme}://{host}/robots.txt\r\n\
                 Content-Type: application/http; msgtype=response\r\n\
                 Content-Length: {}\r\n\r\n{head}\r\n",
                head.len() + 2 + body.len()
            )
            .into_bytes();
            record.extend_from_slice(&body);
            record.extend_from_slice(b"\r\n\r\n");
            archive.extend(gzip(&record));
        }
    }
    let archive = folder.file("corpus.warc.gz", archive);

    let mut text = Vec::new();
    let verdicts = fs::File::open(corpus().join("verdicts.google.tsv.gz")).unwrap();
    MultiGzDecoder::new(verdicts).read_to_end(&mut text).unwrap();
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let urls: HashSet<&[u8]> =
        lines.map(|line| line.splitn(4, |byte| *byte == b'\t').nth(3).unwrap()).collect();
    let mut urls: Vec<&[u8]> = urls.into_iter().collect();
    urls.sort_unstable();
    assert!(urls.len() > 100_000, "{}", urls.len());
    let urls = folder.file("urls.txt", urls.join(&b'\n'));
    let source = args!["--robots-dir", &robots].into_iter().chain(AGENTS.map(OsString::from));
    let wanted = filter(source, &urls);
    same(&folder, &args!["--warc", &archive], b"", &urls, &wanted);
}

//! The reader of WARC files beside fastwarc: processor time for the same files, in one run.
//!
//! The archive is generated, and written four times: plain, gzip with a member for each record (level
//! 6), and zstd with a frame for each record (level 3), without and with a dictionary in front. Each
//! reader is timed twice:
//!
//! - *captures*: of each response and revisit the URL, time and status, and of each 2xx the body,
//!   with transfer and content encodings undone. fastwarc: `parse_http_with_decode`, and `read_to_end`
//!   of 2xx; gzip is undone here, with flate2 on zlib-rs, because fastwarc 2.0.0 does not find the
//!   next record behind a body that is both chunked and compressed. robotsieve: `warc::read`, which
//!   also finds the origin of each URL and where each `Location` leads, and keeps places for messages.
//! - *blocks*: fastwarc alone, all records of all kinds: the heads parsed, the body read as it is
//!   stored. That is less than what robotsieve does of any record it keeps.
//!
//! Both read the file from the page cache, with one thread that decodes. Time is that of all threads
//! of the process. The number of captures, and of bytes of bodies, must be equal.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use fastwarc::warc::header::WarcHeader;
use fastwarc::warc::iter::{ArchiveIterator, ArchiveIteratorOptions};
use fastwarc::warc::record::{AutoDecode, WarcRecordType};
use robotsieve_captures::SiteAnswer;
use robotsieve_captures::warc::{self, Panicked, WarcInput, WarcItem};
use robotsieve_corpora::warc as generator;
use rustix::time::{ClockId, clock_gettime};

const USAGE: &str = "usage: … --bin warc [-- --smoke | --captures <n> | --only <part of a name>]";
const SEED: u64 = 1;
const DICTIONARY_BYTES: usize = 110 << 10;
/// The magic number of the frame with the dictionary:
/// <https://iipc.github.io/warc-specifications/specifications/warc-zstd/>.
const DICTIONARY_FRAME: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (captures, rounds, only) = match arguments[..] {
        [] => (50_000, 5, ""),
        ["--smoke"] => (500, 1, ""),
        ["--only", part] => (50_000, 5, part),
        ["--captures", number] => (number.parse().expect(USAGE), 5, ""),
        _ => {
            eprintln!("{USAGE}");
            std::process::exit(2);
        }
    };
    let folder = std::env::temp_dir().join(format!("robotsieve-warc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let measured = std::panic::catch_unwind(|| measure(&folder, captures, rounds, only));
    std::fs::remove_dir_all(&folder).expect("it was made above");
    if measured.is_err() {
        std::process::exit(101);
    }
}

fn measure(folder: &Path, captures: u64, rounds: u32, only: &str) {
    let mut plain = Vec::new();
    let hosts = generator::hosts_of(SEED, captures);
    generator::write(&mut [(0, &mut plain)], SEED, hosts, 1, false).expect("into memory");
    let files = files(folder, &plain, only);
    println!(
        "{} MB of plain WARC; MB/s of it, by processor time, the best of {rounds}\n\n\
         | | bytes | robotsieve | fastwarc, captures | ratio | fastwarc, blocks | ratio |\n\
         |---|---:|---:|---:|---:|---:|---:|",
        plain.len() / 1_000_000
    );
    for (name, path) in files {
        let mut best = [f64::INFINITY; 3];
        for _ in 0..rounds {
            let readers = [
                of_robotsieve as fn(&Path) -> Found,
                |path| of_fastwarc(path, Depth::Captures),
                |path| of_fastwarc(path, Depth::Blocks),
            ];
            let mut found = [Found::default(); 3];
            for (place, read) in readers.into_iter().enumerate() {
                let before = processor_seconds();
                found[place] = read(&path);
                best[place] = best[place].min(processor_seconds() - before);
            }
            assert_eq!(found[0], found[1], "{name}");
            assert_eq!(found[0].captures, found[2].captures, "{name}");
            assert!(found[0].captures >= captures, "{name}: {:?}", found[0]);
        }
        let rate = best.map(|seconds| plain.len() as f64 / 1e6 / seconds);
        println!(
            "| {name} | {} | {:.0} | {:.0} | {:.2} × | {:.0} | {:.2} × |",
            std::fs::metadata(&path).expect("it was written").len(),
            rate[0],
            rate[1],
            rate[0] / rate[1],
            rate[2],
            rate[0] / rate[2],
        );
    }
}

/// The archive in all its forms, but for those whose names do not have `only` in them.
fn files(folder: &Path, plain: &[u8], only: &str) -> Vec<(&'static str, PathBuf)> {
    let records: Vec<&[u8]> = records(plain).collect();
    let gzip = || {
        let mut out = Vec::new();
        for record in &records {
            let level = flate2::Compression::new(6);
            let mut encoder = flate2::write::GzEncoder::new(&mut out, level);
            encoder.write_all(record).expect("into memory");
            encoder.finish().expect("into memory");
        }
        out
    };
    let zstd = |dictionary: &[u8]| {
        let mut out = Vec::new();
        if !dictionary.is_empty() {
            out.extend_from_slice(&DICTIONARY_FRAME);
            out.extend_from_slice(&u32::try_from(dictionary.len()).expect("small").to_le_bytes());
            out.extend_from_slice(dictionary);
        }
        let mut encoder =
            zstd::bulk::Compressor::with_dictionary(3, dictionary).expect("a valid dictionary");
        encoder.include_checksum(true).expect("it is a parameter");
        for record in &records {
            out.extend(encoder.compress(record).expect("memory"));
        }
        out
    };
    let dictionary = || {
        let samples: Vec<&[u8]> = records.iter().step_by(7).take(20_000).copied().collect();
        zstd::dict::from_samples(&samples, DICTIONARY_BYTES).expect("enough samples")
    };
    type Form<'a> = (&'static str, &'static str, &'a dyn Fn() -> Vec<u8>);
    let forms: [Form; 4] = [
        ("plain", "a.warc", &|| plain.to_vec()),
        ("gzip", "a.warc.gz", &gzip),
        ("zstd", "b.warc.zst", &|| zstd(&[])),
        ("zstd, dictionary", "c.warc.zst", &|| zstd(&dictionary())),
    ];
    let wanted = forms.into_iter().filter(|(name, ..)| name.contains(only));
    let written = wanted.map(|(name, file, bytes)| {
        let path = folder.join(file);
        std::fs::write(&path, bytes()).expect("room for the archive");
        (name, path)
    });
    written.collect()
}

/// The records of a sound plain file, each with the empty lines behind it.
fn records(mut plain: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let head = memchr::memmem::find(plain, b"\r\n\r\n")? + 4;
        let name = b"\r\nContent-Length: ";
        let at = memchr::memmem::find(&plain[..head], name).expect("each has one") + name.len();
        let digits = plain[at..].split(|byte| *byte == b'\r').next().expect("the rest");
        let len: usize = str::from_utf8(digits).expect("digits").parse().expect("a number");
        let (record, rest) = plain.split_at(head + len + 4);
        plain = rest;
        Some(record)
    })
}

/// What was found, in order to compare it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Found {
    captures: u64,
    /// Those with a status of 2xx.
    files: u64,
    body_bytes: u64,
}

fn of_robotsieve(path: &Path) -> Found {
    let mut found = Found::default();
    let act = |item| {
        let WarcItem::Capture(capture) = item else { panic!("{item:?}") };
        found.captures += 1;
        if let SiteAnswer::Final(response) = &capture.answer
            && (200..300).contains(&response.status)
        {
            found.files += 1;
            found.body_bytes += response.body.len() as u64;
        }
        Ok::<(), Panicked>(())
    };
    warc::read([Ok(WarcInput::open(path).expect("it was written"))], 1, act, |_| ())
        .expect("it is sound");
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Captures,
    Blocks,
}

fn of_fastwarc(path: &Path, depth: Depth) -> Found {
    let is_decoded = depth == Depth::Captures;
    let options = ArchiveIteratorOptions {
        inplace: true,
        // It is parsed below, of those that are captures.
        parse_http: !is_decoded,
        ..ArchiveIteratorOptions::default()
    };
    let archive = ArchiveIterator::from_path_with_options(path, options).expect("it was written");
    let mut found = Found::default();
    let (mut body, mut decoded) = (Vec::new(), Vec::new());
    for record in archive {
        let record = record.expect("it is sound");
        let mut record = record.borrow_mut();
        let is_capture =
            matches!(record.record_type(), WarcRecordType::Response | WarcRecordType::Revisit);
        found.captures += u64::from(is_capture);
        if is_decoded {
            if !is_capture {
                continue;
            }
            let (url, date) = (WarcHeader::WarcTargetUri.as_str(), WarcHeader::WarcDate.as_str());
            std::hint::black_box((record.headers().get(url), record.headers().get(date)));
            record.parse_http_with_decode(AutoDecode::TransferEncoding).expect("it is sound");
            let status = record.http_headers().and_then(|head| head.status_code());
            if !status.is_some_and(|status| (200..300).contains(&status)) {
                continue;
            }
            found.files += 1;
        }
        body.clear();
        let reader = record.reader_mut().expect("each has one");
        reader.read_to_end(&mut body).expect("it is sound");
        let encoding = record.http_headers().and_then(|head| head.get("Content-Encoding"));
        if is_decoded && encoding.as_deref() == Some("gzip") {
            decoded.clear();
            let mut gzip = flate2::bufread::MultiGzDecoder::new(&body[..]);
            gzip.read_to_end(&mut decoded).expect("it is sound");
            std::mem::swap(&mut body, &mut decoded);
        }
        found.body_bytes += body.len() as u64;
    }
    found
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

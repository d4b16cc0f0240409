//! Reading in pieces, damage, and what stands in archives.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use robotsieve::SiteKind;
use robotsieve_client::outcome::{AsOf, Event, Protocol};

use super::*;
use crate::capture::At;
use crate::history::Says;

const DATE: &str = "2026-01-10T12:00:00Z";
const AT: u64 = 1_768_046_400;

fn record(kind: &str, url: &str, more: &str, block: &[u8]) -> Vec<u8> {
    let content_type = match kind {
        "response" | "revisit" => "application/http; msgtype=response",
        _ => "text/plain",
    };
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:1f0a>\r\nWARC-Date: {DATE}\r\n\
         {more}Content-Type: {content_type}\r\nContent-Length: {}\r\nWARC-Target-URI: {url}\r\n\r\n",
        block.len(),
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn answer(host: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let block = [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat();
    record("response", &format!("https://{host}/robots.txt"), "", &block)
}

fn gzip(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut member = GzEncoder::new(Vec::new(), Compression::new(level));
    member.write_all(bytes).unwrap();
    member.finish().unwrap()
}

fn zstd_frame(bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut frame = zstd::Encoder::with_dictionary(Vec::new(), 3, dictionary).unwrap();
    frame.include_checksum(true).unwrap();
    frame.write_all(bytes).unwrap();
    frame.finish().unwrap()
}

/// Every compression of the same records.
fn written(records: &[Vec<u8>]) -> Vec<(&'static str, Vec<u8>)> {
    let dictionary = records[0].repeat(3);
    let skippable = |content: &[u8]| {
        let len = u32::try_from(content.len()).unwrap().to_le_bytes();
        [&[0x5d, 0x2a, 0x4d, 0x18][..], &len, content].concat()
    };
    let each = |pack: &dyn Fn(&[u8]) -> Vec<u8>| -> Vec<u8> {
        records.iter().flat_map(|record| pack(record)).collect()
    };
    let with_dictionary = each(&|record| zstd_frame(record, &dictionary));
    vec![
        ("plain", records.concat()),
        ("members", each(&|record| gzip(record, 6))),
        ("stored members", each(&|record| gzip(record, 0))),
        ("one member", gzip(&records.concat(), 6)),
        ("frames", each(&|record| zstd_frame(record, b""))),
        ("one frame", zstd_frame(&records.concat(), b"")),
        ("dictionary", [skippable(&dictionary), with_dictionary.clone()].concat()),
        ("packed dictionary", [skippable(&zstd_frame(&dictionary, b"")), with_dictionary].concat()),
    ]
}

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Files {
        Files(tempfile::tempdir().unwrap())
    }

    fn file(&self, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join("w.warc");
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn opened(path: impl AsRef<Path>) -> Result<WarcInput, Unreadable> {
    let path = path.as_ref();
    WarcInput::open(path).map_err(|cause| Unreadable { name: path.into(), cause })
}

/// What a file has: keys and bodies, and counts.
fn read_all(path: &Path, threads: usize, piece_bytes: u64) -> (Vec<(String, String)>, Counts) {
    read_source(opened(path), threads, piece_bytes)
}

fn read_source(
    source: Result<WarcInput, Unreadable>,
    threads: usize,
    piece_bytes: u64,
) -> (Vec<(String, String)>, Counts) {
    let mut captures = Vec::new();
    let (mut damaged, mut unreadable) = (0, 0);
    let counts = Reading { threads, piece_bytes }.read(
        [source],
        &Captures,
        &mut Collect::new(|item| {
            let capture = match item {
                WarcItem::Capture(capture) => capture,
                WarcItem::Damaged { .. } => {
                    damaged += 1;
                    return Ok(());
                }
                WarcItem::Unreadable(_) => {
                    unreadable += 1;
                    return Ok(());
                }
                WarcItem::Known(known) => panic!("{known:?}"),
            };
            let said = match &capture.answer {
                SiteAnswer::Final(found) => {
                    format!("{} {}", found.status, String::from_utf8_lossy(&found.body))
                }
                SiteAnswer::Redirect(redirect) => redirect.to_string(),
                SiteAnswer::Failed(failure) => failure.to_string(),
                SiteAnswer::Same(same) => {
                    let places = same.places.iter().flatten().map(|place| match place.exactly {
                        Some(at) => format!("{} at {at}", place.key),
                        None => place.key.to_string(),
                    });
                    let places: Vec<String> = places.collect();
                    let own = same.own.as_ref().map(|own| own.status.to_string());
                    format!("{} as {}", own.unwrap_or_default(), places.join(", "))
                }
            };
            captures.push((capture.key().to_owned(), said));
            Ok(())
        }),
        |_| {},
    );
    let counts: Result<Counts, Panicked> = counts;
    let counts = counts.unwrap();
    assert_eq!((counts.damaged, counts.unreadable), (damaged, unreadable));
    (captures, counts)
}

/// Answers come with all of their header and with their body, in the order of the input, and what is damaged
/// or no answer is told or passed over.
#[test]
fn responses() {
    let files = Files::new();
    let page = b"<meta name=robots content=noindex>";
    let packed = gzip(page, 6);
    let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
    let half = [&head[..], &packed[..packed.len() - 8]].concat();
    let records = [
        answer("a.example", "200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noai", page),
        record("request", "https://a.example/", "", b"GET / HTTP/1.1\r\n\r\n"),
        record("response", "dns:a.example", "", b"1.2.3.4"),
        record(
            "response",
            "https://b.example/cut",
            "WARC-Truncated: length\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<meta",
        ),
        record(
            "revisit",
            "https://b.example/",
            "WARC-Refers-To-Date: 2026-01-01T00:00:00Z\r\n",
            b"",
        ),
        record(
            "response",
            "https://c.example/",
            "",
            b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<meta",
        ),
        record("response", "https://d.example/", "", b"nonsense"),
        record("response", "https://f.example/", "", &half),
        record("response", "not a URL", "", b"HTTP/1.1 200 OK\r\n\r\n"),
    ];
    for (name, bytes) in written(&records) {
        for threads in [0, 1, 3] {
            let mut made = Vec::new();
            let look = |response: &ResponseRecord<'_>| {
                assert_eq!(response.repeats.is_some(), response.status == 0, "{response:?}");
                let body = response.body().map(|body| (body.bytes.len(), body.is_cut)).ok();
                let (url, status) = (response.url, response.status);
                let has_tag = response.header("x-robots-tag").is_some();
                Ok(format!("{url} {status} {has_tag} {body:?}"))
            };
            let act = |item: ResponseItem<String>| {
                made.push(match item {
                    ResponseItem::Made(made) => made,
                    ResponseItem::Damaged { what, .. } => what,
                    ResponseItem::Unreadable(unreadable) => panic!("{unreadable:?}"),
                });
                Ok::<(), Panicked>(())
            };
            let counts = read_responses(
                Answers::Responses,
                [opened(files.file(&bytes))],
                threads,
                look,
                String::len,
                act,
                |_| {},
            )
            .unwrap();
            assert_eq!(
                made,
                [
                    "https://a.example/robots.txt 200 true Some((34, false))",
                    "https://b.example/cut 200 false Some((5, true))",
                    "https://b.example/ 0 false None",
                    "https://c.example/ 200 false Some((5, true))",
                    "it is not an HTTP answer: it has no head, as in HTTP/0.9",
                    "https://f.example/ 200 false Some((34, true))",
                    "the record has no valid WARC-Target-URI",
                ],
                "{name}"
            );
            assert_eq!((counts.records, counts.damaged), (9, 2), "{name}");
        }
    }
}

/// Records of which some have another record in their body: what it says is nobody's.
fn sly() -> Vec<Vec<u8>> {
    let forged = answer("forged.example", "200 OK", b"User-agent: *\nAllow: /\n");
    let plain = [b"x\r\n\r\n", &forged[..], &forged].concat();
    let member = [&gzip(&forged, 6)[..], &zstd_frame(&forged, b""), b"# "].concat();
    (0..40)
        .map(|number| {
            let long = format!("# {number}\n").repeat(number * 7);
            let bodies: [&[u8]; 4] =
                [b"User-agent: *\nDisallow: /", &plain, &member, long.as_bytes()];
            answer(&format!("h{number}.example"), "200 OK", bodies[number % 4])
        })
        .collect()
}

#[test]
fn pieces_change_nothing() {
    let files = Files::new();
    let hosts: Vec<String> = (0..40).map(|number| format!("https://h{number}.example")).collect();
    let check = |records: &[Vec<u8>], sizes: &[u64]| {
        for (name, bytes) in written(records) {
            let path = files.file(&bytes);
            let mut whole = None;
            for piece_bytes in sizes {
                let found = read_all(&path, 2, *piece_bytes);
                let keys = found.0.iter().map(|(key, _)| key);
                assert!(keys.eq(&hosts[..records.len()]), "{name} {piece_bytes}: {found:?}");
                let (records, bytes) = (records.len() as u64, bytes.len() as u64);
                let counts = Counts { records, bytes, ..Counts::default() };
                assert_eq!(found.1, counts, "{name} {piece_bytes}");
                let same = whole.get_or_insert_with(|| found.clone());
                assert!(*same == found, "{name} {piece_bytes}");
            }
        }
    };
    check(&sly(), &[1 << 20, 200, 333, 1000, 4096]);
    check(&sly()[..4], &[1 << 20, 1, 7, 64]);
}

/// Small members are inflated at once, long ones as a stream, and so are those that what was read ends
/// within. A damaged byte in one costs that one.
#[test]
fn members_of_all_sizes() {
    let files = Files::new();
    let line = b"Disallow: /what/follows/is/much/the/same\n";
    let body = |len: usize| [b"User-agent: *\n", &line.repeat(len / line.len())[..]].concat();
    let sizes = [0, 100, 60_000, 70_000, 300_000, 500_000, 200, 2_000_000, 5_000_000, 300];
    let mut records: Vec<Vec<u8>> =
        sizes.iter().map(|len| record("other", "", "", &body(*len))).collect();
    // Those that are kept stand between them.
    let mut at = 0;
    for len in [100, 70_000, 300_000, 400_000] {
        records.insert(at, answer(&format!("h{len}.example"), "200 OK", &body(len)));
        at += 3;
    }
    let head = || flate2::GzBuilder::new().extra(vec![7; 300]).filename("w").comment("c").mtime(9);
    let with_head = |record: &Vec<u8>| {
        let mut member = head().write(Vec::new(), Compression::new(1));
        member.write_all(record).unwrap();
        member.finish().unwrap()
    };
    let wanted = read_all(&files.file(&records.concat()), 1, PIECE_BYTES);
    assert_eq!((wanted.0.len(), wanted.1.records), (4, records.len() as u64));
    for level in [0, 1, 6] {
        let members: Vec<Vec<u8>> = records.iter().map(|record| gzip(record, level)).collect();
        let (found, counts) = read_all(&files.file(&members.concat()), 1, PIECE_BYTES);
        assert_eq!((&found, counts.records, counts.damaged), (&wanted.0, wanted.1.records, 0));
        for damaged in 0..members.len() {
            let mut members = members.clone();
            let at = members[damaged].len() - 5;
            members[damaged][at] ^= 0x10;
            let (found, counts) = read_all(&files.file(&members.concat()), 1, PIECE_BYTES);
            assert_eq!((counts.records, counts.damaged), (wanted.1.records - 1, 1));
            let is_capture = !found.iter().eq(&wanted.0);
            assert_eq!(found.len(), wanted.0.len() - usize::from(is_capture), "{damaged}");
        }
    }
    let members: Vec<u8> = records.iter().flat_map(with_head).collect();
    assert_eq!(read_all(&files.file(&members), 1, PIECE_BYTES).0, wanted.0);
    // Many records in a member, more than is inflated at once.
    assert_eq!(read_all(&files.file(&gzip(&records.concat(), 6)), 1, PIECE_BYTES).0, wanted.0);
}

/// Files, streams and bytes in memory have the same captures and the same damage.
#[test]
fn sources_are_alike() {
    let files = Files::new();
    for (name, bytes) in written(&sly()) {
        let cut = &bytes[..bytes.len() - bytes.len() / 3];
        let of_file = read_all(&files.file(cut), 2, 1000);
        let of_memory = read_source(Ok(WarcInput::memory("w", cut.to_vec()).unwrap()), 2, 1000);
        assert!(of_memory == of_file, "{name}");
        let stream = std::io::Cursor::new(cut.to_vec());
        let of_stream = read_source(Ok(WarcInput::stream("w", stream).unwrap()), 2, 1000);
        assert!(of_stream == of_file, "{name}");
    }
}

/// What a stream has before it fails counts, and the failure is told with its name.
#[test]
fn a_stream_that_fails() {
    struct Fails;
    impl std::io::Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the wire is cut"))
        }
    }
    let good = answer("e.com", "200 OK", b"");
    // Streams are read by the block.
    let bytes = good.repeat((2 << 20) / good.len());
    let stream = std::io::Read::chain(std::io::Cursor::new(bytes), Fails);
    let (mut captures, mut failures) = (0, Vec::new());
    let act = |item| {
        match item {
            WarcItem::Capture(_) => captures += 1,
            WarcItem::Unreadable(Unreadable { name, cause }) => {
                failures.push(format!("{}: {cause}", name.display()));
            }
            WarcItem::Known(_) | WarcItem::Damaged { .. } => panic!("{item:?}"),
        }
        Ok::<(), Panicked>(())
    };
    let source = WarcInput::stream("pipe", stream).unwrap();
    let counts = read([Ok(source)], 1, act, |_| {}).unwrap();
    assert!(captures > 1000, "{captures}");
    assert_eq!((failures, counts.unreadable), (vec!["pipe: the wire is cut".to_owned()], 1));
}

/// A simple generator of numbers: Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// Damage anywhere loses the record that it is in, no other, and is told; and whatever the pieces,
/// the same is found.
#[test]
fn damage_loses_what_is_damaged_and_is_told() {
    let files = Files::new();
    let records: Vec<Vec<u8>> = (0..30)
        .map(|number| {
            let body =
                format!("User-agent: *\nDisallow: /{number}\n# {}\n", "é".repeat(number * 5));
            answer(&format!("h{number}.example"), "200 OK", body.as_bytes())
        })
        .collect();
    let packed = |pack: &dyn Fn(&[u8]) -> Vec<u8>| records.iter().map(|one| pack(one)).collect();
    let all: [(&str, Vec<Vec<u8>>); 4] = [
        ("plain", records.clone()),
        ("members", packed(&|record| gzip(record, 6))),
        ("stored members", packed(&|record| gzip(record, 0))),
        ("frames", packed(&|record| zstd_frame(record, b""))),
    ];
    let mut random = Random(0x1357_9bdf_0246_8ace);
    for (name, parts) in all {
        let path = files.file(&parts.concat());
        let (whole, _) = read_all(&path, 2, 1 << 20);
        for round in 0..40 {
            let hurt = random.below(parts.len());
            let mut damaged = parts.clone();
            let part = &mut damaged[hurt];
            // The bytes between two records are of both.
            let len = if name == "plain" { part.len() - 4 } else { part.len() };
            let at = random.below(len);
            let kind = match round % 4 {
                0 => {
                    part[at] ^= 1 << random.below(8);
                    "flip"
                }
                1 => {
                    part.drain(at..(at + 1 + random.below(50)).min(len));
                    "cut"
                }
                2 => {
                    let noise: Vec<u8> = (0..50).map(|_| random.below(256) as u8).collect();
                    part.splice(at..at, noise);
                    "noise"
                }
                _ => {
                    part.truncate(at);
                    part.extend_from_slice(if name == "plain" { b"\r\n\r\n" } else { b"" });
                    "truncated"
                }
            };
            let path = files.file(&damaged.concat());
            let (found, counts) = read_all(&path, 1, 1 << 20);
            let what = format!("{name} {round}: {kind} at {at} of {hurt}: {counts:?}");
            for (number, capture) in whole.iter().enumerate().filter(|(other, _)| *other != hurt) {
                assert!(found.contains(capture), "{what}: {number} is lost");
            }
            // Plain text has no checksum, so what a changed byte says may be taken for true.
            assert!(found == whole || counts.damaged > 0 || name == "plain", "{what}");
            assert!(found.len() <= 30, "{what}");
            for piece_bytes in [100, 1000] {
                let again = read_all(&path, 2, piece_bytes);
                assert!(again.0 == found && again.1 == counts, "{what} {piece_bytes} {again:?}");
            }
        }
    }
}

#[test]
fn an_archive_cut_off_anywhere_has_what_stands_before() {
    let files = Files::new();
    let records: Vec<Vec<u8>> = (0..6)
        .map(|number| answer(&format!("h{number}.example"), "200 OK", b"User-agent: *\n"))
        .collect();
    for (name, bytes) in written(&records) {
        let (whole, _) = read_all(&files.file(&bytes), 1, 1 << 20);
        for len in (0..bytes.len()).step_by(7) {
            let path = files.file(&bytes[..len]);
            let (found, counts) = read_all(&path, 2, 256);
            assert!(whole.starts_with(&found) || name.contains("one "), "{name} {len}: {found:?}");
            let is_at_an_end = counts.records == found.len() as u64;
            assert!(
                counts.damaged + counts.unreadable <= 1 && is_at_an_end,
                "{name} {len}: {counts:?}"
            );
        }
    }
}

/// What answers in archives mean, whether they are one's own or another's.
#[test]
fn answers() {
    let files = Files::new();
    let url = "https://e.com/robots.txt";
    let http = |head: &str, body: &[u8]| {
        record("response", url, "", &[format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat())
    };
    let cut = |reason: &str, body: &[u8]| {
        let block = [b"HTTP/1.1 200 OK\r\n\r\n", body].concat();
        record("response", url, &format!("WARC-Truncated: {reason}\r\n"), &block)
    };
    let revisit = |more: &str| record("revisit", url, more, b"HTTP/1.1 200 OK\r\n\r\n");
    let refers = |head: &str| {
        let block = format!("HTTP/1.1 {head}\r\n\r\n");
        record("revisit", url, "WARC-Refers-To-Date: 2016\r\n", block.as_bytes())
    };
    let not_modified = |head: &str| {
        let profile = "WARC-Profile: http://netpreserve.org/warc/1.1/server-not-modified\r\n";
        record("revisit", url, profile, format!("HTTP/1.1 {head}\r\n\r\n").as_bytes())
    };
    let robots: &[u8] = b"User-agent: *\nDisallow: /x\n";
    let broken = "the answer is broken: end of file before message length reached";
    let rules = "200 User-agent: *\nDisallow: /x\n";
    for (bytes, said) in [
        (http("200 OK", robots), rules),
        (http("200 OK\r\nContent-Encoding: gzip", &gzip(robots, 6)), rules),
        (record("response", url, "", &[b"http/1.1 200 OK\r\n\r\n", robots].concat()), rules),
        (record("response", url, "", &[b"HTTP/2 200\r\n\r\n", robots].concat()), rules),
        (
            http(
                "100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK",
                robots,
            ),
            rules,
        ),
        (http("200 OK\r\nX-A: \0b\0\r\nX\0: c", robots), rules),
        // The gzip is longer than the text, and its header was left.
        (http("200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 47", robots), rules),
        (http("200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 47", b""), broken),
        (http("200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 99", &gzip(robots, 6)), broken),
        (http("200 OK\r\nContent-Encoding: utf-8\r\nContent-Length: 47", robots), broken),
        // Undone by the writer, who left the header.
        (http("200 OK\r\nContent-Encoding: gzip", robots), rules),
        (
            http(
                "200 OK\r\nTransfer-Encoding: chunked",
                b"1b\r\nUser-agent: *\nDisallow: /x\n\r\n0\r\n\r\n",
            ),
            rules,
        ),
        (http("200 OK\r\nTransfer-Encoding: chunked", robots), rules),
        (http("200 OK\r\nTransfer-Encoding: chunked", b"1b\r\nUser-agent: *\nDis"), broken),
        (http("200 OK\r\nContent-Length: 99", robots), broken),
        (http("200 OK\r\nContent-Length: 3", robots), rules),
        (http("200 OK", b"<!doctype html><p>Hello"), "200 <!doctype html><p>Hello"),
        (http("200 OK", b"\xff\xfeA\0l\0"), "200 Al"),
        (http("403 Forbidden", b"<html>"), "403 "),
        (http("429 Slow down", b""), "429 "),
        (http("503 Busy", b"User-agent: *"), "503 "),
        (
            http("301 Moved\r\nLocation: http://www.e.com/robots.txt#x", b""),
            "301 http://www.e.com/robots.txt",
        ),
        (http("302 Found\r\nLocation: ../en/robots.txt", b""), "302 https://e.com/en/robots.txt"),
        (
            http("307 There\r\nLocation: mailto:a@e.com", b""),
            "a redirect is invalid: the scheme mailto is not followed",
        ),
        (http("308 There", b""), "a redirect is invalid: no Location"),
        (http("301 Moved\r\nLocation: ", b""), "a redirect is invalid: the Location is empty"),
        // What is no UTF-8 is followed as the fetcher does.
        (
            record("response", url, "", b"HTTP/1.1 301 M\r\nLocation: /r\xe9/robots.txt\r\n\r\n"),
            "301 https://e.com/r%E9/robots.txt",
        ),
        (cut("length", b"User-agent: *\nDisallow: /x\nDisa"), rules),
        (
            cut("length", b"User-agent: *"),
            "the answer is broken: the file was cut off before its first line ended",
        ),
        (cut("disconnect", robots), broken),
        // The first of several records: the others are not put together with it.
        (
            record(
                "response",
                url,
                "WARC-Segment-Number: 1\r\n",
                &[b"HTTP/1.1 200 OK\r\n\r\n", robots].concat(),
            ),
            broken,
        ),
        (record("resource", url, "", robots), rules),
        (
            revisit("WARC-Refers-To-Date: 2026-01-01T00:00:00Z\r\n"),
            "200 as https://e.com at 1767225600",
        ),
        (
            revisit(
                "WARC-Refers-To-Date: 2026-01-01T00:00:00Z\r\nWARC-Payload-Digest: SHA1:B\r\n\
                 WARC-Refers-To-Target-URI: <http://other.example/robots.txt>\r\n\
                 WARC-Refers-To: <urn:uuid:A>\r\n",
            ),
            "200 as record urn:uuid:a, http://other.example at 1767225600, payload sha1:b",
        ),
        // No time, or one that cannot be: then something else says what is meant.
        (revisit("WARC-Refers-To: <urn:uuid:A>\r\n"), "200 as record urn:uuid:a"),
        (
            revisit("WARC-Refers-To-Date: 2027\r\nWARC-Payload-Digest: sha1:B\r\n"),
            "200 as payload sha1:b",
        ),
        (revisit("WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\n"), "200 "),
        // Status and header are its own.
        (refers("301 Moved\r\nLocation: /en/robots.txt"), "301 https://e.com/en/robots.txt"),
        (refers("404 Not Found"), "404 "),
        (refers("503 Busy"), "503 "),
        (refers("304 Not Modified"), "304 as https://e.com at 1451606400"),
        (record("revisit", url, "WARC-Refers-To-Date: 2016\r\n", b"HTTP/1.1 404 No"), "404 "),
        (
            record("revisit", url, "WARC-Refers-To-Date: 2016\r\n", b""),
            " as https://e.com at 1451606400",
        ),
        (not_modified("304 Not Modified"), "304 "),
        // It is not known what the site answered.
        (revisit(""), "200 as "),
        (revisit("WARC-Refers-To-Date: 2027-01-01T00:00:00Z\r\n"), "200 as "),
        (revisit("WARC-Refers-To-Target-URI: https://e.com/robots.txt\r\n"), "200 as "),
    ] {
        let (found, counts) = read_all(&files.file(&bytes), 1, 1 << 20);
        assert_eq!(found, [("https://e.com".to_owned(), said.to_owned())], "{counts:?}");
        assert_eq!(counts.damaged, 0);
    }
    let untyped = |record: Vec<u8>| {
        String::from_utf8(record).unwrap().replace("application/http", "text/plain").into_bytes()
    };
    // A redirect may lead to any page.
    let page = record("response", "https://e.com/sale", "", b"HTTP/1.1 200 OK\r\n\r\n<html>");
    let (found, _) = read_all(&files.file(&page), 1, 1 << 20);
    assert_eq!(found, [("https://e.com/sale".to_owned(), "200 <html>".to_owned())]);
    for (bytes, damaged) in [
        (record("response", url, "", b"HTTP/1.1 100 Continue\r\n\r\n"), 1),
        (record("response", url, "", b""), 1),
        (record("response", url, "", b"no answer"), 1),
        (untyped(http("200 OK", robots)), 1),
        (record("resource", "https://e.com/logo.png", "", b""), 0),
        (record("request", url, "", b"GET /robots.txt HTTP/1.1\r\n\r\n"), 0),
        (record("metadata", url, "", b"fetchTimeMs: 1\r\n"), 0),
    ] {
        let (found, counts) = read_all(&files.file(&bytes), 1, 1 << 20);
        assert_eq!((&found[..], counts.damaged), (&[][..], damaged));
    }
}

/// Bodies are decoded as the fetcher does, and also where a writer has undone an encoding and left
/// its header.
#[test]
fn encodings() {
    let files = Files::new();
    let robots: &[u8] = b"User-agent: *\nDisallow: /x\n";
    let bare = {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::new(6));
        encoder.write_all(robots).unwrap();
        encoder.finish().unwrap()
    };
    let zlib = {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::new(6));
        encoder.write_all(robots).unwrap();
        encoder.finish().unwrap()
    };
    let mut br = Vec::new();
    brotli::BrotliCompress(&mut &*robots, &mut br, &Default::default()).unwrap();
    let zstd = zstd::encode_all(robots, 3).unwrap();
    let gz = gzip(robots, 6);
    let chunked =
        |body: &[u8]| [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n0\r\n\r\n"].concat();
    let (ce, te) = ("Content-Encoding: ", "Transfer-Encoding: ");
    let mut cases: Vec<(String, Vec<u8>)> = Vec::new();
    for name in ["binary", "7bit", "8bit", "chunked", "aws-chunked", "utf-8", "iso-8859-1", "none"]
    {
        cases.push((format!("{ce}{name}"), robots.to_vec()));
    }
    for (name, body) in [
        ("gzip", &gz),
        ("deflate", &zlib),
        ("deflate", &bare),
        ("br", &br),
        ("zstd", &zstd),
        ("x-gzip", &[&gz[..], b"\0\0\r\n"].concat()),
        ("gzip, aws-chunked", &gz),
        ("deflate, gzip", &gzip(&zlib, 6)),
    ] {
        cases.push((format!("{ce}{name}"), body.clone()));
        // Undone, and undone once more by a client that asked for no encoding.
        cases.push((format!("{ce}{name}"), robots.to_vec()));
    }
    // Undone, with the length of the encoded body.
    for name in ["gzip", "x-deflate", "br"] {
        cases.push((format!("{ce}{name}\r\nContent-Length: 500"), robots.to_vec()));
    }
    let utf16 = std::iter::once(0xfeff).chain(str::from_utf8(robots).unwrap().encode_utf16());
    cases.push((format!("{ce}gzip"), utf16.flat_map(u16::to_le_bytes).collect()));
    cases.push((format!("{te}chunked;x=y"), chunked(robots)));
    cases.push((format!("{te}gzip, chunked"), chunked(&gz)));
    cases.push((format!("{te}gzip, chunked"), chunked(robots)));
    cases.push((format!("{te}gzip"), gz.clone()));
    cases.push((format!("{te}chunked\r\n{ce}gzip"), chunked(&gz)));
    let many: String = (0..900).map(|number| format!("X-{number}: y\r\n")).collect();
    cases.push((format!("{many}{ce}gzip"), gz.clone()));
    let url = "https://e.com/robots.txt";
    let found = |status: &str, head: &str, body: &[u8]| {
        let block = [format!("{status}\r\n{head}\r\n\r\n").as_bytes(), body].concat();
        let (found, counts) =
            read_all(&files.file(&record("response", url, "", &block)), 1, 1 << 20);
        assert_eq!((found.len(), counts.damaged), (1, 0), "{status} {head}");
        found.into_iter().next().unwrap().1
    };
    let rules = "200 User-agent: *\nDisallow: /x\n";
    for (head, body) in &cases {
        for status in ["HTTP/1.1 200 OK", "HTTP/2 200", "HTTP/2.0 200 OK", "HTTP/3 200"] {
            assert_eq!(found(status, head, body), rules, "{status} {head}");
        }
    }
    let more = [&gz[..], b"\0Disallow: /"].concat();
    assert_eq!(
        found("HTTP/1.1 200 OK", &format!("{ce}gzip"), &more),
        "the content encoding is broken: gzip: something else follows its end"
    );
    for name in ["gzip", "deflate", "br", "zstd"] {
        assert_eq!(found("HTTP/1.1 200 OK", &format!("{ce}{name}"), b""), "200 ", "{name}");
    }
    for head in
        ["Content-Length: 500, 500".to_owned(), format!("{te}identity\r\nContent-Length: 500")]
    {
        assert!(
            found("HTTP/1.1 200 OK", &head, robots).starts_with("the answer is broken: "),
            "{head}"
        );
    }
    for (name, body) in
        [("gzip", &gz[..gz.len() - 9]), ("br", &b"\0\x01\xff"[..]), ("rot13", robots)]
    {
        let said = found("HTTP/1.1 200 OK", &format!("{ce}{name}"), body);
        assert!(said.starts_with("the content encoding is broken: "), "{name}: {said}");
    }
}

/// Damage is told with its place, whatever is in it; `act` ends the reading if it fails.
#[test]
fn items_of_damage() {
    #[derive(Debug, PartialEq)]
    struct Full;
    impl From<Panicked> for Full {
        fn from(_: Panicked) -> Full {
            panic!()
        }
    }
    let good = answer("e.com", "200 OK", b"");
    for (between, what) in [
        (&b"noise\x1b\r\n"[..], "no record begins here"),
        (b"WARC/1.1\r\nWARC-Type: response\r\n", "the head of the record has no end"),
    ] {
        let bytes = [&good[..], between, &good].concat();
        let source = || Ok(WarcInput::memory("w.warc", bytes.clone()).unwrap());
        let mut found = Vec::new();
        let act = |item| {
            found.push(match item {
                WarcItem::Capture(capture) => capture.place.to_string(),
                WarcItem::Damaged { place, what } => format!("{place}: {what}"),
                WarcItem::Known(_) | WarcItem::Unreadable(_) => panic!("{item:?}"),
            });
            Ok::<(), Full>(())
        };
        read([source()], 1, act, |_| {}).unwrap();
        found.sort();
        let at = good.len();
        let behind = at + between.len();
        let wanted = [
            "w.warc, byte 0".to_owned(),
            format!("w.warc, byte {at}: {what}"),
            format!("w.warc, byte {behind}"),
        ];
        assert_eq!(found, wanted);
        assert_eq!(read([source()], 1, |_| Err(Full), |_| {}), Err(Full));
    }
}

/// A wrong clock is told, with the place.
#[test]
fn answers_from_the_future_are_damaged() {
    let files = Files::new();
    let text = String::from_utf8(answer("e.com", "200 OK", b"")).unwrap();
    let (found, counts) =
        read_all(&files.file(text.replace(DATE, "2999-01-01T00:00:00Z").as_bytes()), 1, 9);
    assert_eq!((found.len(), counts.damaged), (0, 1));
}

#[test]
fn several_inputs_come_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..9)
        .map(|number| {
            let path = folder.path().join(format!("{number}.warc.gz"));
            let records =
                (0..20).map(|part| answer(&format!("h{number}-{part}.example"), "404 No", b""));
            // One is missing.
            if number != 4 {
                let bytes: Vec<u8> = records.flat_map(|record| gzip(&record, 6)).collect();
                std::fs::write(&path, bytes).unwrap();
            }
            path
        })
        .collect();
    let mut hosts = Vec::new();
    let counts: Result<Counts, Panicked> = Reading { threads: 3, piece_bytes: 500 }.read(
        paths.iter().map(opened),
        &Captures,
        &mut Collect::new(|item| {
            if let WarcItem::Capture(capture) = item {
                assert!(matches!(capture.place.at, At::Byte(_)));
                hosts.push(capture.origin.host().to_owned());
            }
            Ok(())
        }),
        |_| {},
    );
    let wanted: Vec<String> = (0..9)
        .filter(|number| *number != 4)
        .flat_map(|number| (0..20).map(move |part| format!("h{number}-{part}.example")))
        .collect();
    assert_eq!(hosts, wanted);
    assert_eq!(counts.unwrap().unreadable, 1);
}

/// An archive is judged as of its captures: what was found was that 997 of 997 sites that had
/// answered 503 were allowed.
#[test]
fn a_503_in_an_archive_allows_nothing() {
    let files = Files::new();
    let path = files.file(&answer("e.com", "503 Busy", b""));
    let mut events = Vec::new();
    let act = |item| {
        let WarcItem::Capture(capture) = item else { panic!("{item:?}") };
        assert_eq!(capture.time(), Timestamp(AT));
        let Some(Says::Answer(said, _)) = capture.answer.says::<()>(capture.time()) else {
            panic!("{capture:?}")
        };
        events.push(Event { at: capture.time(), redirects: 0, said });
        Ok::<(), Panicked>(())
    };
    read([opened(path)], 1, act, |_| {}).unwrap();
    for protocol in [Protocol::RFC9309, Protocol::GOOGLE, Protocol::GOOGLE_CLASSIC] {
        for as_of in [AsOf::Capture, AsOf::Time(Timestamp::now())] {
            assert_eq!(protocol.judge(&events, as_of).unwrap().holds, SiteKind::DisallowAll);
        }
    }
}

/// How fast the reader is, with bodies decoded. For a figure that means something, give it an archive
/// and run it optimised:
///
/// ```text
/// cargo run --release -p robotsieve-corpora -- warc --captures 300000 --plain --out /tmp/warc
/// ROBOTSIEVE_WARC=/tmp/warc/robotstxt-00000.warc \
///     cargo test --profile dist -p robotsieve-captures --lib -- warc::tests::speed --nocapture
/// ```
#[test]
fn speed() {
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::var_os("ROBOTSIEVE_WARC").map_or_else(
        || {
            let path = folder.path().join("w.warc");
            std::fs::write(&path, sly().concat()).unwrap();
            path
        },
        PathBuf::from,
    );
    let mut before = None;
    for threads in [0, 1, 2, 4] {
        let began = std::time::Instant::now();
        let (mut captures, mut bodies) = (0, 0);
        let act = |item| {
            if let WarcItem::Capture(capture) = item {
                captures += 1;
                bodies += capture.answer.body().map_or(0, <[u8]>::len);
            }
            Ok::<(), Panicked>(())
        };
        let counts = read([opened(&path)], threads, act, |_| {}).unwrap();
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "{threads} threads: {captures} captures, {} MB with {} MB of bodies, {seconds:.3} s, \
             {:.0} MB/s",
            counts.bytes / 1_000_000,
            bodies / 1_000_000,
            counts.bytes as f64 / seconds / 1e6,
        );
        let found = (captures, bodies, counts);
        assert_eq!(*before.get_or_insert(found), found);
    }
}

/// A record of `{kind} {date} {url}`, with an id, more fields, and a block.
fn dated(
    kind: &str,
    date: &str,
    url: &str,
    id: &str,
    more: &str,
    head: &str,
    body: &str,
) -> Vec<u8> {
    let block = format!("HTTP/1.1 {head}\r\n\r\n{body}");
    let block = if head.is_empty() { "" } else { &block };
    format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nWARC-Date: {date}\r\n\
         WARC-Target-URI: {url}\r\n{more}Content-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
    .into_bytes()
}

/// The answers of https://e.com once redirects and revisits are followed: what each says, and the file.
fn answers_of(records: &[Vec<u8>]) -> Vec<String> {
    let mut gathered = crate::Gathered::<Vec<u8>>::new(Path::new(".")).unwrap();
    let source = WarcInput::memory("w", records.concat()).unwrap();
    read(
        [Ok(source)],
        1,
        |item| {
            let WarcItem::Capture(capture) = item else { panic!("{item:?}") };
            let at = capture.time();
            let says = capture.answer.says::<()>(at).unwrap();
            let body = capture.answer.body().map(<[u8]>::to_vec);
            let says = match says {
                Says::Answer(said, _) => Says::Answer(said, body),
                ref says => says.map(|key| &**key, |()| unreachable!()),
            };
            let is_origin = capture.other.is_none();
            gathered.put(capture.key(), is_origin, at, says, &capture.names).unwrap();
            Ok::<(), Panicked>(())
        },
        |_| (),
    )
    .unwrap();
    let mut found = Vec::new();
    let act = |origin: &Origin<'_>, answers: &[crate::Answered<'_, Vec<u8>>]| {
        for answer in answers.iter().filter(|_| origin.key() == "https://e.com") {
            found.push(match &answer.answer {
                Some((hops, said, body)) => {
                    let body = body.as_ref().map(|body| String::from_utf8_lossy(body));
                    format!("{hops} {said:?} {}", body.unwrap_or_default())
                }
                None => "unknown".to_owned(),
            });
        }
        io::Result::Ok(())
    };
    gathered.settle(|_| Ok(None), act).unwrap();
    found
}

/// One host never gets what another host said, and a revisit is found by id, URL and time, or digest.
#[test]
fn revisits_and_what_they_refer_to() {
    let (e, other) = ("https://e.com/robots.txt", "https://other.com/robots.txt");
    let early = "2020-01-01T00:00:00Z";
    let file =
        dated("response", early, e, "F", "WARC-Payload-Digest: sha1:FILE\r\n", "200 OK", "rules");
    let moved = "301 Moved\r\nLocation: https://other.com/elsewhere";
    let moved = dated(
        "response",
        early,
        other,
        "M",
        "WARC-Payload-Digest: sha1:MOVED\r\n",
        moved,
        "<html>",
    );
    let theirs = dated(
        "response",
        "2021",
        other,
        "T",
        "WARC-Payload-Digest: sha1:THEIRS\r\n",
        "200 OK",
        "theirs",
    );
    let revisit = |more: &str, head: &str| dated("revisit", "2024", e, "R", more, head, "");
    let id = |id: &str| format!("WARC-Refers-To: <urn:uuid:{id}>\r\n");
    let date = |date: &str| format!("WARC-Refers-To-Date: {date}\r\n");
    let of = |url: &str| format!("WARC-Refers-To-Target-URI: {url}\r\n");
    let digest = |digest: &str| format!("WARC-Payload-Digest: sha1:{digest}\r\n");
    let all = |last: Vec<u8>| [&file, &moved, &theirs, &last].map(Vec::clone);
    let last = |more: &[String], head: &str| {
        // Wherever in the archives they stand.
        let found = answers_of(&all(revisit(&more.concat(), head)));
        let mut turned = all(revisit(&more.concat(), head));
        turned.reverse();
        assert_eq!(answers_of(&turned), found, "{more:?}");
        found.last().unwrap().clone()
    };
    let (ours, theirs) = ("0 File(None) rules", "0 File(None) theirs");
    for (more, wanted) in [
        (vec![date(early)], ours),
        (vec![id("F")], ours),
        (vec![id("f"), date("2023")], ours),
        (vec![digest("FILE")], ours),
        (vec![digest("file"), id("unknown"), date("2023")], ours),
        (vec![id("unknown"), date("2021"), of(other)], theirs),
        // What it repeats has another digest than it.
        (vec![digest("FILE"), id("unknown"), date("2021"), of(other)], "unknown"),
        (vec![digest("FILE"), id("T")], "unknown"),
        (vec![id("T"), date(early)], theirs),
        (vec![digest("THEIRS")], theirs),
        // That has no file.
        (vec![digest("MOVED")], "unknown"),
        (vec![date(early), of(other)], "unknown"),
        (vec![date("2023")], "unknown"),
        (vec![id("R"), digest("R")], "unknown"),
    ] {
        assert_eq!(last(&more, "200 OK"), wanted, "{more:?}");
    }
    let moved = [date(early), of(other), digest("MOVED"), id("M")];
    for head in ["404 No", "403 No", "503 Busy", "429 Slow"] {
        assert_eq!(last(&moved, head), format!("0 Status({}) ", &head[..3]));
        assert_eq!(last(&[date(early)], head), format!("0 Status({}) ", &head[..3]));
    }
    assert_eq!(last(&moved, "301 Moved\r\nLocation: https://e.com/x"), "unknown");
    assert_eq!(
        last(&moved, "302 Found\r\nLocation: https://other.com/robots.txt"),
        "1 File(None) theirs"
    );
    // A part of a file is no other record's.
    assert_eq!(last(&[id("F")], "200 OK\r\nContent-Range: bytes 0-4/9"), "unknown");
    // Its own header says how long; a 304 without one leaves it as it was.
    assert_eq!(last(&[id("F")], "200 OK\r\nCache-Control: max-age=9"), "0 File(Some(9)) rules");
    assert_eq!(last(&[id("F")], "304 Same\r\nCache-Control: max-age=9"), "0 File(Some(9)) rules");
    assert_eq!(last(&[id("none")], "304 Same"), "0 Unchanged(None) ");
    // Without a header the whole answer is the other's.
    assert_eq!(last(&[id("F")], ""), ours);
    assert_eq!(last(&[id("M")], ""), "unknown");
    assert_eq!(last(&[date("2021"), of(other)], ""), theirs);
}

/// Files in the forms before WARC 1.0 are read or named, folded fields are read, and zero bytes between records told.
#[test]
fn other_forms() {
    let files = Files::new();
    let robots = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /x\n";
    let (url, wanted) = ("https://e.com/robots.txt", "200 User-agent: *\nDisallow: /x\n");
    let wanted = ("https://e.com".to_owned(), wanted.to_owned());
    let len = robots.len();
    let first = "filedesc://a.arc 0.0.0.0 20080430204825 text/plain 5\n1 0 x\n\n";
    let one = format!("{url} 1.2.3.4 20080430204825 text/plain {len}\n{robots}\n");
    let two = format!("{url} 1.2.3.4 20080430204825 text/plain 200 - - 7 a.arc {len}\n{robots}\n");
    let dns = "dns:e.com 1.2.3.4 20080430204825 text/dns 3\nabc\n".to_owned();
    let records = [first, &one, &dns, &two].map(|text| text.as_bytes().to_vec());
    let gz = records.each_ref().map(|record| gzip(record, 6));
    for bytes in [records.concat(), gz.concat()] {
        for (threads, piece) in [(1, 1 << 20), (3, 64)] {
            let (found, counts) = read_all(&files.file(&bytes), threads, piece);
            assert_eq!(found, [wanted.clone(), wanted.clone()]);
            assert_eq!((counts.records, counts.damaged), (4, 0));
        }
    }
    let warc = answer("e.com", "200 OK", b"User-agent: *\nDisallow: /x\n");
    let draft =
        String::from_utf8(warc.clone()).unwrap().replace("WARC/1.1", "WARC/0.18").into_bytes();
    let folded = String::from_utf8(warc.clone())
        .unwrap()
        .replace("WARC-Target-URI: ", "WARC-Target-URI:\r\n\t");
    for bytes in [draft.clone(), gzip(&draft, 6), folded.clone().into_bytes()] {
        let (found, counts) = read_all(&files.file(&bytes), 1, 1 << 20);
        assert_eq!((found, counts.damaged), (vec![wanted.clone()], 0));
    }
    let broken = folded.replace("e.com/", "e.com/\r\n ");
    let (found, counts) = read_all(&files.file(broken.as_bytes()), 1, 1 << 20);
    assert_eq!((found.len(), counts.damaged), (0, 1));
    // Zero bytes may stand where a record was.
    for (damaged, bytes) in [
        (2, [&[0; 99][..], &warc, &[0; 700], &warc].concat()),
        // At the end they fill a block.
        (1, [&gzip(&warc, 6)[..], &[0; 700], &gzip(&warc, 6), &[0; 9]].concat()),
    ] {
        for (threads, piece) in [(1, 1 << 20), (3, 64)] {
            let (found, counts) = read_all(&files.file(&bytes), threads, piece);
            assert_eq!((found.len(), counts.damaged), (2, damaged));
        }
    }
    let wacz = WarcInput::memory("a.wacz", b"PK\x03\x04rest").map(drop).unwrap_err().to_string();
    assert!(wacz.starts_with("it is a ZIP file, as WACZ files are: unpack it"), "{wacz}");
    // Of which site it is nobody knows.
    let nameless = String::from_utf8(warc.clone()).unwrap();
    let nameless = nameless.replace("https://e.com/robots.txt", "").into_bytes();
    let (found, counts) = read_all(&files.file(&[nameless, warc.clone()].concat()), 1, 1 << 20);
    assert_eq!((found.len(), counts.damaged), (1, 1));
    let old = "WARC/0.9 123 response https://e.com/ 20080430204825 x text/html\r\n\r\n";
    let (found, counts) = read_all(&files.file(old.as_bytes()), 1, 1 << 20);
    assert_eq!((found.len(), counts.damaged), (0, 1));
}

//! Answers URLs in memory by a pack, on several threads: the rate that `robotsieve filter` is measured
//! beside.
//!
//! ```text
//! answers PACK URLS THREADS
//! answers --inflate FILE
//! ```
//!
//! The pack is for one crawler, and the URLs stand in a file, one a line. All are in memory before the
//! clock starts. Prints the number of allowed URLs, and the seconds from the first answer to the last. With
//! `--inflate`, the seconds that inflating a gzip file takes, the way `filter` does it.

#![expect(unsafe_code, reason = "maps a file: see Safety")]

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Read};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use flate2::bufread::MultiGzDecoder;
use memmap2::Mmap;
use robotsieve::Answer;
use robotsieve::pack::Pack;

/// How many URLs one call answers.
const URLS_AT_A_TIME: usize = 4_096;

/// As in `filter`.
const CHUNK_BYTES: usize = 256 << 10;
const COMPRESSED_BYTES: usize = 128 << 10;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (pack, urls, threads): (_, _, usize) = match &args[..] {
        [option, file] if option == "--inflate" => return inflate(file),
        [pack, urls, threads] => (pack, urls, threads.parse()?),
        _ => return Err("usage: answers PACK URLS THREADS, or answers --inflate FILE".into()),
    };
    let text = std::fs::read(urls)?;
    let lines: Vec<&[u8]> =
        text.split(|byte| *byte == b'\n').filter(|url| !url.is_empty()).collect();
    // SAFETY: the bytes of a map must not change while it exists. Nobody writes to a pack in its place.
    let map = unsafe { Mmap::map(&File::open(pack)?) }?;
    let pack = Pack::open(map)?;
    let next = AtomicUsize::new(0);
    let begun = Instant::now();
    let allowed: usize = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..threads).map(|_| scope.spawn(|| judge(&pack, &lines, &next))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).sum()
    });
    println!("allowed {allowed} seconds {:.4}", begun.elapsed().as_secs_f64());
    Ok(())
}

/// Answers the batches that nobody has taken, and counts the URLs that are allowed.
fn judge(pack: &Pack<'_>, urls: &[&[u8]], next: &AtomicUsize) -> usize {
    let mut answers = vec![Answer::Unknown; URLS_AT_A_TIME];
    let mut allowed = 0;
    loop {
        let start = next.fetch_add(URLS_AT_A_TIME, Ordering::Relaxed);
        let Some(left) = urls.get(start..) else { return allowed };
        let urls = &left[..left.len().min(URLS_AT_A_TIME)];
        let answers = &mut answers[..urls.len()];
        pack.answers_into(urls, &pack.crawler_ids()[..1], answers).expect("the pack is sound");
        allowed += answers.iter().filter(|answer| **answer == Answer::Allow).count();
    }
}

fn inflate(file: &str) -> Result<(), Box<dyn Error>> {
    let file = BufReader::with_capacity(COMPRESSED_BYTES, File::open(file)?);
    let (mut bytes, mut chunk, mut len) = (MultiGzDecoder::new(file), vec![0; CHUNK_BYTES], 0);
    let begun = Instant::now();
    loop {
        match bytes.read(&mut chunk)? {
            0 => break,
            read => len += read,
        }
    }
    println!("bytes {len} seconds {:.4}", begun.elapsed().as_secs_f64());
    Ok(())
}

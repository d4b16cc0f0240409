//! The lines of a chunk, some at a time, with whose robots.txt counts for each.

use std::ops::Range;

use robotsieve::internals::Sixteen;
use robotsieve::{Answer, AsUrl, UrlRun};
use robotsieve_client::hosts::{Whose, whose};

/// The number of lines that are judged together, or a few more: enough for the waits for memory to overlap, few enough for
/// all that is known of them to stay in the first-level cache.
const LINES: usize = 128;

/// Some lines of a chunk.
#[derive(Default)]
pub struct Batch<'c> {
    pub lines: Vec<Line<'c>>,
    /// Lines that follow one another and are of the same host.
    pub runs: Vec<UrlRun<'c>>,
    ends: Ends,
}

/// A line that is not empty.
pub struct Line<'c> {
    pub url: &'c [u8],
    /// Where the URL's path begins, if that is known: not 0.
    path_at: u32,
    /// Where the line begins in the chunk.
    start: u32,
    /// Where its line feed is.
    end: u32,
}

impl<'c> Line<'c> {
    /// Where the line begins in the chunk.
    #[inline]
    pub fn start(&self) -> usize {
        self.start as usize
    }

    /// Where its line feed is in the chunk.
    #[inline]
    pub fn end(&self) -> usize {
        self.end as usize
    }
}

impl AsUrl for Line<'_> {
    #[inline]
    fn as_url(&self) -> &[u8] {
        self.url
    }

    /// In every profile the path has the same verdict as the URL, because the authority ends where
    /// the library says.
    #[inline]
    fn known_path(&self) -> Option<&[u8]> {
        (self.path_at > 0).then(|| &self.url[self.path_at as usize..])
    }
}

/// The reading of lines that begins with their hosts.
#[derive(Clone, Copy)]
pub struct Hosts {
    /// True if the authority of a URL is found as in google/robotstxt.
    pub google: bool,
    /// The answer for URLs whose host has no robots.txt, or of which nothing is known.
    pub missing: Answer,
}

impl Hosts {
    /// The run that begins with a URL, without its end, and where the URL's authority ends.
    fn run<'c>(self, url: &'c [u8]) -> (usize, UrlRun<'c>) {
        let (authority_end, whose) = whose(url, self.google);
        let (origin, otherwise) = match whose {
            Whose::Origin(origin) => (Some(origin), self.missing),
            Whose::Foreign => (None, self.missing),
            // In google/robotstxt anything is a URL.
            Whose::Nobody if self.google => (None, Answer::Unknown),
            Whose::Nobody => (None, Answer::Invalid),
        };
        (authority_end, UrlRun { origin, otherwise, end: 0 })
    }
}

impl<'c> Batch<'c> {
    /// The runs with the numbers of their lines.
    pub fn numbered(&self) -> impl Iterator<Item = (&UrlRun<'c>, Range<usize>)> {
        let mut first = 0;
        self.runs.iter().map(move |run| (run, std::mem::replace(&mut first, run.end)..run.end))
    }

    /// The same memory for lines of another chunk.
    pub fn emptied<'d>(mut self) -> Batch<'d> {
        self.lines.clear();
        self.runs.clear();
        // They have the same layout, so collecting them keeps their place.
        let lines = self.lines.into_iter().map(|_| unreachable!("it is empty")).collect();
        let runs = self.runs.into_iter().map(|_| unreachable!("it is empty")).collect();
        Batch { lines, runs, ends: self.ends }
    }

    /// Replaces the lines by the next ones of a chunk, which ends with a line feed. Returns where
    /// the lines after them begin; there are none if that is the end of the chunk.
    pub fn fill(&mut self, chunk: &'c [u8], mut start: usize, hosts: Hosts) -> usize {
        self.lines.clear();
        self.runs.clear();
        self.ends.find(chunk, start);
        // The beginning of the last URL, including the slash after its authority: URLs of one host
        // tend to be adjacent.
        let mut last: &[u8] = b"";
        for end in self.ends.found() {
            let line_start = start;
            start = end + 1;
            let line = &chunk[line_start..end];
            let url = line.strip_suffix(b"\r").unwrap_or(line);
            if last.is_empty() || !begins_with(&chunk[line_start..], last) {
                if url.is_empty() {
                    continue;
                }
                if let Some(run) = self.runs.last_mut() {
                    run.end = self.lines.len();
                }
                let (authority_end, run) = hosts.run(url);
                // Where the path of an invalid URL begins is not known.
                let is_known = authority_end > 0 && run.otherwise != Answer::Invalid;
                last = match url.get(authority_end) {
                    Some(b'/') if is_known => &url[..=authority_end],
                    _ => b"",
                };
                self.runs.push(run);
            }
            let path_at = last.len().saturating_sub(1);
            let [path_at, line_start, end] = [path_at, line_start, end].map(|at| at as u32);
            self.lines.push(Line { url, path_at, start: line_start, end });
        }
        if let Some(run) = self.runs.last_mut() {
            run.end = self.lines.len();
        }
        start
    }
}

/// The number of bytes that are searched at once for line feeds.
const BLOCK: usize = 64;

/// Where lines end.
///
/// Finds the line feeds of a block together, and notes four of them without asking how many there are.
/// A search for one line feed after another takes longer, because no processor can predict how long
/// the next line is.
struct Ends {
    found: [u32; LINES + BLOCK],
    len: usize,
}

impl Default for Ends {
    fn default() -> Ends {
        Ends { found: [0; LINES + BLOCK], len: 0 }
    }
}

impl Ends {
    fn found(&self) -> impl Iterator<Item = usize> {
        self.found[..self.len].iter().map(|end| *end as usize)
    }

    /// Finds the next line feeds: at least [`LINES`], or all that are left.
    #[inline]
    fn find(&mut self, chunk: &[u8], start: usize) {
        self.len = 0;
        let (blocks, rest) = chunk[start..].as_chunks::<BLOCK>();
        let mut at = start;
        for block in blocks {
            self.add(line_feeds(block), at);
            at += BLOCK;
            if self.len >= LINES {
                return;
            }
        }
        let mut block = [0; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        self.add(line_feeds(&block), at);
    }

    /// Adds the line feeds of a block, which begins there.
    #[inline]
    fn add(&mut self, mut bits: u64, at: usize) {
        let count = bits.count_ones() as usize;
        let room = &mut self.found[self.len..self.len + BLOCK];
        let mut next = |place: &mut u32| {
            *place = at as u32 + bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
        };
        room[..4].iter_mut().for_each(&mut next);
        if count > 4 {
            room[4..count].iter_mut().for_each(next);
        }
        self.len += count;
    }
}

/// The line feeds among some bytes, a bit for each.
///
/// With [`Ends::add`] 63 instructions a line of 53 bytes on x86-64, against 138 by words of eight bytes and 94 if `memchr_iter`
/// goes from one line feed to the next (callgrind); 10 ns, 16 by words.
#[inline]
fn line_feeds(block: &[u8; BLOCK]) -> u64 {
    let (quarters, _) = block.as_chunks::<16>();
    let quarters: [Sixteen; 4] = std::array::from_fn(|at| Sixteen::load(&quarters[at]));
    Sixteen::bits(quarters.map(|bytes| bytes.is(b'\n')))
}

/// Returns true if a text starts with another one. Does the same as `starts_with` without a call to
/// `memcmp`, which is faster for a few dozen bytes.
#[inline(always)]
fn begins_with(text: &[u8], start: &[u8]) -> bool {
    let Some(text) = text.get(..start.len()) else { return false };
    let (Some(last), Some(last_wanted)) = (text.last_chunk::<8>(), start.last_chunk::<8>()) else {
        return text == start;
    };
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    let pairs = text.as_chunks::<8>().0.iter().zip(start.as_chunks::<8>().0);
    let differing = word(last) ^ word(last_wanted);
    pairs.fold(differing, |differing, (a, b)| differing | word(a) ^ word(b)) == 0
}

#[cfg(test)]
mod tests {
    use robotsieve::Origin;

    use super::*;

    const HOSTS: Hosts = Hosts { google: false, missing: Answer::Disallow };

    #[test]
    fn begins_with_is_starts_with() {
        let text: Vec<u8> = (0..40).collect();
        for len in 0..40 {
            assert!(begins_with(&text, &text[..len]));
            assert!(begins_with(&text[..len], &text[..len]));
            assert!(!begins_with(&text[..len], &text));
            for differs in 0..len {
                let mut other = text.clone();
                other[differs] ^= 0x80;
                assert!(!begins_with(&other, &text[..len]), "{len} {differs}");
            }
        }
    }

    #[test]
    fn runs_of_lines() {
        let chunk = b"http://a.example/1\n\r\nhttp://a.example/2\r\n\nhttp://a.example\nhttp://A.example/\n\
            http://a.example/3\n/x\ngopher://a.example/\nhttp://u@a\\b/y\nhttp://u@a\\b/z\n";
        let mut batch = Batch::default();
        assert_eq!(batch.fill(chunk, 0, HOSTS), chunk.len());
        let runs = batch.numbered().map(|(run, numbers)| {
            let urls = batch.lines[numbers].iter();
            let urls = urls.map(|line| (line.url, line.known_path().is_some()));
            let urls = urls.map(|(url, path)| (str::from_utf8(url).unwrap(), path));
            (run.origin.as_ref().map(Origin::key), run.otherwise, urls.collect::<Vec<_>>())
        });
        let a = Some("http://a.example");
        let (missing, invalid) = (HOSTS.missing, Answer::Invalid);
        assert_eq!(
            runs.collect::<Vec<_>>(),
            [
                (a, missing, vec![("http://a.example/1", true), ("http://a.example/2", true)]),
                (a, missing, vec![("http://a.example", false)]),
                (a, missing, vec![("http://A.example/", true)]),
                (a, missing, vec![("http://a.example/3", true)]),
                (None, invalid, vec![("/x", false)]),
                (None, missing, vec![("gopher://a.example/", true)]),
                (None, invalid, vec![("http://u@a\\b/y", false)]),
                (None, invalid, vec![("http://u@a\\b/z", false)]),
            ]
        );
        for line in &batch.lines {
            assert!(chunk[line.start()..line.end()].starts_with(line.url));
            assert_eq!(chunk[line.end()], b'\n');
        }
    }

    #[test]
    fn line_feeds_are_found() {
        let mut chunk: Vec<u8> = (0..1000u32).map(|n| ((n * n) >> 3) as u8).collect();
        for byte in [b'\n', b'\n' ^ 0x80, b'\n' + 1, b'\n' - 1, 0] {
            chunk.extend([byte; 150]);
        }
        chunk.extend(*b"x\n");
        for block in chunk.windows(BLOCK).filter_map(|block| block.first_chunk::<BLOCK>()) {
            let bits =
                block.iter().rev().fold(0, |bits, byte| (bits << 1) | u64::from(*byte == b'\n'));
            assert_eq!(line_feeds(block), bits);
        }
        for from in 0..200 {
            let (mut ends, mut start) = (Ends::default(), from);
            let mut found = Vec::new();
            while start < chunk.len() {
                ends.find(&chunk, start);
                assert!(
                    ends.len >= LINES
                        || *ends.found[..ends.len].last().unwrap() as usize == chunk.len() - 1
                );
                found.extend(ends.found());
                start = found.last().unwrap() + 1;
            }
            let wanted: Vec<_> =
                memchr::memchr_iter(b'\n', &chunk[from..]).map(|at| from + at).collect();
            assert_eq!(found, wanted, "{from}");
        }
    }

    /// A chunk of many batches: each line once, in order.
    #[test]
    fn batches() {
        let text: String = (0..1000).map(|n| format!("https://h{}.example/{n}\n", n / 3)).collect();
        let (mut batch, mut start, mut seen) = (Batch::default(), 0, 0);
        while start < text.len() {
            start = batch.fill(text.as_bytes(), start, HOSTS);
            assert!(!batch.lines.is_empty() && batch.lines.len() < LINES + BLOCK);
            for line in &batch.lines {
                assert!(line.url.ends_with(format!("/{seen}").as_bytes()));
                seen += 1;
            }
            assert_eq!(batch.runs.last().unwrap().end, batch.lines.len());
        }
        assert_eq!(seen, 1000);
    }
}

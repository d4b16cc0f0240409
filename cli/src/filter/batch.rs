//! The lines of a chunk, some at a time, with whose robots.txt counts for each.

use std::ops::Range;

use memchr::memchr;
use robotsieve::{Answer, AsUrl, UrlRun};
use robotsieve_client::hosts::{Whose, whose};

/// The number of lines that are judged together: enough for the waits for memory to overlap, few enough for
/// all that is known of them to stay in the first-level cache.
const LINES: usize = 128;

/// Some lines of a chunk.
#[derive(Default)]
pub struct Batch<'c> {
    pub lines: Vec<Line<'c>>,
    /// Lines that follow one another and are of the same host.
    pub runs: Vec<UrlRun<'c>>,
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
    /// The run that begins with a URL, and where the URL's authority ends.
    fn run<'c>(self, url: &'c [u8], end: usize) -> (usize, UrlRun<'c>) {
        let (authority_end, whose) = whose(url, self.google);
        let (origin, otherwise) = match whose {
            Whose::Origin(origin) => (Some(origin), self.missing),
            Whose::Foreign => (None, self.missing),
            // In google/robotstxt anything is a URL.
            Whose::Nobody if self.google => (None, Answer::Unknown),
            Whose::Nobody => (None, Answer::Invalid),
        };
        (authority_end, UrlRun { origin, otherwise, end })
    }
}

impl<'c> Batch<'c> {
    /// The runs with the numbers of their lines.
    pub fn numbered(&self) -> impl Iterator<Item = (&UrlRun<'c>, Range<usize>)> {
        let mut first = 0;
        self.runs.iter().map(move |run| (run, std::mem::replace(&mut first, run.end)..run.end))
    }

    /// Replaces the lines by the next ones of a chunk, which ends with a line feed. Returns where
    /// the lines after them begin; there are none if that is the end of the chunk.
    pub fn fill(&mut self, chunk: &'c [u8], mut start: usize, hosts: Hosts) -> usize {
        self.lines.clear();
        self.runs.clear();
        // The beginning of the last URL, including the slash after its authority: URLs of one host
        // tend to be adjacent.
        let mut last: &[u8] = b"";
        while start < chunk.len() && self.lines.len() < LINES {
            let left = &chunk[start..];
            let is_same = !last.is_empty() && begins_with(left, last);
            let searched = if is_same { last.len() } else { 0 };
            let Some(len) = memchr(b'\n', &left[searched..]) else { break };
            let end = searched + len;
            let url = left[..end].strip_suffix(b"\r").unwrap_or(&left[..end]);
            let line_start = start;
            start += end + 1;
            if !is_same {
                if url.is_empty() {
                    continue;
                }
                let (authority_end, run) = hosts.run(url, self.lines.len());
                last = match url.get(authority_end) {
                    Some(b'/') if authority_end > 0 => &url[..=authority_end],
                    _ => b"",
                };
                self.runs.push(run);
            }
            let path_at = last.len().saturating_sub(1);
            let [path_at, line_start, end] = [path_at, line_start, start - 1].map(|at| at as u32);
            self.lines.push(Line { url, path_at, start: line_start, end });
            if let Some(run) = self.runs.last_mut() {
                run.end = self.lines.len();
            }
        }
        start
    }
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
                (None, invalid, vec![("http://u@a\\b/y", true), ("http://u@a\\b/z", true)]),
            ]
        );
        for line in &batch.lines {
            assert!(chunk[line.start()..line.end()].starts_with(line.url));
            assert_eq!(chunk[line.end()], b'\n');
        }
    }

    /// A chunk of many batches: each line once, in order.
    #[test]
    fn batches() {
        let text: String = (0..1000).map(|n| format!("https://h{}.example/{n}\n", n / 3)).collect();
        let (mut batch, mut start, mut seen) = (Batch::default(), 0, 0);
        while start < text.len() {
            start = batch.fill(text.as_bytes(), start, HOSTS);
            assert!(!batch.lines.is_empty() && batch.lines.len() <= LINES);
            for line in &batch.lines {
                assert!(line.url.ends_with(format!("/{seen}").as_bytes()));
                seen += 1;
            }
            assert_eq!(batch.runs.last().unwrap().end, batch.lines.len());
        }
        assert_eq!(seen, 1000);
    }
}

//! The lines of a chunk, some at a time, with whose robots.txt counts for each.

use memchr::memchr;
use robotsieve::Origin;

use super::sites::Url;
use crate::read::hosts::{Whose, begins_at, whose};

/// How many lines are judged together: enough for the waits for memory to overlap, few enough for
/// all that is known of them to stay in the first-level cache.
const LINES: usize = 128;

/// Some lines of a chunk.
#[derive(Default)]
pub struct Batch<'c> {
    pub lines: Vec<Line<'c>>,
    pub runs: Vec<Run<'c>>,
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
    /// The URL, and its path if that is known.
    #[inline]
    pub fn url(&self) -> Url<'c> {
        let path = (self.path_at > 0).then(|| &self.url[self.path_at as usize..]);
        Url { bytes: self.url, path }
    }

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

impl AsRef<[u8]> for Line<'_> {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        self.url
    }
}

/// Lines that follow one another and are of the same host.
pub struct Run<'c> {
    pub whose: Whose<'c>,
    /// Whether the URLs begin with the origin as it is compared.
    pub is_usual: bool,
    /// The first of its lines.
    pub first: usize,
    /// What follows its last line.
    pub end: usize,
}

impl<'c> Run<'c> {
    /// The origin whose robots.txt counts for its URLs.
    #[inline]
    pub fn origin(&self) -> Option<&Origin<'c>> {
        match &self.whose {
            Whose::Origin(origin) => Some(origin),
            Whose::Foreign | Whose::Nobody => None,
        }
    }
}

impl<'c> Batch<'c> {
    /// Replaces the lines by the next ones of a chunk, which ends with a line feed. Returns where
    /// the lines after them begin; there are none if that is the end of the chunk.
    pub fn fill(&mut self, chunk: &'c [u8], mut start: usize, google: bool) -> usize {
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
                let (authority_end, whose) = whose(url, google);
                last = match url.get(authority_end) {
                    Some(b'/') if authority_end > 0 => &url[..=authority_end],
                    _ => b"",
                };
                let is_usual = matches!(&whose, Whose::Origin(origin) if begins_at(origin, url));
                let first = self.lines.len();
                self.runs.push(Run { whose, is_usual, first, end: first });
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

/// Whether a text starts with another one. Does the same as `starts_with` without a call to
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
    use super::*;

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
        assert_eq!(batch.fill(chunk, 0, false), chunk.len());
        let runs = batch.runs.iter().map(|run| {
            let lines = &batch.lines[run.first..run.end];
            let urls = lines.iter().map(|line| (line.url, line.url().path));
            let urls = urls.map(|(url, path)| (str::from_utf8(url).unwrap(), path.is_some()));
            (run.origin().map(Origin::key), run.is_usual, urls.collect::<Vec<_>>())
        });
        let a = Some("http://a.example");
        assert_eq!(
            runs.collect::<Vec<_>>(),
            [
                (a, true, vec![("http://a.example/1", true), ("http://a.example/2", true)]),
                (a, true, vec![("http://a.example", false)]),
                (a, false, vec![("http://A.example/", true)]),
                (a, true, vec![("http://a.example/3", true)]),
                (None, false, vec![("/x", false)]),
                (None, false, vec![("gopher://a.example/", true)]),
                (None, false, vec![("http://u@a\\b/y", true), ("http://u@a\\b/z", true)]),
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
            start = batch.fill(text.as_bytes(), start, false);
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

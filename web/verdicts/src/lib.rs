//! Verdicts for URLs that lie one after the other. A crate of its own, since it is compiled for speed,
//! with all of the library that is inlined into it; the rest of the module is compiled for size.

use robotsieve::{Answer, Policy};

/// The answer for a URL.
// Large, since so much is inlined into it: once is enough.
#[inline(never)]
pub fn answer(policy: &Policy, url: &[u8]) -> u8 {
    Answer::from(policy.target(url).map(|target| policy.verdict(&target))) as u8
}

/// The answers for URLs with a line feed between each two. Nothing if they are not `count`: then some
/// have line feeds in them.
pub fn by_line(policy: &Policy, urls: &[u8], count: usize) -> Vec<u8> {
    let mut answers = Vec::with_capacity(count);
    let mut left = urls;
    while let Some(end) = memchr::memchr(b'\n', left) {
        if answers.len() == count {
            break;
        }
        answers.push(answer(policy, &left[..end]));
        left = &left[end + 1..];
    }
    answers.push(answer(policy, left));
    if answers.len() != count {
        answers.clear();
    }
    answers
}

/// The answers for URLs that have these lengths.
pub fn by_length(policy: &Policy, urls: &[u8], lengths: &[u32]) -> Vec<u8> {
    let mut left = urls;
    let answers = lengths.iter().map(|len| {
        let (url, rest) = left.split_at((*len as usize).min(left.len()));
        left = rest;
        answer(policy, url)
    });
    answers.collect()
}

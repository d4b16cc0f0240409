//! Crawlers that read a file in a way of their own, which no profile has.

use crate::{KnownCrawler, KnownCrawlers};

/// A way of reading a file that RFC 9309 does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnWay {
    /// The crawl delay of `*` holds for the crawler beside a group of its own, unless that has another one.
    DelayOfEverybody,
    /// Each user-agent line begins a group, so of several above the same rules only the last one has them. That of
    /// `*` does not end a group.
    SplitRuns,
}

/// A crawler that reads files in a way of its own.
#[derive(Clone, Copy, Debug)]
pub struct OwnReading {
    /// Its product token, that of a known crawler.
    pub token: &'static str,
    /// Which of its versions do so; empty for all of them.
    pub versions: &'static str,
    /// The way.
    pub way: OwnWay,
    /// Where its operator, or who makes it, says so.
    pub source: &'static str,
    /// The date when that was looked up.
    pub date: &'static str,
}

/// The crawlers of which such a way is known.
pub const OWN_READINGS: [OwnReading; 2] = [
    OwnReading {
        token: "bingbot",
        versions: "",
        way: OwnWay::DelayOfEverybody,
        source: "https://blogs.bing.com/webmaster/2012/05/03/to-crawl-or-not-to-crawl-that-is-bingbots-question",
        date: "2026-11-27",
    },
    OwnReading {
        token: "HTTrack",
        versions: " of before September 2026",
        way: OwnWay::SplitRuns,
        source: "https://github.com/xroche/httrack/pull/1702",
        date: "2026-11-27",
    },
];

/// Returns true if a crawler obeys the rules only if its user-agent line is the last one above them.
pub fn stands_last(token: &str) -> bool {
    let splits = |reading: &&OwnReading| reading.way == OwnWay::SplitRuns;
    OWN_READINGS.iter().filter(splits).any(|reading| reading.token.eq_ignore_ascii_case(token))
}

impl OwnReading {
    /// The crawler.
    pub fn crawler(&self) -> Option<&'static KnownCrawler> {
        KnownCrawlers::built_in().by_token(self.token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_known_and_has_a_source() {
        for reading in OWN_READINGS {
            assert!(reading.crawler().is_some(), "{}", reading.token);
            assert!(reading.source.starts_with("https://") && reading.date.len() == 10);
        }
    }
}

//! The crawlers that are known by name: `data/crawlers.toml`, built in, and the files that people
//! add with `--crawlers`.

mod file;
mod purpose;

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;
use robotsieve::explain::GroupChoice;
use robotsieve::{Crawler, Policy, Robots, UserAgent};

use crate::error::Failure;
pub use file::{KnownCrawler, Obeys};
pub use purpose::Purpose;

/// `--crawlers`, for every command that knows crawlers by name.
#[derive(Args, Clone, Debug, Default)]
pub struct KnownOption {
    /// Add known crawlers from a TOML file; an entry replaces the built-in one of its token
    ///
    /// The format is that of data/crawlers.toml. With 'replace = true' at the top of the file, the
    /// built-in crawlers are left out.
    #[arg(long = "crawlers", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

impl KnownOption {
    /// The built-in crawlers with those of the files.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or is wrong: the text names the entry.
    pub fn read(&self) -> Result<Known, Failure> {
        let mut known = Known::built_in();
        for path in &self.files {
            let added = file::read(path)?;
            if added.replace {
                known = Known::default();
            }
            added.crawlers.into_iter().for_each(|crawler| known.add(crawler));
        }
        Ok(known)
    }
}

/// Known crawlers, in alphabetical order of their names.
#[derive(Clone, Debug, Default)]
pub struct Known {
    crawlers: Vec<KnownCrawler>,
    /// Positions by token, in lower case.
    by_token: HashMap<String, usize>,
}

impl Known {
    /// Those that are built in.
    pub fn built_in() -> Known {
        let mut known = Known::default();
        let built_in = file::parse(include_str!("../../data/crawlers.toml"));
        // A test reads the same text.
        let crawlers = built_in.map(|file| file.crawlers).unwrap_or_default();
        crawlers.into_iter().for_each(|crawler| known.add(crawler));
        known
    }

    fn add(&mut self, crawler: KnownCrawler) {
        let token = crawler.token.to_ascii_lowercase();
        match self.by_token.get(&token) {
            Some(&at) => self.crawlers[at] = crawler,
            None => {
                self.by_token.insert(token, self.crawlers.len());
                self.crawlers.push(crawler);
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &KnownCrawler> {
        self.crawlers.iter()
    }

    /// Those of a purpose.
    pub fn of_purpose(&self, purpose: Purpose) -> impl Iterator<Item = &KnownCrawler> {
        self.iter().filter(move |crawler| crawler.purpose == purpose)
    }

    /// By its product token, in any case.
    pub fn by_token(&self, token: &str) -> Option<&KnownCrawler> {
        self.by_token.get(&token.to_ascii_lowercase()).map(|&at| &self.crawlers[at])
    }

    /// The crawler that sends a User-Agent header: the first one known among the names in it, from
    /// the most specific on.
    pub fn by_header(&self, header: &[u8]) -> Option<&KnownCrawler> {
        let crawler = Crawler::from_user_agent(header);
        crawler.iter().find_map(|name| self.by_token(str::from_utf8(name).ok()?))
    }
}

impl KnownCrawler {
    /// The names whose groups it obeys, the first one that there is.
    pub fn crawler(&self) -> Crawler {
        Crawler::names([&self.token].into_iter().chain(&self.after))
    }

    /// Its policy for a file. A crawler that ignores the group of `*` may fetch everything if no
    /// group names it.
    pub fn policy(&self, robots: &Robots<'_>) -> Policy {
        let crawler = self.crawler();
        if self.star || robotsieve::explain::selection(robots, &crawler).choice == GroupChoice::Named {
            return robots.policy(&crawler);
        }
        Robots::parse(b"", robots.profile()).policy(&crawler)
    }
}

//! The crawlers that are known by name: `data/crawlers.toml`, built in, and the files that people
//! add with `--crawlers`.

mod file;
mod purpose;

use std::collections::HashMap;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use robotsieve::explain::GroupChoice;
use robotsieve::{Crawler, Policy, Robots};

use crate::error::Failure;
pub use file::{KnownCrawler, Obeys};
pub use purpose::{Purpose, PurposeOption};

/// The built-in file.
const BUILT_IN: &str = include_str!("../../data/crawlers.toml");

/// `--crawlers`, for every command that knows crawlers by name.
#[derive(Args, Clone, Debug, Default)]
pub struct KnownOption {
    /// Add known crawlers from a TOML file
    ///
    /// An entry takes the place of the built-in one with the same token. With
    /// 'replace = true' as the first line of the file, the built-in crawlers
    /// are left out. 'robotsieve crawlers --list --format toml' prints such a
    /// file. Repeat the option for several files.
    #[arg(id = "crawlers_files", long = "crawlers", value_name = "FILE")]
    #[arg(verbatim_doc_comment, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
}

impl KnownOption {
    /// The built-in crawlers with those of the files.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or is wrong; the text names the file and the line.
    pub fn read(&self) -> Result<Known, Failure> {
        let mut known = Known::built_in();
        for path in &self.files {
            let added = file::read(path)?;
            if added.replace {
                known = Known::default();
            }
            known.add(added);
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
        // A test reads the same text, so it is never wrong here.
        if let Ok(built_in) = file::parse(BUILT_IN) {
            known.add(built_in);
        }
        known
    }

    fn add(&mut self, file: file::File) {
        for crawler in file.crawlers.into_iter().map(toml::Spanned::into_inner) {
            match self.by_token.get(&crawler.token.to_ascii_lowercase()) {
                Some(&at) => self.crawlers[at] = crawler,
                None => {
                    self.by_token.insert(crawler.token.to_ascii_lowercase(), self.crawlers.len());
                    self.crawlers.push(crawler);
                }
            }
        }
        self.crawlers.sort_by_cached_key(order);
        let tokens = self.crawlers.iter().map(|crawler| crawler.token.to_ascii_lowercase());
        self.by_token = tokens.zip(0..).collect();
    }

    pub fn iter(&self) -> impl Iterator<Item = &KnownCrawler> + Clone {
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
    /// the surest on.
    pub fn by_header(&self, header: &[u8]) -> Option<&KnownCrawler> {
        let crawler = Crawler::from_user_agent(header);
        crawler.iter().find_map(|name| self.by_token(str::from_utf8(name).ok()?))
    }
}

/// What crawlers are sorted by.
fn order(crawler: &KnownCrawler) -> (String, String) {
    (crawler.name.to_lowercase(), crawler.token.to_ascii_lowercase())
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
        if self.star || choice(robots, &crawler) == GroupChoice::Named {
            return robots.policy(&crawler);
        }
        Robots::parse(b"", robots.profile()).policy(&crawler)
    }
}

/// What the operators of these crawlers say of obeying, if it is not that they obey.
pub fn notes<'k>(crawlers: impl Iterator<Item = &'k KnownCrawler> + Clone) -> Vec<String> {
    let note = |(obeys, what): (Obeys, &str)| {
        let those = crawlers.clone().filter(|crawler| crawler.obeys == obeys);
        let names: Vec<&str> = those.map(|crawler| crawler.name.as_str()).collect();
        let text = || {
            format!(
                "robots.txt only asks. By what their operators say, these {what}: {}",
                names.join(", ")
            )
        };
        (!names.is_empty()).then(text)
    };
    [(Obeys::No, "do not obey it"), (Obeys::Partly, "obey it in part")]
        .into_iter()
        .filter_map(note)
        .collect()
}

/// Which kind of group a crawler obeys.
pub fn choice(robots: &Robots<'_>, crawler: &Crawler) -> GroupChoice {
    // A path that begins with a slash is valid in every profile.
    robots.explain(crawler, "/").map_or(GroupChoice::None, |why| why.selection.choice)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use clap::ValueEnum;
    use robotsieve::Profile;

    use super::*;

    #[test]
    fn built_in() {
        let file = file::parse(BUILT_IN).unwrap();
        assert!(!file.replace && file.crawlers.len() >= 200, "{}", file.crawlers.len());
        let known = Known::built_in();
        assert_eq!(known.iter().count(), file.crawlers.len());
        for purpose in Purpose::value_variants() {
            let count = known.of_purpose(*purpose).count();
            assert!(count >= 10, "{purpose}: {count}");
        }
        for token in ["Googlebot", "bingbot", "GPTBot", "ClaudeBot", "CCBot", "Google-Extended"] {
            assert!(known.by_token(&token.to_uppercase()).is_some(), "{token}");
        }
    }

    #[test]
    fn built_in_file_is_sorted() {
        let file = file::parse(BUILT_IN).unwrap();
        let sorted = Known::built_in();
        for (entry, sorted) in file.crawlers.iter().zip(sorted.iter()) {
            assert_eq!(entry.get_ref().name, sorted.name, "in alphabetical order");
        }
    }

    /// The header of a crawler leads to its entry, and to the group of its token.
    #[test]
    fn tokens_and_headers_agree() {
        let known = Known::built_in();
        let mut wrong = Vec::new();
        for crawler in known.iter() {
            let Some(header) = &crawler.header else { continue };
            assert!(!crawler.only_in_robots_txt, "{} has a header", crawler.token);
            let found = known.by_header(header.as_bytes()).map(|found| found.token.as_str());
            if found != Some(crawler.token.as_str()) {
                wrong.push(format!("{}: {header} leads to {found:?}", crawler.token));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn after_names_end_somewhere() {
        let known = Known::built_in();
        for crawler in known.iter() {
            let names: HashSet<String> =
                crawler.after.iter().map(|name| name.to_ascii_lowercase()).collect();
            assert_eq!(names.len(), crawler.after.len(), "{}", crawler.token);
            assert!(!names.contains(&crawler.token.to_ascii_lowercase()), "{}", crawler.token);
        }
    }

    #[test]
    fn files_add_and_replace() {
        let entry = |token: &str, name: &str| {
            format!(
                "[[crawler]]\nname = \"{name}\"\ntoken = \"{token}\"\noperator = \"x\"\n\
                 purpose = \"other\"\nobeys = \"unknown\"\nsource = \"x\"\ndate = 2026-01-01\n"
            )
        };
        let text = entry("gptbot", "000") + &entry("new", "zzz");
        let mut known = Known::built_in();
        let count = known.iter().count();
        known.add(file::parse(&text).unwrap());
        assert_eq!(known.iter().count(), count + 1);
        assert_eq!(known.by_token("GPTBot").unwrap().name, "000");
        assert_eq!(known.iter().next().unwrap().token, "gptbot");
        assert_eq!(known.by_token("NEW").unwrap().name, "zzz");
    }

    #[test]
    fn policies() {
        let known = Known::built_in();
        let file = b"User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /x\n";
        for (_, profile) in Profile::NAMED {
            let robots = Robots::parse(file, profile);
            let allows = |token: &str, path: &str| {
                let policy = known.by_token(token).unwrap().policy(&robots);
                policy.is_allowed(path).unwrap()
            };
            assert!(!allows("GPTBot", "/") && allows("AdsBot-Google", "/"));
            assert!(allows("Googlebot-Image", "/") && !allows("Googlebot-Image", "/x"));
        }
        let named = b"User-agent: AdsBot-Google\nDisallow: /";
        let robots = Robots::parse(named, &Profile::RFC9309);
        let policy = known.by_token("AdsBot-Google").unwrap().policy(&robots);
        assert_eq!(policy.is_allowed("/"), Ok(false));
    }
}

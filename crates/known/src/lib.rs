//! The crawlers that are known by name: who runs them, what they read for, and how a robots.txt
//! names them.
//!
//! The entries of `crates/known/crawlers.toml` in the repository are built in. [`KnownCrawlers::add_file`]
//! adds others. What they may read of a file is `robotsieve_owners::reach`.
//!
//! ```
//! use robotsieve_known::{KnownCrawlers, Purpose};
//!
//! let known = KnownCrawlers::built_in();
//! let bot = known.by_token("gptbot").unwrap();
//! assert_eq!((bot.operator.as_str(), bot.purpose), ("OpenAI", Purpose::AiTraining));
//! let bot = known.by_header("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)");
//! assert_eq!(bot.unwrap().operator, "Microsoft");
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

mod crawler;
mod famous;
mod file;
pub mod internals;
mod names;
mod operators;
mod purpose;
mod readings;

use std::collections::HashMap;
use std::sync::LazyLock;

use robotsieve::internals::token;
use robotsieve::{Crawler, Field, Profile, Record, Robots, TokenBytes};
use robotsieve_shown::shown;

use crate::names as crawlers;
pub use crawler::{KnownCrawler, notes};
pub use file::InvalidCrawlers;
pub use operators::Operators;
pub use purpose::{Obeys, Purpose, UnknownPurpose};

/// The built-in file. Reading it takes a fraction of a millisecond, once; a build script would take
/// longer in every build.
const BUILT_IN: &str = include_str!("../crawlers.toml");

/// Known crawlers, in alphabetical order of their names.
#[derive(Clone, Debug, Default)]
pub struct KnownCrawlers {
    crawlers: Vec<KnownCrawler>,
    /// Positions by token, in lower case.
    by_token: HashMap<String, usize>,
}

/// What is meant by a name that no crawler has: see [`KnownCrawlers::nobodys_name`].
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_enums, reason = "a name means crawlers of somebody, or all")]
pub enum NobodysName<'k> {
    /// All crawlers.
    Everybody,
    /// The crawlers of an operator, the likeliest first; there is at least one.
    Operator {
        /// The operator's name.
        operator: &'k str,
        /// Its crawlers.
        crawlers: Vec<&'k KnownCrawler>,
    },
}

impl KnownCrawlers {
    /// The crawlers that are built in.
    pub fn built_in() -> &'static KnownCrawlers {
        static BUILT_IN_CRAWLERS: LazyLock<KnownCrawlers> = LazyLock::new(|| {
            let mut known = KnownCrawlers::default();
            // A test reads the same text, so it is never wrong here.
            let _ = known.add_file(BUILT_IN);
            known
        });
        &BUILT_IN_CRAWLERS
    }

    /// Adds the crawlers of a file, given as its text: TOML, with the same fields as
    /// `crates/known/crawlers.toml`. An entry takes the place of the one with the same token. With
    /// `replace = true` in the file's first line all others are left out.
    ///
    /// # Errors
    /// Returns an error if the text is no such file, if an entry lacks something or has something
    /// unknown, or if two entries have the same token. Then nothing is added.
    ///
    /// ```
    /// use robotsieve_known::KnownCrawlers;
    ///
    /// let mut known = KnownCrawlers::built_in().clone();
    /// known.add_file(
    ///     "[[crawler]]\nname = 'Our bot'\ntoken = 'OurBot'\noperator = 'We'\npurpose = 'other'\n\
    ///      obeys = 'yes'\nsource = 'our handbook'\ndate = 2026-11-23",
    /// )?;
    /// assert_eq!(known.by_token("ourbot").unwrap().name, "Our bot");
    /// # Ok::<(), robotsieve_known::InvalidCrawlers>(())
    /// ```
    pub fn add_file(&mut self, text: &str) -> Result<(), InvalidCrawlers> {
        let file = file::parse(text)?;
        if file.replace {
            *self = KnownCrawlers::default();
        }
        for crawler in file.crawlers {
            match self.by_token.get(&crawler.token.to_ascii_lowercase()) {
                Some(&at) => self.crawlers[at] = crawler,
                None => self.crawlers.push(crawler),
            }
        }
        self.crawlers.sort_by_cached_key(|crawler| {
            (crawler.name.to_lowercase(), crawler.token.to_ascii_lowercase())
        });
        let tokens = self.crawlers.iter().map(|crawler| crawler.token.to_ascii_lowercase());
        self.by_token = tokens.zip(0..).collect();
        Ok(())
    }

    /// The known crawler that a crawler's first name is the token of.
    pub fn of_crawler(&self, crawler: &Crawler) -> Option<&KnownCrawler> {
        crawler
            .iter()
            .next()
            .and_then(|name| str::from_utf8(name).ok())
            .and_then(|name| self.by_token(name))
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, KnownCrawler> {
        self.crawlers.iter()
    }

    /// The place of a crawler with this product token in lists for people: those that most owners of
    /// sites look for come first, and all others share the last place.
    ///
    /// ```
    /// use robotsieve_known::KnownCrawlers;
    ///
    /// let mut tokens = ["FooBot", "GPTBot", "Googlebot"];
    /// tokens.sort_by_key(|token| KnownCrawlers::place(token));
    /// assert_eq!(tokens, ["Googlebot", "GPTBot", "FooBot"]);
    /// ```
    #[must_use]
    pub fn place(token: &str) -> usize {
        famous::place(token)
    }

    /// The crawler with this name, which may be its product token or the name as its operator writes
    /// it, in any case.
    pub fn by_name(&self, name: &str) -> Option<&KnownCrawler> {
        let is_name = |crawler: &&KnownCrawler| crawler.name.eq_ignore_ascii_case(name);
        self.by_token(name).or_else(|| self.iter().find(is_name))
    }

    /// Those of a purpose.
    pub fn of_purpose(&self, purpose: Purpose) -> impl Iterator<Item = &KnownCrawler> {
        self.iter().filter(move |crawler| crawler.purpose == purpose)
    }

    /// Those of the operator with this name, in any case.
    pub fn of_operator(&self, name: &str) -> impl Iterator<Item = &KnownCrawler> {
        self.iter().filter(move |crawler| crawler.operator.eq_ignore_ascii_case(name))
    }

    /// The crawler with a product token, in any case.
    pub fn by_token(&self, token: &str) -> Option<&KnownCrawler> {
        self.by_token.get(&token.to_ascii_lowercase()).map(|&at| &self.crawlers[at])
    }

    /// The crawler that sends a User-Agent header: the first one known among the names in it, from
    /// the surest on.
    pub fn by_header<H: AsRef<[u8]>>(&self, header: H) -> Option<&KnownCrawler> {
        let crawler = Crawler::from_user_agent(header);
        crawler.iter().find_map(|name| self.by_token(str::from_utf8(name).ok()?))
    }

    /// The known crawler that was probably meant by a name that no crawler is known by, if the names
    /// differ in one slip of the pen, or if the name is that of an operator
    /// ([`KnownCrawlers::nobodys_name`]). `None` if the file names it: then it is right there.
    ///
    /// ```
    /// use robotsieve_known::KnownCrawlers;
    /// use robotsieve::{Profile, Robots};
    ///
    /// let known = KnownCrawlers::built_in();
    /// let robots = Robots::parse(b"User-agent: GPTBot\nDisallow: /\n", &Profile::RFC9309);
    /// assert_eq!(known.meant("GTPBot", &robots).unwrap().token, "GPTBot");
    /// for (name, token) in [("google", "Googlebot"), ("Bing", "bingbot"), ("openai", "GPTBot")] {
    ///     assert_eq!(known.meant(name, &robots).unwrap().token, token);
    /// }
    /// assert!(known.meant("FooBot", &robots).is_none());
    /// ```
    #[must_use]
    pub fn meant<N: AsRef<[u8]>>(&self, name: N, robots: &Robots<'_>) -> Option<&KnownCrawler> {
        let name = name.as_ref();
        if self.by_token(str::from_utf8(name).ok()?).is_some() {
            return None;
        }
        let tokens = self.iter().map(|crawler| crawler.token.as_str());
        let meant = match self.nobodys_name(name) {
            Some(NobodysName::Operator { crawlers, .. }) => crawlers.first()?.token.as_str(),
            // Of several that are as near, the one that people know.
            _ => crawlers::misspelt(name)
                .filter(|token| self.by_token(token).is_some())
                .or_else(|| crawlers::meant(name, tokens))?,
        };
        // However much of its line a profile reads.
        let is_it = |record: &Record<'_>| {
            [TokenBytes::LettersDigits, TokenBytes::Letters, TokenBytes::UpToSlash]
                .iter()
                .any(|bytes| token(record.value, *bytes).eq_ignore_ascii_case(name))
        };
        let mut lines = robots.records().filter(|record| record.field == Field::UserAgent);
        if lines.any(|line| is_it(&line)) { None } else { self.by_token(meant) }
    }

    /// The question whether another crawler was meant by a name, in a sentence, if it was
    /// ([`KnownCrawlers::meant`]).
    ///
    /// ```
    /// use robotsieve_known::KnownCrawlers;
    /// use robotsieve::{Profile, Robots};
    ///
    /// let robots = Robots::parse(b"", &Profile::RFC9309);
    /// assert_eq!(
    ///     KnownCrawlers::built_in().did_you_mean("Googelbot", &robots).unwrap(),
    ///     "no crawler is known as 'Googelbot': did you mean 'Googlebot'?"
    /// );
    /// ```
    #[must_use]
    pub fn did_you_mean<N: AsRef<[u8]>>(&self, name: N, robots: &Robots<'_>) -> Option<String> {
        let meant = &self.meant(&name, robots)?.token;
        let name = shown(name.as_ref());
        Some(format!("no crawler is known as '{name}': did you mean '{meant}'?"))
    }

    /// The meaning of a name that no crawler has, though many files are written as if one had: that of an
    /// operator or of its brand, or a word for all crawlers. `None` for any other name.
    ///
    /// ```
    /// use robotsieve_known::{KnownCrawlers, NobodysName};
    ///
    /// let known = KnownCrawlers::built_in();
    /// let Some(NobodysName::Operator { operator, crawlers }) = known.nobodys_name("google") else { panic!() };
    /// assert_eq!((operator, crawlers[0].token.as_str()), ("Google", "Googlebot"));
    /// assert!(matches!(known.nobodys_name("all"), Some(NobodysName::Everybody)));
    /// assert!(known.nobodys_name("Googlebot").is_none());
    /// ```
    #[must_use]
    pub fn nobodys_name<N: AsRef<[u8]>>(&self, name: N) -> Option<NobodysName<'_>> {
        let name = str::from_utf8(name.as_ref()).ok()?;
        if self.by_token(name).is_some() {
            return None;
        }
        if crawlers::EVERYBODY.iter().any(|word| word.eq_ignore_ascii_case(name)) {
            return Some(NobodysName::Everybody);
        }
        let mut brands = crawlers::BRANDS.iter();
        let (_, operator, taken) = brands.find(|(brand, ..)| brand.eq_ignore_ascii_case(name))?;
        let mut crawlers: Vec<&KnownCrawler> = self.of_operator(operator).collect();
        // The one that people take for it comes first, then those that have the name in theirs.
        let is_taken = |crawler: &KnownCrawler| *taken == Some(crawler.token.as_str());
        let has_name =
            |crawler: &KnownCrawler| crawler.token.to_lowercase().contains(&name.to_lowercase());
        crawlers.sort_by_key(|crawler| {
            (!is_taken(crawler), !has_name(crawler), KnownCrawlers::place(&crawler.token))
        });
        let operator = &crawlers.first()?.operator;
        Some(NobodysName::Operator { operator, crawlers })
    }

    /// [`KnownCrawlers::did_you_mean`] where there is no file that could name it.
    #[must_use]
    pub fn misspelt<N: AsRef<[u8]>>(&self, name: N) -> Option<String> {
        self.did_you_mean(name, &Robots::parse(b"", &Profile::RFC9309))
    }

    /// The consequence for a file of asking it for a known crawler by its product token alone, in a
    /// sentence. `None` if it says the same to both, or if the crawler is not one name that is known.
    ///
    /// A name is a product token, wherever one is given: it obeys the groups that name it, else those
    /// of `*`. The crawler that has this token may obey the groups of other names before, or not those
    /// of `*`; [`KnownCrawler::policy`] is its policy.
    ///
    /// ```
    /// use robotsieve_known::KnownCrawlers;
    /// use robotsieve::{Crawler, Profile, Robots};
    ///
    /// let robots = Robots::parse(b"User-agent: Googlebot\nDisallow: /x\n", &Profile::RFC9309);
    /// let note = KnownCrawlers::built_in().note(&Crawler::name("Googlebot-Image"), &robots);
    /// assert!(note.unwrap().ends_with("ask for 'Googlebot-Image,Googlebot'"));
    /// ```
    #[must_use]
    pub fn note(&self, crawler: &Crawler, robots: &Robots<'_>) -> Option<String> {
        let mut names = crawler.iter();
        let name = names.next().filter(|_| names.next().is_none())?;
        self.by_token(str::from_utf8(name).ok()?)?.token_note(robots)
    }

    /// A robots.txt that forbids everything to everybody, as for a site whose file cannot be had.
    /// Known crawlers that ignore the group of `*` are named, because this is no matter of groups.
    pub fn disallow_all(&self) -> Vec<u8> {
        let mut text = String::from("User-agent: *\n");
        for crawler in self.iter().filter(|crawler| !crawler.star) {
            text += &format!("User-agent: {}\n", crawler.token);
        }
        (text + "Disallow: /\n").into_bytes()
    }
}

/// [`KnownCrawlers::misspelt`] of the built-in crawlers.
///
/// The list is read only for names that are not well known: that takes some 2 ms.
///
/// ```
/// use robotsieve_known::misspelt;
///
/// assert!(misspelt("Googelbot").unwrap().ends_with("did you mean 'Googlebot'?"));
/// assert_eq!(misspelt("Googlebot"), None);
/// ```
#[must_use]
pub fn misspelt<N: AsRef<[u8]>>(name: N) -> Option<String> {
    if crawlers::is_well_known(name.as_ref()) {
        return None;
    }
    KnownCrawlers::built_in().misspelt(name)
}

impl<'k> IntoIterator for &'k KnownCrawlers {
    type Item = &'k KnownCrawler;
    type IntoIter = std::slice::Iter<'k, KnownCrawler>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use robotsieve::Profile;

    use super::*;

    #[test]
    fn built_in() {
        let file = file::parse(BUILT_IN).unwrap();
        assert!(!file.replace && file.crawlers.len() >= 200, "{}", file.crawlers.len());
        let known = KnownCrawlers::built_in();
        assert_eq!(known.iter().count(), file.crawlers.len());
        for purpose in Purpose::all() {
            let count = known.of_purpose(purpose).count();
            assert!(count >= 10, "{purpose}: {count}");
        }
        for token in ["Googlebot", "bingbot", "GPTBot", "ClaudeBot", "CCBot", "Google-Extended"] {
            assert!(known.by_token(&token.to_uppercase()).is_some(), "{token}");
        }
        for (entry, sorted) in file.crawlers.iter().zip(known) {
            assert_eq!(entry.name, sorted.name, "in alphabetical order");
        }
    }

    /// A group for its token takes the place of one for the names after it, in every profile.
    #[test]
    fn the_first_name_that_a_group_names() {
        let file =
            b"User-agent: Googlebot-Image\nDisallow: /img\n\nUser-agent: Googlebot\nDisallow: /g\n";
        let known = KnownCrawlers::built_in().by_token("Googlebot-Image").unwrap();
        for (name, profile) in Profile::NAMED {
            let policy = known.policy(&Robots::parse(file, profile));
            let allowed = ["/img", "/g"].map(|path| policy.is_path_allowed(path).unwrap());
            assert_eq!(allowed, [false, true], "{name}");
            let policy = known.policy(&Robots::parse(&file[44..], profile));
            assert!(!policy.is_path_allowed("/g").unwrap(), "{name}");
        }
    }

    /// A TOML parser reads the same of the built-in file.
    #[test]
    fn the_file_is_toml() {
        let table: toml::Table = BUILT_IN.parse().unwrap();
        let entries = table["crawler"].as_array().unwrap();
        let known = KnownCrawlers::built_in();
        assert_eq!(entries.len(), known.iter().count());
        for (entry, crawler) in entries.iter().zip(known) {
            let own = serde_json::to_value(crawler).unwrap();
            for (key, value) in entry.as_table().unwrap() {
                let value = match value {
                    toml::Value::Datetime(date) => date.to_string().into(),
                    value => serde_json::to_value(value).unwrap(),
                };
                assert_eq!(own[key], value, "{}", crawler.token);
            }
            let count = own.as_object().unwrap().values();
            let is_set = |value: &&serde_json::Value| match value {
                serde_json::Value::Array(all) => !all.is_empty(),
                value => !value.is_null() && !value.is_boolean(),
            };
            let switches = usize::from(!crawler.star) + usize::from(crawler.only_in_robots_txt);
            let left_out =
                ["token", "obeys"].iter().filter(|key| entry.get(**key).is_none()).count();
            let in_file = entry.as_table().unwrap().len();
            assert_eq!(count.filter(is_set).count() + switches, in_file + left_out);
            assert!(entry.get("token").is_some() || crawler.token == crawler.name);
            assert!(entry.get("obeys").is_some() || crawler.obeys == Obeys::Unknown);
        }
    }

    /// The header of a crawler leads to its entry, and to the group of its token.
    #[test]
    fn tokens_and_headers_agree() {
        let known = KnownCrawlers::built_in();
        let mut wrong = Vec::new();
        for crawler in known {
            let Some(header) = &crawler.header else { continue };
            assert!(!crawler.only_in_robots_txt, "{} has a header", crawler.token);
            let found = known.by_header(header).map(|found| found.token.as_str());
            if found != Some(crawler.token.as_str()) {
                wrong.push(format!("{}: {header} leads to {found:?}", crawler.token));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn after_names_end_somewhere() {
        for crawler in KnownCrawlers::built_in() {
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
        let mut known = KnownCrawlers::built_in().clone();
        let count = known.iter().count();
        known.add_file(&text).unwrap();
        assert_eq!(known.iter().count(), count + 1);
        assert_eq!(known.by_token("GPTBot").unwrap().name, "000");
        assert_eq!(known.iter().next().unwrap().token, "gptbot");
        assert_eq!(known.by_token("NEW").unwrap().name, "zzz");
        known.add_file(&format!("replace = true\n{}", entry("only", "x"))).unwrap();
        assert_eq!(
            known.iter().map(|crawler| crawler.token.as_str()).collect::<Vec<_>>(),
            ["only"]
        );
    }

    /// Crawlers that ignore the group of `*` are shut out, too.
    #[test]
    fn everybody_is_shut_out() {
        let known = KnownCrawlers::built_in();
        let file = known.disallow_all();
        for (name, profile) in Profile::NAMED {
            let robots = Robots::parse(&file, profile);
            for crawler in known {
                let is_allowed = crawler.policy(&robots).is_allowed("/x");
                assert_eq!(is_allowed, Ok(false), "{name} {}", crawler.token);
            }
        }
    }

    /// A known name, a name in the file and a name that is far from all known ones stand.
    #[test]
    fn names_that_were_meant() {
        let known = KnownCrawlers::built_in();
        let file = b"User-agent: Googelbot\nUser-agent: BingBots/2.0\nDisallow: /\n";
        for (_, profile) in Profile::NAMED {
            let (empty, robots) = (Robots::parse(b"", profile), Robots::parse(file, profile));
            for (name, wanted, in_file) in [
                ("Googelbot", Some("Googlebot"), None),
                ("GTPBot", Some("GPTBot"), Some("GPTBot")),
                ("PerplexityBots", Some("PerplexityBot"), Some("PerplexityBot")),
                ("BingBots", Some("bingbot"), None),
                ("ChatGPT", Some("ChatGPT-User"), Some("ChatGPT-User")),
                ("gptbot", None, None),
                ("anthropic-ai", None, None),
                ("FooBot", None, None),
                ("*", None, None),
                ("", None, None),
            ] {
                let meant = |robots: &Robots<'_>| {
                    known.meant(name, robots).map(|known| known.token.to_ascii_lowercase())
                };
                let lower = |token: Option<&str>| token.map(str::to_ascii_lowercase);
                assert_eq!(meant(&empty), lower(wanted), "{name}");
                assert_eq!(meant(&robots), lower(in_file), "{name}");
            }
        }
        let mut own = KnownCrawlers::default();
        own.add_file(
            "[[crawler]]\nname = 'x'\ntoken = 'OurCrawler'\noperator = 'We'\npurpose = 'other'\n\
             obeys = 'yes'\nsource = 'x'\ndate = 2026-11-23",
        )
        .unwrap();
        let empty = Robots::parse(b"", &Profile::RFC9309);
        assert_eq!(own.meant("OurCralwer", &empty).unwrap().token, "OurCrawler");
        assert!(own.meant("Googelbot", &empty).is_none());
    }

    #[test]
    fn policies() {
        let known = KnownCrawlers::built_in();
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

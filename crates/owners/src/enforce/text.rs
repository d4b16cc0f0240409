//! What all configurations have in common.

use super::options::Options;
use super::pattern::{self, Run};

/// What a configuration says.
pub(super) struct Written<'o> {
    pub(super) options: &'o Options,
    /// The name of the profile, if it has one.
    pub(super) profile: Option<&'static str>,
    pub(super) classes: Vec<WrittenClass>,
    /// An expression for URLs that are not in normal form. `None`: all are, or the server sees no others.
    pub(super) not_normal: Option<String>,
}

/// What is refused to crawlers with the same policy.
pub(super) struct WrittenClass {
    pub(super) number: usize,
    /// In lower case, sorted.
    pub(super) tokens: Vec<String>,
    /// For URLs in normal form. Empty: nothing is refused.
    pub(super) normal: Vec<Run>,
    /// For all URLs as they were sent, if that makes a difference.
    pub(super) sent: Vec<Run>,
}

/// A row of a map: the first that matches decides.
pub(super) struct Row<'r> {
    pub(super) comment: Option<&'r str>,
    pub(super) regex: &'r str,
    /// 1 if it is refused, else an empty string, as nginx and Caddy write both.
    pub(super) value: &'static str,
}

/// What comes before and after a name in a header: no part of a name before it, nor of a path or an
/// address. A dot may follow, as in `example.com crawler`.
const AROUND: [&str; 2] = ["(?:^|[^A-Za-z0-9_./@-])", "(?:[^A-Za-z0-9_-]|$)"];
/// The same for engines that can look around: they find the beginnings of names faster.
const LOOKING_AROUND: [&str; 2] = ["(?<![A-Za-z0-9_./@-])", "(?![A-Za-z0-9_-])"];

/// Comments on parts that every configuration has.
pub(super) const WHO_ASKS: &str = "# Who asks: the first of these names in the header.";
pub(super) const SPELLED: &str =
    "# URLs that spell something in another way than robots.txt is compared, as %61 for a.";

/// Returns true if these expressions find a name in a header.
pub(super) fn finds(header: &str, token: &str) -> bool {
    let [header, token] = [header, token].map(str::to_ascii_lowercase);
    let may_precede = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"_./@-".contains(byte);
    let may_follow = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"_-".contains(byte);
    let bytes = header.as_bytes();
    header.match_indices(token.as_str()).any(|(at, found)| {
        bytes[..at].last().is_none_or(may_precede)
            && bytes.get(at + found.len()).is_none_or(may_follow)
    })
}

impl Written<'_> {
    /// The beginning of the names in the configuration.
    pub(super) fn name(&self) -> &str {
        &self.options.name
    }

    /// The classes to which something is refused.
    pub(super) fn refused(&self) -> impl Iterator<Item = &WrittenClass> + Clone {
        self.classes.iter().filter(|class| !class.normal.is_empty())
    }

    /// Expressions that find a name in a header, in a group that `open` begins: the first that finds one
    /// counts, and of its names the first. They are to be compared in any case.
    pub(super) fn named(&self, open: &str) -> Vec<String> {
        let tokens = self.classes.iter().flat_map(|class| &class.tokens);
        let syntax = self.options.server.syntax(None);
        let [before, after] = if syntax.pcre { LOOKING_AROUND } else { AROUND };
        let room = syntax.bytes_at_most - before.len() - after.len() - open.len() - 1;
        let names = pattern::names(tokens.map(String::as_str), room);
        names.into_iter().map(|names| format!("{before}{open}{names}){after}")).collect()
    }

    /// The comment at the beginning, up to what is to be done with the text.
    pub(super) fn heading(&self) -> String {
        let server = self.options.server;
        let verb = if self.options.log_only { "Marks" } else { "Refuses" };
        let profile = self.profile.map_or_else(String::new, |name| format!(", profile {name}"));
        format!(
            "# {verb} what robots.txt forbids to crawlers, by their User-Agent headers{profile}.\n\
             # Written by robotsieve enforce --server {server}: write it again when robots.txt changes.\n#\n"
        )
    }
}

impl WrittenClass {
    /// An expression for exactly its tokens.
    pub(super) fn exactly(&self) -> String {
        format!("^(?:{})$", self.names())
    }

    /// An expression for its tokens within a header.
    pub(super) fn within(&self) -> String {
        let [before, after] = AROUND;
        format!("{before}(?:{}){after}", self.names())
    }

    fn names(&self) -> String {
        pattern::names(self.tokens.iter().map(String::as_str), usize::MAX).join("|")
    }

    /// Its tokens, for a comment.
    pub(super) fn who(&self) -> String {
        const SHOWN: usize = 12;
        robotsieve_shown::first_of(SHOWN, self.tokens.iter().cloned())
    }

    /// The maps of its URLs to verdicts: for each form what the name ends in, a comment, and the rows.
    pub(super) fn maps(&self) -> impl Iterator<Item = (&'static str, String, Vec<Row<'_>>)> {
        self.forms().map(|(suffix, runs)| {
            let is_normal = suffix.is_empty();
            let spelling = if is_normal { "" } else { ", in every spelling" };
            let rows = runs.iter().flat_map(move |run| {
                run.regexes.iter().map(move |regex| Row {
                    comment: is_normal.then_some(&*regex.comment),
                    regex: &regex.text,
                    value: if run.refuses { "1" } else { "\"\"" },
                })
            });
            (suffix, format!("# {}{spelling}", self.who()), rows.collect())
        })
    }

    /// Its runs, with what the names of both forms end in and whether they are for URLs as sent.
    pub(super) fn forms(&self) -> impl Iterator<Item = (&'static str, &[Run])> {
        let sent = (!self.sent.is_empty()).then_some(("_sent", &self.sent[..]));
        [("", &self.normal[..])].into_iter().chain(sent)
    }
}

#[cfg(test)]
mod tests {
    use regex_automata::hybrid::regex::Regex;
    use regex_automata::util::syntax;
    use robotsieve_known::{KnownCrawler, KnownCrawlers};

    use super::*;
    use crate::enforce::server::Server;

    /// A known header leads to its crawler, as the library reads it too; those of browsers to nobody.
    #[test]
    fn names_in_headers() {
        let known = KnownCrawlers::built_in();
        // Those of two names come after a slash.
        let is_found = |one: &&KnownCrawler| {
            one.header.as_ref().is_some_and(|header| finds(header, &one.token))
        };
        let (with_header, others): (Vec<_>, Vec<_>) =
            known.iter().filter(|one| one.header.is_some()).partition(is_found);
        assert!(others.len() <= 2, "{others:?}");
        let tokens: Vec<String> =
            with_header.iter().map(|one| one.token.to_ascii_lowercase()).collect();
        let options = Options::new(Server::Caddy);
        let class = WrittenClass {
            number: 1,
            tokens: tokens.clone(),
            normal: Vec::new(),
            sent: Vec::new(),
        };
        let written =
            Written { options: &options, profile: None, classes: vec![class], not_normal: None };
        let expressions: Vec<Regex> = written
            .named("(")
            .iter()
            .map(|text| {
                let syntax =
                    syntax::Config::new().unicode(false).utf8(false).case_insensitive(true);
                Regex::builder().syntax(syntax).build(text).unwrap()
            })
            .collect();
        assert!(!expressions.is_empty());
        let found = |header: &str| {
            let found =
                expressions.iter().find_map(|one| one.find(&mut one.create_cache(), header));
            found.map(|found| header[found.range()].to_ascii_lowercase())
        };
        let mut wrong = Vec::new();
        for (one, token) in with_header.iter().zip(&tokens) {
            let header = one.header.as_deref().unwrap_or_default();
            if !found(header).is_some_and(|found| found.contains(token.as_str())) {
                wrong.push(format!("{token}: {:?} in {header}", found(header)));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        for browser in [
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/134.0.0.0 \
             Safari/537.36 Edg/134.0.0.0",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
             Version/17.5 Mobile/15E148 Safari/604.1",
            "Mozilla/5.0 (Android 15; Mobile; rv:136.0) Gecko/136.0 Firefox/136.0",
            "",
        ] {
            assert_eq!(found(browser), None, "{browser}");
        }
    }
}

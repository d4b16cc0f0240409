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

/// What comes before a name in a header: no part of a name, of a path or of an address; or a first name and
/// a slash, as in `Jeeves/Teoma`.
const BEFORE: &str = "(?:^|[^A-Za-z0-9_./@-]|(?:^|[ (;])[A-Za-z]+/)";
/// What comes after a name; a dot may, as in `example.com crawler`.
const AFTER: &str = "(?:[^A-Za-z0-9_-]|$)";

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
        let bytes = self.options.server.syntax(None).bytes_at_most
            - BEFORE.len()
            - AFTER.len()
            - open.len()
            - 1;
        let names = pattern::names(tokens.map(String::as_str), bytes);
        names.into_iter().map(|names| format!("{BEFORE}{open}{names}){AFTER}")).collect()
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
        format!("{BEFORE}(?:{}){AFTER}", self.names())
    }

    fn names(&self) -> String {
        pattern::names(self.tokens.iter().map(String::as_str), usize::MAX).join("|")
    }

    /// Its tokens for a comment.
    pub(super) fn who(&self) -> String {
        const SHOWN: usize = 12;
        crate::shown::first_of(SHOWN, self.tokens.iter().cloned())
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

    use super::*;
    use crate::enforce::server::Server;
    use crate::known::KnownCrawlers;

    /// A known header leads to its crawler, as the library reads it too; those of browsers to nobody.
    #[test]
    fn names_in_headers() {
        let known = KnownCrawlers::built_in();
        let with_header: Vec<_> = known.iter().filter(|one| one.header.is_some()).collect();
        let tokens: Vec<String> =
            with_header.iter().map(|one| one.token.to_ascii_lowercase()).collect();
        let options = Options::new(Server::Nginx);
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

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

/// What comes before a name in a header: no part of a name, of a path or of an address.
const BEFORE: &str = "(?:^|[^A-Za-z0-9_./@-])";
/// What comes after a name.
const AFTER: &str = "(?:[^A-Za-z0-9_.-]|$)";

impl Written<'_> {
    /// The beginning of the names in the configuration.
    pub(super) fn name(&self) -> &str {
        &self.options.name
    }

    /// The classes to which something is refused.
    pub(super) fn refused(&self) -> impl Iterator<Item = &WrittenClass> + Clone {
        self.classes.iter().filter(|class| !class.normal.is_empty())
    }

    /// An expression that finds the first name in a header that is one of those, in a group that `open`
    /// begins. It is to be compared in any case.
    pub(super) fn named(&self, open: &str) -> String {
        let tokens = self.classes.iter().flat_map(|class| &class.tokens);
        let names = pattern::names(tokens.map(String::as_str));
        format!("{BEFORE}{open}{names}){AFTER}")
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
        format!("^(?:{})$", pattern::names(self.tokens.iter().map(String::as_str)))
    }

    /// An expression for its tokens within a header.
    pub(super) fn within(&self) -> String {
        format!("{BEFORE}(?:{}){AFTER}", pattern::names(self.tokens.iter().map(String::as_str)))
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

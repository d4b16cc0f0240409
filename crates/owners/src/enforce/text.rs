//! What all configurations have in common.

use std::collections::BTreeMap;
use std::time::Duration;

use super::header::{Name, Place};
use super::options::{Options, OwnAddresses};
use super::pattern::{self, Run};

/// What a configuration says.
pub(super) struct Written<'o> {
    pub(super) options: &'o Options,
    /// The name of the profile, if it has one, and those of others in which some classes are judged.
    pub(super) profile: Option<String>,
    pub(super) classes: Vec<WrittenClass>,
    /// An expression for URLs that are not in normal form. `None`: all are, or the server sees no others.
    pub(super) not_normal: Option<String>,
    /// The names of those that are to wait between requests, by how long.
    pub(super) delays: BTreeMap<Duration, Vec<String>>,
    /// The names of those whose addresses are given.
    pub(super) claimed: Vec<Name>,
}

/// What is refused to crawlers with the same policy.
pub(super) struct WrittenClass {
    pub(super) number: usize,
    /// Sorted.
    pub(super) names: Vec<Name>,
    /// For URLs in normal form. Empty: nothing is refused.
    pub(super) normal: Vec<Run>,
    /// For all URLs as they were sent, if that makes a difference.
    pub(super) sent: Vec<Run>,
    /// For all URLs with their paths as the server resolves them. Empty: only those as sent count.
    pub(super) resolved: Vec<Run>,
}

/// A row of a map: the first that matches decides.
pub(super) struct Row<'r> {
    pub(super) comment: Option<&'r str>,
    pub(super) regex: &'r str,
    /// 1 if it is refused, else an empty string, as nginx and Caddy write both.
    pub(super) value: &'static str,
}

/// Comments on parts that every configuration has.
pub(super) const WHO_ASKS: &str = "# Who asks: the first of these names in the header.";
pub(super) const IMPOSTORS: &str =
    "# Whose name is claimed at the beginning, after 'compatible' or with a version, and the addresses that operators publish.
# Who claims one so from another address is refused, but for robots.txt. A name that stands elsewhere is let through.
# Private networks and previews of links by phones of people are never refused.";
pub(super) const PACE: &str = "# The pace that Crawl-delay asks for, from all addresses of a crawler together. robots.txt stays open.";
pub(super) const SPELLED: &str =
    "# URLs that spell something in another way than robots.txt is compared, as %61 for a.";
pub(super) const RESOLVED: &str = "# Paths that lead to others, as //a, /./a, /x/../a and a%2Fb: those to which they lead count too.";
/// An expression for URLs whose paths may be resolved to others.
pub(super) const RESOLVES: &str = r"^[^?]*(?://|/\.|%)";

/// What stays encoded in a resolved path: expressions for it, and the digits of the escape. Else a decoded `?` would
/// begin a query, `%` an escape that was none, and `$` would stand before a line feed.
pub(super) const ENCODED: [(&str, &str); 3] = [(r"\?", "3F"), ("%", "25"), (r"\x0a", "0A")];
/// An expression for what has none of them, and no NUL. What has more than one of them counts as /robots.txt, which is
/// always open.
pub(super) const DECODED: &str = r"[^\x00\x0a%?]*";
pub(super) const KEPT: &str = "# The path as it is resolved. In it one ?, % or line feed is encoded again; with more of them it is left out.";

/// What the names of what is about resolved paths end in.
pub(super) const RESOLVED_SUFFIX: &str = "_path";

impl Written<'_> {
    /// The addresses of the crawlers that a header can name.
    pub(super) fn own_addresses(&self) -> impl Iterator<Item = &OwnAddresses> {
        let of_name = |name: &Name| {
            let mut all = self.options.ranges.iter();
            all.find(|own| own.token.eq_ignore_ascii_case(&name.token))
        };
        self.claimed.iter().filter_map(of_name)
    }

    /// What is to be known of them, for the heading.
    pub(super) fn of_addresses(&self) -> String {
        let server = self.options.server;
        match self.own_addresses().next() {
            None => String::new(),
            Some(_) => format!(
                "# Behind a proxy {} must see the addresses of clients ({}): it would refuse the\n\
                 # crawlers themselves. Write this again when their operators publish new lists.\n#\n",
                server.title(),
                server.sees_clients_by()
            ),
        }
    }

    /// A delay, for a comment.
    pub(super) fn of_delay(&self, delay: Duration) -> String {
        let shorter = self.options.server.counts_shorter(delay);
        let shorter = shorter.map_or_else(String::new, |how| format!(" ({how})"));
        format!("# Crawl-delay: {}{shorter}", delay.as_secs_f64())
    }

    /// Whether paths count as they are resolved, too.
    pub(super) fn resolves(&self) -> bool {
        self.classes.iter().any(|class| !class.resolved.is_empty())
    }

    /// The beginning of the names in the configuration.
    pub(super) fn name(&self) -> &str {
        &self.options.name
    }

    /// The classes to which something is refused.
    pub(super) fn refused(&self) -> impl Iterator<Item = &WrittenClass> + Clone {
        self.classes.iter().filter(|class| !class.normal.is_empty())
    }

    /// Those of them that have rules for resolved paths.
    pub(super) fn resolved(&self) -> impl Iterator<Item = &WrittenClass> {
        self.refused().filter(|class| class.resolved_form().is_some())
    }

    /// Expressions that find a name in a header, in a group that `open` begins: the first that finds one
    /// counts, and of its names the first. They are to be compared in any case. The surest places come first.
    pub(super) fn named(&self, open: &str) -> Vec<String> {
        let names: Vec<&Name> = self.classes.iter().flat_map(|class| &class.names).collect();
        self.named_in(&Place::ALL, &names, open)
    }

    /// The same for the names whose addresses are given, only in places where nobody else's header has them.
    pub(super) fn named_surely(&self, open: &str) -> Vec<String> {
        let names: Vec<&Name> = self.claimed.iter().collect();
        self.named_in(&Place::SURE, &names, open)
    }

    fn named_in(&self, places: &[Place], names: &[&Name], open: &str) -> Vec<String> {
        let syntax = self.options.server.syntax(None);
        let of = |place: &Place| {
            let tokens = names.iter().filter(|name| name.places.has(*place));
            let tokens = tokens.map(|name| &*name.token);
            let [before, after] = place.around(syntax.pcre);
            let room = syntax.bytes_at_most - before.len() - after.len() - open.len() - 1;
            let names = pattern::names(tokens, room);
            names.into_iter().map(move |names| format!("{before}{open}{names}){after}"))
        };
        places.iter().flat_map(of).collect()
    }

    /// The comment at the beginning, up to what is to be done with the text.
    pub(super) fn heading(&self) -> String {
        let server = self.options.server;
        let verb = if self.options.log_only { "Marks" } else { "Refuses" };
        let profile =
            self.profile.as_ref().map_or_else(String::new, |name| format!(", profile {name}"));
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
        let of = |place: Place| {
            let tokens = self.names.iter().filter(|name| name.places.has(place));
            let names = pattern::names(tokens.map(|name| &*name.token), usize::MAX);
            let [before, after] = place.around(false);
            (!names.is_empty()).then(|| format!("{before}(?:{}){after}", names.join("|")))
        };
        let all: Vec<String> = Place::ALL.into_iter().filter_map(of).collect();
        all.join("|")
    }

    fn names(&self) -> String {
        pattern::names(self.tokens(), usize::MAX).join("|")
    }

    /// Its tokens, sorted.
    pub(super) fn tokens(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.names.iter().map(|name| &*name.token)
    }

    /// Its tokens, for a comment.
    pub(super) fn who(&self) -> String {
        const SHOWN: usize = 12;
        robotsieve_shown::first_of(SHOWN, self.tokens().map(str::to_owned))
    }

    /// The maps of its URLs to verdicts: for each form what the name ends in, a comment, and the rows.
    pub(super) fn maps(&self) -> impl Iterator<Item = (&'static str, String, Vec<Row<'_>>)> {
        self.forms().chain(self.resolved_form()).map(|(suffix, runs)| {
            let is_normal = suffix.is_empty();
            let spelling = match suffix {
                "" => "",
                RESOLVED_SUFFIX => ", as the path is resolved",
                _ => ", in every spelling",
            };
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

    /// Its runs for resolved paths, with what their names end in.
    pub(super) fn resolved_form(&self) -> Option<(&'static str, &[Run])> {
        (!self.resolved.is_empty()).then_some((RESOLVED_SUFFIX, &self.resolved[..]))
    }

    /// Its runs, with what the names of both forms end in and whether they are for URLs as sent.
    pub(super) fn forms(&self) -> impl Iterator<Item = (&'static str, &[Run])> {
        let sent = (!self.sent.is_empty()).then_some(("_sent", &self.sent[..]));
        [("", &self.normal[..])].into_iter().chain(sent)
    }
}

//! Configuration for web servers that refuses what a robots.txt forbids.
//!
//! robots.txt only asks. [`configuration`] writes what a server needs to hold to it: who asks, by the
//! `User-Agent` header, and what is refused to whom, as regular expressions in the order of the rules'
//! precedence.
//!
//! ```text
//! robots.txt ─▶ crawlers in classes ─▶ regular expressions ─▶ proof ─▶ configuration
//!               whom                   pattern                prove    nginx, caddy, …
//! ```
//!
//! What is returned is proven: over all URLs that HTTP allows, the expressions refuse what the policy
//! disallows and nothing else. Where a server cannot say that, there is an error with the shortest
//! URL, or, with [`Options::approximate`], a note.
//!
//! ```
//! use robotsieve_owners::enforce::{self, Options, Server};
//! use robotsieve_known::KnownCrawlers;
//! use robotsieve::{Profile, Robots};
//!
//! let file = b"User-agent: GPTBot\nDisallow: /private/\n";
//! let robots = Robots::parse(file, &Profile::RFC9309);
//! let options = Options::new(Server::Nginx);
//! let written = enforce::configuration(&robots, KnownCrawlers::built_in(), &options)?;
//! assert!(written.text.contains("\"~^/private/\" 1;"));
//! # Ok::<(), enforce::CannotEnforce>(())
//! ```

mod apache;
mod caddy;
mod cannot;
mod cloudflare;
mod haproxy;
mod header;
mod nginx;
mod options;
mod pattern;
mod prove;
mod server;
mod text;
mod traefik;
mod whom;

pub use cannot::CannotEnforce;
pub(crate) use header::{Signs, people_send};
pub use options::{Choice, Options, OwnAddresses};
pub use server::{Approximate, Server, UnknownServer};
pub(crate) use whom::names_in;

use std::collections::BTreeSet;

use robotsieve::internals::{Encoding, PolicyInternals as _};
use robotsieve::{DiagnosticKind, LimitHit, Policy, Robots};
use robotsieve_known::{KnownCrawlers, Operators};
use robotsieve_lint::internals::automaton_of as automaton;
use robotsieve_shown::{pasted, shown};

use cannot::CLASSES;
use pattern::Form;
use prove::{Differences, Seen, TooLarge};
use text::{Written, WrittenClass};

/// A configuration that does what the file says; proven.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Configuration {
    /// The text.
    pub text: String,
    /// The caveats, in sentences: for whom it does nothing, and where it differs from the file.
    pub notes: Vec<String>,
}

/// The configuration for a server that refuses to crawlers what a file forbids them, in the profile
/// that the file was parsed with.
///
/// Takes milliseconds for most files, and seconds for those with hundreds of rules with stars; time and
/// memory are bounded.
///
/// # Errors
/// Returns an error if the server cannot do it, if it cannot be proven, or if nothing would be refused.
pub fn configuration(
    robots: &Robots<'_>,
    known: &KnownCrawlers,
    options: &Options,
) -> Result<Configuration, CannotEnforce> {
    configuration_by_operators(robots, &Operators::default(), known, options)
}

/// [`configuration`] that holds each known crawler to the rules that its operator finds in the file.
///
/// # Errors
/// Returns an error in the same cases.
pub fn configuration_by_operators<'f>(
    robots: &Robots<'f>,
    operators: &Operators<'f>,
    known: &KnownCrawlers,
    options: &Options,
) -> Result<Configuration, CannotEnforce> {
    options.check().map_err(CannotEnforce::Option)?;
    let mut named = options.choice.crawlers.iter().chain(&options.choice.except);
    if let Some(question) = named.find_map(|name| known.did_you_mean(name, robots)) {
        return Err(CannotEnforce::DidYouMean(question));
    }
    let whom::Whom { classes, delays, claimed, left_out, notes: of_crawlers } =
        whom::whom(robots, operators, known, options);
    let mut notes = unread(robots);
    notes.extend(of_crawlers);
    if classes.len() > CLASSES {
        return Err(CannotEnforce::Classes);
    }
    let syntax = options.server.syntax(options.approximate);
    // What is normal to one profile and not to another is compared as it was sent.
    let mut not_normal: Vec<String> = Vec::new();
    for class in classes.iter().filter(|_| options.server.sees_spellings()) {
        let own = pattern::not_normal(&class.profile, syntax);
        not_normal.extend(own.filter(|own| !not_normal.contains(own)));
    }
    let not_normal = pattern::any(not_normal);
    let profile = robots.profile().name().map(|name| {
        let own = |class: &whom::Class| class.profile.name().filter(|own| *own != name);
        let others: BTreeSet<&str> = classes.iter().filter_map(own).collect();
        let others =
            others.into_iter().map(|other| format!(", or {other} as their operators read it"));
        name.to_owned() + &others.collect::<String>()
    });
    let mut written =
        Written { options, profile, classes: Vec::new(), not_normal, delays, claimed };
    let mut cells = Cells { whole: prove::CELLS_AS_A_WHOLE, all: prove::CELLS };
    let mut apart: [Option<(Vec<u8>, String)>; 2] = Default::default();
    for class in classes {
        let mut of_class = WrittenClass {
            number: written.classes.len() + 1,
            names: class.names,
            normal: Vec::new(),
            sent: Vec::new(),
            resolved: Vec::new(),
        };
        if let Some(policy) = &class.policy {
            let encoding = Encoding::of_target(&class.profile);
            let runs = |form| {
                let runs = pattern::runs(policy.rule_set(), encoding, form, syntax);
                runs.map_err(|long| CannotEnforce::LongRule { line: long.line })
            };
            of_class.normal = runs(Form::Normal)?;
            if written.not_normal.is_some() {
                of_class.sent = runs(Form::Sent)?;
            }
            if options.server.resolves() && !options.as_sent {
                of_class.resolved = runs(Form::Resolved)?;
            }
            let crawler = of_class.tokens().next().unwrap_or_default().to_owned();
            let mut found = proven(policy, encoding, options, &of_class, &mut cells)?;
            if !of_class.resolved.is_empty() && (found.stricter.is_some() || found.looser.is_some())
            {
                // What no expression can say of resolved paths is left out if all else is exact, and told.
                let resolved = std::mem::take(&mut of_class.resolved);
                let as_sent = proven(policy, encoding, options, &of_class, &mut cells)?;
                if as_sent.stricter.is_none() && as_sent.looser.is_none() {
                    notes.push(format!("for {crawler}, paths count as they are sent alone"));
                    found = as_sent;
                } else {
                    of_class.resolved = resolved;
                }
            }
            let [stricter, looser] = &mut apart;
            for (slot, url) in [(stricter, found.stricter), (looser, found.looser)] {
                let is_shorter =
                    |url: &Vec<u8>| slot.as_ref().is_none_or(|(known, _)| url.len() < known.len());
                if let Some(url) = url.filter(is_shorter) {
                    *slot = Some((url, crawler.clone()));
                }
            }
        }
        written.classes.push(of_class);
    }
    for (refused, found) in [true, false].into_iter().zip(apart) {
        let Some((url, crawler)) = found else { continue };
        let may = match options.approximate {
            Some(Approximate::Stricter) => refused,
            Some(Approximate::Looser) => !refused,
            None => false,
        };
        if !may {
            return Err(CannotEnforce::Differs { url, refused, crawler, server: options.server });
        }
        let url = shown(&pasted(&url));
        notes.push(match refused {
            true => {
                format!("it refuses more than the file forbids, for example {url} to {crawler}")
            }
            false => format!(
                "it refuses less than the file forbids: for example, not {url} to {crawler}"
            ),
        });
    }
    let is_more = !written.delays.is_empty() || written.own_addresses().next().is_some();
    if !is_more && written.classes.iter().all(|class| class.normal.is_empty()) {
        notes.extend(known_would(robots, operators, known, options));
        return Err(CannotEnforce::Nothing { notes, left_out });
    }
    notes.extend(options.server.notes());
    if written.own_addresses().next().is_some() {
        notes.push(format!(
            "{} must see the addresses of clients: behind a proxy without {} it would refuse the crawlers themselves",
            options.server.title(),
            options.server.sees_clients_by()
        ));
    }
    let text = match options.server {
        Server::Nginx => nginx::text(&written),
        Server::Caddy => caddy::text(&written),
        Server::Apache => apache::text(&written),
        Server::Haproxy => haproxy::text(&written),
        Server::Traefik => traefik::text(&written),
        Server::Cloudflare => {
            let texts = cloudflare::texts(&written, known)?;
            if texts.len() > 1 {
                notes.push(format!(
                    "these are {} expressions, with an empty line between them: each is for a rule of its own",
                    texts.len()
                ));
            }
            texts.join("\n\n") + "\n"
        }
    };
    Ok(Configuration { text, notes })
}

/// Sentences about parts of the file that are not read, so that nothing enforces them.
fn unread(robots: &Robots<'_>) -> Vec<String> {
    use DiagnosticKind::{Html, LineLimit, SizeLimit, Utf16};
    let found = robots.diagnostics().into_iter();
    let found = found
        .filter(|found| matches!(found.kind, SizeLimit { .. } | LineLimit { .. } | Html | Utf16));
    let mut notes: Vec<String> =
        found.map(|found| format!("line {} of robots.txt: {}", found.line, found.kind)).collect();
    // One long line is like another.
    notes.truncate(3);
    notes
}

/// What [`Choice::known`] would refuse, if nothing was chosen: a file may have rules for all and name nobody.
fn known_would<'f>(
    robots: &Robots<'f>,
    operators: &Operators<'f>,
    known: &KnownCrawlers,
    options: &Options,
) -> Option<String> {
    let mut with_known = options.clone();
    with_known.choice.known = true;
    let choice = &options.choice;
    if choice.known || !choice.purposes.is_empty() || !choice.crawlers.is_empty() {
        return None;
    }
    let forbids = |policy: &Policy| {
        let last = policy.rule_set().iter().find(|rule| !rule.verdict.is_allow());
        last.map(|rule| rule.line)
    };
    let classes = whom::whom(robots, operators, known, &with_known).classes.into_iter();
    let refused = classes.filter_map(|class| Some((forbids(class.policy.as_ref()?)?, class.names)));
    let (line, names) = refused.max_by_key(|(_, names)| names.len())?;
    Some(format!(
        "--known would refuse what the group of '*' forbids, such as line {line}, to {} known crawlers, those of search \
         engines too; --purpose and --crawler choose some of them",
        names.len()
    ))
}

/// What proofs may still visit.
struct Cells {
    /// Those of whole sets of rules.
    whole: usize,
    /// Those of rules one by one, and all of those of servers that see only paths.
    all: usize,
}

/// Where what is written for a class differs from its policy.
///
/// What is written is compared as a whole. If that takes too many states, as it can where many rules have
/// several stars, each expression is compared with its rules alone, and each rule without one is shown never to
/// decide: the runs have the rules' order, so the first that matches is the same one.
fn proven(
    policy: &Policy,
    encoding: Encoding,
    options: &Options,
    class: &WrittenClass,
    cells: &mut Cells,
) -> Result<Differences, CannotEnforce> {
    // For a server that sees only paths there is no other proof.
    let path_only = options.server.sees_path_only();
    let automaton = match cells.whole > 0 || path_only {
        true => automaton(policy),
        false => Err(None),
    };
    let rules = policy.rule_set();
    let mut found = Differences::default();
    let forms = [
        (Form::Normal, &class.normal),
        (Form::Sent, &class.sent),
        (Form::Resolved, &class.resolved),
    ];
    for (form, runs) in forms {
        let seen = Seen { form, bytes: options.server.syntax(None).pcre, path_only };
        if form != Form::Normal && runs.is_empty() {
            continue;
        }
        let whole = match &automaton {
            Ok(automaton) => {
                let left = if path_only { &mut cells.all } else { &mut cells.whole };
                let whole =
                    prove::differences(automaton.table(), rules, encoding, runs, seen, left);
                if whole.is_err() {
                    *left = 0;
                }
                whole
            }
            Err(_) => Err(TooLarge),
        };
        let differences = match whole {
            Ok(differences) => differences,
            Err(_) if seen.path_only => return Err(unproven(&automaton)),
            Err(_) => match prove::in_parts(rules, encoding, runs, seen, &mut cells.all) {
                Ok(true) => Differences::default(),
                Ok(false) | Err(_) => return Err(unproven(&automaton)),
            },
        };
        found = found.or_shorter(differences);
    }
    Ok(found)
}

fn unproven<T>(automaton: &Result<T, Option<LimitHit>>) -> CannotEnforce {
    CannotEnforce::Unproven(automaton.as_ref().err().copied().flatten())
}

//! The report `audit`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;

use robotsieve::{Field, Robots};
use robotsieve_known::{KnownCrawler, Obeys, Purpose};
use robotsieve_report::{SCHEMA, Sentence, TOOL_VERSION, text};
use robotsieve_shown::{first_of, shown};

use super::counts::{Counts, Found, UNKNOWN};
use super::crawlers::Name;
use super::tally::{Broken, HOSTS, PLACES, Sums, Totals};
use super::times::rfc3339;
use crate::ranges::AddressSource;

/// The most addresses of a crawler to report that are none of its own.
const OTHERS: usize = 100;

/// The most crawlers to name that never asked for /robots.txt.
const NAMES: usize = 20;

/// The crawlers in logs, with what they fetched that a robots.txt forbids: the report `audit`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AuditReport {
    /// `robotsieve-report-1`.
    pub schema: &'static str,
    /// `audit`.
    pub report: &'static str,
    /// The version of robotsieve that made the report.
    pub tool_version: &'static str,
    /// The name of the profile, null if it has none.
    pub profile: Option<String>,
    /// The versions of the robots.txt, in the order of time.
    pub robots: Vec<AuditedFile>,
    /// The logs of which nothing, or not all, could be read: what they have besides is not in the report.
    pub unread: Vec<String>,
    /// The formats in which the logs were read.
    pub formats: Vec<&'static str>,
    /// All lines but empty ones: `damaged`, `too_long` and `requests` together.
    pub lines: u64,
    /// The number of lines that are not in the format, or have a time that is none.
    pub damaged: u64,
    /// The places of the first five damaged lines.
    pub first_damaged: Vec<DamagedLine>,
    /// The number of lines that are too long to be read.
    pub too_long: u64,
    /// `judged`, `other_clients`, `other_crawlers`, `without_header`, `without_path` and `other_hosts` together.
    pub requests: u64,
    /// The number of requests that are for other hosts than those asked for.
    pub other_hosts: u64,
    /// The number of requests that are for neither a path nor a URL.
    pub without_path: u64,
    /// The number of requests that have no User-Agent header.
    pub without_header: u64,
    /// The number of requests that are not made by crawlers.
    pub other_clients: u64,
    /// The number of requests that are made by crawlers other than those asked for.
    pub other_crawlers: u64,
    /// The number of requests of crawlers that were judged.
    pub judged: u64,
    /// Those of `judged` that were made before the first version.
    pub before_first: u64,
    /// The number of requests of crawlers that are forbidden.
    pub forbidden: u64,
    /// The number of requests that the file forbids, of crawlers that were refused /robots.txt itself and did not get it
    /// before them.
    pub excused: u64,
    /// Some hosts that requests were for, if the logs tell; `…` at the end if there are more.
    pub hosts: Vec<String>,
    /// The tokens of crawlers whose addresses are known, and that are not in the logs.
    pub not_found: Vec<String>,
    /// By purpose, those that are not known last; in each the one with the most forbidden requests
    /// first. If the addresses of a crawler are known, what came from there is apart from what did not.
    pub crawlers: Vec<AuditedCrawler>,
    /// The totals in sentences, and what else is to be said of all crawlers.
    pub sentences: Vec<Sentence>,
}

/// A version of the robots.txt.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AuditedFile {
    /// The name of the file as the caller gave it.
    pub file: String,
    /// The time from which on it was the site's, null if that is the beginning.
    pub from: Option<String>,
    /// The number of requests that it judged.
    pub judged: u64,
}

/// The place of a line that is not in the format.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DamagedLine {
    /// The name of the log.
    pub log: String,
    /// The line, from 1.
    pub line: u64,
}

/// A crawler in logs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AuditedCrawler {
    /// The name as its operator writes it; of one that is not known, its token.
    pub name: String,
    /// The product token, null if this stands for all names beyond the first 1,000 that are not
    /// known.
    pub token: Option<String>,
    /// The purpose, null if it is not known.
    pub purpose: Option<Purpose>,
    /// The heading of the purpose, or `not known`.
    pub title: &'static str,
    /// Who runs it, null if it is not known.
    pub operator: Option<String>,
    /// Its operator's word on obeying, null if it is not known.
    pub obeys: Option<Obeys>,
    /// Where these requests came from, null if no published addresses of the crawler are known. Of one
    /// crawler there may be an entry for each.
    pub source: Option<AddressSource>,
    /// The number of requests that it made.
    pub requests: u64,
    /// The number of those that are forbidden.
    pub forbidden: u64,
    /// The number of those that the file forbids, made after the crawler, or another one of its operator, was refused /robots.txt (status 4xx) and before it
    /// got the file: by RFC 9309 it may then fetch all, so they are not in `forbidden`.
    pub excused: u64,
    /// The forbidden ones in percent of all: `12.5 %`.
    pub share: String,
    /// The forbidden ones by the server's answer.
    pub forbidden_by_status: Vec<StatusCount>,
    /// The time of the first request in UTC, null if the logs have no times.
    pub first: Option<String>,
    /// The time of the last request.
    pub last: Option<String>,
    /// The number of times that it asked for /robots.txt.
    pub robots_txt: u64,
    /// Those of `robots_txt` that got the file (status 2xx or 304).
    pub robots_txt_delivered: u64,
    /// Those of `robots_txt` that were refused it (status 4xx).
    pub robots_txt_refused: u64,
    /// Those of `robots_txt` that failed (status 5xx).
    pub robots_txt_failed: u64,
    /// How many of these came from the published addresses, null if none are known.
    pub verified: Option<VerifiedCount>,
    /// The rules that it broke, the one broken most first.
    pub rules: Vec<BrokenRule>,
    /// Forbidden requests by rules beyond the first 1,000.
    pub more_rules: u64,
    /// The word of its operator or of others, if it broke a rule and is not said to obey them all.
    pub note: Option<String>,
    /// Those of `robots_txt` of which the log does not have the answer.
    #[serde(skip)]
    robots_txt_unknown: u64,
    /// True if it asked for /robots.txt, or another crawler of its operator.
    #[serde(skip)]
    has_asked: bool,
}

/// Forbidden requests with the same kind of answer.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct StatusCount {
    /// `2xx`, `3xx` and so on, or `unknown`.
    pub status: String,
    /// The number of requests.
    pub requests: u64,
}

/// Requests from the published addresses of a crawler.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct VerifiedCount {
    /// The number of requests.
    pub requests: u64,
    /// The number of those that are forbidden.
    pub forbidden: u64,
    /// The first 100 other addresses that sent its name, those with the most requests first.
    pub others: Vec<OtherAddress>,
    /// The number of requests from further addresses, and from unknown ones.
    pub more_others: u64,
}

/// An address that is none of those that an operator publishes.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct OtherAddress {
    /// The address.
    pub address: String,
    /// The number of requests.
    pub requests: u64,
    /// The number of those that are forbidden.
    pub forbidden: u64,
}

impl VerifiedCount {
    fn of(source: AddressSource, found: &Found<'_>, counts: &Counts<'_>) -> VerifiedCount {
        let (Sums { requests, more_addresses, .. }, [forbidden, _]) =
            (found.sums(), counts.forbidden(found));
        if source != AddressSource::Other {
            let is_its_own = source == AddressSource::Published;
            let its_own = |count| if is_its_own { count } else { 0 };
            return VerifiedCount {
                requests: its_own(requests),
                forbidden: its_own(forbidden),
                others: Vec::new(),
                more_others: requests - its_own(requests),
            };
        }
        let is_excused = counts.is_excused(found);
        let mut others = found.tally.addresses.clone();
        if is_excused {
            others.values_mut().for_each(|[_, forbidden]| *forbidden = 0);
        }
        for (address, [requests, _]) in &found.excused.addresses {
            others.entry(*address).or_default()[0] += requests;
        }
        let mut others: Vec<_> = others.into_iter().collect();
        others.sort_by_key(|(address, [requests, _])| (Reverse(*requests), *address));
        let rest: u64 = others.iter().skip(OTHERS).map(|(_, [requests, _])| requests).sum();
        let other = |(address, [requests, forbidden]): (IpAddr, [u64; 2])| OtherAddress {
            address: address.to_string(),
            requests,
            forbidden,
        };
        let others = others.into_iter().take(OTHERS).map(other).collect();
        VerifiedCount { requests: 0, forbidden: 0, others, more_others: more_addresses + rest }
    }
}

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BrokenRule {
    /// The file, as an index into `robots`.
    pub file: usize,
    /// The line of the rule.
    pub line: u32,
    /// The rule's value as written.
    pub rule: String,
    /// The bytes of `rule` if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_base64: Option<String>,
    /// The number of requests that it forbids.
    pub requests: u64,
    /// Some of their paths.
    pub examples: Vec<ExamplePath>,
}

/// A forbidden path.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ExamplePath {
    /// The first 200 bytes of the path.
    pub path: String,
    /// The bytes of `path` if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_base64: Option<String>,
    /// True if the path is longer.
    pub cut: bool,
}

impl AuditReport {
    /// Returns true if there were requests, none of which had a User-Agent header.
    #[must_use]
    pub fn lacks_headers(&self) -> bool {
        self.without_header > 0 && self.judged + self.other_clients + self.other_crawlers == 0
    }

    /// Returns true if there were lines, none of which could be read.
    #[must_use]
    pub fn lacks_requests(&self) -> bool {
        self.lines > 0 && self.requests == 0
    }

    /// Returns true if there were requests, all of them for other hosts than those asked for.
    #[must_use]
    pub fn lacks_hosts(&self) -> bool {
        self.other_hosts > 0 && self.other_hosts == self.requests
    }
}

impl AuditedCrawler {
    /// The name in sentences, which tells what came from its own addresses from what did not.
    #[must_use]
    pub fn label(&self) -> String {
        match self.source {
            None | Some(AddressSource::Published) => self.name.clone(),
            Some(AddressSource::Other) => format!("{}, other addresses", self.name),
            Some(AddressSource::Unknown) => format!("{}, no address", self.name),
        }
    }

    /// Returns true if all of it may be the crawler's own.
    fn may_be_itself(&self) -> bool {
        matches!(self.source, None | Some(AddressSource::Published))
    }

    /// Returns true if it asked for /robots.txt, and no answer had the file.
    #[must_use]
    pub fn lacks_file(&self) -> bool {
        self.robots_txt > 0 && self.robots_txt_delivered + self.robots_txt_unknown == 0
    }

    /// The number of its requests for /robots.txt that got neither the file nor status 4xx or 5xx, such as redirects.
    #[must_use]
    pub fn robots_txt_otherwise(&self) -> u64 {
        self.robots_txt
            - self.robots_txt_delivered
            - self.robots_txt_refused
            - self.robots_txt_failed
            - self.robots_txt_unknown
    }
}

impl Found<'_> {
    fn shown(&self) -> &str {
        match &self.name {
            Some(Name::Known(known)) => &known.name,
            Some(name) => name.token(),
            None => "more unknown crawlers",
        }
    }

    fn known(&self) -> Option<&KnownCrawler> {
        self.name.as_ref().and_then(Name::known)
    }
}

impl Counts<'_> {
    /// The report on the blocks so far.
    #[must_use]
    pub fn report(&self) -> AuditReport {
        let totals = &self.totals;
        let files =
            self.audit.versions.iter().zip(&self.judged_by).map(|(version, judged)| AuditedFile {
                file: version.name.clone(),
                from: version.from.map(rfc3339),
                judged: *judged,
            });
        let damaged = self.damaged.iter().map(|(log, line)| (log.clone(), *line));
        let mut hosts: Vec<String> =
            self.hosts.iter().take(HOSTS).map(|host| shown(host.as_bytes())).collect();
        hosts.extend((self.hosts.len() > HOSTS).then(|| "…".to_owned()));
        let crawlers = self.audited();
        AuditReport {
            schema: SCHEMA,
            report: "audit",
            tool_version: TOOL_VERSION,
            profile: self.audit.profile.name().map(str::to_owned),
            robots: files.collect(),
            unread: self.unread.clone(),
            formats: self.formats.iter().copied().collect(),
            lines: totals.lines,
            damaged: totals.damaged,
            first_damaged: damaged.map(|(log, line)| DamagedLine { log, line }).collect(),
            too_long: totals.too_long,
            requests: totals.requests(),
            other_hosts: totals.other_hosts,
            without_path: totals.without_path,
            without_header: totals.without_header,
            other_clients: totals.other_clients,
            other_crawlers: totals.other_crawlers,
            judged: totals.judged,
            before_first: totals.before_first,
            forbidden: crawlers.iter().map(|crawler| crawler.forbidden).sum(),
            excused: crawlers.iter().map(|crawler| crawler.excused).sum(),
            hosts,
            not_found: self.not_found(),
            sentences: self.sentences(&crawlers),
            crawlers,
        }
    }

    /// The crawlers of the logs in the order of the report.
    fn audited(&self) -> Vec<AuditedCrawler> {
        let mut purposes: BTreeMap<_, Vec<&Found<'_>>> = BTreeMap::new();
        for found in &self.found {
            let purpose = found.known().map(|known| known.purpose);
            purposes.entry((purpose.is_none(), purpose)).or_default().push(found);
        }
        for found in purposes.values_mut() {
            found.sort_by_cached_key(|found| {
                let name = found.shown().to_ascii_lowercase();
                let [forbidden, _] = self.forbidden(found);
                (Reverse(forbidden), Reverse(found.sums().requests), name, found.source)
            });
        }
        // The values of rules, by their lines.
        let rules: Vec<HashMap<u32, &[u8]>> = self
            .audit
            .crawlers
            .readings()
            .map(|readings| {
                let records = readings.flat_map(Robots::records);
                let rules = records.filter(|record| record.field == Field::Disallow);
                rules.map(|record| (record.line, record.value)).collect()
            })
            .collect();
        let found = purposes.into_values().flatten();
        found.map(|found| self.crawler(found, &rules)).collect()
    }

    fn crawler(&self, found: &Found<'_>, rules: &[HashMap<u32, &[u8]>]) -> AuditedCrawler {
        let (tally, known) = (&found.tally, found.known());
        let sums = found.sums();
        let token = found.name.as_ref().map(Name::token);
        let is_excused = self.is_excused(found);
        let [forbidden, excused] = self.forbidden(found);
        let by_status = tally.sums.forbidden_by_status.iter().enumerate();
        let by_status =
            by_status.filter(|(_, count)| **count > 0 && !is_excused).map(|(class, requests)| {
                let status = if class == 0 { "unknown".to_owned() } else { format!("{class}xx") };
                StatusCount { status, requests: *requests }
            });
        let rules_broken = tally.rules().into_iter().filter(|_| !is_excused);
        let broken = rules_broken.map(|((file, line), broken)| {
            let value = rules[file].get(&line).copied().unwrap_or_default();
            broken_rule(file, line, value, broken)
        });
        let is_other = found.source == Some(AddressSource::Other);
        let says = known.and_then(KnownCrawler::disobeys).filter(|_| forbidden > 0 && !is_other);
        AuditedCrawler {
            name: found.shown().to_owned(),
            token: token.map(str::to_owned),
            purpose: known.map(|known| known.purpose),
            title: known.map_or("not known", |known| known.purpose.title()),
            operator: known.map(|known| known.operator.clone()),
            obeys: known.map(|known| known.obeys),
            source: found.source,
            requests: sums.requests,
            forbidden,
            excused,
            share: share(forbidden, sums.requests),
            forbidden_by_status: by_status.collect(),
            first: sums.times.map(|(first, _)| rfc3339(first)),
            last: sums.times.map(|(_, last)| rfc3339(last)),
            robots_txt: sums.robots_txt[0],
            robots_txt_delivered: sums.robots_txt[1],
            robots_txt_refused: sums.robots_txt[2],
            robots_txt_failed: sums.robots_txt[3],
            verified: found.source.map(|source| VerifiedCount::of(source, found, self)),
            rules: broken.collect(),
            more_rules: if is_excused { 0 } else { tally.by_more_rules },
            note: says,
            robots_txt_unknown: sums.robots_txt[4],
            has_asked: self.has_asked(found),
        }
    }

    /// The sentences at the end.
    fn sentences(&self, crawlers: &[AuditedCrawler]) -> Vec<Sentence> {
        let mut lines = totals(&self.totals, crawlers);
        lines.extend(undelivered(crawlers, self.totals.other_crawlers > 0));
        lines.extend(excused(crawlers));
        let disordered = self.found.iter().filter(|found| {
            found.name.is_some() && self.is_excused(found) && found.tally.sums.forbidden > 0
        });
        let disordered: Vec<String> = disordered.map(|found| found.shown().to_owned()).collect();
        if !disordered.is_empty() {
            lines.push(format!(
                "the lines are not in the order of time, so nobody can tell which requests followed a refusal of \
                 /robots.txt, and all are taken to (give the oldest log first): {}",
                first_of(NAMES, disordered.into_iter())
            ));
        }
        lines.extend(doubtful(&self.totals));
        if self.totals.damaged > 0 {
            let places: Vec<String> = self
                .damaged
                .iter()
                .map(|(log, line)| format!("{}:{line}", shown(log.as_bytes())))
                .collect();
            let more = if self.totals.damaged > PLACES as u64 { ", …" } else { "" };
            lines.push(format!(
                "lines that are not in the format: {} ({}{more})",
                self.totals.damaged,
                places.join(", ")
            ));
        }
        if self.totals.too_long > 0 {
            lines.push(format!("lines longer than 1 MiB, skipped: {}", self.totals.too_long));
        }
        if !self.unread.is_empty() {
            let names = first_of(NAMES, self.unread.iter().map(|name| shown(name.as_bytes())));
            lines.push(format!("could not be read, or not to the end: {names}"));
        }
        let is_itself = |crawler: &&AuditedCrawler| crawler.may_be_itself();
        let never = crawlers.iter().filter(is_itself).filter(|crawler| !crawler.has_asked);
        let never: Vec<String> = never.map(|crawler| crawler.name.clone()).collect();
        if !never.is_empty() {
            let names = first_of(NAMES, never.into_iter());
            lines.push(format!("never asked for /robots.txt in these logs: {names}"));
        }
        let known: Vec<&KnownCrawler> = self.found.iter().filter_map(Found::known).collect();
        lines.extend(self.audit.crawlers.note(&known));
        if self.found.iter().any(|found| found.name.is_none()) {
            lines.push(format!(
                "there are more than {UNKNOWN} names that are not known: the others are counted \
                 together"
            ));
        }
        lines.into_iter().map(|text| Sentence::new(text, None)).collect()
    }
}

fn broken_rule(file: usize, line: u32, value: &[u8], broken: &Broken) -> BrokenRule {
    let examples = broken.examples.iter().map(|example| {
        let part = example.part();
        let (path, path_base64) = text(part.path);
        ExamplePath { path, path_base64, cut: part.is_cut }
    });
    let (rule, rule_base64) = text(value);
    BrokenRule {
        file,
        line,
        rule,
        rule_base64,
        requests: broken.requests,
        examples: examples.collect(),
    }
}

/// That nobody got the file, if there are requests for it. If some crawlers were not judged, they may have got it.
fn undelivered(crawlers: &[AuditedCrawler], has_others: bool) -> Option<String> {
    let of = |count: fn(&AuditedCrawler) -> u64| crawlers.iter().map(count).sum::<u64>();
    let asked = of(|crawler| crawler.robots_txt);
    if asked == 0 || !crawlers.iter().all(|one| one.robots_txt == 0 || one.lacks_file()) {
        return None;
    }
    Some(format!(
        "warning: {} got /robots.txt in these logs: of {asked} request{} for it, {} got status 4xx, {} got 5xx and {} another \
         answer without the file, such as a redirect",
        if has_others { "none of the chosen crawlers" } else { "no crawler" },
        if asked == 1 { "" } else { "s" },
        of(|crawler| crawler.robots_txt_refused),
        of(|crawler| crawler.robots_txt_failed),
        of(AuditedCrawler::robots_txt_otherwise),
    ))
}

/// Who was refused the file, so that nobody can blame them.
fn excused(crawlers: &[AuditedCrawler]) -> Option<String> {
    let excused = || crawlers.iter().filter(|crawler| crawler.excused > 0);
    excused().next()?;
    let names: Vec<String> = excused().map(AuditedCrawler::label).collect();
    let requests: u64 = excused().map(|crawler| crawler.excused).sum();
    let by_others = excused().any(|crawler| crawler.robots_txt_refused == 0);
    Some(format!(
        "refused /robots.txt itself (status 4xx){}, so by RFC 9309 they may fetch all until they get it, and what the file \
         forbids until then is not counted ({requests} request{}): {}",
        if by_others { ", or another crawler of the same operator was" } else { "" },
        if requests == 1 { "" } else { "s" },
        first_of(NAMES, names.into_iter())
    ))
}

/// What the file forbids, and may yet have been allowed.
fn doubtful(totals: &Totals) -> Vec<String> {
    let requests = |count: u64| match count {
        1 => "1 request".to_owned(),
        _ => format!("{count} requests"),
    };
    let mut lines = Vec::new();
    if totals.by_copy > 0 {
        lines.push(format!(
            "not counted as forbidden: {} within 24 hours of a new file that an earlier one allows, for a crawler may use its \
             copy for so long",
            requests(totals.by_copy)
        ));
    }
    if totals.by_query > 0 {
        lines.push(format!(
            "not counted as forbidden: {} that some query would allow, which the logs do not have",
            requests(totals.by_query)
        ));
    }
    let may_lack = if totals.with_query == 0 { totals.may_lack_query } else { 0 };
    if totals.lack_query + may_lack > 0 {
        lines.push(format!(
            "the logs have no query for {}, so nobody can tell what rules about queries say of them",
            requests(totals.lack_query + may_lack)
        ));
    }
    lines
}

/// The numbers of requests that are forbidden and that were not judged.
fn totals(totals: &Totals, crawlers: &[AuditedCrawler]) -> Vec<String> {
    let tokens = |wants: fn(&AuditedCrawler) -> bool| {
        let tokens = crawlers.iter().filter(|crawler| wants(crawler));
        tokens.map(|crawler| crawler.token.as_deref()).collect::<BTreeSet<_>>().len()
    };
    let broke = tokens(|crawler| crawler.forbidden > 0);
    // What is counted together is one crawler or many.
    let more = crawlers.iter().find(|crawler| crawler.token.is_none());
    let at_least = if more.is_some() { "at least " } else { "" };
    let did_more = more.is_some_and(|more| more.forbidden > 0);
    let broke = if did_more { format!("at least {broke}") } else { broke.to_string() };
    let s = if totals.judged == 1 { "" } else { "s" };
    let forbidden = crawlers.iter().map(|crawler| crawler.forbidden).sum();
    let mut lines = vec![format!(
        "{forbidden} of {} request{s} by crawlers forbidden ({}), of {broke} of {at_least}{} crawlers",
        totals.judged,
        share(forbidden, totals.judged),
        tokens(|_| true),
    )];
    let from = |source| {
        let from = crawlers.iter().filter(|crawler| crawler.source == Some(source));
        from.map(|crawler| crawler.forbidden).sum::<u64>()
    };
    let elsewhere = [
        (from(AddressSource::Other), "from addresses in no list given for the crawler"),
        (from(AddressSource::Unknown), "without a public address in the log"),
    ];
    let elsewhere = counted(&elsewhere);
    if !elsewhere.is_empty() {
        lines.push(format!("forbidden, and perhaps not of the crawler: {elsewhere}"));
    }
    let rest = [
        (totals.other_clients, "by other clients"),
        (totals.other_crawlers, "by other crawlers"),
        (totals.without_header, "without a User-Agent header"),
        (totals.without_path, "without a path"),
        (totals.other_hosts, "for other hosts"),
    ];
    let rest = counted(&rest);
    if !rest.is_empty() {
        lines.push(format!("not judged: {rest}"));
    }
    lines
}

/// Those that are not zero.
fn counted(counts: &[(u64, &str)]) -> String {
    let some = counts.iter().filter(|(count, _)| *count > 0);
    some.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

/// A part in percent. One that is neither nothing nor all never looks like it.
fn share(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return "0 %".to_owned();
    }
    if part == whole {
        return "100 %".to_owned();
    }
    let percent = 100.0 * part as f64 / whole as f64;
    format!("{:.1} %", percent.clamp(0.1, 99.9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        for (part, whole, wanted) in [
            (0, 0, "0 %"),
            (0, 5, "0 %"),
            (5, 5, "100 %"),
            (1, 8, "12.5 %"),
            (1, 1_000_000, "0.1 %"),
            (999_999, 1_000_000, "99.9 %"),
        ] {
            assert_eq!(share(part, whole), wanted);
        }
    }
}

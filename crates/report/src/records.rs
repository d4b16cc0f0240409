//! The records that are no rules, as a document.

use robotsieve::internals::{RobotsInternals as _, is_within, joints_of_group};
use robotsieve::records::{self, Kind, RequestRate, Scope, TimeWindow, Value};
use robotsieve::{Crawler, Record, Robots};
use robotsieve_rights::internals::{Signal, pieces, read_members};
use robotsieve_rights::records::typed_records;
use robotsieve_rights::{ContentSignals, Note, Ruling, UseCeiling, Vocabulary};
use robotsieve_shown::shown;
use serde::Serialize;

use super::explain::joined;
use super::{SCHEMA, Sentence, TOOL_VERSION, counted, text, texts};

/// The largest number that JavaScript has exactly.
const MOST: u64 = (1 << 53) - 1;

/// Everything in a file that is neither a user-agent line nor a rule: the report `records`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RecordsReport {
    /// The version of the form of this document.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    pub schema: &'static str,
    /// The kind of this document.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "records")))]
    pub report: &'static str,
    /// The version of robotsieve.
    pub tool_version: &'static str,
    /// The name of the file as the caller gave it.
    pub robots: Option<String>,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots_base64: Option<String>,
    /// The name of the profile. `null` if it has none.
    pub profile: Option<&'static str>,
    /// Whom the records are for, and which have some: the whole file first, then the groups in
    /// their order, each with those of its runs of user-agent lines, then what is outside all groups.
    pub scopes: Vec<RecordScope>,
    /// The records, in the order of the file.
    pub records: Vec<TypedRecord>,
    /// The sentences about the file as a whole.
    pub sentences: Vec<Sentence>,
}

/// Whom records are for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RecordScope {
    /// The whole file, a group, a run of user-agent lines, or nobody.
    pub scope: ScopeKind,
    /// The number of the group, from 0: of a run, of the group that it is in. `null` if there is none.
    pub group: Option<u32>,
    /// The number of the run of user-agent lines, from 0. `null` if it is not one.
    pub run: Option<u32>,
    /// The product tokens of the group or run.
    pub crawlers: Option<Vec<String>>,
    /// Their bytes in base64, if not all are UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crawlers_base64: Option<Vec<String>>,
    /// The same in words, such as `for GPTBot`.
    pub label: String,
    /// Why the group is for all of these crawlers, if it goes on where it seems to end.
    pub notes: Vec<String>,
}

/// Where a record belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ScopeKind {
    /// To the whole file.
    File,
    /// To a group.
    Group,
    /// To a run of user-agent lines that is not the whole of its group, as a `Crawl-delay`, a
    /// `Request-rate` and a `Visit-time` do.
    Run,
    /// To no group, although its kind does not apply to the whole file.
    Outside,
}

/// A record that is neither a user-agent line nor a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TypedRecord {
    /// Its line, from 1.
    pub line: u32,
    /// Its kind, which says which of the members from `sitemap` on has the value. Those of
    /// `noindex` and of unknown records have none but `value`.
    pub kind: Kind,
    /// The field's name as written.
    pub field: String,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_base64: Option<String>,
    /// The value as written.
    pub value: String,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_base64: Option<String>,
    /// Where the record belongs.
    pub scope: ScopeKind,
    /// The number of its group, from 0.
    pub group: Option<u32>,
    /// The number of its run of user-agent lines, from 0, if it belongs to one.
    pub run: Option<u32>,
    /// The fault of the value.
    pub error: Option<String>,
    /// The meaning of the value, or its fault.
    pub note: Option<String>,
    /// A sitemap; the value is its location.
    pub sitemap: Option<Sitemap>,
    /// The milliseconds to wait between two requests, rounded up; 9,007,199,254,740,991 at most.
    pub crawl_delay_ms: Option<u64>,
    /// The number of requests to make, and the time for them.
    pub request_rate: Option<StatedRate>,
    /// The time of day to visit.
    pub visit_time: Option<VisitTime>,
    /// The site's main mirror.
    pub host: Option<Host>,
    /// Query parameters that do not change what is served.
    pub clean_param: Option<CleanParam>,
    /// A licence; the value is its address.
    pub license: Option<License>,
    /// The preferences about the use of content: of `content-signal` and `content-usage`, which are drafts.
    pub preferences: Option<Preferences>,
}

/// The location of a sitemap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Sitemap {
    /// True if it has a scheme and a host, as sitemaps.org asks for.
    pub absolute: bool,
    /// The location resolved against the URL of the file. `null` if that is not known, or if it
    /// cannot be resolved.
    pub url: Option<String>,
}

/// The number of requests to make, and the time for them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct StatedRate {
    /// The number of requests.
    pub requests: u32,
    /// The seconds in which to make them.
    pub seconds: u64,
    /// The time of day for which this holds. `null`: all day.
    pub window: Option<VisitTime>,
}

/// A time of day in UTC, which may span midnight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct VisitTime {
    /// The minute after midnight when it begins.
    pub from_minute: u16,
    /// The minute after midnight when it ends, which is not in it; 1440 at most.
    pub to_minute: u16,
}

/// The site's main mirror.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Host {
    /// `http` or `https` as written, if there is one.
    pub scheme: Option<String>,
    /// The host name as written.
    pub name: String,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_base64: Option<String>,
    /// The port, if there is one.
    pub port: Option<u16>,
}

/// Query parameters that do not change what is served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CleanParam {
    /// The names of the parameters.
    pub params: Vec<String>,
    /// Their bytes in base64, if not all are UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params_base64: Option<Vec<String>>,
    /// The beginning of the paths for which this holds, with `*` as a wildcard. `null`: all paths.
    pub path: Option<String>,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_base64: Option<String>,
}

/// The address of a licence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct License {
    /// True if it has a scheme and a host, as RSL demands.
    pub absolute: bool,
}

/// The preferences about the use of content. Follows drafts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Preferences {
    /// The pattern of the paths for which this holds. `null` if there is none.
    pub path: Option<String>,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_base64: Option<String>,
    /// The preference about each category.
    pub labels: Vec<LabelledPreference>,
    /// The most that any use may be, by `use=` of `content-signal`.
    #[serde(rename = "use")]
    pub use_ceiling: Option<UseCeiling>,
}

/// A record's preference about one category of use. Follows drafts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LabelledPreference {
    /// The category as written, such as `train-ai`.
    pub label: String,
    /// Its bytes in base64, if they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_base64: Option<String>,
    /// The preference; unknown if the draft does not define the label or the value.
    pub preference: Ruling,
}

/// The function that resolves a sitemap against the URL of the file.
///
/// # Errors
/// Returns what stands against it.
pub type Resolve<'r> = &'r dyn Fn(&records::Sitemap<'_>) -> Result<String, String>;

impl RecordsReport {
    /// The records of a file, which the caller calls `name`: all of them, or only those that are
    /// for one of these crawlers.
    #[must_use]
    pub fn new(
        name: Option<&[u8]>,
        robots: &Robots<'_>,
        crawlers: Option<&[Crawler]>,
        resolve: Option<Resolve<'_>>,
    ) -> RecordsReport {
        let mut found = typed_records(robots);
        if let Some(crawlers) = crawlers {
            let scopes: Vec<_> = crawlers.iter().map(|crawler| robots.scopes_of(crawler)).collect();
            found.retain(|record| scopes.iter().any(|own| is_within(own, record.scope)));
        }
        let mut scopes: Vec<Scope> = found.iter().map(|record| record.scope).collect();
        // A run of user-agent lines comes after its group.
        scopes.sort_by_key(|scope| match scope {
            Scope::Outside => (true, None, None),
            scope => (false, place(robots, *scope).1, place(robots, *scope).2),
        });
        scopes.dedup();
        let all: Vec<Record<'_>> = robots.records().collect();
        let nothing = "no records other than user-agent lines and rules";
        let (name, name_base64) = name.map(text).unzip();
        RecordsReport {
            schema: SCHEMA,
            report: "records",
            tool_version: TOOL_VERSION,
            robots: name,
            robots_base64: name_base64.flatten(),
            profile: robots.profile().name(),
            scopes: scopes.into_iter().map(|scope| record_scope(robots, &all, scope)).collect(),
            sentences: found.is_empty().then(|| Sentence::new(nothing, None)).into_iter().collect(),
            records: found.iter().map(|record| typed(robots, record, resolve)).collect(),
        }
    }
}

/// Where a record belongs, and the numbers of its group and run.
fn place(robots: &Robots<'_>, scope: Scope) -> (ScopeKind, Option<u32>, Option<u32>) {
    match scope {
        Scope::File => (ScopeKind::File, None, None),
        Scope::Group(group) => (ScopeKind::Group, Some(group), None),
        Scope::Run(run) => (ScopeKind::Run, Some(robots.groups().group_of_run(run)), Some(run)),
        Scope::Outside => (ScopeKind::Outside, None, None),
    }
}

fn record_scope<'f>(robots: &Robots<'f>, records: &[Record<'f>], of: Scope) -> RecordScope {
    let (scope, group, run) = place(robots, of);
    let tokens = match of {
        Scope::Group(group) => Some(robots.group_tokens(group)),
        Scope::Run(run) => Some(robots.run_tokens(run)),
        Scope::File | Scope::Outside => None,
    };
    let label = match (&tokens, scope) {
        (Some(tokens), _) => {
            let shown: Vec<String> = tokens.iter().map(|token| shown(token)).collect();
            format!("for {}", shown.join(", "))
        }
        (None, ScopeKind::File) => "for the whole file".to_owned(),
        (None, _) => "in no group".to_owned(),
    };
    let (crawlers, crawlers_base64) = tokens.as_deref().map(texts).unzip();
    let whole = group.filter(|_| scope == ScopeKind::Group);
    let joints = whole.map(|group| joints_of_group(robots, records, group));
    RecordScope {
        scope,
        group,
        run,
        crawlers,
        crawlers_base64: crawlers_base64.flatten(),
        label,
        notes: joined(&joints.unwrap_or_default()),
    }
}

fn typed(
    robots: &Robots<'_>,
    found: &records::TypedRecord<'_>,
    resolve: Option<Resolve<'_>>,
) -> TypedRecord {
    let (field, field_base64) = text(found.record.name);
    let (value, value_base64) = text(found.record.value);
    let (scope, group, run) = place(robots, found.scope);
    let mut record = TypedRecord {
        line: found.record.line,
        kind: found.kind,
        field,
        field_base64,
        value,
        value_base64,
        scope,
        group,
        run,
        error: None,
        note: None,
        sitemap: None,
        crawl_delay_ms: None,
        request_rate: None,
        visit_time: None,
        host: None,
        clean_param: None,
        license: None,
        preferences: None,
    };
    match &found.value {
        Ok(value) => record.set(value, resolve),
        Err(invalid) => {
            record.error = Some(invalid.to_string());
            record.note = Some(invalid.to_string());
        }
    }
    record
}

impl TypedRecord {
    /// Sets the typed value, and what it means.
    fn set(&mut self, value: &Value<'_>, resolve: Option<Resolve<'_>>) {
        self.note = match value {
            Value::Sitemap(sitemap) => {
                let absolute = sitemap.is_absolute();
                let url = resolve.map(|resolve| resolve(sitemap));
                let note = match &url {
                    _ if absolute => None,
                    None => Some("not absolute".to_owned()),
                    Some(Ok(url)) => Some(format!("not absolute: {url}")),
                    Some(Err(why)) => Some(format!("not absolute, and cannot be resolved: {why}")),
                };
                self.sitemap = Some(Sitemap { absolute, url: url.and_then(Result::ok) });
                note
            }
            Value::CrawlDelay(delay) => {
                let ms = delay.as_nanos().div_ceil(1_000_000);
                self.crawl_delay_ms = Some(u64::try_from(ms).unwrap_or(MOST).min(MOST));
                Some(format!("{} s", delay.as_secs_f64()))
            }
            Value::RequestRate(RequestRate { requests, period, window, .. }) => {
                let seconds = period.as_secs();
                let of_day = window.map(|window| format!(", {}", clocks(window)));
                let window = window.map(visit_time);
                self.request_rate = Some(StatedRate { requests: *requests, seconds, window });
                Some(format!("{requests} in {seconds} s{}", of_day.unwrap_or_default()))
            }
            Value::VisitTime(window) => {
                self.visit_time = Some(visit_time(*window));
                Some(clocks(*window))
            }
            Value::Host(host) => {
                let (name, name_base64) = text(host.name);
                let scheme = host.scheme.map(|scheme| text(scheme).0);
                self.host = Some(Host { scheme, name, name_base64, port: host.port });
                None
            }
            Value::CleanParam(clean) => {
                let (params, params_base64) = texts(&clean.params);
                let (path, path_base64) = clean.path.map(text).unzip();
                let path_base64 = path_base64.flatten();
                self.clean_param = Some(CleanParam { params, params_base64, path, path_base64 });
                Some(counted(clean.params.len(), "parameter"))
            }
            Value::License(license) => {
                let absolute = license.is_absolute();
                self.license = Some(License { absolute });
                (!absolute).then(|| "not absolute, so it counts for nobody".to_owned())
            }
            Value::NoIndex(_) => None,
            Value::ContentSignal(said) => Some(self.signal(said)),
            Value::ContentUsage(said) => Some(self.prefer(said)),
            Value::Unknown(_) => Some("unknown field".to_owned()),
        };
    }

    /// Sets the preferences of a Content-Usage, and returns them in words.
    fn prefer(&mut self, said: &records::Preferences<'_>) -> String {
        let mut labels = Vec::new();
        // A value that is malformed is no typed value.
        let _ = read_members(said.statement, |member| {
            labels.push((member.label.as_bytes(), member.said(Vocabulary::default())));
        });
        self.set_preferences(said.path, &labels, None)
    }

    /// Sets the preferences of a Content-Signal, and returns them in words.
    fn signal(&mut self, said: &records::Preferences<'_>) -> String {
        let labels = pieces(said.statement).filter_map(|piece| match piece.said {
            Ok(Signal::Ruling(_, ruling)) => Some((piece.label, Ok(ruling))),
            Ok(Signal::Ceiling(_)) => None,
            Err(note) => Some((piece.label, Err(note))),
        });
        let ceiling = ContentSignals::parse(said.statement).use_ceiling();
        self.set_preferences(said.path, &labels.collect::<Vec<_>>(), ceiling)
    }

    fn set_preferences(
        &mut self,
        path: Option<&[u8]>,
        all: &[(&[u8], Result<Ruling, Note>)],
        use_ceiling: Option<UseCeiling>,
    ) -> String {
        let labels = all.iter().map(|(label, said)| {
            let (label, label_base64) = text(label);
            LabelledPreference { label, label_base64, preference: said.unwrap_or_default() }
        });
        let (path, path_base64) = path.map(text).unzip();
        let path_base64 = path_base64.flatten();
        let labels = labels.collect();
        self.preferences = Some(Preferences { path, path_base64, labels, use_ceiling });
        let words = all.iter().map(|(label, said)| {
            let said = match said {
                Ok(ruling) => ruling.as_str(),
                Err(Note::UnknownLabel) => "unknown label",
                Err(Note::UnknownValue) => "unknown value",
                Err(_) => "malformed",
            };
            format!("{}: {said}", shown(label))
        });
        let ceiling = use_ceiling.map(|ceiling| format!("use: {ceiling}"));
        words.chain(ceiling).collect::<Vec<_>>().join(", ")
    }
}

fn visit_time(window: TimeWindow) -> VisitTime {
    VisitTime { from_minute: window.from_minute, to_minute: window.to_minute }
}

/// A time of day in words.
fn clocks(window: TimeWindow) -> String {
    let clock = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
    format!("{} to {} UTC", clock(window.from_minute), clock(window.to_minute))
}

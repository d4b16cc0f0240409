//! Conformance: every engine gives the 600,347 verdicts of google/robotstxt on real files; and each
//! verdict on which another profile differs is explained by a switch.
//!
//! The corpus is not part of the project; `support/corpus.rs` says where it lies.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use crate::support::configs;
use crate::support::corpus::{self, Host, VERDICTS};
use crate::support::say;
use crate::support::switches::{SWITCHES, field_names};
use robotsieve::{Config, Crawler, Engine, LimitHit, Policy, Profile, Robots};

/// The result of one configuration on the corpus.
#[derive(Default)]
struct Run {
    verdicts: usize,
    wrong: Vec<String>,
    /// The number of distinct policies by the engine they ended with.
    policies: BTreeMap<String, usize>,
    /// The policies that got no DFA because of a limit.
    over: Vec<String>,
    largest_bytes: usize,
}

impl Run {
    fn add(&mut self, other: Run) {
        self.verdicts += other.verdicts;
        self.wrong.extend(other.wrong);
        for (engine, count) in other.policies {
            *self.policies.entry(engine).or_default() += count;
        }
        self.over.extend(other.over);
        self.largest_bytes = self.largest_bytes.max(other.largest_bytes);
    }

    fn count(&self, engine: Engine) -> usize {
        self.policies.get(&format!("{engine:?}")).copied().unwrap_or(0)
    }

    fn all(&self) -> usize {
        self.policies.values().sum()
    }
}

/// Judges the whole corpus in the profile `google`.
fn run(name: &str, config: &Config) -> Run {
    let mut all = Run::default();
    for run in corpus::tally(corpus::hosts(), |host, run| judge(host, config, run)) {
        all.add(run);
    }
    let right = all.verdicts - all.wrong.len();
    let mut report = format!("google, {name}: {right} of {VERDICTS} verdicts, policies");
    for (engine, count) in &all.policies {
        let _ = write!(report, " {engine} {count}");
    }
    let _ = write!(report, ", largest {} bytes", all.largest_bytes);
    all.over.sort();
    let mut limits: BTreeMap<&str, usize> = BTreeMap::new();
    for over in &all.over {
        *limits.entry(over.rsplit(": ").next().unwrap_or(over)).or_default() += 1;
    }
    for (limit, count) in limits {
        let _ = write!(report, "\n    {count} × {limit}");
    }
    say(&report);
    all.wrong.sort();
    let shown = all.wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(all.wrong.is_empty(), "{name}: {} wrong verdicts:\n{shown}", all.wrong.len());
    assert_eq!(all.verdicts, VERDICTS, "{name}");
    all
}

fn judge(host: &Host, config: &Config, run: &mut Run) {
    let robots = Robots::parse_with(&host.file, &Profile::GOOGLE, config);
    let mut policies: Vec<Policy> = Vec::new();
    for crawler in &host.crawlers {
        let policy = robots.policy(&Crawler::name(crawler.agent));
        for (url, allowed) in &crawler.verdicts {
            run.verdicts += 1;
            if policy.is_allowed(*url) != Ok(*allowed) {
                run.wrong.push(format!(
                    "{} {} {} should be {allowed}",
                    host.name,
                    crawler.agent.escape_ascii(),
                    url.escape_ascii()
                ));
            }
        }
        if !policies.iter().any(|known| known.is_same(&policy)) {
            policies.push(policy);
        }
    }
    for policy in policies {
        *run.policies.entry(format!("{:?}", policy.engine())).or_default() += 1;
        run.largest_bytes = run.largest_bytes.max(policy.memory_usage().engine_bytes);
        policy.validate().unwrap_or_else(|invalid| panic!("{}: {invalid:?}", host.name));
        if let Some(limit) = policy.limit_hit() {
            run.over.push(format!("{}: {}", host.name, limit_name(limit)));
        }
    }
}

fn limit_name(limit: LimitHit) -> &'static str {
    match limit {
        LimitHit::States(_) => "over the states",
        LimitHit::Work(_) => "over the work",
        LimitHit::TableBytes(_) => "over the table's bytes",
        LimitHit::PatternBytes(_) => "over the patterns' bytes",
        _ => "over another limit",
    }
}

#[corpus::test]
fn google_automatic() {
    run("automatic", &Config::default());
}

#[corpus::test]
fn google_automatic_compiled_at_once() {
    let mut config = Config::default();
    config.build_after = Some(0);
    run("automatic, compiled at once", &config);
}

#[corpus::test]
fn google_rules_not_kept() {
    let mut config = Config::default();
    config.keep_rules = false;
    run("rules not kept", &config);
}

#[corpus::test]
fn google_scan() {
    let run = run("scan", &configs::forced(Engine::Scan));
    assert_eq!(run.count(Engine::Scan), run.all());
}

#[corpus::test]
fn google_dfa() {
    let run = run("dfa, default limits", &configs::forced(Engine::Dfa));
    // The bars that the project has set itself.
    let share = run.count(Engine::Dfa) as f64 / run.all() as f64;
    assert!(share >= 0.975, "only {share:.4} of the policies are DFAs");
    assert!(run.largest_bytes <= 1 << 20, "{} bytes", run.largest_bytes);
}

#[corpus::test]
fn google_dfa_lifted() {
    let limits = configs::lifted(400_000, 200_000_000);
    run("dfa, lifted limits", &configs::dfa_within(limits));
}

#[corpus::test]
fn google_lazy() {
    let run = run("lazy", &configs::forced(Engine::Lazy));
    assert_eq!(run.count(Engine::Lazy), run.all());
}

#[corpus::test]
fn google_segments() {
    let run = run("segments", &configs::forced(Engine::Segments));
    assert_eq!(run.count(Engine::Segments), run.all());
}

/// One kind of difference from the profile `google`.
#[derive(Default)]
struct Difference {
    verdicts: usize,
    now_allowed: usize,
    hosts: BTreeSet<&'static str>,
    /// The smallest, so that every run shows the same one.
    example: Option<String>,
}

/// The differences by profile and by the switches that explain them.
#[derive(Default)]
struct Differences {
    table: BTreeMap<(usize, String), Difference>,
    unexplained: Vec<String>,
}

/// The list of switches has every switch of the profile.
#[test]
fn switches_are_complete() {
    let mut names: Vec<&str> = SWITCHES.iter().map(|switch| switch.name).collect();
    names.sort_unstable();
    let mut fields = field_names();
    fields.sort_unstable();
    assert_eq!(names, fields);
}

/// Every verdict on which another profile differs from `google` is explained by switches, and each
/// of them has something to act on in this file or this URL.
#[corpus::test]
fn differences_by_switch() {
    let mut all = Differences::default();
    for found in corpus::tally(corpus::hosts(), explain_host) {
        all.unexplained.extend(found.unexplained);
        for (key, difference) in found.table {
            let sum = all.table.entry(key).or_default();
            sum.verdicts += difference.verdicts;
            sum.now_allowed += difference.now_allowed;
            sum.hosts.extend(difference.hosts);
            let examples = [sum.example.take(), difference.example];
            sum.example = examples.into_iter().flatten().min();
        }
    }
    for (i, (name, _)) in Profile::NAMED.iter().enumerate() {
        let mut rows: Vec<_> = all.table.iter().filter(|((p, _), _)| *p == i).collect();
        rows.sort_by_key(|((_, switches), row)| (std::cmp::Reverse(row.verdicts), switches));
        let total: usize = rows.iter().map(|(_, row)| row.verdicts).sum();
        say(&format!("\n{name}: {total} of {VERDICTS} verdicts differ from google's"));
        for ((_, switches), row) in rows {
            say(&format!(
                "  {:>7} ({:>6} now allowed, {:>4} hosts)  {switches}\n{:27}e.g. {}",
                row.verdicts,
                row.now_allowed,
                row.hosts.len(),
                "",
                row.example.as_deref().unwrap_or_default()
            ));
        }
    }
    all.unexplained.sort();
    let shown = all.unexplained.iter().take(30).cloned().collect::<Vec<_>>().join("\n");
    assert!(
        all.unexplained.is_empty(),
        "{} differences unexplained:\n{shown}",
        all.unexplained.len()
    );
}

/// Profiles between `google` and another one: in a mask, bit `i` says that switch `i` is taken from
/// the other profile.
struct Between<'h> {
    host: &'h Host,
    other: Profile,
    robots: HashMap<u32, Robots<'h>>,
    policies: HashMap<(u32, usize), Policy>,
    occasions: Vec<Option<bool>>,
}

impl<'h> Between<'h> {
    /// The verdict on a URL; `None` if the URL is invalid.
    fn verdict(&mut self, mask: u32, crawler: usize, url: &[u8]) -> Option<bool> {
        let policy = self.policies.entry((mask, crawler)).or_insert_with(|| {
            let robots = self.robots.entry(mask).or_insert_with(|| {
                let mut profile = Profile::GOOGLE;
                for (i, switch) in SWITCHES.iter().enumerate() {
                    if mask & 1 << i != 0 {
                        (switch.set)(&mut profile, &self.other);
                    }
                }
                Robots::parse(&self.host.file, &profile)
            });
            robots.policy(&Crawler::name(self.host.crawlers[crawler].agent))
        });
        policy.is_allowed(url).ok()
    }

    /// The switches that explain a verdict other than google's: one switch that alone makes the
    /// difference, or else those needed from the shortest prefix of the list that does.
    fn explanation(&mut self, crawler: usize, url: &[u8], wanted: Option<bool>) -> Option<u32> {
        let changed = (0..SWITCHES.len() as u32).filter(|i| {
            let mut profile = Profile::GOOGLE;
            (SWITCHES[*i as usize].set)(&mut profile, &self.other);
            profile != Profile::GOOGLE
        });
        let changed: Vec<u32> = changed.map(|i| 1 << i).collect();
        let mut explains = |mask: u32| self.verdict(mask, crawler, url) == wanted;
        if let Some(single) = changed.iter().find(|mask| explains(**mask)) {
            return Some(*single);
        }
        let mut beginning = 0;
        let found = changed.iter().find(|mask| {
            beginning |= **mask;
            explains(beginning)
        });
        found?;
        for mask in &changed {
            if beginning & mask != 0 && explains(beginning & !mask) {
                beginning &= !mask;
            }
        }
        Some(beginning)
    }

    /// Whether the file or the URL holds something that each of these switches acts on.
    fn has_occasion(&mut self, mask: u32, url: &[u8]) -> bool {
        (0..SWITCHES.len()).filter(|i| mask & 1 << i != 0).all(|i| {
            let name = SWITCHES[i].name;
            let file = &self.host.file;
            *self.occasions[i].get_or_insert_with(|| occasion_in_file(name, file))
                || occasion_in_url(name, url)
        })
    }
}

fn explain_host(host: &Host, found: &mut Differences) {
    for (i, (name, other)) in Profile::NAMED.iter().copied().enumerate() {
        let mut between = Between {
            host,
            other,
            robots: HashMap::new(),
            policies: HashMap::new(),
            occasions: vec![None; SWITCHES.len()],
        };
        let robots = Robots::parse(&host.file, &other);
        for (crawler, questions) in host.crawlers.iter().enumerate() {
            let policy = robots.policy(&Crawler::name(questions.agent));
            for (url, google) in &questions.verdicts {
                let wanted = policy.is_allowed(*url).ok();
                if wanted == Some(*google) {
                    continue;
                }
                let agent = questions.agent.escape_ascii();
                let place = format!("{} {agent} {}", host.name, url.escape_ascii());
                let explanation = between.explanation(crawler, url, wanted);
                let Some(mask) = explanation.filter(|mask| between.has_occasion(*mask, url)) else {
                    let switches = explanation.map(label);
                    found.unexplained.push(format!("{name}: {place}, {switches:?}"));
                    continue;
                };
                let row = found.table.entry((i, label(mask))).or_default();
                row.verdicts += 1;
                row.now_allowed += usize::from(wanted == Some(true));
                row.hosts.insert(host.name);
                if row.example.as_ref().is_none_or(|example| place < *example) {
                    row.example = Some(place);
                }
            }
        }
    }
}

fn label(mask: u32) -> String {
    let names = SWITCHES.iter().enumerate().filter(|(i, _)| mask & 1 << i != 0);
    names.map(|(_, switch)| switch.name).collect::<Vec<_>>().join(" + ")
}

/// The records of a file as the profile `google` reads them: lower-case name and value.
fn google_records(file: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let robots = Robots::parse(file, &Profile::GOOGLE);
    let records = robots.records();
    records.map(|r| (r.name.to_ascii_lowercase(), r.value.to_vec())).collect()
}

/// Whether a file contains what a switch is about. Written from the specification and the bytes,
/// independently of what the switch does in the library.
fn occasion_in_file(switch: &str, file: &[u8]) -> bool {
    let contains = |what: &[u8]| file.windows(what.len()).any(|window| window == what);
    let lines = || file.split(|byte| matches!(byte, b'\r' | b'\n'));
    let any_value = |names: &[&[u8]], holds: &dyn Fn(&[u8]) -> bool| {
        google_records(file)
            .iter()
            .any(|(name, value)| names.iter().any(|n| name.starts_with(n)) && holds(value))
    };
    let rules: [&[u8]; 4] = [b"allow", b"disal", b"diss", b"dias"];
    let agents: [&[u8]; 2] = [b"user", b"useragent"];
    let escapes = |holds: &dyn Fn(&[u8]) -> bool| any_value(&rules, &|v| any_escape(v, holds));
    match switch {
        "byte_order_mark" => file.starts_with(b"\xEF"),
        "size_limit" => file.len() > Profile::MIN_SIZE_LIMIT,
        "line_limit" => lines().any(|line| line.len() > 16_663),
        "control_characters" => file
            .iter()
            .any(|byte| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\r' | b'\n')),
        "target_form" | "robots_txt_allowed" | "merge_names" | "empty_token_names_empty" => false,
        // Alike in all named profiles.
        "other_records" | "rules_before_agents" => false,
        "index_htm_is_directory" => {
            any_value(&rules, &|v| v.windows(10).any(|window| window == b"/index.htm"))
        }
        "star_then_space" => any_value(&agents, &|v| v.starts_with(b"*") && v.len() > 1),
        "ascii_white_space" => contains(b"\x0B") || contains(b"\x0C"),
        "missing_colon" => lines().any(|line| {
            let text = line.split(|byte| *byte == b'#').next().unwrap_or_default();
            let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            !text.contains(&b':') && words.count() == 2
        }),
        "misspelt_fields" | "field_prefixes" => google_records(file).iter().any(|(name, _)| {
            let exact: [&[u8]; 4] = [b"user-agent", b"allow", b"disallow", b"sitemap"];
            !exact.contains(&&name[..])
        }),
        "sitemap_ends_agents" => google_records(file)
            .windows(2)
            .any(|pair| pair[0].0.starts_with(b"user") && pair[1].0.starts_with(b"site")),
        "trailing_stars_dropped" => any_value(&rules, &|v| v.ends_with(b"*")),
        "leading_slash_assumed" => any_value(&rules, &|v| !v.is_empty() && v[0] != b'/'),
        "stray_percent_encoded" => escapes(&|after| !is_hex_pair(after)),
        "special_bytes_encoded" => {
            any_value(&rules, &|v| v.contains(&b'$')) || contains(b"%2A") || contains(b"%24")
        }
        "forbidden_bytes_encoded" => any_value(&rules, &|v| v.iter().any(is_forbidden)),
        "unreserved_decoded" => escapes(&is_unreserved_escape),
        "hex_upper_case" => escapes(&is_lower_case_escape),
        "high_bytes_encoded" => any_value(&rules, &|v| !v.is_ascii()),
        "token_bytes" => any_value(&agents, &|v| {
            v.iter().any(|byte| !byte.is_ascii_alphabetic() && !b"-_*".contains(byte))
        }),
        "merge_groups" => {
            let mut tokens = BTreeSet::new();
            let names = google_records(file).into_iter().filter(|(n, _)| n.starts_with(b"user"));
            names.into_iter().any(|(_, value)| {
                let byte = |o: &&u8| o.is_ascii_alphabetic() || b"-_*".contains(o);
                let token: Vec<u8> = value.iter().take_while(byte).copied().collect();
                !tokens.insert(token.to_ascii_lowercase())
            })
        }
        // Exactly, a group ends at a blank line before a rule that would belong to it, and a token
        // matches in part if it is also part of another name. To find that out would repeat the
        // library, so these two are only approximated.
        "blank_line_ends_group" => lines().any(|line| line.trim_ascii().is_empty()),
        "group_match" => any_value(&agents, &|v| !v.starts_with(b"*") && !v.is_empty()),
        "wildcards" => any_value(&rules, &|v| v.contains(&b'*') || v.ends_with(b"$")),
        "allow_rules" => any_value(&[b"allow"], &|v| !v.is_empty()),
        "rule_precedence" => {
            let both: [&[&[u8]]; 2] = [&[b"allow"], &[b"dis"]];
            both.into_iter().all(|names| any_value(names, &|v| !v.is_empty()))
        }
        _ => panic!("say here what {switch} acts on"),
    }
}

/// Whether a URL contains what a switch is about.
fn occasion_in_url(switch: &str, url: &[u8]) -> bool {
    match switch {
        "robots_txt_allowed" => url.ends_with(b"/robots.txt"),
        "stray_percent_encoded" => any_escape(url, &|after| !is_hex_pair(after)),
        "special_bytes_encoded" => url.contains(&b'*') || url.contains(&b'$'),
        "forbidden_bytes_encoded" => url.iter().any(is_forbidden),
        "unreserved_decoded" => any_escape(url, &is_unreserved_escape),
        "hex_upper_case" => any_escape(url, &is_lower_case_escape),
        "high_bytes_encoded" => !url.is_ascii(),
        // Every URL in the corpus belongs to its file's host, so the scheme is enough to recognise
        // an absolute URL.
        "target_form" => !url.starts_with(b"http://") && !url.starts_with(b"https://"),
        _ => false,
    }
}

/// Whether `holds` is true of what follows any `%`.
fn any_escape(text: &[u8], holds: &dyn Fn(&[u8]) -> bool) -> bool {
    text.iter().enumerate().any(|(at, byte)| *byte == b'%' && holds(&text[at + 1..]))
}

fn is_hex_pair(after: &[u8]) -> bool {
    after.len() >= 2 && after[..2].iter().all(u8::is_ascii_hexdigit)
}

/// With the one digit of what may be the beginning of an escape.
fn is_lower_case_escape(after: &[u8]) -> bool {
    let digits = after.iter().take(2).take_while(|byte| byte.is_ascii_hexdigit());
    digits.into_iter().any(u8::is_ascii_lowercase)
}

fn is_unreserved_escape(after: &[u8]) -> bool {
    let digits = after.get(..2).and_then(|digits| str::from_utf8(digits).ok());
    let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
    byte.is_some_and(|o| o.is_ascii_alphanumeric() || b"-._~".contains(&o))
}

fn is_forbidden(byte: &u8) -> bool {
    byte.is_ascii_control() || b" \"<>\\^`{|}".contains(byte)
}

//! Runs the cases in `corpora/cases` in every profile and with every engine, and compares verdicts
//! and lines.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::support::configs::{self, Named};
use crate::support::switches::SWITCHES;
use crate::support::{base64, naive, regex, say};
use crate::switches;
use robotsieve::{Config, Crawler, Policy, Profile, Robots, text_of};
use toml::{Table, Value};

/// The least number of cases and checks. A lost folder, or a file that is no longer read, must fail
/// the test.
const CASES_FLOOR: usize = 400;
const CHECKS_FLOOR: usize = 1_000;

struct Case {
    /// The file that contains it, for messages.
    path: PathBuf,
    name: String,
    robots: Vec<u8>,
    crawler: Crawler,
    checks: Vec<Check>,
}

struct Check {
    url: Vec<u8>,
    /// In the order of [`Profile::NAMED`].
    expected: [String; 4],
}

/// Reads tables and collects their faults, so that one run shows the faults of all files.
struct Reader<'f> {
    faults: &'f mut Vec<String>,
    place: String,
}

impl Reader<'_> {
    fn fault(&mut self, what: &str) {
        self.faults.push(format!("{}: {what}", self.place));
    }

    fn only_keys(&mut self, table: &Table, known: &[&str]) {
        for key in table.keys().filter(|key| !known.contains(&key.as_str())) {
            self.fault(&format!("unknown key `{key}`"));
        }
    }

    fn text<'t>(&mut self, table: &'t Table, key: &str) -> Option<&'t str> {
        let value = table.get(key)?;
        if !value.is_str() {
            self.fault(&format!("`{key}` is not a string"));
        }
        value.as_str()
    }

    /// The value of `key`, or of `key_base64` for bytes that are not UTF-8. Exactly one must be given.
    fn bytes(&mut self, table: &Table, key: &str) -> Option<Vec<u8>> {
        let plain = self.text(table, key).map(|text| text.as_bytes().to_vec());
        let encoded = self.text(table, &format!("{key}_base64")).map(|text| {
            base64::decode(text).unwrap_or_else(|| {
                self.fault(&format!("`{key}_base64` is not base64"));
                Vec::new()
            })
        });
        match (plain, encoded) {
            (Some(bytes), None) | (None, Some(bytes)) => Some(bytes),
            _ => {
                self.fault(&format!("exactly one of `{key}` and `{key}_base64` must be given"));
                None
            }
        }
    }

    fn crawler(&mut self, table: &Table) -> Option<Crawler> {
        match (self.text(table, "agent"), self.text(table, "user_agent")) {
            (Some(names), None) => Some(Crawler::names(names.split(','))),
            (None, Some(header)) => Some(Crawler::from_user_agent(header)),
            _ => {
                self.fault("exactly one of `agent` and `user_agent` must be given");
                None
            }
        }
    }

    fn case(&mut self, path: &Path, table: &Table) -> Option<Case> {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = self.text(table, "name").unwrap_or_default().to_owned();
        self.place = format!("{file}, case {name:?}");
        if name.is_empty() {
            self.fault("no name");
        }
        if self.text(table, "source").is_none_or(str::is_empty) {
            self.fault("no source");
        }
        self.only_keys(
            table,
            &["name", "source", "robots", "robots_base64", "agent", "user_agent", "checks"],
        );
        let robots = self.bytes(table, "robots");
        let crawler = self.crawler(table);
        let checks = table.get("checks").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if checks.is_empty() {
            self.fault("no checks");
        }
        let checks = checks.iter().filter_map(|check| self.check(check)).collect();
        Some(Case { path: path.to_owned(), name, robots: robots?, crawler: crawler?, checks })
    }

    fn check(&mut self, check: &Value) -> Option<Check> {
        let Some(check) = check.as_table() else {
            self.fault("a check is not a table");
            return None;
        };
        let names: Vec<&str> = Profile::NAMED.iter().map(|(name, _)| *name).collect();
        let names: [&str; 4] = names.try_into().expect("a case has four expectations");
        self.only_keys(check, &[&["url", "url_base64", "all"], &names[..]].concat());
        let url = self.bytes(check, "url")?;
        let all = self.text(check, "all");
        let expected = names.map(|name| {
            let own = self.text(check, name);
            if own.is_some() == all.is_some() {
                self.fault(&format!("{}: give exactly one verdict for {name}", url.escape_ascii()));
            }
            let verdict = own.or(all).unwrap_or_default().to_owned();
            if !is_verdict(&verdict) {
                self.fault(&format!("{}: {verdict:?} is not a verdict", url.escape_ascii()));
            }
            verdict
        });
        Some(Check { url, expected })
    }
}

/// `allow`, `disallow` or `invalid`; with `:LINE` if a rule decided.
fn is_verdict(text: &str) -> bool {
    match text.split_once(':') {
        None => matches!(text, "allow" | "disallow" | "invalid"),
        Some((verdict, line)) => {
            matches!(verdict, "allow" | "disallow") && line.parse::<u32>().is_ok_and(|l| l > 0)
        }
    }
}

fn folder() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("corpora/cases")
}

/// All cases, and the faults in their form.
fn read() -> (Vec<Case>, Vec<String>) {
    let entries = std::fs::read_dir(folder()).expect("corpora/cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let (mut cases, mut faults) = (Vec::new(), Vec::new());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a case file in UTF-8");
        let table: Table = match text.parse() {
            Ok(table) => table,
            Err(error) => {
                faults.push(format!("{}: {error}", path.display()));
                continue;
            }
        };
        let mut reader = Reader { faults: &mut faults, place: path.display().to_string() };
        reader.only_keys(&table, &["case"]);
        for case in table.get("case").and_then(Value::as_array).into_iter().flatten() {
            match case.as_table() {
                Some(case) => cases.extend(reader.case(&path, case)),
                None => reader.fault("a case is not a table"),
            }
        }
    }
    (cases, faults)
}

/// The answer in the form of the case files: the verdict, and the line if a rule decided.
fn answer(policy: &Policy, url: &[u8]) -> String {
    let (Ok(decision), Ok(allowed)) = (policy.decide(url), policy.is_allowed(url)) else {
        return "invalid".to_owned();
    };
    if decision.verdict.is_allow() != allowed {
        return format!("{} but is_allowed() is {allowed}", decision.verdict);
    }
    match decision.rule() {
        Some(rule) => format!("{}:{}", decision.verdict, rule.line),
        None => decision.verdict.to_string(),
    }
}

fn all_configs() -> Vec<Named> {
    let mut all = configs::bounded();
    // A policy that dropped its rules cannot name a line.
    all.retain(|(_, config): &(_, Config)| config.keep_rules);
    all.push(configs::unlimited());
    all
}

#[test]
fn cases_are_well_formed() {
    let (cases, mut faults) = read();
    let mut names = HashMap::new();
    for case in &cases {
        if let Some(first) = names.insert(&case.name, &case.path) {
            let (one, two) = (first.display(), case.path.display());
            faults.push(format!("{:?} names two cases: {one}, {two}", case.name));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    let checks: usize = cases.iter().map(|case| case.checks.len()).sum();
    println!("{} cases, {checks} checks", cases.len());
    assert!(cases.len() >= CASES_FLOOR, "only {} cases", cases.len());
    assert!(checks >= CHECKS_FLOOR, "only {checks} checks");
}

#[test]
fn every_profile_and_engine() {
    let (cases, _) = read();
    let configs = all_configs();
    let mut failures = Vec::new();
    for case in &cases {
        for (i, (profile_name, profile)) in Profile::NAMED.iter().enumerate() {
            let text = text_of(&case.robots, profile);
            // One policy for all checks, so that the automatic choice eventually compiles.
            let policies: Vec<_> = configs
                .iter()
                .map(|(name, config)| {
                    let robots = Robots::parse_with(&text, profile, config);
                    (*name, robots.policy(&case.crawler))
                })
                .collect();
            for check in &case.checks {
                let expected = &check.expected[i];
                let answers = policies.iter().map(|(name, p)| (*name, answer(p, &check.url)));
                let mut wrong: BTreeMap<String, Vec<&str>> = BTreeMap::new();
                for (engine, got) in answers.filter(|(_, got)| got != expected) {
                    wrong.entry(got).or_default().push(engine);
                }
                for (got, engines) in wrong {
                    let every = engines.len() == policies.len();
                    let engines = if every { "every engine".into() } else { engines.join("; ") };
                    failures.push(format!(
                        "{}: {}, {profile_name}, {engines}: expected {expected}, got {got}",
                        case.name,
                        check.url.escape_ascii(),
                    ));
                }
            }
        }
    }
    let failing: HashSet<&str> = failures.iter().filter_map(|f| f.split(": ").next()).collect();
    assert!(
        failures.is_empty(),
        "{} failures in {} cases:\n{}",
        failures.len(),
        failing.len(),
        failures.join("\n")
    );
}

/// On every URL of every case, the policy and the oracles give the same verdict.
#[test]
fn oracles_agree() {
    let (cases, _) = read();
    for case in &cases {
        for (name, profile) in Profile::NAMED {
            let policy =
                Robots::parse(&text_of(&case.robots, profile), profile).policy(&case.crawler);
            let mut regex = regex::Oracle::new(&policy, profile);
            for check in &case.checks {
                let Ok(target) = policy.target(&check.url) else { continue };
                let (bytes, verdict) = (target.to_vec(), policy.verdict(&target));
                let place = format!("{}, {name}, {}", case.name, check.url.escape_ascii());
                assert_eq!(naive::verdict(&policy, profile, &bytes), verdict, "naive: {place}");
                assert_eq!(regex.pike(&bytes).0, verdict, "PikeVM: {place}");
                assert_eq!(regex.dense(&bytes).map(|d| d.0), Some(verdict), "dense: {place}");
            }
        }
    }
}

/// Mutations of the engine that need no other build: each named profile with one switch in another position. A case must
/// notice every one, or the suite for other parsers (`conformance/`) would not tell it from ours.
#[test]
fn every_mutation_is_noticed() {
    /// Limits that no case reaches, a crawler without a name, and what has no effect without `Allow` or `*`.
    const UNSEEN: [(&str, &str); 9] = [
        ("rfc9309", "size_limit"),
        ("google", "size_limit"),
        ("google-classic", "size_limit"),
        ("original-1994", "size_limit"),
        ("google", "line_limit"),
        ("rfc9309", "empty_token_names_empty"),
        ("google", "empty_token_names_empty"),
        ("original-1994", "index_htm_is_directory"),
        ("original-1994", "trailing_stars_dropped"),
    ];
    let (cases, _) = read();
    let positions = switches::positions();
    let (mut mutations, mut by, mut unseen) = (0, HashSet::new(), BTreeSet::new());
    for (i, (name, profile)) in Profile::NAMED.iter().enumerate() {
        let mut tried: Vec<Profile> = vec![*profile];
        for switch in SWITCHES {
            for (_, from) in positions.iter().filter(|(named, _)| *named == switch.name) {
                let mut mutant = *profile;
                (switch.set)(&mut mutant, from);
                if tried.contains(&mutant) {
                    continue;
                }
                tried.push(mutant);
                mutations += 1;
                let notices = cases.iter().enumerate().filter(|(_, case)| {
                    let text = text_of(&case.robots, &mutant);
                    let policy = Robots::parse(&text, &mutant).policy(&case.crawler);
                    case.checks.iter().any(|check| answer(&policy, &check.url) != check.expected[i])
                });
                let notices: Vec<usize> = notices.map(|(at, _)| at).collect();
                if notices.is_empty() {
                    unseen.insert((*name, switch.name));
                }
                by.extend(notices);
            }
        }
    }
    say(&format!("{mutations} mutations, noticed by {} of {} cases", by.len(), cases.len()));
    assert_eq!(unseen, BTreeSet::from(UNSEEN));
}

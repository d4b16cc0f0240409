//! Compares one rule set in many configurations with both oracles.

use std::fmt::Write as _;

use robotsieve::{Config, Crawler, Engine, Policy, Profile, Reason, Robots, Target, Verdict};

use super::configs::Named;
use super::{naive, regex};

/// The policies of one file in several configurations, and the oracles for it.
pub struct EveryConfig {
    profile_name: &'static str,
    profile: Profile,
    file: Vec<u8>,
    /// The policy from which the oracles take the rules. Its engine compiles nothing.
    rules: Policy,
    /// The name of the configuration, the engine it forces, if any, and the policy.
    policies: Vec<(&'static str, Option<Engine>, Policy)>,
    regex: Option<regex::Oracle>,
}

impl EveryConfig {
    /// The policy of the `*` group of `file` in each configuration.
    pub fn new(file: &[u8], named: (&'static str, Profile), configs: &[Named]) -> EveryConfig {
        let mut policies = EveryConfig::without_regex(file, named, configs);
        policies.regex = Some(regex::Oracle::new(&policies.rules, &policies.profile));
        policies
    }

    /// Uses only the naive oracle, for large rule sets.
    pub fn without_regex(
        file: &[u8],
        (profile_name, profile): (&'static str, Profile),
        configs: &[Named],
    ) -> EveryConfig {
        let policy = |config: &Config| {
            Robots::parse_with(file, &profile, config).policy(&Crawler::name("bot"))
        };
        let mut scan = Config::default();
        scan.engine = Some(Engine::Scan);
        EveryConfig {
            profile_name,
            profile,
            file: file.to_vec(),
            rules: policy(&scan),
            policies: configs
                .iter()
                .map(|(name, config)| (*name, config.engine, policy(config)))
                .collect(),
            regex: None,
        }
    }

    /// The policies and the names of their configurations.
    pub fn policies(&self) -> impl Iterator<Item = (&'static str, &Policy)> {
        self.policies.iter().map(|(name, _, policy)| (*name, policy))
    }

    /// Checks the policies after they have answered questions: each automaton is valid, and each
    /// engine is the one that was forced unless a limit explains why it is not.
    ///
    /// Compiles the policies first, because one that was asked only about `/robots.txt` has
    /// compiled nothing yet.
    ///
    /// # Errors
    /// Returns an error that lists every fault, with the file.
    pub fn check_engines(&self) -> Result<(), String> {
        let mut faults = String::new();
        for (name, wanted, policy) in &self.policies {
            policy.compile();
            if let Err(invalid) = policy.validate() {
                let _ = writeln!(faults, "  {name}: {invalid:?}");
            }
            let (engine, limit) = (policy.engine(), policy.limit_hit());
            let right = match wanted {
                Some(Engine::Scan) => engine == Engine::Scan && limit.is_none(),
                Some(Engine::Dfa) => (engine == Engine::Dfa) == limit.is_none(),
                // The lazy engine may have given up.
                Some(Engine::Lazy) => matches!(engine, Engine::Lazy | Engine::Segments),
                Some(Engine::Segments) => engine == Engine::Segments,
                _ => limit.is_none() || engine != Engine::Dfa,
            };
            if !right {
                let _ = writeln!(faults, "  {name}: engine {engine:?}, limit {limit:?}");
            }
        }
        if faults.is_empty() {
            return Ok(());
        }
        let file = self.file.escape_ascii().to_string().replace("\\n", "\n");
        Err(format!("profile {}\nfile:\n{file}\n{faults}", self.profile_name))
    }

    /// Checks that all policies and oracles agree on a path (if it begins with `/`) or a URL.
    ///
    /// # Errors
    /// Returns an error that lists everyone who disagrees, with the file, so that it can be
    /// reproduced.
    pub fn check(&mut self, url: &[u8]) -> Result<(), String> {
        let is_path = url.starts_with(b"/");
        let find = if is_path { Target::from_path } else { Target::from_url };
        let target =
            find(url, &self.profile).map_err(|error| format!("{}: {error}", url.escape_ascii()))?;
        let normalised = target.to_vec();
        let expected = naive::verdict(&self.rules, &self.profile, &normalised);
        let deciding = naive::deciding(&self.rules, &self.profile, &normalised);
        let is_robots_txt = self.profile.robots_txt_allowed && normalised == b"/robots.txt";
        let line = deciding.filter(|_| !is_robots_txt).map(|rule| rule.line);
        let mut faults = String::new();
        let mut compare = |who: &str, got: (Verdict, Option<u32>)| {
            if got != (expected, line) {
                let _ = writeln!(faults, "  {who}: {got:?}");
            }
        };
        if let Some(regex) = &mut self.regex {
            compare("regex-automata's PikeVM", regex.pike(&normalised));
            if let Some(got) = regex.dense(&normalised) {
                compare("regex-automata's dense DFA", got);
            }
        }
        for (name, _, policy) in &self.policies {
            let verdict = policy.verdict(&target);
            compare(&format!("{name} ({:?})", policy.engine()), (verdict, line));
            let allowed =
                if is_path { policy.is_path_allowed(url) } else { policy.is_allowed(url) };
            let allowed = allowed.map_or(other(expected), verdict_of);
            compare(&format!("{name}, asked by URL or path"), (allowed, line));
            let decision = policy.decision(&target);
            let decided = match decision.reason {
                // This policy has dropped its rules and cannot name a line.
                Reason::RulesNotKept => line,
                reason => match reason {
                    Reason::Rule(rule) => Some(rule.line),
                    _ => None,
                },
            };
            compare(&format!("{name}, decision()"), (decision.verdict, decided));
        }
        if faults.is_empty() {
            return Ok(());
        }
        Err(format!(
            "profile {}, URL {}, target {}\nfile:\n{}\nexpected {expected:?}, line {line:?}\n{faults}",
            self.profile_name,
            url.escape_ascii(),
            normalised.escape_ascii(),
            self.file.escape_ascii().to_string().replace("\\n", "\n"),
        ))
    }
}

fn verdict_of(allowed: bool) -> Verdict {
    if allowed { Verdict::Allow } else { Verdict::Disallow }
}

fn other(verdict: Verdict) -> Verdict {
    verdict_of(!verdict.is_allow())
}

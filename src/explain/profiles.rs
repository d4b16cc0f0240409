//! One question asked in all named profiles, and what makes the answers differ.

use std::fmt;

use crate::as_url::AsUrl;
use crate::policy::robots::Robots;
use crate::profile::Profile;
use crate::read::crawler::Crawler;
use crate::rules::target::InvalidUrl;

use super::Explanation;
use super::answer::{Answer, Question};
use super::switch::{Cause, Switch};

/// One question explained in every named profile.
///
/// Its `Display` is a sentence that gives the verdicts and what makes them differ, without a full stop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProfileComparison<'a> {
    /// The name of each profile and its explanation, in the order of [`Profile::NAMED`]. The
    /// error is for a URL that is invalid in that profile.
    pub explanations: Vec<(&'static str, Result<Explanation<'a>, InvalidUrl>)>,
    /// The profiles whose verdict or deciding line is not that of [`Profile::RFC9309`], in the
    /// same order.
    pub differences: Vec<ProfileDifference>,
}

/// Why a profile's answer is not that of `rfc9309`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ProfileDifference {
    /// The name of the profile.
    pub profile: &'static str,
    /// True if the verdict differs. If not, another line decides.
    // The answer that the causes give is the verdict if that differs, else the verdict with the
    // line that decides.
    pub of_verdict: bool,
    /// True if the causes make the difference only together. If not, each does alone.
    pub together: bool,
    /// The switches that make the difference: set in `rfc9309` as this profile has them, they give
    /// its answer.
    pub causes: Vec<Cause>,
}

/// Explains the verdict on a URL in every named profile, and finds what makes the answers differ.
///
/// Of a file that may be UTF-16, compare [`text_of`](crate::text_of): as bytes it has no rules.
///
/// Causes are found by trial: for each profile that differs, the question is asked again with each
/// switch on which it differs, some 20 times. If no switch alone makes the difference, it is asked
/// some 50 times more to find switches that do together.
///
/// ```
/// use robotsieve::explain::{Switch, compare_profiles};
/// use robotsieve::Crawler;
///
/// let file = b"User-agent: *\nDisallow: /*.pdf\n";
/// let compared = compare_profiles(file, &Crawler::name("bot"), "https://e.com/a.pdf");
/// assert_eq!(compared.differences.len(), 1);
/// assert_eq!(compared.differences[0].causes[0].switch(), Switch::Wildcards);
/// assert_eq!(
///     compared.to_string(),
///     "rfc9309, google and google-classic say disallow; original-1994 says allow, because \
///      '*' and '$' are plain characters there"
/// );
/// ```
#[must_use]
pub fn compare_profiles<'a, U: AsUrl + ?Sized>(
    file: &'a [u8],
    crawler: &Crawler,
    url: &U,
) -> ProfileComparison<'a> {
    let url = url.as_url();
    let explain = |profile| Robots::parse(file, profile).explain(crawler, url);
    let explanations: Vec<_> =
        Profile::NAMED.iter().map(|(name, profile)| (*name, explain(profile))).collect();
    let answers: Vec<Answer> = explanations.iter().map(|(_, why)| Answer::of(why)).collect();
    let question = Question { file, crawler, url };
    let differences = Profile::NAMED
        .iter()
        .zip(&answers)
        .filter(|(_, answer)| **answer != answers[0])
        .map(|((name, profile), answer)| {
            let of_verdict = answer.verdict != answers[0].verdict;
            let (causes, together) = question.causes(profile, answer, !of_verdict);
            let causes = causes.into_iter().map(|switch| Cause::new(switch, profile)).collect();
            ProfileDifference { profile: name, of_verdict, causes, together }
        })
        .collect();
    ProfileComparison { explanations, differences }
}

impl Answer {
    pub(super) fn of(why: &Result<Explanation<'_>, InvalidUrl>) -> Answer {
        let why = why.as_ref().ok();
        let line = why.and_then(Explanation::winner).map(|rule| rule.line);
        Answer { verdict: why.map(|why| why.verdict), line }
    }
}

impl Question<'_> {
    /// The switches of `of` that change the answer of RFC 9309 to `wanted`, and whether only all
    /// of them together do. With `of_line` the line has to agree too, not just the verdict.
    fn causes(&self, of: &Profile, wanted: &Answer, of_line: bool) -> (Vec<Switch>, bool) {
        let with = |switches: &[Switch]| {
            let mut profile = Profile::RFC9309;
            switches.iter().for_each(|switch| switch.copy(of, &mut profile));
            profile
        };
        let all = Switch::ALL.iter().copied();
        let all: Vec<Switch> = all.filter(|switch| with(&[*switch]) != Profile::RFC9309).collect();
        let is_wanted = |answer: &Answer| {
            if of_line { answer == wanted } else { answer.verdict == wanted.verdict }
        };
        let mut alone: Vec<(Switch, Answer)> = all
            .iter()
            .map(|switch| (*switch, self.answer(&with(&[*switch]))))
            .filter(|(_, answer)| is_wanted(answer))
            .collect();
        // Where some give the same deciding line too, the others only happen to say the same.
        if alone.iter().any(|(_, answer)| answer == wanted) {
            alone.retain(|(_, answer)| answer == wanted);
        }
        // And where the profile would say something else without one of them, that one matters
        // most.
        let is_needed = |switch: &Switch| {
            let mut without = *of;
            switch.copy(&Profile::RFC9309, &mut without);
            !is_wanted(&self.answer(&without))
        };
        if !alone.is_empty() {
            let mut alone: Vec<Switch> = alone.into_iter().map(|(switch, _)| switch).collect();
            if alone.len() > 1 {
                let needed: Vec<Switch> = alone.iter().copied().filter(is_needed).collect();
                if !needed.is_empty() {
                    alone = needed;
                }
            }
            return (alone, false);
        }
        // Start from all of them, and leave out each that can be spared, those that often matter
        // first; again and again, since one can become dispensable when another is left out.
        let mut causes = all;
        loop {
            let before = causes.len();
            for at in (0..causes.len()).rev() {
                let cause = causes.remove(at);
                if !is_wanted(&self.answer(&with(&causes))) {
                    causes.insert(at, cause);
                }
            }
            if causes.len() == before {
                return (causes, true);
            }
        }
    }
}

impl ProfileComparison<'_> {
    fn verdict(&self, at: usize) -> &'static str {
        self.explanations[at].1.as_ref().map_or("invalid", |why| why.verdict.as_str())
    }

    fn difference(&self, profile: &str) -> Option<&ProfileDifference> {
        self.differences.iter().find(|difference| difference.profile == profile)
    }
}

impl fmt::Display for ProfileComparison<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdicts_differ = self.differences.iter().any(|difference| difference.of_verdict);
        // The profiles that give the same answer for the same causes, in their order.
        struct Part<'p> {
            names: Vec<&'static str>,
            verdict: &'static str,
            causes: &'p [Cause],
            together: bool,
        }
        let mut parts: Vec<Part<'_>> = Vec::new();
        for (at, (name, _)) in self.explanations.iter().enumerate() {
            let difference =
                self.difference(name).filter(|other| other.of_verdict == verdicts_differ);
            let causes = difference.map_or(&[][..], |difference| &difference.causes);
            let together = difference.is_some_and(|difference| difference.together);
            let verdict = self.verdict(at);
            let is_same = |part: &&mut Part<'_>| {
                (part.verdict, part.causes, part.together) == (verdict, causes, together)
            };
            match parts.iter_mut().find(is_same) {
                Some(part) => part.names.push(name),
                None => parts.push(Part { names: vec![name], verdict, causes, together }),
            }
        }
        if let [Part { verdict, .. }] = parts[..] {
            let line = Answer::of(&self.explanations[0].1).line;
            write!(f, "all profiles say {verdict}, ")?;
            return match line {
                Some(line) => write!(f, "by line {line}"),
                None => f.write_str("and no rule decides"),
            };
        }
        if !verdicts_differ {
            write!(f, "all profiles say {}", parts[0].verdict)?;
        }
        for (at, Part { names, verdict, causes, together }) in parts.iter().enumerate() {
            let is_one = names.len() == 1;
            let names = list(names, "and");
            if verdicts_differ {
                f.write_str(if at > 0 { "; " } else { "" })?;
                write!(f, "{names} {} {verdict}", if is_one { "says" } else { "say" })?;
            } else if at > 0 {
                f.write_str(if at == 1 { ", but " } else { "; " })?;
                write!(f, "{names} {} so for another reason", if is_one { "does" } else { "do" })?;
            }
            if !causes.is_empty() {
                let because = if verdicts_differ { ", because " } else { ": " };
                write!(f, "{because}{}", list(causes, if *together { "and" } else { "or" }))?;
                if causes.len() > 1 {
                    f.write_str(if *together { " (only together)" } else { " (each alone)" })?;
                }
            }
        }
        Ok(())
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn list<T: fmt::Display>(items: &[T], last: &str) -> String {
    let mut text = String::new();
    for (at, item) in items.iter().enumerate() {
        text += &match at {
            0 => item.to_string(),
            _ if at + 1 == items.len() => format!(" {last} {item}"),
            _ => format!(", {item}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_size() {
        let difference = |file: &[u8], url: &str| {
            let compared = compare_profiles(file, &Crawler::name("a"), url);
            let google = compared.difference("google").expect("a difference");
            (google.causes.iter().map(Cause::switch).collect::<Vec<_>>(), compared.to_string())
        };
        let long = [b"user-agent: *\n".to_vec(), b"# x\n".repeat(128_000)].concat();
        let (causes, said) = difference(&[&long[..], b"disallow: /"].concat(), "/");
        assert_eq!(causes, [Switch::SizeLimit]);
        assert_eq!(
            said,
            "rfc9309 and google-classic say allow; google and original-1994 say disallow, because \
             files have no size limit there"
        );
        let long = [&b"user-agent: *\ndisallow: /"[..], &b"a".repeat(20_000)].concat();
        let url = format!("/{}", "a".repeat(17_000));
        let (causes, said) = difference(&long, &url);
        assert_eq!(causes, [Switch::LineLimit]);
        assert!(said.contains("only the beginning of a long line is read there"), "{said}");
    }

    #[test]
    fn sentences() {
        let say =
            |file: &[u8], url: &str| compare_profiles(file, &Crawler::name("a"), url).to_string();
        assert_eq!(say(b"user-agent: *\ndisallow: /", "/"), "all profiles say disallow, by line 2");
        assert_eq!(say(b"", "/"), "all profiles say allow, and no rule decides");
        assert_eq!(
            say(b"user-agent: *\ndisallow: /a\ndisallow: /*b", "/ab"),
            "all profiles say disallow, but original-1994 does so for another reason: '*' and '$' \
             are plain characters there or any matching Disallow decides there (each alone)"
        );
        assert_eq!(
            say(b"user-agent: *\ndisallow: /", "e.com"),
            "rfc9309, google-classic and original-1994 say invalid; google says disallow, \
             because anything counts as a URL there, and its path is found otherwise"
        );
    }

    #[test]
    fn several_causes() {
        let of = |file: &[u8], url: &str, profile: &str| {
            let compared = compare_profiles(file, &Crawler::name("a"), url);
            let difference = compared.difference(profile).expect("a difference");
            let switches: Vec<Switch> = difference.causes.iter().map(Cause::switch).collect();
            (switches, difference.together, compared.to_string())
        };
        // Takes both google/robotstxt's misspellings and its way to find the path.
        let (switches, together, said) = of(b"user-agent: *\ndissallow: /x", "e.com/x", "google");
        assert_eq!(switches, [Switch::TargetForm, Switch::MisspeltFields]);
        assert!(together && said.ends_with(
            "because anything counts as a URL there, and its path is found otherwise and some \
             misspelt field names are understood there (only together)"
        ), "{said}");
        // Either the missing wildcards or the missing Allow rule changes who decides.
        let (switches, together, said) =
            of(b"user-agent: *\ndisallow: /a\nallow: /a*b", "/ab", "original-1994");
        assert_eq!(switches, [Switch::Wildcards, Switch::AllowRules, Switch::RulePrecedence]);
        assert!(!together && said.ends_with(
            "because '*' and '$' are plain characters there, Allow lines are ignored there or \
             any matching Disallow decides there (each alone)"
        ), "{said}");
    }
}

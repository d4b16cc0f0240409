//! One question asked in all named profiles, and what makes the answers differ.

use std::fmt;

use crate::engine::matching;
use crate::policy::robots::Robots;
use crate::profile::{ByteOrderMark, ControlCharacters, GroupMatch, Profile, TokenBytes};
use crate::read::crawler::Crawler;
use crate::rules::target::{InvalidUrl, Target};
use crate::verdict::Verdict;

use super::Explanation;

/// One question explained in every named profile.
///
/// Its `Display` is a sentence that gives the verdicts and what makes them differ.
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

/// Why a profile's answer is not that of [`Profile::RFC9309`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ProfileDifference {
    /// The name of the profile.
    pub profile: &'static str,
    /// Whether the verdict differs. If not, another line decides.
    pub of_verdict: bool,
    /// The smallest change to [`Profile::RFC9309`] that was found to give this profile's answer:
    /// set these points as this profile has them. Leaving any one out gives another answer.
    pub causes: Vec<Cause>,
}

/// A point on which profiles differ: one or more switches of a [`Profile`].
///
/// Its `Display` is a clause about the profile that differs, such as `'*' and '$' are plain
/// characters there`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// [`Profile::byte_order_mark`] has this value.
    ByteOrderMark(ByteOrderMark),
    /// [`Profile::size_limit`] and [`Profile::line_limit`].
    SizeLimits,
    /// [`Profile::control_characters`] has this value.
    ControlCharacters(ControlCharacters),
    /// [`Profile::target_form`].
    TargetForm,
    /// [`Profile::robots_txt_allowed`] is off.
    RobotsTxtItself,
    /// [`Profile::index_htm_is_directory`] is on.
    IndexHtm,
    /// [`Profile::field_prefixes`], [`Profile::misspelt_fields`],
    /// [`Profile::ascii_white_space`] and [`Profile::missing_colon`] are on.
    FieldNames,
    /// [`Profile::sitemap_ends_agents`] is on.
    SitemapEndsAgents,
    /// [`Profile::trailing_stars_dropped`] is on.
    TrailingStars,
    /// [`Profile::leading_slash_assumed`] is on.
    LeadingSlash,
    /// [`Profile::unreserved_decoded`], [`Profile::hex_upper_case`],
    /// [`Profile::high_bytes_encoded`], [`Profile::forbidden_bytes_encoded`],
    /// [`Profile::special_bytes_encoded`] and [`Profile::stray_percent_encoded`].
    PercentEncoding,
    /// [`Profile::token_bytes`] has this value, or [`Profile::star_then_space`] and
    /// [`Profile::empty_token_names_empty`] are on.
    ProductTokens(TokenBytes),
    /// [`Profile::merge_names`] is on.
    MergedNames,
    /// [`Profile::merge_groups`] is off.
    FirstGroupOnly,
    /// [`Profile::blank_line_ends_group`] is on.
    BlankLineEndsGroup,
    /// [`Profile::group_match`] has this value.
    GroupMatch(GroupMatch),
    /// [`Profile::wildcards`] is off.
    Wildcards,
    /// [`Profile::allow_rules`] is off.
    AllowRules,
    /// [`Profile::rule_precedence`] is
    /// [`AnyDisallow`](crate::RulePrecedence::AnyDisallow).
    Precedence,
}

impl Cause {
    /// All points, with the values of a profile. Those that rarely matter come first: where one
    /// does, it says more about the question than a common one.
    fn all(profile: &Profile) -> [Cause; 19] {
        [
            Cause::ByteOrderMark(profile.byte_order_mark),
            Cause::SizeLimits,
            Cause::ControlCharacters(profile.control_characters),
            Cause::TargetForm,
            Cause::RobotsTxtItself,
            Cause::IndexHtm,
            Cause::FieldNames,
            Cause::SitemapEndsAgents,
            Cause::TrailingStars,
            Cause::LeadingSlash,
            Cause::PercentEncoding,
            Cause::ProductTokens(profile.token_bytes),
            Cause::MergedNames,
            Cause::FirstGroupOnly,
            Cause::BlankLineEndsGroup,
            Cause::GroupMatch(profile.group_match),
            Cause::Wildcards,
            Cause::AllowRules,
            Cause::Precedence,
        ]
    }

    /// Copies the switches of this point from one profile to another.
    fn set(self, to: &mut Profile, from: &Profile) {
        match self {
            Cause::ByteOrderMark(_) => to.byte_order_mark = from.byte_order_mark,
            Cause::SizeLimits => {
                to.size_limit = from.size_limit;
                to.line_limit = from.line_limit;
            }
            Cause::ControlCharacters(_) => to.control_characters = from.control_characters,
            Cause::TargetForm => to.target_form = from.target_form,
            Cause::RobotsTxtItself => to.robots_txt_allowed = from.robots_txt_allowed,
            Cause::IndexHtm => to.index_htm_is_directory = from.index_htm_is_directory,
            Cause::FieldNames => {
                to.field_prefixes = from.field_prefixes;
                to.misspelt_fields = from.misspelt_fields;
                to.ascii_white_space = from.ascii_white_space;
                to.missing_colon = from.missing_colon;
            }
            Cause::SitemapEndsAgents => to.sitemap_ends_agents = from.sitemap_ends_agents,
            Cause::TrailingStars => to.trailing_stars_dropped = from.trailing_stars_dropped,
            Cause::LeadingSlash => to.leading_slash_assumed = from.leading_slash_assumed,
            Cause::PercentEncoding => {
                to.unreserved_decoded = from.unreserved_decoded;
                to.hex_upper_case = from.hex_upper_case;
                to.high_bytes_encoded = from.high_bytes_encoded;
                to.forbidden_bytes_encoded = from.forbidden_bytes_encoded;
                to.special_bytes_encoded = from.special_bytes_encoded;
                to.stray_percent_encoded = from.stray_percent_encoded;
            }
            Cause::ProductTokens(_) => {
                to.token_bytes = from.token_bytes;
                to.star_then_space = from.star_then_space;
                to.empty_token_names_empty = from.empty_token_names_empty;
            }
            Cause::MergedNames => to.merge_names = from.merge_names,
            Cause::FirstGroupOnly => to.merge_groups = from.merge_groups,
            Cause::BlankLineEndsGroup => to.blank_line_ends_group = from.blank_line_ends_group,
            Cause::GroupMatch(_) => to.group_match = from.group_match,
            Cause::Wildcards => to.wildcards = from.wildcards,
            Cause::AllowRules => to.allow_rules = from.allow_rules,
            Cause::Precedence => to.rule_precedence = from.rule_precedence,
        }
    }

    /// A stable name for programs, such as `product-tokens`.
    pub fn as_str(self) -> &'static str {
        match self {
            Cause::ByteOrderMark(_) => "byte-order-mark",
            Cause::SizeLimits => "size-limits",
            Cause::ControlCharacters(_) => "control-characters",
            Cause::TargetForm => "target-form",
            Cause::RobotsTxtItself => "robots-txt-itself",
            Cause::IndexHtm => "index-htm",
            Cause::FieldNames => "field-names",
            Cause::SitemapEndsAgents => "sitemap-ends-agents",
            Cause::TrailingStars => "trailing-stars",
            Cause::LeadingSlash => "leading-slash",
            Cause::PercentEncoding => "percent-encoding",
            Cause::ProductTokens(_) => "product-tokens",
            Cause::MergedNames => "merged-names",
            Cause::FirstGroupOnly => "first-group-only",
            Cause::BlankLineEndsGroup => "blank-line-ends-group",
            Cause::GroupMatch(_) => "group-match",
            Cause::Wildcards => "wildcards",
            Cause::AllowRules => "allow-rules",
            Cause::Precedence => "precedence",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Cause::ByteOrderMark(ByteOrderMark::Keep) => {
                "a byte order mark belongs to the first line there"
            }
            Cause::ByteOrderMark(ByteOrderMark::Skip) => "a byte order mark is skipped there",
            Cause::ByteOrderMark(ByteOrderMark::SkipPartial) => {
                "even a partial byte order mark is skipped there"
            }
            Cause::SizeLimits => "the size limits of files and lines are different there",
            Cause::ControlCharacters(ControlCharacters::Ordinary) => {
                "control characters are ordinary bytes there"
            }
            Cause::ControlCharacters(ControlCharacters::NulEndsLine) => "a NUL ends a line there",
            Cause::ControlCharacters(ControlCharacters::InvalidateRecord) => {
                "a control character makes a record invalid there"
            }
            Cause::TargetForm => {
                "anything counts as a URL there, and its path is found differently"
            }
            Cause::RobotsTxtItself => "/robots.txt itself is not exempt from the rules there",
            Cause::IndexHtm => "an Allow for …/index.htm also allows its directory there",
            Cause::FieldNames => "more spellings of field names are accepted there",
            Cause::SitemapEndsAgents => {
                "a sitemap between user-agent lines starts a new group there"
            }
            Cause::TrailingStars => "stars at the end of a rule are ignored there",
            Cause::LeadingSlash => "a rule without a leading '/' gets one there",
            Cause::PercentEncoding => "bytes and %XX escapes are normalised differently there",
            Cause::ProductTokens(TokenBytes::LettersDigits) => {
                "a product token may contain digits and dots there"
            }
            Cause::ProductTokens(TokenBytes::Letters) => {
                "a product token ends before a digit or a dot there"
            }
            Cause::ProductTokens(TokenBytes::UpToSlash) => {
                "everything before the first '/' is the product token there"
            }
            Cause::MergedNames => "the groups for all of a crawler's names are combined there",
            Cause::FirstGroupOnly => "only the first of several groups for a crawler counts there",
            Cause::BlankLineEndsGroup => "a blank line ends a group there",
            Cause::GroupMatch(GroupMatch::Equal) => {
                "a product token must equal the crawler's name there"
            }
            Cause::GroupMatch(GroupMatch::LongestPrefix) => {
                "a product token need only begin the crawler's name there"
            }
            Cause::GroupMatch(GroupMatch::FirstSubstring) => {
                "a product token need only occur in the crawler's name there"
            }
            Cause::Wildcards => "'*' and '$' are plain characters there",
            Cause::AllowRules => "Allow lines are ignored there",
            Cause::Precedence => "any matching Disallow decides there",
        })
    }
}

/// Explains the verdict on a URL in every named profile, and finds what makes the answers differ.
///
/// Causes are found by trial: for each profile that differs, the question is asked some 60 times
/// more with some of the profile's switches changed.
///
/// ```
/// use robotsieve::explain::{Cause, compare_profiles};
/// use robotsieve::Crawler;
///
/// let file = b"User-agent: *\nDisallow: /*.pdf\n";
/// let compared = compare_profiles(file, &Crawler::name("bot"), "https://e.com/a.pdf");
/// assert_eq!(compared.differences.len(), 1);
/// assert_eq!(compared.differences[0].causes, [Cause::Wildcards]);
/// assert_eq!(
///     compared.to_string(),
///     "rfc9309, google and google-classic say disallow; original-1994 says allow, because \
///      '*' and '$' are plain characters there."
/// );
/// ```
#[must_use]
pub fn compare_profiles<'a, U: AsRef<[u8]> + ?Sized>(
    file: &'a [u8],
    crawler: &Crawler,
    url: &U,
) -> ProfileComparison<'a> {
    let url = url.as_ref();
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
            let causes = question.causes(profile, answer, !of_verdict);
            ProfileDifference { profile: name, of_verdict, causes }
        })
        .collect();
    ProfileComparison { explanations, differences }
}

/// What two profiles have to agree on: the verdict (`None` for an invalid URL), and the line that
/// decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Answer {
    verdict: Option<Verdict>,
    line: Option<u32>,
}

impl Answer {
    fn of(why: &Result<Explanation<'_>, InvalidUrl>) -> Answer {
        let why = why.as_ref().ok();
        let line = why.and_then(Explanation::winner).map(|rule| rule.line);
        Answer { verdict: why.map(|why| why.verdict), line }
    }
}

struct Question<'q> {
    file: &'q [u8],
    crawler: &'q Crawler,
    url: &'q [u8],
}

impl Question<'_> {
    /// The answer alone, without an explanation.
    fn answer(&self, profile: &Profile) -> Answer {
        let Ok(target) = Target::from_url(self.url, profile) else {
            return Answer { verdict: None, line: None };
        };
        if profile.robots_txt_allowed && target.is_robots_txt() {
            return Answer { verdict: Some(Verdict::Allow), line: None };
        }
        let policy = Robots::parse(self.file, profile).policy(self.crawler);
        let rules = policy.rule_set();
        let first = matching(rules, &target.to_buffer()).first().map(|first| rules.get(*first));
        let verdict = first.map_or(Verdict::Allow, |rule| rule.verdict);
        Answer { verdict: Some(verdict), line: first.map(|rule| rule.line) }
    }

    /// The points that change the answer of RFC 9309 to `wanted`, that of the profile `of`. With
    /// `of_line` the line has to agree too, not just the verdict.
    fn causes(&self, of: &Profile, wanted: &Answer, of_line: bool) -> Vec<Cause> {
        let with = |causes: &[Cause]| {
            let mut profile = Profile::RFC9309;
            causes.iter().for_each(|cause| cause.set(&mut profile, of));
            profile
        };
        let differs = |cause: &Cause| with(&[*cause]) != Profile::RFC9309;
        let all: Vec<Cause> = Cause::all(of).into_iter().filter(differs).collect();
        let is_wanted = |answer: Answer| {
            if of_line { answer == *wanted } else { answer.verdict == wanted.verdict }
        };
        let alone: Vec<(Cause, Answer)> =
            all.iter().map(|cause| (*cause, self.answer(&with(&[*cause])))).collect();
        let exactly = alone.iter().find(|(_, answer)| answer == wanted);
        if let Some((cause, _)) =
            exactly.or_else(|| alone.iter().find(|(_, answer)| is_wanted(*answer)))
        {
            return vec![*cause];
        }
        // No single point does. Start from all of them, and leave out each that can be spared,
        // those that often matter first.
        let mut causes = all;
        for at in (0..causes.len()).rev() {
            let cause = causes.remove(at);
            if !is_wanted(self.answer(&with(&causes))) {
                causes.insert(at, cause);
            }
        }
        causes
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
        let mut parts: Vec<(Vec<&str>, &str, &[Cause])> = Vec::new();
        for (at, (name, _)) in self.explanations.iter().enumerate() {
            let difference =
                self.difference(name).filter(|other| other.of_verdict == verdicts_differ);
            let causes = difference.map_or(&[][..], |difference| &difference.causes);
            let verdict = self.verdict(at);
            match parts.iter_mut().find(|(_, v, c)| *v == verdict && *c == causes) {
                Some((names, ..)) => names.push(name),
                None => parts.push((vec![name], verdict, causes)),
            }
        }
        if let [(_, verdict, _)] = parts[..] {
            let line = Answer::of(&self.explanations[0].1).line;
            write!(f, "All profiles say {verdict}, ")?;
            return match line {
                Some(line) => write!(f, "by line {line}."),
                None => f.write_str("and no rule decides."),
            };
        }
        if !verdicts_differ {
            write!(f, "All profiles say {}", parts[0].1)?;
        }
        for (at, (names, verdict, causes)) in parts.iter().enumerate() {
            if verdicts_differ {
                f.write_str(if at > 0 { "; " } else { "" })?;
                list(f, names)?;
                write!(f, " {} {verdict}", if names.len() == 1 { "says" } else { "say" })?;
            } else if at > 0 {
                f.write_str(if at == 1 { ", but " } else { "; " })?;
                list(f, names)?;
                write!(
                    f,
                    " {} so for another reason",
                    if names.len() == 1 { "does" } else { "do" }
                )?;
            }
            if !causes.is_empty() {
                let causes: Vec<String> = causes.iter().map(Cause::to_string).collect();
                f.write_str(if verdicts_differ { ", because " } else { ": " })?;
                list(f, &causes)?;
            }
        }
        f.write_str(".")
    }
}

/// `a`, `a and b`, `a, b and c`.
fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        let between = match at {
            0 => "",
            _ if at + 1 == items.len() => " and ",
            _ => ", ",
        };
        write!(f, "{between}{item}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No switch is forgotten: together, all points of a profile make that profile.
    #[test]
    fn points_make_the_profile() {
        for (name, profile) in Profile::NAMED {
            // Whose rules a fetch follows changes no verdict, so no cause names it.
            let mut made = Profile { fetch_rules: profile.fetch_rules, ..Profile::RFC9309 };
            Cause::all(profile).into_iter().for_each(|cause| cause.set(&mut made, profile));
            assert_eq!(made, *profile, "{name}");
        }
    }

    #[test]
    fn every_kind_of_cause() {
        use Cause::*;
        let cases: [(&[u8], &str, &str, &str, Cause); 19] = [
            (
                b"\xEF\xBBuser-agent: *\ndisallow: /",
                "a",
                "/",
                "google",
                ByteOrderMark(super::ByteOrderMark::SkipPartial),
            ),
            (
                b"\xEF\xBB\xBFuser-agent: *\ndisallow: /",
                "a",
                "/",
                "original-1994",
                ByteOrderMark(super::ByteOrderMark::Keep),
            ),
            (
                b"user-agent: *\ndisallow: /a\0b",
                "a",
                "/a",
                "google",
                ControlCharacters(super::ControlCharacters::NulEndsLine),
            ),
            (
                b"user-agent: *\ndisallow: /\nallow: /x\x01",
                "a",
                "/x%01",
                "google-classic",
                ControlCharacters(super::ControlCharacters::InvalidateRecord),
            ),
            (b"user-agent: *\ndisallow: /", "a", "e.com", "google", TargetForm),
            (b"user-agent: *\ndisallow: /", "a", "/robots.txt", "google-classic", RobotsTxtItself),
            (b"user-agent: *\ndisallow: /\nallow: /a/index.htm", "a", "/a/", "google", IndexHtm),
            (b"user-agent: *\ndissallow: /", "a", "/", "google", FieldNames),
            (
                b"user-agent: a\nsitemap: x\nuser-agent: *\ndisallow: /",
                "a",
                "/",
                "google-classic",
                SitemapEndsAgents,
            ),
            (
                b"user-agent: *\ndisallow: /a***\nallow: /ab",
                "a",
                "/ab",
                "google-classic",
                TrailingStars,
            ),
            (b"user-agent: *\ndisallow: fish", "a", "/fish", "google-classic", LeadingSlash),
            (b"user-agent: *\ndisallow: /~a", "a", "/%7ea", "google", PercentEncoding),
            (
                b"user-agent: MJ12bot\ndisallow: /",
                "MJ",
                "/",
                "google",
                ProductTokens(TokenBytes::Letters),
            ),
            (
                b"user-agent: a\ndisallow: /a\nuser-agent: b\ndisallow: /b",
                "a,b",
                "/b",
                "google",
                MergedNames,
            ),
            (
                b"user-agent: a\ndisallow: /a\nuser-agent: a\ndisallow: /b",
                "a",
                "/b",
                "original-1994",
                FirstGroupOnly,
            ),
            (b"user-agent: *\n\ndisallow: /b", "a", "/b", "original-1994", BlankLineEndsGroup),
            (
                b"user-agent: b\ndisallow: /",
                "abc",
                "/",
                "original-1994",
                GroupMatch(super::GroupMatch::FirstSubstring),
            ),
            (b"user-agent: *\ndisallow: /*b", "a", "/ab", "original-1994", Wildcards),
            (b"user-agent: *\ndisallow: /\nallow: /a", "a", "/a", "original-1994", AllowRules),
        ];
        for (file, names, url, profile, cause) in cases {
            let compared = compare_profiles(file, &Crawler::names(names.split(',')), url);
            let difference = compared.difference(profile);
            let shown = file.escape_ascii();
            assert_eq!(difference.map(|d| &d.causes[..]), Some(&[cause][..]), "{shown} {url}");
            let sentence = compared.to_string();
            assert!(sentence.contains(&cause.to_string()), "{sentence}");
            assert!(sentence.contains(profile) && sentence.ends_with('.'), "{sentence}");
        }
    }

    #[test]
    fn sentences() {
        let say =
            |file: &[u8], url: &str| compare_profiles(file, &Crawler::name("a"), url).to_string();
        assert_eq!(
            say(b"user-agent: *\ndisallow: /", "/"),
            "All profiles say disallow, by line 2."
        );
        assert_eq!(say(b"", "/"), "All profiles say allow, and no rule decides.");
        assert_eq!(
            say(b"user-agent: *\ndisallow: /a\ndisallow: /*b", "/ab"),
            "All profiles say disallow, but original-1994 does so for another reason: '*' and '$' \
             are plain characters there."
        );
        assert_eq!(
            say(b"user-agent: *\ndisallow: /", "e.com"),
            "rfc9309, google-classic and original-1994 say invalid; google says disallow, \
             because anything counts as a URL there, and its path is found differently."
        );
    }

    #[test]
    fn several_causes() {
        // Takes both google/robotstxt's misspellings and its way to find the path.
        let compared =
            compare_profiles(b"user-agent: *\ndissallow: /x", &Crawler::name("a"), "e.com/x");
        let google = compared.difference("google").unwrap();
        assert_eq!(google.causes, [Cause::TargetForm, Cause::FieldNames]);
    }
}

//! The rules of a file for one crawler.

use std::ffi::{c_char, c_int};
use std::ptr::{null, null_mut};

use robotsieve::records::Pace;
use robotsieve::{Answer, AsUrl, Reason, Verdict};

use crate::crawler::Crawler;
use crate::failure::{Error, Status, guard, status};
use crate::given::{self, Slice, bytes, free, handle, put, urls};
use crate::robots::{Robots, invalid_url};

/// The rules of a robots.txt for one crawler.
pub struct Policy(robotsieve::Policy);

/// The answer for a URL and a crawler. Fetch a URL only if it is `ROBOTSIEVE_ANSWER_ALLOW`.
#[repr(C)]
pub enum AnswerNumber {
    /// The crawler may not fetch it.
    Disallow = 0,
    /// The crawler may fetch it.
    Allow = 1,
    /// What was asked for is no URL, and no path that begins with `/`.
    Invalid = 2,
    /// Nothing is known of its site.
    Unknown = 3,
}

// The bytes that many answers are written as are the same numbers.
const _: () = assert!(
    AnswerNumber::Disallow as u8 == Answer::Disallow as u8
        && AnswerNumber::Allow as u8 == Answer::Allow as u8
        && AnswerNumber::Invalid as u8 == Answer::Invalid as u8
        && AnswerNumber::Unknown as u8 == Answer::Unknown as u8
);

impl From<Answer> for AnswerNumber {
    fn from(answer: Answer) -> AnswerNumber {
        match answer {
            Answer::Disallow => AnswerNumber::Disallow,
            Answer::Allow => AnswerNumber::Allow,
            Answer::Invalid => AnswerNumber::Invalid,
            Answer::Unknown => AnswerNumber::Unknown,
        }
    }
}

/// The reason for a verdict.
#[repr(C)]
pub enum ReasonNumber {
    /// A rule matches, and none of higher precedence does.
    Rule = 0,
    /// Allowed: no group of the file is for this crawler.
    NoGroup = 1,
    /// Allowed: no rule of the crawler's groups matches.
    NoMatch = 2,
    /// Allowed: the crawler's groups have only rules without a value, which restrict nothing.
    EmptyRule = 3,
    /// Allowed: robots.txt itself may always be fetched.
    RobotsTxt = 4,
}

/// A verdict with the reason for it.
#[repr(C)]
pub struct Decision {
    /// `ROBOTSIEVE_ANSWER_ALLOW` or `ROBOTSIEVE_ANSWER_DISALLOW`.
    pub verdict: AnswerNumber,
    /// The reason for it.
    pub reason: ReasonNumber,
    /// The line that decided, counted from 1: of the rule, or of the first rule without a value. 0 if
    /// none did.
    pub line: u32,
    /// The value of the rule as it stands in the file, such as `/private/`. Empty if no rule decided.
    /// The bytes are the policy's: they stay until it is freed.
    pub rule: Slice,
}

/// Makes the policy of a crawler: the rules of the groups that it obeys. `O(rules)` the first time;
/// crawlers that obey the same groups share one. A policy needs neither the file nor the crawler any
/// more.
///
/// Returns NULL if it fails: `ROBOTSIEVE_STATUS_NAME` if the crawler was made for another profile, and
/// no robots.txt can name it in that of the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_policy_new(
    robots: *const Robots,
    crawler: *const Crawler,
    error: *mut Error,
) -> *mut Policy {
    let run = || {
        // SAFETY: the caller's promises.
        let (robots, who) = unsafe { (handle(robots, "robots")?, handle(crawler, "crawler")?) };
        let crawler = who.within(robots.profile())?;
        let policy = robots.with(|robots| robots.policy(crawler));
        Ok(Box::into_raw(Box::new(Policy(policy))))
    };
    // SAFETY: the caller's promise.
    unsafe { guard(error, null_mut(), run) }
}

/// Frees a policy. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_policy_free(policy: *mut Policy) {
    // SAFETY: the caller's promise.
    unsafe { free(policy) };
}

/// Returns 1 if the crawler may fetch a URL, or a path that begins with `/`, and 0 if not. Also 0 if
/// the URL is none, or if an argument is wrong: `robotsieve_policy_answers` tells these apart.
///
/// `O(n)`, and stops as soon as the verdict is final; some tens of nanoseconds for a URL of common
/// length. Allocates nothing. A policy that is asked often compiles itself once, which takes
/// microseconds for a common file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_policy_allows(
    policy: *const Policy,
    url: *const c_char,
    url_len: usize,
) -> c_int {
    let run = || {
        // SAFETY: the caller's promises.
        let (policy, url) = unsafe { (handle(policy, "policy")?, bytes(url, url_len, "url")?) };
        Ok(policy.0.is_allowed(url).is_ok_and(|allowed| allowed).into())
    };
    // SAFETY: no error is written.
    unsafe { guard(null_mut(), 0, run) }
}

/// Writes an answer for each of many URLs, or paths that begin with `/`: a byte, one of
/// `robotsieve_answer`.
///
/// `answers` has room for `answer_count` bytes, which must be `url_count`. That it lies in the
/// memory of the URLs is an error. On an error that is not `ROBOTSIEVE_STATUS_INTERNAL` nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_policy_answers(
    policy: *const Policy,
    urls: *const Slice,
    url_count: usize,
    answers: *mut u8,
    answer_count: usize,
    error: *mut Error,
) -> Status {
    let run = || {
        // SAFETY: the caller's promises.
        let (policy, urls, answers) = unsafe {
            let policy = handle(policy, "policy")?;
            let urls = self::urls(urls, url_count)?;
            (policy, urls, given::answers(answers, answer_count, urls, 1)?)
        };
        for (url, answer) in urls.iter().zip(answers) {
            let target = policy.0.target(url.as_url());
            *answer = target.map(|target| policy.0.verdict(&target)).into();
        }
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { status(error, run) }
}

/// Decides on a URL, or on a path that begins with `/`: the verdict, and the line of the file that it
/// comes from.
///
/// Tries the rules one by one to find the one that decided: to explain, not to filter. On an error,
/// `ROBOTSIEVE_STATUS_URL` among them, nothing is written to `decision`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_policy_decide(
    policy: *const Policy,
    url: *const c_char,
    url_len: usize,
    decision: *mut Decision,
    error: *mut Error,
) -> Status {
    let run = || {
        // SAFETY: the caller's promises.
        let (policy, url) = unsafe { (handle(policy, "policy")?, bytes(url, url_len, "url")?) };
        if decision.is_null() {
            return Err(given::null("decision"));
        }
        let decided = policy.0.decide(url).map_err(invalid_url)?;
        let rule = decided.rule();
        let reason = match decided.reason {
            Reason::Rule(_) => ReasonNumber::Rule,
            Reason::NoGroup => ReasonNumber::NoGroup,
            Reason::EmptyRule { .. } => ReasonNumber::EmptyRule,
            Reason::RobotsTxt => ReasonNumber::RobotsTxt,
            // Rules are kept, so no other is left.
            _ => ReasonNumber::NoMatch,
        };
        let line = match decided.reason {
            Reason::EmptyRule { line } => line,
            _ => rule.map_or(0, |rule| rule.line),
        };
        let verdict = match decided.verdict {
            Verdict::Allow => AnswerNumber::Allow,
            Verdict::Disallow => AnswerNumber::Disallow,
        };
        let rule = rule.map_or(Slice { data: null(), len: 0 }, |rule| Slice::of(rule.value));
        // SAFETY: the caller's promise.
        unsafe { put(decision, Decision { verdict, reason, line, rule }) };
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { status(error, run) }
}

/// The seconds to wait between the beginnings of two requests, as the file asks the crawler: the longer
/// of its `Crawl-delay` and its `Request-rate`, a day at most. 0 if it asks for nothing, or if `policy`
/// is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn robotsieve_policy_delay(policy: *const Policy) -> f64 {
    // SAFETY: the caller's promise.
    let run = || Ok(seconds(unsafe { handle(policy, "policy") }?.0.pace()));
    // SAFETY: no error is written.
    unsafe { guard(null_mut(), 0.0, run) }
}

/// The seconds of a pace.
pub fn seconds(pace: Pace) -> f64 {
    pace.min_interval().map_or(0.0, |interval| interval.as_secs_f64())
}

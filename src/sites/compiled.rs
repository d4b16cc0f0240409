//! From a robots.txt to the bytes of its policies.

use crate::automaton::Table;
use crate::policy::Policy;
use crate::policy::robots::Robots;
use crate::read::crawler::Crawler;
use crate::rules::normalise::Encoding;
use crate::verdict::Verdict;

use super::layout::{Always, HAS_PACE, KIND_TABLE};
use super::pace;

/// The different policies of a file for some crawlers.
#[derive(Clone, Debug)]
pub(crate) struct Policies {
    pub(crate) policies: Vec<Policy>,
    /// For each crawler the index of its policy.
    pub(crate) columns: Vec<usize>,
}

impl Policies {
    /// Crawlers that obey the same groups share a policy. Nothing is compiled yet.
    pub(crate) fn of(robots: &Robots<'_>, crawlers: &[Crawler]) -> Policies {
        let mut policies: Vec<Policy> = Vec::new();
        let columns = crawlers.iter().map(|crawler| {
            let policy = robots.policy(crawler);
            let known = policies.iter().position(|known| known.is_same(&policy));
            known.unwrap_or_else(|| {
                policies.push(policy);
                policies.len() - 1
            })
        });
        Policies { columns: columns.collect(), policies }
    }
}

/// The body of a policy's record: its kind, its table and its pace. Compiles the policy. `None` if
/// it is over the limits of a DFA.
pub(crate) fn table_body(policy: &Policy) -> Option<Vec<u8>> {
    policy.compile();
    let table = policy.table()?;
    let pace = pace::bytes(policy.pace());
    let mut body = Vec::with_capacity(1 + table.len() + pace.len());
    body.push(KIND_TABLE | if pace.is_empty() { 0 } else { HAS_PACE });
    body.extend_from_slice(table);
    body.extend_from_slice(&pace);
    Some(body)
}

/// The verdict that the policy of a record has on every URL.
pub(crate) fn always(body: &[u8], encoding: Encoding) -> Always {
    match body.split_first() {
        Some((kind, _)) if kind & !HAS_PACE != KIND_TABLE => Always::Neither,
        _ => match Table::only_verdict(&pace::without(body)[1..], encoding) {
            Some(Verdict::Allow) => Always::Allow,
            Some(Verdict::Disallow) => Always::Disallow,
            None => Always::Neither,
        },
    }
}

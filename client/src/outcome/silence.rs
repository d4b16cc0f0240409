//! Whatever the attempts and the times: our own silence opens no site.

use std::time::Duration;

use proptest::prelude::*;
use robotsieve::SiteKind;

use super::*;
use crate::time::Timestamp;

const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;

/// The result of an attempt.
#[derive(Clone, Copy, Debug)]
enum Step {
    Present {
        max_age: u64,
    },
    Absent,
    Fails,
    /// A fault of this side.
    Faulty,
    /// The caller saw the site answer for another page.
    SiteAnswers,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => (0..100 * DAY).prop_map(|max_age| Step::Present { max_age }),
        1 => Just(Step::Absent),
        12 => Just(Step::Fails),
        1 => Just(Step::Faulty),
        1 => Just(Step::SiteAnswers),
    ]
}

/// The time until the next step: from a second to some weeks.
fn pause() -> impl Strategy<Value = u64> {
    prop_oneof![1..HOUR, HOUR..DAY, DAY..14 * DAY, 14 * DAY..16 * DAY, 16 * DAY..100 * DAY]
}

fn protocol() -> impl Strategy<Value = Protocol> {
    let base = prop_oneof![
        Just(Protocol::RFC9309),
        Just(Protocol::GOOGLE),
        Just(Protocol::GOOGLE_CLASSIC)
    ];
    (base, 0..10u32, any::<bool>(), any::<bool>()).prop_map(
        |(mut protocol, min_failures, opens, is_long)| {
            protocol.min_failures = min_failures;
            if opens {
                protocol.without_copy = SiteKind::AllowAll;
            }
            if is_long {
                protocol.longest_lifetime = Duration::from_secs(90 * DAY);
            }
            protocol
        },
    )
}

/// Times at which a ruling is asked for, as distances from the last attempt.
fn moments(state: &OriginState, protocol: &Protocol) -> Vec<Timestamp> {
    let mut moments: Vec<_> = [0, 1, 299, 300, 600, HOUR, 12 * HOUR, DAY, 29 * DAY, 30 * DAY]
        .into_iter()
        .chain([31 * DAY, 60 * DAY, 10_000 * DAY])
        .map(|after| state.attempted + Duration::from_secs(after))
        .collect();
    let ruling = protocol.ruling(state, state.attempted);
    let copy = state.copy.as_ref().map(CachedCopy::fresh_until);
    for edge in [Some(ruling.until), Some(ruling.next_attempt), copy].into_iter().flatten() {
        moments.extend([edge - Duration::from_secs(1), edge, edge + Duration::from_secs(1)]);
    }
    moments.retain(|moment| *moment >= state.attempted);
    moments.sort_unstable();
    moments
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Silence would open a site in one of two ways, and neither happens:
    ///
    /// 1. Between two attempts, a site that was not allowed becomes allowed because time passes.
    /// 2. An attempt that fails allows a site although the failures since its last answer do not
    ///    span the time that the protocol demands, are too few, or leave more than half of that
    ///    time without an attempt.
    #[test]
    fn silence_opens_no_site(
        protocol in protocol(),
        steps in prop::collection::vec((pause(), step()), 1..40),
    ) {
        let mut now = Timestamp(1_700_000_000);
        let mut state: Option<OriginState> = None;
        // The failures in a row, as the test counts them.
        let mut failed: Vec<Timestamp> = Vec::new();
        for (pause, step) in steps {
            now = now + Duration::from_secs(pause);
            let result = match step {
                Step::Present { max_age } => {
                    let mut response = Response::new(200, "User-agent: *\nDisallow: /");
                    let value = format!("max-age={max_age}").parse().unwrap();
                    response.headers.insert("cache-control", value);
                    Ok(response)
                }
                Step::Absent => Ok(Response::new(404, "")),
                Step::Fails => Ok(Response::new(500, "")),
                Step::Faulty => Err(Failure::Local(LocalFault::new(LocalKind::Network, ""))),
                Step::SiteAnswers => {
                    if let Some(state) = &mut state {
                        state.site_answered = Some(now);
                    }
                    continue;
                }
            };
            match step {
                Step::Fails => failed.push(now),
                Step::Faulty => {}
                _ => failed.clear(),
            }
            match protocol.after(state.as_ref(), &Attempt::new(now, result)) {
                Ok(after) => state = Some(after),
                Err(_) => prop_assert!(matches!(step, Step::Faulty)),
            }
            let Some(state) = &state else { continue };

            let moments = moments(state, &protocol);
            let rulings: Vec<_> = moments.iter().map(|at| protocol.ruling(state, *at)).collect();
            for (ruling, at) in rulings.iter().zip(&moments) {
                // The first way.
                let first = rulings[0].holds;
                prop_assert!(ruling.holds != SiteKind::AllowAll || first == SiteKind::AllowAll);
                // What a ruling says of itself is true.
                for (other, at) in rulings.iter().zip(&moments) {
                    if ruling.is_current_at(*at) {
                        prop_assert_eq!(other, ruling);
                    }
                }
                prop_assert!(ruling.valid_from <= *at);
                prop_assert!(ruling.is_expired || *at < ruling.until);
            }
            // The second way.
            if rulings[0].holds == SiteKind::AllowAll && !failed.is_empty() {
                let gap = |ends: &[Timestamp]| ends[1].since(ends[0]);
                let half = protocol.unreachable_limit / 2;
                // The failures since the last long silence.
                let begin = failed.windows(2).rposition(|ends| gap(ends) > half);
                let row = &failed[begin.map_or(0, |at| at + 1)..];
                let span = row[row.len() - 1].since(row[0]);
                let is_over_limit = span >= protocol.unreachable_limit
                    && row.len() >= protocol.min_failures as usize;
                let is_over_grace = span >= protocol.grace
                    && protocol.without_copy == SiteKind::AllowAll
                    && state.copy.is_none();
                prop_assert!(is_over_limit || is_over_grace, "{:?} {:?}", rulings[0], row);
            }
        }
    }
}

//! The Python module `robotsieve._robotsieve`: the engine, which `robotsieve/` makes a package of.
//!
//! What fetches is a module of its own, in `fetch/`, and `common/` has what both need.
//!
//! What Python gives becomes bytes in [`text`] and [`urls`]; [`at_once`] answers one question, and [`batch`] judges many
//! URLs without the interpreter, by a policy or by what has those of several crawlers ([`bulk`]); [`answers`] and
//! [`decisions`] are given back as Arrow arrays ([`export`]). [`reports`] says why, what is
//! wrong and what changed, [`rights`] what may be done with a page. [`captures`] are read from archives.

mod answers;
mod at_once;
mod batch;
mod bulk;
mod by_crawler;
mod captures;
mod column;
mod crawler;
mod decision;
mod decisions;
mod errors;
mod export;
mod file;
mod import;
mod origin;
mod pace;
mod pack;
mod policy;
mod reports;
mod rights;
mod robots;
mod settings;
mod shards;
mod signals;
mod sites;
mod urls;

use pyo3::prelude::*;
use robotsieve_python_common::{crawlers, text};

#[pymodule(gil_used = false)]
mod _robotsieve {
    use super::*;

    #[pymodule_export]
    use crate::policy::Policy;
    #[pymodule_export]
    use answers::{Answers, Verdicts};
    #[pymodule_export]
    use bulk::Policies;
    #[pymodule_export]
    use by_crawler::{CrawlerAnswers, CrawlerDecisions, CrawlerVerdicts, answer_bits};
    #[pymodule_export]
    use captures::{
        CaptureBatch, CapturesOf, WarcCaptures, capture_key, judge, row_key, said_of, shard_name,
    };
    #[pymodule_export]
    use crawler::{Crawler, HeaderName, UserAgent};
    #[pymodule_export]
    use decision::{Decision, Rule};
    #[pymodule_export]
    use decisions::Decisions;
    #[pymodule_export]
    use errors::{InvalidName, InvalidOrigin, InvalidUrl, PackError};
    #[pymodule_export]
    use export::Numbers;
    #[pymodule_export]
    use file::Robots;
    #[pymodule_export]
    use origin::Origin;
    #[pymodule_export]
    use pace::RequestRate;
    #[pymodule_export]
    use pack::{Pack, PackWriter};
    #[pymodule_export]
    use reports::{
        body_bytes, build_json, compare_profiles_json, diff_json, diff_limits, diff_policies_json,
        fix_json, known_crawlers_json, lint_codes, lint_json,
    };
    #[pymodule_export]
    use rights::{
        Doubtful, PurposeReport, Rights, RightsColumns, RightsLicence, RightsReader, RightsReport,
        RightsStatement,
    };
    #[pymodule_export]
    use robots::{CrawlerPolicies, file_in, is_allowed, own_rules, policy};
    #[pymodule_export]
    use settings::{Config, Profile};
    #[pymodule_export]
    use shards::shards_of;
    #[pymodule_export]
    use sites::PolicySet;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        by_crawler::register(module.py())?;
        at_once::register(module.py())?;
        module.add("MAX_HOPS", robotsieve_captures::MAX_HOPS)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

//! Which URLs does a robots.txt allow?
#![doc = ""]

mod automaton;
mod config;
mod crawler;
mod decision;
mod diagnostic;
mod engine;
mod normalise;
mod panel;
mod parse;
mod policy;
mod profile;
mod robots;
mod rules;
mod select;
mod target;

#[cfg(feature = "rayon")]
pub mod batch;

pub use automaton::InvalidAutomaton;
pub use config::{Config, Engine, LimitHit, Limits};
pub use crawler::Crawler;
pub use decision::{Decision, Reason, Rule, Verdict};
pub use diagnostic::{Diagnostic, DiagnosticKind};
pub use engine::lazy_pool_bytes;
pub use panel::{Answer, Panel};
pub use parse::{Field, Record};
pub use policy::{Memory, Policy};
pub use profile::{
    ByteOrderMark, ControlCharacters, GroupMatch, Profile, RulePrecedence, Sides, TargetForm,
    TokenOctets,
};
pub use robots::Robots;
pub use target::{InvalidUrl, Target};

//! Shared by the native modules of the packages `robotsieve` (`python/`) and `robotsieve-fetch`
//! (`python/fetch/`).
//!
//! Each module has classes of its own, so no object of one is known to the other. What crosses does so
//! as plain values: settings as dictionaries ([`settings`]), decisions, rules and rates as the arguments
//! that make them ([`parts`]), and exceptions by their names ([`errors`]).

pub mod crawlers;
pub mod errors;
pub mod origin;
pub mod parts;
pub mod reasoned;
pub mod settings;
pub mod text;

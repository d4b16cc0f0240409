//! The engine for JavaScript: what `package/api.ts` is built on.
//!
//! Two things cross the border. Questions about many URLs are bytes in a [`scratch`] buffer and a
//! byte for each answer. Everything else is JSON, with positions in UTF-16 code units beside those
//! in bytes; `package/types.ts` documents it.
//!
//! Nothing here panics on input: a panic would leave the module's memory as it is at that moment,
//! and every object of the instance would be lost.

mod crawler;
#[cfg(feature = "full")]
mod diff;
mod error;
mod explain;
mod graph;
mod json;
#[cfg(feature = "full")]
mod lint;
mod policy;
mod positions;
mod robots;
mod scratch;

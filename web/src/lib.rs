//! The engine for JavaScript: what `package/core.ts` is built on.
//!
//! Two things cross the border. Questions about many URLs are bytes in a `scratch` buffer and a
//! byte for each answer. Everything else is JSON: the documents of `robotsieve_report`, and what
//! `package/types.ts` describes.
//!
//! Nothing here panics on input: a panic would leave the module's memory as it is at that moment,
//! and every object of the instance would be lost.

#[cfg(feature = "write")]
mod compose;
mod crawler;
mod documents;
mod error;
mod file;
mod graph;
mod json;
mod memory;
mod policy;
mod positions;
#[cfg(feature = "rights")]
mod rights;
mod robots;
mod scratch;

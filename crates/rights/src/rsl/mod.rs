//! Really Simple Licensing 1.0: documents in XML.
//!
//! ```text
//! bytes ─▶ parse ─▶ contents, each with its licences ─▶ terms ─▶ what each licence says of a purpose
//!                                                       compiled ─▶ what each path says
//!                                                       settle ─▶ statements about a URL
//! ```

pub(super) mod compiled;
mod content;
pub(super) mod document;
mod parse;
pub(super) mod settle;
mod terms;

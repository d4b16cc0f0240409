//! What pages say to search engines: X-Robots-Tag, robots meta tags and Robots-Tag.
//!
//! ```text
//! header line ─▶ read ─▶ rules, each with whom it is for ─▶ settle ─▶ statements and limits
//! meta tag    ─▶  rule, date                                settle
//! ```

mod date;
pub(super) mod read;
pub(super) mod robots_tag;
pub(super) mod settle;

//! Times for people and programs.

use robotsieve_client::Timestamp;

/// A time as RFC 3339 writes it, in UTC: `2026-11-20T12:00:00Z`.
pub fn rfc3339(at: Timestamp) -> String {
    humantime::format_rfc3339_seconds(at.into()).to_string()
}

//! What `fetch --json` prints: everything that is known about a site, as
//! `robotsieve schema fetch` says.

use robotsieve::{Origin, SiteKind};
use robotsieve_client::outcome::{OriginState, Ruling, Why};
use robotsieve_client::report::site;
use serde_json::json;

/// The version of the format.
const SCHEMA: &str = "robotsieve-fetch-1";

/// A JSON object on a line of its own.
pub fn line(origin: &Origin<'_>, known: &OriginState, ruling: &Ruling) -> String {
    let mut object = json!(site(origin.key(), known, ruling));
    object["schema"] = SCHEMA.into();
    object.to_string() + "\n"
}

/// The line of a site that is not asked, because an override decides.
pub fn overridden(origin: &Origin<'_>, holds: SiteKind) -> String {
    let object = json!({
        "schema": SCHEMA,
        "origin": origin.key(),
        "outcome": "override",
        "holds": holds.as_str(),
        "why": Why::Override.as_str(),
    });
    object.to_string() + "\n"
}

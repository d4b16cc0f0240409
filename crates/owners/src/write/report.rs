//! The document of what was built, or why it was not.

use robotsieve_report::{SCHEMA, TOOL_VERSION};

use super::fault::CannotBuild;
use super::robots_txt::RobotsTxt;

/// A robots.txt built from intentions, or why there is none: the report `build`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BuildReport {
    /// `robotsieve-report-1`.
    pub schema: &'static str,
    /// `build`.
    pub report: &'static str,
    /// The version of robotsieve that made the report.
    pub tool_version: &'static str,
    /// The file; null if there is none.
    pub text: Option<String>,
    /// The names of the profiles in which it is proven.
    pub profiles: Vec<String>,
    /// The caveats, in sentences.
    pub notes: Vec<String>,
    /// The reasons why there is no file.
    pub faults: Vec<BuildFault>,
    /// True if all values are fine, but some profile would read the file otherwise than asked for, or an
    /// expectation would not hold.
    pub unproven: bool,
}

/// A reason why intentions cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BuildFault {
    /// The place to mend, such as `groups[0].disallow[1]`, numbered from 0; empty for the whole.
    pub place: String,
    /// What is wrong, and the way out.
    pub message: String,
}

impl BuildReport {
    /// The report on a result of [`Intentions::build`](super::Intentions::build).
    #[must_use]
    pub fn of(built: &Result<RobotsTxt, CannotBuild>) -> BuildReport {
        let mut report = BuildReport {
            schema: SCHEMA,
            report: "build",
            tool_version: TOOL_VERSION,
            text: None,
            profiles: Vec::new(),
            notes: Vec::new(),
            faults: Vec::new(),
            unproven: false,
        };
        match built {
            Ok(built) => {
                report.text = Some(built.text().to_owned());
                let names = built.profiles().iter().map(|profile| profile.name());
                report.profiles = names.map(|name| name.unwrap_or("custom").to_owned()).collect();
                report.notes = built.notes().to_vec();
            }
            Err(wrong) => {
                report.unproven = wrong.is_unproven();
                let fault = |fault: &super::fault::Fault| BuildFault {
                    place: fault.place.to_string(),
                    message: fault.message.clone(),
                };
                report.faults = wrong.faults().iter().map(fault).collect();
            }
        }
        report
    }
}

//! The profiles in which a file is linted.

use std::borrow::Cow;

use robotsieve::Profile;

/// The settings by which a file is linted.
///
/// ```
/// use robotsieve::Profile;
/// use robotsieve_lint::{Options, lint};
///
/// let options = Options::new(Profile::NAMED.iter().copied()).content_type("text/plain");
/// let report = lint(b"User-agent: *\nDisalow: /x\n", &options);
/// let profiles = report.findings.iter().map(|finding| &finding.profiles[..]);
/// assert!(profiles.into_iter().any(|profiles| profiles == ["google"]));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The profiles in which the file is read, with the names that findings give them. Without any
    /// profile nothing is found.
    pub profiles: Vec<(Cow<'static, str>, Profile)>,
    /// The value of the Content-Type header with which the file was served, if known.
    pub content_type: Option<String>,
}

impl Options {
    /// Reads files in these profiles.
    #[must_use]
    pub fn new<N: Into<Cow<'static, str>>>(
        profiles: impl IntoIterator<Item = (N, Profile)>,
    ) -> Options {
        let profiles = profiles.into_iter().map(|(name, profile)| (name.into(), profile));
        Options { profiles: profiles.collect(), content_type: None }
    }

    /// Sets the value of the Content-Type header with which the file was served.
    #[must_use]
    pub fn content_type(mut self, value: impl Into<String>) -> Options {
        self.content_type = Some(value.into());
        self
    }
}

impl Default for Options {
    /// [`Profile::RFC9309`] under the name `rfc9309`; content type unknown.
    fn default() -> Options {
        Options::new([("rfc9309", Profile::RFC9309)])
    }
}

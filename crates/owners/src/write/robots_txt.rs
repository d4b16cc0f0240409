//! A robots.txt that was built.

use robotsieve::Profile;

/// A robots.txt that was built from intentions; proven.
///
/// [`RobotsTxt::builder`] begins one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RobotsTxt {
    pub(super) text: String,
    pub(super) notes: Vec<String>,
    pub(super) profiles: Vec<Profile>,
}

impl RobotsTxt {
    /// The file: UTF-8, with a line feed at the end of each line. Only comments have other characters than
    /// those of ASCII.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The caveats, in sentences: who does not obey, and what is not proven.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The profiles in which it is proven.
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }
}

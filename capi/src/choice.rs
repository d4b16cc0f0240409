//! Profiles, and what is known of a site.

use robotsieve::{Profile, SiteRules};

use crate::failure::Failure;
use crate::given::wrong;

/// How a robots.txt is read where its readers differ. docs/profiles.md has every difference.
#[expect(non_camel_case_types, reason = "for its name in C")]
#[repr(C)]
pub enum ProfileNumber {
    /// RFC 9309: the standard.
    Rfc9309 = 0,
    /// Google's parser, google/robotstxt, with its deviations.
    Google = 1,
    /// Google's specification from before the RFC.
    GoogleClassic = 2,
    /// The standard of 1994: the first match decides, and `*` is a plain character.
    Original_1994 = 3,
}

/// The profile with a number.
pub fn profile(number: u32) -> Result<Profile, Failure> {
    let profile = match number {
        n if n == ProfileNumber::Rfc9309 as u32 => Profile::RFC9309,
        n if n == ProfileNumber::Google as u32 => Profile::GOOGLE,
        n if n == ProfileNumber::GoogleClassic as u32 => Profile::GOOGLE_CLASSIC,
        n if n == ProfileNumber::Original_1994 as u32 => Profile::ORIGINAL_1994,
        _ => return Err(wrong(format!("there is no profile {number}: they are 0 to 3"))),
    };
    Ok(profile)
}

/// What is known of a site.
#[repr(C)]
pub enum SiteNumber {
    /// Its robots.txt.
    File = 0,
    /// Everything is allowed: it has no robots.txt.
    AllowAll = 1,
    /// Nothing is allowed but `/robots.txt` itself, where the profile allows that: it cannot be
    /// reached, or refuses.
    DisallowAll = 2,
    /// Nothing is known.
    Unknown = 3,
}

/// The rules of a site. Only the first kind has a file.
pub fn site(number: u32, file: &[u8]) -> Result<SiteRules<&[u8]>, Failure> {
    let rules = match number {
        n if n == SiteNumber::File as u32 => return Ok(SiteRules::Rules(file)),
        n if n == SiteNumber::AllowAll as u32 => SiteRules::AllowAll,
        n if n == SiteNumber::DisallowAll as u32 => SiteRules::DisallowAll,
        n if n == SiteNumber::Unknown as u32 => SiteRules::Unknown,
        _ => return Err(wrong(format!("there is no kind {number} of sites: they are 0 to 3"))),
    };
    match file {
        [] => Ok(rules),
        _ => Err(wrong(format!("a site of kind {number} has no file, but one is given"))),
    }
}

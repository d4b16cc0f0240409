//! `--profile`.

use std::sync::LazyLock;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use robotsieve::Profile;

use super::values::list;

/// Computed once, because the definitions of all commands are built at every start.
static LONG_HELP: LazyLock<String> =
    LazyLock::new(|| list("Read robots.txt as this profile does [default: rfc9309]", &values()));

/// `--profile`, with RFC 9309 as the default.
#[derive(Args, Clone, Copy, Debug)]
pub struct ProfileOption {
    /// Read robots.txt as this profile does [default: rfc9309]
    #[arg(long, value_name = "PROFILE", value_parser = parser(), hide_possible_values = true)]
    #[arg(long_help = LONG_HELP.as_str())]
    pub profile: Option<Profile>,
}

impl ProfileOption {
    /// The profile given, or the default.
    pub fn get(self) -> Profile {
        self.profile.unwrap_or_default()
    }

    /// True if none is given: then commands about known crawlers read a file as each one's operator does.
    pub fn by_operators(self) -> bool {
        self.profile.is_none()
    }

    /// The name of [`ProfileOption::get`].
    pub fn name(self) -> &'static str {
        // Only named profiles can be given.
        self.get().name().unwrap_or_default()
    }
}

/// `--profile` any number of times, for commands that judge by several at once.
#[derive(Args, Clone, Debug)]
pub struct ProfilesOption {
    /// Read robots.txt as this profile does [default: rfc9309]
    #[arg(id = "profile", long, value_name = "PROFILE", value_parser = parser())]
    #[arg(hide_possible_values = true, long_help = LONG_HELP.as_str())]
    profiles: Vec<Profile>,
}

impl ProfilesOption {
    /// Returns true if none is given.
    pub fn is_default(&self) -> bool {
        self.profiles.is_empty()
    }

    /// The profiles given, each once, or the default, with their names.
    pub fn get(&self) -> Vec<(&'static str, Profile)> {
        let mut all: Vec<(&'static str, Profile)> = Vec::new();
        for profile in &self.profiles {
            // Only named profiles can be given.
            let name = profile.name().unwrap_or_default();
            if all.iter().all(|(other, _)| *other != name) {
                all.push((name, *profile));
            }
        }
        if all.is_empty() {
            let profile = Profile::default();
            all.push((profile.name().unwrap_or_default(), profile));
        }
        all
    }
}

fn values() -> Vec<PossibleValue> {
    let named = Profile::NAMED.iter();
    named.map(|(name, _)| PossibleValue::new(*name).help(about(name))).collect()
}

fn parser() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(values())
        .try_map(|name| Profile::named(&name).ok_or("no such profile"))
}

/// What the help says about a profile.
fn about(name: &str) -> &'static str {
    match name {
        "rfc9309" => "RFC 9309, the standard, for any crawler today",
        "google" => "google/robotstxt, the parser of Googlebot, exactly",
        "google-classic" => "Google's written specification before RFC 9309",
        "original-1994" => "\"A Standard for Robot Exclusion\" of 1994",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_has_every_profile() {
        for (name, profile) in Profile::NAMED.iter() {
            assert_ne!(about(name), "", "{name}");
            assert_eq!(profile.name(), Some(*name));
        }
    }
}

//! The part of a profile that counts once a policy is made.

use crate::profile::{Profile, TargetForm};
use crate::rules::normalise::Encoding;

/// How a profile turns URLs into targets and judges them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    pub form: TargetForm,
    pub encoding: Encoding,
    pub robots_txt_allowed: bool,
}

impl Reading {
    pub fn of(profile: &Profile) -> Reading {
        Reading {
            form: profile.target_form,
            encoding: Encoding::of_target(profile),
            robots_txt_allowed: profile.robots_txt_allowed,
        }
    }
}

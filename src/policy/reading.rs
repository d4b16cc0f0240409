//! The part of a profile that counts once a policy is made.

use crate::profile::{Profile, TargetForm};
use crate::rules::normalise::Encoding;

/// How a profile turns URLs into targets and judges them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) form: TargetForm,
    pub(crate) encoding: Encoding,
    pub(crate) robots_txt_allowed: bool,
}

impl Reading {
    pub(crate) fn of(profile: &Profile) -> Reading {
        Reading {
            form: profile.target_form,
            encoding: Encoding::of_target(profile),
            robots_txt_allowed: profile.robots_txt_allowed,
        }
    }
}

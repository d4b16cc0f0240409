//! The switches of a [`Profile`] by name, and what each says about a profile that sets it.

use std::fmt;

use crate::profile::{
    ByteOrderMark, ControlCharacters, GroupMatch, OtherRecords, Profile, RulePrecedence, Sides,
    TargetForm, TokenBytes, with_switches,
};

/// Sorts switches by their ranks, each of which is there once.
const fn sorted<const N: usize>(ranked: [(usize, Switch); N]) -> [Switch; N] {
    let mut sorted = [Switch::ByteOrderMark; N];
    let mut at = 0;
    while at < N {
        sorted[ranked[at].0 - 1] = ranked[at].1;
        at += 1;
    }
    sorted
}

/// Makes [`Switch`], one variant for each field of [`Profile`] that can change a verdict.
macro_rules! switches {
    ($($variant:ident $field:ident $rank:literal)*) => {
        /// A switch of a [`Profile`].
        ///
        /// Every field but [`Profile::fetch_rules`], which changes no verdict of a given file.
        ///
        /// ```
        /// use robotsieve::Profile;
        /// use robotsieve::explain::Switch;
        ///
        /// let mut profile = Profile::RFC9309;
        /// Switch::Wildcards.copy(&Profile::ORIGINAL_1994, &mut profile);
        /// assert!(!profile.wildcards && profile.allow_rules);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Switch {
            $(
                #[doc = concat!("[`Profile::", stringify!($field), "`].")]
                $variant,
            )*
        }

        impl Switch {
            /// All switches. Those that rarely matter come first.
            pub const ALL: &'static [Switch] =
                &sorted([$(($rank, Switch::$variant)),*]);

            /// The name of the field of [`Profile`], such as `token_bytes`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Switch::$variant => stringify!($field),)*
                }
            }

            /// Sets this switch of a profile as another profile has it.
            pub fn copy(self, from: &Profile, to: &mut Profile) {
                match self {
                    $(Switch::$variant => to.$field = from.$field,)*
                }
            }
        }
    };
}

with_switches!(switches);

display_as_str!(Switch);

/// A switch that makes a profile's answer differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Cause {
    /// The name of the switch, such as `wildcards`.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_name"))]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    switch: Switch,
    /// Its effect in this profile, such as `'*' and '$' are plain characters there`.
    clause: &'static str,
}

#[cfg(feature = "serde")]
fn as_name<S: serde::Serializer>(switch: &Switch, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(switch.as_str())
}

impl Cause {
    /// What a profile says by its setting of a switch.
    pub(super) fn new(switch: Switch, of: &Profile) -> Cause {
        Cause { switch, clause: clause(switch, of) }
    }

    /// The switch.
    pub fn switch(&self) -> Switch {
        self.switch
    }
}

/// A clause about the profile, such as `'*' and '$' are plain characters there`.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.clause)
    }
}

/// A clause about a profile. It says what this one switch does there, and nothing of what other
/// switches do.
fn clause(switch: Switch, of: &Profile) -> &'static str {
    let either = |is_on, on, off| if is_on { on } else { off };
    match switch {
        Switch::ByteOrderMark => match of.byte_order_mark {
            ByteOrderMark::Keep => "a byte order mark belongs to the first line there",
            ByteOrderMark::Skip => "a byte order mark is skipped there",
            ByteOrderMark::SkipPartial => "even a part of a byte order mark is skipped there",
        },
        Switch::SizeLimit => {
            either(of.size_limit.is_none(), "files have no size limit there", SIZE_LIMIT)
        }
        Switch::LineLimit => either(of.line_limit.is_none(), "lines have no limit there", LINES),
        Switch::ControlCharacters => match of.control_characters {
            ControlCharacters::Ordinary => "control characters are ordinary bytes there",
            ControlCharacters::NulEndsLine => "a NUL ends the text of its line there",
            ControlCharacters::InvalidateRecord => {
                "a control character makes a record invalid there"
            }
        },
        Switch::TargetForm => match of.target_form {
            TargetForm::Strict => "a URL is scheme://host/path or begins with '/' there",
            TargetForm::Google => "anything counts as a URL there, and its path is found otherwise",
        },
        Switch::RobotsTxtAllowed => either(
            of.robots_txt_allowed,
            "/robots.txt itself is exempt from the rules there",
            "/robots.txt itself is not exempt from the rules there",
        ),
        Switch::IndexHtmIsDirectory => either(
            of.index_htm_is_directory,
            "an Allow for …/index.htm also allows its directory there",
            "an Allow for …/index.htm does not allow its directory there",
        ),
        Switch::FieldPrefixes => either(
            of.field_prefixes,
            "a name that begins with a known field counts as that field there",
            "a name must be that of a field, and no more, there",
        ),
        Switch::MisspeltFields => either(
            of.misspelt_fields,
            "some misspelt field names are understood there",
            "misspelt field names are not understood there",
        ),
        Switch::AsciiWhiteSpace => either(
            of.ascii_white_space,
            "vertical tabs and form feeds count as white space there",
            "only spaces and tabs count as white space there",
        ),
        Switch::MissingColon => either(
            of.missing_colon,
            "a line of two words needs no colon there",
            "a record needs a colon there",
        ),
        Switch::SitemapEndsAgents => either(
            of.sitemap_ends_agents,
            "a user-agent line after a sitemap starts a new group there",
            "a sitemap between user-agent lines starts no new group there",
        ),
        Switch::TrailingStarsDropped => either(
            of.trailing_stars_dropped,
            "stars at the end of a rule are ignored there",
            "stars at the end of a rule count there",
        ),
        Switch::LeadingSlashAssumed => either(
            of.leading_slash_assumed,
            "a rule without a leading '/' gets one there",
            "a rule without a leading '/' gets none there",
        ),
        Switch::HighBytesEncoded => match of.high_bytes_encoded {
            Sides::Neither => "bytes that are not ASCII are compared as they are there",
            Sides::Rule => "bytes that are not ASCII are escaped in rules but not in URLs there",
            Sides::Both => "bytes that are not ASCII are escaped there",
        },
        Switch::ForbiddenBytesEncoded => either(
            of.forbidden_bytes_encoded,
            "characters that no URL may contain are escaped there",
            "characters that no URL may contain are compared as they are there",
        ),
        Switch::HexUpperCase => match of.hex_upper_case {
            Sides::Neither => "the case of the digits in %XX matters there",
            Sides::Rule => "the digits in %XX become upper case in rules but not in URLs there",
            Sides::Both => "the case of the digits in %XX does not matter there",
        },
        Switch::UnreservedDecoded => either(
            of.unreserved_decoded,
            "%XX of a letter, a digit, '-', '.', '_' or '~' is decoded there",
            "%XX of a letter, a digit, '-', '.', '_' or '~' is not decoded there",
        ),
        Switch::SpecialBytesEncoded => either(
            of.special_bytes_encoded,
            "a literal '*' or '$' counts as %2A or %24 there",
            "a literal '*' or '$' does not count as %2A or %24 there",
        ),
        Switch::StrayPercentEncoded => either(
            of.stray_percent_encoded,
            "a '%' that begins no %XX counts as %25 there",
            "a '%' that begins no %XX does not count as %25 there",
        ),
        Switch::StarThenSpace => either(
            of.star_then_space,
            "a user-agent of '*', white space and more counts as '*' there",
            "a user-agent of '*', white space and more does not count as '*' there",
        ),
        Switch::OtherRecords => match of.other_records {
            OtherRecords::EndNothing => "only a rule ends a list of user-agent lines there",
            OtherRecords::DelaysEndAgents => "a crawl delay ends a list of user-agent lines there",
            OtherRecords::AllEndAgents => "any record ends a list of user-agent lines there",
        },
        Switch::RulesBeforeAgents => either(
            of.rules_before_agents,
            "rules before all user-agent lines are for everybody there",
            "rules before all user-agent lines are ignored there",
        ),
        Switch::EmptyTokenNamesEmpty => either(
            of.empty_token_names_empty,
            "an empty product token names the crawler whose name is empty there",
            "an empty product token names nobody there",
        ),
        Switch::TokenBytes => match of.token_bytes {
            TokenBytes::LettersDigits => "a product token may contain digits and dots there",
            TokenBytes::Letters => "a product token ends before a digit or a dot there",
            TokenBytes::UpToSlash => "everything before the first '/' is the product token there",
        },
        Switch::MergeNames => either(
            of.merge_names,
            "the groups for all of a crawler's names are combined there",
            "the first of a crawler's names that has a group decides there",
        ),
        Switch::MergeGroups => either(
            of.merge_groups,
            "all groups for a crawler are combined there",
            "only the first of several groups for a crawler counts there",
        ),
        Switch::BlankLineEndsGroup => either(
            of.blank_line_ends_group,
            "a blank line ends a group there",
            "a blank line does not end a group there",
        ),
        Switch::GroupMatch => match of.group_match {
            GroupMatch::Equal => "a product token must equal the crawler's name there",
            GroupMatch::LongestPrefix => "a product token need only begin the crawler's name there",
            GroupMatch::FirstSubstring => {
                "a product token need only occur in the crawler's name there, and the first one \
                 counts"
            }
        },
        Switch::Wildcards => either(
            of.wildcards,
            "'*' and '$' are wildcards there",
            "'*' and '$' are plain characters there",
        ),
        Switch::AllowRules => {
            either(of.allow_rules, "Allow lines are rules there", "Allow lines are ignored there")
        }
        Switch::RulePrecedence => match of.rule_precedence {
            RulePrecedence::Longest => "the longest rule that matches decides there",
            RulePrecedence::AnyDisallow => "any matching Disallow decides there",
        },
    }
}

const SIZE_LIMIT: &str = "files have another size limit there";
const LINES: &str = "only the beginning of a long line is read there";

#[cfg(test)]
mod tests {
    use super::*;

    /// No switch is forgotten: together they make any profile of any other.
    #[test]
    fn all_switches_make_the_profile() {
        for (name, profile) in Profile::NAMED {
            // Whose rules a fetch follows changes no verdict.
            let mut made = Profile { fetch_rules: profile.fetch_rules, ..Profile::RFC9309 };
            Switch::ALL.iter().for_each(|switch| switch.copy(profile, &mut made));
            assert_eq!(made, *profile, "{name}");
        }
    }

    /// No two settings of a switch have the same clause.
    #[test]
    fn clauses_differ() {
        for switch in Switch::ALL {
            for (_, one) in Profile::NAMED {
                for (_, other) in Profile::NAMED {
                    let mut changed = *one;
                    switch.copy(other, &mut changed);
                    let same = Cause::new(*switch, one) == Cause::new(*switch, other);
                    assert_eq!(changed == *one, same, "{switch}");
                }
            }
        }
    }
}

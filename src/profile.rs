//! The readings of robots.txt as plain values: a [`Profile`] is a set of switches.
//!
//! Every switch names the source that asks for it. *(reading)* marks a point on which the sources
//! are silent or contradict each other: there the decision is this project's.

use std::fmt;
use std::str::FromStr;

/// The bytes at the start of a file that are skipped as a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum ByteOrderMark {
    /// None: `EF BB BF` belongs to the first line. (1994 standard.)
    Keep,
    /// A whole UTF-8 byte order mark. (RFC 9309; Google's specification.)
    Skip,
    /// A UTF-8 byte order mark or its beginning: `EF` or `EF BB` alone is skipped too.
    /// (google/robotstxt, `RobotsTxtParser::Parse`.)
    SkipPartial,
}

/// The effect of a control character on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum ControlCharacters {
    /// Nothing: it is a byte like any other. (RFC 9309, 1994 standard.)
    Ordinary,
    /// A NUL ends the line's text; the others do nothing. (google/robotstxt works on C strings.)
    NulEndsLine,
    /// It makes the record invalid, so the line is ignored. Tabs and control characters in
    /// comments do nothing *(reading)*.
    /// (Google's specification: `valuechar = <any UTF-8 character except ("#" CTL)>`.)
    InvalidateRecord,
}

/// The records that end a run of user-agent lines although they are no rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum OtherRecords {
    /// None. (RFC 9309 §2.2.4: other records "MUST NOT" interfere with the parsing of groups;
    /// google/robotstxt.)
    EndNothing,
    /// `Crawl-delay`, `Request-rate` and `Visit-time`. (urllib.robotparser of CPython and heritrix3, of
    /// which each ends the run at those of these three that it knows.)
    DelaysEndAgents,
    /// Any record: these, sitemaps and unknown fields. (Protego, robots-parser.)
    AllEndAgents,
}

/// The bytes of a `User-agent` value that are the line's product token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum TokenBytes {
    /// The leading run of letters, digits, `-`, `_` and `.` *(reading: the grammar of RFC 9309
    /// §2.2.1 has only letters, `-` and `_`, but MJ12bot exists)*.
    LettersDigits,
    /// The leading run of letters, `-` and `_`. (google/robotstxt, `ExtractUserAgent`.)
    Letters,
    /// Everything up to the first `/`, white space around it dropped. (1994 standard: a name
    /// "without version information".)
    UpToSlash,
}

/// The groups that a crawler's name finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum GroupMatch {
    /// Those whose token equals the name, ASCII case ignored. (RFC 9309 §2.2.1;
    /// google/robotstxt.)
    Equal,
    /// Those with the longest token that the name begins with, ASCII case ignored:
    /// `Googlebot-News` finds `Googlebot`. (Google's specification: "the most specific user agent
    /// that still matches".)
    LongestPrefix,
    /// The first one whose token occurs anywhere in the name up to its first `/`, ASCII case
    /// ignored. (1994 standard.)
    FirstSubstring,
}

/// The rule that decides, of several that match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum RulePrecedence {
    /// The one whose normalised pattern has the most bytes; of equal ones, allow.
    /// (RFC 9309 §2.2.2; google/robotstxt.)
    Longest,
    /// Any disallow rule. (1994 standard.)
    AnyDisallow,
}

/// On which side of the comparison a kind of byte is normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Sides {
    /// Neither the rule's pattern nor the target.
    Neither,
    /// The rule's pattern only.
    Rule,
    /// Both.
    Both,
}

/// The way in which the target is found in a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum TargetForm {
    /// The URL must be `scheme://authority…` or a path that begins with `/`; anything else is
    /// [invalid](crate::InvalidUrl).
    Strict,
    /// As in google/robotstxt's `GetPathParamsQuery`: any bytes have a target, and a NUL ends it.
    Google,
}

/// The rules that say what a fetch of a robots.txt means: what each status and failure leads to, and
/// how long an answer is used.
///
/// Parsing and deciding ignore it; `robotsieve-client` reads it when it fetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum FetchRules {
    /// RFC 9309 §2.3.1 and §2.4. The 1994 standard says nothing about fetching, so its
    /// profile uses these too.
    Rfc9309,
    /// What Google's crawlers do today.
    Google,
    /// Google's specification from before RFC 9309.
    GoogleClassic,
}

/// Makes [`Profile`] of one table: its fields, the values that the named profiles have, and
/// setters;
/// and `with_switches`, which passes on the fields that can change a verdict.
macro_rules! profile {
    (
        switches {
            $(
                $(#[$doc:meta])*
                $variant:ident $rank:literal, $setter:ident $field:ident: $type:ty =
                    [$rfc9309:expr, $google:expr, $google_classic:expr, $original_1994:expr];
            )*
        }
        besides {
            $(
                $(#[$other_doc:meta])*
                $other_setter:ident $other:ident: $other_type:ty = [
                    $other_rfc9309:expr, $other_google:expr, $other_google_classic:expr,
                    $other_original_1994:expr
                ];
            )*
        }
    ) => {
        /// A reading of robots.txt: one switch for each point on which the sources differ.
        ///
        /// Pick the profile of the crawler you want to predict: [`Profile::RFC9309`] for any
        /// crawler today, [`Profile::GOOGLE`] for Googlebot to the verdict.
        /// [`Profile::GOOGLE_CLASSIC`] and [`Profile::ORIGINAL_1994`] are for older documents and
        /// archives. Or start from one of them and change a switch:
        ///
        /// ```
        /// use robotsieve::{Crawler, Profile, Robots};
        ///
        /// let profile = Profile::RFC9309.with_unreserved_decoded(false);
        /// let file = b"User-agent: *\nDisallow: /private";
        /// let policy = |profile| Robots::parse(file, profile).policy(&Crawler::name("bot"));
        /// // RFC 9309 compares `%70` as the `p` that it stands for.
        /// assert_eq!(policy(&Profile::RFC9309).is_allowed("/%70rivate"), Ok(false));
        /// assert_eq!(policy(&profile).is_allowed("/%70rivate"), Ok(true));
        /// ```
        ///
        /// A profile is a plain value, and equal profiles decide alike. It is `#[non_exhaustive]`,
        /// so that a point nobody has thought of can become a switch without a new major version.
        /// The price is that other crates cannot write `Profile { wildcards: false,
        /// ..Profile::RFC9309 }`; they set fields, as above.
        ///
        /// With the feature `serde` a profile is a map from switches to values, which are written
        /// in kebab case (`"longest-prefix"`). A switch that is missing when a profile is read has
        /// the value of [`Profile::RFC9309`]; an unknown one is an error, because it would change
        /// verdicts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Serialize, serde::Deserialize),
            serde(default, deny_unknown_fields)
        )]
        #[non_exhaustive]
        pub struct Profile {
            $($(#[$doc])* pub $field: $type,)*
            $($(#[$other_doc])* pub $other: $other_type,)*
        }

        impl Profile {
            /// RFC 9309, for any crawler today. The default.
            pub const RFC9309: Profile =
                Profile { $($field: $rfc9309,)* $($other: $other_rfc9309,)* };

            /// google/robotstxt, the open-source C++ parser, verdict for verdict and quirks
            /// included: to predict Googlebot.
            pub const GOOGLE: Profile =
                Profile { $($field: $google,)* $($other: $other_google,)* };

            /// Google's written specification from before RFC 9309.
            pub const GOOGLE_CLASSIC: Profile =
                Profile { $($field: $google_classic,)* $($other: $other_google_classic,)* };

            /// "A Standard for Robot Exclusion" (M. Koster, 1994), for old archives and old robots.
            pub const ORIGINAL_1994: Profile =
                Profile { $($field: $original_1994,)* $($other: $other_original_1994,)* };
        }

        /// The setters.
        impl Profile {
            $(
                #[doc = concat!("The same with another [`Profile::", stringify!($field), "`].")]
                #[must_use]
                pub const fn $setter(mut self, $field: $type) -> Profile {
                    self.$field = $field;
                    self
                }
            )*
            $(
                #[doc = concat!("The same with another [`Profile::", stringify!($other), "`].")]
                #[must_use]
                pub const fn $other_setter(mut self, $other: $other_type) -> Profile {
                    self.$other = $other;
                    self
                }
            )*
        }

        /// Passes on each switch: its name as a variant, the field, and its rank. Switches of low
        /// rank rarely matter.
        macro_rules! with_switches {
            ($then:ident) => {
                $then! { $($variant $field $rank)* }
            };
        }
        pub(crate) use with_switches;
    };
}

profile! {
    switches {
        /// The byte order mark that is skipped at the start of the file.
        ByteOrderMark 1, with_byte_order_mark byte_order_mark: ByteOrderMark = [
            ByteOrderMark::Skip,
            ByteOrderMark::SkipPartial,
            ByteOrderMark::Skip,
            ByteOrderMark::Keep
        ];
        /// `true`: a name that merely begins with a known field counts as that field (`Allowed: /x`
        /// allows). google/robotstxt, `ParsedRobotsKey`.
        FieldPrefixes 8, with_field_prefixes field_prefixes: bool = [false, true, false, false];
        /// `true`: the misspelt fields `useragent`, `user agent`, `dissallow`, `dissalow`, `disalow`,
        /// `diasllow`, `disallaw` and `site-map` are understood. google/robotstxt,
        /// `kAllowFrequentTypos`.
        MisspeltFields 9, with_misspelt_fields misspelt_fields: bool = [false, true, false, false];
        /// `true`: all ASCII white space, vertical tab and form feed included, is dropped around
        /// lines, names and values; `false`: only spaces and tabs. google/robotstxt,
        /// `StripWhitespaceSlowly`; RFC 9309 §2.2 `WS`.
        AsciiWhiteSpace 10, with_ascii_white_space ascii_white_space: bool =
            [false, true, false, false];
        /// `true`: a line of exactly two words needs no colon between name and value.
        /// google/robotstxt, `GetKeyAndValueFrom`.
        MissingColon 11, with_missing_colon missing_colon: bool = [false, true, false, false];
        /// The effect of control characters on their line.
        ControlCharacters 4, with_control_characters control_characters: ControlCharacters = [
            ControlCharacters::Ordinary,
            ControlCharacters::NulEndsLine,
            ControlCharacters::InvalidateRecord,
            ControlCharacters::Ordinary
        ];
        /// The bytes of a file that are read, cut back to the last whole line; `None`: all, up to
        /// 4 GiB. RFC 9309 §2.5 demands at least 500 KiB, so a value below
        /// [`Profile::MIN_SIZE_LIMIT`] counts as that.
        SizeLimit 2, with_size_limit size_limit: Option<usize> =
            [Some(Profile::MIN_SIZE_LIMIT), None, Some(Profile::MIN_SIZE_LIMIT), None];
        /// The bytes of a line that are read; `None`: all. google/robotstxt: 16,663.
        LineLimit 3, with_line_limit line_limit: Option<usize> = [None, Some(16_663), None, None];
        /// `true`: a blank line ends the group. A line with only a comment is not blank: it does not
        /// exist. 1994 standard, "The Format".
        BlankLineEndsGroup 26, with_blank_line_ends_group blank_line_ends_group: bool =
            [false, false, false, true];
        /// `true`: a user-agent line after a sitemap record starts a new group even if no rule came
        /// between, so the previous group has no rules. Google's specification: `startgroupline`s
        /// follow each other directly.
        SitemapEndsAgents 12, with_sitemap_ends_agents sitemap_ends_agents: bool =
            [false, false, true, false];
        /// The records that are no rules and end a run of user-agent lines: a user-agent line after one
        /// starts a new group, so the previous group has no rules. For those who come from a reader
        /// that does so.
        OtherRecords 31, with_other_records other_records: OtherRecords = [
            OtherRecords::EndNothing,
            OtherRecords::EndNothing,
            OtherRecords::EndNothing,
            OtherRecords::EndNothing
        ];
        /// `true`: rules before any user-agent line are for everybody, as are crawl delays there, and
        /// belong to the `*` groups; `false`: they are ignored. For those who come from reppy, rep-cpp
        /// or texting_robots.
        RulesBeforeAgents 32, with_rules_before_agents rules_before_agents: bool =
            [false, false, false, false];
        /// The bytes of a `User-agent` value that are the token.
        TokenBytes 23, with_token_bytes token_bytes: TokenBytes = [
            TokenBytes::LettersDigits,
            TokenBytes::Letters,
            TokenBytes::LettersDigits,
            TokenBytes::UpToSlash
        ];
        /// The groups that a crawler's name finds.
        GroupMatch 27, with_group_match group_match: GroupMatch = [
            GroupMatch::Equal,
            GroupMatch::Equal,
            GroupMatch::LongestPrefix,
            GroupMatch::FirstSubstring
        ];
        /// `true`: several groups with the same token are merged; `false`: only the first counts.
        /// RFC 9309 §2.2.1: "MUST be combined"; 1994 standard: one `*` record only.
        MergeGroups 25, with_merge_groups merge_groups: bool = [true, true, true, false];
        /// `true`: the groups of all names of a crawler are merged; `false`: the first name that has
        /// a group decides. google/robotstxt, `AllowedByRobots` with several agents.
        MergeNames 24, with_merge_names merge_names: bool = [false, true, false, false];
        /// `true`: a user-agent line with an empty token names the crawler whose name is empty;
        /// `false`: it names nobody. google/robotstxt, `EqualsIgnoreCase("", "")`.
        EmptyTokenNamesEmpty 22, with_empty_token_names_empty empty_token_names_empty: bool =
            [false, true, false, false];
        /// `true`: a user-agent value of `*` followed by white space and more counts as `*`;
        /// `false`: only `*` alone does. google/robotstxt, `HandleUserAgent`.
        StarThenSpace 21, with_star_then_space star_then_space: bool = [false, true, false, false];
        /// `true`: `Allow` is a rule; `false`: it is an unknown field. 1994 standard.
        AllowRules 29, with_allow_rules allow_rules: bool = [true, true, true, false];
        /// `true`: `*` matches any run of bytes and a final `$` the end of the target; `false`: both
        /// are ordinary bytes. RFC 9309 §2.2.3; 1994 standard.
        Wildcards 28, with_wildcards wildcards: bool = [true, true, true, false];
        /// `true`: trailing stars are dropped first, so they do not count for precedence and a `$`
        /// before them is an ordinary byte. Google's specification: "The trailing wildcard is
        /// ignored".
        TrailingStarsDropped 13, with_trailing_stars_dropped trailing_stars_dropped: bool =
            [false, false, true, false];
        /// `true`: a value without a leading `/` gets one (`fish/` is `/fish/`). Google's
        /// specification.
        LeadingSlashAssumed 14, with_leading_slash_assumed leading_slash_assumed: bool =
            [false, false, true, false];
        /// The rule that decides, of several that match.
        RulePrecedence 30, with_rule_precedence rule_precedence: RulePrecedence = [
            RulePrecedence::Longest,
            RulePrecedence::Longest,
            RulePrecedence::Longest,
            RulePrecedence::AnyDisallow
        ];
        /// `true`: `/robots.txt` itself, without a query, is always allowed. RFC 9309 §2.2.2.
        RobotsTxtAllowed 6, with_robots_txt_allowed robots_txt_allowed: bool =
            [true, false, false, false];
        /// `true`: `Allow: …/index.htm…` also allows the directory `…/`, with the pattern `…/$`.
        /// google/robotstxt, `HandleAllow`.
        IndexHtmIsDirectory 7, with_index_htm_is_directory index_htm_is_directory: bool =
            [false, true, false, false];
        /// The way in which the target is found in a URL.
        TargetForm 5, with_target_form target_form: TargetForm =
            [TargetForm::Strict, TargetForm::Google, TargetForm::Strict, TargetForm::Strict];
        /// Bytes ≥ 0x80 become `%XX` on these sides. RFC 9309 §2.2.2; google/robotstxt
        /// escapes rules only.
        HighBytesEncoded 15, with_high_bytes_encoded high_bytes_encoded: Sides =
            [Sides::Both, Sides::Rule, Sides::Both, Sides::Neither];
        /// `true`: ASCII bytes that RFC 3986 allows nowhere in a URI (control characters, space,
        /// `"`, `<`, `>`, `\`, `^`, `{`, `|`, `}` and the backtick) become `%XX` on both sides
        /// *(reading)*.
        ForbiddenBytesEncoded 16, with_forbidden_bytes_encoded forbidden_bytes_encoded: bool =
            [true, false, false, false];
        /// The hex digits of `%xx` become upper case on these sides. On both, so does the one digit after a
        /// `%` that stays plain. RFC 3986 §6.2.2.1.
        HexUpperCase 17, with_hex_upper_case hex_upper_case: Sides =
            [Sides::Both, Sides::Rule, Sides::Both, Sides::Neither];
        /// `true`: `%XX` of an unreserved character (letters, digits, `-` `.` `_` `~`) is
        /// decoded on both sides. RFC 9309 §2.2.2, RFC 3986 §6.2.2.2.
        UnreservedDecoded 18, with_unreserved_decoded unreserved_decoded: bool =
            [true, false, false, false];
        /// `true`: a target's `*` and `$` become `%2A` and `%24`, and so does a rule's `$` that is no
        /// end anchor. A rule matches a literal star by writing `%2A`. RFC 9309 §2.2.3.
        SpecialBytesEncoded 19, with_special_bytes_encoded special_bytes_encoded: bool =
            [true, false, false, false];
        /// `true`: a `%` without two hex digits after it becomes `%25` on both sides. Otherwise it is
        /// plain, so a rule that ends in `%` or in `%` and a digit also matches escapes. RFC 9309 §2.2.2
        /// encodes bytes outside ASCII and reserved characters, and `%` is neither.
        StrayPercentEncoded 20, with_stray_percent_encoded stray_percent_encoded: bool =
            [false, false, false, false];
    }
    besides {
        /// The rules that say what a fetch means. They change no verdict of a given file.
        with_fetch_rules fetch_rules: FetchRules = [
            FetchRules::Rfc9309,
            FetchRules::Google,
            FetchRules::GoogleClassic,
            FetchRules::Rfc9309
        ];
    }
}

impl Profile {
    /// The smallest size limit that RFC 9309 §2.5 permits, in bytes: 500 KiB.
    pub const MIN_SIZE_LIMIT: usize = 512_000;

    /// The named profiles with their names, the default first. More may follow.
    pub const NAMED: &'static [(&'static str, Profile)] = &[
        ("rfc9309", Profile::RFC9309),
        ("google", Profile::GOOGLE),
        ("google-classic", Profile::GOOGLE_CLASSIC),
        ("original-1994", Profile::ORIGINAL_1994),
    ];

    /// The profile with this name: `rfc9309`, `google`, `google-classic` or `original-1994`.
    /// `None` for anything else; the names have no capitals.
    ///
    /// ```
    /// use robotsieve::Profile;
    /// assert_eq!(Profile::named("google"), Some(Profile::GOOGLE));
    /// assert_eq!(Profile::named("Google"), None);
    /// ```
    pub fn named(name: &str) -> Option<Profile> {
        let named = Profile::NAMED.iter().find(|(n, _)| *n == name);
        named.map(|(_, profile)| *profile)
    }

    /// The name of this profile, `None` if it is not one of [`Profile::NAMED`].
    ///
    /// ```
    /// use robotsieve::Profile;
    /// let mut profile = Profile::GOOGLE;
    /// assert_eq!(profile.name(), Some("google"));
    /// profile.wildcards = false;
    /// assert_eq!(profile.name(), None);
    /// ```
    pub fn name(&self) -> Option<&'static str> {
        let named = Profile::NAMED.iter().find(|(_, profile)| profile == self);
        named.map(|(name, _)| *name)
    }
}

impl Default for Profile {
    /// [`Profile::RFC9309`].
    fn default() -> Profile {
        Profile::RFC9309
    }
}

/// The error for a name that no profile of [`Profile::NAMED`] has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnknownProfile(());

impl fmt::Display for UnknownProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Profile::NAMED.iter().map(|(name, _)| *name).collect();
        write!(f, "no profile has this name; there are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownProfile {}

/// By name, as [`Profile::named`].
impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Profile, UnknownProfile> {
        Profile::named(name).ok_or(UnknownProfile(()))
    }
}

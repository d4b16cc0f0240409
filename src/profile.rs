//! The readings of robots.txt as plain values: a [`Profile`] is a set of switches.
//!
//! Every switch names the source that asks for it. *(reading)* marks a point on which the sources
//! are silent or contradict each other: there the decision is this project's.

/// Which bytes at the start of a file are skipped as a byte order mark.
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

/// What a control character does to its line.
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

/// Which bytes of a `User-agent` value are the line's product token.
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

/// Which groups a crawler's name finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
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

/// Which of several rules that match decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
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

/// How the target is found in a URL.
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

/// Whose rules say what a fetch of a robots.txt means: what each status and failure leads to, and
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

/// A reading of robots.txt: one switch for each point on which the sources differ.
///
/// Pick the profile of the crawler you want to predict: [`Profile::RFC9309`] for any crawler
/// today, [`Profile::GOOGLE`] for Googlebot to the verdict. [`Profile::GOOGLE_CLASSIC`] and
/// [`Profile::ORIGINAL_1994`] are for older documents and archives. Or start from one of them and
/// change a switch:
///
/// ```
/// use robotsieve::{Crawler, Profile, Robots};
///
/// let mut profile = Profile::RFC9309;
/// profile.unreserved_decoded = false;
/// let file = b"User-agent: *\nDisallow: /private";
/// let policy = |profile| Robots::parse(file, profile).policy(&Crawler::name("bot"));
/// // RFC 9309 compares `%70` as the `p` that it stands for.
/// assert_eq!(policy(&Profile::RFC9309).is_allowed("/%70rivate"), Ok(false));
/// assert_eq!(policy(&profile).is_allowed("/%70rivate"), Ok(true));
/// ```
///
/// A profile is a plain value, and equal profiles decide alike. It is `#[non_exhaustive]`, so that
/// a point nobody has thought of can become a switch without a new major version. The price is
/// that other crates cannot write `Profile { wildcards: false, ..Profile::RFC9309 }`; they assign
/// fields, as above.
///
/// With the feature `serde` a profile is a map from switches to values, which are written in
/// kebab case (`"longest-prefix"`). A switch that is missing when a profile is read has the value
/// of [`Profile::RFC9309`]; an unknown one is an error, because it would change verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Profile {
    /// Which byte order mark at the start of the file is skipped.
    pub byte_order_mark: ByteOrderMark,
    /// `true`: a name that merely begins with a known field counts as that field (`Allowed: /x`
    /// allows). google/robotstxt, `ParsedRobotsKey`.
    pub field_prefixes: bool,
    /// `true`: the misspelt fields `useragent`, `user agent`, `dissallow`, `dissalow`, `disalow`,
    /// `diasllow`, `disallaw` and `site-map` are understood. google/robotstxt,
    /// `kAllowFrequentTypos`.
    pub misspelt_fields: bool,
    /// `true`: all ASCII white space, vertical tab and form feed included, is dropped around
    /// lines, names and values; `false`: only spaces and tabs. google/robotstxt,
    /// `StripWhitespaceSlowly`; RFC 9309 §2.2 `WS`.
    pub ascii_white_space: bool,
    /// `true`: a line of exactly two words needs no colon between name and value.
    /// google/robotstxt, `GetKeyAndValueFrom`.
    pub missing_colon: bool,
    /// What control characters do to their line.
    pub control_characters: ControlCharacters,
    /// How many bytes of a file are read, cut back to the last whole line; `None`: all, up to
    /// 4 GiB. RFC 9309 §2.5 demands at least 500 KiB, so a value below
    /// [`Profile::MIN_SIZE_LIMIT`] counts as that.
    pub size_limit: Option<usize>,
    /// How many bytes of a line are read; `None`: all. google/robotstxt: 16,663.
    pub line_limit: Option<usize>,

    /// `true`: a blank line ends the group. A line with only a comment is not blank: it does not
    /// exist. 1994 standard, "The Format".
    pub blank_line_ends_group: bool,
    /// `true`: a user-agent line after a sitemap record starts a new group even if no rule came
    /// between, so the previous group has no rules. Google's specification: `startgroupline`s
    /// follow each other directly.
    pub sitemap_ends_agents: bool,
    /// Which bytes of a `User-agent` value are the token.
    pub token_bytes: TokenBytes,
    /// Which groups a crawler's name finds.
    pub group_match: GroupMatch,
    /// `true`: several groups with the same token are merged; `false`: only the first counts.
    /// RFC 9309 §2.2.1: "MUST be combined"; 1994 standard: one `*` record only.
    pub merge_groups: bool,
    /// `true`: the groups of all names of a crawler are merged; `false`: the first name that has
    /// a group decides. google/robotstxt, `AllowedByRobots` with several agents.
    pub merge_names: bool,
    /// `true`: a user-agent line with an empty token names the crawler whose name is empty;
    /// `false`: it names nobody. google/robotstxt, `EqualsIgnoreCase("", "")`.
    pub empty_token_names_empty: bool,
    /// `true`: a user-agent value of `*` followed by white space and more counts as `*`;
    /// `false`: only `*` alone does. google/robotstxt, `HandleUserAgent`.
    pub star_then_space: bool,

    /// `true`: `Allow` is a rule; `false`: it is an unknown field. 1994 standard.
    pub allow_rules: bool,
    /// `true`: `*` matches any run of bytes and a final `$` the end of the target; `false`: both
    /// are ordinary bytes. RFC 9309 §2.2.3; 1994 standard.
    pub wildcards: bool,
    /// `true`: trailing stars are dropped first, so they do not count for precedence and a `$`
    /// before them is an ordinary byte. Google's specification: "The trailing wildcard is
    /// ignored".
    pub trailing_stars_dropped: bool,
    /// `true`: a value without a leading `/` gets one (`fish/` is `/fish/`). Google's
    /// specification.
    pub leading_slash_assumed: bool,
    /// Which of several rules that match decides.
    pub rule_precedence: RulePrecedence,
    /// `true`: `/robots.txt` itself, without a query, is always allowed. RFC 9309 §2.2.2.
    pub robots_txt_allowed: bool,
    /// `true`: `Allow: …/index.htm…` also allows the directory `…/`, with the pattern `…/$`.
    /// google/robotstxt, `HandleAllow`.
    pub index_htm_is_directory: bool,

    /// How the target is found in a URL.
    pub target_form: TargetForm,
    /// Bytes ≥ 0x80 become `%XX` on these sides. RFC 9309 §2.2.2; google/robotstxt
    /// escapes rules only.
    pub high_bytes_encoded: Sides,
    /// `true`: ASCII bytes that RFC 3986 allows nowhere in a URI (control characters, space,
    /// `"`, `<`, `>`, `\`, `^`, `{`, `|`, `}` and the backtick) become `%XX` on both sides
    /// *(reading)*.
    pub forbidden_bytes_encoded: bool,
    /// The hex digits of `%xx` become upper case on these sides. RFC 3986 §6.2.2.1.
    pub hex_upper_case: Sides,
    /// `true`: `%XX` of an unreserved character (letters, digits, `-` `.` `_` `~`) is
    /// decoded on both sides. RFC 9309 §2.2.2, RFC 3986 §6.2.2.2.
    pub unreserved_decoded: bool,
    /// `true`: a target's `*` and `$` become `%2A` and `%24`, and so does a rule's `$` that is no
    /// end anchor. A rule matches a literal star by writing `%2A`. RFC 9309 §2.2.3.
    pub special_bytes_encoded: bool,
    /// `true`: a `%` without two hex digits after it becomes `%25` on both sides *(reading)*.
    pub stray_percent_encoded: bool,

    /// Whose rules say what a fetch means. They change no verdict of a given file.
    pub fetch_rules: FetchRules,
}

impl Profile {
    /// The smallest size limit that RFC 9309 §2.5 permits, in bytes: 500 KiB.
    pub const MIN_SIZE_LIMIT: usize = 512_000;

    /// RFC 9309, for any crawler today. The default.
    pub const RFC9309: Profile = Profile {
        byte_order_mark: ByteOrderMark::Skip,
        field_prefixes: false,
        misspelt_fields: false,
        ascii_white_space: false,
        missing_colon: false,
        control_characters: ControlCharacters::Ordinary,
        size_limit: Some(Profile::MIN_SIZE_LIMIT),
        line_limit: None,
        blank_line_ends_group: false,
        sitemap_ends_agents: false,
        token_bytes: TokenBytes::LettersDigits,
        group_match: GroupMatch::Equal,
        merge_groups: true,
        merge_names: false,
        empty_token_names_empty: false,
        star_then_space: false,
        allow_rules: true,
        wildcards: true,
        trailing_stars_dropped: false,
        leading_slash_assumed: false,
        rule_precedence: RulePrecedence::Longest,
        robots_txt_allowed: true,
        index_htm_is_directory: false,
        target_form: TargetForm::Strict,
        high_bytes_encoded: Sides::Both,
        forbidden_bytes_encoded: true,
        hex_upper_case: Sides::Both,
        unreserved_decoded: true,
        special_bytes_encoded: true,
        stray_percent_encoded: true,
        fetch_rules: FetchRules::Rfc9309,
    };

    /// google/robotstxt, the open-source C++ parser, verdict for verdict and quirks included: to
    /// predict Googlebot.
    pub const GOOGLE: Profile = Profile {
        byte_order_mark: ByteOrderMark::SkipPartial,
        field_prefixes: true,
        misspelt_fields: true,
        ascii_white_space: true,
        missing_colon: true,
        control_characters: ControlCharacters::NulEndsLine,
        size_limit: None,
        line_limit: Some(16_663),
        blank_line_ends_group: false,
        sitemap_ends_agents: false,
        token_bytes: TokenBytes::Letters,
        group_match: GroupMatch::Equal,
        merge_groups: true,
        merge_names: true,
        empty_token_names_empty: true,
        star_then_space: true,
        allow_rules: true,
        wildcards: true,
        trailing_stars_dropped: false,
        leading_slash_assumed: false,
        rule_precedence: RulePrecedence::Longest,
        robots_txt_allowed: false,
        index_htm_is_directory: true,
        target_form: TargetForm::Google,
        high_bytes_encoded: Sides::Rule,
        forbidden_bytes_encoded: false,
        hex_upper_case: Sides::Rule,
        unreserved_decoded: false,
        special_bytes_encoded: false,
        stray_percent_encoded: false,
        fetch_rules: FetchRules::Google,
    };

    /// Google's written specification from before RFC 9309.
    pub const GOOGLE_CLASSIC: Profile = Profile {
        byte_order_mark: ByteOrderMark::Skip,
        field_prefixes: false,
        misspelt_fields: false,
        ascii_white_space: false,
        missing_colon: false,
        control_characters: ControlCharacters::InvalidateRecord,
        size_limit: Some(Profile::MIN_SIZE_LIMIT),
        line_limit: None,
        blank_line_ends_group: false,
        sitemap_ends_agents: true,
        token_bytes: TokenBytes::LettersDigits,
        group_match: GroupMatch::LongestPrefix,
        merge_groups: true,
        merge_names: false,
        empty_token_names_empty: false,
        star_then_space: false,
        allow_rules: true,
        wildcards: true,
        trailing_stars_dropped: true,
        leading_slash_assumed: true,
        rule_precedence: RulePrecedence::Longest,
        robots_txt_allowed: false,
        index_htm_is_directory: false,
        target_form: TargetForm::Strict,
        high_bytes_encoded: Sides::Both,
        forbidden_bytes_encoded: false,
        hex_upper_case: Sides::Both,
        unreserved_decoded: false,
        special_bytes_encoded: false,
        stray_percent_encoded: false,
        fetch_rules: FetchRules::GoogleClassic,
    };

    /// "A Standard for Robot Exclusion" (M. Koster, 1994), for old archives and old robots.
    pub const ORIGINAL_1994: Profile = Profile {
        byte_order_mark: ByteOrderMark::Keep,
        field_prefixes: false,
        misspelt_fields: false,
        ascii_white_space: false,
        missing_colon: false,
        control_characters: ControlCharacters::Ordinary,
        size_limit: None,
        line_limit: None,
        blank_line_ends_group: true,
        sitemap_ends_agents: false,
        token_bytes: TokenBytes::UpToSlash,
        group_match: GroupMatch::FirstSubstring,
        merge_groups: false,
        merge_names: false,
        empty_token_names_empty: false,
        star_then_space: false,
        allow_rules: false,
        wildcards: false,
        trailing_stars_dropped: false,
        leading_slash_assumed: false,
        rule_precedence: RulePrecedence::AnyDisallow,
        robots_txt_allowed: false,
        index_htm_is_directory: false,
        target_form: TargetForm::Strict,
        high_bytes_encoded: Sides::Neither,
        forbidden_bytes_encoded: false,
        hex_upper_case: Sides::Neither,
        unreserved_decoded: false,
        special_bytes_encoded: false,
        stray_percent_encoded: false,
        fetch_rules: FetchRules::Rfc9309,
    };

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

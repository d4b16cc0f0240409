//! The four readings of robots.txt as plain values: sets of switches.
//!
//! A [`Profile`] is data. Take one of the four named constants, or start from one
//! and change a switch:
//!
//! ```
//! use robotsieve::{Profile, Robots, Crawler};
//!
//! let mut profile = Profile::RFC9309;
//! profile.size_limit = None; // read files of any size
//! let robots = Robots::parse(b"User-agent: *\nDisallow: /x", &profile);
//! assert!(!robots.policy(&Crawler::name("bot")).is_allowed("https://e.com/x")?);
//! # Ok::<(), robotsieve::InvalidUrl>(())
//! ```
//!
//! Where a source is silent or contradicts itself, the doc comment says *(reading)*:
//! that point is this project's decision.

/// Which bytes at the start of a file are skipped as a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrderMark {
    /// None: the bytes `EF BB BF` are part of the first line. (1994 standard.)
    Keep,
    /// A whole UTF-8 byte order mark. (RFC 9309; Google's specification.)
    Skip,
    /// The bytes of a UTF-8 byte order mark as far as they go, so that `EF` or
    /// `EF BB` alone is skipped too. (google/robotstxt, `RobotsTxtParser::Parse`.)
    SkipPartial,
}

/// What a control character does to the line it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ControlCharacters {
    /// It is a byte like any other. (RFC 9309, 1994 standard.)
    Ordinary,
    /// A NUL ends the line's text, every other one is ordinary.
    /// (google/robotstxt works on C strings.)
    NulEndsLine,
    /// The record is not valid and is ignored; a tab is no control character here.
    /// Only the text before a comment counts *(reading)*.
    /// (Google's specification: `valuechar = <any UTF-8 character except ("#" CTL)>`.)
    InvalidateRecord,
}

/// Which bytes of a `User-agent` value make the product token of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenBytes {
    /// The leading run of letters, digits, `-`, `_`, `.` *(reading: the grammar of RFC
    /// 9309 §2.2.1 has letters, `-` and `_`, but MJ12bot exists)*.
    LettersDigits,
    /// The leading run of letters, `-`, `_`. (google/robotstxt, `ExtractUserAgent`.)
    Letters,
    /// The whole value up to the first `/`, white space around it dropped.
    /// (1994 standard: a name "without version information".)
    UpToSlash,
}

/// Which group a crawler's name finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupMatch {
    /// The groups whose token equals the name, ASCII case ignored.
    /// (RFC 9309 §2.2.1; google/robotstxt.)
    Equal,
    /// The groups with the longest token that is a prefix of the name, ASCII case
    /// ignored. (Google's specification: "the most specific user agent that still
    /// matches".)
    LongestPrefix,
    /// The first group with a token that occurs anywhere in the name (the name up to
    /// its first `/`), ASCII case ignored. (1994 standard.)
    FirstSubstring,
}

/// Which of several matching rules decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RulePrecedence {
    /// The one with the most bytes in its normalised pattern; of equal ones, allow.
    /// (RFC 9309 §2.2.2; google/robotstxt.)
    Longest,
    /// Any disallow rule that matches. (1994 standard.)
    AnyDisallow,
}

/// On which side of the comparison a kind of byte is normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sides {
    /// Neither the rule's pattern nor the target.
    Neither,
    /// The rule's pattern only.
    Rule,
    /// Both.
    Both,
}

/// How the compared part is found in a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetForm {
    /// `scheme://authority…`, or a path beginning with `/`; all else is
    /// [invalid](crate::InvalidUrl).
    Strict,
    /// As google/robotstxt's `GetPathParamsQuery` does: any bytes have a target, and a
    /// NUL ends it.
    Google,
}

/// Whose rules say what a fetch of a robots.txt means: what each status and failure leads
/// to, and how long an answer is used.
///
/// Parsing and deciding ignore it; `robotsieve-client` reads it when it fetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
/// `PartialEq` compares all switches: two profiles that are equal decide alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Profile {
    /// Byte order mark at the start of the file.
    pub byte_order_mark: ByteOrderMark,
    /// `true`: a line whose name merely *starts with* a known field counts
    /// (`Allowed: /x` allows). google/robotstxt, `ParsedRobotsKey`.
    pub field_prefixes: bool,
    /// `true`: the fields `useragent`, `user agent`, `dissallow`, `dissalow`, `disalow`,
    /// `diasllow`, `disallaw`, `site-map` count as what they were meant to be.
    /// google/robotstxt, `kAllowFrequentTypos`.
    pub misspelt_fields: bool,
    /// `true`: all ASCII white space (vertical tab and form feed too) is dropped around
    /// lines, names and values; `false`: spaces and tabs only. google/robotstxt,
    /// `StripWhitespaceSlowly`; RFC 9309 §2.2 `WS`.
    pub ascii_white_space: bool,
    /// `true`: in a line without a colon white space separates name and value, if the
    /// line has exactly two words. google/robotstxt, `GetKeyAndValueFrom`.
    pub missing_colon: bool,
    /// What control characters do.
    pub control_characters: ControlCharacters,
    /// How many bytes of a file are read, cut back to the last whole line; `None`: all.
    /// RFC 9309 §2.5 demands at least 500 KiB, so smaller values than
    /// [`Profile::MIN_SIZE_LIMIT`] are raised to it.
    pub size_limit: Option<usize>,
    /// How many bytes of a line are read; `None`: all. google/robotstxt: 16,663.
    pub line_limit: Option<usize>,

    /// `true`: a blank line ends the group. (A line that is only a comment is not blank:
    /// it does not exist.) 1994 standard, "The Format".
    pub blank_line_ends_group: bool,
    /// `true`: a user-agent line after a sitemap record starts a new group even if no
    /// rule came before, so the group before has no rules. Google's specification:
    /// `startgroupline`s stand directly together.
    pub sitemap_ends_agents: bool,
    /// What of a `User-agent` value is the token.
    pub token_bytes: TokenBytes,
    /// Which group a name finds.
    pub group_match: GroupMatch,
    /// `true`: several groups with the same token count as one; `false`: only the first
    /// does. RFC 9309 §2.2.1: "MUST be combined"; 1994 standard: one `*` record only.
    pub merge_groups: bool,
    /// `true`: the groups of *all* names of a crawler are merged; `false`: the first name
    /// that has a group decides. google/robotstxt, `AllowedByRobots` with several agents.
    pub merge_names: bool,
    /// `true`: a line with an empty token names the crawler with the empty name;
    /// `false`: it names nobody. google/robotstxt, `EqualsIgnoreCase("", "")`.
    pub empty_token_names_empty: bool,
    /// `true`: `*` followed by white space and more is `*` too; `false`: `*` alone is.
    /// google/robotstxt, `HandleUserAgent`.
    pub star_then_space: bool,

    /// `true`: `Allow` is a rule; `false`: an unknown field. 1994 standard.
    pub allow_rules: bool,
    /// `true`: `*` stands for any run of bytes and a final `$` for the end of the
    /// target; `false`: both are plain. RFC 9309 §2.2.3; 1994 standard.
    pub wildcards: bool,
    /// `true`: all trailing `*` are dropped before anything else, so they do not count
    /// for precedence and a `$` before them is plain. Google's specification: "The
    /// trailing wildcard is ignored".
    pub trailing_stars_dropped: bool,
    /// `true`: a value without a leading `/` gets one (`fish/` is `/fish/`). Google's
    /// specification.
    pub leading_slash_assumed: bool,
    /// Which matching rule decides.
    pub rule_precedence: RulePrecedence,
    /// `true`: `/robots.txt` itself (exactly, no query) is always allowed. RFC 9309
    /// §2.2.2.
    pub robots_txt_allowed: bool,
    /// `true`: `Allow: …/index.htm…` also allows `…/` alone, as the pattern `…/$`.
    /// google/robotstxt, `HandleAllow`.
    pub index_htm_is_directory: bool,

    /// How the target is found in a URL.
    pub target_form: TargetForm,
    /// Bytes ≥ 0x80 become `%XX` on these sides. RFC 9309 §2.2.2; google/robotstxt
    /// escapes rules only.
    pub high_bytes_encoded: Sides,
    /// `true`: ASCII bytes that RFC 3986 allows nowhere in a URI (controls, space,
    /// `"` `<` `>` `\` `^` `{` `|` `}` and the backtick) become `%XX` on both sides
    /// *(reading)*.
    pub forbidden_bytes_encoded: bool,
    /// The hex digits of `%xx` become upper case on these sides. RFC 3986 §6.2.2.1.
    pub hex_upper_case: Sides,
    /// `true`: `%XX` of an unreserved character (letters, digits, `-` `.` `_` `~`) is
    /// decoded on both sides. RFC 9309 §2.2.2, RFC 3986 §6.2.2.2.
    pub unreserved_decoded: bool,
    /// `true`: a target's `*` and `$`, and a rule's `$` that is not the end anchor, become
    /// `%2A`, `%24`, so that a rule can mean them by writing them so. RFC 9309 §2.2.3.
    pub special_bytes_encoded: bool,
    /// `true`: a `%` that is not followed by two hex digits becomes `%25` on both sides
    /// *(reading)*.
    pub stray_percent_encoded: bool,

    /// Whose rules say what a fetch means. They change no verdict of a given file.
    pub fetch_rules: FetchRules,
}

impl Profile {
    /// The smallest size limit that RFC 9309 §2.5 permits, in bytes: 500 KiB.
    pub const MIN_SIZE_LIMIT: usize = 512_000;

    /// RFC 9309. The default: for any crawler today.
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

    /// google/robotstxt, the open-source C++ parser, to the verdict, quirks included: for
    /// whoever must predict Googlebot.
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

    /// "A Standard for Robot Exclusion" (M. Koster, 1994): for old archives and robots.
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

    /// The four named profiles with their names, the default first.
    pub const NAMED: [(&'static str, Profile); 4] = [
        ("rfc9309", Profile::RFC9309),
        ("google", Profile::GOOGLE),
        ("google-classic", Profile::GOOGLE_CLASSIC),
        ("original-1994", Profile::ORIGINAL_1994),
    ];

    /// The profile of that name: `rfc9309`, `google`, `google-classic` or
    /// `original-1994`.
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
}

impl Default for Profile {
    /// [`Profile::RFC9309`].
    fn default() -> Profile {
        Profile::RFC9309
    }
}

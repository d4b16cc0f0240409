//! The kinds of findings: number, name, severity and text of each.

use std::fmt;

/// The severity of a finding.
///
/// These three are all there will be: SARIF and GitHub's annotations have the same ones. With the
/// feature `serde` a severity is its [name](Severity::as_str).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Severity {
    /// Nothing is lost, but the line does not say what it seems to say, or says nothing.
    Note,
    /// Some crawlers probably read it differently from what was meant.
    Warning,
    /// At least one rule is lost: a line that means to be a rule or a group is not read as that, or some
    /// reader gives another verdict than was meant. This is found out for each finding, whatever its code.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

macro_rules! codes {
    ($($variant:ident $number:literal $name:literal $severity:ident $title:literal
       $explanation:literal;)*) => {
        /// A kind of finding. Numbers and names are stable, so tools may rely on them.
        ///
        /// With the feature `serde` a code is written as its [number](Code::number) and read as
        /// [`Code::named`] does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(
                #[doc = $title]
                $variant,
            )*
        }

        impl Code {
            /// All codes, sorted by number.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// `RS` and three digits, as in `RS402`.
            #[must_use]
            pub fn number(self) -> &'static str {
                match self { $(Code::$variant => $number),* }
            }

            /// A short name in kebab case, as in `never-wins`. The code's page in `docs/lint` has
            /// the same name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name),* }
            }

            /// The fault, in one sentence.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title),* }
            }

            /// Why it matters.
            #[must_use]
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$variant => $explanation),* }
            }

            /// The usual severity. A finding may have another one in a profile that makes it more
            /// or less harmful, and is an error whenever a rule is lost: see `Finding::severity`.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity),* }
            }
        }
    };
}

codes! {
    ByteOrderMark "RS101" "byte-order-mark" Note
        "The file begins with a byte order mark."
        "Most crawlers skip it. A crawler that does not skip it sees an unknown field in the first \
         line and loses that line.";
    Utf16 "RS102" "utf-16" Error
        "The file is encoded in UTF-16."
        "robots.txt must be UTF-8. Crawlers that read it as UTF-8 find no valid line in it, so every rule \
         is lost.";
    Html "RS103" "html" Error
        "The file is an HTML page."
        "The server probably sent an error page or a redirect page with status 200. If it holds \
         no rules, everything is allowed.";
    SizeLimit "RS104" "size-limit" Error
        "The file is larger than 500 KiB."
        "RFC 9309 requires crawlers to read at least 500 KiB. They may ignore everything after \
         that.";
    LineLimit "RS105" "line-limit" Error
        "The line is too long to be read in full."
        "The end of the line is cut off, so the rule is not the one that was written.";
    ControlCharacter "RS106" "control-character" Warning
        "The line contains a control character."
        "It is invisible, it matches nothing in a normal URL, and some crawlers drop the whole \
         line.";
    Nul "RS107" "nul-byte" Warning
        "The line contains a NUL byte."
        "Some crawlers stop reading the line there. Many NUL bytes are a sign of UTF-16 or of a \
         damaged file.";
    ContentType "RS108" "content-type" Warning
        "The file is not served as text/plain in UTF-8."
        "RFC 9309 requires UTF-8 text served as text/plain; a crawler may ignore a file that is \
         labelled as something else.";
    Comment "RS109" "comment" Warning
        "A comment for this linter cannot be read."
        "It silences nothing.";
    NotARecord "RS201" "not-a-record" Warning
        "The line is neither `field: value` nor a comment."
        "Crawlers ignore it.";
    MissingColon "RS202" "missing-colon" Error
        "The colon after the field name is missing."
        "Only crawlers that copy google/robotstxt accept such a line; all others ignore it.";
    MisspeltField "RS203" "misspelt-field" Error
        "The field name is misspelt."
        "Most crawlers ignore the line, so what it says is lost. Googlebot's parser and those that copy it \
         read some common misspellings.";
    UnknownField "RS204" "unknown-field" Note
        "The field is unknown."
        "No crawler is known to read it.";
    UnsupportedField "RS205" "unsupported-field" Note
        "Hardly any crawler obeys the field, or none does."
        "The standard does not have it, and most crawlers ignore the line.";
    CrawlDelay "RS206" "crawl-delay" Note
        "Most crawlers ignore Crawl-delay."
        "It is in no standard. Googlebot ignores it; some other crawlers obey it, each in its own \
         way.";
    SitemapNotAbsolute "RS207" "sitemap-not-absolute" Warning
        "The sitemap is not an absolute URL."
        "The sitemap protocol requires a full URL with scheme and host; crawlers may ignore \
         anything else.";
    RuleOutsideGroup "RS208" "rule-outside-group" Error
        "The rule belongs to no group."
        "No user-agent line applies to it, so crawlers ignore it.";
    ReadersDiffer "RS209" "readers-differ" Note
        "Crawlers read the line differently."
        "What the line means depends on the crawler: RFC 9309 and Googlebot's parser differ in some \
         lines, and a few crawlers have a way of their own.";
    TwoRecords "RS210" "two-records" Error
        "The line holds two records."
        "A record ends with its line: crawlers take the second field for a part of the first \
         one's value, or ignore the line.";
    SitemapBlocked "RS211" "sitemap-blocked" Warning
        "The file forbids the path of its own sitemap."
        "A crawler that obeys the rules does not fetch the sitemap.";
    LicenseNotAbsolute "RS212" "license-not-absolute" Warning
        "The licence is not an absolute URL."
        "RSL demands a full URL with scheme and host; a crawler that looks for licences passes over \
         anything else.";
    LicenseNotHttps "RS213" "license-not-https" Warning
        "The licence is not served by https."
        "RSL requires https. Without it somebody on the way can put another licence in its \
         place, and a crawler may pass it over.";
    SitemapUnreachable "RS214" "sitemap-unreachable" Warning
        "The URL of the sitemap leads nowhere."
        "Crawlers pass over a sitemap that they cannot fetch: on a host of your own network, by a URL that \
         is two, or with characters that no URL has.";
    NamesNobody "RS301" "names-nobody" Error
        "The user-agent line names no crawler."
        "Its value does not begin with a product token.";
    AfterToken "RS302" "after-token" Warning
        "Something follows the product token."
        "A user-agent line names one crawler by its product token alone. Crawlers ignore whatever \
         follows it: versions, further names, wildcards.";
    TokenOutsideGrammar "RS303" "token-outside-grammar" Note
        "The product token does not fit RFC 9309's grammar."
        "The grammar allows only letters, `-` and `_`. Crawlers disagree on where a token with \
         other bytes ends.";
    RepeatedToken "RS304" "repeated-token" Note
        "An earlier group already names the crawler."
        "RFC 9309 merges such groups. Older crawlers obey only the first one.";
    UnreachableGroup "RS305" "unreachable-group" Error
        "No crawler obeys the group."
        "Its user-agent lines name no crawler, or every crawler that they name obeys an earlier \
         group.";
    GroupWithoutRules "RS306" "group-without-rules" Warning
        "The group has no rules."
        "Its crawlers may fetch everything: the rules for `*` do not apply to them. If other \
         groups name the same crawlers, the rules of those groups apply.";
    BlocksEverything "RS307" "blocks-everything" Error
        "The whole site is blocked for all crawlers, or for a big search engine."
        "The site disappears from search results. Often the robots.txt of a test site has gone \
         live.";
    MisspeltCrawler "RS308" "misspelt-crawler" Warning
        "The name of a well-known crawler is misspelt."
        "The crawler does not find the group, and obeys another one or none.";
    LosesRules "RS309" "loses-rules" Note
        "A crawler with a group of its own does not obey the rules for `*`."
        "Only one group counts for a crawler: the most specific one. It does not add to the group \
         of `*`, it takes its place.";
    BlocksResources "RS310" "blocks-resources" Warning
        "CSS or JavaScript is blocked for search engines."
        "Search engines render pages to judge them. Without its CSS and JavaScript a page may look \
         broken or empty to them.";
    JoinedGroups "RS311" "joined-groups" Error
        "The group goes on where it seems to end."
        "Only a rule ends the user-agent lines of a group. After a Crawl-delay, a sitemap or a blank \
         line the next user-agent line joins the group, so its rules hold for both crawlers.";
    OperatorsName "RS312" "operators-name" Warning
        "The name is that of a company, or of nobody, and no crawler has it."
        "A crawler looks for its own product token. `Google` is not `Googlebot`, and the word for all \
         crawlers is `*`.";
    NeverMatches "RS401" "never-matches" Error
        "No URL can match the rule."
        "Rules are compared with the path of a URL, which begins with `/`; this rule asks for \
         something else.";
    NeverWins "RS402" "never-wins" Error
        "The rule never decides, or only where it changes nothing."
        "Where it could change a verdict, a rule of higher precedence that says the opposite matches \
         too. The longest matching rule wins, and Allow wins between equally long ones.";
    RedundantRule "RS403" "redundant-rule" Note
        "The rule changes no verdict."
        "Every URL gets the same verdict without it, so it can be removed.";
    DuplicateRule "RS404" "duplicate-rule" Note
        "The rule repeats an earlier one."
        "Every URL gets the same verdict without it, so it can be removed.";
    NoLeadingSlash "RS405" "no-leading-slash" Error
        "The rule does not begin with `/`."
        "Paths begin with `/`, so the rule matches nothing unless it begins with `*`. Crawlers \
         that follow Google's older specification add the `/`.";
    DollarInside "RS406" "dollar-inside" Warning
        "A `$` before the end of a rule is a plain character."
        "Only as the last character of a rule does `$` mean the end of the URL.";
    UnescapedBytes "RS407" "unescaped-bytes" Note
        "The rule contains bytes that URLs contain only percent-encoded."
        "RFC 9309 encodes them before it compares. Some crawlers compare them as written, and then \
         the rule matches nothing.";
    PercentEncoding "RS408" "percent-encoding" Warning
        "The rule is percent-encoded in a way that few URLs are."
        "Most URLs contain letters, digits, `-`, `.`, `_` and `~` unencoded, and a `%` only before \
         two hex digits. A crawler that compares rules as written finds no match in URLs that are \
         written differently.";
    OverBudget "RS409" "over-budget" Warning
        "The rules have too many stars for a small automaton."
        "Matching them takes more time and memory; crawlers that limit either may drop some rules.";
    EmptyRule "RS410" "empty-rule" Note
        "The rule has no value, but its group has other rules."
        "It neither forbids nor allows anything: the other rules of the group still apply.";
    RegularExpression "RS411" "regular-expression" Error
        "The rule is written as a regular expression."
        "Rules know `*` for any bytes and `$` for the end of a URL, and nothing else: all other \
         characters are compared as they are.";
    OtherHost "RS412" "other-host" Error
        "The rule is a URL with a host."
        "Rules are compared with paths. What may be fetched from another host is said by that \
         host's own robots.txt.";
    SeveralPaths "RS413" "several-paths" Error
        "The rule holds several paths."
        "A rule is one path: what separates the others is a part of it, and no URL has all of them in a row.";
    Placeholder "RS414" "placeholder" Error
        "The rule is written for a template or for HTML."
        "Rules are compared with URLs as they are requested. There a placeholder such as `{id}` is filled \
         in, and `&amp;` is `&`.";
    VoidPreferences "RS501" "void-preferences" Error
        "All of a Content-Usage is ignored."
        "It is a dictionary of RFC 9651, which is read whole or not at all: one capital \
         letter in a label, one space beside `=` or one comma too many, and every preference \
         in the line is lost.";
    UndefinedPreference "RS502" "undefined-preference" Warning
        "A preference about use says nothing."
        "Its label or its value is not defined. Content-Usage and Content-Signal have \
         different labels and values for the same things.";
    PreferenceOutsideGroup "RS503" "preference-outside-group" Warning
        "A preference about use stands outside every group."
        "Preferences belong to the crawlers of a group. Before the first user-agent line a \
         Content-Usage holds for nobody, and of a Content-Signal only a `no` counts.";
    LosesPreferences "RS504" "loses-preferences" Note
        "A crawler with a group of its own does not obey the preferences of `*`."
        "Only one group counts for a crawler, for preferences about use as for rules. What \
         the group of `*` says of use does not hold for it.";
    UsageNotCrawlable "RS505" "usage-not-crawlable" Note
        "A Content-Usage is about what may not be fetched."
        "Content-Usage in robots.txt is only about what crawlers may fetch, so the line has \
         no effect.";
    ContradictingPreferences "RS506" "contradicting-preferences" Warning
        "Two preferences about the same use contradict each other."
        "Between two lines the refusal counts. In one Content-Usage the last of two equal \
         labels counts, whatever it says; in one Content-Signal the `no` does.";
}

impl Code {
    /// How much other findings about the same line follow from one of this kind: `None` if they do
    /// not, else the smallest number is first.
    pub(super) fn rank_on_line(self) -> Option<u8> {
        match self {
            Code::TwoRecords => Some(0),
            Code::NamesNobody => Some(1),
            Code::RegularExpression | Code::OtherHost | Code::SeveralPaths | Code::Placeholder => {
                Some(2)
            }
            _ => None,
        }
    }

    /// Returns true if a finding of this kind says all that one of the other kind would say of its line.
    pub(super) fn implies(self, other: Code) -> bool {
        use Code::*;
        match self {
            TwoRecords => true,
            NamesNobody => {
                matches!(other, AfterToken | TokenOutsideGrammar | RepeatedToken | ReadersDiffer)
            }
            SeveralPaths
                if matches!(other, RedundantRule | DuplicateRule | NeverWins | BlocksResources) =>
            {
                true
            }
            RegularExpression | OtherHost | SeveralPaths | Placeholder => matches!(
                other,
                NeverMatches
                    | NoLeadingSlash
                    | DollarInside
                    | UnescapedBytes
                    | PercentEncoding
                    | ReadersDiffer
            ),
            _ => false,
        }
    }

    /// Returns true if a rule is without effect, so that removing it changes no verdict.
    pub(super) fn is_dead_rule(self) -> bool {
        matches!(self, Code::NeverWins | Code::RedundantRule | Code::DuplicateRule)
    }

    /// The code with this number or name, ASCII case ignored; `None` if there is none.
    ///
    /// ```
    /// use robotsieve_lint::Code;
    /// assert_eq!(Code::named("rs402"), Some(Code::NeverWins));
    /// assert_eq!(Code::named("never-wins"), Some(Code::NeverWins));
    /// ```
    #[must_use]
    pub fn named(text: &str) -> Option<Code> {
        let is = |code: &&Code| {
            code.number().eq_ignore_ascii_case(text) || code.name().eq_ignore_ascii_case(text)
        };
        Code::ALL.iter().find(is).copied()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.number())
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.number())
    }
}

impl<'de> serde::Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Code, D::Error> {
        use serde::de::Error;
        let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
        Code::named(&text).ok_or_else(|| D::Error::custom(format_args!("unknown code {text:?}")))
    }
}

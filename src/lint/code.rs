//! The kinds of findings, each with its number, its name and its words.

use std::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is lost, but the line does not say what it seems to, or says nothing.
    Note,
    /// Some crawlers read it otherwise than it was probably meant.
    Warning,
    /// A rule, or more, is lost.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
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
        /// A kind of finding. Number and name are stable: tools may rely on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(
                #[doc = $title]
                $variant,
            )*
        }

        impl Code {
            /// All of them, by number.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// `RS` and three digits.
            pub fn number(self) -> &'static str {
                match self { $(Code::$variant => $number),* }
            }

            /// A short name in kebab case; that of its page in `docs/lint`, too.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name),* }
            }

            /// One sentence.
            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title),* }
            }

            /// Why it matters.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$variant => $explanation),* }
            }

            /// The severity that it has unless the profile makes it harmless, or harmful.
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity),* }
            }
        }
    };
}

codes! {
    ByteOrderMark "RS101" "byte-order-mark" Note
        "The file begins with a byte order mark."
        "Most crawlers skip it. One that does not sees an unknown field in the first line, which is \
         then lost.";
    Utf16 "RS102" "utf-16" Error
        "The file is UTF-16."
        "robots.txt is UTF-8. Crawlers find no record in UTF-16, so every rule is lost.";
    Html "RS103" "html" Error
        "The file is an HTML page."
        "An error page or a redirect was probably sent with status 200. It holds no rules, so \
         everything is allowed.";
    SizeLimit "RS104" "size-limit" Error
        "The file is over 500 KiB."
        "RFC 9309 demands that crawlers read 500 KiB. What comes behind may be cut off.";
    LineLimit "RS105" "line-limit" Error
        "The line is longer than is read of it."
        "The rest of the line is not read, so the rule is another one than was written.";
    ControlCharacter "RS106" "control-character" Warning
        "The line contains a control character."
        "It is invisible, matches nothing that a URL contains, and some crawlers drop the whole \
         line.";
    Nul "RS107" "nul" Warning
        "The line contains a NUL."
        "Some crawlers stop reading the line there. Many NULs point to UTF-16 or to a damaged \
         file.";
    ContentType "RS108" "content-type" Warning
        "The file is not served as text/plain in UTF-8."
        "RFC 9309 demands UTF-8 text served as text/plain; a crawler may ignore a file that says \
         it is something else.";
    NotARecord "RS201" "not-a-record" Warning
        "The line is neither `field: value` nor a comment."
        "Crawlers ignore it.";
    MissingColon "RS202" "missing-colon" Error
        "The colon behind the field is missing."
        "Only crawlers that copy google/robotstxt read the line; for all others it is lost.";
    MisspeltField "RS203" "misspelt-field" Error
        "The field is misspelt."
        "Crawlers ignore fields that they do not know; a few guess some misspellings.";
    UnknownField "RS204" "unknown-field" Note
        "The field is unknown."
        "No crawler is known to read it.";
    UnsupportedField "RS205" "unsupported-field" Note
        "The field is obeyed by no crawler, or by very few."
        "It was never part of a standard, and what it asks for does not happen.";
    CrawlDelay "RS206" "crawl-delay" Note
        "Most crawlers ignore Crawl-delay."
        "It is in no standard. Googlebot ignores it; some others obey it, each in its own way.";
    SitemapNotAbsolute "RS207" "sitemap-not-absolute" Warning
        "The sitemap is not an absolute URL."
        "The sitemap protocol demands one, with scheme and host; crawlers may ignore others.";
    RuleOutsideGroup "RS208" "rule-outside-group" Error
        "The rule belongs to no group."
        "It stands before any user-agent line, so it is for nobody: crawlers ignore it.";
    ReadersDiffer "RS209" "readers-differ" Note
        "RFC 9309 and Googlebot's parser read the line differently."
        "Which of the two a crawler follows decides what the line means to it.";
    NamesNobody "RS301" "names-nobody" Warning
        "The user-agent line names no crawler."
        "Its value does not begin with a product token.";
    AfterToken "RS302" "after-token" Warning
        "Something follows the product token."
        "A user-agent line names one crawler by its product token alone. Versions, further names \
         and wildcards behind it are ignored.";
    TokenOutsideGrammar "RS303" "token-outside-grammar" Note
        "The product token is outside RFC 9309's grammar."
        "The grammar has letters, `-` and `_`. Crawlers end the token at other bytes in different \
         places.";
    RepeatedToken "RS304" "repeated-token" Note
        "The crawler is named by an earlier group too."
        "RFC 9309 merges the groups. Older crawlers obey only the first of them.";
    UnreachableGroup "RS305" "unreachable-group" Warning
        "No crawler obeys the group."
        "Its user-agent lines name nobody, or others come first for all whom they name.";
    GroupWithoutRules "RS306" "group-without-rules" Warning
        "The group has no rules."
        "Everything is allowed to its crawlers: the rules for `*` are not theirs. If other groups \
         name the same crawlers, what those say holds.";
    BlocksEverything "RS307" "blocks-everything" Warning
        "Everything is forbidden to all crawlers that have no group of their own."
        "Often a file for a test site that went live.";
    NeverMatches "RS401" "never-matches" Error
        "No URL can match the rule."
        "What is compared begins with `/`, and the rule asks for something else.";
    NeverWins "RS402" "never-wins" Warning
        "The rule never decides."
        "Whatever URL matches it, a rule of higher precedence that says otherwise matches too: of \
         matching rules the longest wins, of equal ones Allow.";
    RedundantRule "RS403" "redundant-rule" Note
        "The rule changes no verdict."
        "Every URL has the same verdict without it, so it can be removed.";
    DuplicateRule "RS404" "duplicate-rule" Note
        "An earlier rule is the same."
        "Every URL has the same verdict without it, so it can be removed.";
    NoLeadingSlash "RS405" "no-leading-slash" Error
        "The rule does not begin with `/`."
        "Paths begin with `/`, so the rule matches nothing unless it begins with `*`. Older \
         readings add the `/`.";
    DollarInside "RS406" "dollar-inside" Warning
        "A `$` that is not the last character stands for itself."
        "`$` means the end of the URL only at the end of a rule.";
    UnescapedBytes "RS407" "unescaped-bytes" Note
        "The rule contains bytes that URLs carry percent-encoded."
        "RFC 9309 encodes them before it compares. Some crawlers compare them as they are, and then \
         the rule matches nothing.";
    PercentEncoding "RS408" "percent-encoding" Warning
        "The rule is percent-encoded as few URLs are."
        "Letters, digits, `-`, `.`, `_` and `~` stand plain in most URLs, and a `%` is followed by \
         two hex digits. A crawler that compares as written finds a match in URLs only that are \
         written in the same way.";
    OverBudget "RS409" "over-budget" Warning
        "The rules have so many stars that they do not fit a small automaton."
        "Matching them takes more time and memory; crawlers that limit either may drop some.";
    EmptyRule "RS410" "empty-rule" Note
        "The rule has no value and stands beside others."
        "It restricts nothing and permits nothing: it does not lift the other rules of its group.";
}

impl Code {
    /// The code of this number or name, ASCII case ignored.
    ///
    /// ```
    /// use robotsieve::lint::Code;
    /// assert_eq!(Code::named("rs402"), Some(Code::NeverWins));
    /// assert_eq!(Code::named("never-wins"), Some(Code::NeverWins));
    /// ```
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

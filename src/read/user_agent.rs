//! The names in a `User-Agent` header.
//!
//! Headers are read as they are written, not as RFC 9110 §10.1.5 wants them. A header is cut into
//! *clauses* (at `;`, `,` and brackets), a clause into *words* (at white space), and a name is a
//! run of token characters that begins a word. Consecutive words of a clause make a *phrase*,
//! which browsers' own words, versions and addresses end: `Sogou web spider/4.0` is one,
//! `AppleWebKit/537.36 Foo Bar/1.0` has one after the browser's product.

use std::ops::Range;

use memchr::{memchr, memchr_iter};
use smallvec::SmallVec;

use crate::profile::TokenBytes;
use crate::read::token::{is_token_byte, token};

/// The certainty that a word of a header names the crawler, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Certainty {
    /// It follows the word `compatible`, as in `Mozilla/5.0 (compatible; FooBot/1.0)`.
    Compatible,
    /// It has a version (`FooBot/1.0`, `FooBot 1.0`), or the header begins with it.
    Product,
    /// It is a word that stands somewhere else.
    Word,
}

impl Certainty {
    /// A stable name: `compatible`, `product` or `word`.
    pub fn as_str(self) -> &'static str {
        match self {
            Certainty::Compatible => "compatible",
            Certainty::Product => "product",
            Certainty::Word => "word",
        }
    }
}

/// A name in a `User-Agent` header.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct HeaderName<'h> {
    /// The name: letters, digits, `-`, `_` and `.`, at least one of them a letter or a digit.
    pub name: &'h [u8],
    /// Where it is in the header, in bytes.
    pub span: Range<usize>,
    /// The certainty that this names the crawler.
    pub certainty: Certainty,
}

/// A `User-Agent` header and the names in it, the surest first.
///
/// [`Crawler::from_user_agent`](crate::Crawler::from_user_agent) takes the same names. Use this type to see where they are and how
/// sure each is:
///
/// ```
/// use robotsieve::{Certainty, UserAgent};
///
/// let header = "Mozilla/5.0 (Linux; Android 5.0) Chrome/47.0 Mobile Safari/537.36; FooBot";
/// let read = UserAgent::read(header);
/// let [name] = read.names() else { panic!() };
/// assert_eq!((name.name, name.certainty), (&b"FooBot"[..], Certainty::Word));
/// assert_eq!(&header[name.span.clone()], "FooBot");
/// ```
///
/// # What is a name
///
/// A run of letters, digits, `-`, `_` and `.` that begins a word, in a comment or outside. A `+`,
/// an `@`, a quote or other punctuation may precede it, and anything may follow it: a version, an
/// empty one too, `;`, `::`, nothing. A chain of slashes names each part (`Ask Jeeves/Teoma`).
/// `example.com/1.0` is read as `example.com` and `example`. No names are:
///
/// * URLs, mail addresses, and host names that no version follows, unless the header begins with
///   one or it follows `compatible`;
/// * the words of browsers and platforms (`Mozilla`, `like`, `Gecko`, `Chrome`, `Linux`), phone
///   models, languages and versions;
/// * what follows `like` and has no version (`like Gecko`, `like Twitterbot`);
/// * words in lower case inside a phrase, unless they end in `bot`, `crawler` or `spider`;
/// * words that describe any crawler (`bot`, `web`, `spider`), unless the header has no other
///   name.
///
/// The order is [`Certainty`]'s, and within each from left to right. A phrase that ends with a
/// version (`Sogou web spider/4.0`) is as sure of its first word as of its last, because the first
/// word is what a robots.txt line with this phrase names.
///
/// # Cost
///
/// `O(n)`. Of a header longer than [`UserAgent::LIMIT_BYTES`] the whole words within it are read,
/// and only the surest [`UserAgent::MAX_NAMES`] names are kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UserAgent<'h> {
    header: &'h [u8],
    names: SmallVec<[HeaderName<'h>; 2]>,
}

impl<'h> UserAgent<'h> {
    /// The number of bytes of a header that are read. Servers refuse such headers: the default limit of
    /// nginx and Apache is about half of this.
    pub const LIMIT_BYTES: usize = 16_384;

    /// The number of names that are kept.
    pub const MAX_NAMES: usize = 64;

    /// Reads a header. Takes any bytes.
    pub fn read<H: AsRef<[u8]> + ?Sized>(header: &'h H) -> UserAgent<'h> {
        let header = header.as_ref();
        let mut reader = Reader::new(within_limit(header));
        reader.read();
        UserAgent { header, names: reader.ranked() }
    }

    /// The header as given.
    pub fn header(&self) -> &'h [u8] {
        self.header
    }

    /// The names, the surest first; without two that differ only in ASCII case.
    pub fn names(&self) -> &[HeaderName<'h>] {
        &self.names
    }
}

/// What a word of a header is, by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordKind {
    /// A word of browsers, their engines and extensions, operating systems, processors or devices.
    Browser,
    /// A word of prose, of addresses or of versions.
    Prose,
    /// A word that describes any crawler.
    Common,
    Name,
}

impl WordKind {
    fn of(word: &[u8]) -> WordKind {
        // No word in the lists is longer.
        let mut lower = [0; 16];
        let Some(lower) = lower.get_mut(..word.len()) else { return WordKind::Name };
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        match &*lower {
            b"aarch64" | b"amd64" | b"android" | b"applewebkit" | b"arm" | b"arm64" | b"arm_64"
            | b"armv7l" | b"armv8l" | b"bsd" | b"build" | b"camino" | b"center" | b"cfnetwork"
            | b"chrome" | b"chromium" | b"clr" | b"compatible" | b"configuration" | b"cpu"
            | b"crios" | b"cros" | b"darwin" | b"ddg" | b"debian" | b"edg" | b"edga" | b"edge"
            | b"edgios" | b"epiphany" | b"fban" | b"fbav" | b"fbios" | b"fedora" | b"firefox"
            | b"focus" | b"freebsd" | b"fxios" | b"gecko" | b"gnu" | b"gsa" | b"i386" | b"i586"
            | b"i686" | b"iceweasel" | b"infopath" | b"intel" | b"ios" | b"ipad" | b"iphone"
            | b"ipod" | b"khtml" | b"konqueror" | b"like" | b"linux" | b"mac" | b"macintosh"
            | b"macos" | b"media" | b"mobile" | b"mozilla" | b"msie" | b"net" | b"net4.0c"
            | b"net4.0e" | b"netbsd" | b"netscape" | b"nt" | b"openbsd" | b"opera" | b"opr"
            | b"os" | b"pc" | b"ppc" | b"presto" | b"profile" | b"rv" | b"safari"
            | b"samsungbrowser" | b"seamonkey" | b"silk" | b"slcc1" | b"slcc2" | b"tablet"
            | b"trident" | b"u" | b"ubuntu" | b"vendorid" | b"version" | b"win64" | b"windows"
            | b"wow64" | b"x" | b"x11" | b"x64" | b"x86_64" => WordKind::Browser,
            b"a" | b"alpha" | b"an" | b"and" | b"at" | b"beta" | b"by" | b"contact" | b"dev"
            | b"email" | b"for" | b"from" | b"http" | b"https" | b"id" | b"in" | b"info"
            | b"is" | b"it" | b"mail" | b"mailto" | b"not" | b"of" | b"on" | b"only" | b"or"
            | b"our" | b"robots" | b"subscriber" | b"subscribers" | b"the" | b"this" | b"to"
            | b"url" | b"use" | b"user" | b"user-agent" | b"useragent" | b"via" | b"with"
            | b"your" => WordKind::Prose,
            b"agent" | b"bot" | b"bots" | b"checker" | b"client" | b"crawler" | b"fetcher"
            | b"robot" | b"scraper" | b"search" | b"spider" | b"web" | b"webcrawler" => {
                WordKind::Common
            }
            _ => WordKind::Name,
        }
    }
}

struct Reader<'h> {
    header: &'h [u8],
    /// Left to right.
    found: SmallVec<[HeaderName<'h>; 8]>,
    /// The first that describes any crawler.
    common: Option<HeaderName<'h>>,
    /// The number of parentheses that are open.
    depth: usize,
    /// True if no word has come yet.
    is_first: bool,
    /// True if the word `compatible` came and the phrase that it introduces has not.
    compatible: bool,
    /// True if the word before was `like`.
    after_like: bool,
    /// True if this comment has named Android, so that the model of a phone follows.
    in_device: bool,
    phrase: Phrase,
}

/// The words since the last browser's word, version, address or end of a clause.
#[derive(Default)]
struct Phrase {
    /// True if it has a word.
    is_begun: bool,
    /// True if it is what `compatible` introduces.
    compatible: bool,
    /// The place of its first word in `found`, if that is a name.
    first: Option<usize>,
    /// The place of its last word in `found`, if that is a name.
    last: Option<usize>,
}

/// A word of the header, or a part of one that follows a `+`.
#[derive(Clone, Copy)]
struct Piece<'h> {
    name: &'h [u8],
    /// Where the name begins in the header.
    at: usize,
    /// What follows the first slash behind the name, and where that begins.
    chain: Option<(&'h [u8], usize)>,
    /// True if that begins with a version.
    has_version: bool,
    is_after_plus: bool,
}

impl<'h> Piece<'h> {
    /// `None` if the text begins with no name: it is punctuation, a path, `key=value` or begins
    /// with a letter beyond ASCII.
    fn of(text: &'h [u8], at: usize, is_after_plus: bool) -> Option<Piece<'h>> {
        let is_quote = |byte: &u8| byte.is_ascii_punctuation() && !matches!(byte, b'_' | b'/');
        let quotes = text.iter().take_while(|byte| is_quote(byte)).count();
        let (text, at) = (&text[quotes..], at + quotes);
        let run = token(text, TokenBytes::LettersDigits);
        let name = without_tail(run);
        if name.is_empty() || text[run.len()..].first() == Some(&b'=') {
            return None;
        }
        let slash = memchr(b'/', &text[run.len()..]).map(|slash| run.len() + slash + 1);
        let chain = slash.map(|from| (&text[from..], at + from));
        let has_version = chain.is_some_and(|(chain, _)| begins_version(chain));
        Some(Piece { name, at, chain, has_version, is_after_plus })
    }
}

impl<'h> Reader<'h> {
    fn new(header: &'h [u8]) -> Reader<'h> {
        Reader {
            header,
            found: SmallVec::new(),
            common: None,
            depth: 0,
            is_first: true,
            compatible: false,
            after_like: false,
            in_device: false,
            phrase: Phrase::default(),
        }
    }

    fn read(&mut self) {
        let header = self.header;
        let mut at = 0;
        while let Some(&byte) = header.get(at) {
            if ends_clause(byte) {
                self.end_clause(byte);
                at += 1;
            } else if is_space(byte) {
                at += 1;
            } else {
                let is_end = |byte: &u8| is_space(*byte) || ends_clause(*byte);
                let left = &header[at..];
                let word = &left[..left.iter().position(is_end).unwrap_or(left.len())];
                self.word(word, at);
                at += word.len();
            }
        }
    }

    fn end_clause(&mut self, byte: u8) {
        self.phrase = Phrase::default();
        self.after_like = false;
        match byte {
            b'(' => self.depth += 1,
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                self.in_device &= self.depth > 0;
            }
            _ => {}
        }
    }

    /// Takes what stands between white space and the ends of clauses.
    fn word(&mut self, word: &'h [u8], mut at: usize) {
        let address = address(word);
        // Log files write `+` for a space. In front of an address it means nothing.
        let pieces = word[..address.unwrap_or(word.len())].split(|byte| *byte == b'+');
        for (number, text) in pieces.enumerate() {
            if !text.is_empty() {
                self.piece(text, at, number > 0);
            }
            at += text.len() + 1;
        }
        if address.is_some() {
            self.phrase = Phrase::default();
            self.is_first = false;
        }
    }

    fn piece(&mut self, text: &'h [u8], at: usize, is_after_plus: bool) {
        let is_first = std::mem::take(&mut self.is_first);
        let after_like = std::mem::take(&mut self.after_like);
        let piece = Piece::of(text, at, is_after_plus)
            .filter(|piece| !self.is_address(piece, is_first))
            .filter(|piece| !after_like || piece.has_version);
        let Some(piece) = piece else {
            self.phrase = Phrase::default();
            return;
        };
        let Piece { name, has_version, .. } = piece;
        if is_version(name) && !(has_version && name.iter().all(u8::is_ascii_digit)) {
            // `FooBot 1.0`.
            self.end_phrase_with_version();
            return;
        }
        let kind = WordKind::of(name);
        if kind == WordKind::Browser {
            self.phrase = Phrase::default();
            self.compatible = name.eq_ignore_ascii_case(b"compatible");
            self.after_like = name.eq_ignore_ascii_case(b"like");
            self.in_device |= self.depth > 0 && name.eq_ignore_ascii_case(b"android");
            return;
        }
        if kind == WordKind::Prose {
            return;
        }
        if !self.phrase.is_begun {
            self.phrase.compatible = std::mem::take(&mut self.compatible);
        }
        let is_introduced = self.phrase.compatible && (has_version || !self.phrase.is_begun);
        let certainty = if is_introduced {
            Certainty::Compatible
        } else if !after_like && (has_version || is_first) {
            Certainty::Product
        } else {
            Certainty::Word
        };
        let added = self.names_of(&piece, kind, certainty);
        if !self.phrase.is_begun {
            self.phrase.first = added;
        }
        self.phrase.last = added;
        self.phrase.is_begun = true;
        if has_version {
            self.end_phrase_with_version();
        }
    }

    /// Returns true if this is a host name that names no crawler.
    fn is_address(&self, piece: &Piece<'_>, is_first: bool) -> bool {
        let name = piece.name;
        if !is_host(name) || piece.has_version {
            return false;
        }
        let is_www = name.get(..4).is_some_and(|www| www.eq_ignore_ascii_case(b"www."));
        let is_introduced = self.compatible && !self.phrase.is_begun && piece.chain.is_none();
        is_www || piece.is_after_plus || !(is_first || is_introduced)
    }

    /// Adds the names of a word. Returns the place of the first in `found`.
    fn names_of(
        &mut self,
        piece: &Piece<'h>,
        kind: WordKind,
        certainty: Certainty,
    ) -> Option<usize> {
        let Piece { name, mut at, .. } = *piece;
        if certainty == Certainty::Word && !piece.has_version && !self.may_name(name) {
            return None;
        }
        let added = self.add(name, at, kind, certainty);
        if is_host(name)
            && let Some(dot) = memchr(b'.', name)
            && memchr(b'.', &name[dot + 1..]).is_none()
            && !without_tail(&name[..dot]).is_empty()
        {
            let label = without_tail(&name[..dot]);
            self.add(label, at, WordKind::of(label), certainty);
        }
        if let Some((chain, from)) = piece.chain {
            at = from;
            for part in chain.split(|byte| *byte == b'/') {
                if begins_version(part) {
                    break;
                }
                let name = without_tail(token(part, TokenBytes::LettersDigits));
                if !name.is_empty() && !is_language(name) {
                    let is_introduced = certainty == Certainty::Compatible;
                    let certainty = if is_introduced { certainty } else { Certainty::Word };
                    self.add(name, at, WordKind::of(name), certainty);
                }
                at += part.len() + 1;
            }
        }
        added
    }

    /// Returns true if a word without a version may be a name where it stands.
    fn may_name(&self, name: &[u8]) -> bool {
        // In the middle of a phrase, words in lower case are prose.
        let is_prose = self.phrase.is_begun && !looks_like_name(name);
        let is_platform =
            self.in_device || self.depth > 0 && (name.len() == 1 || is_language(name));
        !is_prose && !is_platform
    }

    fn add(
        &mut self,
        name: &'h [u8],
        at: usize,
        kind: WordKind,
        certainty: Certainty,
    ) -> Option<usize> {
        let found = HeaderName { name, span: at..at + name.len(), certainty };
        match kind {
            WordKind::Browser | WordKind::Prose => None,
            WordKind::Common => {
                self.common.get_or_insert(found);
                None
            }
            WordKind::Name => {
                self.found.push(found);
                Some(self.found.len() - 1)
            }
        }
    }

    /// A version ends the phrase, and makes its first and its last word surer.
    fn end_phrase_with_version(&mut self) {
        let Phrase { compatible, first, last, .. } = std::mem::take(&mut self.phrase);
        let sure = if compatible { Certainty::Compatible } else { Certainty::Product };
        for place in [first, last].into_iter().flatten() {
            let certainty = &mut self.found[place].certainty;
            *certainty = sure.min(*certainty);
        }
    }

    /// The names, the surest first, each once.
    fn ranked(mut self) -> SmallVec<[HeaderName<'h>; 2]> {
        if self.found.is_empty() {
            return self.common.into_iter().collect();
        }
        self.found.sort_by_key(|found| found.certainty);
        let mut names: SmallVec<[HeaderName<'h>; 2]> = SmallVec::new();
        for found in self.found {
            if names.len() == UserAgent::MAX_NAMES {
                break;
            }
            if !names.iter().any(|known| known.name.eq_ignore_ascii_case(found.name)) {
                names.push(found);
            }
        }
        names
    }
}

/// The header, or its whole words within the limit.
fn within_limit(header: &[u8]) -> &[u8] {
    let Some(cut) = header.get(..=UserAgent::LIMIT_BYTES) else { return header };
    let is_end = |byte: &u8| is_space(*byte) || ends_clause(*byte);
    &header[..cut.iter().rposition(is_end).unwrap_or(0)]
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte.is_ascii_control()
}

fn ends_clause(byte: u8) -> bool {
    matches!(byte, b';' | b',' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'|')
}

/// Without the punctuation that ends a sentence; empty if nothing but punctuation is there.
fn without_tail(run: &[u8]) -> &[u8] {
    if !run.iter().any(u8::is_ascii_alphanumeric) {
        return &[];
    }
    let end = run.iter().rposition(|byte| !matches!(byte, b'-' | b'.')).map_or(0, |last| last + 1);
    &run[..end]
}

/// Where a URL or a mail address begins in a word.
fn address(word: &[u8]) -> Option<usize> {
    let back_over = |end: usize, belongs: fn(u8) -> bool| {
        word[..end].iter().rposition(|byte| !belongs(*byte)).map_or(0, |before| before + 1)
    };
    let url = memchr_iter(b':', word)
        .find(|at| word[*at..].starts_with(b"://"))
        .map(|end| back_over(end, |byte| byte.is_ascii_alphabetic()));
    let is_local = |byte: u8| is_token_byte(byte) || matches!(byte, b'+' | b'%');
    let mail = memchr_iter(b'@', word)
        .filter(|at| *at > 0 && is_local(word[at - 1]))
        .find(|at| word.get(at + 1).is_some_and(|byte| is_token_byte(*byte)))
        .map(|at| back_over(at, is_local));
    url.into_iter().chain(mail).min()
}

/// Returns true if what follows a slash is a version: `1.0`, `v2`, nothing.
fn begins_version(text: &[u8]) -> bool {
    match text {
        [] => true,
        [b'v' | b'V', digit, ..] => digit.is_ascii_digit(),
        [first, ..] => first.is_ascii_digit() || !is_token_byte(*first) && *first != b'/',
    }
}

/// Returns true if a word is a version that stands alone: `1`, `v1.2`, `10_15_7`, `2.6.32-042`.
fn is_version(name: &[u8]) -> bool {
    let digits = name.strip_prefix(b"v").or(name.strip_prefix(b"V")).unwrap_or(name);
    let rest = &digits[digits.iter().take_while(|byte| byte.is_ascii_digit()).count()..];
    rest.len() < digits.len() && rest.first().is_none_or(|byte| !byte.is_ascii_alphabetic())
}

/// Returns true if a name ends like the name of a host: `example.com`.
fn is_host(name: &[u8]) -> bool {
    name.iter().rposition(|byte| *byte == b'.').is_some_and(|dot| {
        let top = &name[dot + 1..];
        dot > 0 && top.len() > 1 && top.iter().all(u8::is_ascii_alphabetic)
    })
}

/// Returns true if a word has the form of a language: `en`, `en-US`, `zh_CN`.
fn is_language(name: &[u8]) -> bool {
    match name {
        [a, b] => a.is_ascii_lowercase() && b.is_ascii_lowercase(),
        [a, b, b'-' | b'_', c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_alphabetic()),
        _ => false,
    }
}

/// Returns true if a word is more likely a name than prose.
fn looks_like_name(word: &[u8]) -> bool {
    !word.iter().all(u8::is_ascii_lowercase)
        || [&b"bot"[..], b"crawler", b"spider"].iter().any(|end| word.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        assert_eq!(WordKind::of(b"SamsungBrowser"), WordKind::Browser);
        assert_eq!(WordKind::of(b"X86_64"), WordKind::Browser);
        assert_eq!(WordKind::of(b"subscribers"), WordKind::Prose);
        assert_eq!(WordKind::of(b"Bot"), WordKind::Common);
        assert_eq!(WordKind::of(b"Chrome-Lighthouse"), WordKind::Name);
    }

    #[test]
    fn long_headers_are_cut_at_a_word() {
        let limit = UserAgent::LIMIT_BYTES;
        let names = |header: &[u8]| -> Vec<Vec<u8>> {
            UserAgent::read(header).names().iter().map(|name| name.name.to_vec()).collect()
        };
        let header = |spaces: usize| [&b" ".repeat(spaces)[..], b"FooBot BarBot"].concat();
        assert_eq!(names(&header(limit - 13)), [b"FooBot", b"BarBot"]);
        assert_eq!(names(&header(limit - 12)), [b"FooBot"]);
        assert_eq!(names(&header(limit - 6)), [b"FooBot"]);
        assert_eq!(names(&header(limit - 5)), [b""; 0]);
        assert_eq!(names(&b"a".repeat(limit)).len(), 1);
        assert_eq!(names(&b"a".repeat(limit + 1)).len(), 0);
        let many: String = (0..1_000).map(|n| format!("w{n} ")).collect();
        let names = names((many + "Last/1").as_bytes());
        assert_eq!(names.len(), UserAgent::MAX_NAMES);
        assert!(names.contains(&b"Last".to_vec()));
    }
}

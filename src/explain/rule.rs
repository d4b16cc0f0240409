//! A rule that matches, and which of its parts matches what.

use std::ops::Range;

use memchr::{memchr2, memmem, memrchr2};

use crate::policy::robots::Robots;
use crate::profile::Profile;
use crate::rules::normalise::Encoding;
use crate::rules::{Pattern, RuleRef};
use crate::verdict::Verdict;

/// A rule that matches the target, with the place where it stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatchedRule<'a> {
    /// What it says.
    pub verdict: Verdict,
    /// Its line, 1-based.
    pub line: u32,
    /// The bytes of the file that hold the line, without its end.
    pub line_span: Range<usize>,
    /// Its value as written.
    pub value: &'a [u8],
    /// The bytes of the file that hold the value.
    pub value_span: Range<usize>,
    /// What is compared with the target, as [`Rule::pattern`](crate::Rule::pattern).
    pub pattern: Box<[u8]>,
    /// Whether the target must end where the pattern does.
    pub anchored: bool,
    /// What decides between matching rules, as [`Rule::precedence`](crate::Rule::precedence).
    pub precedence: u32,
    /// Which part of the value matches which part of the target: one behind another, from the
    /// beginning of both. Behind the last one the target may go on.
    ///
    /// A pattern may match in several ways. These are the parts of the one in which each star
    /// takes as little as possible, from left to right; but a star at the end takes all that
    /// is left.
    pub pieces: Vec<Piece>,
}

/// A part of a rule and what it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// The bytes of the file that hold it. Empty for what does not stand there: a `/` that
    /// the profile assumes.
    pub file_span: Range<usize>,
    /// The bytes of the target that it matches.
    pub target_span: Range<usize>,
}

/// What a part of a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PieceKind {
    /// Bytes that stand for themselves, once they are normalised.
    Literal,
    /// One star or several in a row.
    Star,
    /// The `$` that stands for the end of the target.
    End,
}

impl<'a> MatchedRule<'a> {
    pub(super) fn of(rule: RuleRef<'_>, robots: &Robots<'a>, target: &[u8]) -> MatchedRule<'a> {
        let file = robots.groups().file();
        // Every rule of a policy stands on a line of its file.
        let value_span = robots.groups().rule_span(rule.line).unwrap_or(0..0);
        let value = &file[value_span.clone()];
        let from = memrchr2(b'\n', b'\r', &file[..value_span.start]).map_or(0, |end| end + 1);
        let len = memchr2(b'\n', b'\r', &file[value_span.end..]);
        let to = len.map_or(file.len(), |len| value_span.end + len);
        let extent = robots.extent();
        let profile = robots.profile();
        let mut parts = parts(value, rule.verdict, profile, false);
        if !is_pattern(&parts, rule.pattern, profile) {
            parts = self::parts(value, rule.verdict, profile, true);
        }
        debug_assert!(is_pattern(&parts, rule.pattern, profile));
        MatchedRule {
            verdict: rule.verdict,
            line: rule.line,
            line_span: from.max(extent.start)..to,
            value,
            pattern: Box::from(rule.pattern.bytes),
            anchored: rule.pattern.anchored,
            precedence: rule.precedence,
            pieces: align(&parts, value_span.start, target),
            value_span,
        }
    }
}

/// A part of a rule's value.
struct Part {
    kind: PieceKind,
    /// Of the value.
    span: Range<usize>,
    /// What a literal is once it is normalised.
    bytes: Vec<u8>,
}

/// The parts of a rule's value; or of the folder that it allows beside `…/index.htm…`
/// ([`Profile::index_htm_is_directory`]).
fn parts(value: &[u8], verdict: Verdict, profile: &Profile, folder: bool) -> Vec<Part> {
    debug_assert!(!folder || verdict == Verdict::Allow);
    let encoding = Encoding::of_rule(profile);
    let is_star = |byte: &u8| profile.wildcards && *byte == b'*';
    let stars = value.iter().rev().take_while(|byte| is_star(byte)).count();
    let body = if profile.trailing_stars_dropped { &value[..value.len() - stars] } else { value };
    let mut anchored = profile.wildcards && body.len() == value.len() && body.ends_with(b"$");
    let mut end = value.len() - usize::from(anchored);
    if folder {
        end = body.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        anchored = true;
    }
    let mut parts: Vec<Part> = Vec::new();
    if profile.leading_slash_assumed && value.first() != Some(&b'/') {
        parts.push(Part { kind: PieceKind::Literal, span: 0..0, bytes: vec![b'/'] });
    }
    for run in value[..end].chunk_by(|a, b| is_star(a) == is_star(b)) {
        let from = parts.last().map_or(0, |part| part.span.end);
        let span = from..from + run.len();
        if is_star(&run[0]) {
            parts.push(Part { kind: PieceKind::Star, span, bytes: Vec::new() });
            continue;
        }
        match parts.last_mut() {
            // A `/` that is assumed.
            Some(Part { kind: PieceKind::Literal, span: before, bytes }) => {
                bytes.extend(encoding.normalised(run));
                *before = span;
            }
            _ => {
                let bytes = encoding.normalised(run).collect();
                parts.push(Part { kind: PieceKind::Literal, span, bytes });
            }
        }
    }
    if anchored {
        let span = end..if folder { end } else { value.len() };
        parts.push(Part { kind: PieceKind::End, span, bytes: Vec::new() });
    }
    parts
}

/// Whether these parts make this pattern, which is in its canonical form.
fn is_pattern(parts: &[Part], pattern: Pattern<'_>, profile: &Profile) -> bool {
    let mut bytes = Vec::with_capacity(pattern.bytes.len());
    let mut anchored = false;
    for part in parts {
        match part.kind {
            PieceKind::Literal => bytes.extend_from_slice(&part.bytes),
            PieceKind::Star => bytes.push(b'*'),
            PieceKind::End => anchored = true,
        }
    }
    if profile.wildcards && bytes.last() == Some(&b'*') {
        bytes.pop();
        anchored = false;
    }
    (&bytes[..], anchored) == (pattern.bytes, pattern.anchored)
}

/// Lays the parts of a rule that matches along the target.
fn align(parts: &[Part], value_at: usize, target: &[u8]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::with_capacity(parts.len());
    let mut at = 0;
    for (number, part) in parts.iter().enumerate() {
        let next = parts.get(number + 1).map(|next| next.kind);
        let target_span = match part.kind {
            PieceKind::Literal => {
                let mut from = at;
                if let Some(star) = pieces.last_mut() {
                    let left = &target[at..];
                    let found = if next == Some(PieceKind::End) {
                        left.len().checked_sub(part.bytes.len())
                    } else {
                        memmem::find(left, &part.bytes)
                    };
                    debug_assert!(found.is_some(), "the rule does not match");
                    from = at + found.unwrap_or(0);
                    star.target_span.end = from;
                }
                from..(from + part.bytes.len()).min(target.len())
            }
            // Where a literal follows, it says where the star ends.
            PieceKind::Star if next == Some(PieceKind::Literal) => at..at,
            PieceKind::Star => at..target.len(),
            PieceKind::End => target.len()..target.len(),
        };
        at = target_span.end;
        let file_span = value_at + part.span.start..value_at + part.span.end;
        pieces.push(Piece { kind: part.kind, file_span, target_span });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::crawler::Crawler;

    /// The parts of the winner with what they match.
    fn pieces(rule: &str, path: &str, profile: &Profile) -> Vec<(String, String)> {
        let file = format!("# x\r\nuser-agent: *\r\n {rule} # y\r\n");
        let robots = Robots::parse(file.as_bytes(), profile);
        let why = robots.explain(&Crawler::name("a"), path).unwrap();
        let winner = why.winner().expect("a rule that matches");
        assert_eq!(&file[winner.line_span.clone()], format!(" {rule} # y"));
        let target = std::str::from_utf8(&why.target.bytes).unwrap();
        let text = |piece: &Piece| {
            (file[piece.file_span.clone()].to_owned(), target[piece.target_span.clone()].to_owned())
        };
        winner.pieces.iter().map(text).collect()
    }

    #[track_caller]
    fn check(rule: &str, path: &str, profile: &Profile, wanted: &[(&str, &str)]) {
        let got = pieces(rule, path, profile);
        let got: Vec<_> = got.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(got, wanted);
    }

    #[test]
    fn parts_of_a_match() {
        let rfc = &Profile::RFC9309;
        check("disallow: /a", "/ab", rfc, &[("/a", "/a")]);
        check(
            "disallow: /a*b**c$",
            "/axbxbcxc",
            rfc,
            &[("/a", "/a"), ("*", "x"), ("b", "b"), ("**", "xbcx"), ("c", "c"), ("$", "")],
        );
        check("disallow: /a*", "/axb", rfc, &[("/a", "/a"), ("*", "xb")]);
        check("disallow: /a*$", "/axb", rfc, &[("/a", "/a"), ("*", "xb"), ("$", "")]);
        check("disallow: *%7eb", "/a~b", rfc, &[("*", "/a"), ("%7eb", "~b")]);
    }

    #[test]
    fn parts_by_profile() {
        let classic = &Profile::GOOGLE_CLASSIC;
        check("disallow: fish", "/fisher", classic, &[("fish", "/fish")]);
        check("disallow: *fish", "/a/fish", classic, &[("", "/"), ("*", "a/"), ("fish", "fish")]);
        check("disallow: /a**", "/ab", classic, &[("/a", "/a"), ("**", "b")]);
        check("disallow: /a$*", "/a$b", classic, &[("/a$", "/a$"), ("*", "b")]);
        check("disallow: /a*$", "/a*$b", &Profile::ORIGINAL_1994, &[("/a*$", "/a*$")]);
        let google = &Profile::GOOGLE;
        check("allow: /a/index.html", "/a/", google, &[("/a/", "/a/"), ("", "")]);
        check(
            "allow: /*/index.htm$",
            "/b/",
            google,
            &[("/", "/"), ("*", "b"), ("/", "/"), ("", "")],
        );
        check(
            "allow: /a/index.html",
            "/a/index.html",
            google,
            &[("/a/index.html", "/a/index.html")],
        );
    }
}

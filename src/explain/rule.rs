//! A rule that matches, split into parts, with what each part matches.

use std::ops::Range;

use memchr::{memchr2, memmem, memrchr2};

use crate::policy::robots::Robots;
use crate::profile::Profile;
use crate::rules::normalise::Encoding;
use crate::rules::{Pattern, RuleRef};
use crate::verdict::Verdict;

/// A rule that matches the target, and where it is in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatchedRule<'a> {
    /// The verdict that it gives: `allow` or `disallow`.
    pub verdict: Verdict,
    /// Its line number, from 1.
    pub line: u32,
    /// Where the line is, in bytes of the file, without its line end.
    pub line_span: Range<usize>,
    /// Its value as written.
    pub value: &'a [u8],
    /// Where the value is, in bytes of the file.
    pub value_span: Range<usize>,
    /// The pattern that is compared with the target; see [`Rule::pattern`](crate::Rule::pattern).
    pub pattern: Box<[u8]>,
    /// True if the target must end where the pattern does.
    pub anchored: bool,
    /// The number by which matching rules compete: see [`Rule::precedence`](crate::Rule::precedence).
    pub precedence: u32,
    /// The parts of the value, each with the part of the target that it matches, in order and without gaps, from
    /// the beginning of both. The target may go on after the last piece.
    ///
    /// A pattern can match in several ways. These pieces show the match in which each star, from
    /// left to right, takes as few bytes as possible, except that a star at the end takes the
    /// rest of the target.
    pub pieces: Vec<Piece>,
}

/// A part of a rule, and what it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece {
    /// The kind of the part.
    pub kind: PieceKind,
    /// Where it is, in bytes of the file. Empty for a `/` that the profile assumes and the file
    /// does not have.
    pub file_span: Range<usize>,
    /// The part that it matches, in bytes of the target.
    pub target_span: Range<usize>,
}

/// The kind of a [`Piece`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum PieceKind {
    /// Bytes that match themselves, once normalised.
    Literal,
    /// One or more stars in a row, which match any bytes.
    Star,
    /// The `$` that matches the end of the target.
    End,
}

impl PieceKind {
    /// `literal`, `star` or `end`.
    pub fn as_str(self) -> &'static str {
        match self {
            PieceKind::Literal => "literal",
            PieceKind::Star => "star",
            PieceKind::End => "end",
        }
    }
}

display_as_str!(PieceKind);

impl<'a> MatchedRule<'a> {
    pub(super) fn of(rule: RuleRef<'_>, robots: &Robots<'a>, target: &[u8]) -> MatchedRule<'a> {
        let file = robots.groups().file();
        // Every rule of a policy has a line in its file.
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
    /// In bytes of the value.
    span: Range<usize>,
    /// The normalised bytes of a literal.
    bytes: Vec<u8>,
}

/// Splits a rule's value into parts. With `folder`, splits the pattern of the directory that the
/// rule allows beside `…/index.htm…` ([`Profile::index_htm_is_directory`]).
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
            // The assumed `/`: one literal with what follows.
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

/// Returns true if these parts make this pattern, which is in canonical form.
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

/// Finds what each part of a matching rule matches in the target.
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
            // A literal that follows sets the end of the star.
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

    /// The parts of the winner, and what they match.
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

//! From rules to regular expressions, in the order of precedence.
//!
//! A rule is about a URL's normal form. A server sees the URL as it was sent, so there are two sets
//! of expressions: those for URLs that are in their normal form, which are nearly the rules as
//! written, and those for all URLs, which take each character in every spelling (`a` or `%61`).
//!
//! Every byte that is not a letter, a digit or one of `/_-=&,:@!~%.?+` is written as `\xHH`, so no rule can
//! end an expression, a string or a line of a configuration.

use std::fmt::Write as _;

use robotsieve::Profile;
use robotsieve::internals::{Encoding, Pattern, RuleSet, hex_value};

/// The URLs that expressions are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Those in normal form, as the profile normalises them.
    Normal,
    /// All of them, as they were sent.
    Sent,
    /// Paths as a server resolves them, decoded but for what [`super::text::ENCODED`] lists, with the queries as they
    /// were sent.
    Resolved,
}

impl Form {
    /// Whether such a URL may have this byte as it is.
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            // A `?` begins the query: one of the path is written as `%3F`, as a line feed is as `%0A`.
            Form::Resolved => !matches!(byte, 0 | b'\n' | b'%'),
            Form::Normal | Form::Sent => !matches!(byte, 0..=0x20 | b'#' | b'%' | 0x7F),
        }
    }
}

/// What a server's regular expressions can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Syntax {
    /// Whether they are those of PCRE: it goes back, so it needs atomic groups; it can look around, and `\xFF` is a
    /// byte. Else the engine does not go back, and `\xFF` is a character of Unicode: no URL with such bytes matches.
    pub(super) pcre: bool,
    /// Whether many patterns are joined to trees.
    pub(super) joins: bool,
    /// How long an expression may be, in bytes.
    pub(super) bytes_at_most: usize,
    /// Whether only paths are seen, without queries, and what to do about rules that need more.
    pub(super) paths: Option<Paths>,
}

/// What is written for a server that sees no queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paths {
    /// The rules as they are, which is not always what they mean.
    AsTheyAre,
    /// Rules of this kind are cut where a query could matter, and those of the other kind are left out: so at
    /// least what the kept ones decide stays so.
    Widen {
        /// Whether those that disallow are cut.
        refuses: bool,
    },
}

/// Neighbours in the order of precedence with the same verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) refuses: bool,
    pub(super) regexes: Vec<Regex>,
}

/// A regular expression, anchored at the URL's first byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Regex {
    pub(super) text: String,
    /// The rules that it stands for, by their places in the order of precedence. None: it is for `/robots.txt`.
    pub(super) rules: Vec<usize>,
    /// What it stands for, for a comment: letters, digits, punctuation that ends nothing, and escapes.
    pub(super) comment: String,
    /// The same with `*` for whatever, for servers that have that instead: if it is one rule.
    pub(super) wildcard: Option<String>,
}

/// With more patterns those with one star at most are joined to trees, so that a server tries few expressions.
const LISTED: usize = 40;
/// How deep joined expressions nest. PCRE and others allow 250.
const DEPTH: usize = 60;
/// A star in URLs as sent: it ends within no escape.
pub(super) const STAR: &str = "[^%]*?(?:%..[^%]*?)*?";
/// The same for an engine that goes back. It needs no stack, however long the URL: PCRE's compiler has 32 KB of it, and a
/// server takes an expression that ran out of it for one that does not match. Within an escape is what follows `%` and
/// is two digits, or follows `%` and a digit and is one. A `%` that begins no escape is like any other byte.
pub(super) const STAR_LOOKING_BACK: &str =
    ".*?(?!(?<=%)[0-9A-Fa-f][0-9A-Fa-f]|(?<=%[0-9A-Fa-f])[0-9A-Fa-f])";
/// The longest pattern in bytes.
const PATTERN_BYTES: usize = 2_000;

/// The rule of this line is longer than an expression may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong {
    pub(super) line: u32,
}

/// A rule's pattern in parts.
struct Parts {
    /// An expression for each byte or escape before the first star; if that is the only one, also for it and what
    /// follows.
    head: Vec<String>,
    /// The rest. Empty: whatever follows is matched.
    tail: String,
    comment: String,
    wildcard: Option<String>,
    /// The line and the place of its rule. `None`: it is for `/robots.txt`.
    rule: Option<(u32, usize)>,
}

/// The runs of a rule set, the first that matches decides: without the last ones that allow, since
/// what nothing matches is allowed. `/robots.txt` is always allowed.
///
/// # Errors
/// Returns an error if an expression would be too long.
pub(super) fn runs(
    rules: &RuleSet,
    encoding: Encoding,
    form: Form,
    syntax: Syntax,
) -> Result<Vec<Run>, TooLong> {
    let writer = Writer { encoding, form, syntax, wildcards: rules.wildcards() };
    let robots_txt = Pattern { bytes: b"/robots.txt", anchored: true };
    if let Some(long) = rules.iter().find(|rule| rule.pattern.bytes.len() > PATTERN_BYTES) {
        return Err(TooLong { line: long.line });
    }
    let mut runs: Vec<(bool, Vec<Parts>)> = Vec::new();
    // A run of its own: the proof tells it from rules that allow.
    let robots_txt = writer.parts(robots_txt, "always open".to_owned(), None);
    runs.extend(robots_txt.map(|parts| (false, vec![parts])));
    let own = runs.len();
    let mut add = |refuses: bool, parts: Parts| match runs[own..].last_mut() {
        Some((last, all)) if *last == refuses => all.push(parts),
        _ => runs.push((refuses, vec![parts])),
    };
    for (index, rule) in rules.iter().enumerate() {
        let refuses = !rule.verdict.is_allow();
        let Some(pattern) = writer.of_paths(rule.pattern, refuses) else { continue };
        let field = if refuses { "Disallow" } else { "Allow" };
        let comment = format!("line {}: {field}: {}", rule.line, in_comment(rule.value));
        writer
            .parts(pattern, comment, Some((rule.line, index)))
            .into_iter()
            .for_each(|parts| add(refuses, parts));
    }
    drop_covered(&mut runs);
    while runs.last().is_some_and(|(refuses, _)| !refuses) {
        runs.pop();
    }
    let count: usize = runs.iter().map(|(_, all)| all.len()).sum();
    let too_long = |parts: &&Parts| parts.bytes() > syntax.bytes_at_most;
    if let Some(parts) = runs.iter().flat_map(|(_, all)| all).find(too_long) {
        return Err(TooLong { line: parts.rule.map_or(0, |(line, _)| line) });
    }
    let write = |(refuses, all): (bool, Vec<Parts>)| {
        let is_short = count <= LISTED || !syntax.joins;
        let regexes = if is_short { listed(all) } else { joined(all, syntax.bytes_at_most) };
        Run { refuses, regexes }
    };
    Ok(runs.into_iter().map(write).collect())
}

impl Parts {
    /// The length of its expression.
    fn bytes(&self) -> usize {
        1 + self.head.iter().map(String::len).sum::<usize>() + self.tail.len()
    }
}

/// Drops the patterns that never decide: what they match, one of the same run or of one before it matches.
fn drop_covered(runs: &mut Vec<(bool, Vec<Parts>)>) {
    let mut order: Vec<(&Parts, [usize; 2])> = Vec::new();
    for (run, (_, all)) in runs.iter().enumerate() {
        order.extend(all.iter().enumerate().map(|(at, parts)| (parts, [run, at])));
    }
    order.sort_by(|(a, a_at), (b, b_at)| (&a.head, &a.tail, a_at).cmp(&(&b.head, &b.tail, b_at)));
    let mut covered: Vec<Vec<bool>> = runs.iter().map(|(_, all)| vec![false; all.len()]).collect();
    // The prefixes of the last pattern, the shortest first, with their runs.
    let mut prefixes: Vec<(&Parts, usize)> = Vec::new();
    let mut previous: Option<(&Parts, usize)> = None;
    for (parts, [run, at]) in order {
        while prefixes.last().is_some_and(|(prefix, _)| !parts.head.starts_with(&prefix.head)) {
            prefixes.pop();
        }
        let is_below = prefixes.iter().any(|(_, of)| *of <= run);
        let is_same = previous.is_some_and(|(other, of)| {
            of <= run && other.head == parts.head && other.tail == parts.tail
        });
        covered[run][at] = is_below || is_same;
        if !covered[run][at] {
            if parts.tail.is_empty() {
                prefixes.push((parts, run));
            }
            previous = Some((parts, run));
        }
    }
    for ((_, all), covered) in runs.iter_mut().zip(covered) {
        let mut covered = covered.into_iter();
        all.retain(|_| !covered.next().unwrap_or(false));
    }
    runs.retain(|(_, all)| !all.is_empty());
}

fn listed(all: Vec<Parts>) -> Vec<Regex> {
    let regex = |parts: Parts| Regex {
        text: format!("^{}{}", parts.head.concat(), parts.tail),
        rules: parts.rule.into_iter().map(|(_, index)| index).collect(),
        comment: parts.comment,
        wildcard: parts.wildcard,
    };
    all.into_iter().map(regex).collect()
}

/// Trees of those with one star at most, then the others one by one: in a tree an engine would try each of
/// them, too, and a proof would take many states.
fn joined(all: Vec<Parts>, bytes_at_most: usize) -> Vec<Regex> {
    let (mut all, with_stars): (Vec<Parts>, Vec<Parts>) =
        all.into_iter().partition(|parts| parts.tail.is_empty() || parts.tail == "$");
    all.sort_by(|a, b| (&a.head, &a.tail).cmp(&(&b.head, &b.tail)));
    let ends: Vec<End<'_>> = all.iter().map(|parts| (&parts.head[..], &parts.tail[..])).collect();
    let mut from = 0;
    let regex = |(text, count): (String, usize)| {
        let these = &all[from..from + count];
        from += count;
        let lines = || these.iter().filter_map(|parts| Some(parts.rule?.0));
        let comment = match these {
            [one] => one.comment.clone(),
            all => format!(
                "{} rules of lines {} to {}",
                all.len(),
                lines().min().unwrap_or_default(),
                lines().max().unwrap_or_default()
            ),
        };
        let rules = these.iter().filter_map(|parts| Some(parts.rule?.1)).collect();
        Regex { text: format!("^{text}"), rules, comment, wildcard: None }
    };
    let mut regexes: Vec<Regex> = trees(&ends, bytes_at_most - 1).into_iter().map(regex).collect();
    regexes.extend(listed(with_stars));
    regexes
}

/// Trees of at most this many bytes for all of these, which are sorted, each with the number of those that it is
/// for. What is longer by itself stays alone.
fn trees(ends: &[End<'_>], bytes_at_most: usize) -> Vec<(String, usize)> {
    /// Longer ones are no faster.
    const BYTES: usize = 3_500;
    let bytes_at_most = bytes_at_most.min(BYTES);
    let mut trees = Vec::new();
    let mut rest = ends;
    while !rest.is_empty() {
        // What they begin with is shared, and what joins them is not counted.
        let mut bytes = 0;
        let fits = rest.iter().take_while(|(head, tail)| {
            bytes += head.iter().map(String::len).sum::<usize>() + tail.len();
            bytes <= 2 * bytes_at_most
        });
        let mut count = fits.count().max(1);
        let mut text = tree(&rest[..count], DEPTH);
        while text.len() > bytes_at_most && count > 1 {
            count -= count.div_ceil(4);
            text = tree(&rest[..count], DEPTH);
        }
        trees.push((text, count));
        rest = &rest[count..];
    }
    trees
}

/// What is left of a head, and the tail.
type End<'p> = (&'p [String], &'p str);

/// One expression for all of these, which are sorted: what they begin with is written once.
fn tree(ends: &[End<'_>], depth: usize) -> String {
    let first = ends.first().map_or(&[][..], |(head, _)| head);
    let shared = ends.iter().fold(first.len(), |shared, (head, _)| {
        head.iter().zip(&first[..shared]).take_while(|(a, b)| a == b).count()
    });
    let mut alternatives: Vec<String> = Vec::new();
    let mut rest = ends;
    while let Some(&(head, tail)) = rest.first() {
        let same = match head.get(shared) {
            Some(next) if depth > 0 => {
                rest.iter().take_while(|(head, _)| head.get(shared) == Some(next)).count()
            }
            _ => 1,
        };
        if same == 1 {
            alternatives.push(head[shared..].concat() + tail);
        } else {
            let below = rest[..same].iter().map(|(head, tail)| (&head[shared..], *tail));
            alternatives.push(tree(&below.collect::<Vec<_>>(), depth - 1));
        }
        rest = &rest[same..];
    }
    // Of two names that match the longer one counts, and so it comes first.
    alternatives.sort_by_key(String::is_empty);
    let shared = first[..shared].concat();
    match &alternatives[..] {
        [one] => shared + one,
        all => format!("{shared}(?:{})", all.join("|")),
    }
}

/// Expressions for these names of letters, digits, `-`, `_` and `.`, together.
pub(super) fn names<'n>(
    names: impl IntoIterator<Item = &'n str>,
    bytes_at_most: usize,
) -> Vec<String> {
    let mut all: Vec<Vec<String>> =
        names.into_iter().map(|name| name.bytes().map(literal).collect()).collect();
    all.sort();
    let ends: Vec<End<'_>> = all.iter().map(|name| (&name[..], "")).collect();
    trees(&ends, bytes_at_most).into_iter().map(|(text, _)| text).collect()
}

/// An expression for a URL that is not in normal form. `None`: all are.
pub(super) fn not_normal(profile: &Profile, syntax: Syntax) -> Option<String> {
    let encoding = Encoding::of_target(profile);
    let is_normal = |text: &[u8]| encoding.normalised(text).eq(text.iter().copied());
    let raw = (0x21..=0xFFu8).filter(|byte| !b"#%".contains(byte) && !is_normal(&[*byte]));
    let raw = set(raw.filter(|byte| syntax.pcre || byte.is_ascii()));
    any(raw.into_iter().chain(escaped(|digits| !is_normal(&[b'%', digits[0], digits[1]]))))
}

/// One of these expressions. `None` if there are none.
pub(super) fn any(alternatives: impl IntoIterator<Item = String>) -> Option<String> {
    let all: Vec<String> = alternatives.into_iter().collect();
    match &all[..] {
        [] => None,
        [one] => Some(one.clone()),
        all => Some(format!("(?:{})", all.join("|"))),
    }
}

/// The escapes with such digits, of either case: first digits with the same second ones together.
fn escaped(has: impl Fn([u8; 2]) -> bool) -> impl Iterator<Item = String> {
    let mut by_low: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for high in HEX {
        let low: Vec<u8> = HEX.into_iter().filter(|low| has([high, *low])).collect();
        match by_low.iter_mut().find(|(_, known)| *known == low) {
            Some((highs, _)) => highs.push(high),
            None if low.is_empty() => {}
            None => by_low.push((vec![high], low)),
        }
    }
    let of_both = |(high, low): (Vec<u8>, Vec<u8>)| Some(format!("%{}{}", set(high)?, set(low)?));
    by_low.into_iter().filter_map(of_both)
}

/// The value of an escape's digits.
fn value_of([high, low]: [u8; 2]) -> Option<u8> {
    Some(hex_value(high)? << 4 | hex_value(low)?)
}

const HEX: [u8; 22] = *b"0123456789ABCDEFabcdef";

/// A byte as an expression that matches it and nothing else.
fn literal(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        b'/' | b'_' | b'-' | b'=' | b'&' | b',' | b':' | b'@' | b'!' | b'~' | b'%' => {
            char::from(byte).to_string()
        }
        b'.' | b'?' | b'+' => format!("\\{}", char::from(byte)),
        _ => format!("\\x{byte:02x}"),
    }
}

/// A rule's value for a comment: nothing in it ends a line, continues one or begins a variable.
fn in_comment(value: &[u8]) -> String {
    const SHOWN: usize = 120;
    let mut text = String::new();
    for &byte in value.iter().take(SHOWN) {
        match byte {
            b' ' | b'?' | b'*' | b'+' | b'$' | b'.' => text.push(char::from(byte)),
            _ => text += &literal(byte),
        }
    }
    if value.len() > SHOWN {
        text += "...";
    }
    text
}

/// A piece of a pattern between the stars of a wildcard.
fn in_wildcard(piece: &[u8]) -> String {
    let mut text = String::new();
    for &byte in piece {
        if b"*\\".contains(&byte) {
            text.push('\\');
        }
        text.push(char::from(byte));
    }
    text
}

/// One of these bytes, which are in ascending order. `None` if there are none.
fn set(bytes: impl IntoIterator<Item = u8>) -> Option<String> {
    let bytes: Vec<u8> = bytes.into_iter().collect();
    // A dash would be a range.
    let in_set = |byte: u8| if byte == b'-' { "\\x2d".to_owned() } else { literal(byte) };
    let mut text = String::new();
    let mut at = 0;
    while let Some(&from) = bytes.get(at) {
        let run = (at..bytes.len())
            .take_while(|&to| usize::from(bytes[to]) == usize::from(from) + to - at);
        let last = run.last().unwrap_or(at);
        text += &in_set(from);
        if last > at + 1 {
            text.push('-');
        }
        if last > at {
            text += &in_set(bytes[last]);
        }
        at = last + 1;
    }
    match &bytes[..] {
        [] => None,
        [one] => Some(literal(*one)),
        _ => Some(format!("[{text}]")),
    }
}

/// Writes patterns.
struct Writer {
    encoding: Encoding,
    form: Form,
    syntax: Syntax,
    wildcards: bool,
}

impl Writer {
    /// The parts of a pattern. `None` if it matches no URL.
    fn parts(
        &self,
        pattern: Pattern<'_>,
        comment: String,
        rule: Option<(u32, usize)>,
    ) -> Option<Parts> {
        let is_in_no_url = |byte: &u8| {
            matches!(byte, 0..=0x20 | b'#' | 0x7F) || !self.syntax.pcre && !byte.is_ascii()
        };
        if pattern.bytes.iter().any(is_in_no_url) {
            return None;
        }
        let mut pieces = pattern.bytes.split(|byte| *byte == b'*' && self.wildcards);
        let head = pieces.next().unwrap_or_default();
        let pieces: Vec<&[u8]> = pieces.collect();
        if head.first().map_or(pieces.is_empty() && pattern.anchored, |first| *first != b'/') {
            return None;
        }
        let mut wildcard = in_wildcard(head);
        for piece in &pieces {
            wildcard += "*";
            wildcard += &in_wildcard(piece);
        }
        let mut head = self.aligned(head)?;
        let mut tail = String::new();
        let star = self.star();
        if let [piece] = pieces[..] {
            // With one star it can be joined with others that have one there.
            head.push(star.to_owned());
            head.extend(self.anywhere(piece, pattern.anchored)?);
        } else {
            for (at, piece) in pieces.iter().enumerate() {
                let is_end = pattern.anchored && at + 1 == pieces.len();
                let piece = self.anywhere(piece, is_end)?.concat();
                if at + 1 == pieces.len() {
                    // If it has to be the end, it is not where it fits first.
                    let _ = write!(tail, "{star}{piece}");
                } else {
                    // Where it fits first leaves the most room for what follows: no other place has to be
                    // tried.
                    let open = if self.syntax.pcre { "(?>" } else { "(?:" };
                    let _ = write!(tail, "{open}{star}{piece})");
                }
            }
        }
        if pattern.anchored {
            if self.form != Form::Normal && ends_in_escape(pattern.bytes) {
                return None;
            }
            tail.push('$');
        } else {
            wildcard.push('*');
        }
        Some(Parts { head, tail, comment, wildcard: Some(wildcard), rule })
    }

    /// The pattern as a server can say it that sees only paths. `None`: not at all.
    fn of_paths<'p>(&self, pattern: Pattern<'p>, refuses: bool) -> Option<Pattern<'p>> {
        let Some(Paths::Widen { refuses: cuts }) = self.syntax.paths else { return Some(pattern) };
        let needs = |byte: &u8| *byte == b'?' || *byte == b'*' && self.wildcards;
        match pattern.bytes.iter().position(needs) {
            None if !pattern.anchored => Some(pattern),
            at if refuses == cuts => {
                let bytes = &pattern.bytes[..at.unwrap_or(pattern.bytes.len())];
                Some(Pattern { bytes, anchored: false })
            }
            // A path that matches goes on matching, whatever the query.
            _ if !pattern.anchored && !pattern.bytes.contains(&b'?') => Some(pattern),
            _ => None,
        }
    }

    /// What a star matches: as little as will do.
    ///
    /// In a URL as sent it takes whole escapes.
    fn star(&self) -> &'static str {
        match (self.form, self.syntax.pcre) {
            (Form::Normal, _) => ".*?",
            (_, true) => STAR_LOOKING_BACK,
            (_, false) => STAR,
        }
    }

    /// Expressions for a piece after a star, one after the other. In a URL as sent it may begin within an escape,
    /// as `F` in `%2F`, which has the same normal form as `%2f`. `is_end`: the URL ends with the piece, and so
    /// not within an escape.
    fn anywhere(&self, piece: &[u8], is_end: bool) -> Option<Vec<String>> {
        if self.form == Form::Normal || !piece.first().is_some_and(|byte| is_upper_hex(*byte)) {
            return self.aligned(piece);
        }
        let first = piece.first().and_then(|digit| hex_value(*digit));
        let second = piece.get(1).copied();
        let from_high = |value: u8| {
            first == Some(value >> 4)
                && match second {
                    Some(low) => is_upper_hex(low) && hex_value(low) == Some(value & 15),
                    None => !is_end,
                }
        };
        let from_low = |value: u8| first == Some(value & 15);
        let rest = |from: usize| self.aligned(piece.get(from..).unwrap_or_default());
        let within = |values: Option<String>, rest: Option<Vec<String>>| {
            values.zip(rest).map(|(values, rest)| values + &rest.concat())
        };
        let alternatives = [
            self.aligned(piece).map(|units| units.concat()),
            within(self.escapes(from_high), rest(2)),
            within(self.escapes(from_low), rest(1)),
        ];
        any(alternatives.into_iter().flatten()).map(|one| vec![one])
    }

    /// An expression for each byte or escape of a text. `None` if it is in no URL.
    fn aligned(&self, mut text: &[u8]) -> Option<Vec<String>> {
        let mut units = Vec::new();
        if self.form == Form::Normal {
            units.extend(text.iter().map(|byte| literal(*byte)));
            return Some(units);
        }
        while let [first, rest @ ..] = text {
            if *first != b'%' {
                units.push(self.plain(*first)?);
                text = rest;
                continue;
            }
            // Where the text ends within an escape, it is about several.
            let fits = |value: u8| {
                let digits = [value >> 4, value & 15];
                rest.iter()
                    .zip(digits)
                    .all(|(byte, digit)| is_upper_hex(*byte) && hex_value(*byte) == Some(digit))
            };
            units.push(self.escapes(fits)?);
            text = rest.get(2..).unwrap_or_default();
        }
        Some(units)
    }

    /// The spellings of a character whose normal form is itself. `None`: it has another one.
    fn plain(&self, byte: u8) -> Option<String> {
        let becomes = |text: &[u8]| self.encoding.normalised(text).eq([byte]);
        let raw = becomes(&[byte]).then(|| literal(byte));
        let escape = format!("%{byte:02X}");
        let escape =
            becomes(escape.as_bytes()).then(|| escaped(|digits| value_of(digits) == Some(byte)));
        any(raw.into_iter().chain(escape.into_iter().flatten()))
    }

    /// The spellings of the escapes with such values that stay escapes in the normal form.
    fn escapes(&self, has: impl Fn(u8) -> bool) -> Option<String> {
        let stays = |value: &u8| {
            let escape = format!("%{value:02X}");
            self.encoding.normalised(escape.as_bytes()).eq(escape.bytes())
        };
        let values: Vec<u8> = (0..=255).filter(|value| has(*value)).filter(stays).collect();
        // What is escaped in the normal form may have been sent as it is.
        let raw = values.iter().copied().filter(|value| {
            let escape = format!("%{value:02X}");
            self.form.has(*value)
                && (self.syntax.pcre || value.is_ascii())
                && self.encoding.normalised(&[*value]).eq(escape.bytes())
        });
        let raw = set(raw);
        any(raw
            .into_iter()
            .chain(escaped(|digits| value_of(digits).is_some_and(|value| values.contains(&value)))))
    }
}

/// Returns true if the text ends within an escape, where no URL ends.
fn ends_in_escape(text: &[u8]) -> bool {
    let last = &text[text.len().saturating_sub(2)..];
    last.contains(&b'%')
}

fn is_upper_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'F')
}

#[cfg(test)]
mod tests {
    use super::*;

    const PCRE: Syntax = Syntax { pcre: true, joins: true, bytes_at_most: 4_000, paths: None };

    fn written(profile: &Profile, value: &[u8], form: Form) -> Vec<String> {
        let rule = robotsieve::internals::RawRule {
            line: 1,
            verdict: robotsieve::Verdict::Disallow,
            value,
        };
        let rules = RuleSet::new([rule].into_iter(), profile);
        let runs = runs(&rules, Encoding::of_target(profile), form, PCRE).unwrap();
        runs.iter()
            .skip(1)
            .flat_map(|run| run.regexes.iter().map(|regex| regex.text.clone()))
            .collect()
    }

    #[test]
    fn plain_and_spelled() {
        let profile = Profile::RFC9309;
        for (value, normal, sent) in [
            ("/a", "^/a", "^/(?:a|%61)"),
            (
                "/*.F$",
                r"^/.*?\.F$",
                r"^/.*?(?!(?<=%)[0-9A-Fa-f][0-9A-Fa-f]|(?<=%[0-9A-Fa-f])[0-9A-Fa-f])(?:\.|%2[Ee])(?:F|%46)$",
            ),
            ("/?q=", r"^/\?q=", r"^/\?(?:q|%71)="),
            ("/ä", "^/%C3%A4", r"^/(?:\xc3|%[Cc]3)(?:\xa4|%[Aa]4)"),
            (
                "*2",
                "^.*?2",
                "^.*?(?!(?<=%)[0-9A-Fa-f][0-9A-Fa-f]|(?<=%[0-9A-Fa-f])[0-9A-Fa-f])(?:(?:2|%32)|",
            ),
            // Not `%1a`: the URL does not end within an escape.
            (
                "/*1$",
                "^/.*?1$",
                r"^/.*?(?!(?<=%)[0-9A-Fa-f][0-9A-Fa-f]|(?<=%[0-9A-Fa-f])[0-9A-Fa-f])(?:(?:1|%31)|(?:[\x81\x91",
            ),
            (
                "/*a*b",
                "^/(?>.*?a).*?b",
                "^/(?>.*?(?!(?<=%)[0-9A-Fa-f][0-9A-Fa-f]|(?<=%[0-9A-Fa-f])[0-9A-Fa-f])(?:a|%61))",
            ),
        ] {
            assert_eq!(written(&profile, value.as_bytes(), Form::Normal), [normal], "{value}");
            let found = written(&profile, value.as_bytes(), Form::Sent);
            assert!(found.len() == 1 && found[0].starts_with(sent), "{value}: {found:?}");
        }
        // It matches nothing: no URL begins so.
        assert!(written(&profile, b"a", Form::Normal).is_empty());
    }

    /// What the expression finds is not in normal form, and nothing else is.
    #[test]
    fn urls_not_in_normal_form() {
        use regex_automata::hybrid::regex::Regex;
        use regex_automata::util::syntax;
        let alphabet = b"%0246aAfFgZ*$\xE9~-<";
        for (name, profile) in Profile::NAMED {
            let encoding = Encoding::of_target(profile);
            let mut regex = not_normal(profile, PCRE).map(|text| {
                let syntax = syntax::Config::new().unicode(false).utf8(false);
                let regex = Regex::builder().syntax(syntax).build(&text).unwrap();
                let cache = regex.create_cache();
                (regex, cache)
            });
            for number in 0..alphabet.len().pow(4) {
                let byte =
                    |digit: u32| alphabet[number / alphabet.len().pow(digit) % alphabet.len()];
                let text: Vec<u8> = (0..4).map(byte).collect();
                let has_stray = memchr::memchr_iter(b'%', &text).any(|at| {
                    !text
                        .get(at + 1..at + 3)
                        .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
                });
                if has_stray {
                    continue;
                }
                let is_normal = encoding.normalised(&text).eq(text.iter().copied());
                let found =
                    regex.as_mut().is_some_and(|(regex, cache)| regex.is_match(cache, &text));
                assert_eq!(found, !is_normal, "{name} {}", text.escape_ascii());
            }
        }
    }
}

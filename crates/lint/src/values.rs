//! Findings about the values of rules.

use std::ops::Range;

use robotsieve::Record;
use robotsieve::internals::{Encoding, RobotsInternals as _};
use robotsieve_known::internals as crawlers;

use crate::change::Offered;
use crate::shown::{is_invisible, shown};
use crate::subject::Subject;
use crate::{Code, Severity};

pub(super) fn find(subject: &mut Subject<'_>, record: &Record<'_>) {
    let in_group = subject.robots.groups().group_of_line(record.line).is_some();
    if in_group {
        regular_expression(subject, record);
        several_paths(subject, record);
        placeholder(subject, record);
        match url(record.value) {
            Some(url) => other_host(subject, record, &url),
            None => no_leading_slash(subject, record),
        }
        dollar_inside(subject, record);
    }
    // Encoding what is no path would only hide that.
    if matches!(record.value.first(), Some(b'/' | b'*')) {
        fragment(subject, record);
        unescaped(subject, record);
        percent_encoding(subject, record);
    }
}

/// A rule that is a whole URL.
struct Url<'a> {
    /// Scheme and host, as written.
    origin: &'a [u8],
    /// Empty, or it begins with `/`.
    path: &'a [u8],
    /// True if the host is one, without stars.
    has_host: bool,
}

fn url(value: &[u8]) -> Option<Url<'_>> {
    let scheme = ["http://", "https://"].into_iter().find(|scheme| {
        let start = value.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    })?;
    let host_len = value[scheme.len()..].iter().position(|byte| b"/?#*".contains(byte));
    let end = host_len.map_or(value.len(), |len| scheme.len() + len);
    let (origin, path) = value.split_at(end);
    Some(Url { origin, path, has_host: end > scheme.len() && value.get(end) != Some(&b'*') })
}

fn other_host(subject: &mut Subject<'_>, record: &Record<'_>, url: &Url<'_>) {
    let origin = shown(url.origin);
    let message = format!("'{}' is a URL, but rules are paths", shown(record.value));
    let elsewhere = format!(
        "if {origin} is another host, put the rule into {origin}/robots.txt and remove the line"
    );
    let span = record.value_span();
    let draft = subject.add(Code::OtherHost, record.line, span.clone(), message);
    if !url.has_host {
        draft.help("what may be fetched from another host is said by that host's robots.txt");
    } else if url.path.first() == Some(&b'/') {
        let path = shown(url.path);
        draft.help(format!("{elsewhere}; if it is this one, the path is '{path}'"));
        // Whose host it is is not known, so neither is what was meant.
        draft.propose(format!("write '{path}'"), span, url.path);
        if let Some(proposal) = &mut draft.proposal {
            proposal.offered = Offered::Never;
        }
    } else {
        draft.help(elsewhere);
    }
}

fn no_leading_slash(subject: &mut Subject<'_>, record: &Record<'_>) {
    let text = record.value;
    if matches!(text.first(), None | Some(b'/')) {
        return;
    }
    let assumed = subject.profile.leading_slash_assumed;
    let value = shown(text);
    let (severity, message) = match (assumed, text[0]) {
        (true, _) => (
            Severity::Warning,
            format!("'{value}' is read as '/{value}' here, but not by most crawlers"),
        ),
        (false, b'*') if subject.profile.wildcards => (
            Severity::Note,
            format!("'{value}' begins with '*' instead of '/', which not all crawlers accept"),
        ),
        _ => {
            (Severity::Error, format!("'{value}' does not begin with '/', so no URL can match it"))
        }
    };
    let span = record.value_span();
    let after_stars = text.iter().position(|byte| *byte != b'*').unwrap_or(text.len());
    let draft = subject.add(Code::NoLeadingSlash, record.line, span.clone(), message);
    draft.severity(severity);
    let meant = match (after_stars, text.get(after_stars)) {
        // The message says how it is read.
        (1.., _) if assumed => return,
        // The stars may match nothing: '*/x' matches '/x' too, which '/*/x' does not.
        (1.., Some(b'/')) => return,
        // The same URLs match, but the rule is longer and may win where it did not.
        (1.., _) => {
            draft.propose(format!("write '/{value}'"), span, [b"/", text].concat());
            subject.offer_if_unchanging();
            return;
        }
        (0, _) if crawlers::is_well_known(text) => {
            draft.help(format!(
                "'{value}' is a crawler: if it is meant, write 'User-agent: {value}' above and the rule '/'"
            ));
            return;
        }
        (0, _) if WORDS.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(text)) => {
            draft.help(
                "if all of the site is meant, write '/'; if nothing is, leave the value empty",
            );
            return;
        }
        // A host without its scheme, or nothing that a path is likely to begin with.
        _ if is_host(text) || !text.iter().any(u8::is_ascii_alphanumeric) => {
            draft.help("a rule is a path, and begins with '/'");
            return;
        }
        // The start of a path.
        (0, Some(byte)) if byte.is_ascii_alphanumeric() || b"_-~%".contains(byte) => {
            [b"/", text].concat()
        }
        // A part of a path: an extension, a parameter.
        (0, Some(b'?' | b'&' | b'=')) => [b"/*", text].concat(),
        (0, Some(b'.')) if text.get(1).is_some_and(u8::is_ascii_alphanumeric) => {
            [b"/*", text].concat()
        }
        _ => {
            draft.help("a rule is a path, and begins with '/'");
            return;
        }
    };
    draft.propose(format!("write '{}'", shown(&meant)), span, meant);
}

/// Words that say how much is meant, and are no paths.
const WORDS: [&str; 10] =
    ["all", "any", "everything", "false", "no", "none", "nothing", "null", "true", "yes"];

/// Returns true if a value begins like a host, a scheme or a drive: `www.`, labels and a slash, `http:`.
fn is_host(value: &[u8]) -> bool {
    // A scheme, or a path of Windows.
    if value.iter().take_while(|byte| **byte != b'/').any(|byte| b":\\".contains(byte)) {
        return true;
    }
    let end = value.iter().position(|byte| b"/*".contains(byte)).unwrap_or(value.len());
    let (host, path) = value.split_at(end);
    let is_label = |label: &[u8]| {
        !label.is_empty() && label.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    let labels: Vec<&[u8]> = host.split(|byte| *byte == b'.').collect();
    let top = labels.last().copied().unwrap_or_default();
    let looks_like_host = labels.len() > 1
        && labels.iter().all(|label| is_label(label))
        && top.len() > 1
        && top.iter().all(u8::is_ascii_alphabetic);
    looks_like_host && (!path.is_empty() || host.get(..4) == Some(b"www."))
}

fn dollar_inside(subject: &mut Subject<'_>, record: &Record<'_>) {
    let value = record.value;
    let Some(at) = memchr::memchr(b'$', value) else { return };
    if at + 1 == value.len() || !subject.profile.wildcards {
        return;
    }
    let span = record.value_span().start + at..record.value_span().start + at + 1;
    let draft = subject.add(
        Code::DollarInside,
        record.line,
        span,
        "this '$' is a plain character, because '$' means the end of the URL only at the end of a \
         rule",
    );
    if value[at + 1..].iter().all(|byte| b"$*".contains(byte)) {
        let end = record.value_span().start + at + 1..record.value_span().end;
        draft.propose(format!("write '{}'", shown(&value[..=at])), end, "");
    } else {
        draft.help("if the end of the URL is meant, end the rule here");
    }
}

/// Reports what only regular expressions mean something by.
fn regular_expression(subject: &mut Subject<'_>, record: &Record<'_>) {
    let value = record.value;
    let class = |open: usize| {
        let inside = &value[open + 1..];
        let len = memchr::memchr(b']', inside)?;
        let inside = &inside[..len];
        let is_range = inside
            .windows(3)
            .any(|w| w[1] == b'-' && w[0].is_ascii_alphanumeric() && w[2].is_ascii_alphanumeric());
        // `[&%]`. A query of an array has nothing or a name between its brackets.
        let are_signs = (2..=4).contains(&len)
            && inside.iter().all(|byte| byte.is_ascii_punctuation() && !b"*[$".contains(byte));
        (is_range && len <= 12 || are_signs || inside.first() == Some(&b'^'))
            .then_some(open..open + len + 2)
    };
    let group = |open: usize| {
        let inside = &value[open + 1..];
        let len = memchr::memchr(b')', inside)?;
        let is_any = inside[..len] == *b".*" || inside[..len] == *b".+";
        let is_choice = is_any || inside[..len].contains(&b'|') || inside.starts_with(b"?:");
        is_choice.then_some(open..open + len + 2)
    };
    let escape = |at: usize| {
        let next = value.get(at + 1)?;
        b".dws?*/+-".contains(next).then_some(at..at + 2)
    };
    let construct = match value {
        [b'^', ..] => Some(0..1),
        _ => {
            memchr::memchr3_iter(b'[', b'(', b'\\', value).take(64).find_map(|at| match value[at] {
                b'[' => class(at),
                b'(' => group(at),
                _ => escape(at),
            })
        }
    };
    let Some(span) = construct else { return any_at_the_end(subject, record) };
    let at = record.value_span().start;
    let message = format!(
        "'{}' is written as in a regular expression, but stands for itself",
        shown(&value[span.clone()])
    );
    subject
        .add(Code::RegularExpression, record.line, at + span.start..at + span.end, message)
        .help("only '*' and a '$' at the end have a meaning; write a rule for each case");
}

/// Reports `/.*` and `.+` at the end of a rule, where `.` and `+` stand for themselves. `/index.*` is about files of
/// any type, and `/.*` alone about hidden ones.
fn any_at_the_end(subject: &mut Subject<'_>, record: &Record<'_>) {
    let value = record.value;
    let whole = value.strip_suffix(b"$").unwrap_or(value);
    let Some(before) = whole.strip_suffix(b".*").or_else(|| whole.strip_suffix(b".+")) else {
        return;
    };
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_".contains(byte);
    let is_star = whole.ends_with(b"*");
    let is_folder = before.len() > 1 && before.ends_with(b"/");
    if !subject.profile.wildcards
        || before.first() != Some(&b'/')
        || !before.iter().all(is_plain)
        || is_star && !is_folder
    {
        return;
    }
    let kept = shown(whole.strip_suffix(b"*").unwrap_or(whole));
    let message = format!(
        "'{}' matches only what begins with '{kept}', where each character stands for itself",
        shown(value)
    );
    let span = record.value_span().start + before.len()..record.value_span().end;
    let before = shown(before);
    subject
        .add(Code::RegularExpression, record.line, span, message)
        .severity(Severity::Warning)
        .help(format!("if all that begins with '{before}' is meant, write '{before}'"));
}

/// Reports several paths in one rule, with blanks, commas or the like between them.
fn several_paths(subject: &mut Subject<'_>, record: &Record<'_>) {
    let value = record.value;
    let is_separator = |byte: &u8| byte.is_ascii_whitespace() || b",;|".contains(byte);
    if value.first() != Some(&b'/') || !value.iter().any(is_separator) {
        return;
    }
    let paths: Vec<&[u8]> = value.split(is_separator).filter(|path| !path.is_empty()).collect();
    // `//` begins a comment of other languages. A star reaches over what separates them.
    let is_path = |path: &&[u8]| path.starts_with(b"/") && !path.starts_with(b"//");
    if paths[..paths.len() - 1].iter().any(|path| path.ends_with(b"*")) {
        return;
    }
    if paths.len() < 2 || !paths.iter().all(is_path) {
        return;
    }
    let message =
        format!("'{}' is one path that no URL has, and not {} paths", shown(value), paths.len());
    let span = record.value_span();
    let name = shown(&subject.file[subject.name_span(record)]);
    let between = format!("{}{name}: ", subject.line_end(span.start));
    let lines = paths.join(between.as_bytes());
    subject.add(Code::SeveralPaths, record.line, span.clone(), message).propose(
        "write a rule for each path",
        span,
        lines,
    );
}

/// Reports what stands in a rule for something else: the placeholders of templates, the escapes of HTML.
fn placeholder(subject: &mut Subject<'_>, record: &Record<'_>) {
    let value = record.value;
    let offset = record.value_span().start;
    let star = memchr::memchr(b'*', value).unwrap_or(value.len());
    // Behind a star it is what broken links have, and blocked on purpose.
    if memchr::memmem::find(&value[..star], b"&amp;").is_some() {
        let message = "'&amp;' is '&' in HTML alone";
        let at = memchr::memmem::find(value, b"&amp;").unwrap_or_default() + offset;
        let draft = subject.add(Code::Placeholder, record.line, at..at + 5, message);
        let written = replaced_all(value, b"&amp;", b"&");
        draft.propose(format!("write '{}'", shown(&written)), record.value_span(), written);
        return;
    }
    let entity =
        |name: &&[u8]| memchr::memmem::find(&value[..star], name).map(|at| at..at + name.len());
    if let Some(span) = [&b"&lt;"[..], b"&gt;", b"&quot;"].iter().find_map(entity) {
        let message =
            format!("'{}' is another character in HTML alone", shown(&value[span.clone()]));
        subject
            .add(Code::Placeholder, record.line, offset + span.start..offset + span.end, message)
            .help("write what URLs have in its place");
        return;
    }
    let Some(span) = placeholder_in(value) else { return };
    let message = format!(
        "'{}' is a placeholder, and URLs have something in its place",
        shown(&value[span.clone()])
    );
    subject
        .add(Code::Placeholder, record.line, offset + span.start..offset + span.end, message)
        .help("write '*' for the part that differs from URL to URL");
}

fn replaced_all(text: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut written = Vec::with_capacity(text.len());
    let mut from = 0;
    for at in memchr::memmem::find_iter(text, old) {
        written.extend_from_slice(&text[from..at]);
        written.extend_from_slice(new);
        from = at + old.len();
    }
    written.extend_from_slice(&text[from..]);
    written
}

/// `:id`, `{id}`, `${id}`, `{{ id }}`, `[id]`, `[...slug]`, `<id>` or `%s` as a whole segment of a path, before any star: what stands
/// behind one blocks what a broken template leaves in URLs.
fn placeholder_in(value: &[u8]) -> Option<Range<usize>> {
    const TAGS: [&[u8]; 8] = [b"a", b"b", b"br", b"div", b"i", b"li", b"p", b"span"];
    let is_name = |name: &[u8]| {
        name.first().is_some_and(u8::is_ascii_alphabetic)
            && name.len() <= 40
            && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-:".contains(byte))
    };
    let star = memchr::memchr(b'*', value).unwrap_or(value.len());
    let mut at = 0;
    for segment in value[..star].split(|byte| b"/?".contains(byte)) {
        let segment_at = at;
        at += segment.len() + 1;
        // A star right behind it goes on with the name.
        let is_cut = segment_at + segment.len() == star && star < value.len();
        let found = match segment {
            [b':', name @ ..] => is_name(name) && !name.contains(&b':') && !is_cut,
            [b'[', name @ .., b']'] => is_name(name.strip_prefix(b"...").unwrap_or(name)),
            [b'{', b'{', name @ .., b'}', b'}'] => is_name(name.trim_ascii()),
            [b'$', b'{', name @ .., b'}'] | [b'{', name @ .., b'}'] => is_name(name),
            // A rule that ends in `%d` is about escapes.
            [b'%', b's'] => true,
            [b'%', b'd'] => at <= star,
            [b'<', name @ .., b'>'] => is_name(name) && !TAGS.contains(&name),
            _ => false,
        };
        if found && segment_at > 0 {
            return Some(segment_at..segment_at + segment.len());
        }
    }
    None
}

/// Bytes of a rule that should be percent-encoded, or should not.
fn unescaped(subject: &mut Subject<'_>, record: &Record<'_>) {
    let value = record.value;
    let at = record.value_span().start;
    let profile = subject.profile;
    let encoding = Encoding::of_rule(&profile);
    let is_unescaped = |o: &u8| {
        !o.is_ascii()
            || matches!(o, 0..=0x20 | 0x7F | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{'..=b'}')
    };
    if let Some(first) = value.iter().position(is_unescaped) {
        let last = value.iter().rposition(is_unescaped).unwrap_or(first);
        // All unescaped bytes, not only the first one.
        let compared = value[first..=last].iter().filter(|o| is_unescaped(o));
        let is_encoded = |o: &u8| encoding.changes(*o);
        let encoded = compared.clone().all(is_encoded);
        let as_it_stands = !compared.into_iter().any(is_encoded);
        let bytes = shown(&value[first..=last]);
        let (severity, message) = if encoded {
            (
                Severity::Note,
                format!("not all crawlers percent-encode '{bytes}' before they compare it"),
            )
        } else if !as_it_stands {
            (
                Severity::Warning,
                format!(
                    "only part of '{bytes}' is compared percent-encoded, but URLs encode all of it"
                ),
            )
        } else {
            (
                Severity::Warning,
                format!("'{bytes}' is compared as written, but URLs contain it percent-encoded"),
            )
        };
        let draft =
            subject.add(Code::UnescapedBytes, record.line, at + first..at + last + 1, message);
        draft.severity(severity);
        // As it stands it is about URLs that hardly exist.
        if value.contains(&b'"') {
            draft.loses(true).help("quotation marks are part of the rule; URLs hardly have them");
        } else if str::from_utf8(value).is_ok_and(|text| text.chars().any(is_invisible)) {
            draft.loses(true).help("the rule has an invisible character, which URLs hardly have");
        } else if let Some(question) = probably_meant(value) {
            draft.loses(true).help(question);
        } else {
            draft.propose(
                format!("write '{}'", shown(&escaped(value))),
                record.value_span(),
                escaped(value),
            );
            // Some send these as they are, so the rule may do what it says.
            let is_sent = |byte: &u8| b"|\\^".contains(byte);
            if value.iter().filter(|byte| is_unescaped(byte)).all(is_sent) {
                draft.doubts();
            }
        }
    }
}

/// Reports a `#` within what seems to be one value: the rule ends there.
fn fragment(subject: &mut Subject<'_>, record: &Record<'_>) {
    let end = record.value_span().end;
    let line = subject.line_span(end).end.max(end);
    let rest = subject.file[end..line].trim_ascii_end();
    let is_glued = |next: &u8| !next.is_ascii_whitespace() && *next != b'#';
    if rest.first() != Some(&b'#') || !rest.get(1).is_some_and(is_glued) {
        return;
    }
    let message =
        format!("'{}' is a comment, so the rule is '{}'", shown(rest), shown(record.value));
    subject
        .add(Code::UnescapedBytes, record.line, end..end + rest.len(), message)
        .severity(Severity::Warning)
        .help(
            "if a comment is meant, put a blank before the '#'; if the '#' is part of the path, write \
             '%23'; what follows a plain '#' in a URL is never sent to a site, so no rule can be about \
             it",
        );
}

/// What was probably meant by a value that looks like more than one path.
fn probably_meant(value: &[u8]) -> Option<&'static str> {
    let is_blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
    let has = |is: &dyn Fn(usize) -> bool| (0..value.len()).any(is);
    let is_comment = |at: usize| {
        let (before, after) = (&value[..at], &value[at + 1..]);
        [&b"//"[..], b";", b"-- "].iter().any(|sign| after.starts_with(sign))
            || before.ends_with(b";")
    };
    if has(&|at| is_blank(value.get(at)) && is_comment(at)) {
        return Some("if what follows the blank is a comment, put '#' before it");
    }
    if memchr::memchr2(b'<', b'>', value).is_some() {
        return Some("if this is HTML, remove it: all of it is part of the rule");
    }
    let is_end = |byte: Option<&u8>| matches!(byte, Some(b'/' | b'*'));
    let is_two = |at: usize| is_blank(value.get(at)) && is_end(value.get(at + 1));
    if has(&is_two) {
        return Some(
            "if these are several rules, put each on a line of its own; if the blank is part of the \
             path, write it as '%20'",
        );
    }
    let is_record = |at: usize| at > 0 && value[at - 1] == b':' && is_blank(value.get(at));
    if has(&is_record) {
        return Some(
            "if another record is meant, put it on a line of its own; if the blank is part of the path, \
             write it as '%20'",
        );
    }
    if value.ends_with(b"\\n") || value.ends_with(b"\\r") {
        return Some("if it ends the line, remove it: a line ends where the next one begins");
    }
    let is_stray = |at: usize| {
        is_blank(value.get(at)) && at > 0 && (is_end(value.get(at - 1)) || at + 1 == value.len())
    };
    has(&is_stray).then_some(
        "if the blank is there by mistake, remove it; if it is part of the path, write it as '%20'",
    )
}

/// The value with all bytes percent-encoded that URLs contain only so.
fn escaped(value: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(value.len());
    for byte in value {
        match byte {
            0x21..=0x7E if !b"\"<>\\^`{|}".contains(byte) => escaped.push(*byte),
            byte => {
                let digit = |half: u8| b"0123456789ABCDEF"[usize::from(half)];
                escaped.extend([b'%', digit(byte >> 4), digit(byte & 15)]);
            }
        }
    }
    escaped
}

fn percent_encoding(subject: &mut Subject<'_>, record: &Record<'_>) {
    let value = record.value;
    let hex = |at: usize| value.get(at).and_then(|o| char::from(*o).to_digit(16));
    let (mut stray, mut unreserved) = (None, None);
    for at in memchr::memchr_iter(b'%', value) {
        match (hex(at + 1), hex(at + 2)) {
            (Some(high), Some(low)) => {
                let byte = (high * 16 + low) as u8;
                if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    unreserved.get_or_insert((at, byte));
                }
            }
            _ => _ = stray.get_or_insert(at),
        }
    }
    let offset = record.value_span().start;
    if let Some((at, byte)) = unreserved {
        let (encoded, plain) = (shown(&value[at..at + 3]), char::from(byte));
        let (severity, message) = if subject.profile.unreserved_decoded {
            (Severity::Note, format!("not all crawlers read '{encoded}' as '{plain}'"))
        } else {
            let message = format!(
                "'{encoded}' is compared as written, so URLs with a plain '{plain}' do not match"
            );
            (Severity::Warning, message)
        };
        subject
            .add(Code::PercentEncoding, record.line, offset + at..offset + at + 3, message)
            .severity(severity)
            .propose(format!("write '{plain}'"), offset + at..offset + at + 3, vec![byte]);
    }
    if let Some(at) = stray {
        let message = "this '%' is not followed by two hex digits, but every '%' in a URL is";
        let span = offset + at..offset + at + 1;
        let draft = subject.add(Code::PercentEncoding, record.line, span.clone(), message);
        // What ends there, or goes on with anything, is the beginning of an encoded character.
        let digit = usize::from(hex(at + 1).is_some());
        if matches!(value.get(at + 1 + digit), None | Some(b'*')) {
            let which = if digit == 0 {
                "any encoded character"
            } else {
                "encoded characters that begin so"
            };
            draft.severity(Severity::Note).help(format!(
                "if a '%' in a URL is meant, write '%25'; if {which} {}, the rule does what it says",
                if digit == 0 { "is" } else { "are" }
            ));
        } else {
            draft.propose("write '%25'", span, "%25");
        }
    }
}

//! Editing a robots.txt: crawlers leave the groups that name them, and get groups of their own.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;

use robotsieve::internals::RobotsInternals as _;
use robotsieve::records::Scope;
use robotsieve::{Field, Profile, Robots};

/// Where the new groups go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    End,
    Beginning,
}

/// New groups, each with the heading of a comment and the tokens that it is for.
pub(super) type Groups<'t> = [(String, Vec<&'t str>)];

/// The new groups as text.
pub(super) fn groups(groups: &Groups<'_>, line_end: &str) -> String {
    let mut text = String::new();
    for (number, (heading, tokens)) in groups.iter().enumerate() {
        if number > 0 {
            text += line_end;
        }
        let _ = write!(text, "# {heading}{line_end}");
        for token in tokens {
            let _ = write!(text, "User-agent: {token}{line_end}");
        }
        let _ = write!(text, "Disallow: /{line_end}");
    }
    text
}

/// The file with the tokens of these groups taken out of all others, and the groups added.
///
/// The profile says what is a user-agent line and where groups begin.
pub(super) fn edited(file: &[u8], profile: &Profile, new: &Groups<'_>, place: Place) -> Vec<u8> {
    let tokens: HashSet<String> = new
        .iter()
        .flat_map(|(_, tokens)| tokens.iter().map(|token| token.to_ascii_lowercase()))
        .collect();
    let kept = without(file, profile, &tokens);
    let line_end = line_end(file);
    let groups = groups(new, line_end);
    let mark = if kept.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let (mark, rest) = kept.split_at(mark);
    let mut all = mark.to_vec();
    match place {
        Place::Beginning => {
            all.extend(groups.as_bytes());
            if !rest.is_empty() {
                all.extend(line_end.as_bytes());
            }
            all.extend(rest);
        }
        Place::End => {
            all.extend(rest);
            if !rest.is_empty() {
                if !rest.ends_with(b"\n") && !rest.ends_with(b"\r") {
                    all.extend(line_end.as_bytes());
                }
                let last = rest.split(|byte| b"\r\n".contains(byte)).rev();
                // After the last line end, and after the one before, both of a CRLF.
                let is_blank = last.take(if line_end.len() > 1 { 3 } else { 2 });
                if !(is_blank.clone().count() > 1 && is_blank.clone().all(<[u8]>::is_empty)) {
                    all.extend(line_end.as_bytes());
                }
            }
            all.extend(groups.as_bytes());
        }
    }
    all
}

/// The first line end of a file.
fn line_end(file: &[u8]) -> &'static str {
    match memchr::memchr2(b'\n', b'\r', file) {
        Some(at) if file[at..].starts_with(b"\r\n") => "\r\n",
        Some(at) if file[at] == b'\r' => "\r",
        _ => "\n",
    }
}

/// A group of the file.
#[derive(Default)]
struct Group {
    /// The lines that name crawlers, and whether they are to go.
    agents: Vec<(u32, bool)>,
    /// Its other lines.
    others: Vec<u32>,
}

/// Returns true if a user-agent line's value names one of these tokens: as RFC 9309 reads it, or as a whole.
pub(super) fn names_one(value: &[u8], tokens: &HashSet<String>) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let len = value.iter().position(|byte| !is_part(byte)).unwrap_or(value.len());
    let until_slash = value.split(|byte| *byte == b'/').next().unwrap_or_default();
    let has = |token: &[u8]| {
        str::from_utf8(token).is_ok_and(|token| tokens.contains(&token.to_ascii_lowercase()))
    };
    has(&value[..len]) || has(until_slash.trim_ascii())
}

/// The file without the user-agent lines that name one of these tokens. A group that is for nobody
/// else goes as a whole: without user-agent lines its rules would belong to the group before.
fn without(file: &[u8], profile: &Profile, tokens: &HashSet<String>) -> Vec<u8> {
    let robots = Robots::parse(file, profile);
    let typed = robots.typed_records();
    let of_groups: HashSet<u32> = typed
        .iter()
        .filter(|typed| matches!(typed.scope, Scope::Group(_) | Scope::Run(_)))
        .map(|typed| typed.record.line)
        .collect();
    // A delay goes with the last of its user-agent lines: it would be that of the lines above.
    let mut runs_left: HashSet<u32> = HashSet::new();
    for (line, value, _) in robots.groups().agent_lines() {
        if !names_one(&file[value], tokens) {
            runs_left.extend(robots.groups().run_of_line(line).map(|(_, run)| run));
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    // Whether the next user-agent line belongs to the last group.
    let mut has_agents_only = false;
    for record in robots.records() {
        if record.field == Field::UserAgent && !has_agents_only {
            groups.push(Group::default());
            has_agents_only = true;
        }
        let Some(group) = groups.last_mut() else { continue };
        match record.field {
            Field::UserAgent => {
                group.agents.push((record.line, names_one(record.value, tokens)));
            }
            Field::Allow | Field::Disallow => {
                has_agents_only = false;
                group.others.push(record.line);
            }
            _ if of_groups.contains(&record.line) => group.others.push(record.line),
            _ => {}
        }
    }
    let goes = |scope| matches!(scope, Scope::Run(run) if !runs_left.contains(&run));
    let mut removed: HashSet<u32> =
        typed.iter().filter(|typed| goes(typed.scope)).map(|typed| typed.record.line).collect();
    for group in groups {
        if group.agents.iter().all(|(_, goes)| *goes) {
            removed.extend(group.others);
        }
        removed.extend(group.agents.iter().filter(|(_, goes)| *goes).map(|(line, _)| line));
    }
    keep_lines(file, robots.extent(), &removed)
}

/// The file without these lines, and without blank lines that then stand twice.
fn keep_lines(file: &[u8], extent: Range<usize>, removed: &HashSet<u32>) -> Vec<u8> {
    if removed.is_empty() {
        return file.to_vec();
    }
    let mut kept = file[..extent.start].to_vec();
    let (mut after_removed, mut after_blank) = (false, true);
    let mut rest = &file[extent.clone()];
    let mut number = 0;
    while !rest.is_empty() {
        let line;
        (line, rest) = rest.split_at(line_len(rest));
        number += 1;
        if removed.contains(&number) {
            after_removed = true;
            continue;
        }
        let is_blank = line.trim_ascii().is_empty();
        if is_blank && after_removed && after_blank {
            continue;
        }
        (after_removed, after_blank) = (false, is_blank);
        kept.extend(line);
    }
    kept.extend(&file[extent.end..]);
    kept
}

/// The length of the first line with its line end.
fn line_len(text: &[u8]) -> usize {
    match memchr::memchr2(b'\n', b'\r', text) {
        Some(at) if text[at..].starts_with(b"\r\n") => at + 2,
        Some(at) => at + 1,
        None => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(file: &str, tokens: &[&str], place: Place) -> String {
        let groups = [("x".to_owned(), tokens.to_vec())];
        let text = edited(file.as_bytes(), &Profile::RFC9309, &groups, place);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn crawlers_leave_their_groups() {
        let new = "# x\nUser-agent: a\nUser-agent: b\nDisallow: /\n";
        for (file, kept) in [
            ("", ""),
            ("User-agent: *\nDisallow: /x", "User-agent: *\nDisallow: /x\n\n"),
            ("User-agent: *\nDisallow: /x\n\n", "User-agent: *\nDisallow: /x\n\n"),
            // Only they: the group goes, with what belongs to it, but not with what does not.
            (
                "User-agent: c\nDisallow: /c\n\n# of a\nUser-agent: A\nCrawl-delay: 3\nAllow: /\n\
                 Sitemap: https://e.com/\nUser-agent: b/2\nDisallow: /b\n\nUser-agent: d\n",
                "User-agent: c\nDisallow: /c\n\n# of a\nSitemap: https://e.com/\n\nUser-agent: d\n\n",
            ),
            // Others too: they stay.
            (
                "User-agent: c\nUser-agent: a\nUser-agent: ab\nDisallow: /c\nAllow: /\n",
                "User-agent: c\nUser-agent: ab\nDisallow: /c\nAllow: /\n\n",
            ),
            // A delay goes with its user-agent line, and does not become another crawler's.
            (
                "User-agent: c\nDisallow: /c\nUser-agent: a\nCrawl-delay: 300\nUser-agent: d\n\
                 Crawl-delay: 2\nDisallow: /d\n",
                "User-agent: c\nDisallow: /c\nUser-agent: d\nCrawl-delay: 2\nDisallow: /d\n\n",
            ),
            // No blank line stands twice.
            (
                "User-agent: a\nDisallow: /\n\nUser-agent: c\nDisallow: /\n\nUser-agent: b\n\
                 Disallow: /\n\nUser-agent: d\nDisallow: /\n",
                "User-agent: c\nDisallow: /\n\nUser-agent: d\nDisallow: /\n\n",
            ),
        ] {
            assert_eq!(edit(file, &["a", "b"], Place::End), format!("{kept}{new}"), "{file}");
        }
    }

    #[test]
    fn line_ends_and_marks_are_kept() {
        let file = "\u{feff}User-agent: a\r\nDisallow:\r\nUser-agent: *\r\nDisallow: /x\r\n";
        let rest = "User-agent: *\r\nDisallow: /x\r\n";
        let group = "# x\r\nUser-agent: a\r\nDisallow: /\r\n";
        let end = edit(file, &["a"], Place::End);
        assert_eq!(end, format!("\u{feff}{rest}\r\n{group}"));
        let beginning = edit(file, &["a"], Place::Beginning);
        assert_eq!(beginning, format!("\u{feff}{group}\r\n{rest}"));
        let mac = edit("User-agent: *\rDisallow: /x\r\r", &["a"], Place::End);
        assert_eq!(mac, "User-agent: *\rDisallow: /x\r\r# x\rUser-agent: a\rDisallow: /\r");
        let blank = edit("User-agent: *\r\nDisallow: /x\r\n\r\n", &["a"], Place::End);
        assert_eq!(blank, format!("{rest}\r\n{group}"));
    }
}

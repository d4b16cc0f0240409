//! Comments in the file that silence findings.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::shown::shown;
use crate::subject::{self, Draft};
use crate::{Code, Finding, MAX_PER_CODE, Options};

/// What comments silence.
#[derive(Default)]
struct Silenced {
    in_file: BTreeSet<Code>,
    /// By line.
    on_line: BTreeMap<u32, BTreeSet<Code>>,
}

/// Takes out what the file's comments silence, and adds findings about comments that cannot be
/// read. Returns how many findings were taken out.
pub(super) fn find(file: &[u8], drafts: &mut Vec<Draft>, options: &Options) -> usize {
    let mut silenced = Silenced::default();
    let mut wrong = Vec::new();
    read(file, &mut silenced, &mut wrong);
    let found = drafts.len();
    drafts.retain(|Draft { finding, .. }| {
        let on_line = silenced.on_line.get(&finding.line);
        !silenced.in_file.contains(&finding.code)
            && on_line.is_none_or(|codes| !codes.contains(&finding.code))
    });
    let taken_out = found - drafts.len();
    let profiles: Vec<_> = options.profiles.iter().map(|(name, _)| name.clone()).collect();
    for (line, span, message) in wrong.into_iter().take(MAX_PER_CODE) {
        let finding = Finding {
            code: Code::Comment,
            severity: Code::Comment.severity(),
            message,
            line,
            span,
            related: Vec::new(),
            help: Some("write '# robotsieve: ignore RS403', with the code of a finding".to_owned()),
            fix: None,
            profiles: profiles.clone(),
        };
        drafts.push(Draft { finding, proposal: None, loses: false });
    }
    // Stable: they come after what else was found on their lines.
    drafts.sort_by_key(|draft| draft.finding.line);
    taken_out
}

fn read(file: &[u8], silenced: &mut Silenced, wrong: &mut Vec<(u32, Range<usize>, String)>) {
    const MARK: &[u8] = b"robotsieve";
    if memchr::memmem::find(file, MARK).is_none() {
        return;
    }
    // The codes for the next line that is no comment.
    let mut next: BTreeSet<Code> = BTreeSet::new();
    let mut at = 0;
    let mut number = 0;
    while at < file.len() {
        number += 1;
        let end = subject::line_span(file, at).end;
        let line = file[at..end].trim_ascii_end();
        let hash = memchr::memchr(b'#', line);
        let before = &line[..hash.unwrap_or(line.len())];
        let is_comment = hash.is_some() && before.trim_ascii().is_empty();
        let codes = hash.and_then(|hash| {
            // Behind another comment too.
            let mark = memchr::memmem::rfind(&line[hash..], MARK)?;
            let before = line[hash..hash + mark].trim_ascii_end();
            let rest = line[hash + mark + MARK.len()..].trim_ascii();
            let is_meant =
                before.ends_with(b"#") && (rest.starts_with(b":") || rest.starts_with(b"ignore"));
            is_meant.then_some((at + hash..at + line.len(), rest))
        });
        if let Some((span, text)) = codes {
            match parse(text) {
                Ok((true, codes)) => silenced.in_file.extend(codes),
                Ok((false, codes)) if is_comment => next.extend(codes),
                Ok((false, codes)) => silenced.on_line.entry(number).or_default().extend(codes),
                Err(what) => wrong.push((number, span, what)),
            }
        }
        if !before.trim_ascii().is_empty() && !next.is_empty() {
            let codes = std::mem::take(&mut next);
            silenced.on_line.entry(number).or_default().extend(codes);
        }
        at = end;
    }
}

/// Whether it is about the whole file, and the codes.
fn parse(text: &[u8]) -> Result<(bool, Vec<Code>), String> {
    let Some(text) = text.strip_prefix(b":") else {
        return Err("the comment has no colon after 'robotsieve'".to_owned());
    };
    let text = String::from_utf8_lossy(text);
    let mut words =
        text.split(|c: char| c == ',' || c.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let in_file = match words.next() {
        Some("ignore") => false,
        Some("ignore-file") => true,
        _ => return Err("the comment says neither 'ignore' nor 'ignore-file'".to_owned()),
    };
    let mut codes = Vec::new();
    for word in words {
        let named = Code::named(word);
        codes.push(named.ok_or_else(|| format!("there is no code '{}'", shown(word.as_bytes())))?);
    }
    if codes.is_empty() {
        return Err("the comment names no code".to_owned());
    }
    Ok((in_file, codes))
}

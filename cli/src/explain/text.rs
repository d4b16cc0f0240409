//! An explanation for people: the relevant lines of the file, underlined, then the URL. All that is
//! said is in the report; here it is drawn.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, Title};
use robotsieve::explain::PieceKind;
use robotsieve::{Profile, Verdict};
use robotsieve_report as report;
use robotsieve_report::{ComparedTarget, ExplainReport, ExplainVerdict, MatchedRule, Piece, Site};

use super::answer::Answer;
use super::args::ExplainArgs;
use super::shown::{Shown, short};
use crate::options::Agent;
use crate::read::robots_file;
use crate::write::stdout::has_color;

/// The most parts of a rule or changes of a URL to underline.
const PARTS: usize = 64;

/// The most changes of a URL to label.
const CHANGES: usize = 8;

/// The number of lines of context to show around a relevant line.
const CONTEXT: usize = 2;

/// What all URLs have in common.
pub(super) struct Question<'q> {
    pub args: &'q ExplainArgs,
    pub agent: &'q Agent,
    /// The profiles to explain in, with their names.
    pub profiles: &'q [(&'static str, Profile)],
    /// True if no answer was rendered before.
    pub is_first: bool,
}

/// Renders an answer, with an empty line before all but the first. Profiles of which the same is to
/// be said share one block.
pub(super) fn render(
    question: &Question<'_>,
    url: &[u8],
    answer: &Answer,
    files: Vec<FileLines<'_>>,
) -> Vec<u8> {
    let renderer =
        if has_color(question.args.color.color) { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::from(if question.is_first { "" } else { "\n" });
    let text = |profiles: &str, why: &ExplainReport, file: &File<'_>, detail| {
        renderer.render(&of_answer(question, url, profiles, why, file, detail))
    };
    let of_site = |why: &ExplainReport| why.site.as_ref().map(|s| renderer.render(&[of_site(s)]));
    // What the store knows, once if it is the same in all profiles.
    let mut sites = answer.explanations().iter().map(of_site);
    let site = sites.next().flatten().filter(|first| sites.all(|it| it.as_ref() == Some(first)));
    let is_shared = site.is_some();
    if let Some(site) = site {
        out.push_str(&site);
        out.push('\n');
    }
    let is_alone = matches!(answer, Answer::One(_));
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let profiles = question.profiles.iter().zip(files);
    for (why, ((profile, _), FileLines { bytes, lines })) in
        answer.explanations().iter().zip(profiles)
    {
        let name = match &why.site {
            Some(site) => format!("{}/robots.txt", site.origin),
            None => robots_file::shown(&question.args.policy.robots),
        };
        let file = File { bytes, name: short(name.as_bytes()), lines };
        let site = if is_shared { None } else { of_site(why) };
        let before = site.map(|site| site + "\n").unwrap_or_default();
        // One profile shares its block with no other.
        let shared = match is_alone {
            true => String::new(),
            false => before.clone() + &text("", why, &file, Detail::Shared),
        };
        match blocks.iter_mut().find(|block| block.shared == shared) {
            Some(block) => {
                block.profiles.push(profile);
                let whole = block
                    .whole
                    .get_or_insert_with(|| text("", block.why, &block.file, Detail::Whole));
                block.is_whole &= *whole == text("", why, &file, Detail::Whole);
            }
            None => {
                let profiles = vec![*profile];
                let (whole, is_whole) = (None, true);
                blocks.push(Block { profiles, before, why, file, shared, whole, is_whole });
            }
        }
    }
    let is_one = blocks.len() == 1;
    for Block { profiles, before, why, file, is_whole, .. } in &blocks {
        let profiles = match &profiles[..] {
            [profile] => format!("profile {profile}"),
            _ if is_one => "all profiles".to_owned(),
            [others @ .., last] => format!("profiles {} and {last}", others.join(", ")),
            [] => String::new(),
        };
        let detail = if *is_whole { Detail::Whole } else { Detail::Shared };
        out.push_str(before);
        out.push_str(&text(&profiles, why, file, detail));
        out.push_str("\n\n");
    }
    match answer {
        Answer::One(_) => _ = out.pop(),
        Answer::All(compared) => {
            for sentence in &compared.sentences {
                let title = Level::NOTE.with_name("profiles").primary_title(&sentence.text);
                out.push_str(&renderer.render(&[Group::with_title(title)]));
                out.push('\n');
            }
        }
    }
    out.into_bytes()
}

/// The groups that explain an answer.
fn of_answer<'t>(
    question: &Question<'_>,
    url: &'t [u8],
    profiles: &str,
    why: &'t ExplainReport,
    file: &File<'_>,
    detail: Detail,
) -> Vec<Group<'t>> {
    let agent = question.agent.text.as_encoded_bytes();
    let title = match why.verdict {
        ExplainVerdict::Invalid => format!("{} in {profiles}", short(url)),
        _ => format!("{}, {} ({profiles})", short(agent), short(url)),
    };
    let level = match why.verdict {
        ExplainVerdict::Allow => level(Verdict::Allow),
        ExplainVerdict::Disallow => level(Verdict::Disallow),
        ExplainVerdict::Unknown => Level::WARNING.with_name("unknown"),
        ExplainVerdict::Invalid => Level::ERROR.with_name("invalid"),
    };
    let mut groups = vec![of_file(file, why, level.primary_title(title), detail)];
    groups.extend((!why.names_notes.is_empty()).then(|| of_header(agent, why)));
    groups.extend(why.target.as_ref().map(|target| of_url(url, target, why)));
    groups
}

/// What the store knows of a site.
fn of_site(site: &Site) -> Group<'_> {
    let title = Level::NOTE.with_name("site").primary_title(short(site.origin.as_bytes()));
    let notes = site.notes.iter();
    notes.fold(Group::with_title(title), |group, note| group.element(Level::NOTE.message(note)))
}

/// The heading of a verdict.
pub fn level<'t>(verdict: Verdict) -> Level<'t> {
    match verdict {
        Verdict::Allow => Level::NOTE.with_name("allow"),
        Verdict::Disallow => Level::ERROR.with_name("disallow"),
    }
}

/// A robots.txt to show lines of.
pub struct File<'f> {
    pub bytes: &'f [u8],
    pub name: String,
    /// The lines of the part that is read.
    pub lines: Cow<'f, [Range<usize>]>,
}

/// A file as a profile reads it.
pub struct FileLines<'f> {
    pub bytes: &'f [u8],
    /// As in [`File`].
    pub lines: Cow<'f, [Range<usize>]>,
}

/// An answer that holds for some profiles.
struct Block<'b> {
    profiles: Vec<&'static str>,
    /// What the store knows, if that was not said before.
    before: String,
    why: &'b ExplainReport,
    file: File<'b>,
    /// The text without what may differ between them.
    shared: String,
    /// The text with it, for the first, once another profile shares the block.
    whole: Option<String>,
    /// True if all of them have the same whole text.
    is_whole: bool,
}

/// How much to say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// All there is to say about a profile.
    Whole,
    /// Without the numbers of rules and the precedence of each, which differ between profiles that
    /// otherwise read a file alike.
    Shared,
}

/// A label on some bytes of the file.
struct Remark {
    kind: AnnotationKind,
    span: Range<usize>,
    label: Option<String>,
}

fn range([start, end]: [usize; 2]) -> Range<usize> {
    start..end
}

/// The lines of a file that lead to a verdict, with what decides underlined.
pub fn of_file<'t>(
    file: &File<'_>,
    why: &ExplainReport,
    title: Title<'t>,
    detail: Detail,
) -> Group<'t> {
    let mut group = Group::with_title(title);
    let mut remarks: Vec<Remark> = Vec::new();
    for line in why.selection.iter().flat_map(|selection| &selection.lines) {
        let span = range(line.value_span);
        let label = line.label.clone();
        remarks.extend(label.map(|label| Remark {
            kind: AnnotationKind::Context,
            span,
            label: Some(label),
        }));
    }
    for rule in &why.matches {
        let Some(label) = &rule.label else { continue };
        let label = match detail {
            Detail::Whole => format!("{label}: {}", rule.precedence_note),
            Detail::Shared => label.clone(),
        };
        if why.winner_line == Some(rule.line) {
            remarks.extend(winner_remarks(rule, label));
        } else {
            let (kind, span) = (AnnotationKind::Context, range(rule.value_span));
            remarks.push(Remark { kind, span, label: Some(label) });
        }
    }
    if !remarks.is_empty() {
        group = group.element(snippet_of_file(file, remarks));
    }
    let notes = why.selection.iter().flat_map(|selection| &selection.notes).cloned();
    let mut sentences = why.sentences.iter().map(|sentence| sentence.text.clone());
    let reason = match detail {
        Detail::Whole => sentences.next(),
        Detail::Shared => sentences.next().map(|_| why.reason_in_short()),
    };
    let notes = notes.chain(reason).chain(sentences);
    notes.fold(group, |group, note| group.element(Level::NOTE.message(note)))
}

/// Labels the parts of the winner.
fn winner_remarks(rule: &MatchedRule, label: String) -> Vec<Remark> {
    let parts = rule.pieces.iter().filter(|piece| piece.file_span[0] < piece.file_span[1]);
    let parts: Vec<&Piece> = parts.take(PARTS).collect();
    let last = parts.iter().rposition(|piece| piece.kind != PieceKind::Star);
    let labelled = last.unwrap_or(parts.len().saturating_sub(1));
    let remark = |(at, piece): (usize, &&Piece)| Remark {
        kind: kind(piece),
        span: range(piece.file_span),
        label: match &piece.label {
            Some(star) if at == labelled => Some(format!("{label}; {star}")),
            None if at == labelled => Some(label.clone()),
            star => star.clone(),
        },
    };
    parts.iter().enumerate().map(remark).collect()
}

fn kind(piece: &Piece) -> AnnotationKind {
    match piece.kind {
        PieceKind::Star => AnnotationKind::Context,
        _ => AnnotationKind::Primary,
    }
}

/// The lines of the file with remarks, and the lines around them.
fn snippet_of_file<'t>(
    file: &File<'_>,
    remarks: Vec<Remark>,
) -> Snippet<'t, annotate_snippets::Annotation<'t>> {
    let lines = &file.lines;
    let line_of = |at: usize| lines.partition_point(|line| line.start <= at).saturating_sub(1);
    let mut matters: Vec<usize> = remarks.iter().map(|remark| line_of(remark.span.start)).collect();
    matters.sort_unstable();
    matters.dedup();
    let (first, last) = (matters[0], matters[matters.len() - 1]);
    let mut source = String::new();
    // For each line, where it starts in the source, and its text.
    let mut shown: BTreeMap<usize, (usize, Shown)> = BTreeMap::new();
    for (number, line) in lines.iter().enumerate().take(last + 1).skip(first) {
        let next = matters.partition_point(|line| *line < number);
        let is_near = |line: &usize| line.abs_diff(number) <= CONTEXT;
        let before = next.checked_sub(1).map(|before| &matters[before]);
        if matters.get(next).is_some_and(is_near) || before.is_some_and(is_near) {
            let text = Shown::of(&file.bytes[line.clone()]);
            let at = source.len();
            source.push_str(&text.text);
            shown.insert(number, (at, text));
        }
        source.push('\n');
    }
    let annotations: Vec<_> = remarks
        .into_iter()
        .filter_map(|remark| {
            let line = line_of(remark.span.start);
            let (at, text) = shown.get(&line)?;
            let from = lines[line].start;
            let span = text.span(remark.span.start - from..remark.span.end - from);
            Some(remark.kind.span(at + span.start..at + span.end).label(remark.label))
        })
        .collect();
    Snippet::source(source).line_start(first + 1).path(file.name.clone()).annotations(annotations)
}

/// The header with each name underlined.
fn of_header<'t>(header: &[u8], why: &'t ExplainReport) -> Group<'t> {
    let (title, notes) = why.names_notes.split_first().expect("a sentence for all names");
    let shown = Shown::of(header);
    let names = why.names.iter().enumerate();
    let annotations = names.filter_map(|(number, name)| {
        let span = shown.span(range(name.agent_span?));
        let decides = |selection: &report::Selection| selection.decided_by.contains(&number);
        let kind = match why.selection.as_ref().is_some_and(decides) {
            true => AnnotationKind::Primary,
            false => AnnotationKind::Context,
        };
        // A very long header is cut.
        (!span.is_empty()).then(|| kind.span(span).label(name.label.as_deref()))
    });
    let annotations: Vec<_> = annotations.collect();
    let mut group = Group::with_title(Level::NOTE.secondary_title(title));
    if !annotations.is_empty() {
        let snippet = Snippet::source(shown.text).path("User-Agent").annotations(annotations);
        group = group.element(snippet);
    }
    notes.iter().fold(group, |group, note| group.element(Level::NOTE.message(note)))
}

/// The URL: what is changed before it is compared, and what the parts of the winner match.
fn of_url<'t>(url: &[u8], target: &'t ComparedTarget, why: &ExplainReport) -> Group<'t> {
    let is_as_given = target.changes.is_empty() && !target.slash_implied;
    let bytes = report::bytes(&target.value, target.value_base64.as_deref());
    let mut group = Group::with_title(Level::NOTE.secondary_title(&target.label));
    if !is_as_given {
        group = group.element(snippet_of_changes(url, target, &bytes));
    }
    let winner = why.winner_line.and_then(|_| why.matches.first());
    let (shown, name) = match is_as_given {
        true => (Shown::of(url), "URL"),
        false => (Shown::of(&bytes), "as compared"),
    };
    let annotations: Vec<_> = match winner {
        None if !is_as_given => return group,
        None => vec![AnnotationKind::Primary.span(shown.span(range(target.url_span)))],
        Some(winner) => {
            let has_bytes = |piece: &&Piece| piece.target_span[0] < piece.target_span[1];
            let parts = winner.pieces.iter().filter(has_bytes).take(PARTS);
            let span = |piece: &Piece| if is_as_given { piece.url_span } else { piece.target_span };
            parts.map(|piece| kind(piece).span(shown.span(range(span(piece))))).collect()
        }
    };
    group.element(Snippet::source(shown.text).path(name).annotations(annotations))
}

fn snippet_of_changes<'t>(
    url: &[u8],
    target: &ComparedTarget,
    bytes: &[u8],
) -> Snippet<'t, annotate_snippets::Annotation<'t>> {
    let shown = Shown::of(url);
    // Adjacent changes are merged.
    let mut changes: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    if target.slash_implied {
        let start = target.url_span[0];
        changes.push((start..start, 0..1));
    }
    for change in &target.changes {
        match changes.last_mut() {
            Some((url, target)) if url.end == change.url_span.start => {
                url.end = change.url_span.end;
                target.end = change.target_span.end;
            }
            _ => changes.push((change.url_span.clone(), change.target_span.clone())),
        }
    }
    let annotations: Vec<_> = changes
        .into_iter()
        .take(PARTS)
        .enumerate()
        .map(|(at, (from, to))| {
            let label = (at < CHANGES).then(|| format!("'{}'", short(&bytes[to])));
            AnnotationKind::Context.span(shown.span(from)).label(label)
        })
        .collect();
    Snippet::source(shown.text).path("URL").annotations(annotations)
}

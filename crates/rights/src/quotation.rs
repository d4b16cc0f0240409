//! Words at a place, as they are quoted: of a long text what stands around the words that decide.

use std::iter;
use std::ops::Range;

use crate::place::HeaderField;
use crate::purpose::Purposes;
use crate::statement::Statement;
use crate::tables::{PLUS_MINING, REPEXT_RULES, RSL_USAGE, SIGNALS, TAG_WORDS, usage_labels};
use crate::version::Version;

/// The most bytes of a document that are kept for a quotation.
const MOST_BYTES: usize = 8 << 10;

/// The most pieces of a quotation.
const MOST_PIECES: usize = 4;

/// A text in one line: white space is a space, and the end of a very long text is left out.
pub(crate) fn in_one_line(text: &str) -> String {
    let kept = &text[..boundary(text, MOST_BYTES)];
    let mut line = kept.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    line.extend((kept.len() < text.len()).then_some('…'));
    line
}

/// A text of at most `most` characters as it is, and of a longer one what stands around the words by which the
/// statements decide, else its beginning. `…` stands for what is left out.
pub fn quotation(text: &str, most: usize, by: &[&Statement]) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let words: Vec<String> = by.iter().flat_map(|statement| words(statement)).collect();
    around(text, most, &words)
}

/// The words that may decide, the most telling first: labels with their values, rules, tokens.
fn words(by: &Statement) -> Vec<String> {
    let is_about = |purposes: Purposes| !(purposes & (by.allows | by.disallows)).is_empty();
    let disallows = |purposes: Purposes| !(purposes & by.disallows).is_empty();
    let named = |table: &[(&str, Purposes)]| -> Vec<String> {
        let about = table.iter().filter(|(_, purposes)| is_about(*purposes));
        about.map(|(word, _)| (*word).to_owned()).collect()
    };
    match by.version {
        Version::Rfc9309 | Version::PolicyTokens | Version::ContentSignalsUse => Vec::new(),
        Version::Aipref(vocabulary) => {
            let labels = usage_labels(vocabulary);
            let parent = |name: &str| labels.iter().find(|label| label.name == name)?.parent;
            let of = labels.iter().filter(|label| is_about(label.about | label.restricts));
            let of = of.flat_map(|label| {
                let value = if disallows(label.about | label.restricts) { 'n' } else { 'y' };
                let names = iter::successors(Some(label.name), |name| parent(name));
                names.map(move |name| format!("{name}={value}"))
            });
            of.collect()
        }
        Version::ContentSignals => {
            let of = SIGNALS.iter().filter(|(_, purposes)| is_about(*purposes));
            let value = |purposes| if disallows(purposes) { "no" } else { "yes" };
            of.map(|(label, purposes)| format!("{label}={}", value(*purposes))).collect()
        }
        Version::Google | Version::Bing | Version::Amazon | Version::Yandex | Version::NoAi => {
            named(&TAG_WORDS)
        }
        Version::Repext => named(&REPEXT_RULES),
        Version::TdmRep => vec![HeaderField::TdmReservation.as_str().to_owned()],
        // The narrow tokens first; behind them what may have to be paid.
        Version::Rsl => {
            let tokens = named(&RSL_USAGE).into_iter().rev();
            tokens.chain(iter::once("<payment".to_owned())).collect()
        }
        Version::Iptc => {
            let of =
                PLUS_MINING.iter().filter(|(_, allows, disallows)| is_about(*allows | *disallows));
            of.map(|(value, ..)| value.to_ascii_lowercase()).collect()
        }
    }
}

/// What stands around the last of each of these words, which are in small letters. Of labels with a value, if none of
/// them is found, around the labels.
pub(crate) fn around(text: &str, most: usize, words: &[String]) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let small = text.to_ascii_lowercase();
    let mut left = most;
    let mut spans = spans(&small, words.iter().map(|word| &**word), &mut left);
    if spans.is_empty() {
        let labels = words.iter().filter_map(|word| Some(word.split_once('=')?.0));
        spans = self::spans(&small, labels, &mut left);
    }
    if spans.is_empty() {
        return format!("{}…", &text[..end]);
    }
    let beside = left / (2 * spans.len());
    let (mut quote, mut quoted) = (String::new(), 0);
    for span in spans {
        let begin = boundary(text, span.start.saturating_sub(beside));
        let end = boundary(text, span.end.saturating_add(beside));
        quote.extend((begin > quoted).then_some('…'));
        let begin = begin.max(quoted);
        quote += text.get(begin..end).unwrap_or_default();
        quoted = end.max(quoted);
    }
    quote.extend((quoted < text.len()).then_some('…'));
    quote
}

/// Where the words stand that have room, in the order of the text.
fn spans<'w>(
    text: &str,
    words: impl Iterator<Item = &'w str>,
    left: &mut usize,
) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for span in words.filter_map(|word| last(text, word)) {
        if spans.len() < MOST_PIECES && span.len() <= *left && !spans.contains(&span) {
            *left -= span.len();
            spans.push(span);
        }
    }
    spans.sort_unstable_by_key(|span| span.start);
    spans
}

/// Where a word stands last, and not as a part of another one.
fn last(text: &str, word: &str) -> Option<Range<usize>> {
    let is_of_word = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    let mut found = text.rmatch_indices(word).map(|(at, _)| at..at + word.len());
    let bytes = text.as_bytes();
    found.find(|at| !is_of_word(bytes[..at.start].last()) && !is_of_word(bytes.get(at.end)))
}

/// The last boundary of characters up to a byte.
fn boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Place;
    use crate::purpose::Purpose;
    use crate::version::Vocabulary;

    fn by(version: Version, allows: &[Purpose], disallows: &[Purpose]) -> Statement {
        let place = Place::header(HeaderField::XRobotsTag);
        Statement::new(place, version)
            .allowing(Purposes::of(allows))
            .disallowing(Purposes::of(disallows))
    }

    #[test]
    fn short_texts_are_whole() {
        let noai = by(Version::NoAi, &[], &[Purpose::AiTrain]);
        for text in ["", "noai", &"é".repeat(80)] {
            assert_eq!(quotation(text, 80, &[&noai]), text);
        }
    }

    #[test]
    fn words_that_decide() {
        let x = "x".repeat(300);
        let train = [Purpose::AiTrain];
        let cases = [
            (by(Version::NoAi, &[], &train), format!("{x}, NoAI, {x}"), "NoAI"),
            (by(Version::NoAi, &[], &train), format!("noai, noai-{x}"), "noai"),
            (by(Version::Amazon, &[], &train), format!("noai, {x}, noarchive"), "noarchive"),
            (
                by(Version::Google, &[], &[Purpose::Index]),
                format!("{x}, unavailable_after: 2020-01-01"),
                "unavailable_after: 2020-01-01",
            ),
            (
                by(Version::ContentSignals, &[], &train),
                format!("ai-train=no, {x}, ai-train=yes"),
                "ai-train=no",
            ),
            (by(Version::ContentSignals, &train, &[]), format!("{x}, ai-train = yes"), "= yes"),
            (
                by(Version::Aipref(Vocabulary::V08), &[], &train),
                format!("Content-Usage: /{x}?train-ai=y train-ai=y, {x}, train-ai=n"),
                "train-ai=n",
            ),
            (by(Version::Aipref(Vocabulary::V02), &[], &train), format!("{x}, all=n"), "all=n"),
            (by(Version::Repext, &[], &[Purpose::Index]), format!("*;x={x};noindex"), "noindex"),
            (by(Version::TdmRep, &[], &train), format!("{x} \"tdm-reservation\": 1"), "n\": 1"),
            (
                by(Version::Rsl, &[], &train),
                format!("<permits>search</permits>{x}<prohibits>ai-train</prohibits>"),
                "<prohibits>ai-train</prohibits>",
            ),
            (
                by(Version::Rsl, &[], &train),
                format!("{x} <payment type='training'></payment>"),
                "<payment type='training'>",
            ),
            (
                by(Version::Iptc, &[], &train),
                format!("{x}/DMI-PROHIBITED-AIMLTRAINING"),
                "DMI-PROHIBITED-AIMLTRAINING",
            ),
        ];
        for (statement, text, wanted) in cases {
            let found = quotation(&text, 80, &[&statement]);
            assert!(found.contains(wanted), "{text}: {found}");
            assert!(found.contains('…') && found.chars().count() <= 82, "{text}: {found}");
        }
    }

    /// Several statements of one place are quoted together, and none of them twice.
    #[test]
    fn pieces() {
        let index = by(Version::Google, &[], &[Purpose::Index]);
        let train = by(Version::NoAi, &[], &[Purpose::AiTrain]);
        let x = "x".repeat(99);
        let text = format!("noindex, {x}, noai, {x}");
        let found = quotation(&text, 31, &[&index, &train, &index]);
        assert_eq!(found, "noindex, xxx…xxx, noai, xxx…");
        let near = quotation(&format!("{x}, noindex, noai, {x}"), 31, &[&index, &train]);
        assert_eq!(near, "…xxx, noindex, noai, xxx…");
        // Without such words, the beginning.
        let none = by(Version::Rfc9309, &[], &[Purpose::Crawl]);
        assert_eq!(quotation(&"é".repeat(99), 9, &[&none]), "ééééééééé…");
        let wide = format!("{}, noai", "é".repeat(99));
        assert_eq!(quotation(&wide, 9, &[&train]), "…, noai");
    }

    #[test]
    fn lines() {
        assert_eq!(in_one_line(" a\n\tb "), "a b");
        let long = in_one_line(&"é".repeat(MOST_BYTES));
        assert_eq!(long, "é".repeat(MOST_BYTES / 2) + "…");
    }
}

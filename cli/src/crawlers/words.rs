//! What the text and the Markdown say in the same words.

use robotsieve::diff::Flip;

use super::judge::{By, Class, Counts, Judged, Reach, SitemapCounts, Table};
use crate::known::Purpose;
use crate::sitemap::Tally;
use crate::write::bytes::shown;
use crate::write::list;
use crate::write::numbers::{grouped, urls};

/// How many rules are named.
const RULES: usize = 4;

/// How much of a rule is shown, in characters.
const RULE_CHARS: usize = 60;

/// How many crawlers the line of a purpose names.
const NAMES: usize = 8;

/// `3 of 32 shut out, 28 partly, 1 let in: Foo`.
pub fn summary(table: &Table<'_>, purpose: Purpose) -> String {
    let counts = Counts::of(table, purpose);
    let [nothing, partly, unproven, everything] =
        [Reach::Nothing, Reach::Partly, Reach::Unproven, Reach::Everything].map(|r| counts.get(r));
    let mut line = format!("{nothing} of {} shut out, {partly} partly", counts.all);
    if unproven > 0 {
        line += &format!(", {unproven} not proven");
    }
    line += &format!(", {everything} let in");
    if (1..=NAMES).contains(&everything) {
        let is_in = |crawler: &&Judged<'_>| table.classes[crawler.class].reach == Reach::Everything;
        let names: Vec<&str> =
            table.of_purpose(purpose).filter(is_in).map(|one| one.known.name.as_str()).collect();
        line += &format!(": {}", names.join(", "));
    }
    if let Some(SitemapCounts { none, part, all }) = SitemapCounts::of(table, purpose)
        && let Some(split) = &table.sitemap
    {
        line += &format!(
            "; sitemap: {all} may read all of its {}, {part} a part, {none} none",
            urls(split.here)
        );
    }
    line
}

/// How many URLs of the sitemap may be read, and which rules forbid the others: `7 of 10; forbidden
/// by line 5 Disallow: /search (3)`. `rule` shows the text of a rule.
pub fn of_sitemap(tally: &Tally, rule: impl Fn(&str) -> String) -> String {
    let all = tally.allowed + tally.disallowed;
    match (tally.allowed, tally.disallowed) {
        (_, 0) => format!("all {}", grouped(all)),
        (0, _) => format!("none of {}", grouped(all)),
        (allowed, _) => {
            let rules: Vec<String> = tally
                .by()
                .iter()
                .map(|by| format!("{} ({})", by.shown_as(&rule), grouped(by.count)))
                .collect();
            let rules = list::first(RULES, rules.into_iter());
            format!("{} of {}; forbidden by {rules}", grouped(allowed), grouped(all))
        }
    }
}

/// What a class may read; `rule` shows the text of a rule.
pub fn reads(class: &Class, rule: impl Fn(&str) -> String) -> String {
    let unproven = |text: String| match &class.unproven {
        Some(why) => format!("{text}; other rules may count too ({why})"),
        None => text,
    };
    match class.reach {
        Reach::Nothing => "nothing".to_owned(),
        Reach::Everything => "everything".to_owned(),
        Reach::Partly if class.is_closed_but() => {
            unproven(format!("nothing but {}", rules(&class.allowed, class.more_allowed, rule)))
        }
        Reach::Partly => {
            unproven(format!("all but {}", rules(&class.forbidden, class.more_forbidden, rule)))
        }
        Reach::Unproven => {
            let why = class.unproven.as_deref().unwrap_or("the comparison ended early");
            format!("not proven: {why}")
        }
    }
}

/// `/a (line 3), /b (line 5) and 2 more rules`.
fn rules(flips: &[Flip], more: usize, show: impl Fn(&str) -> String) -> String {
    let rules = flips.iter().filter_map(|flip| flip.new.as_ref());
    let mut named: Vec<String> = rules
        .clone()
        .take(RULES)
        .map(|rule| format!("{} (line {})", show(&shortened(&shown(&rule.value))), rule.line))
        .collect();
    let rest = rules.count() - named.len() + more;
    // The search stops counting after a while.
    let least = if more > 0 { "at least " } else { "" };
    let last = match rest {
        0 => None,
        1 => Some(format!("{least}1 more rule")),
        n => Some(format!("{least}{n} more rules")),
    };
    match last {
        Some(last) => format!("{} and {last}", named.join(", ")),
        None => match named.pop() {
            Some(one) if named.is_empty() => one,
            Some(last) => format!("{} and {last}", named.join(", ")),
            None => String::new(),
        },
    }
}

fn shortened(rule: &str) -> String {
    match rule.char_indices().nth(RULE_CHARS) {
        Some((end, _)) => format!("{}…", &rule[..end]),
        None => rule.to_owned(),
    }
}

/// The crawlers of a row, by name: first those that the file names, then the others.
pub fn crawlers(row: &[&Judged<'_>], all: usize) -> Vec<String> {
    let mut words = Vec::new();
    for crawler in row {
        if let By::Named(lines) = &crawler.by {
            words.push(format!("{} ({})", crawler.known.name, self::lines(lines)));
        }
    }
    let names_of = |by: &By| -> Vec<&str> {
        row.iter().filter(|one| one.by == *by).map(|one| one.known.name.as_str()).collect()
    };
    // One answer is for all.
    let answer = row.first().map(|one| &one.by).and_then(|by| match by {
        By::Answer(cause) => Some((by.clone(), cause.as_str())),
        _ => None,
    });
    let whys = [
        (By::Everybody, "by the group of *"),
        (By::None, "no group is for them"),
        (By::IgnoresStar, "no group names them, and they ignore that of *"),
    ];
    for (by, why) in whys.into_iter().chain(answer) {
        let names = names_of(&by);
        let why = if names.len() == 1 {
            why.replace("them", "it").replace("they ignore", "it ignores")
        } else {
            why.to_owned()
        };
        match names.len() {
            0 => {}
            1..=4 => words.push(format!("{} ({why})", names.join(", "))),
            n if n == all => words.push(format!("all {n} ({why})")),
            n if n == row.len() => words.push(format!("{n} crawlers ({why})")),
            n => words.push(format!("{n} others ({why})")),
        }
    }
    words
}

fn lines(lines: &[u32]) -> String {
    let numbers = lines.iter().take(3).map(u32::to_string).collect::<Vec<_>>().join(", ");
    let more = if lines.len() > 3 { ", …" } else { "" };
    format!("line{} {numbers}{more}", if lines.len() == 1 { "" } else { "s" })
}

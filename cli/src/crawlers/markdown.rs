//! The table for a web page or a comment.

use std::io::{self, Write};

use robotsieve::Verdict;

use super::judge::{Counts, Reach, SitemapCounts, Table};
use super::words;
use crate::known;
use crate::write::bytes::shown;
use crate::write::markdown::{self, capitalised, plain};

pub fn print(table: &Table<'_>, out: &mut impl Write) -> io::Result<()> {
    if let Some(split) = &table.sitemap {
        let lines: Vec<String> = split.lines().iter().map(|line| plain(line)).collect();
        writeln!(out, "{}.\n", lines.join(".\n"))?;
    }
    let (names, ruler) = match &table.sitemap {
        Some(_) => (" None of the sitemap | A part | All |", "---:|---:|---:|"),
        None => ("", ""),
    };
    writeln!(out, "| Crawlers for | Known | Shut out | Partly | Let in | Not proven |{names}")?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|{ruler}")?;
    for purpose in table.purposes() {
        let counts = Counts::of(table, purpose);
        let [nothing, partly, everything, unproven] =
            [Reach::Nothing, Reach::Partly, Reach::Everything, Reach::Unproven]
                .map(|reach| counts.get(reach));
        let of_sitemap = SitemapCounts::of(table, purpose).map_or_else(String::new, |counts| {
            format!(" {} | {} | {} |", counts.none, counts.part, counts.all)
        });
        writeln!(
            out,
            "| {} | {} | {nothing} | {partly} | {everything} | {unproven} |{of_sitemap}",
            purpose.title(),
            counts.all
        )?;
    }
    for purpose in table.purposes() {
        writeln!(out, "\n### {}\n", capitalised(purpose.title()))?;
        let pages: Vec<String> =
            table.pages.iter().map(|page| format!(" {} |", code(&shown(&page.text)))).collect();
        let [name, ruler] = if table.sitemap.is_some() { [" Sitemap |", "---|"] } else { [""; 2] };
        writeln!(out, "| Crawlers | May read |{name}{}", pages.concat())?;
        writeln!(out, "|---|---|{ruler}{}", "---|".repeat(pages.len()))?;
        let all = table.of_purpose(purpose).count();
        for (class, row) in table.rows(purpose) {
            let crawlers = plain(&words::crawlers(&row, all).join(", "));
            // Rules are code already, and what is around them has no markup.
            let reads = words::reads(class, code);
            let verdicts = class.verdicts.iter().map(|verdict| match verdict {
                Verdict::Allow => " allow |",
                Verdict::Disallow => " **disallow** |",
            });
            let sitemap = class
                .sitemap
                .as_ref()
                .map_or_else(String::new, |tally| format!(" {} |", words::of_sitemap(tally, code)));
            let verdicts = verdicts.collect::<String>();
            writeln!(out, "| {crawlers} | {reads} |{sitemap}{verdicts}")?;
        }
    }
    for note in known::notes(table.crawlers.iter().map(|crawler| crawler.known)) {
        writeln!(out, "\n{}.", plain(&note))?;
    }
    Ok(())
}

/// Text of others as code in a table.
fn code(text: &str) -> String {
    markdown::code(text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others() {
        assert_eq!(code("/a|b"), "`/a\\|b`");
        assert_eq!(code("/a``b`"), "``` /a``b` ```");
        assert_eq!(plain("a_b <img> *"), "a\\_b \\<img\\> \\*");
    }
}

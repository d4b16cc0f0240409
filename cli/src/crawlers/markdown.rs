//! The table for a web page or a comment.

use std::io::{self, Write};

use robotsieve::Verdict;
use robotsieve_owners::reach::ReachReport;

use crate::write::markdown::{self, capitalised, plain};

pub fn print(report: &ReachReport, out: &mut impl Write) -> io::Result<()> {
    if let Some(urls) = &report.sitemap {
        let lines: Vec<String> = urls.sentences.iter().map(|one| plain(&one.text)).collect();
        writeln!(out, "{}.\n", lines.join(".\n"))?;
    }
    let (names, ruler) = match &report.sitemap {
        Some(_) => (" None of the sitemap | A part | All |", "---:|---:|---:|"),
        None => ("", ""),
    };
    writeln!(out, "| Crawlers for | Known | Shut out | Partly | Let in | Not proven |{names}")?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|{ruler}")?;
    for of in &report.purposes {
        let of_sitemap = of.sitemap.as_ref().map_or_else(String::new, |counts| {
            format!(" {} | {} | {} |", counts.none, counts.part, counts.all)
        });
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |{of_sitemap}",
            of.title, of.crawlers, of.shut_out, of.partly, of.let_in, of.unproven
        )?;
    }
    let pages: Vec<String> =
        report.shown_pages().iter().map(|page| format!(" {} |", code(page))).collect();
    for of in &report.purposes {
        writeln!(out, "\n### {}\n", capitalised(of.title))?;
        let [name, ruler] = if report.sitemap.is_some() { [" Sitemap |", "---|"] } else { [""; 2] };
        writeln!(out, "| Crawlers | May read |{name}{}", pages.concat())?;
        writeln!(out, "|---|---|{ruler}{}", "---|".repeat(pages.len()))?;
        for row in &of.rows {
            let policy = &report.policies[row.policy];
            let crawlers = plain(&row.who.join(", "));
            // Rules are code already, and what is around them has no markup.
            let reads = policy.text_with(code);
            let verdicts = policy.verdicts.iter().map(|verdict| match verdict {
                Verdict::Allow => " allow |",
                Verdict::Disallow => " **disallow** |",
            });
            let sitemap = policy.sitemap_text_with(code);
            let sitemap = sitemap.map_or_else(String::new, |text| format!(" {text} |"));
            let verdicts = verdicts.collect::<String>();
            writeln!(out, "| {crawlers} | {reads} |{sitemap}{verdicts}")?;
        }
    }
    report.notes.iter().try_for_each(|note| writeln!(out, "\n{}.", plain(note)))
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

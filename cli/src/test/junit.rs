//! Results as JUnit XML: a suite for each file of expectations, a case for each expectation.

use std::io::{self, Write};

use annotate_snippets::Renderer;
use robotsieve_owners::test::{TestReport, TestResult, Tested};
use robotsieve_report::bytes as bytes_of;

use super::args::TestArgs;
use super::text::rendered;
use crate::explain::shown::short;
use crate::write::bytes::harmless;

/// Prints the document.
pub fn print(
    args: &TestArgs,
    bytes: &[u8],
    report: &TestReport,
    tested: &Tested<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let renderer = Renderer::plain();
    let TestReport { expectations, failed, .. } = report;
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites name=\"robotsieve test\" tests=\"{expectations}\" failures=\"{failed}\" errors=\"0\">"
    )?;
    let most = args.most(*failed);
    let mut failures = tested.failures().enumerate();
    for suite in report.results.chunk_by(|one, other| one.file == other.file) {
        let name = escaped(&suite[0].file);
        let failed = suite.iter().filter(|result| !result.holds).count();
        let tests = suite.len();
        writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failed}\" errors=\"0\">"
        )?;
        for result in suite {
            let line = result.line;
            let title = escaped(&title(result));
            write!(
                out,
                "    <testcase classname=\"{name}\" name=\"{title}\" file=\"{name}\" line=\"{line}\""
            )?;
            let failure = if result.holds { None } else { failures.next() };
            match (&result.message, failure) {
                (Some(message), Some((place, failure))) => {
                    let message = escaped(message);
                    write!(out, ">\n      <failure type=\"verdict\" message=\"{message}\">")?;
                    if place < most {
                        write!(out, "{}", escaped(&rendered(args, bytes, failure, &renderer)))?;
                    } else {
                        write!(out, "{message}")?;
                    }
                    writeln!(out, "</failure>\n    </testcase>")?;
                }
                _ => writeln!(out, "/>")?,
            }
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

/// The line of an expectation makes its name unique in the file.
fn title(result: &TestResult) -> String {
    format!(
        "line {}: {} {} {}",
        result.line,
        result.expected,
        short(&bytes_of(&result.who, result.who_base64.as_deref())),
        short(&bytes_of(&result.url, result.url_base64.as_deref())),
    )
}

/// A text for an element or an attribute. Characters that XML 1.0 does not have are replaced, and so
/// are those that are no good to a terminal, but for line ends.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' => out.push('\n'),
            // An attribute would lose it.
            '\t' => out.push_str("&#9;"),
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c => out.push(harmless(c)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        assert_eq!(escaped("a<b>&\"'\t\n"), "a&lt;b&gt;&amp;&quot;&apos;&#9;\n");
        assert_eq!(escaped("\0\x1b\r\u{9b}\u{FFFE}\u{202e}"), "␀␛␍\u{FFFD}\u{FFFD}\u{FFFD}");
        assert_eq!(escaped("]]>é\u{1F600}"), "]]&gt;é\u{1F600}");
    }
}

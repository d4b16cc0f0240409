//! Results as JUnit XML: a suite for each file of expectations, a case for each expectation.

use std::io::{self, Write};

use annotate_snippets::Renderer;

use super::args::TestArgs;
use super::text::{most, rendered};
use super::{Expectation, Tested};
use crate::explain::shown::short;
use crate::write::bytes::harmless;

/// Prints the document.
pub fn print(args: &TestArgs, tested: &Tested<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let renderer = Renderer::plain();
    let expectations = tested.expectations;
    let count = expectations.all.len();
    let failures = tested.failed.len();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites name=\"robotsieve test\" tests=\"{count}\" failures=\"{failures}\" errors=\"0\">"
    )?;
    let most = most(args, tested);
    let mut failed = tested.failed.iter().enumerate().peekable();
    let mut number = 0;
    for suite in expectations.all.chunk_by(|one, other| one.file == other.file) {
        let name = escaped(expectations.file(&suite[0]));
        let (from, to) = (number, number + suite.len());
        let place = |number| tested.failed.partition_point(|failed| failed.number < number);
        let failures = place(to) - place(from);
        let tests = suite.len();
        writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
        )?;
        for expectation in suite {
            let line = expectation.line;
            let title = escaped(&title(tested, expectation));
            write!(
                out,
                "    <testcase classname=\"{name}\" name=\"{title}\" file=\"{name}\" line=\"{line}\""
            )?;
            match failed.next_if(|(_, failed)| failed.number == number) {
                None => writeln!(out, "/>")?,
                Some((place, failed)) => {
                    let message = escaped(&tested.message(failed).0);
                    write!(out, ">\n      <failure type=\"verdict\" message=\"{message}\">")?;
                    if place < most {
                        write!(out, "{}", escaped(&rendered(tested, failed, &renderer)))?;
                    } else {
                        write!(out, "{message}")?;
                    }
                    writeln!(out, "</failure>\n    </testcase>")?;
                }
            }
            number += 1;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

/// The line of an expectation makes its name unique in the file.
fn title(tested: &Tested<'_, '_>, expectation: &Expectation) -> String {
    format!(
        "line {}: {} {} {}",
        expectation.line,
        expectation.verdict,
        short(tested.expectations.who_text(expectation)),
        short(tested.expectations.url(expectation)),
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

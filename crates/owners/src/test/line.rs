//! One line of a file of expectations.

use std::ops::Range;

use robotsieve::Verdict;
use robotsieve_shown::shown;

/// The most bytes of a field to show in a message.
const SHOWN_BYTES: usize = 60;

/// A line with an expectation. The spans are bytes of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    pub verdict: Verdict,
    pub who: Range<usize>,
    pub url: Range<usize>,
}

/// Reads a line without its line end. `None` if it is empty or a comment.
///
/// # Errors
/// Returns what is wrong with the line, and the way out.
pub(super) fn parse(line: &[u8]) -> Result<Option<Fields>, String> {
    let is_blank = |byte: u8| byte == b' ' || byte == b'\t';
    let mut fields: Vec<Range<usize>> = Vec::with_capacity(4);
    let mut at = 0;
    while at < line.len() && fields.len() < 4 {
        if is_blank(line[at]) {
            at += 1;
            continue;
        }
        if line[at] == b'#' {
            break;
        }
        let len = line[at..].iter().position(|byte| is_blank(*byte));
        let end = len.map_or(line.len(), |len| at + len);
        fields.push(at..end);
        at = end;
    }
    let field = |number: usize| fields.get(number).map(|span| &line[span.clone()]);
    let Some(first) = field(0) else { return Ok(None) };
    let verdict = match first {
        b"allow" => Verdict::Allow,
        b"disallow" => Verdict::Disallow,
        other => {
            return Err(format!(
                "'{}' is no verdict: a line is 'allow WHO URL' or 'disallow WHO URL'",
                short(other)
            ));
        }
    };
    match &fields[..] {
        [_, who, url] => Ok(Some(Fields { verdict, who: who.clone(), url: url.clone() })),
        [_, _, _, more] => Err(format!(
            "unexpected '{}' after the URL: write a blank in a URL as %20, and '#' before a comment",
            short(&line[more.clone()])
        )),
        [_, who] => {
            let who = short(&line[who.clone()]);
            Err(if who.contains('/') {
                format!("there is no crawler before '{who}': name one, or write '*' for any other")
            } else {
                format!("there is no URL after '{who}': write one, or a path that starts with '/'")
            })
        }
        _ => Err("there is no crawler and no URL: a line is 'allow WHO URL' or 'disallow WHO URL'"
            .to_owned()),
    }
}

/// A part of a line for a message.
pub(super) fn short(bytes: &[u8]) -> String {
    if bytes.len() <= SHOWN_BYTES {
        return shown(bytes);
    }
    // Not within a character.
    let mut end = SHOWN_BYTES;
    while end > SHOWN_BYTES - 3 && bytes[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    shown(&bytes[..end]) + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> Option<(Verdict, &str, &str)> {
        let fields = parse(line.as_bytes()).unwrap_or_else(|wrong| panic!("{line}: {wrong}"))?;
        Some((fields.verdict, &line[fields.who], &line[fields.url]))
    }

    #[test]
    fn lines() {
        use Verdict::{Allow, Disallow};
        for (line, wanted) in [
            ("allow * /", Some((Allow, "*", "/"))),
            ("\tdisallow  @ai-training \t /x  ", Some((Disallow, "@ai-training", "/x"))),
            (
                "allow A,B https://e.com/#a#b # why # not",
                Some((Allow, "A,B", "https://e.com/#a#b")),
            ),
            ("allow a /x#y", Some((Allow, "a", "/x#y"))),
            ("allow a /x\t#y", Some((Allow, "a", "/x"))),
            ("", None),
            (" \t", None),
            ("# allow * /", None),
            ("  #", None),
        ] {
            assert_eq!(fields(line), wanted, "{line}");
        }
    }

    #[test]
    fn what_is_wrong() {
        for (line, wanted) in [
            ("Allow: /", "'Allow:' is no verdict"),
            ("allowed * /", "'allowed' is no verdict"),
            ("allow", "no crawler and no URL"),
            ("allow # * /", "no crawler and no URL"),
            ("allow /x", "no crawler before '/x'"),
            ("allow GPTBot", "no URL after 'GPTBot'"),
            ("allow GPTBot # /", "no URL after 'GPTBot'"),
            ("allow a /x y", "unexpected 'y' after the URL"),
            ("allow a /x y z", "unexpected 'y' after the URL"),
            ("\u{1b}[31m * /", "'\\x1b[31m' is no verdict"),
        ] {
            let said = parse(line.as_bytes()).unwrap_err();
            assert!(said.contains(wanted), "{line}: {said}");
        }
        let long = parse("é".repeat(1000).as_bytes()).unwrap_err();
        assert!(long.len() < 300 && long.contains("é…"), "{long}");
    }
}

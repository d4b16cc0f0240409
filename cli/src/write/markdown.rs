//! Text of others within Markdown.

/// A code span, in which nothing is markup. A table needs `|` escaped, too.
pub fn code(text: &str) -> String {
    // The fence is longer than any run of backticks in it.
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    // One blank at both ends is dropped if there is something else between them.
    let is_padded = text.starts_with('`')
        || text.ends_with('`')
        || text.starts_with(' ') && text.ends_with(' ') && text.trim() != "";
    let pad = if is_padded { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A text in which nothing is markup, a link or a mention.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // What looks like a URL becomes a link.
        if "\\`*_[]<>|#&~!@$".contains(c) || c == ':' && chars.peek() == Some(&'/') {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

/// With a capital letter.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Parser};

    use super::*;

    #[test]
    fn code_spans_show_what_is_in_them() {
        for text in [
            "a",
            "`",
            "``",
            "`a",
            "a``b`",
            " a ",
            "a ",
            " ",
            "  ",
            "<b>",
            "a|b\\|c",
            "![x](y)",
            "*",
            "\\",
            "&amp;",
            "$`x`$",
            "@user #1 https://e.com",
            "- x",
            "```",
            "~~~",
            "# a",
            "    a",
        ] {
            for before in ["", "- ", "  - line 1, "] {
                let events: Vec<Event<'_>> = Vec::from_iter(
                    Parser::new(&format!("{before}{}\n", code(text))).map(Event::into_static),
                );
                let is_code = |event: &&Event<'_>| matches!(event, Event::Code(_));
                let codes: Vec<_> = events.iter().filter(is_code).collect();
                assert_eq!(codes, [&Event::Code(text.into())], "{before}{text}: {events:?}");
            }
        }
    }

    #[test]
    fn plain_text_is_no_markup() {
        let text = "a*b*_c_ <i> [x](y) `z` & co., Ltd. <https://e.com> @x";
        let page = plain(text);
        let events: String = Parser::new(&page)
            .map(|event| match event {
                Event::Text(text) => text.to_string(),
                Event::Start(_) | Event::End(_) => String::new(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(events, text);
    }
}

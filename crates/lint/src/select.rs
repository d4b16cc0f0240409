//! Which codes are reported: what is selected, and what is ignored.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::code::Code;

/// A code, or all codes whose numbers begin alike: a number such as `RS403`, a name such as
/// `redundant-rule`, the start of numbers such as `RS4` or `RS4xx`, or `ALL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    codes: Vec<Code>,
    /// How much of the number it says: all of it if it is a name.
    said: usize,
}

/// The error for a text that selects no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCode {
    text: String,
}

impl fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "there is no code '{}': write a number such as RS403, a name such as redundant-rule, \
             the start of numbers such as RS4, or ALL",
            self.text
        )
    }
}

impl Error for UnknownCode {}

impl FromStr for Selector {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Selector, UnknownCode> {
        if let Some(code) = Code::ALL.iter().find(|code| code.name().eq_ignore_ascii_case(text)) {
            return Ok(Selector { codes: vec![*code], said: code.number().len() });
        }
        let upper = text.to_ascii_uppercase();
        let start = match upper.as_str() {
            "ALL" => "",
            // `RS4xx` is `RS4`.
            other => other.trim_end_matches('X'),
        };
        let begins = |code: &&Code| code.number().starts_with(start);
        let codes: Vec<Code> = Code::ALL.iter().filter(begins).copied().collect();
        if codes.is_empty() || text.is_empty() {
            return Err(UnknownCode { text: text.to_owned() });
        }
        Ok(Selector { codes, said: start.len() })
    }
}

/// The codes that are reported.
///
/// The selector that says more of a code's number decides; of two that say the same, the one that
/// ignores. Without any that select, all codes are selected.
///
/// ```
/// use robotsieve_lint::{Code, Selection};
///
/// let selection = Selection { select: vec!["RS4".parse()?], ignore: vec!["never-wins".parse()?] };
/// assert!(selection.has(Code::RedundantRule));
/// assert!(!selection.has(Code::NeverWins) && !selection.has(Code::Html));
/// # Ok::<(), robotsieve_lint::UnknownCode>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "there is nothing else to say of codes")]
pub struct Selection {
    /// The codes that are reported; all if there are none.
    pub select: Vec<Selector>,
    /// The codes that are not.
    pub ignore: Vec<Selector>,
}

impl Selection {
    /// Returns true if a code is reported.
    #[must_use]
    pub fn has(&self, code: Code) -> bool {
        let selected = if self.select.is_empty() { Some(0) } else { said(&self.select, code) };
        selected.is_some() && selected > said(&self.ignore, code)
    }

    /// Returns true if every code is reported.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.select.is_empty() && self.ignore.is_empty()
    }
}

/// How much the selectors that cover a code say of its number, at most; `None` if none covers it.
fn said(selectors: &[Selector], code: Code) -> Option<usize> {
    let covering = selectors.iter().filter(|selector| selector.codes.contains(&code));
    covering.map(|selector| selector.said).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(select: &[&str], ignore: &[&str]) -> Vec<&'static str> {
        let parse = |texts: &[&str]| -> Vec<Selector> {
            texts.iter().map(|text| text.parse().unwrap()).collect()
        };
        let selection = Selection { select: parse(select), ignore: parse(ignore) };
        let all = Code::ALL.iter().filter(|code| selection.has(**code));
        all.map(|code| code.number()).collect()
    }

    #[test]
    fn the_more_specific_one_decides() {
        assert_eq!(selected(&[], &[]).len(), Code::ALL.len());
        assert_eq!(selected(&["ALL"], &[]).len(), Code::ALL.len());
        assert!(selected(&["ALL"], &["ALL"]).is_empty());
        assert!(selected(&[], &["ALL"]).is_empty());
        assert_eq!(selected(&["RS403"], &[]), ["RS403"]);
        assert_eq!(selected(&["rs403", "Never-Wins"], &[]), ["RS402", "RS403"]);
        let fours = selected(&["RS4"], &[]);
        assert!(fours.len() > 5 && fours.iter().all(|code| code.starts_with("RS4")));
        assert_eq!(selected(&["RS4xx"], &[]), fours);
        assert!(!selected(&["RS4"], &["RS403"]).contains(&"RS403"));
        assert_eq!(selected(&["RS403"], &["RS4"]), ["RS403"]);
        assert_eq!(selected(&["RS403"], &["RS403"]), [""; 0]);
        assert!(!selected(&[], &["redundant-rule"]).contains(&"RS403"));
    }

    #[test]
    fn unknown_codes() {
        for text in ["RS9", "", "E501", "redundant", "RS4033", "RSxx4"] {
            let said = text.parse::<Selector>().unwrap_err().to_string();
            assert!(said.contains(&format!("'{text}'")), "{said}");
        }
    }
}

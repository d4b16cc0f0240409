//! Which codes are reported: `--select` and `--ignore`.

use std::str::FromStr;

use robotsieve::lint::Code;

/// A code, or all codes whose numbers begin alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    codes: Vec<Code>,
    /// How much of the number it says: all of it if it is a name.
    said: usize,
}

impl FromStr for Selector {
    type Err = String;

    fn from_str(text: &str) -> Result<Selector, String> {
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
            return Err(format!(
                "there is no code '{text}': write a number such as RS403, a name such as \
                 redundant-rule, the start of numbers such as RS4, or ALL"
            ));
        }
        Ok(Selector { codes, said: start.len() })
    }
}

/// How much the selectors that cover a code say of its number, at most; `None` if none covers it.
fn said(selectors: &[Selector], code: Code) -> Option<usize> {
    let covering = selectors.iter().filter(|selector| selector.codes.contains(&code));
    covering.map(|selector| selector.said).max()
}

/// Whether a code is reported. The selector that says more of the code's number decides; of two
/// that say the same, the one that ignores. Without any `select` all codes are selected.
pub fn is_selected(select: &[Selector], ignore: &[Selector], code: Code) -> bool {
    let selected = if select.is_empty() { Some(0) } else { said(select, code) };
    selected.is_some() && selected > said(ignore, code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(select: &[&str], ignore: &[&str]) -> Vec<&'static str> {
        let parse = |texts: &[&str]| -> Vec<Selector> {
            texts.iter().map(|text| text.parse().unwrap()).collect()
        };
        let (select, ignore) = (parse(select), parse(ignore));
        let all = Code::ALL.iter().filter(|code| is_selected(&select, &ignore, **code));
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
            let said = text.parse::<Selector>().unwrap_err();
            assert!(said.contains(&format!("'{text}'")), "{said}");
        }
    }
}

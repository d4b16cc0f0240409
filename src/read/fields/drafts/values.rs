//! The values of `Content-Usage` and `Content-Signal`.

use std::fmt;

use super::dictionary;
use crate::read::fields::values::words;

/// What a site prefers about a use of its content. Follows **drafts**.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Preference {
    /// The use is allowed.
    Allowed,
    /// The use is not allowed.
    Disallowed,
    /// Nothing is said about the use.
    Unknown,
}

impl Preference {
    /// `allowed`, `disallowed` or `unknown`.
    pub fn as_str(self) -> &'static str {
        match self {
            Preference::Allowed => "allowed",
            Preference::Disallowed => "disallowed",
            Preference::Unknown => "unknown",
        }
    }

    /// The more restrictive of two, as draft-ietf-aipref-vocab-08 §5.1 combines them.
    #[cfg(feature = "drafts")]
    pub(crate) fn combined(self, other: Preference) -> Preference {
        match (self, other) {
            (Preference::Disallowed, _) | (_, Preference::Disallowed) => Preference::Disallowed,
            (Preference::Allowed, _) | (_, Preference::Allowed) => Preference::Allowed,
            _ => Preference::Unknown,
        }
    }
}

impl fmt::Display for Preference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A record's preference about one category of use. Follows **drafts**.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LabelledPreference<'a> {
    /// The label of the category as written, such as `train-ai`, `ai-train` or `search`.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::bytes_as_text::serialize"))]
    pub label: &'a [u8],
    /// The preference; [`Preference::Unknown`] if the draft does not define the value.
    pub preference: Preference,
}

/// The value of `Content-Signal`, such as `search=yes, ai-train=no`.
///
/// A **draft** by Cloudflare (contentsignals.org, September 2025;
/// draft-romm-aipref-contentsignals-00). Labels and values are read without regard to case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ContentSignal<'a> {
    /// The path pattern before the signals. The draft does not define one, but some files have
    /// it.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::bytes_as_text::serialize_option")
    )]
    pub path: Option<&'a [u8]>,
    /// The signals in their order.
    pub signals: Vec<LabelledPreference<'a>>,
}

/// The value of `Content-Usage`, such as `/path train-ai=n, search=y`.
///
/// A **draft** (draft-ietf-aipref-attach-05 §3, and draft-ietf-aipref-vocab-08 §6 for what
/// follows the path).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ContentUsage<'a> {
    /// The path pattern, matched like that of a rule. `None` if there is none, as in the first
    /// version of the draft, where the record is for all paths.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::bytes_as_text::serialize_option")
    )]
    pub path: Option<&'a [u8]>,
    /// The preferences as written.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::bytes_as_text::serialize"))]
    pub expression: &'a [u8],
    /// The preferences. Only the last one for each label counts. Unknown labels are kept.
    pub preferences: Vec<LabelledPreference<'a>>,
}

/// Splits a value into the path it begins with and the rest.
fn split_path(value: &[u8]) -> (Option<&[u8]>, &[u8]) {
    if value.first() != Some(&b'/') {
        return (None, value);
    }
    let end = value.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(value.len());
    (Some(&value[..end]), value[end..].trim_ascii())
}

pub(in crate::read::fields) fn content_usage(
    value: &[u8],
) -> Result<ContentUsage<'_>, &'static str> {
    let (path, expression) = split_path(value);
    if expression.is_empty() {
        return Err("expected preferences after the path, such as / train-ai=n");
    }
    let members = dictionary::parse(expression)
        .ok_or("the preferences are not an RFC 9651 dictionary, such as train-ai=n, search=y")?;
    let preferences = members.iter().map(|member| LabelledPreference {
        label: member.key,
        preference: match member.token {
            Some(b"y") => Preference::Allowed,
            Some(b"n") => Preference::Disallowed,
            _ => Preference::Unknown,
        },
    });
    Ok(ContentUsage { path, expression, preferences: preferences.collect() })
}

pub(in crate::read::fields) fn content_signal(
    value: &[u8],
) -> Result<ContentSignal<'_>, &'static str> {
    const WANTED: &str = "expected signals, such as search=yes, ai-train=no";
    let (path, signals) = split_path(value);
    let signal = |text: &'_ [u8]| -> Option<(usize, usize, Preference)> {
        let equals = text.iter().position(|byte| *byte == b'=')?;
        let (label, said) = (text[..equals].trim_ascii(), text[equals + 1..].trim_ascii());
        if label.is_empty() || words(label).count() > 1 || words(said).count() != 1 {
            return None;
        }
        let preference = if said.eq_ignore_ascii_case(b"yes") {
            Preference::Allowed
        } else if said.eq_ignore_ascii_case(b"no") {
            Preference::Disallowed
        } else {
            Preference::Unknown
        };
        let from = text.iter().position(|byte| !byte.is_ascii_whitespace())?;
        Some((from, from + label.len(), preference))
    };
    let signals = signals.split(|byte| *byte == b',').map(|text| {
        let (from, to, preference) = signal(text).ok_or(WANTED)?;
        Ok(LabelledPreference { label: &text[from..to], preference })
    });
    Ok(ContentSignal { path, signals: signals.collect::<Result<_, &'static str>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(stated: &[LabelledPreference<'_>]) -> String {
        let one = |s: &LabelledPreference<'_>| {
            format!("{} {}", s.label.escape_ascii(), s.preference.as_str())
        };
        stated.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn usages() {
        let usage = |value: &'static str| {
            content_usage(value.as_bytes()).map(|usage| (usage.path, shown(&usage.preferences)))
        };
        assert_eq!(usage("/ train-ai=n"), Ok((Some(&b"/"[..]), "train-ai disallowed".into())));
        assert_eq!(
            usage("/*.pdf$ \t train-ai=y, search=n, x=maybe"),
            Ok((Some(&b"/*.pdf$"[..]), "train-ai allowed; search disallowed; x unknown".into()))
        );
        assert_eq!(usage("train-ai=n"), Ok((None, "train-ai disallowed".into())));
        for value in ["/", "/x ", "/ Train-ai=n", "/ train-ai=n search=y", "/ ,", "*"] {
            assert_eq!(usage(value).is_err(), value != "*", "{value}");
        }
    }

    #[test]
    fn signals() {
        let signal = |value: &'static str| {
            content_signal(value.as_bytes()).map(|signal| (signal.path, shown(&signal.signals)))
        };
        assert_eq!(
            signal("search=yes,ai-train=no"),
            Ok((None, "search allowed; ai-train disallowed".into()))
        );
        assert_eq!(signal("AI-Train = NO"), Ok((None, "AI-Train disallowed".into())));
        assert_eq!(
            signal("/blog ai-input=perhaps"),
            Ok((Some(&b"/blog"[..]), "ai-input unknown".into()))
        );
        for value in ["yes", "search=", "=yes", "search=yes ai-train=no", "search=yes,", "/x"] {
            assert!(signal(value).is_err(), "{value}");
        }
    }
}

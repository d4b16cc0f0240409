//! Files in which operators publish the addresses of their crawlers.

use std::fmt;

use robotsieve_known::KnownCrawlers;
use robotsieve_shown::shown;
use serde::Deserialize;

use crate::ranges::Ranges;

/// The addresses of a file, with the services that use them if it says so.
///
/// The format is that of Google, Microsoft, OpenAI and others, and of the draft
/// [JAFAR](https://datatracker.ietf.org/doc/draft-illyes-webbotauth-jafar/).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedRanges {
    by_services: Vec<(Vec<String>, Ranges)>,
    created: Option<String>,
}

/// The files of operators that have several crawlers in one, or another name than the crawler: the
/// name of the file without its ending, and whose addresses it has.
const FILES: [(&str, &str); 6] = [
    ("common-crawlers", "Google"),
    ("special-crawlers", "Google"),
    ("user-triggered-fetchers", "Google"),
    ("user-triggered-fetchers-google", "Google"),
    ("user-triggered-agents", "Google"),
    ("searchbot", "OAI-SearchBot"),
];

/// A file that is none of published addresses. Its `Display` is a clause that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPublished(String);

impl fmt::Display for InvalidPublished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidPublished {}

#[derive(Deserialize)]
#[serde(expecting = "an object with a list 'prefixes'")]
struct File {
    #[serde(rename = "formatVersion")]
    format_version: Option<serde_json::Value>,
    #[serde(rename = "creationTime")]
    creation_time: Option<serde_json::Value>,
    prefixes: Vec<Prefix>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with an ipv4Prefix or an ipv6Prefix")]
struct Prefix {
    #[serde(rename = "ipv4Prefix")]
    ipv4: Option<String>,
    #[serde(rename = "ipv6Prefix")]
    ipv6: Option<String>,
    #[serde(default)]
    services: Vec<String>,
}

impl PublishedRanges {
    /// Reads a file: JSON with a list `prefixes` of objects with an `ipv4Prefix` or an `ipv6Prefix`.
    ///
    /// # Errors
    /// Returns an error if it is no such file, if an address in it is none, or if its `formatVersion` is
    /// later than 1.
    ///
    /// ```
    /// use robotsieve_owners::audit::PublishedRanges;
    /// use robotsieve_known::KnownCrawlers;
    ///
    /// let file = PublishedRanges::read(br#"{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}"#)?;
    /// let crawlers = file.crawlers("GPTBot", KnownCrawlers::built_in());
    /// assert!(crawlers[0].1.contains("192.0.2.7".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(json: &[u8]) -> Result<PublishedRanges, InvalidPublished> {
        // The mark that some editors begin a file with.
        let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
        let file: File =
            serde_json::from_slice(json).map_err(|cause| InvalidPublished(cause.to_string()))?;
        if let Some(version) = &file.format_version {
            let text = version.as_str().map_or_else(|| version.to_string(), str::to_owned);
            let major = text.split('.').next().and_then(|major| major.parse::<u32>().ok());
            if major.is_none_or(|major| major > 1) {
                return Err(InvalidPublished(format!(
                    "its formatVersion is {}, and only 1 is known",
                    shown(text.as_bytes())
                )));
            }
        }
        let mut all: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for Prefix { ipv4, ipv6, services } in file.prefixes {
            // The draft has consumers ignore objects with both or with neither.
            let (Some(prefix), None) =
                (ipv4.as_ref().or(ipv6.as_ref()), ipv4.as_ref().and(ipv6.as_ref()))
            else {
                continue;
            };
            let prefix = prefix.clone();
            match all.iter_mut().find(|(of, _)| *of == services) {
                Some((_, prefixes)) => prefixes.push(prefix),
                None => all.push((services, vec![prefix])),
            }
        }
        if all.is_empty() {
            return Err(InvalidPublished(
                "it has no object with either an ipv4Prefix or an ipv6Prefix".to_owned(),
            ));
        }
        let all = all.into_iter().map(|(services, prefixes)| {
            let ranges = Ranges::of(&prefixes).map_err(|(place, wrong)| {
                InvalidPublished(format!("'{}': {wrong}", shown(prefixes[place].as_bytes())))
            })?;
            Ok((services, ranges))
        });
        let is_time = |text: &&str| {
            (10..=40).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_digit() || b"-:.+TZ ".contains(&byte))
        };
        let created = file.creation_time.as_ref().and_then(|time| time.as_str()).filter(is_time);
        Ok(PublishedRanges {
            by_services: all.collect::<Result<_, _>>()?,
            created: created.map(str::to_owned),
        })
    }

    /// When it was made, as it says itself: `2026-11-01T00:00:00`. `None` if it does not say so.
    #[must_use]
    pub fn created(&self) -> Option<&str> {
        self.created.as_deref()
    }

    /// The crawlers that read from these addresses, by their product tokens.
    ///
    /// `name` may be the token of a crawler, known or not: then all addresses are its own. It may be
    /// the name of an operator: then they are those of all its known crawlers, but for addresses whose
    /// `services` name some of these.
    #[must_use]
    pub fn crawlers(&self, name: &str, known: &KnownCrawlers) -> Vec<(String, Ranges)> {
        let of_operator: Vec<&str> =
            known.of_operator(name).map(|one| one.token.as_str()).collect();
        if known.by_token(name).is_some() || of_operator.is_empty() {
            return vec![(name.to_owned(), self.all())];
        }
        let is_named = |services: &[String], token: &str| {
            services.iter().any(|service| service.eq_ignore_ascii_case(token))
        };
        let of = |token: &&str| {
            let mut ranges = Ranges::default();
            for (services, some) in &self.by_services {
                if is_named(services, token)
                    || !of_operator.iter().any(|one| is_named(services, one))
                {
                    ranges.add(some);
                }
            }
            ((*token).to_owned(), ranges)
        };
        of_operator.iter().map(of).filter(|(_, ranges)| *ranges != Ranges::default()).collect()
    }

    /// The same for a file that has a name, but is given without one for its crawlers. The file's name
    /// without its ending is the token of a known crawler (`googlebot`) or one that an operator uses
    /// (`common-crawlers`), or the `services` of its addresses are known crawlers. `None` if it is
    /// neither.
    #[must_use]
    pub fn crawlers_of_file(
        &self,
        stem: &str,
        known: &KnownCrawlers,
    ) -> Option<Vec<(String, Ranges)>> {
        if known.by_token(stem).is_some() {
            return Some(self.crawlers(stem, known));
        }
        if let Some((_, name)) = FILES.iter().find(|(file, _)| file.eq_ignore_ascii_case(stem)) {
            return Some(self.crawlers(name, known));
        }
        let of_service = self.by_services.iter().flat_map(|(services, ranges)| {
            let tokens = services.iter().filter_map(|service| known.by_token(service));
            tokens.map(|one| (one.token.clone(), ranges.clone()))
        });
        Some(of_service.collect::<Vec<_>>()).filter(|all| !all.is_empty())
    }

    fn all(&self) -> Ranges {
        let mut all = Ranges::default();
        self.by_services.iter().for_each(|(_, ranges)| all.add(ranges));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(crawlers: &[(String, Ranges)], token: &str, address: &str) -> bool {
        let of_it = crawlers.iter().filter(|(one, _)| one == token);
        of_it.into_iter().any(|(_, ranges)| ranges.contains(address.parse().unwrap()))
    }

    #[test]
    fn files_of_operators() {
        let known = KnownCrawlers::built_in();
        let file = r#"{"creationTime":"2026-11-01T00:00:00","prefixes":[
            {"ipv6Prefix":"2001:4860:4801:10::/64"},{"ipv4Prefix":"66.249.64.32/27","service":"x"},{}]}"#;
        let file = PublishedRanges::read(file.as_bytes()).unwrap();
        assert_eq!(file.created(), Some("2026-11-01T00:00:00"));
        for (crawlers, token, others) in [
            (file.crawlers_of_file("googlebot", known), "googlebot", 0),
            (file.crawlers_of_file("common-crawlers", known), "Googlebot", 20),
            (file.crawlers_of_file("searchbot", known), "OAI-SearchBot", 0),
            (Some(file.crawlers("google", known)), "GoogleOther", 20),
            (Some(file.crawlers("FooBot", known)), "FooBot", 0),
        ] {
            let crawlers = crawlers.unwrap();
            assert!(crawlers.len() > others, "{token}");
            assert!(has(&crawlers, token, "66.249.64.33"), "{token}");
            assert!(has(&crawlers, token, "2001:4860:4801:10::7"), "{token}");
            assert!(!has(&crawlers, token, "66.249.64.1"), "{token}");
        }
        assert_eq!(file.crawlers_of_file("ranges", known), None);
    }

    #[test]
    fn services() {
        let known = KnownCrawlers::built_in();
        let file = PublishedRanges::read(
            br#"{"formatVersion":"1.2","prefixes":[{"ipv4Prefix":"192.0.2.0/25","services":["GPTBot"]},
                {"ipv4Prefix":"192.0.2.128/25","services":["internal"]}]}"#,
        )
        .unwrap();
        let openai = file.crawlers("OpenAI", known);
        assert!(has(&openai, "GPTBot", "192.0.2.1") && has(&openai, "GPTBot", "192.0.2.200"));
        assert!(!has(&openai, "OAI-SearchBot", "192.0.2.1"));
        assert!(has(&openai, "OAI-SearchBot", "192.0.2.200"));
        let alone = file.crawlers_of_file("x", known).unwrap();
        assert_eq!(alone.len(), 1);
        assert!(has(&alone, "GPTBot", "192.0.2.1") && !has(&alone, "GPTBot", "192.0.2.200"));
        // Who names a crawler means all of the file.
        assert!(has(&file.crawlers("ChatGPT-User", known), "ChatGPT-User", "192.0.2.1"));
    }

    #[test]
    fn files_that_are_none() {
        for (file, wanted) in [
            ("", "EOF"),
            ("{}", "prefixes"),
            ("[]", "invalid length 0, expected an object with a list 'prefixes'"),
            ("\u{feff}3", "expected an object with a list 'prefixes'"),
            (r#"{"prefixes":[]}"#, "it has no object with either"),
            (
                r#"{"prefixes":[{"ipv4Prefix":"1.2.3.4","ipv6Prefix":"::1"}]}"#,
                "it has no object with either",
            ),
            (r#"{"prefixes":[{"ipv4Prefix":"x"}]}"#, "'x': it is not an address"),
            (
                r#"{"formatVersion":"2.0","prefixes":[{"ipv4Prefix":"1.2.3.4"}]}"#,
                "formatVersion is 2.0",
            ),
            (
                r#"{"formatVersion":[],"prefixes":[{"ipv4Prefix":"1.2.3.4"}]}"#,
                "formatVersion is []",
            ),
        ] {
            let wrong = PublishedRanges::read(file.as_bytes()).unwrap_err().to_string();
            assert!(wrong.contains(wanted), "{file}: {wrong}");
        }
    }
}

//! The kind of record that a field makes.

/// The kind of record that a field makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Kind {
    /// `Sitemap`.
    Sitemap,
    /// `Crawl-delay`.
    CrawlDelay,
    /// `Request-rate`.
    RequestRate,
    /// `Visit-time`.
    VisitTime,
    /// `Host`.
    Host,
    /// `Clean-param`.
    CleanParam,
    /// `License`.
    License,
    /// `Noindex`.
    #[cfg_attr(feature = "serde", serde(rename = "noindex"))]
    NoIndex,
    /// `Content-Signal`.
    ContentSignal,
    /// `Content-Usage`.
    ContentUsage,
    /// Any other field.
    Unknown,
}

impl Kind {
    /// All kinds but [`Kind::Unknown`].
    pub const NAMED: &'static [Kind] = &[
        Kind::Sitemap,
        Kind::CrawlDelay,
        Kind::RequestRate,
        Kind::VisitTime,
        Kind::Host,
        Kind::CleanParam,
        Kind::License,
        Kind::NoIndex,
        Kind::ContentSignal,
        Kind::ContentUsage,
    ];

    /// The kind of record that a field makes, by the name of the field. Names of rules and
    /// user-agent lines are unknown here.
    pub fn of_field(name: &[u8]) -> Kind {
        /// Longer than any known name, even one with many hyphens and spaces.
        const MAX_NAME_BYTES: usize = 64;
        if name.len() > MAX_NAME_BYTES {
            return Kind::Unknown;
        }
        let (mut compact, mut len) = ([0; MAX_NAME_BYTES], 0);
        for byte in name.iter().filter(|byte| !matches!(byte, b'-' | b'_' | b' ' | b'\t')) {
            compact[len] = byte.to_ascii_lowercase();
            len += 1;
        }
        match &compact[..len] {
            b"sitemap" => Kind::Sitemap,
            b"crawldelay" => Kind::CrawlDelay,
            b"requestrate" => Kind::RequestRate,
            b"visittime" => Kind::VisitTime,
            b"host" => Kind::Host,
            b"cleanparam" | b"cleanparams" => Kind::CleanParam,
            b"license" => Kind::License,
            b"noindex" => Kind::NoIndex,
            b"contentsignal" | b"contentsignals" => Kind::ContentSignal,
            b"contentusage" => Kind::ContentUsage,
            _ => Kind::Unknown,
        }
    }

    /// The field's name in lower case, or `unknown`.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Sitemap => "sitemap",
            Kind::CrawlDelay => "crawl-delay",
            Kind::RequestRate => "request-rate",
            Kind::VisitTime => "visit-time",
            Kind::Host => "host",
            Kind::CleanParam => "clean-param",
            Kind::License => "license",
            Kind::NoIndex => "noindex",
            Kind::ContentSignal => "content-signal",
            Kind::ContentUsage => "content-usage",
            Kind::Unknown => "unknown",
        }
    }

    /// True if the definition of the field makes it apply to the whole file, wherever it stands.
    pub fn is_per_file(self) -> bool {
        matches!(self, Kind::Sitemap | Kind::Host | Kind::CleanParam)
    }

    /// True if it belongs to the user-agent lines directly above it, not to the whole of their group:
    /// `Crawl-delay`, `Request-rate` and `Visit-time`. See [`Pace`](super::Pace).
    pub fn is_of_pace(self) -> bool {
        matches!(self, Kind::CrawlDelay | Kind::RequestRate | Kind::VisitTime)
    }
}

display_as_str!(Kind);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        for (name, kind) in [
            ("CRAWL-DELAY", Kind::CrawlDelay),
            ("crawl_delay", Kind::CrawlDelay),
            ("Crawldelay", Kind::CrawlDelay),
            ("Clean-params", Kind::CleanParam),
            ("content signal", Kind::ContentSignal),
            ("NoIndex", Kind::NoIndex),
            ("crawl-delays", Kind::Unknown),
            ("", Kind::Unknown),
        ] {
            assert_eq!(Kind::of_field(name.as_bytes()), kind, "{name}");
        }
        for kind in Kind::NAMED {
            assert_eq!(Kind::of_field(kind.as_str().as_bytes()), *kind);
        }
        assert_eq!(Kind::of_field(&[b'-'; 100_000]), Kind::Unknown);
    }
}

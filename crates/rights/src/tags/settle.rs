//! From the rules that are for a crawler to statements and limits.

use crate::limits::Limits;
use crate::note::Note;
use crate::place::Place;
use crate::purpose::{Purpose, Purposes};
use crate::result::Rights;
use crate::statement::Statement;
use crate::tables::{PolicyToken, Reading, reading};
use crate::tag_rule::TagRule;
use crate::tags::read::{RobotsTag, RobotsTags};
use crate::version::{TagReading, Version};

/// How rules are read, and for whom.
#[derive(Clone, Debug)]
pub(crate) struct TagReader {
    reading: Reading,
    /// The crawler's names, in lower case, and those under which its pages are fetched.
    names: Vec<Box<[u8]>>,
    /// True if the vendor's names are among them.
    is_vendors: bool,
    /// In seconds since 1970.
    now: Option<i64>,
}

impl TagReader {
    pub(crate) fn new<'n>(
        names: impl Iterator<Item = &'n [u8]>,
        by: TagReading,
        now: Option<i64>,
    ) -> TagReader {
        let names = names.map(|name| name.to_ascii_lowercase().into_boxed_slice());
        let mut names: Vec<Box<[u8]>> = names.collect();
        let reading = reading(by, names.iter().map(|name| &**name));
        let fetched_as = |name| Some(PolicyToken::of_name(str::from_utf8(name).ok()?)?.crawler);
        let more: Vec<&str> = names.iter().filter_map(|name| fetched_as(name)).collect();
        names.extend(more.iter().map(|name| name.as_bytes().into()));
        let is_vendors =
            names.iter().any(|own| reading.names.iter().any(|name| **own == *name.as_bytes()));
        TagReader { reading, names, is_vendors, now }
    }

    /// Adds what the rules for the crawler state. All rules for it and for all crawlers add up.
    pub(crate) fn settle(&self, tags: &RobotsTags, rights: &mut Rights) {
        let own = || tags.iter().filter(|tag| self.is_for_crawler(tag));
        let has = |rule: TagRule| own().any(|tag| tag.rule == rule);
        let is_cancelled = self.reading.permits
            && own()
                .any(|tag| tag.rule == TagRule::Index && self.may_lift(tag) && is_meta(&tag.place));
        let caches = has(TagRule::NoCache) && self.reading.caches;
        let keeps_archive =
            caches && own().any(|tag| tag.rule == TagRule::NoCache && self.may_lift(tag));
        rights.add_notes(tags.notes());
        let mut limits = Limits::default();
        let (mut has_no_index, mut has_no_snippet) = (false, false);
        for tag in own() {
            let statement = |version| Statement::new(tag.place.clone(), version);
            let by_reading = || statement(self.reading.version);
            match tag.rule {
                TagRule::NoIndex if is_cancelled && is_meta(&tag.place) => {
                    rights.add_note(Note::Cancelled);
                }
                TagRule::NoIndex => {
                    has_no_index = true;
                    rights.add(by_reading().disallowing(Purpose::Index.into()));
                }
                TagRule::UnavailableAfter(time) => match self.now {
                    Some(now) if now > time => {
                        rights.add(by_reading().disallowing(Purpose::Index.into()));
                    }
                    Some(_) => {}
                    None => rights.add_note(Note::NowNotGiven),
                },
                TagRule::Unreadable => rights.add_note(Note::Malformed),
                TagRule::NoSnippet => {
                    has_no_snippet = true;
                    rights.add(by_reading().disallowing(self.reading.no_snippet));
                }
                TagRule::MaxSnippet(most) => {
                    limits.max_snippet = Some(limits.max_snippet.map_or(most, |own| own.min(most)));
                }
                TagRule::NoArchive if !keeps_archive => {
                    rights.add(by_reading().disallowing(self.reading.no_archive));
                }
                TagRule::NoArchive | TagRule::NoCache | TagRule::IndexIfEmbedded => {}
                TagRule::NoAi => {
                    rights.add(statement(Version::NoAi).disallowing(Purpose::AiTrain.into()));
                }
                TagRule::NoImageAi => rights.add_note(Note::ImagesOnly),
                TagRule::Index if is_cancelled && self.may_lift(tag) && is_meta(&tag.place) => {
                    rights.add(by_reading().allowing(Purposes::of(&[Purpose::Index])));
                }
                TagRule::Index => {}
            }
        }
        if has_no_snippet {
            limits.max_snippet = None;
        }
        limits.index_if_embedded =
            self.reading.embeds && has_no_index && has(TagRule::IndexIfEmbedded);
        limits.url_title_snippet = caches;
        if caches {
            rights.add_note(Note::NoCache);
        }
        rights.set_limits(limits);
    }

    /// Returns true if a crawler of this name is the one that is asked for. A version after a slash is none
    /// of its name.
    pub(crate) fn has_name(&self, name: &[u8]) -> bool {
        let name = name.split(|byte| *byte == b'/').next().unwrap_or_default();
        let more = self.reading.names.iter().map(|name| name.as_bytes());
        self.is_own(name) || { more }.any(|own| own.eq_ignore_ascii_case(name))
    }

    fn is_own(&self, name: &[u8]) -> bool {
        self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    /// Returns true if a rule may lift another: what is addressed to a vendor's crawler only restricts others.
    fn may_lift(&self, tag: &RobotsTag) -> bool {
        self.is_vendors || tag.name().is_none_or(|name| self.is_own(name))
    }

    fn is_for_crawler(&self, tag: &RobotsTag) -> bool {
        let Some(name) = tag.name() else { return true };
        let meta_names = self.reading.meta_names;
        let is_read = !is_meta(&tag.place)
            || meta_names.is_empty()
            || meta_names.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
        is_read && self.has_name(name)
    }
}

fn is_meta(place: &Place) -> bool {
    matches!(place, Place::Html { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::purpose::Ruling;

    /// The rights that header lines and meta tags (`name=content`) give.
    fn rights(reading: TagReading, crawler: &str, lines: &[&str], metas: &[&str]) -> Rights {
        let mut tags = RobotsTags::default();
        lines.iter().for_each(|line| tags.add_header_line(line.as_bytes()));
        for (meta, number) in metas.iter().zip(1..) {
            let (name, content) = meta.split_once('=').unwrap();
            tags.add_meta(name.as_bytes(), content.as_bytes(), number);
        }
        let names = crawler.split(", ").map(str::as_bytes);
        let mut rights = Rights::default();
        TagReader::new(names, reading, Some(1_800_000_000)).settle(&tags, &mut rights);
        rights
    }

    /// Index, snippet, input, training.
    fn shown(rights: &Rights) -> String {
        let sign = |purpose| match rights.ruling(purpose) {
            Ruling::Allow => '+',
            Ruling::Disallow => '-',
            Ruling::Unknown => '?',
        };
        [Purpose::Index, Purpose::Snippet, Purpose::AiInput, Purpose::AiTrain]
            .map(sign)
            .iter()
            .collect()
    }

    #[test]
    fn everybody_agrees() {
        for reading in TagReading::ALL {
            for (line, wanted) in [
                ("noindex", "-???"),
                ("none", "-???"),
                ("max-snippet:10", "????"),
                ("noai", "???-"),
                ("noimageai", "????"),
                ("unavailable_after: 2020-01-01", "-???"),
                ("unavailable_after: 2040-01-01", "????"),
                // In a header nothing is permitted.
                ("index, all", "????"),
                ("index, noindex", "-???"),
                ("bot: noindex", "-???"),
                ("BOT: noindex", "-???"),
                ("otherbot: noindex", "????"),
                ("two: noindex", "-???"),
                ("Two/1.0: noindex", "-???"),
            ] {
                assert_eq!(shown(&rights(*reading, "Bot, Two", &[line], &[])), wanted, "{line}");
            }
        }
    }

    #[test]
    fn snippets() {
        let generic = |lines: &[&str]| rights(TagReading::Generic, "bot", lines, &[]);
        assert_eq!(shown(&generic(&["nosnippet"])), "?-??");
        assert_eq!(shown(&generic(&["max-snippet:0"])), "?-??");
        assert_eq!(
            generic(&["max-snippet:-1, max-snippet:50", "max-snippet:20"]).limits().max_snippet,
            Some(20)
        );
        assert_eq!(generic(&["max-snippet:-1"]).limits(), Limits::default());
        assert_eq!(generic(&["max-snippet:50, nosnippet"]).limits(), Limits::default());
        for line in ["nosnippet", "max-snippet:0"] {
            assert_eq!(shown(&rights(TagReading::Google, "Googlebot", &[line], &[])), "?--?");
        }
    }

    #[test]
    fn google() {
        let google = |crawler, metas: &[&str]| rights(TagReading::Google, crawler, &[], metas);
        let embedded = google("Googlebot", &["robots=noindex,indexifembedded"]);
        assert_eq!((shown(&embedded), embedded.limits().index_if_embedded), ("-???".into(), true));
        assert!(google("Googlebot", &["robots=indexifembedded"]).limits().is_empty());
        let generic = rights(TagReading::Generic, "a", &["noindex, indexifembedded"], &[]);
        assert!(generic.limits().is_empty());
        assert_eq!(shown(&google("Googlebot", &["robots=noarchive, nocache"])), "????");
        // Of the names of meta tags only two count.
        assert_eq!(shown(&google("Googlebot-News", &["googlebot-news=noindex"])), "-???");
        assert_eq!(shown(&google("Googlebot", &["googlebot-news=noindex"])), "????");
        assert_eq!(shown(&google("AdsBot-Google", &["AdsBot-Google=noindex"])), "-???");
        assert_eq!(shown(&google("Googlebot-Image", &["googlebot-image=noindex"])), "????");
        assert_eq!(shown(&google("Googlebot-Image, Googlebot", &["googlebot=noindex"])), "-???");
        let header =
            rights(TagReading::Google, "Googlebot-Image", &["googlebot-image: noindex"], &[]);
        assert_eq!(shown(&header), "-???");
    }

    #[test]
    fn bing() {
        let amazon = |reading, crawler| shown(&rights(reading, crawler, &["noarchive"], &[]));
        assert_eq!(amazon(TagReading::Amazon, "x"), "???-");
        assert_eq!(amazon(TagReading::Generic, "AmazonBot"), "???-");
        assert_eq!(amazon(TagReading::Google, "Amazonbot"), "????");
        let bing =
            |lines: &[&str], metas: &[&str]| rights(TagReading::Bing, "bingbot", lines, metas);
        assert_eq!(shown(&bing(&["noarchive"], &[])), "??--");
        assert_eq!(shown(&bing(&["msnbot: noarchive"], &[])), "??--");
        assert_eq!(shown(&bing(&["nosnippet"], &[])), "?-??");
        let cache = bing(&["noarchive"], &["msnbot=nocache"]);
        assert_eq!((shown(&cache), cache.limits().url_title_snippet), ("????".into(), true));
        let generic = rights(TagReading::Generic, "bingbot", &["noarchive, nocache"], &[]);
        assert_eq!((shown(&generic), generic.limits()), ("????".into(), Limits::default()));
    }

    /// A reading brings the names of its vendor, which lift nothing for others.
    #[test]
    fn names_of_vendors() {
        use TagReading::*;
        for (reading, name, rule, wanted) in [
            (Google, "googlebot", "nosnippet", "?--?"),
            (Bing, "msnbot", "noarchive", "??--"),
            (Amazon, "amazonbot", "noarchive", "???-"),
            (Yandex, "yandex", "noindex", "-???"),
        ] {
            let shown = |reading, crawler| {
                let by = |lines: &[&str], metas: &[&str]| {
                    self::shown(&rights(reading, crawler, lines, metas))
                };
                let header = by(&[&format!("{name}: {rule}")], &[]);
                assert_eq!(header, by(&[], &[&format!("{name}={rule}")]));
                header
            };
            assert_eq!(shown(reading, "ExampleBot"), wanted, "{name}");
            assert_eq!(shown(Generic, "ExampleBot"), "????", "{name}");
        }
        let both = |reading, crawler, metas: &[&str]| shown(&rights(reading, crawler, &[], metas));
        let yandex = ["robots=noindex", "yandex=all"];
        assert_eq!(both(Yandex, "Yandex", &yandex), "+???");
        assert_eq!(both(Yandex, "ExampleBot", &yandex), "-???");
        assert_eq!(both(Yandex, "ExampleBot", &["yandex=all"]), "????");
        let bing = ["robots=noarchive", "bingbot=nocache"];
        assert_eq!(both(Bing, "MSNBot", &bing), "????");
        assert_eq!(both(Bing, "ExampleBot", &bing), "??--");
        // What fetches pages for a token is addressed.
        for (crawler, line) in
            [("Google-Extended", "googlebot: noai"), ("applebot-extended", "Applebot: noai")]
        {
            assert_eq!(shown(&rights(Generic, crawler, &[line], &[])), "???-");
        }
        let extended = rights(Google, "Google-Extended", &["googlebot: nosnippet"], &[]);
        assert_eq!(shown(&extended), "?--?");
    }

    #[test]
    fn yandex() {
        let yandex =
            |lines: &[&str], metas: &[&str]| rights(TagReading::Yandex, "YandexBot", lines, metas);
        let cancelled = yandex(&[], &["robots=noindex", "yandex=all"]);
        assert_eq!(shown(&cancelled), "+???");
        assert!(cancelled.notes().contains(Note::Cancelled));
        let allowed = yandex(&[], &["robots=index"]);
        assert_eq!((shown(&allowed), allowed.notes().is_empty()), ("+???".into(), true));
        // Only within the page.
        assert_eq!(shown(&yandex(&["noindex"], &["robots=index"])), "-???");
        assert_eq!(shown(&yandex(&["index, noindex"], &[])), "-???");
        assert_eq!(shown(&yandex(&[], &["robots=nosnippet, all"])), "+-??");
        assert_eq!(shown(&yandex(&[], &["otherbot=index", "robots=noindex"])), "-???");
    }

    #[test]
    fn without_the_time() {
        let mut tags = RobotsTags::default();
        tags.add_header_line(b"unavailable_after: 2020-01-01");
        let mut rights = Rights::default();
        let names = [&b"bot"[..]].into_iter();
        TagReader::new(names, TagReading::Generic, None).settle(&tags, &mut rights);
        assert_eq!(shown(&rights), "????");
        assert!(rights.notes().contains(Note::NowNotGiven));
    }
}

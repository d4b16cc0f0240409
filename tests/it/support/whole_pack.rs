//! Uses a pack in every way. Any answer will do, but nothing may panic, and what was verified has no
//! damage.

use robotsieve::pack::{Pack, PackError, Site, Writer};
use robotsieve::{Answer, Config, Origin, Profile, SiteKind, SiteRules};

const PATHS: [&str; 5] = ["/", "/a/b?c=d", "/robots.txt", "/%C3%A9*$#x", "/aXbYcZ/aaaa.pdf"];

/// What `verify` says, after the pack was used: all of its sites, but no more than so many.
pub fn look_at(bytes: &[u8], most: usize) -> Result<(), PackError> {
    let pack = Pack::open_shard(bytes)?;
    let is_one = pack.shard() == (0, 1);
    assert_eq!(Pack::open(bytes).is_ok(), is_one);
    assert_eq!(Pack::open_shards([bytes]).is_ok(), is_one);
    let verified = pack.verify();
    let is_right = verified.is_ok();
    let stat = pack.stat();
    assert!(!is_right || stat.is_ok_and(|stat| stat.origins == pack.len()));
    let again = Pack::open_shard(bytes).map(|pack| pack.verify());
    assert_eq!(again, Ok(verified.clone()), "again");
    let crawlers = pack.crawler_ids();
    let mut config = Config::default();
    (config.keep_rules, config.keep_sitemaps) = (pack.keeps_rules(), pack.keeps_sitemaps());
    let profile = Profile::named(pack.profile_name()).unwrap_or(Profile::RFC9309);
    let mut copy = Writer::new(Vec::new(), &profile, pack.crawlers().to_vec(), &config)
        .expect("no more crawlers than a pack has")
        // What the fuzzer finds can be repeated.
        .with_seed(7);
    let mut origins: Vec<Origin<'static>> = Vec::new();
    let mut answers = vec![Answer::Invalid; crawlers.len()];
    for site in pack.sites().take(most) {
        assert!(!is_right || site.is_ok(), "damaged, but verify() found nothing");
        let Ok(site) = site else { continue };
        for path in PATHS {
            let asked = site.ask_into(path, &mut answers);
            assert!(!is_right || asked.is_ok(), "damaged, but verify() found nothing");
        }
        let sitemaps = site.sitemaps().map(Iterator::count);
        assert!(!is_right || sitemaps.is_ok(), "damaged, but verify() found nothing");
        for crawler in crawlers.iter().take(4) {
            let (policy, pace) = (site.policy(*crawler), site.pace(*crawler));
            assert!(!is_right || (policy.is_ok() && pace.is_ok()), "damaged");
            let Ok(Some(policy)) = policy else { continue };
            let _ = policy.pace().min_interval();
            let _ = policy.decide(PATHS[3]);
            let with_rules = policy.with_rules();
            assert!(!is_right || with_rules.is_ok(), "damaged, but verify() found nothing");
            if let Ok(Some(policy)) = with_rules {
                for path in PATHS {
                    let _ = policy.decide(path);
                }
                policy.compile();
                let _ = policy.is_allowed(PATHS[4]);
            }
        }
        let outcome = copy.put_site(&site);
        let differs = Profile::named(pack.profile_name()).is_none();
        assert!(!is_right || differs || outcome.is_ok(), "damaged, but verify() found nothing");
        let found: Vec<Origin<'_>> = site.origins().collect();
        assert_eq!(found.len(), site.schemes().count(), "{:?}", site.authority());
        for origin in found {
            assert_eq!(origin.authority(), site.authority());
            let got = pack.get(&origin);
            if let Ok(got) = &got {
                let of = |site: Site<'_>| (site.kind(), site.times());
                let got = got.map(|got| (got.authority().to_owned(), of(got)));
                let listed = (site.authority().to_owned(), of(site));
                assert!(!is_right || got.as_ref() == Some(&listed), "{got:?} {listed:?}");
            }
            assert!(!is_right || got.is_ok());
            if let Ok(outcome) = &outcome {
                copy.add_at(&origin, *outcome, site.times()).expect("no more than there was");
            }
            origins.push(origin);
        }
    }
    assert!(!is_right || origins.len() as u64 == pack.len() || origins.len() >= most);
    let urls: Vec<String> = origins
        .iter()
        .flat_map(|origin| PATHS.map(|path| format!("{origin}{path}")))
        .chain(["https://e.com/a".into(), "http://nobody.example/".into(), "e.com".into()])
        .collect();
    let mut rows = vec![Answer::Invalid; urls.len() * crawlers.len()];
    let asked = pack.answers_into(&urls, crawlers, &mut rows);
    assert!(!is_right || asked.is_ok(), "damaged, but verify() found nothing");
    // What was copied is right, wherever it comes from, and says the same.
    let copy = copy.finish().expect("no more than there was");
    let copy = Pack::open(&copy).expect("a pack");
    assert_eq!(copy.verify(), Ok(()));
    if asked.is_ok() {
        for (url, row) in urls.iter().zip(rows.chunks(crawlers.len().max(1))) {
            let Ok(origin) = Origin::of(url) else { continue };
            let Ok(Some(site)) = copy.get(&origin) else { continue };
            let is_rules = site.kind() == SiteKind::Rules;
            site.ask_into(url, &mut answers).expect("verified");
            assert!(!is_rules || !is_right || answers == row, "{url}");
        }
    }
    update(&pack, &origins, &profile, &config, is_right);
    verified
}

/// Appends a layer, and looks at what comes of it.
fn update(
    pack: &Pack<'_>,
    origins: &[Origin<'_>],
    profile: &Profile,
    config: &Config,
    is_right: bool,
) {
    let Ok(mut writer) = Writer::append(pack, Vec::new(), profile, config) else { return };
    let new = Origin::of("https://new.example").expect("an origin");
    let packed = writer.recipe().pack(b"User-agent: *\nDisallow: /a\nSitemap: /s\nCrawl-delay: 1");
    let rules = SiteRules::Rules(writer.put(&packed).expect("a Vec"));
    let mut wanted = pack.len();
    wanted += u64::from(!pack.get(&new).is_ok_and(|found| found.is_some()));
    let is_here = new.shard(pack.shard().1) == pack.shard().0;
    let added = writer.add(&new, rules, Some(u64::from(u32::MAX)));
    assert_eq!(added.is_ok(), is_here, "origins of another file are refused");
    if !is_here {
        return;
    }
    for (number, origin) in origins.iter().filter(|origin| **origin != new).take(3).enumerate() {
        let changed = match number {
            0 => writer.add(origin, SiteRules::AllowAll, None),
            1 => writer.forget(origin),
            _ => writer.add(origin, rules, None),
        };
        assert!(!is_right || changed.is_ok());
        wanted = wanted.saturating_sub(u64::from(number == 1));
    }
    let layer = writer.finish();
    assert!(!is_right || layer.is_ok(), "damaged, but verify() found nothing");
    let Ok(layer) = layer else { return };
    let base = pack.files().next().expect("a file");
    let whole = [base, &layer].concat();
    let updated = Pack::open_shard(&whole).expect("a pack and a layer");
    assert_eq!(updated.layer_count(), pack.layer_count() + 1);
    if is_right {
        assert_eq!((updated.verify(), updated.len()), (Ok(()), wanted));
        let found = updated.get(&new).expect("verified").expect("was added");
        assert_eq!(found.captured(), Some(u64::from(u32::MAX)));
    }
}

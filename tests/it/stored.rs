//! What is written with the feature `serde`, and what is read back.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use robotsieve::{
    Answer, Config, Crawler, Diagnostic, Engine, GroupMatch, Limits, Profile, Robots, Verdict,
};

fn read_back<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn what_is_stored_is_read_back() {
    for (_, profile) in Profile::NAMED {
        assert_eq!(read_back(profile), *profile);
    }
    for verdict in [Verdict::Allow, Verdict::Disallow] {
        assert_eq!(read_back(&verdict), verdict);
        assert_eq!(json!(verdict), json!(verdict.as_str()));
    }
    for answer in [Answer::Allow, Answer::Disallow, Answer::Invalid, Answer::Unknown] {
        assert_eq!(read_back(&answer), answer);
        assert_eq!(json!(answer), json!(answer.as_str()));
    }
    let mut config = Config::default();
    assert_eq!(read_back(&config), config);
    config.engine = Some(Engine::Segments);
    config.limits = Limits::NONE;
    config.build_after = Some(7);
    config.keep_rules = false;
    config.keep_sitemaps = true;
    config.max_interval = std::time::Duration::from_millis(1_500);
    config.inherit_pace = true;
    assert_eq!(read_back(&config), config);
    let file = b"User-agent: *\nCrawl-delay: 2.5\nRequest-rate: 1/5m 0600-0845";
    for file in [&file[..], &file[..30], b""] {
        let pace = Robots::parse(file, &Profile::RFC9309).pace(&Crawler::name("bot"));
        assert_eq!(read_back(&pace), pace);
    }
}

#[test]
fn missing_and_unknown_switches() {
    let given = json!({ "group_match": "longest-prefix", "size_limit": null });
    let profile: Profile = serde_json::from_value(given).unwrap();
    let mut wanted = Profile::RFC9309;
    wanted.group_match = GroupMatch::LongestPrefix;
    wanted.size_limit = None;
    assert_eq!(profile, wanted);
    assert!(serde_json::from_value::<Profile>(json!({ "wildcard": true })).is_err());
    assert!(serde_json::from_value::<Config>(json!({ "limit": {} })).is_err());
}

/// Each kind of diagnostic that this file has in some profile is read back.
#[test]
fn diagnostics() {
    let file = b"\xEF\xBB\xBFUser-agent: a/1\nUser-agent:\nDisalow: /\nDisallow /x\n\
        User-agent: a1\nDisallow: x\nDisallow: /$a\nDisallow: /\xE9\nnothing\0\n\
        User-agent: a\nAllow: /y\n";
    let mut kinds = 0;
    for (_, profile) in Profile::NAMED {
        let found = Robots::parse(file, profile).diagnostics();
        kinds += found.len();
        assert_eq!(read_back::<Vec<Diagnostic>>(&found), found);
    }
    assert!(kinds > 20, "{kinds}");
}

/// Text is a string, and what is not UTF-8 an array of its bytes.
#[test]
fn decisions_and_records() {
    let file = b"User-agent: *\nDisallow: /caf\xC3\xA9$\nDisallow: /caf\xE9\nDisallow:\n";
    let robots = Robots::parse(file, &Profile::RFC9309);
    let policy = robots.policy(&Crawler::name("bot"));
    let decision = |path| json!(policy.decide(path).unwrap());
    let rule = json!({
        "verdict": "disallow", "line": 2, "value": "/café$", "precedence": 11,
        "pattern": "/caf%C3%A9", "anchored": true,
    });
    assert_eq!(decision("/café"), json!({ "verdict": "disallow", "reason": { "rule": rule } }));
    assert_eq!(decision("/"), json!({ "verdict": "allow", "reason": "no-match" }));
    assert_eq!(decision("/robots.txt"), json!({ "verdict": "allow", "reason": "robots-txt" }));
    assert_eq!(decision("/caf%E9")["reason"]["rule"]["value"], json!(b"/caf\xE9"));
    let empty = Robots::parse(b"User-agent: *\nDisallow:", &Profile::RFC9309);
    let policy = empty.policy(&Crawler::name("bot"));
    let reason = json!(policy.decide("/").unwrap().reason);
    assert_eq!(reason, json!({ "empty-rule": { "line": 2 } }));

    for record in robots.records() {
        let written = json!(record);
        assert_eq!(bytes(&written["name"]), record.name);
        assert_eq!(bytes(&written["value"]), record.value);
        assert_eq!(written["line"], record.line);
    }
    assert_eq!(json!(robots.records().next())["field"], "user-agent");
}

fn bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) => text.clone().into_bytes(),
        other => serde_json::from_value(other.clone()).unwrap(),
    }
}

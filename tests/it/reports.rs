//! Documents of reports fit their JSON Schema.

use std::fs;
use std::path::Path;
use std::time::Duration;

use robotsieve::explain::compare_profiles;
use robotsieve::{Config, Crawler, Profile, Robots};
use robotsieve_owners::schema::schema;
use robotsieve_report::Asked;
use serde::Serialize;
use serde_json::{Value, json};

use schema_check::Schema;

/// The command's tests use it too.
#[path = "../../cli/tests/it/command/schema.rs"]
mod schema_check;

/// The schema, but members that it does not name are wrong.
fn strict() -> Schema {
    fn close(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.values_mut().for_each(close);
                if members.contains_key("required") {
                    members.insert("additionalProperties".into(), false.into());
                }
            }
            Value::Array(all) => all.iter_mut().for_each(close),
            _ => {}
        }
    }
    let mut schema = schema();
    close(&mut schema);
    Schema::of(&schema.to_string())
}

/// A document of a report, which must fit the schema.
#[track_caller]
fn document(report: &impl Serialize, schema: &Schema) -> Value {
    let document = serde_json::to_value(report).unwrap();
    assert_eq!(schema.errors(&document), [""; 0], "{document}");
    document
}

/// Every reason, with bytes that are no UTF-8.
#[test]
fn explanations_fit_the_schema() {
    let schema = strict();
    let mut reasons = Vec::new();
    for (file, url, reason) in [
        (&b"user-agent: a\ndisallow: /"[..], &b"/"[..], "rule"),
        (b"user-agent: a\ndisallow: /x*\xE9$\nallow: /", b"/x%7e\xE9", "rule"),
        (b"user-agent: b\xE9\nuser-agent: c\xE9d\ndisallow: /", b"/", "no-group"),
        (b"user-agent: a\ndisallow: /x", b"/", "no-match"),
        (b"user-agent: a", b"/", "no-match"),
        (b"user-agent: a\ndisallow:", b"/", "empty-rule"),
        (b"user-agent: a\ndisallow: /", b"/robots.txt", "robots-txt"),
        (b"user-agent: a\ndisallow: /", b"e.com", "invalid-url"),
    ] {
        for names in [&[&b"a"[..]][..], &[b"x\xE9", b"a"], &[]] {
            let crawler = Crawler::names(names);
            let mut asked = Asked::new(&crawler, url);
            asked.robots = Some(b"r\xE9");
            let compared = asked.compared(&compare_profiles(file, &crawler, url));
            document(&compared, &schema);
            let first = document(&compared.explanations[0], &schema);
            if names.len() == 1 {
                assert_eq!(first["reason"], reason);
                reasons.push(first["reason"].clone());
            }
        }
    }
    let config = Config::default().with_skip_above(Some(Duration::from_secs(60)));
    let slow = b"user-agent: a\ncrawl-delay: 300";
    let robots = Robots::parse_with(slow, &Profile::RFC9309, &config);
    let crawler = Crawler::name("a");
    let why = robots.explain(&crawler, "/").unwrap();
    let report = document(&Asked::new(&crawler, b"/").explained(&why), &schema);
    let said = &report["sentences"][0]["text"];
    assert!(said.as_str().unwrap().contains("a longer delay than"), "{said}");
    reasons.push(report["reason"].clone());
    // Those of stores and answers are the command's.
    reasons.extend([json!("site"), json!("unknown-site")]);
    let schema = self::schema();
    let known = schema["$defs"]["ExplainReason"]["oneOf"].as_array().unwrap();
    assert!(known.iter().all(|known| reasons.contains(&known["const"])), "{known:?}");
}

/// The files of the corpora and their URLs.
#[test]
fn corpora_fit_the_schema() {
    let schema = strict();
    let corpora = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("corpora");
    let mut documents = 0;
    for entry in fs::read_dir(corpora.join("robots")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().replace(".example.txt", "");
        let file = fs::read(&path).unwrap();
        let urls = fs::read(corpora.join("urls").join(format!("{name}.txt"))).unwrap();
        let urls: Vec<&[u8]> = urls.split(|byte| *byte == b'\n').collect();
        let crawler = Crawler::names(["Googlebot-News", "GPTBot"]);
        for url in [&b"e.com"[..], b"https://e.com?%7e"].iter().chain(urls.iter().step_by(9)) {
            let compared = compare_profiles(&file, &crawler, url);
            let report = document(&Asked::new(&crawler, url).compared(&compared), &schema);
            assert_eq!(report["explanations"].as_array().unwrap().len(), 4);
            documents += 1;
        }
    }
    assert!(documents > 30, "{documents}");
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let schema = strict();
    let crawler = Crawler::name("a");
    let why = Robots::parse(b"user-agent: a\ndisallow: /", &Profile::RFC9309);
    let report = Asked::new(&crawler, b"/").explained(&why.explain(&crawler, "/").unwrap());
    let report = document(&report, &schema);
    let refuses = |change: &dyn Fn(&mut Value)| {
        let mut changed = report.clone();
        change(&mut changed);
        assert!(!schema.is_valid(&changed), "{changed}");
    };
    refuses(&|report| _ = report.as_object_mut().unwrap().remove("selection"));
    refuses(&|report| report["selected"] = Value::Null);
    refuses(&|report| report["schema"] = "robotsieve-explain-4".into());
    refuses(&|report| report["verdict"] = "maybe".into());
    refuses(&|report| report["matches"][0]["value_span"] = json!([0]));
    refuses(&|report| report["matches"][0]["line"] = json!("1"));
}

/// A document has what its sentences say.
#[test]
fn an_explanation() {
    let file = b"User-agent: FooBot\nDisallow: /private\nAllow: /private/*.html$\n\n\
                 User-agent: *\nDisallow: /\n";
    let robots = Robots::parse(file, &Profile::RFC9309);
    let header = b"Mozilla/5.0 (compatible; FooBot/1.0)";
    let crawler = Crawler::from_user_agent(header);
    let url = b"/private/%61.html";
    let why = robots.explain(&crawler, url).unwrap();
    let asked = Asked { agent: header.into(), user_agent: true, ..Asked::new(&crawler, url) };
    let report = document(&asked.explained(&why), &strict());
    assert_eq!(report["schema"], "robotsieve-report-1");
    assert_eq!(report["report"], "explain");
    assert_eq!(report["robots"], Value::Null);
    let name = json!({
        "name": "FooBot", "agent_span": [25, 31], "certainty": "compatible",
        "label": "1: after 'compatible', decides",
    });
    assert_eq!(report["names"], json!([name]));
    assert_eq!(report["verdict"], "allow");
    assert_eq!((&report["winner_line"], &report["runner_up_line"]), (&json!(3), &json!(2)));
    assert_eq!(report["verdict_otherwise"], "disallow");
    let changes = json!([{ "url_span": [9, 12], "target_span": [9, 10] }]);
    assert_eq!(report["target"]["changes"], changes);
    assert_eq!(report["target"]["label"], "compared as '/private/a.html'");
    assert_eq!(report["selection"]["lines"][1]["standing"], "everybody-else");
    assert_eq!(report["selection"]["decided_by"], json!([0]));
    let winner = &report["matches"][0];
    let at = |span: &Value| {
        let place = |number: usize| span[number].as_u64().unwrap() as usize;
        str::from_utf8(&file[place(0)..place(1)]).unwrap()
    };
    assert_eq!(at(&winner["value_span"]), "/private/*.html$");
    assert_eq!(at(&winner["line_span"]), "Allow: /private/*.html$");
    assert_eq!(winner["url_span"], json!([0, 17]));
    let pieces = winner["pieces"].as_array().unwrap();
    let pieces: Vec<&str> = pieces.iter().map(|piece| at(&piece["file_span"])).collect();
    assert_eq!(pieces, ["/private/", "*", ".html", "$"]);
    let star = json!({
        "kind": "star", "file_span": [54, 55], "target_span": [9, 10], "url_span": [9, 12],
        "label": "matches 'a'",
    });
    assert_eq!(winner["pieces"][1], star);
    let text_of = |sentence: &Value| sentence["text"].as_str().unwrap().to_owned();
    let said = |all: &Value| -> Vec<(String, Value)> {
        let all = all.as_array().unwrap().iter();
        all.map(|one| (text_of(one), one["line"].clone())).collect()
    };
    assert_eq!(
        said(&report["sentences"]),
        [
            ("line 3 decides, out of 2 rules in the group for the crawler".to_owned(), json!(3)),
            ("by the other rules the verdict would be disallow: line 2".to_owned(), json!(2)),
        ]
    );
    assert_eq!(
        said(&report["selection"]["sentences"]),
        [
            ("the group for the crawler applies: line 1".to_owned(), json!(1)),
            ("what is for everybody else does not apply: line 5".to_owned(), json!(5)),
        ]
    );
}

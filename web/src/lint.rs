//! Findings and fixes as JSON.

use robotsieve::Profile;
use robotsieve::lint::{self, Apply, Code, Effect, Finding, Fix, Options, Report};
use wasm_bindgen::prelude::*;

use crate::json::Json;
use crate::positions::{Positions, Text};
use crate::robots::RawRobots;

/// How JavaScript asks for it: the numbers of profiles, and the content type if it is known.
fn options(profiles: &[u8], content_type: Option<String>) -> Options {
    let named = profiles.iter().filter_map(|number| Profile::NAMED.get(usize::from(*number)));
    let options = Options::new(named.copied());
    match content_type {
        Some(content_type) => options.content_type(content_type),
        None => options,
    }
}

#[wasm_bindgen]
impl RawRobots {
    pub fn lint(&self, profiles: &[u8], content_type: Option<String>) -> String {
        let found = lint::lint(self.shared.bytes(), &options(profiles, content_type));
        Json::of(|json| report(json, self.shared.text(), &found))
    }

    /// Applies the fixes of findings with these codes, a list of numbers or names parted by commas,
    /// or of all.
    pub fn fix(
        &self,
        profiles: &[u8],
        content_type: Option<String>,
        all: bool,
        codes: Option<String>,
    ) -> RawFixed {
        let apply = if all { Apply::All } else { Apply::Unchanging };
        let wanted: Option<Vec<Code>> =
            codes.map(|codes| codes.split(',').filter_map(Code::named).collect());
        let is_wanted = |code| wanted.as_ref().is_none_or(|wanted| wanted.contains(&code));
        let options = options(profiles, content_type);
        let fixed = lint::fix_codes(self.shared.bytes(), &options, apply, is_wanted);
        let positions = Positions::of(&fixed.file);
        let text = Text { bytes: &fixed.file, positions: &positions };
        let json = Json::of(|json| {
            json.object(|json| {
                json.key("applied").array(&fixed.applied, |json, finding| {
                    json.object(|json| {
                        kind(json, finding);
                        json.key("line").line(finding.line);
                        let what = finding.fix.as_ref().map(|fix| &*fix.what);
                        json.key("what").option(what, Json::text);
                    });
                });
                json.key("effect")
                    .option(fixed.effect.as_ref(), |json, effect| json.display(effect));
                json.key("report");
                report(json, text, &fixed.report);
            });
        });
        RawFixed { file: fixed.file.into_boxed_slice(), json }
    }
}

/// A file with fixes applied.
#[wasm_bindgen]
pub struct RawFixed {
    file: Box<[u8]>,
    json: String,
}

#[wasm_bindgen]
impl RawFixed {
    pub fn file(&self) -> Box<[u8]> {
        self.file.clone()
    }

    pub fn json(&self) -> String {
        self.json.clone()
    }
}

/// All kinds of findings.
#[wasm_bindgen(js_name = lintCodes)]
pub fn lint_codes() -> String {
    Json::of(|json| {
        json.array(Code::ALL, |json, code| {
            json.object(|json| {
                json.key("code").text(code.number());
                json.key("name").text(code.name());
                json.key("severity").text(code.severity().as_str());
                json.key("title").text(code.title());
                json.key("explanation").text(code.explanation());
            });
        });
    })
}

/// The fields that say what a finding is.
fn kind(json: &mut Json, finding: &Finding) {
    json.key("code").text(finding.code.number());
    json.key("name").text(finding.code.name());
    json.key("title").text(finding.code.title());
    json.key("severity").text(finding.severity.as_str());
    json.key("message").text(&finding.message);
}

fn report(json: &mut Json, file: Text<'_>, report: &Report) {
    json.object(|json| {
        json.key("findings").array(&report.findings, |json, finding| {
            json.object(|json| {
                kind(json, finding);
                json.key("line").line(finding.line);
                file.write(json.key("span"), &finding.span);
                json.key("related").array(&finding.related, |json, related| {
                    json.object(|json| {
                        json.key("line").line(related.line);
                        file.write(json.key("span"), &related.span);
                        json.key("message").text(&related.message);
                    });
                });
                json.key("help").option(finding.help.as_deref(), Json::text);
                json.key("fix").option(finding.fix.as_ref(), |json, one| fix(json, file, one));
                json.key("profiles").array(&finding.profiles, |json, name| json.text(name));
            });
        });
        json.key("undecided").array(&report.undecided, |json, line| json.line(*line));
        json.key("leftOut").array(&report.left_out, |json, (code, count)| {
            json.object(|json| {
                json.key("code").text(code.number());
                json.key("count").number(*count);
            });
        });
        json.key("silenced").number(report.silenced);
    });
}

fn fix(json: &mut Json, file: Text<'_>, fix: &Fix) {
    let changes = match &fix.effect {
        Effect::Verdicts(changes) => &changes[..],
        _ => &[],
    };
    json.object(|json| {
        json.key("what").text(&fix.what);
        file.write(json.key("span"), &fix.span);
        json.key("replacement").bytes(&fix.replacement);
        json.key("effect").display(&fix.effect);
        json.key("changesVerdicts").bool(fix.effect != Effect::None);
        json.key("changes").array(changes, |json, change| {
            json.object(|json| {
                json.key("profiles").array(&change.profiles, |json, name| json.text(name));
                json.key("crawlers").array(&change.crawlers, |json, name| json.bytes(name));
                json.key("newlyDisallowed")
                    .array(&change.newly_disallowed, |json, path| json.bytes(path));
                json.key("newlyAllowed")
                    .array(&change.newly_allowed, |json, path| json.bytes(path));
            });
        });
        json.key("profiles").array(&fix.profiles, |json, name| json.text(name));
    });
}

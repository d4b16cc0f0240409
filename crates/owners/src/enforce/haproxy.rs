//! Lines for a frontend of HAProxy.

use std::fmt::Write as _;

use super::text::{RESOLVED, RESOLVED_SUFFIX, SPELLED, WHO_ASKS, Written};

/// HAProxy takes 64 words in a line.
const WORDS: usize = 40;

pub(super) fn text(written: &Written<'_>) -> String {
    let name = written.name();
    let mut text = written.heading();
    text += "# Put these lines into the frontend of the site, before its other http-request lines. Where it serves\n\
         # several sites, add a condition on the host to the last line.\n";
    if written.options.log_only {
        let _ = writeln!(
            text,
            "# To log what would be refused, add %[var(txn.{name}_verdict)] to its log-format."
        );
    }
    let _ = write!(
        text,
        "\n    {WHO_ASKS}\n    \
         acl {name}_named var(txn.{name}_name) -m found\n"
    );
    for names in written.named("(") {
        let _ = writeln!(
            text,
            "    http-request set-var(txn.{name}_name) 'req.fhdr(user-agent),regsub(\"^.*?{names}.*$\",\"\\1\",i)' \
             if !{name}_named {{ req.fhdr(user-agent) -m reg -i '{names}' }}"
        );
    }
    if let Some(not_normal) = &written.not_normal {
        let _ = write!(
            text,
            "    {SPELLED}\n    \
             acl {name}_sent pathq -m reg '{not_normal}'\n"
        );
    }
    let _ = writeln!(text, "    acl {name}_decided var(txn.{name}_verdict) -m found");
    if written.resolves() {
        text += &resolved(name);
    }
    for class in written.refused() {
        let number = class.number;
        let _ = writeln!(text, "\n    # {}", class.who());
        let tokens: Vec<&str> = class.tokens().collect();
        for tokens in tokens.chunks(WORDS) {
            let _ = writeln!(
                text,
                "    acl {name}_is_{number} var(txn.{name}_name) -m str -i -- {}",
                tokens.join(" ")
            );
        }
        for (suffix, runs) in class.forms().chain(class.resolved_form()) {
            let is_resolved = suffix == RESOLVED_SUFFIX;
            let [seen, verdict_of, decides] = match is_resolved {
                true => [format!("var(txn.{name}_path)"), "also".to_owned(), "also".to_owned()],
                false => ["pathq".to_owned(), "verdict".to_owned(), "decided".to_owned()],
            };
            let form = match (written.not_normal.is_some(), suffix.is_empty()) {
                _ if is_resolved => format!(" {name}_leads"),
                (false, _) => String::new(),
                (true, true) => format!(" !{name}_sent"),
                (true, false) => format!(" {name}_sent"),
            };
            for (at, run) in runs.iter().enumerate() {
                let acl = format!("{name}_{number}{suffix}_{}", at + 1);
                for regex in &run.regexes {
                    if suffix.is_empty() {
                        let _ = writeln!(text, "    # {}", regex.comment);
                    }
                    let _ = writeln!(text, "    acl {acl} {seen} -m reg '{}'", regex.text);
                }
                let verdict = if run.refuses { "refused" } else { "open" };
                let decided = if at > 0 { format!(" !{name}_{decides}") } else { String::new() };
                let _ = writeln!(
                    text,
                    "    http-request set-var(txn.{name}_{verdict_of}) str({verdict}) if {name}_is_{number}{form}{decided} {acl}"
                );
            }
        }
    }
    if written.resolves() {
        let _ = writeln!(
            text,
            "\n    http-request set-var(txn.{name}_verdict) str(refused) if {{ var(txn.{name}_also) -m str refused }}"
        );
    }
    if !written.options.log_only {
        let refuse = match written.options.status {
            444 => "reject".to_owned(),
            status => format!("return status {status}"),
        };
        let _ = writeln!(
            text,
            "\n    http-request {refuse} if {{ var(txn.{name}_verdict) -m str refused }}"
        );
    }
    text
}

/// Lines that resolve the path as servers do: decoded, without empty segments and `.`, and with `..` up to this often.
fn resolved(name: &str) -> String {
    const UP: usize = 8;
    let path = format!("http-request set-var(txn.{name}_path)");
    let mut text = format!(
        "    {RESOLVED}\n    \
         acl {name}_leads path -m reg '//|/\\.|%'\n    \
         acl {name}_also var(txn.{name}_also) -m found\n    \
         {path} 'path,url_dec,regsub(\"/+\",\"/\",g),regsub(\"/(?:\\./)+\",\"/\",g),regsub(\"/\\.$\",\"/\")' if {name}_leads\n"
    );
    for _ in 0..UP {
        let _ = writeln!(
            text,
            "    {path} 'var(txn.{name}_path),regsub(\"^/\\.\\.(?:/|$)\",\"/\"),regsub(\"/[^/]+/\\.\\.(?:/|$)\",\"/\")' \
             if {name}_leads {{ var(txn.{name}_path) -m reg '/\\.\\.(?:/|$)' }}"
        );
    }
    let _ = writeln!(
        text,
        "    http-request set-var(txn.{name}_query) query if {name}_leads\n    \
         {path} 'var(txn.{name}_path),concat(\"?\",txn.{name}_query)' if {name}_leads {{ query -m len gt 0 }}"
    );
    text
}

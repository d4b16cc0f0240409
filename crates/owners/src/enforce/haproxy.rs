//! Lines for a frontend of HAProxy.

use std::fmt::Write as _;

use super::header::PREVIEWS;

use super::server::LONGEST;
use super::text::{IMPOSTORS, PACE, RESOLVED, RESOLVED_SUFFIX, SPELLED, WHO_ASKS, Written};

/// HAProxy takes 64 words in a line.
const WORDS: usize = 40;

pub(super) fn text(written: &Written<'_>) -> String {
    let name = written.name();
    let mut text = written.heading();
    let has_own = written.own_addresses().next().is_some();
    let is_more = has_own || !written.delays.is_empty();
    let which = if is_more { "lines that set a name" } else { "last line" };
    let _ = writeln!(
        text,
        "# Put these lines into the frontend of the site, before its other http-request lines. Where it serves\n\
         # several sites, add a condition on the host to the {which}."
    );
    text += &tables(written);
    text += written.of_addresses().trim_end_matches("#\n");
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
        text += &found(name, "name", &names, &format!("!{name}_named"));
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
            if is_resolved {
                let _ = writeln!(
                    text,
                    "    http-request set-var(txn.{name}_also) str(refused) if {name}_is_{number} {name}_unresolved"
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
    if is_more {
        let _ = writeln!(text, "\n    acl {name}_file pathq -m str /robots.txt");
    }
    if has_own {
        impostors(written, &mut text);
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
    delays(written, &mut text);
    text
}

/// A line that finds names in the header.
fn found(name: &str, variable: &str, names: &str, condition: &str) -> String {
    format!(
        "    http-request set-var(txn.{name}_{variable}) 'req.fhdr(user-agent),regsub(\"^.*?{names}.*$\",\"\\1\",i)' \
         if {condition} {{ req.fhdr(user-agent) -m reg -i '{names}' }}\n"
    )
}

/// Who sends the name of a crawler from an address that is none of its own.
fn impostors(written: &Written<'_>, text: &mut String) {
    let name = written.name();
    let _ = write!(
        text,
        "\n    {}\n    \
         acl {name}_preview req.fhdr(user-agent) -m sub '{PREVIEWS}'\n    \
         acl {name}_claimed var(txn.{name}_claim) -m found\n",
        IMPOSTORS.replace('\n', "\n    ")
    );
    for names in written.named_surely("(") {
        *text += &found(name, "claim", &names, &format!("!{name}_claimed !{name}_preview"));
    }
    for (number, own) in written.own_addresses().enumerate() {
        let number = number + 1;
        let _ = writeln!(text, "    {}", own.title());
        for networks in own.networks().collect::<Vec<_>>().chunks(WORDS) {
            let _ = writeln!(text, "    acl {name}_own_{number} src {}", networks.join(" "));
        }
        let _ = writeln!(
            text,
            "    http-request set-var(txn.{name}_verdict) str(refused) if {{ var(txn.{name}_claim) -m str -i -- {} }} \
             !{name}_own_{number} !{name}_file",
            own.token()
        );
    }
}

/// What may come at once before a crawler is slowed down, as in nginx.
const AT_ONCE: u32 = 5;

/// The sections with the tables in which requests are counted, for the heading.
///
/// In a time of four delays, a crawler that waits is counted four times, and once more where the time that counts
/// begins anew: HAProxy takes its part of the time before.
fn tables(written: &Written<'_>) -> String {
    let name = written.name();
    let mut text = String::new();
    if !written.delays.is_empty() {
        text += "# They count in sc2, which must be free, and in these tables, which are sections beside the frontend:\n#\n";
    }
    for (number, delay) in written.delays.keys().enumerate() {
        let period = (*delay).min(LONGEST).as_millis().max(1) * u128::from(AT_ONCE - 1);
        let _ = writeln!(
            text,
            "#     backend {name}_delay_{}\n\
             #         stick-table type string len 64 size 1k expire {}ms store gpc0_rate({period}ms)",
            number + 1,
            period * 2
        );
    }
    text
}

/// Lines that count the requests of a crawler which are let through, from all its addresses together.
fn delays(written: &Written<'_>, text: &mut String) {
    let name = written.name();
    for (number, (delay, tokens)) in written.delays.iter().enumerate() {
        let number = number + 1;
        let title = if number == 1 { format!("    {PACE}\n") } else { String::new() };
        let _ = writeln!(text, "\n{title}    {}", written.of_delay(*delay));
        for tokens in tokens.chunks(WORDS) {
            let _ = writeln!(
                text,
                "    acl {name}_waits_{number} var(txn.{name}_name) -m str -i -- {}",
                tokens.join(" ")
            );
        }
        let counts = format!(
            "if {name}_waits_{number} !{name}_file !{{ var(txn.{name}_verdict) -m str refused }}"
        );
        let table = format!("{name}_delay_{number}");
        let slow = match written.options.log_only {
            true => format!("set-var(txn.{name}_verdict) str(slowed)"),
            false => "return status 429".to_owned(),
        };
        let is_fast = format!("{{ sc2_gpc0_rate({table}) ge {AT_ONCE} }}");
        let _ = write!(
            text,
            "    http-request track-sc2 var(txn.{name}_name),lower table {table} {counts}\n    \
             http-request {slow} {counts} {is_fast}\n    \
             http-request sc-inc-gpc0(2) {counts} !{is_fast}\n"
        );
    }
}

/// Lines that resolve the path as servers do: decoded but for what stays encoded, without empty segments and `.`, and
/// with `..` up to this often. No page has more of them, so what is left then is refused to who is refused anything.
fn resolved(name: &str) -> String {
    const UP: usize = 8;
    let path = format!("http-request set-var(txn.{name}_path)");
    let up = format!("{{ var(txn.{name}_path) -m reg '/\\.\\.(?:/|$)' }}");
    let mut text = format!(
        "    {RESOLVED}\n    \
         acl {name}_leads path -m reg '//|/\\.|%'\n    \
         acl {name}_also var(txn.{name}_also) -m found\n    \
         acl {name}_unresolved var(txn.{name}_up) -m found\n    \
         {path} 'path,regsub(\"%(00|0A|25|3F)\",\"%25\\1\",gi),url_dec,regsub(\"/+\",\"/\",g),regsub(\"/(?:\\./)+\",\"/\",g),regsub(\"/\\.$\",\"/\")' if {name}_leads\n"
    );
    for _ in 0..UP {
        let _ = writeln!(
            text,
            "    {path} 'var(txn.{name}_path),regsub(\"^/\\.\\.(?:/|$)\",\"/\"),regsub(\"/[^/]+/\\.\\.(?:/|$)\",\"/\")' \
             if {name}_leads {up}"
        );
    }
    let _ = writeln!(
        text,
        "    # What goes up more often is refused.\n    \
         http-request set-var(txn.{name}_up) str(1) if {name}_leads {up}\n    \
         http-request set-var(txn.{name}_query) query if {name}_leads\n    \
         {path} 'var(txn.{name}_path),concat(\"?\",txn.{name}_query)' if {name}_leads {{ query -m len gt 0 }}"
    );
    text
}

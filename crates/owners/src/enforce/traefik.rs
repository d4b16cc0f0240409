//! Dynamic configuration of Traefik in YAML: a router before all others, and a middleware that lets nobody
//! through.

use std::fmt::Write as _;

use super::pattern::Run;
use super::text::Written;

/// Before every router whose priority is the length of its rule.
const PRIORITY: u32 = 1_000_000;

pub(super) fn text(written: &Written<'_>) -> String {
    let name = written.name();
    let mut text = written.heading();
    text += "# Have Traefik read this file as dynamic configuration (providers.file). Where it serves several sites, put\n\
             # Host(`www.example.com`) && before the rules.\n\nhttp:\n  routers:\n";
    let classes: Vec<String> = written
        .refused()
        .map(|class| {
            let refused = condition(&class.normal, &|run| {
                let paths: Vec<String> = run
                    .regexes
                    .iter()
                    .map(|regex| format!("PathRegexp(`{}`)", regex.text))
                    .collect();
                format!("({})", paths.join(" || "))
            });
            format!("(HeaderRegexp(`User-Agent`, `(?i){}`) && {refused})", class.within())
        })
        .collect();
    for (suffix, tls) in [("", ""), ("_tls", "      tls: {}\n")] {
        let _ = write!(
            text,
            "    {name}{suffix}:\n      rule: >-\n        {}\n      priority: {PRIORITY}\n{tls}      \
             middlewares: [{name}_refused]\n      service: noop@internal\n",
            classes.join("\n        || ")
        );
    }
    let _ = write!(
        text,
        "  middlewares:\n    {name}_refused:\n      ipAllowList:\n        # Nobody has this address.\n        \
         sourceRange: [\"255.255.255.255/32\"]\n        rejectStatusCode: {}\n",
        written.options.status
    );
    text
}

/// What is refused, if `of` is what a run matches: the first that matches decides.
fn condition(runs: &[Run], of: &dyn Fn(&Run) -> String) -> String {
    match runs {
        [] => String::new(),
        [last] => of(last),
        [first, rest @ ..] if first.refuses => {
            format!("({} || {})", of(first), condition(rest, of))
        }
        [first, rest @ ..] => format!("(!{} && {})", of(first), condition(rest, of)),
    }
}

//! Rules of Apache's mod_rewrite, for a virtual host or a `.htaccess` file.
//!
//! They read the request line, since other variables have the URL decoded. A rule that has decided skips all
//! that follow.

use std::fmt::Write as _;

use super::text::{SPELLED, WHO_ASKS, Written};

/// A rule with its conditions.
struct Rule {
    text: String,
    flags: Flags,
}

enum Flags {
    /// Other flags.
    Do(String),
    /// Skips this many rules.
    Skip(usize),
    /// Skips all that follow, after these flags.
    SkipAll(String),
}

pub(super) fn text(written: &Written<'_>) -> String {
    let name = written.name();
    // The request line stays that of the first request.
    let mut rules = vec![Rule {
        text: "# The page of an error, or another URL to which the server itself went on, is not asked for again.\n\
               RewriteCond %{ENV:REDIRECT_STATUS} \"!^$\"\n"
            .to_owned(),
        flags: Flags::SkipAll(String::new()),
    }];
    for names in written.named("(") {
        let first = match rules.len() == 1 {
            true => format!("{WHO_ASKS}\n"),
            false => format!("RewriteCond %{{ENV:{name}_name}} ^$\n"),
        };
        rules.push(Rule {
            text: format!("{first}RewriteCond %{{HTTP_USER_AGENT}} \"{names}\" [NC]\n"),
            flags: Flags::Do(format!("E={name}_name:%1")),
        });
    }
    rules.push(Rule {
        text: format!("RewriteCond %{{ENV:{name}_name}} ^$\n"),
        flags: Flags::SkipAll(String::new()),
    });
    if let Some(not_normal) = &written.not_normal {
        rules.push(Rule {
            text: format!(
                "{SPELLED}\n\
                 RewriteCond %{{THE_REQUEST}} \"^\\S+ \\S*?{not_normal}\"\n"
            ),
            flags: Flags::Do(format!("E={name}_sent:1")),
        });
    }
    for class in written.refused() {
        let mut of_class: Vec<Rule> = Vec::new();
        for (suffix, runs) in class.forms() {
            let count = runs.len();
            if !class.sent.is_empty() {
                // The form for the other URLs is skipped, with the rule that ends it.
                let (is_other, also) = if suffix.is_empty() { ("=1", 1) } else { ("!=1", 0) };
                of_class.push(Rule {
                    text: format!("RewriteCond %{{ENV:{name}_sent}} {is_other}\n"),
                    flags: Flags::Skip(count + also),
                });
            }
            for run in runs {
                let mut text = String::new();
                for (at, regex) in run.regexes.iter().enumerate() {
                    let or = if at + 1 < run.regexes.len() { " [OR]" } else { "" };
                    if suffix.is_empty() {
                        let _ = writeln!(text, "# {}", regex.comment);
                    }
                    let _ = writeln!(
                        text,
                        "RewriteCond %{{THE_REQUEST}} \"{}\"{or}",
                        of_request(&regex.text)
                    );
                }
                let flags = match (run.refuses, written.options.log_only, written.options.status) {
                    (false, ..) => Flags::SkipAll(String::new()),
                    (true, true, _) => Flags::SkipAll(format!("E={name}_refused:1,")),
                    (true, false, 403) => Flags::Do("F".to_owned()),
                    (true, false, status) => Flags::Do(format!("R={status},L")),
                };
                of_class.push(Rule { text, flags });
            }
            if suffix.is_empty() && !class.sent.is_empty() {
                of_class.push(Rule { text: String::new(), flags: Flags::SkipAll(String::new()) });
            }
        }
        rules.push(Rule {
            text: format!(
                "\n# {}\nRewriteCond %{{ENV:{name}_name}} \"!{}\" [NC]\n",
                class.who(),
                class.exactly()
            ),
            flags: Flags::Skip(of_class.len()),
        });
        rules.extend(of_class);
    }
    let mut text = written.heading();
    let log = format!(
        "# To log what would be refused, for example:\n#\n\
         #     CustomLog /var/log/apache2/robots.log combined env={name}_refused\n#\n"
    );
    text += if written.options.log_only { &log } else { "" };
    text += "# Include this file in the virtual host of the site, before other rules. It needs mod_rewrite. In the .htaccess\n\
             # file of the root it works too, but not for folders with rewrite rules of their own, nor for paths of Alias\n\
             # and ProxyPass.\n\nRewriteEngine On\n";
    let count = rules.len();
    for (number, rule) in rules.into_iter().enumerate() {
        let left = count - number - 1;
        let flags = match rule.flags {
            Flags::Do(flags) => flags,
            Flags::Skip(rules) => format!("S={rules}"),
            Flags::SkipAll(flags) => format!("{flags}S={left}"),
        };
        let _ = writeln!(text, "{}RewriteRule ^ - [{flags}]", rule.text);
    }
    text
}

/// An expression for a URL as one for a request line, `GET /path HTTP/1.1`. A `$` that is no end and
/// a dot that is no wildcard are escaped in it.
fn of_request(url: &str) -> String {
    let url = url.replace(".*?", "\\S*?").replace("[^%]", "[^% ]").replace('$', "(?: |$)");
    // A proxy is sent the whole URL.
    format!("^\\S+ (?:[A-Za-z][A-Za-z0-9+.-]*://[^/? ]*)?{}", url.strip_prefix('^').unwrap_or(&url))
}

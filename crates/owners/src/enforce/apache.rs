//! Rules of Apache's mod_rewrite, for a virtual host or a `.htaccess` file.
//!
//! They read the request line, since other variables have the URL decoded. A rule that has decided skips all
//! that follow.

use std::fmt::Write as _;

use super::header::PREVIEWS;

use super::text::{
    DECODED, ENCODED, IMPOSTORS, KEPT, RESOLVED, SPELLED, WHO_ASKS, Written, WrittenClass,
};

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
    /// Skips what is about the URL as sent.
    Leave,
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
    rules.extend(impostors(written));
    let of_all = rules.len();
    for names in written.named("(") {
        let first = match rules.len() == of_all {
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
    if written.resolves() {
        rules.push(Rule {
            text: format!("{RESOLVED}\n{KEPT}\nRewriteCond %{{QUERY_STRING}} \"!^$\"\n"),
            flags: Flags::Do(format!("E={name}_query:?%{{QUERY_STRING}}")),
        });
        rules.push(Rule {
            text: String::new(),
            flags: Flags::Do(format!("E={name}_path:/robots.txt")),
        });
        rules.push(Rule {
            text: format!("RewriteCond %{{REQUEST_URI}} \"^({DECODED})\\z\"\n"),
            flags: Flags::Do(format!("E={name}_path:%1%{{ENV:{name}_query}}")),
        });
        // `%3` alone would be what a third group found.
        rules.extend(ENCODED.map(|(byte, digits)| Rule {
            text: format!("RewriteCond %{{REQUEST_URI}} \"^({DECODED}){byte}({DECODED})\\z\"\n"),
            flags: Flags::Do(format!("E={name}_path:%1\\%{digits}%2%{{ENV:{name}_query}}")),
        }));
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
                let flags = if run.refuses { refusal(written) } else { Flags::Leave };
                of_class.push(Rule { text, flags });
            }
            if suffix.is_empty() && !class.sent.is_empty() {
                of_class.push(Rule { text: String::new(), flags: Flags::Leave });
            }
        }
        let count = of_class.len();
        for (at, rule) in of_class.iter_mut().enumerate() {
            if matches!(rule.flags, Flags::Leave) {
                rule.flags = match class.resolved.is_empty() {
                    true => Flags::SkipAll(String::new()),
                    false => Flags::Skip(count - at - 1),
                };
            }
        }
        of_class.extend(resolved(written, class));
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
    text += &written.of_addresses();
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
            Flags::Leave => format!("S={left}"),
        };
        let _ = writeln!(text, "{}RewriteRule ^ - [{flags}]", rule.text);
    }
    text
}

fn refusal(written: &Written<'_>) -> Flags {
    match (written.options.log_only, written.options.status) {
        (true, _) => Flags::SkipAll(format!("E={}_refused:1,", written.name())),
        (false, 403) => Flags::Do("F".to_owned()),
        (false, status) => Flags::Do(format!("R={status},L")),
    }
}

/// The rules about who sends the name of a crawler from an address that is none of its own.
fn impostors(written: &Written<'_>) -> Vec<Rule> {
    let name = written.name();
    let mut rules = Vec::new();
    for (at, names) in written.named_surely("(").into_iter().enumerate() {
        let first = match at {
            0 => format!("{IMPOSTORS}\n"),
            _ => format!("RewriteCond %{{ENV:{name}_claim}} ^$\n"),
        };
        rules.push(Rule {
            text: format!(
                "{first}RewriteCond %{{HTTP_USER_AGENT}} \"!{PREVIEWS}\"\n\
                 RewriteCond %{{HTTP_USER_AGENT}} \"{names}\" [NC]\n"
            ),
            flags: Flags::Do(format!("E={name}_claim:%1")),
        });
    }
    for own in written.own_addresses() {
        let mut text = format!(
            "{}\nRewriteCond %{{ENV:{name}_claim}} \"={}\" [NC]\n\
             RewriteCond %{{THE_REQUEST}} \"!{}\"\n",
            own.title(),
            own.token(),
            of_request("^/robots\\.txt$")
        );
        for network in own.networks() {
            let _ = writeln!(text, "RewriteCond expr \"! -R '{network}'\"");
        }
        rules.push(Rule { text, flags: refusal(written) });
    }
    rules
}

/// The rules about resolved paths.
fn resolved(written: &Written<'_>, class: &WrittenClass) -> Vec<Rule> {
    let name = written.name();
    if class.resolved.is_empty() {
        return Vec::new();
    }
    let mut rules = vec![Rule {
        text: "RewriteCond %{THE_REQUEST} \"!^\\S+ [^? ]*(?://|/\\.|%)\"\n".to_owned(),
        flags: Flags::SkipAll(String::new()),
    }];
    for run in &class.resolved {
        let mut text = String::new();
        for (at, regex) in run.regexes.iter().enumerate() {
            let or = if at + 1 < run.regexes.len() { " [OR]" } else { "" };
            let _ = writeln!(text, "RewriteCond %{{ENV:{name}_path}} \"{}\"{or}", regex.text);
        }
        let flags = if run.refuses { refusal(written) } else { Flags::SkipAll(String::new()) };
        rules.push(Rule { text, flags });
    }
    rules
}

/// An expression for a URL as one for a request line, `GET /path HTTP/1.1`. A `$` that is no end and
/// a dot that is no wildcard are escaped in it.
fn of_request(url: &str) -> String {
    let url = url.replace(".*?", "\\S*?").replace("[^%]", "[^% ]").replace('$', "(?: |$)");
    // A proxy is sent the whole URL.
    format!("^\\S+ (?:[A-Za-z][A-Za-z0-9+.-]*://[^/? ]*)?{}", url.strip_prefix('^').unwrap_or(&url))
}

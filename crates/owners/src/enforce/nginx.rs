//! A file for the block `http` of nginx: maps from the header to a name, from the name to a class, and
//! from the URL to a verdict of each class.

use std::fmt::Write as _;

use super::text::{RESOLVED, RESOLVED_SUFFIX, RESOLVES, Row, SPELLED, WHO_ASKS, Written};

/// Longer keys do not fit the usual buckets of nginx's hash tables.
const HASHED_BYTES: usize = 32;
/// What stands for something else in a map.
const SPECIAL: [&str; 4] = ["default", "hostnames", "include", "volatile"];

pub(super) fn text(written: &Written<'_>) -> String {
    let name = written.name();
    let mut text = written.heading();
    let use_it = match (written.options.log_only, written.options.status) {
        // Later on the path is that of the file that was found.
        (true, _) => format!(
            "set ${name}_marked ${name}_refused;\n\
             #     access_log /var/log/nginx/robots.log combined if=${name}_marked;"
        ),
        (false, status) => format!("if (${name}_refused) {{ return {status}; }}"),
    };
    // A log of its own takes the place of those of the blocks around it.
    let beside = if written.options.log_only {
        ",\n# with its other access_log lines, those of the block http too"
    } else {
        ""
    };
    let _ = write!(
        text,
        "# Include this file in the block http, and put this into each server block of the site{beside}:\n#\n\
         #     {use_it}\n#\n\
         # Where nginx says that it cannot build map_hash or variables_hash, it wants a larger map_hash_max_size,\n\
         # map_hash_bucket_size or variables_hash_max_size in the block http.\n\n\
         {WHO_ASKS}\n\
         map $http_user_agent ${name}_name {{\n    default \"\";\n"
    );
    for names in written.named(&format!("(?<{name}_found>")) {
        let _ = writeln!(text, "    \"~*{names}\" ${name}_found;");
    }
    let _ = write!(
        text,
        "}}\n\n\
         # Crawlers that obey the same rules.\n\
         map ${name}_name ${name}_class {{\n    default \"\";\n"
    );
    for class in written.refused() {
        for token in class.tokens() {
            let _ = match token {
                long if long.len() > HASHED_BYTES => {
                    writeln!(text, "    \"~*^{}$\" {};", long.replace('.', "\\."), class.number)
                }
                special if SPECIAL.contains(&special) => {
                    writeln!(text, "    \"\\{special}\" {};", class.number)
                }
                token => writeln!(text, "    {token} {};", class.number),
            };
        }
    }
    text += "}\n\n";
    let sent = written.not_normal.as_ref();
    if let Some(not_normal) = sent {
        let _ = write!(
            text,
            "{SPELLED}\n\
             map $request_uri ${name}_sent {{\n    default \"\";\n    \"~{not_normal}\" _sent;\n}}\n\n"
        );
    }
    let key = if sent.is_some() {
        format!("${name}_class${name}_sent")
    } else {
        format!("${name}_class")
    };
    let verdict = if written.resolves() { "asked" } else { "refused" };
    let _ = write!(text, "map {key} ${name}_{verdict} {{\n    default \"\";\n");
    for class in written.refused() {
        for (suffix, _) in class.forms() {
            let _ = writeln!(text, "    {0}{suffix} ${name}_{0}{suffix};", class.number);
        }
    }
    text += "}\n";
    if written.resolves() {
        let _ = write!(
            text,
            "\n{RESOLVED}\n\
             map $request_uri ${name}_path {{\n    default \"\";\n    \"~{RESOLVES}\" ${name}_class;\n}}\n\n\
             map ${name}_path ${name}_also {{\n    default \"\";\n"
        );
        for class in written.resolved() {
            let _ = writeln!(text, "    {0} ${name}_{0}{RESOLVED_SUFFIX};", class.number);
        }
        let _ = write!(
            text,
            "}}\n\n\
             map ${name}_asked${name}_also ${name}_refused {{\n    default \"\";\n    \"~1\" 1;\n}}\n"
        );
    }
    for class in written.refused() {
        for (suffix, title, rows) in class.maps() {
            let seen = if suffix == RESOLVED_SUFFIX { "$uri$is_args$args" } else { "$request_uri" };
            let _ = write!(
                text,
                "\n{title}\nmap {seen} ${name}_{}{suffix} {{\n    default \"\";\n",
                class.number
            );
            for Row { comment, regex, value } in rows {
                comment.iter().for_each(|comment| text += &format!("    # {comment}\n"));
                let _ = writeln!(text, "    \"~{regex}\" {value};");
            }
            text += "}\n";
        }
    }
    text
}

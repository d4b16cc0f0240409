//! A snippet for a Caddyfile, with the same maps as for nginx.

use std::fmt::Write as _;

use super::header::PREVIEWS;

use super::text::{
    DECODED, ENCODED, IMPOSTORS, KEPT, RESOLVED, RESOLVED_SUFFIX, RESOLVES, Row, SPELLED, WHO_ASKS,
    Written,
};

pub(super) fn text(written: &Written<'_>) -> String {
    let name = written.name();
    let mut text = written.heading();
    text += &written.of_addresses();
    let _ = write!(
        text,
        "# Import this file at the top of the Caddyfile, and put 'import {name}' into the site block as its first line. If\n\
         # the block has handle, handle_path or route, put it into each of these instead, as the first line, and not\n\
         # beside them: Caddy runs them before.\n\n\
         ({name}) {{\n\
         \t# A proxy is sent the whole URL.\n\
         \tmap {{http.request.orig_uri}} {{{name}_uri}} {{\n\
         \t\t`~^[A-Za-z][A-Za-z0-9+.-]*://[^/?]*(/.*)$` \"${{1}}\"\n\
         \t\t`~^[A-Za-z][A-Za-z0-9+.-]*://[^/?]*(\\?.*)?$` \"/${{1}}\"\n\t\tdefault {{http.request.orig_uri}}\n\t}}\n\
         \t{WHO_ASKS}\n\
         \tmap {{http.request.header.User-Agent}} {{{name}_name}} {{\n"
    );
    for names in written.named("(") {
        let _ = writeln!(text, "\t\t`~(?i){names}` \"${{1}}\"");
    }
    let _ = write!(
        text,
        "\t\tdefault \"\"\n\t}}\n\
         \t# Crawlers that obey the same rules.\n\
         \tmap {{{name}_name}} {{{name}_class}} {{\n"
    );
    for class in written.refused() {
        let _ = writeln!(text, "\t\t`~(?i){}` {}", class.exactly(), class.number);
    }
    text += "\t\tdefault \"\"\n\t}\n";
    let sent = written.not_normal.as_ref();
    if let Some(not_normal) = sent {
        let _ = write!(
            text,
            "\t{SPELLED}\n\
             \tmap {{{name}_uri}} {{{name}_sent}} {{\n\
             \t\t`~{not_normal}` _sent\n\t\tdefault \"\"\n\t}}\n"
        );
    }
    let key = if sent.is_some() {
        format!("{{{name}_class}}{{{name}_sent}}")
    } else {
        format!("{{{name}_class}}")
    };
    let verdict = if written.resolves() { "asked" } else { "refused" };
    let _ = writeln!(text, "\tmap {key} {{{name}_{verdict}}} {{");
    for class in written.refused() {
        for (suffix, _) in class.forms() {
            let _ = writeln!(text, "\t\t{0}{suffix} {{{name}_{0}{suffix}}}", class.number);
        }
    }
    text += "\t\tdefault \"\"\n\t}\n";
    if written.resolves() {
        let _ = write!(
            text,
            "\t{RESOLVED}\n\
             \tmap {{http.request.uri.query}} {{{name}_query}} {{\n\
             \t\t`~^(.+)$` \"?${{1}}\"\n\t\tdefault \"\"\n\t}}\n\
             \t@{name}_resolved path_regexp {name} `(?s)^.*$`\n\
             \t{KEPT}\n\
             \tmap @{name}_resolved {{http.regexp.{name}.0}} {{{name}_decoded}} {{\n\
             \t\t`~^({DECODED})\\z` \"${{1}}\"\n"
        );
        for (byte, digits) in ENCODED {
            let _ =
                writeln!(text, "\t\t`~^({DECODED}){byte}({DECODED})\\z` \"${{1}}%{digits}${{2}}\"");
        }
        let _ = write!(
            text,
            "\t\tdefault \"\"\n\t}}\n\
             \tmap {{{name}_decoded}} {{{name}_resolved}} {{\n\
             \t\t`~^$` /robots.txt\n\t\tdefault \"{{{name}_decoded}}{{{name}_query}}\"\n\t}}\n\
             \tmap {{http.request.orig_uri}} {{{name}_path}} {{\n\
             \t\t`~{RESOLVES}` _leads\n\t\tdefault \"\"\n\t}}\n\
             \tmap {{{name}_class}}{{{name}_path}} {{{name}_also}} {{\n"
        );
        for class in written.resolved() {
            let _ = writeln!(text, "\t\t{0}_leads {{{name}_{0}{RESOLVED_SUFFIX}}}", class.number);
        }
        let _ = write!(
            text,
            "\t\tdefault \"\"\n\t}}\n\
             \tmap {{{name}_asked}}{{{name}_also}} {{{name}_refused}} {{\n\t\t`~1` 1\n\t\tdefault \"\"\n\t}}\n"
        );
    }
    for class in written.refused() {
        for (suffix, title, rows) in class.maps() {
            let seen = if suffix == RESOLVED_SUFFIX { "resolved" } else { "uri" };
            let _ = write!(
                text,
                "\t{title}\n\tmap {{{name}_{seen}}} {{{name}_{}{suffix}}} {{\n",
                class.number
            );
            for Row { comment, regex, value } in rows {
                comment.iter().for_each(|comment| text += &format!("\t\t# {comment}\n"));
                let _ = writeln!(text, "\t\t`~{regex}` {value}");
            }
            text += "\t\tdefault \"\"\n\t}\n";
        }
    }
    let refuse = |whom: &str| match written.options.status {
        444 => format!("abort @{name}_{whom}"),
        status => format!("respond @{name}_{whom} {status}"),
    };
    if written.own_addresses().next().is_some() {
        let _ = write!(
            text,
            "\t{}\n\
             \tmap {{http.request.header.User-Agent}} {{{name}_claim}} {{\n\t\t`~{PREVIEWS}` \"\"\n",
            IMPOSTORS.replace('\n', "\n\t")
        );
        for names in written.named_surely("(") {
            let _ = writeln!(text, "\t\t`~(?i){names}` \"${{1}}\"");
        }
        let _ =
            write!(text, "\t\tdefault \"\"\n\t}}\n\tmap {{{name}_claim}} {{{name}_whose}} {{\n");
        for (number, own) in written.own_addresses().enumerate() {
            let token = own.token().replace('.', "\\.");
            let _ = writeln!(text, "\t\t`~(?i)^{token}$` {}", number + 1);
        }
        text += "\t\tdefault \"\"\n\t}\n";
        for (number, own) in written.own_addresses().enumerate() {
            let number = number + 1;
            let networks: Vec<String> = own.networks().collect();
            let _ = write!(
                text,
                "\t{}\n\
                 \t@{name}_false_{number} {{\n\
                 \t\tvars {{{name}_whose}} {number}\n\
                 \t\tnot vars {{{name}_uri}} /robots.txt\n\
                 \t\tnot remote_ip {}\n\
                 \t}}\n\
                 \t{}\n",
                own.title(),
                networks.join(" "),
                refuse(&format!("false_{number}"))
            );
        }
    }
    let _ =
        write!(text, "\t@{name}_refused vars {{{name}_refused}} 1\n\t{}\n}}\n", refuse("refused"));
    text
}

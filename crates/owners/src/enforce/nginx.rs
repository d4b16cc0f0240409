//! A file for the block `http` of nginx: maps from the header to a name, from the name to a class, and
//! from the URL to a verdict of each class.

use std::fmt::Write as _;
use std::time::Duration;

use super::header::PREVIEWS;

use super::text::{
    DECODED, ENCODED, IMPOSTORS, KEPT, PACE, RESOLVED, RESOLVED_SUFFIX, RESOLVES, Row, SPELLED,
    WHO_ASKS, Written,
};

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
    let also = beside_refusals(written);
    let _ = write!(
        text,
        "# Include this file in the block http, and put this into each server block of the site{beside}:\n#\n\
         #     {use_it}\n#\n\
         {also}# Where nginx says that it cannot build map_hash or variables_hash, it wants a larger map_hash_max_size,\n\
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
            let _ = writeln!(text, "    {} {};", key(token), class.number);
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
    let asked = if sent.is_some() {
        format!("${name}_class${name}_sent")
    } else {
        format!("${name}_class")
    };
    let has_own = written.own_addresses().next().is_some();
    let verdict = if written.resolves() || has_own { "asked" } else { "refused" };
    let _ = write!(text, "map {asked} ${name}_{verdict} {{\n    default \"\";\n");
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
            "}}\n\n{KEPT}\n\
             map $uri ${name}_uri {{\n    default /robots.txt;\n    \"~^{DECODED}\\z\" $uri$is_args$args;\n"
        );
        for (byte, digits) in ENCODED {
            let _ = writeln!(
                text,
                "    \"~^(?<{name}_head>{DECODED}){byte}(?<{name}_tail>{DECODED})\\z\" ${name}_head%{digits}${name}_tail$is_args$args;"
            );
        }
        text += "}\n";
    }
    if has_own {
        impostors(written, &mut text);
    }
    if verdict == "asked" {
        let also = if written.resolves() { format!("${name}_also") } else { String::new() };
        let false_name = if has_own { format!("${name}_false") } else { String::new() };
        let _ = write!(
            text,
            "\nmap ${name}_asked{also}{false_name} ${name}_refused {{\n    default \"\";\n    \"~1\" 1;\n}}\n"
        );
    }
    delays(written, &mut text);
    for class in written.refused() {
        for (suffix, title, rows) in class.maps() {
            let seen = match suffix {
                RESOLVED_SUFFIX => format!("${name}_uri"),
                _ => "$request_uri".to_owned(),
            };
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

/// A name in a map.
fn key(token: &str) -> String {
    match token {
        long if long.len() > HASHED_BYTES => format!("\"~*^{}$\"", long.replace('.', "\\.")),
        special if SPECIAL.contains(&special) => format!("\"\\{special}\""),
        token => token.to_owned(),
    }
}

/// What the server block has besides the refusal, and what is to be known of it.
fn beside_refusals(written: &Written<'_>) -> String {
    let name = written.name();
    let mut text = String::new();
    if !written.delays.is_empty() {
        text += "# and these lines, and repeat them in locations that have limit_req lines of their own:\n#\n";
        for number in 1..=written.delays.len() {
            let _ =
                writeln!(text, "#     limit_req zone={name}_delay_{number} burst={BURST} nodelay;");
        }
        text += "#     limit_req_status 429;\n";
        if written.options.log_only {
            text += "#     limit_req_dry_run on;\n";
        }
        text += "#\n";
    }
    text + &written.of_addresses()
}

/// What may come at once before a crawler is slowed down: a page and robots.txt, and what a network delays.
const BURST: u32 = 4;

/// How often a crawler may ask that waits so long: never less, since nginx rounds rates down to thousandths of a
/// request a second.
fn rate(delay: Duration) -> String {
    let millis = delay.as_millis().max(1);
    if millis < 1_000 {
        return format!("{}r/s", 1_000_u128.div_ceil(millis));
    }
    let is_enough = |count: &u128| (count * 1_000 / 60).saturating_mul(millis) >= 1_000_000;
    format!("{}r/m", (1..60).find(is_enough).unwrap_or(60))
}

/// Zones in which the requests of a crawler are counted, from all its addresses together.
fn delays(written: &Written<'_>, text: &mut String) {
    let name = written.name();
    if written.delays.is_empty() {
        return;
    }
    let _ = write!(
        text,
        "\n{PACE}\n\
         map $request_uri ${name}_paced {{\n    default ${name}_name;\n    \"~^/robots\\.txt$\" \"\";\n}}\n"
    );
    for (number, (delay, tokens)) in written.delays.iter().enumerate() {
        let zone = format!("{name}_delay_{}", number + 1);
        let _ = write!(
            text,
            "\n{}\nmap ${name}_paced ${zone} {{\n    default \"\";\n",
            written.of_delay(*delay)
        );
        for token in tokens {
            let _ = writeln!(text, "    {} {token};", key(token));
        }
        let _ = write!(text, "}}\nlimit_req_zone ${zone} zone={zone}:64k rate={};\n", rate(*delay));
    }
}

/// Who sends the name of a crawler from an address that is none of its own.
fn impostors(written: &Written<'_>, text: &mut String) {
    let name = written.name();
    let _ = writeln!(text, "\n{IMPOSTORS}");
    let mut rows = String::new();
    for (number, own) in written.own_addresses().enumerate() {
        let number = number + 1;
        let _ = write!(text, "{}\ngeo ${name}_not_{number} {{\n    default 1;\n", own.title());
        for network in own.networks() {
            let _ = writeln!(text, "    {network} \"\";");
        }
        *text += "}\n\n";
        let _ = writeln!(rows, "    {} ${name}_not_{number};", key(&own.token()));
    }
    let _ = write!(
        text,
        "map $http_user_agent ${name}_claimed {{\n    default \"\";\n    \"~{PREVIEWS}\" \"\";\n"
    );
    for names in written.named_surely(&format!("(?<{name}_claim>")) {
        let _ = writeln!(text, "    \"~*{names}\" ${name}_claim;");
    }
    let _ = write!(
        text,
        "}}\n\nmap ${name}_claimed ${name}_stranger {{\n    default \"\";\n{rows}}}\n\n\
         map $request_uri ${name}_false {{\n    default ${name}_stranger;\n    \"~^/robots\\.txt$\" \"\";\n}}\n"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// nginx counts in thousandths of a request a second, rounded down: a crawler that waits is never refused.
    #[test]
    fn rates() {
        for (millis, wanted) in [
            (1, "1000r/s"),
            (300, "4r/s"),
            (500, "2r/s"),
            (1_000, "60r/m"),
            (2_500, "24r/m"),
            (7_000, "9r/m"),
            (10_000, "6r/m"),
            (30_000, "3r/m"),
            (60_000, "2r/m"),
            (86_400_000, "1r/m"),
        ] {
            let rate = rate(Duration::from_millis(millis));
            assert_eq!(rate, wanted, "{millis}");
            let (count, unit) = rate.split_once("r/").unwrap();
            let in_a_minute = if unit == "m" { 60 } else { 1 };
            let thousandths = count.parse::<u64>().unwrap() * 1_000 / in_a_minute;
            assert!(thousandths * millis >= 1_000_000, "{millis}: {rate}");
        }
        assert_eq!(rate(Duration::MAX), "1r/m");
    }
}

//! `--format-string`: lines described by the variables of nginx's `log_format` or the directives of
//! Apache's `LogFormat`.

use std::fmt;

use memchr::memmem;

use super::escapes::quoted;
use super::fields::{self, Client, Fields, LacksQuery, Method};

/// A line's format.
#[derive(Clone, Debug)]
pub struct Template {
    pieces: Vec<Piece>,
    pub(super) has_time: bool,
    /// True if what was asked for stands only without its query.
    has_path_alone: bool,
}

/// A format that describes no lines that can be audited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTemplate(String);

impl fmt::Display for InvalidTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidTemplate {}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(Vec<u8>),
    Field(Role),
}

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The whole request line.
    Request,
    Method,
    /// Path and query.
    Target,
    /// The path alone: `$uri`, `%U`.
    Path,
    Agent,
    Time,
    Address,
    Host,
    Status,
    Other,
    /// The query, or the `?` before it: `$is_args`, `$args`, `%q`.
    Query,
}

impl Template {
    /// Reads a format.
    ///
    /// # Errors
    /// Returns a description of what is wrong with it.
    pub(super) fn parse(format: &str) -> Result<Template, InvalidTemplate> {
        Template::of(format).map_err(InvalidTemplate)
    }

    fn of(format: &str) -> Result<Template, String> {
        let pieces = if format.contains('$') {
            nginx(format)?
        } else if format.contains('%') {
            apache(format)?
        } else {
            return Err(
                "it has neither variables of nginx ($request) nor directives of Apache (%r)"
                    .to_owned(),
            );
        };
        let mut joined: Vec<Piece> = Vec::new();
        for piece in parts_of_requests(&pieces)? {
            match (joined.last_mut(), piece) {
                (Some(Piece::Text(before)), Piece::Text(text)) => before.extend(text),
                (Some(Piece::Field(role @ Role::Path)), Piece::Field(Role::Query)) => {
                    *role = Role::Target;
                }
                (Some(Piece::Field(Role::Target | Role::Query)), Piece::Field(Role::Query)) => {}
                (Some(Piece::Field(_)), Piece::Field(_)) => {
                    return Err(
                        "two fields follow each other with nothing between them, so nobody \
                        can tell where the first one ends"
                            .to_owned(),
                    );
                }
                (_, piece) => joined.push(piece),
            }
        }
        let has = |role| joined.contains(&Piece::Field(role));
        if !has(Role::Agent) {
            return Err("it lacks the User-Agent header ($http_user_agent, %{User-Agent}i), by \
                which crawlers are found"
                .to_owned());
        }
        let has_path_alone = !has(Role::Request) && !has(Role::Target);
        if has_path_alone && !has(Role::Path) {
            return Err(
                "it lacks what was asked for ($request, $request_uri, %r or %U%q)".to_owned()
            );
        }
        Ok(Template { has_time: has(Role::Time), has_path_alone, pieces: joined })
    }

    /// Reads a line.
    pub(super) fn read<'l>(&self, line: &'l [u8]) -> Option<Fields<'l>> {
        let (mut fields, mut address, mut host) = (Fields::default(), &b""[..], &b""[..]);
        let (mut left, mut was_quote) = (line, false);
        for (number, piece) in self.pieces.iter().enumerate() {
            let role = match piece {
                Piece::Text(text) => {
                    left = left.strip_prefix(&text[..])?;
                    was_quote = text.ends_with(b"\"");
                    continue;
                }
                Piece::Field(role) => *role,
            };
            let len = match self.pieces.get(number + 1) {
                Some(Piece::Text(text)) if was_quote && text.starts_with(b"\"") => {
                    quoted(left)?.0.len()
                }
                Some(Piece::Text(text)) => memmem::find(left, text)?,
                _ => left.len(),
            };
            let (field, after) = left.split_at(len);
            left = after;
            match role {
                Role::Request => {
                    fields.target = fields::target(field).or(fields.target);
                    fields.method = Method::of_line(field);
                }
                Role::Method => fields.method = Method::of(field),
                Role::Target => fields.target = fields.target.or(fields::some(field)),
                Role::Path if self.has_path_alone => {
                    fields.target = fields.target.or(fields::some(field));
                }
                Role::Query if self.has_path_alone => {
                    let query = field.strip_prefix(b"?").unwrap_or(field);
                    fields.query = fields::some(query).or(fields.query);
                }
                Role::Agent => fields.agent = fields::some(field),
                Role::Time => fields.time = Some(field),
                Role::Address => address = field,
                Role::Host => host = field,
                // nginx writes 000 or `-` for a client that went away.
                Role::Status => fields.status = fields::number(field).unwrap_or(0),
                Role::Path | Role::Query | Role::Other => {}
            }
        }
        fields.client = Client::Apart { address, host };
        let has_query = || self.pieces.contains(&Piece::Field(Role::Query));
        fields.lacks_query = LacksQuery::yes_if(self.has_path_alone && !has_query());
        left.is_empty().then_some(fields)
    }
}

/// <https://nginx.org/en/docs/http/ngx_http_log_module.html#log_format>
fn nginx(format: &str) -> Result<Vec<Piece>, String> {
    let mut parts = format.split('$');
    let mut pieces = Vec::new();
    text(parts.next().unwrap_or_default(), &mut pieces);
    for part in parts {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, after) = match part.strip_prefix('{') {
            Some(part) => part.split_once('}').ok_or("a '${' has no '}'")?,
            None => part.split_at(part.find(|c| !is_name(c)).unwrap_or(part.len())),
        };
        pieces.push(Piece::Field(match name {
            "" => return Err("a '$' has no name".to_owned()),
            "request" => Role::Request,
            "request_method" => Role::Method,
            "request_uri" => Role::Target,
            "uri" | "document_uri" => Role::Path,
            "is_args" | "args" | "query_string" => Role::Query,
            "http_user_agent" => Role::Agent,
            "time_local" | "time_iso8601" | "msec" => Role::Time,
            "remote_addr" => Role::Address,
            "host" | "http_host" | "server_name" => Role::Host,
            "status" => Role::Status,
            _ => Role::Other,
        }));
        text(after, &mut pieces);
    }
    Ok(pieces)
}

/// <https://httpd.apache.org/docs/current/mod/mod_log_config.html#formats>
fn apache(format: &str) -> Result<Vec<Piece>, String> {
    // As the file of the server has it.
    let format = format.replace("\\\"", "\"").replace("\\t", "\t");
    let mut pieces = Vec::new();
    let mut left = format.as_str();
    while let Some((before, after)) = left.split_once('%') {
        text(before, &mut pieces);
        if let Some(after) = after.strip_prefix('%') {
            text("%", &mut pieces);
            left = after;
            continue;
        }
        // Which statuses it is for, and of which of several requests.
        let after = after.trim_start_matches(|c: char| c.is_ascii_digit() || "!,<>".contains(c));
        let (name, after) = match after.strip_prefix('{') {
            Some(after) => after.split_once('}').ok_or("a '%{' has no '}'")?,
            None => ("", after),
        };
        let len = if after.starts_with('^') { 3 } else { 1 };
        let (kind, after) =
            after.split_at_checked(len).ok_or("a '%' has no letter that ASCII has after it")?;
        let is_header = |wanted: &str| kind == "i" && name.eq_ignore_ascii_case(wanted);
        let role = match kind {
            "r" => Role::Request,
            "m" => Role::Method,
            "U" => Role::Path,
            "q" => Role::Query,
            "i" if is_header("User-Agent") => Role::Agent,
            "i" if is_header("Host") => Role::Host,
            "t" => Role::Time,
            "h" | "a" => Role::Address,
            "v" | "V" => Role::Host,
            "s" => Role::Status,
            _ => Role::Other,
        };
        if kind == "t" && name.is_empty() {
            // It brings its brackets.
            pieces.extend([Piece::Text(b"[".into()), Piece::Field(role), Piece::Text(b"]".into())]);
        } else {
            pieces.push(Piece::Field(role));
        }
        left = after;
    }
    text(left, &mut pieces);
    Ok(pieces)
}

/// The format with the request line as three fields where a blank follows it, since it has two itself.
///
/// # Errors
/// Returns an error if a blank follows the User-Agent header, which may have any number itself.
fn parts_of_requests(pieces: &[Piece]) -> Result<Vec<Piece>, String> {
    let is_before_blank = |at: usize| {
        let is_quoted =
            at > 0 && matches!(&pieces[at - 1], Piece::Text(text) if text.ends_with(b"\""));
        !is_quoted
            && matches!(pieces.get(at + 1), Some(Piece::Text(text)) if text.starts_with(b" "))
    };
    let blank = || Piece::Text(b" ".into());
    let mut parts = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Field(Role::Request) if is_before_blank(at) => parts.extend([
                Piece::Field(Role::Method),
                blank(),
                Piece::Field(Role::Target),
                blank(),
                Piece::Field(Role::Other),
            ]),
            Piece::Field(Role::Agent) if is_before_blank(at) => {
                return Err("the User-Agent header may have blanks, so nobody can tell where it \
                    ends before a blank: it must stand in quotes, or end the line"
                    .to_owned());
            }
            piece => parts.push(piece.clone()),
        }
    }
    Ok(parts)
}

fn text(text: &str, pieces: &mut Vec<Piece>) {
    if !text.is_empty() {
        pieces.push(Piece::Text(text.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &[u8] =
        br#"1.2.3.4 - - [10/Oct/2026:13:55:36 -0700] "GET /a\"b HTTP/1.1" 200 5 "-" "Foo \"Bot\"""#;

    #[test]
    fn formats_of_nginx_and_apache() {
        let wanted = Fields {
            target: Some(br#"/a\"b"#),
            agent: Some(br#"Foo \"Bot\""#),
            time: Some(b"10/Oct/2026:13:55:36 -0700"),
            client: Client::Apart { address: b"1.2.3.4", host: b"" },
            status: 200,
            ..Fields::default()
        };
        for format in [
            r#"$remote_addr - - [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent""#,
            r#"${remote_addr} - - [${time_local}] "${request}" ${status} ${x} "$y" "$http_user_agent""#,
            r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#,
            r#"%h %l %u %t \"%r\" %s %O \"%{Referer}i\" \"%{User-agent}i\""#,
            r#"%{c}a %l %u %t "%m %U%q %H" %!200,304>s %b "%{Referer}i" "%{User-Agent}i""#,
        ] {
            let template = Template::parse(format).unwrap();
            assert!(template.has_time);
            assert_eq!(template.read(LINE), Some(wanted), "{format}");
            for len in 0..LINE.len() {
                assert_eq!(template.read(&LINE[..len]), None, "{len}");
            }
        }
        let tabs = Template::parse("$msec\t$host\t$uri$is_args$args\t$http_user_agent").unwrap();
        let fields = tabs.read(b"5.1\te.com\t/x?y\tBot").unwrap();
        assert_eq!((fields.target, fields.agent), (Some(&b"/x?y"[..]), Some(&b"Bot"[..])));
        assert_eq!((fields.time, fields.client.apart().1), (Some(&b"5.1"[..]), &b"e.com"[..]));
        // A request without quotes.
        for format in ["$request $http_user_agent", "%r %{User-Agent}i"] {
            let template = Template::parse(format).unwrap();
            let fields = template.read(b"GET /a HTTP/1.1 Foo Bot/1.0").unwrap();
            assert_eq!(
                (fields.target, fields.agent),
                (Some(&b"/a"[..]), Some(&b"Foo Bot/1.0"[..]))
            );
            assert_eq!(template.read(b"GET /a"), None);
        }
        let last = Template::parse(r#""$http_user_agent" $status $request"#).unwrap();
        assert_eq!(last.read(b"\"Bot\" 200 GET /a HTTP/1.1").unwrap().target, Some(&b"/a"[..]));
        let json = r#"{"a":"$http_user_agent","u":"$request_uri"}"#;
        let fields = Template::parse(json).unwrap().read(br#"{"a":"x\"y","u":"/"}"#).unwrap();
        assert_eq!(fields.agent, Some(&br#"x\"y"#[..]));
    }

    #[test]
    fn formats_that_are_none() {
        for (format, wanted) in [
            ("", "neither"),
            ("combined", "neither"),
            ("$request", "User-Agent"),
            ("$http_user_agent", "what was asked for"),
            ("$request$http_user_agent", "nothing between"),
            ("${request $http_user_agent", "no '}'"),
            ("$ $http_user_agent", "no name"),
            ("%r %{User-Agent", "no '}'"),
            ("%r %", "no letter"),
            ("$http_user_agent $request", "before a blank"),
            ("%{User-Agent}i %>s \"%r\"", "before a blank"),
            ("%r %é", "no letter"),
        ] {
            let error = Template::parse(format).unwrap_err().to_string();
            assert!(error.contains(wanted), "{format}: {error}");
        }
    }
}

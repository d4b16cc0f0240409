//! Rules that are whole URLs, for those who come from a reader that takes them for paths.

use std::borrow::Cow;

use crate::origin::Origin;
use crate::profile::Profile;
use crate::read::parse::{Content, Extent, Field, Lines};
use crate::read::utf16::text_of;

/// The text of a site's file with the rules that are URLs of its own host as paths, as
/// WWW::RobotRules and rep-cpp read them: `Disallow: http://own.example/x` is `Disallow: /x`. One that
/// is a URL of another host is no rule. In RFC 9309 a rule begins with `/` or `*`, and both match
/// nothing.
///
/// A port has to be that of the site, or both the defaults of their schemes: a file of `https` may name
/// `http`, which rep-cpp takes and WWW::RobotRules does not (*a reading*). White space stands for what
/// is left out, so each line and each path is where it was. A file in UTF-16 comes as UTF-8, as from
/// [`text_of`]. `O(n)`, and copies nothing where no rule is a URL.
///
/// ```
/// use robotsieve::{Origin, Profile, Robots, own_rules};
///
/// let file = b"User-agent: *\nDisallow: http://own.example/x\nDisallow: http://other.example/y";
/// let origin = Origin::of("https://own.example/robots.txt")?;
/// let text = own_rules(file, &Profile::RFC9309, &origin);
/// let policy = Robots::parse(&text, &Profile::RFC9309).policy(&"FooBot".into());
/// assert_eq!(policy.is_allowed("https://own.example/x"), Ok(false));
/// assert_eq!(policy.is_allowed("https://own.example/y"), Ok(true));
/// # Ok::<(), robotsieve::InvalidOrigin>(())
/// ```
#[must_use]
pub fn own_rules<'f>(file: &'f [u8], profile: &Profile, origin: &Origin<'_>) -> Cow<'f, [u8]> {
    let mut text = text_of(file, profile);
    // What becomes white space, and whether its last byte becomes the path `/`.
    let mut left_out = Vec::new();
    for line in Lines::of(&text, Extent::of(&text, profile), profile) {
        let Content::Record(record) = line.content else { continue };
        if !matches!(record.field, Field::Allow | Field::Disallow) {
            continue;
        }
        let Some(authority) = record.value.windows(3).position(|three| three == b"://") else {
            continue;
        };
        let (span, authority) = (record.value_span(), authority + "://".len());
        match Origin::of(record.value) {
            Ok(named) if is_same_site(&named, origin) => {
                let rest = &record.value[authority..];
                let path = rest.iter().position(|byte| matches!(byte, b'/' | b'?'));
                let at = authority + path.unwrap_or(rest.len());
                let lacks_slash = record.value.get(at) != Some(&b'/');
                left_out.push((span.start..span.start + at, lacks_slash));
            }
            // Elsewhere it matches nothing.
            Ok(_) if profile.leading_slash_assumed => left_out.push((span, false)),
            _ => {}
        }
    }
    for (span, lacks_slash) in left_out {
        let bytes = &mut text.to_mut()[span];
        bytes.fill(b' ');
        if let Some(last) = bytes.last_mut().filter(|_| lacks_slash) {
            *last = b'/';
        }
    }
    text
}

fn is_same_site(named: &Origin<'_>, origin: &Origin<'_>) -> bool {
    let has_default = |origin: &Origin<'_>| origin.port() == origin.scheme().default_port();
    named.host() == origin.host()
        && (named.port() == origin.port() || has_default(named) && has_default(origin))
}

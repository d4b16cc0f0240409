//! `Robots-Tag`: a list of crawlers with rules as parameters (draft-illyes-repext-03).

use std::convert::Infallible;
use std::fmt;

use sfv::visitor::{
    EntryVisitor, Ignored, InnerListVisitor, ItemVisitor, ListVisitor, ParameterVisitor,
};
use sfv::{BareItemFromInput, KeyRef, Parser};
use smallvec::SmallVec;

use crate::purpose::Purposes;
use crate::tables::{REPEXT_RULES, TAG_RULES};

/// A `Robots-Tag` header: which crawlers it keeps from which purposes.
///
/// It is a list of RFC 9651. Each item is the product token of a crawler, or `*` for all; the rules
/// are its parameters, without a value.
///
/// ```
/// use robotsieve_rights::{Purpose, RobotsTagHeader};
///
/// let header = RobotsTagHeader::parse(b"*;noindex, ExampleBot;nosnippet")?;
/// let wanted = [("*", Purpose::Index), ("ExampleBot", Purpose::Snippet)];
/// assert!(header.iter().eq(wanted.map(|(name, purpose)| (name, purpose.into()))));
/// # Ok::<(), robotsieve_rights::InvalidRobotsTag>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RobotsTagHeader {
    /// Only those that are kept from something.
    items: SmallVec<[(Box<str>, Purposes); 1]>,
    looks_like_x_robots_tag: bool,
}

impl RobotsTagHeader {
    /// Reads a header. Several field lines are joined with `, ` first. `O(n)`.
    ///
    /// # Errors
    /// Returns an error if it is not a list of RFC 9651. Then it is to be ignored.
    pub fn parse(value: &[u8]) -> Result<RobotsTagHeader, InvalidRobotsTag> {
        let mut header = RobotsTagHeader::default();
        let parser = Parser::new(value);
        match parser.parse_list_with_visitor(Items(&mut header)) {
            Ok(()) => Ok(header),
            Err(_) => Err(InvalidRobotsTag(())),
        }
    }

    /// The crawlers that are kept from something, `*` for all, with the purposes.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Purposes)> {
        self.items.iter().map(|(name, purposes)| (&**name, *purposes))
    }

    /// Returns true if an item is a rule of X-Robots-Tag, such as a bare `noindex`: here it is a
    /// crawler's name.
    pub fn looks_like_x_robots_tag(&self) -> bool {
        self.looks_like_x_robots_tag
    }
}

/// The error of [`RobotsTagHeader::parse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidRobotsTag(());

impl fmt::Display for InvalidRobotsTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a list of RFC 9651, such as *;noindex, ExampleBot;nosnippet")
    }
}

impl std::error::Error for InvalidRobotsTag {}

struct Items<'h>(&'h mut RobotsTagHeader);

impl<'v> ListVisitor<'v> for Items<'_> {
    type Out = ();
    type Error = Infallible;

    fn entry(&mut self) -> Result<impl EntryVisitor<'v>, Infallible> {
        Ok(Item { header: &mut *self.0, name: None, purposes: Purposes::NONE })
    }

    fn finish(self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// An item. It is added once its parameters are known.
struct Item<'h, 'v> {
    header: &'h mut RobotsTagHeader,
    name: Option<&'v str>,
    purposes: Purposes,
}

impl<'v> EntryVisitor<'v> for Item<'_, 'v> {
    type Error = Infallible;

    fn item(self) -> Result<impl ItemVisitor<'v>, Infallible> {
        Ok(self)
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'v>, Infallible> {
        Ok(Ignored)
    }
}

impl<'v> ItemVisitor<'v> for Item<'_, 'v> {
    type Out = ();
    type Error = Infallible;

    fn bare_item(
        mut self,
        item: BareItemFromInput<'v>,
    ) -> Result<impl ParameterVisitor<'v, Out = ()>, Infallible> {
        if let BareItemFromInput::Token(token) = item {
            self.name = Some(token.as_str());
        }
        Ok(self)
    }
}

impl<'v> ParameterVisitor<'v> for Item<'_, 'v> {
    type Out = ();
    type Error = Infallible;

    fn parameter(
        &mut self,
        key: &'v KeyRef,
        value: BareItemFromInput<'v>,
    ) -> Result<(), Infallible> {
        if let Some((_, purposes)) = REPEXT_RULES.iter().find(|(rule, _)| *rule == key.as_str()) {
            // The last of equal parameters counts.
            self.purposes = self.purposes.without(*purposes);
            if matches!(value, BareItemFromInput::Boolean(true)) {
                self.purposes |= *purposes;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Infallible> {
        let Some(name) = self.name else { return Ok(()) };
        self.header.looks_like_x_robots_tag |=
            TAG_RULES.iter().any(|(rule, _)| name.eq_ignore_ascii_case(rule));
        if !self.purposes.is_empty() {
            self.header.items.push((name.into(), self.purposes));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: &str) -> Option<String> {
        let header = RobotsTagHeader::parse(value.as_bytes()).ok()?;
        let item = |(name, purposes): (&str, Purposes)| {
            let purposes: Vec<_> = purposes.iter().map(|purpose| purpose.as_str()).collect();
            format!("{name} {}", purposes.join("+"))
        };
        let mark = if header.looks_like_x_robots_tag() { "!" } else { "" };
        Some(header.iter().map(item).collect::<Vec<_>>().join(", ") + mark)
    }

    #[test]
    fn lists() {
        for (value, wanted) in [
            ("", ""),
            ("*;noindex", "* index"),
            ("*; noindex; nosnippet, A;nosnippet=?1", "* index+snippet, A snippet"),
            ("*;noindex=?0, A;noindex=1, B;x, C", ""),
            ("*;noindex;noindex=?0", ""),
            ("*;noindex=?0;noindex", "* index"),
            ("\"A\";noindex, (B C);noindex, 1;noindex", ""),
            ("noindex", "!"),
            ("noindex, B;noindex", "B index!"),
        ] {
            assert_eq!(shown(value).as_deref(), Some(wanted), "{value}");
        }
        for value in
            ["*;noindex,", ",*;noindex", "*;NoIndex", "* ;noindex", "a b", "*;noindex;", "\u{e9}"]
        {
            assert_eq!(shown(value), None, "{value}");
        }
        // At least 8 KiB are read.
        let many: Vec<String> = (0..50_000).map(|n| format!("a{n}")).collect();
        assert_eq!(shown(&format!("{}, *;noindex", many.join(", "))).as_deref(), Some("* index"));
    }
}

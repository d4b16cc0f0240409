//! Sitemaps: the URLs that a site wants to be read.
//!
//! ```text
//! bytes ─▶ text ─▶ xml ─▶ document ─▶ walk
//! ```
//!
//! `text` decodes and bounds the bytes of one sitemap, `xml` finds the URLs in it, a [`Document`] is
//! XML or lines of URLs, and a [`Walk`] goes through sitemaps and those that their indexes name. Who
//! calls opens files and fetches ([`OpenSitemap`]).
//!
//! ```
//! use robotsieve_client::sitemap::{Document, SitemapEntry};
//!
//! let xml = "<urlset><url><loc>https://example.com/a</loc></url></urlset>";
//! let mut document = Document::of(Box::new(xml.as_bytes()))?;
//! let mut url = Vec::new();
//! assert_eq!(document.next(&mut url).unwrap(), SitemapEntry::Page);
//! assert_eq!(url, b"https://example.com/a");
//! assert_eq!(document.next(&mut url).unwrap(), SitemapEntry::End);
//! # Ok::<(), std::io::Error>(())
//! ```

mod document;
mod text;
mod walk;
mod xml;

pub use document::Document;
pub use walk::{OpenSitemap, OpenedSitemap, SitemapPlace, SitemapTold, Walk, is_url};
pub use xml::{SitemapEntry, SitemapFault};

//! What a response adds to robots.txt: its header fields and its page.

use crate::content_signals::ContentSignals;
use crate::content_usage::{ContentUsage, InvalidContentUsage};
use crate::encoding::PageEncoding;
use crate::header::{InvalidHeader, borrowed_fields};
use crate::html::PageElement;
use crate::link::{LicenceLink, licences_in};
use crate::media::begins_as_media;
use crate::page::{Markup, read_page};
use crate::place::{Element, HeaderField, Place};
use crate::rsl::document::{InvalidRsl, Rsl};
use crate::tags::read::RobotsTags;
use crate::tags::robots_tag::{InvalidRobotsTag, RobotsTagHeader};
use crate::tdm::TdmRep;
use crate::xmp::Xmp;
use robotsieve::internals::says_part;

/// What a response says of the rights of its URL: header fields and elements of the page, read but not
/// judged, for any crawler.
///
/// ```
/// use robotsieve_rights::Response;
///
/// let headers = [("Content-Usage", "train-ai=n"), ("X-Robots-Tag", "noindex")];
/// let page = b"<meta name=robots content=nosnippet>";
/// let response = Response::new().with_headers(headers).with_html(page);
/// assert_eq!(response.tags.iter().count(), 2);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Response {
    /// `Content-Usage`, all lines together.
    pub usage: Option<Result<ContentUsage, InvalidContentUsage>>,
    /// `Content-Signal`, all lines together.
    pub signals: Option<ContentSignals>,
    /// `X-Robots-Tag` and the meta tags with a name.
    pub tags: RobotsTags,
    /// `Robots-Tag`, all lines together.
    pub robots_tag: Option<Result<RobotsTagHeader, InvalidRobotsTag>>,
    /// `tdm-reservation` and `tdm-policy` of the header.
    pub tdm: TdmRep,
    /// The same of the page's meta tags, which come first.
    pub page_tdm: TdmRep,
    /// The XMP packets of an image or a PDF.
    pub xmp: Xmp,
    /// `Link` and `<link>` with the relation `license`. Those that speak of other resources by their anchor are there,
    /// and say nothing of the page.
    pub links: Vec<LicenceLink>,
    /// The RSL documents in the page.
    pub page_licences: Vec<PageLicence>,
    /// True if the header says that the body is a part of the document, whose rest may refuse.
    pub is_part: bool,
    encoding: PageEncoding,
}

/// An RSL document in a page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PageLicence {
    /// The script that it is.
    pub place: Place,
    /// True if the script is in an element of the page, and so covers that element only.
    pub in_element: bool,
    /// The document, which must have exactly one content.
    pub document: Result<Rsl, InvalidRsl>,
}

impl Response {
    /// A response that says nothing.
    #[must_use]
    pub fn new() -> Response {
        Response::default()
    }

    /// Adds the fields of a header: names, which have no case, and values, in their order. Fields that
    /// are about nothing here are passed over.
    ///
    /// Give all fields at once: several lines of one field are one value. `O(n)`. A response without
    /// any of the fields costs a comparison for each name, and no allocation.
    #[must_use]
    pub fn with_headers<N: AsRef<[u8]>, V: AsRef<[u8]>>(
        mut self,
        headers: impl IntoIterator<Item = (N, V)>,
    ) -> Response {
        let (mut usage, mut robots_tag) = (None, None);
        let mut link_lines = 0;
        for (name, value) in headers {
            let Some(field) = HeaderField::of_name(name.as_ref()) else {
                self.is_part |= says_part(name.as_ref(), value.as_ref());
                if name.as_ref().eq_ignore_ascii_case(b"content-type") {
                    self.encoding.add_media_type(value.as_ref());
                }
                continue;
            };
            let value = white_space_trimmed(value.as_ref());
            match field {
                HeaderField::ContentUsage => join(&mut usage, value),
                HeaderField::RobotsTag => join(&mut robots_tag, value),
                HeaderField::ContentSignal => {
                    self.signals.get_or_insert_with(ContentSignals::default).read(value);
                }
                HeaderField::XRobotsTag => self.tags.add_header_line(value),
                HeaderField::TdmReservation => {
                    self.tdm.add_reservation(value, Place::header(field));
                }
                HeaderField::TdmPolicy => self.tdm.add_policy(value, Place::header(field)),
                HeaderField::Link => {
                    link_lines += 1;
                    let place = Place::Header { field, line: Some(link_lines) };
                    licences_in(value, &place, |link| self.links.push(link));
                }
            }
        }
        if let Some(usage) = usage {
            self.usage = Some(ContentUsage::parse(&usage));
        }
        if let Some(robots_tag) = robots_tag {
            self.robots_tag = Some(RobotsTagHeader::parse(&robots_tag));
        }
        self
    }

    /// The same with a header as text, as [`header_fields`](crate::header_fields) reads it, without a copy of
    /// its fields.
    ///
    /// # Errors
    /// Returns an error that names the first line that is no field.
    pub fn with_header_text(self, text: &[u8]) -> Result<Response, InvalidHeader> {
        Ok(self.with_headers(borrowed_fields(text)?))
    }

    /// Adds the elements of a page. `O(n)` for any bytes.
    ///
    /// Real elements only: not those in comments, templates and raw text. Reading ends behind the last
    /// element that can matter, in most pages near the end of the head.
    ///
    /// Give the header first: it says whether the page is HTML or, as `application/xhtml+xml`, XML. Of a PDF, a JPEG
    /// or a PNG, which is no page, the XMP is read, too.
    #[must_use]
    pub fn with_html(mut self, html: &[u8]) -> Response {
        let read = read_page(self.markup(), html, &mut |element| self.add_element(element));
        self.encoding.add_page(html, &read);
        if begins_as_media(html) { self.with_xmp(html) } else { self }
    }

    /// How its page is to be read.
    pub(crate) fn markup(&self) -> Markup {
        self.encoding.markup()
    }

    /// Returns true if the page could not be read as it is meant, and so counts as
    /// [not read](crate::Note::PageNotRead): its encoding, by the `charset` of the header or by its bytes, is UTF-7,
    /// UTF-32 or EBCDIC, for example; it is no text; or it is XML that is not well formed, or declares entities.
    #[must_use]
    pub fn has_unread_page(&self) -> bool {
        self.encoding.is_unread()
    }

    /// Returns true if the header says that it is a file whose metadata may reserve rights, and of a kind that is not
    /// read: an EPUB.
    pub(crate) fn has_unread_metadata(&self) -> bool {
        self.encoding.is_epub()
    }

    /// Adds the XMP packets of a file that is no page: an image, a video, a PDF. `O(n)` for any bytes.
    ///
    /// Several packets restrict together, and permit nothing. Where there are others that cannot be read, because
    /// they are compressed, for example, or may be, because the format is not known,
    /// [`Note::XmpNotRead`](crate::Note::XmpNotRead) says so, and [`Note::XmpSilent`](crate::Note::XmpSilent)
    /// where nothing speaks of mining.
    ///
    /// ```
    /// use robotsieve_rights::{Documents, Purpose, Response, RightsReader, Ruling};
    ///
    /// let image = br#"GIF89a... <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
    ///     <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    ///     <rdf:Description xmlns:plus="http://ns.useplus.org/ldf/xmp/1.0/"
    ///         plus:DataMining="http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED-AIMLTRAINING"/>
    ///     </rdf:RDF></x:xmpmeta><?xpacket end="w"?> ..."#;
    /// let response = Response::new().with_xmp(image);
    /// let reader = RightsReader::new(&"ExampleBot".into());
    /// let rights = reader.rights("/photo.jpg", None, &response, &Documents::new())?;
    /// assert_eq!(rights.ruling(Purpose::AiTrain), Ruling::Disallow);
    /// let by = rights.by(Purpose::AiTrain).next().unwrap();
    /// assert_eq!(by.place.to_string(), "xmp:plus:DataMining:1");
    /// # Ok::<(), robotsieve::InvalidUrl>(())
    /// ```
    #[must_use]
    pub fn with_xmp(self, file: &[u8]) -> Response {
        Response { xmp: Xmp::read(file), ..self }
    }

    /// The words at a place of the file or of a document in the page: the property of XMP, the licence (of which 8 KiB
    /// are the most). `None` for every other place.
    pub fn quote(&self, place: &Place) -> Option<String> {
        let Place::Rsl { document: name, .. } = place else { return self.xmp.quote(place) };
        let mut documents = self.page_licences.iter().filter_map(|own| own.document.as_ref().ok());
        documents.find(|document| document.name() == &**name)?.quote(place)
    }

    /// Returns true if it says something for which the origin and the path of its URL matter.
    pub(super) fn has_sites_terms(&self) -> bool {
        let says = |tdm: &TdmRep| *tdm != TdmRep::default();
        says(&self.tdm)
            || says(&self.page_tdm)
            || says(&self.xmp.tdm)
            || !self.links.is_empty()
            || !self.page_licences.is_empty()
    }

    fn add_element(&mut self, element: PageElement<'_>) {
        match element {
            PageElement::Meta { number, name, content } => {
                let name = name.trim_ascii();
                let place = || Place::Html { element: Element::Meta, number };
                match HeaderField::of_name(name) {
                    Some(HeaderField::TdmReservation) => {
                        self.page_tdm.add_reservation(content, place());
                    }
                    Some(HeaderField::TdmPolicy) => self.page_tdm.add_policy(content, place()),
                    _ if name.is_empty() => {}
                    _ => self.tags.add_meta(name, content, number),
                }
            }
            PageElement::Link { number, rel, href, media_type } => {
                let place = Place::Html { element: Element::Link, number };
                self.links.extend(LicenceLink::of(href, rel, media_type, place));
            }
            PageElement::RslScript { number, text, in_element } => {
                let place = Place::Html { element: Element::Script, number };
                let document = Rsl::parse(text, &place.to_string())
                    .and_then(|document| document.with_one_content());
                self.page_licences.push(PageLicence { place, in_element, document });
            }
        }
    }
}

/// The value of a field line without the white space around it, which is no part of it.
fn white_space_trimmed(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// Adds a line to a value that is a list or a dictionary (RFC 9651 §4.2).
fn join(joined: &mut Option<Vec<u8>>, line: &[u8]) {
    match joined {
        None => *joined = Some(line.to_vec()),
        Some(joined) => {
            joined.extend_from_slice(b", ");
            joined.extend_from_slice(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::purpose::Purposes;
    use crate::version::Vocabulary;

    fn usage(lines: &[&str]) -> Option<Purposes> {
        let headers = lines.iter().map(|line| ("CONTENT-usage", *line));
        let usage = Response::new().with_headers(headers).usage?;
        Some(usage.ok()?.disallows(Vocabulary::V08))
    }

    #[test]
    fn lines_are_joined_first() {
        assert_eq!(usage(&["search=n"]), Some(Purposes::SEARCH));
        assert_eq!(usage(&["search=n", "search=y"]), Some(Purposes::NONE));
        assert_eq!(usage(&["search=n", "Search=y"]), None);
        assert_eq!(usage(&["search=n", ""]), None);
        // A string over two lines is one, with the comma in it.
        assert_eq!(usage(&["search=n, a=\"x", "y\""]), Some(Purposes::SEARCH));
        assert_eq!(usage(&[" \tsearch=n\t "]), Some(Purposes::SEARCH));
        let signals = [("content-signal", "search=yes"), ("Content-Signal", "search=no")];
        let signals = Response::new().with_headers(signals).signals.unwrap();
        assert_eq!(signals.disallows(), Purposes::SEARCH);
    }

    #[test]
    fn text() {
        let tags = |text: &[u8]| {
            Response::new().with_header_text(text).map(|response| response.tags.iter().count())
        };
        assert_eq!(tags(b"HTTP/2 200\r\nx-robots-tag: noai,\r\n noindex\r\n\r\n"), Ok(2));
        assert_eq!(tags(b"x-robots-tag: noai\nno field").unwrap_err().line, 2);
    }

    #[test]
    fn parts() {
        let is_part =
            |name: &str, value: &str| Response::new().with_headers([(name, value)]).is_part;
        for value in ["bytes 0-98/100", "bytes 1-99/100", "bytes 0-99/*", "bytes */9", "", "x"] {
            assert!(is_part("content-Range", value), "{value}");
        }
        assert!(!is_part("Content-Range", " bytes 0-99/100"));
        assert!(is_part("Content-Type", "Multipart/Byteranges; boundary=x"));
        assert!(!is_part("Content-Type", "text/html"));
        let is_part_by = |text: &str| {
            Response::new().with_header_text(text.as_bytes()).map(|response| response.is_part)
        };
        assert_eq!(is_part_by("HTTP/1.1 206 Partial Content\r\nX-Robots-Tag: all\r\n"), Ok(true));
        assert_eq!(is_part_by("HTTP/1.1 206 x\nContent-Range: bytes 0-99/100\n"), Ok(false));
        assert_eq!(is_part_by("HTTP/1.1 200 OK\n"), Ok(false));
        let reader = crate::RightsReader::new(&"x".into());
        let response = Response::new()
            .with_headers([("Content-Range", "bytes 0-1/9"), ("Content-Usage", "search=y")]);
        let rights = reader.rights("/", None, &response, &crate::Documents::new()).unwrap();
        assert_eq!(rights.ruling(crate::Purpose::Index), crate::Ruling::Unknown);
        assert!(rights.notes().contains(crate::Note::PageCut));
    }

    #[test]
    fn numbers_of_lines() {
        let headers = [
            ("Link", "</a>; rel=preload"),
            ("X-Robots-Tag", "all"),
            ("link", "</b>; rel=license"),
            ("x-robots-tag", "noindex"),
        ];
        let response = Response::new().with_headers(headers);
        assert_eq!(response.links[0].place.to_string(), "header:link:2");
        let last = response.tags.iter().last().unwrap();
        assert_eq!(last.place.to_string(), "header:x-robots-tag:2");
    }

    #[test]
    fn pages() {
        let page = b"<meta name=' TDM-Reservation ' content=' 1 '><meta charset=utf-8>\
            <script type=application/rsl+xml><rsl xmlns='https://rslstandard.org/rsl'>\
            <content url=''><license/></content><content url='/'><license/></content></rsl></script>";
        let response = Response::new().with_html(page);
        assert!(response.page_tdm.reserved.is_some());
        assert!(response.tags.is_empty());
        // Exactly one content.
        assert!(response.page_licences[0].document.is_err());
    }
}

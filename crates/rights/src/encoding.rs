//! The encodings of pages: is their markup that of ASCII, and are they text at all?
//!
//! A page is read as ASCII and something, or as UTF-16. In any other encoding its elements are not found, and some
//! that are found may be none. Browsers know the labels of the WHATWG encoding standard; what has no label there
//! (UTF-7, UTF-32, EBCDIC) they take for something else, while other programs decode it. So nobody's reading counts,
//! and the page as not read. What it refuses when it is read as ASCII stands.

use robotsieve::internals::Compression;

use crate::labels::Label;
use crate::media::begins_as_media;
use crate::page::{Markup, ReadPage};

/// Encodings without a mark that a page can only name in itself, as long as it is in ASCII, and labels of what browsers
/// do not decode ("replacement" in the standard). Some have more after these letters.
const SHIFTING: [&[u8]; 10] = [
    b"utf-7",
    b"utf7",
    b"x-utf-7",
    b"unicode-1-1-utf-7",
    b"csunicode11utf7",
    b"hz",
    b"iso-2022-kr",
    b"csiso2022kr",
    b"iso-2022-cn",
    b"replacement",
];

/// What is known of the encoding and the markup of a page.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PageEncoding {
    header: Label,
    /// True if the header says that it is HTML, or XML.
    is_html: bool,
    is_xml: bool,
    /// True if it says that it is an EPUB.
    is_epub: bool,
    /// How it was read, and whether elements may be missing.
    read_as: Markup,
    is_doubtful: bool,
    /// Of XML that is not UTF-8: what it declares to be.
    not_utf8: Option<Label>,
    /// `None` as long as no page was read.
    page: Option<Found>,
}

/// The encoding of the bytes of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// UTF-8 or UTF-16 by its byte order mark, whatever the header says.
    Marked,
    Utf16,
    /// One that nothing in the page tells.
    Plain,
    Other,
}

impl PageEncoding {
    /// Adds a `Content-Type`. Of several labels the worst counts.
    pub(crate) fn add_media_type(&mut self, value: &[u8]) {
        for piece in value.split(|byte| *byte == b',') {
            let media_type = piece.split(|byte| *byte == b';').next().unwrap_or_default();
            let media_type = media_type.trim_ascii();
            let is = |known: &[u8]| media_type.eq_ignore_ascii_case(known);
            self.is_html |= is(b"text/html");
            self.is_xml |= is_xml(media_type);
            self.is_epub |= is(b"application/epub+zip");
        }
        for piece in value.split(|byte| matches!(byte, b';' | b',')) {
            let Some((name, label)) = piece.trim_ascii().split_at_checked(7) else { continue };
            let label = label.trim_ascii_start().strip_prefix(b"=");
            if let Some(label) = label.filter(|_| name.eq_ignore_ascii_case(b"charset")) {
                self.header = self.header.max(Label::of(unquoted(label)));
            }
        }
    }

    /// How a page is to be read.
    pub(crate) fn markup(self) -> Markup {
        if self.is_xml && !self.is_html { Markup::Xml } else { Markup::Html }
    }

    /// Returns true if it is a book, whose metadata may reserve rights (TDMRep) and is not read.
    pub(crate) fn is_epub(self) -> bool {
        self.is_epub
    }

    /// Adds a page that was read.
    pub(crate) fn add_page(&mut self, page: &[u8], read: &ReadPage) {
        if !page.is_empty() {
            self.page = Some(Found::of(page, read.is_utf16));
            (self.read_as, self.is_doubtful) = (self.markup(), read.is_doubtful);
            self.not_utf8 = read.not_utf8;
        }
    }

    /// Returns true if there is a page of which elements were not found: by its encoding, or by its markup, where
    /// the header says of that two things, or another one than was known when it was read.
    pub(crate) fn is_unread(self) -> bool {
        let is_unsure = self.is_html && self.is_xml || self.read_as != self.markup();
        // A header counts more than a declaration, and a mark more than both (RFC 7303 §3).
        let is_broken = self.not_utf8.is_some_and(|declared| {
            let label = if self.header == Label::None { declared } else { self.header };
            label != Label::Ascii || self.page == Some(Found::Marked)
        });
        match self.page {
            Some(_) if self.is_doubtful || is_unsure || is_broken => true,
            None | Some(Found::Marked) => false,
            Some(Found::Utf16) => self.header == Label::Other,
            Some(Found::Plain) => self.header > Label::Utf8,
            Some(Found::Other) => true,
        }
    }
}

/// Returns true if a media type is one of XML (RFC 7303).
pub fn is_xml(media_type: &[u8]) -> bool {
    let end = media_type.last_chunk::<4>();
    end.is_some_and(|end| end.eq_ignore_ascii_case(b"+xml"))
        || [&b"application/xml"[..], b"text/xml"]
            .iter()
            .any(|xml| media_type.eq_ignore_ascii_case(xml))
}

impl Found {
    fn of(page: &[u8], is_utf16: bool) -> Found {
        match page {
            // UTF-32, whose mark begins like that of UTF-16 if it is little-endian, and without a mark.
            [0xff, 0xfe, 0, 0, ..]
            | [0, 0, 0xfe, 0xff, ..]
            | [0, 0, 0, 1..=255, ..]
            | [1..=255, 0, 0, 0, ..] => Found::Other,
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0xef, 0xbb, 0xbf, ..] => Found::Marked,
            // UTF-7, UTF-EBCDIC, SCSU, BOCU-1, UTF-1.
            [b'+', b'/', b'v', b'8' | b'9' | b'+' | b'/', ..]
            | [0xdd, 0x73, 0x66, 0x73, ..]
            | [0x0e, 0xfe, 0xff, ..]
            | [0xfb, 0xee, 0x28, ..]
            | [0xf7, 0x64, 0x4c, ..] => Found::Other,
            // `<?`, `<!` and `<h` in EBCDIC, and a letter.
            [0x4c, 0x6f | 0x5a | 0x88 | 0xc8, 0x80..=255, ..] => Found::Other,
            _ if is_utf16 => Found::Utf16,
            _ if is_binary(page) || has_escapes(page) || names_shifting(page) => Found::Other,
            _ => Found::Plain,
        }
    }
}

/// Returns true if a file is no text: a PDF, an image, compressed, or one with many of the bytes that the
/// WHATWG's MIME sniffing calls binary data. Text may have some by mistake.
pub(crate) fn is_binary(file: &[u8]) -> bool {
    /// As many as browsers look at. One in ten random bytes is binary data, one in 32 is too many.
    const LOOKED_AT: usize = 1445;
    let begin = &file[..file.len().min(LOOKED_AT)];
    let is_data = |byte: &&u8| matches!(byte, 0..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    Compression::of(file) != Compression::None
        || begins_as_media(file)
        || begin.iter().filter(is_data).count() * 32 > begin.len()
}

/// Returns true if bytes of ASCII stand for something else behind an escape, as in ISO-2022-JP.
fn has_escapes(page: &[u8]) -> bool {
    let mut escapes = memchr::memchr_iter(0x1b, page);
    escapes.any(|at| matches!(page[at + 1..], [b'$', ..] | [b'(', b'I', ..]))
}

/// Returns true if a page names such an encoding where browsers look for a label.
fn names_shifting(page: &[u8]) -> bool {
    const LOOKED_AT: usize = 1024;
    let begin = page[..page.len().min(LOOKED_AT)].to_ascii_lowercase();
    [&b"charset"[..], b"encoding"].iter().any(|name| {
        memchr::memmem::find_iter(&begin, name).any(|at| {
            let value = begin[at + name.len()..].trim_ascii_start().strip_prefix(b"=");
            let label = value.map_or(&b""[..], unquoted);
            SHIFTING.iter().any(|shifting| label.starts_with(shifting))
        })
    })
}

/// A label without white space and quotes around it. What follows a quote does not belong to it.
fn unquoted(label: &[u8]) -> &[u8] {
    let label = label.trim_ascii();
    match label {
        [quote @ (b'"' | b'\''), label @ ..] => {
            let end = memchr::memchr(*quote, label).unwrap_or(label.len());
            label[..end].trim_ascii()
        }
        _ => label,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Documents, Note, Purpose, Response, RightsReader, Ruling};

    /// The ruling, and whether the page counts as not read, whatever comes first.
    fn of(media_type: &str, page: &[u8]) -> (Ruling, bool) {
        let headers = [("content-Type", media_type), ("Content-Usage", "train-ai=y")];
        let reader = RightsReader::new(&"x".into());
        let judge = |response: &Response| {
            let rights = reader.rights("/", None, response, &Documents::new()).unwrap();
            (rights.ruling(Purpose::AiTrain), rights.notes().contains(Note::PageNotRead))
        };
        let found = judge(&Response::new().with_headers(headers).with_html(page));
        assert_eq!(judge(&Response::new().with_html(page).with_headers(headers)), found);
        found
    }

    const READ: (Ruling, bool) = (Ruling::Allow, false);
    const UNREAD: (Ruling, bool) = (Ruling::Unknown, true);

    #[test]
    fn labels() {
        for (label, wanted) in [
            ("", READ),
            ("; charset=utf-8", READ),
            ("; Charset = \"UTF-8\"; x=y", READ),
            (";charset='utf8'", READ),
            ("; charset=", READ),
            ("; charset=ISO-8859-1", READ),
            ("; charset=windows-31j", READ),
            ("; charset=x-user-defined", READ),
            ("; charset=iso-2022-jp", READ),
            ("; charset=csISO2022JP", READ),
            ("; charset=ISO-2022-KR", UNREAD),
            ("; charset=csiso2022kr", UNREAD),
            ("; charset=iso-2022-cn", UNREAD),
            ("; charset=iso-2022-cn-ext", UNREAD),
            ("; charset=utf-7", UNREAD),
            ("; charset=UTF-32", UNREAD),
            (";x=y;charset=\"ibm037\"", UNREAD),
            ("; charset=hz-gb-2312", UNREAD),
            ("; charset=replacement", UNREAD),
            ("; charset=utf-8, text/html; charset=utf-7", UNREAD),
            ("; charset=utf-16", UNREAD),
        ] {
            assert_eq!(of(&format!("text/html{label}"), b"<p>"), wanted, "{label}");
        }
        // Nothing was to be read, and a mark counts more than a label.
        assert_eq!(of("text/html; charset=utf-7", b""), READ);
        assert_eq!(of("text/html; charset=utf-7", b"\xef\xbb\xbf<p>"), READ);
        let wide: Vec<u8> = "<html>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(of("text/html; charset=utf-16", &wide), READ);
        // What it refuses stands.
        let refuses = b"<meta name=robots content=noai>";
        assert_eq!(of("text/html; charset=x", refuses), (Ruling::Disallow, true));
    }

    #[test]
    fn pages() {
        let utf_32 = |unit: fn(u32) -> [u8; 4], text: &str| -> Vec<u8> {
            text.chars().flat_map(|c| unit(c.into())).collect()
        };
        for text in ["\u{feff}<meta name=robots content=noai>", "<meta name=robots content=noai>"] {
            for unit in [u32::to_le_bytes, u32::to_be_bytes] {
                assert_eq!(of("text/html", &utf_32(unit, text)), UNREAD);
            }
        }
        for (page, wanted) in [
            (&b"+/v8-+ADw-meta name+AD0-robots"[..], UNREAD),
            (b"\x4c\x6f\xa7\x94\x93", UNREAD),
            (b"\x4c\x88\xa3\x94\x93\x6e", UNREAD),
            (b"<meta charset=utf-7>", UNREAD),
            (b"<?xml version='1.0' encoding=\"UTF-7\"?>", UNREAD),
            (b"<meta content='text/html; charset=HZ-GB-2312'>", UNREAD),
            (b"<meta charset=iso-2022-kr>", UNREAD),
            (b"<meta charset=csISO2022KR>", UNREAD),
            (b"<meta charset='iso-2022-cn-ext'>", UNREAD),
            (b"<meta charset=\"replacement\">", UNREAD),
            (b"<meta charset=iso-2022-jp>", READ),
            (b"<title>\x1b$B%F\x1b(B</title>", UNREAD),
            (b"<title>\x1b[0m</title>", READ),
            (b"<meta charset=utf-16><p>utf-7", READ),
            (b"<p>charset", READ),
        ] {
            assert_eq!(of("text/html", page), wanted, "{}", page.escape_ascii());
        }
    }

    #[test]
    fn markup() {
        let page = b"<html xmlns='http://www.w3.org/1999/xhtml'><title/><meta name='robots' content='noai'/></html>";
        let of = |types: &[&str], is_first: bool| {
            let headers = types.iter().map(|one| ("Content-Type", *one));
            let headers = headers.chain([("Content-Usage", "train-ai=y")]);
            let response = match is_first {
                true => Response::new().with_headers(headers).with_html(page),
                false => Response::new().with_html(page).with_headers(headers),
            };
            let reader = RightsReader::new(&"x".into());
            let rights = reader.rights("/", None, &response, &Documents::new()).unwrap();
            (rights.ruling(Purpose::AiTrain), rights.notes().contains(Note::PageNotRead))
        };
        for xml in [
            "Application/XHTML+xml; charset=utf-8",
            "text/xml",
            "x/y, application/xml",
            "application/vnd.wap.xhtml+xml",
            "Image/SVG+XML ;x",
        ] {
            assert_eq!(of(&[xml], true), (Ruling::Disallow, false), "{xml}");
            // Whoever learns too late that it is XML has read something else.
            assert_eq!(of(&[xml], false), UNREAD, "{xml}");
            assert_eq!(of(&["text/html", xml], true), UNREAD, "{xml}");
        }
        for html in ["text/html", "application/xhtml xml", "+xm"] {
            assert_eq!(of(&[html], true), READ, "{html}");
        }
        assert_eq!(of(&[], true), READ);
    }

    /// In XML a byte that its encoding does not have is an error.
    #[test]
    fn not_in_utf8() {
        let of = |media_type: &str, before: &str, inner: &str| {
            let page = [before.as_bytes(), b"<html><p>\xe9</p>", inner.as_bytes(), b"</html>"];
            let headers = [("Content-Type", media_type), ("Content-Usage", "train-ai=y")];
            let response = Response::new().with_headers(headers).with_html(&page.concat());
            let reader = RightsReader::new(&"x".into());
            let rights = reader.rights("/", None, &response, &Documents::new()).unwrap();
            (rights.ruling(Purpose::AiTrain), rights.notes().contains(Note::PageNotRead))
        };
        let latin_1 = "<?xml version='1.0' encoding='ISO-8859-1'?>";
        let marked = format!("\u{feff}{latin_1}");
        for (media_type, before, wanted) in [
            ("text/xml", "", UNREAD),
            ("text/xml", "<?xml version='1.0'?>", UNREAD),
            ("text/xml", "<?xml version='1.0' encoding='utf-8'?>", UNREAD),
            ("text/xml", "<?xml version='1.0' encoding='x'?>", UNREAD),
            ("text/xml", latin_1, READ),
            ("text/xml", &marked, UNREAD),
            ("text/xml; charset=windows-1252", "", READ),
            ("text/xml; charset=utf8", latin_1, UNREAD),
            ("text/html", "", READ),
        ] {
            assert_eq!(of(media_type, before, ""), wanted, "{media_type} {before}");
        }
        let refuses = "<meta name='robots' content='noai'/>";
        assert_eq!(of("text/xml", "", refuses), (Ruling::Disallow, true));
    }

    #[test]
    fn no_text() {
        let random: Vec<u8> =
            (0..600_u32).map(|n| (n.wrapping_mul(2_654_435_769) >> 16) as u8).collect();
        let stray = [&b"<p>\0\x08"[..], &[b' '; 60]].concat();
        for (file, wanted) in [
            (&b"\x1f\x8b\x08<p>a page that is not packed</p>"[..], true),
            (b"\x28\xb5\x2f\xfd <p>a page that is not packed</p>", true),
            (b"%PDF-1.4 <p>", true),
            (b"\xff\xd8\xff <p>an image that is none</p>", true),
            (&random, true),
            (b"U\0s\0e\0r\0", true),
            (&stray, false),
            (b"<p>\x1b\x0c\t\r\n", false),
            (b"", false),
        ] {
            assert_eq!(super::is_binary(file), wanted, "{}", file.escape_ascii());
            // As a page this one is in UTF-16.
            let is_page_read = !wanted || file[1] == 0;
            assert_eq!(of("text/html", file), if is_page_read { READ } else { UNREAD });
            // Its rules count all the same, for crawling.
            let file =
                [file, b"\nUser-agent: *\nContent-Signal: ai-train=yes\nDisallow: /x"].concat();
            let robots = robotsieve::Robots::parse(&file, &robotsieve::Profile::RFC9309);
            let reader = RightsReader::new(&"x".into());
            let robots = reader.robots_if_any(&robots).unwrap();
            let rights = robots.rights("/x").unwrap();
            assert_eq!(rights.ruling(Purpose::Crawl), Ruling::Disallow);
            let is_unread = super::is_binary(&file);
            assert_eq!(rights.notes().contains(Note::RobotsNotRead), is_unread);
            assert_eq!(rights.ruling(Purpose::AiTrain) == Ruling::Unknown, is_unread);
        }
    }

    /// The metadata of an EPUB is not read, and may reserve.
    #[test]
    fn books() {
        for (media_type, wanted) in [
            ("application/epub+zip", true),
            ("text/html, Application/EPUB+zip ; x=y", true),
            ("application/zip", false),
        ] {
            let headers = [("content-Type", media_type), ("Content-Usage", "train-ai=y, search=n")];
            let response = Response::new().with_headers(headers);
            let reader = RightsReader::new(&"x".into());
            let rights = reader.rights("/", None, &response, &Documents::new()).unwrap();
            assert_eq!(rights.notes().contains(Note::XmpNotRead), wanted, "{media_type}");
            let ruling = if wanted { Ruling::Unknown } else { Ruling::Allow };
            assert_eq!(rights.ruling(Purpose::AiTrain), ruling, "{media_type}");
            assert_eq!(rights.ruling(Purpose::Index), Ruling::Disallow);
        }
    }

    /// An image or a PDF that is sent as a page.
    #[test]
    fn media() {
        let pdf = b"%PDF-1.4 <x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF \
            xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description \
            xmlns:plus='http://ns.useplus.org/ldf/xmp/1.0/' plus:DataMining='DMI-PROHIBITED'/></rdf:RDF></x:xmpmeta>";
        assert_eq!(of("text/html", pdf), (Ruling::Disallow, true));
        let allows = String::from_utf8_lossy(pdf).replace("PROHIBITED", "ALLOWED");
        assert_eq!(of("text/html", allows.as_bytes()), UNREAD);
    }
}

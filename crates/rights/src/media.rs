//! What the bytes of an image, a video or a PDF show of its metadata: the format, whether a packet of XMP is there that
//! is not found as one, and whether the file is cut before it.

use std::collections::BTreeSet;

use memchr::memmem;
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::tables::{Format, XMP_FORMATS, XMP_NAMESPACES};

/// How a packet of XMP begins: with its wrapper, or without one.
pub(crate) const PACKET_BEGINS: [&[u8]; 2] = [b"<?xpacket begin", b"<x:xmpmeta"];

/// The most streams of metadata of a PDF that are looked at, and objects that are named as such.
const MOST_STREAMS: usize = 256;

/// The most entries of the directories of a TIFF that are looked at.
const MOST_ENTRIES: usize = 1 << 16;

impl Format {
    /// The format of a file. `None` if it is not known.
    pub(crate) fn of(file: &[u8]) -> Option<Format> {
        let begins =
            |at: usize, text: &[u8]| file.get(at..).is_some_and(|rest| rest.starts_with(text));
        let known = XMP_FORMATS.iter().find(|(at, text, _)| begins(*at, text));
        let first = &file[..file.len().min(1024)];
        let text = first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first).trim_ascii_start();
        match known.map(|(.., format)| *format) {
            None | Some(Format::Other) if has(first, b"%PDF-") => Some(Format::Pdf),
            Some(format) => Some(format),
            None if is_svg(text) => Some(Format::Svg),
            None => {
                let is_packet = PACKET_BEGINS.iter().any(|begin| text.starts_with(begin));
                is_packet.then_some(Format::Other)
            }
        }
    }

    /// Returns true if a file shows that it has packets beside those that were found, or may have had one before it
    /// was cut.
    pub(crate) fn hides_packets(self, file: &[u8], packets: &[&[u8]]) -> bool {
        const UTF_16: &[u8] = b"<\0?\0x\0p\0a\0c\0k\0e\0t\0";
        // These have the packets of the images in them, too, which may come first.
        let may_lack_one = packets.is_empty() || matches!(self, Format::Pdf | Format::Svg);
        has(file, UTF_16)
            || self.has_more(file, packets)
            || packets.is_empty() && self.announces(file)
            || may_lack_one && !self.is_whole(file)
    }

    /// Returns true if there are packets beside those that were found: compressed, in parts, or lost.
    fn has_more(self, file: &[u8], packets: &[&[u8]]) -> bool {
        match self {
            Format::Jpeg => has(file, b":HasExtendedXMP"),
            Format::Png => has_packed_profile(file),
            Format::Pdf => {
                let mut streams = memmem::find_iter(file, b"/XML").enumerate();
                let is_hidden =
                    |(number, at)| number == MOST_STREAMS || is_hidden_stream(&file[at..]);
                streams.any(is_hidden) || lacks_metadata(file)
            }
            // It names what no packet has: in an entity, or in metadata that are none.
            Format::Svg => XMP_NAMESPACES.iter().any(|(namespace, _)| {
                let count = |text: &[u8]| memmem::find_iter(text, namespace.as_bytes()).count();
                count(file) > packets.iter().map(|packet| count(packet)).sum()
            }),
            _ => false,
        }
    }

    /// Returns true if a file without a packet names the place of one.
    fn announces(self, file: &[u8]) -> bool {
        /// The type of the box, in MP4 and JPEG 2000.
        const UUID: &[u8] = b"\xBE\x7A\xCF\xCB\x97\xA9\x42\xE8\x9C\x71\x99\x94\x91\xE3\xAF\xAC";
        match self {
            Format::Jpeg => has(file, b"http://ns.adobe.com/xap/1.0/\0"),
            Format::Png => has(file, PNG_KEYWORD),
            Format::Gif => has(file, b"XMP DataXMP"),
            Format::Boxes => has(file, UUID) || has(file, b"application/rdf+xml"),
            Format::Pdf => names_in(file, b"/Metadata").next().is_some(),
            _ => false,
        }
    }

    /// Returns true if a file goes on up to where its metadata would have been, and names none on the way.
    fn is_whole(self, file: &[u8]) -> bool {
        match self {
            Format::Jpeg => is_whole_jpeg(file),
            Format::Png => is_whole_png(file),
            Format::Gif => end_of_gif(file).is_some(),
            Format::Tiff => end_of_tiff(file).is_some(),
            Format::Riff => end_of_riff(file).is_some(),
            Format::Boxes => is_whole_box_file(file),
            Format::Pdf => end_of_pdf(file).is_some(),
            Format::Svg => is_whole_svg(file),
            Format::Other => true,
        }
    }
}

/// Returns true if a file begins as a PDF, or as an image as cameras and programs write them.
pub fn begins_as_media(file: &[u8]) -> bool {
    [&b"%PDF-"[..], b"\xFF\xD8\xFF", b"\x89PNG"].iter().any(|first| file.starts_with(first))
}

fn has(file: &[u8], text: &[u8]) -> bool {
    memmem::find(file, text).is_some()
}

fn is_svg(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    text.starts_with(b"<")
        && has(&text, b"<svg")
        && !has(&text, b"<html")
        && !has(&text, b"<!doctype html")
}

pub(crate) const PNG_KEYWORD: &[u8] = b"XML:com.adobe.xmp\0";

/// Returns true if a PNG has a chunk with a packet that is compressed, or in hex digits, as ImageMagick writes it: of
/// `APP1` it does not say whether it is XMP.
fn has_packed_profile(file: &[u8]) -> bool {
    const PROFILE: &[u8] = b"Raw profile type ";
    let is_packed = |at: usize| {
        // After the keyword of iTXt stands whether its text is compressed.
        file[..at].ends_with(b"zTXt") || file.get(at + PNG_KEYWORD.len()) == Some(&1)
    };
    let may_be_xmp = |at: usize| {
        let kind = &file[at + PROFILE.len()..];
        let is = |known: &[u8]| {
            kind.get(..known.len()).is_some_and(|own| own.eq_ignore_ascii_case(known))
        };
        is(b"xmp") || is(b"app1")
    };
    memmem::find_iter(file, PNG_KEYWORD).any(is_packed)
        || memmem::find_iter(file, PROFILE).any(may_be_xmp)
}

/// Returns true if what stands from a `/XML` on is the dictionary of a metadata stream of PDF that does not begin
/// as a packet: it is compressed, or encrypted.
fn is_hidden_stream(file: &[u8]) -> bool {
    /// The most bytes of the rest of a dictionary.
    const DICTIONARY: usize = 1 << 10;
    let file = &file[..file.len().min(DICTIONARY)];
    if file.get("/XML".len()).is_some_and(u8::is_ascii_alphanumeric) {
        return false;
    }
    let end = memmem::find(file, b"endobj").unwrap_or(file.len());
    let Some(stream) = memmem::find(&file[..end], b"stream") else { return false };
    let text = &file[stream + "stream".len()..];
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    !PACKET_BEGINS.iter().any(|begin| text.trim_ascii_start().starts_with(begin))
}

/// What follows each name in a PDF.
fn names_in<'f>(file: &'f [u8], name: &'static [u8]) -> impl Iterator<Item = &'f [u8]> {
    let after = memmem::find_iter(file, name).map(|at| &file[at + name.len()..]);
    after.filter(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric))
}

/// Returns true if a PDF names an object as its metadata that it does not have: a part of it is missing.
fn lacks_metadata(file: &[u8]) -> bool {
    let mut named = BTreeSet::new();
    for rest in names_in(file, b"/Metadata") {
        named.extend(reference(rest));
        if named.len() > MOST_STREAMS {
            return true;
        }
    }
    let mut objects = memmem::find_iter(file, b"obj");
    while !named.is_empty() {
        let Some(at) = objects.next() else { return true };
        if let Some(object) = object_before(&file[..at]) {
            named.remove(&object);
        }
    }
    false
}

/// The number and the generation of the object that a text refers to: `2 0 R`.
fn reference(text: &[u8]) -> Option<(u32, u32)> {
    let (number, rest) = first_number(text)?;
    let (generation, rest) = first_number(rest)?;
    rest.trim_ascii_start().starts_with(b"R").then_some((number, generation))
}

fn first_number(text: &[u8]) -> Option<(u32, &[u8])> {
    let text = text.trim_ascii_start();
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

/// The number and the generation before `obj`.
fn object_before(text: &[u8]) -> Option<(u32, u32)> {
    let (rest, generation) = last_number(text)?;
    let (_, number) = last_number(rest)?;
    Some((number, generation))
}

fn last_number(text: &[u8]) -> Option<(&[u8], u32)> {
    let text = text.trim_ascii_end();
    let begin = text.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    let (rest, digits) = text.split_at(begin);
    Some((rest, str::from_utf8(digits).ok()?.parse().ok()?))
}

/// Returns true if a JPEG goes on up to the data of its image, before which its metadata stands.
fn is_whole_jpeg(file: &[u8]) -> bool {
    let mut rest = file.get(2..).unwrap_or_default();
    loop {
        let length = match rest {
            [0xff, 0xd9 | 0xda, ..] => return true,
            [0xff, 0xff, ..] => 1,
            [0xff, 0x01 | 0xd0..=0xd8, ..] => 2,
            [0xff, 0x02..=0xfe, high, low, ..] => {
                2 + usize::from(u16::from_be_bytes([*high, *low]))
            }
            _ => return false,
        };
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// Returns true if a PNG has its last chunk.
fn is_whole_png(file: &[u8]) -> bool {
    /// The length, the type and the checksum.
    const AROUND: usize = 12;
    let mut at = 8;
    loop {
        let Some(length) = number_at(file, at, 4, false) else { return false };
        if file.get(at + 4..at + 8) == Some(b"IEND") {
            return true;
        }
        let Some(next) = length.checked_add(AROUND).and_then(|bytes| at.checked_add(bytes)) else {
            return false;
        };
        at = next;
    }
}

/// `Some` if a GIF has its trailer.
fn end_of_gif(file: &[u8]) -> Option<()> {
    /// The header and the description of the screen.
    const BEGIN: usize = 13;
    let colours = |flags: u8| if flags & 0x80 == 0 { 0 } else { 6 << (flags & 7) };
    let mut at = BEGIN + colours(*file.get(10)?);
    loop {
        let mut blocks = match file.get(at)? {
            0x3b => return Some(()),
            // An extension, and an image.
            0x21 => at + 2,
            0x2c => at + 11 + colours(*file.get(at + 9)?),
            _ => return None,
        };
        loop {
            let length = usize::from(*file.get(blocks)?);
            blocks += 1 + length;
            if length == 0 {
                break;
            }
        }
        at = blocks;
    }
}

/// `Some` if all directories of a TIFF are there, and none of them has XMP.
fn end_of_tiff(file: &[u8]) -> Option<()> {
    const XMP: usize = 700;
    const ENTRY: usize = 12;
    let is_little = file.starts_with(b"II");
    let mut at = number_at(file, 4, 4, is_little)?;
    let mut left = MOST_ENTRIES;
    while at != 0 {
        let count = number_at(file, at, 2, is_little)?;
        left = left.checked_sub(count + 1)?;
        for entry in 0..count {
            if number_at(file, at + 2 + entry * ENTRY, 2, is_little)? == XMP {
                return None;
            }
        }
        at = number_at(file, at + 2 + count * ENTRY, 4, is_little)?;
    }
    Some(())
}

/// `Some` if all chunks of a RIFF file are there, and none has XMP, nor says so.
fn end_of_riff(file: &[u8]) -> Option<()> {
    /// Of the flags of WebP.
    const HAS_XMP: u8 = 4;
    let end = number_at(file, 4, 4, true)?.checked_add(8)?;
    let mut at = 12;
    file.get(at..end)?;
    while at + 8 <= end {
        let is_named = match &file[at..at + 4] {
            b"XMP " | b"_PMX" => true,
            b"VP8X" => file.get(at + 8)? & HAS_XMP != 0,
            _ => false,
        };
        if is_named {
            return None;
        }
        let length = number_at(file, at + 4, 4, true)?;
        at = length.checked_add(8 + length % 2).and_then(|bytes| at.checked_add(bytes))?;
    }
    Some(())
}

/// Returns true if all boxes of a file are there, and among them the one that describes the others.
fn is_whole_box_file(file: &[u8]) -> bool {
    let (mut rest, mut is_described) = (file, false);
    while !rest.is_empty() {
        let (Some(length), Some(kind)) = (number_at(rest, 0, 4, false), rest.get(4..8)) else {
            return false;
        };
        is_described |= matches!(kind, b"moov" | b"meta" | b"jp2c");
        let length = match length {
            // Up to the end of the file.
            0 => rest.len(),
            1 => number_at(rest, 8, 8, false).unwrap_or_default(),
            length => length,
        };
        match rest.get(length..).filter(|_| length >= 8) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    is_described
}

/// `Some` if a PDF ends as one: with the place of its last table of objects, and the mark of the end. The first part of
/// one that is made for the web ends with no place.
fn end_of_pdf(file: &[u8]) -> Option<()> {
    /// Readers look for the mark in the last bytes, since others add some behind it.
    const LOOKED_AT: usize = 1024;
    const MARK: &[u8] = b"%%EOF";
    let padding = file.iter().rev().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0);
    let file = &file[..file.len() - padding.count()];
    let begin = file.len().saturating_sub(LOOKED_AT);
    let mark = begin + memchr::memmem::rfind(&file[begin..], MARK)?;
    // What follows is no object of a part that goes on.
    if memchr::memmem::find(&file[mark..], b" obj").is_some() {
        return None;
    }
    let (rest, place) = last_number(&file[..mark])?;
    let has_place = place > 0 && (place as usize) < file.len();
    (has_place && rest.trim_ascii_end().ends_with(b"startxref")).then_some(())
}

/// Returns true if an SVG has elements, and all of them end.
fn is_whole_svg(file: &[u8]) -> bool {
    let text = String::from_utf8_lossy(file);
    let mut xml = Reader::from_str(&text);
    let (mut open, mut has_root) = (0_usize, false);
    loop {
        match xml.read_event() {
            Ok(Event::Start(_)) => open += 1,
            // The reader refuses one that nothing begins.
            Ok(Event::End(_)) => (open, has_root) = (open.saturating_sub(1), true),
            Ok(Event::Empty(_)) => has_root = true,
            Ok(Event::Eof) => return has_root && open == 0,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}

/// The number of so many bytes at a place.
fn number_at(file: &[u8], at: usize, bytes: usize, is_little: bool) -> Option<usize> {
    let bytes = file.get(at..at.checked_add(bytes)?)?;
    let add = |all: u64, byte: &u8| all << 8 | u64::from(*byte);
    let number = match is_little {
        true => bytes.iter().rev().fold(0, add),
        false => bytes.iter().fold(0, add),
    };
    usize::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if a file without a packet shows one, or is cut.
    fn hides(file: &[u8]) -> bool {
        Format::of(file).unwrap().hides_packets(file, &[])
    }

    /// Checks that a whole file hides nothing, and each of its beginnings does that ends before `from`.
    fn check(file: &[u8], from: usize) {
        assert!(!hides(file), "{}", file.escape_ascii());
        for end in 8..from {
            assert!(hides(&file[..end]), "{end}: {}", file[..end].escape_ascii());
        }
    }

    fn chunk(kind: &[u8], text: &[u8]) -> Vec<u8> {
        let length = u32::try_from(text.len()).unwrap().to_be_bytes();
        [&length, kind, text, b"CRC."].concat()
    }

    fn png(chunks: &[Vec<u8>]) -> Vec<u8> {
        let end = chunk(b"IEND", b"");
        [b"\x89PNG\r\n\x1a\n", &chunks.concat()[..], &end].concat()
    }

    #[test]
    fn pngs() {
        let file = png(&[chunk(b"IHDR", &[0; 13]), chunk(b"tEXt", b"Comment\0x")]);
        check(&file, file.len() - 4);
        for (kind, text, wanted) in [
            (b"zTXt", "Raw profile type APP1\0\0x", true),
            (b"tEXt", "Raw profile type app1\0\n", true),
            (b"zTXt", "Raw profile type xmp\0\0x", true),
            (b"zTXt", "Raw profile type exif\0\0x", false),
            (b"tEXt", "XML:com.adobe.xmp\0", true),
        ] {
            assert_eq!(hides(&png(&[chunk(kind, text.as_bytes())])), wanted, "{text}");
        }
        let packed = png(&[chunk(b"zTXt", b"XML:com.adobe.xmp\0\0x")]);
        assert!(Format::Png.hides_packets(&packed, &[b"x"]));
    }

    #[test]
    fn jpegs() {
        let file = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xd0\xff\xdb\0\x03a\xff\xda\0\x02data";
        check(file, file.len() - 7);
        check(b"\xff\xd8\xff\xe0\0\x04ab\xff\xd9", 9);
        assert!(hides(b"\xff\xd8\xff\xe0\0\x02x\xff\xd9"));
        assert!(hides(b"\xff\xd8\xff\xe0\xff"));
    }

    #[test]
    fn gifs() {
        let palette = [&b"GIF89a\x01\0\x01\0\x80\0\0"[..], &[7; 6]].concat();
        let image = b"\x2c\0\0\0\0\x01\0\x01\0\x80abcdef\x02\x02xy\0";
        let extension = b"\x21\xf9\x04abcd\0\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0";
        let file = [&palette[..], extension, image, b";"].concat();
        check(&file, file.len());
        check(b"GIF89a\x01\0\x01\0\0\0\0;", 14);
        assert!(hides(b"GIF89a"));
        let named = [&palette[..], b"\x21\xff\x0bXMP DataXMP\0;"].concat();
        assert!(hides(&named));
    }

    #[test]
    fn tiffs() {
        let entry = |tag: u16| [&tag.to_be_bytes()[..], &[0; 10]].concat();
        let of =
            |tag: u16| [b"MM\0*\0\0\0\x08\0\x02", &entry(1)[..], &entry(tag), &[0; 4]].concat();
        let file = of(2);
        check(&file, file.len());
        assert!(hides(&of(700)));
        let little = b"II*\0\x0a\0\0\0xx\x01\0\x01\0abcdefghij\0\0\0\0";
        check(little, little.len());
        // A directory that is followed by itself.
        assert!(hides(b"II*\0\x08\0\0\0\0\0\x08\0\0\0"));
    }

    #[test]
    fn webps() {
        let of = |kind: &[u8], text: &[u8]| {
            let length = |text: &[u8]| u32::try_from(text.len()).unwrap().to_le_bytes();
            let chunk = [kind, &length(text), text].concat();
            let all = [b"WEBP", &chunk[..]].concat();
            [b"RIFF", &length(&all)[..], &all].concat()
        };
        let file = of(b"VP8X", &[0x10, 0, 0, 0]);
        check(&file, file.len());
        assert!(hides(&of(b"VP8X", &[0x14, 0, 0, 0])));
        assert!(hides(&of(b"XMP ", b"<rdf:RDF/>")));
        assert!(hides(&of(b"VP8X", b"")));
        assert!(!hides(&of(b"VP8 ", b"x")));
    }

    #[test]
    fn boxes() {
        let file = b"\0\0\0\x0cftypheic\0\0\0\x01mdat\0\0\0\0\0\0\0\x12xy\0\0\0\x0cmeta    ";
        check(file, file.len());
        check(b"\0\0\0\x0cftypmp42\0\0\0\0moov", 20);
        check(b"\0\0\0\x0cjP  abcd\0\0\0\0jp2c", 20);
        assert!(hides(b"1234ftypheic"));
        assert!(hides(b"\0\0\0\x0cftypmp42\0\0\0\x01moov"));
        assert!(hides(b"\0\0\0\x07moov"));
        assert!(hides(b"\0\0\0\x08ftyp\0\0\0\x1bmetaapplication/rdf+xml"));
    }

    #[test]
    fn pdfs() {
        const END: &str = "\nstartxref\n9\n%%EOF\r\n";
        let whole = format!("%PDF-1.7 1 0 obj endobj{END}");
        check(whole.as_bytes(), whole.len() - 2);
        for (text, wanted) in [
            ("/Type/Catalog", false),
            ("/MetadataDate 2 0 R /EncryptMetadata true", false),
            ("/Metadata 2 0 R", true),
            ("/Metadata", true),
        ] {
            assert_eq!(hides(format!("%PDF-1.7 {text}{END}").as_bytes()), wanted, "{text}");
        }
        // The first part of one for the web, what was changed later and is cut, and no end at all.
        for file in [
            "startxref\n0\n%%EOF",
            "startxref\n9\n%%EOF\n2 0 obj",
            "9 %%EOF",
            "startxref 999 %%EOF",
        ] {
            let file = format!("%PDF-1.7 {file}");
            assert!(hides(file.as_bytes()), "{file}");
            assert!(Format::Pdf.hides_packets(file.as_bytes(), &[b"x"]), "{file}");
        }
        // Beside a packet that was found.
        for (text, wanted) in [
            ("/Metadata 2 0 R>>", true),
            ("/Metadata 2 0 R>> endobj 12 0 obj 2 1 obj x0 obj 2 0 endobj", true),
            ("/Metadata\n2 0  R>> endobj 1 0 obj\n2 0\nobj", false),
            ("2 0 obj /Metadata 2 0 R /Metadata 3 0 R", true),
            ("/Metadata /Subtype /Metadata x", false),
        ] {
            let file = format!("%PDF-1.7 {text}{END}");
            assert_eq!(Format::Pdf.hides_packets(file.as_bytes(), &[b"x"]), wanted, "{text}");
        }
        let many: String =
            (0..=MOST_STREAMS).map(|n| format!("/Metadata {n} 0 R {n} 0 obj")).collect();
        assert!(Format::Pdf.hides_packets(format!("%PDF-1.7 {many}{END}").as_bytes(), &[b"x"]));
    }

    #[test]
    fn svgs() {
        let file = b"<svg xmlns='x'><g><path d='>'/></g><!-- </svg> --><s:a>\xff</s:a></svg>";
        check(file, file.len());
        assert!(Format::Svg.hides_packets(b"<svg><g></g>", &[b"x"]));
        assert!(!hides(b"<svg/>\n"));
        assert!(hides(b"<svg></g></svg>") && hides(b"<!-- <svg> -->"));
    }

    #[test]
    fn formats() {
        for (file, wanted) in [
            (&b"\xff\xd8\xff"[..], Some(Format::Jpeg)),
            (b"BM", Some(Format::Other)),
            (b"BM%PDF-1.7", Some(Format::Pdf)),
            (b"\n<?xpacket begin", Some(Format::Other)),
            (b"<svg/>", Some(Format::Svg)),
            (b"<html><svg/>", None),
            (b"PK\x03\x04", None),
        ] {
            assert_eq!(Format::of(file), wanted, "{}", file.escape_ascii());
        }
    }
}

//! XMP packets in images, videos and PDF files: what they say of data mining.
//!
//! A packet is XML between two processing instructions (ISO 16684-1 §7.3), so it is found in the bytes of any
//! format that neither compresses nor encrypts it, as JPEG, PNG and most PDF files do. Read are
//! `plus:DataMining` (IPTC Photo Metadata 2023.1, PLUS) and TDMRep's `tdm:reservation` and `tdm:policy`.
//!
//! Several packets add up: a PDF has those of its images beside its own, and the old ones once it was changed. So
//! each may restrict, and none permits. What shows that there is more which was not read (a packet without an end,
//! in UTF-16, compressed, encrypted, cut into parts), and a file of no format that is known, which may compress
//! them, is noted, and keeps the uses from being allowed.

use memchr::memmem;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{QName, ResolveResult};
use quick_xml::{NsReader, XmlVersion};

use crate::media::PACKET_BEGINS;
use crate::note::{Note, Notes};
use crate::place::{Place, XmpProperty};
use crate::statement::Statement;
use crate::tables::{Format, PLUS_MINING, XMP_NAMESPACES};
use crate::tdm::TdmRep;
use crate::version::Version;

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/// The most packets of a file, the most bytes of one, and the deepest elements.
const MOST_PACKETS: usize = 64;
const MOST_PACKET_BYTES: usize = 1 << 20;
const DEEPEST: usize = 64;
/// The most namespaces that are declared at a place. Each element is compared with them.
const MOST_NAMESPACES: usize = 64;

/// The most values that are kept, and the bytes of one. No value that is known is longer.
const MOST_VALUES: usize = 256;
const MOST_VALUE_BYTES: usize = 2 << 10;

/// What the XMP packets of a file say of mining it. Made by [`Response::with_xmp`](crate::Response::with_xmp).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Xmp {
    /// `tdm:reservation` and `tdm:policy`, which come before those of the page, the header and the site.
    pub tdm: TdmRep,
    /// What `plus:DataMining` says.
    pub mining: Vec<Statement>,
    notes: Notes,
    values: Vec<(Place, Box<str>)>,
}

impl Xmp {
    /// Reads the packets of a file. `O(n)` for any bytes.
    pub(crate) fn read(file: &[u8]) -> Xmp {
        let mut xmp = Xmp::default();
        let (packets, has_more) = packets(file);
        let read: Vec<_> = packets.iter().map(|packet| values(packet)).collect();
        let hides_packets = |format: Format| format.hides_packets(file, &packets);
        let has_unread = has_more
            || Format::of(file).is_none_or(hides_packets)
            || read.iter().any(Result::is_err);
        let may_permit = read.len() == 1 && !has_unread;
        for (values, number) in read.into_iter().zip(1..) {
            for (property, value) in values.unwrap_or_else(|found| found) {
                xmp.add(property, value.trim_ascii(), number, may_permit);
            }
        }
        xmp.notes.add_if(has_unread, Note::XmpNotRead);
        xmp.notes.add_if(!has_unread && xmp.values.is_empty(), Note::XmpSilent);
        xmp.notes.add_if(memmem::find(file, MINING_ASSERTION).is_some(), Note::C2paNotRead);
        xmp
    }

    /// Adds what a property of a packet says.
    fn add(&mut self, property: XmpProperty, value: &str, packet: u32, may_permit: bool) {
        let place = Place::Xmp { property, packet };
        if self.values.len() < MOST_VALUES {
            self.values.push((place.clone(), value.into()));
        }
        match property {
            XmpProperty::TdmReservation if value == "0" && !may_permit => {}
            XmpProperty::TdmReservation => self.tdm.add_reservation(value.as_bytes(), place),
            XmpProperty::TdmPolicy => self.tdm.add_policy(value.as_bytes(), place),
            XmpProperty::DataMining => {
                // A bag has several.
                let mut values = value.split_ascii_whitespace().peekable();
                self.notes.add_if(values.peek().is_none(), Note::XmpNotRead);
                values.for_each(|value| self.add_mining(value, &place, may_permit));
            }
        }
    }

    /// Adds a value of `plus:DataMining`. One that is not known may prohibit.
    fn add_mining(&mut self, value: &str, place: &Place, may_permit: bool) {
        let name = value.rsplit('/').next().unwrap_or_default();
        let known = PLUS_MINING.iter().find(|(known, ..)| *known == name);
        let Some((_, allows, disallows)) = known else {
            self.notes.add(Note::UnknownValue);
            self.notes.add(Note::XmpNotRead);
            return;
        };
        let statement = Statement::new(place.clone(), Version::Iptc).disallowing(*disallows);
        let statement = if may_permit { statement.allowing(*allows) } else { statement };
        if self.mining.len() == MOST_VALUES {
            self.notes.add(Note::XmpNotRead);
        } else if !statement.is_empty() {
            self.mining.push(statement);
        }
    }

    /// What is odd about it.
    pub fn notes(&self) -> Notes {
        self.notes
    }

    /// The property of a place with its value.
    pub(crate) fn quote(&self, place: &Place) -> Option<String> {
        let Place::Xmp { property, .. } = place else { return None };
        let own = self.values.iter().filter(|(of, _)| of == place).map(|(_, value)| &**value);
        let values = own.collect::<Vec<_>>().join(", ");
        (!values.is_empty()).then(|| format!("{}: {values}", property.as_str()))
    }
}

/// What the labels of assertions about mining have: `c2pa.training-mining`, `cawg.training-mining`.
const MINING_ASSERTION: &[u8] = b".training-mining";

/// The packets of a file, and whether there are others that cannot be read.
fn packets(file: &[u8]) -> (Vec<&[u8]>, bool) {
    const ENDS: [&[u8]; 2] = [b"<?xpacket end", b"</x:xmpmeta>"];
    let [wrapped, bare] = PACKET_BEGINS.map(memmem::Finder::new);
    let (mut packets, mut at) = (Vec::new(), 0);
    // Where each begins next: what is not there is not looked for again.
    let mut next = [wrapped.find(file), bare.find(file)];
    loop {
        let Some(kind) = (0..2).filter(|kind| next[*kind].is_some()).min_by_key(|kind| next[*kind])
        else {
            return (packets, false);
        };
        let begin = next[kind].unwrap_or(at);
        let rest = &file[begin..file.len().min(begin + MOST_PACKET_BYTES)];
        // The end tag is a part of it, the instruction is not.
        let last = if kind == 0 { 0 } else { ENDS[kind].len() };
        let end = memmem::find(rest, ENDS[kind]).map(|end| end + last);
        let Some(end) = end.filter(|_| packets.len() < MOST_PACKETS) else {
            return (packets, true);
        };
        packets.push(&rest[..end]);
        at = begin + end;
        for (finder, next) in [&wrapped, &bare].into_iter().zip(&mut next) {
            if next.is_some_and(|next| next < at) {
                *next = finder.find(&file[at..]).map(|found| at + found);
            }
        }
    }
}

type Values = Vec<(XmpProperty, String)>;

/// The values of the properties of a packet. `Err` with those found so far if it cannot be read to its end.
fn values(packet: &[u8]) -> Result<Values, Values> {
    let mut found = Found::default();
    let Ok(text) = str::from_utf8(packet) else { return Err(found.values) };
    // The text that a packet is padded with stands outside of its root, where white space is all there is.
    let mut xml = NsReader::from_str(text);
    xml.config_mut().expand_empty_elements = true;
    xml.resolver_mut().set_max_namespace_bindings(MOST_NAMESPACES);
    loop {
        let is_read = match xml.read_event() {
            Ok(Event::Eof) if found.open.is_empty() => return Ok(found.values),
            Ok(Event::Start(start)) => found.start(&xml, &start),
            Ok(Event::End(_)) => found.end(),
            Ok(Event::Text(text)) => found.text(&text.xml10_content()),
            Ok(Event::CData(text)) => found.text(&text),
            Ok(Event::GeneralRef(reference)) => match reference.resolve_char_ref() {
                Ok(Some(character)) => found.text(character.encode_utf8(&mut [0; 4])),
                Ok(None) => resolve_xml_entity(&reference).and_then(|text| found.text(text)),
                Err(_) => None,
            },
            Ok(Event::Decl(_) | Event::Comment(_) | Event::PI(_) | Event::Empty(_)) => Some(()),
            Ok(Event::Eof | Event::DocType(_)) | Err(_) => None,
        };
        if is_read.is_none() {
            return Err(found.values);
        }
    }
}

/// What an open element is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// `rdf:RDF`.
    Rdf,
    /// `rdf:Description` right in it: properties of the file itself.
    Description,
    /// A property that is read, and what is in it.
    Property,
    /// Anything else.
    Other,
}

#[derive(Default)]
struct Found {
    open: Vec<Open>,
    values: Values,
}

impl Found {
    fn start(&mut self, xml: &NsReader<&[u8]>, start: &BytesStart<'_>) -> Option<()> {
        if self.open.len() == DEEPEST {
            return None;
        }
        let (namespace, name) = xml.resolver().resolve_element(start.name());
        let namespace = bound(&namespace)?;
        let at = self.open.last().copied();
        let property = property(namespace, name.as_ref());
        let here = match (at, property) {
            (Some(Open::Description), Some(property)) => {
                self.values.push((property, String::new()));
                Open::Property
            }
            (Some(Open::Property), _) => Open::Property,
            (Some(Open::Rdf), _) if namespace == RDF && name.as_ref() == "Description" => {
                Open::Description
            }
            _ if namespace == RDF && name.as_ref() == "RDF" => Open::Rdf,
            _ => Open::Other,
        };
        self.open.push(here);
        for attribute in start.attributes().with_checks(false) {
            let attribute = attribute.ok()?;
            if attribute.key.as_namespace_binding().is_some() {
                // A namespace that an entity stands for, or a part of it, is not known.
                (!attribute.value.contains('&')).then_some(())?;
                continue;
            }
            let (namespace, name) = attribute_name(xml, attribute.key)?;
            let of = self::property(namespace, name).filter(|_| here == Open::Description);
            let is_value =
                here == Open::Property && namespace == RDF && matches!(name, "resource" | "value");
            if of.is_none() && !is_value {
                continue;
            }
            let value = attribute.normalized_value(XmlVersion::Explicit1_0).ok()?;
            match of {
                Some(property) => self.values.push((property, value.into())),
                None => self.text(&value)?,
            }
        }
        Some(())
    }

    fn end(&mut self) -> Option<()> {
        // Values of a bag are words of their own.
        self.text(" ")?;
        self.open.pop().map(|_| ())
    }

    /// Takes text, which counts in a property only. `None` if the value is too long to be kept.
    fn text(&mut self, text: &str) -> Option<()> {
        if self.open.last() == Some(&Open::Property) {
            let (_, value) = self.values.last_mut()?;
            if value.len() + text.len() > MOST_VALUE_BYTES {
                return None;
            }
            value.push_str(text);
        }
        Some(())
    }
}

/// The namespace of a name; empty if it has none. `None` if its prefix is not declared.
fn bound<'n>(namespace: &ResolveResult<'n>) -> Option<&'n str> {
    match namespace {
        ResolveResult::Bound(namespace) => Some(namespace.0),
        ResolveResult::Unbound => Some(""),
        ResolveResult::Unknown(_) => None,
    }
}

fn attribute_name<'n>(xml: &'n NsReader<&[u8]>, key: QName<'n>) -> Option<(&'n str, &'n str)> {
    let (namespace, name) = xml.resolver().resolve_attribute(key);
    Some((bound(&namespace)?, name.into_inner()))
}

/// The property of a name.
fn property(namespace: &str, name: &str) -> Option<XmpProperty> {
    let known = XMP_NAMESPACES.iter().find(|(of, _)| *of == namespace);
    let (_, properties) = known?;
    properties.iter().copied().find(|property| property.local_name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::Documents;
    use crate::media::PNG_KEYWORD;
    use crate::purpose::{Purpose, Ruling};
    use crate::reader::RightsReader;
    use crate::response::Response;

    const DMI: &str = "http://ns.useplus.org/ldf/vocab/DMI-";
    const BEGIN: &str = "<?xpacket begin='\u{feff}' id='W5M0MpCehiHzreSzNTczkc9d'?>";
    const END: &str = "\n  <?xpacket end='w'?>";

    fn of(attributes: &str, elements: &str) -> String {
        format!(
            "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='{RDF}'
                xmlns:plus='http://ns.useplus.org/ldf/xmp/1.0/' xmlns:t='http://www.w3.org/ns/tdmrep/'>
            <rdf:Description rdf:about='' {attributes}>{elements}</rdf:Description></rdf:RDF></x:xmpmeta>"
        )
    }

    fn packet(attributes: &str, elements: &str) -> String {
        format!("{BEGIN}{}{END}", of(attributes, elements))
    }

    /// The rulings on index, input and training, the places that decided on training, and the notes.
    fn shown_beside(file: &[u8], headers: &[(&str, &str)]) -> String {
        let response = Response::new().with_headers(headers.iter().copied()).with_xmp(file);
        let reader = RightsReader::new(&"a".into());
        let rights = reader.rights("/a", None, &response, &Documents::new()).unwrap();
        let sign = |purpose| match rights.ruling(purpose) {
            Ruling::Allow => '+',
            Ruling::Disallow => '-',
            Ruling::Unknown => '?',
        };
        let mut text: String =
            [Purpose::Index, Purpose::AiInput, Purpose::AiTrain].map(sign).iter().collect();
        rights.by(Purpose::AiTrain).for_each(|by| text += &format!(" {}", by.place));
        rights.notes().iter().for_each(|note| text += &format!(" {note}"));
        text
    }

    fn shown(file: impl AsRef<[u8]>) -> String {
        shown_beside(file.as_ref(), &[])
    }

    #[test]
    fn values_of_data_mining() {
        for (value, wanted) in [
            ("ALLOWED", "??+ xmp:plus:DataMining:1"),
            ("UNSPECIFIED", "???"),
            ("PROHIBITED", "--- xmp:plus:DataMining:1"),
            ("PROHIBITED-AIMLTRAINING", "??- xmp:plus:DataMining:1"),
            ("PROHIBITED-GENAIMLTRAINING", "??- xmp:plus:DataMining:1"),
            ("PROHIBITED-EXCEPTSEARCHENGINEINDEXING", "?-- xmp:plus:DataMining:1"),
            ("PROHIBITED-SEECONSTRAINT", "--- xmp:plus:DataMining:1"),
            ("PERHAPS", "??? unknown-value xmp-not-read"),
            ("PROHIBITED-NEWTERM", "??? unknown-value xmp-not-read"),
            ("PROHIBITED-SEECONSTRAINTS", "??? unknown-value xmp-not-read"),
            ("prohibited", "??? unknown-value xmp-not-read"),
        ] {
            let name = "plus:DataMining";
            for packet in [
                packet(&format!("{name}='{DMI}{value}'"), ""),
                packet("", &format!("<{name}> {DMI}{value}\n</{name}>")),
                packet("", &format!("<{name} rdf:resource='{DMI}{value}'/>")),
                packet(
                    "",
                    &format!("<{name}><rdf:Bag><rdf:li>{DMI}{value}</rdf:li></rdf:Bag></{name}>"),
                ),
                of(&format!("{name}='{DMI}{value}'"), "")
                    .replace("plus:", "p:")
                    .replace(":plus=", ":p="),
            ] {
                let file = format!("GIF89a\0{packet}\0\u{2}");
                assert_eq!(shown(&file), wanted, "{packet}");
            }
        }
        for value in ["PROHIBITED", "#DMI-ALLOWED", "DMI-ALLOWED PROHIBITED"] {
            let file = packet(&format!("plus:DataMining='{value}'"), "");
            let header = [("tdm-reservation", "0")];
            let found = shown_beside(file.as_bytes(), &header);
            assert_eq!(found, "??? unknown-value xmp-not-read", "{value}");
        }
        for empty in ["<plus:DataMining/>", "<plus:DataMining><rdf:x/> </plus:DataMining>"] {
            assert_eq!(shown(packet("", empty)), "??? xmp-not-read", "{empty}");
        }
        // Of something that the file is made of, or of another namespace.
        let other = format!("<rdf:x><rdf:Description plus:DataMining='{DMI}PROHIBITED'/></rdf:x>");
        assert_eq!(shown(packet("", &other)), "??? xmp-silent");
        let other = packet(&format!("rdf:DataMining='{DMI}PROHIBITED'"), "");
        assert_eq!(shown(other), "??? xmp-silent");
        let two =
            format!("<plus:DataMining>{DMI}ALLOWED {DMI}PROHIBITED-AIMLTRAINING</plus:DataMining>");
        assert_eq!(shown(packet("", &two)), "??- xmp:plus:DataMining:1");
    }

    #[test]
    fn reservations() {
        for namespace in ["/", "#", ""] {
            let with =
                |text: &str| packet("", text).replace("tdmrep/", &format!("tdmrep{namespace}"));
            let reserved =
                with("<t:reservation>1</t:reservation><t:policy>https://e.com/p</t:policy>");
            assert_eq!(shown(&reserved), "?-- xmp:tdm:reservation:1");
            let free = with("<t:reservation>0</t:reservation>");
            assert_eq!(shown(&free), "??+ xmp:tdm:reservation:1");
            // It comes before the header, if it is sure that it is the only one.
            let header = [("tdm-reservation", "1")];
            assert_eq!(shown_beside(free.as_bytes(), &header), "??+ xmp:tdm:reservation:1");
            let twice = format!("{free}{free}");
            assert_eq!(shown_beside(twice.as_bytes(), &header), "?-- header:tdm-reservation");
            assert_eq!(shown(&twice), "???");
            assert_eq!(shown(format!("{free}{reserved}")), "?-- xmp:tdm:reservation:2");
        }
        assert_eq!(shown(packet("t:reservation='2'", "")), "??? tdm-value");
    }

    /// What could have said no and was not read permits nothing, and what was read still forbids.
    #[test]
    fn what_is_not_read() {
        let allowed = packet(&format!("plus:DataMining='{DMI}ALLOWED'"), "");
        let forbidden = packet(&format!("plus:DataMining='{DMI}PROHIBITED-AIMLTRAINING'"), "");
        let utf_16: Vec<u8> = allowed.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let long = format!("{BEGIN}{}", " ".repeat(MOST_PACKET_BYTES));
        let deep = packet("", &"<rdf:li>".repeat(DEEPEST));
        let pdf = |dictionary: &str, text: &str| {
            format!(
                "%PDF-1.7\n9 0 obj\n<< {dictionary} >>\nstream\r\n{text}\nendstream\nendobj\nstartxref\n9\n%%EOF\n"
            )
        };
        for file in [
            allowed.replace(END, "").into_bytes(),
            allowed.replace("</rdf:RDF>", "").into_bytes(),
            allowed.replace("<rdf:RDF", "<!DOCTYPE x><rdf:RDF").into_bytes(),
            utf_16,
            long.into_bytes(),
            deep.into_bytes(),
            allowed.repeat(MOST_PACKETS + 1).into_bytes(),
            [b"\xff\xd8\xff", packet("rdf:x=':HasExtendedXMP='", "").as_bytes()].concat(),
            [b"\x89PNG", PNG_KEYWORD, &[1, 0]].concat(),
            pdf("/Type/Metadata/Subtype/XML", "<rdf:RDF>").into_bytes(),
            b"\x89PNG zTXtRaw profile type xmp\0".to_vec(),
            pdf("/Type/Metadata/Subtype/XML/Filter/FlateDecode", "\u{1}\u{2}").into_bytes(),
        ] {
            let only = String::from_utf8_lossy(&file[..file.len().min(80)]);
            assert_eq!(shown(&file), "??? xmp-not-read", "{only}");
            let more = [&file, forbidden.as_bytes()].concat();
            if memmem::find(&file, BEGIN.as_bytes()).is_none() {
                assert_eq!(shown(more), "??- xmp:plus:DataMining:1 xmp-not-read", "{only}");
            }
        }
        // Its place is there, and nothing that begins as one.
        let jpeg = b"\xff\xd8\xff\xe1 http://ns.adobe.com/xap/1.0/\0<rdf:RDF>".to_vec();
        for file in [jpeg, [b"\x89PNG", PNG_KEYWORD, &[0, 0, 0, 0]].concat()] {
            assert_eq!(shown(file), "??? xmp-not-read");
        }
        // More than is kept may end with a no.
        let allowed_before = |between: &str, count: usize| {
            let one = format!("<plus:DataMining>{DMI}ALLOWED{between}</plus:DataMining>");
            packet(
                "",
                &(one.repeat(count)
                    + &format!("<plus:DataMining>{DMI}PROHIBITED</plus:DataMining>")),
            )
        };
        assert_eq!(shown(allowed_before(&" ".repeat(MOST_VALUE_BYTES), 1)), "??? xmp-not-read");
        let many = shown(allowed_before("", MOST_VALUES));
        assert!(many.starts_with("???") && many.ends_with(" xmp-not-read"), "{many}");
        // What is there and was read.
        assert_eq!(
            shown(pdf("/Subtype /XML /Type /Metadata", &allowed)),
            "??+ xmp:plus:DataMining:1"
        );
        assert_eq!(shown(pdf("/Type/XMLish", "\u{1}")), "??? xmp-silent");
        let png = [b"\x89PNG", PNG_KEYWORD, &[0, 0, 0, 0], allowed.as_bytes()].concat();
        assert_eq!(shown(png), "??+ xmp:plus:DataMining:1");
        let assertion = format!("GIF89a jumbcawg.training-mining\0{allowed}");
        assert_eq!(shown(assertion), "??? c2pa-not-read");
        // Where there is none, and where it is not known whether there is.
        for file in ["GIF89a\0\0\0\0\0\0\0;", "\u{feff}\n<?xml version='1.0'?>\n<SVG/>", "BM"] {
            assert_eq!(shown(file), "??? xmp-silent", "{file}");
        }
        let (cut_pdf, cut_svg) = (format!("%PDF-1.7 {allowed}"), format!("<svg>{allowed}<g>"));
        for file in ["GIF89a", "1234ftypheic", "%PDF-1.7 1 0 obj", "<svg><g/>", &cut_pdf, &cut_svg]
        {
            assert_eq!(shown(file), "??? xmp-not-read", "{file}");
        }
        let page = format!("<!doctype html><svg/><pre>{allowed}</pre>");
        let folder = format!("PK\u{3}\u{4}{allowed}");
        for file in ["", "text", "<p>", "PK\u{3}\u{4}", &page, &folder] {
            assert_eq!(shown(file), "??? xmp-not-read", "{file}");
        }
    }

    /// What SVG may say of mining in XML that is no packet, or with namespaces that an entity stands for.
    #[test]
    fn drawings() {
        let plus = "http://ns.useplus.org/ldf/xmp/1.0/";
        let forbids = format!("plus:DataMining='{DMI}PROHIBITED'");
        let forbidden = packet(&forbids, "");
        let metadata = of(&forbids, "").replace("x:xmpmeta", "metadata");
        let entity = format!("<!DOCTYPE svg [<!ENTITY ns_p \"{plus}\">]>");
        for (file, wanted) in [
            (format!("<svg>{forbidden}</svg>"), "--- xmp:plus:DataMining:1"),
            (format!("<svg>{metadata}</svg>"), "??? xmp-not-read"),
            (
                format!("{entity}<svg>{}</svg>", metadata.replace(plus, "&ns_p;")),
                "??? xmp-not-read",
            ),
            (
                format!("{entity}<svg>{}</svg>", forbidden.replace(plus, "&ns_p;")),
                "??? xmp-not-read",
            ),
            (
                format!(
                    "<svg>{}</svg>",
                    forbidden.replace(plus, "http://ns.useplus.org/ldf/xmp/1.&#48;/")
                ),
                "??? xmp-not-read",
            ),
            ("<!DOCTYPE svg [<!ENTITY x 'y'>]><svg xmlns:y='&x;'/>".into(), "??? xmp-silent"),
        ] {
            assert_eq!(shown(&file), wanted, "{file}");
        }
    }

    #[test]
    fn words() {
        let file = packet(
            &format!("plus:DataMining='{DMI}PROHIBITED'"),
            "<t:reservation>1</t:reservation>",
        );
        let response = Response::new().with_xmp(file.as_bytes());
        let quote = |property| response.quote(&Place::Xmp { property, packet: 1 });
        let mining = format!("plus:DataMining: {DMI}PROHIBITED");
        assert_eq!(quote(XmpProperty::DataMining), Some(mining));
        assert_eq!(quote(XmpProperty::TdmReservation).as_deref(), Some("tdm:reservation: 1"));
        assert_eq!(quote(XmpProperty::TdmPolicy), None);
    }
}

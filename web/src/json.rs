//! Writes documents as JSON.
//!
//! By hand, because serde_json would make the module a fifth larger, and because JavaScript counts
//! in UTF-16 code units where documents have bytes.

use std::fmt::{self, Display, Write as _};

use serde::Serialize;
use serde::ser::{self, Impossible, Serializer};

use crate::positions::{Text, Texts};

/// The most JSON. Engines have strings of up to 512 MiB, and the objects made of it take several
/// times as much.
pub const MOST_BYTES: usize = 128 << 20;

/// JSON that is being written.
#[derive(Default)]
pub struct Json<'t> {
    text: String,
    /// The texts that spans are about, if those are counted in UTF-16 code units.
    texts: Option<Texts<'t>>,
    /// The span that is being written: what it is about, and its beginning once that is known.
    span: Option<(Text<'t>, Option<u64>)>,
}

/// The JSON of a value; empty if it would be too long, which JavaScript takes for an error. With
/// texts, spans are counted in UTF-16 code units.
pub fn json<T: Serialize + ?Sized>(value: &T, texts: Option<Texts<'_>>) -> String {
    let mut json = Json { text: String::new(), texts, span: None };
    match value.serialize(&mut json) {
        Ok(()) => json.text,
        Err(Stop) => String::new(),
    }
}

/// The end of writing before its time: a document is too long, or of a kind that none has.
#[derive(Debug)]
pub struct Stop;

impl Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is no document")
    }
}

impl std::error::Error for Stop {}

impl ser::Error for Stop {
    fn custom<T: Display>(_: T) -> Stop {
        Stop
    }
}

type Written = Result<(), Stop>;

impl<'t> Json<'t> {
    /// Before each value. Values are parted by commas: what was written last tells whether one is
    /// due, since a key ends in `:`, and every value ends in another byte than these.
    fn part(&mut self) -> Written {
        if !matches!(self.text.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.text.push(',');
        }
        if self.text.len() > MOST_BYTES { Err(Stop) } else { Ok(()) }
    }

    fn plain(&mut self, value: &str) -> Written {
        self.part()?;
        self.text.push_str(value);
        Ok(())
    }

    /// The key of the value that is written next.
    fn key(&mut self, key: &'static str) -> Written {
        self.string(key)?;
        self.text.push(':');
        if let Some(texts) = &mut self.texts {
            self.span = texts.of(key).map(|text| (text, None));
        }
        Ok(())
    }

    fn number(&mut self, mut value: u64) -> Written {
        if let Some((text, start)) = &mut self.span {
            let place = usize::try_from(value).unwrap_or(usize::MAX);
            // Whole characters: a span that ends inside one has all of it.
            let is_empty = start.is_none_or(|start| start == value);
            *start = Some(value);
            value = text.unit(place, !is_empty) as u64;
        }
        self.part()?;
        let _ = write!(self.text, "{value}");
        Ok(())
    }

    fn string(&mut self, text: &str) -> Written {
        self.part()?;
        self.text.push('"');
        let mut rest = text;
        while let Some(at) =
            rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\')
        {
            let (plain, special) = rest.split_at(at);
            self.text.push_str(plain);
            match special.as_bytes()[0] {
                byte @ (b'"' | b'\\') => {
                    self.text.push('\\');
                    self.text.push(char::from(byte));
                }
                byte => {
                    let _ = write!(self.text, "\\u{byte:04x}");
                }
            }
            rest = &special[1..];
        }
        self.text.push_str(rest);
        self.text.push('"');
        Ok(())
    }
}

/// A list or an object that is being written: with its last byte.
pub struct Begun<'j, 't> {
    json: &'j mut Json<'t>,
    end: char,
}

impl<'j, 't> Json<'t> {
    fn begin(&'j mut self, [start, end]: [char; 2]) -> Result<Begun<'j, 't>, Stop> {
        self.part()?;
        self.text.push(start);
        Ok(Begun { json: self, end })
    }
}

impl Begun<'_, '_> {
    fn finish(self) -> Written {
        self.json.text.push(self.end);
        Ok(())
    }
}

impl ser::SerializeSeq for Begun<'_, '_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        value.serialize(&mut *self.json)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

impl ser::SerializeTuple for Begun<'_, '_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        value.serialize(&mut *self.json)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

impl ser::SerializeStruct for Begun<'_, '_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Written {
        self.json.key(key)?;
        value.serialize(&mut *self.json)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

impl ser::SerializeMap for Begun<'_, '_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Written {
        key.serialize(&mut *self.json)?;
        self.json.text.push(':');
        self.json.span = None;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        value.serialize(&mut *self.json)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

/// The kinds of values that documents have. Every other one is an error.
impl<'j, 't> Serializer for &'j mut Json<'t> {
    type Ok = ();
    type Error = Stop;
    type SerializeSeq = Begun<'j, 't>;
    type SerializeTuple = Begun<'j, 't>;
    type SerializeStruct = Begun<'j, 't>;
    type SerializeTupleStruct = Impossible<(), Stop>;
    type SerializeTupleVariant = Impossible<(), Stop>;
    type SerializeMap = Begun<'j, 't>;
    type SerializeStructVariant = Impossible<(), Stop>;

    fn serialize_bool(self, value: bool) -> Written {
        self.plain(if value { "true" } else { "false" })
    }

    fn serialize_u8(self, value: u8) -> Written {
        self.number(value.into())
    }

    fn serialize_u16(self, value: u16) -> Written {
        self.number(value.into())
    }

    fn serialize_u32(self, value: u32) -> Written {
        self.number(value.into())
    }

    fn serialize_u64(self, value: u64) -> Written {
        self.number(value)
    }

    /// A number that is finite.
    fn serialize_f64(self, value: f64) -> Written {
        self.part()?;
        let _ = write!(self.text, "{value}");
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Written {
        self.string(value)
    }

    fn serialize_none(self) -> Written {
        self.plain("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Written {
        self.string(variant)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Begun<'j, 't>, Stop> {
        self.begin(['[', ']'])
    }

    fn serialize_tuple(self, _: usize) -> Result<Begun<'j, 't>, Stop> {
        self.begin(['[', ']'])
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Begun<'j, 't>, Stop> {
        self.begin(['{', '}'])
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Begun<'j, 't>, Stop> {
        self.begin(['{', '}'])
    }

    fn serialize_i8(self, _: i8) -> Written {
        Err(Stop)
    }

    fn serialize_i16(self, _: i16) -> Written {
        Err(Stop)
    }

    fn serialize_i32(self, _: i32) -> Written {
        Err(Stop)
    }

    fn serialize_i64(self, _: i64) -> Written {
        Err(Stop)
    }

    fn serialize_f32(self, _: f32) -> Written {
        Err(Stop)
    }

    fn serialize_char(self, _: char) -> Written {
        Err(Stop)
    }

    fn serialize_bytes(self, _: &[u8]) -> Written {
        Err(Stop)
    }

    fn serialize_unit(self) -> Written {
        Err(Stop)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        Err(Stop)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Written {
        Err(Stop)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Written {
        Err(Stop)
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Stop>, Stop> {
        Err(Stop)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Stop>, Stop> {
        Err(Stop)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Stop>, Stop> {
        Err(Stop)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Serialize)]
    struct Target {
        url_span: [usize; 2],
        target_span: [usize; 2],
    }

    #[derive(Serialize)]
    struct Document {
        text: &'static str,
        none: Option<u32>,
        some: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        left_out: Option<u32>,
        list: Vec<u16>,
        pairs: Vec<[u32; 2]>,
        seconds: f64,
        file_span: [usize; 2],
        target: Option<Target>,
        other: Option<[usize; 2]>,
        target_span: [usize; 2],
    }

    fn document() -> Document {
        Document {
            text: "a\"\\\u{1}é",
            none: None,
            some: Some(true),
            left_out: None,
            list: vec![1, 2],
            pairs: vec![[3, 4], [5, 6]],
            seconds: 0.5,
            file_span: [1, 2],
            target: Some(Target { url_span: [2, 2], target_span: [0, 4] }),
            other: Some([2, 4]),
            target_span: [4, 5],
        }
    }

    #[test]
    fn everything_of_documents() {
        let wanted = concat!(
            r#"{"text":"a\"\\\u0001é","none":null,"some":true,"list":[1,2],"pairs":[[3,4],[5,6]],"#,
            r#""seconds":0.5,"file_span":[1,2],"target":{"url_span":[2,2],"target_span":[0,4]},"#,
            r#""other":[2,4],"target_span":[4,5]}"#,
        );
        assert_eq!(json(&document(), None), wanted);
        assert_eq!(json(&'c', None), "");
    }

    #[test]
    fn maps() {
        let map = BTreeMap::from([("a\"", vec![1_u8, 2]), ("b", Vec::new())]);
        assert_eq!(json(&map, None), r#"{"a\"":[1,2],"b":[]}"#);
        assert_eq!(json(&[BTreeMap::<&str, u8>::new()], None), "[{}]");
    }

    #[test]
    fn spans_in_utf16() {
        let texts = Texts {
            file: Text::of("é€".as_bytes()),
            url: Text::of("a😀".as_bytes()),
            targets: vec![Text::of("😀x".as_bytes())],
            ..Texts::default()
        };
        let json = json(&document(), Some(texts));
        // A span that ends inside a character has all of it; an empty one stays so.
        assert!(json.contains(r#""file_span":[0,1]"#), "{json}");
        assert!(json.contains(r#""url_span":[1,1],"target_span":[0,2]"#), "{json}");
        assert!(json.contains(r#""other":[2,4],"target_span":[2,3]"#), "{json}");
        assert!(json.contains(r#""pairs":[[3,4],[5,6]]"#), "{json}");
    }
}

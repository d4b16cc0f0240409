//! Documents against their JSON Schema. Knows the keywords that the schemas here use, and refuses
//! any other, so that none is passed over.

use regex_automata::Input;
use regex_automata::hybrid::dfa::DFA;
use serde_json::{Map, Value};

pub struct Schema(Value);

impl Schema {
    #[track_caller]
    pub fn of(text: &str) -> Schema {
        Schema(serde_json::from_str(text).expect("a schema in JSON"))
    }

    /// What is wrong with a document, and where.
    pub fn errors(&self, document: &Value) -> Vec<String> {
        let mut errors = Vec::new();
        self.check(&self.0, document, "", &mut errors);
        errors
    }

    pub fn is_valid(&self, document: &Value) -> bool {
        self.errors(document).is_empty()
    }

    fn fits(&self, schema: &Value, value: &Value) -> bool {
        let mut errors = Vec::new();
        self.check(schema, value, "", &mut errors);
        errors.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, errors: &mut Vec<String>) {
        let keywords = match schema {
            Value::Bool(true) => return,
            Value::Bool(false) => return errors.push(format!("{at}: nothing may stand here")),
            _ => schema.as_object().expect("a schema is an object"),
        };
        for (keyword, wanted) in keywords {
            if !self.holds(keyword, wanted, keywords, value, at, errors) {
                errors.push(format!("{at}: {keyword} {wanted} does not hold for {value}"));
            }
        }
    }

    /// Whether a keyword holds. Goes into what is within the value.
    fn holds(
        &self,
        keyword: &str,
        wanted: &Value,
        keywords: &Map<String, Value>,
        value: &Value,
        at: &str,
        errors: &mut Vec<String>,
    ) -> bool {
        let (object, array) = (value.as_object(), value.as_array());
        let any = |of: &Value| {
            let of = of.as_array().expect("a list of schemas");
            of.iter().filter(|schema| self.fits(schema, value)).count()
        };
        let at_most = |len: Option<usize>| len.is_none_or(|len| len as u64 <= number(wanted));
        let at_least = |len: Option<usize>| len.is_none_or(|len| len as u64 >= number(wanted));
        match keyword {
            "$schema" | "$id" | "$defs" | "definitions" | "title" | "description" | "default" => {
                true
            }
            // A note for readers, as in most validators.
            "format" => true,
            "$ref" => {
                let path = wanted.as_str().and_then(|path| path.strip_prefix('#')).expect("#/…");
                let schema = self.0.pointer(path).unwrap_or_else(|| panic!("no {path}"));
                self.check(schema, value, at, errors);
                true
            }
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|wanted| is_of(wanted, value)),
                wanted => is_of(wanted, value),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().expect("a list").contains(value),
            "anyOf" => any(wanted) > 0,
            "oneOf" => any(wanted) == 1,
            "not" => !self.fits(wanted, value),
            "if" => {
                let branch = if self.fits(wanted, value) { "then" } else { "else" };
                if let Some(schema) = keywords.get(branch) {
                    self.check(schema, value, at, errors);
                }
                true
            }
            "then" | "else" => keywords.contains_key("if"),
            "minimum" => value.as_f64().is_none_or(|n| n >= wanted.as_f64().expect("a number")),
            "maximum" => value.as_f64().is_none_or(|n| n <= wanted.as_f64().expect("a number")),
            "pattern" => value.as_str().is_none_or(|text| matches(wanted, text)),
            "minItems" => at_least(array.map(Vec::len)),
            "maxItems" => at_most(array.map(Vec::len)),
            "maxProperties" => at_most(object.map(Map::len)),
            "uniqueItems" => array.is_none_or(|items| {
                wanted == false || (1..items.len()).all(|n| !items[..n].contains(&items[n]))
            }),
            "items" => {
                for (index, item) in array.into_iter().flatten().enumerate() {
                    self.check(wanted, item, &format!("{at}/{index}"), errors);
                }
                true
            }
            "required" => object.is_none_or(|object| {
                let names = wanted.as_array().expect("a list of names");
                names.iter().all(|name| object.contains_key(name.as_str().expect("a name")))
            }),
            "properties" => {
                for (name, schema) in wanted.as_object().expect("schemas by name") {
                    if let Some(value) = value.get(name) {
                        self.check(schema, value, &format!("{at}/{name}"), errors);
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = keywords.get("properties").and_then(Value::as_object);
                for (name, value) in object.into_iter().flatten() {
                    if !known.is_some_and(|known| known.contains_key(name)) {
                        self.check(wanted, value, &format!("{at}/{name}"), errors);
                    }
                }
                true
            }
            other => panic!("the keyword {other} is not known here"),
        }
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn is_of(wanted: &Value, value: &Value) -> bool {
    match wanted.as_str().expect("the name of a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other} is not known"),
    }
}

fn matches(pattern: &Value, text: &str) -> bool {
    let dfa = DFA::new(pattern.as_str().expect("a pattern")).expect("a regular expression");
    let found = dfa.try_search_fwd(&mut dfa.create_cache(), &Input::new(text));
    found.expect("a search").is_some()
}

#[test]
fn every_keyword_finds_its_fault() {
    let schema = Schema::of(
        r##"{ "type": "object", "required": ["a"], "additionalProperties": false, "maxProperties": 9,
            "properties": {
                "a": { "$ref": "#/$defs/small" }, "b": { "enum": ["x", "y"] }, "c": { "const": 7 },
                "d": { "type": "array", "items": { "type": ["string", "null"] }, "minItems": 1,
                    "maxItems": 2, "uniqueItems": true },
                "e": { "pattern": "^[0-9]+$" }, "f": { "not": { "type": "null" } },
                "g": { "oneOf": [{ "minimum": 1 }, { "maximum": 3 }] },
                "h": { "if": { "type": "string" }, "then": { "const": "h" }, "else": { "const": 1 } },
                "i": { "anyOf": [{ "type": "boolean" }, { "type": "number" }] } },
            "$defs": { "small": { "type": "integer", "minimum": 0, "maximum": 9 } } }"##,
    );
    let errors = |text: &str| schema.errors(&serde_json::from_str(text).unwrap());
    for right in [
        r#"{"a":0}"#,
        r#"{"a":9,"b":"x","c":7,"d":["s",null],"e":"12","f":0,"g":0,"h":"h","i":true}"#,
        r#"{"a":5,"g":4,"h":1,"i":1.5}"#,
    ] {
        assert_eq!(errors(right), [""; 0], "{right}");
    }
    for (wrong, place) in [
        ("[]", ": type"),
        ("{}", ": required"),
        (r#"{"a":10}"#, "/a: maximum"),
        (r#"{"a":-1}"#, "/a: minimum"),
        (r#"{"a":1.5}"#, "/a: type"),
        (r#"{"a":0,"z":0}"#, "/z: nothing"),
        (r#"{"a":0,"b":"z"}"#, "/b: enum"),
        (r#"{"a":0,"c":8}"#, "/c: const"),
        (r#"{"a":0,"d":[]}"#, "/d: minItems"),
        (r#"{"a":0,"d":["a","b","c"]}"#, "/d: maxItems"),
        (r#"{"a":0,"d":["a","a"]}"#, "/d: uniqueItems"),
        (r#"{"a":0,"d":["a",1]}"#, "/d/1: type"),
        (r#"{"a":0,"e":"1a"}"#, "/e: pattern"),
        (r#"{"a":0,"f":null}"#, "/f: not"),
        (r#"{"a":0,"g":2}"#, "/g: oneOf"),
        (r#"{"a":0,"h":"g"}"#, "/h: const"),
        (r#"{"a":0,"h":2}"#, "/h: const"),
        (r#"{"a":0,"i":"s"}"#, "/i: anyOf"),
    ] {
        let errors = errors(wrong);
        assert!(errors.len() == 1 && errors[0].starts_with(place), "{wrong}: {errors:?}");
    }
}

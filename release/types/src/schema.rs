//! The types that the JSON Schema of the reports describes, and the form that comments have in both
//! languages.

use std::collections::BTreeMap;

use serde_json::Value;

/// A type of the schema.
pub enum Type {
    Object(Vec<Member>),
    /// A list of words, each with its meaning.
    Words(Vec<(String, String)>),
}

pub struct Member {
    pub name: String,
    pub meaning: String,
    pub of: Of,
    /// Whether it is left out if it has no value.
    pub left_out: bool,
}

/// What a member holds.
pub struct Of {
    pub kind: Kind,
    pub or_null: bool,
}

pub enum Kind {
    Word(String),
    Text,
    Number,
    Truth,
    Span,
    Named(String),
    List(Box<Of>),
}

fn text_of(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

pub fn types(schema: &Value) -> BTreeMap<String, (String, Type)> {
    let all = schema["$defs"].as_object().unwrap();
    let of = |(name, def): (&String, &Value)| {
        (name.clone(), (text_of(def, "description"), type_of(name, def)))
    };
    all.iter().map(of).collect()
}

fn type_of(name: &str, def: &Value) -> Type {
    let words = def["oneOf"].as_array().cloned().or_else(|| Some(vec![def.clone()]));
    let words = words.filter(|words| words[0].get("const").or(words[0].get("enum")).is_some());
    if let Some(words) = words {
        let word = |of: &Value| (text_of(of, "const"), text_of(of, "description"));
        let plain = |of: &Value| of["enum"].as_array().cloned();
        return Type::Words(
            words
                .iter()
                .flat_map(|of| match plain(of) {
                    Some(all) => {
                        all.iter().map(|w| (w.as_str().unwrap().into(), String::new())).collect()
                    }
                    None => vec![word(of)],
                })
                .collect(),
        );
    }
    let properties = def["properties"].as_object().unwrap_or_else(|| panic!("{name}: {def}"));
    let empty = Vec::new();
    let required = def["required"].as_array().unwrap_or(&empty);
    let required: Vec<&str> = required.iter().map(|name| name.as_str().unwrap()).collect();
    let mut left_out: Vec<&str> = properties.keys().map(String::as_str).collect();
    left_out.retain(|name| !required.contains(name));
    // In the order of the struct, which only `required` has.
    let mut names = Vec::new();
    for name in required {
        names.push((name, false));
        let base64 = format!("{name}_base64");
        if let Some(at) = left_out.iter().position(|name| *name == base64) {
            names.push((left_out.remove(at), true));
        }
    }
    names.extend(left_out.into_iter().map(|name| (name, true)));
    let member = |(member, left_out): (&str, bool)| {
        let of = &properties[member];
        let meaning = text_of(of, "description");
        assert!(!meaning.is_empty(), "{name}.{member} has no meaning");
        let mut of = of_value(of).unwrap_or_else(|| panic!("{name}.{member}: {of}"));
        of.or_null &= !left_out;
        Member { name: member.to_owned(), meaning, of, left_out }
    };
    Type::Object(names.into_iter().map(member).collect())
}

fn of_value(value: &Value) -> Option<Of> {
    let of = |kind| Some(Of { kind, or_null: false });
    if let Some(word) = value["const"].as_str() {
        return of(Kind::Word(word.to_owned()));
    }
    if let Some(name) = value["$ref"].as_str() {
        return of(Kind::Named(name.strip_prefix("#/$defs/")?.to_owned()));
    }
    if let Some([one, null]) = value["anyOf"].as_array().map(Vec::as_slice) {
        assert_eq!(null["type"], "null");
        return Some(Of { or_null: true, ..of_value(one)? });
    }
    let (kind, or_null) = match &value["type"] {
        Value::Array(kinds) => (kinds[0].as_str()?, kinds[1] == "null"),
        kind => (kind.as_str()?, false),
    };
    let kind = match kind {
        "string" => Kind::Text,
        "integer" => Kind::Number,
        "boolean" => Kind::Truth,
        "array" if value["maxItems"] == 2 => Kind::Span,
        "array" => Kind::List(Box::new(of_value(&value["items"])?)),
        _ => return None,
    };
    Some(Of { kind, or_null })
}

/// Text in lines of at most this many characters, each with this before it.
pub fn wrapped(text: &str, before: &str) -> String {
    let mut out = String::new();
    for (at, paragraph) in text.split("\n\n").enumerate() {
        if at > 0 {
            out.push_str(before.trim_end());
            out.push('\n');
        }
        let mut line = String::from(before);
        for word in paragraph.split(' ') {
            if line.len() > before.len() && line.chars().count() + word.chars().count() >= 98 {
                out.push_str(line.trim_end());
                out.push('\n');
                line = String::from(before);
            }
            line.push_str(word);
            line.push(' ');
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

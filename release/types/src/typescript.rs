//! The types as interfaces and unions of TypeScript.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::schema::{Kind, Of, Type, wrapped};

/// A comment as TypeScript has it.
fn remark(text: &str, indent: &str) -> String {
    let one = format!("{indent}/** {text} */\n");
    if text.is_empty() {
        String::new()
    } else if !text.contains('\n') && one.chars().count() <= 100 {
        one
    } else {
        format!("{indent}/**\n{}{indent} */\n", wrapped(text, &format!("{indent} * ")))
    }
}

pub fn typescript(types: &BTreeMap<String, (String, Type)>) -> String {
    fn of(value: &Of) -> String {
        let kind = match &value.kind {
            Kind::Word(word) => format!("\"{word}\""),
            Kind::Text => "string".to_owned(),
            Kind::Number => "number".to_owned(),
            Kind::Truth => "boolean".to_owned(),
            Kind::Span => "Span".to_owned(),
            Kind::Named(name) => name.clone(),
            Kind::List(items) if items.or_null => format!("({})[]", of(items)),
            Kind::List(items) => format!("{}[]", of(items)),
        };
        if value.or_null { format!("{kind} | null") } else { kind }
    }
    let mut out = String::from(
        "/** The reports, as data. `npm run build` makes this file, of their JSON Schema. */\n\n",
    );
    out += "/** The offset of the first byte, and of the one after the last. */\n";
    out += "export type Span = [start: number, end: number];\n";
    for (name, (meaning, of_type)) in types {
        out.push('\n');
        out += &remark(meaning, "");
        match of_type {
            Type::Words(words) => {
                write!(out, "export type {name} =").unwrap();
                for (word, meaning) in words {
                    write!(out, "\n{}  | \"{word}\"", remark(meaning, "  ")).unwrap();
                }
                out += ";\n";
            }
            Type::Object(members) => {
                writeln!(out, "export interface {name} {{").unwrap();
                for member in members {
                    out += &remark(&member.meaning, "  ");
                    let may = if member.left_out { "?" } else { "" };
                    writeln!(out, "  {}{may}: {};", member.name, of(&member.of)).unwrap();
                }
                out += "}\n";
            }
        }
    }
    out
}

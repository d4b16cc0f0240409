//! The stub of a native module, for editors and type checkers, which read no native module: the types that
//! are written in `types/`, with the docstrings of the Rust that they are the types of.
//!
//! A build script calls [`write`], and maturin takes what it wrote into the wheel. The tests compare the
//! docstrings with those that Python finds in the module.

mod docs;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use crate::docs::Docs;

/// Writes `to` in the folder of the build's results, from the types in the file `types` and the sources in
/// `src/`.
///
/// # Errors
/// Returns an error if a file cannot be read or written, or is not Rust.
pub fn write(types: &str, to: &str) -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed={types}");
    let docs = Docs::of_folder(Path::new("src"))?;
    fs::write(result(to)?, with_docs(&fs::read_to_string(types)?, &docs))
}

/// Writes the file by which a package says that it has types.
///
/// # Errors
/// Returns an error if it cannot be written.
pub fn mark_as_typed() -> io::Result<()> {
    fs::write(result("py.typed")?, "")
}

/// A file in the folder of the build's results.
fn result(name: &str) -> io::Result<PathBuf> {
    let folder = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    Ok(Path::new(&folder).join(name))
}

/// The types with docstrings. Methods that Python calls by itself need none.
fn with_docs(types: &str, docs: &Docs) -> String {
    let mut stub = String::new();
    let (mut class, mut open) = (String::new(), None);
    let mut before = "";
    for line in types.lines() {
        let (indent, text) = (line.len() - line.trim_start().len(), line.trim_start());
        let named =
            |keyword| text.strip_prefix(keyword).and_then(|rest| rest.split(['(', ':']).next());
        if let Some(name) = named("class ") {
            name.clone_into(&mut class);
            open = Some(class.clone());
        } else if let Some(name) = named("def ") {
            let is_hidden = name.starts_with('_') || before.ends_with(".setter");
            let key = if indent == 0 { name.to_owned() } else { format!("{class}.{name}") };
            open = (!is_hidden).then_some(key);
        }
        before = line;
        let doc = open.as_ref().and_then(|key| docs.of(key));
        match (line.strip_suffix(": ..."), doc) {
            (Some(head), Some(doc)) => {
                stub += &format!("{head}:\n{}", docstring(doc, indent + 4));
            }
            (None, Some(doc)) if text.starts_with("class ") && text.ends_with(':') => {
                stub += &format!("{line}\n{}\n", docstring(doc, 4));
            }
            _ => stub += &format!("{line}\n"),
        }
        if line.ends_with(": ...") || text.starts_with("class ") {
            open = None;
        }
    }
    stub
}

fn docstring(doc: &str, indent: usize) -> String {
    let quotes = if doc.contains('\\') { "r\"\"\"" } else { "\"\"\"" };
    let last = if doc.contains('\n') { "\n\"\"\"" } else { "\"\"\"" };
    let indented = format!("{quotes}{doc}{last}").replace('\n', &format!("\n{:indent$}", ""));
    // Empty lines have no white space.
    let lines = indented.lines().map(|line| if line.trim().is_empty() { "" } else { line });
    format!("{:indent$}{}\n", "", lines.collect::<Vec<_>>().join("\n"))
}

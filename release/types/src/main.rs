//! Writes the types of the reports for TypeScript and Python, made of the JSON Schema that
//! `robotsieve schema` prints:
//!
//! ```text
//! cargo run -p robotsieve-types -- typescript|python FILE
//! ```
//!
//! The npm package is built with cargo anyway, so its build makes its types. Python's are tracked,
//! and a test here compares them: `pip install` from a clone would have to compile the library a
//! second time, for the machine that builds, before it could make them.

mod python;
mod schema;
mod typescript;

use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    let types = schema::types(&robotsieve_owners::schema::schema());
    let args: Vec<String> = env::args().skip(1).collect();
    let (text, file) = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["typescript", file] => (typescript::typescript(&types), file),
        ["python", file] => (python::python(&types), file),
        _ => {
            eprintln!("usage: robotsieve-types typescript|python FILE");
            return ExitCode::from(2);
        }
    };
    if let Err(cause) = fs::write(file, text) {
        eprintln!("cannot write '{file}': {cause}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

#[test]
fn pythons_types_are_current() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/robotsieve/reports.py");
    assert!(
        fs::read_to_string(file).unwrap()
            == python::python(&schema::types(&robotsieve_owners::schema::schema())),
        "update it with cargo run -p robotsieve-types -- python python/robotsieve/reports.py"
    );
}

//! Makes the stub of one module, for the reference in the book: `OUT_DIR=FOLDER robotsieve-python-stubs TYPES STUB`, in the
//! folder of the module's crate.

use std::{env, io};

fn main() -> io::Result<()> {
    let given: Vec<String> = env::args().skip(1).collect();
    let [types, to] = &given[..] else { return Err(io::ErrorKind::InvalidInput.into()) };
    robotsieve_python_stubs::write(types, to)
}

//! Makes the JavaScript around a module compiled with `wasm-bindgen`.
//!
//!     robotsieve-bindgen MODULE.wasm OUTPUT_FOLDER NAME
//!
//! The same as `wasm-bindgen --target web`. As a crate of this workspace it has the version of
//! `wasm-bindgen` in the lock file, without an installation, and it needs a third of the command's
//! dependencies.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, name] = &arguments[..] else {
        eprintln!("usage: robotsieve-bindgen MODULE.wasm OUTPUT_FOLDER NAME");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let made = bindgen
        .input_path(module)
        .out_name(name)
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .omit_default_module_path(true)
        .reset_state_function(true)
        .web(true)
        .and_then(|bindgen| bindgen.generate(folder));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("robotsieve-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}

//! Gives the shared library the name by which programs find it at run time.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let [major, minor] = ["CARGO_PKG_VERSION_MAJOR", "CARGO_PKG_VERSION_MINOR"].map(variable);
    // Before 1.0 a minor version may change the interface.
    let interface = if major == "0" { format!("0.{minor}") } else { major };
    match variable("CARGO_CFG_TARGET_OS").as_str() {
        "linux" | "freebsd" | "netbsd" | "openbsd" | "android" => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,librobotsieve.so.{interface}")
        }
        "macos" => println!(
            "cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/librobotsieve.{interface}.dylib"
        ),
        _ => {}
    }
}

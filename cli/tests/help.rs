//! Help, version and being called wrongly.

mod command;

use command::run;

#[test]
fn without_arguments() {
    run(args![]).fails(2, "Usage: robotsieve").says("filter").says("check").says("dot");
    run(args!["filter"]).fails(2, "Usage: robotsieve filter");
    run(args!["frobnicate"]).fails(2, "frobnicate");
}

#[test]
fn help_teaches() {
    for help in [args!["--help"], args!["help"], args!["-h"]] {
        let ran = run(help);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""));
        assert!(String::from_utf8(ran.out).unwrap().contains("Examples:"));
    }
    for command in ["check", "filter", "dot", "diff", "records"] {
        for help in [args![command, "--help"], args!["help", command]] {
            let ran = run(help);
            let out = String::from_utf8(ran.out).unwrap();
            assert_eq!((ran.status, ran.err.as_str()), (0, ""));
            let parts =
                ["Examples:", "Exit status:", "original-1994", "google-classic", "User-Agent"];
            for part in parts {
                assert!(out.contains(part), "no {part} in {out}");
            }
            assert!(out.lines().all(|line| line.chars().count() <= 120), "{out}");
        }
    }
}

#[test]
fn version() {
    let version = concat!("robotsieve ", env!("CARGO_PKG_VERSION"), "\n");
    run(args!["--version"]).gives(0, version);
    run(args!["-V"]).gives(0, version);
}

//! The progress bar.

use crate::command::{Folder, run, run_with};

const ROBOTS: &str = "User-agent: *\nDisallow: /private\n";

#[test]
fn always_and_never() {
    let folder = Folder::of(&[
        ("robots/e.example", ROBOTS),
        ("robots/f.example", "User-agent: *\nDisallow: /\n"),
        ("urls.txt", "/private\n/\n"),
    ]);
    let (robots, other) = (folder.path("robots/e.example"), folder.path("robots/f.example"));
    let (pack, dir) = (folder.path("a.pack"), folder.path("robots"));
    run(args!["pack", "--robots-dir", &dir, "--agent", "a", "-o", &pack]).gives(0, "");
    let calls = [
        (args!["lint", &robots, &other].to_vec(), "2/2 files"),
        (args!["explain", &robots, "a", "-"].to_vec(), "B/s"),
        (args!["pack", "--robots-dir", &dir, "--agent", "a", "-o", &pack].to_vec(), "2 records"),
        (args!["pack", "verify", &pack].to_vec(), ""),
        (args!["diff", &robots, &other].to_vec(), ""),
        (args!["replay", "-"].to_vec(), "B/s"),
        (args!["filter", "--robots", &robots, "--agent", "a"].to_vec(), "B/s"),
    ];
    for (call, shows) in calls {
        let with = |when: &str| {
            let option = args![format!("--progress={when}")];
            run_with(call.iter().cloned().chain(option), b"/private\n/\n")
        };
        let (never, always, auto) = (with("never"), with("always"), with("auto"));
        assert_eq!((never.status, &never.out), (always.status, &always.out), "{call:?}");
        // Standard error is not a terminal here.
        for quiet in [&never, &auto] {
            assert!(!quiet.err.contains('\x1b'), "{quiet:?}");
        }
        assert!(always.err.contains(shows), "{always:?}");
        assert!(shows.is_empty() || always.err.contains('\x1b'), "{always:?}");
        // Messages are on lines of their own.
        for said in never.err.lines().filter(|line| line.starts_with("robotsieve: ")) {
            let mut lines = always.err.split(['\n', '\r']);
            let word = said.split(" seconds").next().unwrap();
            assert!(lines.any(|line| line.contains(word)), "{said:?}: {always:?}");
        }
    }
}

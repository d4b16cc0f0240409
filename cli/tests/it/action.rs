//! `action/run.sh`, which `action.yml` runs, with the variables that GitHub sets.

use crate::command::Command;
use std::fs;
use std::path::Path;
use std::process::Output;

const RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../action/run.sh");
const OLD: &str = "User-agent: *\nDisallow: /search\n";

fn git(folder: &Path, args: &[&str]) {
    let identity =
        ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"];
    let ran = Command::new("git").current_dir(folder).args(identity).args(args).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// A clone whose branch `main` has a robots.txt; the file is then what a change made of it.
fn pull_request(folder: &Path, changed: &str) {
    let origin = folder.join("origin");
    fs::create_dir_all(origin.join("site")).unwrap();
    git(&origin, &["init", "--quiet"]);
    fs::write(origin.join("site/robots.txt"), OLD).unwrap();
    git(&origin, &["add", "."]);
    git(&origin, &["commit", "--quiet", "--message", "a site"]);
    git(folder, &["clone", "--quiet", "origin", "work"]);
    fs::write(folder.join("work/site/robots.txt"), changed).unwrap();
    fs::write(folder.join("work/expect"), "allow * /\ndisallow * /search\n").unwrap();
}

/// Runs the script as the action does. Returns what it printed, and the summary.
fn run(folder: &Path, inputs: &[(&str, &str)]) -> (Output, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_robotsieve")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let summary = folder.join("summary");
    fs::write(&summary, "").unwrap();
    let mut command = Command::new("bash");
    command.arg(RUN).current_dir(folder.join("work")).env("PATH", path);
    command.env("GITHUB_STEP_SUMMARY", &summary).env("RUNNER_TEMP", folder);
    for (name, value) in [
        ("ROBOTS", "site/robots.txt"),
        ("EXPECTATIONS", "expect"),
        ("FAIL_ON", "error"),
        ("FAIL_ON_CHANGE", "false"),
        ("BASE", "main"),
    ] {
        command.env(name, value);
    }
    command.envs(inputs.iter().copied());
    let ran = command.output().unwrap();
    (ran, fs::read_to_string(summary).unwrap())
}

#[test]
fn nothing_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    pull_request(folder.path(), &format!("{OLD}Disallow: /cart\n"));
    let (ran, summary) = run(folder.path(), &[]);
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(summary.contains("## robotsieve lint\n\npassed\n"), "{summary}");
    assert!(summary.contains("## robotsieve test\n\npassed\n"), "{summary}");
    assert!(
        summary.contains("`/cart` and all below (no rule → line 3 `Disallow: /cart`)"),
        "{summary}"
    );

    let (ran, _) = run(folder.path(), &[("FAIL_ON_CHANGE", "true")]);
    assert_eq!(ran.status.code(), Some(1));
    // A push to the branch itself has nothing to compare with.
    let (ran, summary) = run(folder.path(), &[("BASE", ""), ("FAIL_ON_CHANGE", "true")]);
    assert_eq!(ran.status.code(), Some(0));
    assert!(!summary.contains("/cart"), "{summary}");
}

#[test]
fn a_change_that_closes_the_site() {
    let folder = tempfile::tempdir().unwrap();
    pull_request(folder.path(), "User-agent: *\nDisallow: /\n");
    let (ran, summary) = run(folder.path(), &[]);
    assert_eq!(ran.status.code(), Some(1));
    assert!(summary.contains("## robotsieve test\n\n**failed**\n"), "{summary}");
    assert!(
        summary.contains("**The whole site is closed now** for any other crawler"),
        "{summary}"
    );
    let out = String::from_utf8(ran.stdout).unwrap();
    for part in
        ["file=site/robots.txt,line=2,", "(expected by expect, line 1)", "whole site is closed"]
    {
        assert!(
            out.lines().any(|line| line.starts_with("::") && line.contains(part)),
            "{part}: {out}"
        );
    }
}

#[test]
fn what_cannot_be_done_fails() {
    let folder = tempfile::tempdir().unwrap();
    pull_request(folder.path(), OLD);
    for input in [("ROBOTS", "nowhere"), ("EXPECTATIONS", "nowhere"), ("BASE", "nowhere")] {
        let (ran, summary) = run(folder.path(), &[input]);
        assert_ne!(ran.status.code(), Some(0), "{input:?}: {summary}");
    }
    // A file that the branch does not have is new.
    fs::write(folder.path().join("work/new.txt"), OLD).unwrap();
    let (ran, summary) = run(folder.path(), &[("ROBOTS", "new.txt")]);
    assert_eq!(ran.status.code(), Some(0));
    assert!(summary.contains("no such file yet") && summary.contains("`/search`"), "{summary}");
}

#[test]
fn a_sitemap_that_is_forbidden() {
    let folder = tempfile::tempdir().unwrap();
    pull_request(folder.path(), OLD);
    let work = folder.path().join("work");
    fs::write(work.join("expect"), "allow Googlebot @sitemap\n").unwrap();
    fs::write(work.join("a.txt"), "https://example.com/\n").unwrap();
    fs::write(work.join("b.txt"), "https://example.com/search/1\n").unwrap();
    let (ran, _) = run(folder.path(), &[("SITEMAP", "a.txt")]);
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    let (ran, summary) = run(folder.path(), &[("SITEMAP", "a.txt b.txt")]);
    assert_eq!(ran.status.code(), Some(1));
    assert!(summary.contains("## robotsieve test\n\n**failed**\n"), "{summary}");
    let out = String::from_utf8(ran.stdout).unwrap();
    assert!(out.contains("for 1 of 2 URLs: Googlebot, @sitemap"), "{out}");
}

/// The summary says what failed, as text: whatever a robots.txt has in it is no Markdown there.
#[test]
fn the_summary_says_what_failed() {
    let folder = tempfile::tempdir().unwrap();
    pull_request(folder.path(), "User-agent: *\nDisalow: /a\nDisallow: /\n");
    let (ran, summary) = run(folder.path(), &[]);
    assert_eq!(ran.status.code(), Some(1));
    assert!(
        summary.contains("\n\n**failed**\n\n    error site/robots.txt:2: unknown field 'Disalow'")
            || summary.contains("\n    error site/robots.txt:2: unknown field 'Disalow'"),
        "{summary}"
    );
    assert!(summary.contains("    error site/robots.txt:3: expected allow, got"), "{summary}");
}

/// One comment, which a later run writes anew.
#[test]
fn a_comment_under_the_pull_request() {
    let folder = tempfile::tempdir().unwrap();
    pull_request(folder.path(), "User-agent: *\nDisallow: /\n");
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let gh = "#!/bin/sh\nprintf '%s\\n' \"$*\" >> \"$CALLS\"\n\
              case \"$*\" in *--paginate*) cat \"$IDS\" ;; esac\nexit ${GH_STATUS:-0}\n";
    fs::write(bin.join("gh"), gh).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(bin.join("gh"), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let (calls, ids) = (folder.path().join("calls"), folder.path().join("ids"));
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let program = Path::new(env!("CARGO_BIN_EXE_robotsieve")).parent().unwrap();
    let path = format!("{}:{}:{}", text(&bin), text(program), std::env::var("PATH").unwrap());
    let (calls_text, ids_text) = (text(&calls), text(&ids));
    let inputs = |comment: &'static str, status: &'static str| {
        vec![
            ("PATH", path.as_str()),
            ("CALLS", calls_text.as_str()),
            ("IDS", ids_text.as_str()),
            ("COMMENT", comment),
            ("PULL_REQUEST", "7"),
            ("GITHUB_REPOSITORY", "o/r"),
            ("GH_STATUS", status),
        ]
    };
    let ask = |there: &str, comment, status| {
        fs::write(&calls, "").unwrap();
        fs::write(&ids, there).unwrap();
        let (ran, summary) = run(folder.path(), &inputs(comment, status));
        assert_eq!(ran.status.code(), Some(1), "{ran:?}");
        (fs::read_to_string(&calls).unwrap(), String::from_utf8(ran.stdout).unwrap(), summary)
    };
    let (called, _, summary) = ask("", "true", "0");
    assert!(called.contains("repos/o/r/issues/7/comments -F body=@"), "{called}");
    let body = fs::read_to_string(folder.path().join("robotsieve-comment.md")).unwrap();
    assert_eq!(body, format!("<!-- robotsieve -->\n{summary}"));
    let (called, ..) = ask("41\n42\n", "true", "0");
    assert!(called.contains("--method PATCH repos/o/r/issues/comments/41 -F body=@"), "{called}");
    let (_, out, _) = ask("", "true", "1");
    assert!(out.contains("::warning::the comment cannot be written"), "{out}");
    let (called, ..) = ask("", "false", "0");
    assert_eq!(called, "");
}

const INSTALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../action/install.sh");

/// Runs `action/install.sh` where no robotsieve is in PATH and the releases are those in `folder`. A cargo that builds
/// nothing says how it was called. Returns what was printed.
fn install(folder: &Path, system: &str, processor: &str) -> (Option<i32>, String) {
    let cargo = folder.join("cargo");
    fs::write(&cargo, "#!/bin/sh\necho cargo \"$@\"\n").unwrap();
    let ran = Command::new("bash")
        .args(["-c", "chmod +x \"$1/cargo\" && PATH=$1:/usr/bin:/bin exec bash \"$2\"", "bash"])
        .args([folder.as_os_str(), INSTALL.as_ref()])
        .env("GITHUB_ACTION_PATH", concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .env("RUNNER_TEMP", folder)
        .env("RUNNER_OS", system)
        .env("RUNNER_ARCH", processor)
        .env("ROBOTSIEVE_RELEASES", format!("file://{}/releases", folder.display()))
        .output()
        .unwrap();
    let said = [ran.stdout, ran.stderr].concat();
    (ran.status.code(), String::from_utf8(said).unwrap())
}

/// Puts the archive of a release where `install` looks for it, with a script for a program.
fn release(folder: &Path) -> std::path::PathBuf {
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("robotsieve-{version}-x86_64-unknown-linux-musl");
    let place = folder.join(format!("releases/v{version}"));
    fs::create_dir_all(place.join(&name)).unwrap();
    fs::write(place.join(&name).join("robotsieve"), "#!/bin/sh\necho installed\n").unwrap();
    let script = "chmod +x \"$1/robotsieve\" && tar -czf \"$1.tar.gz\" \"$1\" && rm -r \"$1\" && \
                  sha256sum \"$1.tar.gz\" > \"$1.tar.gz.sha256\"";
    let made = Command::new("bash")
        .args(["-c", script, "bash", &name])
        .current_dir(&place)
        .status()
        .unwrap();
    assert!(made.success());
    place.join(format!("{name}.tar.gz"))
}

#[test]
fn the_archive_of_the_version_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    release(folder.path());
    let (status, said) = install(folder.path(), "Linux", "X64");
    assert_eq!((status, said.contains("cargo install")), (Some(0), false), "{said}");
    assert!(said.contains("downloaded; its SHA-256 is right"), "{said}");
    let installed = Command::new(folder.path().join("robotsieve/bin/robotsieve")).output().unwrap();
    assert_eq!(installed.stdout, b"installed\n");
}

#[test]
fn an_archive_that_was_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let archive = release(folder.path());
    let mut bytes = fs::read(&archive).unwrap();
    bytes.push(0);
    fs::write(&archive, bytes).unwrap();
    let (status, said) = install(folder.path(), "Linux", "X64");
    assert_eq!((status, said.contains("cargo install")), (Some(1), false), "{said}");
    assert!(said.contains("it is not used") && said.contains("::error::"), "{said}");
    assert!(!folder.path().join("robotsieve/bin/robotsieve").exists());
}

#[test]
fn without_an_archive_the_command_is_built() {
    let folder = tempfile::tempdir().unwrap();
    let (status, said) = install(folder.path(), "Linux", "X64");
    assert_eq!((status, said.contains("cargo install --locked")), (Some(0), true), "{said}");
    assert!(
        said.contains("::notice::robotsieve is built from source")
            && said.contains("cannot be downloaded"),
        "{said}"
    );
    let (status, said) = install(folder.path(), "FreeBSD", "X64");
    assert_eq!((status, said.contains("cargo install --locked")), (Some(0), true), "{said}");
    assert!(said.contains("there is no archive for FreeBSD on X64"), "{said}");
}

//! Faults of the machine, and what others may see of the files that are written.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};

use crate::command::site::{answered, site};
use crate::command::{Folder, run_with};

/// Runs the command by a shell, after a line that changes what its process may do.
fn after(line: &str, args: &[&str]) -> std::process::Output {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{line}; exec \"$@\""), "sh"]);
    command.arg(env!("CARGO_BIN_EXE_robotsieve")).args(args).stdin(Stdio::null());
    command.output().unwrap()
}

/// A new file is as open to others as the umask says, and one that is replaced as it was.
#[test]
fn files_keep_the_modes_that_their_owner_chose() {
    let folder = Folder::of(&[("robots/a.example", "user-agent: *\ndisallow: /x\n")]);
    let path = |name: &str| folder.path(name).into_os_string().into_string().unwrap();
    let (robots, pack, shards, list) =
        (path("robots"), path("a.pack"), path("shards"), path("list"));
    let commands: [&[&str]; 3] = [
        &["pack", "--agent", "FooBot", "--robots-dir", &robots, "-o", &pack],
        &["pack", "--agent", "FooBot", "--robots-dir", &robots, "--shards", "2", "-o", &shards],
        &["block", "--purpose", "ai-training", "-o", &list],
    ];
    let mode = |path: &str| fs::metadata(path).unwrap().mode() & 0o777;
    for (umask, files, folders) in [("077", 0o600, 0o700), ("022", 0o644, 0o755)] {
        for (command, made) in commands.iter().zip([&pack, &shards, &list]) {
            let is_folder = *made == shards;
            let _ = if is_folder { fs::remove_dir_all(made) } else { fs::remove_file(made) };
            let wanted = if is_folder { folders } else { files };
            let ran = after(&format!("umask {umask}"), command);
            assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
            assert_eq!(mode(made), wanted, "{command:?}");
            // Whatever the umask is when it is replaced.
            let other = if is_folder { 0o750 } else { 0o640 };
            fs::set_permissions(made, Permissions::from_mode(other)).unwrap();
            assert!(after("umask 000", command).status.success());
            assert_eq!(mode(made), other, "{command:?}");
        }
    }
}

/// A link in the folder of an export does not choose the file that is written.
#[test]
fn an_export_follows_no_link_in_its_folder() {
    let served = site(|_| answered("200 OK", "", "user-agent: *\ndisallow: /x\n"));
    let folder = Folder::of(&[("precious", "mine")]);
    let (store, out) = (folder.path("store"), folder.path("out"));
    let options = ["--send-user-agent", "FooBot/1.0", "--allow-private"];
    let mut fetch = args!["fetch", "--store", &store].to_vec();
    fetch.extend(options.map(Into::into));
    let ran = run_with(fetch, served.as_bytes());
    assert_eq!(ran.status, 0, "{}", ran.err);
    let export = || run_with(args!["store", "export", "--robots-dir", &out, &store], b"");
    assert_eq!(export().status, 0);
    let file = fs::read_dir(&out).unwrap().next().unwrap().unwrap().path();
    fs::remove_file(&file).unwrap();
    symlink(folder.path("precious"), &file).unwrap();
    assert_eq!(export().status, 0);
    assert_eq!(fs::read(folder.path("precious")).unwrap(), b"mine");
    assert!(!fs::symlink_metadata(&file).unwrap().is_symlink());
}

/// Without threads a run fails, and says so: it neither panics nor waits.
#[test]
#[cfg(target_os = "linux")]
fn no_thread_to_be_had() {
    let folder = Folder::of(&[("urls", "http://127.0.0.1:9/\n")]);
    let path = |name: &str| folder.path(name).into_os_string().into_string().unwrap();
    fs::set_permissions(folder.root(), Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(folder.path("urls"), Permissions::from_mode(0o666)).unwrap();
    let (urls, store, warc, pack) = (path("urls"), path("store"), path("warc"), path("pack"));
    fs::copy("../corpora/archives/pages.warc", &warc).unwrap();
    let base = ["--send-user-agent", "FooBot/1.0", "--allow-private"];
    for args in [
        [&["fetch", "--store", &store][..], &base, &[&urls]].concat(),
        [&["filter", "--store", &store, "--fetch", "--crawler", "FooBot"][..], &base, &[&urls]]
            .concat(),
        vec!["store", "import", &store, "--warc", &warc],
        vec!["pack", "--warc", &warc, "--agent", "FooBot", "-o", &pack],
    ] {
        for limit in [1, 3, 6, 9, 12] {
            // The limit is one of a user, and root has none.
            let mut command = Command::new("timeout");
            command.args(["60", "prlimit", &format!("--nproc={limit}"), "setpriv"]);
            command
                .args(["--reuid", "64123", "--clear-groups"])
                .arg(env!("CARGO_BIN_EXE_robotsieve"))
                .args(&args)
                .stdin(Stdio::null());
            let Ok(ran) = command.output() else { return };
            let told = String::from_utf8_lossy(&ran.stderr).into_owned();
            if told.contains("setpriv:")
                || told.contains("prlimit:")
                || told.contains("Permission denied")
            {
                println!("not tried: {told}");
                return;
            }
            assert!(!told.contains("panicked"), "{limit}: {told}");
            let status = ran.status.code();
            // With fewer threads an archive is read all the same.
            let may_be_done = args.contains(&"--warc") && status == Some(0);
            assert!(may_be_done || matches!(status, Some(2 | 3)), "{limit}: {status:?} {told}");
        }
    }
}

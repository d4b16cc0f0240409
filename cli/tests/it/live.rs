//! Programs that talk to the command while it runs, or end it.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use crate::command::{Child, Folder, command};

/// How long an answer may take before a test fails: far longer than it does.
const PATIENCE: Duration = Duration::from_secs(20);

/// A command that is asked line by line.
struct LiveCommand {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl LiveCommand {
    fn start(args: impl IntoIterator<Item = std::ffi::OsString>) -> LiveCommand {
        let mut child = command(args).stdin(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        LiveCommand { input: child.stdin.take().unwrap(), child, lines }
    }

    fn write(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    #[track_caller]
    fn answers(&self, wanted: &str) {
        let line = self.lines.recv_timeout(PATIENCE);
        assert_eq!(line.as_deref(), Ok(wanted), "no answer while the input is open");
    }

    #[track_caller]
    fn ends(mut self, status: i32) {
        drop(self.input);
        assert_eq!(self.child.wait().unwrap().code(), Some(status));
    }
}

/// A log that goes on is listed as it comes.
#[test]
fn audit_lists_while_its_log_waits() {
    let folder = Folder::of(&[("robots.txt", "User-agent: *\nDisallow: /a\n")]);
    let robots = folder.path("robots.txt");
    let line = |path: &str| {
        let time = "24/Nov/2026:10:00:00 +0000";
        format!(r#"1.2.3.4 - - [{time}] "GET {path} HTTP/1.1" 200 1 "-" "GPTBot/1.0""#)
    };
    for threads in ["1", "2"] {
        let list = ["audit", "--list", "--log-format", "combined", "--threads", threads];
        let list = list.map(std::ffi::OsString::from).into_iter();
        let mut asked = LiveCommand::start(list.chain(args![&robots, "-"]));
        for path in ["/a", "/ab"] {
            asked.write(&format!("{}\n{}\n", line(path), line("/b")));
            asked.answers(&line(path));
        }
        // The rest of a line comes later.
        let (begun, rest) = (line("/a1"), line("/a2"));
        asked.write(&begun[..20]);
        asked.write(&format!("{}\n{rest}\n", &begun[20..]));
        asked.answers(&begun);
        asked.answers(&rest);
        asked.ends(1);
    }
}

/// Each line is answered before the next one is written, also if it is shorter than what tells
/// compressed input apart.
#[test]
fn filter_answers_while_its_input_waits() {
    let folder = Folder::of(&[("robots.txt", "User-agent: *\nDisallow: /a\n")]);
    let robots = folder.path("robots.txt");
    for threads in ["1", "2"] {
        let mut asked = LiveCommand::start(args![
            "filter",
            "--agent",
            "bot",
            "--robots",
            &robots,
            "--format",
            "tsv",
            "--threads",
            threads
        ]);
        asked.write("/\n");
        asked.answers("allow\t/");
        asked.write("/a\n/b\n/c");
        asked.answers("disallow\t/a");
        asked.answers("allow\t/b");
        asked.write("d\n");
        asked.answers("allow\t/cd");
        asked.write("(\n");
        asked.answers("invalid\t(");
        asked.ends(0);
    }
}

/// Whole lines of compressed input are answered too.
#[test]
fn filter_answers_compressed_input() {
    let folder = Folder::of(&[("robots.txt", "User-agent: *\nDisallow: /a\n")]);
    let robots = folder.path("robots.txt");
    let mut asked = LiveCommand::start(args!["filter", "--agent", "bot", "--robots", &robots]);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"/a\n/b\n").unwrap();
    gzip.flush().unwrap();
    asked.input.write_all(gzip.get_ref()).unwrap();
    asked.answers("/b");
    drop(asked.input);
    asked.child.kill().unwrap();
    asked.child.wait().unwrap();
}

/// A signal that ends `pack` leaves the old pack as it was, and no other file.
#[cfg(unix)]
#[test]
fn signals_leave_no_temporary_file() {
    use std::os::unix::process::ExitStatusExt;

    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let folder = Folder::of(&[("a.pack", "old")]);
        // The pack is begun before its archive is complete, which never ends.
        let out = folder.path("a.pack");
        let mut pack = command(args!["pack", "--warc", "-", "--agent", "bot", "-o", &out]);
        let mut child = pack.stdin(Stdio::piped()).spawn().unwrap();
        let archive = child.stdin.take();
        let names = || {
            let entries = std::fs::read_dir(folder.root()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort_unstable();
            names
        };
        let begun = std::time::Instant::now();
        while names().len() < 2 {
            assert!(begun.elapsed() < PATIENCE, "no temporary file: {:?}", names());
            assert_eq!(child.try_wait().unwrap(), None);
            thread::sleep(Duration::from_millis(10));
        }
        let id = child.id().to_string();
        let killed = crate::command::Command::new("kill").args(["-s", name, &id]).status().unwrap();
        assert!(killed.success());
        assert_eq!(child.wait().unwrap().signal(), Some(number), "{name}");
        assert_eq!(names(), ["a.pack"], "{name}");
        drop(archive);
        assert_eq!(std::fs::read(&out).unwrap(), b"old");
    }
}

/// What is ignored stays ignored: `nohup` keeps the command alive.
#[cfg(unix)]
#[test]
fn ignored_signals_stay_ignored() {
    let record = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-01-10T12:00:00Z\r\n\
                  WARC-Target-URI: https://e.com/robots.txt\r\n\
                  Content-Type: application/http; msgtype=response\r\nContent-Length: 26\r\n\r\n\
                  HTTP/1.1 404 Not Found\r\n\r\n\r\n\r\n";
    let folder = Folder::of(&[("a.warc", record)]);
    let script = "trap '' HUP; { cat a.warc; until [ -e go ]; do sleep 0.01; done; } | \
                  \"$0\" pack --warc - --agent bot -o a.pack & \
                  while ! ls .tmp* 2> /dev/null; do sleep 0.01; done; \
                  kill -s HUP $!; touch go; wait $!";
    let ran = crate::command::in_shell(script).current_dir(folder.root()).output().unwrap();
    assert_eq!(ran.status.code(), Some(0));
    assert!(folder.path("a.pack").is_file());
}

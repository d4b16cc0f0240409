//! Running the built command.

mod process;
pub mod schema;
#[cfg(unix)]
pub mod servers;
pub mod site;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

pub use process::{Child, Command};
use robotsieve_corpora::memory;

/// The outcome of a run.
pub struct Ran {
    pub status: i32,
    pub out: Vec<u8>,
    pub err: String,
}

impl std::fmt::Debug for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let out = String::from_utf8_lossy(&self.out);
        write!(f, "status {}\nstandard output:\n{out}\nstandard error:\n{}", self.status, self.err)
    }
}

impl From<Output> for Ran {
    fn from(Output { status, stdout, stderr }: Output) -> Ran {
        let err = String::from_utf8_lossy(&stderr).into_owned();
        Ran { status: status.code().expect("it was not killed"), out: stdout, err }
    }
}

impl Ran {
    /// Asserts the exit status and standard output.
    #[track_caller]
    pub fn gives(&self, status: i32, out: impl AsRef<[u8]>) -> &Ran {
        let out = out.as_ref();
        assert_eq!(self.out.escape_ascii().to_string(), out.escape_ascii().to_string(), "{self:?}");
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// Asserts the exit status, that nothing was printed, and that standard error contains this.
    #[track_caller]
    pub fn fails(&self, status: i32, message: &str) -> &Ran {
        self.gives(status, "").says(message)
    }

    /// Asserts the exit status.
    #[track_caller]
    pub fn status(&self, status: i32) -> &Ran {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// Asserts that standard output contains this.
    #[track_caller]
    pub fn prints(&self, text: &str) -> &Ran {
        assert!(String::from_utf8_lossy(&self.out).contains(text), "no {text:?} in {self:?}");
        self
    }

    /// Asserts that standard error contains this.
    #[track_caller]
    pub fn says(&self, message: &str) -> &Ran {
        assert!(self.err.contains(message), "no {message:?} in {self:?}");
        self
    }

    /// The number after a name in the summary.
    #[track_caller]
    pub fn figure(&self, name: &str) -> f64 {
        let summary = self.err.lines().find(|line| line.starts_with("robotsieve: urls "));
        let mut words = summary.unwrap_or_else(|| panic!("no summary: {self:?}")).split(' ');
        words.find(|word| *word == name).unwrap_or_else(|| panic!("no {name}: {self:?}"));
        words.next().unwrap().parse().unwrap()
    }

    /// Asserts the summary's counts: urls, allowed, disallowed, unknown, invalid, hosts.
    #[track_caller]
    pub fn counts(&self, counts: [u64; 6]) -> &Ran {
        let names = ["urls", "allowed", "disallowed", "unknown", "invalid", "hosts"];
        let got = names.map(|name| self.figure(name) as u64);
        assert_eq!(got, counts, "{self:?}");
        self
    }
}

/// The command, not yet started.
pub fn command(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    watched(Command::new(env!("CARGO_BIN_EXE_robotsieve")), args)
}

/// A shell, not yet started, with a line in which `"$0"` is the command; `"$@"` is what `arg` adds.
#[cfg(unix)]
pub fn in_shell(line: &str) -> Command {
    watched(Command::new("sh"), ["-c", line, env!("CARGO_BIN_EXE_robotsieve")])
}

fn watched(mut command: Command, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    // To read the system's certificates takes longer than all else that a short run does.
    let authority = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/authority.pem");
    command.env("SSL_CERT_FILE", authority).env("SSL_CERT_DIR", "");
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the command without input.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Ran {
    run_with(args, b"")
}

/// Runs the command in this folder, without input.
pub fn run_in(folder: &Path, args: impl IntoIterator<Item = OsString>) -> Ran {
    let mut command = command(args);
    command.current_dir(folder);
    run_command(command, b"")
}

/// Runs the command with this standard input.
pub fn run_with(args: impl IntoIterator<Item = OsString>, input: &[u8]) -> Ran {
    run_command(command(args), input)
}

/// Runs the command with these words, in the folder.
#[track_caller]
pub fn run_line(folder: &Folder, line: &str) -> Ran {
    run_in(&folder.root(), line.split_whitespace().map(Into::into))
}

fn run_command(mut command: Command, input: &[u8]) -> Ran {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A command that ends early closes the pipe.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    output.into()
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// What was printed.
#[track_caller]
pub fn text(ran: &Ran) -> &str {
    str::from_utf8(&ran.out).unwrap()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    member.write_all(bytes).unwrap();
    member.finish().unwrap()
}

/// A temporary folder.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// In memory where there is room.
    pub fn new() -> Folder {
        let folder = memory().map(tempfile::tempdir_in).and_then(Result::ok);
        Folder(folder.unwrap_or_else(|| tempfile::tempdir().unwrap()))
    }

    /// A folder with these files.
    pub fn of(files: &[(&str, &str)]) -> Folder {
        let folder = Folder::new();
        for (name, text) in files {
            folder.file(name, text);
        }
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn root(&self) -> PathBuf {
        self.0.path().to_owned()
    }

    /// Writes a file and returns its path.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

/// Arguments of different types in one list.
macro_rules! args {
    ($($arg:expr),* $(,)?) => {
        [$(std::ffi::OsString::from($arg)),*]
    };
}

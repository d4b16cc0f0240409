//! Programs that the tests start. [`Command`] is used as the standard library's, with two differences:
//!
//! - a child begins with the default reaction to signals. Whoever runs the tests with `nohup` or in the background
//!   may ignore interrupts or hang-ups; children would inherit that and never end by them;
//! - a child that has not ended after [`PATIENCE`] is killed, so that no test waits for ever.

#![cfg_attr(
    unix,
    expect(unsafe_code, reason = "signals are set between fork and exec: see Safety")
)]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::{self, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

/// How long a child may take: far longer than any does.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the tests use of `std::process::Command`.
pub struct Command(process::Command);

impl Command {
    pub fn new(program: impl AsRef<OsStr>) -> Command {
        let mut command = process::Command::new(program);
        default_signals(&mut command);
        Command(command)
    }

    pub fn arg(&mut self, arg: impl AsRef<OsStr>) -> &mut Command {
        self.0.arg(arg);
        self
    }

    pub fn args(&mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> &mut Command {
        self.0.args(args);
        self
    }

    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Command {
        self.0.env(name, value);
        self
    }

    pub fn envs(
        &mut self,
        all: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>,
    ) -> &mut Command {
        self.0.envs(all);
        self
    }

    pub fn current_dir(&mut self, folder: impl AsRef<Path>) -> &mut Command {
        self.0.current_dir(folder);
        self
    }

    pub fn stdin(&mut self, stream: impl Into<Stdio>) -> &mut Command {
        self.0.stdin(stream);
        self
    }

    pub fn stdout(&mut self, stream: impl Into<Stdio>) -> &mut Command {
        self.0.stdout(stream);
        self
    }

    pub fn stderr(&mut self, stream: impl Into<Stdio>) -> &mut Command {
        self.0.stderr(stream);
        self
    }

    pub fn spawn(&mut self) -> io::Result<Child> {
        let child = self.0.spawn()?;
        let deadline = Deadline::of(child.id());
        Ok(Child { child, _deadline: deadline })
    }

    /// As the standard library's, whose streams are piped unless they are set.
    pub fn output(&mut self) -> io::Result<Output> {
        // The streams that are not set are known to `output` alone, which cannot be watched from outside: it is
        // asked on another thread, and this one waits no longer than a child may take.
        thread::scope(|scope| {
            let (sender, receiver) = std::sync::mpsc::channel();
            let program = format!("{:?}", self.0);
            scope.spawn(move || sender.send(self.0.output()));
            match receiver.recv_timeout(PATIENCE) {
                Ok(output) => output,
                Err(_) => overdue(&program),
            }
        })
    }

    pub fn status(&mut self) -> io::Result<ExitStatus> {
        self.spawn()?.wait()
    }
}

/// What the tests use of `std::process::Child`.
pub struct Child {
    child: process::Child,
    _deadline: Deadline,
}

impl Child {
    pub fn wait_with_output(self) -> io::Result<Output> {
        let Child { child, _deadline } = self;
        child.wait_with_output()
    }
}

impl Deref for Child {
    type Target = process::Child;

    fn deref(&self) -> &process::Child {
        &self.child
    }
}

impl DerefMut for Child {
    fn deref_mut(&mut self) -> &mut process::Child {
        &mut self.child
    }
}

/// The children that are watched, by number: the identifier of the process, and when it is killed.
static WATCHED: Mutex<BTreeMap<u64, (u32, Instant)>> = Mutex::new(BTreeMap::new());

/// Watches a child for as long as it exists.
struct Deadline(u64);

impl Deadline {
    fn of(id: u32) -> Deadline {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        static WATCHDOG: Once = Once::new();
        WATCHDOG.call_once(|| drop(thread::spawn(watch)));
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        WATCHED.lock().unwrap().insert(number, (id, Instant::now() + PATIENCE));
        Deadline(number)
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        WATCHED.lock().unwrap().remove(&self.0);
    }
}

fn watch() {
    // A killed child may have left one that keeps its output open.
    const GRACE: Duration = Duration::from_secs(30);
    loop {
        thread::sleep(Duration::from_secs(1));
        let now = Instant::now();
        for (id, deadline) in WATCHED.lock().unwrap().values() {
            if now > *deadline + GRACE {
                overdue(&format!("a child of process {id}"));
            }
            if now > *deadline {
                eprintln!("process {id} has not ended after {PATIENCE:?}: it is killed");
                let _ = process::Command::new("kill").args(["-KILL", &id.to_string()]).status();
            }
        }
    }
}

/// Ends all tests: a thread that waits for a process cannot be told to stop.
fn overdue(what: &str) -> ! {
    eprintln!("{what} has not ended after {PATIENCE:?}");
    process::abort()
}

/// Gives the child the default reaction to the signals that end programs, if this process ignores one of them.
#[cfg(unix)]
fn default_signals(command: &mut process::Command) {
    use std::os::unix::process::CommandExt;

    const ENDING: [libc::c_int; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];
    let is_ignored = |signal: &libc::c_int| {
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: `sigaction` changes nothing if the second argument is null, and fills in the third if it
        // returns 0.
        unsafe {
            libc::sigaction(*signal, std::ptr::null(), action.as_mut_ptr()) == 0
                && action.assume_init().sa_sigaction == libc::SIG_IGN
        }
    };
    // What runs before `exec` costs a fork, which is slow for a large process.
    if !ENDING.iter().any(is_ignored) {
        return;
    }
    // SAFETY: the closure only calls `signal`, which may be called between fork and exec.
    unsafe {
        command.pre_exec(|| {
            for signal in ENDING {
                libc::signal(signal, libc::SIG_DFL);
            }
            Ok(())
        });
    }
}

#[cfg(not(unix))]
fn default_signals(_command: &mut process::Command) {}

//! `robotsieve completions`: prints shell completions.

use clap::{Args, Command};
use clap_complete::generate;

use crate::error::{Failure, Status};
use crate::write::stdout;

/// Print a completion script for a shell
#[derive(Args, Debug)]
#[command(
    verbatim_doc_comment,
    arg_required_else_help = true,
    override_usage = "robotsieve completions SHELL",
    after_help = "\
Examples:
  robotsieve completions bash \\
      > ~/.local/share/bash-completion/completions/robotsieve
  robotsieve completions zsh > ~/.zfunc/_robotsieve        # a folder in $fpath
  robotsieve completions fish > ~/.config/fish/completions/robotsieve.fish
  robotsieve completions elvish >> ~/.config/elvish/rc.elv
  robotsieve completions powershell >> $PROFILE

Exit status:
  0  printed
  2  wrong usage
  3  standard output could not be written"
)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: clap_complete::Shell,
}

/// Prints the script for a whole command line.
pub fn run(args: &CompletionsArgs, mut command: Command) -> Result<Status, Failure> {
    // The generator panics if it cannot write, so it writes to memory.
    let mut script = Vec::new();
    generate(args.shell, &mut command, "robotsieve", &mut script);
    stdout::print(script)
}

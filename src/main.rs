//! The program `acpcheck`: everything is in the library, see `acpcheck::cli`.

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    acpcheck::cli::main(env::args_os()).into()
}

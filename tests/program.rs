//! All tests that start the program, in one program of their own: it is linked once, and tests of
//! all files run side by side.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "a test may read files and start programs")]

#[path = "action.rs"]
mod action;
#[path = "baseline.rs"]
mod baseline;
#[path = "cli.rs"]
mod cli;
#[path = "compliance.rs"]
mod compliance;
#[path = "config.rs"]
mod config;
#[path = "decompress.rs"]
mod decompress;
#[path = "diff.rs"]
mod diff;
#[path = "disturbed.rs"]
mod disturbed;
#[path = "drive.rs"]
mod drive;
#[path = "effort.rs"]
mod effort;
#[path = "escaping.rs"]
mod escaping;
#[path = "interrupted.rs"]
mod interrupted;
#[path = "outputs.rs"]
mod outputs;
#[path = "play.rs"]
mod play;
#[path = "readme.rs"]
mod readme;
#[path = "record.rs"]
mod record;
#[path = "reducing.rs"]
mod reducing;
#[path = "report.rs"]
mod report;
#[path = "support/run.rs"]
mod run;
#[path = "scale.rs"]
mod scale;
#[path = "shell.rs"]
mod shell;
#[path = "snippets.rs"]
mod snippets;
#[path = "stories.rs"]
mod stories;
#[path = "support.rs"]
mod support;
#[path = "watch.rs"]
mod watch;

//! The terminal: colors, errors, and notes on standard error.
//!
//! A message is one line: an error, a note, or text that is printed as it is.

use std::{
    env,
    io::{self, IsTerminal, Write},
};

use clap::Args;

use super::arguments::choice;
use crate::{report::TextStyle, source::printable};

#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct Colors {
    /// When to use colors.
    ///
    /// `auto`: on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        value_parser = choice([
            ("auto", Color::Auto, ""),
            ("always", Color::Always, ""),
            ("never", Color::Never, ""),
        ]),
    )]
    color: Color,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// Standard output and standard error: the style of text there, and methods that print messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Console {
    /// Style (colours, width) of text on standard output.
    pub(super) out: TextStyle,
    /// Style (colours, width) of text on standard error.
    pub(super) err: TextStyle,
    is_terminal: bool,
}

impl Console {
    pub(super) fn new(Colors { color }: Colors) -> Self {
        let is_terminal = io::stdout().is_terminal();
        Self {
            out: style(color, is_terminal),
            err: style(color, io::stderr().is_terminal()),
            is_terminal,
        }
    }

    /// Prints an error on standard error: as one line, or broken into several on a terminal.
    /// Control characters are escaped, since names in the message may come from a transcript.
    pub(super) fn error(&self, message: &str) {
        self.message("error:", owo_colors::Style::new().red().bold(), message);
    }

    /// Prints an error that says why an input could not be read, or not to its end.
    pub(super) fn unread(&self, name: &str, reason: &str) {
        self.error(&format!("`{name}`: {reason}"));
    }

    /// Prints a note on standard error: as one line, or broken into several on a terminal.
    pub(super) fn note(&self, message: &str) {
        self.message("note:", owo_colors::Style::new().cyan().bold(), message);
    }

    fn message(&self, head: &str, style: owo_colors::Style, message: &str) {
        let message = printable(message);
        let message = self.err.wrap(&format!("{head} "), "  ", &message);
        let message = message.strip_prefix(head).unwrap_or_default();
        Self::print(&format!("{}{message}", self.err.paint(head, style)));
    }

    /// Clears the screen if standard output is a terminal, for `--watch`.
    pub(super) fn clear(&self) {
        if self.is_terminal {
            // Clears the screen and the scrollback, then moves the cursor to the top left.
            let _ = write!(io::stdout(), "\x1b[2J\x1b[3J\x1b[H");
            let _ = io::stdout().flush();
        }
    }

    /// Prints a text on standard error as it is, without escaping control characters.
    pub(super) fn print(message: &str) {
        // There is no other place to report a failure to.
        let _ = writeln!(io::stderr(), "{message}");
    }
}

/// The style of text on a stream, by `--color` and the environment (`NO_COLOR`, `TERM`).
fn style(color: Color, is_terminal: bool) -> TextStyle {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let color = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            is_terminal && !set("NO_COLOR") && env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    };
    TextStyle { color, columns: columns(is_terminal) }
}

/// The width of the terminal in columns, else the one that the variable `COLUMNS` gives; `None`
/// without both.
fn columns(is_terminal: bool) -> Option<usize> {
    if is_terminal && let Some((width, _)) = terminal_size::terminal_size() {
        return Some(usize::from(width.0));
    }
    let named = env::var("COLUMNS").ok()?.trim().parse().ok();
    named.filter(|columns| *columns > 0)
}

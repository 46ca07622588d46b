//! Reads `arrows` files, as sacp-tee and nori write them: lines as they crossed the wire, each
//! behind an arrow that shows its direction.
//!
//! ```text
//! → {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
//! ```

use std::borrow::Cow;

use crate::transcript::{
    format::{Beginning, Fidelity, Format, Likelihood, Read},
    limits::APPENDED,
    record::{Body, Record, SenderLabel},
};

pub(super) static FORMAT: Format = Format {
    name: "arrows",
    about: "raw lines after an arrow: sacp-tee, nori `--acp-trace`",
    obtain: "set the agent's command to `sacp-tee --log-file FILE -- my-agent`, or start `nori --acp-trace FILE`",
    limits: &[APPENDED],
    fidelity: Fidelity::Wire,
    detect,
    read: Read::Lines(read),
};

const ARROWS: [&str; 12] = ["→", "←", "-->", "<--", "->", "<-", ">>>", "<<<", ">>", "<<", ">", "<"];

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let has_message = |line| split(line).is_some_and(|(_, rest)| rest.starts_with('{'));
    if !beginning.lines().any(has_message) {
        return Likelihood::No;
    }
    beginning.mostly_lines(|line| split(line).is_some())
}

/// The arrow at the start of a line, and the text behind it; `None` for other lines.
fn split(line: &str) -> Option<(&str, &str)> {
    ARROWS.iter().find_map(|arrow| {
        let rest = line.strip_prefix(arrow)?;
        rest.starts_with([' ', '\t', '{', '[']).then(|| (*arrow, rest.trim_start()))
    })
}

fn read(line: &str) -> Record<'_> {
    let text = line.trim_start();
    let Some((arrow, rest)) = split(text) else { return Record::NOTHING };
    let body = Body::Text(line.len() - rest.len()..line.len());
    Record::labelled(body, Some(SenderLabel::Word(Cow::Borrowed(arrow))))
}

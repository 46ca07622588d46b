//! Reads `jetbrains` files: `acp-transport.log`, which the IDEs of JetBrains write. Messages have a
//! member `type` instead of `jsonrpc`.
//!
//! ```text
//! 2026-06-01 08:00:00,000 [      0]   FINE - AcpTransport - OUT: {"type":"…JsonRpcRequest","id":0,"method":"initialize"}
//! ```

use std::borrow::Cow;

use crate::transcript::{
    format::{Beginning, Fidelity, Format, Likelihood, Read},
    limits::{APPENDED, Limit, Loss},
    record::{Body, Record, SenderLabel},
    time,
};

pub(super) static FORMAT: Format = Format {
    name: "jetbrains",
    about: "`acp-transport.log` of JetBrains IDEs; `OUT` goes to the agent",
    obtain: "set `llm.agent.extended.logging` in Help | Find Action | Registry and restart; Help | Show Log opens a folder with `acp/acp-transport.log` (`acp.log` does not contain the messages)",
    limits: &[
        APPENDED,
        Limit::new("the IDE adds a member `type` to messages; it is not judged", Loss::Nothing),
    ],
    fidelity: Fidelity::Adding(&[ADDED]),
    detect,
    read: Read::Lines(read),
};

/// The member that the IDE adds to each message.
const ADDED: &str = "type";

const WORDS: [&str; 2] = ["OUT", "IN"];

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly_lines(|line| split(line).is_some())
}

/// The word for the direction in a line, and the message behind it; `None` for other lines.
fn split(line: &str) -> Option<(&'static str, &str)> {
    let place = |word: &str| line.find(&format!(" - {word}: ")).map(|at| at + word.len() + 5);
    let (at, word) = WORDS.into_iter().filter_map(|word| Some((place(word)?, word))).min()?;
    let rest = line[at..].trim_start();
    let is_message = rest.starts_with(['{', '[']) && line[..at].contains(char::is_numeric);
    is_message.then_some((word, rest))
}

fn read(line: &str) -> Record<'_> {
    let Some((word, rest)) = split(line) else { return Record::NOTHING };
    Record {
        body: Body::Text(line.len() - rest.len()..line.len()),
        label: Some(SenderLabel::Word(Cow::Borrowed(word))),
        at: time::date(line),
        lane: None,
    }
}

//! Reads `toad` files: the log of Toad. What the client sends is written as Python prints it; what
//! the agent sends is JSON.
//!
//! ```text
//! [client] {'jsonrpc': '2.0', 'id': 0, 'method': 'initialize', 'params': {}}
//! [agent] {"jsonrpc":"2.0","id":0,"result":{}}
//! ```

use crate::{
    protocol::Side,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{Limit, Loss},
        record::{Body, Record},
        syntax::python,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "toad",
    about: "logs of Toad: its own calls as Python values, calls of the agent as JSON",
    obtain: "start `TOAD_LOG=FILE toad`; it overwrites FILE",
    limits: &[Limit {
        what: "Toad does not log its answers to the agent",
        loss: Loss::AnswersOf(Side::Client),
    }],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Lines(read),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    const HEADS: [&str; 4] = ["[client] ", "[agent] {", "[agent] [", "[error] "];
    beginning.mostly_lines(|line| HEADS.iter().any(|head| line.starts_with(head)))
}

fn read(line: &str) -> Record<'_> {
    let place = |rest: &str| line.len() - rest.len()..line.len();
    if let Some(rest) = line.strip_prefix("[client] ") {
        let body = python::message(line, place(rest)).map_or(Body::Nothing, Body::Rebuilt);
        return Record::said_by(body, Side::Client);
    }
    match line.strip_prefix("[agent] ") {
        Some(rest) => Record::said_by(Body::Text(place(rest)), Side::Agent),
        None => Record::NOTHING,
    }
}

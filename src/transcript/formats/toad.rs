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
    let (mut own, mut all) = (0, 0);
    for line in beginning.lines() {
        let is_own = ["[client] {", "[agent] {", "[agent] [", "[error] ", "[client] "]
            .iter()
            .any(|head| line.starts_with(head));
        own += usize::from(is_own);
        all += 1;
    }
    Likelihood::sure_if(own * 2 > all)
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

//! Reads `inline-direction` files, as `dart_acp` advises its users to write them: messages, one a
//! line, with the direction as one more member.
//!
//! ```text
//! {"direction":"outgoing","jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
//! ```

use crate::{
    json::Node,
    protocol::Side,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        labels::method_sender,
        limits::{Limit, Loss},
        record::{Body, Record},
        time, wrapper,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "inline-direction",
    about: "messages with an added member `direction`, as dart_acp recommends to clients",
    obtain: "log each message with a member `direction`: `incoming` or `outgoing`",
    limits: &[Limit::new(
        "the recorder adds members to the messages; they are not judged",
        Loss::Nothing,
    )],
    fidelity: Fidelity::Adding(&ADDED),
    detect,
    read: Read::Values(read),
};

/// Members by which the recorder adds the direction to each message.
const ADDED: [&str; 2] = ["direction", "dir"];

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let has_word = |line: Node<'_>| {
        ADDED.into_iter().find_map(|name| line.get(name)).is_some_and(Node::is_string)
    };
    // A recorder adds the member to what the client sends, too; no agent can.
    let is_of_client = |line: &Node<'_>| method_sender(*line) == Some(Side::Client);
    let lines = || beginning.values.iter().copied().filter(|line| line.get("jsonrpc").is_some());
    if lines().any(|line| is_of_client(&line) && !has_word(line)) {
        return Likelihood::No;
    }
    beginning.mostly(|line| has_word(line) && line.get("jsonrpc").is_some())
}

fn read(line: Node<'_>) -> Record<'_> {
    let label = ADDED.into_iter().find_map(|name| wrapper::label(line.get(name)?));
    let label = label.filter(|_| line.get("jsonrpc").is_some());
    Record { body: Body::Message(line), label, at: time::of(line), lane: None }
}

//! Reads `hydra` files, the history that hydra-acp keeps of each session, and `hydra-bundle` files,
//! a session that it exports as one JSON document. Both hold notifications of the agent alone.
//!
//! ```text
//! {"method":"session/update","params":{"sessionId":"bed-7","update":{"sessionUpdate":"plan","entries":[]}}}
//! ```

use crate::{
    json::Node,
    protocol::{Edition, Side, Surface, schema::Protocol},
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{Limit, Loss, NO_ENVELOPE},
        rebuilt::Rebuilt,
        record::{Body, Record, SenderLabel},
        syntax::members,
        time,
    },
};

const LIMITS: &[Limit] = &[
    Limit {
        what: "hydra-acp keeps only the agent's notifications and changes the session id",
        loss: Loss::AllButUpdates,
    },
    Limit::new(
        "session updates of a kind that no protocol version defines come from hydra-acp",
        Loss::Nothing,
    ),
    Limit::new(
        "hydra-acp removes or shortens long texts of tool calls; they are not judged",
        Loss::Nothing,
    ),
    NO_ENVELOPE,
];

pub(super) static FORMAT: Format = Format {
    name: "hydra",
    about: "session histories of hydra-acp: notifications of the agent",
    obtain: "hydra-acp always writes `history.jsonl` in a folder for each session",
    limits: LIMITS,
    fidelity: Fidelity::Masked,
    detect: |beginning| beginning.mostly(is_entry),
    read: Read::Values(read),
};

pub(super) static BUNDLE: Format = Format {
    name: "hydra-bundle",
    about: "sessions exported by hydra-acp: notifications of the agent",
    obtain: "run `hydra-acp session export <id> --out FILE`",
    limits: LIMITS,
    fidelity: Fidelity::Masked,
    detect: detect_bundle,
    read: Read::Document(read_bundle),
};

fn is_entry(line: Node<'_>) -> bool {
    line.get("recordedAt").is_some() && line.get("method").is_some_and(Node::is_string)
}

/// Whether a message is an update that hydra-acp made for its own clients, such as
/// `prompt_received`: its kind is neither the protocol's nor an extension with `_`.
fn is_own(line: Node<'_>) -> bool {
    let kind = line.path(&["params", "update", "sessionUpdate"]).and_then(Node::text);
    kind.is_some_and(|kind| {
        let kind = kind.as_cow();
        let is_known = |surface| {
            let update = Protocol::of(surface, Edition::CURRENT).definition("SessionUpdate");
            update.is_some_and(|update| update.tags("sessionUpdate").any(|own| own == kind))
        };
        !kind.starts_with('_')
            && ![Surface::V1Unstable, Surface::V2Unstable].into_iter().any(is_known)
    })
}

fn read(line: Node<'_>) -> Record<'_> {
    if line.get("method").is_none() || is_own(line) {
        return Record::NOTHING;
    }
    let rebuilt = Rebuilt::message(line, |name| match name {
        "method" => Some("method"),
        "params" => Some("params"),
        _ => None,
    });
    Record {
        body: Body::Rebuilt(rebuilt),
        label: Some(SenderLabel::Side(Side::Agent)),
        at: time::of(line),
        lane: None,
    }
}

fn detect_bundle(beginning: &Beginning<'_>) -> Likelihood {
    let names = ["exportedAt", "history"];
    let is_own = members::has(beginning.text, &names)
        && memchr::memmem::find(beginning.bytes, b"recordedAt").is_some();
    Likelihood::sure_if(is_own)
}

fn read_bundle<'t>(document: Node<'t>, records: &mut Vec<Record<'t>>) {
    let history = document.get("history").map(Node::elements);
    records.extend(history.into_iter().flatten().map(read));
}

//! The journal that acpx keeps of a session.

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        formats::bare,
        limits::APPENDED,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "acpx-journal",
    about: "the journal that acpx keeps of each session: bare messages between marker lines",
    obtain: "acpx writes it by itself: `~/.acpx/sessions/<record id>.stream.ndjson`; older parts are in `.stream.1.ndjson`, the newest of them, and so on",
    limits: &[APPENDED],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Messages { is_note },
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    Likelihood::sure_if(beginning.values.iter().any(|line| bare::is_marker(*line)))
}

fn is_note(line: Node<'_>) -> bool {
    line.get("jsonrpc").is_none() && line.get("schema").is_some() || bare::is_note(line)
}

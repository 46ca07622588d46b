//! Reads `acpx-journal` files: the journal that acpx keeps of each session. Bare messages stand
//! between marker lines.
//!
//! ```text
//! {"schema":"acpx.session.journal.v1","type":"turn_started","request_id":"q"}
//! {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
//! ```

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        formats::bare,
        limits::APPENDED,
        wrapper::looks_like_message,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "acpx-journal",
    about: "journals of acpx: one message on each line, with other lines between them",
    obtain: "acpx always writes `~/.acpx/sessions/<record id>.stream.ndjson`; older parts are in `.stream.1.ndjson`, `.stream.2.ndjson` and so on",
    limits: &[APPENDED],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Messages { is_note },
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    Likelihood::sure_if(beginning.values.iter().any(|line| bare::is_marker(*line)))
}

fn is_note(line: Node<'_>) -> bool {
    let is_own = line.get("schema").is_some() && !looks_like_message(line);
    line.get("jsonrpc").is_none() && is_own || bare::is_note(line)
}

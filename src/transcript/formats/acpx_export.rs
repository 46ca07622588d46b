//! Reads `acpx-export` files: what `acpx sessions export` writes. The file is one JSON document
//! with the messages in its list `history`.

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        formats::bare,
        limits::APPENDED,
        record::Record,
        syntax::members,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "acpx-export",
    about: "sessions exported by acpx: one JSON document with the messages in `history`",
    obtain: "run `acpx <agent> sessions export -s <session> --output FILE`; `acpx <agent> sessions list` lists the names",
    limits: &[APPENDED],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Document(read),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let is_own = members::has(beginning.text, &["format_version", "exported_by"])
        || members::has(beginning.text, &["format_version", "history"]);
    Likelihood::sure_if(is_own)
}

fn read<'t>(document: Node<'t>, records: &mut Vec<Record<'t>>) {
    let history = document.get("history").map(Node::elements);
    records
        .extend(history.into_iter().flatten().filter_map(|entry| bare::FORMAT.read.record(entry)));
}

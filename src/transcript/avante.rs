//! The session log of avante for Neovim.

use crate::{
    json::{Doc, Tape},
    source::Origin,
    transcript::{
        Beginning, Body, Fidelity, Format, Label, Likelihood, Read, Record,
        direction::method_sender, scan,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "avante",
    about: "the session log of avante.nvim: calls as JSON, answers as Lua tables",
    obtain: "in Neovim, set `debug = true` for avante; `avante-acp-session.log` is in \
             `stdpath(\"cache\")` or the working folder",
    limits: &["answers are Lua tables in the log and are not read; rules about answers cannot be \
               assessed"],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Text(read),
};

const HEADS: [&str; 3] = ["request: ", "notification: ", "response: "];

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let is_own = |line: &str| {
        HEADS
            .iter()
            .any(|head| line.strip_prefix(head).is_some_and(|rest| rest.starts_with(['{', '<'])))
    };
    let has_rule = memchr::memmem::find(beginning.bytes, b"================").is_some();
    Likelihood::sure_if(has_rule && beginning.lines().any(is_own))
}

fn read<'t>(text: &'t str, records: &mut Vec<Record<'t>>) {
    let mut tape = Tape::default();
    for (start, line) in scan::lines(text) {
        let mut end = 0;
        // Without line breaks between them, entries follow one another on a line.
        for (colon, _) in line.match_indices(": {") {
            let from = colon + 2;
            if from < end || !HEADS.iter().any(|head| line[..from].ends_with(head)) {
                continue;
            }
            end = from + scan::length(&line[from..]);
            let body = &line[from..end];
            if tape.parse(body).is_err() {
                continue;
            }
            let sender = method_sender(Doc::new(body, &tape, Origin::START).root());
            let label = sender.map(Label::Side);
            records.push(Record::labelled(Body::Text(start + from..start + end), label));
        }
    }
}

//! Reads `codecompanion` files: the RPC log of the Neovim plugin CodeCompanion.nvim. Time,
//! direction and message stand on three lines.
//!
//! ```text
//! 2026-06-01 08:00:00.000
//! Sent:
//! {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
//! ```

use std::borrow::Cow;

use crate::transcript::{
    format::{Beginning, Fidelity, Format, Likelihood, Read},
    limits::APPENDED,
    record::{Body, Record, SenderLabel},
    syntax::scan,
    time,
};

pub(super) static FORMAT: Format = Format {
    name: "codecompanion",
    about: "RPC logs of CodeCompanion.nvim: time, direction and message on separate lines",
    obtain: "in Neovim, set `opts.log_level = \"TRACE\"` for CodeCompanion; the logs are in `stdpath(\"log\")`, and `:checkhealth codecompanion` shows their paths",
    limits: &[APPENDED],
    fidelity: Fidelity::Texts,
    detect,
    read: Read::Text(read),
};

const HEADS: [&str; 2] = ["Sent:", "Received:"];

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let mut lines = beginning.lines().peekable();
    while let Some(line) = lines.next() {
        if HEADS.contains(&line) && lines.peek().is_some_and(|next| next.starts_with('{')) {
            return Likelihood::Sure;
        }
    }
    Likelihood::No
}

fn read<'t>(text: &'t str, records: &mut Vec<Record<'t>>) {
    let mut at = None;
    let blocks = scan::blocks(text, |line| {
        let line = line.trim();
        if line.starts_with(|first: char| first.is_ascii_digit()) {
            at = time::date(line).or(at);
        }
        let head = HEADS.into_iter().find(|head| *head == line)?;
        Some((head.trim_end_matches(':'), at))
    });
    records.extend(blocks.into_iter().map(|((word, at), place)| Record {
        body: place.map_or(Body::Unread, Body::Text),
        label: Some(SenderLabel::Word(Cow::Borrowed(word))),
        at,
        lane: None,
    }));
}

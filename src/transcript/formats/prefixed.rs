//! Reads `prefixed` files: logs of any other kind that have messages on lines of their own behind
//! some prefix, and Markdown with messages in code blocks. Detection tries this format last.
//!
//! ```text
//! 08:00:00 gardener[12]: send {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
//! ```

use std::borrow::Cow;

use crate::{
    json::{Doc, Tape},
    source::Origin,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        joiner::Joiner,
        labels,
        limits::{Limit, Loss},
        pieces,
        record::{Body, Record, SenderLabel},
        syntax::scan,
        time,
        wrapper::looks_like_message,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "prefixed",
    about: "other logs with each message after a prefix, and Markdown",
    obtain: "log each message on one line, with a word such as `send` or `recv` before it",
    limits: &[Limit::new("acpcheck ignores lines without a message", Loss::Nothing)],
    fidelity: Fidelity::Texts,
    detect,
    read: Read::Joined(read),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    if beginning.is_fenced() {
        return Likelihood::Sure;
    }
    let is_behind = |line: &str| place(line).is_some_and(|(start, _)| start > 0);
    let has_any = beginning.lines().any(is_behind)
        || beginning.text.contains("jsonrpc")
            && Joiner::texts(beginning.text).iter().any(|text| is_behind(text));
    if has_any { Likelihood::Possible } else { Likelihood::No }
}

/// Place of the first message, or array of messages, on a line, in bytes; `None` where there is
/// none.
fn place(line: &str) -> Option<(usize, usize)> {
    /// Most opening brackets of a line at which a message is looked for; a line with more is not
    /// searched further.
    const TRIES: usize = 8;
    let mut tape = Tape::default();
    let mut behind = 0;
    for (start, _) in line.match_indices(['{', '[']).take(TRIES) {
        if start < behind {
            continue;
        }
        let text = &line[start..start + scan::length(&line[start..])];
        if tape.parse(text).is_ok() {
            // What stands inside of a value is a part of it.
            behind = start + text.len();
            if looks_like_message(Doc::new(text, &tape, Origin::START).root()) {
                return Some((start, followed(line, behind)));
            }
        }
    }
    None
}

/// End of the last of several messages that follow each other on a line. `end` is that of the
/// first.
fn followed(line: &str, mut end: usize) -> usize {
    let mut tape = Tape::default();
    loop {
        let rest = line[end..].trim_start();
        let text = &rest[..scan::length(rest)];
        let is_message = rest.starts_with('{')
            && tape.parse(text).is_ok()
            && looks_like_message(Doc::new(text, &tape, Origin::START).root());
        if !is_message {
            return end;
        }
        end = line.len() - rest.len() + text.len();
    }
}

/// Offset at which a message begins that is not JSON, since the log has cut off its end or the
/// sender has not written JSON; `None` where there is none.
fn beginning(line: &str) -> Option<usize> {
    const FIRST: [&str; 4] = ["{\"jsonrpc\":", "{\"id\":", "{\"method\":", "{\"params\":"];
    let start = line.find("{\"")?;
    let (prefix, text) = line.split_at(start);
    let head: String = text.chars().take(40).filter(|character| *character != ' ').collect();
    let is_one = FIRST.iter().any(|first| head.starts_with(first));
    let is_prefixed = prefix.contains(char::is_alphanumeric);
    let mut tape = Tape::default();
    let fault = tape.parse(text).err().filter(|_| is_prefixed)?;
    let is_whole = || text.trim_end().ends_with('}') && text.contains("\"jsonrpc\"");
    (is_one && pieces::is_cut(text, fault) || word(prefix).is_some() && is_whole()).then_some(start)
}

/// Whether a line without a message tells of a direction, and then has one within another value, such
/// as a string.
fn hides_message(line: &str) -> bool {
    let (prefix, value) = line.split_at(line.find(['"', '{']).unwrap_or(line.len()));
    scan::hides_message(value) && word(prefix).is_some()
}

fn read(line: &str) -> Record<'_> {
    let cut = || beginning(line).map(|start| (start, line.len()));
    let Some((start, end)) = place(line).or_else(cut) else {
        return if hides_message(line) { Record::of(Body::Unread) } else { Record::NOTHING };
    };
    let label = word(&line[..start]).map(SenderLabel::Word);
    Record { at: time(line), ..Record::labelled(Body::Text(start..end), label) }
}

/// The time of a line that begins with a date, which may stand in brackets.
fn time(line: &str) -> Option<f64> {
    let line = line.trim_start_matches(['[', ' ']);
    let is_date =
        |[first, second, third]: [&u8; 3]| (*first, *second, *third) == (b'-', b'-', b':');
    let bytes = line.as_bytes();
    let marks = [bytes.get(4)?, bytes.get(7)?, bytes.get(13)?];
    is_date(marks).then(|| time::date(line)).flatten()
}

/// The last word before the message that may name its direction. The word before that is added if
/// it names an end of the connection, since both ends may write into one log. `None` without such a
/// word.
fn word(prefix: &str) -> Option<Cow<'_, str>> {
    const WORDS: [&str; 26] = [
        "→", "←", "-->", "<--", "->", "<-", ">>>", "<<<", ">>", "<<", ">", "<", "OUT", "IN", "out",
        "in", "send", "recv", "sent", "received", "SEND", "RECV", "outgoing", "incoming", "client",
        "agent",
    ];
    let is_edge = |character: char| matches!(character, '[' | ']' | '(' | ')' | ':' | ',' | '|');
    let words = || prefix.split_whitespace().rev().map(|word| word.trim_matches(is_edge));
    // Written as one word, too: `client_send`.
    let parts = words().flat_map(|word| word.split(['_', '.', '/', ':']).rev());
    let is_known = |word: &&str| WORDS.contains(word);
    if let Some(told) = told_by_end(parts) {
        return Some(told.into());
    }
    words().find(is_known).map(Cow::Borrowed)
}

/// The end and the direction in the last such pair of words. `words` come from the last to the
/// first; `None` without a pair.
fn told_by_end<'t>(words: impl Iterator<Item = &'t str>) -> Option<String> {
    let mut way: Option<&str> = None;
    for word in words.filter(|word| !word.is_empty()) {
        if let Some(way) = way.filter(|_| labels::is_end(word)) {
            return Some(format!("{word} {way}").to_lowercase());
        }
        way = labels::is_way(word).then_some(word);
    }
    None
}

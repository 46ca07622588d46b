//! The transport log of the IDEs of JetBrains.

use std::borrow::Cow;

use crate::transcript::{Beginning, Body, Fidelity, Format, Label, Likelihood, Read, Record, time};

pub(super) static FORMAT: Format = Format {
    name: "jetbrains",
    about: "`acp-transport.log` of the IDEs of JetBrains; `OUT` goes to the agent",
    obtain: "set `llm.agent.extended.logging` in Help | Find Action | Registry, restart, and take \
             `log/acp/acp-transport.log` from Help | Show Log; `acp.log` beside it is prose",
    limits: &["the IDE adds a member `type` to its messages; the members of messages are not \
               judged for that one"],
    fidelity: Fidelity::Adding(&[ADDED]),
    detect,
    read: Read::Lines(read),
};

/// The member that the IDE adds.
const ADDED: &str = "type";

const WORDS: [&str; 2] = ["OUT", "IN"];

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let (mut own, mut all) = (0, 0);
    for line in beginning.lines() {
        own += usize::from(split(line).is_some());
        all += 1;
    }
    Likelihood::sure_if(own * 2 > all)
}

/// The word for the direction and what stands behind it.
fn split(line: &str) -> Option<(&'static str, &str)> {
    let head = &line[..line.find('{').unwrap_or(line.len())];
    WORDS.into_iter().find_map(|word| {
        let at = head.rfind(" - ")?;
        let rest = head[at + 3..].strip_prefix(word)?.strip_prefix(':')?;
        (rest.trim().is_empty() && head[..at].contains(" - ")).then(|| {
            (word, line[line.len() - (line.len() - head.len()) - rest.len()..].trim_start())
        })
    })
}

fn read(line: &str) -> Record<'_> {
    let Some((word, rest)) = split(line) else { return Record::NOTHING };
    Record {
        body: Body::Text(line.len() - rest.len()..line.len()),
        label: Some(Label::Word(Cow::Borrowed(word))),
        at: time::date(line),
        lane: None,
    }
}

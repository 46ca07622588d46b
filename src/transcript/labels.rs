//! Maps a recorder's words for the sender to sides. Recorders disagree on words such as `in`, so the
//! methods of the messages decide.

use std::cmp::Ordering;

use crate::{
    json::Node,
    protocol::{
        Edition, Side, Surface,
        schema::{Handler, Protocol},
    },
    transcript::record::SenderLabel,
};

/// The side that each sender label of a recording means, such as `out` or `client`.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// Labels whose side was found by the methods of their messages.
    words: Vec<(Box<str>, Side)>,
    /// Whether words whose meaning the file does not show mean the opposite of what they say, as
    /// other words of the file do.
    is_swapped: bool,
}

/// How many messages with a label only the client sends (index 0 of `by`) or only the agent (index
/// 1).
#[derive(Debug)]
struct Count<'t> {
    label: SenderLabel<'t>,
    by: [u32; 2],
}

impl Count<'_> {
    /// The side that sends most of the messages with the label; `None` for a tie.
    fn side(&self) -> Option<Side> {
        let [client, agent] = self.by;
        let most = match client.cmp(&agent) {
            Ordering::Greater => Side::Client,
            Ordering::Less => Side::Agent,
            Ordering::Equal => return None,
        };
        Some(most)
    }

    /// Number of messages that show which side the label means.
    fn weight(&self) -> u32 {
        self.by[0].max(self.by[1])
    }
}

impl Labels {
    /// Finds the meaning of labels from messages whose methods only one side sends. Of two labels,
    /// one shows the meaning of the other.
    pub fn calibrate<'t>(messages: impl Iterator<Item = (Node<'t>, SenderLabel<'t>)>) -> Self {
        /// How many distinct sender labels of a file are counted. Recorders write two or a few;
        /// further labels are ignored, since a member with more values is not the name of a side.
        const WORDS: usize = 16;
        let mut counts: Vec<Count<'t>> = Vec::new();
        for (message, label) in messages {
            let known = counts.iter().position(|count| count.label == label);
            let index = match known {
                Some(index) => index,
                None if counts.len() < WORDS => {
                    counts.push(Count { label, by: [0; 2] });
                    counts.len() - 1
                }
                None => continue,
            };
            if let Some(side) = method_sender(message) {
                counts[index].by[side as usize] += 1;
            }
        }
        Self::of(&counts)
    }

    fn of(counts: &[Count<'_>]) -> Self {
        // Words that name the sides all mean what they say, or all the opposite.
        let (mut agree, mut contradict) = (0_u32, 0_u32);
        for count in counts {
            let SenderLabel::Word(word) = &count.label else { continue };
            if let Some(said) = meaning(word).filter(|_| names_side(word)) {
                agree += count.by[said as usize];
                contradict += count.by[said.peer() as usize];
            }
        }
        let named = |word: &str| {
            let said = meaning(word).filter(|_| names_side(word))?;
            Some(if contradict > agree * 9 { said.peer() } else { said })
        };
        let mut words: Vec<(&str, u32, Option<Side>)> = counts
            .iter()
            .filter_map(|count| match &count.label {
                SenderLabel::Word(word) => {
                    Some((&**word, count.weight(), named(word).or_else(|| count.side())))
                }
                SenderLabel::Side(_) => None,
            })
            .collect();
        let turned = words.iter().filter_map(|(word, _, side)| Some(meaning(word)? != (*side)?));
        let (against, with): (Vec<_>, Vec<_>) = turned.partition(|is_turned| *is_turned);
        if let [(one_word, one, first), (other_word, two, second)] = words.as_mut_slice() {
            match (*first, *second) {
                (Some(side), None) => *second = Some(side.peer()),
                (None, Some(side)) => *first = Some(side.peer()),
                // One of them stands at the answers of the other side.
                (Some(side), Some(same)) if side == same && one != two => {
                    *(if one < two { first } else { second }) = Some(side.peer());
                }
                // What one side sends comes back from the other: the words are believed.
                (Some(side), Some(same)) if side == same => {
                    (*first, *second) = (meaning(one_word), meaning(other_word));
                }
                _ => {}
            }
        }
        let words = words.into_iter().filter_map(|(word, _, side)| Some((word.into(), side?)));
        Self { words: words.collect(), is_swapped: against.len() > with.len() }
    }

    /// The side that a label means; `None` for a word whose meaning is unknown.
    pub fn side(&self, label: &SenderLabel<'_>) -> Option<Side> {
        match label {
            SenderLabel::Side(side) => Some(*side),
            SenderLabel::Word(word) => {
                let known = self.words.iter().find(|(own, _)| **own == **word);
                known.map(|(_, side)| *side).or_else(|| {
                    let said = meaning(word)?;
                    Some(if self.is_swapped { said.peer() } else { said })
                })
            }
        }
    }

    /// Whether labels that name a side were found to mean the other side.
    pub fn contradict_themselves(&self) -> bool {
        let is_turned = |(word, side): &(Box<str>, Side)| meaning(word) != Some(*side);
        self.words.iter().any(|known| names_side(&known.0) && is_turned(known))
    }
}

/// The side that sends messages with this method, in either version; `None` where both may, or the
/// method is unknown.
pub fn method_sender(message: Node<'_>) -> Option<Side> {
    let method = message.get("method")?.text()?;
    let method = method.as_cow();
    [Surface::V1Unstable, Surface::V2Unstable].into_iter().find_map(|surface| {
        let method = Protocol::of(surface, Edition::CURRENT).method(&method)?;
        let call = method.call(message.get("id").is_some())?;
        match call.handler {
            Handler::Client => Some(Side::Agent),
            Handler::Agent => Some(Side::Client),
            _ => None,
        }
    })
}

/// A word in lower case without spaces, `_` and `-`, which writers use differently.
fn plain(word: &str) -> String {
    word.chars()
        .filter(|character| !matches!(character, ' ' | '_' | '-' | '\t'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether a label of a recorder, such as `client` or `c2a`, names a side. The label then means
/// this side, whatever the methods of its messages suggest.
fn names_side(word: &str) -> bool {
    let word = plain(word);
    ["client", "agent", "editor", "c2a", "a2c", "c>a", "a>c"].iter().any(|name| word.contains(name))
}

/// The sender that a word for a direction or a side means; `None` for other words. Words such as
/// `out` are taken as written by the client, which `Labels` corrects.
fn meaning(word: &str) -> Option<Side> {
    match &*plain(word) {
        "client>agent" | "clienttoagent" | "c2a" | "c>a" | "toagent" | "fromclient" | "client"
        | "editor" | "editortoagent" | "editor>agent" | "host>agent" | "out" | "outbound"
        | "outgoing" | "send" | "sent" | ">" | ">>" | ">>>" | "→" | "stdin" | "tx" | "write"
        | "request" | "downstream" | "client→agent" => Some(Side::Client),
        "agent>client" | "agenttoclient" | "a2c" | "a>c" | "toclient" | "fromagent" | "agent"
        | "agenttoeditor" | "agent>editor" | "agent>host" | "in" | "inbound" | "incoming"
        | "recv" | "received" | "receive" | "<" | "<<" | "<<<" | "←" | "stdout" | "rx" | "read"
        | "response" | "upstream" | "agent→client" => Some(Side::Agent),
        word => told_by_end(word),
    }
}

/// Whether a word names an end of the connection, such as `agent`.
pub(super) fn is_end(word: &str) -> bool {
    ENDS.iter().any(|(end, _)| word.eq_ignore_ascii_case(end))
}

/// Whether a word names the way of a message as seen from one end, such as `recv`.
pub(super) fn is_way(word: &str) -> bool {
    let word = word.to_lowercase();
    AWAY.contains(&&*word) || TOWARDS.contains(&&*word)
}

const ENDS: [(&str, Side); 3] =
    [("client", Side::Client), ("editor", Side::Client), ("agent", Side::Agent)];
const AWAY: [&str; 12] = [
    "send", "sends", "sent", "sending", "out", "outgoing", "outbound", "write", "writes", "wrote",
    "tx", "-->",
];
const TOWARDS: [&str; 13] = [
    "recv",
    "receive",
    "receives",
    "received",
    "receiving",
    "in",
    "incoming",
    "inbound",
    "read",
    "reads",
    "rx",
    "got",
    "<--",
];

/// The sender by a label that names the writer of the log and a direction: `agent recv` was sent by
/// the client. `None` for other labels.
fn told_by_end(word: &str) -> Option<Side> {
    ENDS.iter().find_map(|(end, side)| {
        let way = word.strip_prefix(end)?;
        let is_in = |ways: &[&str]| ways.iter().any(|own| plain(own) == way);
        match (is_in(&AWAY), is_in(&TOWARDS)) {
            (true, _) => Some(*side),
            (_, true) => Some(side.peer()),
            _ => None,
        }
    })
}

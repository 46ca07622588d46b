//! Tells whether the messages of several connections take turns in a file in which nothing tells them
//! apart.
//!
//! A second `initialize` may be that of an agent which was started again. Then nothing of the first
//! connection follows. So what counts is what can only be the first connection going on: an id that is
//! answered twice because two requests had it, an answer to what was asked before, a request that continues
//! the numbers of the first connection in a session of it, and ids that come again where both began
//! together.

use crate::{
    json::{Node, Text},
    map::{IndexMap, Set},
    protocol::Side,
    transcript::{
        doubled::Senders,
        limits::{Limit, MIXED, MIXED_VERSIONS},
    },
};

/// State of the search for connections that alternate in one file without names.
#[derive(Default)]
struct Mixture {
    /// Ids of all `initialize` requests so far, as written in the file.
    openings: Vec<Box<str>>,
    /// Names of the clients (index 0) and of the agents (index 1) in `initialize` exchanges.
    names: [Set<Box<str>>; 2],
    versions: Set<Box<str>>,
    /// Requests of the client without an answer, by id as written in the file.
    waiting: IndexMap<Box<str>, Waiting>,
    /// Ids of the sessions that were named before the last `initialize`; `sessions` has those named
    /// since.
    earlier_sessions: Set<Box<str>>,
    sessions: Set<Box<str>>,
    /// Highest id of the client's requests: before the last `initialize` (index 0), and since
    /// (index 1). `None` without numbers.
    highest: [Option<i64>; 2],
    /// Ids of the client's requests since the last `initialize`, to notice repeated ones.
    used: Set<i64>,
    /// Whether two `initialize` requests were open at the same time, and both were answered.
    begin_together: bool,
    evidence: usize,
}

/// How many requests of the client with one id wait for an answer.
#[derive(Default)]
struct Waiting {
    /// How many of these requests were sent before the last `initialize`; `since` counts those
    /// after it.
    earlier: usize,
    since: usize,
    /// Whether two requests with this id waited for an answer at the same time.
    overlap: bool,
}

impl Waiting {
    fn add(&mut self) {
        self.overlap |= self.earlier + self.since > 0;
        self.since += 1;
    }
}

/// The limit of a file in which messages of several connections alternate; `None` for other files.
/// Each message comes with its sender by the recorder's label.
pub(super) fn limit(messages: &[(Node<'_>, Option<Side>)]) -> Option<Limit> {
    /// Number of signs from which on connections count as mixed, since a fault of a side can look
    /// like one.
    const ENOUGH: usize = 2;
    let is_opening = |(message, _): &&(Node<'_>, Option<Side>)| opens(*message);
    if messages.iter().filter(is_opening).count() < 2 {
        return None;
    }
    let (mut mixture, mut senders) = (Mixture::default(), Senders::default());
    for (message, said) in messages {
        if let Some(sender) = senders.next(*message, *said) {
            mixture.take(*message, sender);
        }
    }
    let limit = if mixture.versions.len() > 1 { MIXED_VERSIONS } else { MIXED };
    (mixture.evidence >= ENOUGH).then_some(limit)
}

fn opens(message: Node<'_>) -> bool {
    message.get("method").is_some_and(|method| method.is("initialize"))
}

impl Mixture {
    fn take(&mut self, message: Node<'_>, sender: Side) {
        let id = message.get("id").map(Node::raw);
        match (message.get("method").and_then(Node::text), id) {
            (Some(method), id) => {
                let method = method.as_cow();
                match id.filter(|_| sender == Side::Client) {
                    Some(id) if method == "initialize" => self.open(message, id),
                    Some(id) => self.ask(message, &method, id),
                    None => {}
                }
                self.sessions.extend(session(message.get("params")));
            }
            (None, Some(id)) if sender == Side::Agent => self.answer(message, id),
            _ => {}
        }
    }

    /// Notes an `initialize` request, with which another connection begins.
    fn open(&mut self, message: Node<'_>, id: &str) {
        let params = message.get("params");
        let name = params.and_then(|params| {
            ["clientInfo", "info"].iter().find_map(|info| params.path(&[info, "name"]))
        });
        self.names[0].extend(name.and_then(Node::text).map(Text::to_boxed));
        let version = params.and_then(|params| params.get("protocolVersion"));
        self.versions.extend(version.map(|version| version.raw().into()));
        self.openings.push(id.into());
        self.earlier_sessions.extend(self.sessions.drain());
        let [earlier, since] = self.highest;
        self.highest = [earlier.max(since), number(id)];
        self.used = number(id).into_iter().collect();
        for waiting in self.waiting.values_mut() {
            waiting.earlier += std::mem::take(&mut waiting.since);
        }
        self.waiting.entry(id.into()).or_default().add();
    }

    /// Notes a request of the client, and whether it seems to belong to an earlier connection.
    fn ask(&mut self, message: Node<'_>, method: &str, id: &str) {
        self.waiting.entry(id.into()).or_default().add();
        let own = session(message.get("params"));
        let is_earlier = own.is_some_and(|own| {
            // What is loaded again goes on under its id.
            let goes_on =
                !matches!(method, "session/prompt" | "session/set_mode" | "session/close");
            if goes_on {
                self.earlier_sessions.remove(&own);
            }
            self.earlier_sessions.contains(&own) && !self.sessions.contains(&own)
        });
        let Some(own) = number(id) else { return };
        let follows =
            |highest: Option<i64>| highest.is_some_and(|it| it.checked_add(1) == Some(own));
        let has_same_ids = self.has_same_ids();
        let [earlier, since] = &mut self.highest;
        if is_earlier && has_same_ids && follows(*earlier) && !follows(*since) {
            *earlier = Some(own);
            self.evidence += 1;
        } else {
            let is_known = !self.used.insert(own);
            // Clients may use an id again: alone, that shows nothing.
            self.evidence += usize::from(is_known && self.begin_together);
            *since = (*since).max(Some(own));
        }
    }

    /// Notes an answer of the agent, and whether it seems to belong to an earlier connection.
    fn answer(&mut self, message: Node<'_>, id: &str) {
        let info =
            ["agentInfo", "info"].iter().find_map(|info| message.path(&["result", info, "name"]));
        self.names[1].extend(info.and_then(Node::text).map(Text::to_boxed));
        if let Some(created) = session(message.get("result")) {
            self.earlier_sessions.remove(&created);
            self.sessions.insert(created);
        }
        let are_others = self.has_same_ids() || self.names.iter().any(|names| names.len() > 1);
        let Some(waiting) = self.waiting.get_mut(id) else { return };
        let is_late = waiting.since == 0 && waiting.earlier > 0 && are_others;
        if waiting.since > 0 {
            waiting.since -= 1;
        } else {
            waiting.earlier = waiting.earlier.saturating_sub(1);
        }
        // What an agent that has died was asked is never answered.
        let are_both_answered =
            waiting.overlap && waiting.earlier + waiting.since == 0 && self.openings.len() > 1;
        if are_both_answered {
            waiting.overlap = false;
            self.begin_together |= self.openings.iter().any(|opening| **opening == *id);
        }
        self.evidence += usize::from(is_late || are_both_answered);
    }

    /// Whether the last `initialize` has the id of an earlier one, as in connections that each
    /// count from the same id.
    fn has_same_ids(&self) -> bool {
        self.openings.split_last().is_some_and(|(last, before)| before.contains(last))
    }
}

/// The session id in params or a result; `None` where there is none.
fn session(value: Option<Node<'_>>) -> Option<Box<str>> {
    value?.get("sessionId")?.text().map(Text::to_boxed)
}

fn number(id: &str) -> Option<i64> {
    id.parse().ok()
}

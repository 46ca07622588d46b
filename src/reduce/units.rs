//! Which pieces of a recording belong together, so that what is left could have been recorded.
//!
//! An answer needs its request, and a request the answer that it had. A message of a session needs the
//! exchange that set the session up, a report of a tool call the first one, what uses a terminal its
//! creation, and everything `initialize`.

use std::sync::mpsc;

use super::pieces::Piece;
use crate::{
    check::{Check, EventKind, ObservedEvent},
    json::{Node, Text},
    map::{IndexMap, Map},
    protocol::methods::{attaches_session, creates_session},
};

/// What the checker reports about one message, from which the messages that it needs are known.
#[derive(Clone, Debug)]
pub(super) struct Note {
    line: u32,
    connection: u32,
    /// The id of the session that the message is about; `None` when it is about none.
    session: Option<Box<str>>,
    kind: NoteKind,
}

#[derive(Clone, Debug)]
enum NoteKind {
    Initialize,
    /// A request or a notification other than `initialize`.
    Call {
        attaches: bool,
        is_prompt: bool,
        subjects: Vec<Subject>,
    },
    Answer {
        /// The line of the request that the response answers.
        request: u32,
        /// The terminal that the answer creates; `None` when it creates none.
        created: Option<Subject>,
        creates_session: bool,
    },
}

/// A tool call or terminal, with its id, that several messages are about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Subject {
    ToolCall(Box<str>),
    Terminal(Box<str>),
}

/// Makes a check send a [`Note`] for each message. The notes of some bytes can be received once the
/// check has read those bytes.
pub(super) fn watched(check: Check) -> (Check, mpsc::Receiver<Note>) {
    let (sender, notes) = mpsc::channel();
    let check = check.with_observer(move |event| {
        if let Some(note) = note(event) {
            // The receiver may be gone; the check goes on.
            let _ = sender.send(note);
        }
    });
    (check, notes)
}

fn note(event: &ObservedEvent<'_>) -> Option<Note> {
    let boxed = |text: Option<Text<'_>>| text.map(Text::to_boxed);
    let connection = event.number;
    match event.kind {
        EventKind::Call { call, update, .. } => {
            let params = |name| call.param(name).and_then(Node::text);
            let asked = || call.param("toolCall")?.get("toolCallId")?.text();
            let tool_call = update.and_then(|update| update.tool_call_id).or_else(asked);
            let tool_call = boxed(tool_call).map(Subject::ToolCall);
            let terminal = boxed(params("terminalId")).map(Subject::Terminal);
            let method = call.method.as_cow();
            let kind = if method == "initialize" {
                NoteKind::Initialize
            } else {
                NoteKind::Call {
                    attaches: attaches_session(&method),
                    is_prompt: method == "session/prompt",
                    subjects: tool_call.into_iter().chain(terminal).collect(),
                }
            };
            let line = call.node.span().line;
            Some(Note { line, connection, session: boxed(call.session_id()), kind })
        }
        EventKind::Answer(answer) => {
            let request = answer.request;
            let of_result = |name| boxed(answer.result()?.get(name)?.text());
            let creates_session = creates_session(&request.method);
            let own = of_result("sessionId").filter(|_| creates_session);
            let kind = NoteKind::Answer {
                request: request.at.span().line,
                created: of_result("terminalId").map(Subject::Terminal),
                creates_session: own.is_some(),
            };
            let named = || request.session_id.as_deref().map(Box::from);
            let line = answer.node.span().line;
            Some(Note { line, connection, session: own.or_else(named), kind })
        }
        EventKind::End => None,
    }
}

/// Which pieces (lines or messages) of a recording need each other, as numbers of pieces.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// For each piece (line or message) of the recording, the numbers of the pieces that must be
    /// kept with it.
    needs: Vec<Vec<usize>>,
    /// For each piece (line or message) of the recording, the numbers of the pieces that need it,
    /// so that they are left out with it.
    needed_by: Vec<Vec<usize>>,
    /// Groups of pieces (lines or messages) to leave out together, largest groups first: what no
    /// side sent, connections, sessions, turns, tool calls and terminals.
    pub(super) levels: Vec<Vec<Vec<usize>>>,
}

impl Units {
    pub(super) fn of(pieces: &[Piece<'_>], notes: impl IntoIterator<Item = Note>) -> Self {
        let mut builder = Builder { needs: vec![Vec::new(); pieces.len()], ..Builder::default() };
        for note in notes {
            let of_line =
                |line: u32| pieces.partition_point(|piece| piece.line <= line).saturating_sub(1);
            builder.add(of_line(note.line), note, &of_line);
        }
        let Builder { mut needs, connections, sessions, turns, subjects, .. } = builder;
        let mut needed_by = vec![Vec::new(); pieces.len()];
        for (at, own) in needs.iter_mut().enumerate() {
            own.sort_unstable();
            own.dedup();
            own.retain(|need| *need != at);
            for need in own.iter() {
                needed_by[*need].push(at);
            }
        }
        let unsent = (0..pieces.len()).filter(|at| !pieces[*at].is_sent).collect();
        let levels = vec![
            vec![unsent],
            connections.into_values().collect(),
            sessions.into_values().collect(),
            turns,
            subjects.into_values().collect(),
        ];
        Self { needs, needed_by, levels }
    }

    /// For each piece (line or message) of the recording, whether it is one of `pieces` or needed
    /// by one, directly or indirectly.
    pub(super) fn closure(&self, pieces: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut kept = vec![false; self.needs.len()];
        let mut waiting: Vec<usize> = pieces.into_iter().collect();
        while let Some(at) = waiting.pop() {
            if !std::mem::replace(&mut kept[at], true) {
                waiting.extend(&self.needs[at]);
            }
        }
        kept
    }

    /// Leaves out these pieces (lines or messages), and all that cannot be kept without them, by
    /// clearing their flags in `kept`.
    pub(super) fn leave_out(&self, kept: &mut [bool], pieces: impl IntoIterator<Item = usize>) {
        let mut waiting: Vec<usize> = pieces.into_iter().collect();
        while let Some(at) = waiting.pop() {
            if std::mem::replace(&mut kept[at], false) {
                waiting.extend(&self.needed_by[at]);
            }
        }
    }
}

/// Number of a connection, and the id of a session on it.
type SessionKey = (u32, Box<str>);
/// Number of a connection, id of a session on it (`None` without one), and the tool call or
/// terminal that messages are about. They are left out together.
type SubjectKey = (u32, Option<Box<str>>, Subject);

#[derive(Default)]
struct Builder {
    needs: Vec<Vec<usize>>,
    /// The number of the piece (line or message) with the first `initialize` of each connection.
    initialize: Map<u32, usize>,
    /// The number of the piece (line or message) that created or attached a session: the answer
    /// that created it, or the request that loads it.
    set_up: Map<SessionKey, usize>,
    connections: IndexMap<u32, Vec<usize>>,
    sessions: IndexMap<SessionKey, Vec<usize>>,
    /// The numbers of the pieces of each turn: a prompt and the messages of its session up to the
    /// next prompt.
    turns: Vec<Vec<usize>>,
    /// For each session: the index in `turns` of its last turn.
    turn: Map<SessionKey, usize>,
    /// The numbers of the pieces (lines or messages) about each tool call and terminal.
    subjects: IndexMap<SubjectKey, Vec<usize>>,
}

impl Builder {
    /// Adds the message in piece number `at` to the groups that it belongs to, and records which
    /// pieces it needs. `of_line` returns the piece of a line.
    fn add(&mut self, at: usize, note: Note, of_line: &impl Fn(u32) -> usize) {
        let Note { connection, session, kind, .. } = note;
        self.connections.entry(connection).or_default().push(at);
        if let Some(initialize) = self.initialize.get(&connection) {
            self.needs[at].push(*initialize);
        }
        let key = session.clone().map(|session| (connection, session));
        if let Some(key) = &key {
            if let Some(set_up) = self.set_up.get(key) {
                self.needs[at].push(*set_up);
            }
            self.sessions.entry(key.clone()).or_default().push(at);
            if let Some(turn) = self.turn.get(key) {
                self.turns[*turn].push(at);
            }
        }
        match kind {
            NoteKind::Initialize => drop(self.initialize.entry(connection).or_insert(at)),
            NoteKind::Call { attaches, is_prompt, subjects } => {
                if let Some(key) = key {
                    if attaches {
                        self.set_up.entry(key.clone()).or_insert(at);
                    }
                    if is_prompt {
                        self.turn.insert(key, self.turns.len());
                        self.turns.push(vec![at]);
                    }
                }
                for subject in subjects {
                    self.about(at, connection, session.clone(), subject);
                }
            }
            NoteKind::Answer { request, created, creates_session } => {
                let request = of_line(request);
                self.needs[at].push(request);
                self.needs[request].push(at);
                if let Some(key) = key.filter(|_| creates_session) {
                    self.sessions.entry(key.clone()).or_default().push(request);
                    self.set_up.entry(key).or_insert(at);
                }
                if let Some(subject) = created {
                    self.about(at, connection, session, subject);
                }
            }
        }
    }

    /// Records that the message in piece number `at` is about a tool call or terminal, and so needs
    /// the first message about the same one.
    fn about(&mut self, at: usize, connection: u32, session: Option<Box<str>>, subject: Subject) {
        let all = self.subjects.entry((connection, session, subject)).or_default();
        self.needs[at].extend(all.first());
        all.push(at);
    }
}

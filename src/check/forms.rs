//! What messages of one form have in common: where their members stand, and that nobody who goes by
//! the form alone has found a fault in it.

use crate::{
    check::dispatch::Heed,
    event::Envelope,
    json::{Doc, Node, NodeId, Text},
    map::Map,
    model::{Profile, Recording},
    protocol::{Edition, Surface, Version},
    transcript::looks_like_message,
};

/// Forms that are remembered at a time.
const KNOWN: usize = 4096;

/// The forms of the messages so far whose texts have a pattern.
#[derive(Debug, Default)]
pub(super) struct Forms {
    /// By the number of the pattern and the message's place in it.
    known: Map<(u32, NodeId), Form>,
    /// What counts beside the form and the version; see [`On::ByForm`](crate::rule::On::ByForm).
    ground: Ground,
    /// Number of the ground.
    number: u32,
}

/// What stays the same in a file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Ground {
    surface: Option<Surface>,
    edition: Option<Edition>,
    adds: Vec<Box<str>>,
    strips_jsonrpc: bool,
}

/// The form of a message: where in its document the values stand that say what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// Whether it has the members of a JSON-RPC message.
    pub(super) is_message: bool,
    envelope: Envelope<NodeId>,
    /// The session id in the params of a call.
    session: Option<NodeId>,
    /// The update of a `session/update`, and its kind.
    update: Option<(NodeId, NodeId)>,
    /// By version, the number of the last ground on which no fault was found in it, and who needs to
    /// be asked about others.
    faultless: [Option<(u32, Heed)>; 2],
}

impl Forms {
    /// The form of a message.
    pub(super) fn of(&mut self, message: Node<'_>) -> Form {
        let pattern = message.doc().pattern();
        let key = pattern.map(|pattern| (pattern.number, message.id()));
        if let Some(known) = key.and_then(|key| self.known.get(&key)) {
            debug_assert_eq!(Form { faultless: [None; 2], ..*known }, Form::of(message));
            return *known;
        }
        let form = Form::of(message);
        if let Some(key) = key {
            if self.known.len() == KNOWN {
                self.known.clear();
            }
            self.known.insert(key, form);
        }
        form
    }

    /// No fault was found in a message by those who go by its form; the others need to be asked about
    /// messages like it.
    pub(super) fn acquit(&mut self, message: Node<'_>, version: Version, others: Heed) {
        let Some(pattern) = message.doc().pattern() else { return };
        if let Some(known) = self.known.get_mut(&(pattern.number, message.id())) {
            known.faultless[version as usize] = Some((self.number, others));
        }
    }

    /// Who needs to be asked about a message of a form in which nobody who goes by the form alone
    /// finds a fault; `None`: perhaps somebody does.
    pub(super) fn heed(&self, form: &Form, version: Version) -> Option<Heed> {
        let (number, others) = form.faultless[version as usize]?;
        (number == self.number).then_some(others)
    }

    /// What follows is judged like this.
    pub(super) fn stand_on(&mut self, profile: &Profile) {
        let Profile { surface, edition, recording, .. } = profile;
        let Recording { adds, strips_jsonrpc, .. } = recording;
        let ground = Ground {
            surface: *surface,
            edition: *edition,
            adds: adds.clone(),
            strips_jsonrpc: *strips_jsonrpc,
        };
        if self.ground != ground {
            self.ground = ground;
            self.number += 1;
        }
    }
}

impl Form {
    /// That of no message.
    pub(super) const NOTHING: Self = Self {
        is_message: false,
        envelope: Envelope::NOTHING,
        session: None,
        update: None,
        faultless: [None; 2],
    };

    fn of(message: Node<'_>) -> Self {
        let envelope = Envelope::of(message);
        let params = envelope.params.filter(|_| envelope.method.is_some());
        let session = params.and_then(|params| params.get("sessionId").filter(|id| id.is_string()));
        let update = params.filter(|_| envelope.method.is_some_and(|it| it.is("session/update")));
        let update = update.and_then(|params| {
            let update = params.get("update")?;
            let kind = update.get("sessionUpdate").filter(|kind| kind.is_string())?;
            Some((update.id(), kind.id()))
        });
        Self {
            is_message: !message.is_array() && looks_like_message(message),
            envelope: envelope.map(Node::id),
            session: session.map(Node::id),
            update,
            faultless: [None; 2],
        }
    }

    /// The members of a message of this form.
    pub(super) fn envelope<'t>(&self, doc: &'t Doc<'t>) -> Envelope<Node<'t>> {
        self.envelope.map(|id| doc.node(id))
    }

    /// The session that a call of this form names.
    pub(super) fn session<'t>(&self, doc: &'t Doc<'t>) -> Option<Text<'t>> {
        doc.node(self.session?).text()
    }

    /// The update of a `session/update` of this form, and its kind.
    pub(super) fn update<'t>(&self, doc: &'t Doc<'t>) -> Option<(Node<'t>, Text<'t>)> {
        let (update, kind) = self.update?;
        Some((doc.node(update), doc.node(kind).text()?))
    }
}

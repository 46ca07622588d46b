//! What messages of one form have in common: where their members stand, what they fit, and that nobody
//! who goes by the form alone has found a fault in it.

use rustc_hash::FxHashMap;

use crate::{
    check::{dispatch::Heed, schemas::Defined},
    event::{Call, Envelope, Traits, Update},
    json::{Doc, Node, NodeId, Text},
    model::{Profile, Recording, message::Voice, plan::Layout},
    protocol::{Edition, Surface, Version},
    transcript::looks_like_message,
};

/// Forms that are remembered at a time.
const KNOWN: usize = 4096;

/// The forms of the messages so far whose texts have a pattern.
#[derive(Debug, Default)]
pub(super) struct Forms {
    /// By the number of the pattern and the message's place in it.
    places: FxHashMap<(u32, NodeId), usize>,
    known: Vec<Known>,
    /// The place of the current message's form.
    current: Option<usize>,
    /// The form itself, if it has no place.
    loose: Form,
    /// What counts beside the form and the version; see [`On::ByForm`](crate::rule::On::ByForm).
    ground: Ground,
    /// Number of the ground.
    number: u32,
}

/// What is known of the messages of one pattern.
#[derive(Debug)]
struct Known {
    form: Form,
    /// That of the plan, if they are about one.
    layout: Layout,
    /// By version.
    acquittals: [Option<Acquittal>; 2],
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
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// Whether it has the members of a JSON-RPC message.
    pub(super) is_message: bool,
    envelope: Envelope<NodeId>,
    /// Of a call.
    pub(super) traits: Traits,
    /// The session id in the params of a call.
    session: Option<NodeId>,
    /// The update of a `session/update`, and its kind.
    update: Option<(NodeId, NodeId)>,
    /// Strings of the update: the tool call and the message that it names.
    tool_call: Option<NodeId>,
    message_id: Option<NodeId>,
    /// The `status` of the update.
    status: Option<NodeId>,
    /// Whether the kind is one of plans.
    pub(super) is_of_plan: bool,
    /// The text, where the update is a piece of what a side says.
    pub(super) piece: Option<NodeId>,
}

/// No fault was found in a message by those who go by its form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acquittal {
    /// Number of the ground.
    number: u32,
    /// Who else needs to be asked about messages like it, and who about the ordinary ones among them.
    pub(super) heed: [Heed; 2],
    /// As what the method that they call is defined.
    pub(super) defined: Option<Defined>,
}

impl Forms {
    /// A message begins.
    pub(super) fn begin(&mut self, message: Node<'_>) {
        let pattern = message.doc().pattern();
        let key = pattern.map(|pattern| (pattern.number, message.id()));
        self.current = key.and_then(|key| self.places.get(&key).copied());
        if self.current.is_some() {
            debug_assert_eq!(*self.form(), Form::of(message));
        } else {
            self.meet(message, key);
        }
    }

    /// Remembers the form of a message by its pattern and place, if it has one.
    #[inline(never)]
    fn meet(&mut self, message: Node<'_>, key: Option<(u32, NodeId)>) {
        let form = Form::of(message);
        let Some(key) = key else {
            self.loose = form;
            return;
        };
        if self.known.len() == KNOWN {
            self.places.clear();
            self.known.clear();
        }
        let place = self.known.len();
        self.places.insert(key, place);
        let doc = message.doc();
        let update = form.update.filter(|_| form.is_of_plan).map(|(update, _)| doc.node(update));
        let layout = update.zip(form.kind(doc)).map(|(update, kind)| Layout::of(update, kind));
        let layout = layout.unwrap_or_default();
        self.known.push(Known { form, layout, acquittals: [None; 2] });
        self.current = Some(place);
    }

    /// The form of the current message.
    pub(super) fn form(&self) -> &Form {
        self.known().map_or(&self.loose, |known| &known.form)
    }

    /// The layout of the plan that the current message is about, if its form has a place.
    pub(super) fn layout(&self) -> Option<&Layout> {
        self.known().map(|known| &known.layout)
    }

    fn known(&self) -> Option<&Known> {
        self.known.get(self.current?)
    }

    fn known_mut(&mut self) -> Option<&mut Known> {
        self.known.get_mut(self.current?)
    }

    /// No fault was found in the current message by those who go by its form. `heed` tells who else
    /// needs to be asked about messages like it, and who about the ordinary ones among them; it is
    /// asked only where that can be remembered. `defined`: as what the method that they call is.
    pub(super) fn acquit(
        &mut self,
        version: Version,
        heed: impl FnOnce() -> [Heed; 2],
        defined: Option<Defined>,
    ) {
        let number = self.number;
        if let Some(known) = self.known_mut() {
            let acquittal = Acquittal { number, heed: heed(), defined };
            known.acquittals[version as usize] = Some(acquittal);
        }
    }

    /// What is known of messages like the current one, if nobody who goes by their form alone finds
    /// a fault in them; `None`: perhaps somebody does.
    pub(super) fn acquittal(&self, version: Version) -> Option<&Acquittal> {
        let known = &self.known()?.acquittals[version as usize];
        known.as_ref().filter(|acquittal| acquittal.number == self.number)
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

/// The text of a piece of what a side says, if that is what an update of this kind is.
fn piece<'t>(update: Node<'t>, kind: Text<'_>) -> Option<Node<'t>> {
    let kind = kind.as_cow();
    let content = update.get("content")?;
    let is_text = kind.ends_with("_chunk")
        && Voice::of(&kind).is_some()
        && content.get("type").is_some_and(|kind| kind.is("text"));
    content.get("text").filter(|text| is_text && text.is_string())
}

impl Form {
    fn of(message: Node<'_>) -> Self {
        let envelope = Envelope::of(message);
        let params = envelope.params.filter(|_| envelope.method.is_some());
        let session = params.and_then(|params| params.get("sessionId").filter(|id| id.is_string()));
        let calls = |name| envelope.method.is_some_and(|method| method.is(name));
        let traits = Traits {
            is_marked: envelope.jsonrpc.is_some_and(|version| version.is("2.0")),
            is_update: calls("session/update"),
            opens: calls("initialize"),
        };
        let update = params.filter(|_| traits.is_update).and_then(|params| {
            let update = params.get("update")?;
            Some((update, update.get("sessionUpdate")?.text()?))
        });
        let member = |name| update.and_then(|(update, _)| update.get(name));
        let string = |name| member(name).filter(|value| value.is_string()).map(Node::id);
        Self {
            is_message: !message.is_array() && looks_like_message(message),
            envelope: envelope.map(Node::id),
            traits,
            session: session.map(Node::id),
            update: update.map(|(update, kind)| (update.id(), kind.node().id())),
            tool_call: string("toolCallId"),
            message_id: string("messageId"),
            status: member("status").map(Node::id),
            is_of_plan: update.is_some_and(|(_, kind)| kind.starts_with("plan")),
            piece: update.and_then(|(update, kind)| piece(update, kind)).map(Node::id),
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

    /// What kind of update a `session/update` of this form has.
    pub(super) fn kind<'t>(&self, doc: &'t Doc<'t>) -> Option<Text<'t>> {
        doc.node(self.update?.1).text()
    }

    /// The update of a call of this form, which is a `session/update`.
    pub(super) fn update<'t>(&self, call: &'t Call<'t>) -> Option<Update<'t>> {
        let (update, _) = self.update?;
        let doc = call.node.doc();
        let text = |id: Option<NodeId>| doc.node(id?).text();
        Some(Update {
            call,
            session_id: call.session_id()?,
            kind: self.kind(doc)?,
            update: doc.node(update),
            tool_call_id: text(self.tool_call),
            message_id: text(self.message_id),
            status: self.status.map(|id| doc.node(id)),
        })
    }
}

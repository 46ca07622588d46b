//! A plan as one update states it.

use std::borrow::Cow;

use crate::{
    event::Update,
    json::{Doc, Node, NodeId, Text},
    model::{
        anchor::{Place, Pointer},
        session::plans::{
            entry_key::Name,
            vocabulary::{Priority, Status},
        },
    },
    protocol::Edition,
};

/// What one update says that the client is to show.
#[derive(Clone, Debug)]
pub struct Snapshot<'t> {
    /// The update object.
    pub body: Node<'t>,
    /// The object that holds the plan: `update` itself for the unnamed plan, else `update.plan`.
    pub plan: Node<'t>,
    /// Its `entries`.
    list: Option<Node<'t>>,
    pub key: Key<'t>,
    pub form: Form<'t>,
}

/// Which plan an update is about.
#[derive(Clone, Copy, Debug)]
pub enum Key<'t> {
    /// The one plan without an id, from version 1's `plan`.
    Unnamed,
    /// `planId` or, where that is absent, its predecessor `id`.
    Named { id: Text<'t>, member: &'static str },
    /// A named plan whose id is absent or no string.
    Missing,
}

/// What a plan consists of.
#[derive(Clone, Debug)]
pub enum Form<'t> {
    Items(Vec<Entry<'t>>),
    Markdown(Option<Node<'t>>),
    File(Option<Node<'t>>),
    /// Any other `type`, or none.
    Other(Option<Node<'t>>),
}

/// One element of an item plan, as tolerant as it comes.
#[derive(Clone, Debug)]
pub struct Entry<'t> {
    pub node: Node<'t>,
    pub content: Option<Text<'t>>,
    pub priority: Option<Text<'t>>,
    pub status: Option<Text<'t>>,
    pub meta: Option<Node<'t>>,
    /// Whether it has members beside these.
    pub has_others: bool,
    words: (Priority, Status),
    /// Its text with white space folded, as what it is told by.
    pub(super) name: Option<Name<'t>>,
}

/// Where the entries of a plan and their members stand: the same for all messages of one pattern.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout(Box<[Parts]>);

/// Where an entry and its members stand.
#[derive(Debug, PartialEq, Eq)]
struct Parts {
    node: NodeId,
    content: Option<NodeId>,
    priority: Option<NodeId>,
    status: Option<NodeId>,
    meta: Option<NodeId>,
    has_others: bool,
}

impl Layout {
    /// That of the plan in an update of this kind.
    pub(crate) fn of(update: Node<'_>, kind: Text<'_>) -> Self {
        let plan = if kind == "plan" { Some(update) } else { update.get("plan") };
        let list = plan.and_then(|plan| plan.get("entries"));
        Self(list.into_iter().flat_map(Node::elements).map(Parts::of).collect())
    }
}

impl Parts {
    fn of(node: Node<'_>) -> Self {
        let (mut content, mut priority, mut status, mut meta) = (None, None, None, None);
        let mut has_others = false;
        for (name, value) in node.members() {
            let text = value.is_string().then(|| value.id());
            match name {
                _ if name.is("content") => content = text,
                _ if name.is("priority") => priority = text,
                _ if name.is("status") => status = text,
                _ if name.is("_meta") => meta = Some(value.id()),
                _ => has_others = true,
            }
        }
        Self { node: node.id(), content, priority, status, meta, has_others }
    }
}

impl<'t> Snapshot<'t> {
    /// The snapshot in a `plan` or `plan_update`; `None` for other updates and for a `plan_update`
    /// without a `plan` object.
    pub fn of(update: &Update<'t>, edition: Edition) -> Option<Self> {
        Self::read(update, edition, None, Vec::new())
    }

    /// The same where the layout may be known. `room`: an empty list for the entries.
    pub(crate) fn read(
        update: &Update<'t>,
        edition: Edition,
        layout: Option<&Layout>,
        room: Vec<Entry<'t>>,
    ) -> Option<Self> {
        let body = update.update;
        let items = |list: Option<Node<'t>>| Form::Items(entries(list, layout, room));
        if update.kind == "plan" {
            let list = body.get("entries");
            return Some(Self { body, plan: body, list, key: Key::Unnamed, form: items(list) });
        }
        if update.kind != "plan_update" {
            return None;
        }
        let plan = body.get("plan").filter(|plan| plan.is_object())?;
        let named = |member| Some(Key::Named { id: plan.get(member)?.text()?, member });
        let key = edition.plan_ids().into_iter().find_map(named).unwrap_or(Key::Missing);
        let (kind, list) = (plan.get("type"), plan.get("entries"));
        let form = match kind.and_then(Node::text) {
            Some(kind) if kind == "items" => items(list),
            Some(kind) if kind == "markdown" => Form::Markdown(plan.get("content")),
            Some(kind) if kind == "file" => Form::File(plan.get("uri")),
            _ => Form::Other(kind),
        };
        Some(Self { body, plan, list, key, form })
    }

    /// The entries of an item plan; none for other plans.
    pub fn entries(&self) -> &[Entry<'t>] {
        match &self.form {
            Form::Items(entries) => entries,
            Form::Markdown(_) | Form::File(_) | Form::Other(_) => &[],
        }
    }

    /// Where the list of an item plan stands.
    pub fn list(&self) -> Option<Node<'t>> {
        self.list.filter(|_| matches!(self.form, Form::Items(_)))
    }

    /// Where the list stands, to be remembered; the plan where there is none.
    pub(super) fn list_place(&self) -> Place {
        let pointer = match self.key {
            Key::Unnamed => Pointer::ParamsUpdateEntries,
            Key::Named { .. } | Key::Missing => Pointer::ParamsUpdatePlanEntries,
        };
        self.list().map_or_else(|| self.place(), |list| Place::of(list, pointer))
    }

    /// Where the plan stands, to be remembered.
    pub(super) fn place(&self) -> Place {
        let pointer = match self.key {
            Key::Unnamed => Pointer::ParamsUpdate,
            Key::Named { .. } | Key::Missing => Pointer::ParamsUpdatePlan,
        };
        Place::of(self.plan, pointer)
    }
}

fn entries<'t>(
    list: Option<Node<'t>>,
    layout: Option<&Layout>,
    mut room: Vec<Entry<'t>>,
) -> Vec<Entry<'t>> {
    let Some(list) = list else { return room };
    room.reserve_exact(list.len());
    match layout {
        Some(Layout(parts)) => room.extend(parts.iter().map(|it| Entry::of(list.doc(), it))),
        None => room.extend(list.elements().map(|it| Entry::of(list.doc(), &Parts::of(it)))),
    }
    room
}

impl<'t> Entry<'t> {
    fn of(doc: &'t Doc<'t>, parts: &Parts) -> Self {
        let text = |part: Option<NodeId>| doc.node(part?).text();
        let (content, priority, status) =
            (text(parts.content), text(parts.priority), text(parts.status));
        Self {
            node: doc.node(parts.node),
            content,
            priority,
            status,
            meta: parts.meta.map(|part| doc.node(part)),
            has_others: parts.has_others,
            words: (Priority::of(priority), Status::of(status)),
            name: content.map(Name::folded),
        }
    }

    /// An empty list, in the room of another.
    pub(crate) fn room_of(mut entries: Vec<Entry<'_>>) -> Vec<Self> {
        entries.clear();
        // None is left that could be of another document; what is collected stays where it is.
        entries.into_iter().map(|_| unreachable!("the list is empty")).collect()
    }

    /// Its text with white space folded; `None` without a text.
    pub fn wording(&self) -> Option<&str> {
        Some(&self.name.as_ref()?.text)
    }

    /// Whether its wording is its text as written.
    pub(super) fn is_folded(&self) -> bool {
        self.name.as_ref().is_none_or(|name| matches!(name.text, Cow::Borrowed(_)))
    }

    /// A number that entries of the same wording share, and hardly any others. It is another one in
    /// each run of the program.
    pub fn gist(&self) -> Option<u64> {
        Some(self.name.as_ref()?.hash)
    }

    pub fn status(&self) -> &Status {
        &self.words.1
    }

    pub fn priority(&self) -> &Priority {
        &self.words.0
    }

    /// Whether its status and its priority, if any, are words that every version knows.
    pub fn has_common_words(&self) -> bool {
        let (priority, status) = &self.words;
        !matches!(priority, Priority::Other(_))
            && !matches!(status, Status::Other(_) | Status::Cancelled)
    }

    /// Whether it has all that an entry needs.
    pub fn is_complete(&self) -> bool {
        self.content.is_some() && self.priority.is_some() && self.status.is_some()
    }
}

impl Key<'_> {
    /// The id of a named plan; `None` for the unnamed one and for a missing id.
    pub fn id(&self) -> Option<Text<'_>> {
        match self {
            Self::Named { id, .. } => Some(*id),
            Self::Unnamed | Self::Missing => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_of_entries_is_used_again() {
        let room = Vec::with_capacity(100);
        let at = room.as_ptr();
        let room: Vec<Entry<'static>> = Entry::room_of(room);
        assert_eq!((room.as_ptr(), room.capacity()), (at, 100));
    }
}

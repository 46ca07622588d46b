//! Chooses the key of plan entries: their text, or an id that the agent keeps in `_meta`.

use std::{
    borrow::Cow,
    hash::{BuildHasher, Hash, Hasher},
};

use crate::{
    json::{Node, Text},
    map,
    model::session::plans::snapshot::PlanEntry,
};

/// How the entries of a plan are identified from one list to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum EntryIdentity {
    /// Entries with equal text, white space folded, are the same entry. Agents reword entries, so
    /// that a missing text proves nothing.
    #[default]
    Text,
    /// Entries with an equal `member` in their `_meta`, or in the object `within` of it, are the
    /// same entry.
    Meta { within: Option<Box<str>>, member: Box<str> },
}

impl EntryIdentity {
    /// The member of `_meta` that looks like an id and that every entry has with another value;
    /// otherwise the text.
    pub(super) fn of(entries: &[PlanEntry<'_>]) -> Self {
        let path = entries.first().and_then(|entry| entry.meta).and_then(id_path);
        let Some((within, member)) = path else { return Self::Text };
        let text = |name: Node<'_>| name.text().map(Text::to_boxed);
        let Some(member) = text(member) else { return Self::Text };
        let identity = Self::Meta { within: within.and_then(text), member };
        let mut names: Vec<_> = entries.iter().filter_map(|entry| identity.key(entry)).collect();
        names.sort_unstable();
        let is_distinct = names.windows(2).all(|pair| pair[0] != pair[1]);
        if names.len() == entries.len() && is_distinct { identity } else { Self::Text }
    }

    /// The key of an entry: its text, or the text or number of the member; `None` without one.
    pub(super) fn key<'e>(&self, entry: &'e PlanEntry<'_>) -> Option<Cow<'e, str>> {
        match self {
            Self::Text => entry.wording().map(Cow::Borrowed),
            Self::Meta { within, member } => {
                let meta = entry.meta?;
                let holder = within.as_deref().map_or(Some(meta), |within| meta.get(within))?;
                let value = holder.get(member)?;
                let number = || value.is_number().then(|| value.normal());
                value.text().map(Text::as_cow).or_else(number)
            }
        }
    }

    /// Hash of the members of a plan's `_meta` that name a parent, such as the parent of a
    /// subagent, so that plans of different agents are not compared; `None` without such members.
    pub(super) fn parent(plan: Node<'_>) -> Option<u64> {
        let mut hasher = None;
        each_member(plan.get("_meta")?, |_, name, value| {
            if is_parent(name) && !value.is_null() {
                value.hash(hasher.get_or_insert_with(|| map::hasher().build_hasher()));
            }
        });
        hasher.map(|hasher| hasher.finish())
    }
}

/// The first member of `_meta` whose name looks like that of an id: the name of the object in
/// `_meta` that holds it, if any, and its own name.
fn id_path(meta: Node<'_>) -> Option<(Option<Node<'_>>, Node<'_>)> {
    let mut path = None;
    each_member(meta, |within, name, value| {
        let is_id = (value.is_string() || value.is_number()) && is_id(name) && !is_parent(name);
        if is_id && path.is_none() {
            path = Some((within, name));
        }
    });
    path
}

/// Calls `take` for each member of `_meta` and of the objects in it, with the name of the object
/// (`None` for `_meta` itself), the name and the value.
fn each_member<'t>(meta: Node<'t>, mut take: impl FnMut(Option<Node<'t>>, Node<'t>, Node<'t>)) {
    for (name, value) in meta.members() {
        take(None, name, value);
        for (inner, value) in value.members() {
            take(Some(name), inner, value);
        }
    }
}

fn is_id(name: Node<'_>) -> bool {
    let name = name.shown();
    name.strip_suffix("id").is_some_and(|rest| !rest.ends_with(|end: char| end.is_alphanumeric()))
        || name.ends_with("Id")
        || name.ends_with("ID")
}

/// Whether a member of `_meta` names a parent. `traceparent`, which traces a message, names none.
fn is_parent(name: Node<'_>) -> bool {
    let name = name.shown().to_ascii_lowercase();
    name.contains("parent") && !name.contains("traceparent")
}

//! The pages of `session/list`: the cursors that the agent returned, and the sessions that each
//! sequence of pages has listed.

use crate::{
    json::{Node, Text},
    map::Map,
    model::{
        anchor::{Anchor, Pointer},
        request::{facts::RequestFacts, query::ListQuery},
        response::Answer,
    },
};

/// A cursor that a page returned.
#[derive(Clone, Debug)]
pub struct Cursor {
    /// The `nextCursor`.
    pub at: Anchor,
    /// The query whose answer it was.
    pub query: ListQuery,
    /// The query that used it and was answered with a page.
    pub used: Option<Anchor>,
    walk: usize,
}

/// The listings of one connection.
#[derive(Clone, Debug, Default)]
pub struct SessionLists {
    cursors: Map<Box<str>, Cursor>,
    /// The last `nextCursor`.
    pub last: Option<Anchor>,
    /// For each sequence of pages: the first entry of each session.
    walks: Vec<Map<Box<str>, Anchor>>,
}

impl SessionLists {
    /// The cursor as a page returned it last.
    pub fn cursor(&self, text: &str) -> Option<&Cursor> {
        self.cursors.get(text)
    }

    /// The entry of the session on an earlier page of the query's sequence.
    pub fn listed_before(&self, query: &ListQuery, session_id: Text<'_>) -> Option<Anchor> {
        let cursor = self.cursors.get(&*query.cursor.as_ref()?.0)?;
        self.walks.get(cursor.walk)?.get(&*session_id.as_cow()).copied()
    }

    /// The query of the same sequence that used the cursor before; may be this query itself.
    pub fn leads_back(&self, query: &ListQuery, next: Text<'_>) -> Option<Anchor> {
        let mut query = query;
        for _ in 0..=self.cursors.len() {
            let (text, at) = query.cursor.as_ref()?;
            if next == **text {
                return Some(*at);
            }
            query = &self.cursors.get(text)?.query;
        }
        None
    }

    pub(super) fn apply_answer(&mut self, answer: &Answer<'_>) {
        let (RequestFacts::List(query), Some(page)) = (&answer.request.facts, answer.result())
        else {
            return;
        };
        let used = query.cursor.as_ref().and_then(|(text, _)| self.cursors.get_mut(text));
        let walk = if let Some(cursor) = used {
            cursor.used = Some(query.at);
            cursor.walk
        } else {
            self.walks.push(Map::default());
            self.walks.len() - 1
        };
        let Some(next) = page.get("nextCursor").filter(|next| next.is_string()) else {
            self.walks[walk].clear();
            return;
        };
        for entry in page.get("sessions").into_iter().flat_map(Node::elements) {
            if let Some(id) = entry.get("sessionId").and_then(Node::text) {
                let at = Anchor::of(id.node(), Pointer::ResultSessions);
                self.walks[walk].entry(id.to_boxed()).or_insert(at);
            }
        }
        let at = Anchor::of(next, Pointer::ResultNextCursor);
        self.last = Some(at);
        if let Some(text) = next.text() {
            let query = (**query).clone();
            self.cursors.insert(text.to_boxed(), Cursor { at, query, used: None, walk });
        }
    }
}

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
    /// The index of the page that returned it.
    page: usize,
}

/// A page that returned a cursor. The pages before it are those whose cursors led to it.
///
/// Each knows one page far before it besides the one just before it, so that any earlier page is
/// found in steps whose number is the logarithm of their number: a skip list in the form of a tree.
#[derive(Clone, Copy, Debug)]
struct Page {
    /// How many pages are before it.
    depth: usize,
    /// The index of the page before it; its own for the first page.
    before: usize,
    /// The index of a page farther before it.
    far: usize,
    /// The cursor by which it was asked for.
    asked: Option<Anchor>,
}

/// The listings of one connection.
#[derive(Clone, Debug, Default)]
pub struct SessionLists {
    cursors: Map<Box<str>, Cursor>,
    /// The last `nextCursor`.
    pub last: Option<Anchor>,
    /// For each sequence of pages: the first entry of each session.
    walks: Vec<Map<Box<str>, Anchor>>,
    /// The pages that returned a cursor.
    pages: Vec<Page>,
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
        let (text, at) = query.cursor.as_ref()?;
        if next == **text {
            return Some(*at);
        }
        // The page that was asked for by `next` stands one page behind the one that returned it.
        let returned = self.cursors.get(&*next.as_cow())?.page;
        let last = self.cursors.get(text)?.page;
        let asked = self.before(last, self.pages[returned].depth + 1)?;
        (self.pages[asked].before == returned).then_some(self.pages[asked].asked)?
    }

    /// The index of the page with so many pages before it, at or before `page`; `None` when there
    /// is none.
    fn before(&self, mut page: usize, depth: usize) -> Option<usize> {
        while self.pages[page].depth > depth {
            let Page { before, far, .. } = self.pages[page];
            page = if self.pages[far].depth < depth { before } else { far };
        }
        (self.pages[page].depth == depth).then_some(page)
    }

    /// Adds a page that was asked for by this cursor, and returns its index. `before`: the page that
    /// returned the cursor.
    fn add_page(&mut self, before: Option<usize>, asked: Option<Anchor>) -> usize {
        let own = self.pages.len();
        let page = match before {
            None => Page { depth: 0, before: own, far: own, asked },
            Some(before) => {
                let Page { depth, far, .. } = self.pages[before];
                let Page { depth: far_depth, far: farther, .. } = self.pages[far];
                let is_even = depth - far_depth == far_depth - self.pages[farther].depth;
                let far = if is_even { farther } else { before };
                Page { depth: depth + 1, before, far, asked }
            }
        };
        self.pages.push(page);
        own
    }

    pub(super) fn apply_answer(&mut self, answer: &Answer<'_>) {
        let (RequestFacts::List(query), Some(page)) = (&answer.request.facts, answer.result())
        else {
            return;
        };
        let used = query.cursor.as_ref().and_then(|(text, _)| self.cursors.get_mut(text));
        let (walk, before) = if let Some(cursor) = used {
            cursor.used = Some(query.at);
            (cursor.walk, Some(cursor.page))
        } else {
            self.walks.push(Map::default());
            (self.walks.len() - 1, None)
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
            let page = self.add_page(before, query.cursor.as_ref().map(|(_, at)| *at));
            let query = (**query).clone();
            self.cursors.insert(text.to_boxed(), Cursor { at, query, used: None, walk, page });
        }
    }
}

//! The pages of `session/list`: the cursors that the agent returned, and the sessions that each
//! sequence of pages has listed.

use crate::{
    json::{Node, Text},
    map::Map,
    model::{
        anchor::Anchor,
        request::{facts::RequestFacts, query::ListQuery},
        response::Answer,
    },
};

/// A cursor that an answer to `session/list` returned, with which the client asks for the next
/// page.
#[derive(Clone, Debug)]
pub struct Cursor {
    /// Place of the `nextCursor` in the answer, so that a finding can point at it.
    pub at: Anchor,
    /// The `session/list` query whose answer returned the cursor.
    pub query: ListQuery,
    /// Place of the last `session/list` request that used the cursor and was answered with a page;
    /// `None` while there is none.
    pub used: Option<Anchor>,
    walk: usize,
    /// Index in `pages` of the page of `session/list` that returned the cursor.
    page: usize,
}

/// A page of `session/list` that returned a cursor, linked to the pages before it. `far` makes
/// these links a skip list, in which an earlier page is found in a logarithmic number of steps.
#[derive(Clone, Copy, Debug)]
struct Page {
    /// Number of pages that come before this one, following the cursors.
    depth: usize,
    /// Index of the page just before this one; its own index for the first page.
    before: usize,
    /// Index of an earlier page, farther back than `before`, for the skip list.
    far: usize,
    /// Place of the cursor with which the page was asked for; `None` for a first page.
    asked: Option<Anchor>,
}

/// The pages that `session/list` returned on one connection, for rules on cursors and repeated
/// entries.
#[derive(Clone, Debug, Default)]
pub struct SessionLists {
    cursors: Map<Box<str>, Cursor>,
    /// Place of the last `nextCursor`, so that a finding can point at it; `None` while no page
    /// returned one.
    pub last: Option<Anchor>,
    /// For each sequence of pages of `session/list`: the place of the first entry of each session,
    /// by session id, to find repeated ones.
    walks: Vec<Map<Box<str>, Anchor>>,
    /// The pages of `session/list` that returned a cursor, in the order of their answers.
    pages: Vec<Page>,
}

impl SessionLists {
    /// The cursor with this text, as the last page returned it; `None` when no page did.
    pub fn cursor(&self, text: &str) -> Option<&Cursor> {
        self.cursors.get(text)
    }

    /// Place of the session's entry on an earlier page of the sequence to which the query belongs;
    /// `None` when no earlier page lists the session.
    pub fn listed_before(&self, query: &ListQuery, session_id: Text<'_>) -> Option<Anchor> {
        let cursor = self.cursors.get(&*query.cursor.as_ref()?.0)?;
        self.walks.get(cursor.walk)?.get(&*session_id.as_cow()).copied()
    }

    /// Place of the cursor in the query of the same sequence that used `next` before, so that the
    /// pages go round in a circle. May be the given query itself; `None` when `next` is new in the
    /// sequence.
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

    /// Index of the page that has `depth` pages before it in the sequence of `page`; `None` when
    /// `page` has fewer. Takes logarithmic time.
    fn before(&self, mut page: usize, depth: usize) -> Option<usize> {
        while self.pages[page].depth > depth {
            let Page { before, far, .. } = self.pages[page];
            page = if self.pages[far].depth < depth { before } else { far };
        }
        (self.pages[page].depth == depth).then_some(page)
    }

    /// Adds a page and returns its index. `before` is the page that returned the cursor, and
    /// `asked` the cursor's place in the query; both are `None` for a first page.
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
                let at = Anchor::of(id.node(), &"/result/sessions");
                self.walks[walk].entry(id.to_boxed()).or_insert(at);
            }
        }
        let at = Anchor::of(next, &"/result/nextCursor");
        self.last = Some(at);
        if let Some(text) = next.text() {
            let page = self.add_page(before, query.cursor.as_ref().map(|(_, at)| *at));
            let query = (**query).clone();
            self.cursors.insert(text.to_boxed(), Cursor { at, query, used: None, walk, page });
        }
    }
}

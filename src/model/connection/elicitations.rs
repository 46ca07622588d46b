//! Elicitations that lead the user to a web page: which are outstanding, and how the others ended.

use crate::{
    event::Call,
    json::{Node, Text},
    map::Map,
    model::{
        anchor::Anchor,
        request::{facts::RequestFacts, question::Question},
        response::Answer,
    },
};

/// The `elicitation/create` requests of a connection in mode `url`, by their `elicitationId`.
#[derive(Clone, Debug, Default)]
pub struct Elicitations(Map<Box<str>, Elicitation>);

/// An `elicitation/create` request in mode `url`: a question that the user answers on a web page.
#[derive(Clone, Copy, Debug)]
pub struct Elicitation {
    /// Place of the `elicitationId` in the request, so that a finding can point at it.
    pub asked: Anchor,
    /// Whether the id was in use by an earlier question when this one was asked, so that later
    /// messages with the id may mean either.
    pub is_shared: bool,
    /// What ended the question, and where; `None` while it is outstanding. It stays outstanding
    /// after `accept`, by which the user only agrees to open the page.
    pub ended: Option<(ElicitationEnd, Anchor)>,
}

/// How an elicitation in mode `url` ended, by answer or by notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElicitationEnd {
    /// The client answered the question with another action than `accept`, or with an error.
    Refused,
    Completed,
}

impl Elicitations {
    pub fn get(&self, id: Text<'_>) -> Option<&Elicitation> {
        self.0.get(&*id.as_cow())
    }

    pub(super) fn apply_call(&mut self, method: &str, call: &Call<'_>) {
        let id = || call.param("elicitationId").and_then(Node::text);
        match method {
            "elicitation/create" if is_link(call) => {
                if let Some(id) = id() {
                    let asked = Anchor::of(id.node(), &"/params/elicitationId");
                    let is_shared = self.get(id).is_some_and(|known| known.ended.is_none());
                    self.0.insert(id.to_boxed(), Elicitation { asked, is_shared, ended: None });
                }
            }
            "elicitation/complete" => {
                if let Some(asked) = id().and_then(|id| self.0.get_mut(&*id.as_cow())) {
                    let at = Anchor::of(call.node, &"");
                    asked.ended = asked.ended.or(Some((ElicitationEnd::Completed, at)));
                }
            }
            _ => {}
        }
    }

    pub(super) fn apply_answer(&mut self, answer: &Answer<'_>) {
        let RequestFacts::Question(question) = &answer.request.facts else { return };
        let Question::Link { id: Some(id) } = &**question else { return };
        let is_accepted = answer
            .result()
            .and_then(|result| result.get("action"))
            .is_some_and(|action| action.is("accept"));
        if let Some(asked) = self.0.get_mut(id).filter(|_| !is_accepted && !answer.ambiguous) {
            asked.ended =
                asked.ended.or(Some((ElicitationEnd::Refused, Anchor::of(answer.node, &""))));
        }
    }
}

fn is_link(call: &Call<'_>) -> bool {
    call.param("mode").is_some_and(|mode| mode.is("url"))
}

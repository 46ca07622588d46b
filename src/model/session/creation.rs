//! How a session becomes known: by a result, a list, its parent, or the first message that names it.

use crate::{
    event::{Call, Update},
    json::{Node, Text},
    model::{
        anchor::Anchor,
        request::facts::{FirstInstructions, Home, RequestFacts},
        response::Answer,
        session::{Course, Session, SessionOrigin, subagents::Parent},
    },
    protocol::Side,
};

impl Session {
    /// A session that a call mentions for the first time. `number` is the number of the message.
    pub(in crate::model) fn new(origin: SessionOrigin, call: &Call<'_>, number: u64) -> Self {
        let at = call.param("sessionId").unwrap_or(call.node);
        Self::seen(origin, Anchor::of(at, &"/params/sessionId"), call.sender, number)
    }

    /// The session that an answer creates under this id, with what the request and the result say
    /// of it. `number` is the message number of the answer.
    pub(in crate::model) fn born(
        origin: SessionOrigin,
        id: Text<'_>,
        answer: &Answer<'_>,
        number: u64,
    ) -> Self {
        let at = Anchor::of(id.node(), &"/result/sessionId");
        let creation = match &answer.request.facts {
            RequestFacts::Creation(creation) => Some(creation),
            _ => None,
        };
        let mut session = Self::seen(origin, at, answer.sender, number);
        session.born = Some(at);
        session.roots = creation.and_then(|creation| creation.roots.clone());
        session.config.apply_answer(answer, number);
        session.commands.apply_answer(answer, number);
        if answer.result().is_some_and(|result| result.get("modes").is_some()) {
            session.authority.apply_mode(answer);
        }
        if let (Some(creation), Some(result)) = (creation, answer.result()) {
            session.home.clone_from(&creation.home);
            let prompt = creation.equipment.instructions.as_ref();
            let prompt = prompt.map(|prompt| (prompt.digest, prompt.at));
            // A fork may have the one of its source.
            let is_known = prompt.is_some() || origin == SessionOrigin::New;
            session.instructions = is_known.then_some(FirstInstructions(prompt));
            session.info.begin(result);
        }
        session
    }

    pub(in crate::model) fn listed(id: Text<'_>, number: u64) -> Self {
        Self::seen(
            SessionOrigin::Listed,
            Anchor::of(id.node(), &"/result/sessions"),
            Some(Side::Agent),
            number,
        )
    }

    pub(in crate::model) fn child(id: Text<'_>, update: &Update<'_>, number: u64) -> Self {
        Self::seen(
            SessionOrigin::Child,
            Anchor::of(id.node(), &"/params/update"),
            update.sender,
            number,
        )
    }

    /// Applies the session's entry in an answer to `session/list`: its working directory, and
    /// whether it is archived.
    pub(in crate::model) fn be_listed(&mut self, entry: Node<'_>) {
        let cwd = entry.get("cwd").filter(|cwd| cwd.is_string());
        if self.home.is_none()
            && let Some(path) = cwd.and_then(Node::text)
        {
            let at = Anchor::of(path.node(), &"/result/sessions");
            self.home = Some(Home { path: path.as_cow().into(), at });
        }
        self.be_shown(entry);
    }

    /// Applies whether an entry of `session/list` says that the session is archived; one that says
    /// nothing changes nothing.
    fn be_shown(&mut self, entry: Node<'_>) {
        match entry.get("archived").and_then(Node::boolean) {
            Some(true) => {
                let at = Anchor::of(entry, &"/result/sessions");
                self.info.shown_archived = Some(at);
            }
            Some(false) => {
                self.course
                    .if_made(|course| course.info.if_made(|info| info.shown_archived = None));
            }
            None => {}
        }
    }

    /// Notes a `subagent_update` of the parent session, which announces this session as a subagent
    /// or reports on it.
    pub(in crate::model) fn be_announced(&mut self, update: &Update<'_>, number: u64) {
        if matches!(
            self.origin,
            SessionOrigin::Early | SessionOrigin::Assumed | SessionOrigin::Listed
        ) {
            self.origin = SessionOrigin::Child;
        }
        let parent = self.parent.get_or_insert_with(|| Box::new(Parent::by(update)));
        parent.apply(update, number);
    }

    /// Merges what the result that creates the session says into what earlier messages have shown
    /// of it. `born` is a session made from that result alone.
    pub(in crate::model) fn be_born(&mut self, born: Self) {
        let Self { origin, home, course, .. } = born;
        if matches!(
            self.origin,
            SessionOrigin::Early
                | SessionOrigin::Assumed
                | SessionOrigin::Listed
                | SessionOrigin::Child
        ) {
            self.origin = origin;
        }
        let Course { born, roots, config, commands, info, .. } = course.take();
        self.born = self.born.or(born);
        self.roots = self.roots.take().or(roots);
        self.info.if_made(|info| {
            info.deleted = None;
            info.closing = None;
            info.archived = None;
            info.shown_archived = None;
        });
        self.closed = None;
        self.shelved = false;
        self.home = home.or(self.home.take());
        if let Some(modes) = info.take().modes {
            self.info.modes = Some(modes);
        }
        if config.last().is_some() {
            self.config = config;
        }
        if commands.last().is_some() {
            self.commands = commands;
        }
    }
}

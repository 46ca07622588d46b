//! Tells where connections begin and end: by the name that the recorder gives them, by `initialize`,
//! and by the end of the file.

use std::mem;

use crate::{
    check::{
        checker::Checker, conduct::RuleCounts, connections::WaitingConnection, observer::EventKind,
    },
    event::{End, Message},
    json::Node,
    model::{Connection, Id, connection::rpc::is_random},
    protocol::{Side, Version},
    rule::{Gates, Rule, Severity},
    rules::{self, CATALOGUE},
    source::Span,
    transcript::{Extent, RecordingTraits},
};

impl Checker {
    /// Makes the connection with this name in the recording the current one; `None` for messages
    /// without a name. Following messages are judged as part of it.
    pub(super) fn enter(&mut self, lane: Option<&str>) {
        if self.connections.current() != lane {
            self.switch(lane);
        }
    }

    fn switch(&mut self, lane: Option<&str>) {
        // What goes through one hop comes to the next.
        let other_hops = self.verdicts.connection.other_hops.take().unwrap_or_default();
        let shelf = mem::take(&mut self.verdicts.connection.stories.shelf);
        let next = self.verdicts.connection.stories.at_next_connection();
        let connection = Box::new(Connection::new(self.settings.clone()));
        let here = WaitingConnection {
            connection: mem::replace(&mut self.verdicts.connection, connection),
            number: self.verdicts.number,
            last: self.last.take(),
            opened_with: self.opened_with.take(),
            counts: match self.conduct {
                Some(_) => mem::take(&mut self.verdicts.counts),
                None => RuleCounts::default(),
            },
        };
        let (known, number) = self.connections.enter(lane, here);
        self.verdicts.number = number;
        if let Some(WaitingConnection { connection, last, opened_with, counts, .. }) = known {
            self.verdicts.connection = connection;
            (self.last, self.opened_with) = (last, opened_with);
            if self.conduct.is_some() {
                self.verdicts.counts = counts;
            }
        } else {
            self.verdicts.connection.stories = next;
            if self.conduct.is_some() {
                self.verdicts.counts = RuleCounts::new(true);
            }
        }
        self.verdicts.connection.stories.shelf = shelf;
        self.verdicts.connection.other_hops = Some(other_hops);
    }

    /// Begins a new connection if an `initialize` shows that one begins.
    pub(super) fn initialize(&mut self, message: &Message<'_>) {
        let id = message.envelope.id;
        if let Some(id) = id.filter(|id| self.begins_another_connection(*id, message.sender)) {
            self.end_connection();
            let stories = self.verdicts.connection.stories.at_next_connection();
            *self.verdicts.connection = Connection::new(self.settings.clone());
            self.verdicts.connection.stories = stories;
            self.verdicts.connection.may_be_no_other = message.sender.is_none();
            self.verdicts.number = self.connections.next_number();
            self.opened_with = Some(Id::of(id));
        }
    }

    /// Whether an `initialize` with this id begins a new connection. `sender` is the side that the
    /// recording states; one of the agent begins none.
    fn begins_another_connection(&mut self, id: Node<'_>, sender: Option<Side>) -> bool {
        if sender == Some(Side::Agent) {
            return false;
        }
        // Random ids do not begin anew with a connection.
        let is_random = is_random(id);
        let id = Id::of(id);
        let connection = &self.verdicts.connection;
        let RecordingTraits { extent, only, .. } = self.settings.recording;
        // The client is on record after all.
        if only == Some(Side::Agent) && connection.is_in_use() {
            return true;
        }
        // What came before belongs to a connection that was recorded from the middle, or to none.
        if connection.is_late() && !connection.rpc.is_waiting() {
            return true;
        }
        // What is asked there is not answered on the next connection.
        let is_over = connection.is_in_use() && !connection.rpc.is_waiting();
        if (is_random || extent == Extent::Several) && is_over {
            return true;
        }
        if self.opened_with.as_ref() == Some(&id) {
            let is_known = self.settings.recording.only.is_none();
            // The agent that was asked first has died, and was started again.
            let is_unanswered = connection
                .rpc
                .outstanding_of_any(&id)
                .is_some_and(|request| &*request.method == "initialize");
            return !is_known || is_unanswered || connection.is_initialized();
        }
        self.opened_with.get_or_insert(id);
        false
    }

    /// Ends all connections of the file at its end, the current one last.
    pub(super) fn end_connections(&mut self) {
        self.verdicts.allowance.end();
        if let Some(last) = self.last {
            // Nobody knows of which connection it was.
            self.verdicts.connection.note_lost_since(last);
        }
        let (others, last) = (self.connections.others(), self.connections.current().map(Box::from));
        for lane in others.into_iter().chain([last]) {
            self.enter(lane.as_deref());
            self.end_connection();
            self.last = None;
        }
    }

    fn end_connection(&mut self) {
        if let Some(span) = self.last {
            self.check_end(span);
            self.notify_observers(EventKind::End);
            self.count_headless();
            let connection = &self.verdicts.connection;
            self.unfollowed += connection.unfollowed();
            self.uncompared += connection.stories.uncompared;
            self.contested_plans += connection.contested_plans;
            self.unknown_states += connection.unknown_states;
            if connection.may_be_no_other && !connection.is_initialized() {
                // All but `initialize` and the answer that refuses it.
                let own = 1 + u64::from(connection.negotiation.answer.is_some());
                self.unbegun += connection.number().saturating_sub(own);
            }
            self.used_connections += 1;
            self.offers = self.offers.with(rules::offers(connection));
            if self.settings.surface.is_none()
                && let Some(number) = connection.negotiation.unpublished()
                && connection.negotiation.newer_version().is_none()
            {
                let version = connection.version().unwrap_or(Version::V1);
                self.unpublished = self.unpublished.or(Some((number, version)));
            }
            if !self.settings.recording.is_mixed
                && connection.negotiation.offered.is_none()
                && connection.negotiation.answered.is_none()
            {
                self.uninitialized += 1;
                self.is_headless |= !connection.head_is_complete();
            }
        }
        if let Some(conduct) = &mut self.conduct {
            let counts = mem::replace(&mut self.verdicts.counts, RuleCounts::new(true));
            conduct.add_connection(self.verdicts.number, &self.verdicts.connection, counts);
        }
        if let Some(span) = self.last {
            self.verdicts.connection.shelve(self.verdicts.number, span);
        }
    }

    /// Counts the rules that were not assessed because the connection begins with another message
    /// than `initialize`. Does nothing where the recorder may have begun late.
    fn count_headless(&mut self) {
        let RecordingTraits { extent, only, scatters, is_mixed, is_bare, .. } =
            self.settings.recording;
        // A side may itself have written the line that says so among bare messages.
        let is_whole = is_bare || matches!(extent, Extent::Whole | Extent::Complete);
        let may_begin_late = is_mixed || !is_whole;
        let connection = &self.verdicts.connection;
        let is_judged = connection.head_is_complete() && !connection.head_follows_calls();
        if may_begin_late || only.is_some() || scatters || is_judged {
            return;
        }
        self.late_heads += u64::from(connection.head_follows_calls());
        let version = connection.version().unwrap_or(Version::V1);
        let is_gated = |rule: &&&Rule| {
            rule.gates.of(version).contains(Gates::HEAD)
                && rule.severity.of(version) != Severity::Off
        };
        self.headless_rules =
            self.headless_rules.max(CATALOGUE.iter().filter(is_gated).count() as u64);
    }

    fn check_end(&mut self, span: Span) {
        self.verdicts.connection.close(span);
        if self.is_cut {
            self.verdicts.connection.note_cut();
        }
        let scope = self.verdicts.last_scope();
        let silent = self.settings.recording.no_answers_of.map(Side::peer);
        let mut last = None;
        while let Some((ticket, request)) = self.verdicts.connection.rpc.open_after(last) {
            last = Some(ticket);
            if silent.is_some() && request.sender == silent {
                continue;
            }
            let request = request.clone();
            let scope = scope.of(request.sender.map(Side::peer)).with_method(&request.method);
            let listeners = &self.dispatch[scope.version as usize].left_open;
            self.verdicts.run(listeners, scope, |check, connection| check(&request, connection));
        }
        let end = End { span };
        let listeners = &self.dispatch[scope.version as usize].end;
        self.verdicts.run(listeners, scope, |check, connection| check(&end, connection));
        self.verdicts.close();
    }
}

//! Judges requests and notifications: the call, the session update in it, the plan in that, and the
//! content blocks.
//!
//! Rules see the state before the message; the model applies it after them.

use crate::{
    check::{
        checker::{Checker, schema::is_newer},
        observer::{EventKind, PlanChange},
        verdicts::Scope,
    },
    event::{Block, Call, Message, MethodStatus, PlanRemoved, Update, blocks},
    json::{Node, Text},
    model::{
        Id, MessagePart, PlanUpdated, SchemaEvent, connection::negotiation::written_in,
        session::plans::PlanSnapshot,
    },
    protocol::{Side, Version, schema::Observation},
};

impl Checker {
    pub(super) fn check_call<'t>(&mut self, message: &mut Message<'t>, method: Text<'t>) {
        let id = message.envelope.id;
        let params = message.envelope.params;
        let name = method.as_cow();
        let opens = method == "initialize";
        // `initialize` is judged by the version that it offers, whatever is negotiated or pinned.
        let offered = (opens && id.is_some())
            .then(|| params?.get("protocolVersion")?.integer())
            .flatten()
            .and_then(|number| match number {
                3.. => Some(Version::V2),
                number => Version::of(number).or_else(|| written_in(params?)),
            });
        let version = offered.or_else(|| self.verdicts.connection.version());
        let (status, calls) = self.schemas(version).find(&name, id.is_some());
        let caller = calls.and_then(|calls| calls.sender());
        if message.sender.is_none() {
            message.sender = caller;
        }
        if message.sender.is_none() && &*name == "$/cancel_request" {
            message.sender = self.canceller(params);
        }
        let message = &*message;
        let caller = if status == MethodStatus::OtherVersion {
            let other = version.map(Version::other);
            self.schemas(other).find(&name, id.is_some()).1.and_then(|calls| calls.sender())
        } else {
            caller
        };
        let is_misdirected = message.sender.is_some() && caller == message.sender.map(Side::peer);
        let mut scope = self.verdicts.scope(version, message.sender).with_method(&name);
        scope.is_misdirected = is_misdirected;
        self.run_message(scope, message);
        let defined = calls.map(|calls| (calls.name, calls.kind));
        let call = Call::new(message, method, status, defined, is_misdirected);
        if let Some(notes) = &mut self.verdicts.counts.notes {
            notes.call(&call, &name);
        }
        // A message that is call and response at once is reported by another rule. Which of them was
        // meant is unknown.
        let is_also_response =
            message.envelope.result.is_some() || message.envelope.error.is_some();
        if !is_also_response {
            for listeners in self.dispatch[scope.version as usize].call.of(&name) {
                self.verdicts.run(listeners, scope, |check, connection| check(&call, connection));
            }
        }
        let update = Update::of(&call);
        let update = update.as_ref();
        let plan = update.and_then(|update| self.plan(update));
        let plan = plan.as_ref();
        if let Some(update) = update {
            self.verdicts.counts.has_updates = true;
            if let Some(notes) = &mut self.verdicts.counts.notes {
                notes.update(update.kind);
            }
            self.run_update(scope, update, plan);
        }
        self.blocks(scope, &call, &name, update);
        if let Some(calls) = calls {
            let is_foreign = opens && is_newer(call.params, i64::MAX);
            if !is_foreign {
                let part = MessagePart::Params;
                let version = scope.version;
                let part =
                    SchemaEvent { message, version, method: &name, part, request: None, what: () };
                let params = params.filter(|params| !params.is_null());
                if status == MethodStatus::Draft {
                    self.observed(
                        scope,
                        &part,
                        &Observation::DraftMethod { method: method.node() },
                    );
                }
                self.check_part(scope, calls.params(), params, &part);
            }
        }
        self.notify_observers(EventKind::Call { call: &call, update, plan });
        if self.is_mixed() {
            return;
        }
        self.verdicts.connection.apply_call(&call);
        if let Some(update) = update.filter(|_| !call.is_misdirected) {
            self.apply_update(update, plan);
        }
    }

    /// The side that sent a `$/cancel_request`: the one with an open request of the named id.
    /// `None` where both or neither have one.
    fn canceller(&self, params: Option<Node<'_>>) -> Option<Side> {
        let id = Id::of(params?.get("requestId")?);
        let holds = |side| self.verdicts.connection.rpc.outstanding(Some(side), &id).is_some();
        match (holds(Side::Client), holds(Side::Agent)) {
            (true, false) => Some(Side::Client),
            (false, true) => Some(Side::Agent),
            _ => None,
        }
    }

    fn run_update(&mut self, scope: Scope<'_>, update: &Update<'_>, plan: Option<&PlanChange<'_>>) {
        let dispatch = &self.dispatch[scope.version as usize];
        for listeners in dispatch.update.of(&update.kind.as_cow()) {
            self.verdicts.run(listeners, scope, |check, connection| check(update, connection));
        }
        match plan {
            None => {}
            Some(PlanChange::Updated(updated)) => {
                let listeners = &dispatch.plan;
                self.verdicts.run(listeners, scope, |check, connection| check(updated, connection));
            }
            Some(PlanChange::Removed(removed)) => {
                let listeners = &dispatch.plan_removed;
                self.verdicts.run(listeners, scope, |check, connection| check(removed, connection));
            }
        }
    }

    fn blocks(
        &mut self,
        scope: Scope<'_>,
        call: &Call<'_>,
        name: &str,
        update: Option<&Update<'_>>,
    ) {
        let dispatch = &self.dispatch[scope.version as usize];
        let verdicts = &mut self.verdicts;
        blocks::each(name, call, update, &mut |node| {
            let Some(kind) = node.get("type").and_then(Node::text) else { return };
            let block = Block { call, kind, block: node };
            for listeners in dispatch.block.of(&kind.as_cow()) {
                verdicts.run(listeners, scope, |check, connection| check(&block, connection));
            }
        });
    }

    /// What a session update does to a plan; `None` for other updates, and for `plan` on version 2,
    /// whose clients show nothing for it.
    fn plan<'t>(&mut self, update: &'t Update<'t>) -> Option<PlanChange<'t>> {
        let connection = &self.verdicts.connection;
        if let Some(removed) = PlanRemoved::of(update, connection.edition()) {
            return Some(PlanChange::Removed(removed));
        }
        if connection.version() == Some(Version::V2) && update.kind == "plan" {
            return None;
        }
        let snapshot = PlanSnapshot::of(update, connection.edition())?;
        let diff = connection.compare(update.session_id, &snapshot);
        Some(PlanChange::Updated(PlanUpdated { update, snapshot, diff }))
    }

    fn apply_update(&mut self, update: &Update<'_>, plan: Option<&PlanChange<'_>>) {
        self.verdicts.connection.apply_update(update);
        match plan {
            None => {}
            Some(PlanChange::Updated(updated)) => self.verdicts.connection.apply_plan(updated),
            Some(PlanChange::Removed(removed)) => {
                self.verdicts.connection.apply_plan_removed(removed);
            }
        }
    }
}

//! What agents say besides their work: titles, usage, commands, modes, notices, compaction, and the
//! subagents they have.

use acpcheck::protocol::Side;
use serde_json::{Value, json};

use super::{
    agent::{Deed, Life, Line, Session, State},
    world::World,
};

impl World<'_> {
    pub(crate) fn do_extra(&mut self, id: &str, deed: &Deed) {
        let update = match deed {
            Deed::Extra => {
                let deeds = self.extras(&self.sessions[id]);
                let deed = self.pick(&deeds);
                return self.do_extra(id, &deed);
            }
            Deed::Mode => return self.switch_mode(id),
            Deed::Options => return self.change_options(id),
            Deed::Compact => return self.compact(id),
            Deed::Announce => return self.announce(id),
            Deed::Message => return self.pass_message(id),
            Deed::Commands => {
                let commands = self.commands();
                json!({"sessionUpdate": "available_commands_update", "availableCommands": commands})
            }
            Deed::Info => {
                let mut update = json!({"sessionUpdate": "session_info_update"});
                let title = self.pick(&["Tidying", "Größer"]);
                let session = self.session(id);
                // A title that the user has chosen stays.
                if !session.is_titled {
                    session.title = Some(title.into());
                    update["title"] = json!(title);
                }
                if self.once_in(2) {
                    update["updatedAt"] = self.pick(&[json!("2026-11-21T10:00:00Z"), Value::Null]);
                }
                update
            }
            Deed::Usage => {
                let used = self.below(1000) as u64;
                let mut update =
                    json!({"sessionUpdate": "usage_update", "used": used, "size": 1000});
                if self.once_in(2) {
                    let more = self.below(50) as u64;
                    let session = self.session(id);
                    session.cost += more;
                    let amount = f64::from(u32::try_from(session.cost).unwrap()) / 100.0;
                    update["cost"] = json!({"amount": amount, "currency": "EUR"});
                }
                update
            }
            Deed::Notice => {
                let severity = self.pick(&["info", "warning", "error", "_vendor"]);
                json!({"sessionUpdate": "notice", "severity": severity, "title": "Slow network"})
            }
            other => panic!("{other:?} is no extra"),
        };
        let mut update = update;
        self.remark(&mut update);
        self.update(id, update);
    }

    pub(crate) fn commands(&mut self) -> Value {
        let names = ["web", "test:all", "plan_it"];
        let count = self.below(4);
        let command = |name: &&str| {
            let mut command =
                json!({"name": name, "description": "does it", "input": {"hint": "what"}});
            if !self.is_v1() {
                command["type"] = json!("command");
                command["input"] = json!({"type": "text", "hint": "what"});
            }
            command
        };
        names[..count].iter().map(command).collect()
    }

    fn switch_mode(&mut self, id: &str) {
        let modes = self.sessions[id].modes.clone();
        let mode = self.pick(&modes);
        let session = self.session(id);
        session.switch(&mode);
        if session.is_synced {
            let options = json!(session.options);
            session.script.push_back(Line::Update(
                json!({"sessionUpdate": "config_option_update", "configOptions": options}),
            ));
        }
        self.update(id, json!({"sessionUpdate": "current_mode_update", "currentModeId": mode}));
    }

    fn change_options(&mut self, id: &str) {
        let options = self.sessions[id].options.clone();
        let place = self.below(options.len());
        if options[place]["category"] == "mode" {
            return self.switch_mode(id);
        }
        let value = self.other_value(&options[place]);
        let session = self.session(id);
        session.options[place]["currentValue"] = value;
        let options = json!(session.options);
        self.update(id, json!({"sessionUpdate": "config_option_update", "configOptions": options}));
    }

    fn compact(&mut self, id: &str) {
        let Some(compaction) = self.sessions[id].compaction.clone() else {
            let compaction = format!("compaction-{}", self.serial());
            self.session(id).compaction = Some(compaction.clone());
            let update = json!({"sessionUpdate": "compaction_update", "compactionId": compaction, "status": "in_progress"});
            return self.update(id, update);
        };
        if self.once_in(2) {
            let content = self.block();
            let update = json!({"sessionUpdate": "compaction_summary_chunk", "compactionId": compaction, "content": content});
            return self.update(id, update);
        }
        self.end_compaction(id);
    }

    pub(crate) fn end_compaction(&mut self, id: &str) {
        let compaction = self.session(id).compaction.take().unwrap();
        let status = self.pick(&["completed", "completed", "failed", "cancelled"]);
        let mut update = json!({"sessionUpdate": "compaction_update", "compactionId": compaction, "status": status});
        match status {
            "completed" if self.once_in(2) => update["summary"] = json!([self.block()]),
            "failed" => update["error"] = json!("No model"),
            _ => {}
        }
        if status == "completed" {
            self.session(id).history.push(update.clone());
        }
        self.update(id, update);
    }

    // Subagents.

    fn announce(&mut self, id: &str) {
        let child = format!("child-{}", self.serial());
        let mut update =
            json!({"sessionUpdate": "subagent_update", "sessionId": child, "title": "Helper"});
        let may_cancel = self.once_in(2);
        if may_cancel {
            update["capabilities"] = json!({"cancel": {}});
        }
        let cwd = self.sessions[id].cwd.clone();
        if self.once_in(3) {
            update["cwd"] = json!(cwd);
        }
        let mut session = Session::new(&cwd, Life::Open);
        session.parent = Some(id.into());
        session.is_mirrored = self.once_in(2);
        self.sessions.insert(child, session);
        self.update(id, update);
    }

    fn pass_message(&mut self, id: &str) {
        let child = self.sessions.iter().find(|it| it.1.parent.as_deref() == Some(id));
        let child = child.unwrap().0.clone();
        let message = format!("between-{}", self.serial());
        let content = self.block();
        self.update(
            id,
            json!({"sessionUpdate": "session_message", "messageId": message, "senderSessionId": id, "recipientSessionId": child, "content": [content]}),
        );
        let more = Line::Update(
            json!({"sessionUpdate": "session_message_chunk", "messageId": message, "content": content}),
        );
        if self.once_in(2) {
            self.session(id).script.push_back(more);
        }
    }

    /// A state update, and for a subagent what its parent says of it.
    pub(crate) fn tell_state(&mut self, id: &str, update: Value) {
        let session = &self.sessions[id];
        if let (Some(parent), true) = (session.parent.clone(), session.is_mirrored) {
            let mut state = update.clone();
            state.as_object_mut().unwrap().remove("sessionUpdate");
            let mirrored =
                json!({"sessionUpdate": "subagent_update", "sessionId": id, "state": state});
            self.update(id, update);
            return self.update(&parent, mirrored);
        }
        self.update(id, update);
    }

    pub(crate) fn state_update(&mut self, id: &str, state: State) -> Value {
        let name = match state {
            State::Idle => "idle",
            State::Running => "running",
            State::Waiting => "requires_action",
        };
        let mut update = json!({"sessionUpdate": "state_update", "state": name});
        if let Some(background) = self.background(id, state) {
            update["background"] = background;
        }
        update
    }

    pub(crate) fn recite(&mut self, id: &str) {
        match self.session(id).script.pop_front().unwrap() {
            Line::Update(update) => self.update(id, update),
            Line::Answer(request, result) => self.answer(Side::Agent, &request, result),
        }
    }
}

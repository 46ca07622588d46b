//! Plans as agents keep them: each update tells the whole list.

use serde_json::{Value, json};

use super::{
    agent::{Deed, Session},
    world::World,
};

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) text: String,
    pub(crate) priority: &'static str,
    pub(crate) status: &'static str,
}

/// A plan that the client shows.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    Items(Vec<Entry>),
    Markdown(String),
    File(String),
}

impl Plan {
    pub(crate) fn update(&self, id: Option<&str>) -> Value {
        let plan = match self {
            Self::Items(entries) => {
                let entry = |entry: &Entry| json!({"content": entry.text, "priority": entry.priority, "status": entry.status});
                let entries: Vec<_> = entries.iter().map(entry).collect();
                if id.is_none() {
                    return json!({"sessionUpdate": "plan", "entries": entries});
                }
                json!({"type": "items", "planId": id, "entries": entries})
            }
            Self::Markdown(text) => json!({"type": "markdown", "planId": id, "content": text}),
            Self::File(path) => {
                json!({"type": "markdown", "planId": id, "content": "# Notes", "path": path})
            }
        };
        json!({"sessionUpdate": "plan_update", "plan": plan})
    }

    fn is_busy(&self) -> bool {
        matches!(self, Self::Items(entries) if entries.iter().any(|it| it.status == "in_progress"))
    }
}

impl Session {
    pub(crate) fn has_busy_plan(&self) -> bool {
        self.plans.values().any(Plan::is_busy)
    }
}

impl World<'_> {
    /// Whether plans with ids may be shown, and their other kinds.
    pub(crate) fn may_name_plans(&self) -> [bool; 2] {
        let is_open = !self.is_v1() || self.has("plan");
        [is_open, is_open]
    }

    pub(crate) fn do_plan(&mut self, id: &str, deed: &Deed) {
        match deed {
            Deed::Plan => self.work_on(id, None),
            Deed::NamedPlan => {
                let known: Vec<_> = self.sessions[id].plans.keys().flatten().cloned().collect();
                let plan = if known.is_empty() || self.once_in(4) {
                    format!("plan-{}", self.serial())
                } else {
                    self.pick(&known)
                };
                self.work_on(id, Some(plan));
            }
            Deed::RemovePlan(plan) => {
                self.session(id).plans.remove(&Some(plan.clone()));
                self.update(id, json!({"sessionUpdate": "plan_removed", "planId": plan}));
            }
            _ => {
                // What is in progress waits for the next turn, or is done.
                let busy = self.sessions[id].plans.iter().find(|it| it.1.is_busy());
                let plan = busy.unwrap().0.clone();
                let status = self.pick(&["completed", "pending"]);
                if let Some(Plan::Items(entries)) = self.session(id).plans.get_mut(&plan) {
                    for entry in entries.iter_mut().filter(|it| it.status == "in_progress") {
                        entry.status = status;
                    }
                }
                self.show_plan(id, plan.as_deref());
            }
        }
    }

    fn show_plan(&mut self, id: &str, plan: Option<&str>) {
        let mut update = self.sessions[id].plans[&plan.map(Into::into)].update(plan);
        self.remark(&mut update);
        self.update(id, update);
    }

    fn work_on(&mut self, id: &str, plan: Option<String>) {
        let known = self.sessions[id].plans.get(&plan).cloned();
        let next = match known {
            None => {
                let kind =
                    if plan.is_some() && self.may_name_plans()[1] { self.below(4) } else { 0 };
                match kind {
                    2 => Plan::Markdown(format!("# Plan {}\n- a\n- b\n", self.serial())),
                    3 => Plan::File(format!("/work/plan-{}.md", self.serial())),
                    _ => {
                        let count = 1 + self.below(5);
                        Plan::Items((0..count).map(|_| self.entry()).collect())
                    }
                }
            }
            Some(Plan::Markdown(text)) => {
                Plan::Markdown(format!("{text}- step {}\n", self.serial()))
            }
            Some(Plan::File(uri)) => Plan::File(uri),
            Some(Plan::Items(entries)) => Plan::Items(self.advance(entries)),
        };
        self.session(id).plans.insert(plan.clone(), next);
        self.show_plan(id, plan.as_deref());
    }

    fn entry(&mut self) -> Entry {
        let serial = self.serial();
        let custom: &[&str] = if self.is_v1() { &[] } else { &["_soon"] };
        let priorities: Vec<_> = ["high", "medium", "low"].iter().chain(custom).copied().collect();
        Entry {
            text: format!("Step {serial}"),
            priority: self.pick(&priorities),
            status: "pending",
        }
    }

    /// The list after some work: none that was begun is lost on the way.
    fn advance(&mut self, mut entries: Vec<Entry>) -> Vec<Entry> {
        let open = entries.iter().position(|it| it.status == "in_progress");
        let next = entries.iter().position(|it| it.status == "pending");
        match (self.below(8), open, next) {
            (0..=3, Some(open), next) => {
                entries[open].status = self.finished();
                if let (Some(next), true) = (next, self.once_in(2)) {
                    entries[next].status = "in_progress";
                }
            }
            (0..=3, None, Some(next)) => entries[next].status = "in_progress",
            // Work on it was put off.
            (4, Some(open), _) => entries[open].status = "pending",
            // Finished steps need not be listed for ever.
            (5, ..) if entries.iter().any(|it| it.status == "completed") => {
                entries.retain(|it| it.status != "completed");
            }
            // The rest is planned anew.
            (6, ..) => {
                entries.retain(|it| it.status == "completed");
                for _ in 0..3 + self.below(2) {
                    let entry = self.entry();
                    entries.push(entry);
                }
            }
            (7, ..) if self.once_in(2) => entries.clear(),
            (7, Some(open), _) if entries.len() > 2 => {
                let serial = self.serial();
                entries[open].text = format!("Doing step {serial}");
            }
            _ => {
                let entry = self.entry();
                entries.push(entry);
            }
        }
        entries
    }

    fn finished(&mut self) -> &'static str {
        if self.is_v1() { "completed" } else { self.pick(&["completed", "completed", "cancelled"]) }
    }
}

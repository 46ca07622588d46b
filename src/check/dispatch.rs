//! Which checks run for which events: the catalogue's subscriptions, indexed.

use crate::{
    event::{Block, Call, End, Flaw, Message, PlanRemoved, Update},
    map::Map,
    model::{Answer, Connection, Observed, PlanUpdated, Rejected, Request, Stray},
    protocol::Version,
    rule::{Gates, On, Rule, Verdict},
    rules::CATALOGUE,
};

/// Index of a rule in `CATALOGUE`, the list of all rules.
pub(super) type RuleIndex = usize;

/// The subscription of one rule to one kind of event: the function to call, and what must be known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listener<F> {
    pub(super) rule: RuleIndex,
    /// What must be known about the connection before the rule may report, such as its beginning.
    pub(super) gates: Gates,
    pub(super) check: F,
}

/// The subscriptions to one kind of event, in the order of the catalogue.
pub(super) type Listeners<F> = Vec<Listener<F>>;

/// Subscriptions to events that have a name: a method, a kind of update, a type of content block.
#[derive(Debug)]
pub(super) struct Named<F> {
    /// The rules that subscribe to an event whatever its name (method, kind of update) is.
    all: Listeners<F>,
    by_name: Map<&'static str, Listeners<F>>,
}

impl<F> Default for Named<F> {
    fn default() -> Self {
        Self { all: Vec::new(), by_name: Map::default() }
    }
}

impl<F: Copy> Named<F> {
    fn add(&mut self, names: &'static [&'static str], listener: Listener<F>) {
        if names.is_empty() {
            self.all.push(listener);
        }
        for name in names {
            self.by_name.entry(name).or_default().push(listener);
        }
    }

    /// The subscriptions to an event of this name: at index 0 those to all names, at index 1 those
    /// to this name.
    pub(super) fn of(&self, name: &str) -> [&[Listener<F>]; 2] {
        [&self.all, self.by_name.get(name).map_or(&[], Vec::as_slice)]
    }
}

/// The subscriptions of all rules on one version, by kind of event.
#[derive(Debug, Default)]
pub(super) struct Dispatch {
    pub(super) flaw: Listeners<fn(&Flaw, &Connection) -> Option<Verdict>>,
    pub(super) message: Listeners<fn(&Message<'_>, &Connection) -> Option<Verdict>>,
    pub(super) call: Named<fn(&Call<'_>, &Connection) -> Option<Verdict>>,
    pub(super) answer: Named<fn(&Answer<'_>, &Connection) -> Option<Verdict>>,
    pub(super) stray: Listeners<fn(&Stray<'_>, &Connection) -> Option<Verdict>>,
    pub(super) update: Named<fn(&Update<'_>, &Connection) -> Option<Verdict>>,
    pub(super) block: Named<fn(&Block<'_>, &Connection) -> Option<Verdict>>,
    pub(super) plan: Listeners<fn(&PlanUpdated<'_>, &Connection) -> Option<Verdict>>,
    pub(super) plan_removed: Listeners<fn(&PlanRemoved<'_>, &Connection) -> Option<Verdict>>,
    pub(super) rejected: Listeners<fn(&Rejected<'_>, &Connection) -> Option<Verdict>>,
    pub(super) observed: Listeners<fn(&Observed<'_>, &Connection) -> Option<Verdict>>,
    pub(super) left_open: Listeners<fn(&Request, &Connection) -> Option<Verdict>>,
    pub(super) end: Listeners<fn(&End, &Connection) -> Option<Verdict>>,
}

impl Dispatch {
    /// The subscriptions of the rules that `is_on` admits: at index 0 those that hold on version 1,
    /// at index 1 those on version 2.
    pub(super) fn of_versions(is_on: impl Fn(RuleIndex) -> bool) -> [Self; 2] {
        [Version::V1, Version::V2].map(|version| Self::new(version, &is_on))
    }

    fn new(version: Version, is_on: impl Fn(RuleIndex) -> bool) -> Self {
        let mut dispatch = Self::default();
        let is_on = |index, rule: &Rule| rule.surfaces.applies_to(version) && is_on(index);
        for (index, rule) in
            CATALOGUE.iter().enumerate().filter(|(index, rule)| is_on(*index, rule))
        {
            for on in rule.on {
                dispatch.subscribe(index, rule.gates.of(version), on);
            }
        }
        dispatch
    }

    fn subscribe(&mut self, rule: RuleIndex, gates: Gates, on: &On) {
        match *on {
            On::Flaw(check) => self.flaw.push(Listener { rule, gates, check }),
            On::Message(check) => self.message.push(Listener { rule, gates, check }),
            On::Call(names, check) => self.call.add(names, Listener { rule, gates, check }),
            On::Answer(names, check) => self.answer.add(names, Listener { rule, gates, check }),
            On::Stray(check) => self.stray.push(Listener { rule, gates, check }),
            On::Update(names, check) => self.update.add(names, Listener { rule, gates, check }),
            On::Block(kinds, check) => self.block.add(kinds, Listener { rule, gates, check }),
            On::Plan(check) => self.plan.push(Listener { rule, gates, check }),
            On::PlanRemoved(check) => self.plan_removed.push(Listener { rule, gates, check }),
            On::Rejected(check) => self.rejected.push(Listener { rule, gates, check }),
            On::Observed(check) => self.observed.push(Listener { rule, gates, check }),
            On::LeftOpen(check) => self.left_open.push(Listener { rule, gates, check }),
            On::End(check) => self.end.push(Listener { rule, gates, check }),
        }
    }
}

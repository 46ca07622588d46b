//! Which checks hear of which events: the catalogue's subscriptions, indexed.

use rustc_hash::FxHashMap;

use crate::{
    event::{
        Answer, Block, Call, End, Flaw, Message, PlanRemoved, PlanUpdated, Refused, Seen, Stray,
        Update,
    },
    model::{Connection, Request},
    protocol::Version,
    rule::{Gates, On, Rule, Verdict},
    rules::CATALOGUE,
};

/// The index of a rule in the catalogue.
pub(super) type RuleIndex = usize;

/// A rule's check for one kind of event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listener<F> {
    pub(super) rule: RuleIndex,
    /// What must be known before the rule may speak.
    pub(super) gates: Gates,
    pub(super) check: F,
}

impl Listener<()> {
    fn with<F>(self, check: F) -> Listener<F> {
        Listener { rule: self.rule, gates: self.gates, check }
    }
}

/// Those who listen to one kind of event, in the order of the catalogue.
pub(super) type Listeners<F> = Vec<Listener<F>>;

/// Listeners that select by name.
#[derive(Debug)]
pub(super) struct Named<F> {
    all: Listeners<F>,
    named: FxHashMap<&'static str, Listeners<F>>,
}

impl<F> Default for Named<F> {
    fn default() -> Self {
        Self { all: Vec::new(), named: FxHashMap::default() }
    }
}

impl<F: Copy> Named<F> {
    fn add(&mut self, names: &'static [&'static str], listener: Listener<F>) {
        if names.is_empty() {
            self.all.push(listener);
        }
        for name in names {
            self.named.entry(name).or_default().push(listener);
        }
    }

    /// Those who listen to everything, then those who listen to this name.
    pub(super) fn of(&self, name: &str) -> [&[Listener<F>]; 2] {
        [&self.all, self.named.get(name).map(Vec::as_slice).unwrap_or_default()]
    }
}

/// The catalogue by events, for one version.
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
    pub(super) refused: Listeners<fn(&Refused<'_>, &Connection) -> Option<Verdict>>,
    pub(super) seen: Listeners<fn(&Seen<'_>, &Connection) -> Option<Verdict>>,
    pub(super) left_open: Listeners<fn(&Request, &Connection) -> Option<Verdict>>,
    pub(super) end: Listeners<fn(&End, &Connection) -> Option<Verdict>>,
}

impl Dispatch {
    /// The subscriptions of the rules of each version that `is_heard` admits.
    pub(super) fn of_versions(is_heard: impl Fn(RuleIndex) -> bool) -> [Self; 2] {
        [Version::V1, Version::V2].map(|version| Self::new(version, &is_heard))
    }

    fn new(version: Version, is_heard: impl Fn(RuleIndex) -> bool) -> Self {
        let mut dispatch = Self::default();
        let is_heard = |index, rule: &Rule| rule.surfaces.concern(version) && is_heard(index);
        for (index, rule) in
            CATALOGUE.iter().enumerate().filter(|(index, rule)| is_heard(*index, rule))
        {
            let listener = Listener { rule: index, gates: rule.gates.of(version), check: () };
            for on in rule.on {
                match *on {
                    On::Flaw(check) => dispatch.flaw.push(listener.with(check)),
                    On::Message(check) => dispatch.message.push(listener.with(check)),
                    On::Call(names, check) => dispatch.call.add(names, listener.with(check)),
                    On::Answer(names, check) => dispatch.answer.add(names, listener.with(check)),
                    On::Stray(check) => dispatch.stray.push(listener.with(check)),
                    On::Update(names, check) => dispatch.update.add(names, listener.with(check)),
                    On::Block(names, check) => dispatch.block.add(names, listener.with(check)),
                    On::Plan(check) => dispatch.plan.push(listener.with(check)),
                    On::PlanRemoved(check) => dispatch.plan_removed.push(listener.with(check)),
                    On::Refused(check) => dispatch.refused.push(listener.with(check)),
                    On::Seen(check) => dispatch.seen.push(listener.with(check)),
                    On::LeftOpen(check) => dispatch.left_open.push(listener.with(check)),
                    On::End(check) => dispatch.end.push(listener.with(check)),
                }
            }
        }
        dispatch
    }
}

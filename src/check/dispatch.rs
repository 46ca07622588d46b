//! Which checks hear of which events: the catalogue's subscriptions, indexed.

use rustc_hash::FxHashMap;

use crate::{
    event::{
        Answer, Block, Call, End, Flaw, Message, PlanRemoved, PlanUpdated, Refused, Seen, Stray,
        Update,
    },
    json::Names,
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
    /// Names of which a message has one that is of interest; see [`On::With`].
    pub(super) names: Names,
    /// See [`On::ByForm`].
    pub(super) is_by_form: bool,
    pub(super) check: F,
}

impl Listener<()> {
    /// What spares asking a check, and the event that it hears of.
    fn new(rule: RuleIndex, gates: Gates, mut on: &'static On) -> (Self, &'static On) {
        let (mut names, mut is_by_form) = (Names::ALL, false);
        loop {
            on = match on {
                On::With(own, on) => {
                    names = Names::of(own);
                    on
                }
                On::ByForm(on) => {
                    is_by_form = true;
                    on
                }
                _ => return (Self { rule, gates, names, is_by_form, check: () }, on),
            };
        }
    }

    fn with<F>(self, check: F) -> Listener<F> {
        let Self { rule, gates, names, is_by_form, check: () } = self;
        Listener { rule, gates, names, is_by_form, check }
    }
}

/// Those who listen to one kind of event, in the order of the catalogue.
pub(super) type Listeners<F> = Vec<Listener<F>>;

/// Listeners that hear of messages.
#[derive(Debug)]
pub(super) struct Choir<F> {
    pub(super) all: Listeners<F>,
    /// Those who do not go by the form alone.
    pub(super) attentive: Listeners<F>,
}

impl<F> Default for Choir<F> {
    fn default() -> Self {
        Self { all: Vec::new(), attentive: Vec::new() }
    }
}

impl<F: Copy> Choir<F> {
    fn add(&mut self, listener: Listener<F>) {
        self.all.push(listener);
        if !listener.is_by_form {
            self.attentive.push(listener);
        }
    }
}

/// Listeners that select by name.
#[derive(Debug)]
pub(super) struct Named<F> {
    all: Choir<F>,
    by_name: FxHashMap<&'static str, Choir<F>>,
    nobody: Choir<F>,
}

impl<F> Default for Named<F> {
    fn default() -> Self {
        Self { all: Choir::default(), by_name: FxHashMap::default(), nobody: Choir::default() }
    }
}

impl<F: Copy> Named<F> {
    fn add(&mut self, names: &'static [&'static str], listener: Listener<F>) {
        if names.is_empty() {
            self.all.add(listener);
        }
        for name in names {
            self.by_name.entry(name).or_default().add(listener);
        }
    }

    /// Those who listen to everything, then those who listen to this name.
    pub(super) fn of(&self, name: &str) -> [&Choir<F>; 2] {
        [&self.all, self.by_name.get(name).unwrap_or(&self.nobody)]
    }
}

/// The catalogue by events, for one version.
#[derive(Debug, Default)]
pub(super) struct Dispatch {
    pub(super) flaw: Listeners<fn(&Flaw, &Connection) -> Option<Verdict>>,
    pub(super) message: Choir<fn(&Message<'_>, &Connection) -> Option<Verdict>>,
    pub(super) call: Named<fn(&Call<'_>, &Connection) -> Option<Verdict>>,
    pub(super) answer: Named<fn(&Answer<'_>, &Connection) -> Option<Verdict>>,
    pub(super) stray: Listeners<fn(&Stray<'_>, &Connection) -> Option<Verdict>>,
    pub(super) update: Named<fn(&Update<'_>, &Connection) -> Option<Verdict>>,
    pub(super) block: Named<fn(&Block<'_>, &Connection) -> Option<Verdict>>,
    /// Names of which a message has one that has blocks of interest.
    pub(super) names_of_blocks: Names,
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
            for on in rule.on {
                let (listener, event) = Listener::new(index, rule.gates.of(version), on);
                match *event {
                    On::Flaw(check) => dispatch.flaw.push(listener.with(check)),
                    On::Message(check) => dispatch.message.add(listener.with(check)),
                    On::Call(names, check) => dispatch.call.add(names, listener.with(check)),
                    On::Answer(names, check) => dispatch.answer.add(names, listener.with(check)),
                    On::Stray(check) => dispatch.stray.push(listener.with(check)),
                    On::Update(names, check) => dispatch.update.add(names, listener.with(check)),
                    On::Block(kinds, check) => {
                        dispatch.names_of_blocks.add(listener.names);
                        dispatch.block.add(kinds, listener.with(check));
                    }
                    On::Plan(check) => dispatch.plan.push(listener.with(check)),
                    On::PlanRemoved(check) => dispatch.plan_removed.push(listener.with(check)),
                    On::Refused(check) => dispatch.refused.push(listener.with(check)),
                    On::Seen(check) => dispatch.seen.push(listener.with(check)),
                    On::LeftOpen(check) => dispatch.left_open.push(listener.with(check)),
                    On::End(check) => dispatch.end.push(listener.with(check)),
                    On::With(..) | On::ByForm(_) => {}
                }
            }
        }
        dispatch
    }
}

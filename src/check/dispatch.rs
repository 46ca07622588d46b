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
    pub(super) spares: Spares,
    pub(super) check: F,
}

impl Listener<()> {
    fn with<F>(self, check: F) -> Listener<F> {
        let Self { rule, gates, spares, check: () } = self;
        Listener { rule, gates, spares, check }
    }
}

/// What spares asking a check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spares {
    /// Names of which a message has one that is of interest; see [`On::With`].
    pub(super) names: Names,
    /// See [`On::ByForm`].
    pub(super) is_by_form: bool,
    /// See [`On::UnlessOrdinary`].
    pub(super) skips_ordinary: bool,
}

impl Spares {
    /// What spares asking a check, and the event that it hears of.
    fn of(mut on: &'static On) -> (Self, &'static On) {
        let mut spares = Self { names: Names::ALL, is_by_form: false, skips_ordinary: false };
        loop {
            on = match on {
                On::With(names, on) => {
                    spares.names = Names::of(names);
                    on
                }
                On::ByForm(on) => {
                    spares.is_by_form = true;
                    on
                }
                On::UnlessOrdinary(on) => {
                    spares.skips_ordinary = true;
                    on
                }
                _ => return (spares, on),
            };
        }
    }
}

/// Those who listen to one kind of event, in the order of the catalogue.
pub(super) type Listeners<F> = Vec<Listener<F>>;

/// Those of some listeners who need to be asked: a bit for each.
pub(super) type Asked = u64;

/// One bit for each of some listeners that is meant.
#[inline]
fn bits<F>(listeners: &[Listener<F>], is_meant: impl Fn(&Spares) -> bool) -> Asked {
    (0..).zip(listeners).fold(0, |all, (bit, it)| all | Asked::from(is_meant(&it.spares)) << bit)
}

/// Those of some listeners who need to be asked about a message with these names.
#[inline]
pub(super) fn asked<F>(listeners: &[Listener<F>], names: Names) -> Asked {
    bits(listeners, |spares| names.may_have_any(spares.names))
}

/// Listeners that select by name.
#[derive(Debug)]
pub(super) struct Named<F> {
    /// Those who listen to everything, nobody, then those who listen to one name each.
    groups: Vec<Listeners<F>>,
    by_name: FxHashMap<&'static str, usize>,
}

/// Those of the listeners to a name who need to be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AskedOf {
    /// Of those who listen to everything.
    all: Asked,
    /// Where those are who listen to this name, and which of them.
    group: usize,
    named: Asked,
}

impl<F> Default for Named<F> {
    fn default() -> Self {
        Self { groups: vec![Vec::new(), Vec::new()], by_name: FxHashMap::default() }
    }
}

impl<F: Copy> Named<F> {
    const ALL: usize = 0;
    const NOBODY: usize = 1;

    fn add(&mut self, names: &'static [&'static str], listener: Listener<F>) {
        if names.is_empty() {
            self.groups[Self::ALL].push(listener);
        }
        for name in names {
            let group = *self.by_name.entry(name).or_insert_with(|| {
                self.groups.push(Vec::new());
                self.groups.len() - 1
            });
            self.groups[group].push(listener);
        }
    }

    /// Who needs to be asked about what has this name, in a message with these names.
    pub(super) fn asked(&self, name: &str, names: Names) -> AskedOf {
        let group = self.by_name.get(name).copied().unwrap_or(Self::NOBODY);
        let [all, named] = [Self::ALL, group].map(|group| asked(&self.groups[group], names));
        AskedOf { all, group, named }
    }

    /// Those who listen to everything, then those who listen to one name, each with those of them who
    /// need to be asked.
    #[inline]
    pub(super) fn of(&self, asked: AskedOf) -> [(&[Listener<F>], Asked); 2] {
        let AskedOf { all, group, named } = asked;
        [(&self.groups[Self::ALL], all), (&self.groups[group], named)]
    }
}

/// Who needs to be asked about a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Heed {
    pub(super) message: Asked,
    /// About the call that it is.
    pub(super) call: AskedOf,
    /// About the update in it.
    pub(super) update: AskedOf,
    /// About the plan that it updates.
    pub(super) plan: Asked,
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

    /// Who needs to be asked about a message with these names that calls this method, if it does, and
    /// has an update of this kind, if it has.
    pub(super) fn heed(&self, names: Names, method: Option<&str>, kind: Option<&str>) -> Heed {
        Heed {
            message: asked(&self.message, names),
            call: method.map(|method| self.call.asked(method, names)).unwrap_or_default(),
            update: kind.map(|kind| self.update.asked(kind, names)).unwrap_or_default(),
            plan: asked(&self.plan, names),
        }
    }

    fn new(version: Version, is_heard: impl Fn(RuleIndex) -> bool) -> Self {
        let mut dispatch = Self::default();
        let is_heard = |index, rule: &Rule| rule.surfaces.concern(version) && is_heard(index);
        for (index, rule) in
            CATALOGUE.iter().enumerate().filter(|(index, rule)| is_heard(*index, rule))
        {
            for on in rule.on {
                let (spares, event) = Spares::of(on);
                let gates = rule.gates.of(version);
                let listener = Listener { rule: index, gates, spares, check: () };
                match *event {
                    On::Flaw(check) => dispatch.flaw.push(listener.with(check)),
                    On::Message(check) => dispatch.message.push(listener.with(check)),
                    On::Call(names, check) => dispatch.call.add(names, listener.with(check)),
                    On::Answer(names, check) => dispatch.answer.add(names, listener.with(check)),
                    On::Stray(check) => dispatch.stray.push(listener.with(check)),
                    On::Update(names, check) => dispatch.update.add(names, listener.with(check)),
                    On::Block(kinds, check) => {
                        dispatch.names_of_blocks.add(spares.names);
                        dispatch.block.add(kinds, listener.with(check));
                    }
                    On::Plan(check) => dispatch.plan.push(listener.with(check)),
                    On::PlanRemoved(check) => dispatch.plan_removed.push(listener.with(check)),
                    On::Refused(check) => dispatch.refused.push(listener.with(check)),
                    On::Seen(check) => dispatch.seen.push(listener.with(check)),
                    On::LeftOpen(check) => dispatch.left_open.push(listener.with(check)),
                    On::End(check) => dispatch.end.push(listener.with(check)),
                    On::With(..) | On::ByForm(_) | On::UnlessOrdinary(_) => {}
                }
            }
        }
        dispatch
    }
}

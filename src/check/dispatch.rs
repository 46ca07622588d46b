//! Which checks hear of which events: the catalogue's subscriptions, indexed.

use rustc_hash::FxHashMap;

use crate::{
    event::{
        Answer, Block, Call, End, Flaw, Message, PlanRemoved, PlanUpdated, Refused, Seen, Stray,
        Update,
    },
    model::{Connection, Request},
    protocol::Version,
    rule::{On, Rule, Verdict},
    rules::CATALOGUE,
};

/// The index of a rule in the catalogue.
pub(super) type RuleIndex = usize;

/// Checks of one kind of event, with the index of their rule, in the order of the catalogue.
pub(super) type Checks<F> = Vec<(RuleIndex, F)>;

/// Checks that select by name.
#[derive(Debug)]
pub(super) struct Named<F> {
    all: Checks<F>,
    named: FxHashMap<&'static str, Checks<F>>,
}

impl<F> Default for Named<F> {
    fn default() -> Self {
        Self { all: Vec::new(), named: FxHashMap::default() }
    }
}

impl<F: Copy> Named<F> {
    fn add(&mut self, names: &'static [&'static str], rule: RuleIndex, check: F) {
        if names.is_empty() {
            self.all.push((rule, check));
        }
        for name in names {
            self.named.entry(name).or_default().push((rule, check));
        }
    }

    /// Those who listen to everything, then those who listen to this name.
    pub(super) fn of(&self, name: &str) -> impl Iterator<Item = (RuleIndex, F)> {
        self.all.iter().chain(self.named.get(name).into_iter().flatten()).copied()
    }
}

/// The catalogue by events, for one version.
#[derive(Debug, Default)]
pub(super) struct Dispatch {
    pub(super) flaw: Checks<fn(&Flaw, &Connection) -> Option<Verdict>>,
    pub(super) message: Checks<fn(&Message<'_>, &Connection) -> Option<Verdict>>,
    pub(super) call: Named<fn(&Call<'_>, &Connection) -> Option<Verdict>>,
    pub(super) answer: Named<fn(&Answer<'_>, &Connection) -> Option<Verdict>>,
    pub(super) stray: Checks<fn(&Stray<'_>, &Connection) -> Option<Verdict>>,
    pub(super) update: Named<fn(&Update<'_>, &Connection) -> Option<Verdict>>,
    pub(super) block: Named<fn(&Block<'_>, &Connection) -> Option<Verdict>>,
    pub(super) plan: Checks<fn(&PlanUpdated<'_>, &Connection) -> Option<Verdict>>,
    pub(super) plan_removed: Checks<fn(&PlanRemoved<'_>, &Connection) -> Option<Verdict>>,
    pub(super) refused: Checks<fn(&Refused<'_>, &Connection) -> Option<Verdict>>,
    pub(super) seen: Checks<fn(&Seen<'_>, &Connection) -> Option<Verdict>>,
    pub(super) left_open: Checks<fn(&Request, &Connection) -> Option<Verdict>>,
    pub(super) end: Checks<fn(&End, &Connection) -> Option<Verdict>>,
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
                match *on {
                    On::Flaw(check) => dispatch.flaw.push((index, check)),
                    On::Message(check) => dispatch.message.push((index, check)),
                    On::Call(names, check) => dispatch.call.add(names, index, check),
                    On::Answer(names, check) => dispatch.answer.add(names, index, check),
                    On::Stray(check) => dispatch.stray.push((index, check)),
                    On::Update(names, check) => dispatch.update.add(names, index, check),
                    On::Block(names, check) => dispatch.block.add(names, index, check),
                    On::Plan(check) => dispatch.plan.push((index, check)),
                    On::PlanRemoved(check) => dispatch.plan_removed.push((index, check)),
                    On::Refused(check) => dispatch.refused.push((index, check)),
                    On::Seen(check) => dispatch.seen.push((index, check)),
                    On::LeftOpen(check) => dispatch.left_open.push((index, check)),
                    On::End(check) => dispatch.end.push((index, check)),
                }
            }
        }
        dispatch
    }
}

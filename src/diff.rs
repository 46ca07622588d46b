//! What has changed between the recordings of two releases of a client or an agent.
//!
//! [`watched`] collects the facts of a recording while it is checked; [`compare()`] takes the recordings of
//! both releases and returns [`Differences`]. Texts, ids, times and amounts are never compared, but facts:
//! what was there, of what could have been there.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

mod behaviour;
mod causes;
mod compare;
mod fact;
mod findings;
mod order;
mod output;
mod recording;
mod surface;
mod versions;

pub use compare::{Evidence, Obstacle};
pub use fact::Area;
pub use output::Format;
pub use recording::{Recording, WatchedConnection, watched};

use crate::protocol::Side;
use compare::{Comparison, Group, Unit};

/// Which implementations `compare()` compares, as the user chose on the command line.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The side whose changes are reported. `None` means the side whose version differs between OLD
    /// and NEW; the agent where that leaves it open.
    pub side: Option<Side>,
    /// Names of the agents to compare, each as in OLD and as in NEW. Empty means all agents.
    pub agents: Vec<(String, String)>,
}

/// Result of comparing OLD and NEW: one `Comparand` for each implementation that both releases
/// have.
#[derive(Clone, Debug, Default)]
pub struct Differences {
    pub side: Option<Side>,
    pub implementations: Vec<Comparand>,
    /// Names of clients or agents that occur in OLD alone, and so are not compared. `only_in_new`
    /// has those of NEW.
    pub only_in_old: Vec<String>,
    pub only_in_new: Vec<String>,
}

/// Result for one implementation that occurs in OLD and in NEW, such as one agent.
#[derive(Clone, Debug)]
pub struct Comparand {
    pub side: Side,
    /// Name of the implementation in OLD; `None` where its recordings do not state one.
    pub old_name: Option<String>,
    pub new_name: Option<String>,
    pub old_versions: Vec<String>,
    pub new_versions: Vec<String>,
    /// Number of OLD's recordings of this implementation, including those without a counterpart in
    /// NEW. `new_recordings` is that of NEW.
    pub old_recordings: usize,
    pub new_recordings: usize,
    /// Number of scenarios that occur in OLD and in NEW; `None` where recordings are compared
    /// without pairing them by scenario.
    pub scenarios: Option<usize>,
    /// Remarks on the comparison: sentences without a full stop.
    pub notes: Vec<String>,
    pub differences: Vec<Difference>,
    /// Facts that could not be compared: for each its subject, written as `Difference::subject`,
    /// and why.
    pub not_compared: Vec<(String, Obstacle)>,
}

/// One change between the releases OLD and NEW of a client or agent, as the report of `acpcheck
/// diff` writes it.
#[derive(Clone, Debug)]
pub struct Difference {
    pub area: Area,
    pub kind: DifferenceKind,
    /// The changed fact: the word of its kind and its name, such as `capability loadSession`. Goes
    /// into JSON.
    pub subject: String,
    /// The kind of fact that has changed, in words for people, such as `capability`.
    pub title: &'static str,
    /// The change itself in a few words for people, such as `` `loadSession` is gone ``.
    pub text: String,
    pub is_breaking: bool,
    /// Whether the change is a finding of error severity that only NEW has or only OLD had.
    pub is_error: bool,
    pub old: Evidence,
    pub new: Evidence,
}

/// What happened to a fact from OLD to NEW. `Moved`: modes became a config option. `Fixed`: a
/// finding is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DifferenceKind {
    Gone,
    Moved,
    Changed,
    New,
    Fixed,
}

/// Which differences make `acpcheck diff` exit with status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// Fail on changes that may break the other side, and on errors that only NEW has.
    Breaking,
    /// Fail also on changes other than additions, and on warnings that only NEW has.
    Changed,
    /// Any difference makes `acpcheck diff` fail.
    Any,
    Never,
}

impl Threshold {
    /// Whether `difference` is severe enough that the comparison fails.
    pub fn is_reached_by(self, difference: &Difference) -> bool {
        let is_new_warning =
            difference.area == Area::Findings && difference.kind == DifferenceKind::New;
        match self {
            Self::Breaking => difference.is_breaking,
            Self::Changed => {
                difference.is_breaking
                    || is_new_warning
                    || !matches!(difference.kind, DifferenceKind::New | DifferenceKind::Fixed)
            }
            Self::Any => true,
            Self::Never => false,
        }
    }
}

impl Differences {
    /// The differences of all implementations together.
    pub fn all(&self) -> impl Iterator<Item = &Difference> {
        self.implementations.iter().flat_map(|comparand| &comparand.differences)
    }
}

/// All recordings of one release: of OLD or of NEW.
#[derive(Debug)]
struct Release<'r> {
    recordings: &'r [Recording],
}

/// The connections of a release, grouped by the name of the implementation; `None` is the group of
/// those that state no name.
type ByName<'r> = BTreeMap<Option<&'r str>, Members<'r>>;

/// The connections of one implementation in one release, grouped by recording, and the versions
/// that it states.
#[derive(Clone, Debug, Default)]
struct Members<'r> {
    units: Vec<Unit<'r>>,
    versions: BTreeSet<&'r str>,
}

impl Members<'_> {
    /// The protocol versions that agents answered to `initialize`, one for each answer.
    fn protocol_versions(&self) -> Vec<i64> {
        let connections = self.units.iter().flat_map(|unit| &unit.connections);
        connections.filter_map(|connection| connection.version).collect()
    }

    /// Copies of the connections of each unit, with the facts that both protocol versions can
    /// state.
    fn in_common(&self) -> Vec<Vec<WatchedConnection>> {
        let copy = |connection: &&WatchedConnection| connection.in_common();
        self.units.iter().map(|unit| unit.connections.iter().map(copy).collect()).collect()
    }

    /// These members with other connections in each unit.
    fn with<'c>(&'c self, connections: &'c [Vec<WatchedConnection>]) -> Members<'c> {
        let units = self.units.iter().zip(connections);
        let units = units.map(|(unit, own)| Unit { connections: own.iter().collect(), ..*unit });
        Members { units: units.collect(), versions: self.versions.clone() }
    }
}

impl<'r> Release<'r> {
    /// The connections whose agent is among `agents`, each with its recording. An empty `agents`
    /// means all.
    fn connections(
        &self,
        agents: &[&str],
    ) -> impl Iterator<Item = (&'r Recording, &'r WatchedConnection)> {
        let is_meant = move |connection: &WatchedConnection| {
            let name = connection.agent.as_ref().map(|agent| &*agent.name);
            agents.is_empty() || name.is_some_and(|name| agents.contains(&name))
        };
        self.recordings.iter().flat_map(move |recording| {
            let meant: Vec<_> = recording.connections.iter().filter(|it| is_meant(it)).collect();
            meant.into_iter().map(move |connection| (recording, connection))
        })
    }

    fn by_name(&self, side: Side, agents: &[&str]) -> ByName<'r> {
        let mut names: ByName<'r> = BTreeMap::new();
        for (recording, connection) in self.connections(agents) {
            let own = connection.implementation(side);
            let members = names.entry(own.map(|own| &*own.name)).or_default();
            members.versions.extend(own.and_then(|own| own.version.as_deref()));
            let is_last = |unit: &&mut Unit<'_>| unit.path == recording.path;
            match members.units.last_mut().filter(is_last) {
                Some(unit) => unit.connections.push(connection),
                None => members.units.push(Unit {
                    path: &recording.path,
                    scenario: &recording.scenario,
                    played: recording.played_scenario(),
                    connections: vec![connection],
                }),
            }
        }
        names
    }

    /// Names and versions of the implementations on a side, without recordings in which acpcheck
    /// plays that side.
    fn versions(&self, side: Side, agents: &[&str]) -> BTreeSet<(&'r str, Option<&'r str>)> {
        let all = self.connections(agents).filter(|(it, _)| it.played() != Some(side));
        let all = all.filter_map(|(_, connection)| connection.implementation(side));
        all.map(|own| (&*own.name, own.version.as_deref())).collect()
    }
}

/// Compares the recordings of two releases, implementation by implementation. Implementations are
/// matched by name, or as `choice` says.
pub fn compare(old: &[Recording], new: &[Recording], choice: &Choice) -> Differences {
    let (old_names, new_names): (Vec<_>, Vec<_>) =
        choice.agents.iter().map(|(old, new)| (&**old, &**new)).unzip();
    let (old, new) = (Release { recordings: old }, Release { recordings: new });
    let side = choice.side.unwrap_or_else(|| {
        let differs = |side| old.versions(side, &old_names) != new.versions(side, &new_names);
        if differs(Side::Client) && !differs(Side::Agent) { Side::Client } else { Side::Agent }
    });
    let (mut old, mut new) = (old.by_name(side, &old_names), new.by_name(side, &new_names));
    let mut differences = Differences { side: Some(side), ..Differences::default() };
    for (old_name, new_name) in pairs(&old, &new, choice) {
        let (Some(own), Some(other)) = (old.remove(&old_name), new.remove(&new_name)) else {
            continue;
        };
        differences.implementations.push(compare_members(side, (old_name, own), (new_name, other)));
    }
    let name =
        |name: Option<&str>| name.map_or_else(|| format!("{side} without a name"), str::to_owned);
    differences.only_in_old = old.into_keys().map(name).collect();
    differences.only_in_new = new.into_keys().map(name).collect();
    differences
}

/// Pairs of names (in OLD, in NEW) that are compared: equal names, those of `choice.agents`, and
/// the only name of each release where just one is left.
fn pairs<'r>(
    old: &ByName<'r>,
    new: &ByName<'r>,
    choice: &Choice,
) -> Vec<(Option<&'r str>, Option<&'r str>)> {
    let mut pairs: Vec<_> =
        old.keys().filter(|name| new.contains_key(*name)).map(|name| (*name, *name)).collect();
    for (before, after) in &choice.agents {
        let find = |names: &ByName<'r>, name: &str| {
            names.keys().find(|own| own.is_some_and(|own| own == name)).copied()
        };
        if let (Some(before), Some(after)) = (find(old, before), find(new, after)) {
            pairs.retain(|(own, other)| *own != before && *other != after);
            pairs.push((before, after));
        }
    }
    let named =
        |names: &ByName<'r>| -> Vec<_> { names.keys().copied().flatten().map(Some).collect() };
    let only = |names: &ByName<'r>| match (&*named(names), names.len()) {
        ([name], _) => Some(*name),
        ([], 1) => Some(None),
        _ => None,
    };
    if let (Some(before), Some(after)) = (only(old), only(new))
        && !pairs.iter().any(|(own, other)| *own == before || *other == after)
    {
        pairs.push((before, after));
    }
    pairs
}

/// Compares the recordings of one client or agent in OLD with those in NEW, where it may have
/// another name.
fn compare_members(
    side: Side,
    (old_name, old): (Option<&str>, Members<'_>),
    (new_name, new): (Option<&str>, Members<'_>),
) -> Comparand {
    let owned = |versions: &BTreeSet<&str>| -> Vec<String> {
        versions.iter().map(|version| (*version).to_owned()).collect()
    };
    let mut comparand = Comparand {
        side,
        old_name: old_name.map(str::to_owned),
        new_name: new_name.map(str::to_owned),
        old_versions: owned(&old.versions),
        new_versions: owned(&new.versions),
        old_recordings: old.units.len(),
        new_recordings: new.units.len(),
        scenarios: None,
        notes: Vec::new(),
        differences: Vec::new(),
        not_compared: Vec::new(),
    };
    let (own, other) = (old.protocol_versions(), new.protocol_versions());
    let mut common = None;
    if versions::differ(&own, &other) {
        let note = format!(
            "OLD speaks version {} of the protocol, NEW version {}: what only one of them has is not compared",
            own[0], other[0]
        );
        comparand.notes.push(note);
        common = Some((old.in_common(), new.in_common()));
    }
    let (old, new) = match &common {
        Some((own, other)) => (old.with(own), new.with(other)),
        None => (old, new),
    };
    let comparison = comparison(side, old, new, &mut comparand);
    causes::explain(&comparison, &mut comparand);
    comparand
}

/// Decides how the recordings of one implementation are compared: paired by scenario or not, and
/// for which offers of clients. Adds remarks on this to `comparand`.
fn comparison<'r>(
    side: Side,
    old: Members<'r>,
    new: Members<'r>,
    comparand: &mut Comparand,
) -> Comparison<'r> {
    let scenarios = |members: &Members<'r>| -> BTreeSet<&'r str> {
        members.units.iter().map(|unit| unit.scenario).collect()
    };
    let (own, other) = (scenarios(&old), scenarios(&new));
    let common: BTreeSet<_> = own.intersection(&other).copied().collect();
    let is_paired = common.len() * 2 >= own.len().min(other.len());
    let group = |members: Members<'r>| {
        let is_unit = |unit: &Unit<'r>| !is_paired || common.contains(unit.scenario);
        Group { units: members.units.into_iter().filter(is_unit).collect() }
    };
    let (old, new) = (group(old), group(new));
    if is_paired {
        let played: BTreeSet<_> = old.units.iter().map(|unit| unit.played).collect();
        comparand.scenarios = Some(played.len());
    }
    let offers = |group: &Group<'r>| -> BTreeSet<&'r str> {
        let connections = group.units.iter().flat_map(|unit| &unit.connections);
        connections.filter_map(|connection| connection.offer.as_deref()).collect()
    };
    let (own, other) = (offers(&old), offers(&new));
    let equal: BTreeSet<_> = own.intersection(&other).copied().collect();
    let is_asked = side == Side::Agent;
    let has_offers = !own.is_empty() && !other.is_empty();
    if is_asked && equal.is_empty() && has_offers {
        let note = "no client offers the same in OLD and in NEW: an agent may declare something else for that reason";
        comparand.notes.push(note.to_owned());
    }
    let offers = (is_asked && !equal.is_empty()).then_some(equal);
    Comparison { side, old, new, is_paired, offers, with_behaviour: true }
}

//! Which client met which agent on the connections of a transcript, what they sent, and how often
//! each side upheld or broke each rule: what the compliance report needs beyond diagnostics.

use crate::{
    check::{Tally, shares},
    event::Call,
    json::{Node, Text},
    map::Map,
    model::Connection,
    protocol::{Side, Surface, Version, methods},
    requirements::Offers,
    rule::{Gates, Rule},
    rules::{self, CATALOGUE},
};

/// What the clients and agents on all connections of a transcript did, and how often they kept and
/// broke each rule.
#[derive(Clone, Debug, Default)]
pub struct Conduct {
    /// One item for each pair of implementations and what they agreed on, in the order in which
    /// their first connections end. One more, without names, sums up those beyond
    /// [`Conduct::MOST`].
    pub pairings: Vec<Pairing>,
    /// For each connection, by number: the index in `pairings` of its client and agent.
    pub of_connection: Vec<u32>,
    /// Whether the recording keeps the lines as they were sent, so that rules on raw lines could
    /// judge.
    pub has_raw_lines: bool,
}

/// The connections of a transcript between one client and one agent with the same versions, and
/// what happened on them.
#[derive(Clone, Debug, Default)]
pub struct Pairing {
    /// The client as `initialize` names it; `None` where it does not, or is not on record.
    pub client: Option<Implementation>,
    pub agent: Option<Implementation>,
    /// `protocolVersion` in the params of `initialize`; `None` where it is not an integer, or not
    /// on record.
    pub offered: Option<i64>,
    /// `protocolVersion` in the answer to `initialize`; `None` where it is not an integer, or not
    /// on record.
    pub answered: Option<i64>,
    /// Version and schema by which the connections were judged; `None` when their version stayed
    /// unknown.
    pub surface: Option<Surface>,
    /// Number of connections between this client and this agent.
    pub connections: u32,
    /// What the connections offered of that which requirements need.
    pub offers: Offers,
    /// How often each side kept and broke each rule, by the rule's index in the catalogue; behind
    /// these, by [share](shares).
    pub conduct: Vec<RuleConduct>,
    /// Messages by method, sorted by name. `None` sums up methods beyond [`Conduct::MOST`] and
    /// answers to requests that are not on record.
    pub methods: Vec<(Option<String>, Traffic)>,
    /// Number of session updates by kind, sorted by name. `None` sums up kinds beyond
    /// [`Conduct::MOST`].
    pub updates: Vec<(Option<String>, u64)>,
}

/// Name and version of a client or an agent, as `initialize` states them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Implementation {
    pub name: String,
    pub version: Option<String>,
}

/// How often the sides kept and broke one rule. Arrays are in the order of [`Side::index`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleConduct {
    pub tallies: [Tally; 3],
    /// How often the rule could not judge although its condition was met, since something that it
    /// needs to know was unknown. By the side that the rule binds: index 0 client, 1 agent, 2
    /// either.
    pub barred: [u64; 3],
    /// What was not on record when the rule could not judge, as gates (kinds of knowledge that
    /// rules need).
    pub missing: Gates,
}

/// Numbers of messages of one method by sender. Arrays are in the order of [`Side::index`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub requests: [u64; 3],
    pub notifications: [u64; 3],
    /// The number of successful answers to requests of the method: of the client (index 0), of the
    /// agent (1), of unknown senders (2). `errors` counts the other answers.
    pub results: [u64; 3],
    pub errors: [u64; 3],
}

impl Conduct {
    /// Most pairs of client and agent, most methods, and most kinds of updates that are counted
    /// separately; further ones are counted together.
    pub const MOST: usize = 200;

    /// The counts of every rule over all connections, sorted by the rule's index in the catalogue;
    /// behind these, by [share](shares).
    pub(super) fn all(&self) -> Vec<RuleConduct> {
        let mut sums = vec![RuleConduct::default(); shares::len()];
        for pairing in &self.pairings {
            for (sum, conduct) in sums.iter_mut().zip(&pairing.conduct) {
                sum.add(conduct);
            }
        }
        sums
    }

    /// Whether all sessions come from somewhere, see [`Pairing::shows_births`].
    pub(super) fn shows_births(&self) -> bool {
        self.pairings.iter().all(Pairing::shows_births)
    }
}

impl Pairing {
    /// Whether its sessions come from somewhere: one was created, or there is no update of any.
    pub fn shows_births(&self) -> bool {
        self.updates.is_empty()
            || self.methods.iter().any(|(method, traffic)| {
                method.as_deref().is_some_and(methods::creates_session)
                    && traffic.results.iter().any(|count| *count > 0)
            })
    }
}

/// Evidence that a recording lacks for a rule which was not exercised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The lines as they were sent.
    Lines,
    /// Where a session comes from.
    Birth,
}

impl Lack {
    /// What an idle rule lacks. `shows_births`: see [`Pairing::shows_births`].
    pub fn of(
        rule: &Rule,
        version: Version,
        has_raw_lines: bool,
        shows_births: bool,
    ) -> Option<Self> {
        if rule.family() == "transport" && !has_raw_lines {
            Some(Self::Lines)
        } else if rule.gates.of(version).contains(Gates::ORIGIN) && !shows_births {
            Some(Self::Birth)
        } else {
            None
        }
    }
}

/// How often each rule was exercised and broken on one connection, while it lasts; on the whole
/// file if conduct is not counted. Keeps only the rules that had something to judge, since a file
/// may have thousands of connections.
#[derive(Debug, Default)]
pub(super) struct RuleCounts {
    /// The counts with their places: a rule's index in the catalogue or, behind these, that of a
    /// [share](shares).
    rows: Vec<(usize, RuleConduct)>,
    /// For each place, the number of its row, from 1; 0 without one. Empty before the first row.
    numbers: Vec<u16>,
    /// Whether there was a session update.
    pub(super) has_updates: bool,
    /// Whether a session was created.
    pub(super) creates_session: bool,
    /// What is counted besides rules for [`Conduct`]: names, methods and updates; `None` unless
    /// conduct is counted.
    pub(super) notes: Option<Box<Notes>>,
}

/// What a connection shows besides results of rules: names of client and agent, and how often each
/// method and update was used.
#[derive(Debug, Default)]
pub(super) struct Notes {
    client: Option<Implementation>,
    agent: Option<Implementation>,
    methods: Table<Traffic>,
    updates: Table<u64>,
}

impl RuleCounts {
    pub(super) fn new(with_conduct: bool) -> Self {
        Self { notes: with_conduct.then(Box::default), ..Self::default() }
    }

    fn row(&mut self, place: usize) -> &mut RuleConduct {
        if self.numbers.is_empty() {
            self.numbers = vec![0; shares::len()];
        }
        if self.numbers[place] == 0 {
            self.rows.push((place, RuleConduct::default()));
            self.numbers[place] = u16::try_from(self.rows.len()).expect("there are fewer rules");
        }
        &mut self.rows[usize::from(self.numbers[place]) - 1].1
    }

    /// Counts one verdict with `failed` findings. `place`: that of the rule, or of a share of it, in
    /// the list of [`shares`]. `index`: that of the side, see [`Side::index`].
    pub(super) fn count(&mut self, place: usize, index: usize, failed: u64) {
        let tally = &mut self.row(place).tallies[index];
        tally.exercised += 1;
        tally.failed += failed;
    }

    /// Counts that a rule could not judge because something that it needs to know is not on record.
    /// `missing` names what, as gates; `side` is the side that the rule binds; `place` is that of the
    /// rule, or of a share of it, in the list of [`shares`].
    pub(super) fn bar(&mut self, place: usize, side: Option<Side>, missing: Gates) {
        let row = self.row(place);
        row.barred[Side::index(side)] += 1;
        row.missing = row.missing.with(missing);
    }

    /// The counts of every rule, sorted by the rule's index in the catalogue; behind these, by
    /// [share](shares).
    pub(super) fn all(&self) -> Vec<RuleConduct> {
        let mut all = vec![RuleConduct::default(); shares::len()];
        for (place, row) in &self.rows {
            all[*place].add(row);
        }
        all
    }

    /// Number of rules about the conduct of this side that were exercised.
    pub(super) fn exercised(&self, side: Side) -> usize {
        let indices = [Side::index(Some(side)), Side::index(None)];
        let is_exercised =
            |row: &RuleConduct| indices.iter().any(|index| row.tallies[*index].exercised > 0);
        let rules = self.rows.iter().filter(|(place, _)| *place < CATALOGUE.len());
        rules.filter(|(_, row)| is_exercised(row)).count()
    }

    /// Whether its sessions come from somewhere: one was created, or there is no update of any.
    pub(super) fn shows_births(&self) -> bool {
        self.creates_session || !self.has_updates
    }

    fn is_blank(&self) -> bool {
        let is_noted = self.notes.as_ref().is_some_and(|notes| !notes.methods.is_empty());
        let is_idle = |row: &RuleConduct| row.tallies == [Tally::default(); 3];
        !is_noted && self.rows.iter().all(|(_, row)| is_idle(row))
    }
}

impl Notes {
    pub(super) fn call(&mut self, call: &Call<'_>, name: &str) {
        let row = self.methods.of(Some(name));
        let counts = if call.id.is_some() { &mut row.requests } else { &mut row.notifications };
        counts[Side::index(call.message.sender)] += 1;
        if name == "initialize" && call.id.is_some() {
            let named = call.param("clientInfo").or_else(|| call.param("info"));
            self.client = named.and_then(Implementation::of).or(self.client.take());
        }
    }

    pub(super) fn update(&mut self, kind: Text<'_>) {
        *self.updates.of(Some(&kind.as_cow())) += 1;
    }

    /// Counts a successful answer, and takes the agent's name from that to `initialize`. `method`
    /// is that of the request; `None` when the request is not on record.
    pub(super) fn result(&mut self, method: Option<&str>, sender: Option<Side>, result: Node<'_>) {
        self.methods.of(method).results[Side::index(sender)] += 1;
        if method == Some("initialize") {
            let named = result.get("agentInfo").or_else(|| result.get("info"));
            self.agent = named.and_then(Implementation::of).or(self.agent.take());
        }
    }

    pub(super) fn error(&mut self, method: Option<&str>, sender: Option<Side>) {
        self.methods.of(method).errors[Side::index(sender)] += 1;
    }
}

impl Implementation {
    /// Most characters of a name or version that are kept; longer ones are cut.
    const LENGTH: usize = 80;

    fn of(node: Node<'_>) -> Option<Self> {
        let text = |member| {
            let text = node.get(member)?.text()?;
            let text: String = text.as_cow().chars().take(Self::LENGTH).collect();
            (!text.trim().is_empty()).then_some(text)
        };
        Some(Self { name: text("name")?, version: text("version") })
    }
}

/// Counts by name, at most [`Conduct::MOST`] names. Looking up a known name allocates nothing.
#[derive(Debug)]
struct Table<T> {
    rows: Vec<(Box<str>, T)>,
    index: Map<Box<str>, usize>,
    /// Sum of the counts of messages without a name, with too long a name, or with a name after the
    /// first [`Conduct::MOST`]; `None` without such messages.
    others: Option<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), index: Map::default(), others: None }
    }
}

impl<T: Copy + Default> Table<T> {
    /// Most bytes of a method or kind of update that is counted by itself; longer names are counted
    /// together.
    const LENGTH: usize = 120;

    fn of(&mut self, name: Option<&str>) -> &mut T {
        let Some(name) = name else { return self.others.get_or_insert_default() };
        let row = match self.index.get(name) {
            Some(&row) => row,
            None if self.rows.len() < Conduct::MOST && name.len() <= Self::LENGTH => {
                self.index.insert(name.into(), self.rows.len());
                self.rows.push((name.into(), T::default()));
                self.rows.len() - 1
            }
            None => return self.others.get_or_insert_default(),
        };
        &mut self.rows[row].1
    }

    fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.others.is_none()
    }

    fn add(&mut self, other: &Self, add: impl Fn(&mut T, T)) {
        for (name, row) in &other.rows {
            add(self.of(Some(name)), *row);
        }
        if let Some(row) = other.others {
            add(self.of(None), row);
        }
    }

    /// The rows sorted by name, with the sum of all others last, as `None`.
    fn into_rows(mut self) -> Vec<(Option<String>, T)> {
        self.rows.sort_by(|(one, _), (other, _)| one.cmp(other));
        let named = self.rows.into_iter().map(|(name, row)| (Some(name.into()), row));
        named.chain(self.others.map(|row| (None, row))).collect()
    }
}

/// Makes the [`Conduct`] of a transcript from the counts of its connections.
#[derive(Debug, Default)]
pub(super) struct ConductBuilder {
    /// Pairs of client and agent so far, each with the counts of methods and of kinds of updates.
    pairings: Vec<(Pairing, Table<Traffic>, Table<u64>)>,
    index: Map<PairingKey, u32>,
    of_connection: Vec<u32>,
    has_raw_lines: bool,
}

/// What connections must have in common to be counted together: client, agent and versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct PairingKey {
    client: Option<Implementation>,
    agent: Option<Implementation>,
    offered: Option<i64>,
    answered: Option<i64>,
    surface: Option<Surface>,
}

impl ConductBuilder {
    /// Adds the counts of a connection that has ended to those of its client and agent. `number` is
    /// the number of the connection.
    pub(super) fn add_connection(
        &mut self,
        number: u32,
        connection: &Connection,
        counts: RuleCounts,
    ) {
        if counts.is_blank() {
            return;
        }
        let RuleCounts { rows, notes, .. } = counts;
        let Notes { client, agent, methods, updates } =
            notes.map(|notes| *notes).unwrap_or_default();
        let negotiation = &connection.negotiation;
        let index = self.pairing(PairingKey {
            client,
            agent,
            offered: negotiation.offered.map(|(version, _)| version),
            answered: negotiation.answered.map(|(version, _)| version),
            surface: connection.surface(),
        });
        let place = number as usize;
        if self.of_connection.len() <= place {
            self.of_connection.resize(place + 1, 0);
        }
        self.of_connection[place] = index;
        self.has_raw_lines = connection.recording().is_raw;

        let (pairing, all_methods, all_updates) = &mut self.pairings[index as usize];
        pairing.connections += 1;
        pairing.offers = pairing.offers.with(rules::offers(connection));
        for (place, row) in &rows {
            pairing.conduct[*place].add(row);
        }
        all_methods.add(&methods, |sum, row| *sum += row);
        all_updates.add(&updates, |sum, row| *sum += row);
    }

    fn pairing(&mut self, key: PairingKey) -> u32 {
        let is_full = self.pairings.len() >= Conduct::MOST;
        let key =
            if is_full && !self.index.contains_key(&key) { PairingKey::default() } else { key };
        if let Some(&index) = self.index.get(&key) {
            return index;
        }
        let index = u32::try_from(self.pairings.len()).unwrap_or(u32::MAX);
        self.index.insert(key.clone(), index);
        let PairingKey { client, agent, offered, answered, surface } = key;
        let conduct = vec![RuleConduct::default(); shares::len()];
        let pairing =
            Pairing { client, agent, offered, answered, surface, conduct, ..Pairing::default() };
        self.pairings.push((pairing, Table::default(), Table::default()));
        index
    }

    pub(super) fn finish(self) -> Conduct {
        let Self { pairings, of_connection, has_raw_lines, .. } = self;
        let pairings = pairings.into_iter().map(|(pairing, methods, updates)| Pairing {
            methods: methods.into_rows(),
            updates: updates.into_rows(),
            ..pairing
        });
        Conduct { pairings: pairings.collect(), of_connection, has_raw_lines }
    }
}

impl RuleConduct {
    fn add(&mut self, other: &Self) {
        for (sum, tally) in self.tallies.iter_mut().zip(other.tallies) {
            sum.exercised += tally.exercised;
            sum.failed += tally.failed;
        }
        for (sum, times) in self.barred.iter_mut().zip(other.barred) {
            *sum += times;
        }
        self.missing = self.missing.with(other.missing);
    }
}

impl std::ops::AddAssign for Traffic {
    fn add_assign(&mut self, other: Self) {
        let pairs = [
            (&mut self.requests, other.requests),
            (&mut self.notifications, other.notifications),
            (&mut self.results, other.results),
            (&mut self.errors, other.errors),
        ];
        for (sums, counts) in pairs {
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }
}

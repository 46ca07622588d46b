//! Who met whom on the connections of a transcript, what they sent, and how each side fared by
//! each rule: what a report about the two sides needs beyond diagnostics.

use crate::{
    check::Tally,
    event::Call,
    json::{Node, Text},
    map::Map,
    model::Connection,
    protocol::{Side, Surface},
    rule::Gates,
    rules::CATALOGUE,
};

/// What was seen on the connections of a transcript.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// One for each pair of implementations and what they agreed on, in the order of their first
    /// connections' ends. Those beyond [`Survey::MOST`] are one more, of nobody in particular.
    pub encounters: Vec<Encounter>,
    /// By number of the connection: the index of its encounter.
    pub of_connection: Vec<u32>,
    /// Whether the recording keeps the lines as they crossed the wire.
    pub has_raw_lines: bool,
}

/// The connections between two implementations.
#[derive(Clone, Debug, Default)]
pub struct Encounter {
    /// As `initialize` names it; `None` where it does not, or is not on record.
    pub client: Option<Implementation>,
    pub agent: Option<Implementation>,
    /// The version that the client offered.
    pub offered: Option<i64>,
    /// The version that the agent answered.
    pub answered: Option<i64>,
    /// What the connections were judged by; `None` when their version stayed unknown.
    pub surface: Option<Surface>,
    /// How many connections these are.
    pub connections: u32,
    /// By index in the catalogue.
    pub conduct: Vec<Conduct>,
    /// By method, in the order of their names; those beyond [`Survey::MOST`], and answers to
    /// requests that are not on record, have `None`.
    pub methods: Vec<(Option<String>, Traffic)>,
    /// How often each kind of session update was sent, in the order of their names; those beyond
    /// [`Survey::MOST`] have `None`.
    pub updates: Vec<(Option<String>, u64)>,
}

/// A client or an agent, as it names itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Implementation {
    pub name: String,
    pub version: Option<String>,
}

/// How the sides fared by a rule. Three places each: the client's, the agent's, and nobody knows
/// whose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conduct {
    pub tallies: [Tally; 3],
    /// How often the rule's condition was met while something that it has to know was not known.
    pub barred: [u64; 3],
    /// What was not known then.
    pub missing: Gates,
}

/// Messages of one method, by sender: the client, the agent, nobody knows who.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub requests: [u64; 3],
    pub notifications: [u64; 3],
    /// Answers to its requests, by who answered.
    pub results: [u64; 3],
    pub errors: [u64; 3],
}

impl Survey {
    /// How many encounters, methods and kinds of updates are told apart.
    pub const MOST: usize = 200;

    /// By index in the catalogue.
    pub(super) fn tallies(&self) -> Vec<[Tally; 3]> {
        let mut sums = vec![[Tally::default(); 3]; CATALOGUE.len()];
        for encounter in &self.encounters {
            for (sum, conduct) in sums.iter_mut().zip(&encounter.conduct) {
                for (sum, tally) in sum.iter_mut().zip(&conduct.tallies) {
                    sum.exercised += tally.exercised;
                    sum.failed += tally.failed;
                }
            }
        }
        sums
    }
}

/// Where the counts of a side are kept.
pub(super) fn seat(side: Option<Side>) -> usize {
    side.map_or(2, |side| side as usize)
}

/// The counts of one connection while it lasts; those of all of them where no survey is made.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// By index in the catalogue.
    pub(super) tallies: Vec<[Tally; 3]>,
    /// `None` where no survey is made.
    pub(super) notes: Option<Box<Notes>>,
}

/// What a survey needs of a connection besides tallies.
#[derive(Debug, Default)]
pub(super) struct Notes {
    client: Option<Implementation>,
    agent: Option<Implementation>,
    /// By index in the catalogue.
    bars: Vec<Bar>,
    methods: Table<Traffic>,
    updates: Table<u64>,
}

/// How often a rule was kept from speaking, and by what.
#[derive(Clone, Copy, Debug, Default)]
struct Bar {
    times: [u64; 3],
    missing: Gates,
}

impl Ledger {
    pub(super) fn new(is_surveyed: bool) -> Self {
        let rules = CATALOGUE.len();
        let bars = || vec![Bar::default(); rules];
        let notes = is_surveyed.then(|| Box::new(Notes { bars: bars(), ..Notes::default() }));
        Self { tallies: vec![[Tally::default(); 3]; rules], notes }
    }

    fn is_blank(&self) -> bool {
        let is_noted = self.notes.as_ref().is_some_and(|notes| !notes.methods.is_empty());
        !is_noted && self.tallies.iter().flatten().all(|tally| *tally == Tally::default())
    }
}

impl Notes {
    /// A rule's condition is met, but it may not speak for want of what is missing.
    pub(super) fn bar(&mut self, rule: usize, side: Option<Side>, missing: Gates) {
        let bar = &mut self.bars[rule];
        bar.times[seat(side)] += 1;
        bar.missing = bar.missing.with(missing);
    }

    #[inline(never)]
    pub(super) fn call(&mut self, call: &Call<'_>, name: &str) {
        let row = self.methods.of(Some(name));
        let counts = if call.id.is_some() { &mut row.requests } else { &mut row.notifications };
        counts[seat(call.message.sender)] += 1;
        if name == "initialize" && call.id.is_some() {
            let named = call.param("clientInfo").or_else(|| call.param("info"));
            self.client = named.and_then(Implementation::of).or(self.client.take());
        }
    }

    #[inline(never)]
    pub(super) fn update(&mut self, kind: Text<'_>) {
        *self.updates.of(Some(&kind.as_cow())) += 1;
    }

    /// `method`: that of the request; `None` when it is not on record.
    #[inline(never)]
    pub(super) fn result(&mut self, method: Option<&str>, sender: Option<Side>, result: Node<'_>) {
        self.methods.of(method).results[seat(sender)] += 1;
        if method == Some("initialize") {
            let named = result.get("agentInfo").or_else(|| result.get("info"));
            self.agent = named.and_then(Implementation::of).or(self.agent.take());
        }
    }

    #[inline(never)]
    pub(super) fn error(&mut self, method: Option<&str>, sender: Option<Side>) {
        self.methods.of(method).errors[seat(sender)] += 1;
    }
}

impl Implementation {
    /// How much is kept of a name or version, in characters.
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

/// Something by name. Looking up a name that is known allocates nothing.
#[derive(Debug)]
struct Table<T> {
    rows: Vec<(Box<str>, T)>,
    index: Map<Box<str>, usize>,
    /// Of what has no name, or has come too late to have a row.
    others: Option<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), index: Map::default(), others: None }
    }
}

impl<T: Copy + Default> Table<T> {
    /// Longer names have no row, in bytes.
    const LENGTH: usize = 120;

    fn of(&mut self, name: Option<&str>) -> &mut T {
        let Some(name) = name else { return self.others.get_or_insert_default() };
        let row = match self.index.get(name) {
            Some(&row) => row,
            None if self.rows.len() < Survey::MOST && name.len() <= Self::LENGTH => {
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

    /// By name, those without one last.
    fn into_rows(mut self) -> Vec<(Option<String>, T)> {
        self.rows.sort_by(|(one, _), (other, _)| one.cmp(other));
        let named = self.rows.into_iter().map(|(name, row)| (Some(name.into()), row));
        named.chain(self.others.map(|row| (None, row))).collect()
    }
}

/// A survey in the making.
#[derive(Debug, Default)]
pub(super) struct Surveyor {
    /// With what is counted by name in the encounter of the same index.
    encounters: Vec<(Encounter, Table<Traffic>, Table<u64>)>,
    index: Map<Meeting, u32>,
    of_connection: Vec<u32>,
    has_raw_lines: bool,
}

/// What makes connections one encounter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Meeting {
    client: Option<Implementation>,
    agent: Option<Implementation>,
    offered: Option<i64>,
    answered: Option<i64>,
    surface: Option<Surface>,
}

impl Surveyor {
    /// A connection has ended.
    pub(super) fn settle(&mut self, number: u32, connection: &Connection, ledger: Ledger) {
        if ledger.is_blank() {
            return;
        }
        let Ledger { tallies, notes } = ledger;
        let Notes { client, agent, bars, methods, updates } =
            notes.map(|notes| *notes).unwrap_or_default();
        let negotiation = &connection.negotiation;
        let index = self.encounter(Meeting {
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

        let (encounter, all_methods, all_updates) = &mut self.encounters[index as usize];
        encounter.connections += 1;
        for ((conduct, tallies), bar) in encounter.conduct.iter_mut().zip(&tallies).zip(&bars) {
            conduct.add(tallies, bar);
        }
        all_methods.add(&methods, |sum, row| *sum += row);
        all_updates.add(&updates, |sum, row| *sum += row);
    }

    fn encounter(&mut self, meeting: Meeting) -> u32 {
        let is_full = self.encounters.len() >= Survey::MOST;
        let meeting = if is_full && !self.index.contains_key(&meeting) {
            Meeting::default()
        } else {
            meeting
        };
        if let Some(&index) = self.index.get(&meeting) {
            return index;
        }
        let index = u32::try_from(self.encounters.len()).unwrap_or(u32::MAX);
        self.index.insert(meeting.clone(), index);
        let Meeting { client, agent, offered, answered, surface } = meeting;
        let conduct = vec![Conduct::default(); CATALOGUE.len()];
        let encounter = Encounter {
            client,
            agent,
            offered,
            answered,
            surface,
            conduct,
            ..Encounter::default()
        };
        self.encounters.push((encounter, Table::default(), Table::default()));
        index
    }

    pub(super) fn finish(self) -> Survey {
        let Self { encounters, of_connection, has_raw_lines, .. } = self;
        let encounters = encounters.into_iter().map(|(encounter, methods, updates)| Encounter {
            methods: methods.into_rows(),
            updates: updates.into_rows(),
            ..encounter
        });
        Survey { encounters: encounters.collect(), of_connection, has_raw_lines }
    }
}

impl Conduct {
    fn add(&mut self, tallies: &[Tally; 3], bar: &Bar) {
        for (sum, tally) in self.tallies.iter_mut().zip(tallies) {
            sum.exercised += tally.exercised;
            sum.failed += tally.failed;
        }
        for (sum, times) in self.barred.iter_mut().zip(bar.times) {
            *sum += times;
        }
        self.missing = self.missing.with(bar.missing);
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

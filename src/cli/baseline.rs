//! Baselines: findings that were there before, and are held back so that new ones show.
//!
//! A finding is known by its fingerprint: the rule, the method, the place in the message and the
//! agent, but not the line, nor the file. Of those that are alike, a baseline holds back as many as
//! it says, the first ones in the order of the transcripts. Transcripts are judged at the same
//! time; so they wait for their turn before they ask what is held back.
#![expect(clippy::disallowed_methods, reason = "baselines are files")]

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, btree_map::Entry},
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::config::{self, Faults, Trouble};
use crate::{
    diagnostic::Diagnostic,
    report::{
        compliance::{Acceptance, RuleId},
        fingerprint::Fingerprint,
    },
    rules,
};

/// The schema of [`File`].
const SCHEMA: &str = include_str!("../../schema/baseline.schema.json");

/// What stands where a reason is to be given.
const PLACEHOLDER: &str = "TODO: why is this accepted?";

const VERSION: u32 = 1;

/// A baseline as it is written.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    #[serde(default, rename = "finding", skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Row>,
}

/// Findings that are alike.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Row {
    rule: Spanned<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    count: u64,
    reason: String,
}

impl Row {
    /// `None` when there is no such rule any more.
    fn fingerprint(&self) -> Option<Fingerprint> {
        let (_, rule) = rules::find(self.rule.get_ref())?;
        let shared = |text: &Option<String>| text.as_deref().map(Into::into);
        Some(Fingerprint {
            rule: rule.id,
            method: shared(&self.method),
            shape: self.pointer.clone(),
            agent: shared(&self.agent),
        })
    }

    fn describe(&self) -> String {
        let mut text = format!("`{}`", self.rule.get_ref());
        let parts = [("in", &self.method), ("at", &self.pointer), ("by", &self.agent)];
        for (word, part) in parts {
            if let Some(part) = part {
                let _ = write!(text, " {word} `{part}`");
            }
        }
        text
    }
}

/// What a run does about findings that were there before.
#[derive(Debug)]
pub(super) enum Memory {
    /// Nothing.
    None,
    /// It holds them back.
    Baseline(Baseline),
    /// It takes down what there is.
    Inventory(Inventory),
}

impl Memory {
    /// The seat of the transcript with this number, from 0, if transcripts have to wait for their
    /// turn: each of a run has to be given its own.
    pub(super) fn seat(&self, number: usize) -> Option<Seat<'_>> {
        match self {
            Self::Baseline(baseline) => Some(Seat { baseline, number }),
            Self::None | Self::Inventory(_) => None,
        }
    }
}

/// What is held back.
#[derive(Debug)]
pub(super) struct Baseline {
    /// As the file is called in messages.
    name: String,
    rows: Vec<Row>,
    /// Line of each row.
    lines: Vec<usize>,
    /// The rows of a fingerprint.
    index: HashMap<Fingerprint, Vec<usize>>,
    state: Mutex<State>,
    moved_on: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The transcript whose turn it is.
    turn: usize,
    /// Later ones that do not want theirs any more.
    done: BTreeSet<usize>,
    /// How many findings each row has met.
    met: Vec<u64>,
}

impl Baseline {
    pub(super) fn load(path: &Path) -> Result<Self, Trouble> {
        let (name, text) = load(path)?;
        Self::of(name, &text).map_err(Trouble::Faulty)
    }

    /// The baseline that a file with this name in messages has as its text.
    pub(super) fn of(name: String, text: &str) -> Result<Self, Faults> {
        let File { findings: rows, .. } = config::read(&name, text, SCHEMA)?;
        let line = |row: &Row| text[..row.rule.span().start].matches('\n').count() + 1;
        let lines = rows.iter().map(line).collect();
        let mut index: HashMap<Fingerprint, Vec<usize>> = HashMap::new();
        for (row, fingerprint) in rows.iter().map(Row::fingerprint).enumerate() {
            if let Some(fingerprint) = fingerprint {
                index.entry(fingerprint).or_default().push(row);
            }
        }
        let state = State { met: vec![0; rows.len()], ..State::default() };
        let (state, moved_on) = (Mutex::new(state), Condvar::new());
        Ok(Self { name, rows, lines, index, state, moved_on })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be said when all transcripts have been judged.
    pub(super) fn settle(&self) -> Settlement {
        let state = self.state();
        let mut settlement = Settlement::default();
        for ((row, line), met) in self.rows.iter().zip(&self.lines).zip(&state.met) {
            let place = format!("`{}:{line}`", self.name);
            let what = row.describe();
            if rules::find(row.rule.get_ref()).is_none() {
                settlement.stale.push(format!("{place}: there is no rule {what} any more"));
            } else if *met == 0 {
                settlement.stale.push(format!("{place}: nothing matches {what} any more"));
            } else if *met < row.count {
                let count = row.count;
                settlement.stale.push(format!("{place}: {met} instead of {count} match {what}"));
            } else if *met > row.count {
                let (met, count) = (met, row.count);
                settlement.exceeded.push(format!(
                    "{place}: {met} instead of {count} match {what}; the last are reported, but any \
                     may be new"
                ));
            }
            settlement.unexplained += u64::from(row.reason == PLACEHOLDER);
        }
        settlement.name.clone_from(&self.name);
        settlement
    }
}

/// How a baseline fared; sentences without a full stop.
#[derive(Debug, Default)]
pub(super) struct Settlement {
    pub(super) name: String,
    /// Rows that too little matches.
    pub(super) stale: Vec<String>,
    /// Rows that too much matches.
    pub(super) exceeded: Vec<String>,
    /// Rows without a reason.
    pub(super) unexplained: u64,
}

/// A transcript's place in the order in which findings are held back.
#[derive(Debug)]
pub(super) struct Seat<'b> {
    baseline: &'b Baseline,
    number: usize,
}

impl Seat<'_> {
    /// Waits until all transcripts before have held back what they had to.
    pub(super) fn wait(&self) {
        let must_wait = |state: &mut State| state.turn < self.number;
        drop(self.baseline.moved_on.wait_while(self.baseline.state(), must_wait));
    }

    /// Whether a finding is held back; those of a transcript are asked for in their order, when it
    /// is its turn.
    pub(super) fn holds(&self, diagnostic: &Diagnostic) -> bool {
        let Some(rows) = self.baseline.index.get(&Fingerprint::of(diagnostic)) else {
            return false;
        };
        let mut state = self.baseline.state();
        let is_open = |row: &&usize| state.met[**row] < self.baseline.rows[**row].count;
        let open = rows.iter().find(is_open).copied();
        // What is too much counts as well, in the last row.
        if let Some(row) = open.or(rows.last().copied()) {
            state.met[row] += 1;
        }
        open.is_some()
    }
}

impl Drop for Seat<'_> {
    /// The next one has its turn.
    fn drop(&mut self) {
        let mut state = self.baseline.state();
        state.done.insert(self.number);
        while let Some(turn) = state.done.first().copied().filter(|first| *first == state.turn) {
            state.done.remove(&turn);
            state.turn += 1;
        }
        drop(state);
        self.baseline.moved_on.notify_all();
    }
}

/// What there is, for a new baseline.
#[derive(Debug)]
pub(super) struct Inventory {
    path: PathBuf,
    /// Reasons of the baseline that is there.
    reasons: HashMap<Fingerprint, String>,
    found: Mutex<BTreeMap<Fingerprint, u64>>,
}

impl Inventory {
    /// For a baseline at this path. What is there must be one.
    pub(super) fn open(path: &Path) -> Result<Self, Trouble> {
        let mut reasons = HashMap::new();
        if path.exists() {
            let (name, text) = load(path)?;
            let file: File = config::read(&name, &text, SCHEMA).map_err(Trouble::Faulty)?;
            for row in file.findings {
                if let Some(fingerprint) = row.fingerprint() {
                    reasons.entry(fingerprint).or_insert(row.reason);
                }
            }
        }
        Ok(Self { path: path.to_owned(), reasons, found: Mutex::default() })
    }

    fn found(&self) -> MutexGuard<'_, BTreeMap<Fingerprint, u64>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, diagnostic: &Diagnostic) {
        *self.found().entry(Fingerprint::of(diagnostic)).or_default() += 1;
    }

    /// Writes the baseline, and says so.
    pub(super) fn write(&self) -> io::Result<String> {
        const HEAD: &str = "\
# Findings that acpcheck holds back. Give each a reason: `acpcheck check --write-baseline` keeps it
# when it writes this file anew.
";
        let found = self.found();
        let row = |(fingerprint, count): (&Fingerprint, &u64)| Row {
            rule: Spanned::new(0..0, fingerprint.rule.to_owned()),
            method: fingerprint.method.as_deref().map(str::to_owned),
            pointer: fingerprint.shape.clone(),
            agent: fingerprint.agent.as_deref().map(str::to_owned),
            count: *count,
            reason: self.reasons.get(fingerprint).map_or(PLACEHOLDER, String::as_str).to_owned(),
        };
        let findings: Vec<_> = found.iter().map(row).collect();
        let unexplained = findings.iter().filter(|row| row.reason == PLACEHOLDER).count();
        let (rows, all) = (findings.len(), found.values().sum::<u64>());
        let file = File { version: VERSION, findings };
        let text = toml::to_string(&file).map_err(io::Error::other)?;
        fs::write(&self.path, format!("{HEAD}{text}"))?;
        let kinds = if rows == 1 { "1 kind".to_owned() } else { format!("{rows} kinds") };
        let findings = if all == 1 { "finding" } else { "findings" };
        let mut told = format!("wrote `{}`: {all} {findings} of {kinds}", self.path.display());
        if unexplained > 0 {
            let _ = write!(told, "; {unexplained} without a reason, which is for you to give");
        }
        Ok(told)
    }
}

/// What a baseline accepts, each kind of findings once. Rules that there are no more are left out.
pub(super) fn accepted(path: &Path) -> Result<Vec<Acceptance>, Trouble> {
    let (name, text) = load(path)?;
    let file: File = config::read(&name, &text, SCHEMA).map_err(Trouble::Faulty)?;
    let mut accepted: BTreeMap<Fingerprint, Acceptance> = BTreeMap::new();
    for row in file.findings {
        let Some((rule, _)) = rules::find(row.rule.get_ref()) else { continue };
        let Some(fingerprint) = row.fingerprint() else { continue };
        let Row { method, pointer, agent, count, reason, .. } = row;
        let reason = if reason == PLACEHOLDER { String::new() } else { reason };
        match accepted.entry(fingerprint) {
            Entry::Vacant(place) => {
                let rule = RuleId(rule);
                place.insert(Acceptance { rule, method, pointer, agent, count, reason });
            }
            Entry::Occupied(mut place) => {
                let other = place.get_mut();
                other.count = other.count.saturating_add(count);
                let reasons = [std::mem::take(&mut other.reason), reason];
                let given: Vec<_> = reasons.into_iter().filter(|it| !it.is_empty()).collect();
                other.reason = given.join("; ");
            }
        }
    }
    Ok(accepted.into_values().collect())
}

/// The file's name in messages, and its text.
fn load(path: &Path) -> Result<(String, String), Trouble> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path)
        .map_err(|error| Trouble::Unreadable(format!("cannot read `{name}`: {error}")))?;
    Ok((name, text))
}

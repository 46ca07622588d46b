//! Collects the part of a compliance report about one transcript while it is judged.
//!
//! Diagnostics, plan steps and actions go in; a [`FileRecord`] comes out.

use std::{collections::BTreeMap, io, sync::Arc};

use super::{
    acceptance::Acceptances,
    audit_table::AuditTable,
    document::{
        Accepted, DrivenRecord, Evidence, EvidenceSet, Excerpt, FileRecord, FindingRecord,
        JsonName, LeftOutScenario, MethodCounts, OfferRecord, PairingRecord, Party, Peer,
        RequirementId, RuleId, RuleRow, UpdateCount,
    },
    mask,
    places::Places,
    plan_table::PlanTables,
};
use crate::{
    audit::AuditEvent,
    check::{self, Conduct, Implementation, Lack, Outcome, Traffic, shares},
    diagnostic::Diagnostic,
    map::Map,
    plans::PlanStep,
    protocol::{Surface, Version},
    rule::{Bound, Gates, Label, Severity},
    rules::{self, CATALOGUE},
    source::{Locator, printable},
    transcript::Driven,
};

/// Most findings of one rule about one side that are kept with the text around them; the others are
/// counted.
const FINDINGS: u32 = 10;
/// Most findings with the same message that are kept with the text around them; the others are
/// counted.
const ALIKE: u32 = 3;
/// Most findings of one transcript that are kept with the text around them; the others are counted.
const ALL_FINDINGS: usize = 400;
/// Most characters of a finding's message in the report; the rest is cut off.
const MESSAGE: usize = 600;

/// Collects the part of a compliance report about one transcript while it is checked. The memory it
/// takes does not grow with the transcript, except for a few bytes for each connection with
/// findings.
#[derive(Debug)]
pub struct TranscriptSection {
    is_redacted: bool,
    findings: Vec<(u32, FindingRecord)>,
    counts: Map<Owner, Severities>,
    /// The number of findings kept so far for each rule and side; `alike` counts those with one
    /// message.
    kept: Map<(RuleId, Party), u32>,
    alike: Map<(RuleId, Party, String), u32>,
    acceptances: Arc<Acceptances>,
    /// For each acceptance (by index): the number of findings that it accepts, and the number of
    /// each severity.
    accepted: BTreeMap<usize, (u64, Severities)>,
    plan_tables: PlanTables,
    audit_table: AuditTable,
}

/// What findings are counted by: the connection, the rule or its [share](shares), and the side that broke
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Owner {
    connection: u32,
    /// In the list of [`shares`].
    place: usize,
    side: Party,
}

/// Counts findings by severity, for a rule and side in a connection.
#[derive(Clone, Copy, Debug, Default)]
struct Severities {
    errors: u64,
    warnings: u64,
    infos: u64,
}

/// Path, checksum and length of a transcript's file, for the report.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The path of the file as the user gave it.
    pub path: String,
    /// The SHA-256 of the bytes as they are stored, in hexadecimal digits.
    pub sha256: String,
    pub bytes: u64,
}

impl TranscriptSection {
    /// Starts a transcript. With `is_redacted`, strings of the transcript are masked in the report.
    pub fn new(is_redacted: bool) -> Self {
        Self {
            is_redacted,
            findings: Vec::new(),
            counts: Map::default(),
            kept: Map::default(),
            alike: Map::default(),
            acceptances: Arc::default(),
            accepted: BTreeMap::new(),
            plan_tables: PlanTables::default(),
            audit_table: AuditTable::default(),
        }
    }

    /// Counts the findings that these acceptances of the configuration cover, so that the report
    /// names them with their reasons.
    #[must_use]
    pub fn accepting(self, acceptances: Arc<Acceptances>) -> Self {
        Self { acceptances, ..self }
    }

    /// Takes the next diagnostic of the transcript, and reads the text around its places. Fails
    /// when the transcript cannot be read again.
    pub fn diagnostic(
        &mut self,
        diagnostic: &Diagnostic,
        locator: &mut Locator<'_>,
    ) -> io::Result<()> {
        let Some((rule, _)) = rules::find(diagnostic.rule.id) else { return Ok(()) };
        let (rule, side) = (RuleId(rule), Party::of(diagnostic.bound));
        let count = diagnostic.repeats + 1;
        for place in shares::of_diagnostic(diagnostic) {
            let owner = Owner { connection: diagnostic.connection, place, side };
            self.counts.entry(owner).or_default().add(diagnostic.severity, count);
        }
        if let Some(acceptance) = self.acceptances.of(diagnostic) {
            let (findings, severities) = self.accepted.entry(acceptance).or_default();
            *findings += 1;
            severities.add(diagnostic.severity, count);
        }
        if self.is_kept(rule, side, &diagnostic.finding.message) {
            let finding = self.finding(diagnostic, rule, side, locator)?;
            self.findings.push((diagnostic.connection, finding));
        }
        Ok(())
    }

    /// Whether a finding is kept with the text around it, because it is among the first of its
    /// rule, side and message. Counts the finding.
    fn is_kept(&mut self, rule: RuleId, side: Party, message: &str) -> bool {
        let kept = self.kept.entry((rule, side)).or_default();
        if *kept == FINDINGS || self.findings.len() == ALL_FINDINGS {
            return false;
        }
        let alike = self.alike.entry((rule, side, message.to_owned())).or_default();
        if *alike == ALIKE {
            return false;
        }
        (*kept, *alike) = (*kept + 1, *alike + 1);
        true
    }

    /// Takes the next change of a plan in the transcript, for the table that shows how the plan
    /// developed.
    pub fn step(&mut self, step: &PlanStep) {
        self.plan_tables.add(step);
    }

    /// Takes the next item of the transcript's audit log, for the report.
    pub fn audit(&mut self, event: AuditEvent) {
        self.audit_table.add(event, self.is_redacted);
    }

    fn finding(
        &self,
        diagnostic: &Diagnostic,
        rule: RuleId,
        side: Party,
        locator: &mut Locator<'_>,
    ) -> io::Result<FindingRecord> {
        let finding = &diagnostic.finding;
        let words = |label: &Label| {
            let pointer = label.pointer.as_deref().map(|pointer| told(&self.pointer(pointer)));
            (pointer, self.sentence(&label.message).unwrap_or_default())
        };
        let Places { labels, mut excerpts } = Places::read(diagnostic, locator, words)?;
        if self.is_redacted {
            for Excerpt { parts, .. } in &mut excerpts {
                let is_json = parts.iter().filter_map(|part| part.label).all(|label| {
                    finding.labels.get(label).is_some_and(|label| label.pointer.is_some())
                });
                if is_json { mask::excerpt(parts) } else { mask::passage(parts) }
            }
        }
        Ok(FindingRecord {
            rule,
            severity: JsonName(diagnostic.severity),
            side,
            pairing: 0,
            message: self
                .sentence(&finding.message)
                .unwrap_or_else(|| diagnostic.rule.summary.to_owned()),
            help: finding.help.as_deref().and_then(|help| self.sentence(help)),
            labels,
            excerpts,
            repeats: diagnostic.repeats,
        })
    }

    /// A message for the report, masked if the user wants that; `None` when it is unclear which
    /// part to mask.
    fn sentence(&self, text: &str) -> Option<String> {
        if self.is_redacted { Some(told(&mask::sentence(text)?)) } else { Some(told(text)) }
    }

    fn pointer(&self, pointer: &str) -> String {
        if self.is_redacted { mask::pointer(pointer) } else { pointer.to_owned() }
    }

    /// A name for the report, masked if the user wants that, unless it is a word of the protocol.
    fn word(&self, word: &str) -> String {
        if self.is_redacted { told(&mask::value(word)) } else { told(word) }
    }

    fn methods(&self, row: &(Option<String>, Traffic)) -> impl Iterator<Item = MethodCounts> {
        let (name, traffic) = (row.0.as_deref().map(|name| self.word(name)), row.1);
        Party::ALL.into_iter().filter_map(move |side| {
            let index = side.index();
            let method = MethodCounts {
                method: name.clone(),
                side,
                requests: traffic.requests[index],
                notifications: traffic.notifications[index],
                results: traffic.results[index],
                errors: traffic.errors[index],
            };
            let sum = method.requests + method.notifications + method.results + method.errors;
            (sum > 0).then_some(method)
        })
    }

    /// Ends the transcript and returns its record; `None` when it had no message.
    pub fn finish(mut self, stored: Stored, outcome: &Outcome) -> Option<FileRecord> {
        let format = outcome.format?.to_owned();
        let conduct = outcome.conduct.as_ref()?;
        let Stored { path, sha256, bytes } = stored;

        let accepted = self.accepted.iter().map(|(acceptance, (findings, of))| Accepted {
            acceptance: *acceptance,
            findings: *findings,
            errors: of.errors,
            warnings: of.warnings,
            infos: of.infos,
        });
        let accepted = accepted.collect();
        let findings = std::mem::take(&mut self.findings);
        let findings = findings.into_iter().map(|(connection, finding)| FindingRecord {
            pairing: pairing_of(conduct, connection),
            ..finding
        });
        let findings = findings.collect();
        // They quote nothing of the transcript.
        let notes = outcome.notes.iter().map(|note| told(note)).collect();
        let driven = outcome.driven.as_ref().map(|driven| self.driven(driven, outcome));
        let pairings = self.pairings(conduct);
        let (plans, more_steps) = self.plan_tables.finish(self.is_redacted);
        Some(FileRecord {
            path,
            sha256,
            bytes,
            format,
            edition: JsonName(outcome.edition),
            messages: outcome.messages,
            connections: outcome.connections,
            other_side: outcome.other_side,
            unjudged_messages: outcome.unjudged.messages,
            unjudged_rules: outcome.unjudged.rules,
            notes,
            driven,
            pairings,
            findings,
            accepted,
            plans,
            more_steps,
            audit: self.audit_table.finish(),
        })
    }

    fn driven(&self, driven: &Driven, outcome: &Outcome) -> DrivenRecord {
        let state = outcome.scenario.as_ref();
        DrivenRecord {
            run: told(&driven.run),
            scenario: told(&driven.scenario),
            process: driven.process,
            plays: Party::of(Some(driven.plays)),
            state: state.map(|state| told(&state.state)),
            // It may quote the other side.
            told: state.and_then(|state| self.sentence(&state.step)).unwrap_or_default(),
            left_out: driven
                .left_out
                .iter()
                .map(|(scenario, why)| LeftOutScenario { scenario: told(scenario), why: told(why) })
                .collect(),
        }
    }

    fn pairings(&self, conduct: &Conduct) -> Vec<PairingRecord> {
        let mut counts: Map<(u32, usize, Party), Severities> = Map::default();
        let mut owners: Vec<_> = self.counts.iter().collect();
        owners.sort_unstable_by_key(|(owner, _)| **owner);
        for (owner, own) in owners {
            let pairing = pairing_of(conduct, owner.connection);
            counts.entry((pairing, owner.place, owner.side)).or_default().merge(*own);
        }
        let pairings = (0..).zip(&conduct.pairings).map(|(index, pairing)| {
            let rows = rows(pairing, conduct.has_raw_lines, |place, side| {
                counts.get(&(index, place, side)).copied().unwrap_or_default()
            });
            let (rules, requirements): (Vec<_>, Vec<_>) =
                rows.into_iter().partition(|row| row.requirement.is_none());
            PairingRecord {
                client: pairing.client.as_ref().map(peer),
                agent: pairing.agent.as_ref().map(peer),
                offered: pairing.offered,
                answered: pairing.answered,
                surface: pairing.surface.map(JsonName),
                connections: pairing.connections,
                rules: rules.into(),
                requirements: requirements.into(),
                offers: OfferRecord(pairing.offers),
                methods: pairing.methods.iter().flat_map(|row| self.methods(row)).collect(),
                updates: pairing
                    .updates
                    .iter()
                    .map(|(kind, count)| UpdateCount {
                        kind: kind.as_deref().map(|kind| self.word(kind)),
                        count: *count,
                    })
                    .collect(),
            }
        });
        pairings.collect()
    }
}

fn told(text: &str) -> String {
    let text = printable(text);
    match text.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

fn pairing_of(conduct: &Conduct, connection: u32) -> u32 {
    conduct.of_connection.get(connection as usize).copied().unwrap_or_default()
}

fn name(name: &str) -> String {
    printable(name).into_owned()
}

fn peer(implementation: &Implementation) -> Peer {
    let Implementation { name: own, version } = implementation;
    Peer { name: name(own), version: version.as_deref().map(name) }
}

/// The rules that had something to say about a pairing, or would have had; then those of their shares.
fn rows(
    pairing: &check::Pairing,
    has_raw_lines: bool,
    counts: impl Fn(usize, Party) -> Severities,
) -> Vec<RuleRow> {
    let shows_births = pairing.shows_births();
    let version = pairing.surface.map_or(Version::V1, Surface::version);
    let mut rows = Vec::new();
    for (place, conduct) in pairing.conduct.iter().enumerate() {
        let share = shares::at(place);
        let index = share.map_or(place, |share| share.rule);
        let rule = CATALOGUE[index];
        let is_idle = conduct.tallies.iter().all(|tally| tally.exercised == 0);
        let lack = Lack::of(rule, version, has_raw_lines, shows_births).filter(|_| is_idle);
        let evidence = lack.map(|lack| match lack {
            Lack::Lines => Evidence::Lines,
            Lack::Birth => Evidence::Session,
        });
        for side in Party::ALL {
            let (tally, barred) = (conduct.tallies[side.index()], conduct.barred[side.index()]);
            let Severities { errors, warnings, infos } = counts(place, side);
            let mut missing =
                if barred > 0 { missing_evidence(conduct.missing) } else { EvidenceSet::default() };
            let binds = match rule.binds {
                Bound::Client => side == Party::Client,
                Bound::Agent => side == Party::Agent,
                Bound::Either | Bound::Sender | Bound::Responder => side == Party::Either,
            };
            if let Some(evidence) = evidence.filter(|_| binds) {
                missing.insert(evidence);
            }
            let row = RuleRow {
                rule: RuleId(index),
                requirement: share.map(|share| RequirementId(share.requirement)),
                side,
                exercised: tally.exercised,
                failed: tally.failed,
                errors,
                warnings,
                infos,
                barred,
                missing,
            };
            if !row.is_blank() {
                rows.push(row);
            }
        }
    }
    rows
}

fn missing_evidence(missing: Gates) -> EvidenceSet {
    let missing_evidence = [
        (Gates::HEAD, Evidence::Beginning),
        (Gates::INITIALIZED, Evidence::Initialize),
        (Gates::DIRECTION, Evidence::Sender),
        (Gates::TAIL, Evidence::End),
        (Gates::ORIGIN, Evidence::Session),
    ];
    missing_evidence
        .into_iter()
        .filter(|(gate, _)| missing.contains(*gate))
        .map(|(_, evidence)| evidence)
        .collect()
}

impl Severities {
    fn add(&mut self, severity: Severity, count: u64) {
        match severity {
            Severity::Error => self.errors += count,
            Severity::Warning => self.warnings += count,
            Severity::Info => self.infos += count,
            Severity::Off => {}
        }
    }

    fn merge(&mut self, other: Self) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.infos += other.infos;
    }
}

impl RuleRow {
    pub(super) fn has_findings(&self) -> bool {
        self.errors + self.warnings + self.infos > 0
    }

    fn is_blank(&self) -> bool {
        let Self { exercised, failed, errors, warnings, infos, barred, .. } = self;
        exercised + failed + errors + warnings + infos + barred == 0 && self.missing.is_empty()
    }
}

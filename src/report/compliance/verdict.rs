//! Verdicts: how each implementation fared by each rule, over all transcripts.
//!
//! A [`Compliance`] document goes in, a [`Judgement`] comes out. A rule that was never exercised is no
//! evidence of conformance. A rule that could not be judged for lack of evidence has another status than
//! a rule whose condition did not occur.

use std::collections::{BTreeMap, BTreeSet};

pub(super) use crate::check::Status;

use super::document::{
    Compliance, Evidence, EvidenceSet, FileRecord, PairingRecord, Party, Peer, RuleId, RuleRow,
    RunSettings,
};
use crate::{
    check::{Exercise, Fulfilment, RuleResult},
    protocol::{Edition, Side},
    report::Counts,
    rule::{Bound, Rule},
    rules::CATALOGUE,
};

/// The verdicts on all clients and agents, by the results of all transcripts together.
#[derive(Debug)]
pub(super) struct Judgement {
    /// Agents, then clients, each sorted by name, those without a name last; then the findings of
    /// no single side.
    pub(super) subjects: Vec<Subject>,
    pub(super) messages: u64,
    pub(super) connections: u64,
    pub(super) counts: Counts,
}

/// A client or agent with its results of all rules; or the findings for which neither side alone is
/// at fault.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) identity: SubjectId,
    /// Whether acpcheck played this client or agent in all its transcripts, so that it is not
    /// judged.
    pub(super) is_played: bool,
    pub(super) transcripts: u64,
    pub(super) connections: u64,
    /// The protocol versions that were agreed on; `None` where the answer is not recorded.
    pub(super) versions: BTreeSet<Option<i64>>,
    pub(super) exercise: Exercise,
    /// What recordings lack for rules.
    pub(super) missing: BTreeMap<RuleId, EvidenceSet>,
    /// Results by requirement of the implementation; `None` for a subject without a verdict.
    pub(super) fulfilment: Option<Fulfilment>,
}

/// What identifies a client or agent: transcripts with an equal `SubjectId` are about the same one.
/// Sorted as pages list them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SubjectId {
    pub(super) side: Party,
    pub(super) name: SubjectName,
}

/// The name that tells a client or agent from others of its side.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SubjectName {
    Named(Peer),
    /// A client or agent without a name. Those in different folders are taken for different ones.
    Unnamed {
        folder: String,
    },
    Nobody,
}

/// The verdict on a client or agent by all rules together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Violates,
    /// At least one rule was exercised, and none was violated.
    Conforms,
    NothingExercised,
    /// The client or agent was played by acpcheck, so it is not judged.
    NotJudged,
}

impl Judgement {
    pub(super) fn of(compliance: &Compliance) -> Self {
        let mut builder =
            JudgementBuilder { settings: &compliance.settings, subjects: BTreeMap::new() };
        for file in &compliance.files {
            builder.file(file);
        }
        let nobody = SubjectId { side: Party::Either, name: SubjectName::Nobody };
        let is_blank = |result: &RuleResult| counts(result) == Counts::default();
        if builder.subjects.get(&nobody).is_some_and(|own| own.exercise.rules().all(is_blank)) {
            builder.subjects.remove(&nobody);
        }
        let mut sum = Counts::default();
        for subject in builder.subjects.values_mut() {
            subject.exercise.rules().for_each(|result| sum += counts(result));
            let is_judged = !subject.is_played && subject.identity.side != Party::Either;
            subject.fulfilment = is_judged.then(|| Fulfilment::of(&subject.exercise));
        }
        Self {
            subjects: builder.subjects.into_values().collect(),
            messages: compliance.files.iter().map(|file| file.messages).sum(),
            connections: compliance.files.iter().map(|file| u64::from(file.connections)).sum(),
            counts: sum,
        }
    }
}

struct JudgementBuilder<'c> {
    settings: &'c RunSettings,
    subjects: BTreeMap<SubjectId, Subject>,
}

impl JudgementBuilder<'_> {
    fn file(&mut self, file: &FileRecord) {
        let hidden = self.settings.side.map(|side| Party::of(Some(side.0.peer())));
        let mut present = BTreeSet::new();
        for pairing in &file.pairings {
            for side in Party::ALL.into_iter().filter(|side| hidden != Some(*side)) {
                let identity = identity(side, pairing, &file.path);
                present.insert(identity.clone());
                let is_played = file.driven.as_ref().is_some_and(|driven| driven.plays == side);
                self.pairing(identity, pairing, file.edition.0, is_played);
            }
        }
        for identity in present {
            if let Some(subject) = self.subjects.get_mut(&identity) {
                subject.transcripts += 1;
            }
        }
    }

    fn pairing(
        &mut self,
        identity: SubjectId,
        pairing: &PairingRecord,
        edition: Edition,
        is_played: bool,
    ) {
        let side = identity.side;
        let subject = self.subjects.entry(identity.clone()).or_insert_with(|| Subject {
            identity,
            is_played: true,
            transcripts: 0,
            connections: 0,
            versions: BTreeSet::new(),
            exercise: Exercise::of(match side {
                Party::Agent => Some(Side::Agent),
                Party::Client => Some(Side::Client),
                Party::Either => None,
            }),
            missing: BTreeMap::new(),
            fulfilment: None,
        });
        subject.connections += u64::from(pairing.connections);
        subject.versions.insert(pairing.answered);
        let surface = pairing.surface.map(|surface| surface.0);
        subject.exercise.surfaces.extend(surface);
        if is_played {
            return;
        }
        subject.is_played = false;

        let chosen = &self.settings.severities;
        subject.exercise.note(surface, edition, pairing.offers.0, |rule, version| {
            let chosen = chosen.iter().find(|chosen| chosen.rule.0 == rule);
            chosen.map_or(CATALOGUE[rule].severity.of(version), |chosen| chosen.severity.0)
        });
        for row in pairing.rules.iter().chain(pairing.requirements.iter()) {
            if row.side == Party::Either && !row.has_findings() {
                // What nobody has broken, both have kept; what is missing, is missing for both.
                if binds(row.rule.rule(), side) && side != Party::Either {
                    subject.add(&row);
                }
            } else if row.side == side {
                subject.add(&row);
            }
        }
    }
}

fn identity(side: Party, pairing: &PairingRecord, path: &str) -> SubjectId {
    let named = |peer: &Option<Peer>| match peer {
        Some(peer) => SubjectName::Named(peer.clone()),
        None => SubjectName::Unnamed { folder: folder(path) },
    };
    let name = match side {
        Party::Agent => named(&pairing.agent),
        Party::Client => named(&pairing.client),
        Party::Either => SubjectName::Nobody,
    };
    SubjectId { side, name }
}

/// The folder of a path, without the slash at its end; empty for a path without a folder.
fn folder(path: &str) -> String {
    let separators: &[char] = if cfg!(windows) { &['/', '\\'] } else { &['/'] };
    path.rsplit_once(separators).map_or("", |(folder, _)| folder).to_owned()
}

fn binds(rule: &Rule, side: Party) -> bool {
    match rule.binds {
        Bound::Agent => side == Party::Agent,
        Bound::Client => side == Party::Client,
        Bound::Either | Bound::Sender | Bound::Responder => true,
    }
}

impl Subject {
    fn add(&mut self, row: &RuleRow) {
        let Some(result) = row.place().and_then(|place| self.exercise.results.get_mut(place))
        else {
            return;
        };
        result.exercised += row.exercised;
        result.failed += row.failed;
        result.errors += row.errors;
        result.warnings += row.warnings;
        result.infos += row.infos;
        result.barred += row.barred;
        result.lacks_evidence |= !row.missing.is_empty();
        if row.requirement.is_none() {
            let missing = self.missing.entry(row.rule).or_default();
            row.missing.iter().for_each(|evidence| missing.insert(evidence));
        }
    }

    pub(super) fn verdict(&self) -> Verdict {
        let statuses: Vec<_> = self.exercise.rules().map(RuleResult::status).collect();
        if self.is_played {
            Verdict::NotJudged
        } else if statuses.contains(&Status::Violated) {
            Verdict::Violates
        } else if self.exercise.rules().any(|result| result.exercised > 0) {
            Verdict::Conforms
        } else {
            Verdict::NothingExercised
        }
    }

    /// The rules that have this status for the client or agent.
    pub(super) fn with(&self, status: Status) -> impl Iterator<Item = RuleId> {
        let results = self.exercise.rules().enumerate();
        results.filter(move |(_, result)| result.status() == status).map(|(index, _)| RuleId(index))
    }
}

/// The findings of a rule by severity.
pub(super) fn counts(result: &RuleResult) -> Counts {
    Counts { errors: result.errors, warnings: result.warnings, infos: result.infos }
}

impl Status {
    /// The words for the status in a cell of a table.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Violated => "violated",
            Self::NotFollowed => "warnings",
            Self::Noted => "infos",
            Self::Upheld => "upheld",
            Self::NotAssessable => "not assessable",
            Self::NotExercised => "not exercised",
            Self::Off => "switched off",
            Self::NotApplicable => "does not apply",
        }
    }

    /// The words for the status as the title of a column.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Violated => "Violated",
            Self::NotFollowed => "Warnings",
            Self::Noted => "Infos",
            Self::Upheld => "Upheld",
            Self::NotAssessable => "Not assessable",
            Self::NotExercised => "Not exercised",
            Self::Off => "Switched off",
            Self::NotApplicable => "Does not apply",
        }
    }

    /// The CSS class that colours the status on pages.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Violated => "violated",
            Self::NotFollowed => "warning",
            Self::Noted => "info",
            Self::Upheld => "upheld",
            Self::NotAssessable => "not-assessable",
            Self::NotExercised | Self::Off | Self::NotApplicable => "none",
        }
    }

    /// Whether a rule with this status has findings.
    pub(super) fn is_finding(self) -> bool {
        matches!(self, Self::Violated | Self::NotFollowed | Self::Noted)
    }

    /// A sign for the status, such as `✓`, for readers who do not see colours.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Violated => "✗",
            Self::NotFollowed => "!",
            Self::Noted => "i",
            Self::Upheld => "✓",
            Self::NotAssessable => "?",
            Self::NotExercised => "–",
            Self::Off | Self::NotApplicable => "",
        }
    }
}

impl Verdict {
    /// The name of the verdict in the JSON document.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Violates => "violates",
            Self::Conforms => "conforms_where_exercised",
            Self::NothingExercised => "nothing_exercised",
            Self::NotJudged => "not_judged",
        }
    }

    /// The words for the verdict on pages of the report.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Violates => "violates rules",
            Self::Conforms => "conforms in what was exercised",
            Self::NothingExercised => "nothing was exercised",
            Self::NotJudged => "is played by acpcheck and is not judged",
        }
    }

    /// The CSS class that colours the verdict on pages.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Violates => "violated",
            Self::Conforms => "upheld",
            Self::NothingExercised | Self::NotJudged => "none",
        }
    }

    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Violates => "✗",
            Self::Conforms => "✓",
            Self::NothingExercised | Self::NotJudged => "–",
        }
    }
}

impl Evidence {
    /// A sentence, without a full stop, that says what the recording lacks.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Beginning => "The recording lacks the beginning of the connection",
            Self::Initialize => "The recording lacks the `initialize` exchange",
            Self::Sender => "The recording does not state who sent the message",
            Self::End => "The recording lacks the end of the connection",
            Self::Session => "The recording lacks the creation of a session",
            Self::Lines => "The recording does not keep the raw lines",
        }
    }

    /// A sentence for users on how to make recordings that have this kind of evidence.
    pub(super) fn remedy(self) -> &'static str {
        match self {
            Self::Beginning => {
                "Record from the first message on. If these recordings begin with it, run with \
                 `--head complete`."
            }
            Self::Initialize => "Record from the first message on.",
            Self::Sender => "Record in a format that states who sent each message.",
            Self::End => {
                "Record until each request is answered and the connection is closed. If these \
                 recordings end there, run with `--tail closed`."
            }
            Self::Session => "Record each session from `session/new` on.",
            Self::Lines => "Record the bytes on the wire, not parsed messages.",
        }
    }
}

//! Verdicts: how each implementation fared by each rule, over all transcripts.
//!
//! A [`Compliance`] document goes in, a [`Judgement`] comes out. A rule that was never exercised is no
//! evidence of conformance. A rule that could not be judged for lack of evidence has another status than
//! a rule whose condition did not occur.

use std::collections::{BTreeMap, BTreeSet};

use super::document::{
    Compliance, Evidence, FileRecord, PairingRecord, Party, Peer, RuleId, RuleRow, RunSettings,
};
use crate::{
    protocol::{Edition, Side, Surface, Version},
    report::Counts,
    rule::{Bound, Rule, Severity},
    rules::{CATALOGUE, NOT_JUDGED},
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
    pub(super) surfaces: BTreeSet<Option<Surface>>,
    /// The result of each rule, by the rule's index in the catalogue.
    pub(super) results: Vec<RuleResult>,
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

/// How a client or agent has met one rule, over all its transcripts.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleResult {
    pub(super) exercised: u64,
    pub(super) failed: u64,
    pub(super) counts: Counts,
    pub(super) barred: u64,
    pub(super) missing: BTreeSet<Evidence>,
    /// The severity of the rule for this client or agent, the highest of all its connections;
    /// `None` when the rule applies to none of them.
    pub(super) tier: Option<Severity>,
    /// Whether the findings only say that something could not be judged, as those of the rules in
    /// [`crate::rules::NOT_JUDGED`] do.
    pub(super) is_not_judged: bool,
}

/// The verdict on a client or agent by one rule, as the report shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// The rule was broken, and reported as an error.
    Violated,
    /// The rule was broken, and reported as a warning.
    NotFollowed,
    /// The condition that the rule looks for was met, and is reported as an info.
    Noted,
    Upheld,
    /// The condition of the rule was met, or may have been, but the rule could not be judged.
    NotAssessable,
    NotExercised,
    /// The user has switched the rule off.
    Off,
    /// The rule does not bind this client or agent, or not on the protocol versions that it uses.
    NotApplicable,
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
        let is_blank = |result: &RuleResult| result.counts == Counts::default();
        if builder.subjects.get(&nobody).is_some_and(|own| own.results.iter().all(is_blank)) {
            builder.subjects.remove(&nobody);
        }
        let mut counts = Counts::default();
        for subject in builder.subjects.values() {
            subject.results.iter().for_each(|result| counts += result.counts);
        }
        Self {
            subjects: builder.subjects.into_values().collect(),
            messages: compliance.files.iter().map(|file| file.messages).sum(),
            connections: compliance.files.iter().map(|file| u64::from(file.connections)).sum(),
            counts,
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
            surfaces: BTreeSet::new(),
            results: vec![RuleResult::default(); CATALOGUE.len()],
        });
        let surface = pairing.surface.map(|surface| surface.0);
        subject.connections += u64::from(pairing.connections);
        subject.versions.insert(pairing.answered);
        subject.surfaces.insert(surface);
        if is_played {
            return;
        }
        subject.is_played = false;

        let version = surface.map_or(Version::V1, Surface::version);
        let bound = match side {
            Party::Agent => Some(Side::Agent),
            Party::Client => Some(Side::Client),
            Party::Either => None,
        };
        for (rule, result) in CATALOGUE.iter().zip(&mut subject.results) {
            result.is_not_judged = rule.id == NOT_JUDGED;
            if bound.is_some_and(|side| rule.applies_to(side, version, edition)) {
                result.tier = result.tier.max(Some(rule.severity.of(version)));
            }
        }
        for row in pairing.rules.iter() {
            let result = &mut subject.results[row.rule.0];
            if row.side == Party::Either && !row.has_findings() {
                // What nobody has broken, both have kept; what is missing, is missing for both.
                if binds(row.rule.rule(), side) && side != Party::Either {
                    result.add(&row);
                }
            } else if row.side == side {
                result.add(&row);
            }
        }
        for chosen in &self.settings.severities {
            let tier = &mut subject.results[chosen.rule.0].tier;
            *tier = tier.map(|_| chosen.severity.0);
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
    pub(super) fn verdict(&self) -> Verdict {
        let statuses: Vec<_> = self.results.iter().map(RuleResult::status).collect();
        if self.is_played {
            Verdict::NotJudged
        } else if statuses.contains(&Status::Violated) {
            Verdict::Violates
        } else if self.results.iter().any(|result| result.exercised > 0) {
            Verdict::Conforms
        } else {
            Verdict::NothingExercised
        }
    }

    /// The number of rules that the client or agent exercised, then the number of rules that it
    /// could have exercised.
    pub(super) fn share(&self) -> (usize, usize) {
        let count = |is_wanted: fn(Status) -> bool| {
            let statuses = self.results.iter().map(RuleResult::status);
            statuses.filter(|status| is_wanted(*status)).count()
        };
        (count(|it| it <= Status::Upheld), count(|it| it <= Status::NotExercised))
    }

    /// The rules that have this status for the client or agent.
    pub(super) fn with(&self, status: Status) -> impl Iterator<Item = RuleId> {
        let results = self.results.iter().enumerate();
        results.filter(move |(_, result)| result.status() == status).map(|(index, _)| RuleId(index))
    }
}

impl RuleResult {
    fn add(&mut self, row: &RuleRow) {
        self.exercised += row.exercised;
        self.failed += row.failed;
        self.counts += Counts { errors: row.errors, warnings: row.warnings, infos: row.infos };
        self.barred += row.barred;
        self.missing.extend(row.missing.iter());
    }

    pub(super) fn status(&self) -> Status {
        match (self.counts, self.tier) {
            _ if self.is_not_judged && self.failed > 0 => Status::NotAssessable,
            (Counts { errors: 1.., .. }, _) => Status::Violated,
            (Counts { warnings: 1.., .. }, _) => Status::NotFollowed,
            (Counts { infos: 1.., .. }, _) => Status::Noted,
            (_, Some(Severity::Off)) => Status::Off,
            // Before the version was agreed on, rules of the other one may have been exercised.
            (_, None) => Status::NotApplicable,
            _ if self.exercised > 0 => Status::Upheld,
            _ if self.barred > 0 || !self.missing.is_empty() => Status::NotAssessable,
            _ => Status::NotExercised,
        }
    }

    /// How often the rule was exercised and not broken.
    pub(super) fn upheld(&self) -> u64 {
        self.exercised - self.failed.min(self.exercised)
    }
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

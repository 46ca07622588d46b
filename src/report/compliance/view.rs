//! The contents of a compliance page, in the order of the page, for HTML and Markdown.
//!
//! A [`Compliance`] document goes in, a [`Page`] comes out: sentences, totals and tables. The markup is
//! added by `html` and `markdown`.

use std::{cmp::Ordering, collections::BTreeSet};

use super::{
    super::{
        recording_notes::RecordingNotes,
        text::{grouped, grouped_plural},
    },
    acceptance::Met,
    audit_view::AuditView,
    coverage::{Coverage, coverage},
    document::{
        Acceptance, Compliance, DrivenRecord, FileRecord, LeftOutScenario, Party, Peer, RuleId,
    },
    findings::{RuleFindings, rule_findings},
    matrix::{Matrix, MissingEvidence, missing_evidence},
    plan_view::{DrawnPlan, PLANS},
    requirement_tables::RequirementTables,
    subject_label::SubjectLabel,
    verdict::{Judgement, Status, Subject, SubjectName, Verdict},
};
use crate::{
    protocol::Edition,
    report::{Counts, TOOL, Unread, requirement_line, requirement_share, revision},
    rule::{Rule, Severity},
    rules::CATALOGUE,
};

/// Most violated rules that are named beside the verdict on a client or agent; the others are
/// counted.
const VIOLATED: usize = 4;

/// Implementations up to which each has a line about its requirements.
const LINES: usize = 4;

/// Files passed over that are named.
const PASSED_OVER: usize = 40;

/// The contents of a compliance page, without markup, for HTML and Markdown.
#[derive(Debug)]
pub(super) struct Page<'c> {
    pub(super) version: &'static str,
    pub(super) schemas: &'static str,
    pub(super) title: String,
    pub(super) lead: Vec<String>,
    /// How the sides fared by the requirements, where there are few.
    pub(super) requirement_lines: Vec<(SubjectLabel, String)>,
    pub(super) totals: Vec<(String, &'static str)>,
    /// Whether there are errors, warnings or infos.
    pub(super) has_findings: bool,
    pub(super) subjects: Vec<SubjectRow>,
    pub(super) scenarios: Vec<ScenarioRow<'c>>,
    /// The scenarios that the runs did not play, each with the reason.
    pub(super) left_out: Vec<&'c LeftOutScenario>,
    pub(super) rule_findings: Vec<RuleFindings<'c>>,
    /// Kinds of findings that a baseline accepts, each with the number found.
    pub(super) accepted: Vec<AcceptedRow<'c>>,
    pub(super) audit: AuditView<'c>,
    pub(super) requirements: RequirementTables,
    pub(super) matrix: Matrix,
    pub(super) missing_evidence: Vec<MissingEvidence>,
    pub(super) plans: Vec<DrawnPlan<'c>>,
    /// The number of plans that the page does not draw. `more_steps` counts changes of plans that
    /// the records of the files do not contain either.
    pub(super) more_plans: u64,
    pub(super) more_steps: u64,
    pub(super) coverage: Vec<Coverage>,
    pub(super) files: Vec<FileRow<'c>>,
    pub(super) notes: RecordingNotes,
    pub(super) unread: &'c [Unread],
    pub(super) passed_over: &'c [String],
    pub(super) more_passed_over: usize,
    /// The settings of the run that differ from the defaults, as options of the command line.
    pub(super) options: Vec<String>,
    pub(super) is_redacted: bool,
}

/// A client or agent with its verdict, as a row of the page's first table.
#[derive(Debug)]
pub(super) struct SubjectRow {
    pub(super) label: SubjectLabel,
    pub(super) verdict: Option<Verdict>,
    /// How many of the rules that apply were exercised, in words.
    pub(super) share: String,
    pub(super) protocol: String,
    pub(super) transcripts: u64,
    /// For each of [`SubjectRow::STATUSES`], the number of rules with this status.
    pub(super) numbers: Vec<(Status, usize)>,
    pub(super) violated: Vec<&'static Rule>,
    pub(super) more_violated: usize,
}

/// A scenario that acpcheck played, and how it ended, as a row of a table.
#[derive(Debug)]
pub(super) struct ScenarioRow<'c> {
    pub(super) driven: &'c DrivenRecord,
    pub(super) state: &'c str,
    /// The path of the recording in which the scenario ended.
    pub(super) path: &'c str,
}

/// A kind of findings that a baseline accepts, with the number found.
#[derive(Debug)]
pub(super) struct AcceptedRow<'c> {
    pub(super) acceptance: &'c Acceptance,
    pub(super) found: u64,
}

/// A checked transcript, as a row of the table of files.
#[derive(Debug)]
pub(super) struct FileRow<'c> {
    pub(super) number: usize,
    pub(super) file: &'c FileRecord,
    pub(super) agents: Vec<String>,
    pub(super) clients: Vec<String>,
    pub(super) surfaces: String,
    pub(super) counts: Counts,
}

impl<'c> Page<'c> {
    pub(super) fn of(compliance: &'c Compliance) -> Self {
        let judgement = Judgement::of(compliance);
        let labels: Vec<SubjectLabel> =
            (1..).zip(&judgement.subjects).map(SubjectLabel::of).collect();
        let subjects: Vec<_> = judgement.subjects.iter().zip(&labels).map(SubjectRow::of).collect();
        let all_plans: usize = compliance.files.iter().map(|file| file.plans.len()).sum();
        let plans: Vec<_> = compliance.files.iter().flat_map(DrawnPlan::all).take(PLANS).collect();
        let passed_over = &compliance.passed_over;
        let mut notes = RecordingNotes::default();
        compliance.files.iter().for_each(|file| notes.add(&file.path, &file.notes));
        Self {
            version: TOOL.1,
            schemas: revision(),
            title: title(&judgement),
            lead: lead(compliance, &judgement),
            requirement_lines: requirement_lines(&judgement, &labels),
            totals: totals(compliance, &judgement),
            has_findings: judgement.counts.total() > 0,
            subjects,
            scenarios: scenarios(compliance),
            left_out: left_out(compliance),
            rule_findings: rule_findings(compliance, &judgement, &labels),
            accepted: compliance.acceptances().into_iter().map(AcceptedRow::of).collect(),
            audit: AuditView::of(compliance),
            requirements: RequirementTables::of(&judgement, &labels),
            matrix: Matrix::of(&judgement, &labels),
            missing_evidence: missing_evidence(&judgement),
            more_plans: (all_plans - plans.len()) as u64,
            more_steps: compliance.files.iter().map(|file| file.more_steps).sum(),
            plans,
            coverage: coverage(compliance),
            files: (1..).zip(&compliance.files).map(FileRow::of).collect(),
            notes,
            unread: &compliance.unread,
            passed_over: &passed_over[..passed_over.len().min(PASSED_OVER)],
            more_passed_over: passed_over.len().saturating_sub(PASSED_OVER),
            options: compliance
                .settings
                .options()
                .into_iter()
                .map(|(name, value)| format!("{name} {value}").trim_end().to_owned())
                .collect(),
            is_redacted: compliance.settings.redacted,
        }
    }
}

impl Page<'_> {
    pub(super) fn has_violations(&self) -> bool {
        self.rule_findings.iter().any(|group| group.worst == Severity::Error)
    }

    /// Whether any client or agent on the page has the verdict that it conforms.
    pub(super) fn has_verdicts(&self) -> bool {
        self.subjects.iter().any(|row| row.verdict == Some(Verdict::Conforms))
    }

    /// The editions that transcripts were checked by, as the end of a sentence; empty without a
    /// transcript.
    pub(super) fn editions(&self) -> String {
        let editions: BTreeSet<_> = self.files.iter().map(|row| row.file.edition.0).collect();
        let names: Vec<_> = editions.into_iter().map(Edition::name).collect();
        match names.as_slice() {
            [] => String::new(),
            [only] => format!(", edition {only}"),
            many => format!(", editions {}", many.join(" and ")),
        }
    }

    pub(super) fn files_summary(&self) -> String {
        let bytes = self.files.iter().map(|row| row.file.bytes).sum();
        format!("{}, {} bytes", grouped_plural(self.files.len(), "transcript"), grouped(bytes))
    }

    /// Sentences with the number of scenarios for each way in which they ended.
    pub(super) fn scenarios_summary(&self) -> String {
        const STATES: [&str; 7] =
            ["done", "refused", "not done", "not offered", "unanswered", "ended", "interrupted"];
        let count = |state: &str| self.scenarios.iter().filter(|row| row.state == state).count();
        let told = STATES.into_iter().map(|state| (count(state), state));
        let told = told.filter(|(count, _)| *count > 0);
        let told: Vec<_> = told.map(|(count, state)| format!("{count} {state}")).collect();
        let mut summary = format!(
            "acpcheck played {}: {}.",
            grouped_plural(self.scenarios.len(), "scenario"),
            told.join(", ")
        );
        if !self.left_out.is_empty() {
            summary.push_str(&format!(
                " {} {} not played. Rules about what was refused, not offered or not played are not \
                 exercised.",
                grouped_plural(self.left_out.len(), "scenario"),
                if self.left_out.len() == 1 { "was" } else { "were" },
            ));
        }
        summary
    }

    pub(super) fn idle_summary(&self) -> String {
        let count: usize = self.matrix.idle.iter().map(|(_, rules)| rules.len()).sum();
        format!("{} whose condition was never met", grouped_plural(count, "rule"))
    }

    pub(super) fn inapplicable_summary(&self) -> String {
        let count = self.matrix.inapplicable;
        let verb = if count == 1 { "does" } else { "do" };
        let rules = grouped_plural(CATALOGUE.len(), "rule");
        format!("{count} of {rules} {verb} not apply to these protocol versions and editions.")
    }
}

/// The scenarios that `drive` or `play` has played. A scenario with several recordings has one row,
/// from the recording that says how the scenario ended.
fn scenarios(compliance: &Compliance) -> Vec<ScenarioRow<'_>> {
    let rows = compliance.files.iter().filter_map(|file| {
        let driven = file.driven.as_ref()?;
        Some(ScenarioRow { driven, state: driven.state.as_deref()?, path: &file.path })
    });
    rows.collect()
}

/// The scenarios that the runs did not play, each pair of scenario and reason once.
fn left_out(compliance: &Compliance) -> Vec<&LeftOutScenario> {
    let mut all: Vec<&LeftOutScenario> = Vec::new();
    let driven = compliance.files.iter().filter_map(|file| file.driven.as_ref());
    for left_out in driven.flat_map(|driven| &driven.left_out) {
        if !all.contains(&left_out) {
            all.push(left_out);
        }
    }
    all
}

fn title(judgement: &Judgement) -> String {
    let mut agents = judgement.subjects.iter().filter(|it| it.identity.side == Party::Agent);
    match (agents.next(), agents.next()) {
        (Some(only), None) if matches!(only.identity.name, SubjectName::Named(_)) => {
            format!("ACP compliance report: {}", SubjectLabel::of((0, only)))
        }
        _ => "ACP compliance report".to_owned(),
    }
}

/// The sentences at the head of the page: verdicts, and what limits them.
fn lead(compliance: &Compliance, judgement: &Judgement) -> Vec<String> {
    let mut sentences = Vec::new();
    for side in [Party::Agent, Party::Client] {
        let subjects: Vec<_> =
            judgement.subjects.iter().filter(|it| it.identity.side == side).collect();
        match subjects.as_slice() {
            [] => {}
            [only] => sentences.push(sentence(only)),
            many => sentences.push(sentence_of_many(side, many)),
        }
    }
    let nobody = judgement.subjects.iter().find(|it| it.identity.side == Party::Either);
    match nobody.map_or(0, |nobody| nobody.with(Status::Violated).count()) {
        0 => {}
        1 => sentences
            .push("One rule is violated, but the recording does not state by whom.".to_owned()),
        many => {
            sentences.push(format!(
                "{many} rules are violated, but the recordings do not state by whom."
            ));
        }
    }
    if compliance.files.is_empty() {
        sentences.push("No transcript was judged, so there is no verdict.".to_owned());
    }
    let other_side: u64 = compliance.files.iter().map(|file| file.other_side).sum();
    if other_side > 0 {
        let (findings, repeats) =
            if other_side == 1 { ("finding", "") } else { ("findings", ", with each repeat") };
        let count = grouped(other_side);
        sentences.push(format!("{count} {findings} of the other side not shown{repeats}."));
    }
    match compliance.loads_without_birth() {
        0 => {}
        1 => sentences.push(
            "In one load, the replay was not compared with what was said before: the session's \
             beginning is not in the recordings that were judged together."
                .to_owned(),
        ),
        many => sentences.push(format!(
            "In {} loads, the replay was not compared with what was said before: the sessions' \
             beginnings are not in the recordings that were judged together.",
            grouped(many)
        )),
    }
    let accepted = compliance.accepted().total();
    if accepted > 0 {
        let findings = if accepted == 1 { "finding" } else { "findings" };
        let count = grouped(accepted);
        sentences.push(format!(
            "A baseline accepts {count} {findings}, listed below. The verdicts stay the same."
        ));
    }
    let is_begun = |unread: &&Unread| compliance.file(&unread.path).is_some();
    let begun = compliance.unread.iter().filter(is_begun).count();
    match compliance.unread.len() - begun {
        0 => {}
        1 => {
            sentences
                .push("One input could not be read and is not part of this report.".to_owned());
        }
        many => sentences
            .push(format!("{many} inputs could not be read and are not part of this report.")),
    }
    match begun {
        0 => {}
        1 => sentences.push(
            "One transcript could not be read to its end. It was judged up to there.".to_owned(),
        ),
        many => sentences.push(format!(
            "{many} transcripts could not be read to their ends. They were judged up to there."
        )),
    }
    sentences
}

/// The lines for auditors, one for each implementation; none where a table tells more.
fn requirement_lines(
    judgement: &Judgement,
    labels: &[SubjectLabel],
) -> Vec<(SubjectLabel, String)> {
    let lines = judgement.subjects.iter().zip(labels).filter_map(|(subject, label)| {
        Some((label.clone(), requirement_line(subject.fulfilment.as_ref()?)))
    });
    let lines: Vec<_> = lines.collect();
    if lines.len() > LINES { Vec::new() } else { lines }
}

fn sentence(subject: &Subject) -> String {
    let side = subject.identity.side.name();
    let name = match &subject.identity.name {
        SubjectName::Named(_) => format!("The {side} {}", SubjectLabel::of((0, subject))),
        SubjectName::Unnamed { .. } | SubjectName::Nobody => {
            format!("The {side}, which does not state its name,")
        }
    };
    match subject.verdict() {
        Verdict::Violates => {
            let violated = grouped_plural(subject.with(Status::Violated).count(), "rule");
            format!("{name} violates {violated}{}.", bracketed(&exercised(subject)))
        }
        Verdict::Conforms => {
            format!("{name} conforms in what was exercised{}.", bracketed(&share(subject)))
        }
        Verdict::NothingExercised => {
            format!("{name} has no verdict, because no rule was exercised.")
        }
        Verdict::NotJudged => format!("{name} {}.", Verdict::NotJudged.text()),
    }
}

/// How many requirements were exercised, of how many; may be empty.
fn share(subject: &Subject) -> String {
    subject.fulfilment.as_ref().map(requirement_share).unwrap_or_default()
}

/// How many of the requirements that apply were exercised, such as `42 of 77 MUSTs exercised`;
/// may be empty.
fn exercised(subject: &Subject) -> String {
    let share = share(subject);
    if share.is_empty() { share } else { format!("{share} exercised") }
}

/// A remark behind a word; nothing for an empty one.
fn bracketed(remark: &str) -> String {
    if remark.is_empty() { String::new() } else { format!(" ({remark})") }
}

fn sentence_of_many(side: Party, subjects: &[&Subject]) -> String {
    let with = |verdict| subjects.iter().filter(|subject| subject.verdict() == verdict).count();
    let (violating, conforming) = (with(Verdict::Violates), with(Verdict::Conforms));
    let rest = with(Verdict::NothingExercised);
    let count = subjects.len();
    let side = side.name();
    let mut sentence = match violating {
        0 => format!("None of {count} {side}s violates a rule"),
        1 => format!("1 of {count} {side}s violates rules"),
        many => format!("{many} of {count} {side}s violate rules"),
    };
    if conforming > 0 {
        let verb = if conforming == 1 { "conforms" } else { "conform" };
        sentence.push_str(&format!("; {conforming} {verb} in what was exercised"));
    }
    if rest > 0 {
        sentence.push_str(&format!("; {rest} exercised no rule"));
    }
    let played = with(Verdict::NotJudged);
    if played > 0 {
        let verb = if played == 1 { "is" } else { "are" };
        sentence.push_str(&format!("; {played} {verb} played by acpcheck and not judged"));
    }
    sentence + "."
}

fn totals(compliance: &Compliance, judgement: &Judgement) -> Vec<(String, &'static str)> {
    let counts = judgement.counts;
    let one = |count: u64, one: &'static str, many: &'static str| {
        (grouped(count), if count == 1 { one } else { many })
    };
    vec![
        one(compliance.files.len() as u64, "transcript", "transcripts"),
        one(judgement.connections, "connection", "connections"),
        one(judgement.messages, "message", "messages"),
        one(counts.errors, "error", "errors"),
        one(counts.warnings, "warning", "warnings"),
        one(counts.infos, "info", "infos"),
    ]
}

impl<'c> AcceptedRow<'c> {
    fn of((acceptance, met): (&'c Acceptance, Met)) -> Self {
        Self { acceptance, found: met.findings }
    }

    pub(super) fn rule(&self) -> &'static Rule {
        self.acceptance.rule.rule()
    }

    pub(super) fn is_exceeded(&self) -> bool {
        self.found > self.acceptance.count
    }

    /// A remark on an acceptance whose number of findings is not the expected one; `None` when it
    /// is.
    pub(super) fn remark(&self) -> Option<&'static str> {
        match self.found.cmp(&self.acceptance.count) {
            Ordering::Greater => Some("more than accepted; any of them may be new"),
            Ordering::Equal => None,
            Ordering::Less if self.found == 0 => Some("not found here"),
            Ordering::Less => Some("fewer than accepted"),
        }
    }
}

impl SubjectRow {
    /// The statuses that have a column in the first table, with the number of rules.
    pub(super) const STATUSES: [Status; 6] = [
        Status::Violated,
        Status::NotFollowed,
        Status::Noted,
        Status::Upheld,
        Status::NotAssessable,
        Status::NotExercised,
    ];

    fn of((subject, label): (&Subject, &SubjectLabel)) -> Self {
        let versions = subject.versions.iter().map(|version| match version {
            Some(version) => version.to_string(),
            None => "unknown".to_owned(),
        });
        let violated: Vec<_> = subject.with(Status::Violated).map(RuleId::rule).collect();
        let is_somebody = subject.identity.side != Party::Either;
        Self {
            label: label.clone(),
            verdict: is_somebody.then(|| subject.verdict()),
            share: match subject.verdict() {
                Verdict::Violates => exercised(subject),
                Verdict::Conforms | Verdict::NothingExercised | Verdict::NotJudged => {
                    share(subject)
                }
            },
            protocol: versions.collect::<Vec<_>>().join(", "),
            transcripts: subject.transcripts,
            numbers: Self::STATUSES
                .into_iter()
                .map(|status| (status, subject.with(status).count()))
                .collect(),
            more_violated: violated.len().saturating_sub(VIOLATED),
            violated: violated.into_iter().take(VIOLATED).collect(),
        }
    }
}

impl<'c> FileRow<'c> {
    fn of((number, file): (usize, &'c FileRecord)) -> Self {
        let mut counts = Counts::default();
        let (mut agents, mut clients, mut surfaces) = (Vec::new(), Vec::new(), Vec::new());
        for pairing in &file.pairings {
            for row in pairing.rules.iter() {
                counts += Counts { errors: row.errors, warnings: row.warnings, infos: row.infos };
            }
            add(&mut agents, name(pairing.agent.as_ref()));
            add(&mut clients, name(pairing.client.as_ref()));
            let surface = pairing.surface.map_or("unknown", |surface| surface.0.name());
            add(&mut surfaces, surface.to_owned());
        }
        Self { number, file, agents, clients, surfaces: surfaces.join(", "), counts }
    }
}

fn add(names: &mut Vec<String>, name: String) {
    if !names.contains(&name) {
        names.push(name);
    }
}

fn name(peer: Option<&Peer>) -> String {
    match peer {
        Some(Peer { name, version: Some(version) }) => format!("{name} {version}"),
        Some(Peer { name, version: None }) => name.clone(),
        None => "unnamed".to_owned(),
    }
}

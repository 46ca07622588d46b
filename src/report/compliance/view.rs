//! What a page shows, in the order in which it shows it. What it says in words is here; how that
//! looks is up to the form.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    document::{
        Cell, Compliance, Encounter, File, Finding, Lack, Method, Party, PlanEvent, RuleId, Unread,
    },
    verdict::{Judgement, Name, Standing, Status, Subject, Verdict},
};
use crate::{
    protocol::{
        Edition, Surface, Version,
        schema::{Handler, Protocol},
    },
    report::{Counts, TOOL, revision, rules},
    rule::{Citation, Rule, Severity, SourceText},
    rules::CATALOGUE,
};

/// Rules that are named with a verdict.
const VIOLATED: usize = 4;
/// Implementations that have a column of the matrix, and how many fit beside each other.
const COLUMNS: usize = 120;
const BESIDE: usize = 24;
/// Findings of a rule that are shown with the text around them.
const CASES: usize = 12;
/// Of those with the same message, where there are several transcripts.
const EXAMPLES: usize = 2;
/// Places of others with the same message that are named.
const SAME: usize = 20;
/// Rules whose findings are shown at once; beyond, a reader had better choose.
const OPEN: usize = 8;
/// Transcripts that are named for a rule.
const PLACES: usize = 40;
/// Plans that are drawn.
const PLANS: usize = 60;
/// Files passed over that are named.
const PASSED_OVER: usize = 40;

/// All that a page shows.
#[derive(Debug)]
pub(super) struct Page<'c> {
    pub(super) version: &'static str,
    pub(super) schemas: &'static str,
    pub(super) title: String,
    pub(super) lead: Vec<String>,
    pub(super) totals: Vec<(String, &'static str)>,
    pub(super) subjects: Vec<SubjectRow>,
    pub(super) groups: Vec<Group<'c>>,
    pub(super) matrix: Matrix,
    pub(super) lacks: Vec<LackRow>,
    pub(super) plans: Vec<Picture<'c>>,
    /// Plans that are not drawn, and steps of plans that no file has kept.
    pub(super) more_plans: u64,
    pub(super) more_steps: u64,
    pub(super) coverage: Vec<Coverage>,
    pub(super) files: Vec<FileRow<'c>>,
    pub(super) unread: &'c [Unread],
    pub(super) passed_over: &'c [String],
    pub(super) more_passed_over: usize,
    /// What the user chose, as options.
    pub(super) options: Vec<String>,
    pub(super) is_redacted: bool,
}

/// An implementation and its verdict.
#[derive(Debug)]
pub(super) struct SubjectRow {
    pub(super) label: Label,
    pub(super) verdict: Option<Verdict>,
    pub(super) protocol: String,
    pub(super) transcripts: u64,
    /// How many rules have which status.
    pub(super) numbers: Vec<(Status, usize)>,
    pub(super) violated: Vec<&'static Rule>,
    pub(super) more_violated: usize,
}

/// What a subject is called.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// From 1, in the order of the list.
    pub(super) number: usize,
    pub(super) side: &'static str,
    pub(super) name: String,
    pub(super) version: Option<String>,
}

/// The findings of one rule.
#[derive(Debug)]
pub(super) struct Group<'c> {
    pub(super) rule: &'static Rule,
    pub(super) worst: Severity,
    pub(super) counts: Counts,
    pub(super) level: String,
    pub(super) requirements: Vec<Requirement>,
    /// By whom, and how many findings.
    pub(super) by: Vec<(Label, u64)>,
    pub(super) cases: Vec<Case<'c>>,
    /// Findings beyond those shown, and those that they stand for.
    pub(super) more: u64,
    pub(super) places: Vec<(&'c str, usize, u64)>,
    pub(super) more_places: u64,
    /// Whether it is shown at once.
    pub(super) is_open: bool,
}

/// What a rule rests on.
#[derive(Debug)]
pub(super) struct Requirement {
    pub(super) requires: &'static str,
    pub(super) sources: Vec<SourceText>,
}

/// A finding in its file.
#[derive(Debug)]
pub(super) struct Case<'c> {
    pub(super) path: &'c str,
    /// Number of the file, from 1.
    pub(super) file: usize,
    pub(super) finding: &'c Finding,
    pub(super) by: String,
    /// Where the same is found: path, number of the file, line.
    pub(super) same: Vec<(&'c str, usize, u64)>,
    /// Places beyond those.
    pub(super) more_same: u64,
}

/// Implementations against rules.
#[derive(Debug)]
pub(super) struct Matrix {
    pub(super) tables: Vec<MatrixTable>,
    pub(super) more_columns: usize,
    /// By family, the rules whose condition nobody met.
    pub(super) idle: Vec<(&'static str, Vec<&'static Rule>)>,
    /// Rules that are off, and rules that bind nobody here.
    pub(super) off: Vec<&'static Rule>,
    pub(super) inapplicable: usize,
}

/// Some of the implementations.
#[derive(Debug)]
pub(super) struct MatrixTable {
    pub(super) columns: Vec<Label>,
    /// With the rules that had something to say about them.
    pub(super) families: Vec<Family>,
}

#[derive(Debug)]
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) rows: Vec<MatrixRow>,
}

#[derive(Debug)]
pub(super) struct MatrixRow {
    pub(super) rule: &'static Rule,
    pub(super) has_findings: bool,
    /// The status, and how often where that says something.
    pub(super) cells: Vec<(Status, Option<u64>)>,
}

/// What was not on record, and which rules would have needed it.
#[derive(Debug)]
pub(super) struct LackRow {
    pub(super) lack: Lack,
    pub(super) rules: Vec<&'static Rule>,
}

/// A plan drawn.
#[derive(Debug)]
pub(super) struct Picture<'c> {
    pub(super) path: &'c str,
    pub(super) title: String,
    pub(super) plan: &'c super::Plan,
    pub(super) columns: Vec<ColumnHead>,
    pub(super) rows: Vec<PictureRow<'c>>,
}

/// An entry of a plan.
#[derive(Debug)]
pub(super) struct PictureRow<'c> {
    pub(super) content: &'c str,
    /// Empty where it is medium, or there is none.
    pub(super) priority: &'c str,
    /// By column; whether something is left out before it, and the status where it is listed.
    pub(super) cells: Vec<(bool, Option<Mark<'c>>)>,
}

/// What stands above a column of a plan.
#[derive(Debug)]
pub(super) struct ColumnHead {
    pub(super) line: u32,
    /// The turn, where it begins here.
    pub(super) turn: Option<String>,
    /// What happens, where it is more than a list of entries.
    pub(super) event: Option<String>,
    pub(super) repeats: u64,
    pub(super) skipped: u64,
}

/// The status of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark<'c> {
    /// A class for signs and colours.
    pub(super) class: &'static str,
    pub(super) words: &'c str,
    pub(super) is_new: bool,
    pub(super) is_dropped: bool,
}

/// Which part of a surface was seen.
#[derive(Debug)]
pub(super) struct Coverage {
    pub(super) surface: String,
    pub(super) methods: Vec<MethodRow>,
    /// Methods seen of those defined.
    pub(super) methods_seen: (usize, usize),
    pub(super) methods_unseen: Vec<&'static str>,
    pub(super) updates: Vec<(String, u64, &'static str)>,
    pub(super) updates_seen: (usize, usize),
    pub(super) updates_unseen: Vec<&'static str>,
}

#[derive(Debug)]
pub(super) struct MethodRow {
    pub(super) method: String,
    pub(super) from: &'static str,
    /// What it is, where the surface does not define it.
    pub(super) remark: &'static str,
    /// Requests, notifications, results, errors.
    pub(super) counts: [u64; 4],
}

/// A transcript that was judged.
#[derive(Debug)]
pub(super) struct FileRow<'c> {
    pub(super) number: usize,
    pub(super) file: &'c File,
    pub(super) agents: Vec<String>,
    pub(super) clients: Vec<String>,
    pub(super) surfaces: String,
    pub(super) counts: Counts,
}

impl<'c> Page<'c> {
    pub(super) fn of(compliance: &'c Compliance) -> Self {
        let judgement = Judgement::of(compliance);
        let labels: Vec<Label> = (1..).zip(&judgement.subjects).map(Label::of).collect();
        let subjects: Vec<_> = judgement.subjects.iter().zip(&labels).map(SubjectRow::of).collect();
        let all_plans: usize = compliance.files.iter().map(|file| file.plans.len()).sum();
        let plans: Vec<_> = compliance.files.iter().flat_map(Picture::all).take(PLANS).collect();
        let passed_over = &compliance.passed_over;
        Self {
            version: TOOL.1,
            schemas: revision(),
            title: title(&judgement),
            lead: lead(compliance, &judgement),
            totals: totals(compliance, &judgement),
            subjects,
            groups: groups(compliance, &judgement, &labels),
            matrix: Matrix::of(&judgement, &labels),
            lacks: lacks(&judgement),
            more_plans: (all_plans - plans.len()) as u64,
            more_steps: compliance.files.iter().map(|file| file.more_steps).sum(),
            plans,
            coverage: coverage(compliance),
            files: (1..).zip(&compliance.files).map(FileRow::of).collect(),
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
    /// The statuses that are counted for each implementation.
    pub(super) fn statuses(&self) -> [Status; 6] {
        SubjectRow::STATUSES
    }

    pub(super) fn has_violations(&self) -> bool {
        self.groups.iter().any(|group| group.worst == Severity::Error)
    }

    /// Whether anything was exercised.
    pub(super) fn has_verdicts(&self) -> bool {
        self.subjects.iter().any(|row| row.verdict == Some(Verdict::Conforms))
    }

    /// The states of the drafts that were judged by.
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
        format!("{}, {} bytes", many(self.files.len(), "transcript"), grouped(bytes))
    }

    pub(super) fn idle_summary(&self) -> String {
        let count: usize = self.matrix.idle.iter().map(|(_, rules)| rules.len()).sum();
        format!("{} whose condition never came up", many(count, "rule"))
    }

    pub(super) fn inapplicable_summary(&self) -> String {
        let count = self.matrix.inapplicable;
        let verb = if count == 1 { "does" } else { "do" };
        let rules = many(count, "rule");
        format!("{rules} of {} {verb} not apply to what was spoken here.", CATALOGUE.len())
    }
}

impl Group<'_> {
    /// How many findings there are, by severity.
    pub(super) fn findings(&self) -> String {
        let Counts { errors, warnings, infos } = self.counts;
        let counts = [(errors, "violation"), (warnings, "warning"), (infos, "note")];
        let words = counts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| many(usize::try_from(count).unwrap_or(usize::MAX), noun));
        words.collect::<Vec<_>>().join(", ")
    }

    /// Why the rule matters.
    pub(super) fn paragraphs(&self) -> Vec<String> {
        let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.rule.explanation.trim().split("\n\n").map(folded).collect()
    }
}

impl Picture<'_> {
    pub(super) fn summary(&self) -> String {
        let updates: u64 = self.columns.iter().map(|head| head.repeats + head.skipped + 1).sum();
        let updates = many(usize::try_from(updates).unwrap_or(usize::MAX), "update");
        match self.rows.len() {
            0 => updates,
            1 => format!("1 entry, {updates}"),
            rows => format!("{rows} entries, {updates}"),
        }
    }

    /// Turns with how many columns they have, columns for what is left out included.
    pub(super) fn turns(&self) -> Vec<(&str, usize)> {
        let mut turns: Vec<(&str, usize)> = Vec::new();
        for head in &self.columns {
            let width = 1 + usize::from(head.skipped > 0);
            match (&head.turn, turns.last_mut()) {
                (None, Some((_, span))) => *span += width,
                (turn, _) => turns.push((turn.as_deref().unwrap_or_default(), width)),
            }
        }
        turns
    }
}

impl Coverage {
    pub(super) fn summary(&self) -> String {
        let (seen, defined) = self.methods_seen;
        let (kinds_seen, kinds) = self.updates_seen;
        format!(
            "{seen} of the {defined} methods and {kinds_seen} of the {kinds} kinds of session \
             updates that the surface defines were seen."
        )
    }
}

fn title(judgement: &Judgement) -> String {
    let mut agents = judgement.subjects.iter().filter(|it| it.identity.side == Party::Agent);
    match (agents.next(), agents.next()) {
        (Some(only), None) if matches!(only.identity.name, Name::Named(_)) => {
            format!("ACP compliance report: {}", Label::of((0, only)))
        }
        _ => "ACP compliance report".to_owned(),
    }
}

/// The verdicts in sentences.
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
        1 => sentences.push("One rule is violated where nobody can tell by whom.".to_owned()),
        many => {
            sentences.push(format!("{many} rules are violated where nobody can tell by whom."));
        }
    }
    if compliance.files.is_empty() {
        sentences.push("No transcript was judged, so nothing is said about anybody.".to_owned());
    }
    match compliance.unread.len() {
        0 => {}
        1 => sentences
            .push("One input could not be read; nothing in this report is about it.".to_owned()),
        many => sentences.push(format!(
            "{many} inputs could not be read; nothing in this report is about them."
        )),
    }
    sentences
}

fn sentence(subject: &Subject) -> String {
    let side = side(subject.identity.side);
    let name = match &subject.identity.name {
        Name::Named(_) => format!("The {side} {}", Label::of((0, subject))),
        Name::Unnamed { .. } | Name::Nobody => format!("The {side}, which does not give its name,"),
    };
    match subject.verdict() {
        Verdict::Violates => {
            format!("{name} violates {}.", many(subject.with(Status::Violated).count(), "rule"))
        }
        Verdict::Conforms => format!(
            "{name} conforms in what was exercised: {} upheld, none violated.",
            many(subject.with(Status::Upheld).count(), "rule")
        ),
        Verdict::NothingExercised => format!("{name} exercised no rule, so nothing is said of it."),
    }
}

fn sentence_of_many(side: Party, subjects: &[&Subject]) -> String {
    let with = |verdict| subjects.iter().filter(|subject| subject.verdict() == verdict).count();
    let (violating, conforming) = (with(Verdict::Violates), with(Verdict::Conforms));
    let rest = with(Verdict::NothingExercised);
    let count = subjects.len();
    let side = self::side(side);
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
        sentence.push_str(&format!("; of {rest} nothing was exercised"));
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
        one(counts.errors, "violation", "violations"),
        one(counts.warnings, "warning", "warnings"),
        one(counts.infos, "note", "notes"),
    ]
}

impl Label {
    fn of((number, subject): (usize, &Subject)) -> Self {
        let (name, version) = match &subject.identity.name {
            Name::Named(peer) => (peer.name.clone(), peer.version.clone()),
            Name::Unnamed { folder } if folder.is_empty() => ("unnamed".to_owned(), None),
            Name::Unnamed { folder } => (format!("unnamed, in {folder}"), None),
            Name::Nobody => ("nobody can tell whose".to_owned(), None),
        };
        Self { number, side: side(subject.identity.side), name, version }
    }
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        if let Some(version) = &self.version {
            write!(f, " {version}")?;
        }
        Ok(())
    }
}

fn side(party: Party) -> &'static str {
    match party {
        Party::Agent => "agent",
        Party::Client => "client",
        Party::Either => "either",
    }
}

impl SubjectRow {
    const STATUSES: [Status; 6] = [
        Status::Violated,
        Status::NotFollowed,
        Status::Noted,
        Status::Upheld,
        Status::NotAssessable,
        Status::NotExercised,
    ];

    fn of((subject, label): (&Subject, &Label)) -> Self {
        let versions = subject.versions.iter().map(|version| match version {
            Some(version) => version.to_string(),
            None => "unknown".to_owned(),
        });
        let violated: Vec<_> = subject.with(Status::Violated).map(RuleId::rule).collect();
        let is_somebody = subject.identity.side != Party::Either;
        Self {
            label: label.clone(),
            verdict: is_somebody.then(|| subject.verdict()),
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

/// The findings by rule, the loudest first.
fn groups<'c>(
    compliance: &'c Compliance,
    judgement: &Judgement,
    labels: &[Label],
) -> Vec<Group<'c>> {
    let mut cases: BTreeMap<RuleId, Vec<(usize, Case<'c>)>> = BTreeMap::new();
    let mut places: BTreeMap<RuleId, Vec<(&str, usize, u64)>> = BTreeMap::new();
    for (number, file) in (1..).zip(&compliance.files) {
        let mut ranks: BTreeMap<RuleId, usize> = BTreeMap::new();
        for finding in &file.findings {
            let rank = ranks.entry(finding.rule).or_default();
            let by = file.encounters.get(finding.encounter as usize);
            let by = by.map_or_else(String::new, |encounter| by_whom(finding.side, encounter));
            let case = Case {
                path: &file.path,
                file: number,
                finding,
                by,
                same: Vec::new(),
                more_same: 0,
            };
            cases.entry(finding.rule).or_default().push((*rank, case));
            *rank += 1;
        }
        for row in file.encounters.iter().flat_map(|encounter| &encounter.rules) {
            let count = row.errors + row.warnings + row.infos;
            if count == 0 {
                continue;
            }
            let places = places.entry(row.rule).or_default();
            match places.last_mut() {
                Some((_, last, sum)) if *last == number => *sum += count,
                _ => places.push((&file.path, number, count)),
            }
        }
    }
    let surfaces = judgement.subjects.iter().flat_map(|subject| &subject.surfaces).flatten();
    let versions: BTreeSet<_> = surfaces.map(|surface| surface.version()).collect();
    let mut groups: Vec<_> = places
        .into_iter()
        .map(|(rule, mut places)| {
            let counts = |subject: &Subject| subject.standings[rule.0].counts;
            let mut all = Counts::default();
            judgement.subjects.iter().for_each(|subject| all += counts(subject));
            let by = judgement.subjects.iter().zip(labels).filter_map(|(subject, label)| {
                let count = sum(counts(subject));
                (count > 0).then(|| (label.clone(), count))
            });
            // Every transcript has its say before any has its second.
            let mut own = cases.remove(&rule).unwrap_or_default();
            own.sort_by_key(|(rank, case)| (*rank, case.file));
            let (cases, shown) = fold(own.into_iter().map(|(_, case)| case), places.len());
            let more_places = places.len().saturating_sub(PLACES) as u64;
            places.truncate(PLACES);
            Group {
                rule: rule.rule(),
                worst: worst(all),
                counts: all,
                level: rules::by_version(rule.rule(), rule.rule().level, |it| it.name().to_owned()),
                requirements: requirements(rule.rule(), &versions),
                by: by.collect(),
                cases,
                more: sum(all).saturating_sub(shown),
                places,
                more_places,
                is_open: false,
            }
        })
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.worst));
    let are_few = groups.len() <= OPEN;
    groups.iter_mut().for_each(|group| group.is_open = are_few);
    groups
}

/// The cases that are shown, and for how many findings they stand: of those with the same message
/// the first ones, with the places of the others.
fn fold<'c>(all: impl Iterator<Item = Case<'c>>, transcripts: usize) -> (Vec<Case<'c>>, u64) {
    let examples = if transcripts == 1 { CASES } else { EXAMPLES };
    let mut cases: Vec<Case<'c>> = Vec::new();
    let mut folded: BTreeMap<(&str, String), (usize, usize)> = BTreeMap::new();
    let mut shown = 0;
    for case in all {
        let key = (&*case.finding.message, case.by.clone());
        let (count, last) = folded.entry(key).or_insert((0, 0));
        if *count < examples {
            if cases.len() == CASES {
                continue;
            }
            (*count, *last) = (*count + 1, cases.len());
            shown += case.finding.repeats + 1;
            cases.push(case);
            continue;
        }
        let like = &mut cases[*last];
        shown += case.finding.repeats + 1;
        if like.same.len() < SAME {
            let line = case.finding.labels.first().map_or(0, |label| label.line);
            like.same.push((case.path, case.file, line));
        } else {
            like.more_same += 1;
        }
    }
    (cases, shown)
}

fn by_whom(side: Party, encounter: &Encounter) -> String {
    let peer = match side {
        Party::Agent => &encounter.agent,
        Party::Client => &encounter.client,
        Party::Either => return "nobody can tell by whom".to_owned(),
    };
    match peer {
        Some(peer) => format!("by the {} {}", self::side(side), peer.name),
        None => format!("by the {}", self::side(side)),
    }
}

/// What the rule requires in the versions that were spoken, each requirement once.
fn requirements(rule: &'static Rule, versions: &BTreeSet<Version>) -> Vec<Requirement> {
    let is_spoken = |citation: &&Citation| citation.version.is_none_or(|it| versions.contains(&it));
    let mut cites: Vec<_> = rule.cites.iter().filter(is_spoken).collect();
    if cites.is_empty() {
        cites = rule.cites.iter().collect();
    }
    let same = cites.chunk_by(|one, next| one.requires == next.requires);
    same.map(|same| Requirement {
        requires: same[0].requires,
        sources: same.iter().map(|citation| citation.source).collect(),
    })
    .collect()
}

fn sum(counts: Counts) -> u64 {
    counts.errors + counts.warnings + counts.infos
}

fn worst(counts: Counts) -> Severity {
    [Severity::Error, Severity::Warning]
        .into_iter()
        .find(|severity| counts.reach(*severity))
        .unwrap_or(Severity::Info)
}

impl Matrix {
    fn of(judgement: &Judgement, labels: &[Label]) -> Self {
        let mut matrix = Self {
            tables: Vec::new(),
            more_columns: labels.len().saturating_sub(COLUMNS),
            idle: Vec::new(),
            off: Vec::new(),
            inapplicable: 0,
        };
        let mut rules: Vec<_> = CATALOGUE.iter().copied().enumerate().collect();
        rules.sort_by_key(|(index, rule)| (first_of(rule.family()), *index));
        let mut rows = Vec::new();
        for (index, rule) in rules {
            let cells: Vec<_> =
                judgement.subjects.iter().map(|subject| cell(&subject.standings[index])).collect();
            let first = cells.iter().map(|(status, _)| *status).min();
            match first.unwrap_or(Status::NotApplicable) {
                Status::NotApplicable => matrix.inapplicable += 1,
                Status::Off => matrix.off.push(rule),
                Status::NotExercised => match matrix.idle.last_mut() {
                    Some((family, rules)) if *family == rule.family() => rules.push(rule),
                    _ => matrix.idle.push((rule.family(), vec![rule])),
                },
                first => {
                    rows.push(MatrixRow { rule, has_findings: first <= Status::Noted, cells });
                }
            }
        }
        for (index, columns) in labels[..labels.len().min(COLUMNS)].chunks(BESIDE).enumerate() {
            let mut table = MatrixTable { columns: columns.to_vec(), families: Vec::new() };
            let own = index * BESIDE..index * BESIDE + columns.len();
            for MatrixRow { rule, has_findings, cells } in &rows {
                let cells = cells[own.clone()].to_vec();
                if cells.iter().any(|(status, _)| *status < Status::NotExercised) {
                    table.add(MatrixRow { rule, has_findings: *has_findings, cells });
                }
            }
            matrix.tables.push(table);
        }
        matrix
    }

    /// How many rules had something to say.
    pub(super) fn rows(&self) -> usize {
        let families = self.tables.iter().flat_map(|table| &table.families);
        let rules: BTreeSet<_> =
            families.flat_map(|family| &family.rows).map(|row| row.rule.id).collect();
        rules.len()
    }
}

/// The status, and how often.
fn cell(standing: &Standing) -> (Status, Option<u64>) {
    let status = standing.status();
    let times = match status {
        Status::Violated => Some(standing.counts.errors),
        Status::NotFollowed => Some(standing.counts.warnings),
        Status::Noted => Some(standing.counts.infos),
        Status::Upheld => Some(standing.upheld()),
        Status::NotAssessable | Status::NotExercised | Status::Off | Status::NotApplicable => None,
    };
    (status, times)
}

impl MatrixTable {
    /// Few enough for a column that says what each rule is about.
    pub(super) fn is_narrow(&self) -> bool {
        self.columns.len() <= 3
    }

    /// Columns in all.
    pub(super) fn width(&self) -> usize {
        self.columns.len() + if self.is_narrow() { 2 } else { 1 }
    }

    fn add(&mut self, row: MatrixRow) {
        let name = row.rule.family();
        match self.families.last_mut() {
            Some(family) if family.name == name => family.rows.push(row),
            _ => self.families.push(Family { name, rows: vec![row] }),
        }
    }
}

/// The index of the first rule of a family: families are not always together in the catalogue.
fn first_of(family: &str) -> Option<usize> {
    CATALOGUE.iter().position(|rule| rule.family() == family)
}

fn lacks(judgement: &Judgement) -> Vec<LackRow> {
    let mut lacks: BTreeMap<Lack, BTreeSet<RuleId>> = BTreeMap::new();
    for subject in &judgement.subjects {
        for rule in subject.with(Status::NotAssessable) {
            for lack in &subject.standings[rule.0].missing {
                lacks.entry(*lack).or_default().insert(rule);
            }
        }
    }
    let row = |(lack, rules): (Lack, BTreeSet<RuleId>)| LackRow {
        lack,
        rules: rules.into_iter().map(RuleId::rule).collect(),
    };
    lacks.into_iter().map(row).collect()
}

impl<'c> Picture<'c> {
    fn all(file: &'c File) -> impl Iterator<Item = Self> {
        let has_connections = file.connections > 1;
        let sessions: BTreeSet<_> =
            file.plans.iter().map(|plan| (plan.connection, &*plan.session)).collect();
        let has_sessions = sessions.len() > 1;
        file.plans.iter().map(move |plan| {
            let mut title = match &plan.plan {
                Some(id) => format!("Plan `{id}`"),
                None => "The plan".to_owned(),
            };
            if has_sessions {
                title.push_str(&format!(" of session `{}`", plan.session));
            }
            if has_connections {
                title.push_str(&format!(", connection {}", plan.connection + 1));
            }
            Self {
                path: &file.path,
                title,
                plan,
                columns: column_heads(plan),
                rows: plan.rows.iter().map(|row| PictureRow::of(row, plan)).collect(),
            }
        })
    }
}

fn column_heads(plan: &super::Plan) -> Vec<ColumnHead> {
    let mut turn = None;
    let head = |column: &super::Column| {
        let here = (column.turn, column.replayed);
        let begins = turn.replace(here) != Some(here);
        let name = match here {
            (_, true) => "replay".to_owned(),
            (0, false) => "before".to_owned(),
            (number, false) => format!("turn {number}"),
        };
        let event = match (column.event, &column.kind) {
            (PlanEvent::Shown, None) => None,
            (PlanEvent::Shown, Some(kind)) => Some(kind.clone()),
            (PlanEvent::Removed, _) => Some("removed".to_owned()),
            (PlanEvent::Refused, _) => Some("unreadable".to_owned()),
            (PlanEvent::Forgotten, _) => Some("session set up again".to_owned()),
        };
        ColumnHead {
            line: column.line,
            turn: begins.then_some(name),
            event,
            repeats: column.repeats,
            skipped: column.skipped,
        }
    };
    plan.columns.iter().map(head).collect()
}

impl<'c> PictureRow<'c> {
    fn of(row: &'c super::PlanRow, plan: &super::Plan) -> Self {
        let mut before = None;
        let mut cells = Vec::with_capacity(row.cells.len());
        for (cell, column) in row.cells.iter().zip(&plan.columns) {
            let is_new = cell.as_ref() != before;
            before = cell.as_ref();
            cells.push((column.skipped > 0, cell.as_ref().map(|cell| Mark::of(cell, is_new))));
        }
        let priority = if row.priority == "medium" { "" } else { &row.priority };
        Self { content: &row.content, priority, cells }
    }
}

impl<'c> Mark<'c> {
    fn of(cell: &'c Cell, is_new: bool) -> Self {
        let (class, words) = match &*cell.status {
            "pending" => ("pending", "pending"),
            "in_progress" => ("progress", "in progress"),
            "completed" => ("completed", "completed"),
            "cancelled" => ("cancelled", "cancelled"),
            "" => ("other", "no status"),
            other => ("other", other),
        };
        Self { class, words, is_new, is_dropped: cell.dropped }
    }
}

/// What was seen of each surface.
fn coverage(compliance: &Compliance) -> Vec<Coverage> {
    let mut seen: BTreeMap<Option<Surface>, Seen> = BTreeMap::new();
    let mut edition = Edition::CURRENT;
    for file in &compliance.files {
        edition = file.edition.0;
        for encounter in &file.encounters {
            let seen = seen.entry(encounter.surface.map(|surface| surface.0)).or_default();
            encounter.methods.iter().for_each(|method| seen.method(method));
            for update in &encounter.updates {
                let kind = update.kind.clone().unwrap_or_else(|| "others".to_owned());
                *seen.updates.entry(kind).or_default() += update.count;
            }
        }
    }
    seen.into_iter().map(|(surface, seen)| seen.coverage(surface, edition)).collect()
}

/// What was seen of one surface.
#[derive(Debug, Default)]
struct Seen {
    /// By method and who makes the call, with the answers to it.
    methods: BTreeMap<(Option<String>, Party), [u64; 4]>,
    updates: BTreeMap<String, u64>,
}

impl Seen {
    fn method(&mut self, method: &Method) {
        let asker = match method.side {
            Party::Agent => Party::Client,
            Party::Client => Party::Agent,
            Party::Either => Party::Either,
        };
        let calls = [method.requests, method.notifications, 0, 0];
        let answers = [0, 0, method.results, method.errors];
        for (party, counts) in [(method.side, calls), (asker, answers)] {
            if counts == [0; 4] {
                continue;
            }
            let sums = self.methods.entry((method.method.clone(), party)).or_default();
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }

    fn coverage(self, surface: Option<Surface>, edition: Edition) -> Coverage {
        let own = surface.map(|surface| Protocol::of(surface, edition));
        let draft = surface.map(|it| Protocol::of(Surface::unstable(it.version()), edition));
        let is_called =
            |name: &str| self.methods.keys().any(|(method, _)| method.as_deref() == Some(name));
        let defined: Vec<_> = own.into_iter().flat_map(Protocol::methods).collect();
        let is_proxy = |call: &crate::protocol::schema::Method| {
            let uses = [&call.request, &call.notification];
            uses.into_iter().flatten().all(|call| call.handler == Handler::Proxy)
        };
        let defined: Vec<_> = defined.into_iter().filter(|method| !is_proxy(method)).collect();
        let methods_unseen: Vec<_> =
            defined.iter().map(|method| method.name).filter(|name| !is_called(name)).collect();
        let remark = |name: Option<&str>| match name {
            None => "not on record",
            Some(name) if own.is_none_or(|own| own.method(name).is_some()) => "",
            Some(name) if draft.is_some_and(|draft| draft.method(name).is_some()) => "draft",
            Some(name) if name.starts_with('_') || name.starts_with("$/") => "extension",
            Some(_) => "not defined",
        };
        let methods = self.methods.iter().map(|((method, party), counts)| MethodRow {
            method: method.clone().unwrap_or_else(|| "others".to_owned()),
            from: match party {
                Party::Agent => "agent",
                Party::Client => "client",
                Party::Either => "unknown",
            },
            remark: remark(method.as_deref()),
            counts: *counts,
        });

        let kinds = |protocol: Option<&'static Protocol>| {
            let definition = protocol.and_then(|protocol| protocol.definition("SessionUpdate"));
            definition.into_iter().flat_map(|it| it.tags("sessionUpdate")).collect::<Vec<_>>()
        };
        let (own_kinds, draft_kinds) = (kinds(own), kinds(draft));
        let updates_unseen: Vec<_> =
            own_kinds.iter().copied().filter(|kind| !self.updates.contains_key(*kind)).collect();
        let updates = self.updates.iter().map(|(kind, count)| {
            let remark = if own.is_none() || own_kinds.contains(&&**kind) {
                ""
            } else if draft_kinds.contains(&&**kind) {
                "draft"
            } else if kind.starts_with('_') {
                "extension"
            } else {
                "not defined"
            };
            (kind.clone(), *count, remark)
        });
        Coverage {
            surface: surface.map_or("unknown version".to_owned(), |it| it.name().to_owned()),
            methods: methods.collect(),
            methods_seen: (defined.len() - methods_unseen.len(), defined.len()),
            methods_unseen,
            updates: updates.collect(),
            updates_seen: (own_kinds.len() - updates_unseen.len(), own_kinds.len()),
            updates_unseen,
        }
    }
}

impl<'c> FileRow<'c> {
    fn of((number, file): (usize, &'c File)) -> Self {
        let mut counts = Counts::default();
        let (mut agents, mut clients, mut surfaces) = (Vec::new(), Vec::new(), Vec::new());
        for encounter in &file.encounters {
            for row in &encounter.rules {
                counts += Counts { errors: row.errors, warnings: row.warnings, infos: row.infos };
            }
            add(&mut agents, name(encounter.agent.as_ref()));
            add(&mut clients, name(encounter.client.as_ref()));
            let surface = encounter.surface.map_or("unknown", |surface| surface.0.name());
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

fn name(peer: Option<&super::Peer>) -> String {
    match peer {
        Some(super::Peer { name, version: Some(version) }) => format!("{name} {version}"),
        Some(super::Peer { name, version: None }) => name.clone(),
        None => "unnamed".to_owned(),
    }
}

/// A number of things.
pub(super) fn many(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(count as u64)) }
}

/// A sentence with a capital letter at its beginning, where a word begins it.
pub(super) fn capitalized(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).collect()
}

/// A number with its digits in groups.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A text whose passages between backticks are code.
pub(super) fn passages(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let is_paired = text.matches('`').count().is_multiple_of(2);
    let pieces: Vec<_> = if is_paired { text.split('`').collect() } else { vec![text] };
    pieces.into_iter().enumerate().map(|(index, piece)| (index % 2 == 1, piece))
}

//! Groups the findings of a report by rule, and selects those that are shown with their excerpts.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    super::text::grouped_plural,
    document::{Compliance, FindingRecord, PairingRecord, Party, RuleId},
    subject_label::SubjectLabel,
    verdict::{Judgement, Subject, counts},
};
use crate::{
    protocol::{Surface, Version},
    report::{Counts, rules},
    rule::{Citation, Rule, Severity, SourceText},
};

/// Most findings of one rule that a page shows with the text around them; the others are counted.
const CASES: usize = 12;

/// Most findings with the same message that are shown with excerpts, when there are several
/// transcripts; the others are counted.
const EXAMPLES: usize = 2;

/// How many further places are named of findings with one message.
const SAME: usize = 20;

/// Most rules with findings for which the page shows the findings at once; with more, readers have
/// to open them.
const OPEN: usize = 8;

/// Most transcripts that a page names at a rule with findings; the others are counted.
const PLACES: usize = 40;

/// The findings of one rule in all transcripts, as a page shows them.
#[derive(Debug)]
pub(super) struct RuleFindings<'c> {
    pub(super) rule: &'static Rule,
    pub(super) worst: Severity,
    pub(super) counts: Counts,
    pub(super) level: String,
    pub(super) requirements: Vec<Requirement>,
    /// The clients and agents at fault, each with the number of its findings of this rule.
    pub(super) by: Vec<(SubjectLabel, u64)>,
    pub(super) cases: Vec<ShownFinding<'c>>,
    /// The number of findings that are not shown, including those for which others stand.
    pub(super) more: u64,
    pub(super) places: Vec<(&'c str, usize, u64)>,
    pub(super) more_places: u64,
    /// Whether the page shows the rule's findings without a click.
    pub(super) is_open: bool,
}

/// A requirement that a rule checks, with the places that state it.
#[derive(Debug)]
pub(super) struct Requirement {
    pub(super) requires: &'static str,
    pub(super) sources: Vec<SourceText>,
}

/// A finding that a page shows in full, with the text around its places.
#[derive(Debug)]
pub(super) struct ShownFinding<'c> {
    pub(super) path: &'c str,
    /// The number of the finding's file in the report, from 1.
    pub(super) file: usize,
    pub(super) finding: &'c FindingRecord,
    pub(super) by: String,
    /// Places of further findings with this message: path, number of the file in the report, line.
    pub(super) same: Vec<(&'c str, usize, u64)>,
    /// The number of places with the same message that are only counted.
    pub(super) more_same: usize,
}

impl RuleFindings<'_> {
    /// The number of findings of each severity, as words such as `2 errors`.
    pub(super) fn findings(&self) -> String {
        let Counts { errors, warnings, infos } = self.counts;
        let counts = [(errors, "error"), (warnings, "warning"), (infos, "info")];
        let words = counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, noun)| {
            grouped_plural(usize::try_from(count).unwrap_or(usize::MAX), noun)
        });
        words.collect::<Vec<_>>().join(", ")
    }

    /// The explanation of the rule, why it matters, in paragraphs without line breaks.
    pub(super) fn paragraphs(&self) -> Vec<String> {
        let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.rule.explanation.trim().split("\n\n").map(folded).collect()
    }
}

impl ShownFinding<'_> {
    pub(super) fn more_places(&self) -> String {
        grouped_plural(self.more_same, "more place")
    }
}

/// The findings of the report by rule, rules with errors first. `labels` are those of the
/// judgement's subjects, in their order.
pub(super) fn rule_findings<'c>(
    compliance: &'c Compliance,
    judgement: &Judgement,
    labels: &[SubjectLabel],
) -> Vec<RuleFindings<'c>> {
    let mut cases: BTreeMap<RuleId, Vec<(usize, ShownFinding<'c>)>> = BTreeMap::new();
    let mut places: BTreeMap<RuleId, Vec<(&str, usize, u64)>> = BTreeMap::new();
    for (number, file) in (1..).zip(&compliance.files) {
        let mut ranks: BTreeMap<RuleId, usize> = BTreeMap::new();
        for finding in &file.findings {
            let rank = ranks.entry(finding.rule).or_default();
            let by = file.pairings.get(finding.pairing as usize);
            let by = by.map_or_else(String::new, |pairing| by_whom(finding.side, pairing));
            let case = ShownFinding {
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
        for row in file.pairings.iter().flat_map(|pairing| pairing.rules.iter()) {
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
    let surfaces = judgement.subjects.iter().flat_map(|subject| &subject.exercise.surfaces);
    let versions: BTreeSet<_> = surfaces.map(|surface: &Surface| surface.version()).collect();
    let mut rule_findings: Vec<_> = places
        .into_iter()
        .map(|(rule, mut places)| {
            let of = |subject: &Subject| counts(&subject.exercise.results[rule.0]);
            let mut all = Counts::default();
            judgement.subjects.iter().for_each(|subject| all += of(subject));
            let by = judgement.subjects.iter().zip(labels).filter_map(|(subject, label)| {
                let count = sum(of(subject));
                (count > 0).then(|| (label.clone(), count))
            });
            // Every transcript has its say before any has its second.
            let mut own = cases.remove(&rule).unwrap_or_default();
            own.sort_by_key(|(rank, case)| (*rank, case.file));
            let (cases, shown) = fold(own.into_iter().map(|(_, case)| case), places.len());
            let more_places = places.len().saturating_sub(PLACES) as u64;
            places.truncate(PLACES);
            RuleFindings {
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
    rule_findings.sort_by_key(|group| std::cmp::Reverse(group.worst));
    let are_few = rule_findings.len() <= OPEN;
    for group in &mut rule_findings {
        group.is_open = are_few;
    }
    rule_findings
}

/// Selects the findings to show in full, and counts the others. Of findings with the same message
/// only the first are shown.
fn fold<'c>(
    all: impl Iterator<Item = ShownFinding<'c>>,
    transcripts: usize,
) -> (Vec<ShownFinding<'c>>, u64) {
    let examples = if transcripts == 1 { CASES } else { EXAMPLES };
    let mut cases: Vec<ShownFinding<'c>> = Vec::new();
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

fn by_whom(side: Party, pairing: &PairingRecord) -> String {
    let peer = match side {
        Party::Agent => &pairing.agent,
        Party::Client => &pairing.client,
        Party::Either => return "by an unknown side".to_owned(),
    };
    match peer {
        Some(peer) => format!("by the {} {}", side.name(), peer.name),
        None => format!("by the {}", side.name()),
    }
}

/// The requirements of a rule in the versions of the protocol that were spoken, each once; in all
/// versions, when it has none for these.
pub(super) fn requirements(rule: &'static Rule, versions: &BTreeSet<Version>) -> Vec<Requirement> {
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
        .find(|severity| counts.reaches(*severity))
        .unwrap_or(Severity::Info)
}

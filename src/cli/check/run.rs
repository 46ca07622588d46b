//! What is done with the judged files of a run, in their order, and at its end.

use std::{
    collections::HashMap,
    io,
    ops::ControlFlow::{self, Break, Continue},
    path::PathBuf,
};

use super::{Pass, Reporting, fail, task::CheckedFile};
use crate::{
    check::{Exercise, Fulfilment},
    cli::{
        baseline::{BaselineMode, BaselineSummary, BaselineWriter},
        config::{Config, Stale},
        console::Console,
        exit_status::ExitStatus,
        folders::LeftOut,
        input,
        output::{Outputs, Stopped},
        reading::{NotJudged, Reading},
        shown::Shown,
    },
    diagnostic::Diagnostic,
    protocol::Side,
    report::{Counts, File, RuleCounts, Statistics, Summary, Unread},
    rules::{self, CATALOGUE},
    source::{Locator, Reread},
};

/// Takes the results of `acpcheck check` file by file in order, writes them to all reports, and
/// ends with the summary and the exit status.
pub(super) struct CheckRun<'a> {
    paths: &'a [PathBuf],
    pub(super) reporting: &'a Reporting,
    config: &'a Config,
    /// The side whose findings are reported; `None` for both sides.
    side: Option<Side>,
    baseline_mode: BaselineMode,
    /// The findings shown in earlier passes of `--watch`, so that they are not shown again; `None`
    /// without `--watch`.
    shown: Option<&'a Shown>,
    /// Whether only findings are reported that were not shown before.
    shows_new: bool,
    /// How the sides fared whose findings are reported.
    exercises: Vec<Exercise>,
    pub(super) console: Console,
    outputs: Outputs,
    pub(super) summary: Summary,
    statistics: Statistics,
    /// The names of the files that were checked, to report folders without transcripts and stale
    /// entries.
    judged: Vec<String>,
    /// The names of files without a message that need not be transcripts: they were found in a
    /// folder and have a common ending.
    pub(super) skipped: Vec<String>,
    /// The notes about recordings for standard error, each with the names of the files it is about.
    pub(super) notes: Vec<(String, Vec<String>)>,
    /// The index in `notes` of each note's text, so that files with the same note share it.
    noted: HashMap<String, usize>,
}

impl<'a> CheckRun<'a> {
    pub(super) fn begin(
        Pass { paths, reporting, side, shown, recordings }: Pass<'a>,
        config: &'a Config,
        baseline_mode: BaselineMode,
        console: Console,
        outputs: Outputs,
    ) -> Self {
        Self {
            paths,
            reporting,
            config,
            side,
            baseline_mode,
            shown,
            shows_new: recordings.is_some(),
            exercises: [Side::Agent, Side::Client]
                .into_iter()
                .filter(|it| side.or(config.general().side).is_none_or(|wanted| wanted == *it))
                .map(|side| Exercise::of(Some(side)))
                .collect(),
            console,
            outputs,
            summary: Summary::default(),
            statistics: Statistics::default(),
            judged: Vec::new(),
            skipped: Vec::new(),
            notes: Vec::new(),
            noted: HashMap::new(),
        }
    }

    /// Takes the result of the next file: writes its diagnostics, or why it could not be read, to
    /// all reports and sums up. Fails when no report can be written any more.
    pub(super) fn take(&mut self, checked: Result<CheckedFile, Unread>) -> Result<(), Stopped> {
        let CheckedFile { name, severities, reading, not_judged, mut transcript } = match checked {
            Ok(checked) => checked,
            Err(unread) => return self.unread(unread),
        };
        let Reading { outcome, mut diagnostics, failure, is_open, .. } = reading;
        if let Some(side) = self.side {
            diagnostics.retain(|diagnostic| diagnostic.bound == Some(side));
        }
        if not_judged.is_none() {
            for exercise in &mut self.exercises {
                exercise.add(&outcome, &diagnostics, &severities);
            }
        }
        let findings = self.reporting.statistics.then(|| by_rule(&diagnostics));
        let found = diagnostics.len();
        self.baseline_mode.hold_back(&mut diagnostics);
        let held_back = (found - diagnostics.len()) as u64;
        if let Some(shown) = self.shown
            && outcome.format == Some(RECORDED)
        {
            let counts = RuleCounts::of(&diagnostics).total();
            let found =
                if counts == Counts::default() { "no findings".into() } else { counts.to_string() };
            let summary = format!("{found} in {} messages", outcome.messages);
            shown.add(&name, is_open, summary, &mut diagnostics, self.shows_new);
        }
        match not_judged {
            None => {}
            Some(NotJudged::Unread(reason)) => return self.unread(Unread { path: name, reason }),
            Some(NotJudged::PassedOver) => {
                self.skipped.push(name);
                return Ok(());
            }
        }

        let rule_counts = RuleCounts::of(&diagnostics);
        let file = File {
            path: &name,
            format: outcome.format.unwrap_or_default(),
            outcome: &outcome,
            counts: rule_counts.total(),
            rule_counts: &rule_counts,
            severities: &severities,
            findings: findings.as_deref(),
        };
        self.summary.files += 1;
        self.summary.faulty += u64::from(file.counts != Counts::default());
        self.summary.messages += outcome.messages;
        self.summary.unjudged += outcome.unjudged;
        self.summary.other_side += outcome.other_side;
        self.summary.counts += file.counts;
        self.summary.with_repeats += Counts::with_repeats(&diagnostics);
        self.summary.held_back += held_back;
        if let Some(findings) = &findings {
            self.statistics.add(&outcome, findings);
        }
        let mut rereading = Rereading { of: &mut transcript, failure: None };
        self.outputs.file(&file, &diagnostics, &mut Locator::new(&mut rereading))?;
        let failure = rereading.failure.map(|error| error.to_string()).or(failure);
        let format = outcome
            .format
            .filter(|_| self.reporting.verbose && self.config.settings(&name).format.is_none());
        let read_as = format.map(|format| {
            format!(
                "read as `{format}`, by what it contains (`--input-format` names another format)"
            )
        });
        for note in read_as.iter().chain(&outcome.notes) {
            let place = *self.noted.entry(note.clone()).or_insert(self.notes.len());
            match self.notes.get_mut(place) {
                Some((_, files)) => files.push(name.clone()),
                None => self.notes.push((note.clone(), vec![name.clone()])),
            }
        }
        self.judged.push(name.clone());
        match failure {
            Some(reason) => self.unread(Unread { path: name, reason }),
            None => Ok(()),
        }
    }

    /// Reports that an input was not read, or not to its end. Fails when no report can be written
    /// any more.
    fn unread(&mut self, unread: Unread) -> Result<(), Stopped> {
        self.outputs.flush()?;
        self.console.unread(&unread.path, &unread.reason);
        self.outputs.unread(&unread)?;
        self.summary.unread.push(unread);
        Ok(())
    }

    /// Reports the folders in which no transcript was found. Fails when no report can be written
    /// any more.
    fn report_empty_folders(&mut self) -> Result<(), Stopped> {
        let judged = self.judged.iter().map(|name| &**name);
        let unread = self.summary.unread.len();
        let folders = input::empty_folders(self.paths, &judged, &self.skipped, unread);
        folders.into_iter().try_for_each(|folder| self.unread(folder))
    }

    /// How this side fared.
    pub(super) fn exercise(&self, side: Side) -> Exercise {
        let own = self.exercises.iter().find(|exercise| exercise.side == Some(side));
        own.cloned().unwrap_or_else(|| Exercise::of(Some(side)))
    }

    /// Ends the run: writes the ends of the reports, notes and summary, and returns the exit
    /// status. `written` is the error when no report could be written; `stories` is a note on
    /// sessions across files.
    pub(super) fn end(
        mut self,
        written: Result<(), Stopped>,
        left_out: &LeftOut,
        stories: Option<&str>,
    ) -> ControlFlow<ExitStatus, ExitStatus> {
        let Reporting { quiet, statistics, .. } = *self.reporting;
        let is_recording = matches!(self.baseline_mode, BaselineMode::Record(_));
        // A folder that is watched may be filled later.
        let is_watching = self.shown.is_some();
        let written = match written {
            Ok(()) if !is_watching => self.report_empty_folders(),
            written => written,
        };
        let judged = self.exercises.iter().filter(|exercise| !exercise.is_blank());
        let judged = judged.filter_map(|it| Some((it.side?, Fulfilment::of(it))));
        self.summary.requirements = judged.collect();
        // Below the tables of `drive` and `play` they stand anyway.
        if self.side.is_none() {
            self.statistics.requirements = self.summary.requirement_lines().collect();
        }
        let statistics = statistics.then_some(&self.statistics);
        let is_waiting = is_watching && self.judged.is_empty();
        let ends_quietly = quiet || is_recording || self.shows_new || is_waiting;
        let written =
            written.and_then(|()| self.outputs.end(&self.summary, statistics, ends_quietly));
        if self.outputs.have_failed() {
            return Continue(ExitStatus::Failed);
        }
        let found = self.found();
        if written == Err(Stopped) {
            return Break(found);
        }
        if !quiet && !self.shows_new {
            self.note_recordings();
            self.note_skipped();
            if let Some(note) = stories {
                self.console.note(note);
            }
            self.config.unmatched().iter().for_each(|unmatched| self.console.note(unmatched));
            for name in self.outputs.written() {
                self.console.note(&format!("wrote `{name}`"));
            }
            if let Some(note) = left_out.note() {
                self.console.note(&note);
            }
        }
        if found == ExitStatus::Unreadable {
            if is_recording {
                self.console.error(
                    "the baseline is not written: findings of these inputs would be missing",
                );
            }
            return Continue(found);
        }
        let is_stale = match &self.baseline_mode {
            BaselineMode::None => false,
            BaselineMode::HoldBack(baseline) => self.report_baseline(&baseline.summary()),
            BaselineMode::Record(recorder) => return Continue(self.write_baseline(recorder)),
        };
        Continue(if is_stale { ExitStatus::Findings } else { found })
    }

    /// The exit status by the findings and the inputs that could not be read.
    fn found(&self) -> ExitStatus {
        let mut threshold = self.config.threshold();
        // What an agent has written to the program that plays its client must be judged.
        threshold.unjudged |= self.side.is_some() && threshold.severity.is_some();
        if !self.summary.unread.is_empty() {
            ExitStatus::Unreadable
        } else if threshold.is_reached(self.summary.counts, self.summary.unjudged) {
            ExitStatus::Findings
        } else {
            ExitStatus::Clean
        }
    }

    fn write_baseline(&self, recorder: &BaselineWriter) -> ExitStatus {
        match recorder.write() {
            Ok(told) => {
                if !self.reporting.quiet {
                    self.console.note(&told);
                }
                ExitStatus::Clean
            }
            Err(error) => fail(&error, &self.console),
        }
    }

    /// Prints how the findings matched the baseline. Returns whether stale entries make the run
    /// fail.
    fn report_baseline(&self, summary: &BaselineSummary) -> bool {
        let action =
            self.reporting.stale_baseline.or(self.config.stale_baseline()).unwrap_or_default();
        for stale in &summary.stale {
            match action {
                Stale::Error => self.console.error(stale),
                Stale::Warn if !self.reporting.quiet => self.console.note(stale),
                Stale::Warn | Stale::Ignore => {}
            }
        }
        if !self.reporting.quiet {
            for exceeded in &summary.exceeded {
                self.console.note(exceeded);
            }
            if summary.unexplained > 0 {
                let BaselineSummary { name, unexplained, .. } = summary;
                let entries = if *unexplained == 1 { "entry has" } else { "entries have" };
                self.console.note(&format!("`{name}`: {unexplained} {entries} no reason yet"));
            }
        }
        action == Stale::Error && !summary.stale.is_empty()
    }
}

/// A transcript that reports read again at the places of diagnostics. Where reading fails, the
/// transcript ends for the reports, and the error is kept.
struct Rereading<'t> {
    of: &'t mut dyn Reread,
    failure: Option<io::Error>,
}

impl Reread for Rereading<'_> {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.of.read_at(at, buffer).or_else(|error| {
            self.failure = Some(error);
            Ok(0)
        })
    }
}

/// The number of diagnostics of each rule, by index in the catalogue.
fn by_rule(diagnostics: &[Diagnostic]) -> Vec<u64> {
    let mut counts = vec![0; CATALOGUE.len()];
    for (index, _) in diagnostics.iter().filter_map(|diagnostic| rules::find(diagnostic.rule.id)) {
        counts[index] += 1;
    }
    counts
}

/// The name of the format that `acpcheck record` writes.
const RECORDED: &str = "acpcheck-record";

//! What is done with the judged files of a run, in their order, and at its end.

use std::{
    collections::HashMap,
    mem,
    ops::ControlFlow::{self, Break, Continue},
    path::PathBuf,
};

use super::{
    Pass, Reporting, fail,
    task::{CheckTask, CheckedFile},
};
use crate::{
    check::Exercise,
    cli::{
        baseline::{BaselineMode, BaselineSummary, BaselineWriter},
        config::{Config, Stale},
        console::Console,
        exit_status::ExitStatus,
        folders::LeftOut,
        input,
        output::{Outputs, Stopped},
        reading::NotJudged,
    },
    report::{Counts, Statistics, Summary, Unread},
};

/// Writes the checked files of a run in their order, and its summary at the end.
pub(super) struct CheckRun<'a> {
    paths: &'a [PathBuf],
    pub(super) reporting: &'a Reporting,
    /// How the side fared whose findings are reported; `None` where those of both are.
    pub(super) exercise: Option<Exercise>,
    pub(super) console: Console,
    outputs: Outputs,
    summary: Summary,
    statistics: Statistics,
    /// The names of the files that were judged.
    judged: Vec<String>,
    /// Files that held no message and were not meant to.
    pub(super) skipped: Vec<String>,
    /// What is to be said about recordings, each with the files that it is about.
    pub(super) notes: Vec<(String, Vec<String>)>,
    /// Where a note stands among them.
    noted: HashMap<String, usize>,
}

impl<'a> CheckRun<'a> {
    pub(super) fn begin(
        Pass { paths, reporting, side, .. }: Pass<'a>,
        console: Console,
        outputs: Outputs,
    ) -> Self {
        Self {
            paths,
            reporting,
            exercise: side.map(Exercise::of),
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

    /// Writes a file's diagnostics, or says that it is not there.
    pub(super) fn take(&mut self, judged: Result<CheckedFile, Unread>) -> Result<(), Stopped> {
        let mut judged = match judged {
            Ok(judged) => judged,
            Err(unread) => return self.unread(unread),
        };
        match judged.not_judged.take() {
            None => {}
            Some(NotJudged::Unread(reason)) => {
                return self.unread(Unread { path: judged.name, reason });
            }
            Some(NotJudged::PassedOver) => {
                self.skipped.push(judged.name);
                return Ok(());
            }
        }
        let rendered = mem::take(&mut judged.rendered);
        let file = judged.file();
        self.summary.files += 1;
        self.summary.faulty += u64::from(file.counts != Counts::default());
        self.summary.messages += judged.outcome.messages;
        self.summary.unjudged += judged.outcome.unjudged;
        self.summary.other_side += judged.outcome.other_side;
        self.summary.counts += file.counts;
        self.summary.held_back += judged.held_back;
        if self.reporting.statistics {
            self.statistics.add(&judged.outcome, &judged.findings);
        }
        if let Some(exercise) = &mut self.exercise {
            exercise.add(&judged.outcome, &judged.severities);
        }
        self.outputs.file(&file, rendered)?;
        let CheckedFile { name, outcome, failure, .. } = judged;
        for note in &outcome.notes {
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

    /// Says that an input is not judged, or not to its end.
    fn unread(&mut self, unread: Unread) -> Result<(), Stopped> {
        self.outputs.flush()?;
        self.console.unread(&unread.path, &unread.reason);
        self.outputs.unread(&unread)?;
        self.summary.unread.push(unread);
        Ok(())
    }

    /// Says which folders have no transcript.
    fn report_empty_folders(&mut self) -> Result<(), Stopped> {
        let judged = self.judged.iter().map(|name| &**name);
        let unread = self.summary.unread.len();
        let folders = input::empty_folders(self.paths, &judged, &self.skipped, unread);
        folders.into_iter().try_for_each(|folder| self.unread(folder))
    }

    /// `written`: whether everything before could be written somewhere.
    pub(super) fn end(
        mut self,
        written: Result<(), Stopped>,
        task: &CheckTask,
        left_out: &LeftOut,
    ) -> ControlFlow<ExitStatus, ExitStatus> {
        let Reporting { quiet, statistics, .. } = *self.reporting;
        let is_recording = matches!(task.baseline_mode, BaselineMode::Record(_));
        // A folder that is watched may be filled later.
        let is_watching = task.shown.is_some();
        let written = match written {
            Ok(()) if !is_watching => self.report_empty_folders(),
            written => written,
        };
        let statistics = statistics.then_some(&self.statistics);
        let is_waiting = is_watching && self.judged.is_empty();
        let ends_quietly = quiet || is_recording || task.shows_new || is_waiting;
        let written =
            written.and_then(|()| self.outputs.end(&self.summary, statistics, ends_quietly));
        if self.outputs.have_failed() {
            return Continue(ExitStatus::Failed);
        }
        let found = self.found(task);
        if written == Err(Stopped) {
            return Break(found);
        }
        if !quiet && !task.shows_new {
            self.note_recordings();
            self.note_skipped();
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
        let is_stale = match &task.baseline_mode {
            BaselineMode::None => false,
            BaselineMode::HoldBack(baseline) => {
                self.report_baseline(&baseline.summary(), &task.config)
            }
            BaselineMode::Record(recorder) => return Continue(self.write_baseline(recorder)),
        };
        Continue(if is_stale { ExitStatus::Findings } else { found })
    }

    /// The exit status that the inputs so far lead to.
    fn found(&self, task: &CheckTask) -> ExitStatus {
        let mut threshold = task.config.threshold();
        // What an agent has written to the program that plays its client must be judged.
        threshold.unjudged |= task.side.is_some() && threshold.severity.is_some();
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

    /// Prints how the baseline matched. Returns whether that makes the run fail.
    fn report_baseline(&self, summary: &BaselineSummary, config: &Config) -> bool {
        let action = self.reporting.stale_baseline.or(config.stale_baseline()).unwrap_or_default();
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

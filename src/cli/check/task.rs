//! How each input is judged, and rendered for each output.

use std::{io, sync::Arc};

use crate::{
    check::{self, Check, Severities},
    cli::{
        baseline::{BaselineMode, Turn},
        config::Config,
        input::{self, Input},
        reading::{NotJudged, Reading},
        rendered::{Rendered, Rendering},
        shown::Shown,
        workload::Workload,
    },
    diagnostic::Diagnostic,
    protocol::Side,
    report::{Counts, File, Options, OutputFormat, RuleCounts, Unread},
    rules::{self, CATALOGUE},
    source::Locator,
};

/// How each file is judged and rendered.
#[derive(Debug)]
pub(super) struct CheckTask {
    pub(super) config: Config,
    /// The side whose findings are reported; `None` for both.
    pub(super) side: Option<Side>,
    pub(super) baseline_mode: BaselineMode,
    /// What is written.
    pub(super) outputs: Vec<(&'static OutputFormat, Options)>,
    /// Whether findings are counted by rule.
    pub(super) counts_findings: bool,
    /// What has been shown of recordings, for `--watch`.
    pub(super) shown: Option<Arc<Shown>>,
    /// Whether only what has not been shown is reported.
    pub(super) shows_new: bool,
}

/// A file that has been judged, and rendered if there was something in it.
pub(super) struct CheckedFile {
    pub(super) name: String,
    pub(super) severities: Severities,
    pub(super) outcome: check::Outcome,
    /// Why it could not be read to its end, as a sentence without a full stop.
    pub(super) failure: Option<String>,
    pub(super) not_judged: Option<NotJudged>,
    pub(super) rule_counts: RuleCounts,
    /// How many findings are held back.
    pub(super) held_back: u64,
    /// How often each rule was reported, by index in the catalogue; empty unless they are counted.
    pub(super) findings: Vec<u64>,
    /// One for each output.
    pub(super) rendered: Vec<Rendered>,
}

impl CheckedFile {
    pub(super) fn file(&self) -> File<'_> {
        File {
            path: &self.name,
            format: self.outcome.format.unwrap_or_default(),
            outcome: &self.outcome,
            counts: self.rule_counts.total(),
            rule_counts: &self.rule_counts,
            severities: &self.severities,
            findings: (!self.findings.is_empty()).then_some(&*self.findings),
        }
    }
}

/// From this size on, in bytes, a file that is checked alone is read on one thread and checked on another.
const LARGE: u64 = 4 << 20;

impl CheckTask {
    /// Judges the input with this number, from 0, and renders what was found. To be called once for
    /// each input: a baseline holds back findings in the order of the inputs.
    pub(super) fn judge(
        &self,
        workload: &Workload,
        number: usize,
        input: &Result<Input, Unread>,
    ) -> Result<CheckedFile, Unread> {
        let turn = self.baseline_mode.turn(number);
        let input = input.as_ref().map_err(Unread::clone)?;
        let name = input.name();
        let unread = |error| input::unread(name.clone(), &error);
        let mut transcript = input.open(workload.unpacking).map_err(unread)?;
        let settings = self.config.settings(&name);
        let mut check = Check::new(&settings);
        if workload.is_alone() && input.size() > LARGE {
            check = check.on_another_thread();
        }
        let reading = workload.judge(&mut transcript, check, || Ok(()));
        let reading = reading.map_err(unread)?;
        let not_judged = reading.not_judged(input.certainty());
        let Reading { outcome, mut diagnostics, failure, is_open } = reading;

        if let Some(side) = self.side {
            diagnostics.retain(|diagnostic| diagnostic.bound == Some(side));
        }
        let findings = if self.counts_findings { by_rule(&diagnostics) } else { Vec::new() };
        let found = diagnostics.len();
        self.hold_back(turn, &mut diagnostics);
        let held_back = (found - diagnostics.len()) as u64;
        if let Some(shown) = &self.shown
            && outcome.format == Some(RECORDED)
        {
            let counts = RuleCounts::of(&diagnostics).total();
            let found =
                if counts == Counts::default() { "no findings".into() } else { counts.to_string() };
            let summary = format!("{found} in {} messages", outcome.messages);
            shown.add(&name, is_open, summary, &mut diagnostics, self.shows_new);
        }
        let mut judged = CheckedFile {
            name: name.clone(),
            severities: settings.severities,
            outcome,
            failure,
            not_judged,
            rule_counts: RuleCounts::of(&diagnostics),
            held_back,
            findings,
            rendered: Vec::new(),
        };
        if judged.not_judged.is_none() {
            let mut locator = Locator::new(&mut transcript);
            let rendered = self.render(&judged.file(), &diagnostics, &mut locator);
            judged.rendered = rendered.map_err(unread)?;
        }
        Ok(judged)
    }

    /// Takes away the diagnostics that are not to be reported.
    fn hold_back(&self, turn: Option<Turn<'_>>, diagnostics: &mut Vec<Diagnostic>) {
        match &self.baseline_mode {
            BaselineMode::None => {}
            BaselineMode::HoldBack(_) => {
                if let Some(turn) = turn {
                    turn.wait();
                    diagnostics.retain(|diagnostic| !turn.holds_back(diagnostic));
                }
            }
            BaselineMode::Record(recorder) => {
                diagnostics.drain(..).for_each(|diagnostic| recorder.add(&diagnostic));
            }
        }
    }

    /// Renders a file for each output.
    fn render(
        &self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
    ) -> io::Result<Vec<Rendered>> {
        let render = |(format, options): &(&OutputFormat, Options)| {
            let mut rendering = Rendering::of_one_in(self.outputs.len());
            format.render(file, diagnostics, *options, locator, &mut rendering)?;
            rendering.finish()
        };
        self.outputs.iter().map(render).collect()
    }
}

/// How many of the diagnostics there are of each rule, by index in the catalogue.
fn by_rule(diagnostics: &[Diagnostic]) -> Vec<u64> {
    let mut counts = vec![0; CATALOGUE.len()];
    for (index, _) in diagnostics.iter().filter_map(|diagnostic| rules::find(diagnostic.rule.id)) {
        counts[index] += 1;
    }
    counts
}

/// The format of `acpcheck record`.
const RECORDED: &str = "acpcheck-record";

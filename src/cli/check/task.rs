//! How each input is judged.

use crate::{
    check::{Check, Severities},
    cli::{
        config::Config,
        input::{self, Input, Transcript},
        reading::{self, NotJudged, Reading},
        stories::Stories,
        workload::Workload,
    },
    report::Unread,
};

/// A transcript that has been read and checked, to be written to the reports.
#[derive(Debug)]
pub(super) struct CheckedFile {
    pub(super) name: String,
    pub(super) severities: Severities,
    pub(super) reading: Reading,
    pub(super) not_judged: Option<NotJudged>,
    /// The transcript, to be read again at the places of the diagnostics.
    pub(super) transcript: Transcript,
}

/// Least size in bytes of a file, when it is checked alone, that is read on one thread and judged
/// on another.
const LARGE: u64 = 4 << 20;

/// Reads and checks one input, with the settings that the configuration has for its path. Fails
/// when the input cannot be read. Runs on several threads at a time.
pub(super) fn judge(
    config: &Config,
    workload: &Workload,
    stories: &Stories,
    input: &Result<Input, Unread>,
) -> Result<CheckedFile, Unread> {
    let input = input.as_ref().map_err(Unread::clone)?;
    let name = input.name();
    let unread = |error| input::unread(name.clone(), &error);
    let mut transcript = input.open(workload.unpacking).map_err(unread)?;
    let mut settings = config.settings(&name);
    stories.place(&mut settings, &name);
    let mut check = Check::new(&settings);
    if !workload.is_alone() {
        check = check.with_conduct();
    } else if input.size() > LARGE {
        check = check.on_another_thread();
    }
    let mut reading =
        reading::judge(&mut transcript, check, &workload.progress, || Ok(())).map_err(unread)?;
    stories.locate(&mut reading.diagnostics);
    let not_judged = reading.not_judged(input.certainty());
    Ok(CheckedFile { name, severities: settings.severities, reading, not_judged, transcript })
}

//! All transcript formats, one in each file, but for those that differ only in names of members: they
//! are rows of `wrappers.rs`. To add one:
//!
//! 1. Write its file, with `FORMAT`, and name it here as a module; or its row.
//! 2. Add it to [`FORMATS`], before any format that would also take its files.
//! 3. Add a fixture: `fixtures/formats/<name>/`.
//! 4. Add a writer to `tests/formats/writers.rs`.
//!
//! The tests rewrite the table in `src/transcript/README.md` and the names in `schema/acpcheck.schema.json`.

use crate::transcript::format::Format;

mod acp_devtools;
mod acp_el;
mod acp_el_log;
mod acp_el_summary;
mod acp_inspector_trace;
mod acp_kit;
mod acp_tck;
mod acpcheck_record;
mod acpx_export;
mod acpx_journal;
mod arrows;
mod autodev;
mod avante;
mod bare;
mod codecompanion;
mod conductor_debug;
mod conductor_trace;
mod crucible;
mod envelope;
mod gptme;
mod honeclaw;
mod hydra;
mod inline_direction;
mod jetbrains;
mod kandev_raw;
mod openmausbot;
mod prefixed;
mod sacp_tee;
mod sdk_calls;
mod sdk_updates;
mod sqlite;
mod stdio_lines;
mod toad;
mod vibe_kanban;
mod vscode_acp;
mod wrappers;
mod zed;

/// All transcript formats, in the order in which they are tried. Of equally likely ones, the first
/// is chosen.
pub static FORMATS: &[&Format] = &[
    &acpcheck_record::FORMAT,
    &sqlite::FORMAT,
    &acpx_journal::FORMAT,
    &acp_el_log::FORMAT,
    &vscode_acp::FORMAT,
    &codecompanion::FORMAT,
    &inline_direction::FORMAT,
    &bare::FORMAT,
    &wrappers::ACPX_WATCH,
    &wrappers::ACPX_FLOW,
    &acpx_export::FORMAT,
    &conductor_trace::FORMAT,
    &conductor_debug::FORMAT,
    &sacp_tee::FORMAT,
    &wrappers::ACP_INSPECTOR,
    &acp_inspector_trace::FORMAT,
    &wrappers::TRACE_FRAMES,
    &acp_devtools::FORMAT,
    &wrappers::KANDEV,
    &kandev_raw::FORMAT,
    &wrappers::OPENHANDS,
    &wrappers::ACP_DEBUG,
    &wrappers::VIBE,
    &crucible::FORMAT,
    &openmausbot::FORMAT,
    &wrappers::A2ACP,
    &wrappers::DIR_FRAMES,
    &honeclaw::FORMAT,
    &stdio_lines::FORMAT,
    &zed::FORMAT,
    &acp_el::FORMAT,
    &acp_el_summary::FORMAT,
    &toad::FORMAT,
    &avante::FORMAT,
    &gptme::FORMAT,
    &sdk_calls::FORMAT,
    &sdk_updates::FORMAT,
    &hydra::FORMAT,
    &hydra::BUNDLE,
    &autodev::FORMAT,
    &vibe_kanban::FORMAT,
    &jetbrains::FORMAT,
    &acp_kit::EVENTS,
    &acp_kit::FORMAT,
    &acp_tck::FORMAT,
    &arrows::FORMAT,
    &envelope::FORMAT,
    &prefixed::FORMAT,
];

/// Format of files with bare messages that match no other format.
pub static PLAIN: &Format = &bare::FORMAT;

/// The format of general logs, which is taken for text that fits no other format.
pub(super) static LOG: &Format = &prefixed::FORMAT;

/// The format with this name; `None` where there is none.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

impl Format {
    /// Of the connections named in a recording (`lanes`), the one whose messages another one
    /// repeats, if these are all; `None` for most formats.
    pub fn repeated_lane(&self, lanes: &[&str]) -> Option<&'static str> {
        let is_repeated = self.is(&conductor_debug::FORMAT)
            && lanes.len() == 2
            && lanes.contains(&conductor_debug::CLIENT_LANE);
        is_repeated.then_some(conductor_debug::CLIENT_LANE)
    }

    /// Whether the recorder gives the first messages of a connection another connection name than
    /// the later ones.
    pub fn scatters(&self, lanes: &[&str]) -> bool {
        self.is(&conductor_trace::FORMAT) && lanes.len() > 1
    }
}

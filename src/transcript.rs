//! From the bytes of a file to the messages in it, whatever wrote them.
//!
//! A [`Format`] is one value in one file of `formats/`: who writes it, how to get a file of it, how
//! to recognise one, and how to read it into [`Record`]s. [`FORMATS`] lists them in the order in
//! which they are tried.
//!
//! A [`Reader`] takes bytes and hands on [`Passage`]s. This module judges nothing: what a recorder
//! does to the messages is stated in [`limits`], and which rules that silences is decided by
//! [`check`](mod@crate::check).
//!
//! ```text
//! bytes ─▶ reader ─▶ line_reader ────▶ unwrapper ─▶ Passage
//!          lines,    JSON texts,       Record: sender,
//!          detect    messages over     time, copies
//!                    lines (or document_reader)
//! ```

pub mod apparent;
mod batch;
mod choose;
mod copies;
mod decoded;
mod detect;
mod document_reader;
mod doubled;
mod driven;
mod file_traits;
mod flaw;
mod foreign;
mod format;
mod formats;
mod joiner;
pub mod labels;
mod lanes;
pub mod limits;
mod line_reader;
mod message_labels;
mod mixed;
mod multiline;
mod one_sided;
mod passage;
mod pieces;
mod reader;
mod rebuilt;
mod record;
mod recording;
pub mod redaction;
mod syntax;
mod text;
mod time;
mod unread_form;
mod unwrapper;
mod wire_lines;
mod wrapper;

pub(crate) use batch::Batch;
pub use decoded::Decoded;
pub use driven::{Driven, MADE_UP_SESSION, MADE_UP_VALUE, ScenarioState};
pub use flaw::{Flaw, FlawKind};
pub use format::{Beginning, Extent, Fidelity, Format, Likelihood, Read};
use formats::LOG;
pub use formats::{FORMATS, PLAIN, find};
pub use passage::{Passage, RecordedMessage};
pub use reader::{Reader, Remarks};
pub use rebuilt::Rebuilt;
pub use record::{Body, Record, SenderLabel};
pub use recording::RecordingTraits;
pub use time::since_1970;
pub(crate) use wrapper::looks_like_message;

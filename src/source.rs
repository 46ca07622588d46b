//! Where something stands in a transcript, and how it is shown there.
//!
//! - `span`: [`Span`], a range of bytes, and [`Origin`], by which a place in a message's text becomes one.
//! - `locate`: reads a transcript again to find the lines and columns of spans.
//! - `printable`: makes texts safe to show, wherever they come from.
//! - `excerpt`: reads the text around spans, made safe and short enough to show.

mod excerpt;
mod locate;
mod printable;
mod span;

pub use excerpt::{Excerpts, Pieces, Reach};
pub use locate::{Locator, Position, Reread};
pub(crate) use printable::COLON_WORDS;
pub use printable::{completes_command, is_plain, printable};
pub(crate) use span::OwnedOrigin;
pub(crate) use span::narrow;
pub use span::{Layout, Origin, Span};

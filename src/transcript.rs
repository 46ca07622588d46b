//! From the bytes of a file to the messages in it, whatever wrote them.
//!
//! A [`Format`] is one value in one file, like a rule: how to recognise it, and how to read a line
//! of it. [`FORMATS`] lists them in the order in which they are tried.

use crate::{
    json::{Node, Text},
    protocol::Side,
};

pub mod apparent;
mod bare;
pub mod direction;
mod envelope;
pub mod unescape;

pub(crate) use bare::looks_like_message;

/// A way to write ACP traffic into a file.
#[derive(Debug)]
pub struct Format {
    /// As users write it.
    pub name: &'static str,
    /// Who writes it, in one line.
    pub about: &'static str,
    /// How likely the lines of a file's beginning are of this format.
    pub detect: fn(&[Node<'_>]) -> Likelihood,
    /// Reads one line that is a JSON text.
    pub read: for<'t> fn(Node<'t>) -> Record<'t>,
}

/// How sure a format is that it recognises the beginning of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likelihood {
    No,
    Possible,
    Sure,
}

/// Every format, in the order in which they are tried; the first of the likeliest wins.
pub static FORMATS: &[&Format] = &[&bare::FORMAT, &envelope::FORMAT];

/// What a line of a recording holds.
#[derive(Clone, Copy, Debug)]
pub struct Record<'t> {
    pub body: Body<'t>,
    /// Who sent it, by the words of the format; calibrated by methods later.
    pub from: Option<Side>,
    /// Seconds on the recorder's clock.
    pub at: Option<f64>,
}

/// The message of a record.
#[derive(Clone, Copy, Debug)]
pub enum Body<'t> {
    /// A JSON value that is part of the line.
    Message(Node<'t>),
    /// A string of the line that holds the text of the message.
    Escaped(Text<'t>),
    /// No message: a header, a note.
    Nothing,
}

//! What pages call an implementation: its number, side, name and version.
//!
//! A [`Subject`] goes in, a [`SubjectLabel`] comes out. Findings that belong to no one side have a
//! label too.

use std::fmt;

use super::verdict::{Subject, SubjectName};

/// The name of a client or agent as the pages of the report show it: side, name, version and
/// number.
#[derive(Clone, Debug)]
pub(super) struct SubjectLabel {
    /// The number of the subject in the report's list of subjects, from 1.
    pub(super) number: usize,
    /// `agent`, `client`, or `either` for findings that belong to no one side.
    pub(super) side: &'static str,
    pub(super) name: String,
    pub(super) version: Option<String>,
}

impl SubjectLabel {
    /// The name of a client or agent, which has this number on the page.
    pub(super) fn of((number, subject): (usize, &Subject)) -> Self {
        let (name, version) = match &subject.identity.name {
            SubjectName::Named(peer) => (peer.name.clone(), peer.version.clone()),
            SubjectName::Unnamed { folder } if folder.is_empty() => ("unnamed".to_owned(), None),
            SubjectName::Unnamed { folder } => (format!("unnamed, in {folder}"), None),
            SubjectName::Nobody => ("side unknown".to_owned(), None),
        };
        Self { number, side: subject.identity.side.name(), name, version }
    }
}

impl fmt::Display for SubjectLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(version) = &self.version {
            write!(f, " {version}")?;
        }
        Ok(())
    }
}

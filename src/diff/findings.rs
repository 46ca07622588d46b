//! Which rules a side breaks.

use super::fact::{Area, Effect, Fact, FactKind, Occasion, Weight};
use crate::{diagnostic::Diagnostic, report::fingerprint::Fingerprint, rule::Severity};

const KIND: FactKind = FactKind {
    word: "",
    title: "finding",
    area: Area::Findings,
    gone: Effect::Harmless,
    ..FactKind::DEFAULT
};

pub(super) static ERROR: FactKind =
    FactKind { word: "error", new: Effect::Breaking, weight: Weight::Situational, ..KIND };
pub(super) static WARNING: FactKind = FactKind { word: "warning", ..KIND };

/// The fact that stands for a finding in comparisons; `None` for infos. `message` is the kind of
/// message that the finding is about.
pub(super) fn fact(diagnostic: &Diagnostic, message: Box<str>) -> Option<Fact> {
    let kind = match diagnostic.severity {
        Severity::Error => &ERROR,
        Severity::Warning => &WARNING,
        Severity::Info | Severity::Off => return None,
    };
    let Fingerprint { rule, method, shape, .. } = Fingerprint::of(diagnostic);
    let name = format!("{rule} {}", method.as_deref().unwrap_or_default());
    Some(Fact {
        kind,
        name: name.trim_end().into(),
        item: format!("{message} {}", shape.unwrap_or_default()).into(),
        occasion: Occasion::Rule(rule, message),
    })
}

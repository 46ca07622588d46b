//! Judges the parts of a message by the schema: what their definitions refuse, and what they take
//! though they do not define it.

use std::mem;

use crate::{
    check::{checker::Checker, schemas::Definitions, verdicts::Scope},
    json::Node,
    map::Map,
    model::SchemaEvent,
    protocol::{
        Edition, Surface, Version,
        schema::{Accepts, ERRORS, FaultKind, Observation, Protocol, SchemaFault},
    },
    rule::Verdict,
    source::Span,
};

/// Most schema faults of one kind in one part of a message that are judged; a part may have a
/// million. The message then counts as judged in part.
const PLACES: usize = Verdict::MOST;

impl Checker {
    /// Judges a part of a message, such as `params`, by its definition in the schema. `value` is
    /// the part; `None` when the message lacks it.
    pub(super) fn check_part<'t>(
        &mut self,
        scope: Scope<'_>,
        definitions: Definitions,
        value: Option<Node<'t>>,
        part: &SchemaEvent<'t, ()>,
    ) {
        match value {
            Some(value) => self.check_value(scope, definitions, value, part),
            // Absent params count as empty ones: what is missing then is the params themselves.
            None if definitions.own.required().next().is_some() => {
                let fault = SchemaFault::missing(
                    part.message.node,
                    part.part.member(),
                    definitions.own.name(),
                );
                self.rejected(scope, part, fault);
            }
            None => {}
        }
    }

    /// Judges a value by its definition with the full validator, and gives all faults to the schema
    /// rules.
    fn check_value<'t>(
        &mut self,
        scope: Scope<'_>,
        definitions: Definitions,
        value: Node<'t>,
        part: &SchemaEvent<'t, ()>,
    ) {
        let (mut observations, mut drafts) = (Vec::new(), false);
        let mut of_kinds: Map<mem::Discriminant<Observation<'_>>, usize> = Map::default();
        let is_pinned = self.settings.surface.is_some();
        let accepts = definitions.draft.walk(value, &mut |observation: Observation<'t>| {
            drafts |= observation.is_draft_construct();
            // The stable schema would take anything there.
            drafts |= !is_pinned && observation.is_draft_member();
            // A flood of one kind leaves room for the others.
            let of_kind = of_kinds.entry(mem::discriminant(&observation)).or_insert(0);
            *of_kind += 1;
            if *of_kind <= PLACES {
                observations.push(observation);
            }
        });
        if of_kinds.values().any(|count| *count >= PLACES) {
            self.verdicts.truncate();
        }
        if accepts == Accepts::Surely && observations.is_empty() {
            return;
        }
        for observation in observations {
            self.observed(scope, part, &observation);
        }
        if accepts == Accepts::Surely || self.verdicts.allowance.is_over() {
            return;
        }
        let definition = if drafts { definitions.draft } else { definitions.own };
        let most = u32::try_from(self.verdicts.allowance.left()).unwrap_or(u32::MAX).min(ERRORS);
        let (mut faults, may_be_more) = definition.first_faults(value, most);
        if may_be_more || faults.len() > PLACES {
            self.verdicts.truncate();
            faults.truncate(PLACES);
        }
        if self.settings.edition.is_none() && !definition.is_settled_for(value) {
            mark_recent(&mut faults, scope.version, definition.name(), value, most);
        }
        for fault in faults {
            self.rejected(scope, part, fault);
        }
    }

    pub(super) fn observed<'t>(
        &mut self,
        scope: Scope<'_>,
        part: &SchemaEvent<'t, ()>,
        observation: &Observation<'t>,
    ) {
        let observed = part.with(*observation);
        for listener in self.dispatch[scope.version as usize].observed.chunks(1) {
            if self.verdicts.explains(observation.node()) {
                return;
            }
            self.verdicts.run(listener, scope, |check, connection| check(&observed, connection));
        }
    }

    fn rejected<'t>(
        &mut self,
        scope: Scope<'_>,
        part: &SchemaEvent<'t, ()>,
        fault: SchemaFault<'t>,
    ) {
        let rejected = part.with(fault);
        for listener in self.dispatch[scope.version as usize].rejected.chunks(1) {
            let fault = &rejected.what;
            let is_explained = match &fault.kind {
                FaultKind::Missing { name } => self.verdicts.explains_missing(fault.node, name),
                _ => self.verdicts.explains(fault.node),
            };
            if is_explained {
                return;
            }
            self.verdicts.run(listener, scope, |check, connection| check(&rejected, connection));
        }
    }
}

/// Whether the params or result of `initialize` name a protocol version that is not published and
/// at most `most`. The schema does not judge such a part.
pub(super) fn is_newer(part: Option<Node<'_>>, most: i64) -> bool {
    let version = part.and_then(|part| part.get("protocolVersion")?.integer());
    version.is_some_and(|number| (1..=most).contains(&number) && Version::of(number).is_none())
}

/// Marks those faults that the previous edition of the schema does not have: the requirement is
/// new. Looks for at most `most` errors of the validator.
fn mark_recent(
    faults: &mut [SchemaFault<'_>],
    version: Version,
    name: &str,
    value: Node<'_>,
    most: u32,
) {
    let before = Protocol::of(Surface::unstable(version), Edition::PREVIOUS);
    let Some(before) = before.definition(name) else { return };
    let (known, _) = before.first_faults(value, most);
    // The previous edition may refuse a larger or smaller value for the same cause.
    let overlap = |one: Span, other: Span| one.start < other.end() && other.start < one.end();
    for fault in faults {
        let own = fault.node.span();
        fault.is_recent = !known.iter().any(|known| overlap(known.node.span(), own));
    }
}

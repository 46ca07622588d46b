//! Plans of version 2 on other connections of the same recording, which a proxy converts for a client
//! of version 1.

use crate::{
    json::{Node, Text},
    map::Map,
    model::{
        anchor::Anchor,
        session::plans::{
            snapshot::{PlanBody, PlanEntry, PlanSnapshot},
            vocabulary::EntryStatus,
        },
    },
};

/// For each session, its last plan with entries of version 2 with statuses that version 1 lacks.
/// Shows what a proxy changed when it converted the plan to version 1.
#[derive(Clone, Debug, Default)]
pub struct OtherHops(Map<Box<str>, OtherHop>);

/// The entries of one plan as another connection of the recording (before or behind a proxy) carried
/// it: status and place by the entry's text, with white space folded.
#[derive(Clone, Debug, Default)]
pub struct OtherHop(Map<Box<str>, (EntryStatus, Anchor)>);

impl OtherHops {
    pub fn of(&self, session_id: Text<'_>) -> Option<&OtherHop> {
        self.0.get(&*session_id.as_cow())
    }

    /// Keeps a plan of version 2, in place of the last one of the session.
    pub(in crate::model) fn apply(&mut self, session_id: Text<'_>, snapshot: &PlanSnapshot<'_>) {
        let PlanBody::Items(entries) = &snapshot.form else { return };
        if entries.iter().all(|entry| is_common(entry.status())) {
            self.0.remove(&*session_id.as_cow());
            return;
        }
        let original = entries.iter().filter_map(|entry| {
            let place = Anchor::of(entry.node, &"/params/update/plan/entries");
            Some((entry.wording()?.into(), (entry.status().clone(), place)))
        });
        self.0.insert(session_id.to_boxed(), OtherHop(original.collect()));
    }
}

impl OtherHop {
    /// The entries whose statuses a proxy changed in converting this plan to version 1, each with
    /// its original status and the place of the original entry. `None` when the list is not such a
    /// conversion: it has other entries, or changes more than necessary.
    pub fn changed<'t>(
        &self,
        converted: &[PlanEntry<'t>],
    ) -> Option<Vec<(Node<'t>, &EntryStatus, Anchor)>> {
        let mut changed = Vec::new();
        for entry in converted {
            let (before, place) = self.0.get(entry.wording()?)?;
            let now = entry.status();
            if before == now {
                continue;
            }
            if is_common(before) || !is_common(now) {
                return None;
            }
            changed.push((entry.status?.node(), before, *place));
        }
        (!converted.is_empty()).then_some(changed)
    }
}

/// Whether version 1 has this status as well as version 2.
fn is_common(status: &EntryStatus) -> bool {
    matches!(status, EntryStatus::Pending | EntryStatus::InProgress | EntryStatus::Completed)
}

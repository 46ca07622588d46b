//! Which spelling of the plan id a connection uses: `planId` or `id`.

use crate::{
    event::PlanRemoved,
    json::Node,
    model::{
        anchor::{Anchor, Pointer},
        session::plans::snapshot::{PlanKey, PlanSnapshot},
    },
};

/// Which members have named plans on a connection, for a rule on mixed spellings: `planId`, or its
/// predecessor `id`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spellings {
    /// Place of the first `planId`, so that a finding can point at it; `None` while none was used.
    pub current: Option<Anchor>,
    /// Place of the first `id` of a plan, so that a finding can point at it; `None` while none was
    /// used.
    pub legacy: Option<Anchor>,
}

impl Spellings {
    pub(in crate::model) fn apply(&mut self, snapshot: &PlanSnapshot<'_>) {
        let plan = snapshot.plan;
        match snapshot.key {
            PlanKey::Named { member: "planId", .. } => {
                note(&mut self.current, plan, "planId", &"/params/update/plan/planId");
            }
            PlanKey::Named { .. } => {
                note(&mut self.legacy, plan, "id", &"/params/update/plan/id");
            }
            PlanKey::Unnamed | PlanKey::Missing => {}
        }
    }

    pub(in crate::model) fn apply_removed(&mut self, removed: &PlanRemoved<'_>) {
        let update = removed.update.update;
        let has = |member| update.get(member).is_some_and(Node::is_string);
        if has("planId") {
            note(&mut self.current, update, "planId", &"/params/update/planId");
        } else if has("id") {
            note(&mut self.legacy, update, "id", &"/params/update/id");
        }
    }
}

/// Sets `first` to the place of the member's name in `holder`, if it is the first use of this name.
fn note(first: &mut Option<Anchor>, holder: Node<'_>, member: &str, pointer: Pointer) {
    if first.is_none() {
        *first = holder.name_of(member).map(|name| Anchor::of(name, pointer));
    }
}

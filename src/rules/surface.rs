//! Rules about what another version or edition of the protocol defines: methods, updates and
//! members of the other version, drafts, withdrawn drafts, and what is newer than the schemas.

use crate::{
    model::{Anchor, Connection},
    protocol::Version,
    rule::Finding,
};

pub(super) mod field_from_other_version;
pub(super) mod method_from_other_version;
pub(super) mod newer_than_known;
pub(super) mod unstable_feature;
pub(super) mod update_from_other_version;
pub(super) mod withdrawn_method;
pub(super) mod withdrawn_plan_type;

/// Adds to a finding the place where the version was agreed, if that is on record.
fn with_agreement(finding: Finding, connection: &Connection, version: Version) -> Finding {
    let agreed: Option<Anchor> = connection
        .negotiation
        .answered
        .filter(|&(number, _)| Version::of(number) == Some(version))
        .map(|(_, place)| place);
    finding.and_at(agreed, format!("version {version} is agreed on here"))
}

//! Rules about the beginning of a connection: `initialize` and the agreement on a version.

use crate::model::{Anchor, Connection};

pub(super) mod agent_before_initialize;
pub(super) mod capabilities_omitted;
pub(super) mod client_continues_unsupported;
pub(super) mod empty_info;
pub(super) mod initialize_failed;
pub(super) mod initialize_first;
pub(super) mod initialize_pipelined;
pub(super) mod missing_info;
pub(super) mod proxy_initialize_not_forwarded;
pub(super) mod proxy_version_changed;
pub(super) mod reinitialize;
pub(super) mod request_after_failed_initialize;
pub(super) mod unknown_version_agreed;
pub(super) mod unsupported_version_data;
pub(super) mod version_above_request;
pub(super) mod version_mismatch_continue;
pub(super) mod version_not_highest;
pub(super) mod version_refused;
pub(super) mod version_zero;
pub(super) mod wrong_direction;

mod refusal;

/// The highest published version of the protocol.
const NEWEST: i64 = 2;

/// The offered and the answered protocol version, each with its place, if the answered one is
/// higher. `None` otherwise, and for an offer below 1, which `lifecycle/version-zero` reports.
fn excess(connection: &Connection) -> Option<[(i64, Anchor); 2]> {
    let offered = connection.negotiation.offered?;
    let answered = connection.negotiation.answered?;
    (offered.0 > 0 && answered.0 > offered.0).then_some([offered, answered])
}

//! The state of a connection: what both sides have agreed on, what waits for an answer, and what
//! each session is in the middle of.
//!
//! Events go in by [`Connection`]'s `apply` methods; rules read the fields. The model never judges:
//! it takes every event, legal or not, and recovers as the most forgiving peer would, so that one
//! fault is reported once. An event is applied after its rules have run, so that rules see what its
//! sender could know.
//!
//! ```text
//! anchor, mark ─▶ request ─▶ response ─▶ session ─▶ connection
//! where a text    what is    paired with  one        all sessions,
//! stands          kept of it its request  session    requests, capabilities
//! ```

pub mod anchor;
pub mod connection;
pub mod digest;
pub mod mark;
pub mod name_list;
pub mod profile;
pub mod request;
pub mod response;
pub mod schema_event;
pub mod session;
mod short_name;

pub use anchor::{Place, Pointer};
pub use connection::{
    Connection,
    negotiation::{Capabilities, Capability, Negotiation, Phase},
};
pub use mark::Mark;
pub use profile::{Profile, Recording};
pub use request::{Done, Request, facts::Facts, id::Id, roots::Roots};
pub use session::{Origin, Session};
pub(crate) use short_name::short_name;

// Until the rename.
pub use crate::transcript::Extent;
pub mod place {
    pub use super::anchor::*;
}
pub mod facts {
    pub use super::request::{facts::*, setting::Setting};
}
pub mod rpc {
    pub(crate) use super::connection::rpc::*;
    pub use super::request::{id::*, *};
    pub use super::response::Contested;
}
pub mod batch {
    pub use super::connection::batches::*;
}
pub mod elicitation {
    pub use super::{connection::elicitations::*, request::question::*};
}
pub mod listing {
    pub use super::{connection::listing::*, request::query::*};
}
pub mod mcp {
    pub use super::{connection::mcp::*, request::inner::*};
}
pub mod provider {
    pub use super::{connection::providers::*, request::change::*};
}
pub mod permission {
    pub use super::{request::permission::*, session::permissions::*};
}
pub mod work {
    pub use super::{request::submission::*, session::work::*};
}
pub mod config {
    pub use super::{request::setting::*, session::config::*};
}
pub use connection::{auth, negotiation};
pub use session::{
    activity as foreground, agent_terminals as display, announced as told, attachment,
    cancellation as cancel, commands as command, compactions as compaction, info as life,
    messages as message, notices as notice, on_demand as late, plans as plan,
    subagents as subagent, terminals as terminal, tool_calls as tool_call,
};

//! What both sides have agreed on and are in the middle of: the state that rules ask.
//!
//! The model never judges. Its transitions take every event, legal or not, and it recovers as
//! the most forgiving peer would, so that one fault is not reported five times. Rules see the state
//! before the event: what its sender could know.

pub mod anchor;
pub mod connection;
pub mod digest;
pub mod mark;
pub mod name_list;
pub mod profile;
pub mod request;
pub mod session;
mod short_name;

pub use anchor::{Place, Pointer};
pub use connection::{
    Connection,
    negotiation::{Capabilities, Capability, Negotiation, Phase},
    rpc::{Done, Id, Request},
};
pub use mark::Mark;
pub use profile::{Profile, Recording};
pub use request::{facts::Facts, roots::Roots};
pub use session::{Origin, Session};
pub(crate) use short_name::short_name;

// Until the rename.
pub use anchor as place;
pub use connection::{
    auth, batches as batch, elicitations as elicitation, listing, mcp, negotiation,
    providers as provider, rpc,
};
pub use request::facts;
pub use session::{
    activity as foreground, agent_terminals as display, announced as told, attachment,
    cancellation as cancel, commands as command, compactions as compaction, config, info as life,
    messages as message, notices as notice, on_demand as late, permissions as permission,
    plans as plan, subagents as subagent, terminals as terminal, tool_calls as tool_call, work,
};

pub use crate::transcript::Extent;

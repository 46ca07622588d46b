//! The state of a connection: what both sides have agreed on, what waits for an answer, and what
//! each session is in the middle of.
//!
//! Events go in by the `apply` methods of [`Connection`]; rules read its fields. The model reports
//! nothing: it takes every event, legal or not, and goes on as the most forgiving peer would, so
//! that one fault is reported once. An event is applied after its rules have run, so that rules see
//! what its sender could know.
//!
//! ```text
//! anchor, mark ─▶ request ─▶ response ─▶ session ─▶ connection
//! where a text    what is    paired with  one        all sessions,
//! stands          kept of it its request  session    requests, capabilities
//! ```

pub mod anchor;
pub mod by_id;
mod by_writer;
pub mod connection;
pub mod digest;
pub mod letters;
pub mod mark;
pub mod name_list;
pub mod request;
pub mod response;
pub mod schema_event;
pub mod session;
pub mod settings;
mod short_name;
pub mod story;

pub use anchor::{Anchor, Pointer};
pub use connection::{
    Connection, Notification,
    negotiation::{Capabilities, Capability, Negotiation, Phase},
};
pub use mark::Mark;
pub use request::{AnsweredRequest, Request, facts::RequestFacts, id::Id, roots::Roots};
pub use response::{Answer, Response, Stray, StrayKind};
pub use schema_event::{MessagePart, Observed, Rejected, SchemaEvent};
pub use session::{Session, SessionOrigin, plans::PlanUpdated};
pub use settings::ConnectionSettings;
pub(crate) use short_name::short_name;

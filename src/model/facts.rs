//! What is kept of a request for the judgement of its answer.

use crate::{
    event::Call,
    model::{Place, session::Roots},
};

/// The few owned facts of a request that rules on its answer, or on what follows, will need.
#[derive(Clone, Debug, Default)]
pub enum Facts {
    #[default]
    None,
    Initialize {
        /// `protocolVersion`, when it is an integer, and where it stands.
        version: Option<(i64, Place)>,
    },
    /// Of a request that creates a session.
    Creation { roots: Option<Roots> },
    /// `proxy/successor` that passes `initialize` on.
    Forwarded,
}

impl Facts {
    /// The facts of a request; allocates only for methods that have some.
    pub fn of(method: &str, call: &Call<'_>) -> Self {
        match method {
            "initialize" | "proxy/initialize" => Self::Initialize {
                version: call.param("protocolVersion").and_then(|version| {
                    Some((version.integer()?, Place::of(version, "/params/protocolVersion")))
                }),
            },
            "session/new" | "session/fork" => Self::Creation { roots: Roots::of(call) },
            "proxy/successor"
                if call.param("method").is_some_and(|method| method.is("initialize")) =>
            {
                Self::Forwarded
            }
            _ => Self::None,
        }
    }
}

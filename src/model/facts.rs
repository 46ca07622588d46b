//! What is kept of a request for the judgement of its answer.

use crate::{
    event::Call,
    model::{
        Place, config::Value, elicitation::Question, mcp::Inner, permission::Ask, session::Roots,
        work::Submission,
    },
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
    Creation {
        roots: Option<Roots>,
    },
    /// Of a request that sets an option.
    Setting(Box<Setting>),
    Question(Box<Question>),
    Prompt(Box<Submission>),
    Inner(Box<Inner>),
    /// `proxy/successor` that passes `initialize` on.
    Forwarded,
    Permission(Box<Ask>),
    /// A request about a terminal of the client.
    Terminal {
        id: Box<str>,
    },
    CreateTerminal {
        /// `outputByteLimit`.
        limit: Option<(u64, Place)>,
    },
    ReadTextFile {
        /// `limit`.
        limit: Option<(u64, Place)>,
    },
    /// The cancellation of one tool call or terminal.
    CancelOne {
        id: Box<str>,
    },
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
            "session/set_config_option" => {
                Setting::of(call).map_or(Self::None, |setting| Self::Setting(Box::new(setting)))
            }
            "session/prompt" => {
                Submission::of(call).map_or(Self::None, |prompt| Self::Prompt(Box::new(prompt)))
            }
            "mcp/message" => {
                Inner::of(call).map_or(Self::None, |inner| Self::Inner(Box::new(inner)))
            }
            "elicitation/create" => {
                Question::of(call).map_or(Self::None, |question| Self::Question(Box::new(question)))
            }
            "proxy/successor"
                if call.param("method").is_some_and(|method| method.is("initialize")) =>
            {
                Self::Forwarded
            }
            "session/request_permission" => Self::Permission(Box::new(Ask::of(call))),
            "terminal/output" | "terminal/release" | "terminal/wait_for_exit" | "terminal/kill" => {
                named(call, "terminalId").map_or(Self::None, |id| Self::Terminal { id })
            }
            "terminal/create" => Self::CreateTerminal {
                limit: limit(call, "outputByteLimit", "/params/outputByteLimit"),
            },
            "fs/read_text_file" => {
                Self::ReadTextFile { limit: limit(call, "limit", "/params/limit") }
            }
            "tool_call/cancel" => {
                named(call, "toolCallId").map_or(Self::None, |id| Self::CancelOne { id })
            }
            "terminal/cancel" => {
                named(call, "terminalId").map_or(Self::None, |id| Self::CancelOne { id })
            }
            _ => Self::None,
        }
    }
}

/// The option that a request sets.
#[derive(Clone, Debug)]
pub struct Setting {
    pub id: Box<str>,
    pub id_at: Place,
    pub value: Value,
    pub value_at: Place,
}

impl Setting {
    fn of(call: &Call<'_>) -> Option<Self> {
        let (id, value) = (call.param("configId")?, call.param("value")?);
        // Values of types that the protocol does not define mean whatever the agent says.
        let is_defined = call.param("type").is_none_or(|kind| kind.is("id") || kind.is("boolean"));
        Some(Self {
            id: id.text()?.to_boxed(),
            id_at: Place::of(id, "/params/configId"),
            value: Value::of(value).filter(|_| is_defined)?,
            value_at: Place::of(value, "/params/value"),
        })
    }
}

fn named(call: &Call<'_>, member: &str) -> Option<Box<str>> {
    Some(call.param(member)?.text()?.to_boxed())
}

fn limit(call: &Call<'_>, member: &str, pointer: &'static str) -> Option<(u64, Place)> {
    let node = call.param(member)?;
    let limit = node.integer().and_then(|limit| u64::try_from(limit).ok())?;
    Some((limit, Place::of(node, pointer)))
}

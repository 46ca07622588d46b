//! The params of a request that are kept for the rules on its answer, by method.

use std::sync::Arc;

use crate::{
    event::Call,
    json::Node,
    model::{
        anchor::{Anchor, Pointer},
        digest,
        request::{
            change::ProviderChange,
            inner::InnerRequest,
            permission::PermissionRequest,
            query::ListQuery,
            question::Question,
            roots::Roots,
            setting::Setting,
            submission::{self, PromptRequest},
        },
    },
    protocol::{Version, methods},
};

/// What is kept of a request's params for rules on its answer or on later messages, by method.
/// `None` for methods without such rules.
#[derive(Clone, Debug, Default)]
pub enum RequestFacts {
    #[default]
    None,
    Initialize {
        /// The offered `protocolVersion` and its place; `None` when it is not an integer.
        version: Option<(i64, Anchor)>,
        /// Whether the `initialize` has the members that an agent needs to read it.
        is_readable: bool,
    },
    /// `session/new` or `session/fork`: a request that creates a session.
    Creation(Box<Creation>),
    /// `session/load` or `session/resume`: a request that attaches a session.
    Attachment(Box<AttachRequest>),
    /// `session/list` with its filters and cursor.
    List(Box<ListQuery>),
    /// `session/set_title`: the place of `title` in the request.
    Title(Anchor),
    /// `session/set_config_option`: the option and its new value.
    Setting(Box<Setting>),
    /// `session/set_mode`: the id of the wanted mode, and its place.
    Mode {
        id: Box<str>,
        at: Anchor,
    },
    Question(Box<Question>),
    Prompt(Box<PromptRequest>),
    /// `session/prompt` on version 1 whose `prompt` is not a list of blocks.
    Turn,
    Inner(Box<InnerRequest>),
    /// `providers/set` or `providers/disable`: the change of a provider.
    Change(Box<ProviderChange>),
    Permission(Box<PermissionRequest>),
    /// A request about a terminal that the client runs, such as `terminal/output`.
    Terminal {
        id: Box<str>,
    },
    CreateTerminal {
        /// The `outputByteLimit` in bytes, and its place; `None` without a limit.
        limit: Option<(u64, Anchor)>,
    },
    ReadTextFile {
        /// The `limit` in lines, and its place; `None` without a limit.
        limit: Option<(u64, Anchor)>,
    },
    WriteTextFile {
        path: Box<str>,
        at: Anchor,
    },
    /// `tool_call/cancel` or `terminal/cancel`: the id of the tool call or terminal.
    CancelOne {
        id: Box<str>,
    },
    /// A `proxy/successor` request by which a proxy passes `initialize` on to the next agent.
    Forwarded,
}

/// Whether `initialize` offers a version and, from version 2 on, names the client and its version,
/// so that an agent can read it.
fn is_readable(call: &Call<'_>) -> bool {
    let version = call.param("protocolVersion").and_then(Node::integer);
    let is_named = call.param("info").is_some_and(|info| {
        ["name", "version"].iter().all(|name| info.get(name).is_some_and(Node::is_string))
    });
    version.is_some_and(|version| version < 2 || is_named)
}

impl RequestFacts {
    /// What is kept of a request with this method. `version` is what the connection speaks; `None`
    /// while that is not agreed.
    pub fn of(method: &str, call: &Call<'_>, version: Option<Version>) -> Self {
        match method {
            "initialize" | "proxy/initialize" => Self::Initialize {
                version: call.param("protocolVersion").and_then(|version| {
                    Some((version.integer()?, Anchor::of(version, &"/params/protocolVersion")))
                }),
                is_readable: is_readable(call),
            },
            "session/set_config_option" => {
                Setting::of(call).map_or(Self::None, |setting| Self::Setting(Box::new(setting)))
            }
            "session/set_mode" => call.param("modeId").map_or(Self::None, |mode| {
                let at = Anchor::of(mode, &"/params/modeId");
                mode.text().map_or(Self::None, |id| Self::Mode { id: id.to_boxed(), at })
            }),
            "session/prompt" => {
                let is_turn = version == Some(Version::V1);
                let otherwise = if is_turn { Self::Turn } else { Self::None };
                let Some(mut prompt) = PromptRequest::of(call) else { return otherwise };
                prompt.is_sound = submission::is_sound(call, version);
                Self::Prompt(Box::new(prompt))
            }
            "mcp/message" => {
                InnerRequest::of(call).map_or(Self::None, |inner| Self::Inner(Box::new(inner)))
            }
            _ if methods::changes_provider(method) => ProviderChange::of(method, call)
                .map_or(Self::None, |change| Self::Change(Box::new(change))),
            "elicitation/create" => {
                Question::of(call).map_or(Self::None, |question| Self::Question(Box::new(question)))
            }
            "proxy/successor"
                if call.param("method").is_some_and(|method| method.is("initialize")) =>
            {
                Self::Forwarded
            }
            _ if methods::creates_session(method) => Self::Creation(Box::new(Creation {
                roots: Roots::of(call).map(Arc::new),
                home: Home::of(call),
                equipment: Equipment::of(call),
                cursor: call
                    .params
                    .and_then(|params| named(params, "cursorId", &"/params/cursorId"))
                    .map(Box::new),
            })),
            _ if methods::attaches_session(method) => Self::Attachment(Box::new(AttachRequest {
                home: Home::of(call),
                from: call
                    .param("replayFrom")
                    .and_then(|from| named(from, "type", &"/params/replayFrom/type")),
                equipment: Equipment::of(call),
            })),
            "session/list" => Self::List(Box::new(ListQuery::of(call))),
            "session/set_title" => call
                .param("title")
                .map_or(Self::None, |title| Self::Title(Anchor::of(title, &"/params/title"))),
            "session/request_permission" => Self::Permission(Box::new(PermissionRequest::of(call))),
            "terminal/output" | "terminal/release" | "terminal/wait_for_exit" | "terminal/kill" => {
                id(call, "terminalId").map_or(Self::None, |id| Self::Terminal { id })
            }
            "terminal/create" => Self::CreateTerminal {
                limit: limit(call, "outputByteLimit", &"/params/outputByteLimit"),
            },
            "fs/read_text_file" => {
                Self::ReadTextFile { limit: limit(call, "limit", &"/params/limit") }
            }
            "fs/write_text_file" => call
                .params
                .and_then(|params| named(params, "path", &"/params/path"))
                .map_or(Self::None, |(path, at)| Self::WriteTextFile { path, at }),
            "tool_call/cancel" => {
                id(call, "toolCallId").map_or(Self::None, |id| Self::CancelOne { id })
            }
            "terminal/cancel" => {
                id(call, "terminalId").map_or(Self::None, |id| Self::CancelOne { id })
            }
            _ => Self::None,
        }
    }
}

/// The working directory that the `cwd` of a message gives to a session, and the place of `cwd`.
#[derive(Clone, Debug)]
pub struct Home {
    pub path: Arc<str>,
    pub at: Anchor,
}

impl Home {
    fn of(call: &Call<'_>) -> Option<Self> {
        let cwd = call.param("cwd")?;
        Some(Self { path: cwd.text()?.as_cow().into(), at: Anchor::of(cwd, &"/params/cwd") })
    }
}

/// What a `session/new` or `session/fork` asks for, kept until the answer that creates the session.
#[derive(Clone, Debug)]
pub struct Creation {
    pub roots: Option<Arc<Roots>>,
    pub home: Option<Home>,
    pub equipment: Equipment,
    /// The `cursorId` at which a fork begins, and its place; `None` for a fork of the whole session
    /// and for `session/new`. Boxed to save memory.
    pub cursor: Option<Box<(Box<str>, Anchor)>>,
}

/// What a `session/load` or `session/resume` asks for, kept until the answer.
#[derive(Clone, Debug)]
pub struct AttachRequest {
    pub home: Option<Home>,
    /// The `type` in `replayFrom`, and its place; `None` without one.
    pub from: Option<(Box<str>, Anchor)>,
    pub equipment: Equipment,
}

/// What a request that creates or attaches a session gives the agent to work with: a system prompt
/// and MCP servers.
#[derive(Clone, Debug, Default)]
pub struct Equipment {
    /// The system prompt; `None` without one. Boxed to save memory, since few requests have one.
    pub instructions: Option<Box<Instructions>>,
    /// The transport of each MCP server in `mcpServers`, such as `stdio`, with its place.
    pub transports: Box<[(Box<str>, Anchor)]>,
}

impl Equipment {
    fn of(call: &Call<'_>) -> Self {
        let servers = call.param("mcpServers").into_iter().flat_map(Node::elements);
        let transport = |server: Node<'_>| named(server, "type", &"/params/mcpServers");
        Self {
            instructions: Instructions::of(call).map(Box::new),
            transports: servers.filter_map(transport).collect(),
        }
    }
}

/// The system prompt in a request that creates or attaches a session. `digest` is that of the whole
/// `systemPrompt`.
#[derive(Clone, Debug)]
pub struct Instructions {
    pub at: Anchor,
    pub digest: u64,
    pub mode: Option<(Box<str>, Anchor)>,
    /// The type of the first content block of the system prompt that is not text, and its place;
    /// `None` when all are text.
    pub foreign: Option<(Box<str>, Anchor)>,
}

/// The system prompt with which a session was created: digest and place. The inner `None` means
/// that there was none.
#[derive(Clone, Copy, Debug)]
pub struct FirstInstructions(pub Option<(u64, Anchor)>);

impl Instructions {
    fn of(call: &Call<'_>) -> Option<Self> {
        const CONTENT: Pointer = &"/params/systemPrompt/content";
        let prompt = call.param("systemPrompt").filter(|prompt| !prompt.is_null())?;
        let blocks = prompt.get("content").into_iter().flat_map(Node::elements);
        let mut kinds = blocks.filter_map(|block| named(block, "type", CONTENT));
        Some(Self {
            at: Anchor::of(prompt, &"/params/systemPrompt"),
            digest: digest::of(prompt),
            mode: named(prompt, "mode", &"/params/systemPrompt/mode"),
            foreign: kinds.find(|(kind, _)| **kind != *"text"),
        })
    }
}

impl RequestFacts {
    /// The system prompt and MCP servers in a request that creates or attaches a session; `None`
    /// for other requests.
    pub fn equipment(&self) -> Option<&Equipment> {
        match self {
            Self::Creation(creation) => Some(&creation.equipment),
            Self::Attachment(attachment) => Some(&attachment.equipment),
            _ => None,
        }
    }
}

fn id(call: &Call<'_>, member: &str) -> Option<Box<str>> {
    Some(call.param(member)?.text()?.to_boxed())
}

/// The text of a member of a request and its place; `None` when the member is absent or not a
/// string.
fn named(object: Node<'_>, member: &str, pointer: Pointer) -> Option<(Box<str>, Anchor)> {
    let node = object.get(member)?;
    Some((node.text()?.to_boxed(), Anchor::of(node, pointer)))
}

fn limit(call: &Call<'_>, member: &str, pointer: Pointer) -> Option<(u64, Anchor)> {
    let node = call.param(member)?;
    let limit = node.integer().and_then(|limit| u64::try_from(limit).ok())?;
    Some((limit, Anchor::of(node, pointer)))
}

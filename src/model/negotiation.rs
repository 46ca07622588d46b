//! Versions and capabilities, as `initialize` settles them.

use std::collections::HashMap;

use crate::{
    event::{Answer, Call},
    json::{Kind, Node},
    model::{Facts, Place},
    protocol::Version,
    rule::Mark,
    source::Span,
};

/// How far the `initialize` exchange has come.
///
/// ```text
/// None ── request ──▶ Proposed ── result ──▶ Agreed
///  │                     └────── error ───▶ Failed ── request ──▶ Proposed
///  └── any other request of the client ──▶ Skipped ── request ──▶ Proposed
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    None,
    Proposed,
    Agreed,
    Failed,
    Skipped,
}

/// What the two sides have negotiated.
#[derive(Clone, Debug, Default)]
pub struct Negotiation {
    phase: Phase,
    /// The last `initialize` request.
    pub request: Option<Place>,
    /// Its number.
    pub request_number: u64,
    /// The first request of the client other than `initialize`.
    pub first_use: Option<Place>,
    /// The version that the last `initialize` offered, and where.
    pub offered: Option<(i64, Place)>,
    /// The version that the last answer named, and where.
    pub answered: Option<(i64, Place)>,
    /// The last answer to `initialize`.
    pub answer: Option<Place>,
    client: Option<Capabilities>,
    agent: Option<Capabilities>,
    /// Whether `proxy/*` messages were seen.
    pub proxied: bool,
}

impl Negotiation {
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The version agreed on; before that, the one offered. One that is not published counts as
    /// the newest published one when it is higher, so that its shapes can be judged at all.
    pub fn version(&self) -> Option<Version> {
        let published = |&(number, _): &(i64, Place)| Version::of(number);
        let offered = || {
            self.offered.as_ref().and_then(|offered| match offered.0 {
                number if number > 2 => Some(Version::V2),
                _ => published(offered),
            })
        };
        self.answered.as_ref().and_then(published).or_else(offered)
    }

    /// What the client advertised with the last `initialize` that succeeded, or that is under way.
    pub fn client(&self) -> Option<&Capabilities> {
        self.client.as_ref()
    }

    /// What the agent advertised.
    pub fn agent(&self) -> Option<&Capabilities> {
        self.agent.as_ref()
    }

    pub(super) fn apply_call(&mut self, method: &str, call: &Call<'_>, number: u64) {
        if method.starts_with("proxy/") {
            self.proxied = true;
        }
        if method == "initialize" && call.id.is_some() {
            self.request = Some(Place::of(call.node, ""));
            self.request_number = number;
            self.offered = call.param("protocolVersion").and_then(|version| {
                Some((version.integer()?, Place::of(version, "/params/protocolVersion")))
            });
            self.client = Some(
                [
                    ("clientCapabilities", "/params/clientCapabilities"),
                    ("capabilities", "/params/capabilities"),
                ]
                .into_iter()
                .find_map(|(name, pointer)| Some(Capabilities::of(call.param(name)?, pointer)))
                .unwrap_or_else(|| Capabilities::absent(Place::of(call.node, ""))),
            );
            if self.phase != Phase::Agreed {
                self.phase = Phase::Proposed;
            }
            return;
        }
        let from_client = call.sender == Some(crate::protocol::Side::Client);
        if from_client && call.id.is_some() && !method.starts_with(['_', '$']) {
            self.first_use = self.first_use.or(Some(Place::of(call.node, "")));
            if self.phase == Phase::None {
                self.phase = Phase::Skipped;
            }
        }
    }

    pub(super) fn apply_answer(&mut self, answer: &Answer<'_>, _number: u64) {
        if !matches!(answer.request.facts, Facts::Initialize { .. })
            || &*answer.request.method != "initialize"
        {
            return;
        }
        self.answer = Some(Place::of(answer.node, ""));
        let Some(result) = answer.result() else {
            if self.phase != Phase::Agreed {
                self.phase = Phase::Failed;
            }
            return;
        };
        self.phase = Phase::Agreed;
        self.answered = result.get("protocolVersion").and_then(|version| {
            Some((version.integer()?, Place::of(version, "/result/protocolVersion")))
        });
        self.agent = Some(
            [
                ("agentCapabilities", "/result/agentCapabilities"),
                ("capabilities", "/result/capabilities"),
            ]
            .into_iter()
            .find_map(|(name, pointer)| Some(Capabilities::of(result.get(name)?, pointer)))
            .unwrap_or_else(|| Capabilities::absent(Place::of(answer.node, ""))),
        );
    }
}

/// The capability object of one side, flattened to paths such as `session.prompt.image`.
#[derive(Clone, Debug)]
pub struct Capabilities {
    at: Place,
    paths: HashMap<Box<str>, Capability>,
}

/// One member of a capability object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    pub kind: Kind,
    pub span: Span,
    pub pointer: Box<str>,
}

/// Levels of a capability object that carry protocol members.
const DEPTH: usize = 5;

impl Capabilities {
    fn absent(at: Place) -> Self {
        Self { at, paths: HashMap::new() }
    }

    fn of(node: Node<'_>, pointer: &'static str) -> Self {
        let mut paths = HashMap::new();
        walk(node, "", pointer, DEPTH, &mut paths);
        Self { at: Place::of(node, pointer), paths }
    }

    /// The capability object; the whole message where there is none.
    pub fn at(&self) -> Place {
        self.at
    }

    /// The member at a path of names joined by dots; `None` when it is absent.
    pub fn get(&self, path: &str) -> Option<&Capability> {
        self.paths.get(path)
    }

    /// Whether the capability is advertised: `true` or an object. Anything malformed reads as
    /// unsupported, as official readers do.
    pub fn has(&self, path: &str) -> bool {
        self.get(path).is_some_and(|found| matches!(found.kind, Kind::True | Kind::Object))
    }

    /// Where the lack of a capability shows: the member that declines it, else the object in which
    /// it is missing.
    pub fn lack(&self, path: &str) -> Mark {
        self.get(path).map_or_else(|| self.at.into(), Mark::from)
    }
}

impl From<&Capability> for Mark {
    fn from(capability: &Capability) -> Self {
        Self { span: capability.span, pointer: Some(capability.pointer.to_string()) }
    }
}

fn walk(
    node: Node<'_>,
    path: &str,
    pointer: &str,
    depth: usize,
    paths: &mut HashMap<Box<str>, Capability>,
) {
    if depth == 0 {
        return;
    }
    for (name, value) in node.members() {
        let Some(name) = name.text() else { continue };
        if name == "_meta" {
            continue;
        }
        let name = name.as_cow();
        let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        walk(value, &path, &pointer, depth - 1, paths);
        let capability =
            Capability { kind: value.kind(), span: value.span(), pointer: pointer.into() };
        paths.insert(path.into(), capability);
    }
}

//! Versions and capabilities, as `initialize` settles them.

use std::sync::Arc;

use crate::{
    event::Call,
    json::{self, Kind, Node},
    model::{
        anchor::{Anchor, Pointer},
        mark::Mark,
        request::facts::RequestFacts,
        response::Answer,
        short_name,
    },
    protocol::{Side, Version},
    source::{Span, narrow},
};

/// How far the `initialize` exchange has come.
///
/// ```text
/// None ── request ──▶ Proposed ── result ──▶ Agreed
///  │                     └────── error ───▶ Failed ── request ──▶ Proposed
///  └── any other message of the client ──▶ Skipped ── request ──▶ Proposed
/// ```
///
/// `Agreed` is never left: a second exchange replaces what was agreed when it succeeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    None,
    Proposed,
    Agreed,
    Failed,
    Skipped,
}

/// Code of the JSON-RPC error by which an agent of version 2 refuses the offered protocol version.
pub const UNSUPPORTED_VERSION: i64 = -32022;

/// What the two sides have agreed on by `initialize`: versions, capabilities and names, with their
/// places in the messages.
#[derive(Clone, Debug, Default)]
pub struct Negotiation {
    phase: Phase,
    /// Place of the first `initialize` request; `None` while there is none.
    pub first: Option<Anchor>,
    /// Place of the last `initialize` request; `None` while there is none.
    pub request: Option<Anchor>,
    /// Message number of the last `initialize` request; 0 before the first.
    pub request_number: u64,
    /// Place of the client's first request after `initialize` with another method, by which it
    /// begins to use the connection; `None` before.
    pub first_use: Option<Anchor>,
    /// The first request that the client sent before `initialize` was answered: its method, and the
    /// place of `method`. `None` without one.
    pub pipelined: Option<(Box<str>, Anchor)>,
    /// Place of the client's first message, other than `initialize`, after the last successful
    /// `initialize`; `None` before.
    pub continued: Option<Anchor>,
    /// Place of the agent's first call before any message of the client; `None` when the client
    /// began.
    pub unprompted: Option<Anchor>,
    /// Number of requests and notifications of the agent, or of an unknown sender, before the first
    /// message of the client.
    calls_unprompted: u64,
    /// The `protocolVersion` that the last `initialize` offered, and its place; `None` without an
    /// integer. A second `initialize` changes this only once it has succeeded.
    pub offered: Option<(i64, Anchor)>,
    /// The `protocolVersion` in the last successful answer to `initialize`, and its place; `None`
    /// before that, or when it is not an integer.
    pub answered: Option<(i64, Anchor)>,
    /// Place of the last answer to `initialize`, a result or an error; `None` before the first.
    pub answer: Option<Anchor>,
    /// The first successful `initialize` exchanges, in order; at most 256.
    pub exchanges: Vec<Exchange>,
    /// Whether the last answer to `initialize` was the error by which version 2 refuses a version.
    refused: bool,
    /// The version to which the members of the last answer to `initialize` belong, when its version
    /// number is not a published one; `None` otherwise.
    evident: Option<Version>,
    /// The capability objects of the client, that of version 1 first; empty before `initialize`.
    client: Vec<Capabilities>,
    /// Those of the agent.
    agent: Vec<Capabilities>,
    client_name: Option<Arc<str>>,
    agent_name: Option<Arc<str>>,
    /// What a second `initialize` offers, until that is answered; `None` when none waits.
    pending: Option<Offer>,
    /// Whether any `proxy/*` message was seen, so that the connection goes through proxies.
    pub proxied: bool,
    /// What a proxy's successor answered to a forwarded `initialize`: its `protocolVersion`, and
    /// its place. `None` before the first result.
    pub successor: Option<(Option<i64>, Anchor)>,
}

/// A successful `initialize` exchange, with the offered and the answered version as integers.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    pub offered: i64,
    pub answered: i64,
    /// Place of the answered `protocolVersion`, so that a finding can point at it.
    pub at: Anchor,
}

#[derive(Clone, Debug)]
struct Offer {
    version: Option<(i64, Anchor)>,
    capabilities: Vec<Capabilities>,
    client_name: Option<Arc<str>>,
}

impl Negotiation {
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The agreed version, or the offered one before that; `None` before `initialize`. For a number
    /// that is not published, the members of the answer decide, then the offer, so that no side
    /// evades the rules by an odd number.
    pub fn version(&self) -> Option<Version> {
        let published = |&(number, _): &(i64, Anchor)| Version::of(number);
        let offered = || {
            self.offered.as_ref().and_then(|offered| match offered.0 {
                number if number > 2 => Some(Version::V2),
                _ => published(offered),
            })
        };
        let refused = self.refused.then_some(Version::V2);
        let answered = self.answered.as_ref().and_then(published);
        answered.or(self.evident).or(refused).or_else(offered)
    }

    /// The version number in the last successful answer to `initialize`, if no such version is
    /// published; `None` otherwise.
    pub fn unpublished(&self) -> Option<i64> {
        let (number, _) = self.answered.filter(|_| self.phase == Phase::Agreed)?;
        Version::of(number).is_none().then_some(number)
    }

    /// The agreed version when it is newer than the published ones: the client offered that or a
    /// higher one. Its messages cannot be judged. `None` otherwise.
    pub fn newer_version(&self) -> Option<i64> {
        let (offered, _) = self.offered?;
        self.unpublished().filter(|number| (1..=offered).contains(number))
    }

    /// What the client advertised in the last `initialize`, or in the last successful one as soon
    /// as one has succeeded; `None` before the first request.
    pub fn client(&self) -> Option<&Capabilities> {
        self.read(&self.client)
    }

    /// What the agent advertised in the last successful answer to `initialize`; `None` before the
    /// first.
    pub fn agent(&self) -> Option<&Capabilities> {
        self.read(&self.agent)
    }

    /// Of the capability objects of one side, the one that readers of the version read; another
    /// where that is missing.
    fn read<'c>(&self, own: &'c [Capabilities]) -> Option<&'c Capabilities> {
        if self.version() == Some(Version::V2) { own.last() } else { own.first() }
    }

    /// The client's name in the last `initialize`, or in the last successful one as soon as one has
    /// succeeded; cut to 200 characters. `None` when it gives none.
    pub fn client_name(&self) -> Option<&Arc<str>> {
        self.client_name.as_ref()
    }

    /// The agent's name in the last successful answer to `initialize`, cut to 200 characters;
    /// `None` when it gives none.
    pub fn agent_name(&self) -> Option<&Arc<str>> {
        self.agent_name.as_ref()
    }

    /// Whether all messages so far (their number is `messages`) were calls of another sender than
    /// the client, so that the client's messages may not be recorded.
    pub(super) fn is_unprompted(&self, messages: u64) -> bool {
        self.phase == Phase::None && self.calls_unprompted == messages
    }

    pub(super) fn apply_call(&mut self, call: &Call<'_>, number: u64) {
        if call.method.starts_with("proxy/") {
            self.proxied = true;
        }
        if call.sender == Some(Side::Client) {
            self.note_client(&call.method.as_cow(), call, number);
            return;
        }
        if self.phase == Phase::None {
            self.calls_unprompted += 1;
        }
        if self.phase == Phase::None && call.sender.is_some() && call.uses_protocol() {
            self.unprompted = self.unprompted.or(Some(Anchor::of(call.node, &"")));
        }
    }

    /// Notes a request or notification of the client: an `initialize`, or the first use of the
    /// connection.
    fn note_client(&mut self, method: &str, call: &Call<'_>, number: u64) {
        if method == "initialize" && call.id.is_some() {
            // No official peer reads a request out of an array.
            if call.batch.is_none() || self.phase == Phase::None {
                self.propose(call, number);
            }
        } else if call.uses_protocol() {
            let here = Some(Anchor::of(call.node, &""));
            match self.phase {
                Phase::None => self.phase = Phase::Skipped,
                Phase::Agreed => self.continued = self.continued.or(here),
                Phase::Proposed if call.id.is_some() && self.pipelined.is_none() => {
                    let at = Anchor::of(call.method.node(), &"/method");
                    self.pipelined = Some((method.into(), at));
                }
                Phase::Proposed | Phase::Failed | Phase::Skipped => {}
            }
            if self.first.is_some() && call.id.is_some() {
                self.first_use = self.first_use.or(here);
            }
        }
    }

    fn propose(&mut self, call: &Call<'_>, number: u64) {
        let here = Anchor::of(call.node, &"");
        self.first = self.first.or(Some(here));
        self.request = Some(here);
        self.request_number = number;
        let offer = Offer {
            version: call.param("protocolVersion").and_then(|version| {
                Some((version.integer()?, Anchor::of(version, &"/params/protocolVersion")))
            }),
            capabilities: capabilities(
                |name| call.param(name),
                [
                    ("clientCapabilities", &"/params/clientCapabilities"),
                    ("capabilities", &"/params/capabilities"),
                ],
                here,
            ),
            client_name: name(|member| call.param(member), ["clientInfo", "info"]),
        };
        if self.phase == Phase::Agreed {
            self.pending = Some(offer);
        } else {
            self.phase = Phase::Proposed;
            self.refused = false;
            self.pipelined = None;
            self.accept(offer);
        }
    }

    fn accept(&mut self, offer: Offer) {
        self.offered = offer.version;
        self.client = offer.capabilities;
        self.client_name = offer.client_name;
    }

    pub(super) fn apply_answer(&mut self, answer: &Answer<'_>, _number: u64) {
        match (&answer.request.facts, &*answer.request.method) {
            (RequestFacts::Initialize { .. }, "initialize") => self.settle(answer),
            (RequestFacts::Forwarded, _) => {
                self.successor = answer.result().map(|result| {
                    let version = result.get("protocolVersion");
                    let at = version.map_or_else(
                        || Anchor::of(result, &"/result"),
                        |version| Anchor::of(version, &"/result/protocolVersion"),
                    );
                    (version.and_then(Node::integer), at)
                });
            }
            _ => {}
        }
    }

    fn settle(&mut self, answer: &Answer<'_>) {
        self.answer = Some(Anchor::of(answer.node, &""));
        let pending = self.pending.take();
        let Some(result) = answer.result() else {
            if self.phase != Phase::Agreed {
                self.phase = Phase::Failed;
                self.refused = answer.error_code() == Some(UNSUPPORTED_VERSION);
            }
            return;
        };
        if let Some(offer) = pending {
            self.accept(offer);
        }
        self.phase = Phase::Agreed;
        self.continued = None;
        self.answered = result.get("protocolVersion").and_then(|version| {
            Some((version.integer()?, Anchor::of(version, &"/result/protocolVersion")))
        });
        self.evident = self.answered.and_then(|(number, _)| match Version::of(number) {
            Some(_) => None,
            None => written_in(result),
        });
        if let (Some((offered, _)), Some((answered, at))) = (self.offered, self.answered)
            && self.exchanges.len() < EXCHANGES
        {
            self.exchanges.push(Exchange { offered, answered, at });
        }
        self.agent_name = name(|member| result.get(member), ["agentInfo", "info"]);
        self.agent = capabilities(
            |name| result.get(name),
            [
                ("agentCapabilities", &"/result/agentCapabilities"),
                ("capabilities", &"/result/capabilities"),
            ],
            Anchor::of(answer.node, &""),
        );
        for capabilities in &mut self.agent {
            capabilities.add_declared(result.get("_meta"));
        }
    }
}

/// The capability objects in the members with these names, in this order; without any, one that is
/// absent from the message at `message`.
fn capabilities<'t>(
    get: impl Fn(&str) -> Option<Node<'t>>,
    members: [(&str, Pointer); 2],
    message: Anchor,
) -> Vec<Capabilities> {
    let found = members.into_iter();
    let found = found.filter_map(|(name, pointer)| Some(Capabilities::of(get(name)?, pointer)));
    let mut found: Vec<_> = found.collect();
    if found.is_empty() {
        found.push(Capabilities::absent(message));
    }
    found
}

/// The name of an implementation, from the first of these two members that has one, cut to 200
/// characters; `None` without one.
fn name<'t>(get: impl Fn(&str) -> Option<Node<'t>>, members: [&str; 2]) -> Option<Arc<str>> {
    let name = members.into_iter().find_map(|member| get(member)?.get("name")?.text())?;
    Some(short_name(&name.as_cow()))
}

/// The version to which the members of an `initialize` request or result belong, such as
/// `clientInfo` (1) or `info` (2); `None` when they belong to both or to neither.
pub fn written_in(part: Node<'_>) -> Option<Version> {
    let has = |members: &[&str]| members.iter().any(|member| part.get(member).is_some());
    let of_1 = has(&["agentCapabilities", "agentInfo", "clientCapabilities", "clientInfo"]);
    match (of_1, has(&["capabilities", "info"])) {
        (true, false) => Some(Version::V1),
        (false, true) => Some(Version::V2),
        _ => None,
    }
}

/// The capabilities that one side advertises in `initialize`. Rules ask for them by paths such as
/// `session.prompt.image`.
#[derive(Clone, Debug)]
pub struct Capabilities {
    at: Anchor,
    /// Whether the value is neither an object nor null, so that nothing is known of the
    /// capabilities.
    is_malformed: bool,
    /// All members, at any depth up to 5, in the order of the text. Each comes after its parent.
    members: Vec<CapabilityMember>,
    /// Indices of the members, sorted by `rank` for a binary search; empty while there are at most
    /// 16 members.
    order: Vec<u32>,
    /// The names of all members, joined; each member has its range in it.
    names: String,
    /// The texts of all `_meta` in the object, joined; `None` when they are longer than 64 KiB
    /// together.
    custom: Option<String>,
}

/// A member of a capability object, or of an object in it, at any depth.
#[derive(Clone, Debug)]
struct CapabilityMember {
    /// Index of the parent member; `None` for a member of the capability object itself.
    holder: Option<u32>,
    /// Byte range of the member's name in the joined names of `Capabilities`.
    name: (u32, u32),
    kind: Kind,
    span: Span,
}

/// A member of a side's capability object as rules read it: the kind of its value, and its place.
#[derive(Clone, Copy, Debug)]
pub struct Capability<'c> {
    of: &'c Capabilities,
    member: &'c CapabilityMember,
}

/// Most successful `initialize` exchanges of a connection that are kept; later ones are not.
const EXCHANGES: usize = 256;
/// Most levels of a capability object that are read; the protocol defines no deeper members.
const DEPTH: usize = 5;
/// Most members that are searched one by one; with more, the search halves a sorted list.
const FEW: usize = 16;
/// Most bytes of the `_meta` of capabilities that are kept, to look for names of extensions. With
/// more, any extension may be declared.
const CUSTOM: usize = 64 << 10;

impl Capabilities {
    fn absent(at: Anchor) -> Self {
        let (members, order) = (Vec::new(), Vec::new());
        let custom = Some(String::new());
        Self { at, is_malformed: false, members, order, names: String::new(), custom }
    }

    fn of(node: Node<'_>, pointer: Pointer) -> Self {
        /// Bytes that are reserved for the names of members; more are allocated when needed.
        const NAMES: usize = 256;
        let mut capabilities = Self::absent(Anchor::of(node, pointer));
        capabilities.is_malformed = !node.is_object() && !node.is_null();
        capabilities.members.reserve(FEW);
        capabilities.names.reserve(NAMES);
        capabilities.add(node, None, DEPTH);
        if capabilities.members.len() > FEW {
            let mut order: Vec<u32> = (0..narrow(capabilities.members.len())).collect();
            let rank = |place: &u32| capabilities.rank(*place);
            order.sort_unstable_by(|one, other| rank(one).cmp(&rank(other)));
            capabilities.order = order;
        }
        capabilities
    }

    /// Adds the `_meta` beside the capability object in the result of `initialize`, where agents
    /// declare extensions, too.
    fn add_declared(&mut self, meta: Option<Node<'_>>) {
        if let Some(meta) = meta {
            self.add_custom(meta);
        }
    }

    fn add_custom(&mut self, value: Node<'_>) {
        match &mut self.custom {
            Some(custom) if custom.len() + value.range().len() <= CUSTOM => {
                custom.push_str(&value.normal());
            }
            custom => *custom = None,
        }
    }

    fn add(&mut self, node: Node<'_>, holder: Option<u32>, depth: usize) {
        if depth == 0 {
            return;
        }
        for (name, value) in node.members() {
            let Some(name) = name.text() else { continue };
            if name == "_meta" {
                self.add_custom(value);
                continue;
            }
            let start = narrow(self.names.len());
            self.names.push_str(&name.as_cow());
            let name = (start, narrow(self.names.len()));
            let place = narrow(self.members.len());
            self.members.push(CapabilityMember {
                holder,
                name,
                kind: value.kind(),
                span: value.span(),
            });
            self.add(value, Some(place), depth - 1);
        }
    }

    /// The key by which members are sorted and found: index of the parent, length of the name, and
    /// name.
    fn rank(&self, place: u32) -> (Option<u32>, usize, &str) {
        let member = &self.members[place as usize];
        let name = self.name(member);
        (member.holder, name.len(), name)
    }

    fn name(&self, member: &CapabilityMember) -> &str {
        let (start, end) = member.name;
        &self.names[start as usize..end as usize]
    }

    /// Place of the capability object, so that a finding can point at it; the whole message when it
    /// has none.
    pub fn at(&self) -> Anchor {
        self.at
    }

    /// The advertised capabilities, at any depth, each with its own name, in the order of the text.
    /// A member is advertised when it is `true` or an object.
    pub fn advertised(&self) -> impl Iterator<Item = (&str, Capability<'_>)> {
        let members = self.members.iter();
        let advertised = members.filter(|member| matches!(member.kind, Kind::True | Kind::Object));
        advertised.map(|member| (self.name(member), Capability { of: self, member }))
    }

    /// The member at a path of names joined by dots, such as `session.prompt`; `None` when it is
    /// absent.
    pub fn get(&self, path: &str) -> Option<Capability<'_>> {
        let step = |holder, name| Some(Some(self.find(holder, name)?));
        let place = path.split('.').try_fold(None, step)??;
        Some(Capability { of: self, member: &self.members[place as usize] })
    }

    /// Index of the member with this name in the object `holder`; `None` for `holder` means the
    /// capability object itself. Takes a scan of at most 16 members, or a binary search.
    fn find(&self, holder: Option<u32>, name: &str) -> Option<u32> {
        let sought = (holder, name.len(), name);
        if self.order.is_empty() {
            return (0..narrow(self.members.len())).find(|place| self.rank(*place) == sought);
        }
        let rank = |place: &u32| self.rank(*place).cmp(&sought);
        Some(self.order[self.order.binary_search_by(rank).ok()?])
    }

    /// Whether the capability at this path is advertised: `true` or an object. A malformed value
    /// counts as not advertised, as official readers take it.
    pub fn has(&self, path: &str) -> bool {
        self.get(path).is_some_and(|found| matches!(found.kind(), Kind::True | Kind::Object))
    }

    /// Whether the capability at this path is certainly not offered: it or an object around it is
    /// absent, `false` or null. A value of the wrong type is a malformed offer, for which this is
    /// `false`.
    pub fn lacks(&self, path: &str) -> bool {
        if self.is_malformed {
            return false;
        }
        let mut holder = None;
        for name in path.split('.') {
            let Some(place) = self.find(holder, name) else { return true };
            match self.members[place as usize].kind {
                Kind::Object => holder = Some(place),
                kind => return matches!(kind, Kind::False | Kind::Null),
            }
        }
        false
    }

    /// Whether the name of a capability, or any `_meta` among the capabilities, contains `word`.
    /// Also `true` when the `_meta` are too long to be searched.
    pub fn speaks_of(&self, word: &str) -> bool {
        self.names.contains(word) || self.mentions(word)
    }

    /// The place that shows that a capability is not advertised, so that a finding can point at it:
    /// the member that declines it, else the whole capability object.
    pub fn lack(&self, path: &str) -> Mark {
        self.get(path).map_or_else(|| self.at.into(), Mark::from)
    }

    /// Whether any `_meta` names something that contains `sign` and is not set to `false` or null.
    /// Also `true` when the `_meta` are too long to be searched.
    pub fn grants(&self, sign: &str) -> bool {
        let Some(custom) = &self.custom else { return true };
        custom.match_indices(sign).any(|(at, _)| {
            let rest = custom[at..].split_once('"').map_or("", |(_, rest)| rest).trim_start();
            let value = rest.strip_prefix(':').map(str::trim_start);
            !value.is_some_and(|it| it.starts_with("false") || it.starts_with("null"))
        })
    }

    /// Whether the text of any `_meta` contains `extension`. Also `true` when the `_meta` have more
    /// than 64 KiB, which are not searched.
    pub fn mentions(&self, extension: &str) -> bool {
        self.custom.as_ref().is_none_or(|custom| custom.contains(extension))
    }
}

impl Capability<'_> {
    /// The kind of the member's JSON value; `True` and `Object` advertise the capability.
    pub fn kind(&self) -> Kind {
        self.member.kind
    }

    /// JSON Pointer from the message to the member of the capability object.
    fn pointer(&self) -> String {
        let mut pointer = self.of.at.pointer().to_owned();
        let holder = |member: &&CapabilityMember| Some(&self.of.members[member.holder? as usize]);
        let chain: Vec<_> = std::iter::successors(Some(self.member), holder).collect();
        for member in chain.into_iter().rev() {
            json::push_token(&mut pointer, self.of.name(member));
        }
        pointer
    }
}

impl From<Capability<'_>> for Mark {
    fn from(capability: Capability<'_>) -> Self {
        Self {
            span: capability.member.span,
            pointer: Some(capability.pointer().into()),
            file: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Doc, Tape};
    use crate::source::Origin;

    fn capabilities(text: &str) -> Capabilities {
        let mut tape = Tape::new();
        tape.parse(text).expect("a JSON text");
        let doc = Doc::new(text, &tape, Origin::START);
        Capabilities::of(doc.root(), &"/params/capabilities")
    }

    #[test]
    fn capabilities_are_found_by_their_paths() {
        for others in [0, FEW] {
            let others: String = (0..others).map(|other| format!(r#","z{other}":true"#)).collect();
            let capabilities = capabilities(&format!(
                r#"{{"fs":{{"read":true,"~/x":{{"y":1}}}},"read":false,"a.b":true,
                "_meta":{{"one":1}},"deep":{{"2":{{"3":{{"4":{{"5":{{"6":true}}}}}}}}}}{others}}}"#,
            ));
            for (path, kind, pointer) in [
                ("fs", Kind::Object, "/params/capabilities/fs"),
                ("fs.read", Kind::True, "/params/capabilities/fs/read"),
                ("read", Kind::False, "/params/capabilities/read"),
                ("fs.~/x.y", Kind::Number, "/params/capabilities/fs/~0~1x/y"),
                ("deep.2.3.4.5", Kind::Object, "/params/capabilities/deep/2/3/4/5"),
            ] {
                let found = capabilities.get(path).expect(path);
                assert_eq!((found.kind(), &*found.pointer()), (kind, pointer), "{path}{others}");
            }
            for path in ["", "f", "fs.", "fs.write", "read.fs", "a.b", "_meta", "deep.2.3.4.5.6"] {
                assert!(capabilities.get(path).is_none(), "{path}{others}");
            }
            assert!(capabilities.mentions("one") && !capabilities.mentions("two"));
        }
    }

    #[test]
    fn so_much_is_not_searched_for_extensions() {
        for (length, may_be) in [(10, false), (CUSTOM - 3, false), (CUSTOM - 2, true)] {
            let text = format!(r#"{{"_meta":"{}","x":{{"_meta":0}}}}"#, "m".repeat(length));
            assert_eq!(capabilities(&text).mentions("acme.example"), may_be, "{length}");
        }
    }

    /// For tests: the names of a member's members do not repeat the member's own long name.
    #[test]
    fn names_of_capabilities_are_kept_once() {
        let members: Vec<_> = (0..1000).map(|number| format!("\"{number}\":true")).collect();
        let text = format!("{{\"{}\":{{{}}}}}", "n".repeat(10_000), members.join(","));
        let capabilities = capabilities(&text);
        assert_eq!(capabilities.members.len(), 1001);
        assert!(capabilities.names.len() <= text.len());
        assert!(capabilities.get(&format!("{}.999", "n".repeat(10_000))).is_some());
    }
}

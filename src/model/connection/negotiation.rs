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

/// The code by which version 2 refuses a version.
pub const UNSUPPORTED_VERSION: i64 = -32022;

/// What the two sides have negotiated.
#[derive(Clone, Debug, Default)]
pub struct Negotiation {
    phase: Phase,
    /// The first `initialize` request.
    pub first: Option<Anchor>,
    /// The last `initialize` request.
    pub request: Option<Anchor>,
    /// Number of the last `initialize` request.
    pub request_number: u64,
    /// The first request of the client after an `initialize`, other than another one.
    pub first_use: Option<Anchor>,
    /// The first request that the client sent while `initialize` was not answered: its method, and
    /// where that stands.
    pub pipelined: Option<(Box<str>, Anchor)>,
    /// The first message of the client, other than `initialize`, since the last one succeeded.
    pub continued: Option<Anchor>,
    /// The first message of the agent that came before any of the client.
    pub unprompted: Option<Anchor>,
    /// The number of calls before the client's first message.
    calls_unprompted: u64,
    /// The version that the last `initialize` offered, and where it stands. An `initialize` on an
    /// initialized connection counts once it has succeeded.
    pub offered: Option<(i64, Anchor)>,
    /// The version that the last answer named, and where.
    pub answered: Option<(i64, Anchor)>,
    /// The last answer to `initialize`.
    pub answer: Option<Anchor>,
    /// The first successful exchanges.
    pub exchanges: Vec<Exchange>,
    /// Whether the last answer refused the version as version 2 does.
    refused: bool,
    /// The version that the last answer is written in, where the one that it names is not published.
    evident: Option<Version>,
    client: Option<Capabilities>,
    agent: Option<Capabilities>,
    client_name: Option<Arc<str>>,
    agent_name: Option<Arc<str>>,
    /// The offer of an `initialize` on an initialized connection, until the answer.
    pending: Option<Offer>,
    /// Whether `proxy/*` messages were seen.
    pub proxied: bool,
    /// What the successor of a proxy answered to `initialize`: the version and where.
    pub successor: Option<(Option<i64>, Anchor)>,
}

/// A successful `initialize` whose versions are integers.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    pub offered: i64,
    pub answered: i64,
    /// The answered version.
    pub at: Anchor,
}

#[derive(Clone, Debug)]
struct Offer {
    version: Option<(i64, Anchor)>,
    capabilities: Capabilities,
    client_name: Option<Arc<str>>,
}

impl Negotiation {
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The version agreed on; before that, the one offered. In place of one that is not published
    /// stands the one that the answer is written in, else the one offered, else the newest published
    /// one when it is higher: no side gets rid of the rules by a number.
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

    /// The version that the last answer named, where that is not a published one.
    pub fn unpublished(&self) -> Option<i64> {
        let (number, _) = self.answered.filter(|_| self.phase == Phase::Agreed)?;
        Version::of(number).is_none().then_some(number)
    }

    /// The version agreed on, where it is above the published ones and the client has offered it: one
    /// whose messages have no known meaning.
    pub fn newer_version(&self) -> Option<i64> {
        let (offered, _) = self.offered?;
        self.unpublished().filter(|number| (1..=offered).contains(number))
    }

    /// What the client advertised with the last `initialize` that succeeded, or that is under way.
    pub fn client(&self) -> Option<&Capabilities> {
        self.client.as_ref()
    }

    /// What the agent advertised.
    pub fn agent(&self) -> Option<&Capabilities> {
        self.agent.as_ref()
    }

    /// The name that the client gave itself in the last `initialize` that was not refused.
    pub fn client_name(&self) -> Option<&Arc<str>> {
        self.client_name.as_ref()
    }

    /// The name that the agent gave itself when `initialize` succeeded last.
    pub fn agent_name(&self) -> Option<&Arc<str>> {
        self.agent_name.as_ref()
    }

    /// Whether all of the first `messages` messages were calls of the agent.
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
            self.unprompted = self.unprompted.or(Some(Anchor::of(call.node, Pointer::Whole)));
        }
    }

    /// Applies a call of the client.
    fn note_client(&mut self, method: &str, call: &Call<'_>, number: u64) {
        if method == "initialize" && call.id.is_some() {
            // No official peer reads a request out of an array.
            if call.batch.is_none() || self.phase == Phase::None {
                self.propose(call, number);
            }
        } else if call.uses_protocol() {
            let here = Some(Anchor::of(call.node, Pointer::Whole));
            match self.phase {
                Phase::None => self.phase = Phase::Skipped,
                Phase::Agreed => self.continued = self.continued.or(here),
                Phase::Proposed if call.id.is_some() && self.pipelined.is_none() => {
                    let at = Anchor::of(call.method.node(), Pointer::Method);
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
        let here = Anchor::of(call.node, Pointer::Whole);
        self.first = self.first.or(Some(here));
        self.request = Some(here);
        self.request_number = number;
        let offer = Offer {
            version: call.param("protocolVersion").and_then(|version| {
                Some((version.integer()?, Anchor::of(version, Pointer::ParamsProtocolVersion)))
            }),
            capabilities: [
                ("clientCapabilities", Pointer::ParamsClientCapabilities),
                ("capabilities", Pointer::ParamsCapabilities),
            ]
            .into_iter()
            .find_map(|(name, pointer)| Some(Capabilities::of(call.param(name)?, pointer)))
            .unwrap_or_else(|| Capabilities::absent(here)),
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
        self.client = Some(offer.capabilities);
        self.client_name = offer.client_name;
    }

    pub(super) fn apply_answer(&mut self, answer: &Answer<'_>, _number: u64) {
        match (&answer.request.facts, &*answer.request.method) {
            (RequestFacts::Initialize { .. }, "initialize") => self.settle(answer),
            (RequestFacts::Forwarded, _) => {
                self.successor = answer.result().map(|result| {
                    let version = result.get("protocolVersion");
                    let at = version.map_or_else(
                        || Anchor::of(result, Pointer::Result),
                        |version| Anchor::of(version, Pointer::ResultProtocolVersion),
                    );
                    (version.and_then(Node::integer), at)
                });
            }
            _ => {}
        }
    }

    fn settle(&mut self, answer: &Answer<'_>) {
        self.answer = Some(Anchor::of(answer.node, Pointer::Whole));
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
            Some((version.integer()?, Anchor::of(version, Pointer::ResultProtocolVersion)))
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
        self.agent = Some(
            [
                ("agentCapabilities", Pointer::ResultAgentCapabilities),
                ("capabilities", Pointer::ResultCapabilities),
            ]
            .into_iter()
            .find_map(|(name, pointer)| Some(Capabilities::of(result.get(name)?, pointer)))
            .unwrap_or_else(|| Capabilities::absent(Anchor::of(answer.node, Pointer::Whole)))
            .with(result.get("_meta")),
        );
    }
}

/// The `name` of an implementation in the first of these members that has one; shortened where it is
/// long.
fn name<'t>(get: impl Fn(&str) -> Option<Node<'t>>, members: [&str; 2]) -> Option<Arc<str>> {
    let name = members.into_iter().find_map(|member| get(member)?.get("name")?.text())?;
    Some(short_name(&name.as_cow()))
}

/// The version in whose words the params or the result of `initialize` are written; `None` where they
/// have words of both or of none.
pub fn written_in(part: Node<'_>) -> Option<Version> {
    let has = |members: &[&str]| members.iter().any(|member| part.get(member).is_some());
    let of_1 = has(&["agentCapabilities", "agentInfo", "clientCapabilities", "clientInfo"]);
    match (of_1, has(&["capabilities", "info"])) {
        (true, false) => Some(Version::V1),
        (false, true) => Some(Version::V2),
        _ => None,
    }
}

/// The capability object of one side.
#[derive(Clone, Debug)]
pub struct Capabilities {
    at: Anchor,
    /// Whether the value is neither an object nor null.
    is_malformed: bool,
    /// The members in the order of the text. Each comes after its parent.
    members: Vec<CapabilityMember>,
    /// Indices of the members, sorted by [`Capabilities::rank`]; empty while there are few members.
    order: Vec<u32>,
    /// The names of all members, joined.
    names: String,
    /// The texts of all `_meta` in the object; `None` when they are longer than [`CUSTOM`].
    custom: Option<String>,
}

/// A member of a capability object, at whatever depth.
#[derive(Clone, Debug)]
struct CapabilityMember {
    /// The index of its parent; `None` for a member of the capability object itself.
    holder: Option<u32>,
    /// The range of its name in the joined names.
    name: (u32, u32),
    kind: Kind,
    span: Span,
}

/// One member of a capability object.
#[derive(Clone, Copy, Debug)]
pub struct Capability<'c> {
    of: &'c Capabilities,
    member: &'c CapabilityMember,
}

/// The most successful exchanges that are kept.
const EXCHANGES: usize = 256;
/// Levels of a capability object that carry protocol members.
const DEPTH: usize = 5;
/// Up to this many members are searched one after the other; most objects have no more.
const FEW: usize = 16;
/// The texts of all `_meta` are kept and searched up to this many bytes.
const CUSTOM: usize = 64 << 10;

impl Capabilities {
    fn absent(at: Anchor) -> Self {
        let (members, order) = (Vec::new(), Vec::new());
        let custom = Some(String::new());
        Self { at, is_malformed: false, members, order, names: String::new(), custom }
    }

    fn of(node: Node<'_>, pointer: Pointer) -> Self {
        /// The names of most objects are no longer together.
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

    /// Adds the `_meta` beside the capability object, which counts as part of it.
    fn with(mut self, meta: Option<Node<'_>>) -> Self {
        if let Some(meta) = meta {
            self.add_custom(meta);
        }
        self
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

    /// The key by which a member is found: its parent, and its name.
    fn rank(&self, place: u32) -> (Option<u32>, usize, &str) {
        let member = &self.members[place as usize];
        let name = self.name(member);
        (member.holder, name.len(), name)
    }

    fn name(&self, member: &CapabilityMember) -> &str {
        let (start, end) = member.name;
        &self.names[start as usize..end as usize]
    }

    /// The capability object; the whole message where there is none.
    pub fn at(&self) -> Anchor {
        self.at
    }

    /// The advertised capabilities, each with its name, in the order of the text: the members that
    /// are `true` or an object.
    pub fn advertised(&self) -> impl Iterator<Item = (&str, Capability<'_>)> {
        let members = self.members.iter();
        let advertised = members.filter(|member| matches!(member.kind, Kind::True | Kind::Object));
        advertised.map(|member| (self.name(member), Capability { of: self, member }))
    }

    /// The member at a path of names joined by dots; `None` when it is absent.
    pub fn get(&self, path: &str) -> Option<Capability<'_>> {
        let step = |holder, name| Some(Some(self.find(holder, name)?));
        let place = path.split('.').try_fold(None, step)??;
        Some(Capability { of: self, member: &self.members[place as usize] })
    }

    /// The index of the member of this name.
    fn find(&self, holder: Option<u32>, name: &str) -> Option<u32> {
        let sought = (holder, name.len(), name);
        if self.order.is_empty() {
            return (0..narrow(self.members.len())).find(|place| self.rank(*place) == sought);
        }
        let rank = |place: &u32| self.rank(*place).cmp(&sought);
        Some(self.order[self.order.binary_search_by(rank).ok()?])
    }

    /// Whether the capability is advertised: `true` or an object. Anything malformed reads as
    /// unsupported, as official readers do.
    pub fn has(&self, path: &str) -> bool {
        self.get(path).is_some_and(|found| matches!(found.kind(), Kind::True | Kind::Object))
    }

    /// Whether the capability is not offered at all: there is no such member, or it or an object that
    /// would hold it is `false` or null. A value of the wrong type is an offer that readers drop.
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

    /// Whether the name of any member contains the word, or any `_meta` of the object does.
    pub fn speaks_of(&self, word: &str) -> bool {
        self.names.contains(word) || self.mentions(word)
    }

    /// The place that shows that a capability is not advertised: the member that declines it, else
    /// the object that lacks it.
    pub fn lack(&self, path: &str) -> Mark {
        self.get(path).map_or_else(|| self.at.into(), Mark::from)
    }

    /// Whether any `_meta` has a member whose name contains `sign` and whose value is neither
    /// `false` nor null, or contains `sign` elsewhere.
    pub fn grants(&self, sign: &str) -> bool {
        let Some(custom) = &self.custom else { return true };
        custom.match_indices(sign).any(|(at, _)| {
            let rest = custom[at..].split_once('"').map_or("", |(_, rest)| rest).trim_start();
            let value = rest.strip_prefix(':').map(str::trim_start);
            !value.is_some_and(|it| it.starts_with("false") || it.starts_with("null"))
        })
    }

    /// Whether any `_meta` of the object speaks of this extension, or may: more than 64 KiB of them
    /// are not searched.
    pub fn mentions(&self, extension: &str) -> bool {
        self.custom.as_ref().is_none_or(|custom| custom.contains(extension))
    }
}

impl Capability<'_> {
    /// The kind of the member's value.
    pub fn kind(&self) -> Kind {
        self.member.kind
    }

    /// JSON Pointer into the message.
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
        Capabilities::of(doc.root(), Pointer::ParamsCapabilities)
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

    /// Who gives a member a long name and many members of its own does not make each of them long.
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

//! The protocol's own vocabulary: sides, versions, surfaces, editions; and its schemas.

use std::fmt;

use crate::json::Node;

pub mod methods;
pub mod schema;

/// The members that JSON-RPC 2.0 defines for requests, notifications and responses.
pub const ENVELOPE_MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// One of the two sides of a connection: client or agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The code editor or other program that a person uses.
    Client,
    /// The program that works with a language model.
    Agent,
}

impl Side {
    /// The other side of the connection.
    #[must_use]
    pub fn peer(self) -> Self {
        match self {
            Self::Client => Self::Agent,
            Self::Agent => Self::Client,
        }
    }

    /// Name of the side in options, messages and outputs: `client` or `agent`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Agent => "agent",
        }
    }

    /// Direction in which the side sends, as recordings of acpcheck write it
    /// (`schema/record.schema.json`): `c2a` or `a2c`.
    pub fn direction(self) -> &'static str {
        match self {
            Self::Client => "c2a",
            Self::Agent => "a2c",
        }
    }

    /// Index of a side in arrays of three counts: 0 for the client, 1 for the agent, 2 for an
    /// unknown side.
    pub fn index(side: Option<Self>) -> usize {
        side.map_or(2, |side| side as usize)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A published version of the protocol, which `initialize` negotiates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    V1,
    V2,
}

impl Version {
    /// The version with this `protocolVersion`; `None` for one that is not published.
    pub fn of(number: i64) -> Option<Self> {
        match number {
            1 => Some(Self::V1),
            2 => Some(Self::V2),
            _ => None,
        }
    }

    /// The published version that is not this one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::V1 => Self::V2,
            Self::V2 => Self::V1,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1 => "1",
            Self::V2 => "2",
        })
    }
}

/// A version of the protocol with or without its drafts: the schema by which messages are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Surface {
    V1,
    V1Unstable,
    V2,
    V2Unstable,
}

impl Surface {
    pub const ALL: [Self; 4] = [Self::V1, Self::V1Unstable, Self::V2, Self::V2Unstable];

    pub fn version(self) -> Version {
        match self {
            Self::V1 | Self::V1Unstable => Version::V1,
            Self::V2 | Self::V2Unstable => Version::V2,
        }
    }

    /// Whether the surface includes the drafts of the protocol.
    pub fn is_unstable(self) -> bool {
        matches!(self, Self::V1Unstable | Self::V2Unstable)
    }

    /// The surface (version and schema) without drafts.
    pub fn stable(version: Version) -> Self {
        match version {
            Version::V1 => Self::V1,
            Version::V2 => Self::V2,
        }
    }

    /// The surface (version and schema) with drafts.
    pub fn unstable(version: Version) -> Self {
        match version {
            Version::V1 => Self::V1Unstable,
            Version::V2 => Self::V2Unstable,
        }
    }

    /// Name of the surface in options and outputs, such as `v1-unstable`.
    pub fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1Unstable => "v1-unstable",
            Self::V2 => "v2",
            Self::V2Unstable => "v2-unstable",
        }
    }
}

impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of surfaces (versions with or without drafts), to say where a rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surfaces(u8);

impl Surfaces {
    pub const V1: Self = Self(0b0011);
    pub const V2: Self = Self(0b1100);
    pub const ALL: Self = Self(0b1111);
    pub const UNSTABLE: Self = Self(0b1010);
    pub const V1_UNSTABLE: Self = Self(0b0010);
    pub const V2_UNSTABLE: Self = Self(0b1000);
    /// All surfaces except stable version 1: for rules about what is a draft on version 1.
    pub const V1_UNSTABLE_AND_V2: Self = Self(0b1110);

    pub fn contains(self, surface: Surface) -> bool {
        self.0 & (1 << surface as u8) != 0
    }

    /// Whether the set has a surface of the version. A rule for drafts applies on the stable
    /// surface too, because drafts are judged wherever they are used.
    pub fn applies_to(self, version: Version) -> bool {
        self.contains(Surface::stable(version)) || self.contains(Surface::unstable(version))
    }

    pub fn iter(self) -> impl Iterator<Item = Surface> {
        Surface::ALL.into_iter().filter(move |surface| self.contains(*surface))
    }
}

/// A state of the protocol's schemas at a time. Drafts changed without a new version number, so a
/// transcript may have to be judged by an older edition. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edition {
    /// 27 May to 5 June 2026: capability `planCapabilities`, plan identifier `id`.
    May2026,
    /// 5 June to 1 July 2026: capability `plan`, plan identifier still `id`.
    June2026,
    /// The edition of 22 August 2026, in which plans are identified by `planId`.
    August2026,
    /// The edition of late September 2026, which the official test kit (TCK) uses.
    September2026,
    /// 2 to 20 November 2026: npm SDK 2.4.0. Plan operations and subagents are drafts.
    November2026,
    /// From 20 November 2026: the vendored schemas. Plan operations and subagents are stable.
    LateNovember2026,
}

impl Edition {
    pub const CURRENT: Self = Self::LateNovember2026;
    /// The edition before the current one, for requirements that are new in [`Edition::CURRENT`].
    pub const PREVIOUS: Self = Self::November2026;
    pub const ALL: [Self; 6] = [
        Self::May2026,
        Self::June2026,
        Self::August2026,
        Self::September2026,
        Self::November2026,
        Self::LateNovember2026,
    ];

    /// Name of the edition in options and outputs, such as `2026-09`.
    pub fn name(self) -> &'static str {
        match self {
            Self::May2026 => "2026-05",
            Self::June2026 => "2026-06",
            Self::August2026 => "2026-08",
            Self::September2026 => "2026-09",
            Self::November2026 => "2026-11",
            Self::LateNovember2026 => "2026-11-20",
        }
    }

    /// The name of the member with the id of a plan: at index 0 in this edition, at index 1 in the
    /// other editions. It was renamed on 1 July 2026.
    pub fn plan_ids(self) -> [&'static str; 2] {
        if self <= Self::June2026 { ["id", "planId"] } else { ["planId", "id"] }
    }

    /// Name of the client capability for plan operations on version 1. It was renamed on 5 June
    /// 2026.
    pub fn plan_capability(self) -> &'static str {
        if self == Self::May2026 { "planCapabilities" } else { "plan" }
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl schema::Method {
    /// The schemas of the method as a request (`has_id`) or as a notification; those of the other
    /// kind where the method has only that.
    pub fn call(&self, has_id: bool) -> Option<&schema::CallSchema> {
        let (first, second) = (self.request.as_ref(), self.notification.as_ref());
        if has_id { first.or(second) } else { second.or(first) }
    }
}

impl<'t> schema::Observation<'t> {
    /// The value, or the name of the member, that the observation is about.
    pub fn node(&self) -> Node<'t> {
        match *self {
            Self::UnknownMember { name, .. } | Self::DraftMember { name, .. } => name,
            Self::DraftMethod { method } => method,
            Self::DraftVariant { value, .. }
            | Self::DraftValue { value, .. }
            | Self::OpenValue { value, .. }
            | Self::CustomValue { value, .. }
            | Self::MetaNotObject { value }
            | Self::EmptyIdentifier { value, .. }
            | Self::NullForList { value, .. } => value,
            Self::Fallthrough { object, .. } => object,
        }
    }

    /// Whether the value fits only the schema with drafts: the stable schema refuses it.
    pub fn is_draft_construct(&self) -> bool {
        matches!(self, Self::DraftVariant { .. } | Self::DraftValue { .. })
    }

    /// Whether the observation is about a member that only the schema with drafts defines.
    pub fn is_draft_member(&self) -> bool {
        matches!(self, Self::DraftMember { .. })
    }
}

impl<'t> schema::SchemaFault<'t> {
    /// The fault of an object that lacks the member `name`, such as a message without `params`.
    pub fn missing(object: Node<'t>, name: &'static str, type_name: &'static str) -> Self {
        let kind = schema::FaultKind::Missing { name };
        let effect = schema::Effect::Rejected;
        Self { node: object, kind, effect, type_name, is_recent: false }
    }
}

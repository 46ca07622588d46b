//! What a rule is: a value that names a requirement, and how to tell whether an event meets it.

pub mod opening;
pub mod prelude;

use std::{borrow::Cow, fmt, hash::Hash};

use crate::{
    event::{Block, Call, End, Flaw, Message, PlanRemoved, Update},
    json::Node,
    map,
    model::{Answer, Connection, Mark, Observed, PlanUpdated, Rejected, Request, Stray},
    protocol::{Edition, Side, Surface, Surfaces, Version},
    source::Span,
};

/// One requirement of the protocol, and how to tell whether an event meets it.
#[derive(Debug)]
pub struct Rule {
    /// `family/kebab-case`, stable for ever: users write it in configuration, and tools key on it.
    pub id: &'static str,
    /// What goes wrong, in one line without a full stop.
    pub summary: &'static str,
    /// How strongly the sources put it.
    pub level: By<Level>,
    /// How findings are reported by default.
    pub severity: By<Severity>,
    /// Whose conduct the rule judges.
    pub binds: Bound,
    pub surfaces: Surfaces,
    /// What must be known before the rule may speak.
    pub gates: By<Gates>,
    /// The editions in which the requirement stands.
    pub editions: By<Editions>,
    pub cites: &'static [Citation],
    /// Markdown, for `acpcheck explain`: why it matters, and what happens to who breaks it.
    pub explanation: &'static str,
    /// Requirements of the official TCK that it covers.
    pub tck: &'static [&'static str],
    /// At least one; the first is shown by `acpcheck explain`.
    pub examples: &'static [Example],
    /// The events the rule observes, each with its check.
    pub on: &'static [On],
}

impl Rule {
    /// The values that most rules have for `gates`, `editions` and `tck`. A rule states all other
    /// members: `tests/catalogue.rs` refuses one that does not.
    pub const DEFAULT: Self = Self {
        id: "",
        summary: "",
        level: By::both(Level::Hint),
        severity: By::both(Severity::Off),
        binds: Bound::Either,
        surfaces: Surfaces::ALL,
        gates: By::both(Gates::NONE),
        editions: By::both(Editions::ALL),
        cites: &[],
        explanation: "",
        tck: &[],
        examples: &[],
        on: &[],
    };

    /// The part of the id before the slash.
    pub fn family(&self) -> &'static str {
        self.id.split('/').next().unwrap_or(self.id)
    }
}

/// A value for each version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct By<T> {
    pub v1: T,
    pub v2: T,
}

impl<T: Copy> By<T> {
    /// The same value for both versions.
    pub const fn both(value: T) -> Self {
        Self { v1: value, v2: value }
    }

    pub const fn each(v1: T, v2: T) -> Self {
        Self { v1, v2 }
    }

    pub fn of(self, version: Version) -> T {
        match version {
            Version::V1 => self.v1,
            Version::V2 => self.v2,
        }
    }
}

/// How strongly the sources put a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Must,
    MustNot,
    Should,
    ShouldNot,
    /// No keyword in the prose, but enforced by the schema.
    Schema,
    /// Follows from a MUST or from a definition.
    Derived,
    /// Advice.
    Hint,
    /// Decided for this tool, because the sources leave it open or soft.
    Contract,
}

impl Level {
    /// As `rules` and `explain` print it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::MustNot => "MUST NOT",
            Self::Should => "SHOULD",
            Self::ShouldNot => "SHOULD NOT",
            Self::Schema => "schema",
            Self::Derived => "derived",
            Self::Hint => "hint",
            Self::Contract => "contract",
        }
    }
}

/// How loudly a finding is reported. Ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Not looked for unless asked.
    Off,
    Info,
    Warning,
    Error,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whose conduct a rule judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Client,
    Agent,
    /// Both have the duty, or nobody can tell whose it was.
    Either,
    /// Whichever side sent the message.
    Sender,
    /// Whichever side owes or sent the answer.
    Responder,
}

impl Bound {
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Agent => "agent",
            Self::Either => "either",
            Self::Sender => "sender",
            Self::Responder => "responder",
        }
    }
}

/// What must be known before a rule may speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gates(u8);

impl Gates {
    pub const NONE: Self = Self(0);
    /// H: the beginning of the connection is on record.
    pub const HEAD: Self = Self(1);
    /// I: the `initialize` exchange is on record.
    pub const INITIALIZED: Self = Self(2);
    /// O: the session's birth is on record, and it was not loaded, resumed or forked since. The
    /// check asks the session itself; the flag is for the reader.
    pub const ORIGIN: Self = Self(4);
    /// D: the sender is known.
    pub const DIRECTION: Self = Self(8);
    /// T: the end of the connection is on record.
    pub const TAIL: Self = Self(16);

    /// The gates of both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all gates of `other` are among these.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These gates except those of `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// A range of editions, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Editions {
    pub from: Edition,
    pub to: Edition,
}

impl Editions {
    pub const ALL: Self = Self { from: Edition::May2026, to: Edition::CURRENT };

    pub const fn since(from: Edition) -> Self {
        Self { from, to: Edition::CURRENT }
    }

    pub const fn until(to: Edition) -> Self {
        Self { from: Edition::May2026, to }
    }

    /// Whether the edition lies in the range.
    pub fn contains(self, edition: Edition) -> bool {
        self.from <= edition && edition <= self.to
    }
}

/// Where a requirement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The version whose pages it stands in; `None` for both.
    pub version: Option<Version>,
    pub source: SourceText,
    /// The requirement in our own words, a sentence without a full stop.
    pub requires: &'static str,
}

/// A text that states requirements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceText {
    /// A page of agentclientprotocol.com with its anchor, such as `protocol/v1/agent-plan#updating-plans`.
    Page(&'static str),
    /// A definition of the vendored schemas.
    Definition(&'static str),
    /// A section of JSON-RPC 2.0, such as `5.1`.
    JsonRpc(&'static str),
    /// A section of an RFC, such as `RFC 8259 §4`.
    Rfc(&'static str),
    /// Anything else, described.
    Other(&'static str),
}

impl SourceText {
    /// Where it can be read on the web.
    pub fn url(self) -> Option<String> {
        match self {
            Self::Page(page) => Some(format!("https://agentclientprotocol.com/{page}")),
            Self::JsonRpc(_) => Some("https://www.jsonrpc.org/specification".to_owned()),
            Self::Rfc(text) => {
                let number = text.strip_prefix("RFC ")?.split(' ').next()?;
                Some(format!("https://www.rfc-editor.org/rfc/rfc{number}"))
            }
            Self::Definition(_) | Self::Other(_) => None,
        }
    }
}

impl fmt::Display for SourceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Page(page) => write!(f, "https://agentclientprotocol.com/{page}"),
            Self::Definition(name) => write!(f, "schema definition `{name}`"),
            Self::JsonRpc(section) => write!(f, "JSON-RPC 2.0 §{section}"),
            Self::Rfc(text) | Self::Other(text) => f.write_str(text),
        }
    }
}

/// A conversation that breaks a rule, and its neighbour that does not.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub surface: Surface,
    /// What stands before both.
    pub opening: Opening,
    /// Messages, one a line, that break the rule once and no other rule.
    pub bad: &'static str,
    /// Messages, one a line, that exercise the rule and break none.
    pub good: &'static str,
    /// The edition to judge by; `None` for the default.
    pub edition: Option<Edition>,
    /// Whether the end of the conversation is the end of the connection.
    pub closed: bool,
    /// Rules that judge the other side's part in the same exchange and speak in both conversations.
    pub beside: &'static [&'static str],
    /// Whether it shows several connections, each judged by the version that it negotiates.
    pub has_hops: bool,
}

impl Example {
    /// An example in the default edition whose end is open.
    pub const fn new(
        surface: Surface,
        opening: Opening,
        bad: &'static str,
        good: &'static str,
    ) -> Self {
        Self {
            surface,
            opening,
            bad,
            good,
            edition: None,
            closed: false,
            beside: &[],
            has_hops: false,
        }
    }

    /// The same, judged by a pinned edition.
    pub const fn in_edition(self, edition: Edition) -> Self {
        Self { edition: Some(edition), ..self }
    }

    /// The same, where the other side cannot but break these rules.
    #[must_use]
    pub const fn beside(self, beside: &'static [&'static str]) -> Self {
        Self { beside, ..self }
    }

    /// The same for a recording of several connections, each judged by the version that it
    /// negotiates.
    #[must_use]
    pub const fn with_hops(self) -> Self {
        Self { has_hops: true, ..self }
    }

    /// The surface to judge by; `None` for that of each connection's version.
    pub fn pinned(&self) -> Option<Surface> {
        (!self.has_hops).then_some(self.surface)
    }

    /// The same, with the end of the connection on record.
    pub const fn closed(self) -> Self {
        Self { closed: true, ..self }
    }
}

/// What stands before an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Nothing: the example begins the connection.
    None,
    /// `initialize` with every capability advertised by both sides, ids 0; no session.
    Initialized,
    /// As `Initialized`, and a session `s` born by `session/new` (id 1).
    Session,
    /// As `Session`, and a prompt `session/prompt` (id 2) under way; on version 2 it is answered,
    /// its user message `u1` is reported and the state is running.
    Turn,
    /// As `Session`, but neither side advertises any capability.
    Bare,
}

/// The event that a rule observes, with its check. Names select among calls, answers and updates;
/// no name selects all.
#[derive(Clone, Copy, Debug)]
pub enum On {
    /// A passage that is no message.
    Flaw(fn(&Flaw, &Connection) -> Option<Verdict>),
    /// A message of any kind, batches too.
    Message(fn(&Message<'_>, &Connection) -> Option<Verdict>),
    /// A request or notification with one of these methods.
    Call(&'static [&'static str], fn(&Call<'_>, &Connection) -> Option<Verdict>),
    /// A response to a request with one of these methods.
    Answer(&'static [&'static str], fn(&Answer<'_>, &Connection) -> Option<Verdict>),
    /// A response to no outstanding request.
    Stray(fn(&Stray<'_>, &Connection) -> Option<Verdict>),
    /// A session update of one of these kinds.
    Update(&'static [&'static str], fn(&Update<'_>, &Connection) -> Option<Verdict>),
    /// A content block of one of these types, wherever a call has one.
    Block(&'static [&'static str], fn(&Block<'_>, &Connection) -> Option<Verdict>),
    /// A plan to be shown.
    Plan(fn(&PlanUpdated<'_>, &Connection) -> Option<Verdict>),
    /// A plan to be dismissed.
    PlanRemoved(fn(&PlanRemoved<'_>, &Connection) -> Option<Verdict>),
    /// A place that the schema refuses and no other finding explains.
    Rejected(fn(&Rejected<'_>, &Connection) -> Option<Verdict>),
    /// A place that the schema admits, that is worth a look, and that no other finding explains.
    Observed(fn(&Observed<'_>, &Connection) -> Option<Verdict>),
    /// A request without an answer when the transcript ends.
    LeftOpen(fn(&Request, &Connection) -> Option<Verdict>),
    /// The end of the connection's transcript.
    End(fn(&End, &Connection) -> Option<Verdict>),
}

/// What a check found. `None` in its place: the rule had nothing to say about the event.
#[must_use]
#[derive(Debug)]
pub enum Verdict {
    /// The rule's condition was met, and the event complies.
    Pass,
    /// It was met, and the event does not comply; not empty.
    Fail(Vec<Finding>),
}

impl Verdict {
    /// How many faults of one message a rule tells. Whoever has sent more has enough to begin with.
    pub const MOST: usize = 1000;

    /// One verdict for several, which may be of several messages; `None` when there are none.
    pub fn all(verdicts: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut all: Option<Vec<Finding>> = None;
        for verdict in verdicts {
            let findings = all.get_or_insert_default();
            if let Self::Fail(found) = verdict {
                findings.extend(found);
            }
        }
        all.map(Self::of)
    }

    /// `Pass` when there are no findings. For those of several messages.
    pub fn of(findings: Vec<Finding>) -> Self {
        if findings.is_empty() { Self::Pass } else { Self::Fail(findings) }
    }
}

impl From<Finding> for Verdict {
    fn from(finding: Finding) -> Self {
        Self::Fail(vec![finding])
    }
}

impl FromIterator<Finding> for Verdict {
    /// `Pass` when there are no findings. Takes no more than [`Verdict::MOST`]: [`Verdict::of`] and
    /// [`Verdict::all`] take all.
    fn from_iter<I: IntoIterator<Item = Finding>>(findings: I) -> Self {
        Self::of(findings.into_iter().take(Self::MOST).collect())
    }
}

impl From<Option<Finding>> for Verdict {
    fn from(finding: Option<Finding>) -> Self {
        finding.map_or(Self::Pass, Self::from)
    }
}

/// One fault: what happened, where, and what to do. Knows neither rule nor severity.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The fault as a fact about the conversation, in the present tense, lower-case.
    pub message: Cow<'static, str>,
    /// The first is the fault itself; the others are earlier places that explain it.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Option<Cow<'static, str>>,
    /// Reported like this instead of by the rule's own severity, if that is not off.
    pub severity: Option<Severity>,
    /// Whose fault it is, where the rule's `binds` does not tell.
    pub blames: Option<Side>,
    /// What this finding explains, so that no other speaks of it.
    pub claims: Vec<Claim>,
    /// Findings of one rule with the same key collapse into the first and a count.
    pub key: Option<u64>,
}

impl Finding {
    #[cold]
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            message: bounded(message.into()),
            labels: Vec::new(),
            help: None,
            severity: None,
            blames: None,
            claims: Vec::new(),
            key: None,
        }
    }

    /// Adds a place. The first is the primary one.
    #[must_use]
    pub fn at(mut self, mark: impl Into<Mark>, message: impl Into<Cow<'static, str>>) -> Self {
        let Mark { span, pointer } = mark.into();
        self.labels.push(Label { span, pointer, message: bounded(message.into()) });
        self
    }

    /// Adds a place if there is one.
    #[must_use]
    pub fn and_at(
        self,
        mark: Option<impl Into<Mark>>,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        match mark {
            Some(mark) => self.at(mark, message),
            None => self,
        }
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(bounded(help.into()));
        self
    }

    /// Reports it like this instead of by the rule's own severity.
    #[must_use]
    pub fn as_severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    #[must_use]
    pub fn blaming(mut self, side: Option<Side>) -> Self {
        self.blames = side;
        self
    }

    /// The finding explains whatever schema and extension rules would say about this value and
    /// everything in it.
    #[must_use]
    pub fn explains(mut self, node: Node<'_>) -> Self {
        self.claims.push(Claim { within: node.span(), missing: None });
        self
    }

    /// The finding explains that this member is missing from the object.
    #[must_use]
    pub fn explains_missing(mut self, object: Node<'_>, name: &'static str) -> Self {
        self.claims.push(Claim { within: object.span(), missing: Some(name) });
        self
    }

    /// Collapses findings of the same rule and key into one with a count.
    #[must_use]
    pub fn once_per(mut self, key: impl Hash) -> Self {
        self.key = Some(map::hash_of(key));
        self
    }
}

/// A sentence, of which nobody reads the middle where a text of the transcript in it is long: texts may
/// have megabytes, and be told of a thousand times.
fn bounded(sentence: Cow<'static, str>) -> Cow<'static, str> {
    /// In bytes; what rules say by themselves is shorter.
    const LONGEST: usize = 2000;
    /// In characters.
    const BEGINNING: usize = 400;
    const END: usize = 100;
    if sentence.len() <= LONGEST {
        return sentence;
    }
    let place = |found: Option<(usize, char)>| found.map_or(0, |(at, _)| at);
    let beginning = &sentence[..place(sentence.char_indices().nth(BEGINNING))];
    let end = &sentence[place(sentence.char_indices().rev().nth(END - 1))..];
    format!("{beginning}…{end}").into()
}

/// A place in a finding.
#[derive(Clone, Debug)]
pub struct Label {
    pub span: Span,
    /// JSON Pointer into the message; `None` where there is no message.
    pub pointer: Option<Cow<'static, str>>,
    pub message: Cow<'static, str>,
}

/// What a finding explains: all in a range of the message, or only that a member is missing from
/// the object that fills the range.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    pub within: Span,
    pub missing: Option<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_have_an_end() {
        for (text, cut) in [("x".repeat(1900), false), ("x".repeat(1_000_000), true)] {
            let message = Finding::new(format!("`{text}` is unknown")).message;
            assert!(message.starts_with("`xxx") && message.ends_with("xxx` is unknown"));
            assert_eq!((message.len() < 1000, message.contains('…')), (cut, cut));
        }
        // Characters are not cut in two.
        let wide = bounded("計".repeat(700).into());
        assert_eq!(wide.chars().filter(|character| *character == '計').count(), 500);
    }
}

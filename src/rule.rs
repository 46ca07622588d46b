//! The form of a rule: one requirement of the protocol, its documentation, and the functions that
//! check events against it.
//!
//! In: an event and the state of the connection before it. Out: a [`Verdict`], with a [`Finding`]
//! for each fault. The rules themselves are in [`rules`](crate::rules); who calls them, and what
//! severity a finding has in the end, is decided in [`check`](mod@crate::check).

pub mod opening;
pub mod prelude;

use std::{borrow::Cow, fmt, hash::Hash, sync::Arc};

use crate::{
    event::{Block, Call, End, Flaw, Message, PlanRemoved, Update},
    json::Node,
    map,
    model::{Answer, Connection, Mark, Observed, PlanUpdated, Rejected, Request, Stray},
    protocol::{Edition, Side, Surface, Surfaces, Version},
    source::{Position, Span},
    transcript::limits::Loss,
};

/// One requirement of the protocol, with the functions that check messages and other events against
/// it.
#[derive(Debug)]
pub struct Rule {
    /// Identifies the rule as `family/kebab-case`. Never changes: users write it in configuration,
    /// tools store it.
    pub id: &'static str,
    /// The fault that the rule reports, in one line without a full stop.
    pub summary: &'static str,
    /// How strongly the sources state the requirement, such as MUST, for each version.
    pub level: By<Level>,
    /// The severity of the rule's findings on each version, unless the user configures another.
    pub severity: By<Severity>,
    /// Severities that some findings of the rule have instead of `severity`, each with the
    /// condition, such as `where the plan is lost`.
    pub variants: &'static [(Severity, &'static str)],
    /// The side that has to meet the requirement, and that findings count against.
    pub binds: Bound,
    /// The surfaces that have the requirement: the versions, with or without drafts.
    pub surfaces: Surfaces,
    /// What has to be on record before the rule may be checked, for each version.
    pub gates: By<Gates>,
    /// The editions of the schemas that have the requirement, for each version.
    pub editions: By<Editions>,
    /// What a recording must have kept for the rule to be assessable, where `on` and `gates` do not
    /// imply it. [`check`](mod@crate::check) compares this with what the recorder's format loses.
    pub needs: &'static [Loss],
    /// The places in the documentation and other sources that state the requirement.
    pub cites: &'static [Citation],
    /// Ids of the requirements that the rule checks, in the index of
    /// [`requirements`](crate::requirements).
    pub requirements: &'static [&'static str],
    /// Whether it reports more than its requirement says. Its verdicts then name the requirements that
    /// they are about.
    pub is_wider: bool,
    /// Markdown for `acpcheck explain`: why the requirement matters, and what happens when it is
    /// broken.
    pub explanation: &'static str,
    /// Ids of the requirements in the official test kit (TCK) that the rule covers.
    pub tck: &'static [&'static str],
    /// Short conversations that break and meet the rule, at least one. `acpcheck explain` shows the
    /// first; tests check all.
    pub examples: &'static [Example],
    /// The kinds of events that the rule checks, such as updates, each with the function that
    /// checks it.
    pub on: &'static [On],
}

impl Rule {
    /// Defaults for the members that most rules share: `variants`, `gates`, `editions`, `needs`,
    /// `requirements`, `is_wider` and `tck`. Every rule states all other members: `tests/catalogue.rs`
    /// fails for one that does not.
    pub const DEFAULT: Self = Self {
        id: "",
        summary: "",
        level: By::both(Level::Hint),
        severity: By::both(Severity::Off),
        variants: &[],
        binds: Bound::Either,
        surfaces: Surfaces::ALL,
        gates: By::both(Gates::NONE),
        editions: By::both(Editions::ALL),
        needs: &[],
        cites: &[],
        requirements: &[],
        is_wider: false,
        explanation: "",
        tck: &[],
        examples: &[],
        on: &[],
    };

    /// Whether the rule can bind this side on connections of this version, judged by the schemas of
    /// this edition.
    pub fn applies_to(&self, side: Side, version: Version, edition: Edition) -> bool {
        let may_bind = match self.binds {
            Bound::Agent => side == Side::Agent,
            Bound::Client => side == Side::Client,
            Bound::Either | Bound::Sender | Bound::Responder => true,
        };
        may_bind && self.surfaces.applies_to(version) && self.editions.of(version).contains(edition)
    }

    /// The part of the rule's id before the slash, such as `plan`; rules are configured by it.
    pub fn family(&self) -> &'static str {
        self.id.split('/').next().unwrap_or(self.id)
    }
}

/// A value for each of the two protocol versions, such as a severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct By<T> {
    pub v1: T,
    pub v2: T,
}

impl<T: Copy> By<T> {
    /// One value for both protocol versions.
    pub const fn both(value: T) -> Self {
        Self { v1: value, v2: value }
    }

    /// A value for version 1 and another for version 2.
    pub const fn each(v1: T, v2: T) -> Self {
        Self { v1, v2 }
    }

    /// The value that holds for this version.
    pub fn of(self, version: Version) -> T {
        match version {
            Version::V1 => self.v1,
            Version::V2 => self.v2,
        }
    }
}

/// How strongly the sources of the protocol state a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Must,
    MustNot,
    Should,
    ShouldNot,
    /// The schema demands it; the prose has no keyword such as MUST for it.
    Schema,
    /// The requirement follows from a MUST or from a definition, without being stated itself.
    Derived,
    /// The requirement is advice that the sources do not demand.
    Hint,
    /// The requirement is a decision of acpcheck where the sources leave the question open.
    Contract,
}

impl Level {
    /// The name of the level that `rules` and `explain` print, such as "MUST NOT".
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

/// How severe a finding is, from `Off` (not reported) to `Error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The rule is not checked and its findings are not reported, unless the user gives it another
    /// severity.
    Off,
    Info,
    Warning,
    Error,
}

impl Severity {
    /// The name of the severity in configuration and reports.
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

/// The side that a requirement binds, and that findings count against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Client,
    Agent,
    /// Both sides must keep the rule, or the transcript does not show which of them had to.
    Either,
    /// The side that sent the message which breaks the rule.
    Sender,
    /// The side that sent the answer which breaks the rule, or that should have sent one.
    Responder,
}

impl Bound {
    /// The name of the bound side in reports, such as "client" or "either".
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

/// A set of conditions on the recording that have to hold before a rule may be checked, such as
/// that the beginning of the connection is on record. Each has a letter in the table of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gates(u8);

impl Gates {
    pub const NONE: Self = Self(0);
    /// Gate H, for rules that need it: the beginning of the connection is on record.
    pub const HEAD: Self = Self(1);
    /// Gate I, for rules that need it: the `initialize` exchange is on record.
    pub const INITIALIZED: Self = Self(2);
    /// Gate O, for rules that need it: the session's creation is on record, and it was not loaded,
    /// resumed or forked since. Checked by the functions of rules; stated here for the
    /// documentation.
    pub const ORIGIN: Self = Self(4);
    /// Gate D, for rules that need it: the sender of the message is known.
    pub const DIRECTION: Self = Self(8);
    /// Gate T, for rules that need it: the end of the connection is on record.
    pub const TAIL: Self = Self(16);

    /// All gates (things that must be known before a rule may be checked) of both sets.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether this set has everything that `other` has.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// What this set demands to be known and `other` does not.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// A range of editions of the schemas, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Editions {
    pub from: Edition,
    pub to: Edition,
}

impl Editions {
    /// The range from the first edition to the current one.
    pub const ALL: Self = Self { from: Edition::May2026, to: Edition::CURRENT };

    /// The range from an edition, included, to the current one.
    pub const fn since(from: Edition) -> Self {
        Self { from, to: Edition::CURRENT }
    }

    /// The range from the first edition to the given one, included.
    pub const fn until(to: Edition) -> Self {
        Self { from: Edition::May2026, to }
    }

    /// Whether the edition is in the range, ends included.
    pub fn contains(self, edition: Edition) -> bool {
        self.from <= edition && edition <= self.to
    }
}

/// A place in a source, such as the protocol's documentation, that states a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The protocol version for which the source states the requirement; `None` for both.
    pub version: Option<Version>,
    /// Where the source with the requirement is to be found.
    pub source: SourceText,
    /// The requirement in acpcheck's own words, a sentence without a full stop.
    pub requires: &'static str,
}

/// A place in a source, such as a page, that states a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceText {
    /// A page of agentclientprotocol.com with its anchor, such as
    /// `protocol/v1/agent-plan#updating-plans`.
    Page(&'static str),
    /// The name of a definition in the protocol's schemas.
    Definition(&'static str),
    /// A section of the JSON-RPC 2.0 specification, such as `5.1`.
    JsonRpc(&'static str),
    /// A section of an RFC, written such as `RFC 8259 §4`.
    Rfc(&'static str),
    /// Another source, named in words.
    Other(&'static str),
}

impl SourceText {
    /// The web address of the source; `None` for definitions and other sources without one.
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

/// Two short conversations for the documentation of a rule: one that breaks it, and one that meets
/// it.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The surface (version, with or without drafts) by which both conversations are checked.
    pub surface: Surface,
    /// The messages before both conversations of the example, which are the same in many examples.
    pub opening: Opening,
    /// Messages, one on each line, that break the rule once and no other rule.
    pub bad: &'static str,
    /// Messages, one on each line, that the rule applies to and that break no rule.
    pub good: &'static str,
    /// The edition of the schemas by which both conversations are checked; `None` for the default.
    pub edition: Option<Edition>,
    /// Whether the connection ends with the last message, so that missing messages are reported.
    pub closed: bool,
    /// Ids of other rules that both conversations break, because the exchange cannot be shown
    /// otherwise.
    pub beside: &'static [&'static str],
    /// Whether the messages are of several connections (through a proxy), each checked by its own
    /// version.
    pub has_hops: bool,
}

impl Example {
    /// An example in the default edition, on one connection that is still open at its end.
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

    /// Makes the example be checked by this edition of the schemas.
    pub const fn in_edition(self, edition: Edition) -> Self {
        Self { edition: Some(edition), ..self }
    }

    /// The example, whose conversations may break these other rules as well.
    #[must_use]
    pub const fn beside(self, beside: &'static [&'static str]) -> Self {
        Self { beside, ..self }
    }

    /// Makes the example a recording of several connections, each checked by its own version.
    #[must_use]
    pub const fn with_hops(self) -> Self {
        Self { has_hops: true, ..self }
    }

    /// The surface by which all connections of the example are checked; `None` when each is checked
    /// by the version that it negotiates.
    pub fn pinned(&self) -> Option<Surface> {
        (!self.has_hops).then_some(self.surface)
    }

    /// Makes the example end with the end of its connection.
    pub const fn closed(self) -> Self {
        Self { closed: true, ..self }
    }
}

/// The messages that come before an example, so that it need not repeat them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// No messages: the example begins the connection.
    None,
    /// `initialize` (id 0), in which both sides advertise every capability. No session.
    Initialized,
    /// `Initialized`, and a session `s`, created by `session/new` (id 1).
    Session,
    /// `Session`, and a `session/prompt` (id 2) in progress. On version 2 the prompt is answered,
    /// its user message `u1` is reported and the state is `running`.
    Turn,
    /// `initialize` and a session as in `Session`, but no side advertises a capability.
    Bare,
}

/// A kind of event that a rule checks, with the function that checks it.
///
/// A list of names selects methods, kinds of updates or types of blocks; an empty list selects all.
/// The function returns `None` when the rule does not apply to the event.
#[derive(Clone, Copy, Debug)]
pub enum On {
    /// Something in the transcript that is not a message, such as a line that is not JSON.
    Flaw(fn(&Flaw, &Connection) -> Option<Verdict>),
    /// A message of any kind, including a batch.
    Message(fn(&Message<'_>, &Connection) -> Option<Verdict>),
    /// A request or notification with one of these methods.
    Call(&'static [&'static str], fn(&Call<'_>, &Connection) -> Option<Verdict>),
    /// A response to a request with one of these methods.
    Answer(&'static [&'static str], fn(&Answer<'_>, &Connection) -> Option<Verdict>),
    /// A response that answers no open request.
    Stray(fn(&Stray<'_>, &Connection) -> Option<Verdict>),
    /// A `session/update` of one of these kinds.
    Update(&'static [&'static str], fn(&Update<'_>, &Connection) -> Option<Verdict>),
    /// A content block of one of these types, anywhere in a call.
    Block(&'static [&'static str], fn(&Block<'_>, &Connection) -> Option<Verdict>),
    /// A `plan` or `plan_update`, an update with a plan.
    Plan(fn(&PlanUpdated<'_>, &Connection) -> Option<Verdict>),
    /// A `plan_removed`, an update that removes a plan.
    PlanRemoved(fn(&PlanRemoved<'_>, &Connection) -> Option<Verdict>),
    /// A value that does not fit the schema, unless a finding of an earlier rule explains it.
    Rejected(fn(&Rejected<'_>, &Connection) -> Option<Verdict>),
    /// A value that fits the schema but may be worth a report, such as an unknown member or a
    /// draft, unless a finding of an earlier rule explains it.
    Observed(fn(&Observed<'_>, &Connection) -> Option<Verdict>),
    /// A request that has no answer when its connection ends.
    LeftOpen(fn(&Request, &Connection) -> Option<Verdict>),
    /// The end of a connection, after its last message.
    End(fn(&End, &Connection) -> Option<Verdict>),
}

/// What a rule says about one event. `None` in its place means that the rule does not apply to the
/// event.
#[must_use]
#[derive(Debug)]
pub enum Verdict {
    /// The rule applies to the event and is met.
    Pass,
    /// As [`Verdict::Pass`], but the event shows this of only some of the rule's requirements, or of none.
    PassOf(&'static [&'static str]),
    /// The rule applies to the event, and the event breaks it. At least one finding.
    Fail(Vec<Finding>),
    /// The rule applies to the event, but the recording lacks what it compares the event with, such
    /// as the beginning of the session.
    NotAssessable,
}

impl Verdict {
    /// Most findings that a rule reports for one message; further ones are not looked for.
    pub const MOST: usize = 500;

    /// The verdict as one about some of the rule's requirements, by their ids: only these are exercised,
    /// and only these are broken by its findings. Findings that name requirements keep them.
    pub fn about(self, requirements: &'static [&'static str]) -> Self {
        match self {
            Self::Pass | Self::PassOf(_) => Self::PassOf(requirements),
            Self::Fail(mut findings) => {
                for finding in &mut findings {
                    finding.about = finding.about.or(Some(requirements));
                }
                Self::Fail(findings)
            }
            Self::NotAssessable => Self::NotAssessable,
        }
    }

    /// The requirements that it is about, as far as the first finding tells; `None` for all of its rule.
    pub fn subject(&self) -> Option<&'static [&'static str]> {
        match self {
            Self::PassOf(requirements) => Some(requirements),
            Self::Fail(findings) => findings.first()?.about,
            Self::Pass | Self::NotAssessable => None,
        }
    }

    /// Joins verdicts, which may be about several messages: `Fail` with all their findings, else
    /// `Pass`. `None` for an empty iterator.
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

    /// The verdict on the parts of one message. `check` returns the fault of a part, if it has one.
    /// `None` when there are no parts.
    pub fn on_each<S>(
        subjects: impl IntoIterator<Item = S>,
        check: impl FnMut(S) -> Option<Finding>,
    ) -> Option<Self> {
        let mut subjects = subjects.into_iter().peekable();
        subjects.peek()?;
        Some(subjects.filter_map(check).collect())
    }

    /// `Fail` with all these findings, which may be about several messages; `None` without any.
    pub fn failed(findings: Vec<Finding>) -> Option<Self> {
        (!findings.is_empty()).then_some(Self::Fail(findings))
    }

    /// `Fail` with all these findings, which may be about several messages; `Pass` without any.
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
    /// `Fail` with the first [`Verdict::MOST`] findings; `Pass` without any. [`Verdict::of`] and
    /// [`Verdict::all`] take all findings.
    fn from_iter<I: IntoIterator<Item = Finding>>(findings: I) -> Self {
        Self::of(findings.into_iter().take(Self::MOST).collect())
    }
}

impl From<Option<Finding>> for Verdict {
    fn from(finding: Option<Finding>) -> Self {
        finding.map_or(Self::Pass, Self::from)
    }
}

/// One fault that a rule has found: what happened, where, and what to do about it. The rule is
/// added when the finding is reported.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The text of the finding: the fault, as a fact about the conversation, in the present tense
    /// and in lower case.
    pub message: Cow<'static, str>,
    /// The places of the finding in the checked file. The first is that of the fault; the others
    /// are earlier ones that explain it.
    pub labels: Vec<Label>,
    /// Places in other files that explain the fault, such as in an earlier recording.
    pub elsewhere: Vec<Elsewhere>,
    /// What the reader can do about the fault; `None` without advice.
    pub help: Option<Cow<'static, str>>,
    /// Replaces the severity of the rule for this finding, unless that is `Off`; `None` keeps the
    /// severity of the rule.
    pub severity: Option<Severity>,
    /// The side at fault, if it is another than [`Rule::binds`] says; `None` otherwise.
    pub blames: Option<Side>,
    /// The values that the finding explains: schema and extension rules do not report them again.
    pub claims: Vec<Claim>,
    /// Of the rule's findings with an equal key, one is reported with their number; `None` for a
    /// finding that is always reported.
    pub key: Option<u64>,
    /// The requirements that it is about, by their ids; `None` for all of its rule.
    pub about: Option<&'static [&'static str]>,
    /// Whether the value may be what a recorder wrote in place of the sent one. Such a finding is
    /// withheld, and its message counts as judged in part, unless the recording keeps all values.
    pub may_be_masked: bool,
    /// Whether only what the agent says of itself keeps the rule from being sure. Such a finding is
    /// withheld, and its message counts as judged in part.
    pub is_disputed: bool,
}

impl Finding {
    /// A finding without places. A message of more than 2,000 bytes is shortened in the middle.
    #[cold]
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            message: bounded(message.into()),
            labels: Vec::new(),
            elsewhere: Vec::new(),
            help: None,
            severity: None,
            blames: None,
            claims: Vec::new(),
            key: None,
            about: None,
            may_be_masked: false,
            is_disputed: false,
        }
    }

    /// Adds a place with a note on it. The place that is added first is the place of the fault. A
    /// place in another file goes to `elsewhere`.
    #[must_use]
    pub fn at(mut self, mark: impl Into<Mark>, message: impl Into<Cow<'static, str>>) -> Self {
        let Mark { span, pointer, file } = mark.into();
        let label = Label { span, pointer, message: bounded(message.into()) };
        match file {
            Some(file) => self.elsewhere.push(Elsewhere::new(file, label)),
            None => self.labels.push(label),
        }
        self
    }

    /// Adds a place with a note on it, also in another file; nothing when `mark` is `None`.
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

    /// Sets the help text: what to do about the fault.
    #[must_use]
    pub fn help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(bounded(help.into()));
        self
    }

    /// Names the requirements that it is about, by their ids, where its rule checks others, too.
    #[must_use]
    pub fn about(mut self, requirements: &'static [&'static str]) -> Self {
        self.about = Some(requirements);
        self
    }

    /// Replaces the severity of the rule for this finding, unless that is `Off`.
    #[must_use]
    pub fn as_severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// Replaces the severity of the rule for this finding where the condition holds, unless that is
    /// `Off`.
    #[must_use]
    pub fn as_severity_if(self, condition: bool, severity: Severity) -> Self {
        if condition { self.as_severity(severity) } else { self }
    }

    /// Sets the side at fault; `None` for the side that [`Rule::binds`] names.
    #[must_use]
    pub fn blaming(mut self, side: Option<Side>) -> Self {
        self.blames = side;
        self
    }

    /// Tells schema and extension rules not to report this value and anything in it.
    #[must_use]
    pub fn explains(mut self, node: Node<'_>) -> Self {
        self.claims.push(Claim { within: node.span(), missing: None });
        self
    }

    /// Keeps schema rules from reporting that the member `name` is missing in the object.
    #[must_use]
    pub fn explains_missing(mut self, object: Node<'_>, name: &'static str) -> Self {
        self.claims.push(Claim { within: object.span(), missing: Some(name) });
        self
    }

    /// Withholds the finding where `looks_masked` and the recorder may have masked the value.
    #[must_use]
    pub fn unless_masked(mut self, looks_masked: bool) -> Self {
        self.may_be_masked = looks_masked;
        self
    }

    /// Withholds the finding if only what the agent says of itself, such as a state, keeps the rule
    /// from being sure.
    #[must_use]
    pub fn disputed_if(mut self, is_disputed: bool) -> Self {
        self.is_disputed = is_disputed;
        self
    }

    /// Makes only one of the rule's findings with an equal key be reported, with their number.
    #[must_use]
    pub fn once_per(mut self, key: impl Hash) -> Self {
        self.key = Some(map::hash_of(key));
        self
    }
}

/// A sentence unchanged, or its beginning and end when it is longer than 2,000 bytes. A sentence
/// quotes texts of the transcript, which may have megabytes.
fn bounded(sentence: Cow<'static, str>) -> Cow<'static, str> {
    /// The longest sentence, in bytes, that is not shortened; more than any sentence without a
    /// quotation has.
    const LONGEST: usize = 2000;
    /// How many characters at the beginning of a long sentence are kept when its middle is cut out.
    const BEGINNING: usize = 400;
    /// How many characters at the end of a long sentence are kept when its middle is cut out.
    const END: usize = 100;
    if sentence.len() <= LONGEST {
        return sentence;
    }
    let place = |found: Option<(usize, char)>| found.map_or(0, |(at, _)| at);
    let beginning = &sentence[..place(sentence.char_indices().nth(BEGINNING))];
    let end = &sentence[place(sentence.char_indices().rev().nth(END - 1))..];
    format!("{beginning}…{end}").into()
}

/// A place in the transcript that a finding points at, with a note on it.
#[derive(Clone, Debug)]
pub struct Label {
    /// The bytes of the transcript that the label points at.
    pub span: Span,
    /// JSON Pointer from the message to the place; `None` for a place outside messages.
    pub pointer: Option<Cow<'static, str>>,
    /// The note on the place, which reports print beside it.
    pub message: Cow<'static, str>,
}

/// A place of a finding in another file than the one that is checked, such as an earlier recording.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    /// The name of the other file as the user gave it.
    pub file: Arc<str>,
    pub label: Label,
    /// The lines and columns at which the place begins and ends. Columns are counted in bytes,
    /// until a report reads the other file again to count characters.
    pub position: Position,
}

impl Elsewhere {
    fn new(file: Arc<str>, label: Label) -> Self {
        let Span { line, column, len, .. } = label.span;
        let (line, column) = (u64::from(line), u64::from(column) + 1);
        let end_column = column + u64::from(len);
        Self { file, label, position: Position { line, column, end_line: line, end_column } }
    }
}

/// A value that a finding explains, so that rules on the schema and extensions do not report it
/// again.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The bytes of the value that the finding explains.
    pub within: Span,
    /// The name of a member when the finding explains only why the object at `within` lacks it;
    /// `None` when the finding explains everything in the value.
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
        // The cut falls between characters.
        let wide = bounded("計".repeat(700).into());
        assert_eq!(wide.chars().filter(|character| *character == '計').count(), 500);
    }
}

//! The JSON form of the report, described by `schema/compliance.schema.json`, and how several
//! become one.
//!
//! It is a contract: members are added, never renamed or removed, without a new
//! [`FORMAT_VERSION`]. Everything that the other forms show is in it or follows from it, so a
//! report of several documents is made from nothing else.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::rule_rows::is_zero;
pub use super::rule_rows::{
    Evidence, EvidenceSet, Party, RequirementId, RuleId, RuleRow, RuleRows,
};
use crate::{
    protocol::{Edition, Side, Surface},
    report::{
        Unread,
        audit::{AuditCount, AuditRow},
    },
    requirements::Offers,
    rule::Severity,
};

/// The `format_version` of the JSON compliance report. It is raised when programs that read the
/// report must change.
pub(super) const FORMAT_VERSION: u32 = 1;

/// The value of the member `document`, by which compliance reports are recognized.
pub(super) const KIND: &str = "acpcheck compliance report";

/// The compliance report: everything that was found out about the transcripts of a run. All its
/// forms are made from this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compliance {
    pub settings: RunSettings,
    /// The transcripts that were checked, sorted by path.
    pub files: Vec<FileRecord>,
    /// Inputs that could not be checked, or not to their end, sorted by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
    /// Sorted paths of files in folders that have no message and need not be transcripts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<String>,
}

/// The options by which the user decided what the run finds. `None` stands for the default. Reports
/// are merged only when these are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSettings {
    /// The surface that transcripts are checked by (`--surface`); `None` for the version that the
    /// two sides agreed on.
    pub surface: Option<JsonName<Surface>>,
    /// The edition that transcripts are checked by (`--edition`); `None` for the current one, with
    /// what earlier ones allowed accepted.
    pub edition: Option<JsonName<Edition>>,
    /// The side whose findings are reported (`--side`); absent for both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<JsonName<Side>>,
    /// The transcript format that the user names (`--input-format`); `None` when each is recognized
    /// by its beginning.
    pub input_format: Option<String>,
    /// Whether transcripts contain the beginning of their connection (`--head`): `auto`, `complete`
    /// or `truncated`.
    pub head: String,
    /// Whether transcripts contain the end of their connection (`--tail`): `auto`, `open` or
    /// `closed`.
    pub tail: String,
    /// Which of them are about the same sessions (`--story`): `one` or `none`; absent where ids, agents
    /// and times prove it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<String>,
    /// Severities other than the rules' own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub severities: Vec<ChosenSeverity>,
    /// The `[[ignore]]` and `[[override]]` entries of the configuration in words, with the reasons;
    /// without full stops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<String>,
    /// The findings that a baseline accepts, one element for each kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Acceptance>,
    /// Whether strings of the transcripts are masked (`--redact`).
    pub redacted: bool,
}

/// A kind of findings that a baseline accepts, with the reason and the accepted number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    pub rule: RuleId,
    /// The method of the message at fault; `None` for a message without a method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// JSON Pointer to the place in the message, with `*` for array indices; `None` for a finding
    /// outside messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The name of the client or agent at fault; `None` when it has given none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation: Option<String>,
    /// The number of findings that are accepted, in all transcripts.
    pub count: u64,
    /// Why the findings are accepted, in the user's words; empty when no reason is given.
    pub reason: String,
}

/// A rule to which the user gave another severity than its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenSeverity {
    pub rule: RuleId,
    pub severity: JsonName<Severity>,
}

/// A checked transcript, with all that the report says about its file, peers, findings, plans and
/// actions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The path of the transcript as the user gave it.
    pub path: String,
    /// The SHA-256 of the file as it is stored, in hexadecimal digits.
    pub sha256: String,
    /// The length of the file as it is stored, compressed or not, in bytes.
    pub bytes: u64,
    /// The name of the transcript format in which the file was read.
    pub format: String,
    pub edition: JsonName<Edition>,
    pub messages: u64,
    pub connections: u32,
    /// The number of messages that were not checked, or not by all rules, because of what the
    /// transcript contains.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unjudged_messages: u64,
    /// The number of rules that could not be assessed in some connection because of what the
    /// transcript contains.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unjudged_rules: u64,
    /// The number of findings of the side that the user did not ask for (`--side`).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub other_side: u64,
    /// Notes about the recording, such as that its end is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Which scenario the transcript records; `None` unless acpcheck played one side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driven: Option<DrivenRecord>,
    #[serde(rename = "encounters")]
    pub pairings: Vec<PairingRecord>,
    /// The findings with excerpts, in the order of the messages. Of each rule and side only the
    /// first ones are kept.
    pub findings: Vec<FindingRecord>,
    /// The number of findings that each acceptance is about, in the order of the settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Accepted>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<PlanRecord>,
    /// The number of changes of plans that are not in `plans`, because there are too many plans.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_steps: u64,
    /// The audit log: what was done, and what the client was asked and answered. `None` when it is
    /// empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<AuditRecord>,
}

/// The scenario of a recording in which acpcheck played one side (`drive`, `play`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrivenRecord {
    /// The random number of the run of `drive` or `play`, which is equal in all its recordings.
    pub run: String,
    pub scenario: String,
    /// The number of the other side's process in the scenario, from 1.
    pub process: u32,
    /// The side that acpcheck played, which is not judged.
    pub plays: Party,
    /// How the scenario ended; `None` where it goes on in another process, or was cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The words that `drive` or `play` prints beside the scenario's result, on what decided it;
    /// empty when there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub told: String,
    /// The scenarios that the run did not play, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutScenario>,
}

/// A scenario that a run of `drive` left out, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutScenario {
    pub scenario: String,
    /// Why the scenario was left out, as a sentence without a full stop.
    pub why: String,
}

/// The number of findings of a transcript that an acceptance is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// The index in [`RunSettings::accepted`] of what the baseline accepts.
    pub acceptance: usize,
    /// The number of accepted findings as a baseline counts them: a finding that stands for others
    /// counts once.
    pub findings: u64,
    /// The number of errors, including findings for which others stand; `warnings` and `infos` are
    /// counted likewise.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub warnings: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub infos: u64,
}

/// The connections of a transcript between one client and one agent, with the results of the rules
/// there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairingRecord {
    pub client: Option<Peer>,
    pub agent: Option<Peer>,
    /// The `protocolVersion` that the client offered in `initialize`; `None` when it is not
    /// recorded.
    pub offered: Option<i64>,
    /// The `protocolVersion` that the agent answered; `None` when it is not recorded.
    pub answered: Option<i64>,
    pub surface: Option<JsonName<Surface>>,
    pub connections: u32,
    /// The results of rules that were exercised, have findings or lacked evidence, in the order of
    /// the catalogue.
    pub rules: RuleRows,
    /// The results of those that check several requirements, by requirement.
    #[serde(default, skip_serializing_if = "RuleRows::is_empty")]
    pub requirements: RuleRows,
    /// What the connections offered of that which requirements need.
    #[serde(default, skip_serializing_if = "OfferRecord::is_everything")]
    pub offers: OfferRecord,
    pub methods: Vec<MethodCounts>,
    pub updates: Vec<UpdateCount>,
}

/// What connections offered of that which requirements need: methods, updates and types of content.
/// Everything by default, where it is not on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<&'static str>")]
pub struct OfferRecord(pub Offers);

impl OfferRecord {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
    fn is_everything(&self) -> bool {
        self.0 == Offers::ALL
    }
}

impl Default for OfferRecord {
    fn default() -> Self {
        Self(Offers::ALL)
    }
}

impl From<Vec<String>> for OfferRecord {
    fn from(names: Vec<String>) -> Self {
        Self(names.iter().map(|name| &**name).collect())
    }
}

impl From<OfferRecord> for Vec<&'static str> {
    fn from(offers: OfferRecord) -> Self {
        offers.0.names().collect()
    }
}

/// The name and version that a client or agent gives itself in `initialize`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Peer {
    pub name: String,
    pub version: Option<String>,
}

/// The numbers of messages of one method that one side sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodCounts {
    /// The name of the method. `None` for further methods, which are counted together, and for
    /// answers whose request is not recorded.
    pub method: Option<String>,
    /// The side that sent the messages that are counted here.
    pub side: Party,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub requests: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub notifications: u64,
    /// The number of successful answers to the method's requests; `errors` counts the others.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub results: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors: u64,
}

/// The number of session updates of one kind, such as `tool_call`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateCount {
    /// The value of `sessionUpdate`; `None` for further kinds, which are counted together.
    pub kind: Option<String>,
    pub count: u64,
}

/// A finding as the compliance report stores it, with excerpts, so that the transcript is not
/// needed to read the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingRecord {
    pub rule: RuleId,
    pub severity: JsonName<Severity>,
    pub side: Party,
    /// The index, in [`FileRecord::pairings`], of the client and agent between which the finding
    /// occurred.
    #[serde(rename = "encounter")]
    pub pairing: u32,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The places of the finding. The first is the fault itself; the others are earlier places that
    /// explain it.
    pub labels: Vec<LabelRecord>,
    /// Lines of the transcript around the labels, in the order of the file.
    pub excerpts: Vec<Excerpt>,
    /// The number of further findings of this kind that were counted and not reported.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeats: u64,
}

/// A place that a finding points at, with a note on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelRecord {
    /// The path of the file with the place, when that is not the file of the finding; `None`
    /// otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line of the place in the transcript, from 1.
    pub line: u64,
    /// The column of the place, from 1, in characters.
    pub column: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    pub message: String,
}

/// A part of a line of the transcript in which labels mark places, cut into runs of characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    pub line: u64,
    pub parts: Vec<ExcerptPart>,
}

/// A run of characters in an [`Excerpt`], marked by a label or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExcerptPart {
    pub text: String,
    /// The index of the label that marks these characters; `None` for characters between labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<usize>,
}

/// How one plan developed, as a table: its entries are the rows, its changes the columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRecord {
    /// Number of the connection in the file, from 0.
    pub connection: u32,
    pub session: String,
    /// The id of the plan; `None` for the plan of version 1, which has none.
    pub plan: Option<String>,
    pub columns: Vec<PlanColumn>,
    pub rows: Vec<PlanRow>,
    /// The last text of a plan without entries, such as a Markdown plan; `None` for a plan with
    /// entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How often updates listed an entry that has no row, because there are too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_rows: u64,
}

/// A column of a plan's table: one change of the plan, and how often it was repeated with nothing
/// new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanColumn {
    /// The line of the message that changed the plan, from 1.
    pub line: u32,
    /// Number of the turn in its session, from 1; 0 before the first prompt.
    pub turn: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    pub event: PlanColumnEvent,
    /// The type of a plan without entries, such as `markdown`; `None` for a list of entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeats: u64,
    /// The number of changes of the plan before this column that are left out, because there are
    /// too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u64,
}

/// What a column of a plan's table stands for: what an update, or a new set-up of the session, did
/// to the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanColumnEvent {
    /// The client shows the plan from this column on.
    Shown,
    Removed,
    /// The update is unreadable, so a client shows the plan as before.
    Refused,
    /// The client has forgotten the plan, because the session was loaded or resumed.
    Forgotten,
}

/// A row of a plan's table: an entry of the plan, with its status after each change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRow {
    pub content: String,
    /// The priority of the entry in the last update that lists it.
    pub priority: String,
    /// The status in each column; `None` where that update does not list the entry.
    pub cells: Vec<Option<PlanCell>>,
}

/// The status of one entry in one column of a plan's table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanCell {
    /// The status of the entry as the agent wrote it; empty when there is none.
    pub status: String,
    /// Whether official readers drop the entry, because its status or priority is not defined, so
    /// that clients do not show it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dropped: bool,
}

/// The audit log of a transcript: what was done, and what the client was asked and answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// The number of actions of each kind, including those of replayed history.
    pub counts: Vec<AuditCount>,
    /// Single actions, the most remarkable first, without those of replayed history.
    pub rows: Vec<AuditRow>,
    /// The number of actions that are not in `rows`, because there are too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_rows: u64,
    pub sessions: Vec<AuditSession>,
    /// The number of sessions that are not in `sessions`, because there are too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_sessions: u64,
    /// The number of targets and tool calls that are neither counted nor in a row, because there
    /// are too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_followed: u64,
}

/// A session as it was at the end of its connection, for the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditSession {
    /// Number of the connection in the file, from 0.
    pub connection: u32,
    pub session: String,
    /// Name and version that the agent gives itself in `initialize`; `None` without a name.
    pub agent: Option<String>,
    pub client: Option<String>,
    /// The session's working directory, then its additional directories.
    pub directories: Vec<String>,
    /// The ids of the session's modes, each with the line from which on the mode was in force.
    pub modes: Vec<AuditLine>,
    /// The names of the options by which the client allowed something always, each with the line of
    /// the client's answer.
    pub grants: Vec<AuditLine>,
}

/// A name of something, such as a mode, with the line at which the transcript has it, from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditLine {
    pub line: u32,
    pub name: String,
}

/// A value that the JSON report writes, and reads back, by the name that users know, such as
/// `v1-unstable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JsonName<T>(pub T);

/// A type with a closed list of values, each of which has a name that users know. For [`JsonName`].
pub(super) trait NamedValue: Copy + Sized + 'static {
    const VALUES: &'static [Self];

    fn name(self) -> &'static str;
}

impl NamedValue for Surface {
    const VALUES: &'static [Self] = &Self::ALL;

    fn name(self) -> &'static str {
        self.name()
    }
}

impl NamedValue for Edition {
    const VALUES: &'static [Self] = &Self::ALL;

    fn name(self) -> &'static str {
        self.name()
    }
}

impl NamedValue for Side {
    const VALUES: &'static [Self] = &[Self::Client, Self::Agent];

    fn name(self) -> &'static str {
        self.name()
    }
}

impl NamedValue for Severity {
    const VALUES: &'static [Self] = &[Self::Off, Self::Info, Self::Warning, Self::Error];

    fn name(self) -> &'static str {
        self.name()
    }
}

impl<T: NamedValue> Serialize for JsonName<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de, T: NamedValue> Deserialize<'de> for JsonName<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let value = T::VALUES.iter().copied().find(|value| value.name() == name);
        value.map(Self).ok_or_else(|| de::Error::custom(format!("`{name}` is not known here")))
    }
}

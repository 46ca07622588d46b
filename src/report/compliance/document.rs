//! The JSON form of the report, described by `schema/compliance.schema.json`, and how several
//! become one.
//!
//! It is a contract: members are added, never renamed or removed, without a new
//! [`FORMAT_VERSION`]. Everything that the other forms show is in it or follows from it, so a
//! report of several documents is made from nothing else.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::rule_rows::is_zero;
pub use super::rule_rows::{Evidence, EvidenceSet, Party, RuleId, RuleRow, RuleRows};
use crate::{
    protocol::{Edition, Side, Surface},
    report::{
        Unread,
        audit::{AuditCount, AuditRow},
    },
    rule::Severity,
};

/// The version of the document. It changes when readers of the document have to change.
pub(super) const FORMAT_VERSION: u32 = 1;

/// The value of the member `document`, which identifies compliance reports.
pub(super) const KIND: &str = "acpcheck compliance report";

/// Everything that was found out about the transcripts of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compliance {
    pub settings: RunSettings,
    /// In the order of their paths.
    pub files: Vec<FileRecord>,
    /// Inputs that were not judged, in the order of their paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
    /// Files of folders that hold no message and were not meant to, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<String>,
}

/// The options of the run that decide what is found, as the user has chosen them. `None` stands for
/// the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSettings {
    /// `None`: the negotiated version.
    pub surface: Option<JsonName<Surface>>,
    /// The edition of the protocol that the user has chosen (`--edition`). `None`: the current edition,
    /// with what earlier editions allowed accepted.
    pub edition: Option<JsonName<Edition>>,
    /// The side whose findings are reported (`--side`); absent for both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<JsonName<Side>>,
    /// `None`: as each transcript's beginning tells.
    pub input_format: Option<String>,
    /// Whether transcripts begin where their connection begins: `auto`, `complete`, `truncated`.
    pub head: String,
    /// Whether they end where it ends: `auto`, `open`, `closed`.
    pub tail: String,
    /// Severities other than the rules' own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub severities: Vec<ChosenSeverity>,
    /// What the configuration says of some transcripts, agents or methods, and what it ignores, with
    /// the reasons; sentences without a full stop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<String>,
    /// What a baseline accepts, each kind of findings once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Acceptance>,
    /// Whether what strings of the transcripts hold is masked.
    pub redacted: bool,
}

/// Findings that are alike, and are accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    pub rule: RuleId,
    /// The method called or answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// JSON Pointer to the place in the message, with `*` for each array index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The name of the implementation at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation: Option<String>,
    /// The number of findings that are accepted, in all transcripts.
    pub count: u64,
    /// The reason; empty when none is given.
    pub reason: String,
}

/// A severity that the user gave to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenSeverity {
    pub rule: RuleId,
    pub severity: JsonName<Severity>,
}

/// A transcript that was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileRecord {
    /// As the user gave it.
    pub path: String,
    /// SHA-256 of its bytes as they are stored, in hexadecimal.
    pub sha256: String,
    /// Its length as it is stored.
    pub bytes: u64,
    /// The name of the format it was read as.
    pub format: String,
    pub edition: JsonName<Edition>,
    pub messages: u64,
    pub connections: u32,
    /// Messages that were not judged, or not by all rules, because of what the transcript contains.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unjudged_messages: u64,
    /// Rules that could not be assessed in at least one connection of the transcript because of what it
    /// contains.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unjudged_rules: u64,
    /// Findings of the side that the user did not ask for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub other_side: u64,
    /// What is to be said about the recording itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Set where acpcheck plays a side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driven: Option<DrivenRecord>,
    #[serde(rename = "encounters")]
    pub pairings: Vec<PairingRecord>,
    /// In the order of the messages; of each rule and side only the first ones.
    pub findings: Vec<FindingRecord>,
    /// Findings that an acceptance is about, in the order of the settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Accepted>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<PlanRecord>,
    /// Steps of plans that are not among them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_steps: u64,
    /// What was done, and what the client was asked and answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<AuditRecord>,
}

/// What a recording says in which acpcheck plays a side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrivenRecord {
    /// The number of the run, which all its recordings have.
    pub run: String,
    pub scenario: String,
    /// The number of the other side's process in the scenario, from 1.
    pub process: u32,
    /// The side that acpcheck plays. It is not judged.
    pub plays: Party,
    /// How the scenario ended; `None` where it goes on in another process, or was cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// What happened in the scenario, as the table of `drive` has it; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub told: String,
    /// The scenarios that the run left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutScenario>,
}

/// A scenario that a run left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutScenario {
    pub scenario: String,
    /// A sentence without a full stop.
    pub why: String,
}

/// Findings of a transcript that an acceptance is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// Index in the settings' `accepted`.
    pub acceptance: usize,
    /// As a baseline counts them: each once, whatever it stands for.
    pub findings: u64,
    /// By severity, with those that they stand for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub warnings: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub infos: u64,
}

/// The connections of a transcript between two implementations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairingRecord {
    pub client: Option<Peer>,
    pub agent: Option<Peer>,
    /// `protocolVersion` as offered.
    pub offered: Option<i64>,
    /// `protocolVersion` as answered.
    pub answered: Option<i64>,
    pub surface: Option<JsonName<Surface>>,
    pub connections: u32,
    /// The rules that had something to say, in the order of the catalogue.
    pub rules: RuleRows,
    pub methods: Vec<MethodCounts>,
    pub updates: Vec<UpdateCount>,
}

/// A client or agent as it names itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Peer {
    pub name: String,
    pub version: Option<String>,
}

/// Messages of one method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodCounts {
    /// `None`: methods beyond those told apart, and requests that are not on record.
    pub method: Option<String>,
    /// Who sent these messages.
    pub side: Party,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub requests: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub notifications: u64,
    /// Answers to the method's requests.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub results: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors: u64,
}

/// Session updates of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateCount {
    /// `None`: kinds beyond those told apart.
    pub kind: Option<String>,
    pub count: u64,
}

/// A finding as the compliance report stores it, with excerpts: the transcript is not needed to read the
/// report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingRecord {
    pub rule: RuleId,
    pub severity: JsonName<Severity>,
    pub side: Party,
    /// Index of its pairing.
    #[serde(rename = "encounter")]
    pub pairing: u32,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The first is the fault itself; the others are earlier places that explain it.
    pub labels: Vec<LabelRecord>,
    /// In the order of the file.
    pub excerpts: Vec<Excerpt>,
    /// How many more like it there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeats: u64,
}

/// A place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelRecord {
    /// The file, where it is another one than that of the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// From 1.
    pub line: u64,
    /// From 1, in characters.
    pub column: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    pub message: String,
}

/// A part of a line with places in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    pub line: u64,
    pub parts: Vec<ExcerptPart>,
}

/// A piece of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExcerptPart {
    pub text: String,
    /// The index of the label that it is the place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<usize>,
}

/// How one plan developed: what a client showed of it after each update.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRecord {
    /// Number of the connection in the file, from 0.
    pub connection: u32,
    pub session: String,
    /// `None` for the plan without an id.
    pub plan: Option<String>,
    pub columns: Vec<PlanColumn>,
    pub rows: Vec<PlanRow>,
    /// What it holds at last, where it is not a list of entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How often an entry was listed that has no row here.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_rows: u64,
}

/// One step of a plan, and how often it was repeated without a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanColumn {
    /// Of the message, from 1.
    pub line: u32,
    /// Number of the turn in its session; 0 before the first prompt.
    pub turn: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    pub event: PlanColumnEvent,
    /// What is shown, where it is not a list of entries: `markdown`, say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeats: u64,
    /// How many steps before it are left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u64,
}

/// What one step of the table of a plan, an update or a set-up of the session, does to the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanColumnEvent {
    /// It is shown like this from now on.
    Shown,
    Removed,
    /// Nothing can be made of the update; it is shown as before.
    Refused,
    /// The session is set up again, and the plan is gone.
    Forgotten,
}

/// An entry of a plan through all steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRow {
    pub content: String,
    /// As it was last.
    pub priority: String,
    /// One for each column; `None` where it is not listed.
    pub cells: Vec<Option<PlanCell>>,
}

/// An entry in one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanCell {
    /// As the wire has it; empty where it has none.
    pub status: String,
    /// Whether readers drop the entry.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dropped: bool,
}

/// The audit log of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// All actions, those counted together that are of one kind.
    pub counts: Vec<AuditCount>,
    /// Actions, the most remarkable first, without those of replayed history.
    pub rows: Vec<AuditRow>,
    /// Actions that are not among them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_rows: u64,
    pub sessions: Vec<AuditSession>,
    /// Sessions that are not among them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_sessions: u64,
    /// Targets and tool calls that are neither counted nor in a row, because there are too many of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_followed: u64,
}

/// A session with what is known of it at the end of its connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditSession {
    /// Number of the connection in the file, from 0.
    pub connection: u32,
    pub session: String,
    /// Name and version of the agent, as it gives them.
    pub agent: Option<String>,
    pub client: Option<String>,
    /// Its working directory, then its additional directories.
    pub directories: Vec<String>,
    /// The ids of its modes, each with the line from which on it was in force.
    pub modes: Vec<AuditLine>,
    /// The names of the options by which the client allowed something always, each with the line of its
    /// answer.
    pub grants: Vec<AuditLine>,
}

/// A name with the line where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditLine {
    pub line: u32,
    pub name: String,
}

/// A value that the JSON report writes by its user-facing name, such as `v1-unstable`, and reads back by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JsonName<T>(pub T);

/// A value of a closed list, each with the name that users know, for [`JsonName`].
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

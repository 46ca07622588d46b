//! The compliance report: what was judged, the verdict on each side, and the evidence.
//!
//! [`TranscriptSection`] takes the diagnostics, plan steps and actions of one transcript and returns its part of
//! the document. [`Compliance`] is the whole document. It can be written, read back and merged with
//! others. HTML, Markdown and JSON are made from it alone, so a merged report equals that of one run.

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Write},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

mod acceptance;
mod audit_table;
mod audit_view;
mod coverage;
mod document;
mod findings;
mod html;
mod markdown;
mod mask;
mod matrix;
mod places;
mod plan_table;
mod plan_view;
mod requirement_rows;
mod requirement_tables;
mod rule_rows;
mod subject_label;
mod transcript_section;
mod verdict;
mod view;

pub use acceptance::Acceptances;
pub(in crate::report) use places::Places;

pub use document::{
    Acceptance, Accepted, AuditLine, AuditRecord, AuditSession, ChosenSeverity, Compliance,
    DrivenRecord, Evidence, EvidenceSet, Excerpt, ExcerptPart, FileRecord, FindingRecord, JsonName,
    LabelRecord, LeftOutScenario, MethodCounts, OfferRecord, PairingRecord, Party, Peer, PlanCell,
    PlanColumn, PlanColumnEvent, PlanRecord, PlanRow, RequirementId, RuleId, RuleRow, RuleRows,
    RunSettings, UpdateCount,
};
pub use transcript_section::{Stored, TranscriptSection};

use document::{FORMAT_VERSION, KIND};
use requirement_rows::Requirements;
use verdict::{Judgement, Status, SubjectName};

use crate::report::{
    Counts, TOOL, Unread,
    command_escaper::CommandEscaper,
    json::{ToolAndSchema, json},
    revision,
};

/// The formats in which a compliance report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentFormat {
    /// One HTML page for people, which loads nothing and runs no script.
    Html,
    /// A Markdown document, for summaries of CI jobs and for code reviews.
    Markdown,
    /// The whole document as JSON, for programs and for merging with other reports.
    Json,
}

impl DocumentFormat {
    pub const ALL: [Self; 3] = [Self::Html, Self::Markdown, Self::Json];

    /// The name by which users select the format, such as `html`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Json => "json",
        }
    }

    /// The file name extension for this format, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Json => "json",
        }
    }
}

/// Why a text is not a compliance report that can be merged with others, as a sentence without a
/// full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmergeableError(String);

impl fmt::Display for UnmergeableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnmergeableError {}

impl Compliance {
    /// Makes a compliance report about these transcripts. Their order does not matter: they are
    /// sorted by path.
    pub fn new(
        settings: RunSettings,
        mut files: Vec<FileRecord>,
        mut unread: Vec<Unread>,
        mut passed_over: Vec<String>,
    ) -> Self {
        files.sort_by(|one, other| one.path.cmp(&other.path));
        unread.sort_by(|one, other| one.path.cmp(&other.path));
        passed_over.sort();
        Self { settings, files, unread, passed_over }
    }

    /// Writes the compliance report to `out` in this format. Fails when writing fails.
    pub fn write(&self, format: DocumentFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            DocumentFormat::Html => html::write(self, &mut CommandEscaper::new(out)),
            DocumentFormat::Markdown => out.write_all(markdown::write(self).as_bytes()),
            DocumentFormat::Json => self.write_json(out),
        }
    }

    /// The number of findings of each severity in all transcripts of the report.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        let pairings = self.files.iter().flat_map(|file| &file.pairings);
        for row in pairings.flat_map(|pairing| pairing.rules.iter()) {
            counts += Counts { errors: row.errors, warnings: row.warnings, infos: row.infos };
        }
        counts
    }

    /// Writes the report as JSON, with one line for each verdict and transcript. Fails when writing
    /// fails.
    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let ToolAndSchema { tool, schema, .. } = ToolAndSchema::new();
        let judgement = Judgement::of(self);
        let verdicts: Vec<_> = judgement.subjects.iter().map(VerdictRow::of).collect();
        write!(
            out,
            "{{\"document\":\"{KIND}\",\n\"format_version\":{FORMAT_VERSION},\n\"tool\":{},\n\
             \"schema\":{},\n\"settings\":{},\n\"summary\":{}",
            json(&tool)?,
            json(&schema)?,
            json(&self.settings)?,
            json(&SummaryRow::of(self, &judgement))?,
        )?;
        write_lines("verdicts", &verdicts, out)?;
        write_lines("files", &self.files, out)?;
        if !self.unread.is_empty() {
            write_lines("unread", &self.unread, out)?;
        }
        if !self.passed_over.is_empty() {
            write_lines("passed_over", &self.passed_over, out)?;
        }
        writeln!(out, "\n}}")
    }

    /// Reads a report that was written as [`DocumentFormat::Json`] by the same version of acpcheck.
    /// The error says why it is none.
    pub fn read(text: &[u8]) -> Result<Self, UnmergeableError> {
        if text.trim_ascii_start().first() == Some(&b'[') {
            DocumentHead::default().check()?;
        }
        let head: DocumentHead = match serde_json::from_slice(text) {
            Ok(head) => head,
            // It is JSON, but no object.
            Err(error) if error.is_data() => DocumentHead::default(),
            Err(error) => return Err(UnmergeableError(format!("it is not JSON: {error}"))),
        };
        head.check()?;
        serde_json::from_slice(text)
            .map_err(|error| UnmergeableError(format!("it is damaged: {error}")))
    }

    /// Merges reports into one over all their transcripts. Each report comes with a name for error
    /// messages. Fails when their settings differ, or two have a transcript of the same path.
    pub fn merge(parts: Vec<(String, Self)>) -> Result<Self, UnmergeableError> {
        let mut origins: BTreeMap<String, String> = BTreeMap::new();
        let mut settings: Option<(String, RunSettings)> = None;
        let (mut files, mut unread, mut passed_over) = (Vec::new(), Vec::new(), Vec::new());
        for (name, part) in parts {
            if let Some((first, chosen)) = &settings {
                if let Some(difference) = chosen.difference(&part.settings) {
                    return Err(UnmergeableError(format!(
                        "`{first}` and `{name}` were judged with different settings: {difference}"
                    )));
                }
            } else {
                settings = Some((name.clone(), part.settings.clone()));
            }
            for path in part.paths() {
                if let Some(first) = origins.insert(path.to_owned(), name.clone()) {
                    return Err(UnmergeableError(if first == name {
                        format!("`{name}` contains `{path}` twice")
                    } else {
                        format!("both `{first}` and `{name}` contain `{path}`")
                    }));
                }
            }
            files.extend(part.files);
            unread.extend(part.unread);
            passed_over.extend(part.passed_over);
        }
        let settings = settings.map(|(_, settings)| settings).unwrap_or_default();
        Ok(Self::new(settings, files, unread, passed_over))
    }

    /// How often sessions were loaded whose creation is not on record, so that the replay could not
    /// be compared.
    fn loads_without_birth(&self) -> u64 {
        // Each load has one of both: a replay, or none.
        let rules = ["session/replay-incomplete", "session/replay-missing"];
        let rows = self.files.iter().flat_map(|file| &file.pairings).flat_map(|pairing| {
            pairing.rules.iter().filter(|row| rules.contains(&row.rule.rule().id))
        });
        rows.map(|row| row.barred).sum()
    }

    /// The transcript with this path; `None` when the report has none. Costs a binary search.
    fn file(&self, path: &str) -> Option<&FileRecord> {
        // They are in the order of their paths, unless somebody has changed the document.
        self.files.binary_search_by(|file| (*file.path).cmp(path)).ok().map(|at| &self.files[at])
    }

    /// The paths of all inputs of the report, checked or not, each once.
    fn paths(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().map(|file| &*file.path);
        let unread = self.unread.iter().map(|unread| &*unread.path);
        // What could be read in part is among both.
        let unread = unread.filter(|path| self.file(path).is_none());
        files.chain(unread).chain(self.passed_over.iter().map(String::as_str))
    }
}

impl RunSettings {
    /// The settings that differ from the defaults, written as command-line options with their
    /// values.
    fn options(&self) -> Vec<(String, String)> {
        let mut options = Vec::new();
        let mut add = |name: &str, value: String| options.push((name.to_owned(), value));
        if let Some(surface) = self.surface {
            add("--surface", surface.0.name().to_owned());
        }
        if let Some(side) = self.side {
            add("--side", side.0.name().to_owned());
        }
        if let Some(edition) = self.edition {
            add("--edition", edition.0.name().to_owned());
        }
        if let Some(format) = &self.input_format {
            add("--input-format", format.clone());
        }
        for (name, value) in [("--head", &self.head), ("--tail", &self.tail)] {
            if value != "auto" {
                add(name, value.clone());
            }
        }
        if let Some(story) = &self.story {
            add("--story", story.clone());
        }
        for chosen in &self.severities {
            add("--severity", format!("{}={}", chosen.rule.rule().id, chosen.severity.0));
        }
        for exception in &self.exceptions {
            add("acpcheck.toml:", exception.clone());
        }
        if self.redacted {
            add("--redact", String::new());
        }
        options
    }

    /// The difference to the settings of another report, in words; `None` when they are equal.
    fn difference(&self, other: &Self) -> Option<String> {
        if self == other {
            return None;
        }
        let (own, others) = (self.options(), other.options());
        if own == others && self.accepted != other.accepted {
            return Some("their baselines differ".to_owned());
        }
        let beyond = |some: &[(String, String)], than: &[(String, String)]| {
            let option = some.iter().find(|option| !than.contains(option))?;
            Some(format!("`{}`", [&*option.0, &*option.1].join(" ").trim_end()))
        };
        Some(match (beyond(&own, &others), beyond(&others, &own)) {
            (Some(own), Some(other)) => format!("{own} against {other}"),
            (Some(own), None) => format!("{own} only for the first"),
            (None, Some(other)) => format!("{other} only for the second"),
            (None, None) => "their settings differ".to_owned(),
        })
    }
}

/// The first members of a JSON text, which show whether this version of acpcheck can read it as a
/// report.
#[derive(Default, Deserialize)]
#[serde(default)]
struct DocumentHead {
    document: Option<Value>,
    format_version: Option<Value>,
    tool: Value,
    schema: Value,
}

impl DocumentHead {
    fn check(&self) -> Result<(), UnmergeableError> {
        let name = self.tool["name"].as_str();
        let Some(document) = &self.document else {
            return Err(UnmergeableError(
                match name {
                    Some(name) if name == TOOL.0 => {
                        "it is a `check` report, not a compliance report; write one with \
                         `acpcheck report --format json`"
                    }
                    _ => {
                        "it is not a compliance report; write one with \
                         `acpcheck report --format json`"
                    }
                }
                .to_owned(),
            ));
        };
        if document != KIND {
            return Err(UnmergeableError(format!("it is `{}`, not `{KIND}`", plain(document))));
        }
        let version = self.format_version.as_ref().unwrap_or(&Value::Null);
        if *version != FORMAT_VERSION {
            return Err(UnmergeableError(format!(
                "it has format version {version}, but this program reads version {FORMAT_VERSION}"
            )));
        }
        let (tool, schemas) = (plain(&self.tool["version"]), plain(&self.schema["revision"]));
        if tool != TOOL.1 || schemas != revision() {
            return Err(UnmergeableError(format!(
                "it was written by acpcheck {tool} with {schemas}, but this is acpcheck {} with {}; \
                 write all parts with the same program",
                TOOL.1,
                revision(),
            )));
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct SummaryRow {
    files: usize,
    unread: usize,
    connections: u64,
    messages: u64,
    errors: u64,
    warnings: u64,
    infos: u64,
}

impl SummaryRow {
    fn of(compliance: &Compliance, judgement: &Judgement) -> Self {
        let Counts { errors, warnings, infos } = judgement.counts;
        Self {
            files: compliance.files.len(),
            unread: compliance.unread.len(),
            connections: judgement.connections,
            messages: judgement.messages,
            errors,
            warnings,
            infos,
        }
    }
}

/// The verdict on one client or agent, in the member `verdicts` of the JSON document.
#[derive(Serialize)]
struct VerdictRow<'j> {
    side: Party,
    name: Option<&'j str>,
    version: Option<&'j str>,
    /// The folder of the transcripts of a client or agent without a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    unnamed_in: Option<&'j str>,
    transcripts: u64,
    connections: u64,
    #[serde(rename = "verdict")]
    whole: &'static str,
    violated: Vec<RuleId>,
    not_followed: Vec<RuleId>,
    noted: Vec<RuleId>,
    upheld: Vec<RuleId>,
    not_assessable: Vec<RuleId>,
    not_exercised: Vec<RuleId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requirements: Option<Requirements>,
}

impl<'j> VerdictRow<'j> {
    fn of(subject: &'j verdict::Subject) -> Self {
        let (name, version, unnamed_in) = match &subject.identity.name {
            SubjectName::Named(peer) => (Some(&*peer.name), peer.version.as_deref(), None),
            SubjectName::Unnamed { folder } => (None, None, Some(&**folder)),
            SubjectName::Nobody => (None, None, None),
        };
        let with = |status| subject.with(status).collect();
        Self {
            side: subject.identity.side,
            name,
            version,
            unnamed_in,
            transcripts: subject.transcripts,
            connections: subject.connections,
            whole: subject.verdict().name(),
            violated: with(Status::Violated),
            not_followed: with(Status::NotFollowed),
            noted: with(Status::Noted),
            upheld: with(Status::Upheld),
            not_assessable: with(Status::NotAssessable),
            not_exercised: with(Status::NotExercised),
            requirements: subject.fulfilment.as_ref().map(Requirements::of),
        }
    }
}

/// Writes a member of the JSON document whose value is an array, with one element on each line.
/// Fails when writing fails.
fn write_lines<T: Serialize>(name: &str, values: &[T], out: &mut dyn Write) -> io::Result<()> {
    write!(out, ",\n\"{name}\":[")?;
    let mut separator = "\n";
    for value in values {
        write!(out, "{separator}{}", json(value)?)?;
        separator = ",\n";
    }
    write!(out, "\n]")
}

/// A JSON value for a message: a string without its quotation marks, another value as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

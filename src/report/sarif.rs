//! SARIF 2.1.0: one run, with every rule of the catalogue in its driver.
//!
//! The results are written as they are found; what is known only at the end stands behind them,
//! which the order of members in JSON allows.

use std::io::{self, Write};

use fluent_uri::pct_enc::{EString, encoder};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    Entry, File, Summary, TOOL, Unread,
    fingerprint::{FingerprintDigest, Occurrences},
    json::{Elements, bound, separator},
    plain_path, revision, rules,
};
use crate::{
    protocol::Version,
    rule::{Label, Rule, Severity},
    rules::CATALOGUE,
    source::{Locator, printable},
};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What relative paths are relative to.
const BASE: &str = "WORKDIR";

/// Ids of what is said about inputs instead of messages.
const UNREAD: &str = "acpcheck/unread";
const NOTE: &str = "acpcheck/note";

pub(super) fn begin(out: &mut dyn Write) -> io::Result<()> {
    let (name, version) = TOOL;
    let rules: Vec<_> = CATALOGUE.iter().map(|rule| descriptor(rule)).collect();
    let notifications = [
        about_inputs(
            UNREAD,
            "InputNotChecked",
            "error",
            "an input could not be read, or not to its end",
            "It could not be read, or there is no message in it. The others were checked.",
        ),
        about_inputs(
            NOTE,
            "AboutTheRecording",
            "note",
            "what there is to know about a recording",
            "It is no fault of either side, but what was found should be read with it in mind.",
        ),
    ];
    let mut driver = json!({
        "name": name,
        "fullName": format!("{name} {version}"),
        "version": version,
        "semanticVersion": version,
        "rules": rules,
        "notifications": notifications,
    });
    let page = env!("CARGO_PKG_REPOSITORY");
    if !page.is_empty() {
        driver["informationUri"] = page.into();
    }
    let tool = json!({ "driver": driver });
    let bases = json!({ BASE: { "description": { "text": "The folder that acpcheck ran in." } } });
    write!(
        out,
        "{{\n\"$schema\":\"{SCHEMA}\",\n\"version\":\"2.1.0\",\n\"runs\":[{{\n\"tool\":{tool},\n\
         \"columnKind\":\"unicodeCodePoints\",\n\"originalUriBaseIds\":{bases},\n\"results\":["
    )
}

/// What is known of a kind of notification. GitHub wants it as complete as a rule.
fn about_inputs(id: &str, name: &str, level: &str, summary: &str, help: &str) -> Value {
    json!({
        "id": id,
        "name": name,
        "shortDescription": { "text": summary },
        "fullDescription": { "text": sentence(summary) },
        "help": { "text": help, "markdown": help },
        "defaultConfiguration": { "level": level },
    })
}

/// What is known of a rule.
fn descriptor(rule: &Rule) -> Value {
    let loudest = rules::versions(rule).map(|version| rule.severity.of(version)).max();
    let loudest = loudest.unwrap_or(Severity::Off);
    let by_version = |value: &dyn Fn(Version) -> &'static str| -> Value {
        rules::versions(rule)
            .map(|version| (format!("v{version}"), Value::from(value(version))))
            .collect()
    };
    let mut descriptor = json!({
        "id": rule.id,
        "name": pascal_case(rule.id),
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": requirement(rule) },
        "help": { "text": help(rule, Style::Plain), "markdown": help(rule, Style::Markdown) },
        "defaultConfiguration": { "enabled": loudest != Severity::Off, "level": level(loudest) },
        "properties": {
            "tags": ["agent-client-protocol", rule.family()],
            // How GitHub sorts what is no question of security.
            "problem.severity": match loudest {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info | Severity::Off => "recommendation",
            },
            "bound": rule.binds.name(),
            "surfaces": rule.surfaces.iter().map(crate::protocol::Surface::name).collect::<Vec<_>>(),
            "level": by_version(&|version| rule.level.of(version).name()),
            "severity": by_version(&|version| rule.severity.of(version).name()),
            "tck": rule.tck,
        },
    });
    if let Some(url) = rule.cites.iter().find_map(|citation| citation.source.url()) {
        descriptor["helpUri"] = url.into();
    }
    descriptor
}

/// The requirements in one text, each once.
fn requirement(rule: &Rule) -> String {
    let mut requirements: Vec<_> = rule.cites.iter().map(|citation| citation.requires).collect();
    requirements.dedup();
    requirements.iter().map(|requirement| sentence(requirement)).collect::<Vec<_>>().join(" ")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Markdown,
}

/// Why a rule matters, what it requires and where that stands.
fn help(rule: &Rule, style: Style) -> String {
    let mut help = String::from(rule.explanation.trim());
    help.push_str("\n\nSources:\n\n");
    for citation in rule.cites {
        let version = citation.version.map(|version| format!("v{version}, ")).unwrap_or_default();
        let source = match (citation.source.url(), style) {
            (Some(url), Style::Markdown) => format!("<{url}>"),
            (Some(url), Style::Plain) => url,
            (None, _) => citation.source.to_string(),
        };
        help.push_str(&format!("- {version}{source}: {}\n", citation.requires));
    }
    let levels = rules::by_version(rule, rule.level, |level| level.name().to_owned());
    help.push_str(&format!("\nLevel: {levels}. Judged: {}.", rule.binds.name()));
    help.push_str(&match style {
        Style::Plain => format!(" An example: acpcheck explain {}", rule.id),
        Style::Markdown => format!(" An example: `acpcheck explain {}`", rule.id),
    });
    help
}

/// With a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    let Some(first) = rest.next() else { return String::new() };
    let stop = if text.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), rest.as_str())
}

/// `plan/duplicate-entry` as `PlanDuplicateEntry`.
fn pascal_case(id: &str) -> String {
    let words = id.split(['/', '-']).map(|word| {
        let mut rest = word.chars();
        rest.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(rest)
    });
    words.flatten().collect()
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info | Severity::Off => "note",
    }
}

#[derive(Debug, Default)]
pub struct Section {
    occurrences: Occurrences,
}

/// The number of occurrences may be added at the end.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    rule_id: &'static str,
    rule_index: Option<usize>,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    partial_fingerprints: PartialFingerprints,
    properties: Properties,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    #[serde(rename = "physicalLocation")]
    physical: PhysicalLocation,
    #[serde(rename = "logicalLocations", skip_serializing_if = "Option::is_none")]
    logical: Option<[LogicalLocation; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u64,
    start_column: u64,
    end_line: u64,
    end_column: u64,
    /// The text itself, where it is short.
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<Message>,
}

/// How long a text may be to stand in a region, in bytes.
const SNIPPET: u32 = 200;

/// A place in the message, by its JSON Pointer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
    kind: &'static str,
}

#[derive(Serialize)]
struct PartialFingerprints {
    /// Of the finding, in whatever recording.
    #[serde(rename = "acpcheck/v1")]
    own: String,
    /// What GitHub tells alerts apart by: of the finding in this file, and its number there.
    #[serde(rename = "primaryLocationLineHash")]
    github: String,
}

#[derive(Serialize)]
struct Properties {
    bound: &'static str,
    connection: u32,
    version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

impl Section {
    pub(super) fn add(
        &mut self,
        entry: Entry<'_>,
        locator: &mut Locator<'_>,
        out: &mut Vec<u8>,
    ) -> io::Result<usize> {
        let Entry { diagnostic, file, index } = entry;
        let artifact = artifact(file);
        let mut locations = Vec::with_capacity(diagnostic.finding.labels.len());
        for label in &diagnostic.finding.labels {
            locations.push(Location::of(label, artifact.clone(), locator)?);
        }
        if locations.is_empty() {
            locations.push(Location::whole(artifact));
        }
        let mut related_locations = locations.split_off(1);
        for (index, location) in related_locations.iter_mut().enumerate() {
            location.id = Some(index + 1);
        }
        let digest = FingerprintDigest::of(diagnostic);
        let number = self.occurrences.next(digest);
        let name = |name: &str| printable(name).into_owned();
        let result = Finding {
            rule_id: diagnostic.rule.id,
            rule_index: CATALOGUE.iter().position(|rule| std::ptr::eq(*rule, diagnostic.rule)),
            level: level(diagnostic.severity),
            message: Message { text: text(diagnostic) },
            locations,
            related_locations,
            partial_fingerprints: PartialFingerprints {
                own: digest.to_string(),
                github: format!("{}:{number}", digest.within(plain_path(file))),
            },
            properties: Properties {
                bound: bound(diagnostic.bound),
                connection: diagnostic.connection,
                version: format!("v{}", diagnostic.version),
                method: diagnostic.method.as_deref().map(name),
                agent: diagnostic.agent.as_deref().map(name),
                url: diagnostic.url(),
            },
        };
        writeln!(out, "{}", separator(index))?;
        serde_json::to_writer(out, &result)?;
        Ok("}".len())
    }
}

pub(super) fn repeats(more: u64) -> String {
    format!(",\"occurrenceCount\":{}", more.saturating_add(1))
}

/// What happened and what to do about it.
fn text(diagnostic: &crate::diagnostic::Diagnostic) -> String {
    let finding = &diagnostic.finding;
    let help = finding.help.as_deref().map(|help| format!(" {}", sentence(help)));
    literal(&format!("{}{}", sentence(&finding.message), help.unwrap_or_default()))
}

/// The text in a message of SARIF: none of it is a link, since the transcript may have a word in
/// it.
fn literal(text: &str) -> String {
    let text = printable(text);
    if text.contains("](") {
        text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
    } else {
        text.into_owned()
    }
}

impl Location {
    fn of(
        label: &Label,
        artifact_location: ArtifactLocation,
        locator: &mut Locator<'_>,
    ) -> io::Result<Self> {
        let position = locator.position(label.span)?;
        let region = Region {
            start_line: position.line,
            start_column: position.column,
            end_line: position.end_line,
            end_column: position.end_column,
            snippet: locator.text(label.span, SNIPPET)?.map(|text| Message { text }),
        };
        let pointer = label.pointer.as_deref().filter(|pointer| !pointer.is_empty());
        Ok(Self {
            id: None,
            physical: PhysicalLocation { artifact_location, region: Some(region) },
            logical: pointer.map(|pointer| {
                [LogicalLocation { fully_qualified_name: pointer.to_owned(), kind: "value" }]
            }),
            message: (!label.message.is_empty())
                .then(|| Message { text: literal(&sentence(&label.message)) }),
        })
    }

    /// The whole file.
    fn whole(artifact_location: ArtifactLocation) -> Self {
        Self {
            id: None,
            physical: PhysicalLocation { artifact_location, region: None },
            logical: None,
            message: None,
        }
    }
}

/// A path as a URI reference.
fn artifact(path: &str) -> ArtifactLocation {
    let encoded = |path: &str| {
        let mut uri = EString::<encoder::Path>::new();
        for (index, segment) in path.split('/').enumerate() {
            if index > 0 {
                uri.push('/');
            }
            uri.encode_str::<encoder::Data>(segment);
        }
        uri.into_string()
    };
    // On Windows, absolute paths begin with a letter.
    let is_on_drive = path.as_bytes().get(1..3) == Some(b":/");
    if path.starts_with('/') || is_on_drive {
        let slash = if is_on_drive { "/" } else { "" };
        let uri = format!("file://{slash}{}", encoded(path));
        ArtifactLocation { uri, uri_base_id: None }
    } else {
        ArtifactLocation { uri: encoded(plain_path(path)), uri_base_id: Some(BASE) }
    }
}

/// What is said about inputs.
#[derive(Debug, Default)]
pub struct Report {
    results: Elements,
    notes: Vec<(String, Vec<String>)>,
}

impl Report {
    pub(super) fn begin_file(&mut self, file: &File<'_>, out: &mut dyn Write) -> io::Result<()> {
        if !file.outcome.notes.is_empty() {
            self.notes.push((file.path.to_owned(), file.outcome.notes.clone()));
        }
        write!(out, "{}", self.results.before_file(file))
    }

    pub(super) fn end(&self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let unread = summary
            .unread
            .iter()
            .map(|Unread { path, reason }| notification(UNREAD, 0, "error", path, reason));
        let notes = self.notes.iter().flat_map(|(path, notes)| {
            notes.iter().map(move |note| notification(NOTE, 1, "note", path, note))
        });
        let invocation = json!({
            "executionSuccessful": summary.unread.is_empty(),
            "toolExecutionNotifications": unread.chain(notes).collect::<Vec<_>>(),
        });
        let properties = json!({
            "schema": revision(),
            "files": summary.files,
            "messages": summary.messages,
        });
        writeln!(out, "\n],\n\"invocations\":[{invocation}],\n\"properties\":{properties}\n}}]\n}}")
    }
}

fn notification(id: &str, index: usize, level: &str, path: &str, text: &str) -> Value {
    json!({
        "descriptor": { "id": id, "index": index },
        "level": level,
        "message": { "text": literal(&sentence(text)) },
        "locations": [Location::whole(artifact(path))],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(path: &str) -> String {
        artifact(path).uri
    }

    #[test]
    fn paths_are_uri_references() {
        assert_eq!(uri("a/b c.ndjson"), "a/b%20c.ndjson");
        assert_eq!(uri("./a/50%.ndjson"), "a/50%25.ndjson");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
        assert_eq!(uri("täg#1?.ndjson"), "t%C3%A4g%231%3F.ndjson");
        // Before the first slash, a colon would end a scheme.
        assert_eq!(uri("c:d/e"), "c%3Ad/e");
        assert_eq!(uri("/tmp/a b"), "file:///tmp/a%20b");
        assert_eq!(uri("C:/a b"), "file:///C%3A/a%20b");
        assert!(artifact("a").uri_base_id.is_some());
        assert!(artifact("/a").uri_base_id.is_none());
    }

    #[test]
    fn transcripts_make_no_links() {
        assert_eq!(literal("entries[0] is `[1]`"), "entries[0] is `[1]`");
        assert_eq!(literal(r"`[x](\y)`"), r"`\[x\](\\y)`");
        assert_eq!(literal("a\nb"), "a␊b");
    }

    #[test]
    fn names_are_one_word() {
        assert_eq!(pascal_case("plan/duplicate-entry"), "PlanDuplicateEntry");
        assert_eq!(sentence("the plan `x` is shown"), "The plan `x` is shown.");
        assert_eq!(sentence(""), "");
    }
}

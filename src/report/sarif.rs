//! `--format sarif`: SARIF 2.1.0, one run with every rule of the catalogue in its driver.
//!
//! A diagnostic goes in, a `result` object comes out ([`SarifResult`]). The order of members and types
//! here is the order of the written JSON.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use fluent_uri::pct_enc::{EString, encoder};
use serde::Serialize;

use super::{
    File, Options, OutputFormat, Report, Summary, Syntax, TOOL, Unread,
    fingerprint::{FingerprintDigest, Occurrences},
    json::{JsonArray, bound, json},
    plain_path, revision, rule_index, rules,
};
use crate::{
    diagnostic::Diagnostic,
    protocol::{Surface, Version},
    rule::{Label, Rule, Severity},
    rules::CATALOGUE,
    source::{Locator, Position, printable},
};

pub(super) static FORMAT: OutputFormat = OutputFormat {
    ..OutputFormat::new(
        "sarif",
        "SARIF 2.1.0, for code scanning and editors",
        Syntax::Json,
        |options| {
            Box::new(SarifReport { options, results: JsonArray::default(), notes: Vec::new() })
        },
    )
};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The key in `originalUriBaseIds` for the folder that acpcheck ran in, from which relative paths
/// start.
const BASE: &str = "WORKDIR";

/// The id of a notification on an input that could not be read; `NOTE` is that of a note on a
/// recording.
const UNREAD: &str = "acpcheck/unread";
const NOTE: &str = "acpcheck/note";

#[derive(Serialize)]
struct SarifTool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    full_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    information_uri: Option<&'static str>,
    name: &'static str,
    notifications: [Descriptor; 2],
    rules: Vec<Descriptor>,
    semantic_version: &'static str,
    version: &'static str,
}

impl Driver {
    fn new(options: Options) -> Self {
        let (name, version) = TOOL;
        let page = env!("CARGO_PKG_REPOSITORY");
        Self {
            full_name: format!("{name} {version}"),
            information_uri: (!page.is_empty()).then_some(page),
            name,
            notifications: [
                Descriptor::of_notification(
                    UNREAD,
                    "InputNotChecked",
                    "error",
                    "an input could not be read, or not to its end",
                    "The file could not be read, or it contains no message. All other files were checked.",
                ),
                Descriptor::of_notification(
                    NOTE,
                    "AboutTheRecording",
                    "note",
                    "a note about a recording",
                    "It is not a fault of either side, but it matters for the findings in this file.",
                ),
            ],
            rules: CATALOGUE.iter().map(|rule| Descriptor::of_rule(rule, options)).collect(),
            semantic_version: version,
            version,
        }
    }
}

/// A `reportingDescriptor` of SARIF: a rule, or a kind of notification.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    default_configuration: RuleConfiguration,
    full_description: SarifMessage,
    help: Help,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<String>,
    id: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<RuleProperties>,
    short_description: SarifMessage,
}

#[derive(Serialize)]
struct RuleConfiguration {
    #[serde(skip_serializing_if = "Option::is_none")]
    enabled: Option<bool>,
    level: &'static str,
}

#[derive(Serialize)]
struct Help {
    markdown: String,
    text: String,
}

#[derive(Serialize)]
struct RuleProperties {
    bound: &'static str,
    /// The requirement level of the rule by protocol version, such as `v1`.
    level: BTreeMap<String, &'static str>,
    /// The severity by which GitHub sorts rules that are not about security.
    #[serde(rename = "problem.severity")]
    problem_severity: &'static str,
    /// The severity of the rule by protocol version, such as `v1`.
    severity: BTreeMap<String, &'static str>,
    /// Severities that some findings have instead of the usual one, with the condition, such as
    /// `error where the plan is lost`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_severities: Vec<String>,
    surfaces: Vec<&'static str>,
    tags: [&'static str; 2],
    tck: &'static [&'static str],
}

impl Descriptor {
    fn of_notification(
        id: &'static str,
        name: &str,
        level: &'static str,
        summary: &str,
        help: &str,
    ) -> Self {
        Self {
            default_configuration: RuleConfiguration { enabled: None, level },
            full_description: SarifMessage { text: sentence(summary) },
            help: Help { markdown: help.to_owned(), text: help.to_owned() },
            help_uri: None,
            id,
            name: name.to_owned(),
            properties: None,
            short_description: SarifMessage { text: summary.to_owned() },
        }
    }

    fn of_rule(rule: &'static Rule, options: Options) -> Self {
        let protocol = || rule.cites.iter().find_map(|citation| citation.source.url());
        let loudest = rules::versions(rule).map(|version| rule.severity.of(version)).max();
        let loudest = loudest.unwrap_or(Severity::Off);
        let by_version = |value: fn(&Rule, Version) -> &'static str| {
            let values = rules::versions(rule);
            values.map(|version| (format!("v{version}"), value(rule, version))).collect()
        };
        Self {
            default_configuration: RuleConfiguration {
                enabled: Some(loudest != Severity::Off),
                level: level(loudest),
            },
            full_description: SarifMessage { text: requirement(rule) },
            help: Help { markdown: help(rule, Markup::Markdown), text: help(rule, Markup::Plain) },
            help_uri: options.explained(rule).or_else(protocol),
            id: rule.id,
            name: pascal_case(rule.id),
            properties: Some(RuleProperties {
                bound: rule.binds.name(),
                level: by_version(|rule, version| rule.level.of(version).name()),
                problem_severity: match loudest {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                    Severity::Info | Severity::Off => "recommendation",
                },
                severity: by_version(|rule, version| rule.severity.of(version).name()),
                other_severities: rules::variants(rule).collect(),
                surfaces: rule.surfaces.iter().map(Surface::name).collect(),
                tags: ["agent-client-protocol", rule.family()],
                tck: rule.tck,
            }),
            short_description: SarifMessage { text: rule.summary.to_owned() },
        }
    }
}

/// The requirements of the protocol that a rule cites, as sentences.
fn requirement(rule: &Rule) -> String {
    let mut requirements: Vec<_> = rule.cites.iter().map(|citation| citation.requires).collect();
    requirements.dedup();
    requirements.iter().map(|requirement| sentence(requirement)).collect::<Vec<_>>().join(" ")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Markup {
    Plain,
    Markdown,
}

/// The help text of a rule: its explanation, severities, sources and requirements.
fn help(rule: &Rule, markup: Markup) -> String {
    let mut help = String::from(rule.explanation.trim());
    if !rule.variants.is_empty() {
        help.push_str(&["\n\nSeverity: ", &rules::severity(rule), "."].concat());
    }
    help.push_str("\n\nSources:\n\n");
    for citation in rule.cites {
        let version = citation.version.map(|version| format!("v{version}, ")).unwrap_or_default();
        let source = match (citation.source.url(), markup) {
            (Some(url), Markup::Markdown) => format!("<{url}>"),
            (Some(url), Markup::Plain) => url,
            (None, _) => citation.source.to_string(),
        };
        help.push_str(&format!("- {version}{source}: {}\n", citation.requires));
    }
    let levels = rules::by_version(rule, rule.level, |level| level.name().to_owned());
    help.push_str(&format!("\nLevel: {levels}. Judged: {}.", rule.binds.name()));
    help.push_str(&match markup {
        Markup::Plain => format!(" An example: acpcheck explain {}", rule.id),
        Markup::Markdown => format!(" An example: `acpcheck explain {}`", rule.id),
    });
    help
}

/// The text with a capital letter at its beginning and a full stop at its end.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    let Some(first) = rest.next() else { return String::new() };
    let stop = if text.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), rest.as_str())
}

/// The name of a rule as SARIF wants it: `PlanDuplicateEntry` for `plan/duplicate-entry`.
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: &'static str,
    rule_index: Option<usize>,
    level: &'static str,
    message: SarifMessage,
    locations: Vec<SarifLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<SarifLocation>,
    partial_fingerprints: PartialFingerprints,
    properties: Properties,
    #[serde(skip_serializing_if = "Option::is_none")]
    occurrence_count: Option<u64>,
}

#[derive(Debug, Serialize)]
struct SarifMessage {
    text: String,
}

#[derive(Debug, Serialize)]
struct SarifLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    #[serde(rename = "physicalLocation")]
    physical: PhysicalLocation,
    #[serde(rename = "logicalLocations", skip_serializing_if = "Option::is_none")]
    logical: Option<[LogicalLocation; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<SarifMessage>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u64,
    start_column: u64,
    end_line: u64,
    end_column: u64,
    /// The text of the region; `None` when it is longer than [`SNIPPET`] bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<SarifMessage>,
}

/// Most bytes of a marked text that the report quotes as a snippet; longer texts are left out.
const SNIPPET: u32 = 200;

/// A `logicalLocation` of SARIF: a place in a message, named by its JSON pointer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
    kind: &'static str,
}

#[derive(Serialize)]
struct PartialFingerprints {
    /// The fingerprint of the finding, equal in all recordings with the same fault.
    #[serde(rename = "acpcheck/v1")]
    own: String,
    /// The key by which GitHub recognizes an alert: the fingerprint of the finding, and its number
    /// among equal ones in the file.
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

impl SarifResult {
    fn of(
        diagnostic: &Diagnostic,
        path: &str,
        occurrences: &mut Occurrences,
        locator: &mut Locator<'_>,
    ) -> io::Result<Self> {
        let own = artifact(path);
        let mut locations = Vec::with_capacity(diagnostic.finding.labels.len());
        for label in &diagnostic.finding.labels {
            locations.push(SarifLocation::of(label, own.clone(), locator)?);
        }
        if locations.is_empty() {
            locations.push(SarifLocation::whole(own));
        }
        let mut related_locations = locations.split_off(1);
        related_locations.extend(diagnostic.finding.elsewhere.iter().map(|place| {
            SarifLocation::at(&place.label, artifact(&place.file), place.position, None)
        }));
        for (index, location) in related_locations.iter_mut().enumerate() {
            location.id = Some(index + 1);
        }
        let digest = FingerprintDigest::of(diagnostic);
        let number = occurrences.next(digest);
        let name = |name: &str| printable(name).into_owned();
        let repeats = diagnostic.repeats;
        Ok(Self {
            rule_id: diagnostic.rule.id,
            rule_index: rule_index(diagnostic),
            level: level(diagnostic.severity),
            message: SarifMessage { text: text(diagnostic) },
            locations,
            related_locations,
            partial_fingerprints: PartialFingerprints {
                own: digest.to_string(),
                github: format!("{}:{number}", digest.within(plain_path(path))),
            },
            properties: Properties {
                bound: bound(diagnostic.bound),
                connection: diagnostic.connection,
                version: format!("v{}", diagnostic.version),
                method: diagnostic.method.as_deref().map(name),
                agent: diagnostic.agent.as_deref().map(name),
                url: diagnostic.url(),
            },
            occurrence_count: (repeats > 0).then(|| repeats.saturating_add(1)),
        })
    }
}

/// The message of a SARIF result: the finding's message and its help, as sentences.
fn text(diagnostic: &Diagnostic) -> String {
    let finding = &diagnostic.finding;
    let help = finding.help.as_deref().map(|help| format!(" {}", sentence(help)));
    literal(&format!("{}{}", sentence(&finding.message), help.unwrap_or_default()))
}

/// The text as a SARIF message without links, since text of transcripts could look like one.
fn literal(text: &str) -> String {
    let text = printable(text);
    if text.contains("](") {
        text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
    } else {
        text.into_owned()
    }
}

impl SarifLocation {
    fn of(
        label: &Label,
        artifact_location: ArtifactLocation,
        locator: &mut Locator<'_>,
    ) -> io::Result<Self> {
        let position = locator.position(label.span)?;
        let text = locator.text(label.span, SNIPPET)?;
        Ok(Self::at(label, artifact_location, position, text))
    }

    /// A location of SARIF at a known position. `text` is that of the region; `None` when it is too
    /// long or unknown.
    fn at(
        label: &Label,
        artifact_location: ArtifactLocation,
        position: Position,
        text: Option<String>,
    ) -> Self {
        let region = Region {
            start_line: position.line,
            start_column: position.column,
            end_line: position.end_line,
            end_column: position.end_column,
            snippet: text.map(|text| SarifMessage { text }),
        };
        let pointer = label.pointer.as_deref().filter(|pointer| !pointer.is_empty());
        Self {
            id: None,
            physical: PhysicalLocation { artifact_location, region: Some(region) },
            logical: pointer.map(|pointer| {
                [LogicalLocation { fully_qualified_name: pointer.to_owned(), kind: "value" }]
            }),
            message: (!label.message.is_empty())
                .then(|| SarifMessage { text: literal(&sentence(&label.message)) }),
        }
    }

    /// A SARIF location that stands for the whole file, without a region.
    fn whole(artifact_location: ArtifactLocation) -> Self {
        Self {
            id: None,
            physical: PhysicalLocation { artifact_location, region: None },
            logical: None,
            message: None,
        }
    }
}

/// A path as an `artifactLocation` of SARIF. A relative path becomes a URI reference from [`BASE`],
/// an absolute one a `file:` URI.
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation<'a> {
    execution_successful: bool,
    tool_execution_notifications: &'a [Notification],
}

/// A `notification` of SARIF on an input: that it could not be read, or a note on its recording.
#[derive(Debug, Serialize)]
struct Notification {
    descriptor: DescriptorReference,
    level: &'static str,
    locations: [SarifLocation; 1],
    message: SarifMessage,
}

#[derive(Debug, Serialize)]
struct DescriptorReference {
    id: &'static str,
    /// The index in [`Driver::notifications`] of the notification's description.
    index: usize,
}

impl Notification {
    fn unread(unread: &Unread) -> Self {
        Self::new(
            DescriptorReference { id: UNREAD, index: 0 },
            "error",
            &unread.path,
            &unread.reason,
        )
    }

    fn note(path: &str, note: &str) -> Self {
        Self::new(DescriptorReference { id: NOTE, index: 1 }, "note", path, note)
    }

    fn new(descriptor: DescriptorReference, level: &'static str, path: &str, text: &str) -> Self {
        let message = SarifMessage { text: literal(&sentence(text)) };
        Self { descriptor, level, locations: [SarifLocation::whole(artifact(path))], message }
    }
}

/// A folder that paths in the SARIF report are relative to, with its description.
#[derive(Serialize)]
struct Base {
    description: SarifMessage,
}

#[derive(Serialize)]
struct RunProperties {
    files: u64,
    messages: u64,
    schema: &'static str,
}

/// The SARIF report, whose only `run` holds the results of all files. Totals and notifications are
/// written at the end.
#[derive(Debug)]
struct SarifReport {
    options: Options,
    results: JsonArray,
    notes: Vec<Notification>,
}

impl Report for SarifReport {
    fn begin(&mut self, _: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let tool = json(&SarifTool { driver: Driver::new(self.options) })?;
        let description = SarifMessage { text: "The folder that acpcheck ran in.".to_owned() };
        let bases = json(&BTreeMap::from([(BASE, Base { description })]))?;
        write!(
            out,
            "{{\n\"$schema\":\"{SCHEMA}\",\n\"version\":\"2.1.0\",\n\"runs\":[{{\n\"tool\":{tool},\n\
             \"columnKind\":\"unicodeCodePoints\",\n\"originalUriBaseIds\":{bases},\n\"results\":["
        )
    }

    fn file(
        &mut self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let notes = file.outcome.notes.iter();
        self.notes.extend(notes.map(|note| Notification::note(file.path, note)));
        let mut occurrences = Occurrences::default();
        for diagnostic in diagnostics {
            let result = SarifResult::of(diagnostic, file.path, &mut occurrences, locator)?;
            write!(out, "{}{}", self.results.before_next(), json(&result)?)?;
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let mut notifications: Vec<_> = summary.unread.iter().map(Notification::unread).collect();
        notifications.append(&mut self.notes);
        let invocation = json(&Invocation {
            execution_successful: summary.unread.is_empty(),
            tool_execution_notifications: &notifications,
        })?;
        let Summary { files, messages, .. } = *summary;
        let properties = json(&RunProperties { files, messages, schema: revision() })?;
        writeln!(out, "\n],\n\"invocations\":[{invocation}],\n\"properties\":{properties}\n}}]\n}}")
    }
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

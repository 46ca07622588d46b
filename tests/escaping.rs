//! Whatever a transcript, its path or the reason why it was not read contain: every report can be
//! read by who it is for, and nothing in it has a meaning there.

use std::{
    collections::BTreeSet,
    io,
    sync::{Arc, LazyLock, OnceLock},
};

use acpcheck::{
    audit,
    check::{Check, Settings},
    plans,
    redact::FindingKey,
    reduce::{Issue, Reduced},
    report::{
        self, File, Options, OutputFormat, RuleCounts, Summary, TextStyle, Unread,
        audit::{AuditFormat, AuditWriter},
        compliance::{
            self, Acceptance, Acceptances, Compliance, DocumentFormat, RuleId, Stored,
            TranscriptSection,
        },
        fingerprint::Fingerprint,
        plans::TimelineWriter,
    },
    requirements,
    rule::Severity,
    rules::{self, CATALOGUE},
    source::Locator,
};
use comrak::{Arena, nodes::NodeValue};
use html5gum::{Token, Tokenizer};
use proptest::prelude::*;
use serde_json::Value;

use super::effort;

/// A report as `acpcheck check` puts it together, and how many findings are in it.
fn report(format: &str, files: &[(String, Vec<u8>)], unread: &[Unread]) -> (String, usize) {
    written(report::find(format).expect("a format"), files, unread).expect("in memory")
}

fn written(
    format: &OutputFormat,
    files: &[(String, Vec<u8>)],
    unread: &[Unread],
) -> io::Result<(String, usize)> {
    let settings = Settings::default();
    let options = Options {
        fail_on: Severity::Error,
        style: TextStyle::PLAIN,
        min_severity: None,
        shows_all: true,
        shows_hints: true,
        rules_url: None,
    };
    let mut report = format.report(options);
    let mut summary = Summary::default();
    let mut out = Vec::new();
    if !format.begins_last {
        report.begin(&summary, &mut out)?;
    }
    let mut found = 0;
    for (path, bytes) in files {
        let (diagnostics, outcome) = effort::check(bytes, &settings);
        let Some(name) = outcome.format else { continue };
        let rule_counts = RuleCounts::of(&diagnostics);
        let file = File {
            path,
            format: name,
            outcome: &outcome,
            counts: rule_counts.total(),
            rule_counts: &rule_counts,
            severities: &settings.severities,
            findings: None,
        };
        summary.files += 1;
        summary.counts += file.counts;
        summary.messages += outcome.messages;
        let mut bytes = bytes.as_slice();
        report.file(&file, &diagnostics, &mut Locator::new(&mut bytes), &mut out)?;
        found += diagnostics.len();
    }
    for input in unread {
        report.unread(input, &mut out)?;
        summary.unread.push(input.clone());
    }
    report.end(&summary, &mut out)?;
    if format.begins_last {
        let mut head = Vec::new();
        report.begin(&summary, &mut head)?;
        out.splice(0..0, head);
    }
    let text = String::from_utf8(out).map_err(io::Error::other)?;
    Ok((text, found))
}

/// A report as `acpcheck report` puts it together, with a baseline that accepts everything.
fn compliance(files: &[(String, Vec<u8>)], unread: &[Unread], is_redacted: bool) -> Compliance {
    let judged: Vec<_> = files
        .iter()
        .map(|(path, bytes)| {
            let (check, steps) = plans::watched(&Settings::default());
            let mut check = check.with_conduct();
            check.feed(bytes);
            let (diagnostics, outcome) = check.finish();
            (path, bytes, diagnostics, steps.into_iter().collect::<Vec<_>>(), outcome)
        })
        .collect();
    let diagnostics = judged.iter().flat_map(|(_, _, diagnostics, ..)| diagnostics);
    let fingerprints: BTreeSet<_> = diagnostics.map(Fingerprint::of).collect();
    let accept = |(count, fingerprint): (u64, Fingerprint)| Acceptance {
        rule: RuleId(rules::find(fingerprint.rule).expect("a rule").0),
        method: fingerprint.method.as_deref().map(str::to_owned),
        pointer: fingerprint.shape,
        implementation: fingerprint.implementation.as_deref().map(str::to_owned),
        count,
        reason: PIECES[usize::try_from(count).expect("few") % PIECES.len()].to_owned(),
    };
    let accepted: Vec<_> = (0..).zip(fingerprints).map(accept).collect();
    let acceptances = Arc::new(Acceptances::new(&accepted));

    let sections = judged.iter().filter_map(|(path, bytes, diagnostics, steps, outcome)| {
        let mut section = TranscriptSection::new(is_redacted).accepting(Arc::clone(&acceptances));
        let mut reread: &[u8] = bytes;
        let mut locator = Locator::new(&mut reread);
        for diagnostic in diagnostics {
            section.diagnostic(diagnostic, &mut locator).expect("in memory");
        }
        for step in steps {
            section.step(step);
        }
        let (path, bytes) = ((*path).clone(), bytes.len() as u64);
        section.finish(Stored { path, sha256: "0".repeat(64), bytes }, outcome)
    });
    let accepted = accepted
        .into_iter()
        .map(|acceptance| if is_redacted { acceptance.redacted() } else { acceptance });
    let settings = compliance::RunSettings {
        redacted: is_redacted,
        accepted: accepted.collect(),
        ..Default::default()
    };
    let passed_over = vec!["<i>`*\n".to_owned()];
    Compliance::new(settings, sections.collect(), unread.to_vec(), passed_over)
}

fn form(compliance: &Compliance, form: DocumentFormat) -> String {
    let mut text = Vec::new();
    compliance.write(form, &mut text).expect("in memory");
    String::from_utf8(text).expect("reports are text")
}

/// Pieces of text that mean something somewhere.
const PIECES: [&str; 75] = [
    "]]>",
    "<![CDATA[",
    "<script>alert(1)</script>",
    "</style>",
    "<style>",
    "<img src=x onerror=y>",
    "<a href=\"https://evil.example\">",
    "\" onload=\"x",
    "' x='",
    "&lt;",
    "&#60;",
    "-->",
    "<!--",
    "%",
    "%0A",
    "%25",
    "\n",
    "\r\n",
    "\r",
    "::error::x",
    "\n::stop-commands::x\n",
    "::",
    ":",
    ",",
    "`",
    "``",
    "|",
    "\\",
    "\\|",
    "[x](https://evil.example)",
    "](",
    "![",
    "https://evil.example/x",
    "www.evil.example",
    "me@evil.example",
    "@everyone",
    "#1",
    "$x$",
    "*b*",
    "_i_",
    "~~",
    "[^1]",
    "\u{0}",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{fffe}",
    "𐀀é",
    "\u{85}\u{2028}",
    "##vso[task.setvariable variable=x]",
    "##[error]x",
    "##teamcity[x]",
    "##",
    "#",
    "vso[",
    "section_start:1:a\r\u{1b}[0K",
    "section_end:1:a",
    "travis_fold:start:a",
    "travis_time:end:a",
    "travis_fold",
    "\u{9b}31m",
    "- [x] ",
    "1. ",
    "---",
    "--- ",
    "+++ ",
    "~~~ x",
    "^^^ +++",
    "  ::error file=x::y",
    "::error",
    "\u{34f}",
    "\u{115f}\u{1160}",
    "\u{180e}\u{3164}",
    "\u{ffa0}\u{e0041}",
    "a\u{fe0f}\u{fe00}",
    "\u{2764}\u{fe0f}",
];

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        2 => any::<char>().prop_map(String::from),
        2 => prop::sample::select(vec!["plan", " ", "the `x` is"]).prop_map(str::to_owned),
        1 => Just("x".repeat(300)),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// A line of a transcript with a text of the other side's choice in it.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let update = |update: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{update}}}}}"#
        )
    };
    let templates = vec![
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"1","clientCapabilities":{}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":@,"version":@}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":@,"mcpServers":[]}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":@,"params":{}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":@,"method":"session/prompt","params":{"sessionId":@,"prompt":[]}}"#.to_owned(),
        r#"{"jsonrpc":@,"id":@,"result":{@:1}}"#.to_owned(),
        update(r#"{"sessionUpdate":"plan","entries":[{"content":@,"priority":@,"status":"pending"},{"content":@,"priority":"high","status":@}]}"#),
        update(r#"{"sessionUpdate":"session_info_update","title":7,@:8}"#),
        update(r#"{"sessionUpdate":@,"content":{"type":"text","text":@}}"#),
        update(r#"{"sessionUpdate":"tool_call","toolCallId":@,"title":@,"kind":@,"status":@}"#),
        r#"{"jsonrpc":"2.0","id":@,"method":"fs/write_text_file","params":{"sessionId":"s","path":@,"content":@}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":@,"method":"terminal/create","params":{"sessionId":"s","command":@,"args":[@],"cwd":@}}"#.to_owned(),
        update(r#"{"sessionUpdate":"plan","entries":[{"content":"\ud800","priority":"high","status":"\udfff\n"}]}"#),
    ];
    let message = (prop::sample::select(templates), prop::collection::vec(hostile(), 5)).prop_map(
        |(template, texts)| {
            let mut texts = texts.into_iter().cycle();
            let mut line = String::new();
            for (index, part) in template.split('@').enumerate() {
                if index > 0 {
                    let text = texts.next().unwrap_or_default();
                    line.push_str(&Value::String(text).to_string());
                }
                line.push_str(part);
            }
            line.into_bytes()
        },
    );
    prop_oneof![
        6 => message,
        1 => hostile().prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
}

fn transcript() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(line(), 1..12).prop_map(|lines| lines.join(&b'\n'))
}

fn files() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    prop::collection::vec((hostile(), transcript()), 0..3)
}

fn unread() -> impl Strategy<Value = Vec<Unread>> {
    let unread = (hostile(), hostile()).prop_map(|(path, reason)| Unread { path, reason });
    prop::collection::vec(unread, 0..2)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

fn assert_valid(validator: &jsonschema::Validator, document: &Value) {
    if let Err(error) = validator.validate(document) {
        panic!("{error} at {}: {document}", error.instance_path());
    }
}

fn validator(schema: &str) -> jsonschema::Validator {
    jsonschema::validator_for(&json(schema)).expect("a schema")
}

/// The pages that rules cite, and those on which requirements stand: all that a report may link to.
static PAGES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let cites = CATALOGUE.iter().flat_map(|rule| rule.cites);
    let cited = cites.filter_map(|citation| citation.source.url());
    cited.chain(requirements::sentences().filter_map(|sentence| sentence.url())).collect()
});

/// The elements of a JUnit report.
const XML_ELEMENTS: [&str; 9] = [
    "testsuites",
    "testsuite",
    "properties",
    "property",
    "testcase",
    "skipped",
    "failure",
    "error",
    "system-out",
];

/// The properties of workflow commands.
const PROPERTIES: [&str; 6] = ["file", "line", "endLine", "col", "endColumn", "title"];

/// The elements and attributes of the page.
const ELEMENTS: [&str; 35] = [
    "html", "head", "meta", "title", "style", "body", "header", "main", "section", "article",
    "div", "h1", "h2", "h3", "h4", "p", "a", "b", "ul", "li", "code", "pre", "span", "br", "wbr",
    "table", "caption", "thead", "tbody", "tr", "th", "td", "i", "mark", "ol",
];
const ATTRIBUTES: [&str; 11] = [
    "lang",
    "charset",
    "name",
    "content",
    "http-equiv",
    "class",
    "id",
    "href",
    "tabindex",
    "rel",
    "scope",
];

/// All that a code host reads in Markdown.
fn options() -> comrak::Options<'static> {
    let mut options = comrak::Options::default();
    let extension = &mut options.extension;
    extension.table = true;
    extension.autolink = true;
    extension.strikethrough = true;
    extension.tasklist = true;
    extension.footnotes = true;
    extension.math_dollars = true;
    extension.math_code = true;
    extension.alerts = true;
    options
}

/// What the page about compliance consists of.
const COMPLIANCE_ELEMENTS: &[&str] = &[
    "a", "article", "b", "body", "br", "caption", "circle", "code", "dd", "details", "div", "dl",
    "dt", "h1", "h2", "h3", "h4", "head", "header", "html", "i", "li", "main", "mark", "meta",
    "nav", "ol", "p", "path", "pre", "section", "span", "style", "summary", "svg", "symbol",
    "table", "tbody", "td", "th", "thead", "title", "tr", "ul", "use", "wbr",
];
const COMPLIANCE_ATTRIBUTES: &[&str] = &[
    "aria-hidden",
    "aria-label",
    "aria-labelledby",
    "charset",
    "class",
    "colspan",
    "content",
    "cx",
    "cy",
    "d",
    "fill",
    "focusable",
    "height",
    "href",
    "http-equiv",
    "id",
    "lang",
    "name",
    "open",
    "r",
    "rel",
    "role",
    "scope",
    "stroke",
    "stroke-width",
    "tabindex",
    "viewBox",
    "viewbox",
    "width",
];

/// The line of a job's output that a CI server would obey, if there is one. `own`: what the lines of
/// the format begin with, where that is a command itself.
fn obeyed<'o>(output: &'o str, own: &str) -> Option<&'o str> {
    static ANYWHERE: LazyLock<regex::Regex> = LazyLock::new(|| {
        let pattern = "##[A-Za-z0-9-]*\\[|section_(start|end):[0-9]+:[A-Za-z0-9_.-]+\r\x1b\\[0K|\
                       travis_(fold|time):(start|end):";
        regex::Regex::new(pattern).expect("a regular expression")
    });
    output.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).find(|line| {
        let begun = line.trim_start();
        let is_command = begun.strip_prefix("::").is_some_and(|rest| rest.contains("::"))
            && (own.is_empty() || !line.starts_with(own));
        let is_heading =
            ["--- ", "+++ ", "~~~ ", "^^^ "].iter().any(|heading| line.starts_with(heading));
        is_command || is_heading || ANYWHERE.is_match(line)
    })
}

/// Whether a text has a character that hides or moves others, apart from the ends of its lines.
fn hides(text: &str) -> bool {
    let mut before = ' ';
    text.chars().any(|character| {
        let before = std::mem::replace(&mut before, character);
        match character {
            '\n' => false,
            // It belongs to the emoji before it.
            '\u{fe00}'..='\u{fe0f}' => before != '\u{2764}' && before.is_ascii(),
            '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{180e}'
            | '\u{3164}'
            | '\u{ffa0}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e0fff}' => true,
            _ => character.is_control(),
        }
    })
}

/// The plans of all files, as `acpcheck plans` shows them.
fn timelines(files: &[(String, Vec<u8>)]) -> [String; 2] {
    let (mut text, mut json) = (String::new(), String::new());
    for (path, bytes) in files {
        let (mut check, steps) = plans::watched(&Settings::default());
        check.feed(bytes);
        let (_, outcome) = check.finish();
        let mut writers =
            [TimelineWriter::text(None, TextStyle::PLAIN), TimelineWriter::json(None, path)];
        for step in steps {
            let [first, second] = &mut writers;
            first.step(step.clone(), &mut text);
            second.step(step, &mut json);
        }
        let [first, second] = writers;
        first.finish(outcome.format.unwrap_or_default(), &mut text);
        second.finish(outcome.format.unwrap_or_default(), &mut json);
    }
    [text, json]
}

/// The audit log of all files, as `acpcheck audit` writes it in each format.
fn audits(files: &[(String, Vec<u8>)], is_redacted: bool) -> [String; 3] {
    [AuditFormat::Text, AuditFormat::Ndjson, AuditFormat::Csv].map(|format| {
        let mut text = String::new();
        let mut writer = AuditWriter::new(format, TextStyle::PLAIN).redacted(is_redacted);
        for (path, bytes) in files {
            let (mut check, events) = audit::watched(Check::new(&Settings::default()));
            check.feed(bytes);
            let _ = check.finish();
            for event in events {
                writer.event(path, event, &mut text);
            }
        }
        writer.finish(&mut text);
        text
    })
}

/// The text of an issue about a finding of a recording that nothing can be left out of.
fn issue(recording: &[u8], finding: &FindingKey, name: &str) -> String {
    let settings = &Settings::default();
    let reduced = &Reduced {
        bytes: recording.to_vec(),
        messages: 1,
        all_messages: 1,
        lines: Vec::new(),
        finding: finding.clone(),
        is_rewritten: false,
        is_unfinished: false,
    };
    Issue { recording, settings, reduced, name, is_redacted: false }.text()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(96), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_and_its_lines_parse(files in files(), unread in unread()) {
        let (text, found) = report("json", &files, &unread);
        let document = json(&text);
        let files_of = list(&document["files"]);
        let listed: usize = files_of.iter().map(|file| list(&file["diagnostics"]).len()).sum();
        prop_assert_eq!(listed, found);

        let (text, _) = report("ndjson", &files, &unread);
        let lines: Vec<_> = text.split_terminator('\n').map(json).collect();
        prop_assert_eq!(lines.len(), found + files_of.len() + unread.len() + 2);
    }

    #[test]
    fn sarif_keeps_to_its_schema(files in files(), unread in unread()) {
        static SCHEMA: OnceLock<jsonschema::Validator> = OnceLock::new();
        let schema = SCHEMA.get_or_init(|| {
            let schema = include_str!("schemas/sarif-2.1.0.json");
            validator(&schema.replace("[a-zA-Z]{2}]?$", r"[a-zA-Z]{2}\\]?$"))
        });
        let (text, found) = report("sarif", &files, &unread);
        let document = json(&text);
        assert_valid(schema, &document);
        let results = list(&document["runs"][0]["results"]);
        prop_assert_eq!(results.len(), found);
        for result in results {
            let message = result["message"]["text"].as_str().unwrap_or_default();
            prop_assert!(!message.replace("\\]", "").contains("]("), "{}", message);
        }
    }

    #[test]
    fn code_quality_and_review_keep_to_their_schemas(files in files(), unread in unread()) {
        static SCHEMAS: LazyLock<[jsonschema::Validator; 2]> = LazyLock::new(|| [
            validator(include_str!("schemas/gitlab-code-quality.json")),
            validator(include_str!("schemas/rdjson.json")),
        ]);
        let [gitlab, rdjson] = &*SCHEMAS;
        // GitLab takes no issue without a path, and files have one.
        let named = |path: &str| format!("t/{path}");
        let files: Vec<_> = files.into_iter().map(|(path, it)| (named(&path), it)).collect();
        let unread: Vec<_> =
            unread.into_iter().map(|it| Unread { path: named(&it.path), ..it }).collect();
        for (format, schema) in [("gitlab", gitlab), ("rdjson", rdjson)] {
            let (text, found) = report(format, &files, &unread);
            let document = json(&text);
            assert_valid(schema, &document);
            let rows = document.get("diagnostics").unwrap_or(&document);
            prop_assert_eq!(list(rows).len(), found + unread.len());
        }
    }

    #[test]
    fn xml_is_well_formed(files in files(), unread in unread()) {
        let (text, _) = report("junit-all", &files, &unread);
        let document = roxmltree::Document::parse(&text);
        prop_assert!(document.is_ok(), "{:?}: {}", document, text);
        let document = document.expect("well-formed");
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            prop_assert!(XML_ELEMENTS.contains(&node.tag_name().name()), "{:?}", node);
        }
        let errors = document.descendants().filter(|node| node.has_tag_name("error")).count();
        prop_assert_eq!(errors, unread.len());
    }

    #[test]
    fn commands_are_one_line_each(files in files(), unread in unread()) {
        let (text, found) = report("github", &files, &unread);
        prop_assert!(!text.contains('\r'));
        let commands: Vec<_> = text.split_terminator('\n').collect();
        prop_assert!(commands.len() <= 30);
        prop_assert!(commands.len() <= found + unread.len());
        for command in &commands {
            let (head, _) = command[2..].split_once("::").expect("a message");
            let (kind, properties) = head.split_once(' ').expect("properties");
            prop_assert!(["error", "warning", "notice"].contains(&kind), "{}", command);
            for property in properties.split(',') {
                let (name, _) = property.split_once('=').expect("a value");
                prop_assert!(PROPERTIES.contains(&name), "{}", command);
            }
        }
    }

    #[test]
    fn markdown_has_no_meaning_but_ours(files in files(), unread in unread()) {
        let (text, found) = report("markdown", &files, &unread);
        let options = options();
        let arena = Arena::new();
        let root = comrak::parse_document(&arena, &text, &options);
        let mut rows = 0;
        for node in root.descendants() {
            let value = node.data.borrow().value.clone();
            match &value {
                NodeValue::Document
                | NodeValue::Heading(_)
                | NodeValue::Paragraph
                | NodeValue::Text(_)
                | NodeValue::Code(_)
                | NodeValue::Table(_)
                | NodeValue::List(_)
                | NodeValue::TableCell
                | NodeValue::Item(_) => {}
                NodeValue::TableRow(is_head) => {
                    let cells = node.children().count();
                    prop_assert!([4, 5].contains(&cells), "{}", text);
                    rows += usize::from(!is_head && cells == 4);
                }
                NodeValue::Link(link) => {
                    prop_assert!(PAGES.contains(&link.url), "{:?} in {}", link.url, text);
                }
                other => prop_assert!(false, "{other:?} in {text}"),
            }
        }
        prop_assert_eq!(rows, found);
    }

    #[test]
    fn issues_have_no_meaning_but_ours(recording in transcript(), name in hostile()) {
        let settings = Settings::default();
        let (diagnostics, _) = effort::check(&recording, &settings);
        let mut rules = BTreeSet::new();
        for finding in diagnostics.iter().map(FindingKey::of).filter(|it| rules.insert(it.rule)) {
            let text = issue(&recording, &finding, &name);
            prop_assert_eq!(obeyed(&text, ""), None);
            prop_assert!(!hides(&text.replace('\t', " ")), "{:?}", text);
            let arena = Arena::new();
            let options = options();
            let root = comrak::parse_document(&arena, &text, &options);
            let (mut strong, mut blocks) = (0, Vec::new());
            for node in root.descendants() {
                match &node.data.borrow().value {
                    NodeValue::Document
                    | NodeValue::Paragraph
                    | NodeValue::SoftBreak
                    | NodeValue::Text(_)
                    | NodeValue::Code(_) => {}
                    NodeValue::Strong => strong += 1,
                    NodeValue::CodeBlock(block) => blocks.push(block.literal.clone()),
                    NodeValue::Link(link) => {
                        prop_assert!(PAGES.contains(&link.url), "{:?} in {}", link.url, text);
                    }
                    other => prop_assert!(false, "{other:?} in {text}"),
                }
            }
            prop_assert_eq!(strong, 1, "{}", text);
            if text.contains("save the lines below") {
                let lines = blocks.last().expect("the lines");
                let (diagnostics, _) = effort::check(lines.as_bytes(), &settings);
                let is_kept = |it: FindingKey| (it.rule, it.lines) == (finding.rule, finding.lines.clone());
                prop_assert!(diagnostics.iter().map(FindingKey::of).any(is_kept), "{}", text);
            }
        }
    }

    #[test]
    fn pages_have_no_element_but_ours(files in files(), unread in unread()) {
        let (text, found) = report("html", &files, &unread);
        let utf8 = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut counts = std::collections::BTreeMap::<String, usize>::new();
        let mut tokenizer = Tokenizer::new(&text);
        tokenizer.set_state(html5gum::State::Data);
        for token in tokenizer {
            let Ok(token) = token;
            match token {
                Token::StartTag(tag) => {
                    let name = utf8(&tag.name);
                    prop_assert!(ELEMENTS.contains(&name.as_str()), "<{}> in {}", name, text);
                    for (attribute, value) in &tag.attributes {
                        let (attribute, value) = (utf8(attribute), utf8(value));
                        prop_assert!(ATTRIBUTES.contains(&attribute.as_str()), "{}", attribute);
                        if attribute == "href" {
                            let is_ours = value.starts_with("#file-") || PAGES.contains(&value);
                            prop_assert!(is_ours, "{}", value);
                        }
                    }
                    *counts.entry(name).or_default() += 1;
                }
                Token::Comment(comment) => prop_assert!(false, "{:?}", comment),
                Token::Error(error) => prop_assert!(false, "{:?} in {}", error, text),
                Token::EndTag(_) | Token::String(_) | Token::Doctype(_) => {}
            }
        }
        prop_assert_eq!(counts.get("style"), Some(&1));
        prop_assert_eq!(counts.get("article").copied().unwrap_or_default(), found);
    }

    #[test]
    fn compliance_pages_have_no_element_but_ours(
        files in files(), unread in unread(), is_redacted in any::<bool>(),
    ) {
        let text = form(&compliance(&files, &unread, is_redacted), DocumentFormat::Html);
        let utf8 = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut tokenizer = Tokenizer::new(&text);
        tokenizer.set_state(html5gum::State::Data);
        let mut styles = 0;
        let mut open: Vec<String> = Vec::new();
        for token in tokenizer {
            let Ok(token) = token;
            match token {
                Token::StartTag(tag) => {
                    let name = utf8(&tag.name);
                    prop_assert!(COMPLIANCE_ELEMENTS.contains(&&*name), "<{}> in {}", name, text);
                    for (attribute, value) in &tag.attributes {
                        let (attribute, value) = (utf8(attribute), utf8(value));
                        let is_known = COMPLIANCE_ATTRIBUTES.contains(&&*attribute);
                        prop_assert!(is_known, "{} in {}", attribute, text);
                        if attribute == "href" {
                            let is_ours = value.starts_with('#') || PAGES.contains(&value);
                            prop_assert!(is_ours, "{}", value);
                        }
                    }
                    styles += usize::from(name == "style");
                    if !tag.self_closing && !["meta", "br", "wbr"].contains(&&*name) {
                        open.push(name);
                    }
                }
                Token::EndTag(tag) => {
                    prop_assert_eq!(open.pop(), Some(utf8(&tag.name)), "in {}", text);
                }
                Token::Comment(comment) => prop_assert!(false, "{:?}", comment),
                Token::Error(error) => prop_assert!(false, "{:?} in {}", error, text),
                Token::String(_) | Token::Doctype(_) => {}
            }
        }
        prop_assert_eq!((styles, open), (1, Vec::new()));
    }

    #[test]
    fn compliance_markdown_has_no_meaning_but_ours(
        files in files(), unread in unread(), is_redacted in any::<bool>(),
    ) {
        let text = form(&compliance(&files, &unread, is_redacted), DocumentFormat::Markdown);
        let arena = Arena::new();
        let options = options();
        let root = comrak::parse_document(&arena, &text, &options);
        for node in root.descendants() {
            let value = node.data.borrow().value.clone();
            match &value {
                NodeValue::Document
                | NodeValue::Heading(_)
                | NodeValue::Paragraph
                | NodeValue::LineBreak
                | NodeValue::Strong
                | NodeValue::Text(_)
                | NodeValue::Code(_)
                | NodeValue::CodeBlock(_)
                | NodeValue::Table(_)
                | NodeValue::TableRow(_)
                | NodeValue::TableCell
                | NodeValue::List(_)
                | NodeValue::Item(_) => {}
                NodeValue::HtmlBlock(block) => {
                    let text = block.literal.trim();
                    let inner = text
                        .strip_prefix("<details><summary>")
                        .and_then(|text| text.strip_suffix("</summary>"))
                        .unwrap_or_default();
                    prop_assert!(text == "</details>" || !inner.is_empty(), "{}", text);
                    prop_assert!(!inner.contains(['<', '>', '\n']), "{}", text);
                }
                NodeValue::Link(link) => {
                    prop_assert!(PAGES.contains(&link.url), "{:?} in {}", link.url, text);
                }
                other => prop_assert!(false, "{other:?} in {text}"),
            }
        }
    }

    #[test]
    fn compliance_documents_are_read_back(
        files in files(), unread in unread(), is_redacted in any::<bool>(),
    ) {
        let compliance = compliance(&files, &unread, is_redacted);
        let text = form(&compliance, DocumentFormat::Json);
        prop_assert_eq!(Compliance::read(text.as_bytes()), Ok(compliance));
    }

    #[test]
    fn no_output_commands_a_ci_server(
        files in files(), unread in unread(), is_redacted in any::<bool>(),
    ) {
        for format in report::FORMATS {
            let (text, _) = report(format.name, &files, &unread);
            let own = if format.name == "github" { "::" } else { "" };
            prop_assert_eq!(obeyed(&text, own), None, "{}", format);
            prop_assert!(!hides(&text), "{}: {:?}", format, text);
        }
        let document = compliance(&files, &unread, is_redacted);
        for format in DocumentFormat::ALL {
            let text = form(&document, format);
            prop_assert_eq!(obeyed(&text, ""), None, "{:?}", format);
            prop_assert!(!hides(&text), "{:?}: {:?}", format, text);
        }
        let [text, json] = timelines(&files);
        prop_assert!(!hides(&text) && !hides(&json), "{:?}", text);
        prop_assert_eq!((obeyed(&text, ""), obeyed(&json, "")), (None, None));
        for text in audits(&files, is_redacted) {
            prop_assert!(!hides(&text.replace("\r\n", "\n")), "{:?}", text);
            prop_assert_eq!(obeyed(&text, ""), None);
        }
    }
}

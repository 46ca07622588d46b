//! TOML files of the user, held against a JSON Schema: what is wrong with them is shown where it
//! stands.

use std::{fmt, ops::Range};

use jsonschema::{ValidationError, error::ValidationErrorKind, paths::LocationSegment};
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode, ThemeStyles,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::super::selection;
use crate::{
    protocol::schema::nearest,
    report::Look,
    source::{is_plain, printable},
};

/// Reads a text that a schema of draft 7 describes. `name`: as it is called in messages.
pub(in crate::cli) fn read<T: DeserializeOwned>(
    name: &str,
    text: &str,
    schema: &str,
) -> Result<T, Faults> {
    let fail = |list: Vec<Fault>| Faults { name: name.to_owned(), text: harmless(text), list };
    let table = DeTable::parse(text).map_err(|error| fail(vec![Fault::syntax(&error, text)]))?;
    let faults = Judged::new(&table, schema).map_or_else(Vec::new, |judged| judged.faults());
    if !faults.is_empty() {
        return Err(fail(faults));
    }
    toml::from_str(text).map_err(|error| fail(vec![Fault::syntax(&error, text)]))
}

/// What is wrong with a file.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Faults {
    name: String,
    text: String,
    /// Not empty, in the order of their places.
    list: Vec<Fault>,
}

#[derive(Clone, Debug)]
pub(super) struct Fault {
    /// Bytes of the text.
    span: Range<usize>,
    message: String,
    /// What is said at the place.
    label: String,
    help: Option<String>,
}

impl Fault {
    pub(super) fn new(span: Range<usize>, message: impl AsRef<str>, label: &str) -> Self {
        let message = printable(message.as_ref()).into_owned();
        Self { span, message, label: label.to_owned(), help: None }
    }

    fn help(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }

    fn syntax(error: &toml::de::Error, text: &str) -> Self {
        let span = error.span().unwrap_or(0..text.len().min(1));
        Self::new(span, error.message().trim().replace('\n', "; "), "here")
    }
}

impl Faults {
    pub(super) fn one(name: &str, text: &str, fault: Fault) -> Self {
        Self { name: name.to_owned(), text: harmless(text), list: vec![fault] }
    }

    /// How the file is called in messages.
    pub(in crate::cli) fn name(&self) -> &str {
        &self.name
    }

    /// Where something is wrong, in bytes of the text.
    #[cfg(fuzzing)]
    pub(in crate::cli) fn spans(&self) -> Vec<Range<usize>> {
        self.list.iter().map(|fault| fault.span.clone()).collect()
    }

    /// What is wrong and where, for people.
    pub(in crate::cli) fn draw(&self, look: Look) -> String {
        let theme = if look.color {
            let error = owo_colors::Style::new().red().bold();
            let styles = ThemeStyles { error, highlights: vec![error], ..ThemeStyles::ansi() };
            GraphicalTheme { styles, ..GraphicalTheme::unicode() }
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_links(false)
            .without_syntax_highlighting()
            .with_width(look.columns.map_or(100, |columns| columns.clamp(40, 120)));
        let source = NamedSource::new(printable(&self.name), self.text.clone());
        let mut drawing = String::new();
        for fault in &self.list {
            let picture = Picture { fault, source: &source };
            drawing.push('\n');
            // Writing to a string cannot fail.
            let _ = handler.render_report(&mut drawing, &picture);
        }
        drawing
    }
}

/// A fault as miette reads it.
#[derive(Debug)]
struct Picture<'f> {
    fault: &'f Fault,
    source: &'f NamedSource<String>,
}

impl fmt::Display for Picture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.fault.message))
    }
}

impl std::error::Error for Picture<'_> {}

impl miette::Diagnostic for Picture<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.fault.help.as_ref().map(|help| Box::new(printable(help)) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new_primary_with_span(
            Some(self.fault.label.clone()),
            self.fault.span.clone(),
        );
        Some(Box::new(std::iter::once(label)))
    }
}

/// The text with everything replaced that does not show as itself, and nothing moved: by as many
/// bytes.
fn harmless(text: &str) -> String {
    const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => out.push(character),
            '\r' => out.push(' '),
            _ if is_plain(character) => out.push(character),
            _ if character.len_utf8() == REPLACEMENT.len_utf8() => out.push(REPLACEMENT),
            _ => out.extend(std::iter::repeat_n('?', character.len_utf8())),
        }
    }
    out
}

/// A file with the schema that describes it.
struct Judged<'t> {
    table: &'t Spanned<DeTable<'t>>,
    schema: Value,
}

impl<'t> Judged<'t> {
    /// `None` if the schema is none, which tests rule out.
    fn new(table: &'t Spanned<DeTable<'t>>, schema: &str) -> Option<Self> {
        Some(Self { table, schema: serde_json::from_str(schema).ok()? })
    }

    fn faults(&self) -> Vec<Fault> {
        let Ok(validator) = jsonschema::draft7::new(&self.schema) else { return Vec::new() };
        let document = json_of_table(self.table.get_ref());
        let errors = validator.iter_errors(&document);
        let mut faults: Vec<_> = errors.flat_map(|error| self.word(&error)).collect();
        faults.sort_by_key(|fault| (fault.span.start, fault.span.end));
        faults
    }

    fn word(&self, error: &ValidationError<'_>) -> Vec<Fault> {
        let path: Vec<_> = error.instance_path().iter().collect();
        let place = self.find(&path);
        let span = place.span.clone();
        let found = place.name;
        let one = match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let known = self.keys(error);
                let fault = |key: &String| {
                    let span = self.key(&path, key).unwrap_or_else(|| span.clone());
                    Fault::new(span, format!("there is no key `{key}`"), "not known here")
                        .help(instead(key, &known))
                };
                return unexpected.iter().map(fault).collect();
            }
            ValidationErrorKind::PropertyNames { error: inner } => {
                let key = inner.instance().as_str().unwrap_or_default();
                let span = self.key(&path, key).unwrap_or(span);
                Fault::new(span, selection::unknown_name(key), "no such rule or family")
            }
            ValidationErrorKind::Enum { options } => Self::word_choice(error, options, span, found),
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let help = match name {
                    "reason" => Some("say why, for whoever reads this after you".to_owned()),
                    _ => None,
                };
                let message = format!("`{name}` is missing");
                Fault::new(span, message, &format!("add `{name}`")).help(help)
            }
            ValidationErrorKind::Type { kind } => {
                let expected = match kind {
                    jsonschema::error::TypeKind::Single(kind) => kind.to_string(),
                    jsonschema::error::TypeKind::Multiple(_) => "something else".to_owned(),
                };
                let expected = match expected.as_str() {
                    "object" => "a table".to_owned(),
                    "array" => "a list in brackets".to_owned(),
                    "string" => "a text in quotation marks".to_owned(),
                    "integer" => "a whole number".to_owned(),
                    other => format!("a {other}"),
                };
                Fault::new(span, format!("{expected} is expected"), &format!("this is {found}"))
            }
            ValidationErrorKind::MinLength { .. }
            | ValidationErrorKind::MinItems { .. }
            | ValidationErrorKind::Pattern { .. } => {
                Fault::new(span, "something is expected", "this is empty")
            }
            ValidationErrorKind::Minimum { limit } => {
                Fault::new(span, format!("{limit} or more is expected"), "this is less")
            }
            ValidationErrorKind::Constant { expected_value } => {
                Fault::new(span, format!("`{expected_value}` is expected"), "this is not")
            }
            ValidationErrorKind::AnyOf { .. } => {
                let message = "the override does not say where it applies".to_owned();
                let help = "add `paths`, `agents` or `methods`; what always applies stands at the \
                            top of the file";
                Fault::new(span, message, "applies to what?").help(Some(help.to_owned()))
            }
            ValidationErrorKind::FalseSchema => {
                let message = "this cannot depend on the agent or the method".to_owned();
                let help = "transcripts are judged by it as a whole, before any of them is known: \
                            put it into an override that has only `paths`";
                Fault::new(span, message, "only with `paths`").help(Some(help.to_owned()))
            }
            _ => Fault::new(span, error.to_string(), "here"),
        };
        vec![one]
    }

    /// One of several names is expected.
    fn word_choice(
        error: &ValidationError<'_>,
        options: &Value,
        span: Range<usize>,
        found: &str,
    ) -> Fault {
        const FEW: usize = 10;
        let options: Vec<&str> =
            options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let Some(value) = error.instance().as_str() else {
            let message = "a text in quotation marks is expected".to_owned();
            return Fault::new(span, message, &format!("this is {found}"));
        };
        let schema_path = error.schema_path().as_str();
        if schema_path.contains("/definitions/selector/") {
            return Fault::new(span, selection::unknown_name(value), "no such rule or family");
        }
        if value == "off" && schema_path.contains("/definitions/level/") {
            let message = "a rule is not switched off without a reason".to_owned();
            let help = "ignore it instead: `[[ignore]]` with `rules` and `reason`";
            return Fault::new(span, message, "not here").help(Some(help.to_owned()));
        }
        let help = if options.len() <= FEW {
            Some(format!("one of {}", list(&options)))
        } else {
            let nearest = nearest(value, options.iter().copied());
            nearest.map(|nearest| format!("did you mean `{nearest}`?"))
        };
        Fault::new(span, format!("there is no `{value}` to choose"), "not known").help(help)
    }

    /// The keys that a table may have, of which an error says that it has another.
    fn keys(&self, error: &ValidationError<'_>) -> Vec<&str> {
        let path = error.schema_path().as_str();
        let owner = path.rsplit_once('/').map_or("", |(owner, _)| owner);
        let keys = self.schema.pointer(owner).and_then(|owner| owner["properties"].as_object());
        keys.into_iter().flat_map(|keys| keys.keys()).map(String::as_str).collect()
    }

    /// Where a value stands and what it is; that of the nearest table around it if it has no place.
    fn find(&self, path: &[LocationSegment<'_>]) -> Place<'t> {
        let mut span = self.table.span();
        let mut place = Element::Table(self.table.get_ref());
        for segment in path {
            let next = match (segment, place) {
                (LocationSegment::Property(name), Element::Table(table)) => {
                    table.get(name.as_ref())
                }
                (LocationSegment::Index(index), Element::Other(DeValue::Array(array))) => {
                    array.get(*index)
                }
                _ => None,
            };
            let Some(next) = next else { break };
            if !next.span().is_empty() {
                span = next.span();
            }
            place = match next.get_ref() {
                DeValue::Table(table) => Element::Table(table),
                other => Element::Other(other),
            };
        }
        let name = match place {
            Element::Table(_) => "a table",
            Element::Other(DeValue::Array(_)) => "a list",
            Element::Other(DeValue::String(_)) => "a text",
            Element::Other(DeValue::Boolean(_)) => "true or false",
            Element::Other(DeValue::Integer(_) | DeValue::Float(_)) => "a number",
            Element::Other(_) => "a date or time",
        };
        Place { span, name, value: place }
    }

    /// Where a key of the table at a path stands.
    fn key(&self, path: &[LocationSegment<'_>], key: &str) -> Option<Range<usize>> {
        let Element::Table(table) = self.find(path).value else { return None };
        table.get_key_value(key).map(|(key, _)| key.span())
    }
}

/// A value of the file.
#[derive(Clone, Copy)]
enum Element<'t> {
    Table(&'t DeTable<'t>),
    Other(&'t DeValue<'t>),
}

struct Place<'t> {
    span: Range<usize>,
    /// What stands there, in words.
    name: &'static str,
    value: Element<'t>,
}

/// What to write instead of an unknown key.
fn instead(name: &str, known: &[&str]) -> Option<String> {
    match nearest(name, known.iter().copied()) {
        Some(nearest) => Some(format!("did you mean `{nearest}`?")),
        None => (!known.is_empty()).then(|| format!("the keys here are {}", list(known))),
    }
}

fn list(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn json_of_table(table: &DeTable<'_>) -> Value {
    table.iter().map(|(key, value)| (key.get_ref().to_string(), json_of(value.get_ref()))).collect()
}

/// The value as the schema sees it. Dates and times have no like in JSON, so they are null.
fn json_of(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Null, Value::from)
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().map_or(Value::Null, Value::from),
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Datetime(_) => Value::Null,
        DeValue::Array(array) => array.iter().map(|element| json_of(element.get_ref())).collect(),
        DeValue::Table(table) => json_of_table(table),
    }
}

//! Reads TOML files of the user, and draws what is wrong in them.
//!
//! A text is parsed, then held against a JSON Schema (draft 7), then deserialized. Each error has a
//! span in the text, so that it can be shown under the line that it is about.
use std::{fmt, io, ops::Range, path::Path};

use jsonschema::{
    JsonType, ValidationError,
    error::{TypeKind, ValidationErrorKind},
    paths::LocationSegment,
};
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode, ThemeStyles,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{bounded, console::Console, exit_status::ExitStatus, selector};
use crate::{
    protocol::schema::nearest,
    report::TextStyle,
    source::{completes_command, is_plain, printable},
};

/// Why a configuration or a baseline cannot be used.
#[derive(Debug)]
pub(super) enum ConfigError {
    /// A file cannot be read. The text is a sentence without a full stop.
    Unreadable(String),
    /// The file can be read, but its contents are not valid; the errors name their places.
    Invalid(TomlErrors),
}

impl ConfigError {
    /// Prints the error on standard error, and returns the exit status of the run.
    pub(super) fn report(&self, console: &Console) -> ExitStatus {
        match self {
            Self::Unreadable(why) => console.error(why),
            Self::Invalid(errors) => {
                let drawing = errors.draw(console.err);
                console.error(&format!("`{}` cannot be used", errors.name));
                Console::print(drawing.trim_end());
            }
        }
        ExitStatus::Failed
    }
}

impl From<TomlErrors> for ConfigError {
    fn from(errors: TomlErrors) -> Self {
        Self::Invalid(errors)
    }
}

/// Most MiB of a configuration or baseline file; a longer one is an error.
const MOST: u64 = 64;

/// Reads a configuration or baseline file as text. `name` is the name of the file in messages.
/// Fails when the file cannot be read or is too long.
pub(super) fn read(name: &str, path: &Path) -> Result<String, ConfigError> {
    bounded::read(path, MOST)
        .and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other))
        .map_err(|error| ConfigError::Unreadable(format!("cannot read `{name}`: {error}")))
}

/// Reads a value from the text of a TOML file, after checking the text by a JSON Schema. `name` is
/// the name of the file in messages. Fails with errors that mark places in the text.
pub(super) fn parse<T: DeserializeOwned>(
    name: &str,
    text: &str,
    schema: &str,
) -> Result<T, TomlErrors> {
    let fail = |list| TomlErrors { name: name.to_owned(), text: displayable(text), list };
    let syntax = |error: toml::de::Error| fail(vec![TomlError::syntax(&error, text)]);
    let table = DeTable::parse(text).map_err(syntax)?;
    let schema = serde_json::from_str(schema).expect("the schema is JSON");
    let errors = Validation { table: &table, schema }.errors();
    if !errors.is_empty() {
        return Err(fail(errors));
    }
    toml::from_str(text).map_err(syntax)
}

/// The errors in a TOML file of the user, with its text to draw them in.
#[derive(Clone, Debug)]
pub(super) struct TomlErrors {
    /// The name of the TOML file, for messages to the user.
    name: String,
    /// The text of the file, in which characters that cannot be shown are replaced.
    text: String,
    /// The errors in the order of their places in the file; at least one.
    list: Vec<TomlError>,
}

/// An error in a TOML file of the user, such as the configuration or a baseline, with its place.
#[derive(Clone, Debug)]
pub(super) struct TomlError {
    /// The byte range of the error in the text of the file.
    span: Range<usize>,
    message: String,
    /// The text below the marked place, which says what is wrong there.
    label: String,
    help: Option<String>,
}

impl TomlError {
    pub(super) fn new(span: Range<usize>, message: impl AsRef<str>, label: &str) -> Self {
        let [message, label] = [message.as_ref(), label].map(|it| printable(it).into_owned());
        Self { span, message, label, help: None }
    }

    fn with_help(self, help: impl Into<Option<String>>) -> Self {
        Self { help: help.into(), ..self }
    }

    fn syntax(error: &toml::de::Error, text: &str) -> Self {
        let span = error.span().unwrap_or(0..text.len().min(1));
        Self::new(span, error.message().trim().replace('\n', "; "), "here")
    }
}

impl TomlErrors {
    /// Wraps a single error in the file with this name and text.
    pub(super) fn one(name: &str, text: &str, error: TomlError) -> Self {
        Self { name: name.to_owned(), text: displayable(text), list: vec![error] }
    }

    /// The spans of all errors, in bytes of the text.
    #[cfg(fuzzing)]
    pub(super) fn spans(&self) -> Vec<Range<usize>> {
        self.list.iter().map(|error| error.span.clone()).collect()
    }

    /// Draws the errors for terminals, each under the line that it is about.
    pub(super) fn draw(&self, style: TextStyle) -> String {
        /// Upper limit of the errors that are shown with an excerpt of the file. Each costs a search
        /// from the beginning of the text.
        const DRAWN: usize = 50;
        let theme = if style.color {
            let red = owo_colors::Style::new().red().bold();
            let styles = ThemeStyles { error: red, highlights: vec![red], ..ThemeStyles::ansi() };
            GraphicalTheme { styles, ..GraphicalTheme::unicode() }
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_links(false)
            .without_syntax_highlighting()
            // Messages are wrapped already.
            .with_wrap_lines(false);
        let source = NamedSource::new(printable(&self.name), self.text.clone());
        let mut drawing = String::new();
        for error in self.list.iter().take(DRAWN) {
            drawing.push('\n');
            // Writing to a string cannot fail.
            let _ =
                handler.render_report(&mut drawing, &DrawnError { error, source: &source, style });
        }
        match self.list.len().saturating_sub(DRAWN) {
            0 => {}
            1 => drawing.push_str("\n1 more error is not shown\n"),
            more => drawing.push_str(&format!("\n{more} more errors are not shown\n")),
        }
        drawing
    }
}

/// An error with the text of its file, as the crate `miette` reads it to draw it.
#[derive(Debug)]
struct DrawnError<'e> {
    error: &'e TomlError,
    source: &'e NamedSource<String>,
    style: TextStyle,
}

impl fmt::Display for DrawnError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.style.drawn_message(&printable(&self.error.message)))
    }
}

impl std::error::Error for DrawnError<'_> {}

impl miette::Diagnostic for DrawnError<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.error.help.as_ref()?;
        Some(Box::new(self.style.drawn_help(&printable(help))))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new_primary_with_span(
            Some(self.error.label.clone()),
            self.error.span.clone(),
        );
        Some(Box::new(std::iter::once(label)))
    }
}

/// The text with each character replaced that does not show as itself, such as controls and
/// characters that change the direction of text. A replacement has as many bytes, so that spans
/// stay valid.
fn displayable(text: &str) -> String {
    const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => out.push(character),
            '\r' => out.push(' '),
            _ if completes_command(&out, character) => out.push('?'),
            _ if is_plain(character) => out.push(character),
            _ if character.len_utf8() == REPLACEMENT.len_utf8() => out.push(REPLACEMENT),
            _ => out.extend(std::iter::repeat_n('?', character.len_utf8())),
        }
    }
    out
}

/// A parsed TOML file, and the JSON Schema that it is checked by.
struct Validation<'t> {
    table: &'t Spanned<DeTable<'t>>,
    schema: Value,
}

impl<'t> Validation<'t> {
    /// All errors that the schema finds in the file, in the order of their spans.
    fn errors(&self) -> Vec<TomlError> {
        let validator = jsonschema::draft7::new(&self.schema).expect("the schema is valid");
        let document = json_of_table(self.table.get_ref());
        let errors = validator.iter_errors(&document);
        let mut errors: Vec<_> = errors.flat_map(|error| self.describe(&error)).collect();
        errors.sort_by_key(|error| (error.span.start, error.span.end));
        errors
    }

    /// Describes an error of the schema validator in words for users. One for each unknown key.
    fn describe(&self, error: &ValidationError<'_>) -> Vec<TomlError> {
        let path: Vec<_> = error.instance_path().iter().collect();
        let (span, value) = self.find(&path);
        let found = value.kind();
        let one = match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let known = self.keys(error);
                let unknown = |key: &String| {
                    let span = self.key(&path, key).unwrap_or_else(|| span.clone());
                    TomlError::new(span, format!("unknown key `{key}`"), "unknown here")
                        .with_help(key_suggestion(key, &known))
                };
                return unexpected.iter().map(unknown).collect();
            }
            ValidationErrorKind::PropertyNames { error: inner } => {
                let key = inner.instance().as_str().unwrap_or_default();
                let span = self.key(&path, key).unwrap_or(span);
                TomlError::new(span, selector::unknown_name(key), "unknown")
            }
            ValidationErrorKind::Enum { options } => describe_enum(error, options, span, found),
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let help = "say why, for people who read this later";
                TomlError::new(span, format!("`{name}` is missing"), &format!("add `{name}`"))
                    .with_help((name == "reason").then(|| help.to_owned()))
            }
            ValidationErrorKind::Type { kind } => {
                let expected = match kind {
                    TypeKind::Single(JsonType::Object) => "a table",
                    TypeKind::Single(JsonType::Array) => "a list in brackets",
                    TypeKind::Single(JsonType::String) => "a text in quotation marks",
                    TypeKind::Single(JsonType::Integer) => "a whole number",
                    TypeKind::Single(_) | TypeKind::Multiple(_) => "something else",
                };
                let message = format!("expected {expected}");
                TomlError::new(span, message, &format!("this is {found}"))
            }
            ValidationErrorKind::MinLength { .. }
            | ValidationErrorKind::MinItems { .. }
            | ValidationErrorKind::Pattern { .. } => {
                TomlError::new(span, "expected a text or list that is not empty", "this is empty")
            }
            ValidationErrorKind::Minimum { limit } => {
                TomlError::new(span, format!("expected {limit} or more"), "this is less")
            }
            ValidationErrorKind::Constant { expected_value } => {
                TomlError::new(span, format!("expected `{expected_value}`"), "another value")
            }
            ValidationErrorKind::AnyOf { .. } => {
                let message = "the override does not say where it applies";
                let help = "add `paths`, `agents` or `methods`; what always applies belongs at the \
                            top of the file";
                TomlError::new(span, message, "applies to what?").with_help(help.to_owned())
            }
            ValidationErrorKind::FalseSchema => {
                let message = "this cannot depend on the agent or the method";
                let help = "it applies to a whole transcript, and agents and methods are known only \
                            later: put it into an override that has only `paths`";
                TomlError::new(span, message, "only with `paths`").with_help(help.to_owned())
            }
            _ => TomlError::new(span, error.to_string(), "here"),
        };
        vec![one]
    }

    /// The keys that the schema allows in the table that an error is about.
    fn keys(&self, error: &ValidationError<'_>) -> Vec<&str> {
        let path = error.schema_path().as_str();
        let owner = path.rsplit_once('/').map_or("", |(owner, _)| owner);
        let keys = self.schema.pointer(owner).and_then(|owner| owner["properties"].as_object());
        keys.into_iter().flat_map(|keys| keys.keys()).map(String::as_str).collect()
    }

    /// The value at a path in the file, and its byte range; the range of the nearest table around
    /// it where it has none.
    fn find(&self, path: &[LocationSegment<'_>]) -> (Range<usize>, Element<'t>) {
        let mut span = self.table.span();
        let mut value = Element::Table(self.table.get_ref());
        for segment in path {
            let next = match (segment, value) {
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
            value = match next.get_ref() {
                DeValue::Table(table) => Element::Table(table),
                other => Element::Other(other),
            };
        }
        (span, value)
    }

    /// The span of a key in the table at `path`, in bytes; `None` when it is not there.
    fn key(&self, path: &[LocationSegment<'_>], key: &str) -> Option<Range<usize>> {
        let (_, Element::Table(table)) = self.find(path) else { return None };
        table.get_key_value(key).map(|(key, _)| key.span())
    }
}

/// A value of a TOML file. A separate type, since the outermost table is not a [`DeValue`].
#[derive(Clone, Copy)]
enum Element<'t> {
    Table(&'t DeTable<'t>),
    Other(&'t DeValue<'t>),
}

impl Element<'_> {
    /// The kind of the value in words for users, such as `a list`.
    fn kind(self) -> &'static str {
        match self {
            Self::Table(_) => "a table",
            Self::Other(DeValue::Array(_)) => "a list",
            Self::Other(DeValue::String(_)) => "a text",
            Self::Other(DeValue::Boolean(_)) => "true or false",
            Self::Other(DeValue::Integer(_) | DeValue::Float(_)) => "a number",
            Self::Other(_) => "a date or time",
        }
    }
}

/// The error for a value that is not one of the names that the schema allows.
fn describe_enum(
    error: &ValidationError<'_>,
    options: &Value,
    span: Range<usize>,
    found: &str,
) -> TomlError {
    const FEW: usize = 10;
    let options: Vec<&str> =
        options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let Some(value) = error.instance().as_str() else {
        let message = "expected a text in quotation marks";
        return TomlError::new(span, message, &format!("this is {found}"));
    };
    let schema_path = error.schema_path().as_str();
    if schema_path.contains("/definitions/selector/") {
        return TomlError::new(span, selector::unknown_name(value), "unknown");
    }
    if value == "off" && schema_path.contains("/definitions/level/") {
        let message = "a rule cannot be switched off without a reason";
        let help = "use `[[ignore]]` with `rules` and `reason` instead";
        return TomlError::new(span, message, "not allowed here").with_help(help.to_owned());
    }
    let help = if options.len() <= FEW {
        Some(format!("one of {}", list(&options)))
    } else {
        let nearest = nearest(value, options.iter().copied());
        nearest.map(|nearest| format!("did you mean `{nearest}`?"))
    };
    let path = error.instance_path().to_string();
    let key = path.rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap_or_default();
    let what = match key {
        _ if schema_path.contains("/definitions/level/") => "a level".to_owned(),
        "fail-on" => "a level".to_owned(),
        "edition" => "an edition".to_owned(),
        "input-format" => "a format".to_owned(),
        "profile" | "surface" => format!("a {key}"),
        key => format!("a value of `{key}`"),
    };
    TomlError::new(span, format!("`{value}` is not {what}"), "unknown").with_help(help)
}

/// The help for an unknown key: the nearest allowed key, else all of them; `None` when no key is
/// allowed.
fn key_suggestion(name: &str, known: &[&str]) -> Option<String> {
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

/// The TOML value as JSON, for the schema validator. Dates and times become null.
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

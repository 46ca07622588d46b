//! The plan timeline as text for people and as JSON for programs (`acpcheck plans`).
//!
//! [`TimelineWriter`] takes steps one by one and appends what is written of each to a text.

use std::fmt::Write as _;

use owo_colors::Style;
use serde::Serialize;

use super::{TOOL, TextStyle, command_escaper};
use crate::{
    model::session::plans::{EntryStatus, Priority},
    plans::{EntryChange, PlanStep, PlanStepKind, PlanView, ShownEntry, ShownPlans, StatusCounts},
    source::printable,
};

/// The `format_version` of the JSON document of `acpcheck plans`. Changes with each incompatible
/// change of the document.
const FORMAT_VERSION: u32 = 1;

/// Writes the plan timeline of a transcript: [`TimelineWriter::step`] for each change of a plan,
/// then [`TimelineWriter::finish`]. Each appends to a text; the texts form one document together.
#[derive(Debug)]
pub struct TimelineWriter<'a> {
    format: TimelineFormat<'a>,
    /// The last line of the transcript whose changes of plans count; `None` when all do.
    at: Option<u32>,
    shown: ShownPlans,
}

#[derive(Debug)]
enum TimelineFormat<'a> {
    Text(TimelineText),
    Json {
        path: &'a str,
        /// Whether the beginning of the JSON document has been written, so that only further
        /// changes of plans have to be added.
        is_begun: bool,
    },
}

#[derive(Serialize)]
struct TimelineHead<'a> {
    format_version: u32,
    tool: Tool,
    path: &'a str,
    at: Option<u32>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct TimelineTail<'a> {
    shown: Vec<StepRow<'a>>,
    format: &'a str,
}

impl<'a> TimelineWriter<'a> {
    /// A timeline as text for people. With `at`, only the plans shown after that line are written.
    pub fn text(at: Option<u32>, style: TextStyle) -> Self {
        let page = TimelineText { style, heading: None };
        Self { format: TimelineFormat::Text(page), at, shown: ShownPlans::default() }
    }

    /// A timeline as one JSON document, up to line `at` if given. `path` is that of the transcript
    /// as the user gave it.
    pub fn json(at: Option<u32>, path: &'a str) -> Self {
        Self {
            format: TimelineFormat::Json { path, is_begun: false },
            at,
            shown: ShownPlans::default(),
        }
    }

    /// Takes the next change of a plan, and appends what the timeline says about it to `text`.
    pub fn step(&mut self, step: PlanStep, text: &mut String) {
        if self.at.is_some_and(|last| step.line > last) {
            return;
        }
        match &mut self.format {
            TimelineFormat::Text(page) if self.at.is_none() => page.write_step(text, &step),
            TimelineFormat::Text(_) => {}
            TimelineFormat::Json { path, is_begun } => {
                if std::mem::replace(is_begun, true) {
                    text.push(',');
                } else {
                    write_head(text, path, self.at);
                }
                let row = pretty(&StepRow::of(&step)).replace('\n', "\n    ");
                let _ = write!(text, "\n    {row}");
            }
        }
        self.shown.take(step);
    }

    /// Appends the plans that are shown at the end. `format` is the name of the transcript's
    /// format.
    pub fn finish(self, format: &str, text: &mut String) {
        let shown = self.shown.steps();
        match self.format {
            TimelineFormat::Text(page) => {
                let title = match self.at {
                    Some(line) => format!("Shown after line {line}"),
                    None => "Shown at the end".to_owned(),
                };
                page.write_shown(text, &title, &shown);
                text.truncate(text.trim_end().len());
            }
            TimelineFormat::Json { path, is_begun } => {
                if is_begun {
                    text.push_str("\n  ");
                } else {
                    write_head(text, path, self.at);
                }
                let shown = shown.into_iter().map(StepRow::of_state).collect();
                let tail = pretty(&TimelineTail { shown, format });
                let _ = write!(text, "],{}", tail.trim_start_matches('{'));
            }
        }
        text.push('\n');
    }
}

/// Writes the beginning of the JSON document, up to the first change of a plan. `at` is the line up
/// to which the timeline is asked for; `None` for all of it.
fn write_head(text: &mut String, path: &str, at: Option<u32>) {
    let (name, version) = TOOL;
    let tool = Tool { name, version };
    let head = pretty(&TimelineHead { format_version: FORMAT_VERSION, tool, path, at });
    let _ = write!(text, "{},\n  \"steps\": [", head.trim_end_matches("\n}"));
}

fn pretty(value: &impl Serialize) -> String {
    command_escaper::json(serde_json::to_string_pretty(value).expect("all keys are strings"))
}

#[derive(Serialize)]
struct StepRow<'a> {
    line: u32,
    connection: u32,
    session: &'a str,
    turn: u32,
    replayed: bool,
    plan: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'static str>,
    #[serde(flatten)]
    view: Option<ViewRow<'a>>,
}

#[derive(Serialize)]
struct ViewRow<'a> {
    #[serde(rename = "type")]
    kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<EntryRow<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gone: Option<Vec<EntryRow<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<StatusCounts>,
}

#[derive(Serialize)]
struct EntryRow<'a> {
    content: &'a str,
    priority: &'a str,
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<Was<'a>>,
    dropped: bool,
}

#[derive(Serialize)]
struct Was<'a> {
    priority: &'a str,
    status: &'a str,
}

impl<'a> StepRow<'a> {
    fn of(step: &'a PlanStep) -> Self {
        let (event, view) = match &step.kind {
            PlanStepKind::Shown(view) => ("shown", Some(ViewRow::of(view))),
            PlanStepKind::Removed { .. } => ("removed", None),
            PlanStepKind::Refused => ("refused", None),
            PlanStepKind::Forgotten => ("forgotten", None),
        };
        Self {
            line: step.line,
            connection: step.connection,
            session: &step.session,
            turn: step.turn,
            replayed: step.is_replayed,
            plan: step.plan.as_deref(),
            event: Some(event),
            view,
        }
    }

    /// The row of a plan that is still shown at the end: without the event and the changes of its
    /// step.
    fn of_state(step: &'a PlanStep) -> Self {
        let mut row = Self { event: None, ..Self::of(step) };
        if let Some(view) = &mut row.view {
            view.gone = None;
            for entry in view.entries.iter_mut().flatten() {
                (entry.change, entry.was) = (None, None);
            }
        }
        row
    }
}

impl<'a> ViewRow<'a> {
    fn of(view: &'a PlanView) -> Self {
        let is_list = view.kind.as_deref() == Some("items");
        Self {
            kind: view.kind.as_deref(),
            text: view.text.as_deref(),
            entries: is_list.then(|| view.entries.iter().map(EntryRow::of).collect()),
            gone: is_list.then(|| view.gone.iter().map(EntryRow::of_gone).collect()),
            counts: is_list.then(|| view.counts()),
        }
    }
}

impl<'a> EntryRow<'a> {
    fn of(entry: &'a ShownEntry) -> Self {
        let (change, was) = match &entry.change {
            EntryChange::Added => ("added", None),
            EntryChange::Kept => ("kept", None),
            EntryChange::Changed { priority, status } => {
                ("changed", Some(Was { priority: priority.name(), status: status.name() }))
            }
        };
        Self { change: Some(change), was, ..Self::of_gone(entry) }
    }

    fn of_gone(entry: &'a ShownEntry) -> Self {
        Self {
            content: &entry.content,
            priority: entry.priority.name(),
            status: entry.status.name(),
            change: None,
            was: None,
            dropped: entry.is_dropped,
        }
    }
}

/// Writes the timeline of plans as text for people.
#[derive(Debug)]
struct TimelineText {
    style: TextStyle,
    /// The heading that was written last, since a change of a plan with another heading gets a new
    /// one. `None` at first.
    heading: Option<Heading>,
}

/// What a heading names: number of the connection, id of the session, number of the turn, and
/// whether the session is replayed.
type Heading = (u32, String, u32, bool);

/// Indent of the text of a change: room for the number of its line, and a gap.
const STEP_INDENT: &str = "        ";
/// How many columns the line numbers take, without the gap behind them.
const LINE_WIDTH: usize = 6;
/// Indent of the text of an entry: `STEP_INDENT`, a symbol and a space.
const ENTRY_INDENT: &str = "          ";

/// Most lines of a Markdown plan that the timeline shows; the others are counted.
const LINES: usize = 12;

impl TimelineText {
    fn write_step(&mut self, text: &mut String, step: &PlanStep) {
        let heading = (step.connection, step.session.clone(), step.turn, step.is_replayed);
        if self.heading.as_ref() != Some(&heading) {
            let replay = if step.is_replayed { ", replayed" } else { "" };
            let turn = match step.turn {
                0 => String::new(),
                turn => format!(", turn {turn}"),
            };
            let head = format!("{}{turn}{replay}", session(step));
            self.write_heading(text, &head);
            self.heading = Some(heading);
        }
        let named = named(step.plan.as_deref());
        let event = match &step.kind {
            PlanStepKind::Shown(view) => format!("{named}{}", summary(view)),
            PlanStepKind::Removed { was_shown: true } => format!("{named} removed"),
            PlanStepKind::Removed { was_shown: false } => {
                format!("{named} removed, which was not shown")
            }
            PlanStepKind::Refused => {
                format!("{named}: update is unreadable, so the plan stays the same")
            }
            PlanStepKind::Forgotten => {
                "all plans removed: the session was loaded or resumed".to_owned()
            }
        };
        let line = self.paint(&format!("{:>6}", step.line), Style::new().dimmed());
        let event = self.style.wrap(STEP_INDENT, STEP_INDENT, &event);
        let _ = writeln!(text, "{line}{}", &event[LINE_WIDTH..]);
        if let PlanStepKind::Shown(view) = &step.kind {
            self.write_view(text, view, ChangeSigns::Shown);
        }
        text.push('\n');
    }

    fn write_heading(&self, text: &mut String, heading: &str) {
        let heading = self.style.wrap("", "  ", heading);
        let _ = writeln!(text, "{}\n", self.paint(&heading, Style::new().bold()));
    }

    fn write_shown(&self, text: &mut String, title: &str, shown: &[&PlanStep]) {
        let _ = writeln!(text, "{}\n", self.paint(title, Style::new().bold().underline()));
        if shown.is_empty() {
            text.push_str("  no plan\n");
        }
        let mut place = None;
        for step in shown {
            let here = (step.connection, &*step.session);
            if place.replace(here) != Some(here) {
                self.write_heading(text, &session(step));
            }
            if let PlanStepKind::Shown(view) = &step.kind {
                let line = format!("line {}", step.line);
                let summary = format!("{}{}, {line}", named(step.plan.as_deref()), summary(view));
                let summary = self.style.wrap("  ", "  ", &summary);
                // The line may be cut in two, and then has the style of the rest.
                let _ = match summary.strip_suffix(&line) {
                    Some(rest) => {
                        writeln!(text, "{rest}{}", self.paint(&line, Style::new().dimmed()))
                    }
                    None => writeln!(text, "{summary}"),
                };
                self.write_view(text, view, ChangeSigns::Hidden);
                text.push('\n');
            }
        }
    }

    fn write_view(&self, text: &mut String, view: &PlanView, signs: ChangeSigns) {
        // Entries that readers drop are in the message, but they are not shown.
        let is_listed = |entry: &&ShownEntry| signs == ChangeSigns::Shown || !entry.is_dropped;
        for entry in view.entries.iter().filter(is_listed) {
            let _ = writeln!(text, "{}", self.entry(entry, signs));
        }
        for entry in view.gone.iter().filter(|_| signs == ChangeSigns::Shown) {
            let sign = self.paint("-", Style::new().red());
            let line = marked(entry);
            let line = self.after_sign(&line);
            let _ = writeln!(text, "      {sign} {}", self.paint(&line, Style::new().dimmed()));
        }
        if let Some(content) = &view.text {
            for line in content.lines().take(LINES) {
                let line = printable(line);
                let words = line.trim_start();
                let indent = format!("{STEP_INDENT}{}", &line[..line.len() - words.len()]);
                let line = self.style.wrap(&indent, &indent, words);
                let _ = writeln!(text, "{}", line.trim_end());
            }
            let more = content.lines().count().saturating_sub(LINES);
            if more > 0 {
                let note = format!("… {more} more lines");
                let _ = writeln!(text, "        {}", self.paint(&note, Style::new().dimmed()));
            }
        }
    }

    /// The line of an entry: the sign of its change, its status, its text, and notes on what is
    /// remarkable.
    fn entry(&self, entry: &ShownEntry, signs: ChangeSigns) -> String {
        let style = Style::new();
        let sign = match (&entry.change, signs) {
            (_, ChangeSigns::Hidden) | (EntryChange::Kept, ChangeSigns::Shown) => " ".to_owned(),
            (EntryChange::Added, ChangeSigns::Shown) => self.paint("+", style.green()),
            (EntryChange::Changed { .. }, ChangeSigns::Shown) => self.paint("~", style.cyan()),
        };
        let style = match entry.status {
            EntryStatus::Pending => style,
            EntryStatus::InProgress => style.yellow(),
            EntryStatus::Completed => style.green(),
            EntryStatus::Cancelled => style.dimmed(),
            EntryStatus::Other(_) | EntryStatus::Absent => style.magenta(),
        };
        let mut notes = Vec::new();
        if entry.content.trim().is_empty() {
            notes.push("no text".to_owned());
        }
        if let EntryStatus::Other(_) | EntryStatus::Absent = entry.status {
            notes.push(undefined("status", entry.status.name()));
        }
        match &entry.priority {
            Priority::Medium => {}
            Priority::High | Priority::Low => notes.push(entry.priority.name().to_owned()),
            Priority::Other(_) | Priority::Absent => {
                notes.push(undefined("priority", entry.priority.name()));
            }
        }
        if let (EntryChange::Changed { priority, status }, ChangeSigns::Shown) =
            (&entry.change, signs)
        {
            let status = Some(status.name()).filter(|_| *status != entry.status);
            let priority = Some(priority.name()).filter(|_| *priority != entry.priority);
            let was: Vec<_> = [status, priority].into_iter().flatten().map(in_words).collect();
            notes.push(format!("was {}", was.join(", ")));
        }
        if entry.is_dropped {
            notes.push("dropped by official readers".to_owned());
        }
        let text = marked(entry);
        let notes = notes.join("; ");
        let beside = format!("{text}  {notes}");
        // Where the line is too long, the notes are below the entry.
        let (notes, gap) = if self.after_sign(&beside).ends_with(&beside) {
            (notes, "  ")
        } else {
            (self.style.wrap(ENTRY_INDENT, ENTRY_INDENT, &notes), "\n")
        };
        let text = self.paint(&self.after_sign(&text), style);
        if notes.trim().is_empty() {
            return format!("      {sign} {text}");
        }
        format!("      {sign} {text}{gap}{}", self.paint(&notes, Style::new().dimmed()))
    }

    /// An entry of a plan, broken into lines that fit behind its sign. The first line is not
    /// indented.
    fn after_sign(&self, entry: &str) -> String {
        self.style.wrap(STEP_INDENT, ENTRY_INDENT, entry).split_off(STEP_INDENT.len())
    }

    fn paint(&self, text: &str, style: Style) -> String {
        self.style.paint(text, style)
    }
}

/// Whether a sign before each entry, such as `+`, shows how the update changed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeSigns {
    Shown,
    Hidden,
}

/// A heading for the session of a change, with its connection unless that is the first.
fn session(step: &PlanStep) -> String {
    let connection = match step.connection {
        0 => String::new(),
        number => format!("Connection {}, ", number + 1),
    };
    let session = format!("{connection}session {}", printable(&step.session));
    match session.strip_prefix("session") {
        Some(rest) => format!("Session{rest}"),
        None => session,
    }
}

/// The name of a plan for a sentence: ``plan `id` ``, or `plan` without an id.
fn named(plan: Option<&str>) -> String {
    plan.map_or_else(|| "plan".to_owned(), |id| format!("plan `{}`", printable(id)))
}

/// A few words on the contents of a plan, to follow its name, such as the number of entries.
fn summary(view: &PlanView) -> String {
    match view.kind.as_deref() {
        Some("items") if view.entries.is_empty() => ": no entries".to_owned(),
        Some("items") if view.entries.iter().all(|entry| entry.is_dropped) => {
            ": no readable entries".to_owned()
        }
        Some("items") => format!(": {}", view.counts()),
        Some(kind) => format!(", {}", printable(kind)),
        None => ", no type".to_owned(),
    }
}

/// The sign that shows the status of a plan entry, such as `●` for `completed`.
fn symbol(status: &EntryStatus) -> &'static str {
    match status {
        EntryStatus::Pending => "○",
        EntryStatus::InProgress => "◐",
        EntryStatus::Completed => "●",
        EntryStatus::Cancelled => "⊘",
        EntryStatus::Other(_) | EntryStatus::Absent => "?",
    }
}

/// A plan entry on one line: the symbol of its status, and its text.
fn marked(entry: &ShownEntry) -> String {
    let text = format!("{} {}", symbol(&entry.status), one_line(&entry.content));
    text.trim_end().to_owned()
}

/// A note on a status or priority that the protocol does not define. `what` is one of these two
/// words.
fn undefined(what: &str, name: &str) -> String {
    if name.is_empty() { format!("no {what}") } else { format!("{what} `{}`", printable(name)) }
}

/// A status or priority in a sentence: `in progress` for `in_progress`, `absent` for an empty name.
fn in_words(name: &str) -> String {
    match name {
        "" => "absent".to_owned(),
        "in_progress" => "in progress".to_owned(),
        name => printable(name).into_owned(),
    }
}

/// The text on one line, with control characters replaced and runs of white space as one space.
fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

//! How the plans of a transcript develop, for people and for programs.

use std::fmt::Write as _;

use owo_colors::Style;
use serde::Serialize;

use super::{Look, TOOL};
use crate::{
    model::plan::{Priority, Status},
    timeline::{self, Change, Entry, Step, StepKind, View},
};

/// Changes when a reader of the document would have to.
const FORMAT_VERSION: u32 = 1;

/// A transcript that has been read for its plans.
#[derive(Clone, Copy, Debug)]
pub struct Plans<'a> {
    /// As the user gave it.
    pub path: &'a str,
    /// The name of the format it was read as.
    pub format: &'a str,
    /// The line up to which it is told; `None` for all of it.
    pub at: Option<u32>,
    pub steps: &'a [Step],
}

impl<'a> Plans<'a> {
    fn steps(&self) -> impl Iterator<Item = &'a Step> {
        let last = self.at.unwrap_or(u32::MAX);
        self.steps.iter().filter(move |step| step.line <= last)
    }

    /// Step by step, then what is shown at the end; of a transcript that is told up to a line, only
    /// what is shown then.
    pub fn text(&self, look: Look) -> String {
        let page = Page { look };
        let mut text = String::new();
        if self.at.is_none() {
            page.write_steps(&mut text, self.steps());
        }
        let title = match self.at {
            Some(line) => format!("Shown after line {line}"),
            None => "Shown at the end".to_owned(),
        };
        page.write_shown(&mut text, &title, &timeline::shown(self.steps()));
        text
    }

    /// One document.
    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct Document<'a> {
            format_version: u32,
            tool: Tool,
            path: &'a str,
            format: &'a str,
            at: Option<u32>,
            steps: Vec<StepRow<'a>>,
            shown: Vec<StepRow<'a>>,
        }

        #[derive(Serialize)]
        struct Tool {
            name: &'static str,
            version: &'static str,
        }

        let (name, version) = TOOL;
        let document = Document {
            format_version: FORMAT_VERSION,
            tool: Tool { name, version },
            path: self.path,
            format: self.format,
            at: self.at,
            steps: self.steps().map(StepRow::of).collect(),
            shown: timeline::shown(self.steps()).into_iter().map(StepRow::of_state).collect(),
        };
        let mut text = serde_json::to_string_pretty(&document).expect("all keys are strings");
        text.push('\n');
        text
    }
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
    counts: Option<CountsRow>,
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

#[derive(Serialize)]
struct CountsRow {
    pending: usize,
    in_progress: usize,
    completed: usize,
    cancelled: usize,
    other: usize,
}

impl<'a> StepRow<'a> {
    fn of(step: &'a Step) -> Self {
        let (event, view) = match &step.kind {
            StepKind::Shown(view) => ("shown", Some(ViewRow::of(view))),
            StepKind::Removed { .. } => ("removed", None),
            StepKind::Refused => ("refused", None),
            StepKind::Forgotten => ("forgotten", None),
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

    /// As a state: without what has changed.
    fn of_state(step: &'a Step) -> Self {
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
    fn of(view: &'a View) -> Self {
        let is_list = view.kind.as_deref() == Some("items");
        let counts = view.counts();
        Self {
            kind: view.kind.as_deref(),
            text: view.text.as_deref(),
            entries: is_list.then(|| view.entries.iter().map(EntryRow::of).collect()),
            gone: is_list.then(|| view.gone.iter().map(EntryRow::of_gone).collect()),
            counts: is_list.then_some(CountsRow {
                pending: counts.pending,
                in_progress: counts.in_progress,
                completed: counts.completed,
                cancelled: counts.cancelled,
                other: counts.other,
            }),
        }
    }
}

impl<'a> EntryRow<'a> {
    fn of(entry: &'a Entry) -> Self {
        let (change, was) = match &entry.change {
            Change::Added => ("added", None),
            Change::Kept => ("kept", None),
            Change::Changed { priority, status } => {
                ("changed", Some(Was { priority: priority.name(), status: status.name() }))
            }
        };
        Self { change: Some(change), was, ..Self::of_gone(entry) }
    }

    fn of_gone(entry: &'a Entry) -> Self {
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

/// The text for people.
#[derive(Clone, Copy, Debug)]
struct Page {
    look: Look,
}

/// Lines of a markdown plan that are shown.
const LINES: usize = 12;

impl Page {
    fn write_steps<'a>(self, text: &mut String, steps: impl Iterator<Item = &'a Step>) {
        let mut place = None;
        for step in steps {
            let here = (step.connection, &*step.session, step.turn, step.is_replayed);
            if place.replace(here) != Some(here) {
                let replay = if step.is_replayed { ", replayed" } else { "" };
                let turn = match step.turn {
                    0 => String::new(),
                    turn => format!(", turn {turn}"),
                };
                let head = format!("{}{turn}{replay}", session(step));
                let _ = writeln!(text, "{}\n", self.paint(&head, Style::new().bold()));
            }
            let line = self.paint(&format!("{:>6}", step.line), Style::new().dimmed());
            let named = named(step.plan.as_deref());
            match &step.kind {
                StepKind::Shown(view) => {
                    let _ = writeln!(text, "{line}  {named}{}", summary(view));
                    self.write_view(text, view, Signs::Shown);
                }
                StepKind::Removed { was_shown } => {
                    let note = if *was_shown { "" } else { ", which was not shown" };
                    let _ = writeln!(text, "{line}  {named} removed{note}");
                }
                StepKind::Refused => {
                    let _ = writeln!(text, "{line}  {named}: unreadable, shown as before");
                }
                StepKind::Forgotten => {
                    let _ = writeln!(text, "{line}  all plans gone: the session is set up again");
                }
            }
            text.push('\n');
        }
    }

    fn write_shown(self, text: &mut String, title: &str, shown: &[&Step]) {
        let _ = writeln!(text, "{}\n", self.paint(title, Style::new().bold().underline()));
        if shown.is_empty() {
            text.push_str("  no plan\n");
        }
        let mut place = None;
        for step in shown {
            let here = (step.connection, &*step.session);
            if place.replace(here) != Some(here) {
                let _ = writeln!(text, "{}\n", self.paint(&session(step), Style::new().bold()));
            }
            if let StepKind::Shown(view) = &step.kind {
                let line = self.paint(&format!("line {}", step.line), Style::new().dimmed());
                let named = named(step.plan.as_deref());
                let _ = writeln!(text, "  {named}{}, {line}", summary(view));
                self.write_view(text, view, Signs::Hidden);
                text.push('\n');
            }
        }
    }

    fn write_view(self, text: &mut String, view: &View, signs: Signs) {
        // What readers drop is in the message, but not on display.
        let is_told = |entry: &&Entry| signs == Signs::Shown || !entry.is_dropped;
        for entry in view.entries.iter().filter(is_told) {
            let _ = writeln!(text, "{}", self.entry(entry, signs));
        }
        for entry in view.gone.iter().filter(|_| signs == Signs::Shown) {
            let sign = self.paint("-", Style::new().red());
            let line = format!("{} {}", mark(&entry.status), folded(&entry.content));
            let _ = writeln!(text, "      {sign} {}", self.paint(&line, Style::new().dimmed()));
        }
        if let Some(content) = &view.text {
            for line in content.lines().take(LINES) {
                let _ = writeln!(text, "        {line}");
            }
            let more = content.lines().count().saturating_sub(LINES);
            if more > 0 {
                let note = format!("… {more} more lines");
                let _ = writeln!(text, "        {}", self.paint(&note, Style::new().dimmed()));
            }
        }
    }

    fn entry(self, entry: &Entry, signs: Signs) -> String {
        let style = Style::new();
        let sign = match (&entry.change, signs) {
            (_, Signs::Hidden) | (Change::Kept, Signs::Shown) => " ".to_owned(),
            (Change::Added, Signs::Shown) => self.paint("+", style.green()),
            (Change::Changed { .. }, Signs::Shown) => self.paint("~", style.cyan()),
        };
        let style = match entry.status {
            Status::Pending => style,
            Status::InProgress => style.yellow(),
            Status::Completed => style.green(),
            Status::Cancelled => style.dimmed(),
            Status::Other(_) | Status::Absent => style.magenta(),
        };
        let mut notes = Vec::new();
        if let Status::Other(_) | Status::Absent = entry.status {
            notes.push(word("status", entry.status.name()));
        }
        match &entry.priority {
            Priority::Medium => {}
            Priority::High | Priority::Low => notes.push(entry.priority.name().to_owned()),
            Priority::Other(_) | Priority::Absent => {
                notes.push(word("priority", entry.priority.name()));
            }
        }
        if let (Change::Changed { priority, status }, Signs::Shown) = (&entry.change, signs) {
            let status = Some(status.name()).filter(|_| *status != entry.status);
            let priority = Some(priority.name()).filter(|_| *priority != entry.priority);
            let was: Vec<_> = [status, priority].into_iter().flatten().map(spoken).collect();
            notes.push(format!("was {}", was.join(", ")));
        }
        if entry.is_dropped {
            notes.push("dropped by readers".to_owned());
        }
        let text =
            self.paint(&format!("{} {}", mark(&entry.status), folded(&entry.content)), style);
        let notes = match notes.as_slice() {
            [] => String::new(),
            notes => self.paint(&format!("  {}", notes.join("; ")), Style::new().dimmed()),
        };
        format!("      {sign} {text}{notes}")
    }

    fn paint(self, text: &str, style: Style) -> String {
        self.look.paint(text, style)
    }
}

/// Whether signs tell what has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signs {
    Shown,
    Hidden,
}

fn session(step: &Step) -> String {
    let connection = match step.connection {
        0 => String::new(),
        number => format!("Connection {}, ", number + 1),
    };
    let session = format!("{connection}session {}", step.session);
    match session.strip_prefix("session") {
        Some(rest) => format!("Session{rest}"),
        None => session,
    }
}

fn named(plan: Option<&str>) -> String {
    plan.map_or_else(|| "plan".to_owned(), |id| format!("plan `{id}`"))
}

/// What a plan holds, in a word or two.
fn summary(view: &View) -> String {
    match view.kind.as_deref() {
        Some("items") if view.entries.is_empty() => ": no entries".to_owned(),
        Some("items") if view.entries.iter().all(|entry| entry.is_dropped) => {
            ": no readable entries".to_owned()
        }
        Some("items") => format!(": {}", view.counts()),
        Some(kind) => format!(", {kind}"),
        None => ", no type".to_owned(),
    }
}

fn mark(status: &Status) -> &'static str {
    match status {
        Status::Pending => "○",
        Status::InProgress => "◐",
        Status::Completed => "●",
        Status::Cancelled => "⊘",
        Status::Other(_) | Status::Absent => "?",
    }
}

fn word(what: &str, name: &str) -> String {
    if name.is_empty() { format!("no {what}") } else { format!("{what} `{name}`") }
}

fn spoken(name: &str) -> String {
    match name {
        "" => "absent".to_owned(),
        "in_progress" => "in progress".to_owned(),
        name => name.to_owned(),
    }
}

/// A text on one line.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

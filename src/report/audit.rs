//! The audit log as text for people, and as rows for programs (`acpcheck audit`).
//!
//! [`AuditWriter`] takes the log of the transcripts event by event and appends what is written of each to
//! a text.

use serde::{Deserialize, Serialize};

use super::{TOOL, TextStyle, json::json, mask};
use crate::{
    audit::{
        Action, ActionKind, ActionResult, AuditEvent, AuditedSession, Decision, Doubt, Join, Order,
        Outside, Proof,
    },
    source::printable,
};

mod counts;
mod folded;
mod text;

pub use counts::AuditCount;
pub(super) use counts::AuditCounts;
pub(super) use folded::{AuditSection, DECIDED, FoldedRow, Folder, NOT_DONE, PairingTotals};

/// The `format_version` of the audit log as NDJSON. Changes with each incompatible change of its
/// rows.
const FORMAT_VERSION: u32 = 1;

/// The output formats of `acpcheck audit`: text for people, NDJSON and CSV for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditFormat {
    Text,
    Ndjson,
    Csv,
}

/// One action of the audit log as a row for programs. `schema/audit.schema.json` describes its
/// members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditRow {
    pub(super) connection: u32,
    pub(super) session: Option<String>,
    pub(super) turn: u32,
    pub(super) mode: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) client: Option<String>,
    pub(super) action: ActionKind,
    pub(super) target: String,
    pub(super) call: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) decision: Decision,
    pub(super) option: Option<String>,
    pub(super) result: ActionResult,
    pub(super) proof: Proof,
    pub(super) order: Order,
    pub(super) outside: Outside,
    pub(super) join: Join,
    pub(super) always: Option<u32>,
    pub(super) answered_in: Option<f64>,
    pub(super) first: u32,
    pub(super) asked: u32,
    pub(super) answered: u32,
    pub(super) done: u32,
    pub(super) replayed: bool,
    pub(super) unclear: Option<Doubt>,
}

/// The names of the columns of the audit log as CSV, in their order in the first line.
const COLUMNS: [&str; 26] = [
    "file",
    "connection",
    "session",
    "turn",
    "mode",
    "agent",
    "client",
    "action",
    "target",
    "call",
    "kind",
    "decision",
    "option",
    "result",
    "proof",
    "order",
    "outside",
    "join",
    "always",
    "answered_in",
    "first",
    "asked",
    "answered",
    "done",
    "replayed",
    "unclear",
];

impl AuditRow {
    /// The row of an action. With `is_redacted`, texts that users or agents wrote are masked.
    pub(super) fn of(action: Action, is_redacted: bool) -> Self {
        let value = |text: String| if is_redacted { mask::value(&text) } else { text };
        Self {
            connection: action.connection,
            session: action.session.map(value),
            turn: action.turn,
            mode: action.mode.map(value),
            agent: action.agent,
            client: action.client,
            action: action.kind,
            target: value(action.target),
            call: action.call.map(value),
            kind: action.tool_kind.map(value),
            decision: action.decision,
            option: action.option.map(value),
            result: action.result,
            proof: action.proof,
            order: action.order,
            outside: action.outside,
            join: action.join,
            always: action.always,
            answered_in: action.answered_in,
            first: action.first,
            asked: action.asked,
            answered: action.answered,
            done: action.done,
            replayed: action.is_replayed,
            unclear: action.unclear,
        }
    }

    /// The row with all texts printable and cut after `length` characters.
    pub(super) fn shortened(self, length: usize) -> Self {
        let text = |text: String| shortened(&text, length);
        Self {
            session: self.session.map(text),
            mode: self.mode.map(text),
            agent: self.agent.map(text),
            client: self.client.map(text),
            target: text(self.target),
            call: self.call.map(text),
            kind: self.kind.map(text),
            option: self.option.map(text),
            ..self
        }
    }

    /// The cells of the row in CSV, in the order of [`COLUMNS`]. `file` is the path of the
    /// transcript.
    fn cells(&self, file: &str) -> [String; COLUMNS.len()] {
        let text = |text: &Option<String>| text.as_deref().map(cell).unwrap_or_default();
        [
            cell(file),
            self.connection.to_string(),
            text(&self.session),
            self.turn.to_string(),
            text(&self.mode),
            text(&self.agent),
            text(&self.client),
            self.action.name().to_owned(),
            cell(&self.target),
            text(&self.call),
            text(&self.kind),
            self.decision.name().to_owned(),
            text(&self.option),
            self.result.name().to_owned(),
            self.proof.name().to_owned(),
            self.order.name().to_owned(),
            self.outside.name().to_owned(),
            self.join.name().to_owned(),
            self.always.map(|line| line.to_string()).unwrap_or_default(),
            self.answered_in.map(|seconds| seconds.to_string()).unwrap_or_default(),
            self.first.to_string(),
            self.asked.to_string(),
            self.answered.to_string(),
            self.done.to_string(),
            self.replayed.to_string(),
            self.unclear.map(Doubt::name).unwrap_or_default().to_owned(),
        ]
    }
}

/// A text of a transcript for people: printable, and cut after `length` characters.
pub(super) fn shortened(text: &str, length: usize) -> String {
    let text = printable(text);
    match text.char_indices().nth(length) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

/// A text of a transcript as a cell of CSV: quoted where needed, and changed so that no spreadsheet
/// takes it for a formula. Some spreadsheets begin a new cell behind each `;`, even in quotes.
fn cell(text: &str) -> String {
    let is_before_value = |character: char| character.is_whitespace() || character == '"';
    let harmless = |part: &str| match part.trim_start_matches(is_before_value).chars().next() {
        Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') => format!("'{part}"),
        _ => part.to_owned(),
    };
    let text = printable(text).split(';').map(harmless).collect::<Vec<_>>().join(";");
    if text.contains([',', ';', '"']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

/// A word of one column of the audit log, such as `cancelled` of the column `decision`, for
/// `--only`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AuditWord {
    Action(ActionKind),
    Decision(Decision),
    Result(ActionResult),
    Order(Order),
    Outside(Outside),
    Proof(Proof),
    Join(Join),
}

impl AuditWord {
    /// All words that `--only` accepts, each with its name, in the order of the columns of the
    /// audit log.
    fn all() -> Vec<(&'static str, Self)> {
        let actions = ActionKind::ALL.iter().map(|it| (it.name(), Self::Action(*it)));
        let decisions = Decision::ALL.iter().map(|it| (it.name(), Self::Decision(*it)));
        let results = ActionResult::ALL.iter().map(|it| (it.name(), Self::Result(*it)));
        let orders = Order::ALL.iter().map(|it| (it.name(), Self::Order(*it)));
        let outside = Outside::ALL.iter().map(|it| (it.name(), Self::Outside(*it)));
        let proofs = Proof::ALL.iter().map(|it| (it.name(), Self::Proof(*it)));
        let joins = Join::ALL.iter().map(|it| (it.name(), Self::Join(*it)));
        let of_answers = actions.chain(decisions).chain(results).chain(orders);
        of_answers.chain(outside).chain(proofs).chain(joins).collect()
    }

    /// Whether the row of the audit log has this word in the column that the word belongs to.
    fn is_of(self, row: &AuditRow) -> bool {
        match self {
            Self::Action(word) => row.action == word,
            Self::Decision(word) => row.decision == word,
            Self::Result(word) => row.result == word,
            Self::Order(word) => row.order == word,
            Self::Outside(word) => row.outside == word,
            Self::Proof(word) => row.proof == word,
            Self::Join(word) => row.join == word,
        }
    }
}

/// Words of which a row of the audit log must have at least one, as `--only` of `acpcheck audit`
/// gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnyWord(Vec<AuditWord>);

impl AnyWord {
    /// Reads words with commas between them. Fails at the first word that no column has, and names
    /// it.
    pub fn read(text: &str) -> Result<Self, String> {
        let all = AuditWord::all();
        let mut words = Vec::new();
        for name in text.split(',').map(str::trim) {
            let before = words.len();
            words.extend(all.iter().filter(|(own, _)| *own == name).map(|(_, word)| *word));
            if words.len() == before {
                return Err(format!("no column has the word `{name}`"));
            }
        }
        Ok(Self(words))
    }

    /// The names of all words of all columns, each once, for help and error messages.
    pub fn names() -> Vec<&'static str> {
        let mut names: Vec<_> = Vec::new();
        for (name, _) in AuditWord::all() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn fits(&self, row: &AuditRow) -> bool {
        self.0.iter().any(|word| word.is_of(row))
    }
}

/// Writes the audit log of transcripts as one document. Callers pass each event of a file to
/// [`AuditWriter::event`], and call [`AuditWriter::finish`] at the end of the file. Both append the
/// next part of the document to a text of the caller.
#[derive(Debug)]
pub struct AuditWriter {
    format: AuditFormat,
    style: TextStyle,
    /// The conditions of `--only`: a row is written when it has a word of each element.
    only: Vec<AnyWord>,
    is_redacted: bool,
    is_begun: bool,
    folder: Folder,
}

impl AuditWriter {
    pub fn new(format: AuditFormat, style: TextStyle) -> Self {
        Self {
            format,
            style,
            only: Vec::new(),
            is_redacted: false,
            is_begun: false,
            folder: Folder::default(),
        }
    }

    /// Leaves out rows that do not have a word of each element of `only`.
    #[must_use]
    pub fn only(self, only: Vec<AnyWord>) -> Self {
        Self { only, ..self }
    }

    /// With `is_redacted`, masks texts that users or agents wrote in the rows.
    #[must_use]
    pub fn redacted(self, is_redacted: bool) -> Self {
        Self { is_redacted, ..self }
    }

    /// Takes the next event of the audit log of `file`, and appends to `text` what can be written
    /// already.
    pub fn event(&mut self, file: &str, event: AuditEvent, text: &mut String) {
        self.begin(text);
        match event {
            AuditEvent::Action(action) => {
                let row = AuditRow::of(*action, self.is_redacted);
                if self.only.iter().all(|only| only.fits(&row)) {
                    self.row(file, &row, text);
                }
            }
            AuditEvent::Session(session) => self.session(file, *session),
            AuditEvent::NotFollowed(more) => self.folder.not_followed(more),
        }
    }

    fn row(&mut self, file: &str, row: &AuditRow, text: &mut String) {
        #[derive(Serialize)]
        struct Line<'a> {
            file: &'a str,
            #[serde(flatten)]
            row: &'a AuditRow,
        }

        match self.format {
            AuditFormat::Text => self.folder.add(file, row),
            AuditFormat::Ndjson => {
                // Its parts are texts and numbers.
                if let Ok(line) = json(&Line { file, row }) {
                    text.push_str(&line);
                    text.push('\n');
                }
            }
            AuditFormat::Csv => {
                text.push_str(&row.cells(file).join(","));
                text.push_str("\r\n");
            }
        }
    }

    fn session(&mut self, file: &str, session: AuditedSession) {
        let mode = |mode: String| if self.is_redacted { mask::value(&mode) } else { mode };
        let mut modes: Vec<_> = session.modes.into_iter().map(|(_, id)| mode(id)).collect();
        modes.sort_unstable();
        modes.dedup();
        self.folder.session(file, session.agent, session.client, &modes);
    }

    /// Writes the head of the document before the first row: column names in CSV, a line with the
    /// version in NDJSON.
    fn begin(&mut self, text: &mut String) {
        if std::mem::replace(&mut self.is_begun, true) {
            return;
        }
        let (name, version) = TOOL;
        match self.format {
            AuditFormat::Text => {}
            AuditFormat::Ndjson => {
                let head = serde_json::json!({
                    "format_version": FORMAT_VERSION,
                    "tool": { "name": name, "version": version },
                });
                text.push_str(&head.to_string());
                text.push('\n');
            }
            AuditFormat::Csv => {
                text.push_str(&COLUMNS.join(","));
                text.push_str("\r\n");
            }
        }
    }

    /// Appends to `text` what remains to be written after all events: in the text format,
    /// everything.
    pub fn finish(mut self, text: &mut String) {
        self.begin(text);
        if self.format == AuditFormat::Text {
            text::write(&self.folder, self.only.is_empty(), self.style, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        assert_eq!(cell("=1+1"), "'=1+1");
        assert_eq!(cell(" @x"), "' @x");
        for sign in "＝＋－＠".chars() {
            assert_eq!(cell(&format!("{sign}1")), format!("'{sign}1"));
        }
        assert_eq!(cell("cd a; b;=1; \"-2"), "\"cd a; b;'=1;' \"\"-2\"");
        assert_eq!(cell("make \"a\", b"), "\"make \"\"a\"\", b\"");
        assert_eq!(cell("make"), "make");
    }
}

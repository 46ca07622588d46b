//! Collects the plans of a transcript as tables: entries as rows, updates as columns.
//!
//! Plan steps go in while the transcript is read; a [`PlanRecord`] for each plan comes out.

use super::{
    document::{PlanCell, PlanColumn, PlanColumnEvent, PlanRecord, PlanRow},
    mask,
};
use crate::{
    plans::{PlanStep, PlanStepKind, PlanView},
    source::printable,
};

/// How many plans of one file the document keeps; the changes of further plans are only counted.
const PLANS: usize = 40;
/// Most updates of a plan that are kept as columns: half of them the first, half the last ones. The
/// number of others is kept.
const COLUMNS: usize = 60;
/// How many entries of a plan the document keeps; further ones are counted.
const ROWS: usize = 80;
/// Most characters of the text of an entry; the rest is cut off.
const ENTRY: usize = 160;
/// Most characters of an entry's text that are kept to tell entries apart. Entries that differ only
/// later count as one.
const TELLING: usize = 1000;
/// Most characters of a Markdown plan, and of a text in a cell, that a page shows; the rest is cut
/// off.
const TEXT: usize = 600;

/// Collects the plans of a file as tables while the file is read.
#[derive(Debug, Default)]
pub(super) struct PlanTables {
    /// The tables of the plans, in the order in which the plans first appear.
    tables: Vec<PlanTable>,
    /// The number of changes of plans that have no table, because there are too many plans.
    more: u64,
}

/// The table of one plan: entries as rows, updates as columns.
#[derive(Debug)]
struct PlanTable {
    plan: PlanRecord,
    /// The text of each row, by which the next update finds the row of an entry again; at most
    /// [`TELLING`] characters.
    texts: Vec<String>,
    /// The row of each entry in the last update; `None` for entries beyond [`ROWS`].
    current: Vec<Option<usize>>,
}

impl PlanTables {
    pub(super) fn add(&mut self, step: &PlanStep) {
        if let PlanStepKind::Forgotten = step.kind {
            let tables = self.tables.iter_mut().filter(|table| table.is_in_session_of(step));
            tables.filter(|table| table.is_on_display()).for_each(|table| table.add(step));
            return;
        }
        let is_own =
            |table: &PlanTable| table.is_in_session_of(step) && table.plan.plan == step.plan;
        match self.tables.iter().position(is_own) {
            Some(own) => self.tables[own].add(step),
            None if self.tables.len() < PLANS => {
                let mut table = PlanTable::new(step);
                table.add(step);
                self.tables.push(table);
            }
            None => self.more += 1,
        }
    }

    /// The plans for the document, and the number of steps of other plans. With `is_redacted`,
    /// texts are masked.
    pub(super) fn finish(self, is_redacted: bool) -> (Vec<PlanRecord>, u64) {
        let plans = self.tables.into_iter().map(|table| table.finish(is_redacted));
        (plans.collect(), self.more)
    }
}

impl PlanTable {
    fn new(step: &PlanStep) -> Self {
        let plan = PlanRecord {
            connection: step.connection,
            session: step.session.clone(),
            plan: step.plan.clone(),
            columns: Vec::new(),
            rows: Vec::new(),
            text: None,
            more_rows: 0,
        };
        Self { plan, texts: Vec::new(), current: Vec::new() }
    }

    fn is_in_session_of(&self, step: &PlanStep) -> bool {
        (self.plan.connection, &self.plan.session) == (step.connection, &step.session)
    }

    fn is_on_display(&self) -> bool {
        let last = self.plan.columns.last();
        last.is_some_and(|last| {
            matches!(last.event, PlanColumnEvent::Shown | PlanColumnEvent::Refused)
        })
    }

    fn add(&mut self, step: &PlanStep) {
        let mut column = PlanColumn {
            line: step.line,
            turn: step.turn,
            replayed: step.is_replayed,
            event: PlanColumnEvent::Shown,
            kind: None,
            repeats: 0,
            skipped: 0,
        };
        let cells = match &step.kind {
            PlanStepKind::Shown(view) => {
                column.kind = view.kind.clone().filter(|kind| kind != "items");
                self.show(view)
            }
            PlanStepKind::Removed { .. } => {
                column.event = PlanColumnEvent::Removed;
                self.current.clear();
                Vec::new()
            }
            PlanStepKind::Refused => {
                column.event = PlanColumnEvent::Refused;
                Vec::new()
            }
            PlanStepKind::Forgotten => {
                column.event = PlanColumnEvent::Forgotten;
                self.current.clear();
                Vec::new()
            }
        };
        self.push(column, cells);
    }

    /// The cells of an update, one for each row of the table (`None`: not listed). Adds rows for
    /// new entries.
    fn show(&mut self, view: &PlanView) -> Vec<Option<PlanCell>> {
        if let Some(text) = &view.text {
            self.plan.text = Some(shortened(text, TEXT));
        }
        let mut cells: Vec<Option<PlanCell>> = vec![None; self.plan.rows.len()];
        let before = std::mem::take(&mut self.current);
        for entry in &view.entries {
            let text = shortened(&entry.content, TELLING);
            let continued = entry.continues.and_then(|place| before.get(place).copied().flatten());
            let is_free = |row: &usize| cells.get(*row).is_some_and(Option::is_none);
            let row = continued.filter(is_free).or_else(|| {
                // It may have been listed earlier, and come back.
                let is_same = |row: &usize| self.texts[*row] == text;
                (0..self.texts.len()).filter(is_free).find(is_same)
            });
            let row = row.or_else(|| self.add_row(&mut cells));
            self.current.push(row);
            let Some(row) = row else { continue };
            cells[row] = Some(PlanCell {
                status: entry.status.name().to_owned(),
                dropped: entry.is_dropped,
            });
            entry.priority.name().clone_into(&mut self.plan.rows[row].priority);
            self.texts[row] = text;
        }
        cells
    }

    fn add_row(&mut self, cells: &mut Vec<Option<PlanCell>>) -> Option<usize> {
        if self.plan.rows.len() == ROWS {
            self.plan.more_rows += 1;
            return None;
        }
        let cells_before = vec![None; self.plan.columns.len()];
        self.plan.rows.push(PlanRow {
            content: String::new(),
            priority: String::new(),
            cells: cells_before,
        });
        self.texts.push(String::new());
        cells.push(None);
        Some(self.plan.rows.len() - 1)
    }

    /// Adds a column for an update. A column equal to the last one is only counted; of too many
    /// columns, one in the middle is left out.
    fn push(&mut self, column: PlanColumn, mut cells: Vec<Option<PlanCell>>) {
        cells.resize(self.plan.rows.len(), None);
        if let Some(last) = self.plan.columns.last_mut() {
            let is_same = (last.turn, last.replayed, last.event, &last.kind)
                == (column.turn, column.replayed, column.event, &column.kind);
            let mut pairs = self.plan.rows.iter().zip(&cells);
            if is_same && pairs.all(|(row, cell)| row.cells.last() == Some(cell)) {
                last.repeats += 1;
                return;
            }
        }
        for (row, cell) in self.plan.rows.iter_mut().zip(cells) {
            row.cells.push(cell);
        }
        self.plan.columns.push(column);
        if self.plan.columns.len() > COLUMNS {
            let left_out = self.plan.columns.remove(COLUMNS / 2);
            self.plan.columns[COLUMNS / 2].skipped += left_out.skipped + left_out.repeats + 1;
            for row in &mut self.plan.rows {
                row.cells.remove(COLUMNS / 2);
            }
        }
    }

    fn finish(self, is_redacted: bool) -> PlanRecord {
        let Self { mut plan, texts, .. } = self;
        let told = |text: &str, length| {
            let text = if is_redacted { mask::value(text) } else { text.to_owned() };
            shortened(&printable(&text), length)
        };
        plan.session = told(&plan.session, ENTRY);
        plan.plan = plan.plan.as_deref().map(|id| told(id, ENTRY));
        plan.text = plan.text.as_deref().map(|text| {
            let lines: Vec<_> = text.lines().map(|line| told(line, TEXT)).collect();
            lines.join("\n")
        });
        for column in &mut plan.columns {
            column.kind = column.kind.as_deref().map(|kind| told(kind, ENTRY));
        }
        for (row, text) in plan.rows.iter_mut().zip(texts) {
            let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
            row.content = told(&folded, ENTRY);
            row.priority = told(&row.priority, ENTRY);
            for cell in row.cells.iter_mut().flatten() {
                cell.status = told(&cell.status, ENTRY);
            }
        }
        plan
    }
}

fn shortened(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans;

    const OPENING: &str = concat!(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}"#,
        "\n",
    );

    fn update(entries: &[(&str, &str)]) -> String {
        let entries: Vec<_> = entries
            .iter()
            .map(|(content, status)| {
                format!(r#"{{"content":"{content}","priority":"low","status":"{status}"}}"#)
            })
            .collect();
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"plan","entries":[{}]}}}}}}"#,
            entries.join(",")
        ) + "\n"
    }

    /// The only plan of a transcript with these updates, as text: its columns, then a row of
    /// letters for each entry.
    fn drawn(updates: &[String]) -> Vec<String> {
        let mut plan_tables = PlanTables::default();
        for step in plans::steps(format!("{OPENING}{}", updates.concat()).as_bytes()) {
            plan_tables.add(&step);
        }
        let (plans, more) = plan_tables.finish(false);
        assert_eq!((plans.len(), more), (1, 0));
        let plan = &plans[0];
        let head = plan.columns.iter().map(|column| (column.line, column.repeats, column.skipped));
        let letter = |cell: &Option<PlanCell>| {
            cell.as_ref().map_or('.', |cell| cell.status.chars().next().unwrap_or('?'))
        };
        let rows = plan.rows.iter().map(|row| {
            format!("{}: {}", row.content, row.cells.iter().map(letter).collect::<String>())
        });
        std::iter::once(format!("{:?}", head.collect::<Vec<_>>())).chain(rows).collect()
    }

    #[test]
    fn entries_keep_their_rows() {
        let updates = [
            update(&[("a", "pending"), ("b", "pending")]),
            update(&[("a", "in_progress"), ("b", "pending")]),
            update(&[("a", "in_progress"), ("b", "pending")]),
            update(&[("b", "in_progress"), ("c", "pending")]),
            update(&[("a", "completed"), ("b", "in_progress"), ("c", "pending")]),
        ];
        let expected =
            ["[(3, 0, 0), (4, 1, 0), (6, 0, 0), (7, 0, 0)]", "a: pi.c", "b: ppii", "c: ..pp"];
        assert_eq!(drawn(&updates), expected);
    }

    #[test]
    fn an_entry_listed_twice_has_two_rows() {
        let updates = [update(&[("a", "pending"), ("a", "completed")])];
        assert_eq!(drawn(&updates), ["[(3, 0, 0)]", "a: p", "a: c"]);
    }

    #[test]
    fn of_many_steps_the_middle_is_left_out() {
        let status = |step: usize| if step.is_multiple_of(2) { "pending" } else { "in_progress" };
        let updates: Vec<_> = (0..100).map(|step| update(&[("a", status(step))])).collect();
        let drawing = drawn(&updates);
        let half = "pi".repeat(COLUMNS / 4);
        assert_eq!(drawing[1], format!("a: {half}{half}"));
        let skipped = 100 - COLUMNS;
        assert!(drawing[0].contains(&format!("(32, 0, 0), (73, 0, {skipped})")), "{}", drawing[0]);
    }
}

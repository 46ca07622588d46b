//! Prepares plans for HTML and Markdown: titles, column heads and marks for cells.
//!
//! A [`PlanRecord`] of the document goes in, a [`DrawnPlan`] comes out.

use std::collections::BTreeSet;

use super::{
    super::text::grouped_plural,
    document::{FileRecord, PlanCell, PlanColumn, PlanColumnEvent, PlanRecord, PlanRow},
};

/// How many plans a page of the compliance report draws; further ones are counted.
pub(super) const PLANS: usize = 60;

/// A plan prepared for HTML and Markdown: a table of entries and updates.
#[derive(Debug)]
pub(super) struct DrawnPlan<'c> {
    pub(super) path: &'c str,
    pub(super) title: String,
    pub(super) plan: &'c PlanRecord,
    pub(super) columns: Vec<ColumnHead>,
    pub(super) rows: Vec<DrawnRow<'c>>,
}

/// A row of a drawn plan: an entry with its status in each update.
#[derive(Debug)]
pub(super) struct DrawnRow<'c> {
    pub(super) content: &'c str,
    /// The priority of the entry; empty when it is `medium` or missing.
    pub(super) priority: &'c str,
    /// One cell for each update (column): whether updates are left out before it, and the status of
    /// the entry; `None` when the update does not list the entry.
    pub(super) cells: Vec<(bool, Option<StatusMark<'c>>)>,
}

/// The head of a column of a drawn plan, which stands for an update.
#[derive(Debug)]
pub(super) struct ColumnHead {
    pub(super) line: u32,
    /// The name of the turn, if this column is the first of its turn; `None` for others.
    pub(super) turn: Option<String>,
    /// What happens to the plan, such as `removed`, or the type of a plan without entries, such as
    /// `markdown`; `None` for a list of entries.
    pub(super) event: Option<String>,
    pub(super) repeats: u64,
    pub(super) skipped: u64,
}

/// The status of an entry after an update, as a cell of a drawn plan shows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatusMark<'c> {
    /// The CSS class that decides sign and colour of the status.
    pub(super) class: &'static str,
    pub(super) text: &'c str,
    pub(super) is_new: bool,
    pub(super) is_dropped: bool,
}

impl DrawnPlan<'_> {
    pub(super) fn summary(&self) -> String {
        let updates: u64 = self.columns.iter().map(|head| head.repeats + head.skipped + 1).sum();
        let updates = grouped_plural(usize::try_from(updates).unwrap_or(usize::MAX), "update");
        match self.rows.len() {
            0 => updates,
            1 => format!("1 entry, {updates}"),
            rows => format!("{rows} entries, {updates}"),
        }
    }

    /// The names of the turns above the columns, each with the number of columns below it.
    pub(super) fn turns(&self) -> Vec<(&str, usize)> {
        let mut turns: Vec<(&str, usize)> = Vec::new();
        for head in &self.columns {
            let width = 1 + usize::from(head.skipped > 0);
            match (&head.turn, turns.last_mut()) {
                (None, Some((_, span))) => *span += width,
                (turn, _) => turns.push((turn.as_deref().unwrap_or_default(), width)),
            }
        }
        turns
    }
}

impl<'c> DrawnPlan<'c> {
    pub(super) fn all(file: &'c FileRecord) -> impl Iterator<Item = Self> {
        let has_connections = file.connections > 1;
        let sessions: BTreeSet<_> =
            file.plans.iter().map(|plan| (plan.connection, &*plan.session)).collect();
        let has_sessions = sessions.len() > 1;
        file.plans.iter().map(move |plan| {
            let mut title = match &plan.plan {
                Some(id) => format!("Plan `{id}`"),
                None => "The plan".to_owned(),
            };
            if has_sessions {
                title.push_str(&format!(" of session `{}`", plan.session));
            }
            if has_connections {
                title.push_str(&format!(", connection {}", plan.connection + 1));
            }
            Self {
                path: &file.path,
                title,
                plan,
                columns: column_heads(plan),
                rows: plan.rows.iter().map(|row| DrawnRow::of(row, plan)).collect(),
            }
        })
    }
}

fn column_heads(plan: &PlanRecord) -> Vec<ColumnHead> {
    let mut turn = None;
    let head = |column: &PlanColumn| {
        let here = (column.turn, column.replayed);
        let begins = turn.replace(here) != Some(here);
        let name = match here {
            (_, true) => "replay".to_owned(),
            (0, false) => "before".to_owned(),
            (number, false) => format!("turn {number}"),
        };
        let event = match (column.event, &column.kind) {
            (PlanColumnEvent::Shown, None) => None,
            (PlanColumnEvent::Shown, Some(kind)) => Some(kind.clone()),
            (PlanColumnEvent::Removed, _) => Some("removed".to_owned()),
            (PlanColumnEvent::Refused, _) => Some("unreadable".to_owned()),
            (PlanColumnEvent::Forgotten, _) => Some("session loaded or resumed".to_owned()),
        };
        ColumnHead {
            line: column.line,
            turn: begins.then_some(name),
            event,
            repeats: column.repeats,
            skipped: column.skipped,
        }
    };
    plan.columns.iter().map(head).collect()
}

impl<'c> DrawnRow<'c> {
    fn of(row: &'c PlanRow, plan: &PlanRecord) -> Self {
        let mut before = None;
        let mut cells = Vec::with_capacity(row.cells.len());
        for (cell, column) in row.cells.iter().zip(&plan.columns) {
            let is_new = cell.as_ref() != before;
            before = cell.as_ref();
            cells
                .push((column.skipped > 0, cell.as_ref().map(|cell| StatusMark::of(cell, is_new))));
        }
        let priority = if row.priority == "medium" { "" } else { &row.priority };
        Self { content: &row.content, priority, cells }
    }
}

impl<'c> StatusMark<'c> {
    fn of(cell: &'c PlanCell, is_new: bool) -> Self {
        let (class, text) = match &*cell.status {
            "pending" => ("pending", "pending"),
            "in_progress" => ("progress", "in progress"),
            "completed" => ("completed", "completed"),
            "cancelled" => ("cancelled", "cancelled"),
            "" => ("other", "no status"),
            other => ("other", other),
        };
        Self { class, text, is_new, is_dropped: cell.dropped }
    }
}

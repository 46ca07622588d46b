//! The audit log as text for people.

use std::fmt::Write as _;

use owo_colors::Style;
use textwrap::core::display_width;

use crate::{
    report::{
        Plural, TextStyle,
        audit::{AuditSection, FoldedRow, Folder, PairingTotals, folded::ActionTotals},
    },
    source::printable,
};

/// How many folded rows `acpcheck audit` prints as text; further ones are counted.
const ROWS: usize = 200;
/// The greatest width, in columns, to which targets (and for `TOLD`, decisions) are padded. Longer
/// ones move the columns behind them.
const TARGET: usize = 40;
const TOLD: usize = 44;
/// Most characters of an action's target in the text; a longer one is cut off.
const LONGEST: usize = 120;

/// Writes the audit log as text: the totals, then the rows, then what the log cannot show. `is_whole`
/// says that no row was left out, so that the log can say what is not there.
pub(super) fn write(folder: &Folder, is_whole: bool, style: TextStyle, text: &mut String) {
    for (names, totals) in folder.pairings() {
        write_totals(&names, totals, style, text);
    }
    let rows = folder.rows();
    if is_whole && !rows.is_empty() {
        let line = format!("{}.", folder.ignored_refusals());
        let _ = writeln!(text, "{}", style.wrap("", "  ", &line));
    }
    let shown = &rows[..rows.len().min(ROWS)];
    for section in AuditSection::ALL {
        let own: Vec<_> = shown.iter().filter(|row| row.section == section).collect();
        if !own.is_empty() {
            let _ = writeln!(text, "\n{}", style.paint(section.name(), Style::new().bold()));
            write_rows(&own, style, text);
        }
    }
    let more: u64 = rows[shown.len()..].iter().map(|row| row.count).sum();
    let more = more + folder.more();
    if more > 0 {
        let line = format!("… {} more: `--format csv` has all", Plural(more, "action"));
        let _ = writeln!(text, "\n{}", style.wrap("", "  ", &line));
    }
    if folder.unfollowed() > 0 {
        let _ = writeln!(text, "{} not followed: too many", Plural(folder.unfollowed(), "item"));
    }
    if rows.is_empty() {
        text.push_str("No action is on record.\n");
    } else {
        text.push('\n');
    }
    let end = "Tools that an agent neither reports nor asks of the client leave no trace.";
    let _ = writeln!(text, "{}", style.wrap("", "  ", end));
}

fn write_totals(names: &str, totals: &PairingTotals, style: TextStyle, text: &mut String) {
    let modes: Vec<_> =
        totals.modes.iter().map(|(mode, count)| format!("{} ({count})", printable(mode))).collect();
    let modes = match &*modes {
        [] => String::new(),
        modes => format!(", modes {}", modes.join(", ")),
    };
    let (recordings, sessions) =
        (Plural(totals.recordings, "recording"), Plural(totals.sessions, "session"));
    let head = format!("{}: {recordings}, {sessions}{modes}", printable(names));
    let _ = writeln!(text, "{}", style.paint(&style.wrap("", "  ", &head), Style::new().bold()));
    let mut done = totals.actions();
    done.retain(|totals| totals.count > 0);
    let width = done.iter().map(|done| done.count.to_string().len()).max().unwrap_or(1);
    let noun = done.iter().map(|done| done.what.len()).max().unwrap_or(0);
    for ActionTotals { count, what, decided, .. } in &done {
        let decided: Vec<_> =
            decided.iter().map(|(count, decided)| format!("{count} {decided}")).collect();
        let first = format!("{count:>width$} {what:<noun$}  ");
        let rest = " ".repeat(width + noun + 3);
        let _ = writeln!(text, "{}", style.wrap(&first, &rest, &decided.join(", ")));
    }
    let not_done = totals.not_done();
    if !not_done.is_empty() {
        let parts: Vec<_> =
            not_done.iter().map(|(count, words)| format!("{count} {words}")).collect();
        let parts = parts.join("; ");
        let _ = writeln!(text, "{}", style.wrap("no completion on record: ", "  ", &parts));
    }
    if totals.replayed > 0 {
        let _ = writeln!(
            text,
            "{} of replayed history, not counted",
            Plural(totals.replayed, "action")
        );
    }
}

/// The texts of a folded row in the columns of the table for people.
struct Cells {
    action: &'static str,
    target: String,
    told: String,
    lines: String,
}

impl Cells {
    fn of(row: &FoldedRow) -> Self {
        let target = printable(&row.row.target);
        let end = target.char_indices().nth(LONGEST).map(|(end, _)| end);
        let target = end.map_or_else(|| target.to_string(), |end| format!("{}…", &target[..end]));
        Self {
            action: row.row.action.name(),
            target: if row.count > 1 { format!("{target} ×{}", row.count) } else { target },
            told: printable(&row.told()).into_owned(),
            lines: format!("{}:{} {}", printable(&row.file), row.row.first, row.lines())
                .trim_end()
                .to_owned(),
        }
    }
}

/// Writes rows as a table; on a terminal that is too narrow for it, each row with its texts below each
/// other.
fn write_rows(rows: &[&&FoldedRow], style: TextStyle, text: &mut String) {
    let cells: Vec<_> = rows.iter().map(|row| Cells::of(row)).collect();
    let widest = |widths: &mut dyn Iterator<Item = usize>, most: usize| {
        widths.filter(|width| *width <= most).max().unwrap_or(0)
    };
    let targets = widest(&mut cells.iter().map(|cells| display_width(&cells.target)), TARGET);
    let told = widest(&mut cells.iter().map(|cells| display_width(&cells.told)), TOLD);
    let padded = |text: &str, width: usize| {
        let blanks = width.saturating_sub(display_width(text));
        format!("{text}{}", " ".repeat(blanks))
    };
    let line = |cells: &Cells| {
        let (target, told) = (padded(&cells.target, targets), padded(&cells.told, told));
        format!("  {:<6} {target}  {told}  {}", cells.action, cells.lines)
    };
    let lines: Vec<_> = cells.iter().map(line).collect();
    let is_narrow =
        style.columns.is_some_and(|columns| lines.iter().any(|it| display_width(it) > columns));
    for (cells, line) in cells.iter().zip(lines) {
        if !is_narrow {
            let _ = writeln!(text, "{line}");
            continue;
        }
        let first = format!("  {:<6} ", cells.action);
        let rest = " ".repeat(first.len() + 2);
        let _ = writeln!(text, "{}", style.wrap(&first, &rest, &cells.target));
        for part in [&cells.told, &cells.lines] {
            let _ = writeln!(text, "{}", style.wrap(&rest, &rest, part));
        }
    }
}

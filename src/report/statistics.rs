//! The table of `--statistics`: for each rule, how often it was exercised and failed, and the number of
//! its findings, over all files.

use std::fmt::{self, Write as _};

use super::{TextStyle, tally};
use crate::{check::Outcome, rule::Rule, rules::CATALOGUE};

/// How often each rule was exercised, violated and reported, summed over files, for `--statistics`.
#[derive(Clone, Debug)]
pub struct Statistics {
    rows: Vec<StatisticsRow>,
    /// How the sides fared by the requirements of the protocol: the last lines of the table.
    pub requirements: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default)]
struct StatisticsRow {
    exercised: u64,
    failed: u64,
    findings: u64,
}

impl Default for Statistics {
    fn default() -> Self {
        Self { rows: vec![StatisticsRow::default(); CATALOGUE.len()], requirements: Vec::new() }
    }
}

impl Statistics {
    /// Adds the counts of a file. `findings` is the number of findings of each rule, by index in
    /// the catalogue.
    pub fn add(&mut self, outcome: &Outcome, findings: &[u64]) {
        for (index, row) in self.rows.iter_mut().enumerate() {
            let tally = tally(outcome, index);
            row.exercised += tally.exercised;
            row.failed += tally.failed;
            row.findings += findings.get(index).copied().unwrap_or_default();
        }
    }

    /// A table of the rules that were exercised or reported, those with most findings first. Where
    /// the terminal is too narrow for it, a list.
    pub fn table(&self, style: TextStyle) -> String {
        let mut rows: Vec<_> = CATALOGUE
            .iter()
            .zip(&self.rows)
            .filter(|(_, row)| row.exercised > 0 || row.findings > 0)
            .collect();
        rows.sort_by_key(|(_, row)| std::cmp::Reverse((row.findings, row.failed)));

        let bold = owo_colors::Style::new().bold();
        let head = Cells("findings", "violated", "exercised", "rule").to_string();
        let cells = |(rule, row): &(&&Rule, &StatisticsRow)| {
            Cells(row.findings, row.failed, row.exercised, rule.id).to_string()
        };
        let lines: Vec<_> = std::iter::once(head).chain(rows.iter().map(cells)).collect();
        let width = lines.iter().map(String::len).max().unwrap_or_default();
        let mut table = String::new();
        if style.columns.is_some_and(|columns| columns < width) {
            for (rule, row) in rows {
                let StatisticsRow { findings, failed, exercised } = row;
                let facts =
                    format!("findings {findings}, violated {failed}, exercised {exercised}");
                let _ = writeln!(table, "{}", style.paint(rule.id, bold));
                let _ = writeln!(table, "{}", style.wrap("  ", "  ", &facts));
            }
            return table + &self.lines(style);
        }
        for (index, line) in lines.iter().map(String::as_str).enumerate() {
            let line = if index == 0 { style.paint(line, bold) } else { line.to_owned() };
            let _ = writeln!(table, "{line}");
        }
        table + &self.lines(style)
    }

    fn lines(&self, style: TextStyle) -> String {
        let lines = self.requirements.iter().map(|line| format!("\n{}", style.wrap("", "", line)));
        lines.collect::<String>() + if self.requirements.is_empty() { "" } else { "\n" }
    }
}

struct Cells<N>(N, N, N, &'static str);

impl<N: fmt::Display> fmt::Display for Cells<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(findings, failed, exercised, rule) = self;
        write!(f, "{findings:>8}  {failed:>8}  {exercised:>9}  {rule}")
    }
}

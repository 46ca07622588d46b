//! The catalogue as a table: for terminals, for Markdown, for programs.

use std::fmt::Write as _;

use serde::Serialize;

use super::{TextStyle, text::wrapped};
use crate::{
    protocol::{Surface, Surfaces, Version},
    rule::{By, Editions, Gates, Rule},
    rules::CATALOGUE,
};

/// A table of rules for terminals, one rule a line. Where the terminal is too narrow for it, the
/// rules as a [`list`].
pub fn table(rules: &[&Rule], style: TextStyle) -> String {
    let rows: Vec<[String; 5]> = rules
        .iter()
        .map(|rule| {
            [
                rule.id.to_owned(),
                by_version(rule, rule.severity, |severity| severity.name().to_owned()),
                rule.binds.name().to_owned(),
                surfaces(rule.surfaces),
                match variants(rule).collect::<Vec<_>>().join("; ") {
                    variants if variants.is_empty() => rule.summary.to_owned(),
                    variants => format!("{} ({variants})", rule.summary),
                },
            ]
        })
        .collect();
    let head = ["rule", "severity", "bound", "surfaces", "summary"].map(str::to_owned);
    let mut widths = head.each_ref().map(String::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.len());
        }
    }

    let width = widths.iter().map(|width| width + 2).sum::<usize>() - 2;
    if style.columns.is_some_and(|columns| columns < width) {
        return list(rules, style);
    }

    let line = |cells: &[String; 5]| {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        line.trim_end().to_owned()
    };
    let mut table = style.paint(&line(&head), owo_colors::Style::new().bold());
    table.push('\n');
    for row in &rows {
        table.push_str(&line(row));
        table.push('\n');
    }
    table
}

/// The rules one below the other, for narrow terminals: each with its summary and severity.
pub fn list(rules: &[&Rule], style: TextStyle) -> String {
    const INDENT: &str = "    ";
    let mut list = String::new();
    for rule in rules {
        let _ = writeln!(list, "{}", style.paint(rule.id, owo_colors::Style::new().bold()));
        let facts = format!("{} ({})", rule.summary, severity(rule));
        let _ = writeln!(list, "{}", wrapped(INDENT, INDENT, &facts, style.page()));
    }
    list
}

/// The catalogue as a Markdown table, for `src/rules/README.md`.
pub fn markdown() -> String {
    let mut table = String::from(
        "| Rule | Severity | Bound | Surfaces | What it reports |\n| --- | --- | --- | --- | --- |\n",
    );
    for rule in CATALOGUE {
        let id = match rule.cites.iter().find_map(|citation| citation.source.url()) {
            Some(url) => format!("[`{}`]({url})", rule.id),
            None => format!("`{}`", rule.id),
        };
        let _ = writeln!(
            table,
            "| {id} | {} | {} | {} | {} |",
            severity(rule),
            rule.binds.name(),
            surfaces(rule.surfaces),
            rule.summary.replace('|', "\\|"),
        );
    }
    table
}

/// The rules as a JSON array for programs, in the given order (`acpcheck rules --format json`).
pub fn json(rules: &[&'static Rule]) -> String {
    #[derive(Serialize)]
    struct Row {
        id: &'static str,
        family: &'static str,
        summary: &'static str,
        versions: Vec<RuleSeverity>,
        variants: Vec<Variant>,
        bound: &'static str,
        surfaces: Vec<&'static str>,
        citations: Vec<Cite>,
        tck: &'static [&'static str],
        explanation: &'static str,
    }

    #[derive(Serialize)]
    struct RuleSeverity {
        version: u8,
        level: &'static str,
        severity: &'static str,
        editions: [&'static str; 2],
    }

    #[derive(Serialize)]
    struct Variant {
        severity: &'static str,
        when: &'static str,
    }

    #[derive(Serialize)]
    struct Cite {
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<u8>,
        source: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        requires: &'static str,
    }

    let rows: Vec<_> = rules
        .iter()
        .map(|rule| Row {
            id: rule.id,
            family: rule.family(),
            summary: rule.summary,
            versions: versions(rule)
                .map(|version| {
                    let editions = rule.editions.of(version);
                    RuleSeverity {
                        version: number(version),
                        level: rule.level.of(version).name(),
                        severity: rule.severity.of(version).name(),
                        editions: [editions.from.name(), editions.to.name()],
                    }
                })
                .collect(),
            variants: rule
                .variants
                .iter()
                .map(|(severity, when)| Variant { severity: severity.name(), when })
                .collect(),
            bound: rule.binds.name(),
            surfaces: rule.surfaces.iter().map(Surface::name).collect(),
            citations: rule
                .cites
                .iter()
                .map(|citation| Cite {
                    version: citation.version.map(number),
                    source: citation.source.to_string(),
                    url: citation.source.url(),
                    requires: citation.requires,
                })
                .collect(),
            tck: rule.tck,
            explanation: rule.explanation.trim(),
        })
        .collect();
    // Text and numbers always serialize.
    let mut json = serde_json::to_string_pretty(&rows).unwrap_or_default();
    json.push('\n');
    json
}

/// The protocol versions on which the rule applies, with or without drafts.
pub fn versions(rule: &Rule) -> impl Iterator<Item = Version> {
    [Version::V1, Version::V2].into_iter().filter(|version| rule.surfaces.applies_to(*version))
}

/// The value of a rule in words: once if it is equal on all versions that the rule applies to, else
/// for each version. `name` makes the words.
pub fn by_version<T: Copy>(rule: &Rule, values: By<T>, name: impl Fn(T) -> String) -> String {
    let names: Vec<_> = versions(rule).map(|version| (version, name(values.of(version)))).collect();
    match names.as_slice() {
        [(_, v1), (_, v2)] if v1 != v2 => format!("{v1} (v1), {v2} (v2)"),
        [(_, name), ..] => name.clone(),
        [] => String::new(),
    }
}

/// The severity of a rule's findings in words, with the cases in which it differs.
pub fn severity(rule: &Rule) -> String {
    let mut text = by_version(rule, rule.severity, |severity| severity.name().to_owned());
    for variant in variants(rule) {
        let _ = write!(text, "; {variant}");
    }
    text
}

/// The other severities that some findings of a rule have, each with the condition, such as `error
/// where the plan is lost`.
pub(super) fn variants(rule: &Rule) -> impl Iterator<Item = String> {
    rule.variants.iter().map(|(severity, when)| format!("{severity} {when}"))
}

/// The surfaces of a rule in few words, such as `v1, v2`; `all` for all of them.
pub fn surfaces(surfaces: Surfaces) -> String {
    if surfaces == Surfaces::ALL {
        return "all".to_owned();
    }
    let version = |stable, unstable| match (surfaces.contains(stable), surfaces.contains(unstable))
    {
        (true, _) => Some(stable.name()),
        (false, true) => Some(unstable.name()),
        (false, false) => None,
    };
    let v1 = version(Surface::V1, Surface::V1Unstable);
    let v2 = version(Surface::V2, Surface::V2Unstable);
    v1.into_iter().chain(v2).collect::<Vec<_>>().join(", ")
}

/// What must be recorded or known before a rule may report, in words; `None` when nothing must.
pub fn gates(gates: Gates) -> Option<String> {
    let words = [
        (Gates::HEAD, "the beginning of the connection is recorded"),
        (Gates::INITIALIZED, "the `initialize` exchange is recorded"),
        (
            Gates::ORIGIN,
            "`session/new` created the session here, and it was not loaded, resumed or forked since",
        ),
        (Gates::DIRECTION, "the sender is known"),
        (Gates::TAIL, "the end of the connection is recorded"),
    ];
    let words: Vec<_> = words
        .into_iter()
        .filter(|(gate, _)| gates.contains(*gate))
        .map(|(_, words)| words)
        .collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// The range of editions in which a rule applies, in words; `None` for all editions.
pub fn editions(editions: Editions) -> Option<String> {
    let Editions { from, to } = editions;
    match (from == Editions::ALL.from, to == Editions::ALL.to) {
        (true, true) => None,
        (false, true) => Some(format!("since {from}")),
        (true, false) => Some(format!("until {to}")),
        (false, false) if from == to => Some(from.to_string()),
        (false, false) => Some(format!("{from} to {to}")),
    }
}

fn number(version: Version) -> u8 {
    match version {
        Version::V1 => 1,
        Version::V2 => 2,
    }
}

//! `acpcheck requirements`: lists what the protocol demands, and by which rules each is checked.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use owo_colors::Style;
use serde::Serialize;

use super::{arguments::choice, console::Console, exit_status::ExitStatus};
use crate::{
    protocol::{Side, Version},
    report::{TextStyle, wrapped},
    requirements::{self, Keyword, Reach, Requirement, Sentence},
    rule::Rule,
    rules::CATALOGUE,
};

/// List the requirements of the protocol.
///
/// The columns are the requirement, how strongly the protocol states it, the side that is bound, the
/// versions that have it, the requirement in words, and the number of rules that check it, or why none
/// does. `acpcheck explain REQUIREMENT` says where the protocol states one, and names its rules.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// List only those with this text in the name, in what they need, or in the name of a page or
    /// definition, such as `session` or `NewSessionRequest`
    #[arg(value_name = "FILTER")]
    filter: Option<String>,

    /// List only requirements of this version of the protocol
    #[arg(long, value_name = "VERSION", value_parser = choice([
        ("1", Version::V1, ""),
        ("2", Version::V2, ""),
    ]))]
    protocol: Option<Version>,

    /// List only requirements of this level
    #[arg(long, value_name = "LEVEL", value_parser = choice([
        ("must", LevelFilter::Must, "MUST and MUST NOT"),
        ("should", LevelFilter::Should, "SHOULD and SHOULD NOT"),
        ("plain", LevelFilter::Plain, "Duties without such a word"),
    ]))]
    level: Option<LevelFilter>,

    /// List only requirements that may bind this side
    #[arg(long, value_name = "SIDE", value_parser = choice([
        ("client", Side::Client, ""),
        ("agent", Side::Agent, ""),
    ]))]
    side: Option<Side>,

    /// List only requirements that a transcript can show and no rule checks
    #[arg(long)]
    uncovered: bool,

    /// List only requirements that no transcript shows
    #[arg(long, conflicts_with = "uncovered")]
    unseen: bool,

    /// List also what only the drafts of the protocol demand
    #[arg(long)]
    drafts: bool,

    /// The format of the list
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = choice([
        ("table", RequirementsFormat::Table, "For people: a line for each requirement"),
        ("json", RequirementsFormat::Json, "For programs: everything about each requirement"),
    ]))]
    format: RequirementsFormat,
}

#[derive(Clone, Copy, Debug)]
enum RequirementsFormat {
    Table,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LevelFilter {
    Must,
    Should,
    Plain,
}

impl LevelFilter {
    fn of(keyword: Keyword) -> Self {
        match keyword {
            Keyword::Must | Keyword::MustNot => Self::Must,
            Keyword::Should | Keyword::ShouldNot => Self::Should,
            Keyword::May | Keyword::Plain => Self::Plain,
        }
    }
}

/// A requirement in the list of `acpcheck requirements`: how the versions state it, and which rules
/// check it.
struct Row {
    requirement: Requirement,
    /// The listed versions that state the requirement, each with the keyword, such as MUST.
    levels: Vec<(Version, Keyword)>,
    /// The rules that check the requirement in at least one of the versions in `levels`.
    rules: Vec<&'static Rule>,
    /// Why no rule checks the requirement in some of the versions in `levels`; `None` when rules
    /// check it in all of them.
    reason: Option<&'static str>,
}

impl Row {
    /// The row of a requirement; `None` when no listed version states it. `protocol` is the listed
    /// version (`None` for all), `drafts` includes the protocol's drafts.
    fn of(requirement: Requirement, protocol: Option<Version>, drafts: bool) -> Option<Self> {
        let versions = [Version::V1, Version::V2];
        let levels: Vec<_> = versions
            .into_iter()
            .filter(|version| protocol.is_none_or(|it| it == *version))
            .filter_map(|version| Some((version, requirement.level(version, drafts)?)))
            .collect();
        if levels.is_empty() {
            return None;
        }
        let reason = levels.iter().find_map(|(version, _)| requirement.unchecked(*version));
        let is_checked = |rule: &Rule| {
            rule.requirements.contains(&requirement.id)
                && levels.iter().any(|(version, _)| rule.surfaces.applies_to(*version))
        };
        let rules = CATALOGUE.iter().copied().filter(|rule| is_checked(rule)).collect();
        Some(Self { requirement, levels, rules, reason })
    }

    /// The strongest keyword, such as MUST, by which one of the versions in `levels` states the
    /// requirement.
    fn level(&self) -> Keyword {
        self.levels.iter().map(|(_, level)| *level).max().unwrap_or(Keyword::Plain)
    }

    /// Whether the requirement is reached so in one of the versions in `levels`.
    fn has(&self, reach: Reach) -> bool {
        self.levels.iter().any(|(version, _)| self.requirement.reach(*version) == reach)
    }

    /// Whether a transcript can show that the requirement is kept or broken.
    fn is_visible(&self) -> bool {
        [Reach::Checked, Reach::Unchecked, Reach::Schema].into_iter().any(|reach| self.has(reach))
    }

    fn versions(&self) -> String {
        let names = self.levels.iter().map(|(version, _)| format!("v{version}"));
        names.collect::<Vec<_>>().join(", ")
    }

    /// The number of rules that check the requirement, or why there is none, in words: by version where
    /// these differ.
    fn coverage(&self) -> String {
        let told = |version| {
            let words = self.requirement.unchecked_in_words(version);
            words.unwrap_or_else(|| match self.rules.len() {
                1 => "1 rule".to_owned(),
                count => format!("{count} rules"),
            })
        };
        let told: Vec<_> =
            self.levels.iter().map(|(version, _)| (version, told(*version))).collect();
        match &told[..] {
            [(_, first), rest @ ..] if rest.iter().all(|(_, words)| words == first) => {
                first.clone()
            }
            _ => {
                let told = told.iter().map(|(version, words)| format!("v{version}: {words}"));
                told.collect::<Vec<_>>().join("; ")
            }
        }
    }

    /// Whether the id, the needs or a place of the requirement contains the FILTER of the user.
    fn matches(&self, filter: &str) -> bool {
        let requirement = &self.requirement;
        requirement.id.contains(filter)
            || requirement.needs.is_some_and(|needs| needs.contains(filter))
            || requirement.sentences().any(|sentence| sentence.place.contains(filter))
    }
}

/// Runs `acpcheck requirements`: prints the requirements that the options select.
pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let rows: Vec<_> = requirements::all()
        .filter_map(|it| Row::of(it, arguments.protocol, arguments.drafts))
        .filter(|row| arguments.filter.as_ref().is_none_or(|filter| row.matches(filter)))
        .filter(|row| arguments.level.is_none_or(|level| LevelFilter::of(row.level()) == level))
        .filter(|row| arguments.side.is_none_or(|side| may_bind(row.requirement.binds, side)))
        .filter(|row| !arguments.uncovered || row.has(Reach::Unchecked))
        .filter(|row| !arguments.unseen || !row.is_visible())
        .collect();
    let list = match arguments.format {
        RequirementsFormat::Table => table(&rows, console.out),
        RequirementsFormat::Json => json(&rows),
    };
    io::stdout().lock().write_all(list.as_bytes())?;
    Ok(ExitStatus::Clean)
}

fn may_bind(binds: &str, side: Side) -> bool {
    match binds {
        "client" => side == Side::Client,
        "agent" => side == Side::Agent,
        _ => true,
    }
}

fn table(rows: &[Row], style: TextStyle) -> String {
    let mut text = String::new();
    let cells = |row: &Row| {
        let requirement = &row.requirement;
        [requirement.id, row.level().name(), requirement.binds].map(str::to_owned)
    };
    let mut widths = [0; 3];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(cells(row)) {
            *width = cell.len().max(*width);
        }
    }
    for row in rows {
        let [id, level, binds] = cells(row);
        let [id_width, level_width, binds_width] = widths;
        let head = format!("{level:level_width$}  {binds:binds_width$}  {:6}", row.versions());
        let (words, coverage) = (row.requirement.text, row.coverage());
        let line = format!("{id:id_width$}  {head}  {words}  [{coverage}]");
        if style.columns.is_some_and(|columns| columns < line.chars().count()) {
            let _ = writeln!(text, "{}", style.paint(&id, Style::new().bold()));
            let facts = format!("{words} ({level}, {binds}, {}; {coverage})", row.versions());
            let _ = writeln!(text, "{}", wrapped("    ", "    ", &facts, style.page()));
        } else {
            let _ = writeln!(text, "{line}");
        }
    }
    let visible = rows.iter().filter(|row| row.is_visible()).count();
    let covered = rows.iter().filter(|row| row.is_visible() && !row.has(Reach::Unchecked));
    let (by_rules, by_schema): (Vec<_>, Vec<_>) = covered.partition(|row| row.has(Reach::Checked));
    let total = format!(
        "{} requirements: a transcript can show {visible} of them; rules check {}, and the schema checks \
         {}",
        rows.len(),
        by_rules.len(),
        by_schema.len()
    );
    let _ = writeln!(text, "{}", wrapped("", "", &total, style.page()));
    text
}

/// The requirements as a JSON array for programs, sorted by id.
fn json(rows: &[Row]) -> String {
    #[derive(Serialize)]
    struct JsonRow {
        id: &'static str,
        binds: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        needs: Option<&'static str>,
        text: &'static str,
        levels: Vec<JsonLevel>,
        places: Vec<JsonPlace>,
        rules: Vec<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        no_rule: Option<&'static str>,
        #[serde(skip_serializing_if = "str::is_empty")]
        not_seen: &'static str,
    }
    #[derive(Serialize)]
    struct JsonLevel {
        version: String,
        level: &'static str,
    }
    #[derive(Serialize)]
    struct JsonPlace {
        version: String,
        draft: bool,
        level: &'static str,
        place: &'static str,
    }
    let rows: Vec<_> = rows
        .iter()
        .map(|row| JsonRow {
            id: row.requirement.id,
            binds: row.requirement.binds,
            needs: row.requirement.needs,
            text: row.requirement.text,
            levels: row
                .levels
                .iter()
                .map(|(version, level)| JsonLevel {
                    version: version.to_string(),
                    level: level.name(),
                })
                .collect(),
            places: row
                .requirement
                .sentences()
                .map(|it| JsonPlace {
                    version: it.version.to_string(),
                    draft: it.is_draft,
                    level: it.keyword.name(),
                    place: it.place,
                })
                .collect(),
            rules: row.rules.iter().map(|rule| rule.id).collect(),
            no_rule: row.reason,
            not_seen: row.requirement.part,
        })
        .collect();
    let mut text = serde_json::to_string_pretty(&rows).unwrap_or_default();
    text.push('\n');
    text
}

/// The page of `acpcheck explain` about a requirement.
pub(super) fn page(requirement: Requirement, style: TextStyle) -> String {
    let bold = |text: &str| style.paint(text, Style::new().bold());
    let width = style.page();
    let mut page = String::new();
    let _ = writeln!(page, "{}", bold(requirement.id));
    let _ = writeln!(page, "{}\n", wrapped("", "", requirement.text, width));
    for version in [Version::V1, Version::V2] {
        let Some(level) = requirement.level(version, true) else { continue };
        let is_draft = requirement.level(version, false).is_none();
        let draft = if is_draft { ", in drafts only" } else { "" };
        let unchecked = requirement.unchecked_in_words(version);
        let unchecked = unchecked.map(|words| format!("; {words}")).unwrap_or_default();
        let _ = writeln!(page, "Version {version}    {}{draft}{unchecked}", level.name());
    }
    let _ = writeln!(page, "Bound        {}", requirement.binds);
    if let Some(needs) = requirement.needs {
        let _ = writeln!(page, "Needs        {needs}");
    }
    if !requirement.part.is_empty() {
        let _ = writeln!(page, "Not seen     {}", requirement.part);
    }
    let _ = writeln!(page, "\n{}\n", bold("Where the protocol says so"));
    for sentence in requirement.sentences() {
        let _ = writeln!(page, "    {}", place(&sentence));
    }
    let rules = CATALOGUE.iter().filter(|rule| rule.requirements.contains(&requirement.id));
    let mut rules = rules.peekable();
    if rules.peek().is_some() {
        let _ = writeln!(page, "\n{}\n", bold("Rules that check it"));
    }
    for rule in rules {
        let line = format!("{}: {}", rule.id, rule.summary);
        let _ = writeln!(page, "{}", wrapped("    ", "        ", &line, width));
    }
    page
}

/// A place where the protocol states a requirement: version, keyword and address, for the page
/// about it.
fn place(sentence: &Sentence) -> String {
    let address = sentence.url().unwrap_or_else(|| format!("definition `{}`", sentence.place));
    let draft = if sentence.is_draft { " (draft)" } else { "" };
    format!("v{}{draft}, {}: {address}", sentence.version, sentence.keyword.name())
}

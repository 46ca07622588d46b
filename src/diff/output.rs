//! Writes differences: as text for people, as Markdown for pull requests, and as JSON for programs.

use std::{collections::BTreeMap, fmt::Write as _};

use owo_colors::Style;
use serde::Serialize;

use super::{Area, Comparand, Difference, DifferenceKind, Differences, Evidence, Obstacle};
use crate::{
    protocol::Side,
    report::{Plural, TextStyle, harmless_json, prose},
    source::printable,
};

/// Version of the JSON document of `acpcheck diff`. It is raised with each incompatible change.
const FORMAT_VERSION: u32 = 1;

/// What the counts and places of differences mean.
const COUNTS: &str = "Counts: the recordings that show it, of those that could; OLD → NEW. Places: \
                      the first line that shows it, else the first that could.";

/// Form in which `acpcheck diff` writes differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Json,
    Markdown,
}

/// A heading of the report of `acpcheck diff`, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    Breaking,
    Changed,
    New,
    Findings,
}

impl Section {
    fn of(difference: &Difference) -> Self {
        match difference.kind {
            _ if difference.is_breaking => Self::Breaking,
            _ if difference.area == Area::Findings => Self::Findings,
            DifferenceKind::New => Self::New,
            _ => Self::Changed,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Breaking => "breaking",
            Self::Changed => "changed",
            Self::New => "new",
            Self::Findings => "findings",
        }
    }
}

impl Differences {
    /// Writes the report in a format; it ends with a line break. `is_verbose` adds the places of
    /// all differences and what could not be compared; JSON has both always.
    pub fn written(&self, format: Format, style: TextStyle, is_verbose: bool) -> String {
        match format {
            Format::Text => self.text(style, is_verbose),
            Format::Json => self.json(),
            Format::Markdown => self.markdown(is_verbose),
        }
    }

    fn text(&self, style: TextStyle, is_verbose: bool) -> String {
        let mut text = String::new();
        for comparand in &self.implementations {
            if !text.is_empty() {
                text.push('\n');
            }
            comparand.push_text(&mut text, style, is_verbose);
        }
        for (names, place) in [(&self.only_in_old, "OLD"), (&self.only_in_new, "NEW")] {
            if !names.is_empty() {
                let names = printable(&names.join(", ")).into_owned();
                let line = style.wrap(&format!("Only in {place}: "), "  ", &names);
                let _ = writeln!(text, "{line}");
            }
        }
        text
    }

    fn markdown(&self, is_verbose: bool) -> String {
        let mut text = String::new();
        for comparand in &self.implementations {
            if !text.is_empty() {
                text.push('\n');
            }
            comparand.push_markdown(&mut text, is_verbose);
        }
        for (names, place) in [(&self.only_in_old, "OLD"), (&self.only_in_new, "NEW")] {
            if !names.is_empty() {
                let _ =
                    writeln!(text, "\nOnly in {place}: {}", prose(&printable(&names.join(", "))));
            }
        }
        text
    }

    fn json(&self) -> String {
        let rows = self.implementations.iter().flat_map(|comparand| {
            let row = |difference| DifferenceRow::of(comparand.name(), difference);
            comparand.differences.iter().map(row)
        });
        let missed = |comparand: &Comparand| {
            let agent = comparand.name();
            let rows = comparand.not_compared.iter().map(|(subject, why)| NotComparedRow {
                agent: agent.clone(),
                subject: subject.clone(),
                why: why.reason(),
            });
            rows.collect::<Vec<_>>()
        };
        let document = Document {
            kind: "diff",
            format_version: FORMAT_VERSION,
            tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
            side: self.side.map(Side::name),
            implementations: self.implementations.iter().map(ComparandRow::of).collect(),
            only_in_old: &self.only_in_old,
            only_in_new: &self.only_in_new,
            changes: rows.collect(),
            not_compared: self.implementations.iter().flat_map(missed).collect(),
        };
        // Keys are strings, and no value is a map with other keys.
        let json = serde_json::to_string_pretty(&document).unwrap_or_default();
        harmless_json(json) + "\n"
    }
}

impl Comparand {
    /// Name of the client or agent in NEW, else in OLD; `None` when neither release states one.
    fn name(&self) -> Option<String> {
        self.new_name.clone().or_else(|| self.old_name.clone())
    }

    /// The heading: name and versions in OLD, and in NEW.
    fn title(&self) -> String {
        let named = |name: &Option<String>, versions: &[String]| {
            let name = name.clone().unwrap_or_else(|| format!("{} without a name", self.side));
            let versions = versions.join(", ");
            printable(format!("{name} {versions}").trim_end()).into_owned()
        };
        let old = named(&self.old_name, &self.old_versions);
        let new = named(&self.new_name, &self.new_versions);
        let versions = printable(&self.new_versions.join(", ")).into_owned();
        if old == new {
            format!("{old}, twice")
        } else if self.old_name == self.new_name && !versions.is_empty() {
            format!("{old} → {versions}")
        } else {
            format!("{old} → {new}")
        }
    }

    /// How much was compared: the numbers of recordings, and of scenarios in both.
    fn extent(&self) -> String {
        let (old, new) = (self.old_recordings as u64, self.new_recordings as u64);
        let mut extent = if old == new {
            format!("{} each", Plural(old, "recording"))
        } else {
            format!("{old} and {}", Plural(new, "recording"))
        };
        if let Some(scenarios) = self.scenarios {
            let _ = write!(extent, ", {} in both", Plural(scenarios as u64, "scenario"));
        }
        extent
    }

    fn sections(&self) -> BTreeMap<Section, Vec<&Difference>> {
        let mut sections: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for difference in &self.differences {
            sections.entry(Section::of(difference)).or_default().push(difference);
        }
        sections
    }

    /// Counts the differences of each sort in one line, such as `2 breaking, 1 new`.
    fn summary(&self, is_verbose: bool) -> String {
        let count = |is_meant: &dyn Fn(&Difference) -> bool| {
            self.differences.iter().filter(|it| is_meant(it)).count()
        };
        let breaking = count(&|it| it.is_breaking);
        let fixed = count(&|it| it.kind == DifferenceKind::Fixed);
        let new = count(&|it| !it.is_breaking && it.kind == DifferenceKind::New);
        let changed = self.differences.len() - breaking - fixed - new;
        let counts = [(breaking, "breaking"), (changed, "changed"), (new, "new"), (fixed, "fixed")];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<_> = counts.map(|(count, word)| format!("{count} {word}")).collect();
        let mut summary =
            if counts.is_empty() { "No change".to_owned() } else { counts.join(", ") };
        summary.push('.');
        if !self.not_compared.is_empty() {
            let facts = Plural(self.not_compared.len() as u64, "fact");
            let hint = if is_verbose { "" } else { " (--verbose)" };
            let _ = write!(summary, " Not compared: {facts}{hint}.");
        }
        summary
    }

    fn push_text(&self, text: &mut String, style: TextStyle, is_verbose: bool) {
        let bold = Style::new().bold();
        let title = self.title();
        let line = style.wrap("", "  ", &format!("{title}: {}", self.extent()));
        match line.strip_prefix(&title) {
            Some(rest) => _ = writeln!(text, "{}{rest}", style.paint(&title, bold)),
            None => _ = writeln!(text, "{line}"),
        }
        for note in &self.notes {
            let _ = writeln!(text, "{}", style.wrap("note: ", "  ", note));
        }
        if !self.differences.is_empty() {
            let _ = writeln!(text, "{}", style.wrap("", "  ", COUNTS));
        }
        let width = self.differences.iter().map(|it| it.title.len()).max().unwrap_or_default();
        for (section, differences) in self.sections() {
            let color = if section == Section::Breaking { bold.red() } else { bold };
            let _ = writeln!(text, "{}", style.paint(section.name(), color));
            for difference in differences {
                let title = format!("  {:width$}  ", difference.title);
                let with_places = is_verbose || section != Section::New;
                let what = printable(&difference.text);
                let what = format!("{what}{}", difference.evidence(with_places));
                let rest = " ".repeat(width + 6);
                let _ = writeln!(text, "{}", style.wrap(&title, &rest, &what));
            }
        }
        if is_verbose && !self.not_compared.is_empty() {
            let _ = writeln!(text, "{}", style.paint("not compared", bold));
            for (subject, why) in &self.not_compared {
                let line = format!("{}: {}", printable(subject), why.reason());
                let _ = writeln!(text, "{}", style.wrap("  ", "    ", &line));
            }
        }
        let _ = writeln!(text, "{}", style.wrap("", "  ", &self.summary(is_verbose)));
    }

    fn push_markdown(&self, text: &mut String, is_verbose: bool) {
        let _ = writeln!(text, "### {}\n\n{}.", prose(&self.title()), self.extent());
        for note in &self.notes {
            let _ = writeln!(text, "\nNote: {}.", prose(note));
        }
        if !self.differences.is_empty() {
            let _ = writeln!(text, "\n{COUNTS}");
        }
        for (section, differences) in self.sections() {
            let _ =
                writeln!(text, "\n| {} | | OLD | NEW |\n| --- | --- | --- | --- |", section.name());
            for difference in differences {
                let [old, new] = [&difference.old, &difference.new].map(|evidence| {
                    let place = evidence.shown_place().unwrap_or_default();
                    let space = if place.is_empty() { "" } else { " " };
                    format!("{}/{}{space}{}", evidence.seen, evidence.of, prose(&place))
                });
                let what = prose(&printable(&difference.text));
                let _ = writeln!(text, "| {} | {what} | {old} | {new} |", difference.title);
            }
        }
        if is_verbose && !self.not_compared.is_empty() {
            let _ = writeln!(text, "\n| not compared | |\n| --- | --- |");
            for (subject, why) in &self.not_compared {
                let _ = writeln!(text, "| {} | {} |", prose(&printable(subject)), why.reason());
            }
        }
        let _ = writeln!(text, "\n{}", self.summary(is_verbose));
    }
}

impl Difference {
    /// The counts of recordings that show a fact in OLD and in NEW, such as `: 3/3 → 0/3`.
    /// `with_places` adds the first place in each.
    fn evidence(&self, with_places: bool) -> String {
        let Evidence { seen, of, .. } = self.old;
        let mut text = format!(": {seen}/{of} → {}/{}", self.new.seen, self.new.of);
        if with_places {
            let places = [&self.old, &self.new].into_iter().filter_map(Evidence::shown_place);
            let places: Vec<_> = places.collect();
            if !places.is_empty() {
                let _ = write!(text, "  ({})", places.join(", "));
            }
        }
        text
    }
}

impl Evidence {
    fn shown_place(&self) -> Option<String> {
        let (path, line) = self.place.as_ref()?;
        let path = printable(path);
        Some(if *line == 0 { path.into_owned() } else { format!("{path}:{line}") })
    }
}

impl Obstacle {
    /// Why a fact could not be compared, as words that follow the name of the fact.
    fn reason(self) -> &'static str {
        match self {
            Self::NoOccasionInOld => "could not occur in OLD",
            Self::NoOccasionInNew => "could not occur in NEW",
            Self::TooFew => "differs, but in too few recordings",
        }
    }
}

#[derive(Serialize)]
struct Document<'d> {
    #[serde(rename = "document")]
    kind: &'static str,
    format_version: u32,
    tool: Tool,
    side: Option<&'static str>,
    implementations: Vec<ComparandRow<'d>>,
    only_in_old: &'d [String],
    only_in_new: &'d [String],
    changes: Vec<DifferenceRow<'d>>,
    not_compared: Vec<NotComparedRow>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct ComparandRow<'d> {
    name: Option<String>,
    old: ReleaseRow<'d>,
    new: ReleaseRow<'d>,
    scenarios: Option<usize>,
    notes: &'d [String],
}

#[derive(Serialize)]
struct ReleaseRow<'d> {
    name: Option<&'d str>,
    versions: &'d [String],
    recordings: usize,
}

impl<'d> ComparandRow<'d> {
    fn of(comparand: &'d Comparand) -> Self {
        Self {
            name: comparand.name(),
            old: ReleaseRow {
                name: comparand.old_name.as_deref(),
                versions: &comparand.old_versions,
                recordings: comparand.old_recordings,
            },
            new: ReleaseRow {
                name: comparand.new_name.as_deref(),
                versions: &comparand.new_versions,
                recordings: comparand.new_recordings,
            },
            scenarios: comparand.scenarios,
            notes: &comparand.notes,
        }
    }
}

#[derive(Serialize)]
struct DifferenceRow<'d> {
    agent: Option<String>,
    area: Area,
    kind: DifferenceKind,
    subject: &'d str,
    breaking: bool,
    text: &'d str,
    old: EvidenceRow<'d>,
    new: EvidenceRow<'d>,
}

#[derive(Serialize)]
struct EvidenceRow<'d> {
    seen: usize,
    of: usize,
    place: Option<PlaceRow<'d>>,
}

#[derive(Serialize)]
struct PlaceRow<'d> {
    path: &'d str,
    line: u32,
}

impl<'d> EvidenceRow<'d> {
    fn of(evidence: &'d Evidence) -> Self {
        let place = evidence.place.as_ref().map(|(path, line)| PlaceRow { path, line: *line });
        Self { seen: evidence.seen, of: evidence.of, place }
    }
}

impl<'d> DifferenceRow<'d> {
    fn of(agent: Option<String>, difference: &'d Difference) -> Self {
        Self {
            agent,
            area: difference.area,
            kind: difference.kind,
            subject: &difference.subject,
            breaking: difference.is_breaking,
            text: &difference.text,
            old: EvidenceRow::of(&difference.old),
            new: EvidenceRow::of(&difference.new),
        }
    }
}

#[derive(Serialize)]
struct NotComparedRow {
    agent: Option<String>,
    subject: String,
    why: &'static str,
}

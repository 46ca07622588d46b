//! `--format markdown`: tables of findings for a job summary or a comment, errors first.
//!
//! GitHub does not show a job summary of more than 1 MiB, so the tables are cut below that, and a
//! sentence gives the number of findings that are missing.
//!
//! Values of the transcript stand in code spans, where Markdown has no syntax. Outside of code spans
//! there are only plain words.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, Write},
};

use super::{
    Counts, File, OutputFormat, Plural, Report, Summary, Syntax, like_it_behind, rank,
    recording_notes::{NotedFiles, RecordingNotes},
};
use crate::{
    diagnostic::Diagnostic,
    protocol::Side,
    rule::Rule,
    rules::CATALOGUE,
    source::{Locator, printable},
};

pub(super) static FORMAT: OutputFormat = OutputFormat::new(
    "markdown",
    "For a job summary or a comment; shorter than 1 MiB",
    Syntax::Plain,
    |_| Box::new(MarkdownReport::default()),
);

/// Most bytes of the report: a little less than the 1 MiB of a GitHub job summary, so that other
/// text fits.
const ROOM: usize = 1_000_000;

/// Most characters of a message or path; the rest is cut off.
const LENGTH: usize = 600;

/// How many unreadable inputs, and how many notes on recordings, are listed; further ones are
/// counted.
const LISTED: usize = 50;

/// A row for a table of findings in Markdown, with its line break. Fails when the transcript cannot
/// be read again for the line.
fn row(path: &str, diagnostic: &Diagnostic, locator: &mut Locator<'_>) -> io::Result<String> {
    let place = match diagnostic.finding.labels.first() {
        Some(label) => format!("{}:{}", label.span.line, locator.column(label.span)?),
        None => "1:1".to_owned(),
    };
    let place = code(&format!("{}:{place}", short(path)));
    let rule = link(diagnostic.rule.id, diagnostic.url());
    let (message, more) = (prose(&short(&diagnostic.finding.message)), like_it_behind(diagnostic));
    let help = diagnostic.finding.help.as_deref();
    let help = help.map(|help| format!("; {}", prose(&short(help)))).unwrap_or_default();
    let side = diagnostic.bound.map_or("", Side::name);
    Ok(format!("| {place} | {rule} | {side} | {message}{more}{help} |\n"))
}

#[derive(Debug, Default)]
struct MarkdownReport {
    /// The tables of findings: index 0 for errors, 1 for warnings, 2 for infos. Each is about
    /// [`ROOM`] bytes long at most.
    tables: [FindingsTable; 3],
    counts: BTreeMap<usize, Counts>,
    notes: RecordingNotes,
}

#[derive(Debug, Default)]
struct FindingsTable {
    rows: String,
    /// The offset of the end of each row in `rows`, in bytes, so that the table can be cut between
    /// rows.
    ends: Vec<usize>,
}

impl Report for MarkdownReport {
    fn file(
        &mut self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
        _: &mut dyn Write,
    ) -> io::Result<()> {
        for (rule, counts) in file.rule_counts.by_rule() {
            *self.counts.entry(rule).or_default() += counts;
        }
        for diagnostic in diagnostics {
            let table = &mut self.tables[rank(diagnostic.severity)];
            if table.rows.len() <= ROOM {
                table.rows.push_str(&row(file.path, diagnostic, locator)?);
                table.ends.push(table.rows.len());
            }
        }
        self.notes.add(file.path, &file.outcome.notes);
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let mut head = format!("## acpcheck\n\n{summary}\n");
        for line in summary.requirement_lines() {
            let _ = writeln!(head, "\n{line}");
        }
        if !summary.unread.is_empty() {
            head.push_str("\n### Not read, or not to the end\n\n");
            for unread in summary.unread.iter().take(LISTED) {
                head.push_str(&item(&unread.path, &unread.reason));
            }
            push_unlisted(&mut head, summary.unread.len().saturating_sub(LISTED) as u64);
        }
        if !self.counts.is_empty() {
            head.push_str("\n| Rule | What it reports | Errors | Warnings | Infos |\n");
            head.push_str("| --- | --- | ---: | ---: | ---: |\n");
            let mut counts: Vec<_> = self.counts.iter().collect();
            counts.sort_by_key(|(_, counts)| {
                std::cmp::Reverse((counts.errors, counts.warnings, counts.infos))
            });
            for (index, counts) in counts {
                push_rule(&mut head, CATALOGUE[*index], *counts);
            }
        }
        if !self.notes.is_empty() {
            head.push_str("\n### About the recordings\n\n");
            for (note, files) in self.notes.iter().take(LISTED) {
                head.push_str(&noted(files, note));
            }
            push_unlisted(&mut head, self.notes.len().saturating_sub(LISTED) as u64);
        }
        out.write_all(head.as_bytes())?;

        let Counts { errors, warnings, infos } = summary.counts;
        let mut room = ROOM.saturating_sub(head.len());
        let mut left_out = Counts::default();
        let tables = [
            ("Errors", errors, &mut left_out.errors),
            ("Warnings", warnings, &mut left_out.warnings),
            ("Infos", infos, &mut left_out.infos),
        ];
        for ((title, total, left_out), table) in tables.into_iter().zip(&self.tables) {
            let count = table.ends.partition_point(|end| *end <= room);
            *left_out = total - count as u64;
            let Some(end) = count.checked_sub(1).map(|last| table.ends[last]) else { continue };
            room -= end;
            let rows = &table.rows[..end];
            write!(
                out,
                "\n### {title}\n\n| Place | Rule | By | What |\n| --- | --- | --- | --- |\n{rows}"
            )?;
        }
        if left_out != Counts::default() {
            let Counts { errors, warnings, infos } = left_out;
            let more = [(errors, "error"), (warnings, "warning"), (infos, "info")];
            let more: Vec<_> = more
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, noun)| Plural(count, noun).to_string())
                .collect();
            let more = more.join(", ");
            writeln!(out, "\n**Cut:** there is no room for {more}; `--report json` has all.")?;
        }
        Ok(())
    }
}

fn push_rule(head: &mut String, rule: &Rule, counts: Counts) {
    let url = rule.cites.iter().find_map(|citation| citation.source.url());
    let (rule, summary) = (link(rule.id, url), prose(rule.summary));
    let Counts { errors, warnings, infos } = counts;
    let [errors, warnings, infos] = [errors, warnings, infos]
        .map(|count| if count > 0 { count.to_string() } else { String::new() });
    // Writing to a string cannot fail.
    let _ = writeln!(head, "| {rule} | {summary} | {errors} | {warnings} | {infos} |");
}

fn push_unlisted(text: &mut String, count: u64) {
    if count > 0 {
        let _ = writeln!(text, "- and {count} more");
    }
}

/// A list item in Markdown: the recordings that a note is about, and the note.
pub(super) fn noted(files: &NotedFiles, note: &str) -> String {
    let named: Vec<_> = files.named.iter().map(|path| code(&short(path))).collect();
    let more = if files.more > 0 { format!(" and {} more", files.more) } else { String::new() };
    format!("- {}{more}: {}\n", named.join(", "), prose(&short(note)))
}

/// A list item in Markdown: a path, and a remark on that file.
fn item(path: &str, remark: &str) -> String {
    format!("- {}: {}\n", code(&short(path)), prose(&short(remark)))
}

/// A rule's id as code, linked to the web page that states the requirement, if there is one.
fn link(id: &str, url: Option<String>) -> String {
    match url {
        Some(url) => format!("[`{id}`]({url})"),
        None => format!("`{id}`"),
    }
}

/// The text, cut after [`LENGTH`] characters, so that one message does not fill the report.
fn short(text: &str) -> String {
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The text in a Markdown code span that shows it unchanged, in a table cell or elsewhere.
pub(crate) fn code(text: &str) -> String {
    let text = printable(text).replace('|', "\\|");
    let runs = text.split(|character| character != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default() + 1);
    // One blank on each side is taken away, and none where there is nothing else.
    let is_blank = text.chars().all(|character| character == ' ');
    let needs_pad = text.starts_with([' ', '`']) || text.ends_with([' ', '`']);
    match (is_blank, needs_pad) {
        (true, _) => format!("{fence}{text}\u{2423}{fence}"),
        (false, true) => format!("{fence} {text} {fence}"),
        (false, false) => format!("{fence}{text}{fence}"),
    }
}

/// A message as Markdown in which texts of transcripts have no effect: values in backquotes become
/// code spans, and so do words outside of them unless they are [plain](is_plain).
pub(crate) fn prose(text: &str) -> String {
    let text = printable(text);
    // One at the very end begins nothing.
    let text =
        text.strip_suffix('`').filter(|rest| rest.matches('`').count() % 2 == 0).unwrap_or(&text);
    let mut out = String::with_capacity(text.len());
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 1 {
            push_apart(&mut out, &code(part));
            continue;
        }
        for (index, word) in part.split(' ').enumerate() {
            if index > 0 {
                out.push(' ');
            }
            if is_plain(word) {
                if out.ends_with('`') && word.starts_with(char::is_alphanumeric) {
                    out.push(' ');
                }
                out.push_str(word);
            } else {
                let inner = word.trim_end_matches([',', ';', '.']);
                push_apart(&mut out, &code(inner));
                out.push_str(&word[inner.len()..]);
            }
        }
    }
    out
}

/// Adds a code span to `out`, with a space between two adjacent ones.
fn push_apart(out: &mut String, code: &str) {
    if out.ends_with('`') {
        out.push(' ');
    }
    out.push_str(code);
}

/// Whether a word is free of Markdown syntax, addresses, mentions, and names of issues and commits,
/// so that it may stand outside of a code span.
fn is_plain(word: &str) -> bool {
    let inner = word.trim_end_matches(':');
    let is_harmless = |character: char| {
        character.is_alphanumeric()
            || matches!(
                character,
                ',' | '.'
                    | ';'
                    | '?'
                    | '!'
                    | '\''
                    | '"'
                    | '('
                    | ')'
                    | '/'
                    | '-'
                    | '–'
                    | '…'
                    | '%'
                    | '='
                    | '→'
                    | '§'
            )
    };
    inner.chars().all(is_harmless)
        && !inner.to_ascii_lowercase().starts_with("www.")
        && !inner.to_ascii_lowercase().contains("(www.")
        && !inner.to_ascii_lowercase().contains("gh-")
        && !has_hash(inner)
}

/// Whether a text contains what GitHub may take for the hash of a commit, in full or abbreviated.
fn has_hash(text: &str) -> bool {
    /// Least number of digits of a word that GitHub takes for the hash of a commit.
    const SHORTEST: usize = 7;
    let mut runs = text.split(|character: char| !character.is_ascii_hexdigit());
    runs.any(|run| run.len() >= SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_code_spans() {
        assert_eq!(prose("plan `x` is removed twice"), "plan `x` is removed twice");
        assert_eq!(prose("the agent's list: see"), "the agent's list: see");
        assert_eq!(prose("`a|b` and `` or"), "`a\\|b` and `␣` or");
    }

    #[test]
    fn nothing_else_has_a_meaning() {
        assert_eq!(
            prose("see https://evil.example or www.evil.example"),
            "see `https://evil.example` or `www.evil.example`"
        );
        assert_eq!(prose("GH-1 or (1a2b3c4)"), "`GH-1` or `(1a2b3c4)`");
        assert_eq!(prose("`a`<b>`"), "`a` `<b>`");
        assert_eq!(prose("end_turn, a_b; c_d."), "`end_turn`, `a_b`; `c_d`.");
        assert_eq!(prose("@all [x](y) *b* _c_ #1 $d$"), "`@all` `[x](y)` `*b*` `_c_` `#1` `$d$`");
    }

    #[test]
    fn fences_are_longer_than_what_they_hold() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a``b"), "```a``b```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code(" a"), "`  a `");
        assert_eq!(code(""), "`␣`");
    }
}

//! The report for job summaries and code review: the same page in short, in the Markdown of GitHub
//! and GitLab.
//!
//! Whatever comes from a transcript is code, or a word that means nothing but itself.

use std::{fmt::Write as _, ops::RangeBounds};

use super::{
    super::text::{capitalized, grouped, grouped_plural},
    Compliance, PlanColumnEvent,
    audit_view::{AuditView, DrawnRow},
    coverage::Coverage,
    findings::RuleFindings,
    matrix::MatrixTable,
    plan_view::DrawnPlan,
    requirement_tables::{RequirementTable, RequirementTables, Topic},
    subject_label::SubjectLabel,
    verdict::Status,
    view::{Page, SubjectRow},
};
use crate::{
    report::markdown::{code, noted, prose},
    rule::{Rule, Severity},
    source::printable,
};

/// Most rules that the Markdown report shows with their findings; the others are only counted.
/// Platforms cut long summaries off, or show none at all.
const GROUPS: usize = 40;
/// Most findings of one rule that the Markdown report shows; the others are only counted.
const CASES: usize = 3;
/// Most kinds of accepted findings that the Markdown report lists; the others are only counted.
const ACCEPTED: usize = 100;
/// Most clients and agents that have a column in tables of the Markdown report; the others are only
/// counted.
const COLUMNS: usize = 12;
/// Most scenarios that the Markdown report lists; the others are only counted.
const SCENARIOS: usize = 200;
/// Most transcripts that the Markdown report lists; the others are only counted.
const FILES: usize = 200;
/// Most actions of the audit log (equal ones count once), and most grants, that the Markdown report
/// lists; the others are only counted.
const ACTIONS: usize = 40;
/// Most plans that the Markdown report draws; the others are only counted. Of each plan, it draws
/// at most `STEPS` columns.
const PLANS: usize = 8;
const STEPS: usize = 24;

pub(super) fn write(compliance: &Compliance) -> String {
    let page = Page::of(compliance);
    let mut out = String::new();
    write_verdicts(&mut out, &page);
    write_scenarios(&mut out, &page);
    write_findings(&mut out, &page);
    write_accepted(&mut out, &page);
    write_audit(&mut out, &page.audit);
    write_requirements(&mut out, &page.requirements);
    write_rules(&mut out, &page);
    write_plans(&mut out, &page);
    write_coverage(&mut out, &page);
    write_judged(&mut out, &page);
    out
}

fn write_verdicts(out: &mut String, page: &Page<'_>) {
    line(out, &format!("# {}\n", prose(&page.title)));
    for sentence in &page.lead {
        line(out, &format!("**{}**  ", prose(sentence)));
    }
    for (label, requirements) in &page.requirement_lines {
        line(out, &format!("\n{}: {requirements}", capitalized(&titled(label))));
    }
    write_overview(out, &page.requirements);
    let totals: Vec<_> =
        page.totals.iter().map(|(number, noun)| format!("{number} {noun}")).collect();
    let repeats = if page.has_findings { ", with each repeat" } else { "" };
    line(out, &format!("\n{}{repeats}.\n", totals.join(", ")));
    if !page.subjects.is_empty() {
        let mut head = vec!["Implementation".to_owned(), "Verdict".to_owned()];
        head.extend(SubjectRow::STATUSES.map(|status| status.title().to_owned()));
        let rows = page.subjects.iter().map(|row| {
            let numbers = row.numbers.iter().map(|(_, count)| count.to_string());
            [titled(&row.label), verdict(row)].into_iter().chain(numbers).collect()
        });
        table(out, &head, rows, 2..);
    }
    line(
        out,
        "\nThe numbers are numbers of rules; a rule checks one or more requirements of the protocol, or a \
         form of its messages. **Violated**: there are errors, so the protocol is \
         broken. **Warnings** and **infos**: there are findings, but no errors; they do not change \
         the verdict. **Upheld**: the rule was exercised and kept. **Exercised**: the condition of \
         the rule was met at least once. **Not assessable**: the recording lacks what is needed to \
         decide. **Not exercised**: the condition was never met, so the report says nothing about \
         the rule.",
    );
}

fn verdict(row: &SubjectRow) -> String {
    match row.verdict {
        Some(verdict) if row.share.is_empty() => {
            format!("{} {}", verdict.sign(), verdict.text())
        }
        Some(verdict) => format!("{} {} ({})", verdict.sign(), verdict.text(), row.share),
        None => "none: the side is unknown".to_owned(),
    }
}

fn write_scenarios(out: &mut String, page: &Page<'_>) {
    if page.scenarios.is_empty() {
        return;
    }
    line(out, "\n## Scenarios\n");
    line(out, &format!("{}\n", page.scenarios_summary()));
    let head = ["Scenario", "State", "Details", "Recording"].map(str::to_owned);
    let rows = page.scenarios.iter().take(SCENARIOS).map(|row| {
        let told = prose(&row.driven.told);
        vec![code(&row.driven.scenario), prose(row.state), told, code(row.path)]
    });
    table(out, &head, rows, 4..);
    let more = page.scenarios.len().saturating_sub(SCENARIOS);
    if more > 0 {
        line(out, &format!("\n{} are not listed.", grouped_plural(more, "more scenario")));
    }
    if !page.left_out.is_empty() {
        out.push('\n');
    }
    for left_out in page.left_out.iter().take(SCENARIOS) {
        let why = prose(&left_out.why);
        line(out, &format!("- not played: {}, {why}", code(&left_out.scenario)));
    }
}

fn write_findings(out: &mut String, page: &Page<'_>) {
    if page.rule_findings.is_empty() {
        return;
    }
    line(out, "\n## Findings");
    for group in page.rule_findings.iter().take(GROUPS) {
        write_group(out, group);
    }
    let more = page.rule_findings.len().saturating_sub(GROUPS);
    if more > 0 {
        line(out, &format!("\nFindings of {} are not shown.", grouped_plural(more, "more rule")));
    }
}

fn write_accepted(out: &mut String, page: &Page<'_>) {
    if page.accepted.is_empty() {
        return;
    }
    line(out, "\n## Accepted by a baseline\n");
    line(
        out,
        "A baseline lists these findings as known and accepted. They are still counted as errors, \
         warnings and infos.\n",
    );
    let head = ["Rule", "Where", "Reason", "Found", "Accepted"].map(str::to_owned);
    let rows = page.accepted.iter().take(ACCEPTED).map(|row| {
        let acceptance = row.acceptance;
        let place = [&acceptance.method, &acceptance.pointer].into_iter().flatten();
        let mut place: Vec<_> = place.map(|part| code(part)).collect();
        if let Some(name) = &acceptance.implementation {
            place.push(format!("by {}", prose(name)));
        }
        let reason = match acceptance.reason.as_str() {
            "" => "*none is given*".to_owned(),
            reason => prose(reason),
        };
        let remark = row.remark().map(|remark| format!(" ({remark})")).unwrap_or_default();
        let found = grouped(row.found) + &remark;
        vec![linked(row.rule()), place.join(" "), reason, found, grouped(acceptance.count)]
    });
    table(out, &head, rows, 3..);
    let more = page.accepted.len().saturating_sub(ACCEPTED);
    if more > 0 {
        line(out, &format!("\n{} are not listed.", grouped_plural(more, "more kind")));
    }
}

fn write_group(out: &mut String, group: &RuleFindings<'_>) {
    let sign = match group.worst {
        Severity::Error => Status::Violated,
        Severity::Warning => Status::NotFollowed,
        Severity::Info | Severity::Off => Status::Noted,
    }
    .sign();
    let RuleFindings { rule, .. } = group;
    line(out, &format!("\n### {sign} {}: {}\n", linked(rule), group.findings()));
    let by =
        group.by.iter().map(|(label, count)| format!("{}: {}", titled(label), grouped(*count)));
    let by = by.collect::<Vec<_>>();
    line(out, &format!("{}. Found with {}.\n", prose(&capitalized(rule.summary)), by.join(", ")));
    for case in group.cases.iter().take(CASES) {
        let finding = case.finding;
        let place = match finding.labels.first() {
            Some(label) => format!("{}:{}:{}", case.path, label.line, label.column),
            None => case.path.to_owned(),
        };
        let message = prose(&capitalized(&finding.message));
        let mut text = format!("- {}: {message}", code(&place));
        if let Some(help) = finding.help.as_deref().filter(|help| !help.is_empty()) {
            text.push_str(&format!(". {}", prose(&capitalized(help))));
        }
        if finding.repeats > 0 {
            text.push_str(&format!(", and {} more like it", grouped(finding.repeats)));
        }
        let same = case.same.len() + case.more_same;
        if same > 0 {
            text.push_str(&format!(", and the same in {}", grouped_plural(same, "more place")));
        }
        line(out, &text);
    }
    let left_out: u64 = group.cases.iter().skip(CASES).map(|case| case.finding.repeats + 1).sum();
    let more = group.more + left_out;
    if more > 0 {
        line(out, &format!("- and {} more", grouped(more)));
    }
}

fn write_audit(out: &mut String, audit: &AuditView<'_>) {
    if audit.is_empty() {
        return;
    }
    line(out, "\n## Audit log\n");
    line(
        out,
        "What was done, and what the client was asked and answered. The log lists and counts; only \
         rules find faults. **Not asked**: no `session/request_permission` about it is on record; the \
         protocol does not require one. **Outside**: outside the session's directories, by name. **No \
         completion on record**: no message shows it done; it may have begun.\n",
    );
    line(out, &format!("{}.\n", audit.ignored_refusals));
    let mut head: Vec<_> = ["Action", "Done"].map(str::to_owned).into();
    head.extend(audit.decided.iter().map(|word| format!("Done: {word}")));
    head.push("Done outside".to_owned());
    head.extend(audit.not_done.iter().map(|word| format!("No completion on record: {word}")));
    for totals in &audit.totals {
        line(out, &format!("{}: {}.\n", prose(&totals.names), prose(&totals.about)));
        if totals.rows.is_empty() {
            continue;
        }
        let rows = totals.rows.iter().map(|row| {
            let done = std::iter::once(&row.done).chain(&row.decided).chain([&row.outside]);
            let counts = done.chain(&row.not_done).map(|count| grouped(*count));
            std::iter::once(row.what.to_owned()).chain(counts).collect()
        });
        table(out, &head, rows, 1..);
        out.push('\n');
    }
    write_actions(out, audit);
    if !audit.grants.is_empty() {
        line(out, "Answers that allow something always:\n");
    }
    for grant in audit.grants.iter().take(ACTIONS) {
        let about: Vec<_> = grant.about.iter().map(|about| code(about)).collect();
        let about =
            if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
        let place = code(&format!("{}:{}", grant.path, grant.answer.line));
        line(
            out,
            &format!("- {place}: {}{about}, {}", prose(&grant.answer.name), prose(&grant.names)),
        );
    }
    let more = audit.grants.len().saturating_sub(ACTIONS) + audit.more_grants;
    if more > 0 {
        line(out, &format!("- and {} more", grouped(more as u64)));
    }
    if !audit.grants.is_empty() {
        out.push('\n');
    }
    line(
        out,
        "The log cannot show who or what in the client answered, tools that an agent neither reports \
         nor asks of the client, what a command did, or how far an answer \"always\" reaches.",
    );
}

/// Writes a list of the most remarkable actions of the audit log.
fn write_actions(out: &mut String, audit: &AuditView<'_>) {
    let all: usize = audit.groups.iter().map(|group| group.rows.len()).sum();
    if all == 0 {
        return;
    }
    let head = ["Action", "Target", "Decision", "Result", "Mode", "Agent and client", "Where"];
    let mut left = ACTIONS;
    for group in &audit.groups {
        let rows = &group.rows[..group.rows.len().min(left)];
        left -= rows.len();
        if !rows.is_empty() {
            let count = grouped(group.count);
            line(out, &format!("**{}** ({count})\n", prose(&capitalized(group.title))));
            table(out, &head.map(str::to_owned), rows.iter().map(cells), 7..);
            out.push('\n');
        }
    }
    let rows = audit.groups.iter().flat_map(|group| &group.rows);
    let more: u64 = rows.skip(ACTIONS).map(|row| row.count).sum::<u64>() + audit.more;
    if more > 0 {
        let csv = code("acpcheck audit --format csv");
        line(out, &format!("{} more are counted, but not listed: {csv} has all.\n", grouped(more)));
    }
}

/// The file and line of the first action in a row of the audit log, as Markdown text.
fn where_it_is(row: &DrawnRow) -> String {
    let place = row.places.first().map(|place| {
        let at = code(&format!("{}:{}", place.path, place.line));
        format!("{at} {}", place.lines).trim_end().to_owned()
    });
    place.unwrap_or_default()
}

fn cells(row: &DrawnRow) -> Vec<String> {
    let times = if row.count > 1 { format!(" ×{}", grouped(row.count)) } else { String::new() };
    let outside = if row.is_outside { " (outside)" } else { "" };
    let option = row.option.as_deref().map(|option| format!(": {}", code(option)));
    let remarks: String = row.remarks.iter().map(|remark| format!("; {remark}")).collect();
    vec![
        format!("{}{outside}", row.action),
        format!("{}{times}", code(&row.target)),
        format!("{}{}{remarks}", row.decision, option.unwrap_or_default()),
        row.result.to_owned(),
        row.mode.as_deref().map(code).unwrap_or_default(),
        prose(&row.names),
        where_it_is(row),
    ]
}

/// The table of many implementations against topics.
fn write_overview(out: &mut String, requirements: &RequirementTables) {
    if requirements.overview.is_empty() {
        return;
    }
    line(
        out,
        "\nRequirements of each topic, MUST and SHOULD: ✗ violated, ! not followed (warnings), i with infos, \
         ✓ upheld, – not exercised or not assessable.\n",
    );
    let mut head = vec!["Implementation".to_owned()];
    head.extend(requirements.topics.iter().map(|topic| (*topic).to_owned()));
    let rows = requirements.overview.iter().take(FILES).map(|row| {
        let cells = row.cells.iter().map(|cell| cell.text());
        std::iter::once(titled(&row.label)).chain(cells).collect()
    });
    table(out, &head, rows, 1..);
    let more = requirements.overview.len().saturating_sub(FILES);
    if more > 0 {
        line(out, &format!("\n{} are not listed.", grouped_plural(more, "more implementation")));
    }
}

fn write_requirements(out: &mut String, requirements: &RequirementTables) {
    if requirements.is_empty() {
        return;
    }
    line(out, "\n## Requirements\n");
    line(
        out,
        "What the protocol demands of these implementations: ✗ violated, with the number of errors; ! not \
         followed, with the number of warnings; i infos; ✓ upheld, with the number of times; ? not \
         assessable; – not exercised; empty: it does not apply.",
    );
    for own in requirements.tables.iter().filter(|table| table.is_first) {
        if !own.told.is_empty() {
            let count: usize = own.told.iter().map(|topic| topic.rows.len()).sum();
            let level = own.level;
            let summary = format!("{level}: {count} that a message was about, or without a rule");
            line(out, &format!("\n<details><summary>{summary}</summary>\n"));
            write_requirement_table(out, own, &own.told);
            line(out, "\n</details>");
        }
        if !own.idle.is_empty() {
            line(out, &format!("\n<details><summary>{}</summary>\n", own.idle_summary()));
            for topic in &own.idle {
                let ids = topic.rows.iter().map(|row| code(row.told.requirement.id));
                line(out, &format!("- {}: {}", topic.name, ids.collect::<Vec<_>>().join(", ")));
            }
            line(out, "\n</details>");
        }
    }
    if !requirements.outside.is_empty() {
        line(out, "\n<details><summary>What no transcript shows</summary>\n");
        for (reason, list) in &requirements.outside {
            let ids = list.iter().map(|told| code(told.requirement.id)).collect::<Vec<_>>();
            line(out, &format!("- {}: {}", prose(&capitalized(reason)), ids.join(", ")));
        }
        line(out, "\n</details>");
    }
}

fn write_requirement_table(out: &mut String, own: &RequirementTable, topics: &[Topic]) {
    let mut head = vec!["Requirement".to_owned()];
    head.extend(own.columns.iter().take(COLUMNS).map(titled));
    head.extend(["What it demands".to_owned(), "Where it stands".to_owned(), "Rules".to_owned()]);
    let rows = topics.iter().flat_map(|topic| &topic.rows).map(|row| {
        let cells = row.cells.iter().take(COLUMNS).map(|cell| match cell.times() {
            Some(times) => format!("{} {}", cell.sign(), grouped(times)),
            None => cell.sign().to_owned(),
        });
        let told = &row.told;
        let text = prose(&capitalized(told.requirement.text));
        let place = match &told.url {
            Some(url) => format!("[{}]({url})", code(told.place)),
            None => code(told.place),
        };
        let rules: Vec<_> = row.rules.iter().map(|(rule, _)| code(rule.id)).collect();
        let id = code(told.requirement.id);
        std::iter::once(id).chain(cells).chain([text, place, rules.join(", ")]).collect()
    });
    table(out, &head, rows, 1..=own.columns.len().min(COLUMNS));
}

fn write_rules(out: &mut String, page: &Page<'_>) {
    let matrix = &page.matrix;
    if matrix.rows() > 0 {
        line(out, "\n## Rules\n");
        line(
            out,
            "✗ violated, with the number of errors; ! warnings; i infos; ✓ upheld, with the number \
             of times; ? not assessable; – not exercised; empty: the rule is not about this side.",
        );
        line(
            out,
            &format!(
                "\n<details><summary>{} exercised or not assessable</summary>\n",
                grouped_plural(matrix.rows(), "rule")
            ),
        );
        if let Some(first) = matrix.tables.first() {
            write_matrix(out, first);
        }
        let columns: usize = matrix.tables.iter().map(|table| table.columns.len()).sum();
        let more = (columns + matrix.more_columns).saturating_sub(COLUMNS);
        if more > 0 {
            line(
                out,
                &format!("\n{} have no column.", grouped_plural(more, "more implementation")),
            );
        }
        line(out, "\n</details>");
    }
    for row in &page.missing_evidence {
        let rules = row.rules.iter().map(|rule| code(rule.id)).collect::<Vec<_>>().join(", ");
        let words = prose(row.evidence.text());
        line(
            out,
            &format!(
                "\nNot assessable. {words}, so these rules have no result: {rules}. {}",
                prose(row.evidence.remedy())
            ),
        );
    }
    if !matrix.idle.is_empty() {
        line(out, &format!("\n<details><summary>{}</summary>\n", page.idle_summary()));
        for (family, rules) in &matrix.idle {
            let rules = rules.iter().map(|rule| code(rule.id)).collect::<Vec<_>>().join(", ");
            line(out, &format!("- {family}: {rules}"));
        }
        line(out, "\n</details>");
    }
}

fn write_matrix(out: &mut String, matrix: &MatrixTable) {
    let mut head = vec!["Rule".to_owned()];
    head.extend(matrix.columns.iter().take(COLUMNS).map(titled));
    if matrix.is_narrow() {
        head.push("Requirement".to_owned());
    }
    let rows = matrix.families.iter().flat_map(|family| &family.rows).map(|row| {
        let cell = |(status, times): &(Status, Option<u64>)| match times {
            Some(times) => format!("{} {}", status.sign(), grouped(*times)),
            None => status.sign().to_owned(),
        };
        let cells = row.cells.iter().take(COLUMNS).map(cell);
        let requirement = || prose(&capitalized(row.requirement));
        let requirement = matrix.is_narrow().then(requirement);
        std::iter::once(code(row.rule.id)).chain(cells).chain(requirement).collect()
    });
    table(out, &head, rows, 1..=matrix.columns.len());
}

fn write_plans(out: &mut String, page: &Page<'_>) {
    if page.plans.is_empty() {
        return;
    }
    line(out, "\n## Plans\n");
    line(
        out,
        "What a client shows after each update: ○ pending, ◐ in progress, ● completed, \
         ⊘ cancelled, ? another status.",
    );
    for drawn in page.plans.iter().take(PLANS) {
        write_plan(out, drawn);
    }
    let more = page.plans.len().saturating_sub(PLANS) as u64 + page.more_plans;
    if more > 0 {
        line(out, &format!("\n{} more are not drawn.", grouped(more)));
    }
}

fn write_plan(out: &mut String, drawn: &DrawnPlan<'_>) {
    /// Most characters of a plan entry's text in the table; the rest is cut off.
    const WIDTH: usize = 48;

    line(
        out,
        &format!(
            "\n<details><summary>{} in {}: {}</summary>\n",
            html(&drawn.title.replace('`', "")),
            html(drawn.path),
            drawn.summary()
        ),
    );
    let mut text = String::new();
    let skipped = drawn.columns.len().saturating_sub(STEPS);
    for row in &drawn.rows {
        let mut content: String = row.content.chars().take(WIDTH).collect();
        if content.len() < row.content.len() {
            content.push('…');
        }
        // A CI server takes `---` for a heading only at the beginning of a line.
        let _ = write!(text, " {content:<width$} ", width = WIDTH + 1);
        if skipped > 0 {
            text.push_str(" …");
        }
        for (_, mark) in row.cells.iter().skip(skipped) {
            let sign = mark.map_or(" ", |mark| match mark.class {
                "pending" => "○",
                "progress" => "◐",
                "completed" => "●",
                "cancelled" => "⊘",
                _ => "?",
            });
            let _ = write!(text, " {sign}");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    if let Some(plan) = &drawn.plan.text {
        text.push_str(plan);
        text.push('\n');
    }
    let last = drawn.plan.columns.last().map(|column| column.event);
    match last {
        Some(PlanColumnEvent::Removed) => text.push_str("(removed)\n"),
        Some(PlanColumnEvent::Forgotten) => {
            text.push_str("(gone: the session was loaded or resumed)\n");
        }
        Some(PlanColumnEvent::Shown | PlanColumnEvent::Refused) | None => {}
    }
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    line(out, &format!("{fence}text\n{text}{fence}\n\n</details>"));
}

fn write_coverage(out: &mut String, page: &Page<'_>) {
    if page.coverage.is_empty() {
        return;
    }
    line(out, "\n## Coverage");
    for coverage in &page.coverage {
        let Coverage { surface, methods, methods_unseen, updates_unseen, .. } = coverage;
        line(out, &format!("\nSurface {surface}: {}\n", coverage.summary()));
        line(out, "<details><summary>Messages by method</summary>\n");
        let head = ["Method", "Called by", "Requests", "Notifications", "Results", "Errors"];
        let rows = methods.iter().map(|row| {
            let remark = match row.remark {
                "" => String::new(),
                remark => format!(" ({remark})"),
            };
            let counts = row.counts.iter().map(|count| grouped(*count));
            let head = [format!("{}{remark}", code(&row.method)), row.from.to_owned()];
            head.into_iter().chain(counts).collect()
        });
        table(out, &head.map(str::to_owned), rows, 2..);
        let names =
            |names: &[&str]| names.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ");
        if !methods_unseen.is_empty() {
            line(out, &format!("\nNever called: {}.", names(methods_unseen)));
        }
        let updates = coverage.updates.iter().map(|(kind, count, remark)| {
            let remark = if remark.is_empty() { String::new() } else { format!(" ({remark})") };
            format!("{}{remark} {}", code(kind), grouped(*count))
        });
        let updates: Vec<_> = updates.collect();
        if !updates.is_empty() {
            line(out, &format!("\nSession updates: {}.", updates.join(", ")));
        }
        if !updates_unseen.is_empty() {
            line(out, &format!("\nNever sent: {}.", names(updates_unseen)));
        }
        line(out, "\n</details>");
    }
}

fn write_judged(out: &mut String, page: &Page<'_>) {
    line(out, "\n## What was judged\n");
    if !page.unread.is_empty() {
        line(out, "Not read, or not to the end:\n");
    }
    for unread in page.unread {
        line(out, &format!("- {}: {}", code(&unread.path), prose(&unread.reason)));
    }
    if !page.unread.is_empty() {
        out.push('\n');
    }
    if !page.files.is_empty() {
        line(out, &format!("<details><summary>{}</summary>\n", page.files_summary()));
        let head = ["Transcript", "Surface", "Messages", "Errors", "Warnings", "Infos", "SHA-256"];
        let rows = page.files.iter().take(FILES).map(|row| {
            let counts = row.counts;
            let numbers = [row.file.messages, counts.errors, counts.warnings, counts.infos];
            let numbers = numbers.map(grouped);
            let head = [code(&row.file.path), row.surfaces.clone()];
            head.into_iter().chain(numbers).chain([code(&row.file.sha256)]).collect()
        });
        table(out, &head.map(str::to_owned), rows, 2..);
        let more = page.files.len().saturating_sub(FILES);
        if more > 0 {
            line(out, &format!("\n{} are not listed.", grouped_plural(more, "more transcript")));
        }
        for (index, (note, files)) in page.notes.iter().take(FILES).enumerate() {
            let start = if index == 0 { "\n" } else { "" };
            out.push_str(&format!("{start}{}", noted(files, note)));
        }
        line(out, "\n</details>\n");
    }
    let options = page.options.iter().map(|option| format!(" {}", code(option)));
    let options: String = options.collect();
    let with = if options.is_empty() { String::new() } else { format!(", with{options}") };
    line(
        out,
        &format!(
            "Judged by acpcheck {} against {}{}{with}.",
            page.version,
            page.schemas,
            page.editions()
        ),
    );
}

fn titled(label: &SubjectLabel) -> String {
    match label.side {
        "either" => prose(&label.name),
        side => format!("{side} {}", prose(&label.to_string())),
    }
}

/// The id of a rule in Markdown, linked to the page with its requirement.
fn linked(rule: &'static Rule) -> String {
    match rule.cites.iter().find_map(|citation| citation.source.url()) {
        Some(url) => format!("[{}]({url})", code(rule.id)),
        None => code(rule.id),
    }
}

/// Writes a Markdown table, some of whose columns hold numbers.
fn table(
    out: &mut String,
    head: &[String],
    rows: impl Iterator<Item = Vec<String>>,
    numbers: impl RangeBounds<usize>,
) {
    let row = |cells: &[String]| format!("| {} |", cells.join(" | "));
    line(out, &row(head));
    let rule = |index| if numbers.contains(&index) { "---:".to_owned() } else { "---".to_owned() };
    line(out, &row(&(0..head.len()).map(rule).collect::<Vec<_>>()));
    for cells in rows {
        line(out, &row(&cells));
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// Escapes a text to stand between HTML tags in Markdown, on one line.
fn html(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The length of the longest run of backticks in a text, for a longer fence.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

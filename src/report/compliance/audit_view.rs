//! Prepares the audit log of all transcripts for HTML and Markdown: totals, folded rows, grants and
//! sessions.
//!
//! A [`Compliance`] goes in, an [`AuditView`] comes out.

use super::document::{AuditLine, AuditSession, Compliance, FileRecord};
use crate::{
    audit::{ActionKind, Decision, Outside},
    report::{
        Plural,
        audit::{AuditRow, AuditSection, DECIDED, FoldedRow, Folder, NOT_DONE, PairingTotals},
    },
};

/// Most rows of the audit log (groups of equal actions) that a page shows; the other actions are
/// counted.
pub(super) const ROWS: usize = 200;
/// Most grants, and most sessions, that the audit section of a page shows; the others are counted.
const SESSIONS: usize = 200;
/// Most actions that are named as the subject of a grant; the others are counted.
const ABOUT: usize = 3;

/// The audit logs of all transcripts, prepared for HTML and Markdown.
#[derive(Debug)]
pub(super) struct AuditView<'c> {
    pub(super) totals: Vec<DrawnTotals>,
    /// A sentence on what was done after a refusal.
    pub(super) ignored_refusals: String,
    /// The words for how done actions were decided: columns of the table of totals. `not_done` has
    /// the reasons for actions without completion on record, which are further columns.
    pub(super) decided: Vec<&'static str>,
    pub(super) not_done: Vec<&'static str>,
    /// The folded rows by section, the most remarkable section first.
    pub(super) groups: Vec<AuditGroup>,
    /// The number of actions that are in no row of `groups`, because the page has room for a
    /// limited number of rows.
    pub(super) more: u64,
    pub(super) grants: Vec<Grant<'c>>,
    pub(super) more_grants: usize,
    pub(super) sessions: Vec<DrawnSession<'c>>,
    pub(super) more_sessions: u64,
    pub(super) not_followed: u64,
}

/// The numbers of actions between one client and one agent, as a table.
#[derive(Debug)]
pub(super) struct DrawnTotals {
    pub(super) names: String,
    /// The numbers of recordings and sessions, and the modes, in words.
    pub(super) about: String,
    pub(super) rows: Vec<TotalsRow>,
}

/// A row of the totals: one kind of action, with a count for each column in the order of
/// [`AuditView`]'s columns.
#[derive(Debug)]
pub(super) struct TotalsRow {
    pub(super) what: &'static str,
    pub(super) done: u64,
    pub(super) decided: Vec<u64>,
    /// How many of the actions that were done were outside the session's directories.
    pub(super) outside: u64,
    pub(super) not_done: Vec<u64>,
}

/// A section of the audit log on a page, such as `not asked`, with its rows.
#[derive(Debug)]
pub(super) struct AuditGroup {
    pub(super) title: &'static str,
    /// The number of actions for which the rows of the section stand.
    pub(super) count: u64,
    /// Whether readers should look at the section first, as at actions after a refusal.
    pub(super) is_remarkable: bool,
    pub(super) rows: Vec<DrawnRow>,
}

impl AuditGroup {
    /// The id of the section's HTML element, to which links of the page lead.
    pub(super) fn anchor(&self) -> String {
        let words = self.title.split(|character: char| !character.is_alphanumeric());
        format!("audit-{}", words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-"))
    }
}

/// A folded row of the audit log on a page: equal actions with a count.
#[derive(Debug)]
pub(super) struct DrawnRow {
    pub(super) action: &'static str,
    pub(super) target: String,
    pub(super) count: u64,
    pub(super) decision: &'static str,
    pub(super) option: Option<String>,
    /// Remarks on the decision, such as why it is unclear or unsure, or how fast the client answered.
    pub(super) remarks: Vec<String>,
    pub(super) result: &'static str,
    pub(super) is_outside: bool,
    pub(super) mode: Option<String>,
    pub(super) names: String,
    /// The places of the row's actions: of the first, then of some others.
    pub(super) places: Vec<Place>,
    pub(super) more_places: u64,
}

/// The place of an action in a recording: file and line.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) path: String,
    /// The number of the file in the report, from 1; 0 when it is not found there.
    pub(super) file: usize,
    pub(super) line: u32,
    /// The lines of the permission request, the answer and the result, in words; empty for all rows
    /// but the first.
    pub(super) lines: String,
}

/// An answer to a permission request by which the client allowed something always.
#[derive(Debug)]
pub(super) struct Grant<'c> {
    pub(super) path: &'c str,
    pub(super) file: usize,
    pub(super) answer: &'c AuditLine,
    pub(super) session: &'c AuditSession,
    pub(super) names: String,
    /// The actions that the permission request was about, in words; at most [`ABOUT`] are listed.
    pub(super) about: Vec<String>,
}

/// A session of the audit log on a page, with its recording and the names of the two sides.
#[derive(Debug)]
pub(super) struct DrawnSession<'c> {
    pub(super) path: &'c str,
    pub(super) file: usize,
    pub(super) session: &'c AuditSession,
    pub(super) names: String,
}

impl<'c> AuditView<'c> {
    pub(super) fn of(compliance: &'c Compliance) -> Self {
        let mut folder = Folder::default();
        let mut view = Self {
            totals: Vec::new(),
            ignored_refusals: String::new(),
            decided: Vec::new(),
            not_done: Vec::new(),
            groups: Vec::new(),
            more: 0,
            grants: Vec::new(),
            more_grants: 0,
            sessions: Vec::new(),
            more_sessions: 0,
            not_followed: 0,
        };
        for (number, file) in (1..).zip(&compliance.files) {
            view.add(number, file, &mut folder);
        }
        view.draw_totals(&folder);
        view.ignored_refusals = folder.ignored_refusals();
        view.draw_rows(compliance, &folder);
        view
    }

    fn add(&mut self, number: usize, file: &'c FileRecord, folder: &mut Folder) {
        let Some(audit) = &file.audit else { return };
        for count in &audit.counts {
            folder.count(&file.path, &count.kind, count.count);
        }
        for row in &audit.rows {
            folder.fold(&file.path, row);
        }
        self.more += audit.more_rows;
        self.more_sessions += audit.more_sessions;
        self.not_followed += audit.not_followed;
        for session in &audit.sessions {
            let mut modes: Vec<_> = session.modes.iter().map(|mode| mode.name.clone()).collect();
            modes.sort_unstable();
            modes.dedup();
            let (agent, client) = (session.agent.clone(), session.client.clone());
            folder.session(&file.path, agent, client, &modes);
            let names = names(session.agent.as_deref(), session.client.as_deref());
            for grant in &session.grants {
                if self.grants.len() == SESSIONS {
                    self.more_grants += 1;
                    continue;
                }
                self.grants.push(Grant {
                    path: &file.path,
                    file: number,
                    answer: grant,
                    session,
                    names: names.clone(),
                    about: about(&audit.rows, grant.line),
                });
            }
            if self.sessions.len() < SESSIONS {
                let path = &file.path;
                self.sessions.push(DrawnSession { path, file: number, session, names });
            } else {
                self.more_sessions += 1;
            }
        }
    }

    fn draw_totals(&mut self, folder: &Folder) {
        let all: Vec<_> =
            folder.pairings().map(|(names, totals)| (names, totals, totals.actions())).collect();
        let actions = || all.iter().flat_map(|(.., actions)| actions);
        let is_decided = |word: &&&str| {
            actions().any(|action| action.decided.iter().any(|(_, own)| *own == **word))
        };
        let is_reason = |word: &&&str| {
            actions().any(|action| action.not_done.iter().any(|(_, own)| *own == **word))
        };
        let decided: Vec<_> = DECIDED.iter().filter(is_decided).copied().collect();
        let not_done: Vec<_> = NOT_DONE.iter().filter(is_reason).copied().collect();
        let count = |counts: &[(u64, &str)], word: &str| {
            counts.iter().find(|(_, own)| *own == word).map_or(0, |(count, _)| *count)
        };
        let totals = all.iter().map(|(names, totals, actions)| DrawnTotals {
            names: names.clone(),
            about: about_pairing(totals),
            rows: actions
                .iter()
                .map(|action| TotalsRow {
                    what: action.what,
                    done: action.count,
                    decided: decided.iter().map(|word| count(&action.decided, word)).collect(),
                    not_done: not_done.iter().map(|word| count(&action.not_done, word)).collect(),
                    outside: action.outside,
                })
                .collect(),
        });
        self.totals = totals.collect();
        (self.decided, self.not_done) = (decided, not_done);
    }

    fn draw_rows(&mut self, compliance: &Compliance, folder: &Folder) {
        let mut rows = folder.rows();
        rows.sort_by_key(|row| (row.section, rank(row.row.action)));
        let shown = &rows[..rows.len().min(ROWS)];
        for section in AuditSection::ALL {
            let own: Vec<_> = shown.iter().filter(|row| row.section == section).collect();
            if !own.is_empty() {
                self.groups.push(AuditGroup {
                    title: section.name(),
                    count: own.iter().map(|row| row.count).sum(),
                    is_remarkable: section <= AuditSection::Unclear,
                    rows: own.iter().map(|row| DrawnRow::of(compliance, row)).collect(),
                });
            }
        }
        let left_out: u64 = rows[shown.len()..].iter().map(|row| row.count).sum();
        self.more += left_out + folder.more();
    }
}

impl AuditView<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.totals.is_empty()
    }

    /// The number of columns in the table of all actions.
    pub(super) fn width(&self) -> usize {
        self.decided.len() + self.not_done.len() + 3
    }
}

impl DrawnRow {
    fn of(compliance: &Compliance, folded: &FoldedRow) -> Self {
        let row = &folded.row;
        let place = |path: &str, line, lines| {
            // They are in the order of their paths.
            let file = compliance.files.binary_search_by(|file| (*file.path).cmp(path));
            let file = file.map_or(0, |index| index + 1);
            Place { path: path.to_owned(), file, line, lines }
        };
        let mut places = vec![place(&folded.file, row.first, folded.lines())];
        let others = folded.others.iter();
        places.extend(others.map(|(path, line)| place(path, *line, String::new())));
        Self {
            action: row.action.name(),
            target: row.target.clone(),
            count: folded.count,
            decision: folded.decision(),
            option: row.option.clone(),
            remarks: remarks(folded),
            result: folded.result(),
            is_outside: row.outside == Outside::Yes,
            mode: row.mode.clone(),
            names: names(row.agent.as_deref(), row.client.as_deref()),
            more_places: folded.count - places.len() as u64,
            places,
        }
    }
}

/// Remarks on the decision of a folded row: why it is unclear or unsure, how fast the client answered, and an
/// earlier answer that allowed something always.
fn remarks(folded: &FoldedRow) -> Vec<String> {
    let mut remarks: Vec<_> = folded.doubt().map(str::to_owned).into_iter().collect();
    if let Some(seconds) = folded.quickest {
        remarks.push(match folded.count {
            1 => format!("answered in {seconds} s"),
            _ => format!("answered in {seconds} s or more"),
        });
    }
    if let Some(line) = folded.row.always.filter(|_| folded.row.decision == Decision::NotAsked) {
        remarks.push(format!("the answer at line {line} allowed something always"));
    }
    remarks
}

/// The actions, at most [`ABOUT`], whose permission request was answered at this line, in words.
fn about(rows: &[AuditRow], line: u32) -> Vec<String> {
    let own = rows.iter().filter(|row| row.answered == line);
    own.take(ABOUT).map(|row| format!("{} {}", row.action.name(), row.target)).collect()
}

fn about_pairing(totals: &PairingTotals) -> String {
    let modes: Vec<_> =
        totals.modes.iter().map(|(mode, count)| format!("{mode} ({count})")).collect();
    let modes = match &*modes {
        [] => String::new(),
        modes => format!(", modes {}", modes.join(", ")),
    };
    let replayed = match totals.replayed {
        0 => String::new(),
        count => format!(", {} of replayed history not counted", Plural(count, "action")),
    };
    let (recordings, sessions) =
        (Plural(totals.recordings, "recording"), Plural(totals.sessions, "session"));
    format!("{recordings}, {sessions}{modes}{replayed}")
}

fn names(agent: Option<&str>, client: Option<&str>) -> String {
    let agent = agent.unwrap_or("an unnamed agent");
    let client = client.unwrap_or("an unnamed client");
    format!("{agent} with {client}")
}

/// The position of a kind of action within a section. Actions that change most come first.
fn rank(action: ActionKind) -> usize {
    const ORDER: [ActionKind; 10] = [
        ActionKind::Run,
        ActionKind::Delete,
        ActionKind::Move,
        ActionKind::Write,
        ActionKind::Fetch,
        ActionKind::Open,
        ActionKind::Login,
        ActionKind::Tool,
        ActionKind::Search,
        ActionKind::Read,
    ];
    ORDER.iter().position(|own| *own == action).unwrap_or(ORDER.len())
}

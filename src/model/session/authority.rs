//! What the tool calls of a turn work on, and what the client allowed: for rules about work that was
//! refused, not asked about, or is not what was allowed.

use crate::{
    event::{
        Call, Update,
        target::{self, Command, FileChange, ToolKind},
        target_key::TargetKey,
    },
    json::{Node, Text},
    map::{IndexMap, Map, Set, hash_of},
    model::{
        anchor::Anchor,
        request::permission::{OptionKind, PermissionRequest},
        response::Answer,
        session::{
            on_demand,
            permissions::{Denial, Refusal},
            tool_calls::ToolCallStatus,
        },
    },
    protocol::Version,
    source::Span,
};

/// Most tool calls of a turn that are kept, with those that only permission requests name. With
/// more, rules on permissions do not report.
const CALLS: usize = 256;
/// Most files of one tool call, and most unexplained writes and commands of one turn, that are kept;
/// further ones are ignored.
const FILES: usize = 64;
/// Most writes and commands of one turn that are kept; further ones are ignored.
const DEEDS: usize = 256;
/// Most files that the client has allowed, and most files outside of the session's directories, that
/// are kept for one session; further ones are ignored.
const PATHS: usize = 10_000;

/// What the tool calls of a turn are about, what the agent did through the client (writes and
/// commands), and what the client has allowed. Rules compare the three.
#[derive(Clone, Debug, Default)]
pub struct Authority {
    calls: IndexMap<Box<str>, CallAuthority>,
    /// Writes and commands that the agent requested in this turn while no tool call was under way
    /// that could explain them.
    pub unexplained: Vec<Deed>,
    /// What the agent has asked the client to write and to run in this turn, and the commands that it
    /// has run in terminals of its own.
    deeds: Vec<Deed>,
    /// Whether the turn has more tool calls than are kept, so that rules on permissions do not
    /// report.
    pub is_overfull: bool,
    /// Place of the last answer by which the client chose an option of kind `allow_always`, after
    /// which the agent may not need to ask; `None` without one.
    pub always: Option<Anchor>,
    /// Whether a permission request of an earlier turn was about a tool call that no update
    /// reported, or named none.
    has_strange_question: bool,
    allowed_files: Set<u64>,
    /// Files outside of the session's directories, by the hashes of their paths, with what has
    /// changed them first.
    outside: Map<u64, ChangedBy>,
    mode: Option<Box<str>>,
    /// The mode that a `session/set_mode` without answer asks for, and the message number of that
    /// request; `None` when none is open.
    wanted_mode: Option<(Box<str>, u64)>,
    /// Message number of the last request by which the client sets the mode or an option; 0 without
    /// one.
    changed: u64,
}

on_demand::empty!(Authority);

/// A file write or a command that an agent asks the client for, by `fs/write_text_file` or
/// `terminal/create`, or a command that it runs in a terminal of its own.
#[derive(Clone, Debug)]
pub struct Deed {
    pub at: Anchor,
    pub kind: DeedKind,
    /// The path or the command, in its normal spelling.
    pub target: Box<str>,
    /// The path or command, to compare it with what tool calls name.
    pub key: TargetKey,
    /// Hash of the text that is to be written, to compare it with diffs; `None` for a command.
    pub text: Option<u64>,
    /// Whether no permission request could be about it when it was done. `false` until then.
    pub is_unasked: bool,
}

/// Whether an agent asks the client to write a file or to run a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeedKind {
    Write,
    Run,
}

/// What changes a file outside of the session's directories, as far as messages show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangedBy {
    /// A request of the agent that the client write the file.
    Request,
    /// A tool call that has completed.
    ToolCall,
}

/// What one tool call says it will do to which files or commands, and how the client answered its
/// permission requests.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct CallAuthority {
    pub kind: Option<ToolKind>,
    files: Vec<NamedFile>,
    /// The command in the tool call's input, or else its title, to compare with the command that the
    /// agent runs; `None` without a command, as where the title is a sentence.
    command: Option<TargetKey>,
    /// Whether the command stands in the tool call's input or in the permission request, and is no
    /// guess from the title.
    has_input_command: bool,
    pub is_reported: bool,
    pub is_over: bool,
    pub is_asked: bool,
    /// Whether the tool call has shown a terminal in which a command ran about which no permission
    /// request could be.
    pub shows_unasked: bool,
    /// Message number of the newest permission request that was answered; 0 before that.
    answered: u64,
    /// Place of the last permission request for the tool call, while it waits for its answer;
    /// `None` otherwise.
    pub open: Option<Anchor>,
    /// The first write or command of the agent with this tool call's target that came before the
    /// permission request was answered; `None` without one.
    pub early: Option<Deed>,
    /// The last answer to a permission request for the tool call, if that refused; `None` otherwise.
    pub refused: Option<Denial>,
    /// What was known of the tool call when the client allowed it; `None` when the last answer did
    /// not allow it.
    pub allowed: Option<Allowed>,
    /// Whether the agent wrote the tool call's file or ran its command after the client had
    /// refused.
    pub has_effect: bool,
}

/// A file that a tool call names in a diff, a location or its input, with what the diff would
/// change.
#[derive(Clone, Debug)]
struct NamedFile {
    key: u64,
    path: Box<str>,
    /// What a diff does to the file; `None` when the file stands in a location or in the input.
    change: Option<FileChange>,
    /// Hash of the file's text before the change, from the diff; `None` without that text.
    old: Option<u64>,
    new: Option<u64>,
}

/// Files and command of a tool call at the time when the client allowed it, to notice that they
/// change later.
#[derive(Clone, Debug)]
pub struct Allowed {
    pub answer: Anchor,
    pub command: Option<TargetKey>,
    /// Hashes of the paths in the tool call's diffs when it was allowed.
    pub files: Vec<u64>,
}

impl Deed {
    /// The write or command that a request asks the client for; `None` for other requests. `cwd` is
    /// the directory for a relative path.
    pub fn of(call: &Call<'_>, cwd: Option<&str>) -> Option<Self> {
        call.id?;
        let at = Anchor::of(call.node, &"");
        if call.method == "fs/write_text_file" {
            let path = call.param("path")?.text()?.as_cow();
            let text =
                call.param("content").and_then(Node::text).map(|text| hash_of(&*text.as_cow()));
            let target = crate::event::path::spelled(&path).into();
            let key = TargetKey::of(&target::path_key(&path, cwd));
            let kind = DeedKind::Write;
            return Some(Self { at, kind, target, key, text, is_unasked: false });
        }
        if call.method != "terminal/create" {
            return None;
        }
        let program = call.param("command")?.text()?.as_cow();
        let arguments = call.param("args").into_iter().flat_map(Node::elements);
        let arguments: Vec<_> = arguments.filter_map(Node::text).map(Text::as_cow).collect();
        Some(Self::run(at, target::command_line(&program, &arguments)))
    }

    /// A command in its normal spelling. `at` is the place that shows that it runs.
    pub fn run(at: Anchor, command: Command) -> Self {
        let Command { line, key } = command;
        let (kind, target) = (DeedKind::Run, line.into());
        Self { at, kind, target, key, text: None, is_unasked: false }
    }
}

impl CallAuthority {
    /// Takes kind, files and command from a tool call, its update or a permission request. `cwd` is
    /// the session's directory, for relative paths.
    fn describe(&mut self, node: Node<'_>, cwd: Option<&str>) {
        if let Some(kind) = node.get("kind").and_then(Node::text) {
            self.kind = Some(ToolKind::of(kind));
        }
        if let Some(content) = node.get("content") {
            for diff in content.elements() {
                let text =
                    |name| diff.get(name).and_then(Node::text).map(|it| hash_of(&*it.as_cow()));
                let (old, new) = (text("oldText"), text("newText"));
                if let Some(path) = diff.get("path").and_then(Node::text) {
                    self.name(path, cwd, Some(FileChange::Write), old, new);
                }
            }
            for (change, path) in target::changes(content) {
                self.name(path, cwd, Some(change), None, None);
            }
        }
        for path in node.get("locations").into_iter().flat_map(target::locations) {
            self.name(path, cwd, None, None, None);
        }
        if let Some(input) = node.get("rawInput").filter(|input| input.is_object()) {
            for path in target::input_paths(input) {
                self.name(path, cwd, None, None, None);
            }
            if let Some(command) = target::input_command(input) {
                self.command = Some(command.key);
                self.has_input_command = true;
            }
        }
        if !self.has_input_command
            && self.kind == Some(ToolKind::Execute)
            && let Some(title) = node.get("title").and_then(Node::text)
            && !title.is_empty()
        {
            self.command = target::title_command(&title.as_cow()).map(|it| it.key);
        }
    }

    fn name(
        &mut self,
        path: Text<'_>,
        cwd: Option<&str>,
        change: Option<FileChange>,
        old: Option<u64>,
        new: Option<u64>,
    ) {
        let path = path.as_cow();
        let key = hash_of(target::path_key(&path, cwd));
        if let Some(known) = self.files.iter_mut().find(|file| file.key == key) {
            known.change = change.or(known.change);
            (known.old, known.new) = (old.or(known.old), new.or(known.new));
        } else if self.files.len() < FILES {
            self.files.push(NamedFile { key, path: (&*path).into(), change, old, new });
        }
    }

    /// Whether an update of this kind announces another tool call under the id of one that has
    /// ended.
    pub fn begins_anew(&self, kind: &str) -> bool {
        kind == "tool_call" && self.is_over
    }

    fn tool_kind(&self) -> ToolKind {
        self.kind.unwrap_or(ToolKind::Other)
    }

    /// Whether the tool call names the file or command of a write or command request. To name a file
    /// says that it is written only where the tool call is of a kind that may do this. A command is
    /// run, whatever the kind says of its purpose.
    pub fn names(&self, deed: &Deed) -> bool {
        match deed.kind {
            DeedKind::Write => self.file(deed).is_some(),
            DeedKind::Run => self.command.is_some_and(|own| own.is_same(deed.key)),
        }
    }

    fn file(&self, deed: &Deed) -> Option<&NamedFile> {
        let file = self.files.iter().find(|file| file.key == deed.key.text)?;
        (self.tool_kind().may_write() || file.change.is_some()).then_some(file)
    }

    /// Whether the tool call names any file (for a write) or any command (for a run).
    pub fn names_any(&self, kind: DeedKind) -> bool {
        match kind {
            DeedKind::Write => !self.files.is_empty(),
            DeedKind::Run => self.command.is_some(),
        }
    }

    /// Whether the tool call may report this write or command, although it names neither a file nor,
    /// but for its title, a command.
    pub fn may_be(&self, deed: &Deed) -> bool {
        let is_named = match deed.kind {
            DeedKind::Write => !self.files.is_empty(),
            DeedKind::Run => self.has_input_command,
        };
        self.is_reported && self.fits(deed.kind) && !is_named
    }

    /// Whether a tool call of this kind may write files or run commands.
    pub(super) fn fits(&self, kind: DeedKind) -> bool {
        match kind {
            DeedKind::Write => self.tool_kind().may_write(),
            DeedKind::Run => self.tool_kind().may_run(),
        }
    }

    /// Whether the tool call is under way and, by its kind, may write files or run commands.
    pub fn may_do(&self, kind: DeedKind) -> bool {
        self.is_reported && !self.is_over && self.fits(kind)
    }

    /// Whether a write request writes the old or the new text of the tool call's diff. `None` when
    /// the tool call does not name the file, or no diff has a text for it.
    pub fn text_of(&self, deed: &Deed) -> Option<WrittenText> {
        let (file, text) = (self.file(deed)?, deed.text?);
        if file.new == Some(text) {
            return Some(WrittenText::After);
        }
        if file.old == Some(text) {
            return Some(WrittenText::Before);
        }
        file.new.map(|_| WrittenText::Other)
    }

    /// Paths that the tool call changes: those of its diffs and, if it edits, deletes or moves
    /// files, all that it names.
    pub fn changed_paths(&self) -> impl Iterator<Item = &str> {
        let is_change = self.tool_kind().change().is_some();
        let files = self.files.iter().filter(move |file| is_change || file.change.is_some());
        files.map(|file| &*file.path)
    }
}

/// How the text that an agent writes through the client compares with the diff of a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenText {
    Before,
    After,
    Other,
}

impl Authority {
    pub fn call(&self, id: Text<'_>) -> Option<&CallAuthority> {
        self.named(&id.as_cow())
    }

    pub fn named(&self, id: &str) -> Option<&CallAuthority> {
        self.calls.get(id)
    }

    /// The tool calls of the turn, and those of earlier turns that have not ended, with their ids.
    pub fn calls(&self) -> impl Iterator<Item = (&str, &CallAuthority)> {
        self.calls.iter().map(|(id, call)| (&**id, call))
    }

    /// The id of the mode in force; `None` when that is unknown, as while `session/set_mode` waits
    /// for its answer.
    pub fn mode(&self) -> Option<&str> {
        self.mode.as_deref().filter(|_| self.wanted_mode.is_none())
    }

    /// Whether a permission request in the session may be about another tool call than it names: it
    /// names none, or one that no update has reported.
    pub fn has_strange_question(&self) -> bool {
        let is_strange = |call: &CallAuthority| call.is_asked && !call.is_reported;
        self.has_strange_question || self.calls.values().any(is_strange)
    }

    /// Whether the client has allowed a tool call that names this path, at any time in the session.
    pub fn has_allowed(&self, path: &str) -> bool {
        self.allowed_files.contains(&hash_of(target::path_key(path, None)))
    }

    /// The write or command that the message or value at this place shows; `None` when it is not of
    /// this turn.
    pub fn deed_at(&self, place: Span) -> Option<&Deed> {
        self.deeds.iter().find(|deed| deed.at.span() == place)
    }

    /// What has changed this file outside of the session's directories first; `None` when nothing
    /// has.
    pub fn changed_outside(&self, path: &str) -> Option<ChangedBy> {
        self.outside.get(&hash_of(target::path_key(path, None))).copied()
    }

    pub(super) fn note_outside(&mut self, path: &str, by: ChangedBy) {
        if self.outside.len() < PATHS {
            self.outside.entry(hash_of(target::path_key(path, None))).or_insert(by);
        }
    }

    /// Whether no permission request of the session can be about a write or command: the client has
    /// allowed nothing always, and neither a tool call that names it nor one that may be about it
    /// was asked about.
    pub fn is_unasked(&self, deed: &Deed) -> bool {
        let mut named = self.naming(deed).peekable();
        // A tool call of any kind may show its terminal later.
        let may_be_asked = |call: &CallAuthority| {
            let may_show = deed.kind == DeedKind::Run && call.is_reported && !call.is_over;
            call.is_asked && (may_show || call.may_do(deed.kind))
        };
        let is_asked = match named.peek() {
            Some(_) => named.any(|(_, call)| call.is_asked),
            None => self.calls().any(|(_, call)| may_be_asked(call)),
        };
        self.always.is_none() && !is_asked
    }

    /// Whether a tool call reports a write or command of this turn about which no permission request
    /// could be, and no other tool call names it.
    pub fn reports_unasked(&self, id: Text<'_>, call: &CallAuthority) -> bool {
        let is_of_another = |deed: &Deed| self.naming(deed).any(|(other, _)| id != *other);
        let mut unasked = self.deeds.iter().filter(|deed| deed.is_unasked && call.names(deed));
        unasked.any(|deed| !is_of_another(deed))
    }

    /// The tool call of an update as it is after the update. `cwd` is the session's directory, for
    /// relative paths.
    pub fn after(&self, update: &Update<'_>, cwd: Option<&str>) -> CallAuthority {
        let known = update.tool_call_id.and_then(|id| self.call(id));
        let known = known.filter(|call| !call.begins_anew(&update.kind.as_cow()));
        let mut call = known.cloned().unwrap_or_default();
        call.is_reported = true;
        call.describe(update.update, cwd);
        call
    }

    /// The tool calls that name the file or command of a request, each with its id.
    pub fn naming<'a>(
        &'a self,
        deed: &'a Deed,
    ) -> impl Iterator<Item = (&'a str, &'a CallAuthority)> {
        self.calls().filter(|(_, call)| call.names(deed))
    }

    /// The tool call under way that may, by its kind, write files or run commands, when it is the
    /// only one; `None` when there are none or several.
    pub fn only(&self, kind: DeedKind) -> Option<(&str, &CallAuthority)> {
        let mut fitting = self.calls().filter(|(_, call)| call.may_do(kind));
        let only = fitting.next()?;
        fitting.next().is_none().then_some(only)
    }

    fn admit(&mut self, id: Text<'_>) -> Option<&mut CallAuthority> {
        let id = id.as_cow();
        if !self.calls.contains_key(&*id) {
            if self.calls.len() == CALLS {
                self.is_overfull = true;
                return None;
            }
            self.calls.insert((&*id).into(), CallAuthority::default());
        }
        self.calls.get_mut(&*id)
    }

    /// Begins the next turn: forgets tool calls that have ended, and refusals, writes and commands
    /// of the turn before.
    pub(super) fn begin_turn(&mut self) {
        self.has_strange_question = self.has_strange_question();
        self.calls.retain(|_, call| call.is_reported && !call.is_over);
        for call in self.calls.values_mut() {
            (call.refused, call.early, call.has_effect) = (None, None, false);
        }
        self.unexplained.clear();
        self.deeds.clear();
        self.is_overfull = false;
    }

    pub(super) fn apply_update(
        &mut self,
        kind: &str,
        update: &Update<'_>,
        version: Option<Version>,
        cwd: Option<&str>,
        shows_unasked: bool,
    ) {
        if kind == "current_mode_update" {
            let mode = update.update.get("currentModeId").and_then(Node::text);
            self.mode = mode.map(Text::to_boxed);
            return;
        }
        let Some(id) = update.tool_call_id else { return };
        if !matches!(kind, "tool_call" | "tool_call_update") {
            return;
        }
        let Some(call) = self.admit(id) else { return };
        if call.begins_anew(kind) {
            *call = CallAuthority::default();
        }
        call.is_reported = true;
        call.shows_unasked |= shows_unasked;
        call.describe(update.update, cwd);
        if let Some((status, _)) = ToolCallStatus::set_by(update.status, version) {
            call.is_over = status.is_final();
        }
    }

    /// Notes a permission request and what it says of its tool call. `cwd` is the session's
    /// directory, for relative paths.
    pub(super) fn apply_question(
        &mut self,
        call: &Call<'_>,
        version: Option<Version>,
        cwd: Option<&str>,
    ) {
        let subject = call.param("subject");
        let report = call.param("toolCall").or_else(|| subject?.get("toolCall"));
        let own = report.and_then(|report| report.get("toolCallId")?.text());
        let id = own.or_else(|| subject?.get("toolCallId")?.text());
        let Some(id) = id else {
            self.has_strange_question = true;
            return;
        };
        let Some(authority) = self.admit(id) else { return };
        if let Some(report) = report {
            authority.describe(report, cwd);
        }
        if let Some(command) = subject.and_then(|subject| subject.get("command")?.text()) {
            authority.command = Some(target::command_text(&command.as_cow()).key);
            authority.has_input_command = true;
        }
        authority.is_reported |= version == Some(Version::V2);
        authority.is_asked = true;
        authority.open = Some(Anchor::of(call.node, &""));
        authority.early = None;
    }

    /// Notes the answer to a permission request. `denied` is given when the answer does not approve.
    /// Returns `denied`, or `None` where a newer request for the tool call was answered before, and
    /// differently.
    pub(super) fn apply_answer(
        &mut self,
        answer: &Answer<'_>,
        ask: &PermissionRequest,
        denied: Option<Denial>,
    ) -> Option<Denial> {
        let chosen = || answer.result()?.get("outcome")?.get("optionId")?.text();
        let kind = chosen().and_then(|id| ask.offered(&id.as_cow()));
        let at = Anchor::of(answer.node, &"");
        if kind.is_some_and(OptionKind::grants_always) {
            self.always = Some(at);
        }
        let Some(call) = ask.tool_call.as_deref().and_then(|id| self.calls.get_mut(id)) else {
            return denied;
        };
        call.open = None;
        let refused = denied.filter(|denied| denied.why != Refusal::UnknownOutcome);
        let allows = denied.is_none() && kind.is_some_and(OptionKind::allows);
        let is_older = answer.request.number < call.answered;
        call.answered = call.answered.max(answer.request.number);
        if is_older {
            // Which of two different answers counts is not clear.
            let is_same = refused.is_some() == call.refused.is_some();
            if is_same && allows == call.allowed.is_some() {
                return denied;
            }
            (call.refused, call.allowed) = (None, None);
            return None;
        }
        call.refused = refused;
        call.has_effect = false;
        call.allowed = None;
        if allows {
            let changed = call.files.iter().filter(|file| file.change.is_some());
            let files = changed.map(|file| file.key).collect();
            call.allowed = Some(Allowed {
                answer: at,
                command: call.command.filter(|_| call.has_input_command),
                files,
            });
            for file in &call.files {
                if self.allowed_files.len() < PATHS {
                    self.allowed_files.insert(file.key);
                }
            }
        }
        denied
    }

    /// Notes a file write or a command that the agent asks the client for.
    pub(super) fn apply_deed(&mut self, deed: Deed) {
        let is_explained = self.calls.values().any(|call| call.may_do(deed.kind));
        let mut naming = self.calls.values().filter(|call| call.names(&deed));
        let are_refused = naming.all(|call| call.refused.is_some());
        for call in self.calls.values_mut().filter(|call| call.names(&deed)) {
            call.has_effect |= are_refused;
            if call.open.is_some() && call.early.is_none() {
                call.early = Some(deed.clone());
            }
        }
        self.note_deed(deed.clone());
        if !is_explained && self.unexplained.len() < FILES {
            self.unexplained.push(deed);
        }
    }

    /// Notes a write or a command of this turn.
    pub(super) fn note_deed(&mut self, deed: Deed) {
        if self.deeds.len() < DEEDS {
            let is_unasked = self.is_unasked(&deed);
            self.deeds.push(Deed { is_unasked, ..deed });
        }
    }

    /// Whether the refusal of a tool call may not hold any more, because the client has asked for
    /// another mode or option since. It may have changed its mind: the protocol does not say which
    /// modes need no approval.
    pub fn may_be_lifted(&self, denial: &Denial) -> bool {
        denial.number < self.changed
    }

    /// Notes that the client sets the mode or an option, in the message of this number.
    pub(super) fn note_change(&mut self, number: u64) {
        self.changed = number;
    }

    pub(super) fn want_mode(&mut self, mode: Text<'_>, number: u64) {
        self.wanted_mode = Some((mode.to_boxed(), number));
    }

    /// Takes the mode in force from an answer: to `session/set_mode`, or to a request that sets up
    /// the session.
    pub(super) fn apply_mode(&mut self, answer: &Answer<'_>) {
        if let Some(mode) =
            answer.result().and_then(|result| result.path(&["modes", "currentModeId"])?.text())
        {
            self.mode = Some(mode.to_boxed());
        }
        if let Some((mode, _)) =
            self.wanted_mode.take_if(|(_, number)| *number == answer.request.number)
            && answer.result().is_some()
        {
            self.mode = Some(mode);
        }
    }
}

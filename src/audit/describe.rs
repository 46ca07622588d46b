//! What a tool call says about itself: its kind, its title, and what it works on.

use crate::{
    audit::ActionKind,
    event::{
        path,
        target::{self, Command, FileChange, ToolKind},
        target_key::TargetKey,
    },
    json::{Node, Text},
};

/// Most targets (files, commands, URLs) of a tool call that are kept to match them with the
/// client's actions. Further ones are only counted.
pub(super) const TARGETS: usize = 64;
/// Most characters of a target's text that the audit log shows; a longer text is cut off with `…`.
const LENGTH: usize = 1000;

/// A target of an action (file, command, URL, tool): its text as the log shows it, shortened, and the
/// key of the full text by which targets are compared.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) text: Box<str>,
    pub(super) key: TargetKey,
}

impl Target {
    /// A target that is not a path, such as a command or a URL.
    pub(super) fn text(text: &str) -> Self {
        Self { text: shortened(text), key: TargetKey::of(text) }
    }

    pub(super) fn command(command: &Command) -> Self {
        Self { text: shortened(&command.line), key: command.key }
    }

    /// A target that is a path. To compare it, a relative path is taken from the directory `cwd`.
    pub(super) fn path(path: &str, cwd: Option<&str>) -> Self {
        let key = TargetKey::of(&target::path_key(path, cwd));
        Self { text: shortened(&path::spelled(path)), key }
    }
}

fn shortened(text: &str) -> Box<str> {
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// What a tool call says about itself, from all its updates and permission requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Description {
    /// The `kind` of the tool call, such as `edit`, as the agent writes it; `None` while none was
    /// given.
    pub(super) kind: Option<Box<str>>,
    tool_kind: Option<ToolKind>,
    title: Option<Target>,
    /// The title of the tool call taken as a command, for a tool call of kind `execute` that names
    /// its command nowhere else; `None` for others, and for a sentence.
    title_command: Option<Target>,
    name: Option<Target>,
    /// Files that the diffs in the tool call's content change, and how.
    pub(super) changes: Vec<(FileChange, Target)>,
    pub(super) locations: Vec<Target>,
    /// Paths in the tool call's `rawInput`, the input of the tool.
    pub(super) paths: Vec<Target>,
    command: Option<Target>,
    url: Option<Target>,
    /// Ids of the terminals that the tool call has shown.
    pub(super) terminals: Vec<Box<str>>,
    /// Number of targets of the tool call beyond `TARGETS`, which are only counted.
    pub(super) more: u64,
}

impl Description {
    /// Adds the kind, title and targets that a tool call, its update or its permission request
    /// names. `cwd` is the session's directory, for relative paths.
    pub(super) fn add(&mut self, node: Node<'_>, cwd: Option<&str>) {
        let text = |name| node.get(name).and_then(Node::text);
        if let Some(kind) = text("kind") {
            self.kind = Some(kind.to_boxed());
            self.tool_kind = Some(ToolKind::of(kind));
        }
        self.add_title(node.get("title"));
        if let Some(name) = text("name").filter(|name| !name.is_empty()) {
            self.name = Some(Target::text(&target::folded(&name.as_cow())));
        }
        let path = |path: Text<'_>| Target::path(&path.as_cow(), cwd);
        if let Some(content) = node.get("content") {
            let changes = target::changes(content).map(|(change, text)| (change, path(text)));
            replace(&mut self.changes, changes, &mut self.more);
            for terminal in target::terminals(content) {
                let is_new = !self.terminals.iter().any(|own| terminal == **own);
                if is_new && self.terminals.len() < TARGETS {
                    self.terminals.push(terminal.to_boxed());
                }
            }
        }
        if let Some(locations) = node.get("locations") {
            replace(&mut self.locations, target::locations(locations).map(path), &mut self.more);
        }
        if let Some(input) = node.get("rawInput").filter(|input| input.is_object()) {
            replace(&mut self.paths, target::input_paths(input).map(path), &mut self.more);
            if let Some(command) = target::input_command(input) {
                self.command = Some(Target::command(&command));
            }
            if let Some(url) = target::input_url(input) {
                self.url = Some(Target::text(&url));
            }
        }
    }

    pub(super) fn add_title(&mut self, title: Option<Node<'_>>) {
        if let Some(title) = title.and_then(Node::text).filter(|title| !title.is_empty()) {
            let title = title.as_cow();
            self.title = Some(Target::text(&target::folded(&title)));
            self.title_command = target::title_command(&title).as_ref().map(Target::command);
        }
    }

    /// Sets the command of the tool call to the one that a permission request names.
    pub(super) fn set_command(&mut self, command: &str) {
        self.tool_kind = self.tool_kind.or(Some(ToolKind::Execute));
        self.command = Some(Target::command(&target::command_text(command)));
    }

    pub(super) fn tool_kind(&self) -> ToolKind {
        self.tool_kind.unwrap_or(ToolKind::Other)
    }

    /// Command of the tool call: from its input, or else from its title if its kind is `execute`;
    /// `None` without one.
    pub(super) fn command(&self) -> Option<&Target> {
        let titled = (self.tool_kind() == ToolKind::Execute).then_some(self.title_command.as_ref());
        self.command.as_ref().or(titled.flatten())
    }

    /// Whether the tool call names, other than by its title, what an action of this kind works on: a
    /// file or a command.
    pub(super) fn names_any(&self, kind: ActionKind) -> bool {
        match kind {
            ActionKind::Run => self.command.is_some(),
            _ => self.file_keys().next().is_some(),
        }
    }

    /// The target by which the log shows a tool call without files or commands: its title, else its
    /// name, else `unnamed tool`.
    pub(super) fn title(&self) -> Target {
        let unnamed = || Target::text("unnamed tool");
        self.title.clone().or_else(|| self.name.clone()).unwrap_or_else(unnamed)
    }

    fn name(&self) -> Target {
        self.name.clone().unwrap_or_else(|| self.title())
    }

    /// What the diffs of the tool call do to files: write, delete or move, with each file once.
    pub(super) fn diffs(&self) -> Vec<(ActionKind, Target)> {
        let change = |(change, target): &(_, Target)| (ActionKind::of(*change), target.clone());
        unique(self.changes.iter().map(change))
    }

    /// Files that the tool call works on: its locations, or else the paths in its input.
    fn files(&self) -> &[Target] {
        if self.locations.is_empty() { &self.paths } else { &self.locations }
    }

    /// Actions of this kind on the files of the tool call; on its title where it names no file.
    pub(super) fn by_kind(&self, kind: ActionKind) -> Vec<(ActionKind, Target)> {
        let files = self.files();
        if files.is_empty() {
            return vec![(kind, self.title())];
        }
        unique(files.iter().map(|target| (kind, target.clone())))
    }

    /// Action of a tool call that is about neither files nor commands: a fetch, a search, or
    /// another tool.
    pub(super) fn other(&self) -> (ActionKind, Target) {
        let url = || self.url.clone().unwrap_or_else(|| self.title());
        match self.tool_kind() {
            ToolKind::Fetch => (ActionKind::Fetch, url()),
            ToolKind::Search => (ActionKind::Search, url()),
            _ => (ActionKind::Tool, self.name()),
        }
    }

    /// Hashes of all files that the tool call names in diffs, locations and input, to compare them
    /// with the client's actions.
    pub(super) fn file_keys(&self) -> impl Iterator<Item = u64> {
        let changes = self.changes.iter().map(|(_, target)| target);
        changes.chain(&self.locations).chain(&self.paths).map(|target| target.key.text)
    }
}

/// Replaces a list of targets (files, commands) by a new one, unless that is empty. Adds to `more`
/// the number of targets beyond `TARGETS`.
fn replace<T>(own: &mut Vec<T>, new: impl Iterator<Item = T>, more: &mut u64) {
    let mut new = new.peekable();
    if new.peek().is_none() {
        return;
    }
    own.clear();
    own.extend(new.by_ref().take(TARGETS));
    *more += new.count() as u64;
}

/// Removes repeated actions on one target; the first of equal ones stays.
fn unique(actions: impl Iterator<Item = (ActionKind, Target)>) -> Vec<(ActionKind, Target)> {
    let mut unique: Vec<(ActionKind, Target)> = Vec::new();
    for (kind, target) in actions {
        if !unique.iter().any(|(own, known)| *own == kind && known.key.text == target.key.text) {
            unique.push((kind, target));
        }
    }
    unique
}

impl ActionKind {
    pub(super) fn of(change: FileChange) -> Self {
        match change {
            FileChange::Write => Self::Write,
            FileChange::Delete => Self::Delete,
            FileChange::Move => Self::Move,
        }
    }
}

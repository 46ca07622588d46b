//! What a tool call says about itself: its kind, its title, and what it works on.

use crate::{
    audit::ActionKind,
    event::{
        path,
        target::{self, FileChange, ToolKind},
    },
    json::{Node, Text},
    map::hash_of,
};

/// How many targets of a tool call are followed.
pub(super) const TARGETS: usize = 64;
/// How much is kept of a target, in characters.
const LENGTH: usize = 1000;

/// A target as it is shown, with the digest of its full text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) text: Box<str>,
    pub(super) key: u64,
}

impl Target {
    /// A text such as a command or a URL.
    pub(super) fn text(text: &str) -> Self {
        Self { text: shortened(text), key: hash_of(text) }
    }

    /// A path, which may be relative to a directory.
    pub(super) fn path(path: &str, cwd: Option<&str>) -> Self {
        let key = hash_of(target::path_key(path, cwd));
        Self { text: shortened(&path::spelled(path)), key }
    }
}

fn shortened(text: &str) -> Box<str> {
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// What a tool call says about itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Description {
    /// The kind as written.
    pub(super) kind: Option<Box<str>>,
    tool_kind: Option<ToolKind>,
    title: Option<Target>,
    /// The title as a command.
    title_command: Option<Target>,
    name: Option<Target>,
    /// The changes in its diffs.
    pub(super) changes: Vec<(FileChange, Target)>,
    pub(super) locations: Vec<Target>,
    /// The paths in its input.
    pub(super) paths: Vec<Target>,
    command: Option<Target>,
    url: Option<Target>,
    /// The ids of the terminals that it has shown.
    pub(super) terminals: Vec<Box<str>>,
    /// How many targets are not followed.
    pub(super) more: u64,
}

impl Description {
    /// Takes what a tool call, its update or the question about it says.
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
                self.command = Some(Target::text(&command));
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
            self.title_command = Some(Target::text(&target::title_command(&title)));
        }
    }

    /// Takes a command that the client is asked to allow.
    pub(super) fn set_command(&mut self, command: &str) {
        self.tool_kind = self.tool_kind.or(Some(ToolKind::Execute));
        self.command = Some(Target::text(&target::command_text(command)));
    }

    pub(super) fn tool_kind(&self) -> ToolKind {
        self.tool_kind.unwrap_or(ToolKind::Other)
    }

    /// The command that it names, in its input or else in its title.
    pub(super) fn command(&self) -> Option<&Target> {
        let titled = (self.tool_kind() == ToolKind::Execute).then_some(self.title_command.as_ref());
        self.command.as_ref().or(titled.flatten())
    }

    /// What the agent calls the tool, or what it says that it does.
    pub(super) fn title(&self) -> Target {
        let unnamed = || Target::text("unnamed tool");
        self.title.clone().or_else(|| self.name.clone()).unwrap_or_else(unnamed)
    }

    fn name(&self) -> Target {
        self.name.clone().unwrap_or_else(|| self.title())
    }

    /// The files that it writes, deletes or moves by its diffs.
    pub(super) fn diffs(&self) -> Vec<(ActionKind, Target)> {
        let change = |(change, target): &(_, Target)| (ActionKind::of(*change), target.clone());
        unique(self.changes.iter().map(change))
    }

    /// The first of its places and its input that names files.
    fn files(&self) -> &[Target] {
        if self.locations.is_empty() { &self.paths } else { &self.locations }
    }

    /// The files that a tool of its kind works on, where no diff names them.
    pub(super) fn by_kind(&self, kind: ActionKind) -> Vec<(ActionKind, Target)> {
        let files = self.files();
        if files.is_empty() {
            return vec![(kind, self.title())];
        }
        unique(files.iter().map(|target| (kind, target.clone())))
    }

    /// What a tool that is not about files or commands works on.
    pub(super) fn other(&self) -> (ActionKind, Target) {
        let url = || self.url.clone().unwrap_or_else(|| self.title());
        match self.tool_kind() {
            ToolKind::Fetch => (ActionKind::Fetch, url()),
            ToolKind::Search => (ActionKind::Search, url()),
            _ => (ActionKind::Tool, self.name()),
        }
    }

    /// The keys of the files that it says it works on.
    pub(super) fn file_keys(&self) -> impl Iterator<Item = u64> {
        let changes = self.changes.iter().map(|(_, target)| target);
        changes.chain(&self.locations).chain(&self.paths).map(|target| target.key)
    }
}

/// Puts new values in the place of old ones, if there are any.
fn replace<T>(own: &mut Vec<T>, new: impl Iterator<Item = T>, more: &mut u64) {
    let mut new = new.peekable();
    if new.peek().is_none() {
        return;
    }
    own.clear();
    own.extend(new.by_ref().take(TARGETS));
    *more += new.count() as u64;
}

/// Each action once, in the order in which they are named first.
fn unique(actions: impl Iterator<Item = (ActionKind, Target)>) -> Vec<(ActionKind, Target)> {
    let mut unique: Vec<(ActionKind, Target)> = Vec::new();
    for (kind, target) in actions {
        if !unique.iter().any(|(own, known)| *own == kind && known.key == target.key) {
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

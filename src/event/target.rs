//! What a tool call or a request works on: files, commands and URLs, as the agent names them.
//!
//! In go the members of a tool call, its `rawInput`, a command with its arguments; out come texts in one
//! spelling, so that two messages about the same thing are recognised.

use std::borrow::Cow;

use crate::{
    event::{path, target_key::TargetKey},
    json::{Node, Text},
};

/// What a diff of a tool call does to its file, such as creating it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileChange {
    Write,
    Delete,
    Move,
}

/// The `kind` of a tool call in the protocol, by which rules judge what the call may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    Read,
    Edit,
    Delete,
    Move,
    Search,
    Execute,
    Fetch,
    Think,
    SwitchMode,
    /// The kind `other`, no kind, or one that the protocol does not define.
    Other,
}

impl ToolKind {
    pub fn of(kind: Text<'_>) -> Self {
        kind.read(|kind| match kind {
            "read" => Self::Read,
            "edit" => Self::Edit,
            "delete" => Self::Delete,
            "move" => Self::Move,
            "search" => Self::Search,
            "execute" => Self::Execute,
            "fetch" => Self::Fetch,
            "think" => Self::Think,
            "switch_mode" => Self::SwitchMode,
            _ => Self::Other,
        })
    }

    /// What a tool of this kind does to the files that it names; `None` for kinds that do not say
    /// so.
    pub fn change(self) -> Option<FileChange> {
        match self {
            Self::Edit => Some(FileChange::Write),
            Self::Delete => Some(FileChange::Delete),
            Self::Move => Some(FileChange::Move),
            _ => None,
        }
    }

    /// Whether a tool of this kind may write, delete or move a file. True for `Other`.
    pub fn may_write(self) -> bool {
        self.change().is_some() || self == Self::Other
    }

    /// Whether a tool of this kind may keep a list of tasks.
    pub fn may_keep_lists(self) -> bool {
        !matches!(self, Self::Read | Self::Search | Self::Fetch)
    }

    /// Whether a tool of this kind may run a command. True for `Other`; for `Delete` and `Move`, since
    /// a client has no other method for them.
    pub fn may_run(self) -> bool {
        matches!(self, Self::Execute | Self::Other | Self::Delete | Self::Move)
    }
}

/// The files that the diffs in a tool call's `content` change: how, and the path as written. Of a
/// file that is moved, the new path.
pub fn changes(content: Node<'_>) -> impl Iterator<Item = (FileChange, Text<'_>)> {
    let diffs = content.elements().filter(|part| part.get("type").is_some_and(|it| it.is("diff")));
    diffs.flat_map(|diff| {
        let own = diff.get("path").and_then(Node::text).map(|path| (FileChange::Write, path));
        let changes = diff.get("changes").into_iter().flat_map(Node::elements);
        own.into_iter().chain(changes.filter_map(change))
    })
}

/// The change and the path of one element of a diff's `changes`, on version 2; `None` when it lacks
/// a path or an operation.
fn change(change: Node<'_>) -> Option<(FileChange, Text<'_>)> {
    let operation = change.get("operation")?.text()?;
    let kind = operation.read(|operation| match operation {
        "delete" => FileChange::Delete,
        "move" => FileChange::Move,
        _ => FileChange::Write,
    });
    Some((kind, change.get("path")?.text()?))
}

/// The ids of the terminals that a tool call's `content` shows.
pub fn terminals(content: Node<'_>) -> impl Iterator<Item = Text<'_>> {
    content.elements().filter_map(|part| {
        let is_terminal = part.get("type").is_some_and(|kind| kind.is("terminal"));
        is_terminal.then(|| part.get("terminalId")?.text()).flatten()
    })
}

/// The paths of a tool call's `locations`, as written.
pub fn locations(locations: Node<'_>) -> impl Iterator<Item = Text<'_>> {
    locations.elements().filter_map(|location| location.get("path")?.text())
}

/// The paths in a tool call's `rawInput`, under the names that agents use for them, such as
/// `file_path`.
pub fn input_paths(input: Node<'_>) -> impl Iterator<Item = Text<'_>> {
    let named = ["file_path", "filePath", "path", "abs_path"];
    let named = named.into_iter().filter_map(move |name| input.get(name)?.text());
    let changes = input.get("changes").filter(|changes| changes.is_object());
    named.chain(changes.into_iter().flat_map(Node::members).filter_map(|(name, _)| name.text()))
}

/// A command as one line, and what it is compared by.
#[derive(Clone, Debug)]
pub struct Command {
    pub line: String,
    pub key: TargetKey,
}

/// The command in a tool call's `rawInput`, as `command_text` or `command_line` writes it; `None`
/// without one.
pub fn input_command(input: Node<'_>) -> Option<Command> {
    let node = ["command", "cmd"].iter().find_map(|name| input.get(name))?;
    if let Some(text) = node.text() {
        return Some(command_text(&text.as_cow())).filter(|command| !command.line.is_empty());
    }
    let words: Vec<_> = node.elements().filter_map(Node::text).map(Text::as_cow).collect();
    let (program, arguments) = words.split_first()?;
    Some(command_line(program, arguments))
}

/// The `url` in a tool call's `rawInput`, as `bare_url` writes it; `None` without one.
pub fn input_url(input: Node<'_>) -> Option<String> {
    Some(bare_url(&input.get("url")?.text()?.as_cow()))
}

/// A program with its arguments as one line, for comparison: blanks folded, and the script alone
/// when the program is a shell that runs one.
pub fn command_line(program: &str, arguments: &[Cow<'_, str>]) -> Command {
    if let Some(script) = script(program, arguments) {
        let mut command = command_text(&script);
        if is_windows_shell(program) {
            command.key.forget_words();
        }
        return command;
    }
    if arguments.is_empty() {
        return command_text(program);
    }
    let mut line = program.to_owned();
    for argument in arguments {
        line.push(' ');
        line.push_str(argument);
    }
    let line = folded(&line);
    let words = [program].into_iter().chain(arguments.iter().map(|argument| &**argument));
    let key = TargetKey::of_words(&line, words);
    Command { line, key }
}

/// A command as a person would type it, as one line, for comparison: blanks folded, and the script
/// alone when a shell is given one.
pub fn command_text(text: &str) -> Command {
    let line = folded(text);
    let mut words = line.splitn(3, ' ');
    if let (Some(program), Some(flag), Some(script)) = (words.next(), words.next(), words.next())
        && is_shell_with(program, flag)
    {
        let line = unquoted(script).trim().to_owned();
        let mut key = TargetKey::of_text(&line);
        // Within the quotes of the script, other quotes may mean something else.
        if line.contains(['"', '\'', '\\']) {
            key.forget_words();
        }
        return Command { line, key };
    }
    // Blanks within quotes count for the words alone.
    let key = TargetKey { text: TargetKey::of(&line).text, ..TargetKey::of_text(text) };
    Command { line, key }
}

/// The script that a shell is given by a flag such as `-c`; `None` when the program is not a shell
/// or runs no script.
fn script(program: &str, arguments: &[Cow<'_, str>]) -> Option<String> {
    let place = arguments.iter().position(|flag| is_shell_with(program, flag))?;
    let are_flags = arguments[..place].iter().all(|flag| flag.starts_with(['-', '/']));
    let rest = arguments.get(place + 1..).filter(|rest| are_flags && !rest.is_empty())?;
    // A shell of POSIX takes one script; what follows are its arguments.
    Some(if is_windows_shell(program) { rest.join(" ") } else { rest[0].to_string() })
}

/// Whether a program is a shell, and `flag` the one that stands before a script, such as `-c` or
/// `/c`.
fn is_shell_with(program: &str, flag: &str) -> bool {
    let flag = flag.to_ascii_lowercase();
    match shell(program).as_str() {
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish" => {
            flag.starts_with('-') && !flag.starts_with("--") && flag.ends_with('c')
        }
        "cmd" => flag == "/c",
        "powershell" | "pwsh" => matches!(flag.as_str(), "-command" | "-c"),
        _ => false,
    }
}

fn is_windows_shell(program: &str) -> bool {
    matches!(shell(program).as_str(), "cmd" | "powershell" | "pwsh")
}

/// The name of a program without its directory, in lower case and without `.exe`.
fn shell(program: &str) -> String {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program).to_ascii_lowercase();
    name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)
}

/// A text without a pair of quotes around it; unchanged when the same quote also occurs within.
fn unquoted(text: &str) -> &str {
    for quote in ['\'', '"'] {
        let within = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
        if let Some(within) = within.filter(|within| !within.contains(quote)) {
            return within;
        }
    }
    text
}

/// A text on one line: white space becomes single blanks, with none at the ends.
pub fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

/// The title of a tool call read as a command, as `command_text` writes it; `None` for a sentence such
/// as `Run the tests`. Some agents put the command between backticks.
pub fn title_command(title: &str) -> Option<Command> {
    let title = title.trim();
    let within = title.strip_prefix('`').and_then(|title| title.strip_suffix('`'));
    if let Some(command) = within.filter(|within| !within.contains('`')) {
        return Some(command_text(command));
    }
    (!is_sentence(title)).then(|| command_text(title))
}

/// Whether a title is a sentence for people, not a command: it begins with a word that has a capital
/// and then small letters, and the next word is of letters, or between quotes or backticks.
fn is_sentence(title: &str) -> bool {
    let mut words = title.split_whitespace();
    let (Some(first), Some(second)) = (words.next(), words.next()) else { return false };
    let mut letters = first.trim_end_matches([',', ':']).chars();
    let is_capitalised = letters.next().is_some_and(char::is_uppercase)
        && letters.clone().next().is_some()
        && letters.all(char::is_lowercase);
    let second = second.trim_end_matches([',', ':', '.', ';']);
    is_capitalised
        && (second.starts_with(['`', '\'', '"']) || second.chars().all(char::is_alphabetic))
}

/// A URL without user, query and fragment, which may hold secrets. Blanks are folded.
pub fn bare_url(url: &str) -> String {
    let url = folded(url);
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = &url[..end];
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}

/// A key by which paths of messages are compared, see `path::key`. A relative path is taken from
/// the directory `cwd`, unless the path is masked or `cwd` unknown.
pub fn path_key(path: &str, cwd: Option<&str>) -> String {
    match (path::PathFamily::of(path), cwd) {
        (None, Some(cwd)) if !path::is_masked(path) => path::key(&[cwd, "/", path].concat()),
        _ => path::key(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_known_in_a_shell() {
        let line = |words: &[&str]| {
            let words: Vec<Cow<'_, str>> = words.iter().map(|word| (*word).into()).collect();
            command_line(&words[0], &words[1..]).line
        };
        for words in [
            &["make", "clean"][..],
            &["make  clean"],
            &["sh", "-c", "make clean"],
            &["/bin/bash", "-lc", "make   clean"],
            &["bash", "-l", "-c", "make clean"],
            &["bash -lc 'make clean'"],
            &["cmd.exe", "/C", "make", "clean"],
            &["powershell", "-NoProfile", "-Command", "make clean"],
        ] {
            assert_eq!(line(words), "make clean", "{words:?}");
        }
        for words in [&["bash", "make", "clean"][..], &["sh", "run.sh", "-c", "make clean"]] {
            assert_ne!(line(words), "make clean", "{words:?}");
        }
        let titled = |title| title_command(title).map(|command| command.line);
        assert_eq!(titled("`make clean`").as_deref(), Some("make clean"));
        assert_eq!(titled("run `a` and `b`").as_deref(), Some("run `a` and `b`"));
    }

    #[test]
    fn a_sentence_is_no_command() {
        for title in ["Run the tests", "Running: make", "Execute `make clean`", "Führe Tests aus"]
        {
            assert!(title_command(title).is_none(), "{title}");
        }
        for title in ["Get-ChildItem C", "Rscript tests.R", "FOO=1 make", "Make", "make the tea"] {
            assert_eq!(title_command(title).unwrap().line, title);
        }
    }

    #[test]
    fn one_command_has_several_spellings() {
        let key = |words: &[&str]| {
            let words: Vec<Cow<'_, str>> = words.iter().map(|word| (*word).into()).collect();
            command_line(&words[0], &words[1..]).key
        };
        for (one, other) in [
            (&["git commit -m \"two words\""][..], &["git", "commit", "-m", "two words"][..]),
            (&["git commit -m 'two  words'"], &["git", "commit", "-m", "two  words"]),
            (&["git commit -m two\\ words"], &["git", "commit", "-m", "two words"]),
            (&["git commit -m \"\""], &["git", "commit", "-m", ""]),
            (&["make clean"], &["/usr/bin/make", "clean"]),
            (&["bash", "-c", "echo 'a;b'"], &["echo", "a;b"]),
            (&["ls *.rs"], &["ls", "*.rs"]),
        ] {
            assert!(key(one).is_same(key(other)), "{one:?} {other:?}");
        }
        for (one, other) in [
            (&["rm \"a b\""][..], &["rm", "a", "b"][..]),
            (&["rm 'a b'"], &["rm a b"]),
            (&["echo 'a;b'"], &["echo a;b"]),
            (&["echo '$HOME'"], &["echo $HOME"]),
            (&["echo \"$HOME\""], &["echo", "$HOME"]),
            (&["ls '*.rs'"], &["ls *.rs"]),
            (&["./make clean"], &["make", "clean"]),
            (&["/tmp/make clean"], &["make", "clean"]),
            (&["A=1 make"], &["'A=1' make"]),
            (&["type C:\\new"], &["type", "C:new"]),
            (&["bash -c 'echo \"a b\"'"], &["echo \"a b\" c"]),
            (&["cmd", "/c", "echo 'a b'"], &["echo", "a b"]),
        ] {
            assert!(!key(one).is_same(key(other)), "{one:?} {other:?}");
        }
    }

    #[test]
    fn urls_lose_what_may_be_secret() {
        assert_eq!(bare_url("https://me:key@a.test/b?token=1#c"), "https://a.test/b");
        assert_eq!(bare_url("https://a.test?x"), "https://a.test");
        assert_eq!(bare_url("mailto:a@b.test"), "mailto:a@b.test");
    }
}

//! What a session's turns leave to be replayed: texts and tool calls, kept as a few hashes each.
//!
//! Texts are compared by their letters and digits in lower case, so that marks, line breaks and the
//! cuts of chunks make no difference.

use std::{cmp::Ordering, iter};

use crate::{
    event::{Call, Update},
    json::{Node, Text},
    map::{self, Set},
    model::{anchor::Anchor, digest, letters},
    source::Span,
};

/// Length in letters of the windows by which texts are compared. A text of this length or more is
/// known by hashes of windows in it; a shorter one by one hash of all its letters.
pub(super) const WINDOW: usize = 16;
/// How many letters at the beginning, and how many at the end, of a text are hashed. The middle of
/// a longer text is not compared.
const REACH: usize = 512;
/// How many bytes at the end of a long text are kept while more may come: those of `REACH` letters at
/// least.
const LAST: usize = 4 * REACH;
/// How many hashes are kept of the beginning of a text, and how many of its end.
const KEPT: usize = 4;
/// How many of a session's first items (texts and tool calls) are kept when there are more than
/// `MOST`; the others are its last ones.
const FIRST: usize = 16;
const MOST: usize = 64;
/// Most messages, and most tool calls, that are kept of one turn while it is under way. Further
/// ones are ignored.
const MOST_OF_TURN: usize = 256;
/// Most slash commands of a session whose hashes are kept on one connection.
const MOST_COMMANDS: usize = 16;

/// The time of a message, by which messages of several files can be ordered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct When {
    /// Number of the file, see [`Shelves::number`](super::Shelves::number); 0 when the file is
    /// checked without others.
    pub file: u32,
    /// Offset of the message in the file, in bytes from 0.
    pub place: u64,
    /// Seconds since 1970; `None` where the recorder gives no such time.
    pub time: Option<f64>,
}

impl When {
    /// Which of two messages came first: by their places in one file, else by their times. `None`
    /// when one of them has no time.
    pub(super) fn order(self, other: Self) -> Option<Ordering> {
        if self.file == other.file {
            return Some(self.place.cmp(&other.place));
        }
        self.time?.partial_cmp(&other.time?)
    }

    /// Whether the message certainly came before the other: earlier in the same file, or at least
    /// `margin` seconds earlier by the clocks of two files.
    pub(super) fn is_before(self, other: Self, margin: f64) -> bool {
        if self.file == other.file {
            return self.place < other.place;
        }
        self.time.zip(other.time).is_some_and(|(own, other)| own + margin <= other)
    }
}

/// Who speaks in a message of a session's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Agent,
    /// The agent's thoughts.
    Thought,
}

impl Speaker {
    /// The speaker of a session update of this kind, such as `agent_message_chunk`; `None` for
    /// updates that are not messages.
    pub(super) fn of(kind: &str) -> Option<Self> {
        match kind {
            "user_message" | "user_message_chunk" => Some(Self::User),
            "agent_message" | "agent_message_chunk" => Some(Self::Agent),
            "agent_thought" | "agent_thought_chunk" => Some(Self::Thought),
            _ => None,
        }
    }
}

/// A text or a finished tool call of a session's history, which the agent has to repeat when it
/// replays the session. Its content is known only by hashes.
#[derive(Clone, Debug)]
pub struct Item {
    pub kind: ItemKind,
    /// Whether the item was part of a turn on this connection, not of a replay.
    pub(super) is_live: bool,
    /// Number of the item's turn on its connection, from 1; a replay counts as a turn.
    pub turn: u32,
    /// What the item is recognized by. For a text: hashes of windows, or one hash of a short text.
    /// For a tool call: the hashes of [`ReplayedCall`]. Unused places are 0.
    pub(super) hashes: [u64; 2 * KEPT],
    /// Of a text that is one message of the agent: the hash of its id; 0 where it has none, or where another
    /// text has the same.
    pub(super) message: u64,
    /// Where it stands.
    pub at: Anchor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// The text of a prompt, with its number of letters, at most 255.
    User(u8),
    /// The text of the agent between two prompts, with its number of letters, at most 255.
    Agent(u8),
    /// A tool call that was completed or has failed. `is_unique` is false when another call of the
    /// session has the same id.
    ToolCall { is_unique: bool },
}

impl Item {
    /// The number of letters of a text, up to 255; 0 for tool calls.
    pub(super) fn letters(&self) -> usize {
        match self.kind {
            ItemKind::User(letters) | ItemKind::Agent(letters) => letters.into(),
            ItemKind::ToolCall { .. } => 0,
        }
    }

    /// Whether the item is a text of at least 16 letters, so that the same text elsewhere is hardly
    /// a coincidence.
    pub(super) fn is_telling(&self) -> bool {
        self.letters() >= WINDOW
    }

    pub(super) fn is_call(&self) -> bool {
        matches!(self.kind, ItemKind::ToolCall { .. })
    }

    /// Whether both items are the same text, or tool calls with the same id.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.likeness() == other.likeness()
    }

    /// A key that is equal for items with the same text by the same side, and for tool calls with
    /// the same id.
    pub(super) fn likeness(&self) -> (u8, [u64; 2 * KEPT]) {
        match self.kind {
            ItemKind::User(_) => (0, self.hashes),
            ItemKind::Agent(_) => (1, self.hashes),
            ItemKind::ToolCall { .. } => {
                let mut id = [0; 2 * KEPT];
                id[0] = self.hashes[ID];
                (2, id)
            }
        }
    }
}

/// The letters and digits of a text, in lower case and without accents. Only these are compared, since
/// agents change spaces and marks in a replay, leave out codes of colors, and escape characters.
pub fn letters(text: &str) -> impl Iterator<Item = char> {
    letters::plain(visible(text)).filter(|character| character.is_alphanumeric())
}

/// The characters of a text without its codes of colors, and with those that its escapes stand for.
///
/// A code of a color begins with an escape character and ends with a letter. Escapes are those of HTML
/// (`&lt;`, `&#39;`) and of JSON (`\n`, `\u00e9`); an escaped mark or line break is given as a space.
pub fn visible(text: &str) -> impl Iterator<Item = char> {
    let mut rest = text;
    iter::from_fn(move || {
        loop {
            let mut characters = rest.chars();
            let character = characters.next()?;
            rest = characters.as_str();
            match character {
                '\u{1b}' => {
                    let end = rest.find(|character: char| character.is_ascii_alphabetic());
                    rest = end.map_or("", |end| &rest[end + 1..]);
                }
                '&' => return Some(unescape_html(&mut rest)),
                '\\' => return Some(unescape_json(&mut rest)),
                _ => return Some(character),
            }
        }
    })
}

/// The character of an escape such as `&lt;` whose `&` has been taken from the text; `&` where none
/// follows. A text may be escaped more than once: `&amp;lt;`.
fn unescape_html(rest: &mut &str) -> char {
    /// Most letters or digits of an escape.
    const LONGEST: usize = 8;
    while let Some(behind) = rest.strip_prefix("amp;") {
        *rest = behind;
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    let length = rest.bytes().take(LONGEST + 1).take_while(is_name).count();
    let (name, behind) = rest.split_at(length);
    let Some(behind) = behind.strip_prefix(';').filter(|_| (2..=LONGEST).contains(&length)) else {
        return '&';
    };
    let code = match name.strip_prefix('#').map(|code| code.strip_prefix(['x', 'X']).ok_or(code)) {
        Some(Ok(hex)) => u32::from_str_radix(hex, 16).ok(),
        Some(Err(decimal)) => decimal.parse().ok(),
        None => Some(u32::from(' ')),
    };
    let Some(character) = code.and_then(char::from_u32) else { return '&' };
    *rest = behind;
    character
}

/// The character of an escape such as `\n` or `\u00e9` whose `\` has been taken from the text; `\` where
/// none follows. A text may be escaped more than once: `\\n`.
fn unescape_json(rest: &mut &str) -> char {
    let behind = rest.trim_start_matches('\\');
    if let Some(behind) = behind.strip_prefix(['n', 'r', 't']) {
        *rest = behind;
        return ' ';
    }
    let code = behind.strip_prefix('u').and_then(|behind| behind.split_at_checked(4));
    if let Some((digits, behind)) = code
        && let Ok(code) = u32::from_str_radix(digits, 16)
    {
        *rest = behind;
        return char::from_u32(code).unwrap_or(' ');
    }
    // All of a row of backslashes is taken, so that a long one is read once.
    *rest = behind;
    '\\'
}

/// A rolling hash of the last letters of a text. The hashes are the same in every process of
/// acpcheck.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rolling {
    hash: u64,
    /// The factor by which a letter counts when it leaves the window.
    leaving: u64,
}

impl Rolling {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

    /// An empty rolling hash over a window of `length` letters.
    pub(super) fn of(length: usize) -> Self {
        Self { hash: 0, leaving: (0..length).fold(1, |power, _| Self::FACTOR.wrapping_mul(power)) }
    }

    /// Adds a letter to the window. `leaving` is the letter that leaves the window; `None` while
    /// the window is not full.
    pub(super) fn take(&mut self, letter: char, leaving: Option<char>) {
        let number = |letter: char| u64::from(u32::from(letter)) + 1;
        self.hash = self.hash.wrapping_mul(Self::FACTOR).wrapping_add(number(letter));
        if let Some(leaving) = leaving {
            self.hash = self.hash.wrapping_sub(number(leaving).wrapping_mul(self.leaving));
        }
    }

    /// The hash of the letters in the window, never 0. `length` is the number of letters in it.
    pub(super) fn hash(self, length: usize) -> u64 {
        let mut hash = self.hash ^ (length as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        for _ in 0..2 {
            hash = (hash ^ (hash >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        }
        (hash ^ (hash >> 32)).max(1)
    }
}

/// Stands where something other than text came between two pieces of a text, such as a link or a tool
/// call. A replay may show that as text. No hash crosses it.
const SEAM: char = '\0';

/// The beginning and the end of a text, from which its hashes are made.
#[derive(Clone, Debug, Default)]
struct Excerpt {
    /// The first letters and seams, at most `REACH`.
    head: Vec<char>,
    /// What stands behind `head`: letters, or text as it came. Of a long text its end, of `LAST` bytes
    /// or more.
    tail: String,
    /// Whether text between `head` and `tail` was dropped.
    is_cut: bool,
    /// Whether the text has a character that an agent may escape in a replay, or that begins an escape
    /// which chunks may cut, such as `&` or `\`.
    /// Short texts of this kind are not compared.
    is_marked: bool,
    at: Option<Anchor>,
}

impl Excerpt {
    /// Adds the texts of a content, a block or a list of blocks, that are for the user.
    fn take(&mut self, content: Node<'_>, at: Anchor) {
        each_block(content, &mut |block, text| match text {
            Some(text) if is_for_user(block) => self.add(text, at),
            _ => self.seam(),
        });
    }

    fn add(&mut self, text: &str, at: Anchor) {
        self.at = self.at.or(Some(at));
        let is_short = self.head.len() < REACH;
        self.is_marked |= is_short && text.contains(['&', '<', '>', '"', '\'', '\\']);
        // The middle of a long text is dropped without a look at its letters. What an escape hides ends
        // with its text, and must not reach into the next one.
        let begins_escape = |byte: &u8| matches!(byte, b'\x1b' | b'&' | b'\\' | b'\0');
        if is_short || text.as_bytes().iter().any(begins_escape) {
            letters(text).for_each(|letter| self.push(letter));
        } else {
            self.extend(text);
        }
    }

    fn push(&mut self, letter: char) {
        if self.head.len() < REACH {
            self.head.push(letter);
        } else {
            self.extend(letter.encode_utf8(&mut [0; 4]));
        }
    }

    /// Adds a text behind `tail`, and drops what is more than twice `LAST` bytes from the end.
    fn extend(&mut self, text: &str) {
        let last = |text: &str| {
            let begin = text.len().saturating_sub(LAST);
            (begin..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(begin)
        };
        let begin = last(text);
        if begin > 0 {
            self.tail.clear();
            self.is_cut = true;
        }
        self.tail.push_str(&text[begin..]);
        if self.tail.len() > 2 * LAST {
            self.tail.drain(..last(&self.tail));
            self.is_cut = true;
        }
    }

    /// Notes that something other than text comes next.
    fn seam(&mut self) {
        let is_seam = match self.tail.chars().next_back().or(self.head.last().copied()) {
            Some(last) => last == SEAM,
            None => true,
        };
        if !is_seam {
            self.push(SEAM);
        }
    }

    /// The letters of `tail`, with its seams.
    fn tail(&self) -> Vec<char> {
        let mut tail = Vec::new();
        for (index, piece) in self.tail.split(SEAM).enumerate() {
            tail.extend((index > 0).then_some(SEAM));
            tail.extend(letters(piece));
        }
        tail
    }

    /// Adds the letters of the next message.
    fn append(&mut self, other: &Self) {
        self.seam();
        self.at = self.at.or(other.at);
        other.head.iter().for_each(|letter| self.push(*letter));
        if other.is_cut {
            // No window lies across what was dropped.
            self.seam();
        }
        other.tail().into_iter().for_each(|letter| self.push(letter));
        self.is_marked |= other.is_marked;
    }

    /// The hashes that stand for the text, and its number of letters, at most 255. `None` for a
    /// text that cannot be recognized: one without letters, a stand-in such as `xxxxxx`, or a short
    /// one with marks.
    fn hashes(&self) -> Option<([u64; 2 * KEPT], u8)> {
        /// The least number of different letters in a real text of as many letters or more. Others
        /// stand in for a text that was masked.
        const DIFFERENT: usize = 6;
        let mut all = self.head.clone();
        if self.is_cut {
            all.push(SEAM);
        }
        all.extend(self.tail());
        let length = all.iter().filter(|letter| **letter != SEAM).count();
        let different: Set<char> = all.iter().copied().filter(|letter| *letter != SEAM).collect();
        let is_stand_in = length >= DIFFERENT && different.len() < DIFFERENT;
        let mut hashes = [0; 2 * KEPT];
        let longest = all.split(|letter| *letter == SEAM).max_by_key(|piece| piece.len());
        let longest = longest.unwrap_or_default();
        if length == 0 || is_stand_in || (longest.len() < WINDOW && self.is_marked) {
            return None;
        }
        if longest.len() < WINDOW {
            let length = longest.len();
            let mut rolling = Rolling::of(length);
            for letter in longest {
                rolling.take(*letter, None);
            }
            hashes[0] = rolling.hash(length);
            return Some((hashes, u8::try_from(length).unwrap_or(u8::MAX)));
        }
        hashes[..KEPT].copy_from_slice(&smallest(&self.head));
        hashes[KEPT..].copy_from_slice(&smallest(&all[all.len().saturating_sub(REACH)..]));
        if hashes == [0; 2 * KEPT] {
            // The one long piece lies where the beginning ends.
            return None;
        }
        Some((hashes, u8::try_from(length).unwrap_or(u8::MAX)))
    }
}

/// The smallest hashes of all windows of a text without seams, by which the text is recognized; 0 when
/// it has fewer windows.
fn smallest(text: &[char]) -> [u64; KEPT] {
    let mut rolling = Rolling::of(WINDOW);
    let mut hashes = Vec::with_capacity(text.len());
    let mut begin = 0;
    for (index, letter) in text.iter().enumerate() {
        rolling.take(*letter, index.checked_sub(WINDOW).map(|leaving| text[leaving]));
        if *letter == SEAM {
            begin = index + 1;
        }
        if index + 1 >= begin + WINDOW {
            hashes.push(rolling.hash(WINDOW));
        }
    }
    hashes.sort_unstable();
    hashes.dedup();
    let mut kept = [0; KEPT];
    kept.iter_mut().zip(hashes).for_each(|(kept, hash)| *kept = hash);
    kept
}

/// What is known of a tool call from its reports, in a turn or in a replay.
#[derive(Clone, Debug)]
pub(super) struct ReplayedCall {
    /// By the indices `ID`, `TITLE`, `INPUT`, `LOCATION` and `KIND`: hashes of these members; at
    /// `STATUS`: `COMPLETED` or `FAILED`. 0 for what no report gave.
    pub(super) known: [u64; 6],
    pub(super) at: Anchor,
    /// Place of the last report that gave a status or a kind; of the first report before that.
    pub(super) stated: Anchor,
    /// How many `tool_call` updates have created the tool call; more than one when its id is used
    /// again.
    pub(super) creations: u32,
    /// Whether a subagent of another tool call makes it.
    is_nested: bool,
}

pub(super) const ID: usize = 0;
pub(super) const TITLE: usize = 1;
pub(super) const INPUT: usize = 2;
pub(super) const LOCATION: usize = 3;
pub(super) const KIND: usize = 4;
pub(super) const STATUS: usize = 5;
pub(super) const COMPLETED: u64 = 1;
pub(super) const FAILED: u64 = 2;

impl ReplayedCall {
    pub(super) fn of(id: Text<'_>, update: &Update<'_>) -> Self {
        let at = Anchor::of(update.update, &"/params/update");
        let mut known = [0; 6];
        known[ID] = digest::of(id.node()).max(1);
        Self { known, at, stated: at, creations: 0, is_nested: false }
    }

    /// Takes the members that a report of the tool call gives; others keep their value.
    pub(super) fn apply(&mut self, update: &Update<'_>) {
        let body = update.update;
        let at = Anchor::of(body, &"/params/update");
        let value = |name: &str| body.get(name).filter(|value| !value.is_null());
        self.creations += u32::from(update.kind == "tool_call");
        let mut extensions = body.get("_meta").into_iter().flat_map(Node::members);
        self.is_nested |= extensions
            .any(|(_, own)| own.get("parentToolUseId").is_some_and(|parent| !parent.is_null()));
        if let Some(title) = value("title").and_then(Node::text) {
            self.known[TITLE] = title_hash(&title.as_cow());
        }
        if let Some(input) = value("rawInput").filter(|input| !input.is_empty()) {
            self.known[INPUT] = digest::of(input).max(1);
        }
        if let Some(path) = value("locations").and_then(|all| all.elements().next()?.get("path")) {
            self.known[LOCATION] = digest::of(path).max(1);
        }
        if let Some(kind) = value("kind") {
            self.known[KIND] = digest::of(kind).max(1);
            self.stated = at;
        }
        if let Some(status) = update.status {
            self.known[STATUS] = match () {
                () if status.is("completed") => COMPLETED,
                () if status.is("failed") => FAILED,
                () => 0,
            };
            self.stated = at;
        }
    }

    fn item(&self, turn: u32) -> Item {
        let mut hashes = [0; 2 * KEPT];
        hashes[..6].copy_from_slice(&self.known);
        let kind = ItemKind::ToolCall { is_unique: self.creations <= 1 };
        Item { kind, is_live: false, turn, hashes, message: 0, at: self.at }
    }
}

fn title_hash(title: &str) -> u64 {
    let mut rolling = Rolling::of(0);
    let mut length = 0;
    for letter in letters(title) {
        rolling.take(letter, None);
        length += 1;
    }
    if length == 0 { 0 } else { rolling.hash(length) }
}

/// The hash of the id of a message, never 0.
pub(super) fn message_hash(id: &str) -> u64 {
    map::hash_of(id.as_bytes()).max(1)
}

/// The texts of a content: a block, or a list of blocks.
pub(super) fn each_text(content: Node<'_>, say: &mut dyn FnMut(&str)) {
    each_block(content, &mut |_, text| text.into_iter().for_each(&mut *say));
}

/// Whether a content block may be shown to the user: its `annotations` name no audience, or the user is
/// in it.
fn is_for_user(block: Node<'_>) -> bool {
    let audience = block.get("annotations").and_then(|annotations| annotations.get("audience"));
    audience
        .filter(|audience| audience.is_array())
        .is_none_or(|audience| audience.elements().any(|role| role.is("user")))
}

/// The blocks of a content, which is a block or a list of blocks, with the text of each; `None` for a
/// block of another type.
fn each_block<'t>(content: Node<'t>, say: &mut dyn FnMut(Node<'t>, Option<&str>)) {
    let blocks = if content.is_array() { None } else { Some(content) };
    for block in blocks.into_iter().chain(content.elements()) {
        let is_text = block.get("type").is_some_and(|kind| kind.is("text"));
        let text = block.get("text").filter(|_| is_text).and_then(Node::text);
        say(block, text.map(Text::as_cow).as_deref());
    }
}

/// Whether a message is the summary that Claude Code puts in place of a history.
pub(super) fn is_summary(content: Node<'_>) -> bool {
    const BEGINNING: &str = "This session is being continued from a previous conversation";
    let mut is_summary = false;
    each_text(content, &mut |text| is_summary |= text.trim_start().starts_with(BEGINNING));
    is_summary
}

/// Whether a prompt's content begins with `/`, so that it may be a slash command.
pub(super) fn is_command(content: Node<'_>) -> bool {
    let (mut first, mut is_command) = (true, false);
    each_text(content, &mut |text| {
        is_command |= first && text.trim_start().starts_with('/');
        first &= text.trim_start().is_empty();
    });
    is_command
}

/// Hash of a prompt's text (its letters and digits, in lower case), by which a slash command is
/// recognized when it is replayed. `content` is the prompt, a list of content blocks.
pub(super) fn command_hash(content: Node<'_>) -> u64 {
    let mut words = String::new();
    each_text(content, &mut |text| words.push_str(text));
    title_hash(&words)
}

/// A message of the turn that is under way: whose it is, and what is known of its text.
#[derive(Clone, Debug)]
struct Speech {
    speaker: Speaker,
    /// The `messageId`; for a prompt, a text made from the offset of its request; `None` for
    /// messages without id.
    id: Option<Box<str>>,
    excerpt: Excerpt,
}

/// What was said and done so far in the turn that is under way, or in a replay.
#[derive(Clone, Debug, Default)]
struct OpenTurn {
    speeches: Vec<Speech>,
    calls: Vec<(Box<str>, ReplayedCall)>,
    /// Whether the agent need not replay the turn however it ends, for example because a slash
    /// command may change the history.
    is_excused: bool,
}

impl OpenTurn {
    fn call(&mut self, id: Text<'_>, update: &Update<'_>) {
        if let Some(last) = self.speeches.last_mut() {
            last.excerpt.seam();
        }
        let place = self.calls.iter().rposition(|(own, _)| id == **own);
        let place = place.unwrap_or_else(|| {
            self.calls.push((id.to_boxed(), ReplayedCall::of(id, update)));
            self.calls.len() - 1
        });
        if place < MOST_OF_TURN {
            self.calls[place].1.apply(update);
        }
        self.calls.truncate(MOST_OF_TURN);
    }

    fn say(&mut self, speaker: Speaker, update: &Update<'_>, is_whole: bool) {
        let id = update.message_id;
        let is_own = |speech: &Speech| {
            speech.speaker == speaker
                && match (id, &speech.id) {
                    (Some(id), Some(own)) => id == **own,
                    (None, None) => true,
                    _ => false,
                }
        };
        // Without ids, a message ends where the other side speaks.
        let known = if id.is_some() {
            self.speeches.iter().rposition(is_own)
        } else {
            self.speeches.len().checked_sub(1).filter(|last| is_own(&self.speeches[*last]))
        };
        let place = known.unwrap_or(self.speeches.len());
        if place >= MOST_OF_TURN {
            return;
        }
        if known.is_none() {
            let id = id.map(Text::to_boxed);
            self.speeches.push(Speech { speaker, id, excerpt: Excerpt::default() });
        }
        let at = Anchor::of(update.update, &"/params/update");
        let excerpt = &mut self.speeches[place].excerpt;
        let Some(content) = update.update.get("content") else { return };
        if is_whole {
            *excerpt = Excerpt { at: excerpt.at, ..Excerpt::default() };
        }
        excerpt.take(content, at);
    }

    /// Takes the message that a prompt became, on version 2. It may have another text than the prompt; of
    /// several prompts it is then unknown which it was.
    fn echo(&mut self, update: &Update<'_>) {
        let Some(content) = update.update.get("content") else { return };
        let mut echo = Excerpt::default();
        echo.take(content, Anchor::of(update.update, &"/params/update"));
        let is_user = |speech: &&mut Speech| speech.speaker == Speaker::User;
        let mut prompts: Vec<_> = self.speeches.iter_mut().filter(is_user).collect();
        if prompts.iter().any(|prompt| prompt.excerpt.hashes() == echo.hashes()) {
            return;
        }
        match prompts.as_mut_slice() {
            [only] => only.excerpt = Excerpt { at: only.excerpt.at, ..echo },
            _ => self.is_excused = true,
        }
    }

    /// The texts and finished tool calls of the turn, in the order of their places. Messages of the
    /// agent in a row are joined into one text. `turn` is the number of the turn.
    fn items(&self, turn: u32) -> Vec<Item> {
        let mut items = Vec::new();
        let mut agent: Option<(Excerpt, u64)> = None;
        let close = |agent: &mut Option<(Excerpt, u64)>, items: &mut Vec<Item>| {
            let Some((text, message)) = agent.take() else { return };
            if let (Some((hashes, letters)), Some(at)) = (text.hashes(), text.at) {
                let kind = ItemKind::Agent(letters);
                items.push(Item { kind, is_live: false, turn, hashes, message, at });
            }
        };
        for Speech { speaker, excerpt, id } in &self.speeches {
            match speaker {
                Speaker::Thought => {}
                Speaker::Agent => match &mut agent {
                    Some((agent, message)) => {
                        agent.append(excerpt);
                        *message = 0;
                    }
                    none => {
                        let message = id.as_deref().map_or(0, message_hash);
                        *none = Some((excerpt.clone(), message));
                    }
                },
                Speaker::User => {
                    close(&mut agent, &mut items);
                    if let (Some((hashes, letters)), Some(at)) = (excerpt.hashes(), excerpt.at) {
                        let kind = ItemKind::User(letters);
                        let message = 0;
                        items.push(Item { kind, is_live: false, turn, hashes, message, at });
                    }
                }
            }
        }
        close(&mut agent, &mut items);
        let calls =
            self.calls.iter().filter(|(_, call)| call.known[STATUS] != 0 && !call.is_nested);
        items.extend(calls.map(|(_, call)| call.item(turn)));
        items.sort_by_key(|item| item.at.span().start);
        items
    }
}

/// What one connection showed of a session's history, which the agent has to repeat when it replays
/// the session later.
#[derive(Clone, Debug, Default)]
pub struct Items {
    /// The texts and tool calls that a replay has to repeat, in their order: the first 16 and the
    /// last ones, at most `MOST`.
    pub(super) owed: Vec<Item>,
    /// The number of each turn that has items, and when it ended, in ascending order.
    pub(super) ends: Vec<(u32, When)>,
    /// When the history was last changed, by a compaction or a slash command, so that earlier items
    /// need not be replayed. `None` when that did not happen.
    pub(super) cleared: Option<When>,
    /// Whether the agent has said, by an extension or by the use of its context, that the history was
    /// changed while something had to be repeated, so that replays of the session are not judged.
    pub(in crate::model) is_waived: bool,
    /// Hashes of the slash commands in prompts, at most `MOST_COMMANDS`. A replay may show these.
    pub(super) commands: Vec<u64>,
    /// How many tokens of the context were in use, and how many there are room for, by the last
    /// `usage_update` of a turn.
    context: Option<(i64, i64)>,
    /// When the connection began to use the session: its first prompt, creation or attachment.
    pub(in crate::model) opened: Option<When>,
    /// When a message last named the session, except `session/delete` and lists of sessions.
    pub used: Option<When>,
    /// When the session was deleted, and the place of the answer that confirms it; `None` while it
    /// was not.
    pub(in crate::model) deleted: Option<(When, Anchor)>,
    /// When an answer last showed that the agent still has the session, because it was loaded,
    /// resumed or listed.
    pub(in crate::model) shown: Option<When>,
    /// Version 2: prompts that the agent accepted, with the ids that it gave them; at most `MOST`.
    pub(super) prompts: Vec<AcceptedPrompt>,
    /// Whether the session was forked on this connection or is itself a fork, so that two sessions
    /// share a history.
    pub(super) is_forked: bool,
    /// Number of the last turn or replay that has ended, from 1; 0 before the first.
    turn: u32,
    open: Option<Box<OpenTurn>>,
    /// The history that the agent is replaying now; `None` outside of a replay.
    replayed: Option<Box<OpenTurn>>,
}

/// A prompt that the agent has accepted on version 2, to recognize it in a replay.
#[derive(Clone, Debug)]
pub struct AcceptedPrompt {
    /// Digest of the content blocks of the prompt.
    pub content: u64,
    pub id: Box<str>,
    /// Place of the id that the agent gave the prompt, so that a finding can point at it.
    pub at: Anchor,
}

/// Whether a turn has ended in a way that makes it part of the session's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::model) enum TurnEnd {
    /// The agent has to keep the turn's messages in the session's history, and to replay them.
    Owed,
    /// The agent need not keep the turn, for example after an error or a cancellation.
    Excused,
}

impl TurnEnd {
    /// `Owed` for the stop reasons `end_turn`, `max_tokens` and `max_turn_requests`; `Excused` for
    /// others, unknown ones and none.
    pub(in crate::model) fn of(reason: Option<Node<'_>>) -> Self {
        let is_owed = reason.is_some_and(|reason| {
            ["end_turn", "max_tokens", "max_turn_requests"].iter().any(|own| reason.is(own))
        });
        if is_owed { Self::Owed } else { Self::Excused }
    }
}

impl Items {
    /// Whether a turn is under way: a prompt has been sent, and its end has not been seen.
    pub(in crate::model) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Adds a prompt to the turn that is under way, or begins a turn. `is_masked` says that the
    /// recorder replaces texts, so that the turn cannot be compared.
    pub(in crate::model) fn prompt(&mut self, call: &Call<'_>, now: When, is_masked: bool) {
        let Some(content) = call.param("prompt") else { return };
        let is_command = is_command(content);
        if is_command {
            self.clear(now);
            let hash = command_hash(content);
            if self.commands.len() < MOST_COMMANDS {
                self.commands.push(hash);
            }
        }
        let open = self.open.get_or_insert_default();
        open.is_excused |= is_command || is_masked;
        if open.speeches.len() < MOST_OF_TURN {
            let mut excerpt = Excerpt::default();
            let at = Anchor::of(content, &"/params/prompt");
            excerpt.take(content, at);
            // No message of the agent has such an id.
            let id = Some(format!("\0{}", call.node.span().start).into());
            open.speeches.push(Speech { speaker: Speaker::User, id, excerpt });
        }
    }

    /// Notes that the agent accepted a prompt and gave it an id. Prompts of fewer than 16 letters
    /// are not kept, since the same text may be sent again. `request` is the place of the request.
    pub(in crate::model) fn accept(&mut self, request: Anchor, prompt: AcceptedPrompt) {
        let id = format!("\0{}", request.span().start);
        let speeches = self.open.iter().flat_map(|open| &open.speeches);
        let mut own = speeches.filter(|speech| speech.id.as_deref() == Some(&id));
        let is_telling = own.next().is_some_and(|speech| {
            speech.excerpt.hashes().is_some_and(|(_, letters)| usize::from(letters) >= WINDOW)
        });
        if is_telling && self.prompts.len() < MOST {
            self.prompts.push(prompt);
        }
    }

    /// Whether something ended what was owed before: a compaction or a command.
    pub fn is_cleared(&self) -> bool {
        self.cleared.is_some()
    }

    /// Whether a turn has ended in it.
    pub(super) fn has_turn(&self) -> bool {
        self.turn > 0
    }

    /// Removes a prompt from its turn because the agent answered it with an error. `request` is the
    /// place of the request.
    pub(in crate::model) fn refuse(&mut self, request: Anchor) {
        let id = format!("\0{}", request.span().start);
        if let Some(open) = &mut self.open {
            open.speeches.retain(|speech| speech.id.as_deref() != Some(&id));
        }
        // The turn may be over.
        let Span { start, .. } = request.span();
        let is_of_request =
            |item: &Item| (start..request.span().end()).contains(&item.at.span().start);
        self.owed.retain(|item| !matches!(item.kind, ItemKind::User(_)) || !is_of_request(item));
    }

    /// Applies a session update during a turn: messages of the agent and tool calls. `is_masked`
    /// says that the recorder replaces texts, so that the turn cannot be compared.
    pub(in crate::model) fn update(&mut self, kind: &str, update: &Update<'_>, is_masked: bool) {
        let call = update.tool_call_id.filter(|_| matches!(kind, "tool_call" | "tool_call_update"));
        if let Some(id) = call {
            self.report_late(id);
        }
        let Some(open) = &mut self.open else { return };
        open.is_excused |= is_masked;
        match (Speaker::of(kind), call) {
            (Some(Speaker::Agent), _) => {
                open.say(Speaker::Agent, update, !kind.ends_with("_chunk"));
            }
            (Some(Speaker::User), _) if kind == "user_message" => open.echo(update),
            (None, Some(id)) => open.call(id, update),
            _ => {}
        }
    }

    /// Notes that a tool call is reported again after its turn: what it was at the end of the turn is not
    /// its last state.
    fn report_late(&mut self, id: Text<'_>) {
        let hash = digest::of(id.node()).max(1);
        let owed = self.owed.iter_mut().filter(|item| item.is_call() && item.hashes[ID] == hash);
        owed.for_each(|item| item.kind = ItemKind::ToolCall { is_unique: false });
    }

    /// Applies a session update during a replay: messages and tool calls. `is_masked` says that the
    /// recorder replaces texts, so that the replay cannot be compared.
    pub(in crate::model) fn replay(&mut self, kind: &str, update: &Update<'_>, is_masked: bool) {
        let replayed = self.replayed.get_or_insert_default();
        replayed.is_excused |= is_masked;
        let is_whole = !kind.ends_with("_chunk");
        match Speaker::of(kind) {
            Some(Speaker::Thought) => {}
            Some(speaker) => replayed.say(speaker, update, is_whole),
            None if matches!(kind, "tool_call" | "tool_call_update") => {
                if let Some(id) = update.tool_call_id {
                    replayed.call(id, update);
                }
            }
            None => {}
        }
    }

    /// Ends a replay. Items in it that were unknown so far belong to the history, and later replays
    /// must repeat them. An unsound replay (`is_sound` is false) adds nothing.
    pub(in crate::model) fn end_replay(&mut self, now: When, is_sound: bool) {
        let Some(replayed) = self.replayed.take() else { return };
        if !is_sound || replayed.is_excused {
            return;
        }
        let is_new = |item: &Item| !self.owed.iter().any(|own| own.is_like(item));
        let items: Vec<Item> = replayed.items(self.turn + 1).into_iter().filter(is_new).collect();
        self.push(items, now);
    }

    /// Ends the turn. Its texts and tool calls are added to the history, unless the end or a
    /// command excuses the agent from replaying them.
    pub(in crate::model) fn end(&mut self, end: TurnEnd, now: When) {
        let Some(open) = self.open.take() else { return };
        if end == TurnEnd::Excused || open.is_excused {
            self.turn += 1;
            return;
        }
        let mut items = open.items(self.turn + 1);
        for item in &mut items {
            item.is_live = true;
        }
        for item in items.iter_mut().filter(|item| item.is_call()) {
            // A later report of the same call, or another call of its name.
            let same = self.owed.iter_mut().filter(|own| own.is_like(item));
            let several = same.map(|own| own.kind = ItemKind::ToolCall { is_unique: false });
            if several.count() > 0 {
                item.kind = ItemKind::ToolCall { is_unique: false };
            }
        }
        self.push(items, now);
    }

    fn push(&mut self, items: Vec<Item>, now: When) {
        self.turn += 1;
        if items.is_empty() {
            return;
        }
        for mut item in items {
            let mut same = self.owed.iter_mut().filter(|own| own.message == item.message);
            if item.message != 0
                && let Some(own) = same.next()
            {
                // Ids that are given again tell nothing.
                (own.message, item.message) = (0, 0);
            }
            if self.owed.len() == MOST {
                self.owed.remove(FIRST);
            }
            self.owed.push(item);
        }
        self.ends.push((self.turn, now));
        let kept = |turn: u32| self.owed.iter().any(|item| item.turn == turn);
        if self.ends.len() > MOST {
            self.ends.retain(|(turn, _)| kept(*turn));
        }
    }

    /// Gives everything the same time: only places tell the order within the file.
    pub(super) fn set_times(&mut self, time: Option<f64>) {
        let whens = self.ends.iter_mut().map(|(_, when)| when).chain(&mut self.cleared);
        let whens = whens.chain(&mut self.opened).chain(&mut self.used).chain(&mut self.shown);
        let whens = whens.chain(self.deleted.iter_mut().map(|(when, _)| when));
        whens.for_each(|when| when.time = time);
    }

    /// When the turn of an item ended; `None` when that is no longer kept.
    pub(super) fn end_of(&self, item: &Item) -> Option<When> {
        let place = self.ends.binary_search_by_key(&item.turn, |(turn, _)| *turn).ok()?;
        Some(self.ends[place].1)
    }

    /// Notes a compaction or a slash command: earlier items, and the turn under way, need not be
    /// replayed any more.
    pub(in crate::model) fn clear(&mut self, now: When) {
        self.owed.clear();
        self.ends.clear();
        self.cleared = Some(now);
        if let Some(open) = &mut self.open {
            open.is_excused = true;
        }
        if let Some(replayed) = &mut self.replayed {
            replayed.is_excused = true;
        }
    }

    /// Notes that the agent says, by an extension or by the use of its context, that the history was
    /// changed. Nobody else confirms it, so that replays count as unjudged.
    pub(in crate::model) fn waive(&mut self, now: When) {
        self.is_waived |= !self.owed.is_empty() || self.is_open();
        self.clear(now);
    }

    /// Notes how many tokens of the context are in use, of how many. Where more than half were in use
    /// and less than half of these are left, the agent has compacted the history, or says so.
    pub(in crate::model) fn note_context(&mut self, used: i64, size: i64, now: When) {
        let before = self.context.replace((used, size));
        if before.is_some_and(|(before, size)| before > size / 2 && used < before / 2) {
            self.waive(now);
        }
    }

    /// Notes that the turn under way need not be replayed, for example because messages of it are
    /// missing.
    pub(in crate::model) fn excuse(&mut self) {
        if let Some(open) = &mut self.open {
            open.is_excused = true;
        }
    }

    /// The history with which a fork of the session begins: a copy of the items so far. Marks both
    /// sessions as forked.
    ///
    /// `is_whole`: the fork begins with all of it; one at a cursor begins with an unknown part.
    pub(in crate::model) fn of_fork(&mut self, is_whole: bool) -> Self {
        self.is_forked = true;
        if !is_whole {
            let commands = self.commands.clone();
            return Self { commands, is_forked: true, ..Self::default() };
        }
        Self {
            owed: self.owed.clone(),
            ends: self.ends.clone(),
            cleared: self.cleared,
            is_waived: self.is_waived,
            commands: self.commands.clone(),
            is_forked: true,
            turn: self.turn,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn escaped_texts_have_the_same_letters() {
        for (one, other) in [
            ("Is a<b && c>d & e?", "Is a&lt;b &amp;&amp; c&gt;d &amp; e?"),
            ("Is a<b?", "Is a&amp;lt;b?"),
            ("It's a \"caf\u{e9}\"", "It&#39;s a &#x22;caf&#233;&quot;"),
            ("the\nhay\tbales\r\n", r"the\nhay\tbales\r\n"),
            ("the\nhay", r"the\\nhay"),
            (r"C:\new\tools", r"C:\\new\\tools"),
            ("\u{d55c}\u{ae00}", r"\ud55c\uae00"),
            ("red", "\u{1b}[1;31mred\u{1b}[0m"),
        ] {
            assert!(letters(one).eq(letters(other)), "{one} {other}");
        }
        let read = |text| letters(text).collect::<String>();
        assert_eq!(read(r"R&D; &c. &b; &#; C:\Users\bob \u12 \"), "rdcbcusersbobu12");
        assert_eq!(read("&"), "");
        assert_eq!(read("a\u{1b}[31"), "a");
    }
}

//! What a session's turns leave to be replayed: texts and tool calls, kept as a few hashes each.
//!
//! Texts are compared by their letters and digits in lower case, so that marks, line breaks and the
//! cuts of chunks make no difference.

use std::cmp::Ordering;

use crate::{
    event::{Call, Update},
    json::{Node, Text},
    map::{self, Set},
    model::{anchor::Anchor, digest},
};

/// Letters in a window: longer texts are known by the hashes of windows, shorter ones by one hash.
pub(super) const WINDOW: usize = 16;
/// Letters at the beginning and at the end of a text whose windows are hashed.
const REACH: usize = 512;
/// Hashes of each of both parts.
const KEPT: usize = 4;
/// Items of a session: the first ones and the last ones.
const FIRST: usize = 16;
const MOST: usize = 64;
/// Messages and tool calls of one turn.
const MOST_OF_TURN: usize = 256;
/// Commands of a session.
const MOST_COMMANDS: usize = 16;

/// When something happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct When {
    /// Number of the file, see [`Shelves::number`](super::Shelves::number); 0 for one that is alone.
    pub file: u32,
    /// Bytes from the beginning of the file.
    pub place: u64,
    /// Seconds since 1970; `None` where the recorder does not say.
    pub time: Option<f64>,
}

impl When {
    /// Which of two came first, by their places in one file, else by their times; `None` where that is
    /// not known.
    pub(super) fn order(self, other: Self) -> Option<Ordering> {
        if self.file == other.file {
            return Some(self.place.cmp(&other.place));
        }
        self.time?.partial_cmp(&other.time?)
    }

    /// Whether it came before the other for sure: in another file, by so many seconds.
    pub(super) fn is_before(self, other: Self, margin: f64) -> bool {
        if self.file == other.file {
            return self.place < other.place;
        }
        self.time.zip(other.time).is_some_and(|(own, other)| own + margin <= other)
    }
}

/// Who speaks in a message of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Agent,
    /// The agent, to itself.
    Thought,
}

impl Speaker {
    /// Who speaks in an update of this kind; `None` for updates that are not messages.
    pub(super) fn of(kind: &str) -> Option<Self> {
        match kind {
            "user_message" | "user_message_chunk" => Some(Self::User),
            "agent_message" | "agent_message_chunk" => Some(Self::Agent),
            "agent_thought" | "agent_thought_chunk" => Some(Self::Thought),
            _ => None,
        }
    }
}

/// One thing that a replay owes.
#[derive(Clone, Debug)]
pub struct Item {
    pub kind: ItemKind,
    /// Whether it was said in a turn, not in a replay.
    pub(super) is_live: bool,
    /// Number of its turn in the connection.
    pub turn: u32,
    /// Of a text: of its windows, 0 where there are fewer, or of the whole. Of a tool call: see
    /// [`ReplayedCall`].
    pub(super) hashes: [u64; 2 * KEPT],
    /// Of a text that is one message of the agent: the hash of its id; 0 where it has none, or where another
    /// text has the same.
    pub(super) message: u64,
    /// Where it stands.
    pub at: Anchor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// The text of a prompt. With its number of letters, up to 255.
    User(u8),
    /// The text of the agent in one turn.
    Agent(u8),
    /// A tool call that completed or failed. `is_unique`: no other call had its id.
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

    /// Whether it is a text that says which one it is: of sixteen letters or more.
    pub(super) fn is_telling(&self) -> bool {
        self.letters() >= WINDOW
    }

    pub(super) fn is_call(&self) -> bool {
        matches!(self.kind, ItemKind::ToolCall { .. })
    }

    /// Whether both are the same text or call.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.likeness() == other.likeness()
    }

    /// What is equal for the same texts and calls: the kind, and the hashes of a text or the id of a call.
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

/// The letters and digits of a text, in lower case.
pub(super) fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// The hash of the letters that went last through it. Every run of acpcheck has the same hashes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rolling {
    hash: u64,
    /// The factor to the power of its length.
    leaving: u64,
}

impl Rolling {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

    /// The hash of as many letters.
    pub(super) fn of(length: usize) -> Self {
        Self { hash: 0, leaving: (0..length).fold(1, |power, _| Self::FACTOR.wrapping_mul(power)) }
    }

    /// Takes a letter into the window. `leaving`: the letter that leaves it; `None` while the window is not full.
    pub(super) fn take(&mut self, letter: char, leaving: Option<char>) {
        let number = |letter: char| u64::from(u32::from(letter)) + 1;
        self.hash = self.hash.wrapping_mul(Self::FACTOR).wrapping_add(number(letter));
        if let Some(leaving) = leaving {
            self.hash = self.hash.wrapping_sub(number(leaving).wrapping_mul(self.leaving));
        }
    }

    /// The hash, never 0.
    pub(super) fn hash(self, length: usize) -> u64 {
        let mut hash = self.hash ^ (length as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        for _ in 0..2 {
            hash = (hash ^ (hash >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        }
        (hash ^ (hash >> 32)).max(1)
    }
}

/// The beginning and the end of a text's letters.
#[derive(Clone, Debug, Default)]
struct Excerpt {
    head: Vec<char>,
    /// The last letters after the head, in a ring that begins at `oldest`.
    tail: Vec<char>,
    oldest: usize,
    /// Whether the text has a sign that may be written otherwise, as in HTML.
    is_marked: bool,
    at: Option<Anchor>,
}

impl Excerpt {
    fn add(&mut self, text: &str, at: Anchor) {
        self.at = self.at.or(Some(at));
        self.is_marked |= text.contains(['&', '<', '>', '"', '\'']);
        for letter in letters(text) {
            if self.head.len() < REACH {
                self.head.push(letter);
            } else if self.tail.len() < REACH {
                self.tail.push(letter);
            } else {
                self.tail[self.oldest] = letter;
                self.oldest = (self.oldest + 1) % REACH;
            }
        }
    }

    fn tail(&self) -> impl Iterator<Item = char> {
        self.tail[self.oldest..].iter().chain(&self.tail[..self.oldest]).copied()
    }

    /// Adds what follows it.
    fn append(&mut self, other: &Self) {
        let at = other.at.or(self.at);
        let letters: String = other.head.iter().copied().chain(other.tail()).collect();
        if let Some(at) = at {
            self.add(&letters, at);
        }
        self.is_marked |= other.is_marked;
    }

    /// The hashes of the text, and its number of letters. `None` when it says nothing: no letter, or a
    /// stand-in such as `xxxxxx`.
    fn hashes(&self) -> Option<([u64; 2 * KEPT], u8)> {
        /// Fewer different letters than this, of as many or more, stand for a text.
        const DIFFERENT: usize = 6;
        let length = self.head.len() + self.tail.len();
        let different: Set<char> = self.head.iter().copied().chain(self.tail()).collect();
        let is_stand_in = length >= DIFFERENT && different.len() < DIFFERENT;
        let mut hashes = [0; 2 * KEPT];
        if length == 0 || is_stand_in || (length < WINDOW && self.is_marked) {
            return None;
        }
        if length < WINDOW {
            let mut rolling = Rolling::of(length);
            self.head.iter().for_each(|letter| rolling.take(*letter, None));
            hashes[0] = rolling.hash(length);
            return Some((hashes, u8::try_from(length).unwrap_or(u8::MAX)));
        }
        let all: Vec<char> = self.head.iter().copied().chain(self.tail()).collect();
        // A head and a tail that are apart share no window.
        let is_joined = self.tail.len() < REACH;
        let end = if is_joined { &all[all.len().saturating_sub(REACH)..] } else { &all[REACH..] };
        hashes[..KEPT].copy_from_slice(&smallest(&self.head));
        hashes[KEPT..].copy_from_slice(&smallest(end));
        Some((hashes, u8::try_from(length).unwrap_or(u8::MAX)))
    }
}

/// The smallest hashes of the windows of a text; 0 where there are fewer.
fn smallest(text: &[char]) -> [u64; KEPT] {
    let mut rolling = Rolling::of(WINDOW);
    let mut hashes = Vec::with_capacity(text.len());
    for (index, letter) in text.iter().enumerate() {
        rolling.take(*letter, index.checked_sub(WINDOW).map(|leaving| text[leaving]));
        if index + 1 >= WINDOW {
            hashes.push(rolling.hash(WINDOW));
        }
    }
    hashes.sort_unstable();
    hashes.dedup();
    let mut kept = [0; KEPT];
    kept.iter_mut().zip(hashes).for_each(|(kept, hash)| *kept = hash);
    kept
}

/// The state of a tool call as the last reports give it.
#[derive(Clone, Debug)]
pub(super) struct ReplayedCall {
    /// Hashes of its id, title, raw input, location and kind, and its status; 0 where unknown.
    pub(super) known: [u64; 6],
    pub(super) at: Anchor,
    /// The last report that gave a status or a kind.
    pub(super) stated: Anchor,
    /// How often it was created.
    pub(super) creations: u32,
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
        Self { known, at, stated: at, creations: 0 }
    }

    /// Takes what a report says.
    pub(super) fn apply(&mut self, update: &Update<'_>) {
        let body = update.update;
        let at = Anchor::of(body, &"/params/update");
        let value = |name: &str| body.get(name).filter(|value| !value.is_null());
        self.creations += u32::from(update.kind == "tool_call");
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
    let blocks = if content.is_array() { None } else { Some(content) };
    for block in blocks.into_iter().chain(content.elements()) {
        let is_text = block.get("type").is_some_and(|kind| kind.is("text"));
        if let Some(text) = block.get("text").filter(|_| is_text).and_then(Node::text) {
            say(&text.as_cow());
        }
    }
}

/// Whether a content begins with a slash, so that it may be a command.
pub(super) fn is_command(content: Node<'_>) -> bool {
    let (mut first, mut is_command) = (true, false);
    each_text(content, &mut |text| {
        is_command |= first && text.trim_start().starts_with('/');
        first &= text.trim_start().is_empty();
    });
    is_command
}

/// The hash of a command's words.
pub(super) fn command_hash(content: Node<'_>) -> u64 {
    let mut words = String::new();
    each_text(content, &mut |text| words.push_str(text));
    title_hash(&words)
}

/// A message of the turn that is under way.
#[derive(Clone, Debug)]
struct Speech {
    speaker: Speaker,
    /// Its message id, or the number of the prompt.
    id: Option<Box<str>>,
    excerpt: Excerpt,
}

/// The turn that is under way: what was said in it so far.
#[derive(Clone, Debug, Default)]
struct OpenTurn {
    speeches: Vec<Speech>,
    calls: Vec<(Box<str>, ReplayedCall)>,
    /// Whether it is not owed, whatever its end.
    is_excused: bool,
}

impl OpenTurn {
    fn call(&mut self, id: Text<'_>, update: &Update<'_>) {
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
        each_text(content, &mut |text| excerpt.add(text, at));
    }

    /// The items of the turn in their order. Messages of the agent that follow each other are one.
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
        let calls = self.calls.iter().filter(|(_, call)| call.known[STATUS] != 0);
        items.extend(calls.map(|(_, call)| call.item(turn)));
        items.sort_by_key(|item| item.at.span().start);
        items
    }
}

/// What one connection showed of a session: what its turns leave to be replayed.
#[derive(Clone, Debug, Default)]
pub struct Items {
    /// In their order, the first ones and the last ones.
    pub(super) owed: Vec<Item>,
    /// When the turns ended, by the number of the turn; ascending.
    pub(super) ends: Vec<(u32, When)>,
    /// The last time that what came before ceased to be owed: by a compaction or a command.
    pub(super) cleared: Option<When>,
    /// Hashes of the prompts that begin with a slash.
    pub(super) commands: Vec<u64>,
    /// When the connection had the session in use first.
    pub(in crate::model) opened: Option<When>,
    /// When a message named it last, other than a list or a request to delete it.
    pub used: Option<When>,
    /// When it was deleted, and the answer that says so.
    pub(in crate::model) deleted: Option<(When, Anchor)>,
    /// When an answer showed that the agent still had it: it was loaded, resumed or listed.
    pub(in crate::model) shown: Option<When>,
    /// Version 2: the prompts that were accepted, and the ids that they got.
    pub(super) prompts: Vec<AcceptedPrompt>,
    /// Whether it was forked, or is a fork.
    pub(super) is_forked: bool,
    /// Number of the last turn.
    turn: u32,
    open: Option<Box<OpenTurn>>,
    /// The history that is being replayed.
    replayed: Option<Box<OpenTurn>>,
}

/// A prompt that was accepted on version 2.
#[derive(Clone, Debug)]
pub struct AcceptedPrompt {
    /// The digest of its content.
    pub content: u64,
    pub id: Box<str>,
    /// Where its id stands.
    pub at: Anchor,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::model) enum TurnEnd {
    /// The agent has to keep the turn's messages in the session's history, and to replay them.
    Owed,
    /// The agent need not keep the turn, for example after an error or a cancellation.
    Excused,
}

impl TurnEnd {
    /// By a stop reason.
    pub(in crate::model) fn of(reason: Option<Node<'_>>) -> Self {
        let is_owed = reason.is_some_and(|reason| {
            ["end_turn", "max_tokens", "max_turn_requests"].iter().any(|own| reason.is(own))
        });
        if is_owed { Self::Owed } else { Self::Excused }
    }
}

impl Items {
    /// Whether a turn is under way.
    pub(in crate::model) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Applies a prompt. `key`: what tells it from other prompts of the turn.
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
            each_text(content, &mut |text| excerpt.add(text, at));
            // No message of the agent has such an id.
            let id = Some(format!("\0{}", call.node.span().start).into());
            open.speeches.push(Speech { speaker: Speaker::User, id, excerpt });
        }
    }

    /// Notes that a prompt got an id. One that says little may be sent again by anybody.
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

    /// Takes a refused prompt out of the turn.
    pub(in crate::model) fn refuse(&mut self, request: Anchor) {
        let id = format!("\0{}", request.span().start);
        if let Some(open) = &mut self.open {
            open.speeches.retain(|speech| speech.id.as_deref() != Some(&id));
        }
    }

    /// Applies an update of a turn.
    pub(in crate::model) fn update(&mut self, kind: &str, update: &Update<'_>, is_masked: bool) {
        let Some(open) = &mut self.open else { return };
        open.is_excused |= is_masked;
        match Speaker::of(kind) {
            Some(Speaker::Agent) => open.say(Speaker::Agent, update, !kind.ends_with("_chunk")),
            None if matches!(kind, "tool_call" | "tool_call_update") => {
                if let Some(id) = update.tool_call_id {
                    open.call(id, update);
                }
            }
            Some(_) | None => {}
        }
    }

    /// Applies an update of a replay.
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

    /// Ends a replay: what was replayed is owed to the next one, too.
    pub(in crate::model) fn end_replay(&mut self, now: When, is_sound: bool) {
        let Some(replayed) = self.replayed.take() else { return };
        if !is_sound || replayed.is_excused {
            return;
        }
        let is_new = |item: &Item| !self.owed.iter().any(|own| own.is_like(item));
        let items: Vec<Item> = replayed.items(self.turn + 1).into_iter().filter(is_new).collect();
        self.push(items, now);
    }

    /// Ends the turn.
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

    /// When the turn of an item ended.
    pub(super) fn end_of(&self, item: &Item) -> Option<When> {
        let place = self.ends.binary_search_by_key(&item.turn, |(turn, _)| *turn).ok()?;
        Some(self.ends[place].1)
    }

    /// Notes that nothing before is owed: a compaction, or a command.
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

    /// Notes that from now on nothing of the turn can be known.
    pub(in crate::model) fn excuse(&mut self) {
        if let Some(open) = &mut self.open {
            open.is_excused = true;
        }
    }

    /// What a fork of the session owes from the beginning.
    pub(in crate::model) fn of_fork(&mut self) -> Self {
        self.is_forked = true;
        Self {
            owed: self.owed.clone(),
            ends: self.ends.clone(),
            cleared: self.cleared,
            commands: self.commands.clone(),
            is_forked: true,
            turn: self.turn,
            ..Self::default()
        }
    }
}

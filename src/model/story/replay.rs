//! What a replay owes, and how much of it has come.

use std::sync::Arc;

use crate::{
    event::Update,
    json::{Node, Text},
    map::{self, Map},
    model::{
        anchor::Anchor,
        mark::Mark,
        story::item::{
            self, COMPLETED, FAILED, ID, INPUT, Item, ItemKind, KIND, LOCATION, ReplayedCall,
            Rolling, STATUS, Speaker, TITLE, WINDOW,
        },
    },
};

/// Most tool calls of a replay that are compared. When there are more, the replay is not judged.
const MOST_CALLS: usize = 1024;

/// A place in this file or in another one of the run, so that a finding can point at it.
#[derive(Clone, Debug)]
pub struct Place {
    /// The name of the other file; `None` for the file that is being checked.
    pub file: Option<Arc<str>>,
    pub at: Anchor,
}

impl From<Place> for Mark {
    fn from(place: Place) -> Self {
        Self { file: place.file, ..place.at.into() }
    }
}

/// A text or tool call that a replay has to repeat, and whether it has come.
#[derive(Clone, Debug)]
pub(super) struct Owed {
    pub(super) item: Item,
    pub(super) file: Option<Arc<str>>,
    /// Number of the connection that showed the item, from 1; 0 for the connection of the replay
    /// itself.
    pub(super) part: u32,
    /// Whether the item certainly came before the replay was requested; without proof, it may be
    /// missing.
    pub(super) is_proven: bool,
    /// Whether two turns have the same text, so that its coming twice proves nothing.
    pub(super) is_repeated: bool,
    /// Position of the first and the last match in the replay, as a number of letters; `None` while
    /// the item has not come.
    seen: Option<(u64, u64)>,
    /// By the index of each hash: whether it has matched.
    matched: [bool; 8],
    /// How often the item's first hash has matched; `second` is the position of the second match.
    count: u32,
    second: u64,
}

impl Owed {
    pub(super) fn new(item: Item, file: Option<Arc<str>>, part: u32, is_proven: bool) -> Self {
        Self {
            item,
            file,
            part,
            is_proven,
            is_repeated: false,
            seen: None,
            matched: [false; 8],
            count: 0,
            second: 0,
        }
    }

    /// Whether all of the text has come, just once, so that its place in the replay is known.
    fn has_come_once(&self) -> bool {
        let mut hashes = self.item.hashes.iter().zip(self.matched);
        let is_whole = hashes.all(|(hash, has_matched)| *hash == 0 || has_matched);
        self.item.is_telling() && !self.is_repeated && self.count == 1 && is_whole
    }

    fn place(&self) -> Place {
        Place { file: self.file.clone(), at: self.item.at }
    }
}

/// A text or tool call of another session on the same connections, to notice a replay of the wrong
/// history.
#[derive(Clone, Debug)]
struct Foreign {
    session: u32,
    is_telling: bool,
    has_come: bool,
}

/// The items of a session's history that are missing in its replay.
#[derive(Clone, Debug)]
pub struct Lost {
    pub messages: usize,
    pub tool_calls: usize,
    /// Places of the first missing items, at most three.
    pub first: Vec<Place>,
}

/// How a replay differs from the history that it repeats.
#[derive(Clone, Debug)]
pub struct Difference {
    pub kind: DifferenceKind,
    /// Place of the update of the replay that shows the difference.
    pub at: Anchor,
    /// Place in the history of what the replay changes; `None` where no such place is known.
    pub before: Option<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// A message has another text.
    Text,
    /// A tool call has another status.
    Status,
    /// A tool call has another `kind` in the replay.
    Kind,
    /// Messages of two turns come in reverse order in the replay.
    Order,
    /// The replay shows the history of another session.
    OtherSession,
    /// The replay shows the whole history more than once.
    Again { times: u32 },
}

/// The text that comes under the id of a message that is owed.
#[derive(Clone, Debug, Default)]
struct Namesake {
    letters: usize,
    /// Different ones, as many as tell a text from a stand-in.
    different: Vec<char>,
    /// Whether a message with the id is owed.
    is_owed: bool,
    /// Whether something that is owed stands in it, or the id is not that of one message.
    is_known: bool,
    at: Option<Anchor>,
}

/// The letters that one side, or all, have said in the replay.
#[derive(Clone, Debug)]
struct Stream {
    /// The last letters of the text that is being streamed, as a ring buffer: letter number `n`
    /// (from 0) is at index `n % WINDOW`.
    ring: [char; WINDOW],
    count: u64,
    window: Rolling,
    /// Rolling hashes for the lengths of short texts of the history, each with its length.
    short: Vec<(usize, Rolling)>,
}

impl Stream {
    fn new(lengths: &[usize]) -> Self {
        let short = lengths.iter().map(|length| (*length, Rolling::of(*length))).collect();
        Self { ring: ['\0'; WINDOW], count: 0, window: Rolling::of(WINDOW), short }
    }

    /// Adds a letter, and calls `hit` with the hash of each window that ends with the letter.
    fn take(&mut self, letter: char, hit: &mut dyn FnMut(u64)) {
        let before = |length: usize, ring: &[char; WINDOW], count: u64| {
            (count >= length as u64).then(|| {
                ring[usize::try_from((count - length as u64) % WINDOW as u64).unwrap_or(0)]
            })
        };
        let (count, ring) = (self.count, &self.ring);
        self.window.take(letter, before(WINDOW, ring, count));
        for (length, rolling) in &mut self.short {
            rolling.take(letter, before(*length, ring, count));
        }
        self.ring[usize::try_from(count % WINDOW as u64).unwrap_or(0)] = letter;
        self.count += 1;
        if self.count >= WINDOW as u64 {
            hit(self.window.hash(WINDOW));
        }
        for (length, rolling) in &self.short {
            if self.count >= *length as u64 {
                hit(rolling.hash(*length));
            }
        }
    }
}

impl Namesake {
    /// Fewer different letters than this stand for a text.
    const DIFFERENT: usize = 6;

    fn take(&mut self, text: &str, is_known: bool, at: Anchor) {
        self.at = self.at.or(Some(at));
        self.is_known |= is_known;
        for letter in item::letters(text) {
            self.letters += 1;
            if self.different.len() < Self::DIFFERENT && !self.different.contains(&letter) {
                self.different.push(letter);
            }
        }
    }

    /// Whether it says which text it is.
    fn is_telling(&self) -> bool {
        self.letters >= WINDOW && self.different.len() >= Self::DIFFERENT
    }
}

/// Index of the stream for texts that stand outside of messages, behind those of the [`Speaker`]s.
const OUTSIDE: usize = 3;

/// What a replay has to repeat of a session's history, and what of it has come so far.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct OwedReplay {
    pub(super) owed: Vec<Owed>,
    foreign: Vec<Foreign>,
    /// Indices of texts by their hashes: first those in `owed`, then those in `foreign`, counted
    /// on.
    by_hash: Map<u64, Vec<u32>>,
    /// The replayed text so far, once for each kind, in this order: messages of the user, messages
    /// of the agent, thoughts, texts outside of messages (such as titles of tool calls), and all
    /// messages together.
    streams: Vec<Stream>,
    /// The number of letters in the replay so far, which serves as a position in it.
    letters: u64,
    calls: Map<u64, ReplayedCall>,
    /// By the hashes of the ids of messages.
    namesakes: Map<u64, Namesake>,
    /// Commands that are known, so that they may be replayed.
    commands: Vec<u64>,
    /// Who spoke in the last message of the replay; `None` before the first message.
    speaker: Option<Speaker>,
    /// Place of the first update that shows a longer text of another session; `None` while none
    /// did.
    foreign_at: Option<Anchor>,
    /// Position (in letters) and place of each update that showed an item for the first or second
    /// time.
    places: Vec<(u64, Anchor)>,
    /// Whether it is unknown what the replay has to repeat, for example after a compaction. The
    /// replay is then not judged.
    is_spoiled: bool,
    /// Whether only clients on record had the session, so that what is lost is lost by the agent.
    pub is_closed: bool,
    /// Whether another connection showed a part of the history.
    pub is_followed: bool,
    /// Whether words may stand in the recording in place of the texts.
    pub(in crate::model) believes_masks: bool,
    masks: Masks,
}

/// What tells that words stand in place of all texts of a replay.
#[derive(Clone, Debug, Default)]
struct Masks {
    /// Whether both sides speak.
    speakers: [bool; 2],
    /// Hash of the letters of the first text, and whether all texts have the same.
    first: Option<u64>,
    differs: bool,
    /// Different letters, as many as tell a text from a stand-in.
    different: Vec<char>,
}

impl Masks {
    /// Takes a text that a side says.
    fn take(&mut self, speaker: Speaker, text: &str) {
        match speaker {
            Speaker::User => self.speakers[0] = true,
            Speaker::Agent => self.speakers[1] = true,
            Speaker::Thought => return,
        }
        let mut words = String::new();
        for letter in item::letters(text) {
            if self.different.len() < Namesake::DIFFERENT && !self.different.contains(&letter) {
                self.different.push(letter);
            }
            // `41 characters` and `7 characters` are one mask.
            if !self.differs && !letter.is_numeric() {
                words.push(letter);
            }
        }
        if !self.differs {
            let hash = map::hash_of(words.as_bytes());
            self.differs = *self.first.get_or_insert(hash) != hash;
        }
    }

    /// Whether masks stand in place of the texts: both sides say one and the same in every message, or
    /// all texts together have fewer different letters than one text has.
    fn are_there(&self) -> bool {
        let both = self.speakers == [true, true];
        both && (!self.differs || self.different.len() < Namesake::DIFFERENT)
    }
}

impl OwedReplay {
    pub(super) fn new(
        owed: Vec<Owed>,
        others: Vec<(u32, Item)>,
        commands: Vec<u64>,
        is_closed: bool,
    ) -> Self {
        let mut by_hash: Map<u64, Vec<u32>> = Map::default();
        let mut lengths = Vec::new();
        let items = owed.iter().map(|owed| &owed.item).chain(others.iter().map(|(_, item)| item));
        for (index, item) in items.enumerate().filter(|(_, item)| !item.is_call()) {
            for hash in item.hashes.iter().filter(|hash| **hash != 0) {
                by_hash.entry(*hash).or_default().push(u32::try_from(index).unwrap_or(u32::MAX));
            }
            let length = item.letters();
            if length < WINDOW && !lengths.contains(&length) {
                lengths.push(length);
            }
        }
        let mut namesakes: Map<u64, Namesake> = Map::default();
        for owed in owed.iter().filter(|owed| owed.item.message != 0) {
            let namesake = namesakes.entry(owed.item.message).or_default();
            // An id that several connections gave tells nothing.
            namesake.is_known = namesake.is_owed;
            namesake.is_owed = true;
        }
        let foreign = others.into_iter().map(|(session, item)| Foreign {
            session,
            is_telling: item.is_telling(),
            has_come: false,
        });
        Self {
            foreign: foreign.collect(),
            by_hash,
            streams: vec![Stream::new(&lengths); 5],
            letters: 0,
            calls: Map::default(),
            namesakes,
            commands,
            speaker: None,
            foreign_at: None,
            places: Vec::new(),
            is_spoiled: false,
            is_closed,
            believes_masks: false,
            masks: Masks::default(),
            is_followed: owed.iter().any(|owed| owed.part > 0),
            owed,
        }
    }

    /// Notes that the replay cannot be judged any more, because the history or the replay is not
    /// fully known.
    pub(in crate::model) fn spoil(&mut self) {
        self.is_spoiled = true;
    }

    /// Whether any item certainly came before the replay was requested, so that it must be
    /// repeated.
    pub fn has_proven(&self) -> bool {
        !self.is_spoiled && self.owed.iter().any(|owed| owed.is_proven)
    }

    /// Whether the replay has to repeat anything, as far as is known.
    pub fn is_owed(&self) -> bool {
        !self.is_spoiled && !self.owed.is_empty()
    }

    /// Places of the first items, at most three, that another connection showed and that certainly
    /// came before the request.
    pub fn first_elsewhere(&self) -> Vec<Place> {
        let is_elsewhere = |owed: &&Owed| owed.is_proven && owed.part > 0;
        self.owed.iter().filter(is_elsewhere).take(3).map(Owed::place).collect()
    }

    /// Compares a session update of the replay with the history. Call it for each update before the
    /// answer to the request.
    pub(in crate::model) fn apply(&mut self, kind: &str, update: &Update<'_>) {
        if matches!(kind, "compaction_update" | "compaction_summary_chunk") {
            self.spoil();
        }
        if self.is_spoiled || (self.owed.is_empty() && self.foreign.is_empty()) {
            return;
        }
        let at = Anchor::of(update.update, &"/params/update");
        let speaker = Speaker::of(kind);
        if let Some(speaker) = speaker {
            let content = update.update.get("content");
            if speaker == Speaker::User
                && (self.speaker != Some(Speaker::User) || !kind.ends_with("_chunk"))
                && content.is_some_and(|content| {
                    item::is_summary(content)
                        || item::is_command(content)
                            && !self.commands.contains(&item::command_hash(content))
                })
            {
                self.spoil();
                return;
            }
            self.speaker = Some(speaker);
            let Some(content) = content else { return };
            let id = update.message_id.filter(|_| speaker == Speaker::Agent);
            let id = id.map(|id| item::message_hash(&id.as_cow()));
            item::each_text(content, &mut |text| {
                let is_known = self.hear(Some(speaker as usize), text, at);
                self.masks.take(speaker, text);
                if let Some(namesake) = id.and_then(|id| self.namesakes.get_mut(&id)) {
                    namesake.take(text, is_known, at);
                }
            });
            self.hear_all(content, true, at);
            return;
        }
        if let Some(id) = update.tool_call_id
            && matches!(kind, "tool_call" | "tool_call_update")
        {
            self.call(id, update);
        }
        self.hear_all(update.update, false, at);
    }

    fn call(&mut self, id: Text<'_>, update: &Update<'_>) {
        let new = ReplayedCall::of(id, update);
        if self.calls.len() < MOST_CALLS || self.calls.contains_key(&new.known[ID]) {
            self.calls.entry(new.known[ID]).or_insert(new).apply(update);
        } else {
            self.spoil();
        }
    }

    /// Compares all strings in a JSON value of the replay, at any depth, with the history. With
    /// `is_content`, text blocks are left out, since they were compared as messages.
    fn hear_all(&mut self, value: Node<'_>, is_content: bool, at: Anchor) {
        let mut waiting = vec![value];
        while let Some(value) = waiting.pop() {
            if let Some(text) = value.text() {
                self.hear(None, &text.as_cow(), at);
                continue;
            }
            let is_text = is_content && value.get("type").is_some_and(|kind| kind.is("text"));
            if !is_text {
                waiting.extend(value.elements().chain(value.members().map(|(_, value)| value)));
            }
        }
    }

    /// Takes a text. Returns whether something that is owed, or of another session, ends in it.
    fn hear(&mut self, speaker: Option<usize>, text: &str, at: Anchor) -> bool {
        let mut is_known = false;
        let Self { streams, by_hash, owed, foreign, letters, foreign_at, places, .. } = self;
        for letter in item::letters(text) {
            *letters += 1;
            let here = *letters;
            let mut hit = |hash: u64| {
                let Some(indices) = by_hash.get(&hash) else { return };
                is_known = true;
                for index in indices {
                    let index = *index as usize;
                    let Some(item) = owed.get_mut(index) else {
                        let foreign = &mut foreign[index - owed.len()];
                        foreign.has_come = true;
                        *foreign_at = foreign_at.or(foreign.is_telling.then_some(at));
                        continue;
                    };
                    for (own, matched) in item.item.hashes.iter().zip(&mut item.matched) {
                        *matched |= *own == hash;
                    }
                    let (first, last) = item.seen.unwrap_or((here, 0));
                    if item.item.hashes[0] == hash && last != here {
                        item.count += 1;
                        if item.count == 2 {
                            item.second = here;
                            places.push((here, at));
                        }
                    }
                    if item.seen.is_none() {
                        places.push((here, at));
                    }
                    item.seen = Some((first, here));
                }
            };
            match speaker {
                Some(speaker) => {
                    streams[OUTSIDE + 1].take(letter, &mut hit);
                    streams[speaker].take(letter, &mut hit);
                }
                None => streams[OUTSIDE].take(letter, &mut hit),
            }
        }
        is_known
    }

    /// Whether the replay has shown a tool call of the history: one with the same id, title, raw
    /// input or location.
    fn has_call(&self, item: &Item) -> bool {
        self.calls.contains_key(&item.hashes[ID])
            || self.calls.values().any(|call| {
                [TITLE, INPUT, LOCATION]
                    .iter()
                    .any(|of| item.hashes[*of] != 0 && item.hashes[*of] == call.known[*of])
            })
    }

    /// What has not come of what is owed; `None` where that is not known, or nothing is lost.
    /// On version 2, only of what other connections showed.
    pub fn lost(&self, is_version_1: bool) -> Option<Lost> {
        if self.is_spoiled || self.believes_masks && self.masks.are_there() {
            return None;
        }
        // What came after the lost item and was replayed proves that the item came before, too.
        let mut behind: Map<u32, usize> = Map::default();
        for (index, owed) in self.owed.iter().enumerate() {
            if owed.seen.is_some() && owed.item.is_telling() {
                behind.insert(owed.part, index);
            }
        }
        let is_due = |index: usize, owed: &Owed| {
            owed.is_proven || behind.get(&owed.part).is_some_and(|last| index < *last)
        };
        let due = self.owed.iter().enumerate().filter(|(index, owed)| is_due(*index, owed));
        let due: Vec<&Owed> = due.map(|(_, owed)| owed).collect();
        let owed_calls = due.iter().filter(|owed| owed.item.is_call()).count();
        let are_fewer = self.calls.len() < owed_calls;
        let is_lost = |owed: &&&Owed| {
            if owed.item.is_call() {
                are_fewer && !self.has_call(&owed.item)
            } else {
                owed.seen.is_none() && !(is_version_1 && self.rewritten(owed).is_some())
            }
        };
        let is_asked = |owed: &&&Owed| is_version_1 || owed.part > 0;
        let lost: Vec<&&Owed> = due.iter().filter(is_lost).filter(is_asked).collect();
        let tool_calls = lost.iter().filter(|owed| owed.item.is_call()).count();
        let first = lost.iter().take(3).map(|owed| owed.place()).collect();
        let messages = lost.len() - tool_calls;
        (!lost.is_empty()).then_some(Lost { messages, tool_calls, first })
    }

    fn place_of(&self, letters: u64) -> Option<Anchor> {
        self.places.iter().find(|(place, _)| *place == letters).map(|(_, at)| *at)
    }

    /// The first difference between the replay and the history; `None` when there is none, or the
    /// history is not known. Orders and repetitions are compared on version 1 only.
    pub fn difference(&self, is_version_1: bool) -> Option<Difference> {
        if self.is_spoiled || self.believes_masks && self.masks.are_there() {
            return None;
        }
        self.other_session()
            .or_else(|| self.other_state())
            .or_else(|| {
                let mut owed = self.owed.iter().filter(|_| is_version_1);
                owed.find_map(|owed| self.rewritten(owed))
            })
            .or_else(|| if is_version_1 { self.reversed().or_else(|| self.again()) } else { None })
    }

    /// A text that is not known under the id of a message that has not come.
    fn rewritten(&self, owed: &Owed) -> Option<Difference> {
        let namesake = self.namesakes.get(&owed.item.message)?;
        let is_lost = owed.seen.is_none() && owed.is_proven && !owed.is_repeated;
        let is_other = namesake.is_telling() && !namesake.is_known;
        let at = namesake.at.filter(|_| is_lost && owed.item.is_telling() && is_other)?;
        Some(Difference { kind: DifferenceKind::Text, at, before: Some(owed.place()) })
    }

    /// Whether the history is that of another session.
    pub fn is_of_another_session(&self) -> bool {
        self.other_session().is_some()
    }

    /// The difference `OtherSession`: the replay has at least two longer texts of another session
    /// and none of this one; `None` otherwise.
    fn other_session(&self) -> Option<Difference> {
        let own = |owed: &Owed| owed.item.is_telling() && owed.is_proven;
        if !self.owed.iter().any(own) || self.owed.iter().any(|owed| owed.seen.is_some()) {
            return None;
        }
        if self.owed.iter().any(|owed| owed.item.is_call() && self.has_call(&owed.item)) {
            return None;
        }
        let mut sessions: Map<u32, u32> = Map::default();
        for foreign in self.foreign.iter().filter(|foreign| foreign.has_come && foreign.is_telling)
        {
            *sessions.entry(foreign.session).or_default() += 1;
        }
        let is_there = sessions.values().any(|count| *count > 1);
        let first = self.owed.iter().find(|owed| own(owed)).map(Owed::place);
        let at = self.foreign_at.filter(|_| is_there)?;
        Some(Difference { kind: DifferenceKind::OtherSession, at, before: first })
    }

    /// The difference `Status` or `Kind` of the first tool call that the replay reports otherwise
    /// than the turn did; `None` without one.
    fn other_state(&self) -> Option<Difference> {
        self.owed.iter().find_map(|owed| {
            let known = &owed.item.hashes;
            let call = self.calls.get(&known[ID])?;
            if owed.item.kind != (ItemKind::ToolCall { is_unique: true }) || call.creations > 1 {
                return None;
            }
            // A call of the same name that is another one.
            let differs =
                |of: usize| known[of] != 0 && call.known[of] != 0 && known[of] != call.known[of];
            let is_same = |of: usize| known[of] != 0 && known[of] == call.known[of];
            let is_known = [TITLE, INPUT, LOCATION].into_iter().any(is_same);
            if !is_known || differs(INPUT) {
                return None;
            }
            let status = (known[STATUS], call.known[STATUS]);
            let kind = if matches!(status, (COMPLETED, FAILED) | (FAILED, COMPLETED)) {
                DifferenceKind::Status
            } else if differs(KIND) {
                DifferenceKind::Kind
            } else {
                return None;
            };
            Some(Difference { kind, at: call.stated, before: Some(owed.place()) })
        })
    }

    /// The difference `Order`: of two texts of one side, the one of the later turn comes first; `None`
    /// without such a pair.
    fn reversed(&self) -> Option<Difference> {
        let is_user = |owed: &&Owed| matches!(owed.item.kind, ItemKind::User(_));
        let once = || self.owed.iter().filter(|owed| owed.has_come_once());
        let users: Vec<&Owed> = once().filter(is_user).collect();
        let others: Vec<&Owed> = once().filter(|owed| !is_user(owed)).collect();
        users.windows(2).chain(others.windows(2)).find_map(|pair| {
            let [earlier, later] = pair else { return None };
            let ((first, _), (_, last)) = (earlier.seen?, later.seen?);
            let is_reversed =
                earlier.part == later.part && earlier.item.turn < later.item.turn && last < first;
            let at = self.place_of(first).filter(|_| is_reversed)?;
            Some(Difference { kind: DifferenceKind::Order, at, before: Some(earlier.place()) })
        })
    }

    /// The difference `Again`: every longer text comes as often as the others and more than once, all
    /// first times before all second times; `None` otherwise.
    fn again(&self) -> Option<Difference> {
        let texts = || self.owed.iter().filter(|owed| owed.item.is_telling());
        let times = texts().next().map(|owed| owed.count).filter(|times| *times > 1)?;
        let is_sure = self.is_closed
            || texts().count() > 3
            || !self.is_followed
            || self.owed.iter().any(|owed| {
                owed.item.is_call()
                    && self
                        .calls
                        .get(&owed.item.hashes[ID])
                        .is_some_and(|call| call.creations == times)
            });
        let has = |kind: fn(&ItemKind) -> bool| texts().any(|owed| kind(&owed.item.kind));
        let has_both = has(|kind| matches!(kind, ItemKind::User(_)))
            && has(|kind| matches!(kind, ItemKind::Agent(_)));
        // Texts that are alike come more than once in one history.
        let is_alone = |owed: &Owed| {
            let alike = self.by_hash.get(&owed.item.hashes[0]).into_iter().flatten();
            let is_same = |other: &Owed| {
                std::ptr::eq(owed, other)
                    || other.item.is_like(&owed.item) && !(other.item.is_live && owed.item.is_live)
            };
            let mut alike = alike.map(|index| self.owed.get(*index as usize));
            !owed.is_repeated && alike.all(|other| other.is_some_and(is_same))
        };
        if !is_sure || !has_both || !texts().all(|owed| owed.count == times && is_alone(owed)) {
            return None;
        }
        let last_first = texts().filter_map(|owed| owed.seen).map(|(first, _)| first).max()?;
        let again = texts().map(|owed| owed.second).min()?;
        let first = texts().next().map(Owed::place);
        (last_first < again).then_some(())?;
        let at = self.place_of(again)?;
        Some(Difference { kind: DifferenceKind::Again { times }, at, before: first })
    }
}

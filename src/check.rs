//! From bytes to diagnostics: one transcript judged by all rules.

use std::mem;

use crate::{
    check::{
        judge::Judge,
        lines::{Intake, Lines, Remarks},
        tools::Tools,
        watch::Watcher,
    },
    diagnostic::Diagnostic,
    protocol::{Edition, Surface},
    transcript::Format,
};

mod blocks;
mod claims;
mod court;
mod dispatch;
mod docket;
mod flaws;
mod forms;
mod judge;
mod lanes;
mod limits;
mod lines;
mod mask;
mod open;
mod sample;
mod schemas;
mod severities;
mod survey;
mod tools;
mod watch;
mod whole;

pub use blocks::{Block, Parser};
pub use limits::Unassessed;
pub use severities::{Exception, Names, Severities, Standing};
pub use survey::{Conduct, Encounter, Implementation, Survey, Traffic};
pub use watch::{Act, Sight};

/// How to judge a transcript.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `None`: the negotiated version, drafts judged by the unstable schema and named once.
    pub surface: Option<Surface>,
    /// `None`: the current one, with the older spellings of plans accepted and named once.
    pub edition: Option<Edition>,
    /// `None`: as the beginning of the transcript tells.
    pub format: Option<&'static Format>,
    pub head: Head,
    pub tail: Tail,
    pub severities: Severities,
    /// Whether nobody asks how often rules are exercised: [`Outcome::tallies`] and
    /// [`Outcome::sides`] are empty then, which spares a little with each message.
    pub untallied: bool,
    /// Whether the program ends with this transcript. What is known of it is then left to the system,
    /// which takes it back as a whole: piece by piece, that takes a hundredth of the time of a large
    /// one.
    pub is_last: bool,
}

/// Whether the beginning of the connection is on record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Head {
    /// As the first message tells.
    #[default]
    Auto,
    Complete,
    Truncated,
}

/// Whether the end of the connection is on record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tail {
    /// As the last messages tell.
    #[default]
    Auto,
    Open,
    Closed,
}

/// What is known of a transcript when it has been read.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the format it was read as; `None` when nothing in it was a message.
    pub format: Option<&'static str>,
    /// What its last connection was judged by; `None` when its version stayed unknown.
    pub surface: Option<Surface>,
    pub edition: Edition,
    /// JSON-RPC messages read.
    pub messages: u64,
    pub connections: u32,
    /// How many of them the client has sent, the agent, and nobody knows who.
    pub senders: [u64; 3],
    /// By index in the catalogue; none where [`Settings::untallied`].
    pub tallies: Vec<Tally>,
    /// The same, by whose conduct was judged: the client's, the agent's, that of nobody knows whom.
    pub sides: Vec<[Tally; 3]>,
    /// Who met whom and what they did; `None` unless [`Check::surveyed`].
    pub survey: Option<Survey>,
    /// For diagnostics that stand for several: (index of the diagnostic in the order of
    /// reporting, how many more there were), ascending.
    pub repeats: Vec<(u64, u64)>,
    /// Rules that could not be assessed for what the recorder does to the messages.
    pub unassessed: Vec<Unassessed>,
    /// What is to be said about the recording itself, once, what could not be assessed included;
    /// sentences without a full stop.
    pub notes: Vec<String>,
    /// Why nothing was read and what to do about it, when the format is known and cannot be read; or
    /// why not all was. A sentence without a full stop.
    pub refusal: Option<String>,
}

/// How often a rule's condition was met, and how often it was broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub exercised: u64,
    pub failed: u64,
}

impl Tally {
    /// The tally of all three sides.
    fn of_all([client, agent, unknown]: &[Self; 3]) -> Self {
        Self {
            exercised: client.exercised + agent.exercised + unknown.exercised,
            failed: client.failed + agent.failed + unknown.failed,
        }
    }
}

/// How many bytes are taken at a time, at most.
const PIECE: usize = 128 * 1024;

/// A transcript being judged: fed with bytes, it yields diagnostics in the order of the messages.
///
/// It does no I/O and never fails. Blocks may be cut anywhere; the diagnostics are the same.
///
/// It reads in two stages: lines are cut and parsed, then judged. Who has a thread to spare may
/// borrow the first with [`Check::lend`], and hand what it yields to [`Check::judge`].
#[derive(Debug)]
pub struct Check {
    // In boxes, since they are large, and what is made for each file is moved about.
    parser: Box<Parser>,
    judge: Box<Judge>,
    lines: Box<Lines>,
    block: Block,
    /// Whether there are lines in the block that have not been judged.
    is_parsed: bool,
    /// For other transcripts.
    blocks: Vec<Block>,
    /// Whether the parser and what goes with it is with other checks.
    is_aside: bool,
}

impl Check {
    pub fn new(settings: &Settings) -> Self {
        let Tools { parser, mut blocks, room } = settings.severities.tools();
        let block = blocks.pop().unwrap_or_default();
        let lines = Box::new(Lines::new(settings.format));
        let judge = Box::new(Judge::new(settings, room));
        Self { parser, judge, lines, block, is_parsed: false, blocks, is_aside: false }
    }

    /// The same, and `see` is told of everything that happens to plans, before it happens.
    pub fn watched(settings: &Settings, see: impl FnMut(&Sight<'_>) + Send + 'static) -> Self {
        let mut check = Self::new(settings);
        check.judge.be_watched(Watcher::new(see));
        check
    }

    /// The same, and the outcome has a [`Survey`]. Costs a table look-up a message, and judges for
    /// nothing but a count what rules may not speak about.
    pub fn surveyed(mut self) -> Self {
        self.judge.be_surveyed();
        self
    }

    /// Takes the next bytes of the transcript.
    pub fn feed(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE) {
            if self.is_over() {
                return;
            }
            self.room(piece.len()).copy_from_slice(piece);
            self.advance(piece.len());
            while self.step() {}
        }
    }

    /// Where the next bytes of the transcript may be put instead of feeding them, so many of them.
    pub fn room(&mut self, count: usize) -> &mut [u8] {
        self.clear();
        self.parser.room(count)
    }

    /// Takes the first bytes of a buffer, so many of them, as all that there is of the transcript so
    /// far, for [`Check::step`] to judge; and leaves another buffer in its place.
    pub fn exchange(&mut self, buffer: &mut Vec<u8>, count: usize) {
        self.clear();
        self.parser.exchange(buffer, count);
    }

    /// Forgets the lines that have been judged.
    fn clear(&mut self) {
        if !self.is_parsed {
            self.block.clear();
        }
    }

    /// Takes so many bytes from the room, for [`Check::step`] to judge.
    pub fn advance(&mut self, count: usize) {
        self.parser.advance(count);
    }

    /// Judges the next whole lines that are there, some thousand at most; `false`: there are none.
    pub fn step(&mut self) -> bool {
        let is_parsed = self.parse();
        if is_parsed {
            self.lines.block(&mut self.block, &mut self.judge);
            self.is_parsed = false;
        }
        is_parsed
    }

    /// Parses the lines that the next [`Check::step`] judges; `false`: there are none.
    pub fn parse(&mut self) -> bool {
        self.is_parsed = self.is_parsed || self.parse_next();
        self.is_parsed
    }

    fn parse_next(&mut self) -> bool {
        let Self { parser, block, lines, judge, .. } = self;
        let (rest, kit) = parser.sample();
        match lines.intake(rest, kit, judge) {
            Intake::More => false,
            Intake::Lines { are_json } => {
                parser.expect_json(are_json);
                let is_cut = parser.cut(block);
                if !is_cut {
                    lines.bear(parser.rest(), judge);
                }
                is_cut
            }
            Intake::Nothing => {
                parser.clear();
                false
            }
        }
    }

    /// Leaves what parsing and judging takes to other checks in the meantime, if all that there is has
    /// been parsed. What parses stays at hand in the processor where several transcripts are parsed
    /// before the first of them is judged.
    pub fn set_aside(&mut self) {
        if !self.is_aside && self.parser.rest().is_empty() {
            self.parser.end();
            self.judge.keep_tools(mem::take(&mut self.parser), mem::take(&mut self.blocks));
            self.is_aside = true;
        }
    }

    /// To be called before anything else when it has been set aside.
    pub fn take_up(&mut self) {
        if mem::take(&mut self.is_aside) {
            (self.parser, self.blocks) = self.judge.take_tools();
        }
    }

    /// The first stage, with all it has not yet yielded, to be gone through elsewhere: what follows
    /// of the transcript is put into its room, its blocks come to [`Check::judge`] in their order,
    /// and in the end it is given back. `None` where there is nothing to be parsed, or not yet.
    pub fn lend(&mut self) -> Option<Parser> {
        self.lines.are_json().then(|| mem::take(&mut *self.parser))
    }

    /// Takes the lines of a block that was cut and parsed elsewhere.
    pub fn judge(&mut self, block: &mut Block) {
        self.lines.block(block, &mut self.judge);
    }

    /// Takes the first stage back.
    pub fn take_back(&mut self, parser: Parser) {
        *self.parser = parser;
        while self.step() {}
    }

    /// Whether nothing is read any more, whatever follows: a line without end is not waited for.
    pub fn is_over(&self) -> bool {
        self.lines.is_over()
    }

    /// The diagnostics found since the last call.
    pub fn drain(&mut self) -> std::vec::Drain<'_, Diagnostic> {
        self.judge.diagnostics().drain(..)
    }

    /// The same, for the caller to take out, and the lines in which most of them are.
    pub fn found(&mut self) -> (&mut Vec<Diagnostic>, &Block) {
        (self.judge.diagnostics(), &self.block)
    }

    /// What follows is missing: nobody is blamed for what it may have held. To be called at the end.
    pub fn cut(&mut self) {
        self.judge.cut();
    }

    /// No more bytes follow: lines are there for [`Check::step`] that have waited for more.
    pub fn settle(&mut self) {
        let (rest, kit) = self.parser.sample();
        self.lines.settle(rest, kit, &mut self.judge);
    }

    /// The transcript has ended; its last diagnostics are added to `diagnostics`.
    pub fn finish(mut self, diagnostics: &mut Vec<Diagnostic>) -> Outcome {
        self.take_up();
        self.settle();
        while self.step() {}
        self.lines.finish(self.parser.end(), &mut self.judge);
        let Self { parser, block, mut blocks, lines, mut judge, .. } = self;
        blocks.push(block);
        judge.keep_tools(parser, blocks);
        let mut outcome = judge.finish(diagnostics);
        outcome.format = if outcome.messages == 0 { None } else { lines.format() };
        let Remarks { refusal, unassessed, notes } = lines.remarks(outcome.senders);
        outcome.refusal = refusal;
        // What no recording of this kind can tell is not missed in this one.
        let is_elsewhere = |rule: &&str| unassessed.iter().any(|limit| limit.rules.contains(rule));
        for missing in &mut outcome.unassessed {
            missing.rules.retain(|rule| !is_elsewhere(rule));
        }
        outcome.unassessed.extend(unassessed);
        let version = outcome.surface.map(Surface::version);
        let unassessed = outcome.unassessed.iter().map(|unassessed| unassessed.note(version));
        outcome.notes = unassessed.chain(notes).collect();
        outcome
    }
}

/// Judges a whole transcript at once.
///
/// ```
/// let transcript = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
/// [1,2]
/// "#;
/// let (diagnostics, outcome) =
///     acpcheck::check::check(transcript.as_bytes(), &acpcheck::check::Settings::default());
/// assert_eq!(outcome.format, Some("ndjson"));
/// assert!(diagnostics.iter().any(|diagnostic| diagnostic.rule.id == "jsonrpc/batch"));
/// ```
pub fn check(transcript: &[u8], settings: &Settings) -> (Vec<Diagnostic>, Outcome) {
    let mut check = Check::new(settings);
    check.feed(transcript);
    let mut diagnostics: Vec<_> = check.drain().collect();
    let outcome = check.finish(&mut diagnostics);
    (diagnostics, outcome)
}

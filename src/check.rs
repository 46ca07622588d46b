//! From bytes to diagnostics: one transcript judged by all rules.

use std::{fmt, ops, sync::Arc};

use crate::{
    check::{ahead::Ahead, checker::Checker, observer::Observer},
    diagnostic::Diagnostic,
    model::story::{Shelf, Shelves},
    protocol::{Edition, Side, Surface},
    requirements::Offers,
    transcript::{Driven, Format, Passage, Reader, Remarks, ScenarioState},
};

mod ahead;
mod allowance;
mod checker;
mod conduct;
mod connections;
mod dispatch;
mod exercise;
mod explained;
mod fulfilment;
mod limits;
mod observer;
mod pending;
mod schemas;
mod severities;
pub mod shares;
mod verdicts;

pub use conduct::{Conduct, Implementation, Lack, Pairing, RuleConduct, Traffic};
pub use exercise::{Exercise, RuleResult, Status};
pub use fulfilment::{Fulfilment, RequirementCounts, RequirementRow, RequirementStatus};
pub use limits::Unassessed;
pub use observer::{EventKind, ObservedEvent, PlanChange, Sending, sendings};
pub use severities::{Exception, Names, RuleSeverity, Severities};

/// How a transcript is judged: version, edition, sides, severities, and what is known about the
/// recording. Mostly from the command line.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Version and schema to judge by. `None` means the negotiated version; messages that only the
    /// drafts define are judged by the unstable schema, and one info says that drafts are used.
    pub surface: Option<Surface>,
    /// Edition of the protocol to judge by. `None` means the current one, with older spellings of
    /// plans accepted and named once.
    pub edition: Option<Edition>,
    /// Format to read the transcript as. `None` means the format that its beginning shows.
    pub format: Option<&'static Format>,
    pub head: Head,
    pub tail: Tail,
    pub severities: Severities,
    /// The side whose findings are reported, together with findings of an unknown side; `None` for
    /// both sides.
    pub side: Option<Side>,
    pub story: Story,
    /// What other files show of the same sessions; `None` where each file is judged alone.
    pub shelves: Option<Arc<Shelves>>,
    /// Number of the checked file in `shelves` (what several files show of sessions), from 1; 0
    /// when the file is not there.
    pub file: u32,
}

/// Whether the transcript has the beginning of each connection (`--head`). If not, sessions and
/// requests may be older than the transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Head {
    /// The first message of the transcript decides whether the beginning is there.
    #[default]
    Auto,
    Complete,
    Truncated,
}

/// Whether the transcript holds the end of its last connection. Only then do rules report what was
/// left open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tail {
    /// The last messages of the transcript decide whether the end is there.
    #[default]
    Auto,
    Open,
    Closed,
}

/// Which transcripts tell of the same sessions (`--story`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Story {
    /// As the ids of the sessions, the agents and the times prove.
    #[default]
    Auto,
    /// All of them, and no other client had the sessions. Their order is that of times, or of names
    /// where one has no time.
    One,
    /// Each is judged alone.
    None,
}

/// Result of a check besides its diagnostics: what was read and counted, and what could not be
/// judged.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the format that the transcript was read as; `None` when nothing in it was a message.
    pub format: Option<&'static str>,
    /// Version and schema that the last connection was judged by; `None` when its version stayed
    /// unknown.
    pub surface: Option<Surface>,
    pub edition: Edition,
    /// Number of findings about the side that [`Settings::side`] leaves out.
    pub other_side: u64,
    /// Number of JSON-RPC messages in the transcript that were read.
    pub messages: u64,
    pub connections: u32,
    /// Number of messages of each side, in the order of
    /// [`Side::index`](crate::protocol::Side::index).
    pub senders: [u64; 3],
    /// How often each rule was exercised and broken, by the rule's index in the catalogue.
    pub tallies: Vec<Tally>,
    /// How often each side kept and broke each rule: by the rule's index in the catalogue, then by
    /// [`Side::index`](crate::protocol::Side::index). Behind the rules stand their [shares].
    pub sides: Vec<[Tally; 3]>,
    /// How often each rule could not judge although its condition was met, by side and in the order of
    /// `sides`.
    pub barred: Vec<[u64; 3]>,
    /// Whether the sessions come from somewhere: one was created, or there is no update of any.
    pub shows_births: bool,
    /// Whether the recording keeps the lines as they were sent.
    pub has_raw_lines: bool,
    /// What the connections offered of that which requirements need.
    pub offers: Offers,
    /// Which implementations met, and what they did; `None` unless the check counts it, see
    /// [`Check::with_conduct`].
    pub conduct: Option<Conduct>,
    /// Rules that could not be assessed because of what the recorder drops or changes, and why.
    pub unassessed: Vec<Unassessed>,
    /// Numbers of messages and rules that were not judged because of what this transcript contains.
    /// What its format can never keep is only in `unassessed`.
    pub unjudged: Unjudged,
    /// Remarks on the recording itself, including what could not be assessed: sentences without a
    /// full stop.
    pub notes: Vec<String>,
    /// Why nothing, or not all, of a known format could be read, and what to do about it: a
    /// sentence without a full stop. `None` where all could be.
    pub refusal: Option<String>,
    /// What the transcript seems to be, if nothing in it is a message: a sentence without a full
    /// stop.
    pub unread_form: Option<&'static str>,
    /// Which side acpcheck itself plays in the recording, and how. That side is not judged. `None`
    /// for recordings of two other programs.
    pub driven: Option<Driven>,
    /// The end of the scenario that acpcheck played in this recording (`drive`, `play`); `None` for
    /// other recordings, and for one that breaks off.
    pub scenario: Option<ScenarioState>,
}

/// How much of a transcript could not be judged: messages with too many values, masked values, a
/// beginning that is missing. A transcript without findings conforms only if both counts are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unjudged {
    /// Number of messages that no rule, or not every rule, could judge.
    pub messages: u64,
    /// Number of rules that could not be assessed in some connection of the transcript.
    pub rules: u64,
}

impl Unjudged {
    /// Whether both counts are zero, so that everything was judged.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

impl ops::AddAssign for Unjudged {
    fn add_assign(&mut self, other: Self) {
        self.messages += other.messages;
        self.rules += other.rules;
    }
}

impl fmt::Display for Unjudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: u64, noun| match count {
            1 => format!("1 {noun}"),
            count => format!("{count} {noun}s"),
        };
        match (self.messages, self.rules) {
            (messages, 0) => f.write_str(&plural(messages, "message")),
            (0, rules) => f.write_str(&plural(rules, "rule")),
            (messages, rules) => {
                write!(f, "{} and {}", plural(messages, "message"), plural(rules, "rule"))
            }
        }
    }
}

/// How often a rule's condition was met (`exercised`), and how often the rule was broken
/// (`failed`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub exercised: u64,
    pub failed: u64,
}

impl Tally {
    /// Sum of the counts for the client (index 0), the agent (1) and an unknown side (2).
    fn of_all([client, agent, unknown]: &[Self; 3]) -> Self {
        Self {
            exercised: client.exercised + agent.exercised + unknown.exercised,
            failed: client.failed + agent.failed + unknown.failed,
        }
    }
}

/// A transcript that is being judged. Feed it with bytes, and take the diagnostics at the end.
///
/// Does no I/O and never fails. Blocks may be cut anywhere; the diagnostics are the same.
#[derive(Debug)]
pub struct Check {
    reader: Reader,
    passages: Passages,
}

/// Where the messages of a check are judged: on the thread that reads them, or on a second one.
#[derive(Debug)]
enum Passages {
    Here(Box<Checker>),
    Ahead(Ahead),
}

impl Passages {
    fn see(&mut self, passage: Passage<'_>) {
        match self {
            Self::Here(checker) => checker.see(passage),
            Self::Ahead(ahead) => ahead.see(passage),
        }
    }
}

impl Check {
    pub fn new(settings: &Settings) -> Self {
        let checker = Box::new(Checker::new(settings));
        Self { reader: Reader::new(settings.format), passages: Passages::Here(checker) }
    }

    /// A check of a connection that is still going on: each line is judged as soon as it has come,
    /// see [`news`](Self::news). The settings must name the format.
    pub fn live(settings: &Settings) -> Self {
        let mut checker = Box::new(Checker::new(settings));
        checker.keep_news();
        Self { reader: Reader::live(settings.format), passages: Passages::Here(checker) }
    }

    /// The diagnostics since the last call, one for each finding. Empty unless the check is
    /// [`live`](Self::live).
    pub fn news(&mut self) -> Vec<Diagnostic> {
        match &mut self.passages {
            Passages::Here(checker) => checker.take_news(),
            Passages::Ahead(_) => Vec::new(),
        }
    }

    /// Number of rules about the conduct of this side that were exercised so far. 0 once the check
    /// is [on another thread](Self::on_another_thread).
    pub fn exercised(&self, side: Side) -> usize {
        match &self.passages {
            Passages::Here(checker) => checker.exercised(side),
            Passages::Ahead(_) => 0,
        }
    }

    /// Switches all rules off. Only what sessions show is collected, for [`shelf`](Self::shelf).
    #[must_use]
    pub fn without_rules(mut self) -> Self {
        if let Passages::Here(checker) = &mut self.passages {
            checker.run_no_rules();
        }
        self
    }

    /// Ends the transcript, and returns what its sessions showed, to compare other files with them.
    pub fn shelf(self) -> Shelf {
        let Self { reader, mut passages } = self;
        reader.finish(&mut |passage| passages.see(passage));
        match passages {
            Passages::Here(checker) => checker,
            Passages::Ahead(ahead) => ahead.finish(),
        }
        .shelf()
    }

    /// Adds a function that is called for each event, before the model applies the event. A check
    /// may have several.
    #[must_use]
    pub fn with_observer(
        mut self,
        observe: impl FnMut(&ObservedEvent<'_>) + Send + 'static,
    ) -> Self {
        if let Passages::Here(checker) = &mut self.passages {
            checker.observe(Observer::new(observe));
        }
        self
    }

    /// Makes the check count what each implementation did and how it fared by each rule, for
    /// [`Outcome::conduct`].
    #[must_use]
    pub fn with_conduct(mut self) -> Self {
        if let Passages::Here(checker) = &mut self.passages {
            checker.count_conduct();
        }
        self
    }

    /// Moves the judging to another thread, if the system has one; this one only reads. For large
    /// transcripts. To be called last before [`feed`](Self::feed): later observers are ignored.
    #[must_use]
    pub fn on_another_thread(mut self) -> Self {
        self.passages = match self.passages {
            Passages::Here(checker) => {
                Ahead::new(checker).map_or_else(Passages::Here, Passages::Ahead)
            }
            ahead @ Passages::Ahead(_) => ahead,
        };
        self
    }

    /// Reads the next bytes of the transcript. The first 256 KiB wait until the format is known, so
    /// a shorter transcript is judged by [`finish`](Self::finish).
    pub fn feed(&mut self, bytes: &[u8]) {
        let Self { reader, passages } = self;
        reader.feed(bytes, &mut |passage| passages.see(passage));
    }

    /// Whether the reader has given up, so that further bytes are ignored and need not be fed.
    pub fn is_over(&self) -> bool {
        self.reader.is_over()
    }

    /// Tells the check that the rest of the transcript is missing, so that no rule reports a
    /// missing message. Call this before [`finish`](Self::finish).
    pub fn truncate(&mut self) {
        self.passages.see(Passage::Cut);
    }

    /// Ends the transcript. Returns its diagnostics in the order of the messages, and the outcome.
    pub fn finish(self) -> (Vec<Diagnostic>, Outcome) {
        let Self { reader, mut passages } = self;
        let Remarks { format, refusal, notes, silence, unread_form, unread } =
            reader.finish(&mut |passage| passages.see(passage));
        let checker = match passages {
            Passages::Here(checker) => checker,
            Passages::Ahead(ahead) => ahead.finish(),
        };
        let (diagnostics, mut outcome) = checker.finish();
        outcome.unjudged.messages += unread;
        outcome.format = format.filter(|_| outcome.messages > 0);
        let silence = silence.filter(|_| outcome.messages == 0).map(str::to_owned);
        outcome.refusal = refusal.or(silence);
        outcome.unread_form = unread_form.filter(|_| outcome.messages == 0);
        let version = outcome.surface.map(Surface::version);
        let unassessed = outcome.unassessed.iter().map(|unassessed| unassessed.note(version));
        outcome.notes = unassessed.chain(notes).collect();
        (diagnostics, outcome)
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
    check.finish()
}

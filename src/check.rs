//! From bytes to diagnostics: one transcript judged by all rules.

use std::{fmt, ops, sync::Arc};

use crate::{
    check::{ahead::Ahead, checker::Checker, observer::Observer},
    diagnostic::Diagnostic,
    model::story::{Shelf, Shelves},
    protocol::{Edition, Side, Surface},
    transcript::{Driven, Format, Passage, Reader, Remarks, ScenarioState},
};

mod ahead;
mod checker;
mod conduct;
mod connections;
mod dispatch;
mod exercise;
mod explained;
mod limits;
mod observer;
mod pending;
mod schemas;
mod severities;
mod verdicts;

pub use conduct::{Conduct, Implementation, Pairing, RuleConduct, Traffic};
pub use exercise::Exercise;
pub use limits::Unassessed;
pub use observer::{EventKind, ObservedEvent, PlanChange, Sending, sendings};
pub use severities::{Exception, Names, RuleSeverity, Severities};

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
    /// The side whose findings are reported, with those of which the side is unknown; `None` for both.
    pub side: Option<Side>,
    /// What other files show of sessions; `None` where each file is judged alone.
    pub shelves: Option<Arc<Shelves>>,
    /// Number of the file in the shelves.
    pub file: u32,
}

/// Whether the transcript holds the beginning of each connection (`--head`). Where it does not, sessions
/// and requests may stem from before it.
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
    /// Findings of the other side, which are not reported: see [`Settings::side`].
    pub other_side: u64,
    /// JSON-RPC messages read.
    pub messages: u64,
    pub connections: u32,
    /// How many of them each side has sent, see [`Side::index`](crate::protocol::Side::index).
    pub senders: [u64; 3],
    /// How often each rule was exercised and broken, by index in the catalogue.
    pub tallies: Vec<Tally>,
    /// The tallies of each rule by the side whose conduct was judged, see [`Side::index`](crate::protocol::Side::index).
    pub sides: Vec<[Tally; 3]>,
    /// Which implementations met and what they did; `None` without [`Check::with_conduct`].
    pub conduct: Option<Conduct>,
    /// Rules that could not be assessed for what the recorder does to the messages.
    pub unassessed: Vec<Unassessed>,
    /// How much the content of the transcript has kept from being judged. What its format never keeps is in `unassessed` alone.
    pub unjudged: Unjudged,
    /// What is to be said about the recording itself, once, what could not be assessed included;
    /// sentences without a full stop.
    pub notes: Vec<String>,
    /// Why nothing was read and what to do about it, when the format is known and cannot be read; or
    /// why not all was. A sentence without a full stop.
    pub refusal: Option<String>,
    /// What a transcript seems to be in which nothing is a message: a sentence without a full stop.
    pub unread_form: Option<&'static str>,
    /// What acpcheck plays in the recording; that side is not judged.
    pub driven: Option<Driven>,
    /// How the scenario ended that it plays.
    pub scenario: Option<ScenarioState>,
}

/// How much of a transcript could not be judged because of what stands in it: too many values, masks,
/// a message before the beginning. Without findings and with nothing unjudged, a transcript is clean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unjudged {
    /// Messages that were not judged, or not by all rules.
    pub messages: u64,
    /// Rules that were not assessed in some connection.
    pub rules: u64,
}

impl Unjudged {
    /// Whether everything was judged.
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

/// A transcript being judged: fed with bytes, it yields diagnostics in the order of the messages.
///
/// It does no I/O and never fails. Blocks may be cut anywhere; the diagnostics are the same.
#[derive(Debug)]
pub struct Check {
    reader: Reader,
    passages: Passages,
}

/// Where the passages of a transcript go.
#[derive(Debug)]
enum Passages {
    /// To the checker.
    Here(Box<Checker>),
    /// To a checker on another thread.
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

    /// A check of the lines of a connection that goes on: each is judged as soon as it has come, see
    /// [`news`](Self::news). The transcript is in the format that the settings name.
    pub fn live(settings: &Settings) -> Self {
        let mut checker = Box::new(Checker::new(settings));
        checker.keep_news();
        Self { reader: Reader::live(settings.format), passages: Passages::Here(checker) }
    }

    /// The diagnostics found since the last call, one for each finding; none but of a
    /// [`live`](Self::live) check.
    pub fn news(&mut self) -> Vec<Diagnostic> {
        match &mut self.passages {
            Passages::Here(checker) => checker.take_news(),
            Passages::Ahead(_) => Vec::new(),
        }
    }

    /// How many rules about the conduct of this side were exercised so far; 0 but of a
    /// [`live`](Self::live) check.
    pub fn exercised(&self, side: Side) -> usize {
        match &self.passages {
            Passages::Here(checker) => checker.exercised(side),
            Passages::Ahead(_) => 0,
        }
    }

    /// Runs no rules: only what sessions show is kept, see [`shelf`](Self::shelf).
    #[must_use]
    pub fn without_rules(mut self) -> Self {
        if let Passages::Here(checker) = &mut self.passages {
            checker.run_no_rules();
        }
        self
    }

    /// Ends the transcript, and returns what its sessions showed.
    pub fn shelf(self) -> Shelf {
        let Self { reader, mut passages } = self;
        reader.finish(&mut |passage| passages.see(passage));
        match passages {
            Passages::Here(checker) => checker,
            Passages::Ahead(ahead) => ahead.finish(),
        }
        .shelf()
    }

    /// Calls `observe` for each event, before the model applies it. A check may have several observers.
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

    /// Counts what each side did and how it fared by each rule: [`Outcome::conduct`].
    #[must_use]
    pub fn with_conduct(mut self) -> Self {
        if let Passages::Here(checker) = &mut self.passages {
            checker.count_conduct();
        }
        self
    }

    /// Checks on another thread what this one reads, if the system has one: for large transcripts. To be
    /// called last before [`feed`](Self::feed): no observer can be added afterwards.
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

    /// Takes the next bytes of the transcript. The first 256 KiB wait until the format is known: a shorter
    /// transcript is judged by [`finish`](Self::finish).
    pub fn feed(&mut self, bytes: &[u8]) {
        let Self { reader, passages } = self;
        reader.feed(bytes, &mut |passage| passages.see(passage));
    }

    /// Whether nothing is read any more, whatever follows: a line without end is not waited for.
    pub fn is_over(&self) -> bool {
        self.reader.is_over()
    }

    /// Says that the rest of the transcript is missing, so that no rule speaks of what it may have
    /// held. To be called before [`finish`](Self::finish).
    pub fn truncate(&mut self) {
        self.passages.see(Passage::Cut);
    }

    /// Ends the transcript, and returns its diagnostics in the order of the messages.
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

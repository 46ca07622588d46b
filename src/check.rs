//! From bytes to diagnostics: one transcript judged by all rules.

use crate::{
    check::{judge::Judge, watch::Watcher},
    diagnostic::Diagnostic,
    protocol::{Edition, Surface},
    transcript::{Format, Passage, Reader, Remarks},
};

mod claims;
mod court;
mod dispatch;
mod docket;
mod judge;
mod lanes;
mod limits;
mod schemas;
mod severities;
mod survey;
mod watch;

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

/// A transcript being judged: fed with bytes, it yields diagnostics in the order of the messages.
///
/// It does no I/O and never fails. Blocks may be cut anywhere; the diagnostics are the same.
#[derive(Debug)]
pub struct Check {
    reader: Reader,
    judge: Box<Judge>,
}

impl Check {
    pub fn new(settings: &Settings) -> Self {
        Self { reader: Reader::new(settings.format), judge: Box::new(Judge::new(settings)) }
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
        let Self { reader, judge } = self;
        reader.feed(bytes, &mut |passage| judge.see(passage));
    }

    /// Whether nothing is read any more, whatever follows: a line without end is not waited for.
    pub fn is_over(&self) -> bool {
        self.reader.is_over()
    }

    /// The diagnostics found since the last call.
    pub fn drain(&mut self) -> std::vec::Drain<'_, Diagnostic> {
        self.judge.diagnostics().drain(..)
    }

    /// What follows is missing: nobody is blamed for what it may have held. To be called at the end.
    pub fn cut(&mut self) {
        self.judge.see(Passage::Cut);
    }

    /// The transcript has ended; its last diagnostics are added to `diagnostics`.
    pub fn finish(self, diagnostics: &mut Vec<Diagnostic>) -> Outcome {
        let Self { reader, mut judge } = self;
        let Remarks { format, refusal, notes } = reader.finish(&mut |passage| judge.see(passage));
        let mut outcome = judge.finish(diagnostics);
        outcome.format = format.filter(|_| outcome.messages > 0);
        outcome.refusal = refusal;
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

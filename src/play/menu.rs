//! Which scenarios a prompt plays.

use crate::play::{SCENARIOS, Scenario, find};

/// How the played agent presents itself on a whole connection, to test how clients cope with
/// different agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Face {
    /// The agent advertises all capabilities that are stable.
    #[default]
    Full,
    /// An agent that advertises no capabilities, to see whether the client copes.
    Bare,
    /// The agent demands a login before the first session.
    Login,
    /// The agent answers version 1 to a client that offers version 2.
    OlderVersion,
}

impl Face {
    /// All behaviours of the played agent that users can select; `Full` is the default.
    pub const ALL: [Self; 3] = [Self::Bare, Self::Login, Self::OlderVersion];

    /// The word by which users select this behaviour of the agent.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Bare => "bare",
            Self::Login => "login",
            Self::OlderVersion => "older-version",
        }
    }

    /// What the played agent does with this behaviour, in one line without a full stop, for lists.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Full => "advertises all that is stable",
            Self::Bare => "advertises no capability",
            Self::Login => "wants a login before the first session",
            Self::OlderVersion => "answers version 1 to a client that offers version 2",
        }
    }
}

/// How the played agent chooses a scenario for each prompt.
#[derive(Clone, Debug, Default)]
pub struct Menu {
    pub face: Face,
    /// Scenarios for the prompts in this order; further prompts get the first scenario of
    /// `SCENARIOS`. Empty to choose by the text of each prompt.
    pub order: Vec<&'static Scenario>,
    /// Whether the chat shows the result of each scenario.
    pub has_verdicts: bool,
}

/// What the played agent does in answer to a prompt.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    /// Play these scenarios. `is_asked` is `false` where the text named none, so that the default
    /// is played.
    Play { scenarios: Vec<&'static Scenario>, is_asked: bool },
    /// Report the findings about the client so far.
    Verdict,
    /// Say that no scenario has the name that the user has typed after a `/`.
    Unknown(String),
}

/// The slash command that plays all scenarios that fit in one turn.
pub(super) const ALL: &str = "all";
/// The slash command by which the user asks for the findings so far.
pub(super) const VERDICT: &str = "verdict";

impl Menu {
    /// Chooses what to do for a prompt. `number` is that of the prompt in its connection, from 0;
    /// `text` is its first text.
    pub(super) fn choose(&self, number: usize, text: &str) -> Choice {
        let play = |scenarios, is_asked| Choice::Play { scenarios, is_asked };
        let turn = || vec![SCENARIOS[0]];
        if !self.order.is_empty() {
            return play(self.order.get(number).map_or_else(turn, |it| vec![*it]), true);
        }
        let word = text.split_whitespace().next().unwrap_or_default();
        let name = word.strip_prefix('/').unwrap_or(word).to_lowercase();
        match &*name {
            ALL => play(SCENARIOS.iter().copied().filter(|it| !it.is_alone).collect(), true),
            VERDICT if self.has_verdicts => Choice::Verdict,
            _ => match find(&name) {
                Some(scenario) => play(vec![scenario], true),
                None if word.starts_with('/') && self.has_verdicts => Choice::Unknown(name),
                None => play(turn(), false),
            },
        }
    }
}

//! Which scenarios a prompt plays.

use crate::play::{SCENARIOS, Scenario, find};

/// What the agent shows of itself, for a whole connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Face {
    /// It advertises all that is stable.
    #[default]
    Full,
    /// It advertises nothing.
    Bare,
    /// It wants a login first.
    Login,
    /// It answers version 1 to a client that offers version 2.
    OlderVersion,
}

impl Face {
    /// The faces that users select.
    pub const ALL: [Self; 3] = [Self::Bare, Self::Login, Self::OlderVersion];

    /// How users select it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Bare => "bare",
            Self::Login => "login",
            Self::OlderVersion => "older-version",
        }
    }

    /// What the agent does, in one line without a full stop.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Full => "advertises all that is stable",
            Self::Bare => "advertises no capability",
            Self::Login => "wants a login before the first session",
            Self::OlderVersion => "answers version 1 to a client that offers version 2",
        }
    }
}

/// How prompts choose scenarios.
#[derive(Clone, Debug, Default)]
pub struct Menu {
    pub face: Face,
    /// The scenarios of the prompts, the first first; empty to go by their texts.
    pub order: Vec<&'static Scenario>,
    /// Whether the chat tells how scenarios ended.
    pub has_verdicts: bool,
}

/// What a prompt asks for.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    /// These scenarios. `is_asked`: the text names them.
    Play { scenarios: Vec<&'static Scenario>, is_asked: bool },
    /// What was found so far.
    Verdict,
}

/// The command for all scenarios that fit in one turn.
pub(super) const ALL: &str = "all";
/// The command for what was found so far.
pub(super) const VERDICT: &str = "verdict";

impl Menu {
    /// What the prompt with this number, from 0, and this text asks for.
    pub(super) fn choose(&self, number: usize, text: &str) -> Choice {
        let play = |scenarios, is_asked| Choice::Play { scenarios, is_asked };
        let turn = || vec![SCENARIOS[0]];
        if !self.order.is_empty() {
            return play(self.order.get(number).map_or_else(turn, |it| vec![*it]), true);
        }
        let word = text.split_whitespace().next().unwrap_or_default();
        let word = word.strip_prefix('/').unwrap_or(word);
        match word {
            ALL => play(SCENARIOS.iter().copied().filter(|it| !it.is_alone).collect(), true),
            VERDICT if self.has_verdicts => Choice::Verdict,
            _ => match find(word) {
                Some(scenario) => play(vec![scenario], true),
                None => play(turn(), false),
            },
        }
    }
}

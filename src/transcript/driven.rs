//! What recordings say in which acpcheck plays a side: what is played, and how that ended.

use crate::{json::Node, protocol::Side};

/// What the first line says of a recording in which acpcheck plays a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driven {
    /// The number of the run, which all its recordings have.
    pub run: Box<str>,
    pub scenario: Box<str>,
    /// The number of the other side's process in the scenario, from 1.
    pub process: u32,
    /// The side that acpcheck plays. It is not judged.
    pub plays: Side,
    /// Whether the other side need not survive what it is sent: it may end anywhere, and what it says
    /// about broken input is not judged.
    pub ends_anywhere: bool,
    /// The scenarios that the run leaves out, each with why.
    pub left_out: Vec<(Box<str>, Box<str>)>,
}

/// The id of the session that a run makes up: no agent can know it. The number of the run follows.
pub const MADE_UP_SESSION: &str = "acpcheck-no-such-session-";

/// The mode, and the value of an option, that a run makes up: no agent offers it.
pub const MADE_UP_VALUE: &str = "acpcheck-no-such-value";

/// How a scenario ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioState {
    pub name: Box<str>,
    /// `done`, `refused`, `not offered`, `not done`, `unanswered`, `ended` or `interrupted`.
    pub state: Box<str>,
    /// What was not done and why, or what is worth telling; empty where there is nothing to say.
    pub step: Box<str>,
}

/// The most scenarios that are kept of those left out.
const MOST: usize = 100;
/// The longest text that is kept, in characters.
const LONGEST: usize = 400;

impl Driven {
    /// Reads a first line; `None` where no side is played.
    pub(super) fn of(start: Node<'_>) -> Option<Self> {
        let driven = start.get("driven")?;
        let plays = match driven.get("plays")? {
            plays if plays.is("client") => Side::Client,
            plays if plays.is("agent") => Side::Agent,
            _ => return None,
        };
        let process = driven.get("process").and_then(Node::integer);
        Some(Self {
            run: text(driven, "run"),
            scenario: text(driven, "scenario"),
            process: process.and_then(|it| u32::try_from(it).ok()).unwrap_or(1),
            plays,
            ends_anywhere: start.get("ends").is_some_and(|ends| ends.is("anywhere")),
            left_out: driven
                .get("left_out")
                .into_iter()
                .flat_map(Node::elements)
                .take(MOST)
                .map(|one| (text(one, "scenario"), text(one, "why")))
                .collect(),
        })
    }
}

impl ScenarioState {
    pub(super) fn of(line: Node<'_>) -> Self {
        Self { name: text(line, "name"), state: text(line, "state"), step: text(line, "step") }
    }
}

/// The text of a member; empty where it has none.
fn text(object: Node<'_>, member: &str) -> Box<str> {
    let text = object.get(member).and_then(Node::text);
    text.map(|text| text.as_cow().chars().take(LONGEST).collect()).unwrap_or_default()
}

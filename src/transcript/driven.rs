//! What recordings say in which acpcheck plays a side: what is played, and how that ended.

use crate::{json::Node, protocol::Side};

/// The first line of a recording in which acpcheck plays a side: which run, which scenario, which
/// side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driven {
    /// Number of the run of `acpcheck drive` or `acpcheck play` that made the recording; all
    /// recordings of the run have it.
    pub run: Box<str>,
    pub scenario: Box<str>,
    /// Number of the other side's process within the scenario, from 1.
    pub process: u32,
    /// The side that acpcheck plays in the recording, which is not judged.
    pub plays: Side,
    /// Whether the other side may end at any point, because acpcheck sends it broken input. Its
    /// messages about that input are not judged.
    pub ends_anywhere: bool,
    /// Scenarios that the run did not play, each with the reason.
    pub left_out: Vec<(Box<str>, Box<str>)>,
}

/// Beginning of the session id by which a run of `drive` asks an agent for a session that does not
/// exist. The run's number follows.
pub const MADE_UP_SESSION: &str = "acpcheck-no-such-session-";

/// A mode, or value of a config option, that does not exist, by which a run of `drive` tests an
/// agent.
pub const MADE_UP_VALUE: &str = "acpcheck-no-such-value";

/// The end of a scenario that acpcheck played: its state and more, as the recording states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioState {
    pub name: Box<str>,
    /// How the scenario ended: `done`, `refused`, `not offered`, `not done`, `unanswered`, `ended`
    /// or `interrupted`.
    pub state: Box<str>,
    /// What was not done and why, or another remark; empty where there is nothing to add.
    pub step: Box<str>,
}

/// Most left-out scenarios that are taken from a recording's first line; further ones are ignored.
const MOST: usize = 100;
/// Most characters that are kept of a text in a recording's first line; the rest is cut off.
const LONGEST: usize = 400;

impl Driven {
    /// Reads the first line of a recording; `None` where acpcheck plays no side in it.
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

/// Text of a member of an object, shortened to `LONGEST`; empty where there is none.
fn text(object: Node<'_>, member: &str) -> Box<str> {
    let text = object.get(member).and_then(Node::text);
    text.map(|text| text.as_cow().chars().take(LONGEST).collect()).unwrap_or_default()
}

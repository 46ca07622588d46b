use crate::drive::scenarios::{future_version::offer, prelude::*};

pub(super) static SCENARIO: Scenario = Scenario {
    name: "other-version",
    summary: "offer the other version: 2 instead of 1, or 1 instead of 2",
    explanation: "The agent is free to support only one version. Then its answer names that version.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let other = match player.options.version {
        Version::V1 => 2,
        Version::V2 => 1,
    };
    offer(player, other)
}

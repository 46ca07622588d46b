use std::time::{Duration, Instant};

use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "malformed",
    summary: "send half a line, an object without a method, and an empty array",
    explanation: "Shows whether the agent still works afterwards. It is free to end: JSON-RPC asks \
                  no agent to survive this.",
    needs: Need::Nothing,
    version: None,
    must_survive: false,
    play,
};

/// How long the agent has after a malformed line to answer a request, which shows that it is still
/// usable.
const PATIENCE: Duration = Duration::from_secs(3);

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    player.initialize(json!({}))?;
    player.send_line(r#"{"jsonrpc":"2.0","id":"acpcheck-half","#);
    player.send_line(r#"{"jsonrpc":"2.0","id":"acpcheck-bare"}"#);
    player.send_line("[]");
    let open = player.send_request("_acpcheck/unknown", json!({}));
    let deadline = Instant::now() + PATIENCE.min(player.options.timeout);
    player.answer(&open, deadline)?;
    Ok(State::Done("the agent is still usable".to_owned()))
}

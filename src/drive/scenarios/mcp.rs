use std::time::Duration;

use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "mcp",
    summary: "create a session with an MCP server, and see whether the agent connects to it",
    explanation: "The server is acpcheck itself, over standard input and output, which every agent of version 1 \
                  supports. Its one tool does nothing. An agent may connect when the session is \
                  created, or at the first prompt.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

/// How long the agent may take to connect to the MCP server.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long the scenario waits after the agent has connected, so that its first calls can be shown.
const WATCH: Duration = Duration::from_millis(500);

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    go_on!(initialized(player));
    if player.version() == Version::V2 && !player.offers("", "session.mcp.stdio") {
        return Ok(State::NotOffered("session.mcp.stdio".to_owned()));
    }
    let Some(mut server) = player.mcp_server() else {
        return Ok(State::NotDone("acpcheck has no MCP server here".to_owned()));
    };
    if player.version() == Version::V2 {
        server["type"] = "stdio".into();
    }
    let mut params = player.session_params();
    params["mcpServers"] = json!([server]);
    let session = go_on!(new_session_with(player, params));
    let mut is_connected = player.mcp_connections(1, PATIENCE)?;
    let may_prompt = player.options.prompt.is_some();
    if !is_connected && may_prompt {
        let prompt = prompt_of(player);
        go_on!(turn(player, &session.id, prompt));
        is_connected = player.mcp_connections(1, PATIENCE)?;
    }
    if !is_connected {
        let when = if may_prompt { "" } else { " before a prompt" };
        return Ok(State::NotDone(format!("the agent does not connect to the MCP server{when}")));
    }
    // What the agent calls right after it connected belongs to the state, too.
    player.mcp_connections(usize::MAX, WATCH)?;
    Ok(State::Done(format!("the agent calls {}", player.mcp_calls().join(", "))))
}

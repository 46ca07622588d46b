use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "unknown-methods",
    summary: "send custom requests and notifications that no agent knows",
    explanation: "Requests with a custom method are answered with -32601, notifications are ignored. \
                  All names begin with `_` or `$/`, as the protocol reserves them.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    player.initialize(json!({}))?;
    player.request("_acpcheck/unknown", json!({}))?;
    let id = Value::from("acpcheck-1");
    let open = player.send_request_with(id, "_acpcheck/unknown", json!({ "text": "…" }));
    player.answer_to(&open)?;
    player.notify("_acpcheck/unknown_notification", json!({}));
    player.notify("$/acpcheck_unknown", json!({}));
    // A notification is answered by nothing: the agent has read it when it answers what comes next.
    player.request("_acpcheck/unknown", json!({}))?;
    // And it must still do its work.
    if player.offers("", "session") {
        go_on!(new_session(player));
    }
    Ok(State::Done(String::new()))
}

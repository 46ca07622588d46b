use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "title",
    summary: "give a session a title, and list the sessions",
    explanation: "Only for agents that advertise titles.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    const METHOD: &str = "session/set_title";
    let session = go_on!(session(player));
    go_on!(offered(player, "sessionCapabilities.title", "session.title"));
    let params = json!({ "sessionId": session.id, "title": "acpcheck: a title" });
    let answer = player.request(METHOD, params)?;
    if player.offers("sessionCapabilities.list", "") {
        let here = json!({ "cwd": player.options.cwd });
        player.request("session/list", here)?;
    }
    Ok(done_or_refused(answer, METHOD))
}

use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "archive",
    summary: "archive a session and bring it back, with lists of each kind between",
    explanation: "Only for agents that advertise archiving. Both steps are tried twice: the second time \
                  changes nothing.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    const ARCHIVE: &str = "session/archive";
    let session = go_on!(session(player));
    go_on!(offered(player, "sessionCapabilities.archive", "session.archive"));
    let id = json!({ "sessionId": session.id });
    let archived = player.request(ARCHIVE, id.clone())?;
    player.request(ARCHIVE, id.clone())?;
    lists(player)?;
    for _ in 0..2 {
        player.request("session/unarchive", id.clone())?;
    }
    lists(player)?;
    Ok(done_or_refused(archived, ARCHIVE))
}

/// Sends `session/list` for the session's folder with each filter for archived sessions.
fn lists(player: &mut Player<'_>) -> Result<(), Stop> {
    if player.offers("sessionCapabilities.list", "") {
        let cwd = &player.options.cwd;
        let here = json!({ "cwd": cwd });
        let filters = ["exclude", "include", "only"];
        let filters = filters.map(|filter| json!({ "cwd": cwd, "archived": filter }));
        player.request("session/list", here)?;
        for params in filters {
            player.request("session/list", params)?;
        }
    }
    Ok(())
}

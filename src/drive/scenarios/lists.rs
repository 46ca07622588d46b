use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "lists",
    summary: "create and delete sessions; list all pages of sessions after each",
    explanation: "Every page is asked for by the cursor of the one before. A deleted session is not listed any more.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let first = go_on!(session(player));
    if !player.offers("sessionCapabilities.list", "") {
        return Ok(State::NotOffered("sessionCapabilities.list".to_owned()));
    }
    let second = go_on!(new_session(player));
    // Three sessions are two pages, also where a page has two.
    go_on!(new_session(player));
    go_on!(pages(player));
    if player.offers_delete() {
        player.request("session/delete", json!({ "sessionId": second.id }))?;
        player.note_deleted(&second.id);
        go_on!(pages(player));
    }
    if player.offers("sessionCapabilities.close", "") {
        player.request("session/close", json!({ "sessionId": first.id }))?;
        go_on!(pages(player));
    }
    // Another process lists what is stored.
    go_on!(restarted(player));
    let count = go_on!(pages(player));
    Ok(State::Done(if count == 1 { "1 page".to_owned() } else { format!("{count} pages") }))
}

/// Requests all pages of `session/list` and returns the number of pages.
fn pages(player: &mut Player<'_>) -> Step<usize> {
    /// Most pages of a list that are requested; an agent may return a `nextCursor` for ever.
    const MOST: usize = 50;
    const METHOD: &str = "session/list";
    let mut params = json!({ "cwd": player.options.cwd });
    for count in 1..=MOST {
        let result = match player.request(METHOD, params.clone())?.result(METHOD) {
            Ok(result) => result,
            Err(why) => return Ok(Err(State::Refused(why))),
        };
        match result["nextCursor"].as_str() {
            Some(cursor) => params["cursor"] = cursor.into(),
            None => return Ok(Ok(count)),
        }
    }
    Ok(Ok(MOST))
}

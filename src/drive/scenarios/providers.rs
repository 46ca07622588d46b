use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "providers",
    summary: "list the providers of models, and change one that does not exist",
    explanation: "No provider of the user is changed.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    const METHOD: &str = "providers/list";
    go_on!(initialized(player));
    go_on!(offered(player, "providers", "providers"));
    let listed = player.request(METHOD, json!({}))?;
    let unknown = format!("acpcheck-no-such-provider-{}", player.options.run);
    player.request(
        "providers/set",
        json!({
            "providerId": unknown, "apiType": "openai", "baseUrl": "https://acpcheck.invalid/",
        }),
    )?;
    player.request("providers/disable", json!({ "providerId": unknown }))?;
    player.request(METHOD, json!({}))?;
    Ok(done_or_refused(listed, METHOD))
}

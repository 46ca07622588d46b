use crate::{drive::scenarios::prelude::*, transcript::MADE_UP_VALUE};

pub(super) static SCENARIO: Scenario = Scenario {
    name: "other-values",
    summary: "set each mode and option to another value, to one that does not exist, and back",
    explanation: "A value that the agent offers can be set. One that it does not offer is refused, and the value stays \
                  as it was.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let session = go_on!(session(player));
    let mut refused = Vec::new();
    set_modes(player, &session, &mut refused)?;
    set_options(player, &session, &mut refused)?;
    Ok(done_unless_refused(refused, String::new()))
}

/// Most values that are tried of each mode or config option; further values are not tried.
const MOST: usize = 10;

fn set_modes(
    player: &mut Player<'_>,
    session: &Session,
    refused: &mut Vec<String>,
) -> Result<(), Stop> {
    const METHOD: &str = "session/set_mode";
    let modes = &session.result["modes"];
    let Some(current) = modes["currentModeId"].as_str() else { return Ok(()) };
    let offered = modes["availableModes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let others = offered.iter().filter_map(|mode| mode["id"].as_str());
    let others = others.filter(|id| *id != current).take(MOST);
    let params = |mode: &str| json!({ "sessionId": session.id, "modeId": mode });
    for mode in others.chain([current]) {
        ask(player, METHOD, params(mode), refused)?;
    }
    // No state is known after a change that succeeded with what does not exist: rules report that.
    player.request(METHOD, params(MADE_UP_VALUE))?;
    show(player, session)?;
    ask(player, METHOD, params(current), refused)
}

fn set_options(
    player: &mut Player<'_>,
    session: &Session,
    refused: &mut Vec<String>,
) -> Result<(), Stop> {
    const METHOD: &str = "session/set_config_option";
    let is_v2 = player.version() == Version::V2;
    let options = session.result["configOptions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let id = |option: &Value| option[if is_v2 { "configId" } else { "id" }].clone();
    // The player cannot know the values of a type that it does not know.
    let kind = |option: &Value| match option["type"].as_str() {
        Some("select") => Some(is_v2.then_some("id")),
        Some("boolean") => Some(Some("boolean")),
        _ => None,
    };
    let options = options.iter().filter_map(|option| Some((option, kind(option)?)));
    let options: Vec<_> = options.take(MOST).collect();
    let params = |(option, kind): (&Value, Option<&str>), value: &Value| {
        let mut params = json!({ "sessionId": session.id, "configId": id(option), "value": value });
        if let Some(kind) = kind {
            params["type"] = kind.into();
        }
        params
    };
    for (place, &(option, kind)) in options.iter().enumerate() {
        let current = &option["currentValue"];
        let values = match kind {
            Some("boolean") => vec![Value::Bool(current == &Value::Bool(false))],
            _ => values(&option["options"]),
        };
        let others = values.iter().filter(|value| *value != current).take(MOST);
        for value in others.chain([current]) {
            ask(player, METHOD, params((option, kind), value), refused)?;
        }
        if kind == Some("boolean") {
            continue;
        }
        player.request(METHOD, params((option, kind), &MADE_UP_VALUE.into()))?;
        // The answer to a change of another option shows whether this one stayed as it was.
        match options.iter().cycle().nth(place + 1).filter(|_| options.len() > 1) {
            Some(&other) => {
                player.request(METHOD, params(other, &other.0["currentValue"]))?;
            }
            None => show(player, session)?,
        }
        ask(player, METHOD, params((option, kind), current), refused)?;
    }
    Ok(())
}

/// Loads or resumes the session, if the agent can do that: the answer shows its modes and options.
fn show(player: &mut Player<'_>, session: &Session) -> Result<(), Stop> {
    if let Some(method) = attach_method(player) {
        player.request(method, attach_params(player, &session.id))?;
    }
    Ok(())
}

/// The values of a config option of type `select`, including those in groups. `options` is its list
/// of options.
fn values(options: &Value) -> Vec<Value> {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let each = options.iter().flat_map(|option| match option["options"].as_array() {
        Some(group) => group.iter().map(|option| option["value"].clone()).collect(),
        None => vec![option["value"].clone()],
    });
    each.filter(Value::is_string).collect()
}

use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "ids",
    summary: "requests with unusual ids, without params and with an array",
    look: "Nothing should be seen.",
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    let ids = [json!(""), json!("ünï-✓"), json!(-1), json!(0), json!(9_007_199_254_740_993_i64)];
    for id in ids {
        script.begin(format!("a request with the id {id}"));
        let open = script.request_as(id, "_acpcheck/alive", Some(json!({})));
        script.answer(&open)?;
    }
    script.begin("a request without params");
    let id = script.new_request_id();
    let open = script.request_as(id, "_acpcheck/alive", None);
    script.answer(&open)?;
    script.begin("a request with an array as params");
    script.ask("_acpcheck/alive", json!([]))?;
    Ok(State::Done)
}

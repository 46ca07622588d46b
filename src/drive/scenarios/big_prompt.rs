use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "big-prompt",
    summary: "one prompt with a text of 128 KiB",
    explanation: "A message has no longest length. The agent may refuse what its model cannot take.",
    needs: Need::Prompt,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    const LENGTH: usize = 128 << 10;
    const LINE: &str = "This line is here to make the message long. ";
    let session = go_on!(session(player));
    let long = LINE.repeat(LENGTH / LINE.len());
    let prompt = player.options.prompt.as_deref().unwrap_or_default();
    let blocks = json!([{ "type": "text", "text": prompt }, { "type": "text", "text": long }]);
    let open = player.prompt(&session.id, blocks);
    let answer = player.end_of_turn(&open)?;
    Ok(State::Done(match answer.result("session/prompt") {
        Ok(_) => String::new(),
        Err(why) => format!("refused: {why}"),
    }))
}

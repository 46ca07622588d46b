use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "messages",
    summary: "messages that are sent whole, continued, and replaced",
    look: "A thought, then a message of two paragraphs, which are replaced by one: `The last words.`",
    version: Some(Version::V2),
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    let (thought, message) = (script.id("message"), script.id("message"));
    let text = |text: &str| json!({ "type": "text", "text": text });
    let whole = |kind: &str, id: &str, content: Value| json!({ "sessionUpdate": kind, "messageId": id, "content": content });
    script.begin("a thought that is sent whole");
    script.update(whole("agent_thought", &thought, json!([text("A thought "), text("in two.")])));
    script.alive()?;
    script.begin("a message that is sent whole and continued");
    script.update(whole("agent_message", &message, json!([text("The first paragraph.\n\n")])));
    script.update(whole("agent_message_chunk", &message, text("The second paragraph.")));
    script.alive()?;
    script.begin("a message that is replaced");
    script.update(whole("agent_message", &message, json!([text("The last words.")])));
    script.alive()?;
    script.begin("a message without anything new");
    script.update(json!({ "sessionUpdate": "agent_message", "messageId": message }));
    script.alive()?;
    Ok(State::Done)
}

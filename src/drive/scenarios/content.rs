use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "content",
    summary: "prompts with a resource link, and with each other kind of content that is advertised",
    explanation: "Every agent takes resource links. Images, audio and embedded resources are sent only \
                  to agents that advertise them.",
    needs: Need::Prompt,
    version: None,
    must_survive: true,
    play,
};

/// A PNG picture of one pixel, in base64, to send in a prompt.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// A WAV sound without samples, in base64, to send in a prompt.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let session = go_on!(session(player));
    let uri = format!("file://{}/acpcheck.txt", player.options.cwd);
    let link = json!({ "type": "resource_link", "name": "acpcheck.txt", "uri": uri });
    let mut blocks = vec![("resource link", link)];
    if player.offers("promptCapabilities.image", "session.prompt.image") {
        blocks.push(("image", json!({ "type": "image", "mimeType": "image/png", "data": PNG })));
    }
    if player.offers("promptCapabilities.audio", "session.prompt.audio") {
        blocks.push(("audio", json!({ "type": "audio", "mimeType": "audio/wav", "data": WAV })));
    }
    if player.offers("promptCapabilities.embeddedContext", "session.prompt.embeddedContext") {
        let resource =
            json!({ "uri": uri, "mimeType": "text/plain", "text": "One line of text.\n" });
        blocks.push(("resource", json!({ "type": "resource", "resource": resource })));
    }
    let names: Vec<_> = blocks.iter().map(|(name, _)| *name).collect();
    for (_, block) in blocks {
        let mut prompt = prompt_of(player);
        if let Some(prompt) = prompt.as_array_mut() {
            prompt.push(block);
        }
        go_on!(turn(player, &session.id, prompt));
    }
    Ok(State::Done(names.join(", ")))
}

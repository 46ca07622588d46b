use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "content",
    summary: "images, sound, resources and an empty text in messages",
    look: "An image of one pixel, a sound, a link to a file, a text resource.",
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
    let uri = "file:///acpcheck/notes.txt";
    let blocks = [
        ("an image", json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" })),
        ("a sound", json!({ "type": "audio", "data": SOUND, "mimeType": "audio/wav" })),
        ("a link", json!({ "type": "resource_link", "uri": uri, "name": "notes.txt" })),
        (
            "a resource",
            json!({ "type": "resource", "resource": { "uri": uri, "text": "notes", "mimeType": "text/plain" } }),
        ),
        ("an empty text", json!({ "type": "text", "text": "" })),
    ];
    for (step, block) in blocks {
        script.begin(step);
        script.content("agent_message_chunk", &block);
        script.alive()?;
    }
    Ok(State::Done)
}

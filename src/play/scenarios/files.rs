use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "files",
    summary: "writes a file, reads it whole and in part, and one that is not there",
    look: "The file `acpcheck-play.txt` in the session’s folder, with three lines, if the client writes files.",
    version: Some(Version::V1),
    gate: ["fs.writeTextFile, fs.readTextFile", ""],
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    let folder = script.setting.cwd.trim_end_matches('/').to_owned();
    let path = format!("{folder}/acpcheck-play.txt");
    let params = |script: &Script, more: Value| with_session(script, &path, more);
    if script.has("fs.writeTextFile") {
        script.begin("writes a file");
        let content = json!({ "content": "first\nsecond\nthird\n" });
        let params = params(script, content);
        if let Reply::Error(why) = script.ask("fs/write_text_file", params)? {
            return Ok(State::Refused(format!("fs/write_text_file: {why}")));
        }
    }
    if script.has("fs.readTextFile") {
        let parts = [
            ("reads a file", json!({})),
            ("reads the second line of a file", json!({ "line": 2, "limit": 1 })),
            ("reads the first two lines of a file", json!({ "limit": 2 })),
            ("reads the end of a file", json!({ "line": 2 })),
        ];
        for (step, part) in parts {
            script.begin(step);
            let params = params(script, part);
            script.ask("fs/read_text_file", params)?;
        }
        script.begin("reads a file that is not there");
        let missing = format!("{folder}/acpcheck-play-is-not-here.txt");
        let params = with_session(script, &missing, json!({}));
        script.ask("fs/read_text_file", params)?;
    }
    script.alive()?;
    Ok(State::Done)
}

/// Params of an `fs/…` method: session and path, with the members of `more`.
fn with_session(script: &Script, path: &str, more: Value) -> Value {
    let mut params = more;
    params["sessionId"] = script.setting.session.clone().into();
    params["path"] = path.into();
    params
}

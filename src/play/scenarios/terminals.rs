use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "terminals",
    summary: "two terminals: output that is cut, waiting, killing, releasing",
    look: "A terminal with the end of a line of numbers; another that is killed.",
    version: Some(Version::V1),
    gate: ["terminal", ""],
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    const LIMIT: u64 = 20;
    let session = script.setting.session.clone();
    let create = |text: &str| {
        json!({
            "sessionId": session,
            "command": "echo",
            "args": [text],
            "cwd": script.setting.cwd,
            "outputByteLimit": LIMIT,
        })
    };
    let params = [create("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18"), create("short")];
    let of = |id: &str| json!({ "sessionId": session, "terminalId": id });
    let mut terminals = Vec::new();
    for params in params {
        script.begin("terminal/create");
        let reply = match script.ask("terminal/create", params)? {
            Reply::Result(result) => result,
            Reply::Error(why) => return Ok(State::Refused(format!("terminal/create: {why}"))),
        };
        let Some(id) = reply["terminalId"].as_str() else {
            return Ok(State::Refused(
                "terminal/create: the answer has no `terminalId`".to_owned(),
            ));
        };
        terminals.push(id.to_owned());
    }
    let call = script.tool_call(
        "Print numbers",
        json!({
            "kind": "execute",
            "status": "in_progress",
            "content": [{ "type": "terminal", "terminalId": terminals[0] }],
        }),
    );
    let steps = [
        ("terminal/wait_for_exit", 0),
        ("terminal/output", 0),
        ("terminal/kill", 1),
        ("terminal/wait_for_exit", 1),
        ("terminal/output", 1),
        ("terminal/release", 0),
        ("terminal/release", 1),
    ];
    for (method, index) in steps {
        script.begin(method);
        script.ask(method, of(&terminals[index]))?;
    }
    script.finish_call(&call);
    script.alive()?;
    Ok(State::Done)
}

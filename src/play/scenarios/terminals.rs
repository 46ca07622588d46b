use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "terminals",
    summary: "two terminals: output that is cut, waiting, killing, releasing",
    look: "A terminal with the end of a line of numbers; another that is killed.",
    gate: ["terminal", ""],
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    match script.setting.version {
        Version::V1 => of_client(script),
        Version::V2 => of_agent(script),
    }
}

/// Terminals that the agent runs, and the client shows.
fn of_agent(script: &mut Script) -> Result<State, Stop> {
    /// The output in base64. The second piece begins within a character.
    const OUTPUT: [&str; 2] = ["MSAyIDMgNCDi", "nJMK"];
    const LAST: &str = "MTcgMTgK";
    let (first, second) = (script.id("terminal"), script.id("terminal"));
    let show = |id: &str, command: &str, cwd: &str| {
        json!({
            "sessionUpdate": "terminal_update", "terminalId": id, "command": command, "cwd": cwd,
            "size": { "cols": 80, "rows": 24 },
        })
    };
    let cwd = script.setting.cwd.clone();
    script.begin("two terminals");
    script.update(show(&first, "seq 18", &cwd));
    script.update(show(&second, "sleep 1000", &cwd));
    let content: Vec<_> =
        [&first, &second].map(|id| json!({ "type": "terminal", "terminalId": id })).into();
    let call = script.tool_call(
        "Print numbers",
        json!({ "kind": "execute", "status": "in_progress", "content": content }),
    );
    script.alive()?;
    script.begin("the output of a terminal");
    for data in OUTPUT {
        script.update(json!({
            "sessionUpdate": "terminal_output_chunk", "terminalId": first, "data": data,
        }));
    }
    script.alive()?;
    script.begin("output that takes the place of what came before");
    script.update(json!({
        "sessionUpdate": "terminal_update", "terminalId": first, "output": { "data": LAST },
    }));
    script.alive()?;
    script.begin("the end of both terminals");
    for (id, status) in [
        (&first, json!({ "exitCode": 0, "signal": null })),
        (&second, json!({ "exitCode": null, "signal": "SIGKILL" })),
    ] {
        script.update(json!({
            "sessionUpdate": "terminal_update", "terminalId": id, "exitStatus": status,
        }));
    }
    script.finish_call(&call);
    script.alive()?;
    Ok(State::Done)
}

/// Terminals that the client runs.
fn of_client(script: &mut Script) -> Result<State, Stop> {
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

use crate::{protocol::schema::nearest, rule::prelude::*, rules::excerpt};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/unknown-slash-command",
    summary: "a prompt uses a slash command that the agent did not offer",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Off),
    binds: Bound::Client,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/slash-commands#running-commands"),
        requires: "a prompt that begins with `/` and a command name runs the command",
    }],
    explanation: r"
The agent takes the line as ordinary text, and the model must guess what the user wants. A client
that knows the commands can warn the user before sending. Text may begin with a slash for other
reasons, so the rule is off by default.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"deploy","description":"Bring it out"},{"type":"command","name":"review","description":"Read it"}]}}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"/depoly to staging"}]}}
{"jsonrpc":"2.0","id":3,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"/depoly to staging"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"deploy","description":"Bring it out"},{"type":"command","name":"review","description":"Read it"}]}}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"/deploy to staging"}]}}
{"jsonrpc":"2.0","id":3,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"/deploy to staging"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Call(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

/// Most announced commands that are compared with an unknown one, to suggest the most similar; the
/// finding does not depend on them.
const MANY: usize = 256;

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let blocks = call.param("prompt")?.elements();
    let mut texts = blocks.filter(|block| block.get("type").is_some_and(|kind| kind.is("text")));
    let text = texts.next()?.get("text")?.text().filter(|text| text.starts_with("/"))?;
    let line = text.as_cow();
    let name = line.strip_prefix('/')?.split(char::is_whitespace).next()?;
    // A path such as `/usr/bin`, a comment, or a single slash.
    if !name.starts_with(char::is_alphanumeric) || name.contains('/') {
        return None;
    }
    let session = connection.session(call.session_id()?).filter(|it| !it.is_replaying())?;
    let menu = session.commands.last().filter(|menu| !menu.names.is_empty())?;
    // The last list may have crossed the prompt.
    let known = session.commands.known_to(connection.last_of(Side::Client));
    if [Some(menu), known].into_iter().flatten().any(|menu| menu.names.contains(name)) {
        return Some(Verdict::Pass);
    }
    let meant = nearest(name, menu.names.iter().take(MANY));
    let help = meant.map_or_else(
        || "send one of the commands in this list".to_owned(),
        |meant| format!("did you mean `/{meant}`?"),
    );
    let name = excerpt::beginning(name, 40);
    Some(
        Finding::new(format!("the agent does not offer the command `/{name}`"))
            .at(text, "begins like a command")
            .at(menu.at, "the last list of commands")
            .help(help)
            .into(),
    )
}

use crate::{rule::prelude::*, rules::repeated};

pub(crate) static RULE: Rule = Rule {
    id: "session/additional-directories-redundant",
    summary: "an additional directory is listed twice or is the working directory",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: None,
        source: SourceText::Other("RFD additional-directories, client requirements"),
        requires: "the list has no directory twice, and not the working directory",
    }],
    explanation: r"
Nothing breaks, but the list says less than it seems to, and the client probably built it by
mistake. A directory inside another one is fine.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[],"additionalDirectories":["/lib","/work"]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[],"additionalDirectories":["/lib","/lib/inner"]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
    )],
    on: &[On::Call(methods::SET_UP_SESSION, check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let additional = call.param("additionalDirectories").filter(|list| !list.is_empty())?;
    let cwd = call.param("cwd");
    let paths = cwd.into_iter().chain(additional.elements()).filter_map(Node::text);
    let findings = repeated::repeated(paths).map(|(path, first)| {
        Finding::new(format!("the additional directory `{path}` is already listed"))
            .at(path, "listed again")
            .at(first, "listed here")
    });
    Some(findings.collect())
}

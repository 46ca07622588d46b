use crate::{
    model::RequestFacts,
    rule::prelude::*,
    rules::{codes, paths},
};

pub(crate) static RULE: Rule = Rule {
    id: "fs/write-not-created",
    summary: "a file is not written because it does not exist",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    needs: &[Loss::Errors],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/file-system#writing-files"),
        requires: "the client creates a file that does not exist",
    }],
    requirements: &["fs.create-missing"],
    explanation: r"
The agent writes a new file in one step and does not look whether it is there. If the client refuses
that, the agent cannot create files.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":"w","method":"fs/write_text_file","params":{"sessionId":"s","path":"/work/new.md","content":"Peas"}}
{"jsonrpc":"2.0","id":"w","error":{"code":-32002,"message":"No such file"}}"#,
        r#"{"jsonrpc":"2.0","id":"w","method":"fs/write_text_file","params":{"sessionId":"s","path":"/work/new.md","content":"Peas"}}
{"jsonrpc":"2.0","id":"w","result":{}}"#,
    )],
    on: &[On::Answer(&["fs/write_text_file"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::WriteTextFile { path, at } = &answer.request.facts else { return None };
    if answer.error_code() != Some(codes::NOT_FOUND) {
        return Some(Verdict::Pass);
    }
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let is_within = paths::is_absolute(path)
        && session.roots.as_ref().is_some_and(|roots| roots.contain(&paths::normalised(path)));
    is_within.then(|| {
        Finding::new(format!("the file `{path}` is not written because it does not exist"))
            .at(
                answer
                    .error()
                    .and_then(|error| error.get("code"))
                    .map_or_else(|| Mark::from(answer.node), Mark::from),
                "a missing file has to be created",
            )
            .at(*at, "the file")
            .help("create the file")
            .once_per("file")
            .into()
    })
}

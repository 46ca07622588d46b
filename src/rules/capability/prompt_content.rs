use crate::{
    rule::prelude::*,
    rules::capability::needs::{self, Capability, has_sessions},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/prompt-content",
    summary: "a prompt holds content that the agent did not advertise",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/prompt-turn#1-user-message"),
            requires: "a prompt holds only content that the agent advertised",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/initialization#prompt-capabilities"),
            requires: "text and resource links need no capability",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#1-user-message"),
            requires: "a prompt holds only content that the agent advertised",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/draft/initialization#session-prompt-capabilities",
            ),
            requires: "text and resource links need no capability",
        },
    ],
    requirements: &["capability.baseline-content", "prompt.skill-allowed"],
    explanation: r"
An agent that cannot read images, audio or embedded resources refuses the prompt, or drops the block
in silence. The user then believes that the model has seen it. Every agent accepts text and resource
links. The rule is not about content that the agent sends.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Bare,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"What is this?"},{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"What is this?"},{"type":"resource_link","uri":"file:///work/a","name":"a"}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Bare,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"What is this?"},{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"What is this?"},{"type":"resource_link","uri":"file:///work/a","name":"a"}]}}"#,
        ),
    ],
    on: &[On::Call(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = needs::advertised_by_agent(connection)?;
    let prompt = call.param("prompt").filter(|prompt| prompt.is_array())?;
    if !has_sessions(connection) {
        return None;
    }
    let inline = Capability::Object("session.prompt.skill.inline");
    let is_skill = |block: &Node<'_>| block.get("type").is_some_and(|kind| kind.is("skill"));
    let misplaced = prompt.elements().skip(1).find(is_skill).filter(|_| {
        needs::content("skill", connection)
            .capability()
            .is_some_and(|capability| !capability.is_missing_from(agent))
            && inline.is_missing_from(agent)
    });
    let misplaced = misplaced.and_then(|block| {
        Some(
            Finding::new("a skill is not at the start of the prompt, but the agent did not advertise inline skills")
                .at(block.get("type")?, format!("requires the capability `{}`", inline.path()))
                .at(inline.lack(agent), "not advertised")
                .help("send only one skill, as the first block")
                .about(&["prompt.skill-allowed"])
                .once_per("inline skills"),
        )
    });
    let kinds = prompt.elements().filter_map(|block| block.get("type")?.text());
    // Every agent takes text.
    let mut kinds = kinds.filter(|kind| *kind != *"text").peekable();
    kinds.peek()?;
    let unfit = kinds.filter_map(|kind| {
        let capability = needs::content(&kind.as_cow(), connection).capability()?;
        capability.is_missing_from(agent).then(|| {
            Finding::new(format!(
                "the prompt holds `{kind}` content, but the agent did not advertise it"
            ))
            .at(kind, format!("requires the capability `{}`", capability.path()))
            .at(capability.lack(agent), "not advertised")
            .about(match &*kind.as_cow() {
                "skill" => &["prompt.skill-allowed"],
                _ => &["capability.baseline-content"],
            })
            .help(match &*kind.as_cow() {
                "resource" => "send a `resource_link` instead",
                _ => "leave the block out, and tell the user",
            })
            .once_per(&*kind.as_cow())
        })
    });
    let verdict: Verdict = unfit.chain(misplaced).collect();
    Some(if prompt.elements().any(|block| is_skill(&block)) {
        verdict
    } else {
        verdict.about(&["capability.baseline-content"])
    })
}

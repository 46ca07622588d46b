//! What a side declares: capabilities, authentication methods, modes, options, commands.

use super::fact::{Area, Effect, Fact, FactKind, FactSet, Form, Occasion, Weight};
use crate::{
    event::Call,
    json::{Kind, Node, Text},
    model::Answer,
    protocol::Side,
};

const KIND: FactKind =
    FactKind { area: Area::Surface, weight: Weight::Declared, ..FactKind::DEFAULT };

/// A kind of behaviour that `diff` compares: an agent answers with the protocol version that the
/// client asked for. Such a fact is named after the version.
pub(super) static PROTOCOL: FactKind = FactKind { word: "protocol", title: "protocol", ..KIND };
pub(super) static CAPABILITY: FactKind =
    FactKind { word: "capability", title: "capability", ..KIND };
pub(super) static EXTENSION: FactKind =
    FactKind { word: "extension", title: "extension", gone: Effect::Harmless, ..KIND };
pub(super) static AUTH_METHOD: FactKind =
    FactKind { word: "auth-method", title: "auth method", ..KIND };
pub(super) static MODE: FactKind = FactKind { word: "mode", title: "mode", ..KIND };
pub(super) static CONFIG_OPTION: FactKind =
    FactKind { word: "config-option", title: "option", ..KIND };
pub(super) static CONFIG_VALUE: FactKind =
    FactKind { word: "config-value", title: "value", ..KIND };
/// What `diff` compares of a config option that chooses a model: all its values, as one list.
pub(super) static MODEL_VALUES: FactKind = FactKind {
    word: "config-values",
    title: "values",
    gone: Effect::Harmless,
    form: Form::List,
    ..KIND
};
pub(super) static MODELS: FactKind =
    FactKind { word: "models", title: "models", gone: Effect::Harmless, form: Form::List, ..KIND };
pub(super) static COMMANDS: FactKind = FactKind {
    word: "commands",
    title: "commands",
    gone: Effect::Harmless,
    form: Form::List,
    ..KIND
};
pub(super) static DEFAULT_MODE: FactKind = FactKind {
    word: "default mode",
    title: "default mode",
    gone: Effect::Harmless,
    form: Form::Value,
    ..KIND
};
pub(super) static DEFAULT_OPTION: FactKind = FactKind {
    word: "default config-option",
    title: "default of option",
    gone: Effect::Harmless,
    form: Form::Value,
    ..KIND
};
pub(super) static OPTION_TYPE: FactKind =
    FactKind { word: "config-option", title: "type of option", form: Form::Value, ..KIND };
pub(super) static OPTION_CATEGORY: FactKind =
    FactKind { word: "config-option category", form: Form::Silent, ..KIND };

/// Most levels of capability and `_meta` objects that are read; deeper members are ignored.
const DEPTH: usize = 6;

fn fact(kind: &'static FactKind, name: &str, item: &str, occasion: Occasion) -> Fact {
    Fact { kind, name: name.into(), item: item.into(), occasion }
}

/// Collects what a client declares in its `initialize` request: capabilities and extensions.
pub(super) fn read_offer(call: &Call<'_>, facts: &mut FactSet) {
    let line = call.node.span().line;
    facts.occasion(Occasion::Declaration, line);
    for member in ["clientCapabilities", "capabilities"] {
        call.param(member).into_iter().for_each(|it| read_capabilities(it, facts));
    }
    call.param("_meta").into_iter().for_each(|meta| read_extensions(meta, "", facts, DEPTH));
}

/// Collects what an agent declares in its answer to `initialize`, such as capabilities. `asked` is
/// the version that the client offered.
pub(super) fn read_declaration(answer: &Answer<'_>, asked: Option<i64>, facts: &mut FactSet) {
    let Some(result) = answer.result() else { return };
    let line = answer.node.span().line;
    facts.occasion(Occasion::Declaration, line);
    if let (Some(asked), Some(version)) =
        (asked, result.get("protocolVersion").and_then(Node::integer))
    {
        let asked = asked.to_string();
        let occasion = Occasion::Version(asked.clone().into());
        facts.occasion(occasion.clone(), line);
        if version.to_string() == asked {
            facts.fact(fact(&PROTOCOL, &asked, "", occasion), line);
        }
    }
    for member in ["agentCapabilities", "capabilities"] {
        result.get(member).into_iter().for_each(|it| read_capabilities(it, facts));
    }
    result.get("_meta").into_iter().for_each(|meta| read_extensions(meta, "", facts, DEPTH));
    for method in elements(result.get("authMethods")) {
        if let Some(id) = text(method, "id").or_else(|| text(method, "methodId")) {
            let occasion = Occasion::Declaration;
            facts.fact(fact(&AUTH_METHOD, &id.as_cow(), "", occasion), method.span().line);
        }
    }
}

fn read_capabilities(node: Node<'_>, facts: &mut FactSet) {
    read_members(node, "", facts, DEPTH);
}

/// Adds each member of a capability object as a fact named by its path, such as `fs.readTextFile`.
/// `above` is the path of the object; `depth` is how many levels are still read.
fn read_members(node: Node<'_>, above: &str, facts: &mut FactSet, depth: usize) {
    if depth == 0 {
        return;
    }
    for (name, value) in node.members().filter(|(_, value)| is_there(*value)) {
        let Some(name) = name.text() else { continue };
        if name == "_meta" {
            read_extensions(value, above, facts, depth);
            continue;
        }
        let path = path(above, name);
        facts.fact(fact(&CAPABILITY, &path, "", Occasion::Declaration), value.span().line);
        read_members(value, &path, facts, depth - 1);
    }
}

fn read_extensions(node: Node<'_>, above: &str, facts: &mut FactSet, depth: usize) {
    if depth == 0 {
        return;
    }
    for (name, value) in node.members().filter(|(_, value)| is_there(*value)) {
        let Some(name) = name.text() else { continue };
        let path = path(above, name);
        facts.fact(fact(&EXTENSION, &path, "", Occasion::Declaration), value.span().line);
        read_extensions(value, &path, facts, depth - 1);
    }
}

/// Whether the value of a capability advertises something: every value except `false` and `null`.
fn is_there(value: Node<'_>) -> bool {
    !matches!(value.kind(), Kind::False | Kind::Null)
}

fn path(above: &str, name: Text<'_>) -> String {
    if above.is_empty() { name.to_string() } else { format!("{above}.{name}") }
}

/// Collects what an agent offers in its answer to `session/new`: modes, models, config options.
pub(super) fn read_session(answer: &Answer<'_>, facts: &mut FactSet) {
    let Some(result) = answer.result() else { return };
    let line = answer.node.span().line;
    facts.occasion(Occasion::NewSession, line);
    if let Some(modes) = result.get("modes") {
        for id in elements(modes.get("availableModes")).filter_map(|mode| text(mode, "id")) {
            facts.fact(fact(&MODE, &id.as_cow(), "", Occasion::NewSession), line);
        }
        if let Some(id) = text(modes, "currentModeId") {
            facts.fact(fact(&DEFAULT_MODE, "", &id.as_cow(), Occasion::NewSession), line);
        }
    }
    let models = result.get("models").and_then(|models| models.get("availableModels"));
    for id in elements(models).filter_map(|model| text(model, "modelId")) {
        facts.fact(fact(&MODELS, "", &id.as_cow(), Occasion::NewSession), line);
    }
    elements(result.get("configOptions")).for_each(|option| read_option(option, line, facts));
}

fn read_option(option: Node<'_>, line: u32, facts: &mut FactSet) {
    let Some(id) = text(option, "id").or_else(|| text(option, "configId")) else { return };
    let id = &*id.as_cow();
    facts.fact(fact(&CONFIG_OPTION, id, "", Occasion::NewSession), line);
    let listed = Occasion::Option(id.into());
    facts.occasion(listed.clone(), line);
    if let Some(kind) = text(option, "type") {
        facts.fact(fact(&OPTION_TYPE, id, &kind.as_cow(), listed.clone()), line);
    }
    let category = text(option, "category");
    if let Some(category) = category {
        facts.fact(fact(&OPTION_CATEGORY, id, &category.as_cow(), listed.clone()), line);
    }
    let is_model = category.is_some_and(|category| category == "model");
    for value in elements(option.get("options")).flat_map(values) {
        let value = &*value.as_cow();
        let fact = if is_model {
            fact(&MODEL_VALUES, id, value, listed.clone())
        } else {
            fact(&CONFIG_VALUE, &format!("{id}={value}"), "", listed.clone())
        };
        facts.fact(fact, line);
    }
    if let Some(current) = option.get("currentValue").filter(|it| !it.is_null()) {
        let current = current.text().map_or_else(|| current.normal(), Text::as_cow);
        facts.fact(fact(&DEFAULT_OPTION, id, &current, listed), line);
    }
}

/// Values of one element of a config option's `options`: the element's own value, or those of the
/// group that the element is.
fn values(element: Node<'_>) -> impl Iterator<Item = Text<'_>> {
    let own = text(element, "value");
    own.into_iter().chain(elements(element.get("options")).filter_map(|it| text(it, "value")))
}

/// Collects the commands that an `available_commands_update` lists.
pub(super) fn read_commands(update: Node<'_>, facts: &mut FactSet) {
    let line = update.span().line;
    facts.occasion(Occasion::Commands, line);
    for command in elements(update.get("availableCommands")) {
        if let Some(name) = text(command, "name") {
            facts.fact(fact(&COMMANDS, "", &name.as_cow(), Occasion::Commands), line);
        }
    }
}

pub(super) fn elements(list: Option<Node<'_>>) -> impl Iterator<Item = Node<'_>> {
    list.into_iter().flat_map(Node::elements)
}

pub(super) fn text<'t>(node: Node<'t>, member: &str) -> Option<Text<'t>> {
    node.get(member)?.text()
}

/// Spells what a client offered in `initialize` so that equal offers have equal spellings. Leaves
/// out texts and the client's name and version.
pub(super) fn offer(call: &Call<'_>) -> String {
    let mut spelling = String::new();
    if let Some(params) = call.params {
        let members =
            params.members().filter(|(name, _)| !name.is("clientInfo") && !name.is("info"));
        spell_members(members, &mut spelling, DEPTH);
    }
    spelling
}

fn spell(value: Node<'_>, spelling: &mut String, depth: usize) {
    match value.kind() {
        Kind::Object if depth > 0 => spell_members(value.members(), spelling, depth - 1),
        Kind::String => spelling.push('"'),
        Kind::Array | Kind::Object => spelling.push('…'),
        _ => spelling.push_str(&value.normal()),
    }
}

fn spell_members<'t>(
    members: impl Iterator<Item = (Node<'t>, Node<'t>)>,
    spelling: &mut String,
    depth: usize,
) {
    let mut sorted: Vec<_> = members
        .filter(|(_, value)| is_there(*value))
        .filter_map(|(name, value)| Some((name.text()?.as_cow(), value)))
        .collect();
    sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
    spelling.push('{');
    for (name, value) in sorted {
        spelling.push_str(&name);
        spelling.push(':');
        spell(value, spelling, depth);
        spelling.push(',');
    }
    spelling.push('}');
}

/// Capabilities of clients, as paths, that allow an agent to call methods.
pub(super) const OFFERED_BY_CLIENTS: [&str; 4] =
    ["fs.readTextFile", "fs.writeTextFile", "terminal", "elicitation"];
/// Capabilities of agents, as paths, that allow a client to call methods.
pub(super) const OFFERED_BY_AGENTS: [&str; 6] = [
    "loadSession",
    "sessionCapabilities.list",
    "sessionCapabilities.resume",
    "sessionCapabilities.close",
    "sessionCapabilities.delete",
    "sessionCapabilities.fork",
];

/// Path of the capability that the other side must advertise before `caller` may call a method;
/// `None` where none is needed or known.
pub(super) fn needed(method: &str, caller: Side) -> Option<&'static str> {
    let (family, name) = method.split_once('/').unwrap_or((method, ""));
    match (caller, family, name) {
        (Side::Agent, "terminal" | "elicitation", _) => {
            OFFERED_BY_CLIENTS.into_iter().find(|path| *path == family)
        }
        (Side::Agent, "fs", "read_text_file") => Some("fs.readTextFile"),
        (Side::Agent, "fs", "write_text_file") => Some("fs.writeTextFile"),
        (Side::Client, "session", "load") => Some("loadSession"),
        (Side::Client, "session", _) => {
            let is_meant = |path: &&str| path.rsplit_once('.').is_some_and(|(_, own)| own == name);
            OFFERED_BY_AGENTS.into_iter().find(is_meant)
        }
        _ => None,
    }
}

/// Capabilities that are objects of flags, and so advertise nothing while no flag is set in them.
pub(super) const CONTAINERS: [&str; 5] =
    ["fs", "promptCapabilities", "mcpCapabilities", "sessionCapabilities", "auth"];

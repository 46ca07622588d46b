//! The texts of schema findings, for readers who do not know the schema.
//!
//! In: a value that the schema rejects, and why. Out: the finding that `schema/params` or
//! `schema/result` reports.

use crate::{
    json::{self, Node, Text},
    model::{Connection, Mark, MessagePart, Rejected},
    protocol::{
        Surface, Version,
        schema::{Definition, Effect, FaultKind, Protocol, is_respelling, nearest},
    },
    rule::{Finding, Severity},
    rules::{
        excerpt,
        schema::hints::{displaced_tag, missing_hint, wrong_type_hint},
        version_changes::change,
    },
};

/// The finding for a value that the schema rejects: what is wrong, what is expected, and how
/// official readers react. A fault that later messages repeat at the same pointer is counted.
pub(super) fn finding(refused: &Rejected<'_>, connection: &Connection) -> Finding {
    let fault = &refused.what;
    let node = fault.node;
    let pointer = node.pointer();
    let finding = match &fault.kind {
        FaultKind::Missing { name } => missing(refused, name, connection),
        FaultKind::MissingTag { name, allowed } => {
            let help = missing_hint(refused.version, fault.type_name, name, node)
                .or_else(|| displaced_tag(name, allowed, node))
                .unwrap_or_else(|| format!("write one of {}", either(allowed)));
            Finding::new(format!("required member `{name}` is missing in `{}`", fault.type_name))
                .at(Mark::missing_in(node), format!("`{name}` is missing here"))
                .help(help)
        }
        FaultKind::WrongType { expected, found } => {
            let expected: Vec<_> = expected.iter().map(|kind| a(kind)).collect();
            let expected = expected.join(" or ");
            Finding::new(format!("`{}` is {}, not {expected}", name_of(&pointer), a(found)))
                .at(node, format!("expected {expected}"))
                .help(wrong_type_hint(&pointer, fault).unwrap_or_default())
        }
        FaultKind::UnknownVariant { allowed, nearest } => {
            unknown(refused, Some(&member(&pointer)), allowed, *nearest, connection)
        }
        FaultKind::UnknownValue { allowed, nearest } => {
            unknown(refused, None, allowed, *nearest, connection)
        }
        FaultKind::OutOfRange { text } => {
            let value = shortened(&node.shown());
            Finding::new(format!("`{}` is {value}, but must be {text}", name_of(&pointer)))
                .at(node, text.clone())
        }
        FaultKind::TooShort { text } => {
            Finding::new(format!("`{}` needs {text}", name_of(&pointer))).at(node, text.clone())
        }
        FaultKind::TooLong { text } => {
            Finding::new(format!("`{}` is too long", name_of(&pointer))).at(node, text.clone())
        }
        FaultKind::Ambiguous { branches } => Finding::new(format!(
            "`{}` matches several forms of `{}`",
            name_of(&pointer),
            fault.type_name
        ))
        .at(node, format!("matches {}", branches.join(" and "))),
        FaultKind::Other { text } => {
            Finding::new(format!("`{}` does not match `{}`", name_of(&pointer), fault.type_name))
                .at(node, text.clone())
        }
    };
    let finding = finding
        .and_at(refused.request.map(|request| request.method_at), "the request that is answered");
    let key = (refused.method, refused.part.member(), generic(&pointer), finding.message.clone());
    let effect = effect(refused);
    let recent = if fault.is_recent { "allowed until 20 November 2026" } else { "" };
    let help = joined(finding.help.iter().map(|help| &**help).chain([recent, &*effect]));
    let finding = finding.help(help).once_per(key);
    finding.as_severity_if(fault.is_recent, Severity::Warning)
}

/// The finding for an object that lacks the required member `name`.
fn missing(refused: &Rejected<'_>, name: &'static str, connection: &Connection) -> Finding {
    let fault = &refused.what;
    let (version, object) = (refused.version, fault.node);
    let (type_name, name) = meant(version, fault.type_name, name, object);
    let definition =
        || Protocol::of(Surface::unstable(version), connection.edition()).definition(type_name);
    if name == "params" && object.span() == refused.message.node.span() {
        let required: Vec<_> = definition().into_iter().flat_map(Definition::required).collect();
        let needs = required.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        return Finding::new(format!("`{}` is sent without `params`", refused.method))
            .at(Mark::missing_in(object), "`params` is missing here")
            .help(format!("`params` is an object with {needs}"));
    }
    let finding = Finding::new(format!("required member `{name}` is missing in `{type_name}`"))
        .at(Mark::missing_in(object), format!("`{name}` is missing here"));
    // The member may have the name of the other version, or a misspelt one.
    for (other, _) in object.members() {
        let Some(text) = other.text().map(Text::as_cow) else { continue };
        if let Some(change) =
            change(version, type_name, &text).filter(|it| it.requires(version).contains(&name))
        {
            let finding = finding
                .at(other, format!("a member of version {}", version.other()))
                .help(change.advice(version));
            let others = change.requires(version).iter();
            return others.fold(finding, |finding, other| finding.explains_missing(object, other));
        }
        let is_known = || definition().is_some_and(|it| it.members().any(|known| known == text));
        if nearest(&text, [name]).is_some() && !is_known() {
            return finding.at(other, "misspelt?").help(format!("did you mean `{name}`?"));
        }
    }
    match missing_hint(version, type_name, name, object) {
        Some(hint) => finding.help(hint),
        None => finding,
    }
}

/// The definition that an object seems to be meant for, and the required member of it that is
/// missing. Differs from `type_name` only for an option of a select that has `options`, a group.
fn meant(
    version: Version,
    type_name: &'static str,
    name: &'static str,
    object: Node<'_>,
) -> (&'static str, &'static str) {
    let id = if version == Version::V1 { "group" } else { "groupId" };
    let is_group = type_name == "SessionConfigSelectOption"
        && object.get("options").is_some_and(Node::is_array)
        && object.get(id).is_none();
    if is_group { ("SessionConfigSelectGroup", id) } else { (type_name, name) }
}

/// The finding for a value that is not among the allowed ones. `tag` is the discriminator if the
/// value is one; `nearest` is a suggestion.
fn unknown(
    refused: &Rejected<'_>,
    tag: Option<&str>,
    allowed: &[&'static str],
    nearest: Option<&'static str>,
    connection: &Connection,
) -> Finding {
    let fault = &refused.what;
    let (version, value) = (refused.version, fault.node);
    let what = noun(fault.type_name, tag);
    let text = value.text().map(|text| shortened(&text.as_cow())).unwrap_or_default();
    let mut help = Vec::new();
    if tag.is_none() && is_known(value, fault.type_name, version.other(), connection) {
        help.push(format!("only version {} has it, not version {version}", version.other()));
    } else if let Some(meant) = nearest {
        help.push(format!("did you mean `{meant}`?"));
    }
    let surface = if connection.expects_drafts() {
        Surface::unstable(version)
    } else {
        Surface::stable(version)
    };
    help.push(format!("{surface} in edition {} allows {}", connection.edition(), either(allowed)));
    let label = if nearest.is_some_and(|meant| is_respelling(&text, meant)) {
        "names are compared letter by letter"
    } else {
        "not defined"
    };
    Finding::new(format!("unknown {what} `{text}`"))
        .at(value, label)
        .help(joined(help.iter().map(String::as_str)))
}

/// Whether this version of the protocol defines the value for the type.
fn is_known(value: Node<'_>, type_name: &str, version: Version, connection: &Connection) -> bool {
    let protocol = Protocol::of(Surface::unstable(version), connection.edition());
    let Some(definition) = protocol.definition(type_name) else { return false };
    let mut is_remarkable = false;
    definition.fits(value) && {
        let _ = definition.walk(value, &mut |_| is_remarkable = true);
        !is_remarkable
    }
}

/// What official readers do with the rejected value, as the end of a message.
fn effect(refused: &Rejected<'_>) -> String {
    match refused.what.effect {
        Effect::Rejected => match refused.part {
            MessagePart::Params if refused.message.envelope.id.is_some() => {
                "official readers reject the request with -32602".to_owned()
            }
            MessagePart::Params => "official readers drop the whole notification".to_owned(),
            MessagePart::Result | MessagePart::Error => {
                "official readers reject the answer".to_owned()
            }
        },
        Effect::Defaulted { member } => {
            format!("official readers silently read `{member}` as absent")
        }
        Effect::ItemDropped { list } => {
            format!("official readers silently drop this element of `{list}` and keep the others")
        }
        Effect::NullTolerated => "official readers take null as absent".to_owned(),
    }
}

/// A name in plain words for a kind of value, such as "plan entry status", made from its schema
/// definition and, for a discriminator, the member `tag`.
pub(in crate::rules) fn noun(type_name: &str, tag: Option<&str>) -> String {
    match (type_name, tag) {
        ("PlanUpdateContent", Some("type")) => "plan type".to_owned(),
        (_, Some("type")) if type_name.ends_with("Request") => "type".to_owned(),
        (_, Some("type")) => format!("{} type", words(type_name)),
        (_, Some(tag)) => words(tag),
        (_, None) => words(type_name),
    }
}

/// Joins names for a message, such as "`a`, `b` or `c`"; "nothing" where there are none.
pub(in crate::rules) fn either(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Joins the sentences of a help text with semicolons, leaving out empty ones.
pub(in crate::rules) fn joined<'p>(parts: impl Iterator<Item = &'p str>) -> String {
    let mut text = String::new();
    for part in parts.filter(|part| !part.is_empty()) {
        if !text.is_empty() {
            text.push_str(if text.ends_with('?') { " " } else { "; " });
        }
        text.push_str(part);
    }
    text
}

/// Words of a name in camel case, in lower case with spaces.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words.replace("mcp ", "MCP ")
}

/// The last member name in a JSON Pointer, without array indices.
fn member(pointer: &str) -> String {
    let name = pointer.rsplit('/').find(|part| !is_position(part)).unwrap_or_default();
    json::name_of(name).into_owned()
}

/// The last member name in a JSON Pointer with the array indices after it, such as `prompt[0]`.
fn name_of(pointer: &str) -> String {
    let positions: Vec<_> = pointer.rsplit('/').take_while(|part| is_position(part)).collect();
    let positions = positions.iter().rev().map(|position| format!("[{position}]"));
    member(pointer) + &positions.collect::<String>()
}

/// A JSON pointer without array indices, by which repeated faults are recognized.
fn generic(pointer: &str) -> String {
    let parts: Vec<_> = pointer.split('/').filter(|part| !is_position(part)).collect();
    parts.join("/")
}

/// Whether a segment of a JSON Pointer is an array index.
fn is_position(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit())
}

/// The name of a JSON type with its article, such as `an object`, for messages.
fn a(kind: &str) -> String {
    match kind {
        "null" => "null".to_owned(),
        "array" | "object" | "integer" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

/// The first 60 characters of a value, for messages.
fn shortened(text: &str) -> String {
    excerpt::beginning(text, 60)
}

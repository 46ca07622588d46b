//! What a schema finding says.

use crate::{
    event::{Part, Refused},
    model::Connection,
    protocol::schema::{Effect, FaultKind},
    rule::{Finding, Mark},
};

/// The finding for a place that the schema refuses: what is wrong, what would be right, and what
/// official readers do with it.
pub(super) fn finding(refused: &Refused<'_>, connection: &Connection) -> Finding {
    let fault = &refused.what;
    let node = fault.node;
    let in_type = format!("in `{}`", fault.type_name);
    let value = shortened(node.raw());
    let (message, label) = match &fault.kind {
        FaultKind::Missing { name } | FaultKind::MissingTag { name, .. } => (
            format!("required member `{name}` is missing {in_type}"),
            format!("`{name}` is missing here"),
        ),
        FaultKind::WrongType { expected, found } => (
            format!("{} {in_type}, not {}", a(found), either(expected)),
            format!("expected {}", either(expected)),
        ),
        FaultKind::UnknownVariant { .. } | FaultKind::UnknownValue { .. } => {
            let what = member(&node.pointer());
            (
                format!("unknown {what} `{}` {in_type}", value.trim_matches('"')),
                format!("no such {what}"),
            )
        }
        FaultKind::OutOfRange { text }
        | FaultKind::TooShort { text }
        | FaultKind::Other { text } => {
            (format!("`{}` does not fit {in_type}: {text}", member(&node.pointer())), text.clone())
        }
        FaultKind::Ambiguous { branches } => (
            format!("the object fits several forms {in_type}"),
            format!("fits {}", branches.join(" and ")),
        ),
    };
    let mark = match &fault.kind {
        FaultKind::Missing { .. } | FaultKind::MissingTag { .. } if node.is_object() => {
            Mark::missing_in(node)
        }
        _ => node.into(),
    };
    let mut finding = Finding::new(message).at(mark, label);
    if let Some(request) = refused.request {
        finding = finding.at(request.method_at, "the request that is answered");
    }
    let mut help = Vec::new();
    if let FaultKind::UnknownVariant { allowed, nearest }
    | FaultKind::UnknownValue { allowed, nearest } = &fault.kind
    {
        if let Some(nearest) = nearest {
            help.push(format!("did you mean `{nearest}`?"));
        }
        help.push(format!("defined are {}", either(allowed)));
    }
    if let FaultKind::MissingTag { allowed, .. } = &fault.kind {
        help.push(format!("it is one of {}", either(allowed)));
    }
    help.push(match fault.effect {
        Effect::Rejected => match refused.part {
            Part::Params if refused.message.envelope.id.is_some() => {
                "official readers answer the request with -32602".to_owned()
            }
            Part::Params => "official readers drop the whole notification".to_owned(),
            Part::Result | Part::Error => "official readers fail the call".to_owned(),
        },
        Effect::Defaulted { member } => {
            format!("official readers silently read `{member}` as absent")
        }
        Effect::ItemDropped { list } => {
            format!("official readers silently drop this element of `{list}` and keep the others")
        }
        Effect::NullTolerated => "official readers take null for absence".to_owned(),
    });
    if let Some(surface) = connection.surface() {
        help.push(format!("judged by the {surface} schema of SDK 2.4.0"));
    }
    finding.help(help.join("; "))
}

/// The last name of a JSON pointer.
fn member(pointer: &str) -> String {
    pointer
        .rsplit('/')
        .find(|part| part.parse::<usize>().is_err() && !part.is_empty())
        .unwrap_or("message")
        .replace("~1", "/")
        .replace("~0", "~")
}

/// "`a`, `b` or `c`".
pub(in crate::rules) fn either(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn a(name: &str) -> String {
    match name {
        "null" => "null".to_owned(),
        "array" | "object" | "integer" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

/// A value short enough for a message.
fn shortened(raw: &str) -> String {
    let mut text: String = raw.chars().take(60).collect();
    if text.len() < raw.len() {
        text.push('…');
    }
    text
}

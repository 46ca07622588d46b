use crate::{
    event::Seen,
    json::Node,
    model::Connection,
    protocol::{
        Surface, Surfaces, Version,
        schema::{Definition, FaultKind, Observation, Protocol},
    },
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, Mark, On, Opening, Rule,
        Severity, SourceText, Verdict,
    },
    rules::{schema::field_casing::respelt, surface::changes::change},
};

pub(crate) static RULE: Rule = Rule {
    id: "schema/misplaced-member",
    summary: "a member stands in the wrong place, and a required one is missing for it",
    level: By::both(Level::Schema),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::NONE),
    editions: By::both(Editions::ALL),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/schema"),
            requires: "members stand where their definition has them",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/schema"),
            requires: "members stand where their definition has them",
        },
    ],
    explanation: r"
What the sender meant is there, but one level too high or under another name. Readers skip it as unknown,
miss the required member, and refuse the message. One finding says what stands where, and where it
belongs.
",
    tck: &[],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","sessionUpdate":"plan","entries":[]}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","sessionUpdate":"agent_message","messageId":"m","content":[]}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m","content":[]}}}"#,
        ),
    ],
    on: &[On::Seen(check)],
};

/// So many members of an object are looked at.
const MANY: usize = 100;

/// Where a member that its object does not define belongs.
enum Belongs {
    /// Into this member, an object.
    Into(&'static str),
    /// It is meant for this one.
    As(&'static str),
    /// It holds this one, and what else the object lacks.
    Beside(&'static str),
}

fn check(seen: &Seen<'_>, connection: &Connection) -> Option<Verdict> {
    let Observation::UnknownMember { object, name, value, type_name, known } = seen.what else {
        return None;
    };
    let member = name.text()?.as_cow();
    // Matters of case and of the other version have rules of their own.
    if respelt(&member, known).is_some() || change(seen.version, type_name, &member).is_some() {
        return None;
    }
    let protocol = Protocol::of(Surface::unstable(seen.version), connection.edition());
    let definition = protocol.definition(type_name)?;
    // An object in the right place that lacks what stands beside it is no better than none.
    let lack = |required: &str| {
        let value = object.get(required).filter(|value| value.is_object())?;
        let inner = protocol.type_of(type_name, required)?;
        Some((value, missing_inside(value, inner, &member, protocol)?))
    };
    let is_whole = |required: &str| {
        object.get(required).is_some_and(Node::is_object) && lack(required).is_none()
    };
    let mut lacking = definition.required().filter(|required| !is_whole(required));
    let (required, belongs) = lacking.find_map(|required| {
        let inner = protocol.type_of(type_name, required);
        let missing = Missing { type_name, required, inner, protocol };
        Some((required, missing.takes(&member, value, object)?))
    })?;
    let wrong = object.get(required);
    if !matches!(belongs, Belongs::Into(_)) && wrong.is_some() {
        return None;
    }
    let (message, help) = match belongs {
        Belongs::Into(into) => (
            format!("`{member}` stands outside `{into}`, into which it belongs"),
            advice(type_name, into)
                .unwrap_or_else(|| format!("put `{member}` into `{into}`, an object")),
        ),
        Belongs::As(meant) => (
            format!("`{member}` stands where `{meant}` belongs"),
            advice(type_name, meant).unwrap_or_else(|| format!("`{type_name}` calls it `{meant}`")),
        ),
        Belongs::Beside(lacking) => (
            format!("`{lacking}` stands inside `{member}`, and belongs outside of it"),
            format!("put what is in `{member}` directly into the object around it"),
        ),
    };
    let missing = match wrong {
        Some(wrong) => Mark::from(wrong),
        None => Mark::missing_in(object),
    };
    let finding = Finding::new(message)
        .at(name, format!("`{type_name}` has no such member"))
        .at(missing, format!("`{required}` is required here"))
        .help(help)
        .explains(name)
        .explains(value)
        .explains_missing(object, required);
    let finding = match (wrong, lack(required)) {
        (_, Some((inner, name))) => finding.explains_missing(inner, name),
        (Some(wrong), None) => finding.explains(wrong),
        (None, None) => finding,
    };
    let is_inside =
        |name: &&str| matches!(belongs, Belongs::Beside(_)) && value.get(name).is_some();
    let inside = definition.required().filter(is_inside);
    let finding = inside.fold(finding, |finding, name| finding.explains_missing(object, name));
    // What stands beside it for the same reason is told with it.
    let inner = protocol.type_of(type_name, required);
    let others = object.members().take(MANY).filter(|(other, _)| {
        other.text().is_some_and(|other| {
            let other = other.as_cow();
            !known.contains(&&*other)
                && inner.is_some_and(|inner| protocol.has_member(inner, &other))
        })
    });
    let finding =
        others.fold(finding, |finding, (name, value)| finding.explains(name).explains(value));
    Some(finding.once_per((type_name, required, &*member)).into())
}

/// The member of this name, if an object lacks it that needs it.
fn missing_inside(
    value: Node<'_>,
    inner: &'static Definition,
    member: &str,
    protocol: &Protocol,
) -> Option<&'static str> {
    if value.get(member).is_some() || !protocol.has_member(inner, member) {
        return None;
    }
    inner.faults(value).into_iter().find_map(|fault| match fault.kind {
        FaultKind::Missing { name } if name == member && fault.node.id() == value.id() => {
            Some(name)
        }
        _ => None,
    })
}

/// A required member that an object lacks, or that is no object there.
struct Missing<'p> {
    type_name: &'static str,
    required: &'static str,
    /// Its definition, where it has a name.
    inner: Option<&'static Definition>,
    protocol: &'p Protocol,
}

/// What agents call the list of a plan's entries.
const LISTS: [&str; 8] = ["content", "items", "list", "plan", "steps", "tasks", "text", "todos"];

impl Missing<'_> {
    /// How a member that the object does not define belongs to this one; `None` where it does not.
    fn takes(&self, member: &str, value: Node<'_>, object: Node<'_>) -> Option<Belongs> {
        let Self { type_name, required, inner, protocol } = *self;
        // The object that is missing has a member of this name.
        let has = |name: &str| inner.is_some_and(|inner| protocol.has_member(inner, name));
        if !value.is_null() && (has(member) || member.contains('_') && has(&in_camel_case(member)))
        {
            return Some(Belongs::Into(required));
        }
        if object.get(required).is_some() {
            return None;
        }
        let is_list_of_plan = matches!(type_name, "Plan" | "PlanItems")
            && required == "entries"
            && LISTS.contains(&member);
        let is_id = |name: &str| name == "id" || name.ends_with("Id") || name.ends_with("_id");
        let is_meant = is_list_of_plan
            || value.is_array() && value.at(0).is_some_and(|first| self.is_element(first))
            || value.get(required).is_some_and(Node::is_array)
            || is_id(member)
                && is_id(required)
                && (value.is_string() || required == "requestId" && value.integer().is_some());
        if is_meant {
            return Some(Belongs::As(required));
        }
        let is_around = value.is_object() && value.get(required).is_some();
        is_around.then_some(Belongs::Beside(required))
    }

    /// Whether a value has a member that the elements of the list have.
    fn is_element(&self, value: Node<'_>) -> bool {
        let Some(element) = self.protocol.element_of(self.type_name, self.required) else {
            return false;
        };
        let mut names = value.members().take(MANY).filter_map(|(name, _)| name.text());
        names.any(|name| self.protocol.has_member(element, &name.as_cow()))
    }
}

/// A name in snake case as the protocol writes it.
fn in_camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut name, word| {
        let mut letters = word.chars();
        name.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        name + letters.as_str()
    })
}

/// What to write where the most common of these mistakes are made.
fn advice(type_name: &str, into: &str) -> Option<String> {
    let text = match (type_name, into) {
        ("RequestPermissionResponse", "outcome") => {
            r#"write `{"outcome":{"outcome":"selected","optionId":…}}`"#
        }
        ("Plan" | "PlanItems", "entries") => {
            "a plan is a list of entries, each with `content`, `priority` and `status`"
        }
        ("SessionNotification" | "UpdateSessionNotification", "update") => {
            r#"write `{"sessionId":…,"update":{"sessionUpdate":…}}`"#
        }
        _ => return None,
    };
    Some(text.to_owned())
}

use crate::{
    protocol::schema::{Definition, FaultKind, Observation, Protocol},
    rule::prelude::*,
    rules::{schema::field_casing::respelt, version_changes::change},
};

pub(crate) static RULE: Rule = Rule {
    id: "schema/misplaced-member",
    summary: "a member is in the wrong place, so a required one is missing",
    level: By::both(Level::Schema),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/schema"),
            requires: "members are where their definition puts them",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/schema"),
            requires: "members are where their definition puts them",
        },
    ],
    explanation: r"
The value is there, but one level too high or under another name. Readers ignore it as unknown, miss
the required member, and refuse the message. One finding says where the member is and where it
belongs.
",
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
    on: &[On::Observed(check)],
    ..Rule::DEFAULT
};

/// Most members of an object that are examined; others are not, to limit the time.
const MANY: usize = 100;

/// Where a member belongs that the object which has it does not define.
enum Belongs {
    /// The member belongs in the object that is the value of this member.
    Into(&'static str),
    /// The member has a wrong name; the text is the right one.
    As(&'static str),
}

fn check(seen: &Observed<'_>, connection: &Connection) -> Option<Verdict> {
    let Observation::UnknownMember { object, name, value, type_name, known, .. } = seen.what else {
        return None;
    };
    let member = name.text()?.as_cow();
    // Other rules report names that differ in case and members of the other version.
    if respelt(&member, known).is_some() || change(seen.version, type_name, &member).is_some() {
        return None;
    }
    let protocol = Protocol::of(Surface::unstable(seen.version), connection.edition());
    let definition = protocol.definition(type_name)?;
    // Of members with equal names, readers take the last.
    let is_last = object.get(&member).is_some_and(|last| last.span() == value.span());
    if is_last && let Some(finding) = beside(object, name, value, definition, protocol) {
        return Some(finding.once_per((type_name, &*member)).into());
    }
    let mut lacking =
        definition.required().filter(|required| !object.get(required).is_some_and(Node::is_object));
    let found = lacking.find_map(|required| {
        let inner = protocol.type_of(type_name, required);
        let missing = Missing { type_name, required, inner, protocol };
        Some((required, missing.takes(&member, value, object)?))
    });
    let Some((required, belongs)) = found else {
        return Some(too_deep(object, name, value, definition)?.into());
    };
    let wrong = object.get(required);
    if matches!(belongs, Belongs::As(_)) && wrong.is_some() {
        return None;
    }
    let (message, help) = match belongs {
        Belongs::Into(into) => (
            format!("`{member}` is outside `{into}`, where it belongs"),
            advice(type_name, into)
                .unwrap_or_else(|| format!("put `{member}` into `{into}`, an object")),
        ),
        Belongs::As(meant) => (
            format!("`{member}` is written instead of `{meant}`"),
            advice(type_name, meant).unwrap_or_else(|| format!("`{type_name}` calls it `{meant}`")),
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
    let finding = wrong.into_iter().fold(finding, Finding::explains);
    // Other members that are misplaced in the same way are part of this finding.
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

/// The finding for a member beside the object that should have it, such as a member of `params`
/// that belongs in `params.update`; `None` for other members.
fn beside(
    object: Node<'_>,
    name: Node<'_>,
    value: Node<'_>,
    definition: &'static Definition,
    protocol: &Protocol,
) -> Option<Finding> {
    let member = name.text()?.as_cow();
    definition.required().find_map(|required| {
        let into = object.get(required).filter(|into| into.is_object())?;
        let inner = protocol.type_of(definition.name(), required)?;
        if into.get(&member).is_some() || !protocol.has_member(inner, &member) {
            return None;
        }
        let missing = inner.faults(into).into_iter().find_map(|fault| match fault.kind {
            FaultKind::Missing { name } if name == member => Some((fault.node, name)),
            _ => None,
        });
        let (place, missing) = missing.filter(|(place, _)| place.span() == into.span())?;
        let help = advice(definition.name(), required)
            .unwrap_or_else(|| format!("put `{missing}` into `{required}`"));
        let finding =
            Finding::new(format!("`{missing}` is outside `{required}`, where it belongs"))
                .at(name, format!("`{}` has no such member", definition.name()))
                .at(Mark::missing_in(into), format!("`{missing}` is required here"))
                .help(help)
                .explains(name)
                .explains(value)
                .explains_missing(place, missing);
        Some(finding)
    })
}

/// The finding for a member whose value has all the members that the object around it lacks; `None`
/// for other members.
fn too_deep(
    object: Node<'_>,
    name: Node<'_>,
    value: Node<'_>,
    definition: &'static Definition,
) -> Option<Finding> {
    let lacking: Vec<_> =
        definition.required().filter(|required| object.get(required).is_none()).collect();
    let holds = |required: &&str| value.get(required).is_some();
    if lacking.is_empty() || !lacking.iter().all(holds) {
        return None;
    }
    let member = name.text()?.as_cow();
    let (type_name, first) = (definition.name(), lacking[0]);
    let finding = Finding::new(format!("the members of `{type_name}` are inside `{member}`"))
        .at(name, format!("`{type_name}` has no such member"))
        .at(Mark::missing_in(object), format!("`{first}` is required here"))
        .help(format!("move the members of `{member}` up, in its place"))
        .explains(name)
        .explains(value)
        .once_per((type_name, &*member));
    Some(lacking.into_iter().fold(finding, |it, name| it.explains_missing(object, name)))
}

/// A required member that is missing in an object, or whose value is not an object.
struct Missing<'p> {
    type_name: &'static str,
    required: &'static str,
    /// Definition of the required member; `None` when the schema gives it no name.
    inner: Option<&'static Definition>,
    protocol: &'p Protocol,
}

/// Names that agents give to the list of entries of a plan by mistake.
const LISTS: [&str; 8] = ["content", "items", "list", "plan", "steps", "tasks", "text", "todos"];

impl Missing<'_> {
    /// How an undefined member of the object relates to the missing one; `None` when it does not.
    fn takes(&self, member: &str, value: Node<'_>, object: Node<'_>) -> Option<Belongs> {
        let Self { type_name, required, inner, protocol } = *self;
        // The missing object has a member of this name.
        let has = |name: &str| inner.is_some_and(|inner| protocol.has_member(inner, name));
        if (has(member) || has(&in_camel_case(member))) && !value.is_null() {
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
                && inner.map_or(value.is_string(), |inner| inner.fits(value));
        is_meant.then_some(Belongs::As(required))
    }

    /// Whether a value may be an element of the list that the object lacks.
    fn is_element(&self, value: Node<'_>) -> bool {
        let Some(element) = self.protocol.element_of(self.type_name, self.required) else {
            return false;
        };
        let mut names = value.members().take(MANY).filter_map(|(name, _)| name.text());
        names.any(|name| self.protocol.has_member(element, &name.as_cow()))
    }
}

/// A name in snake case, such as `session_id`, in the camel case of the protocol.
fn in_camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let mut letters = word.chars();
        let initial = letters.next().into_iter().flat_map(char::to_uppercase);
        name + &initial.collect::<String>() + letters.as_str()
    })
}

/// Help text for the most common misplaced members; `None` for others.
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

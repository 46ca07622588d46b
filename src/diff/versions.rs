//! What recordings of protocol version 1 and recordings of version 2 have in common.
//!
//! A release that moves from one version to the other changes the names of most messages. Only facts
//! that both versions can state are compared then, under the names of version 1: a capability by the
//! tables below, other updates and methods where both versions define the name.

use super::{
    behaviour::{ANSWER, CHOSEN_UPDATE, ERROR_CODE, MEMBER, METHOD, PLAN_STYLE, UPDATE},
    fact::{Area, Fact, FactKind, FactSet, Occasion},
    surface::{CAPABILITY, PROTOCOL},
};
use crate::protocol::{Edition, Surface, Version, schema::Protocol};

/// Capabilities of agents that both versions have: the path on version 1, the path on version 2. On
/// version 2 an agent with sessions also lists, resumes and closes them.
const CAPABILITIES: [(&str, &str); 14] = [
    ("loadSession", "session"),
    ("mcpCapabilities.http", "session.mcp.http"),
    ("promptCapabilities.audio", "session.prompt.audio"),
    ("promptCapabilities.embeddedContext", "session.prompt.embeddedContext"),
    ("promptCapabilities.image", "session.prompt.image"),
    ("sessionCapabilities.additionalDirectories", "session.additionalDirectories"),
    ("sessionCapabilities.archive", "session.archive"),
    ("sessionCapabilities.close", "session"),
    ("sessionCapabilities.delete", "session.delete"),
    ("sessionCapabilities.fork", "session.fork"),
    ("sessionCapabilities.list", "session"),
    ("sessionCapabilities.resume", "session"),
    ("sessionCapabilities.status", "session.status"),
    ("sessionCapabilities.title", "session.title"),
];

/// Updates that say on one version what another update says on the other one, or beside it on the
/// same one. They are compared under the first name.
const UPDATES: [(&str, &str); 4] = [
    ("agent_message_chunk", "agent_message"),
    ("agent_thought_chunk", "agent_thought"),
    ("plan", "plan_update"),
    ("tool_call", "tool_call_update"),
];

/// Capabilities at the top of an offer or a declaration that only one version has, or that mean
/// something else on the other one.
const OF_ONE_VERSION: [&str; 9] = [
    "auth",
    "fs",
    "loadSession",
    "mcpCapabilities",
    "plan",
    "promptCapabilities",
    "session",
    "sessionCapabilities",
    "terminal",
];

/// Whether a release spoke only one version, and the other release only the other one. Both lists
/// hold the versions that agents answered to `initialize`.
pub(super) fn differ(old: &[i64], new: &[i64]) -> bool {
    let is_only = |versions: &[i64], version| {
        !versions.is_empty() && versions.iter().all(|it| *it == version)
    };
    is_only(old, 1) && is_only(new, 2) || is_only(old, 2) && is_only(new, 1)
}

/// The facts of a connection that both versions can state, under the names of version 1.
pub(super) fn in_common(facts: &FactSet) -> FactSet {
    facts.renamed(|fact| {
        if is(fact, &CAPABILITY) {
            return capability(fact);
        }
        let mut updates = UPDATES.iter().filter(|_| is_update(fact));
        if let Some((first, _)) =
            updates.find(|(first, second)| [*first, *second].contains(&&*fact.name))
        {
            return vec![Fact { name: (*first).into(), ..fact.clone() }];
        }
        if is_in_both(fact) { vec![fact.clone()] } else { Vec::new() }
    })
}

fn is(fact: &Fact, kind: &FactKind) -> bool {
    fact.kind.is(kind)
}

fn is_update(fact: &Fact) -> bool {
    is(fact, &UPDATE) || is(fact, &CHOSEN_UPDATE)
}

/// The capabilities of version 1 that a capability of either version stands for.
fn capability(fact: &Fact) -> Vec<Fact> {
    let named = |name: &str| Fact { name: name.into(), ..fact.clone() };
    let is_same = |(first, second): &&(&str, &str)| *first == &*fact.name || *second == &*fact.name;
    let known: Vec<_> =
        CAPABILITIES.iter().filter(is_same).map(|(first, _)| named(first)).collect();
    let top = fact.name.split('.').next().unwrap_or_default();
    if known.is_empty() && !OF_ONE_VERSION.contains(&top) { vec![fact.clone()] } else { known }
}

fn is_in_both(fact: &Fact) -> bool {
    let in_both = |knows: &dyn Fn(&'static Protocol) -> bool| {
        [Version::V1, Version::V2]
            .iter()
            .all(|version| knows(Protocol::of(Surface::stable(*version), Edition::CURRENT)))
    };
    let has_method = |name: &str| in_both(&|protocol| protocol.method(name).is_some());
    if is_update(fact) {
        return in_both(&|protocol| {
            let updates = protocol.definition("SessionUpdate");
            updates.is_some_and(|it| it.tags("sessionUpdate").any(|kind| kind == &*fact.name))
        });
    }
    if is(fact, &METHOD) {
        // Capabilities of clients have other names on each version.
        return has_method(&fact.name) && !matches!(fact.occasion, Occasion::Offered(_));
    }
    if is(fact, &ANSWER) || is(fact, &ERROR_CODE) {
        return fact.name.split(' ').next().is_some_and(has_method);
    }
    let is_of_a_version = [&MEMBER, &PLAN_STYLE, &PROTOCOL].into_iter().any(|kind| is(fact, kind));
    !is_of_a_version && fact.kind.area != Area::Order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_those_of_the_schemas() {
        let has = |surface, path: &str| {
            let protocol = Protocol::of(surface, Edition::CURRENT);
            let mut own = protocol.definition("AgentCapabilities");
            let mut parts = path.split('.').peekable();
            while let (Some(definition), Some(part)) = (own, parts.next()) {
                if !protocol.has_member(definition, part) {
                    return false;
                }
                if parts.peek().is_none() {
                    return true;
                }
                own = protocol.type_of(definition.name(), part);
            }
            false
        };
        let updates =
            Protocol::of(Surface::V1, Edition::CURRENT).definition("SessionUpdate").unwrap();
        assert!(
            UPDATES
                .iter()
                .all(|(first, _)| updates.tags("sessionUpdate").any(|kind| kind == *first))
        );
        for (first, second) in CAPABILITIES {
            assert!(has(Surface::V1Unstable, first), "{first}");
            assert!(has(Surface::V2Unstable, second), "{second}");
        }
    }
}

//! Which rules cannot be assessed, because of what a recorder does to the messages.

use crate::{
    check::dispatch::RuleIndex,
    protocol::{
        Edition, Side, Surface, Version,
        schema::{Handler, Protocol},
    },
    rule::{Gates, On, Rule, Severity},
    rules::CATALOGUE,
    transcript::limits::{DEPEND_ON_LOADS, Limit, Silenced, depend_on_answers_of},
};

/// Rules that cannot be assessed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unassessed {
    /// What the recorder does; a sentence without a full stop.
    pub why: String,
    /// Ids in the order of the catalogue; none, when only some values are not judged.
    pub rules: Vec<&'static str>,
}

impl Unassessed {
    pub(super) fn of(limit: &Limit) -> Self {
        let rules = CATALOGUE.iter().filter(|rule| silences(limit.silences, rule));
        Self { why: limit.what.to_owned(), rules: rules.map(|rule| rule.id).collect() }
    }

    /// The rules by their indices.
    pub(super) fn indices(&self) -> impl Iterator<Item = RuleIndex> {
        let is_here = |(_, rule): &(RuleIndex, &&Rule)| self.rules.contains(&rule.id);
        CATALOGUE.iter().enumerate().filter(is_here).map(|(index, _)| index)
    }

    /// What is missing where connections have no `initialize` on record: of so many, so many.
    /// `version`: the one that they are judged by; `is_chosen`: because the user says so.
    pub(super) fn without_initialize(
        (without, all): (u32, u32),
        is_headless: bool,
        version: Version,
        is_chosen: bool,
    ) -> Self {
        let mut why = match (without, all) {
            (_, 1) => "no version was agreed on record".to_owned(),
            (1, all) => format!("1 of {all} connections has agreed on no version on record"),
            (without, all) => {
                format!("{without} of {all} connections have agreed on no version on record")
            }
        };
        if !is_chosen {
            why += &format!(
                ", so that version {version} is assumed, as the messages look (`--surface` sets it)"
            );
        }
        let gates =
            if is_headless { Gates::INITIALIZED.and(Gates::HEAD) } else { Gates::INITIALIZED };
        let is_missing = |own: Gates| own.without(gates) != own;
        let rules = CATALOGUE.iter().filter(|rule| is_missing(rule.gates.of(version)));
        Self { why, rules: rules.map(|rule| rule.id).collect() }
    }

    /// As a sentence: of many rules, whole families first, and the first of the others. Rules that
    /// this version does not have are left out, and those that are off unless asked for.
    pub(super) fn note(&self, version: Option<Version>) -> String {
        /// More names are no help.
        const NAMED: usize = 3;
        let applies = |rule: &Rule| {
            let is_on = |version| rule.severity.of(version) != Severity::Off;
            version.map_or(is_on(Version::V1) || is_on(Version::V2), is_on)
        };
        let ids: Vec<&str> = CATALOGUE
            .iter()
            .filter(|rule| applies(rule) && self.rules.contains(&rule.id))
            .map(|rule| rule.id)
            .collect();
        if ids.is_empty() {
            return self.why.clone();
        }
        let is_whole = |family: &str| {
            let mut own = CATALOGUE.iter().filter(|rule| rule.family() == family && applies(rule));
            own.all(|rule| ids.contains(&rule.id))
        };
        let mut names: Vec<String> = Vec::new();
        for id in &ids {
            let family = id.split('/').next().unwrap_or(id);
            let name = if is_whole(family) { family } else { id };
            let name = format!("`{name}`");
            if names.last() != Some(&name) {
                names.push(name);
            }
        }
        names.sort_by_key(|name| name.contains('/'));
        let more = match names.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        names.truncate(NAMED);
        format!("{}; not assessed: {}{more}", self.why, names.join(", "))
    }
}

fn silences(silenced: Silenced, rule: &Rule) -> bool {
    match silenced {
        Silenced::None => false,
        Silenced::Rules(ids) => ids.contains(&rule.id),
        Silenced::AnswersOf(side) => {
            rule.on.iter().all(|on| needs_answer(on, side))
                || depend_on_answers_of(side).contains(&rule.id)
        }
        Silenced::AllButUpdates => !rule.on.iter().any(hears_updates),
        Silenced::AllBut(_) => {
            let is_gated = needs(rule, Gates::HEAD) || needs(rule, Gates::INITIALIZED);
            let is_exchange =
                |on: &On| matches!(on, On::Answer(..) | On::Stray(_) | On::LeftOpen(_));
            let depends = |side| depend_on_answers_of(side).contains(&rule.id);
            is_gated
                || rule.on.iter().all(is_exchange)
                || depends(Side::Client)
                || depends(Side::Agent)
                || DEPEND_ON_LOADS.contains(&rule.id)
        }
    }
}

/// Whether a rule may not speak while this is not known.
fn needs(rule: &Rule, gate: Gates) -> bool {
    [rule.gates.v1, rule.gates.v2].iter().any(|gates| gates.contain(gate))
}

/// Whether the subscription is to answers that only this side gives.
fn needs_answer(on: &On, side: Side) -> bool {
    match on {
        On::Answer(methods, _) => {
            !methods.is_empty() && methods.iter().all(|method| is_answered_by(method, side))
        }
        _ => false,
    }
}

fn is_answered_by(method: &str, side: Side) -> bool {
    let handler = match side {
        Side::Client => Handler::Client,
        Side::Agent => Handler::Agent,
    };
    [Surface::V1Unstable, Surface::V2Unstable].into_iter().all(|surface| {
        let call = Protocol::of(surface, Edition::CURRENT).method(method);
        call.and_then(|method| method.call(true)).is_none_or(|call| call.handler == handler)
    })
}

/// Whether the subscription is to what a session update may be.
fn hears_updates(on: &On) -> bool {
    match on {
        On::Update(..)
        | On::Plan(_)
        | On::PlanRemoved(_)
        | On::Block(..)
        | On::Refused(_)
        | On::Seen(_)
        | On::Message(_)
        | On::Flaw(_) => true,
        On::Call(methods, _) => methods.is_empty() || methods.contains(&"session/update"),
        On::Answer(..) | On::Stray(_) | On::LeftOpen(_) | On::End(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{FORMATS, limits};

    #[test]
    fn limits_name_rules() {
        let all = FORMATS.iter().flat_map(|format| format.limits);
        let sides = [Side::Client, Side::Agent].map(depend_on_answers_of);
        let mut lists: Vec<&[&str]> = sides.to_vec();
        lists.push(DEPEND_ON_LOADS);
        for limit in all.chain([&limits::PARSED, &limits::UNWRAPPED]) {
            assert!(!limit.what.ends_with('.'), "{}", limit.what);
            lists.extend(match limit.silences {
                Silenced::Rules(rules) => Some(rules),
                _ => None,
            });
        }
        for id in lists.into_iter().flatten() {
            assert!(CATALOGUE.iter().any(|rule| rule.id == *id), "{id} is no rule");
        }
    }

    #[test]
    fn rules_about_answers_are_found_by_what_they_hear() {
        let of = |silences| Unassessed::of(&Limit { what: "x", silences }).rules;
        let client = of(Silenced::AnswersOf(Side::Client));
        let agent = of(Silenced::AnswersOf(Side::Agent));
        for id in ["permission/option-not-offered", "fs/limit-exceeded", "terminal/duplicate-id"] {
            assert!(client.contains(&id) && !agent.contains(&id), "{id}");
        }
        for id in ["config/value-not-applied", "session/list-cursor-loop", "session/delete-error"] {
            assert!(agent.contains(&id) && !client.contains(&id), "{id}");
        }
        let rest = of(Silenced::AllButUpdates);
        assert!(rest.contains(&"cancel/unsolicited") && rest.contains(&"fs/relative-path"));
        for id in ["plan/duplicate-entry", "schema/params", "tool-call/unknown-id"] {
            assert!(!rest.contains(&id) && !client.contains(&id) && !agent.contains(&id), "{id}");
        }
    }

    #[test]
    fn notes_name_families_where_they_can() {
        let rules = |family| CATALOGUE.iter().filter(move |rule| rule.family() == family);
        let mut ids: Vec<_> = rules("terminal").map(|rule| rule.id).collect();
        ids.insert(0, "jsonrpc/version");
        let unassessed = Unassessed { why: "it is so".to_owned(), rules: ids };
        assert_eq!(unassessed.note(None), "it is so; not assessed: `terminal`, `jsonrpc/version`");
    }
}

//! Which rules cannot be assessed, because of what a recorder does to the messages.

use crate::{
    check::{allowance::Allowance, dispatch::RuleIndex},
    map::{IndexMap, Map, Set},
    protocol::{
        Edition, Side, Surface, Version,
        schema::{Handler, Protocol},
    },
    rule::{Gates, On, Rule, Severity, Verdict},
    rules::CATALOGUE,
    transcript::limits::{Limit, Loss},
};

/// Whether a rule holds for messages of every protocol version, even of unpublished ones.
pub(super) fn holds_in_any_version(rule: &Rule) -> bool {
    matches!(rule.family(), "transport" | "jsonrpc" | "lifecycle")
}

/// Rules that could not be assessed in a transcript, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unassessed {
    /// The reason, such as what the recorder drops: a sentence without a full stop.
    pub why: String,
    /// Ids of the rules, in the order of the catalogue. Empty when only some messages or values are
    /// not judged.
    pub rules: Vec<&'static str>,
    /// Whether the reason holds for some messages only, so that the rules were assessed in the
    /// others.
    pub is_partial: bool,
}

impl Unassessed {
    pub(super) fn of(limit: &Limit) -> Self {
        let rules = CATALOGUE.iter().filter(|rule| silences(limit.loss, rule));
        let rules = rules.map(|rule| rule.id).collect();
        Self { why: limit.what.to_owned(), rules, is_partial: false }
    }

    /// The note that `count` messages were not judged because they have too many JSON values or
    /// levels. `None` for 0.
    pub(super) fn overfull(count: u64) -> Option<Self> {
        let why = match count {
            0 => return None,
            1 => "1 message was not judged, so no rule is assessable in it: it has more than 250,000 \
                  values, each shorter than four bytes on average, or too many levels"
                .to_owned(),
            count => format!(
                "{count} messages were not judged, so no rule is assessable in them: they have more \
                 than 250,000 values, each shorter than four bytes on average, or too many levels"
            ),
        };
        let is_about_lines = |on: &On| matches!(on, On::Flaw(_));
        let rules = CATALOGUE.iter().filter(|rule| !rule.on.iter().any(is_about_lines));
        Some(Self { why, rules: rules.map(|rule| rule.id).collect(), is_partial: true })
    }

    /// A note that `count` messages were not judged, or in part: `one` follows the number 1, `many`
    /// any other number. `None` for 0.
    fn counted(count: u64, one: &str, many: &str) -> Option<Self> {
        let why = match count {
            0 => return None,
            1 => format!("1 {one}"),
            count => format!("{count} {many}"),
        };
        Some(Self { why, rules: Vec::new(), is_partial: true })
    }

    /// The note that `count` messages were judged in part, because a rule has more findings in them
    /// than are looked for. `None` for 0.
    pub(super) fn in_part(count: u64) -> Option<Self> {
        let most = Verdict::MOST;
        let faults =
            format!("some {most} faults or more of one kind, and what follows is not assessable");
        Self::counted(
            count,
            &format!("message was judged in part: it has {faults}"),
            &format!("messages were judged in part: they have {faults}"),
        )
    }

    /// The note that `count` messages were not judged, or in part, because the file has too many
    /// findings before. `None` for 0.
    pub(super) fn cut_off(count: u64) -> Option<Self> {
        let (free, bytes) = (Allowance::FREE, Allowance::BYTES);
        let why = format!(
            "acpcheck looks for {free} findings in a file and one more for each {bytes} bytes, and \
             this file has more"
        );
        Self::counted(
            count,
            &format!("message was not judged, or only in part: {why}"),
            &format!("messages were not judged, or only in part: {why}"),
        )
    }

    /// The note that `count` messages were not judged because the recording has only their
    /// beginning. `None` for 0.
    pub(super) fn fragments(count: u64) -> Option<Self> {
        Self::counted(
            count,
            "message was not judged: its end is missing, cut off by the program that logged it or \
             by its sender",
            "messages were not judged: their ends are missing, cut off by the program that logged \
             them or by their senders",
        )
    }

    /// The note that `count` messages were not judged, because each repeats the message before,
    /// and its sender may have sent it twice. `None` for 0.
    pub(super) fn copies(count: u64) -> Option<Self> {
        Self::counted(
            count,
            "message was not judged: it repeats the message before",
            "messages were not judged: each repeats the message before",
        )
    }

    /// Says that `count` messages have two members of one name with different values, of which only
    /// the last one was judged. `None` for 0.
    pub(super) fn two_readings(count: u64) -> Option<Self> {
        Self::counted(
            count,
            "message was judged in one of its readings: it has a member twice, and only the last \
             value was judged",
            "messages were judged in one of their readings: they have a member twice, and only \
             the last value was judged",
        )
    }

    /// Says that findings in `count` messages were withheld, because masks stand in place of the
    /// values. `None` for 0.
    pub(super) fn masked(count: u64) -> Option<Self> {
        Self::counted(
            count,
            "message was judged in part: a word such as `<REDACTED>` stands in place of a value \
             that a rule is about",
            "messages were judged in part: words such as `<REDACTED>` stand in place of values \
             that rules are about",
        )
    }

    /// The note that `count` answers were not judged, because both sides wait for an answer with
    /// this id and the recording does not say who answers. `None` for 0.
    pub(super) fn ambiguous(count: u64) -> Option<Self> {
        Self::counted(
            count,
            "answer was not judged: both sides have a request with its id, and the recording does \
             not say who sent the answer",
            "answers were not judged: both sides have a request with their id, and the recording \
             does not say who sent the answer",
        )
    }

    /// Says that findings about `count` messages were withheld, because a line that a peer may have
    /// written says that the file has several connections. `None` for 0.
    pub(super) fn doubted(count: u64) -> Option<Self> {
        Self::counted(
            count,
            "message was judged in part: a line that a side may have written itself says that the \
             file can contain several connections",
            "messages were judged in part: a line that a side may have written itself says that \
             the file can contain several connections",
        )
    }

    /// Says that findings about `count` messages were withheld, because only what the agent says of
    /// itself keeps a rule from being sure. `None` for 0.
    pub(super) fn disputed(count: u64) -> Option<Self> {
        Self::counted(
            count,
            "message was judged in part: it may have a fault, but a state that the agent reports may \
             explain it",
            "messages were judged in part: they may have faults, but states that the agent reports \
             may explain them",
        )
    }

    /// Says that the agent reports `count` times the state `unknown` of a session whose state was
    /// known. `None` for 0.
    pub(super) fn unknown_states(count: u64) -> Option<Self> {
        let why = "the state `unknown` after a known one: rules about states do not judge what \
                   follows, until the next state";
        Self::counted(count, &format!("message reports {why}"), &format!("messages report {why}"))
    }

    /// Says that `count` broken messages excuse both sides, because their sender is unknown. `None`
    /// for 0.
    pub(super) fn unattributed(count: u64) -> Option<Self> {
        Self::counted(
            count,
            "broken message may be of either side: rules that may miss it are milder or silent",
            "broken messages may be of either side: rules that may miss them are milder or silent",
        )
    }

    /// Says that it is unknown to which connection `count` messages belong, because they follow an
    /// `initialize` that has no result and may be of either side. `None` for 0.
    pub(super) fn unbegun(count: u64) -> Option<Self> {
        let why = "an `initialize` that has no result and may be of either side: it is unknown \
                   whether another connection begins there";
        Self::counted(
            count,
            &format!("message was judged in part: it follows {why}"),
            &format!("messages were judged in part: they follow {why}"),
        )
    }

    /// Says that `count` connections have calls of a client before `initialize`, which may belong to an
    /// earlier connection. `None` for 0.
    pub(super) fn late_heads(count: u64) -> Option<Self> {
        Self::counted(
            count,
            "connection has calls of a client before `initialize`: they may belong to an earlier \
             connection, so rules about the beginning did not judge them",
            "connections have calls of a client before `initialize`: they may belong to earlier \
             connections, so rules about the beginning did not judge them",
        )
    }

    /// Says that `count` messages were judged in part, because a connection names too many sessions that
    /// no message has set up. `None` for 0.
    pub(super) fn unfollowed(count: u64) -> Option<Self> {
        Self::counted(
            count,
            "message was judged in part: its connection names thousands of sessions that no \
             message has set up, and not all of them are followed",
            "messages were judged in part: their connections name thousands of sessions that no \
             message has set up, and not all of them are followed",
        )
    }

    /// Says that `count` replays of sessions were not compared, since what connections say of the
    /// session is too much or contradicts itself, or the agent alone tells of a change.
    /// `None` for 0.
    pub(super) fn uncompared(count: u64) -> Option<Self> {
        let why = "not compared with earlier turns: the agent reports, by an extension or by the use \
                   of its context, that the history has changed; or it has another name or version \
                   than before; or more than one connection creates the session; or there are more \
                   connections or sessions than are remembered";
        Self::counted(
            count,
            &format!("replay of a session was {why}"),
            &format!("replays of sessions were {why}"),
        )
    }

    /// Says that `count` plan updates were not compared with earlier ones, since the agent says by
    /// `_meta` or a compaction that they are of another plan. `None` for 0.
    pub(super) fn contested_plans(count: u64) -> Option<Self> {
        let why = "not compared with the list before, of which the texts show a part: the agent names \
                   another parent or other ids in `_meta`, or reports a compaction or a command";
        Self::counted(count, &format!("plan update was {why}"), &format!("plan updates were {why}"))
    }

    /// Says that `count` messages were judged as those of the side that can send their method,
    /// against the labels of the recording. `None` for 0.
    pub(super) fn mislabelled(count: u64) -> Option<Self> {
        Self::counted(
            count,
            "message was judged as one of the other side: the side that the recording says cannot \
             send its method",
            "messages were judged as those of the other side: the side that the recording says \
             cannot send their methods",
        )
    }

    /// The note that `count` messages were not judged, because another program logged them among
    /// the lines of this log. `None` for 0.
    pub(super) fn contested(count: u64) -> Option<Self> {
        Self::counted(
            count,
            "message was not judged: another program has logged it among the lines of this log",
            "messages were not judged: another program has logged them among the lines of this \
             log",
        )
    }

    /// The note that `count` messages were judged only by rules that hold in any version, because
    /// the sides agreed on `version`, which is above the published ones.
    pub(super) fn newer_version((version, count): (i64, u64)) -> Self {
        let (messages, were) = match count {
            1 => ("1 message".to_owned(), "was"),
            count => (format!("{count} messages"), "were"),
        };
        let why = format!(
            "the agreed version {version} is newer than those that acpcheck knows: {messages} {were} \
             judged only by what holds in any version"
        );
        let rules = CATALOGUE.iter().filter(|rule| !holds_in_any_version(rule));
        Self { why, rules: rules.map(|rule| rule.id).collect(), is_partial: true }
    }

    /// The note that the sides agreed on the version `number`, which is not published, and that
    /// messages were judged by `version`.
    pub(super) fn unpublished((number, version): (i64, Version)) -> Self {
        let why = format!(
            "the agreed version {number} is not a published one; the messages were judged by version \
             {version}"
        );
        Self { why, rules: Vec::new(), is_partial: true }
    }

    /// Indices in the catalogue of the rules that could not be assessed.
    pub(super) fn indices(&self) -> impl Iterator<Item = RuleIndex> {
        let own: Set<&str> = self.rules.iter().copied().collect();
        let rules = CATALOGUE.iter().enumerate();
        rules.filter(move |(_, rule)| own.contains(rule.id)).map(|(index, _)| index)
    }

    /// The note that `without` of `all` connections have no `initialize` on record. `version` is
    /// what they are judged by, chosen by the user or not; `is_headless` says that a connection
    /// begins in its middle.
    pub(super) fn without_initialize(
        (without, all): (u32, u32),
        is_headless: bool,
        version: Version,
        is_chosen: bool,
    ) -> Self {
        let mut why = match (without, all) {
            (_, 1) => "no agreed version is recorded".to_owned(),
            (1, all) => format!("no agreed version is recorded for 1 of {all} connections"),
            (without, all) => {
                format!("no agreed version is recorded for {without} of {all} connections")
            }
        };
        if !is_chosen {
            why += &format!(
                "; acpcheck assumes version {version} from the messages (`--surface` sets another)"
            );
        }
        let gates =
            if is_headless { Gates::INITIALIZED.with(Gates::HEAD) } else { Gates::INITIALIZED };
        let is_missing = |own: Gates| own.without(gates) != own;
        let rules = CATALOGUE.iter().filter(|rule| is_missing(rule.gates.of(version)));
        Self { why, rules: rules.map(|rule| rule.id).collect(), is_partial: false }
    }

    /// The limit as a sentence for people. Of many rules, names the first families, whole ones
    /// before others. Leaves out rules that `version` does not have or that are off by default.
    pub(super) fn note(&self, version: Option<Version>) -> String {
        /// Most families of rules that the sentence names; the others are counted.
        const NAMED: usize = 3;
        if self.is_partial {
            return self.why.clone();
        }
        let applies = |rule: &Rule| {
            let is_on = |version| rule.severity.of(version) != Severity::Off;
            version.map_or(is_on(Version::V1) || is_on(Version::V2), is_on)
        };
        let own: Set<&str> = self.rules.iter().copied().collect();
        let mut rules_of: Map<&str, usize> = Map::default();
        // In the order of the catalogue.
        let mut skipped: IndexMap<&str, Vec<&str>> = IndexMap::default();
        for rule in CATALOGUE.iter().filter(|rule| applies(rule)) {
            *rules_of.entry(rule.family()).or_default() += 1;
            if own.contains(rule.id) {
                skipped.entry(rule.family()).or_default().push(rule.id);
            }
        }
        let count: usize = skipped.values().map(Vec::len).sum();
        let is_whole = |family: &str, skipped: &[&str]| skipped.len() == rules_of[family];
        skipped.sort_by_key(|family, skipped| !is_whole(family, skipped));
        let named = skipped.iter().take(NAMED).map(|(family, skipped)| match skipped.as_slice() {
            [only] => format!("`{only}`"),
            skipped if is_whole(family, skipped) => format!("the `{family}` rules"),
            skipped => format!("{} `{family}` rules", skipped.len()),
        });
        let mut names: Vec<String> = named.collect();
        let more: usize = skipped.values().skip(NAMED).map(Vec::len).sum();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        let Some(last) = names.pop() else { return self.why.clone() };
        let names = match names.as_slice() {
            [] => last,
            names => format!("{} and {last}", names.join(", ")),
        };
        let link = if self.why.contains(';') { ";" } else { ", so" };
        let verb = if count == 1 { "was" } else { "were" };
        format!("{}{link} {names} {verb} skipped", self.why)
    }
}

/// Whether a rule cannot be assessed in a recording with this loss. Its events, its gates (what
/// must be known before it reports) and its list of needs decide.
fn silences(loss: Loss, rule: &Rule) -> bool {
    let needs = |loss| rule.needs.contains(&loss);
    needs(loss)
        || match loss {
            Loss::OtherLines => needs(Loss::Lines),
            Loss::Connections => !is_of_messages(rule),
            Loss::Versions => rule.family() != "transport",
            Loss::AnswersOf(side) => rule.on.iter().all(|on| needs_answer(on, side)),
            Loss::AllButUpdates => !rule.on.iter().any(hears_updates),
            Loss::AllBut(_) => {
                let is_gated = has_gate(rule, Gates::HEAD) || has_gate(rule, Gates::INITIALIZED);
                let is_exchange =
                    |on: &On| matches!(on, On::Answer(..) | On::Stray(_) | On::LeftOpen(_));
                is_gated
                    || rule.on.iter().all(is_exchange)
                    || needs(Loss::AnswersOf(Side::Client))
                    || needs(Loss::AnswersOf(Side::Agent))
            }
            _ => false,
        }
}

/// Whether a rule judges each message by itself, without regard to earlier messages.
fn is_of_messages(rule: &Rule) -> bool {
    matches!(rule.family(), "transport" | "schema" | "content")
}

/// Whether a rule needs, on version 1 or 2, the knowledge that `gate` names, such as the beginning
/// of the connection.
fn has_gate(rule: &Rule, gate: Gates) -> bool {
    [rule.gates.v1, rule.gates.v2].iter().any(|gates| gates.contains(gate))
}

/// Whether a rule's subscription is only to answers that `side` gives.
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

/// Whether a subscription of a rule gets session updates as its events.
fn hears_updates(on: &On) -> bool {
    match on {
        On::Update(..)
        | On::Plan(_)
        | On::PlanRemoved(_)
        | On::Block(..)
        | On::Rejected(_)
        | On::Observed(_)
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
    fn limits_are_clauses() {
        let all = FORMATS.iter().flat_map(|format| format.limits);
        for limit in all.chain([&limits::PARSED, &limits::UNWRAPPED]) {
            assert!(!limit.what.ends_with('.'), "{}", limit.what);
        }
    }

    /// A need that follows from the events and gates of a rule would have no effect.
    #[test]
    fn no_rule_says_what_its_events_show() {
        for rule in CATALOGUE {
            let silent = Rule { needs: &[], on: rule.on, gates: rule.gates, ..Rule::DEFAULT };
            for loss in rule.needs {
                assert!(!silences(*loss, &silent), "{}: {loss:?}", rule.id);
            }
        }
    }

    #[test]
    fn rules_about_answers_are_found_by_what_they_hear() {
        let of = |loss| Unassessed::of(&Limit { what: "x", loss }).rules;
        let client = of(Loss::AnswersOf(Side::Client));
        let agent = of(Loss::AnswersOf(Side::Agent));
        for id in ["permission/option-not-offered", "fs/limit-exceeded", "terminal/duplicate-id"] {
            assert!(client.contains(&id) && !agent.contains(&id), "{id}");
        }
        for id in ["config/value-not-applied", "session/list-cursor-loop", "session/delete-error"] {
            assert!(agent.contains(&id) && !client.contains(&id), "{id}");
        }
        let rest = of(Loss::AllButUpdates);
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
        let unassessed = Unassessed { why: "it is so".to_owned(), rules: ids, is_partial: false };
        assert_eq!(
            unassessed.note(None),
            "it is so, so the `terminal` rules and `jsonrpc/version` were skipped"
        );
    }
}

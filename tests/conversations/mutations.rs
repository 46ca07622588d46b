//! One change in a conversation that keeps to the protocol is found, by the rule that it breaks.

use std::collections::BTreeMap;

use acpcheck::{
    check::Tail,
    protocol::{Side, Surface, Version},
};
use serde_json::{Map, Value, json};

use super::{
    generate::{Chance, Choices},
    silence::judge,
    world::{Conversation, Crossings, Recipe, Sent, World},
};
use crate::effort;

/// Conversations on each surface.
const CONVERSATIONS: usize = 30;

/// Changes of each kind in each.
const TIMES: usize = 2;

/// A conversation after one change, and the rules of which one has to report it.
struct Mutant {
    conversation: Conversation,
    /// Ids of rules, or the beginnings of their names up to the `/`.
    expected: Vec<&'static str>,
}

/// A kind of change.
struct Mutation {
    name: &'static str,
    /// The least share of the changes that has to be found, in percent.
    floor: u32,
    /// The change at one of the places where it can be made; `None` where there is none.
    make: fn(&Conversation, &mut Choices<'_>) -> Option<Mutant>,
}

const MUTATIONS: &[Mutation] = &[
    Mutation { name: "drop a request", floor: 95, make: drop_request },
    Mutation { name: "drop a response", floor: 95, make: drop_response },
    Mutation { name: "drop the announcement of a tool call", floor: 95, make: drop_announcement },
    Mutation { name: "duplicate a request", floor: 99, make: duplicate_request },
    Mutation { name: "duplicate a response", floor: 99, make: duplicate_response },
    Mutation { name: "answer twice, the second time later", floor: 99, make: answer_twice },
    Mutation { name: "swap a request and its response", floor: 95, make: swap_exchange },
    Mutation { name: "swap `initialize` and what follows", floor: 95, make: swap_initialize },
    Mutation { name: "rename the id of a response", floor: 95, make: rename_response },
    Mutation { name: "rename a session", floor: 95, make: rename_session },
    Mutation { name: "rename a tool call in an update", floor: 95, make: rename_tool_call },
    Mutation { name: "rename the plan that is removed", floor: 95, make: rename_plan },
    Mutation { name: "rename a terminal", floor: 95, make: rename_terminal },
    Mutation { name: "change the type of a required member", floor: 95, make: change_type },
    Mutation { name: "change the type in the envelope", floor: 95, make: change_envelope },
    Mutation {
        name: "unadvertise a capability of the client",
        floor: 90,
        make: unadvertise_client,
    },
    Mutation { name: "unadvertise a capability of the agent", floor: 90, make: unadvertise_agent },
];

// What a message is.

fn method(sent: &Sent) -> Option<&str> {
    sent.message["method"].as_str()
}

fn is_request(sent: &Sent) -> bool {
    method(sent).is_some() && sent.message.get("id").is_some()
}

fn is_response(sent: &Sent) -> bool {
    method(sent).is_none()
}

fn update(sent: &Sent) -> &Value {
    &sent.message["params"]["update"]
}

/// The place of the request that the message at `place` answers.
fn request_of(sent: &[Sent], place: usize) -> Option<usize> {
    let response = &sent[place];
    (0..place).rev().find(|&earlier| {
        let request = &sent[earlier];
        is_request(request)
            && request.from == response.from.peer()
            && request.message["id"] == response.message["id"]
    })
}

/// The place of the response to the message at `place`.
fn response_of(sent: &[Sent], place: usize) -> Option<usize> {
    let request = &sent[place];
    (place + 1..sent.len()).find(|&later| {
        let response = &sent[later];
        is_response(response)
            && response.from == request.from.peer()
            && request.message["id"] == response.message["id"]
    })
}

/// One of the messages that are so.
fn pick(
    conversation: &Conversation,
    choices: &mut Choices<'_>,
    is_so: impl Fn(usize, &Sent) -> bool,
) -> Option<usize> {
    let places = conversation.sent.iter().enumerate();
    let places: Vec<_> =
        places.filter(|(place, sent)| is_so(*place, sent)).map(|(place, _)| place).collect();
    (!places.is_empty()).then(|| places[choices.below(places.len())])
}

/// The conversation with other messages.
fn changed(
    conversation: &Conversation,
    expected: &[&'static str],
    change: impl FnOnce(&mut Vec<Sent>),
) -> Mutant {
    let mut conversation = conversation.clone();
    change(&mut conversation.sent);
    Mutant { conversation, expected: expected.to_vec() }
}

// The changes.

/// Whether nothing but the answer shows that the request was made.
fn is_plain(sent: &Sent) -> bool {
    is_request(sent) && method(sent) != Some("initialize")
}

fn drop_request(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    let sent = &conversation.sent;
    let place = pick(conversation, choices, |place, message| {
        is_plain(message) && response_of(sent, place).is_some()
    })?;
    let expected = ["jsonrpc/unmatched-response", "jsonrpc/duplicate-response"];
    Some(changed(conversation, &expected, |sent| drop(sent.remove(place))))
}

fn drop_response(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    let sent = &conversation.sent;
    let place = pick(conversation, choices, |place, message| {
        let request = request_of(sent, place);
        is_response(message) && request.is_some_and(|request| is_plain(&sent[request]))
    })?;
    // An id that is used again shows the lack first.
    let expected = [
        "jsonrpc/unanswered-request",
        "jsonrpc/duplicate-id",
        "cancel/request-unanswered",
        "permission/unanswered-after-cancel",
        "session/unknown-id",
        "state/",
    ];
    Some(changed(conversation, &expected, |sent| drop(sent.remove(place))))
}

/// Whether the session of the message was created before it, and not left and taken up since: only
/// then all that it shows is on record.
fn is_recorded(sent: &[Sent], place: usize) -> bool {
    let session = &sent[place].message["params"]["sessionId"];
    let attaches = |message: &Sent| {
        matches!(method(message), Some("session/load" | "session/resume"))
            && message.message["params"]["sessionId"] == *session
    };
    let born = sent[..place].iter().enumerate().any(|(earlier, message)| {
        message.message["result"]["sessionId"] == *session
            && request_of(sent, earlier).is_some_and(|it| method(&sent[it]) == Some("session/new"))
    });
    born && !sent[..place].iter().any(attaches)
}

/// Whether the message announces a tool call on version 1 of which there is more to come.
fn announces(conversation: &Conversation, place: usize, message: &Sent) -> bool {
    let id = &update(message)["toolCallId"];
    let session = &message.message["params"]["sessionId"];
    let names = |other: &Sent| {
        update(other)["toolCallId"] == *id && other.message["params"]["sessionId"] == *session
    };
    let sent = &conversation.sent;
    let asks = |other: &Sent| other.message["params"]["toolCall"]["toolCallId"] == *id;
    let follows = sent[place + 1..].iter().find(|other| names(other));
    update(message)["sessionUpdate"] == "tool_call"
        && !sent[..place].iter().any(names)
        && !sent.iter().any(asks)
        && follows.is_some_and(|other| update(other)["sessionUpdate"] == "tool_call_update")
}

fn drop_announcement(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    let place = pick(conversation, choices, |place, message| {
        conversation.surface.version() == Version::V1
            && announces(conversation, place, message)
            && is_recorded(&conversation.sent, place)
    })?;
    Some(changed(conversation, &["tool-call/unknown-id"], |sent| drop(sent.remove(place))))
}

fn duplicate_request(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    let place = pick(conversation, choices, |_, message| is_plain(message))?;
    Some(changed(conversation, &["jsonrpc/duplicate-id"], |sent| {
        sent.insert(place, sent[place].clone());
    }))
}

fn duplicate_response(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    let place = pick(conversation, choices, |_, message| is_response(message))?;
    Some(changed(conversation, &["jsonrpc/duplicate-response"], |sent| {
        sent.insert(place, sent[place].clone());
    }))
}

fn answer_twice(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    let place = pick(conversation, choices, |_, message| is_response(message))?;
    Some(changed(conversation, &["jsonrpc/duplicate-response"], |sent| {
        let at = sent[sent.len() - 1].at;
        sent.push(Sent { at, ..sent[place].clone() });
    }))
}

fn swap_exchange(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    let sent = &conversation.sent;
    let place = pick(conversation, choices, |place, message| {
        is_plain(message) && response_of(sent, place).is_some()
    })?;
    let response = response_of(sent, place)?;
    let expected = ["jsonrpc/unmatched-response", "jsonrpc/duplicate-response"];
    Some(changed(conversation, &expected, |sent| swap(sent, place, response)))
}

/// What each says changes places; the times stay in order.
fn swap(sent: &mut [Sent], first: usize, second: usize) {
    let times = (sent[first].at, sent[second].at);
    sent.swap(first, second);
    (sent[first].at, sent[second].at) = times;
}

fn swap_initialize(conversation: &Conversation, _: &mut Choices<'_>) -> Option<Mutant> {
    let sent = &conversation.sent;
    let first = sent.iter().position(|sent| method(sent) == Some("initialize"))?;
    let is_next = |message: &Sent| message.from == Side::Client && is_plain(message);
    let next = (first..sent.len()).find(|place| is_next(&sent[*place]))?;
    Some(changed(conversation, &["lifecycle/", "jsonrpc/unanswered-request"], |sent| {
        swap(sent, first, next);
    }))
}

fn rename_response(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    let place = pick(conversation, choices, |_, message| is_response(message))?;
    Some(changed(conversation, &["jsonrpc/unmatched-response"], |sent| {
        sent[place].message["id"] = json!("nobody has asked this");
    }))
}

fn rename_session(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    const OPEN_ONLY: [&str; 5] = [
        "session/prompt",
        "session/set_mode",
        "session/request_permission",
        "session/set_config_option",
        "fs/read_text_file",
    ];
    let sent = &conversation.sent;
    let place = pick(conversation, choices, |place, message| {
        let creates = |open: &Sent| matches!(method(open), Some("session/new" | "session/fork"));
        // While a session is being created, it may be the one.
        let is_awaited = (0..place).any(|earlier| {
            creates(&sent[earlier])
                && response_of(sent, earlier).is_none_or(|response| response > place)
        });
        method(message).is_some_and(|method| OPEN_ONLY.contains(&method)) && !is_awaited
    })?;
    // What is asked for a stored session may stem from before the recording.
    Some(changed(conversation, &["session/unknown-id", "session/not-active"], |sent| {
        sent[place].message["params"]["sessionId"] = json!("nowhere");
    }))
}

fn rename_tool_call(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    let place = pick(conversation, choices, |place, message| {
        conversation.surface.version() == Version::V1
            && update(message)["sessionUpdate"] == "tool_call_update"
            && is_recorded(&conversation.sent, place)
    })?;
    Some(changed(conversation, &["tool-call/unknown-id"], |sent| {
        sent[place].message["params"]["update"]["toolCallId"] = json!("nowhere");
    }))
}

fn rename_plan(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    let place = pick(conversation, choices, |place, message| {
        update(message)["sessionUpdate"] == "plan_removed" && is_recorded(&conversation.sent, place)
    })?;
    Some(changed(conversation, &["plan/removed-unknown"], |sent| {
        sent[place].message["params"]["update"]["planId"] = json!("nowhere");
    }))
}

fn rename_terminal(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    let place = pick(conversation, choices, |_, message| {
        method(message).is_some_and(|method| method.starts_with("terminal/"))
            && message.message["params"]["terminalId"].is_string()
    })?;
    let expected = ["terminal/", "capability/terminal-cancel"];
    Some(changed(conversation, &expected, |sent| {
        sent[place].message["params"]["terminalId"] = json!("nowhere");
    }))
}

/// Members that every message of their method has to have.
const REQUIRED: &[(&str, &str)] = &[
    ("initialize", "protocolVersion"),
    ("session/new", "cwd"),
    ("session/load", "sessionId"),
    ("session/resume", "sessionId"),
    ("session/prompt", "prompt"),
    ("session/prompt", "sessionId"),
    ("session/set_mode", "modeId"),
    ("session/set_config_option", "configId"),
    ("session/cancel", "sessionId"),
    ("session/update", "sessionId"),
    ("session/update", "update"),
    ("session/request_permission", "options"),
    ("fs/read_text_file", "path"),
    ("fs/write_text_file", "content"),
    ("terminal/create", "command"),
    ("terminal/output", "terminalId"),
    ("authenticate", "methodId"),
    ("auth/login", "methodId"),
];

fn change_type(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    let required = |message: &Sent| {
        let name = method(message)?;
        let of = REQUIRED.iter().filter(|(method, _)| *method == name);
        let members: Vec<_> = of.map(|(_, member)| *member).collect();
        (!members.is_empty()).then_some(members)
    };
    let place = pick(conversation, choices, |_, message| required(message).is_some())?;
    let members = required(&conversation.sent[place])?;
    let member = members[choices.below(members.len())];
    Some(changed(conversation, &["schema/params"], |sent| {
        let value = &mut sent[place].message["params"][member];
        *value = if value.is_boolean() { json!([]) } else { json!(true) };
    }))
}

fn change_envelope(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    // Extensions take the params that they like.
    let is_own = |_, message: &Sent| method(message).is_none_or(|name| !name.starts_with('_'));
    let place = pick(conversation, choices, is_own)?;
    let message = &conversation.sent[place];
    let (member, value, expected) = match choices.below(3) {
        0 => ("jsonrpc", json!(2.0), "jsonrpc/version"),
        1 if method(message).is_some() => ("method", json!(7), "jsonrpc/"),
        1 if message.message.get("error").is_some() => {
            ("error", json!("no"), "jsonrpc/error-object")
        }
        _ if method(message).is_some() => ("params", json!("none"), "jsonrpc/params-not-object"),
        _ => ("id", json!([1]), "jsonrpc/"),
    };
    Some(changed(conversation, &[expected], |sent| sent[place].message[member] = value))
}

/// What shows that a capability is used: members of `initialize`, and whether a message needs it.
type Use = (&'static [&'static [&'static str]], fn(&Sent) -> bool);

fn names(message: &Sent, name: &str) -> bool {
    method(message) == Some(name)
}

fn tells(message: &Sent, kinds: &[&str]) -> bool {
    update(message)["sessionUpdate"].as_str().is_some_and(|kind| kinds.contains(&kind))
}

fn prompts(message: &Sent, kind: &str) -> bool {
    let blocks = message.message["params"]["prompt"].as_array();
    names(message, "session/prompt")
        && blocks.is_some_and(|blocks| blocks.iter().any(|block| block["type"] == kind))
}

fn asks(message: &Sent, mode: &str) -> bool {
    names(message, "elicitation/create") && message.message["params"]["mode"] == mode
}

const CLIENT_USES: &[Use] = &[
    (&[&["clientCapabilities", "fs", "readTextFile"]], |it| names(it, "fs/read_text_file")),
    (&[&["clientCapabilities", "fs", "writeTextFile"]], |it| names(it, "fs/write_text_file")),
    (&[&["clientCapabilities", "terminal"]], |it| names(it, "terminal/create")),
    (&[&["clientCapabilities", "plan"]], |it| tells(it, &["plan_update", "plan_removed"])),
    (
        &[&["clientCapabilities", "elicitation", "form"], &["capabilities", "elicitation", "form"]],
        |it| asks(it, "form"),
    ),
    (
        &[&["clientCapabilities", "elicitation", "url"], &["capabilities", "elicitation", "url"]],
        |it| asks(it, "url"),
    ),
    (&[&["clientCapabilities", "session", "notices"]], |it| tells(it, &["notice"])),
    (&[&["clientCapabilities", "session", "compaction"]], |it| tells(it, &["compaction_update"])),
];

const AGENT_USES: &[Use] = &[
    (&[&["agentCapabilities", "loadSession"]], |it| names(it, "session/load")),
    (&[&["agentCapabilities", "sessionCapabilities", "list"]], |it| names(it, "session/list")),
    (&[&["agentCapabilities", "sessionCapabilities", "resume"]], |it| names(it, "session/resume")),
    (&[&["agentCapabilities", "sessionCapabilities", "close"]], |it| names(it, "session/close")),
    (
        &[
            &["agentCapabilities", "sessionCapabilities", "delete"],
            &["capabilities", "session", "delete"],
        ],
        |it| names(it, "session/delete"),
    ),
    (
        &[
            &["agentCapabilities", "sessionCapabilities", "fork"],
            &["capabilities", "session", "fork"],
        ],
        |it| names(it, "session/fork"),
    ),
    (
        &[
            &["agentCapabilities", "promptCapabilities", "image"],
            &["capabilities", "session", "prompt", "image"],
        ],
        |it| prompts(it, "image"),
    ),
    (
        &[
            &["agentCapabilities", "promptCapabilities", "audio"],
            &["capabilities", "session", "prompt", "audio"],
        ],
        |it| prompts(it, "audio"),
    ),
    (
        &[
            &["agentCapabilities", "promptCapabilities", "embeddedContext"],
            &["capabilities", "session", "prompt", "embeddedContext"],
        ],
        |it| prompts(it, "resource"),
    ),
];

/// Takes a capability out of where it is advertised, when it is used.
fn unadvertise(
    conversation: &Conversation,
    choices: &mut Choices<'_>,
    part: &str,
    uses: &[Use],
) -> Option<Mutant> {
    fn members<'v>(mut value: &'v mut Value, path: &[&str]) -> Option<&'v mut Map<String, Value>> {
        for name in path {
            value = value.get_mut(name)?;
        }
        value.as_object_mut()
    }
    let advertises = |sent: &Sent, path: &[&str]| {
        let (last, path) = path.split_last().unwrap();
        let mut message = sent.message.clone();
        members(&mut message[part], path).is_some_and(|members| members.contains_key(*last))
    };
    let used = uses.iter().filter(|(_, needs)| conversation.sent.iter().any(needs));
    let paths = used.flat_map(|(paths, _)| paths.iter());
    let advertised: Vec<_> =
        paths.filter(|path| conversation.sent.iter().any(|sent| advertises(sent, path))).collect();
    if advertised.is_empty() {
        return None;
    }
    let (last, path) = advertised[choices.below(advertised.len())].split_last().unwrap();
    let expected =
        ["capability/", "plan/operation-without-capability", "elicitation/unsupported-mode"];
    Some(changed(conversation, &expected, |sent| {
        for sent in sent {
            if sent.message.get(part).is_some()
                && let Some(members) = members(&mut sent.message[part], path)
            {
                members.remove(*last);
            }
        }
    }))
}

fn unadvertise_client(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    unadvertise(conversation, choices, "params", CLIENT_USES)
}

fn unadvertise_agent(conversation: &Conversation, choices: &mut Choices<'_>) -> Option<Mutant> {
    unadvertise(conversation, choices, "result", AGENT_USES)
}

// The measurement.

#[derive(Default)]
struct Rate {
    made: u32,
    found: u32,
    missed: Vec<String>,
}

/// Whether a rule that has to has reported the change, and what was said.
fn is_found(mutant: &Mutant, text: &str) -> (bool, Vec<&'static str>) {
    let found = judge(text, mutant.conversation.surface, Tail::Closed);
    let said: Vec<_> = found.iter().map(|found| found.rule.id).collect();
    let is_expected = |id: &&str| {
        mutant
            .expected
            .iter()
            .any(|expected| *id == *expected || expected.ends_with('/') && id.starts_with(expected))
    };
    (said.iter().any(is_expected), said)
}

#[test]
fn single_changes_are_found() {
    let mut rates: BTreeMap<&str, Rate> = BTreeMap::new();
    let mut chance = Chance::new();
    for surface in Surface::ALL {
        for number in effort::one_in(4, 0..CONVERSATIONS) {
            let steps = (0..3 * number).map(|_| chance.choices()).collect();
            let recipe = Recipe { opening: chance.choices(), steps };
            let conversation = World::play(surface, Crossings::Clear, &recipe);
            for mutation in MUTATIONS.iter().flat_map(|mutation| [mutation; TIMES]) {
                let choices = chance.choices();
                let Some(mutant) = (mutation.make)(&conversation, &mut Choices(&choices)) else {
                    continue;
                };
                let text = mutant.conversation.enveloped();
                let (is_found, said) = is_found(&mutant, &text);
                let rate = rates.entry(mutation.name).or_default();
                rate.made += 1;
                rate.found += u32::from(is_found);
                if !is_found {
                    rate.missed.push(format!(
                        "{}: {surface}, conversation {number}: {said:?}\n{text}",
                        mutation.name
                    ));
                }
            }
        }
    }
    println!("found   made  share  change");
    let mut low = Vec::new();
    for mutation in MUTATIONS {
        let rate = rates.get(mutation.name).unwrap_or_else(|| panic!("none to {}", mutation.name));
        let share = 100 * rate.found / rate.made;
        println!("{:5} {:6} {share:5}%  {}", rate.found, rate.made, mutation.name);
        if std::env::var_os("SHOW_MISSED").is_some() {
            rate.missed.iter().for_each(|missed| println!("{missed}"));
        }
        if share < mutation.floor {
            low.push(format!("{}: {share}%, not {}%", mutation.name, mutation.floor));
        }
    }
    assert!(low.is_empty(), "{}", low.join("\n"));
}

//! Tells whether the messages of one side alone are in a recording, or stand apart from the other's.

use std::{borrow::Cow, cell::LazyCell};

use crate::{
    json::Node,
    map::Map,
    protocol::{
        Edition, Side, Surface,
        schema::{Protocol, ResponseFit},
    },
    transcript::{apparent, labels::method_sender},
};

/// The side that alone has messages in the recording; `None` when both have. The flag says that
/// some of its requests seem to have answers, so that this is in doubt.
pub(super) fn only_side(messages: &[(Node<'_>, Option<Side>)]) -> Option<(Side, bool)> {
    /// Least number of messages for which a recording counts as one of a single side; fewer can be
    /// an excerpt.
    const ENOUGH: usize = 3;
    /// Least number of answers without their requests that shows that the other side is missing.
    const STRAY: usize = 2;
    if messages.iter().any(|(_, said)| said.is_some()) {
        return None;
    }
    let mut senders = messages.iter().filter_map(|(node, _)| method_sender(*node));
    let side = senders.next()?;
    if senders.any(|sender| sender != side) {
        return None;
    }
    // Made only where they are asked.
    let protocols = LazyCell::new(|| {
        [Surface::V1Unstable, Surface::V2Unstable]
            .map(|surface| Protocol::of(surface, Edition::CURRENT))
    });
    let mut asked: Map<&str, Cow<'_, str>> = Map::default();
    // Responses whose shape is the side's own, those to what is not there, and those that the other
    // side may have sent, well or not.
    let (mut certain, mut stray, mut answered, mut misfits) = (0, 0, 0, 0);
    let mut knows = false;
    let is_opening =
        |(node, _): &(Node<'_>, _)| node.get("method").is_some_and(|own| own.is("initialize"));
    // Whatever stands before the connection begins tells nothing of it.
    let begin = messages.iter().position(is_opening).unwrap_or(0);
    for (message, _) in &messages[begin..] {
        let Some(id) = message.get("id") else { continue };
        if let Some(method) = message.get("method").and_then(Node::text) {
            // It names a session that no answer on record has told it.
            knows |= certain + stray + answered + misfits == 0
                && message.path(&["params", "sessionId"]).is_some()
                && asked.values().any(|method| method == "session/new");
            asked.insert(id.raw(), method.as_cow());
            continue;
        }
        let result = message.get("result");
        match result.and_then(apparent::likely_answering_side) {
            Some(by) if by == side => certain += 1,
            Some(_) => return None,
            None => match asked.remove(id.raw()) {
                None => stray += 1,
                Some(method) => {
                    let fits = |result| {
                        protocols.iter().any(|all| all.fit(&method, result) >= ResponseFit::Perhaps)
                    };
                    *(if result.is_none_or(fits) { &mut answered } else { &mut misfits }) += 1;
                }
            },
        }
    }
    let begins = messages.first().is_some_and(|(first, _)| {
        first.get("method").is_some_and(|method| method.is("initialize"))
    });
    let is_sure = knows
        || certain > 1
        || certain == 1 && begins
        || answered + misfits == 0 && certain + stray + asked.len() >= ENOUGH;
    let is_told = is_sure || stray >= STRAY && stray > answered + misfits;
    is_told.then_some((side, !is_sure && answered > 0))
}

/// The likely sender of a message, by its method or result; `None` where neither shows it.
fn likely_sender(message: Node<'_>) -> Option<Side> {
    method_sender(message).or_else(|| apparent::likely_answering_side(message.get("result")?))
}

/// The side whose messages all come first, where this order is impossible: separate recordings of
/// both sides were put into one file. `None` for other files.
pub(super) fn first_side(messages: &[(Node<'_>, Option<Side>)]) -> Option<Side> {
    /// Least number of messages of each side for which the sides count as separate; fewer can be a
    /// normal exchange.
    const ENOUGH: usize = 3;
    if messages.iter().any(|(_, said)| said.is_some()) {
        return None;
    }
    let known: Vec<(usize, Side)> = messages
        .iter()
        .enumerate()
        .filter_map(|(at, (message, _))| Some((at, likely_sender(*message)?)))
        .collect();
    let side = known.first()?.1;
    let count = known.iter().take_while(|(_, by)| *by == side).count();
    let (first, second) = known.split_at(count);
    let is_parted = second.iter().all(|(_, by)| *by != side);
    if !is_parted || first.len() < ENOUGH || second.len() < ENOUGH {
        return None;
    }
    let first = messages[..second.first()?.0].iter().map(|(message, _)| *message);
    let is_method =
        |message: &Node<'_>, name| message.get("method").is_some_and(|own| own.is(name));
    let is_impossible = match side {
        // It names a session that only an answer further on tells it.
        Side::Client => {
            let mut rest = first.skip_while(|message| !is_method(message, "session/new")).skip(1);
            let tells = |message: Node<'_>| message.path(&["result", "sessionId"]).is_some();
            rest.any(|message| is_method(&message, "session/prompt"))
                && second.iter().any(|(at, _)| tells(messages[*at].0))
        }
        // It answers what is asked further on.
        Side::Agent => {
            let mut first = first;
            let opens = |(at, _): &(usize, Side)| is_method(&messages[*at].0, "initialize");
            first.any(|message| message.path(&["result", "protocolVersion"]).is_some())
                && second.iter().any(opens)
        }
    };
    is_impossible.then_some(side)
}

//! Tells which lines of a log are the messages, where the log has them more than once.

use crate::{
    json::Node,
    map::Set,
    transcript::{Record, SenderLabel, labels},
};

/// Pairs of words by which loggers name the two directions of a connection, in no fixed order.
const DIRECTIONS: [[&str; 2]; 14] = [
    ["→", "←"],
    ["-->", "<--"],
    ["->", "<-"],
    [">>>", "<<<"],
    [">>", "<<"],
    [">", "<"],
    ["OUT", "IN"],
    ["out", "in"],
    ["send", "recv"],
    ["SEND", "RECV"],
    ["sent", "received"],
    ["outgoing", "incoming"],
    ["client", "agent"],
    ["sent", "recv"],
];

/// The labels of those records that are messages; `None` when all records are messages. Other
/// records are notes, or repeat messages as the other end logged them.
pub(super) fn of(messages: &[(Node<'_>, &Record<'_>)]) -> Option<Vec<Box<str>>> {
    let mut words: Vec<(&str, usize)> = Vec::new();
    for (_, record) in messages {
        let Some(SenderLabel::Word(word)) = &record.label else { continue };
        match words.iter_mut().find(|(own, _)| *own == &**word) {
            Some((_, count)) => *count += 1,
            None => words.push((word, 1)),
        }
    }
    let own = one_end(messages, &words).or_else(|| two_directions(&words))?;
    let count_of = |word: &&str| words.iter().find(|(own, _)| own == word).map_or(0, |own| own.1);
    let count: usize = own.iter().map(count_of).sum();
    // Most messages bear them, or stand there once for each end.
    (count < messages.len() && count * 2 >= messages.len())
        .then(|| own.into_iter().map(Box::from).collect())
}

/// Labels of one end, where both ends have logged most of the messages; `None` for other logs.
fn one_end<'w>(
    messages: &[(Node<'_>, &Record<'_>)],
    words: &[(&'w str, usize)],
) -> Option<Vec<&'w str>> {
    let of_end = |end: &str| -> Vec<&'w str> {
        words.iter().map(|(word, _)| *word).filter(|word| end_of(word) == Some(end)).collect()
    };
    let told = |words: &[&str]| -> Vec<&str> {
        let is_own = |record: &Record<'_>| match &record.label {
            Some(SenderLabel::Word(word)) => words.contains(&&**word),
            _ => false,
        };
        messages.iter().filter(|(_, own)| is_own(own)).map(|(node, _)| node.raw()).collect()
    };
    let mut ends = words.iter().filter_map(|(word, _)| end_of(word));
    let first = ends.next()?;
    let second = ends.find(|end| *end != first)?;
    let (one, other) = (of_end(first), of_end(second));
    let (at_one, at_other) = (told(&one), told(&other));
    let known: Set<&str> = at_one.iter().copied().collect();
    let both = at_other.iter().filter(|raw| known.contains(*raw)).count();
    (both * 2 > at_other.len()).then_some(if at_one.len() >= at_other.len() { one } else { other })
}

/// The end of the connection that a label such as `agent recv` names; `None` for other labels.
fn end_of(word: &str) -> Option<&str> {
    let (end, way) = word.split_once(' ')?;
    (labels::is_end(end) && labels::is_way(way)).then_some(end)
}

/// The two words for directions that most messages have as labels; `None` without such a pair.
fn two_directions<'w>(words: &[(&'w str, usize)]) -> Option<Vec<&'w str>> {
    let find = |word: &str| words.iter().find(|(own, _)| *own == word).copied();
    let pairs = DIRECTIONS.iter().filter_map(|[one, other]| Some([find(one)?, find(other)?]));
    let ended = words.iter().filter_map(|own| {
        let end = end_of(own.0)?;
        let other = words.iter().find(|other| other.0 != own.0 && end_of(other.0) == Some(end))?;
        Some([*own, *other])
    });
    let best = pairs.chain(ended).max_by_key(|[one, other]| one.1 + other.1)?;
    Some(best.map(|(word, _)| word).to_vec())
}

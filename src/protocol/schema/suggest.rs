//! Suggestions for misspelt names.

/// The candidate that a misspelt name most likely means, if there is one: the first that differs in
/// case, underscores and hyphens only, else the one with the fewest typing errors
/// (Damerau-Levenshtein distance), at most two and at most one for every two letters. Names of more
/// than a hundred letters have none. Costs a comparison with each candidate.
pub fn nearest<'c>(value: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    const FARTHEST: usize = 2;
    /// Most bytes of a name for which a similar one is suggested. Comparing takes time by the
    /// square of the length, so longer names get no suggestion.
    const LONGEST: usize = 100;
    if value.len() > LONGEST {
        return None;
    }
    let own: String = folded(value).collect();
    let letters = value.chars().count();
    let mut best = None;
    for candidate in candidates.into_iter().filter(|candidate| candidate.len() <= LONGEST) {
        if own.chars().eq(folded(candidate)) {
            return Some(candidate);
        }
        // Each slip makes a name longer or shorter by one letter at most.
        let longer = letters.abs_diff(candidate.chars().count());
        if longer > FARTHEST {
            continue;
        }
        let length = folded(candidate).map(char::len_utf8).sum();
        let most = FARTHEST.min(own.len().min(length) / 2);
        if longer > most {
            continue;
        }
        if fewest_slips(value, candidate) > most {
            continue;
        }
        let distance = strsim::damerau_levenshtein(value, candidate);
        let is_close = distance <= most;
        if is_close && best.is_none_or(|(_, least)| distance < least) {
            best = Some((candidate, distance));
        }
    }
    best.map(|(candidate, _)| candidate)
}

/// A lower bound of the distance of two names, at little cost: the letters that only one of them has.
/// A slip takes away or adds one of them at most. 0 for names with letters beyond ASCII.
fn fewest_slips(one: &str, other: &str) -> usize {
    if !one.is_ascii() || !other.is_ascii() {
        return 0;
    }
    let mut counts = [0_i32; 128];
    let mut add = |name: &str, by| {
        for letter in name.bytes() {
            if let Some(count) = counts.get_mut(usize::from(letter)) {
                *count += by;
            }
        }
    };
    add(one, 1);
    add(other, -1);
    let sum = |sign: i32| counts.iter().map(|count| (count * sign).max(0)).sum::<i32>();
    usize::try_from(sum(1).max(sum(-1))).unwrap_or_default()
}

/// Whether two names differ in case, underscores and hyphens only.
pub fn is_respelling(name: &str, other: &str) -> bool {
    name != other && folded(name).eq(folded(other))
}

/// The letters of a name in lower case, without `_` and `-`, for comparing spellings.
fn folded(name: &str) -> impl Iterator<Item = char> {
    let letters = name.chars().filter(|letter| !matches!(letter, '_' | '-'));
    letters.map(|letter| letter.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    const UPDATES: [&str; 4] = ["plan", "plan_update", "agent_message_chunk", "sse"];

    #[test]
    fn slips_of_the_pen_are_recognised() {
        assert_eq!(nearest("plann", UPDATES), Some("plan"));
        assert_eq!(nearest("paln", UPDATES), Some("plan"));
        assert_eq!(nearest("see", UPDATES), Some("sse"));
        assert_eq!(nearest("plan_updated", UPDATES), Some("plan_update"));
    }

    #[test]
    fn conventions_do_not_count() {
        assert_eq!(nearest("agentMessageChunk", UPDATES), Some("agent_message_chunk"));
        assert_eq!(nearest("PLAN", UPDATES), Some("plan"));
    }

    #[test]
    fn the_lower_bound_is_one() {
        let names = ["", "plan", "paln", "plann", "lan", "plan_update", "agent_message_chunk", "é"];
        for one in names.into_iter().chain(UPDATES) {
            for other in names.into_iter().chain(UPDATES) {
                let distance = strsim::damerau_levenshtein(one, other);
                assert!(fewest_slips(one, other) <= distance, "{one} {other}");
            }
        }
        assert_eq!(fewest_slips("plan", "sse"), 4);
    }

    #[test]
    fn other_words_are_no_slips() {
        assert_eq!(nearest("doing", ["pending", "in_progress", "completed"]), None);
        assert_eq!(nearest("s", UPDATES), None);
        assert_eq!(nearest("", UPDATES), None);
        assert_eq!(nearest("http", ["stdio"]), None);
        assert_eq!(nearest(&"_".repeat(10_000_000), ["s", "plan"]), None);
    }
}

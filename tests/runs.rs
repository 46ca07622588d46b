//! Many like messages in a row: what is found must be the same as when each is read by itself.

use std::{fs, ops::Range, path::PathBuf, sync::LazyLock};

use acpcheck::{
    check::{Settings, Tail},
    diagnostic::Diagnostic,
    protocol::Surface,
    rule::{Opening, opening::opening},
    rules::CATALOGUE,
};
use proptest::{collection::vec, prelude::*, sample::Index};

use super::{effort, places};

/// Conversations of all kinds, each with how to judge it.
fn conversations() -> Vec<(String, String, Settings)> {
    let mut all = Vec::new();
    for rule in CATALOGUE {
        for example in rule.examples {
            let settings = Settings {
                surface: example.pinned(),
                edition: example.edition,
                tail: if example.closed { Tail::Closed } else { Tail::Open },
                ..Settings::default()
            };
            for text in [example.bad, example.good] {
                let text = opening(example.surface, example.opening) + text;
                all.push((format!("example of {}", rule.id), text, settings.clone()));
            }
        }
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    for entry in walkdir::WalkDir::new(root.join("fixtures")).sort_by_file_name() {
        let Ok(entry) = entry else { continue };
        if let Ok(text) = fs::read_to_string(entry.path())
            && !entry.path().components().any(|part| part.as_os_str() == "formats")
            && !text.contains('\0')
        {
            all.push((entry.path().display().to_string(), text, Settings::default()));
        }
    }
    all
}

/// What is found and counted, with places by line and column.
fn judge(text: &str, settings: &Settings) -> String {
    let (diagnostics, outcome) = effort::check(text.as_bytes(), settings);
    let mut found = format!(
        "{} messages, {} connections, {:?}\n",
        outcome.messages, outcome.connections, outcome.senders
    );
    for (rule, tally) in CATALOGUE.iter().zip(&outcome.tallies) {
        found += &format!("{} {tally:?}\n", rule.id);
    }
    found + &told(&diagnostics)
}

fn told(diagnostics: &[Diagnostic]) -> String {
    let mut told = String::new();
    for diagnostic in diagnostics {
        told += &format!("{} {:?}", diagnostic.rule.id, diagnostic.severity);
        for label in &diagnostic.finding.labels {
            told += &format!(" {}:{} {}", label.span.line, label.span.column, label.message);
        }
        told += "\n";
    }
    told
}

/// The conversation with pieces of messages put in between, in some places of it.
fn with_pieces(text: &str, phase: usize) -> String {
    let mut lines = String::new();
    for (number, line) in text.lines().enumerate() {
        lines += &format!("{line}\n");
        if line.contains("_chunk\"") && line.contains("\"text\":\"") {
            for more in ["and ", "so \\\"on\\\" ", ""] {
                lines += &line.replacen("\"text\":\"", &format!("\"text\":\"{more}"), 1);
                lines += "\n";
            }
        }
        let session = line.split("\"sessionId\":\"").nth(1).and_then(|rest| rest.split('"').next());
        if let Some(session) =
            session.filter(|_| number % 4 == phase % 4 && line.starts_with("{\"jsonrpc\""))
        {
            for (kind, id) in [
                ("agent_message_chunk", ""),
                ("agent_message_chunk", r#","messageId":"piece""#),
                ("user_message_chunk", r#","messageId":"word""#),
            ] {
                for word in ["a", "b", "c\\u00e4", "d"] {
                    lines += &format!(
                        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{{"sessionUpdate":"{kind}","content":{{"type":"text","text":"{word}"}}{id}}}}}}}"#
                    );
                    lines += "\n";
                }
            }
        }
    }
    lines
}

/// What another thread checks is what this one would have found, in all formats.
#[test]
fn another_thread_finds_the_same() {
    let formats = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/formats");
    let formats = walkdir::WalkDir::new(formats).sort_by_file_name().into_iter();
    let files = formats.map(|entry| entry.unwrap().into_path()).filter(|path| path.is_file());
    let files = files
        .map(|path| (path.display().to_string(), fs::read(&path).unwrap(), Settings::default()));
    let conversations = conversations().into_iter();
    let conversations = conversations.map(|(name, text, settings)| (name, text.into(), settings));
    for (name, bytes, settings) in effort::one_in(9, files.chain(conversations)) {
        let mut ahead = effort::begin(&settings).on_another_thread();
        ahead.feed(&bytes);
        let (found, outcome) = ahead.finish();
        let (expected, counted) = effort::check(&bytes, &settings);
        assert_eq!(told(&found), told(&expected), "{name}");
        assert_eq!(format!("{outcome:?}"), format!("{counted:?}"), "{name}");
    }
}

#[test]
fn like_pieces_in_a_row_are_judged_as_unlike_ones() {
    let mut wrong = String::new();
    let mut count = 0;
    for (name, text, settings) in effort::one_in(9, conversations()) {
        let text = with_pieces(&text, count);
        // A blank at the end of every other line: no line is like the one before.
        let unlike: String = text
            .lines()
            .enumerate()
            .map(|(number, line)| format!("{line}{}\n", if number % 2 == 0 { "" } else { " " }))
            .collect();
        let (like, unlike) = (judge(&text, &settings), judge(&unlike, &settings));
        count += 1;
        if like != unlike {
            wrong += &format!("{name}:\n");
            for (one, other) in like.lines().zip(unlike.lines()).filter(|(a, b)| a != b) {
                wrong += &format!("  {one}\n  {other}\n");
            }
        }
    }
    assert!(count > effort::times(300, 500), "only {count} conversations");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn repeated_conversations_are_judged_in_pieces_as_well() {
    const TIMES: usize = 4;
    let conversations = conversations();
    assert!(conversations.len() > 500, "only {} conversations", conversations.len());
    for (name, text, settings) in effort::one_in(20, conversations) {
        println!("{name}");
        places::judge(text.repeat(TIMES).as_bytes(), &settings);
    }
}

/// Messages that differ in nothing but their method or the kind of their update, however the names of
/// those members are written.
#[test]
fn methods_and_kinds_are_told_apart() {
    let opening = opening(Surface::V1, Opening::Bare);
    for [kind, method] in [["sessionUpdate", "method"], [r"session\u0055pdate", r"metho\u0064"]] {
        let update = |name: &str| {
            format!(
                "{}\n",
                r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"KIND":"NAME","title":"t"}}}"#
                    .replace("KIND", kind)
                    .replace("NAME", name)
            )
        };
        let call = |name: &str| {
            let call = r#"{"jsonrpc":"2.0","METHOD":"NAME","params":{"sessionId":"s"}}"#;
            format!("{}\n", call.replace("METHOD", method).replace("NAME", name))
        };
        let text = opening.clone()
            + &update("session_info_update").repeat(5)
            + &update("plan_update")
            + &call("session/cancel").repeat(5)
            + &call("focus");
        let (found, _) = places::judge(text.as_bytes(), &Settings::default());
        let found = told(&found);
        for rule in ["plan/operation-without-capability", "ext/unprefixed-method"] {
            assert!(found.contains(rule), "{rule} in {found}");
        }
    }
}

/// Where the strings of a text stand, in their quotation marks.
fn strings(text: &str) -> Vec<Range<usize>> {
    let mut strings = Vec::new();
    let mut start = None;
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        match (character, start) {
            _ if std::mem::take(&mut is_escaped) => {}
            ('\\', Some(_)) => is_escaped = true,
            ('"', None) => start = Some(at),
            ('"' | '\n', Some(from)) => {
                strings.push(from..at + 1);
                start = None;
            }
            _ => {}
        }
    }
    strings
}

/// A string with its first character written as an escape sequence.
fn escaped(string: &str) -> String {
    match string.as_bytes().get(1) {
        Some(first) if first.is_ascii_alphabetic() => {
            format!("\"\\u{first:04x}{}", &string[2..])
        }
        _ => string.to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(256), failure_persistence: None, ..ProptestConfig::default() })]

    /// What is known of one message is not taken for granted of another one that looks like it.
    #[test]
    fn whatever_strings_there_are(
        conversation in any::<Index>(),
        rewritten in any::<Index>(),
        changes in vec((any::<Index>(), any::<Index>(), any::<bool>()), 1..6),
    ) {
        static CONVERSATIONS: LazyLock<Vec<(String, String, Settings)>> =
            LazyLock::new(conversations);
        let (name, text, settings) = conversation.get(&CONVERSATIONS);
        let all = strings(text);
        prop_assume!(!all.is_empty() && text.ends_with('\n'));
        let string = &text[rewritten.get(&all).clone()];
        let text = text.replace(string, &escaped(string));
        let mut changed = text.clone();
        for (one, other, is_rewritten) in changes {
            let all = strings(&changed);
            let (one, other) = (one.get(&all).clone(), &changed[other.get(&all).clone()]);
            let other = if is_rewritten { escaped(&changed[one.clone()]) } else { other.to_owned() };
            changed.replace_range(one, &other);
        }
        let text = text.repeat(3) + &changed.repeat(2);
        println!("{name}");
        places::judge(text.as_bytes(), settings);
    }
}

//! What nobody should write into a transcript: it gets a diagnostic or a clean verdict, never a
//! panic, and every place that is pointed at lies in the file.

#[path = "hostile/changes.rs"]
mod changes;
#[path = "hostile/lists.rs"]
mod lists;
#[path = "hostile/outputs.rs"]
mod outputs;
#[path = "hostile/properties.rs"]
mod properties;
#[path = "benches/repeats.rs"]
mod repeats;

use std::collections::BTreeSet;

use super::places::{self, everything, judge};
use acpcheck::{
    check::{Settings, Tail},
    protocol::Surface,
};
use changes::conversations;
use repeats::Repeat;

use super::{effort, support::OPENING};

/// The rules of framing and envelopes that speak of the bytes.
fn rules(bytes: &[u8]) -> Vec<&'static str> {
    let settings = Settings { tail: Tail::Closed, severities: everything(), ..Settings::default() };
    let (found, _) = judge(bytes, &settings);
    let ids = found.iter().map(|found| found.rule.id);
    let mut rules: Vec<_> =
        ids.filter(|id| id.starts_with("transport/") || id.starts_with("jsonrpc/")).collect();
    rules.dedup();
    rules
}

/// The rules that speak of a line behind the beginning of a connection.
fn rules_about(line: &str) -> Vec<&'static str> {
    rules(format!("{OPENING}{line}\n").as_bytes())
}

/// A session update whose update object has these members besides.
fn update(kind: &str, members: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"{kind}",{members}}}}}}}"#
    )
}

#[test]
fn files_without_a_message() {
    for (bytes, expected) in [
        (&b""[..], &[][..]),
        (b"\n\n\r\n\n", &[]),
        (b"   \t ", &[]),
        (b"\xef\xbb\xbf", &["transport/bom"]),
        (b"\xef\xbb\xbf\n\xef\xbb\xbf\n", &["transport/bom"]),
        (b"\xff\xfe", &["transport/invalid-utf8"]),
        (b"\xff", &["transport/invalid-utf8"]),
        (b"\xe6\x9d", &["transport/invalid-utf8"]),
        (b"{", &["transport/truncated-tail"]),
        (b"{\n", &["transport/not-json"]),
        (b"\0", &["transport/not-json"]),
        (b"\0\0\0\0\0\0\n", &["transport/not-json"]),
        (b"null", &["transport/not-object"]),
        (b"[]", &["jsonrpc/batch"]),
        (b"{}", &["jsonrpc/ambiguous-shape"]),
    ] {
        assert_eq!(rules(bytes), expected, "{bytes:?}");
    }
}

#[test]
fn nesting_ten_thousand_deep() {
    const DEEP: usize = 10_000;
    let arrays = "[".repeat(DEEP) + &"]".repeat(DEEP);
    let objects = "{\"a\":".repeat(DEEP) + "1" + &"}".repeat(DEEP);
    assert_eq!(rules_about(&arrays), ["jsonrpc/batch"]);
    assert_eq!(rules_about(&objects), ["jsonrpc/ambiguous-shape"]);
    assert_eq!(rules_about(&"[".repeat(DEEP)), ["transport/not-json"]);
    for deep in effort::one_in(2, [&objects, &arrays]) {
        // Wherever the protocol takes anything, or something else than it gets.
        let texts = [
            update("tool_call", &format!(r#""toolCallId":"c","title":"t","rawInput":{deep}"#)),
            update("tool_call", &format!(r#""toolCallId":"c","title":"t","content":{deep}"#)),
            update("plan", &format!(r#""entries":{deep}"#)),
            update("plan", &format!(r#""entries":[],"_meta":{{"x":{deep}}}"#)),
            update("agent_message_chunk", &format!(r#""content":{deep}"#)),
            update("available_commands_update", &format!(r#""availableCommands":[{deep}]"#)),
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"_x","params":{deep}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":{deep},"method":"session/list"}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":{deep}}}"#),
            format!(r#"{{"jsonrpc":{deep},"id":7,"method":"_x"}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{deep}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":1,"error":{deep}}}"#),
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":1,"message":"m","data":{deep}}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"initialize","params":{{"protocolVersion":1,"clientCapabilities":{deep}}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"initialize","params":{{"protocolVersion":1,"clientCapabilities":{{"_meta":{deep}}}}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{{"sessionId":"s","mode":"form","message":"m","requestedSchema":{deep}}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{{"sessionId":"s","prompt":{deep}}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{{"sessionId":"s","prompt":[{deep},"<REDACTED>"]}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"session/new","params":{{"cwd":"/w","mcpServers":[{{"type":"acp","id":"i","name":"n","env":{deep}}}]}}}}"#
            ),
            update("user_message", &format!(r#""messageId":"m","content":[{deep}]"#)),
            format!(r#"{{"dir":"in","msg":{deep}}}"#),
        ];
        for text in texts {
            for surface in [Surface::V1Unstable, Surface::V2Unstable] {
                let settings = Settings {
                    surface: Some(surface),
                    severities: everything(),
                    ..Settings::default()
                };
                judge(format!("{OPENING}{text}\n").as_bytes(), &settings);
                judge(format!("{text}\n").as_bytes(), &settings);
            }
        }
    }
}

#[test]
fn a_line_of_five_megabytes() {
    let long = "ü".repeat(5_000_000 / 2);
    let chunk =
        update("agent_message_chunk", &format!(r#""content":{{"type":"text","text":"{long}"}}"#));
    assert_eq!(rules_about(&chunk), [""; 0]);
    assert_eq!(rules_about(&long), ["transport/not-json"]);
    assert_eq!(rules_about(&chunk[..chunk.len() - 4]), ["transport/not-json"]);
    assert_eq!(rules_about(&chunk.replace("text", "tex\u{7}t")), ["transport/not-json"]);
    let id = format!(r#"{{"jsonrpc":"2.0","id":"{long}","result":{{}}}}"#);
    assert_eq!(rules_about(&id), ["jsonrpc/unmatched-response"]);
}

#[test]
fn a_line_without_end_is_not_waited_for() {
    let settings = Settings::default();
    let block = vec![b'x'; 1 << 20];
    for beginning in ["", OPENING] {
        let mut check = effort::begin(&settings);
        check.feed(beginning.as_bytes());
        let mut fed = 0;
        while !check.is_over() {
            assert!(fed < 200, "still reads after {fed} MiB");
            check.feed(&block);
            fed += 1;
        }
        let (found, outcome) = check.finish();
        let line = beginning.lines().count() + 1;
        let why = format!("line {line} is longer than 128 MiB; acpcheck stops reading there");
        assert_eq!(outcome.refusal, Some(why));
        assert_eq!(outcome.messages, beginning.lines().count() as u64);
        assert!(found.is_empty(), "{found:?}");
    }
    // Nor when it comes all at once.
    let whole = [OPENING.as_bytes(), &block.repeat(129), b"\n{}\n"].concat();
    let (found, outcome) = effort::check(&whole, &settings);
    assert!(found.is_empty() && outcome.refusal.is_some());
}

/// What comes without end in one connection: it is judged to its end, and each that is at fault is
/// told once.
#[test]
fn what_never_ends_in_one_connection() {
    const MANY: usize = 2_000;
    type Line = fn(usize) -> String;
    let shapes: [(&str, Line); 6] = [
        ("sessions that nobody has set up", |number| {
            update("plan", r#""entries":[]"#).replace(r#""s""#, &format!(r#""u{number}""#))
        }),
        ("requests that nobody answers", |number| {
            format!(r#"{{"jsonrpc":"2.0","id":"r{number}","method":"session/list","params":{{}}}}"#)
        }),
        ("prompts upon prompts", |number| {
            format!(
                r#"{{"jsonrpc":"2.0","id":"p{number}","method":"session/prompt","params":{{"sessionId":"s","prompt":[]}}}}"#
            )
        }),
        ("tool calls that never end", |number| {
            update(
                "tool_call",
                &format!(r#""toolCallId":"c{number}","title":"t","status":"pending""#),
            )
        }),
        ("requests with one id", |number| {
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"session/list","params":{{"cursor":"{number}"}}}}"#
            )
        }),
        ("subagents of subagents", |number| {
            let parent =
                number.checked_sub(1).map_or("s".to_owned(), |before| format!("k{before}"));
            let announced = format!(r#""sessionId":"k{number}","state":{{"state":"running"}}"#);
            update("subagent_update", &announced).replacen(r#""s""#, &format!(r#""{parent}""#), 1)
        }),
    ];
    for (what, line) in shapes {
        let lines: String = (0..MANY).map(|number| line(number) + "\n").collect();
        let (_, outcome) = judge(
            format!("{OPENING}{lines}").as_bytes(),
            &Settings { severities: everything(), ..Settings::default() },
        );
        assert_eq!(outcome.messages, (MANY + 4) as u64, "{what}");
    }
}

/// Of one message, no more than [`Verdict::MOST`] places are told.
/// That they take no longer than their length says is shown by the benchmark of the same name.
#[test]
fn repeats() {
    let settings = Settings { tail: Tail::Closed, severities: everything(), ..Settings::default() };
    for repeat in effort::one_in(3, Repeat::all()) {
        let (some, many) = (repeat.text(500), repeat.text(effort::times(1_200, 5_000)));
        let judged = |text: &str| {
            let (found, outcome) = judge(text.as_bytes(), &settings);
            let rules: BTreeSet<_> = found.iter().map(|found| found.rule.id).collect();
            // It has more findings than are looked for.
            let is_cut = outcome.notes.iter().any(|note| note.contains("acpcheck looks for"));
            (rules, is_cut)
        };
        let ((of_some, _), (of_many, is_cut)) = (judged(&some), judged(&many));
        let is_all = of_some == of_many || is_cut && of_some.is_superset(&of_many);
        assert!(is_all, "{repeat}: {of_some:?}, {of_many:?}");
    }
}

#[test]
fn a_message_with_thousands_of_faults() {
    const MANY: usize = 3_000;
    let members: Vec<_> = (0..MANY).map(|number| format!(r#""a{number}":1"#)).collect();
    let entries = vec![r#"{"content":"a"}"#; MANY].join(",");
    for (message, rule) in [
        (update("session_info_update", &members.join(",")), "ext/unknown-field"),
        (update("plan", &format!(r#""entries":[{entries}]"#)), "schema/missing-field"),
    ] {
        let settings = Settings { severities: everything(), ..Settings::default() };
        let (found, _) = judge(format!("{OPENING}{message}\n").as_bytes(), &settings);
        let of_rule = found.iter().filter(|found| found.rule.id == rule).count() as u64;
        let more: u64 = found.iter().map(|found| found.repeats).sum();
        let most = acpcheck::rule::Verdict::MOST as u64;
        assert!((most / 2..=most).contains(&(of_rule + more)), "{rule}: {of_rule} and {more}");
    }
}

/// Numbers of a megabyte, wherever the protocol takes a number or an id.
#[test]
fn numbers_of_a_megabyte() {
    const LONG: usize = 1_000_000;
    let digits = "7".repeat(LONG);
    for number in effort::one_in(3, [format!("-0.{digits}"), digits.clone(), format!("1e{digits}")])
    {
        let places = [
            (
                format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"session/list"}}"#),
                "jsonrpc/id-type",
            ),
            (format!(r#"{{"jsonrpc":"2.0","id":{number},"result":{{}}}}"#), "jsonrpc/id-type"),
            (
                format!(r#"{{"jsonrpc":"2.0","id":9,"error":{{"code":{number},"message":"m"}}}}"#),
                "jsonrpc/error-object",
            ),
        ];
        for (text, rule) in places {
            let found = rules_about(&text);
            assert!(found.contains(&rule), "{rule}: {found:?}");
        }
        let anywhere = [
            update("usage_update", &format!(r#""used":{number},"size":{number}"#)),
            update(
                "usage_update",
                &format!(r#""used":1,"size":2,"cost":{{"amount":{number},"currency":"USD"}}"#),
            ),
            update(
                "tool_call",
                &format!(
                    r#""toolCallId":"c","title":"t","rawInput":{number},"locations":[{{"path":"/a","line":{number}}}]"#
                ),
            ),
            update("plan", &format!(r#""entries":[],"_meta":{{"x":{number}}}"#)),
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"initialize","params":{{"protocolVersion":{number},"clientCapabilities":{{}}}}}}"#
            ),
        ];
        for text in anywhere {
            let settings = Settings { severities: everything(), ..Settings::default() };
            let (found, outcome) = judge(format!("{OPENING}{text}\n").as_bytes(), &settings);
            assert_eq!(outcome.messages, 5, "{}", &text[..60]);
            let longest = found.iter().map(|found| found.finding.message.len()).max();
            assert!(longest.is_none_or(|longest| longest < 1000), "{longest:?}");
        }
        let labelled =
            format!(r#"{{"ts":{number},"dir":"in","msg":{{"jsonrpc":"2.0","method":"_x"}}}}"#);
        let (_, outcome) = judge(labelled.as_bytes(), &Settings::default());
        assert_eq!(outcome.messages, 1);
        let used = update("usage_update", &format!(r#""used":{number},"size":9"#));
        let settings = Settings { severities: everything(), ..Settings::default() };
        let (found, _) = judge(format!("{OPENING}{used}\n").as_bytes(), &settings);
        let is_refused = found.iter().any(|found| found.rule.id.starts_with("schema/"));
        assert!(is_refused, "{}", &number[..9]);
    }
}

/// Names of one length that are alike at their ends and in the middle have one hash here, see
/// `json::tape`; those of ids, sessions and plans are hashed with a seed that nobody knows, which
/// `map` proves.
#[test]
fn names_that_collide() {
    const MANY: usize = 20_000;
    let name = |number: usize| format!("a{number:05}-------z");
    let members: Vec<_> = (0..MANY).map(|number| format!(r#""{}":1"#, name(number))).collect();
    let members = members.join(",");
    let texts = [
        update("session_info_update", &members),
        update("session_info_update", &format!(r#""_meta":{{{members}}}"#)),
        update("tool_call", &format!(r#""toolCallId":"c","title":"t","rawInput":{{{members}}}"#)),
        format!(r#"{{"jsonrpc":"2.0","method":"_x","params":{{{members}}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":"_x",{members}}}"#),
    ];
    let settings = Settings { severities: everything(), ..Settings::default() };
    for text in texts {
        let (found, outcome) = judge(format!("{OPENING}{text}\n").as_bytes(), &settings);
        assert_eq!(outcome.messages, 5);
        assert!(found.iter().all(|found| found.rule.id != "transport/duplicate-key"), "{found:?}");
        // The last name once more is found among them.
        let again = text.replacen(&members, &format!(r#"{members},"{}":2"#, name(MANY - 1)), 1);
        let (found, _) = judge(format!("{OPENING}{again}\n").as_bytes(), &settings);
        let twice = found.iter().filter(|found| found.rule.id == "transport/duplicate-key");
        assert_eq!(twice.count(), 1);
    }
    let lines = |line: &dyn Fn(String) -> String| -> String {
        (0..MANY / 10).map(|number| line(name(number)) + "\n").collect()
    };
    let conversations = [
        lines(&|id| format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"session/list"}}"#)),
        lines(&|id| update("tool_call", &format!(r#""toolCallId":"{id}","title":"t""#))),
        lines(&|id| update("plan", r#""entries":[]"#).replace(r#""s""#, &format!(r#""{id}""#))),
        lines(&|text| {
            update(
                "plan",
                &format!(
                    r#""entries":[{{"content":"{text}","priority":"low","status":"pending"}}]"#
                ),
            )
        }),
    ];
    for text in conversations {
        let (_, outcome) = judge(format!("{OPENING}{text}").as_bytes(), &settings);
        assert_eq!(outcome.messages, (4 + MANY / 10) as u64);
    }
}

#[test]
fn strings_that_are_no_text() {
    let chunk = |text: &str| {
        update("agent_message_chunk", &format!(r#""content":{{"type":"text","text":"{text}"}}"#))
    };
    assert_eq!(rules_about(&chunk(r"\ud83d\ude00 \u0000")), [""; 0]);
    for broken in [r"\ud83d", r"\ude00", r"\ud83dx", r"\ud83d\u0041", r"\ude00\ud83d", r"\ud83d\n"]
    {
        assert_eq!(rules_about(&chunk(broken)), ["transport/not-json"], "{broken}");
    }
    assert_eq!(rules_about(&chunk("\0")), ["transport/not-json"]);
    assert_eq!(rules_about("\0"), ["transport/not-json"]);
    assert_eq!(rules_about(&(chunk("a") + "\0")), ["transport/not-json"]);
    assert_eq!(rules_about("\u{85}"), ["transport/not-json"]);
}

#[test]
fn members_given_twice() {
    for twice in [
        r#"{"jsonrpc":"2.0","jsonrpc":"2.0","method":"_x"}"#,
        r#"{"jsonrpc":"2.0","method":"session/prompt","method":"_x"}"#,
        r#"{"jsonrpc":"2.0","method":"_x","\u006dethod":"_x"}"#,
        r#"{"jsonrpc":"2.0","method":"_x","params":{"":1,"":2}}"#,
    ] {
        assert_eq!(rules_about(twice), ["transport/duplicate-key"], "{twice}");
    }
    let many = format!(
        r#"{{"jsonrpc":"2.0","method":"_x","params":{{{}"a":0}}}}"#,
        r#""a":0,"#.repeat(70_000)
    );
    assert_eq!(rules_about(&many), ["transport/duplicate-key"]);
}

#[test]
fn a_file_cut_anywhere() {
    let text = format!(
        "{OPENING}{}\n",
        update("agent_message_chunk", r#""content":{"type":"text","text":"ü 東 😀 \u00fc"}"#)
    );
    for end in 0..text.len() {
        let found = rules(&text.as_bytes()[..end]);
        let cut = |rule: &&str| {
            matches!(*rule, "transport/truncated-tail" | "jsonrpc/unanswered-request")
        };
        assert!(found.iter().all(cut), "cut at {end}: {found:?}");
        assert_ne!(
            found,
            ["transport/truncated-tail", "jsonrpc/unanswered-request"],
            "cut at {end}"
        );
    }
}

#[test]
fn utf_16_in_the_middle() {
    let wide: Vec<u8> = "{}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bytes = [OPENING.as_bytes(), &wide].concat();
    assert_eq!(rules(&bytes), ["transport/not-json"]);
}

#[test]
fn a_header_between_the_lines_of_a_message() {
    let header = "Content-Type: application/vscode-jsonrpc\n";
    for opening in ["", OPENING] {
        for (message, expected) in [
            ("{\n\"jsonrpc\":\"2.0\",\nHEADER\"method\":\n\n:}\n", "transport/not-json"),
            ("{\n\"jsonrpc\":\"2.0\",\nHEADER\"method\":\n", "transport/not-json"),
            ("{\n\"jsonrpc\":\"2.0\",\nHEADERHEADER\"method\":\"\n]\n", "transport/not-json"),
            (
                "{\n\"jsonrpc\":\"2.0\",\nHEADER\"method\":\"session/cancel\",\n\"a\":1}\n",
                "jsonrpc/unexpected-envelope-member",
            ),
        ] {
            let text = format!("{opening}{}", message.replace("HEADER", header));
            let found = rules(text.as_bytes());
            assert!(found.contains(&expected), "{text}: {found:?}");
        }
    }
}

#[test]
fn conversations_as_they_are() {
    for bytes in effort::one_in(40, conversations()) {
        for tail in [Tail::Open, Tail::Closed] {
            judge(&bytes, &Settings { tail, severities: everything(), ..Settings::default() });
        }
        let text = String::from_utf8_lossy(&bytes);
        judge(text.replace('\n', "\r\n\r\n").as_bytes(), &Settings::default());
        // Each line as a string in an envelope.
        let escaped: String = text
            .lines()
            .map(|line| {
                format!("{{\"dir\":\"?\",\"raw\":{}}}\n", serde_json::to_string(line).unwrap())
            })
            .collect();
        judge(escaped.as_bytes(), &Settings::default());
        // One array, printed on many lines.
        let values: Result<Vec<serde_json::Value>, _> =
            text.lines().map(serde_json::from_str).collect();
        if let Ok(values) = values {
            judge(serde_json::to_string_pretty(&values).unwrap().as_bytes(), &Settings::default());
        }
    }
}

//! Transcripts of any size, the same at every time.

use std::fmt::Write as _;

use acpcheck::{
    protocol::Surface,
    rule::{Opening, opening::opening},
};

/// A conversation of one turn: mostly message chunks, some plans and tool calls, as agents send.
/// `text`: how long the texts are.
pub(crate) fn transcript(surface: Surface, text: usize, messages: usize) -> String {
    let is_v2 = surface.version() == acpcheck::protocol::Version::V2;
    let mut lines = opening(surface, Opening::Turn);
    let words = "The kettle is filled up to the mark and no further. ".repeat(text / 52 + 1);
    let words = &words[..text];
    for number in 0..messages {
        let update = match number % 20 {
            0 => {
                let entries: Vec<_> = (0..6)
                    .map(|step| {
                        let status = match (number / 20 % 7).cmp(&step) {
                            std::cmp::Ordering::Greater => "completed",
                            std::cmp::Ordering::Equal => "in_progress",
                            std::cmp::Ordering::Less => "pending",
                        };
                        format!(r#"{{"content":"Step {step} of the work","priority":"medium","status":"{status}"}}"#)
                    })
                    .collect();
                let entries = entries.join(",");
                if is_v2 {
                    format!(
                        r#"{{"sessionUpdate":"plan_update","plan":{{"type":"items","planId":"p","entries":[{entries}]}}}}"#
                    )
                } else {
                    format!(r#"{{"sessionUpdate":"plan","entries":[{entries}]}}"#)
                }
            }
            5 => {
                let kind = if is_v2 { "tool_call_update" } else { "tool_call" };
                format!(
                    r#"{{"sessionUpdate":"{kind}","toolCallId":"t{number}","title":"Read","kind":"read","status":"in_progress"}}"#
                )
            }
            6 => {
                let call = number - 1;
                format!(
                    r#"{{"sessionUpdate":"tool_call_update","toolCallId":"t{call}","status":"completed","content":[{{"type":"content","content":{{"type":"text","text":"{words}"}}}}]}}"#
                )
            }
            _ => {
                let id = if is_v2 { r#""messageId":"m","# } else { "" };
                format!(
                    r#"{{"sessionUpdate":"agent_message_chunk",{id}"content":{{"type":"text","text":"{words}"}}}}"#
                )
            }
        };
        writeln!(lines, r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{update}}}}}"#).unwrap();
    }
    lines
}

/// The same transcript with a member missing in one message of `many`, as far as they have it.
pub(crate) fn damaged(transcript: &str, many: usize) -> String {
    let mut damaged = String::with_capacity(transcript.len());
    for (number, line) in transcript.lines().enumerate() {
        if number % many == many - 1 {
            damaged.push_str(&line.replace(r#""type":"text","#, ""));
        } else {
            damaged.push_str(line);
        }
        damaged.push('\n');
    }
    damaged
}

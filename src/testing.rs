//! Checks messages in the tests of an agent or a client, without files.
//!
//! A [`Conversation`] goes in; diagnostics come out, or a panic that shows them.
//!
//! ```
//! use acpcheck::{assert_conforms, protocol::Side};
//! use serde_json::json;
//!
//! let messages = [
//!     (
//!         Side::Client,
//!         json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}),
//!     ),
//!     (Side::Agent, json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}})),
//! ];
//! assert_conforms!(messages);
//! let told = acpcheck::check(&messages);
//! assert_eq!(told[0].rule.id, "lifecycle/missing-info");
//! ```

use std::{
    borrow::Cow,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use serde_json::{Value, json};

use crate::{
    check::{self, Settings},
    diagnostic::Diagnostic,
    protocol::Side,
    record::{End, Recording},
    report::{self, TextStyle},
    rule::Severity,
    source::Locator,
};

/// What tests can check with `assert_conforms!`: messages with their senders, or the text of a
/// recording in any format that acpcheck reads.
pub trait Conversation {
    /// The conversation as the bytes of a recording, which the check reads.
    fn recording(&self) -> Cow<'_, [u8]>;
}

impl Conversation for [(Side, Value)] {
    fn recording(&self) -> Cow<'_, [u8]> {
        let lines = self.iter().map(|(side, message)| {
            format!("{}\n", json!({ "dir": side.direction(), "msg": message }))
        });
        lines.collect::<String>().into_bytes().into()
    }
}

impl<const N: usize> Conversation for [(Side, Value); N] {
    fn recording(&self) -> Cow<'_, [u8]> {
        self[..].recording()
    }
}

impl Conversation for Vec<(Side, Value)> {
    fn recording(&self) -> Cow<'_, [u8]> {
        self[..].recording()
    }
}

impl Conversation for [u8] {
    fn recording(&self) -> Cow<'_, [u8]> {
        self.into()
    }
}

impl Conversation for Vec<u8> {
    fn recording(&self) -> Cow<'_, [u8]> {
        self[..].recording()
    }
}

impl Conversation for str {
    fn recording(&self) -> Cow<'_, [u8]> {
        self.as_bytes().into()
    }
}

impl Conversation for String {
    fn recording(&self) -> Cow<'_, [u8]> {
        self[..].recording()
    }
}

impl<C: Conversation + ?Sized> Conversation for &C {
    fn recording(&self) -> Cow<'_, [u8]> {
        (**self).recording()
    }
}

/// Records a connection whose bytes a test sees, such as those of a pipe between an agent and a client.
/// It is shared by reference between the two directions.
///
/// ```
/// use acpcheck::{assert_conforms, protocol::Side, testing::Recorder};
///
/// let recorder = Recorder::default();
/// recorder.take(Side::Client, br#"{"jsonrpc":"2.0","id":0,"method":"initialize","#);
/// recorder.take(Side::Client, b"\"params\":{\"protocolVersion\":1}}\n");
/// recorder.take(Side::Agent, b"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1}}\n");
/// assert_conforms!(recorder);
/// ```
#[derive(Debug)]
pub struct Recorder(Mutex<Recorded>);

#[derive(Debug)]
struct Recorded {
    began: Instant,
    recording: Recording,
    lines: Vec<u8>,
}

impl Default for Recorder {
    fn default() -> Self {
        let (began, recording) = (Instant::now(), Recording::default());
        Self(Mutex::new(Recorded { began, recording, lines: Vec::new() }))
    }
}

impl Recorder {
    /// Records bytes that a side has sent. They may begin and end anywhere in a line.
    pub fn take(&self, sender: Side, bytes: &[u8]) {
        let Recorded { began, recording, lines } = &mut *self.recorded();
        // Memory takes all that is written.
        let _ = recording.take(sender, bytes, began.elapsed(), lines);
    }

    /// Records that this side has closed its stream.
    pub fn end(&self, sender: Side) {
        let Recorded { began, recording, lines } = &mut *self.recorded();
        let _ = recording.end(sender, End::Eof, began.elapsed(), lines);
    }

    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Conversation for Recorder {
    fn recording(&self) -> Cow<'_, [u8]> {
        self.recorded().lines.clone().into()
    }
}

/// Checks a conversation by all rules with their usual severities, and returns its diagnostics in the
/// order of the messages.
pub fn check(conversation: &(impl Conversation + ?Sized)) -> Vec<Diagnostic> {
    check::check(&conversation.recording(), &Settings::default()).0
}

/// The errors of a conversation as `acpcheck check` shows them, and how much of it could not be judged.
/// Returns `None` where there is neither: see [`assert_conforms!`](crate::assert_conforms).
pub fn failure(conversation: &(impl Conversation + ?Sized)) -> Option<String> {
    let recording = conversation.recording();
    let (diagnostics, outcome) = check::check(&recording, &Settings::default());
    let mut bytes = &*recording;
    let mut locator = Locator::new(&mut bytes);
    let errors = diagnostics.iter().filter(|it| it.severity == Severity::Error);
    let mut text: String = errors
        .map(|it| {
            let drawn = report::draw(it, "conversation", TextStyle::PLAIN, &mut locator);
            drawn.unwrap_or_else(|_| it.finding.message.to_string()) + "\n"
        })
        .collect();
    if outcome.messages == 0 {
        text += "No message was read.\n";
    } else if !outcome.unjudged.is_none() {
        text +=
            &format!("{} could not be judged: {}.\n", outcome.unjudged, outcome.notes.join("; "));
    }
    (!text.is_empty()).then_some(text)
}

/// Panics with the findings where a [`Conversation`] has errors, or where
/// not all of it could be judged.
#[macro_export]
macro_rules! assert_conforms {
    ($conversation:expr $(,)?) => {
        if let Some(failure) = $crate::testing::failure(&$conversation) {
            panic!("the conversation does not conform to the Agent Client Protocol\n\n{failure}");
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(version: &Value) -> Vec<(Side, Value)> {
        let info = json!({ "name": "kettle", "version": "1" });
        let asked = json!({ "protocolVersion": 1, "clientInfo": info });
        let said = json!({ "protocolVersion": version, "agentInfo": info });
        vec![
            (
                Side::Client,
                json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": asked }),
            ),
            (Side::Agent, json!({ "jsonrpc": "2.0", "id": 0, "result": said })),
        ]
    }

    #[test]
    fn what_conforms_passes() {
        crate::assert_conforms!(answered(&json!(1)));
        assert!(check(&answered(&json!(1))).is_empty());
    }

    #[test]
    #[should_panic(expected = "error[")]
    fn what_does_not_conform_panics_with_the_findings() {
        crate::assert_conforms!(answered(&json!("1")));
    }

    #[test]
    fn nothing_read_and_nothing_judged_are_failures() {
        assert_eq!(failure("").as_deref(), Some("No message was read.\n"));
        // A mask stands for any value.
        let text = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"[REDACTED]"}}"#;
        assert!(failure(text).unwrap().contains("could not be judged"));
    }
}

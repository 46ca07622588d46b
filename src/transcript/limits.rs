//! What writers do to the messages, and which rules cannot be assessed for it.

use crate::protocol::Side;

/// Something that a writer drops, rewrites or cuts off, so that rules that depend on it stay
/// silent.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// A sentence without a full stop.
    pub what: &'static str,
    pub silences: Silenced,
}

/// Rules that cannot be assessed.
#[derive(Clone, Copy, Debug)]
pub enum Silenced {
    /// All can.
    None,
    /// Rules by their ids.
    Rules(&'static [&'static str]),
    /// Those that need the answers of this side.
    AnswersOf(Side),
    /// Those that need more than session updates.
    AllButUpdates,
    /// Those that need more than the messages of this side.
    AllBut(Side),
}

impl Limit {
    /// A limit that no rule depends on.
    pub(super) const fn mere(what: &'static str) -> Self {
        Self { what, silences: Silenced::None }
    }

    pub(super) const fn of(what: &'static str, rules: &'static [&'static str]) -> Self {
        Self { what, silences: Silenced::Rules(rules) }
    }

    /// There are messages of one side only.
    pub const fn only(side: Side) -> Self {
        Self { what: ONLY[side as usize], silences: Silenced::AllBut(side) }
    }
}

const ONLY: [&str; 2] =
    ["only the client's messages are on record", "only the agent's messages are on record"];

/// The same of a recording that has messages of the other side further on.
pub const ONLY_AT_FIRST: [&str; 2] = [
    "at first only the client's messages are on record, so that messages are judged one by one",
    "at first only the agent's messages are on record, so that messages are judged one by one",
];

/// Lines are not kept, only what they were parsed to.
pub const PARSED: Limit = Limit::of(
    "the recorder keeps messages, not the lines that they were",
    &[
        "transport/not-json",
        "transport/not-object",
        "transport/lsp-framing",
        "transport/embedded-newline",
        "transport/invalid-utf8",
        "transport/bom",
        "transport/truncated-tail",
    ],
);

/// The messages are there as they were, but what else there was on the wire is not.
pub const UNWRAPPED: Limit = Limit::of(
    "the recorder keeps messages, not what else there may have been on the wire",
    &[
        "transport/not-json",
        "transport/not-object",
        "transport/lsp-framing",
        "transport/embedded-newline",
        "transport/invalid-utf8",
        "transport/bom",
        "transport/truncated-tail",
    ],
);

/// Some values are not kept.
pub const MASKED: Limit = Limit::of(
    "the recorder puts words such as `<REDACTED>` in place of some values, which are not judged",
    &["auth/methods-malformed-dropped"],
);

/// Connection after connection is written to one file.
pub(super) const APPENDED: Limit = Limit::of(
    "one connection follows another in the file; each `initialize` is taken to begin one",
    &["lifecycle/reinitialize", "lifecycle/agent-before-initialize"],
);

/// The recording may have begun after the connection.
pub(super) const LATE: Limit =
    Limit::mere("what was sent before the recorder was looking, or long ago, is not kept");

/// Nothing but what agents tell of sessions is kept.
pub(super) const UPDATES_ONLY: Limit = Limit {
    what: "the recorder keeps the params of session updates only",
    silences: Silenced::AllButUpdates,
};

/// The member `jsonrpc` is not kept, nor any that JSON-RPC does not define.
pub(super) const NO_ENVELOPE: Limit = Limit::of(
    "the recorder leaves `jsonrpc` out, and members that JSON-RPC does not define",
    &[
        "jsonrpc/version",
        "jsonrpc/unexpected-envelope-member",
        "jsonrpc/ambiguous-shape",
        "jsonrpc/result-xor-error",
        "jsonrpc/batch",
        "jsonrpc/batch-empty",
        "jsonrpc/batch-empty-response",
        "jsonrpc/batch-response-split",
        "jsonrpc/batch-mixed-kinds",
        "jsonrpc/batch-lifecycle-method",
        "jsonrpc/batch-invalid-entry",
    ],
);

const IDS: &[&str] = &[
    "jsonrpc/id-type",
    "jsonrpc/null-id",
    "jsonrpc/duplicate-id",
    "jsonrpc/unmatched-response",
    "jsonrpc/response-id-type",
    "jsonrpc/duplicate-response",
    "jsonrpc/response-to-notification",
    "jsonrpc/id-reuse",
    "cancel/request-unknown-id",
    "cancel/foreign-request",
    "cancel/request-unanswered",
    "elicitation/unknown-request-scope",
];

/// The ids are not those that were sent.
pub(super) const OTHER_IDS: Limit = Limit::of("ids are the recorder's own", IDS);

/// There are no ids.
pub(super) const NO_IDS: Limit = Limit::of("the recorder keeps no ids", IDS);

/// Rules that look into errors.
pub(super) const ERRORS: &[&str] = &[
    "jsonrpc/error-object",
    "jsonrpc/error-code-reserved",
    "jsonrpc/error-code-unassigned",
    "jsonrpc/error-data-shape",
    "jsonrpc/error-message-format",
    "jsonrpc/null-id-error-code",
    "ext/unknown-method-error",
    "auth/still-required",
    "auth/retry-without-login",
    "auth/required-without-methods",
    "auth/status-rejected",
    "auth/state-contradiction",
    "cancel/wrong-error-code",
    "capability/advertised-method-unimplemented",
    "config/error-code",
    "elicitation/unsupported-mode-code",
    "lifecycle/initialize-failed",
    "lifecycle/request-after-failed-initialize",
    "lifecycle/unsupported-version-data",
    "lifecycle/version-refused",
    "permission/selected-after-cancel",
    "prompt/advertised-content-rejected",
    "prompt/error-on-cancel",
    "session/close-error",
    "session/close-pending-prompt-code",
    "session/delete-error",
    "session/status-unknown-code",
    "tool-call/cancel-error-code",
];

/// The order of messages is known only as far as answers follow their requests.
pub(super) const ORDER: &[&str] = &[
    "cancel/update-after-response",
    "session/update-before-response",
    "session/update-outside-turn",
    "session/replay-after-response",
    "session/replay-missing",
    "permission/proceeded-before-answer",
    "state/update-after-cancelled-idle",
    "prompt/response-after-completion",
];

/// Rules that listen to more than answers, and would take a missing answer for a missing event.
pub fn depend_on_answers_of(side: Side) -> &'static [&'static str] {
    match side {
        Side::Client => &[
            "permission/proceeded-without-approval",
            "permission/unanswered-after-cancel",
            "permission/pending-at-idle",
            "permission/not-withdrawn",
            "elicitation/not-withdrawn",
            "cancel/unsolicited",
            "terminal/unknown-id",
            "terminal/use-after-release",
            "terminal/never-released",
            "tool-call/terminal-not-live",
            "state/requires-action-unresolved",
            "state/cancelled-without-cancel",
            "elicitation/complete-unknown-id",
            "elicitation/id-reused",
            "mcp/notification-inactive-request",
            "mcp/request-id-reused",
        ],
        Side::Agent => &[
            "session/overlapping-prompts",
            "session/not-active",
            "session/use-after-close",
            "session/message-after-close",
            "session/unknown-id",
            "session/cursor-not-issued",
            "lifecycle/initialize-first",
            "lifecycle/reinitialize",
            "lifecycle/request-after-failed-initialize",
            "lifecycle/version-mismatch-continue",
            "jsonrpc/response-to-notification",
        ],
    }
}

/// Rules that would take what is told once more, when a session is loaded, for something new.
pub const DEPEND_ON_LOADS: &[&str] = &["terminal/id-reused"];

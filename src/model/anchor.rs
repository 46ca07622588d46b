//! Anchors: where something of an earlier message stands, packed small enough to be kept.

use crate::{json::Node, source::Span};

/// The place of a value in an earlier message, for labels of findings: a span in the file and a
/// JSON Pointer into the message. Packed, since a recording may hold millions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Byte offset in the file: its lower 32 bits, with the 16 bits above them in `above`, for
    /// files of up to 256 TB.
    start: u32,
    above: u16,
    pointer: Pointer,
    len: u32,
    line: u32,
    column: u32,
}

impl Anchor {
    /// The place of a node that stands at `pointer` in the current message, as the caller knows.
    pub fn of(node: Node<'_>, pointer: Pointer) -> Self {
        Self::at(node.span(), pointer)
    }

    #[expect(clippy::cast_possible_truncation, reason = "cut in two")]
    pub fn at(span: Span, pointer: Pointer) -> Self {
        let Span { start, len, line, column } = span;
        let (low, above) = (start as u32, (start >> 32) as u16);
        Self { start: low, above, pointer, len, line, column }
    }

    pub fn span(&self) -> Span {
        let Self { start, above, len, line, column, .. } = *self;
        Span { start: u64::from(above) << 32 | u64::from(start), len, line, column }
    }

    /// JSON Pointer from the message to the value.
    pub fn pointer(&self) -> &'static str {
        self.pointer.text()
    }
}

/// Defines the JSON Pointers that an [`Anchor`] can have, as an enum of one byte.
macro_rules! pointers {
    ($($name:ident $text:literal,)*) => {
        /// The JSON Pointers that anchors may have, each one byte here and a text where a label is
        /// written. They lead from the message to a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Pointer {
            $(#[doc = concat!("`", $text, "`.")] $name,)*
        }

        impl Pointer {
            /// The JSON Pointer as text, such as `/params/sessionId`; empty for the whole message.
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

pointers! {
    Whole "",
    Id "/id",
    Method "/method",
    ParamsArchived "/params/archived",
    ParamsCapabilities "/params/capabilities",
    ParamsClientCapabilities "/params/clientCapabilities",
    ParamsConfigId "/params/configId",
    ParamsCursor "/params/cursor",
    ParamsCursorId "/params/cursorId",
    ParamsCwd "/params/cwd",
    ParamsElicitationId "/params/elicitationId",
    ParamsLimit "/params/limit",
    ParamsMcpServers "/params/mcpServers",
    ParamsOptions "/params/options",
    ParamsOutputByteLimit "/params/outputByteLimit",
    ParamsPath "/params/path",
    ParamsPrompt "/params/prompt",
    ParamsIdempotencyKey "/params/idempotencyKey",
    ParamsProtocolVersion "/params/protocolVersion",
    ParamsReplayFromType "/params/replayFrom/type",
    ParamsRequestId "/params/requestId",
    ParamsRequestedSchema "/params/requestedSchema",
    ParamsRequestedSchemaProperties "/params/requestedSchema/properties",
    ParamsSessionId "/params/sessionId",
    ParamsState "/params/state",
    ParamsSubjectTerminalId "/params/subject/terminalId",
    ParamsSubjectToolCallCapabilities "/params/subject/toolCall/capabilities",
    ParamsSubjectToolCallToolCallId "/params/subject/toolCall/toolCallId",
    ParamsSubjectToolCallId "/params/subject/toolCallId",
    ParamsSystemPrompt "/params/systemPrompt",
    ParamsSystemPromptContent "/params/systemPrompt/content",
    ParamsSystemPromptMode "/params/systemPrompt/mode",
    ParamsTitle "/params/title",
    ParamsToolCallToolCallId "/params/toolCall/toolCallId",
    ParamsToolCallId "/params/toolCallId",
    ParamsUpdate "/params/update",
    ParamsUpdateAvailableCommands "/params/update/availableCommands",
    ParamsUpdateCapabilities "/params/update/capabilities",
    ParamsUpdateCommand "/params/update/command",
    ParamsUpdateConfigOptions "/params/update/configOptions",
    ParamsUpdateContent "/params/update/content",
    ParamsUpdateCostAmount "/params/update/cost/amount",
    ParamsUpdateCwd "/params/update/cwd",
    ParamsUpdateEntries "/params/update/entries",
    ParamsUpdateExitStatus "/params/update/exitStatus",
    ParamsUpdateId "/params/update/id",
    ParamsUpdateMessageId "/params/update/messageId",
    ParamsUpdateName "/params/update/name",
    ParamsUpdatePlan "/params/update/plan",
    ParamsUpdatePlanEntries "/params/update/plan/entries",
    ParamsUpdatePlanLegacyId "/params/update/plan/id",
    ParamsUpdatePlanPlanId "/params/update/plan/planId",
    ParamsUpdatePlanId "/params/update/planId",
    ParamsUpdateSessionId "/params/update/sessionId",
    ParamsUpdateStateState "/params/update/state/state",
    ParamsUpdateStatus "/params/update/status",
    ParamsUpdateToolCallId "/params/update/toolCallId",
    ParamsUpdateUsage "/params/update/usage",
    ParamsModeId "/params/modeId",
    ParamsValue "/params/value",
    Result "/result",
    ResultAgentCapabilities "/result/agentCapabilities",
    ResultAuthMethods "/result/authMethods",
    ResultAvailableCommands "/result/availableCommands",
    ResultCapabilities "/result/capabilities",
    ResultConfigOptions "/result/configOptions",
    ResultExitCode "/result/exitCode",
    ResultExitStatusExitCode "/result/exitStatus/exitCode",
    ResultMessageId "/result/messageId",
    ResultModesAvailableModes "/result/modes/availableModes",
    ResultNextCursor "/result/nextCursor",
    ResultProtocolVersion "/result/protocolVersion",
    ResultProviders "/result/providers",
    ResultSessionId "/result/sessionId",
    ResultSessions "/result/sessions",
    ResultState "/result/state",
    ResultTerminalId "/result/terminalId",
    ResultTitle "/result/title",
}

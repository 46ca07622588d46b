//! The events of Vibe Kanban.

use crate::transcript::{Beginning, Fidelity, Format, Likelihood, Read};

pub(super) static FORMAT: Format = Format {
    name: "vibe-kanban",
    about: "the events of Vibe Kanban, which keeps objects of its own; cannot be read",
    obtain: "put `tee` between Vibe Kanban and the agent instead, see `ndjson`",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Refused(
        "the events of Vibe Kanban are objects of its own and no messages; `tee client.ndjson | \
         my-agent | tee agent.ndjson` in place of the agent records messages",
    ),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let kinds = [
        "User",
        "SessionStart",
        "Message",
        "Thought",
        "ToolCall",
        "ToolUpdate",
        "Plan",
        "Done",
        "AvailableCommands",
        "CurrentMode",
        "RequestPermission",
        "ApprovalResponse",
        "Error",
        "Other",
    ];
    beginning.mostly(|line| line.len() == 1 && kinds.iter().any(|kind| line.get(kind).is_some()))
}

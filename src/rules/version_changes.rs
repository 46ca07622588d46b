//! The table of members that have different names in the two versions of the protocol, or that only
//! one version has. Rules use it to tell the sender what to write instead.

use crate::{
    json::Node,
    protocol::{Edition, Surface, Version, schema::Protocol},
};

/// A member that version 2 has renamed, moved or replaced, with what replaces it.
#[derive(Debug)]
pub(super) struct MemberChange {
    /// Definitions that have the member; several where the branches of a union share it.
    types: &'static [&'static str],
    /// Name of the member in version 1; empty where version 1 has no such member.
    v1: &'static str,
    /// Name of the member in version 2; empty where version 2 has no such member.
    v2: &'static str,
    /// Members that version 2 requires, and that are missing too where a sender uses the name of
    /// version 1.
    v2_requires: &'static [&'static str],
    /// Members that version 1 requires, and that are missing too where a sender uses the name of
    /// version 2.
    v1_requires: &'static [&'static str],
    /// Help text on version 2; empty when the member's name is enough.
    on_v2: &'static str,
    /// Help text on version 1; empty when the member's name is enough.
    on_v1: &'static str,
}

/// Entry of `CHANGES` with nothing set, from which the entries are made.
const NONE: MemberChange = MemberChange {
    types: &[],
    v1: "",
    v2: "",
    v2_requires: &[],
    v1_requires: &[],
    on_v2: "",
    on_v1: "",
};

const CONFIG_OPTION: &[&str] =
    &["SessionConfigOption", "SessionConfigSelect", "SessionConfigBoolean"];
const AUTH_METHOD: &[&str] = &["AuthMethod", "AuthMethodAgent", "AuthMethodTerminal"];
const SETUP: &[&str] = &["NewSessionResponse", "ResumeSessionResponse", "ForkSessionResponse"];
const CHANGES_OF_FILES: &str =
    "version 1 describes a change of one file in `path`, `oldText` and `newText`";
const DIFF_V2: &str = "version 2 lists `changes` and has the text in `patch`";

/// All members that version 2 has renamed, moved or replaced.
static CHANGES: &[MemberChange] = &[
    MemberChange {
        types: &["InitializeRequest"],
        v1: "clientCapabilities",
        v2: "capabilities",
        v2_requires: &["info"],
        ..NONE
    },
    MemberChange {
        types: &["InitializeRequest"],
        v1: "clientInfo",
        v2: "info",
        v2_requires: &["info"],
        ..NONE
    },
    MemberChange {
        types: &["InitializeResponse"],
        v1: "agentCapabilities",
        v2: "capabilities",
        v2_requires: &["info"],
        on_v2: "version 2 calls it `capabilities`; an agent that speaks version 1 answers 1",
        ..NONE
    },
    MemberChange {
        types: &["InitializeResponse"],
        v1: "agentInfo",
        v2: "info",
        v2_requires: &["info"],
        on_v2: "version 2 calls it `info`; an agent that speaks version 1 answers 1",
        ..NONE
    },
    MemberChange {
        types: AUTH_METHOD,
        v1: "id",
        v2: "methodId",
        v2_requires: &["methodId"],
        v1_requires: &["id"],
        on_v2: "version 2 has `type` and `methodId`, such as `\"type\": \"agent\"`",
        ..NONE
    },
    MemberChange {
        types: CONFIG_OPTION,
        v1: "id",
        v2: "configId",
        v2_requires: &["configId"],
        v1_requires: &["id"],
        ..NONE
    },
    MemberChange {
        // A group without an id is read as an option.
        types: &["SessionConfigSelectGroup", "SessionConfigSelectOption"],
        v1: "group",
        v2: "groupId",
        v2_requires: &["groupId", "value"],
        v1_requires: &["group", "value"],
        ..NONE
    },
    MemberChange {
        types: &["PromptResponse"],
        v1: "stopReason",
        v2: "messageId",
        v2_requires: &["messageId"],
        v1_requires: &["stopReason"],
        on_v2: "version 2 answers with `messageId` at once; `state_update` idle ends the turn",
        on_v1: "version 1 answers when the turn ends, with its `stopReason`",
    },
    MemberChange {
        types: &["PromptResponse"],
        v1: "usage",
        on_v2: "version 2 reports it with `state_update` idle",
        ..NONE
    },
    MemberChange {
        types: &["RequestPermissionRequest"],
        v1: "toolCall",
        v2: "subject",
        v2_requires: &["title"],
        v1_requires: &["toolCall"],
        on_v2: "version 2 has a `title` and `\"subject\": {\"type\": \"tool_call\", \"toolCall\": …}`",
        on_v1: "version 1 asks for a `toolCall`, which has the title",
    },
    MemberChange {
        types: &["RequestPermissionRequest"],
        v2: "title",
        v1_requires: &["toolCall"],
        on_v1: "version 1 asks for a `toolCall`, which has the title",
        ..NONE
    },
    MemberChange {
        types: &["Diff"],
        v1: "path",
        v2: "changes",
        v2_requires: &["changes"],
        v1_requires: &["path", "newText"],
        on_v2: DIFF_V2,
        on_v1: CHANGES_OF_FILES,
    },
    MemberChange {
        types: &["Diff"],
        v1: "oldText",
        v2: "patch",
        v2_requires: &["changes"],
        v1_requires: &["path", "newText"],
        on_v2: DIFF_V2,
        on_v1: CHANGES_OF_FILES,
    },
    MemberChange {
        types: &["Diff"],
        v1: "newText",
        v2_requires: &["changes"],
        on_v2: DIFF_V2,
        ..NONE
    },
    MemberChange {
        types: SETUP,
        v1: "modes",
        v2: "configOptions",
        on_v2: "version 2 has modes as a config option of the category `mode`",
        on_v1: "",
        ..NONE
    },
    MemberChange {
        types: SETUP,
        v2: "availableCommands",
        on_v1: "version 1 sends commands with `available_commands_update`",
        ..NONE
    },
    MemberChange {
        types: &["ResumeSessionRequest"],
        v2: "replayFrom",
        on_v1: "version 1 replays with `session/load`",
        ..NONE
    },
    MemberChange {
        types: &["AgentCapabilities"],
        v1: "loadSession",
        on_v2: "version 2 replays with `session/resume`, which every agent has",
        ..NONE
    },
    MemberChange {
        types: &["AgentCapabilities"],
        v1: "promptCapabilities",
        on_v2: "version 2 has `\"session\": {\"prompt\": {\"image\": {}}}` and the like",
        ..NONE
    },
    MemberChange {
        types: &["AgentCapabilities"],
        v1: "mcpCapabilities",
        on_v2: "version 2 has `\"session\": {\"mcp\": {\"stdio\": {}, \"http\": {}}}`",
        ..NONE
    },
    MemberChange {
        types: &["AgentCapabilities"],
        v1: "sessionCapabilities",
        on_v2: "version 2 has `session`, an object of objects",
        ..NONE
    },
    MemberChange {
        types: &["ClientCapabilities"],
        v1: "fs",
        on_v2: "version 2 has no methods for files: agents read and write them themselves",
        ..NONE
    },
    MemberChange {
        types: &["ClientCapabilities"],
        v1: "terminal",
        on_v2: "version 2 has no methods for terminals: agents run commands themselves",
        ..NONE
    },
    // The members of the update itself: on version 2 the entries are members of `plan`.
    MemberChange {
        types: &["PlanUpdate"],
        v1: "entries",
        v2: "plan",
        v2_requires: &["plan"],
        on_v2: "version 2 has `\"plan\": {\"type\": \"items\", \"planId\": …, \"entries\": …}`",
        ..NONE
    },
];

impl MemberChange {
    /// Members that a connection of this version requires and that a sender of the other version's
    /// member lacks.
    pub(super) fn requires(&self, version: Version) -> &'static [&'static str] {
        match version {
            Version::V1 => self.v1_requires,
            Version::V2 => self.v2_requires,
        }
    }

    /// Name of the member in this version; `None` when this version has no such member.
    pub(super) fn name(&self, version: Version) -> Option<&'static str> {
        let name = match version {
            Version::V1 => self.v1,
            Version::V2 => self.v2,
        };
        (!name.is_empty()).then_some(name)
    }

    /// Help text for a connection of this version: what to write in place of the other version's
    /// member.
    pub(super) fn advice(&self, version: Version) -> String {
        let advice = match version {
            Version::V1 => self.on_v1,
            Version::V2 => self.on_v2,
        };
        match self.name(version) {
            _ if !advice.is_empty() => advice.to_owned(),
            Some(name) => format!("version {version} calls it `{name}`"),
            None => format!("version {version} has no such member"),
        }
    }
}

/// The change that explains a member on a connection of `version`, because the other version has a
/// member of this name; `None` where there is none.
pub(super) fn change(
    version: Version,
    type_name: &str,
    member: &str,
) -> Option<&'static MemberChange> {
    CHANGES.iter().find(|change| {
        change.types.contains(&type_name) && change.name(version.other()) == Some(member)
    })
}

/// Whether an object lacks a member that `version` requires, and has that of the other version in
/// its place.
pub(super) fn is_written_in_other_version(
    version: Version,
    type_name: &str,
    object: Node<'_>,
) -> bool {
    // Larger objects are of neither version.
    const MOST: usize = 100;
    object.members().nth(MOST).is_none()
        && object.members().filter_map(|(name, _)| name.text()).any(|name| {
            change(version, type_name, &name.as_cow()).is_some_and(|change| {
                change.requires(version).iter().any(|required| object.get(required).is_none())
            })
        })
}

/// Whether the other version defines the member for the type.
pub(super) fn is_of_other_version(
    version: Version,
    type_name: &str,
    member: &str,
    edition: Edition,
) -> bool {
    change(version, type_name, member).is_some()
        || Protocol::of(Surface::unstable(version.other()), edition)
            .definition(type_name)
            .is_some_and(|definition| definition.members().any(|name| name == member))
}

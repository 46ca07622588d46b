//! Members that the versions of the protocol call differently, or only one of them has.

use crate::{
    json::Node,
    protocol::{Edition, Surface, Version, schema::Protocol},
};

/// What a member of version 1 became in version 2.
#[derive(Debug)]
pub(super) struct Change {
    /// The definitions that have it; several where a union's branches share members.
    types: &'static [&'static str],
    /// Empty where version 1 has nothing like it.
    v1: &'static str,
    /// Empty where version 2 has nothing like it.
    v2: &'static str,
    /// Members that version 2 requires here and whose lack a member of version 1 explains.
    v2_requires: &'static [&'static str],
    /// Members that version 1 requires here and whose lack a member of version 2 explains.
    v1_requires: &'static [&'static str],
    /// What to do on version 2, where another name does not say it.
    on_v2: &'static str,
    /// What to do on version 1, where another name does not say it.
    on_v1: &'static str,
}

const NONE: Change =
    Change { types: &[], v1: "", v2: "", v2_requires: &[], v1_requires: &[], on_v2: "", on_v1: "" };

const CONFIG_OPTION: &[&str] =
    &["SessionConfigOption", "SessionConfigSelect", "SessionConfigBoolean"];
const AUTH_METHOD: &[&str] = &["AuthMethod", "AuthMethodAgent", "AuthMethodTerminal"];
const SETUP: &[&str] = &["NewSessionResponse", "ResumeSessionResponse", "ForkSessionResponse"];
const CHANGES_OF_FILES: &str =
    "version 1 tells a change of one file by `path`, `oldText` and `newText`";
const DIFF_V2: &str = "version 2 lists `changes` and gives the text as a `patch`";

static CHANGES: &[Change] = &[
    Change {
        types: &["InitializeRequest"],
        v1: "clientCapabilities",
        v2: "capabilities",
        v2_requires: &["info"],
        ..NONE
    },
    Change {
        types: &["InitializeRequest"],
        v1: "clientInfo",
        v2: "info",
        v2_requires: &["info"],
        ..NONE
    },
    Change {
        types: &["InitializeResponse"],
        v1: "agentCapabilities",
        v2: "capabilities",
        v2_requires: &["info"],
        on_v2: "version 2 calls it `capabilities`; an agent that speaks version 1 answers 1",
        ..NONE
    },
    Change {
        types: &["InitializeResponse"],
        v1: "agentInfo",
        v2: "info",
        v2_requires: &["info"],
        on_v2: "version 2 calls it `info`; an agent that speaks version 1 answers 1",
        ..NONE
    },
    Change {
        types: AUTH_METHOD,
        v1: "id",
        v2: "methodId",
        v2_requires: &["methodId"],
        v1_requires: &["id"],
        on_v2: "version 2 has `type` and `methodId`, such as `\"type\": \"agent\"`",
        ..NONE
    },
    Change {
        types: CONFIG_OPTION,
        v1: "id",
        v2: "configId",
        v2_requires: &["configId"],
        v1_requires: &["id"],
        ..NONE
    },
    Change {
        // A group that lacks its id is taken for an option.
        types: &["SessionConfigSelectGroup", "SessionConfigSelectOption"],
        v1: "group",
        v2: "groupId",
        v2_requires: &["groupId", "value"],
        v1_requires: &["group", "value"],
        ..NONE
    },
    Change {
        types: &["PromptResponse"],
        v1: "stopReason",
        v2: "messageId",
        v2_requires: &["messageId"],
        v1_requires: &["stopReason"],
        on_v2: "version 2 answers with `messageId` at once; `state_update` idle ends the turn",
        on_v1: "version 1 answers when the turn ends, with its `stopReason`",
    },
    Change {
        types: &["PromptResponse"],
        v1: "usage",
        on_v2: "version 2 reports it with `state_update` idle",
        ..NONE
    },
    Change {
        types: &["RequestPermissionRequest"],
        v1: "toolCall",
        v2: "subject",
        v2_requires: &["title"],
        v1_requires: &["toolCall"],
        on_v2: "version 2 has a `title` and `\"subject\": {\"type\": \"tool_call\", \"toolCall\": …}`",
        on_v1: "version 1 asks for a `toolCall`, which has the title",
    },
    Change {
        types: &["RequestPermissionRequest"],
        v2: "title",
        v1_requires: &["toolCall"],
        on_v1: "version 1 asks for a `toolCall`, which has the title",
        ..NONE
    },
    Change {
        types: &["Diff"],
        v1: "path",
        v2: "changes",
        v2_requires: &["changes"],
        v1_requires: &["path", "newText"],
        on_v2: DIFF_V2,
        on_v1: CHANGES_OF_FILES,
    },
    Change {
        types: &["Diff"],
        v1: "oldText",
        v2: "patch",
        v2_requires: &["changes"],
        v1_requires: &["path", "newText"],
        on_v2: DIFF_V2,
        on_v1: CHANGES_OF_FILES,
    },
    Change { types: &["Diff"], v1: "newText", v2_requires: &["changes"], on_v2: DIFF_V2, ..NONE },
    Change {
        types: SETUP,
        v1: "modes",
        v2: "configOptions",
        on_v2: "version 2 has modes as a config option of the category `mode`",
        on_v1: "",
        ..NONE
    },
    Change {
        types: SETUP,
        v2: "availableCommands",
        on_v1: "version 1 sends commands with `available_commands_update`",
        ..NONE
    },
    Change {
        types: &["ResumeSessionRequest"],
        v2: "replayFrom",
        on_v1: "version 1 replays with `session/load`",
        ..NONE
    },
    Change {
        types: &["AgentCapabilities"],
        v1: "loadSession",
        on_v2: "version 2 replays with `session/resume`, which every agent has",
        ..NONE
    },
    Change {
        types: &["AgentCapabilities"],
        v1: "promptCapabilities",
        on_v2: "version 2 has `\"session\": {\"prompt\": {\"image\": {}}}` and the like",
        ..NONE
    },
    Change {
        types: &["AgentCapabilities"],
        v1: "mcpCapabilities",
        on_v2: "version 2 has `\"session\": {\"mcp\": {\"stdio\": {}, \"http\": {}}}`",
        ..NONE
    },
    Change {
        types: &["AgentCapabilities"],
        v1: "sessionCapabilities",
        on_v2: "version 2 has `session`, an object of objects",
        ..NONE
    },
    Change {
        types: &["ClientCapabilities"],
        v1: "fs",
        on_v2: "version 2 has no methods for files: agents read and write them by themselves",
        ..NONE
    },
    Change {
        types: &["ClientCapabilities"],
        v1: "terminal",
        on_v2: "version 2 has no methods for terminals: agents run commands by themselves",
        ..NONE
    },
    // The update as a whole; `plan_update` holds the entries one level below.
    Change {
        types: &["PlanUpdate"],
        v1: "entries",
        v2: "plan",
        v2_requires: &["plan"],
        on_v2: "version 2 has `\"plan\": {\"type\": \"items\", \"planId\": …, \"entries\": …}`",
        ..NONE
    },
];

impl Change {
    /// The members whose lack is explained by a member of the other version on a connection of
    /// this one.
    pub(super) fn requires(&self, version: Version) -> &'static [&'static str] {
        match version {
            Version::V1 => self.v1_requires,
            Version::V2 => self.v2_requires,
        }
    }

    /// What the member is called in this version; `None` where it has none.
    pub(super) fn name(&self, version: Version) -> Option<&'static str> {
        let name = match version {
            Version::V1 => self.v1,
            Version::V2 => self.v2,
        };
        (!name.is_empty()).then_some(name)
    }

    /// What to do on a connection of this version.
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

/// The change behind a member that only the other version has, on a connection of `version`.
pub(super) fn change(version: Version, type_name: &str, member: &str) -> Option<&'static Change> {
    CHANGES.iter().find(|change| {
        change.types.contains(&type_name) && change.name(version.other()) == Some(member)
    })
}

/// Whether an object lacks what is required because it is written as the other version has it.
pub(super) fn is_written_in_other_version(
    version: Version,
    type_name: &str,
    object: Node<'_>,
) -> bool {
    // What has so many members was written in no version.
    const MOST: usize = 100;
    object.members().nth(MOST).is_none()
        && object.members().filter_map(|(name, _)| name.text()).any(|name| {
            change(version, type_name, &name.as_cow()).is_some_and(|change| {
                change.requires(version).iter().any(|required| object.get(required).is_none())
            })
        })
}

/// Whether the other version's definition of this name has the member.
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

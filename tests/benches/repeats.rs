//! The same again and again, in lines and within one: what it costs has to grow with how often, and no
//! faster.

use std::fmt;

use acpcheck::{
    protocol::Surface,
    rule::{Opening, opening::opening},
};

/// What is written again and again.
#[derive(Clone, Copy)]
pub(crate) enum Repeat {
    /// A line: in a file of nothing else, and in a turn.
    Line(&'static str),
    LineInTurn(&'static str),
    /// Text without line breaks: unfinished, as a line, and as a text in a message.
    Text(&'static str),
    TextLine(&'static str),
    TextInMessage(&'static str),
    /// An element of a list.
    Element(&'static str),
    /// A member of a message, each time with the same name.
    Member(&'static str),
    /// A member of a message, each time with another name.
    OtherMember,
    /// A request, each time with another id.
    Request,
    /// Requests with one id, and then as many results.
    Results,
    /// Requests that stay open, and then as many results of none of them.
    Strays,
    /// A plan, each time with another id.
    Plan,
    /// A plan, each time in another session.
    Session,
    /// An entry of a list, and then as often a message that has to be held against the list.
    Listed(&'static Listed),
}

/// A list that a peer sends, and a message about it. `#` stands for the number of the entry or message.
#[derive(Debug)]
pub(crate) struct Listed {
    name: &'static str,
    surface: Surface,
    opening: Opening,
    /// What comes before the entries, an entry, and what comes behind them. The entries are apart by
    /// commas, or they are lines.
    list: [&'static str; 3],
    message: &'static str,
}

/// The lists that a peer can make as long as it likes, and the messages that are looked up in them.
static LISTED: &[Listed] = &[
    Listed {
        name: "auth methods",
        surface: Surface::V1,
        opening: Opening::None,
        list: [
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":["#,
            r#"{"id":"m#","name":"Log in"}"#,
            "]}}",
        ],
        message: r#"{"jsonrpc":"2.0","id":#,"method":"authenticate","params":{"methodId":"u#"}}"#,
    },
    Listed {
        name: "modes",
        surface: Surface::V1,
        opening: Opening::Initialized,
        list: [
            r#"{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":"n","result":{"sessionId":"s","modes":{"currentModeId":"m0","availableModes":["#,
            r##"{"id":"m#","name":"Mode"}"##,
            "]}}}",
        ],
        message: r#"{"jsonrpc":"2.0","id":#,"method":"session/set_mode","params":{"sessionId":"s","modeId":"u#"}}"#,
    },
    Listed {
        name: "config options",
        surface: Surface::V1,
        opening: Opening::Session,
        list: [
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":["#,
            r##"{"id":"o#","name":"Option","type":"boolean","currentValue":true}"##,
            "]}}}",
        ],
        message: r#"{"jsonrpc":"2.0","id":#,"method":"session/set_config_option","params":{"sessionId":"s","configId":"u#","value":"x"}}"#,
    },
    Listed {
        name: "commands",
        surface: Surface::V1,
        opening: Opening::Session,
        list: [
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":["#,
            r##"{"name":"c#","description":"A command"}"##,
            "]}}}",
        ],
        message: r#"{"jsonrpc":"2.0","id":#,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"/u#"}]}}"#,
    },
    Listed {
        name: "providers",
        surface: Surface::V2Unstable,
        opening: Opening::Initialized,
        list: [
            r#"{"jsonrpc":"2.0","id":"l","method":"providers/list","params":{}}
{"jsonrpc":"2.0","id":"l","result":{"providers":["#,
            r##"{"providerId":"p#","supported":["openai"],"required":false,"current":null}"##,
            "]}}",
        ],
        message: r#"{"jsonrpc":"2.0","id":#,"method":"providers/set","params":{"providerId":"u#","apiType":"openai","baseUrl":"https://example.com"}}"#,
    },
    Listed {
        name: "directories",
        surface: Surface::V1Unstable,
        opening: Opening::Initialized,
        list: [
            r#"{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/work","mcpServers":[],"additionalDirectories":["#,
            r##""/d#""##,
            r#"]}}
{"jsonrpc":"2.0","id":"n","result":{"sessionId":"s"}}"#,
        ],
        message: r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p#","content":"Tidy","path":"/z/#"}}}}"#,
    },
    Listed {
        name: "pages",
        surface: Surface::V1,
        opening: Opening::Initialized,
        list: [
            "",
            r##"{"jsonrpc":"2.0","id":"c#","method":"session/list","params":{"cursor":"c#"}}
{"jsonrpc":"2.0","id":"c#","result":{"sessions":[],"nextCursor":"c#0"}}
{"jsonrpc":"2.0","id":"d#","method":"session/list","params":{"cursor":"c#0"}}
{"jsonrpc":"2.0","id":"d#","result":{"sessions":[],"nextCursor":"c#"}}
"##,
            "",
        ],
        message: r#"{"jsonrpc":"2.0","id":#,"method":"session/list","params":{}}"#,
    },
    Listed {
        name: "elicitations",
        surface: Surface::V1Unstable,
        opening: Opening::Session,
        list: [
            "",
            r##"{"jsonrpc":"2.0","id":"f#","method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}}
"##,
            "",
        ],
        message: r#"{"jsonrpc":"2.0","id":"e#","method":"elicitation/create","params":{"requestId":"u#","mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{}}}}"#,
    },
    Listed {
        name: "unarchived sessions",
        surface: Surface::V2Unstable,
        opening: Opening::Initialized,
        list: [
            "",
            r##"{"jsonrpc":"2.0","id":"u#","method":"session/unarchive","params":{"sessionId":"s#"}}
{"jsonrpc":"2.0","id":"u#","result":{}}
"##,
            "",
        ],
        message: r##"{"jsonrpc":"2.0","id":#,"method":"session/list","params":{"cwd":"/other"}}
{"jsonrpc":"2.0","id":#,"result":{"sessions":[]}}"##,
    },
    Listed {
        name: "idempotency keys",
        surface: Surface::V2,
        opening: Opening::Session,
        list: [
            "",
            r##"{"jsonrpc":"2.0","id":"k#","method":"session/prompt","params":{"sessionId":"s","idempotencyKey":"k#","prompt":[{"type":"text","text":"Tidy"}]}}
{"jsonrpc":"2.0","id":"k#","result":{"messageId":"m#"}}
"##,
            "",
        ],
        message: r##"{"jsonrpc":"2.0","id":#,"method":"session/resume","params":{"sessionId":"s","cwd":"/work"}}
{"jsonrpc":"2.0","id":#,"result":{}}"##,
    },
];

impl Listed {
    fn text(&self, count: usize) -> String {
        /// Ids of the opening are small.
        const FIRST: usize = 1000;
        let numbered = |text: &str, number: usize| text.replace('#', &number.to_string());
        let [before, entry, behind] = self.list;
        let entries = (0..count).map(|number| numbered(entry, number));
        let between = if entry.ends_with('\n') { "" } else { "," };
        let messages: String =
            (0..count).map(|number| numbered(self.message, FIRST + number) + "\n").collect();
        let entries = entries.collect::<Vec<_>>().join(between);
        format!("{}{before}{entries}{behind}\n{messages}", opening(self.surface, self.opening))
    }
}

impl fmt::Display for Repeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line:?}"),
            Self::LineInTurn(line) => write!(f, "line in a turn {line:?}"),
            Self::Text(text) => write!(f, "text {text:?}"),
            Self::TextLine(text) => write!(f, "line of text {text:?}"),
            Self::TextInMessage(text) => write!(f, "text in a message {text:?}"),
            Self::Element(element) => write!(f, "element {element:?}"),
            Self::Member(member) => write!(f, "member {member:?}"),
            Self::OtherMember => f.write_str("members"),
            Self::Request => f.write_str("requests"),
            Self::Results => f.write_str("results"),
            Self::Strays => f.write_str("stray results"),
            Self::Plan => f.write_str("plans"),
            Self::Session => f.write_str("sessions"),
            Self::Listed(listed) => write!(f, "{} and messages about them", listed.name),
        }
    }
}

impl Repeat {
    pub(crate) fn all() -> Vec<Self> {
        let lines = [
            "{",
            "}",
            "[",
            "{\"a\":",
            "{\"a",
            "\"",
            "1",
            "{}",
            "",
            "\u{feff}",
            "[]",
            "x",
            "{\"a\":{",
            "Content-Length: 5",
            "{\"id\":1,\"method\":\"session/list\"}",
            "{\"id\":1,\"result\":{}}",
            "{\"method\":\"_x\"}",
            "[1]",
            "[{\"id\":1,\"method\":\"session/list\"}]",
        ];
        let texts = ["{", "[", "{\"a\":", "{\"a\":[", "\\u00e9"];
        let elements = [
            "1",
            "{}",
            "{\"id\":1,\"method\":\"session/list\"}",
            "{\"id\":1,\"result\":{}}",
            "{\"a\":1,\"a\":2}",
            "{\"method\":\"_x\",\"a\":1,\"b\":2}",
        ];
        let mut all: Vec<_> =
            lines.into_iter().flat_map(|line| [Self::Line(line), Self::LineInTurn(line)]).collect();
        all.extend(texts.into_iter().flat_map(|text| [Self::Text(text), Self::TextLine(text)]));
        all.extend(["\\\\", "\\\"", "\\u00e9"].map(Self::TextInMessage));
        all.extend(elements.map(Self::Element));
        all.extend(["\"a\":1", "\"jsonrpc\":\"2.0\"", "\"params\":{}"].map(Self::Member));
        all.extend([Self::OtherMember, Self::Request, Self::Results, Self::Strays]);
        all.extend([Self::Plan, Self::Session]);
        all.extend(LISTED.iter().map(Self::Listed));
        all
    }

    /// A file with it so many times.
    pub(crate) fn text(self, count: usize) -> String {
        let message = |members: &str| format!("{{\"method\":\"_x\",{members}\"z\":0}}\n");
        let requests = || -> String {
            (0..count).map(|id| format!("{{\"id\":{id},\"method\":\"session/list\"}}\n")).collect()
        };
        let update = |session: &str, update: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{update}}}}}"#,
            ) + "\n"
        };
        let entries = r#""entries":[{"content":"Sweep","priority":"high","status":"pending"}]"#;
        match self {
            Self::Line(line) => format!("{line}\n").repeat(count),
            Self::LineInTurn(line) => {
                opening(Surface::V1, Opening::Turn) + &format!("{line}\n").repeat(count)
            }
            Self::Text(text) => text.repeat(count),
            Self::TextLine(text) => text.repeat(count) + "\n",
            Self::TextInMessage(text) => message(&format!("\"a\":\"{}\",", text.repeat(count))),
            Self::Element(element) => format!("[{}0]\n", format!("{element},").repeat(count)),
            Self::Member(member) => message(&format!("{member},").repeat(count)),
            Self::OtherMember => {
                let members: String =
                    (0..count).map(|number| format!("\"m{number}\":0,")).collect();
                message(&members)
            }
            Self::Request => requests(),
            Self::Results => {
                "{\"id\":1,\"method\":\"session/list\"}\n".repeat(count)
                    + &"{\"id\":1,\"result\":{\"sessions\":[]}}\n".repeat(count)
            }
            Self::Strays => {
                opening(Surface::V1, Opening::Session)
                    + &requests()
                    + &"{\"id\":\"x\",\"result\":{}}\n".repeat(count)
            }
            Self::Plan => {
                let plan = |id: usize| {
                    let plan = format!(r#"{{"type":"items","planId":"{id}",{entries}}}"#);
                    update("s", &format!(r#"{{"sessionUpdate":"plan_update","plan":{plan}}}"#))
                };
                opening(Surface::V2, Opening::Turn) + &(0..count).map(plan).collect::<String>()
            }
            Self::Session => {
                let plan = format!(r#"{{"sessionUpdate":"plan",{entries}}}"#);
                let plans = (0..count).map(|session| update(&session.to_string(), &plan));
                opening(Surface::V1, Opening::Session) + &plans.collect::<String>()
            }
            Self::Listed(listed) => listed.text(count),
        }
    }
}

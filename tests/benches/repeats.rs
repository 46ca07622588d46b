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
        }
    }
}

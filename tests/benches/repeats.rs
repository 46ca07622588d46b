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
        all
    }

    /// A file with it so many times.
    pub(crate) fn text(self, count: usize) -> String {
        let message = |members: &str| format!("{{\"method\":\"_x\",{members}\"z\":0}}\n");
        let requests = || -> String {
            (0..count).map(|id| format!("{{\"id\":{id},\"method\":\"session/list\"}}\n")).collect()
        };
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
        }
    }
}

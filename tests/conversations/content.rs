//! Content blocks, paths, texts: what fills messages.

use serde_json::{Value, json};

use super::{generate::Generator, generate::Stray, world::World};

const TEXTS: [&str; 10] = [
    "Tidy up the module.",
    "Läuft \u{1f680}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
    "Content-Length: 12\r\n\r\n",
    "line one\nline two\n",
    "/usr/bin is a path, \"quoted\" \\ escaped",
    " ",
    "[info] loading model",
    "a\u{0}b\u{2028}c",
    "null",
];
const BASE64: [&str; 4] = ["iVBORw0KGgo=", "", "AA==", "YWJj"];
/// Times of activity, the latest first.
pub(crate) const TIMES: [&str; 3] =
    ["2026-11-21T10:00:00Z", "2026-11-21T10:00:00.123456+05:30", "2024-02-29T00:00:00Z"];

pub(crate) const ROOTS: [&str; 4] =
    ["/work/app", "C:\\work\\app", "\\\\server\\share", "/srv/größe x"];

impl World<'_> {
    pub(crate) fn text(&mut self) -> &'static str {
        self.pick(&TEXTS)
    }

    /// An absolute path below a directory.
    pub(crate) fn path_in(&mut self, root: &str) -> String {
        let separator = if root.contains('\\') { '\\' } else { '/' };
        let name = self.pick(&["main.rs", "src", "ä b.txt", "a.tar.gz"]);
        format!("{root}{separator}{name}")
    }

    fn uri(&mut self) -> &'static str {
        self.pick(&[
            "file:///work/app/main.rs",
            "https://example.com/a?b=c#d",
            "zed://agent/thread",
            "file:///C:/work/a.rs",
            "urn:example:a",
        ])
    }

    /// A block that the agent must be able to read.
    pub(crate) fn prompt(&mut self) -> Value {
        let count = 1 + self.below(3);
        (0..count)
            .map(|_| {
                let mut kinds = vec!["text", "resource_link"];
                let gated = [("image", "image"), ("audio", "audio"), ("embedded", "resource")];
                kinds.extend(gated.into_iter().filter(|it| self.has(it.0)).map(|it| it.1));
                let kind = self.pick(&kinds);
                let block = self.block_of(kind);
                // Texts that nothing is in do no harm, but nobody sends them as a prompt.
                if block["text"] == " " { json!({"type": "text", "text": "Go on"}) } else { block }
            })
            .collect()
    }

    /// A block of any kind: what agents send needs no capability.
    pub(crate) fn block(&mut self) -> Value {
        let kind = self.pick(&["text", "text", "resource_link", "image", "audio", "resource"]);
        self.block_of(kind)
    }

    fn block_of(&mut self, kind: &str) -> Value {
        let data = self.pick(&BASE64);
        let mut block = match kind {
            "text" => json!({"type": "text", "text": self.text()}),
            "image" => json!({"type": "image", "mimeType": "image/png", "data": data}),
            "audio" => json!({"type": "audio", "mimeType": "audio/wav", "data": data}),
            "resource_link" => {
                let mut link =
                    json!({"type": "resource_link", "name": "a link", "uri": self.uri()});
                if !self.is_v1() && self.once_in(3) {
                    link["icons"] = json!([{"src": "data:image/png;base64,AA==", "theme": "dark"}]);
                }
                if self.once_in(4) {
                    link["size"] = json!(self.below(1000));
                }
                link
            }
            _ => {
                let uri = self.uri();
                let resource = if self.once_in(2) {
                    json!({"uri": uri, "blob": data, "mimeType": "application/octet-stream"})
                } else {
                    json!({"uri": uri, "text": self.text()})
                };
                json!({"type": "resource", "resource": resource})
            }
        };
        if self.once_in(6) {
            block["annotations"] = json!({
                "audience": self.pick(&[json!(["user"]), json!(["assistant", "user"]), Value::Null]),
                "priority": self.pick(&[json!(0.5), json!(0), json!(1), Value::Null]),
                "lastModified": self.timestamp(),
            });
        }
        self.remark(&mut block);
        block
    }

    pub(crate) fn timestamp(&mut self) -> &'static str {
        self.pick(&TIMES)
    }

    /// Adds metadata, now and then.
    pub(crate) fn remark(&mut self, object: &mut Value) {
        if self.once_in(10) {
            object["_meta"] = json!({
                "vendor.example/note": self.anything(),
                "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            });
        }
    }

    /// Any JSON value at all.
    pub(crate) fn anything(&mut self) -> Value {
        let nothing = serde_json::Map::new();
        let choices = std::mem::replace(&mut self.choices, super::generate::Choices(&[]));
        let mut generator = Generator { definitions: &nothing, choices, stray: Stray::No };
        let value = generator.anything();
        self.choices = generator.choices;
        value
    }

    /// MCP servers of all transports that the agent has.
    pub(crate) fn servers(&mut self) -> Value {
        let mut servers = Vec::new();
        for _ in 0..self.below(3) {
            let mut kinds: Vec<_> = ["mcp.stdio", "mcp.http", "mcp.sse", "mcp.acp"].into();
            kinds.retain(|kind| self.has(kind));
            if kinds.is_empty() {
                break;
            }
            let kind = self.pick(&kinds);
            let name = format!("server {}", self.serial());
            servers.push(match kind {
                "mcp.stdio" if self.is_v1() => {
                    json!({"name": name, "command": "/usr/bin/mcp", "args": ["--stdio"], "env": [{"name": "A", "value": "1"}]})
                }
                "mcp.stdio" => json!({"type": "stdio", "name": name, "command": "C:\\mcp.exe"}),
                "mcp.acp" => {
                    let id = format!("srv-{}", self.serial());
                    json!({"type": "acp", "name": name, "serverId": id})
                }
                kind => {
                    let url = "https://mcp.example.com/";
                    let kind = kind.trim_start_matches("mcp.");
                    json!({"type": kind, "name": name, "url": url, "headers": []})
                }
            });
        }
        Value::Array(servers)
    }
}

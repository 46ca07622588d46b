//! The MCP server that the scenario `mcp` gives to an agent. It has one tool, which does nothing.

use serde_json::{Value, json};

/// What the MCP server of a run has to do for one line of its input.
#[derive(Debug, PartialEq)]
pub struct Served {
    /// The method that the line calls, to note it.
    pub method: String,
    /// The line to send as the answer; `None` for a notification.
    pub answer: Option<String>,
}

/// Serves one line that an MCP client has written. Returns `None` for a line that calls no method.
pub fn serve(line: &str) -> Option<Served> {
    let message: Value = serde_json::from_str(line).ok()?;
    let method = message.get("method")?.as_str()?.to_owned();
    let answer = message.get("id").map(|id| {
        let mut answer = json!({ "jsonrpc": "2.0", "id": id });
        match result(&method, &message["params"]) {
            Some(result) => answer["result"] = result,
            None => answer["error"] = json!({ "code": -32601, "message": "Method not found" }),
        }
        answer.to_string()
    });
    Some(Served { method, answer })
}

fn result(method: &str, params: &Value) -> Option<Value> {
    /// The MCP version that is answered to a client that names none.
    const VERSION: &str = "2025-06-18";
    Some(match method {
        "initialize" => json!({
            "protocolVersion": params["protocolVersion"].as_str().unwrap_or(VERSION),
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "acpcheck", "version": env!("CARGO_PKG_VERSION") },
        }),
        "ping" => json!({}),
        "tools/list" => json!({ "tools": [{
            "name": "acpcheck_nothing",
            "description": "Does nothing.",
            "inputSchema": { "type": "object", "properties": {} },
        }] }),
        "tools/call" => json!({ "content": [{ "type": "text", "text": "Nothing was done." }] }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(line: &str) -> Value {
        serde_json::from_str(&serve(line).unwrap().answer.unwrap()).unwrap()
    }

    #[test]
    fn a_client_can_connect_and_finds_one_tool() {
        let line = r#"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2024-11-05"}}"#;
        let initialized = answer(line);
        assert_eq!(initialized["id"], "a");
        assert_eq!(initialized["result"]["protocolVersion"], "2024-11-05");
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let method = "notifications/initialized".to_owned();
        assert_eq!(serve(initialized), Some(Served { method, answer: None }));
        let tools = answer(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
        assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 1);
        let unknown = answer(r#"{"jsonrpc":"2.0","id":3,"method":"resources/list"}"#);
        assert_eq!(unknown["error"]["code"], -32601);
    }

    #[test]
    fn lines_that_call_nothing_are_passed_over() {
        for line in ["", "x", "[]", "{}", r#"{"method":1,"id":1}"#, r#"{"id":1,"result":{}}"#] {
            assert_eq!(serve(line), None, "{line}");
        }
    }
}

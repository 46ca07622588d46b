//! Writes the JSON schema of one surface of the Agent Client Protocol to standard output.
//!
//! The official crate has a type for every message; this program only asks it for their schemas.
//! The features of this crate choose the surface. The settings below are those by which upstream
//! makes the documents in its packages. The prose is still there: `schema/refresh.py` drops it.

#[cfg(not(feature = "unstable_protocol_v2"))]
use agent_client_protocol_schema::v1 as acp;
#[cfg(feature = "unstable_protocol_v2")]
use agent_client_protocol_schema::v2 as acp;

use acp::{JsonRpcMessage, Notification, Request, Response};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::{RemoveRefSiblings, ReplaceBoolSchemas};

// What one side sends. The titles in the schema are the names of the variants; doc comments would
// become descriptions.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
#[expect(dead_code, reason = "only the schema of the type is wanted")]
enum Sent<R, A, N> {
    Request(Request<R>),
    Response(Response<A>),
    Notification(Notification<N>),
}

// Any message. The order is that in which the definitions are written.
#[derive(JsonSchema)]
#[schemars(untagged, title = "Agent Client Protocol")]
#[expect(dead_code, reason = "only the schema of the type is wanted")]
enum Message {
    Agent(JsonRpcMessage<Sent<acp::AgentRequest, acp::AgentResponse, acp::AgentNotification>>),
    Client(JsonRpcMessage<Sent<acp::ClientRequest, acp::ClientResponse, acp::ClientNotification>>),
    ProtocolLevel(JsonRpcMessage<Notification<acp::ProtocolLevelNotification>>),
    // Proxy chains are a draft.
    #[cfg(feature = "unstable")]
    Proxy(JsonRpcMessage<Sent<acp::ProxyRequest, acp::ProxyResponse, acp::ProxyNotification>>),
}

fn main() {
    let mut no_booleans = ReplaceBoolSchemas::default();
    no_booleans.skip_additional_properties = true;
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.untagged_enum_variant_titles = true)
        .with_transform(RemoveRefSiblings::default())
        .with_transform(no_booleans);
    // Everything that a message refers to comes along, under `$defs`.
    let schema = settings.into_generator().into_root_schema_for::<Message>();
    println!("{}", serde_json::to_string_pretty(&schema).expect("a schema is JSON"));
}

//! Conversations that keep to the protocol, made by two peers that play by it: they are silent, and
//! what is changed in them is found.
#![expect(clippy::needless_pass_by_value, reason = "messages are made where they are sent")]

#[path = "conversations/agent.rs"]
mod agent;
#[path = "conversations/asks.rs"]
mod asks;
#[path = "conversations/client.rs"]
mod client;
#[path = "conversations/content.rs"]
mod content;
#[path = "conversations/extras.rs"]
mod extras;
#[path = "conversations/mutations.rs"]
mod mutations;
#[path = "conversations/opening.rs"]
mod opening;
#[path = "conversations/plans.rs"]
mod plans;
#[path = "conversations/service.rs"]
mod service;
#[path = "conversations/sessions.rs"]
mod sessions;
#[path = "conversations/silence.rs"]
mod silence;
#[path = "conversations/tools.rs"]
mod tools;
#[path = "conversations/work.rs"]
mod work;
#[path = "conversations/world.rs"]
mod world;

use super::generate;

//! Tests an agent of the SDK in process: the recorder sees the lines of both directions.

use std::{io, sync::Arc};

use acpcheck::{assert_conforms, protocol::Side, testing::Recorder};
use agent_client_protocol::{
    Agent, Client, Lines, Result,
    schema::ProtocolVersion,
    v1::{
        ConnectionTo,
        schema::{
            ContentBlock, Implementation, InitializeRequest, InitializeResponse, NewSessionRequest,
            NewSessionResponse, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, PromptRequest,
            PromptResponse, SessionNotification, SessionUpdate, StopReason, TextContent,
        },
    },
};
use futures::{SinkExt, StreamExt, channel::mpsc, executor::block_on, future};

/// Connects an editor and an agent that answers a prompt with plans, and prompts once.
fn converse(recorder: &Arc<Recorder>, is_faulty: bool) -> Result<()> {
    let (to_agent, of_client) = mpsc::unbounded::<String>();
    let (to_client, of_agent) = mpsc::unbounded::<String>();
    let sink = |sender: mpsc::UnboundedSender<String>, side: Side| {
        let recorder = Arc::clone(recorder);
        sender.sink_map_err(io::Error::other).with(move |line: String| {
            recorder.take(side, format!("{line}\n").as_bytes());
            future::ready(Ok::<_, io::Error>(line))
        })
    };
    let client = Lines::new(sink(to_agent, Side::Client), of_agent.map(Ok));
    let agent = Lines::new(sink(to_client, Side::Agent), of_client.map(Ok));

    let serving = Agent
        .v1()
        .on_receive_request(
            async move |asked: InitializeRequest, responder, _connection| {
                let info = Implementation::new("gardener", "1.0.0");
                responder.respond(InitializeResponse::new(asked.protocol_version).agent_info(info))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |_: NewSessionRequest, responder, _connection| {
                responder.respond(NewSessionResponse::new("bed-7"))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |asked: PromptRequest, responder, connection| {
                for done in 0..=2 {
                    let status = |at| {
                        if at < done {
                            PlanEntryStatus::Completed
                        } else {
                            PlanEntryStatus::Pending
                        }
                    };
                    let mut entries: Vec<_> = ["Dig", "Plant"]
                        .into_iter()
                        .enumerate()
                        .map(|(at, text)| {
                            PlanEntry::new(text, PlanEntryPriority::Medium, status(at))
                        })
                        .collect();
                    if is_faulty && done > 0 {
                        // The fault: only the entry that has changed is sent.
                        entries = vec![entries.remove(done - 1)];
                    }
                    let update = SessionUpdate::Plan(Plan::new(entries));
                    connection.send_notification(SessionNotification::new(
                        asked.session_id.clone(),
                        update,
                    ))?;
                }
                responder.respond(PromptResponse::new(StopReason::EndTurn))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_to(agent);

    let prompting = Client
        .v1()
        .on_receive_notification(
            async move |_: SessionNotification, _connection| Ok(()),
            agent_client_protocol::on_receive_notification!(),
        )
        .connect_with(client, |connection: ConnectionTo<Agent>| async move {
            let info = Implementation::new("editor", "1.0.0");
            let asked = InitializeRequest::new(ProtocolVersion::V1).client_info(info);
            connection.send_request(asked).block_task().await?;
            let session =
                connection.send_request(NewSessionRequest::new("/garden")).block_task().await?;
            let prompt = vec![ContentBlock::Text(TextContent::new("Plant the roses."))];
            let asked = PromptRequest::new(session.session_id, prompt);
            connection.send_request(asked).block_task().await?;
            Ok(())
        });

    block_on(async {
        // The agent ends with the connection.
        let (_, prompted) = future::join(serving, prompting).await;
        prompted
    })
}

#[test]
fn plans_are_complete() {
    let recorder = Arc::new(Recorder::default());
    converse(&recorder, false).unwrap();
    assert_conforms!(*recorder);
}

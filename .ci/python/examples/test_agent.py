"""Tests an agent of the SDK in process: `acp_recorder` stands between the two ends of the connection."""

import asyncio
import socket

import acp

import acpcheck


class Gardener(acp.Agent):
    """An agent that answers each prompt with a plan."""

    def __init__(self, is_faulty=False):
        self.is_faulty = is_faulty

    def on_connect(self, conn):
        self.client = conn

    async def initialize(self, protocol_version, **_):
        return acp.InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd, **_):
        return acp.NewSessionResponse(session_id="bed-7")

    async def prompt(self, prompt, session_id, **_):
        entries = [acp.plan_entry("Dig"), acp.plan_entry("Plant")]
        await self.client.session_update(session_id, acp.update_plan(entries))
        for entry in entries:
            entry.status = "completed"
            # The fault: only the entry that has changed is sent.
            sent = [entry] if self.is_faulty else entries
            await self.client.session_update(session_id, acp.update_plan(sent))
        return acp.PromptResponse(stop_reason="end_turn")


class Editor(acp.Client):
    async def session_update(self, session_id, update, **_):
        pass


async def converse(agent, recorder):
    """Connects an editor and the agent, and prompts once."""
    ends = [await asyncio.open_connection(sock=end) for end in socket.socketpair()]
    reader, writer = recorder.streams(*ends[0], side="client")
    client = acp.connect_to_agent(Editor(), writer, reader)
    serving = asyncio.create_task(acp.run_agent(agent, ends[1][1], ends[1][0]))
    await client.initialize(protocol_version=1)
    session = await client.new_session(cwd="/garden", mcp_servers=[])
    await client.prompt(prompt=[acp.text_block("Plant the roses.")], session_id=session.session_id)
    await client.close()
    serving.cancel()


def test_plans_are_complete(acp_recorder):
    asyncio.run(converse(Gardener(), acp_recorder))


def test_a_fault_is_found():
    recorder = acpcheck.Recorder()
    asyncio.run(converse(Gardener(is_faulty=True), recorder))
    errors = [found for found in acpcheck.check(recorder) if found.severity == "error"]
    assert [found.rule for found in errors] == ["plan/partial-update-proven"]
    assert errors[0].side == "agent"

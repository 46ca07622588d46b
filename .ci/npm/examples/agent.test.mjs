// Tests an agent of the SDK in process: the recorder stands between the two ends of the connection.
import { agent, client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { Recorder, check } from "acpcheck";
import "acpcheck/vitest";
import { expect, test } from "vitest";

/** An agent that answers each prompt with a plan. */
function gardener(isFaulty) {
  return agent({ name: "gardener" })
    .onRequest(methods.agent.initialize, ({ params }) => ({
      protocolVersion: params.protocolVersion,
      agentInfo: { name: "gardener", version: "1.0.0" },
    }))
    .onRequest(methods.agent.session.new, () => ({ sessionId: "bed-7" }))
    .onRequest(methods.agent.session.prompt, async ({ params: { sessionId }, client }) => {
      const entries = ["Dig", "Plant"].map((content) => ({ content, priority: "medium", status: "pending" }));
      const plan = (sent) =>
        client.notify(methods.client.session.update, { sessionId, update: { sessionUpdate: "plan", entries: sent } });
      await plan(entries);
      for (const entry of entries) {
        entry.status = "completed";
        // The fault: only the entry that has changed is sent.
        await plan(isFaulty ? [entry] : entries);
      }
      return { stopReason: "end_turn" };
    });
}

/** Connects an editor and the agent, and prompts once. */
async function converse(recorder, isFaulty = false) {
  const [there, back] = [new TransformStream(), new TransformStream()];
  gardener(isFaulty).connect(ndJsonStream(back.writable, there.readable));
  const stream = recorder.stream(ndJsonStream(there.writable, back.readable), "client");
  const editor = client({ name: "editor" }).onNotification(methods.client.session.update, () => {});
  await editor.connectWith(stream, async (context) => {
    const clientInfo = { name: "editor", version: "1.0.0" };
    await context.request(methods.agent.initialize, { protocolVersion: 1, clientInfo, clientCapabilities: {} });
    const { sessionId } = await context.request(methods.agent.session.new, { cwd: "/garden", mcpServers: [] });
    const prompt = [{ type: "text", text: "Plant the roses." }];
    await context.request(methods.agent.session.prompt, { sessionId, prompt });
  });
}

test("plans are complete", async () => {
  const recorder = new Recorder();
  await converse(recorder);
  await expect(recorder).toConformToAcp();
});

test("a fault is found", async () => {
  const recorder = new Recorder();
  await converse(recorder, true);
  const errors = (await check(recorder)).filter((found) => found.severity === "error");
  expect(errors.map((found) => [found.rule, found.bound])).toEqual([["plan/partial-update-proven", "agent"]]);
});

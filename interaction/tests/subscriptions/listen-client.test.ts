import type { ServerChange, Subscription } from "parley-mcp/client";
import type { ScriptedPeer } from "parley-mcp/testing";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";
const LISTENING = { tools: { listChanged: true }, prompts: { listChanged: true } };

function acknowledge(peer: ScriptedPeer, { id }: JsonObject, notifications: JsonObject): Promise<void> {
  return peer.notify("notifications/subscriptions/acknowledged", { _meta: { [SUBSCRIPTION_ID]: id }, notifications });
}

function tell(peer: ScriptedPeer, list: "tools" | "prompts", id: unknown): Promise<void> {
  return peer.notify(`notifications/${list}/list_changed`, { _meta: { [SUBSCRIPTION_ID]: id } });
}

/** Everything a subscription yields until it ends. */
async function heardBy(changes: Subscription): Promise<ServerChange[]> {
  const heard: ServerChange[] = [];
  for await (const change of changes) heard.push(change);
  return heard;
}

verifies(
  "subscriptions:listen:client:honored-surfacing",
  "listen sends the filter, waits for the acknowledgment, and shows the filter that the server agreed to",
  async ({ openServer }) => {
    const { peer, client } = await openServer(LISTENING);
    let subscription: Subscription | undefined;
    const listening = client
      .listen({ tools: true, prompts: true, resources: false, resource: ["a://1", "a://1"] })
      .then((opened) => {
        subscription = opened;
      });

    const request = await peer.receive();
    expect(request).toMatchObject({
      id: "listen-1",
      method: "subscriptions/listen",
      params: { notifications: { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["a://1"] } },
    });
    await acknowledge(peer, { id: "listen-2" }, { toolsListChanged: true });
    await peer.notify("notifications/subscriptions/acknowledged", { notifications: { toolsListChanged: true } });
    await peer.drain();
    expect(subscription).toBeUndefined();

    await acknowledge(peer, request, { promptsListChanged: true, resourceSubscriptions: ["a://1"] });
    await listening;
    expect(subscription?.honored).toEqual({ prompts: true, resource: ["a://1"] });
  },
);

verifies(
  "subscriptions:listen:client:concurrent-demux",
  "two subscriptions whose acknowledgments cross each get their own changes, and a change with a third id reaches neither",
  async ({ openServer }) => {
    const { peer, client } = await openServer(LISTENING);
    const listening = [client.listen({ tools: true, prompts: true }), client.listen({ tools: true })];
    const [first, second] = [await peer.receive(), await peer.receive()];

    await acknowledge(peer, second, { toolsListChanged: true });
    await acknowledge(peer, first, { toolsListChanged: true, promptsListChanged: true });
    const [both, toolsAlone] = await Promise.all(listening);
    await tell(peer, "prompts", first.id);
    await tell(peer, "prompts", second.id);
    await tell(peer, "tools", "listen-3");
    await tell(peer, "tools", 1);
    await tell(peer, "tools", second.id);
    for (const request of [first, second])
      await peer.respond(request, { resultType: "complete", _meta: { [SUBSCRIPTION_ID]: request.id } });

    expect(first.id).not.toEqual(second.id);
    expect(both?.honored).toEqual({ tools: true, prompts: true });
    expect(toolsAlone?.honored).toEqual({ tools: true });
    expect(both && (await heardBy(both))).toEqual([{ kind: "prompts" }]);
    expect(toolsAlone && (await heardBy(toolsAlone))).toEqual([{ kind: "tools" }]);
  },
);

verifies(
  "subscriptions:listen:client:graceful-close",
  "a subscription yields the changes before the result, and then its loop ends, also if the result is all that comes",
  async ({ openServer, wire }) => {
    const { peer, client } = await openServer(LISTENING);
    const result = { resultType: "complete", _meta: { [SUBSCRIPTION_ID]: "listen-1" } };

    const listening = client.listen({ tools: true, prompts: true });
    const request = await peer.receive();
    await acknowledge(peer, request, { toolsListChanged: true, promptsListChanged: true });
    await tell(peer, "tools", request.id);
    await tell(peer, "prompts", request.id);
    await peer.respond(request, result);
    expect(await heardBy(await listening)).toEqual([{ kind: "tools" }, { kind: "prompts" }]);
    const brief = client.listen({ tools: true });
    await peer.respond(await peer.receive(), { ...result, _meta: { [SUBSCRIPTION_ID]: "listen-2" } });
    expect(await heardBy(await brief)).toEqual([]);

    await peer.drain();
    expect(wire.methods("client")).not.toContain("notifications/cancelled");
  },
);

verifies(
  "subscriptions:listen:client:cancelled",
  "a subscription yields the changes before the server's cancellation, and then its loop ends without a cancellation back",
  async ({ openServer, wire }) => {
    const { peer, client } = await openServer(LISTENING);
    const listening = client.listen({ tools: true });
    const request = await peer.receive();
    await acknowledge(peer, request, { toolsListChanged: true });
    await tell(peer, "tools", request.id);
    await peer.notify("notifications/cancelled", { requestId: request.id, reason: "shutting down" });

    const changes = await listening;
    expect(await heardBy(changes)).toEqual([{ kind: "tools" }]);
    await changes.close();
    await peer.drain();
    expect(wire.methods("client")).not.toContain("notifications/cancelled");
  },
);

verifies(
  "subscriptions:listen:client:cancels-nothing-else",
  "a call whose id the server cancels is answered all the same",
  async ({ openServer }) => {
    const { peer, client } = await openServer(LISTENING);
    const call = client.listTools();
    const request = await peer.receive();

    await peer.notify("notifications/cancelled", { requestId: request.id });
    await peer.drain();
    await peer.respond(request, { resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" });

    expect(await call).toMatchObject({ tools: [] });
  },
);

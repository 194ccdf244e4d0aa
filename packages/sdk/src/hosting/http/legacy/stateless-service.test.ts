import { describe, expect, it } from "vitest";
import { z } from "zod";
import { gate, settled, setUpLegacy } from "./http-fakes.fixture.js";

const form = z.object({ ok: z.boolean() });

function setUp(options = {}, serverOptions = {}) {
  const legacy = setUpLegacy({ stateless: true, ...options }, serverOptions);
  legacy.server.tool("steps", {}, async (_args, context) => {
    await context.progress(1);
    return context.revision;
  });
  legacy.server.tool("ask", {}, async (_args, context) => {
    const { action } = await context.elicit({ message: "Sure?", schema: form });
    return action;
  });
  return legacy;
}

describe("without sessions", () => {
  it("initialize is answered without an id, as often as it comes, and ids of clients are ignored", async () => {
    const { client, endpoint } = setUp();
    const peer = client();
    for (const id of [undefined, "made-up"]) {
      peer.sessionId = id;
      const response = await peer.initialize().ended();
      expect(response.json).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
      expect(response.headers).toEqual({ "content-type": "application/json" });
      expect((await peer.request(1, "tools/list").ended()).status).toBe(200);
    }
    await settled();
    expect(endpoint.size).toBe(0);
  });

  it("a request is served by the revision that its header names, or by 2025-03-26", async () => {
    const { client } = setUp();
    const peer = client();
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "steps" } };
    const named = await peer.post(call, { "mcp-protocol-version": "2025-06-18" }).ended();
    expect(named.json).toMatchObject({ result: { content: [{ text: "2025-06-18" }] } });
    const silent = await peer.post([call]).ended();
    expect(silent.json).toMatchObject([{ result: { content: [{ text: "2025-03-26" }] } }]);
    expect((await peer.post([call], { "mcp-protocol-version": "2025-06-18" }).ended()).status).toBe(400);
  });

  it("the revision that is assumed must be one that the server speaks", async () => {
    const { client } = setUp({}, { revisions: ["2025-11-25"] });
    const response = await client().request(1, "ping").ended();
    expect([response.status, response.json]).toMatchObject([
      400,
      { error: { message: expect.stringContaining("Unsupported protocol version 2025-03-26") } },
    ]);
    expect((await client().initialize().ended()).status).toBe(200);
  });

  it("a handler cannot change what later requests know of their clients", async () => {
    const { client, server } = setUp();
    server.tool("write", {}, (_args, { clientCapabilities }) => {
      Object.assign(clientCapabilities, { sampling: {} });
      return "written";
    });
    server.tool("read", {}, (_args, { clientCapabilities }) => JSON.stringify(clientCapabilities));
    const written = await client().call(1, "write").ended();
    expect(written.json).toMatchObject({ result: { isError: true } });
    const read = await client().call(2, "read").ended();
    expect(read.json).toMatchObject({ result: { content: [{ text: "{}" }] } });
  });

  it("progress comes with the response", async () => {
    const { client } = setUp();
    const response = await client().call(1, "steps").ended();
    expect(response.messages).toMatchObject([{ method: "notifications/progress" }, { id: 1, result: {} }]);
  });

  it("many clients share the server, with equal ids", async () => {
    const { client, endpoint } = setUp();
    const responses = Array.from({ length: 20 }, () => client().call(1, "steps"));
    expect(endpoint.size).toBe(20);
    for (const response of responses) expect((await response.ended()).messages).toHaveLength(2);
    await settled();
    expect(endpoint.size).toBe(0);
  });

  it("questions to the client are errors at once", async () => {
    const { client, server, errors } = setUp();
    const thrown: unknown[] = [];
    server.tool("try", {}, async (_args, context) => {
      await context.request("ping").catch((error: unknown) => thrown.push(error));
      await context.request("roots/list").catch((error: unknown) => thrown.push(error));
      return "tried";
    });
    const asked = await client({ capabilities: { elicitation: {} } })
      .call(1, "ask")
      .ended();
    expect(asked.json).toMatchObject({
      error: { code: -32603, message: expect.stringContaining("keeps no sessions") },
    });
    expect((await client().call(1, "try").ended()).messages.at(-1)).toMatchObject({ result: {} });
    expect(thrown).toMatchObject([
      { code: "connection-closed", message: expect.stringContaining("stateless") },
      { code: "not-initialized" },
    ]);
    expect(errors).toEqual([]);
  });

  it("subscribing is refused, since nobody could ever tell", async () => {
    const { client, server } = setUp();
    server.resource("a://b", { name: "b" }, () => "");
    for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
      const response = await client().request(1, method, { uri: "a://b" }).ended();
      expect(response.json).toMatchObject({
        id: 1,
        error: { code: -32601, message: expect.stringContaining("session") },
      });
    }
  });

  it("notifications and answers are accepted, and notifications heard", async () => {
    const { client, server, endpoint } = setUp();
    const heard: unknown[] = [];
    server.onNotification("x/heard", (params) => void heard.push(params));
    const responses = [
      client().notify("x/heard", { a: 1 }),
      client().notify("notifications/initialized"),
      client().cancel(1),
    ];
    for (const response of responses) expect((await response.ended()).status).toBe(202);
    await settled();
    expect([heard, endpoint.size]).toEqual([[{ a: 1 }], 0]);
  });

  it("GET and DELETE are 405", async () => {
    const { client } = setUp();
    for (const response of [client().get(), client().delete()]) {
      expect([(await response.ended()).status, response.headers]).toEqual([405, { allow: "POST" }]);
    }
  });

  it("plain JSON is possible as well", async () => {
    const { client } = setUp({ jsonResponses: true });
    expect((await client().call(1, "steps").ended()).json).toMatchObject({ result: {} });
  });

  it("what runs at a shutdown is waited for, and then aborted", async () => {
    const { client, server, endpoint } = setUp();
    const [started, aborted] = [gate(), gate()];
    server.tool("wait", {}, async (_args, { signal }) => {
      started.open();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      aborted.open();
      return "";
    });
    const response = client().call(1, "wait");
    await started.passed;
    await endpoint.drain(1);
    await aborted.passed;
    expect([response.status, endpoint.size]).toEqual([503, 0]);
    expect((await client().request(1, "ping").ended()).status).toBe(503);
  });

  it("nothing is sent outside of a request", async () => {
    const { client, server } = setUp();
    const hold = gate();
    server.tool("hold", {}, async () => {
      await hold.passed;
      return "";
    });
    const response = client().call(1, "hold");
    server.announce.toolsChanged();
    await settled();
    hold.open();
    expect((await response.ended()).isStream).toBe(false);
  });
});

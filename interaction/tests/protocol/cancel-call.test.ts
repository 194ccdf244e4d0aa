import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { scriptedServer } from "parley-mcp/testing";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { recordPeer } from "../../src/scripted-peer.js";
import { type Body, verifies } from "../../src/verifies.js";

verifies(
  "protocol:cancel:abort-signal",
  "an aborted call rejects with the caller's reason, and the handler's signal aborts",
  async ({ connect }) => {
    const started = deferred();
    const aborted = deferred<unknown>();
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.tool("wait", {}, (_args, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve(signal.reason));
      started.resolve();
      return new Promise<string>(() => undefined);
    });
    const client = await connect(server);
    const stop = new AbortController();

    const call = client.callTool("wait", {}, { signal: stop.signal });
    await started.promise;
    const reason = new Error("changed my mind");
    stop.abort(reason);

    await expect(call).rejects.toMatchObject({ name: "SdkError", code: "request-aborted", cause: reason });
    expect(await aborted.promise).toMatchObject({ name: "SdkError", code: "request-aborted" });
  },
);

verifies(
  "protocol:cancel:stream-frame",
  "one notifications/cancelled names the request and the reason, even if the abort follows the call at once",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.handle("acme/wait", (_params, { signal }) => {
      return new Promise(() => signal.addEventListener("abort", () => aborted.resolve()));
    });
    const aborted = deferred();
    const client = await connect(server);
    const stop = new AbortController();

    const call = client.request("acme/wait", {}, { id: "w", signal: stop.signal });
    stop.abort("no longer needed");
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    await aborted.promise;

    expect(wire.from("client").slice(-2)).toEqual([
      expect.objectContaining({ id: "w", method: "acme/wait" }),
      {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: "w", reason: "no longer needed" },
      },
    ]);
    expect(wire.methods("client").filter((method) => method === "notifications/cancelled")).toHaveLength(1);
  },
);

verifies(
  "protocol:cancel:abort-scoped",
  "the calls beside an aborted one come to their own results",
  async ({ connect }) => {
    const started = deferred();
    const finished = deferred();
    const noticed = deferred();
    const running: unknown[] = [];
    const aborted: unknown[] = [];
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.tool("wait", { input: { type: "object" } }, async (args, { signal }) => {
      signal.addEventListener("abort", () => {
        aborted.push(args.turn);
        noticed.resolve();
      });
      if (running.push(args.turn) === 3) started.resolve();
      await finished.promise;
      return `turn ${args.turn}`;
    });
    const client = await connect(server);
    const stop = new AbortController();

    const before = client.callTool("wait", { turn: 1 }, { signal: new AbortController().signal });
    const doomed = client.callTool("wait", { turn: 2 }, { signal: stop.signal });
    const after = client.callTool("wait", { turn: 3 });
    await started.promise;
    stop.abort();
    await expect(doomed).rejects.toMatchObject({ code: "request-aborted" });
    await noticed.promise;
    finished.resolve();

    expect((await before).content).toEqual([{ type: "text", text: "turn 1" }]);
    expect((await after).content).toEqual([{ type: "text", text: "turn 3" }]);
    expect(aborted).toEqual([2]);
  },
);

verifies(
  "protocol:cancel:already-aborted",
  "a call with an aborted signal rejects with its reason, and nothing crosses",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "untouched", version: "1.0.0" });
    server.tool("never", {}, () => {
      throw new Error("must not run");
    });
    const client = await connect(server);
    const sentBefore = wire.from("client").length;

    const signal = AbortSignal.abort("never mind");
    const refusal = { name: "SdkError", code: "request-aborted", cause: "never mind" };
    await expect(client.callTool("never", {}, { signal })).rejects.toMatchObject(refusal);
    await expect(client.request("acme/never", {}, { signal })).rejects.toMatchObject(refusal);

    expect(wire.from("client")).toHaveLength(sentBefore);
  },
);

verifies(
  "protocol:cancel:settled",
  "aborting after the result or the error has come sends nothing",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "quick", version: "1.0.0" });
    server.handle("acme/quick", () => ({ done: true }));
    const client = await connect(server);
    const stop = new AbortController();

    const result = await client.request("acme/quick", {}, { signal: stop.signal });
    await client.request("acme/unknown", {}, { signal: stop.signal }).catch(() => undefined);
    stop.abort();
    await client.request("acme/quick");

    expect(result).toMatchObject({ done: true });
    expect(wire.methods("client").slice(-3)).toEqual(["acme/quick", "acme/unknown", "acme/quick"]);
  },
);

verifies(
  "protocol:cancel:late-response-ignored",
  "the answer to a cancelled request is reported and settles nothing, and the next call gets its own",
  async ({ openServer }) => {
    const reported: Error[] = [];
    const { peer, client } = await openServer({}, { onError: (error) => void reported.push(error) });
    const stop = new AbortController();

    const call = client.request("acme/ask", {}, { signal: stop.signal });
    const request = await peer.receive();
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    expect(await peer.receive()).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: request.id },
    });
    await peer.respond(request, { answer: "too late" });
    const next = client.request("acme/ask");
    await peer.respond(await peer.receive(), { answer: "in time" });

    expect(await next).toEqual({ answer: "in time" });
    expect(reported).toMatchObject([{ name: "SdkError", code: "unexpected-answer" }]);
  },
);

verifies("protocol:cancel:session-survives", "a call after an aborted one is served", async ({ connect }) => {
  const server = new McpServer({ name: "slow", version: "1.0.0" });
  server.tool("wait", {}, () => new Promise<string>(() => undefined));
  server.tool("greet", {}, () => "hello");
  const client = await connect(server);
  const stop = new AbortController();

  const call = client.callTool("wait", {}, { signal: stop.signal });
  stop.abort();
  await expect(call).rejects.toMatchObject({ code: "request-aborted" });

  expect((await client.callTool("greet")).content).toEqual([{ type: "text", text: "hello" }]);
});

const givesUpOnOpening =
  (opening: "initialize" | "server/discover"): Body =>
  async ({ revision, wire }) => {
    const { peer, transport } = scriptedServer();
    recordPeer(peer, "server", wire.open(["client"]));
    const client = new Client({ name: "impatient", version: "1.0.0", revisions: [revision] });
    const stop = new AbortController();

    const opened = client.open(transport, { signal: stop.signal });
    expect(await peer.receive()).toMatchObject({ method: opening });
    stop.abort();

    await expect(opened).rejects.toMatchObject({ name: "SdkError", code: "request-aborted" });
    expect(await peer.drain()).toEqual([]);
    expect(peer.isClosed).toBe(true);
  };

verifies(
  "protocol:cancel:initialize-not-cancellable",
  "a client that gives up during the handshake closes the connection and sends nothing more",
  givesUpOnOpening("initialize"),
);

verifies(
  "protocol:cancel:discover-not-cancellable",
  "a client that gives up during the probe closes the connection and sends nothing more",
  givesUpOnOpening("server/discover"),
);

verifies(
  "protocol:cancel:server-to-client",
  "a handler's request to the client is cancelled when the handler gives it up, and when the handler returns without its answer",
  async ({ connect, wire }) => {
    const stop = new AbortController();
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.handle("acme/give-up", async (_params, context) => {
      const asked = context.request("acme/ask", { by: "give-up" }, { signal: stop.signal });
      return { outcome: await asked.catch(({ code }) => code) };
    });
    server.handle("acme/return-early", async (_params, context) => {
      void context.request("acme/ask", { by: "return-early" });
      await asking["return-early"].promise;
      return { outcome: "returned" };
    });
    const client = await connect(server);
    const asking = { "give-up": deferred(), "return-early": deferred() };
    const aborted = { "give-up": deferred(), "return-early": deferred() };
    client.handle("acme/ask", ({ by }: JsonObject, { signal }) => {
      const name = by as keyof typeof asking;
      signal.addEventListener("abort", () => aborted[name].resolve());
      asking[name].resolve();
      return new Promise(() => undefined);
    });

    const gaveUp = client.request("acme/give-up");
    await asking["give-up"].promise;
    stop.abort();
    expect(await gaveUp).toMatchObject({ outcome: "request-aborted" });
    await aborted["give-up"].promise;
    expect(await client.request("acme/return-early")).toMatchObject({ outcome: "returned" });
    await aborted["return-early"].promise;

    const sent = wire.from("server").flatMap((message) => ("method" in message ? [message] : []));
    const asked = sent.flatMap((message) => ("id" in message ? [{ requestId: message.id }] : []));
    const cancelled = sent.filter(({ method }) => method === "notifications/cancelled").map(({ params }) => params);
    expect(asked).toHaveLength(2);
    expect(cancelled).toMatchObject(asked);
  },
);

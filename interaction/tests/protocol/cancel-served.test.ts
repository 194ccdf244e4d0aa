import { defineMethod, McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

verifies(
  "protocol:cancel:in-flight",
  "a cancelled request is not answered, whether its handler returns or throws, and a late defect is reported",
  async ({ openClient, params }) => {
    const reported: Error[] = [];
    const defect = new Error("a defect that shows late");
    const started = { return: deferred(), throw: deferred() };
    const finished = deferred();
    const server = new McpServer({ name: "slow", version: "1.0.0", onError: (error) => void reported.push(error) });
    for (const outcome of ["return", "throw"] as const) {
      server.tool(outcome, {}, async () => {
        started[outcome].resolve();
        await finished.promise;
        if (outcome === "throw") throw defect;
        return "too late";
      });
    }
    const peer = await openClient(server);

    for (const name of ["return", "throw"] as const) {
      await peer.send({ jsonrpc: "2.0", id: name, method: "tools/call", params: params({ name }) });
      await started[name].promise;
      await peer.notify("notifications/cancelled", { requestId: name, reason: "enough" });
    }
    expect(await peer.drain()).toEqual([]);
    finished.resolve();
    expect(await peer.drain()).toEqual([]);

    expect(reported).toMatchObject([{ name: "SdkError", code: "handler-failed", cause: defect }]);
  },
);

verifies(
  "protocol:cancel:id-reused",
  "the successor under a cancelled request's id keeps it when the first handler ends, and gets its own answer",
  async ({ openClient, params }) => {
    const started = { first: deferred(), second: deferred() };
    const finished = { first: deferred(), second: deferred() };
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    for (const turn of ["first", "second"] as const) {
      server.handle(`acme/${turn}`, async () => {
        started[turn].resolve();
        await finished[turn].promise;
        return { turn };
      });
    }
    const peer = await openClient(server);

    await peer.send({ jsonrpc: "2.0", id: 1, method: "acme/first", params: params() });
    await started.first.promise;
    await peer.notify("notifications/cancelled", { requestId: 1 });
    await peer.send({ jsonrpc: "2.0", id: 1, method: "acme/second", params: params() });
    await started.second.promise;
    finished.first.resolve();
    expect(await peer.drain()).toEqual([]);
    await peer.send({ jsonrpc: "2.0", id: 1, method: "acme/second", params: params() });
    expect(await peer.receive()).toMatchObject({ id: 1, error: { code: -32600 } });
    finished.second.resolve();

    expect(await peer.receive()).toMatchObject({ id: 1, result: { turn: "second" } });
    expect(await peer.drain()).toEqual([]);
  },
);

verifies(
  "protocol:cancel:handler-abort-propagates",
  "the signal of the named handler aborts with the peer's reason; the one beside it is answered",
  async ({ openClient, params }) => {
    const started = deferred();
    const aborted = deferred<unknown>();
    const finished = deferred();
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.handle("acme/wait", async (_params, { requestId, signal }) => {
      signal.addEventListener("abort", () => aborted.resolve({ requestId, reason: signal.reason }));
      if (requestId === "second") started.resolve();
      await finished.promise;
      return { isAborted: signal.aborted };
    });
    const peer = await openClient(server);

    for (const id of ["first", "second"]) {
      await peer.send({ jsonrpc: "2.0", id, method: "acme/wait", params: params() });
    }
    await started.promise;
    await peer.notify("notifications/cancelled", { requestId: "first", reason: "the user left" });
    expect(await aborted.promise).toMatchObject({
      requestId: "first",
      reason: { name: "SdkError", code: "request-aborted", message: expect.stringContaining("the user left") },
    });
    finished.resolve();

    expect(await peer.receive()).toMatchObject({ id: "second", result: { isAborted: false } });
    expect(await peer.drain()).toEqual([]);
  },
);

verifies(
  "protocol:cancel:before-start",
  "a request that is cancelled while middleware or a schema still looks at it never reaches its handler",
  async ({ openClient, params }) => {
    let looking = deferred();
    const release = deferred();
    const look = async () => {
      looking.resolve();
      await release.promise;
      return true;
    };
    const input = z.object({}).refine(look);
    const ran: string[] = [];
    const run = ({ method }: { readonly method: string }) => {
      ran.push(method);
      return {};
    };
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.tool("slow", { input }, (_args, context) => JSON.stringify(run(context)));
    server.prompt("slow", { input }, (_args, context) => JSON.stringify(run(context)));
    server.handle("acme/named", { params: input }, (_params, context) => run(context));
    server.handle(defineMethod("acme/defined", { params: input, result: z.object({}) }), (_params, context) =>
      run(context),
    );
    server.handle("acme/layered", (_params, context) => run(context));
    server.use(async ({ method }, next) => {
      if (method === "acme/layered") await look();
      return next();
    });
    const peer = await openClient(server);

    for (const method of ["tools/call", "prompts/get", "acme/named", "acme/defined", "acme/layered"]) {
      looking = deferred();
      const given = method.startsWith("acme/") ? {} : { name: "slow" };
      await peer.send({ jsonrpc: "2.0", id: method, method, params: params(given) });
      await looking.promise;
      await peer.notify("notifications/cancelled", { requestId: method });
    }
    expect(await peer.drain()).toEqual([]);
    release.resolve();
    expect(await peer.drain()).toEqual([]);
    expect(ran).toEqual([]);
    await peer.request("next", "tools/call", params({ name: "slow" }));
    expect(ran).toEqual(["tools/call"]);
  },
);

verifies(
  "protocol:cancel:unknown-id-ignored",
  "cancellations that name no request in flight change nothing for the one that is",
  async ({ openClient, params }) => {
    const finished = deferred();
    const server = new McpServer({ name: "slow", version: "1.0.0", onError: () => undefined });
    server.handle("acme/quick", () => ({ served: true }));
    server.handle("acme/wait", async (_params, { signal }) => {
      await finished.promise;
      return { isAborted: signal.aborted };
    });
    const peer = await openClient(server);

    await peer.request("answered", "acme/quick", params());
    await peer.send({ jsonrpc: "2.0", id: "in flight", method: "acme/wait", params: params() });
    await peer.send({ jsonrpc: "2.0", id: "7", method: "acme/wait", params: params() });
    for (const requestId of ["unknown", 99, "answered", 7, null, ["in flight"], { id: "in flight" }, undefined]) {
      await peer.notify("notifications/cancelled", { requestId });
    }
    await peer.notify("notifications/cancelled");
    await peer.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: "in flight" });
    expect(await peer.drain()).toEqual([]);

    expect(await peer.request("next", "acme/quick", params())).toMatchObject({ result: { served: true } });
    finished.resolve();
    expect(await peer.receive()).toMatchObject({ id: "in flight", result: { isAborted: false } });
    expect(await peer.receive()).toMatchObject({ id: "7", result: { isAborted: false } });
  },
);

verifies(
  "protocol:cancel:opening-is-answered",
  "the opening request is answered although its client cancelled it, and the connection serves the next one",
  async ({ playClient, params, revision, era }) => {
    const started = deferred();
    const release = deferred();
    const server = new McpServer({ name: "patient", version: "1.0.0" });
    server.handle("acme/echo", () => ({ served: true }));
    server.use(async ({ kind, context }, next) => {
      if (kind === "notification" || context?.method === "acme/echo") return next();
      started.resolve();
      await release.promise;
      return next();
    });
    const peer = await playClient(server);

    const clientInfo = { name: "hasty", version: "1.0.0" };
    const handshake = { protocolVersion: revision, capabilities: {}, clientInfo };
    const opening =
      era === "legacy"
        ? peer.request("open", "initialize", handshake)
        : peer.request("open", "server/discover", params());
    await started.promise;
    await peer.notify("notifications/cancelled", { requestId: "open" });
    release.resolve();

    expect(await opening).toMatchObject({ id: "open", result: { capabilities: {} } });
    if (era === "legacy") await peer.notify("notifications/initialized");
    expect(await peer.request(2, "acme/echo", params())).toMatchObject({ result: { served: true } });
  },
);

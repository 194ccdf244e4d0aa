import { McpServer } from "parley-mcp/server";
import type { MiddlewareCall } from "parley-mcp/types";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

verifies(
  "middleware:server:outbound",
  "progress, log messages and notifications of handlers pass server middleware, which may change or drop them",
  async ({ connect, wire }) => {
    const events: string[] = [];
    const server = new McpServer({ name: "layered", version: "1.0.0", capabilities: { logging: {} } });
    for (const layer of ["outer", "inner"]) {
      server.use((call, next) => {
        if (call.direction === "inbound") return next();
        events.push(`${layer}: ${call.kind} ${call.method} ${call.context}`);
        return next();
      });
    }
    server.use((call, next) => {
      if (call.method === "notifications/message") return next({ ...call.params, data: "redacted" });
      return call.method === "acme/secret" ? undefined : next();
    });
    server.tool("work", {}, async (_args, context) => {
      await context.progress(1);
      context.log.error("secret");
      await context.notify("acme/secret");
      await context.notify("acme/step", { step: 1 });
      return "done";
    });
    const client = await connect(server);

    await client.callTool("work", {}, { onProgress: () => undefined, logLevel: "debug" });

    const methods = ["notifications/progress", "notifications/message", "acme/secret", "acme/step"];
    expect(events).toEqual(
      methods.flatMap((method) => ["outer", "inner"].map((layer) => `${layer}: notification ${method} undefined`)),
    );
    const sent = wire.from("server").flatMap((message) => ("method" in message ? [message] : []));
    expect(sent.map(({ method }) => method)).toEqual(methods.filter((method) => method !== "acme/secret"));
    expect(sent).toMatchObject([{}, { params: { data: "redacted" } }, { params: { step: 1 } }]);
  },
);

verifies(
  "middleware:server:outbound-requests",
  "server middleware sees a question to a legacy client with its answer, changes one and answers another by itself",
  async ({ connect, wire }) => {
    const seen: unknown[] = [];
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.use(async (call, next) => {
      if (call.direction === "inbound") return next();
      if (call.method === "acme/cached") return { from: "middleware" };
      const answer = await next(call.method === "acme/ask" ? { ...call.params, value: 2 } : undefined);
      seen.push([call.kind, call.method, answer]);
      return answer;
    });
    server.tool("ask", {}, async (_args, context) => {
      const roots = await context.listRoots();
      const asked = await context.request("acme/ask", { value: 1 });
      const cached = await context.request("acme/cached");
      return JSON.stringify([roots, asked, cached]);
    });
    const roots = [{ uri: "file:///home" }];
    const client = await connect(server, { listRoots: () => roots });
    client.handle("acme/ask", ({ value }) => ({ value }));

    const { content } = await client.callTool("ask");

    expect(content).toMatchObject([{ text: JSON.stringify([roots, { value: 2 }, { from: "middleware" }]) }]);
    expect(seen).toEqual([
      ["request", "roots/list", { roots }],
      ["request", "acme/ask", { value: 2 }],
    ]);
    expect(wire.methods("server")).toEqual(["roots/list", "acme/ask"]);
  },
);

verifies(
  "middleware:server:outbound-before-answer",
  "a notification that middleware holds up is sent before the answer, although the handler does not wait for it",
  async ({ connect, wire }) => {
    const held = deferred();
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.use(async ({ direction }, next) => {
      if (direction === "outbound") await held.promise;
      return next();
    });
    server.tool("work", {}, (_args, context) => {
      void context.notify("acme/step");
      setImmediate(() => held.resolve());
      return "done";
    });
    const client = await connect(server);

    await client.callTool("work");

    const kinds = wire.from("server").map((sent) => ("method" in sent ? sent.method : "answer"));
    expect(kinds.slice(-2)).toEqual(["acme/step", "answer"]);
  },
);

verifies(
  "middleware:revision",
  "middleware of both sides is told the revision of requests and notifications, inbound and outbound",
  async ({ connect, revision }) => {
    const seen = new Map<string, string>();
    const note = (side: string) => (call: MiddlewareCall<unknown>, next: () => Promise<unknown>) => {
      seen.set(`${side} ${call.direction} ${call.kind}`, call.revision);
      return next();
    };
    const server = new McpServer({ name: "layered", version: "1.0.0" });
    server.use(note("server"));
    server.tool("work", {}, async (_args, context) => {
      await context.notify("acme/step");
      return "done";
    });
    const client = await connect(server);
    client.use(note("client"));

    await client.notify("acme/note");
    await client.callTool("work");

    expect(Object.fromEntries(seen)).toEqual({
      "server inbound request": revision,
      "server inbound notification": revision,
      "server outbound notification": revision,
      "client outbound notification": revision,
      "client outbound request": revision,
      "client inbound notification": revision,
    });
  },
);

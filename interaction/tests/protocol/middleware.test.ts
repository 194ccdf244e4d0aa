import { McpServer, ProtocolError } from "parley-mcp/server";
import { ErrorCode, type MiddlewareCall } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const describeCall = ({ direction, kind, method }: MiddlewareCall<unknown>) => `${direction} ${kind} ${method}`;

verifies(
  "protocol:middleware:server",
  "server middleware sees everything that arrives, the opening included, the first added around the second",
  async ({ connect, era }) => {
    const events: string[] = [];
    const server = new McpServer({ name: "layered", version: "1.0.0" });
    for (const layer of ["outer", "inner"]) {
      server.use(async (call, next) => {
        events.push(`${layer}: ${describeCall(call)}`);
        const result = await next();
        events.push(`${layer} is done`);
        return result;
      });
    }
    server.handle("acme/work", () => {
      events.push("handler");
      return { worked: true };
    });
    server.onNotification("acme/note", () => events.push("handler"));
    const client = await connect(server);

    await client.notify("acme/note");
    expect(await client.request("acme/work")).toMatchObject({ worked: true });

    const around = (call: string, ...inside: string[]) => [
      `outer: inbound ${call}`,
      `inner: inbound ${call}`,
      ...inside,
      "inner is done",
      "outer is done",
    ];
    const opening =
      era === "modern"
        ? around("request server/discover")
        : [...around("request initialize"), ...around("notification notifications/initialized")];
    expect(events).toEqual([
      ...opening,
      ...around("notification acme/note", "handler"),
      ...around("request acme/work", "handler"),
    ]);
  },
);

verifies("protocol:middleware:server", "server middleware sees methods that nobody handles", async ({ connect }) => {
  const seen: string[] = [];
  const server = new McpServer({ name: "layered", version: "1.0.0" });
  server.use(({ method }, next) => {
    seen.push(method);
    return next();
  });
  const client = await connect(server);

  await expect(client.request("acme/unknown")).rejects.toMatchObject({ code: ErrorCode.methodNotFound });

  expect(seen.at(-1)).toBe("acme/unknown");
});

verifies(
  "protocol:middleware:server",
  "server middleware may change params and result, answer by itself, refuse, and drop a notification",
  async ({ connect }) => {
    const noticed: unknown[] = [];
    const server = new McpServer({ name: "layered", version: "1.0.0" });
    server.use(async ({ method, params }, next) => {
      if (method === "acme/cached") return { from: "middleware" };
      if (method === "acme/refused") throw new ProtocolError(4050, "Not today", { data: { until: "tomorrow" } });
      if (method === "acme/note") return params.secret ? undefined : next();
      if (method !== "acme/echo") return next();
      const result = await next({ ...params, value: 2 });
      return { ...(result as object), added: true };
    });
    server.handle("acme/echo", ({ value }) => ({ value }));
    for (const method of ["acme/cached", "acme/refused"]) {
      server.handle(method, () => {
        throw new Error("must not run");
      });
    }
    server.onNotification("acme/note", (params) => noticed.push(params));
    const client = await connect(server);

    await client.notify("acme/note", { secret: true });
    await client.notify("acme/note", { secret: false });
    expect(await client.request("acme/echo", { value: 1 })).toMatchObject({ value: 2, added: true });
    expect(await client.request("acme/cached")).toMatchObject({ from: "middleware" });
    await expect(client.request("acme/refused")).rejects.toMatchObject({
      name: "ProtocolError",
      code: 4050,
      message: "Not today",
      data: { until: "tomorrow" },
    });
    expect(noticed).toEqual([{ secret: false }]);
  },
);

verifies(
  "protocol:middleware:server",
  "a change in place of a tool's structured content reaches the client",
  async ({ connect }) => {
    const server = new McpServer({ name: "layered", version: "1.0.0" });
    const output = { type: "object", properties: { count: { type: "integer" } } };
    server.tool("count", { output }, () => ({ count: 1 }));
    server.use(async ({ method }, next) => {
      const result = await next();
      if (method === "tools/call")
        Object.assign((result as { structuredContent: object }).structuredContent, { count: 2 });
      return result;
    });
    const client = await connect(server);

    const { structuredContent } = await client.request("tools/call", { name: "count" });

    expect(structuredContent).toEqual({ count: 2 });
  },
);

verifies(
  "protocol:middleware:client",
  "client middleware sees what the client sends and receives, the first added around the second",
  async ({ connect, era }) => {
    const events: { call: string; event: string }[] = [];
    const server = new McpServer({ name: "talkative", version: "1.0.0" });
    server.tool("work", {}, async (_args, context) => {
      await context.notify("acme/step");
      if (era === "legacy") await context.request("acme/ask");
      return "done";
    });
    const client = await connect(server);
    client.handle("acme/ask", () => ({ answered: true }));
    for (const layer of ["outer", "inner"]) {
      client.use(async (call, next) => {
        events.push({ call: describeCall(call), event: `${layer} begins` });
        const result = await next();
        events.push({ call: describeCall(call), event: `${layer} ends` });
        return result;
      });
    }

    await client.notify("acme/note");
    await client.callTool("work");

    const calls = [...new Set(events.map(({ call }) => call))];
    expect(calls).toEqual([
      "outbound notification acme/note",
      "outbound request tools/call",
      "inbound notification acme/step",
      ...(era === "legacy" ? ["inbound request acme/ask"] : []),
    ]);
    for (const seen of calls) {
      const order = events.filter(({ call }) => call === seen).map(({ event }) => event);
      expect(order).toEqual(["outer begins", "inner begins", "inner ends", "outer ends"]);
    }
  },
);

verifies(
  "protocol:middleware:client",
  "client middleware may change params and result, answer by itself, and refuse, on the way out",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "echo", version: "1.0.0" });
    server.handle("acme/echo", ({ value }) => ({ value }));
    const client = await connect(server);
    const refusal = new Error("Not today");
    client.use(async ({ method, params }, next) => {
      if (method === "acme/cached") return { from: "middleware" };
      if (method === "acme/refused") throw refusal;
      const result = await next({ ...params, value: 2 });
      return { ...(result as object), added: true };
    });

    expect(await client.request("acme/echo", { value: 1 })).toMatchObject({ value: 2, added: true });
    expect(await client.request("acme/cached")).toEqual({ from: "middleware" });
    await expect(client.request("acme/refused")).rejects.toBe(refusal);
    expect(wire.methods("client").filter((method) => method.startsWith("acme/"))).toEqual(["acme/echo"]);
  },
);

verifies(
  "protocol:middleware:client-batch",
  "each call of a batch passes the middleware, and what it answers itself is not sent",
  async ({ connect, wire }) => {
    const seen: unknown[] = [];
    const server = new McpServer({ name: "echo", version: "1.0.0" });
    server.handle("acme/echo", ({ value }) => ({ value }));
    const client = await connect(server);
    client.use(({ kind, direction, method, params }, next) => {
      seen.push({ kind, direction, method });
      return method === "acme/cached" ? { from: "middleware" } : next({ ...params, value: 2 });
    });

    const outcomes = await client.requestBatch([
      { method: "acme/echo", params: { value: 1 } },
      { method: "acme/cached" },
    ]);

    expect(seen).toEqual([
      { kind: "request", direction: "outbound", method: "acme/echo" },
      { kind: "request", direction: "outbound", method: "acme/cached" },
    ]);
    expect(outcomes).toEqual([
      { status: "fulfilled", value: { value: 2 } },
      { status: "fulfilled", value: { from: "middleware" } },
    ]);
    expect(wire.methods("client")).not.toContain("acme/cached");
  },
);

import { McpServer } from "parley-mcp/server";
import { telemetry } from "parley-mcp/telemetry";
import type { JsonObject } from "parley-mcp/types";
import { expect, vi } from "vitest";
import { recordTelemetry } from "../../src/recorded-telemetry.js";
import { verifies } from "../../src/verifies.js";

const TRACE = {
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
  tracestate: "vendor=opaque,other=t61rcWkgMzE",
  baggage: "user=ada%20l,empty=;property",
};

const traceIn = (meta: unknown): unknown => {
  const { traceparent, tracestate, baggage } = (meta ?? {}) as JsonObject;
  return { traceparent, tracestate, baggage };
};

verifies(
  "telemetry:context:every-revision",
  "handlers of tools, resources, prompts, methods and notifications see the caller's trace context untouched",
  async ({ connect }) => {
    const seen: unknown[] = [];
    const server = new McpServer({ name: "traced", version: "1.0.0" });
    server.tool("read", {}, (_args, { meta }) => `${seen.push(traceIn(meta))}`);
    server.resource("read://it", { name: "it" }, (_request, { meta }) => `${seen.push(traceIn(meta))}`);
    server.prompt("read", {}, (_args, { meta }) => `${seen.push(traceIn(meta))}`);
    server.handle("acme/read", (_params, { meta }) => ({ count: seen.push(traceIn(meta)) }));
    server.onNotification("acme/note", ({ _meta }) => seen.push(traceIn(_meta)));
    const client = await connect(server);

    await client.callTool("read", {}, { meta: TRACE });
    await client.readResource("read://it", { meta: TRACE });
    await client.getPrompt("read", {}, { meta: TRACE });
    await client.notify("acme/note", { _meta: TRACE });
    await client.request("acme/read", { _meta: TRACE });

    expect(seen).toEqual(Array.from({ length: 5 }, () => TRACE));
  },
);

verifies(
  "telemetry:context:while-serving",
  "middleware puts trace context on all that a tool sends, and the client finds it there",
  async ({ connect, wire }) => {
    const seen: unknown[] = [];
    const server = new McpServer({ name: "traced", version: "1.0.0", capabilities: { logging: {} } });
    server.use(({ direction, params }, next) =>
      direction === "outbound" ? next({ ...params, _meta: { ...(params._meta as object), ...TRACE } }) : next(),
    );
    server.tool("work", {}, async (_args, context) => {
      await context.progress(1);
      context.log.error("odd");
      await context.notify("acme/step");
      return "done";
    });
    const client = await connect(server);
    for (const method of ["notifications/message", "acme/step"]) {
      client.onNotification(method, ({ _meta }) => seen.push(traceIn(_meta)));
    }

    await client.callTool("work", {}, { onProgress: () => undefined, logLevel: "debug" });

    expect(seen).toEqual([TRACE, TRACE]);
    const sent = wire.from("server").flatMap((message) => ("method" in message ? [message] : []));
    expect(sent.map(({ method, params }) => [method, traceIn(params?._meta)])).toEqual([
      ["notifications/progress", TRACE],
      ["notifications/message", TRACE],
      ["acme/step", TRACE],
    ]);
  },
);

verifies(
  "telemetry:context:questions",
  "a client's handlers see trace context that the server puts on a question and on a custom method",
  async ({ connect }) => {
    const seen: unknown[] = [];
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.use((call, next) => (call.direction === "outbound" ? next({ ...call.params, _meta: TRACE }) : next()));
    server.tool("ask", {}, async (_args, context) => {
      await context.listRoots();
      await context.request("acme/ask", {});
      return "asked";
    });
    const client = await connect(server, { listRoots: () => [] });
    client.handle("acme/ask", (_params, { meta }) => ({ count: seen.push(traceIn(meta)) }));
    client.use((call, next) => {
      if (call.method === "roots/list") seen.push(traceIn(call.context?.meta));
      return next();
    });

    await client.callTool("ask");

    expect(seen).toEqual([TRACE, TRACE]);
  },
);

verifies(
  "telemetry:context:results",
  "a caller finds the trace context that a handler put on its result",
  async ({ connect }) => {
    const server = new McpServer({ name: "traced", version: "1.0.0" });
    server.tool("work", {}, () => ({ content: [], _meta: TRACE }));
    server.handle("acme/work", () => ({ _meta: TRACE }));
    const client = await connect(server);

    const results = [await client.callTool("work"), await client.request("acme/work")];

    expect(results.map(({ _meta }) => traceIn(_meta))).toEqual([TRACE, TRACE]);
  },
);

const MALFORMED: readonly unknown[] = [7, null, "", "00-zz-zz-01", {}, ["x"], "0".repeat(20_000), "=,;=".repeat(99)];

verifies(
  "telemetry:context:malformed",
  "malformed trace context is served as if it were absent",
  async ({ connect }) => {
    using recorded = recordTelemetry();
    for (const isTraced of [false, true]) {
      const server = new McpServer({ name: "traced", version: "1.0.0" });
      if (isTraced) server.use(telemetry());
      server.tool("work", {}, () => "done");
      const client = await connect(server);

      for (const value of MALFORMED) {
        const meta = { traceparent: value, tracestate: value, baggage: value };
        expect(await client.callTool("work", {}, { meta })).toMatchObject({ content: [{ text: "done" }] });
      }
    }
    const served = recorded.spans.filter(({ name }) => name === "tools/call work");
    expect(served).toHaveLength(MALFORMED.length);
    expect(served.map(({ parentSpanContext }) => parentSpanContext)).toEqual(MALFORMED.map(() => undefined));
  },
);

verifies(
  "telemetry:context:nothing-by-itself",
  "neither side sends trace context without telemetry, whatever an application has registered",
  async ({ connect, wire }) => {
    using _recorded = recordTelemetry();
    const server = new McpServer({ name: "plain", version: "1.0.0" });
    server.use((_call, next) => next());
    server.tool("work", {}, async (_args, context) => {
      await context.progress(1);
      return "done";
    });
    const client = await connect(server);

    await client.callTool("work", {}, { onProgress: () => undefined });

    const sent = JSON.stringify([wire.from("client"), wire.from("server")]);
    for (const key of Object.keys(TRACE)) expect(sent).not.toContain(key);
  },
);

verifies("telemetry:optional", "all but the telemetry entry load where OpenTelemetry is missing", async () => {
  vi.resetModules();
  vi.doMock("@opentelemetry/api", () => {
    throw new Error("not installed");
  });
  try {
    const entries = await Promise.all([
      import("parley-mcp/server"),
      import("parley-mcp/client"),
      import("parley-mcp/testing"),
    ]);
    expect(entries.map((entry) => Object.keys(entry).length > 0)).toEqual([true, true, true]);
    await expect(import("parley-mcp/telemetry")).rejects.toThrow();
  } finally {
    vi.doUnmock("@opentelemetry/api");
    vi.resetModules();
  }
});

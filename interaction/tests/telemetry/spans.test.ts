import {
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  context as traceContexts,
} from "@opentelemetry/api";
import { Client } from "parley-mcp/client";
import { serveHttp } from "parley-mcp/node";
import { McpServer, ProtocolError } from "parley-mcp/server";
import { telemetry } from "parley-mcp/telemetry";
import type { JsonObject } from "parley-mcp/types";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { recordTelemetry } from "../../src/recorded-telemetry.js";
import { verifies } from "../../src/verifies.js";

const { CLIENT, SERVER, INTERNAL } = SpanKind;

const tracedServer = (options: Parameters<typeof telemetry>[0] = {}): McpServer => {
  const server = new McpServer({ name: "traced", version: "1.0.0", onError: () => undefined });
  server.use(telemetry(options));
  return server;
};

verifies(
  "telemetry:spans:one-trace",
  "the application's span, the client's, the server's and the handler's hang together",
  async ({ connect }) => {
    using recorded = recordTelemetry();
    const tracer = trace.getTracer("app");
    const server = tracedServer();
    server.tool("work", {}, async () => {
      await Promise.resolve();
      tracer.startSpan("database").end();
      return "done";
    });
    const client = await connect(server);
    client.use(telemetry());

    await tracer.startActiveSpan("app", async (app) => {
      await client.callTool("work");
      app.end();
    });

    const path = [
      recorded.span(INTERNAL, "app"),
      recorded.span(CLIENT, "tools/call work"),
      recorded.span(SERVER, "tools/call work"),
      recorded.span(INTERNAL, "database"),
    ];
    expect(new Set(path.map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(path.slice(1).map((span) => span.parentSpanContext?.spanId)).toEqual(
      path.slice(0, -1).map((span) => span.spanContext().spanId),
    );
  },
);

verifies(
  "telemetry:spans:one-trace",
  "a parent that a client names without telemetry of its own is taken, and what is active there is not",
  async ({ connect }) => {
    using recorded = recordTelemetry();
    const tracer = trace.getTracer("app");
    const server = tracedServer();
    server.tool("work", {}, () => "done");
    const client = await connect(server);
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    await tracer.startActiveSpan("app", async (app) => {
      await client.callTool("work", {}, { meta: { traceparent } });
      app.end();
    });

    expect(recorded.span(SERVER, "tools/call work").parentSpanContext).toMatchObject({
      traceId: "0af7651916cd43dd8448eb211c80319c",
      spanId: "00f067aa0ba902b7",
      isRemote: true,
    });
  },
);

verifies(
  "telemetry:context:formats",
  "the wire has the client's span as the parent, and the baggage of its caller",
  async ({ connect, wire }) => {
    using recorded = recordTelemetry();
    const server = tracedServer();
    server.tool("who", {}, () => propagation.getActiveBaggage()?.getEntry("user")?.value ?? "nobody");
    const client = await connect(server);
    client.use(telemetry());

    const baggage = propagation.createBaggage({ user: { value: "ada lovelace" } });
    const call = () => client.callTool("who");
    const { content } = await traceContexts.with(propagation.setBaggage(ROOT_CONTEXT, baggage), call);

    const { traceId, spanId } = recorded.span(CLIENT, "tools/call who").spanContext();
    const [request] = wire.from("client").filter((sent) => "method" in sent && sent.method === "tools/call");
    expect(request).toMatchObject({
      params: { _meta: { traceparent: `00-${traceId}-${spanId}-01`, baggage: "user=ada%20lovelace" } },
    });
    expect(content).toMatchObject([{ text: "ada lovelace" }]);
  },
);

verifies(
  "telemetry:spans:conventions",
  "method, target, revision, id, resource and operation are told; a resource is in no name",
  async ({ connect, revision, era, connection }) => {
    using recorded = recordTelemetry();
    const server = tracedServer({ attributes: ({ direction }) => ({ "network.transport": "pipe", direction }) });
    server.tool("work", {}, () => "done");
    server.prompt("greet", {}, () => "hello");
    server.resource("notes://1", { name: "one" }, () => "text");
    const client = await connect(server);
    client.use(telemetry());

    await client.callTool("work");
    await client.getPrompt("greet");
    await client.readResource("notes://1");

    const common = { "mcp.protocol.version": revision };
    const hasSession = era === "legacy" && ["http", "http-json", "http-replicas", "fetch"].includes(connection);
    const expected = {
      "tools/call work": {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "work",
        "gen_ai.operation.name": "execute_tool",
      },
      "prompts/get greet": { "mcp.method.name": "prompts/get", "gen_ai.prompt.name": "greet" },
      "resources/read": { "mcp.method.name": "resources/read", "mcp.resource.uri": "notes://1" },
    };
    for (const [name, attributes] of Object.entries(expected)) {
      expect(recorded.span(CLIENT, name).attributes).toEqual({ ...common, ...attributes });
      expect(recorded.span(SERVER, name).attributes).toEqual({
        ...common,
        ...attributes,
        "jsonrpc.request.id": expect.stringMatching(/^\d+$/),
        "network.transport": "pipe",
        direction: "inbound",
        ...(hasSession && { "mcp.session.id": expect.stringMatching(/^[0-9a-f]{32}$/) }),
      });
    }
  },
);

verifies(
  "telemetry:spans:questions",
  "server and client swap kinds, and the client's span lies under the server's",
  async ({ connect }) => {
    using recorded = recordTelemetry();
    const server = tracedServer();
    server.tool("ask", {}, async (_args, context) => `${(await context.listRoots()).length}`);
    const client = await connect(server, { listRoots: () => [] });
    client.use(telemetry());

    await client.callTool("ask");

    const serving = recorded.span(SERVER, "tools/call ask");
    const asking = recorded.span(CLIENT, "roots/list");
    const answering = recorded.span(SERVER, "roots/list");
    expect(asking.parentSpanContext?.spanId).toBe(serving.spanContext().spanId);
    expect(answering.parentSpanContext?.spanId).toBe(asking.spanContext().spanId);
  },
);

verifies(
  "telemetry:spans:rounds",
  "one question makes two spans on each side, each server span under its own client span",
  async ({ connect }) => {
    using recorded = recordTelemetry();
    const server = tracedServer({ recordResults: true });
    server.tool("ask", {}, async (_args, context) => {
      const { content } = await context.elicit({ message: "?", schema: z.object({ name: z.string() }) });
      return `${content?.name}`;
    });
    const client = await connect(server, { elicit: () => ({ action: "accept", content: { name: "Ada" } }) });
    client.use(telemetry());

    await client.callTool("ask");

    const rounds = recorded.spans.filter(({ name }) => name === "tools/call ask");
    expect(rounds.map(({ kind }) => kind)).toEqual([SERVER, CLIENT, SERVER, CLIENT]);
    expect(rounds.map(({ status }) => status.code)).toEqual(rounds.map(() => SpanStatusCode.UNSET));
    const [served, called, servedAgain, calledAgain] = rounds;
    expect(served?.parentSpanContext?.spanId).toBe(called?.spanContext().spanId);
    expect(servedAgain?.parentSpanContext?.spanId).toBe(calledAgain?.spanContext().spanId);
    expect(served?.attributes).not.toHaveProperty("gen_ai.tool.call.result");
    expect(servedAgain?.attributes["gen_ai.tool.call.result"]).toContain("Ada");
  },
);

verifies(
  "telemetry:spans:notifications",
  "notifications have spans on both sides, and those that a server sends while serving lie under the call's span",
  async ({ connect }) => {
    using recorded = recordTelemetry();
    const server = tracedServer();
    server.tool("work", {}, async (_args, context) => {
      await context.notify("acme/step");
      return "done";
    });
    const client = await connect(server);
    client.use(telemetry());

    await client.notify("acme/note");
    await client.callTool("work");

    const serving = recorded.span(SERVER, "tools/call work").spanContext();
    const step = recorded.span(CLIENT, "acme/step");
    expect(step.parentSpanContext?.spanId).toBe(serving.spanId);
    expect(recorded.span(SERVER, "acme/step").parentSpanContext?.spanId).toBe(step.spanContext().spanId);
    const note = recorded.span(CLIENT, "acme/note");
    expect(recorded.span(SERVER, "acme/note").parentSpanContext?.spanId).toBe(note.spanContext().spanId);
  },
);

verifies(
  "telemetry:spans:errors",
  "spans show a deliberate error, a crash, a failed tool and a wrong call as each side sees them",
  async ({ connect }) => {
    using recorded = recordTelemetry();
    const server = tracedServer();
    server.tool("busy", {}, () => Promise.reject(new ProtocolError(503, "Busy")));
    server.tool("crash", {}, () => Promise.reject(new Error("secret")));
    server.tool("fail", {}, () => ({ content: [], isError: true }));
    const client = await connect(server);
    client.use(telemetry());

    for (const name of ["busy", "crash", "fail", "unknown"]) await client.callTool(name).catch(() => undefined);

    const told = (kind: SpanKind, name: string) => {
      const { status, attributes } = recorded.span(kind, `tools/call ${name}`);
      return [status, attributes["error.type"], attributes["rpc.response.status_code"]];
    };
    const error = (message: string) => ({ code: SpanStatusCode.ERROR, message });
    for (const kind of [CLIENT, SERVER]) {
      expect(told(kind, "busy")).toEqual([error("Busy"), "503", "503"]);
      for (const name of ["crash", "fail"]) {
        expect(told(kind, name)).toEqual([{ code: SpanStatusCode.ERROR }, "tool_error", undefined]);
      }
    }
    expect(told(SERVER, "unknown")).toEqual([{ code: SpanStatusCode.UNSET }, undefined, "-32602"]);
    expect(told(CLIENT, "unknown")).toEqual([error(expect.any(String)), "-32602", "-32602"]);
    expect(JSON.stringify(recorded.spans.map(({ attributes, events }) => [attributes, events]))).not.toContain(
      "secret",
    );
  },
);

verifies(
  "telemetry:spans:cancelled",
  "the server's span of a cancelled call has the reason that the caller gave",
  async ({ connect }) => {
    using recorded = recordTelemetry();
    const server = tracedServer();
    const begun = deferred();
    server.tool("wait", {}, (_args, { signal }) => {
      begun.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    const client = await connect(server);
    client.use(telemetry());

    const controller = new AbortController();
    const call = client.callTool("wait", {}, { signal: controller.signal });
    await begun.promise;
    controller.abort("the user left");
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });

    await vi.waitFor(() => expect(recorded.span(SERVER, "tools/call wait").status.message).toContain("the user left"));
    expect(recorded.span(SERVER, "tools/call wait").attributes["error.type"]).toBe("cancelled");
    expect(recorded.span(CLIENT, "tools/call wait").attributes["error.type"]).toBe("request-aborted");
  },
);

verifies(
  "telemetry:spans:no-payloads",
  "spans have neither arguments nor results by default, and both when asked",
  async ({ connect }) => {
    using recorded = recordTelemetry();
    const server = tracedServer();
    server.tool("add", { input: z.object({ a: z.number() }) }, ({ a }) => `${a + 1}`);
    const client = await connect(server);
    client.use(telemetry({ recordArguments: true, recordResults: true }));

    await client.callTool("add", { a: 41 });

    const payloads = (attributes: JsonObject) =>
      Object.keys(attributes).filter((key) => key.startsWith("gen_ai.tool.call"));
    expect(payloads(recorded.span(SERVER, "tools/call add").attributes)).toEqual([]);
    const { attributes } = recorded.span(CLIENT, "tools/call add");
    expect(attributes["gen_ai.tool.call.arguments"]).toBe('{"a":41}');
    expect(attributes["gen_ai.tool.call.result"]).toContain('"text":"42"');
  },
);

verifies(
  "telemetry:harmless",
  "calls are answered and errors reach the caller, although a tracer or an attributes function throws",
  async ({ connect }) => {
    const fail = (): never => {
      throw new Error("telemetry is down");
    };
    for (const options of [{}, { tracer: { startSpan: fail, startActiveSpan: fail } }, { attributes: fail }]) {
      const server = tracedServer(options);
      server.tool("work", {}, () => "done");
      server.tool("busy", {}, () => Promise.reject(new ProtocolError(503, "Busy")));
      const client = await connect(server);
      client.use(telemetry(options));

      expect(await client.callTool("work")).toMatchObject({ content: [{ text: "done" }] });
      await expect(client.callTool("busy")).rejects.toMatchObject({ code: 503, message: "Busy" });
    }
  },
);

verifies(
  "telemetry:spans:session-digest",
  "two calls of a session share a digest, a call of another has its own, and no span holds a session id",
  async () => {
    using recorded = recordTelemetry();
    const ids: unknown[] = [];
    const server = tracedServer();
    server.tool("work", {}, (_args, { caller }) => {
      ids.push(caller?.headers?.["mcp-session-id"]);
      return "done";
    });
    await using host = await serveHttp(server);
    const options = { name: "cli", version: "1.0.0", revisions: ["2025-11-25"] } as const;
    await using first = await Client.connect(host.url, options);
    await using second = await Client.connect(host.url, options);

    for (const client of [first, first, second]) await client.callTool("work");

    const spans = recorded.spans.filter(({ name }) => name === "tools/call work");
    const digests = spans.map(({ attributes }) => attributes["mcp.session.id"]);
    expect(digests).toHaveLength(3);
    expect(digests[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(digests[1]).toBe(digests[0]);
    expect(digests[2]).not.toBe(digests[0]);
    const everything = JSON.stringify(recorded.spans.map(({ attributes }) => attributes));
    for (const id of ids) expect(everything).not.toContain(id);
  },
);

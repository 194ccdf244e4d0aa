/** Compares the traces of ARCHITECTURE.md with the stacks of real calls. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "parley-mcp/client";
import { createNodeHandler } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { readSource } from "./source-files.js";
import { filesOffTrace, framesOf, type StackFrame, stepsOffStack, type Trace, tracesOf } from "./traces.js";

/** Files whose functions only forward or compose. */
const FORWARDING = [
  "client/client-call.ts",
  "dispatch/json-rpc-dispatcher.ts",
  "runtime/maybe-promise.ts",
  "server/default-handlers.ts",
  "server/input/with-input.ts",
  "transport/http/fetch-http.ts",
  "transport/http/http-transport.ts",
];

const traces = tracesOf(readSource("ARCHITECTURE.md"));

/** The lines of a trace from the one that begins with `first` to the one that begins with `last`. */
function part(first: string, last: string): Trace {
  const starts = (begin: string) => (step: Trace[number]) => step.line.replace(/\s+/g, " ").startsWith(begin);
  const trace = traces.find((steps) => steps.some(starts(first)) && steps.some(starts(last))) ?? [];
  return trace.slice(trace.findIndex(starts(first)), trace.findIndex(starts(last)) + 1);
}

/** The stacks of one modern call over HTTP: at the HTTP client, in `authenticate`, and in the handler of the tool. */
async function stacksOfCall(): Promise<{ client: StackFrame[]; gate: StackFrame[]; handler: StackFrame[] }> {
  const { stackTraceLimit } = Error;
  onTestFinished(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const stacks: Partial<Record<"client" | "gate" | "handler", StackFrame[]>> = {};
  const note = (place: keyof typeof stacks) => {
    stacks[place] = framesOf(String(new Error("stack").stack));
  };

  const server = new McpServer({ name: "traced", version: "1.0.0" });
  server.tool("here", () => note("handler"));
  const mounted = createNodeHandler(server, {
    authenticate: () => {
      note("gate");
      return {};
    },
  });
  const http = createServer(mounted).listen(0, "127.0.0.1");
  onTestFinished(async () => {
    await mounted.close();
    http.close();
  });
  await new Promise((resolve) => http.once("listening", resolve));

  const target = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    fetch: (url: URL, init: RequestInit) => {
      note("client");
      return fetch(url, init);
    },
  };
  const client = await Client.connect(target, { name: "cli", version: "1.0.0", revision: "2026-07-28" });
  await client.callTool("here");
  await client.close();
  const { client: sent = [], gate = [], handler = [] } = stacks;
  return { client: sent, gate, handler };
}

describe("the traces of ARCHITECTURE.md", () => {
  test("follow a modern call over HTTP to the handler of its tool", async () => {
    const { gate, handler } = await stacksOfCall();
    const arrival = part(
      "hosting/node/node-handler.ts handleNode",
      "hosting/http/http-endpoint.ts HttpEndpoint.#serveRoute",
    );
    const serving = part("hosting/http/http-endpoint.ts HttpEndpoint.#serveMessage", "server/tools.ts Tools.call");

    expect(Math.min(arrival.length, serving.length)).toBeGreaterThan(3);
    expect(stepsOffStack(arrival, gate)).toEqual([]);
    expect(stepsOffStack(serving, handler)).toEqual([]);
    const whole = part("hosting/node/node-handler.ts handleNode", "server/tools.ts Tools.call");
    expect(filesOffTrace(whole, [...gate, ...handler], FORWARDING)).toEqual([]);
  });

  test("follow a call of a client to its HTTP client", async () => {
    const { client } = await stacksOfCall();
    const sending = part(
      "client/spec-methods.ts SpecMethods.callTool",
      "transport/http/endpoint-client.ts EndpointClient.call",
    );

    expect(sending.length).toBeGreaterThan(3);
    expect(stepsOffStack(sending, client)).toEqual([]);
    expect(filesOffTrace(sending, client, FORWARDING)).toEqual([]);
  });
});

describe("comparing a trace with a stack", () => {
  const stack = [
    "Error: stack",
    "    at helper (/repository/a.test.ts:3:1)",
    "    at Server.#run [as go] (/x/packages/sdk/src/b.ts:7:2)",
    "    at /x/packages/sdk/src/a.ts:5:1",
    "    at async Server.handle (file:///x/packages/sdk/src/a.ts:1:1)",
    "    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
  ].join("\n");
  const trace = (...lines: string[]): Trace =>
    tracesOf({ path: "page.md", text: `\`\`\`\n${lines.join("\n")}\n\`\`\`` })[0] ?? [];

  test("reads the functions of the SDK, outermost first", () => {
    expect(framesOf(stack)).toEqual([
      { path: "a.ts", name: "handle" },
      { path: "a.ts", name: "" },
      { path: "b.ts", name: "#run" },
    ]);
  });

  test.each([
    ["in order", ["a.ts Server.handle", "b.ts Server.#run"], []],
    ["a function by its file", ["a.ts handled", "b.ts Server.#run"], []],
    ["out of order", ["b.ts Server.#run", "a.ts Server.handle"], ["a.ts Server.handle"]],
    ["another function of the file", ["a.ts Server.stop"], ["a.ts Server.stop"]],
    ["another file", ["c.ts Server.handle", "b.ts Server.#run"], ["c.ts Server.handle"]],
  ])("finds steps that are not on the stack: %s", (_case, lines, missing) => {
    expect(stepsOffStack(trace(...lines), framesOf(stack))).toEqual(missing);
  });

  test("finds files that the trace does not name", () => {
    expect(filesOffTrace(trace("a.ts Server.handle"), framesOf(stack), [])).toEqual(["b.ts"]);
    expect(filesOffTrace(trace("a.ts Server.handle"), framesOf(stack), ["b.ts"])).toEqual([]);
  });
});

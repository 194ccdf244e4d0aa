import type { Client } from "parley-mcp/client";
import { McpServer, type ServerContext } from "parley-mcp/server";
import type { JsonObject, Transport, TransportReceiver } from "parley-mcp/types";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";
import { LOGGING } from "./log-messages.fixture.js";

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
const mustNotRun = (): never => {
  throw new Error("must not run");
};

/** Says something at every level. */
function sound(_args: unknown, { log }: ServerContext): string {
  for (const level of LEVELS) log[level](level);
  return "done";
}

/** The data of the log messages that reach a client from now on. */
function listen(client: Client): unknown[] {
  const data: unknown[] = [];
  client.onNotification("notifications/message", (params) => void data.push(params.data));
  return data;
}

verifies(
  "logging:per-request:opt-in",
  "a call with a log level gets messages, and a call without one at the same time or later gets none",
  async ({ connect, wire }) => {
    const bothStarted = deferred();
    let started = 0;
    const server = new McpServer({ name: "worker", ...LOGGING });
    server.tool("work", { input: z.object({ name: z.string() }) }, async ({ name }, context) => {
      started += 1;
      if (started === 2) bothStarted.resolve();
      await bothStarted.promise;
      context.log.emergency(name);
      return "done";
    });
    const client = await connect(server);
    const heard = listen(client);

    await Promise.all([
      client.callTool("work", { name: "silent" }),
      client.callTool("work", { name: "loud" }, { logLevel: "debug" }),
    ]);
    await client.callTool("work", { name: "later" });

    expect(heard).toEqual(["loud"]);
    expect(wire.methods("server")).toEqual(["notifications/message"]);
  },
);

verifies(
  "logging:per-request:threshold",
  "each call gets the messages from its own level on",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "siren", ...LOGGING });
    server.tool("sound", {}, sound);
    const client = await connect(server);
    const heard = listen(client);

    for (const [index, logLevel] of LEVELS.entries()) {
      await client.callTool("sound", {}, { logLevel });
      expect(heard.splice(0), logLevel).toEqual(LEVELS.slice(index));
    }
    expect(wire.methods("server")).toHaveLength(8 + 7 + 6 + 5 + 4 + 3 + 2 + 1);
  },
);

verifies(
  "logging:per-request:own-stream",
  "each message names the request it belongs to, and stands before its result",
  async ({ params, wire }) => {
    const sent: unknown[] = [];
    const log = wire.open(["server"]);
    const answered = deferred();
    const started = deferred<TransportReceiver>();
    const transport: Transport = {
      start: started.resolve,
      send: (message, options) => {
        log.note("server", message);
        const { id, method } = message as { id?: unknown; method?: string };
        sent.push(method === undefined ? { answers: id } : { method, ...options });
        if (sent.length === 5) answered.resolve();
      },
      close: () => undefined,
    };
    const server = new McpServer({ name: "worker", ...LOGGING });
    server.tool("work", {}, async (_args, context) => {
      context.log.info("one");
      await Promise.resolve();
      context.log.info("two");
      return "done";
    });
    const connection = await server.serve(transport);
    const receiver = await started.promise;

    const call = (id: string | number, meta: JsonObject) =>
      receiver.receive({ jsonrpc: "2.0", id, method: "tools/call", params: params({ name: "work", _meta: meta }) });
    call("loud", { [LOG_LEVEL]: "info" });
    call(7, {});
    call(8, { [LOG_LEVEL]: "error" });
    await answered.promise;
    await connection.close();

    const message = { method: "notifications/message", relatedTo: "loud" };
    expect(sent).toHaveLength(5);
    expect(sent).toEqual(expect.arrayContaining([{ answers: 7 }, { answers: 8 }]));
    expect(sent.filter((entry) => JSON.stringify(entry).includes("loud"))).toEqual([
      message,
      message,
      { answers: "loud" },
    ]);
  },
);

verifies(
  "logging:per-request:invalid-level",
  "unknown levels are -32602, named by their key, and the tool is not called",
  { judge: "our-side-is-made-to-misbehave" },
  async ({ connect }) => {
    const server = new McpServer({ name: "siren", ...LOGGING });
    server.tool("sound", {}, mustNotRun);
    const client = await connect(server);

    for (const level of ["loud", "DEBUG", "", 7, null]) {
      const params = { name: "sound", _meta: { [LOG_LEVEL]: level } };
      await expect(client.request("tools/call", params), String(level)).rejects.toMatchObject({
        name: "ProtocolError",
        code: -32602,
        message: expect.stringContaining(LOG_LEVEL),
      });
    }
  },
);

verifies(
  "logging:per-request:client-option",
  "the level joins the caller's own keys where the era has it, and the caller's object stays as it was",
  async ({ connect, era }) => {
    const metas: JsonObject[] = [];
    const server = new McpServer({ name: "siren", ...LOGGING });
    const note = (_given: unknown, context: ServerContext) => {
      metas.push({ ...context.meta });
      return "noted";
    };
    server.tool("note", {}, note);
    server.prompt("note", {}, note);
    server.resource("note://all", { name: "all" }, note);
    const client = await connect(server);

    const meta = { "com.example/trace": 1 };
    await client.callTool("note", {}, { logLevel: "alert", meta });
    await client.getPrompt("note", {}, { logLevel: "alert", meta });
    await client.readResource("note://all", { logLevel: "alert", meta });
    await client.readResource("note://all", { meta });

    expect(metas.map((given) => given["com.example/trace"])).toEqual([1, 1, 1, 1]);
    const levels = metas.map((given) => given[LOG_LEVEL]);
    expect(levels).toEqual([...new Array(3).fill(era === "modern" ? "alert" : undefined), undefined]);
    expect(meta).toEqual({ "com.example/trace": 1 });
  },
);

verifies(
  "logging:per-request:legacy-ignores",
  "any log level in the _meta of a legacy request is accepted, and the connection's level decides what arrives",
  async ({ connect }) => {
    const server = new McpServer({ name: "siren", ...LOGGING });
    server.tool("sound", {}, sound);
    const client = await connect(server);
    const heard = listen(client);
    await client.setLogLevel("alert");

    for (const level of ["debug", "emergency", "loud", 7]) {
      await client.request("tools/call", { name: "sound", _meta: { [LOG_LEVEL]: level } });
      expect(heard.splice(0), String(level)).toEqual(["alert", "emergency"]);
    }
  },
);

verifies(
  "logging:per-request:input-rounds",
  "a message before a question arrives in both rounds, and one inside once in the first round alone",
  async ({ connect }) => {
    const server = new McpServer({ name: "deployer", ...LOGGING });
    server.tool("deploy", {}, async (_args, context) => {
      context.log.info("entered");
      await context.once("told", () => context.log.info("asking"));
      const { action } = await context.elicit({ message: "Deploy?", schema: z.object({ sure: z.boolean() }) });
      context.log.info(action);
      context.log.debug("too fine");
      return "done";
    });
    const client = await connect(server, { elicit: () => ({ action: "accept", content: { sure: true } }) });
    const heard = listen(client);

    await client.callTool("deploy", {}, { logLevel: "info" });

    expect(heard).toEqual(["entered", "asking", "entered", "accept"]);
  },
);

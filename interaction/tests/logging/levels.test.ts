import type { Client } from "parley-mcp/client";
import { McpServer, type ServerContext } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";
import { LOGGING } from "./log-messages.fixture.js";

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
/** Says something at every level. */
function sound(_args: unknown, { log }: ServerContext): string {
  for (const level of LEVELS) log[level](level);
  return "done";
}

/** The levels of the log messages that reach a client from now on. */
function listen(client: Client): unknown[] {
  const levels: unknown[] = [];
  client.onNotification("notifications/message", ({ level }) => void levels.push(level));
  return levels;
}

verifies(
  "logging:set-level",
  "logging/setLevel carries the level, and its result is empty",
  async ({ connect, wire }) => {
    const client = await connect(new McpServer({ name: "siren", ...LOGGING }));

    await client.setLogLevel("warning");

    expect(wire.from("client").at(-1)).toMatchObject({ method: "logging/setLevel", params: { level: "warning" } });
    expect(wire.from("server").at(-1)).toHaveProperty("result", {});
  },
);

verifies("logging:message:filtered", "each level lets itself and the graver ones through", async ({ connect }) => {
  const server = new McpServer({ name: "siren", ...LOGGING });
  server.tool("sound", {}, sound);
  const client = await connect(server);
  const heard = listen(client);

  for (const [index, level] of LEVELS.entries()) {
    await client.setLogLevel(level);
    await client.callTool("sound");
    expect(heard.splice(0), level).toEqual(LEVELS.slice(index));
  }
});

verifies(
  "logging:set-level:mid-request",
  "a level that is raised or lowered while a tool is at work counts from then on",
  async ({ connect }) => {
    const steps = [deferred(), deferred()] as const;
    const server = new McpServer({ name: "worker", ...LOGGING });
    server.tool("work", {}, async (_args, context) => {
      context.log.info("first");
      await steps[0].promise;
      context.log.info("second");
      context.log.error("third");
      await steps[1].promise;
      context.log.debug("fourth");
      return "done";
    });
    const client = await connect(server);
    const heard: unknown[] = [];
    const [heardFirst, heardThird] = [deferred(), deferred()];
    client.onNotification("notifications/message", ({ data }) => {
      heard.push(data);
      if (data === "first") heardFirst.resolve();
      if (data === "third") heardThird.resolve();
    });

    const call = client.callTool("work");
    await heardFirst.promise;
    await client.setLogLevel("error");
    steps[0].resolve();
    await heardThird.promise;
    await client.setLogLevel("debug");
    steps[1].resolve();
    await call;

    expect(heard).toEqual(["first", "third", "fourth"]);
  },
);

verifies("logging:set-level:default", "a client that set nothing hears all but debug", async ({ connect }) => {
  const server = new McpServer({ name: "siren", ...LOGGING });
  server.tool("sound", {}, sound);
  const client = await connect(server);
  const heard = listen(client);

  await client.callTool("sound");

  expect(heard).toEqual(LEVELS.slice(1));
});

verifies(
  "logging:set-level:per-connection",
  "two clients set levels of their own, a third one sets none",
  async ({ connect }) => {
    const server = new McpServer({ name: "siren", ...LOGGING });
    server.tool("sound", {}, sound);
    const clients = [await connect(server), await connect(server), await connect(server)] as const;
    const heard = clients.map(listen);

    await clients[0].setLogLevel("alert");
    await clients[1].setLogLevel("debug");
    for (const client of clients) await client.callTool("sound");

    expect(heard).toEqual([["alert", "emergency"], LEVELS, LEVELS.slice(1)]);
  },
);

verifies(
  "logging:set-level:invalid-level",
  "unknown levels, and none, are -32602 at params.level, and the one set before still holds",
  { judge: "our-side-is-made-to-misbehave" },
  async ({ connect }) => {
    const server = new McpServer({ name: "siren", ...LOGGING });
    server.tool("sound", {}, sound);
    const client = await connect(server);
    const heard = listen(client);
    await client.setLogLevel("alert");

    for (const params of [{ level: "loud" }, { level: "DEBUG" }, { level: 7 }, { level: null }, {}] as JsonObject[]) {
      await expect(client.request("logging/setLevel", params), JSON.stringify(params)).rejects.toMatchObject({
        name: "ProtocolError",
        code: -32602,
        message: expect.stringContaining("params.level"),
      });
    }
    await client.callTool("sound");

    expect(heard).toEqual(["alert", "emergency"]);
  },
);

verifies(
  "logging:set-level:not-declared",
  "logging/setLevel is -32601 at a server without logging",
  async ({ connect }) => {
    const client = await connect(new McpServer({ name: "silent", version: "1.0.0" }));

    await expect(client.setLogLevel("info")).rejects.toMatchObject({
      name: "ProtocolError",
      code: -32601,
      message: expect.stringContaining("logging/setLevel"),
    });
  },
);

verifies(
  "logging:set-level:not-in-modern",
  "setLogLevel rejects in the modern era, nothing is sent, and no level is set",
  async ({ connect, wire, revision }) => {
    const server = new McpServer({ name: "siren", ...LOGGING });
    server.tool("sound", {}, sound);
    const client = await connect(server);
    const heard = listen(client);
    const sentBefore = wire.from("client").length;

    await expect(client.setLogLevel("debug")).rejects.toMatchObject({
      name: "SdkError",
      code: "method-not-in-revision",
      message: expect.stringMatching(new RegExp(`logging/setLevel.*${revision}`)),
    });
    expect(wire.from("client")).toHaveLength(sentBefore);

    await client.callTool("sound");
    expect(heard).toEqual([]);
  },
);

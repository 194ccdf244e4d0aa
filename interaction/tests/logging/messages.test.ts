import { McpServer } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";
import { INFO, LOGGING, listen } from "./log-messages.fixture.js";

verifies(
  "logging:message:fields",
  "level, logger and data arrive, with a logger and without, and nothing beside them",
  async ({ connect }) => {
    const server = new McpServer({ name: "shop", ...LOGGING });
    const details = { error: "Connection refused", host: { name: "db", port: 5432 } };
    server.tool("order", {}, (_args, context) => {
      context.log.error(details, "database");
      context.log.info("ordered");
      context.log.info("unnamed", "");
      return "done";
    });
    const client = await connect(server);
    const messages = listen(client);

    await client.callTool("order", {}, INFO);

    expect(messages).toEqual([
      { level: "error", logger: "database", data: details },
      { level: "info", data: "ordered" },
      { level: "info", logger: "", data: "unnamed" },
    ]);
  },
);

verifies("logging:message:any-data", "every kind of JSON value arrives as it is", async ({ connect }) => {
  const values = [{ a: { b: [] } }, [1, "two", null], "text", "", 0, -1.5, true, false, null, { ["__proto__"]: 1 }];
  const server = new McpServer({ name: "shop", ...LOGGING });
  server.tool("order", {}, (_args, context) => {
    for (const value of values) context.log.info(value);
    return "done";
  });
  const client = await connect(server);
  const messages = listen(client);

  await client.callTool("order", {}, INFO);

  expect(messages).toStrictEqual(values.map((data) => ({ level: "info", data })));
});

verifies(
  "logging:message:not-json",
  "errors, large integers, nothing and cycles arrive as something to read, and the tool goes on",
  async ({ connect }) => {
    const circular: JsonObject = {};
    circular.self = circular;
    const server = new McpServer({ name: "shop", ...LOGGING });
    server.tool("order", {}, (_args, context) => {
      context.log.error({ reason: new RangeError("sold out") });
      context.log.info(2n ** 64n);
      context.log.info(undefined);
      context.log.info(() => "source");
      context.log.info(circular);
      return "done";
    });
    const client = await connect(server);
    const messages = listen(client);

    expect(await client.callTool("order", {}, INFO)).toMatchObject({ content: [{ text: "done" }] });

    expect(messages.map(({ data }) => data)).toEqual([
      { reason: { name: "RangeError", message: "sold out" } },
      "18446744073709551616",
      null,
      null,
      expect.stringContaining("cannot be written as JSON"),
    ]);
  },
);

verifies(
  "logging:message:copied",
  "a message shows its data as it was when it was logged, however it changed afterwards",
  async ({ connect }) => {
    const server = new McpServer({ name: "counter", ...LOGGING });
    server.tool("count", {}, (_args, context) => {
      const state = { steps: [0] };
      context.log.info(state);
      state.steps.push(1);
      context.log.info(state);
      state.steps.length = 0;
      return "done";
    });
    const client = await connect(server);
    const messages = listen(client);

    await client.callTool("count", {}, INFO);

    expect(messages.map(({ data }) => data)).toEqual([{ steps: [0] }, { steps: [0, 1] }]);
  },
);

verifies("logging:message:all-levels", "each function sends its own severity", async ({ connect, era }) => {
  const server = new McpServer({ name: "siren", ...LOGGING });
  server.tool("sound", {}, (_args, { log }) => {
    log.debug("a");
    log.info("b");
    log.notice("c");
    log.warning("d");
    log.error("e");
    log.critical("f");
    log.alert("g");
    log.emergency("h");
    return "done";
  });
  const client = await connect(server);
  const messages = listen(client);

  if (era === "legacy") await client.setLogLevel("debug");
  await client.callTool("sound", {}, { logLevel: "debug" });

  expect(messages).toEqual([
    { level: "debug", data: "a" },
    { level: "info", data: "b" },
    { level: "notice", data: "c" },
    { level: "warning", data: "d" },
    { level: "error", data: "e" },
    { level: "critical", data: "f" },
    { level: "alert", data: "g" },
    { level: "emergency", data: "h" },
  ]);
});

verifies(
  "logging:message:malformed",
  "a message without data or with an unknown level reaches no handler and is reported, and the next one arrives",
  async ({ openServer }) => {
    const errors: Error[] = [];
    const { peer, client } = await openServer({ logging: {} }, { onError: (error) => void errors.push(error) });
    const arrived = deferred<JsonObject>();
    client.onNotification("notifications/message", arrived.resolve);

    await peer.notify("notifications/message", { level: "info" });
    await peer.notify("notifications/message", { level: "loud", data: "x" });
    await peer.notify("notifications/message", { level: "info", logger: 7, data: "x" });
    await peer.notify("notifications/message", { level: "info", data: null });

    expect(await arrived.promise).toEqual({ level: "info", data: null });
    const complaints = ["params.data", "params.level", "params.logger"].map((path) => ({
      cause: { code: "invalid-message", message: expect.stringContaining(path) },
    }));
    expect(errors).toMatchObject(complaints);
  },
);

verifies(
  "logging:message:rate-limit",
  "three of five quick messages arrive, and then how many did not, and the next request begins anew",
  async ({ connect }) => {
    const server = new McpServer({ name: "chatty", ...LOGGING, maxLogMessagesPerSecond: 3 });
    server.tool("chat", {}, (_args, context) => {
      for (let count = 1; count <= 5; count += 1) context.log.info(count);
      return "done";
    });
    const client = await connect(server);
    const messages = listen(client);

    await client.callTool("chat", {}, INFO);
    const first = messages.splice(0);
    await client.callTool("chat", {}, INFO);

    const left = { level: "warning", data: "2 log messages were left out: at most 3 per second" };
    expect(first).toEqual([...[1, 2, 3].map((data) => ({ level: "info", data })), left]);
    expect(messages).toEqual(first);
  },
);

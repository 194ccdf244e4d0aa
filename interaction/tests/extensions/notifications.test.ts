import { defineExtension, defineNotification, McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const identity = { name: "weather", version: "1.0.0" };
const alarm = defineNotification("notifications/acme/alarm", {
  params: z.object({ level: z.number(), unit: z.string().default("m/s") }),
});
const weather = defineExtension("com.example/weather", { notifications: [alarm] });

verifies(
  "extensions:client:notification-binding-delivery",
  "notifications of an extension arrive with their defaults in the order of sending, all before the result",
  async ({ connect }) => {
    const heard: unknown[] = [];
    const server = new McpServer({ ...identity, extensions: [weather] });
    server.tool("watch", {}, async (_args, context) => {
      for (const level of [1, 2, 3]) await context.notify(alarm, { level });
      return "calm";
    });
    const client = await connect(server, { extensions: [weather] });
    client.onNotification(alarm, (params) => heard.push(params));

    await client.callTool("watch").then(() => heard.push("result"));

    const unit = "m/s";
    expect(heard).toEqual([{ level: 1, unit }, { level: 2, unit }, { level: 3, unit }, "result"]);
  },
);

verifies(
  "extensions:notifications:gated-out",
  "a notification of an undeclared extension is left out, by definition and by name, on both sides",
  async ({ connect, wire }) => {
    const server = new McpServer({ ...identity, extensions: [weather] });
    server.tool("watch", {}, async (_args, context) => {
      await context.notify(alarm, { level: 1 });
      await context.notify("notifications/acme/alarm", { level: 2 });
      return "calm";
    });
    const stranger = await connect(server);
    await stranger.callTool("watch");
    const client = await connect(new McpServer(identity), { extensions: [weather] });
    await client.notify(alarm, { level: 3 });
    await client.notify("notifications/acme/alarm", { level: 4 });

    expect([...wire.methods("client"), ...wire.methods("server")]).not.toContain("notifications/acme/alarm");
  },
);

verifies(
  "extensions:notifications:gated-out",
  "a notification of an extension is sent where both sides declared it",
  async ({ connect, wire }) => {
    const heard = deferred<unknown>();
    const server = new McpServer({ ...identity, extensions: [weather] });
    server.onNotification(alarm, heard.resolve);
    const client = await connect(server, { extensions: [weather] });

    await client.notify(alarm, { level: 3 });

    expect(await heard.promise).toEqual({ level: 3, unit: "m/s" });
    expect(wire.methods("client")).toContain("notifications/acme/alarm");
  },
);

verifies(
  "extensions:notifications:gated-in",
  "a received notification of an undeclared extension is dropped, at a client and at a server that knows its client by a handshake",
  async ({ openServer, openClient, era }) => {
    const dropped = {
      cause: { code: "invalid-message", message: expect.stringMatching(/alarm was dropped: .*com.example\/weather/) },
    };
    const clientError = deferred<Error>();
    const { peer, client } = await openServer({}, { extensions: [weather], onError: clientError.resolve });
    for (const method of [alarm.method, "*"]) {
      client.onNotification(method, () => {
        throw new Error("must not run");
      });
    }
    await peer.notify(alarm.method, { level: 1 });
    expect(await clientError.promise).toMatchObject(dropped);

    const [heard, serverError] = [deferred<unknown>(), deferred<Error>()];
    const server = new McpServer({ ...identity, extensions: [weather], onError: serverError.resolve });
    server.onNotification(alarm, heard.resolve);
    const stranger = await openClient(server);
    await stranger.notify(alarm.method, { level: 1 });
    if (era === "legacy") expect(await serverError.promise).toMatchObject(dropped);
    else expect(await heard.promise).toEqual({ level: 1, unit: "m/s" });
  },
);

verifies(
  "extensions:notifications:gated-out",
  "notifications that a client's handler sends while it serves a server are gated too",
  async ({ connect, era, wire }) => {
    const server = new McpServer(identity);
    server.tool("ask", {}, async (_args, context) => {
      if (context.era === "legacy") await context.request("acme/ask");
      return "asked";
    });
    const client = await connect(server, { extensions: [weather] });
    client.handle("acme/ask", async (_params, context) => {
      await context.notify(alarm, { level: 1 });
      await context.notify("acme/other");
      return {};
    });

    await client.callTool("ask");

    const sent = wire.methods("client");
    expect(sent).not.toContain(alarm.method);
    expect(sent.includes("acme/other")).toBe(era === "legacy");
  },
);

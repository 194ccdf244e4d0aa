import { defineMethod, defineNotification, McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const forecast = defineMethod("acme/forecast", {
  params: z.object({ city: z.string(), days: z.number().int().default(1) }),
  result: z.object({ city: z.string(), at: z.string().transform((text) => new Date(text)) }),
});
const alarm = defineNotification("notifications/acme/alarm", {
  params: z.object({ level: z.number(), unit: z.string().default("m/s") }),
});
const identity = { name: "weather", version: "1.0.0" };

verifies(
  "custom-methods:server-handler:roundtrip",
  "a defined method gives its handler the defaults and its caller a date, and the wire carries the original values",
  async ({ connect, wire }) => {
    const served: unknown[] = [];
    const server = new McpServer(identity);
    server.handle(forecast, (params, context) => {
      served.push(params, context.meta["com.example/who"]);
      return { city: params.city, at: "2026-07-28T00:00:00.000Z" };
    });
    const client = await connect(server);

    const result = await client.request(forecast, { city: "Bath" }, { meta: { "com.example/who": "ada" } });

    expect(result).toEqual({ city: "Bath", at: new Date("2026-07-28") });
    expect(served).toEqual([{ city: "Bath", days: 1 }, "ada"]);
    const [sent] = wire.from("client").filter((message) => "method" in message && message.method === "acme/forecast");
    const answer = wire.from("server").at(-1);
    expect(sent).toMatchObject({ params: { city: "Bath" } });
    expect(answer).toMatchObject({ result: { city: "Bath", at: "2026-07-28T00:00:00.000Z" } });
  },
);

verifies(
  "custom-methods:client-handler:roundtrip",
  "a method that the client serves gives its handler the defaults, and the server's caller a date",
  async ({ connect }) => {
    const answers: unknown[] = [];
    const server = new McpServer(identity);
    server.tool("ask", {}, async (_args, context) => {
      answers.push(await context.request(forecast, { city: "Bath" }));
      answers.push(await context.request(forecast, { city: 7 as never }).catch(({ code }) => code));
      return "done";
    });
    const client = await connect(server);
    client.handle(forecast, ({ city, days }) => ({ city: `${city} ${days}`, at: "2026-07-28" }));

    await client.callTool("ask");

    expect(answers).toEqual([{ city: "Bath 1", at: new Date("2026-07-28") }, -32602]);
  },
);

verifies(
  "custom-methods:params-validation-error",
  "params that break a definition are -32602, and the message names the method and the path",
  async ({ connect }) => {
    const server = new McpServer(identity);
    server.handle(forecast, () => {
      throw new Error("must not run");
    });
    const client = await connect(server);

    const refused = {
      name: "ProtocolError",
      code: -32602,
      message: expect.stringMatching(/^acme\/forecast: params.days: /),
    };
    await expect(client.request(forecast, { city: "Bath", days: 1.5 })).rejects.toMatchObject(refused);
    await expect(client.request("acme/forecast", { city: "Bath", days: "two" })).rejects.toMatchObject(refused);
  },
);

verifies(
  "custom-methods:result-validation:outgoing",
  "a result that breaks its definition is an opaque -32603 to the caller, and onError hears the path",
  async ({ connect }) => {
    const reported: unknown[] = [];
    const server = new McpServer({ ...identity, onError: ({ cause }) => reported.push(cause) });
    server.handle(forecast, ({ city }) => ({ city, at: city.length as never }));
    const client = await connect(server);

    await expect(client.request(forecast, { city: "Bath" })).rejects.toMatchObject({
      code: -32603,
      message: "Internal error",
    });
    expect(reported).toMatchObject([{ code: "invalid-result", message: expect.stringContaining("result.at: ") }]);
  },
);

verifies(
  "custom-methods:result-validation:incoming",
  "results of another implementation are held against the definition, in both directions",
  async ({ openServer, openClient, params, era }) => {
    const { peer, client } = await openServer();
    const asking = client.request(forecast, { city: "Bath" });
    await peer.respond(await peer.receive(), {
      city: "Bath",
      at: 7,
      ...(era === "modern" && { resultType: "complete" }),
    });
    await expect(asking).rejects.toMatchObject({
      name: "SdkError",
      code: "invalid-result",
      message: expect.stringMatching(/^acme\/forecast: result.at: /),
    });

    if (era === "modern") return;
    const server = new McpServer(identity);
    server.handle("acme/ask", (_params, context) =>
      context.request(forecast, { city: "Bath" }).catch(({ code, message }) => ({ code, message })),
    );
    const caller = await openClient(server);
    await caller.send({ jsonrpc: "2.0", id: 1, method: "acme/ask", params: params() });
    await caller.respond(await caller.receive(), { city: 7 });
    expect(await caller.receive()).toMatchObject({
      result: { code: "invalid-result", message: expect.stringContaining("city") },
    });
  },
);

verifies(
  "custom-methods:notification-handler",
  "a defined notification reaches its handler with defaults, both ways, and one that breaks the schema reaches onError instead",
  async ({ connect }) => {
    const [atServer, atClient] = [deferred<unknown>(), deferred<unknown>()];
    const [serverError, clientError] = [deferred<Error>(), deferred<Error>()];
    const server = new McpServer({ ...identity, onError: serverError.resolve });
    server.onNotification(alarm, atServer.resolve);
    server.tool("watch", {}, async (_args, context) => {
      await context.notify("notifications/acme/alarm", { level: "high" });
      await context.notify(alarm, { level: 7 });
      return "seen";
    });
    const client = await connect(server, { onError: clientError.resolve });
    client.onNotification(alarm, atClient.resolve);

    await client.notify("notifications/acme/alarm", {});
    await client.notify(alarm, { level: 3, unit: "Bft" });
    await client.callTool("watch");

    expect(await atServer.promise).toEqual({ level: 3, unit: "Bft" });
    expect(await atClient.promise).toEqual({ level: 7, unit: "m/s" });
    for (const { promise } of [serverError, clientError]) {
      const { cause } = await promise;
      expect(cause).toMatchObject({
        code: "invalid-message",
        message: expect.stringMatching(/notifications\/acme\/alarm was dropped: params.level: /),
      });
    }
  },
);

verifies(
  "custom-methods:notification-sending",
  "a defined notification with params against the schema is refused where it is sent, on either side",
  async ({ connect, wire }) => {
    const refusals: unknown[] = [];
    const server = new McpServer(identity);
    server.tool("watch", {}, async (_args, context) => {
      await context.notify(alarm, { level: "high" as never }).catch((error) => refusals.push(error));
      return "seen";
    });
    const client = await connect(server);

    await client.notify(alarm, {} as never).catch((error) => refusals.push(error));
    await client.callTool("watch");

    const refusal = { code: "invalid-argument", message: expect.stringContaining("was not sent: params.level: ") };
    expect(refusals).toMatchObject([refusal, refusal]);
    expect([...wire.methods("client"), ...wire.methods("server")]).not.toContain("notifications/acme/alarm");
  },
);

verifies(
  "custom-methods:names",
  "a definition is refused under a name of any revision, and under one with a meaning of its own",
  () => {
    const schemas = { params: z.object({}), result: z.object({}) };
    for (const name of ["tools/call", "ping", "tasks/list", "notifications/message", "rpc.call", "*", ""]) {
      const refused = expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(name) });
      expect(() => defineMethod(name, schemas), name).toThrow(refused);
      expect(() => defineNotification(name, schemas), name).toThrow(refused);
    }
    expect(() => defineMethod("notifications/acme", schemas)).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
  },
);

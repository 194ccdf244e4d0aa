import { Client } from "parley-mcp/client";
import { McpServer, ProtocolError } from "parley-mcp/server";
import { expect } from "vitest";
import type { TestClientOptions } from "../../src/conversation.js";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const mustNotRun = () => {
  throw new Error("must not run");
};

verifies(
  "protocol:handler:re-register-replaces",
  "only the last handler set for a method or a notification runs, on the server and on the client",
  async ({ connect, era }) => {
    const told = [deferred<string>(), deferred<string>()] as const;
    const server = new McpServer({ name: "changing", version: "1.0.0" });
    server.handle("acme/which", mustNotRun);
    server.handle("acme/which", async (_params, context) => {
      await context.notify("acme/told");
      return era === "legacy" ? context.request("acme/which-client") : { which: "second" };
    });
    server.onNotification("acme/told", mustNotRun);
    server.onNotification("acme/told", () => told[0].resolve("second"));
    const client = await connect(server);
    client.handle("acme/which-client", mustNotRun);
    client.handle("acme/which-client", () => ({ which: "second" }));
    client.onNotification("acme/told", mustNotRun);
    client.onNotification("acme/told", () => told[1].resolve("second"));

    await client.notify("acme/told");

    expect(await client.request("acme/which")).toMatchObject({ which: "second" });
    expect(await Promise.all(told.map(({ promise }) => promise))).toEqual(["second", "second"]);
  },
);

verifies(
  "protocol:handler:fallback",
  "the handler of * gets every method that has no handler of its own, with its name, and no other",
  async ({ connect, era }) => {
    const heard: string[] = [];
    const [serverHeard, clientHeard] = [deferred(), deferred()];
    const server = new McpServer({ name: "catching", version: "1.0.0" });
    server.handle("acme/known", async (_params, context) => {
      await context.notify("acme/known");
      await context.notify("acme/other");
      if (era === "legacy") heard.push(`${(await context.request("acme/any")).by} client`);
      return { by: "its own" };
    });
    server.handle("*", (_params, { method }) => ({ by: method }));
    server.onNotification("acme/known", () => heard.push("its own, server"));
    server.onNotification("*", (_params, method) => {
      heard.push(`${method}, server`);
      serverHeard.resolve();
    });
    const client = await connect(server);
    client.handle("*", (_params, { method }) => ({ by: method }));
    client.onNotification("acme/known", () => heard.push("its own, client"));
    client.onNotification("*", (_params, method) => {
      heard.push(`${method}, client`);
      clientHeard.resolve();
    });

    await client.notify("acme/known");
    await client.notify("acme/other");
    await serverHeard.promise;
    expect(await client.request("acme/known")).toMatchObject({ by: "its own" });
    expect(await client.request("acme/unknown")).toMatchObject({ by: "acme/unknown" });
    await clientHeard.promise;

    // In the legacy era the server hears of notifications/initialized as well.
    expect(heard.filter((entry) => !entry.startsWith("notifications/"))).toEqual([
      "its own, server",
      "acme/other, server",
      "its own, client",
      "acme/other, client",
      ...(era === "legacy" ? ["acme/any client"] : []),
    ]);
  },
);

verifies(
  "flow:proxy:forward-tools-resources",
  "the listings, results and errors of the server behind it come through a proxy as they are",
  async ({ connect, revision }) => {
    const origin = new McpServer({ name: "origin", version: "1.0.0" });
    origin.tool(
      "shout",
      { description: "LOUD", input: { type: "object", required: ["text"] } },
      ({ text }) => `${text}!`,
    );
    origin.tool("refuse", {}, () => {
      throw new ProtocolError(4055, "Closed for lunch", { data: { until: "13:00" } });
    });
    origin.resource("notes://today", { name: "today", mimeType: "text/plain" }, () => "Buy milk");
    origin.resourceTemplate("notes://{day}/{hour}", { name: "by hour" }, ({ uri }) => uri);
    const upstream = await Client.connect(origin, { name: "proxy", version: "1.0.0", revisions: [revision] });
    const proxy = new McpServer({ name: "proxy", version: "1.0.0", capabilities: { tools: {}, resources: {} } });
    const forwarded = ["tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read"];
    for (const method of forwarded) {
      proxy.handle(method, ({ _meta, ...own }) => upstream.request(method, own).catch(passOn));
    }
    const [direct, client] = [await connect(origin), await connect(proxy)];

    for (const [method, params] of [
      ["tools/list", {}],
      ["tools/call", { name: "shout", arguments: { text: "Hey" } }],
      ["tools/call", { name: "shout", arguments: { words: 1 } }],
      ["tools/call", { name: "refuse" }],
      ["resources/list", {}],
      ["resources/templates/list", {}],
      ["resources/read", { uri: "notes://today" }],
      ["resources/read", { uri: "notes://mon/10" }],
      ["resources/read", { uri: "other://mon" }],
    ] as const) {
      const [expected, actual] = await Promise.all([direct, client].map((each) => outcomeOf(each, method, params)));
      expect(actual, JSON.stringify(params)).toEqual(expected);
    }
    const refused = { code: 4055, message: "Closed for lunch", data: { until: "13:00" } };
    expect(await outcomeOf(client, "tools/call", { name: "refuse" })).toEqual(refused);
    await upstream.close();
  },
);

/** Throws a received error as an error of this side. */
function passOn(error: unknown): never {
  if (!(error instanceof ProtocolError)) throw error;
  throw new ProtocolError(error.code, error.message, { data: error.data, cause: error });
}

/** What a request comes to, less the name that each server puts on its results. */
async function outcomeOf(client: Client, method: string, params: object): Promise<unknown> {
  return client.request(method, { ...params }).then(
    ({ _meta, ...result }) => result,
    ({ code, message, data }) => ({ code, message, data }),
  );
}

verifies(
  "protocol:context:unrelated-notifications",
  "context.notify rejects each notification that another function sends and names that function, and nothing goes out",
  async ({ connect, wire }) => {
    const instead: Record<string, string> = {
      "notifications/tools/list_changed": "server.announce.toolsChanged",
      "notifications/prompts/list_changed": "server.announce.promptsChanged",
      "notifications/resources/list_changed": "server.announce.resourcesChanged",
      "notifications/resources/updated": "server.announce.resourceUpdated",
      "notifications/elicitation/complete": "server.announce.elicitationComplete",
      "notifications/progress": "context.progress",
      "notifications/cancelled": "signal",
      "notifications/subscriptions/acknowledged": "subscriptions/listen",
      "notifications/initialized": "only clients",
      "notifications/roots/list_changed": "only clients",
    };
    const server = new McpServer({ name: "loose", version: "1.0.0" });
    server.tool("leak", {}, async (_args, context) => {
      for (const [method, hint] of Object.entries(instead)) {
        await expect(context.notify(method, { progressToken: 1, progress: 1, uri: "a://b" })).rejects.toMatchObject({
          name: "SdkError",
          code: "invalid-argument",
          message: expect.stringContaining(hint),
        });
      }
      return "kept";
    });
    const client = await connect(server);

    expect(await client.callTool("leak")).toMatchObject({ content: [{ text: "kept" }] });

    expect(wire.methods("server")).toEqual([]);
  },
);

verifies(
  "protocol:context:can-ask",
  "canAsk tells each feature of a client with everything, with pages alone, with a bare elicitation and with nothing",
  async ({ connect, revision }) => {
    const features = [
      "elicitation",
      "elicitation.form",
      "elicitation.url",
      "sampling",
      "sampling.tools",
      "sampling.context",
      "roots",
    ] as const;
    const server = new McpServer({ name: "tactful", version: "1.0.0" });
    server.tool("look", {}, (_args, context) => features.filter((feature) => context.canAsk(feature)).join(" "));
    const ask = async (options: TestClientOptions) => {
      const client = await connect(server, options);
      const [block] = (await client.callTool("look")).content;
      return block?.type === "text" ? block.text : undefined;
    };
    const [elicit, elicitUrl] = [() => ({ action: "decline" }) as const, () => ({ action: "decline" }) as const];
    const sample = () => ({ role: "assistant", content: { type: "text", text: "" }, model: "m" }) as const;
    const capabilities = { sampling: { tools: {} }, roots: { listChanged: true } };

    const all = await ask({ elicit, elicitUrl, sample, listRoots: () => [], capabilities });

    const rest = "sampling sampling.tools roots";
    const hasForms = revision >= "2025-06-18";
    const hasPages = revision >= "2025-11-25";
    expect(all).toBe([...(hasForms ? features.slice(0, hasPages ? 3 : 2) : []), rest].join(" "));
    expect(await ask({ elicit })).toBe(hasForms ? "elicitation elicitation.form" : "");
    expect(await ask({})).toBe("");
  },
);

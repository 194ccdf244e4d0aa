import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { type Body, verifies } from "../../src/verifies.js";

const announcesItsAreas: Body = async ({ connect, connection, revision, era }) => {
  const announcedBy = async (register: (server: McpServer) => void) => {
    const server = new McpServer({ name: "host", version: "1.0.0" });
    register(server);
    return (await connect(server)).serverCapabilities;
  };
  const cities = { input: z.object({ city: z.string() }), complete: { city: () => ["Paris"] } };
  const isLegacy = era === "legacy";
  // The first revision has completion, but no capability to announce it with.
  const completions = revision === "2024-11-05" ? {} : { completions: {} };

  // Without a session nobody hears of changes.
  const tellsChanges = connection !== "http-stateless";
  const tools = tellsChanges ? { listChanged: true } : {};
  const prompts = tools;
  const resources = tellsChanges ? { listChanged: true, subscribe: true } : {};

  expect(await announcedBy((server) => server.tool("a", {}, () => "a"))).toEqual({ tools });
  expect(await announcedBy((server) => server.prompt("a", {}, () => "a"))).toEqual({ prompts });
  expect(await announcedBy((server) => server.prompt("a", cities, () => "a"))).toEqual({ prompts, ...completions });
  expect(await announcedBy((server) => server.resource("a://b", { name: "a" }, () => "a"))).toEqual({ resources });
  expect(await announcedBy((server) => server.resourceTemplate("a://{b}", { name: "a" }, () => "a"))).toEqual({
    resources,
  });
  expect(await announcedBy((server) => server.handle("logging/setLevel", () => ({})))).toEqual(
    isLegacy ? { logging: {} } : {},
  );
  expect(await announcedBy((server) => server.handle("resources/subscribe", () => ({})))).toEqual(
    isLegacy ? { resources } : {},
  );
  expect(await announcedBy((server) => server.handle("acme/run", () => ({})))).toEqual({});
  expect(
    await announcedBy((server) => {
      server.tool("a", {}, () => "a");
      server.resource("a://b", { name: "a" }, () => "a");
      server.prompt("a", {}, () => "a");
    }),
  ).toEqual({ tools, resources, prompts });
};

verifies(
  "lifecycle:initialize:capabilities:from-handlers",
  "each registration announces its own area in the handshake, and no other",
  announcesItsAreas,
);

verifies(
  "lifecycle:discover:capabilities:from-handlers",
  "each registration announces its own area in discovery, and no other",
  announcesItsAreas,
);

verifies(
  "lifecycle:initialize:capabilities:minimal",
  "a server with nothing registered announces an empty set",
  async ({ connect, wire }) => {
    const client = await connect(new McpServer({ name: "bare", version: "1.0.0" }));

    expect(wire.from("server")[0]).toMatchObject({ result: { capabilities: {} } });
    expect(client.serverCapabilities).toEqual({});
  },
);

verifies(
  "lifecycle:capability:experimental-passthrough",
  "experimental capabilities of either side reach the other as they were written",
  async ({ connect }) => {
    const offered = { "acme/fax": { speeds: [9600, 14400], error: { correction: true } } };
    const wanted = { "acme/fax": { speeds: [9600], paper: "A4" }, "other/one": {} };
    const server = new McpServer({ name: "fax", version: "1.0.0", capabilities: { experimental: offered } });
    server.handle("acme/can", (_params, context) => ({ can: context.clientCapabilities }));
    const client = await connect(server, { capabilities: { experimental: wanted } });

    expect(client.serverCapabilities).toEqual({ experimental: offered });
    expect((await client.request("acme/can")).can).toEqual({ experimental: wanted });
  },
);

verifies(
  "lifecycle:capability:lenient-by-default",
  "a call to an area that was not announced goes out, and the server's refusal comes back",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "toolbox", version: "1.0.0" });
    server.tool("hammer", {}, () => "bang");
    const client = await connect(server);
    expect(Object.keys(client.serverCapabilities ?? {})).toEqual(["tools"]);

    const refusals = await Promise.allSettled([client.listResources(), client.getPrompt("greet")]);

    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ status: "rejected", reason: { name: "ProtocolError", code: -32601 } });
    }
    expect(wire.methods("client").slice(-2)).toEqual(["resources/list", "prompts/get"]);
  },
);

verifies(
  "lifecycle:capability:strict-mode-throws",
  "a strict client sends what was announced and refuses the rest by itself",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "toolbox", version: "1.0.0" });
    server.tool("hammer", {}, () => "bang");
    const client = await connect(server, { strictCapabilities: true });
    const sentBefore = wire.from("client").length;

    const refusals = await Promise.allSettled([
      client.listResources(),
      client.getPrompt("greet"),
      client.request("resources/read", { uri: "a://b" }),
    ]);

    for (const refusal of refusals) {
      const reason = { name: "ProtocolError", code: -32601, data: undefined, isReceived: false };
      expect(refusal).toMatchObject({ status: "rejected", reason });
    }
    expect(wire.from("client")).toHaveLength(sentBefore);
    expect(await client.callTool("hammer")).toMatchObject({ content: [{ type: "text", text: "bang" }] });
  },
);

verifies(
  "lifecycle:capability:strict-pin-with-prior",
  "a strict client with a pinned revision and a stored negotiation result asks the server nothing and refuses by that result",
  async ({ connect, wire, revision }) => {
    const server = new McpServer({ name: "toolbox", version: "1.0.0" });
    server.tool("hammer", {}, () => "bang");
    const resumeFrom = { revision, server: { capabilities: { tools: {} } } };
    const client = await connect(server, { strictCapabilities: true, revisions: undefined, revision, resumeFrom });

    expect(await client.callTool("hammer")).toMatchObject({ content: [{ type: "text", text: "bang" }] });
    await expect(client.listPrompts()).rejects.toMatchObject({ code: -32601, isReceived: false });
    expect(client.negotiated.server.capabilities).toEqual({ tools: {} });
    expect(wire.methods("client")).toEqual(["tools/call"]);
  },
);

verifies(
  "lifecycle:capability:strict-unsubscribe",
  "unsubscribing is sent to a server with resources alone, and subscribing is not",
  async ({ openServer }) => {
    const { peer, client } = await openServer({ resources: {} }, { strictCapabilities: true });
    const params = { uri: "a://b" };

    await expect(client.request("resources/subscribe", params)).rejects.toMatchObject({
      code: -32601,
      isReceived: false,
    });
    const ended = client.request("resources/unsubscribe", params);
    const call = await peer.receive();
    expect(call).toMatchObject({ method: "resources/unsubscribe", params });
    await peer.respond(call, {});
    expect(await ended).toEqual({});
  },
);

verifies(
  "lifecycle:capability:strict-needs-discovery",
  "strict with a modern pin is refused with the two ways out, and both work",
  () => {
    const strict = { name: "strict", version: "1.0.0", strictCapabilities: true };
    const revision = "2026-07-28";

    expect(() => new Client({ ...strict, revision })).toThrow(
      expect.objectContaining({
        name: "SdkError",
        code: "invalid-argument",
        message: expect.stringMatching(/strictCapabilities.*2026-07-28.*\brevisions\b.*\bresumeFrom\b/),
      }),
    );
    expect(() => new Client({ ...strict, revisions: [revision] })).not.toThrow();
    expect(() => new Client({ ...strict, resumeFrom: { revision, server: { capabilities: {} } } })).not.toThrow();
    expect(() => new Client({ ...strict, revision, resumeFrom: { revision, server: {} } })).toThrow(/resumeFrom/);
    expect(() => new Client({ ...strict, revision: "2025-11-25" })).not.toThrow();
  },
);

verifies(
  "lifecycle:context:revision",
  "tools, prompts, resources and handlers of one's own are told the revision and the era",
  async ({ connect, revision, era }) => {
    const server = new McpServer({ name: "aware", version: "1.0.0" });
    server.tool("where", {}, (_args, context) => `${context.revision} ${context.era}`);
    server.prompt("where", {}, (_args, context) => `${context.revision} ${context.era}`);
    server.resource("a://where", { name: "where" }, (_request, context) => `${context.revision} ${context.era}`);
    server.handle("acme/where", (_params, context) => ({ revision: context.revision, era: context.era }));
    const client = await connect(server);

    const text = `${revision} ${era}`;
    expect(await client.callTool("where")).toMatchObject({ content: [{ text }] });
    expect(await client.getPrompt("where")).toMatchObject({ messages: [{ content: { text } }] });
    expect(await client.readResource("a://where")).toMatchObject({ contents: [{ text }] });
    expect(await client.request("acme/where")).toMatchObject({ revision, era });
  },
);

verifies(
  "lifecycle:capability:client-not-declared",
  "a client that declared no roots, or roots without listChanged, refuses locally and names what it lacks",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "files", version: "1.0.0" });
    server.onNotification("notifications/roots/list_changed", () => {
      throw new Error("must not run");
    });

    for (const options of [
      {},
      { listRoots: () => [] },
      { listRoots: () => [], capabilities: { roots: { listChanged: false } } },
    ]) {
      const client = await connect(server, options);
      await expect(client.notify("notifications/roots/list_changed")).rejects.toMatchObject({
        name: "SdkError",
        code: "capability-not-supported",
        message: expect.stringContaining("roots.listChanged"),
      });
    }
    expect(wire.methods("client")).not.toContain("notifications/roots/list_changed");
  },
);

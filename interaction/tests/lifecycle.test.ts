import { McpServer } from "parley-mcp/server";
import { REVISIONS } from "parley-requirements";
import { expect } from "vitest";
import { deferred } from "../src/deferred.js";
import { verifies } from "../src/verifies.js";

verifies(
  "lifecycle:initialize:basic",
  "initialize carries revision, capabilities and identity, and the client learns the server's",
  async ({ connect, revision, wire }) => {
    const server = new McpServer({ name: "greeter", version: "1.2.3" });
    server.tool("greet", {}, () => "hello");
    const client = await connect(server, {
      name: "asker",
      version: "4.5.6",
      capabilities: { experimental: { x: {} } },
    });

    expect(wire.from("client")[0]).toMatchObject({
      method: "initialize",
      params: {
        protocolVersion: revision,
        capabilities: { experimental: { x: {} } },
        clientInfo: { name: "asker", version: "4.5.6" },
      },
    });
    expect(client.revision).toBe(revision);
    expect(client.serverInfo).toEqual({ name: "greeter", version: "1.2.3" });
    expect(client.serverCapabilities).toEqual({ tools: {} });
  },
);

verifies(
  "lifecycle:initialize:server-info",
  "every identity field that the server was given is readable on the client",
  async ({ connect }) => {
    const identity = {
      name: "greeter",
      version: "1.2.3",
      title: "The Greeter",
      description: "Greets whoever asks",
      websiteUrl: "https://greeter.example",
      icons: [{ src: "https://greeter.example/icon.png", mimeType: "image/png", sizes: ["48x48"] }],
    };
    const client = await connect(new McpServer(identity));

    expect(client.serverInfo).toEqual(identity);
  },
);

verifies(
  "lifecycle:initialize:instructions",
  "instructions arrive word for word, and none arrive from a server without",
  async ({ connect }) => {
    const instructions = "Greet first.\nAsk later. ☕";
    const talkative = await connect(new McpServer({ name: "talkative", version: "1.0.0", instructions }));
    const silent = await connect(new McpServer({ name: "silent", version: "1.0.0" }));

    expect(talkative.instructions).toBe(instructions);
    expect(silent.instructions).toBeUndefined();
  },
);

verifies(
  "lifecycle:initialize:client-info",
  "a handler reads name, version and title of the client that shook hands",
  async ({ connect }) => {
    const server = new McpServer({ name: "host", version: "1.0.0" });
    server.handle("acme/who", (_params, context) => ({ who: context.clientInfo }));
    const client = await connect(server, { name: "asker", version: "4.5.6", title: "The Asker" });

    expect(await client.request("acme/who")).toEqual({ who: { name: "asker", version: "4.5.6", title: "The Asker" } });
  },
);

verifies(
  "lifecycle:initialize:client-capabilities",
  "a handler reads what the client declared, settings included",
  async ({ connect }) => {
    const server = new McpServer({ name: "host", version: "1.0.0" });
    server.handle("acme/can", (_params, context) => ({ can: context.clientCapabilities }));
    const capabilities = { roots: { listChanged: true }, sampling: {}, experimental: { "acme/fax": { speed: 9600 } } };
    const able = await connect(server, { capabilities });
    const plain = await connect(server);

    expect(await able.request("acme/can")).toEqual({ can: capabilities });
    expect(await plain.request("acme/can")).toEqual({ can: {} });
  },
);

verifies(
  "lifecycle:initialized-notification",
  "one notifications/initialized goes out between the handshake's answer and the first call",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "greeter", version: "1.0.0" });
    server.tool("greet", {}, () => "hello");
    const client = await connect(server);
    await client.callTool("greet");
    await client.callTool("greet");

    const steps = wire.connections[0]?.entries.map(({ from, message }) =>
      "method" in message ? `${from}: ${message.method}` : `${from}: answer`,
    );
    expect(steps).toEqual([
      "client: initialize",
      "server: answer",
      "client: notifications/initialized",
      "client: tools/call",
      "server: answer",
      "client: tools/call",
      "server: answer",
    ]);
    expect(wire.from("client")[1]).not.toHaveProperty("id");
  },
);

verifies(
  "lifecycle:pre-initialization-ordering",
  "nothing follows initialize until it is answered",
  async ({ playServer, revision }) => {
    const { peer, connect } = playServer();
    const connecting = connect();

    const opening = await peer.receive();
    expect(opening.method).toBe("initialize");
    expect(await peer.drain()).toEqual([]);

    const serverInfo = { name: "slow", version: "1.0.0" };
    await peer.respond(opening, { protocolVersion: revision, capabilities: {}, serverInfo });
    await connecting;
    expect(await peer.drain()).toEqual([{ jsonrpc: "2.0", method: "notifications/initialized" }]);
  },
);

verifies(
  "lifecycle:server-waits-for-initialized",
  "before notifications/initialized a handler may ping the client and ask it nothing else",
  async ({ playClient, revision }) => {
    const refusal = deferred<unknown>();
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.handle("acme/look", async (_params, context) => {
      await context.request("ping");
      refusal.resolve(await context.request("roots/list").catch((error: unknown) => error));
      return {};
    });
    server.handle("acme/look-again", (_params, context) => context.request("roots/list"));
    const peer = await playClient(server);
    const opening = { capabilities: { roots: {} }, clientInfo: { name: "slow", version: "1.0.0" } };
    await peer.request(1, "initialize", { protocolVersion: revision, ...opening });

    await peer.send({ jsonrpc: "2.0", id: 2, method: "acme/look" });
    const ping = await peer.receive();
    expect(ping).toMatchObject({ method: "ping" });
    await peer.respond(ping, {});
    expect(await peer.receive()).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
    expect(await refusal.promise).toMatchObject({ name: "SdkError", code: "not-initialized" });

    await peer.notify("notifications/initialized");
    await peer.send({ jsonrpc: "2.0", id: 3, method: "acme/look-again" });
    expect(await peer.receive()).toMatchObject({ method: "roots/list" });
  },
);

verifies(
  "lifecycle:requests-before-initialized",
  "a request ahead of the handshake is refused with both ways in, and the handshake is still open to it",
  async ({ playClient, revision }) => {
    const server = new McpServer({ name: "greeter", version: "1.0.0" });
    server.tool("greet", {}, () => {
      throw new Error("served before the handshake");
    });
    const peer = await playClient(server);

    const early = await peer.request(1, "tools/call", { name: "greet" });
    const earlyToo = await peer.request(2, "tools/list", { _meta: { progressToken: 1 } });

    for (const answer of [early, earlyToo]) expect(answer).toMatchObject({ error: { code: -32602 } });
    expect(early).toMatchObject({ error: { message: expect.stringMatching(/initialize.*params\._meta/) } });
    const opening = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "hasty", version: "1.0.0" } };
    expect(await peer.request(3, "initialize", opening)).toMatchObject({ result: { protocolVersion: revision } });
    expect(await peer.request(4, "tools/list")).toMatchObject({ result: { tools: [{ name: "greet" }] } });
  },
);

verifies(
  "lifecycle:initialize:once",
  "a second initialize is refused and the session goes on at its revision",
  async ({ openClient, revision }) => {
    const server = new McpServer({ name: "greeter", version: "1.0.0" });
    server.tool("revision", {}, (_args, context) => context.revision);
    const peer = await openClient(server);

    const refusal = await peer.request(2, "initialize", {
      protocolVersion: REVISIONS.find((other) => other !== revision) ?? revision,
      capabilities: {},
      clientInfo: { name: "other", version: "0.0.0" },
    });
    const answer = await peer.request(3, "tools/call", { name: "revision" });

    expect(refusal).toMatchObject({ id: 2, error: { code: -32600, message: "Session already initialized" } });
    expect(answer).toMatchObject({ id: 3, result: { content: [{ type: "text", text: revision }] } });
  },
);

verifies(
  "lifecycle:initialize:per-connection",
  "two clients of one server shake hands at two revisions and are told apart",
  async ({ connect, revision }) => {
    const otherRevision = revision === "2025-06-18" ? "2025-03-26" : "2025-06-18";
    const server = new McpServer({ name: "host", version: "1.0.0" });
    server.handle("acme/who", (_params, { clientInfo, revision }) => ({ name: clientInfo?.name, revision }));
    const first = await connect(server, { name: "first" });
    const second = await connect(server, { name: "second", revisions: [otherRevision] });

    expect(await first.request("acme/who")).toEqual({ name: "first", revision });
    expect(await second.request("acme/who")).toEqual({ name: "second", revision: otherRevision });
    expect(await first.request("acme/who")).toEqual({ name: "first", revision });
  },
);

verifies(
  "lifecycle:initialize:invalid-params",
  "an initialize that lacks or garbles a field is refused by its name, and a whole one opens the session",
  async ({ playClient, revision }) => {
    const peer = await playClient(new McpServer({ name: "host", version: "1.0.0" }));
    const whole = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "asker", version: "1.0.0" } };
    const faulty = {
      protocolVersion: [undefined, 20250618],
      capabilities: [undefined, "all", { roots: true }],
      clientInfo: [undefined, { name: "asker" }, { name: 7, version: "1.0.0" }],
    };
    for (const [field, values] of Object.entries(faulty)) {
      for (const value of values) {
        const refusal = await peer.request(1, "initialize", { ...whole, [field]: value });
        expect(refusal).toMatchObject({ error: { code: -32602, message: expect.stringContaining(field) } });
      }
    }
    expect(await peer.request(2, "initialize")).toMatchObject({ error: { code: -32602 } });

    expect(await peer.request(3, "initialize", whole)).toMatchObject({ result: { protocolVersion: revision } });
  },
);

import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const mustNotRun = (): never => {
  throw new Error("must not run");
};

verifies(
  "lifecycle:initialize:basic",
  "initialize carries revision, capabilities and identity, and the client learns the server's",
  async ({ connect, connection, revision, wire }) => {
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
    // Without a session nobody hears of changes.
    const tools = connection === "http-stateless" ? {} : { listChanged: true };
    expect(client.serverCapabilities).toEqual({ tools });
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
  "instructions in the handshake arrive word for word, and none arrive from a server without",
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
  "a handler reads what the client declared, settings included, and what its handlers stand for",
  async ({ connect }) => {
    const server = new McpServer({ name: "host", version: "1.0.0" });
    server.handle("acme/can", (_params, context) => ({ can: context.clientCapabilities }));
    const capabilities = { roots: { listChanged: true }, sampling: {}, experimental: { "acme/fax": { speed: 9600 } } };
    const able = await connect(server, { capabilities });
    const asked = await connect(server, { sample: mustNotRun, listRoots: mustNotRun });
    const plain = await connect(server);

    expect(await able.request("acme/can")).toEqual({ can: capabilities });
    expect(await asked.request("acme/can")).toEqual({ can: { sampling: {}, roots: {} } });
    expect(await plain.request("acme/can")).toEqual({ can: {} });
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

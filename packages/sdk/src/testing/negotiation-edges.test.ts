/** Openings that go wrong in ways no well-behaved peer would choose. */
import { describe, expect, it } from "vitest";
import { Client } from "../client/client.js";
import type { ClientOptions } from "../client/client-options.js";
import { ErrorCode } from "../protocol/error-codes.js";
import type { JsonObject } from "../runtime/json.js";
import { McpServer } from "../server/mcp-server.js";
import type { MemoryTransport } from "../transport/memory-transport.js";
import { connectInProcess } from "./connect-in-process.js";
import { type ScriptedPeer, scriptedClient, scriptedServer } from "./scripted-peer.js";

const identity = { name: "test", version: "1.0.0", onError: () => undefined };

function open(options: Partial<ClientOptions>): { peer: ScriptedPeer; connecting: Promise<Client> } {
  const { peer, transport } = scriptedServer();
  return { peer, connecting: Client.connect(transport, { ...identity, ...options }) };
}

const discovered: JsonObject = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} };

describe("a probe", () => {
  it("that is refused with the very revision it named is repeated once", async () => {
    const { peer, connecting } = open({ revisions: ["2026-07-28"] });
    const refusal = { supported: ["2026-07-28"], requested: "2026-07-28" };
    await peer.respondError(await peer.receive(), ErrorCode.unsupportedRevision, "no", refusal);
    await peer.respond(await peer.receive(), discovered);
    await using client = await connecting;
    expect(client.revision).toBe("2026-07-28");
  });

  it("that is refused twice is given up", async () => {
    const { peer, connecting } = open({ revisions: ["2026-07-28"] });
    const rejected = expect(connecting).rejects.toMatchObject({ code: "no-shared-revision" });
    for (let round = 0; round < 2; round += 1) {
      await peer.respondError(await peer.receive(), ErrorCode.unsupportedRevision, "no", { supported: ["2026-07-28"] });
    }
    await rejected;
  });

  it("that is refused for want of a capability fails with that refusal", async () => {
    const { peer, connecting } = open({});
    const rejected = expect(connecting).rejects.toMatchObject({ code: ErrorCode.missingClientCapability });
    await peer.respondError(await peer.receive(), ErrorCode.missingClientCapability, "no");
    await rejected;
  });

  it("may be preceded by a notification", async () => {
    const heard: string[] = [];
    const { peer, transport } = scriptedServer();
    const client = new Client(identity);
    client.onNotification("x/early", (_params, method) => heard.push(method));
    const opening = client.open(transport);
    const request = await peer.receive();
    await peer.notify("x/early");
    await peer.respond(request, discovered);
    await opening;
    expect(heard).toEqual(["x/early"]);
    await client.close();
  });
});

describe("a handshake", () => {
  it("answered with something else is refused, and the path named", async () => {
    const { peer, connecting } = open({ revision: "2025-11-25" });
    const rejected = expect(connecting).rejects.toMatchObject({
      code: "invalid-result",
      message: expect.stringContaining("initialize: result.protocolVersion"),
    });
    await peer.respond(await peer.receive(), {});
    await rejected;
  });

  it("for a pinned revision names each revision that would have done once", async () => {
    const { peer, connecting } = open({ revision: "2025-11-25", revisions: ["2025-11-25"] });
    const rejected = expect(connecting).rejects.toMatchObject({
      code: "no-shared-revision",
      message: expect.stringMatching(/this client speaks 2025-11-25$/),
    });
    const answer = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "old", version: "1.0.0" } };
    await peer.respond(await peer.receive(), answer);
    await rejected;
  });

  it("for a pinned revision does not turn to the modern era", async () => {
    const server = new McpServer({ ...identity, revisions: ["2026-07-28"] });
    await expect(connectInProcess(server, { revision: "2025-11-25" })).rejects.toMatchObject({
      code: "no-shared-revision",
      message: "The server speaks 2026-07-28; this client speaks 2025-11-25",
    });
  });

  it("without a revision is refused by a modern server that still says what it speaks", async () => {
    await using peer = await scriptedClient(new McpServer({ ...identity, revisions: ["2026-07-28"] }));
    expect(await peer.request(1, "initialize", {})).toMatchObject({
      error: { code: ErrorCode.unsupportedRevision, data: { requested: "(none)", supported: ["2026-07-28"] } },
    });
  });

  it("of a server known from before fails as the connection does", async () => {
    const { peer, connecting } = open({ resumeFrom: { revision: "2025-11-25", server: {} } });
    const rejected = expect(connecting).rejects.toMatchObject({ code: "connection-closed" });
    await peer.receive();
    await peer.close();
    await rejected;
  });
});

describe("a verdict from before", () => {
  it("without capabilities leaves a strict client nothing to call", async () => {
    const server = new McpServer({ ...identity, capabilities: { tools: {} } });
    const resumeFrom = { revision: "2026-07-28", server: {} } as const;
    await using client = await connectInProcess(server, { resumeFrom, strictCapabilities: true });
    await expect(client.listTools()).rejects.toMatchObject({ code: -32601, isReceived: false });
  });

  it("learns the server's name from the first result that carries it", async () => {
    const { peer, connecting } = open({ revision: "2026-07-28" });
    await using client = await connecting;
    for (const meta of [undefined, { "io.modelcontextprotocol/serverInfo": { name: "late", version: "2" } }]) {
      const call = client.request("x/y");
      await peer.respond(await peer.receive(), { resultType: "complete", ...(meta && { _meta: meta }) });
      await call;
    }
    expect(client.serverInfo).toEqual({ name: "late", version: "2" });
  });
});

describe("completion", () => {
  it("has nothing to complete in a prompt or resource without variables", async () => {
    const server = new McpServer({ ...identity, capabilities: { completions: {} } });
    server.prompt("plain", {}, () => "text");
    server.resource("x://plain", { name: "plain" }, () => "text");
    await using client = await connectInProcess(server);
    const argument = { name: "a", value: "" };
    const refusal = { code: ErrorCode.invalidParams, message: 'params.argument.name: "a" is not one of none' };
    await expect(client.complete({ ref: { type: "ref/prompt", name: "plain" }, argument })).rejects.toMatchObject(
      refusal,
    );
    await expect(client.complete({ ref: { type: "ref/resource", uri: "x://plain" }, argument })).rejects.toMatchObject(
      refusal,
    );
  });
});

describe("a scripted server", () => {
  it("hands out text that is no JSON as the error it is", async () => {
    const { peer, transport } = scriptedServer();
    // The pair is made of memory transports, which can send any text.
    await (transport as MemoryTransport).sendText("{");
    const [received] = await peer.drain();
    expect(received).toBeInstanceOf(Error);
    await peer.close();
  });
});

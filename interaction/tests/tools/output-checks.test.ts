import type { Client } from "parley-mcp/client";
import { McpServer, ProtocolError } from "parley-mcp/server";
import type { ScriptedPeer } from "parley-mcp/testing";
import type { JsonObject, JsonSchemaValidator } from "parley-mcp/types";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

type Era = "legacy" | "modern";

const counter = { type: "object", properties: { count: { type: "number" } }, required: ["count"] };

function tool(name: string, outputSchema: JsonObject): JsonObject {
  return { name, inputSchema: { type: "object" }, outputSchema };
}

async function answerList(peer: ScriptedPeer, era: Era, tools: JsonObject[]): Promise<void> {
  const request = await peer.receive();
  expect(request).toMatchObject({ method: "tools/list" });
  const hints = era === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
  await peer.respond(request, { ...hints, tools });
}

/** Starts a call, and answers it with this structured content. */
async function call(client: Client, peer: ScriptedPeer, era: Era, name: string, structuredContent: unknown) {
  const outcome = client.callTool(name).catch((error: unknown) => error);
  const complete = era === "modern" ? { resultType: "complete" } : {};
  await peer.respond(await peer.receive(), { ...complete, content: [], structuredContent });
  return { outcome };
}

verifies(
  "tools:output-schema:client-falsy",
  "falsy values that break the listed schema are refused, and those that keep to it are handed out",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer();
    const values = [null, 0, false, ""];
    const listing = client.listTools();
    await answerList(peer, era, [tool("strict", { type: "object" }), tool("free", { enum: values })]);
    await listing;

    for (const value of values) {
      const strict = await call(client, peer, era, "strict", value);
      const free = await call(client, peer, era, "free", value);

      expect(await strict.outcome).toMatchObject({ code: "invalid-result" });
      expect(await free.outcome).toMatchObject({ structuredContent: value });
    }
  },
);

verifies(
  "tools:output-schema:client-lists-first",
  "the first call to an unknown tool is followed by one listing, whose schemas count for this and later calls",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer({ tools: {} }, { outputChecks: "always" });

    const first = await call(client, peer, era, "count", { count: "many" });
    await answerList(peer, era, [tool("count", counter)]);
    const second = await call(client, peer, era, "count", { count: "more" });
    const unlisted = await call(client, peer, era, "unlisted", { count: "any" });

    expect(await first.outcome).toMatchObject({ name: "SdkError", code: "invalid-result" });
    expect(await second.outcome).toMatchObject({ name: "SdkError", code: "invalid-result" });
    expect(await unlisted.outcome).toMatchObject({ structuredContent: { count: "any" } });
    expect(await peer.drain()).toEqual([]);
  },
);

verifies(
  "tools:output-schema:client-check-off",
  "content that breaks the listed schema reaches a caller who wants no check",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer({ tools: {} }, { outputChecks: "never" });
    const listing = client.listTools();
    await answerList(peer, era, [tool("count", counter)]);
    await listing;

    const { outcome } = await call(client, peer, era, "count", { count: "many" });

    expect(await outcome).toMatchObject({ structuredContent: { count: "many" } });
  },
);

/** Lets through what says that it is fine, whatever the schema says, and remembers whom it checked for. */
function lenient(side: string, checked: string[]): JsonSchemaValidator {
  return {
    compile: () => (value) => {
      checked.push(side);
      const isFine = JSON.stringify(value).includes("fine");
      return isFine ? { ok: true, value } : { ok: false, issues: [{ path: [], message: `not fine to the ${side}` }] };
    },
  };
}

verifies(
  "tools:schema:own-validator",
  "a custom validator decides in place of the built-in one, for arguments and output on the server and for output on the client",
  async ({ connect }) => {
    const checked: string[] = [];
    const [ofServer, ofClient] = [lenient("server", checked), lenient("client", checked)];
    const server = new McpServer({ name: "picky", version: "1.0.0", jsonSchemaValidator: ofServer });
    server.tool("echo", { input: { type: "object", required: ["never"] }, output: counter }, (args) => ({ ...args }));
    const plain = await connect(server);
    const client = await connect(server, { jsonSchemaValidator: ofClient });
    await Promise.all([plain.listTools(), client.listTools()]);

    // Neither schema allows this: only the built-in validator of the plain client objects.
    const said = { said: "fine" };
    expect(await client.callTool("echo", said)).toMatchObject({ structuredContent: said });
    expect(checked).toEqual(["server", "server", "client"]);
    await expect(plain.callTool("echo", said)).rejects.toMatchObject({ code: "invalid-result" });

    const refused = await client.callTool("echo", { count: 1, never: 1 }).then(
      ({ isError, content }) => ({ isError, message: JSON.stringify(content) }),
      ({ code, message }) => ({ code, message }),
    );
    expect(refused).toMatchObject({ message: expect.stringContaining("not fine to the server") });
  },
);

verifies(
  "tools:output-schema:client-lists-again",
  "the call after a failed listing lists the tools, and its output is checked",
  async ({ connect }) => {
    const server = new McpServer({ name: "counter", version: "1.0.0" });
    server.tool("count", { output: z.object({ books: z.number() }) }, () => ({ books: 3 }));
    let listings = 0;
    server.use((call, next) => {
      if (call.method !== "tools/list") return next(call.params);
      listings += 1;
      if (listings === 1) throw new ProtocolError(-32603, "Not now");
      return next(call.params);
    });
    const client = await connect(server, { outputChecks: "always" });

    await expect(client.callTool("count")).rejects.toMatchObject({ code: -32603 });
    expect((await client.callTool("count")).structuredContent).toEqual({ books: 3 });
    await client.callTool("count");
    expect(listings).toBe(2);
  },
);

import type { Client } from "parley-mcp/client";
import type { ScriptedPeer } from "parley-mcp/testing";
import type { JsonObject, Tool } from "parley-mcp/types";
import { expect, onTestFinished, vi } from "vitest";
import { verifies } from "../../src/verifies.js";

type Era = "legacy" | "modern";

/** Has the client list these tools, so that it knows their schemas. */
async function list(client: Client, peer: ScriptedPeer, era: Era, ...tools: Tool[]): Promise<void> {
  const listed = client.listTools();
  const hints = era === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
  await peer.respond(await peer.receive(), { ...hints, tools });
  expect((await listed).tools).toEqual(tools);
}

/** Calls a tool that answers with this result; resolves with the result or the error that the caller gets. */
async function call(client: Client, peer: ScriptedPeer, era: Era, name: string, result: JsonObject): Promise<unknown> {
  const outcome = client.callTool(name).catch((error: unknown) => error);
  await peer.respond(await peer.receive(), {
    ...(era === "modern" && { resultType: "complete" }),
    content: [],
    ...result,
  });
  return outcome;
}

function tool(name: string, outputSchema: JsonObject): Tool {
  return { name, inputSchema: { type: "object" }, outputSchema };
}

const weather = { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] };

verifies(
  "tools:output-schema:client-validates",
  "structured content that breaks the listed schema is refused with its path, and what keeps to it is handed on",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer();
    await list(client, peer, era, tool("weather", weather));

    const good = await call(client, peer, era, "weather", { structuredContent: { celsius: 4 } });
    const bad = await call(client, peer, era, "weather", { structuredContent: { celsius: "balmy" } });

    expect(good).toMatchObject({ structuredContent: { celsius: 4 } });
    expect(bad).toMatchObject({
      name: "SdkError",
      code: "invalid-result",
      message: expect.stringContaining("structuredContent.celsius"),
    });
  },
);

verifies(
  "tools:output-schema:client-missing-structured",
  "text alone does not do where an output schema was listed",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer();
    await list(client, peer, era, tool("weather", weather));

    const textOnly = { content: [{ type: "text", text: '{"celsius":4}' }] };
    const outcome = await call(client, peer, era, "weather", textOnly);

    expect(outcome).toMatchObject({
      name: "SdkError",
      code: "invalid-result",
      message: expect.stringContaining('"weather"'),
    });
  },
);

verifies(
  "tools:output-schema:client-2020-12",
  "a schema without $schema is read as 2020-12",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer();
    const point = {
      type: "object",
      properties: {
        at: { type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: false },
        near: { $ref: "#/$defs/place", maxLength: 4 },
      },
      dependentRequired: { near: ["at"] },
      $defs: { place: { type: "string" } },
    };
    await list(client, peer, era, tool("locate", point));

    const locate = (structuredContent: JsonObject) => call(client, peer, era, "locate", { structuredContent });
    const good = await locate({ at: [1, "N"], near: "Oslo" });
    const bad = {
      prefixItems: await locate({ at: ["N", 1] }),
      items: await locate({ at: [1, "N", 2] }),
      $ref: await locate({ at: [1, "N"], near: 7 }),
      besideRef: await locate({ at: [1, "N"], near: "Trondheim" }),
      dependentRequired: await locate({ near: "Oslo" }),
    };

    expect(good).toMatchObject({ structuredContent: { at: [1, "N"], near: "Oslo" } });
    const refused = { name: "SdkError", code: "invalid-result" };
    expect(bad).toMatchObject({
      prefixItems: { ...refused, message: expect.stringContaining("structuredContent.at[0]") },
      items: { ...refused, message: expect.stringContaining("structuredContent.at") },
      $ref: { ...refused, message: expect.stringContaining("structuredContent.near") },
      besideRef: { ...refused, message: expect.stringContaining("structuredContent.near") },
      dependentRequired: refused,
    });
  },
);

verifies(
  "tools:output-schema:client-unusable",
  "an output schema that cannot be used fails its own tool alone, and nothing is fetched",
  async ({ openServer, era }) => {
    const fetch = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("fetched"));
    onTestFinished(() => fetch.mockRestore());
    const { peer, client } = await openServer();
    const remote = { type: "object", properties: { city: { $ref: "https://example.com/city.json" } } };
    const foreign = { $schema: "https://example.com/my-dialect", type: "object" };
    await list(client, peer, era, tool("remote", remote), tool("foreign", foreign), tool("weather", weather));

    const ofRemote = await call(client, peer, era, "remote", { structuredContent: { city: "Oslo" } });
    const ofForeign = await call(client, peer, era, "foreign", { structuredContent: {} });
    const ofWeather = await call(client, peer, era, "weather", { structuredContent: { celsius: 4 } });

    expect(ofRemote).toMatchObject({
      name: "SdkError",
      code: "unusable-schema",
      message: expect.stringContaining("https://example.com/city.json"),
    });
    expect(ofForeign).toMatchObject({
      name: "SdkError",
      code: "unusable-schema",
      message: expect.stringContaining("https://example.com/my-dialect"),
    });
    expect(ofWeather).toMatchObject({ structuredContent: { celsius: 4 } });
    expect(fetch).not.toHaveBeenCalled();
  },
);

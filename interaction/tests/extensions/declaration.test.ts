import { Client } from "parley-mcp/client";
import { defineExtension, defineMetaKey, defineMethod, defineResultType, McpServer } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

const identity = { name: "weather", version: "1.0.0" };
const region = defineMetaKey("com.example/region", z.enum(["north", "south"]));
const forecast = defineMethod("acme/forecast", { params: z.object({}), result: z.object({}) });
const weather = defineExtension("com.example/weather", {
  clientSettings: z.object({ units: z.array(z.string()), days: z.number().default(3) }),
  serverSettings: z.object({ stations: z.number() }),
  methods: [forecast],
  metaKeys: [region],
});
const plain = defineExtension("com.example/plain", {});
const refused = expect.objectContaining({ code: "invalid-argument" });

verifies(
  "extensions:declaration",
  "an extension is declared with settings, without settings, and not at all",
  async ({ connect }) => {
    const declared: unknown[] = [];
    const handler = (_params: unknown, context: { clientCapabilities: object }) => {
      declared.push(context.clientCapabilities);
      return {};
    };
    const server = new McpServer({ ...identity, extensions: [weather.onServer({ stations: 2 })] });
    server.extend(plain);
    server.handle("acme/look", handler);
    const client = await connect(server, { extensions: [weather.onClient({ units: ["C"] }), plain] });
    await client.request("acme/look");
    const bare = new McpServer(identity);
    bare.handle("acme/look", handler);
    const without = await connect(bare);
    await without.request("acme/look");

    expect(client.serverCapabilities).toEqual({
      extensions: { "com.example/weather": { stations: 2 }, "com.example/plain": {} },
    });
    expect(without.serverCapabilities).toEqual({});
    expect(declared).toEqual([
      { extensions: { "com.example/weather": { units: ["C"] }, "com.example/plain": {} } },
      {},
    ]);
  },
);

verifies(
  "extensions:declaration:beside-others",
  "capabilities.extensions and the option extensions declare extensions side by side, and the other capabilities stay",
  async ({ connect }) => {
    const capabilities = { extensions: { "com.example/by-hand": { a: 1 } }, experimental: { x: {} } };
    const server = new McpServer({ ...identity, capabilities, extensions: [plain] });
    server.handle("acme/look", (_params, context) => ({ seen: context.clientCapabilities }));
    const client = await connect(server, { capabilities, extensions: [plain], listRoots: () => [] });

    const both = { "com.example/by-hand": { a: 1 }, "com.example/plain": {} };
    expect(client.serverCapabilities).toEqual({ experimental: { x: {} }, extensions: both });
    expect((await client.request("acme/look")).seen).toEqual({ experimental: { x: {} }, extensions: both, roots: {} });
  },
);

verifies(
  "extensions:declaration:client-extend",
  "an extension that is added to a client goes out with the others, and one that is added to an open client is refused",
  async () => {
    const server = new McpServer({ ...identity, extensions: [weather.onServer({ stations: 2 })] });
    server.handle(forecast, () => ({}));
    server.handle("acme/look", (_params, context) => ({ seen: context.clientCapabilities }));
    await using client = new Client({ ...identity, cache: true, extensions: [plain] });
    client.extend(weather.onClient({ units: ["C"] }));
    expect(() => client.extend(plain)).toThrow(expect.objectContaining({ code: "duplicate-name" }));
    await client.open(server);

    expect(await client.request(forecast, {})).toEqual({});
    const declared = { "com.example/plain": {}, "com.example/weather": { units: ["C"] } };
    expect((await client.request("acme/look")).seen).toEqual({ extensions: declared });
    const late = expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("before open") });
    expect(() => client.extend(defineExtension("com.example/late", {}))).toThrow(late);
    expect(() => client.extend(weather.onClient({ units: [] }))).toThrow(late);
  },
);

verifies(
  "extensions:identifiers",
  "an identifier that breaks the naming rules is refused with a message that names it",
  () => {
    for (const id of ["weather", "com.example/", "/x", "1com/x", "com..example/x", "com.example/x!", "dev.mcp/x"]) {
      const named = expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(`"${id}"`) });
      expect(() => defineExtension(id, {}), id).toThrow(named);
    }
    expect(defineExtension("io.modelcontextprotocol/ui", {}).id).toBe("io.modelcontextprotocol/ui");
  },
);

verifies(
  "extensions:identifiers:by-hand",
  "a wrong identifier in capabilities.extensions is refused when the server or client is made",
  () => {
    for (const id of ["weather", "com.example/", "1com/x", "com.example/x!", "dev.mcp/x"]) {
      const named = expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(`"${id}"`) });
      const capabilities = { extensions: { [id]: {} } };
      expect(() => new McpServer({ ...identity, capabilities }), id).toThrow(named);
      expect(() => new Client({ ...identity, capabilities }), id).toThrow(named);
    }
    const capabilities = { extensions: { "com.example/weather": {}, "io.modelcontextprotocol/ui": {} } };
    expect(new McpServer({ ...identity, capabilities }).info.name).toBe(identity.name);
    expect(new Client({ ...identity, capabilities })).toBeDefined();
  },
);

verifies(
  "extensions:declaration:by-hand",
  "wrong extensions in capabilities.extensions are refused by the server and the client, also for one that is added later",
  () => {
    const weather = defineExtension("com.example/weather", {});
    const declare = (settings: unknown) => ({
      capabilities: { extensions: { "com.example/weather": settings as JsonObject } },
    });
    for (const settings of [true, "yes", null, []]) {
      const refused = expect.objectContaining({
        code: "invalid-argument",
        message: expect.stringContaining('capabilities.extensions["com.example/weather"]: expected an object'),
      });
      expect(() => new McpServer({ ...identity, ...declare(settings) })).toThrow(refused);
      expect(() => new Client({ ...identity, ...declare(settings) })).toThrow(refused);
    }
    const twice = expect.objectContaining({
      code: "duplicate-name",
      message: expect.stringContaining("remove it there"),
    });
    const options = { ...identity, ...declare({}) };
    expect(() => new McpServer({ ...options, extensions: [weather] })).toThrow(twice);
    expect(() => new Client({ ...options, extensions: [weather] })).toThrow(twice);
    expect(() => new McpServer(options).extend(weather)).toThrow(twice);
    expect(() => new Client(options).extend(weather)).toThrow(twice);
  },
);

verifies(
  "extensions:meta-keys:reserved",
  "a key of the specification is refused as a _meta key, unless the extension is official",
  () => {
    for (const key of ["traceparent", "progressToken", "io.modelcontextprotocol/logLevel", "region", "com.mcp/x"]) {
      expect(() => defineExtension("com.example/x", { metaKeys: [defineMetaKey(key, z.string())] }), key).toThrow(
        refused,
      );
    }
    const official = defineMetaKey("io.modelcontextprotocol/x", z.string());
    expect(() => defineExtension("com.example/x", { metaKeys: [official] })).toThrow(refused);
    expect(defineExtension("io.modelcontextprotocol/x", { metaKeys: [official] }).metaKeys).toEqual([official]);
  },
);

verifies(
  "extensions:conflicts",
  "a second extension with the same identifier, method or result type is refused, at construction and later",
  () => {
    const job = defineResultType("job", { methods: ["tools/call"], result: z.object({}), settle: () => ({}) });
    const twice = expect.objectContaining({ code: "duplicate-name" });
    const server = new McpServer({ ...identity, extensions: [weather.onServer({ stations: 1 })] });
    server.extend(defineExtension("com.example/jobs", { resultTypes: [job] }));
    expect(() => server.extend(weather.onServer({ stations: 2 }))).toThrow(twice);
    expect(() => server.extend(defineExtension("com.example/a", { methods: [forecast] }))).toThrow(twice);
    expect(() => server.extend(defineExtension("com.example/b", { resultTypes: [job] }))).toThrow(twice);
    expect(() => new McpServer({ ...identity, extensions: [plain, plain] })).toThrow(twice);
  },
);

verifies(
  "extensions:settings",
  "each side reads the settings of the other, with the defaults of the schema filled in",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, extensions: [weather.onServer({ stations: 2 }), plain] });
    server.tool("look", {}, (_args, context) =>
      JSON.stringify([context.extension(weather)?.settings ?? null, context.extension(plain)?.settings ?? null]),
    );
    const both = await connect(server, { extensions: [weather.onClient({ units: ["C"] }), plain] });
    const none = await connect(server);

    const text = (value: unknown) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
    expect(await both.callTool("look")).toMatchObject(text([{ units: ["C"], days: 3 }, {}]));
    expect(await none.callTool("look")).toMatchObject(text([null, null]));
    expect(none.extension(weather)?.settings).toEqual({ stations: 2 });
    expect(none.extension(plain)?.settings).toEqual({});
    expect(none.extension(defineExtension("com.example/other", {}))).toBeUndefined();
  },
);

verifies(
  "extensions:settings:malformed",
  "wrong settings are refused where they are given, where a server reads them, and where a client does",
  async ({ playClient, openServer, revision, era, params }) => {
    expect(() => new McpServer({ ...identity, extensions: [weather] })).toThrow(/settings.stations/);
    expect(() => weather.onClient({ units: [1] } as never)).toThrow(/settings.units\[0\]/);

    const server = new McpServer({ ...identity, extensions: [weather.onServer({ stations: 1 })] });
    server.handle(forecast, () => {
      throw new Error("must not run");
    });
    const capabilities = { extensions: { "com.example/weather": { units: "C" } } };
    const peer = await playClient(server);
    if (era === "legacy") {
      await peer.request(0, "initialize", { protocolVersion: revision, capabilities, clientInfo: identity });
      await peer.notify("notifications/initialized");
    }
    const own = params();
    if (era === "modern")
      Object.assign(own._meta as object, { "io.modelcontextprotocol/clientCapabilities": capabilities });
    expect(await peer.request(1, "acme/forecast", own)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('capabilities.extensions["com.example/weather"].units') },
    });

    const { client } = await openServer({ extensions: { "com.example/weather": { stations: "many" } } });
    expect(() => client.extension(weather)).toThrow(
      expect.objectContaining({ code: "invalid-result", message: expect.stringContaining(".stations: ") }),
    );
  },
);

verifies(
  "extensions:meta-keys",
  "an extension reads a valid _meta key of the other side, none, and refuses a wrong one",
  async ({ connect }) => {
    const server = new McpServer({ ...identity, extensions: [weather.onServer({ stations: 1 })] });
    server.handle("acme/where", (_params, context) => {
      const peer = context.extension(weather);
      return {
        region: peer ? (peer.read(region, context.meta) ?? "nowhere") : "no extension",
        _meta: { [region.key]: "south" },
      };
    });
    const client = await connect(server, { extensions: [weather.onClient({ units: [] })] });
    const other = await connect(server);
    const ask = async (value?: string, asking = client) =>
      asking.request("acme/where", value === undefined ? {} : { _meta: { [region.key]: value } });

    const answer = await ask("north");
    expect(answer.region).toBe("north");
    expect(client.extension(weather)?.read(region, answer._meta as JsonObject)).toBe("south");
    expect(await ask()).toMatchObject({ region: "nowhere" });
    expect(await ask("north", other)).toMatchObject({ region: "no extension" });
    await expect(ask("east")).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('params._meta["com.example/region"]: '),
    });
    expect(() => client.extension(weather)?.read(region, { [region.key]: 7 })).toThrow(
      expect.objectContaining({ code: "invalid-result" }),
    );
  },
);

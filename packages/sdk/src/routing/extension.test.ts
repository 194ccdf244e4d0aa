import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../runtime/json.js";
import { type DeclaredExtension, defineExtension, defineMetaKey } from "./extension.js";
import { declaredSettings, ExtensionSet } from "./extension-set.js";
import { defineMethod, defineNotification } from "./method-definition.js";
import { peerExtension } from "./peer-extension.js";
import { defineResultType, isExtensionResult } from "./result-type.js";

const forecast = defineMethod("acme/forecast", { params: z.object({}), result: z.object({}) });
const alarm = defineNotification("notifications/acme/alarm", { params: z.object({}) });
const job = defineResultType("job", {
  methods: ["tools/call"],
  result: z.object({ id: z.string() }),
  settle: () => ({}),
});
const region = defineMetaKey("com.example/region", z.string());
const weather = defineExtension("com.example/weather", {
  clientSettings: z.object({ units: z.array(z.string()) }),
  serverSettings: z.object({ stations: z.number().default(1) }),
  methods: [forecast],
  notifications: [alarm],
  metaKeys: [region],
});
const invalid = expect.objectContaining({ code: "invalid-argument" });

describe("the identifier of an extension", () => {
  test.each(["com.example/weather", "io.modelcontextprotocol/tasks", "com.example.mcp/x", "a/b-c.d_e"])(
    "may be %s",
    (id) => {
      expect(defineExtension(id, {})).toMatchObject({
        id,
        methods: [],
        notifications: [],
        resultTypes: [],
        metaKeys: [],
      });
    },
  );

  test.each(["weather", "com.example/", "/weather", "com..example/x", "1com/x", "com.example/-x", "", "a/b/c"])(
    "must not be %j",
    (id) => expect(() => defineExtension(id, {})).toThrow(invalid),
  );

  test.each(["dev.mcp/x", "com.mcp.tools/x", "org.modelcontextprotocol.api/x"])(
    "must not be %s, which is reserved",
    (id) => {
      expect(() => defineExtension(id, {})).toThrow(/reserved/);
    },
  );
});

describe("an extension", () => {
  test.each([
    ["the specification's own", "io.modelcontextprotocol/logLevel"],
    ["the specification's own without prefix", "traceparent"],
    ["without prefix", "region"],
    ["of official extensions", "io.modelcontextprotocol/region"],
  ])("cannot have a _meta key %s", (_name, key) => {
    expect(() => defineExtension("com.example/x", { metaKeys: [defineMetaKey(key, z.string())] })).toThrow(invalid);
  });

  test("that is official has official keys", () => {
    const key = defineMetaKey("io.modelcontextprotocol/related", z.string());
    expect(defineExtension("io.modelcontextprotocol/x", { metaKeys: [key] }).metaKeys).toEqual([key]);
  });

  test("defines nothing twice", () => {
    for (const config of [
      { methods: [forecast, forecast] },
      { notifications: [alarm, alarm] },
      { resultTypes: [job, job] },
      { metaKeys: [region, region] },
    ]) {
      expect(() => defineExtension("com.example/x", config)).toThrow(
        expect.objectContaining({ code: "duplicate-name" }),
      );
    }
  });

  test("is declared with settings that fit its schema", () => {
    expect(weather.onClient({ units: ["C"] })).toEqual({
      side: "client",
      extension: weather,
      settings: { units: ["C"] },
    });
    expect(weather.onServer({})).toEqual({ side: "server", extension: weather, settings: {} });
    expect(() => weather.onClient({ units: "C" } as never)).toThrow(
      /"com.example\/weather": settings.units: .*onClient/,
    );
    expect(() => weather.onServer(7 as never)).toThrow(/settings: .*onServer/);
    expect(() => defineExtension("com.example/x", {}).onClient([])).toThrow(invalid);
  });

  test("types its settings for each side", () => {
    expectTypeOf(weather.onClient).parameters.toEqualTypeOf<[{ units: string[] }]>();
    expectTypeOf(weather.onServer).parameters.toEqualTypeOf<[{ stations?: number | undefined }]>();
  });
});

describe("a set of extensions", () => {
  const tasks = defineExtension("com.example/jobs", { resultTypes: [job] });

  test("declares each of them, but those with kinds of results to modern peers alone", () => {
    const byHand = { "com.example/old": { a: 1 } };
    const set = new ExtensionSet("server", [weather.onServer({ stations: 3 }), tasks], byHand);
    const declared = { ...byHand, "com.example/weather": { stations: 3 } };
    const capabilities = { extensions: byHand };
    expect(set.declaredIn("modern", capabilities)).toEqual({ extensions: { ...declared, "com.example/jobs": {} } });
    expect(set.declaredIn("legacy", capabilities)).toEqual({ extensions: declared });
    expect(new ExtensionSet("server").declaredIn("modern", capabilities)).toBe(capabilities);
  });

  test("knows what belongs to which", () => {
    const set = new ExtensionSet("server", [weather, tasks]);
    expect([set.ownerOf("acme/forecast"), set.ownerOf(alarm.method), set.ownerOf("tools/call")]).toEqual([
      weather,
      weather,
      undefined,
    ]);
    expect(set.resultType("tools/call", "job")).toEqual({ extension: tasks, type: job });
    expect(set.resultType("tools/list", "job")).toBeUndefined();
    expect(set.resultType("tools/call", 7)).toBeUndefined();
  });

  test("has nothing twice", () => {
    const twice = expect.objectContaining({ code: "duplicate-name" });
    const set = new ExtensionSet("server", [weather, tasks]);
    expect(() => set.add(weather)).toThrow(twice);
    expect(() => set.add(defineExtension("com.example/a", { methods: [forecast] }))).toThrow(twice);
    expect(() => set.add(defineExtension("com.example/b", { notifications: [alarm] }))).toThrow(twice);
    expect(() => set.add(defineExtension("com.example/c", { resultTypes: [job] }))).toThrow(twice);
    const extensions = { "com.example/weather": {}, "com.example/jobs": {} };
    expect(set.declaredIn("modern", {})).toEqual({ extensions });
  });

  test.each([
    [[], /capabilities.extensions: expected an object, as in/],
    [{ weather: {} }, /\["weather"\]: expected a reversed domain/],
    [{ "com.example/old": true }, /\["com.example\/old"\]: expected an object of settings; write \{\} for none/],
    [{ "com.example/old": [] }, /expected an object of settings/],
    [{ "com.example/old": { at: 1n } }, /\["com.example\/old"\]: /],
  ])("takes no declaration by hand like %o", (byHand, message) => {
    // Plain JavaScript may pass anything.
    expect(() => new ExtensionSet("client", [], byHand as object as { [id: string]: JsonObject })).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringMatching(message) }),
    );
  });

  test.each(["client", "server"] as const)("refuses an extension that a %s declares by hand too", (side) => {
    const extension = defineExtension("com.example/plain", {});
    expect(() => new ExtensionSet(side, [extension], { "com.example/plain": {} })).toThrow(
      expect.objectContaining({
        code: "duplicate-name",
        message: expect.stringMatching(
          side === "client" ? /remove it there.*onClient\(…\)/ : /remove it there.*onServer\(…\)/,
        ),
      }),
    );
  });

  test("takes no settings of the other side, and none that are missing", () => {
    expect(() => new ExtensionSet("client", [weather])).toThrow(/settings.units/);
    const wrong = weather.onClient({ units: [] }) as unknown as DeclaredExtension<"server">;
    expect(() => new ExtensionSet("server", [wrong])).toThrow(/settings of a client/);
  });

  test("finds what the other side declared", () => {
    const declares = (settings: unknown) => ({ extensions: { "com.example/weather": settings } }) as never;
    expect(declaredSettings(weather, "legacy", declares({ a: 1 }))).toEqual({ a: 1 });
    expect(declaredSettings(weather, "modern", declares(true))).toBeUndefined();
    expect(declaredSettings(weather, "modern", {})).toBeUndefined();
    expect(declaredSettings(weather, "modern", { extensions: {} })).toBeUndefined();
    expect(declaredSettings(tasks, "legacy", { extensions: { "com.example/jobs": {} } })).toBeUndefined();
    expect(declaredSettings(tasks, "modern", { extensions: { "com.example/jobs": {} } })).toEqual({});
  });
});

describe("what the other side declared", () => {
  const refuse = (where: string, complaint: string) => new Error(`${where}: ${complaint}`);
  const peer = peerExtension(weather, weather.serverSettings, {}, refuse);

  test("is read by the schema", () => {
    expect(peer.settings).toEqual({ stations: 1 });
    expect(peerExtension(weather, undefined, { any: 1 }, refuse).settings).toEqual({ any: 1 });
    expect(() => peerExtension(weather, weather.clientSettings, { units: [1] }, refuse)).toThrow(
      'capabilities: capabilities.extensions["com.example/weather"].units[0]: ',
    );
  });

  test("comes with its _meta keys", () => {
    expect(peer.read(region, { "com.example/region": "north" })).toBe("north");
    expect(peer.read(region, {})).toBeUndefined();
    expect(peer.read(region, undefined)).toBeUndefined();
    expect(() => peer.read(region, { "com.example/region": 7 })).toThrow('_meta: _meta["com.example/region"]: ');
    expect(() => peer.read(defineMetaKey("com.example/other", z.string()), {})).toThrow(invalid);
    const anything = defineExtension("com.example/x", {
      metaKeys: [defineMetaKey("com.example/y", { type: "number" })],
    });
    const [key = region] = anything.metaKeys;
    expect(peerExtension(anything, undefined, {}, refuse).read(key, { "com.example/y": 7 })).toBe(7);
  });
});

describe("a kind of result", () => {
  test.each(["", "complete", "input_required"])("cannot be called %j", (name) => {
    expect(() => defineResultType(name, { ...job, methods: ["tools/call"] })).toThrow(invalid);
  });

  test("needs a method", () => {
    expect(() => defineResultType("job", { ...job, methods: [] })).toThrow(invalid);
  });

  test("marks its results, and no copy of them", () => {
    const result = job.of({ id: "1" });
    expect(result).toEqual({ id: "1", resultType: "job" });
    expect(JSON.stringify(result)).toBe('{"id":"1","resultType":"job"}');
    expect([result, { ...result }, null, "job", {}].map(isExtensionResult)).toEqual([true, false, false, false, false]);
  });
});

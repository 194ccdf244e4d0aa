import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type DeclaredExtension, defineExtension, defineMetaKey } from "../routing/extension.js";
import { defineListenFilter } from "../routing/listen-filter-definition.js";
import { defineMethod, defineNotification } from "../routing/method-definition.js";
import { defineResultType } from "../routing/result-type.js";
import type { JsonObject } from "../runtime/json.js";
import { McpServer } from "./mcp-server.js";
import type { ServerContext } from "./server-context.js";
import type { McpServerOptions } from "./server-options.js";

const forecast = defineMethod("acme/forecast", {
  params: z.object({ city: z.string(), days: z.number().default(1) }),
  result: z.object({ at: z.string().transform((text) => new Date(text)) }),
});
const alarm = defineNotification("notifications/acme/alarm", { params: z.object({ level: z.number() }) });
const plain = defineMethod("acme/plain", { params: { type: "object" }, result: { type: "object" } });
const job = defineResultType("job", {
  methods: ["tools/call"],
  result: z.object({ id: z.string(), polls: z.number().default(3) }),
  settle: (result) => {
    expectTypeOf(result).toEqualTypeOf<{ id: string; polls: number }>();
    return {};
  },
});

test("handlers and callers are typed by the definition, at each end by what arrives there", () => {
  const check = async (server: McpServer, context: ServerContext) => {
    server.handle(forecast, (params, given) => {
      expectTypeOf(params).toEqualTypeOf<{ city: string; days: number }>();
      expectTypeOf(given).toEqualTypeOf<ServerContext>();
      return { at: "2026-01-01" };
    });
    // @ts-expect-error: the result lacks its field
    server.handle(forecast, () => ({}));
    // @ts-expect-error: and so does the one that comes later
    server.handle(forecast, async () => ({ at: 1 }));
    server.handle(plain, (params) => {
      expectTypeOf(params).toEqualTypeOf<{ [key: string]: unknown }>();
      return {};
    });
    server.onNotification(alarm, (params) => {
      expectTypeOf(params).toEqualTypeOf<{ level: number }>();
    });
    expectTypeOf(await context.request(forecast, { city: "Bath" })).toEqualTypeOf<{ at: Date }>();
    expectTypeOf(await context.request("acme/other")).toEqualTypeOf<{ [key: string]: unknown }>();
    // @ts-expect-error: the city is missing
    await context.request(forecast, { days: 2 });
    await context.notify(alarm, { level: 3 });
    // @ts-expect-error: a level is a number
    await context.notify(alarm, { level: "high" });
  };
  expect(check).toBeTypeOf("function");
});

test("the other side's extension is typed by its schemas", () => {
  const region = defineMetaKey("com.example/region", z.string());
  const weather = defineExtension("com.example/weather", {
    clientSettings: z.object({ units: z.array(z.string()) }),
    metaKeys: [region],
  });
  expectTypeOf<DeclaredExtension<"client">>().not.toExtend<NonNullable<McpServerOptions["extensions"]>[number]>();
  const check = (context: ServerContext) => {
    const peer = context.extension(weather);
    expectTypeOf(peer?.settings).toEqualTypeOf<{ units: string[] } | undefined>();
    expectTypeOf(peer?.read(region, context.meta)).toEqualTypeOf<string | undefined>();
    expectTypeOf(context.extension(defineExtension("a/b", {}))?.settings).toEqualTypeOf<JsonObject | undefined>();
  };
  expect(check).toBeTypeOf("function");
});

test("a kind of result stands where finished results do", () => {
  const check = (server: McpServer) => {
    server.tool("a", {}, (_args, context) => (context.signal.aborted ? "now" : job.of({ id: "1" })));
    server.tool("b", { output: z.object({ n: z.number() }) }, async () => job.of({ id: "1", polls: 5 }));
    server.prompt("c", {}, () => job.of({ id: "1" }));
    server.resource("d://", { name: "d" }, async () => job.of({ id: "1" }));
    server.handle(forecast, () => job.of({ id: "1" }));
    // @ts-expect-error: the id is missing
    job.of({});
    // @ts-expect-error: only `of` makes such a result
    server.tool("e", {}, () => ({ resultType: "job" }));
  };
  expect(check).toBeTypeOf("function");
});

test("a listen filter is served by a server that has its extension", () => {
  const notification = defineNotification("notifications/acme/job", { params: z.object({ jobId: z.string() }) });
  const config = { filter: z.array(z.string()), notification, topicOf: ({ jobId }: { jobId: string }) => jobId };
  const jobIds = defineListenFilter("acmeJobIds", config);
  const server = new McpServer({ name: "jobs", version: "1.0.0" });
  const serve = () =>
    server.serveListenFilter(jobIds, {
      honor: (ids, context) => {
        expectTypeOf(ids).toEqualTypeOf<string[]>();
        expectTypeOf(context).toEqualTypeOf<ServerContext>();
        return ids;
      },
      topics: (ids) => ids,
      params: (jobId) => ({ jobId }),
    });
  expect(serve).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("add its extension first") }),
  );
  server.extend(defineExtension("com.example/jobs", { listenFilters: [jobIds] }));
  serve();
  const twin = defineExtension("com.example/other", {
    listenFilters: [
      defineListenFilter("acmeJobIds", {
        ...config,
        notification: defineNotification("notifications/acme/other", { params: z.object({ jobId: z.string() }) }),
      }),
    ],
  });
  expect(() => server.extend(twin)).toThrow(
    expect.objectContaining({ code: "duplicate-name", message: expect.stringContaining("already has acmeJobIds") }),
  );
});

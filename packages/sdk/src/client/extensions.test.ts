import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../protocol/json.js";
import { defineExtension } from "../routing/extension.js";
import { defineMethod, defineNotification } from "../routing/method-definition.js";
import type { RequestContext } from "../routing/request-context.js";
import { defineResultType, type ExtensionCall } from "../routing/result-type.js";
import type { Client } from "./client.js";
import type { ClientOptions } from "./client-options.js";
import { ClientExtensions } from "./extensions.js";
import type { Verdict } from "./negotiation.js";

const status = defineMethod("acme/job", { params: z.object({ id: z.string() }), result: z.object({ n: z.number() }) });
const settle = vi.fn(async (_result: { id: string }, call: ExtensionCall): Promise<object> => {
  const { n } = await call.request(status, { id: "1" });
  return { n: n + Number((await call.request("acme/plain")).n) };
});
const job = defineResultType("job", { methods: ["acme/do"], result: z.object({ id: z.string() }), settle });
const jobs = defineExtension("com.example/jobs", { methods: [status], resultTypes: [job] });
const MODERN: Verdict = {
  revision: "2026-07-28",
  server: { capabilities: { extensions: { "com.example/jobs": {} } } },
};
const answer = async () => ({});

function connection(verdict: Verdict, answers: Record<string, JsonObject> = {}) {
  return { verdict, request: vi.fn(async (method: string) => answers[method] ?? {}) };
}

describe("a result of an extension's kind", () => {
  const extensions = new ClientExtensions([jobs], answer);

  test("is settled by requests with the signal and the timeout of its call, and no more of its options", async () => {
    const { signal } = new AbortController();
    const link = connection(MODERN, { "acme/job": { n: 1 }, "acme/plain": { n: 2 } });
    const options = { signal, timeoutMs: 500, id: "x", fresh: true };
    expect(await extensions.settle(link, "acme/do", {}, { resultType: "job", id: "1" }, options)).toEqual({ n: 3 });
    expect(link.request.mock.calls).toEqual([
      ["acme/job", { id: "1" }, { signal, timeoutMs: 500 }],
      ["acme/plain", {}, { signal, timeoutMs: 500 }],
    ]);
  });

  test("needs nothing of a call without options", async () => {
    const link = connection(MODERN, { "acme/job": { n: 1 }, "acme/plain": { n: 2 } });
    await extensions.settle(link, "acme/do", {}, { resultType: "job", id: "1" }, {});
    expect(link.request).toHaveBeenCalledWith("acme/job", { id: "1" }, {});
  });

  test("counts where the server was not asked, and not in the legacy era", async () => {
    const result = { resultType: "job", id: "1" };
    const verdict = (server: Verdict["server"], revision: Verdict["revision"]) => ({ revision, server });
    expect(extensions.resultTypeOf("acme/do", result, verdict({}, "2026-07-28"))?.type).toBe(job);
    expect(extensions.resultTypeOf("acme/do", result, verdict({ capabilities: {} }, "2026-07-28"))).toBeUndefined();
    expect(extensions.resultTypeOf("acme/do", result, verdict(MODERN.server, "2025-11-25"))).toBeUndefined();
  });

  test("that fails to settle rejects with its extension's own error", async () => {
    settle.mockImplementationOnce(() => {
      throw new Error("lost");
    });
    const settling = extensions.settle(connection(MODERN), "acme/do", {}, { resultType: "job", id: "1" }, {});
    await expect(settling).rejects.toThrow("lost");
  });
});

test("a client that declares nothing but what its handlers imply keeps its capabilities as they are", () => {
  const capabilities = { roots: {} };
  expect(new ClientExtensions(undefined, answer).declareIn(capabilities)).toEqual({
    capabilities,
    legacyCapabilities: capabilities,
  });
  expect(new ClientExtensions([jobs], answer).declareIn(capabilities)).toEqual({
    capabilities: { roots: {}, extensions: { "com.example/jobs": {} } },
    legacyCapabilities: capabilities,
  });
});

test("calls and handlers are typed by definitions, extensions by their schemas", () => {
  const alarm = defineNotification("acme/alarm", { params: z.object({ level: z.number().default(1) }) });
  const weather = defineExtension("com.example/weather", { serverSettings: z.object({ stations: z.number() }) });
  const forecast = defineMethod("acme/forecast", {
    params: z.object({ city: z.string(), days: z.number().default(1) }),
    result: z.object({ at: z.string().transform((text) => new Date(text)) }),
  });
  const check = async (client: Client) => {
    expectTypeOf(await client.request(forecast, { city: "Bath" })).toEqualTypeOf<{ at: Date }>();
    expectTypeOf(await client.request("acme/other", {})).toEqualTypeOf<JsonObject>();
    // @ts-expect-error: the city is missing
    await client.request(forecast, {});
    await client.notify(alarm, {});
    // @ts-expect-error: a level is a number
    await client.notify(alarm, { level: "high" });
    client.handle(forecast, (params, context) => {
      expectTypeOf(params).toEqualTypeOf<{ city: string; days: number }>();
      expectTypeOf(context).toEqualTypeOf<RequestContext>();
      return { at: "2026-01-01" };
    });
    // @ts-expect-error: the result lacks its field
    client.handle(forecast, () => ({}));
    client.onNotification(alarm, (params) => expectTypeOf(params).toEqualTypeOf<{ level: number }>());
    expectTypeOf(client.extension(weather)?.settings).toEqualTypeOf<{ stations: number } | undefined>();
    const options: Pick<ClientOptions, "extensions"> = { extensions: [weather, weather.onClient({})] };
    // @ts-expect-error: a server's settings are nothing for a client
    options.extensions = [weather.onServer({ stations: 1 })];
  };
  expect(check).toBeTypeOf("function");
});

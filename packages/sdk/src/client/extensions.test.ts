import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import { defineExtension } from "../routing/extension.js";
import { defineMethod, defineNotification } from "../routing/method-definition.js";
import type { RequestContext } from "../routing/request-context.js";
import { defineResultType, type ExtensionCall } from "../routing/result-type.js";
import type { JsonObject } from "../runtime/json.js";
import type { Client } from "./client.js";
import type { SendCall } from "./client-call.js";
import type { ClientOptions } from "./client-options.js";
import { ClientExtensions } from "./extensions.js";
import type { NegotiationResult } from "./negotiation.js";

const status = defineMethod("acme/job", { params: z.object({ id: z.string() }), result: z.object({ n: z.number() }) });
const settle = vi.fn(async (_result: { id: string }, call: ExtensionCall): Promise<object> => {
  const { n } = await call.request(status, { id: "1" });
  return { n: n + Number((await call.request("acme/plain")).n) };
});
const job = defineResultType("job", { methods: ["acme/do"], result: z.object({ id: z.string() }), settle });
const jobs = defineExtension("com.example/jobs", { methods: [status], resultTypes: [job] });
const MODERN: NegotiationResult = {
  revision: "2026-07-28",
  server: { capabilities: { extensions: { "com.example/jobs": {} } } },
};
const answer = async () => ({});

const CONNECTION = { negotiated: MODERN };
const JOB = async () => ({ resultType: "job", id: "1" });

function requesting(answers: Record<string, JsonObject> = {}) {
  return vi.fn<SendCall>(async ({ method }) => answers[method] ?? {});
}

describe("a result of an extension's kind", () => {
  const extensions = new ClientExtensions({ extensions: [jobs] }, answer);

  test("is settled by requests with the signal and the timeout of its call, and no more of its options", async () => {
    const { signal } = new AbortController();
    const request = requesting({ "acme/job": { n: 1 }, "acme/plain": { n: 2 } });
    const call = { method: "acme/do", params: {}, options: { signal, timeoutMs: 500, id: "x", fresh: true } };
    expect(await extensions.settle(call, JOB, request, CONNECTION)).toEqual({ n: 3 });
    expect(request.mock.calls).toEqual([
      [{ method: "acme/job", params: { id: "1" }, options: { signal, timeoutMs: 500 } }],
      [{ method: "acme/plain", params: {}, options: { signal, timeoutMs: 500 } }],
    ]);
  });

  test("needs nothing of a call without options", async () => {
    const request = requesting({ "acme/job": { n: 1 }, "acme/plain": { n: 2 } });
    await extensions.settle({ method: "acme/do", params: {}, options: {} }, JOB, request, CONNECTION);
    expect(request).toHaveBeenCalledWith({ method: "acme/job", params: { id: "1" }, options: {} });
  });

  test("counts where the server was not asked, and not in the legacy era", async () => {
    const result = { resultType: "job", id: "1" };
    const negotiated = (server: NegotiationResult["server"], revision: NegotiationResult["revision"]) => ({
      revision,
      server,
    });
    expect(extensions.resultTypeOf("acme/do", result, negotiated({}, "2026-07-28"))?.type).toBe(job);
    expect(extensions.resultTypeOf("acme/do", result, negotiated({ capabilities: {} }, "2026-07-28"))).toBeUndefined();
    expect(extensions.resultTypeOf("acme/do", result, negotiated(MODERN.server, "2025-11-25"))).toBeUndefined();
  });

  test("that fails to settle rejects with its extension's own error", async () => {
    settle.mockImplementationOnce(() => {
      throw new Error("lost");
    });
    const settling = extensions.settle({ method: "acme/do", params: {}, options: {} }, JOB, requesting(), CONNECTION);
    await expect(settling).rejects.toThrow("lost");
  });
});

test("a client that declares nothing but what its handlers imply keeps its capabilities as they are", () => {
  const capabilities = { roots: {} };
  expect(new ClientExtensions({}, answer).declareIn(capabilities)).toEqual({
    capabilities,
    legacyCapabilities: capabilities,
  });
  expect(new ClientExtensions({ extensions: [jobs] }, answer).declareIn(capabilities)).toEqual({
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

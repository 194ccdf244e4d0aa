import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import { receivedError } from "../errors/protocol-error.js";
import { defineExtension } from "../routing/extension.js";
import { defineMethod, defineNotification } from "../routing/method-definition.js";
import type { RequestContext } from "../routing/request-context.js";
import { type AroundCall, defineResultType, type ExtensionCall } from "../routing/result-type.js";
import type { JsonObject } from "../runtime/json.js";
import type { Client } from "./client.js";
import type { SendCall } from "./client-call.js";
import type { ClientOptions } from "./client-options.js";
import { ClientExtensions, withExtensionAdvice } from "./extensions.js";
import type { NegotiationResult } from "./negotiation.js";
import { UnfinishedCalls } from "./unfinished-calls.js";

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
const unfinished = new UnfinishedCalls();
const services = { answer: async () => ({}), listen: vi.fn(), taskSupport: vi.fn(), unfinished };

const CONNECTION = { negotiated: MODERN };
const JOB = async () => ({ resultType: "job", id: "1" });

function requesting(answers: Record<string, JsonObject> = {}) {
  return vi.fn<SendCall>(async ({ method }) => answers[method] ?? {});
}

describe("a result of an extension's kind", () => {
  const extensions = new ClientExtensions({ extensions: [jobs] }, services);

  test("is settled by requests with the signal and the timeout of its call, and no more of its options", async () => {
    const { signal: own } = new AbortController();
    const request = requesting({ "acme/job": { n: 1 }, "acme/plain": { n: 2 } });
    const call = { method: "acme/do", params: {}, options: { signal: own, timeoutMs: 500, id: "x", fresh: true } };
    const signal = expect.any(AbortSignal);
    expect(await extensions.settle(call, JOB, request, CONNECTION)).toEqual({ n: 3 });
    expect(request.mock.calls).toEqual([
      [{ method: "acme/job", params: { id: "1" }, options: { signal, timeoutMs: 500 } }],
      [{ method: "acme/plain", params: {}, options: { signal, timeoutMs: 500 } }],
    ]);
  });

  test("needs nothing of a call without options", async () => {
    const request = requesting({ "acme/job": { n: 1 }, "acme/plain": { n: 2 } });
    await extensions.settle({ method: "acme/do", params: {}, options: {} }, JOB, request, CONNECTION);
    expect(request).toHaveBeenCalledWith({
      method: "acme/job",
      params: { id: "1" },
      options: { signal: expect.any(AbortSignal) },
    });
  });

  test("is not settled any more once the client is closed", async () => {
    settle.mockImplementationOnce(() => new Promise(() => undefined));
    const closed = new UnfinishedCalls();
    const own = new ClientExtensions({ extensions: [jobs] }, { ...services, unfinished: closed });
    const settling = own.settle({ method: "acme/do", params: {}, options: {} }, JOB, requesting(), CONNECTION);
    closed.close();
    await expect(settling).rejects.toMatchObject({ code: "connection-closed" });
  });

  test("is not settled for a caller that has aborted before", async () => {
    const options = { signal: AbortSignal.abort() };
    const settling = extensions.settle({ method: "acme/do", params: {}, options }, JOB, requesting(), CONNECTION);
    await expect(settling).rejects.toMatchObject({ code: "request-aborted" });
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
  expect(new ClientExtensions({}, services).declareIn(capabilities)).toEqual({
    capabilities,
    legacyCapabilities: capabilities,
  });
  expect(new ClientExtensions({ extensions: [jobs] }, services).declareIn(capabilities)).toEqual({
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

describe("a function around a call", () => {
  const around = vi.fn<AroundCall>((_call, send) => send());
  const wrapped = defineExtension("com.example/wrapped", { around: { "acme/do": around } });
  const extensions = new ClientExtensions({ extensions: [wrapped] }, services);
  const call = { method: "acme/do", params: { a: 1 }, options: { id: "x" } };

  test("sends the call as it is, or with other params under a new id", async () => {
    const next = vi.fn<SendCall>(async () => ({ n: 1 }));
    expect(await extensions.settle(call, next, requesting(), CONNECTION)).toEqual({ n: 1 });
    around.mockImplementationOnce((_call, send) => send({ a: 2 }));
    await extensions.settle(call, next, requesting(), CONNECTION);
    expect(next.mock.calls).toEqual([[call], [{ method: "acme/do", params: { a: 2 }, options: {} }]]);
  });

  test("does not concern other methods", async () => {
    const next = vi.fn<SendCall>(async () => ({}));
    await extensions.settle({ ...call, method: "acme/other" }, next, requesting(), CONNECTION);
    await extensions.start({ ...call, method: "acme/other" }, next, requesting(), CONNECTION);
    expect(around).toHaveBeenCalledTimes(2);
  });

  test("knows what its caller wants", async () => {
    around.mockClear();
    await extensions.settle(call, async () => ({}), requesting(), CONNECTION, "resume");
    await extensions.start(call, async () => ({}), requesting(), CONNECTION);
    expect(around.mock.calls.map(([{ mode }]) => mode)).toEqual(["resume", "start"]);
  });

  test("must return a result of the method", async () => {
    around.mockImplementationOnce(() => ({ content: 1 }));
    const tool = new ClientExtensions(
      { extensions: [defineExtension("com.example/tool", { around: { "tools/call": around } })] },
      services,
    );
    const called = { ...call, method: "tools/call" };
    await expect(tool.settle(called, async () => ({}), requesting(), CONNECTION)).rejects.toMatchObject({
      code: "invalid-result",
      message: expect.stringContaining("tools/call: result.content"),
    });
  });

  test("is the only one for its method", () => {
    const twin = defineExtension("com.example/twin", { around: { "acme/do": around } });
    expect(() => new ClientExtensions({ extensions: [wrapped, twin] }, services)).toThrow("already has acme/do");
  });
});

describe("a call that listens", () => {
  const filters = [{ filter: {} as never, value: [] }];

  /** The `listen` of an extension's call. */
  async function listener(listen: () => Promise<unknown>): Promise<ExtensionCall["listen"]> {
    let own: ExtensionCall["listen"] | undefined;
    const extension = defineExtension("com.example/wrapped", {
      around: {
        "acme/do": (call, send) => {
          own = call.listen;
          return send();
        },
      },
    });
    const extensions = new ClientExtensions({ extensions: [extension] }, { ...services, listen: listen as never });
    await extensions.start({ method: "acme/do", params: {}, options: {} }, async () => ({}), requesting(), CONNECTION);
    return own as ExtensionCall["listen"];
  }

  test("is one of eight, until it closes its subscription", async () => {
    const changes = { async *[Symbol.asyncIterator]() {}, close: vi.fn(async () => undefined), honored: {} };
    const listen = await listener(async () => changes);
    const open = await Promise.all(Array.from({ length: 8 }, () => listen(filters)));
    expect(open).not.toContain(undefined);
    expect(await listen(filters)).toBeUndefined();
    await open[0]?.close();
    await open[0]?.close();
    expect(await listen(filters)).toBeDefined();
    expect(await listen(filters)).toBeUndefined();
    for await (const change of open[1] ?? []) expect.unreachable(change.kind);
  });

  test("frees its place if the server refuses", async () => {
    const listen = await listener(() => Promise.reject(new Error("too many streams")));
    for (let attempt = 0; attempt < 9; attempt += 1) await expect(listen(filters)).rejects.toThrow("too many");
  });
});

describe("the advice for a refused client", () => {
  const refused = (data?: unknown) => receivedError(-32021, "Not declared", data);

  test("names the extension that the server requires", () => {
    const data = { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } };
    expect(withExtensionAdvice(refused(data))).toMatchObject({
      code: -32021,
      message:
        "Not declared; the client needs the extension io.modelcontextprotocol/tasks in its options, " +
        'as in extensions: [tasks] with import { tasks } from "parley-mcp/tasks"',
      data,
      isReceived: true,
    });
  });

  test.each([
    new Error("other"),
    receivedError(-32601, "Method not found", { requiredCapabilities: { extensions: {} } }),
    refused(),
    refused({ requiredCapabilities: [] }),
    refused({ requiredCapabilities: { sampling: {} } }),
  ])("leaves other errors as they are: %s", (error) => {
    expect(withExtensionAdvice(error)).toBe(error);
  });
});

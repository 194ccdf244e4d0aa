import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { InboundRequest } from "../dispatch/dispatcher.js";
import { readAnswer, sendDefined } from "./defined-message.js";
import { toNotificationHandler, toRequestHandler } from "./handler-checks.js";
import { defineMethod, defineNotification } from "./method-definition.js";
import { RequestContext } from "./request-context.js";
import { defineResultType } from "./result-type.js";
import { RoutedRequest } from "./routed-request.js";

/** Yields what it takes, later. */
const waiting = <S extends z.ZodType>(schema: S) => {
  const validate = async (value: unknown) => {
    await Promise.resolve();
    return schema["~standard"].validate(value);
  };
  return { "~standard": { ...schema["~standard"], validate } } as unknown as S;
};

const params = z.object({ city: z.string(), days: z.number().default(1) });
const result = z.strictObject({ celsius: z.number(), unit: z.string().default("C") });
const inbound: InboundRequest = {
  id: 1,
  method: "acme/forecast",
  params: {},
  signal: new AbortController().signal,
  isSettled: false,
  notify: async () => undefined,
  request: async () => ({}),
};
const context = new RequestContext(new RoutedRequest(inbound, "2026-07-28", "modern"));
const cancelled = new RequestContext(new RoutedRequest({ ...inbound, isSettled: true }, "2026-07-28", "modern"));

describe.each([
  ["at once", params, result],
  ["later", waiting(params), waiting(result)],
])("a method whose schemas validate %s", (_when, paramsSchema, resultSchema) => {
  const forecast = defineMethod("acme/forecast", { params: paramsSchema, result: resultSchema });

  test("is served with what the params schema yields, and answered as the handler returned it", async () => {
    const handler = vi.fn(() => ({ celsius: 7, _meta: { a: 1 } }));
    const [name, run] = toRequestHandler(forecast, handler, undefined, "client", {});
    expect(name).toBe("acme/forecast");
    expect(await run({ city: "Bath", _meta: { x: 1 } }, context)).toEqual({ celsius: 7, _meta: { a: 1 } });
    expect(handler).toHaveBeenCalledWith({ city: "Bath", days: 1 }, context);
  });

  test("refuses other params with -32602 and their path, before the handler runs", async () => {
    const handler = vi.fn();
    const [, run] = toRequestHandler(forecast, handler, undefined, "client", {});
    await expect(run({ city: 7 }, context)).rejects.toMatchObject({
      name: "ProtocolError",
      code: -32602,
      message: expect.stringMatching(/^acme\/forecast: params\.city: /),
    });
    expect(handler).not.toHaveBeenCalled();
  });

  test("is not served any more if it was cancelled while its params were checked", async () => {
    const handler = vi.fn();
    const [, defined] = toRequestHandler(forecast, handler, undefined, "client", {});
    const [, named] = toRequestHandler("acme/forecast", { params: paramsSchema }, handler, "client", {});
    for (const run of [defined, named]) {
      await expect(run({ city: "Bath" }, cancelled)).rejects.toMatchObject({ code: "request-aborted" });
    }
    expect(handler).not.toHaveBeenCalled();
  });

  test.each([
    ["result.celsius", { celsius: "warm" }],
    ["result", undefined],
    ["result", { celsius: 7, humidity: 1 }],
  ])("lets out no other result: %s", async (path, returned) => {
    const [, run] = toRequestHandler(forecast, () => returned, undefined, "client", {});
    await expect(run({ city: "Bath" }, context)).rejects.toMatchObject({
      code: "invalid-result",
      message: expect.stringContaining(`the handler of acme/forecast returned: ${path}: `),
    });
  });

  test("may be answered with an extension's kind of result", async () => {
    const job = defineResultType("job", { methods: ["acme/forecast"], result: z.object({}), settle: () => ({}) });
    const answer = job.of({});
    const [, run] = toRequestHandler(forecast, () => answer, undefined, "client", {});
    expect(await run({ city: "Bath" }, context)).toBe(answer);
  });

  test("has its answer read by the schema, without what belongs to the protocol", async () => {
    expect(await readAnswer(forecast, { celsius: 7, resultType: "complete", _meta: {} })).toEqual({
      celsius: 7,
      unit: "C",
    });
    await expect(readAnswer(forecast, { celsius: null })).rejects.toMatchObject({
      code: "invalid-result",
      message: expect.stringMatching(/^acme\/forecast: result\.celsius: /),
    });
  });
});

describe.each([
  ["at once", params],
  ["later", waiting(params)],
])("a notification whose schema validates %s", (_when, schema) => {
  const planned = defineNotification("notifications/acme/planned", { params: schema });

  test("reaches its handler as the schema yields it, or not at all", async () => {
    const handler = vi.fn();
    const context = { revision: "2026-07-28" };
    const [name, run] = toNotificationHandler<typeof context>(planned, handler);
    await run({ city: "Bath", _meta: {} }, name, context);
    await expect((async () => run({ days: 2 }, name, context))()).rejects.toMatchObject({
      code: "invalid-message",
      message: expect.stringMatching(/^notifications\/acme\/planned was dropped: params\.city: /),
    });
    expect(handler.mock.calls).toEqual([[{ city: "Bath", days: 1 }, "notifications/acme/planned", context]]);
  });

  test("goes out as it was given, or not at all", async () => {
    const send = vi.fn(async () => undefined);
    await sendDefined(planned, { city: "Bath" }, send);
    await expect(sendDefined(planned, { city: 1 }, send)).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringMatching(/^notifications\/acme\/planned was not sent: params\.city: /),
    });
    expect(send.mock.calls).toEqual([["notifications/acme/planned", { city: "Bath" }]]);
  });
});

test("notifications leave and are handled in order where nothing has to wait", () => {
  const events: unknown[] = [];
  const note = defineNotification("acme/note", { params: z.object({ n: z.number() }) });
  const [, run] = toNotificationHandler(note, ({ n }: { n: number }) => events.push(n));
  void sendDefined(note, { n: 1 }, async (name, own) => void run(own, name, undefined));
  void sendDefined(note, { n: 2 }, async (name, own) => void run(own, name, undefined));
  expect(events).toEqual([1, 2]);
});

test("params that are no object are not sent, whatever the schema says", async () => {
  const note = defineNotification("acme/note", { params: z.number() });
  await expect(sendDefined(note, 7, async () => undefined)).rejects.toMatchObject({ code: "invalid-argument" });
});

test("names are served as before, and a definition needs a handler", async () => {
  const notice = vi.fn();
  expect(toNotificationHandler("acme/note", notice)).toEqual(["acme/note", notice]);
  const [name, run] = toRequestHandler("acme/do", { params }, ({ city }: { city: string }) => ({ city }), "client", {});
  expect([name, await run({ city: "Bath" }, context)]).toEqual(["acme/do", { city: "Bath" }]);
  const forecast = defineMethod("acme/forecast", { params, result });
  expect(() => toRequestHandler(forecast, { params }, undefined, "client", {})).toThrow(
    expect.objectContaining({ code: "invalid-argument" }),
  );
});

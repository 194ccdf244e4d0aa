import { expect, test } from "vitest";
import type { InboundRequest, RequestOptions } from "../dispatch/dispatcher.js";
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../runtime/json.js";
import type { Middleware, MiddlewareCall } from "./middleware.js";
import { RequestContext } from "./request-context.js";
import { RoutedRequest } from "./routed-request.js";
import { Router } from "./router.js";

interface Served {
  readonly inbound: InboundRequest;
  /** What went out, in order. */
  readonly sent: unknown[];
  end(): void;
}

function serve(): Served {
  const sent: unknown[] = [];
  let isSettled = false;
  const ended = () => Promise.reject(new SdkError("context-ended", "over"));
  const inbound: InboundRequest = {
    id: 1,
    method: "acme/work",
    params: { given: true },
    signal: new AbortController().signal,
    caller: { principal: "ada" },
    get isSettled() {
      return isSettled;
    },
    notify: async (method, params) => {
      if (isSettled) return ended();
      sent.push([method, params]);
    },
    request: async (method: string, params?: JsonObject, options?: RequestOptions) => {
      if (isSettled) return ended();
      sent.push(options ? [method, params, options] : [method, params]);
      return { answered: method };
    },
  };
  return {
    inbound,
    sent,
    end: () => {
      isSettled = true;
    },
  };
}

type Handler = (context: RequestContext) => unknown;

async function run(served: Served, middleware: Middleware<RequestContext>, handler: Handler): Promise<unknown> {
  const router = new Router<RequestContext>("client");
  router.use(middleware);
  router.handle("acme/work", (_params, context) => handler(context));
  const request = new RoutedRequest(served.inbound, "2025-11-25", "legacy");
  const result = await router.routeRequest("acme/work", {}, new RequestContext(request));
  served.sent.push("answer");
  return result;
}

test("middleware sees what a handler sends, may change it, and the handler gets its answer", async () => {
  const served = serve();
  const seen: MiddlewareCall<RequestContext>[] = [];
  const options = { timeoutMs: 5 };
  const result = await run(
    served,
    async (call, next) => {
      if (call.direction === "inbound") return next();
      seen.push(call);
      const answer = await next({ ...call.params, stamped: true });
      return call.kind === "request" ? { ...(answer as object), changed: true } : answer;
    },
    async (context) => {
      await context.notify("acme/step", { step: 1 });
      return context.request("acme/ask", { question: 1 }, options);
    },
  );

  const common = { direction: "outbound", revision: "2025-11-25", context: undefined };
  expect(seen).toEqual([
    { ...common, kind: "notification", method: "acme/step", params: { step: 1 } },
    { ...common, kind: "request", method: "acme/ask", params: { question: 1 } },
  ]);
  expect(served.sent).toEqual([
    ["acme/step", { step: 1, stamped: true }],
    ["acme/ask", { question: 1, stamped: true }, options],
    "answer",
  ]);
  expect(result).toEqual({ answered: "acme/ask", changed: true });
});

test("params that were not given are not sent", async () => {
  const served = serve();
  await run(
    served,
    (_call, next) => next(),
    async (context) => {
      await context.notify("acme/step");
      await context.request("roots/list");
      return {};
    },
  );

  expect(served.sent).toEqual([["acme/step", undefined], ["roots/list", undefined], "answer"]);
});

test("a notification goes out at once if middleware does not wait", async () => {
  const served = serve();
  await run(
    served,
    (_call, next) => next(),
    (context) => {
      void context.notify("acme/step");
      served.sent.push("next line");
      return {};
    },
  );

  expect(served.sent).toEqual([["acme/step", undefined], "next line", "answer"]);
});

test.each(["returns", "throws"])(
  "a notification that middleware holds up is sent before the answer of a handler that %s",
  async (how) => {
    const served = serve();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const running = run(
      served,
      async ({ direction }, next) => {
        if (direction === "outbound") await released;
        return next();
      },
      (context) => {
        void context.notify("acme/step");
        if (how === "throws") throw new Error("crash");
        return {};
      },
    ).catch(() => served.sent.push("answer"));
    // Time enough for an answer that does not wait.
    await new Promise((resolve) => setImmediate(resolve));
    served.sent.push("released");
    release();
    await running;

    expect(served.sent).toEqual(["released", ["acme/step", undefined], "answer"]);
  },
);

test("middleware may keep a notification, and what it throws reaches whoever awaits", async () => {
  const served = serve();
  const refusal = new Error("Not this one");
  await run(
    served,
    async ({ method }, next) => {
      if (method === "acme/kept") return undefined;
      if (method === "acme/refused") throw refusal;
      const result = await next();
      if (method === "acme/late") throw refusal;
      return result;
    },
    async (context) => {
      void context.notify("acme/refused");
      void context.notify("acme/late");
      await context.notify("acme/kept");
      await expect(context.notify("acme/refused")).rejects.toBe(refusal);
      await expect(context.request("acme/refused")).rejects.toBe(refusal);
      return {};
    },
  );

  expect(served.sent).toEqual([["acme/late", undefined], "answer"]);
});

test("an answer of middleware that is no object rejects", async () => {
  await run(
    serve(),
    ({ direction }, next) => (direction === "outbound" ? "no object" : next()),
    async (context) => {
      const asked = context.request("acme/ask");
      await expect(asked).rejects.toMatchObject({
        code: "invalid-result",
        message: expect.stringContaining("acme/ask"),
      });
      return {};
    },
  );
});

test("after the request nothing reaches middleware or the peer", async () => {
  const served = serve();
  const seen: string[] = [];
  let kept: RequestContext | undefined;
  await run(
    served,
    ({ method }, next) => {
      seen.push(method);
      return next();
    },
    (context) => {
      kept = context;
      return {};
    },
  );
  served.end();

  await expect(kept?.notify("acme/late")).rejects.toMatchObject({ code: "context-ended" });
  await expect(kept?.request("acme/late")).rejects.toMatchObject({ code: "context-ended" });
  expect([served.sent, seen]).toEqual([["answer"], ["acme/work"]]);
});

test("the handler's view of its request stays the same", async () => {
  const served = serve();
  await run(
    served,
    (_call, next) => next(),
    (context) => {
      const { requestId, method, signal, caller, meta } = context;
      expect({ requestId, method, signal, caller, meta }).toEqual({
        requestId: 1,
        method: "acme/work",
        signal: served.inbound.signal,
        caller: { principal: "ada" },
        meta: {},
      });
      return {};
    },
  );
});

import { expect, test } from "vitest";
import { DEFAULT_LIMITS, exchangeHttp, type HttpReply, type SendHttp } from "./http-exchange.js";

const CALL = { verb: "GET", headers: {} };
const LIMITS = { ...DEFAULT_LIMITS, timeoutMs: 20, lingerMs: 2, maxReplyBytes: 100 };

function sending(
  pieces: readonly string[],
  options: { readonly staysOpen?: boolean; readonly type?: string } = {},
): SendHttp {
  return async (_call, signal): Promise<HttpReply> => {
    async function* body(): AsyncGenerator<Uint8Array> {
      for (const piece of pieces) yield new TextEncoder().encode(piece);
      if (options.staysOpen) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    return { status: 200, headers: { "content-type": options.type ?? "text/event-stream" }, body: body() };
  };
}

test("a reply that ends is complete", async () => {
  const outcome = await exchangeHttp(sending(["data: 1\n\n"]), CALL, LIMITS);

  expect(outcome.ending).toBe("complete");
  expect(outcome.events.map(({ data }) => data)).toEqual(["1"]);
});

test("a stream that stays open after its last event is stopped", async () => {
  const outcome = await exchangeHttp(sending(["data: 1\n\n"], { staysOpen: true }), CALL, LIMITS, {
    isLast: () => true,
  });

  expect(outcome.ending).toBe("stopped");
  expect(outcome.events).toHaveLength(1);
});

test("a stream that stays silent is a timeout", async () => {
  expect((await exchangeHttp(sending([], { staysOpen: true }), CALL, LIMITS)).ending).toBe("timeout");
});

test("a reply over the limit is cut off", async () => {
  expect((await exchangeHttp(sending(["x".repeat(101)]), CALL, LIMITS)).ending).toBe("too-large");
});

test("a broken connection is an outcome with its reason", async () => {
  const outcome = await exchangeHttp(() => Promise.reject(new Error("reset")), CALL, LIMITS);

  expect(outcome).toMatchObject({ ending: "broken", reason: "reset", status: undefined });
});

test("stopping before the status is known waits for it", async () => {
  const slow: SendHttp = async (call, signal) => {
    await new Promise((resolve) => setImmediate(resolve));
    return sending([], { staysOpen: true })(call, signal);
  };

  const outcome = await exchangeHttp(slow, CALL, LIMITS, { stop: AbortSignal.abort() });

  expect(outcome).toMatchObject({ ending: "stopped", status: 200 });
});

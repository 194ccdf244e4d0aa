import { describe, expect, it, vi } from "vitest";
import type { RequestOptions } from "../../dispatch/dispatcher.js";
import type { JsonObject } from "../../runtime/json.js";
import type { ServerContext } from "../server-context.js";
import { LegacyRun } from "./legacy-run.js";
import type { Question } from "./questions.js";

/** Asking through a context whose requests are answered so. */
function askingThrough(answer: () => Promise<JsonObject>) {
  const request = vi.fn((_method: string, _params?: JsonObject, _options?: RequestOptions) => answer());
  // The rest of a context is not used here.
  const context = { request, method: "tools/call" } as unknown as ServerContext;
  return { request, asking: new LegacyRun(context, { maxRequests: 2, timeoutMs: 600_000 }) };
}

const roots: Question<unknown> = { request: { method: "roots/list" }, key: "ignored", read: ({ roots }) => roots };
const failing = () => Promise.reject(new Error("no"));

describe("asking in the legacy era", () => {
  it("sends the question as a request and reads its answer", async () => {
    const { asking, request } = askingThrough(async () => ({ roots: ["a"] }));
    const params = { messages: [], maxTokens: 1 };

    expect(await asking.ask(roots)).toEqual(["a"]);
    await asking.ask({ ...roots, request: { method: "sampling/createMessage", params } });

    expect(request.mock.calls).toEqual([
      ["roots/list", undefined, {}],
      ["sampling/createMessage", params, { timeoutMs: 600_000 }],
    ]);
  });

  it("waits as long as the question says", async () => {
    const { asking, request } = askingThrough(async () => ({ roots: ["a"] }));
    const params = { messages: [], maxTokens: 1 };
    const { signal } = new AbortController();

    await asking.ask({ ...roots, requestOptions: { timeoutMs: 5 } });
    await asking.ask({ ...roots, request: { method: "sampling/createMessage", params }, requestOptions: { signal } });

    expect(request.mock.calls.map(([, , options]) => options)).toEqual([
      { timeoutMs: 5 },
      { timeoutMs: 600_000, signal },
    ]);
  });

  it("fails with what the request fails with, or its answer", async () => {
    await expect(askingThrough(failing).asking.ask(roots)).rejects.toThrow("no");
    const { asking } = askingThrough(async () => ({}));
    const unreadable = { ...roots, read: () => Promise.reject(new Error("makes no sense")) };
    await expect(asking.ask(unreadable)).rejects.toThrow("makes no sense");
  });

  it("sends no more questions than may wait for their answers at once", async () => {
    const { asking, request } = askingThrough(async () => ({ roots: ["a"] }));
    const asked = [asking.ask(roots), asking.ask(roots), asking.ask(roots)];

    await expect(asked[2]).rejects.toMatchObject({ code: "too-large" });
    expect(await Promise.all(asked.slice(0, 2))).toEqual([["a"], ["a"]]);
    expect(request).toHaveBeenCalledTimes(2);
    expect(await asking.ask(roots)).toEqual(["a"]);
  });

  it("tells of every page that it has the client open, if anybody wants to know", async () => {
    const opened: string[] = [];
    const request = async () => ({ action: "accept" });
    // The rest of a context is not used here.
    const context = { request } as unknown as ServerContext;
    const params = { mode: "url" as const, message: "Sign in", url: "https://example.com" };
    const ask = (asking: LegacyRun, elicitationId?: string) =>
      asking.ask({ ...roots, request: { method: "elicitation/create", params: { ...params, elicitationId } } });
    const limits = { maxRequests: 8, timeoutMs: 1 };
    const asking = new LegacyRun(context, limits, (id) => void opened.push(id));
    await ask(asking, "a");
    await ask(asking);
    await asking.ask(roots);
    await ask(new LegacyRun(context, limits), "b");
    expect(opened).toEqual(["a"]);
  });

  it("runs an effect once", async () => {
    const { asking } = askingThrough(failing);
    const effect = vi.fn(() => 7);
    expect([await asking.once("a", effect), await asking.once("a", effect)]).toEqual([7, 7]);
    expect(effect).toHaveBeenCalledOnce();
  });

  it("does not mind a failure that nobody waits for", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    try {
      const { asking } = askingThrough(failing);
      void asking.ask(roots);
      void asking.once("a", failing);
      // Unhandled rejections are told of after the microtasks.
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off("unhandledRejection", unhandled);
    }
  });
});

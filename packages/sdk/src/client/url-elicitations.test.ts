import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import type { JsonObject } from "../runtime/json.js";
import { UnfinishedCalls } from "./unfinished-calls.js";
import { type RequiredUrlOptions, requiredUrls, UrlElicitations, visitRequiredUrls } from "./url-elicitations.js";

const page = (elicitationId: string) => ({
  mode: "url",
  message: "Sign in",
  url: "https://example.com",
  elicitationId,
});
const refusalFor = (...ids: string[]) =>
  new ProtocolError(-32042, "First this", { data: { elicitations: ids.map(page) } });

type Answer = RequiredUrlOptions["responder"]["answer"];

const SERVED: JsonObject = { content: [] };
const connection = { negotiated: { revision: "2025-11-25", server: {} } } as const;
const FORM = { type: "object" as const, properties: {} };

describe("requiredUrls", () => {
  it("gives the pages that -32042 names", () => {
    expect(requiredUrls(refusalFor("a", "b"))).toEqual([page("a"), page("b")]);
  });

  it.each([
    ["another error", new Error("no")],
    ["another code", new ProtocolError(-32602, "no", { data: { elicitations: [page("a")] } })],
    ["no data", new ProtocolError(-32042, "no")],
    ["no list", new ProtocolError(-32042, "no", { data: { elicitations: page("a") } })],
    [
      "forms, pages without an id, and what is no page",
      new ProtocolError(-32042, "no", {
        data: {
          elicitations: [
            { mode: "form", message: "Name?", requestedSchema: FORM, elicitationId: "a" },
            { ...page("a"), elicitationId: 7 },
            { ...page("a"), url: 7 },
            null,
          ],
        },
      }),
    ],
  ])("gives none for %s", (_case, error) => {
    expect(requiredUrls(error)).toEqual([]);
  });
});

function tracking(onComplete?: (id: string) => void) {
  const report = vi.fn();
  return { report, pages: new UrlElicitations(onComplete, report) };
}

describe("pages", () => {
  it("are completed once, and only if they are known", async () => {
    const onComplete = vi.fn();
    const { pages } = tracking(onComplete);
    const completed = pages.started("a");
    expect(pages.started("a")).toBe(completed);
    pages.completed({ elicitationId: "b" });
    expect(onComplete).not.toHaveBeenCalled();
    pages.completed({ elicitationId: "a" });
    pages.completed({ elicitationId: "a" });
    await completed;
    expect(onComplete.mock.calls).toEqual([["a"]]);
  });

  it("are known from the questions that have them opened", () => {
    const onComplete = vi.fn();
    const { pages } = tracking(onComplete);
    pages.asked({ method: "roots/list" });
    pages.asked({ method: "elicitation/create", params: { message: "Form", requestedSchema: FORM } });
    pages.asked({ method: "elicitation/create", params: { mode: "url", message: "Modern", url: "https://a.example" } });
    pages.asked({ method: "elicitation/create", params: { ...page("a"), mode: "url" } });
    for (const elicitationId of ["undefined", "a"]) pages.completed({ elicitationId });
    expect(onComplete.mock.calls).toEqual([["a"]]);
  });

  it("report a callback that fails", () => {
    const cause = new Error("no");
    const { pages, report } = tracking(() => {
      throw cause;
    });
    void pages.started("a");
    pages.completed({ elicitationId: "a" });
    expect(report.mock.calls).toMatchObject([[{ code: "handler-failed", cause }]]);
  });

  it("are forgotten, oldest first, beyond 1,024", () => {
    const onComplete = vi.fn();
    const { pages } = tracking(onComplete);
    for (let n = 0; n <= 1_024; n += 1) void pages.started(`${n}`);
    for (const elicitationId of ["0", "1", "1024"]) pages.completed({ elicitationId });
    expect(onComplete.mock.calls).toEqual([["1"], ["1024"]]);
  });
});

describe("a call that is refused until pages were visited", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const accept = vi.fn<Answer>(async () => ({ action: "accept" }));
  const turns = () => vi.advanceTimersByTimeAsync(0);

  function calling(
    refusals: unknown[],
    {
      answer = accept,
      signal,
      ...options
    }: Partial<RequiredUrlOptions> & { answer?: Answer; signal?: AbortSignal } = {},
  ) {
    const { pages } = tracking();
    const send = vi.fn(async () => {
      const refusal = refusals.shift();
      if (refusal) throw refusal;
      return SERVED;
    });
    const responder = { answer };
    const step = visitRequiredUrls(pages, {
      responder,
      connection,
      unfinished: new UnfinishedCalls(),
      maxRequests: 4,
      retryMs: 100,
      schemes: undefined,
      ...options,
    });
    const call = step({ method: "tools/call", params: {}, options: { ...(signal && { signal }) } }, send);
    return { pages, send, call };
  }

  it("is refused if it names more pages than may be asked at once, and nothing is shown", async () => {
    accept.mockClear();
    const { send, call } = calling([refusalFor("a", "b", "c", "d", "e")]);
    await expect(call).rejects.toMatchObject({ code: "too-large" });
    expect(accept).not.toHaveBeenCalled();
    expect(send).toHaveBeenCalledOnce();
  });

  it("shows the pages, waits for all of them, and is made again", async () => {
    accept.mockClear();
    const { pages, send, call } = calling([refusalFor("a", "b")]);
    await turns();
    expect(accept.mock.calls.map(([request]) => request)).toEqual(
      ["a", "b"].map((id) => ({ method: "elicitation/create", params: page(id) })),
    );
    pages.completed({ elicitationId: "a" });
    await turns();
    expect(send).toHaveBeenCalledTimes(1);
    pages.completed({ elicitationId: "b" });
    expect(await call).toBe(SERVED);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("takes the server's word that came before the user's consent did", async () => {
    const { pages, call } = calling([refusalFor("a")], {
      answer: async () => {
        pages.completed({ elicitationId: "a" });
        return { action: "accept" };
      },
    });
    expect(await call).toBe(SERVED);
  });

  it("is made again once, not twice", async () => {
    const second = refusalFor("b");
    const { pages, send, call } = calling([refusalFor("a"), second]);
    await turns();
    pages.completed({ elicitationId: "a" });
    await expect(call).rejects.toBe(second);
    expect(send).toHaveBeenCalledTimes(2);
  });

  it.each([
    ["the user declines", { answer: async () => ({ action: "decline" }) }],
    ["nobody asked for it to be made again", { retryMs: undefined }],
  ])("rejects as it was refused when %s", async (_case, options) => {
    const refusal = refusalFor("a");
    const { send, call } = calling([refusal], options);
    await expect(call).rejects.toBe(refusal);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it("rejects as it was refused when the server says nothing in time", async () => {
    const refusal = refusalFor("a");
    const { call } = calling([refusal]);
    const outcome = call.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(100);
    expect(await outcome).toBe(refusal);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("rejects with any other error at once", async () => {
    const refusal = new ProtocolError(-32602, "no");
    await expect(calling([refusal]).call).rejects.toBe(refusal);
  });

  it.each([
    ["while the user is asked", async () => new Promise<JsonObject>(() => undefined)],
    ["while the user is away", accept],
  ])("is given up %s, and leaves nothing behind", async (_case, answer) => {
    const stop = new AbortController();
    const { call } = calling([refusalFor("a")], { signal: stop.signal, answer });
    const outcome = call.catch((error: unknown) => error);
    await turns();
    stop.abort();
    expect(await outcome).toMatchObject({ code: "request-aborted" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("rejects when the connection is gone", async () => {
    const { pages, call } = calling([refusalFor("a")]);
    const outcome = call.catch((error: unknown) => error);
    await turns();
    pages.end();
    expect(await outcome).toMatchObject({ code: "connection-closed" });
    expect(vi.getTimerCount()).toBe(0);
  });
});

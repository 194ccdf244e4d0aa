import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { InboundRequest } from "../../dispatch/dispatcher.js";
import type { ClientCapabilities } from "../../protocol/capabilities.js";
import type { InputRequiredResult } from "../../protocol/input-required.js";
import { eraOf, type Revision } from "../../protocol/revisions.js";
import type { RequestHandler } from "../../routing/router.js";
import type { JsonObject } from "../../runtime/json.js";
import { ServerExtensions } from "../extensions.js";
import { ServerContext } from "../server-context.js";
import { type ConnectionState, ServerRequest } from "../server-request.js";
import { inputRequired } from "./input-required.js";
import { StateSeal } from "./state-seal.js";
import { withInput } from "./with-input.js";

const MODERN: Revision = "2026-07-28";
const LEGACY: Revision = "2025-11-25";
const roots = { method: "roots/list" } as const;
const ROOTS = { roots: [{ uri: "file:///srv/ada" }] };

interface Serving {
  readonly revision: Revision;
  readonly clientCapabilities?: ClientCapabilities;
  /** What a legacy client answers. */
  readonly answer?: (method: string) => Promise<JsonObject>;
}

/** Serves calls of one handler, each in a context of its own. */
function serving(handler: RequestHandler<ServerContext>, { revision, clientCapabilities, answer }: Serving) {
  const served = withInput(handler, { seal: new StateSeal(), maxRequests: 8, timeoutMs: 600_000 });
  const request = vi.fn((method: string) => (answer ? answer(method) : Promise.reject(new Error("nobody answers"))));
  const envelope = {
    revision,
    era: eraOf(revision),
    clientInfo: undefined,
    clientCapabilities: clientCapabilities ?? { roots: {}, sampling: {} },
  };
  const call = async (params: JsonObject = {}, isSettled = false, messageBytes = 0) => {
    // The rest of a request and of a connection is not used here.
    const inbound = {
      method: "tools/call",
      params,
      isSettled,
      request,
      caller: { messageBytes },
    } as unknown as InboundRequest;
    const connection = {
      isReady: true,
      extensions: new ServerExtensions("server"),
      restrictions: {},
      pageSchemes: ["https"],
    } as unknown as ConnectionState;
    return (await served(params, new ServerContext(new ServerRequest(inbound, envelope, connection)))) as JsonObject;
  };
  return { call, request };
}

/** Calls again with these answers, as a client does. */
function retry(required: JsonObject, inputResponses: JsonObject, params: JsonObject = {}): JsonObject {
  const { requestState } = required as unknown as InputRequiredResult;
  return { ...params, inputResponses, requestState };
}

describe("a modern call", () => {
  it.each<[name: string, args: () => unknown]>([
    ["objects", () => ({ list: [{ of: "items" }, "text", 1, null] })],
    ["a date", () => ({ at: new Date(0) })],
  ])("is the same call when it is retried, although its handler changed %s of its arguments", async (_name, args) => {
    const { call } = serving(
      async ({ arguments: given }, context) => {
        const changed = given as { list?: { of?: string }[]; at?: Date };
        if (changed.list?.[0]) changed.list[0].of = "others";
        changed.at?.setTime(1);
        await context.listRoots();
        return { content: [] };
      },
      { revision: MODERN },
    );
    const required = await call({ arguments: args() });
    const [key] = Object.keys((required as unknown as InputRequiredResult).inputRequests ?? {});
    const again = retry(required, { [String(key)]: ROOTS }, { arguments: args() });
    expect(await call(again)).toEqual({ content: [] });
  });

  it("is another call when it is retried with another member __proto__", async () => {
    const handler: RequestHandler<ServerContext> = async (_params, context) => ({ content: await context.listRoots() });
    const { call } = serving(handler, { revision: MODERN });
    const args = (text: string) => ({ arguments: JSON.parse(`{"__proto__":{"name":"${text}"}}`) });
    const required = await call(args("one"));
    const answers = { "roots/list#1": ROOTS };
    expect(await call(retry(required, answers, args("one")))).toEqual({ content: ROOTS.roots });
    await expect(call(retry(required, answers, args("two")))).rejects.toThrow("requestState");
  });

  it("that asks nothing may carry in process what JSON cannot express", async () => {
    const { call } = serving(() => ({ content: [] }), { revision: MODERN });
    const cycle: JsonObject = { list: [] };
    (cycle.list as unknown[]).push(cycle);
    expect(await call({ arguments: cycle })).toEqual({ content: [] });
  });

  it("that asks nothing is answered as the handler says, or fails as it does", async () => {
    const { call } = serving(() => ({ content: [] }), { revision: MODERN });
    expect(await call()).toEqual({ content: [] });

    const crashed = new Error("no");
    const failing = serving(() => Promise.reject(crashed), { revision: MODERN });
    await expect(failing.call()).rejects.toBe(crashed);
  });

  it("does not run its handler if it was cancelled while its state was opened", async () => {
    const handler = vi.fn(async (_params: JsonObject, context: ServerContext) => ({ seen: await context.listRoots() }));
    const { call } = serving(handler, { revision: MODERN });
    const required = await call();
    await expect(call(retry(required, { "roots/list#1": ROOTS }), true)).rejects.toMatchObject({
      code: "request-aborted",
    });
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it("ends with the question even if the handler returns or throws something of its own", async () => {
    for (const end of [() => ({ content: [] }), () => Promise.reject(new Error("other"))]) {
      const handler: RequestHandler<ServerContext> = async (_params, context) => {
        await context.listRoots().catch(() => undefined);
        return end();
      };
      const { call } = serving(handler, { revision: MODERN });
      expect(await call()).toMatchObject({ inputRequests: { "roots/list#1": roots } });
    }
  });

  it("opens its state only with the params it was sealed for, whatever the handler did to them", async () => {
    const handler: RequestHandler<ServerContext> = async (params, context) => {
      params.arguments = "changed";
      return { seen: await context.listRoots() };
    };
    const { call } = serving(handler, { revision: MODERN });
    const required = await call({ arguments: { a: 1 }, _meta: { round: 1 } });

    const same = retry(required, { "roots/list#1": ROOTS }, { arguments: { a: 1 }, _meta: { round: 2 } });
    expect(await call(same)).toEqual({ seen: ROOTS.roots });
    const other = retry(required, { "roots/list#1": ROOTS }, { arguments: { a: 2 } });
    await expect(call(other)).rejects.toMatchObject({ code: -32602 });
  });

  it("asks also if its handler fails over not having waited for the answer", async () => {
    const { call } = serving(
      (_params, context) => {
        void context.listRoots();
        throw new Error("no answer yet");
      },
      { revision: MODERN },
    );
    expect(await call()).toMatchObject({ resultType: "input_required", inputRequests: { "roots/list#1": roots } });
  });

  it("lets others have a turn before it reads long params again", async () => {
    const { call } = serving(async (_params, context) => ({ seen: await context.listRoots() }), { revision: MODERN });
    const params = { arguments: { a: "x".repeat(65_536) } };
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = call(params, false, 65_537);
    await new Promise((resolve) => setImmediate(resolve));
    expect(vi.getTimerCount()).toBe(1);
    vi.runAllTimers();
    const required = await asked;
    expect(await call(retry(required, { "roots/list#1": ROOTS }, params))).toEqual({ seen: ROOTS.roots });
  });
});

describe("a modern call that its author spells out", () => {
  it("gets its state and the answers to what it asked, and no others", async () => {
    const seen: unknown[] = [];
    const handler: RequestHandler<ServerContext> = (_params, { inputResponses, requestState }) => {
      seen.push({ inputResponses, requestState });
      if (requestState === undefined) return inputRequired({ inputRequests: { where: roots }, requestState: "1" });
      return requestState === "1" ? inputRequired({ requestState: "2" }) : { content: [] };
    };
    const { call } = serving(handler, { revision: MODERN });

    const first = await call();
    const second = await call(retry(first, { where: ROOTS, other: ROOTS }));
    const third = await call(retry(second, { where: ROOTS }));

    expect(first).toEqual({ ...inputRequired({ inputRequests: { where: roots } }), requestState: expect.any(String) });
    expect(second).toEqual({ resultType: "input_required", requestState: expect.any(String) });
    expect(third).toEqual({ content: [] });
    expect(seen).toEqual([
      { inputResponses: undefined, requestState: undefined },
      { inputResponses: { where: ROOTS }, requestState: "1" },
      { inputResponses: {}, requestState: "2" },
    ]);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["nothing by that key", { other: ROOTS }],
    ["no object", { where: "here" }],
  ])("may ask again where the client sent %s", async (_case, inputResponses) => {
    const handler: RequestHandler<ServerContext> = (_params, context) =>
      context.inputResponses?.where
        ? { content: [] }
        : inputRequired({ inputRequests: { where: roots }, requestState: "asked" });
    const { call } = serving(handler, { revision: MODERN });
    const { requestState } = await call();

    const again = await call({ inputResponses, requestState });

    expect(again).toMatchObject({ resultType: "input_required", inputRequests: { where: roots } });
  });

  it("refuses an answer to another method than was asked", async () => {
    const handler = () => inputRequired({ inputRequests: { where: roots }, requestState: "asked" });
    const { call } = serving(handler, { revision: MODERN });
    const answers = { where: { action: "accept" } };
    await expect(call(retry(await call(), answers))).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("answer.roots"),
    });
  });

  it("has a state only if there is something to keep, and takes answers without one as they come", async () => {
    const seen: unknown[] = [];
    const handler: RequestHandler<ServerContext> = async (_params, context) => {
      seen.push([context.inputResponses, context.requestState]);
      if (!context.inputResponses) return inputRequired({ inputRequests: { where: roots } });
      const [root] = await context.listRoots({ key: "other" });
      return { root };
    };
    const { call } = serving(handler, { revision: MODERN });

    expect(await call()).toEqual({ resultType: "input_required", inputRequests: { where: roots } });
    const second = await call({ inputResponses: { where: ROOTS, other: ROOTS } });
    expect(second).toMatchObject({ inputRequests: { other: roots }, requestState: expect.any(String) });
    expect(await call(retry(second, { other: ROOTS }))).toEqual({ root: ROOTS.roots[0] });
    const answers = [{ where: ROOTS, other: ROOTS }, undefined];
    expect(seen).toEqual([[undefined, undefined], answers, answers]);
  });

  it.each<[string, RequestHandler<ServerContext>, JsonObject]>([
    ["keeps nothing and asks nothing", () => inputRequired({}), {}],
    ["asks for an empty list of things", () => inputRequired({ inputRequests: {} }), {}],
    ["did something once", (_params, context) => context.once("pay", () => 7), { where: ROOTS }],
    ["asked before", (_params, context) => context.listRoots({ key: "before" }), { before: ROOTS }],
  ])("has a state if it %s", async (_case, begin, inputResponses) => {
    const handler: RequestHandler<ServerContext> = async (params, context) => {
      const begun = await begin(params, context);
      return begun === 7 || Array.isArray(begun) ? inputRequired({ inputRequests: { where: roots } }) : begun;
    };
    const { call } = serving(handler, { revision: MODERN });

    const first = await call();
    const second = await call(retry(first, inputResponses));

    expect([first.requestState, second.requestState]).toEqual([expect.any(String), expect.any(String)]);
  });

  it("keeps what ran once, what was asked in between, and its own round", async () => {
    const effect = vi.fn(() => "charged");
    const seen: unknown[] = [];
    const handler: RequestHandler<ServerContext> = async (_params, context) => {
      const paid = await context.once("pay", effect);
      const [before] = await context.listRoots({ key: "before" });
      if (!context.inputResponses) return inputRequired({ inputRequests: { where: roots }, requestState: "mine" });
      const [after] = await context.listRoots({ key: "after" });
      seen.push({ paid, before, after, where: context.inputResponses.where, state: context.requestState });
      return { content: [] };
    };
    const { call } = serving(handler, { revision: MODERN });
    const root = (uri: string) => ({ roots: [{ uri }] });

    const first = await call();
    const second = await call(retry(first, { before: root("file:///1") }));
    const third = await call(retry(second, { where: root("file:///2") }));
    const fourth = await call(retry(third, { after: root("file:///3"), where: root("file:///late") }));

    const asked = [first, second, third].map(({ inputRequests }) => Object.keys(inputRequests as JsonObject));
    expect(asked).toEqual([["before"], ["where"], ["after"]]);
    expect(fourth).toEqual({ content: [] });
    expect(effect).toHaveBeenCalledOnce();
    expect(seen).toEqual([
      {
        paid: "charged",
        before: { uri: "file:///1" },
        after: { uri: "file:///3" },
        where: root("file:///2"),
        state: "mine",
      },
    ]);
  });

  it("may keep a state with a client that cannot be asked anything", async () => {
    const handler: RequestHandler<ServerContext> = (_params, { requestState }) =>
      requestState === undefined ? inputRequired({ requestState: "later" }) : { state: requestState };
    const { call } = serving(handler, { revision: MODERN, clientCapabilities: {} });
    expect(await call(retry(await call(), {}))).toEqual({ state: "later" });
  });
});

describe.each([MODERN, LEGACY])("in %s, a question that its author spelled out", (revision) => {
  it("is not asked of a client that did not declare it", async () => {
    const handler = () => inputRequired({ inputRequests: { where: roots } });
    const { call, request } = serving(handler, { revision, clientCapabilities: { sampling: {} } });

    await expect(call()).rejects.toMatchObject({
      code: revision === MODERN ? -32021 : -32602,
      data: { requiredCapabilities: { roots: {} } },
    });
    expect(request).not.toHaveBeenCalled();
  });

  it("is not asked if it is none", async () => {
    // Not a question, which types forbid.
    const handler = () => ({ resultType: "input_required", inputRequests: { where: { method: "roots/guess" } } });
    const { call } = serving(handler, { revision });

    const message = expect.stringMatching(/tools\/call.*result\.inputRequests\.where\.method/);
    await expect(call()).rejects.toMatchObject({ code: "invalid-result", message });
  });
});

describe("a legacy call that its author spells out", () => {
  it("is run again with the answers until it is done", async () => {
    const seen: unknown[] = [];
    const effect = vi.fn(() => 7);
    const handler: RequestHandler<ServerContext> = async (_params, context) => {
      seen.push({
        answers: context.inputResponses,
        state: context.requestState,
        once: await context.once("a", effect),
      });
      if (seen.length === 1) return inputRequired({ inputRequests: { one: roots, two: roots }, requestState: "1" });
      return seen.length === 2 ? inputRequired({ requestState: "2" }) : { content: [] };
    };
    const { call, request } = serving(handler, { revision: LEGACY, answer: async () => ROOTS });

    expect(await call()).toEqual({ content: [] });

    expect(seen).toEqual([
      { answers: undefined, state: undefined, once: 7 },
      { answers: { one: ROOTS, two: ROOTS }, state: "1", once: 7 },
      { answers: {}, state: "2", once: 7 },
    ]);
    expect(effect).toHaveBeenCalledOnce();
    expect(request).toHaveBeenCalledTimes(2);
  });

  it("fails with what the client answers, if that is an error or no answer", async () => {
    const handler = () => inputRequired({ inputRequests: { where: roots } });
    await expect(serving(handler, { revision: LEGACY }).call()).rejects.toThrow("nobody answers");
    const { call } = serving(handler, { revision: LEGACY, answer: async () => ({}) });
    await expect(call()).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("answer.roots") });
  });

  it("ends when it goes on asking", async () => {
    const handler = vi.fn(() => inputRequired({ inputRequests: { where: roots } }));
    const { call, request } = serving(handler, { revision: LEGACY, answer: async () => ROOTS });

    await expect(call()).rejects.toMatchObject({
      code: "too-many-rounds",
      message: expect.stringContaining("tools/call"),
    });
    expect(request).toHaveBeenCalledTimes(8);
    expect(handler).toHaveBeenCalledTimes(9);
  });
});

import { describe, expect, it, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../runtime/json.js";
import { kept, NO_METHODS, setUpCache } from "./cache-set-up.fixture.js";
import { InMemoryCacheStore } from "./cache-store.js";
import { openCache, ResultCache } from "./result-cache.js";

const NOTHING = { capabilities: {} };

/** Whether a value is what the cache keeps of a request in progress. */
function isFetch(value: unknown): boolean {
  return typeof value === "object" && value !== null && "isOutdated" in value;
}

describe("a cached result", () => {
  it("is served while it is fresh, to the millisecond", async () => {
    const { clock, list } = setUpCache();
    await list({ ...kept, tools: ["first"] });

    clock.now += 99;
    expect(await list({ ...kept })).toEqual({ result: { ...kept, tools: ["first"] }, wasAsked: false });
    clock.now += 1;
    expect(await list({ ...kept, tools: ["second"] })).toEqual({
      result: { ...kept, tools: ["second"] },
      wasAsked: true,
    });
  });

  it("leaves nothing of its request behind", async () => {
    const add = vi.spyOn(Set.prototype, "add");
    const { list } = setUpCache();
    await list(kept);
    await list(kept);
    await expect(list(new Error("refused"), { fresh: true })).rejects.toThrow("refused");

    const requests = add.mock.contexts.filter((_set, index) => isFetch(add.mock.calls[index]?.[0]));
    add.mockRestore();
    expect(requests).toEqual([new Set(), new Set(), new Set()]);
  });

  it("is stale if the clock says it is from the future", async () => {
    const { clock, list } = setUpCache();
    await list(kept);
    clock.now -= 1;
    expect((await list(kept)).wasAsked).toBe(true);
  });

  it("goes by the system's clock unless it is given one", async () => {
    const { list } = setUpCache({ now: undefined });
    await list({ ...kept, ttlMs: 3_600_000 });
    expect((await list(kept)).wasAsked).toBe(false);
  });

  it.each<[string, JsonObject]>([
    ["whose time to live is 0", { ...kept, ttlMs: 0 }],
    ["whose time to live is negative", { ...kept, ttlMs: -1 }],
    ["without a time to live", { resultType: "complete" }],
    ["that asks for input", { ...kept, resultType: "input_required" }],
    ["of no known type", { ttlMs: 100, cacheScope: "public" }],
  ])("is none %s, and the one before it is gone too", async (_what, answer) => {
    const { list } = setUpCache({ staleOnError: true });
    await list(kept);
    await list(answer, { fresh: true });

    expect((await list(answer)).wasAsked).toBe(true);
    await expect(list(new SdkError("connection-closed", "gone"))).rejects.toThrow("gone");
  });

  it("is passed by for a call that wants a fresh one, which then takes its place", async () => {
    const { list } = setUpCache();
    await list({ ...kept, tools: ["first"] });
    expect((await list({ ...kept, tools: ["second"] }, { fresh: true })).wasAsked).toBe(true);
    expect((await list(kept)).result).toEqual({ ...kept, tools: ["second"] });
  });

  it("is not served to a call that was given up", async () => {
    const { list } = setUpCache();
    await list(kept);
    expect((await list(kept, { signal: AbortSignal.abort() })).wasAsked).toBe(true);
  });

  it("is not changed by what its receivers do to it", async () => {
    const { list } = setUpCache();
    const answer = { ...kept, tools: ["first"] };
    await list(answer);
    answer.tools.push("by the first receiver");
    const { result } = await list(kept);
    (result.tools as string[]).push("by the second receiver");

    expect((await list(kept)).result).toEqual({ ...kept, tools: ["first"] });
  });

  it("is not there if the server failed, nor is the last one forgotten", async () => {
    const { clock, list } = setUpCache({ staleOnError: true });
    await list({ ...kept, tools: ["first"] });
    clock.now += 100;
    await expect(list(new ProtocolError(-32603, "broken"))).rejects.toThrow("broken");
    expect((await list(new SdkError("request-timeout", "late"))).result).toEqual({ ...kept, tools: ["first"] });
  });
});

describe("whose result it is", () => {
  const shared = () => ({ store: new InMemoryCacheStore(), serverKey: "https://notes.example" });

  it("is anybody's if it is public and the server has the same name", async () => {
    const options = shared();
    await setUpCache({ ...options, authContext: () => "ada" }).list({ ...kept, cacheScope: "public" });

    expect((await setUpCache({ ...options, authContext: () => "bob" }).list(kept)).wasAsked).toBe(false);
    expect((await setUpCache(options).list(kept)).wasAsked).toBe(false);
    expect((await setUpCache({ ...options, serverKey: "https://mail.example" }).list(kept)).wasAsked).toBe(true);
    expect((await setUpCache({ store: options.store }).list(kept)).wasAsked).toBe(true);
  });

  it.each([{ cacheScope: "private" }, { cacheScope: undefined }])("is one user's if it is %j", async (hint) => {
    const options = shared();
    await setUpCache({ ...options, authContext: () => "ada" }).list({ ...kept, ...hint });

    expect((await setUpCache({ ...options, authContext: () => "ada" }).list(kept)).wasAsked).toBe(false);
    expect((await setUpCache({ ...options, authContext: () => "bob" }).list(kept)).wasAsked).toBe(true);
    expect((await setUpCache(options).list(kept)).wasAsked).toBe(true);
  });

  it("is not one user's for a call with credentials of its own", async () => {
    const options = { ...shared(), authContext: () => "ada" };
    await setUpCache(options).list(kept);
    const asBob = { sentHeaders: [{}, { authorization: "bob" }] };
    expect((await setUpCache(options).list(kept, asBob)).wasAsked).toBe(true);
    expect((await setUpCache(options).list(kept)).wasAsked).toBe(false);
  });

  it.each([undefined, () => undefined])("is one client's if nobody says who is authorized", async (authContext) => {
    const options = { ...shared(), authContext };
    const { list } = setUpCache(options);
    await list(kept);

    expect((await list(kept)).wasAsked).toBe(false);
    expect((await setUpCache(options).list(kept)).wasAsked).toBe(true);
  });

  it("is nobody's if another user is authorized by the time it arrives", async () => {
    let user = "ada";
    const { list } = setUpCache({ authContext: () => user });
    await list(() => {
      user = "bob";
      return kept;
    });
    expect((await list({ ...kept, ttlMs: 0 })).wasAsked).toBe(true);
    user = "ada";
    expect((await list(kept)).wasAsked).toBe(true);
  });

  it("is the sender's by the headers that were sent, as far as they may bear a credential", async () => {
    const { list } = setUpCache();
    const alice = { authorization: "Bearer alice", "user-agent": "a" };
    await list(kept, { sentHeaders: [alice, {}] });

    expect((await list(kept, { sentHeaders: [{ Authorization: "Bearer alice" }, {}] })).wasAsked).toBe(false);
    const bob = { authorization: "Bearer bob" };
    expect((await list({ ...kept, ttlMs: 0 }, { sentHeaders: [bob, {}] })).wasAsked).toBe(true);
    expect((await list({ ...kept, ttlMs: 0 }, { sentHeaders: [alice, bob] })).wasAsked).toBe(true);
    expect((await list({ ...kept, ttlMs: 0 }, { sentHeaders: [] })).wasAsked).toBe(true);
  });

  it("is nobody's if the headers are unknown, unless the user is named or the result is public", async () => {
    const unknown = { sentHeaders: undefined };
    const { list } = setUpCache();
    await list(kept, unknown);
    expect((await list(kept, unknown)).wasAsked).toBe(true);
    await list({ ...kept, cacheScope: "public" }, unknown);
    expect((await list(kept, unknown)).wasAsked).toBe(false);

    const named = setUpCache({ authContext: () => "ada" });
    await named.list(kept, unknown);
    expect((await named.list(kept, unknown)).wasAsked).toBe(false);
  });

  it("is by what the client declares", async () => {
    const options = { ...shared(), authContext: () => "ada", now: () => 0 };
    const query = { revision: "2026-07-28", method: "tools/list", params: {} } as const;
    const send = vi.fn(async () => ({ ...kept, cacheScope: "public" }));
    for (const capabilities of [{}, { roots: {} }]) {
      await new ResultCache(options, { capabilities }, NO_METHODS, console.error).request(
        query,
        { sentHeaders: [] },
        send,
      );
    }
    expect(send).toHaveBeenCalledTimes(2);
  });

  it("follows the last answer from one scope to the other", async () => {
    const options = shared();
    const ada = setUpCache({ ...options, authContext: () => "ada" });
    const bob = setUpCache({ ...options, authContext: () => "bob" });
    await ada.list({ ...kept, cacheScope: "public", tools: ["public"] });
    await ada.list({ ...kept, tools: ["ada's"] }, { fresh: true });

    expect((await ada.list(kept)).result.tools).toEqual(["ada's"]);
    expect((await bob.list({ ...kept, ttlMs: 0 })).wasAsked).toBe(true);

    bob.clock.now += 1;
    ada.clock.now += 1;
    await bob.list({ ...kept, cacheScope: "public", tools: ["public again"] });
    expect((await ada.list(kept)).result.tools).toEqual(["public again"]);
  });
});

describe("what is not for keeping", () => {
  it.each<[string, JsonObject]>([
    ["tools/call", { name: "x" }],
    ["resources/read", { uri: "a:b", requestState: "s" }],
    ["resources/read", { uri: "a:b", inputResponses: {} }],
  ])("%s %j is asked every time", async (method, params) => {
    expect(setUpCache().cache.keeps({ revision: "2026-07-28", method, params })).toBe(false);
  });
});
describe("opening a cache", () => {
  it.each([{}, { cache: undefined }, { cache: false }])("does not happen by %j", (options) => {
    expect(openCache(options, NOTHING, NO_METHODS)).toBeUndefined();
  });

  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("from onError");
      },
    ],
    ["rejects", async () => Promise.reject(new Error("from onError"))],
  ])("serves on if onError %s", async (_how, onError) => {
    const store = new InMemoryCacheStore();
    vi.spyOn(store, "get").mockImplementation(() => {
      throw new Error("down");
    });
    const query = { revision: "2026-07-28", method: "tools/list", params: {} } as const;
    const cache = openCache({ cache: { store }, onError }, NOTHING, NO_METHODS);
    expect(await cache?.request(query, { sentHeaders: [] }, async () => kept)).toEqual(kept);
  });

  it("happens by true, or by its options", async () => {
    const store = new InMemoryCacheStore();
    const get = vi.spyOn(store, "get");
    const query = { revision: "2026-07-28", method: "tools/list", params: {} } as const;
    await openCache({ cache: { store } }, NOTHING, NO_METHODS)?.request(query, { sentHeaders: [] }, async () => kept);
    expect(get).toHaveBeenCalled();

    const cache = openCache({ cache: true }, NOTHING, NO_METHODS);
    const send = vi.fn(async () => ({ ...kept, ttlMs: 60_000 }));
    await cache?.request(query, { sentHeaders: [] }, send);
    await cache?.request(query, { sentHeaders: [] }, send);
    expect(send).toHaveBeenCalledTimes(1);
  });
});

it("refuses a store that was not awaited, and one without the methods of a store", () => {
  const open = (store: unknown) => () =>
    openCache({ cache: { store: store as never } }, { capabilities: {} }, NO_METHODS);
  expect(open(Promise.resolve(new InMemoryCacheStore()))).toThrow("cache: store: expected a CacheStore, got a promise");
  expect(open(new Map())).toThrow("got an object without the method deleteGroup");
});

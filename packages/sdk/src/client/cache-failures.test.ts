import { describe, expect, it, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { brittleStore, kept, setUpCache } from "./cache-set-up.fixture.js";
import type { CacheStore } from "./cache-store.js";
import type { CacheCall, ClientCacheOptions } from "./result-cache.js";

describe("a server that cannot be reached", () => {
  it.each(["connection-closed", "request-timeout"] as const)("is stood in for by the last result: %s", async (code) => {
    const { clock, errors, list } = setUpCache({ staleOnError: true });
    await list({ ...kept, tools: ["first"] });
    clock.now += 10_000;
    const failure = new SdkError(code, "no answer");

    expect((await list(failure)).result).toEqual({ ...kept, tools: ["first"] });
    expect(errors).toEqual([
      expect.objectContaining({ code, cause: failure, message: expect.stringContaining("tools/list") }),
    ]);
    // It has not become any fresher.
    expect((await list(failure)).wasAsked).toBe(true);
  });

  it.each<[string, Error, ClientCacheOptions, Partial<CacheCall>]>([
    ["without the option", new SdkError("connection-closed", "x"), {}, {}],
    [
      "for a call that wants a fresh result",
      new SdkError("connection-closed", "x"),
      { staleOnError: true },
      { fresh: true },
    ],
    ["for a call that was given up", new SdkError("request-aborted", "x"), { staleOnError: true }, {}],
    ["for a malformed answer", new SdkError("invalid-result", "x"), { staleOnError: true }, {}],
    ["for an error of the server's own", new ProtocolError(-32603, "x"), { staleOnError: true }, {}],
  ])("is not stood in for %s", async (_what, failure, options, call) => {
    const { clock, errors, list } = setUpCache(options);
    await list(kept);
    clock.now += 100;
    await expect(list(failure, call)).rejects.toBe(failure);
    expect(errors).toEqual([]);
  });

  it("is not stood in for by what changed meanwhile", async () => {
    const { cache, clock, list } = setUpCache({ staleOnError: true });
    await list(kept);
    clock.now += 100;
    const failing = list(() => {
      cache.notified("notifications/tools/list_changed", {});
      throw new SdkError("connection-closed", "gone");
    });
    await expect(failing).rejects.toThrow("gone");
  });

  it("fails the call if there is nothing to stand in", async () => {
    const { list } = setUpCache({ staleOnError: true });
    await expect(list(new SdkError("connection-closed", "gone"))).rejects.toThrow("gone");
  });
});

describe("a store that fails", () => {
  it.each<[keyof CacheStore, string]>([
    ["get", "read"],
    ["set", "write"],
  ])("to %s costs a request, and is reported", async (method, verb) => {
    const { store, broken } = brittleStore();
    const { errors, list } = setUpCache({ store });
    broken.add(method);

    expect(await list(kept)).toEqual({ result: kept, wasAsked: true });
    expect((await list(kept)).wasAsked).toBe(true);
    expect(errors[0]).toMatchObject({
      code: "handler-failed",
      message: expect.stringContaining(`failed to ${verb} `),
      cause: expect.objectContaining({ message: `${method} is down` }),
    });

    broken.clear();
    await list(kept);
    expect((await list(kept)).wasAsked).toBe(false);
  });

  it("to replace a result does not make it last", async () => {
    const { store, broken } = brittleStore();
    const { list } = setUpCache({ store });
    await list({ ...kept, tools: ["first"] });
    broken.add("set");
    await list({ ...kept, tools: ["second"] }, { fresh: true });
    broken.clear();
    expect((await list(kept)).wasAsked).toBe(true);
  });

  it("to forget is not read until it has forgotten", async () => {
    const { store, broken } = brittleStore();
    const { cache, errors, list } = setUpCache({ store });
    await list({ ...kept, tools: ["first"] });
    await list({ ...kept, tools: ["first"] }, {}, { cursor: "2" });
    broken.add("deleteGroup");
    cache.notified("notifications/tools/list_changed", {});

    expect((await list(kept)).wasAsked).toBe(true);
    expect((await list(kept)).wasAsked).toBe(true);
    expect(errors[0]).toMatchObject({ message: expect.stringContaining("failed to forget ") });

    broken.clear();
    expect((await list(kept)).wasAsked).toBe(true);
    expect((await list(kept)).wasAsked).toBe(false);
    expect((await list(kept, {}, { cursor: "2" })).wasAsked).toBe(true);
  });

  it.each([{}, { staleOnError: true }])("to keep a text whole costs a request: %j", async (options) => {
    const { store } = brittleStore();
    const { clock, errors, list } = setUpCache({ ...options, store });
    vi.spyOn(store, "get").mockImplementation(() => ({ text: '{"tools":', receivedAt: clock.now, ttlMs: 1 }));

    await expect(list(new SdkError("connection-closed", "gone"))).rejects.toThrow("gone");
    expect((await list({ ...kept, ttlMs: 0 })).wasAsked).toBe(true);
    expect(errors[0]).toMatchObject({ message: expect.stringContaining("not valid JSON") });
  });

  it("is not needed for a result that is no JSON", async () => {
    const { errors, list } = setUpCache();
    const answer = { ...kept, size: 1n };
    expect((await list(answer)).result).toBe(answer);
    expect(errors).toEqual([expect.objectContaining({ code: "handler-failed" })]);
  });
});

describe("a store that falls behind", () => {
  const updated = (cache: { notified(method: string, params: object): void }, uri: string) =>
    cache.notified("notifications/resources/updated", { uri });

  it.each([
    ["more than 10,000 changes", 10_000, 1],
    ["more than 4 Mi characters of changed URIs", 4, 1_048_000],
  ])("by %s is no longer used, which is reported once", async (_what, within, length) => {
    const { store, broken } = brittleStore();
    const { cache, errors, list } = setUpCache({ store });
    await list(kept);
    broken.add("deleteGroup");
    const long = "x".repeat(length);
    for (let index = 0; index < within; index += 1) updated(cache, `a://${index}/${long}`);
    expect((await list(kept)).wasAsked).toBe(false);

    const reading = list(kept);
    const writing = list(kept, { fresh: true });
    for (let index = 0; index < 100; index += 1) updated(cache, `b://${index}/${long}`);
    await Promise.all([reading, writing]);

    expect((await list(kept)).wasAsked).toBe(true);
    expect(errors.filter(({ message }) => message.includes("no longer used"))).toHaveLength(1);
  });

  it("is not one that forgets at once, however many changes come together", async () => {
    const { cache, list } = setUpCache();
    await list(kept);
    for (let index = 0; index < 20_000; index += 1) updated(cache, `a://${index}`);
    expect((await list(kept)).wasAsked).toBe(false);
  });
});

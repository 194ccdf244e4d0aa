import { describe, expect, it, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { JsonObject } from "../runtime/json.js";
import { brittleStore, kept, setUpCache } from "./cache-set-up.fixture.js";

const changed = "notifications/tools/list_changed";

describe("a change at the server", () => {
  it("makes what was kept stale at once, for good and for stale-on-error too", async () => {
    const { cache, list } = setUpCache({ staleOnError: true });
    await list({ ...kept });
    await list({ ...kept }, {}, { cursor: "2" });
    cache.notified(changed, {});

    await expect(list(new SdkError("connection-closed", "gone"))).rejects.toThrow("gone");
    await expect(list(new SdkError("connection-closed", "gone"), {}, { cursor: "2" })).rejects.toThrow("gone");
    expect((await list(kept)).wasAsked).toBe(true);
    expect((await list(kept)).wasAsked).toBe(false);
  });

  it("leaves other results alone", async () => {
    const { cache, list } = setUpCache();
    await list(kept);
    cache.notified("notifications/prompts/list_changed", {});
    cache.notified("notifications/resources/updated", { uri: "notes://today" });
    expect((await list(kept)).wasAsked).toBe(false);
  });

  it("keeps an answer that was under way from being kept", async () => {
    const { cache, list } = setUpCache();
    const underWay = await list(() => {
      cache.notified(changed, {});
      return kept;
    });
    expect(underWay.wasAsked).toBe(true);
    expect((await list(kept)).wasAsked).toBe(true);
    expect((await list(kept)).wasAsked).toBe(false);
  });

  it("is heeded while the store is being read", async () => {
    const { store } = brittleStore();
    const { cache, list } = setUpCache({ store });
    await list(kept);
    const reading = list({ ...kept, tools: ["new"] });
    cache.notified(changed, {});

    expect((await reading).wasAsked).toBe(true);
    expect((await list(kept)).result.tools).toEqual(["new"]);
  });

  it("is heeded while the store is being written, even if that lasts longer than forgetting", async () => {
    const { store } = brittleStore();
    const { cache, list } = setUpCache({ store });
    const { set } = store;
    const forget = vi.spyOn(store, "deleteGroup");
    vi.spyOn(store, "set").mockImplementationOnce(async (group, key, entry) => {
      cache.notified(changed, {});
      await forget.mock.results[0]?.value;
      await set(group, key, entry);
    });
    await list({ ...kept, tools: ["old"] });
    expect(await list({ ...kept, tools: ["new"] })).toMatchObject({ wasAsked: true, result: { tools: ["new"] } });
    expect((await list(kept)).result.tools).toEqual(["new"]);
  });

  it("is heeded while the store is made to forget an earlier one", async () => {
    const { store, broken } = brittleStore();
    const { cache, errors, list } = setUpCache({ store });
    broken.add("deleteGroup");
    cache.notified(changed, {});
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    broken.clear();

    const deleteGroup = vi.spyOn(store, "deleteGroup").mockImplementationOnce(async () => cache.notified(changed, {}));
    await list(kept);
    expect(deleteGroup).toHaveBeenCalledTimes(2);
    expect((await list(kept)).wasAsked).toBe(true);
  });
});

describe("a page whose cursor the server no longer knows", () => {
  it("takes the other pages of its list along", async () => {
    const { list } = setUpCache();
    await list(kept);
    await list(kept, {}, { cursor: "2" });
    await expect(list(new ProtocolError(-32602, "unknown cursor"), {}, { cursor: "3" })).rejects.toThrow("cursor");

    expect((await list(kept)).wasAsked).toBe(true);
    expect((await list(kept, {}, { cursor: "2" })).wasAsked).toBe(true);
  });

  it.each<[string, Error, JsonObject]>([
    ["another error", new ProtocolError(-32603, "broken"), { cursor: "3" }],
    ["no cursor", new ProtocolError(-32602, "broken"), { folder: "x" }],
  ])("is not one with %s", async (_what, error, params) => {
    const { list } = setUpCache();
    await list(kept);
    await expect(list(error, {}, params)).rejects.toThrow(error);
    expect((await list(kept)).wasAsked).toBe(false);
  });
});

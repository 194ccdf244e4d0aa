import { beforeEach, describe, expect, it, vi } from "vitest";
import type { HandshakeState } from "../../../../server/handshake-state.js";
import type { SharedSessionRecord } from "./channel-message.js";
import { InMemorySessionChannel } from "./session-channel.js";
import { SessionLink } from "./session-link.js";
import { InMemorySessionStore } from "./session-store.js";
import { type RecordHost, SharedRecord } from "./shared-record.js";

const FIRST: HandshakeState = {
  envelope: { revision: "2025-11-25", era: "legacy", clientInfo: undefined, clientCapabilities: {} },
  announced: {},
  isReady: false,
  logLevel: "info",
  watched: ["a://kept", "a://left"],
};

class Host implements RecordHost {
  handshake = FIRST;
  handshakeVersion = 1;

  adopt(handshake: HandshakeState): void {
    this.change(handshake);
  }

  change(state: Partial<HandshakeState>): void {
    this.handshake = { ...this.handshake, ...state };
    this.handshakeVersion += 1;
  }
}

describe("the record of a shared session", () => {
  let store: InMemorySessionStore;
  let host: Host;
  let record: SharedRecord;

  beforeEach(async () => {
    store = new InMemorySessionStore();
    host = new Host();
    record = new SharedRecord(host, new SessionLink("s", new InMemorySessionChannel(), () => {}), store, 10_000);
    await record.create();
  });

  /** Another process changes the record. */
  async function changeElsewhere(state: Partial<HandshakeState>): Promise<SharedSessionRecord> {
    const stored = (await store.get("s")) as SharedSessionRecord;
    const next = { ...stored, version: stored.version + 1, handshake: { ...stored.handshake, ...state } };
    expect(await store.replace("s", next, 10_000)).toBe(true);
    return next;
  }

  async function stored(): Promise<HandshakeState | undefined> {
    return (await store.get("s"))?.handshake;
  }

  it("goes back to the stored state if a change cannot be stored, so that later requests are served", async () => {
    vi.spyOn(store, "replace").mockRejectedValueOnce(new Error("full"));
    host.change({ logLevel: "debug" });
    await expect(record.save()).rejects.toThrow("full");
    expect(host.handshake).toEqual(FIRST);
    expect(record.save()).toBeUndefined();
  });

  it("does not replace a state that this process has no room for by its own", async () => {
    const theirs = await changeElsewhere({ watched: ["a://theirs"] });
    const adopt = vi.spyOn(host, "adopt").mockImplementation(() => {
      throw new Error("too large");
    });
    expect(() => record.refresh(theirs)).toThrow("too large");
    expect(record.save()).toBeUndefined();
    adopt.mockRestore();
    host.change({ logLevel: "debug" });
    await record.save();
    expect(await stored()).toMatchObject({ watched: ["a://theirs"], logLevel: "debug" });
  });

  it("keeps the changes of both sides", async () => {
    await changeElsewhere({ isReady: true, logLevel: "error", watched: ["a://kept", "a://left", "a://theirs"] });
    host.change({ watched: ["a://kept", "a://ours"] });
    await record.save();
    expect(await stored()).toMatchObject({
      isReady: true,
      logLevel: "error",
      watched: ["a://kept", "a://theirs", "a://ours"],
    });
    expect(host.handshake).toEqual(await stored());
  });

  it("prefers its own level if both have changed it, and stays ready", async () => {
    await changeElsewhere({ logLevel: "error", watched: ["a://kept"] });
    host.change({ logLevel: "debug", isReady: true });
    await record.save();
    expect(await stored()).toMatchObject({ isReady: true, logLevel: "debug", watched: ["a://kept"] });
  });

  it("takes over what is newer, and nothing else", async () => {
    const version = host.handshakeVersion;
    const same = await changeElsewhere({});
    record.refresh(same);
    expect(host.handshakeVersion).toBe(version);
    const newer = await changeElsewhere({ watched: ["a://left", "a://other"] });
    record.refresh(newer);
    expect(host.handshake.watched).toEqual(["a://left", "a://other"]);
    record.refresh({ ...same, handshake: { ...FIRST, logLevel: "alert" } });
    expect(host.handshake.logLevel).toBe("info");
    expect(record.save()).toBeUndefined();
  });

  it("stores a change of its own that another process has built upon before it knew", async () => {
    const replace = store.replace.bind(store);
    vi.spyOn(store, "replace").mockImplementationOnce(async (...args) => {
      await replace(...args);
      record.refresh(await changeElsewhere({ logLevel: "error" }));
      return true;
    });
    host.change({ watched: ["a://ours"] });
    await record.save();
    expect(await stored()).toMatchObject({ logLevel: "error", watched: ["a://ours"] });
  });
});

import { describe, expect, it } from "vitest";
import { RetainedBytes, type ServerLimitOptions, ServerLimits } from "./server-limits.js";

const LOAD = { requests: 0, bytes: 0 };

describe("limits of a server", () => {
  it.each([
    "maxRequestsPerConnection",
    "maxRequestsPerSession",
    "maxRequestsPerPrincipal",
    "maxRequests",
    "maxBytesPerConnection",
    "maxBytesPerSession",
    "maxBytesPerPrincipal",
    "maxBytes",
  ] as const)("refuse a %s below 1", (name: keyof ServerLimitOptions) => {
    for (const value of [0, -1, Number.NaN]) {
      expect(() => new ServerLimits({ [name]: value })).toThrow(
        expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(`limits.${name}`) }),
      );
    }
    expect(() => new ServerLimits({ [name]: 1 })).not.toThrow();
  });

  it("count 1,024 requests per connection and per session", () => {
    const { connection, session } = new ServerLimits();
    for (const [limits, level] of [
      [connection, "connection"],
      [session, "session"],
    ] as const) {
      expect(limits.refusal({ requests: 1_023, bytes: 0 }, "ping", undefined, 0)).toBeUndefined();
      expect(limits.refusal({ requests: 1_024, bytes: 0 }, "ping", undefined, 0)?.data).toMatchObject({ limit: level });
    }
  });

  it("count 2,048 requests per principal and 16,384 in all", () => {
    const { connection } = new ServerLimits();
    const enter = (count: number, principal: string) => {
      for (let index = 0; index < count; index++) connection.enter({ ...LOAD }, "ping", principal, 0);
    };
    enter(2_047, "ann");
    expect(connection.refusal(LOAD, "ping", "ann", 0)).toBeUndefined();
    enter(1, "ann");
    expect(connection.refusal(LOAD, "ping", "ann", 0)?.data).toMatchObject({ limit: "principal" });
    for (let other = 0; other < 7; other++) enter(other < 6 ? 2_048 : 2_047, `principal ${other}`);
    expect(connection.refusal(LOAD, "ping", "bob", 0)).toBeUndefined();
    enter(1, "cid");
    expect(connection.refusal(LOAD, "ping", "bob", 0)?.data).toMatchObject({ limit: "server" });
  });

  it("count 32 MiB per connection, 16 MiB per principal and 64 MiB in all", () => {
    const MiB = 1_048_576;
    const { connection } = new ServerLimits();
    expect(connection.refusal({ requests: 1, bytes: 31 * MiB }, "ping", undefined, MiB)).toBeUndefined();
    expect(connection.refusal({ requests: 1, bytes: 31 * MiB }, "ping", undefined, MiB + 1)?.data).toMatchObject({
      limit: "connection",
    });
    connection.enter({ ...LOAD }, "ping", "ann", 15 * MiB);
    expect(connection.refusal(LOAD, "ping", "ann", MiB)).toBeUndefined();
    expect(connection.refusal(LOAD, "ping", "ann", MiB + 1)?.data).toMatchObject({
      limit: "principal",
    });
    connection.enter({ ...LOAD }, "ping", undefined, 47 * MiB);
    expect(connection.refusal(LOAD, "ping", undefined, MiB)).toBeUndefined();
    expect(connection.refusal(LOAD, "ping", undefined, MiB + 1)?.data).toMatchObject({ limit: "server" });
    expect(connection.refusal(LOAD, "ping", "bob", 2 * MiB)).toBeUndefined();
    expect(connection.refusal(LOAD, "ping", "bob", 2 * MiB + 1)?.data).toMatchObject({ limit: "server" });
  });

  it("leave out the number of what stays open, and count its bytes", () => {
    const { connection } = new ServerLimits({ maxRequestsPerConnection: 1, maxBytesPerConnection: 100 });
    const load = { ...LOAD };
    connection.enter(load, "subscriptions/listen", undefined, 60);
    expect(load).toEqual({ requests: 0, bytes: 60 });
    expect(connection.refusal({ requests: 9, bytes: 0 }, "subscriptions/listen", undefined, 60)).toBeUndefined();
    expect(connection.refusal(load, "subscriptions/listen", undefined, 60)?.data).toMatchObject({
      limit: "connection",
    });
    connection.leave(load, "subscriptions/listen", undefined, 60);
    expect(load).toEqual(LOAD);
  });
});

describe("the bytes that a session leaves behind", () => {
  it("are 256 KiB at most", () => {
    const retained = new RetainedBytes(new ServerLimits(), undefined);
    retained.add(262_143, "it");
    retained.add(1, "it");
    expect(() => retained.add(1, "the URI")).toThrow(
      expect.objectContaining({ code: 429, data: { limit: "session" }, message: expect.stringContaining("the URI") }),
    );
    retained.remove(1);
    retained.add(1, "it");
  });

  it("count for its principal and the server until they are gone", () => {
    const limits = new ServerLimits({ maxBytesPerPrincipal: 10, maxBytes: 15 });
    const [one, two, other] = [
      new RetainedBytes(limits, "ann"),
      new RetainedBytes(limits, "ann"),
      new RetainedBytes(limits, "bob"),
    ];
    one.add(8, "it");
    expect(() => two.add(3, "it")).toThrow(
      expect.objectContaining({ data: { limit: "principal", retryAfterMs: 1_000 } }),
    );
    two.add(2, "it");
    expect(() => other.add(6, "it")).toThrow(
      expect.objectContaining({ data: { limit: "server", retryAfterMs: 1_000 } }),
    );
    one.clear();
    one.clear();
    other.add(6, "it");
    expect(limits.bytes.used).toBe(8);
  });
});

import { describe, expect, it } from "vitest";
import { Quota } from "./quota.js";

describe("a quota", () => {
  it("is full for a principal before it is full for everybody", () => {
    const quota = new Quota(5, 2);
    quota.take("ann", 2);
    expect([quota.fullLevel("ann", 1), quota.fullLevel("bob", 2), quota.fullLevel("bob", 3)]).toEqual([
      "principal",
      undefined,
      undefined,
    ]);
    quota.take("bob", 2);
    expect([quota.fullLevel("cid", 1), quota.fullLevel("cid", 2)]).toEqual([undefined, "server"]);
  });

  it("limits callers without a name only in total", () => {
    const quota = new Quota(4, 2);
    quota.take(undefined, 3);
    expect([quota.fullLevel(undefined, 1), quota.fullLevel(undefined, 2)]).toEqual([undefined, "server"]);
  });

  it("keeps room for a principal from callers without a name, where there is room for more than two", () => {
    const quota = new Quota(5, 2);
    quota.take(undefined, 3);
    expect([quota.fullLevel(undefined, 1), quota.fullLevel("ann", 2)]).toEqual(["server", undefined]);
  });

  it("has room for anything while nothing is in use", () => {
    const quota = new Quota(5, 2);
    expect(quota.fullLevel("ann", 100)).toBeUndefined();
    quota.take("ann", 100);
    expect([quota.fullLevel("ann", 1), quota.fullLevel("bob", 1)]).toEqual(["principal", "server"]);
  });

  it("knows who holds what until it is given back", () => {
    const quota = new Quota(5, 5);
    quota.take("ann", 3);
    quota.take("bob", 1);
    quota.take("ann", -2);
    expect([quota.used, quota.usedBy("ann"), quota.usedBy("bob"), quota.usedBy("cid")]).toEqual([2, 1, 1, 0]);
  });
});

describe("the victims for one more", () => {
  const holding = (counts: Record<string, number>) => {
    const quota = new Quota(100, 100);
    for (const [principal, count] of Object.entries(counts)) quota.take(principal, count);
    return (principal: string, amount = 1) => Object.keys(counts).filter(quota.victims(principal, amount));
  };

  it("are those who hold the most", () => {
    expect(holding({ ann: 1, bob: 3, cid: 3 })("ann")).toEqual(["bob", "cid"]);
  });

  it("are whoever asks, if nobody would then hold as much", () => {
    expect(holding({ ann: 3, bob: 3 })("ann")).toEqual(["ann"]);
  });

  it("are others with as much as the one who asks would have, and not with less", () => {
    const victims = holding({ ann: 1, bob: 2 });
    expect([victims("ann", 1), victims("ann", 2)]).toEqual([["bob"], ["ann"]]);
  });
});

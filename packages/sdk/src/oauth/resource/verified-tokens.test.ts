import { describe, expect, it, vi } from "vitest";
import { HttpRefusal } from "../../hosting/http/http-refusal.js";
import { ISSUER, NOW, RESOURCE } from "./issuer.fixture.js";
import { protectedResource } from "./protected-resource.js";
import type { ProtectedResourceOptions } from "./protected-resource-options.js";
import type { VerifyToken } from "./token-verifier.js";

describe("junk tokens", () => {
  /** A gate whose verifier knows `good` at once, and keeps those who bring anything else waiting. */
  function slowFor(options: Partial<ProtectedResourceOptions> = {}) {
    const clock = { now: NOW };
    const stuck: (() => void)[] = [];
    const verifier = vi.fn<VerifyToken>(async (token) => {
      if (!token.startsWith("good")) await new Promise<void>((resolve) => stuck.push(resolve));
      return token.startsWith("good") ? { scopes: [], audience: RESOURCE, claims: {} } : undefined;
    });
    const gate = protectedResource({
      ...{ resource: RESOURCE, issuer: ISSUER, verifier, maxPendingTokens: 8, now: () => clock.now, ...options },
    });
    const send = (token: string, address?: string) =>
      gate.authenticate({
        ...{ method: "POST", path: "/mcp", address },
        header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
      });
    const statusOf = async (token: string, address?: string) => {
      const refused = await Promise.resolve(send(token, address)).catch((error: unknown) => error);
      return refused instanceof HttpRefusal ? refused.status : 200;
    };
    const release = () => {
      for (const free of stuck.splice(0)) free();
    };
    return { clock, verifier, gate, statusOf, release };
  }

  it("of one address take a quarter of the free verifications", async () => {
    const { statusOf, verifier, release } = slowFor();
    const junk = Array.from({ length: 10 }, (_, index) => statusOf(`junk${index}`, "192.0.2.1"));
    expect(verifier).toHaveBeenCalledTimes(2);
    expect(await statusOf("good", "192.0.2.1")).toBe(503);
    expect(await statusOf("good", "198.51.100.2")).toBe(200);
    release();
    expect((await Promise.all(junk)).filter((status) => status === 401)).toHaveLength(2);
    expect(await statusOf("good2", "192.0.2.1")).toBe(200);
  });

  it("of ten addresses leave some verifications to new tokens of another one", async () => {
    const { statusOf, release } = slowFor({ maxPendingTokens: 100 });
    const junk = Array.from({ length: 1_000 }, (_, index) => statusOf(`junk${index}`, `192.0.${index % 10}.1`));
    expect(await statusOf("good", "198.51.100.1")).toBe(200);
    release();
    expect((await Promise.all(junk)).filter((status) => status === 401).length).toBeGreaterThan(50);
  });

  it("of 200 addresses in one site leave some verifications to new tokens of another one", async () => {
    const { statusOf, verifier, release } = slowFor({ maxPendingTokens: 100 });
    const junk = Array.from({ length: 400 }, (_, index) =>
      statusOf(`junk${index}`, `2001:db8:0:${(index % 200).toString(16)}`),
    );
    expect(verifier.mock.calls.length).toBeLessThan(30);
    expect(await statusOf("good", "2001:db8:1:0")).toBe(200);
    expect(await statusOf("good", "2001:db9:0:0")).toBe(200);
    release();
    await Promise.all(junk);
  });

  it("of one principal that were good before leave most verifications to others", async () => {
    const { statusOf, clock, verifier, release } = slowFor({ maxPendingTokens: 100, cacheMs: 1_000 });
    const auth = (subject: string) => ({
      scopes: [],
      audience: RESOURCE,
      claims: { iss: ISSUER, sub: subject },
      subject,
    });
    const tokens = Array.from({ length: 100 }, (_, index) => `token${index}`);
    verifier.mockImplementation(async (token) => auth(token.startsWith("token") ? "mallory" : token));
    for (const token of [...tokens, "bob"]) await statusOf(token);
    clock.now += 1_000;
    verifier.mockClear();
    let free!: () => void;
    const slow = new Promise<void>((resolve) => {
      free = resolve;
    });
    verifier.mockImplementation(async (token) => {
      if (token.startsWith("token")) await slow;
      return auth(token.startsWith("token") ? "mallory" : token);
    });
    const flood = tokens.map((token) => statusOf(token));
    expect(verifier).toHaveBeenCalledTimes(20);
    expect(await statusOf("bob")).toBe(200);
    expect(await statusOf("carol")).toBe(200);
    free();
    release();
    expect((await Promise.all(flood)).filter((status) => status === 503)).toHaveLength(80);
  });

  it("of many addresses leave a quarter to tokens that were good before", async () => {
    const { statusOf, clock, release } = slowFor({ cacheMs: 1_000 });
    expect(await statusOf("good", "192.0.2.1")).toBe(200);
    clock.now += 1_000;
    const junk = Array.from({ length: 10 }, (_, index) => statusOf(`junk${index}`));
    expect(await statusOf("good2", "192.0.2.3")).toBe(503);
    expect(await statusOf("good", "192.0.2.1")).toBe(200);
    release();
    expect((await Promise.all(junk)).filter((status) => status === 401)).toHaveLength(6);
  });

  it("are verified once in five seconds", async () => {
    const { statusOf, verifier, clock, release } = slowFor();
    const send = async () => {
      const status = statusOf("junk");
      release();
      return status;
    };
    expect([await send(), await send()]).toEqual([401, 401]);
    expect(verifier).toHaveBeenCalledTimes(1);
    clock.now += 5_000;
    expect(await send()).toBe(401);
    expect(verifier).toHaveBeenCalledTimes(2);
  });

  it("are forgotten, the oldest first, beyond the number of tokens and 4 MiB", async () => {
    const { statusOf, verifier, release } = slowFor({ maxCachedTokens: 2 });
    const send = async (token: string) => {
      const status = statusOf(token);
      release();
      return status;
    };
    for (const token of ["a", "b", "c", "a"]) await send(token);
    expect(verifier).toHaveBeenCalledTimes(4);
    const roomy = slowFor({ maxCachedTokens: 1_000 });
    const long = (index: number) => `${index}`.padEnd(16_000, "x");
    for (let index = 0; index < 270; index++) {
      const status = roomy.statusOf(long(index));
      roomy.release();
      await status;
    }
    roomy.verifier.mockClear();
    void roomy.statusOf(long(269));
    void roomy.statusOf(long(0));
    expect(roomy.verifier).toHaveBeenCalledTimes(1);
    roomy.release();
  });

  it("that were good before lose that", async () => {
    const { statusOf, clock, verifier } = slowFor({ cacheMs: 1_000 });
    await statusOf("good");
    clock.now += 1_000;
    verifier.mockResolvedValueOnce(undefined);
    expect(await statusOf("good")).toBe(401);
    expect(await statusOf("good")).toBe(401);
    clock.now += 5_000;
    expect(await statusOf("good")).toBe(200);
  });

  it.each(["good", "junk"])("are verified again after the clock was set back: %s", async (token) => {
    const { statusOf, clock, verifier, release } = slowFor();
    const send = async () => {
      const status = statusOf(token);
      release();
      await status;
    };
    await send();
    clock.now -= 31_536_000_000;
    await send();
    expect(verifier).toHaveBeenCalledTimes(2);
  });

  it("are counted by the address that check is given", async () => {
    const { gate, verifier, release } = slowFor();
    const check = (token: string) =>
      gate.check(new Request(RESOURCE, { headers: { authorization: `Bearer ${token}` } }), { address: "192.0.2.1" });
    const junk = [check("junk1"), check("junk2"), check("junk3")];
    expect(await junk[2]).toMatchObject({ status: 503 });
    expect(verifier).toHaveBeenCalledTimes(2);
    release();
    await Promise.all(junk);
  });
});

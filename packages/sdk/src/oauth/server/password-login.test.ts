import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { LoginReply, LoginTransaction } from "./login-provider.js";
import { PasswordChecks } from "./password-checks.js";
import { hashPassword, PasswordLogin } from "./password-login.js";

const TRANSACTION: LoginTransaction = {
  id: "t",
  clientId: "app",
  clientName: "App",
  resource: "https://mcp.example/",
  scopes: [],
  callbackUrl: "https://auth.example/login/callback",
};
const passwordHash = await hashPassword("right", { iterations: 2 });
const ALICE = { subject: "alice", name: "Alice", passwordHash };

function reply(username: string, password: string): LoginReply {
  return { from: "form", parameters: new URLSearchParams({ username, password }) };
}

function from(address: string): LoginTransaction {
  return { ...TRANSACTION, address };
}

describe("PasswordLogin", () => {
  it("asks for a name and a password", async () => {
    expect(await new PasswordLogin([ALICE]).start()).toMatchObject({
      kind: "form",
      fields: [{ name: "username" }, { name: "password", type: "password" }],
    });
  });

  it("knows a user by the password", async () => {
    const login = new PasswordLogin([ALICE, { subject: "bob", passwordHash }]);
    expect(await login.finish(TRANSACTION, reply("alice", "right"))).toEqual({
      kind: "user",
      user: { subject: "alice", name: "Alice", credentialDigest: expect.any(String) },
    });
    expect(await login.finish(TRANSACTION, reply("bob", "right"))).toEqual({
      kind: "user",
      user: { subject: "bob", credentialDigest: expect.any(String) },
    });
  });

  it.each([
    ["alice", "wrong"],
    ["alice", ""],
    ["mallory", "right"],
    ["__proto__", "right"],
  ])("says the same of %j with %j", async (username, password) => {
    const login = new PasswordLogin([ALICE]);
    expect(await login.finish(TRANSACTION, reply(username, password))).toMatchObject({
      kind: "form",
      message: "Wrong name or password.",
    });
  });

  it("takes a form without its fields for a wrong one, also where nobody can log in", async () => {
    const empty: LoginReply = { from: "form", parameters: new URLSearchParams() };
    expect(await new PasswordLogin([]).finish(TRANSACTION, empty)).toMatchObject({
      message: "Wrong name or password.",
    });
  });

  it("lets an address try a name ten times, then one time in ten seconds", async () => {
    const clock = { now: 0 };
    const login = new PasswordLogin([ALICE, { subject: "bob", passwordHash }], () => clock.now);
    for (let index = 0; index < 10; index++) await login.finish(from("192.0.2.1"), reply("alice", "wrong"));
    const refused = await login.finish(from("192.0.2.1"), reply("alice", "right"));
    expect(refused).toMatchObject({ message: "Too many attempts. Try again in 10 seconds." });
    expect(await login.finish(from("192.0.2.1"), reply("bob", "right"))).toMatchObject({ kind: "user" });
    expect(await login.finish(from("192.0.2.2"), reply("alice", "right"))).toMatchObject({ kind: "user" });
    clock.now += 10_000;
    expect(await login.finish(from("192.0.2.1"), reply("alice", "right"))).toMatchObject({ kind: "user" });
  });

  it("lets an address try 50 times, whatever the names, then one time in two seconds", async () => {
    const login = new PasswordLogin([ALICE], () => 0);
    for (let index = 0; index < 50; index++) await login.finish(from("192.0.2.1"), reply(`user${index}`, "wrong"));
    const refused = await login.finish(from("192.0.2.1"), reply("alice", "right"));
    expect(refused).toMatchObject({ message: "Too many attempts. Try again in 2 seconds." });
  });

  describe("with a name that 51 others of one network try", () => {
    async function attacked() {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
      onTestFinished(() => void vi.useRealTimers());
      const login = new PasswordLogin([ALICE]);
      await login.finish(from("192.0.2.200"), reply("alice", "right"));
      for (let index = 0; index < 51; index++) await login.finish(from(`192.0.2.${index}`), reply("alice", "wrong"));
      return login;
    }

    it("lets its user in from another network at once, before attackers who wait", async () => {
      const login = await attacked();
      const attempt = (address: string, password: string) => login.finish(from(address), reply("alice", password));
      const attempts = Array.from({ length: 8 }, (_, index) => attempt(`192.0.2.${index + 100}`, "wrong"));
      expect(await attempt("198.51.100.1", "right")).toMatchObject({ kind: "user" });
      await vi.advanceTimersByTimeAsync(20_000);
      await Promise.all(attempts);
    });

    it("does not slow its user at an address that logged in before", async () => {
      const login = await attacked();
      expect(await login.finish(from("192.0.2.200"), reply("alice", "right"))).toMatchObject({ kind: "user" });
    });
  });

  it("knows the last 32 addresses of each user", async () => {
    const run = vi.spyOn(PasswordChecks.prototype, "run");
    onTestFinished(() => run.mockRestore());
    const login = new PasswordLogin([ALICE, { subject: "bob", passwordHash }], () => 0);
    const isKnown = async (name: string, index: number) => {
      await login.finish(from(`192.0.${index}.1`), reply(name, "right"));
      return run.mock.lastCall?.[0].isKnown;
    };
    expect(await isKnown("bob", 0)).toBe(false);
    for (let index = 0; index < 33; index++) expect(await isKnown("alice", index)).toBe(false);
    expect(await isKnown("alice", 1)).toBe(true);
    expect(await isKnown("alice", 0)).toBe(false);
    expect(await isKnown("bob", 0)).toBe(true);
  });

  it("says that it is busy to the third waiting attempt of an address with one name, and to nobody else", async () => {
    const login = new PasswordLogin([ALICE]);
    const steps = Array.from({ length: 5 }, () => login.finish(from("192.0.2.1"), reply("u", "x")));
    const user = login.finish(from("192.0.2.50"), reply("alice", "right"));
    const messages = (await Promise.all(steps)).map((step) => step.kind === "form" && step.message);
    expect(messages.filter((message) => message === "The server is busy. Try again in a moment.")).toHaveLength(1);
    expect(await user).toMatchObject({ kind: "user" });
  });

  it("refuses users that could not log in", () => {
    expect(() => new PasswordLogin([{ subject: "alice", passwordHash: "right" }])).toThrow(
      'user "alice": passwordHash must be what hashPassword returned',
    );
    expect(() => new PasswordLogin([{ passwordHash }] as never)).toThrow("users: subject: got undefined");
    expect(() => new PasswordLogin(["alice"] as never)).toThrow("users: expected an object, got the string");
    expect(() => new PasswordLogin([ALICE, ALICE])).toThrow("two users have one subject");
  });
});

describe("hashPassword", () => {
  it("makes another hash each time, by 600,000 iterations unless told otherwise", async () => {
    expect(await hashPassword("right", { iterations: 2 })).not.toBe(passwordHash);
    expect(await hashPassword("right")).toMatch(/^pbkdf2-sha256\$600000\$/);
  });

  it.each([
    ["", {}],
    ["x".repeat(1_025), {}],
    ["right", { iterations: 0 }],
    ["right", { iterations: 1.5 }],
    ["right", { iterations: 1e9 }],
  ])("refuses %j with %j", async (password, options) => {
    await expect(hashPassword(password, options)).rejects.toMatchObject({ code: "invalid-argument" });
  });
});

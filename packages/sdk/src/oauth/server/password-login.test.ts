import { describe, expect, it } from "vitest";
import type { LoginReply, LoginTransaction } from "./login-provider.js";
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
      user: { subject: "alice", name: "Alice" },
    });
    expect(await login.finish(TRANSACTION, reply("bob", "right"))).toEqual({ kind: "user", user: { subject: "bob" } });
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

  it("lets an address try ten times, then one time in ten seconds", async () => {
    const clock = { now: 0 };
    const login = new PasswordLogin([ALICE], () => clock.now);
    for (let index = 0; index < 10; index++) await login.finish(from("192.0.2.1"), reply(`user${index}`, "wrong"));
    const refused = await login.finish(from("192.0.2.1"), reply("alice", "right"));
    expect(refused).toMatchObject({ message: "Too many attempts. Try again in 10 seconds." });
    expect(await login.finish(from("192.0.2.2"), reply("alice", "right"))).toMatchObject({ kind: "user" });
    clock.now += 10_000;
    expect(await login.finish(from("192.0.2.1"), reply("alice", "right"))).toMatchObject({ kind: "user" });
  });

  it("lets a name be tried ten times, whatever the addresses", async () => {
    const login = new PasswordLogin([ALICE], () => 0);
    for (let index = 0; index < 10; index++) await login.finish(from(`192.0.2.${index}`), reply("alice", "wrong"));
    const refused = await login.finish(from("192.0.2.99"), reply("alice", "right"));
    expect(refused).toMatchObject({ message: expect.stringContaining("Too many attempts") });
  });

  it("checks two passwords at one time, so that threads are left for tokens", async () => {
    const login = new PasswordLogin([ALICE]);
    const steps = Array.from({ length: 3 }, (_, index) =>
      login.finish(from(`192.0.2.${index}`), reply(`u${index}`, "x")),
    );
    const messages = (await Promise.all(steps)).map((step) => step.kind === "form" && step.message);
    expect(messages.filter((message) => message === "The server is busy. Try again in a moment.")).toHaveLength(1);
    expect(await login.finish(from("192.0.2.50"), reply("alice", "right"))).toMatchObject({ kind: "user" });
  });

  it("refuses users that could not log in", () => {
    expect(() => new PasswordLogin([{ subject: "alice", passwordHash: "right" }])).toThrow(
      'user "alice": passwordHash must be what hashPassword returned',
    );
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

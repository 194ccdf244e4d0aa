import { describe, expect, it } from "vitest";
import { type GrantRecord, keyOf } from "../grants.js";
import { InMemoryAuthorizationStore } from "../in-memory-authorization-store.js";
import type { LoginProvider } from "../login-provider.js";
import { GrantUpstreams } from "./grant-upstreams.js";
import { JsonSeal } from "./json-seal.js";
import { CORP, GITHUB, json, upstreamTest } from "./upstream-login.fixture.js";
import { UpstreamTokens } from "./upstream-tokens.js";

const TOKEN = "POST https://login.corp.example/token";
const KEYS = [new Uint8Array(32).fill(1)];

/** A login whose upstream token lasts an hour and can be renewed. */
async function loggedIn(given: InMemoryAuthorizationStore | undefined = undefined) {
  const login = upstreamTest(CORP, { keys: KEYS }, given);
  login.providers.tokens = {
    access_token: "corp-access-1",
    refresh_token: "corp-refresh-1",
    expires_in: 3_600,
    scope: "openid mail",
  };
  const tokens = await login.tokens();
  const upstream = async () => (await login.test.server.verifyAccessToken(tokens.access)).upstream?.();
  const renewed = { access_token: "corp-access-2", refresh_token: "corp-refresh-2", expires_in: 3_600 };
  /** An hour later, with a new access token of this server. */
  const anHourLater = async () => {
    login.clock.now += 3_600_000;
    const { body } = await login.test.refresh(tokens.refresh);
    return (await login.test.server.verifyAccessToken(`${body.access_token}`)).upstream;
  };
  return { ...login, ...tokens, upstream, renewed, anHourLater };
}

describe("the token of an upstream provider", () => {
  it("comes with its scopes and its end, to who holds an access token of this server", async () => {
    const { upstream, clock } = await loggedIn();
    expect(await upstream()).toEqual({
      provider: "corp",
      accessToken: "corp-access-1",
      scopes: ["openid", "mail"],
      expiresAt: clock.now + 3_600_000,
    });
  });

  it("is in no token response, no introspection, and not in clear in the store", async () => {
    const store = new InMemoryAuthorizationStore({ now: () => Date.parse("2026-01-01T00:00:00Z") });
    const { test, access, refresh } = await loggedIn(store);
    const answers = [await test.service("/introspect", { token: access }), await test.refresh(refresh)];
    const [, payload] = access.split(".");
    expect(JSON.stringify([answers, atob(`${payload}`)])).not.toMatch(/corp-access|corp-refresh/);
    expect(JSON.stringify(store.entries())).not.toMatch(/corp-access|corp-refresh/);
    expect(store.entries().filter(({ text }) => text.includes("sealed"))).toHaveLength(1);
  });

  it("is renewed with the newest refresh token, and keeps its scopes", async () => {
    const { providers, renewed, anHourLater, clock } = await loggedIn();
    providers.tokens = renewed;
    const read = await anHourLater();
    expect(await read?.()).toMatchObject({ accessToken: "corp-access-2", scopes: ["openid", "mail"] });
    expect(providers.forms.map((form) => form.get("refresh_token"))).toEqual([null, "corp-refresh-1"]);
    clock.now += 3_600_000 - 60_000;
    providers.tokens = { access_token: "corp-access-3", expires_in: 7_200 };
    await read?.();
    clock.now += 7_200_000 - 60_000;
    await read?.();
    expect(providers.forms.map((form) => form.get("refresh_token"))).toEqual([
      null,
      "corp-refresh-1",
      "corp-refresh-2",
      "corp-refresh-2",
    ]);
  });

  it("is renewed a minute before it ends, once for all who ask at one time", async () => {
    const { providers, renewed, clock, test, access } = await loggedIn();
    const { upstream } = await test.server.verifyAccessToken(access);
    clock.now += 3_539_999;
    expect((await upstream?.())?.accessToken).toBe("corp-access-1");
    clock.now += 1;
    providers.tokens = renewed;
    const all = await Promise.all([upstream?.(), upstream?.(), upstream?.()]);
    expect(all.map((token) => token?.accessToken)).toEqual(["corp-access-2", "corp-access-2", "corp-access-2"]);
    expect(providers.forms.map((form) => form.get("refresh_token"))).toEqual([null, "corp-refresh-1"]);
  });

  it("without a refresh token is gone when it ends; one without an end stays", async () => {
    const { providers, clock, test, tokens } = upstreamTest();
    providers.tokens = { expires_in: 300 };
    const { access } = await tokens();
    clock.now += 240_000;
    expect(await (await test.server.verifyAccessToken(access)).upstream?.()).toBeUndefined();
    const github = upstreamTest(GITHUB);
    const { refresh } = await github.tokens("github");
    github.clock.now += 86_400_000;
    const { body } = await github.test.refresh(refresh);
    const { upstream } = await github.test.server.verifyAccessToken(`${body.access_token}`);
    expect((await upstream?.())?.accessToken).toBe("gho_1");
  });

  it("is deleted when the client revokes its grant", async () => {
    const store = new InMemoryAuthorizationStore({ now: () => Date.parse("2026-01-01T00:00:00Z") });
    const { test, access, refresh } = await loggedIn(store);
    const { upstream } = await test.server.verifyAccessToken(access);
    await test.post("/revoke", { client_id: "app", token: refresh });
    expect(await upstream?.()).toBeUndefined();
    expect(JSON.stringify(store.entries())).not.toContain("sealed");
  });

  it("that the provider has withdrawn ends the grant, for handlers and for the client's refresh", async () => {
    const { providers, test, access, clock, refresh } = await loggedIn();
    const { upstream } = await test.server.verifyAccessToken(access);
    clock.now += 3_540_000;
    providers.answers[TOKEN] = () => json({ error: "invalid_grant" }, 400);
    const { body } = await test.refresh(refresh);
    expect(body).toMatchObject({ error: "invalid_grant" });
    expect(await upstream?.()).toBeUndefined();
  });

  it("that cannot be renewed since the provider is away is an error that names no token, and ends nothing", async () => {
    const { providers, test, anHourLater, renewed } = await loggedIn();
    const answer = providers.answers[TOKEN];
    providers.answers[TOKEN] = () => new Response("corp-refresh-1", { status: 503 });
    const read = await anHourLater();
    await expect(read?.()).rejects.toThrow(/^the upstream token cannot be renewed: Corp: answered with status 503$/);
    expect(test.errors).toHaveLength(1);
    providers.answers[TOKEN] = answer as () => Response;
    providers.tokens = renewed;
    expect((await read?.())?.accessToken).toBe("corp-access-2");
  });

  it("is not waited for when a client refreshes while the provider is slow", async () => {
    const store = new InMemoryAuthorizationStore();
    const grant = { upstream: { provider: "corp" }, subject: "ada" } as unknown as GrantRecord;
    const key = await keyOf("name.secret");
    await store.update("grants", key, () => ({ value: grant, expiresAt: Number.MAX_SAFE_INTEGER }));
    const login = { upstreamToken: () => new Promise<never>(() => undefined) } as unknown as LoginProvider;
    const upstreams = new GrantUpstreams({ store, login, onError: () => undefined, waitMs: 1 });
    expect(await upstreams.check("name.secret")).toBeUndefined();
  });

  it("that another process renewed meanwhile is taken from the store", async () => {
    const store = new InMemoryAuthorizationStore({ now: () => Date.parse("2026-01-01T00:00:00Z") });
    const one = await loggedIn(store);
    const two = upstreamTest(CORP, { keys: KEYS }, store);
    const [mine, theirs] = await Promise.all(
      [one.test, two.test].map(async ({ server }) => (await server.verifyAccessToken(one.access)).upstream),
    );
    one.clock.now += 3_540_000;
    two.clock.now = one.clock.now;
    two.providers.tokens = one.renewed;
    // The other process renews while the call of this one is under way, and the provider takes a refresh token once.
    one.providers.answers[TOKEN] = async () => {
      await theirs?.();
      return json({ error: "invalid_grant" }, 400);
    };
    expect((await mine?.())?.accessToken).toBe("corp-access-2");
  });

  it("does not open with other keys, or for another subject, or at a provider that is gone", async () => {
    const store = new InMemoryAuthorizationStore({ now: () => Date.parse("2026-01-01T00:00:00Z") });
    const { access } = await loggedIn(store);
    const read = async (client = CORP, keys = KEYS) => {
      const { server } = upstreamTest(client, { keys }, store).test;
      return (await server.verifyAccessToken(access)).upstream?.();
    };
    expect(await read()).toBeDefined();
    expect(await read(CORP, [new Uint8Array(32)])).toBeUndefined();
    expect(await read(CORP, [new Uint8Array(32), ...KEYS])).toBeDefined();
    expect(await read(GITHUB)).toBeUndefined();
    const [key] = store.entries().flatMap(({ table, key }) => (table === "grants" ? key : []));
    await store.update("grants", `${key}`, (grant) => grant && { ...grant, value: { ...grant.value, subject: "eve" } });
    expect(await read()).toBeUndefined();
  });

  it("of a size that no provider needs is refused", async () => {
    const { logIn, providers, failures } = upstreamTest();
    providers.tokens = { access_token: "x".repeat(70_000) };
    expect(await logIn()).toMatchObject({ error: "server_error" });
    expect(failures[0]?.message).toBe("corp: its tokens have more than 65536 characters");
  });

  it("is read for a bounded number of grants at a time", async () => {
    const tokens = new UpstreamTokens({ seal: new JsonSeal(), connections: new Map(), now: Date.now });
    const never = () => new Promise<never>(() => undefined);
    const kept = { subject: "ada", read: never, replace: never, revoke: never };
    for (let index = 0; index < 1_000; index++) void tokens.token({ ...kept, key: `${index}` });
    await expect(tokens.token({ ...kept, key: "one more" })).rejects.toThrow("too many upstream tokens");
    expect(tokens.token({ ...kept, key: "0" })).toBeInstanceOf(Promise);
  });

  it("is not there if the grant has ended while somebody asks", async () => {
    const tokens = new UpstreamTokens({ seal: new JsonSeal(), connections: new Map(), now: Date.now });
    const nothing = async () => undefined;
    expect(
      await tokens.token({ key: "k", subject: "ada", read: nothing, replace: nothing, revoke: nothing }),
    ).toBeUndefined();
  });

  it("that the store fails to keep is an error of the store", async () => {
    const store = new InMemoryAuthorizationStore({ now: () => Date.parse("2026-01-01T00:00:00Z") });
    const { test, access, clock } = await loggedIn(store);
    const { upstream } = await test.server.verifyAccessToken(access);
    clock.now += 3_540_000;
    store.update = () => Promise.reject(new Error("the disk is full"));
    await expect(upstream?.()).rejects.toThrow("the disk is full");
  });
});

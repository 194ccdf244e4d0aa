import { describe, expect, it, vi } from "vitest";
import { OAuthError } from "../grammar/oauth-error.js";
import { callAuthorized } from "./authorized-call.js";
import { type CredentialStore, InMemoryCredentialStore } from "./credential-store.js";
import { KEY, RESOURCE, session, stored, storeWith, type TokenAnswer } from "./resource-session.fixture.js";
import type { ResourceSession } from "./resource-session.js";

describe("a stored token", () => {
  it("is sent until it is about to expire", async () => {
    const { session: open } = session([], { store: await storeWith(), at: 69_999 });
    expect(await open.current()).toEqual(stored);
    expect(await open.identity()).toBe("login");
  });

  it.each(["{", "{}", { ...stored, scopes: "read" }, { ...stored, accessToken: 7 }])(
    "that is damaged counts as none: %o",
    async (record) => {
      const { session: open } = session([], { store: await storeWith(record) });
      expect(await open.current()).toBeUndefined();
    },
  );

  it("that is bound to a damaged key counts as none", async () => {
    const { session: open } = session([], { store: await storeWith({ ...stored, dpopKey: { kty: "EC" } }) });
    expect(await open.current()).toBeUndefined();
  });

  it("without an expiry is sent as it is, and one without a refresh token until it has expired", async () => {
    const { expiresAt: _, ...lasting } = stored;
    expect(await session([], { store: await storeWith(lasting), at: 1e15 }).session.current()).toEqual(lasting);
    const { refreshToken: __, ...single } = stored;
    expect(await session([], { store: await storeWith(single), at: 99_999 }).session.current()).toEqual(single);
    expect(await session([], { store: await storeWith(single), at: 100_000 }).session.current()).toBeUndefined();
  });

  it("of another client is not refreshed", async () => {
    const { session: open, requests } = session([], {
      store: await storeWith({ ...stored, clientId: "old" }),
      at: 1e6,
    });
    expect(await open.current()).toBeUndefined();
    expect(requests).not.toContain("/token refresh_token");
  });
});

it("asks the store again after it has failed", async () => {
  const store: CredentialStore = new InMemoryCredentialStore();
  vi.spyOn(store, "get").mockRejectedValueOnce(new Error("disk"));
  const { session: open } = session([], { store });
  await expect(open.current()).rejects.toMatchObject({
    code: "authorization-failed",
    message: "The credential store could not be read: disk",
  });
  expect(await open.current()).toBeUndefined();
});

it("sends a token that is still good if its refresh fails, and rejects once it has expired", async () => {
  const failing = () => [new OAuthError("temporarily_unavailable")];
  const early = session(failing(), { store: await storeWith(), at: 80_000 });
  expect(await early.session.current()).toEqual(stored);
  const late = session([new Error("no route")], { store: await storeWith(), at: 100_000 });
  await expect(late.session.current()).rejects.toMatchObject({ code: "authorization-failed" });
});

it("asks the store once for all who wait for one refresh", async () => {
  const store = await storeWith();
  const locks = vi.spyOn(store, "withLock");
  const { session: open } = session([{ access_token: "fresh", expires_in: 3_600 }], { store, at: 90_000 });
  const tokens = await Promise.all(Array.from({ length: 200 }, () => open.current()));
  expect(new Set(tokens.map((token) => token?.accessToken))).toEqual(new Set(["fresh"]));
  expect(locks).toHaveBeenCalledTimes(1);
});

it("goes on with a refresh that nobody waits for any more, since its answer may have a new refresh token", async () => {
  const store = await storeWith();
  const impatient = new AbortController();
  const lock = store.withLock.bind(store);
  vi.spyOn(store, "withLock").mockImplementationOnce((key, run) => {
    impatient.abort(new Error("enough"));
    return lock(key, run);
  });
  const { session: open, requests } = session([{ access_token: "fresh", expires_in: 3_600 }], { store, at: 90_000 });
  await expect(open.current({ signal: () => impatient.signal })).rejects.toThrow("enough");
  expect((await open.current())?.accessToken).toBe("fresh");
  expect(requests.filter((request) => request === "/token refresh_token")).toHaveLength(1);
});

it("takes a token that another process has refreshed, its key included", async () => {
  const store = await storeWith();
  const { session: open, requests } = session([], { store, at: 90_000 });
  await open.identity();
  const fresh = { ...stored, accessToken: "fresh", expiresAt: 900_000 };
  await store.set(KEY, JSON.stringify(fresh));
  expect(await open.current()).toEqual(fresh);
  expect(requests).not.toContain("/token refresh_token");
});

describe("tokens that another process has stored", () => {
  const REFUSED = { reason: "login", challenge: undefined, used: undefined, isRefreshed: false } as const;
  const wider = { ...stored, accessToken: "wider", requestedScopes: ["read", "write"] };

  it("are used instead of a login", async () => {
    const store = new InMemoryCredentialStore();
    const { session: open, requests } = session([], { store, redirect: undefined });
    await expect(open.renew(REFUSED)).rejects.toMatchObject({ code: "authorization-required" });
    await store.set(KEY, JSON.stringify(stored));
    expect(await open.renew(REFUSED)).toEqual({ record: stored, by: "elsewhere" });
    expect(await open.current()).toEqual(stored);
    expect(requests).not.toContain("/token authorization_code");
  });

  it("are used if a server wants more scopes, also where the user is not asked for them", async () => {
    const store = await storeWith();
    const { session: open } = session([], { store, stepUp: "throw" });
    await open.current();
    const refusal = { ...REFUSED, reason: "scopes", used: stored } as const;
    await expect(open.renew(refusal)).rejects.toMatchObject({ reason: "scopes" });
    await store.set(KEY, JSON.stringify(wider));
    expect(await open.renew(refusal)).toEqual({ record: wider, by: "elsewhere" });
  });

  it("are not used after they have expired", async () => {
    const store = new InMemoryCredentialStore();
    const { session: open } = session([{ access_token: "login" }], { store, at: 100_000 });
    await open.identity();
    await store.set(KEY, JSON.stringify({ ...stored, refreshToken: undefined }));
    expect(await open.renew(REFUSED)).toMatchObject({ record: { accessToken: "login" }, by: "login" });
  });
});

describe("a login while a refresh is in progress", () => {
  const STEP_UP = { reason: "scopes", challenge: undefined, used: stored, isRefreshed: false } as const;

  /** A session in the middle of a refresh. The next response is for a login. */
  async function refreshing(store: CredentialStore, login: TokenAnswer = { access_token: "login" }) {
    let finish!: (answer: TokenAnswer) => void;
    const answer = new Promise<TokenAnswer>((resolve) => {
      finish = resolve;
    });
    const { session: open, requests } = session([answer, login], { store, at: 90_000 });
    const refreshed = open.current();
    await vi.waitUntil(() => requests.includes("/token refresh_token"));
    return { open, requests, refreshed, finish };
  }

  it("replaces the tokens of the refresh", async () => {
    const store = await storeWith();
    const { open, requests, refreshed, finish } = await refreshing(store);
    const login = open.renew(STEP_UP);
    await vi.waitUntil(() => requests.includes("/token authorization_code"));
    finish({ access_token: "refreshed" });
    expect((await refreshed)?.accessToken).toBe("refreshed");
    await login;
    expect(JSON.parse(`${await store.get(KEY)}`).accessToken).toBe("login");
    expect((await open.current())?.accessToken).toBe("login");
  });

  it("of another process replaces them too", async () => {
    const store = await storeWith();
    const { refreshed, finish } = await refreshing(store);
    const other = session([{ access_token: "login" }], { store });
    await other.session.identity();
    const login = other.session.renew(STEP_UP);
    await vi.waitUntil(() => other.requests.includes("/token authorization_code"));
    finish({ access_token: "refreshed" });
    await Promise.all([refreshed, login]);
    expect(JSON.parse(`${await store.get(KEY)}`).accessToken).toBe("login");
  });

  it.each([
    ["succeeds", { access_token: "refreshed" }],
    ["is refused", new OAuthError("invalid_grant")],
  ])("is kept if the refresh %s after its lock was taken over", async (_how, answer) => {
    const store = await storeWith();
    const { open, refreshed, finish } = await refreshing(store);
    const login = { ...stored, accessToken: "login", expiresAt: 900_000 };
    await store.set(KEY, JSON.stringify(login));
    finish(answer);
    expect(await refreshed).toEqual(login);
    expect(await open.current()).toEqual(login);
    expect(JSON.parse(`${await store.get(KEY)}`)).toEqual(login);
  });

  it("is not assumed if the store cannot be read a second time", async () => {
    const store = await storeWith();
    const { refreshed, finish } = await refreshing(store);
    vi.spyOn(store, "get").mockRejectedValueOnce(new Error("disk"));
    finish({ access_token: "refreshed" });
    expect((await refreshed)?.accessToken).toBe("refreshed");
    expect(JSON.parse(`${await store.get(KEY)}`).accessToken).toBe("refreshed");
  });
});

it("keeps its tokens if a login fails with invalid_grant, and forgets them after invalid_client", async () => {
  const store = await storeWith();
  const refusals = [new OAuthError("invalid_grant"), new OAuthError("invalid_client")];
  const { session: open } = session(refusals, { store });
  await open.identity();
  const refusal = { reason: "scopes", challenge: undefined, used: stored, isRefreshed: false } as const;
  await expect(open.renew(refusal)).rejects.toMatchObject({ cause: { code: "invalid_grant" } });
  expect(await open.current()).toEqual(stored);
  await expect(open.renew(refusal)).rejects.toMatchObject({ cause: { code: "invalid_client" } });
  expect(await store.get(KEY)).toBeUndefined();
});

it("names the time without a login, and ends it with every login", async () => {
  const { session: open } = session([{ access_token: "a" }]);
  const anonymous = await open.identity();
  const refusal = { reason: "login", challenge: undefined, used: undefined, isRefreshed: false } as const;
  const { record } = await open.renew(refusal);
  expect(await open.identity()).toBe(record.login);
  expect(await open.renew(refusal)).toEqual({ record, by: "elsewhere" });
  await open.logOut();
  expect([anonymous, record.login]).not.toContain(await open.identity());
});

it("binds tokens to a key if the resource requires it", async () => {
  const { session: open } = session(
    [{ access_token: "a", token_type: "DPoP" }],
    {},
    {
      dpop_bound_access_tokens_required: true,
    },
  );
  const { record } = await open.renew({ reason: "login", challenge: undefined, used: undefined, isRefreshed: false });
  expect(record).toMatchObject({ scheme: "DPoP", dpopKey: { crv: "P-256" } });
  expect(open.binding).toBeDefined();
});

it("fails with the servers' refusal of a login, and forgets nothing else", async () => {
  const { session: open } = session([new OAuthError("invalid_scope")]);
  const renewing = open.renew({ reason: "login", challenge: undefined, used: undefined, isRefreshed: false });
  await expect(renewing).rejects.toMatchObject({ code: "authorization-failed", cause: { code: "invalid_scope" } });
});

describe("a call", () => {
  /** Answers with these heads, in order. */
  function call(open: ResourceSession, heads: [status: number, challenge?: string][]) {
    const sent: (string | undefined)[] = [];
    const made = callAuthorized(open, {
      method: "POST",
      url: new URL(RESOURCE),
      send: async ({ authorization }) => {
        sent.push(authorization);
        const [status, challenge] = heads.shift() ?? [200];
        const header = (name: string) => (name === "www-authenticate" ? challenge : undefined);
        return { status, header, discard: () => undefined };
      },
    });
    return { made, sent };
  }

  it("goes by the challenge of its own scheme, and by none at all", async () => {
    const { session: open, requests } = session([{ access_token: "a", scope: "read" }, { access_token: "b" }]);
    const challenges: [number, string][] = [
      [401, 'Basic realm="x", Bearer'],
      [403, 'Bearer realm="y", Negotiate, Bearer error="insufficient_scope"'],
    ];
    const { made, sent } = call(open, challenges);
    await expect(made).rejects.toThrow("still wants more scopes, and the authorization server did not grant them");
    expect(sent).toEqual([undefined, "Bearer a"]);
    expect(requests.filter((request) => request.startsWith("/token"))).toHaveLength(1);
  });

  it("refreshes, then logs in, then fails for a server that takes no token", async () => {
    const tokens = [{ access_token: "refreshed" }, { access_token: "logged-in" }];
    const { session: open } = session(tokens, { store: await storeWith() });
    const { made, sent } = call(open, [[401], [401], [401]]);
    await expect(made).rejects.toMatchObject({ code: "authorization-failed", status: 401 });
    expect(sent).toEqual(["Bearer stored", "Bearer refreshed", "Bearer logged-in"]);
  });

  it("leaves a 403 of another kind to its caller", async () => {
    const { session: open } = session([]);
    expect((await call(open, [[403]]).made).status).toBe(403);
    expect((await call(open, [[403, 'Bearer error="invalid_token"']]).made).status).toBe(403);
  });

  it("without a token that lacks scopes says so in throw mode", async () => {
    const { session: open } = session([], { stepUp: "throw" });
    const { made } = call(open, [[403, 'Bearer error="insufficient_scope", scope="write"']]);
    await expect(made).rejects.toMatchObject({ reason: "scopes", scopes: ["write"], resource: RESOURCE });
  });

  it("sends a DPoP token whose server issued it for Bearer by that scheme", async () => {
    const required = { dpop_bound_access_tokens_required: true };
    const { session: open } = session([{ access_token: "plain" }], {}, required);
    const { made, sent } = call(open, [[401], [200]]);
    expect((await made).status).toBe(200);
    expect(sent).toEqual([undefined, "Bearer plain"]);
  });
});

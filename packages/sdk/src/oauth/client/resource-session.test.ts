import { describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../runtime/json.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { callAuthorized } from "./authorized-call.js";
import { type CredentialStore, MemoryStore } from "./credential-store.js";
import { DpopBinding } from "./dpop-binding.js";
import { type OAuthOptions, oauth } from "./oauth.js";
import type { ResourceSession } from "./resource-session.js";
import type { TokenRecord } from "./token-record.js";

const ISSUER = "https://login.example.com";
const RESOURCE = "https://mcp.example.com/mcp";
const KEY = JSON.stringify(["tokens", RESOURCE, JSON.stringify(["code", "id", null])]);

const stored: TokenRecord = {
  issuer: ISSUER,
  clientId: "id",
  resource: RESOURCE,
  accessToken: "stored",
  scheme: "Bearer",
  refreshToken: "refresh",
  scopes: ["read"],
  requestedScopes: ["read"],
  expiresAt: 100_000,
  login: "login",
};

function deferred<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

type TokenAnswer = JsonObject | Error;

/** A session whose servers answer with the given token responses, in order. */
function session(
  responses: (TokenAnswer | Promise<TokenAnswer>)[],
  options: OAuthOptions & { at?: number } = {},
  resource = {},
) {
  const requests: string[] = [];
  const fetch = async (url: URL, { body = "" }: { body?: string }) => {
    requests.push(`${url.pathname} ${new URLSearchParams(body).get("grant_type") ?? ""}`.trim());
    if (url.pathname === "/.well-known/oauth-protected-resource/mcp") {
      return Response.json({ resource: RESOURCE, authorization_servers: [ISSUER], ...resource });
    }
    if (url.pathname !== "/token") {
      const endpoints = { authorization_endpoint: `${ISSUER}/authorize`, token_endpoint: `${ISSUER}/token` };
      return Response.json({ issuer: ISSUER, ...endpoints, code_challenge_methods_supported: ["S256"] });
    }
    const response = await responses.shift();
    if (response instanceof OAuthError) return Response.json({ error: response.code }, { status: 400 });
    if (response instanceof Error || response === undefined) throw response ?? new Error("no more responses");
    return Response.json({ token_type: "Bearer", ...response });
  };
  const redirect = {
    redirectUri: "http://127.0.0.1/cb",
    receive: async (_url: URL, state: string) => new URLSearchParams({ state, code: "c" }),
  };
  const { at = 0, ...own } = options;
  const now = () => at;
  const authorization = oauth({ client: { clientId: "id", issuer: ISSUER }, redirect, fetch, now, ...own });
  return { requests, session: authorization.session(new URL(RESOURCE)) };
}

async function storeWith(record: object | string = stored): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.set(KEY, typeof record === "string" ? record : JSON.stringify(record));
  return store;
}

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
  const store: CredentialStore = new MemoryStore();
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
  await open.forget();
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
    const { session: open } = session([{ access_token: "plain" }], { dpop: true });
    const { made, sent } = call(open, [[401], [200]]);
    expect((await made).status).toBe(200);
    expect(sent).toEqual([undefined, "Bearer plain"]);
  });
});

describe("logging out", () => {
  it("says what a store threw that is no Error", async () => {
    const inner = new MemoryStore();
    let reads = 0;
    const store: CredentialStore = {
      get: async () => (reads++ === 0 ? JSON.stringify(stored) : Promise.reject("no disk")),
      set: (key, value) => inner.set(key, value),
      delete: (key) => inner.delete(key),
      withLock: (key, run) => inner.withLock(key, run),
    };
    expect(await session([], { store, client: undefined }).session.logOut()).toMatchObject({
      error: { message: "The tokens are forgotten here and not revoked: no disk" },
    });
  });

  it("says that an authorization server offers no revocation", async () => {
    const { session: open } = session([], { store: await storeWith() });
    expect(await open.logOut()).toMatchObject({
      isRevoked: false,
      error: { message: `The tokens are forgotten here and not revoked: ${ISSUER} names no revocation_endpoint` },
    });
    expect(await open.current()).toBeUndefined();
  });

  it("waits for a refresh of another process, and forgets its tokens", async () => {
    const store = await storeWith();
    const { session: open } = session([], { store });
    let finish!: () => void;
    const answered = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const refreshing = store.withLock(KEY, async () => {
      await answered;
      await store.set(KEY, JSON.stringify({ ...stored, accessToken: "refreshed" }));
    });
    const loggingOut = open.logOut();
    await new Promise((resolve) => setImmediate(resolve));
    finish();
    await Promise.all([refreshing, loggingOut]);
    expect(await store.get(KEY)).toBeUndefined();
  });

  it("is not undone by a call that waits to refresh the token", async () => {
    const store = await storeWith();
    const { session: open, requests } = session([{ access_token: "fresh" }], { store, at: 90_000 });
    await open.identity();
    const [, sent] = await Promise.all([open.logOut(), open.current()]);
    expect(sent).toBeUndefined();
    expect(await store.get(KEY)).toBeUndefined();
    expect(requests).not.toContain("/token refresh_token");
  });

  it("is not undone by another process that refreshes its token later", async () => {
    const store = await storeWith({ ...stored, dpopKey: await (await DpopBinding.create(Date.now)).exportKey() });
    const other = session([{ access_token: "fresh" }], { store, at: 90_000 });
    const login = await other.session.identity();
    await session([], { store }).session.logOut();
    expect(await other.session.current()).toBeUndefined();
    expect(await store.get(KEY)).toBeUndefined();
    expect(await other.session.identity()).not.toBe(login);
    expect(other.session.binding).toBeUndefined();
    expect(other.requests).not.toContain("/token refresh_token");
  });

  it("is what an empty store means, also for a token that the store could not keep", async () => {
    const store = new MemoryStore();
    vi.spyOn(store, "set").mockRejectedValueOnce(new Error("disk full"));
    const { session: open, requests } = session([{ access_token: "lost", refresh_token: "r", expires_in: 10 }], {
      store,
    });
    await open.identity();
    const refusal = { reason: "login", challenge: undefined, used: undefined, isRefreshed: false } as const;
    await expect(open.renew(refusal)).rejects.toThrow("disk full");
    expect(await open.current()).toBeUndefined();
    expect(requests).not.toContain("/token refresh_token");
  });

  it("says that no tokens are stored", async () => {
    const { session: open, requests } = session([]);
    expect(await open.logOut()).toMatchObject({
      isRevoked: false,
      error: {
        code: "authorization-failed",
        message: expect.stringMatching(/^No tokens are stored for https:.*clientName/),
      },
    });
    expect(requests).toEqual([]);
  });

  it("forgets and deletes the tokens if another process keeps the lock", async () => {
    const store = await storeWith();
    const { session: open } = session([], { store });
    expect(await open.current()).toEqual(stored);
    vi.spyOn(store, "withLock").mockRejectedValue(new Error("locked by process 7"));

    const { isRevoked, error } = await open.logOut();
    expect(isRevoked).toBe(false);
    expect(error?.message).toBe(
      "The lock of the credentials failed, so another process may store tokens again: locked by process 7. " +
        `The tokens are forgotten here and not revoked: ${ISSUER} names no revocation_endpoint`,
    );
    expect(await open.current()).toBeUndefined();
    expect(await store.get(KEY)).toBeUndefined();
  });

  it("revokes tokens once if the lock cannot be released", async () => {
    const store = await storeWith();
    const { session: open, requests } = session([], { store });
    vi.spyOn(store, "withLock").mockImplementation(async (_key, run) => {
      await run();
      throw new Error("not released");
    });
    const { error } = await open.logOut();
    expect(error?.message).toMatch(/store tokens again: not released\. The tokens are forgotten here and not revoked/);
    expect(requests).toHaveLength(1);
  });

  it("says that the store may keep the tokens, and does not read them again", async () => {
    const store = await storeWith();
    const { session: open } = session([], { store });
    vi.spyOn(store, "delete").mockRejectedValue(new Error("read-only disk"));
    const { error } = await open.logOut();
    expect(error?.message).toContain("forgotten here, and may remain in the credential store: read-only disk");
    expect(await store.get(KEY)).toBeDefined();
    expect(await open.current()).toBeUndefined();
  });

  it("is not undone by a read of the store that began before", async () => {
    const store = await storeWith();
    const { session: open } = session([], { store });
    const { promise: text, resolve } = deferred<string>();
    vi.spyOn(store, "get").mockReturnValueOnce(text);
    const reading = open.current();
    await open.logOut();
    resolve(JSON.stringify(stored));
    expect(await reading).toBeUndefined();
    expect(await open.current()).toBeUndefined();
  });

  /** A session whose refresh holds the lock, so that a logout cannot have it. */
  async function refreshing(answer: TokenAnswer) {
    const store = await storeWith();
    const { promise, resolve } = deferred<TokenAnswer>();
    const { session: open, requests } = session([promise], { store, at: 90_000 });
    const refreshed = open.current();
    await vi.waitFor(() => expect(requests).toContain("/token refresh_token"));
    vi.spyOn(store, "withLock").mockRejectedValue(new Error("locked"));
    return { store, open, refreshed, requests, answer: () => resolve(answer) };
  }

  it("without the lock is not undone by a refresh in progress, even if the store fails", async () => {
    const { store, open, refreshed, requests, answer } = await refreshing({ access_token: "fresh" });
    const fails = vi.spyOn(store, "delete").mockRejectedValue(new Error("gone"));
    await open.logOut();
    answer();
    expect(await refreshed).toBeUndefined();
    expect(await open.current()).toBeUndefined();
    expect(JSON.parse(String(await store.get(KEY)))).toEqual(stored);
    expect(requests.filter((request) => request.startsWith("/token"))).toHaveLength(1);
    fails.mockRestore();
  });

  it("without the lock deletes tokens that a refresh is storing", async () => {
    const { store, open, refreshed, answer } = await refreshing({ access_token: "fresh" });
    const [written, writing] = [deferred<void>(), deferred<void>()];
    const set = store.set.bind(store);
    vi.spyOn(store, "set").mockImplementation(async (key, value) => {
      writing.resolve();
      await written.promise;
      await set(key, value);
    });
    answer();
    await writing.promise;
    await open.logOut();
    written.resolve();
    expect(await refreshed).toBeUndefined();
    expect(await store.get(KEY)).toBeUndefined();
  });

  it("without the lock is not undone by a refresh that reads the store meanwhile", async () => {
    const { store, open, refreshed, answer } = await refreshing({ access_token: "fresh" });
    const [reading, text] = [deferred<void>(), deferred<string>()];
    vi.spyOn(store, "get").mockImplementationOnce(() => {
      reading.resolve();
      return text.promise;
    });
    answer();
    await reading.promise;
    await open.logOut();
    text.resolve(JSON.stringify(stored));
    expect(await refreshed).toBeUndefined();
    expect(await store.get(KEY)).toBeUndefined();
    expect(await open.current()).toBeUndefined();
  });

  it("forgets the tokens that it has if the store cannot be read", async () => {
    const store = await storeWith({ ...stored, refreshToken: undefined });
    const { session: open } = session([], { store });
    await open.current();
    store.get = () => Promise.reject(new Error("the disk is gone"));
    expect((await open.logOut()).isRevoked).toBe(false);
    expect(await open.current()).toBeUndefined();
  });
});

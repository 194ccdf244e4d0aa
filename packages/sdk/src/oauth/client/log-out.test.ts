import { describe, expect, it, vi } from "vitest";
import { type CredentialStore, InMemoryCredentialStore } from "./credential-store.js";
import { DpopBinding } from "./dpop-binding.js";
import { ISSUER, KEY, session, stored, storeWith, type TokenAnswer } from "./resource-session.fixture.js";

function deferred<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe("logging out", () => {
  it("says what a store threw that is no Error", async () => {
    const inner = new InMemoryCredentialStore();
    let reads = 0;
    const store: CredentialStore = {
      get: async () => (reads++ === 0 ? JSON.stringify(stored) : Promise.reject("no disk")),
      set: (key, value) => inner.set(key, value),
      delete: (key) => inner.delete(key),
      withLock: (key, run) => inner.withLock(key, run),
    };
    expect(await session([], { store, client: undefined }).session.logOut()).toMatchObject({
      error: { message: "The tokens are forgotten here and not revoked: no disk", cause: "no disk" },
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
    const store = new InMemoryCredentialStore();
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

  it("says that the store may keep the tokens, and uses none of that login again", async () => {
    const store = await storeWith();
    const { session: open } = session([], { store });
    vi.spyOn(store, "delete").mockRejectedValue(new Error("read-only disk"));
    const { error } = await open.logOut();
    expect(error?.message).toContain("forgotten here, and may remain in the credential store: read-only disk");
    expect(await store.get(KEY)).toBeDefined();
    expect(await open.current()).toBeUndefined();
    await store.set(KEY, JSON.stringify({ ...stored, accessToken: "refreshed elsewhere" }));
    const refusal = { reason: "login", challenge: undefined, used: undefined, isRefreshed: false } as const;
    await expect(open.renew(refusal)).rejects.toThrow("no more responses");
  });

  it("is not undone by a second one that cannot read the store", async () => {
    const store = await storeWith();
    const { session: open } = session([], { store });
    vi.spyOn(store, "delete").mockRejectedValue(new Error("read-only disk"));
    await open.logOut();
    vi.spyOn(store, "get").mockRejectedValueOnce(new Error("unreadable disk"));
    await open.logOut();
    const refusal = { reason: "login", challenge: undefined, used: undefined, isRefreshed: false } as const;
    await expect(open.renew(refusal)).rejects.toThrow("no more responses");
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
    const { session: open, requests } = session([promise], { store, at: 90_000, revokes: true });
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
    const { store, open, refreshed, requests, answer } = await refreshing({ access_token: "fresh" });
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
    expect(requests).toContain("/revoke fresh");
  });

  it("without the lock is not undone by a refresh that reads the store meanwhile", async () => {
    const { store, open, refreshed, requests, answer } = await refreshing({ access_token: "fresh" });
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
    expect(requests).toContain("/revoke fresh");
  });

  it("of another process without the lock has the tokens of a refresh in progress revoked", async () => {
    const { store, refreshed, requests, answer } = await refreshing({ access_token: "fresh" });
    await session([], { store }).session.logOut();
    answer();
    expect(await refreshed).toBeUndefined();
    expect(await store.get(KEY)).toBeUndefined();
    expect(requests).toContain("/revoke fresh");
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

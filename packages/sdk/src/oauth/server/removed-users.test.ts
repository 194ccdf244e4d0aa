import { describe, expect, it } from "vitest";
import { answerOf, PASSWORD, RESOURCE, TestBrowser, TestServer } from "./authorization-server.fixture.js";
import { InMemoryAuthorizationStore } from "./in-memory-authorization-store.js";
import { hashPassword } from "./password-login.js";

const INVALID_GRANT = { status: 400, body: { error: "invalid_grant" } };
const passwordHash = await hashPassword("another password", { iterations: 10 });

/** A server with a login of alice, and another one over its store. */
async function restarted(options: ConstructorParameters<typeof TestServer>[0]) {
  const store = new InMemoryAuthorizationStore({ now: () => 0 });
  const before = new TestServer({ store });
  const { body } = await before.redeem(await before.code());
  const browser = new TestBrowser(before);
  await browser.authorize();
  await browser.submit({ username: "alice", password: PASSWORD });
  const after = new TestServer({ store, ...options });
  const sameBrowser = new TestBrowser(after);
  sameBrowser.cookie = browser.cookie;
  return { after, tokens: body, browser: sameBrowser };
}

describe("a user who is gone", () => {
  it("keeps the login while nothing changes", async () => {
    const { after, tokens, browser } = await restarted({});

    expect((await after.refresh(tokens.refresh_token)).status).toBe(200);
    await browser.authorize();
    expect(browser.page).toContain("The App");
    expect(browser.page).not.toContain('type="password"');
  });

  it.each([
    ["is not in users any more", []],
    ["has a new password", [{ subject: "alice", passwordHash }]],
  ])("cannot refresh, and is asked for the password, who %s", async (_name, users) => {
    const { after, tokens, browser } = await restarted({ users });

    expect(await after.refresh(tokens.refresh_token)).toMatchObject(INVALID_GRANT);
    await browser.authorize();
    expect(browser.page).toContain('type="password"');
  });

  it("has no access by the tokens of a grant whose refresh was refused", async () => {
    const { after, tokens } = await restarted({ users: [] });
    await after.refresh(tokens.refresh_token);

    await expect(after.server.verifyAccessToken(`${tokens.access_token}`)).rejects.toThrow("revoked");
  });

  it("keeps the refresh token while the login provider cannot tell", async () => {
    let isDown = true;
    const isStillValid = async () => {
      if (isDown) throw new Error("the directory is down");
      return true;
    };
    const unused = () => Promise.reject(new Error("unused"));
    const { after, tokens } = await restarted({ login: { start: unused, finish: unused, isStillValid } });

    expect((await after.refresh(tokens.refresh_token)).status).toBe(500);
    expect(after.errors).toMatchObject([{ message: "the directory is down" }]);
    isDown = false;
    expect((await after.refresh(tokens.refresh_token)).status).toBe(200);
  });

  it("keeps the login with a provider that is not asked", async () => {
    const unused = () => Promise.reject(new Error("unused"));
    const { after, tokens, browser } = await restarted({ login: { start: unused, finish: unused } });

    expect((await after.refresh(tokens.refresh_token)).status).toBe(200);
    await browser.authorize();
    expect(browser.page).toContain("The App");
  });
});

describe("revokeSubject", () => {
  it("ends tokens, codes and sessions of the subject from before", async () => {
    const server = new TestServer();
    const { body } = await server.redeem(await server.code());
    const code = await server.code();
    const browser = new TestBrowser(server);
    await browser.authorize();
    await browser.submit({ username: "alice", password: PASSWORD });

    await server.server.revokeSubject("alice");

    await expect(server.server.verifyAccessToken(`${body.access_token}`)).rejects.toThrow("revoked");
    expect(await server.refresh(body.refresh_token)).toMatchObject(INVALID_GRANT);
    expect(await server.redeem(code)).toMatchObject(INVALID_GRANT);
    const { code: late } = await browser.submit({ decision: "allow" });
    expect(await server.redeem(`${late}`)).toMatchObject(INVALID_GRANT);
    await browser.authorize();
    expect(browser.page).toContain('type="password"');
  });

  it("ends neither later logins nor other subjects", async () => {
    const server = new TestServer();
    const { body } = await server.redeem(await server.code());

    await server.server.revokeSubject("bob");
    expect(await server.server.verifyAccessToken(`${body.access_token}`)).toMatchObject({ subject: "alice" });

    await server.server.revokeSubject("alice");
    server.clock.now += 1;
    const { body: later } = await server.redeem(await server.code());
    expect((await server.refresh(later.refresh_token)).status).toBe(200);
  });
});

describe("revokeClient", () => {
  it("ends tokens of the client from before, those without a user too", async () => {
    const server = new TestServer();
    const { body } = await server.redeem(await server.code());
    const credentials = { grant_type: "client_credentials", resource: RESOURCE };
    const { body: own } = await server.service("/token", credentials);

    await server.server.revokeClient("service");
    expect(await server.server.verifyAccessToken(`${body.access_token}`)).toMatchObject({ clientId: "app" });
    await expect(server.server.verifyAccessToken(`${own.access_token}`)).rejects.toThrow("revoked");

    await server.server.revokeClient("app");
    expect(await server.refresh(body.refresh_token)).toMatchObject(INVALID_GRANT);
    server.clock.now += 1_000;
    const { body: next } = await server.service("/token", credentials);
    expect(await server.server.verifyAccessToken(`${next.access_token}`)).toMatchObject({ clientId: "service" });
  });

  it("lets a browser that is logged in approve the client again", async () => {
    const server = new TestServer();
    const browser = new TestBrowser(server);
    await browser.authorize();
    await browser.submit({ username: "alice", password: PASSWORD });
    await server.server.revokeClient("app");
    server.clock.now += 1;

    await browser.authorize();
    const { code } = await browser.submit({ decision: "allow" });
    expect((await server.redeem(`${code}`)).status).toBe(200);
  });

  it("deletes the registration", async () => {
    const server = new TestServer();
    const redirect_uris = ["http://127.0.0.1:4000/callback"];
    const init = { method: "POST", body: JSON.stringify({ redirect_uris, token_endpoint_auth_method: "none" }) };
    const headers = { "content-type": "application/json" };
    const { body } = await answerOf(await server.fetch("/register", { ...init, headers }));
    const client_id = `${body.client_id}`;

    await server.server.revokeClient(client_id);

    const browser = new TestBrowser(server);
    await browser.authorize({ client_id });
    expect(browser.page).toContain("not known here");
  });
});

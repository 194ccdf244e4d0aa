import { describe, expect, it } from "vitest";
import { ISSUER, REDIRECT } from "../authorization-server.fixture.js";
import { InMemoryAuthorizationStore } from "../in-memory-authorization-store.js";
import { CORP, upstreamTest } from "./upstream-login.fixture.js";
import type { UpstreamUser } from "./upstream-user.js";

describe("a rule about who may come in", () => {
  it("shows a page with its reason, and a way back that tells the client", async () => {
    const { logIn, browser } = upstreamTest(CORP, { allow: () => "Only <members> are allowed." });
    expect(await logIn()).toEqual({});
    expect(browser.status).toBe(403);
    expect(browser.page).toContain("Corp has logged you in as Ada, but this server does not let you in.");
    expect(browser.page).toContain("Only &lt;members&gt; are allowed.");
    const href = /<a href="([^"]*)">Go back to The App</.exec(browser.page)?.[1]?.replaceAll("&amp;", "&");
    expect(href?.startsWith(REDIRECT)).toBe(true);
    expect(Object.fromEntries(new URL(`${href}`).searchParams)).toMatchObject({ error: "access_denied", iss: ISSUER });
  });

  it("lets in for nothing but true", async () => {
    const { logIn, browser, providers } = upstreamTest(CORP, { allow: async () => false });
    providers.claims = { sub: "u-1" };
    await logIn();
    expect(browser.page).toContain("logged you in as u-1");
    expect(browser.page).toContain("Your account is not on its list.");
  });

  it("that never decides lets nobody in", async () => {
    const { logIn, test } = upstreamTest(CORP, { allow: () => new Promise(() => undefined), timeoutMs: 1_000 });
    expect(await logIn()).toMatchObject({ error: "server_error", error_description: "the login failed" });
    expect(test.errors.map(String)).toEqual(["SdkError: allow: no decision within 1000 ms"]);
  });

  it("is asked again at each refresh, with the user of the login, and ends the grant for anything but true", async () => {
    const asked: unknown[] = [];
    let decision: boolean | string = true;
    const allow = (user: UpstreamUser) => {
      asked.push([user.subject, user.email, user.claims.name]);
      return decision;
    };
    const { test, tokens, providers } = upstreamTest(CORP, { allow });
    providers.tokens = { expires_in: 1, refresh_token: "r" };
    const first = await tokens();
    const { body } = await test.refresh(first.refresh);
    const { status, body: again } = await test.refresh(body.refresh_token);
    expect(status).toBe(200);
    decision = "You have left.";
    expect(await test.refresh(again.refresh_token)).toMatchObject({
      status: 400,
      body: {
        error: "invalid_grant",
        error_description: "the user has lost access or has another password; log in again",
      },
    });
    expect(asked).toEqual(Array.from({ length: 4 }, () => ["u-1", "ada@corp.example", "Ada"]));
    await expect(test.server.verifyAccessToken(`${again.access_token}`)).rejects.toThrow("revoked");
  });

  it("that throws at a refresh refuses it, and the grant goes on", async () => {
    let isAway = false;
    const allow = () => (isAway ? Promise.reject(new Error("no database")) : true);
    const { test, tokens } = upstreamTest(CORP, { allow });
    const { refresh } = await tokens();
    isAway = true;
    expect((await test.refresh(refresh)).status).toBe(500);
    isAway = false;
    expect((await test.refresh(refresh)).status).toBe(200);
  });

  it("that cannot be asked, since the key of the user is lost, ends the grant", async () => {
    const store = new InMemoryAuthorizationStore({ now: () => Date.parse("2026-01-01T00:00:00Z") });
    const { refresh } = await upstreamTest(CORP, { allow: () => true }, store).tokens();
    const restarted = upstreamTest(CORP, { allow: () => true }, store);
    expect((await restarted.test.refresh(refresh)).body.error).toBe("invalid_grant");
  });

  it("needs claims of limited size", async () => {
    const { logIn, providers, failures } = upstreamTest(CORP, { allow: () => true });
    providers.claims = { ...providers.claims, groups: "g".repeat(65_536) };
    expect(await logIn()).toMatchObject({ error: "server_error" });
    expect(failures.map(String)).toEqual([expect.stringContaining("claims have more than 65536 characters")]);
  });

  it("that throws lets nobody in", async () => {
    const { logIn, test } = upstreamTest(CORP, { allow: () => Promise.reject(new Error("no database")) });
    expect(await logIn()).toMatchObject({ error: "server_error", error_description: "the login failed" });
    expect(test.errors).toEqual([new Error("no database")]);
  });
});

import { once } from "node:events";
import { request as requestHttp } from "node:http";
import { connect, Server } from "node:net";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type LoopbackRedirect, type LoopbackRedirectOptions, loopbackRedirect } from "./loopback-redirect.js";

const AUTHORIZE = new URL("https://auth.example.com/authorize?state=s1");
const open: LoopbackRedirect[] = [];

async function listen(options: Partial<LoopbackRedirectOptions> = {}): Promise<LoopbackRedirect> {
  const redirect = await loopbackRedirect({ open: () => undefined, ...options });
  open.push(redirect);
  return redirect;
}

afterEach(async () => {
  vi.useRealTimers();
  for (const redirect of open.splice(0)) await redirect.close();
});

const never = new AbortController().signal;

describe("a loopback redirect", () => {
  test("listens on this machine alone, at a free port", async () => {
    const { redirectUri } = await listen();
    expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  });

  test("keeps the process alive while a login waits, and no longer", async () => {
    const redirect = await listen();
    const [first, second] = [new AbortController(), new AbortController()];
    const unref = vi.spyOn(Server.prototype, "unref");
    onTestFinished(() => unref.mockRestore());
    const waiting = [first, second].map(({ signal }, index) => redirect.receive(AUTHORIZE, `s${index}`, signal));
    first.abort();
    await expect(waiting[0]).rejects.toThrow();
    expect(unref).not.toHaveBeenCalled();
    second.abort();
    await expect(waiting[1]).rejects.toThrow();
    expect(unref).toHaveBeenCalledOnce();
  });

  test("shows the URL of the login, and resolves with the answer", async () => {
    const shown: URL[] = [];
    const redirect = await listen({ path: "/done", open: (url) => void shown.push(url) });
    const answer = redirect.receive(AUTHORIZE, "s1", never);
    const response = await fetch(`${redirect.redirectUri}?code=c1&state=s1&iss=https%3A%2F%2Fauth.example.com`);
    expect(Object.fromEntries(await answer)).toEqual({ code: "c1", state: "s1", iss: "https://auth.example.com" });
    expect(shown).toEqual([AUTHORIZE]);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("return to the program");
  });

  test("answers with a page that is not kept, loads nothing, and repeats nothing", async () => {
    const redirect = await listen();
    const answer = redirect.receive(AUTHORIZE, "s1", never);
    const response = await fetch(`${redirect.redirectUri}?state=s1&error=<script>alert(1)</script>`);
    await answer;
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(await response.text()).not.toContain("script");
  });

  test("shows the page of the program", async () => {
    const redirect = await listen({ page: "<p>Welcome" });
    const answer = redirect.receive(AUTHORIZE, "s1", never);
    expect(await (await fetch(`${redirect.redirectUri}?state=s1`)).text()).toBe("<p>Welcome");
    await answer;
  });

  test("brings its page to the browser, also if the program closes it at once", async () => {
    // More than a socket takes at once.
    const page = "x".repeat(16_777_216);
    const redirect = await listen({ page });
    const closed = redirect.receive(AUTHORIZE, "s1", never).then(() => redirect.close());
    const response = await fetch(`${redirect.redirectUri}?state=s1`);
    expect(await response.text()).toHaveLength(page.length);
    await closed;
  });

  test("goes on waiting after a wrong state, a foreign path or another method", async () => {
    const redirect = await listen();
    const answer = redirect.receive(AUTHORIZE, "s1", never);
    const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status;
    expect(await status(`${redirect.redirectUri}?code=evil&state=s2`)).toBe(400);
    expect(await status(`${redirect.redirectUri}?code=evil`)).toBe(400);
    expect(await status(redirect.redirectUri)).toBe(400);
    expect(await status(new URL("/favicon.ico?state=s1", redirect.redirectUri).href)).toBe(404);
    expect(await status(`${redirect.redirectUri}?code=evil&state=s1`, { method: "POST" })).toBe(405);
    expect(await status(`${redirect.redirectUri}?code=c1&state=s1`)).toBe(200);
    expect((await answer).get("code")).toBe("c1");
    expect(await status(`${redirect.redirectUri}?code=c1&state=s1`)).toBe(400);
  });

  test("takes no answer for a name that somebody else made resolve to this machine", async () => {
    const redirect = await listen();
    const answer = redirect.receive(AUTHORIZE, "s1", never);
    const status = await new Promise((resolve, reject) => {
      const sent = requestHttp(`${redirect.redirectUri}?code=evil&state=s1`, { headers: { host: "evil.example" } });
      sent
        .on("response", (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end();
    });
    expect(status).toBe(400);
    await fetch(`${redirect.redirectUri}?code=c1&state=s1`);
    expect((await answer).get("code")).toBe("c1");
  });

  test("tells several logins apart by their state", async () => {
    const redirect = await listen();
    const answers = ["s1", "s2"].map((state) => redirect.receive(AUTHORIZE, state, never));
    await fetch(`${redirect.redirectUri}?code=c2&state=s2`);
    await fetch(`${redirect.redirectUri}?code=c1&state=s1`);
    expect((await Promise.all(answers)).map((answer) => answer.get("code"))).toEqual(["c1", "c2"]);
  });

  test("lets 16 logins wait, each with a state of its own", async () => {
    const redirect = await listen();
    const states = Array.from({ length: 16 }, (_, index) => `s${index}`);
    const logins = states.map((state) => ({ state, controller: new AbortController() }));
    const waiting = logins.map(({ state, controller }) => redirect.receive(AUTHORIZE, state, controller.signal));
    await expect(redirect.receive(AUTHORIZE, "one more", never)).rejects.toThrow("16 logins wait already");
    for (const { controller } of logins) controller.abort(new Error("enough"));
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(states.map(() => "rejected"));
    const first = redirect.receive(AUTHORIZE, "s1", never);
    await expect(redirect.receive(AUTHORIZE, "s1", never)).rejects.toThrow("waits already");
    await fetch(`${redirect.redirectUri}?state=s1`);
    await first;
  });

  test("gives a login up when its time is up", async () => {
    const redirect = await listen();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const answer = redirect.receive(AUTHORIZE, "s1", never);
    const late = expect(answer).rejects.toMatchObject({
      code: "authorization-failed",
      message: "nobody logged in within 300000 ms",
    });
    vi.advanceTimersByTime(300_000);
    await late;
  });

  test("gives a login up when its caller does, or the URL cannot be shown", async () => {
    const reason = new Error("changed my mind");
    const redirect = await listen();
    await expect(redirect.receive(AUTHORIZE, "s1", AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const answer = redirect.receive(AUTHORIZE, "s1", controller.signal);
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    const blind = await listen({ open: () => Promise.reject(new Error("no browser")) });
    await expect(blind.receive(AUTHORIZE, "s1", never)).rejects.toThrow("no browser");
  });

  test("lets the browser in while 40 connections say nothing", async () => {
    const redirect = await listen();
    const { port } = new URL(redirect.redirectUri);
    const idle = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
        onTestFinished(() => void socket.destroy());
        await once(socket, "connect");
        return socket;
      }),
    );
    const answer = redirect.receive(AUTHORIZE, "s1", never);
    expect((await fetch(`${redirect.redirectUri}?state=s1&code=c`)).status).toBe(200);
    expect((await answer).get("code")).toBe("c");
    await vi.waitUntil(() => idle.filter(({ closed }) => closed).length === 9);
  });

  test("ends its logins and its port when it is closed", async () => {
    const redirect = await listen();
    const answer = redirect.receive(AUTHORIZE, "s1", never);
    const ended = expect(answer).rejects.toMatchObject({
      code: "authorization-failed",
      message: expect.stringContaining("closed"),
    });
    await redirect[Symbol.asyncDispose]();
    await ended;
    await expect(redirect.receive(AUTHORIZE, "s1", never)).rejects.toThrow("is closed");
    await expect(fetch(redirect.redirectUri)).rejects.toThrow();
  });

  test("says which port or path cannot be used", async () => {
    const { redirectUri } = await listen();
    await expect(listen({ port: Number(new URL(redirectUri).port) })).rejects.toThrow("another process listens there");
    for (const path of ["callback", "/a?b", "/a#b", "/a b", "/é"]) {
      await expect(listen({ path })).rejects.toMatchObject({ code: "invalid-argument" });
    }
  });
});

test.each([undefined, {}])("says what to write instead of %j", async (options) => {
  await expect(loopbackRedirect(options as never)).rejects.toThrow("open: write loopbackRedirect({ open:");
});

import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import * as oauth from "oauth4webapi";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Fetch } from "../../transport/http/fetch-http.js";
import { type GuardOptions, guardedFetch } from "./guarded-fetch.js";

vi.mock("node:dns", async (original) => ({
  ...(await original<typeof import("node:dns")>()),
  /** Every name is this machine. */
  lookup: (_: string, __: unknown, callback: (error: null, found: unknown) => void) =>
    callback(null, [{ address: "127.0.0.1", family: 4 }]),
}));

/** A `fetch` that answers from a table of paths, and the URLs it was called with. */
function scripted(answer: (url: URL) => Response | Promise<Response>) {
  const calls: { url: string; headers: Record<string, string>; body: string | undefined }[] = [];
  const fetch: Fetch = async (url, { headers, body }) => {
    calls.push({ url: url.href, headers, body });
    return answer(url);
  };
  return { calls, fetch };
}

const redirect = (location: string, status = 302) => new Response(null, { status, headers: { location } });

function refused(problem: string) {
  return expect.objectContaining({ code: "authorization-failed", message: expect.stringContaining(problem) });
}

describe("a URL", () => {
  test.each([
    ["http://auth.example.com/", "https"],
    ["file:///etc/passwd", "https"],
    ["javascript:alert(1)", "https"],
    ["data:application/json,{}", "https"],
    ["https://user:hunter2@auth.example.com/", "credentials"],
    ["https://127.0.0.1/", "not a public address"],
    ["https://localhost/", "not a public address"],
    ["https://10.0.0.1/", "not a public address"],
    ["https://2130706433/", "not a public address"],
    ["https://[::ffff:10.0.0.1]/", "not a public address"],
    ["https://169.254.169.254/latest/meta-data", "not a public address"],
    ["https://metadata.google.internal/", "not a public address"],
    ["http://localhost:3000/", "not a public address"],
    ["not a URL", "absolute URL"],
  ])("%s is not called", async (url, problem) => {
    const { calls, fetch } = scripted(() => new Response("{}"));
    const call = guardedFetch({ fetch })(url);
    await expect(call).rejects.toEqual(refused(problem));
    await expect(call).rejects.not.toThrow("hunter2");
    expect(calls).toEqual([]);
  });

  test("of a private address is called where private addresses are allowed, of a forbidden one never", async () => {
    const { calls, fetch } = scripted(() => new Response("{}"));
    const guarded = guardedFetch({ fetch, allowPrivate: true });
    for (const url of ["http://localhost:3000/", "https://10.0.0.1/", "https://nas.local/"]) await guarded(url);
    expect(calls).toHaveLength(3);
    await expect(guarded("https://169.254.169.254/")).rejects.toEqual(refused("not a public address"));
    await expect(guarded("https://[fe80::1]/")).rejects.toEqual(refused("not a public address"));
  });

  test("of a private address is called where its host is listed, and no other host", async () => {
    const { calls, fetch } = scripted(() => new Response("{}"));
    const guarded = guardedFetch({ fetch, allowPrivate: ["10.0.0.1", "169.254.169.254"] });
    await guarded("https://10.0.0.1:8443/");
    expect(calls).toHaveLength(1);
    await expect(guarded("https://10.0.0.2/")).rejects.toEqual(refused("list it in allowPrivate"));
    await expect(guarded("https://169.254.169.254/")).rejects.toEqual(refused("not a public address"));
  });

  test("of the server that the user chose may be private, others of its machine may not", async () => {
    const { calls, fetch } = scripted(() => new Response("{}"));
    const guarded = guardedFetch({ fetch, trusted: new URL("https://10.0.0.1:8443/mcp") });
    await guarded("https://10.0.0.1:8443/.well-known/x");
    await expect(guarded("https://10.0.0.1/")).rejects.toEqual(refused("not a public address"));
    await expect(guarded("https://10.0.0.2:8443/")).rejects.toEqual(refused("not a public address"));
    expect(calls).toHaveLength(1);
  });

  test("is called with its method, headers and body", async () => {
    const { calls, fetch } = scripted(() => Response.json({ ok: true }, { headers: { "x-unknown": "1" } }));
    const response = await guardedFetch({ fetch })("https://auth.example.com/token?q=1", {
      method: "post",
      headers: { Accept: "application/json" },
      body: new URLSearchParams({ a: "b c" }),
    });
    expect(calls).toEqual([
      {
        url: "https://auth.example.com/token?q=1",
        headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded;charset=UTF-8" },
        body: "a=b+c",
      },
    ]);
    expect(await response.json()).toEqual({ ok: true });
    expect([...response.headers.keys()]).toEqual(["content-type"]);
  });

  test("is not called with a method that OAuth has no use for", async () => {
    const { fetch } = scripted(() => new Response());
    await expect(guardedFetch({ fetch })("https://h.example/", { method: "TRACE" })).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });

  test("keeps the content type that the caller gives", async () => {
    const { calls, fetch } = scripted(() => new Response());
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    await guardedFetch({ fetch })("https://h.example/", { method: "POST", headers, body: new URLSearchParams() });
    await guardedFetch({ fetch })("https://h.example/", { method: "POST", headers: new Headers(headers), body: "{}" });
    expect(calls.map((call) => call.headers)).toEqual([headers, headers]);
  });
});

describe("redirects", () => {
  test("are followed three times, and no more", async () => {
    const hops = (url: URL) => Number(url.searchParams.get("hops"));
    const { calls, fetch } = scripted((url) =>
      hops(url) === 0 ? new Response("end") : redirect(`https://h.example/?hops=${hops(url) - 1}`),
    );
    expect(await (await guardedFetch({ fetch })("https://h.example/?hops=3")).text()).toBe("end");
    expect(calls).toHaveLength(4);
    await expect(guardedFetch({ fetch })("https://h.example/?hops=4")).rejects.toEqual(
      refused("more than 3 redirects"),
    );
    await expect(guardedFetch({ fetch, maxRedirects: 0 })("https://h.example/?hops=1")).rejects.toEqual(
      refused("more than 0 redirects"),
    );
  });

  test("in a loop end", async () => {
    const { calls, fetch } = scripted((url) => redirect(url.href));
    await expect(guardedFetch({ fetch })("https://h.example/")).rejects.toEqual(refused("redirects"));
    expect(calls).toHaveLength(4);
  });

  test.each([
    ["http://h.example/", "without https"],
    ["http://localhost/", "without https"],
    ["https://169.254.169.254/", "not a public address"],
    ["https://[::1]/", "not a public address"],
    ["file:///etc/passwd", "without https"],
  ])("to %s are refused", async (location, problem) => {
    const { calls, fetch } = scripted(() => redirect(location));
    await expect(guardedFetch({ fetch })("https://h.example/")).rejects.toEqual(refused(problem));
    expect(calls).toHaveLength(1);
  });

  test("from a loopback host may stay without https", async () => {
    const { fetch } = scripted((url) => (url.pathname === "/a" ? redirect("/b", 308) : new Response("end")));
    const response = await guardedFetch({ fetch, allowPrivate: true })("http://localhost:1/a");
    expect(await response.text()).toBe("end");
  });

  test("to another origin lose the credentials, on the same they keep them", async () => {
    const targets = new Map([
      ["https://one.example/a", "/b"],
      ["https://one.example/b", "https://two.example/"],
    ]);
    const { calls, fetch } = scripted((url) => {
      const target = targets.get(url.href);
      return target === undefined ? new Response() : redirect(target);
    });
    const headers = { authorization: "Bearer secret", cookie: "a=b", dpop: "proof", accept: "application/json" };
    await guardedFetch({ fetch })("https://one.example/a", { headers });
    expect(calls.map((call) => call.headers)).toEqual([headers, headers, { accept: "application/json" }]);
  });

  test("of a POST are left to the caller, since they may repeat credentials", async () => {
    const { calls, fetch } = scripted(() => redirect("https://two.example/", 307));
    const response = await guardedFetch({ fetch })("https://one.example/", { method: "POST", body: "secret" });
    expect([response.status, response.headers.get("location")]).toEqual([307, "https://two.example/"]);
    expect(calls).toHaveLength(1);
  });

  test("are left to a caller who asks for it, or refused", async () => {
    const { fetch } = scripted(() => redirect("https://two.example/"));
    expect((await guardedFetch({ fetch })("https://one.example/", { redirect: "manual" })).status).toBe(302);
    await expect(guardedFetch({ fetch })("https://one.example/", { redirect: "error" })).rejects.toEqual(
      refused("more than 0 redirects"),
    );
  });

  test("without a place to go to are the response that they are", async () => {
    const { fetch } = scripted(() => new Response("here", { status: 300 }));
    expect((await guardedFetch({ fetch })("https://one.example/")).status).toBe(300);
    const bare = scripted(() => new Response(null, { status: 302 }));
    expect((await guardedFetch({ fetch: bare.fetch })("https://one.example/")).status).toBe(302);
  });

  test("reach no address that may not be called, wherever they lead", async () => {
    const hosts = ["a.example", "b.example", "localhost", "10.0.0.1", "[::1]", "[fe80::1]", "2130706433", "a.internal"];
    const location = fc.tuple(fc.constantFrom("https", "http"), fc.constantFrom(...hosts));
    await fc.assert(
      fc.asyncProperty(fc.array(location, { minLength: 1, maxLength: 5 }), async (steps) => {
        const urls = steps.map(([protocol, host]) => `${protocol}://${host}/`);
        const { calls, fetch } = scripted(() => redirect(urls[calls.length] ?? "https://a.example/"));
        await expect(guardedFetch({ fetch })(urls[0] as string)).rejects.toEqual(refused("refused"));
        for (const { url } of calls) expect(url).toMatch(/^https:\/\/[ab]\.example\/$/);
        expect(calls.length).toBeLessThanOrEqual(4);
      }),
    );
  });
});

describe("a response", () => {
  test("may be as long as the limit, and no longer", async () => {
    const { fetch } = scripted(() => new Response("x".repeat(100)));
    const get = (options: GuardOptions) => guardedFetch({ fetch, ...options })("https://h.example/");
    expect(await (await get({ maxBytes: 100 })).text()).toHaveLength(100);
    await expect(get({ maxBytes: 99 })).rejects.toEqual(refused("more than 99 bytes"));
  });

  test("is a mebibyte at most by default, also if it never ends", async () => {
    let sent = 0;
    const endless = () =>
      new ReadableStream({
        pull(stream) {
          sent += 65_536;
          stream.enqueue(new Uint8Array(65_536));
        },
      });
    const { fetch } = scripted(() => new Response(endless()));
    await expect(guardedFetch({ fetch })("https://h.example/")).rejects.toEqual(refused("more than 1048576 bytes"));
    expect(sent).toBeLessThan(2 * 1_048_576);
  });

  test.each([204, 304])("of status %i has no body", async (status) => {
    const { fetch } = scripted(() => new Response(null, { status }));
    expect((await guardedFetch({ fetch })("https://h.example/")).body).toBeNull();
  });

  test("that is none is refused", async () => {
    const { fetch } = scripted(() => Response.error());
    await expect(guardedFetch({ fetch })("https://h.example/")).rejects.toEqual(refused("status 0"));
  });

  test("that breaks off, or does not come, is an error that names the call and not its query", async () => {
    const broken = () =>
      new ReadableStream({ pull: (stream) => stream.error(new Error("connection lost")) }, { highWaterMark: 0 });
    const half = scripted(() => new Response(broken()));
    await expect(guardedFetch({ fetch: half.fetch })("https://h.example/a?code=secret")).rejects.toEqual(
      refused("GET https://h.example/a: connection lost"),
    );
    const none = scripted(() => Promise.reject(new TypeError("fetch failed")));
    await expect(guardedFetch({ fetch: none.fetch })("https://h.example/a?code=secret")).rejects.toEqual(
      refused("GET https://h.example/a: fetch failed"),
    );
  });
});

describe("a call", () => {
  const never = () => new Promise<Response>(() => undefined);

  test("ends when its time is up, also if the fetch of the application does not", async () => {
    vi.useFakeTimers();
    try {
      const call = guardedFetch({ fetch: scripted(never).fetch })("https://h.example/");
      const ended = expect(call).rejects.toEqual(refused("no answer within 10000 ms"));
      await vi.advanceTimersByTimeAsync(10_000);
      await ended;
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("ends when its caller aborts it, before or after it has begun", async () => {
    const { calls, fetch } = scripted(never);
    const reason = new Error("changed my mind");
    await expect(guardedFetch({ fetch })("https://h.example/", { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(calls).toEqual([]);
    const controller = new AbortController();
    const call = guardedFetch({ fetch })("https://h.example/", { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(calls).toHaveLength(1);
  });
});

describe("on Node", () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    }
  });

  async function listen(listener: RequestListener): Promise<number> {
    const server = createServer(listener);
    servers.push(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    return (server.address() as AddressInfo).port;
  }

  test("a name that resolves to a private address is not connected to", async () => {
    const port = await listen((_, response) => response.end());
    await expect(guardedFetch()(`https://rebound.example:${port}/`)).rejects.toEqual(
      refused("rebound.example resolves to 127.0.0.1, which is not a public address"),
    );
  });

  test("the name that the user chose may resolve to a private address, another one may not", async () => {
    const port = await listen((_, response) => response.end());
    const guarded = guardedFetch({ trusted: new URL(`https://chosen.example:${port}/mcp`) });
    // The server is reached, and speaks no TLS.
    await expect(guarded(`https://chosen.example:${port}/`)).rejects.not.toThrow("not a public address");
    await expect(guarded(`https://other.example:${port}/`)).rejects.toEqual(refused("not a public address"));
  });

  test("a name that is listed may resolve to a private address, another one may not", async () => {
    const port = await listen((_, response) => response.end());
    const guarded = guardedFetch({ allowPrivate: ["login.corp.example"] });
    // The server is reached, and speaks no TLS.
    await expect(guarded(`https://login.corp.example:${port}/`)).rejects.not.toThrow("not a public address");
    await expect(guarded(`https://other.example:${port}/`)).rejects.toEqual(refused("list it in allowPrivate"));
  });

  test("a local server is called where private addresses are allowed", async () => {
    const port = await listen((request, response) => {
      if (request.url === "/a") response.writeHead(302, { location: "/b" }).end();
      else response.writeHead(200, { "content-type": "application/json" }).end('{"path":"/b"}');
    });
    const response = await guardedFetch({ allowPrivate: true })(`http://localhost:${port}/a`);
    expect(await response.json()).toEqual({ path: "/b" });
  });

  test("a server that never answers is given up", async () => {
    const port = await listen(() => undefined);
    const guarded = guardedFetch({ allowPrivate: true, timeoutMs: 50 });
    await expect(guarded(`http://127.0.0.1:${port}/`)).rejects.toEqual(refused("no answer within 50 ms"));
  });

  test("a server that nobody runs is an error with advice", async () => {
    await expect(guardedFetch({ allowPrivate: true })("http://127.0.0.1:1/")).rejects.toEqual(
      refused("nothing listens"),
    );
  });

  test("oauth4webapi and its discovery use the guard", async () => {
    const port = await listen((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ issuer: `http://127.0.0.1:${port}` }));
    });
    const issuer = new URL(`http://127.0.0.1:${port}`);
    const discover = (allowPrivate: boolean) =>
      oauth.discoveryRequest(issuer, {
        algorithm: "oauth2",
        [oauth.customFetch]: guardedFetch({ allowPrivate }),
        [oauth.allowInsecureRequests]: true,
      });
    await expect(discover(false)).rejects.toEqual(refused("not a public address"));
    const server = await oauth.processDiscoveryResponse(issuer, await discover(true));
    expect(server.issuer).toBe(`http://127.0.0.1:${port}`);
  });
});

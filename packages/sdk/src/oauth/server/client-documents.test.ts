import { describe, expect, it, vi } from "vitest";
import { authorizePath, REDIRECT, TestBrowser, TestServer } from "./authorization-server.fixture.js";

const URL_ID = "https://client.example/metadata.json";
const DOCUMENT = { client_id: URL_ID, client_name: "Documented", redirect_uris: [REDIRECT] };

interface Web {
  readonly test: TestServer;
  readonly calls: string[];
}

function web(respond: (url: string) => Response | Promise<Response>, options: object = {}): Web {
  const calls: string[] = [];
  const fetch = async (url: string | URL | Request) => {
    calls.push(`${url}`);
    return respond(`${url}`);
  };
  return { test: new TestServer({ fetch, ...options }), calls };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}

async function authorize({ test }: Web, client_id = URL_ID): Promise<TestBrowser> {
  const browser = new TestBrowser(test);
  await browser.authorize({ client_id });
  return browser;
}

describe("a client id that is a URL", () => {
  it("is looked up there, and the page shows whose host vouches for the name", async () => {
    const browser = await authorize(web(() => Response.json(DOCUMENT)));
    expect(browser.page).toContain("Log in to continue to Documented");
    await browser.submit({ username: "alice", password: "correct horse battery staple" });
    expect(browser.page).toContain("described by <strong>client.example</strong>");
  });

  it.each<[string, object, string]>([
    ["another client_id", { client_id: `${URL_ID}x` }, "client_id is not the URL of the document"],
    ["no client_id", { client_id: undefined }, "client_id is not the URL of the document"],
    ["a secret", { client_secret: "x" }, "it must not contain client_secret"],
    ["no name", { client_name: undefined }, "client_name is missing"],
    ["no redirect URI", { redirect_uris: undefined }, "redirect_uris must have at least one item"],
    [
      "authentication by a secret",
      { token_endpoint_auth_method: "client_secret_basic" },
      "must be none or private_key_jwt",
    ],
  ])("with %s in its document is refused in the browser", async (_fault, change, reason) => {
    const browser = await authorize(web(() => Response.json({ ...DOCUMENT, ...change })));
    expect([browser.status, browser.location]).toEqual([401, null]);
    expect(browser.page).toContain(reason);
  });

  it("whose document cannot be fetched is refused without the reason", async () => {
    for (const respond of [
      () => Promise.reject(new Error("getaddrinfo ENOTFOUND db.internal")),
      () => new Response("no", { status: 404 }),
      () => new Response("<html>"),
      () => new Response(null, { status: 302, headers: { location: "https://other.example/metadata.json" } }),
    ]) {
      const browser = await authorize(web(respond));
      expect([browser.status, browser.location]).toEqual([401, null]);
      expect(browser.page).toContain("it could not be fetched");
    }
  });

  it.each([
    "https://169.254.169.254/latest/meta-data",
    "https://[fe80::1]/metadata.json",
    "https://10.0.0.1/metadata.json",
    "https://127.0.0.1/metadata.json",
  ])("at %s is not fetched", async (url) => {
    const host = web(() => Response.json({ ...DOCUMENT, client_id: url }));
    const browser = await authorize(host, url);
    expect([browser.status, host.calls]).toEqual([401, []]);
  });

  it.each([
    "http://client.example/metadata.json",
    "https://client.example",
    "https://client.example/",
    "https://client.example/a#b",
    "https://user@client.example/a",
    "https://user:pw@client.example/a",
    "https://client.example/a/../b",
    "https://",
  ])("such as %s is no document", async (url) => {
    const host = web(() => Response.json({ ...DOCUMENT, client_id: url }));
    const browser = await authorize(host, url);
    expect([browser.status, host.calls]).toEqual([400, []]);
  });

  it("is nobody where documents are switched off", async () => {
    const host = web(() => Response.json(DOCUMENT), { clientDocuments: false });
    expect((await authorize(host)).status).toBe(400);
    expect(host.calls).toEqual([]);
    expect(host.test.server.metadata.client_id_metadata_document_supported).toBe(false);
  });

  it("that is longer than any is not fetched", async () => {
    const host = web(() => Response.json(DOCUMENT));
    expect((await authorize(host, `https://client.example/${"x".repeat(2_048)}`)).status).toBe(400);
    expect(host.calls).toEqual([]);
  });
});

describe("a document", () => {
  it.each([
    ["five minutes without a header", undefined, 300_000],
    ["as long as max-age says", "public, max-age=60", 60_000],
    ["at most a day", "max-age=999999999", 86_400_000],
  ])("is kept for %s", async (_time, header, ms) => {
    const host = web(() =>
      Response.json(DOCUMENT, header === undefined ? {} : { headers: { "cache-control": header } }),
    );
    await authorize(host);
    host.test.clock.now += ms - 1;
    await authorize(host);
    expect(host.calls).toHaveLength(1);
    host.test.clock.now += 1;
    await authorize(host);
    expect(host.calls).toHaveLength(2);
  });

  it.each(["no-store", "no-cache"])("is not kept under %s", async (header) => {
    const host = web(() => Response.json(DOCUMENT, { headers: { "cache-control": header } }));
    await authorize(host);
    await authorize(host);
    expect(host.calls).toHaveLength(2);
  });

  it("is fetched once for all who ask meanwhile", async () => {
    const gate = deferred();
    const host = web(async () => {
      await gate.promise;
      return Response.json(DOCUMENT);
    });
    const browsers = [authorize(host), authorize(host)];
    gate.resolve();
    expect((await Promise.all(browsers)).map(({ status }) => status)).toEqual([200, 200]);
    expect(host.calls).toHaveLength(1);
  });

  it("is not fetched while 64 others are", async () => {
    const gate = deferred();
    const host = web(
      async (client_id) => {
        await gate.promise;
        return Response.json({ ...DOCUMENT, client_id });
      },
      { loginRate: { perSecond: 1_000, burst: 1_000 } },
    );
    const busy = Array.from({ length: 64 }, (_, index) => authorize(host, `https://client.example/${index}`));
    const refused = await authorize(host, "https://client.example/64");
    expect(refused.status).toBe(503);
    gate.resolve();
    expect((await Promise.all(busy)).every(({ status }) => status === 200)).toBe(true);
    expect((await authorize(host, "https://client.example/64")).status).toBe(200);
  });

  it("is fetched for one network although another hangs 64 fetches, which loses its oldest", async () => {
    const gate = deferred();
    const host = web(
      async (client_id) => {
        if (client_id.includes("slow")) await gate.promise;
        return Response.json({ ...DOCUMENT, client_id });
      },
      { loginRate: { perSecond: 1_000, burst: 1_000 } },
    );
    const from = (address: string, client_id: string) => host.test.fetch(authorizePath({ client_id }), {}, address);
    const busy = Array.from({ length: 64 }, (_, index) =>
      from(`203.0.113.${index}`, `https://slow.example/${index}`).then(({ status }) => status),
    );
    // The fetch that another network waits for too counts for that network.
    const shared = from("192.0.2.1", "https://slow.example/0");
    const first = from("198.51.100.1", "https://client.example/one");
    expect((await first).status).toBe(200);
    expect(await busy[1]).toBe(503);
    const last = from("203.0.113.9", "https://slow.example/last");
    expect((await from("203.0.113.9", "https://slow.example/more")).status).toBe(503);

    gate.resolve();
    expect((await last).status).toBe(200);
    expect((await shared).status).toBe(200);
    expect((await Promise.all(busy)).filter((status) => status === 503)).toHaveLength(1);
  });

  it("is fetched while one address lets as many others hang as its rate allows", async () => {
    vi.useFakeTimers();
    try {
      const hung = new Promise<Response>(() => undefined);
      const host = web(async (client_id) =>
        client_id.includes("hangs") ? hung : Response.json({ ...DOCUMENT, client_id }),
      );
      for (let index = 0; index < 180; index++) {
        void host.test.fetch(authorizePath({ client_id: `https://hangs.example/${index}` }), {}, "198.51.100.1");
        host.test.clock.now += 100;
        await vi.advanceTimersByTimeAsync(100);
      }
      expect((await authorize(host, "https://client.example/other")).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });
});

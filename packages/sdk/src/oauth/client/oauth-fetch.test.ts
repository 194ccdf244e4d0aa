import { afterEach, describe, expect, it, vi } from "vitest";
import { InMemoryCredentialStore } from "./credential-store.js";
import { oauth } from "./oauth.js";
import { oauthFetch } from "./oauth-fetch.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("calls the platform's fetch, and hands on what OAuth has no part in", async () => {
  const statuses = [200, 403];
  vi.stubGlobal("fetch", async () => new Response("page", { status: statuses.shift() ?? 500 }));
  const fetch = oauthFetch(oauth(), "https://mcp.example.com/mcp");
  expect(await (await fetch("https://mcp.example.com/mcp")).text()).toBe("page");
  expect((await fetch("https://mcp.example.com/mcp")).status).toBe(403);
});

it("refuses a resource without TLS", () => {
  expect(() => oauthFetch(oauth(), "http://mcp.example.com/mcp")).toThrow("without TLS");
});

describe("a redirect", () => {
  const RESOURCE = "https://mcp.example.com/mcp";

  /** Sends a request with a stored token to sites that answer by path, and returns what they saw. */
  async function visit(sites: Record<string, () => Response>, init: RequestInit = {}) {
    const seen: string[] = [];
    const send: typeof globalThis.fetch = async (input) => {
      const request = input as Request;
      const { pathname } = new URL(request.url);
      const shown = ["authorization", "cookie", "content-type"].map((name) => request.headers.get(name) ?? "-");
      seen.push([request.method, pathname, ...shown, await request.text()].join(" "));
      return sites[pathname]?.() ?? new Response("end");
    };
    const store = new InMemoryCredentialStore();
    vi.spyOn(store, "get").mockResolvedValue(
      JSON.stringify({
        ...{ issuer: "https://login.example.com", clientId: "c", resource: RESOURCE, accessToken: "secret" },
        ...{ scheme: "Bearer", scopes: [], requestedScopes: [], login: "l" },
      }),
    );
    const fetch = oauthFetch(oauth({ store }), RESOURCE, { fetch: send });
    const outcome = await fetch(RESOURCE, init).then(
      async (response) => `${response.status} ${await response.text()}`,
      (error: unknown) => String(error),
    );
    return { seen, outcome };
  }
  const to = (location: string, status = 307) => new Response(null, { status, headers: { location } });
  const post = { method: "POST", body: "text", headers: { cookie: "c=1", "content-type": "text/plain" } };

  it("below the resource takes the token and the body along", async () => {
    const { seen, outcome } = await visit({ "/mcp": () => to("/mcp/next") }, post);
    expect(seen).toEqual([
      "POST /mcp Bearer secret c=1 text/plain text",
      "POST /mcp/next Bearer secret c=1 text/plain text",
    ]);
    expect(outcome).toBe("200 end");
  });

  it("to another path of the origin leaves the token behind, and to another origin all credentials", async () => {
    expect((await visit({ "/mcp": () => to("/other") }, post)).seen[1]).toBe("POST /other - c=1 text/plain text");
    const elsewhere = await visit({ "/mcp": () => to("https://elsewhere.example/x") }, post);
    expect(elsewhere.seen[1]).toBe("POST /x - - text/plain text");
  });

  it.each([
    [301, "POST", "GET /other - c=1 - "],
    [302, "POST", "GET /other - c=1 - "],
    [303, "PUT", "GET /other - c=1 - "],
    [308, "PUT", "PUT /other - c=1 text/plain text"],
    [302, "PUT", "PUT /other - c=1 text/plain text"],
  ])("with status %i makes of a %s what fetch makes of it", async (status, method, next) => {
    expect((await visit({ "/mcp": () => to("/other", status) }, { ...post, method })).seen[1]).toBe(next);
  });

  it("with status 303 leaves a HEAD request as it is", async () => {
    const { seen } = await visit({ "/mcp": () => to("/other", 303) }, { method: "HEAD" });
    expect(seen[1]).toBe("HEAD /other - - - ");
  });

  it("is handed on where the caller asks for that, and where it leads nowhere", async () => {
    expect((await visit({ "/mcp": () => to("/other") }, { redirect: "manual" })).outcome).toBe("307 ");
    expect((await visit({ "/mcp": () => new Response(null, { status: 307 }) })).outcome).toBe("307 ");
  });

  it("is followed 20 times", async () => {
    const { seen, outcome } = await visit({ "/mcp": () => to("/mcp") });
    expect(seen).toHaveLength(21);
    expect(outcome).toContain("more than 20 redirects");
  });

  it("that a browser hides fails", async () => {
    const hidden = () => Object.defineProperty(new Response(), "type", { value: "opaqueredirect" });
    expect((await visit({ "/mcp": hidden })).outcome).toContain("request the target itself");
  });
});

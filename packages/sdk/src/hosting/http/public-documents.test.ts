import { describe, expect, it } from "vitest";
import { McpServer } from "../../server/mcp-server.js";
import { listen } from "../node/node-host.fixture.js";
import { createFetchHandler } from "../web/fetch-handler.js";
import { HttpRefusal } from "./http-refusal.js";
import { call } from "./modern-requests.fixture.js";
import type { ResourceGate } from "./resource-gate.js";

const PATH = "/.well-known/oauth-protected-resource/mcp";

const gate: ResourceGate = {
  ready: async () => {},
  documents: new Map([[PATH, '{"resource":"https://mcp.example.com/mcp"}']]),
  requiredScopes: [],
  authenticate: () => {
    throw new HttpRefusal(401);
  },
};

describe.each(["node", "web"])("a document of the gate on %s", (host) => {
  async function open(): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
    if (host === "node") {
      const { http } = await listen({ authorization: gate });
      return (path, init) => fetch(new URL(path, http.url), init);
    }
    const handler = createFetchHandler(new McpServer({ name: "s", version: "1.0.0" }), { authorization: gate });
    return (path, init) => handler(new Request(`http://localhost${path}`, init));
  }

  it("is read by anybody without a token, from any origin", async () => {
    const ask = await open();
    const answer = await ask(PATH, { headers: { origin: "https://page.example" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(await answer.json()).toEqual({ resource: "https://mcp.example.com/mcp" });
    expect((await ask("/mcp", call("hi"))).status).toBe(401);
  });

  it("answers HEAD and preflights, and no other verb", async () => {
    const ask = await open();
    expect((await ask(PATH, { method: "HEAD" })).status).toBe(200);
    const preflight = await ask(PATH, { method: "OPTIONS", headers: { origin: "https://page.example" } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("*");
    const posted = await ask(PATH, { method: "POST" });
    expect(posted.status).toBe(405);
    expect(posted.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  });
});

it("a gate that is not ready keeps serveHttp from listening", async () => {
  const authorization = { ...gate, ready: () => Promise.reject(new Error("no issuer")) };
  await expect(listen({ authorization })).rejects.toThrow("no issuer");
});

it("a gate and authenticate exclude each other", async () => {
  const both = { authorization: gate, authenticate: () => ({}) };
  await expect(listen(both)).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringMatching(/give one of them/),
  });
});

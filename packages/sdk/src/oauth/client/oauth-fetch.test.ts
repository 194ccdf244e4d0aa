import { afterEach, expect, it, vi } from "vitest";
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

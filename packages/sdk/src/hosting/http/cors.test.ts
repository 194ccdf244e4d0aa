import { expect, it } from "vitest";
import { McpServer } from "../../server/mcp-server.js";
import { createFetchHandler } from "../web/fetch-handler.js";
import type { CorsOptions } from "./cors.js";
import { call, withEnvelope } from "./modern-requests.fixture.js";

const PAGE = "https://app.example";

function handlerWith(cors: CorsOptions) {
  const server = new McpServer({ name: "s", version: "1.0.0" });
  server.tool("hi", {}, async (_args, context) => {
    await context.progress(1);
    return "hi";
  });
  return createFetchHandler(server, { cors });
}

function preflight(headers: Record<string, string>): Request {
  return new Request("http://localhost/mcp", {
    method: "OPTIONS",
    headers: { "access-control-request-method": "POST", ...headers },
  });
}

const asked = "content-type, mcp-method, Mcp-Param-Region, traceparent, x-own, x-other";

it("answers a preflight with what the page may send", async () => {
  const handler = handlerWith({ origins: [PAGE], headers: ["X-Own"], maxAgeSeconds: 60 });
  const response = await handler(preflight({ origin: PAGE, "access-control-request-headers": asked }));
  expect(response.status).toBe(204);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "access-control-allow-origin": PAGE,
    "access-control-allow-methods": "POST, GET, DELETE",
    "access-control-allow-headers": "content-type, mcp-method, mcp-param-region, traceparent, x-own",
    "access-control-max-age": "60",
    vary: "Origin",
  });
});

it("answers a preflight that asks for no headers, and pages of any origin if told to", async () => {
  const response = await handlerWith({ origins: "any" })(preflight({ origin: "https://who.example" }));
  expect(response.status).toBe(204);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.get("access-control-allow-headers")).toBe("");
  expect(response.headers.get("access-control-max-age")).toBe("7200");
});

it("refuses the preflight of a page that is not listed", async () => {
  const response = await handlerWith({ origins: [PAGE] })(preflight({ origin: "https://evil.example" }));
  expect(response.status).toBe(403);
  expect(response.headers.has("access-control-allow-origin")).toBe(false);
});

it("takes OPTIONS that is no preflight for a verb like any other", async () => {
  const response = await handlerWith({ origins: [PAGE] })(new Request("http://localhost/", { method: "OPTIONS" }));
  expect(response.status).toBe(405);
});

it.each([{}, { progressToken: 1 }])("lets a page read the answer and its headers (%j)", async (meta) => {
  const posted = call("hi", {}, { origin: PAGE });
  const body = JSON.parse(posted.body);
  body.params = withEnvelope({ name: "hi" }, meta);
  const request = new Request("http://localhost/mcp", { ...posted, body: JSON.stringify(body) });
  const response = await handlerWith({ origins: [PAGE] })(request);
  expect(response.status).toBe(200);
  expect(response.headers.get("access-control-allow-origin")).toBe(PAGE);
  expect(response.headers.get("access-control-expose-headers")).toContain(
    "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, DPoP-Nonce",
  );
  expect(await response.text()).toContain('"hi"');
});

it("adds nothing where no page asks", async () => {
  const response = await handlerWith({ origins: [PAGE] })(new Request("http://localhost/mcp", call("hi")));
  expect(response.headers.has("access-control-allow-origin")).toBe(false);
});

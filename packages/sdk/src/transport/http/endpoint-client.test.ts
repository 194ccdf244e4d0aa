import { expect, it } from "vitest";
import type { TransportReceiver } from "../transport.js";
import type { HttpAuthorization } from "./http-client-options.js";
import { HttpTransport } from "./http-transport.js";
import { SseClientTransport } from "./sse-client-transport.js";

const URL_OF_SERVER = "https://mcp.example.com/mcp";

/** An authorization that adds a header, and lets each call wait for a login. */
function authorization(): HttpAuthorization & { readonly logins: Promise<unknown>[] } {
  const logins: Promise<unknown>[] = [];
  return {
    logins,
    authorize: (_url, http) => async (call) => {
      const login = Promise.resolve();
      logins.push(login);
      call.controller.hold(login);
      await login;
      return http({ ...call, headers: { ...call.headers, authorization: "Bearer token" } });
    },
    identity: async () => "login-1",
  };
}

it("wraps the calls of a connection, names their identity to caches alone, and tells the dispatcher who waits", async () => {
  const sent: Record<string, string>[] = [];
  const fetch = async (_url: URL, init: { headers: Record<string, string>; body?: string }) => {
    sent.push(init.headers);
    const { id } = JSON.parse(init.body ?? "{}");
    return id === undefined ? new Response(null, { status: 202 }) : Response.json({ jsonrpc: "2.0", id, result: {} });
  };
  const auth = authorization();
  const headers = { Authorization: "Bearer own", "x-own": "1" };
  const transport = new HttpTransport(URL_OF_SERVER, { fetch, headers, authorization: auth });
  const held: unknown[] = [];
  const receiver: TransportReceiver = {
    receive: () => undefined,
    receiveUnparsable: () => undefined,
    closed: () => undefined,
    held: (id, until) => held.push([id, until]),
  };
  transport.start(receiver);
  const connectionHeaders = (await transport.connectionHeaders()) ?? {};
  await transport.send({ jsonrpc: "2.0", id: 7, method: "tools/list" }, { connectionHeaders });
  await transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  await transport.close();

  expect(connectionHeaders).toEqual({ ...headers, ":identity": "login-1" });
  expect(sent[0]).toMatchObject({ authorization: "Bearer token", "x-own": "1" });
  expect(sent.every((fields) => !(":identity" in fields))).toBe(true);
  expect(held).toEqual([[7, auth.logins[0]]]);
});

it("does the same over HTTP+SSE", async () => {
  const sent: (string | undefined)[] = [];
  const fetch = async (_url: URL, { method, headers }: { method: string; headers: Record<string, string> }) => {
    sent.push(headers.authorization);
    const events = "event: endpoint\ndata: /messages\n\n: the stream stays open";
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(events)) });
    const isStream = method === "GET";
    return isStream
      ? new Response(body, { headers: { "content-type": "text/event-stream" } })
      : new Response(null, { status: 202 });
  };
  const auth = authorization();
  const transport = new SseClientTransport(URL_OF_SERVER, { fetch, authorization: auth });
  const held: unknown[] = [];
  await transport.start({
    receive: () => undefined,
    receiveUnparsable: () => undefined,
    closed: () => undefined,
    held: (id, until) => held.push([id, until]),
  });
  await transport.send({ jsonrpc: "2.0", id: 7, method: "tools/list" });
  transport.close();

  expect(sent).toEqual(["Bearer token", "Bearer token"]);
  expect(held).toEqual([[7, auth.logins[1]]]);
});

it("has the headers alone without an authorization", async () => {
  expect(await new HttpTransport(URL_OF_SERVER, { headers: { a: "b" } }).connectionHeaders()).toEqual({ a: "b" });
});

import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { McpServer } from "../../server/mcp-server.js";
import type { AccessLogEntry } from "../http/access-log.js";
import { HttpEndpoint } from "../http/http-endpoint.js";
import type { HttpRequest } from "../http/http-host.js";
import { call, POST_HEADERS } from "../http/modern-requests.fixture.js";
import { ConnectionOutputs } from "./connection-output.js";
import { serveAtEndOfTick } from "./end-of-tick-queue.js";
import { createNodeHandler, type NodeHandler, type NodeHandlerOptions } from "./node-handler.js";
import { RawClient, rawPost, send } from "./node-host.fixture.js";
import { NodeRequest } from "./node-request.js";

function handlerWith(options?: NodeHandlerOptions): { handler: NodeHandler; callers: unknown[]; errors: Error[] } {
  const errors: Error[] = [];
  const callers: unknown[] = [];
  const server = new McpServer({ name: "s", version: "1.0.0", onError: (error) => void errors.push(error) });
  server.tool("hi", {}, (_args, context) => {
    callers.push(context.caller?.principal, context.caller?.headers);
    return "hello";
  });
  const handler = createNodeHandler(server, options);
  onTestFinished(() => handler.close());
  return { handler, callers, errors };
}

async function mount(listener: RequestListener): Promise<string> {
  const http = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void http.close().closeAllConnections());
  await new Promise((resolve) => http.once("listening", resolve));
  // It listens on a port.
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/any/path`;
}

it("is a request listener, on every path", async () => {
  const { handler } = handlerWith();
  const url = await mount(handler);
  expect((await fetch(url, call("hi"))).status).toBe(200);
  expect((await fetch(url, { method: "PATCH" })).status).toBe(405);
});

it("takes a body that a framework has parsed, as an argument or on the request", async () => {
  const { handler } = handlerWith();
  const parse = async (request: IncomingMessage) => JSON.parse(Buffer.concat(await request.toArray()).toString());
  const asArgument = await mount(async (request, response) => handler(request, response, await parse(request)));
  const asMember = await mount(async (request, response) => {
    handler(Object.assign(request, { body: await parse(request) }), response);
  });
  const withNext = await mount(async (request, response) => {
    handler(Object.assign(request, { body: await parse(request) }), response, () => {});
  });
  for (const url of [asArgument, asMember, withNext]) expect((await fetch(url, call("hi"))).status).toBe(200);
});

it("names the remedy if a framework has read the body and kept it to itself", async () => {
  const { handler, errors } = handlerWith();
  const url = await mount(async (request, response) => {
    await request.toArray();
    handler(request, response);
  });
  expect((await fetch(url, call("hi"))).status).toBe(500);
  expect(errors).toMatchObject([{ cause: { message: expect.stringContaining("third argument") } }]);
});

it("takes the caller that a framework has established, and shows the headers", async () => {
  const { handler, callers } = handlerWith({ caller: (request) => ({ principal: String(request.headers["x-user"]) }) });
  const url = await mount(handler);
  await fetch(url, call("hi", {}, { "x-user": "ann", "set-cookie": "a=1" }));
  expect(callers).toEqual(["ann", expect.objectContaining({ "x-user": "ann", "set-cookie": "a=1" })]);
});

it("refuses bytes that are no UTF-8", async () => {
  const url = await mount(handlerWith().handler);
  const response = await fetch(url, { method: "POST", headers: POST_HEADERS, body: Uint8Array.of(0x22, 0xff, 0x22) });
  expect(response.status).toBe(400);
  expect(JSON.parse(await response.text())).toMatchObject({ error: { code: -32700 } });
});

it("checks hosts on loopback, and not on a Unix socket, which no page reaches", async () => {
  const { handler } = handlerWith();
  const posted = call("hi", {}, { host: "mcp.example.com" });
  expect((await send(await mount(handler), posted)).statusCode).toBe(403);
  const socketPath = join(tmpdir(), `parley-${process.pid}-${Date.now()}.sock`);
  const http = createServer(handler).listen(socketPath);
  onTestFinished(() => void http.close().closeAllConnections());
  await new Promise((resolve) => http.once("listening", resolve));
  const { request } = await import("node:http");
  const status = await new Promise((resolve) => {
    request({ socketPath, ...posted }, (response) => resolve(response.resume().statusCode)).end(posted.body);
  });
  expect(status).toBe(200);
});

it("answers 500 where it cannot be told who asks", async () => {
  const { handler, callers, errors } = handlerWith({
    caller: () => {
      throw new Error("no session middleware");
    },
  });
  const url = await mount(handler);
  expect((await fetch(url, call("hi"))).status).toBe(500);
  expect(errors).toMatchObject([{ code: "handler-failed", cause: { message: "no session middleware" } }]);
  expect(callers).toEqual([]);
});

it("tells the path from the query", async () => {
  const seen: string[] = [];
  const { handler } = handlerWith({
    authenticate: ({ path, query }) => {
      seen.push(path, query);
      return undefined;
    },
  });
  const url = await mount(handler);
  await fetch(url, call("hi"));
  await fetch(`${url}?a=1&b=2`, call("hi"));
  expect(seen).toEqual(["/any/path", "", "/any/path", "a=1&b=2"]);
});

it("answers preflights without a body, and without its length", async () => {
  const url = await mount(handlerWith({ cors: { origins: ["http://page.example"] } }).handler);
  const headers = { origin: "http://page.example", "access-control-request-method": "POST" };
  const response = await fetch(url, { method: "OPTIONS", headers });
  expect(response.status).toBe(204);
  expect(response.headers.has("content-length")).toBe(false);
});

it("runs no handler for a client that has left while its body was parsed, and reports that it did", async () => {
  const reports: AccessLogEntry[] = [];
  const { handler, callers } = handlerWith({ onResponse: (report) => void reports.push(report) });
  const handled = new Promise<void>((resolve) => {
    void mount(async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
      response.destroy();
      handler(request, response, body);
      resolve();
    }).then((url) => fetch(url, call("hi")).catch(() => {}));
  });
  await handled;
  expect(callers).toEqual([]);
  expect(reports).toMatchObject([{ verb: "POST", status: undefined }]);
});

it("sends nothing where somebody else has answered", async () => {
  const { handler } = handlerWith();
  const url = await mount(async (request, response) => {
    response.writeHead(418).end("teapot");
    handler(request, response);
  });
  expect(await (await fetch(url, { method: "PATCH" })).text()).toBe("teapot");
});

it("ends the connection of a request that can neither be served nor refused, and serves the others of its turn", async () => {
  const endpoint = new HttpEndpoint(new McpServer({ name: "s", version: "1.0.0" }), {});
  onTestFinished(() => endpoint.close());
  const failures: unknown[] = [];
  const fail = (error: unknown) => {
    failures.push(error);
    throw new Error("cannot be refused");
  };
  const crash = new Error("cannot be served");
  const arrived: ServerResponse[] = [];
  const url = await mount((_request, response) => {
    arrived.push(response);
    if (arrived.length < 2) return;
    // Both are read in one turn.
    for (const [index, of] of arrived.entries()) {
      const received = new NodeRequest(of, undefined, endpoint.bodies, new ConnectionOutputs(endpoint.limits));
      const serve = () => {
        if (index === 0) throw crash;
        of.end("served");
      };
      received.readBody(1_000, undefined, serve, fail);
    }
  });

  const outcomes = await Promise.allSettled([0, 1].map(async () => (await fetch(url, call("hi"))).text()));

  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(outcomes).toContainEqual({ status: "fulfilled", value: "served" });
  expect(failures).toEqual([crash]);
});

it("refuses a request while too many requests of its principal wait", async () => {
  const endpoint = new HttpEndpoint(new McpServer({ name: "s", version: "1.0.0" }), {});
  onTestFinished(() => endpoint.close());
  const served: string[] = [];
  const failures: unknown[] = [];
  const url = await mount((_request, response) => {
    const waiting = () => void served.push("waiting");
    while (serveAtEndOfTick({ sender: "ann", serve: waiting }));
    const received = new NodeRequest(response, undefined, endpoint.bodies, new ConnectionOutputs(endpoint.limits));
    const refuse = (error: unknown) => {
      failures.push(error);
      response.end("refused");
    };
    received.readBody(1_000, "ann", () => void served.push("request"), refuse);
  });

  const client = new RawClient(Number(new URL(url).port));
  client.write(rawPost(call("hi")));
  await client.until("refused");

  expect(failures).toMatchObject([
    { status: 503, error: { message: "Too many requests wait to be served; try again later" } },
  ]);
  await vi.waitFor(() => expect(served).toHaveLength(1_024));
  expect(served).not.toContain("request");
});

it("shows every Authorization header that a request has", async () => {
  const seen: (string | undefined)[] = [];
  const authenticate = (request: HttpRequest) => {
    seen.push(request.header("authorization"));
    return {};
  };
  const url = await mount(handlerWith({ authenticate }).handler);
  for (const tokens of [[], ["Bearer a"], ["Bearer a", "Bearer b"]]) {
    const headers = Object.entries({ host: "localhost", ...call("hi").headers }).flat();
    for (const token of tokens) headers.push("Authorization", token);
    const sent = httpRequest(url, { method: "POST", headers }).end(call("hi").body);
    await new Promise((resolve) => sent.once("response", (response) => response.resume().once("end", resolve)));
  }
  expect(seen).toEqual([undefined, "Bearer a", "Bearer a, Bearer b"]);
});

it("names the URL of a request by its connection and its Host", () => {
  const urlOf = (socket: object) => {
    const req = { socket, headers: { host: "mcp.example.com" }, url: "/mcp?x=1" };
    const { bodies, limits } = new HttpEndpoint(new McpServer({ name: "s", version: "1.0.0" }), {});
    // What the URL is made of; nothing else of it is looked at.
    return new NodeRequest({ req } as unknown as ServerResponse, undefined, bodies, new ConnectionOutputs(limits)).url;
  };
  expect(urlOf({})).toBe("http://mcp.example.com/mcp?x=1");
  expect(urlOf({ encrypted: true })).toBe("https://mcp.example.com/mcp?x=1");
});

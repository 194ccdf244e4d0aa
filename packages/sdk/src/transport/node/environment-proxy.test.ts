import type { lookup } from "node:dns";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { CallController } from "../http/call-controller.js";
import type { HttpCall } from "../http/http-call.js";
import { checkedLookup } from "./checked-lookup.js";
import { startProxy } from "./proxy.fixture.js";
import { undiciHttp } from "./undici-http.js";

const NONE = { http_proxy: "", HTTP_PROXY: "", https_proxy: "", HTTPS_PROXY: "", no_proxy: "", NO_PROXY: "" };

/** The environment of the test, in which nothing else names a proxy. */
function stubEnvironment(variables: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(NONE)) vi.stubEnv(name, variables[name]);
}

afterEach(() => {
  vi.unstubAllEnvs();
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A server that understands nothing, and the first bytes that it is sent. */
async function listenRaw(onData: (socket: Socket, data: Buffer) => void): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (data) => onData(socket, data));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function callTo(url: string, controller = new CallController()): HttpCall {
  return { method: "POST", url: new URL(url), headers: { "x-one": "1" }, body: "{}", controller };
}

const text = async (answering: ReturnType<ReturnType<typeof undiciHttp>>) =>
  new TextDecoder().decode(await (await answering).body(1_000));

describe("a proxy in the environment", () => {
  test.each(["HTTP_PROXY", "http_proxy"])("carries calls if %s names it", async (name) => {
    const port = await serve((request, response) =>
      response.end(`${request.headers.host} ${request.headers["x-one"]}`),
    );
    const proxy = await startProxy({ port });
    stubEnvironment({ [name]: proxy.url });
    const http = undiciHttp();
    expect(await text(http(callTo("http://mcp.example/mcp")))).toBe("mcp.example 1");
    expect(await text(http(callTo("http://mcp.example:8080/mcp")))).toBe("mcp.example:8080 1");
    expect(proxy.tunnels).toEqual(["mcp.example:80", "mcp.example:8080"]);
  });

  test("that answers CONNECT with a body fails the call, and is asked once", async () => {
    let connections = 0;
    const port = await listenRaw((socket) => {
      connections += 1;
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello");
    });
    stubEnvironment({ HTTP_PROXY: `http://127.0.0.1:${port}` });
    await expect(undiciHttp()(callTo("http://mcp.example/mcp"))).rejects.toThrow("it answered CONNECT with a body");
    expect(connections).toBe(1);
  });

  test.each(["proxy.example:3128", "not a url"])("that %s does not name as a URL fails the call", async (value) => {
    stubEnvironment({ HTTP_PROXY: value });
    const advice = 'HTTP_PROXY and HTTPS_PROXY: expected a URL such as "http://proxy.example:3128"';
    await expect(undiciHttp()(callTo("http://mcp.example/mcp"))).rejects.toThrow(advice);
  });

  test("carries calls over TLS if HTTPS_PROXY names it, with the name of the server", async () => {
    const hellos: Buffer[] = [];
    const port = await listenRaw((socket, data) => {
      hellos.push(data);
      socket.destroy();
    });
    const proxy = await startProxy({ port });
    stubEnvironment({ HTTPS_PROXY: proxy.url });
    await expect(undiciHttp()(callTo("https://mcp.example/mcp"))).rejects.toThrow();
    expect(proxy.tunnels).toEqual(["mcp.example:443"]);
    expect(hellos[0]?.includes("mcp.example")).toBe(true);
  });

  test.each([
    ["a host on this machine", "", "http://localhost"],
    ["a loopback address", "", "http://127.0.0.1"],
    ["a host that NO_PROXY names", "other.example, localhost", "http://localhost"],
    ["any host with NO_PROXY=*", "*", "http://localhost"],
  ])("is left out for %s", async (_name, exceptions, origin) => {
    const port = await serve((_request, response) => response.end("direct"));
    const proxy = await startProxy({ status: 502 });
    stubEnvironment({ HTTP_PROXY: proxy.url, NO_PROXY: exceptions });
    expect(await text(undiciHttp()(callTo(`${origin}:${port}/mcp`)))).toBe("direct");
    expect(proxy.tunnels).toEqual([]);
  });

  test("is left out for a host that NO_PROXY names, whose name is resolved here", async () => {
    const port = await serve((_request, response) => response.end("direct"));
    const proxy = await startProxy({ status: 502 });
    stubEnvironment({ HTTP_PROXY: proxy.url, NO_PROXY: ".example" });
    const http = undiciHttp({ lookup: checkedLookup(() => undefined, resolving("127.0.0.1")) });
    expect(await text(http(callTo(`http://mcp.example:${port}/mcp`)))).toBe("direct");
    expect(proxy.tunnels).toEqual([]);
  });

  test("that refuses the tunnel is named in the error", async () => {
    const proxy = await startProxy({ status: 403 });
    stubEnvironment({ HTTP_PROXY: proxy.url });
    await expect(undiciHttp()(callTo("http://mcp.example/mcp"))).rejects.toThrow("Proxy response (403)");
  });

  test("that closes the connection fails the call after one attempt", async () => {
    let attempts = 0;
    const port = await listenRaw((socket) => {
      attempts += 1;
      socket.destroy();
    });
    stubEnvironment({ HTTP_PROXY: `http://127.0.0.1:${port}` });
    await expect(undiciHttp()(callTo("http://mcp.example/mcp"))).rejects.toThrow("the proxy failed");
    await new Promise((resolve) => setImmediate(resolve));
    expect(attempts).toBe(1);
  });

  test("gets no call that has ended before the tunnel is there", async () => {
    const controller = new CallController();
    const reason = new Error("enough");
    const requests: string[] = [];
    const port = await serve((request, response) => {
      requests.push(request.url as string);
      response.end("done");
    });
    const proxy = await startProxy({ port, onTunnel: () => controller.abort(reason) });
    stubEnvironment({ HTTP_PROXY: proxy.url });
    const http = undiciHttp();
    await expect(http(callTo("http://mcp.example/ended", controller))).rejects.toBe(reason);
    expect(await text(http(callTo("http://mcp.example/next")))).toBe("done");
    expect(requests).toEqual(["/next"]);
  });
});

function resolving(answer: string | Error): typeof lookup {
  const resolve = (_: string, __: unknown, callback: (error: Error | null, found: unknown) => void) =>
    answer instanceof Error ? callback(answer, []) : callback(null, [{ address: answer, family: 4 }]);
  return resolve as unknown as typeof lookup;
}

describe("a checked call through a proxy", () => {
  const refuse = (hostname: string, address: string) => new Error(`${hostname} is at ${address}`);

  test("is refused if the name has an address here that is refused", async () => {
    const proxy = await startProxy({ status: 502 });
    stubEnvironment({ HTTP_PROXY: proxy.url });
    const http = undiciHttp({ lookup: checkedLookup(refuse, resolving("10.0.0.1")) });
    await expect(http(callTo("http://mcp.example/"))).rejects.toThrow("mcp.example is at 10.0.0.1");
    expect(proxy.tunnels).toEqual([]);
  });

  test("leaves a name to the proxy that is unknown here", async () => {
    const proxy = await startProxy({ port: await serve((_request, response) => response.end("reached")) });
    stubEnvironment({ HTTP_PROXY: proxy.url });
    const unknown = Object.assign(new Error("unknown"), { code: "ENOTFOUND" });
    const http = undiciHttp({ lookup: checkedLookup(refuse, resolving(unknown)) });
    expect(await text(http(callTo("http://mcp.example/")))).toBe("reached");
  });
});

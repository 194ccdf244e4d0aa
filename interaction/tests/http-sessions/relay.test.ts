import type { RequestListener } from "node:http";
import type { SessionRelay } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { hostHttp } from "../../src/http/raw-http-client.js";
import { verifies } from "../../src/verifies.js";

verifies(
  "hosting:session:id-prefix",
  "session ids begin with the prefix of their process, over Streamable HTTP and over HTTP+SSE",
  async () => {
    const server = new McpServer({ name: "counter", version: "1.0.0" });
    await using host = await hostHttp(server, { legacy: { sessionIdPrefix: "00a1", sse: true } });

    const opened = await host.client().initialize();
    expect(await opened.json()).toMatchObject({ result: { serverInfo: { name: "counter" } } });
    expect(opened.header("mcp-session-id")).toMatch(/^00a1[0-9a-f]{28,}$/);
    const stream = await host.client().send("GET", {}, undefined, new URL("/sse", host.url).href);
    expect((await stream.event())?.data).toContain("sessionId=00a1");
    stream.disconnect();
  },
);

verifies("hosting:session:relay", "a relayed request is served as if it had come over the port", async () => {
  const server = new McpServer({ name: "counter", version: "1.0.0" });
  const relayed: string[] = [];
  let serveHere: RequestListener | undefined;
  let isClosed = false;
  const sessionRelay: SessionRelay = {
    relay(request, response, serve) {
      relayed.push(String(request.method));
      if (request.headers["x-elsewhere"] === undefined) serve();
      else serveHere?.(request, response);
    },
    async accept(serve) {
      serveHere = serve;
      return async () => {
        isClosed = true;
      };
    },
    clientAddress: () => "10.0.0.1",
    serverAddress: () => "127.0.0.1",
  };
  await using host = await hostHttp(server, { sessionRelay });

  const client = await host.client().open();
  const elsewhere = host.client({ headers: { "x-elsewhere": "1" } });
  expect((await client.request(1, "ping")).status).toBe(200);
  expect((await elsewhere.initialize()).status).toBe(200);
  expect(relayed).toEqual(["POST", "POST", "POST", "POST"]);
  await host.handle.close();
  expect(isClosed).toBe(true);
});

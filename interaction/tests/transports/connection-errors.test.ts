import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { PassThrough } from "node:stream";
import { Client, type ConnectTarget } from "parley-mcp/client";
import { SocketTransport, StreamTransport, serveHttp, serveSocket } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { connectLegacy, connectModern, RawHttpServer } from "../../src/http/raw-http-server.js";
import { RawLines } from "../../src/stdio/raw-lines.js";
import { verifies } from "../../src/verifies.js";

const identity = { name: "client", version: "1.0.0", onError: () => undefined };
const PRIMING = "id: event-1\nretry: 1\ndata:\n\n";

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => Promise.reject(new Error("It did not fail")),
    (error: Error) => error,
  );
}

const connectFailure = (target: ConnectTarget) => failure(Client.connect(target, identity));

verifies("transport:connect-advice", "each error of connecting and listening names what helps", async () => {
  const port = await freePort();
  const refused = await connectFailure(`http://127.0.0.1:${port}/mcp`);
  expect(refused).toMatchObject({ code: "connection-closed" });
  expect(refused.message).toMatch(/ECONNREFUSED.*nothing listens there: check that the server runs/);
  const socket = await connectFailure(new SocketTransport({ port }));
  expect(socket.message).toMatch(/ECONNREFUSED.*nothing listens there/);

  const server = new McpServer({ name: "plain", version: "1.0.0" });
  await using plain = await serveHttp(server);
  const taken = await failure(serveHttp(server, { port: plain.port }));
  expect(taken).toMatchObject({ code: "EADDRINUSE" });
  expect(taken.message).toMatch(/another process listens there.*port 0/);
  expect((await failure(serveSocket(server, { port: plain.port }))).message).toMatch(/another process listens there/);
  expect((await connectFailure(plain.url.replace("http:", "https:"))).message).toContain("use an http: URL");

  expect((await connectFailure("localhost:3000/mcp")).message).toContain("write http://localhost:3000/mcp");
  expect((await connectFailure("mcp.example.com/mcp")).message).toContain("write https://mcp.example.com/mcp");

  await using proxy = await RawHttpServer.start();
  const connecting = connectFailure(proxy.url);
  (await proxy.next()).respond(502);
  expect((await connecting).message).toMatch(/status 502; a proxy answered that cannot reach the server/);
  const waiting = connectFailure(proxy.url);
  (await proxy.next()).respond(504);
  expect((await waiting).message).toMatch(/status 504; a proxy waited too long.*timeout.*progress/);

  const continuing = createHttpServer((_request, response) => response.writeContinue());
  await new Promise<void>((resolve) => continuing.listen(0, "127.0.0.1", resolve));
  const unasked = await connectFailure(`http://127.0.0.1:${(continuing.address() as AddressInfo).port}/mcp`);
  continuing.closeAllConnections();
  continuing.close();
  expect(unasked.message).toContain("the server sent 100 Continue, which the request did not ask for; switch it off");
});

verifies("transport:author-stack", "the stack of a connection error begins in the file that called", async () => {
  const { stack } = await connectFailure(`http://127.0.0.1:${await freePort()}/mcp`);
  const [first] = stack?.split("\n").filter((line) => line.startsWith("    at ")) ?? [];
  expect(first).toContain("connection-errors.test.ts");
});

verifies(
  "transport:errors-name-the-call",
  "the error of a late, a lost and a refused call names the target and the way out",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const late = await failure(client.callTool("deploy", {}, { timeoutMs: 20 }));
    expect(late).toMatchObject({ code: "request-timeout" });
    expect(late.message).toMatch(/^tools\/call "deploy" was not answered within 20 ms.*timeoutMs/);
    const refused = failure(client.readResource("notes://today"));
    let read = await server.next();
    // On a busy machine the late call is given up before it is sent.
    if (read.message?.method === "tools/call") read = await server.next();
    read.respond(500);
    expect((await refused).message).toMatch(
      /^POST .* \(resources\/read "notes:\/\/today"\) was answered with status 500/,
    );
    const lost = failure(client.getPrompt("greet"));
    (await server.next()).reset();
    expect((await lost).message).toMatch(/\(prompts\/get "greet"\) failed/);
    await client.close();
  },
);

verifies(
  "transport:oversized-answer",
  "an answer over the limit rejects its call with the option that raises it, over a pipe and over HTTP, and the connection goes on",
  async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const lines = new RawLines({ input: output, output: input }, { ours: "client" });
    const transport = new StreamTransport({ input, output, maxLineBytes: 1_000 });
    const piped = await Client.connect(transport, { ...identity, revision: "2026-07-28" });
    const result = { resultType: "complete", content: [{ type: "text", text: "x".repeat(2_000) }] };
    for (const id of [1, "own"]) {
      const large = failure(piped.callTool("paint", {}, { id }));
      await lines.receive();
      lines.send({ jsonrpc: "2.0", id, result });
      expect(await large).toMatchObject({ code: "too-large" });
      expect((await large).message).toMatch(/tools\/call "paint".*1000 bytes.*raise maxLineBytes/);
    }
    const next = piped.callTool("paint");
    const { id } = await lines.receive();
    lines.send({ jsonrpc: "2.0", id, result: { resultType: "complete", content: [] } });
    expect(await next).toMatchObject({ content: [] });
    await piped.close();

    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server, { http: { maxMessageBytes: 1_000 } });
    const large = failure(client.callTool("paint"));
    (await server.next()).result(result);
    expect((await large).message).toMatch(/tools\/call "paint".*1000 bytes.*raise maxMessageBytes/);
    const streamed = failure(client.callTool("paint"));
    const call = await server.next();
    call.stream();
    call.event({ jsonrpc: "2.0", id: call.message?.id, result });
    expect((await streamed).message).toMatch(/tools\/call "paint".*1000 bytes.*raise maxMessageBytes/);
    await client.close();
  },
);

verifies(
  "client-transport:http:server-gone",
  "a call whose stream cannot be resumed rejects with the refused connection as the cause, long before its timeout",
  async () => {
    const server = await RawHttpServer.start();
    const { client } = await connectLegacy(server, { client: { reconnect: false } });
    const heard = deferred();
    const call = failure(client.callTool("deploy", {}, { onProgress: () => heard.resolve() }));
    const posted = await server.next();
    posted.stream();
    posted.write("retry: 1\n");
    const params = { progressToken: posted.message?.id, progress: 1 };
    posted.event({ jsonrpc: "2.0", method: "notifications/progress", params }, "event-1");
    await heard.promise;

    await server[Symbol.asyncDispose]();

    expect(await call).toMatchObject({ code: "stream-ended", cause: { cause: { code: "ECONNREFUSED" } } });
    expect((await call).message).toMatch(/tools\/call "deploy".*the server is gone.*ECONNREFUSED/);
    await client.close();
  },
);

verifies(
  "client-transport:http:late-with-cause",
  "a call that is late while its stream is resumed rejects with the status of the last attempt as the cause",
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const { client } = await connectLegacy(server);
    (await server.next()).respond(405);
    const call = failure(client.callTool("deploy", {}, { timeoutMs: 500 }));
    const posted = await server.next();
    posted.stream();
    posted.write(PRIMING);
    posted.end();
    (await server.next()).respond(502);

    expect(await call).toMatchObject({ code: "request-timeout", cause: { code: "http-error", status: 502 } });
    await client.close();
  },
);

verifies(
  "client-transport:http:retry-after",
  "the error of a 503 has retryAfterMs from seconds or from a date, and none from another text",
  async () => {
    await using server = await RawHttpServer.start();
    const { client } = await connectModern(server);
    const refusedWith = async (retryAfter: string) => {
      const call = failure(client.callTool("deploy"));
      (await server.next()).respond(503, { "retry-after": retryAfter });
      return call;
    };
    expect(await refusedWith("3")).toMatchObject({ code: "http-error", status: 503, retryAfterMs: 3_000 });
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    const { retryAfterMs } = (await refusedWith(inAnHour)) as Error & { retryAfterMs: number };
    expect(Math.abs(retryAfterMs - 3_600_000)).toBeLessThan(60_000);
    expect(await refusedWith("Thu, 01 Jan 1970 00:00:00 GMT")).toMatchObject({ retryAfterMs: 0 });
    expect(await refusedWith("soon")).toMatchObject({ retryAfterMs: undefined });
    await client.close();
  },
);

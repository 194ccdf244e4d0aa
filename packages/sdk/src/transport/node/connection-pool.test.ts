import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as undici from "undici";
import { expect, onTestFinished, test } from "vitest";
import { CallController } from "../http/call-controller.js";
import { ConnectionPool, type PooledConnection } from "./connection-pool.js";
import { undiciHttp } from "./undici-http.js";

async function serve() {
  const server = createServer((_request, response) => response.end());
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function use({ client }: PooledConnection): Promise<void> {
  const { body } = await client.request({ method: "GET", path: "/" });
  await body.dump();
}

test("a connection is used again, the last one first, until it is lost", async () => {
  const { server, origin } = await serve();
  const pool = new ConnectionPool(undici, undefined);
  const [first, second] = [pool.take(origin), pool.take(origin)];
  await Promise.all([use(first), use(second)]);
  for (const connection of [first, second]) connection.release();
  expect(pool.take(origin)).toBe(second);
  second.release();

  const lost = Promise.all([first, second].map(({ client }) => once(client, "disconnect")));
  server.closeIdleConnections();
  await lost;
  const next = pool.take(origin);
  expect([first, second]).not.toContain(next);
});

test("a connection that never came about is not kept", async () => {
  const pool = new ConnectionPool(undici, undefined);
  const first = pool.take("http://127.0.0.1:1");
  await expect(use(first)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  first.release();
  expect(pool.take("http://127.0.0.1:1")).not.toBe(first);
});

test("only a connection that was released just now is known to be open", async () => {
  const { origin } = await serve();
  const pool = new ConnectionPool(undici, undefined);
  expect(pool.mayBeClosed(origin)).toBe(false);
  const connection = pool.take(origin);
  await use(connection);
  connection.release();
  for (let step = 0; step < 10; step += 1) await Promise.resolve();
  expect(pool.mayBeClosed(origin)).toBe(false);
  await new Promise((resolve) => process.nextTick(resolve));
  expect(pool.mayBeClosed(origin)).toBe(true);
});

test("an aborted call leaves no connection", async () => {
  const { server, origin } = await serve();
  let opened = 0;
  server.on("connection", () => {
    opened += 1;
  });
  server.removeAllListeners("request");
  const http = undiciHttp();
  const controller = new CallController();
  const call = { method: "POST", url: new URL(origin), headers: {}, body: "{}" } as const;
  const aborted = http({ ...call, controller });
  const [{ socket }] = await once(server, "request");
  const closed = once(socket, "close");
  controller.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  await closed;

  server.on("request", (_request, response) => response.end("done"));
  const { status } = await http({ ...call, controller: new CallController() });
  expect(status).toBe(200);
  expect(opened).toBe(2);
});

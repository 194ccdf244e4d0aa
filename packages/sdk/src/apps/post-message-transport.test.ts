import { MessageChannel } from "node:worker_threads";
import { expect, it, vi } from "vitest";
import { PostMessageTransport } from "./post-message-transport.js";

/** What the transport makes of a posted message: the error, or undefined for a message that was received. */
async function receiving(params: unknown): Promise<string | undefined> {
  const { port1, port2 } = new MessageChannel();
  const transport = PostMessageTransport.overPort(port1 as never);
  const outcome = new Promise<string | undefined>((resolve) => {
    transport.start({
      receive: () => resolve(undefined),
      receiveUnparsable: (error: Error) => resolve(error.message),
      closed: () => undefined,
    } as never);
  });
  port2.postMessage({ jsonrpc: "2.0", id: 1, method: "ping", params });
  const message = await outcome;
  transport.close();
  port2.close();
  return message;
}

it("receives plain objects and arrays", async () => {
  expect(await receiving({ list: [1, "two", null, { three: true }] })).toBeUndefined();
});

it.each([
  ["a typed array", new Uint8Array(10_000_000)],
  ["a String object", new Object("x".repeat(10_000_000))],
  ["a map", new Map([[1, 2]])],
  ["a date", new Date()],
])("refuses %s without listing its members", async (_case, value) => {
  const started = process.cpuUsage();
  expect(await receiving({ value })).toContain("no JSON within");
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});

it("closes once", () => {
  const { port1 } = new MessageChannel();
  const transport = PostMessageTransport.overPort(port1 as never);
  const closed = vi.fn();
  transport.start({ closed } as never);
  transport.close();
  transport.close();
  expect(closed).toHaveBeenCalledOnce();
});

it.each(["sandbox", "https://sandbox.example/", "null ", "data:text/html,"])("refuses %j as an origin", (origin) => {
  const target = { postMessage: () => undefined };
  expect(() => PostMessageTransport.overWindow({ target, origin, listenOn: new EventTarget() })).toThrow(
    `origin: expected an origin such as "https://sandbox.example", without a path, got ${JSON.stringify(origin)}`,
  );
});

it("takes an origin as browsers write it", () => {
  const options = { origin: "https://sandbox.example", listenOn: new EventTarget() };
  expect(() => PostMessageTransport.overWindow({ target: { postMessage: () => undefined }, ...options })).not.toThrow();
});

it("receives from its window of its origin alone", () => {
  const target = { postMessage: () => undefined };
  const [origin, listenOn, received] = ["https://sandbox.example", new EventTarget(), [] as unknown[]];
  const transport = PostMessageTransport.overWindow({ target, origin, listenOn });
  transport.start({
    receive: (message: unknown) => received.push(message),
    receiveUnparsable: () => undefined,
    closed: () => undefined,
  } as never);
  const post = (id: number, from: object) =>
    listenOn.dispatchEvent(
      Object.assign(new Event("message"), { data: { jsonrpc: "2.0", id, method: "ping" }, ...from }),
    );

  post(1, { source: {}, origin });
  post(2, { source: target, origin: "https://other.example" });
  post(3, { source: target, origin });

  expect(received).toMatchObject([{ id: 3 }]);
  transport.close();
});

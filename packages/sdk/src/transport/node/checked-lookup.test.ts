import type { lookup } from "node:dns";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { CallController } from "../http/call-controller.js";
import type { AddressCheck } from "../platform/platform.js";
import { checkedLookup } from "./checked-lookup.js";
import { undiciHttp } from "./undici-http.js";

type Answer = Error | readonly string[];

/** A resolver that gives one answer after the other, and the last one from then on. */
function resolver(...answers: readonly Answer[]) {
  const left = [...answers];
  const resolve = vi.fn((_: string, __: unknown, callback: (error: Error | null, found: unknown) => void) => {
    const answer = (left.length > 1 ? left.shift() : left[0]) as Answer;
    if (answer instanceof Error) callback(answer, []);
    else
      callback(
        null,
        answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
  });
  return resolve as unknown as typeof lookup & typeof resolve;
}

const refusePrivate: AddressCheck = (hostname, address) =>
  address.startsWith("1.") ? undefined : new Error(`${hostname} is at ${address}`);

function look(resolve: typeof lookup, options: { all?: boolean } = {}): Promise<unknown> {
  return new Promise((done, fail) => {
    checkedLookup(refusePrivate, resolve)("name.example", options, (error, address, family) =>
      error ? fail(error) : done(options.all ? address : [address, family]),
    );
  });
}

test("a name is resolved to addresses that pass", async () => {
  expect(await look(resolver(["1.1.1.1", "1.0.0.1"]))).toEqual(["1.1.1.1", 4]);
  expect(await look(resolver(["1.1.1.1", "1.0.0.1"]), { all: true })).toEqual([
    { address: "1.1.1.1", family: 4 },
    { address: "1.0.0.1", family: 4 },
  ]);
});

test("a name with one address that does not pass is refused as a whole", async () => {
  await expect(look(resolver(["1.1.1.1", "10.0.0.1"]))).rejects.toThrow("name.example is at 10.0.0.1");
});

test("a name that is unknown fails as it does without the check", async () => {
  await expect(look(resolver(new Error("ENOTFOUND")))).rejects.toThrow("ENOTFOUND");
});

test("a name that turns private after it was public is refused", async () => {
  const resolve = resolver(["1.1.1.1"], ["127.0.0.1"]);
  expect(await look(resolve)).toEqual(["1.1.1.1", 4]);
  await expect(look(resolve)).rejects.toThrow("name.example is at 127.0.0.1");
});

const server = createServer((_, response) => response.end("reached"));
afterEach(() => new Promise((closed) => server.close(closed)));

test("a connection goes to the address that was checked, and to no other that the name has by then", async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://name.example:${port}/`);
  const call = (check: AddressCheck, resolve: typeof lookup) =>
    undiciHttp({ lookup: checkedLookup(check, resolve) })({
      method: "GET",
      url,
      headers: {},
      controller: new CallController(),
    });
  const connections: unknown[] = [];
  server.on("connection", (socket) => connections.push(socket));

  const refusing = resolver(["127.0.0.1"]);
  await expect(call(refusePrivate, refusing)).rejects.toThrow("name.example is at 127.0.0.1");
  expect(connections).toHaveLength(0);

  const changing = resolver(["127.0.0.1"], ["10.255.255.1"]);
  const answer = await call(() => undefined, changing);
  expect(new TextDecoder().decode(await answer.body(100))).toBe("reached");
  expect(changing).toHaveBeenCalledTimes(1);
  server.closeAllConnections();
});

/** What becomes of tokens that the shop takes, and of those that it does not take any more. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ShopAccounts } from "./orders-tool.js";

/** A shop that takes one token, and hears the others. */
async function shopThatTakes(token: string) {
  const heard: (string | undefined)[] = [];
  const http = createServer(({ headers: { authorization } }, response) => {
    heard.push(authorization);
    const isTaken = authorization === `Bearer ${token}`;
    response.writeHead(isTaken ? 200 : 401, { "content-type": "application/json" }).end('["emma"]');
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => void http.close());
  return { heard, orders: `http://127.0.0.1:${(http.address() as AddressInfo).port}/orders` };
}

test("a user's token is sent for that user alone", async () => {
  const { heard, orders } = await shopThatTakes("token-of-bob");
  const accounts = new ShopAccounts(orders);
  await accounts.keep("bob", "token-of-bob");

  expect(await accounts.ordersOf("alice")).toBeUndefined();
  expect(heard).toEqual([]);
  expect(await accounts.ordersOf("bob")).toEqual(["emma"]);
});

test("a token that the shop refuses is forgotten", async () => {
  const { heard, orders } = await shopThatTakes("another");
  const accounts = new ShopAccounts(orders);
  await accounts.keep("alice", "expired");

  expect(await accounts.ordersOf("alice")).toBeUndefined();
  expect(await accounts.ordersOf("alice")).toBeUndefined();
  expect(heard).toEqual(["Bearer expired"]);
});

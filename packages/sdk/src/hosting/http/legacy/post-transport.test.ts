import { expect, it } from "vitest";
import type { JsonRpcAnswer } from "../../../wire/json-rpc.js";
import type { Outgoing } from "./event-stream.js";
import { FakeRequest, FakeResponse } from "./http-fakes.fixture.js";
import type { Exchange } from "./post-exchange.js";
import { PostTransport } from "./post-transport.js";
import { SessionOpening } from "./session-opening.js";

class Log implements Exchange {
  readonly heard: string[] = [];
  emit({ text }: Outgoing): void {
    this.heard.push(`emit ${text}`);
  }
  answer(_message: Outgoing, { id }: JsonRpcAnswer): void {
    this.heard.push(`answer ${id}`);
  }
  skip(): void {
    this.heard.push("skip");
  }
  abort(): void {
    this.heard.push("abort");
  }
}

function setUp() {
  const [unrelated, exchange] = [new Log(), new Log()];
  const transport = new PostTransport(unrelated);
  transport.start({ receive: () => undefined, receiveUnparsable: () => undefined, closed: () => undefined });
  transport.receiveRequest({ jsonrpc: "2.0", id: 1, method: "a" }, undefined, exchange);
  transport.receiveRequest({ jsonrpc: "2.0", id: "two", method: "a" }, undefined, exchange);
  return { unrelated: unrelated.heard, heard: exchange.heard, transport };
}

it("sends each message of an array where it belongs", async () => {
  const { transport, heard, unrelated } = setUp();
  await transport.send([
    { jsonrpc: "2.0", id: "1", result: {} },
    { jsonrpc: "2.0", method: "x" },
    { jsonrpc: "2.0", id: "two", result: {} },
  ]);
  expect(heard).toEqual(["answer 1", "answer two"]);
  expect(unrelated).toEqual(['emit {"jsonrpc":"2.0","method":"x"}']);
});

it("drops answers that nobody waits for", () => {
  const { transport, heard } = setUp();
  void transport.send({ jsonrpc: "2.0", error: { code: 1, message: "" } });
  void transport.send({ jsonrpc: "2.0", id: 3, result: {} });
  transport.unanswered(3);
  expect(heard).toEqual([]);
});

it("keeps waiting for an answer that could not be written", () => {
  const { transport, heard } = setUp();
  expect(() => transport.send({ jsonrpc: "2.0", id: 1, result: { big: 1n } })).toThrow();
  void transport.send({ jsonrpc: "2.0", id: 1, result: {} });
  expect(heard).toEqual(["answer 1"]);
});

it("tells a response once that its connection is over, and nothing later", () => {
  const { transport, heard } = setUp();
  transport.close();
  transport.close();
  transport.unanswered(1);
  expect(heard).toEqual(["abort"]);
});

it("fails an opening that will never be answered", () => {
  const request = new FakeRequest("POST");
  const response = new FakeResponse(request);
  let failures = 0;
  const opening = new SessionOpening(
    response,
    async () => ({}),
    () => {
      failures += 1;
    },
  );
  opening.skip();
  expect([response.status, failures]).toEqual([503, 1]);
});

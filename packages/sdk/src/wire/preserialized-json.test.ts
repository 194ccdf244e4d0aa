import { describe, expect, it, vi } from "vitest";
import type { JsonRpcMessage } from "./json-rpc.js";
import { JsonTextBlock, messageText, preserialize, SegmentedText, serializeMessage } from "./preserialized-json.js";

const list = () => preserialize([{ name: "a", text: 'quo"te' }, { name: "b" }]);
const longList = () => preserialize(Array.from({ length: 1_000 }, (_, index) => ({ name: `größe ${index}` })));

describe("serializeMessage", () => {
  it.each<[string, JsonRpcMessage | JsonRpcMessage[]]>([
    ["a request", { jsonrpc: "2.0", id: 1, method: "ping" }],
    ["an error", { jsonrpc: "2.0", id: "x", error: { code: 1, message: "m" } }],
    ["a result", { jsonrpc: "2.0", id: 0, result: { a: [1], b: undefined } }],
    ["a lasting list", { jsonrpc: "2.0", id: '"', result: { tools: list(), b: undefined, c: { d: 1 }, "e f": "g" } }],
    ["only a lasting list", { jsonrpc: "2.0", id: -1, result: { tools: list() } }],
    ["a long one", { jsonrpc: "2.0", id: "ß", result: { tools: longList(), nextCursor: "é" } }],
    ["two lasting lists", { jsonrpc: "2.0", id: 1, result: { a: list(), b: longList() } }],
    ["a result that does not come last", { jsonrpc: "2.0", result: { tools: list() }, id: 1 }],
    ["a batch", [{ jsonrpc: "2.0", id: 1, result: { tools: list() } }]],
  ])("writes %s so that it reads the same", (_, message) => {
    expect(JSON.parse(serializeMessage(message))).toEqual(JSON.parse(JSON.stringify(message)));
  });

  it("reads a lasting list once, and any other each time", () => {
    const toJSON = vi.fn(() => "item");
    const items = [{ toJSON }];
    const message: JsonRpcMessage = { jsonrpc: "2.0", id: 1, result: { items } };
    serializeMessage(message);
    serializeMessage(message);
    expect(toJSON).toHaveBeenCalledTimes(2);
    preserialize(items);
    expect([serializeMessage(message), serializeMessage({ ...message, id: 2, result: { items } })]).toEqual([
      '{"jsonrpc":"2.0","id":1,"result":{"items":["item"]}}',
      '{"jsonrpc":"2.0","id":2,"result":{"items":["item"]}}',
    ]);
    expect(toJSON).toHaveBeenCalledTimes(3);
  });

  it("refuses what JSON cannot express, beside a lasting list as well", () => {
    const message: JsonRpcMessage = { jsonrpc: "2.0", id: 1, result: { tools: list(), big: 1n } };
    expect(() => serializeMessage(message)).toThrow("cannot be serialized");
  });
});

describe("a result with a text block of its structured content", () => {
  const value = { name: 'quo"te', list: [1, null], größe: "ß" };
  const block = () => new JsonTextBlock(value, JSON.stringify(value));

  it.each<[string, JsonRpcMessage]>([
    ["alone", { jsonrpc: "2.0", id: 1, result: { structuredContent: value, content: [block()] } }],
    [
      "and other members",
      { jsonrpc: "2.0", id: '"', result: { a: 1, structuredContent: value, content: [block()], _meta: { b: {} } } },
    ],
    [
      "and members that JSON leaves out",
      {
        jsonrpc: "2.0",
        id: 1,
        result: { structuredContent: value, content: [block()], a: undefined, b: () => 1, c: null },
      },
    ],
    [
      "and a preserialized member",
      {
        jsonrpc: "2.0",
        id: 1,
        result: { structuredContent: value, content: [block()], _meta: preserialize({ a: "ß" }) },
      },
    ],
    [
      "and a second block",
      { jsonrpc: "2.0", id: 1, result: { structuredContent: value, content: [block(), { type: "text", text: "" }] } },
    ],
    [
      "of another value",
      { jsonrpc: "2.0", id: 1, result: { structuredContent: { name: "other" }, content: [block()] } },
    ],
  ])("is the same as any other: %s", (_, message) => {
    expect(JSON.parse(serializeMessage(message))).toEqual(JSON.parse(JSON.stringify(message)));
  });

  it("is written without reading the structured content again", () => {
    const toJSON = vi.fn(() => "read");
    const read = { toJSON };
    const content = [new JsonTextBlock(read, '"read before"')];
    const text = serializeMessage({ jsonrpc: "2.0", id: 1, result: { structuredContent: read, content } });
    expect(toJSON).not.toHaveBeenCalled();
    expect(JSON.parse(text).result.structuredContent).toBe("read before");
  });

  it("is refused with a member that JSON cannot express", () => {
    const result = { structuredContent: value, content: [block()], big: 1n };
    expect(() => serializeMessage({ jsonrpc: "2.0", id: 1, result })).toThrow("cannot be serialized");
  });
});

describe("messageText", () => {
  it("leaves a long message in pieces and knows their length in bytes", () => {
    const text = messageText({ jsonrpc: "2.0", id: "ß", result: { tools: longList(), nextCursor: "é" } });
    expect(text).toBeInstanceOf(SegmentedText);
    expect((text as SegmentedText).byteLength).toBe(new TextEncoder().encode(String(text)).length);
  });

  it("joins a short one", () => {
    expect(messageText({ jsonrpc: "2.0", id: 1, result: { tools: list() } })).toBeTypeOf("string");
  });
});

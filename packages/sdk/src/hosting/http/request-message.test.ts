import { expect, it } from "vitest";
import { httpLimits } from "./http-options.js";
import { HttpRefusal } from "./http-refusal.js";
import { messageOf } from "./request-message.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

function read(body: unknown): unknown {
  try {
    return messageOf(body, httpLimits({ maxJsonDepth: 4, maxJsonNodes: 40 }));
  } catch (error) {
    expect(error).toBeInstanceOf(HttpRefusal);
    const { status, error: answer } = error as HttpRefusal;
    return { status, code: answer?.code };
  }
}

it("takes the text of the body, or what a framework made of it", () => {
  expect(read({ a: 1 })).toEqual({ a: 1 });
  expect(read('{"a":1}')).toEqual({ a: 1 });
  expect(read(bytes('{"a":1}'))).toEqual({ a: 1 });
});

it("answers what is no JSON with 400 and -32700, and what is too deep or too much with -32600", () => {
  expect(read("{")).toEqual({ status: 400, code: -32700 });
  expect(read("\uFEFF{}")).toEqual({ status: 400, code: -32700 });
  expect(read(bytes("\uFEFF{}"))).toEqual({ status: 400, code: -32700 });
  expect(read(Uint8Array.of(0x22, 0xff, 0x22))).toEqual({ status: 400, code: -32700 });
  expect(read(nested(5))).toEqual({ status: 400, code: -32600 });
  expect(read(JSON.parse(nested(5)))).toEqual({ status: 400, code: -32600 });
  expect(read(JSON.parse(nested(100_000)))).toEqual({ status: 400, code: -32600 });
  const many = Array.from({ length: 40 }, () => []);
  expect(read(many)).toEqual({ status: 400, code: -32600 });
  expect(read(JSON.stringify(many))).toEqual({ status: 400, code: -32600 });
  expect(read(many.slice(8))).toEqual(many.slice(8));
  expect(read({ a: [{ b: [null] }] })).toEqual({ a: [{ b: [null] }] });
});

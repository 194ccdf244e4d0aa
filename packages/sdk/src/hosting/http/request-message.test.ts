import { expect, it } from "vitest";
import type { HttpRequest } from "./http-exchange.js";
import { httpLimits } from "./http-options.js";
import { HttpRefusal } from "./http-refusal.js";
import { readMessage } from "./request-message.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

async function read(request: Partial<HttpRequest>): Promise<unknown> {
  // The message is read from these members alone.
  return readMessage(request as HttpRequest, httpLimits({ maxJsonDepth: 4, maxJsonNodes: 40 })).catch(
    (error: unknown) => {
      expect(error).toBeInstanceOf(HttpRefusal);
      const { status, error: answer } = error as HttpRefusal;
      return { status, code: answer?.code };
    },
  );
}

it("takes the text of the body, or what a framework made of it", async () => {
  expect(await read({ body: async () => '{"a":1}' })).toEqual({ a: 1 });
  expect(await read({ parsedBody: { a: 1 } })).toEqual({ a: 1 });
  expect(await read({ parsedBody: '{"a":1}' })).toEqual({ a: 1 });
  expect(await read({ parsedBody: bytes('{"a":1}') })).toEqual({ a: 1 });
});

it("answers what is no JSON with 400 and -32700, and what is too deep or too much with -32600", async () => {
  expect(await read({ parsedBody: "{" })).toEqual({ status: 400, code: -32700 });
  expect(await read({ parsedBody: "\uFEFF{}" })).toEqual({ status: 400, code: -32700 });
  expect(await read({ parsedBody: bytes("\uFEFF{}") })).toEqual({ status: 400, code: -32700 });
  expect(await read({ parsedBody: Uint8Array.of(0x22, 0xff, 0x22) })).toEqual({ status: 400, code: -32700 });
  expect(await read({ parsedBody: nested(5) })).toEqual({ status: 400, code: -32600 });
  expect(await read({ parsedBody: JSON.parse(nested(5)) })).toEqual({ status: 400, code: -32600 });
  expect(await read({ parsedBody: JSON.parse(nested(100_000)) })).toEqual({ status: 400, code: -32600 });
  const many = Array.from({ length: 40 }, () => []);
  expect(await read({ parsedBody: many })).toEqual({ status: 400, code: -32600 });
  expect(await read({ parsedBody: JSON.stringify(many) })).toEqual({ status: 400, code: -32600 });
  expect(await read({ parsedBody: many.slice(5) })).toEqual(many.slice(5));
  expect(await read({ parsedBody: { a: [{ b: [null] }] } })).toEqual({ a: [{ b: [null] }] });
});

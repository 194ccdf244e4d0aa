import fc from "fast-check";
import { expect, it } from "vitest";
import { ByteBuffer } from "./byte-buffer.js";

function gathered(chunks: readonly Uint8Array[]): ByteBuffer {
  const buffer = new ByteBuffer();
  for (const chunk of chunks) buffer.append(chunk);
  return buffer;
}

it("is empty before anything came", () => {
  expect([gathered([]).length, gathered([]).bytes()]).toEqual([0, new Uint8Array(0)]);
});

it("holds what came, however it was cut, and changes none of it", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 8 }), (chunks) => {
      const copies = chunks.map((chunk) => chunk.slice());
      const buffer = gathered(chunks);
      expect([...buffer.bytes()]).toEqual(copies.flatMap((copy) => [...copy]));
      expect(buffer.length).toBe(buffer.bytes().length);
      expect(chunks).toEqual(copies);
    }),
  );
});

it("takes about twice the size of a body that comes byte by byte", () => {
  const buffer = gathered(Array.from({ length: 10_000 }, () => Uint8Array.of(1)));
  expect(buffer.bytes().buffer.byteLength).toBeLessThanOrEqual(20_000);
});

it("lets go of what is taken", () => {
  const buffer = gathered([Uint8Array.of(1), Uint8Array.of(2)]);
  expect([...buffer.take()]).toEqual([1, 2]);
  expect(buffer.length).toBe(0);
  buffer.append(Uint8Array.of(3));
  expect([...buffer.bytes()]).toEqual([3]);
});

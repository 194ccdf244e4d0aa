import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { PIECE_LENGTH } from "../../wire/text-pieces.js";
import { BackpressureWriter } from "./backpressure-writer.js";

/** A stream that holds what it is given until `take`. */
function heldStream() {
  const held: { readonly text: string; readonly onWritten: (error?: Error | null) => void }[] = [];
  const taken: string[] = [];
  const stream = {
    end: vi.fn(),
    write: (text: string, onWritten: (error?: Error | null) => void) => void held.push({ text, onWritten }),
    get writableLength() {
      return held.reduce((length, { text }) => length + text.length, 0);
    },
  };
  const take = (error?: Error) => {
    const next = held.shift();
    if (next) taken.push(next.text);
    next?.onWritten(error);
    return next !== undefined;
  };
  return { stream, held, taken, take };
}

it("writes short texts at once and tells of none of them while the stream takes each", () => {
  const { stream, held, take } = heldStream();
  const onQueued = vi.fn();
  const writer = new BackpressureWriter(stream, onQueued);
  writer.write("a");
  take();
  writer.write("b");
  expect(held).toHaveLength(1);
  expect(onQueued).not.toHaveBeenCalled();
  writer.write("c");
  expect(onQueued).toHaveBeenLastCalledWith(2);
  take();
  expect(onQueued).toHaveBeenLastCalledWith(1);
  take();
  expect(onQueued).toHaveBeenLastCalledWith(0);
  writer.end();
  expect(stream.end).toHaveBeenCalledOnce();
});

it("writes long texts piece by piece, whole characters each, and shows the progress", () => {
  const { stream, held, taken, take } = heldStream();
  const queued: number[] = [];
  const writer = new BackpressureWriter(stream, (bytes) => void queued.push(bytes));
  const text = `${"x".repeat(PIECE_LENGTH - 1)}😀${"y".repeat(2 * PIECE_LENGTH)}`;
  writer.write(text);
  writer.write("z");
  writer.end();
  expect(held).toHaveLength(1);
  expect(stream.end).not.toHaveBeenCalled();
  while (take());
  expect(taken.join("")).toBe(`${text}z`);
  expect(String(taken[0]).endsWith("😀")).toBe(true);
  expect(queued.slice(1)).toEqual([...queued.slice(1)].sort((a, b) => b - a));
  expect(queued.at(-1)).toBe(0);
  expect(stream.end).toHaveBeenCalledOnce();
});

it("calls back when few enough bytes are queued", () => {
  const { stream, take } = heldStream();
  const writer = new BackpressureWriter(stream, () => {});
  const [now, half, empty] = [vi.fn(), vi.fn(), vi.fn()];
  writer.write("x".repeat(2 * PIECE_LENGTH));
  writer.whenQueued(2 * PIECE_LENGTH, now);
  writer.whenQueued(PIECE_LENGTH, half);
  writer.whenQueued(0, empty);
  expect([now, half, empty].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 0]);
  take();
  expect([half, empty].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
  take();
  expect(empty).toHaveBeenCalledOnce();
});

it.each([true, false])("drops everything when the stream fails; queued bytes were reported: %s", (isLong) => {
  const { stream, held, take } = heldStream();
  const onQueued = vi.fn();
  const writer = new BackpressureWriter(stream, onQueued);
  const listener = vi.fn();
  writer.write("x".repeat(isLong ? 3 * PIECE_LENGTH : 1));
  writer.whenQueued(0, listener);
  take(new Error("gone"));
  expect(listener).toHaveBeenCalledOnce();
  expect(held).toEqual([]);
  if (isLong) expect(onQueued).toHaveBeenLastCalledWith(0);
  else expect(onQueued).not.toHaveBeenCalled();
});

it("writes every text whole and in order, whenever the stream takes it", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(3 * PIECE_LENGTH), fc.nat(3)), { maxLength: 8 }), (writes) => {
      const { stream, taken, take } = heldStream();
      const writer = new BackpressureWriter(stream, () => {});
      let all = "";
      for (const [index, [length, takes]] of writes.entries()) {
        const text = String(index).repeat(length);
        all += text;
        writer.write(text);
        for (let count = 0; count < takes; count += 1) take();
      }
      while (take());
      expect(taken.join("") === all).toBe(true);
      expect(writer.queuedBytes).toBe(0);
    }),
  );
});

it("gathers short texts that wait into pieces", () => {
  const { stream, taken, take } = heldStream();
  const writer = new BackpressureWriter(stream, () => {});
  writer.write("x".repeat(PIECE_LENGTH));
  for (let index = 0; index < PIECE_LENGTH; index += 1) writer.write("ab");
  while (take());
  expect(taken.map(({ length }) => length)).toEqual([PIECE_LENGTH, PIECE_LENGTH, PIECE_LENGTH]);
});

it("hands over pieces of a long text as bytes, which do not keep the text", () => {
  const { stream, held, take } = heldStream();
  const writer = new BackpressureWriter(stream, vi.fn());
  writer.write("x".repeat(2 * PIECE_LENGTH));
  expect(held[0]?.text).toBeInstanceOf(Uint8Array);
  while (take());
  writer.write("short");
  expect(held[0]?.text).toBe("short");
});

it("writes bytes in longer pieces while the stream takes each at once, and in short ones once it does not", () => {
  const lengths: number[] = [];
  let held = 0;
  let isFull = false;
  const stream = {
    end: () => undefined,
    write: (piece: string | Uint8Array) => {
      lengths.push(piece.length / PIECE_LENGTH);
      if (isFull) held += piece.length;
    },
    get writableLength() {
      return held;
    },
  };
  const writer = new BackpressureWriter(stream, () => undefined);
  writer.write(new Uint8Array(12 * PIECE_LENGTH));
  expect(lengths.splice(0)).toEqual([1, 4, 4, 3]);

  isFull = true;
  writer.write(new Uint8Array(12 * PIECE_LENGTH));
  expect(lengths.splice(0)).toEqual([4]);
  held = 0;
  writer.write(new Uint8Array(1));
  expect(lengths).toEqual([1]);
});

import { expect, test } from "vitest";
import { DpopNonces } from "./dpop-nonces.js";

test("the nonces of this period and of the one before are accepted, and no others", async () => {
  let nowMs = 1_000_000;
  const nonces = new DpopNonces({ rotateMs: 1_000, now: () => nowMs });
  const first = await nonces.current();
  expect(await nonces.accepts(first)).toBe(true);
  nowMs += 1_000;
  expect(await nonces.current()).not.toBe(first);
  expect(await nonces.accepts(first)).toBe(true);
  nowMs += 1_000;
  expect(await nonces.accepts(first)).toBe(false);
  expect(await nonces.accepts("")).toBe(false);
});

test("processes with one secret accept each other's nonces, others do not", async () => {
  const secret = new Uint8Array(32).fill(7);
  const now = () => 5;
  const nonce = await new DpopNonces({ secret, now }).current();
  expect(await new DpopNonces({ secret, now }).accepts(nonce)).toBe(true);
  expect(await new DpopNonces({ now }).accepts(nonce)).toBe(false);
});

test("a nonce lasts two minutes by default", async () => {
  const nonces = new DpopNonces();
  expect(await nonces.accepts(await nonces.current())).toBe(true);
});

test("a secret of less than 32 bytes is refused", () => {
  expect(() => new DpopNonces({ secret: new Uint8Array(31) })).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("32 bytes") }),
  );
});

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

test("a secret may change, and ends the nonces before", async () => {
  let fill = 7;
  const nonces = new DpopNonces({ secret: async () => new Uint8Array(32).fill(fill), now: () => 5 });
  const nonce = await nonces.current();
  expect(await nonces.accepts(nonce)).toBe(true);
  fill = 8;
  expect(await nonces.accepts(nonce)).toBe(false);
});

test("a nonce lasts two minutes by default", async () => {
  const nonces = new DpopNonces();
  expect(await nonces.accepts(await nonces.current())).toBe(true);
});

test.each([new Uint8Array(31), "x".repeat(32)])("a secret other than 32 bytes or more is refused (%#)", (secret) => {
  expect(() => new DpopNonces({ secret: secret as Uint8Array })).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("32 bytes") }),
  );
});

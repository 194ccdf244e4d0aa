import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { SessionDigests } from "./session-digest.js";

it("is half of the SHA-256 of the id, and there at once the second time", async () => {
  const digests = new SessionDigests();
  const expected = createHash("sha256").update("s-1").digest("hex").slice(0, 32);
  const first = digests.of("s-1");
  expect(first).toBeInstanceOf(Promise);
  expect(await first).toBe(expected);
  expect(digests.of("s-1")).toBe(expected);
});

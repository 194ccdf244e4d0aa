import { expect, test } from "vitest";
import { maskSecrets, maskShortened } from "./secrets.js";

const SECRET = 's3cr"et/tökén';

test.each([
  ["as it is", SECRET],
  ["in JSON", JSON.stringify({ said: SECRET })],
  ["in JSON within JSON", JSON.stringify({ text: JSON.stringify({ said: SECRET }) })],
  ["in a URL", `?said=${encodeURIComponent(SECRET)}`],
  ["in Base64", Buffer.from(SECRET).toString("base64")],
  ["within a text in Base64", Buffer.from(`a${SECRET}b`).toString("base64")],
  ["later within a text in Base64", Buffer.from(`ab${SECRET}`).toString("base64url")],
])("a secret %s is masked", (_where, text) => {
  const masked = maskSecrets(text, [SECRET]);

  expect(masked).toContain("***");
  expect(masked).not.toMatch(/s3cr|k%C3|M2Ny|zNjc/);
});

test("the beginning of a secret is masked where a text was shortened", () => {
  expect(maskShortened("a 12345… and 12345 more", ["1234567890"])).toBe("a ***… and 12345 more");
});

test("a short beginning of a secret stays", () => {
  expect(maskShortened("a 123…", ["1234567890"])).toBe("a 123…");
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { SdkError } from "../../errors/sdk-error.js";
import { isJsonObject } from "../../runtime/json.js";
import { parseTokenResponse } from "./token-response.js";

const usual = { access_token: "token", token_type: "bearer" };

it("reads what servers send, numbers as text included", () => {
  const full = { ...usual, token_type: "DPOP", refresh_token: "r", scope: "b a b", expires_in: "60" };
  expect(parseTokenResponse(full)).toEqual({
    accessToken: "token",
    scheme: "DPoP",
    refreshToken: "r",
    scopes: ["b", "a"],
    expiresInMs: 60_000,
  });
  const nulls = { ...usual, refresh_token: null, scope: null, expires_in: null };
  expect(parseTokenResponse(nulls)).toMatchObject({
    scheme: "Bearer",
    refreshToken: undefined,
    expiresInMs: undefined,
  });
});

it.each([
  [{ ...usual, access_token: undefined }, "access_token is missing"],
  [{ ...usual, access_token: "a\r\nb" }, "access_token must be visible ASCII"],
  [{ ...usual, refresh_token: "a".repeat(65_537) }, "refresh_token must be visible ASCII"],
  [{ ...usual, token_type: "mac" }, "token_type"],
  [{ ...usual, token_type: undefined }, "token_type"],
  [{ ...usual, expires_in: "soon" }, "expires_in"],
  [{ ...usual, expires_in: -1 }, "expires_in"],
  [{ ...usual, expires_in: 1e308 }, "expires_in"],
])("refuses %o", (value, complaint) => {
  const given = Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
  expect(() => parseTokenResponse(given)).toThrow(complaint);
});

it("throws nothing else, whatever it is given, and never repeats a token", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("access_token", "token_type", "expires_in", "scope"), fc.jsonValue()),
      (value) => {
        try {
          if (isJsonObject(value)) parseTokenResponse(value);
        } catch (error) {
          expect(error).toBeInstanceOf(SdkError);
          expect((error as Error).message.length).toBeLessThan(160);
        }
      },
    ),
  );
});

import { expect, it } from "vitest";
import { OAuthError } from "./oauth-error.js";

it("says code and description", () => {
  const cause = new Error("socket");
  const error = new OAuthError("invalid_grant", "the code was used", { status: 400, cause });
  expect(error.message).toBe("invalid_grant: the code was used");
  expect(error).toMatchObject({ code: "invalid_grant", description: "the code was used", status: 400, cause });
});

it("does with the code alone", () => {
  const error = new OAuthError("server_error");
  expect(error.message).toBe("server_error");
  expect("cause" in error).toBe(false);
});

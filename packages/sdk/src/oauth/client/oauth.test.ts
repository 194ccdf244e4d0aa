import { expect, it } from "vitest";
import { clientCredentials, oauth } from "./oauth.js";

it("refuses a redirect URI that a browser must not be sent to", () => {
  const receive = async () => new URLSearchParams();
  for (const redirectUri of ["javascript:alert(1)", "http://app.example.com/cb", "nowhere"]) {
    expect(() => oauth({ redirect: { redirectUri, receive } })).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("redirect.redirectUri") }),
    );
  }
});

it("refuses a program without credentials", () => {
  expect(() => clientCredentials({ client: { clientId: "id" } })).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("clientSecret") }),
  );
});

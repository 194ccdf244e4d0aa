import { describe, expect, it } from "vitest";
import { emailDomains, memberOf, namesOf, type UpstreamUser } from "./upstream-user.js";

const ADA: UpstreamUser = { provider: "corp", issuer: "https://corp.example", subject: "1", claims: {} };

describe("emailDomains", () => {
  const allow = emailDomains("Example.com", "example.org");

  it("lets the verified addresses of the domains in, in any case", () => {
    expect(allow({ ...ADA, email: "ada@EXAMPLE.com" })).toBe(true);
    expect(allow({ ...ADA, email: "ada@example.org" })).toBe(true);
  });

  it.each(["ada@sub.example.com", "ada@evilexample.com", "example.com", "ada@example.com@evil.test"])(
    "refuses %s with the domains",
    (email) => {
      expect(allow({ ...ADA, email })).toBe("Only addresses of example.com, example.org are allowed.");
    },
  );

  it("refuses who has no verified address", () => {
    expect(allow(ADA)).toBe("The provider has not verified an e-mail address of yours.");
  });
});

describe("memberOf", () => {
  const allow = memberOf("Octo-Org");

  it("lets members in, and refuses others with the organizations", () => {
    expect(allow({ ...ADA, organizations: ["other", "octo-org"] })).toBe(true);
    expect(allow({ ...ADA, organizations: ["other"] })).toBe("Only members of octo-org are allowed.");
    expect(allow(ADA)).toBe("Only members of octo-org are allowed.");
  });
});

it("rules without a name are refused", () => {
  expect(() => emailDomains()).toThrow("emailDomains: expected at least one name");
  expect(() => memberOf()).toThrow("memberOf: expected at least one name");
});

it("takes the name of the user from its field, else from preferred_username", () => {
  expect(namesOf({ name: "Ada", preferred_username: "ada" })).toEqual({ name: "Ada" });
  expect(namesOf({ preferred_username: "ada" })).toEqual({ name: "ada" });
  expect(namesOf({ nickname: "A", name: "Ada" }, "nickname")).toEqual({ name: "A" });
  expect(namesOf({ name: 7, email: "a@b.example" })).toEqual({});
});

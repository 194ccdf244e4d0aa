import { describe, expect, test } from "vitest";
import { parseRequired, parseScenarios } from "./catalog.js";

describe("the referee's list of scenarios", () => {
  test("names each scenario with the revisions it applies at", () => {
    const listing = [
      "Client scenarios (test against a client):",
      "  - tools_call [2025-06-18,2026-07-28]",
      "  - auth/dpop [extension]",
      "",
    ].join("\n");

    expect(parseScenarios("client", listing)).toEqual([
      { leg: "client", name: "tools_call", revisions: ["2025-06-18", "2026-07-28"] },
      { leg: "client", name: "auth/dpop", revisions: [] },
    ]);
  });
});

describe("the referee's list of requirements", () => {
  test("holds what is scored on each leg, and not what is only reported", () => {
    const listing = [
      "Required for 2025-11-25 (3 scenarios, frozen; run at the 2025-11-25 wire):",
      "",
      "Server scenarios (test against a server):",
      "  - ping",
      "",
      "Client scenarios (test against a client):",
      "  - initialize",
      "  - auth/dpop",
      "",
      "Run and reported, but never scored:",
      "  pending (1):",
      "    - server-sse-polling [server]",
    ].join("\n");

    expect(parseRequired(listing)).toEqual({ server: ["ping"], client: ["initialize", "auth/dpop"] });
  });
});

test.each([
  ["scenarios", () => parseScenarios("server", "Server scenarios:\n  * ping")],
  ["requirements", () => parseRequired("Required for 2025-11-25:\n  * ping")],
])("a list of %s without any is not as expected", (_list, parse) => {
  expect(parse).toThrow("* ping");
});

/** Logins with parts of others: one test for each client, server and authorization server. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { departuresOf, featuresOf, runLogins } from "./login-checks.js";
import { loginPairs } from "./login-pairs.js";
import { loginTable, loginVersions } from "./login-table.js";

const page = readFileSync(new URL("../../../docs/interop.md", import.meta.url), "utf8");

test.each(loginPairs)(
  "$client.name logs in to $server.name with the authorization server $server.authorizationServer",
  async (pair) => {
    const outcomes = await runLogins(pair);
    for (const feature of featuresOf(pair)) {
      const departure = departuresOf(pair)[feature];
      expect(outcomes[feature], feature).toMatch(departure?.complaint ?? /^passed$/);
    }
  },
);

describe("docs/interop.md", () => {
  test("has the table of logins", () => {
    expect(page).toContain(`${loginTable(loginPairs).join("\n")}\n\n${loginVersions(loginPairs)}\n`);
  });

  test("shows every departure with the wire", () => {
    for (const { id } of loginPairs.flatMap((pair) => Object.values(departuresOf(pair)))) {
      expect(page.split(`#### ${id}\n`)[1]?.split("\n#")[0]).toMatch(/```text\n[^`]*^[<>] /m);
    }
  });
});

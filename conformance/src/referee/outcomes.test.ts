import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FINISHED } from "../finished.js";
import { readOutcomes } from "./outcomes.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "outcomes-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeRun(name: string, files: { readonly [file: string]: string }): void {
  mkdirSync(join(folder, name), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text);
}

const passed = JSON.stringify([{ id: "a", name: "A", status: "SUCCESS", description: "It holds" }]);

describe("reading the referee's notes", () => {
  test("a server's folder is named after the scenario, with a prefix and a time", () => {
    writeRun("server-server-initialize-2026-11-15T12-18-59-439Z", { "checks.json": passed });

    expect(readOutcomes(folder, "server", "2025-11-25")).toEqual([
      {
        leg: "server",
        scenario: "server-initialize",
        revision: "2025-11-25",
        checks: [{ id: "a", status: "SUCCESS", description: "It holds" }],
      },
    ]);
  });

  test("a client's folder may lie in another one", () => {
    writeRun("auth/iss-supported-2026-11-15T12-18-59-439Z", {
      "checks.json": passed,
      "stdout.txt": `${FINISHED}\n`,
      "stderr.txt": "a warning\n",
    });

    const [outcome] = readOutcomes(folder, "client", "2026-07-28");

    expect(outcome).toMatchObject({ scenario: "auth/iss-supported", checks: [{ id: "a" }] });
    expect(outcome?.checks).toHaveLength(1);
  });

  test("a client that did not get to the end has failed, whatever the referee says", () => {
    writeRun("initialize-2026-11-15T12-18-59-439Z", {
      "checks.json": passed,
      "stdout.txt": "",
      "stderr.txt": "Error: it broke\n",
    });

    const [outcome] = readOutcomes(folder, "client", "2025-11-25");

    expect(outcome?.checks[1]).toMatchObject({
      id: "client-finished",
      status: "FAILURE",
      errorMessage: "Error: it broke",
    });
  });

  test("a status that the referee did not have so far is refused", () => {
    writeRun("server-ping-2026-11-15T12-18-59-439Z", { "checks.json": '[{ "id": "a", "status": "MAYBE" }]' });

    expect(() => readOutcomes(folder, "server", "2025-11-25")).toThrow("status");
  });
});

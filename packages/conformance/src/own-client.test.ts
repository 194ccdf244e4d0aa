/** The client of this repository, and a program, checked as clients. */
import { expect, test } from "vitest";
import { runCommand } from "./cli/command.js";
import { runClientChecks } from "./client/client-runner.js";
import { driveOwnClient } from "./client/scripted/own-client.fixture.js";

test("the client of this repository fails no check", async () => {
  const report = await runClientChecks({
    name: "own",
    mask: (text) => text,
    isSelected: () => true,
    concurrency: 8,
    run: async ({ target, scenario }) => {
      await driveOwnClient(target[0] ?? "", scenario).catch(() => undefined);
      return "done";
    },
  });

  expect(
    report.findings.filter(({ outcome }) => outcome === "failed").map(({ check, got }) => `${check}: ${got}`),
  ).toEqual([]);
  expect(report.checked).toEqual(["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]);
});

/** A client that knows the legacy era, and forgets its session. */
const FORGETFUL = `
const url = process.argv.at(-1);
const send = (message) => fetch(url, {
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  body: JSON.stringify({ jsonrpc: "2.0", ...message }),
});
const clientInfo = { name: "forgetful", version: "1" };
await send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
await send({ method: "notifications/initialized" });
await send({ id: 2, method: "tools/list" });
`;

async function run(...argv: readonly string[]) {
  let output = "";
  const print = (text: string) => {
    output += text;
  };
  const code = await runCommand({ argv, env: process.env, print, complain: print, isTerminal: false });
  return { code, output };
}

test("a program that forgets its session exits with 1 and is told so", async () => {
  const { code, output } = await run(
    "client",
    "--verbose",
    "--",
    process.execPath,
    "--input-type=module",
    "-e",
    FORGETFUL,
  );

  expect(output).toContain("FAILURE client-session-kept (2025-03-26, 2025-06-18, 2025-11-25)");
  expect(output).toContain("FAILURE client-version-kept (2025-06-18, 2025-11-25)");
  expect(code).toBe(1);
});

test("a program that sends nothing exits with 2 and says how it ended", async () => {
  const { code, output } = await run(
    "client",
    "--",
    process.execPath,
    "-e",
    "console.error('no URL'); process.exit(7)",
  );

  expect(output).toContain("exited with 7; its last output: no URL");
  expect(code).toBe(2);
});

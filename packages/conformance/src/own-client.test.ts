/** The client of this repository, and a program, checked as clients. */
import { expect, test } from "vitest";
import { runCommand } from "./cli/command.js";
import { runClientChecks } from "./client/client-runner.js";
import { driveOwnClient } from "./client/scripted/own-client.fixture.js";

test("the client of this repository fails no check", async () => {
  const report = await runClientChecks({
    name: "own",
    concurrency: 8,
    run: async (trial) => {
      await driveOwnClient(trial).catch(() => undefined);
      return "done";
    },
  });

  expect(
    report.findings.filter(({ outcome }) => outcome === "failed").map(({ check, got }) => `${check}: ${got}`),
  ).toEqual([]);
  expect(report.findings.filter(({ outcome }) => outcome === "not observed").map(({ check }) => check)).toEqual([]);
  expect(report.checked).toEqual(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]);
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
    "--only",
    "client-legacy-requests",
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
    "--only",
    "client-modern-requests",
    "--",
    process.execPath,
    "-e",
    "console.error('no URL'); process.exit(7)",
  );

  expect(output).toContain("exited with 7; its last output: no URL");
  expect(code).toBe(2);
});

/** A client that starts its server, and forgets to say that it is initialized. */
const HASTY = `
import { spawn } from "node:child_process";
const [command, ...args] = JSON.parse(process.env.MCP_SERVER_COMMAND);
const { stdin, stdout } = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const send = (message) => stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const clientInfo = { name: "hasty", version: "1" };
send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
stdout.once("data", () => {
  send({ id: 2, method: "tools/list" });
  stdout.once("data", () => stdin.end());
});
`;

test("a program that starts its server over standard streams is told what it does wrong", async () => {
  const { code, output } = await run(
    "client",
    "--only",
    "client-stdio-initialize*",
    "--revision",
    "2025-11-25",
    "--",
    process.execPath,
    "--input-type=module",
    "-e",
    HASTY,
  );

  expect(output).toContain("FAILURE client-stdio-initialized (2025-11-25)");
  expect(output).toContain('line: {"jsonrpc":"2.0","id":2,"method":"tools/list"}');
  expect(code).toBe(1);
});

test("the command of a server takes the place of {server} in the arguments", async () => {
  const { output } = await run(
    "client",
    "--only",
    "client-stdio",
    "--revision",
    "2025-11-25",
    "--",
    process.execPath,
    "-e",
    "console.log(process.argv.slice(1).map((arg) => arg.replace(/.*[\\\\/]/, '')).join(' '))",
    "before",
    "{server}",
    "after",
  );

  expect(output).toMatch(/its last output: before node(\.exe)? stdio-relay\.js \d+ after/);
});

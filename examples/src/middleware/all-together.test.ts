import { expect, test, vi } from "vitest";

const sees = (name: string, tools: string, pair: readonly string[]) => [
  `  audit: ${name} tools/list  {}: ok`,
  `${name} sees ${tools}`,
  ...pair,
];
const audit = (name: string, tool: string, account: string, outcome: string) =>
  `  audit: ${name} tools/call ${tool} {"account":"${account}","pin":"(string)"}: ${outcome}`;

test("the program shows each middleware at work, in both eras", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await import("./all-together.js");
  const shown = log.mock.calls.flatMap(([line]) => String(line).split("\n"));
  log.mockRestore();

  const rest = (name: string, crash: string) => [
    `  report: ${crash}, Error: ledger page 7 is torn`,
    audit(name, "balance", "7", "error -32603"),
    `${name} hears: Internal error, reference ${crash}`,
    audit(name, "balance", "1", "ok"),
    `${name} hears: 1 holds 100`,
    `${name} hears: Too many requests for tools/call: this connection may send 0.001 per second, 3 at once; try again later`,
  ];
  const conversation = (revision: string, opening: string) => [
    "",
    revision,
    `  audit: guest ${opening}  {}: ok`,
    ...sees("guest", "balance", [
      audit("guest", "withdraw", "1", "error -32602"),
      "guest hears: Unknown tool: withdraw",
      ...rest("guest", "crash-1"),
    ]),
    `  audit: owner ${opening}  {}: ok`,
    ...sees("owner", "balance, withdraw", [
      audit("owner", "withdraw", "1", "ok"),
      "owner hears: 100 taken from 1",
      ...rest("owner", "crash-2"),
    ]),
  ];
  expect(shown).toEqual([
    ...conversation("2025-11-25", "initialize"),
    ...conversation("2026-07-28", "server/discover"),
  ]);
  expect(shown.join()).not.toContain("1234");
});

import { Client } from "parley-mcp/client";
import { ChildProcessTransport, serveHttp } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const IDENTITY = { name: "peer", version: "1.0.0" };

verifies(
  "limits:options:numbers",
  "NaN, a text, null and -1 are refused by client, server, transport and host",
  async () => {
    const consumers: [option: string, use: (options: object) => unknown][] = [
      ["maxInputRounds", (options) => new Client({ ...IDENTITY, ...options })],
      ["timeoutMs", (options) => new Client({ ...IDENTITY, ...options })],
      ["maxBatchItems", (options) => new McpServer({ ...IDENTITY, ...options })],
      ["exitGraceMs", (options) => new ChildProcessTransport({ command: "never-started", ...options })],
      ["maxBodyBytes", (options) => serveHttp(new McpServer(IDENTITY), { port: 0, ...options })],
    ];

    for (const [option, use] of consumers) {
      for (const value of [Number.NaN, "8", null, -1]) {
        await expect((async () => use({ [option]: value }))()).rejects.toMatchObject({
          code: "invalid-argument",
          message: expect.stringContaining(`${option}: expected a`),
        });
      }
    }
  },
);

verifies("limits:options:numbers", "the least value and Infinity are accepted", () => {
  for (const maxInputRounds of [0, Number.POSITIVE_INFINITY]) {
    expect(() => new Client({ ...IDENTITY, maxInputRounds })).not.toThrow();
  }
});

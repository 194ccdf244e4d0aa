import { Client } from "parley-mcp/client";
import type { JsonObject } from "parley-mcp/types";
import { expect, vi } from "vitest";
import { RawProgram, scriptProgram, serverProgram } from "../../src/stdio/raw-lines.js";
import { verifies } from "../../src/verifies.js";

const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

function call(id: string | number, name: string, era: "legacy" | "modern"): JsonObject {
  const _meta = { progressToken: "p", ...(era === "modern" && MODERN) };
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {}, _meta } };
}

async function shakeHands({ lines }: RawProgram): Promise<void> {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  lines.send({ jsonrpc: "2.0", id: "init", method: "initialize", params });
  expect(await lines.receive()).toMatchObject({ id: "init", result: {} });
  lines.send({ jsonrpc: "2.0", method: "notifications/initialized" });
}

verifies(
  "transport:stdio:duplicate-id",
  "a second request under a pending id is refused at once, and the first is answered when it is done",
  async () => {
    for (const era of ["legacy", "modern"] as const) {
      await using program = new RawProgram(serverProgram());
      const { lines } = program;
      if (era === "legacy") await shakeHands(program);
      lines.send(call(1, "until-the-end", era));
      expect(await lines.receive()).toMatchObject({ method: "notifications/progress" });
      lines.send(call(1, "greet", era));
      expect(await lines.receive()).toMatchObject({ id: 1, error: { code: -32600 } });
      lines.send(call("1", "greet", era));
      expect(await lines.receive()).toMatchObject({ id: "1", result: {} });
      lines.end();
      expect(await lines.receive()).toMatchObject({ id: 1, result: { content: [{ text: "done" }] } });
      expect(await lines.rest()).toEqual([]);
    }
  },
);

verifies(
  ["transport:stdio:unreadable-lines", "transport:stdio:node-limit", "transport:stdio:line-limit"],
  "a real process answers each bad line without an id, and serves the next",
  async () => {
    await using program = new RawProgram(serverProgram());
    const { lines } = program;
    const ping = '{"jsonrpc":"2.0","method":"ping","id":1}';
    const bom = `\uFEFF${JSON.stringify(call(1, "greet", "modern"))}\n`;
    for (const [index, [line, code]] of (
      [
        ['{"jsonrpc":"2.0","id":1,\n', -32700],
        [Uint8Array.of(0x22, 0xff, 0x22, 0x0a), -32700],
        [bom, -32700],
        ["7\n", -32600],
        ["[]\n", -32600],
        ['{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600],
        ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n', -32600],
        [`${ping.replace("1", `1,"x":${"[".repeat(100_000)}${"]".repeat(100_000)}`)}\n`, -32600],
        [`"${"x".repeat(10 * 1024 * 1024)}"\n`, -32600],
      ] as const
    ).entries()) {
      lines.send(line);
      const refusal = await lines.receive();
      expect(refusal).toEqual({ jsonrpc: "2.0", error: { code, message: expect.any(String) } });
      lines.send(call(index, "greet", "modern"));
      expect(await lines.receive()).toMatchObject({ id: index, result: { resultType: "complete" } });
    }
  },
);

/** Prints what is no message around every answer, which it gives under the wrong id, twice, and after a request of its own. */
const NOISY = `
  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  console.log("Listening on 3000");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    console.log(JSON.stringify({ level: "info", msg: method }));
    process.stdout.write(Buffer.from([0xff, 0x0a]));
    if (method === undefined) console.error("answered: " + line);
    say({ id: 99, method: "roots/list" });
    say({ id: 4711, result: {} });
    say({ id, result: { resultType: "complete" } });
    say({ id, result: { resultType: "complete" } });
  });`;

verifies(
  "transport:stdio:noise",
  "noise, a server's request and stray answers of a real process are reported, and every call gets its own",
  async () => {
    const errors: unknown[] = [];
    const stderr: string[] = [];
    const client = await Client.connect(
      { ...scriptProgram(NOISY), stderr: (line) => stderr.push(line) },
      {
        name: "client",
        version: "1.0.0",
        revision: "2026-07-28",
        listRoots: () => [],
        onError: (error) => errors.push(error),
      },
    );
    await client.request("own/first");
    await client.request("own/second");
    const invalid = { code: "invalid-message" };
    const stray = { code: "unexpected-answer" };
    const perCall = [invalid, invalid, invalid, stray, stray];
    // The last of them come after the answer.
    await vi.waitFor(() => expect(errors).toMatchObject([invalid, ...perCall, ...perCall]));
    await client.close();
    expect(stderr).toEqual([]);
  },
);

import { PassThrough } from "node:stream";
import { StreamTransport, serveStdio } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect, vi } from "vitest";
import { deferred } from "../../src/deferred.js";
import { RawProgram, scriptProgram, serverProgram } from "../../src/stdio/raw-lines.js";
import { verifies } from "../../src/verifies.js";

function modernCall(id: number, name: string): JsonObject {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    progressToken: id,
  };
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {}, _meta } };
}

verifies("transport:stdio:dual-era", "requests of both eras interleave on one pipe of a real process", async () => {
  await using program = new RawProgram(serverProgram());
  const { lines } = program;
  lines.send(modernCall(1, "greet"));
  expect(await lines.receive()).toMatchObject({ id: 1, result: { resultType: "complete" } });
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  lines.send({ jsonrpc: "2.0", id: 2, method: "initialize", params });
  expect(await lines.receive()).toMatchObject({ id: 2, result: { protocolVersion: "2025-06-18" } });
  lines.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  lines.send({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "greet" } });
  expect((await lines.receive()).result).not.toHaveProperty("resultType");
  lines.send(modernCall(4, "greet"));
  expect(await lines.receive()).toMatchObject({ id: 4, result: { resultType: "complete" } });
});

verifies(
  "transport:stdio:stream-purity",
  "console.log and process.stdout.write of a server do not disturb its messages",
  async () => {
    await using program = new RawProgram(serverProgram());
    program.lines.send(modernCall(1, "print"));
    program.lines.send(modernCall(2, "print"));
    expect(await program.lines.receive()).toMatchObject({ id: 1, result: {} });
    expect(await program.lines.receive()).toMatchObject({ id: 2, result: {} });
    program.lines.end();
    expect(await program.lines.rest()).toEqual([]);
    const printed = (await program.stderr).trim().split("\n");
    expect(printed[0]).toMatch(/console\.error/);
    const both = ["written to stdout", "printed with console.log"];
    expect(printed.slice(1)).toEqual([...both, ...both]);
  },
);

verifies(
  "transport:stdio:printing-before-and-after",
  "stdout belongs to the server's code again after serving has ended",
  async () => {
    const written: unknown[] = [];
    const take = (text: unknown, ...rest: unknown[]) => {
      const done = rest.at(-1);
      if (typeof done === "function") done();
      return written.push(text) > 0;
    };
    const write = vi.spyOn(process.stdout, "write").mockImplementation(take);
    const warned = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
    const ours = process.stdout.write;
    const server = new McpServer({ name: "server", version: "1.0.0" });
    const serving = await serveStdio(server, { input: new PassThrough() });
    process.stdout.write("during\n");
    await serving.close();
    process.stdout.write("after\n");
    const restored = process.stdout.write;
    write.mockRestore();
    const said = warned.mock.calls.map(([text]) => text);
    warned.mockRestore();
    expect([restored === ours, written.at(-1), said.at(-1)]).toEqual([true, "after\n", "during\n"]);
  },
);

verifies(
  "transport:stdio:end-of-input",
  "a process whose input has ended exits, although a handler hangs and a timer runs",
  async () => {
    await using program = new RawProgram(serverProgram());
    program.lines.send(modernCall(1, "hang"));
    expect(await program.lines.receive()).toMatchObject({ method: "notifications/progress" });
    program.lines.end();
    expect(await program.exited).toEqual([0, null]);
    expect(await program.lines.rest()).toEqual([]);
  },
);

verifies(
  "transport:stdio:last-answers",
  "a request and a subscription that are served when the input ends get their answers",
  async ({ connectTo }) => {
    const server = new McpServer({ name: "server", version: "1.0.0" });
    const [started, released] = [deferred(), deferred()];
    server.tool("slow", {}, async () => {
      started.resolve();
      await released.promise;
      return "done";
    });
    const [toServer, toClient] = [new PassThrough(), new PassThrough()];
    const serving = await serveStdio(server, { input: toServer, output: toClient });
    const client = await connectTo(() => new StreamTransport({ input: toClient, output: toServer }), {
      reconnect: false,
    });
    const subscription = await client.listen({ tools: true });
    const answer = client.callTool("slow");
    await started.promise;
    toServer.end();
    // Iterating throws where a connection is lost, and ends where the server ended the subscription.
    for await (const change of subscription) throw new Error(`unexpected: ${change.kind}`);
    // Longer than a connection takes that waits for nobody.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    released.resolve();
    expect(await answer).toMatchObject({ content: [{ text: "done" }] });
    await serving.closed;
    await client.close();
  },
);

verifies("transport:stdio:signals", "a process that gets SIGTERM answers what it serves, and then exits", async () => {
  await using program = new RawProgram(serverProgram());
  program.lines.send(modernCall(1, "until-the-end"));
  expect(await program.lines.receive()).toMatchObject({ method: "notifications/progress" });
  program.child.kill("SIGTERM");
  expect(await program.lines.receive()).toMatchObject({ id: 1, result: { content: [{ text: "done" }] } });
  expect(await program.exited).toEqual([0, null]);
});

verifies("transport:stdio:parent-death", "a server exits when the process that started it is killed", async () => {
  const { command, args } = serverProgram();
  const parent = `const { spawn } = require("node:child_process");
    const server = spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: ["pipe", "pipe", "inherit"] });
    server.stdout.once("data", () => tell("serving"));
    server.stdin.write(${JSON.stringify(`${JSON.stringify(modernCall(1, "hang"))}\n`)});
    setInterval(() => {}, 60_000);`;
  const program = new RawProgram(scriptProgram(parent));
  expect(await program.lines.receive()).toMatchObject({ method: "serving" });
  program.child.kill("SIGKILL");
  expect(await program.exited).toEqual([null, "SIGKILL"]);
  // The server inherited its stderr, which ends when nobody is left to write to it.
  expect(await program.stderr).toBe("");
});

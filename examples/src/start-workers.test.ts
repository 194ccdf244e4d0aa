/** What `npm start -- --workers 2` does: two processes on one port, for both eras, over several connections. */
import { Client } from "parley-mcp/client";
import { tasks } from "parley-mcp/tasks";
import { afterAll, expect, test } from "vitest";
import { CompiledExamples } from "../testing/compiled-examples.js";

const examples = new CompiledExamples();
afterAll(() => examples[Symbol.dispose]());

const start = () => examples.start("start", { args: ["--workers", "2"] });
const pidsIn = (output: string, pattern: RegExp) => new Set([...output.matchAll(pattern)].map(([, pid]) => pid));

test("two workers serve clients of both eras over several connections, and a session stays with its worker", async () => {
  await using program = start();
  const url = await program.url();
  await program.printed(/Workers \d+ and \d+ serve it/);

  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    const clients = await Promise.all(
      [1, 2, 3, 4].map(() => Client.connect(url, { name: "test", version: "1.0.0", revision })),
    );
    // Calls at the same time use connections of their own.
    const results = await Promise.all(
      clients.flatMap((client) => [1, 2, 3, 4].map(() => client.callTool("text_statistics", { text: "one two" }))),
    );
    expect(results.filter(({ isError }) => isError)).toEqual([]);
    await Promise.all(clients.map((client) => client.close()));
  }
  expect(pidsIn(program.output, /worker (\d+) +legacy tools\/call 200/g).size).toBe(2);
  expect(pidsIn(program.output, /worker (\d+) +modern tools\/call 200/g).size).toBe(2);
  expect(await program.stop()).toBe(0);
});

test("a worker that is killed is replaced, and clients go on", async () => {
  await using program = start();
  const url = await program.url();
  const pid = await program.printed(/Workers (\d+) and/);
  await using client = await Client.connect(url, { name: "test", version: "1.0.0" });
  process.kill(Number(pid), "SIGKILL");
  await program.printed(new RegExp(`worker ${pid} has ended, and is replaced`));
  const next = await program.printed(/worker (\d+) serves in the place of an ended one/);
  expect(next).not.toBe(pid);
  for (let call = 0; call < 10; call += 1) await client.listTools();
});

test("the long-running tool answers clients with tasks at every worker", async () => {
  await using program = start();
  const url = await program.url();
  await program.printed(/They offer no tasks: focus_timer is a call that waits/);
  const clients = await Promise.all(
    [1, 2, 3, 4].map(() => Client.connect(url, { name: "test", version: "1.0.0", extensions: [tasks] })),
  );
  const results = await Promise.all(clients.map((client) => client.callTool("focus_timer", { seconds: 0.1 })));
  expect(results.map(({ content }) => content)).toEqual(clients.map(() => [{ type: "text", text: "0.1 s are over" }]));
  await Promise.all(clients.map((client) => client.close()));
});

test.each([["0"], ["two"], ["100"]])("it refuses --workers %s", async (count) => {
  await using program = examples.start("start", { args: ["--workers", count] });
  expect(await program.exited()).toBe(1);
  expect(program.output).toBe(`--workers is "${count}"; expected a number from 1 to 99\n`);
});

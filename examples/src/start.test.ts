/** What `npm start` does about its port and its end. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { Client } from "parley-mcp/client";
import { afterAll, expect, test } from "vitest";
import { CompiledExamples } from "../testing/compiled-examples.js";

const examples = new CompiledExamples();
afterAll(() => examples[Symbol.dispose]());

test("it tells where it listens and how to connect", async () => {
  await using program = examples.start("start");
  const url = await program.url();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/mcp$/);
  expect(await program.printed(/claude mcp add \S+ http desk (\S+)/)).toBe(url);
  expect(await program.printed(/npx parley-check (\S+)/)).toBe(url);
  expect(await program.printed(/look at it +(\S+)/)).toBe(new URL("/", url).href);
  expect((await fetch(new URL("/", url))).status).toBe(200);
});

test("it listens on the port that PORT names", async () => {
  const port = await freePort();
  await using program = examples.start("start", { env: { PORT: `${port}` } });
  expect(await program.url()).toBe(`http://127.0.0.1:${port}/mcp`);
});

test("it says that its port is taken, and what to do", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const port = portOf(holder);
  await using program = examples.start("start", { env: { PORT: `${port}` } });
  expect(await program.exited()).toBe(1);
  expect(program.output).toBe(
    `Port ${port} is taken by another program. Stop that one, or choose another port: PORT=0 npm start\n`,
  );
  holder.close();
});

test.each(["http", "-1", "65536", "3000.5", " "])("it refuses PORT=%j", async (PORT) => {
  await using program = examples.start("start", { env: { PORT } });
  expect(await program.exited()).toBe(1);
  expect(program.output).toBe(`PORT is "${PORT}"; expected a number from 0 to 65535, 0 for any free port\n`);
});

test.each(["SIGINT", "SIGTERM"] as const)("it ends at %s while clients are connected", async (signal) => {
  await using program = examples.start("start");
  const url = await program.url();
  const page = await fetch(new URL("/events", url));
  await using client = await Client.connect(url, { name: "test", version: "1.0.0" });
  const changes = await client.listen({ resource: ["desk://clock"] });
  let outcome: Promise<void> | undefined;
  await new Promise<void>((onProgress) => {
    outcome = expect(
      client.callTool("focus_timer", { seconds: 60 }, { onProgress: () => onProgress() }),
    ).rejects.toThrow();
  });

  const since = performance.now();
  expect(await program.stop(signal)).toBe(0);
  expect(performance.now() - since).toBeLessThan(5_000);
  await outcome;
  // The server says that it ends them: neither is a lost connection.
  await expect(changes[Symbol.asyncIterator]().next()).resolves.toEqual({ done: true, value: undefined });
  await expect(page.text()).resolves.toContain('"isFirst":true');
});

test("it ends with the shell that npm has started it in", async () => {
  const command = ["-c", '"$0" "$1" & wait', process.execPath, examples.path("start")];
  const shell = spawn("sh", command, { env: { PORT: "0", npm_lifecycle_event: "start" } });
  let printed = "";
  for await (const text of shell.stdout.setEncoding("utf8")) {
    printed += text;
    if (printed.includes("Ctrl-C")) shell.kill("SIGKILL");
  }
  // The loop ends when nobody is left who could print.
  expect(printed).toMatch(/Stopping\n$/);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  server.close();
  await once(server, "close");
  return port;
}

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a port");
  return address.port;
}

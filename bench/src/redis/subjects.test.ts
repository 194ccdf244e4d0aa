import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { type BackendName, openBackend } from "./backends.js";
import { type BenchRedis, startRedis } from "./bench-redis.js";
import { SharedLoad } from "./shared-load.js";
import { measureSizes } from "./sizes.js";
import { defineServer, SUBJECTS, serveSubject } from "./subjects.js";

declare module "vitest" {
  interface ProvidedContext {
    redisPath: string | undefined;
  }
}

let redis: BenchRedis;
beforeAll(async () => {
  vi.stubEnv("REDIS_SERVER_PATH", inject("redisPath"));
  redis = await startRedis();
});
afterAll(() => redis?.[Symbol.asyncDispose]());

/** Commands of one operation. docs/when-a-part-fails.md shows them. */
const COMMANDS: Readonly<Record<string, number>> = {
  "call in a legacy session": 1,
  "resumable stream of 4 events": 6,
  "listen delivery": 1,
  "task: started, finished, read": 5,
};

async function commandsOf(name: BackendName, setting: string): Promise<number> {
  const subject = SUBJECTS.find((each) => each.setting === setting);
  const backend = await openBackend(name, redis.url);
  const server = defineServer(backend);
  const http = await serveSubject(server, backend);
  const lane = await subject?.open(http.url, server);
  await lane?.run();
  const before = backend.commands();
  for (let count = 0; count < 4; count += 1) await lane?.run();
  const commands = (backend.commands() - before) / 4;
  await lane?.close();
  await http.close();
  await backend.close();
  return commands;
}

describe("the measure redis", () => {
  test("has an expectation for each subject", () => {
    expect(Object.keys(COMMANDS)).toEqual(SUBJECTS.map(({ setting }) => setting));
  });

  test.each(Object.entries(COMMANDS))(
    "%s takes at most %i commands over Redis, and works in memory",
    async (setting, commands) => {
      const taken = await commandsOf("Redis", setting);
      expect(taken).toBeGreaterThan(0);
      // Fewer if polls of a task at the same time share one reply.
      expect(taken).toBeLessThanOrEqual(commands);
      expect(await commandsOf("memory", setting)).toBe(0);
    },
  );

  test("1,000 modern calls of a client take one command, for their share of the default rate", async () => {
    const backend = await openBackend("Redis", redis.url);
    const server = new McpServer({ name: "bench", version: "1.0.0", ...backend.server });
    server.tool("echo", () => "echo");
    const http = await serveSubject(server, backend);
    const client = await Client.connect(http.url, { name: "bench", version: "1.0.0" });
    const before = backend.commands();
    for (let count = 0; count < 1_000; count += 1) await client.callTool("echo");
    // The digest of a script that this Redis does not know yet is sent in vain.
    expect(backend.commands() - before).toBeGreaterThan(0);
    expect(backend.commands() - before).toBeLessThanOrEqual(2);
    await client.close();
    await http.close();
    await backend.close();
  });

  test("a session, an event and a task need no more of Redis than docs/when-a-part-fails.md says", async () => {
    const { sessionBytes, eventBytes, taskBytes } = await measureSizes(redis.url, 50);
    expect(sessionBytes).toBeLessThan(2_000);
    expect(eventBytes).toBeLessThan(300);
    expect(taskBytes).toBeLessThan(1_500);
  });

  test("a session is called at two processes in turn", async () => {
    const backends = [await openBackend("Redis", redis.url), await openBackend("Redis", redis.url)];
    const hosts = await Promise.all(backends.map((backend) => serveSubject(defineServer(backend), backend)));
    await using load = await SharedLoad.open(
      hosts.map(({ url }) => url),
      2,
    );
    expect(await load.callsPerSecond(50)).toBeGreaterThan(0);
    for (const host of hosts) await host.close();
    for (const backend of backends) await backend.close();
  });
});

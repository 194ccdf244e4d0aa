import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Queue } from "bullmq";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { TestRedis } from "../../redis/src/redis-server.fixture.js";
import { BullmqTaskRunner } from "./bullmq-task-runner.js";

let redis: TestRedis;
beforeAll(async () => {
  redis = await TestRedis.start({ isDurable: true });
});
afterAll(() => redis[Symbol.asyncDispose]());

const connection = () => ({ connection: { host: "127.0.0.1", port: Number(new URL(redis.url).port) } });

describe("BullmqTaskRunner", () => {
  it.each([
    [{ prefix: "a:b" }, "prefix: expected 1 to 64"],
    [{ queue: "" }, "queue: expected 1 to 64"],
    [{ maxWaitingJobs: 0 }, "maxWaitingJobs: expected a whole number from 1, got 0"],
    [{ commandTimeoutMs: 1.5 }, "commandTimeoutMs: expected a whole number from 1, got 1.5"],
  ])("refuses %j", async (options, message) => {
    await expect(BullmqTaskRunner.open(redis.url, options)).rejects.toThrow(message);
  });

  it.each(["localhost:6379", "http://localhost", "redis"])("refuses the URL %s", async (url) => {
    await expect(BullmqTaskRunner.open(url)).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("refuses a Redis that does not answer", async () => {
    const opened = BullmqTaskRunner.open("redis://127.0.0.1:1");
    await expect(opened).rejects.toMatchObject({
      code: "connection-closed",
      message: "Redis does not answer (ECONNREFUSED); is it running, and is the URL right?",
      cause: expect.any(Error),
    });
  });

  it("refuses a server that closes its connections", async () => {
    const closing = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    await once(closing, "listening");
    const { port } = closing.address() as AddressInfo;
    await expect(BullmqTaskRunner.open(`redis://127.0.0.1:${port}`)).rejects.toThrow(/^Redis does not answer \(.+\)/);
    closing.close();
  });

  it("stores one job per task, with nothing but its id", async () => {
    await using runner = await BullmqTaskRunner.open(redis.url, { prefix: "small", queue: "jobs" });
    await runner.start("a1");
    await runner.start("a1");
    await runner.start("b2");
    const queue = new Queue("jobs", { ...connection(), prefix: "small:1" });
    const jobs = await queue.getWaiting();
    expect(jobs.map(({ id, data }) => [id, data])).toEqual([
      ["task-a1", { taskId: "a1" }],
      ["task-b2", { taskId: "b2" }],
    ]);
    await queue.close();
  });

  it("takes no more than maxWaitingJobs", async () => {
    await using runner = await BullmqTaskRunner.open(redis.url, { prefix: "full", maxWaitingJobs: 2 });
    await runner.start("a1");
    await runner.start("b2");
    await expect(runner.start("c3")).rejects.toThrow("2 jobs wait for a worker");
  });

  it("adds a job once Redis is back, and reports the failure once", async () => {
    const errors: Error[] = [];
    const onError = (error: Error) => errors.push(error);
    await using runner = await BullmqTaskRunner.open(redis.url, { prefix: "away", onError });
    await redis.kill();
    const started = runner.start("a1");
    await vi.waitFor(() =>
      expect(errors.map(({ message }) => message)).toContain("Redis fails; tasks wait until it answers"),
    );
    await redis.restart();
    await started;
    await redis.kill();
    const again = runner.start("b2");
    await redis.restart();
    await again;
    const failures = errors.filter(({ message }) => message.startsWith("Redis fails"));
    expect(failures.length).toBeLessThanOrEqual(2);
  });

  it("rejects if Redis does not take a job for six seconds", async () => {
    await using runner = await BullmqTaskRunner.open(redis.url, { prefix: "hung", commandTimeoutMs: 50 });
    redis.pause();
    const since = performance.now();
    await expect(runner.start("a1")).rejects.toThrow();
    expect(performance.now() - since).toBeLessThan(15_000);
    redis.resume();
  });
});

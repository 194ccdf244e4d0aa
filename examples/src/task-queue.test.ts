/** What the example of tasks on a queue prints. */
import { afterAll, expect, test } from "vitest";
import { CompiledExamples } from "../testing/compiled-examples.js";
import { TestRedis } from "../testing/test-redis.js";

const examples = new CompiledExamples();
afterAll(() => examples[Symbol.dispose]());

test("task-queue finishes the task of a killed worker in another one, and pays once", async () => {
  await using redis = await TestRedis.start();
  await using program = examples.start("task-queue", { env: { REDIS_URL: redis.url } });
  expect(await program.exited()).toBe(0);
  expect(program.output).toContain("The first worker has begun the task. It is killed now.");
  expect(program.output).toContain("paid by first, printed by second");
});

test("task-queue says that it needs a Redis, without a stack trace", async () => {
  await using program = examples.start("task-queue", { env: { REDIS_URL: "redis://127.0.0.1:1" } });
  expect(await program.exited()).toBe(1);
  expect(program.output).toMatch(
    /^This example needs a Redis at REDIS_URL\. Redis does not answer \(.*ECONNREFUSED.*\n$/,
  );
});

/** Tasks over a queue with real processes: replicas, workers, and a Redis. */
import { reopenTask, startTool } from "parley-mcp/tasks";
import { describe, expect, it, vi } from "vitest";
import { useStudios } from "./studio.fixture.js";

const startStudio = useStudios();
const text = (value: string) => ({ content: [{ type: "text", text: value }] });

describe("a task of a replica", () => {
  it("runs in a worker, and another replica has its result", async () => {
    await using studio = await startStudio();
    const [first, second, worker] = await Promise.all([studio.replica(), studio.replica(), studio.worker("worker")]);
    const handle = await startTool(await studio.client(first), "held");
    await worker.said("begun");
    const elsewhere = reopenTask(await studio.client(second), handle.toJSON());
    expect((await elsewhere.status()).status).toBe("working");

    worker.tell("go");
    expect(await elsewhere.result()).toMatchObject(text("done by worker"));
    expect(await handle.result()).toMatchObject(text("done by worker"));
  });

  it.each([undefined, "2025-11-25"] as const)(
    "asks in a worker, and is answered at any replica (%s)",
    async (revision) => {
      await using studio = await startStudio();
      const [first, second] = await Promise.all([studio.replica(), studio.replica(), studio.worker("worker")]);
      const handle = await startTool(await studio.client(first, revision), "ask");
      const elsewhere = reopenTask(await studio.client(second, revision), handle.toJSON());
      expect(await elsewhere.result()).toMatchObject(text("green, by worker"));
    },
  );

  it("shows the progress of its worker, and a cancellation at any replica stops the worker", async () => {
    await using studio = await startStudio();
    const [first, second, worker] = await Promise.all([studio.replica(), studio.replica(), studio.worker("worker")]);
    const handle = await startTool(await studio.client(first), "count");
    const elsewhere = reopenTask(await studio.client(second), handle.toJSON());
    await vi.waitFor(async () => expect((await handle.status()).statusMessage).toContain("one, by worker"), 10_000);

    await elsewhere.cancel();
    expect((await worker.said("aborted")).text).toContain("cancelled");
    expect((await handle.status()).status).toBe("cancelled");
  });
});

describe("a worker that is killed", () => {
  it("loses its task to another one if the tool may run again, with its effects", async () => {
    await using studio = await startStudio();
    const [replica, first] = await Promise.all([studio.replica(), studio.worker("first")]);
    const handle = await startTool(await studio.client(replica), "charge");
    await first.said("begun");
    const second = await studio.worker("second");

    first.signal("SIGKILL");
    expect(await handle.result()).toMatchObject(text("charged by first, sent by second"));
    expect(second.facts.map(({ fact }) => fact)).not.toContain("charged");
  });

  it("fails its task with the reason if the tool may not run again", async () => {
    await using studio = await startStudio();
    const [replica, first] = await Promise.all([studio.replica(), studio.worker("first")]);
    const handle = await startTool(await studio.client(replica), "hang");
    await first.said("begun");
    const second = await studio.worker("second");

    first.signal("SIGKILL");
    await expect(handle.result()).rejects.toThrow("restarted while the task was running");
    expect(second.facts.map(({ fact }) => fact)).not.toContain("begun");
  });

  it("takes no more than four workers with it", async () => {
    await using studio = await startStudio();
    const replica = await studio.replica();
    const handle = await startTool(await studio.client(replica), "crash");
    for (const name of ["first", "second", "third", "fourth"]) {
      expect(await (await studio.worker(name)).ended()).toEqual([null, "SIGKILL"]);
    }
    await studio.worker("fifth");
    await expect(handle.result()).rejects.toThrow("ended too often");
  });
});

describe("a worker that lives", () => {
  it("has its effects once if it was suspended and another one has run its task", async () => {
    await using studio = await startStudio();
    const [replica, first] = await Promise.all([studio.replica(), studio.worker("first")]);
    const handle = await startTool(await studio.client(replica), "charge");
    await first.said("begun");
    first.signal("SIGSTOP");
    await studio.worker("second");
    expect(await handle.result()).toMatchObject(text("charged by first, sent by second"));

    first.signal("SIGCONT");
    await first.said("aborted");
    expect(await handle.result()).toMatchObject(text("charged by first, sent by second"));
  });

  it("gives its tasks to another one when it closes", async () => {
    await using studio = await startStudio();
    const [replica, first] = await Promise.all([studio.replica(), studio.worker("first")]);
    const handle = await startTool(await studio.client(replica), "charge");
    await first.said("begun");
    await studio.worker("second");

    first.signal("SIGTERM");
    expect((await first.said("aborted")).text).toContain("leaves the task to another one");
    expect(await first.ended()).toEqual([0, null]);
    expect(await handle.result()).toMatchObject(text("charged by first, sent by second"));
  });
});

describe("a Redis that restarts", () => {
  it("gets the result of a task that ended meanwhile", async () => {
    await using studio = await startStudio();
    const [first, second, worker] = await Promise.all([studio.replica(), studio.replica(), studio.worker("worker")]);
    const handle = await startTool(await studio.client(first), "held");
    await worker.said("begun");
    await studio.redis.kill();
    worker.tell("go");
    await worker.said("failing");
    await studio.redis.restart();

    const elsewhere = reopenTask(await studio.client(second), handle.toJSON());
    await vi.waitFor(() => elsewhere.status(), 10_000);
    expect(await elsewhere.result()).toMatchObject(text("done by worker"));
    const next = await startTool(await studio.client(second), "held");
    await worker.said("begun", 2);
    worker.tell("go");
    expect(await next.result()).toMatchObject(text("done by worker"));
  });

  it("has calls refused in bounded time while it is away", async () => {
    await using studio = await startStudio();
    const replica = await studio.replica();
    const client = await studio.client(replica);
    await studio.redis.kill();
    const since = performance.now();
    await expect(startTool(client, "held")).rejects.toMatchObject({ code: 429 });
    expect(performance.now() - since).toBeLessThan(10_000);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InMemoryTaskStore } from "./in-memory-task-store.js";
import { everythingSettled, openEngine } from "./task-engine.fixture.js";
import { inputRequestsOf } from "./task-record.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const FORM = { method: "elicitation/create", params: { message: "Name?" } };

describe("a question of the work", () => {
  it("waits for its answer, beside others", async () => {
    const { engine, begin } = openEngine();
    const { run, task } = await begin();
    const answers = [run.ask("name", FORM), run.ask("roots", { method: "roots/list" })];
    await everythingSettled();
    const asking = await engine.get(task.taskId, "alice");
    expect(asking.status).toBe("input_required");
    expect(inputRequestsOf(asking)).toEqual({ name: FORM, roots: { method: "roots/list" } });

    expect((await engine.update(task.taskId, "alice", { roots: { roots: [] } })).status).toBe("input_required");
    expect(await answers[1]).toEqual({ roots: [] });
    expect((await engine.update(task.taskId, "alice", { name: { action: "decline" } })).status).toBe("working");
    expect(await answers[0]).toEqual({ action: "decline" });
  });

  it("is answered once, and unknown answers are ignored", async () => {
    const { engine, begin } = openEngine();
    const { run, task } = await begin();
    const answer = run.ask("name", FORM);
    await everythingSettled();
    const { version } = await engine.update(task.taskId, "alice", { other: {} });
    expect(version).toBe(2);
    await engine.update(task.taskId, "alice", { name: { action: "accept" } });
    await engine.update(task.taskId, "alice", { name: { action: "decline" } });
    expect(await answer).toEqual({ action: "accept" });
    expect(await run.ask("name", FORM)).toEqual({ action: "accept" });
  });

  it("that is asked twice under one key is one question", async () => {
    const { engine, begin } = openEngine();
    const { run, task } = await begin();
    const answers = [run.ask("name", FORM), run.ask("name", FORM)];
    await everythingSettled();
    await expect(run.ask("name", { method: "roots/list" })).rejects.toMatchObject({ code: "questions-changed" });
    await engine.update(task.taskId, "alice", { name: { action: "accept" } });
    expect(await Promise.all(answers)).toEqual([{ action: "accept" }, { action: "accept" }]);
  });

  it("is withdrawn when its signal aborts", async () => {
    const { engine, begin } = openEngine();
    const { run, task } = await begin();
    const controller = new AbortController();
    const stopped = run.ask("name", FORM, { signal: controller.signal });
    const other = run.ask("name", FORM);
    await everythingSettled();
    controller.abort(new Error("changed my mind"));
    await expect(stopped).rejects.toThrow("changed my mind");
    await expect(other).rejects.toMatchObject({ code: "request-aborted" });
    expect((await engine.get(task.taskId, "alice")).status).toBe("working");
    await expect(run.ask("again", FORM, { signal: controller.signal })).rejects.toThrow("changed my mind");
    expect((await engine.get(task.taskId, "alice")).questions).not.toHaveProperty("again");
  });

  it("that is withdrawn keeps a late answer for the next one under its key", async () => {
    const { engine, begin } = openEngine();
    const { run, task } = await begin();
    const controller = new AbortController();
    const stopped = run.ask("name", FORM, { signal: controller.signal });
    await everythingSettled();
    controller.abort(new Error("changed my mind"));
    await expect(stopped).rejects.toThrow("changed my mind");
    await engine.update(task.taskId, "alice", { name: { action: "accept" } });
    expect(await run.ask("name", FORM)).toEqual({ action: "accept" });
    expect((await engine.get(task.taskId, "alice")).status).toBe("working");
  });

  it("is withdrawn when its signal aborts while it is stored", async () => {
    const { engine, begin } = openEngine();
    const { run, task } = await begin();
    const controller = new AbortController();
    const stopped = run.ask("name", FORM, { signal: controller.signal });
    controller.abort(new Error("changed my mind"));
    await expect(stopped).rejects.toThrow("changed my mind");
    await everythingSettled();
    expect((await engine.get(task.taskId, "alice")).status).toBe("working");
  });

  it("keeps no listener on its signal once it is answered", async () => {
    const { engine, begin } = openEngine();
    const { run, task } = await begin();
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, "removeEventListener");
    const answer = run.ask("name", FORM, { signal });
    await everythingSettled();
    await engine.update(task.taskId, "alice", { name: {} });
    await answer;
    await engine.close();
    expect(removed).toHaveBeenCalledOnce();
  });

  it("keeps no listener on its signal once it is withdrawn", async () => {
    const { run } = await openEngine().begin();
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, "removeEventListener");
    const stopped = run.ask("name", FORM, { signal: controller.signal });
    await everythingSettled();
    controller.abort(new Error("changed my mind"));
    await expect(stopped).rejects.toThrow("changed my mind");
    expect(removed).toHaveBeenCalledOnce();
  });

  it("is one of 64 that are open", async () => {
    const { engine, begin } = openEngine();
    const { run, task } = await begin();
    for (let count = 0; count < 64; count += 1) void run.ask(`q${count}`, FORM);
    await expect(run.ask("one more", FORM)).rejects.toMatchObject({ code: "too-large" });
    expect(Object.keys(inputRequestsOf(await engine.get(task.taskId, "alice")))).toHaveLength(64);
  });

  it.each(["", "x".repeat(257), undefined as never])("needs a key of 1 to 256 characters, not %j", async (key) => {
    const { run } = await openEngine().begin();
    const refusal = { code: "invalid-argument", message: "key: expected a text of 1 to 256 characters" };
    await expect(run.ask(key, FORM)).rejects.toMatchObject(refusal);
    await expect(run.once(key, () => 1)).rejects.toMatchObject(refusal);
  });

  it.each(["x", "x".repeat(256)])("may have the key %j", async (key) => {
    const { run } = await openEngine().begin();
    expect(await run.once(key, () => 1)).toBe(1);
  });

  it("that is asked after the engine was closed is not stored", async () => {
    const { engine, store, begin } = openEngine();
    const { run, task } = await begin();
    await engine.close();
    await expect(run.ask("name", FORM)).rejects.toMatchObject({ message: "The task engine is closed" });
    expect((await store.get(task.taskId))?.questions).toEqual({});
  });

  it("that is open when the work ends rejects, and so does a later one", async () => {
    const { engine, begin } = openEngine();
    const { run, task, resolve } = await begin();
    const open = run.ask("name", FORM);
    await everythingSettled();
    resolve({});
    await engine.finished(task.taskId, "alice");
    await expect(open).rejects.toMatchObject({ code: "context-ended" });
    await expect(run.ask("later", FORM)).rejects.toMatchObject({ code: "context-ended" });
    await expect(run.once("later", () => 1)).rejects.toMatchObject({ code: "context-ended" });
    expect(run.signal.aborted).toBe(false);
  });

  it("that is being stored when the work ends rejects", async () => {
    const { run, resolve } = await openEngine().begin();
    resolve({});
    await expect(run.ask("name", FORM)).rejects.toMatchObject({ code: "context-ended" });
  });

  it("of a task that is gone, or over without the run knowing it, rejects", async () => {
    const store = new InMemoryTaskStore();
    vi.spyOn(store, "watch").mockReturnValue(() => undefined);
    const { engine, begin } = openEngine({ store });
    const [gone, over] = [await begin(), await begin()];
    await store.delete(gone.task.taskId);
    await engine.cancel(over.task.taskId, "alice");
    for (const { run } of [gone, over]) {
      await expect(run.ask("name", FORM)).rejects.toMatchObject({ code: "context-ended" });
    }
  });
});

describe("an effect that runs once", () => {
  it("has its result stored before it is returned", async () => {
    const { engine, begin } = openEngine();
    const { run, task } = await begin();
    const effect = vi.fn(async () => ({ id: 7 }));
    expect(await run.once("charge", effect)).toEqual({ id: 7 });
    expect((await engine.get(task.taskId, "alice")).once).toEqual({ charge: { value: { id: 7 } } });
    expect(await run.once("charge", effect)).toEqual({ id: 7 });
    expect(effect).toHaveBeenCalledOnce();
    expect(await run.once("nothing", () => undefined)).toBeUndefined();
  });

  it("runs again if it failed, or if its result is no JSON", async () => {
    const { run } = await openEngine().begin();
    await expect(run.once("charge", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await expect(run.once("charge", () => 7n)).rejects.toMatchObject({
      code: "invalid-argument",
      message: 'once("charge"): the result must be JSON',
    });
    expect(await run.once("charge", () => 8)).toBe(8);
  });
});

describe("the close of an engine", () => {
  it("waits for an effect that is running", async () => {
    const { engine, store, begin } = openEngine();
    const { run, task } = await begin();
    let pay: (value: string) => void = () => undefined;
    void run.once("charge", () => new Promise<string>((resolve) => (pay = resolve)));
    await everythingSettled();
    const onClosed = vi.fn();
    const closing = engine.close().then(onClosed);
    await everythingSettled();
    expect(onClosed).not.toHaveBeenCalled();
    pay("paid");
    await closing;
    expect((await store.get(task.taskId))?.once).toEqual({ charge: { value: "paid" } });
  });
});

describe("a run that has ended", () => {
  it("returns no result of once, also of an effect that has run", async () => {
    const { engine, begin } = openEngine();
    const { run, task } = await begin();
    await run.once("charge", () => "paid");
    await engine.cancel(task.taskId, "alice");
    await expect(run.once("charge", () => "again")).rejects.toMatchObject({ code: "request-aborted" });
  });
});

describe("a status message", () => {
  it("is written at once, and the latest of those that follow after a while", async () => {
    const { engine, store, begin } = openEngine();
    const { run, task } = await begin();
    const replace = vi.spyOn(store, "replace");
    for (let percent = 0; percent < 100; percent += 1) run.status(`${percent} %`);
    await everythingSettled();
    expect((await engine.get(task.taskId, "alice")).statusMessage).toBe("0 %");
    vi.advanceTimersByTime(250);
    await everythingSettled();
    expect((await engine.get(task.taskId, "alice")).statusMessage).toBe("99 %");
    vi.advanceTimersByTime(1_000);
    run.status("done");
    await everythingSettled();
    expect((await engine.get(task.taskId, "alice")).statusMessage).toBe("done");
    expect(replace).toHaveBeenCalledTimes(3);
  });

  it("that cannot be written is reported", async () => {
    const { store, errors, begin } = openEngine();
    const { run } = await begin();
    vi.spyOn(store, "replace").mockRejectedValueOnce(new Error("disk"));
    run.status("Half");
    await everythingSettled();
    expect(errors).toEqual([new Error("disk")]);
  });

  it("that waits for its turn when the engine closes is dropped", async () => {
    const { engine, store, begin } = openEngine();
    const { run, task } = await begin();
    run.status("one");
    run.status("two");
    await engine.close();
    vi.advanceTimersByTime(1_000);
    await everythingSettled();
    expect((await store.get(task.taskId))?.statusMessage).toBe("one");
  });

  it("that comes after the engine was closed is dropped", async () => {
    const { engine, store, begin } = openEngine();
    const { run, task } = await begin();
    await engine.close();
    run.status("late");
    await everythingSettled();
    expect((await store.get(task.taskId))?.statusMessage).toBeUndefined();
  });

  it("of work that has ended is dropped", async () => {
    const { engine, begin } = openEngine();
    const { run, task, resolve } = await begin();
    run.status("one");
    run.status("two");
    resolve({});
    const done = await engine.finished(task.taskId, "alice");
    run.status("three");
    vi.advanceTimersByTime(1_000);
    await everythingSettled();
    expect(await engine.get(task.taskId, "alice")).toEqual(done);
  });
});

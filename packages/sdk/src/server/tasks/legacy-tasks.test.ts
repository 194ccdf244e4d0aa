import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DeadlineQueue } from "../../runtime/deadline-queue.js";
import { newRecord, nextRecord } from "../../tasks/task-record.fixture.js";
import { LegacyTasks, withTasks } from "./legacy-tasks.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

/** A task that lives for a minute, and the connection of its call. */
async function started(restrictions: object = {}) {
  const record = newRecord();
  const tasks = { create: async () => record, engine: { get: async () => record } };
  const legacy = new LegacyTasks(tasks as never, Date.now);
  const notify = vi.fn(async () => undefined);
  const call = { params: { task: {} }, context: { routed: { connection: { restrictions, notify } } } };
  await legacy.start(call as never);
  return { legacy, record, notify };
}

describe("the connection of a legacy task", () => {
  it("is notified of each change until the task has ended", async () => {
    const remove = vi.spyOn(DeadlineQueue.prototype, "remove");
    const { legacy, record, notify } = await started();
    const ended = nextRecord(record, { status: "completed" });
    for (const change of [nextRecord(record), ended, ended]) legacy.changed(change);
    expect(notify).toHaveBeenCalledTimes(2);
    expect(remove).toHaveBeenCalledWith(record.taskId);
    remove.mockRestore();
  });

  it("is not notified once the task has expired", async () => {
    const { legacy, record, notify } = await started();
    vi.advanceTimersByTime(60_000);
    legacy.changed(nextRecord(record));
    expect(notify).not.toHaveBeenCalled();
  });

  it("is not notified if it cannot be", async () => {
    const { legacy, record, notify } = await started({ noChanges: true });
    legacy.changed(nextRecord(record));
    expect(notify).not.toHaveBeenCalled();
  });
});

describe("the open tasks/result of a task that asks", () => {
  const question = { request: { method: "elicitation/create", params: { message: "Name?" } } };

  /** Opens a number of requests. `aborts` cancel them. */
  function asking(count: number) {
    let record = nextRecord(newRecord(), { status: "input_required", questions: { name: question } });
    const get = vi.fn(async () => record);
    const finished = (_taskId: string, _principal: undefined, signal: AbortSignal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const legacy = new LegacyTasks({ usable: async () => record, engine: { get, finished } } as never, Date.now);
    const ask = vi.fn((_method: string, _params: object, _options: { timeoutMs: number; signal: AbortSignal }) => {
      return new Promise(() => undefined);
    });
    const aborts = Array.from({ length: count }, () => new AbortController());
    const requests = aborts.map(({ signal }) => legacy.result({}, { signal, request: ask } as never));
    const ended = Promise.allSettled(requests);
    const change = (isWithdrawn: boolean) => {
      record = nextRecord(record, { questions: { name: isWithdrawn ? { ...question, isWithdrawn } : question } });
      legacy.changed(record);
    };
    return { aborts, ask, get, ended, change };
  }

  it("reads the task once more when those that sent no question are cancelled", async () => {
    const { aborts, ask, get, ended } = asking(50);
    await vi.waitFor(() => expect(get).toHaveBeenCalledTimes(50));
    expect(ask).toHaveBeenCalledOnce();
    for (const abort of aborts) abort.abort();
    await ended;
    expect(get).toHaveBeenCalledTimes(51);
  });

  it("asks for as long as the task waits, and takes a question back that the handler withdraws", async () => {
    const { ask, change } = asking(1);
    await vi.waitFor(() => expect(ask).toHaveBeenCalledOnce());
    const [, , options] = ask.mock.calls[0] ?? [];
    expect(options?.timeoutMs).toBe(Number.POSITIVE_INFINITY);
    change(false);
    expect(options?.signal.aborted).toBe(false);

    change(true);
    expect(options?.signal.aborted).toBe(true);
    change(false);
    expect(ask).toHaveBeenCalledTimes(2);
  });
});

it.each([
  [undefined, true],
  [{}, true],
  [{ principal: "ann", headers: {}, address: "10.0.0.1" }, true],
  [{ headers: {} }, false],
  [{ address: "10.0.0.1" }, false],
])("the caller %j may list tasks: %j", async (caller, mayList) => {
  const tasks = { engine: { list: async () => ({ tasks: [] }) } };
  const legacy = new LegacyTasks(tasks as never, Date.now);
  const listed = legacy.list({}, { caller } as never);
  if (mayList) expect(await listed).toEqual({ tasks: [] });
  else await expect(listed).rejects.toMatchObject({ code: -32_601 });
  const capabilities = withTasks({ tasks: { list: {} } }, { caller } as never);
  expect(capabilities.tasks?.list !== undefined).toBe(mayList);
});

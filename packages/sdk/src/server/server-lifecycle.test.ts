import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ServerLifecycle } from "./server-lifecycle.js";

function lifecycle(hooks: { onStart?: () => unknown; onClose?: () => unknown } = {}) {
  const report = vi.fn();
  return { report, life: new ServerLifecycle(hooks, report) };
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe("the life of a server", () => {
  it("without hooks starts and closes without waiting for anything", async () => {
    const { life } = lifecycle();
    expect(life.start()).toBeUndefined();
    await life.close();
    expect(life.start()).toBeUndefined();
  });

  it("never started is not closed", async () => {
    const onClose = vi.fn();
    await lifecycle({ onClose }).life.close();
    expect(onClose).not.toHaveBeenCalled();
  });

  it("closes only after its start has ended", async () => {
    const events: string[] = [];
    const { life } = lifecycle({
      onStart: async () => void events.push("start"),
      onClose: () => events.push("close"),
    });
    const hold = life.hold();
    await Promise.all([hold.release(), hold.release(), hold.started]);
    expect(events).toEqual(["start", "close"]);
  });

  it("begun again while it closes waits for that", async () => {
    const events: string[] = [];
    const { life } = lifecycle({
      onClose: async () => {
        await Promise.resolve();
        events.push("closed");
      },
    });
    await life.start();
    const closing = life.close();
    const starting = life.start()?.then(() => events.push("started"));
    await Promise.all([closing, starting]);
    expect(events).toEqual(["closed", "started"]);
  });

  it("closes again for a host that came and went while it closed", async () => {
    const events: string[] = [];
    const second: Promise<void>[] = [];
    const { life } = lifecycle({
      onStart: () => events.push("start"),
      onClose: async () => {
        await Promise.resolve();
        if (second.length === 0) second.push(life.hold().release());
        events.push("close");
      },
    });
    const first = life.hold();
    await first.started;
    await first.release();
    await Promise.all(second);
    expect(events).toEqual(["start", "close", "start", "close"]);
  });

  it("that could not start has nothing to close, and may start later", async () => {
    const onStart = vi.fn().mockRejectedValueOnce(new Error("no database"));
    const onClose = vi.fn();
    const { life, report } = lifecycle({ onStart, onClose });
    const hold = life.hold();
    await Promise.all([hold.release(), expect(hold.started).rejects.toThrow("no database")]);
    expect(onClose).not.toHaveBeenCalled();
    await life.start();
    expect(life.start()).toBeUndefined();
    expect(report).not.toHaveBeenCalled();
  });

  it("waits for onClose until the grace has passed, names the hook, and can start again", async () => {
    const onStart = vi.fn();
    const { life, report } = lifecycle({ onStart, onClose: () => new Promise(() => undefined) });
    const hold = life.hold();
    await hold.started;
    await hold.release(20);
    expect(report).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: "handler-failed", message: expect.stringMatching(/^onClose .* 20 ms/) }),
    );
    await life.start();
    expect(onStart).toHaveBeenCalledTimes(2);
  });

  it("waits for onStart until the grace has passed, and runs onClose if onStart ends later", async () => {
    const opened = deferred();
    const closed = deferred();
    const { life, report } = lifecycle({ onStart: () => opened.promise, onClose: () => closed.resolve() });
    const hold = life.hold();
    await hold.release(20);
    expect(report).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: expect.stringMatching(/^onStart .* 20 ms/) }),
    );
    opened.resolve();
    await closed.promise;
  });

  it("names the hook that hangs, also if the other one ran before it", async () => {
    const opened = deferred();
    const { life, report } = lifecycle({ onStart: () => opened.promise, onClose: () => new Promise(() => undefined) });
    const releasing = life.hold().release(20);
    opened.resolve();
    await releasing;
    expect(report).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: expect.stringMatching(/^onClose .* 20 ms/) }),
    );
  });

  it("gives onClose its own grace after a host that waits for nothing", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const closed = deferred();
    const { life, report } = lifecycle({ onClose: () => closed.promise });
    const releasing = life.hold().release(0);
    await vi.advanceTimersByTimeAsync(9_999);
    closed.resolve();
    await releasing;
    expect(report).not.toHaveBeenCalled();
  });

  it("closed by its author while it starts under a host runs onClose", async () => {
    const opened = deferred();
    const onClose = vi.fn();
    const { life } = lifecycle({ onStart: () => opened.promise, onClose });
    const hold = life.hold();
    const closing = life.close();
    opened.resolve();
    await Promise.all([closing, hold.started]);
    expect(onClose).toHaveBeenCalledOnce();
  });

  it("stays open for a host that came while another one waited for onStart", async () => {
    const opened = deferred();
    const onClose = vi.fn();
    const { life } = lifecycle({ onStart: () => opened.promise, onClose });
    const closing = life.hold().release();
    const second = life.hold();
    opened.resolve();
    await Promise.all([closing, second.started]);
    expect(onClose).not.toHaveBeenCalled();
    await second.release();
    expect(onClose).toHaveBeenCalledOnce();
  });

  it("stays open for a host that came while its author closed it during the start", async () => {
    const opened = deferred();
    const onClose = vi.fn();
    const { life } = lifecycle({ onStart: () => opened.promise, onClose });
    const starting = life.start();
    const closing = life.close();
    const host = life.hold();
    opened.resolve();
    await Promise.all([starting, closing, host.started]);
    expect(onClose).not.toHaveBeenCalled();
    await host.release();
    expect(onClose).toHaveBeenCalledOnce();
  });

  it("reports an error of onClose, and is closed", async () => {
    const cause = new Error("the database hangs");
    const { life, report } = lifecycle({
      onClose: () => {
        throw cause;
      },
    });
    await life.start();
    await life.close();
    expect(report).toHaveBeenCalledWith(expect.objectContaining({ code: "handler-failed", cause }));
  });

  it("refuses a start while an onStart runs that a shutdown gave up on, and starts anew after it", async () => {
    const opened = deferred();
    const onStart = vi.fn(() => opened.promise);
    const onClose = vi.fn();
    const { life } = lifecycle({ onStart, onClose });
    const first = life.hold();
    await first.release(20);

    const second = life.hold();
    await expect(second.started).rejects.toMatchObject({
      code: "handler-failed",
      message: expect.stringContaining("that onStart has not ended yet; set a timeout in onStart"),
    });
    await second.release(20);
    opened.resolve();
    await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce());
    await life.hold().started;
    expect(onStart).toHaveBeenCalledTimes(2);
  });
});

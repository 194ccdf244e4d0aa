import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FakeResponse, gate, settled } from "../http-fakes.fixture.js";
import { type Replicas, replicas } from "../sessions/replicas.fixture.js";
import { resume, streamingTools } from "./shared-streams.fixture.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function progressOf(response: FakeResponse): unknown[] {
  return response.messages.map(({ params, result }) => (result ? "result" : (params as { progress: number }).progress));
}

describe("a stream that another process began", () => {
  async function started() {
    const { define, gates } = streamingTools();
    const all = replicas(define);
    const [a, b, c] = await all.open();
    const call = a.call(1, "steps");
    await call.received(1);
    return { ...all, gates, a, b, c, call };
  }

  it("is resumed with what was stored, and goes on with what the handler emits, once and in order", async () => {
    const { gates, b, call } = await started();
    gates[0].open();
    await call.received(2);
    call.disconnect();
    const resumed = resume(b, call.events[1]?.id ?? "");
    await resumed.received(1);
    gates[1].open();
    await resumed.received(2);
    gates[2].open();
    await resumed.ended();
    expect(progressOf(resumed)).toEqual([2, 3, "result"]);
    const ids = resumed.events.filter(({ data }) => data !== "").map(({ id }) => id?.split(".")[1]);
    expect(ids).toEqual(["2", "3", "4"]);
  });

  it("ends the connection that the client had, and follows it from process to process", async () => {
    const { gates, a, b, c, call } = await started();
    const atB = resume(b, call.lastId);
    await settled();
    expect(call.isEnded).toBe(true);
    gates[0].open();
    await atB.received(1);
    const atC = resume(c, atB.lastId);
    await atB.ended();
    gates[1].open();
    await atC.received(1);
    const atA = resume(a, atC.lastId);
    await atC.ended();
    gates[2].open();
    await atA.ended();
    expect([atB, atC, atA].map(progressOf)).toEqual([[2], [3], ["result"]]);
  });

  it("loses no event that is emitted while the store is read", async () => {
    const { gates, b, call, events } = await started();
    const reading = gate();
    const read = events.read.bind(events);
    const spy = vi.spyOn(events, "read").mockImplementationOnce(async (...args) => {
      const found = await read(...args);
      await reading.passed;
      return found;
    });
    const resumed = resume(b, call.lastId);
    await settled();
    gates[0].open();
    gates[1].open();
    gates[2].open();
    await settled();
    expect(spy).toHaveBeenCalledOnce();
    reading.open();
    await resumed.ended();
    expect(progressOf(resumed)).toEqual([2, 3, "result"]);
  });

  it("is paused by its handler", async () => {
    const { define, gates } = streamingTools();
    const { open } = replicas(define);
    const [a, b, c] = await open();
    const call = a.call(1, "away");
    await call.ended();
    expect(call.events.at(-1)).toMatchObject({ data: "", retry: "1000" });
    const resumed = resume(b, call.lastId);
    await settled();
    gates[0].open();
    expect((await resumed.ended()).messages.at(-1)).toMatchObject({ result: { content: [{ text: "back" }] } });
    const again = resume(c, call.lastId);
    expect((await again.ended()).messages.at(-1)).toMatchObject({ result: { content: [{ text: "back" }] } });
  });

  it("is replayed once it is over", async () => {
    const { gates, b, call } = await started();
    for (const one of gates) one.open();
    await call.ended();
    const replayed = resume(b, call.events.find(({ data }) => data !== "")?.id ?? "");
    expect(progressOf(await replayed.ended())).toEqual([2, 3, "result"]);
    expect((await resume(b, call.lastId).ended()).status).toBe(400);
  });

  it("ends if the process that writes it has died, and cannot be resumed then", async () => {
    const { b, call, ends } = await started();
    const resumed = resume(b, call.lastId);
    await settled();
    ends[0].cut();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(resumed.isEnded).toBe(true);
    expect((await resume(b, call.lastId).ended()).status).toBe(400);
  });

  it("ends if the process that writes it hangs", async () => {
    const { b, call, ends } = await started();
    const resumed = resume(b, call.lastId);
    await settled();
    ends[0].isFrozen = true;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(resumed.isEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(resumed.isEnded).toBe(true);
  });

  it("stays open while the channel fails here, and catches up afterwards", async () => {
    const { gates, b, call, ends } = await started();
    const resumed = resume(b, call.lastId);
    await settled();
    ends[1].cut();
    gates[0].open();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(resumed.isEnded).toBe(false);
    expect(progressOf(resumed)).toEqual([2]);
    gates[1].open();
    await ends[1].mend();
    await resumed.received(2);
    gates[2].open();
    await resumed.ended();
    expect(progressOf(resumed)).toEqual([2, 3, "result"]);
  });

  it("is paused by its handler at the process that follows it", async () => {
    const { define, gates } = streamingTools();
    const { open } = replicas(define);
    const [a, b, c] = await open();
    const call = a.call(1, "away-again");
    await call.received(1);
    const resumed = resume(b, call.lastId);
    await settled();
    gates[0].open();
    expect((await resumed.ended()).events.at(-1)).toMatchObject({ data: "", retry: "1000" });
    const again = resume(c, resumed.lastId);
    await settled();
    gates[1].open();
    expect((await again.ended()).messages).toMatchObject([{ result: { content: [{ text: "back" }] } }]);
  });

  /** Holds the reads of the store from the given one on. */
  function holdReads(events: Replicas["events"], from: number) {
    const held = gate();
    const read = events.read.bind(events);
    let count = 0;
    vi.spyOn(events, "read").mockImplementation(async (...args) => {
      count += 1;
      const isHeld = count >= from;
      const found = await read(...args);
      if (isHeld) await held.passed;
      return found;
    });
    return held;
  }

  it("is paused while the store is read", async () => {
    const { define, gates } = streamingTools();
    const { open, events } = replicas(define);
    const [a, b] = await open();
    const call = a.call(1, "away-again");
    await call.received(1);
    const held = holdReads(events, 1);
    const resumed = resume(b, call.lastId);
    await settled();
    gates[0].open();
    await settled();
    held.open();
    expect((await resumed.ended()).status).toBe(200);
  });

  it("loses no event that is emitted while it catches up", async () => {
    const { gates, b, call, events } = await started();
    const held = holdReads(events, 2);
    const resumed = resume(b, call.lastId);
    await settled();
    gates[0].open();
    gates[1].open();
    await settled();
    held.open();
    gates[2].open();
    await resumed.ended();
    expect(progressOf(resumed)).toEqual([2, 3, "result"]);
  });

  it("reads the store once more for all events that are emitted while it is read", async () => {
    const go = gate();
    const { open, events } = replicas((server) => {
      server.tool("count", async (_args, context) => {
        await context.progress(1);
        await go.passed;
        for (let step = 2; step <= 50; step += 1) await context.progress(step);
        return "counted";
      });
    });
    const [a, b] = await open();
    const call = a.call(1, "count");
    await call.received(1);
    const held = holdReads(events, 2);
    const resumed = resume(b, call.lastId);
    await settled();
    go.open();
    for (let turn = 0; turn < 50; turn += 1) await settled();
    held.open();
    await resumed.ended();
    expect(progressOf(resumed)).toEqual([...Array.from({ length: 49 }, (_, index) => index + 2), "result"]);
    expect(vi.mocked(events.read).mock.calls.length).toBeLessThanOrEqual(4);
  });

  it("costs the store nothing while no event is missing", async () => {
    const { gates, b, call, events } = await started();
    const resumed = resume(b, call.lastId);
    await settled();
    gates[0].open();
    await resumed.received(1);
    const read = vi.spyOn(events, "read");
    await vi.advanceTimersByTimeAsync(20_000);
    expect(read).not.toHaveBeenCalled();
    gates[1].open();
    gates[2].open();
    await resumed.ended();
    expect(progressOf(resumed)).toEqual([2, 3, "result"]);
  });

  /** The first process publishes the next event, and the channel loses it. */
  async function loseEvent({ gates, ends }: Awaited<ReturnType<typeof started>>): Promise<void> {
    const publish = vi.spyOn(ends[0], "publish").mockResolvedValueOnce(1);
    gates[0].open();
    await settled();
    publish.mockRestore();
  }

  it("gets an event that the channel has lost at the next check", async () => {
    const all = await started();
    const resumed = resume(all.b, all.call.lastId);
    await settled();
    await loseEvent(all);
    expect(resumed.messages).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(progressOf(resumed)).toEqual([2]);
  });

  it("is checked once at a time while the store hangs, and again afterwards", async () => {
    const all = await started();
    const resumed = resume(all.b, all.call.lastId);
    await settled();
    await loseEvent(all);
    const held = holdReads(all.events, 1);
    await vi.advanceTimersByTimeAsync(2_000);
    const before = all.ends[1].published.length;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(all.ends[1].published.length).toBe(before);
    held.open();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(all.ends[1].published.length).toBe(before + 1);
    expect(resumed.isEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(all.ends[1].published.length).toBeGreaterThan(before + 1);
  });

  it("is refused here if the client resumes it elsewhere meanwhile", async () => {
    const { gates, b, c, call, events } = await started();
    const held = holdReads(events, 1);
    const first = resume(b, call.lastId);
    await settled();
    const second = resume(c, call.lastId);
    await settled();
    held.open();
    expect((await first.ended()).status).toBe(400);
    for (const one of gates) one.open();
    expect(progressOf(await second.ended())).toEqual([2, 3, "result"]);
  });

  it("is let go when the client leaves while the store is read", async () => {
    const { b, call, events } = await started();
    const timers = vi.getTimerCount();
    const held = holdReads(events, 1);
    const resumed = resume(b, call.lastId);
    await settled();
    resumed.disconnect();
    held.open();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(resumed.text).toBe("");
    // Those of a session that is idle at the other process may be gone, and none is left of the stream.
    expect(vi.getTimerCount()).toBeLessThanOrEqual(timers);
  });

  it("is let go when the client has left and an event follows", async () => {
    const { gates, b, call } = await started();
    const resumed = resume(b, call.lastId);
    await settled();
    resumed.disconnect();
    for (const one of gates) one.open();
    await settled();
    expect(resumed.messages).toEqual([]);
  });

  it("sends no event out of turn if the store has lost one", async () => {
    const all = await started();
    const { gates, b, call, events } = all;
    const resumed = resume(b, call.lastId);
    await settled();
    await loseEvent(all);
    const read = vi.spyOn(events, "read").mockResolvedValue([{ number: 9, data: "{}" }]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(read).toHaveBeenCalled();
    expect(resumed.messages).toEqual([]);
    read.mockRestore();
    for (const one of gates) one.open();
    await resumed.ended();
    expect(progressOf(resumed)).toEqual([2, 3, "result"]);
  });

  it("has no priming events for clients that do not know them", async () => {
    const { define, gates } = streamingTools();
    const { open } = replicas(define);
    const [a, b] = await open({ revision: "2025-06-18" });
    const call = a.call(1, "steps");
    await call.received(1);
    const resumed = resume(b, call.lastId);
    await settled();
    for (const one of gates) one.open();
    await resumed.ended();
    expect(resumed.events.map(({ data }) => data === "")).toEqual([false, false, false]);
  });

  it("ends with its session", async () => {
    const { b, c, call } = await started();
    const resumed = resume(b, call.lastId);
    await settled();
    await c.delete().ended();
    expect((await resumed.ended()).status).toBe(200);
  });

  it("is let go when the client leaves", async () => {
    const { gates, b, call, ends } = await started();
    const resumed = resume(b, call.lastId);
    await settled();
    resumed.disconnect();
    await vi.advanceTimersByTimeAsync(2_000);
    const before = ends[1].published.length;
    for (const one of gates) one.open();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(ends[1].published.length).toBe(before);
    expect(resumed.messages).toEqual([]);
  });

  it("is refused if events are missing", async () => {
    const { gates, b, call, events } = await started();
    gates[0].open();
    await call.received(2);
    vi.spyOn(events, "read").mockResolvedValue([]);
    expect((await resume(b, call.events[0]?.id ?? "").ended()).status).toBe(400);
  });

  it("is 503 while the channel fails", async () => {
    const { b, call, ends } = await started();
    await b.call(2, "quick").ended();
    ends[1].cut();
    expect((await resume(b, call.lastId).ended()).status).toBe(503);
  });
});

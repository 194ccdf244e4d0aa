import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { DecodedLine } from "../../wire/line-decoder.js";
import { LineChannel } from "./line-channel.js";
import { LineScheduler } from "./line-scheduler.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

// The turn that the test before began has ended by then.
beforeEach(async () => {
  await turn();
  await turn();
});

/** Every line takes so many ms of a clock that stands still otherwise. */
function slowClock(ms: number) {
  const clock = {
    now: 0,
    pass() {
      this.now += ms;
    },
  };
  const spy = vi.spyOn(performance, "now").mockImplementation(() => clock.now);
  onTestFinished(() => spy.mockRestore());
  return clock;
}

describe("LineScheduler", () => {
  it("delivers all lines at once where they take no time", async () => {
    slowClock(0);
    const seen: string[] = [];
    const onDelivered = vi.fn();
    const turns = new LineScheduler<string>((line) => seen.push(line), onDelivered);

    expect(turns.add(["a", "b"])).toBe(true);
    expect(seen).toEqual(["a", "b"]);
    await turn();
    expect(onDelivered).not.toHaveBeenCalled();
  });

  it("shares 5 ms per turn among connections, one line of each in turn", async () => {
    const clock = slowClock(2);
    const seen: string[] = [];
    const delivered: string[] = [];
    const connection = (name: string) =>
      new LineScheduler<string>(
        (line) => {
          seen.push(line);
          clock.pass();
        },
        () => delivered.push(name),
      );
    const [a, b] = [connection("a"), connection("b")];

    expect(a.add(["a1", "a2", "a3", "a4", "a5"])).toBe(false);
    expect(b.add(["b1", "b2"])).toBe(false);
    expect(seen).toEqual(["a1", "a2", "a3"]);
    await turn();
    expect(seen.slice(3)).toEqual(["a4", "b1", "a5"]);
    expect([delivered, a.isWaiting, b.isWaiting]).toEqual([["a"], false, true]);
    await turn();
    expect(seen.slice(6)).toEqual(["b2"]);
    expect(delivered).toEqual(["a", "b"]);
  });

  it("keeps the order of lines that are added while others wait", async () => {
    const clock = slowClock(3);
    const seen: string[] = [];
    const turns = new LineScheduler<string>(
      (line) => {
        seen.push(line);
        clock.pass();
      },
      () => undefined,
    );

    expect(turns.add(["1", "2", "3"])).toBe(false);
    expect(turns.add(["4"])).toBe(false);
    while (turns.isWaiting) await turn();
    expect(seen).toEqual(["1", "2", "3", "4"]);
  });

  it("delivers nothing between hold and release, and gives up no line", async () => {
    const clock = slowClock(3);
    const seen: string[] = [];
    const onDelivered = vi.fn();
    const turns = new LineScheduler<string>((line) => {
      seen.push(line);
      clock.pass();
    }, onDelivered);

    expect(turns.add(["1", "2", "3", "4"])).toBe(false);
    turns.hold();
    await turn();
    await turn();
    expect(seen).toEqual(["1", "2"]);
    turns.release();
    turns.hold();
    turns.release();
    while (turns.isWaiting) await turn();
    expect(seen).toEqual(["1", "2", "3", "4"]);
    expect(onDelivered).toHaveBeenCalledOnce();
  });
});

describe("a channel that takes turns", () => {
  function open(ms: number) {
    const clock = slowClock(ms);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const channel = new LineChannel({ input, output, takesTurns: true });
    const seen: string[] = [];
    const listener = {
      line: (line: DecodedLine) => {
        seen.push(line.ok ? line.text : "unreadable");
        clock.pass();
      },
      ended: () => seen.push("end"),
      failed: () => seen.push("failed"),
    };
    channel.start(listener);
    return { input, channel, seen };
  }

  it("pauses its input while lines wait, and ends after the last of them", async () => {
    const { input, seen } = open(3);
    input.write("1\n2\n3\n");
    input.end("4\n5");
    await vi.waitFor(() => expect(seen).toContain("1"));
    expect([seen.length, input.isPaused()]).toEqual([2, true]);
    await vi.waitFor(() => expect(seen.at(-1)).toBe("end"));
    expect(seen).toEqual(["1", "2", "3", "4", "5", "end"]);
  });

  it("delivers what waits when its input is destroyed, and then ends", async () => {
    const { input, seen } = open(3);
    input.write("1\n2\n3\n");
    await vi.waitFor(() => expect(seen).toContain("1"));
    input.destroy();
    await vi.waitFor(() => expect(seen.at(-1)).toBe("end"));
    expect(seen).toEqual(["1", "2", "3", "end"]);
  });

  it("delivers nothing more once it is over", async () => {
    const { input, channel, seen } = open(3);
    input.write("1\n2\n3\n");
    await vi.waitFor(() => expect(seen).toContain("1"));
    channel.destroy();
    await turn();
    await turn();
    expect(seen).toEqual(["1", "2"]);
  });
});

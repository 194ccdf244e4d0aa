import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { RecordingReceiver } from "./recording-receiver.fixture.js";
import { StreamTransport, type StreamTransportOptions } from "./stream-transport.js";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

function open(options: Partial<StreamTransportOptions> = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = new StreamTransport({ input, output, ...options });
  const inbox = new RecordingReceiver();
  transport.start(inbox);
  return { input, output, transport, inbox };
}

/** Takes a given number of writes, then none until `release`. */
function stuckOutput(takes = 0) {
  const held: (() => void)[] = [];
  const chunks: string[] = [];
  const output = new Writable({
    decodeStrings: false,
    highWaterMark: 16,
    write(chunk: string, _encoding, done) {
      chunks.push(chunk);
      if (chunks.length > takes) held.push(done);
      else done();
    },
  });
  return { output, chunks, release: () => held.shift()?.() };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("StreamTransport", () => {
  it("writes each message with one write, as one line", async () => {
    const { output, chunks } = stuckOutput(10);
    const { transport } = open({ output });
    await transport.send({ ...ping, params: { text: "two\nlines\r\n\u2028" } });
    await transport.send([ping, ping]);
    expect(chunks).toHaveLength(2);
    for (const chunk of chunks) expect(chunk.indexOf("\n")).toBe(chunk.length - 1);
    expect(JSON.parse(chunks[0] ?? "")).toMatchObject({ params: { text: "two\nlines\r\n\u2028" } });
  });

  it("reads messages, from text streams as well, and skips what is none", async () => {
    const { input, inbox } = open();
    input.write(`${JSON.stringify(ping)}\nnoise\n`);
    expect(await inbox.next()).toEqual({ kind: "message", message: ping });
    expect(await inbox.next()).toMatchObject({ kind: "unreadable", error: { code: "invalid-message" } });
    input.setEncoding("utf8");
    input.write(`${JSON.stringify(ping)}\n`);
    expect(await inbox.next()).toEqual({ kind: "message", message: ping });
  });

  it("gives a peer up by default once more than 32 MiB wait for it", async () => {
    const rest = JSON.stringify({ ...ping, params: { text: "" } }).length + 1;
    const sendAfter = (bytes: number) => {
      const { output } = stuckOutput();
      const { transport } = open({ output });
      void Promise.resolve(transport.send({ ...ping, params: { text: "x".repeat(bytes - rest) } })).catch(() => {});
      return Promise.race([transport.send(ping), Promise.resolve("waits")]);
    };
    expect(await sendAfter(33_554_432)).toBe("waits");
    await expect(sendAfter(33_554_433)).rejects.toMatchObject({
      message: "The peer does not read: over 33554432 bytes wait",
    });
  });

  it("hands on what to answer where it is to", async () => {
    const { input, inbox } = open({ onUnreadable: "answer", maxLineBytes: 10 });
    input.write("noise\n01234567890\n");
    expect(await inbox.next()).toMatchObject({ error: { code: -32700 } });
    expect(await inbox.next()).toMatchObject({ error: { code: -32600 } });
  });

  it("delivers nothing after an unreadable line where that ends the input, however the bytes are cut", () => {
    const http = Buffer.from(`POST / HTTP/1.1\r\nHost: a\r\n\r\n${JSON.stringify(ping)}\n${JSON.stringify(ping)}`);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(http.length), { maxLength: 4 }), (cuts) => {
        const onInputEnd = vi.fn();
        const { input, inbox } = open({ onUnreadable: "answer-and-end", onInputEnd });
        const bounds = [0, ...cuts.sort((a, b) => a - b), http.length];
        for (const [index, end] of bounds.slice(1).entries()) input.emit("data", http.subarray(bounds[index], end));
        input.emit("end");
        expect(inbox.rest).toMatchObject([{ kind: "unreadable", error: { code: -32700 } }]);
        expect(onInputEnd).toHaveBeenCalledOnce();
      }),
      { examples: Array.from(http, (_, offset) => [[offset]]), numRuns: 2 * http.length },
    );
  });

  it.each([
    ["not JSON", "x\n"],
    ["JSON, but no message", "1\n"],
  ])("ends the input at the thousandth line in a row that is %s, where it answers such lines", (_what, line) => {
    const onInputEnd = vi.fn();
    const { input, inbox } = open({ onUnreadable: "answer", onInputEnd });
    input.emit("data", Buffer.from(`${line.repeat(999)}${JSON.stringify(ping)}\n${line.repeat(999)}`));
    expect(onInputEnd).not.toHaveBeenCalled();
    expect(inbox.rest).toHaveLength(1_999);
    input.emit("data", Buffer.from(`${line.repeat(10)}${JSON.stringify(ping)}\n`));
    expect(onInputEnd).toHaveBeenCalledOnce();
    expect(inbox.rest.slice(1_999)).toMatchObject([
      { kind: "unreadable", error: { code: -32700, message: expect.stringContaining("1000 lines in a row") } },
    ]);
  });

  it("reports a thousand lines in a row that are no message, and no more until the next message", () => {
    const { input, inbox } = open();
    input.emit("data", Buffer.from("x\n1\n".repeat(1_000)));
    expect(inbox.rest).toHaveLength(1_000);
    expect(inbox.rest.at(-1)).toMatchObject({
      kind: "unreadable",
      error: { code: "invalid-message", message: expect.stringContaining("1000 lines in a row") },
    });
    input.emit("data", Buffer.from(`${JSON.stringify(ping)}\nx\n`));
    expect(inbox.rest.slice(1_000)).toMatchObject([{ kind: "message" }, { kind: "unreadable" }]);
  });

  it("ends the input once where its last line lacks an end and is unreadable", () => {
    const onInputEnd = vi.fn();
    const { input, inbox } = open({ onUnreadable: "answer-and-end", onInputEnd });
    input.emit("data", Buffer.from("GET / HTTP/1.1"));
    for (const event of ["end", "close"]) input.emit(event);
    expect(inbox.rest).toMatchObject([{ kind: "unreadable" }]);
    expect(onInputEnd).toHaveBeenCalledOnce();
  });

  it("holds lines to the limits on JSON", async () => {
    const { input, inbox } = open({ onUnreadable: "answer", maxJsonDepth: 2, maxJsonNodes: 4 });
    input.write("[[[]]]\n[[],[],[],[]]\n[[],[]]\n");
    expect(await inbox.next()).toMatchObject({ error: { code: -32600, message: expect.stringContaining("2 levels") } });
    expect(await inbox.next()).toMatchObject({ error: { code: -32600, message: expect.stringContaining("4 arrays") } });
    expect(await inbox.next()).toEqual({ kind: "message", message: [[], []] });
  });

  it("rejects what cannot be serialized, and goes on", async () => {
    const { transport, output } = open();
    await expect(transport.send({ ...ping, params: { big: 1n } })).rejects.toMatchObject({ code: "invalid-argument" });
    const written = once(output, "data");
    await transport.send(ping);
    expect(String(await written)).toBe(`${JSON.stringify(ping)}\n`);
  });

  it("writes in one go what is sent in one go, and a notification at once, with what waits", async () => {
    const notice = { jsonrpc: "2.0", method: "notifications/message" } as const;
    const writes: string[] = [];
    const output = new Writable({
      write: (chunk, _encoding, done) => {
        writes.push(String(chunk));
        done();
      },
    });
    const { transport } = open({ output });
    const line = (id: number) => `${JSON.stringify({ ...ping, id })}\n`;
    for (const id of [1, 2, 3]) await transport.send({ ...ping, id });
    await new Promise((resolve) => setImmediate(resolve));
    await transport.send({ ...ping, id: 4 });
    await new Promise((resolve) => setImmediate(resolve));
    void transport.send({ ...ping, id: 5 });
    void transport.send(notice);
    expect(writes).toEqual([line(1) + line(2) + line(3), line(4), `${line(5)}${JSON.stringify(notice)}\n`]);
  });

  it("slows a sender down that waits, until the stream has taken the message", async () => {
    const { output, release } = stuckOutput();
    const { transport } = open({ output });
    let isSent = false;
    const sent = Promise.resolve(transport.send(ping)).then(() => {
      isSent = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSent).toBe(false);
    release();
    await sent;
  });

  it("gathers what is sent while the stream waits, writes it in one go, and has one promise for all senders", async () => {
    const { output, chunks, release } = stuckOutput();
    const { transport } = open({ output });
    const sent = Array.from({ length: 1_000 }, (_, id) => transport.send({ ...ping, id }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(chunks).toHaveLength(1);
    expect(new Set(sent).size).toBe(1);
    release();
    await Promise.all(sent);
    expect(chunks).toHaveLength(2);
    expect(chunks.join("").split("\n").length - 1).toBe(1_000);
    const last = transport.send(ping);
    release();
    await last;
    expect(chunks).toHaveLength(3);
    expect(String(chunks[2])).toBe(`${JSON.stringify(ping)}\n`);
  });

  it("counts what it gathers in bytes", async () => {
    const { output } = stuckOutput();
    const { transport, inbox } = open({ output, maxQueuedBytes: 300 });
    const sends = [1, 2].map((id) =>
      Promise.resolve(transport.send({ ...ping, id, params: { text: "€".repeat(60) } })),
    );
    const outcomes = Promise.allSettled(sends);
    expect(inbox.rest).toEqual([]);
    void Promise.resolve(transport.send(ping)).catch(() => {});
    expect(await inbox.next()).toMatchObject({ kind: "closed", error: { code: "connection-closed" } });
    await outcomes;
  });

  it("sends what it has gathered before it closes", async () => {
    const { output, chunks, release } = stuckOutput(0);
    const { transport } = open({ output, keepsOutput: true });
    const sent = [1, 2, 3].map((id) => transport.send({ ...ping, id }));
    const closing = transport.close();
    for (let write = 0; write < 3; write += 1) {
      release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closing;
    await Promise.all(sent);
    expect(chunks.join("").split("\n").length - 1).toBe(3);
  });

  it("rejects a sender that waits for a stream whose queue is watched, when the stream fails", async () => {
    const failures: ((error: Error) => void)[] = [];
    const output = new Writable({
      decodeStrings: false,
      highWaterMark: 16,
      write: (_chunk, _encoding, done) => void failures.push(done),
    });
    const onQueued = vi.fn();
    const { transport } = open({ output, onQueued });
    const sent = Promise.resolve(transport.send(ping));
    const rejected = expect(sent).rejects.toMatchObject({ code: "connection-closed" });
    failures[0]?.(new Error("gone"));
    await rejected;
  });

  it("gives a peer up that lets too much pile up", async () => {
    const { output } = stuckOutput();
    const { transport, inbox } = open({ output, maxQueuedBytes: 100 });
    const sent = [1, 2, 3, 4].map((id) => Promise.resolve(transport.send({ ...ping, id })));
    const outcomes = Promise.allSettled(sent);
    expect(await inbox.next()).toMatchObject({ kind: "closed", error: { code: "connection-closed" } });
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "rejected"]);
    await expect(transport.send(ping)).rejects.toMatchObject({ code: "connection-closed" });
  });

  describe("with a peer that reads late", () => {
    const answer = { jsonrpc: "2.0", id: 1, result: { text: "x".repeat(100) } } as const;
    const lines = (count: number) => `${JSON.stringify(ping)}\n`.repeat(count);

    /** Answers every message that it receives. */
    function answering(options: Partial<StreamTransportOptions> = {}) {
      const { output, chunks, release } = stuckOutput();
      const opened = open({ output, maxQueuedBytes: 150, holdsRequests: true, ...options });
      const { transport, inbox } = opened;
      const { receive } = inbox;
      inbox.receive = (message) => {
        receive.call(inbox, message);
        void Promise.resolve(transport.send(answer)).catch(() => {});
      };
      const answers = () => chunks.join("").split("\n").length - 1;
      /** Takes all that is written, until nothing is. */
      const readAll = async () => {
        for (let taken = -1; taken < chunks.length; ) {
          taken = chunks.length;
          release();
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      return { ...opened, answers, readAll };
    }

    it.each([{ takesTurns: false }, { takesTurns: true, onQueued: () => {} }])(
      "holds requests while answers over the limit wait (%j)",
      async (options) => {
        const { input, inbox, answers, readAll } = answering(options);
        input.write(lines(50));
        await new Promise((resolve) => setImmediate(resolve));
        expect(inbox.rest.length).toBeLessThan(5);
        expect(input.isPaused()).toBe(true);
        input.write(lines(10));
        await vi.waitFor(async () => {
          await readAll();
          expect(answers()).toBe(60);
        });
        expect(input.isPaused()).toBe(false);
      },
    );

    it.each([{ takesTurns: false }, { takesTurns: true, onQueued: () => {} }])(
      "delivers the held requests before the end of the input (%j)",
      async (options) => {
        const onInputEnd = vi.fn();
        const { input, answers, readAll } = answering({ ...options, onInputEnd });
        input.end(lines(20));
        await new Promise((resolve) => setImmediate(resolve));
        expect(onInputEnd).not.toHaveBeenCalled();
        await vi.waitFor(async () => {
          await readAll();
          expect(onInputEnd).toHaveBeenCalled();
        });
        expect(answers()).toBe(20);
      },
    );

    it("reads on after the answers of the last request of a chunk", async () => {
      const { transport, input, inbox, readAll } = answering({ takesTurns: true, onQueued: () => {} });
      void transport.send(answer);
      void transport.send(answer);
      input.write(lines(1));
      await new Promise((resolve) => setImmediate(resolve));
      expect(input.isPaused()).toBe(true);
      await readAll();
      expect(input.isPaused()).toBe(false);
      expect(inbox.rest).toHaveLength(1);
    });

    it("gives the peer up for notifications over the limit", async () => {
      const { transport, input, inbox } = answering();
      input.write(lines(50));
      await new Promise((resolve) => setImmediate(resolve));
      const held = inbox.rest.length;
      const notification = { jsonrpc: "2.0", method: "notifications/message" } as const;
      await expect(transport.send(notification)).rejects.toMatchObject({ code: "connection-closed" });
      expect(inbox.rest.slice(held)).toMatchObject([{ kind: "closed" }]);
    });
  });

  it("is closed by the end of its input, after what came before it", async () => {
    const { input, output, inbox, transport } = open();
    input.end(JSON.stringify(ping));
    expect(await inbox.next()).toEqual({ kind: "message", message: ping });
    expect(await inbox.next()).toEqual({ kind: "closed", error: undefined });
    expect(output.destroyed).toBe(true);
    await transport.close();
    expect(inbox.rest).toEqual([]);
  });

  it("tells whoever wants to know of the end of its input instead, and can still send", async () => {
    let ended = () => {};
    const onInputEnd = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const { input, output, transport, inbox } = open({ onInputEnd: ended });
    input.end();
    await onInputEnd;
    const written = once(output, "data");
    await transport.send(ping);
    expect(String(await written)).toBe(`${JSON.stringify(ping)}\n`);
    expect(inbox.rest).toEqual([]);
  });

  it("notices an input that was destroyed before it started", async () => {
    const input = new PassThrough();
    input.destroy();
    await new Promise((resolve) => input.once("close", resolve));
    const inbox = new RecordingReceiver();
    new StreamTransport({ input, output: new PassThrough() }).start(inbox);
    expect(await inbox.next()).toEqual({ kind: "closed", error: undefined });
  });

  it("tells of a stream that broke before it started", async () => {
    const output = new PassThrough();
    const transport = new StreamTransport({ input: new PassThrough(), output });
    const broken = new Error("write EPIPE");
    output.destroy(broken);
    await new Promise((resolve) => output.once("close", resolve));
    const inbox = new RecordingReceiver();
    transport.start(inbox);
    expect(await inbox.next()).toEqual({ kind: "closed", error: broken });
  });

  it.each(["input", "output"] as const)("is closed by an error of its %s, once, with the error", async (which) => {
    const streams = open();
    const broken = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    streams[which].destroy(broken);
    expect(await streams.inbox.next()).toEqual({ kind: "closed", error: broken });
    streams[which].emit("error", new Error("again"));
    await expect(streams.transport.send(ping)).rejects.toMatchObject({ code: "connection-closed" });
    expect(streams.inbox.rest).toEqual([]);
  });

  it("rejects what is sent once its output is gone", async () => {
    const { output, transport } = open();
    output.destroy();
    await expect(transport.send(ping)).rejects.toMatchObject({ code: "connection-closed" });
  });

  it("delivers nothing of a chunk after it was closed, and closes once", async () => {
    const { input, output, transport, inbox } = open();
    const receive = vi.spyOn(inbox, "receive").mockImplementation(() => void transport.close());
    input.write(`${JSON.stringify(ping)}\n${JSON.stringify(ping)}\n`);
    expect(await inbox.next()).toEqual({ kind: "closed", error: undefined });
    await transport.close();
    expect(receive).toHaveBeenCalledTimes(1);
    expect([input.destroyed, output.writableEnded, inbox.rest]).toEqual([true, true, []]);
    await expect(transport.send(ping)).rejects.toMatchObject({ code: "connection-closed" });
  });

  it("leaves an output alone that is not its own", async () => {
    const { output, transport } = open({ keepsOutput: true });
    await transport.close();
    expect([output.writableEnded, output.destroyed]).toEqual([false, false]);
  });

  it("closes an output that is gone already", async () => {
    const output = new PassThrough();
    output.end();
    const transport = new StreamTransport({ input: new PassThrough(), output });
    await transport.close();
    expect(output.destroyed).toBe(true);
  });

  it("does not wait for ever for a peer that does not read", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { output } = stuckOutput();
    const { input, transport, inbox } = open({ output });
    const sent = expect(transport.send(ping)).rejects.toMatchObject({ code: "connection-closed" });
    const closed = transport.close();
    input.end();
    await new Promise((resolve) => input.once("end", resolve));
    await vi.advanceTimersByTimeAsync(999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await closed;
    await sent;
    expect(await inbox.next()).toEqual({ kind: "closed", error: undefined });
  });

  it("starts once", () => {
    const { transport } = open();
    expect(() => transport.start(new RecordingReceiver())).toThrow("started before");
  });

  it.each([
    { maxLineBytes: 0 },
    { maxLineBytes: 1.5 },
    { maxQueuedBytes: 0 },
    { maxQueuedBytes: Number.NaN },
    { maxJsonDepth: 0 },
    { maxJsonNodes: -1 },
  ])("refuses %o", (limits) => {
    expect(() => open(limits)).toThrow(Object.keys(limits)[0]);
  });
});

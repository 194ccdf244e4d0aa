import fc from "fast-check";
import { expect, it } from "vitest";
import { FakeRequest, FakeResponse, gate } from "../http-fakes.fixture.js";
import { EventConnection } from "./event-connection.js";
import type { EventStore, StoredEvent } from "./event-store.js";
import { InMemoryEventStore } from "./event-store.js";
import { Outgoing } from "./event-stream.js";
import { parseEventId, replayEnded, StoredStream, type StreamLog } from "./stored-stream.js";

/** A store as slow as the numbers it is given, one per call. */
class Unhurried implements EventStore {
  readonly inner = new InMemoryEventStore();
  readonly #delays: Iterator<number>;
  constructor(delays: Iterator<number>) {
    this.#delays = delays;
  }
  async append(sessionId: string, streamId: string, event: StoredEvent): Promise<void> {
    await this.#wait();
    await this.inner.append(sessionId, streamId, event);
    await this.#wait();
  }
  async read(sessionId: string, streamId: string, after: number): Promise<readonly StoredEvent[]> {
    await this.#wait();
    const events = await this.inner.read(sessionId, streamId, after);
    await this.#wait();
    return events;
  }
  deleteStream = (sessionId: string, streamId: string): Promise<void> => this.inner.deleteStream(sessionId, streamId);
  deleteSession = (sessionId: string): Promise<void> => this.inner.deleteSession(sessionId);
  async #wait(): Promise<void> {
    for (let left = this.#delays.next().value; left > 0; left -= 1) await Promise.resolve();
  }
}

/** A client of one stream that keeps the id of the last event it saw, over all its connections. */
class Reader {
  readonly seen: string[] = [];
  readonly #stream: StoredStream;
  readonly #log: StreamLog;
  readonly #resumptions: Promise<void>[] = [];
  #lastId: string;
  #request = new FakeRequest("GET");
  #response = new FakeResponse(this.#request);

  constructor(log: StreamLog, stream: StoredStream) {
    this.#log = log;
    this.#stream = stream;
    this.#lastId = `${stream.id}.0`;
    stream.attach(this.#opener()());
  }

  breakOff(): void {
    this.#collect();
    this.#request.disconnect();
  }

  /** The server is not told. */
  vanish(): void {
    this.#collect();
    this.#response.isDeaf = true;
  }

  /** Whatever still comes over the connections before is not read. */
  comeBack(isOver: boolean): void {
    this.vanish();
    this.#request = new FakeRequest("GET");
    this.#response = new FakeResponse(this.#request);
    const after = parseEventId(this.#lastId)?.number ?? 0;
    const resumed = isOver
      ? replayEnded(this.#log, this.#stream.id, after, this.#opener())
      : this.#stream.resume(after, this.#opener());
    this.#resumptions.push(resumed.catch(() => undefined));
  }

  async settled(): Promise<void> {
    await Promise.all(this.#resumptions);
    this.#collect();
  }

  #opener(): () => EventConnection {
    const [request, response] = [this.#request, this.#response];
    return () => new EventConnection(request, response, 15_000, () => undefined);
  }

  #collect(): void {
    for (const { id = "", data = "" } of this.#response.events) {
      this.#lastId = id;
      if (data !== "") this.seen.push(data);
    }
    this.#response.text = "";
  }
}

it("whatever breaks, a client that comes back sees each event of its stream once and in order", async () => {
  const act = fc.constantFrom("emit", "emit", "emit", "break", "vanish", "return", "pause", "tick");
  const script = fc.array(fc.record({ act, who: fc.nat({ max: 1 }) }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(script, fc.infiniteStream(fc.nat({ max: 4 })), fc.boolean(), async (steps, delays, primes) => {
      const store = new Unhurried(delays);
      const log: StreamLog = {
        store,
        sessionId: "s",
        retryMs: 1,
        resumes: { requests: 0, bytes: 0 },
        primes,
        report: (error) => expect(error).toBeUndefined(),
      };
      const finished = [gate(), gate()];
      const streams = finished.map(({ open }) => new StoredStream(log, open));
      const readers = streams.map((stream) => new Reader(log, stream));
      const sent: string[][] = [[], []];
      const emit = (who: number, kind: "notification" | "answer") => {
        const text = JSON.stringify([who, sent[who]?.length]);
        sent[who]?.push(text);
        void streams[who]?.emit(new Outgoing(kind, text));
      };
      for (const step of steps) {
        const reader = readers[step.who];
        if (step.act === "emit") emit(step.who, "notification");
        if (step.act === "break") reader?.breakOff();
        if (step.act === "vanish") reader?.vanish();
        if (step.act === "return") reader?.comeBack(false);
        if (step.act === "pause") streams[step.who]?.pause();
        if (step.act === "tick") await Promise.resolve();
      }
      for (const [who, stream] of streams.entries()) {
        emit(who, "answer");
        stream.finish(false);
        await finished[who]?.passed;
        await readers[who]?.settled();
        readers[who]?.comeBack(true);
        await readers[who]?.settled();
        expect(readers[who]?.seen).toEqual(sent[who]);
      }
      expect(store.inner.size).toBe(sent.flat().length);
    }),
    { numRuns: 300 },
  );
});

function setUp(primes = true) {
  const inner = new InMemoryEventStore();
  const report = (error: Error) => expect(error).toBeUndefined();
  const stream = new StoredStream(
    { store: inner, sessionId: "s", retryMs: 1, resumes: { requests: 0, bytes: 0 }, primes, report },
    () => undefined,
  );
  const request = new FakeRequest("GET");
  const response = new FakeResponse(request);
  return { inner, stream, response, connect: () => new EventConnection(request, response, 15_000, () => undefined) };
}

it("who comes back while the stream ends gets it to its end", async () => {
  const { stream, response, connect } = setUp();
  void stream.emit(new Outgoing("answer", "{}"));
  stream.finish(false);
  await stream.resume(0, connect);
  expect([response.messages, response.isEnded]).toEqual([[{}], true]);
});

it("what has not been kept when the session ends is not kept any more", async () => {
  const { stream, inner } = setUp();
  const sent = stream.emit(new Outgoing("notification", "{}"));
  await Promise.all([stream.abort(), sent]);
  expect(inner.size).toBe(0);
});

it.each(["", "x.1", "00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000000.-1"])(
  "%j names no event",
  (id) => {
    expect(parseEventId(id)).toBeUndefined();
  },
);

it("lets no more than a mebibyte wait for a slow store, but every answer", async () => {
  const opened = gate();
  const store = new InMemoryEventStore();
  const append = store.append.bind(store);
  store.append = async (...event) => {
    await opened.passed;
    await append(...event);
  };
  const log: StreamLog = {
    store,
    sessionId: "s",
    retryMs: 1,
    resumes: { requests: 0, bytes: 0 },
    primes: false,
    report: () => undefined,
  };
  const stream = new StoredStream(log, () => undefined);
  const half = new Outgoing("notification", "x".repeat(524_288));

  const first = [stream.emit(half), stream.emit(half)];
  await expect(stream.emit(new Outgoing("notification", "x"))).rejects.toMatchObject({ code: "too-large" });
  const answered = stream.emit(new Outgoing("answer", "{}"));
  opened.open();
  await Promise.all([...first, answered]);
  // There is room again.
  await Promise.all([stream.emit(half), stream.emit(half)]);
});

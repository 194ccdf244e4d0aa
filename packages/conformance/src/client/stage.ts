/** One run of a scenario: the servers that the client may reach, and everything that it did there, in order. */
import type { Revision } from "parley-requirements";
import { type HeardCall, type Listener, listenHttp, type PlayedReply } from "../wire/http-listener.js";
import { parseJson } from "../wire/json-rpc.js";
import type { Sighting, SightingOrigin } from "./sighting.js";

const HTTP_ORIGINS = ["mcp", "auth", "second-auth", "other"] as const;

/** Past this, further sightings are counted and not kept. */
const MAX_SIGHTINGS = 20_000;

/** How long a scenario waits for something that the client should do. */
const WAIT_MS = 3000;

interface Mutable extends Sighting {
  status: number;
  isAbandoned: boolean;
}

interface Waiting {
  readonly test: (sighting: Sighting) => boolean;
  readonly settle: (sighting: Sighting | undefined) => void;
}

export type PlayStage = (sighting: Sighting) => PlayedReply | Promise<PlayedReply>;

export class Stage implements AsyncDisposable {
  readonly revision: Revision;
  readonly sightings: Sighting[] = [];
  readonly #started = performance.now();
  readonly #waiting = new Set<Waiting>();
  #listeners = new Map<SightingOrigin, Listener>();
  #isClosing = false;

  constructor(revision: Revision) {
    this.revision = revision;
  }

  /** Opens the servers, all of which `play` answers for. */
  async open(play: PlayStage): Promise<void> {
    for (const origin of HTTP_ORIGINS)
      this.#listeners.set(origin, await listenHttp((call) => this.#hear(origin, call, play)));
  }

  /** The URL that the client is given. */
  get url(): string {
    return `${this.originOf("mcp")}/mcp`;
  }

  originOf(origin: SightingOrigin): string {
    return this.#listeners.get(origin)?.origin ?? "";
  }

  /** Keeps what a client did over pipes. */
  keep(verb: string, body: string): Sighting {
    return this.#add({
      origin: "pipe",
      verb,
      path: "",
      headers: {},
      body,
      value: parseJson(body),
      atMs: this.#now(),
      status: 200,
      isAbandoned: false,
    });
  }

  /** How often the client has done something so far. */
  count(test: (sighting: Sighting) => boolean): number {
    return this.sightings.filter(test).length;
  }

  /** The first sighting from now on that satisfies a test, or `undefined` after a while. */
  next(test: (sighting: Sighting) => boolean, waitMs: number = WAIT_MS): Promise<Sighting | undefined> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        test,
        settle: (sighting) => {
          clearTimeout(timer);
          this.#waiting.delete(waiting);
          resolve(sighting);
        },
      };
      const timer = setTimeout(() => waiting.settle(undefined), waitMs);
      this.#waiting.add(waiting);
    });
  }

  pause(ms: number): Promise<void> {
    return this.next(() => false, ms).then(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    for (const { settle } of [...this.#waiting]) settle(undefined);
    await Promise.all([...this.#listeners.values()].map((listener) => listener[Symbol.asyncDispose]()));
  }

  async #hear(origin: SightingOrigin, call: HeardCall, play: PlayStage): Promise<PlayedReply> {
    const { verb, path, headers, body } = call;
    const sighting = this.#add({
      origin,
      verb,
      path,
      headers,
      body,
      value: verb === "POST" ? parseJson(body) : undefined,
      atMs: this.#now(),
      status: 0,
      isAbandoned: false,
    });
    void call.isAbandoned.then((isAbandoned) => {
      sighting.isAbandoned = isAbandoned && !this.#isClosing;
    });
    const reply = await play(sighting);
    sighting.status = reply.status;
    return reply;
  }

  #add(sighting: Mutable): Mutable {
    if (this.sightings.length < MAX_SIGHTINGS) this.sightings.push(sighting);
    for (const waiting of [...this.#waiting]) if (waiting.test(sighting)) waiting.settle(sighting);
    return sighting;
  }

  #now(): number {
    return performance.now() - this.#started;
  }
}

/** One run of a scenario: the servers that the client may reach, and everything that it did there, in order. */
import type { Revision } from "parley-requirements";
import { type HeardCall, type Listener, listenHttp, type PlayedReply } from "../wire/http-listener.js";
import { parseJson } from "../wire/json-rpc.js";
import { listenForRelays, type RelayListener } from "../wire/relay-listener.js";
import { type PipeEvent, type PipeHabits, PlayedPipe } from "./played-pipe.js";
import type { Sighting, SightingOrigin } from "./sighting.js";

const HTTP_ORIGINS = ["mcp", "auth", "second-auth", "other"] as const;

/** Noted if the client was ended because it took too long. */
export const OVERDUE = "overdue";

/** Past this, further sightings are not kept. */
const MAX_SIGHTINGS = 20_000;

/** Past this, further sightings are not kept. JSON takes much more memory than its text. */
const MAX_SEEN_CHARACTERS = 8 * 1024 * 1024;

/** How long a scenario waits for something that the client should do. */
const WAIT_MS = 3000;

/** How long programs on standard streams may outlive the client. */
const GONE_MS = 500;

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
  /** What a scenario has noted for its checks. */
  readonly notes: Set<string> = new Set();
  readonly #clock: () => number;
  readonly #started: number;
  readonly #waiting = new Set<Waiting>();
  readonly #endings = new WeakMap<Sighting, Promise<boolean>>();
  #listeners = new Map<SightingOrigin, Listener>();
  #relays: RelayListener | undefined;
  #isClosing = false;
  #seenCharacters = 0;

  /** The clock tells milliseconds. Tests turn one by hand. */
  constructor(revision: Revision, clock: () => number = () => performance.now()) {
    this.revision = revision;
    this.#clock = clock;
    this.#started = clock();
  }

  /** Opens the servers, all of which `play` answers for. */
  async open(play: PlayStage): Promise<void> {
    for (const origin of HTTP_ORIGINS)
      this.#listeners.set(origin, await listenHttp((call) => this.#hear(origin, call, play)));
  }

  /** Opens a server on standard streams, whose lines `play` answers. */
  async openPipe(play: PlayStage, habits: PipeHabits): Promise<void> {
    this.#relays = await listenForRelays(
      (program) => new PlayedPipe(program, habits, (event, text) => this.#hearPipe(event, text, play)),
    );
  }

  /** What the client is given: the command of a server on standard streams, or a URL. */
  get server(): string | readonly [string, ...string[]] {
    return this.#relays?.command ?? this.url;
  }

  /** Waits until the programs on standard streams have ended, or for a moment. */
  async settled(): Promise<void> {
    if (!this.#relays) return;
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, GONE_MS);
    });
    await Promise.race([this.#relays.gone(), enough]);
    clearTimeout(timer);
  }

  /** The URL of the server over HTTP. */
  get url(): string {
    return `${this.originOf("mcp")}/mcp`;
  }

  originOf(origin: SightingOrigin): string {
    return this.#listeners.get(origin)?.origin ?? "";
  }

  /** How often the client has done something so far. */
  count(test: (sighting: Sighting) => boolean): number {
    return this.sightings.filter(test).length;
  }

  /** The first sighting from now on that satisfies a test, or `undefined` after a while. */
  next(test: (sighting: Sighting) => boolean): Promise<Sighting | undefined> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        test,
        settle: (sighting) => {
          clearTimeout(timer);
          this.#waiting.delete(waiting);
          resolve(sighting);
        },
      };
      const timer = setTimeout(() => waiting.settle(undefined), WAIT_MS);
      this.#waiting.add(waiting);
    });
  }

  /** Whether the client closes a response before its end, now or within a while. */
  async isAbandoned(sighting: Sighting): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), WAIT_MS);
    });
    const isAbandoned = await Promise.race([this.#endings.get(sighting) ?? false, enough]);
    clearTimeout(timer);
    return isAbandoned;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    for (const { settle } of [...this.#waiting]) settle(undefined);
    await Promise.all([...this.#listeners.values()].map((listener) => listener[Symbol.asyncDispose]()));
    await this.#relays?.[Symbol.asyncDispose]();
  }

  async #hearPipe(event: PipeEvent, text: string, play: PlayStage): Promise<PlayedReply | undefined> {
    const sighting = this.#add({
      origin: "pipe",
      verb: event,
      path: "",
      headers: {},
      body: text,
      value: event === "line" ? parseJson(text) : undefined,
      atMs: this.#now(),
      status: 0,
      isAbandoned: false,
    });
    if (event !== "line") return undefined;
    const reply = await playSafely(play, sighting);
    sighting.status = reply.status;
    return reply;
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
    this.#endings.set(sighting, call.isAbandoned);
    void call.isAbandoned.then((isAbandoned) => {
      sighting.isAbandoned = isAbandoned && !this.#isClosing;
    });
    const reply = await playSafely(play, sighting);
    sighting.status = reply.status;
    return reply;
  }

  #add(sighting: Mutable): Mutable {
    this.#seenCharacters += sighting.body.length;
    const isKept = this.sightings.length < MAX_SIGHTINGS && this.#seenCharacters <= MAX_SEEN_CHARACTERS;
    if (isKept) this.sightings.push(sighting);
    for (const waiting of [...this.#waiting]) if (waiting.test(sighting)) waiting.settle(sighting);
    return sighting;
  }

  #now(): number {
    return this.#clock() - this.#started;
  }
}

/** A scenario that throws at what a client sent is a fault of the checker. The run goes on, and the client gets status 500. */
async function playSafely(play: PlayStage, sighting: Sighting): Promise<PlayedReply> {
  try {
    return await play(sighting);
  } catch (error) {
    return { status: 500, headers: { "content-type": "text/plain" }, body: `The scenario failed: ${error}\n` };
  }
}

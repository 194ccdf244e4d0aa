/**
 * The end of one session's channel at this process: subscribes, publishes, and asks all other processes of the session. Knows the
 * form of messages, not what they do.
 */
import { SdkError } from "../../../../errors/sdk-error.js";
import type { ErrorCallback } from "../../../../runtime/error-callback.js";
import { toHex } from "../../../../runtime/hexadecimal.js";
import { withTimeout } from "../../../../runtime/timers.js";
import { type ChannelBody, type ChannelMessage, parseChannelMessage } from "./channel-message.js";
import type { SessionChannel } from "./session-channel.js";

export type Reply = Extract<ChannelBody, { kind: "reply" }>;
type WithoutAsk<Body> = Body extends { readonly ask: string } ? Omit<Body, "ask"> : never;
export type ChannelQuestion = WithoutAsk<Exclude<ChannelBody, Reply>>;

/** The link keeps replies for itself. */
export type ReceivedMessage = Exclude<ChannelMessage, { readonly kind: "reply" }>;

/** The session at this process. */
export interface LinkReceiver {
  /** Receives a message of another process, and its own claims, whose place among the others decides. */
  receive(message: ReceivedMessage): void;
  /** Messages may have been lost. */
  missed(): void;
}

/** A process that does not reply within this time counts as ended. */
const REPLY_TIMEOUT_MS = 1_000;
/** As long as a request may wait for the session store. */
const CHANNEL_TIMEOUT_MS = 10_000;
/** Messages that arrive before the session was read. */
const MAX_EARLY = 64;
const MAX_EARLY_CHARACTERS = 1_048_576;
/** Characters of messages that nobody waits for, and that the channel has not taken yet. A large one goes out alone. */
const MAX_SENDING_CHARACTERS = 1_048_576;

interface Asked {
  /** Undefined until the question was published. */
  expected: number | undefined;
  said: number;
  settle(reply: Reply | undefined): void;
}

export class SessionLink {
  readonly sessionId: string;
  /** Unique among the processes, and among the times at which one process takes the session up. */
  readonly name: string = toHex(crypto.getRandomValues(new Uint8Array(6)));
  /** Requests that wait for the session. */
  waiting = 0;
  #hasEnded = false;
  #isClosed = false;
  readonly #channel: SessionChannel;
  readonly #report: ErrorCallback;
  readonly #asked = new Map<string, Asked>();
  readonly #early: ReceivedMessage[] = [];
  #earlyCharacters = 0;
  #sendingCharacters = 0;
  #receiver: LinkReceiver | undefined;
  #opening: Promise<() => void | Promise<void>> | undefined;
  #nextAsk = 1;

  constructor(sessionId: string, channel: SessionChannel, report: ErrorCallback) {
    this.sessionId = sessionId;
    this.#channel = channel;
    this.#report = report;
  }

  /** Whether another process has deleted the session. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether a session receives the messages. */
  get isAttached(): boolean {
    return this.#receiver !== undefined;
  }

  /** Subscribes, once. Synchronous up to the call of the channel: commands that follow are carried out later. */
  async open(): Promise<void> {
    this.#opening ??= this.#subscribe();
    const opening = this.#opening;
    try {
      await opening;
    } catch (error) {
      if (this.#opening === opening) this.#opening = undefined;
      throw error;
    }
  }

  /** Passes messages to the session, those first that have arrived before. */
  attach(receiver: LinkReceiver): void {
    this.#receiver = receiver;
    for (const message of this.#early.splice(0)) receiver.receive(message);
  }

  /** Resolves with the number of other processes that were sent the message. */
  publish(body: ChannelBody): Promise<number> {
    return this.#publish(this.#textOf(body));
  }

  #textOf(body: ChannelBody): string {
    return JSON.stringify({ ...body, from: this.name });
  }

  async #publish(text: string): Promise<number> {
    const receivers = await bounded(this.#channel.publish(this.sessionId, text), "publish");
    return Math.max(0, receivers - (this.#opening === undefined ? 0 : 1));
  }

  /**
   * Publishes a message, and reports a failure. Drops it if too much waits for a slow channel: processes that ask get no reply, and
   * those that follow a stream read the event store.
   */
  send(body: ChannelBody): void {
    const text = this.#textOf(body);
    const isFull = this.#sendingCharacters + text.length > MAX_SENDING_CHARACTERS;
    if (isFull && this.#sendingCharacters > 0) {
      this.failed(new Error("It is too slow"));
      return;
    }
    this.#sendingCharacters += text.length;
    this.#publish(text)
      .catch((cause: unknown) => this.failed(cause))
      .finally(() => {
        this.#sendingCharacters -= text.length;
      });
  }

  reply(ask: string, outcome: Reply["outcome"], numbers?: Reply["numbers"]): void {
    this.send({ kind: "reply", ask, outcome, ...(numbers && { numbers }) });
  }

  /** The first reply other than `no`; undefined if all others said no, or said nothing in time. Rejects if the channel fails. */
  ask(question: ChannelQuestion): Promise<Reply | undefined> {
    const ask = `${this.name}.${this.#nextAsk++}`;
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.#asked.delete(ask);
      };
      let timer: ReturnType<typeof setTimeout> | undefined;
      const asked: Asked = {
        expected: undefined,
        said: 0,
        settle: (reply) => {
          end();
          resolve(reply);
        },
      };
      this.#asked.set(ask, asked);
      this.publish({ ...question, ask } as ChannelBody).then(
        (others) => {
          asked.expected = others;
          if (asked.said >= others) asked.settle(undefined);
          // From here on: a slow channel says nothing about the other processes.
          else if (this.#asked.has(ask)) timer = setTimeout(() => asked.settle(undefined), REPLY_TIMEOUT_MS);
        },
        (error: unknown) => {
          end();
          reject(error);
        },
      );
    });
  }

  /** Unsubscribes. Questions in progress get no reply. */
  close(): void {
    const opening = this.#opening;
    this.#isClosed = true;
    this.#opening = undefined;
    this.#receiver = undefined;
    this.#early.length = 0;
    for (const asked of [...this.#asked.values()]) asked.settle(undefined);
    opening?.then((end) => end()).catch((cause: unknown) => this.failed(cause));
  }

  async #subscribe(): Promise<() => void | Promise<void>> {
    const subscribing = this.#channel.subscribe(this.sessionId, (text) => this.#heard(text));
    try {
      return await bounded(subscribing, "subscribe");
    } catch (error) {
      // The channel may subscribe later all the same.
      subscribing.then((end) => end()).catch(() => undefined);
      throw error;
    }
  }

  #heard(text: string | undefined): void {
    if (this.#isClosed) return;
    if (text === undefined) {
      this.#receiver?.missed();
      return;
    }
    const message = parseChannelMessage(text);
    if (message === undefined) this.failed(new Error("It carried a message of another program"));
    else if (message.kind === "reply") this.#replied(message);
    else if (message.from !== this.name) this.#received(message, text.length);
    else if (message.kind === "claim") this.#receiver?.receive(message);
  }

  #received(message: ReceivedMessage, characters: number): void {
    if (message.kind === "ended") this.#hasEnded = true;
    if (this.#receiver) this.#receiver.receive(message);
    else if ("ask" in message) this.reply(message.ask, "no");
    else if (this.#early.length < MAX_EARLY && this.#earlyCharacters + characters <= MAX_EARLY_CHARACTERS) {
      this.#early.push(message);
      this.#earlyCharacters += characters;
    }
  }

  #replied(reply: Reply): void {
    const asked = this.#asked.get(reply.ask);
    if (!asked) return;
    asked.said += 1;
    if (reply.outcome !== "no") asked.settle(reply);
    else if (asked.said === asked.expected) asked.settle(undefined);
  }

  /** Reports a failure of the channel. */
  failed(cause: unknown): void {
    this.#report(new SdkError("handler-failed", "The channel of a session failed", { cause }));
  }
}

function bounded<Value>(work: Promise<Value>, what: string): Promise<Value> {
  return withTimeout(work, CHANNEL_TIMEOUT_MS, () => {
    throw new SdkError("request-timeout", `${what} of the session channel has not settled in ${CHANNEL_TIMEOUT_MS} ms`);
  });
}

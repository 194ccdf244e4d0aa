/**
 * The standalone stream of a session that several processes serve. One process at a time owns the stream: it numbers, stores and
 * sends the events, and notifies the client of changes. A process that the client connects to takes the stream over.
 */
import { SdkError } from "../../../../errors/sdk-error.js";
import type { ChannelMessage, ClaimPurpose, StreamNumbers } from "../sessions/channel-message.js";
import type { SessionLink } from "../sessions/session-link.js";
import { cannotAsk, Outgoing } from "./event-stream.js";
import { type StoredStream, StreamClaimed } from "./stored-stream.js";

type Claim = Extract<ChannelMessage, { kind: "claim" }>;
type Emit = Extract<ChannelMessage, { kind: "emit" }>;

export interface OwnerHost {
  /** This process notifies the client of changes from now on, or does so no more. `hasMissed`: nobody has for a while. */
  ownership(isOwner: boolean, hasMissed: boolean): void;
  /**
   * Claims a stream that no process has, and reads its numbers from the event store. `after`: the client has seen the events up to this
   * one.
   */
  claimedNumbers(after: number | undefined): Promise<StreamNumbers>;
}

interface PendingClaim {
  readonly purpose: ClaimPurpose;
  /** Whether the claim has come back over the channel, so that those that follow are later. */
  isPlaced: boolean;
  isLost: boolean;
  /** Messages for the stream that came meanwhile. */
  readonly held: Emit[];
}

/** Characters of messages that wait for the owner. */
const MAX_WAITING_CHARACTERS = 1_048_576;
const MAX_HELD = 256;
const MAX_ATTEMPTS = 3;

export class StandaloneOwner {
  readonly #link: SessionLink;
  readonly #stream: StoredStream;
  readonly #host: OwnerHost;
  #isOwner: boolean;
  #claim: PendingClaim | undefined;
  /** Claims of this process, one after the other. */
  #lastClaim: Promise<unknown> = Promise.resolve();
  #lastEmit: Promise<unknown> = Promise.resolve();
  #waitingCharacters = 0;

  constructor(link: SessionLink, stream: StoredStream, host: OwnerHost, isOwner: boolean) {
    this.#link = link;
    this.#stream = stream;
    this.#host = host;
    this.#isOwner = isOwner;
  }

  get isOwner(): boolean {
    return this.#isOwner;
  }

  /** Takes the stream over. False if the client is connected to another process. Rejects if the channel fails. */
  take(purpose: ClaimPurpose, after?: number | undefined): Promise<boolean> {
    const taken = this.#lastClaim.then(() => this.#isOwner || this.#takeOver(purpose, after));
    this.#lastClaim = taken.catch(() => undefined);
    return taken;
  }

  /** Sends a message over the stream, wherever it is. Rejects if a request cannot reach the client. */
  emit(message: Outgoing): Promise<void> {
    if (this.#isOwner && this.#waitingCharacters === 0) {
      return this.#emitHere(message).then((isStored) => (isStored ? undefined : this.#emitLater(message)));
    }
    return this.#emitLater(message);
  }

  #emitLater(message: Outgoing): Promise<void> {
    const { text } = message;
    if (this.#waitingCharacters + text.length > MAX_WAITING_CHARACTERS) {
      return Promise.reject(new SdkError("too-large", "The session channel is too slow: too much waits to be sent"));
    }
    this.#waitingCharacters += text.length;
    const emitted = this.#lastEmit.then(() => this.#emit(message));
    this.#lastEmit = emitted.then(
      () => this.#emitted(text),
      () => this.#emitted(text),
    );
    return emitted;
  }

  receiveClaim({ from, ask, purpose }: Claim): void {
    const claim = this.#claim;
    if (from === this.#link.name) {
      if (claim) claim.isPlaced = true;
      return;
    }
    if (this.#isOwner) {
      const isFree = purpose === "resume" || (purpose === "listen" && !this.#stream.isConnected);
      if (isFree) void this.#handOver(ask);
      else this.#link.reply(ask, "refused");
      return;
    }
    // A claim for a single message gives way to a client that connects.
    const givesWay = claim?.purpose === "emit" && purpose !== "emit";
    if (claim && givesWay) claim.isLost = true;
    this.#link.reply(ask, claim?.isPlaced && !givesWay ? "refused" : "no");
  }

  receiveEmit(emit: Emit): void {
    const held = this.#claim?.held;
    if (this.#isOwner) void this.#emitFor(emit);
    else if (held && held.length < MAX_HELD) held.push(emit);
    else this.#link.reply(emit.ask, "no");
  }

  /** After lost messages: gives the stream up if another process has taken it meanwhile. Never rejects. */
  async check(): Promise<void> {
    if (!this.#isOwner) return;
    const reply = await this.#link.ask({ kind: "claim", purpose: "check" }).catch(() => undefined);
    if (reply?.outcome === "refused") await this.lost();
  }

  /** Another process has the stream now. Ends the connection of the client here. */
  async lost(): Promise<void> {
    if (this.#isOwner) await this.#giveUp();
  }

  async #takeOver(purpose: ClaimPurpose, after: number | undefined): Promise<boolean> {
    const claim: PendingClaim = { purpose, isPlaced: false, isLost: false, held: [] };
    this.#claim = claim;
    try {
      const reply = await this.#link.ask({ kind: "claim", purpose });
      if (reply?.outcome === "refused") return false;
      const numbers = reply?.numbers ?? (await this.#host.claimedNumbers(after));
      // A session that has ended here gets no reply. Its claim must take the stream from nobody.
      if (claim.isLost || this.#link.isClosed) return false;
      this.#stream.adopt(numbers);
      this.#isOwner = true;
      // A process that hung may still believe that it has the stream.
      if (reply === undefined) this.#link.send({ kind: "claimed" });
      this.#host.ownership(true, reply === undefined);
      return true;
    } finally {
      this.#claim = undefined;
      for (const emit of claim.held) this.receiveEmit(emit);
    }
  }

  async #handOver(ask: string): Promise<void> {
    this.#link.reply(ask, "yes", await this.#giveUp());
  }

  #giveUp(): Promise<StreamNumbers> {
    this.#isOwner = false;
    this.#host.ownership(false, false);
    return this.#stream.handOver();
  }

  /** False if another process has claimed the stream meanwhile, which this one then gives up. */
  async #emitHere(message: Outgoing): Promise<boolean> {
    try {
      await this.#stream.emit(message);
      return true;
    } catch (error) {
      if (!(error instanceof StreamClaimed)) throw error;
      // Not awaited, so that messages are passed on in their order.
      void this.lost();
      return false;
    }
  }

  async #emitFor({ ask, isRequest, text }: Emit): Promise<void> {
    try {
      const isStored = await this.#emitHere(new Outgoing(isRequest ? "request" : "notification", text));
      this.#link.reply(ask, isStored ? "yes" : "no");
    } catch {
      this.#link.reply(ask, "refused");
    }
  }

  async #emit(message: Outgoing): Promise<void> {
    const { kind, text } = message;
    for (let left = MAX_ATTEMPTS; left > 0; left -= 1) {
      if (this.#isOwner && (await this.#emitHere(message))) return;
      const reply = await this.#link.ask({ kind: "emit", isRequest: kind === "request", text });
      if (reply?.outcome === "yes") return;
      if (reply?.outcome === "refused") break;
      // No process has the stream: this one takes it, and keeps the message until the client connects.
      if ((await this.take("emit")) && (await this.#emitHere(message))) return;
    }
    throw cannotAsk("the process that has its stream does not take messages");
  }

  #emitted({ length }: string): void {
    this.#waitingCharacters -= length;
  }
}

/** One session that several processes serve, as this process sees it: acts on the messages of the others. */
import { SdkError } from "../../../../errors/sdk-error.js";
import { markHandled } from "../../../../runtime/maybe-promise.js";
import type { JsonRpcMessage } from "../../../../wire/json-rpc.js";
import { HttpRefusal } from "../../http-refusal.js";
import { askerUnreachable, storeFailed, streamTaken, tooManyAnswers } from "../refusals.js";
import type { Outgoing } from "../streams/event-stream.js";
import { FollowedStream } from "../streams/followed-stream.js";
import { type OwnerHost, StandaloneOwner } from "../streams/standalone-owner.js";
import { STANDALONE_ID } from "../streams/standalone-stream.js";
import { type Connect, readAfter, replayEnded, type StoredStream, type StreamLog } from "../streams/stored-stream.js";
import { AnswerBudget } from "./answer-budget.js";
import type { ChannelMessage, SharedSessionRecord, StreamNumbers } from "./channel-message.js";
import type { LinkReceiver, ReceivedMessage, SessionLink } from "./session-link.js";
import type { SessionStore } from "./session-store.js";
import { type RecordHost, SharedRecord } from "./shared-record.js";

/** The session, as its shared part sees it. */
export interface SharedHost extends RecordHost {
  readonly report: (error: Error) => void;
  /** A stream that this process writes. */
  streamOf(id: string): StoredStream | undefined;
  /** `late`: an answer to a request of this process that is over. */
  receiveForwarded(message: unknown): "received" | "late" | "unknown";
  /** This process notifies the client of changes from now on, or does so no more. */
  notifyChanges(isOn: boolean, hasMissed: boolean): void;
  /** Another process has deleted the session. */
  endedElsewhere(): void;
  /** Messages of other processes may have been lost. */
  missed(): void;
}

export interface SharedSettings {
  readonly store: SessionStore;
  readonly idleMs: number;
  /** Whether the session was opened here. Its standalone stream then begins here. */
  readonly isOpenedHere: boolean;
}

/** The replies to an answer that another process has forwarded. */
const REPLIES = { received: "yes", late: "refused", unknown: "no" } as const;

export class SharedSession implements LinkReceiver, OwnerHost {
  readonly record: SharedRecord;
  readonly #host: SharedHost;
  readonly #link: SessionLink;
  readonly #log: StreamLog;
  readonly #owner: StandaloneOwner;
  readonly #standalone: StoredStream;
  readonly #answers = new AnswerBudget();
  readonly #followed = new Map<string, FollowedStream>();
  /** Messages of the POST that is being received, on their way to other processes. */
  #forwarding: Promise<void>[] = [];

  constructor(
    host: SharedHost,
    link: SessionLink,
    log: StreamLog,
    standalone: StoredStream,
    { store, idleMs, isOpenedHere }: SharedSettings,
  ) {
    this.#host = host;
    this.#link = link;
    this.#log = log;
    this.#standalone = standalone;
    this.record = new SharedRecord(host, link, store, idleMs);
    this.#owner = new StandaloneOwner(link, standalone, this, isOpenedHere);
  }

  /** Subscribes to the channel, and stores the session that was opened here. Rejects if one fails. */
  async open(): Promise<void> {
    await Promise.all([this.#link.open(), this.record.create()]);
    this.#link.attach(this);
  }

  /** Continues with a session of another process, whose record was read. */
  join(record: SharedSessionRecord): void {
    this.refresh(record);
    this.#host.notifyChanges(false, false);
    this.#link.attach(this);
  }

  emit(message: Outgoing): Promise<void> {
    return this.#owner.emit(message);
  }

  /** Passes on a message whose request is not known here. */
  forward(message: JsonRpcMessage): void {
    const passing = "method" in message ? this.#pass(message) : this.#passAnswer(message);
    this.#forwarding.push(markHandled(passing));
  }

  async #pass(message: JsonRpcMessage): Promise<void> {
    await this.#link.publish({ kind: "message", message: { ...message } });
  }

  /** Rejects with a refusal if no process confirms that the answer is to a question of its own. */
  async #passAnswer(message: JsonRpcMessage): Promise<void> {
    const cost = this.#answers.take(JSON.stringify(message).length);
    if (cost === undefined) throw tooManyAnswers();
    const reply = await this.#link.ask({ kind: "answer", message: { ...message } });
    if (reply === undefined) throw askerUnreachable();
    if (reply.outcome === "yes") this.#answers.giveBack(cost);
  }

  /** Resolves when the messages that were passed on, and a changed state, have reached the other processes. */
  received(): Promise<void> | undefined {
    const waiting = [...this.#forwarding.splice(0), this.record.save()].filter((one) => one !== undefined);
    return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => undefined);
  }

  /** Connects the client to the standalone stream, after an event that it has seen. Rejects with a refusal. */
  async listen(after: number | undefined, connect: Connect): Promise<void> {
    if (after === undefined && this.#standalone.isConnected) throw streamTaken();
    const isTaken = await this.#guard(this.#owner.take(after === undefined ? "listen" : "resume", after));
    // Another process may have taken the stream over since.
    if (!isTaken || !this.#owner.isOwner) throw streamTaken();
    if (after !== undefined) return this.#resumeStandalone(after, connect);
    if (this.#standalone.isConnected) throw streamTaken();
    return this.#standalone.listen(connect);
  }

  /** A client that is refused connects anew, and does not get the events after the one that it has seen. */
  async #resumeStandalone(after: number, connect: Connect): Promise<void> {
    try {
      await this.#standalone.resume(after, connect);
    } catch (refusal) {
      this.#host.notifyChanges(this.#owner.isOwner, true);
      throw refusal;
    }
  }

  /** Resumes a stream that is not written here. Rejects with a refusal. */
  async resume(streamId: string, after: number, connect: Connect): Promise<void> {
    this.#followed.get(streamId)?.end();
    const followed: FollowedStream = new FollowedStream(streamId, this.#log, this.#link, () => {
      this.#followed.delete(streamId);
    });
    this.#followed.set(streamId, followed);
    let isFollowing = false;
    try {
      isFollowing = await this.#guard(followed.start(after, connect));
    } finally {
      if (!isFollowing) followed.end();
    }
    if (!isFollowing) await replayEnded(this.#log, streamId, after, connect);
  }

  /** Tells the other processes that the session was deleted. */
  async announceEnd(): Promise<void> {
    await this.#link.publish({ kind: "ended" });
  }

  end(): void {
    for (const followed of [...this.#followed.values()]) followed.end();
    this.#link.close();
  }

  /** After lost messages: takes the record over, and checks with the others what this process has. */
  async recheck(record: SharedSessionRecord): Promise<void> {
    this.refresh(record);
    await Promise.all([this.#owner.check(), ...[...this.#followed.values()].map((followed) => followed.check())]);
  }

  receive(message: ReceivedMessage): void {
    switch (message.kind) {
      case "ended":
        this.#host.endedElsewhere();
        return;
      case "state":
        this.refresh(message.record);
        return;
      case "message":
        this.#host.receiveForwarded(message.message);
        return;
      case "answer":
        this.#link.reply(message.ask, REPLIES[this.#host.receiveForwarded(message.message)]);
        return;
      case "claim":
        this.#owner.receiveClaim(message);
        return;
      case "claimed":
        void this.#owner.lost();
        return;
      case "emit":
        this.#owner.receiveEmit(message);
        return;
      case "follow":
        void this.#follow(message);
        return;
      case "event":
        this.#followed.get(message.stream)?.event(message.number, message.text);
        return;
      case "finished":
        this.#followed.get(message.stream)?.finished();
        return;
      case "paused":
        this.#followed.get(message.stream)?.paused();
        return;
      default:
        // `resumed`
        this.#followed.get(message.stream)?.end();
    }
  }

  missed(): void {
    this.#host.missed();
  }

  ownership(isOwner: boolean, hasMissed: boolean): void {
    this.#host.notifyChanges(isOwner, hasMissed);
  }

  async claimedNumbers(after: number | undefined): Promise<StreamNumbers> {
    const { store, sessionId } = this.#log;
    // First, so that no event follows those that are read. The options of the endpoint require the method.
    const claimed = (await store.claim?.(sessionId, STANDALONE_ID)) ?? 0;
    const stored = (await readAfter(this.#log, STANDALONE_ID, 0)).at(-1)?.number;
    // Numbers that were used before must not come again. Without an event or a client that tells, the time is beyond them.
    const lastNumber = stored === undefined ? (after ?? Date.now()) : Math.max(stored, after ?? 0);
    return { lastNumber, lastSent: lastNumber, claimed };
  }

  async #follow({ ask, stream, isCheck }: Extract<ChannelMessage, { kind: "follow" }>): Promise<void> {
    // The client has resumed a stream elsewhere that it had resumed here.
    if (!isCheck) this.#followed.get(stream)?.end();
    const numbers = await this.#host.streamOf(stream)?.follow(isCheck);
    this.#link.reply(ask, numbers ? "yes" : "no", numbers);
  }

  /** Takes a record over. A state that takes too many bytes is reported. */
  refresh(record: SharedSessionRecord): void {
    try {
      this.record.refresh(record);
    } catch (cause) {
      this.#host.report(new SdkError("handler-failed", "The state of a session was not taken over", { cause }));
    }
  }

  /** Replaces an error of the channel, which is reported, by a refusal. */
  async #guard<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work;
    } catch (cause) {
      if (cause instanceof HttpRefusal) throw cause;
      this.#link.failed(cause);
      throw storeFailed();
    }
  }
}

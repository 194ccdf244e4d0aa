/** What a check may do: speak to the server in one revision, and read what the server offers. */
import type { Revision } from "parley-requirements";
import { type Answer, impossible, isLate, NO_ANSWER, resultOf, TIME_IS_OVER } from "../target/answer.js";
import { isModern, paramHeaders } from "../target/envelope.js";
import type { AskOptions, OpenOptions, Peer, Target, TargetKind } from "../target/target.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { type AllowedCall, type CallPermissions, discoverOffer, type Offer } from "./offer.js";

/** Characters of answers that are kept for checks that watch. Later answers are not watched. */
const MAX_LOGGED_CHARACTERS = 8 * 1024 * 1024;

/** Consecutive unanswered exchanges after which a server is asked once more, and then given up. */
const MAX_SILENCES = 3;

export interface ProbeOptions {
  readonly target: Target;
  readonly revision: Revision;
  readonly claimed: readonly Revision[];
  readonly permissions: CallPermissions;
  readonly isProtected: boolean;
  readonly timeoutMs: number;
  /** Whether the time of the run is over. Nothing is sent then. */
  readonly isOver: () => boolean;
  /** Tools that did not answer in time, or ended the program, in any revision. No check calls them again. */
  readonly slowTools: Set<string>;
  /** First exchanges of programs, by their bytes. They are the same in every revision. */
  readonly firstExchanges: Map<string, Promise<Answer | undefined>>;
  /** A conversation that was opened already, to be shared by the checks. */
  readonly opened: Peer | undefined;
}

export class Probe {
  readonly revision: Revision;
  readonly kind: TargetKind;
  /** How long one answer may take. */
  readonly timeoutMs: number;
  /** Every answer of this revision, for checks that watch. */
  readonly log: Answer[] = [];
  readonly #options: ProbeOptions;
  readonly #opened: Peer[] = [];
  readonly #memos = new Map<string, Promise<unknown>>();
  readonly #firstExchanges = new Map<string, Promise<Answer | undefined>>();
  #peer: Peer | undefined;
  #scratch: Peer | undefined;
  #offer: Offer | undefined;
  #touched: Answer[] = [];
  #silences = 0;
  #isGivenUp = false;
  #loggedCharacters = 0;
  /** A request in a session was answered with 404, so the next check begins a new one. */
  #isSessionLost = false;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.revision = options.revision;
    this.kind = options.target.kind;
    this.timeoutMs = options.timeoutMs;
  }

  /** @throws {Error} before `discover` has run. */
  get offer(): Offer {
    if (!this.#offer) throw new Error("The offer has not been discovered yet");
    this.touch(this.#offer.openingAnswer);
    const calls = this.#offer.calls.filter(({ name }) => !this.#options.slowTools.has(name));
    return { ...this.#offer, calls };
  }

  get targetName(): string {
    return this.#options.target.name;
  }

  get isLoopback(): boolean {
    return /^https?:\/\/(127\.|localhost|\[::1\])/.test(this.targetName);
  }

  /** After several silences the server is asked once more in a new conversation: a check may have blocked the old one. */
  async hasGivenUp(): Promise<boolean> {
    if (this.#isGivenUp || this.#silences < MAX_SILENCES) return this.#isGivenUp;
    await this.#peer?.close();
    this.#peer = await this.#open({});
    this.#isGivenUp = isSilence(await this.#peer.request(livenessMethod(this.revision)));
    return this.#isGivenUp;
  }

  async discover(): Promise<Offer> {
    const { claimed, permissions, isProtected } = this.#options;
    this.#offer = await discoverOffer(await this.peer(), claimed, permissions, isProtected);
    return this.#offer;
  }

  /** The conversation that checks share. It is opened again when it is over. */
  async peer(): Promise<Peer> {
    this.#peer ??= this.#options.opened && this.#observe(this.#options.opened, this.revision);
    if (!this.#peer || this.#peer.isOver || this.#isSessionLost) {
      await this.#peer?.close();
      this.#peer = await this.#open({});
    }
    this.#isSessionLost = false;
    return this.#peer;
  }

  /** A conversation for one check, which is closed after it. */
  async fresh(options: OpenOptions = {}, revision: Revision = this.revision): Promise<Peer> {
    const peer = await this.#open(options, revision);
    this.#opened.push(peer);
    return peer;
  }

  /** The answer to the first `initialize` of a conversation. Checks that send the same params share it. */
  initialized(params: JsonObject): Promise<Answer | undefined> {
    return this.#firstExchange(JSON.stringify(params), { initialize: params }, async ({ opening }) => opening);
  }

  /** The answer to a request that comes before any handshake. */
  async unopened(method: string): Promise<Answer> {
    const answer = await this.#firstExchange(method, { handshake: false }, (peer) => peer.request(method));
    return answer ?? impossible("no answer");
  }

  /**
   * A conversation for texts that could break it. Over pipes, checks share it as long as it answers: each start of a program
   * takes longer than all of its checks.
   */
  async scratch(): Promise<Peer> {
    if (this.kind === "http") return this.fresh();
    if (this.#scratch && !this.#scratch.isOver && (await stillAnswers(this.#scratch))) return this.#scratch;
    await this.#scratch?.close();
    this.#scratch = await this.#open({});
    return this.#scratch;
  }

  async ask(method: string, params: JsonObject = {}, options: AskOptions = {}): Promise<Answer> {
    const headers = { ...this.#mirrored(method, params), ...options.headers };
    return (await this.peer()).request(method, params, { ...options, headers });
  }

  /** Asks once in a revision, whichever check comes first. */
  async askOnce(method: string, params: JsonObject = {}): Promise<Answer> {
    const answer = await this.once(JSON.stringify([method, params]), () => this.ask(method, params));
    this.touch(answer);
    return answer;
  }

  /** Does something once in a revision, whichever check comes first. A key belongs to one kind of value. */
  once<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const memo = this.#memos.get(key) ?? work();
    this.#memos.set(key, memo);
    return memo as Promise<Value>;
  }

  /** Makes a call that the user allowed, once in a revision. */
  call(call: AllowedCall): Promise<Answer> {
    return this.askOnce("tools/call", {
      name: call.name,
      arguments: call.arguments,
      _meta: { progressToken: "parley-check" },
    });
  }

  /** Adds an answer to the evidence of the check that runs. */
  touch(...answers: readonly Answer[]): void {
    this.#touched.push(...answers.filter((answer) => !this.#touched.includes(answer)));
  }

  /** Ends one check: its own conversations are closed, its evidence is handed over. */
  async settle(): Promise<readonly Answer[]> {
    const evidence = this.#touched;
    this.#touched = [];
    await Promise.all(this.#opened.splice(0).map((peer) => peer.close()));
    return evidence;
  }

  async close(): Promise<void> {
    await this.#peer?.close();
    await this.#scratch?.close();
  }

  #mirrored(method: string, params: JsonObject): Record<string, string> {
    if (method !== "tools/call" || !isModern(this.revision)) return {};
    return paramHeaders(
      this.#offer?.tools.find(({ name }) => name === params.name),
      params.arguments,
    );
  }

  async #open(options: OpenOptions, revision = this.revision): Promise<Peer> {
    return this.#observe(await this.#options.target.open(revision, options), revision);
  }

  #observe(peer: Peer, revision: Revision): Peer {
    if (peer.opening) this.#record(peer.opening, revision);
    return observed(peer, this.#options.isOver, (answer, wasOver) => {
      this.#record(answer, revision);
      if (!wasOver) this.#noteTool(answer);
    });
  }

  /** Over pipes the exchange is made once in a run: its bytes name no revision but that of the params. */
  async #firstExchange(
    key: string,
    options: OpenOptions,
    ask: (peer: Peer) => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    const made = this.kind === "stdio" ? this.#options.firstExchanges : this.#firstExchanges;
    const exchange = made.get(key) ?? this.fresh(options).then(ask);
    made.set(key, exchange);
    const answer = await exchange;
    // The next start of the program may answer.
    if (answer?.problem !== undefined) made.delete(key);
    else if (answer && !this.log.includes(answer)) this.#record(answer, this.revision);
    if (answer) this.touch(answer);
    return answer;
  }

  #record(answer: Answer, revision: Revision): void {
    this.#loggedCharacters += answer.received.length;
    if (revision === this.revision && this.#loggedCharacters <= MAX_LOGGED_CHARACTERS) this.log.push(answer);
    this.touch(answer);
    if (answer.http?.status === 404 && this.kind === "http" && !isModern(revision)) this.#isSessionLost = true;
    if (isSilence(answer)) this.#silences += 1;
    else if (resultOf(answer) !== undefined || answer.problem === undefined) this.#silences = 0;
  }

  /** Remembers the tool of a call that was not answered in time, or that ended the program. */
  #noteTool(answer: Answer): void {
    const { request, problem } = answer;
    const isUnanswered = isLate(answer) || problem?.startsWith("the program exited") === true;
    if (isUnanswered && request?.method === "tools/call" && isObject(request.params))
      this.#options.slowTools.add(String(request.params.name));
  }
}

function isSilence(answer: Answer): boolean {
  if (resultOf(answer) !== undefined || answer.problem === undefined) return false;
  return answer.problem === NO_ANSWER || answer.http === undefined;
}

/** A method that every server answers. */
function livenessMethod(revision: Revision): string {
  return isModern(revision) ? "server/discover" : "ping";
}

async function stillAnswers(peer: Peer): Promise<boolean> {
  const answer = await peer.request(livenessMethod(peer.revision), {}, { timeoutMs: 1000 });
  return resultOf(answer) !== undefined;
}

/**
 * A peer that sends nothing once a run is over, and whose answers are all seen by a listener. The listener also learns whether the
 * conversation was over before.
 */
function observed(peer: Peer, isOver: () => boolean, onAnswer: (answer: Answer, wasOver: boolean) => void): Peer {
  const tell = async (ask: () => Promise<Answer>) => {
    const wasOver = peer.isOver;
    const answer = isOver() ? impossible(TIME_IS_OVER) : await ask();
    onAnswer(answer, wasOver);
    return answer;
  };
  return {
    revision: peer.revision,
    kind: peer.kind,
    opening: peer.opening,
    sessionId: peer.sessionId,
    get isOver() {
      return peer.isOver;
    },
    request: (method, params, options) => tell(() => peer.request(method, params, options)),
    notify: (method, params, options) => tell(() => peer.notify(method, params, options)),
    respond: (response) => tell(() => peer.respond(response)),
    send: (text, options) => tell(() => peer.send(text, options)),
    http: (call, options) => tell(() => peer.http(call, options)),
    hangUp: (timeoutMs) => tell(() => peer.hangUp(timeoutMs)),
    close: () => peer.close(),
  };
}

/** A million requests under one id: in process, since what is looked for is a mix-up and not a broken line. */

import { McpServer } from "parley-mcp/server";
import type { Transport, TransportReceiver } from "parley-mcp/types";
import { type Caller, createFetchHandler } from "parley-mcp/web";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { callPost, enveloped } from "../../src/http/http-posts.js";
import { verifies } from "../../src/verifies.js";
import { type ConnectionLog, noteMessage, openLog, type Side } from "../../src/wire-log.js";

const PRINCIPALS = 100;
const ROUNDS = 10_000;
const SLOW = { deadlineMs: 180_000 };
const JUDGED_PER_WIRE = 10;

/** All requests of a round are being served before the first of them is answered. */
class Round {
  readonly #full = deferred();
  #waiting = 0;

  join(): Promise<void> {
    this.#waiting += 1;
    if (this.#waiting === PRINCIPALS) this.#full.resolve();
    return this.#full.promise;
  }
}

/** The tool `whoami` says its caller's name, and the secret its caller gave it. */
function asking() {
  const server = new McpServer({ name: "whoami", version: "1.0.0" });
  const rounds = { current: new Round() };
  server.tool("whoami", { input: { type: "object" } }, async ({ secret }, context) => {
    await rounds.current.join();
    await context.notify("acme/heard", { by: context.caller?.principal, secret });
    return `${context.caller?.principal} ${secret}`;
  });
  return { server, rounds };
}

/** The wire of one principal; whatever arrives that is not its own is kept. */
class OwnWire implements Transport {
  readonly strays: unknown[] = [];
  readonly #caller: Caller;
  readonly #isModern: boolean;
  readonly #log: ConnectionLog;
  #receiver: TransportReceiver | undefined;
  #secret = "";
  #heard = 0;
  #onAnswer: (() => void) | undefined;

  constructor(principal: string, isModern: boolean) {
    this.#caller = { principal };
    this.#isModern = isModern;
    this.#log = openLog("server", isModern ? "2026-07-28" : "2025-11-25");
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
  }

  close(): void {
    this.#receiver?.closed();
  }

  /** Resolves with the answer. */
  ask(method: string, params: Record<string, unknown>): Promise<void> {
    const answered = deferred();
    this.#onAnswer = answered.resolve;
    this.#receive({ id: 1, method, params });
    return answered.promise;
  }

  async open(): Promise<void> {
    const clientInfo = { name: "asker", version: "1.0.0" };
    await this.ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    this.#receive({ method: "notifications/initialized" });
  }

  call(secret: string): Promise<void> {
    this.#secret = secret;
    this.#heard = 0;
    const params = { name: "whoami", arguments: { secret } };
    return this.ask("tools/call", this.#isModern ? enveloped(params) : params);
  }

  send(message: Parameters<Transport["send"]>[0]): void {
    const { principal } = this.#caller;
    this.#note("server", message);
    const text = JSON.stringify(message);
    if ("result" in message && this.#secret === "") this.#onAnswer?.();
    else if ("result" in message) {
      const isOwn = message.id === 1 && this.#heard === 1 && text.includes(`"${principal} ${this.#secret}"`);
      if (!isOwn) this.strays.push(message);
      this.#onAnswer?.();
    } else if (text.includes(`{"by":"${principal}","secret":"${this.#secret}"}`)) this.#heard += 1;
    else this.strays.push(message);
  }

  /** Judges have no time for a million messages. */
  #note(side: Side, message: unknown): void {
    if (this.#log.entries.length < JUDGED_PER_WIRE) this.#log.note(side, message);
  }

  #receive(message: object): void {
    this.#note("client", { jsonrpc: "2.0", ...message });
    this.#receiver?.receive({ jsonrpc: "2.0", ...message }, this.#caller);
  }
}

verifies(
  "figures:isolation:connections",
  "each of 100 callers who use one id on connections of their own gets all its own answers and no other",
  SLOW,
  async () => {
    const { server, rounds } = asking();
    const wires = Array.from({ length: PRINCIPALS }, (_, index) => new OwnWire(`user-${index}`, index % 2 === 0));
    await Promise.all(wires.map((wire) => server.serve(wire)));
    await Promise.all(wires.filter((_, index) => index % 2 === 1).map((wire) => wire.open()));
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.current = new Round();
      await Promise.all(wires.map((wire, index) => wire.call(`${round}-${index}`)));
    }
    expect(wires.flatMap(({ strays }) => strays)).toEqual([]);
  },
);

/** Over HTTP a request takes ten times as long. */
const HTTP_ROUNDS = ROUNDS / 50;

verifies(
  "figures:isolation:exchanges",
  "each of 100 callers who use one id on one endpoint gets a response with its own answer and no other",
  SLOW,
  async () => {
    const { server, rounds } = asking();
    const handler = createFetchHandler(server);
    const log = openLog("server", "2026-07-28");
    for (let round = 0; round < HTTP_ROUNDS; round += 1) {
      rounds.current = new Round();
      const calls = Array.from({ length: PRINCIPALS }, async (_, index) => {
        const [principal, secret] = [`user-${index}`, `${round}-${index}`];
        const request = new Request("http://localhost/mcp", callPost("whoami", { secret }));
        const text = await (await handler(request, { caller: { principal } })).text();
        const heard = [...text.matchAll(/user-\d+/g), ...text.matchAll(/\d+-\d+(?=")/g)].map(([one]) => one);
        expect(heard).toEqual([principal, principal, secret, secret]);
        if (round === 0) for (const line of text.split("\n")) noteMessage(log, "server", line.replace(/^data: ?/, ""));
      });
      await Promise.all(calls);
    }
    await handler.close();
  },
);

/** Clients and a server with a faulty line between them, and what can be done to all three. */
import { expect, vi } from "vitest";
import { withDeadline } from "../deadline.js";
import { FaultProxy, nextTurn } from "./fault-proxy.js";
import { HostedWork, type Setting, speaksSse, WorkClient } from "./hosted-work.js";
import { type RawCalled, workRaw } from "./raw-work.js";

interface RawAction {
  readonly act: "raw";
  readonly steps: number;
  /** After so many events it goes away, or cancels. */
  readonly leaveAfter: number;
  readonly cancels: boolean;
}

interface CallAction {
  readonly act: "call";
  readonly by: number;
  readonly steps: number;
  readonly hangs: boolean;
}

export type Action =
  | CallAction
  | RawAction
  | { readonly act: "abort" | "publish" | "cut" }
  | { readonly act: "wait"; readonly turns: number }
  | { readonly act: "reopen"; readonly by: number }
  | { readonly act: "greet"; readonly by: number }
  | { readonly act: "delete"; readonly by: number };

/** What is waited for comes at once, unless the machine is busy. */
export const WAIT: { readonly timeout: number; readonly interval: number } = { timeout: 8_000, interval: 2 };

/** One client after the other in one seat, and the calls that are under way. */
export class Play implements AsyncDisposable {
  readonly clients: WorkClient[] = [];
  readonly closed: Set<WorkClient> = new Set();
  readonly calls: Promise<void>[] = [];
  /** Those of them that end by themselves. */
  readonly ending: Promise<void>[] = [];
  readonly raw: Promise<RawCalled>[] = [];
  readonly aborted: Set<string> = new Set();
  readonly #aborts: (() => void)[] = [];
  readonly #seats: (WorkClient | undefined)[] = [];
  readonly #url: string;
  readonly setting: Setting;
  readonly work: HostedWork;
  readonly proxy: FaultProxy;
  /** Whether a session was ended from outside, and what was in it with it. */
  hasDeleted = false;
  /** Whether a server was not told that its client has left: what hangs there hangs on. */
  hasLeftUntold = false;

  private constructor(work: HostedWork, proxy: FaultProxy, setting: Setting) {
    this.work = work;
    this.proxy = proxy;
    this.setting = setting;
    const target = speaksSse(setting) ? new URL("/sse", work.url).href : work.url;
    this.#url = proxy.urlFor(target);
  }

  /** Begins with a line that is good, so that a play in which nobody ever hears anything is none. */
  static async begin(setting: Setting): Promise<Play> {
    const work = await HostedWork.start(setting);
    const play = new Play(work, await FaultProxy.start(work.url), setting);
    await play.#take(0);
    await play.#take(1);
    work.publish();
    const heard = setting.isStateless ? [] : [0];
    await vi.waitFor(() => expect(play.clients.map(({ changes }) => changes)).toEqual([heard, heard]), WAIT);
    for (const by of [0, 1]) await play.perform({ act: "call", by, steps: 2, hangs: false });
    await Promise.all(play.calls);
    for (const { calls } of play.clients) {
      expect(calls).toMatchObject([
        { heard: [1, 2], progress: expect.arrayContaining([{ step: 2, of: calls[0]?.name }]) },
      ]);
    }
    return play;
  }

  async perform(action: Action): Promise<void> {
    if (action.act === "call") this.#call(action);
    else if (action.act === "raw") this.#callRaw(action);
    else if (action.act === "wait") await turns(action.turns);
    else if (action.act === "reopen") await this.#reopen(action.by);
    else if (action.act === "delete") await this.#delete(action.by);
    else if (action.act === "greet") this.#seats[action.by]?.greet();
    else if (action.act === "publish") this.work.publish();
    else if (action.act === "cut") this.proxy.cut();
    else this.#aborts.shift()?.();
  }

  #call({ by: seat, steps, hangs }: CallAction): void {
    const client = this.#seats[seat];
    if (!client) return;
    const abort = new AbortController();
    const called = client.call(steps, hangs, abort.signal);
    this.calls.push(called.settled);
    if (!hangs) this.ending.push(called.settled);
    this.#aborts.push(() => {
      this.aborted.add(called.name);
      abort.abort();
    });
  }

  #callRaw({ steps, leaveAfter, cancels }: RawAction): void {
    const { revision, isStateless } = this.setting;
    // Over HTTP+SSE nobody comes back for what was missed. Without a session nothing can be cancelled, and in the modern
    // era a call that hangs and says nothing would not let go of who calls.
    if (speaksSse(this.setting) || (cancels && (isStateless || (revision === "2026-07-28" && steps === 0)))) return;
    const call = `raw-${this.raw.length}`;
    this.raw.push(workRaw(this.work, this.#url, this.setting, { call, steps, leaveAfter, cancels }));
  }

  async #delete(index: number): Promise<void> {
    const id = [...this.work.sessions][index];
    if (id === undefined) return;
    this.hasDeleted = true;
    await fetch(this.work.url, { method: "DELETE", headers: { "mcp-session-id": id } });
  }

  async #reopen(seat: number): Promise<void> {
    const client = this.#seats[seat];
    this.#seats[seat] = undefined;
    if (client) await this.#leave(client);
    await this.#take(seat);
  }

  /** Opening may fail like anything else, and then the seat stays empty, as long as it does not hang. */
  async #take(seat: number): Promise<void> {
    const opening = WorkClient.open(`client-${this.clients.length}`, this.#url, this.setting);
    const client = await withDeadline(
      opening.catch(() => undefined),
      WAIT.timeout,
      "opening a client",
    );
    if (client) this.clients.push(client);
    this.#seats[seat] = client;
  }

  async #leave(client: WorkClient): Promise<void> {
    const before = client.errors.length;
    this.closed.add(client);
    await withDeadline(client.client.close(), WAIT.timeout, "closing a client");
    if (client.errors.length > before || this.setting.isStateless) this.hasLeftUntold = true;
  }

  async leaveAll(): Promise<void> {
    await Promise.all(this.clients.filter((client) => !this.closed.has(client)).map((client) => this.#leave(client)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leaveAll();
    await this.work[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
  }
}

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await nextTurn();
}

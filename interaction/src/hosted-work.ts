/** A server over HTTP whose handlers, sessions and events are counted, and clients that write down all they hear. */
import { Client, type JsonObject, SdkError } from "parley-mcp/client";
import { InMemoryEventStore, type LegacyOptions } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import type { Revision } from "parley-requirements";
import { z } from "zod";
import { nextTurn } from "./fault-proxy.js";
import { type HttpHost, hostHttp } from "./raw-http-client.js";

export interface HostedWorkOptions {
  readonly hasEventStore: boolean;
}

const RESOURCES: readonly string[] = Array.from({ length: 24 }, (_, index) => `count://${index}`);

/** The tool `work` says `acme/step` with its call's name and a number, and then ends, or hangs until it is aborted. */
export class HostedWork implements AsyncDisposable {
  readonly server: McpServer;
  readonly store: InMemoryEventStore | undefined;
  /** How often the handler has run, by call. */
  readonly runs: Map<string, number> = new Map();
  /** Sessions that are open. */
  readonly sessions: Set<string> = new Set();
  host!: HttpHost;
  running = 0;
  published = 0;

  private constructor(hasEventStore: boolean) {
    this.store = hasEventStore ? new InMemoryEventStore() : undefined;
    this.server = new McpServer({ name: "worker", version: "1.0.0", onError: () => undefined });
    const input = z.object({ call: z.string(), steps: z.number(), hangs: z.boolean() });
    this.server.tool("work", { input }, async ({ call, steps, hangs }, { signal, notify }) => {
      this.runs.set(call, (this.runs.get(call) ?? 0) + 1);
      this.running += 1;
      try {
        for (let step = 1; step <= steps && !signal.aborted; step += 1) {
          // Over a connection that has broken it rejects; that the handler hears of it by its signal is what is tested.
          await notify("acme/step", { call, step }).catch(() => undefined);
          await nextTurn();
        }
        if (hangs) await aborted(signal);
        return call;
      } finally {
        this.running -= 1;
      }
    });
    for (const uri of RESOURCES) this.server.resource(uri, { name: uri }, () => uri);
  }

  static async start({ hasEventStore }: HostedWorkOptions): Promise<HostedWork> {
    const work = new HostedWork(hasEventStore);
    const legacy: LegacyOptions = {
      eventStore: work.store,
      retryMs: 1,
      onSessionOpened: ({ id }) => void work.sessions.add(id),
      onSessionClosed: ({ id }) => void work.sessions.delete(id),
    };
    work.host = await hostHttp(work.server, { legacy, shutdownGraceMs: 0 });
    return work;
  }

  /** Tells of a change that nobody has been told of. */
  publish(): void {
    const uri = RESOURCES[this.published];
    if (uri === undefined) return;
    this.published += 1;
    this.server.notify.resourceUpdated(uri);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.host.handle.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve());
  });
}

/** One call, and how it ended: its text, or the code of its error. */
export interface Called {
  readonly name: string;
  readonly steps: number;
  readonly hangs: boolean;
  readonly heard: number[];
  outcome: string | undefined;
  settled: Promise<void>;
}

export class WorkClient {
  readonly name: string;
  readonly calls: Called[] = [];
  /** What belongs to none of the calls. */
  readonly strays: JsonObject[] = [];
  /** Numbers of the changes in the order they came. */
  readonly changes: number[] = [];
  readonly errors: Error[] = [];
  readonly client: Client;

  private constructor(name: string, revision: Revision) {
    this.name = name;
    this.client = new Client({
      name,
      version: "1.0.0",
      revision,
      timeoutMs: 5_000,
      reconnect: { delayMs: 0, attempts: 100 },
      onError: (error) => void this.errors.push(error),
    });
    this.client.onNotification("acme/step", (params) => {
      const called = this.calls.find((call) => call.name === params.call);
      if (called) called.heard.push(Number(params.step));
      else this.strays.push(params);
    });
    this.client.onNotification("notifications/resources/updated", ({ uri }) => {
      this.changes.push(RESOURCES.indexOf(String(uri)));
    });
  }

  static async open(name: string, url: string, revision: Revision): Promise<WorkClient> {
    const client = new WorkClient(name, revision);
    await client.client.open({ url, streams: { wait: nextTurn, random: () => 0, maxAttempts: 100 } });
    try {
      await client.client.listen({ resources: RESOURCES });
      return client;
    } catch (error) {
      await client.client.close();
      throw error;
    }
  }

  call(steps: number, hangs: boolean, signal: AbortSignal): Called {
    const name = `${this.name}-${this.calls.length}`;
    const called: Called = { name, steps, hangs, heard: [], outcome: undefined, settled: Promise.resolve() };
    this.calls.push(called);
    called.settled = this.#settle(called, signal);
    return called;
  }

  /** With what it was told went wrong, for whoever has to find out why. */
  toString(): string {
    return [this.name, ...this.errors.map(describe)].join("\n");
  }

  async #settle(called: Called, signal: AbortSignal): Promise<void> {
    const { name: call, steps, hangs } = called;
    try {
      const { content } = await this.client.callTool("work", { call, steps, hangs }, { signal });
      called.outcome = content[0]?.type === "text" ? content[0].text : "no text";
    } catch (error) {
      called.outcome = error instanceof SdkError ? error.code : String(error);
    }
  }
}

function describe(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${describe(error.cause)}` : error.message;
}

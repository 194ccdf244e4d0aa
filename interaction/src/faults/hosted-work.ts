/** A server over HTTP whose handlers, sessions and events are counted, and clients that write down all they hear. */
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Client, SdkError } from "parley-mcp/client";
import { InMemoryEventStore, type LegacyOptions } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { createFetchHandler, type HttpOptions } from "parley-mcp/web";
import type { Revision } from "parley-requirements";
import { z } from "zod";
import { deferred } from "../deferred.js";
import { hostHttp, RawHttpClient } from "../http/raw-http-client.js";
import { nextTurn } from "./fault-proxy.js";

/** How the work is served, and what its clients speak. */
export interface Setting {
  readonly revision: Revision;
  readonly hasEventStore?: boolean;
  readonly isStateless?: boolean;
  /** By the web-standard handler, in a server that turns requests into its kind. */
  readonly isWeb?: boolean;
}

/** The transport of that revision is HTTP+SSE. */
export function speaksSse({ revision }: Setting): boolean {
  return revision === "2024-11-05";
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
  /** Calls whose handlers run. */
  readonly active: Set<string> = new Set();
  /** What clients said, in the order it came. */
  readonly greetings: string[] = [];
  #host!: { readonly url: string; close(): Promise<unknown> };
  published = 0;

  private constructor(hasEventStore: boolean) {
    this.store = hasEventStore ? new InMemoryEventStore() : undefined;
    // What breaks is tried again at once, as often as it takes.
    this.server = new McpServer({ name: "worker", version: "1.0.0", rateLimits: false, onError: () => undefined });
    const input = z.object({ call: z.string(), steps: z.number(), hangs: z.boolean() });
    this.server.tool("work", { input }, async ({ call, steps, hangs }, context) => {
      const { signal } = context;
      this.runs.set(call, (this.runs.get(call) ?? 0) + 1);
      this.active.add(call);
      try {
        for (let step = 1; step <= steps && !signal.aborted; step += 1) {
          await context.progress(step, steps, call).catch(() => undefined);
          // Over a connection that has broken it rejects; that the handler hears of it by its signal is what is tested.
          await context.notify("acme/step", { call, step }).catch(() => undefined);
          await nextTurn();
        }
        if (hangs) await aborted(signal);
        return call;
      } finally {
        this.active.delete(call);
      }
    });
    this.server.onNotification("acme/greeting", ({ text }) => void this.greetings.push(String(text)));
    for (const uri of RESOURCES) this.server.resource(uri, { name: uri }, () => uri);
  }

  static async start(setting: Setting): Promise<HostedWork> {
    const work = new HostedWork(setting.hasEventStore ?? false);
    const legacy: LegacyOptions = {
      eventStore: work.store,
      stateless: setting.isStateless,
      sse: speaksSse(setting),
      retryMs: 1,
      onSessionOpened: ({ id }) => void work.sessions.add(id),
      onSessionClosed: ({ id }) => void work.sessions.delete(id),
    };
    const options: HttpOptions = { legacy, shutdownGraceMs: 0 };
    work.#host = setting.isWeb ? await hostWeb(work.server, options) : (await hostHttp(work.server, options)).handle;
    return work;
  }

  get url(): string {
    return this.#host.url;
  }

  /** A raw client with a line of its own. */
  client(revision: Revision): RawHttpClient {
    return new RawHttpClient(this.url, { revision });
  }

  /** Tells of a change that nobody has been told of. */
  publish(): void {
    const uri = RESOURCES[this.published];
    if (uri === undefined) return;
    this.published += 1;
    this.server.announce.resourceUpdated(uri);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host.close();
  }
}

async function hostWeb(server: McpServer, options: HttpOptions): Promise<{ url: string; close(): Promise<unknown> }> {
  const handler = createFetchHandler(server, options);
  const listening = deferred<AddressInfo>();
  const http = serve({ fetch: (request) => handler(request), hostname: "127.0.0.1", port: 0 }, listening.resolve);
  const { port } = await listening.promise;
  const close = async () => {
    await handler.close();
    // Clients close their own connections; what they left open must not outlive the test.
    if ("closeAllConnections" in http) http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/mcp`, close };
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
  /** Progress as it was reported, with whose it says it is. */
  readonly progress: { readonly step: number; readonly of: string | undefined }[];
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
  #greetings = 0;

  private constructor(name: string, revision: Revision) {
    this.name = name;
    this.client = new Client({
      name,
      version: "1.0.0",
      revision,
      timeoutMs: 5_000,
      reconnect: { initialDelayMs: 0, maxAttempts: 100 },
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

  static async open(name: string, url: string, setting: Setting): Promise<WorkClient> {
    const client = new WorkClient(name, setting.revision);
    await client.client.open({ url, streams: { wait: nextTurn, random: () => 0, maxAttempts: 100 } });
    try {
      if (!setting.isStateless) await client.client.listen({ resource: RESOURCES });
      return client;
    } catch (error) {
      await client.client.close();
      throw error;
    }
  }

  /** Says something once. That it may fail is what this is about. */
  greet(): void {
    this.#greetings += 1;
    void this.client.notify("acme/greeting", { text: `${this.name} ${this.#greetings}` }).catch(() => undefined);
  }

  call(steps: number, hangs: boolean, signal: AbortSignal): Called {
    const name = `${this.name}-${this.calls.length}`;
    const called: Called = {
      name,
      steps,
      hangs,
      heard: [],
      progress: [],
      outcome: undefined,
      settled: Promise.resolve(),
    };
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
      const { content } = await this.client.callTool(
        "work",
        { call, steps, hangs },
        { signal, onProgress: ({ progress, message }) => called.progress.push({ step: progress, of: message }) },
      );
      called.outcome = content[0]?.type === "text" ? content[0].text : "no text";
    } catch (error) {
      called.outcome = error instanceof SdkError ? error.code : String(error);
    }
  }
}

function describe(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${describe(error.cause)}` : error.message;
}

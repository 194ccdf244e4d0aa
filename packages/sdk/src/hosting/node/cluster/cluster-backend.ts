/** What the workers of one machine share without Redis: the key of states, changes, and the way to the worker of a session. */
import { SdkError } from "../../../errors/sdk-error.js";
import { createErrorCallback } from "../../../runtime/error-callback.js";
import { withTimeout } from "../../../runtime/timers.js";
import { type AnnouncedChange, type ChangeBus, InMemoryChangeBus } from "../../../server/changes/change-bus.js";
import type { StateSealOptions } from "../../../server/input/state-seal.js";
import type { LegacyOptions } from "../../http/legacy/legacy-options.js";
import { type SessionRelay, sessionIdPrefix, WorkerRelay } from "./session-relay.js";
import { type MessageChannel, workerMessageIn } from "./worker-messages.js";

/** Options of `clusterBackend`. */
export interface ClusterBackendOptions {
  /** Called with the errors of listeners for changes. @defaultValue none */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** The options of a server in a worker of `node:cluster`. */
export interface ClusterBackend {
  /** Options of `McpServer`: changes reach the clients of all workers, and any worker opens a state. */
  readonly server: { readonly changeBus: ChangeBus; readonly requestState: StateSealOptions };
  /** Options of `serveHttp`: requests of a legacy session go to its worker. */
  readonly http: {
    readonly legacy: Pick<LegacyOptions, "sessionIdPrefix">;
    readonly sessionRelay: SessionRelay;
  };
}

const JOIN_TIMEOUT_MS = 5_000;

/**
 * Joins the workers that `startWorkers` has started in the primary process.
 *
 * @throws {SdkError} `invalid-argument` in a process that is no worker, or whose primary process does not run `startWorkers`
 * @example
 * const shared = await clusterBackend();
 * const server = new McpServer({ name: "studio", version: "1.0.0", ...shared.server });
 * await serveHttp(server, { port: 3000, ...shared.http });
 */
export async function clusterBackend(options: ClusterBackendOptions = {}): Promise<ClusterBackend> {
  // Loaded here: servers without workers start faster without it.
  const { default: cluster } = await import("node:cluster");
  if (!cluster.worker) throw notAWorker("this process is no worker of node:cluster");
  return joinWorkers(cluster.worker, cluster.worker.id, options);
}

/** @internal */
export async function joinWorkers(
  channel: MessageChannel,
  workerId: number,
  { onError }: ClusterBackendOptions,
): Promise<ClusterBackend> {
  const bus = new WorkerChangeBus(channel, createErrorCallback(onError));
  const joined = new Promise<{ readonly stateKey: string; readonly folder: string }>((resolve) => {
    channel.on("message", (received) => {
      const message = workerMessageIn(received);
      if (message?.parley === "joined") resolve(message);
      if (message?.parley === "change") bus.deliver(message.change);
    });
  });
  channel.send({ parley: "join" });
  const { stateKey, folder } = await withTimeout(joined, JOIN_TIMEOUT_MS, () => {
    throw notAWorker("the primary process does not answer");
  });
  const prefix = sessionIdPrefix(workerId);
  return {
    server: { changeBus: bus, requestState: { keys: [new Uint8Array(Buffer.from(stateKey, "base64"))] } },
    http: { legacy: { sessionIdPrefix: prefix }, sessionRelay: new WorkerRelay(folder, prefix) },
  };
}

/** Carries changes through the primary process, so that all workers hear them in one order. */
class WorkerChangeBus implements ChangeBus {
  readonly #channel: MessageChannel;
  readonly #listeners = new InMemoryChangeBus();
  readonly #onError: (error: Error) => void;

  constructor(channel: MessageChannel, onError: (error: Error) => void) {
    this.#channel = channel;
    this.#onError = onError;
  }

  publish(change: AnnouncedChange): void {
    this.#channel.send({ parley: "change", change });
  }

  subscribe(listener: (change: AnnouncedChange) => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  deliver(change: AnnouncedChange): void {
    try {
      this.#listeners.publish(change);
    } catch (error) {
      // The bus throws an AggregateError.
      this.#onError(error as Error);
    }
  }
}

function notAWorker(complaint: string): SdkError {
  const advice = "call startWorkers() in the primary process, and clusterBackend() in its workers";
  return new SdkError("invalid-argument", `clusterBackend: ${complaint}; ${advice}`);
}

import cluster from "node:cluster";
import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AnnouncedChange } from "../../../server/changes/change-bus.js";
import { clusterBackend, joinWorkers } from "./cluster-backend.js";
import type { WorkerMessage } from "./worker-messages.js";

/** A channel whose primary process answers, and sends changes back. */
class Channel extends EventEmitter {
  readonly sent: WorkerMessage[] = [];

  send(message: WorkerMessage): void {
    this.sent.push(message);
    if (message.parley === "join") this.emit("message", { parley: "joined", stateKey: "A".repeat(43), folder: "/tmp" });
    else this.emit("message", message);
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("gets the key of all workers, and has session ids of its own", async () => {
  const { server, http } = await joinWorkers(new Channel(), 10, {});
  expect(server.requestState.keys?.[0]).toHaveLength(32);
  expect(http.legacy.sessionIdPrefix).toBe("000a");
});

it("carries changes over the primary process, and reports listeners that fail", async () => {
  const onError = vi.fn();
  const channel = new Channel();
  const { changeBus } = (await joinWorkers(channel, 1, { onError })).server;
  const heard: AnnouncedChange[] = [];
  const stop = changeBus.subscribe((change) => void heard.push(change));
  await changeBus.publish({ kind: "tools" });
  channel.emit("message", "a message of the program");
  channel.emit("message", { parley: 1 });
  changeBus.subscribe(() => {
    throw new Error("failed");
  });
  await changeBus.publish({ kind: "prompts" });
  stop();
  await changeBus.publish({ kind: "resources" });
  expect(heard).toEqual([{ kind: "tools" }, { kind: "prompts" }]);
  expect(onError).toHaveBeenCalledTimes(2);
});

it("gives up on a primary process that does not answer", async () => {
  const joining = joinWorkers({ send: () => undefined, on: () => undefined }, 1, {}).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await joining).toMatchObject({ code: "invalid-argument", message: expect.stringContaining("startWorkers()") });
});

it("joins as the worker that this process is", async () => {
  const worker = Object.assign(new Channel(), { id: 3 });
  Object.defineProperty(cluster, "worker", { value: worker, configurable: true });
  expect((await clusterBackend()).http.legacy.sessionIdPrefix).toBe("0003");
  Object.defineProperty(cluster, "worker", { value: undefined, configurable: true });
});

it("refuses a process that is no worker", async () => {
  await expect(clusterBackend()).rejects.toThrow("this process is no worker of node:cluster");
});

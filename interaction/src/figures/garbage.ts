/** What is left after garbage collection. Single objects are counted: a heap as a whole goes up and down by more. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { nextTurn } from "../faults/fault-proxy.js";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await nextTurn();
    collect();
  }
}

/** Bytes in use, those of buffers included, without what could be collected at once. */
export function bytesInUse(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Remembers objects without keeping them. */
export class Remains {
  #refs: WeakRef<object>[] = [];

  watch(object: object): void {
    this.#refs.push(new WeakRef(object));
  }

  /** How many of those that were watched are still there. */
  async count(): Promise<number> {
    await collectGarbage();
    this.#refs = this.#refs.filter((ref) => ref.deref() !== undefined);
    return this.#refs.length;
  }
}

/** Timers that keep the process alive. */
export function liveTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

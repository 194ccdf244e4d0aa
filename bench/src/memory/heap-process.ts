/** A server in a process of its own that tells how much of its heap is in use once all garbage is gone. */

import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { answerParent, Forked } from "../forked.js";
import { HTTP_CONTENDERS } from "../http/contenders.js";
import type { HttpMode } from "../http/http-contender.js";
import { toolsOf } from "../tools.js";
import { serve as serveFloor } from "./memory-floor.js";

export interface HeapProcess extends AsyncDisposable {
  readonly url: string;
  heapBytes(): Promise<number>;
}

export async function startHeapProcess(name: string, mode: HttpMode): Promise<HeapProcess> {
  const [child, url] = await Forked.start<string>(`${name}, ${mode}`, new URL(import.meta.url), [name, mode]);
  return { url, heapBytes: () => child.ask<number>({}), [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, mode] = process.argv.slice(2);
  const contender = HTTP_CONTENDERS.find((candidate) => candidate.name === name);
  if (contender === undefined) throw new Error(`no contender ${name}`);
  const { serve } = contender.role === "floor" ? { serve: serveFloor } : await contender.load();
  const { url } = await serve(mode as HttpMode, toolsOf("one tool")); // What startHeapProcess passed.
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  answerParent(url, async () => {
    // What was freed may let go of more in a later turn.
    for (let round = 0; round < 4; round++) {
      collect();
      await setImmediate();
    }
    return process.memoryUsage().heapUsed;
  });
}

/** Kills a process with SIGKILL while it writes tasks, several times over one file, and looks at what is left. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FileTaskStore } from "./file-task-store.js";
import type { KilledProgramFact } from "./killed-program.fixture.js";

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-killed-"));
  program = join(folder, "program.mjs");
  const bundle = await rolldown({
    input: fileURLToPath(new URL("killed-program.fixture.ts", import.meta.url)),
    platform: "node",
    resolve: { extensionAlias: { ".js": [".ts"] } },
  });
  await bundle.write({ file: program });
  await bundle.close();
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the program over a file, kills it after some facts, and returns all facts that it said. */
async function runAndKill(path: string, afterFacts: number): Promise<KilledProgramFact[]> {
  const child: ChildProcess = spawn(process.execPath, [program, path], { stdio: ["ignore", "pipe", "inherit"] });
  const facts: KilledProgramFact[] = [];
  if (child.stdout === null) throw new Error("no output");
  const lines = createInterface({ input: child.stdout }).on("line", (line) => {
    facts.push(JSON.parse(line));
    if (facts.length === afterFacts) child.kill("SIGKILL");
  });
  const [[, signal]] = await Promise.all([once(child, "exit"), once(lines, "close")]);
  expect(signal).toBe("SIGKILL");
  return facts;
}

it("keeps everything that a killed process was told, and repeats no effect", async () => {
  const path = join(folder, "tasks.jsonl");
  const completed = new Map<string, unknown>();
  const charges = new Map<string, unknown>();
  const created = new Set<string>();
  for (const afterFacts of [1, 7, 50, 51, 52, 120, 121, 200]) {
    for (const { taskId, fact, charge } of await runAndKill(path, afterFacts)) {
      created.add(taskId);
      if (fact === "completed") completed.set(taskId, charge);
      if (fact === "charged") {
        expect(charge).toBe(charges.get(taskId) ?? charge);
        charges.set(taskId, charge);
      }
    }

    const store = await FileTaskStore.open(path, { staleLockMs: 300 });
    for (const taskId of created) {
      const record = await store.get(taskId);
      expect(record).toBeDefined();
      if (completed.has(taskId)) expect(record?.status).toBe("completed");
      const charge = record?.result?.charge ?? record?.once.charge?.value;
      if (charges.has(taskId)) expect(charge).toBe(charges.get(taskId));
      if (completed.has(taskId)) expect(charge).toBe(completed.get(taskId));
    }
    await store.close();
  }
  expect(completed.size).toBeGreaterThan(50);
}, 120_000);

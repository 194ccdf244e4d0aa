/** Stands between a client and the server that it spawns: a program that notes both directions in a file. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Endpoint } from "../peer-client.js";
import type { Tap, WireEntry } from "./wire-log.js";

// Only the built program can be spawned, whether this module runs from its source or not.
const program = fileURLToPath(new URL("../../dist/wire/stdio-tap-program.js", import.meta.url));

export class StdioTap implements Tap {
  readonly #folder: string = mkdtempSync(join(tmpdir(), "parley-interop-"));
  readonly #command: string;
  readonly #args: readonly string[];

  constructor({ command, args }: Extract<Endpoint, { kind: "stdio" }>) {
    this.#command = command;
    this.#args = args;
  }

  /** What the client is to spawn. */
  get endpoint(): Endpoint {
    return { kind: "stdio", command: process.execPath, args: [program, this.#file, this.#command, ...this.#args] };
  }

  get #file(): string {
    return join(this.#folder, "wire.jsonl");
  }

  get open(): number {
    const lines = this.entries().filter(({ from }) => from === "line");
    return lines.filter(({ text }) => text === "started").length - lines.filter(({ text }) => text === "ended").length;
  }

  /** Entries whose lines are complete: the program may be writing the last one. */
  entries(): readonly WireEntry[] {
    return readFileSync(this.#file, { encoding: "utf8", flag: "a+" })
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as WireEntry);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

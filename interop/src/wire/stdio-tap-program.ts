/** `node stdio-tap-program.js <file> <command> …`: runs the command and notes in the file what passes in and out of it. */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { Burst } from "./burst.js";
import type { WireEntry } from "./wire-log.js";

const [file = "", command = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const burst = new Burst();
note("line", "started");

process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
  note("client", chunk);
  burst.sent(chunk);
  child.stdin.write(chunk);
});
process.stdin.on("end", () => child.stdin.end());
child.stdin.on("error", () => process.stdin.destroy());
child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
  const text = burst.release(chunk);
  if (text === "") return;
  note("server", text);
  process.stdout.write(text);
});
child.on("close", (code) => {
  note("line", "ended");
  process.exit(code ?? 0);
});
process.on("SIGTERM", () => child.kill("SIGTERM"));

function note(from: WireEntry["from"], text: string): void {
  try {
    appendFileSync(file, `${JSON.stringify({ from, text } satisfies WireEntry)}\n`);
  } catch {
    // The run is over and its folder gone.
  }
}

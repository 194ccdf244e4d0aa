/** One run of a program to its end, bounded in time. */
import { closePipes, killLeftovers, startProgram } from "./program.js";

/** Part of how a program ended that took too long. */
export const KILLED = "SIGKILL";

const MAX_KEPT_OUTPUT = 2000;

/** How long the output of a program is read after its exit. A program that it has left running may hold the pipes. */
const LAST_OUTPUT_MS = 300;

/** How long what a killed program has started may outlive it. The servers of a client report its end meanwhile. */
const LEFTOVERS_MS = 2000;

/** How the program ended, with its last output. Never rejects. */
export function runProgram(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<string> {
  return new Promise((resolve) => {
    const child = startProgram(command, args, env);
    let output = "";
    const keep = (text: string) => {
      output = (output + text).slice(-MAX_KEPT_OUTPUT);
    };
    child.stdin.end();
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    let timer = setTimeout(() => child.kill(KILLED), timeoutMs);
    const end = (how: string) => {
      clearTimeout(timer);
      resolve(output.trim() === "" ? how : `${how}; its last output: ${output.trim()}`);
    };
    child.on("error", (error) => end(`could not be started: ${error.message}`));
    child.on("exit", () => {
      clearTimeout(timer);
      timer = setTimeout(() => closePipes(child), LAST_OUTPUT_MS);
    });
    child.on("close", (code, signal) => {
      if (signal === KILLED) killLeftovers(child, LEFTOVERS_MS);
      end(`exited with ${code ?? signal}`);
    });
  });
}

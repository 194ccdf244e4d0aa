/** One run of a program to its end, bounded in time. */
import { spawn } from "node:child_process";

const MAX_KEPT_OUTPUT = 2000;

/** How the program ended, with its last output. Never rejects. */
export function runProgram(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const keep = (text: string) => {
      output = (output + text).slice(-MAX_KEPT_OUTPUT);
    };
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    const end = (how: string) => {
      clearTimeout(timer);
      resolve(output.trim() === "" ? how : `${how}; its last output: ${output.trim()}`);
    };
    child.on("error", (error) => end(`could not be started: ${error.message}`));
    child.on("close", (code, signal) => end(`exited with ${code ?? signal}`));
  });
}

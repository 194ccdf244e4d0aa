/** Runs a program in a Node process of its own, for a limited time. */
import { execFile } from "node:child_process";

/** @throws {Error} when the program fails, or has not ended before the deadline. */
export function runNode(args: readonly string[], deadlineMs = 20_000): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: deadlineMs, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.killed ? `still running after ${deadlineMs} ms\n` : ""}${stdout}${stderr}`));
    });
  });
}

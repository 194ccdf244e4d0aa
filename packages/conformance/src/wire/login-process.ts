/** The program `bin/login.js`, which logs a user in. Its token comes over a pipe of its own and is never shown. */
import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

/** Two folders up from here, in the sources and in the bundle. */
const PROGRAM = fileURLToPath(new URL("../../bin/login.js", import.meta.url));

const MAX_TOKEN_CHARACTERS = 64 * 1024;
const MAX_KEPT_STDERR = 2000;

export interface LoginOptions {
  readonly url: string;
  /** How long the user may take. */
  readonly timeoutMs: number;
  /** The id of a client that is registered already. Its secret is in PARLEY_CHECK_CLIENT_SECRET. */
  readonly clientId: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Gets what the program says, such as the URL to log in at. */
  readonly complain: (text: string) => void;
  /** The program to run in place of `bin/login.js`. */
  readonly program?: string;
}

/** The access token. @throws {Error} if nobody logged in, or the program could not. */
export function logIn({ url, timeoutMs, clientId, env, complain, program = PROGRAM }: LoginOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = [program, url, String(timeoutMs), clientId ?? ""];
    const child = spawn(process.execPath, args, { env, stdio: ["pipe", "ignore", "pipe", "pipe"] });
    let token = "";
    let words = "";
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    child.stdin?.on("error", () => undefined);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(-MAX_KEPT_STDERR);
      complain(text);
    });
    (child.stdio[3] as Readable).setEncoding("utf8").on("data", (text: string) => {
      token += text;
      if (token.length > MAX_TOKEN_CHARACTERS) child.kill("SIGKILL");
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (code === 0 && token !== "") resolve(token);
      else if (signal === "SIGKILL") reject(new Error(`nobody logged in within ${timeoutMs / 1000} seconds`));
      else reject(new Error(`the login failed: ${words.trim().split("\n").at(-1) ?? ""}`));
    });
  });
}

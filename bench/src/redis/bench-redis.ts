/** A Redis of its own for the measure, without a file. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "../http/servers/listening.js";

export interface BenchRedis extends AsyncDisposable {
  readonly url: string;
}

/** @throws {Error} if `redis-server` is not installed. REDIS_SERVER_PATH names another one. */
export async function startRedis(): Promise<BenchRedis> {
  const port = await freePort();
  const program = process.env.REDIS_SERVER_PATH ?? "redis-server";
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"] });
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`${program} ended with ${code}; install redis-server, or name it in REDIS_SERVER_PATH`);
  });
  const ready = new Promise<void>((resolve) => {
    child.stdout.on("data", (text: Buffer) => text.includes("Ready to accept connections") && resolve());
  });
  await Promise.race([ready, failed]);
  failed.catch(() => undefined);
  return {
    url: `redis://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

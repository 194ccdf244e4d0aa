/** A Redis server for the tests of a program, on a port of its own and without files. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { inject } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    redisPath: string | undefined;
  }
}

export class TestRedis implements AsyncDisposable {
  readonly url: string;
  readonly #server: ChildProcess;

  private constructor(server: ChildProcess, port: number) {
    this.#server = server;
    this.url = `redis://127.0.0.1:${port}`;
  }

  static async start(): Promise<TestRedis> {
    const path = inject("redisPath");
    if (path === undefined) throw new Error("There is no Redis to test with: install redis-server");
    const port = await freePort();
    const options = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--dir", tmpdir()];
    const server = spawn(path, options, { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise<void>((resolve, reject) => {
      server.stdout.on("data", (lines: Buffer) => {
        if (lines.includes("Ready to accept connections")) resolve();
      });
      server.once("exit", (code) => reject(new Error(`redis-server ended with ${code}`)));
    });
    return new TestRedis(server, port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#server, "exit");
    this.#server.kill("SIGKILL");
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("expected a port");
  return address.port;
}

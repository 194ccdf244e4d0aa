/** Redis and HAProxy as child processes, with ports of their own and data in a temporary folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface RunningProgram {
  stop(): Promise<void>;
}

const START_MS = 20_000;
const MAX_OUTPUT = 10_000;
const ADVICE = "on Debian, `apt-get install redis-server haproxy`; or name them in REDIS_SERVER_PATH and HAPROXY_PATH";

/** Resolves once Redis accepts connections. */
export async function startRedis(port: number): Promise<RunningProgram> {
  const folder = mkdtempSync(join(tmpdir(), "parley-replicas-"));
  const program = process.env.REDIS_SERVER_PATH ?? "redis-server";
  const options = ["--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "yes"];
  const child = await started(program, ["--port", String(port), ...options], {}, (text) =>
    /Ready to accept/.test(text),
  );
  return {
    stop: async () => {
      await stopped(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves once HAProxy reaches a replica. `ports` has the variables that the configuration names. */
export async function startHaproxy(configuration: string, ports: Record<string, string>): Promise<RunningProgram> {
  const program = process.env.HAPROXY_PATH ?? "haproxy";
  const isReady = async () => (await fetch(`http://127.0.0.1:${ports.HAPROXY_PORT}/health`)).ok;
  const child = await started(program, ["-db", "-f", configuration], ports, isReady);
  return { stop: () => stopped(child) };
}

/** @throws {Error} with the output of a program that ends, or with advice on one that is not installed. */
async function started(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  isReady: (output: string) => boolean | Promise<boolean>,
): Promise<ChildProcess> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let failure: Error | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      // Only the start of it is of interest.
      if (output.length < MAX_OUTPUT) output += text;
    });
  }
  child.once("error", (cause) => {
    failure = new Error(`${program} does not start: ${ADVICE}`, { cause });
  });
  child.once("exit", (code) => {
    failure ??= new Error(`${program} ended with ${code}:\n${output}`);
  });
  const deadline = performance.now() + START_MS;
  while (!(await Promise.resolve(isReady(output)).catch(() => false))) {
    if (performance.now() > deadline) failure ??= new Error(`${program} does not answer:\n${output}`);
    if (failure !== undefined) {
      child.kill("SIGKILL");
      throw failure;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return child;
}

export async function stopped(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}

/** Systems hand out the ports above to programs that connect, so a replica that starts again finds its port free. */
const FIRST_PORT = 20_000;
const PORTS = 10_000;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

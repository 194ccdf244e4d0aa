/**
 * What `npm start` runs: the desk at http://127.0.0.1:3000/mcp, or on the port that the environment names. With
 * `npm start -- --protected`, clients have to log in. `npm start -- --workers 2` serves it with two processes on one port.
 */
import cluster from "node:cluster";
import { parseArgs } from "node:util";
import { clusterBackend, startWorkers } from "parley-mcp/node";
import { protectDesk } from "./desk/protected-desk.js";
import { DESK_PATH, serveDesk } from "./desk/serve-desk.js";

interface Desk {
  readonly url: string;
  readonly pids?: readonly number[];
  close(): Promise<void>;
}

const DEFAULT_PORT = 3000;
const parent = process.ppid;

const options = readOptions();
const wantedPort = portFrom(process.env.PORT);
const protection = options.isProtected ? await protectDesk(wantedPort, DESK_PATH) : undefined;
const port = protection?.port ?? wantedPort;
const desk = await (options.workers && cluster.isPrimary ? startDesks(options.workers) : serveOne());

// Once: who asks a second time wants it gone at once.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);

// npm puts a shell in between, which passes no signals on. When it is gone, nobody is left to stop this program.
if (process.env.npm_lifecycle_event !== undefined) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, 250).unref();
}

if (cluster.isPrimary)
  console.log(`A server for the Model Context Protocol listens at ${desk.url}

  look at it     ${new URL("/", desk.url)}
  connect        claude mcp add --transport http desk ${desk.url}
  or             node examples/dist/${protection ? "login-client" : "client"}.js ${desk.url}
  check it       npx parley-check ${protection ? "--login " : ""}${desk.url}
  stop           Ctrl-C
${protection ? `\nClients open a login page in the browser. Log in as "${protection.user}" with password "${protection.password}"\n` : ""}${desk.pids ? `\nWorkers ${desk.pids.join(" and ")} serve it. Each has notes of its own. They offer no tasks: focus_timer is a call that waits. A line for each request says who served it:\n` : ""}`);

async function serveOne(): Promise<Desk> {
  const shared = cluster.isWorker ? await clusterBackend() : undefined;
  const served = await serveDesk(port, protection, shared).catch((error: NodeJS.ErrnoException) =>
    fail(reasonOf(error)),
  );
  // The primary process may have asked for any free port.
  if (cluster.isWorker) process.send?.({ url: served.url });
  return served;
}

/** Starts this program in workers. They share the port. */
async function startDesks(count: number): Promise<Desk> {
  const url = new Promise<string>((resolve) => {
    cluster.on("message", (_worker, message: { readonly url?: string }) => {
      if (message.url !== undefined) resolve(message.url);
    });
  });
  const onWorkerLost = (pid: number) => console.log(`worker ${pid} has ended, and is replaced`);
  const workers = await startWorkers({ count, onWorkerLost }).catch(() => process.exit(1));
  cluster.on("listening", ({ process: { pid } }) => console.log(`worker ${pid} serves in the place of an ended one`));
  return { url: await url, pids: workers.pids, close: () => workers.close() };
}

function stop(): void {
  if (cluster.isPrimary) console.log("Stopping");
  // A worker has a channel to the primary process, which would keep it alive.
  void desk.close().then(() => cluster.worker?.disconnect());
}

function readOptions(): { readonly isProtected: boolean; readonly workers: number | undefined } {
  try {
    const { values } = parseArgs({ options: { protected: { type: "boolean" }, workers: { type: "string" } } });
    const { protected: isProtected = false, workers } = values;
    if (workers !== undefined && !/^[1-9]\d?$/.test(workers))
      fail(`--workers is "${workers}"; expected a number from 1 to 99`);
    if (workers !== undefined && isProtected)
      fail("--protected and --workers: the logins of one process are unknown to others");
    return { isProtected, workers: workers === undefined ? undefined : Number(workers) };
  } catch (error) {
    return fail(
      `${error instanceof Error ? error.message : error}. The options are --protected and --workers <number>`,
    );
  }
}

function portFrom(given: string | undefined): number {
  if (given === undefined || given === "") return DEFAULT_PORT;
  const number = Number(given);
  if (/^\d+$/.test(given) && number <= 65_535) return number;
  return fail(`PORT is "${given}"; expected a number from 0 to 65535, 0 for any free port`);
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === "EADDRINUSE") {
    return `Port ${port} is taken by another program. Stop that one, or choose another port: PORT=0 npm start`;
  }
  if (error.code === "EACCES") return `Port ${port} is not for everybody. Choose one from 1024 on: PORT=8080 npm start`;
  return `The server could not listen on port ${port}: ${error.message}`;
}

function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}

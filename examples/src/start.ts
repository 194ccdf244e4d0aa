/**
 * What `npm start` runs: the desk at http://127.0.0.1:3000/mcp, or on the port that the environment names. With
 * `npm start -- --protected`, clients have to log in.
 */
import { protectDesk } from "./desk/protected-desk.js";
import { DESK_PATH, serveDesk } from "./desk/serve-desk.js";

const DEFAULT_PORT = 3000;
const parent = process.ppid;

const unknown = process.argv.slice(2).find((argument) => argument !== "--protected");
if (unknown !== undefined) fail(`"${unknown}" is no option; the only one is --protected`);

const wantedPort = portFrom(process.env.PORT);
const protection = process.argv.includes("--protected") ? await protectDesk(wantedPort, DESK_PATH) : undefined;
const port = protection?.port ?? wantedPort;
const desk = await serveDesk(port, protection).catch((error: NodeJS.ErrnoException) => fail(reasonOf(error)));

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

console.log(`A server for the Model Context Protocol listens at ${desk.url}

  look at it     ${new URL("/", desk.url)}
  connect        claude mcp add --transport http desk ${desk.url}
  or             node examples/dist/${protection ? "login-client" : "client"}.js ${desk.url}
  check it       npx parley-check ${desk.url}
  stop           Ctrl-C
${protection ? `\nClients open a login page in the browser. Log in as "${protection.user}" with password "${protection.password}"\n` : ""}`);

function stop(): void {
  console.log("Stopping");
  void desk.close();
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

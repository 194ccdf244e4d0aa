/** What the referee is pointed at: the servers under test, which run as long as this is in scope, and the client's command. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { CLIENT_ID } from "./authorization/registered.js";
import { home } from "./home.js";
import type { Leg } from "./referee/revisions.js";

export interface UnderTest extends AsyncDisposable {
  /** The referee's options for each leg. */
  readonly targets: { readonly [leg in Leg]: readonly string[] };
}

export async function startUnderTest(): Promise<UnderTest> {
  const client = join(home, "dist", "client", "everything-client.js");
  const server = await startProgram(join(home, "dist", "server", "everything-server.js"));
  const login = await startProgram(join(home, "dist", "authorization", "login-server.js"));
  return {
    targets: {
      server: ["--url", server.url],
      client: ["--command", `"${process.execPath}" "${client}"`],
      authorization: [
        ...["--url", login.url, "--client-id", CLIENT_ID, "--resource", `${login.url}/mcp`],
        ...["--port", `${await freePort()}`],
      ],
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await login.stop();
    },
  };
}

interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a program that prints its URL. */
async function startProgram(path: string): Promise<RunningServer> {
  const child = spawn(process.execPath, [path], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  const stop = async () => {
    child.kill("SIGTERM");
    await closed;
  };
  for await (const url of createInterface({ input: child.stdout })) return { url, stop };
  throw new Error(`${path} ended before it printed its URL`);
}

/** Where the referee waits for the code. */
async function freePort(): Promise<number> {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const address = holder.address();
  holder.close();
  await once(holder, "close");
  return address !== null && typeof address === "object" ? address.port : 0;
}

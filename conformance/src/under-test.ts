/** What the referee is pointed at: the server under test, which runs as long as this is in scope, and the client's command. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { home } from "./home.js";
import type { Leg } from "./referee/revisions.js";

export interface UnderTest extends AsyncDisposable {
  /** The referee's options for each leg. */
  readonly targets: { readonly [leg in Leg]: readonly string[] };
}

export async function startUnderTest(): Promise<UnderTest> {
  const server = join(home, "dist", "server", "everything-server.js");
  const client = join(home, "dist", "client", "everything-client.js");
  const child = spawn(process.execPath, [server], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  const stop = async () => {
    child.kill("SIGTERM");
    await closed;
  };
  for await (const url of createInterface({ input: child.stdout })) {
    const targets = { server: ["--url", url], client: ["--command", `"${process.execPath}" "${client}"`] };
    return { targets, [Symbol.asyncDispose]: stop };
  }
  throw new Error("The server under test ended before it printed its URL");
}

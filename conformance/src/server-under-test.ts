/** The server under test as a process of its own, for as long as it is in scope. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface ServerUnderTest extends AsyncDisposable {
  readonly url: string;
}

export async function startServer(): Promise<ServerUnderTest> {
  const program = fileURLToPath(new URL("server/everything-server.js", import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  const stop = async () => {
    child.kill("SIGTERM");
    await closed;
  };
  for await (const url of createInterface({ input: child.stdout })) return { url, [Symbol.asyncDispose]: stop };
  throw new Error("The server under test ended before it printed its URL");
}

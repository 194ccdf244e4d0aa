/** Ports for programs that must know their own URL before they listen. */
import { once } from "node:events";
import { createServer } from "node:net";

/** Systems hand out the ports above when a program asks for any free one, so nobody else is given these. */
const FIRST = 20_000;
const PORTS = 10_000;
const ATTEMPTS = 100;

/** @throws {Error} if no port is free. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = FIRST + Math.floor(Math.random() * PORTS);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of ${ATTEMPTS} ports was free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}

/** Servers that run as processes of their own: those that clients spawn, and those that listen. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { RunningServer } from "../server-peer.js";
import { freePort } from "./free-port.js";

/** A program of this folder, which exists only built. */
export function builtProgram(name: string): string {
  return fileURLToPath(new URL(`../../dist/servers/${name}.js`, import.meta.url));
}

/** A server that its client spawns. */
export function spawned(program: string, ...args: readonly string[]): () => Promise<RunningServer> {
  return async () => runBy(process.execPath, program, ...args);
}

/** The same, run by a command other than this Node. */
export function runBy(command: string, ...args: readonly string[]): RunningServer {
  return { endpoint: { kind: "stdio", command, args }, [Symbol.asyncDispose]: async () => undefined };
}

/** A server that listens on the port in its environment. What it prints is its own business. */
export function listening(
  program: string,
  { kind, path, args = [] }: { kind: "http" | "sse"; path: string; args?: readonly string[] },
): () => Promise<RunningServer> {
  return () => listeningBy([process.execPath, program, ...args], { kind, path });
}

/** The same, run by any command. */
export async function listeningBy(
  [command, ...args]: readonly [string, ...string[]],
  { kind, path, signal = "SIGKILL" }: { kind: "http" | "sse"; path: string; signal?: NodeJS.Signals },
): Promise<RunningServer> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"], env });
  const closed = once(child, "close");
  const complaints = lastCharacters(child.stderr);
  const isUp = await untilListening(port, () => child.exitCode === null && child.signalCode === null);
  if (!isUp) {
    child.kill(signal);
    await closed;
    throw new Error(`${[command, ...args].join(" ")} does not listen on port ${port}: ${complaints()}`);
  }
  return {
    endpoint: { kind, url: `http://localhost:${port}${path}` },
    [Symbol.asyncDispose]: async () => {
      child.kill(signal);
      await closed;
    },
  };
}

/** Whether something listens on the port before the program ends or a minute has passed. */
async function untilListening(port: number, isRunning: () => boolean): Promise<boolean> {
  const deadline = Date.now() + 60_000;
  while (isRunning() && Date.now() < deadline) {
    const socket = createConnection({ port, host: "localhost" });
    try {
      await once(socket, "connect");
      return true;
    } catch {
      await wait(25);
    } finally {
      socket.destroy();
    }
  }
  return false;
}

/** Reads a stream to its end, and returns a function that returns the last characters so far. */
function lastCharacters(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(-2_000);
  });
  return () => text;
}

/** Servers that run as processes of their own: those that clients spawn, and those that listen. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
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
  const child = spawn(command, args, { stdio: "ignore", env });
  const closed = once(child, "close");
  await untilListening(port);
  return {
    endpoint: { kind, url: `http://localhost:${port}${path}` },
    [Symbol.asyncDispose]: async () => {
      child.kill(signal);
      await closed;
    },
  };
}

async function untilListening(port: number): Promise<void> {
  for (let attempts = 0; attempts < 600; attempts += 1) {
    const socket = createConnection({ port, host: "localhost" });
    try {
      await once(socket, "connect");
      return;
    } catch {
      await wait(25);
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`Nothing listens on port ${port}`);
}
